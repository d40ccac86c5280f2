//! Tested operations, each with a host function that returns the page's own result. IEEE 754
//! operations use the processor; real functions use the correctly rounded library that also
//! evaluates the pages.

use half::{bf16, f16};

/// Operation on one 32-bit source.
pub(crate) struct Operation {
    name: &'static str,
    /// Types of source and destination.
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    /// Distance in steps of the format that the page allows on either side.
    near: u64,
    /// Source modifier; `{}` stands for the operand.
    source: &'static str,
    function: fn(u32) -> u64,
}

impl Operation {
    /// Returns the instruction for 16 channels.
    pub(crate) fn text(&self, to: &str, from: &str) -> String {
        format!(
            "{} (M1_NM, 16) {to}(0,0)<1> {}",
            self.name,
            self.source.replace("{}", &format!("{from}(0,0)<1;1,0>"))
        )
    }

    /// Returns a short description.
    pub(crate) fn shown(&self) -> String {
        format!("{} {} -> {}", self.name, self.source.replace("{}", self.from), self.to)
    }

    /// Returns the size of a result in bytes.
    pub(crate) fn size(&self) -> usize {
        match self.to {
            "b" | "ub" => 1,
            "w" | "uw" | "hf" | "bf" => 2,
            "q" | "uq" | "df" => 8,
            _ => 4,
        }
    }

    /// Returns true if subnormal numbers can affect the result.
    pub(crate) fn has_floats(&self) -> bool {
        self.from == "f" && self.near > 0
            || self.to == "hf"
            || ["frc", "rnd"].iter().any(|n| self.name.starts_with(n))
    }

    /// Returns the result for a value. With `flush`, subnormal numbers of F and HF become zero in
    /// source and result.
    pub(crate) fn reference(&self, value: u32, flush: bool) -> u64 {
        let is_small = |exponent: u32, bits: u32| bits & exponent == 0;
        let value = if flush && self.from == "f" && is_small(0x7f80_0000, value) { value & 1 << 31 } else { value };
        let result = (self.function)(value);
        match (flush, self.to) {
            (true, "f") if is_small(0x7f80_0000, result as u32) => result & 1 << 31,
            (true, "hf") if is_small(0x7c00, result as u32) => result & 1 << 15,
            _ => result,
        }
    }

    /// Returns the exponent bits of the destination's type if it is a float.
    fn exponent(&self) -> Option<u64> {
        Some(match self.to {
            "f" => 0x7f80_0000,
            "hf" => 0x7c00,
            "bf" => 0x7f80,
            "df" => 0x7ff0 << 48,
            _ => return None,
        })
    }

    fn is_nan(&self, bits: u64) -> bool {
        let magnitude = bits & !(1 << (self.size() * 8 - 1));
        self.exponent().is_some_and(|infinity| magnitude > infinity)
    }

    /// Returns true if both values are NaNs.
    pub(crate) fn both_nan(&self, a: u64, b: u64) -> bool {
        self.is_nan(a) && self.is_nan(b)
    }

    /// Returns the distance of two values in steps of the format.
    pub(crate) fn steps(&self, a: u64, b: u64) -> u64 {
        if self.is_nan(a) || self.is_nan(b) {
            return u64::MAX;
        }
        let sign = 1 << (self.size() * 8 - 1);
        let rank = |bits: u64| if bits & sign == 0 { bits as i128 } else { -((bits & !sign) as i128) };
        (rank(a) - rank(b)).unsigned_abs() as u64
    }

    /// Returns true if the page allows `found` where its own result is `wanted`. If not, the page
    /// itself decides.
    pub(crate) fn is_near(&self, wanted: u64, found: u64) -> bool {
        self.both_nan(wanted, found) || self.near > 0 && self.steps(wanted, found) <= self.near
    }
}

fn real(function: impl Fn(f64) -> f64, bits: u32) -> u64 {
    single(function(f64::from(f32::from_bits(bits))) as f32)
}

fn single(value: f32) -> u64 {
    value.to_bits().into()
}

