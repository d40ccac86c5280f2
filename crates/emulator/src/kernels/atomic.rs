//! Atomic operations: what a read-modify-write makes of a value.

use half::f16;

use visakit::isa::{AtomicOpOp, LscOp};

/// What an atomic operation does to memory.
#[derive(Clone, Copy)]
pub(super) struct Update {
    /// The new value: of the old one and the two operands, as unsigned patterns.
    pub(super) of: fn(old: u64, first: u64, second: u64) -> u64,
    /// Whether any order of several gives the same in the end.
    pub(super) commutes: bool,
}

/// How the values of an atomic operation are taken.
#[derive(Clone, Copy)]
enum Kind {
    Add,
    Sub,
    Inc,
    Dec,
    Least,
    Most,
    LeastSigned,
    MostSigned,
    Set,
    Keep,
    /// The first operand where the old value is the second.
    SwapIfSecond,
    /// The second operand where the old value is the first.
    SwapIfFirst,
    And,
    Or,
    Xor,
    FloatAdd,
    FloatSub,
    FloatLeast,
    FloatMost,
    FloatSwapIfFirst,
}

/// The operation of a surface or SVM message.
pub(super) fn update(op: AtomicOpOp, size: u32) -> Option<Update> {
    let kind = match op {
        AtomicOpOp::Add => Kind::Add,
        AtomicOpOp::Sub => Kind::Sub,
        AtomicOpOp::Inc => Kind::Inc,
        AtomicOpOp::Dec | AtomicOpOp::Predec => Kind::Dec,
        AtomicOpOp::Min => Kind::Least,
        AtomicOpOp::Max => Kind::Most,
        AtomicOpOp::Xchg => Kind::Set,
        AtomicOpOp::Cmpxchg => Kind::SwapIfSecond,
        AtomicOpOp::And => Kind::And,
        AtomicOpOp::Or => Kind::Or,
        AtomicOpOp::Xor => Kind::Xor,
        AtomicOpOp::Imin => Kind::LeastSigned,
        AtomicOpOp::Imax => Kind::MostSigned,
        AtomicOpOp::Fmax => Kind::FloatMost,
        AtomicOpOp::Fmin => Kind::FloatLeast,
        AtomicOpOp::Fcmpwr => Kind::FloatSwapIfFirst,
        AtomicOpOp::Fadd => Kind::FloatAdd,
        AtomicOpOp::Fsub => Kind::FloatSub,
    };
    function(kind, size)
}

/// The operation of an LSC message; `None` for one that is no atomic.
pub(super) fn lsc_update(op: LscOp, size: u32) -> Option<Update> {
    let kind = match op {
        LscOp::LscAtomicIinc => Kind::Inc,
        LscOp::LscAtomicIdec => Kind::Dec,
        LscOp::LscAtomicLoad => Kind::Keep,
        LscOp::LscAtomicStore => Kind::Set,
        LscOp::LscAtomicIadd => Kind::Add,
        LscOp::LscAtomicIsub => Kind::Sub,
        LscOp::LscAtomicSmin => Kind::LeastSigned,
        LscOp::LscAtomicSmax => Kind::MostSigned,
        LscOp::LscAtomicUmin => Kind::Least,
        LscOp::LscAtomicUmax => Kind::Most,
        LscOp::LscAtomicIcas => Kind::SwapIfFirst,
        LscOp::LscAtomicFadd => Kind::FloatAdd,
        LscOp::LscAtomicFsub => Kind::FloatSub,
        LscOp::LscAtomicFmin => Kind::FloatLeast,
        LscOp::LscAtomicFmax => Kind::FloatMost,
        LscOp::LscAtomicFcas => Kind::FloatSwapIfFirst,
        LscOp::LscAtomicAnd => Kind::And,
        LscOp::LscAtomicOr => Kind::Or,
        LscOp::LscAtomicXor => Kind::Xor,
        _ => return None,
    };
    function(kind, size)
}

