//! Executable code: memory that is first written and then executed, never both.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use memmap2::{Mmap, MmapMut};

use crate::backend::abi::exit;
use crate::backend::abi::frame::RawFrame;
use crate::backend::analysis::byte_set::DenseByteSet;
use crate::backend::analysis::channels::channels;
use crate::backend::memory::Memory;
use crate::ir::{Function, Routine};
use crate::runtime::exit::{Exit, Resume};
use crate::runtime::frame::Frame;
use crate::runtime::threads::{PIECE, Piece, Start, Threads};

/// The compiled code of a routine.
#[derive(Debug)]
pub struct Code {
    memory: Mmap,
    /// Where the function begins that the caller calls.
    entry: usize,
    /// Where threads begin in turn.
    in_turn: usize,
    /// Where each block begins.
    blocks: Vec<usize>,
    /// Where it goes on behind each step: with all channels that the block has being active, and
    /// with any.
    steps: Vec<[usize; 2]>,
    /// The channels that the block of each step has, for the first of the two.
    full: Vec<u32>,
    /// What the code calls, at the addresses that stand in it.
    _functions: Vec<Function>,
    /// Bytes that are live when the routine begins: with all channels of the first block, and with
    /// any.
    begin: [DenseByteSet; 2],
    /// Bytes that any step writes.
    written: DenseByteSet,
    /// The channels of the first block.
    channels: u32,
    limits: Limits,
}

impl Code {
    /// Makes the bytes executable. Nothing when the system refuses, or a place is outside of the
    /// code.
    pub(crate) fn new(parts: Parts, routine: &Routine) -> Option<Self> {
        let Parts { bytes, entry, in_turn, blocks, steps, full, functions, begin, written } = parts;
        // A step behind which nothing goes on has no place.
        let is_inside = |place: &usize| *place < bytes.len();
        ([entry, in_turn].iter().all(is_inside) && blocks.iter().all(is_inside)).then_some(())?;
        let mut memory = MmapMut::map_anon(bytes.len()).ok()?;
        memory.copy_from_slice(&bytes);
        let memory = memory.make_exec().ok()?;
        let count = if routine.count { usize::MAX } else { 0 };
        let limits = Limits {
            registers: routine.register_bytes as usize,
            predicates: routine.predicates as usize,
            states: routine.states as usize,
            blocks: routine.blocks.len() + 1,
            counts: steps.len() & count,
            branches: routine.blocks.len() & count,
        };
        let channels = routine.blocks.first().map_or(0, |block| channels(block, routine.count));
        Some(Self {
            memory,
            entry,
            in_turn,
            blocks,
            steps,
            full,
            _functions: functions,
            begin,
            written,
            channels,
            limits,
        })
    }

    /// Which dwords of a [`PIECE`](crate::PIECE) of the registers, at a multiple of its size, a
    /// thread that begins with these channels may read before they are written: one bit each.
    pub fn needs(&self, at: u32, active: u32) -> u8 {
        self.begin[usize::from(active & self.channels != self.channels)].of_piece(at)
    }

    /// Which of them any step writes.
    pub fn changes(&self, at: u32) -> u8 {
        self.written.of_piece(at)
    }

    /// Bytes of code.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Whether there is no code.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// Where it goes on behind a step, if it can, with so many active channels.
    pub fn behind(&self, step: u32, active: u32) -> Option<Resume> {
        let places = self.steps.get(step as usize)?;
        let full = self.full.get(step as usize)?;
        let is_there = |some: bool| places[usize::from(some)] < self.memory.len();
        let some = active & full != *full;
        is_there(some).then_some(Resume { step, some })
    }

