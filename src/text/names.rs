//! Names of a routine's variables, labels and strings in its text.

use std::borrow::Cow;
use std::collections::HashMap;

use super::unique::Unique;
use crate::builder::numbered;
use crate::isa::{
    DataType, DeclaredClass, GeneralId, LabelKind, StringId, predefined, predefined_sampler, predefined_surface,
};
use crate::object::{Routine, marks};
use crate::rt::{Bytes, Names, Table, Version};

/// Text style of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Output of the vendor's printer. Labels get suffixes, and the losses of its text are kept.
    Vendor,
    /// Names of the object, so that the text parses to the same routine.
    Full,
    /// `Full` with directives for the tables. It serves objects whose strings or labels have
    /// another order than the assembler's, or whose names are not words.
    Explicit,
}

/// Names of a routine, for printing.
pub struct RoutineNames<'a> {
    routine: &'a Routine,
    version: Version,
    register_bytes: u32,
    style: Style,
    revision: u32,
    unique: Unique,
}

impl<'a> RoutineNames<'a> {
    /// Returns the names of a routine in a style; `register_bytes` is the platform's register size.
    pub fn new(routine: &'a Routine, version: Version, register_bytes: u32, style: Style) -> Self {
        let unique = if style == Style::Explicit { Unique::new(routine) } else { Unique::default() };
        Self { routine, version, register_bytes, style, revision: marks::revision(routine), unique }
    }

    /// Returns the names in the routine's object, in [`Style::Full`] of current texts.
    pub fn of(routine: &'a Routine) -> Self {
        Self::new(routine, Version::new(4, 1), 32, Style::Full)
    }

    pub(super) fn routine(&self) -> &'a Routine {
        self.routine
    }

    /// Returns the unique names, which only [`Style::Explicit`] has.
    pub(super) fn unique(&self) -> &Unique {
        &self.unique
    }

    fn string(&self, id: StringId) -> Option<Cow<'_, str>> {
        self.routine.strings.get(id.0 as usize).map(Bytes::text)
    }

    /// Returns the name of a label. In the vendor's style a suffix keeps equal names apart.
    fn label(&self, id: u32) -> Option<Cow<'_, str>> {
        match self.style {
            Style::Vendor => Some(self.original_label(id)?.replace(['.', '$'], "_").into()),
            Style::Full => self.string(self.routine.labels.get(id as usize)?.name_index),
            Style::Explicit => self.unique.labels.get(id as usize).map(Cow::from),
        }
    }

    /// Returns a label with its suffixes, before the vendor's printer replaces characters in it.
    pub(super) fn original_label(&self, id: u32) -> Option<String> {
        let label = self.routine.labels.get(id as usize)?;
        let mut name = self.string(label.name_index)?.into_owned();
        name.push_str(&format!("_{}", label.name_index.0));
        // Labels other than block labels also get their id as a suffix.
        if label.kind != crate::isa::LabelKind::default() {
            name.push_str(&format!("_{id}"));
        }
        Some(name)
    }
}

impl Names for RoutineNames<'_> {
    fn name(&self, table: Table, id: u32) -> Option<Cow<'_, str>> {
        let r = self.routine;
        match table {
            Table::General => match id.checked_sub(predefined::DECLARED) {
                Some(declared) if self.style == Style::Explicit => {
                    self.unique.general.get(declared as usize).map(Cow::from)
                }
                Some(declared) => self.string(r.variables.get(declared as usize)?.name_index),
                None => {
                    let entry = predefined::ALL.iter().find(|p| p.id == id)?;
                    Some(entry.name.into())
                }
            },
            // The vendor's printer uses the numbers and ignores the names in the object.
            Table::Address => {
                let entry = r.addresses.get(id as usize)?;
                match self.style {
                    Style::Vendor => Some(numbered(DeclaredClass::AddressClass, id).into()),
                    Style::Full => self.string(entry.name_index),
                    Style::Explicit => self.unique.addresses.get(id as usize).map(Cow::from),
                }
            }
            Table::Predicate => {
                let number = id.checked_sub(1)? as usize;
                let entry = r.predicates.get(number)?;
                match self.style {
                    Style::Vendor => Some(numbered(DeclaredClass::PredicateClass, id).into()),
                    Style::Full => self.string(entry.name_index),
                    Style::Explicit => self.unique.predicates.get(number).map(Cow::from),
                }
            }
            // State variables appear by number; their names appear only in the declaration.
            Table::Sampler => Some(numbered(DeclaredClass::SamplerClass, id).into()),
            Table::Surface => match id.checked_sub(predefined_surface::DECLARED) {
                Some(_) => Some(numbered(DeclaredClass::SurfaceClass, id).into()),
                None => {
                    let entry = predefined_surface::ALL.iter().find(|p| p.id == id)?;
                    Some(entry.name.into())
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

/// Returns true for the label kinds that only calls refer to.
fn is_called(kind: LabelKind) -> bool {
    matches!(kind, LabelKind::Subroutine | LabelKind::Fccall | LabelKind::Function)
}

/// Name tables of a text. Variables of all kinds share one namespace.
pub(super) struct NameTables {
    variables: HashMap<String, (Table, u32)>,
    /// Labels of blocks, and of subroutines. A block and a subroutine may have the same name.
    labels: [HashMap<String, u32>; 2],
    /// Names that an open block hides, with their outer entries.
    hidden: Vec<(String, Option<(Table, u32)>)>,
    /// Number of hidden names at the start of each open block.
    blocks: Vec<usize>,
}

impl NameTables {
    /// Returns tables with the predefined variables, surfaces and samplers.
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

    /// Returns true if a name is already declared in the innermost open block, or in the routine if
    /// no block is open.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        match self.blocks.last() {
            Some(&begin) => self.hidden[begin..].iter().any(|(hidden, _)| hidden == name),
            None => self.variables.contains_key(name),
        }
    }

    /// Declares a variable. In a block it hides an outer variable of the same name, of any kind,
    /// until the block ends.
    pub(super) fn declare(&mut self, table: Table, name: &str, id: u32) {
        let before = self.variables.insert(name.to_owned(), (table, id));
        if !self.blocks.is_empty() {
            self.hidden.push((name.to_owned(), before));
        }
    }

    /// Opens a block.
    pub(super) fn open(&mut self) {
        self.blocks.push(self.hidden.len());
    }

    /// Closes a block; returns false if none is open.
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

    /// Returns the number of open blocks.
    pub(super) fn depth(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn name(&self, table: Table, id: u32) -> Option<&str> {
        if table == Table::Label {
            return self.labels.iter().flatten().find(|(_, i)| **i == id).map(|(name, _)| name.as_str());
        }
        self.variables.iter().find(|(_, entry)| **entry == (table, id)).map(|(name, _)| name.as_str())
    }

    /// Returns the names of all visible variables of a table; none for labels and strings, which
    /// may be used before they are declared.
    pub(super) fn known(&self, table: Table) -> impl Iterator<Item = &str> {
        let labels = matches!(table, Table::Label | Table::String);
        self.variables.iter().filter(move |(_, (t, _))| !labels && *t == table).map(|(name, _)| name.as_str())
    }
}
