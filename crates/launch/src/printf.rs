//! Decoder of the kernel's `printf` buffer.
//!
//! The first dword of the buffer is the offset of the next record. A record consists of the 64-bit
//! address of the format and, for each conversion, a dword with the type and then the value, padded
//! to four bytes. A vector has its number of elements before the elements. Strings are addresses.
//!
//! For a format that is not constant, its length with the highest bit set replaces the address. The
//! format follows, padded to four bytes.

mod format;

use visakit_machine::buffer::Buffer;
use visakit_machine::memory::Memory;

use crate::limits::PRINTED_BYTES;
use format::{Value, print};

/// Size of the buffer in bytes; compiled kernels compare offsets with this constant.
pub const BUFFER_BYTES: usize = 4 << 20;
/// Offset of the first record.
pub const FIRST_RECORD: u32 = 4;

/// Flag of a format's length, including its final zero, in place of an address.
const OWN_FORMAT: u64 = 1 << 63;

/// Returns the text that the kernels printed to a buffer. Its next-record word is at offset `at`,
/// after a header. Decoding stops at an invalid record.
pub fn printed(buffer: &Buffer, at: u32, memory: &Memory) -> Vec<u8> {
    // Few kernels print to the end of the buffer.
    let end = buffer.load_u32(at.into()).unwrap_or(0);
    if end <= at + FIRST_RECORD { Vec::new() } else { decode(&buffer.first_bytes(end as usize), at as usize, memory) }
}

fn decode(buffer: &[u8], at: usize, memory: &Memory) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use visakit_machine::buffer::Buffer;

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
        assert_eq!(decode(&buffer, 0, &memory), b"7 bye %f\nbye 0.500000");
        // `printf("%d %s\n", 7, text, 5)`: the last value has no conversion.
        let mut more = buffer[..end as usize - 16].to_vec();
        more.extend([3_u32, 5].map(u32::to_le_bytes).concat());
        more.extend_from_slice(&buffer[end as usize - 16..end as usize]);
        let longer = more.len() as u32;
        more[..4].copy_from_slice(&longer.to_le_bytes());
        assert_eq!(decode(&more, 0, &memory), b"7 bye %f\nbye 0.500000");
        // A format in the buffer, eight bytes with its zero, and a truncated one.
        let mut own = vec![0; 4];
        own.extend((OWN_FORMAT | 7).to_le_bytes());
        own.extend(b"<%d>!\n\0\0");
        own.extend([3_u32, 9].map(u32::to_le_bytes).concat());
        own.extend((OWN_FORMAT | 99).to_le_bytes());
        let longer = own.len() as u32;
        own[..4].copy_from_slice(&longer.to_le_bytes());
        assert_eq!(decode(&own, 0, &memory), b"<9>!\n");
        // Strings passed as pointers, and a null pointer.
        let mut pointers = vec![0; 4];
        for address in [text + 3, 0] {
            pointers.extend((text + 3).to_le_bytes());
            pointers.extend([7_u32.to_le_bytes().as_slice(), &address.to_le_bytes()].concat());
        }
        let longer = pointers.len() as u32;
        pointers[..4].copy_from_slice(&longer.to_le_bytes());
        assert_eq!(decode(&pointers, 0, &memory), b"%s\n\n(null)\n");
        // A few records that request very long output.
        let wide = memory.map(Buffer::from_bytes(b"%4095d\0")).unwrap();
        let records = PRINTED_BYTES / 4095 + 1;
        let mut many = (4 + records as u32 * 16).to_le_bytes().to_vec();
        (0..records).for_each(|_| many.extend([wide.to_le_bytes(), [3, 0, 0, 0, 5, 0, 0, 0]].concat()));
        let printed = decode(&many, 0, &memory);
        assert!(printed.ends_with(b"which is the limit\n") && printed.len() < PRINTED_BYTES + 100);
        let fewer = 4 + (records as u32 - 1) * 16;
        many[..4].copy_from_slice(&fewer.to_le_bytes());
        assert_eq!(decode(&many, 0, &memory).len(), (records - 1) * 4095);
        assert_eq!(decode(&buffer[..30], 0, &memory), b"7 ", "a buffer that was cut off");
        assert_eq!(decode(&[], 0, &memory), b"");
    }
}
