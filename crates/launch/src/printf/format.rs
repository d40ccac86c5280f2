//! Conversions of a `printf` format, printed as C prints them.

/// A value of a record.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Integer { bits: u64, bytes: usize },
    Float(f64),
    Text(Vec<u8>),
    Vector(Vec<Value>),
}

/// Prints a format; `next` returns the values of conversions. `None` if a value is missing.
pub(super) fn print(format: &[u8], out: &mut Vec<u8>, mut next: impl FnMut(u8) -> Option<Value>) -> Option<()> {
    let mut rest = format;
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            out.push(first);
            continue;
        }
        if let Some(tail) = rest.strip_prefix(b"%") {
            out.push(b'%');
            rest = tail;
            continue;
        }
        let conversion = read_conversion(&mut rest);
        match next(conversion.letter)? {
            Value::Vector(elements) => {
                for (n, element) in elements.iter().enumerate() {
                    if n > 0 {
                        out.push(b',');
                    }
                    put(&conversion, element, out);
                }
            }
            value => put(&conversion, &value, out),
        }
    }
    Some(())
}

/// A conversion of a format, such as `%-5.2hf`.
#[derive(Debug, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Largest significant size of an integer in bytes; `None` for no limit.
    bytes: Option<usize>,
    letter: u8,
}

fn read_conversion(rest: &mut &[u8]) -> Conversion {
    let mut conversion = Conversion::default();
    let bump = |rest: &mut &[u8]| {
        let first = rest.first().copied();
        *rest = rest.get(1..).unwrap_or_default();
        first
    };
    loop {
        match rest.first() {
            Some(b'-') => conversion.left = true,
            Some(b'+') => conversion.plus = true,
            Some(b' ') => conversion.space = true,
            Some(b'#') => conversion.alternate = true,
            Some(b'0') => conversion.zero = true,
            _ => break,
        }
        bump(rest);
    }
    // C limits a conversion to 4095 characters.
    let number = |rest: &mut &[u8]| {
        let mut value = 0_usize;
        while let Some(digit) = rest.first().filter(|c| c.is_ascii_digit()) {
            value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0')).min(4095);
            *rest = &rest[1..];
        }
        value
    };
    conversion.width = number(rest);
    if rest.first() == Some(&b'.') {
        *rest = &rest[1..];
        conversion.precision = Some(number(rest));
    }
    if rest.first() == Some(&b'v') {
        *rest = &rest[1..];
        number(rest);
    }
    let lengths = rest.iter().take_while(|c| matches!(c, b'h' | b'l' | b'j' | b'z' | b't' | b'L')).count();
    let (length, behind) = rest.split_at(lengths);
    *rest = behind;
    // The argument is an int, but only a char or short of it is printed.
    conversion.bytes = match length {
        b"hh" => Some(1),
        b"h" => Some(2),
        _ => None,
    };
    conversion.letter = rest.first().copied().unwrap_or_default();
    *rest = rest.get(1..).unwrap_or_default();
    conversion
}

