//! The constant pool: constants by their bytes, which the code reads relative to RIP.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The alignment of constants, in bytes.
const ALIGNMENT: usize = 32;

/// Constants in the order of their first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstantPool {
    bytes: Vec<u8>,
    offsets: HashMap<Vec<u8>, usize>,
}

impl ConstantPool {
    /// Returns the offset of a constant, in bytes, and adds the constant if the pool lacks it.
    pub(crate) fn offset(&mut self, constant: Vec<u8>) -> usize {
        match self.offsets.entry(constant) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let offset = self.bytes.len();
                self.bytes.extend_from_slice(entry.key());
                self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
                *entry.insert(offset)
            }
        }
    }

    /// Returns the number of bytes, a multiple of the alignment.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the bytes of all constants.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_stands_once_and_aligned() {
        let mut pool = ConstantPool::default();
        let constants = [vec![1; 4], vec![2; 32], vec![3; 33], vec![1; 8], vec![4; 1]];
        let offsets = constants.clone().map(|constant| pool.offset(constant));
        assert_eq!(offsets, [0, 32, 64, 128, 160]);
        assert_eq!(constants.clone().map(|constant| pool.offset(constant)), offsets);
        assert_eq!(pool.len(), 192);
        let bytes = pool.into_bytes();
        for (constant, offset) in constants.iter().zip(offsets) {
            assert_eq!(bytes[offset..][..constant.len()], constant[..]);
        }
    }
}
