//! Launches: checks of sizes, conversion of arguments, and reports of faults.

use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use opencl_sys::*;
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::check::{self, Checks};
use visakit_emulator::launch::argument::Argument as Given;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::buffer::Lent;
use visakit_emulator::run::{self, GroupOrder, Options, Outside, Policy, RunError, Surroundings};

use crate::base::environment::ENVIRONMENT;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::Handle;
use crate::base::say::say;
use crate::base::storage::Storage;
use crate::commands::{record, report};
use crate::devices::device::{self, Device};
use crate::programs::binary::{Binary, Entry};
use crate::programs::kernel::{Argument, Kernel};
use crate::queues::queue::Queue;
use crate::queues::schedule::Task;

/// Enqueued launch.
struct Launch {
    kernel: Handle<Kernel>,
    device: Handle<Device>,
    binary: Arc<Binary>,
    entry: Arc<Entry>,
    range: NdRange,
    arguments: Vec<Option<Argument>>,
    regions: Arc<Vec<(u64, Lent)>>,
}

/// Creates the task that launches a kernel, with the current arguments and the current shared
/// memory.
pub(crate) fn task(
    queue: &Handle<Queue>,
    kernel: &Handle<Kernel>,
    kind: cl_command_type,
    global: &[usize],
    local: Option<&[usize]>,
    offset: Option<&[usize]>,
) -> Result<Task> {
    ensure(Arc::ptr_eq(&kernel.program.context, &queue.context), CL_INVALID_CONTEXT)?;
    let (binary, entry) = kernel.entry(&queue.device).ok_or(Code(CL_INVALID_PROGRAM_EXECUTABLE))?;
    let arguments = kernel.snapshot()?;
    let Some(range) = sizes(&queue.device, binary, entry, global, local, offset)? else {
        // An empty range is not an error.
        return Ok(Task::new(kind, || Ok(())));
    };
    let local_bytes =
        arguments.iter().flatten().fold(u64::from(entry.info.execution_env.slm_size), |sum, argument| {
            if let Argument::Local(bytes) = argument { sum.saturating_add(*bytes as u64) } else { sum }
        });
    ensure(local_bytes <= queue.device.local_bytes, CL_OUT_OF_RESOURCES)?;
    let launch = Launch {
        kernel: Arc::clone(kernel),
        device: Arc::clone(&queue.device),
        binary: Arc::clone(binary),
        entry: Arc::clone(entry),
        range,
        arguments,
        regions: queue.context.allocations.regions(),
    };
    Ok(Task::new(kind, move || launch.run()))
}

/// Checks that the global sizes and offsets fit into 32 bits.
pub(crate) fn check_range(global: &[usize], offset: Option<&[usize]>) -> Result {
    ensure((1..=3).contains(&global.len()), CL_INVALID_WORK_DIMENSION)?;
    let most = u32::MAX as usize;
    ensure(global.iter().all(|&side| side <= most), CL_INVALID_GLOBAL_WORK_SIZE)?;
    let fits = |(side, offset): (&usize, &usize)| side.checked_add(*offset).is_some_and(|end| end <= most);
    ensure(offset.is_none_or(|offset| global.iter().zip(offset).all(fits)), CL_INVALID_GLOBAL_OFFSET)
}

/// Returns the range of a launch; `None` if a side is zero.
fn sizes(
    device: &Device,
    binary: &Binary,
    entry: &Entry,
    global: &[usize],
    local: Option<&[usize]>,
    offset: Option<&[usize]>,
) -> Result<Option<NdRange>> {
    check_range(global, offset)?;
    let long = |sizes: &[usize]| sizes.iter().map(|&side| side as u64).collect::<Vec<_>>();
    let (global, offset) = (long(global), offset.map(long));
    let required = entry.info.execution_env.required_work_group_size;
    let local = match local {
        None => None,
        Some(local) => {
            let items = local.iter().try_fold(1_usize, |items, &side| items.checked_mul(side));
            ensure(local.iter().all(|&side| side <= device.max_group), CL_INVALID_WORK_ITEM_SIZE)?;
            ensure(items.is_some_and(|items| (1..=device.max_group).contains(&items)), CL_INVALID_WORK_GROUP_SIZE)?;
            let local = long(local);
            let divides = global.iter().zip(&local).all(|(global, local)| global.is_multiple_of(*local));
            ensure(divides || !binary.is_uniform, CL_INVALID_WORK_GROUP_SIZE)?;
            let same = |(n, side): (usize, &u64)| u64::from(required[n].max(1)) == *side;
            ensure(required[0] == 0 || local.iter().enumerate().all(same), CL_INVALID_WORK_GROUP_SIZE)?;
            Some(local)
        }
    };
    if global.contains(&0) {
        return Ok(None);
    }
    let divides = global.iter().zip(required).all(|(global, side)| global.is_multiple_of(side.max(1).into()));
    ensure(required[0] == 0 || divides || !binary.is_uniform, CL_INVALID_WORK_GROUP_SIZE)?;
    let range = NdRange::new(&global, local.as_deref(), offset.as_deref(), required);
    range.map(Some).map_err(|_| Code(CL_INVALID_WORK_GROUP_SIZE))
}