/// Returns all tested operations.
pub(crate) fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    let mut add = |name, from, to, near, function: fn(u32) -> u64| {
        all.push(Operation { name, from, to, near, source: "{}", function });
    };
    add("inv", "f", "f", 2, |a| real(|x| 1.0 / x, a));
    add("sqrt", "f", "f", 2, |a| real(f64::sqrt, a));
    add("rsqrt", "f", "f", 2, |a| real(|x| 1.0 / x.sqrt(), a));
    add("log", "f", "f", 2, |a| real(pxfm::f_log2, a));
    add("exp", "f", "f", 2, |a| real(pxfm::f_exp2, a));
    add("sin", "f", "f", 2, |a| real(pxfm::f_sin, a));
    add("cos", "f", "f", 2, |a| real(pxfm::f_cos, a));
    add("tanh", "f", "f", 2, |a| real(pxfm::f_tanh, a));
    add("sigm", "f", "f", 2, |a| real(|x| 1.0 / (1.0 + pxfm::f_exp(-x)), a));
    add("frc", "f", "f", 0, |a| single(f32::from_bits(a) - f32::from_bits(a).floor()));
    add("rndu", "f", "f", 0, |a| single(f32::from_bits(a).ceil()));
    add("rndd", "f", "f", 0, |a| single(f32::from_bits(a).floor()));
    add("rnde", "f", "f", 0, |a| single(f32::from_bits(a).round_ties_even()));
    add("rndz", "f", "f", 0, |a| single(f32::from_bits(a).trunc()));
    add("mov", "f", "d", 0, |a| f32::from_bits(a) as i32 as u32 as u64);
    add("mov", "f", "ud", 0, |a| f32::from_bits(a) as u32 as u64);
    add("mov", "f", "w", 0, |a| f32::from_bits(a) as i16 as u16 as u64);
    add("mov", "f", "uw", 0, |a| f32::from_bits(a) as u16 as u64);
    add("mov", "f", "b", 0, |a| f32::from_bits(a) as i8 as u8 as u64);
    add("mov", "f", "ub", 0, |a| f32::from_bits(a) as u8 as u64);
    add("mov", "f", "q", 0, |a| f32::from_bits(a) as i64 as u64);
    add("mov", "f", "uq", 0, |a| f32::from_bits(a) as u64);
    add("mov", "f", "hf", 0, |a| f16::from_f32(f32::from_bits(a)).to_bits().into());
    add("mov", "f", "bf", 0, |a| bf16::from_f32(f32::from_bits(a)).to_bits().into());
    add("mov", "f", "df", 0, |a| f64::from(f32::from_bits(a)).to_bits());
    // Clamps to the range 0 to 1; NaN becomes 0.
    add("mov.sat", "f", "f", 0, |a| single(if f32::from_bits(a) > 0.0 { f32::from_bits(a).min(1.0) } else { 0.0 }));
    add("mov", "d", "f", 0, |a| single(a as i32 as f32));
    add("mov", "ud", "f", 0, |a| single(a as f32));
    add("mov", "d", "df", 0, |a| f64::from(a as i32).to_bits());
    add("mov", "ud", "df", 0, |a| f64::from(a).to_bits());
    add("mov", "d", "hf", 0, |a| f16::from_f64(f64::from(a as i32)).to_bits().into());
    add("mov", "ud", "hf", 0, |a| f16::from_f64(f64::from(a)).to_bits().into());
    add("mov.sat", "d", "w", 0, |a| (a as i32).clamp(-0x8000, 0x7fff) as u16 as u64);
    add("mov.sat", "d", "uw", 0, |a| (a as i32).clamp(0, 0xffff) as u64);
    add("mov.sat", "d", "ub", 0, |a| (a as i32).clamp(0, 0xff) as u64);
    add("mov.sat", "ud", "b", 0, |a| a.min(0x7f).into());
    add("mov.sat", "ud", "d", 0, |a| a.min(0x7fff_ffff).into());
    add("mov", "d", "q", 0, |a| a as i32 as i64 as u64);
    add("not", "ud", "ud", 0, |a| (!a).into());
    add("cbit", "ud", "ud", 0, |a| a.count_ones().into());
    add("bfrev", "ud", "ud", 0, |a| a.reverse_bits().into());
    add("lzd", "ud", "ud", 0, |a| a.leading_zeros().into());
    add("fbl", "ud", "ud", 0, |a| if a == 0 { u32::MAX.into() } else { a.trailing_zeros().into() });
    add("fbh", "ud", "ud", 0, |a| if a == 0 { u32::MAX.into() } else { a.leading_zeros().into() });
    add("fbh", "d", "ud", 0, |a| {
        let different = if a >> 31 == 1 { !a } else { a };
        if different == 0 { u32::MAX.into() } else { different.leading_zeros().into() }
    });
    let mut changed = |source, ty, function: fn(u32) -> u64| {
        all.push(Operation { name: "mov", from: ty, to: ty, near: 0, source, function });
    };
    changed("(abs){}", "f", |a| (a & !(1 << 31)).into());
    changed("(-){}", "f", |a| (a ^ 1 << 31).into());
    changed("(abs){}", "d", |a| (a as i32).unsigned_abs().into());
    changed("(-){}", "d", |a| (a as i32).wrapping_neg() as u32 as u64);
    all
}
