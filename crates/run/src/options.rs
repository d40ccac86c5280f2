//! Options of a run: policy, observers, and environment of the launch.

use std::sync::Arc;

use visakit_kernels::code::Interpreter;
use visakit_launch::data::DataPlaces;
use visakit_launch::range::NdRange;
use visakit_machine::memory::Regions;
use visakit_machine::observer::Observer;
use visakit_machine::poison::Poison;

use crate::cache::Cache;
use crate::engine::Engine;
use crate::traced::Tracing;

/// Default instruction budget of a hardware thread.
pub const DEFAULT_MAX_INSTRUCTIONS: u64 = 1 << 33;

/// Options of a run.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Engine, limits, and contents of the outcome.
    pub policy: Policy,
    /// Observers of the run.
    pub observers: Observers<'a>,
    /// Environment of the launch.
    pub surroundings: Surroundings<'a>,
}

impl From<Policy> for Options<'_> {
    fn from(policy: Policy) -> Self {
        Self { policy, ..Self::default() }
    }
}

/// Engine of a launch, its limits, and the contents of its outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Engine that executes the instructions.
    pub engine: Engine,
    /// Number of host threads; by default, all of the machine's.
    pub threads: Option<usize>,
    /// Order of groups as visible in results.
    pub order: GroupOrder,
    /// Effect of accesses outside every buffer.
    pub outside: Outside,
    /// Instruction budget of a hardware thread; by default, [`DEFAULT_MAX_INSTRUCTIONS`].
    pub max_instructions: Option<u64>,
    /// Limit in bytes on the registers and private memory of groups that run in parallel; a group
    /// that needs all of it runs alone. 32 MiB by default, so that a run fits into its buffers and
    /// 64 MiB, part of which the program and the process need.
    pub room: Option<u64>,
    /// Range of group numbers to run (end excluded); by default, all.
    pub groups: Option<(u64, u64)>,
    /// Also runs the groups after a faulty one: [`TrapReport::others`].
    ///
    /// [`TrapReport::others`]: visakit_machine::fault::TrapReport::others
    pub keep_going: bool,
    /// Counts instructions by mnemonic: [`Outcome::stats`](crate::Outcome::stats).
    pub stats: bool,
    /// Includes the thread's state in a fault's report: [`TrapReport::state`].
    ///
    /// [`TrapReport::state`]: visakit_machine::fault::TrapReport::state
    pub state: bool,
}

/// Order of groups as visible in results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupOrder {
    /// Results as if groups ran one after the other. Groups run sequentially if the kernel uses the
    /// results of its atomic operations, adds floats atomically or prints. If a group accesses
    /// memory that another one writes, the launch is run again sequentially.
    #[default]
    Sequential,
    /// Groups run in parallel, and results may depend on their order.
    Any,
}

impl GroupOrder {
    /// Returns [`GroupOrder::Any`] if `is_any`.
    pub fn any_if(is_any: bool) -> Self {
        if is_any { Self::Any } else { Self::Sequential }
    }
}

/// Effect of accesses outside every buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// Faults.
    #[default]
    Fault,
    /// In the last page of a buffer, reads return zero and writes are dropped; elsewhere, faults.
    /// Devices behave so, and compilers load whole vectors of which only a part is used.
    LastPage,
    /// Reads return zero and writes are dropped, as for surfaces.
    Zero,
}

impl Outside {
    /// Returns [`Outside::Zero`] if `is_zero`.
    pub fn zero_if(is_zero: bool) -> Self {
        if is_zero { Self::Zero } else { Self::Fault }
    }
}

/// Observers of a run. They never change its outcome.
#[derive(Clone, Copy, Default)]
pub struct Observers<'a> {
    /// Called from time to time with the number of completed groups; the number restarts if the
    /// launch is run again.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Observer of every memory access. With it, groups run sequentially, and accesses are checked
    /// one by one.
    pub accesses: Option<&'a dyn Observer>,
    /// Work items to trace, with operand values. With it, groups run sequentially.
    pub trace: Option<Tracing<'a>>,
}

impl Observers<'_> {
    /// Returns true if an observer follows the run step by step.
    pub(crate) fn follow_steps(&self) -> bool {
        self.accesses.is_some() || self.trace.is_some()
    }
}

/// Environment of a launch. Programs that launch many kernels reuse it.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// Memory that the kernel may access by address.
    pub regions: &'a [Arc<Regions>],
    /// Addresses of the program's data in these regions; by default, a launch has its own data.
    pub data: Option<&'a DataPlaces>,
    /// Cache of the lowered program for later launches.
    pub cache: Option<&'a Cache>,
    /// Placement of buffers without a fixed address: 0 for consecutive slots, otherwise scattered
    /// by this number ([`Memory::scatter`](visakit_machine::memory::Memory::scatter)).
    pub scattered: u32,
    /// Initial contents of unwritten registers and memory; by default, zeros.
    pub poison: Option<&'a Poison>,
    /// Executes instructions by the semantics on their pages: all, or those without a kernel.
    pub interpreter: Option<&'a dyn Interpreter>,
}

impl Policy {
    /// Returns the end of the group range (exclusive).
    pub(crate) fn end(&self, range: &NdRange) -> u64 {
        let all = u64::try_from(range.group_count()).unwrap_or(u64::MAX);
        self.groups.map_or(all, |(_, end)| end.min(all))
    }
}
