//! Report of bugs for programs: a file to which each bug and each fault is appended as a line of
//! JSON (`VISAKIT_REPORT`).

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use visakit_diag::Severity;
use visakit_emulator::check::Finding;
use visakit_emulator::machine::fault::TrapReport;
use visakit_emulator::run::Program;

use crate::base::environment::ENVIRONMENT;
use crate::base::say::say;

/// Reports a bug that a check found, with the other places that belong to it.
pub fn bug(program: &Program, finding: &Finding) {
    let Some(path) = &ENVIRONMENT.report else { return };
    let severity = if finding.is_note { Severity::Note } else { Severity::Error };
    let related = finding.way.iter().chain(finding.other.as_deref());
    let related: Vec<Value> = related.map(|report| line(program, report, Severity::Note)).collect();
    let mut line = line(program, &finding.report, severity);
    line["count"] = json!(finding.count);
    line["memory"] = json!(finding.place);
    line["related"] = json!(related);
    append(path, &line);
}

/// Reports a fault.
pub fn fault(program: &Program, report: &TrapReport) {
    if let Some(path) = &ENVIRONMENT.report {
        append(path, &line(program, report, Severity::Error));
    }
}

/// Returns a trap as JSON, at its line of the source if the program records it.
fn line(program: &Program, report: &TrapReport, severity: Severity) -> Value {
    let finding = program.locate(report);
    let instruction = finding.quote.split("///").next().map(str::trim).filter(|text| !text.is_empty());
    let text = Some(finding.line).filter(|&line| line > 0);
    let (file, line, column) = match (&report.source_file, report.source_line) {
        (Some(file), Some(line)) => (file, Some(line), None),
        _ => (&finding.file, text, text.map(|_| finding.column)),
    };
    json!({
        "code": finding.code,
        "severity": severity,
        "message": finding.message,
        "kernel": report.kernel,
        "file": file,
        "line": line,
        "column": column,
        "help": finding.help,
        "group": report.group,
        "local_id": report.local_id,
        "instruction": instruction,
        "text_line": text,
    })
}

/// Appends a line with one write, so that lines of several threads and processes do not mix.
fn append(path: &Path, line: &Value) {
    let text = format!("{line}\n");
    let written =
        OpenOptions::new().create(true).append(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        say(&format!("VISAKIT_REPORT={}: {error}", path.display()));
    }
}
