//! Running a kernel: bytes in, buffers out.
//!
//! ```
//! use visakit_emulator::launch::{argument::Argument, range::NdRange};
//! use visakit_emulator::run::{Options, Program, launch};
//! use visakit_zebin::Zebin;
//!
//! let bytes = std::fs::read("../../examples/vector_add/vector_add.skl.zebin").unwrap();
//! let zebin = Zebin::parse("vector_add.skl.zebin", &bytes).unwrap();
//! let program = Program::from_zebin(&zebin, None, None).unwrap();
//! let a = Argument::Buffer([1.0_f32, 2.0].map(f32::to_le_bytes).concat());
//! let c = Argument::Buffer(vec![0; 8]);
//! let n = Argument::Value(2_u32.to_le_bytes().to_vec());
//! let range = NdRange::new(&[2], None, None, program.required_local_size()).unwrap();
//! let outcome = launch(&program, &range, vec![Some(a.clone()), Some(a), Some(c), Some(n)], &Options::default()).unwrap();
//! assert_eq!(outcome.buffers[2].as_deref(), Some(&[2.0_f32, 4.0].map(f32::to_le_bytes).concat()[..]));
//! ```

mod barriers;
mod cache;
mod dispatch;
mod endless;
mod engine;
mod exchange;
mod execute;
mod faults;
mod group;
mod helpers;
mod memory;
mod native;
mod plan;
pub(crate) mod program;
mod start;
mod state;
pub mod stats;
mod stopped;
mod traced;
mod values;
mod watched;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use visakit::isa::Platform;
use visakit_diag::{Diagnostic, Severity};

use crate::kernels::code::{CompiledRoutine, Interpreter};
use crate::kernels::layout::Layout;
use crate::launch::argument::Argument;
use crate::launch::data::DataPlaces;
use crate::launch::payload::Payload;
use crate::launch::range::NdRange;
use crate::launch::understood;
use crate::limits::GROUP_BYTES;
use crate::machine::buffer::{self, Lent};
use crate::machine::fault::{Trap, TrapReport};
use crate::machine::observer::Observer;
use crate::machine::poison::Poison;
use crate::machine::trace::Trace;
pub use cache::Cache;
use dispatch::{Dispatched, dispatch};
pub use engine::Engine;
use plan::Plan;
pub use program::{FunctionText, Program};
pub use state::{ThreadState, VariableState};
use stats::Stats;
pub use traced::{TracedStep, Tracing};
pub use values::OperandValue;
use values::Places;

/// Instructions that a hardware thread may execute when nobody says otherwise.
pub const DEFAULT_MAX_INSTRUCTIONS: u64 = 1 << 33;

/// How a kernel is run.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Host threads; all of the machine's when not given.
    pub threads: Option<usize>,
    /// Whether groups may run side by side even where the result depends on which comes first.
    /// Otherwise such a kernel, one that uses the results of its atomic operations, adds floats by
    /// them or prints, runs its groups one after the other; and a launch whose groups turn out to
    /// touch what another one writes is run again so.
    pub any_order: bool,
    /// Whether reads outside of every buffer give zero and writes there are lost, as with surfaces,
    /// instead of being faults.
    pub outside_is_zero: bool,
    /// Whether the same is so of the rest of a buffer's last page alone, which is there on devices:
    /// compilers load vectors of which they need a part.
    pub whole_pages: bool,
    /// Instructions that one hardware thread may execute; [`DEFAULT_MAX_INSTRUCTIONS`] when not
    /// given.
    pub max_instructions: Option<u64>,
    /// Whether to count instructions by mnemonic.
    pub stats: bool,
    /// Called with the number of groups that are done, now and then; it begins anew when the launch
    /// is run again.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Learns of every access to memory. With one, groups run one after the other, and no message
    /// takes the way on which accesses are checked all at once.
    pub observer: Option<&'a dyn Observer>,
    /// Executes instructions by their pages: those without a kernel, or all.
    pub interpreter: Option<&'a dyn Interpreter>,
    /// What the launch finds.
    pub surroundings: Surroundings<'a>,
    /// What stands in registers and memory that nobody has written; zeros when not given.
    pub poison: Option<&'a Poison>,
    /// The groups that are run, by their numbers; all when not given.
    pub groups: Option<(u64, u64)>,
    /// What executes the instructions.
    pub engine: Engine,
    /// Whether the groups behind a faulty one run all the same: [`TrapReport::others`].
    pub keep_going: bool,
    /// Whether a fault tells what its thread held: [`TrapReport::state`].
    pub state: bool,
    /// Bytes that groups which run at the same time may have together for themselves: where one
    /// needs all of it, none runs beside. 32 MiB when not given, as a run takes its buffers and 64
    /// MiB, of which the program and the process need some.
    pub room: Option<u64>,
    /// Work items whose instructions are told, with the values of their operands. Groups run one
    /// after the other then.
    pub trace: Option<Tracing<'a>>,
}

