//! Random moves through addresses in the registers. The expected results are computed channel by
//! channel.

use visakit_native::Exit;
use visakit_native::ir::{Action, Behind, Block, Combine, End, Indirect, Mask, Own, Step};

mod common;

use common::{BYTES, Chance, State, codes, nowhere};

/// End of the bytes that addresses may select.
const LIMIT: u32 = 1024;
/// Place of 32 addresses; they and their copies are not moved.
const ADDRESSES: u32 = LIMIT;

/// Returns a move of a random form.
fn indirect(chance: &mut Chance, lanes: u32) -> Indirect {
    let bytes = chance.of(&[1, 2, 4, 4, 8]);
    let own = chance.below(LIMIT - lanes * bytes);
    let own = match chance.below(4) {
        0 => Own::Number(u64::from(chance.below(1 << 20)) << 20 | u64::from(chance.below(1 << 20))),
        1 => Own::Stores { at: own, step: chance.of(&[0, bytes]) },
        _ => Own::Loads(own),
    };
    let is_load = matches!(own, Own::Loads(_));
    let address_step = if is_load { chance.of(&[0, 4, 4]) } else { 0 };
    Indirect {
        bytes,
        address: ADDRESSES + chance.below(32 / lanes) * 4,
        address_step,
        displacement: chance.of(&[0, 0, 4, -4, 32]),
        pitch: if is_load && chance.below(2) == 0 { 0 } else { bytes },
        limit: LIMIT,
        own,
    }
}

/// Returns a step that sets a predicate, or a move of some channels.
fn step(chance: &mut Chance) -> Step {
    if chance.below(4) == 0 {
        let number = (chance.below(3) > 0).then(|| chance.of(&[0, 1, u32::MAX, 0x00f0, 0x1234_5678]));
        let (from, to) = (chance.below(LIMIT - 4), 1 + chance.below(3));
        let (shift, lanes) = chance.of(&[(0, u32::MAX), (0, 0xffff), (16, 0xffff), (8, 0xff), (0, 1)]);
        let mask = Mask { shift, ..common::mask(lanes, chance.below(2) == 0) };
        return Step { mask, action: Action::SetPredicate { from, number, to } };
    }
    let lanes = chance.of(&[1, 1, 8, 16, 16, 32]);
    let mask = Mask {
        shift: if lanes == 32 { 0 } else { chance.of(&[0, 8, 16]) },
        lanes: u32::MAX >> (32 - lanes),
        always: chance.below(3) == 0,
        predicate: chance.of(&[0, 0, 1, 2]),
        combine: Combine::Each,
        inverse: chance.below(4) == 0,
    };
    Step { mask, action: Action::Indirect(indirect(chance, lanes)) }
}

/// Performs a step. Returns false if a channel's element is outside; such channels move nothing.
fn perform(step: &Step, state: &mut State) -> bool {
    let Mask { shift, lanes, always, predicate, inverse, .. } = step.mask;
    let mut enabled = if always { u32::MAX } else { state.active } >> shift & lanes;
    if predicate != 0 {
        let bits = state.predicates[predicate as usize] >> shift;
        enabled &= if inverse { !bits } else { bits };
    }
    match step.action {
        Action::SetPredicate { from, number, to } => {
            let value = number.unwrap_or_else(|| state.get_one(from));
            let bits = &mut state.predicates[to as usize];
            *bits = *bits & !(lanes << shift) | (value & lanes) << shift;
            true
        }
        Action::Indirect(Indirect { bytes, address, address_step, displacement, pitch, limit, own }) => {
            let mut moves = Vec::new();
            let mut is_inside = true;
            for n in (0..32).filter(|n| enabled >> n & 1 == 1) {
                let pitch = if address_step == 0 { pitch } else { 0 };
                let place = state.get_one(address + n * address_step).wrapping_add_signed(displacement);
                let place = place.wrapping_add(n * pitch);
                if place.checked_add(bytes).is_none_or(|end| end > limit) {
                    is_inside = false;
                    continue;
                }
                let load = |at: u32| state.registers[at as usize..(at + bytes) as usize].to_vec();
                moves.push(match own {
                    Own::Loads(at) => (at + n * bytes, load(place)),
                    Own::Stores { at, step } => (place, load(at + n * step)),
                    Own::Number(number) => (place, number.to_le_bytes()[..bytes as usize].to_vec()),
                });
            }
            for (at, moved) in moves {
                state.registers[at as usize..at as usize + moved.len()].copy_from_slice(&moved);
            }
            is_inside
        }
        ref other => unreachable!("{other:?}"),
    }
}

fn begin(chance: &mut Chance) -> State {
    let mut state = State::new(chance.of(&[u32::MAX, u32::MAX, 0xffff, 0x5a5a_1234, 0]));
    state.registers.fill_with(|| chance.below(256) as u8);
    let last = chance.of(&[600, 700, LIMIT + 8]);
    for n in 0..32 {
        let address = if chance.below(400) == 0 { u32::MAX } else { 64 + chance.below(last - 64) };
        state.put_one(ADDRESSES + n * 4, address);
    }
    state.predicates.fill_with(|| chance.below(1 << 16) << 16 | chance.below(1 << 16));
    state
}

#[test]
fn moves_do_what_each_channel_does() {
    let (mut chance, mut total, mut by_caller, mut outside) = (Chance(1), 0, 0, 0);
    for round in 0..1500_u64 {
        let steps: Vec<Step> = (0..1 + chance.below(10)).map(|_| step(&mut chance)).collect();
        let end = End::Outside(Behind::Anything);
        let blocks = vec![Block { steps: steps.clone(), instructions: steps.len() as u32, end }];
        for code in codes(&blocks) {
            let (mut expected, mut state) = (begin(&mut Chance(round)), begin(&mut Chance(round)));
            outside += steps.iter().filter(|step| !perform(step, &mut expected)).count();
            total += steps.len();
            let mut exit = state.run(&code, 0, None, &nowhere());
            while let Some(Exit::Step { step, .. }) = exit {
                by_caller += 1;
                perform(&steps[step as usize], &mut state);
                exit = state.run(&code, 0, exit, &nowhere());
            }
            assert_eq!(exit, Some(Exit::End { block: 0 }));
            assert!(state.predicates == expected.predicates, "{round}: {steps:#?}");
            let differs = (0..BYTES).find(|at| state.registers[*at] != expected.registers[*at]);
            assert_eq!(differs, None, "{round}: {steps:#?}");
        }
    }
    // The caller performs few other steps than those with elements outside: rows are checked whole.
    assert!(outside > 0 && by_caller < outside * 4 + total / 20, "{by_caller} of {total}, {outside} outside");
}
