//! SPIR-V in containers, from which a program without vISA can be compiled again.
//!
//! The vendor's compiler stores the SPIR-V of a program and its build options in three places:
//!
//! - sections of a zebin
//! - the ELF container from before the zebin
//! - the archive member `generic_ir`, which has the form of the older container

use object::LittleEndian;
use object::elf::{FileHeader64, SHT_NOBITS};
use object::read::elf::{FileHeader, SectionHeader};
use visakit::isa::Platform;

use super::archive::{Damage, is_archive, members};
use super::sections::{COMPAT_NOTES, SHT_ZEBIN_ZEINFO};
use super::{Zebin, notes};

/// Section type of a SPIR-V module, in zebins and in the older container.
pub(super) const SHT_SPIRV: u32 = 0xff00_0009;
/// Section type of build options in a zebin.
const SHT_ZEBIN_MISC: u32 = 0xff00_0014;
/// Section type of build options in the older container.
const SHT_OPTIONS: u32 = 0xff00_0006;
/// Name of the section with build options in a zebin.
const MISC_OPTIONS: &str = ".misc.buildOptions";
/// Name of the archive member for every device.
const GENERIC: &str = "generic_ir";
/// First word of a module.
const MAGIC: [u8; 4] = 0x0723_0203_u32.to_le_bytes();
/// Size of a module's header in bytes.
const HEADER: usize = 20;
/// Index of the header word with the bound of the module's ids, and the largest bound that SPIR-V
/// allows.
const BOUND: usize = 3;
const MOST_NUMBERS: u32 = 0x3f_ffff;

/// Opcodes of instructions whose only operand is a label.
const LABEL: u32 = 248;
const BRANCH: u32 = 249;

/// SPIR-V module with its build options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Contents of the module.
    pub bytes: Vec<u8>,
    /// Build options as the compiler stored them; empty if none.
    pub options: String,
}

/// Returns true for the bytes of a SPIR-V module.
pub fn is_module(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns the SPIR-V of a file: the module itself, or that of a zebin, an older container or an
/// archive.
///
/// In an archive, the member for every device is preferred, then the one for `platform`, then the
/// first. Damaged modules are skipped.
///
/// ```
/// # let bytes = std::fs::read("../../examples/vector_add/vector_add.dg2.zebin").unwrap();
/// let module = visakit_zebin::spirv::find(&bytes, None).unwrap();
/// assert!(visakit_zebin::spirv::is_module(&module.bytes));
/// ```
pub fn find(bytes: &[u8], platform: Option<Platform>) -> Option<Module> {
    if is_module(bytes) {
        return module(bytes, String::new());
    }
    if Zebin::is_elf(bytes) {
        return of_container(bytes);
    }
    if !is_archive(bytes) {
        return None;
    }
    let members: Vec<_> = members(bytes).filter_map(Result::ok).collect();
    let generic = members.iter().filter(|(name, _)| name == GENERIC);
    let of_platform = members.iter().filter(|(_, data)| platform.is_some() && platform_of(data) == platform);
    generic.chain(of_platform).chain(&members).find_map(|(_, data)| of_container(data))
}

/// Returns true for an ELF container that holds SPIR-V but no program of a device, such as the
/// member `generic_ir`.
pub fn is_generic(bytes: &[u8]) -> bool {
    let mut has_module = false;
    let is_program = sections(bytes).any(|section| {
        has_module |= section.kind == SHT_SPIRV;
        section.kind == SHT_ZEBIN_ZEINFO
    });
    has_module && !is_program
}

fn of_container(bytes: &[u8]) -> Option<Module> {
    let options = sections(bytes).find(|section| {
        section.kind == SHT_OPTIONS || section.kind == SHT_ZEBIN_MISC && section.name == MISC_OPTIONS
    });
    let options = options.map(|section| String::from_utf8_lossy(section.bytes).trim_matches(['\0', ' ']).to_owned());
    let bytes = sections(bytes).find(|section| section.kind == SHT_SPIRV)?.bytes;
    module(bytes, options.unwrap_or_default())
}

fn module(bytes: &[u8], options: String) -> Option<Module> {
    (is_module(bytes) && check(bytes).is_ok()).then(|| Module { bytes: bytes.to_vec(), options })
}

/// Checks that a module in this machine's byte order consists of whole instructions with label ids
/// within the module's bound.
///
/// The vendor's compiler may never end on an invalid module.
///
/// # Errors
/// The defect and its offset in bytes.
pub fn check(bytes: &[u8]) -> Result<(), Damage> {
    let damage = |what: &str, word: usize| Err(Damage { what: what.to_owned(), offset: word as u64 * 4 });
    let (words, rest) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let Some((header, _)) = words.split_at_checked(HEADER / 4).filter(|_| rest.is_empty()) else {
        return damage("the SPIR-V module ends in the middle of a word or of its header", words.len());
    };
    let bound = header.get(BOUND).copied().unwrap_or_default();
    if bound == 0 || bound > MOST_NUMBERS {
        return damage("the header of the SPIR-V module has an impossible id bound", BOUND);
    }
    let mut at = HEADER / 4;
    while let Some(&first) = words.get(at) {
        let count = (first >> 16) as usize;
        let Some(operands) = words.get(at + 1..at + count.max(1)).filter(|_| count > 0) else {
            return damage("an instruction of the SPIR-V module extends past the end of the module", at);
        };
        // A label holds its own id, a branch the id of its target.
        let number = match first & 0xffff {
            LABEL | BRANCH if count == 2 => operands.first(),
            LABEL | BRANCH => return damage("an instruction of the SPIR-V module has a wrong length", at),
            _ => None,
        };
        if number.is_some_and(|number| *number == 0 || *number >= bound) {
            return damage("a label of the SPIR-V module is not below the module's id bound", at);
        }
        at += count;
    }
    Ok(())
}

fn platform_of(bytes: &[u8]) -> Option<Platform> {
    let notes = sections(bytes).find(|section| section.name.as_bytes() == COMPAT_NOTES)?;
    Platform::from_family(notes::read(notes.bytes).product_family?)
}

struct Section<'a> {
    name: String,
    kind: u32,
    bytes: &'a [u8],
}

