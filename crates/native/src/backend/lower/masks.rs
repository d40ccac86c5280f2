//! Masks: the enabled channels of a step, in general registers, mask registers and vectors.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::asm::assembler::Assembler;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::{CachedValue, MaskRegister};
use crate::backend::lower::host_registers::{ACTIVE, ANSWER, ENABLED, PREDICATES};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::patterns::{byte_places, channel_bits};
use crate::ir::{Combine, Mask};

/// The enabled channels of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enabled {
    /// All channels.
    All,
    /// The channels in [`ENABLED`].
    Some,
}

/// Selected elements.
#[derive(Clone, Copy)]
pub(crate) enum Select {
    /// Elements that are all ones in a vector.
    Ones(Vector),
    /// Elements whose bits are set in a mask register.
    Bits(MaskRegister),
}

/// Materialises the mask as one bit per channel in [`ENABLED`].
pub(crate) fn materialize_mask(masm: &mut MacroAssembler, mask: &Mask) -> Enabled {
    if masm.is_all(mask) {
        return Enabled::All;
    }
    let by_active = !mask.always && !masm.is_full;
    if masm.enabled == Some(*mask) {
        return Enabled::Some;
    }
    let lanes = mask.lanes as i32;
    let shifted = |asm: &mut Assembler, register| {
        if mask.shift > 0 {
            asm.ri(Code::Shr_rm32_imm8, register, mask.shift as i32);
        }
    };
    if mask.predicate == 0 {
        masm.asm.rr(Code::Mov_r32_rm32, ENABLED, ACTIVE);
        shifted(&mut masm.asm, ENABLED);
    } else {
        if cached_mask_bits(masm, mask).is_none() {
            masm.asm.rm(Code::Mov_r32_rm32, ENABLED, at(PREDICATES, mask.predicate * 4));
            if mask.combine == Combine::Each {
                shifted(&mut masm.asm, ENABLED);
            }
        }
        match mask.combine {
            Combine::Each => {}
            Combine::Any(elements) => {
                masm.asm.ri(Code::And_rm32_imm32, ENABLED, elements as i32);
                masm.asm.r(Code::Neg_rm32, ENABLED);
                masm.asm.rr(Code::Sbb_r32_rm32, ENABLED, ENABLED);
            }
            Combine::All(elements) => {
                masm.asm.ri(Code::And_rm32_imm32, ENABLED, elements as i32);
                masm.asm.ri(Code::Xor_rm32_imm32, ENABLED, elements as i32);
                masm.asm.ri(Code::Cmp_rm32_imm8, ENABLED, 1);
                masm.asm.rr(Code::Sbb_r32_rm32, ENABLED, ENABLED);
            }
        }
        if mask.inverse {
            masm.asm.r(Code::Not_rm32, ENABLED);
        }
        if by_active {
            masm.asm.rr(Code::Mov_r32_rm32, Register::ECX, ACTIVE);
            shifted(&mut masm.asm, Register::ECX);
            masm.asm.rr(Code::And_r32_rm32, ENABLED, Register::ECX);
        }
    }
    if mask.lanes != u32::MAX {
        masm.asm.ri(Code::And_rm32_imm32, ENABLED, lanes);
    }
    masm.enabled = Some(*mask);
    Enabled::Some
}

/// Materialises a mask as [`materialize_mask`], and jumps if no channel is enabled.
pub(crate) fn jump_if_none(masm: &mut MacroAssembler, mask: &Mask, to: Label) -> Enabled {
    let enabled = materialize_mask(masm, mask);
    if enabled == Enabled::Some {
        masm.asm.rr(Code::Test_rm32_r32, ENABLED, ENABLED);
        masm.asm.jump(Code::Je_rel32_64, to);
    }
    enabled
}

/// Selects the elements of the enabled channels from `first` on. Returns `Some(None)` if all are
/// enabled.
pub(crate) fn select_enabled(
    masm: &mut MacroAssembler,
    mask: &Mask,
    first: u32,
    bytes: u32,
    width: Width,
) -> Option<Option<Select>> {
    if masm.is_all(mask) {
        return Some(None);
    }
    if masm.has_bits {
        return Some(Some(Select::Bits(mask_bits(masm, mask, first, width.bytes() / bytes)?)));
    }
    let tag = CachedValue::Enabled { mask: *mask, first, bytes, width };
    if let Some(found) = masm.cache.find(&tag) {
        return Some(Some(Select::Ones(found)));
    }
    materialize_mask(masm, mask);
    let d = masm.cache.take()?;
    spread_bits(masm, d, first, bytes);
    masm.cache.name(d, CachedValue::Enabled { mask: *mask, first, bytes, width: Width::Y });
    Some(Some(Select::Ones(d)))
}

/// Returns the value of a mask register with `count` channels of a mask from `first` on.
pub(crate) fn mask_bits_tag(masm: &MacroAssembler, mask: &Mask, first: u32, count: u32) -> CachedValue {
    let mask = Mask { always: mask.always || masm.is_full, ..*mask };
    if mask.combine != Combine::Each {
        return CachedValue::Bits { mask, first };
    }
    let lanes = mask.lanes >> first & u32::MAX >> (32 - count.min(32));
    CachedValue::Bits { mask: Mask { shift: mask.shift + first, lanes, ..mask }, first: 0 }
}