    /// Lends the code the state of a thread and the memory that it reaches.
    ///
    /// # Panics
    /// When the tables of the frame are shorter than the routine has told.
    #[inline(always)]
    pub fn lend<'f>(&'f self, frame: Frame<'f>, memory: &'f Memory<'_>) -> Lent<'f> {
        let limits = &self.limits;
        assert!(
            frame.registers.len() >= limits.registers
                && frame.predicates.len() >= limits.predicates
                && frame.states.len() >= limits.states
                && frame.waiting.len() >= limits.blocks
                && frame.occupied.len() * 64 >= limits.blocks
                && frame.counts.len() >= limits.counts
                && frame.branches.len() >= limits.branches,
            "the tables of a frame are as long as the code has been told"
        );
        let raw = RawFrame {
            registers: frame.registers.as_mut_ptr(),
            predicates: frame.predicates.as_mut_ptr(),
            states: frame.states.as_mut_ptr(),
            waiting: frame.waiting.as_mut_ptr(),
            occupied: frame.occupied.as_mut_ptr(),
            buffers: memory.buffers.as_ptr(),
            buffer_count: memory.buffers.len() as u64,
            surfaces: memory.surfaces.as_ptr(),
            surface_count: memory.surfaces.len() as u64,
            local: &memory.local,
            private: &memory.private,
            part: MaybeUninit::uninit(),
            begin: 0,
            counts: frame.counts.as_mut_ptr(),
            branches: frame.branches.as_mut_ptr(),
            active: frame.active,
            executed: frame.executed,
            until: frame.until,
            in_turn: 0,
            left: 0,
            starts: std::ptr::null(),
            pieces: std::ptr::null(),
            before: 0,
            common: std::ptr::null(),
            common_count: 0,
            zeros: std::ptr::null(),
            zero_count: 0,
            classes: [0; 8],
            scratch: MaybeUninit::uninit(),
            operands: MaybeUninit::uninit(),
            spilled: MaybeUninit::uninit(),
        };
        // Of the rest only the pointers are needed.
        let Frame { registers, occupied, .. } = frame;
        Lent { code: self, registers, occupied, lives: PhantomData, raw }
    }
}

/// What code has been lent.
pub struct Lent<'f> {
    code: &'f Code,
    registers: &'f mut [u8],
    occupied: &'f mut [u64],
    /// Keeps what the pointers point to.
    lives: PhantomData<Frame<'f>>,
    raw: RawFrame,
}

