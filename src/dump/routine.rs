//! Tables and code of a routine.

use serde::Serialize;

use super::fields::{Field, fields};
#[cfg(test)]
use super::schema;
use super::{alignment, hex};
use crate::isa::{AttributeInfo, Platform, predefined, predefined_surface};
use crate::object::{self, Object, RoutineKind};
use crate::rt::{Bytes, Names, Printer, Table};
use crate::text::{RoutineNames, Style};

/// A string of an object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Text {
    /// The string.
    Text(String),
    /// A string that is no UTF-8.
    Bytes {
        /// With a replacement character for what is no text.
        text: String,
        /// Its bytes.
        #[cfg_attr(test, schemars(with = "schema::Hexadecimal"))]
        bytes: String,
    },
}

impl Text {
    pub(super) fn new(bytes: &Bytes) -> Self {
        match std::str::from_utf8(bytes.as_slice()) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes { text: bytes.to_text(), bytes: hex(bytes.as_slice()) },
        }
    }
}

/// The tables and the code of a kernel or a function. Names are indices into `strings`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Routine {
    /// Kernel or function, and what only that kind has.
    #[serde(flatten)]
    pub kind: Code,
    /// The string pool.
    pub strings: Vec<Text>,
    /// The routine's name.
    pub name: u32,
    /// General variables.
    pub variables: Vec<Variable>,
    /// Address variables.
    pub addresses: Vec<Address>,
    /// Predicates.
    pub predicates: Vec<Predicate>,
    /// Labels.
    pub labels: Vec<Label>,
    /// Samplers.
    pub samplers: Vec<State>,
    /// Surfaces.
    pub surfaces: Vec<State>,
    /// Inputs of a kernel.
    pub inputs: Vec<Input>,
    /// Attributes of the routine.
    pub attributes: Vec<Attribute>,
    /// The code.
    pub instructions: Vec<Instruction>,
    /// The tables' record of code that was removed from the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stripped: Option<Stripped>,
}

/// Kernel or function.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Code {
    /// The host starts it.
    Kernel,
    /// Other routines call it.
    Function {
        /// Registers of `%arg` that it reads.
        input_size: u8,
        /// Registers of `%retval` that it writes.
        return_value_size: u8,
    },
}

/// The tables' record of code that was removed.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stripped {
    /// Bytes that it had.
    pub size: u32,
    /// Where it began in its routine.
    pub entry: u32,
}

/// An attribute.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attribute {
    /// Its name, in the string pool.
    pub name: u32,
    /// Its value.
    #[cfg_attr(test, schemars(with = "schema::Hexadecimal"))]
    pub value: String,
}

/// A general variable.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Variable {
    /// The number by which instructions name it.
    pub id: u32,
    /// Its name, in the string pool.
    pub name: u32,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: &'static str,
    /// Number of its elements.
    pub elements: u16,
    /// Its alignment.
    pub alignment: &'static str,
    /// The variable that it is a part of.
    pub alias: Alias,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// The variable that another one is a part of.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Alias {
    /// The other variable, 0 for none.
    pub id: u32,
    /// Bytes before this one.
    pub offset: u16,
    /// The scope of the other one, by the name of the page.
    pub scope: &'static str,
}

/// An address variable.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Address {
    /// The number by which instructions name it.
    pub id: u32,
    /// Its name, in the string pool.
    pub name: u32,
    /// Number of its elements.
    pub elements: u16,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// A predicate: as an address variable, its first id is 1.
pub type Predicate = Address;

/// A sampler or a surface.
pub type State = Address;

/// A label.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Label {
    /// The number by which instructions name it.
    pub id: u32,
    /// Its name, in the string pool.
    pub name: u32,
    /// Its kind, by the name of the page.
    pub kind: &'static str,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// An input of a kernel.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Input {
    /// Which table `id` counts in.
    #[cfg_attr(test, schemars(with = "schema::InputClass"))]
    pub class: &'static str,
    /// The variable.
    pub id: u32,
    /// Where it comes from: 0 for an argument of the kernel.
    #[cfg_attr(test, schemars(range(max = 31)))]
    pub origin: u64,
    /// Byte in the register file.
    pub offset: i16,
    /// Its bytes.
    pub size: u16,
}

