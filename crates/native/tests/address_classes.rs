//! Random transfers of one address class: contiguous or not, adjacent halves or not, and places out
//! of bounds. The expected results are computed channel by channel.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use visakit_native::ir::{
    Access, Action, Addresses, Behind, Binary, Block, End, Expression, Kind, Mask, Node, Space, Step, Transfer, Unit,
};
use visakit_native::{Buffer, Exit, Marks, Memory, PAGE};

mod common;

use common::{BYTES, Chance, State, codes, unmarked};

/// Bytes of the elements of 32 channels; the register file has [`SLOTS`] of these.
const SLOT: u32 = 128;
const SLOTS: u32 = BYTES as u32 / SLOT;
/// Slots of numbers for all channels, of addresses (the first two are given), and of moved data.
const NUMBERS: u32 = 2;
const MOVED: u32 = 8;
/// Size of the buffer in bytes.
const REACH: u32 = 4096;

/// Returns a slot with addresses.
fn any_addresses(chance: &mut Chance) -> u32 {
    chance.of(&[0, 0, 1, 3, 4, 5, 6, 7])
}

fn mask(shift: u32, lanes: u32) -> Mask {
    Mask { shift, ..common::mask(u32::MAX >> (32 - lanes), false) }
}

/// Returns a step for all channels, or a step for each half.
fn halves(chance: &mut Chance, of: impl Fn(u32, u32) -> Action) -> Vec<Step> {
    let parts: &[(u32, u32)] = if chance.below(3) == 0 { &[(0, 32)] } else { &[(0, 16), (16, 16)] };
    parts.iter().map(|(first, lanes)| Step { mask: mask(*first, *lanes), action: of(*first, *lanes) }).collect()
}

/// Returns steps that compute other addresses.
fn compute(chance: &mut Chance) -> Vec<Step> {
    let (from, to, number) = (any_addresses(chance), 3 + chance.below(5), chance.below(8));
    let (binary, what) =
        (chance.of(&[Binary::Add, Binary::Add, Binary::Sub, Binary::Mul, Binary::Shl]), chance.below(3));
    let (other, is_turned) = (any_addresses(chance), chance.below(3) == 0);
    halves(chance, |first, _| {
        let mut expression = Expression::default();
        let row = |expression: &mut Expression, slot: u32| {
            expression.push(Kind::U32, Node::Load { at: slot * SLOT + first * 4, step: 4 })
        };
        let a = row(&mut expression, from);
        let b = match (binary, what) {
            (Binary::Shl, _) => expression.push(Kind::U32, Node::Constant(1)),
            (Binary::Mul, _) => expression.push(Kind::U32, Node::Constant(u64::from(number % 3))),
            (_, 0) => row(&mut expression, other),
            (_, 1) => expression.push(Kind::U32, Node::Constant(u64::from(number * 4))),
            _ => expression.push(Kind::U32, Node::Load { at: NUMBERS * SLOT + number * 4, step: 0 }),
        };
        let (a, b) = if is_turned && binary != Binary::Shl { (b, a) } else { (a, b) };
        let result = expression.push(Kind::U32, Node::Binary(binary, a, b));
        Action::Compute { expression, results: vec![(result, to * SLOT + first * 4)], pitch: None }
    })
}

/// Returns a transfer, sometimes with a state set between its halves.
fn transfer(chance: &mut Chance) -> Vec<Step> {
    let access = chance.of(&[Access::Load, Access::Load, Access::Store]);
    let part = |bytes| Unit::Part { bytes, keeps: bytes == 1 };
    let unit = chance.of(&[Unit::Dword, Unit::Dword, part(1), part(2), part(4)]);
    let (count, is_together) = (chance.of(&[1, 1, 2, 4]), chance.below(2) == 0);
    let (slot, moved) = (any_addresses(chance), MOVED + chance.below(SLOTS - MOVED - count + 1));
    let private = Space::Private { number: NUMBERS * SLOT + 9 * 4, unit: 16 };
    let spaces = [
        Space::Surface { element: 0, shift: 0 },
        Space::Surface { element: 0, shift: 0 },
        Space::Local { mask: 0x0fff_ffff },
        private,
    ];
    let (offset, space) = (chance.of(&[0, 0, 4, -4]), chance.of(&spaces));
    let alignment = chance.of(&[4, 4, 1]);
    let number = chance.of(&[0, 0, 1]);
    let mut steps = halves(chance, |first, lanes| {
        // Either the elements of each half are contiguous, or those of both halves are.
        let (half, element) = if is_together && lanes == 16 { (64 * count, 64) } else { (64, SLOT) };
        let elements = (0..count).map(|n| (n * unit.bytes(), moved * SLOT + first / 16 * half + n * element));
        Action::Transfer(Transfer {
            access,
            space,
            addresses: Addresses::Dwords(slot * SLOT + first * 4),
            global: None,
            scale: 1,
            offset,
            unit,
            alignment: if let Unit::Dword = unit { alignment } else { 1 },
            elements: elements.collect(),
        })
    });
    let set = Action::SetState { element: 0, from: NUMBERS * SLOT + 8 * 4, number: Some(number) };
    if chance.below(2) == 0 {
        steps.insert(0, Step { mask: common::mask(1, true), action: set.clone() });
        if steps.len() == 3 {
            steps.insert(2, Step { mask: common::mask(1, true), action: set });
        }
    }
    steps
}

