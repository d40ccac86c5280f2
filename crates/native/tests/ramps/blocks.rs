//! Addresses that an earlier block computes, perhaps by way of a block that changes them.

use visakit_native::ir::{
    Access, Action, Addresses, Behind, Binary, Block, End, Expression, InitialRamp, Kind, Logic, Mask, Node,
    Relation, Routine, Space, Step, Transfer, Unit, Value,
};
use visakit_native::{Exit, Memory};

use crate::common::{self, Chance, State, codes_of, routine};
use crate::model::{Side, perform, put};
use crate::steps::{IDS, NUMBERS, QWORDS, ROW, begin};

/// The row of addresses.
const ADDRESSES: u32 = ROW;
/// A row without ramps.
const OTHERS: u32 = 2 * ROW;
/// The row of loaded elements.
const LOADED: u32 = 3 * ROW;

/// How the second block changes the addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Nothing,
    /// Addresses that do not follow each other.
    Others,
    /// Addresses at another distance.
    Wider,
    /// Other addresses for the last channels.
    Half,
    /// New addresses at the same distance.
    Ramp,
}

/// Returns a thread whose ids are the numbers of its channels, and its memory.
fn thread() -> (State, [Side; 2]) {
    let (mut state, sides) = begin(&mut Chance(7), 32, false);
    state.active = u32::MAX;
    (0..32).for_each(|n| put(&mut state, n * 2, 2, n.into()));
    (state, sides)
}

/// Returns a step that computes addresses from those at `from` on.
fn addresses(from: impl FnOnce(&mut Expression) -> Value, number: u32, by: u64, mask: Mask) -> Step {
    let mut sum = Expression::default();
    let from = from(&mut sum);
    let by = sum.push(Kind::U32, Node::Constant(by));
    let from = sum.push(Kind::U32, Node::Binary(Binary::Mul, from, by));
    let number = sum.push(Kind::U32, Node::Load { at: NUMBERS.0 + 4 * number, step: 0 });
    let sum_of = sum.push(Kind::U32, Node::Binary(Binary::Add, from, number));
    let to = ADDRESSES + mask.shift * 4;
    Step { mask, action: Action::Compute { expression: sum, results: vec![(sum_of, to)], pitch: None } }
}

fn ids(expression: &mut Expression) -> Value {
    let ids = expression.push(Kind::U16, Node::Load { at: 0, step: 2 });
    expression.push(Kind::U32, Node::Convert { value: ids, saturate: false })
}

/// Returns a step that loads dwords by the addresses.
fn load() -> Step {
    let transfer = Transfer {
        access: Access::Load,
        space: Space::Surface { element: 0, shift: 0 },
        addresses: Addresses::Dwords(ADDRESSES),
        global: None,
        scale: 1,
        offset: 0,
        unit: Unit::Dword,
        alignment: 4,
        elements: vec![(0, LOADED)],
    };
    Step { mask: common::mask(u32::MAX, false), action: Action::Transfer(transfer) }
}

/// Order of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Addresses, change, load.
    Line,
    /// As in a line; the first block jumps over the change.
    Jump,
    /// Addresses, load, change, and again load and change.
    Loop,
}

#[test]
fn addresses_of_earlier_blocks_are_known() {
    let changes = [Change::Nothing, Change::Others, Change::Wider, Change::Half, Change::Ramp];
    for change in changes {
        for (order, is_first) in
            [Order::Line, Order::Jump, Order::Loop].into_iter().flat_map(|n| [(n, false), (n, true)])
        {
            compare(change, order, is_first);
        }
    }
}

