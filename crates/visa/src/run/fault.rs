//! Faults for users: at the line of the source if the program records it, otherwise at the line of
//! the kernel's text.

use std::path::{Path, PathBuf};

use serde::Serialize;
use visakit::verify::{self, Location};
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::check::fault_diagnostics;
use visakit_emulator::machine::access::{Miss, MissKind};
use visakit_emulator::machine::fault::{Trap, TrapReport, WaitingThreads};
use visakit_emulator::run::{Program, RunError, ThreadState};

use super::found::Found;

/// Place and thread of a fault, for JSON.
#[derive(Serialize)]
pub(super) struct Fault<'a> {
    kernel: &'a str,
    /// Function that contains the instruction; `None` for the kernel itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    group: [u32; 3],
    local_id: Option<[u32; 3]>,
    thread: u32,
    channel: Option<u32>,
    /// Index of the instruction in its routine.
    instruction: u32,
    /// Instruction in the kernel's text, and its line number.
    text: Option<String>,
    text_line: Option<u32>,
    source_file: Option<&'a str>,
    source_line: Option<u32>,
    /// Text of the source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_text: Option<String>,
    /// Number of groups that stopped at this instruction, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<&'a [WaitingThreads]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a ThreadState>,
}

impl<'a> Fault<'a> {
    /// Creates the report; `located` is the fault as a finding at its line of the kernel's text.
    pub(super) fn new(program: &'a Program, report: &'a TrapReport, located: &Diagnostic) -> Self {
        let function = report.function.and_then(|n| program.functions.get(n));
        Self {
            kernel: &report.kernel,
            function: function.map(|function| function.routine.name()),
            group: report.group,
            local_id: report.local_id,
            thread: report.thread,
            channel: report.channel,
            instruction: report.instruction,
            text: instruction(located).map(str::to_owned),
            text_line: Some(located.line).filter(|&line| line > 0),
            source_file: report.source_file.as_deref(),
            source_line: report.source_line,
            source_text: quoted_source(report, Path::new("")).map(|source| source.line.trim().to_owned()),
            groups: Some(report.groups).filter(|&groups| groups > 1),
            waiting: Some(&*report.waiting).filter(|waiting| !waiting.is_empty()),
            state: report.state.as_deref(),
        }
    }
}

/// Adds advice to a finding of the emulator: the commands and options of this program that help.
pub(super) fn advised(finding: Diagnostic, error: &RunError, program: &Program) -> Diagnostic {
    let advice = match error {
        RunError::TrapReport(report) => match &report.trap {
            Trap::Access(Miss { kind: MissKind::Outside, .. }) => {
                "--outside-is-zero makes such \
             reads return zero and continues"
            }
            Trap::Budget(_) => {
                "--max-instructions raises the limit; if a group waits for a later group, use --any-order"
            }
            Trap::Endless { waits: true, .. } => "with --any-order groups run concurrently",
            Trap::Stub(_) => "`visa diff` lists the instructions without a kernel",
            Trap::Illegal(_) => &broken_rule(program, Some(report)),
            _ => "",
        },
        RunError::Launch(_) if finding.code == "lowering" => &broken_rule(program, None),
        RunError::Launch(_) if finding.code == "launch-unsupported" => "--help lists the forms of arguments",
        RunError::Launch(_) => "",
    };
    let all: Vec<_> = [finding.help.as_str(), advice].into_iter().filter(|text| !text.is_empty()).collect();
    let help = all.join("; ");
    finding.help(help)
}

/// Returns the rule broken by an instruction that cannot be executed, or by a routine that cannot
/// be decoded; empty if no rule is broken.
fn broken_rule(program: &Program, report: Option<&TrapReport>) -> String {
    let function = report.and_then(|report| program.functions.get(report.function?));
    let checked = function.map_or(&program.routine, |function| &function.routine);
    let broken = verify::routine(checked, Some(program.platform)).into_iter().find(|rule| match report {
        Some(report) => rule.place == Location::Instruction(report.instruction as usize),
        None => rule.severity == Severity::Error,
    });
    broken.map_or(String::new(), |rule| format!("`visa verify` reports: {}", rule.message))
}

/// Returns the findings of a fault: the fault, the waiting threads of its group, and the faults of
/// other groups. If a bug was found at the same instruction, or in the program without
/// optimisations, the fault is a note to that bug.
pub(super) fn findings(
    located: Diagnostic,
    report: &TrapReport,
    bugs: &[Found<'_>],
    program: &Program,
    path: &Path,
) -> Vec<Diagnostic> {
    let place = |report: &TrapReport| (report.function, report.instruction);
    let is_explained =
        |report: &TrapReport| bugs.iter().any(|bug| bug.unoptimised || place(&bug.finding.report) == place(report));
    let at = |one: &TrapReport| {
        let located = if std::ptr::eq(one, report) { located.clone() } else { program.locate(one) };
        at_source(located, one, path)
    };
    fault_diagnostics(report, &at, &is_explained)
}

/// Moves a fault to its line of the source. If the source cannot be read, the fault stays at the
/// line of the kernel's text.
pub(super) fn at_source(located: Diagnostic, report: &TrapReport, program: &Path) -> Diagnostic {
    let Some(Source { file, number, line }) = quoted_source(report, program) else { return located };
    // The compiler records an absolute path; the user's own name for the file is shorter.
    let is_program = program.canonicalize().is_ok_and(|path| path == file);
    let shown = if is_program { program.display().to_string() } else { file.display().to_string() };
    let message = match instruction(&located) {
        Some(text) => format!("{}: `{text}`", located.message),
        None => located.message.clone(),
    };
    let (start, end) = (line.len() - line.trim_start().len(), line.trim_end().len());
    Diagnostic::new(located.code, Severity::Error, shown, message)
        .at_line(number, &line, start, end.max(start))
        .help(located.help)
}

/// Line of the source quoted by a fault.
struct Source {
    file: PathBuf,
    number: u32,
    line: String,
}

/// Reads the line of the source: from the file that the compiler recorded, or from a file of that
/// name in the program's folder. The program may have been compiled on another machine.
fn quoted_source(report: &TrapReport, program: &Path) -> Option<Source> {
    let (recorded, number) = (Path::new(report.source_file.as_ref()?), report.source_line?);
    let beside = program.parent().zip(recorded.file_name()).map(|(folder, name)| folder.join(name));
    let found = |file: PathBuf| {
        let line = crate::io::read_text(&file).ok()?.lines().nth(number as usize - 1)?.to_owned();
        Some(Source { file, number, line })
    };
    found(recorded.to_owned()).or_else(|| found(beside?))
}

/// Returns the instruction in the quoted line of a finding, without the comment that holds its
/// number.
fn instruction(located: &Diagnostic) -> Option<&str> {
    let text = located.quote.split("///").next()?.trim();
    (!text.is_empty()).then_some(text)
}
