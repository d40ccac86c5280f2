//! Application of an overlay: replaces wrong facts of the documents with those of our pages.

use std::collections::{BTreeMap, BTreeSet};

use super::{Entry, FactPath, Overlay, Use};
use crate::model::{
    BitFieldKind, Cell, Column, ColumnKind, FieldKind, Form, Instruction, List, ListId, ListKind, Model, NamesOf,
    Page, SourceSpan,
};
use crate::places::places;
use crate::suggest::distance_within;
use visakit_diag::{Diagnostic, Severity};

/// Text for a place without facts.
const NONE: &str = "(none)";

type Facts = BTreeMap<String, BTreeSet<String>>;

/// Checks that the new facts of each entry agree with our page.
pub(super) fn check(overlay: &Overlay, out: &mut Vec<Diagnostic>) {
    let ours = places(&overlay.base);
    for entry in &overlay.entries {
        match &entry.path {
            FactPath::Page(path) => {
                if !overlay.base.pages.iter().any(|p| p.path == *path) {
                    let message = format!("the overlay's folder has no page `{path}`");
                    let help = "name a page of the overlay's folder";
                    out.push(overlay.report(entry, Severity::Error, "overlay-place", message, help));
                }
            }
            FactPath::Facts(place) => {
                let none = BTreeSet::new();
                let facts = ours.get(place).unwrap_or(&none);
                if let Some(fact) = entry.new.iter().find(|f| !facts.contains(*f)) {
                    let message = format!("our page does not say `{fact}` at `{place}`");
                    let help = "the page is right: update the entry";
                    let finding = overlay.report(entry, Severity::Error, "overlay-stale", message, help);
                    out.push(overlay.at_line(finding, entry, "+ ", fact));
                } else if let Some(fact) = entry.old.iter().find(|f| facts.contains(*f)) {
                    let message = format!("our page also says `{fact}` at `{place}`");
                    let help = "list as wrong only facts that our page does not state";
                    let finding = overlay.report(entry, Severity::Error, "overlay-stale", message, help);
                    out.push(overlay.at_line(finding, entry, "- ", fact));
                }
            }
        }
    }
}

/// Adds the pages that the documents lack.
pub(super) fn pages(overlay: &Overlay, pages: &mut Vec<Page>, uses: &mut [Use]) {
    for (entry, used) in overlay.entries.iter().zip(uses) {
        let FactPath::Page(path) = &entry.path else { continue };
        if pages.iter().any(|p| p.path == *path) {
            *used = Use::Already;
        } else if let Some(page) = overlay.base.pages.iter().find(|p| p.path == *path) {
            pages.push(Page { supplied: true, ..page.clone() });
            *used = Use::Applied;
        }
    }
}

/// Corrects the facts, and removes the findings about corrected facts.
pub(super) fn facts(overlay: &Overlay, model: &mut Model, diagnostics: &mut Vec<Diagnostic>, uses: &mut [Use]) {
    let ours = places(&overlay.base);
    let theirs = places(model);
    let mut donor = Donor::new(overlay, model);
    for (entry, used) in overlay.entries.iter().zip(uses) {
        let FactPath::Facts(place) = &entry.path else {
            if *used == Use::Already {
                diagnostics.push(already(overlay, entry));
            }
            continue;
        };
        *used = judge(entry, place, &ours, &theirs, model);
        match used {
            Use::Applied => {
                diagnostics.retain(|d| !settles(model, place, d));
                donor.give(model, place);
            }
            Use::Already => diagnostics.push(already(overlay, entry)),
            Use::Kept => {}
            Use::Neither => {
                let none = BTreeSet::new();
                let (have, right) = (theirs.get(place).unwrap_or(&none), ours.get(place).unwrap_or(&none));
                let list =
                    |set: BTreeSet<&String>| set.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", ");
                // Point at the wrong line: a new fact that our pages do not have, or an old one
                // that no longer exists.
                let invented = entry.new.difference(right).next().map(|fact| ("+ ", fact.as_str()));
                let line = invented.or_else(|| Some(("- ", misspelt(entry.old.difference(have), have)?)));
                let extra = list(have.difference(right).filter(|f| !entry.old.contains(*f)).collect());
                let gone = list(entry.old.difference(have).collect());
                let unsaid = list(right.difference(have).filter(|f| !entry.new.contains(*f)).collect());
                let mut what = Vec::new();
                for (facts, says) in [(gone, "no longer has"), (extra, "has"), (unsaid, "lacks")] {
                    if !facts.is_empty() {
                        what.push(format!("it {says} {facts}"));
                    }
                }
                let message = format!("`{place}` has neither the old facts nor the new ones: {}", what.join("; "));
                let help = "read the current documents, then correct our page or this entry";
                let finding = overlay.report(entry, Severity::Error, "overlay-neither", message, help);
                let (sign, fact) = line.unwrap_or_default();
                diagnostics.push(overlay.at_line(finding, entry, sign, fact));
            }
        }
    }
    prune(model);
}

