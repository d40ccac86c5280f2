//! Execution counts.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::cache::Lowered;
use crate::program::Program;
use crate::starts::Variant;
use visakit_kernels::code::CompiledRoutine;
use visakit_machine::thread::Thread;

/// Counts of a worker, or the sum over all workers.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// Number of executed instructions.
    pub instructions: u64,
    /// Number of elements read past the end of a surface.
    pub outside_reads: u64,
    /// Number of elements written past the end of a surface.
    pub outside_writes: u64,
    /// For each step, its number of executions and the total number of enabled channels.
    pub steps: Vec<[u64; 2]>,
    /// For each block's branch, its number of executions and the total number of active channels.
    pub branches: Vec<[u64; 2]>,
    /// Number of instructions of threads with native code, and how many of these were interpreted.
    pub with_native: u64,
    pub interpreted: u64,
    /// Number of instructions of blocks that native code has left to the interpreter.
    pub left: u64,
}

impl Counts {
    /// Returns zero counts. Steps and branches are counted only on request.
    pub(super) fn new(code: &CompiledRoutine, count: bool) -> Self {
        let of = |len: usize| vec![[0; 2]; if count { len } else { 0 }];
        Self { steps: of(code.steps.len()), branches: of(code.blocks.len()), ..Self::default() }
    }

    /// Adds the counts of a thread that has ended.
    pub(super) fn add_thread(&mut self, thread: &Thread) {
        self.instructions += thread.executed;
        self.outside_reads += thread.outside_reads;
        self.outside_writes += thread.outside_writes;
    }

    /// Adds the counts of another worker.
    pub(super) fn add(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.outside_reads += other.outside_reads;
        self.outside_writes += other.outside_writes;
        self.with_native += other.with_native;
        self.interpreted += other.interpreted;
        let both = self.steps.iter_mut().zip(&other.steps).chain(self.branches.iter_mut().zip(&other.branches));
        for (sum, count) in both {
            sum[0] += count[0];
            sum[1] += count[1];
        }
    }
}

/// Report of `--stats`.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// Wall time of the dispatch in seconds.
    pub wall_s: f64,
    /// Number of executed SIMD instructions.
    pub instructions: u64,
    /// Total number of enabled channels of these instructions.
    pub lane_operations: u64,
    /// Number of instructions that native code executed.
    pub native: u64,
    /// Reason why the kernel has no native code, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_refused: Option<String>,
    /// Instructions per second of wall time.
    pub instructions_per_s: f64,
    /// Counts by mnemonic.
    pub by_opcode: BTreeMap<String, OpcodeStats>,
}

/// Counts of a mnemonic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OpcodeStats {
    /// Number of executed SIMD instructions.
    pub instructions: u64,
    /// Total number of enabled channels of these instructions.
    pub lane_operations: u64,
}

impl Stats {
    pub(super) fn new(
        program: &Program,
        (lowered, variant): (&Lowered, Variant),
        counts: &Counts,
        wall: Duration,
    ) -> Self {
        let code = &lowered.code;
        let native_refused = lowered.refusal(variant).map(|refusal| refusal.to_string());
        let lines = program.text_lines();
        let mut by_opcode: BTreeMap<String, OpcodeStats> = BTreeMap::new();
        let mut add = |instruction: u32, [executed, lanes]: [u64; 2]| {
            if executed == 0 {
                return;
            }
            let entry = by_opcode.entry(program.mnemonic(&program.location(instruction), &lines)).or_default();
            entry.instructions += executed;
            entry.lane_operations += lanes;
        };
        for (mark, count) in code.marks.iter().zip(&counts.steps) {
            add(mark.instruction, *count);
        }
        for (block, count) in code.blocks.iter().zip(&counts.branches) {
            if block.next.is_instruction() {
                add(block.mark.instruction, *count);
            }
        }
        let instructions: u64 = by_opcode.values().map(|count| count.instructions).sum();
        let lane_operations = by_opcode.values().map(|count| count.lane_operations).sum();
        let wall_s = wall.as_secs_f64();
        let instructions_per_s = if wall_s > 0.0 { instructions as f64 / wall_s } else { 0.0 };
        let native = counts.with_native.saturating_sub(counts.interpreted);
        Self { wall_s, instructions, lane_operations, native, native_refused, instructions_per_s, by_opcode }
    }

    /// Formats the report as a table, the most frequent mnemonic first.
    pub fn table(&self) -> String {
        let mut rows: Vec<_> = self.by_opcode.iter().collect();
        rows.sort_by_key(|(name, count)| (std::cmp::Reverse(count.instructions), name.as_str()));
        let mut out = format!("{:<24}{:>16}{:>18}\n", "mnemonic", "instructions", "lane operations");
        for (name, count) in rows {
            out += &format!("{name:<24}{:>16}{:>18}\n", count.instructions, count.lane_operations);
        }
        out += &format!("{:<24}{:>16}{:>18}\n", "all", self.instructions, self.lane_operations);
        if self.native > 0 {
            let share = self.native as f64 / self.instructions as f64 * 100.0;
            out += &format!("{share:.1} % by native code\n");
        }
        if let Some(why) = &self.native_refused {
            out += &format!("interpreted, without native code: {why}\n");
        }
        out += &format!("{:.3} ms, {:.1} million instructions/s\n", self.wall_s * 1e3, self.instructions_per_s / 1e6);
        out
    }
}