impl Options<'_> {
    /// Whether somebody follows the run step by step.
    fn is_followed(&self) -> bool {
        self.observer.is_some() || self.trace.is_some()
    }

    /// The group behind the last one that is run.
    fn end(&self, range: &NdRange) -> u64 {
        let all = u64::try_from(range.group_count()).unwrap_or(u64::MAX);
        self.groups.map_or(all, |(_, end)| end.min(all))
    }
}

/// What is there before a launch and stays when it is done, for programs that launch many.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// Memory that the kernel may reach by its addresses, each the beginning of a slot:
    /// [`crate::machine::memory::Memory::map_at`].
    pub regions: &'a [(u64, Lent)],
    /// Where the program's data are, in these regions; a launch has data of its own when it is not
    /// given.
    pub data: Option<&'a DataPlaces>,
    /// Keeps what is made of the program for the next launch.
    pub cache: Option<&'a Cache>,
    /// Where buffers lie that have no address of their own: 0 one behind the other, else scattered
    /// by this number ([`crate::machine::memory::Memory::scatter`]).
    pub scattered: u32,
}

/// What a run gives.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The contents of each argument that is a buffer or an image; none for one that is the same as
    /// another.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// What the kernel printed.
    pub printed: Vec<u8>,
    /// Wall time of the dispatch alone, of all of them when it was run again: nothing is lowered,
    /// copied or written to files in it.
    pub wall: Duration,
    /// Instructions executed by all hardware threads.
    pub instructions: u64,
    /// Counts by mnemonic, when asked for.
    pub stats: Option<Stats>,
    /// Whether groups ran one after the other because the kernel shows in which order they come.
    pub ordered: bool,
    /// Elements that were read beyond the end of a surface, or outside of every buffer where that
    /// is allowed, as zero.
    pub outside_reads: u64,
    /// Elements that were written there, to nowhere.
    pub outside_writes: u64,
}

/// Why a run gives nothing.
#[derive(Clone, Debug)]
pub enum RunError {
    /// The launch cannot be made.
    Launch(Box<Diagnostic>),
    /// A thread did something that it must not. When several did, this is the one in the first
    /// group.
    TrapReport(Box<TrapReport>),
}

impl From<Box<Diagnostic>> for RunError {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Launch(diagnostic)
    }
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Launch(diagnostic) => f.write_str(&diagnostic.one_line()),
            Self::TrapReport(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Launch(_) => None,
            Self::TrapReport(fault) => fault.source(),
        }
    }
}

impl RunError {
    /// The error as a diagnostic about the program's text.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        match self {
            Self::Launch(diagnostic) => (**diagnostic).clone(),
            Self::TrapReport(fault) => program.locate(fault),
        }
    }
}

/// How the groups of a launch run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Side by side; what they touch is noted until buffers are settled.
    Settling,
    /// Side by side; all that they touch is noted.
    Noting,
    /// One after the other.
    InOrder,
}

/// Runs a kernel over a range of work items. The arguments are by index; `None` where the kernel
/// has none.
///
/// The outcome is that of groups that run one after the other: when several that ran side by side
/// turn out to depend on each other's memory, or one of them faults, the launch is run again in
/// order, with a copy of the arguments. [`launch_from`] needs none.
///
/// # Errors
/// When the arguments do not fit the kernel, the kernel needs something that is not supported yet,
/// or a thread faults.
pub fn launch(
    program: &Program,
    range: &NdRange,
    mut arguments: Vec<Option<Argument>>,
    options: &Options<'_>,
) -> Result<Outcome, RunError> {
    let make = |again| Ok(if again { arguments.clone() } else { std::mem::take(&mut arguments) });
    launch_from(program, range, make, options)
}

