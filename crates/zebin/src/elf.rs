//! ELF structure of a zebin: its sections and their interpretation.

use object::elf::{self, FileHeader64, Machine, SHT_NOBITS, SHT_NOTE, SHT_REL, SHT_SYMTAB};
use object::read::elf::{FileHeader, Rel, SectionHeader, Sym, SymbolTable};
use object::{LittleEndian, SectionIndex, SymbolIndex};
use visakit_diag::{Diagnostic, Severity};

use super::sections::{COMPAT_NOTES, NATIVE_CODE, SHT_ZEBIN_VISAASM, SHT_ZEBIN_ZEINFO};
use super::{AddressPart, DataSection, NativeCode, Relocation, Symbol, VisaText, Zebin, info, inline, notes};

/// Types of relocations that write an address into data: the whole address, its lower half, its
/// upper half (zebin-spec/elf.md).
const R_ZE_SYM_ADDR: u32 = 1;
const R_ZE_SYM_ADDR_32: u32 = 2;
const R_ZE_SYM_ADDR_32_HI: u32 = 3;

/// Offsets of the byte order and the machine in the header of an ELF file.
const BYTE_ORDER: usize = 5;
const MACHINE: usize = 18;
/// Machine number of zebins. Older containers have no machine number.
const EM_INTELGT: u16 = 205;
/// Help text for a program of another machine.
const OTHER_MACHINE: &str = "give a program for an Intel GPU; a host program, such as one of \
 SYCL or OpenMP, contains device images: extract its device image first";

type Header = FileHeader64<LittleEndian>;

/// Reads the sections of a zebin.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Zebin, Box<Diagnostic>> {
    if !Zebin::is_elf(bytes) {
        return Err(not_a_zebin(file, "it does not begin with the ELF magic number").at_offset(0).into());
    }
    if let Some(machine) = other_machine(bytes) {
        let finding = Diagnostic::new("zebin-machine", Severity::Error, file, format!("this is {machine}"));
        return Err(finding.at_offset(MACHINE as u64).help(OTHER_MACHINE).into());
    }
    let header = Header::parse(bytes).map_err(|e| not_a_zebin(file, &e.to_string()))?;
    let endian = header.endian().map_err(|_| not_a_zebin(file, "it is not a 64-bit little-endian ELF file"))?;
    let sections = header.sections(endian, bytes).map_err(|e| damaged(file, "section headers", e))?;

    let mut target = super::Target::default();
    let mut texts = Vec::new();
    let mut data = Vec::new();
    let mut native: Vec<NativeCode> = Vec::new();
    let mut ze_info = None;
    for (index, section) in sections.enumerate() {
        let name = sections.section_name(endian, section).map_err(|e| damaged(file, "section name", e))?;
        let name = String::from_utf8_lossy(name).into_owned();
        let contents = || {
            let what = format!("section {} ({name})", index.0);
            section.data(endian, bytes).map_err(|e| damaged(file, &what, e))
        };
        let text = || {
            let contents = contents()?;
            std::str::from_utf8(contents).map_err(|e| not_utf8(file, &name, section.sh_offset(endian), e))
        };
        match section.sh_type(endian).0 {
            SHT_ZEBIN_VISAASM => texts.push(VisaText {
                section: index.0,
                offset: section.sh_offset(endian),
                text: inline::merge_declarations(text()?.trim_end_matches('\0').to_owned()),
            }),
            SHT_ZEBIN_ZEINFO => ze_info = Some(info::parse(file, text()?.trim_end_matches('\0'))?),
            kind if kind == SHT_NOTE.0 && name.as_bytes() == COMPAT_NOTES => target = notes::read(contents()?),
            kind if name.starts_with(".data.") || name.starts_with(".bss.") => data.push(DataSection {
                section: index.0,
                bytes: if kind == SHT_NOBITS.0 { Vec::new() } else { contents()?.to_vec() },
                size: section.sh_size(endian),
                relocations: Vec::new(),
                name,
            }),
            _ => {
                native.extend(name.strip_prefix(NATIVE_CODE).map(|name| NativeCode {
                    section: index.0,
                    name: name.to_owned(),
                    size: section.sh_size(endian),
                    is_incomplete: false,
                }));
            }
        }
    }

    let table = sections.symbols(endian, bytes, SHT_SYMTAB).map_err(|e| damaged(file, "symbol table", e))?;
    let mut symbols = symbols(file, endian, &table)?;
    for section in sections.iter().filter(|section| section.sh_type(endian) == SHT_REL) {
        let target = section.sh_info(endian) as usize;
        if let Some(target) = data.iter_mut().find(|data| data.section == target) {
            target.relocations.extend(relocations(file, bytes, endian, (section, &table))?);
        } else if let Some(code) = native.iter_mut().find(|code| code.section == target) {
            let entries = section.rel(endian, bytes).map_err(|e| damaged(file, "relocations", e))?;
            let mut entries = entries.map(|(entries, _)| entries).unwrap_or_default().iter();
            code.is_incomplete = entries.any(|entry| entry.r_sym(endian) == 0);
        }
    }

    join_zeros(&mut data, &mut symbols);
    let info = ze_info.ok_or_else(|| {
        Diagnostic::new("zebin-no-ze-info", Severity::Error, file, "the file has no `.ze_info` section").help(
            "`.ze_info` describes where the kernel's arguments are placed; compile with \
             `ocloc compile … --format zebin`",
        )
    })?;
    Ok(Zebin { file: file.to_owned(), target, texts, info, data, symbols, native })
}

