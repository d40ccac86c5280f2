//! State of a hardware thread: registers, masks and program position.

use crate::float::FloatMode;
use crate::flow::{Flow, Waiting};
use crate::lane::Element;

/// Padding bytes after the last register. Kernels may load a whole vector where only its first
/// values matter.
pub const SLACK: usize = 1024;

/// Alignment of the register file in host memory. A vector load across two cache lines is slower.
const CACHE_LINE: usize = 64;

/// General registers: one byte array, in which every variable has a fixed offset.
#[derive(Debug, Default)]
pub struct Registers {
    bytes: Vec<u8>,
    /// Index of the first used byte. As a 32-bit number its sum with an offset cannot wrap, which
    /// saves a check per access.
    first: u32,
    len: usize,
}

impl Clone for Registers {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.len);
        copy.bytes_mut(0)[..self.len].copy_from_slice(&self.bytes(0)[..self.len]);
        copy
    }
}

impl Registers {
    /// Returns a register file of `len` zero bytes.
    #[inline]
    pub fn new(len: usize) -> Self {
        let bytes = vec![0; len + SLACK + CACHE_LINE];
        let first = bytes.as_ptr().align_offset(CACHE_LINE).min(CACHE_LINE) as u32;
        Self { bytes, first, len }
    }

    /// Returns the size in bytes without the padding.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the size is zero.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Loads `N` values from `offset`.
    ///
    /// # Panics
    /// If the offset is out of range. Lowering has checked fixed offsets, and a run-time check
    /// covers indirect ones.
    #[inline(always)]
    pub fn load<T: Element, const N: usize>(&self, offset: u32) -> [T; N] {
        let start = self.place(offset);
        T::load(&self.bytes[start..start + N * T::SIZE])
    }

    /// Stores `N` values from `offset`.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn store<T: Element, const N: usize>(&mut self, offset: u32, lanes: &[T; N]) {
        let start = self.place(offset);
        T::store(&mut self.bytes[start..start + N * T::SIZE], lanes);
    }

    #[inline(always)]
    fn place(&self, offset: u32) -> usize {
        self.first as usize + offset as usize
    }

    /// Loads one value.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn get<T: Element>(&self, offset: u32) -> T {
        let [value] = self.load(offset);
        value
    }

    /// Stores one value.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn set<T: Element>(&mut self, offset: u32, value: T) {
        self.store(offset, &[value]);
    }

    /// Returns the bytes from `offset`, including the padding.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn bytes(&self, offset: u32) -> &[u8] {
        &self.bytes[self.place(offset)..]
    }

    /// Returns the bytes from `offset`, including the padding.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn bytes_mut(&mut self, offset: u32) -> &mut [u8] {
        let start = self.place(offset);
        &mut self.bytes[start..]
    }

    /// Returns true if `size` bytes at `offset` are inside the register file.
    #[inline(always)]
    pub fn holds(&self, offset: u32, size: usize) -> bool {
        (offset as usize).checked_add(size).is_some_and(|end| end <= self.len)
    }
}

/// Reduction of a predicate's bits to one bit per channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// No reduction: each channel uses its own bit.
    Each,
    /// All channels are enabled if any of these bits, the predicate's elements, is set.
    Any(u32),
    /// All channels are enabled if all of these bits, the predicate's elements, are set.
    All(u32),
}

/// Static part of an instruction's enable mask (5_operands.md, "Predication").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecMask {
    /// First channel of the execution mask that the instruction uses.
    pub shift: u32,
    /// Channels of the instruction, one bit each.
    pub lanes: u32,
    /// All ones if the instruction ignores the execution mask (NoMask), otherwise zero.
    pub always: u32,
    /// Index of the predicate; 0 for none.
    pub predicate: u32,
    /// Reduction of the predicate's bits.
    pub combine: Combine,
    /// All ones if the predicate is inverted, after the reduction; otherwise zero.
    pub inverse: u32,
}

impl ExecMask {
    /// Returns a mask that enables the first `channels` channels unconditionally.
    #[inline]
    pub fn all(channels: usize) -> Self {
        Self { shift: 0, lanes: ones(channels), always: u32::MAX, predicate: 0, combine: Combine::Each, inverse: 0 }
    }

    /// Returns true for a single channel, which decides a branch for all channels.
    #[inline]
    pub fn is_single(&self) -> bool {
        self.lanes == 1
    }
}

/// Returns a mask with the first `channels` bits set.
#[inline(always)]
pub const fn ones(channels: usize) -> u32 {
    if channels >= 32 { u32::MAX } else { (1 << channels) - 1 }
}

