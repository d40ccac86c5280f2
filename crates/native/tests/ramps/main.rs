//! Random routines whose addresses are mostly ramps: values that grow by the same number from
//! channel to channel, and that wrap in some runs. The expected results are computed channel by
//! channel.

use visakit_native::ir::{
    Access, Action, Addresses, Behind, Binary, Block, End, Expression, InitialRamp, Kind, Node, Routine, Space, Step,
    Transfer, Unit,
};
use visakit_native::{Exit, Memory};

mod blocks;
#[path = "../common/mod.rs"]
mod common;
mod model;
mod steps;

use common::{BYTES, Chance, codes_of, routine};
use model::{REACH, perform, put};
use steps::{IDS, NUMBERS, ROW, begin, blocks};

/// Seeds of rare cases: the code continues after other paths, or from the middle of a block.
const RARE: [u64; 4] = [2664, 5584, 22_719, 51_580];

#[test]
fn ramps_have_the_values_of_each_channel() {
    follow_each_channel(32, false);
}

#[test]
fn ramps_of_each_half_have_the_values_of_each_channel() {
    follow_each_channel(16, false);
}

#[test]
fn structures_have_the_values_of_each_channel() {
    follow_each_channel(32, true);
    follow_each_channel(16, true);
}

/// Transfers of which the last channel ends with the buffer, or not.
#[test]
fn channels_apart_end_inside() {
    let part = |bytes| Unit::Part { bytes, keeps: false };
    let units = [(Unit::Dword, 1), (Unit::Dword, 2), (Unit::Dword, 3), (Unit::Dword, 4), (part(1), 1), (part(2), 1)];
    let units = units.into_iter().chain([(Unit::Qword, 1), (Unit::Qword, 2)]);
    let all = units.flat_map(|unit| [Access::Load, Access::Store].map(|access| (unit, access)));
    let all = all.flat_map(|what| [4, 8, 12, 16, 20, 64, 100].map(|step| (what, step)));
    // Three of four dwords are moved with the fourth.
    for (((unit, count), access), step) in all.filter(|((what, _), step)| (what.1, *step) != (3, 16)) {
        let id = |at| Node::Load { at, step: 2 };
        let mut address = Expression::default();
        let ids = address.push(Kind::U16, id(0));
        let ids = address.push(Kind::U32, Node::Convert { value: ids, saturate: false });
        let by = address.push(Kind::U32, Node::Constant(step.into()));
        let product = address.push(Kind::U32, Node::Binary(Binary::Mul, ids, by));
        let base = address.push(Kind::U32, Node::Load { at: NUMBERS.0, step: 0 });
        let sum = address.push(Kind::U32, Node::Binary(Binary::Add, product, base));
        let compute = Action::Compute { expression: address, results: vec![(sum, ROW)], pitch: None };
        let transfer = Action::Transfer(Transfer {
            access,
            space: Space::Surface { element: 0, shift: 0 },
            addresses: Addresses::Dwords(ROW),
            global: None,
            scale: 1,
            offset: 0,
            unit,
            alignment: 1,
            elements: (0..count).map(|n| (n * unit.bytes(), 3 * ROW + n * ROW)).collect(),
        });
        let steps = [compute, transfer].map(|action| Step { mask: common::mask(u32::MAX, false), action });
        let block = Block { steps: steps.to_vec(), instructions: 2, end: End::Outside(Behind::Anything) };
        let ramps = vec![InitialRamp { at: 0, lanes: 32, step: 1 }];
        let routine = Routine { ramps, ..routine(vec![block]) };
        let end = 31 * step + count * unit.bytes();
        for (code, beyond) in codes_of(&routine).iter().flat_map(|code| [0, 1, unit.bytes(), step].map(|n| (code, n)))
        {
            let run = |is_native: bool| {
                let (mut state, sides) = begin(&mut Chance(step.into()), 32, true);
                (0..32).for_each(|n| put(&mut state, n * 2, 2, n.into()));
                state.active = u32::MAX;
                state.put_one(NUMBERS.0, REACH - end + beyond);
                let [surface, flat] = [0, 1].map(|n: usize| sides[n].buffer(true));
                let memory = Memory::new([flat], [Some(surface)], &[]);
                let exit = if is_native { state.run(code, 0, None, &memory) } else { Some(Exit::End { block: 0 }) };
                if !is_native {
                    steps.iter().for_each(|step| perform(step, &mut state, &sides));
                }
                (exit, state.registers, sides[0].contents())
            };
            let (exit, registers, contents) = run(true);
            let what = format!("{unit:?} {count} {access:?} {step} {beyond}");
            assert_eq!(matches!(exit, Some(Exit::Step { step: 1, .. })), beyond > 0, "{what}");
            let (_, want_registers, want) = run(false);
            assert!(beyond > 0 || (registers == want_registers && contents == want), "{what}");
        }
    }
}