/// Appends each section of zeros to the contents of its kind, if there are any. Kernels reach both
/// by one address, and symbols of zeros count from the beginning of the contents.
fn join_zeros(data: &mut Vec<DataSection>, symbols: &mut [Symbol]) {
    for (contents, zeros) in [(".data.global", ".bss.global"), (".data.const", ".bss.const")] {
        let Some((target, start)) = data.iter().find(|one| one.name == contents).map(|one| (one.section, one.size))
        else {
            continue;
        };
        let Some(place) = data.iter().position(|one| one.name == zeros) else { continue };
        let removed = data.remove(place);
        let into = |section: &mut usize, value: &mut u64| {
            if *section == removed.section {
                (*section, *value) = (target, value.wrapping_add(start));
            }
        };
        symbols.iter_mut().for_each(|symbol| into(&mut symbol.section, &mut symbol.value));
        let relocations = data.iter_mut().flat_map(|section| &mut section.relocations);
        relocations.for_each(|relocation| into(&mut relocation.section, &mut relocation.value));
        for section in data.iter_mut().filter(|one| one.section == target) {
            section.size = start.saturating_add(removed.size);
        }
    }
}

/// Reads the symbols.
fn symbols(
    file: &str,
    endian: LittleEndian,
    table: &SymbolTable<'_, Header>,
) -> Result<Vec<Symbol>, Box<Diagnostic>> {
    let mut symbols = Vec::new();
    for (index, symbol) in table.enumerate() {
        let name = symbol.name(endian, table.strings()).map_err(|e| damaged(file, "symbol name", e))?;
        let section = table
            .symbol_section(endian, symbol, index)
            .map_err(|e| damaged(file, "symbol section", e))?
            .unwrap_or(SectionIndex(0));
        symbols.push(Symbol {
            name: String::from_utf8_lossy(name).into_owned(),
            section: section.0,
            value: symbol.st_value(endian),
            size: symbol.st_size(endian),
        });
    }
    Ok(symbols)
}

