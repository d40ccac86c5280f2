//! `visa spec generate --lang`: the decoders in C and Python against the Rust decoder.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::run;
use visakit::isa::{DataType, GeneralId, Instruction};
use visakit::object::{Object, Routine, RoutineKind};
use visakit::rt::{Context, Names, Printer, Reader, Table, Version, Wire, Writer};
use visakit_testing::{Random, files, have, program, root, scratch};

const CHECK_C: &str = include_str!("languages/check.c");
const CHECK_PYTHON: &str = include_str!("languages/check.py");

/// Programs of a generated language: one prints objects, one checks lines of instructions.
struct Language {
    name: &'static str,
    objects: Vec<String>,
    instructions: Vec<String>,
    dir: PathBuf,
}

impl Language {
    /// Generates and builds a language from a folder of pages; `None` if its program is missing.
    fn new(test: &str, name: &'static str, pages: &str) -> Option<Self> {
        let tool = if name == "c" { "cc" } else { "python3" };
        if !have(test, "vendor", program(tool), tool) {
            return None;
        }
        let dir = scratch(&format!("{test}-{name}"));
        let folder = dir.join("visa_isa").display().to_string();
        let (exit, out, err) = run(&["spec", "generate", pages, "--lang", name, "-o", &folder]);
        assert_eq!((exit, err.as_str()), (0, ""));
        assert!(out.lines().all(|line| Path::new(line).is_file()) && out.lines().count() >= 5, "{out}");
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let (objects, instructions) = if name == "python" {
            std::fs::write(dir.join("check.py"), CHECK_PYTHON).unwrap();
            (words(&["python3", "-m", "visa_isa"]), words(&["python3", "check.py"]))
        } else {
            std::fs::write(dir.join("check.c"), CHECK_C).unwrap();
            for (main, output) in [("visa_isa/visa_dis.c", "dis"), ("check.c", "check")] {
                compile(&dir, main, output);
            }
            (words(&["./dis"]), words(&["./check"]))
        };
        Some(Self { name, objects, instructions, dir })
    }

    fn output(&self, command: &[String], arguments: &[PathBuf]) -> String {
        let output = Command::new(&command[0])
            .args(&command[1..])
            .args(arguments)
            .current_dir(&self.dir)
            .output()
            .unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {}", self.name, &err[..err.len().min(4000)]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn agrees(&self, expected: &str, found: &str) {
        let differ = expected.lines().zip(found.lines()).enumerate().find(|(_, (a, b))| a != b);
        if let Some((line, (wanted, got))) = differ {
            panic!("{}, line {}:\n  Rust {wanted}\n  {} {got}", self.name, line + 1, self.name);
        }
        assert_eq!(expected.lines().count(), found.lines().count(), "{}", self.name);
    }
}

/// Compiles a C program without a warning; with sanitizers, if the compiler has them.
fn compile(dir: &Path, main: &str, output: &str) {
    let strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O1", "-Ivisa_isa"];
    let sources = [main, "visa_isa/visa_isa.c", "visa_isa/visa_tables.c", "-o", output];
    let with =
        |more: &[&str]| Command::new("cc").args(strict).args(sources).args(more).current_dir(dir).output().unwrap();
    let sanitized = with(&["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]);
    if !sanitized.status.success() {
        let plain = with(&[]);
        assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
    }
}

/// Names of a routine's strings; all other names are numbers.
struct Strings<'a>(Option<&'a Routine>);

impl Names for Strings<'_> {
    fn name(&self, table: Table, id: u32) -> Option<std::borrow::Cow<'_, str>> {
        let predefined = match table {
            Table::String => return self.0?.string(visakit::isa::StringId(id)).map(Into::into),
            Table::General => visakit::isa::predefined::ALL,
            Table::Surface => visakit::isa::predefined_surface::ALL,
            _ => return None,
        };
        predefined.iter().find(|entry| entry.id == id).map(|entry| entry.name.into())
    }
    fn data_type(&self, id: GeneralId) -> Option<DataType> {
        visakit::isa::predefined::ALL.iter().find(|entry| entry.id == id.0).map(|entry| entry.data_type)
    }
    fn register_bytes(&self) -> u32 {
        32
    }
    fn version(&self) -> Version {
        Version::new(4, 1)
    }
}

