//! Executable code: memory that is first written and then executed, never both.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use memmap2::{Mmap, MmapMut};

use crate::backend::abi::exit;
use crate::backend::abi::frame::{RawFrame, mode};
use crate::backend::analysis::byte_set::DenseByteSet;
use crate::backend::analysis::channels::channels;
use crate::backend::memory::Memory;
use crate::ir::{Function, Routine};
use crate::runtime::exit::{Exit, Resume, Together};
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
    /// The channels of each step's block; `None` if the caller may continue only in the code for
    /// any channels.
    full: Vec<Option<u32>>,
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
        let some = full.is_none_or(|full| active & full != full);
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
            buffer_count: memory.buffers.len() as u64,
            slots: memory.slots.table.as_ptr(),
            slot_count: memory.slots.table.len() as u64,
            slot_entries: memory.slots.entries.as_ptr(),
            first_slot: memory.slots.first,
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
            mode: mode::ALONE,
            index: 0,
            next: std::ptr::null_mut(),
            place: std::ptr::null(),
            block: 0,
            has_ended: 0,
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
        let Frame { registers, predicates, states, .. } = frame;
        Lent { code: self, registers, tables: [predicates, states], lives: PhantomData, raw }
    }
}

/// Code with the state of a thread.
pub struct Lent<'f> {
    code: &'f Code,
    registers: &'f mut [u8],
    /// Predicates and states.
    tables: [&'f mut [u32]; 2],
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

    /// Starts a thread in the place of one that has ended, without predicates and states, and with
    /// the registers that `change` fills. The thread's time slice ends at `until` instructions.
    pub fn begin(&mut self, channels: u32, until: u64, change: impl FnOnce(&mut [u8])) {
        self.change(change);
        self.tables.iter_mut().for_each(|table| table.fill(0));
        [self.raw.predicates, self.raw.states] = self.tables.each_mut().map(|table| table.as_mut_ptr());
        (self.raw.active, self.raw.executed, self.raw.until) = (channels, 0, until);
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
        (self.raw.mode, self.raw.left, self.raw.before) = (mode::IN_TURN, starts.len() as u64, 0);
        (self.raw.starts, self.raw.pieces) = (starts.as_ptr(), pieces.as_ptr());
        let (common, zeros) = (&threads.common[..], &threads.zeros[..]);
        (self.raw.common, self.raw.common_count) = (common.as_ptr(), common.len() as u64);
        (self.raw.zeros, self.raw.zero_count) = (zeros.as_ptr(), zeros.len() as u64);
        self.raw.executed = 0;
        let exit = self.enter(code.in_turn);
        self.raw.mode = mode::ALONE;
        // A thread that returned to the caller has already started.
        let exit = (self.raw.left != u64::MAX).then_some(exit);
        let left = self.raw.left.wrapping_add(1) as usize;
        (starts.len() - left, self.raw.before, exit)
    }

    /// Runs the threads of a group together: each to its next barrier, in their order, and again
    /// from the first one on, until one returns to the caller or all have ended. `blocks` has the
    /// block at which each thread continues, before and after.
    ///
    /// # Panics
    ///
    /// If the threads have different code, or a block does not exist.
    pub fn run_together(threads: &mut [Self], blocks: &mut [u32]) -> Together {
        let count = threads.len();
        assert_eq!(count, blocks.len(), "each thread has a block");
        let Some(code) = threads.first().map(|thread| thread.code) else { return Together::default() };
        for ((index, thread), block) in (0..).zip(&mut *threads).zip(&*blocks) {
            assert!(std::ptr::eq(thread.code, code), "the threads of a group run the same code");
            let raw = &mut thread.raw;
            (raw.mode, raw.index, raw.has_ended, raw.block) = (mode::TOGETHER, index, 0, *block);
            raw.place = code.memory.as_ptr().wrapping_add(code.blocks[*block as usize]);
        }
        let first = threads.as_mut_ptr();
        for n in 0..count {
            // SAFETY: both numbers are less than the length of `threads`, of which no other
            // reference exists until the code has returned.
            unsafe { (*first.add(n)).raw.next = &raw mut (*first.add((n + 1) % count)).raw };
        }
        // SAFETY: `lend` has made all frames, which are of this code. At a barrier the code
        // continues with the next frame, at its `place`, which is the beginning of a block.
        let number = unsafe { code.enter(&raw mut (*first).raw, code.blocks[blocks[0] as usize]) };
        let (thread, exit) = ((number >> 32) as usize, Exit::of(number as u32));
        // A thread that runs alone must not continue with the next one.
        for (block, thread) in blocks.iter_mut().zip(&mut *threads) {
            (*block, thread.raw.mode) = (thread.raw.block, mode::ALONE);
        }
        if threads[0].raw.has_ended == 0 || thread > 0 {
            return Together { thread, exit: Some(exit), have_ended: false };
        }
        // After the first thread has ended, the others must end too.
        for (index, (thread, block)) in threads.iter_mut().zip(blocks).enumerate().skip(1) {
            let exit = thread.enter(code.blocks[*block as usize]);
            if thread.raw.has_ended == 0 {
                return Together { thread: index, exit: Some(exit), have_ended: true };
            }
        }
        Together { thread: count, exit: None, have_ended: true }
    }

    /// Runs from an offset of one of the tables.
    #[inline(always)]
    fn enter(&mut self, place: usize) -> Exit {
        // SAFETY: `lend` has made the frame, and `place` is the beginning of a block, a place after
        // a step, or the start of threads, for which `run_in_turn` has filled the frame.
        Exit::of(unsafe { self.code.enter(&raw mut self.raw, place) } as u32)
    }
}