impl Kind {
    /// Sums of floats are rounded each time, and of two zeros either may be the least.
    fn commutes(self) -> bool {
        match self {
            Self::Add | Self::Sub | Self::Inc | Self::Dec | Self::And | Self::Or | Self::Xor | Self::Keep => true,
            Self::Least | Self::Most | Self::LeastSigned | Self::MostSigned => true,
            Self::Set | Self::SwapIfSecond | Self::SwapIfFirst => false,
            Self::FloatAdd | Self::FloatSub | Self::FloatLeast | Self::FloatMost | Self::FloatSwapIfFirst => false,
        }
    }
}

macro_rules! functions {
    ($kind:expr, $unsigned:ty, $signed:ty, $float:ty) => {{
        // Patterns of fewer bits than 64 come zero-extended; what is above them is not stored.
        fn float(bits: u64) -> $float {
            <$float>::from_bits(bits as $unsigned)
        }
        fn back(value: $float) -> u64 {
            value.to_bits().into()
        }
        let function: fn(u64, u64, u64) -> u64 = match $kind {
            Kind::Add => |old, a, _| old.wrapping_add(a),
            Kind::Sub => |old, a, _| old.wrapping_sub(a),
            Kind::Inc => |old, _, _| old.wrapping_add(1),
            Kind::Dec => |old, _, _| old.wrapping_sub(1),
            Kind::Least => |old, a, _| (old as $unsigned).min(a as $unsigned).into(),
            Kind::Most => |old, a, _| (old as $unsigned).max(a as $unsigned).into(),
            Kind::LeastSigned => |old, a, _| (old as $signed).min(a as $signed) as u64,
            Kind::MostSigned => |old, a, _| (old as $signed).max(a as $signed) as u64,
            Kind::Set => |_, a, _| a,
            Kind::Keep => |old, _, _| old,
            Kind::SwapIfSecond => |old, a, b| if old as $unsigned == b as $unsigned { a } else { old },
            Kind::SwapIfFirst => |old, a, b| if old as $unsigned == a as $unsigned { b } else { old },
            Kind::And => |old, a, _| old & a,
            Kind::Or => |old, a, _| old | a,
            Kind::Xor => |old, a, _| old ^ a,
            Kind::FloatAdd => |old, a, _| back(float(old) + float(a)),
            Kind::FloatSub => |old, a, _| back(float(old) - float(a)),
            Kind::FloatLeast => |old, a, _| back(float(old).min(float(a))),
            Kind::FloatMost => |old, a, _| back(float(old).max(float(a))),
            Kind::FloatSwapIfFirst => |old, a, b| if float(old) == float(a) { b } else { old },
        };
        function
    }};
}

fn function(kind: Kind, size: u32) -> Option<Update> {
    let of = match size {
        2 => functions!(kind, u16, i16, f16),
        4 => functions!(kind, u32, i32, f32),
        8 => functions!(kind, u64, i64, f64),
        _ => return None,
    };
    Some(Update { of, commutes: kind.commutes() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(op: AtomicOpOp, size: u32, old: u64, a: u64, b: u64) -> u64 {
        (update(op, size).unwrap().of)(old, a, b) & (u64::MAX >> (64 - size * 8))
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
        assert_eq!((lsc_update(LscOp::LscAtomicIcas, 4).unwrap().of)(5, 5, 7), 7, "the expected value comes first");
        assert!(lsc_update(LscOp::LscLoad, 4).is_none());
        assert!(update(AtomicOpOp::Add, 1).is_none());
    }

    #[test]
    fn floats() {
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(result(AtomicOpOp::Fadd, 4, bits(1.5), bits(2.0), 0), bits(3.5));
        assert_eq!(result(AtomicOpOp::Fmax, 4, bits(f32::NAN), bits(2.0), 0), bits(2.0));
        assert_eq!(result(AtomicOpOp::Fcmpwr, 4, bits(-0.0), bits(0.0), bits(9.0)), bits(9.0));
        assert_eq!(result(AtomicOpOp::Fsub, 8, 2.5_f64.to_bits(), 1.0_f64.to_bits(), 0), 1.5_f64.to_bits());
        assert_eq!(result(AtomicOpOp::Fadd, 2, 0x3c00, 0x3c00, 0), 0x4000);
    }
}
