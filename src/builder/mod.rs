//! Construction of routines by a program. Variables, labels and instructions go in; the resulting
//! routine has its tables in the vendor assembler's order. The parser of [`crate::text`] fills the
//! same tables.
//!
//! ```
//! use visakit::builder::{RoutineBuilder, Variable};
//! use visakit::isa::{Add, Alignment, DataType, ExecMask, ExecSize, ExecSizeSize, Ret, Stride};
//! use visakit::object::Object;
//! use visakit::rt::Version;
//!
//! let mut b = RoutineBuilder::kernel("twice");
//! let x = b.variable(Variable::new("x", DataType::F, 8).align(Alignment::Grf));
//! let simd8 = ExecSize { size: ExecSizeSize::N8, mask: ExecMask::M1 };
//! let all = x.src(0, 0).region(Stride::N8, Stride::N8, Stride::N1);
//! b.push(Add { exec_size: simd8, dst: x.dst(0, 0), src0: all.clone(), src1: all, ..Add::default() });
//! b.push(Ret::default());
//! let object = Object::new(Version::new(4, 1), [b.finish()?]);
//!
//! assert_eq!(object.kernels[0].routine.instructions[0].to_string(), "add (M1, 8) V32(0,0)<1> V32(0,0)<8;8,1> V32(0,0)<8;8,1>");
//! assert!(!object.encode()?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod operand;
mod tables;

use std::collections::HashSet;
use std::fmt;

use crate::isa::{
    AddressId, AddressInfo, AliasScope, Alignment, DataType, DeclaredClass, GeneralId, InputClass, InputOrigin,
    Instruction, Label, LabelId, LabelKind, PredicateId, PredicateInfo, SamplerId, SamplerInfo, StringId, Subroutine,
    SurfaceId, SurfaceInfo, VarInfo, VarInfoBitProperties,
};
use crate::object::{Routine, RoutineKind};
use crate::rt::{EncodeError, Table};

pub use operand::{immediate, immediate_f32, immediate_f64, immediate_i32, immediate_u32, immediate_u64};
pub use tables::AttributeValue;
#[allow(unused_imports, reason = "unused without the feature text")]
pub(crate) use tables::{Tables, attribute_bytes, attribute_code};

/// Declaration of a general variable.
#[derive(Clone, Debug)]
pub struct Variable {
    name: String,
    data_type: DataType,
    elements: u16,
    alignment: Alignment,
    alias: Option<(GeneralId, u16)>,
    attributes: Vec<(String, AttributeValue)>,
}

impl Variable {
    /// Creates a variable with `elements` elements. An empty name stands for the default name, such
    /// as `V32`.
    pub fn new(name: impl Into<String>, data_type: DataType, elements: u16) -> Self {
        let name = name.into();
        Self { name, data_type, elements, alignment: Alignment::default(), alias: None, attributes: Vec::new() }
    }

    /// Sets the alignment. Message operands and operands larger than a register need
    /// [`Alignment::Grf`].
    pub fn align(mut self, alignment: Alignment) -> Self {
        self.alignment = alignment;
        self
    }

    /// Makes the variable an alias of the variable `of`, starting at byte `offset` of it.
    pub fn alias(mut self, of: GeneralId, offset: u16) -> Self {
        self.alias = Some((of, offset));
        self
    }

    /// Adds an attribute, such as `Output`.
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<AttributeValue>) -> Self {
        self.attributes.push((name.into(), value.into()));
        self
    }
}

