//! Tables and code of a routine.

use serde::Serialize;

use super::fields::{Field, fields};
#[cfg(test)]
use super::schema;
use super::{alignment, hex};
use crate::isa::{AttributeInfo, Platform, predefined, predefined_surface};
use crate::object::{self, Object, RoutineKind};
use crate::rt::{Bytes, Printer};
use crate::text::{RoutineNames, Style};

/// String of an object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Text {
    /// A UTF-8 string.
    Text(String),
    /// A string that is not UTF-8.
    Bytes {
        /// Text with a replacement character for each invalid sequence.
        text: String,
        /// Bytes of the string, as hexadecimal.
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

/// Tables and code of a kernel or a function. Names are indices into `strings`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Routine {
    /// Kind of the routine, with the fields of that kind.
    #[serde(flatten)]
    pub kind: Code,
    /// String pool.
    pub strings: Vec<Text>,
    /// Name of the routine.
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
    /// Instructions.
    pub instructions: Vec<Instruction>,
    /// Facts that the tables keep about code that was removed from the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stripped: Option<Stripped>,
}

/// Kind of a routine.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Code {
    /// A kernel, which the host starts.
    Kernel,
    /// A function, which other routines call.
    Function {
        /// Registers of `%arg` that the function reads.
        input_size: u8,
        /// Registers of `%retval` that the function writes.
        return_value_size: u8,
    },
}

/// Facts that the tables keep about removed code.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stripped {
    /// Size of the removed code in bytes.
    pub size: u32,
    /// Byte offset of the removed code in its routine.
    pub entry: u32,
}

/// Attribute of a routine, a variable or a label.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attribute {
    /// Index of the name in the string pool.
    pub name: u32,
    /// Value of the attribute.
    #[cfg_attr(test, schemars(with = "schema::Hexadecimal"))]
    pub value: String,
}

/// General variable.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Variable {
    /// Id of the variable in instructions.
    pub id: u32,
    /// Index of the name in the string pool.
    pub name: u32,
    /// Data type of an element.
    #[serde(rename = "type")]
    pub data_type: &'static str,
    /// Number of elements.
    pub elements: u16,
    /// Alignment of the variable.
    pub alignment: &'static str,
    /// Variable that this one is an alias of.
    pub alias: Alias,
    /// Attributes of the variable.
    pub attributes: Vec<Attribute>,
}

/// Target of an alias.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Alias {
    /// Id of the aliased variable, 0 for none.
    pub id: u32,
    /// Offset in bytes into the aliased variable.
    pub offset: u16,
    /// Scope of the aliased variable, by the page's name.
    pub scope: &'static str,
}

/// Address variable.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Address {
    /// Id of the variable in instructions.
    pub id: u32,
    /// Index of the name in the string pool.
    pub name: u32,
    /// Number of elements.
    pub elements: u16,
    /// Attributes of the variable.
    pub attributes: Vec<Attribute>,
}

/// Predicate, with the fields of an address variable; ids start at 1.
pub type Predicate = Address;

/// Sampler or surface, with the fields of an address variable.
pub type State = Address;

/// Label.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Label {
    /// Id of the label in instructions.
    pub id: u32,
    /// Index of the name in the string pool.
    pub name: u32,
    /// Kind of the label, by the page's name.
    pub kind: &'static str,
    /// Attributes of the label.
    pub attributes: Vec<Attribute>,
}

/// Input of a kernel.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Input {
    /// Table that `id` refers to.
    #[cfg_attr(test, schemars(with = "schema::InputClass"))]
    pub class: &'static str,
    /// Id of the variable.
    pub id: u32,
    /// Origin of the value: 0 for an argument of the kernel.
    #[cfg_attr(test, schemars(range(max = 31)))]
    pub origin: u64,
    /// Byte offset in the register file.
    pub offset: i16,
    /// Size in bytes.
    pub size: u16,
}

/// Instruction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Instruction {
    /// Name of the instruction's page.
    pub name: &'static str,
    /// First byte of the instruction.
    pub opcode: u8,
    /// Second byte, where several instructions share the opcode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_opcode: Option<u8>,
    /// Name of the layout, where the page has several.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub form: &'static str,
    /// Fields in storage order. A repeated field has one entry for each repetition.
    pub fields: Vec<Field>,
    /// Instruction in the vendor's text syntax.
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
