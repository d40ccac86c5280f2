//! Names of a routine's variables: what a text calls the entries of its tables.

use std::collections::HashMap;

use super::unique::Unique;
use crate::isa::{DataType, GeneralId, LabelKind, StringId, predefined, predefined_sampler, predefined_surface};
use crate::object::{Routine, marks};
use crate::rt::{Bytes, Names, Table, Version};

/// How a routine is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As the vendor's printer writes it: labels get suffixes, and what its text loses is lost.
    Vendor,
    /// With the names of the object, so that the same routine can be read again.
    Full,
    /// As `Full`, with directives that say the tables: for objects whose strings or labels are not
    /// in the order in which the assembler meets them, or whose names are no words.
    Explicit,
}

/// The names of a routine for printing.
pub struct RoutineNames<'a> {
    routine: &'a Routine,
    version: Version,
    register_bytes: u32,
    style: Style,
    revision: u32,
    unique: Unique,
}

impl<'a> RoutineNames<'a> {
    /// Names as a style shows them; `register_bytes` is the platform's.
    pub fn new(routine: &'a Routine, version: Version, register_bytes: u32, style: Style) -> Self {
        let unique = if style == Style::Explicit { Unique::new(routine) } else { Unique::default() };
        Self { routine, version, register_bytes, style, revision: marks::revision(routine), unique }
    }

    /// The names that the routine's object has, as [`Style::Full`] shows them in texts of today.
    pub fn of(routine: &'a Routine) -> Self {
        Self::new(routine, Version::new(4, 1), 32, Style::Full)
    }

    pub(super) fn routine(&self) -> &'a Routine {
        self.routine
    }

    /// Names that differ, in the style that has them.
    pub(super) fn unique(&self) -> &Unique {
        &self.unique
    }

    fn string(&self, id: StringId) -> Option<String> {
        self.routine.strings.get(id.0 as usize).map(Bytes::to_text)
    }

    /// Labels get suffixes in the vendor's style, so that equal names stay apart.
    fn label(&self, id: u32) -> Option<String> {
        match self.style {
            Style::Vendor => Some(self.original_label(id)?.replace(['.', '$'], "_")),
            Style::Full => self.string(self.routine.labels.get(id as usize)?.name_index),
            Style::Explicit => self.unique.labels.get(id as usize).cloned(),
        }
    }

    /// A label with its suffixes, before the vendor's printer replaces characters in it.
    pub(super) fn original_label(&self, id: u32) -> Option<String> {
        let label = self.routine.labels.get(id as usize)?;
        let mut name = self.string(label.name_index)?;
        name.push_str(&format!("_{}", label.name_index.0));
        // Only a block label is not a subroutine, a function or the target of a call.
        if label.kind != crate::isa::LabelKind::default() {
            name.push_str(&format!("_{id}"));
        }
        Some(name)
    }
}

impl Names for RoutineNames<'_> {
    fn name(&self, table: Table, id: u32) -> Option<String> {
        let r = self.routine;
        match table {
            Table::General => match id.checked_sub(predefined::DECLARED) {
                Some(declared) if self.style == Style::Explicit => {
                    self.unique.general.get(declared as usize).cloned()
                }
                Some(declared) => self.string(r.variables.get(declared as usize)?.name_index),
                None => {
                    let entry = predefined::ALL.iter().find(|p| p.id == id)?;
                    Some(entry.name.to_owned())
                }
            },
            // The vendor's printer goes by their numbers, whatever the object calls them.
            Table::Address => {
                let entry = r.addresses.get(id as usize)?;
                match self.style {
                    Style::Vendor => Some(format!("A{id}")),
                    Style::Full => self.string(entry.name_index),
                    Style::Explicit => self.unique.addresses.get(id as usize).cloned(),
                }
            }
            Table::Predicate => {
                let number = id.checked_sub(1)? as usize;
                let entry = r.predicates.get(number)?;
                match self.style {
                    Style::Vendor => Some(format!("P{id}")),
                    Style::Full => self.string(entry.name_index),
                    Style::Explicit => self.unique.predicates.get(number).cloned(),
                }
            }
            // State variables go by their number; their names stand in the declaration only.
            Table::Sampler => Some(format!("S{id}")),
            Table::Surface => match id.checked_sub(predefined_surface::DECLARED) {
                Some(_) => Some(format!("T{id}")),
                None => {
                    let entry = predefined_surface::ALL.iter().find(|p| p.id == id)?;
                    Some(entry.name.to_owned())
                }
            },
            Table::Label => self.label(id),
            Table::String => self.string(StringId(id)),
        }
    }

    fn data_type(&self, id: GeneralId) -> Option<DataType> {
        self.routine.data_type(id)
    }

    fn register_bytes(&self) -> u32 {
        self.register_bytes
    }

    fn version(&self) -> Version {
        self.version
    }

    fn full(&self) -> bool {
        self.style == Style::Full
    }

    fn revision(&self) -> u32 {
        self.revision
    }
}