fn shown(instruction: &Instruction, names: &Strings<'_>) -> String {
    let mut printer = Printer::new(String::new(), names);
    instruction.print(&mut printer);
    printer.into_text().trim_end().to_owned()
}

fn encoded(instruction: &Instruction, version: Version) -> Option<Vec<u8>> {
    let mut writer = Writer::new();
    instruction.encode(&mut writer, Context { version }).ok()?;
    Some(writer.into_bytes())
}

/// Returns what the other languages print of an object; `None` if a marker in its strings changes
/// an instruction, or its code was removed.
fn object_text(object: &Object) -> Option<String> {
    let mut out = String::new();
    let kernels = object.kernels.iter().map(|kernel| &kernel.routine);
    for routine in kernels.chain(object.functions.iter().map(|function| &function.routine)) {
        if routine.stripped.is_some() {
            return None;
        }
        let kind = if routine.kind == RoutineKind::Kernel { ".kernel" } else { ".function" };
        writeln!(out, "{kind} {}", routine.name()).unwrap();
        for instruction in &routine.instructions {
            let cx = Context { version: object.version };
            let bytes = encoded(instruction, object.version)?;
            let stored = Instruction::decode(&mut Reader::new(&bytes, 0), cx).ok()?;
            writeln!(out, "{}", shown(&stored, &Strings(Some(routine)))).unwrap();
        }
    }
    Some(out)
}

fn vectors(test: &str) -> Vec<PathBuf> {
    let mut all = files(&root().join("tests/vectors/single"), "isa");
    // Files of drivers have kernels of thousands of instructions, and old versions.
    if let Some(shared) = visakit_testing::shared(test, "VISAKIT_VECTORS") {
        let folders = std::fs::read_dir(shared.join("public")).unwrap().map(|entry| entry.unwrap().path());
        all.extend(folders.flat_map(|folder| files(&folder, "isa")));
    }
    all
}

#[test]
fn all_vectors_print_as_in_rust() {
    let test = "all_vectors_print_as_in_rust";
    let dir = scratch("languages-objects");
    let (mut paths, mut expected) = (Vec::new(), String::new());
    let mut add = |object: &Object, name: String| {
        if let (Some(text), Ok(bytes)) = (object_text(object), object.encode()) {
            let path = dir.join(name);
            std::fs::write(&path, bytes).unwrap();
            paths.push(path);
            expected.push_str(&text);
        }
    };
    for (number, path) in vectors(test).iter().enumerate() {
        let Ok(mut object) = Object::decode(&std::fs::read(path).unwrap()) else { continue };
        add(&object, format!("{number}.isa"));
        // Other versions have other layouts.
        for version in [Version::new(3, 2), Version::new(3, 6), Version::new(4, 0)] {
            object.version = version;
            add(&object, format!("{number}-{version}.isa"));
        }
    }
    assert!(paths.len() > 900 && expected.lines().count() > 2_000, "{} {}", paths.len(), expected.lines().count());
    for name in ["c", "python"] {
        let Some(language) = Language::new(test, name, "spec") else { continue };
        language.agrees(&expected, &language.output(&language.objects, &paths));
    }
}

