//! Launches: all groups of a range, run again in order where their order matters.

use std::sync::Arc;
use std::time::Duration;

use crate::arguments::no_memory;
use crate::cache::{Cache, Lowered};
use crate::dispatch::{Dispatched, Way, dispatch};
use crate::engine::Engine;
use crate::helpers::{self, Clock};
use crate::limits::GROUP_BYTES;
use crate::lower::{lower, order, ramps};
use crate::memory::{self, LaunchMemory};
use crate::options::{GroupOrder, Options, Outside};
use crate::outcome::{Outcome, RunError};
use crate::plan::Plan;
use crate::program::Program;
use crate::stats::Stats;
use crate::watched;
use visakit::isa::Platform;
use visakit_diag::{Diagnostic, Severity};
use visakit_launch::argument::Argument;
use visakit_launch::payload::{Layout, Payload};
use visakit_launch::range::NdRange;
use visakit_launch::understood;
use visakit_machine::buffer;
use visakit_machine::fault::{Trap, TrapReport};
use visakit_machine::trace::Trace;

/// Runs a kernel over a range of work items. The arguments are by index; `None` where the kernel
/// has no argument.
///
/// The outcome equals that of sequential groups. If parallel groups turn out to depend on each
/// other's memory, or one of them faults, the launch is run again sequentially with a copy of the
/// arguments. [`launch_from`] needs no copy.
///
/// # Errors
/// Arguments that do not fit the kernel, an unsupported feature, or a trap of a thread.
pub fn launch(
    program: &Program,
    range: &NdRange,
    mut arguments: Vec<Option<Argument>>,
    options: &Options<'_>,
) -> Result<Outcome, RunError> {
    let make = |again| Ok(if again { arguments.clone() } else { std::mem::take(&mut arguments) });
    launch_from(program, range, make, options)
}

/// As [`launch`], with a function that creates the arguments, equal on each call. Its parameter is
/// true if it may be called again.
///
/// # Errors
/// As [`launch`], and the error of `make`.
pub fn launch_from(
    program: &Program,
    range: &NdRange,
    mut make: impl FnMut(bool) -> Result<Vec<Option<Argument>>, Box<Diagnostic>>,
    options: &Options<'_>,
) -> Result<Outcome, RunError> {
    let checked = || checked(program);
    let layout = options.surroundings.cache.map_or_else(checked, |cache| cache.layout(checked))?;
    let private = memory::private_bytes(&program.info, range);
    let workers =
        if options.observers.follow_steps() { 1 } else { affordable(workers(range, options), private, options) };
    let (mut way, mut wall) = (if workers == 1 { Way::InOrder } else { Way::Settling }, Duration::ZERO);
    loop {
        let arguments = make(way != Way::InOrder && options.policy.order == GroupOrder::Sequential)?;
        match attempt(program, layout, range, arguments, options, (workers, way), &mut wall)? {
            Ok(outcome) => return Ok(outcome),
            Err(next) => way = next,
        }
    }
}

