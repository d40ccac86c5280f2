//! Checks of the rows of verification.md: the instructions, groups and checks exist, and the names
//! in conditions are defined for each instruction.

use std::collections::BTreeSet;

use super::availability;
use crate::model::semantics::{Expression, ExpressionKind};
use crate::model::{Acceptance, Concern, Constraint, FieldKind, IndexKind, Instruction, Model, SourceSpan};
use crate::semantics::{self, lower, lower_accepted, row};
use crate::suggest;
use visakit_diag::{Diagnostic, Severity};

/// If an overlay supplies the page, it may name instructions that the documents do not have.
pub(super) fn check(model: &Model, out: &mut Vec<Diagnostic>) {
    let rows = model.accepted.iter().map(|a| (&a.name, &a.instructions, a.platforms.as_slice(), a.at));
    let rows = rows.chain(model.constraints.iter().map(|c| (&c.name, &c.instructions, c.platforms.as_slice(), c.at)));
    let rows = rows.map(|row| (row, Severity::Warning));
    // Code depends on the members of a group.
    let groups = model.groups.iter().map(|g| ((&g.name, &g.instructions, [].as_slice(), g.at), Severity::Error));
    for ((name, instructions, platforms, at), severity) in rows.chain(groups) {
        for marks in platforms {
            availability::check(model, marks, at, out);
        }
        let unknown = instructions.0.iter().filter(|term| term.name.to.is_none());
        for term in unknown.filter(|_| is_own(model, at) && model.files.is_some()) {
            let message = format!("row `{name}` names {}, which is no instruction and no earlier group", term.name);
            let help = "add the page or the group, or remove the name";
            model.report(severity, "rule-dead", at, message, help, out);
        }
    }
    if model.files.is_some() {
        labels(model, out);
    }
    let mut said = BTreeSet::new();
    for constraint in model.constraints.iter().filter(|c| is_own(model, c.at)) {
        conditions(model, constraint, &mut said, out);
    }
    for row in model.accepted.iter().filter(|a| is_own(model, a.at)) {
        accepted(model, row, &mut said, out);
    }
    if model.files.is_some() {
        unused(model, out);
    }
}

/// Groups of the instructions that name labels, of which each such instruction has exactly one.
const OF_LABELS: &str = "block-start, subroutine-start, channel-branch, thread-branch, subroutine-call";

/// Checks that an instruction with a label is in one of the groups for labels, so that control flow
/// is known.
fn labels(model: &Model, out: &mut Vec<Diagnostic>) {
    let names_label = |page: &Instruction| {
        page.forms.iter().flat_map(|form| &form.fields).any(|f| f.shape == FieldKind::Index(IndexKind::Label))
    };
    let of_labels = |page| {
        let groups = model.groups.iter().filter(|g| OF_LABELS.split(", ").any(|name| g.name == name));
        groups.filter(|g| model.covers(&g.instructions, page)).count()
    };
    for page in model.instructions.iter().filter(|page| names_label(page) && of_labels(page) != 1) {
        let message = format!("{} names a label, but is not in exactly one group of control flow", page.name);
        let help = format!("add it to one of the groups {OF_LABELS} of roles.md");
        model.report(Severity::Error, "group-missing", page.at, message, help, out);
    }
}

fn is_own(model: &Model, at: SourceSpan) -> bool {
    model.pages.get(at.page as usize).is_some_and(|p| !p.supplied)
}