/// Compares the results of random routines whose threads begin with lines of `line` channels.
/// Addresses are mostly those of structures if `is_structured`.
fn follow_each_channel(line: u32, is_structured: bool) {
    let (mut by_caller, mut all) = (0, 0);
    // Structures take longer.
    let count = if is_structured { 600 } else { 2000 };
    for seed in (0..count).chain(RARE) {
        let mut chance = Chance(seed);
        let is_over = chance.below(3) > 0;
        let blocks = blocks(&mut chance, is_over, is_structured);
        let steps: Vec<Step> = blocks.iter().flat_map(|block| block.steps.clone()).collect();
        let last = blocks.len() as u32 - 1;
        let ramp = |at: u32, step: u16| InitialRamp { at, lanes: 32, step };
        let mut ramps = if chance.below(4) > 0 { vec![ramp(0, 1), ramp(IDS, 0)] } else { Vec::new() };
        if line < 32 {
            ramps = ramps.iter().flat_map(InitialRamp::halves).collect();
        }
        let routine = Routine { ramps, ..routine(blocks.clone()) };
        // The interpreter may have begun the first block.
        let begun = if chance.below(2) == 0 { chance.below(blocks[0].instructions) as usize + 1 } else { 0 };
        let rest = chance.0;
        let (mut want, wanted) = begin(&mut Chance(rest), line, is_structured);
        steps.iter().for_each(|step| perform(step, &mut want, &wanted));
        for code in codes_of(&routine) {
            let (mut state, sides) = begin(&mut Chance(rest), line, is_structured);
            let is_observed = seed % 2 == 1;
            let [surface, flat] = [0, 1].map(|n: usize| sides[n].buffer(is_observed));
            let memory = Memory::new([flat], [Some(surface)], &[]);
            let behind = begun.checked_sub(1).and_then(|step| code.behind(step as u32, state.active));
            let mut exit = match behind {
                Some(resume) => {
                    steps[..begun].iter().for_each(|step| perform(step, &mut state, &sides));
                    state.run(&code, 0, Some(Exit::Step { step: begun as u32 - 1, resume }), &memory)
                }
                None => state.run(&code, 0, None, &memory),
            };
            while let Some(Exit::Step { step, .. }) = exit {
                perform(&steps[step as usize], &mut state, &sides);
                by_caller += 1;
                exit = state.run(&code, 0, exit, &memory);
            }
            all += steps.len();
            assert_eq!(exit, Some(Exit::End { block: last }), "seed {seed}");
            let listed = || steps.iter().map(|step| format!("\n{step:?}")).collect::<String>();
            let at = (0..BYTES).find(|at| !is_over && state.registers[*at] != want.registers[*at]);
            assert_eq!(at, None, "seed {seed}:{}", listed());
            for (side, wanted) in sides.iter().zip(&wanted) {
                let ((words, marks), (want, want_marks)) = (side.contents(), wanted.contents());
                let at = (0..words.len()).find(|n| words[*n] != want[*n]);
                assert_eq!(at, None, "seed {seed}:{}", listed());
                let at = (0..marks.len()).find(|n| is_observed && marks[*n] != want_marks[*n]);
                assert_eq!(at, None, "marks of seed {seed}:{}", listed());
            }
        }
    }
    // The code handles the usual cases itself.
    assert!(by_caller * 2 < all, "{by_caller} of {all} steps by the caller");
}