/// Checks that the program can run, and returns the layout of its payload.
fn checked(program: &Program) -> Result<Layout, Box<Diagnostic>> {
    let refused = |message: String, may: fn(&Platform) -> bool| {
        let finding = Diagnostic::new("launch-platform", Severity::Error, program.file.clone(), message);
        let names: Vec<_> = Platform::emulated_ones().filter(may).map(Platform::name).collect();
        let help = format!("compile the kernel for a platform that has the instruction: {}", names.join(", "));
        Err(Box::new(finding.help(help)))
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
    program.payload_layout()
}

/// Runs a launch. Returns `Err` inside `Ok` if it must be run again in another order.
fn attempt(
    program: &Program,
    layout: Layout,
    range: &NdRange,
    arguments: Vec<Option<Argument>>,
    options: &Options<'_>,
    (workers, way): (usize, Way),
    wall: &mut Duration,
) -> Result<Result<Outcome, Way>, RunError> {
    let mut mapped = map(program, range, arguments, options)?;
    let payload = Payload::new(&program.info, layout, range, &mapped.arguments, &mapped.placement)?;
    let (lowered, is_native) = lowered(program, &payload, range, &mapped, options)?;
    let code = &lowered.code;
    let ordered = code.ordered && options.policy.order == GroupOrder::Sequential;
    let way = if ordered { Way::InOrder } else { way };
    if way != Way::InOrder && options.policy.order == GroupOrder::Sequential {
        mapped.memory.note_all();
    }
    if let Some(observer) = options.observers.accesses {
        observer.launch(&watched::launch_map(program, code, &mapped, range));
    }
    let plan = Plan::new(program, &lowered, &payload, range, &mapped, options, is_native)?;
    let first = options.policy.groups.map_or(0, |(start, _)| start);
    let end = options.policy.end(range);
    let groups = end.saturating_sub(first);
    let workers = workers_with_room(&plan, options, groups, (workers, way))?;
    let start = Clock::start();
    let Dispatched { total, fault, traces } = dispatch(&plan, first..end, workers, way, options);
    let is_lost = traces.iter().any(Trace::is_lost);
    let is_race =
        !is_lost && fault.is_none() && way != Way::InOrder && Trace::is_race(&traces, mapped.memory.buffers().len());
    drop(traces);
    lowered.note_size(total.instructions, groups);
    *wall += start.elapsed();
    if options.policy.order == GroupOrder::Sequential && workers > 1 {
        // Effects of groups after a faulty one must not be visible.
        if fault.is_some() || is_race || is_lost && way == Way::Noting {
            return Ok(Err(Way::InOrder));
        }
        if is_lost {
            return Ok(Err(Way::Noting));
        }
    }
    let stats = options.policy.stats.then(|| Stats::new(program, (&lowered, plan.variant), &total, *wall));
    let outcome = Outcome {
        buffers: Vec::new(),
        printed: Vec::new(),
        wall: *wall,
        instructions: total.instructions,
        stats,
        ordered,
        outside_reads: total.outside_reads,
        outside_writes: total.outside_writes,
    };
    finish(program, mapped, fault, outcome).map(Ok)
}

/// Maps a launch's arguments to memory.
fn map(
    program: &Program,
    range: &NdRange,
    arguments: Vec<Option<Argument>>,
    options: &Options<'_>,
) -> Result<LaunchMemory, Box<Diagnostic>> {
    let steps: usize = program.functions.iter().map(|function| function.routine.instructions.len()).sum();
    let steps = (steps + program.routine.instructions.len()) as u64;
    check_memory("the program", SMALL_BYTES + steps.saturating_mul(STEP_BYTES))?;
    let mut mapped = memory::map(program, range, arguments, &options.surroundings)?;
    mapped.memory.outside_is_zero = options.policy.outside == Outside::Zero;
    mapped.memory.whole_pages = options.policy.outside == Outside::LastPage;
    if let Some(poison) = options.surroundings.poison {
        poison.fill_buffers(mapped.memory.buffers());
    }
    Ok(mapped)
}

/// Returns the lowered program, from the cache if possible, and true if native code is used.
fn lowered(
    program: &Program,
    payload: &Payload,
    range: &NdRange,
    mapped: &LaunchMemory,
    options: &Options<'_>,
) -> Result<(Arc<Lowered>, bool), Box<Diagnostic>> {
    // With a state report, dead variables must keep their values, which native code does not
    // guarantee.
    let level = options.policy.engine.level().filter(|_| !options.observers.follow_steps() && !options.policy.state);
    let is_native = level.is_some();
    let symbols = &mapped.data.symbols;
    let lower = || {
        let code = lower(program, payload, symbols, options.surroundings.interpreter, is_native);
        code.map(|code| (code, ramps(program, payload)))
    };
    let nothing = Cache::default();
    // Only code made of kernels is cached.
    let cache = options.surroundings.cache.filter(|_| options.surroundings.interpreter.is_none()).unwrap_or(&nothing);
    let lowered = cache.get(payload.len(), symbols, level, lower)?;
    if is_native && options.policy.engine != Engine::Automatic {
        lowered.compile(lowered.variant(payload, range, order(program), options.policy.stats));
    }
    Ok((lowered, is_native))
}

/// Returns the number of host threads for `groups` groups, at most `workers`, that memory suffices
/// for.
///
/// # Errors
/// A group that exceeds the limit or the memory.
fn workers_with_room(
    plan: &Plan<'_>,
    options: &Options<'_>,
    groups: u64,
    (workers, way): (usize, Way),
) -> Result<usize, Box<Diagnostic>> {
    let group = plan.group_bytes();
    if group > GROUP_BYTES {
        let message = format!("a group needs {group} bytes for its registers and its shared local memory");
        let finding = Diagnostic::new("launch-group", Severity::Error, plan.program.file.clone(), message);
        return Err(Box::new(finding.help(format!("the limit is {GROUP_BYTES} bytes: use smaller groups"))));
    }
    let private: u64 = plan.mapped.private.iter().map(|&bytes| bytes as u64).sum();
    let is_alone = way == Way::InOrder || plan.lowered.is_small(groups, plan.variant);
    let workers = if is_alone { 1 } else { affordable(workers, private.saturating_add(group), options) };
    // If memory suffices for only one group, groups run sequentially.
    let each = private.saturating_add(group).saturating_add(SMALL_BYTES / 4);
    let is_room = |workers: usize| buffer::is_available(each.saturating_mul(workers as u64));
    let workers = if is_room(workers) { workers } else { 1 };
    check_memory("the registers and the private memory of a group", each)?;
    Ok(workers)
}

/// Returns the outcome with the contents of memory.
///
/// # Errors
/// The fault of a group, or a failed assertion of the kernel.
fn finish(
    program: &Program,
    mapped: LaunchMemory,
    fault: Option<Box<TrapReport>>,
    outcome: Outcome,
) -> Result<Outcome, RunError> {
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
    Ok(Outcome { buffers: mapped.into_contents()?, printed, ..outcome })
}

/// Memory estimates of a launch: a fixed amount, and the amount per lowered instruction.
const SMALL_BYTES: u64 = 8 << 20;
const STEP_BYTES: u64 = 4 << 10;

/// Fails if `bytes` bytes cannot be allocated; small allocations after this check must succeed.
fn check_memory(what: &str, bytes: u64) -> Result<(), Box<Diagnostic>> {
    if buffer::is_available(bytes) { Ok(()) } else { Err(no_memory(what, bytes)) }
}

/// Default limit on the private memory of parallel groups, in bytes.
const ROOM: u64 = 32 << 20;

/// Returns the number of groups, at most `workers` and at least one, that fit the limit with
/// `bytes` bytes each.
fn affordable(workers: usize, bytes: u64, options: &Options<'_>) -> usize {
    let most = usize::try_from(options.policy.room.unwrap_or(ROOM) / bytes.max(1)).unwrap_or(usize::MAX);
    workers.min(most.max(1))
}

/// Returns the number of groups to run in parallel.
fn workers(range: &NdRange, options: &Options<'_>) -> usize {
    let groups = usize::try_from(range.group_count()).unwrap_or(usize::MAX);
    options.policy.threads.unwrap_or_else(|| *helpers::CORES).clamp(1, groups.max(1))
}