/// Compares the elements that are loaded by addresses with those of each channel. The first block
/// computes addresses if `is_first`.
fn compare(change: Change, order: Order, is_first: bool) {
    let all = common::mask(u32::MAX, false);
    let others = |e: &mut Expression| e.push(Kind::U32, Node::Load { at: OTHERS, step: 4 });
    let nothing = Step { mask: all, action: Action::Nothing };
    let change_of = match change {
        Change::Nothing => nothing.clone(),
        Change::Others => addresses(others, 0, 4, all),
        Change::Wider => addresses(ids, 0, 8, all),
        Change::Half => addresses(others, 0, 4, Mask { shift: 16, ..common::mask(0xffff, false) }),
        Change::Ramp => addresses(ids, 1, 4, all),
    };
    let first = if is_first { addresses(ids, 0, 4, all) } else { nothing.clone() };
    let jump = |target: u32| End::Jump { mask: Mask { predicate: 1, ..common::mask(1, true) }, target };
    // The loop continues once if the second predicate holds.
    let copy = Step { mask: all, action: Action::Logic { logic: Logic::And, from: [2, 2], to: 1 } };
    let clear = Step { mask: all, action: Action::SetPredicate { from: 0, number: Some(0), to: 2 } };
    let [begin, changes] = [vec![first.clone()], vec![change_of.clone()]];
    let blocks = match order {
        Order::Line => [(begin, End::Fall), (changes, End::Fall), (vec![load()], End::Fall)],
        Order::Jump => [(begin, jump(2)), (changes, End::Fall), (vec![load()], End::Fall)],
        Order::Loop => {
            [(begin, End::Fall), (vec![load()], End::Fall), (vec![change_of.clone(), copy, clear], jump(1))]
        }
    };
    // The elements are needed.
    let mut compared = Expression::default();
    let side = compared.push(Kind::U32, Node::Load { at: LOADED, step: 4 });
    let sides = [side; 2];
    let compare = Action::Compare { expression: compared, relation: Relation::Less, sides, inverse: false, to: 3 };
    let last = (vec![Step { mask: all, action: compare }], End::Outside(Behind::Others(u32::MAX)));
    let block = |(steps, end): (Vec<Step>, End)| Block { instructions: steps.len() as u32, steps, end };
    let blocks = blocks.into_iter().chain([last]).map(block);
    let ramps = vec![InitialRamp { at: 0, lanes: 32, step: 1 }, InitialRamp { at: IDS, lanes: 32, step: 0 }];
    let routine = Routine { ramps, ..routine(blocks.collect()) };
    for (code, jumps) in codes_of(&routine).iter().flat_map(|code| [false, true].map(|jumps| (code, jumps))) {
        let run = |is_native: bool| {
            let (mut state, sides) = thread();
            for n in 0..32 {
                put(&mut state, ADDRESSES + n * 4, 4, (n * 12 % 80).into());
                put(&mut state, OTHERS + n * 4, 4, (n * 5 % 32).into());
            }
            (0..2).for_each(|n| state.put_one(NUMBERS.0 + n * 4, 64 + n * 64));
            state.predicates[1..3].fill(if jumps { u32::MAX } else { 0 });
            let [surface, flat] = [0, 1].map(|n: usize| sides[n].buffer(false));
            let memory = Memory::new([flat], [Some(surface)], &[]);
            if is_native {
                assert_eq!(state.run(code, 0, None, &memory), Some(Exit::End { block: 3 }));
            } else {
                let path = match (order, jumps) {
                    (Order::Jump, true) => vec![&first],
                    (Order::Loop, false) => vec![&first],
                    _ => vec![&first, &change_of],
                };
                path.into_iter().for_each(|step| perform(step, &mut state, &sides));
                perform(&load(), &mut state, &sides);
            }
            state.registers[LOADED as usize..(LOADED + 128) as usize].to_vec()
        };
        assert_eq!(run(true), run(false), "{change:?} {order:?} {is_first} {jumps}");
    }
}

