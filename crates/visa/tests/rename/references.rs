//! References to names in the grammar of the pages: tables, conditions, phrases, templates, links
//! and expressions.

use std::ops::Range;

use visakit_codegen::model::{ListId, ListKind};

use super::names::{Kind, Names, Owner};

/// Returns the trimmed cells of a table row as ranges of the page; the row begins at `from`.
pub(crate) fn cells(row: &str, from: usize) -> Vec<Range<usize>> {
    let mut bars: Vec<usize> =
        row.match_indices('|').map(|(i, _)| i).filter(|&i| !row[..i].ends_with('\\')).collect();
    if row.trim_end().ends_with('|') {
        bars.dedup();
    } else {
        bars.push(row.len());
    }
    bars.windows(2)
        .map(|w| {
            let cell = &row[w[0] + 1..w[1]];
            let lead = cell.len() - cell.trim_start().len();
            let start = from + w[0] + 1 + if cell.trim().is_empty() { cell.len().min(1) } else { lead };
            start..start + cell.trim().len()
        })
        .collect()
}

/// Returns the lines of the table with a row at this position.
pub(crate) fn table(text: &str, row: usize) -> Vec<Range<usize>> {
    let all: Vec<_> = lines(text).collect();
    let is_row = |line: &Range<usize>| text[line.clone()].trim_start().starts_with('|');
    let own = all.iter().position(|line| line.contains(&row)).unwrap_or(0);
    let first = (0..=own).rev().take_while(|&i| is_row(&all[i])).last().unwrap_or(own);
    all[first..].iter().take_while(|line| is_row(line)).cloned().collect()
}

/// Returns the column titles of the table with a row at this position.
pub(crate) fn head(text: &str, row: usize) -> Vec<&str> {
    let Some(head) = table(text, row).into_iter().next() else { return Vec::new() };
    cells(&text[head.clone()], head.start).into_iter().map(|cell| &text[cell]).collect()
}

fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at - line.len()..*at)
    })
}

/// Returns the words in a range: letters, digits, `_` and the characters in `more`. Text in braces
/// is a mark and is skipped.
fn words(text: &str, range: Range<usize>, more: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut open, mut braces) = (None, 0);
    for (i, c) in text[range.clone()].char_indices().chain([(range.len(), ' ')]) {
        let i = range.start + i;
        braces += i32::from(c == '{') - i32::from(c == '}');
        let inside = (c.is_ascii_alphanumeric() || c == '_' || more.contains(c)) && braces == 0;
        match open {
            None if inside => open = Some(i),
            Some(start) if !inside => {
                out.push(start..i);
                open = None;
            }
            _ => {}
        }
    }
    out
}

/// Returns the rest of the sentence after a phrase.
fn after(text: &str, range: Range<usize>, phrase: &str) -> Option<Range<usize>> {
    let start =
        range.start + text[range.clone()].to_ascii_lowercase().find(&phrase.to_ascii_lowercase())? + phrase.len();
    let rest = &text[start..range.end];
    let end = rest
        .char_indices()
        .find(|&(i, c)| c == '\n' || (c == '.' && rest[i + 1..].chars().next().is_none_or(char::is_whitespace)));
    Some(start..start + end.map_or(rest.len(), |(i, _)| i))
}

/// Adds all references on a page.
pub(crate) fn of_page(names: &mut Names<'_>, page: u32) {
    let text = names.text(page);
    let is_instruction = names.instruction(page).is_some();
    let (mut section, mut form, mut fence) = ("", None, false);
    let (mut structure, mut list) = (None, None);
    let mut block = 0..0;
    for line in lines(text) {
        let trimmed = text[line.clone()].trim();
        links(names, page, line.clone());
        if trimmed.starts_with("```") {
            fence = !fence;
            if fence {
                block = line.end..line.end;
            } else if is_instruction && section == "Semantics" {
                semantics(names, page, block.clone());
            }
            continue;
        }
        block.end = line.end;
        if !fence && let Some(title) = trimmed.strip_prefix('#') {
            let title = title.trim_start_matches('#').trim();
            let level = trimmed.len() - trimmed.trim_start_matches('#').len();
            if level <= 2 {
                (section, form) = (title, None);
            } else if is_instruction {
                form = title.strip_prefix("CONDITION").map(|name| name.split('{').next().unwrap_or("").trim());
            }
            structure = names.model.structures.iter().position(|s| s.name == title && !is_instruction);
            let name = title.split('(').next().unwrap_or(title);
            list = names.model.shared_list(name).filter(|id| names.model.list(*id).at.page == page);
            if list.is_some() {
                let start = line.start + text[line.clone()].find(name).unwrap_or(0);
                names.refer(Kind::Lists, Owner::Model, page, start..start + name.len());
            }
            continue;
        }
        if is_instruction {
            of_instruction(names, page, line, section, form, fence);
        } else if let Some(id) = structure {
            of_structure(names, page, line, id, fence);
        } else if let Some(id) = list.filter(|_| trimmed.starts_with("Text:")) {
            template(names, page, line, |names, field, _| {
                names.refer(Kind::Parts, Owner::List(id), page, field);
            });
        } else if trimmed.starts_with('|') {
            of_table(names, page, line);
        }
    }
}

