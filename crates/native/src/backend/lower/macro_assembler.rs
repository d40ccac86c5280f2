//! The macro assembler: code being written, and the values that the host's registers hold there.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::asm::assembler::Assembler;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Op, Vector, Width, at};
use crate::backend::lower::cache::{ByteRange, CachedValue, PendingStore, RampElements, RegisterCache};
use crate::backend::lower::host_registers::{ELEMENT, FILE, FRAME};
use crate::backend::lower::patterns::{bytes_of, multiples};
use crate::ir::{Function, Mask};
use crate::runtime::host::Level;

/// The most channels of a step.
const LANES: u32 = 32;

/// Number of vector registers that are free when a step begins.
const ROOM: usize = 8;

/// Code being written, and the values that the host's registers hold there.
pub(crate) struct MacroAssembler {
    pub(crate) asm: Assembler,
    pub(crate) cache: RegisterCache,
    /// The mask whose channels are in [`ENABLED`](crate::backend::lower::host_registers::ENABLED).
    pub(crate) enabled: Option<Mask>,
    /// True for mask registers and vectors of 64 bytes: AVX-512.
    pub(crate) has_bits: bool,
    /// True in code of blocks whose channels are all active.
    pub(crate) is_full: bool,
    /// True in code that only some paths execute, where pending stores must not be written.
    pub(crate) is_branching: bool,
    /// Functions whose addresses are embedded in the code.
    pub(crate) functions: Vec<Function>,
}

impl MacroAssembler {
    /// Returns a macro assembler without code.
    pub(crate) fn new(level: Level) -> Self {
        let has_bits = level == Level::Avx512;
        Self {
            asm: Assembler::new(),
            cache: RegisterCache::new(has_bits),
            enabled: None,
            has_bits,
            is_full: true,
            is_branching: false,
            functions: Vec::new(),
        }
    }

    /// Returns the width of the widest vectors.
    pub(crate) fn widest(&self) -> Width {
        if self.has_bits { Width::Z } else { Width::Y }
    }

    /// Returns true if all channels of a mask are enabled here.
    pub(crate) fn is_all(&self, mask: &Mask) -> bool {
        mask.predicate == 0 && (mask.always || self.is_full)
    }

    /// Returns a register with a value that can be loaded, and adds a user.
    pub(crate) fn value(&mut self, tag: CachedValue) -> Option<Vector> {
        if let Some(held) = self.held(tag) {
            return Some(held);
        }
        if let CachedValue::Contiguous { at, bytes } | CachedValue::Splat { at, bytes, .. } = tag {
            self.write_what(|place| place.touches(ByteRange { at, bytes }))?;
        }
        let d = self.cache.take()?;
        self.load(d, &tag);
        self.cache.name(d, tag);
        Some(d)
    }

    /// Returns a register with a value that the registers determine, and adds a user.
    pub(crate) fn held(&mut self, tag: CachedValue) -> Option<Vector> {
        if let Some(found) = self.cache.find(&tag) {
            return Some(found);
        }
        let derived = self.derive(&tag)?;
        self.cache.name(derived, tag);
        Some(derived)
    }

    /// Computes a value from those of other registers: a load of what was just stored would wait,
    /// and longest for two narrow stores.
    fn derive(&mut self, tag: &CachedValue) -> Option<Vector> {
        match *tag {
            // The upper half of a known value.
            CachedValue::Contiguous { at, bytes: bytes @ (16 | 32) }
                if let Some(whole) = self.upper_of(at, bytes) =>
            {
                let part = self.cache.take();
                self.cache.drop(whole);
                let part = part?;
                self.asm.upper_half(Width::of(bytes * 2), part, whole);
                Some(part)
            }
            CachedValue::Contiguous { at, bytes } => {
                let joined = if bytes == 8 { self.join_dwords(at) } else { None };
                joined.or_else(|| self.ramp_part(ByteRange { at, bytes }))
            }
            CachedValue::Splat { at, bytes, width } => {
                let first = self.cache.find(&CachedValue::Contiguous { at, bytes });
                let first = first.or_else(|| self.derive(&CachedValue::Contiguous { at, bytes }))?;
                let all = self.cache.take();
                self.cache.drop(first);
                let all = all?;
                self.asm.v2(broadcast_first(bytes), width, all, first, Width::X);
                Some(all)
            }
            _ => None,
        }
    }

