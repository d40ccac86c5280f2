//! Elements that are chosen: by ones in a vector or, with AVX-512, by bits in a register for that.

use iced_x86::{Code, MemoryOperand, Register};

use crate::asm::{Label, Op, Vector, Width, at};
use crate::cache::{Bits, Tag};
use crate::emit::{ENABLED, Emitter, PREDICATES, byte_places, channel_bits};
use crate::ir::{Combine, Mask};
use crate::op;
use crate::transfer::Channels;

/// The bits of an answer, until the next question.
pub(crate) const ANSWER: Register = Register::K1;
/// The relation of elements that differ.
const NOT_EQUAL: i32 = 4;

/// Which elements are meant.
#[derive(Clone, Copy)]
pub(crate) enum Choice {
    /// Those that are all ones in a vector.
    Ones(Vector),
    /// Those whose bits are set.
    Bits(Bits),
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
        if self.is_all(mask) {
            return Some(None);
        }
        if self.has_bits {
            return Some(Some(Choice::Bits(self.bits(mask, first, width.bytes() / bytes)?)));
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

    /// What the bits of so many of a mask's channels, from `first` on, are known as.
    pub(crate) fn bits_tag(&self, mask: &Mask, first: u32, count: u32) -> Tag {
        let mask = Mask { always: mask.always || self.is_full, ..*mask };
        if mask.combine != Combine::Each {
            return Tag::Bits { mask, first };
        }
        let lanes = mask.lanes >> first & u32::MAX >> (32 - count.min(32));
        Tag::Bits { mask: Mask { shift: mask.shift + first, lanes, ..mask }, first: 0 }
    }

    /// The bits of so many of a mask's channels, from `first` on.
    pub(crate) fn bits(&mut self, mask: &Mask, first: u32, count: u32) -> Option<Bits> {
        let tag = self.bits_tag(mask, first, count);
        if let Some(found) = self.cache.find(&tag) {
            return Some(Bits(found));
        }
        let bits = self.cache.take_bits()?;
        match tag {
            // They are loaded as they have been stored: for what was in parts the host would wait.
            Tag::Bits { mask, first } if self.predicate_bytes(&mask, first).is_some() => {
                self.load_bits(bits, &mask, first);
            }
            _ => self.load_bits(bits, mask, first),
        }
        self.cache.name(bits.0, tag);
        Some(bits)
    }

    /// Loads them.
    pub(crate) fn load_bits(&mut self, bits: Bits, mask: &Mask, first: u32) {
        let k = bits.register();
        if let Some((load, memory)) = self.predicate_bytes(mask, first).map(|(codes, memory)| (codes[0], memory)) {
            self.asm.rm(load, k, memory);
            if mask.inverse {
                self.asm.rr(Code::VEX_Knotd_kr_kr, k, k);
            }
            return;
        }
        self.enabled(mask);
        let mut from = ENABLED;
        if first > 0 {
            from = Register::ECX;
            self.asm.r2i(Code::VEX_Rorx_r32_rm32_imm8, from, ENABLED, first as i32);
        }
        self.asm.rr(Code::VEX_Kmovd_kr_r32, k, from);
    }

    /// Puts the bits of a predicate that count for a mask into [`ENABLED`], if they are known: to
    /// load what was stored in parts, the host would wait.
    pub(crate) fn known_bits(&mut self, mask: &Mask) -> Option<()> {
        let is_all = mask.always || self.is_full;
        (is_all || mask.combine == Combine::Each).then_some(())?;
        let mask = Mask { always: is_all, combine: Combine::Each, inverse: false, ..*mask };
        let mut known = |shift, lanes| Some(self.cache.find_bits(&Mask { shift, lanes, ..mask })?.register());
        let halves = match mask.lanes {
            u32::MAX => Some((16, 0xffff, Code::VEX_Kunpckwd_kr_kr_kr)),
            0xffff => Some((8, 0xff, Code::VEX_Kunpckbw_kr_kr_kr)),
            _ => None,
        };
        let whole = known(mask.shift, mask.lanes);
        let bits = match (whole, halves) {
            (None, Some((count, lanes, join))) => {
                let (low, high) = (known(mask.shift, lanes)?, known(mask.shift + count, lanes)?);
                self.asm.rrr(join, ANSWER, high, low);
                ANSWER
            }
            _ => whole?,
        };
        self.asm.rr(Code::VEX_Kmovd_r32_kr, ENABLED, bits);
        Some(())
    }

    /// The bytes that have the bits of a predicate's channels from `first` on, and the instructions
    /// that load and store these; nothing where other bits have a part in the mask.
    pub(crate) fn predicate_bytes(&self, mask: &Mask, first: u32) -> Option<([Code; 2], MemoryOperand)> {
        let place = mask.shift + first;
        let is_row = mask.lanes.trailing_ones() == mask.lanes.count_ones();
        let is_alone = mask.predicate != 0 && mask.combine == Combine::Each && (mask.always || self.is_full);
        (is_alone && is_row && place.is_multiple_of(8)).then_some(())?;
        let codes = match mask.lanes.count_ones().checked_sub(first)? {
            8 => [Code::VEX_Kmovb_kr_km8, Code::VEX_Kmovb_m8_kr],
            16 => [Code::VEX_Kmovw_kr_km16, Code::VEX_Kmovw_m16_kr],
            32 => [Code::VEX_Kmovd_kr_km32, Code::VEX_Kmovd_m32_kr],
            _ => return None,
        };
        Some((codes, at(PREDICATES, mask.predicate * 4 + place / 8)))
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
        let (Choice::Ones(vector) | Choice::Bits(Bits(vector))) = choice;
        self.cache.drop(vector);
    }

    /// `d = yes` in the elements that are chosen, else `no`.
    pub(crate) fn blend(&mut self, bytes: u32, w: Width, d: Vector, [no, yes]: [Vector; 2], choice: Choice) {
        match choice {
            Choice::Ones(ones) => self.asm.v4(op::PBLENDVB, w, d, no, yes, ones),
            Choice::Bits(bits) => self.asm.blend(blend(bytes), w, d, [no, yes], bits.register()),
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
            Choice::Bits(bits) => self.asm.load_bits(op::MOVDQU32, w, d, bits.register(), memory),
        }
    }

    /// Writes the dwords that are chosen.
    pub(crate) fn store_where(&mut self, w: Width, memory: MemoryOperand, choice: Choice, a: Vector) {
        match choice {
            Choice::Ones(ones) => self.asm.store_where(op::MASKMOVD_STORE, w, memory, ones, a),
            Choice::Bits(bits) => self.asm.store_bits(op::MOVDQU32_STORE, w, memory, bits.register(), a),
        }
    }

    /// Writes the bytes or words that bits choose.
    pub(crate) fn store_parts_where(&mut self, bytes: u32, lanes: u32, memory: MemoryOperand, a: Vector, bits: Bits) {
        let op = if bytes == 1 { op::MOVDQU8_STORE } else { op::MOVDQU16_STORE };
        self.asm.store_bits(op, Width::of(lanes * bytes), memory, bits.register(), a);
    }

    /// The bits that choose channels, where there are such and the channels are one vector.
    pub(crate) fn chosen_by_bits(&self, channels: &Channels<'_>) -> Option<Bits> {
        match channels.masks[..] {
            [Choice::Bits(bits)] => Some(bits),
            _ => None,
        }
    }

    /// The first of the dwords that are chosen of a vector, in [`FIRST`](crate::buffer::FIRST) and
    /// in all places of another one.
    pub(crate) fn first_everywhere(&mut self, w: Width, a: Vector, d: Vector, bits: Bits) {
        self.first_chosen(w, Register::EDI, a, d, bits);
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
                Some(Choice::Bits(bits)) => self.asm.rr(Code::VEX_Kmovw_kr_km16, ANSWER, bits.register()),
                _ => self.asm.rrr(Code::VEX_Kxnorw_kr_kr_kr, ANSWER, ANSWER, ANSWER),
            }
            return self.asm.gather_bits(op::GATHERDD, w, d, memory, ANSWER);
        }
        match choice {
            Some(Choice::Ones(ones)) => self.asm.v2(op::MOVUPS, w, scratch, ones, w),
            _ => self.asm.v3(op::PCMPEQD, w, scratch, scratch, scratch),
        }
        self.asm.gather(op::PGATHERDD, w, d, memory, scratch);
    }

    /// Goes elsewhere when any dwords that are chosen of two vectors differ; `scratch`, which may
    /// be one of them, is free.
    pub(crate) fn jump_if_other(
        &mut self,
        w: Width,
        [a, b]: [Vector; 2],
        scratch: Vector,
        choice: Option<Choice>,
        to: Label,
    ) {
        if !self.has_bits {
            self.asm.v3(op::PXOR, w, scratch, a, b);
            return self.jump_if_any(w, scratch, choice, to);
        }
        self.asm.compare(op::COMPARED, w, (ANSWER, register_of(choice)), [a, b], NOT_EQUAL);
        self.asm.rr(Code::VEX_Kortestw_kr_kr, ANSWER, ANSWER);
        self.asm.jump(Code::Jne_rel32_64, to);
    }

    /// Goes elsewhere when any bit is set in the dwords that are chosen of a vector that nobody
    /// needs behind.
    pub(crate) fn jump_if_any(&mut self, w: Width, a: Vector, choice: Option<Choice>, to: Label) {
        if self.has_bits {
            self.asm.test_bits(op::TESTD, w, ANSWER, a, register_of(choice));
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
    pub(crate) fn first_chosen(&mut self, w: Width, to: Register, a: Vector, scratch: Vector, bits: Bits) {
        self.asm.compress_bits(op::COMPRESSD, w, scratch, bits.register(), a);
        self.asm.rr(Code::VEX_Vmovd_rm32_xmm, to, scratch.register(Width::X));
    }
}

/// The register for the bits that choose.
fn register_of(choice: Option<Choice>) -> Option<Register> {
    match choice {
        Some(Choice::Bits(bits)) => Some(bits.register()),
        _ => None,
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