impl Launch {
    fn run(&self) -> Result {
        let name = &self.kernel.name;
        let program = self.entry.code(&self.binary, self.device.target).map_err(|why| {
            say(&format!("kernel `{name}`: {why}"));
            Code(CL_OUT_OF_RESOURCES)
        })?;
        let globals = self.binary.globals().ok_or(Code(CL_OUT_OF_RESOURCES))?;
        let arguments = self.given()?;
        if let Some(folder) = &ENVIRONMENT.record {
            let zebin = (self.binary.bytes.as_slice(), self.device.target);
            record::launch(folder, zebin, &program.info, &self.range, &arguments, &self.regions);
        }
        let all: Vec<(u64, Lent)>;
        // In checked programs, group copies write to marker addresses.
        let marks = ENVIRONMENT.checks.map(|_| check::marks());
        let regions = match (globals.regions.as_slice(), self.regions.as_slice(), marks) {
            (own, [], None) => own,
            ([], shared, None) => shared,
            (own, shared, marks) => {
                all = own.iter().chain(shared).cloned().chain(marks).collect();
                &all
            }
        };
        let policy = Policy {
            threads: Some(if ENVIRONMENT.ordered { 1 } else { self.device.threads }),
            // The order of groups is undefined, as on a device: programs that share memory without
            // atomic operations may depend on it.
            order: GroupOrder::any_if(!ENVIRONMENT.ordered),
            outside: Outside::LastPage,
            engine: ENVIRONMENT.engine,
            stats: ENVIRONMENT.stats,
            // Models the memory of a graphics card. Kernels with much unrolling need some 100 MiB
            // per group.
            room: Some(device::memory_bytes() / 4),
            ..Policy::default()
        };
        let surroundings = Surroundings {
            regions,
            data: Some(&globals.places),
            cache: Some(&self.entry.cache),
            ..Surroundings::default()
        };
        let options = Options { policy, surroundings, ..Options::default() };
        if let Some(checks) = ENVIRONMENT.checks {
            look_for_bugs(program, &self.range, &arguments, &options, checks);
        }
        match run::launch(program, &self.range, arguments, &options) {
            Ok(outcome) => {
                print(&outcome.printed);
                if let Some(stats) = &outcome.stats {
                    let groups = self.range.group_count();
                    let target = self.device.target.name();
                    let threads = self.device.threads;
                    say(&format!(
                        "kernel `{name}` on {target}: {groups} groups on {threads} threads\n{}",
                        stats.table()
                    ));
                }
                Ok(())
            }
            Err(error) => {
                if let RunError::TrapReport(trap) = &error {
                    print(&trap.printed);
                    report::fault(program, trap);
                }
                let finding = error.diagnostic(program);
                let mut text = format!("kernel `{name}`: {}", finding.one_line());
                if !finding.quote.is_empty() {
                    text += &format!("\n    {}", finding.quote.trim());
                }
                say(&text);
                fail(CL_OUT_OF_RESOURCES)
            }
        }
    }

