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
    /// The offset of the function that the caller calls.
    entry: usize,
    /// The offset at which threads begin in turn.
    in_turn: usize,
    /// The offset of each block.
    blocks: Vec<usize>,
    /// The offset after each step: with all channels of the block active, and with any.
    steps: Vec<[usize; 2]>,
    /// The channels of each step's block.
    full: Vec<u32>,
    /// The functions that the code calls; their addresses stand in it.
    _functions: Vec<Function>,
    /// The bytes that are live at the beginning: with all channels of the first block, and with
    /// any.
    begin: [DenseByteSet; 2],
    /// The bytes that any step writes.
    written: DenseByteSet,
    /// The channels of the first block.
    channels: u32,
    limits: Limits,
}

impl Code {
    /// Makes the bytes executable. Returns `None` if the system refuses, or if a place is outside
    /// of the code.
    pub(crate) fn new(parts: LinkedCode, routine: &Routine) -> Option<Self> {
        let LinkedCode { bytes, entry, in_turn, blocks, steps, full, functions, begin, written } = parts;
        // A step that cannot be resumed after has an offset outside the code.
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

    /// Returns the dwords of the [`PIECE`] at `at` that a thread with these channels may read
    /// before it writes them: one bit each. `at` is a multiple of the size of a piece.
    pub fn needs(&self, at: u32, active: u32) -> u8 {
        self.begin[usize::from(active & self.channels != self.channels)].of_piece(at)
    }

    /// Returns the dwords of the [`PIECE`] at `at` that any step writes: one bit each.
    pub fn changes(&self, at: u32) -> u8 {
        self.written.of_piece(at)
    }

    /// Returns the bytes of code.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Returns true if there are no bytes of code.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// Returns the place after a step if the code can continue there with the given active
    /// channels.
    pub fn behind(&self, step: u32, active: u32) -> Option<Resume> {
        let places = self.steps.get(step as usize)?;
        let full = self.full.get(step as usize)?;
        let is_there = |some: bool| places[usize::from(some)] < self.memory.len();
        let some = active & full != *full;
        is_there(some).then_some(Resume { step, some })
    }

    /// Lends the code a thread's state and the memory that it can access.
    ///
    /// # Panics
    ///
    /// If the tables of the frame are shorter than the routine declares.
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
            "the tables of a frame have the lengths that the code assumes"
        );
        let raw = RawFrame {
            registers: frame.registers.as_mut_ptr(),
            predicates: frame.predicates.as_mut_ptr(),
            states: frame.states.as_mut_ptr(),
            waiting: frame.waiting.as_mut_ptr(),
            occupied: frame.occupied.as_mut_ptr(),
            buffers: memory.buffers.as_ptr(),
            buffer_count: memory.numbered as u64,
            slots: memory.slots.as_ptr(),
            slot_count: memory.slots.len() as u64,
            first_slot: memory.first_slot,
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
            rounding: MaybeUninit::uninit(),
            operands: MaybeUninit::uninit(),
            spilled: MaybeUninit::uninit(),
        };
        // The other fields are needed as pointers only.
        let Frame { registers, occupied, .. } = frame;
        Lent { code: self, registers, occupied, lives: PhantomData, raw }
    }
}

/// Code with the state of a thread.
pub struct Lent<'f> {
    code: &'f Code,
    registers: &'f mut [u8],
    occupied: &'f mut [u64],
    /// Borrow of the frame whose memory the pointers refer to.
    lives: PhantomData<Frame<'f>>,
    raw: RawFrame,
}

