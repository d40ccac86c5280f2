//! Random routines whose addresses are mostly ramps: values that grow by the same number from
//! channel to channel, and that wrap in some runs. The expected results are computed channel by
//! channel.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use visakit_native::ir::{
    Access, Action, Addresses, Behind, Binary, Block, End, Expression, InitialRamp, Kind, Mask, Node, Routine, Space,
    Step, Transfer, Unit, Value,
};
use visakit_native::{Buffer, Exit, Marks, Memory};

mod common;

use common::{BYTES, Chance, State, codes_of, routine, unmarked};

/// Bytes of a row of 32 qwords. The first row has the ids of channels, two rows of words, and
/// [`NUMBERS`]; the next [`VALUES`] rows have values, the others data.
const ROW: u32 = 256;
const ROWS: u32 = BYTES as u32 / ROW;
const VALUES: u32 = 5;
const IDS: u32 = 64;
/// Place and number of the uniform dwords, which the uniform qwords follow.
const NUMBERS: (u32, u32) = (128, 8);
const QWORDS: (u32, u32) = (160, 8);
/// Size of each buffer in bytes.
const REACH: u32 = 4096;

/// A buffer with the marks of its bytes.
struct Side {
    words: Vec<AtomicU32>,
    marks: Vec<Cell<u64>>,
}

impl Side {
    /// Returns the buffer, whose accesses are marked if `is_observed`.
    fn buffer(&self, is_observed: bool) -> Buffer<'_> {
        let marks = Marks::Bits(&self.marks);
        let buffer = Buffer { words: &self.words, loads: marks, stores: marks, updates: marks };
        if is_observed { buffer } else { unmarked(&self.words) }
    }

    /// Returns the contents and the marks.
    fn contents(&self) -> (Vec<u32>, Vec<u64>) {
        let words = self.words.iter().map(|word| word.load(Relaxed));
        (words.collect(), self.marks.iter().map(Cell::get).collect())
    }
}

/// Returns the place of a channel's element in a row of values.
fn place(row: u32, bytes: u32, channel: u32) -> u32 {
    (1 + row) * ROW + channel * bytes
}

/// Returns steps that compute a row of values from others. `sizes` has the size of each row's
/// elements.
fn compute(chance: &mut Chance, sizes: &mut [u32; VALUES as usize]) -> Vec<Step> {
    let (from, to) = (chance.below(VALUES), chance.below(VALUES));
    let size = sizes[from as usize];
    let (form, narrow, wide) =
        (chance.below(6), chance.of(&[Kind::U32, Kind::I32]), chance.of(&[Kind::U64, Kind::I64]));
    let kind = if size == 4 { narrow } else { wide };
    let (id, other, number) = (chance.below(2) * IDS, chance.below(VALUES), chance.below(8));
    let binary = chance.of(&[Binary::Add, Binary::Add, Binary::Sub, Binary::Mul, Binary::Shl]);
    let (operand, is_turned) = (chance.below(4), chance.below(3) == 0);
    let result_of = |expression: &mut Expression, first: u32| -> (Value, u32) {
        let mut row = |row: u32, kind: Kind| {
            let load = Node::Load { at: place(row, kind.bytes(), first), step: kind.bytes() };
            expression.push(kind, load)
        };
        match form {
            0 | 1 => {
                let to = if form == 0 { narrow } else { wide };
                let ids = expression.push(Kind::U16, Node::Load { at: id + first * 2, step: 2 });
                (expression.push(to, Node::Convert { value: ids, saturate: false }), to.bytes())
            }
            2 if size == 4 => {
                let value = row(from, narrow);
                let value = expression.push(wide, Node::Convert { value, saturate: false });
                let by = expression.push(wide, Node::Constant((number % 3).into()));
                (expression.push(wide, Node::Binary(Binary::Shl, value, by)), 8)
            }
            2 => {
                let value = row(from, wide);
                (expression.push(narrow, Node::Convert { value, saturate: false }), 4)
            }
            _ => {
                let a = row(from, kind);
                let uniform = |expression: &mut Expression| {
                    let at = if size == 4 { NUMBERS.0 + number * 4 } else { QWORDS.0 + number * 8 };
                    expression.push(kind, Node::Load { at, step: 0 })
                };
                let b = match (binary, operand) {
                    (Binary::Shl, _) => expression.push(kind, Node::Constant((number % 4).into())),
                    (Binary::Mul, 0..=2) | (_, 0) => expression.push(kind, Node::Constant((number % 5).into())),
                    (Binary::Add | Binary::Sub, 1) if sizes[other as usize] == size => row(other, kind),
                    _ => uniform(expression),
                };
                let (a, b) = if is_turned && binary != Binary::Shl { (b, a) } else { (a, b) };
                (expression.push(kind, Node::Binary(binary, a, b)), size)
            }
        }
    };
    let mut bytes = size;
    let steps = halves(chance, |first, _| {
        let mut expression = Expression::default();
        let (result, own) = result_of(&mut expression, first);
        bytes = own;
        Action::Compute { expression, results: vec![(result, place(to, own, first))], pitch: None }
    });
    sizes[to as usize] = bytes;
    steps
}

