//! Relations: comparisons of vectors, as ones in elements or as bits of a mask register.

use iced_x86::Register;

use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width};
use crate::backend::lower::arithmetic::operation::{BySize, EQUAL, GREATER, integer, long_greater, with_constant};
use crate::backend::lower::host_registers::ANSWER;
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::ir::{Kind, Relation};

/// Sets the bits of a mask register where a relation holds; with `inverse`, where it does not hold.
pub(crate) fn compare_to_mask(
    masm: &mut MacroAssembler,
    kind: Kind,
    w: Width,
    (relation, inverse): (Relation, bool),
    sides: [Vector; 2],
    to: Register,
) -> Option<()> {
    let size = kind.bytes().trailing_zeros() as usize;
    let (op, relation) = match kind {
        Kind::F16 => return None,
        Kind::F32 => (op::COMPAREPS, relation_of_floats(relation)),
        Kind::F64 => (op::COMPAREPD, relation_of_floats(relation)),
        _ => {
            let signed = [op::COMPAREB, op::COMPAREW, op::COMPARED, op::COMPAREQ];
            let unsigned = [op::COMPAREUB, op::COMPAREUW, op::COMPAREUD, op::COMPAREUQ];
            let relation = match relation {
                Relation::Equal => 0,
                Relation::Less => 1,
                Relation::LessOrEqual => 2,
            };
            (if kind.is_signed() { signed } else { unsigned }[size], relation)
        }
    };
    // The inverse relation has this bit set.
    masm.asm.compare(op, w, (to, None), sides, relation ^ if inverse { 4 } else { 0 });
    Some(())
}

/// Writes ones where a relation holds.
pub(crate) fn compare_to_ones(
    masm: &mut MacroAssembler,
    kind: Kind,
    w: Width,
    relation: Relation,
    a: Vector,
    b: Vector,
) -> Option<Vector> {
    let bytes = kind.bytes();
    if masm.has_bits {
        compare_to_mask(masm, kind, w, (relation, false), [a, b], ANSWER)?;
        let d = masm.cache.take()?;
        masm.asm.ones(integer(bytes, ONES), w, d, ANSWER);
        return Some(d);
    }
    if let Kind::F32 | Kind::F64 = kind {
        let d = masm.cache.take()?;
        let compare = if kind == Kind::F32 { op::CMPPS } else { op::CMPPD };
        masm.asm.v3i(compare, w, d, a, b, relation_of_floats(relation));
        return Some(d);
    }
    match (relation, kind) {
        (Relation::LessOrEqual, _) | (_, Kind::F16) => None,
        (Relation::Equal, _) => {
            let d = masm.cache.take()?;
            masm.asm.v3(integer(bytes, EQUAL), w, d, a, b);
            Some(d)
        }
        (_, Kind::U64 | Kind::I64) => long_greater(masm, kind, w, b, a),
        (_, Kind::I8 | Kind::I16 | Kind::I32) => {
            let d = masm.cache.take()?;
            masm.asm.v3(integer(bytes, GREATER), w, d, b, a);
            Some(d)
        }
        _ => {
            // `a < b` holds where `a` is not the larger one.
            let max = match bytes {
                1 => op::PMAXUB,
                2 => op::PMAXUW,
                _ => op::PMAXUD,
            };
            let d = masm.cache.take()?;
            masm.asm.v3(max, w, d, a, b);
            masm.asm.v3(integer(bytes, EQUAL), w, d, d, a);
            let turned = with_constant(masm, op::PXOR, kind, w, d, u64::MAX >> (64 - bytes * 8))?;
            masm.cache.drop(d);
            Some(turned)
        }
    }
}

/// Returns the predicate of a relation of floats.
fn relation_of_floats(relation: Relation) -> i32 {
    match relation {
        Relation::Equal => 0,
        Relation::Less => 0x11,
        Relation::LessOrEqual => 0x12,
    }
}

/// The instructions that spread a mask register to elements.
const ONES: BySize = [op::ONESB, op::ONESW, op::ONESD, op::ONESQ];