/// Adds links to shared lists.
fn links(names: &mut Names<'_>, page: u32, line: Range<usize>) {
    let text = names.text(page);
    for (i, _) in text[line.clone()].match_indices('#') {
        let start = line.start + i + 1;
        let len = text[start..line.end].find(')').unwrap_or(0);
        let opened = text[line.start..start].rfind("](").map(|open| &text[line.start + open + 2..start - 1]);
        let Some(target) = opened else { continue };
        let file = target.rsplit('/').next().unwrap_or_default();
        let on_target = |of: u32| match file {
            "" => of == page,
            file => names.model.pages[of as usize].path == file,
        };
        let mut lists = names.model.lists.iter().filter(|list| list.shared && on_target(list.at.page));
        if lists.any(|list| list.name.eq_ignore_ascii_case(&text[start..start + len])) {
            names.refer(Kind::Lists, Owner::Model, page, start..start + len);
        }
    }
}

fn of_instruction(
    names: &mut Names<'_>,
    page: u32,
    line: Range<usize>,
    section: &str,
    form: Option<&str>,
    fence: bool,
) {
    let text = names.text(page);
    let owner = Owner::Page(page);
    let trimmed = text[line.clone()].trim();
    match section {
        "Format" if trimmed.starts_with('|') => {
            for cell in cells(&text[line.clone()], line.start) {
                let name = text[cell.clone()].trim_end_matches("\\*").trim_end();
                names.refer(Kind::Fields, owner, page, cell.start..cell.start + name.len());
            }
        }
        "Format" | "Text" if !fence && trimmed.starts_with("- ") => {
            condition(names, page, line, form.filter(|_| section == "Format"));
        }
        "Description" if !fence => {
            if let Some(open) = trimmed.find("**").filter(|_| trimmed.starts_with("- ")) {
                let start = line.start + text[line.clone()].find("**").unwrap_or(open) + 2;
                let end = start + text[start..line.end].find('(').unwrap_or(0);
                names.refer(Kind::Fields, owner, page, start..end);
                phrases(names, page, end..line.end, &text[start..end], form);
            }
        }
        "Text" if fence => template(names, page, line, |names, field, part| {
            let instruction = names.instruction(page).expect("the page of an instruction");
            let name = &text[field.clone()];
            // Every template calls the predicate by this name.
            let before = text[..field.start].trim_end_matches('<');
            if !(name.eq_ignore_ascii_case("pred") && before.ends_with("[(")) {
                names.refer(Kind::Fields, owner, page, field.clone());
            }
            for id in names.lists(instruction, None, name) {
                if let Some(part) = &part {
                    names.refer(Kind::Parts, Owner::List(id), page, part.clone());
                }
            }
        }),
        _ => {}
    }
}

/// Calls `found` for the fields of a template: `<Field.part:format>`.
fn template<'m>(
    names: &mut Names<'m>,
    page: u32,
    line: Range<usize>,
    mut found: impl FnMut(&mut Names<'m>, Range<usize>, Option<Range<usize>>),
) {
    let text = names.text(page);
    let mut at = line.start;
    while let Some(open) = text[at..line.end].find('<').map(|i| at + i) {
        let Some(close) = text[open..line.end].find('>').map(|i| open + i) else { return };
        at = open + 1;
        if text[..open].ends_with('\\') {
            continue;
        }
        at = close + 1;
        let inner = &text[open + 1..close];
        let name = open + 1..open + 1 + inner.find(':').unwrap_or(inner.len());
        match text[name.clone()].find('.') {
            Some(dot) => found(names, name.start..name.start + dot, Some(name.start + dot + 1..name.end)),
            None => found(names, name, None),
        }
    }
}