/// Returns a mask register with `count` channels of a mask from `first` on.
pub(crate) fn mask_bits(masm: &mut MacroAssembler, mask: &Mask, first: u32, count: u32) -> Option<MaskRegister> {
    let tag = mask_bits_tag(masm, mask, first, count);
    if let Some(found) = masm.cache.find(&tag) {
        return Some(MaskRegister(found));
    }
    let bits = masm.cache.take_bits()?;
    match tag {
        // Bits are loaded as they were stored: a wider load would stall on store forwarding.
        CachedValue::Bits { mask, first } if predicate_bytes(masm, &mask, first).is_some() => {
            load_mask_bits(masm, bits, &mask, first);
        }
        _ => load_mask_bits(masm, bits, mask, first),
    }
    masm.cache.name(bits.0, tag);
    Some(bits)
}

/// Loads the channels of a mask from `first` on to a mask register.
pub(crate) fn load_mask_bits(masm: &mut MacroAssembler, bits: MaskRegister, mask: &Mask, first: u32) {
    let k = bits.register();
    if let Some((load, memory)) = predicate_bytes(masm, mask, first).map(|(codes, memory)| (codes[0], memory)) {
        masm.asm.rm(load, k, memory);
        if mask.inverse {
            masm.asm.rr(Code::VEX_Knotd_kr_kr, k, k);
        }
        return;
    }
    materialize_mask(masm, mask);
    let mut from = ENABLED;
    if first > 0 {
        from = Register::ECX;
        masm.asm.r2i(Code::VEX_Rorx_r32_rm32_imm8, from, ENABLED, first as i32);
    }
    masm.asm.rr(Code::VEX_Kmovd_kr_r32, k, from);
}

/// Moves the bits of a mask's predicate to [`ENABLED`] if mask registers hold them: a load would
/// stall on the stores of its parts. Returns `None` otherwise.
pub(crate) fn cached_mask_bits(masm: &mut MacroAssembler, mask: &Mask) -> Option<()> {
    let is_all = mask.always || masm.is_full;
    (is_all || mask.combine == Combine::Each).then_some(())?;
    let (shift, lanes) = mask.predicate_bits();
    let mask = Mask { shift, lanes, always: is_all, combine: Combine::Each, inverse: false, ..*mask };
    let mut known = |shift, lanes| Some(masm.cache.find_bits(&Mask { shift, lanes, ..mask })?.register());
    let halves = match mask.lanes {
        u32::MAX => Some((16, 0xffff, Code::VEX_Kunpckwd_kr_kr_kr)),
        0xffff => Some((8, 0xff, Code::VEX_Kunpckbw_kr_kr_kr)),
        _ => None,
    };
    let whole = known(mask.shift, mask.lanes);
    let bits = match (whole, halves) {
        (None, Some((count, lanes, join))) => {
            let (low, high) = (known(mask.shift, lanes)?, known(mask.shift + count, lanes)?);
            masm.asm.rrr(join, ANSWER, high, low);
            ANSWER
        }
        _ => whole?,
    };
    masm.asm.rr(Code::VEX_Kmovd_r32_kr, ENABLED, bits);
    Some(())
}

/// Returns the instructions that load and store the bits of a predicate from channel `first` on,
/// and their memory. Returns `None` if the mask depends on other bits, or on parts of bytes.
pub(crate) fn predicate_bytes(masm: &MacroAssembler, mask: &Mask, first: u32) -> Option<([Code; 2], MemoryOperand)> {
    let place = mask.shift + first;
    let is_row = mask.lanes.trailing_ones() == mask.lanes.count_ones();
    let is_alone = mask.predicate != 0 && mask.combine == Combine::Each && (mask.always || masm.is_full);
    (is_alone && is_row && place.is_multiple_of(8)).then_some(())?;
    let codes = match mask.lanes.count_ones().checked_sub(first)? {
        8 => [Code::VEX_Kmovb_kr_km8, Code::VEX_Kmovb_m8_kr],
        16 => [Code::VEX_Kmovw_kr_km16, Code::VEX_Kmovw_m16_kr],
        32 => [Code::VEX_Kmovd_kr_km32, Code::VEX_Kmovd_m32_kr],
        _ => return None,
    };
    Some((codes, at(PREDICATES, mask.predicate * 4 + place / 8)))
}

/// Spreads the bits of [`ENABLED`] to the elements of 32 bytes.
pub(crate) fn spread_bits(masm: &mut MacroAssembler, d: Vector, first: u32, bytes: u32) {
    let (x, y) = (Width::X, Width::Y);
    let mut from = ENABLED;
    if bytes <= 2 && first > 0 {
        masm.asm.rr(Code::Mov_r32_rm32, Register::ECX, ENABLED);
        masm.asm.ri(Code::Shr_rm32_imm8, Register::ECX, first as i32);
        from = Register::ECX;
    }
    let d_x = d.register(x);
    masm.asm.rr(Code::VEX_Vmovd_xmm_rm32, d_x, from);
    match bytes {
        1 => {
            masm.asm.v2(op::BROADCASTD, y, d, d, x);
            let places = masm.asm.constant(byte_places());
            masm.asm.v3(op::PSHUFB, y, d, d, places);
        }
        2 => masm.asm.v2(op::BROADCASTW, y, d, d, x),
        4 => masm.asm.v2(op::BROADCASTD, y, d, d, x),
        _ => masm.asm.v2(op::BROADCASTQ, y, d, d, x),
    }
    let equal = match bytes {
        1 => op::PCMPEQB,
        2 => op::PCMPEQW,
        4 => op::PCMPEQD,
        _ => op::PCMPEQQ,
    };
    let channels = masm.asm.constant(channel_bits(bytes, if bytes <= 2 { 0 } else { first }));
    masm.asm.v3(op::PAND, y, d, d, channels);
    masm.asm.v3(equal, y, d, d, channels);
}