/// Performs a step channel by channel. Channels outside of the buffer load zeros.
fn perform(step: &Step, state: &mut State, words: &[Vec<AtomicU32>; 4], pages: &mut BTreeSet<u64>) {
    let (bits, shift) = (step.mask.lanes, step.mask.shift);
    let lanes = (0..32 - bits.leading_zeros()).filter(|n| step.mask.always || state.active >> (shift + n) & 1 == 1);
    let lanes: Vec<u32> = lanes.collect();
    match &step.action {
        Action::SetState { element, number, .. } => state.states[*element as usize] = number.unwrap(),
        Action::Compute { expression, results, .. } => {
            let [(result, to)] = results[..] else { unreachable!() };
            let of = |state: &State, n: u32| {
                let mut values: Vec<u32> = Vec::new();
                for (_, node) in &expression.nodes {
                    values.push(match *node {
                        Node::Load { at, step } => state.get_one(at + n * step),
                        Node::Constant(bits) => bits as u32,
                        Node::Binary(Binary::Add, a, b) => values[a].wrapping_add(values[b]),
                        Node::Binary(Binary::Sub, a, b) => values[a].wrapping_sub(values[b]),
                        Node::Binary(Binary::Mul, a, b) => values[a].wrapping_mul(values[b]),
                        Node::Binary(Binary::Shl, a, b) => values[a] << values[b],
                        ref other => unreachable!("{other:?}"),
                    });
                }
                values[result]
            };
            let all: Vec<(u32, u32)> = lanes.iter().map(|n| (to + n * 4, of(state, *n))).collect();
            all.into_iter().for_each(|(at, value)| state.put_one(at, value));
        }
        Action::Transfer(transfer) => {
            let (words, begin) = match transfer.space {
                Space::Local { .. } => (&words[2], 0),
                Space::Private { number, .. } => (&words[3], state.get_one(number) * 16),
                _ => (&words[state.states[0] as usize], 0),
            };
            let (reach, is_private) = (words.len() as u64 * 4, matches!(transfer.space, Space::Private { .. }));
            let Addresses::Dwords(at) = transfer.addresses else { unreachable!() };
            let size = transfer.unit.bytes();
            let addresses: Vec<u32> = lanes
                .iter()
                .map(|n| state.get_one(at + n * 4).wrapping_add_signed(transfer.offset))
                .map(|address| if let Space::Local { mask } = transfer.space { address & mask } else { address })
                .collect();
            // Order of accesses: by half, then by element.
            let channels: Vec<(u32, u32)> = lanes.into_iter().zip(addresses).collect();
            let halves = channels.chunk_by(|(a, _), (b, _)| a / 16 == b / 16);
            let all = halves.flat_map(|half| {
                transfer.elements.iter().flat_map(move |element| half.iter().map(move |channel| (*element, *channel)))
            });
            for ((distance, own), (n, address)) in all {
                let first = u64::from(address) + u64::from(distance) + u64::from(begin);
                let is_inside = first + u64::from(size) <= reach && address % transfer.alignment == 0;
                if transfer.access == Access::Store && is_private && is_inside {
                    pages.extend([first / PAGE, (first + u64::from(size) - 1) / PAGE]);
                }
                for byte in 0..size {
                    let (at, own) = ((first + u64::from(byte)) % reach, (own + n * 4 + byte) as usize);
                    let (word, shift) = (&words[at as usize / 4], at % 4 * 8);
                    if transfer.access == Access::Load {
                        state.registers[own] = if is_inside { (word.load(Relaxed) >> shift) as u8 } else { 0 };
                    } else if is_inside {
                        let bits = u32::from(state.registers[own]) << shift;
                        word.store(word.load(Relaxed) & !(0xff << shift) | bits, Relaxed);
                    }
                }
                if let (Access::Load, Unit::Part { keeps: false, .. }) = (transfer.access, transfer.unit) {
                    (size..4).for_each(|byte| state.registers[(own + n * 4 + byte) as usize] = 0);
                }
            }
        }
        other => unreachable!("{other:?}"),
    }
}