/// Adds the references of `Field=a, b` or `Field.part=a, b`, up to the end of the range.
fn condition(names: &mut Names<'_>, page: u32, range: Range<usize>, form: Option<&str>) {
    let text = names.text(page);
    let Some(equals) = text[range.clone()].find('=').map(|i| range.start + i) else { return };
    let Some(selector) = words(text, range.start..equals, ".").pop() else { return };
    let instruction = names.instruction(page).expect("the page of an instruction");
    let (field, part) = split(text, selector);
    names.refer(Kind::Fields, Owner::Page(page), page, field.clone());
    for list in names.lists(instruction, form, &text[field]) {
        let mut lists = vec![list];
        if let Some(part) = &part {
            names.refer(Kind::Parts, Owner::List(list), page, part.clone());
            lists = names.part_lists(list, &text[part.clone()]);
        }
        values(names, page, equals + 1..range.end, &lists);
    }
}

fn split(text: &str, path: Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    match text[path.clone()].find('.') {
        Some(dot) => (path.start..path.start + dot, Some(path.start + dot + 1..path.end)),
        None => (path, None),
    }
}

/// Adds values of lists, separated by commas. In a list of parts, the values belong to the only
/// part with named values.
fn values(names: &mut Names<'_>, page: u32, range: Range<usize>, lists: &[ListId]) {
    let text = names.text(page);
    for word in words(text, range, "+-/.") {
        for &id in lists {
            let parts = match &names.model.list(id).kind {
                ListKind::Parts(parts) => parts.iter().flat_map(|p| names.part_lists(id, &p.name)).collect(),
                ListKind::Enumeration { .. } => vec![id],
            };
            for id in parts {
                names.refer(Kind::Enumerators, Owner::List(id), page, word.clone());
            }
        }
    }
}

/// Adds the names in the phrases of a field's description.
fn phrases(names: &mut Names<'_>, page: u32, range: Range<usize>, field: &str, form: Option<&str>) {
    let text = names.text(page);
    let instruction = names.instruction(page).expect("the page of an instruction");
    for phrase in ["present only if ", " if "] {
        if let Some(rest) = after(text, range.clone(), phrase).filter(|r| text[r.clone()].contains('=')) {
            condition(names, page, rest, None);
        }
    }
    for phrase in ["copy of ", "repeated ", "index by "] {
        if let Some(rest) = after(text, range.clone(), phrase)
            && let Some(word) = words(text, rest, ".").into_iter().next()
        {
            let (other, part) = split(text, word);
            names.refer(Kind::Fields, Owner::Page(page), page, other.clone());
            for list in names.lists(instruction, form, &text[other]) {
                if let Some(part) = &part {
                    names.refer(Kind::Parts, Owner::List(list), page, part.clone());
                }
            }
        }
    }
    let mut from = range.start;
    while let Some(rest) = after(text, from..range.end, "only ") {
        from = rest.start;
        let Some(colon) = text[rest.clone()].find(':').map(|i| rest.start + i) else { continue };
        let part = rest.start..colon;
        for list in names.lists(instruction, form, field) {
            if names.refer(Kind::Parts, Owner::List(list), page, part.clone())
                || !names.part_lists(list, &text[part.clone()]).is_empty()
            {
                let lists = names.part_lists(list, &text[part.clone()]);
                values(names, page, colon + 1..rest.end, &lists);
            }
        }
    }
    if let Some(rest) = after(text, range.clone(), "operand class:") {
        let lists: Vec<ListId> = names.model.shared_list("Operand_class").into_iter().collect();
        values(names, page, rest, &lists);
    }
    if let Some(rest) = after(text, range, "only: ") {
        let lists = names.lists(instruction, form, field);
        values(names, page, rest, &lists);
    }
}

/// Adds the names in a line of a structure's declaration, or of the list below it.
fn of_structure(names: &mut Names<'_>, page: u32, line: Range<usize>, id: usize, fence: bool) {
    let text = names.text(page);
    let owner = Owner::Structure(id);
    let structure = &names.model.structures[id];
    if fence {
        if let Some(rest) = after(text, line.clone(), "operand_class =") {
            let lists: Vec<ListId> = names.model.shared_list("Operand_class").into_iter().collect();
            values(names, page, rest, &lists);
        }
        let Some(end) = text[line.clone()].find(';').map(|i| line.start + i) else { return };
        // `TYPE name[count];`: a member may have the name of a structure's type.
        for word in words(text, line.start..end, "").into_iter().skip(1) {
            names.refer(Kind::Members, owner, page, word);
        }
        if let Some(rest) = after(text, end..line.end, "present only if ")
            && let Some(word) = words(text, rest, "").into_iter().next()
        {
            names.refer(Kind::Members, owner, page, word);
        }
    } else if text[line.clone()].starts_with("- **") {
        let start = line.start + 4;
        let end = start + text[start..line.end].find(':').unwrap_or(0);
        names.refer(Kind::Members, owner, page, start..end);
        if let Some(rest) = after(text, end..line.end, "index by ")
            && let Some(word) = words(text, rest, ".").into_iter().next()
        {
            let (member, part) = split(text, word);
            names.refer(Kind::Members, owner, page, member.clone());
            let shape = structure.members.iter().find(|m| m.name == text[member.clone()]).map(|m| m.shape);
            if let (Some(part), Some(visakit_codegen::model::FieldKind::List(list))) = (part, shape) {
                names.refer(Kind::Parts, Owner::List(list), page, part);
            }
        }
    }
}

