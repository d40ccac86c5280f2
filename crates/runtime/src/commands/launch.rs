//! Launches: the run of a kernel, its checks and recording, and reports of faults.

use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use visakit::isa::Platform;
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::check::{self, Checks};
use visakit_emulator::launch::argument::Argument as Given;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::buffer::Lent;
use visakit_emulator::machine::memory::Regions;
use visakit_emulator::run::{self, GroupOrder, Options, Outside, Policy, RunError, Surroundings};

use crate::base::environment::ENVIRONMENT;
use crate::base::failure::Failure;
use crate::base::say::say;
use crate::base::storage::Storage;
use crate::commands::{record, report};
use crate::devices::{description, system};
use crate::programs::binary::{Binary, Entry};

/// Launch of a kernel. It can run several times.
pub struct Launch {
    /// Name of the kernel.
    pub name: String,
    /// Platform of the device.
    pub target: Platform,
    /// Number of host threads.
    pub threads: usize,
    /// Program of the kernel.
    pub binary: Arc<Binary>,
    /// Kernel.
    pub entry: Arc<Entry>,
    /// Sizes.
    pub range: NdRange,
    /// Memory that kernels and the program share, by address.
    pub regions: Vec<Arc<Regions>>,
}

impl Launch {
    /// Runs the kernel with arguments, prints its output and reports faults.
    ///
    /// # Errors
    /// `OutOfResources` if the kernel cannot be run or has a fault.
    pub fn run(&self, arguments: Vec<Option<Given>>) -> Result<(), Failure> {
        let name = &self.name;
        let program = self.entry.code(&self.binary, self.target).map_err(|why| {
            say(&format!("kernel `{name}`: {why}"));
            Failure::OutOfResources
        })?;
        let globals = self.binary.globals().ok_or(Failure::OutOfResources)?;
        if let Some(folder) = &ENVIRONMENT.record {
            let zebin = (self.binary.bytes.as_slice(), self.target);
            record::launch(folder, zebin, &program.info, &self.range, &arguments, &self.regions);
        }
        let mut regions: Vec<_> = globals.regions.iter().chain(&self.regions).cloned().collect();
        if ENVIRONMENT.system_memory {
            regions.push(Arc::new(Regions::new(system::regions())));
        } else if ENVIRONMENT.checks.is_some() {
            // Group copies write to marker addresses.
            regions.push(Arc::new(Regions::new([check::marks()])));
        }
        let policy = Policy {
            threads: Some(if ENVIRONMENT.ordered { 1 } else { self.threads }),
            // The order of groups is undefined, as on a device: programs that share memory without
            // atomic operations may depend on it.
            order: GroupOrder::any_if(!ENVIRONMENT.ordered),
            outside: Outside::LastPage,
            engine: ENVIRONMENT.engine,
            stats: ENVIRONMENT.stats,
            // Models the memory of a graphics card. Kernels with much unrolling need some 100 MiB
            // per group.
            room: Some(description::memory_bytes() / 4),
            ..Policy::default()
        };
        let surroundings = Surroundings {
            regions: &regions,
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
                    let target = self.target.name();
                    let threads = self.threads;
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
                Err(Failure::OutOfResources)
            }
        }
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
    let own = options.surroundings.regions.iter().flat_map(|regions| regions.all());
    let own = own.filter(|(at, _)| *at != check::marks().0);
    let regions = [Arc::new(Regions::new(own.map(|(at, lent)| (*at, copy(lent)))))];
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
    for range in lent.readable() {
        let words = copy.words.get(range.clone())?.iter().zip(lent.words.get(range)?);
        words.for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
    }
    Some(Lent { guards: lent.guards.clone(), ..copy })
}

/// Prints the output of kernels.
fn print(bytes: &[u8]) {
    if !bytes.is_empty() {
        let mut out = std::io::stdout().lock();
        // Standard output may be closed.
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }
}
