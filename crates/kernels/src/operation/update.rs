//! Atomic operations on a value in memory, and their commutativity.

use half::{bf16, f16};

use visakit::isa::{AtomicOpOp, AtomicOpOpReturns, LscOp};
use visakit_native::ir::Change;

/// An atomic operation on a value in memory.
#[derive(Clone, Copy)]
pub(crate) struct Update {
    /// True if several such operations leave the same value in any order.
    pub(crate) commutes: bool,
    /// Kind of the operation; operations of the same kind commute, if at all.
    pub(crate) kind: (Family, u32),
    /// True if the result is the new value; false if the old one.
    pub(crate) returns_new: bool,
    /// Corresponding native operation, if it exists.
    pub(crate) change: Option<Change>,
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
    One(AtomicOp),
    /// A single operation on bfloat16.
    Brain(AtomicOp),
}

/// Atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Load,
    Exchange,
    /// Stores the second operand if the old value equals the first.
    CompareExchange,
    /// Stores the first operand if the old value equals the second.
    CompareExchangeSwapped,
    Add,
    Sub,
    Increment,
    Decrement,
    Min,
    Max,
    SignedMin,
    SignedMax,
    And,
    Or,
    Xor,
    FloatAdd,
    FloatSub,
    FloatMin,
    FloatMax,
    /// As [`AtomicOp::CompareExchange`], with a float comparison.
    FloatCompareExchange,
}

impl AtomicOp {
    fn change(self) -> Option<Change> {
        Some(match self {
            Self::Add => Change::Add,
            Self::Sub => Change::Sub,
            Self::Increment => Change::Increment,
            Self::Decrement => Change::Decrement,
            Self::And => Change::And,
            Self::Or => Change::Or,
            Self::Xor => Change::Xor,
            _ => return None,
        })
    }

    fn family(self) -> Family {
        match self {
            Self::Add | Self::Sub | Self::Increment | Self::Decrement => Family::Sum,
            other => Family::One(other),
        }
    }
}

/// Returns the operation of a surface or SVM message; `None` for an unsupported size.
pub(crate) fn of_surface(op: AtomicOpOp, size: u32) -> Option<Update> {
    let returns_new = op.returns() == AtomicOpOpReturns::New;
    let (commutes, op) = (
        op.commutes(),
        match op {
            AtomicOpOp::Add => AtomicOp::Add,
            AtomicOpOp::Sub => AtomicOp::Sub,
            AtomicOpOp::Inc => AtomicOp::Increment,
            AtomicOpOp::Dec | AtomicOpOp::Predec => AtomicOp::Decrement,
            AtomicOpOp::Min => AtomicOp::Min,
            AtomicOpOp::Max => AtomicOp::Max,
            AtomicOpOp::Xchg => AtomicOp::Exchange,
            AtomicOpOp::Cmpxchg => AtomicOp::CompareExchangeSwapped,
            AtomicOpOp::And => AtomicOp::And,
            AtomicOpOp::Or => AtomicOp::Or,
            AtomicOpOp::Xor => AtomicOp::Xor,
            AtomicOpOp::Imin => AtomicOp::SignedMin,
            AtomicOpOp::Imax => AtomicOp::SignedMax,
            AtomicOpOp::Fmax => AtomicOp::FloatMax,
            AtomicOpOp::Fmin => AtomicOp::FloatMin,
            AtomicOpOp::Fcmpwr => AtomicOp::FloatCompareExchange,
            AtomicOpOp::Fadd => AtomicOp::FloatAdd,
            AtomicOpOp::Fsub => AtomicOp::FloatSub,
        },
    );
    let (kind, change) = ((op.family(), size), op.change());
    Some(Update { commutes, kind, returns_new, change, size, of: function(op, size)? })
}