impl Code {
    /// Runs from an offset of one of the tables. Returns the number of the exit, and in the upper
    /// half the number of the thread.
    ///
    /// # Safety
    ///
    /// [`Code::lend`] has made the frame, which lives, and those that it leads to. `place` is a
    /// place for it.
    #[inline(always)]
    unsafe fn enter(&self, frame: *mut RawFrame, place: usize) -> u64 {
        let start = self.memory.as_ptr();
        // SAFETY: `entry` and `place` are offsets inside of the mapping, which is readable and
        // executable and lives as long as `self`. `compile` has written its instructions, and has
        // checked that the CPU has them. `entry` is a function of the type `Enter`: it saves the
        // registers that the convention preserves, loads its state from the frame, and jumps to its
        // second argument. The code reads and writes:
        // - the register file, predicates, states, waiting channels, occupied blocks and counts.
        //   `validate` has checked that their offsets are below the limits, and `Code::lend` has
        //   compared the limits with the lengths. `frame` borrows the tables mutably, so no other
        //   code has them; `Lent` renews a pointer where it uses a table itself.
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
        //   The code calls only `abi::call`, with operands in the frame that it has written and
        //   that no other code uses then, and with a function that `self` keeps. An `extern "C"`
        //   function does not unwind. The code has no other effects.
        unsafe {
            let enter: Enter = std::mem::transmute::<*const u8, Enter>(start.add(self.entry));
            enter(frame, start.add(place))
        }
    }
}

impl Exit {
    /// Returns the exit with this number.
    #[inline(always)]
    fn of(number: u32) -> Self {
        let n = number >> exit::BITS;
        match number & ((1 << exit::BITS) - 1) {
            exit::BLOCK => Self::Block(n),
            exit::FULL => Self::Step { step: n, resume: Resume { step: n, some: false } },
            exit::SOME => Self::Step { step: n, resume: Resume { step: n, some: true } },
            _ => Self::End { block: n },
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
    pub(crate) full: Vec<Option<u32>>,
    pub(crate) functions: Vec<Function>,
    pub(crate) begin: [DenseByteSet; 2],
    pub(crate) written: DenseByteSet,
}

/// The function at [`Code::entry`]: it takes a frame and the place to begin at, and returns the
/// numbers of an exit and of its thread.
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
