//! Atomic operations on a value in memory, and their commutativity.

use half::{bf16, f16};

use visakit::isa::{AtomicNumbers, AtomicOpOp, AtomicOpOpReturns, AtomicUpdate, LscOp};
use visakit_native::ir::{Change, Kind};

/// An atomic operation on a value in memory.
#[derive(Clone, Copy)]
pub(crate) struct Update {
    /// True if several such operations leave the same value in any order.
    pub(crate) commutes: bool,
    /// Kind of the operation; operations of the same kind commute, if at all.
    pub(crate) kind: (Family, u32),
    /// True if the result is the new value; false if the old one.
    pub(crate) returns_new: bool,
    /// The native operation, if it exists.
    pub(crate) native: Option<Native>,
    /// Size of the value in bytes.
    pub(crate) size: u32,
    /// Returns the new value, from the old value and two operands, all as unsigned patterns.
    pub(crate) of: fn(old: u64, first: u64, second: u64) -> u64,
}

/// Family of operations that commute on values of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Sum,
    /// A single operation.
    One(AtomicUpdate, AtomicNumbers),
}

/// A native operation.
#[derive(Clone, Copy)]
pub(crate) struct Native {
    /// The change.
    pub(crate) change: Change,
    /// The kind of the value.
    pub(crate) kind: Kind,
    /// The numbers of the operand that the change takes first, and of the other one.
    pub(crate) operands: [usize; 2],
}

/// Returns the native operation of an update, if it exists.
fn native(update: AtomicUpdate, numbers: AtomicNumbers, size: u32) -> Option<Native> {
    let kind = match (numbers, size) {
        (AtomicNumbers::UnsignedBits, 4) => Kind::U32,
        (AtomicNumbers::UnsignedBits, 8) => Kind::U64,
        (AtomicNumbers::SignedBits, 4) => Kind::I32,
        (AtomicNumbers::SignedBits, 8) => Kind::I64,
        (AtomicNumbers::FloatBits, 4) => Kind::F32,
        (AtomicNumbers::FloatBits, 8) => Kind::F64,
        _ => return None,
    };
    let change = match update {
        AtomicUpdate::Load => Change::Keep,
        AtomicUpdate::Store => Change::Replace,
        AtomicUpdate::Add => Change::Add,
        AtomicUpdate::Subtract => Change::Sub,
        AtomicUpdate::Increment => Change::Increment,
        AtomicUpdate::Decrement => Change::Decrement,
        AtomicUpdate::And => Change::And,
        AtomicUpdate::Or => Change::Or,
        AtomicUpdate::Xor => Change::Xor,
        AtomicUpdate::Smaller => Change::Smaller,
        AtomicUpdate::Larger => Change::Larger,
        AtomicUpdate::ExchangeIfFirst | AtomicUpdate::ExchangeIfSecond => Change::ReplaceIf,
    };
    let operands = if update == AtomicUpdate::ExchangeIfSecond { [1, 0] } else { [0, 1] };
    Some(Native { change, kind, operands })
}

/// Returns the operation of a surface or SVM message; `None` for an unsupported size.
pub(crate) fn of_surface(op: AtomicOpOp, size: u32) -> Option<Update> {
    let returns_new = op.returns() == AtomicOpOpReturns::New;
    new(op.update(), op.numbers(), (op.commutes(), returns_new), size)
}

/// Returns the operation of an LSC message; `None` if it is not atomic, or for an unsupported size.
pub(crate) fn of_lsc(op: LscOp, size: u32) -> Option<Update> {
    // All of these operations return the old value.
    new(op.update()?, op.numbers()?, (op.commutes().unwrap_or(false), false), size)
}

fn new(
    update: AtomicUpdate,
    numbers: AtomicNumbers,
    (commutes, returns_new): (bool, bool),
    size: u32,
) -> Option<Update> {
    let of = function(update, numbers, size)?;
    let is_sum = matches!(
        update,
        AtomicUpdate::Add | AtomicUpdate::Subtract | AtomicUpdate::Increment | AtomicUpdate::Decrement
    );
    let of_integers = matches!(numbers, AtomicNumbers::UnsignedBits | AtomicNumbers::SignedBits);
    let family = if is_sum && of_integers { Family::Sum } else { Family::One(update, numbers) };
    Some(Update { commutes, kind: (family, size), returns_new, native: native(update, numbers, size), size, of })
}

