//! Options of a launch: its policy, its observers, its environment.

use visakit_kernels::code::Interpreter;
use visakit_launch::data::DataPlaces;
use visakit_launch::range::NdRange;
use visakit_machine::buffer::Lent;
use visakit_machine::observer::Observer;
use visakit_machine::poison::Poison;

use crate::cache::Cache;
use crate::engine::Engine;
use crate::traced::Tracing;

/// Instructions that one hardware thread may execute by default.
pub const DEFAULT_MAX_INSTRUCTIONS: u64 = 1 << 33;

/// How a kernel is run.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// The engine, the limits, and what an outcome contains.
    pub policy: Policy,
    /// Those who follow the run.
    pub observers: Observers<'a>,
    /// Environment of the launch.
    pub surroundings: Surroundings<'a>,
}

impl From<Policy> for Options<'_> {
    fn from(policy: Policy) -> Self {
        Self { policy, ..Self::default() }
    }
}

/// The engine of a launch, its limits, and what its outcome contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Executes the instructions.
    pub engine: Engine,
    /// Host threads; all of the machine's by default.
    pub threads: Option<usize>,
    /// The order of groups that results show.
    pub order: GroupOrder,
    /// The effect of accesses outside every buffer.
    pub outside: Outside,
    /// Instructions that one hardware thread may execute; [`DEFAULT_MAX_INSTRUCTIONS`] by default.
    pub max_instructions: Option<u64>,
    /// Bytes of registers and private memory that concurrent groups may have together. A group that
    /// needs all of it runs alone. 32 MiB by default: a run takes its buffers and 64 MiB, of which
    /// the program and the process need some.
    pub room: Option<u64>,
    /// The numbers of the groups that run, the end excluded; all by default.
    pub groups: Option<(u64, u64)>,
    /// Runs the groups after a faulty one, too: [`TrapReport::others`].
    ///
    /// [`TrapReport::others`]: visakit_machine::fault::TrapReport::others
    pub keep_going: bool,
    /// Counts instructions by mnemonic: [`Outcome::stats`](crate::Outcome::stats).
    pub stats: bool,
    /// Reports what the thread of a fault held: [`TrapReport::state`].
    ///
    /// [`TrapReport::state`]: visakit_machine::fault::TrapReport::state
    pub state: bool,
}

/// The order of groups that results show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupOrder {
    /// Sequential order. A kernel that uses the results of its atomic operations, adds floats by
    /// them or prints runs its groups so; a launch whose groups touch what another one writes is
    /// run again so.
    #[default]
    Sequential,
    /// Any order: groups run in parallel, and results may depend on which comes first.
    Any,
}

impl GroupOrder {
    /// Returns [`GroupOrder::Any`] if `is_any`.
    pub fn any_if(is_any: bool) -> Self {
        if is_any { Self::Any } else { Self::Sequential }
    }
}

/// The effect of accesses outside every buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// They are faults.
    #[default]
    Fault,
    /// In the last page of a buffer, reads give zero and writes are lost; elsewhere they are
    /// faults. Devices have these pages, and compilers load vectors of which they need a part.
    LastPage,
    /// Reads give zero and writes are lost, as with surfaces.
    Zero,
}

impl Outside {
    /// Returns [`Outside::Zero`] if `is_zero`.
    pub fn zero_if(is_zero: bool) -> Self {
        if is_zero { Self::Zero } else { Self::Fault }
    }
}

/// Those who follow a run. They never change its outcome.
#[derive(Clone, Copy, Default)]
pub struct Observers<'a> {
    /// Called with the number of finished groups, now and then. Counts restart when the launch is
    /// run again.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Receives every access to memory. Groups run one after the other then, and accesses are
    /// checked one by one.
    pub accesses: Option<&'a dyn Observer>,
    /// Receives the instructions of chosen work items, with the values of their operands. Groups
    /// run one after the other then.
    pub trace: Option<Tracing<'a>>,
}

impl Observers<'_> {
    /// Returns true when an observer follows the run step by step.
    pub(crate) fn follow_steps(&self) -> bool {
        self.accesses.is_some() || self.trace.is_some()
    }
}

/// Environment of a launch. Programs that launch many kernels keep it.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// Memory that the kernel may reach by its addresses, each the beginning of a slot:
    /// [`Memory::map_at`](visakit_machine::memory::Memory::map_at).
    pub regions: &'a [(u64, Lent)],
    /// The place of the program's data in these regions; without it a launch has data of its own.
    pub data: Option<&'a DataPlaces>,
    /// Keeps what is made of the program for the next launch.
    pub cache: Option<&'a Cache>,
    /// Places buffers that have no address of their own: 0 for contiguous ones, else scattered by
    /// this number ([`Memory::scatter`](visakit_machine::memory::Memory::scatter)).
    pub scattered: u32,
    /// Contents of registers and memory that are not written; zeros by default.
    pub poison: Option<&'a Poison>,
    /// Executes instructions by their pages: those without a kernel, or all.
    pub interpreter: Option<&'a dyn Interpreter>,
}

impl Policy {
    /// Returns the end of the groups that run.
    pub(crate) fn end(&self, range: &NdRange) -> u64 {
        let all = u64::try_from(range.group_count()).unwrap_or(u64::MAX);
        self.groups.map_or(all, |(_, end)| end.min(all))
    }
}
