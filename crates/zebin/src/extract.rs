//! Extraction of the contents of containers as files: zebins, the older containers of the same
//! compiler, and archives of either.
//!
//! A damaged file is extracted as far as possible; each unreadable part is a finding.

use object::LittleEndian;
use object::elf::{FileHeader64, SHT_NOBITS, SHT_NOTE};
use object::read::elf::{FileHeader, SectionHeader};
use serde::Serialize;
use visakit_diag::{Diagnostic, Severity};

use super::archive::{Damage, is_archive, members};
use super::sections::{COMPAT_NOTES, NATIVE_CODE, SHT_ZEBIN_VISAASM, SHT_ZEBIN_ZEINFO};
use super::spirv::SHT_SPIRV;
use super::{Zebin, info, notes};
use visakit::isa::Platform;

/// Section type of a program in the driver's own format, in containers older than the zebin.
const SHT_OPENCL_PROGRAM: u32 = 0xff00_0005;

/// File in a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Path as `folder/name`, such as `tgllp/add.visaasm`. Folder and name are plain and the path
    /// is unique.
    pub path: String,
    /// Kind of the file.
    pub kind: ItemKind,
    /// Platform, else the name of the archive's member, else `device`.
    pub device: String,
    /// Kernel or function that the file belongs to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routine: Option<String>,
    /// Contents of the file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// Kind of an extracted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// A vISA text.
    Visa,
    /// Layout of the kernels' arguments, as YAML.
    ZeInfo,
    /// Native code of one kernel or function.
    Native,
    /// Data of the program: constants, format strings, global variables.
    Data,
    /// A SPIR-V module.
    Spirv,
    /// Program in the driver's format from before the zebin. It has no vISA.
    Program,
    /// Member of an archive that is not a known container.
    Member,
}

/// Contents of a container, with the findings.
#[derive(Clone, Debug, Default)]
pub struct Extracted {
    /// Files in their order in the container.
    pub items: Vec<Item>,
    /// Findings about unreadable or missing parts.
    pub findings: Vec<Diagnostic>,
}

/// Extracts the contents of a zebin, an older container, or an archive of them. Messages name the
/// container `file`.
///
/// ```
/// # let bytes = std::fs::read("../../examples/vector_add/vector_add.dg2.zebin").unwrap();
/// let found = visakit_zebin::extract("vector_add.zebin", &bytes).unwrap();
/// let paths: Vec<_> = found.items.iter().map(|i| i.path.as_str()).collect();
/// assert!(paths.contains(&"dg2/vector_add.visaasm") && paths.contains(&"dg2/ze_info.yaml"));
/// ```
///
/// # Errors
/// Fails if `bytes` is not a container.
pub fn extract(file: &str, bytes: &[u8]) -> Result<Extracted, Box<Diagnostic>> {
    let mut out = Output::new(file);
    if let Some(machine) = Zebin::other_machine(bytes) {
        let finding = Diagnostic::new("container-unknown", Severity::Error, file, format!("this is {machine}"));
        return Err(finding.help("give an ELF file or an `ar` archive written by ocloc").into());
    }
    if Zebin::is_elf(bytes) {
        container(&mut out, None, bytes);
    } else if is_archive(bytes) {
        archived(&mut out, bytes);
    } else {
        let finding = Diagnostic::new("container-unknown", Severity::Error, file, "this is not a container")
            .at_offset(0)
            .help("give an ELF file or an `ar` archive written by ocloc; `visa disasm` reads objects (.isa)");
        return Err(finding.into());
    }
    Ok(out.found)
}

/// Extracts the members of an archive: one container per device.
fn archived(out: &mut Output<'_>, bytes: &[u8]) {
    if members(bytes).next().is_none() {
        out.damaged("the archive has no members".to_owned(), 0);
    }
    for member in members(bytes) {
        match member {
            Err(Damage { what, offset }) => out.damaged(what, offset),
            Ok((name, data)) if Zebin::is_elf(data) => container(out, Some(&name), data),
            Ok((name, data)) => out.add(ItemKind::Member, (&name, ""), ("member", "bin"), data),
        }
    }
}

