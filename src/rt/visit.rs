//! Visitors of the fields of an instruction, to read or to change them; uses and definitions.

use core::any::Any;
use core::fmt;

use super::super::isa::{
    AddressId, GeneralId, Instruction, InstructionGroup, LabelId, Operand, Predicate, RawOperand, StateClass,
    VecOperand, predefined,
};
use super::bytes::Bits;
use super::error::{EncodeError, narrow};

/// Table of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(
    missing_docs,
    reason = "the names are the specification's; a private copy of this module has nothing to expect"
)]
pub enum Table {
    General,
    Address,
    Predicate,
    Sampler,
    Surface,
    Label,
    String,
}

impl Table {
    /// Returns the pages' word for the entries of the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Address => "address",
            Self::Predicate => "predicate",
            Self::Sampler => "sampler",
            Self::Surface => "surface",
            Self::Label => "label",
            Self::String => "string",
        }
    }
}

/// Use of a variable by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The instruction reads the variable.
    Read,
    /// The instruction writes the variable. Disabled channels keep their values.
    Write,
    /// The instruction reads and writes the variable.
    ReadWrite,
    /// The instruction reads the predicate to select the active channels.
    Predicate,
    /// The instruction reads the address variable to locate an indirect operand.
    Address,
    /// The instruction only refers to the entry: a label, a string, or a variable whose address is
    /// taken or whose lifetime is marked.
    Reference,
}

impl Role {
    /// Returns true if the instruction uses the old value.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite | Self::Predicate | Self::Address)
    }

    /// Returns true if the instruction writes a value.
    pub const fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::ReadWrite)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::ReadWrite => "read, write",
            Self::Predicate => "predicate",
            Self::Address => "address",
            Self::Reference => "reference",
        })
    }
}

/// Field of an instruction's layout: its name on the page, and the use of the variable that it
/// names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Name of the field.
    pub name: &'static str,
    /// Use of the variable; `None` for a field that names none, such as a number or the bits of a
    /// list.
    pub role: Option<Role>,
}

/// Visitor of an instruction's fields; see [`Instruction::visit`].
pub trait Visitor<'a> {
    /// Visits a field by its position in the Format. A repeated field is visited once for each
    /// element, and the field that counts it has the number of elements.
    fn field(&mut self, position: usize, value: FieldRef<'a>);
}

