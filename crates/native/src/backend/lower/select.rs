//! Selected elements: blends, loads, stores and tests of the elements that a mask selects.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::asm::op;
use crate::backend::asm::operand::{Op, Vector, Width};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::MaskRegister;
use crate::backend::lower::host_registers::ANSWER;
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::Select;

/// One user less of what chooses.
pub(crate) fn release_select(masm: &mut MacroAssembler, choice: Select) {
    let (Select::Ones(vector) | Select::Bits(MaskRegister(vector))) = choice;
    masm.cache.drop(vector);
}

/// `d = yes` in the elements that are chosen, else `no`.
pub(crate) fn blend_selected(
    masm: &mut MacroAssembler,
    bytes: u32,
    w: Width,
    d: Vector,
    [no, yes]: [Vector; 2],
    choice: Select,
) {
    match choice {
        Select::Ones(ones) => masm.asm.v4(op::PBLENDVB, w, d, no, yes, ones),
        Select::Bits(bits) => masm.asm.blend(blend(bytes), w, d, [no, yes], bits.register()),
    }
}

/// `d = yes` where the last answer was yes, else `no`.
pub(crate) fn blend_by_answer(masm: &mut MacroAssembler, bytes: u32, w: Width, d: Vector, both: [Vector; 2]) {
    masm.asm.blend(blend(bytes), w, d, both, ANSWER);
}

/// Reads the dwords that are chosen.
pub(crate) fn load_selected(masm: &mut MacroAssembler, w: Width, d: Vector, choice: Select, memory: MemoryOperand) {
    match choice {
        Select::Ones(ones) => masm.asm.load_where(op::MASKMOVD, w, d, ones, memory),
        Select::Bits(bits) => masm.asm.load_bits(op::MOVDQU32, w, d, bits.register(), memory),
    }
}

/// Writes the dwords that are chosen.
pub(crate) fn store_selected(masm: &mut MacroAssembler, w: Width, memory: MemoryOperand, choice: Select, a: Vector) {
    match choice {
        Select::Ones(ones) => masm.asm.store_where(op::MASKMOVD_STORE, w, memory, ones, a),
        Select::Bits(bits) => masm.asm.store_bits(op::MOVDQU32_STORE, w, memory, bits.register(), a),
    }
}

/// Writes the bytes or words that bits choose.
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

/// Gathers the dwords that are chosen, or all; `scratch` is free.
pub(crate) fn gather_selected(
    masm: &mut MacroAssembler,
    w: Width,
    d: Vector,
    memory: MemoryOperand,
    choice: Option<Select>,
    scratch: Vector,
) {
    masm.asm.v3(op::PXOR, w, d, d, d);
    if masm.has_bits {
        match choice {
            Some(Select::Bits(bits)) => masm.asm.rr(Code::VEX_Kmovw_kr_km16, ANSWER, bits.register()),
            _ => masm.asm.rrr(Code::VEX_Kxnorw_kr_kr_kr, ANSWER, ANSWER, ANSWER),
        }
        return masm.asm.gather_bits(op::GATHERDD, w, d, memory, ANSWER);
    }
    match choice {
        Some(Select::Ones(ones)) => masm.asm.v2(op::MOVUPS, w, scratch, ones, w),
        _ => masm.asm.v3(op::PCMPEQD, w, scratch, scratch, scratch),
    }
    masm.asm.gather(op::PGATHERDD, w, d, memory, scratch);
}

/// Goes elsewhere when any dwords that are chosen of two vectors differ; `scratch`, which may
/// be one of them, is free.
pub(crate) fn jump_if_different(
    masm: &mut MacroAssembler,
    w: Width,
    [a, b]: [Vector; 2],
    scratch: Vector,
    choice: Option<Select>,
    to: Label,
) {
    if !masm.has_bits {
        masm.asm.v3(op::PXOR, w, scratch, a, b);
        return jump_if_any_bit(masm, w, scratch, choice, to);
    }
    masm.asm.compare(op::COMPARED, w, (ANSWER, register_of(choice)), [a, b], NOT_EQUAL);
    masm.asm.rr(Code::VEX_Kortestw_kr_kr, ANSWER, ANSWER);
    masm.asm.jump(Code::Jne_rel32_64, to);
}

/// Goes elsewhere when any bit is set in the dwords that are chosen of a vector that nobody
/// needs behind.
pub(crate) fn jump_if_any_bit(masm: &mut MacroAssembler, w: Width, a: Vector, choice: Option<Select>, to: Label) {
    if masm.has_bits {
        masm.asm.test_bits(op::TESTD, w, ANSWER, a, register_of(choice));
        masm.asm.rr(Code::VEX_Kortestw_kr_kr, ANSWER, ANSWER);
    } else {
        if let Some(Select::Ones(ones)) = choice {
            masm.asm.v3(op::PAND, w, a, a, ones);
        }
        masm.asm.v2(op::PTEST, w, a, a, w);
    }
    masm.asm.jump(Code::Jne_rel32_64, to);
}

/// The first of the dwords that are chosen of a vector, in [`FIRST`](crate::buffer::FIRST) and
/// in all places of another one.
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

/// The first of the dwords that are chosen of a vector, by bits.
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

/// The register for the bits that choose.
fn register_of(choice: Option<Select>) -> Option<Register> {
    match choice {
        Some(Select::Bits(bits)) => Some(bits.register()),
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

/// The relation of elements that differ.
const NOT_EQUAL: i32 = 4;
