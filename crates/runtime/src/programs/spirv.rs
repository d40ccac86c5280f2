//! Specialization constants of SPIR-V modules: values that a program may change before a build.

use std::collections::{BTreeMap, HashMap};

use spirv::{Decoration, MAGIC_NUMBER, Op};

/// Number of words before a module's first instruction.
const HEADER: usize = 5;

/// Returns true for a module in either byte order.
pub fn is_module(file: &[u8]) -> bool {
    order(file).is_some()
}

/// Returns the sizes of the specialization constants in bytes, by id.
pub fn constants(module: &[u8]) -> BTreeMap<u32, usize> {
    let words = words(module);
    Constant::all(&words).into_iter().map(|constant| (constant.number, constant.bytes())).collect()
}

/// Returns the module with other values of some constants.
pub fn specialize(module: &[u8], values: &BTreeMap<u32, Vec<u8>>) -> Vec<u8> {
    if values.is_empty() {
        return module.to_vec();
    }
    let mut words = words(module);
    for constant in Constant::all(&words) {
        if let Some(value) = values.get(&constant.number) {
            constant.put(&mut words, value);
        }
    }
    let (_, to_bytes) = order(module).unwrap_or((u32::from_le_bytes, u32::to_le_bytes));
    words.into_iter().flat_map(to_bytes).collect()
}

/// Conversion between bytes and words.
type Order = (fn([u8; 4]) -> u32, fn(u32) -> [u8; 4]);

fn order(file: &[u8]) -> Option<Order> {
    let orders: [Order; 2] = [(u32::from_le_bytes, u32::to_le_bytes), (u32::from_be_bytes, u32::to_be_bytes)];
    orders.into_iter().find(|(_, to_bytes)| file.starts_with(&to_bytes(MAGIC_NUMBER)))
}

fn words(module: &[u8]) -> Vec<u32> {
    let Some((to_word, _)) = order(module) else { return Vec::new() };
    module.as_chunks().0.iter().map(|&bytes| to_word(bytes)).collect()
}

/// Specialization constant.
struct Constant {
    number: u32,
    /// Index of the first word of the constant's instruction.
    at: usize,
    /// Width of the constant's type in bits; `None` for booleans, which have one opcode per value.
    bits: Option<u32>,
    is_signed: bool,
}

impl Constant {
    fn all(words: &[u32]) -> Vec<Self> {
        let (mut numbers, mut types, mut found) = (HashMap::new(), HashMap::new(), Vec::new());
        for (at, op, operands) in instructions(words) {
            let is = |other: Op| op == other as u32;
            match *operands {
                [target, kind, number] if is(Op::Decorate) && kind == Decoration::SpecId as u32 => {
                    numbers.insert(target, number);
                }
                [id, bits, sign] if is(Op::TypeInt) => {
                    types.insert(id, (bits, sign != 0));
                }
                [id, bits, ..] if is(Op::TypeFloat) => {
                    types.insert(id, (bits, false));
                }
                [_, id] if is(Op::SpecConstantTrue) || is(Op::SpecConstantFalse) => {
                    let number = numbers.get(&id);
                    found.extend(number.map(|&number| Self { number, at, bits: None, is_signed: false }));
                }
                [ty, id, _, ..] if is(Op::SpecConstant) => {
                    if let (Some(&number), Some(&(bits, is_signed))) = (numbers.get(&id), types.get(&ty)) {
                        found.push(Self { number, at, bits: Some(bits), is_signed });
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn bytes(&self) -> usize {
        self.bits.map_or(1, |bits| bits.div_ceil(8) as usize)
    }

    fn put(&self, words: &mut [u32], value: &[u8]) {
        let Some(bits) = self.bits else {
            let op = if value.iter().any(|&byte| byte != 0) { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
            words[self.at] = words[self.at] & 0xffff_0000 | op as u32;
            return;
        };
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
        let shift = 64 - bits.clamp(1, 64);
        let number = u64::from_le_bytes(bytes) << shift;
        // Small numbers are extended to a word.
        let number = if self.is_signed { ((number as i64) >> shift) as u64 } else { number >> shift };
        let count = bits.div_ceil(32) as usize;
        let literal = words.iter_mut().skip(self.at + 3).take(count.min(2));
        literal.zip([number as u32, (number >> 32) as u32]).for_each(|(to, from)| *to = from);
    }
}

/// Iterates over instructions: position, opcode and operands.
fn instructions(words: &[u32]) -> impl Iterator<Item = (usize, u32, &[u32])> {
    let mut at = HEADER;
    std::iter::from_fn(move || {
        let (start, first) = (at, *words.get(at)?);
        let count = (first >> 16) as usize;
        let operands = words.get(start + 1..start.checked_add(count)?)?;
        at += count;
        Some((start, first & 0xffff, operands))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a module with a signed 8-bit constant, a double and a boolean.
    fn module() -> Vec<u32> {
        let op = |op: Op, operands: &[u32]| {
            let count = operands.len() as u32 + 1;
            [&[count << 16 | op as u32][..], operands].concat()
        };
        [
            vec![MAGIC_NUMBER, 0x1_0200, 0, 20, 0],
            op(Op::Decorate, &[10, Decoration::SpecId as u32, 7]),
            op(Op::Decorate, &[11, Decoration::SpecId as u32, 8]),
            op(Op::Decorate, &[12, Decoration::SpecId as u32, 9]),
            op(Op::TypeInt, &[1, 8, 1]),
            op(Op::TypeFloat, &[2, 64]),
            op(Op::TypeBool, &[3]),
            op(Op::SpecConstant, &[1, 10, 5]),
            op(Op::SpecConstant, &[2, 11, 0, 0]),
            op(Op::SpecConstantTrue, &[3, 12]),
        ]
        .concat()
    }

    #[test]
    fn constants_are_found_and_replaced() {
        for (_, to_bytes) in [0x0302_2307_u32, 0x0723_0203].map(|first| order(&first.to_be_bytes()).unwrap()) {
            let bytes: Vec<u8> = module().into_iter().flat_map(to_bytes).collect();
            assert_eq!(constants(&bytes), BTreeMap::from([(7, 1), (8, 8), (9, 1)]));
            let values = [(7, vec![0xfe]), (8, 1.5_f64.to_le_bytes().to_vec()), (9, vec![0])];
            let changed = words(&specialize(&bytes, &BTreeMap::from(values)));
            let (kept, end) = changed.split_at(changed.len() - 12);
            assert_eq!(kept, &module()[..kept.len()]);
            let no = Op::SpecConstantFalse as u32 | 3 << 16;
            let number = Op::SpecConstant as u32;
            assert_eq!(
                end,
                [number | 4 << 16, 1, 10, 0xffff_fffe, number | 5 << 16, 2, 11, 0, 0x3ff8_0000, no, 3, 12]
            );
        }
    }

    /// A module that ends early, or has instructions without words, is read up to the defect.
    #[test]
    fn damaged_modules_are_read_as_far_as_they_go() {
        let bytes: Vec<u8> = module().into_iter().flat_map(u32::to_le_bytes).collect();
        for length in 0..bytes.len() {
            let values = BTreeMap::from([(7, vec![1]), (8, vec![1; 9]), (9, vec![])]);
            specialize(&bytes[..length], &values);
        }
        let mut empty = module();
        empty[HEADER] = 0;
        let bytes: Vec<u8> = empty.into_iter().flat_map(u32::to_le_bytes).collect();
        assert!(constants(&bytes).is_empty());
    }
}