/// As [`launch`], with a function that makes the arguments, each time the same ones. It is told
/// whether it may be called again.
///
/// # Errors
/// As [`launch`], and when the arguments cannot be made.
pub fn launch_from(
    program: &Program,
    range: &NdRange,
    mut make: impl FnMut(bool) -> Result<Vec<Option<Argument>>, Box<Diagnostic>>,
    options: &Options<'_>,
) -> Result<Outcome, RunError> {
    let refused = |message: String, may: fn(&Platform) -> bool| {
        let finding = Diagnostic::new("launch-platform", Severity::Error, program.file.clone(), message);
        let names: Vec<_> = Platform::emulated_ones().filter(may).map(Platform::name).collect();
        let help = format!("compile the kernel for a platform that has the instruction: {}", names.join(", "));
        Err(Box::new(finding.help(help)).into())
    };
    let name = program.platform.name();
    if !program.platform.emulated() {
        return refused(format!("the emulator does not support {name}"), |_| true);
    }
    if !program.platform.images() && program.info.has_images() {
        return refused(format!("the kernel uses images or samplers, which {name} does not have"), |platform| {
            platform.images()
        });
    }
    understood::check(&program.info)?;
    let private = memory::private_bytes(&program.info, range);
    let workers = if options.is_followed() { 1 } else { affordable(workers(range, options), private, options) };
    let (mut way, mut wall) = (if workers == 1 { Way::InOrder } else { Way::Settling }, Duration::ZERO);
    loop {
        let arguments = make(way != Way::InOrder && !options.any_order)?;
        match attempt(program, range, arguments, options, (workers, way), &mut wall)? {
            Ok(outcome) => return Ok(outcome),
            Err(next) => way = next,
        }
    }
}

/// Runs a launch, or says in which way it has to be run instead.
fn attempt(
    program: &Program,
    range: &NdRange,
    mut arguments: Vec<Option<Argument>>,
    options: &Options<'_>,
    (workers, way): (usize, Way),
    wall: &mut Duration,
) -> Result<Result<Outcome, Way>, RunError> {
    let steps: usize = program.functions.iter().map(|function| function.routine.instructions.len()).sum();
    let steps = (steps + program.routine.instructions.len()) as u64;
    check_memory("the program", SMALL_BYTES + steps.saturating_mul(STEP_BYTES))?;
    let mut mapped = memory::map(program, range, &mut arguments, &options.surroundings)?;
    mapped.memory.outside_is_zero = options.outside_is_zero;
    mapped.memory.whole_pages = options.whole_pages;
    if let Some(poison) = options.poison {
        poison.fill_buffers(mapped.memory.buffers());
    }
    let payload = Payload::new(&program.info, program.payload_layout()?, range, &arguments, &mapped.placement)?;
    drop(arguments);
    // What a thread holds when it stops is asked for as the program has it, also where nothing
    // reads it any more.
    let level = options.engine.level().filter(|_| !options.is_followed() && !options.state);
    let is_native = level.is_some();
    let symbols = &mapped.data.symbols;
    let lower = || lower(program, &payload, symbols, options.interpreter, is_native);
    let nothing = Cache::default();
    // What is kept is made of kernels.
    let cache = options.surroundings.cache.filter(|_| options.interpreter.is_none()).unwrap_or(&nothing);
    let lowered = cache.get(payload.len(), symbols, level, lower)?;
    if is_native && options.engine != Engine::Automatic {
        lowered.compile(options.stats);
    }
    let code = &lowered.code;
    let ordered = code.ordered && !options.any_order;
    let way = if ordered { Way::InOrder } else { way };
    if way != Way::InOrder && !options.any_order {
        mapped.memory.note_all();
    }
    if let Some(observer) = options.observer {
        observer.launch(&watched::launch_map(program, code, &mapped, range));
    }
    let plan = Plan::new(program, &lowered, &payload, range, &mapped, options, is_native)?;
    let group = plan.group_bytes();
    if group > GROUP_BYTES {
        let message = format!("a group needs {group} bytes for its registers and its shared local memory");
        let finding = Diagnostic::new("launch-group", Severity::Error, program.file.clone(), message);
        return Err(Box::new(finding.help(format!("the limit is {GROUP_BYTES} bytes: use smaller groups"))).into());
    }

    let private: u64 = mapped.private.iter().map(|&bytes| bytes as u64).sum();
    let first = options.groups.map_or(0, |(start, _)| start);
    let end = options.end(range);
    let groups = end.saturating_sub(first);
    let is_alone = way == Way::InOrder || lowered.is_small(groups, options.stats);
    let workers = if is_alone { 1 } else { affordable(workers, private.saturating_add(group), options) };
    // Where there is room for one group alone, no other runs beside it.
    let each = private.saturating_add(group).saturating_add(SMALL_BYTES / 4);
    let is_room = |workers: usize| buffer::is_available(each.saturating_mul(workers as u64));
    let workers = if is_room(workers) { workers } else { 1 };
    check_memory("the registers and the private memory of a group", each)?;
    let start = Instant::now();
    let Dispatched { total, fault, traces } = dispatch(&plan, first..end, workers, way, options);
    let is_lost = traces.iter().any(Trace::is_lost);
    let is_race =
        !is_lost && fault.is_none() && way != Way::InOrder && Trace::is_race(&traces, mapped.memory.buffers().len());
    drop(traces);
    lowered.note_size(total.instructions, groups);
    *wall += start.elapsed();
    if !options.any_order && workers > 1 {
        // What groups behind a faulty one have done must not be seen.
        if fault.is_some() || is_race || is_lost && way == Way::Noting {
            return Ok(Err(Way::InOrder));
        }
        if is_lost {
            return Ok(Err(Way::Noting));
        }
    }
    let (printed, failed) = (mapped.printed(), mapped.failed());
    if let Some(mut fault) = fault {
        if let Trap::Exception(said) = &mut fault.trap {
            *said = String::from_utf8_lossy(failed.as_deref().unwrap_or_default()).trim_end().to_owned();
        }
        (fault.printed, fault.buffers) = (printed, mapped.into_contents()?);
        return Err(RunError::TrapReport(fault));
    }
    if let Some(said) = failed {
        let message = format!("an assertion of the kernel failed: {}", String::from_utf8_lossy(&said).trim_end());
        let finding = Diagnostic::new("fault-assert", Severity::Error, program.file.clone(), message);
        return Err(Box::new(finding.help("the text comes from the kernel")).into());
    }
    let stats = options.stats.then(|| Stats::new(program, &lowered, &total, *wall));
    Ok(Ok(Outcome {
        buffers: mapped.into_contents()?,
        printed,
        wall: *wall,
        instructions: total.instructions,
        stats,
        ordered,
        outside_reads: total.outside_reads,
        outside_writes: total.outside_writes,
    }))
}

