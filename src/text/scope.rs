//! Routine under construction from its text: its tables, and its names.

use super::names::NameTables;
use crate::builder::Tables;
use crate::isa::{
    Alignment, DataType, FileScopeVarInfo, FunctionRelocSymtab, GeneralId, LabelId, LabelKind, StringId,
    VariableRelocSymtab, attribute, predefined, predefined_surface,
};
use crate::object::{RoutineKind, marks};
use crate::rt::{EncodeError, Names, Symbols, Table, Version, nearest};
use std::borrow::Cow;

/// Variables and functions of a file that a routine uses: the mapping from the routine's numbers to
/// the entries of the file's tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uses {
    /// Variables of file scope.
    pub variables: Vec<VariableRelocSymtab>,
    /// Functions of the file.
    pub functions: Vec<FunctionRelocSymtab>,
}

/// Routine under construction from its text.
pub(super) struct Scope {
    pub(super) tables: Tables,
    pub(super) register_bytes: u32,
    pub(super) version: Version,
    pub(super) names: NameTables,
    /// True while labels are resolved for a call, which can only name subroutines.
    pub(super) calls: bool,
    /// Labels that the text places, as opposed to those that are only referred to.
    pub(super) defined: Vec<bool>,
    /// Variables and functions of the file that the routine uses.
    pub(super) uses: Uses,
    /// Variables of file scope, from this or another routine of the text.
    pub(super) file_variables: Vec<FileScopeVarInfo>,
    /// Number of file-scope variables that this routine has declared.
    pub(super) file_variables_said: usize,
    /// Functions that the text declares.
    pub(super) functions: Vec<String>,
    /// Numbers of the routine's variables that are aliases of `%null`.
    pub(super) null_aliases: Vec<usize>,
    /// Range of text revisions that the forms so far allow: the first revision, and the exclusive
    /// end.
    pub(super) revisions: (u32, u32),
    /// Name of the routine once its text lists all strings. The listed strings replace the
    /// assembler's initial ones.
    explicit: Option<String>,
}

impl Scope {
    pub(super) fn new(register_bytes: u32) -> Self {
        Self {
            tables: Tables::default(),
            register_bytes,
            version: Version::new(4, 1),
            names: NameTables::predefined(),
            calls: false,
            defined: Vec::new(),
            uses: Uses::default(),
            file_variables: Vec::new(),
            file_variables_said: 0,
            functions: Vec::new(),
            null_aliases: Vec::new(),
            revisions: (0, u32::MAX),
            explicit: None,
        }
    }

    /// Adds the next string of a pool that the text lists.
    pub(super) fn string(&mut self, text: String) {
        if self.explicit.is_none() {
            self.explicit = Some(self.tables.routine.name());
            self.tables.clear_strings();
        }
        let names_the_routine = self.explicit.as_ref() == Some(&text) && !self.tables.has_string(&text);
        let id = self.tables.push_string(&text);
        if names_the_routine {
            self.tables.routine.name = id;
        }
    }

    /// Adds marks to the pool for what objects do not store. A pool that the text lists already has
    /// them.
    ///
    /// # Errors
    /// A value of an instruction does not fit into its field.
    pub(super) fn keep_marks(&mut self) -> Result<(), EncodeError> {
        if self.explicit.is_some() {
            return Ok(());
        }
        let newer = self.revisions.0 > 0;
        let has_names = newer || self.tables.routine.name() != marks::UNNAMED;
        let functions = self.functions.iter().filter(|_| has_names).map(|name| marks::of_function(name));
        let instructions = marks::of_instructions(&self.tables.routine.instructions)?;
        let types = marks::of_types(&self.tables.routine.variables);
        let aliases = self.null_aliases.iter().filter(|_| newer).map(|number| marks::of_null_alias(*number));
        let revision = newer.then(|| marks::of_revision(self.revisions.0));
        for mark in functions.chain(aliases).chain(types).chain(instructions).chain(revision) {
            self.tables.push_string(&mark);
        }
        Ok(())
    }