/// Returns the fact that is most similar to any fact of `have`; the first if none is similar.
fn misspelt<'a>(facts: impl Iterator<Item = &'a String>, have: &BTreeSet<String>) -> Option<&'a str> {
    let letters = |fact: &String| have.iter().filter_map(|other| distance_within(fact, other, SLIP)).min();
    facts.min_by_key(|fact| letters(fact).unwrap_or(SLIP + 1)).map(String::as_str)
}

/// Maximum edit distance of a misspelling.
const SLIP: usize = 4;

fn already(overlay: &Overlay, entry: &Entry) -> Diagnostic {
    let help = "nothing needs to be done; remove the entry when no revision needs it";
    overlay.report(entry, Severity::Note, "overlay-already", "the documents already have the right facts", help)
}

/// Determines the state of the documents at a place, compared with an entry.
fn judge(entry: &Entry, place: &str, ours: &Facts, theirs: &Facts, model: &Model) -> Use {
    let none = BTreeSet::new();
    let (right, have) = (ours.get(place).unwrap_or(&none), theirs.get(place).unwrap_or(&none));
    let corrected: BTreeSet<&String> = have.iter().filter(|f| !entry.old.contains(*f)).chain(&entry.new).collect();
    let name = place.split(' ').next().unwrap_or("");
    let described = place.starts_with("structure ") || !place.contains(' ');
    if right == have {
        Use::Already
    } else if !described && !model.instructions.iter().any(|i| i.name == name) {
        // The older revision has no such page.
        Use::Kept
    } else if entry.old.is_subset(have) && corrected == right.iter().collect() {
        Use::Applied
    } else if !entry.kept.is_empty() && (entry.kept.is_subset(have) || entry.kept.contains(NONE) && have.is_empty()) {
        Use::Kept
    } else {
        Use::Neither
    }
}

/// Returns true if a finding about a page concerns facts that a correction replaces.
fn settles(model: &Model, place: &str, d: &Diagnostic) -> bool {
    let Some((name, aspect)) = place.split_once(' ') else { return false };
    let page = model.instructions.iter().find(|i| i.name == name).and_then(|i| model.pages.get(i.at.page as usize));
    if page.is_none_or(|p| p.shown != d.file) {
        return false;
    }
    let layout =
        ["bits-", "condition-", "enumerator-", "field-", "format-", "item-", "nesting-", "presence-", "range-"];
    match aspect {
        "layout" => layout.iter().any(|p| d.code.starts_with(p)) || d.code == "type-unknown",
        "text" => d.code.starts_with("text-"),
        "properties" | "types" => d.code.starts_with("property-"),
        _ => false,
    }
}

/// Copy of facts from our model into the corrected one, with places and lists renumbered.
struct Donor<'a> {
    base: &'a Model,
    first_page: u32,
    lists: BTreeMap<ListId, ListId>,
    /// Copied lists whose places and ids are still ours. Lists may refer to each other and to
    /// themselves.
    copied: Vec<ListId>,
}

impl<'a> Donor<'a> {
    fn new(overlay: &'a Overlay, model: &mut Model) -> Self {
        let first_page = u32::try_from(model.pages.len()).unwrap_or(u32::MAX);
        let pages = overlay.base.pages.iter().map(|p| Page { supplied: true, ..p.clone() });
        model.pages.extend(pages);
        Self { base: &overlay.base, first_page, lists: BTreeMap::new(), copied: Vec::new() }
    }