/// Value of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldRef<'a> {
    /// A plain number.
    Number(i64),
    /// The bits of a list.
    Bits(u64),
    /// An index into a table.
    Index(Table, u32),
    /// A predicate.
    Predicate(Predicate),
    /// A vector or scalar operand.
    Vector(&'a VecOperand),
    /// A raw operand.
    Raw(&'a RawOperand),
}

/// Visitor that changes an instruction's fields; see [`Instruction::visit_mut`].
pub trait VisitorMut {
    /// Visits a field by its position in the Format. A repeated field is visited once for each
    /// element.
    fn field(&mut self, position: usize, value: FieldMut<'_>);
}

/// Mutable value of a field.
#[derive(Debug)]
pub enum FieldMut<'a> {
    /// A number or a list, in the type of the member of the instruction's struct:
    /// `value.downcast_mut::<ExecSize>()`.
    Value(&'a mut dyn Any),
    /// An index into a table.
    Index(Table, &'a mut u32),
    /// A predicate.
    Predicate(&'a mut Predicate),
    /// A vector or scalar operand.
    Vector(&'a mut VecOperand),
    /// A raw operand.
    Raw(&'a mut RawOperand),
}

/// Member of an instruction's struct that visitors can visit.
pub trait Visit {
    /// Passes the member to a visitor.
    fn visit<'a>(&'a self, position: usize, v: &mut dyn Visitor<'a>);
    /// Passes the member to a visitor that may change it.
    fn visit_mut(&mut self, position: usize, v: &mut dyn VisitorMut);
}

impl<T: Visit> Visit for Option<T> {
    fn visit<'a>(&'a self, position: usize, v: &mut dyn Visitor<'a>) {
        self.iter().for_each(|one| one.visit(position, v));
    }

    fn visit_mut(&mut self, position: usize, v: &mut dyn VisitorMut) {
        self.iter_mut().for_each(|one| one.visit_mut(position, v));
    }
}

impl<T: Visit> Visit for Vec<T> {
    fn visit<'a>(&'a self, position: usize, v: &mut dyn Visitor<'a>) {
        self.iter().for_each(|one| one.visit(position, v));
    }

    fn visit_mut(&mut self, position: usize, v: &mut dyn VisitorMut) {
        self.iter_mut().for_each(|one| one.visit_mut(position, v));
    }
}

impl Visit for VecOperand {
    fn visit<'a>(&'a self, position: usize, v: &mut dyn Visitor<'a>) {
        v.field(position, FieldRef::Vector(self));
    }

    fn visit_mut(&mut self, position: usize, v: &mut dyn VisitorMut) {
        v.field(position, FieldMut::Vector(self));
    }
}

impl Visit for RawOperand {
    fn visit<'a>(&'a self, position: usize, v: &mut dyn Visitor<'a>) {
        v.field(position, FieldRef::Raw(self));
    }

    fn visit_mut(&mut self, position: usize, v: &mut dyn VisitorMut) {
        v.field(position, FieldMut::Raw(self));
    }
}

impl Visit for Predicate {
    fn visit<'a>(&'a self, position: usize, v: &mut dyn Visitor<'a>) {
        v.field(position, FieldRef::Predicate(*self));
    }

    fn visit_mut(&mut self, position: usize, v: &mut dyn VisitorMut) {
        v.field(position, FieldMut::Predicate(self));
    }
}

/// List that is the type of whole fields.
pub trait ListField: Bits {
    /// Name of the list on the page.
    const LIST: &'static str;
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Visit for $number {
            fn visit<'a>(&'a self, position: usize, v: &mut dyn Visitor<'a>) {
                v.field(position, FieldRef::Number(*self as i64));
            }

            fn visit_mut(&mut self, position: usize, v: &mut dyn VisitorMut) {
                v.field(position, FieldMut::Value(self));
            }
        })*
    };
}

numbers!(u8 i8 u16 i16 u32 i32 u64 i64);

/// Operand of an instruction: a field that names a variable, or a constant in its place.
#[derive(Clone, Copy, Debug)]
pub struct OperandRef<'a> {
    /// Position of the field in the Format.
    pub position: usize,
    /// Name of the field on the page.
    pub name: &'static str,
    /// Use of the operand by the instruction.
    pub role: Role,
    /// Value of the operand.
    pub value: FieldRef<'a>,
}

/// Use of a variable, label or string by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// Table of the entry.
    pub table: Table,
    /// Id of the entry.
    pub id: u32,
    /// Use of the entry.
    pub role: Role,
}

