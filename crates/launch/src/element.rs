//! Elements of buffers: numbers and vectors of numbers as bytes, and bytes as elements.

use half::f16;

/// Element of a buffer or value of an argument: a number, or an array of numbers for a vector. A
/// kernel sees its bytes in little-endian order.
pub trait Element: Copy {
    /// Size in bytes.
    const BYTES: usize;

    /// Appends the bytes of the element.
    fn put(self, out: &mut Vec<u8>);

    /// Returns the element of [`BYTES`](Self::BYTES) bytes; `None` for another number of bytes.
    fn get(bytes: &[u8]) -> Option<Self>;
}

macro_rules! elements {
    ($($type:ty)*) => {
        $(impl Element for $type {
            const BYTES: usize = size_of::<$type>();

            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn get(bytes: &[u8]) -> Option<Self> {
                Some(Self::from_le_bytes(bytes.try_into().ok()?))
            }
        })*
    };
}

elements!(u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64);

impl<T: Element, const N: usize> Element for [T; N] {
    const BYTES: usize = N * T::BYTES;

    fn put(self, out: &mut Vec<u8>) {
        self.into_iter().for_each(|element| element.put(out));
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        // An empty array has no elements to split the bytes into.
        let all = if Self::BYTES == 0 { None } else { elements(bytes) };
        all?.try_into().ok()
    }
}

/// Returns the bytes of elements.
pub fn bytes<T: Element>(elements: &[T]) -> Vec<u8> {
    let mut out = Vec::with_capacity(elements.len().saturating_mul(T::BYTES));
    elements.iter().for_each(|element| element.put(&mut out));
    out
}

/// Returns the elements of a buffer's bytes; `None` if the bytes are no whole number of elements.
pub fn elements<T: Element>(bytes: &[u8]) -> Option<Vec<T>> {
    match bytes.len().checked_rem(T::BYTES) {
        Some(0) => bytes.chunks_exact(T::BYTES).map(T::get).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returns<T: Element + PartialEq + std::fmt::Debug>(given: &[T], expected: &[u8]) {
        assert_eq!(bytes(given), expected);
        assert_eq!(elements::<T>(expected).as_deref(), Some(given));
        // Each shorter buffer has fewer elements, or a part of one.
        for n in 0..expected.len() {
            let count = elements::<T>(&expected[..n]).map(|all| all.len());
            assert_eq!(count, (n % T::BYTES == 0).then_some(n / T::BYTES), "{n} bytes");
        }
    }

    #[test]
    fn elements_are_little_endian() {
        returns(&[1_u8, 0xff], &[1, 0xff]);
        returns(&[-2_i16, 3], &[0xfe, 0xff, 3, 0]);
        returns(&[0x0102_0304_u32], &[4, 3, 2, 1]);
        returns(&[-1_i64], &[0xff; 8]);
        returns(&[f16::ONE], &[0, 0x3c]);
        returns(&[1.0_f32, -0.0], &[0, 0, 0x80, 0x3f, 0, 0, 0, 0x80]);
        returns(&[1.0_f64], &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        returns(&[[1_i8, 2], [3, 4], [5, 6]], &[1, 2, 3, 4, 5, 6]);
        returns(&[[[1_u16; 2]; 2]], &[1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(elements::<[u32; 0]>(&[]), None);
    }
}
