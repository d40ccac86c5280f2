//! Names of the pages with all their occurrences as facts, and pages with some names changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use visakit_codegen::model::{
    BitFieldKind, Enumerator, FieldKind, Instruction, ListId, ListKind, MemberType, Model, SourceSpan,
};

use super::references;

/// Kind of a name. One kind is renamed at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Values of lists.
    Enumerators,
    /// Fields of instructions.
    Fields,
    /// Parts of bit fields.
    Parts,
    /// Shared lists.
    Lists,
    /// Members of the object format's structures.
    Members,
    /// Predefined variables, surfaces and samplers.
    Predefined,
}

impl Kind {
    /// All kinds.
    pub(crate) const ALL: [Self; 6] =
        [Self::Enumerators, Self::Fields, Self::Parts, Self::Lists, Self::Members, Self::Predefined];
}

/// Owner of names; two owners may have equal names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// List.
    List(ListId),
    /// Instruction, by its page.
    Page(u32),
    /// Structure, by its index in the model.
    Structure(usize),
    /// All lists, or all tables of predefined names.
    Model,
}

/// Replacement of a piece of a page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    pub(crate) page: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

/// Name that can be changed, at its definition and all references.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) kind: Kind,
    /// Name of the list, instruction or structure that owns the name.
    pub(crate) owner: String,
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) edits: BTreeSet<Edit>,
}

/// All names, with the spellings that keep their texts.
pub(crate) struct Names<'m> {
    pub(crate) model: &'m Model,
    pub(crate) all: Vec<Name>,
    /// Quoted spellings for values and flags without one, so that texts stay the same.
    spellings: BTreeSet<Edit>,
    by_key: HashMap<(Kind, Owner, String), usize>,
}

/// Changes a name so that the change is visible in every generated form. The suffix `Dst` of a
/// field is a fact of the grammar: it marks a written field.
pub(crate) fn changed(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if lower.ends_with("dst") && !lower.starts_with("dst") { format!("zq_{name}") } else { format!("{name}_zq") }
}

/// Removes the changes from a text, whatever form the names have in it.
pub(crate) fn unchanged(text: &str) -> String {
    ["_zq", "zq_", "_ZQ", "ZQ_", "Zq", "zq"].iter().fold(text.to_owned(), |text, tag| text.replace(tag, ""))
}

impl<'m> Names<'m> {
    /// Collects the names of a specification.
    pub(crate) fn of(model: &'m Model) -> Self {
        let mut out = Self { model, all: Vec::new(), spellings: BTreeSet::new(), by_key: HashMap::new() };
        for (id, list) in model.lists.iter().enumerate() {
            // Lists of parts have the names of their owners.
            if list.shared && out.text(list.at.page).contains(&format!("## {}(", list.name)) {
                out.add(Kind::Lists, Owner::Model, "", &list.name, None);
            }
            out.add_list(ListId(id), &list.name, &list.kind);
        }
        // A list spelled out on a page has the names of the shared list.
        for spelled in &model.spelled {
            if let Some(id) = out.list_at(spelled.at) {
                out.add_list(id, &model.list(id).name, &spelled.kind);
            }
        }
        for i in &model.instructions {
            for field in i.forms.iter().flat_map(|form| &form.fields) {
                out.add(Kind::Fields, Owner::Page(i.at.page), &i.name, &field.name, None);
            }
        }
        for (id, structure) in model.structures.iter().enumerate() {
            for member in &structure.members {
                // The contents of these members depend on their names.
                let by_name = |t: &MemberType| {
                    matches!(t, MemberType::Info | MemberType::Instructions | MemberType::StringPool)
                };
                if !member.storage.iter().any(|(_, t)| by_name(t)) {
                    out.add(Kind::Members, Owner::Structure(id), &structure.name, &member.name, None);
                }
            }
        }
        out.add_predefined();
        for page in 0..model.pages.len() {
            references::of_page(&mut out, page as u32);
        }
        out
    }

