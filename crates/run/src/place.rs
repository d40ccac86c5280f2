//! The memory that a bug is about.

use serde::Serialize;

use visakit_launch::argument::Parameter;
use visakit_machine::observer::{Access, Allocation, LaunchMap, LocalPart, Space};

/// A place in memory or in registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// What it is a place of.
    pub memory: MemoryKind,
    /// The argument that it belongs to, or is nearest to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<u32>,
    /// The name of the argument or variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Bytes behind the beginning of that; the address where it belongs to nothing.
    pub offset: i64,
    /// Bytes that are accessed.
    pub size: u32,
    /// Bytes that there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// How many bytes behind the end of these an access ends that is not inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<u64>,
}

/// What a place is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum MemoryKind {
    Global,
    Local,
    Private,
    /// The program's own data.
    Program,
    /// A surface that nothing is bound to, or an address that is nowhere.
    Nothing,
    Register,
}

impl Place {
    /// Where an access goes.
    pub fn of(access: &Access, map: &LaunchMap, parameters: &[Parameter]) -> Self {
        let region = access.buffer.and_then(|number| map.buffers.get(number));
        let (memory, argument, start, bytes) = match (access.space, region) {
            (Space::Local, _) => {
                let nobody = LocalPart { argument: None, start: 0, bytes: map.local_bytes };
                let part = map.local_part(access.offset).unwrap_or(&nobody);
                (MemoryKind::Local, part.argument, part.start, Some(part.bytes.into()))
            }
            (Space::Scratch, _) => (MemoryKind::Private, None, 0, None),
            (_, Some(region)) if region.argument.is_none() => (MemoryKind::Program, None, 0, Some(region.bytes)),
            (_, Some(region)) => (MemoryKind::Global, region.argument, 0, Some(region.bytes)),
            (_, None) => (MemoryKind::Nothing, None, 0, None),
        };
        let offset = access.offset as i64 - i64::from(start);
        let end = offset.saturating_add(access.size.into());
        let past = bytes.and_then(|bytes| u64::try_from(end).ok()?.checked_sub(bytes)).filter(|past| *past > 0);
        Self { memory, argument, name: name_of(argument, parameters), offset, size: access.size, bytes, past }
    }

    /// It in words.
    pub fn words(&self) -> String {
        let Self { memory, offset, .. } = self;
        let argument = self.argument.map(|index| argument(index, self.name.as_deref())).unwrap_or_default();
        match memory {
            MemoryKind::Local if !argument.is_empty() => {
                format!("offset {offset} of {argument} in shared local memory")
            }
            MemoryKind::Local => format!("offset {offset} of shared local memory"),
            MemoryKind::Private => format!("offset {offset} of private memory"),
            MemoryKind::Program => format!("offset {offset} of the program's own data"),
            MemoryKind::Global => format!("offset {offset} of {argument}"),
            MemoryKind::Nothing => format!("0x{offset:x}"),
            MemoryKind::Register => format!("`{}`", self.name.as_deref().unwrap_or_default()),
        }
    }
}

/// The name of an argument, where the program tells it.
pub fn name_of(argument: Option<u32>, parameters: &[Parameter]) -> Option<String> {
    let parameter = parameters.iter().find(|parameter| Some(parameter.index) == argument)?;
    Some(parameter.name.clone()).filter(|name| !name.is_empty())
}

/// An argument in words.
pub fn argument(index: u32, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("argument {index} (`{name}`)"),
        None => format!("argument {index}"),
    }
}

/// The argument that ends or begins nearest to an address.
pub fn nearest(address: u64, map: &LaunchMap, parameters: &[Parameter]) -> String {
    let arguments = map.buffers.iter().filter_map(|region| Some((region, region.argument?)));
    let distance = |region: &Allocation| {
        let end = region.address + region.bytes;
        if address >= end { address - end } else { region.address.saturating_sub(address) }
    };
    match arguments.min_by_key(|(region, _)| distance(region)) {
        Some((region, index)) => {
            let side = if address >= region.address { "past the end" } else { "before the beginning" };
            let (name, bytes) = (argument(index, name_of(Some(index), parameters).as_deref()), region.bytes);
            format!("{} bytes {side} of {name}, which has {bytes} bytes", distance(region))
        }
        None => "where the kernel has no buffer".to_owned(),
    }
}
