//! Threads that run in sequence in the same registers.

/// Number of bytes of a piece of the registers, which is copied as a whole.
pub const PIECE: usize = 32;

/// Initial bytes of a piece of the registers.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct Piece {
    /// Initial contents.
    pub bytes: [u8; PIECE],
    /// The place of the first byte.
    pub at: u32,
}

/// Initial state of a thread.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// Channels that are active at the start.
    pub(crate) channels: u32,
    /// Number of the thread's pieces, which follow those of the previous threads.
    pub(crate) pieces: u32,
}

/// Position of a word in the pieces of threads.
#[derive(Clone, Debug)]
pub struct WordPlace {
    is_common: bool,
    piece: usize,
    byte: usize,
}

/// The initial registers of threads.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    pub(crate) starts: Vec<Start>,
    /// The pieces of each thread, one thread after the other.
    pub(crate) pieces: Vec<Piece>,
    /// The pieces of all threads.
    pub(crate) common: Vec<Piece>,
    /// Places of pieces that are zero in all threads.
    pub(crate) zeros: Vec<u32>,
    /// End of the bytes that pieces cover.
    pub(crate) reach: usize,
}

impl Threads {
    /// Adds a thread. Its pieces are in the order of their places, which are multiples of their
    /// size.
    pub fn push(&mut self, channels: u32, pieces: impl IntoIterator<Item = Piece>) {
        let before = self.pieces.len();
        self.pieces.extend(pieces);
        let ends = self.pieces[before..].iter().map(|piece| piece.at as usize + PIECE);
        self.reach = ends.fold(self.reach, usize::max);
        self.starts.push(Start { channels, pieces: (self.pieces.len() - before) as u32 });
    }

    /// Adds a piece that all threads share, after the shared pieces so far.
    pub fn push_common(&mut self, piece: Piece) {
        self.reach = self.reach.max(piece.at as usize + PIECE);
        if piece.bytes == [0; PIECE] {
            self.zeros.push(piece.at);
        } else {
            self.common.push(piece);
        }
    }

    /// Returns the positions of a register word in all pieces that contain it.
    pub fn places(&self, at: u32) -> Vec<WordPlace> {
        let place = |pieces: &[Piece], before| {
            let n = pieces.binary_search_by_key(&(at - at % PIECE as u32), |piece| piece.at).ok()?;
            Some(before + n)
        };
        let (byte, mut before) = (at as usize % PIECE, 0);
        let common = place(&self.common, 0).map(|piece| WordPlace { is_common: true, piece, byte });
        let own = self.starts.iter().filter_map(|start| {
            let first = before;
            before += start.pieces as usize;
            let piece = place(&self.pieces[first..before], first)?;
            Some(WordPlace { is_common: false, piece, byte })
        });
        common.into_iter().chain(own).collect()
    }

    /// Replaces a word.
    pub fn set_word(&mut self, place: &WordPlace, word: u32) {
        let pieces = if place.is_common { &mut self.common } else { &mut self.pieces };
        pieces[place.piece].bytes[place.byte..][..4].copy_from_slice(&word.to_le_bytes());
    }

    /// Fills the registers of a thread.
    pub fn fill(&self, thread: usize, registers: &mut [u8]) {
        let own = &self.pieces[self.before(thread)..][..self.starts[thread].pieces as usize];
        for piece in self.common.iter().chain(own) {
            registers[piece.at as usize..][..PIECE].copy_from_slice(&piece.bytes);
        }
        self.zeros.iter().for_each(|at| registers[*at as usize..][..PIECE].fill(0));
    }

    /// Returns the number of pieces of all previous threads.
    pub(crate) fn before(&self, thread: usize) -> usize {
        self.starts[..thread].iter().map(|start| start.pieces as usize).sum()
    }
}
