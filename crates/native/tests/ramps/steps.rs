//! Random steps whose addresses are mostly ramps, and the state that they begin with.

use std::cell::Cell;
use std::sync::atomic::AtomicU32;

use visakit_native::ir::{
    Access, Action, Addresses, Behind, Binary, Block, End, Expression, Kind, Mask, Node, Space, Step, Transfer, Unit,
    Value,
};

use crate::common::{self, BYTES, Chance, State};
use crate::model::{REACH, Side, of_kind, put};

/// Bytes of a row of 32 qwords. The first row has the ids of channels, two rows of words, and
/// [`NUMBERS`]; the next [`VALUES`] rows have values, the others data.
pub(crate) const ROW: u32 = 256;
pub(crate) const ROWS: u32 = BYTES as u32 / ROW;
pub(crate) const VALUES: u32 = 5;
pub(crate) const IDS: u32 = 64;
/// Place and number of the uniform dwords, which the uniform qwords follow.
pub(crate) const NUMBERS: (u32, u32) = (128, 8);
pub(crate) const QWORDS: (u32, u32) = (160, 8);

/// Returns the place of a channel's element in a row of values.
pub(crate) fn place(row: u32, bytes: u32, channel: u32) -> u32 {
    (1 + row) * ROW + channel * bytes
}

/// Returns steps that compute a row of values from others. `sizes` has the size of each row's
/// elements.
pub(crate) fn compute(chance: &mut Chance, sizes: &mut [u32; VALUES as usize]) -> Vec<Step> {
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
pub(crate) fn chain(chance: &mut Chance, sizes: &mut [u32; VALUES as usize], is_structured: bool) -> Vec<Step> {
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
pub(crate) fn halves(chance: &mut Chance, mut of: impl FnMut(u32, u32) -> Action) -> Vec<Step> {
    let parts: &[(u32, u32)] = if chance.below(3) > 0 { &[(0, 32)] } else { &[(0, 16), (16, 16)] };
    let is_always = chance.below(8) == 0;
    let mask = |shift: u32, lanes: u32| Mask { shift, ..common::mask(u32::MAX >> (32 - lanes), is_always) };
    parts.iter().map(|(first, lanes)| Step { mask: mask(*first, *lanes), action: of(*first, *lanes) }).collect()
}

/// Returns a transfer whose addresses are a row of values.
pub(crate) fn transfer(
    chance: &mut Chance,
    row: u32,
    sizes: &[u32; VALUES as usize],
    is_structured: bool,
) -> Vec<Step> {
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

/// Returns a thread and its memory before the run. Each `line` channels are a line.
pub(crate) fn begin(chance: &mut Chance, line: u32, is_structured: bool) -> (State, [Side; 2]) {
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
pub(crate) fn blocks(chance: &mut Chance, is_over: bool, is_structured: bool) -> Vec<Block> {
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
