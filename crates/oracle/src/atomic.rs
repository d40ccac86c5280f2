//! Atomic operations: the new value in memory by the lists `Atomic_op` and `Lsc_op`. Memory
//! computes independently of the thread's modes: floats are rounded to nearest and keep subnormal
//! numbers.

use visakit::isa::{AtomicOpOp, LscOp};
use visakit_machine::float::FloatMode;

use crate::convert::ones;
use crate::float::{Format, Join};

/// Atomic operation on a value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    step: Step,
    numbers: Numbers,
}

/// Function from the old value and the operands to the new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Old,
    First,
    More,
    Less,
    Sum,
    Difference,
    Smaller,
    Larger,
    And,
    Or,
    Xor,
    /// Second operand if the old value equals the first operand.
    SecondIfFirst,
    /// First operand if the old value equals the second operand.
    FirstIfSecond,
}

/// Interpretation of the bits as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    Unsigned,
    Signed,
    Float,
    Brain,
}

impl Update {
    /// Returns the operation of a message to a surface or to flat memory.
    pub(crate) fn of_surface(op: AtomicOpOp) -> Self {
        use AtomicOpOp as O;
        let (step, numbers) = match op {
            O::Add => (Step::Sum, Numbers::Unsigned),
            O::Sub => (Step::Difference, Numbers::Unsigned),
            O::Inc => (Step::More, Numbers::Unsigned),
            O::Dec | O::Predec => (Step::Less, Numbers::Unsigned),
            O::Min => (Step::Smaller, Numbers::Unsigned),
            O::Max => (Step::Larger, Numbers::Unsigned),
            O::Xchg => (Step::First, Numbers::Unsigned),
            O::Cmpxchg => (Step::FirstIfSecond, Numbers::Unsigned),
            O::And => (Step::And, Numbers::Unsigned),
            O::Or => (Step::Or, Numbers::Unsigned),
            O::Xor => (Step::Xor, Numbers::Unsigned),
            O::Imin => (Step::Smaller, Numbers::Signed),
            O::Imax => (Step::Larger, Numbers::Signed),
            O::Fmax => (Step::Larger, Numbers::Float),
            O::Fmin => (Step::Smaller, Numbers::Float),
            O::Fcmpwr => (Step::SecondIfFirst, Numbers::Float),
            O::Fadd => (Step::Sum, Numbers::Float),
            O::Fsub => (Step::Difference, Numbers::Float),
        };
        Self { step, numbers }
    }

    /// Returns the operation of an LSC message, or `None` if it is not atomic.
    pub(crate) fn of_lsc(op: LscOp) -> Option<Self> {
        use LscOp as O;
        let (step, numbers) = match op {
            O::LscAtomicIinc => (Step::More, Numbers::Unsigned),
            O::LscAtomicIdec => (Step::Less, Numbers::Unsigned),
            O::LscAtomicLoad => (Step::Old, Numbers::Unsigned),
            O::LscAtomicStore => (Step::First, Numbers::Unsigned),
            O::LscAtomicIadd => (Step::Sum, Numbers::Unsigned),
            O::LscAtomicIsub => (Step::Difference, Numbers::Unsigned),
            O::LscAtomicSmin => (Step::Smaller, Numbers::Signed),
            O::LscAtomicSmax => (Step::Larger, Numbers::Signed),
            O::LscAtomicUmin => (Step::Smaller, Numbers::Unsigned),
            O::LscAtomicUmax => (Step::Larger, Numbers::Unsigned),
            O::LscAtomicIcas => (Step::SecondIfFirst, Numbers::Unsigned),
            O::LscAtomicFadd => (Step::Sum, Numbers::Float),
            O::LscAtomicFsub => (Step::Difference, Numbers::Float),
            O::LscAtomicFmin => (Step::Smaller, Numbers::Float),
            O::LscAtomicFmax => (Step::Larger, Numbers::Float),
            O::LscAtomicFcas => (Step::SecondIfFirst, Numbers::Float),
            O::LscAtomicAnd => (Step::And, Numbers::Unsigned),
            O::LscAtomicOr => (Step::Or, Numbers::Unsigned),
            O::LscAtomicXor => (Step::Xor, Numbers::Unsigned),
            O::LscAtomicBfadd => (Step::Sum, Numbers::Brain),
            O::LscAtomicBfsub => (Step::Difference, Numbers::Brain),
            O::LscAtomicBfmin => (Step::Smaller, Numbers::Brain),
            O::LscAtomicBfmax => (Step::Larger, Numbers::Brain),
            O::LscAtomicBfcas => (Step::SecondIfFirst, Numbers::Brain),
            _ => return None,
        };
        Some(Self { step, numbers })
    }

