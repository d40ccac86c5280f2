//! An object as plain data for other programs, in the form that `schema.json` describes.
//!
//! Nothing is lost but what the form says is left out: bytes are hexadecimal, strings that are no
//! UTF-8 have their bytes beside them, and an instruction has its fields in the order of its page's
//! Format.

mod fields;
mod routine;
#[cfg(test)]
mod schema;

use serde::Serialize;

pub use fields::{Field, Region, Value};
pub use routine::{
    Address, Alias, Attribute, Code, Input, Instruction, Label, Predicate, Routine, State, Stripped, Text, Variable,
};

use crate::isa::{Alignment, Platform, VariableRelocSymtab};
use crate::object::{Object, ObjectPart};

/// The version of the form: the first number changes when a reader of the old form can go wrong,
/// the second when something is added.
pub const VERSION: &str = "1.0";

/// The JSON Schema of the form, draft 2020-12. It is derived from the types: `cargo bless` writes
/// it.
pub const SCHEMA: &str = include_str!("schema.json");

/// A whole object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Dump {
    /// [`VERSION`].
    #[cfg_attr(test, schemars(with = "schema::FormVersion"))]
    pub schema: &'static str,
    /// Version of the object's layout, such as `4.1`.
    #[cfg_attr(test, schemars(with = "schema::Version"))]
    pub version: String,
    /// The platform that the texts of the instructions are printed for, which decides the size of a
    /// register.
    pub platform: Option<&'static str>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// Variables of the file.
    pub variables: Vec<FileVariable>,
    /// The functions.
    pub functions: Vec<Function>,
    /// The order of the parts in the file, where it is not the usual one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<Location>,
    /// Bytes behind the last part.
    #[cfg_attr(test, schemars(with = "schema::Hexadecimal"))]
    pub padding: String,
}

/// A kernel of the header.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    /// Its name in the header.
    pub name: Text,
    /// Variables of the file that it uses: its own index and the file's.
    pub variable_relocations: Vec<[u16; 2]>,
    /// Functions that it uses: its own index and the file's.
    pub function_relocations: Vec<[u16; 2]>,
    /// Its tables and code.
    pub routine: Routine,
    /// Native programs.
    pub binaries: Vec<Binary>,
}

/// A function of the header.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Function {
    /// Its name in the header.
    pub name: Text,
    /// Its linkage, by the name of the page.
    pub linkage: &'static str,
    /// Variables of the file that it uses: its own index and the file's.
    pub variable_relocations: Vec<[u16; 2]>,
    /// Functions that it uses: its own index and the file's.
    pub function_relocations: Vec<[u16; 2]>,
    /// Its tables and code.
    pub routine: Routine,
}

/// A native program.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Binary {
    /// `gen_platform` code.
    pub code: u8,
    /// The first platform with that code.
    pub platform: Option<&'static str>,
    /// Number of its bytes.
    pub size: usize,
    /// Its bytes.
    #[cfg_attr(test, schemars(with = "schema::Hexadecimal"))]
    pub bytes: String,
}

/// A variable of the file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileVariable {
    /// Its name.
    pub name: Text,
    /// Its linkage, by the name of the page.
    pub linkage: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: &'static str,
    /// Its alignment.
    pub alignment: &'static str,
    /// Number of its elements.
    pub elements: u16,
    /// Names of attributes by their index in a string pool, and their bytes.
    #[cfg_attr(test, schemars(with = "Vec<(u32, schema::Hexadecimal)>"))]
    pub attributes: Vec<(u32, String)>,
}

/// A part of the file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// A kernel by its number.
    Kernel(usize),
    /// A native program by the numbers of its kernel and its own.
    Native([usize; 2]),
    /// A function by its number.
    Function(usize),
    /// Bytes that belong to nothing.
    Gap(#[cfg_attr(test, schemars(with = "schema::Hexadecimal"))] String),
}

/// An object in the form for other programs. The platform counts for the texts of the instructions
/// only.
///
/// ```
/// # let text = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";
/// # let object = visakit::text::parse(text, Default::default()).unwrap().into_object();
/// let dump = visakit::dump::dump(&object, None);
/// assert_eq!(dump.kernels[0].routine.instructions[0].name, "RET");
/// ```
pub fn dump(object: &Object, platform: Option<Platform>) -> Dump {
    let platform = platform.or(object.platform());
    let routine = |r| routine::routine(object, r, platform);
    let kernels = object.kernels.iter().map(|k| Kernel {
        name: Text::new(&k.name),
        variable_relocations: relocations(&k.variable_relocations),
        function_relocations: pairs(k.function_relocations.iter().map(|r| (r.symbolic_index, r.resolved_index))),
        routine: routine(&k.routine),
        binaries: k.binaries.iter().map(binary).collect(),
    });
    let functions = object.functions.iter().map(|f| Function {
        name: Text::new(&f.name),
        linkage: f.linkage.name(),
        variable_relocations: relocations(&f.variable_relocations),
        function_relocations: pairs(f.function_relocations.iter().map(|r| (r.symbolic_index, r.resolved_index))),
        routine: routine(&f.routine),
    });
    let variables = object.variables.iter().map(|v| FileVariable {
        name: Text::new(&v.name),
        linkage: v.linkage.name(),
        data_type: v.bit_properties.type_.name(),
        alignment: alignment(v.bit_properties.alignment),
        elements: v.num_elements,
        attributes: v.attribute_info.iter().map(|a| (a.name.0, hex(a.value.as_slice()))).collect(),
    });
    Dump {
        schema: VERSION,
        version: object.version.to_string(),
        platform: platform.map(Platform::name),
        kernels: kernels.collect(),
        variables: variables.collect(),
        functions: functions.collect(),
        order: object.order.iter().map(place).collect(),
        padding: hex(&object.padding),
    }
}

fn binary(binary: &crate::object::NativeBinary) -> Binary {
    Binary {
        code: binary.platform,
        platform: Platform::from_gen_code(binary.platform).map(Platform::name),
        size: binary.code.len(),
        bytes: hex(&binary.code),
    }
}

fn place(part: &ObjectPart) -> Location {
    match part {
        ObjectPart::Kernel(number) => Location::Kernel(*number),
        ObjectPart::Native(kernel, number) => Location::Native([*kernel, *number]),
        ObjectPart::Function(number) => Location::Function(*number),
        ObjectPart::Gap(bytes) => Location::Gap(hex(bytes.as_slice())),
    }
}

fn relocations(all: &[VariableRelocSymtab]) -> Vec<[u16; 2]> {
    pairs(all.iter().map(|r| (r.symbolic_index, r.resolved_index)))
}

fn pairs(all: impl Iterator<Item = (u16, u16)>) -> Vec<[u16; 2]> {
    all.map(|(a, b)| [a, b]).collect()
}

/// The name of an alignment as texts have it.
fn alignment(alignment: Alignment) -> &'static str {
    alignment.text()
}

/// Bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |n: u8| char::from(DIGITS[usize::from(n & 15)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(*b)]).collect()
}
