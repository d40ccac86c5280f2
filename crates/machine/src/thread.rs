//! One hardware thread: its registers, masks and place in the program.

use crate::activation::Outer;
use crate::float::FloatMode;
use crate::flow::Flow;
use crate::lane::Element;

/// Bytes behind the last register that no operand names: kernels may read a whole vector where only
/// its beginning counts.
pub const SLACK: usize = 1024;

/// Where registers begin in the host's memory is a multiple of this, as their offsets mostly are: a
/// vector that lies across two cache lines takes longer to load.
const CACHE_LINE: usize = 64;

/// The general registers: one array of bytes, in which every variable has a fixed offset.
#[derive(Debug, Default)]
pub struct Registers {
    bytes: Vec<u8>,
    /// The first byte that is used. With 32 bits no sum of it and an offset wraps, which saves a
    /// check of each access.
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
    /// `len` zero bytes.
    #[inline]
    pub fn new(len: usize) -> Self {
        let bytes = vec![0; len + SLACK + CACHE_LINE];
        let first = bytes.as_ptr().align_offset(CACHE_LINE).min(CACHE_LINE) as u32;
        Self { bytes, first, len }
    }

    /// Size in bytes, without the slack.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// `N` values from `offset` on.
    ///
    /// # Panics
    /// When the offset is not inside; lowering has checked those that are fixed, and the others
    /// have been checked at run time.
    #[inline(always)]
    pub fn load<T: Element, const N: usize>(&self, offset: u32) -> [T; N] {
        let start = self.place(offset);
        T::load(&self.bytes[start..start + N * T::SIZE])
    }

    /// Replaces `N` values from `offset` on.
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

    /// One value.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn get<T: Element>(&self, offset: u32) -> T {
        let [value] = self.load(offset);
        value
    }

    /// Replaces one value.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn set<T: Element>(&mut self, offset: u32, value: T) {
        self.store(offset, &[value]);
    }

    /// The bytes from `offset` on, slack included.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn bytes(&self, offset: u32) -> &[u8] {
        &self.bytes[self.place(offset)..]
    }

    /// The bytes from `offset` on, slack included.
    ///
    /// # Panics
    /// As [`Registers::load`].
    #[inline(always)]
    pub fn bytes_mut(&mut self, offset: u32) -> &mut [u8] {
        let start = self.place(offset);
        &mut self.bytes[start..]
    }

    /// Whether `size` bytes at `offset` are registers.
    #[inline(always)]
    pub fn holds(&self, offset: u32, size: usize) -> bool {
        (offset as usize).checked_add(size).is_some_and(|end| end <= self.len)
    }
}

/// How the bits of a predicate become one bit a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Each channel its own bit.
    Each,
    /// All channels: whether any bit is set.
    Any,
    /// All channels: whether all bits are set.
    All,
}

/// Which channels an instruction is enabled for, as far as that is known before it runs
/// (5_operands.md, "Predication").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecMask {
    /// First channel of the execution mask that the instruction uses.
    pub shift: u32,
    /// One bit for each channel of the instruction.
    pub lanes: u32,
    /// All ones when the execution mask does not count (NoMask).
    pub always: u32,
    /// Index of the predicate; 0 for none.
    pub predicate: u32,
    /// How its bits combine.
    pub combine: Combine,
    /// All ones when its bits are turned over, after combining.
    pub inverse: u32,
}

impl ExecMask {
    /// All of the first `channels` channels, whatever the masks say.
    #[inline]
    pub fn all(channels: usize) -> Self {
        Self { shift: 0, lanes: ones(channels), always: u32::MAX, predicate: 0, combine: Combine::Each, inverse: 0 }
    }

    /// Whether it is that of one channel, which decides for all where it lets them go somewhere.
    #[inline]
    pub fn is_single(&self) -> bool {
        self.lanes == 1
    }
}

