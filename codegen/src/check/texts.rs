//! Checks the lists of the chapter of assembly text, from which parser and printer of directives
//! work, and the text revisions that templates and spellings name.

use std::collections::BTreeSet;

use crate::model::{Cell, CellValue, Enumerator, List, Model, SourceSpan, template};
use visakit_diag::{Diagnostic, Severity};

/// Lists whose values have distinct spellings.
const SPELLED: [&str; 5] = ["Text_directive", "Declared_class", "Text_key", "Withdrawn_mnemonic", "Withdrawn_mask"];
/// Lists of directives, with the columns of their keys.
const KEYED: [&str; 2] = ["Text_directive", "Declared_class"];
const KEYS: [&str; 3] = ["Leading", "Required", "Optional"];
/// Older spellings, each with the list of the current values.
const OLDER: [[&str; 2]; 2] = [["Older_alignment", "Alignment"], ["Older_mask", "Exec_mask"]];
/// Lists whose values have a form, each with the column and the list of the forms.
const FORMED: [[&str; 3]; 2] = [["Text_directive", "Argument", "Text_argument"], ["Text_key", "Value", "Text_value"]];
/// Column of the content of a value with a form, and of the form.
const CONTENT: &str = "Content";
/// Column with the instruction of a directive.
const INSTRUCTION: &str = "Operands of";
/// Columns of a key with its default value, and of a form with the possible ones.
const DEFAULT: &str = "Default value";
const BOUNDS: [&str; 2] = ["Least", "Most"];
const CODES: &str = "Codes";
/// Braces of blocks.
const MARKS: &str = "Text_mark";
/// Months in which the forms of texts changed.
const REVISIONS: &str = "Text_revision";

pub(super) fn check(model: &Model, out: &mut Vec<Diagnostic>) {
    for name in SPELLED {
        spellings(model, model.shared_values(name).map(|(_, one)| one), out);
    }
    for lists in OLDER {
        // Current spellings first, so that the finding is at the older one.
        let [older, current] = lists.map(|name| model.shared_values(name).map(|(_, one)| one));
        spellings(model, current.chain(older), out);
    }
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
    for [name, column, forms] in FORMED {
        for (list, one) in model.shared_values(name) {
            let Some(cell) = list.cell(one, column) else { continue };
            let Some(form) = model.shared_values(forms).find(|(_, form)| cell.value.is(&form.name)) else { continue };
            contents(model, (list, one), cell, form, out);
            default(model, (list, one), form, out);
        }
    }
    directives(model, out);
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

/// Value of a list, with its list.
type Listed<'m> = (&'m List, &'m Enumerator);

/// Reports a form that cannot be read into the place of a directive or key.
fn contents(
    model: &Model,
    (list, one): Listed<'_>,
    cell: &Cell,
    (forms, form): Listed<'_>,
    out: &mut Vec<Diagnostic>,
) {
    let [wanted, got] = [list.cell(one, CONTENT), forms.cell(form, CONTENT)].map(|cell| cell.map(|cell| &cell.value));
    if let (Some(wanted), Some(got)) = (wanted, got)
        && wanted != got
    {
        let message = format!("`{}` stores {wanted}, but `{}` is read as {got}", one.name, form.name);
        let help = format!("use a form of {} with the {CONTENT} {wanted}", forms.name);
        model.report(Severity::Error, "text-form", cell.at, message, help, out);
    }
}

/// Reports a default value that the form of the key does not have.
fn default(model: &Model, (list, key): Listed<'_>, (forms, form): Listed<'_>, out: &mut Vec<Diagnostic>) {
    let Some(cell) = list.cell(key, DEFAULT).filter(|cell| cell.value != CellValue::None) else { return };
    let number = |cell: &Cell| if let CellValue::Number(number) = cell.value { Some(number) } else { None };
    let bounds = BOUNDS.map(|column| forms.cell(form, column).and_then(number));
    let codes = forms.cell(form, CODES).map(|cell| cell.value.to_string()).filter(|name| name != "-");
    let values = codes.iter().flat_map(|name| model.shared_values(name)).filter(|(_, value)| !value.reserved);
    let types = model.types.iter().filter(|_| codes.as_deref() == Some(TYPES)).map(|ty| ty.code);
    let known: BTreeSet<u64> = values.map(|(_, value)| value.value).chain(types).collect();
    let is_possible = |number: i64| match bounds {
        [Some(least), Some(most)] => (least..=most).contains(&number),
        _ => u64::try_from(number).is_ok_and(|code| known.contains(&code)),
    };
    if !number(cell).is_some_and(is_possible) {
        let (wanted, help) = match (bounds, codes) {
            ([Some(least), Some(most)], _) => {
                (format!("a number from {least} to {most}"), "use such a number, or `-`")
            }
            (_, Some(list)) => (format!("a code of {list}"), "use such a code, or `-`"),
            _ => (format!("a default value: {} has none", form.name), "write `-`"),
        };
        let message = format!("{} is not {wanted}", cell.value);
        model.report(Severity::Error, "text-default", cell.at, message, help, out);
    }
}

/// Reports unknown instructions of directives, unknown lists of forms, and braces that are not a
/// single character.
fn directives(model: &Model, out: &mut Vec<Diagnostic>) {
    let is_page = |name: &str| model.instructions.iter().any(|page| page.name == name);
    let is_list = |name: &str| name == TYPES || model.shared_list(name).is_some();
    let mut unknown = |(name, column), code, what, is_known: &dyn Fn(&str) -> bool| {
        for cell in model.shared_values(name).filter_map(|(list, one)| list.cell(one, column)) {
            let CellValue::Names(names) = &cell.value else { continue };
            for name in names.iter().filter(|name| !is_known(name)) {
                let message = format!("`{name}` is not {what}");
                model.report(Severity::Error, code, cell.at, message, "use a name of the pages, or `-`", out);
            }
        }
    };
    unknown((SPELLED[0], INSTRUCTION), "text-instruction", "an instruction", &is_page);
    unknown((FORMED[1][2], CODES), "text-default", "a list", &is_list);
    for (_, one) in model.shared_values(MARKS).filter(|(_, one)| !(one.text.len() == 1 && one.text.is_ascii())) {
        let message = format!("`{}` is not a brace", one.text);
        model.report(Severity::Error, "text-spelling", one.at, message, "use a single ASCII character", out);
    }
}

/// Table of the data types.
const TYPES: &str = "Data_type";

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
