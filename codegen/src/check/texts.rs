//! Checks the lists of the chapter of assembly text, from which parser and printer of directives
//! work, and the text revisions that templates and spellings name.

use std::collections::BTreeSet;

use crate::model::{CellValue, Enumerator, Model, SourceSpan, template};
use visakit_diag::{Diagnostic, Severity};

/// Lists whose values have distinct spellings.
const SPELLED: [&str; 3] = ["Text_directive", "Declared_class", "Text_key"];
/// Lists of directives, with the columns of their keys.
const KEYED: [&str; 2] = ["Text_directive", "Declared_class"];
const KEYS: [&str; 2] = ["Required", "Optional"];
/// Older spellings, and the list of their current values.
const OLDER: [&str; 2] = ["Older_alignment", "Alignment"];
/// Months in which the forms of texts changed.
const REVISIONS: &str = "Text_revision";
/// Key column with the code of a value, and the form of an alignment.
const DEFAULT: &str = "Default value";
const VALUE: &str = "Value";
const ALIGNMENT: &str = "alignment_value";

pub(super) fn check(model: &Model, out: &mut Vec<Diagnostic>) {
    for name in SPELLED {
        spellings(model, model.shared_values(name).map(|(_, one)| one), out);
    }
    let [older, current] = OLDER.map(|name| model.shared_values(name).map(|(_, one)| one));
    // Current spellings first, so that the finding is at the older one.
    spellings(model, current.chain(older), out);
    for (list, one) in KEYED.iter().flat_map(|name| model.shared_values(name)) {
        let mut seen = BTreeSet::new();
        for cell in KEYS.iter().filter_map(|column| list.cell(one, column)) {
            let CellValue::Names(names) = &cell.value else { continue };
            for name in names.iter().filter(|name| !seen.insert(name.as_str())) {
                let message = format!("`{}` has the key `{name}` twice", one.name);
                let help = "a key is either required or optional, and stands once in a directive";
                model.report(Severity::Error, "text-key", cell.at, message, help, out);
            }
        }
    }
    defaults(model, out);
    revisions(model, out);
}

/// Reports a spelling that an earlier value has.
fn spellings<'m>(model: &Model, values: impl Iterator<Item = &'m Enumerator>, out: &mut Vec<Diagnostic>) {
    let mut seen: Vec<&Enumerator> = Vec::new();
    for one in values.filter(|one| !one.reserved) {
        if let Some(first) = seen.iter().find(|other| other.text == one.text) {
            let message = format!("`{}` is spelled as `{}`: {}", one.name, first.name, one.text);
            let help = "the parser finds only the first: give each its own spelling";
            model.report(Severity::Error, "text-spelling", one.at, message, help, out);
        }
        seen.push(one);
    }
}

/// Reports a default alignment that the list of alignments does not have.
fn defaults(model: &Model, out: &mut Vec<Diagnostic>) {
    let known: BTreeSet<u64> =
        model.shared_values(OLDER[1]).filter(|(_, v)| !v.reserved).map(|(_, v)| v.value).collect();
    for (list, key) in model.shared_values(SPELLED[2]) {
        let form = list.cell(key, VALUE).map(|cell| &cell.value);
        let Some(cell) = list.cell(key, DEFAULT).filter(|_| form == Some(&CellValue::Names(vec![ALIGNMENT.into()])))
        else {
            continue;
        };
        let code = if let CellValue::Number(code) = cell.value { u64::try_from(code).ok() } else { None };
        if cell.value != CellValue::None && !code.is_some_and(|code| known.contains(&code)) {
            let message = format!("{} is not the code of an alignment", cell.value);
            let help = format!("use a code of {}, or `-`", OLDER[1]);
            model.report(Severity::Error, "text-default", cell.at, message, help, out);
        }
    }
}

/// Reports text revisions that the chapter does not list.
fn revisions(model: &Model, out: &mut Vec<Diagnostic>) {
    let known: BTreeSet<u64> = model.shared_values(REVISIONS).map(|(_, one)| one.value).collect();
    if known.is_empty() {
        return;
    }
    let mut named: Vec<(u32, SourceSpan)> = Vec::new();
    for text in model.instructions.iter().flat_map(|page| &page.text) {
        named.extend(text.template.since.into_iter().chain(text.template.before).map(|month| (month, text.at)));
    }
    for column in model.lists.iter().flat_map(|list| &list.columns) {
        named.extend(column.name.rsplit(' ').next().and_then(template::revision).map(|month| (month, column.at)));
    }
    for (month, at) in named.into_iter().filter(|(month, _)| !known.contains(&u64::from(*month))) {
        let message = format!("{month} is not a text revision");
        let help = format!("add the month to {REVISIONS}, or use one of its months");
        model.report(Severity::Error, "text-revision", at, message, help, out);
    }
}
