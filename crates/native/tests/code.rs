//! Code of small routines, run over slices.

use visakit_native::ir::{
    Action, Behind, Binary, Block, End, Expression, Function, Kind, Logic, Mask, Node, Relation, Routine, Step,
};
use visakit_native::{Code, Exit, Level, compile};

mod common;

use common::{BYTES, State, codes, count, mask, nowhere, routine, row, step};

#[test]
fn a_loop_goes_on_until_the_last_channel_leaves() {
    let (steps, again) = count();
    let blocks = vec![
        Block { steps: steps.into(), instructions: 3, end: End::Branch { mask: again, uniform: false, target: 0 } },
        Block { steps: Vec::new(), instructions: 1, end: End::Outside(Behind::Anything) },
    ];
    for code in codes(&blocks) {
        loops(&code);
    }
}

fn loops(code: &Code) {
    for active in [0xffff, 0x5a5a, 1] {
        let mut state = State::new(active);
        state.put(0, |n| n + 1);
        let exit = state.run(code, 0, None, &nowhere());
        assert_eq!(exit, Some(Exit::End { block: 1 }));
        let on = |n: u32| active >> n & 1 == 1;
        assert_eq!(state.get(64), std::array::from_fn(|n| if on(n as u32) { n as u32 + 1 } else { 0 }));
        assert_eq!((state.active, state.occupied[0]), (active, 0), "all have come together again");
        let longest = u64::from(32 - active.leading_zeros());
        assert_eq!(state.executed, longest * 3 + 1);
    }
    // A time slice ends where a block begins.
    let mut state = State::new(0xffff);
    state.put(0, |_| u32::MAX);
    assert_eq!(state.run(code, 0, None, &nowhere()), Some(Exit::Block(0)));
    assert_eq!(state.executed, 1002);
}

/// The caller executes blocks without code, and a thread begins without their registers.
#[test]
fn blocks_that_are_left_return_before_their_first_step() {
    let Some(level) = Level::of_host() else { return };
    let (steps, again) = count();
    let outside =
        || Block { steps: vec![step(Action::Outside)], instructions: 1, end: End::Outside(Behind::Anything) };
    let end = End::Branch { mask: again, uniform: false, target: 0 };
    let blocks = vec![Block { steps: steps.into(), instructions: 3, end }, outside(), outside()];
    let (left, private) = (vec![1..2, 7..9], vec![70..70, 128..200]);
    let routine = routine(blocks);
    let code = compile(&Routine { left, private, ..routine.clone() }, level).unwrap();
    let mut state = State::new(0xffff);
    assert_eq!(state.run(&code, 0, None, &nowhere()), Some(Exit::Block(1)));
    assert_eq!((state.executed, state.get(64)), (3, [1; 16]), "the first block has run, and nothing else");
    assert_eq!(code.behind(2, 0xffff), None);
    assert!(code.behind(3, 0xffff).is_some(), "the next block has code");
    assert!(matches!(state.run(&code, 2, None, &nowhere()), Some(Exit::Step { step: 3, .. })));
    let needs = |code: &Code| (0..256).step_by(32).filter(|at| code.needs(*at, 0xffff) != 0).collect::<Vec<_>>();
    assert_eq!(needs(&compile(&routine, level).unwrap()), [0, 32, 64, 96, 128, 160, 192, 224]);
    assert_eq!(needs(&code), [0, 32, 64, 96, 192, 224]);
    // Registers that do not exist.
    assert!(compile(&Routine { private: Vec::from([0..8, 0..BYTES as u32 + 1]), ..routine }, level).is_err());
}

/// A pause ends the time slice if little of it is left.
#[test]
fn a_pause_may_end_the_time_slice() {
    let blocks = vec![
        Block { steps: Vec::new(), instructions: 10, end: End::Pause(100) },
        Block { steps: Vec::new(), instructions: 10, end: End::Outside(Behind::Anything) },
    ];
    // The time slice ends after 1,000 instructions.
    for (code, (before, end)) in codes(&blocks).iter().flat_map(|code| [(889, 1), (890, 0)].map(|one| (code, one))) {
        let mut state = State { executed: before, ..State::new(1) };
        assert_eq!(state.run(code, 0, None, &nowhere()), Some(Exit::End { block: end }), "{before}");
        assert_eq!(state.executed, before + u64::from(end + 1) * 10);
    }
}

