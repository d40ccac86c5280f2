//! Dump of an object as plain data for other programs, in the format of `schema.json`.
//!
//! The dump is lossless except for what the format excludes. Bytes are hexadecimal, a string that
//! is not UTF-8 has its bytes as well, and an instruction's fields follow its page's Format.

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

/// Version of the format. The first number changes when a reader of the old format may fail, the
/// second when something is added.
pub const VERSION: &str = "1.0";

/// JSON Schema of the format, draft 2020-12. It is derived from the types; `cargo bless` writes it.
pub const SCHEMA: &str = include_str!("schema.json");

/// Dump of a whole object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Dump {
    /// Version of the format, [`VERSION`].
    #[cfg_attr(test, schemars(with = "schema::FormVersion"))]
    pub schema: &'static str,
    /// Version of the object's layout, such as `4.1`.
    #[cfg_attr(test, schemars(with = "schema::Version"))]
    pub version: String,
    /// Platform for which the texts of the instructions are printed. It decides the size of a
    /// register.
    pub platform: Option<&'static str>,
    /// Kernels of the object.
    pub kernels: Vec<Kernel>,
    /// Variables of file scope.
    pub variables: Vec<FileVariable>,
    /// Functions of the object.
    pub functions: Vec<Function>,
    /// Order of the parts in the file, where it is not the usual order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<Location>,
    /// Bytes after the last part.
    #[cfg_attr(test, schemars(with = "schema::Hexadecimal"))]
    pub padding: String,
}

/// Kernel of the header.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    /// Name of the kernel in the header.
    pub name: Text,
    /// Variables of file scope that the kernel uses: pairs of the kernel's index and the file's
    /// index.
    pub variable_relocations: Vec<[u16; 2]>,
    /// Functions that the kernel uses: pairs of the kernel's index and the file's index.
    pub function_relocations: Vec<[u16; 2]>,
    /// Tables and code of the kernel.
    pub routine: Routine,
    /// Native programs of the kernel.
    pub binaries: Vec<Binary>,
}

/// Function of the header.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Function {
    /// Name of the function in the header.
    pub name: Text,
    /// Linkage of the function, by the page's name.
    pub linkage: &'static str,
    /// Variables of file scope that the function uses: pairs of the function's index and the file's
    /// index.
    pub variable_relocations: Vec<[u16; 2]>,
    /// Functions that the function calls: pairs of the function's index and the file's index.
    pub function_relocations: Vec<[u16; 2]>,
    /// Tables and code of the function.
    pub routine: Routine,
}

/// Native program.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Binary {
    /// `gen_platform` code.
    pub code: u8,
    /// First platform with that code.
    pub platform: Option<&'static str>,
    /// Size in bytes.
    pub size: usize,
    /// Bytes of the program, as hexadecimal.
    #[cfg_attr(test, schemars(with = "schema::Hexadecimal"))]
    pub bytes: String,
}

/// Variable of file scope.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileVariable {
    /// Name of the variable.
    pub name: Text,
    /// Linkage of the variable, by the page's name.
    pub linkage: &'static str,
    /// Data type of an element.
    #[serde(rename = "type")]
    pub data_type: &'static str,
    /// Alignment of the variable.
    pub alignment: &'static str,
    /// Number of elements.
    pub elements: u16,
    /// Attributes: the index of the name in a string pool, and the bytes of the value.
    #[cfg_attr(test, schemars(with = "Vec<(u32, schema::Hexadecimal)>"))]
    pub attributes: Vec<(u32, String)>,
}

/// Part of the file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// A kernel, by number.
    Kernel(usize),
    /// A native program: the number of its kernel, and its number within the kernel.
    Native([usize; 2]),
    /// A function, by number.
    Function(usize),
    /// Bytes that belong to no part.
    Gap(#[cfg_attr(test, schemars(with = "schema::Hexadecimal"))] String),
}

/// Converts an object to the dump. The platform only affects the texts of the instructions.
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

/// Returns the name of an alignment in text syntax.
fn alignment(alignment: Alignment) -> &'static str {
    alignment.text()
}

/// Returns bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |n: u8| char::from(DIGITS[usize::from(n & 15)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(*b)]).collect()
}