/// Adds the names in a table row of a chapter: expressions in back-ticks, and cells of columns that
/// link to a list.
fn of_table(names: &mut Names<'_>, page: u32, line: Range<usize>) {
    let text = names.text(page);
    let head = head(text, line.start);
    let row = cells(&text[line.clone()], line.start);
    if names.model.pages[page as usize].path == "verification.md" {
        let column = |title: &str| head.iter().position(|h| *h == title).and_then(|at| row.get(at)).cloned();
        let of_row: Vec<String> = column("Instructions")
            .map_or(Vec::new(), |cell| words(text, cell, "").into_iter().map(|w| text[w].to_owned()).collect());
        let of_row: Vec<u32> = names
            .model
            .instructions
            .iter()
            .filter(|i| column("Definition").is_some() || of_row.contains(&i.name))
            .map(|i| i.at.page)
            .collect();
        for title in ["When", "Must", "Value"] {
            if let Some(cell) = column(title).filter(|cell| text[cell.clone()].starts_with('`')) {
                expression(names, page, cell, &of_row, &["exec_size".to_owned()]);
            }
        }
        return;
    }
    for (title, cell) in head.iter().zip(row) {
        let list = title.split_once("lists.md#").or(title.split_once("(#")).map(|(_, a)| a.trim_end_matches(')'));
        if let Some(id) = list.and_then(|name| names.model.shared_list(name)) {
            values(names, page, cell, &[id]);
        }
    }
}

/// Adds the names in a Semantics section; local names are not fields.
fn semantics(names: &mut Names<'_>, page: u32, block: Range<usize>) {
    let text = names.text(page);
    let all = words(text, block.clone(), "");
    let local = all.windows(2).filter(|w| matches!(&text[w[0].clone()], "let" | "for" | "channels"));
    let local: Vec<String> = local.map(|w| text[w[1].clone()].to_owned()).collect();
    // Braces are not marks here.
    let mut at = block.start;
    for line in text[block].split_inclusive(['\n', '{', '}']) {
        expression(names, page, at..at + line.len(), &[page], &local);
        at += line.len();
    }
}

/// Adds the names in an expression: paths of words that begin with a list, a field or a predefined
/// variable.
fn expression(names: &mut Names<'_>, page: u32, range: Range<usize>, pages: &[u32], local: &[String]) {
    let text = names.text(page);
    let range = range.start..range.end.min(range.start + text[range.clone()].trim_end_matches(['{', '}']).len());
    let mut all = words(text, range, "%").into_iter().peekable();
    while let Some(first) = all.next() {
        let mut rest = Vec::new();
        let mut end = first.end;
        while let Some(next) = all.next_if(|next| next.start == end + 1 && text[end..].starts_with('.')) {
            end = next.end;
            rest.push(next);
        }
        let head = &text[first.clone()];
        if head.starts_with('%') {
            names.refer(Kind::Predefined, Owner::Model, page, first);
            continue;
        }
        if text[end..].starts_with('(') || head.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let mut lists = Vec::new();
        if !rest.is_empty()
            && let Some(id) = names.model.shared_list(head).filter(|id| names.model.list(*id).name == head)
        {
            names.refer(Kind::Lists, Owner::Model, page, first);
            lists.push(id);
        } else if !local.iter().any(|name| name == head) {
            for &owner in pages {
                names.refer(Kind::Fields, Owner::Page(owner), page, first.clone());
                let Some(instruction) = names.instruction(owner) else { continue };
                lists.extend(names.lists(instruction, None, head));
            }
        }
        for word in rest {
            let mut inner = Vec::new();
            for &id in &lists {
                names.refer(Kind::Enumerators, Owner::List(id), page, word.clone());
                names.refer(Kind::Parts, Owner::List(id), page, word.clone());
                inner.extend(names.part_lists(id, &text[word.clone()]));
            }
            lists = inner;
        }
    }
}
