//! Regions: which channel uses which element of each operand.

use std::collections::BTreeMap;

use visakit_machine::thread::Thread;
use visakit_oracle::{Program, Target};

use super::grid::{Cell, Grid, ranges};
use crate::drawing::{Drawing, Svg};

/// Largest number of registers of an operand that is drawn.
const LINES: usize = 32;

/// Draws the elements that each channel uses; `None` if no operand has elements in registers.
pub(super) fn draw(program: &Program, thread: &Thread, register: usize, statement: &str) -> Option<Svg> {
    let mut drawing = Drawing::default();
    let mut any = false;
    for (operand, shown) in program.operands().iter().enumerate().filter(|(_, shown)| !shown.raw) {
        // Channels by the offset of their element.
        let mut channels: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut size = 1;
        for channel in 0..program.channels() {
            if let Some(Target::Register(at, bytes)) = program.stands_at(operand, channel, thread) {
                channels.entry(at as usize).or_default().push(channel as usize);
                size = bytes as usize;
            }
        }
        let (Some(first), Some(last)) = (channels.keys().next(), channels.keys().next_back()) else { continue };
        let first = first / register * register;
        let lines = (last - first) / register + 1;
        if lines > LINES {
            continue;
        }
        any = true;
        let cell = |at: usize| match channels.get(&at) {
            None => Cell::default(),
            Some(channels) => Cell { upper: ranges(channels), lower: String::new(), colour: Some(channels[0] / 4) },
        };
        let line = |line: usize| (0..register / size).map(|n| cell(first + line * register + n * size)).collect();
        let access = if shown.written { "written" } else { "read" };
        let title = format!("{}:{} – channel by element, {access}", shown.name, shown.data_type);
        let grid = Grid {
            title: &title,
            lines: (0..lines).map(|line| format!("reg {line}")).collect(),
            cells: (0..lines).map(line).collect(),
        };
        grid.draw(&mut drawing);
    }
    any.then(|| drawing.finish(&format!("Elements that each channel of {statement} uses")))
}