/// Comparisons of elements of all sizes, for some channels of a predicate that later steps and
/// branches use as a whole.
#[test]
fn predicates_are_written_in_parts() {
    let sizes = [(Kind::U8, 32, 0), (Kind::U16, 32, 0), (Kind::U32, 32, 0), (Kind::U64, 16, 0), (Kind::U32, 16, 16)];
    let sizes = sizes.into_iter().chain([(Kind::U64, 8, 8), (Kind::U32, 8, 24), (Kind::U32, 1, 0)]);
    let masks = [u32::MAX, 0xffff_0000, 0x8f31_7ffe, 0];
    for ((kind, lanes, shift), inverse) in sizes.flat_map(|size| [false, true].map(|inverse| (size, inverse))) {
        let own = Mask { shift, ..mask(u32::MAX >> (32 - lanes), false) };
        let mut sides = Expression::default();
        let both = [0, 256].map(|at| sides.push(kind, Node::Load { at, step: kind.bytes() }));
        let compare = Action::Compare { expression: sides, relation: Relation::Less, sides: both, inverse, to: 1 };
        let turn = Action::Logic { logic: Logic::Not, from: [1, 1], to: 2 };
        let mark = |predicate: u32, to: u32| {
            let mut sum = Expression::default();
            let one = sum.push(Kind::U32, Node::Constant(1));
            let value = row(&mut sum, to);
            let result = sum.push(Kind::U32, Node::Binary(Binary::Add, value, one));
            let mask = Mask { predicate, ..mask(u32::MAX, false) };
            Step { mask, action: Action::Compute { expression: sum, results: vec![(result, to)], pitch: None } }
        };
        let all = Step { mask: mask(u32::MAX, false), action: turn };
        let branch = Mask { predicate: 2, ..mask(u32::MAX, false) };
        let blocks = vec![
            Block {
                steps: vec![Step { mask: own, action: compare }, mark(1, 512), all, mark(2, 640)],
                instructions: 5,
                end: End::Branch { mask: branch, uniform: false, target: 2 },
            },
            Block { steps: Vec::new(), instructions: 1, end: End::Outside(Behind::Next) },
            Block { steps: Vec::new(), instructions: 1, end: End::Outside(Behind::Anything) },
        ];
        let codes = codes(&blocks);
        for (code, active) in codes.iter().flat_map(|code| masks.map(|active| (code, active))) {
            let mut state = State::new(active);
            let (value, other) = (|n: u32| n * 7 % 5, |n: u32| n * 3 % 4);
            let bytes = kind.bytes();
            for n in 0..lanes {
                state.registers[(n * bytes) as usize] = value(n) as u8;
                state.registers[(256 + n * bytes) as usize] = other(n) as u8;
            }
            (state.predicates[1], state.predicates[2]) = (0x0f0f_3355, 0xffff_0f0f);
            let exit = state.run(code, 0, None, &nowhere());
            let holds = (0..lanes).fold(0, |all, n| all | u32::from((value(n) < other(n)) != inverse) << (shift + n));
            let compared = u32::MAX >> (32 - lanes) << shift & active;
            let first = 0x0f0f_3355 & !compared | holds & compared;
            let second = 0xffff_0f0f & !active | !first & active;
            let what = format!("{kind:?} {lanes} from {shift} {inverse} {active:x}");
            assert_eq!((state.predicates[1], state.predicates[2]), (first, second), "{what}");
            for (bits, at) in [(first & active, 512), (second & active, 640)] {
                let marks = (0..2).flat_map(|half| state.get(at + half * 64));
                let marked = (0..).zip(marks).fold(0, |all, (n, mark)| all | mark << n);
                assert_eq!(marked, bits, "{what}");
            }
            let taken = second & active;
            let goes_on = if active & !taken != 0 || active == 0 { (active & !taken, 1) } else { (active, 2) };
            assert_eq!((state.active, exit), (goes_on.0, Some(Exit::End { block: goes_on.1 })), "{what}");
        }
    }
}

/// A function receives the values of eight channels; the host's registers are preserved.
#[test]
fn functions_are_called() {
    let mut expression = Expression::default();
    let (a, b) = (row(&mut expression, 0), row(&mut expression, 64));
    let sum = expression.push(Kind::U32, Node::Binary(Binary::Add, a, b));
    expression.functions.push(Function::new(|operands| {
        let [a, b] = operands.0;
        operands.0[0] = std::array::from_fn(|n| a[n].rotate_left(b[n] % 32) ^ 5);
    }));
    let called = expression.push(Kind::U32, Node::Call(0, b, a));
    let result = expression.push(Kind::U32, Node::Binary(Binary::Sub, sum, called));
    let compute = step(Action::Compute { expression, results: vec![(result, 128)], pitch: None });
    let blocks =
        vec![Block { steps: vec![compute.clone(), compute], instructions: 2, end: End::Outside(Behind::Anything) }];
    for (code, active) in codes(&blocks).iter().flat_map(|code| [(code, 0xffff), (code, 0x8ff1)]) {
        let mut state = State::new(active);
        state.put(0, |n| n.wrapping_mul(0x1234_5677));
        state.put(64, |n| n.wrapping_mul(0x0fed_cba9).wrapping_add(1));
        state.put(128, |_| 77);
        assert!(matches!(state.run(code, 0, None, &nowhere()), Some(Exit::End { .. })));
        let (a, b) = (|n: u32| n.wrapping_mul(0x1234_5677), |n: u32| n.wrapping_mul(0x0fed_cba9).wrapping_add(1));
        let value = |n: u32| a(n).wrapping_add(b(n)).wrapping_sub(b(n).rotate_left(a(n) % 32) ^ 5);
        let want = |n: u32| if active >> n & 1 == 1 { value(n) } else { 77 };
        assert_eq!(state.get(128), std::array::from_fn(|n| want(n as u32)));
    }
}

