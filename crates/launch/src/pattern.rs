//! Buffers of numbers from a rule: repeated values, a range, or random numbers.

use super::scalar::{Number, Scalar};

/// Numbers of one type from a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Type of the numbers.
    pub scalar: Scalar,
    /// Number of elements.
    pub count: u64,
    /// Rule for the values.
    pub rule: Rule,
}

/// Rule for the values of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Repetition of these values.
    Fill(Vec<Number>),
    /// An arithmetic sequence.
    Range {
        /// First value.
        start: Number,
        /// Difference between values; may be negative for every type.
        step: Number,
    },
    /// Uniformly distributed random numbers from [`SplitMix64`].
    Random {
        /// Seed of the generator.
        seed: u64,
        /// Smallest value.
        low: Number,
        /// Largest value of integers; upper bound (exclusive) of floats.
        high: Number,
    },
}

impl Pattern {
    /// Returns the size of all numbers in bytes; `None` on overflow.
    pub fn size(&self) -> Option<u64> {
        self.count.checked_mul(self.scalar.size() as u64)
    }

    /// Appends the numbers' bytes. Integers of a range are clamped to the bounds of their type.
    pub fn put(&self, out: &mut Vec<u8>) {
        let scalar = self.scalar;
        match &self.rule {
            Rule::Fill(values) => {
                values.iter().cycle().take(self.count as usize).for_each(|value| value.put(scalar, out));
            }
            Rule::Range { start: Number::Integer(start), step: Number::Integer(step) } => {
                let (least, most) = scalar.bounds();
                let at = |n: u64| start.saturating_add(i128::from(n).saturating_mul(*step)).clamp(least, most);
                (0..self.count).for_each(|n| Number::Integer(at(n)).put(scalar, out));
            }
            Rule::Range { start, step } => {
                let (start, step) = (start.to_f64(), step.to_f64());
                (0..self.count).for_each(|n| scalar.round(start + n as f64 * step).put(scalar, out));
            }
            Rule::Random { seed, low, high } => {
                let mut random = SplitMix64(*seed);
                (0..self.count).for_each(|_| draw(scalar, &mut random, *low, *high).put(scalar, out));
            }
        }
    }
}

fn draw(scalar: Scalar, random: &mut SplitMix64, low: Number, high: Number) -> Number {
    let bits = random.next();
    if let (Number::Integer(low), Number::Integer(high)) = (low, high) {
        let span = (high - low + 1) as u128;
        return Number::Integer(low + ((u128::from(bits) * span) >> 64) as i128);
    }
    // As many bits as the type's mantissa, so that no value rounds up to one.
    let digits = match scalar {
        Scalar::F16 => 11,
        Scalar::F32 => 24,
        _ => 53,
    };
    let part = (bits >> (64 - digits)) as f64 / (1_u64 << digits) as f64;
    scalar.round(low.to_f64() + part * (high.to_f64() - low.to_f64()))
}

/// Generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014). A seed yields the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns the next 64 bits.
    #[allow(clippy::should_implement_trait, reason = "the sequence is infinite, so there is no Option")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(scalar: Scalar, count: u64, rule: Rule) -> Vec<Number> {
        let mut bytes = Vec::new();
        Pattern { scalar, count, rule }.put(&mut bytes);
        scalar.numbers(&bytes).collect()
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix64(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn rules_give_numbers() {
        let integers = |values: &[i128]| values.iter().map(|&n| Number::Integer(n)).collect::<Vec<_>>();
        let fill = Rule::Fill(integers(&[1, -2]));
        assert_eq!(numbers(Scalar::I8, 3, fill), integers(&[1, -2, 1]));
        let range = Rule::Range { start: Number::Integer(5), step: Number::Integer(-2) };
        assert_eq!(numbers(Scalar::U16, 3, range), integers(&[5, 3, 1]));
        let range = Rule::Range { start: Number::Single(0.5), step: Number::Single(0.25) };
        assert_eq!(numbers(Scalar::F32, 3, range), [0.5, 0.75, 1.0].map(Number::Single));
    }

    #[test]
    fn random_numbers_stay_in_their_range() {
        for scalar in [Scalar::F16, Scalar::F32, Scalar::F64] {
            let rule = Rule::Random { seed: 7, low: scalar.round(0.0), high: scalar.round(1.0) };
            let drawn = numbers(scalar, 4000, rule);
            assert!(drawn.iter().all(|n| (0.0..1.0).contains(&n.to_f64())), "{scalar:?}");
            let mean = drawn.iter().map(|n| n.to_f64()).sum::<f64>() / 4000.0;
            assert!((mean - 0.5).abs() < 0.03, "{scalar:?}: {mean}");
        }
        let rule = Rule::Random { seed: 0, low: Number::Integer(-1), high: Number::Integer(1) };
        let drawn = numbers(Scalar::I32, 100, rule);
        for wanted in -1..=1 {
            assert!(drawn.contains(&Number::Integer(wanted)), "{wanted}");
        }
        assert!(drawn.iter().all(|n| (-1..=1).contains(&n.rank())));
        let (least, most) = Scalar::U64.bounds();
        let rule = Rule::Random { seed: 1_234_567, low: Number::Integer(least), high: Number::Integer(most) };
        assert_eq!(numbers(Scalar::U64, 1, rule), [Number::Integer(6_457_827_717_110_365_317)]);
    }
}
