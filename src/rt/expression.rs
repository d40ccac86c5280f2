//! Integer expressions in assembly text, as the vendor's assembler reads them: C's operators
//! without `&&` and `||`, `>>>` for a shift that fills with zeros, `%sizeof` of a variable, and
//! `%DispatchSimd`.

use super::cursor::{Cursor, TextError};
use super::number::Number;
use super::text::Format;
use super::visit::Table;

/// How tightly an operator binds. Where `<` or `>` would end a region, operators up to
/// [`Level::SHIFT`] are read.
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

    /// Whether an operator takes no other of its level beside it.
    fn is_single(self) -> bool {
        matches!(self.0, 4..=6)
    }
}

/// An operator: its spelling, how tightly it binds, and its value, if it has one.
type Operator = (&'static str, Level, fn(i64, i64) -> Option<i64>);

/// Longer spellings stand before those that they begin with.
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

/// Nesting depth of parentheses and signs.
pub const MAX_EXPRESSION_DEPTH: u32 = 64;

impl Cursor<'_> {
    /// Takes an integer expression of a number type.
    ///
    /// # Errors
    /// There is none here, or its value is out of range.
    pub fn expression<T: Number>(&mut self, name: &str) -> Result<T, TextError> {
        self.bounded(name, |c| c.conditional(0))
    }

    /// Takes an integer expression without `?:`, comparisons and bitwise operators outside of
    /// parentheses: what can stand in front of a `>`.
    ///
    /// # Errors
    /// There is none here, or its value is out of range.
    pub fn sum<T: Number>(&mut self, name: &str) -> Result<T, TextError> {
        self.bounded(name, |c| c.binary(Level::SHIFT, 0))
    }

    /// Takes a sum behind a plus, or a number or something in parentheses behind a minus.
    ///
    /// # Errors
    /// There is no sign here, or its value is out of range.
    pub fn offset<T: Number>(&mut self, name: &str) -> Result<T, TextError> {
        let sign = self.rest().bytes().next().filter(|sign| matches!(sign, b'+' | b'-'));
        let Some(sign) = sign else { return Err(self.error("`+` or `-` and a number")) };
        let start = self.save();
        self.restore(start + 1);
        let value = if sign == b'+' { self.binary(Level::SUM, 0)? } else { -self.primary(0)? };
        self.in_range(name, start, value)
    }

    /// Takes products and quotients.
    ///
    /// # Errors
    /// There are none here, or their value is out of range.
    pub fn product<T: Number>(&mut self, name: &str) -> Result<T, TextError> {
        self.bounded(name, |c| c.binary(Level::PRODUCT, 0))
    }

    /// Takes a number, or something in parentheses or with signs in front of it.
    ///
    /// # Errors
    /// There is none here.
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
            // Comparisons and shifts do not follow each other: `a < b < c` needs parentheses.
            if at.is_single() && last.is_some_and(|last| last <= *at) {
                return Err(self.error("parentheses around one of the operators"));
            }
            last = Some(*at);
            let before = self.save();
            self.skip_blanks();
            self.restore(self.save() + spelled.len());
            self.skip_blanks();
            let operand = self.save();
            // What follows may belong to something else, such as the address behind a scale:
            // `4*V32`.
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

    /// The operator that comes next, if it binds as tightly as that.
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

    /// A number, a constant or something in parentheses.
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

    /// `%sizeof V32`, `%sizeof(V32)` or `%DispatchSimd`.
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