    /// Converts the arguments for the emulator, without copying memory.
    fn given(&self) -> Result<Vec<Option<Given>>> {
        let mut given = Vec::with_capacity(self.arguments.len());
        for (index, argument) in self.arguments.iter().enumerate() {
            given.push(Some(match argument {
                None => {
                    given.push(None);
                    continue;
                }
                Some(Argument::Value(bytes)) => Given::Value(bytes.clone()),
                Some(Argument::Local(bytes)) => {
                    Given::Local(u32::try_from(*bytes).map_err(|_| Code(CL_OUT_OF_RESOURCES))?)
                }
                Some(Argument::Sampler(sampler)) => Given::Sampler(sampler.settings()),
                Some(Argument::Mem(None)) => Given::Pointer(0),
                Some(Argument::Mem(Some(mem))) => {
                    let is_same = |other: &Option<Argument>| match other {
                        Some(Argument::Mem(Some(other))) => Arc::ptr_eq(other, mem),
                        _ => false,
                    };
                    let before = self.arguments[..index].iter().position(is_same);
                    let lent = mem.storage.lend(mem.offset, mem.bytes);
                    match (before, mem.texels) {
                        (Some(before), _) => Given::Same(before as u32),
                        (None, Some(texels)) => Given::LentImage(lent, texels.argument()),
                        (None, None) if mem.parent.is_some() && mem.storage.slot().is_none() => {
                            let whole = mem.storage.lend(0, usize::MAX);
                            Given::Part { part: lent, whole, offset: mem.offset as u64 }
                        }
                        (None, None) => Given::Lent(lent, mem.storage.slot().map(|slot| slot + mem.offset as u64)),
                    }
                }
                Some(Argument::Address(address)) => Given::Pointer(*address),
            }));
        }
        Ok(given)
    }
}

/// Checks a launch in copies of its memory and prints the bugs found.
fn look_for_bugs(
    program: &run::Program,
    range: &NdRange,
    arguments: &[Option<Given>],
    options: &Options<'_>,
    checks: Checks,
) {
    // A check on the original memory would modify it, and a check without some of the memory would
    // report false bugs.
    let is_whole = Cell::new(true);
    let copy = |lent: &Lent| {
        copy(lent).unwrap_or_else(|| {
            is_whole.set(false);
            Lent::for_good(&[])
        })
    };
    let copied = |given: &Given| match given {
        Given::Lent(lent, address) => Given::Lent(copy(lent), *address),
        // An access outside a sub-buffer is a bug.
        Given::Part { part, .. } => Given::Lent(copy(part), None),
        Given::LentImage(lent, image) => Given::LentImage(copy(lent), image.clone()),
        other => other.clone(),
    };
    let unchecked = || {
        let message = "the copies that a check needs cannot be allocated";
        Box::new(Diagnostic::new("check-memory", Severity::Error, "launch", message))
    };
    let make = || {
        let copies = arguments.iter().map(|argument| argument.as_ref().map(copied)).collect();
        if is_whole.get() { Ok(copies) } else { Err(unchecked()) }
    };
    let own = options.surroundings.regions.iter().filter(|(at, _)| *at != check::marks().0);
    let regions: Vec<_> = own.map(|(at, lent)| (*at, copy(lent))).collect();
    if !is_whole.get() {
        say(&format!("kernel `{}` is not checked: {}", program.info.name, unchecked().one_line()));
        return;
    }
    let surroundings = Surroundings { regions: &regions, ..options.surroundings };
    // A failed launch or a fault is reported by the actual launch.
    let Ok(checked) = check::check(program, range, make, &Options { surroundings, ..*options }, checks) else {
        if !is_whole.get() {
            say(&format!("kernel `{}` is not checked: {}", program.info.name, unchecked().one_line()));
        }
        return;
    };
    for finding in checked.findings {
        report::bug(program, &finding);
        let word = if finding.is_note { "note: " } else { "" };
        say(&format!("kernel `{}`: {word}{}", program.info.name, program.locate(&finding.report).one_line()));
        if let Some(other) = finding.other {
            say(&format!("    the other access: {}", program.locate(&other).one_line()));
        }
    }
}

/// Copies memory; returns `None` if the copy does not fit.
fn copy(lent: &Lent) -> Option<Lent> {
    let storage = Storage::new(lent.bytes)?;
    let copy = storage.lend(0, usize::MAX);
    for (to, from) in copy.words.iter().zip(lent.words) {
        to.store(from.load(Relaxed), Relaxed);
    }
    Some(copy)
}

/// Prints the output of kernels.
fn print(bytes: &[u8]) {
    if !bytes.is_empty() {
        let mut out = std::io::stdout().lock();
        // Standard output may be closed.
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }
}
