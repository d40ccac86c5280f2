//! Sums of the products of matrices.

use super::elements::{Row, TOGETHER};
use visakit_machine::float::{sum_error, sum_to_odd};

/// Returns the sums of some starts and of the products of each column with a row, which are exact
/// until they are rounded to odd, so that rounding to a shorter float is a single rounding. The
/// products are exact, because the factors are short.
#[inline(always)]
pub(super) fn sums(starts: Row<f64>, columns: &[Row<f64>], row: &[f64]) -> Row<f64> {
    exact_sums(starts, columns, row).unwrap_or_else(|| {
        std::array::from_fn(|i| Total::of(starts[i], columns.iter().map(|row| row[i]), row).to_odd())
    })
}

/// Returns the sums of some starts and of the products of each column with a row. Returns `None`
/// if a sum is not exact.
#[inline(always)]
fn exact_sums(starts: Row<f64>, columns: &[Row<f64>], row: &[f64]) -> Option<Row<f64>> {
    let (mut sums, mut lost) = (starts, [0.0; TOGETHER]);
    for (column, y) in columns.iter().zip(row) {
        for i in 0..TOGETHER {
            let value = column[i] * y;
            let sum = sums[i] + value;
            lost[i] += sum_error(sums[i], value, sum).abs();
            sums[i] = sum;
        }
    }
    // The errors of infinities and NaNs are NaNs.
    lost.iter().all(|lost| *lost == 0.0).then_some(sums)
}

/// Exact sum as a list of non-overlapping parts in ascending order (Shewchuk 1997).
struct Total {
    parts: Vec<f64>,
    /// Sum of infinities and NaNs.
    special: f64,
}

impl Total {
    /// Returns the sum of a start and of the products of a column and a row.
    fn of(start: f64, column: impl Iterator<Item = f64>, row: &[f64]) -> Self {
        // Adding a negative zero preserves every value.
        let mut total = Self { parts: Vec::with_capacity(4), special: -0.0 };
        total.add(start);
        column.zip(row).for_each(|(x, y)| total.add(x * y));
        total
    }

    fn add(&mut self, mut value: f64) {
        if !value.is_finite() {
            self.special += value;
            return;
        }
        let mut kept = 0;
        for n in 0..self.parts.len() {
            let sum = self.parts[n] + value;
            let lost = sum_error(self.parts[n], value, sum);
            if lost != 0.0 {
                self.parts[kept] = lost;
                kept += 1;
            }
            value = sum;
        }
        self.parts.truncate(kept);
        self.parts.push(value);
    }

    /// Returns the sum rounded to odd, so that rounding to a shorter float is a single rounding.
    fn to_odd(&self) -> f64 {
        let mut parts = self.parts.iter().rev();
        let mut sum = parts.next().copied().unwrap_or(0.0) + self.special;
        if !sum.is_finite() {
            return sum;
        }
        // The parts after an inexact addition are smaller than its error.
        for part in parts {
            let all = sum + part;
            if sum_error(sum, *part, all) != 0.0 {
                return sum_to_odd(sum, *part);
            }
            sum = all;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums that are exact in DF equal the exact sums; the others are found.
    #[test]
    fn exact_sums_and_others() {
        let mut state = 5_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let (mut exact, mut inexact) = (0, 0);
        for round in 0..2000 {
            // Exponents are close, or far from each other; some elements are zeros or infinite.
            let spread = [4, 20, 60][round % 3];
            let mut value = || {
                let size = 2_f64.powi((random() % spread) as i32 - spread as i32 / 2);
                let sign = if random() % 2 == 0 { 1.0 } else { -1.0 };
                match random() % 40 {
                    0 => sign * 0.0,
                    1 if round % 5 == 0 => sign * f64::INFINITY,
                    _ => sign * size * (random() % 2048) as f64,
                }
            };
            let columns: Vec<Row<f64>> = (0..16).map(|_| std::array::from_fn(|_| value())).collect();
            let row: Vec<f64> = (0..16).map(|_| value()).collect();
            let starts: Row<f64> = std::array::from_fn(|_| value());
            let want: Row<f64> =
                std::array::from_fn(|i| Total::of(starts[i], columns.iter().map(|row| row[i]), &row).to_odd());
            match exact_sums(starts, &columns, &row) {
                Some(sums) => {
                    exact += 1;
                    assert_eq!(sums.map(f64::to_bits), want.map(f64::to_bits), "round {round}");
                }
                None => inexact += 1,
            }
        }
        assert!(exact > 300 && inexact > 300, "{exact} {inexact}");
    }
}
