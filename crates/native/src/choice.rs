//! Elements that are chosen: by ones in a vector or, with AVX-512, by bits in a register for that.

use iced_x86::{Code, MemoryOperand, Register};

use crate::asm::{Label, Op, Vector, Width};
use crate::cache::Tag;
use crate::emit::{ENABLED, Emitter, byte_places, channel_bits};
use crate::ir::Mask;
use crate::op;
use crate::transfer::Channels;

/// The bits of enabled channels.
const CHOSEN: Register = Register::K1;
/// The bits of an answer, until the next question.
pub(crate) const ANSWER: Register = Register::K2;

/// Which elements are meant.
#[derive(Clone, Copy)]
pub(crate) enum Choice {
    /// Those that are all ones in a vector.
    Ones(Vector),
    /// Those whose bits are set in [`CHOSEN`], until another mask is asked for.
    Bits,
}

impl Emitter<'_> {
    /// The elements of the enabled channels from `first` on; nothing when all are enabled.
    pub(crate) fn enabled_elements(
        &mut self,
        mask: &Mask,
        first: u32,
        bytes: u32,
        width: Width,
    ) -> Option<Option<Choice>> {
        if mask.predicate == 0 && (mask.always || self.is_full) {
            return Some(None);
        }
        if self.has_bits {
            self.enabled(mask);
            self.choose(first);
            return Some(Some(Choice::Bits));
        }
        let tag = Tag::Enabled { mask: *mask, first, bytes, width };
        if let Some(found) = self.cache.find(&tag) {
            return Some(Some(Choice::Ones(found)));
        }
        self.enabled(mask);
        let d = self.cache.take()?;
        self.spread_bits(d, first, bytes);
        self.cache.name(d, Tag::Enabled { mask: *mask, first, bytes, width: Width::Y });
        Some(Some(Choice::Ones(d)))
    }

    /// The bits of [`ENABLED`] from `first` on become those of [`CHOSEN`].
    fn choose(&mut self, first: u32) {
        let Some(enabled) = &mut self.enabled else { return };
        if enabled.chosen.replace(first) == Some(first) {
            return;
        }
        let mut from = ENABLED;
        if first > 0 {
            from = Register::ECX;
            self.asm.r2i(Code::VEX_Rorx_r32_rm32_imm8, from, ENABLED, first as i32);
        }
        self.asm.rr(Code::VEX_Kmovd_kr_r32, CHOSEN, from);
    }

    /// Makes of the bits of [`ENABLED`] the elements of 32 bytes.
    pub(crate) fn spread_bits(&mut self, d: Vector, first: u32, bytes: u32) {
        let (x, y) = (Width::X, Width::Y);
        let mut from = ENABLED;
        if bytes <= 2 && first > 0 {
            self.asm.rr(Code::Mov_r32_rm32, Register::ECX, ENABLED);
            self.asm.ri(Code::Shr_rm32_imm8, Register::ECX, first as i32);
            from = Register::ECX;
        }
        let d_x = d.register(x);
        self.asm.rr(Code::VEX_Vmovd_xmm_rm32, d_x, from);
        match bytes {
            1 => {
                self.asm.v2(op::BROADCASTD, y, d, d, x);
                let places = self.asm.constant(&byte_places());
                self.asm.v3(op::PSHUFB, y, d, d, places);
            }
            2 => self.asm.v2(op::BROADCASTW, y, d, d, x),
            4 => self.asm.v2(op::BROADCASTD, y, d, d, x),
            _ => self.asm.v2(op::BROADCASTQ, y, d, d, x),
        }
        let equal = match bytes {
            1 => op::PCMPEQB,
            2 => op::PCMPEQW,
            4 => op::PCMPEQD,
            _ => op::PCMPEQQ,
        };
        let channels = self.asm.constant(&channel_bits(bytes, if bytes <= 2 { 0 } else { first }));
        self.asm.v3(op::PAND, y, d, d, channels);
        self.asm.v3(equal, y, d, d, channels);
    }

    /// One user less of what chooses.
    pub(crate) fn drop_choice(&mut self, choice: Choice) {
        if let Choice::Ones(vector) = choice {
            self.cache.drop(vector);
        }
    }

    /// `d = yes` in the elements that are chosen, else `no`.
    pub(crate) fn blend(&mut self, bytes: u32, w: Width, d: Vector, [no, yes]: [Vector; 2], choice: Choice) {
        match choice {
            Choice::Ones(ones) => self.asm.v4(op::PBLENDVB, w, d, no, yes, ones),
            Choice::Bits => self.asm.blend(blend(bytes), w, d, [no, yes], CHOSEN),
        }
    }

    /// `d = yes` where the last answer was yes, else `no`.
    pub(crate) fn blend_by_answer(&mut self, bytes: u32, w: Width, d: Vector, both: [Vector; 2]) {
        self.asm.blend(blend(bytes), w, d, both, ANSWER);
    }

    /// Reads the dwords that are chosen.
    pub(crate) fn load_where(&mut self, w: Width, d: Vector, choice: Choice, memory: MemoryOperand) {
        match choice {
            Choice::Ones(ones) => self.asm.load_where(op::MASKMOVD, w, d, ones, memory),
            Choice::Bits => self.asm.load_bits(op::MOVDQU32, w, d, CHOSEN, memory),
        }
    }

    /// Writes the dwords that are chosen.
    pub(crate) fn store_where(&mut self, w: Width, memory: MemoryOperand, choice: Choice, a: Vector) {
        match choice {
            Choice::Ones(ones) => self.asm.store_where(op::MASKMOVD_STORE, w, memory, ones, a),
            Choice::Bits => self.asm.store_bits(op::MOVDQU32_STORE, w, memory, CHOSEN, a),
        }
    }

    /// Writes the bytes or words that bits choose.
    pub(crate) fn store_parts_where(&mut self, bytes: u32, lanes: u32, memory: MemoryOperand, a: Vector) {
        let op = if bytes == 1 { op::MOVDQU8_STORE } else { op::MOVDQU16_STORE };
        self.asm.store_bits(op, Width::of(lanes * bytes), memory, CHOSEN, a);
    }

    /// Whether some channels of one vector are enabled, which bits choose.
    pub(crate) fn is_chosen_by_bits(&self, channels: &Channels<'_>) -> bool {
        self.has_bits && !channels.masks.is_empty() && channels.offsets.len() == 1
    }

    /// Where a row of elements would begin in which the first enabled channel has its own, in [`FIRST`] and in all places of a
    /// vector; how far before, in R9.
    pub(crate) fn first_of_row(&mut self, w: Width, size: u32, offsets: Vector, d: Vector) {
        self.first_chosen(w, Register::EDI, offsets, d);
        self.asm.rr(Code::Tzcnt_r32_rm32, Register::R9D, ENABLED);
        if size > 1 {
            self.asm.ri(Code::Shl_rm32_imm8, Register::R9D, size.trailing_zeros() as i32);
        }
        self.asm.rr(Code::Sub_r32_rm32, Register::EDI, Register::R9D);
        self.first_everywhere(w, d);
    }

    /// The same for the first enabled channel's offset itself, behind [`Emitter::first_of_row`].
    pub(crate) fn first_itself(&mut self, w: Width, d: Vector) {
        self.asm.rr(Code::Add_r32_rm32, Register::EDI, Register::R9D);
        self.first_everywhere(w, d);
    }

    fn first_everywhere(&mut self, w: Width, d: Vector) {
        self.asm.rr(Code::VEX_Vmovd_xmm_rm32, d.register(Width::X), Register::EDI);
        self.asm.v2(op::BROADCASTD, w, d, d, Width::X);
    }

    /// Gathers the dwords that are chosen, or all; `scratch` is free.
    pub(crate) fn gather(
        &mut self,
        w: Width,
        d: Vector,
        memory: MemoryOperand,
        choice: Option<Choice>,
        scratch: Vector,
    ) {
        self.asm.v3(op::PXOR, w, d, d, d);
        if self.has_bits {
            match choice {
                None => self.asm.rrr(Code::VEX_Kxnorw_kr_kr_kr, ANSWER, ANSWER, ANSWER),
                Some(_) => self.asm.rr(Code::VEX_Kmovw_kr_km16, ANSWER, CHOSEN),
            }
            return self.asm.gather_bits(op::GATHERDD, w, d, memory, ANSWER);
        }
        match choice {
            Some(Choice::Ones(ones)) => self.asm.v2(op::MOVUPS, w, scratch, ones, w),
            _ => self.asm.v3(op::PCMPEQD, w, scratch, scratch, scratch),
        }
        self.asm.gather(op::PGATHERDD, w, d, memory, scratch);
    }

    /// Goes elsewhere when any bit is set in the dwords that are chosen of a vector that nobody needs behind.
    pub(crate) fn jump_if_any(&mut self, w: Width, a: Vector, choice: Option<Choice>, to: Label) {
        if self.has_bits {
            self.asm.test_bits(op::TESTD, w, ANSWER, a, choice.map(|_| CHOSEN));
            self.asm.rr(Code::VEX_Kortestw_kr_kr, ANSWER, ANSWER);
        } else {
            if let Some(Choice::Ones(ones)) = choice {
                self.asm.v3(op::PAND, w, a, a, ones);
            }
            self.asm.v2(op::PTEST, w, a, a, w);
        }
        self.asm.jump(Code::Jne_rel32_64, to);
    }

    /// The first of the dwords that are chosen of a vector, by bits.
    pub(crate) fn first_chosen(&mut self, w: Width, to: Register, a: Vector, scratch: Vector) {
        self.asm.compress_bits(op::COMPRESSD, w, scratch, CHOSEN, a);
        self.asm.rr(Code::VEX_Vmovd_rm32_xmm, to, scratch.register(Width::X));
    }
}

/// The instruction that chooses between elements of so many bytes.
fn blend(bytes: u32) -> Op {
    match bytes {
        1 => op::BLENDMB,
        2 => op::BLENDMW,
        4 => op::BLENDMD,
        _ => op::BLENDMQ,
    }
}
