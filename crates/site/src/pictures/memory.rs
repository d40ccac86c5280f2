//! Transfers between memory and registers: which element lands where.

use std::ops::Range;

use visakit::isa::{Instruction, LscDataSize};
use visakit_oracle::Target;
use visakit_oracle::stage::Stage;

use super::grid::{Cell, Grid, elements};
use super::trace::{Scene, Side};
use crate::drawing::{Drawing, Svg};

/// Bytes of a cell; narrower elements share a cell.
const CELL: usize = 4;

/// Returns the size of an element in registers, if the instruction names one.
fn element(instruction: &Instruction) -> usize {
    instruction.list::<LscDataSize>().map_or(CELL, |size| (size.bytes() as usize).max(1))
}

/// Draws a transfer; `None` if the instruction copies no bytes. `register` is the size of a
/// register.
pub(super) fn draw(
    scene: &Scene<'_>,
    stage: &Stage<'_>,
    instruction: &Instruction,
    register: usize,
    statement: &str,
) -> Result<Option<Svg>, String> {
    let registers = stage.register_bytes();
    let file = Side::Registers(0..registers);
    let size = element(instruction);
    let loaded = scene.origins(&Side::Memory, &file)?;
    if loaded.iter().any(Option::is_some) {
        let svg = picture(&loaded, size, register, &format!("Elements of memory in registers after {statement}"));
        return Ok(Some(svg));
    }
    let mut placed = vec![None; registers];
    for range in sources(scene, stage) {
        let start = range.start;
        // Tags in an operand with addresses lead to an access outside the buffer.
        let Ok(stored) = scene.origins(&Side::Registers(range), &Side::Memory) else { continue };
        for (at, origin) in stored.iter().enumerate() {
            // A register byte may be stored several times; the picture has its first place.
            if let Some(place) = origin.and_then(|origin| placed.get_mut(start + origin)) {
                *place = place.or(Some(at));
            }
        }
    }
    match placed.iter().any(Option::is_some) {
        false => Ok(None),
        true => {
            let title = format!("Elements of registers in memory after {statement}");
            Ok(Some(picture(&placed, size, register, &title)))
        }
    }
}

/// Returns the register ranges of the variables that raw operands read.
fn sources(scene: &Scene<'_>, stage: &Stage<'_>) -> Vec<Range<usize>> {
    let starts = stage.starts();
    let operands = scene.program.operands();
    let raw = (0..operands.len()).filter(|n| operands[*n].raw && !operands[*n].written);
    raw.filter_map(|operand| match scene.program.stands_at(operand, 0, scene.thread) {
        Some(Target::Register(at, _)) => {
            let at = at as usize;
            let end = starts.iter().copied().filter(|start| *start > at).min();
            Some(at..end.unwrap_or(stage.register_bytes()))
        }
        _ => None,
    })
    .collect()
}

/// Draws the registers. `places` has the place in memory of each byte of the register file.
fn picture(places: &[Option<usize>], size: usize, register: usize, title: &str) -> Svg {
    let rows = Rows::new(places, size);
    let first = places.iter().position(Option::is_some).unwrap_or(0) / register * register;
    let last = places.iter().rposition(Option::is_some).unwrap_or(0);
    let step = size.max(CELL);
    let cell = |at: usize| {
        let at = (at..at + step).step_by(size).map(|at| places.get(at).copied().flatten());
        let all: Vec<_> = at.map(|place| place.map(|place| rows.place(place, size))).collect();
        rows.cell(&all)
    };
    let lines = (last - first) / register + 1;
    let line = |line: usize| (0..register).step_by(step).map(|at| cell(first + line * register + at)).collect();
    let mut drawing = Drawing::default();
    let what = match rows.is_flat() {
        true => "Registers – e: element in memory".to_owned(),
        false => "Registers – r: row, c: column in memory".to_owned(),
    };
    Grid {
        title: &what,
        lines: (0..lines).map(|line| format!("reg {line}")).collect(),
        cells: (0..lines).map(line).collect(),
    }
    .draw(&mut drawing);
    drawing.finish(title)
}

/// Rows of the rectangle in memory: contiguous ranges at equal distances.
struct Rows {
    starts: Vec<usize>,
}

impl Rows {
    fn new(places: &[Option<usize>], size: usize) -> Self {
        let mut known: Vec<usize> = places.iter().flatten().copied().collect();
        known.sort_unstable();
        known.dedup();
        let mut starts: Vec<usize> = Vec::new();
        let mut next = None;
        for at in known {
            if next != Some(at) {
                starts.push(at);
            }
            next = Some(at + 1);
        }
        let distances: Vec<usize> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let is_rectangle = distances.windows(2).all(|pair| pair[0] == pair[1]) && starts.len() > 1;
        // Scattered elements have no rows; their numbers count from the lowest address.
        if !is_rectangle {
            starts.truncate(1);
        }
        starts.iter_mut().for_each(|start| *start = *start / size * size);
        Self { starts }
    }

    fn is_flat(&self) -> bool {
        self.starts.len() < 2
    }

    /// Returns row and column of a byte in memory, in elements.
    fn place(&self, at: usize, size: usize) -> (usize, usize) {
        let row = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        (row, at.saturating_sub(self.starts.get(row).copied().unwrap_or(0)) / size)
    }

    fn cell(&self, all: &[Option<(usize, usize)>]) -> Cell {
        let cell = elements(all, if self.is_flat() { ["", "e"] } else { ["r", "c"] });
        match self.is_flat() {
            false => cell,
            true => Cell { upper: cell.lower, lower: String::new(), colour: cell.colour },
        }
    }
}
