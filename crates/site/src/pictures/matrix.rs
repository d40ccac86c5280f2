//! Products of matrices: row and column of each element in the registers.
//!
//! The layout follows from executions: an element belongs to the row or column of the result that
//! it changes. Which elements of both factors meet in a product shows when all others are zero.

use std::collections::{BTreeMap, BTreeSet};

use visakit::isa::{Instruction, Precision};
use visakit_machine::thread::Thread;
use visakit_oracle::stage::TestMemory;
use visakit_oracle::{Program, Target};

use super::grid::{Cell, Grid, elements, ranges};
use crate::drawing::{Drawing, Svg};

/// Bytes of a cell of the factors.
const CELL: usize = 4;

/// Byte that gives a number other than zero in every type of at least 8 bits.
const SOME: u8 = 0x3c;

/// Largest number of elements of a factor in a dword.
const PACKED: usize = 8;

/// Number of bytes that can be scales of a factor.
const SCALES: usize = 64;

/// Byte of a scale that leaves its elements as they are, and one that changes them.
const PLAIN: u8 = 127;
const TWICE: u8 = 128;

/// Precisions, depth and repeat count of a product.
pub(super) struct Shape {
    columns: Precision,
    rows: Precision,
    depth: usize,
    repeats: usize,
}

impl Shape {
    /// Returns the shape of a product of matrices; `None` for other instructions.
    pub(super) fn of(instruction: &Instruction) -> Option<Self> {
        let (columns, rows, depth, repeats) = match instruction {
            Instruction::Dpas(one) => (one.w, one.a, one.sd, one.rc),
            Instruction::Dpasw(one) => (one.w, one.a, one.sd, one.rc),
            Instruction::Bdpas(one) => (one.w, one.a, one.sd, one.rc),
            _ => return None,
        };
        Some(Self { columns, rows, depth: depth.into(), repeats: repeats.into() })
    }
}

/// Elements of a factor in the registers of a thread.
struct Factor {
    at: u32,
    bits: usize,
    count: usize,
}

impl Factor {
    /// Sets the elements that `is_set` selects to a number other than zero, all others to zero.
    fn fill(&self, thread: &mut Thread, is_set: &dyn Fn(usize) -> bool) {
        let bytes = thread.registers.bytes_mut(self.at);
        bytes[..(self.count * self.bits).div_ceil(8)].fill(0);
        for n in (0..self.count).filter(|n| is_set(*n)) {
            let first = n * self.bits;
            match self.bits {
                8.. => bytes[first / 8..(first + self.bits) / 8].fill(SOME),
                _ => bytes[first / 8] |= 1 << (first % 8),
            }
        }
    }
}

/// Product with its factors in the registers.
struct Product<'a> {
    program: &'a Program,
    thread: &'a Thread,
    result: u32,
    result_bytes: usize,
    results: usize,
    columns: Factor,
    /// Rows in the registers of this thread. Two fused threads that share the rows have each a part
    /// in the same registers; elements of the other thread follow those of this thread.
    rows: Factor,
    /// Number of threads with rows.
    threads: usize,
    /// Register offsets of the scales of columns and rows, if the product has them.
    scales: [Option<u32>; 2],
}

/// Returns true for the elements of a set.
type Set<'a> = &'a dyn Fn(usize) -> bool;