/// Returns a thread and its memory before the run.
fn begin(chance: &mut Chance) -> (State, [Vec<AtomicU32>; 4]) {
    let orders: [fn(u32) -> u32; 9] = [
        |n| 64 + 4 * n,
        |n| 64 + 4 * n,
        |n| 128 + n,
        |n| 128 + 2 * n,
        |n| 64 + 4 * (n % 16) + 256 * (n / 16),
        |n| 8 * n,
        |n| 256 - 4 * n,
        |_| 96,
        |n| 4 * (n * 7 % 32),
    ];
    let mut state = State::new(chance.of(&[u32::MAX, u32::MAX, u32::MAX, 0xffff, 0x8f31_7ffe, 0]));
    let all: Vec<(u32, u32)> = (0..2).map(|slot| (slot, chance.below(orders.len() as u32))).collect();
    for (slot, order) in all {
        // One channel may have an address elsewhere.
        let (other, by) =
            if chance.below(4) == 0 { (chance.below(32), 4 + chance.below(2) * REACH) } else { (99, 0) };
        (0..32).for_each(|n| {
            let add = if n == other { by } else { 0 };
            state.put_one(slot * SLOT + n * 4, orders[order as usize](n) + add);
        });
    }
    (0..9).for_each(|n| state.put_one(NUMBERS * SLOT + n * 4, 4 * chance.below(64)));
    state.put_one(NUMBERS * SLOT + 9 * 4, chance.of(&[0, 2, 7, 250, 600, REACH / 4 - 4, REACH / 4 + 1]));
    (3 * SLOT..BYTES as u32).step_by(4).for_each(|at| state.put_one(at, chance.below(1 << 10)));
    let words = std::array::from_fn(|n| {
        let count = if n == 3 { REACH } else { REACH / 4 };
        (0..count).map(|_| AtomicU32::new(chance.below(1 << 31))).collect()
    });
    (state, words)
}

fn listed(steps: &[Step]) -> String {
    steps.iter().map(|step| format!("\n{step:?}")).collect()
}

#[test]
fn transfers_of_one_class_move_what_each_channel_moves() {
    let (mut by_caller, mut all) = (0, 0);
    for seed in 0..1500 {
        let mut chance = Chance(seed);
        let count = 3 + chance.below(8);
        let steps: Vec<Step> = (0..count)
            .flat_map(|_| if chance.below(5) < 2 { compute(&mut chance) } else { transfer(&mut chance) })
            .collect();
        let instructions = steps.len() as u32;
        let blocks = vec![Block { steps: steps.clone(), instructions, end: End::Outside(Behind::Anything) }];
        let rest = chance.0;
        let (mut want, wanted) = begin(&mut Chance(rest));
        let mut pages = BTreeSet::new();
        steps.iter().for_each(|step| perform(step, &mut want, &wanted, &mut pages));
        for code in codes(&blocks) {
            let (mut state, words) = begin(&mut Chance(rest));
            let [first, second, local, private] = &words;
            let memory = Memory::new([], [Some(unmarked(first)), Some(unmarked(second))], local);
            let marks: [Cell<u64>; 2] = Default::default();
            let private = Buffer { stores: Marks::Pages(&marks), ..unmarked(private) };
            let (memory, mut others) = (memory.with_private(private), BTreeSet::new());
            let mut exit = state.run(&code, 0, None, &memory);
            while let Some(Exit::Step { step, .. }) = exit {
                perform(&steps[step as usize], &mut state, &words, &mut others);
                by_caller += 1;
                exit = state.run(&code, 0, exit, &memory);
            }
            all += steps.len();
            assert_eq!(exit, Some(Exit::End { block: 0 }), "seed {seed}");
            let at = (0..BYTES).find(|at| state.registers[*at] != want.registers[*at]);
            assert_eq!(at, None, "seed {seed}:{}", listed(&steps));
            others.extend((0..64).filter(|page| marks[0].get() >> page & 1 == 1));
            assert_eq!(others, pages, "seed {seed}:{}", listed(&steps));
            for (words, wanted) in words.iter().zip(&wanted) {
                let at = (0..words.len()).find(|n| words[*n].load(Relaxed) != wanted[*n].load(Relaxed));
                assert_eq!(at, None, "seed {seed}:{}", listed(&steps));
            }
        }
    }
    // The code handles the usual cases itself.
    assert!(by_caller * 3 < all, "{by_caller} of {all} steps by the caller");
}