    /// Finds a register of whose value the bytes at `at` are the upper half, and adds a user.
    fn upper_of(&mut self, at: u32, bytes: u32) -> Option<Vector> {
        self.cache.find(&CachedValue::Contiguous { at: at.checked_sub(bytes)?, bytes: bytes * 2 })
    }

    /// Computes elements of a pending ramp.
    fn ramp_part(&mut self, place: ByteRange) -> Option<Vector> {
        let (first, all, ramp) = self.cache.find_ramp(place)?;
        let part = self.cache.take();
        self.cache.drop(first);
        let part = part?;
        self.spread_ramp(part, first, ramp, (place.at - all.at, place.bytes));
        Some(part)
    }

    /// Computes the elements of a ramp from a distance in bytes on.
    fn spread_ramp(&mut self, d: Vector, first: Vector, ramp: RampElements, (from, bytes): (u32, u32)) {
        let w = Width::of(bytes);
        self.asm.v2(broadcast_first(ramp.bytes), w, d, first, Width::X);
        if ramp.step > 0 {
            let distances = self.asm.constant_from(multiples(ramp.bytes, ramp.step, LANES), from);
            self.asm.v3(add(ramp.bytes), w, d, d, distances);
        }
    }

    /// Stores a pending value to the register file, with `scratch`.
    pub(crate) fn store_pending(&mut self, vector: Vector, pending: PendingStore, scratch: Vector) {
        let ByteRange { at: place, bytes } = pending.place;
        let Some(ramp) = pending.ramp else { return self.store_file(place, bytes, vector) };
        let row = bytes.min(self.widest().bytes());
        for from in (0..bytes).step_by(row as usize) {
            // Without a free register, the first element is that of the row before.
            let distance = if scratch == vector { from.min(row) } else { from };
            self.spread_ramp(scratch, vector, ramp, (distance, row));
            self.store_file(place + from, row, scratch);
        }
    }

    /// Stores a pending value in hot code, and settles it.
    fn write_pending(&mut self, vector: Vector, pending: PendingStore) -> Option<()> {
        let scratch = if pending.ramp.is_some() { self.cache.take() } else { Some(vector) };
        match scratch {
            Some(scratch) => {
                self.store_pending(vector, pending, scratch);
                if scratch != vector {
                    self.cache.drop(scratch);
                }
                self.cache.settle(vector);
            }
            None => {
                (!self.cache.is_used(vector)).then_some(())?;
                self.store_pending(vector, pending, vector);
                self.cache.spoil(vector);
            }
        }
        Some(())
    }

    /// Joins two dwords that registers hold.
    fn join_dwords(&mut self, at: u32) -> Option<Vector> {
        let low = self.cache.find(&CachedValue::Contiguous { at, bytes: 4 })?;
        let high = self.cache.find(&CachedValue::Contiguous { at: at + 4, bytes: 4 });
        let joined = if high.is_some() { self.cache.take() } else { None };
        if let (Some(high), Some(joined)) = (high, joined) {
            self.asm.v3(op::PUNPCKLDQ, Width::X, joined, low, high);
        }
        [Some(low), high].into_iter().flatten().for_each(|vector| self.cache.drop(vector));
        joined
    }

    /// Returns a register with a number in all elements.
    pub(crate) fn number(&mut self, bits: u64, bytes: u32, width: Width) -> Option<Vector> {
        self.value(CachedValue::Number { bits, bytes, width })
    }