impl Product<'_> {
    /// Executes the product and returns for each element of the result whether it is not zero.
    fn run(&self, columns: Set<'_>, rows: Set<'_>) -> Result<Vec<bool>, String> {
        let result = self.result_of(columns, rows, [&|_| false; 2])?;
        Ok(result.iter().map(|element| element.iter().any(|byte| *byte != 0)).collect())
    }

    /// Executes the product with scales of columns and rows and returns the elements of the result.
    fn result_of(&self, columns: Set<'_>, rows: Set<'_>, scales: [Set<'_>; 2]) -> Result<Vec<Vec<u8>>, String> {
        let mut thread = self.thread.clone();
        for (scales, is_set) in self.scales.iter().zip(scales) {
            let Some(at) = *scales else { continue };
            let bytes = &mut thread.registers.bytes_mut(at)[..SCALES];
            bytes.iter_mut().enumerate().for_each(|(n, byte)| *byte = if is_set(n) { TWICE } else { PLAIN });
        }
        self.columns.fill(&mut thread, columns);
        self.rows.fill(&mut thread, rows);
        let mut other = thread.clone();
        if self.threads > 1 {
            self.rows.fill(&mut other, &|n| rows(self.rows.count + n));
        }
        let memory = TestMemory::default();
        self.program.run_beside(&mut thread, Some(&other), &memory.world()).map_err(|why| why.to_string())?;
        let bytes = &thread.registers.bytes(self.result)[..self.results * self.result_bytes];
        Ok(bytes.chunks(self.result_bytes).map(<[_]>::to_vec).collect())
    }

    /// Returns the number of elements of the rows in all threads.
    fn row_elements(&self) -> usize {
        self.rows.count * self.threads
    }

    /// Divides the elements of the rows from `first` to `last` into those of equal rows.
    fn row_of(&self, first: usize, last: usize, rows: &mut BTreeMap<usize, Vec<usize>>) -> Result<(), String> {
        let all: Set<'_> = &|_| true;
        let changed = self.run(all, &|n| (first..last).contains(&n))?;
        let Some(row) = changed.iter().position(|changed| *changed) else { return Ok(()) };
        let ends = last - first <= 1
            || (self.run(all, &|n| n == first)? == changed && self.run(all, &|n| n + 1 == last)? == changed);
        if ends {
            rows.entry(row).or_default().extend(first..last);
            return Ok(());
        }
        let middle = first + (last - first) / 2;
        self.row_of(first, middle, rows)?;
        self.row_of(middle, last, rows)
    }

    /// Returns for each element of the result the element of the columns that meets a given element
    /// of its row.
    fn partners(&self, rows: Set<'_>) -> Result<Vec<Option<usize>>, String> {
        let met = self.run(&|_| true, rows)?;
        let partners = self.numbers(self.columns.count, |set| self.run(set, rows))?;
        Ok(partners.into_iter().zip(met).map(|(partner, met)| met.then_some(partner)).collect())
    }

    /// Returns for each element of the result the byte of the scales of columns (0) or rows (1)
    /// that changes it, for some elements of both factors.
    fn scales_of(&self, which: usize, columns: Set<'_>, rows: Set<'_>) -> Result<Vec<usize>, String> {
        let none: Set<'_> = &|_| false;
        let plain = self.result_of(columns, rows, [none; 2])?;
        self.numbers(SCALES, |set| {
            let scales = if which == 0 { [set, none] } else { [none, set] };
            let changed = self.result_of(columns, rows, scales)?;
            Ok(changed.iter().zip(&plain).map(|(changed, plain)| changed != plain).collect())
        })
    }

    /// Returns for each element of the result the number of the one of `count` things that affects
    /// it, from an execution for each binary digit.
    fn numbers(
        &self,
        count: usize,
        affects: impl Fn(Set<'_>) -> Result<Vec<bool>, String>,
    ) -> Result<Vec<usize>, String> {
        let mut numbers = vec![0; self.results];
        for digit in 0..usize::BITS - count.leading_zeros() {
            let found = affects(&|n| n >> digit & 1 == 1)?;
            let set = numbers.iter_mut().zip(found).filter(|(_, found)| *found);
            set.for_each(|(number, _)| *number |= 1 << digit);
        }
        Ok(numbers)
    }
}

/// Row and column of each element.
type Places = Vec<Option<(usize, usize)>>;

/// Columns or rows, and inner elements of each, to which a byte of scales belongs.
type Scaled = BTreeSet<(usize, usize)>;

/// Layouts of a product: result, columns (k and n) and rows (m and k).
pub(super) struct Layouts {
    pub(super) result: Places,
    pub(super) columns: Places,
    /// Rows of this thread; then those of the other thread, if the instruction reads them.
    pub(super) rows: Vec<Places>,
    /// Elements of each byte of the scales of columns (n and k) and rows (m and k).
    pub(super) scales: [Vec<Scaled>; 2],
}

/// Finds the layouts by executions.
fn layouts(product: &Product<'_>) -> Result<Layouts, String> {
    let mut by_row = BTreeMap::new();
    product.row_of(0, product.row_elements(), &mut by_row)?;
    let inner = by_row.values().map(Vec::len).max().unwrap_or(0);
    if inner == 0 || by_row.values().any(|row| row.len() != inner) {
        return Err("the rows of the matrix differ in length".to_owned());
    }
    let mut rows: Places = vec![None; product.row_elements()];
    let by_row: Vec<(usize, Vec<usize>)> = by_row.into_iter().collect();
    for (m, (_, row)) in by_row.iter().enumerate() {
        row.iter().enumerate().for_each(|(k, at)| rows[*at] = Some((m, k)));
    }
    // The first elements of all rows meet the same elements of the columns: those give the columns.
    let first = product.partners(&|n| rows[n].is_some_and(|(_, k)| k == 0))?;
    let changed = |m: usize| product.run(&|_| true, &|n| rows[n].is_some_and(|(row, _)| row == m));
    let mut result: Places = vec![None; product.results];
    let mut numbers: Vec<usize> = Vec::new();
    for m in 0..by_row.len() {
        for (at, _) in changed(m)?.iter().enumerate().filter(|(_, changed)| **changed) {
            let Some(partner) = first[at] else { return Err("an element of the result has no column".to_owned()) };
            let n = numbers.iter().position(|known| *known == partner).unwrap_or_else(|| {
                numbers.push(partner);
                numbers.len() - 1
            });
            result[at] = Some((m, n));
        }
    }
    let mut columns: Places = vec![None; product.columns.count];
    // Each row shows another element, so a few runs show all.
    let height = by_row.len();
    for round in 0..inner.div_ceil(height) {
        let partners = product.partners(&|n| rows[n].is_some_and(|(m, k)| k == round * height + m))?;
        for (at, partner) in partners.iter().enumerate() {
            let (Some((m, n)), Some(partner)) = (result[at], *partner) else { continue };
            if let Some(place) = columns.get_mut(partner) {
                *place = Some((round * height + m, n));
            }
        }
    }
    let scales = scales(product, &result, &columns, &rows)?;
    let rows = rows.chunks(product.rows.count).map(<[_]>::to_vec).collect();
    Ok(Layouts { result, columns, rows, scales })
}

/// Finds the elements of each byte of the scales by executions with one product for each element of
/// the result: then a scale that changes an element belongs to the factors of its product.
fn scales(
    product: &Product<'_>,
    result: &Places,
    columns: &Places,
    rows: &Places,
) -> Result<[Vec<Scaled>; 2], String> {
    let mut found = [Vec::new(), Vec::new()];
    let size = |all: &Places, part: fn((usize, usize)) -> usize| all.iter().flatten().map(|one| part(*one) + 1).max();
    let inner = size(rows, |(_, k)| k).unwrap_or(0);
    for (which, part) in [(0, size(rows, |(m, _)| m)), (1, size(columns, |(_, n)| n))] {
        let (Some(_), Some(lines)) = (product.scales[which], part) else { continue };
        found[which] = vec![Scaled::new(); SCALES];
        for first in (0..inner).step_by(lines) {
            // Each row (or column) has one element that is not zero, another one in every line.
            let of_row = |n: usize| rows[n].is_some_and(|(m, k)| k == first + m);
            let of_column = |at: usize| columns[at].is_some_and(|(k, n)| k == first + n);
            let all: Set<'_> = &|_| true;
            let (chosen_columns, chosen_rows): (Set<'_>, Set<'_>) =
                if which == 0 { (all, &of_row) } else { (&of_column, all) };
            let bytes = product.scales_of(which, chosen_columns, chosen_rows)?;
            for (byte, place) in bytes.into_iter().zip(result) {
                let Some((m, n)) = *place else { continue };
                let (line, k) = if which == 0 { (n, first + m) } else { (m, first + n) };
                if k < inner {
                    found[which][byte].insert((line, k));
                }
            }
        }
    }
    Ok(found)
}

/// Finds the layouts of a product of matrices.
pub(super) fn find(program: &Program, thread: &Thread, shape: &Shape) -> Result<Layouts, String> {
    let operands = program.operands();
    let at = |operand: usize| match program.stands_at(operand, 0, thread) {
        Some(Target::Register(at, _)) => Ok(at),
        _ => Err("a matrix is not in registers".to_owned()),
    };
    let read: Vec<usize> = (0..operands.len()).filter(|n| !operands[*n].written).collect();
    let written = operands.iter().position(|operand| operand.written).ok_or("there is no result")?;
    let &[_, columns, rows] = read.get(..3).ok_or("there are no factors")? else {
        return Err("there are no factors".to_owned());
    };
    let lanes = program.channels() as usize;
    let factor = |operand: usize, precision: Precision, count: usize| {
        let (at, bits) = (at(operand)?, precision.bits() as usize);
        match thread.registers.holds(at, (count * bits).div_ceil(8)) {
            true => Ok(Factor { at, bits, count }),
            false => Err("a matrix is larger than its variable".to_owned()),
        }
    };
    let scales = |operand: Option<&usize>| {
        let at = operand.and_then(|operand| at(*operand).ok())?;
        thread.registers.holds(at, SCALES).then_some(at)
    };
    let per_dword = 32 / (shape.columns.bits() as usize).max(1);
    let product = Product {
        program,
        thread,
        result: at(written)?,
        result_bytes: (operands[written].bits / 8) as usize,
        results: shape.repeats * lanes,
        columns: factor(columns, shape.columns, shape.depth * lanes * per_dword)?,
        rows: factor(rows, shape.rows, shape.repeats * shape.depth * PACKED)?,
        threads: if program.wants_neighbour() { 2 } else { 1 },
        scales: [scales(read.get(3)), scales(read.get(4))],
    };
    if !thread.registers.holds(product.result, product.results * product.result_bytes) {
        return Err("the result is larger than its variable".to_owned());
    }
    layouts(&product)
}

/// Draws the three matrices of a product.
pub(super) fn draw(
    program: &Program,
    thread: &Thread,
    shape: &Shape,
    register: usize,
    statement: &str,
) -> Result<Svg, String> {
    let found = find(program, thread, shape)?;
    let operands = program.operands();
    let names: Vec<&str> = operands.iter().filter(|one| !one.written).map(|one| one.name).collect();
    let written = operands.iter().find(|one| one.written).ok_or("there is no result")?;
    let mut drawing = Drawing::default();
    for (thread, rows) in found.rows.iter().enumerate() {
        let of = match (found.rows.len(), thread) {
            (1, _) => "",
            (_, 0) => " of the first thread",
            _ => " of the second thread",
        };
        let title = format!("{} – rows packed{of} (m: row, k: inner)", names[2]);
        grid(&mut drawing, &title, rows, shape.rows.bits() as usize, register, ["m", "k"]);
    }
    let title = format!("{} – columns packed (k: inner, n: column = channel)", names[1]);
    grid(&mut drawing, &title, &found.columns, shape.columns.bits() as usize, register, ["k", "n"]);
    for ((scales, letter), name) in found.scales.iter().zip(["n", "m"]).zip(names.iter().skip(3)) {
        scale_grid(
            &mut drawing,
            &format!("{name} – scales ({letter}, and inner elements k)"),
            scales,
            register,
            letter,
        );
    }
    let title = format!("{} – result (m: row, n: column = channel)", written.name);
    grid(&mut drawing, &title, &found.result, written.bits as usize, register, ["m", "n"]);
    Ok(drawing.finish(&format!("Layouts of the matrices of {statement}")))
}

/// Draws the elements of a matrix in registers.
fn grid(drawing: &mut Drawing, title: &str, places: &Places, bits: usize, register: usize, names: [&str; 2]) {
    let used = places.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let per_cell = (CELL * 8 / bits).max(1);
    let cell = |n: usize| match places.get(n * per_cell..) {
        Some(rest) => elements(&rest[..per_cell.min(rest.len())], names),
        None => Cell::default(),
    };
    let per_line = register * 8 / (per_cell * bits);
    let lines = used.div_ceil(per_cell * per_line);
    Grid {
        title,
        lines: (0..lines).map(|line| format!("reg {line}")).collect(),
        cells: (0..lines).map(|line| (0..per_line).map(|n| cell(line * per_line + n)).collect()).collect(),
    }
    .draw(drawing);
}

/// Draws the scales of a factor in registers, if it has some.
fn scale_grid(drawing: &mut Drawing, title: &str, scales: &[Scaled], register: usize, letter: &str) {
    let Some(last) = scales.iter().rposition(|scale| !scale.is_empty()) else { return };
    let numbers = |scales: &[Scaled], part: fn(&(usize, usize)) -> usize| {
        let all: BTreeSet<usize> = scales.iter().flatten().map(part).collect();
        ranges(&all.into_iter().collect::<Vec<_>>())
    };
    let cell = |scales: &[Scaled]| match scales.iter().flatten().next() {
        Some((line, _)) => Cell {
            upper: format!("{letter}{}", numbers(scales, |(line, _)| *line)),
            lower: format!("k{}", numbers(scales, |(_, k)| *k)),
            colour: Some(*line),
        },
        None => Cell::default(),
    };
    let lines: Vec<&[Scaled]> = scales[..=last].chunks(register).collect();
    Grid {
        title,
        lines: (0..lines.len()).map(|line| format!("reg {line}")).collect(),
        cells: lines.iter().map(|line| line.chunks(CELL).map(cell).collect()).collect(),
    }
    .draw(drawing);
}