/// Returns the steps from the ids of channels to their addresses, usually of contiguous dwords,
/// which may wrap before they are extended, or of structures of dwords.
fn chain(chance: &mut Chance, sizes: &mut [u32; VALUES as usize], is_structured: bool) -> Vec<Step> {
    let (first, second, last) = (chance.below(VALUES), chance.below(VALUES), chance.below(VALUES));
    let number = chance.below(8);
    // The qword of a number leads to the buffer if the number is extended in this way.
    let is_signed = number.is_multiple_of(2) != (chance.below(8) == 0);
    let (narrow, wide) = if is_signed { (Kind::I32, Kind::I64) } else { (Kind::U32, Kind::U64) };
    let by = if is_structured { chance.of(&[8, 12, 16, 16, 4]) } else { chance.of(&[2, 2, 2, 2, 1, 3]) };
    let (is_flat, falls) = (chance.below(3) > 0, chance.below(6) == 0);
    let one = |kind: Kind, to: u32, expression: Expression, channel: u32| {
        let results = vec![(expression.nodes.len() - 1, place(to, kind.bytes(), channel))];
        Action::Compute { expression, results, pitch: None }
    };
    let mut steps = halves(chance, |channel, _| {
        let mut sum = Expression::default();
        let ids = sum.push(Kind::U16, Node::Load { at: channel * 2, step: 2 });
        let ids = sum.push(narrow, Node::Convert { value: ids, saturate: false });
        let number = if is_flat { number } else { number % 2 * 6 };
        let number = sum.push(narrow, Node::Load { at: NUMBERS.0 + number * 4, step: 0 });
        let sides = if falls { (Binary::Sub, number, ids) } else { (Binary::Add, ids, number) };
        sum.push(narrow, Node::Binary(sides.0, sides.1, sides.2));
        one(narrow, first, sum, channel)
    });
    sizes[first as usize] = 4;
    let kind = if is_flat { wide } else { narrow };
    steps.extend(halves(chance, |channel, _| {
        let mut product = Expression::default();
        let mut value = product.push(narrow, Node::Load { at: place(first, 4, channel), step: 4 });
        if is_flat {
            value = product.push(wide, Node::Convert { value, saturate: false });
        }
        let by = product.push(kind, Node::Constant(by));
        let scaled = if is_structured { Binary::Mul } else { Binary::Shl };
        product.push(kind, Node::Binary(scaled, value, by));
        one(kind, second, product, channel)
    }));
    sizes[second as usize] = kind.bytes();
    if is_flat {
        steps.extend(halves(chance, |channel, _| {
            let mut address = Expression::default();
            let value = address.push(wide, Node::Load { at: place(second, 8, channel), step: 8 });
            let base = address.push(wide, Node::Load { at: QWORDS.0 + number * 8, step: 0 });
            address.push(wide, Node::Binary(Binary::Add, value, base));
            one(wide, last, address, channel)
        }));
        sizes[last as usize] = 8;
    }
    let row = if is_flat { last } else { second };
    (0..1 + chance.below(3)).for_each(|_| steps.extend(transfer(chance, row, sizes, is_structured)));
    steps
}

/// Returns a step for all channels, or a step for each half.
fn halves(chance: &mut Chance, mut of: impl FnMut(u32, u32) -> Action) -> Vec<Step> {
    let parts: &[(u32, u32)] = if chance.below(3) > 0 { &[(0, 32)] } else { &[(0, 16), (16, 16)] };
    let is_always = chance.below(8) == 0;
    let mask = |shift: u32, lanes: u32| Mask { shift, ..common::mask(u32::MAX >> (32 - lanes), is_always) };
    parts.iter().map(|(first, lanes)| Step { mask: mask(*first, *lanes), action: of(*first, *lanes) }).collect()
}

/// Returns a transfer whose addresses are a row of values.
fn transfer(chance: &mut Chance, row: u32, sizes: &[u32; VALUES as usize], is_structured: bool) -> Vec<Step> {
    let is_flat = sizes[row as usize] == 8;
    let part = |bytes| Unit::Part { bytes, keeps: bytes == 1 };
    let unit = chance.of(&[Unit::Dword, Unit::Dword, Unit::Qword, part(1), part(2)]);
    let access = chance.of(&[Access::Load, Access::Store]);
    let counts: &[u32] = if is_structured { &[2, 3, 4] } else { &[1, 1, 2] };
    let count = match unit {
        Unit::Dword => chance.of(counts),
        Unit::Qword if is_structured => 2,
        _ => 1,
    };
    // Stores may move values too.
    let first = if access == Access::Store && unit == Unit::Dword { 1 } else { 1 + VALUES };
    let skipped = if is_structured { chance.below(4) / 3 } else { 0 };
    // A row has room for the dwords of two.
    let pitch = if is_structured && unit == Unit::Dword { ROW / 2 } else { ROW };
    let data = first + chance.below(ROWS - first - (count * pitch).div_ceil(ROW) + 1);
    let offset = chance.of(&[0, 0, 4, -4]);
    let global = (is_flat && chance.below(3) == 0).then_some((QWORDS.0, 8));
    halves(chance, |first, _| {
        let at = place(row, sizes[row as usize], first);
        let own = |n: u32| data * ROW + n * pitch + first * unit.register_bytes();
        Action::Transfer(Transfer {
            access,
            space: if is_flat { Space::Flat } else { Space::Surface { element: 0, shift: 0 } },
            addresses: if is_flat { Addresses::Qwords(at) } else { Addresses::Dwords(at) },
            global,
            scale: 1,
            offset,
            unit,
            alignment: 1,
            elements: (0..count).map(|n| ((n + skipped) * unit.bytes(), own(n))).collect(),
        })
    })
}