    /// Returns `a` if it is dead, otherwise a copy.
    pub(crate) fn copy(&mut self, a: Vector, width: Width) -> Option<Vector> {
        if self.cache.is_temporary(a) {
            return Some(a);
        }
        self.duplicate(a, width)
    }

    /// Returns `a` if it has no known value, otherwise a copy. Passes the caller's use on.
    pub(crate) fn own(&mut self, a: Vector, width: Width) -> Option<Vector> {
        if self.cache.is_known(a) { self.duplicate(a, width) } else { Some(a) }
    }

    /// Returns a copy of `a`, to which the caller's use passes.
    fn duplicate(&mut self, a: Vector, width: Width) -> Option<Vector> {
        let d = self.cache.take()?;
        self.asm.v2(op::MOVUPS, width, d, a, width);
        self.cache.drop(a);
        Some(d)
    }

    /// Loads `bytes` bytes.
    pub(crate) fn load_bytes(&mut self, d: Vector, bytes: u32, memory: MemoryOperand) {
        let x = d.register(Width::X);
        match bytes {
            16 | 32 | 64 => self.asm.load(op::MOVUPS, Width::of(bytes), d, memory),
            8 => self.asm.rm(Code::VEX_Vmovq_xmm_xmmm64, x, memory),
            4 => self.asm.rm(Code::VEX_Vmovd_xmm_rm32, x, memory),
            _ => {
                let code = if bytes == 2 { Code::Movzx_r32_rm16 } else { Code::Movzx_r32_rm8 };
                self.asm.rm(code, Register::EDX, memory);
                self.asm.rr(Code::VEX_Vmovd_xmm_rm32, x, Register::EDX);
            }
        }
    }

    /// Loads an element to all elements.
    pub(crate) fn load_splat(&mut self, d: Vector, (bytes, width): (u32, Width), memory: MemoryOperand) {
        self.asm.load(broadcast(bytes), width, d, memory);
    }

    /// Loads a value that does not depend on masks.
    pub(crate) fn load(&mut self, d: Vector, tag: &CachedValue) {
        match *tag {
            CachedValue::Contiguous { at: place, bytes } => self.load_bytes(d, bytes, at(FILE, place)),
            CachedValue::Splat { at: place, bytes, width } => self.load_splat(d, (bytes, width), at(FILE, place)),
            CachedValue::Number { bits: 0, .. } => self.asm.v3(op::PXOR, Width::X, d, d, d),
            CachedValue::Number { bits, bytes, width } => {
                let constant = self.asm.constant(bytes_of(bits, bytes));
                self.asm.load(broadcast(bytes), width, d, constant);
            }
            CachedValue::Enabled { .. } | CachedValue::Bits { .. } => {}
        }
    }

    /// Stores the first `bytes` bytes of a vector to the register file.
    pub(crate) fn store_file(&mut self, place: u32, bytes: u32, a: Vector) {
        self.store_bytes(at(FILE, place), bytes, a);
    }

    /// Stores the first `bytes` bytes of a vector.
    pub(crate) fn store_bytes(&mut self, memory: MemoryOperand, bytes: u32, a: Vector) {
        let x = a.register(Width::X);
        match bytes {
            16 | 32 | 64 => self.asm.store(op::MOVUPS_STORE, Width::of(bytes), memory, a),
            8 => self.asm.mr(Code::VEX_Vmovq_xmmm64_xmm, memory, x),
            4 => self.asm.mr(Code::VEX_Vmovd_rm32_xmm, memory, x),
            _ => {
                self.asm.rr(Code::VEX_Vmovd_rm32_xmm, Register::EDX, x);
                if bytes == 2 {
                    self.asm.mr(Code::Mov_rm16_r16, memory, Register::DX);
                } else {
                    self.asm.mr(Code::Mov_rm8_r8, memory, Register::DL);
                }
            }
        }
    }

    /// Writes the pending stores to places that `which` accepts. Returns `None` in code that only
    /// some paths execute.
    pub(crate) fn write_what(&mut self, which: impl Fn(ByteRange) -> bool) -> Option<()> {
        while let Some((vector, pending)) = self.cache.unwritten_of(&which) {
            (!self.is_branching).then_some(())?;
            self.write_pending(vector, pending)?;
        }
        Some(())
    }