macro_rules! functions {
    ($op:expr, $unsigned:ty, $signed:ty, $float:ty) => {{
        // Patterns of fewer than 64 bits are zero-extended; result bits above their width are
        // ignored.
        fn float(bits: u64) -> $float {
            <$float>::from_bits(bits as $unsigned)
        }
        fn back(value: $float) -> u64 {
            value.to_bits().into()
        }
        let function: fn(u64, u64, u64) -> u64 = match $op {
            AtomicOp::Add => |old, a, _| old.wrapping_add(a),
            AtomicOp::Sub => |old, a, _| old.wrapping_sub(a),
            AtomicOp::Increment => |old, _, _| old.wrapping_add(1),
            AtomicOp::Decrement => |old, _, _| old.wrapping_sub(1),
            AtomicOp::Min => |old, a, _| (old as $unsigned).min(a as $unsigned).into(),
            AtomicOp::Max => |old, a, _| (old as $unsigned).max(a as $unsigned).into(),
            AtomicOp::SignedMin => |old, a, _| (old as $signed).min(a as $signed) as u64,
            AtomicOp::SignedMax => |old, a, _| (old as $signed).max(a as $signed) as u64,
            AtomicOp::Exchange => |_, a, _| a,
            AtomicOp::Load => |old, _, _| old,
            AtomicOp::CompareExchangeSwapped => |old, a, b| if old as $unsigned == b as $unsigned { a } else { old },
            AtomicOp::CompareExchange => |old, a, b| if old as $unsigned == a as $unsigned { b } else { old },
            AtomicOp::And => |old, a, _| old & a,
            AtomicOp::Or => |old, a, _| old | a,
            AtomicOp::Xor => |old, a, _| old ^ a,
            AtomicOp::FloatAdd => |old, a, _| back(float(old) + float(a)),
            AtomicOp::FloatSub => |old, a, _| back(float(old) - float(a)),
            // If one value is NaN, the result is the other; the library does not guarantee this.
            AtomicOp::FloatMin => |old, a, _| if float(a) < float(old) || float(old).is_nan() { a } else { old },
            AtomicOp::FloatMax => |old, a, _| if float(old) < float(a) || float(old).is_nan() { a } else { old },
            AtomicOp::FloatCompareExchange => |old, a, b| if float(old) == float(a) { b } else { old },
        };
        function
    }};
}

/// Returns the operation of an LSC message; `None` if it is not atomic.
pub(crate) fn of_lsc(op: LscOp, size: u32) -> Option<Update> {
    // All of these operations return the old value.
    let commutes = op.commutes().unwrap_or(false);
    // Bfloat16 has separate operations.
    let (op, is_brain) = match op {
        LscOp::LscAtomicIinc => (AtomicOp::Increment, false),
        LscOp::LscAtomicIdec => (AtomicOp::Decrement, false),
        LscOp::LscAtomicLoad => (AtomicOp::Load, false),
        LscOp::LscAtomicStore => (AtomicOp::Exchange, false),
        LscOp::LscAtomicIadd => (AtomicOp::Add, false),
        LscOp::LscAtomicIsub => (AtomicOp::Sub, false),
        LscOp::LscAtomicSmin => (AtomicOp::SignedMin, false),
        LscOp::LscAtomicSmax => (AtomicOp::SignedMax, false),
        LscOp::LscAtomicUmin => (AtomicOp::Min, false),
        LscOp::LscAtomicUmax => (AtomicOp::Max, false),
        LscOp::LscAtomicIcas => (AtomicOp::CompareExchange, false),
        LscOp::LscAtomicFadd => (AtomicOp::FloatAdd, false),
        LscOp::LscAtomicFsub => (AtomicOp::FloatSub, false),
        LscOp::LscAtomicFmin => (AtomicOp::FloatMin, false),
        LscOp::LscAtomicFmax => (AtomicOp::FloatMax, false),
        LscOp::LscAtomicFcas => (AtomicOp::FloatCompareExchange, false),
        LscOp::LscAtomicAnd => (AtomicOp::And, false),
        LscOp::LscAtomicOr => (AtomicOp::Or, false),
        LscOp::LscAtomicXor => (AtomicOp::Xor, false),
        LscOp::LscAtomicBfadd => (AtomicOp::FloatAdd, true),
        LscOp::LscAtomicBfsub => (AtomicOp::FloatSub, true),
        LscOp::LscAtomicBfmin => (AtomicOp::FloatMin, true),
        LscOp::LscAtomicBfmax => (AtomicOp::FloatMax, true),
        LscOp::LscAtomicBfcas => (AtomicOp::FloatCompareExchange, true),
        _ => return None,
    };
    let (family, of) = match is_brain {
        true if size == 2 => (Family::Brain(op), functions!(op, u16, i16, bf16)),
        true => return None,
        false => (op.family(), function(op, size)?),
    };
    Some(Update { commutes, kind: (family, size), returns_new: false, change: op.change(), size, of })
}

/// Returns the function of an operation on values of `size` bytes.
fn function(op: AtomicOp, size: u32) -> Option<fn(u64, u64, u64) -> u64> {
    Some(match size {
        2 => functions!(op, u16, i16, f16),
        4 => functions!(op, u32, i32, f32),
        8 => functions!(op, u64, i64, f64),
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
