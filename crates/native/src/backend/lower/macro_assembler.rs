//! The macro assembler: code being written, and the values that the host's registers hold there.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::asm::assembler::Assembler;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Op, Vector, Width, at};
use crate::backend::lower::cache::{ByteRange, RegisterCache, Tag};
use crate::backend::lower::host_registers::{FILE, FRAME};
use crate::backend::lower::patterns::bytes_of;
use crate::ir::{Function, Mask};
use crate::runtime::host::Level;

/// How many vector registers a step finds free.
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
    /// True in code that only some paths run: pending stores must not be written there.
    pub(crate) is_branching: bool,
    /// Functions whose addresses stand in the code.
    pub(crate) functions: Vec<Function>,
}

impl MacroAssembler {
    /// Returns an empty one for a level of vector instructions.
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

    /// The widest vectors that there are.
    pub(crate) fn widest(&self) -> Width {
        if self.has_bits { Width::Z } else { Width::Y }
    }

    /// Whether all channels of a mask are enabled wherever this is.
    pub(crate) fn is_all(&self, mask: &Mask) -> bool {
        mask.predicate == 0 && (mask.always || self.is_full)
    }

    /// A register with something that can be loaded, which one more user needs.
    pub(crate) fn value(&mut self, tag: Tag) -> Option<Vector> {
        if let Some(found) = self.cache.find(&tag) {
            return Some(found);
        }
        // The upper half of what is known.
        if let Tag::Contiguous { at, bytes: bytes @ (16 | 32) } = tag
            && let Some(whole) =
                at.checked_sub(bytes).and_then(|at| self.cache.find(&Tag::Contiguous { at, bytes: bytes * 2 }))
        {
            let part = self.cache.take();
            self.cache.drop(whole);
            let part = part?;
            self.asm.upper_half(Width::of(bytes * 2), part, whole);
            self.cache.name(part, tag);
            return Some(part);
        }
        if let Tag::Contiguous { at, bytes } | Tag::Splat { at, bytes, .. } = tag {
            self.write_what(|place| place.touches(ByteRange { at, bytes }))?;
        }
        let d = self.cache.take()?;
        self.load(d, &tag);
        self.cache.name(d, tag);
        Some(d)
    }

    /// A number in all elements.
    pub(crate) fn number(&mut self, bits: u64, bytes: u32, width: Width) -> Option<Vector> {
        self.value(Tag::Number { bits, bytes, width })
    }

    /// A register of which nobody else needs what it holds, with that.
    pub(crate) fn copy(&mut self, a: Vector, width: Width) -> Option<Vector> {
        if self.cache.is_temporary(a) {
            return Some(a);
        }
        let d = self.cache.take()?;
        self.asm.v2(op::MOVUPS, width, d, a, width);
        self.cache.drop(a);
        Some(d)
    }

    /// Loads something that does not depend on masks.
    pub(crate) fn load(&mut self, d: Vector, tag: &Tag) {
        let x = d.register(Width::X);
        match *tag {
            Tag::Contiguous { at: place, bytes } => {
                let memory = at(FILE, place);
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
            Tag::Splat { at: place, bytes, width } => {
                self.asm.load(broadcast(bytes), width, d, at(FILE, place));
            }
            Tag::Number { bits: 0, .. } => self.asm.v3(op::PXOR, Width::X, d, d, d),
            Tag::Number { bits, bytes, width } => {
                let constant = self.asm.constant(bytes_of(bits, bytes));
                self.asm.load(broadcast(bytes), width, d, constant);
            }
            Tag::Enabled { .. } | Tag::Bits { .. } => {}
        }
    }

    /// Writes the first `bytes` bytes of a vector to the registers.
    pub(crate) fn store_row(&mut self, place: u32, bytes: u32, a: Vector) {
        self.store_bytes(at(FILE, place), bytes, a);
    }

    /// Writes the first `bytes` bytes of a vector.
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

    /// Writes what has not been written of some places. Nothing where that is not on every way.
    pub(crate) fn write_what(&mut self, which: impl Fn(ByteRange) -> bool) -> Option<()> {
        while let Some((vector, place)) = self.cache.unwritten_of(&which) {
            (!self.is_branching).then_some(())?;
            self.store_row(place.at, place.bytes, vector);
            self.cache.settle(vector);
        }
        Some(())
    }

    /// Writes all that has not been written.
    pub(crate) fn write_all(&mut self) {
        let _ = self.write_what(|_| true);
    }

    /// Writes what has not been written of some bytes that a step is about to write all of, but for
    /// what it replaces.
    pub(crate) fn give_way(&mut self, place: ByteRange) -> Option<()> {
        self.write_what(|other| other.touches(place) && !other.is_inside(place))
    }

    /// Sees to it that there are vector registers for a step.
    pub(crate) fn make_room(&mut self) {
        while let Some(vector) = self.cache.in_the_way(ROOM) {
            if let Some(place) = self.cache.owed(vector) {
                self.store_row(place.at, place.bytes, vector);
            }
            self.cache.settle(vector);
        }
    }

    /// Something in the frame.
    pub(crate) fn frame(&mut self, register: Register, place: u32) {
        self.asm.rm(Code::Mov_r64_rm64, register, at(FRAME, place));
    }

    /// Writes cold code with what is known here. A label has to lead there, and the code has to
    /// lead back.
    pub(crate) fn cold<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let hot = self.enter_cold();
        let result = write(self);
        self.leave_cold(hot);
        result
    }

    /// Begins cold code; what is known here is what [`leave_cold`](Self::leave_cold) returns to.
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

/// What is known in the hot code while cold code is written.
pub(crate) struct Hot {
    cache: RegisterCache,
    enabled: Option<Mask>,
}

/// The instruction that puts an element everywhere.
fn broadcast(bytes: u32) -> Op {
    match bytes {
        1 => op::BROADCASTB,
        2 => op::BROADCASTW,
        4 => op::BROADCASTSS,
        _ => op::BROADCASTQ,
    }
}