/// Checks that a row's conditions are valid on every page that the row names, and that they apply
/// to a form of each page.
fn conditions(
    model: &Model,
    constraint: &Constraint,
    said: &mut BTreeSet<(SourceSpan, String)>,
    out: &mut Vec<Diagnostic>,
) {
    for page in model.instructions.iter().filter(|i| model.covers(&constraint.instructions, i)) {
        let row = row(model, constraint, page);
        for problem in &row.problems {
            // Report a faulty definition once, even if several rows use it.
            let message = format!("on {}: {}", page.name, problem.message);
            if said.insert((problem.at, problem.message.clone())) {
                model.report(Severity::Error, problem.code, problem.at, message, problem.help.clone(), out);
            }
        }
        // A group may contain instructions to which the row does not apply.
        let is_named = constraint.instructions.0.iter().any(|term| !term.excluded && term.name.name == page.name);
        let applies = |form| lower(model, page, form, &row).is_some();
        if row.problems.is_empty() && is_named && !page.forms.iter().any(applies) {
            let message = format!("rule `{}` cannot apply to {}", constraint.name, page.name);
            let help = "no form of the instruction has all the fields that the rule needs: \
             change the rule, or remove the name";
            model.report(Severity::Warning, "rule-dead", constraint.at, message, help, out);
        }
        for definition in &model.definitions {
            let same =
                page.forms.iter().flat_map(|f| &f.fields).any(|f| f.name.eq_ignore_ascii_case(&definition.name));
            let is_builtin = model.rule_builtins.iter().any(|b| b.name == definition.name);
            if (same || is_builtin) && said.insert((definition.at, page.name.clone())) {
                let what = if same { format!("a field of {}", page.name) } else { "a built-in".to_owned() };
                let message = format!("`{}` is already {what}", definition.name);
                model.report(Severity::Error, "rule-syntax", definition.at, message, "choose another name", out);
            }
        }
    }
}

/// Checks that an acceptance names a check, and that its condition is valid on every page.
fn accepted(model: &Model, row: &Acceptance, said: &mut BTreeSet<(SourceSpan, String)>, out: &mut Vec<Diagnostic>) {
    let Some(check) = row.check.to.and_then(|at| model.checks.get(at)) else {
        let message = format!("row `{}` names the check {}, which does not exist", row.name, row.check);
        let help = suggest::help(&row.check.name, model.checks.iter().map(|c| c.name.as_str()), || {
            "name a check of the table of checks".to_owned()
        });
        model.report(Severity::Error, "rule-syntax", row.at, message, help, out);
        return;
    };
    if !row.each.is_empty() && check.concern != Concern::Operand {
        let message = format!("row `{}` has operands under `Each`, but its check concerns none", row.name);
        model.report(Severity::Error, "rule-syntax", row.at, message, "leave `Each` empty", out);
    }
    for page in model.instructions.iter().filter(|i| model.covers(&row.instructions, i)) {
        let (when, problems) = semantics::accepted(model, row, page);
        let is_sound = problems.is_empty();
        for problem in problems {
            let message = format!("on {}: {}", page.name, problem.message);
            if said.insert((problem.at, problem.message)) {
                model.report(Severity::Error, problem.code, problem.at, message, problem.help, out);
            }
        }
        if let Some(when) = when.filter(|_| is_sound && !page.forms.is_empty())
            && lower_accepted(model, page, &when).is_none()
            && said.insert((row.at, row.name.clone()))
        {
            let message = format!("the condition of row `{}` depends on a field", row.name);
            let help = "use operands and built-ins only, or write a row of conditions";
            model.report(Severity::Error, "rule-syntax", row.at, message, help, out);
        }
    }
}

/// Reports definitions and built-ins that no row uses.
fn unused(model: &Model, out: &mut Vec<Diagnostic>) {
    let mut used = BTreeSet::new();
    for row in &model.accepted {
        row.when.iter().for_each(|e| names(e, &mut used));
    }
    for constraint in &model.constraints {
        constraint.when.iter().chain([&constraint.must]).for_each(|e| names(e, &mut used));
    }
    // Only later definitions can use a definition, so go backwards.
    for definition in model.definitions.iter().rev() {
        if used.contains(definition.name.as_str()) {
            names(&definition.value, &mut used);
        } else if is_own(model, definition.at) {
            let message = format!("no row uses the definition `{}`", definition.name);
            model.report(Severity::Warning, "rule-dead", definition.at, message, "use it, or remove it", out);
        }
    }
    for builtin in model.rule_builtins.iter().filter(|b| is_own(model, b.at) && !used.contains(b.name.as_str())) {
        let message = format!("no row uses the built-in `{}`", builtin.name);
        model.report(Severity::Warning, "rule-dead", builtin.at, message, "use it, or remove it from the table", out);
    }
}

/// Collects the names of definitions and built-ins in an expression.
fn names<'m>(e: &'m Expression, used: &mut BTreeSet<&'m str>) {
    match &e.kind {
        ExpressionKind::Name { name, .. } => drop(used.insert(name)),
        ExpressionKind::Call(call) => drop(used.insert(&call.function.text)),
        _ => {}
    }
    e.parts().into_iter().for_each(|part| names(part, used));
}