impl Lent<'_> {
    /// Runs from the beginning of a block until the caller has to do something. Returns `None` if
    /// the block does not exist.
    #[inline(always)]
    pub fn run(&mut self, block: u32) -> Option<Exit> {
        Some(self.enter(*self.code.blocks.get(block as usize)?))
    }

    /// Continues after a step that the caller has executed. Returns `None` if the code cannot
    /// continue there.
    #[inline(always)]
    pub fn resume(&mut self, resume: Resume) -> Option<Exit> {
        let place = self.code.steps.get(resume.step as usize)?[usize::from(resume.some)];
        (place < self.code.memory.len()).then(|| self.enter(place))
    }

    /// Returns the active channels and the number of executed instructions.
    #[inline(always)]
    pub fn progress(&self) -> (u32, u64) {
        (self.raw.active, self.raw.executed)
    }

    /// Sets the instruction count from which no further block begins.
    #[inline(always)]
    pub fn set_until(&mut self, until: u64) {
        self.raw.until = until;
    }

    /// Returns true if channels wait at any block.
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

    /// Runs threads from `first` on, each to its end before the next begins. Each starts without
    /// predicates and states, and with its pieces in the registers. Returns the number of ended
    /// threads, their instruction count, and the exit of the next thread if it returned to the
    /// caller.
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
        // A thread that returned to the caller has already started.
        let exit = (self.raw.left != u64::MAX).then_some(exit);
        let left = self.raw.left.wrapping_add(1) as usize;
        (starts.len() - left, self.raw.before, exit)
    }

    /// Runs from an offset of one of the tables.
    #[inline(always)]
    fn enter(&mut self, place: usize) -> Exit {
        let code = self.code;
        let start = code.memory.as_ptr();
        // SAFETY: `entry` and `place` are offsets inside of the mapping, which is readable and
        // executable and lives as long as `code`. `compile` has written its instructions, and has
        // checked that the CPU has them. `entry` is a function of the type `Enter`: it saves the
        // registers that the convention preserves, loads its state from the frame, and jumps to its
        // second argument. `place` is the beginning of a block, a place after a step, or the start
        // of threads, for which `run_in_turn` has filled the frame. The code reads and writes:
        // - the register file, predicates, states, waiting channels, occupied blocks and counts.
        //   `validate` has checked that their offsets are below the limits, and `Code::lend` has
        //   compared the limits with the lengths. `frame` borrows the tables mutably, so no other
        //   code has them; `self` renews a pointer where it uses a table itself.
        // - the tables of buffers and surfaces, below their lengths, or below `SURFACES`, which
        //   `Memory::new` guarantees.
        // - the words of buffers. The code compares offsets with the length from `BufferEntry::of`;
        //   for a part of private memory, with the length after its beginning. The words are
        //   atomics, so others may use them at the same time. Accesses of aligned words are whole
        //   on this CPU, and nothing relies on others being whole.
        // - the bits of marks, at the offset of a word that is inside, or of its page.
        //   `BufferEntry::of` has checked that there are enough bits. They are `Cell`s that this
        //   thread borrows: `Memory` is neither `Send` nor `Sync`.
        // - threads and their pieces. `left` has the number of threads, each thread has the number
        //   of its pieces, and `pieces_from` has checked that the places of pieces are inside of
        //   the registers.
        // - its own part of the frame: offsets, operands of functions, and the host's registers. It
        //   changes the rounding of the host's floats only between two places of a block without
        //   an exit between them, and restores it there.
        //   The code calls only `abi::call`, with operands in `raw` that it has written and that no
        //   other code uses then, and with a function that `code` keeps. An `extern "C"` function
        //   does not unwind. The code has no other effects.
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

/// Minimum lengths of a frame's tables.
#[derive(Clone, Copy, Debug)]
struct Limits {
    registers: usize,
    predicates: usize,
    states: usize,
    blocks: usize,
    /// The number of steps, if they are counted.
    counts: usize,
    branches: usize,
}

/// The code of a routine before it is executable.
pub(crate) struct LinkedCode {
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

/// The function at [`Code::entry`]: it takes a frame and the place to begin at, and returns the
/// number of an exit.
type Enter = unsafe extern "sysv64" fn(*mut RawFrame, *const u8) -> u64;

const _: () = assert!(PIECE == 32, "it is copied by one instruction");

/// Returns the threads from `first` on and their pieces.
///
/// # Panics
/// If a piece ends after `registers` bytes.
fn pieces_from(threads: &Threads, first: usize, registers: usize) -> (&[Start], &[Piece]) {
    assert!(threads.reach <= registers, "the initial values of a thread must fit into its registers");
    (&threads.starts[first..], &threads.pieces[threads.before(first)..])
}
