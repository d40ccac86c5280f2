//! Constants in assembly text: a number or a bit pattern, with a type.

use super::super::isa::{ConstOpnd, DataType, DataTypeClass};
use super::cursor::{Cursor, TextError};
use super::format::Format;
use super::number::is_hex;
use super::text::Text;

impl Cursor<'_> {
    /// Parses a constant such as `0x3f800000:f`, `-5:w` or `1.5:f`.
    pub(super) fn immediate(&mut self, format: Format) -> Result<ConstOpnd, TextError> {
        let start = self.save();
        let rest = self.rest();
        let body = rest.strip_prefix('-').map_or(rest, |body| body.trim_start_matches([' ', '\t']));
        if format == Format::Bare {
            let value: i64 = self.expression("value")?;
            let low = u32::try_from(value).or_else(|_| i32::try_from(value).map(|v| v as u32));
            return match low {
                Ok(low) => Ok(ConstOpnd { type_: DataType::Ud, low, high: None }),
                Err(_) => {
                    self.restore(start);
                    Err(self.error("a number of 32 bits"))
                }
            };
        }
        let literal = float_len(body);
        let float = literal.is_some();
        let value = match literal {
            Some(_) => 0,
            None => self.signed_value()?,
        };
        let written = &rest[..rest.len() - body.len() + literal.unwrap_or(0)];
        if float {
            self.restore(start + written.len());
        }
        self.expect(":")?;
        let type_ = self.operand_type()?;
        let is_float = type_.class() == DataTypeClass::Float && type_.packed().is_none();
        let wide = immediate_is_wide(type_);
        // A bit pattern of a float consists of digits only; that of a half is hexadecimal.
        let plain = if type_ == DataType::Hf { is_hex(rest) } else { body.starts_with(|c: char| c.is_ascii_digit()) };
        if is_float && !float && !plain {
            self.restore(start);
            return Err(self.error(format!("the bits of type {} as a hexadecimal number", type_.name())));
        }
        // An integer with a float type is a bit pattern; a minus flips its sign bit.
        let bits = if is_float && !float && value < 0 {
            let sign = 1u64 << (type_.bits() - 1).min(63);
            (-value) as u64 ^ sign
        } else if is_float && float {
            match float_bits(&written.replace([' ', '\t'], ""), type_.bits()) {
                Ok(bits) => bits,
                Err(expected) => {
                    self.restore(start);
                    return Err(self.error(expected));
                }
            }
        } else {
            if float {
                self.restore(start);
                return Err(self.error(format!("an integer for type {}", type_.name())));
            }
            let fits = if type_ == DataType::Hf {
                (0..=i128::from(u16::MAX)).contains(&value)
            } else if wide {
                value >= i128::from(i64::MIN) && value <= i128::from(u64::MAX)
            } else {
                value >= i128::from(i32::MIN) && value <= i128::from(u32::MAX)
            };
            if !fits {
                self.restore(start);
                return Err(self.error(format!("a constant that fits into type {}", type_.name())));
            }
            value as u64
        };
        let high = wide.then_some((bits >> 32) as u32);
        Ok(ConstOpnd { type_, low: bits as u32, high })
    }

    /// Parses the type of a constant or of an indirect operand.
    pub(super) fn operand_type(&mut self) -> Result<DataType, TextError> {
        let start = self.save();
        let type_: DataType = Text::parse(self, Format::Plain)?;
        if type_.operand() {
            return Ok(type_);
        }
        self.restore(start);
        let all = DataType::ALL.iter().filter(|t| t.operand()).map(|t| t.name());
        Err(self.failed(|| format!("the type of an operand: one of {}", all.collect::<Vec<_>>().join(", "))))
    }
}

/// Returns the length of the decimal float at the start of a text: `1.5`, `1.5e+3` or `1e-3`. The
/// type follows without a space, in lower case.
fn float_len(text: &str) -> Option<usize> {
    let digits = |at: usize| text[at..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(0);
    let fraction = text[whole..].strip_prefix('.').map_or(0, |_| digits(whole + 1));
    let mut len = if fraction > 0 { whole + 1 + fraction } else { whole };
    if let Some(exponent) = text[len..].strip_prefix(['e', 'E'])
        && exponent.starts_with(['+', '-'])
        && digits(len + 2) > 0
    {
        len += 2 + digits(len + 2);
    }
    let typed = text[len..].strip_prefix(':').is_some_and(|t| t.starts_with(|c: char| c.is_ascii_lowercase()));
    (whole > 0 && len > whole && typed).then_some(len)
}

/// Returns the bit pattern of a decimal float, or the expected input on failure.
fn float_bits(written: &str, bits: u32) -> Result<u64, &'static str> {
    let parsed: f64 = written.parse().map_err(|_| "a number")?;
    match bits {
        64 => Ok(parsed.to_bits()),
        32 => Ok(u64::from((parsed as f32).to_bits())),
        _ => Err("a hexadecimal bit pattern: 16-bit floats have no decimal form"),
    }
}

/// Returns true if a constant of this type has two dwords.
fn immediate_is_wide(ty: DataType) -> bool {
    ty.bits() == 64
}