impl Lent<'_> {
    /// Runs from the beginning of a block until there is something that the caller has to do.
    /// `None`: there is no such block.
    #[inline(always)]
    pub fn run(&mut self, block: u32) -> Option<Exit> {
        Some(self.enter(*self.code.blocks.get(block as usize)?))
    }

    /// Goes on behind a step that the caller has done. `None`: nothing goes on there.
    #[inline(always)]
    pub fn resume(&mut self, resume: Resume) -> Option<Exit> {
        let place = self.code.steps.get(resume.step as usize)?[usize::from(resume.some)];
        (place < self.code.memory.len()).then(|| self.enter(place))
    }

    /// The active channels, and the instructions so far.
    #[inline(always)]
    pub fn progress(&self) -> (u32, u64) {
        (self.raw.active, self.raw.executed)
    }

    /// Lets no block begin when there have been so many instructions.
    #[inline(always)]
    pub fn set_until(&mut self, until: u64) {
        self.raw.until = until;
    }

    /// Whether channels wait anywhere.
    #[inline(always)]
    pub fn is_divergent(&mut self) -> bool {
        let is_divergent = self.occupied.iter().any(|word| *word != 0);
        self.raw.occupied = self.occupied.as_mut_ptr();
        is_divergent
    }

    /// Changes the registers.
    pub fn change(&mut self, change: impl FnOnce(&mut [u8])) {
        change(self.registers);
        self.raw.registers = self.registers.as_mut_ptr();
    }

    /// Runs threads from one on, each to its end before the next begins: without predicates and
    /// states, and with its pieces in the registers. Gives how many have ended and the instructions
    /// of those, and why the one behind them has come back, if any has.
    pub fn run_in_turn(&mut self, threads: &Threads, first: usize) -> (usize, u64, Option<Exit>) {
        let code = self.code;
        let (starts, pieces) = pieces_from(threads, first, code.limits.registers);
        (self.raw.in_turn, self.raw.left, self.raw.before) = (1, starts.len() as u64, 0);
        (self.raw.starts, self.raw.pieces) = (starts.as_ptr(), pieces.as_ptr());
        let (common, zeros) = (&threads.common[..], &threads.zeros[..]);
        (self.raw.common, self.raw.common_count) = (common.as_ptr(), common.len() as u64);
        (self.raw.zeros, self.raw.zero_count) = (zeros.as_ptr(), zeros.len() as u64);
        self.raw.executed = 0;
        let exit = self.enter(code.in_turn);
        self.raw.in_turn = 0;
        // The one that has come back has begun.
        let exit = (self.raw.left != u64::MAX).then_some(exit);
        let left = self.raw.left.wrapping_add(1) as usize;
        (starts.len() - left, self.raw.before, exit)
    }

    /// Runs from a place that one of the tables has.
    #[inline(always)]
    fn enter(&mut self, place: usize) -> Exit {
        let code = self.code;
        let start = code.memory.as_ptr();
        // SAFETY: `entry` and `place` are offsets inside of the mapping, which is readable and
        // executable and lives as long as `code`, of instructions that `compile` has written:
        // `entry` is that of a function of the type `Enter` (it saves what the convention asks
        // for), which jumps to its second argument; `place` is the beginning of a block or of what
        // follows a step, or where threads begin in turn, which `run_in_turn` has filled the frame
        // for; there the code expects nothing but what the function has loaded from the frame. The
        // CPU has the instructions: `compile` has asked. The code reads and writes
        // - the register file, predicates, states, waiting channels, occupied blocks and counts at
        //   offsets that `check` has found to be below the limits, which `Code::lend` has compared
        //   with the lengths; `frame` borrows them mutably, so nobody else has them, and `self` has
        //   made the pointers anew where it has used them itself;
        // - the tables of buffers and surfaces, below their lengths, or below `SURFACES`, which
        //   `Memory::new` sees to;
        // - the words of buffers, after it has compared offsets with the length that `BufferEntry::of`
        //   has from the slice (for a part of the memory of threads, with what is behind its
        //   beginning). They are atomics, so others may use them at the same time; accesses of
        //   aligned words are whole, as the CPU makes them, and nothing relies on others being so;
        // - the bits of marks at the offset of a word that is inside, or of its page, for which
        //   `BufferEntry::of` has found them to be long enough. They are `Cell`s that are borrowed by
        //   this thread: `Memory` is neither `Send` nor `Sync`.
        // - threads and their pieces: the counts say how many all have, `left` says how many
        //   threads there are, each says how many of the pieces behind those of the ones before are
        //   its own, and `pieces_from` has found all places of pieces inside of the registers;
        // - its own part of the frame, for offsets, operands of functions and the host's registers.
        //   It calls nothing but `call` of the ABI, with the operands of `raw`, which it has
        //   written and which nobody else has then, and one of the functions that `code` keeps; an
        //   `extern "C"` function does not unwind. It has no other effects.
        let number = unsafe {
            let enter: Enter = std::mem::transmute::<*const u8, Enter>(start.add(code.entry));
            enter(&mut self.raw, start.add(place))
        };
        let number = number as u32;
        let n = number >> exit::BITS;
        match number & ((1 << exit::BITS) - 1) {
            exit::BLOCK => Exit::Block(n),
            exit::FULL => Exit::Step { step: n, resume: Resume { step: n, some: false } },
            exit::SOME => Exit::Step { step: n, resume: Resume { step: n, some: true } },
            _ => Exit::End { block: n },
        }
    }
}

/// How long the tables of a frame have to be.
#[derive(Clone, Copy, Debug)]
struct Limits {
    registers: usize,
    predicates: usize,
    states: usize,
    blocks: usize,
    /// Number of steps, if they are counted.
    counts: usize,
    branches: usize,
}

/// What the code of a routine consists of.
pub(crate) struct Parts {
    pub(crate) bytes: Vec<u8>,
    pub(crate) entry: usize,
    pub(crate) in_turn: usize,
    pub(crate) blocks: Vec<usize>,
    pub(crate) steps: Vec<[usize; 2]>,
    pub(crate) full: Vec<u32>,
    pub(crate) functions: Vec<Function>,
    pub(crate) begin: [DenseByteSet; 2],
    pub(crate) written: DenseByteSet,
}

/// The function at [`Code::entry`]: it takes a frame and the place to begin at, and gives the
/// number of an exit.
type Enter = unsafe extern "sysv64" fn(*mut RawFrame, *const u8) -> u64;

const _: () = assert!(PIECE == 32, "it is copied by one instruction");

/// Returns the threads from `first` on and their pieces.
///
/// # Panics
/// If a piece ends after `registers` bytes.
fn pieces_from(threads: &Threads, first: usize, registers: usize) -> (&[Start], &[Piece]) {
    assert!(threads.reach <= registers, "what threads begin with is inside of their registers");
    (&threads.starts[first..], &threads.pieces[threads.before(first)..])
}
