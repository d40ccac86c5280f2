//! Data of a program: maps constants, format strings and variables into memory, applies
//! relocations, and resolves symbols.

use std::collections::HashMap;

use visakit_diag::{Diagnostic, Severity};

use visakit_machine::buffer::Buffer;
use visakit_machine::memory::{MAX_BUFFER, Memory, function_address};
use visakit_zebin::{AddressPart, DataSection, Symbol, Zebin};

/// Data sections and symbols of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramData {
    /// Data sections.
    pub sections: Vec<DataSection>,
    /// Symbols.
    pub symbols: Vec<Symbol>,
    /// Names of the functions, in the order of their texts.
    pub functions: Vec<String>,
}

impl ProgramData {
    /// Returns the data of a zebin.
    pub fn of(zebin: &Zebin) -> Self {
        let texts = zebin.texts.iter().filter(|text| !text.is_kernel());
        let functions = texts.map(|text| text.function().unwrap_or_default().to_owned()).collect();
        Self { sections: zebin.data.clone(), symbols: zebin.symbols.clone(), functions }
    }
}

/// Addresses of a program's data.
#[derive(Clone, Debug, Default)]
pub struct DataPlaces {
    /// Address of each symbol.
    pub symbols: HashMap<String, u64>,
    /// Address of the constants; 0 if the program has none.
    pub constants: u64,
    /// Address of the variables; 0 if the program has none.
    pub variables: u64,
}

/// Maps the data of a program into memory.
///
/// # Errors
/// A section that is too large.
pub fn map(data: &ProgramData, memory: &mut Memory) -> Result<DataPlaces, Box<Diagnostic>> {
    let first = memory.buffers().len();
    let addresses: Vec<u64> = (0..data.sections.len()).map(|n| memory.address(first + n)).collect();
    let (places, contents) = lay_out(data, &addresses)?;
    for (section, bytes) in data.sections.iter().zip(contents) {
        Buffer::from_vec(bytes).and_then(|buffer| memory.map(buffer)).ok_or_else(|| too_large(section))?;
    }
    Ok(places)
}

/// Returns the addresses of a program's data and the relocated contents of its sections, for
/// sections at the given addresses.
///
/// # Errors
/// A section that is too large.
pub fn lay_out(data: &ProgramData, addresses: &[u64]) -> Result<(DataPlaces, Vec<Vec<u8>>), Box<Diagnostic>> {
    let addresses: HashMap<usize, u64> =
        data.sections.iter().zip(addresses).map(|(section, address)| (section.section, *address)).collect();
    // The address of a function is not that of its native code.
    let functions: HashMap<&str, u64> =
        data.functions.iter().enumerate().map(|(n, name)| (name.as_str(), function_address(n))).collect();
    let mut contents = Vec::with_capacity(data.sections.len());
    for section in &data.sections {
        let size = usize::try_from(section.size).ok().filter(|_| section.size <= MAX_BUFFER);
        let mut bytes = section.bytes.clone();
        bytes.resize(size.ok_or_else(|| too_large(section))?, 0);
        for relocation in &section.relocations {
            let in_data = addresses.get(&relocation.section).map(|first| first.wrapping_add(relocation.value));
            let function = || functions.get(relocation.symbol.as_str()).copied();
            let Some(address) = in_data.or_else(function) else { continue };
            let Ok(at) = usize::try_from(relocation.offset) else { continue };
            put_address(&mut bytes, at, relocation.part, address);
        }
        contents.push(bytes);
    }
    let of_kind = |names: [&str; 2]| {
        let section = data.sections.iter().find(|section| names.contains(&section.name.as_str()));
        section.and_then(|section| addresses.get(&section.section)).copied().unwrap_or(0)
    };
    let symbols = data.symbols.iter().filter_map(|symbol| {
        let address = addresses.get(&symbol.section)?;
        Some((symbol.name.clone(), address.wrapping_add(symbol.value)))
    });
    let places = DataPlaces {
        symbols: symbols.collect(),
        constants: of_kind([".data.const", ".bss.const"]),
        variables: of_kind([".data.global", ".bss.global"]),
    };
    Ok((places, contents))
}

fn too_large(section: &DataSection) -> Box<Diagnostic> {
    let message = format!("the section {} has {} bytes", section.name, section.size);
    let finding = Diagnostic::new("launch-data", Severity::Error, "launch", message);
    Box::new(finding.help("the file is damaged, or was not written by the vendor's compiler"))
}

/// Adds an address, or half of one, to the value at an offset; ignored if the offset is out of
/// range.
fn put_address(bytes: &mut [u8], at: usize, part: AddressPart, address: u64) {
    let Some(rest) = bytes.get_mut(at..) else { return };
    match part {
        AddressPart::Whole => {
            if let Some(place) = rest.first_chunk_mut() {
                *place = u64::from_le_bytes(*place).wrapping_add(address).to_le_bytes();
            }
        }
        AddressPart::Low | AddressPart::High => {
            let half = if part == AddressPart::Low { address as u32 } else { (address >> 32) as u32 };
            if let Some(place) = rest.first_chunk_mut() {
                *place = u32::from_le_bytes(*place).wrapping_add(half).to_le_bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use visakit_zebin::Relocation;

    fn section(number: usize, name: &str, bytes: &[u8], relocations: Vec<Relocation>) -> DataSection {
        let size = bytes.len() as u64 + 8;
        DataSection { section: number, name: name.to_owned(), bytes: bytes.to_vec(), size, relocations }
    }

    #[test]
    fn addresses_in_data() {
        let pointer =
            Relocation { offset: 4, part: AddressPart::Whole, section: 3, value: 2, symbol: "v".to_owned() };
        let beyond = Relocation { offset: 100, ..pointer.clone() };
        let low = Relocation { offset: 0, part: AddressPart::Low, value: 0x10, ..pointer.clone() };
        let function = Relocation { offset: 12, section: 1, value: 0x40, symbol: "g".to_owned(), ..pointer.clone() };
        let sections = vec![
            section(7, ".data.const", &[1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0], vec![pointer, beyond, low, function]),
            section(3, ".bss.global", &[], Vec::new()),
        ];
        let symbols = vec![Symbol { name: "v".to_owned(), section: 3, value: 4, size: 4 }];
        let mut memory = Memory::default();
        memory.map(Buffer::zeros(4)).unwrap();
        let functions = vec!["f".to_owned(), "g".to_owned()];
        let places = map(&ProgramData { sections, symbols, functions }, &mut memory).unwrap();
        assert_eq!((places.constants, places.variables), (memory.address(1), memory.address(2)));
        assert_eq!(places.symbols["v"], places.variables + 4);
        let constants = memory.buffers()[1].to_bytes();
        assert_eq!(constants.len(), 20, "the rest of a section is zero");
        assert_eq!(constants[4..12], (places.variables + 2 + 5).to_le_bytes());
        assert_eq!(constants[12..20], function_address(1).to_le_bytes());
        assert_eq!(constants[..4], (0x11_u32).to_le_bytes());
    }
}