/// Prints one value.
fn put(conversion: &Conversion, value: &Value, out: &mut Vec<u8>) {
    let value = match (value, conversion.bytes) {
        (Value::Integer { bits, bytes }, Some(most)) => &Value::Integer { bits: *bits, bytes: most.min(*bytes) },
        _ => value,
    };
    let (sign, body, is_number) = match (conversion.letter, value) {
        (b'c', Value::Integer { bits, .. }) => ("", vec![*bits as u8], false),
        (b's', Value::Text(text)) => {
            ("", text[..conversion.precision.unwrap_or(text.len()).min(text.len())].to_vec(), false)
        }
        (b'p', Value::Integer { bits, .. }) => ("", format!("{bits:#x}").into_bytes(), false),
        (b'd' | b'i', Value::Integer { bits, bytes }) => {
            let shift = 64 - *bytes as u32 * 8;
            let number = ((bits << shift) as i64) >> shift;
            (sign(conversion, number < 0), digits(conversion, number.unsigned_abs().to_string()), true)
        }
        (letter, Value::Integer { bits, bytes }) => {
            let number = bits & u64::MAX >> (64 - *bytes as u32 * 8);
            let prefix = if conversion.alternate && number != 0 { letter } else { 0 };
            let (prefix, text) = match letter {
                b'x' => (if prefix != 0 { "0x" } else { "" }, format!("{number:x}")),
                b'X' => (if prefix != 0 { "0X" } else { "" }, format!("{number:X}")),
                b'o' => ("", format!("{number:o}")),
                _ => ("", number.to_string()),
            };
            let mut digits = digits(conversion, text);
            // The leading zero of octal digits counts towards the precision.
            if letter == b'o' && conversion.alternate && digits.first() != Some(&b'0') {
                digits.insert(0, b'0');
            }
            (prefix, digits, true)
        }
        (letter, Value::Float(number)) => {
            let negative = number.is_sign_negative() && !number.is_nan();
            let mut text = float(conversion, number.abs());
            if letter.is_ascii_uppercase() {
                text.make_ascii_uppercase();
            }
            (sign(conversion, negative), text.into_bytes(), number.is_finite())
        }
        (_, Value::Text(text)) => ("", text.clone(), false),
        (_, Value::Vector(_)) => ("", Vec::new(), false),
    };
    let padding = conversion.width.saturating_sub(sign.len() + body.len());
    let integer = matches!(value, Value::Integer { .. });
    let zeros = is_number && conversion.zero && !conversion.left && !(integer && conversion.precision.is_some());
    let pad = |out: &mut Vec<u8>, byte: u8| out.resize(out.len() + padding, byte);
    if !conversion.left && !zeros {
        pad(out, b' ');
    }
    out.extend(sign.bytes());
    // Padding zeros follow the prefix of hexadecimal floats.
    let is_hexadecimal =
        is_number && matches!(value, Value::Float(_)) && conversion.letter.eq_ignore_ascii_case(&b'a');
    let (prefix, digits) = body.split_at(if is_hexadecimal { 2 } else { 0 });
    out.extend(prefix);
    if zeros {
        pad(out, b'0');
    }
    out.extend(digits);
    if conversion.left {
        pad(out, b' ');
    }
}

fn sign(conversion: &Conversion, negative: bool) -> &'static str {
    match (negative, conversion.plus, conversion.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

/// Returns an integer's digits, extended to the precision.
fn digits(conversion: &Conversion, text: String) -> Vec<u8> {
    let least = conversion.precision.unwrap_or(1);
    if least == 0 && text == "0" {
        return Vec::new();
    }
    let mut digits = vec![b'0'; least.saturating_sub(text.len())];
    digits.extend(text.bytes());
    digits
}

/// Formats a float without its sign, as C does.
fn float(conversion: &Conversion, number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return "inf".to_owned();
    }
    let precision = conversion.precision.unwrap_or(6);
    match conversion.letter.to_ascii_lowercase() {
        b'e' => exponential(number, precision, conversion.alternate),
        b'g' => general(number, precision.max(1), conversion.alternate),
        b'a' => hexadecimal(number, conversion.precision, conversion.alternate),
        _ => fixed(number, precision, conversion.alternate),
    }
}

fn fixed(number: f64, precision: usize, alternate: bool) -> String {
    let point = if alternate && precision == 0 { "." } else { "" };
    format!("{number:.precision$}{point}")
}