/// A mask with the first `channels` bits set.
#[inline(always)]
pub const fn ones(channels: usize) -> u32 {
    if channels >= 32 { u32::MAX } else { (1 << channels) - 1 }
}

/// The state of one hardware thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// General registers.
    pub registers: Registers,
    /// Predicates, by id; entry 0 is unused.
    pub predicates: Vec<u32>,
    /// Elements of all address variables, one variable after the other: offsets into the general
    /// registers.
    pub addresses: Vec<u32>,
    /// Elements of all surface variables, one variable after the other: binding-table indices.
    pub surfaces: Vec<u32>,
    /// Channels that execute the current instruction.
    pub active: u32,
    /// Channels that the thread was dispatched with.
    pub dispatched: u32,
    /// Floating-point mode.
    pub mode: FloatMode,
    /// Whether the mode is that of the host.
    pub plain: bool,
    /// Values of the control register that were taken over lately, and what they mean: that of the
    /// beginning and the program's.
    pub modes: [(u32, FloatMode); 2],
    /// Where the thread is in the program, and where its other channels wait.
    pub flow: Flow,
    /// For each function, how many activations of it have not returned; empty before the first
    /// call.
    pub activations: Vec<u32>,
    /// Activations that wait for inner ones of the same function, innermost last.
    pub outer: Vec<Outer>,
    /// Index of the thread in its group.
    pub index: u32,
    /// Barriers that the thread has signalled since its group looked: a named one and its number of
    /// threads, or that of the group.
    pub signals: Vec<Option<(u32, u32)>>,
    /// Instructions executed.
    pub executed: u64,
    /// How many of them until others have their turn.
    pub until: u64,
    /// Reads of surfaces beyond their end.
    pub outside_reads: u64,
    /// Writes to surfaces beyond their end.
    pub outside_writes: u64,
}

impl Thread {
    /// A thread with nothing but `bytes` bytes of registers.
    pub fn scratch(bytes: usize) -> Self {
        Self {
            registers: Registers::new(bytes),
            predicates: Vec::new(),
            addresses: Vec::new(),
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
            until: 0,
            outside_reads: 0,
            outside_writes: 0,
        }
    }

    /// Whether the floating-point mode is that of the host.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The channels that an instruction is executed for, channel 0 of the instruction in bit 0.
    #[inline(always)]
    pub fn enabled(&self, enable: &ExecMask) -> u32 {
        let mut enabled = (self.active | enable.always) >> enable.shift & enable.lanes;
        if enable.predicate != 0 {
            enabled &= self.predicate_lanes(enable);
        }
        enabled
    }

    /// The active channels that a branch is for. Where all do the same, the first channel's
    /// predicate decides for them.
    #[inline(always)]
    pub fn taken(&self, enable: &ExecMask, uniform: bool) -> u32 {
        if uniform {
            let decides = enable.predicate == 0 || self.predicate_lanes(enable) & 1 == 1;
            return if decides { self.active } else { 0 };
        }
        self.enabled(enable) << enable.shift & self.active
    }

    /// The bits of an instruction's predicate, for its channels, combined and turned over as it
    /// asks.
    #[inline(never)]
    pub fn predicate_lanes(&self, enable: &ExecMask) -> u32 {
        let bits = self.predicates[enable.predicate as usize] >> enable.shift & enable.lanes;
        let combined = match enable.combine {
            Combine::Each => bits,
            Combine::Any if bits != 0 => u32::MAX,
            Combine::All if bits == enable.lanes => u32::MAX,
            Combine::Any | Combine::All => 0,
        };
        (combined ^ enable.inverse) & enable.lanes
    }

    /// Replaces the bits of a predicate for the enabled channels of an instruction.
    #[inline(always)]
    pub fn set_predicate(&mut self, id: u32, shift: u32, enabled: u32, bits: u32) {
        let predicate = &mut self.predicates[id as usize];
        *predicate = *predicate & !(enabled << shift) | (bits & enabled) << shift;
    }

    /// Takes over a new value of the control register.
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
