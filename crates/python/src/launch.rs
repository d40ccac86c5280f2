//! Launches of programs: runs, checks and traces.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Value, json};
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::check::{self, Checked, Checks};
use visakit_emulator::launch::argument::{self, Argument};
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::launch::spec::{self, ArgKey, ArgSpec, ImageSpec, Pixels};
use visakit_emulator::machine::fault::TrapReport;
use visakit_emulator::machine::format::Format;
use visakit_emulator::run::{self, Engine, GroupOrder, Observers, Options, Outside, Policy, RunError, Tracing};

use crate::error::{Finding, findings, raise, raised, wrong};
use crate::program::Program;

/// Contents of an argument.
#[derive(FromPyObject)]
enum Given {
    /// Text as on the command line of `visa run`.
    Text(String),
    /// Bytes of a buffer or a value.
    Bytes(PyBackedBytes),
    /// An image: format, size and texels.
    Image(String, [u32; 3], PyBackedBytes),
}

/// Options of a launch.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Settings {
    threads: Option<usize>,
    engine: Option<String>,
    any_order: bool,
    outside_is_zero: bool,
    max_instructions: Option<u64>,
    stats: bool,
}

/// Requested observation of a launch.
enum Observed {
    Nothing,
    Checks(Checks),
    Items(Vec<[u32; 3]>),
}

/// A launch with all inputs.
struct Launch<'a> {
    program: &'a run::Program,
    range: NdRange,
    arguments: Vec<(ArgKey, ArgSpec)>,
    policy: Policy,
}

#[pymethods]
impl Program {
    /// Runs the kernel. `arguments` are pairs of an index or a name and the contents.
    #[pyo3(signature = (arguments, global_size, local_size, offset, settings, checks = None, items = None))]
    #[expect(clippy::too_many_arguments, reason = "the Python layer passes all of them")]
    fn launch<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<(String, Given)>,
        global_size: Vec<u64>,
        local_size: Option<Vec<u64>>,
        offset: Option<Vec<u64>>,
        settings: Settings,
        checks: Option<&str>,
        items: Option<Vec<[u32; 3]>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let fail = |finding: Box<Diagnostic>| raise(py, *finding);
        let program = &self.program;
        let required = program.required_local_size();
        let range = NdRange::new(&global_size, local_size.as_deref(), offset.as_deref(), required).map_err(fail)?;
        let arguments = arguments.into_iter().map(specified).collect::<Result<Vec<_>, _>>().map_err(fail)?;
        let observed = match (checks, items) {
            (Some(list), _) => Observed::Checks(Checks::parse(list).map_err(|e| fail(e.in_option("checks", list)))?),
            (None, Some(items)) => Observed::Items(items),
            (None, None) => Observed::Nothing,
        };
        let launch = Launch { program, range, arguments, policy: policy(settings).map_err(fail)? };
        let (checked, steps) =
            py.detach(|| launch.run(&observed)).map_err(|error| raised(py, &[error.diagnostic(program)]))?;
        launch.result(py, checked, steps, &observed)
    }
}

/// Returns the size in bytes of a texel of an image format; `None` for an unknown format.
#[pyfunction]
pub(crate) fn texel_bytes(format: &str) -> Option<usize> {
    Format::from_name(format).map(Format::bytes)
}

/// Converts an argument to its specification.
fn specified((key, given): (String, Given)) -> Result<(ArgKey, ArgSpec), Box<Diagnostic>> {
    let parsed = ArgKey::parse(&key).ok_or_else(|| {
        let message = format!("`{key}` is not the index or name of an argument");
        Box::new(wrong("argument-key", "args", message, "give the index in the kernel, from 0, or the name"))
    })?;
    let spec = match given {
        Given::Text(text) => spec::parse(&text).map_err(|error| error.in_option(&format!("args[{key}]"), &text))?,
        Given::Bytes(bytes) => ArgSpec::Bytes(bytes.to_vec()),
        Given::Image(format, size, texels) => {
            let pixels = Pixels::Bytes(texels.to_vec());
            ArgSpec::Image(ImageSpec { format, size: Some(size), levels: 1, samples: 1, pixels })
        }
    };
    Ok((parsed, spec))
}

fn policy(settings: Settings) -> Result<Policy, Box<Diagnostic>> {
    let engine = settings.engine.map(|name| name.parse::<Engine>().map_err(|e| e.in_option("engine", &name)));
    Ok(Policy {
        engine: engine.transpose()?.unwrap_or_default(),
        threads: settings.threads,
        order: GroupOrder::any_if(settings.any_order),
        outside: Outside::zero_if(settings.outside_is_zero),
        max_instructions: settings.max_instructions,
        stats: settings.stats,
        ..Policy::default()
    })
}

