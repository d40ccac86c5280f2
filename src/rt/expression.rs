//! Integer expressions in assembly text with the vendor assembler's syntax: C's operators without
//! `&&` and `
//! `, `>>>` for a logical right shift, `%sizeof` of a variable, and `%DispatchSimd`.

use super::cursor::{Cursor, TextError};
use super::format::Format;
use super::number::Number;
use super::visit::Table;

/// Precedence of an operator; higher binds tighter. Where `<` or `>` would end a region, only
/// operators from [`Level::SHIFT`] on are read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Level(u8);

impl Level {
    const ALL: Self = Self(1);
    const SHIFT: Self = Self(6);
    const SUM: Self = Self(7);
    const PRODUCT: Self = Self(8);

    fn tighter(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns true for the levels that do not associate, comparisons and shifts.
    fn is_single(self) -> bool {
        matches!(self.0, 4..=6)
    }
}

/// Operator: spelling, precedence, and evaluation, which returns `None` without a value.
type Operator = (&'static str, Level, fn(i64, i64) -> Option<i64>);

/// A longer spelling precedes its prefixes.
const OPERATORS: &[Operator] = &[
    ("==", Level(4), |a, b| Some(i64::from(a == b))),
    ("!=", Level(4), |a, b| Some(i64::from(a != b))),
    ("<=", Level(5), |a, b| Some(i64::from(a <= b))),
    (">=", Level(5), |a, b| Some(i64::from(a >= b))),
    (">>>", Level::SHIFT, |a, b| Some((a as u64).wrapping_shr(b as u32) as i64)),
    ("<<", Level::SHIFT, |a, b| Some(a.wrapping_shl(b as u32))),
    (">>", Level::SHIFT, |a, b| Some(a.wrapping_shr(b as u32))),
    ("<", Level(5), |a, b| Some(i64::from(a < b))),
    (">", Level(5), |a, b| Some(i64::from(a > b))),
    ("&", Level(1), |a, b| Some(a & b)),
    ("^", Level(2), |a, b| Some(a ^ b)),
    ("|", Level(3), |a, b| Some(a | b)),
    ("+", Level::SUM, |a, b| Some(a.wrapping_add(b))),
    ("-", Level::SUM, |a, b| Some(a.wrapping_sub(b))),
    ("*", Level::PRODUCT, |a, b| Some(a.wrapping_mul(b))),
    ("/", Level::PRODUCT, i64::checked_div),
    ("%", Level::PRODUCT, i64::checked_rem),
];

/// Maximum nesting depth of parentheses and signs.
pub const MAX_EXPRESSION_DEPTH: u32 = 64;

impl Cursor<'_> {
    /// Consumes an integer expression of a number type.
    ///
    /// # Errors
    /// No expression follows, or its value is out of range.
    pub fn expression<T: Number>(&mut self, name: &str) -> Result<T, TextError> {
        self.bounded(name, |c| c.conditional(0))
    }

    /// Consumes an integer expression that can precede a `>`: outside parentheses it has no `?:`,
    /// no comparison and no bitwise operator.
    ///
    /// # Errors
    /// No expression follows, or its value is out of range.
    pub fn sum<T: Number>(&mut self, name: &str) -> Result<T, TextError> {
        self.bounded(name, |c| c.binary(Level::SHIFT, 0))
    }

    /// Consumes a plus and a sum, or a minus and a number or parenthesised expression.
    ///
    /// # Errors
    /// No sign follows, or the value is out of range.
    pub fn offset<T: Number>(&mut self, name: &str) -> Result<T, TextError> {
        let sign = self.rest().bytes().next().filter(|sign| matches!(sign, b'+' | b'-'));
        let Some(sign) = sign else { return Err(self.error("`+` or `-` and a number")) };
        let start = self.save();
        self.restore(start + 1);
        let value = if sign == b'+' { self.binary(Level::SUM, 0)? } else { -self.primary(0)? };
        self.in_range(name, start, value)
    }

    /// Consumes an expression of products and quotients.
    ///
    /// # Errors
    /// No expression follows, or its value is out of range.
    pub fn product<T: Number>(&mut self, name: &str) -> Result<T, TextError> {
        self.bounded(name, |c| c.binary(Level::PRODUCT, 0))
    }

    /// Consumes a number or a parenthesised expression, with optional signs.
    ///
    /// # Errors
    /// No value follows.
    pub fn signed_value(&mut self) -> Result<i128, TextError> {
        self.unary(0)
    }

    fn bounded<T: Number>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Result<i128, TextError>,
    ) -> Result<T, TextError> {
        let start = self.save();
        let value = match self.plain() {
            Some(value) => i128::from(value),
            None => read(self)?,
        };
        self.in_range(name, start, value)
    }