/// Returns the readable sections of an ELF file.
fn sections(bytes: &[u8]) -> impl Iterator<Item = Section<'_>> {
    let table = FileHeader64::<LittleEndian>::parse(bytes).and_then(|header| {
        let endian = header.endian()?;
        Ok((endian, header.sections(endian, bytes)?))
    });
    table.into_iter().flat_map(move |(endian, table)| {
        table.iter().filter_map(move |section| {
            let kind = section.sh_type(endian).0;
            let name = table.section_name(endian, section).unwrap_or_default();
            let bytes = if kind == SHT_NOBITS.0 { &[] } else { section.data(endian, bytes).ok()? };
            Some(Section { name: String::from_utf8_lossy(name).into_owned(), kind, bytes })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_modules_count() {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        let mut bytes = [MAGIC.to_vec(), words(&[0x1_0000, 0, 9, 0])].concat();
        assert_eq!(find(&bytes, None).map(|module| module.bytes.len()), Some(20));
        bytes.push(0);
        assert_eq!(find(&bytes, None), None);
        assert_eq!(find(&MAGIC, None), None);
        assert_eq!(find(b"\x7fELF", None), None);
        assert_eq!(find(b"!<arch>\n", None), None);
        let with = |more: &[u32]| [MAGIC.to_vec(), words(&[0x1_0000, 0, 9, 0]), words(more)].concat();
        let label = |number| [2 << 16 | LABEL, number];
        assert_eq!(check(&with(&[2 << 16 | 17, 6, 2 << 16 | BRANCH, 8, 2 << 16 | LABEL, 8, 1 << 16 | 253])), Ok(()));
        let at = |bytes: &[u8]| check(bytes).unwrap_err().offset;
        assert_eq!(at(&with(&[2 << 16 | 17, 6, 2 << 16 | 17])), 28);
        assert_eq!(at(&with(&[17])), 20);
        assert_eq!((at(&with(&label(0))), at(&with(&label(9))), at(&with(&[1 << 16 | BRANCH]))), (20, 20, 20));
        assert_eq!(at(&[MAGIC.to_vec(), words(&[0x1_0000, 0, 0, 0])].concat()), 12);
    }
}