fn exponential(number: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if alternate && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

/// Formats as `%g`: the shorter form, without trailing zeros unless `alternate` is set.
fn general(number: f64, precision: usize, alternate: bool) -> String {
    let rounded = format!("{number:.*e}", precision - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let text = if exponent < -4 || exponent >= precision as i32 {
        exponential(number, precision - 1, alternate)
    } else {
        fixed(number, (precision as i32 - 1 - exponent).max(0) as usize, alternate)
    };
    if alternate || !text.contains('.') {
        return text;
    }
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

fn hexadecimal(number: f64, precision: Option<usize>, alternate: bool) -> String {
    if number == 0.0 {
        return match precision {
            Some(n) if n > 0 => format!("0x0.{}p+0", "0".repeat(n)),
            _ => format!("0x0{}p+0", if alternate { "." } else { "" }),
        };
    }
    let bits = number.to_bits();
    let subnormal = bits >> 52 == 0;
    let exponent = if subnormal { -1022 } else { (bits >> 52) as i64 - 1023 };
    let mut significand = bits & ((1 << 52) - 1) | if subnormal { 0 } else { 1 << 52 };
    if let Some(n) = precision.filter(|&n| n < 13) {
        let drop = 52 - 4 * n as u32;
        let half = 1_u64 << (drop - 1);
        let rest = significand & ((1 << drop) - 1);
        significand >>= drop;
        significand += u64::from(rest > half || rest == half && significand & 1 == 1);
        significand <<= drop;
    }
    let digits = format!("{:013x}", significand & ((1 << 52) - 1));
    let digits = match precision {
        Some(n) => format!("{digits:0<n$}")[..n].to_owned(),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() && !alternate { "" } else { "." };
    format!("0x{}{point}{digits}p{exponent:+}", significand >> 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(format: &str, value: Value) -> String {
        let mut out = Vec::new();
        let mut value = Some(value);
        print(format.as_bytes(), &mut out, |_| value.take()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_as_c_prints_them() {
        let int = |n: i64| Value::Integer { bits: n as u64, bytes: 4 };
        for (format, value, want) in [
            ("%d", int(-5), "-5"),
            ("%5d|", int(-5), "   -5|"),
            ("%-5d|", int(7), "7    |"),
            ("%05d", int(-7), "-0007"),
            ("%+d", int(7), "+7"),
            ("%.3d", int(7), "007"),
            ("%8.3d", int(-7), "    -007"),
            ("%u", int(-1), "4294967295"),
            ("%#x", int(255), "0xff"),
            ("%#o", int(8), "010"),
            ("%X", int(0xabc), "ABC"),
            ("%c!", int(65), "A!"),
            ("%hhd", Value::Integer { bits: 0x1ff, bytes: 1 }, "-1"),
            ("%hhd", int(12345), "57"),
            ("%hu", int(-1), "65535"),
            ("%hd", int(-32769), "32767"),
            ("%ld%%", Value::Integer { bits: u64::MAX, bytes: 8 }, "-1%"),
            ("%f", Value::Float(1.5), "1.500000"),
            ("%8.2f|", Value::Float(-1.005), "   -1.00|"),
            ("%08.2f", Value::Float(-1.5), "-0001.50"),
            ("%e", Value::Float(12345.678), "1.234568e+04"),
            ("%.0e", Value::Float(2.0e-7), "2e-07"),
            ("%g", Value::Float(100000.0), "100000"),
            ("%g", Value::Float(1000000.0), "1e+06"),
            ("%g", Value::Float(0.0001), "0.0001"),
            ("%g", Value::Float(0.0), "0"),
            ("%G", Value::Float(1.0e-10), "1E-10"),
            ("%#g", Value::Float(1.5), "1.50000"),
            ("%#g", Value::Float(123456.7), "123457."),
            ("%#a", Value::Float(2.0), "0x1.p+1"),
            ("%+010a", Value::Float(2.0), "+0x0001p+1"),
            ("%08A", Value::Float(-1.0), "-0X01P+0"),
            ("%#a", Value::Float(0.0), "0x0.p+0"),
            ("%#.4o", int(8), "0010"),
            ("%#.0o", int(0), "0"),
            ("%a", Value::Float(1.0), "0x1p+0"),
            ("%a", Value::Float(-0.15625), "-0x1.4p-3"),
            ("%.1a", Value::Float(1.999), "0x2.0p+0"),
            ("%f", Value::Float(f64::NEG_INFINITY), "-inf"),
            ("%05f|", Value::Float(f64::NAN), "  nan|"),
            ("%s", Value::Text(b"abc".to_vec()), "abc"),
            ("%5.2s|", Value::Text(b"abc".to_vec()), "   ab|"),
            ("%.0000000000000000000000099999f", Value::Float(0.5), &format!("0.5{}", "0".repeat(4094))),
            ("%.99999g", Value::Float(0.0001220703125), "0.0001220703125"),
            ("%99999d", int(7), &format!("{}7", " ".repeat(4094))),
            ("%.99999a", Value::Float(1.0), &format!("0x1.{}p+0", "0".repeat(4095))),
            ("%v2hld", Value::Vector(vec![int(1), int(-2)]), "1,-2"),
        ] {
            assert_eq!(one(format, value), want, "{format}");
        }
    }
}