impl Instruction {
    /// Returns the operands and their roles, in the order of the page's Format. An absent predicate
    /// is left out.
    ///
    /// ```
    /// # use visakit::isa::{Add, GenOpnd, GeneralId, Instruction, Operand, VecOperand};
    /// # use visakit::rt::Role;
    /// let add = Instruction::from(Add::default());
    /// let roles: Vec<_> = add.operands().map(|o| (o.name, o.role)).collect();
    /// assert_eq!(roles, [("Dst", Role::Write), ("Src0", Role::Read), ("Src1", Role::Read)]);
    /// ```
    pub fn operands(&self) -> impl Iterator<Item = OperandRef<'_>> {
        struct Collect<'a> {
            fields: &'static [FieldInfo],
            out: Vec<OperandRef<'a>>,
        }
        impl<'a> Visitor<'a> for Collect<'a> {
            fn field(&mut self, position: usize, value: FieldRef<'a>) {
                let Some(FieldInfo { name, role: Some(role) }) = self.fields.get(position).copied() else { return };
                if !matches!(value, FieldRef::Predicate(Predicate { id: 0, .. })) {
                    self.out.push(OperandRef { position, name, role, value });
                }
            }
        }
        let fields = self.fields();
        let mut collect = Collect { fields, out: Vec::with_capacity(fields.len()) };
        self.visit(&mut collect);
        collect.out.into_iter()
    }

    /// Returns every variable, label and string that the instruction names, with its role:
    /// operands, the predicate, and the address variables of indirect operands. Targets of the
    /// addresses are known only at run time. The null variable does not count.
    ///
    /// ```
    /// # use visakit::isa::{GeneralId, Instruction};
    /// # use visakit::rt::{Role, Table, Use};
    /// let text = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=8\n.decl A0 v_type=A num_elts=1\n\
    ///             .decl P1 v_type=P num_elts=8\n(P1) mov (M1, 8) V32(0,0)<1> r[A0(0),0]<8;8,1>:f\n    ret (M1, 1)\n";
    /// let routine = visakit::text::parse(text, Default::default()).unwrap().routine;
    /// let uses: Vec<_> = routine.instructions[0].uses().map(|u| (u.table, u.role)).collect();
    /// assert_eq!(
    ///     uses,
    ///     [(Table::Predicate, Role::Predicate), (Table::General, Role::Write), (Table::Address, Role::Address)]
    /// );
    /// ```
    pub fn uses(&self) -> impl Iterator<Item = Use> {
        self.operands().filter_map(|operand| operand.used())
    }

    /// Returns true if a group of the pages contains the instruction.
    ///
    /// ```
    /// # use visakit::isa::{Instruction, InstructionGroup, Ret};
    /// assert!(Instruction::from(Ret::default()).is_in(InstructionGroup::SubroutineReturn));
    /// ```
    pub fn is_in(&self, group: InstructionGroup) -> bool {
        self.page().is_in(group)
    }

    /// Returns the labels that the instruction names.
    pub fn labels(&self) -> impl Iterator<Item = LabelId> {
        self.uses().filter(|used| used.table == Table::Label).map(|used| LabelId(used.id))
    }

    /// Returns the label that the instruction places in the code.
    pub fn placed_label(&self) -> Option<LabelId> {
        let places = self.is_in(InstructionGroup::BlockStart) || self.is_in(InstructionGroup::SubroutineStart);
        if places { self.labels().next() } else { None }
    }

    /// Returns the predicate that enables channels; `None` for an instruction without one, and for
    /// an absent predicate.
    pub fn predicate(&self) -> Option<Predicate> {
        self.operands().find_map(|operand| match operand.value {
            FieldRef::Predicate(predicate) => Some(predicate),
            _ => None,
        })
    }

    /// Returns the value of the first field that has a list as its type.
    ///
    /// ```
    /// # use visakit::isa::{ExecSize, Instruction, Owords, Ret};
    /// let ret = Instruction::from(Ret::default());
    /// let lists = (ret.list::<ExecSize>(), ret.list::<Owords>());
    /// assert_eq!(lists, (Some(ExecSize::default()), None));
    /// ```
    pub fn list<T: ListField>(&self) -> Option<T> {
        struct Find<T> {
            fields: &'static [super::reflect::Field],
            found: Option<T>,
        }
        impl<T: ListField> Visitor<'_> for Find<T> {
            fn field(&mut self, position: usize, value: FieldRef<'_>) {
                if let (Some(field), FieldRef::Bits(bits), None) = (self.fields.get(position), value, &self.found)
                    && field.list.is_some_and(|list| list.name == T::LIST)
                {
                    self.found = T::from_bits(bits).ok();
                }
            }
        }
        let mut find = Find { fields: self.form().fields, found: None };
        self.visit(&mut find);
        find.found
    }

    /// Renumbers every variable, label and string that the instruction names. `new` maps a table
    /// and an old id to the new id.
    ///
    /// ```
    /// # use visakit::isa::{Goto, Instruction, LabelId};
    /// # use visakit::rt::Table;
    /// let mut goto = Instruction::from(Goto { label: LabelId(3), ..Default::default() });
    /// goto.renumber(|table, id| if table == Table::Label { id + 10 } else { id }).unwrap();
    /// assert!(goto.to_string().ends_with("L13"));
    /// ```
    ///
    /// # Errors
    /// A new id is too large for its operand.
    pub fn renumber(&mut self, new: impl FnMut(Table, u32) -> u32) -> Result<(), EncodeError> {
        struct Renumber<F> {
            new: F,
            result: Result<(), EncodeError>,
        }
        impl<F: FnMut(Table, u32) -> u32> Renumber<F> {
            fn small(&mut self, table: Table, id: &mut u16) {
                match narrow::<u16>((self.new)(table, u32::from(*id)), "the number of a variable") {
                    Ok(new) => *id = new,
                    Err(error) => self.result = Err(error),
                }
            }
        }
        impl<F: FnMut(Table, u32) -> u32> VisitorMut for Renumber<F> {
            fn field(&mut self, _: usize, value: FieldMut<'_>) {
                match value {
                    FieldMut::Value(_) => {}
                    FieldMut::Index(table, id) => *id = (self.new)(table, *id),
                    // Id 0 means no predicate.
                    FieldMut::Predicate(Predicate { id: 0, .. }) => {}
                    FieldMut::Predicate(predicate) => self.small(Table::Predicate, &mut predicate.id),
                    FieldMut::Raw(raw) => raw.id.0 = (self.new)(Table::General, raw.id.0),
                    FieldMut::Vector(operand) => match &mut operand.operand {
                        Operand::General(general) => general.id.0 = (self.new)(Table::General, general.id.0),
                        Operand::Address(address) => address.id.0 = (self.new)(Table::Address, address.id.0),
                        Operand::Indirect(indirect) => indirect.id.0 = (self.new)(Table::Address, indirect.id.0),
                        Operand::Predicate(predicate) => self.small(Table::Predicate, &mut predicate.value.id),
                        Operand::State(state) => self.small(state.class.table(), &mut state.id),
                        Operand::Immediate(_) => {}
                    },
                }
            }
        }
        let mut renumber = Renumber { new, result: Ok(()) };
        self.visit_mut(&mut renumber);
        renumber.result
    }
}