/// Instructions of every page and of the vectors, and the same with damaged bytes: all decoders
/// accept the same bytes and print the same text.
#[test]
fn damaged_instructions_are_refused_as_in_rust() {
    let test = "damaged_instructions_are_refused_as_in_rust";
    let (mut all, mut random) = (Vec::new(), Random(11));
    for version in [Version::new(4, 1), Version::new(3, 4)] {
        let samples = Instruction::samples();
        all.extend(samples.iter().filter_map(|sample| Some((version, encoded(sample, version)?))));
    }
    for path in vectors(test) {
        let Ok(object) = Object::decode(&std::fs::read(path).unwrap()) else { continue };
        for instruction in object.kernels.iter().flat_map(|kernel| &kernel.routine.instructions).step_by(7) {
            all.extend(encoded(instruction, object.version).map(|bytes| (object.version, bytes)));
        }
    }
    let intact = all.len();
    while all.len() < 4 * intact {
        let (version, mut bytes) = all[random.below(intact)].clone();
        match random.below(3) {
            0 => bytes.truncate(random.below(bytes.len() + 1)),
            1 => bytes.extend([random.bits() as u8, 0, 0, 0]),
            _ => {}
        }
        if !bytes.is_empty() {
            let at = random.below(bytes.len());
            bytes[at] = random.bits() as u8;
        }
        all.push((version, bytes));
    }
    let (mut lines, mut expected, mut refused) = (String::new(), String::new(), 0);
    for (version, bytes) in all.iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(lines, "{} {hex}", 256 * u32::from(version.major) + u32::from(version.minor)).unwrap();
        let mut reader = Reader::new(bytes, 0);
        match Instruction::decode(&mut reader, Context { version: *version }) {
            Ok(instruction) => {
                writeln!(expected, "{} {}", reader.offset(), shown(&instruction, &Strings(None))).unwrap();
            }
            Err(_) => {
                expected.push_str("error\n");
                refused += 1;
            }
        }
    }
    assert!(intact > 300 && refused > intact / 2, "{intact} {refused}");
    for name in ["c", "python"] {
        let Some(language) = Language::new(test, name, "spec") else { continue };
        let input = language.dir.join("lines");
        std::fs::write(&input, &lines).unwrap();
        language.agrees(&expected, &language.output(&language.instructions, &[input]));
    }
}

/// The columns of lists, such as the arguments and keys of directives, are those of the Rust code.
#[test]
fn columns_of_lists_are_those_of_rust() {
    let test = "columns_of_lists_are_those_of_rust";
    let mut expected = BTreeSet::new();
    // Columns of other tables are no columns of lists.
    let is_list = |list: &str| !["Data_type", "Platform", "limit"].contains(&list);
    visakit::isa::each_attribute(&mut |list, column, code, cell| {
        if is_list(list) {
            expected.insert(format!("{list} {column} {code} {cell}"));
        }
    });
    assert!(expected.iter().any(|line| line.starts_with("Text_directive Leading 6 key_offset")), "{expected:?}");
    for name in ["c", "python"] {
        let Some(language) = Language::new(test, name, "spec") else { continue };
        let found = language.output(&[&language.instructions[..], &["--columns".to_owned()]].concat(), &[]);
        let found: BTreeSet<String> = found.lines().map(str::to_owned).collect();
        assert_eq!(found.symmetric_difference(&expected).collect::<Vec<_>>(), Vec::<&String>::new(), "{name}");
    }
}

/// An edited page changes the generated decoders.
#[test]
fn an_edited_page_changes_the_decoders() {
    let test = "an_edited_page_changes_the_decoders";
    let dir = scratch("languages-edited");
    let spec = root().join("spec");
    for folder in ["", "instructions"] {
        std::fs::create_dir_all(dir.join(folder)).unwrap();
        for page in files(&spec.join(folder), "md") {
            std::fs::copy(&page, dir.join(folder).join(page.file_name().unwrap())).unwrap();
        }
    }
    let page = dir.join("instructions/GOTO.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let edited = text.replace("GOTO (<exec_size>)", "HOP (<exec_size>)");
    assert_ne!(text, edited);
    std::fs::write(&page, edited).unwrap();
    let goto = Instruction::from(visakit::isa::Goto::default());
    let version = Version::new(4, 1);
    let hex: String = encoded(&goto, version).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = shown(&goto, &Strings(None)).replace("goto", "hop");
    for name in ["c", "python"] {
        let Some(language) = Language::new(test, name, &dir.display().to_string()) else { continue };
        let input = language.dir.join("lines");
        std::fs::write(&input, format!("{} {hex}\n", 256 * 4 + 1)).unwrap();
        language
            .agrees(&format!("{} {expected}\n", hex.len() / 2), &language.output(&language.instructions, &[input]));
    }
}