    /// Returns the float format of `bytes` bytes, if the operation is on floats.
    pub(crate) fn format(self, bytes: u32) -> Option<Format> {
        match (self.numbers, bytes) {
            (Numbers::Float, 2) => Some(Format::Half),
            (Numbers::Float, 4) => Some(Format::Single),
            (Numbers::Float, 8) => Some(Format::Double),
            (Numbers::Brain, 2) => Some(Format::Brain),
            _ => None,
        }
    }

    /// Returns true if the operation adds or subtracts floats, in which case the NaN of the result
    /// is unspecified.
    pub(crate) fn adds_floats(self) -> bool {
        matches!(self.numbers, Numbers::Float | Numbers::Brain) && matches!(self.step, Step::Sum | Step::Difference)
    }

    /// Returns the new value of `bytes` bytes.
    pub(crate) fn apply(self, bytes: u32, old: u64, operands: [u64; 2]) -> u64 {
        let mask = ones(bytes * 8);
        let (old, [a, b]) = (old & mask, operands.map(|bits| bits & mask));
        let choose = |condition: bool, then: u64, otherwise: u64| if condition { then } else { otherwise };
        let new = match self.step {
            Step::Old => old,
            Step::First => a,
            Step::More => old.wrapping_add(1),
            Step::Less => old.wrapping_sub(1),
            Step::Sum => self.format(bytes).map_or(old.wrapping_add(a), |f| joined(f, Join::Sum, old, a)),
            Step::Difference => {
                self.format(bytes).map_or(old.wrapping_sub(a), |f| joined(f, Join::Difference, old, a))
            }
            Step::Smaller => choose(self.is_less(bytes, a, old) || self.is_nan(bytes, old), a, old),
            Step::Larger => choose(self.is_less(bytes, old, a) || self.is_nan(bytes, old), a, old),
            Step::And => old & a,
            Step::Or => old | a,
            Step::Xor => old ^ a,
            Step::SecondIfFirst => choose(self.is_equal(bytes, old, a), b, old),
            Step::FirstIfSecond => choose(self.is_equal(bytes, old, b), a, old),
        };
        new & mask
    }

    /// Returns true for a NaN. Of a NaN and a number, the operation takes the number.
    fn is_nan(self, bytes: u32, x: u64) -> bool {
        self.format(bytes).is_some_and(|format| format.is_nan(x))
    }

    fn is_less(self, bytes: u32, x: u64, y: u64) -> bool {
        if let Some(format) = self.format(bytes) {
            return format.compare(x, y, FloatMode::PLAIN) == Some(std::cmp::Ordering::Less);
        }
        let unused = 64 - bytes * 8;
        match self.numbers {
            Numbers::Signed => ((x << unused) as i64) < ((y << unused) as i64),
            _ => x < y,
        }
    }

    fn is_equal(self, bytes: u32, x: u64, y: u64) -> bool {
        let Some(format) = self.format(bytes) else { return x == y };
        format.compare(x, y, FloatMode::PLAIN) == Some(std::cmp::Ordering::Equal)
    }
}

fn joined(format: Format, how: Join, a: u64, b: u64) -> u64 {
    format.join(how, [a, b, 0], FloatMode::PLAIN)
}