/// Whether calls go to labels of a kind, and nothing else does.
fn is_called(kind: LabelKind) -> bool {
    matches!(kind, LabelKind::Subroutine | LabelKind::Fccall | LabelKind::Function)
}

/// What the names of a text stand for. Variables of all kinds share one space of names.
pub(super) struct NameTables {
    variables: HashMap<String, (Table, u32)>,
    /// Labels of blocks, and of subroutines: a block and a subroutine may have one name.
    labels: [HashMap<String, u32>; 2],
    /// Names that a block has hidden, with what they stood for outside of it.
    hidden: Vec<(String, Option<(Table, u32)>)>,
    /// How many names were hidden when each open block began.
    blocks: Vec<usize>,
}

impl NameTables {
    /// The predefined variables, surfaces and samplers.
    pub(super) fn predefined() -> Self {
        let mut variables = HashMap::with_capacity(256);
        let mut enter = |name: &str, table, id| variables.insert(name.to_owned(), (table, id));
        for entry in predefined::ALL {
            enter(entry.name, Table::General, entry.id);
        }
        for entry in predefined_surface::ALL {
            enter(entry.name, Table::Surface, entry.id);
        }
        for entry in predefined_sampler::ALL {
            enter(entry.name, Table::Sampler, entry.id);
        }
        Self { variables, labels: Default::default(), hidden: Vec::new(), blocks: Vec::new() }
    }

    pub(super) fn get(&self, table: Table, name: &str) -> Option<u32> {
        self.variables.get(name).filter(|(t, _)| *t == table).map(|(_, id)| *id)
    }

    pub(super) fn label(&self, name: &str, kind: LabelKind) -> Option<u32> {
        self.labels[usize::from(is_called(kind))].get(name).copied()
    }

    pub(super) fn enter_label(&mut self, name: &str, kind: LabelKind, id: u32) {
        self.labels[usize::from(is_called(kind))].insert(name.to_owned(), id);
    }

    /// Whether a name is declared already where the text stands: in the open block, if there is
    /// one.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        match self.blocks.last() {
            Some(&begin) => self.hidden[begin..].iter().any(|(hidden, _)| hidden == name),
            None => self.variables.contains_key(name),
        }
    }

    /// Enters a variable. Inside a block it hides what has its name outside, of any kind, until the
    /// block ends.
    pub(super) fn declare(&mut self, table: Table, name: &str, id: u32) {
        let before = self.variables.insert(name.to_owned(), (table, id));
        if !self.blocks.is_empty() {
            self.hidden.push((name.to_owned(), before));
        }
    }

    /// Begins a block.
    pub(super) fn open(&mut self) {
        self.blocks.push(self.hidden.len());
    }

    /// Ends a block; `false` when none is open.
    pub(super) fn close(&mut self) -> bool {
        let Some(begin) = self.blocks.pop() else { return false };
        for (name, before) in self.hidden.drain(begin..).rev() {
            match before {
                Some(entry) => self.variables.insert(name, entry),
                None => self.variables.remove(&name),
            };
        }
        true
    }

    /// How many blocks are open.
    pub(super) fn depth(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn name(&self, table: Table, id: u32) -> Option<&str> {
        if table == Table::Label {
            return self.labels.iter().flatten().find(|(_, i)| **i == id).map(|(name, _)| name.as_str());
        }
        self.variables.iter().find(|(_, entry)| **entry == (table, id)).map(|(name, _)| name.as_str())
    }

    /// All names that a variable has here; labels need not be known to be meant.
    pub(super) fn known(&self, table: Table) -> impl Iterator<Item = &str> {
        let labels = matches!(table, Table::Label | Table::String);
        self.variables.iter().filter(move |(_, (t, _))| !labels && *t == table).map(|(name, _)| name.as_str())
    }
}