    fn in_range<T: Number>(&mut self, name: &str, start: usize, value: i128) -> Result<T, TextError> {
        T::from_i128(value).ok_or_else(|| {
            self.restore(start);
            let (low, high) = T::RANGE;
            self.failed(|| format!("{name}: a number from {low} to {high}, not {value}"))
        })
    }

    fn conditional(&mut self, depth: u32) -> Result<i128, TextError> {
        let condition = self.binary(Level::ALL, depth)?;
        self.skip_blanks();
        if !self.rest().starts_with('?') {
            return Ok(condition);
        }
        self.expect("?")?;
        let (yes, _) = (self.binary(Level::ALL, depth)?, self.expect(":")?);
        let no = self.deeper(depth, |c, depth| c.conditional(depth))?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn binary(&mut self, level: Level, depth: u32) -> Result<i128, TextError> {
        let mut value = self.unary(depth)?;
        let mut last = None;
        while let Some((spelled, at, apply)) = self.operator(level) {
            // Comparisons and shifts do not associate: `a < b < c` needs parentheses.
            if at.is_single() && last.is_some_and(|last| last <= *at) {
                return Err(self.error("parentheses around one of the operators"));
            }
            last = Some(*at);
            let before = self.save();
            self.skip_blanks();
            self.restore(self.save() + spelled.len());
            self.skip_blanks();
            let operand = self.save();
            // The operator may belong to other syntax, such as the address after a scale: `4*V32`.
            let Ok(right) = self.attempt(|c| c.binary(at.tighter(), depth)) else {
                self.restore(before);
                return Ok(value);
            };
            value = match apply(value as i64, right as i64) {
                Some(result) => i128::from(result),
                None => {
                    self.restore(operand);
                    return Err(self.error("a divisor other than 0"));
                }
            };
        }
        Ok(value)
    }

    /// Returns the next operator, if its precedence is at least `level`.
    fn operator(&self, level: Level) -> Option<&'static Operator> {
        let rest = self.rest().trim_start_matches([' ', '\t']);
        if !rest.starts_with(['=', '!', '<', '>', '&', '^', '|', '+', '-', '*', '/', '%']) {
            return None;
        }
        OPERATORS.iter().find(|(spelled, _, _)| rest.starts_with(spelled)).filter(|(_, at, _)| *at >= level)
    }

    fn unary(&mut self, depth: u32) -> Result<i128, TextError> {
        self.skip_blanks();
        let Some(sign @ (b'-' | b'~' | b'!')) = self.rest().bytes().next() else { return self.primary(depth) };
        self.restore(self.save() + 1);
        let value = self.deeper(depth, |c, depth| c.unary(depth))?;
        Ok(match sign {
            b'-' => -value,
            b'~' => !value,
            _ => i128::from(value == 0),
        })
    }

    /// Consumes a number, a constant or a parenthesised expression.
    fn primary(&mut self, depth: u32) -> Result<i128, TextError> {
        self.skip_blanks();
        match self.rest().bytes().next() {
            Some(b'0'..=b'9') => self.integer(Format::Plain),
            Some(b'(') => {
                self.expect("(")?;
                let value = self.deeper(depth, |c, depth| c.conditional(depth))?;
                self.skip_blanks();
                self.expect(")")?;
                Ok(value)
            }
            Some(b'%') => self.constant(),
            _ => Err(self.error("a number")),
        }
    }

    /// Consumes `%sizeof V32`, `%sizeof(V32)` or `%DispatchSimd`.
    fn constant(&mut self) -> Result<i128, TextError> {
        let start = self.save();
        match self.word() {
            Some("%DispatchSimd") => self.symbols.simd_size().map(i128::from).ok_or_else(|| {
                self.restore(start);
                self.error("`.kernel_attr SimdSize=` before the use of %DispatchSimd")
            }),
            Some("%sizeof") => {
                self.skip_blanks();
                let parenthesis = self.take("(");
                self.skip_blanks();
                let at = self.save();
                let name = self.word().unwrap_or("");
                let Some(size) = self.symbols.size_of(name) else {
                    self.restore(at);
                    return Err(self.unknown("a general or address variable, or GRF", Table::General, name));
                };
                if parenthesis {
                    self.expect(")")?;
                }
                Ok(i128::from(size))
            }
            _ => {
                self.restore(start);
                Err(self.error("a number, %sizeof or %DispatchSimd"))
            }
        }
    }

    fn deeper(
        &mut self,
        depth: u32,
        read: impl FnOnce(&mut Self, u32) -> Result<i128, TextError>,
    ) -> Result<i128, TextError> {
        if depth >= MAX_EXPRESSION_DEPTH {
            return Err(self.error(format!("an expression nested at most {MAX_EXPRESSION_DEPTH} deep")));
        }
        read(self, depth + 1)
    }
}
