//! Search for the place of a fact in a page's text, if the model stores only the place of the
//! whole.

use visakit_codegen::model::{Form, Instruction, List, Model, SourceSpan, TypeMap};

/// Returns the line of a property, `**Saturation:** …`; the line of the opcode if the property is
/// absent.
pub(super) fn property(model: &Model, i: &Instruction, name: &str) -> SourceSpan {
    find_line(model, i.at.page, 0, |line| {
        let text = line.trim_start_matches(['-', '*', '+', ' ', '\t']);
        text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
            && text[name.len()..].trim_start().starts_with([':', '*', '{'])
    })
    .unwrap_or(i.at)
}

/// Returns the line that states where an instruction exists: its property, or its line of the
/// index.
pub(super) fn platforms(model: &Model, i: &Instruction) -> SourceSpan {
    let own = property(model, i, "Platforms");
    let line = model.index.iter().find(|line| line.page == page_name(model, i));
    if own == i.at { line.map_or(own, |line| line.at) } else { own }
}

/// Returns the line of the operation's own number, which is the second number in a family.
pub(super) fn opcode(model: &Model, i: &Instruction) -> SourceSpan {
    let second = i.sub_opcode.and_then(|_| find_line(model, i.at.page, i.at.end as usize, |l| l.contains('=')));
    second.unwrap_or(i.at)
}

/// Returns the line that states the kind of a page; the line of the opcode if it is absent.
pub(super) fn kind(model: &Model, i: &Instruction) -> SourceSpan {
    find_line(model, i.at.page, i.at.end as usize, |l| l.trim().starts_with("Kind:")).unwrap_or(i.at)
}

/// Returns the line with the text template of a shared list.
pub(super) fn text(model: &Model, list: &List) -> SourceSpan {
    find_line(model, list.at.page, list.at.start as usize, |l| l.trim().starts_with("Text:")).unwrap_or(list.at)
}

/// Returns the line of a type map that names the types of one side, `Dst` or `Src`.
pub(super) fn type_map(model: &Model, map: &TypeMap, side: &str) -> SourceSpan {
    find_line(model, map.at.page, map.at.start as usize, |l| {
        l.trim_start_matches(['-', '*', '+', ' ', '\t']).starts_with(side)
    })
    .unwrap_or(map.at)
}

/// Returns the list item with the condition of a form, or the heading with its versions; otherwise
/// the table.
pub(super) fn condition(model: &Model, form: &Form) -> SourceSpan {
    let Some(field) = form.condition.as_ref().map(|c| c.of.name.as_str()) else {
        let heading = |line: &str| line.starts_with('#') && line.to_ascii_lowercase().contains("condition");
        return last_line(model, form, heading).filter(|_| !form.versions.0.is_empty()).unwrap_or(form.at);
    };
    let is_item = |line: &str| {
        let text = line.trim_start_matches(['-', '*', '+', ' ', '\t']);
        text.get(..field.len()).is_some_and(|head| head.eq_ignore_ascii_case(field))
            && text[field.len()..].trim_start().starts_with('=')
    };
    last_line(model, form, is_item).unwrap_or(form.at)
}

/// Returns the last line before a form's table for which `accepts` is true.
fn last_line(model: &Model, form: &Form, accepts: impl Fn(&str) -> bool) -> Option<SourceSpan> {
    let mut found = None;
    let mut from = 0;
    while let Some(at) = find_line(model, form.at.page, from, &accepts).filter(|at| at.start < form.at.start) {
        from = at.end as usize;
        found = Some(at);
    }
    found
}

/// Returns the page name of an instruction, without folder and extension.
pub(super) fn page_name<'a>(model: &'a Model, i: &Instruction) -> &'a str {
    model.pages.get(i.at.page as usize).map_or("", |p| p.stem())
}

/// Returns the first line after a place for which `accepts` is true.
fn find_line(model: &Model, page: u32, from: usize, accepts: impl Fn(&str) -> bool) -> Option<SourceSpan> {
    let text = model.pages.get(page as usize)?.text.get(from..)?;
    let mut start = from;
    for line in text.split_inclusive('\n') {
        if accepts(line) {
            let lead = line.len() - line.trim_start().len();
            let place = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            return Some(SourceSpan { page, start: place(start + lead), end: place(start + line.trim_end().len()) });
        }
        start += line.len();
    }
    None
}

/// Returns the cell of the Format table that names a field, and true if the cell is marked as
/// optional.
pub(super) fn cell(model: &Model, form: &Form, field: &str) -> Option<(SourceSpan, bool)> {
    let text = &model.pages.get(form.at.page as usize)?.text;
    let mut start = form.at.start as usize;
    for line in text.get(start..)?.split_inclusive('\n') {
        if !line.trim_start().starts_with('|') && start != form.at.start as usize {
            break;
        }
        let mut at = start;
        for cell in line.split('|') {
            let name = cell.replace(['\\', '*'], "");
            if name.trim().eq_ignore_ascii_case(field) {
                let lead = cell.len() - cell.trim_start().len();
                let place = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
                let found = SourceSpan {
                    page: form.at.page,
                    start: place(at + lead),
                    end: place(at + cell.trim_end().len()),
                };
                return Some((found, cell.contains('*')));
            }
            at += cell.len() + 1;
        }
        start += line.len();
    }
    None
}