impl OperandRef<'_> {
    /// Returns the table's entry that the operand names, with its role; `None` for a constant and
    /// the null variable.
    pub fn used(&self) -> Option<Use> {
        let (table, id, role) = match self.value {
            FieldRef::Number(_) | FieldRef::Bits(_) => return None,
            FieldRef::Index(table, id) => (table, id, self.role),
            FieldRef::Predicate(predicate) => (Table::Predicate, u32::from(predicate.id), self.role),
            FieldRef::Raw(RawOperand { id: GeneralId(id), .. }) => (Table::General, *id, self.role),
            FieldRef::Vector(operand) => match &operand.operand {
                Operand::General(general) => (Table::General, general.id.0, self.role),
                // Only variables can be referred to; an address in the place of a variable is read.
                Operand::Address(address) => {
                    let role = if self.role == Role::Reference { Role::Read } else { self.role };
                    (Table::Address, address.id.0, role)
                }
                Operand::Indirect(indirect) => {
                    let AddressId(id) = indirect.id;
                    (Table::Address, id, Role::Address)
                }
                Operand::Predicate(predicate) => (Table::Predicate, u32::from(predicate.value.id), self.role),
                Operand::State(state) => (state.class.table(), u32::from(state.id), self.role),
                Operand::Immediate(_) => return None,
            },
        };
        let null = table == Table::General && id == predefined::NULL.0;
        (!null).then_some(Use { table, id, role })
    }
}

impl StateClass {
    /// Returns the table of the class.
    pub const fn table(self) -> Table {
        match self {
            Self::Surface => Table::Surface,
            Self::Sampler => Table::Sampler,
        }
    }
}