    /// Starts the routine. The pool begins with its name; the predefined names follow.
    pub(super) fn begin(&mut self, name: &str, kind: RoutineKind) {
        self.explicit = None;
        self.tables.begin(name, kind);
    }

    /// Returns the id of a declared or predefined entry. Texts before version 4 have other names
    /// for predefined entries.
    pub(super) fn entry(&self, table: Table, name: &str) -> Option<u32> {
        self.names.get(table, name).or_else(|| old_name(self.version, table, name))
    }

    /// Returns the id of a label; creates the label if it is new. Blocks and subroutines have
    /// separate namespaces.
    pub(super) fn label(&mut self, name: &str, kind: LabelKind) -> u32 {
        if let Some(id) = self.names.label(name, kind) {
            return id;
        }
        let name_index = self.tables.intern(name);
        self.new_label(name, name_index, kind)
    }

    /// Adds a label whose name is an explicit string of the pool.
    pub(super) fn new_label(&mut self, name: &str, string: StringId, kind: LabelKind) -> u32 {
        let LabelId(id) = self.tables.label(string, kind);
        self.defined.push(false);
        self.names.enter_label(name, kind, id);
        id
    }

    /// Sets the kind of a label.
    pub(super) fn set_kind(&mut self, label: u32, kind: LabelKind) {
        if let Some(info) = self.tables.routine.labels.get_mut(label as usize) {
            info.kind = kind;
        }
    }
}

impl Names for Scope {
    fn name(&self, table: Table, id: u32) -> Option<Cow<'_, str>> {
        self.names.name(table, id).map(Cow::Borrowed)
    }

    fn data_type(&self, id: GeneralId) -> Option<DataType> {
        self.tables.routine.data_type(id)
    }

    fn register_bytes(&self) -> u32 {
        self.register_bytes
    }

    fn version(&self) -> Version {
        self.version
    }

    fn revision(&self) -> u32 {
        self.revisions.0
    }
}

impl Symbols for Scope {
    fn find(&mut self, table: Table, name: &str) -> Option<u32> {
        match table {
            Table::Label if self.calls => Some(self.label(name, LabelKind::Subroutine)),
            Table::Label => Some(self.label(name, LabelKind::Block)),
            Table::String => Some(self.tables.intern(name).0),
            _ => self.entry(table, name),
        }
    }

    fn size_of(&self, name: &str) -> Option<u32> {
        let address = || {
            let id = self.names.get(Table::Address, name)?;
            Some(u32::from(self.tables.routine.addresses.get(id as usize)?.num_elements) * ADDRESS_BYTES)
        };
        match self.names.get(Table::General, name) {
            Some(id) => self.tables.general_bytes(GeneralId(id)),
            None if name == Alignment::Grf.name() => Some(self.register_bytes),
            None => address(),
        }
    }

    fn simd_size(&self) -> Option<u32> {
        self.tables.routine.attribute(attribute::SIMD_SIZE)
    }

    fn near(&self, table: Table, name: &str) -> Option<String> {
        // A text may have very many names and an error in each line.
        let few = self.names.known(table).nth(MANY_NAMES).is_none();
        few.then(|| nearest(name, self.names.known(table))).flatten().map(str::to_owned)
    }
}

/// Maximum number of names for suggestions; a table with more names gets none.
const MANY_NAMES: usize = 5000;

/// Size of an element of an address variable in bytes.
const ADDRESS_BYTES: u32 = 2;

/// Returns the predefined entry with this name in texts before version 4.
fn old_name(version: Version, table: Table, name: &str) -> Option<u32> {
    let entries = match table {
        Table::General => predefined::ALL,
        Table::Surface => predefined_surface::ALL,
        _ => return None,
    };
    entries.iter().find(|e| version.major < 4 && !e.old_name.is_empty() && e.old_name == name).map(|e| e.id)
}