/// Reason why a routine could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// Two variables, or two labels, have the same name.
    Duplicate(String),
    /// A label is used but never placed; call [`RoutineBuilder::place`].
    NotPlaced(String),
    /// A label was placed twice.
    PlacedTwice(String),
    /// A handle comes from another builder: this builder has no entry with its number.
    Unknown(Table, u32),
    /// The variable is larger than the maximum size of an input.
    InputTooLarge(GeneralId),
    /// A number does not fit into its field.
    Encode(EncodeError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate(name) => {
                write!(f, "the name `{name}` is used twice; variables and labels need different names")
            }
            Self::NotPlaced(name) => {
                write!(f, "label `{name}` is used but not placed; call `place` where the label belongs")
            }
            Self::PlacedTwice(name) => write!(f, "label `{name}` is placed twice"),
            Self::Unknown(table, id) => {
                write!(f, "this routine has no {table:?} {id}; use the handles that its builder returns")
            }
            Self::InputTooLarge(id) => {
                write!(f, "{id} cannot be an input: it is not a declared variable of less than 64 KiB")
            }
            Self::Encode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

/// Label that is not yet in the routine's table. The table lists labels in the order of their first
/// use in the code.
#[derive(Clone, Debug)]
struct Pending {
    name: String,
    kind: LabelKind,
    placed: bool,
    id: Option<LabelId>,
}

/// Builder of one routine. Declarations return handles; [`Self::finish`] reports errors.
#[derive(Clone, Debug)]
pub struct RoutineBuilder {
    tables: Tables,
    variables: HashSet<String>,
    labels: Vec<Pending>,
    label_names: HashSet<String>,
    strings: Vec<String>,
    attributes: Vec<(String, AttributeValue)>,
    problem: Option<BuildError>,
}

impl RoutineBuilder {
    /// Starts a kernel.
    pub fn kernel(name: &str) -> Self {
        Self::new(name, RoutineKind::Kernel)
    }

    /// Starts a function that reads `input_size` registers of `%arg` and writes `return_value_size`
    /// registers of `%retval`.
    pub fn function(name: &str, input_size: u8, return_value_size: u8) -> Self {
        Self::new(name, RoutineKind::Function { input_size, return_value_size })
    }

    fn new(name: &str, kind: RoutineKind) -> Self {
        let mut tables = Tables::default();
        tables.begin(name, kind);
        Self {
            tables,
            variables: HashSet::new(),
            labels: Vec::new(),
            label_names: HashSet::new(),
            strings: Vec::new(),
            attributes: Vec::new(),
            problem: None,
        }
    }

    /// Declares a general variable.
    pub fn variable(&mut self, variable: Variable) -> GeneralId {
        let number = self.tables.next_general();
        let name_index = self.declared(&variable.name, || number.to_string());
        let attributes = variable.attributes.iter();
        let attribute_info = attributes.map(|(name, value)| self.tables.attribute(name, value)).collect();
        let (alias_index, alias_offset) = variable.alias.unwrap_or_default();
        self.tables.general(VarInfo {
            name_index,
            bit_properties: VarInfoBitProperties { type_: variable.data_type, alignment: variable.alignment },
            num_elements: variable.elements,
            alias_index,
            alias_offset,
            alias_scope_specifier: AliasScope::Local,
            attribute_info,
        })
    }

    /// Declares an address variable, for indirect operands.
    pub fn address(&mut self, name: &str, num_elements: u16) -> AddressId {
        let number = self.tables.routine.addresses.len();
        let name_index = self.declared(name, || numbered(DeclaredClass::AddressClass, number));
        self.tables.address(AddressInfo { name_index, num_elements, ..AddressInfo::default() })
    }

    /// Declares a predicate.
    pub fn predicate(&mut self, name: &str, num_elements: u16) -> PredicateId {
        let number = self.tables.routine.predicates.len() + 1;
        let name_index = self.declared(name, || numbered(DeclaredClass::PredicateClass, number));
        self.tables.predicate(PredicateInfo { name_index, num_elements, ..PredicateInfo::default() })
    }

    /// Declares a sampler variable.
    pub fn sampler(&mut self, name: &str, num_elements: u16) -> SamplerId {
        let number = self.tables.routine.samplers.len();
        let name_index = self.declared(name, || numbered(DeclaredClass::SamplerClass, number));
        self.tables.sampler(SamplerInfo { name_index, num_elements, ..SamplerInfo::default() })
    }

    /// Declares a surface variable.
    pub fn surface(&mut self, name: &str, num_elements: u16) -> SurfaceId {
        let number = self.tables.next_surface();
        let name_index = self.declared(name, || number.to_string());
        self.tables.surface(SurfaceInfo { name_index, num_elements, ..SurfaceInfo::default() })
    }

    /// Makes a general variable an argument. It occupies the register file from byte `offset` on
    /// when the routine begins.
    pub fn input(&mut self, variable: GeneralId, offset: i16) {
        match self.tables.general_bytes(variable).and_then(|bytes| u16::try_from(bytes).ok()) {
            Some(size) => {
                self.tables.input(InputClass::General, InputOrigin::default(), variable.0, offset, size);
            }
            None => self.wrong(BuildError::InputTooLarge(variable)),
        }
    }

    /// Makes a surface variable an argument of `size` bytes.
    pub fn surface_input(&mut self, surface: SurfaceId, offset: i16, size: u16) {
        self.tables.input(InputClass::Surface, InputOrigin::default(), surface.0, offset, size);
    }

    /// Makes a sampler variable an argument of `size` bytes.
    pub fn sampler_input(&mut self, sampler: SamplerId, offset: i16, size: u16) {
        self.tables.input(InputClass::Sampler, InputOrigin::default(), sampler.0, offset, size);
    }

    /// Adds an attribute of the routine, such as `SimdSize`.
    pub fn attribute(&mut self, name: impl Into<String>, value: impl Into<AttributeValue>) {
        self.attributes.push((name.into(), value.into()));
    }

    /// Creates a label of a block. Branches may use it before or after it is placed.
    pub fn label(&mut self, name: &str) -> LabelId {
        self.pending(name, LabelKind::Block)
    }

    /// Creates a label of a subroutine. Calls may use it before or after it is placed.
    pub fn subroutine(&mut self, name: &str) -> LabelId {
        self.pending(name, LabelKind::Subroutine)
    }

    /// Adds a string for use by instructions, such as the name of the function of an `fcall`.
    pub fn string(&mut self, text: &str) -> StringId {
        self.strings.push(text.to_owned());
        StringId(u32::try_from(self.strings.len() - 1).unwrap_or(u32::MAX))
    }

    /// Places a label at the current end of the code.
    pub fn place(&mut self, label: LabelId) {
        let Some(pending) = self.labels.get_mut(label.0 as usize) else {
            return self.wrong(BuildError::Unknown(Table::Label, label.0));
        };
        if std::mem::replace(&mut pending.placed, true) {
            let name = pending.name.clone();
            self.wrong(BuildError::PlacedTwice(name));
        } else if pending.kind == LabelKind::Block {
            self.push(Label { label });
        } else {
            self.push(Subroutine { label });
        }
    }

    /// Appends an instruction.
    pub fn push(&mut self, instruction: impl Into<Instruction>) {
        self.tables.routine.instructions.push(instruction.into());
    }

    /// Finishes the routine. Its tables list labels and strings in the order of their first use in
    /// the code.
    ///
    /// # Errors
    /// The first error of the construction: a duplicate name, a label that was never placed, or a
    /// handle of another builder.
    pub fn finish(mut self) -> Result<Routine, BuildError> {
        for (name, value) in std::mem::take(&mut self.attributes) {
            let attribute = self.tables.attribute(&name, &value);
            self.tables.routine.attributes.push(attribute);
        }
        let mut instructions = std::mem::take(&mut self.tables.routine.instructions);
        for instruction in &mut instructions {
            let result = instruction.renumber(|table, id| self.settle(table, id));
            if let Err(error) = result {
                self.wrong(BuildError::Encode(error));
            }
            let unknown = instruction.uses().find(|used| !self.tables.routine.has(used.table, used.id));
            if let Some(used) = unknown {
                self.wrong(BuildError::Unknown(used.table, used.id));
            }
        }
        self.tables.routine.instructions = instructions;
        if let Some(label) = self.labels.iter().find(|l| l.id.is_some() && !l.placed) {
            let name = label.name.clone();
            self.wrong(BuildError::NotPlaced(name));
        }
        match self.problem {
            Some(problem) => Err(problem),
            None => Ok(self.tables.routine),
        }
    }

    /// Returns the index of a label or a string in the routine's tables. The first use of the label
    /// or string creates its entry.
    fn settle(&mut self, table: Table, id: u32) -> u32 {
        match table {
            Table::Label => {
                let Some(label) = self.labels.get_mut(id as usize) else { return u32::MAX };
                let tables = &mut self.tables;
                let name = &label.name;
                label.id.get_or_insert_with(|| {
                    let string = tables.intern(name);
                    tables.label(string, label.kind)
                });
                label.id.map_or(u32::MAX, |id| id.0)
            }
            Table::String => self.strings.get(id as usize).map_or(u32::MAX, |text| self.tables.intern(text).0),
            _ => id,
        }
    }

    fn pending(&mut self, name: &str, kind: LabelKind) -> LabelId {
        if !self.label_names.insert(name.to_owned()) {
            self.wrong(BuildError::Duplicate(name.to_owned()));
        }
        self.labels.push(Pending { name: name.to_owned(), kind, placed: false, id: None });
        LabelId(u32::try_from(self.labels.len() - 1).unwrap_or(u32::MAX))
    }

    /// Returns the string of a variable's name; an empty name stands for the default name from
    /// `usual`.
    fn declared(&mut self, name: &str, usual: impl FnOnce() -> String) -> StringId {
        let name = if name.is_empty() { usual() } else { name.to_owned() };
        let id = self.tables.intern(&name);
        if !self.variables.insert(name.clone()) {
            self.wrong(BuildError::Duplicate(name));
        }
        id
    }

    /// Records a problem; the first one is kept.
    fn wrong(&mut self, problem: BuildError) {
        self.problem.get_or_insert(problem);
    }
}

/// Returns the name of a variable by its number.
pub(crate) fn numbered(class: DeclaredClass, number: impl fmt::Display) -> String {
    format!("{}{number}", class.letter().name())
}
