//! Memory locations of bugs.

use serde::Serialize;

use visakit_launch::argument::Parameter;
use visakit_machine::observer::{Access, Allocation, LaunchMap, LocalPart, Space};

/// A location in memory or registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Kind of memory.
    pub memory: MemoryKind,
    /// Index of the argument that contains the location or is nearest to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<u32>,
    /// Name of the argument or variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Offset in bytes from the start of the argument or variable; the address for other memory.
    pub offset: i64,
    /// Size of the access in bytes.
    pub size: u32,
    /// Size of the argument or variable in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Distance in bytes from the end of the argument or variable to the end of an out-of-bounds
    /// access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<u64>,
}

/// Kind of memory of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum MemoryKind {
    Global,
    Local,
    Private,
    /// Data of the program.
    Program,
    /// An unbound surface or unmapped address.
    Nothing,
    Register,
}

impl Place {
    /// Returns the location of an access.
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

    /// Describes the location in words.
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

/// Returns the name of an argument, if the program has it.
pub fn name_of(argument: Option<u32>, parameters: &[Parameter]) -> Option<String> {
    let parameter = parameters.iter().find(|parameter| Some(parameter.index) == argument)?;
    Some(parameter.name.clone()).filter(|name| !name.is_empty())
}

/// Describes an argument in words.
pub fn argument(index: u32, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("argument {index} (`{name}`)"),
        None => format!("argument {index}"),
    }
}

/// Describes an address relative to the nearest argument.
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
