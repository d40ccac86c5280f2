//! Rules of labels: each label in use must be placed exactly once.

use super::{Location, Severity, Violation};
use crate::isa::{LabelId, LabelKind};
use crate::object::Routine;

/// Page of the rules.
const PAGES: &str = "4_object_format.md#label_info";

pub(super) fn check(routine: &Routine) -> Vec<Violation> {
    let mut out = Vec::new();
    let mut defined = vec![false; routine.labels.len()];
    for (number, instruction) in routine.instructions.iter().enumerate() {
        let Some(label) = instruction.placed_label() else { continue };
        match defined.get_mut(label.0 as usize) {
            Some(seen) if *seen => {
                out.push(violation("label", number, format!("label `{}` is defined twice", name(routine, label))));
            }
            Some(seen) => *seen = true,
            None => {}
        }
    }
    for (number, instruction) in routine.instructions.iter().enumerate() {
        let placed = instruction.placed_label();
        for label in instruction.labels().filter(|label| Some(*label) != placed) {
            let foreign = |kind| matches!(kind, LabelKind::Fccall | LabelKind::Function);
            match (routine.labels.get(label.0 as usize), defined.get(label.0 as usize)) {
                (Some(info), Some(false)) if !foreign(info.kind) => {
                    out.push(violation("label", number, format!("label `{}` is not defined", name(routine, label))));
                }
                (None, _) => out.push(violation("label", number, format!("the routine has no label {}", label.0))),
                _ => {}
            }
        }
    }
    out
}

fn violation(code: &'static str, number: usize, message: String) -> Violation {
    let place = Location::Instruction(number);
    Violation { code, severity: Severity::Error, place, message, page: PAGES.to_owned() }
}

fn name(routine: &Routine, label: LabelId) -> String {
    routine.labels.get(label.0 as usize).and_then(|l| routine.string(l.name_index)).unwrap_or_default()
}