macro_rules! functions {
    ($update:expr, $numbers:expr, $unsigned:ty, $signed:ty, $float:ty) => {{
        // Patterns of fewer than 64 bits are zero-extended; result bits above their width are
        // ignored.
        fn float(bits: u64) -> $float {
            <$float>::from_bits(bits as $unsigned)
        }
        fn back(value: $float) -> u64 {
            value.to_bits().into()
        }
        let is_signed = $numbers == AtomicNumbers::SignedBits;
        let is_float = matches!($numbers, AtomicNumbers::FloatBits | AtomicNumbers::BfloatBits);
        let function: fn(u64, u64, u64) -> u64 = match $update {
            AtomicUpdate::Load => |old, _, _| old,
            AtomicUpdate::Store => |_, a, _| a,
            AtomicUpdate::Increment => |old, _, _| old.wrapping_add(1),
            AtomicUpdate::Decrement => |old, _, _| old.wrapping_sub(1),
            AtomicUpdate::Add if is_float => |old, a, _| back(float(old) + float(a)),
            AtomicUpdate::Add => |old, a, _| old.wrapping_add(a),
            AtomicUpdate::Subtract if is_float => |old, a, _| back(float(old) - float(a)),
            AtomicUpdate::Subtract => |old, a, _| old.wrapping_sub(a),
            // If one value is NaN, the result is the other; the library does not guarantee this.
            AtomicUpdate::Smaller if is_float => {
                |old, a, _| if float(a) < float(old) || float(old).is_nan() { a } else { old }
            }
            AtomicUpdate::Smaller if is_signed => |old, a, _| (old as $signed).min(a as $signed) as u64,
            AtomicUpdate::Smaller => |old, a, _| (old as $unsigned).min(a as $unsigned).into(),
            AtomicUpdate::Larger if is_float => {
                |old, a, _| if float(old) < float(a) || float(old).is_nan() { a } else { old }
            }
            AtomicUpdate::Larger if is_signed => |old, a, _| (old as $signed).max(a as $signed) as u64,
            AtomicUpdate::Larger => |old, a, _| (old as $unsigned).max(a as $unsigned).into(),
            AtomicUpdate::And => |old, a, _| old & a,
            AtomicUpdate::Or => |old, a, _| old | a,
            AtomicUpdate::Xor => |old, a, _| old ^ a,
            AtomicUpdate::ExchangeIfFirst if is_float => |old, a, b| if float(old) == float(a) { b } else { old },
            AtomicUpdate::ExchangeIfFirst => |old, a, b| if old as $unsigned == a as $unsigned { b } else { old },
            AtomicUpdate::ExchangeIfSecond if is_float => |old, a, b| if float(old) == float(b) { a } else { old },
            AtomicUpdate::ExchangeIfSecond => |old, a, b| if old as $unsigned == b as $unsigned { a } else { old },
        };
        function
    }};
}

/// Returns the function of an operation on values of `size` bytes.
fn function(update: AtomicUpdate, numbers: AtomicNumbers, size: u32) -> Option<fn(u64, u64, u64) -> u64> {
    Some(match (size, numbers) {
        (2, AtomicNumbers::BfloatBits) => functions!(update, numbers, u16, i16, bf16),
        (_, AtomicNumbers::BfloatBits) => return None,
        (2, _) => functions!(update, numbers, u16, i16, f16),
        (4, _) => functions!(update, numbers, u32, i32, f32),
        (8, _) => functions!(update, numbers, u64, i64, f64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(op: AtomicOpOp, size: u32, old: u64, a: u64, b: u64) -> u64 {
        (of_surface(op, size).unwrap().of)(old, a, b) & (u64::MAX >> (64 - size * 8))
    }

    #[test]
    fn integers() {
        assert_eq!(result(AtomicOpOp::Add, 2, 0xffff, 2, 0), 1);
        assert_eq!(result(AtomicOpOp::Dec, 4, 0, 0, 0), 0xffff_ffff);
        assert_eq!(result(AtomicOpOp::Min, 4, 0xffff_ffff, 1, 0), 1);
        assert_eq!(result(AtomicOpOp::Imin, 4, 0xffff_ffff, 1, 0), 0xffff_ffff);
        assert_eq!(result(AtomicOpOp::Imax, 2, 0xffff, 1, 0), 1);
        assert_eq!(result(AtomicOpOp::Imax, 8, u64::MAX, 1, 0), 1);
        assert_eq!(result(AtomicOpOp::Cmpxchg, 4, 5, 7, 5), 7, "the new value comes first");
        assert_eq!(result(AtomicOpOp::Cmpxchg, 4, 5, 7, 6), 5);
        assert_eq!((of_lsc(LscOp::LscAtomicIcas, 4).unwrap().of)(5, 5, 7), 7, "the expected value comes first");
        assert!(of_lsc(LscOp::LscLoad, 4).is_none());
        assert!(of_lsc(LscOp::LscAtomicBfadd, 4).is_none(), "bfloat16 has 16 bits");
        assert!(of_surface(AtomicOpOp::Add, 1).is_none());
    }

    #[test]
    fn floats() {
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(result(AtomicOpOp::Fadd, 4, bits(1.5), bits(2.0), 0), bits(3.5));
        assert_eq!(result(AtomicOpOp::Fmax, 4, bits(f32::NAN), bits(2.0), 0), bits(2.0));
        assert_eq!(result(AtomicOpOp::Fcmpwr, 4, bits(-0.0), bits(0.0), bits(9.0)), bits(9.0));
        assert_eq!(result(AtomicOpOp::Fsub, 8, 2.5_f64.to_bits(), 1.0_f64.to_bits(), 0), 1.5_f64.to_bits());
        assert_eq!(result(AtomicOpOp::Fadd, 2, 0x3c00, 0x3c00, 0), 0x4000);
        let brain = |op, a: f32, b: f32, c: f32| {
            let [a, b, c] = [a, b, c].map(|x| u64::from(bf16::from_f32(x).to_bits()));
            bf16::from_bits((of_lsc(op, 2).unwrap().of)(a, b, c) as u16).to_f32()
        };
        assert_eq!(brain(LscOp::LscAtomicBfadd, 1.5, 2.0, 0.0), 3.5);
        assert_eq!(brain(LscOp::LscAtomicBfadd, 256.0, 1.0, 0.0), 256.0, "the sum is rounded to 8 bits");
        assert_eq!(brain(LscOp::LscAtomicBfsub, 1.5, 2.0, 0.0), -0.5);
        assert_eq!(brain(LscOp::LscAtomicBfmin, -1.0, 2.0, 0.0), -1.0);
        assert_eq!(brain(LscOp::LscAtomicBfmax, -1.0, f32::NAN, 0.0), -1.0);
        assert_eq!(brain(LscOp::LscAtomicBfmin, f32::NAN, 2.0, 0.0), 2.0);
        assert_eq!(result(AtomicOpOp::Fmin, 2, 0x7e00, 0x3c00, 0), 0x3c00);
        assert_eq!(brain(LscOp::LscAtomicBfcas, -0.0, 0.0, 9.0), 9.0);
    }
}
