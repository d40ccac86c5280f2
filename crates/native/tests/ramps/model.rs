//! The expected results of steps, channel by channel.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use visakit_native::ir::{Access, Action, Addresses, Binary, Expression, Kind, Node, Space, Step, Unit, Value};
use visakit_native::{Buffer, Marks};

use crate::common::{State, unmarked};

/// Size of each buffer in bytes.
pub(crate) const REACH: u32 = 4096;

/// A buffer with the marks of its bytes.
pub(crate) struct Side {
    pub(crate) words: Vec<AtomicU32>,
    pub(crate) marks: Vec<Cell<u64>>,
}

impl Side {
    /// Returns the buffer, whose accesses are marked if `is_observed`.
    pub(crate) fn buffer(&self, is_observed: bool) -> Buffer<'_> {
        let marks = Marks::Bits(&self.marks);
        let buffer = Buffer { words: &self.words, loads: marks, stores: marks, updates: marks };
        if is_observed { buffer } else { unmarked(&self.words) }
    }

    /// Returns the contents and the marks.
    pub(crate) fn contents(&self) -> (Vec<u32>, Vec<u64>) {
        let words = self.words.iter().map(|word| word.load(Relaxed));
        (words.collect(), self.marks.iter().map(Cell::get).collect())
    }
}

pub(crate) fn get(state: &State, at: u32, bytes: u32) -> u64 {
    state.registers[at as usize..][..bytes as usize].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

pub(crate) fn put(state: &mut State, at: u32, bytes: u32, value: u64) {
    state.registers[at as usize..][..bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
}

/// Returns the low bytes of a number, extended as the kind says.
pub(crate) fn of_kind(kind: Kind, value: u64) -> u64 {
    let rest = 64 - kind.bytes() * 8;
    if kind.is_signed() { ((value << rest) as i64 >> rest) as u64 } else { value << rest >> rest }
}

/// Returns the value of an expression for a channel.
pub(crate) fn value(expression: &Expression, state: &State, result: Value, n: u32) -> u64 {
    let mut values: Vec<u64> = Vec::new();
    for (kind, node) in &expression.nodes {
        let value = match *node {
            Node::Load { at, step } => get(state, at + n * step, kind.bytes()),
            Node::Constant(bits) => bits,
            Node::Convert { value, .. } => values[value],
            Node::Binary(Binary::Add, a, b) => values[a].wrapping_add(values[b]),
            Node::Binary(Binary::Sub, a, b) => values[a].wrapping_sub(values[b]),
            Node::Binary(Binary::Mul, a, b) => values[a].wrapping_mul(values[b]),
            Node::Binary(Binary::Shl, a, b) => values[a] << values[b],
            ref other => unreachable!("{other:?}"),
        };
        values.push(of_kind(*kind, value));
    }
    values[result]
}

/// Performs a step channel by channel. Channels outside of the buffer load zeros.
pub(crate) fn perform(step: &Step, state: &mut State, sides: &[Side; 2]) {
    let (bits, shift) = (step.mask.lanes, step.mask.shift);
    let lanes = (0..32 - bits.leading_zeros()).filter(|n| step.mask.always || state.active >> (shift + n) & 1 == 1);
    let lanes: Vec<u32> = lanes.collect();
    match &step.action {
        Action::Compute { expression, results, .. } => {
            let (result, to) = results[0];
            let bytes = expression.nodes[result].0.bytes();
            let all: Vec<u64> = lanes.iter().map(|n| value(expression, state, result, *n)).collect();
            lanes.iter().zip(all).for_each(|(n, value)| put(state, to + n * bytes, bytes, value));
        }
        Action::Transfer(transfer) => {
            let (size, own_size) = (transfer.unit.bytes(), transfer.unit.register_bytes());
            let global = transfer.global.map_or(0, |(at, bytes)| get(state, at, bytes));
            let places: Vec<Option<u64>> = lanes
                .iter()
                .map(|n| match transfer.addresses {
                    Addresses::Qwords(at) => {
                        let address = get(state, at + n * 8, 8).wrapping_add(global);
                        let address = address.wrapping_add_signed(transfer.offset.into());
                        (address >> 32 == 1).then_some(address & 0xffff_ffff)
                    }
                    Addresses::Dwords(at) => {
                        let address = (get(state, at + n * 4, 4) as u32).wrapping_add_signed(transfer.offset);
                        Some(address.into())
                    }
                    other => unreachable!("{other:?}"),
                })
                .collect();
            let Side { words, marks } = &sides[usize::from(transfer.space == Space::Flat)];
            // Order of accesses: by half, then by element.
            let channels: Vec<_> = lanes.iter().zip(&places).collect();
            for half in channels.chunk_by(|(a, _), (b, _)| *a / 16 == *b / 16) {
                for ((distance, own), (n, first)) in
                    transfer.elements.iter().flat_map(|element| half.iter().map(move |channel| (element, *channel)))
                {
                    let first = first.map(|first| first + u64::from(*distance));
                    let first = first.filter(|first| first + u64::from(size) <= REACH.into());
                    let own = own + n * own_size;
                    for at in first.into_iter().flat_map(|first| first..first + u64::from(size)) {
                        let mark = &marks[at as usize / 64];
                        mark.set(mark.get() | 1 << (at % 64));
                    }
                    match (transfer.access, first) {
                        (Access::Load, _) => {
                            let byte =
                                |at: u64| u64::from(words[at as usize / 4].load(Relaxed) >> (at % 4 * 8) & 0xff);
                            let bytes =
                                |first: u64| (0..u64::from(size)).rev().fold(0, |all, n| all << 8 | byte(first + n));
                            let kept =
                                if transfer.unit == (Unit::Part { bytes: 1, keeps: true }) { size } else { own_size };
                            put(state, own, kept, first.map_or(0, bytes));
                        }
                        (_, Some(first)) => {
                            for n in 0..u64::from(size) {
                                let (word, shift) = (&words[(first + n) as usize / 4], (first + n) % 4 * 8);
                                let bits = u32::from(state.registers[own as usize + n as usize]) << shift;
                                word.store(word.load(Relaxed) & !(0xff << shift) | bits, Relaxed);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        Action::Nothing => {}
        other => unreachable!("{other:?}"),
    }
}