    /// Returns the instruction of a page.
    pub(crate) fn instruction(&self, page: u32) -> Option<&'m Instruction> {
        self.model.instructions.iter().find(|i| i.at.page == page)
    }

    /// Returns the text of a page.
    pub(crate) fn text(&self, page: u32) -> &'m str {
        &self.model.pages[page as usize].text
    }

    /// Returns the lists of an instruction's field in all its forms.
    pub(crate) fn lists(&self, instruction: &Instruction, form: Option<&str>, field: &str) -> Vec<ListId> {
        let forms = instruction.forms.iter().filter(|f| form.is_none_or(|name| name.is_empty() || f.name == name));
        let fields = forms.flat_map(|form| &form.fields).filter(|f| f.name.eq_ignore_ascii_case(field));
        fields.filter_map(|f| if let FieldKind::List(id) = f.shape { Some(id) } else { None }).collect()
    }

    /// Returns the lists of a part of a bit field.
    pub(crate) fn part_lists(&self, list: ListId, part: &str) -> Vec<ListId> {
        let ListKind::Parts(parts) = &self.model.list(list).kind else { return Vec::new() };
        let parts = parts.iter().filter(|p| p.name.eq_ignore_ascii_case(part));
        parts.filter_map(|p| if let BitFieldKind::Enumeration(id) = p.kind { Some(id) } else { None }).collect()
    }

    /// Adds a reference to a name, in any case. Returns false if no such name exists.
    pub(crate) fn refer(&mut self, kind: Kind, owner: Owner, page: u32, at: Range<usize>) -> bool {
        let word = &self.text(page)[at.clone()];
        let Some(&index) = self.by_key.get(&(kind, owner, word.to_ascii_lowercase())) else { return false };
        let name = &mut self.all[index];
        let text = if kind == Kind::Predefined { name.new.clone() } else { changed(word) };
        name.edits.insert(Edit { page, start: at.start, end: at.end, text });
        true
    }

    fn add(&mut self, kind: Kind, owner: Owner, owner_name: &str, name: &str, new: Option<String>) {
        let next = self.all.len();
        let index = *self.by_key.entry((kind, owner, name.to_ascii_lowercase())).or_insert(next);
        if index == next {
            let (owner, old) = (owner_name.to_owned(), name.to_owned());
            let new = new.unwrap_or_else(|| changed(name));
            self.all.push(Name { kind, owner, old, new, edits: BTreeSet::new() });
        }
    }

    fn add_list(&mut self, id: ListId, name: &str, kind: &ListKind) {
        match kind {
            ListKind::Enumeration { values, .. } => {
                for value in values.iter().filter(|v| !v.reserved) {
                    self.add(Kind::Enumerators, Owner::List(id), name, &value.name, None);
                    self.define_value(id, value);
                }
            }
            ListKind::Parts(parts) => {
                for part in parts.iter().filter(|p| p.kind != BitFieldKind::Zero) {
                    let text = &self.text(part.at.page)[part.at.start as usize..part.at.end as usize];
                    let Some(at) = text.find(&format!("({})", part.name)) else { continue };
                    self.add(Kind::Parts, Owner::List(id), name, &part.name, None);
                    let start = part.at.start as usize + at + 1;
                    let end = start + part.name.len();
                    self.refer(Kind::Parts, Owner::List(id), part.at.page, start..end);
                    if part.kind == BitFieldKind::Flag
                        && !text[at + part.name.len() + 2..].trim_start().starts_with('"')
                    {
                        self.insert(part.at.page, end + 1, format!(" \"{}\"", part.text));
                    }
                }
            }
        }
    }

    /// Adds the definition of a value: an item `value: name "spelling"`, or a table row.
    fn define_value(&mut self, id: ListId, value: &Enumerator) {
        let (page, from) = (value.at.page, value.at.start as usize);
        let text = &self.text(page)[from..value.at.end as usize];
        if text.trim_start().starts_with('|') {
            let head = references::head(self.text(page), from);
            let cells = references::cells(text, from);
            let cell =
                |title: &str| Some(cells.get(head.iter().position(|h| h.eq_ignore_ascii_case(title))?)?.clone());
            let Some(name) = cell("Name") else { return };
            self.refer(Kind::Enumerators, Owner::List(id), page, name.clone());
            match cell("Text") {
                Some(spelling) if spelling.is_empty() => {
                    self.insert(page, spelling.start, format!("\"{}\"", value.text));
                }
                Some(_) => {}
                None => self.add_spelling_column(page, from, &value.text),
            }
            return;
        }
        let Some(colon) = text.find(':') else { return };
        let lead = text[colon + 1..].len() - text[colon + 1..].trim_start().len();
        let start = colon + 1 + lead;
        let end = start + value.name.len();
        if !text[start..].starts_with(&value.name) {
            return;
        }
        self.refer(Kind::Enumerators, Owner::List(id), page, from + start..from + end);
        if !text[end..].trim_start().starts_with('"') {
            self.insert(page, from + end, format!(" \"{}\"", value.text));
        }
    }

    /// Adds a column `Text` to a table without one, with the spelling of one row. Holes of the list
    /// get no spelling.
    fn add_spelling_column(&mut self, page: u32, row: usize, spelling: &str) {
        let text = self.text(page);
        for (n, line) in references::table(text, row).into_iter().enumerate() {
            let end = line.start + text[line.clone()].trim_end().len();
            let own = line.contains(&row);
            let cell = match n {
                0 => " Text |".to_owned(),
                1 => " --- |".to_owned(),
                _ if own => format!(" \"{spelling}\" |"),
                _ if references::cells(&text[line.clone()], line.start)
                    .iter()
                    .any(|c| &text[c.clone()] == "reserved") =>
                {
                    " |".to_owned()
                }
                _ => continue,
            };
            self.insert(page, end, cell);
        }
    }

    fn insert(&mut self, page: u32, at: usize, text: String) {
        self.spellings.insert(Edit { page, start: at, end: at, text });
    }

    /// Returns the list of the field, member or part that is described at a position.
    fn list_at(&self, at: SourceSpan) -> Option<ListId> {
        let fields = self.model.instructions.iter().flat_map(|i| &i.forms).flat_map(|f| &f.fields);
        let members = self.model.structures.iter().flat_map(|s| &s.members);
        let mut shapes = fields.map(|f| (f.at, f.shape)).chain(members.map(|m| (m.at, m.shape)));
        if let Some((_, FieldKind::List(id))) =
            shapes.find(|(place, shape)| *place == at && matches!(shape, FieldKind::List(_)))
        {
            return Some(id);
        }
        let spelled = self.model.spelled.iter().map(|s| &s.kind);
        let parts = self.model.lists.iter().map(|l| &l.kind).chain(spelled).filter_map(|kind| match kind {
            ListKind::Parts(parts) => Some(parts),
            ListKind::Enumeration { .. } => None,
        });
        parts.flatten().find_map(|p| match p.kind {
            BitFieldKind::Enumeration(id) if p.at == at => Some(id),
            _ => None,
        })
    }

    /// Adds predefined names. They occur in texts and objects and keep their length, so that both
    /// can be changed in the same way.
    fn add_predefined(&mut self) {
        let model = self.model;
        let all = || model.predefined.iter().chain(&model.surfaces).chain(&model.samplers);
        let mut taken: BTreeSet<String> = all().map(|p| p.name.clone()).collect();
        for p in all() {
            let fresh =
                (0..p.name.len()).rev().filter(|&i| p.name.as_bytes()[i].is_ascii_alphanumeric()).find_map(|i| {
                    let with = |c: char| format!("{}{c}{}", &p.name[..i], &p.name[i + 1..]);
                    "qzkj".chars().map(with).find(|new| !taken.contains(new))
                });
            let new = fresh.expect("a name of the same length");
            taken.insert(new.clone());
            self.add(Kind::Predefined, Owner::Model, "", &p.name, Some(new));
            let (page, from) = (p.at.page, p.at.start as usize);
            let row = references::cells(&self.text(page)[from..p.at.end as usize], from);
            if let Some(cell) = row.get(1) {
                self.refer(Kind::Predefined, Owner::Model, page, cell.clone());
            }
        }
    }

    /// Returns the pages with the chosen names changed, by path.
    pub(crate) fn pages(&self, chosen: &BTreeSet<usize>) -> BTreeMap<&'m str, String> {
        let mut edits: BTreeSet<&Edit> = chosen.iter().flat_map(|&n| &self.all[n].edits).collect();
        edits.extend(&self.spellings);
        let mut out: BTreeMap<&str, String> = BTreeMap::new();
        for (n, page) in self.model.pages.iter().enumerate() {
            let mut text = String::new();
            let mut at = 0;
            for edit in edits.iter().filter(|e| e.page as usize == n) {
                assert!(edit.start >= at, "{}: {edit:?} overlaps another change", page.path);
                text.push_str(&page.text[at..edit.start]);
                text.push_str(&edit.text);
                at = edit.end;
            }
            text.push_str(&page.text[at..]);
            out.insert(&page.path, text);
        }
        out
    }

    /// Removes names from a choice, together with names at the same positions.
    pub(crate) fn put_back(&self, chosen: &mut BTreeSet<usize>, back: BTreeSet<usize>) -> usize {
        let before = chosen.len();
        let mut next = back;
        while !next.is_empty() {
            let places: BTreeSet<_> =
                next.iter().flat_map(|&n| &self.all[n].edits).map(|e| (e.page, e.start)).collect();
            chosen.retain(|n| !next.contains(n));
            next = chosen
                .iter()
                .copied()
                .filter(|&n| self.all[n].edits.iter().any(|e| places.contains(&(e.page, e.start))))
                .collect();
        }
        before - chosen.len()
    }
}