/// Memory that a launch needs for small things, and for each instruction that is lowered.
const SMALL_BYTES: u64 = 8 << 20;
const STEP_BYTES: u64 = 4 << 10;

/// Fails where that much memory cannot be had: beyond this point small allocations must not fail.
fn check_memory(what: &str, bytes: u64) -> Result<(), Box<Diagnostic>> {
    if buffer::is_available(bytes) { Ok(()) } else { Err(memory::no_memory(what, bytes)) }
}

fn lower(
    program: &Program,
    payload: &Payload,
    symbols: &HashMap<String, u64>,
    interpreter: Option<&dyn Interpreter>,
    records: bool,
) -> Result<CompiledRoutine, Box<Diagnostic>> {
    let functions: Vec<_> = program.functions.iter().map(|function| &function.routine).collect();
    let layouts = layouts(program, payload)?;
    CompiledRoutine::new(&program.routine, &functions, layouts, symbols, interpreter, records)
        .map_err(|message| problem(program, message))
}

/// The places of the variables, of the kernel first.
fn layouts(program: &Program, payload: &Payload) -> Result<Vec<Layout>, Box<Diagnostic>> {
    let payload_bytes = u32::try_from(payload.len()).map_err(|e| problem(program, e.to_string()))?;
    let functions: Vec<_> = program.functions.iter().map(|function| &function.routine).collect();
    Layout::with_functions(&program.routine, &functions, program.platform, payload_bytes)
        .map_err(|message| problem(program, message))
}

/// The routines with the places of their variables, the kernel first.
fn places<'p>(program: &'p Program, payload: &Payload) -> Result<Vec<Places<'p>>, Box<Diagnostic>> {
    let routines = program.functions.iter().map(|function| &function.routine);
    let routines = std::iter::once(&program.routine).chain(routines);
    Ok(routines.zip(layouts(program, payload)?).map(|(routine, layout)| Places { routine, layout }).collect())
}

fn problem(program: &Program, message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("lowering", Severity::Error, program.file.clone(), message))
}

/// The room for groups when nobody says otherwise.
const ROOM: u64 = 32 << 20;

/// How many of so many groups can run at the same time when each has so many bytes for itself; at
/// least one.
fn affordable(workers: usize, bytes: u64, options: &Options<'_>) -> usize {
    let most = usize::try_from(options.room.unwrap_or(ROOM) / bytes.max(1)).unwrap_or(usize::MAX);
    workers.min(most.max(1))
}

/// How many groups run at the same time.
fn workers(range: &NdRange, options: &Options<'_>) -> usize {
    let groups = usize::try_from(range.group_count()).unwrap_or(usize::MAX);
    options.threads.unwrap_or_else(|| *helpers::CORES).clamp(1, groups.max(1))
}
