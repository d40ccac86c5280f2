//! Elements of matrices: packed integers and small floats.

use crate::operation::small_floats::small_float;
use visakit::isa::{Precision, PrecisionClass};
use visakit_native::host::{Vectors, in_vectors};

/// Number of elements that are decoded and multiplied together.
pub(super) const TOGETHER: usize = 8;

/// Elements of neighbouring columns.
pub(super) type Row<T> = [T; TOGETHER];

/// Decoder of the elements that dwords hold: a row for each element of a dword, those in its
/// lowest bits first.
pub(super) type Decoder<T> = Box<dyn Fn(&[Row<u32>], &mut Vec<Row<T>>) + Send + Sync>;

/// Returns the decoder of an integer type. Unsigned elements of 32 bits do not exist.
pub(super) fn integers(precision: Precision) -> Decoder<i32> {
    let (bits, unused) = (precision.bits(), 32 - precision.bits());
    match precision.class() {
        PrecisionClass::Signed => decoder(bits, move |element| (element << unused) as i32 >> unused),
        _ => decoder(bits, |element| element as i32),
    }
}

/// Returns the decoder of a float type. All values are exact in DF.
pub(super) fn floats(precision: Precision) -> Decoder<f64> {
    let bits = precision.bits();
    let listed = |value: fn(u8) -> f64| {
        let values: [f64; 256] = std::array::from_fn(|code| value(code as u8));
        decoder(bits, move |element| values[usize::from(element as u8)])
    };
    match precision {
        Precision::Hf => decoder(bits, half),
        Precision::Bf => decoder(bits, |element| f32::from_bits(element << 16).into()),
        Precision::Bf8 => decoder(bits, |element| half(element << 8)),
        Precision::Tf32 => decoder(bits, |element| f32::from_bits(element & !0x1fff).into()),
        Precision::Hf8 => listed(|code| small_float(code, 4, 3, true)),
        _ => listed(|code| small_float(code, 2, 1, false)),
    }
}

/// Returns a decoder by the value of an element.
fn decoder<T: Copy + Default + 'static>(bits: u32, value: impl Fn(u32) -> T + Send + Sync + 'static) -> Decoder<T> {
    let vectors = Vectors::of_host();
    let body = move |words: &[Row<u32>], rows: &mut Vec<Row<T>>| {
        rows.reserve(words.len() * (32 / bits) as usize);
        for words in words {
            for bit in (0..32).step_by(bits as usize) {
                let mut row = [T::default(); TOGETHER];
                for (element, word) in row.iter_mut().zip(words) {
                    *element = value(word >> bit & u32::MAX >> (32 - bits));
                }
                rows.push(row);
            }
        }
    };
    Box::new(move |words, rows| {
        in_vectors(
            vectors,
            #[inline(always)]
            || body(words, rows),
        )
    })
}

/// Returns the value of a half. Unlike the crate's function, it is computed for several elements
/// by the same instructions.
fn half(bits: u32) -> f64 {
    let scaled = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    let special = f32::INFINITY.to_bits() | (bits & 0x3ff) << 13;
    let magnitude = if bits & 0x7c00 == 0x7c00 { special } else { scaled.to_bits() };
    f32::from_bits(magnitude | (bits & 0x8000) << 16).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn halves() {
        for bits in 0..=u16::MAX {
            let (value, want) = (half(bits.into()), f16::from_bits(bits).to_f64());
            assert!(value.to_bits() == want.to_bits() || value.is_nan() && want.is_nan(), "{bits:#x}");
        }
        assert_eq!(elements(Precision::Bf8, 0x3e), 1.5);
    }

    /// Elements of a dword are decoded from its lowest bits on.
    #[test]
    fn order() {
        let mut rows = Vec::new();
        integers(Precision::S4)(&[std::array::from_fn(|column| 0x7654_32f0 + column as u32)], &mut rows);
        let column = |n: usize| rows.iter().map(|row| row[n]).collect::<Vec<_>>();
        assert_eq!(column(0), [0, -1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(column(7), [7, -1, 2, 3, 4, 5, 6, 7]);
    }

    fn elements(precision: Precision, bits: u32) -> f64 {
        let mut rows = Vec::new();
        floats(precision)(&[[bits; TOGETHER]], &mut rows);
        rows[0][0]
    }
}