/// Reads the relocations of a section that write addresses.
fn relocations(
    file: &str,
    bytes: &[u8],
    endian: LittleEndian,
    (section, table): (&<Header as FileHeader>::SectionHeader, &SymbolTable<'_, Header>),
) -> Result<Vec<Relocation>, Box<Diagnostic>> {
    let entries = section.rel(endian, bytes).map_err(|e| damaged(file, "relocations", e))?;
    let mut relocations = Vec::new();
    for entry in entries.map(|(entries, _)| entries).unwrap_or_default() {
        let index = SymbolIndex(entry.r_sym(endian) as usize);
        let symbol = table.symbol(index).map_err(|e| damaged(file, "the symbol of a relocation", e))?;
        let section = table
            .symbol_section(endian, symbol, index)
            .map_err(|e| damaged(file, "symbol section", e))?
            .unwrap_or(SectionIndex(0));
        let part = match entry.r_type(endian).0 {
            R_ZE_SYM_ADDR => AddressPart::Whole,
            R_ZE_SYM_ADDR_32 => AddressPart::Low,
            R_ZE_SYM_ADDR_32_HI => AddressPart::High,
            _ => continue,
        };
        let name = symbol.name(endian, table.strings()).map_err(|e| damaged(file, "symbol name", e))?;
        relocations.push(Relocation {
            offset: entry.r_offset(endian),
            part,
            section: section.0,
            value: symbol.st_value(endian),
            symbol: String::from_utf8_lossy(name).into_owned(),
        });
    }
    Ok(relocations)
}

fn damaged(file: &str, what: &str, error: object::Error) -> Box<Diagnostic> {
    let finding = Diagnostic::new("zebin-damaged", Severity::Error, file, format!("{what}: {error}"));
    Box::new(finding.help("the file is truncated or damaged; compile it again"))
}

/// Creates the error for a section at `offset` that is not text.
fn not_utf8(file: &str, name: &str, offset: u64, error: std::str::Utf8Error) -> Box<Diagnostic> {
    let message = format!("the name of section {name} is not UTF-8");
    let finding = Diagnostic::new("zebin-damaged", Severity::Error, file, message);
    let at = offset.saturating_add(error.valid_up_to() as u64);
    Box::new(finding.at_offset(at).help("the file is damaged; compile it again"))
}

/// Returns the kind of an ELF file for a machine other than Intel's GPUs.
pub(super) fn other_machine(bytes: &[u8]) -> Option<&'static str> {
    const NAMES: [(Machine, &str); 11] = [
        (elf::EM_386, "a program for x86"),
        (elf::EM_X86_64, "a program for x86-64"),
        (elf::EM_ARM, "a program for Arm"),
        (elf::EM_AARCH64, "a program for AArch64"),
        (elf::EM_RISCV, "a program for RISC-V"),
        (elf::EM_PPC64, "a program for PowerPC"),
        (elf::EM_S390, "a program for S/390"),
        (elf::EM_LOONGARCH, "a program for LoongArch"),
        (elf::EM_CUDA, "a program for NVIDIA's GPUs"),
        (elf::EM_AMDGPU, "a program for AMD's GPUs"),
        (elf::EM_BPF, "a program for BPF"),
    ];
    let field: [u8; 2] = bytes.get(MACHINE..MACHINE + 2)?.try_into().ok()?;
    let is_big = bytes.get(BYTE_ORDER) == Some(&2);
    let machine = if is_big { u16::from_be_bytes(field) } else { u16::from_le_bytes(field) };
    if !Zebin::is_elf(bytes) || machine == elf::EM_NONE.0 || machine == EM_INTELGT {
        return None;
    }
    let name = NAMES.iter().find(|(known, _)| known.0 == machine).map(|(_, name)| *name);
    Some(name.unwrap_or("an ELF file for another machine"))
}

fn not_a_zebin(file: &str, why: &str) -> Diagnostic {
    Diagnostic::new("zebin-not-elf", Severity::Error, file, format!("this is not a zebin: {why}")).help(format!(
        "make one with `ocloc compile -file k.cl -device skl --format zebin {} -output k",
        super::VISA_OPTION
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_follow_the_contents() {
        let section = |section, name: &str, bytes: &[u8], size| DataSection {
            section,
            name: name.to_owned(),
            bytes: bytes.to_vec(),
            size,
            relocations: Vec::new(),
        };
        let symbol = |name: &str, section, value| Symbol { name: name.to_owned(), section, value, size: 1 };
        let pointer = |section, value| Relocation {
            offset: 0,
            part: AddressPart::Whole,
            section,
            value,
            symbol: String::new(),
        };
        let mut data = vec![
            section(5, ".bss.global", &[], 4),
            section(4, ".data.global", &[1; 8], 8),
            section(6, ".bss.const", &[], 3),
        ];
        data[1].relocations = vec![pointer(5, 1), pointer(4, 2)];
        // Today's compiler names the section of the contents for zeros too.
        let mut symbols = vec![symbol("same", 4, 8), symbol("zeros", 5, 2), symbol("other", 6, 0)];
        join_zeros(&mut data, &mut symbols);
        let sizes: Vec<_> = data.iter().map(|section| (section.section, section.size)).collect();
        assert_eq!(sizes, [(4, 12), (6, 3)]);
        assert_eq!(data[0].relocations, [pointer(4, 9), pointer(4, 2)]);
        let places: Vec<_> = symbols.iter().map(|symbol| (symbol.section, symbol.value)).collect();
        assert_eq!(places, [(4, 8), (4, 10), (6, 0)]);
    }
}