/// State of a hardware thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// General registers.
    pub registers: Registers,
    /// Predicates, by id; entry 0 is unused.
    pub predicates: Vec<u32>,
    /// Elements of all surface variables, consecutively: binding-table indices.
    pub surfaces: Vec<u32>,
    /// Active channels.
    pub active: u32,
    /// Channels enabled at dispatch.
    pub dispatched: u32,
    /// Floating-point mode.
    pub mode: FloatMode,
    /// True if the mode matches host arithmetic.
    pub plain: bool,
    /// Recent values of the control register with their decoded modes: the initial one and the
    /// program's.
    pub modes: [(u32, FloatMode); 2],
    /// Control flow: the current block and the waiting channels.
    pub flow: Flow,
    /// Activations of each function; empty before the first call.
    pub activations: Vec<Activations>,
    /// Saved activations of recursive functions, innermost last.
    pub outer: Vec<Outer>,
    /// Index of the thread in its group.
    pub index: u32,
    /// Barriers that the thread has signalled since its group last polled: a named barrier with its
    /// number of threads, or the group's.
    pub signals: Vec<Option<(u32, u32)>>,
    /// Number of executed instructions.
    pub executed: u64,
    /// Value of `executed` when the thread last read the clock.
    pub timed: u64,
    /// Value of `executed` at which the time slice ends.
    pub until: u64,
    /// Number of surface reads past the end.
    pub outside_reads: u64,
    /// Number of surface writes past the end.
    pub outside_writes: u64,
}

/// Activations of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activations {
    /// Number of open activations.
    pub open: u32,
    /// True if the thread has called the function.
    pub is_used: bool,
}

/// Saved state of an activation that waits for an inner one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outer {
    pub(crate) waiting: Waiting,
    pub(crate) registers: [Vec<u8>; 2],
    pub(crate) predicates: Vec<u32>,
    pub(crate) states: Vec<u32>,
}

impl Thread {
    /// Returns a thread that only has `bytes` bytes of registers.
    pub fn scratch(bytes: usize) -> Self {
        Self {
            registers: Registers::new(bytes),
            predicates: Vec::new(),
            surfaces: Vec::new(),
            active: 0,
            dispatched: 0,
            mode: FloatMode::PLAIN,
            plain: true,
            modes: [(0, FloatMode::from_bits(0)); 2],
            flow: Flow::default(),
            activations: Vec::new(),
            outer: Vec::new(),
            index: 0,
            signals: Vec::new(),
            executed: 0,
            timed: 0,
            until: 0,
            outside_reads: 0,
            outside_writes: 0,
        }
    }

    /// Returns true if the floating-point mode matches host arithmetic.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Returns the enabled channels of an instruction, with its channel 0 in bit 0.
    #[inline(always)]
    pub fn enabled(&self, enable: &ExecMask) -> u32 {
        let mut enabled = (self.active | enable.always) >> enable.shift & enable.lanes;
        if enable.predicate != 0 {
            enabled &= self.predicate_lanes(enable);
        }
        enabled
    }

    /// Returns the active channels that take a branch. For a uniform branch, the first channel's
    /// predicate decides for all channels.
    #[inline(always)]
    pub fn taken(&self, enable: &ExecMask, uniform: bool) -> u32 {
        if uniform {
            let decides = enable.predicate == 0 || self.predicate_lanes(enable) & 1 == 1;
            return if decides { self.active } else { 0 };
        }
        self.enabled(enable) << enable.shift & self.active
    }

    /// Returns an instruction's predicate bits for its channels, after reduction and inversion.
    #[inline(never)]
    pub fn predicate_lanes(&self, enable: &ExecMask) -> u32 {
        let bits = self.predicates[enable.predicate as usize];
        let combined = match enable.combine {
            Combine::Each => bits >> enable.shift,
            Combine::Any(elements) if bits & elements != 0 => u32::MAX,
            Combine::All(elements) if bits & elements == elements => u32::MAX,
            Combine::Any(_) | Combine::All(_) => 0,
        };
        (combined ^ enable.inverse) & enable.lanes
    }

    /// Sets a predicate's bits for the enabled channels of an instruction.
    #[inline(always)]
    pub fn set_predicate(&mut self, id: u32, shift: u32, enabled: u32, bits: u32) {
        let predicate = &mut self.predicates[id as usize];
        *predicate = *predicate & !(enabled << shift) | (bits & enabled) << shift;
    }

    /// Sets the control register.
    #[inline]
    pub fn set_mode(&mut self, control: u32) {
        let known = &mut self.modes[usize::from(control != 0)];
        if known.0 != control {
            *known = (control, FloatMode::from_bits(control));
        }
        self.mode = known.1;
        self.plain = self.mode.is_plain();
    }
}
