//! Option `--print KEY[=TYPE[:COUNT]]`: prints an argument as numbers after the run.

use visakit_emulator::launch::TextError;
use visakit_emulator::launch::scalar::Scalar;
use visakit_emulator::launch::spec::ArgKey;

use super::key_behind;
pub(crate) use visakit_emulator::launch::values::Values;

/// Argument to print after the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Print {
    /// Argument to print.
    pub key: ArgKey,
    /// Type of the numbers; the type in the source if `None`.
    pub scalar: Option<Scalar>,
    /// Number of elements to print; all if `None`.
    pub count: Option<usize>,
}

/// Parses `KEY`, `KEY=TYPE` or `KEY=TYPE:COUNT`.
///
/// # Errors
/// Fails if the text has none of these forms; the error has the byte range.
pub(crate) fn parse(text: &str) -> Result<Print, TextError> {
    let Some((key, rest)) = text.split_once('=') else {
        return Ok(Print { key: key_behind("print-syntax", text)?, scalar: None, count: None });
    };
    let start = key.len() + 1;
    let key = key_behind("print-syntax", key)?;
    let (name, digits) = rest.split_once(':').map_or((rest, None), |(name, digits)| (name, Some(digits)));
    let error =
        |at, message: String, help: &str| TextError { code: "print-syntax", at, message, help: help.to_owned() };
    let scalar = Scalar::from_name(name).ok_or_else(|| {
        let help = format!("write --print {key}=TYPE with one of {}", Scalar::names());
        error(start..start + name.len(), format!("`{name}` is not a number type"), &help)
    })?;
    let count = digits.map(|digits| {
        let help = "write --print KEY=TYPE:COUNT, such as 1=f32:8";
        let at = text.len() - digits.len()..text.len();
        digits.parse().map_err(|_| error(at, format!("`{digits}` is not a number of values"), help))
    });
    Ok(Print { key, scalar: Some(scalar), count: count.transpose()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let key = ArgKey::Index(1);
        let print = |scalar, count| Ok(Print { key: key.clone(), scalar, count });
        assert_eq!(parse("1"), print(None, None));
        assert_eq!(parse("1=f32"), print(Some(Scalar::F32), None));
        assert_eq!(parse("1=u8:8"), print(Some(Scalar::U8), Some(8)));
        for (text, at) in [("1x", 0..2), ("1=f33", 2..5), ("1=f32:", 6..6), ("out=f32:x", 8..9)] {
            assert_eq!(parse(text).unwrap_err().at, at, "{text}");
        }
    }
}