fn get(state: &State, at: u32, bytes: u32) -> u64 {
    state.registers[at as usize..][..bytes as usize].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn put(state: &mut State, at: u32, bytes: u32, value: u64) {
    state.registers[at as usize..][..bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
}

/// Returns the low bytes of a number, extended as the kind says.
fn of_kind(kind: Kind, value: u64) -> u64 {
    let rest = 64 - kind.bytes() * 8;
    if kind.is_signed() { ((value << rest) as i64 >> rest) as u64 } else { value << rest >> rest }
}

/// Returns the value of an expression for a channel.
fn value(expression: &Expression, state: &State, result: Value, n: u32) -> u64 {
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
fn perform(step: &Step, state: &mut State, sides: &[Side; 2]) {
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
        other => unreachable!("{other:?}"),
    }
}

/// Returns a thread and its memory before the run. Each `line` channels are a line.
fn begin(chance: &mut Chance, line: u32, is_structured: bool) -> (State, [Side; 2]) {
    let mut state = State::new(chance.of(&[u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0xffff, 0x1f, 0x8f31_7ffe]));
    (IDS * 2..BYTES as u32).step_by(4).for_each(|at| state.put_one(at, chance.below(1 << 10)));
    let firsts = [chance.below(30) * 32, chance.below(1000)];
    let later = if line < 32 { chance.of(&[[0, 1], [0, 1], [32, 0], [8, 300]]) } else { [0; 2] };
    for (row, (first, step)) in (0..).zip(firsts.into_iter().zip([1, 0])) {
        for n in 0..32 {
            let id = first + n % line * step + n / line * later[row as usize];
            let id = if state.active >> n & 1 == 1 { id } else { chance.below(1 << 16) };
            put(&mut state, row * IDS + n * 2, 2, id.into());
        }
    }
    for n in 0..NUMBERS.1 {
        // The ids may make some of them wrap.
        let wraps = if n % 2 == 0 { 1 << 31 } else { 0_u32 };
        let wrapping = wraps.wrapping_sub(firsts[0] + 16);
        let number = chance.of(&[0, 4, firsts[0] + 8, wrapping, wrapping + 8, wraps.wrapping_sub(2000)]);
        let number = if n % 6 == 0 { chance.of(&[0, 4, 64]) } else { number };
        state.put_one(NUMBERS.0 + n * 4, number);
        let kind = if n % 2 == 0 { Kind::I32 } else { Kind::U32 };
        let begin = chance.of(&[64, 64, 600, REACH - 64]);
        // The last channels may be outside.
        let begin = if is_structured && begin > 600 { begin - chance.below(128) * 4 } else { begin };
        let begin = (1_u64 << 32) + u64::from(begin);
        let from = if chance.below(2) == 0 { number } else { number.wrapping_add(firsts[0]) };
        let base = begin.wrapping_sub(of_kind(kind, from.into()).wrapping_mul(4));
        put(&mut state, QWORDS.0 + n * 8, 8, chance.of(&[base, base, base, begin]));
    }
    let mut words = || (0..REACH / 4).map(|_| AtomicU32::new(chance.below(1 << 31))).collect();
    let marks = || vec![Cell::new(0); REACH as usize / 64 + 3];
    let sides = std::array::from_fn(|_| Side { words: words(), marks: marks() });
    (state, sides)
}

/// Returns random steps in blocks that follow each other. The bytes of registers matter at the end
/// unless `is_over`.
fn blocks(chance: &mut Chance, is_over: bool, is_structured: bool) -> Vec<Block> {
    // Of rows, the first has qwords at first, and the others dwords.
    let mut sizes = [8, 4, 4, 4, 4];
    let count = 1 + chance.below(3);
    let block = |n: u32| {
        let count_of = 1 + chance.below(5);
        let steps: Vec<Step> = (0..count_of)
            .flat_map(|_| match chance.below(6) {
                0..=2 => chain(chance, &mut sizes, is_structured),
                3 => {
                    let row = chance.below(VALUES);
                    transfer(chance, row, &sizes, is_structured)
                }
                _ => compute(chance, &mut sizes),
            })
            .collect();
        let end = match (n + 1 == count, is_over) {
            (false, _) => End::Fall,
            (_, true) => End::Outside(Behind::Others(u32::MAX)),
            _ => End::Outside(Behind::Anything),
        };
        Block { instructions: steps.len() as u32, steps, end }
    };
    (0..count).map(block).collect()
}

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
