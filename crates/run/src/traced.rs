//! Tracing of chosen work items: executed instructions with operand values.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::program::Program;
use super::values::{Lane, OperandValue, Places};
use visakit_kernels::code::DebugLoc;
use visakit_launch::payload;
use visakit_launch::range::NdRange;
use visakit_machine::thread::Thread;

/// Work items to trace, and the receiver of their instructions.
#[derive(Clone, Copy)]
pub struct Tracing<'a> {
    /// Global ids of the work items, without the launch's offset; ids outside the launch are
    /// ignored.
    pub items: &'a [[u32; 3]],
    /// Receives each instruction.
    pub each: &'a (dyn Fn(TracedStep) + Sync),
}

/// An instruction executed by a work item.
#[derive(Clone, Debug, Serialize)]
pub struct TracedStep {
    /// Global id of the work item.
    pub item: [u32; 3],
    /// Index of the hardware thread in its group.
    pub thread: u32,
    /// Channel of the work item.
    pub channel: u32,
    /// Index of the instruction's function; `None` for the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<usize>,
    /// Index of the instruction in its routine.
    pub instruction: u32,
    /// Instruction as in the text, or its mnemonic without text.
    pub text: String,
    /// Line of the source file.
    pub source_line: Option<u32>,
    /// Line of the instruction in its text, from 1; 0 without text.
    pub line: u32,
    /// Values read.
    pub reads: Vec<OperandValue>,
    /// Values of the written operands before the instruction.
    pub before: Vec<OperandValue>,
    /// Values written; empty if the instruction trapped.
    pub writes: Vec<OperandValue>,
}

impl std::fmt::Display for TracedStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.item;
        write!(f, "({x}, {y}, {z})")?;
        if let Some(line) = self.source_line {
            write!(f, " line {line}")?;
        }
        write!(f, " {}: {}", self.instruction, self.text)?;
        let all = |operands: &[OperandValue], f: &mut std::fmt::Formatter<'_>| {
            operands.iter().try_for_each(|operand| {
                write!(f, " {}=", operand.name)?;
                let values: Vec<_> = operand.values.iter().map(ToString::to_string).collect();
                f.write_str(&values.join(","))
            })
        };
        if !self.reads.is_empty() {
            f.write_str("  |")?;
            all(&self.reads, f)?;
        }
        if !self.writes.is_empty() {
            f.write_str("  ->")?;
            all(&self.writes, f)?;
        }
        Ok(())
    }
}

/// A work item with its position in the launch.
#[derive(Clone, Copy, Debug)]
struct Item {
    id: [u32; 3],
    group: [u32; 3],
    thread: u32,
    channel: u32,
}

/// Tracer of the chosen work items of a launch.
pub(super) struct Tracer<'a> {
    program: &'a Program,
    routines: Vec<Places<'a>>,
    lines: Vec<Vec<&'a str>>,
    items: Vec<Item>,
    each: &'a (dyn Fn(TracedStep) + Sync),
    /// Current group.
    group: Mutex<[u32; 3]>,
}

/// Traced instructions in execution.
pub(super) struct Begun(Vec<(TracedStep, Lane)>);

impl<'a> Tracer<'a> {
    pub(super) fn new(
        program: &'a Program,
        range: &NdRange,
        routines: Vec<Places<'a>>,
        tracing: &Tracing<'a>,
    ) -> Self {
        let environment = &program.info.execution_env;
        let items = tracing.items.iter().filter(|id| (0..3).all(|d| id[d] < range.global[d])).map(|&id| {
            let group = std::array::from_fn(|d| id[d] / range.local[d]);
            let local: [u32; 3] = std::array::from_fn(|d| id[d] % range.local[d]);
            let (size, order) = (range.size_of(group), environment.work_group_walk_order_dimensions);
            let items = 0..size.iter().product::<u32>();
            let item = items.into_iter().find(|&item| payload::local_id_of(item, size, order) == local);
            let (item, simd) = (item.unwrap_or(0), environment.simd_size.max(1));
            Item { id, group, thread: item / simd, channel: item % simd }
        });
        let items = items.collect();
        Self { program, routines, lines: program.text_lines(), items, each: tracing.each, group: Mutex::default() }
    }

    /// Sets the current group.
    pub(super) fn group(&self, group: [u32; 3]) {
        *self.group.lock().unwrap_or_else(PoisonError::into_inner) = group;
    }

    /// Records the operands read by the instruction that a thread is about to execute.
    pub(super) fn before(&self, thread: &Thread, mark: &DebugLoc) -> Begun {
        let group = *self.group.lock().unwrap_or_else(PoisonError::into_inner);
        let own = self.items.iter().filter(|item| item.group == group && item.thread == thread.index);
        Begun(own.filter_map(|item| self.begin(item, thread, mark)).collect())
    }

    fn begin(&self, item: &Item, thread: &Thread, mark: &DebugLoc) -> Option<(TracedStep, Lane)> {
        let enable = &mark.enable;
        let channels = enable.lanes.count_ones();
        // An instruction with a single channel acts for all work items.
        let lane = match item.channel.checked_sub(enable.shift) {
            _ if channels == 1 => 0,
            lane => lane.filter(|&lane| enable.lanes >> lane.min(31) & 1 == 1)?,
        };
        let is_for_item = if channels == 1 {
            enable.always != 0 || thread.active >> item.channel & 1 == 1
        } else {
            thread.enabled(enable) >> lane & 1 == 1
        };
        let lane = Lane { lane, channels, channel: enable.shift + lane };
        is_for_item.then(|| {
            let at = self.program.location(mark.instruction);
            let text = self.program.statement(&at, &self.lines);
            let [reads, before] = [true, false].map(|reads| self.operands(mark, thread, lane, reads));
            let step = TracedStep {
                item: item.id,
                thread: thread.index,
                channel: item.channel,
                function: at.function,
                instruction: at.instruction,
                text: text.map_or_else(|| self.program.mnemonic(&at, &self.lines), str::to_owned),
                source_line: mark.source_line.filter(|&line| line > 0),
                line: at.line,
                reads,
                before,
                writes: Vec::new(),
            };
            (step, lane)
        })
    }

    /// Reports the instruction after its execution.
    pub(super) fn after(&self, begun: Begun, thread: &Thread, mark: &DebugLoc) {
        for (step, lane) in begun.0 {
            (self.each)(TracedStep { writes: self.operands(mark, thread, lane, false), ..step });
        }
    }

    /// Reports an instruction that writes nothing or has trapped.
    pub(super) fn ended(&self, begun: Begun) {
        begun.0.into_iter().for_each(|(step, _)| (self.each)(step));
    }

    /// Returns the values that an instruction reads or writes.
    fn operands(&self, mark: &DebugLoc, thread: &Thread, lane: Lane, reads: bool) -> Vec<OperandValue> {
        let at = self.program.location(mark.instruction);
        let Some(places) = self.routines.get(at.function.map_or(0, |n| n + 1)) else { return Vec::new() };
        let Some(instruction) = places.routine.instructions.get(at.instruction as usize) else { return Vec::new() };
        let wanted = instruction.operands().filter(|operand| match operand.used() {
            Some(used) if reads => used.role.is_read(),
            Some(used) => used.role.is_write(),
            None => false,
        });
        wanted.filter_map(|operand| places.value(&operand, thread, lane)).collect()
    }
}