    fn give(&mut self, model: &mut Model, place: &str) {
        match place {
            "types" => {
                model.types = self.table(&self.base.types, |t| &mut t.at);
                let columns = self.columns(model, &self.base.type_columns);
                model.type_columns = columns;
                model.types.iter_mut().for_each(|t| self.cells(&mut t.cells));
            }
            "variables" => model.predefined = self.table(&self.base.predefined, |t| &mut t.at),
            "surfaces" => {
                model.surfaces = self.table(&self.base.surfaces, |t| &mut t.at);
                let columns = self.columns(model, &self.base.surface_columns);
                model.surface_columns = columns;
                model.surfaces.iter_mut().for_each(|t| self.cells(&mut t.cells));
            }
            "limits" => model.limits = self.table(&self.base.limits, |t| &mut t.at),
            "samplers" => model.samplers = self.table(&self.base.samplers, |t| &mut t.at),
            "attributes" => model.attributes = self.table(&self.base.attributes, |t| &mut t.at),
            _ => match place.split_once(' ') {
                Some(("structure", name)) => self.structure(model, name),
                Some((name, aspect)) => self.instruction(model, name, aspect),
                None => {}
            },
        }
        while let Some(id) = self.copied.pop() {
            let copy = self.list_of(model, model.lists[id.0].clone());
            model.lists[id.0] = copy;
        }
    }

    fn at(&self, at: SourceSpan) -> SourceSpan {
        SourceSpan { page: at.page.saturating_add(self.first_page), ..at }
    }

    fn table<T: Clone>(&self, rows: &[T], at: impl Fn(&mut T) -> &mut SourceSpan) -> Vec<T> {
        let mut rows = rows.to_vec();
        for row in &mut rows {
            let place = at(row);
            *place = self.at(*place);
        }
        rows
    }

    /// Returns a copy of the columns with places and lists of the other model.
    fn columns(&mut self, model: &mut Model, columns: &[Column]) -> Vec<Column> {
        let mut columns = self.table(columns, |c| &mut c.at);
        for column in &mut columns {
            if let ColumnKind::Names { of: NamesOf::List(id), .. } = &mut column.kind {
                *id = self.list(model, *id);
            }
        }
        columns
    }

    fn cells(&self, cells: &mut [Cell]) {
        cells.iter_mut().for_each(|cell| cell.at = self.at(cell.at));
    }

    fn structure(&mut self, model: &mut Model, name: &str) {
        let Some(structure) = self.base.structures.iter().find(|s| s.name == name) else {
            model.structures.retain(|s| s.name != name);
            return;
        };
        let mut structure = structure.clone();
        structure.at = self.at(structure.at);
        for member in &mut structure.members {
            member.at = self.at(member.at);
            member.shape = self.shape(model, member.shape);
        }
        match model.structures.iter_mut().find(|s| s.name == name) {
            Some(theirs) => *theirs = structure,
            None => model.structures.push(structure),
        }
    }

    fn instruction(&mut self, model: &mut Model, name: &str, aspect: &str) {
        let Some(ours) = self.base.instructions.iter().find(|i| i.name == name) else { return };
        let Some(at) = model.instructions.iter().position(|i| i.name == name) else { return };
        let forms = (aspect == "layout").then(|| self.forms(model, ours));
        let Some(theirs) = model.instructions.get_mut(at) else { return };
        match aspect {
            "opcode" => {
                theirs.opcode = ours.opcode;
                theirs.sub_opcode = ours.sub_opcode;
                theirs.family.clone_from(&ours.family);
                theirs.kind = ours.kind.clone();
                theirs.platforms.clone_from(&ours.platforms);
                // The index repeats the platforms.
                let line = model.index.iter_mut().find(|line| line.page == name);
                line.into_iter().for_each(|line| line.platforms.clone_from(&ours.platforms));
                // The page of an alias has neither layout nor text of its own.
                if ours.forms.is_empty() {
                    theirs.forms.clear();
                    theirs.text.clear();
                    theirs.types.clear();
                    theirs.type_maps.clear();
                }
            }
            "layout" => theirs.forms = forms.unwrap_or_default(),
            "types" => theirs.types.clone_from(&ours.types),
            "maps" => theirs.type_maps = self.table(&ours.type_maps, |m| &mut m.at),
            "properties" => {
                theirs.saturation = ours.saturation;
                theirs.source_modifier = ours.source_modifier;
                theirs.out_of_bound.clone_from(&ours.out_of_bound);
            }
            "text" => theirs.text = self.table(&ours.text, |t| &mut t.at),
            _ => {}
        }
    }