    /// Writes all pending stores.
    pub(crate) fn write_all(&mut self) {
        let _ = self.write_what(|_| true);
    }

    /// Writes the pending stores that overlap `place`, which a step is about to overwrite, except
    /// for those inside it.
    pub(crate) fn give_way(&mut self, place: ByteRange) -> Option<()> {
        self.write_what(|other| other.touches(place) && !other.is_inside(place))
    }

    /// Writes pending stores until a step has enough vector registers.
    pub(crate) fn make_room(&mut self) {
        while let Some(vector) = self.cache.in_the_way(ROOM) {
            if let Some(pending) = self.cache.owed(vector) {
                let _ = self.write_pending(vector, pending);
            }
            self.cache.settle(vector);
        }
    }

    /// Loads an element of 1, 2, 4 or 8 bytes to [`ELEMENT`].
    pub(crate) fn load_element(&mut self, bytes: u32, from: MemoryOperand) {
        let (code, to) = match bytes {
            1 => (Code::Movzx_r32_rm8, Register::R11D),
            2 => (Code::Movzx_r32_rm16, Register::R11D),
            4 => (Code::Mov_r32_rm32, Register::R11D),
            _ => (Code::Mov_r64_rm64, ELEMENT),
        };
        self.asm.rm(code, to, from);
    }

    /// Stores the element of 1, 2, 4 or 8 bytes in [`ELEMENT`].
    pub(crate) fn store_element(&mut self, bytes: u32, to: MemoryOperand) {
        let (code, from) = match bytes {
            1 => (Code::Mov_rm8_r8, Register::R11L),
            2 => (Code::Mov_rm16_r16, Register::R11W),
            4 => (Code::Mov_rm32_r32, Register::R11D),
            _ => (Code::Mov_rm64_r64, ELEMENT),
        };
        self.asm.mr(code, to, from);
    }

    /// Loads a field of the frame.
    pub(crate) fn frame(&mut self, register: Register, place: u32) {
        self.asm.rm(Code::Mov_r64_rm64, register, at(FRAME, place));
    }

    /// Writes cold code in which the current values are known. A label must lead to it, and the
    /// code must lead back.
    pub(crate) fn cold<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let hot = self.enter_cold();
        let result = write(self);
        self.leave_cold(hot);
        result
    }

    /// Begins cold code. [`leave_cold`](Self::leave_cold) restores the current values.
    pub(crate) fn enter_cold(&mut self) -> Hot {
        self.asm.enter_cold();
        Hot { cache: self.cache.clone(), enabled: self.enabled }
    }

    /// Ends cold code.
    pub(crate) fn leave_cold(&mut self, hot: Hot) {
        self.asm.leave_cold();
        let cold = std::mem::replace(&mut self.cache, hot.cache);
        self.cache.lose(&cold);
        self.enabled = hot.enabled;
    }
}

/// Values that are known in the hot code while cold code is written.
pub(crate) struct Hot {
    cache: RegisterCache,
    enabled: Option<Mask>,
}

/// Returns the instruction that loads an element to all places.
fn broadcast(bytes: u32) -> Op {
    if bytes == 4 { op::BROADCASTSS } else { broadcast_first(bytes) }
}

/// Returns the instruction that adds integers.
pub(crate) fn add(bytes: u32) -> Op {
    match bytes {
        1 => op::PADDB,
        2 => op::PADDW,
        4 => op::PADDD,
        _ => op::PADDQ,
    }
}

/// Returns the instruction that copies the first element of a register to all places.
fn broadcast_first(bytes: u32) -> Op {
    match bytes {
        1 => op::BROADCASTB,
        2 => op::BROADCASTW,
        4 => op::BROADCASTD,
        _ => op::BROADCASTQ,
    }
}
