//! Selected elements: blends, loads, stores and tests of the elements that a mask selects.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::asm::op;
use crate::backend::asm::operand::{Op, Vector, Width};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::MaskRegister;
use crate::backend::lower::host_registers::ANSWER;
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::Select;

/// Removes a user of the selecting register.
pub(crate) fn release_select(masm: &mut MacroAssembler, select: Select) {
    let (Select::Ones(vector) | Select::Bits(MaskRegister(vector))) = select;
    masm.cache.drop(vector);
}

/// Writes `d = yes` in the selected elements, otherwise `d = no`.
pub(crate) fn blend_selected(
    masm: &mut MacroAssembler,
    bytes: u32,
    w: Width,
    d: Vector,
    [no, yes]: [Vector; 2],
    select: Select,
) {
    match select {
        Select::Ones(ones) => masm.asm.v4(op::PBLENDVB, w, d, no, yes, ones),
        Select::Bits(bits) => masm.asm.blend(blend(bytes), w, d, [no, yes], bits.register()),
    }
}

/// Writes `d = yes` where the last comparison holds, otherwise `d = no`.
pub(crate) fn blend_by_answer(masm: &mut MacroAssembler, bytes: u32, w: Width, d: Vector, both: [Vector; 2]) {
    masm.asm.blend(blend(bytes), w, d, both, ANSWER);
}

/// Loads the selected dwords.
pub(crate) fn load_selected(masm: &mut MacroAssembler, w: Width, d: Vector, select: Select, memory: MemoryOperand) {
    match select {
        Select::Ones(ones) => masm.asm.load_where(op::MASKMOVD, w, d, ones, memory),
        Select::Bits(bits) => masm.asm.load_bits(op::MOVDQU32, w, d, bits.register(), memory),
    }
}

/// Stores the selected dwords.
pub(crate) fn store_selected(masm: &mut MacroAssembler, w: Width, memory: MemoryOperand, select: Select, a: Vector) {
    match select {
        Select::Ones(ones) => masm.asm.store_where(op::MASKMOVD_STORE, w, memory, ones, a),
        Select::Bits(bits) => masm.asm.store_bits(op::MOVDQU32_STORE, w, memory, bits.register(), a),
    }
}

/// Stores the bytes or words that a mask register selects.
pub(crate) fn store_narrow_selected(
    masm: &mut MacroAssembler,
    bytes: u32,
    lanes: u32,
    memory: MemoryOperand,
    a: Vector,
    bits: MaskRegister,
) {
    let op = if bytes == 1 { op::MOVDQU8_STORE } else { op::MOVDQU16_STORE };
    masm.asm.store_bits(op, Width::of(lanes * bytes), memory, bits.register(), a);
}

/// Gathers the selected dwords, or all; `scratch` is free. With `is_wide`, the elements are qwords,
/// whose offsets are still dwords.
pub(crate) fn gather_selected(
    masm: &mut MacroAssembler,
    w: Width,
    (d, is_wide): (Vector, bool),
    memory: MemoryOperand,
    select: Option<Select>,
    scratch: Vector,
) {
    masm.asm.v3(op::PXOR, w, d, d, d);
    if masm.has_bits {
        match select {
            Some(Select::Bits(bits)) => masm.asm.rr(Code::VEX_Kmovw_kr_km16, ANSWER, bits.register()),
            _ => masm.asm.rrr(Code::VEX_Kxnorw_kr_kr_kr, ANSWER, ANSWER, ANSWER),
        }
        return masm.asm.gather_bits(if is_wide { op::GATHERDQ } else { op::GATHERDD }, w, d, memory, ANSWER);
    }
    match select {
        Some(Select::Ones(ones)) => masm.asm.v2(op::MOVUPS, w, scratch, ones, w),
        _ => masm.asm.v3(op::PCMPEQD, w, scratch, scratch, scratch),
    }
    masm.asm.gather(if is_wide { op::PGATHERDQ } else { op::PGATHERDD }, w, d, memory, scratch);
}

/// Jumps if any selected dwords of two vectors differ. `scratch` is free and may be one of them.
pub(crate) fn jump_if_different(
    masm: &mut MacroAssembler,
    w: Width,
    [a, b]: [Vector; 2],
    scratch: Vector,
    select: Option<Select>,
    to: Label,
) {
    if !masm.has_bits {
        masm.asm.v3(op::PXOR, w, scratch, a, b);
        return jump_if_any_bit(masm, w, scratch, select, to);
    }
    masm.asm.compare(op::COMPARED, w, (ANSWER, register_of(select)), [a, b], NOT_EQUAL);
    masm.asm.rr(Code::VEX_Kortestw_kr_kr, ANSWER, ANSWER);
    masm.asm.jump(Code::Jne_rel32_64, to);
}

/// Jumps if any bit is set in the selected dwords of a vector, which is dead after that.
pub(crate) fn jump_if_any_bit(masm: &mut MacroAssembler, w: Width, a: Vector, select: Option<Select>, to: Label) {
    if masm.has_bits {
        masm.asm.test_bits(op::TESTD, w, ANSWER, a, register_of(select));
        masm.asm.rr(Code::VEX_Kortestw_kr_kr, ANSWER, ANSWER);
    } else {
        if let Some(Select::Ones(ones)) = select {
            masm.asm.v3(op::PAND, w, a, a, ones);
        }
        masm.asm.v2(op::PTEST, w, a, a, w);
    }
    masm.asm.jump(Code::Jne_rel32_64, to);
}

/// Moves the first selected dword of a vector to
/// [`FIRST`](crate::backend::lower::host_registers::FIRST) and to all elements of `d`.
pub(crate) fn broadcast_first_selected(
    masm: &mut MacroAssembler,
    w: Width,
    a: Vector,
    d: Vector,
    bits: MaskRegister,
) {
    extract_first_selected(masm, w, Register::EDI, a, d, bits);
    masm.asm.v2(op::BROADCASTD, w, d, d, Width::X);
}

/// Moves the first selected dword of a vector to `to`.
pub(crate) fn extract_first_selected(
    masm: &mut MacroAssembler,
    w: Width,
    to: Register,
    a: Vector,
    scratch: Vector,
    bits: MaskRegister,
) {
    masm.asm.compress_bits(op::COMPRESSD, w, scratch, bits.register(), a);
    masm.asm.rr(Code::VEX_Vmovd_rm32_xmm, to, scratch.register(Width::X));
}

/// Returns the selecting mask register.
fn register_of(select: Option<Select>) -> Option<Register> {
    match select {
        Some(Select::Bits(bits)) => Some(bits.register()),
        _ => None,
    }
}

/// Returns the instruction that blends elements of `bytes` bytes.
fn blend(bytes: u32) -> Op {
    match bytes {
        1 => op::BLENDMB,
        2 => op::BLENDMW,
        4 => op::BLENDMD,
        _ => op::BLENDMQ,
    }
}

/// The predicate of elements that differ.
const NOT_EQUAL: i32 = 4;