/// Section of an ELF file: the parts needed for extraction.
struct Section<'a> {
    name: String,
    kind: u32,
    bytes: &'a [u8],
}

/// Extracts the sections of one ELF file; `member` is its name in the archive.
fn container(out: &mut Output<'_>, member: Option<&str>, bytes: &[u8]) {
    let sections = sections(out, bytes);
    let notes = sections.iter().find(|s| s.kind == SHT_NOTE.0 && s.name.as_bytes() == COMPAT_NOTES);
    let family = notes.and_then(|s| notes::read(s.bytes).product_family);
    let platform = family.and_then(Platform::from_family).map(Platform::name);
    let device = out.device(platform, member);

    let ze_info = sections.iter().find(|s| s.kind == SHT_ZEBIN_ZEINFO);
    let kernels = ze_info.map_or_else(Vec::new, |s| match info::parse(out.file, &text(s.bytes)) {
        Ok(info) => info.kernels.into_iter().map(|k| k.name).collect(),
        Err(finding) => {
            out.found.findings.push(*finding);
            Vec::new()
        }
    });
    let mut kernels = kernels.iter();
    for section in &sections {
        let mut add = |kind, routine: &str, (name, ending): (&str, &str), bytes| {
            out.add(kind, (&device, routine), (name, ending), bytes);
        };
        match (section.kind, section.name.strip_prefix(NATIVE_CODE)) {
            (SHT_ZEBIN_VISAASM, _) => {
                let text = text(section.bytes);
                // The compiler names every kernel's text `kernel`: the n-th text belongs to the
                // n-th kernel of `.ze_info`.
                let name = match routine(&text) {
                    (true, own) => kernels.next().map_or(own, String::as_str).to_owned(),
                    (false, own) => own.to_owned(),
                };
                add(ItemKind::Visa, &name, (&name, "visaasm"), text.as_bytes());
            }
            (SHT_ZEBIN_ZEINFO, _) => add(ItemKind::ZeInfo, "", ("ze_info", "yaml"), text(section.bytes).as_bytes()),
            (_, Some(name)) => add(ItemKind::Native, name, (name, "bin"), section.bytes),
            (SHT_SPIRV, _) => add(ItemKind::Spirv, "", ("module", "spv"), section.bytes),
            (SHT_OPENCL_PROGRAM, _) => add(ItemKind::Program, "", ("program", "bin"), section.bytes),
            _ if section.name.starts_with(".data.") => {
                add(ItemKind::Data, "", (section.name.trim_start_matches('.'), "bin"), section.bytes);
            }
            _ => {}
        }
    }
    if sections.is_empty() && out.found.findings.is_empty() {
        out.damaged("the file has no sections".to_owned(), 0);
    }
    let has = |kind| sections.iter().any(|s| s.kind == kind);
    // A container of SPIR-V alone, such as the member `generic_ir`, has no device.
    let is_generic = has(SHT_SPIRV) && !has(SHT_ZEBIN_ZEINFO) && !has(SHT_OPENCL_PROGRAM);
    if !has(SHT_ZEBIN_VISAASM) && !sections.is_empty() && !is_generic {
        let finding = Diagnostic::new(
            "zebin-no-visa",
            Severity::Warning,
            out.file,
            format!(
                "the \
         program for {device} contains no vISA"
            ),
        )
        .help(format!("compile it with `ocloc compile … --format zebin {}`", super::VISA_OPTION));
        out.found.findings.push(finding);
    }
}