    fn forms(&mut self, model: &mut Model, ours: &Instruction) -> Vec<Form> {
        let mut forms = self.table(&ours.forms, |f| &mut f.at);
        for field in forms.iter_mut().flat_map(|f| &mut f.fields) {
            field.at = self.at(field.at);
            field.shape = self.shape(model, field.shape);
        }
        forms
    }

    fn shape(&mut self, model: &mut Model, shape: FieldKind) -> FieldKind {
        match shape {
            FieldKind::List(id) => FieldKind::List(self.list(model, id)),
            other => other,
        }
    }

    /// Returns the other model's id of one of our lists: the shared list with its name, or a copy.
    fn list(&mut self, model: &mut Model, id: ListId) -> ListId {
        if let Some(known) = self.lists.get(&id) {
            return *known;
        }
        let ours = self.base.list(id);
        let shared = model.lists.iter().position(|l| ours.shared && l.shared && l.name == ours.name);
        let there = ListId(shared.unwrap_or(model.lists.len()));
        if shared.is_none() {
            model.lists.push(ours.clone());
            self.copied.push(there);
        }
        self.lists.insert(id, there);
        there
    }

    /// Returns one of our lists with the places and ids of the other model.
    fn list_of(&mut self, model: &mut Model, mut list: List) -> List {
        list.at = self.at(list.at);
        list.columns = self.columns(model, &list.columns);
        match &mut list.kind {
            ListKind::Enumeration { values, .. } => {
                for value in values {
                    value.at = self.at(value.at);
                    self.cells(&mut value.cells);
                }
            }
            ListKind::Parts(parts) => {
                for part in parts {
                    part.at = self.at(part.at);
                    if let BitFieldKind::Enumeration(inner) = part.kind {
                        part.kind = BitFieldKind::Enumeration(self.list(model, inner));
                    }
                }
            }
        }
        list
    }
}

/// Removes lists without references.
fn prune(model: &mut Model) {
    let mut used: Vec<bool> = model.lists.iter().map(|l| l.shared).collect();
    let shapes = model.instructions.iter().flat_map(|i| &i.forms).flat_map(|f| &f.fields).map(|f| f.shape);
    for shape in shapes.chain(model.structures.iter().flat_map(|s| &s.members).map(|m| m.shape)) {
        if let FieldKind::List(id) = shape {
            used[id.0] = true;
        }
    }
    // A list may come before or after its references, so repeat until the set is stable.
    loop {
        let inner: Vec<usize> = model
            .lists
            .iter()
            .zip(&used)
            .filter(|(_, used)| **used)
            .flat_map(|(l, _)| match &l.kind {
                ListKind::Parts(parts) => parts.as_slice(),
                ListKind::Enumeration { .. } => &[],
            })
            .filter_map(|p| match p.kind {
                BitFieldKind::Enumeration(id) if !used[id.0] => Some(id.0),
                _ => None,
            })
            .collect();
        if inner.is_empty() {
            break;
        }
        inner.into_iter().for_each(|i| used[i] = true);
    }
    let mut number = 0;
    let numbers: Vec<usize> = used
        .iter()
        .map(|u| {
            number += usize::from(*u);
            number.wrapping_sub(1)
        })
        .collect();
    let mut at = 0;
    model.lists.retain(|_| {
        at += 1;
        used[at - 1]
    });
    let renumber = |id: &mut ListId| id.0 = numbers[id.0];
    for column in model.tables_of_columns_mut().flatten() {
        if let ColumnKind::Names { of: NamesOf::List(id), .. } = &mut column.kind {
            renumber(id);
        }
    }
    for list in &mut model.lists {
        if let ListKind::Parts(parts) = &mut list.kind {
            for part in parts {
                if let BitFieldKind::Enumeration(id) = &mut part.kind {
                    renumber(id);
                }
            }
        }
    }
    let fields = model.instructions.iter_mut().flat_map(|i| &mut i.forms).flat_map(|f| &mut f.fields);
    let members = model.structures.iter_mut().flat_map(|s| &mut s.members).map(|m| &mut m.shape);
    for shape in fields.map(|f| &mut f.shape).chain(members) {
        if let FieldKind::List(id) = shape {
            renumber(id);
        }
    }
}
