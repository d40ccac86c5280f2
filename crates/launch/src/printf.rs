//! Decoder of the kernel's `printf` buffer.
//!
//! The first dword of the buffer is the offset of the next record. A record consists of the 64-bit
//! address of the format and, for each conversion, a dword with the type and then the value, padded
//! to four bytes. A vector has its number of elements before the elements. Strings are addresses.
//!
//! For a format that is not constant, its length with the highest bit set replaces the address. The
//! format follows, padded to four bytes.

use crate::limits::PRINTED_BYTES;
use visakit_machine::memory::Memory;

/// Size of the buffer in bytes; compiled kernels compare offsets with this constant.
pub const BUFFER_BYTES: usize = 4 << 20;
/// Offset of the first record.
pub const FIRST_RECORD: u32 = 4;

/// Flag of a format's length, including its final zero, in place of an address.
const OWN_FORMAT: u64 = 1 << 63;

/// A value of a record.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Integer { bits: u64, bytes: usize },
    Float(f64),
    Text(Vec<u8>),
    Vector(Vec<Value>),
}

/// Cursor over the buffer.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = *self.bytes.get(self.at..)?.first_chunk()?;
        self.at += N;
        Some(bytes)
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// Reads an element of a scalar type by its number: 1 byte, 2 short, 3 int, 4 float, 6 long, 7
    /// pointer, 8 double.
    fn element(&mut self, kind: u32) -> Option<Value> {
        Some(match kind {
            1 => Value::Integer { bits: self.word()?.into(), bytes: 1 },
            2 => Value::Integer { bits: self.word()?.into(), bytes: 2 },
            3 => Value::Integer { bits: self.word()?.into(), bytes: 4 },
            4 => Value::Float(f32::from_bits(self.word()?).into()),
            6 | 7 => Value::Integer { bits: self.long()?, bytes: 8 },
            8 => Value::Float(f64::from_bits(self.long()?)),
            _ => return None,
        })
    }

    /// Reads a value after its type, for a conversion. Types from 9 are vectors of the scalar
    /// types.
    fn value(&mut self, memory: &Memory, letter: u8) -> Option<Value> {
        let kind = self.word()?;
        // A string that the compiler does not recognise, such as an empty one, is passed as a
        // pointer.
        if kind == 5 || kind == 7 && letter == b's' {
            let address = self.long()?;
            return Some(Value::Text(if address == 0 { b"(null)".to_vec() } else { text_at(memory, address) }));
        }
        let Some(vector) = kind.checked_sub(9) else { return self.element(kind) };
        let scalar = *[1, 2, 3, 6, 4, 8].get(vector as usize)?;
        let count = self.word()?;
        if count > 16 {
            return None;
        }
        // Elements of less than four bytes are contiguous, but occupy four bytes each in total.
        let small = match scalar {
            1 => 1,
            2 => 2,
            _ => 4,
        };
        let start = self.at;
        let elements: Option<Vec<Value>> = (0..count)
            .map(|n| {
                if small < 4 {
                    self.at = start + n as usize * small;
                    let bits = match small {
                        1 => u64::from(self.take::<1>()?[0]),
                        _ => u64::from(u16::from_le_bytes(self.take()?)),
                    };
                    return Some(Value::Integer { bits, bytes: small });
                }
                self.element(scalar)
            })
            .collect();
        if small < 4 {
            self.at = start + count as usize * 4;
        }
        elements.map(Value::Vector)
    }
}

/// Returns the text that the kernels printed. Decoding stops at an invalid record.
pub fn decode(buffer: &[u8], memory: &Memory) -> Vec<u8> {
    decode_at(buffer, 0, memory)
}

/// As [`decode`], for a buffer whose records start after a header; `at` is the offset of the
/// next-record word.
pub fn decode_at(buffer: &[u8], at: usize, memory: &Memory) -> Vec<u8> {
    let mut out = Vec::new();
    let end = buffer.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
    let mut reader = Reader { bytes: &buffer[..end.min(buffer.len())], at: at + FIRST_RECORD as usize };
    while let Some(format) = reader.long() {
        if format & OWN_FORMAT != 0 {
            let length = usize::try_from(format & !OWN_FORMAT).unwrap_or(usize::MAX);
            let Some(text) = reader.bytes.get(reader.at..).and_then(|rest| rest.get(..length)) else { break };
            reader.at += length.next_multiple_of(4);
            let format: Vec<u8> = text.iter().copied().take_while(|byte| *byte != 0).collect();
            if !put_record(&format, &mut out, &mut reader, memory) {
                break;
            }
            continue;
        }
        if memory.find(format).is_none() {
            // No format starts here: it is a surplus value of the previous record.
            reader.at -= 8;
            if reader.value(memory, 0).is_none() {
                break;
            }
            continue;
        }
        if !put_record(&text_at(memory, format), &mut out, &mut reader, memory) {
            break;
        }
    }
    out
}