fn sections<'a>(out: &mut Output<'_>, bytes: &'a [u8]) -> Vec<Section<'a>> {
    let mut all = Vec::new();
    let table = FileHeader64::<LittleEndian>::parse(bytes).and_then(|h| Ok((h, h.endian()?))).and_then(|(h, e)| {
        let table = h.sections(e, bytes)?;
        Ok((e, table))
    });
    let (endian, table) = match table {
        Ok(parts) => parts,
        Err(error) => {
            out.damaged(format!("the section headers cannot be read: {error}"), 0);
            return all;
        }
    };
    for (index, section) in table.enumerate() {
        let name = table.section_name(endian, section);
        let name = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
        let kind = section.sh_type(endian).0;
        match section.data(endian, bytes) {
            _ if kind == SHT_NOBITS.0 => {}
            Ok(bytes) => all.push(Section { name, kind, bytes }),
            Err(error) => out
                .damaged(format!("section {} ({name}) cannot be read: {error}", index.0), section.sh_offset(endian)),
        }
    }
    all
}

/// Returns a section's text without trailing zeros.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

/// Returns whether a text is a kernel, and the routine's name in the text.
pub(super) fn routine(text: &str) -> (bool, &str) {
    for line in text.lines().map(str::trim_start) {
        for (directive, kernel) in [(".kernel ", true), (".global_function ", false), (".function ", false)] {
            if let Some(name) = line.strip_prefix(directive) {
                return (kernel, name.trim().trim_matches('"'));
            }
        }
    }
    (false, "")
}

/// Collector of files under unique paths.
struct Output<'a> {
    file: &'a str,
    found: Extracted,
    taken: std::collections::HashSet<String>,
}

impl<'a> Output<'a> {
    fn new(file: &'a str) -> Self {
        Self { file, found: Extracted::default(), taken: Default::default() }
    }

    fn damaged(&mut self, what: String, offset: u64) {
        let finding = Diagnostic::new("container-damaged", Severity::Error, self.file, what)
            .at_offset(offset)
            .help("the file is truncated or damaged; compile it again");
        self.found.findings.push(finding);
    }

    /// Returns the folder of a container: its platform, followed by the member's name if an earlier
    /// container has the same platform.
    fn device(&self, platform: Option<&str>, member: Option<&str>) -> String {
        let used = |name: &str| self.found.items.iter().any(|i| i.device == name);
        match (platform, member) {
            (Some(platform), Some(member)) if used(platform) => format!("{platform}-{member}"),
            (Some(platform), _) => platform.to_owned(),
            (None, Some(member)) => member.to_owned(),
            (None, None) => "device".to_owned(),
        }
    }

    fn add(&mut self, kind: ItemKind, (device, routine): (&str, &str), (name, ending): (&str, &str), bytes: &[u8]) {
        let (folder, stem) = (plain_name(device), plain_name(name));
        let mut path = format!("{folder}/{stem}.{ending}");
        let mut number = 2;
        // Paths must also be unique on file systems that ignore case.
        while !self.taken.insert(path.to_lowercase()) {
            path = format!("{folder}/{stem}-{number}.{ending}");
            number += 1;
        }
        let routine = (!routine.is_empty()).then(|| routine.to_owned());
        self.found.items.push(Item { path, kind, device: device.to_owned(), routine, bytes: bytes.to_vec() });
    }
}

/// Converts a name to a single path component that is valid on every system.
pub fn plain_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let out: String = name.chars().take(150).map(safe).collect();
    match out.trim_matches('.') {
        "" => "unnamed".to_owned(),
        _ if out.starts_with('.') => format!("_{}", &out[1..]),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        for (name, expected) in
            [("../../etc", "_._.._etc"), ("", "unnamed"), ("..", "unnamed"), ("a b/c", "a_b_c"), ("k.1", "k.1")]
        {
            assert_eq!(plain_name(name), expected);
        }
        assert_eq!(plain_name(&"x".repeat(4000)).len(), 150);
    }

    #[test]
    fn equal_names_get_numbers() {
        let mut out = Output::new("f");
        for name in ["k", "K", "k"] {
            out.add(ItemKind::Visa, ("skl", name), (name, "visaasm"), b"");
        }
        let paths: Vec<_> = out.found.items.iter().map(|i| &*i.path).collect();
        assert_eq!(paths, ["skl/k.visaasm", "skl/K-2.visaasm", "skl/k-3.visaasm"]);
    }
}
