//! Statements that a subgroup executes, one after the other, with the values of its channels.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use visakit_emulator::launch::payload;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{OperandValue, Program, TracedStep};

/// Largest number of recorded statements.
const MOST: usize = 4000;

/// Subgroup to follow.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subgroup {
    #[serde(default)]
    group: [u32; 3],
    #[serde(default)]
    thread: u32,
}

impl Subgroup {
    /// Returns the global ids of the work items, without the offset of the launch; none if the
    /// launch has no such subgroup.
    pub(crate) fn items(self, program: &Program, range: &NdRange) -> Vec<[u32; 3]> {
        let groups = range.groups();
        if (0..3).any(|d| self.group[d] >= groups[d]) {
            return Vec::new();
        }
        let environment = &program.info.execution_env;
        let size = range.size_of(self.group);
        let simd = environment.simd_size;
        let first = self.thread.saturating_mul(simd);
        let end = first.saturating_add(simd).min(size.iter().product());
        let order = environment.work_group_walk_order_dimensions;
        let local = (first..end).map(|item| payload::local_id_of(item, size, order));
        local.map(|id| std::array::from_fn(|d| self.group[d] * range.local[d] + id[d])).collect()
    }
}

/// Statement executed by a subgroup. The values of an operand are in the order of the channels.
#[derive(Debug, Serialize)]
struct Step {
    line: u32,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<usize>,
    instruction: u32,
    /// Channels that execute the statement.
    channels: Vec<u32>,
    reads: Vec<Operand>,
    writes: Vec<Operand>,
}

/// Operand with the values of each channel.
#[derive(Debug, Serialize)]
struct Operand {
    name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<Value>,
    values: Vec<Value>,
}

/// Recorder of a subgroup's statements.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<(Vec<Step>, usize)>);

impl Recorder {
    /// Adds what one work item has executed. Work items of one statement come in order.
    pub(crate) fn take(&self, step: TracedStep) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (steps, left) = &mut *state;
        let is_next = |last: &Step| {
            let same = (last.function, last.instruction) == (step.function, step.instruction);
            same && last.channels.last().is_some_and(|&channel| channel < step.channel)
        };
        let is_same = *left == 0 && steps.last().is_some_and(is_next);
        if is_same {
            if let Some(last) = steps.last_mut() {
                last.add(step);
            }
        } else if steps.len() < MOST {
            steps.push(Step::new(step));
        } else {
            *left += 1;
        }
    }

    /// Returns the statements as JSON, and the number of events that were not recorded.
    pub(crate) fn finish(self) -> (Value, usize) {
        let (steps, left) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (serde_json::to_value(steps).unwrap_or_default(), left)
    }
}

impl Step {
    fn new(step: TracedStep) -> Self {
        let operands = |all: &[OperandValue]| {
            let operand =
                |one: &OperandValue| Operand { name: one.name.clone(), before: Vec::new(), values: Vec::new() };
            all.iter().map(operand).collect()
        };
        let mut made = Self {
            line: step.line,
            text: step.text.clone(),
            function: step.function,
            instruction: step.instruction,
            channels: Vec::new(),
            reads: operands(&step.reads),
            writes: operands(&step.before),
        };
        made.add(step);
        made
    }

    fn add(&mut self, step: TracedStep) {
        self.channels.push(step.channel);
        let value = |all: &[OperandValue], n: usize| {
            let of = all.get(n).map(|one| one.values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
            of.map_or(Value::Null, Value::String)
        };
        for (n, operand) in self.reads.iter_mut().enumerate() {
            operand.values.push(value(&step.reads, n));
        }
        for (n, operand) in self.writes.iter_mut().enumerate() {
            operand.before.push(value(&step.before, n));
            operand.values.push(value(&step.writes, n));
        }
    }
}