/// An instruction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Instruction {
    /// The name of its page.
    pub name: &'static str,
    /// Its first byte.
    pub opcode: u8,
    /// Its second byte, where the opcode is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_opcode: Option<u8>,
    /// The name of its layout, where the page has several.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub form: &'static str,
    /// Its fields, as they are stored. Repeated fields come once for each element.
    pub fields: Vec<Field>,
    /// As the vendor's text has it.
    pub text: String,
}

pub(super) fn routine(object: &Object, r: &object::Routine, platform: Option<Platform>) -> Routine {
    let register_bytes = Platform::register_bytes_of(platform);
    let names = RoutineNames::new(r, object.version, register_bytes, Style::Vendor);
    let attributes = |all: &[AttributeInfo]| {
        all.iter().map(|a| Attribute { name: a.name.0, value: hex(a.value.as_slice()) }).collect::<Vec<_>>()
    };
    let plain = |id: u32, name: u32, elements: u16, all: &[AttributeInfo]| Address {
        id,
        name,
        elements,
        attributes: attributes(all),
    };
    let variables = (predefined::DECLARED..).zip(&r.variables).map(|(id, v)| Variable {
        id,
        name: v.name_index.0,
        data_type: v.bit_properties.type_.name(),
        elements: v.num_elements,
        alignment: alignment(v.bit_properties.alignment),
        alias: Alias { id: v.alias_index.0, offset: v.alias_offset, scope: v.alias_scope_specifier.name() },
        attributes: attributes(&v.attribute_info),
    });
    let labels = (0..).zip(&r.labels).map(|(id, l)| Label {
        id,
        name: l.name_index.0,
        kind: l.kind.name(),
        attributes: attributes(&l.attribute_info),
    });
    let inputs = r.inputs.iter().map(|i| Input {
        class: i.kind.class.name(),
        id: i.id,
        origin: crate::rt::Bits::to_bits(&i.kind.origin).unwrap_or_default(),
        offset: i.offset,
        size: i.size,
    });
    Routine {
        kind: match r.kind {
            RoutineKind::Kernel => Code::Kernel,
            RoutineKind::Function { input_size, return_value_size } => {
                Code::Function { input_size, return_value_size }
            }
        },
        strings: r.strings.iter().map(Text::new).collect(),
        name: r.name.0,
        variables: variables.collect(),
        addresses: (0..)
            .zip(&r.addresses)
            .map(|(id, a)| plain(id, a.name_index.0, a.num_elements, &a.attribute_info))
            .collect(),
        predicates: (1..)
            .zip(&r.predicates)
            .map(|(id, p)| plain(id, p.name_index.0, p.num_elements, &p.attribute_info))
            .collect(),
        labels: labels.collect(),
        samplers: (0..)
            .zip(&r.samplers)
            .map(|(id, s)| plain(id, s.name_index.0, s.num_elements, &s.attribute_info))
            .collect(),
        surfaces: (predefined_surface::DECLARED..)
            .zip(&r.surfaces)
            .map(|(id, s)| plain(id, s.name_index.0, s.num_elements, &s.attribute_info))
            .collect(),
        inputs: inputs.collect(),
        attributes: attributes(&r.attributes),
        instructions: r.instructions.iter().map(|i| instruction(i, &names)).collect(),
        stripped: r.stripped.map(|s| Stripped { size: s.size, entry: s.entry }),
    }
}

fn instruction(instruction: &crate::isa::Instruction, names: &RoutineNames<'_>) -> Instruction {
    let (page, form) = (instruction.page(), instruction.form());
    let mut printer = Printer::new(String::new(), names);
    instruction.print(&mut printer);
    Instruction {
        name: page.name,
        opcode: page.opcode,
        sub_opcode: page.sub_opcode,
        form: form.name,
        fields: fields(instruction, names),
        text: printer.into_text(),
    }
}

/// The name of an entry of a table, where it has one.
pub(super) fn name(names: &RoutineNames<'_>, table: Table, id: u32) -> Option<String> {
    names.name(table, id)
}
