//! Atomic operations: the new value in memory by the lists `Atomic_op` and `Lsc_op`. Memory
//! computes independently of the thread's modes: floats are rounded to nearest and keep subnormal
//! numbers.

use visakit::isa::{AtomicNumbers as Numbers, AtomicOpOp, AtomicUpdate as Step, LscOp};
use visakit_machine::float::FloatMode;

use crate::convert::ones;
use crate::float::{Format, Join};

/// Atomic operation on a value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    step: Step,
    numbers: Numbers,
}

impl Update {
    /// Returns the operation of a message to a surface or to flat memory.
    pub(crate) fn of_surface(op: AtomicOpOp) -> Self {
        Self { step: op.update(), numbers: op.numbers() }
    }

    /// Returns the operation of an LSC message, or `None` if it is not atomic.
    pub(crate) fn of_lsc(op: LscOp) -> Option<Self> {
        Some(Self { step: op.update()?, numbers: op.numbers()? })
    }

    /// Returns the float format of `bytes` bytes, if the operation is on floats.
    pub(crate) fn format(self, bytes: u32) -> Option<Format> {
        match (self.numbers, bytes) {
            (Numbers::FloatBits, 2) => Some(Format::Half),
            (Numbers::FloatBits, 4) => Some(Format::Single),
            (Numbers::FloatBits, 8) => Some(Format::Double),
            (Numbers::BfloatBits, 2) => Some(Format::Brain),
            _ => None,
        }
    }

    /// Returns true if the operation adds or subtracts floats, in which case the NaN of the result
    /// is unspecified.
    pub(crate) fn adds_floats(self) -> bool {
        matches!(self.numbers, Numbers::FloatBits | Numbers::BfloatBits)
            && matches!(self.step, Step::Add | Step::Subtract)
    }

    /// Returns the new value of `bytes` bytes.
    pub(crate) fn apply(self, bytes: u32, old: u64, operands: [u64; 2]) -> u64 {
        let mask = ones(bytes * 8);
        let (old, [a, b]) = (old & mask, operands.map(|bits| bits & mask));
        let choose = |condition: bool, then: u64, otherwise: u64| if condition { then } else { otherwise };
        let new = match self.step {
            Step::Load => old,
            Step::Store => a,
            Step::Increment => old.wrapping_add(1),
            Step::Decrement => old.wrapping_sub(1),
            Step::Add => self.format(bytes).map_or(old.wrapping_add(a), |f| joined(f, Join::Sum, old, a)),
            Step::Subtract => self.format(bytes).map_or(old.wrapping_sub(a), |f| joined(f, Join::Difference, old, a)),
            Step::Smaller => choose(self.is_less(bytes, a, old) || self.is_nan(bytes, old), a, old),
            Step::Larger => choose(self.is_less(bytes, old, a) || self.is_nan(bytes, old), a, old),
            Step::And => old & a,
            Step::Or => old | a,
            Step::Xor => old ^ a,
            Step::ExchangeIfFirst => choose(self.is_equal(bytes, old, a), b, old),
            Step::ExchangeIfSecond => choose(self.is_equal(bytes, old, b), a, old),
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
            Numbers::SignedBits => ((x << unused) as i64) < ((y << unused) as i64),
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
