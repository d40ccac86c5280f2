//! Fields of an instruction.

use serde::Serialize;
use std::borrow::Cow;

#[cfg(test)]
use super::schema;
use crate::isa::{Instruction, Operand, Predicate, RawOperand, VecOperand};
use crate::rt::{FieldRef, Names, Table, Visitor, reflect};
use crate::text::RoutineNames;

/// Field of an instruction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Field {
    /// Name of the field on the page.
    pub name: &'static str,
    /// Value of the field.
    #[serde(flatten)]
    pub value: Value,
}

/// Value of a field. Names of variables follow the vendor's text syntax; an id without a name has
/// none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum Value {
    /// A plain number.
    Number { value: i64 },
    /// A bit field or an enumeration: its bits, and the name of each part's value.
    Bits { value: u64, parts: Vec<PartValue> },
    /// An index into a table of the routine.
    Index { table: &'static str, id: u32, variable: Option<String> },
    /// The predicate of an instruction; id 0 means none.
    Predicate { id: u16, inverse: bool, combine: &'static str },
    /// A general variable with a region.
    General {
        modifier: &'static str,
        id: u32,
        variable: Option<String>,
        #[serde(rename = "type")]
        data_type: Option<&'static str>,
        row: u8,
        column: u8,
        region: Region,
    },
    /// An address variable.
    Address { modifier: &'static str, id: u32, variable: Option<String>, offset: u8, width: &'static str },
    /// A predicate as an operand.
    PredicateOperand { modifier: &'static str, id: u16, inverse: bool, combine: &'static str },
    /// Indirect access to a general variable through an address variable.
    Indirect {
        modifier: &'static str,
        id: u32,
        variable: Option<String>,
        element: u8,
        offset: i16,
        #[serde(rename = "type")]
        data_type: &'static str,
        spare: u8,
        region: Region,
    },
    /// A constant; `bits` is hexadecimal.
    Immediate {
        modifier: &'static str,
        #[serde(rename = "type")]
        data_type: &'static str,
        #[cfg_attr(test, schemars(with = "schema::Bits"))]
        bits: String,
    },
    /// A surface or sampler variable.
    State {
        modifier: &'static str,
        #[cfg_attr(test, schemars(with = "schema::StateClass"))]
        class: &'static str,
        id: u16,
        variable: Option<String>,
        offset: u8,
    },
    /// Contiguous bytes of a general variable.
    Raw { id: u32, variable: Option<String>, offset: u16 },
}

/// Part of a bit field. The name is empty where the whole field is one enumeration.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartValue {
    /// Name of the part.
    pub part: &'static str,
    /// Value of the part.
    pub value: u64,
    /// Name of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
}

/// Region of an operand; `null` stands for an absent stride.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Region {
    /// Distance between rows, in elements.
    pub vertical_stride: &'static str,
    /// Elements per row.
    pub width: &'static str,
    /// Distance between elements of a row.
    pub horizontal_stride: &'static str,
}

/// Returns the fields of an instruction in storage order.
pub(super) fn fields(instruction: &Instruction, names: &RoutineNames<'_>) -> Vec<Field> {
    let mut collect = Collect { fields: instruction.form().fields, names, out: Vec::new() };
    instruction.visit(&mut collect);
    collect.out
}

struct Collect<'a> {
    fields: &'static [reflect::Field],
    names: &'a RoutineNames<'a>,
    out: Vec<Field>,
}

impl Visitor<'_> for Collect<'_> {
    fn field(&mut self, position: usize, value: FieldRef<'_>) {
        let Some(field) = self.fields.get(position) else { return };
        let value = match value {
            FieldRef::Number(value) => Value::Number { value },
            FieldRef::Bits(value) => {
                Value::Bits { value, parts: field.list.map_or_else(Vec::new, |l| parts(l, value)) }
            }
            // An index whose table depends on another field's enumerator is shown as a plain
            // number.
            FieldRef::Index(_, id) => match field.table {
                None => Value::Number { value: i64::from(id) },
                Some(table) => Value::Index { table: table.name(), id, variable: name(self.names, table, id) },
            },
            FieldRef::Predicate(Predicate { id, inverse, combine, .. }) => {
                Value::Predicate { id, inverse, combine: combine.name() }
            }
            FieldRef::Vector(operand) => self.vector(operand),
            FieldRef::Raw(RawOperand { id, offset }) => {
                Value::Raw { id: id.0, variable: name(self.names, Table::General, id.0), offset: *offset }
            }
        };
        self.out.push(Field { name: field.name, value });
    }
}

impl Collect<'_> {
    fn vector(&self, operand: &VecOperand) -> Value {
        let modifier = operand.modifier.name();
        match &operand.operand {
            Operand::General(g) => Value::General {
                modifier,
                id: g.id.0,
                variable: name(self.names, Table::General, g.id.0),
                data_type: self.names.data_type(g.id).map(|t| t.name()),
                row: g.row_offset,
                column: g.col_offset,
                region: region(g.region),
            },
            Operand::Address(a) => Value::Address {
                modifier,
                id: a.id.0,
                variable: name(self.names, Table::Address, a.id.0),
                offset: a.offset,
                width: a.width.text(),
            },
            Operand::Predicate(p) => Value::PredicateOperand {
                modifier,
                id: p.value.id,
                inverse: p.value.inverse,
                combine: p.value.combine.name(),
            },
            Operand::Indirect(i) => Value::Indirect {
                modifier,
                id: i.id.0,
                variable: name(self.names, Table::Address, i.id.0),
                element: i.addr_offset,
                offset: i.indirect_offset,
                data_type: i.bit_properties.type_.name(),
                spare: i.bit_properties.spare,
                region: region(i.region),
            },
            Operand::Immediate(c) => {
                let bits = u64::from(c.low) | u64::from(c.high.unwrap_or(0)) << 32;
                Value::Immediate { modifier, data_type: c.type_.name(), bits: format!("0x{bits:x}") }
            }
            Operand::State(s) => {
                let variable = name(self.names, s.class.table(), u32::from(s.id));
                Value::State { modifier, class: s.class.name(), id: s.id, variable, offset: s.offset }
            }
        }
    }
}

fn region(region: crate::isa::Region) -> Region {
    Region {
        vertical_stride: region.vertical_stride.name(),
        width: region.width.name(),
        horizontal_stride: region.horizontal_stride.name(),
    }
}

fn parts(list: &reflect::List, bits: u64) -> Vec<PartValue> {
    let parts = list.parts.iter().filter(|p| !p.zero);
    parts
        .map(|p| {
            let mask = 1u64.checked_shl(p.width).map_or(u64::MAX, |m| m - 1);
            let value = bits >> p.lo & mask;
            let name = p.values.iter().find(|v| v.value == value).map(|v| v.name);
            PartValue { part: p.name, value, name }
        })
        .collect()
}

/// Returns the name of a table's entry, if it has one.
pub(super) fn name(names: &RoutineNames<'_>, table: Table, id: u32) -> Option<String> {
    names.name(table, id).map(Cow::into_owned)
}