impl Launch<'_> {
    fn make(&self) -> Result<Vec<Option<Argument>>, Box<Diagnostic>> {
        argument::resolve(&self.program.parameters(), &self.arguments)
    }

    /// Runs the launch. Returns its result and the traced steps: as text, and as JSON.
    fn run(&self, observed: &Observed) -> Result<(Checked, Vec<(String, String)>), RunError> {
        let options = Options { policy: self.policy, ..Options::default() };
        let steps = Mutex::new(Vec::new());
        let each = |step: run::TracedStep| {
            let text = serde_json::to_string(&step).unwrap_or_default();
            let mut all = steps.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            all.push((step.to_string(), text));
        };
        let make = || self.make();
        // Wrong arguments are errors of the launch, not of its first run.
        let mut first = Some(make()?);
        let mut make_next = || first.take().map_or_else(make, Ok);
        let checked = match observed {
            Observed::Checks(checks) => check::check(self.program, &self.range, make_next, &options, *checks)?,
            Observed::Items(items) => {
                self.contains(items)?;
                let observers = Observers { trace: Some(Tracing { items, each: &each }), ..Observers::default() };
                let options = Options { observers, ..options };
                let result = run::launch_from(self.program, &self.range, |_| make_next(), &options);
                Checked { result, findings: Vec::new() }
            }
            Observed::Nothing => {
                let result = run::launch_from(self.program, &self.range, |_| make_next(), &options);
                Checked { result, findings: Vec::new() }
            }
        };
        Ok((checked, steps.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)))
    }

    /// Checks that the traced work items are part of the launch.
    fn contains(&self, items: &[[u32; 3]]) -> Result<(), Box<Diagnostic>> {
        let global = self.range.global;
        let Some([x, y, z]) = items.iter().find(|item| (0..3).any(|d| item[d] >= global[d])) else { return Ok(()) };
        let message = format!("there is no work item ({x}, {y}, {z})");
        let [x, y, z] = global;
        let help = format!("the launch has {x} x {y} x {z} work items, counted from 0");
        Err(Box::new(wrong("trace-item", "items", message, &help)))
    }

    /// Returns the result as a dictionary.
    fn result<'py>(
        &self,
        py: Python<'py>,
        checked: Checked,
        steps: Vec<(String, String)>,
        observed: &Observed,
    ) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        out.set_item("steps", steps)?;
        out.set_item("bugs", self.bugs(&checked))?;
        match checked.result {
            Ok(outcome) => {
                let buffers = outcome.buffers.iter().map(|bytes| bytes.as_ref().map(|b| PyBytes::new(py, b)));
                out.set_item("buffers", buffers.collect::<Vec<_>>())?;
                out.set_item("printed", String::from_utf8_lossy(&outcome.printed))?;
                out.set_item("instructions", outcome.instructions)?;
                out.set_item("ordered", outcome.ordered)?;
                out.set_item("outside_reads", outcome.outside_reads)?;
                out.set_item("outside_writes", outcome.outside_writes)?;
                let stats = outcome.stats.map(|stats| serde_json::to_string(&stats).unwrap_or_default());
                out.set_item("stats", stats)?;
                Ok(out)
            }
            // A check reports the fault with the bugs, and a trace shows the steps that led to it.
            Err(error) if !matches!(observed, Observed::Nothing) => {
                if let RunError::TrapReport(report) = &error {
                    out.set_item("fault", (self.located(report, Severity::Error), self.detail(report).to_string()))?;
                    out.set_item("printed", String::from_utf8_lossy(&report.printed))?;
                    return Ok(out);
                }
                Err(raised(py, &[error.diagnostic(self.program)]))
            }
            Err(RunError::TrapReport(report)) => Err(self.trap(py, &report)?),
            Err(error) => Err(raised(py, &[error.diagnostic(self.program)])),
        }
    }

    /// Returns the exception for a trap, with the kernel's output until then.
    fn trap(&self, py: Python<'_>, report: &TrapReport) -> PyResult<PyErr> {
        let error = raised(py, &[source_place(self.program.locate(report), report)]);
        error.value(py).setattr("printed", String::from_utf8_lossy(&report.printed))?;
        error.value(py).setattr("_detail", self.detail(report).to_string())?;
        Ok(error)
    }

    fn located(&self, report: &TrapReport, severity: Severity) -> Finding {
        let finding = source_place(self.program.locate(report), report);
        findings(&[Diagnostic { severity, ..finding }]).remove(0)
    }

    /// Returns the bugs: each with its details as JSON, and with the conflicting access and the
    /// places that an uninitialised value passed.
    fn bugs(&self, checked: &Checked) -> Vec<(Finding, String, Vec<Finding>)> {
        let bug = |found: &check::Finding| {
            let severity = if found.is_note { Severity::Note } else { Severity::Error };
            let behind = found.way.iter().chain(found.other.as_deref());
            let behind = behind.map(|report| self.located(report, Severity::Note)).collect();
            let mut detail = self.detail(&found.report);
            detail["count"] = json!(found.count);
            detail["memory"] = json!(found.place);
            detail["items"] = json!(found.items);
            (self.located(&found.report, severity), detail.to_string(), behind)
        };
        checked.findings.iter().map(bug).collect()
    }

    /// Returns where and in which work item a trap happened.
    fn detail(&self, report: &TrapReport) -> Value {
        let at = self.program.locate(report);
        let text = at.quote.split("///").next().map(str::trim).filter(|text| !text.is_empty());
        json!({
            "kernel": report.kernel,
            "group": report.group,
            "local_id": report.local_id,
            "thread": report.thread,
            "instruction": report.instruction,
            "text": text,
            "text_line": Some(at.line).filter(|&line| line > 0),
        })
    }
}

/// Moves a finding to its line of the source, if the program records it.
fn source_place(located: Diagnostic, report: &TrapReport) -> Diagnostic {
    let (Some(file), Some(line)) = (&report.source_file, report.source_line) else { return located };
    let quote = std::fs::read_to_string(file).ok();
    let quote = quote.as_ref().and_then(|text| text.lines().nth(line as usize - 1)).unwrap_or_default();
    let (start, end) = (quote.len() - quote.trim_start().len(), quote.trim_end().len());
    let text = located.quote.split("///").next().unwrap_or_default().trim();
    let message = if text.is_empty() { located.message } else { format!("{}: `{text}`", located.message) };
    Diagnostic::new(located.code, Severity::Error, file.clone(), message)
        .at_line(line, quote, start, end.max(start))
        .help(located.help)
}
