//! Findings and faults as diagnostics.

use visakit_diag::{Diagnostic, Severity};
use visakit_machine::fault::TrapReport;
use visakit_run::program::Item;

use crate::report::Finding;

/// Returns the diagnostics of a finding: the bug itself, then the accesses that belong to it.
/// `located` places a report in a text.
pub fn diagnostics(finding: &Finding, located: &dyn Fn(&TrapReport) -> Diagnostic) -> Vec<Diagnostic> {
    let mut first = located(&finding.report);
    if finding.is_note {
        first.severity = Severity::Note;
    }
    if finding.count > 1 {
        first.message += &format!("; {} times{}", finding.count, others(finding));
    }
    let others = finding.way.iter().chain(finding.other.as_deref());
    let others = others.map(|report| Diagnostic { severity: Severity::Note, ..located(report) });
    std::iter::once(first).chain(others).collect()
}

/// Returns the diagnostics of a fault: the fault, the waiting threads of its group, and the faults
/// of other groups. A fault that `is_explained` by a bug is a note. `located` places a report in a
/// text.
pub fn fault_diagnostics(
    report: &TrapReport,
    located: &dyn Fn(&TrapReport) -> Diagnostic,
    is_explained: &dyn Fn(&TrapReport) -> bool,
) -> Vec<Diagnostic> {
    let mut own = located(report);
    if is_explained(report) {
        own.severity = Severity::Note;
    }
    if report.groups > 1 {
        own.message += &format!("; and {} more groups", report.groups - 1);
    }
    let waiting = report
        .waiting
        .iter()
        .map(|waiting| Diagnostic::new(own.code, Severity::Note, own.file.clone(), format!("{waiting}: waits here")));
    let waiting: Vec<_> = waiting.collect();
    let others = report.others.iter().flat_map(|other| fault_diagnostics(other, located, is_explained));
    std::iter::once(own).chain(waiting).chain(others).collect()
}

/// Lists some other work items with the same bug.
fn others(finding: &Finding) -> String {
    let triple = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
    let item = |item: &Item| {
        let group = if item.group == finding.report.group { "" } else { &format!("group {} ", triple(item.group)) };
        Some(format!("{group}{}", triple(item.local_id?)))
    };
    let items: Vec<_> = finding.items.iter().filter_map(item).collect();
    if items.is_empty() { String::new() } else { format!(", by local id {} too", items.join(", ")) }
}