/// Constants need no announcement: an expression can use any constant, in any number.
#[test]
fn constants_are_placed_where_they_are_named() {
    let mut random = 1_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random
    };
    let numbers: Vec<[u32; 2]> = (0..100).map(|_| [next() | 1, next()]).collect();
    let mut expression = Expression::default();
    let mut value = row(&mut expression, 0);
    for [factor, number] in &numbers {
        let [factor, number] = [*factor, *number].map(|n| expression.push(Kind::U32, Node::Constant(n.into())));
        value = expression.push(Kind::U32, Node::Binary(Binary::Mul, value, factor));
        value = expression.push(Kind::U32, Node::Binary(Binary::Add, value, number));
    }
    let compute = Action::Compute { expression, results: vec![(value, 64)], pitch: None };
    let end = End::Outside(Behind::Anything);
    for code in codes(&[Block { steps: vec![step(compute)], instructions: 1, end }]) {
        for active in [0xffff, 0x0ff0] {
            let mut state = State::new(active);
            state.put(0, |n| n);
            assert_eq!(state.run(&code, 0, None, &nowhere()), Some(Exit::End { block: 0 }));
            let expected = |n: u32| {
                let all = numbers.iter();
                all.fold(n, |value, [factor, number]| value.wrapping_mul(*factor).wrapping_add(*number))
            };
            let is_active = |n: u32| active >> n & 1 == 1;
            let expected: [u32; 16] =
                std::array::from_fn(|n| if is_active(n as u32) { expected(n as u32) } else { 0 });
            assert_eq!(state.get(64), expected);
        }
    }
}

/// Unused constants take no space.
#[test]
fn constants_take_space_where_they_are_named_only() {
    let end = End::Outside(Behind::Anything);
    for code in codes(&[Block { steps: Vec::new(), instructions: 1, end }]) {
        assert!(code.len() < 512, "{} bytes for an empty block", code.len());
    }
}

#[test]
fn what_is_outside_of_the_registers_is_refused() {
    let compute = |at| {
        let mut expression = Expression::default();
        let result = row(&mut expression, at);
        let compute = Action::Compute { expression, results: vec![(result, 0)], pitch: None };
        let blocks = vec![Block { steps: vec![step(compute)], instructions: 1, end: End::Fall }];
        compile(&routine(blocks), Level::Avx2).is_ok()
    };
    let has_code = Level::of_host().is_some();
    assert_eq!([BYTES as u32 - 64, BYTES as u32 - 60, u32::MAX].map(compute), [has_code, false, false]);
}

/// A thread needs exactly the registers that it may read before it writes them, for results that
/// something needs.
#[test]
fn threads_need_what_is_read_first() {
    let sum = |a: u32, b: u32, to: u32| {
        let mut expression = Expression::default();
        let sides = [row(&mut expression, a), row(&mut expression, b)];
        let result = expression.push(Kind::U32, Node::Binary(Binary::Add, sides[0], sides[1]));
        Action::Compute { expression, results: vec![(result, to)], pitch: None }
    };
    let compare = |a: u32, b: u32| {
        let mut expression = Expression::default();
        let sides = [row(&mut expression, a), row(&mut expression, b)];
        Action::Compare { expression, relation: Relation::Less, sides, inverse: false, to: 1 }
    };
    let chosen = Step { mask: Mask { predicate: 1, ..mask(0xffff, false) }, action: sum(0, 0, 256) };
    let dead = step(sum(448, 448, 192));
    let first = vec![dead, step(sum(0, 0, 64)), step(sum(64, 128, 192)), chosen, step(compare(192, 192))];
    // Bytes that other channels have written still count as read.
    let all = |action| Step { mask: mask(0xffff, true), action };
    let second =
        vec![step(sum(256, 256, 320)), all(sum(64, 64, 384)), step(compare(320, 320)), all(compare(384, 384))];
    let blocks = vec![
        Block { steps: first, instructions: 5, end: End::Fall },
        Block { steps: second, instructions: 4, end: End::Outside(Behind::Others(u32::MAX)) },
    ];
    for code in codes(&blocks) {
        let needs = |active: u32| (0..512).step_by(64).filter(|at| code.needs(*at, active) != 0).collect::<Vec<_>>();
        assert_eq!(needs(0xffff), [0, 128, 256]);
        assert_eq!(needs(0x0fff), [0, 64, 128, 256, 448]);
        let changes: Vec<u32> = (0..512).step_by(64).filter(|at| code.changes(*at) != 0).collect();
        assert_eq!(changes, [64, 192, 256, 320, 384]);
    }
    let unknown = vec![Block {
        steps: vec![step(sum(0, 0, 64)), step(Action::Outside)],
        instructions: 2,
        end: End::Outside(Behind::Others(u32::MAX)),
    }];
    for code in codes(&unknown) {
        assert!((0..512).step_by(32).all(|at| code.changes(at) == 0xff));
        assert_eq!([code.needs(64, 0xffff), code.needs(64, 1), code.needs(960, 0xffff)], [0, 0xff, 0xff]);
    }
}