/// Ids that the first block changes are no ramp in the next.
#[test]
fn ids_that_change_are_unknown() {
    let all = common::mask(u32::MAX, false);
    let mut others = Expression::default();
    let value = others.push(Kind::U16, Node::Load { at: OTHERS, step: 2 });
    let change = Action::Compute { expression: others, results: vec![(value, 0)], pitch: None };
    let steps = [Step { mask: all, action: change }, addresses(ids, 0, 4, all), load()];
    let end = End::Outside(Behind::Anything);
    let blocks = vec![
        Block { steps: steps[..1].to_vec(), instructions: 1, end: End::Fall },
        Block { steps: steps[1..].to_vec(), instructions: 2, end: End::Fall },
        Block { steps: Vec::new(), instructions: 1, end },
    ];
    let ramps = vec![InitialRamp { at: 0, lanes: 32, step: 1 }];
    for code in codes_of(&Routine { ramps, ..routine(blocks) }) {
        let run = |is_native: bool| {
            let (mut state, sides) = thread();
            for n in 0..32 {
                put(&mut state, OTHERS + n * 2, 2, (n * 5 % 32).into());
            }
            state.put_one(NUMBERS.0, 64);
            let [surface, flat] = [0, 1].map(|n: usize| sides[n].buffer(false));
            let memory = Memory::new([flat], [Some(surface)], &[]);
            if is_native {
                assert_eq!(state.run(&code, 0, None, &memory), Some(Exit::End { block: 2 }));
            } else {
                steps.iter().for_each(|step| perform(step, &mut state, &sides));
            }
            state.registers
        };
        assert!(run(true) == run(false));
    }
}

/// A value that wraps in the first block is no ramp in the next.
#[test]
fn addresses_that_wrap_are_unknown() {
    let all = common::mask(u32::MAX, false);
    let mut sum = Expression::default();
    let id = ids(&mut sum);
    let number = sum.push(Kind::U32, Node::Load { at: NUMBERS.0, step: 0 });
    let value = sum.push(Kind::U32, Node::Binary(Binary::Add, id, number));
    let value = sum.push(Kind::U64, Node::Convert { value, saturate: false });
    let by = sum.push(Kind::U64, Node::Constant(4));
    let value = sum.push(Kind::U64, Node::Binary(Binary::Mul, value, by));
    let base = sum.push(Kind::U64, Node::Load { at: QWORDS.0, step: 0 });
    let value = sum.push(Kind::U64, Node::Binary(Binary::Add, value, base));
    let compute = Step {
        mask: all,
        action: Action::Compute { expression: sum, results: vec![(value, ADDRESSES)], pitch: None },
    };
    let Action::Transfer(transfer) = load().action else { unreachable!() };
    let transfer = Transfer { space: Space::Flat, addresses: Addresses::Qwords(ADDRESSES), ..transfer };
    let load = Step { mask: all, action: Action::Transfer(transfer) };
    let ends = [End::Fall, End::Outside(Behind::Others(u32::MAX))];
    let blocks = [compute.clone(), load].into_iter().zip(ends);
    let blocks = blocks.map(|(step, end)| Block { steps: vec![step], instructions: 1, end }).collect();
    let ramps = vec![InitialRamp { at: 0, lanes: 32, step: 1 }];
    for code in codes_of(&Routine { ramps, ..routine(blocks) }) {
        let (mut state, sides) = thread();
        // The last 16 channels wrap, and are not in the buffer.
        let number = 16_u32.wrapping_neg();
        state.put_one(NUMBERS.0, number);
        put(&mut state, QWORDS.0, 8, (1_u64 << 32).wrapping_add(600).wrapping_sub(u64::from(number) * 4));
        let [surface, flat] = [0, 1].map(|n: usize| sides[n].buffer(false));
        let memory = Memory::new([flat], [Some(surface)], &[]);
        let mut exit = state.run(&code, 0, None, &memory);
        if matches!(exit, Some(Exit::Step { step: 0, .. })) {
            perform(&compute, &mut state, &sides);
            exit = state.run(&code, 0, exit, &memory);
        }
        assert!(matches!(exit, Some(Exit::Step { step: 1, .. })), "{exit:?}");
    }
}