/// Prints the values of a record; returns false if decoding must stop.
fn put_record(format: &[u8], out: &mut Vec<u8>, reader: &mut Reader<'_>, memory: &Memory) -> bool {
    if print(format, out, |letter| reader.value(memory, letter)).is_none() {
        return false;
    }
    if out.len() > PRINTED_BYTES {
        // A short format may request very long output.
        out.truncate(PRINTED_BYTES);
        out.extend(format!("\nmore than {PRINTED_BYTES} bytes were printed, which is the limit\n").bytes());
        return false;
    }
    true
}

/// Returns the bytes at an address up to a zero byte.
fn text_at(memory: &Memory, address: u64) -> Vec<u8> {
    let Some((buffer, base)) = memory.find(address) else { return Vec::new() };
    (address - base..)
        .map_while(|at| buffer.load(at, 1))
        .map(|byte| byte as u8)
        .take_while(|&byte| byte != 0)
        .collect()
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

/// Prints a format; `next` returns the values of conversions. `None` if a value is missing.
fn print(format: &[u8], out: &mut Vec<u8>, mut next: impl FnMut(u8) -> Option<Value>) -> Option<()> {
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
    use visakit_machine::buffer::Buffer;

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

    #[test]
    fn records_of_a_buffer() {
        let mut memory = Memory::default();
        let text = memory.map(Buffer::from_bytes(b"%d %s\n\0bye %f\0")).unwrap();
        let mut buffer = vec![0; 4];
        buffer.extend(text.to_le_bytes());
        for word in [3, 7, 5] {
            buffer.extend(u32::to_le_bytes(word));
        }
        buffer.extend((text + 7).to_le_bytes());
        buffer.extend((text + 7).to_le_bytes());
        buffer.extend([4_u32.to_le_bytes(), 0.5_f32.to_le_bytes()].concat());
        let end = buffer.len() as u32;
        buffer[..4].copy_from_slice(&end.to_le_bytes());
        buffer.resize(200, 0);
        assert_eq!(decode(&buffer, &memory), b"7 bye %f\nbye 0.500000");
        // `printf("%d %s\n", 7, text, 5)`: the last value has no conversion.
        let mut more = buffer[..end as usize - 16].to_vec();
        more.extend([3_u32, 5].map(u32::to_le_bytes).concat());
        more.extend_from_slice(&buffer[end as usize - 16..end as usize]);
        let longer = more.len() as u32;
        more[..4].copy_from_slice(&longer.to_le_bytes());
        assert_eq!(decode(&more, &memory), b"7 bye %f\nbye 0.500000");
        // A format in the buffer, eight bytes with its zero, and a truncated one.
        let mut own = vec![0; 4];
        own.extend((OWN_FORMAT | 7).to_le_bytes());
        own.extend(b"<%d>!\n\0\0");
        own.extend([3_u32, 9].map(u32::to_le_bytes).concat());
        own.extend((OWN_FORMAT | 99).to_le_bytes());
        let longer = own.len() as u32;
        own[..4].copy_from_slice(&longer.to_le_bytes());
        assert_eq!(decode(&own, &memory), b"<9>!\n");
        // Strings passed as pointers, and a null pointer.
        let mut pointers = vec![0; 4];
        for address in [text + 3, 0] {
            pointers.extend((text + 3).to_le_bytes());
            pointers.extend([7_u32.to_le_bytes().as_slice(), &address.to_le_bytes()].concat());
        }
        let longer = pointers.len() as u32;
        pointers[..4].copy_from_slice(&longer.to_le_bytes());
        assert_eq!(decode(&pointers, &memory), b"%s\n\n(null)\n");
        // A few records that request very long output.
        let wide = memory.map(Buffer::from_bytes(b"%4095d\0")).unwrap();
        let records = PRINTED_BYTES / 4095 + 1;
        let mut many = (4 + records as u32 * 16).to_le_bytes().to_vec();
        (0..records).for_each(|_| many.extend([wide.to_le_bytes(), [3, 0, 0, 0, 5, 0, 0, 0]].concat()));
        let printed = decode(&many, &memory);
        assert!(printed.ends_with(b"which is the limit\n") && printed.len() < PRINTED_BYTES + 100);
        let fewer = 4 + (records as u32 - 1) * 16;
        many[..4].copy_from_slice(&fewer.to_le_bytes());
        assert_eq!(decode(&many, &memory).len(), (records - 1) * 4095);
        assert_eq!(decode(&buffer[..30], &memory), b"7 ", "a buffer that was cut off");
        assert_eq!(decode(&[], &memory), b"");
    }
}
