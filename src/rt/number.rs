//! Numbers in assembly text, and the numeric types of fields.

use super::cursor::{Cursor, TextError};
use super::format::Format;
use super::text::{Printer, Text};

/// Numeric type of a field.
pub trait Number: Sized {
    /// Minimum and maximum value.
    const RANGE: (i128, i128);

    /// Converts a number, if it is in range.
    fn from_i128(value: i128) -> Option<Self>;
}

macro_rules! number {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            const RANGE: (i128, i128) = (<$ty>::MIN as i128, <$ty>::MAX as i128);

            fn from_i128(value: i128) -> Option<Self> {
                <$ty>::try_from(value).ok()
            }
        }

        impl Text for $ty {
            fn print(&self, p: &mut Printer<'_>, format: Format) {
                p.number(*self as i64, format);
            }

            fn parse(c: &mut Cursor<'_>, format: Format) -> Result<Self, TextError> {
                c.number("value", format)
            }

            fn is_default(&self) -> bool {
                *self == 0
            }
        }
    )*};
}

number!(u8, i8, u16, i16, u32, i32, u64, i64);

impl Cursor<'_> {
    /// Fast path for a short decimal number that ends the token; most numbers are of this form.
    pub(super) fn plain(&mut self) -> Option<u32> {
        let bytes = self.text.as_bytes();
        let start = self.behind_blanks();
        let (mut at, mut value) = (start, 0);
        while let Some(digit @ b'0'..=b'9') = bytes.get(at).copied()
            && at < start + PLAIN_DIGITS
        {
            value = value * 10 + u32::from(digit - b'0');
            at += 1;
        }
        let ends = matches!(bytes.get(at), Some(b',' | b')' | b']' | b';' | b'>'));
        if at == start || !ends || bytes.get(at..).is_some_and(|rest| rest.starts_with(b">>")) {
            return None;
        }
        self.restore(at);
        Some(value)
    }

    /// Consumes a decimal or hexadecimal integer with an optional sign.
    pub fn integer(&mut self, format: Format) -> Result<i128, TextError> {
        let start = self.save();
        let bare = matches!(format, Format::Bare16 | Format::Bare16Padded);
        if !bare {
            self.skip_blanks();
        }
        let bytes = self.rest().as_bytes();
        let negative = bytes.first() == Some(&b'-');
        let mut at = usize::from(negative || bytes.first() == Some(&b'+'));
        if at > 0 {
            at += bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        }
        let hex = is_hex(&self.rest()[at..]);
        let radix = if hex || bare { 16 } else { 10 };
        at += if hex { 2 } else { 0 };
        let digits = at;
        let mut value = 0i128;
        while let Some(digit) = bytes.get(at).and_then(|b| char::from(*b).to_digit(radix)) {
            // More than 64 bits of digits are not a number.
            if value >> 64 != 0 {
                break;
            }
            value = value * i128::from(radix) + i128::from(digit);
            at += 1;
        }
        let overflow = bytes.get(at).is_some_and(|b| char::from(*b).is_digit(radix));
        if at == digits || overflow {
            self.restore(start);
            return Err(self.error("a number"));
        }
        self.restore(self.save() + at);
        Ok(if negative { -value } else { value })
    }

    /// Consumes a number of a numeric type.
    pub fn number<T: Number>(&mut self, name: &str, format: Format) -> Result<T, TextError> {
        match format {
            Format::Hex => {
                let hex = is_hex(self.rest());
                let value = self.product(name)?;
                // A factor before `*` need not be hexadecimal.
                let fits = hex || self.looking_at("*");
                return if fits { Ok(value) } else { Err(self.failed(|| format!("{name}: a hexadecimal number"))) };
            }
            Format::Signed | Format::Plus => {
                self.skip_blanks();
                return self.offset(name);
            }
            _ => {}
        }
        let start = self.save();
        let digits = self.text.get(self.token_start()..).unwrap_or("");
        let signed = digits.starts_with('+') || digits.starts_with('-') && T::RANGE.0 == 0;
        if format == Format::Plain && (signed || is_hex(digits)) {
            return Err(self.failed(|| format!("{name}: decimal digits")));
        }
        let value = self.integer(format)?;
        T::from_i128(value).ok_or_else(|| {
            self.restore(start);
            let (low, high) = T::RANGE;
            self.failed(|| format!("{name}: a number from {low} to {high}, not {value}"))
        })
    }

    #[cold]
    fn illegal(&mut self, start: usize, problem: &super::BadBits) -> TextError {
        self.restore(start);
        self.failed(|| format!("a legal value: {problem}"))
    }

    /// Consumes a number as the bits of a list.
    pub fn bits<T: super::Bits>(&mut self, format: Format) -> Result<T, TextError> {
        let start = self.save();
        let value = self.number::<u64>("value", format)?;
        match T::from_bits(value) {
            Ok(bits) => Ok(bits),
            Err(problem) => Err(self.illegal(start, &problem)),
        }
    }
}

/// Returns true if a text begins with a hexadecimal prefix.
pub(super) fn is_hex(text: &str) -> bool {
    text.starts_with("0x") || text.starts_with("0X")
}

/// Maximum number of digits on the fast path.
const PLAIN_DIGITS: usize = 9;
