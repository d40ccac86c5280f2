//! Commands `visa spec export` and `visa spec generate`.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};

use common::run;
use visakit_testing::{root, scratch};

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn export_writes_json() {
    let dir = scratch("export");
    let (exit, out, err) = run(&["spec", "export"]);
    assert_eq!((exit, err.as_str()), (0, ""));
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["schema"], visakit_spec_tools::export::VERSION);
    let pages = visakit::isa::PAGES;
    assert_eq!(value["instructions"].as_array().unwrap().len(), pages.len());
    for (page, exported) in pages.iter().zip(value["instructions"].as_array().unwrap()) {
        assert_eq!((&exported["name"], &exported["opcode"]), (&page.name.into(), &page.opcode.into()));
        assert_eq!(exported["at"]["line"], page.line);
    }
    let file = dir.join("spec.json");
    let said = format!("wrote {} ({} bytes)\n", text(&file), out.len());
    assert_eq!(run(&["spec", "export", "spec", "-o", &text(&file)]), (0, String::new(), said));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), out);
    let (exit, schema, _) = run(&["spec", "export", "--schema"]);
    assert_eq!((exit, schema.as_str()), (0, visakit_spec_tools::export::SCHEMA));
}

#[test]
fn export_of_wrong_pages_reports_and_writes() {
    let dir = scratch("export-wrong");
    let page = std::fs::read_to_string(root().join("spec/instructions/BARRIER.md")).unwrap();
    std::fs::create_dir_all(dir.join("instructions")).unwrap();
    std::fs::write(dir.join("instructions/BARRIER.md"), page.replace("0x59(BARRIER)", "0x58(BARRIER)")).unwrap();
    let (exit, out, err) = run(&["spec", "export", &text(&dir)]);
    assert_eq!(exit, 1, "{err}");
    assert!(err.contains("BARRIER.md:"), "{err}");
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["instructions"][0]["name"], "BARRIER");
    assert_eq!(run(&["spec", "export", "nowhere"]).0, 2);
    assert_eq!(run(&["spec", "export", "-o", "nowhere/spec.json"]).0, 2);
}

/// Program that uses the generated code as a crate: decodes its input, prints it, and encodes it
/// again.
const PROGRAM: &str = r#"
use visa_isa::isa::{DataType, GeneralId, Instruction};
use visa_isa::rt::{Context, Names, Printer, Reader, Table, Version, Wire, Writer};

struct Plain;

impl Names for Plain {
    fn name(&self, _: Table, _: u32) -> Option<std::borrow::Cow<'_, str>> { None }
    fn data_type(&self, _: GeneralId) -> Option<DataType> { None }
    fn register_bytes(&self) -> u32 { 32 }
    fn version(&self) -> Version { Version::new(4, 1) }
}

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let bytes: Vec<u8> = (0..line.len()).step_by(2).map(|i| u8::from_str_radix(&line[i..i + 2], 16).unwrap()).collect();
        let cx = Context { version: Version::new(4, 1) };
        let mut reader = Reader::new(&bytes, 0);
        let instruction = Instruction::decode(&mut reader, cx).unwrap();
        assert_eq!(reader.remaining(), 0);
        let mut printer = Printer::new(String::new(), &Plain);
        instruction.print(&mut printer);
        let mut writer = Writer::new();
        instruction.encode(&mut writer, cx).unwrap();
        let hex: String = writer.into_bytes().iter().map(|b| format!("{b:02x}")).collect();
        println!("{} {} {hex} {}", instruction.page().name, instruction.page().path, printer.into_text());
    }
}
"#;

/// Program that uses the generated code as a module.
const MODULE: &str = r#"
mod visa_isa;
fn main() {
    use visa_isa::isa::{Add, Instruction};
    assert_eq!(Instruction::Add(Add::default()).page().name, "ADD");
    assert_eq!(visa_isa::isa::candidates("add").len(), 1);
}
"#;

struct Plain;

impl visakit::rt::Names for Plain {
    fn name(&self, _: visakit::rt::Table, _: u32) -> Option<std::borrow::Cow<'_, str>> {
        None
    }
    fn data_type(&self, _: visakit::isa::GeneralId) -> Option<visakit::isa::DataType> {
        None
    }
    fn register_bytes(&self) -> u32 {
        32
    }
    fn version(&self) -> visakit::rt::Version {
        visakit::rt::Version::new(4, 1)
    }
}

/// The generated files are Rust without dependencies: `rustc` alone compiles them, as a crate and
/// as a module. Their behaviour equals this crate's. Compilation is slow, so the test runs only if
/// `VISAKIT_REQUIRE` contains `build`.
#[test]
fn generated_code_stands_on_its_own() {
    use visakit::rt::{Context, Printer, Version, Wire, Writer};

    if !visakit_testing::may_build("generated_code_stands_on_its_own") {
        return;
    }
    let dir = scratch("generate");
    let folder = dir.join("visa_isa");
    let (exit, out, err) = run(&["spec", "generate", "spec", "-o", &text(&folder)]);
    assert_eq!((exit, err.as_str()), (0, ""));
    assert!(out.lines().all(|line| Path::new(line).is_file()) && out.lines().count() > 10, "{out}");
    std::fs::write(dir.join("program.rs"), PROGRAM).unwrap();
    std::fs::write(dir.join("module.rs"), MODULE).unwrap();
    // No warnings and no dependencies: rustc gets no library paths.
    let rustc = |args: &[&str]| {
        let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut command = Command::new(compiler);
        let command = command.args(["--edition", "2024", "-D", "warnings"]).args(args).current_dir(&dir);
        assert!(command.status().unwrap().success(), "{args:?}");
    };
    rustc(&["--crate-type", "lib", "--crate-name", "visa_isa", "visa_isa/mod.rs"]);
    rustc(&["--extern", "visa_isa=libvisa_isa.rlib", "program.rs"]);
    rustc(&["-A", "dead_code", "-A", "unused_imports", "--emit", "metadata", "module.rs"]);

    let cx = Context { version: Version::new(4, 1) };
    let (mut input, mut expected) = (String::new(), String::new());
    for instruction in visakit::isa::Instruction::samples() {
        let mut writer = Writer::new();
        if instruction.encode(&mut writer, cx).is_err() {
            continue;
        }
        let hex: String = writer.into_bytes().iter().map(|b| format!("{b:02x}")).collect();
        let mut printer = Printer::new(String::new(), &Plain);
        instruction.print(&mut printer);
        let page = instruction.page();
        expected.push_str(&format!("{} {} {hex} {}\n", page.name, page.path, printer.into_text()));
        input.push_str(&format!("{hex}\n"));
    }
    assert!(expected.lines().count() > 100);
    std::fs::write(dir.join("input"), input).unwrap();
    let output = Command::new(dir.join("program"))
        .stdin(Stdio::from(std::fs::File::open(dir.join("input")).unwrap()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn generate_refuses_wrong_pages() {
    let dir = scratch("generate-wrong");
    let out = text(&dir.join("out"));
    std::fs::write(dir.join("README.md"), "").unwrap();
    let (exit, _, err) = run(&["spec", "generate", &text(&dir), "-o", &out]);
    assert!(exit == 2 && err.contains("no specification page"), "{err}");
    std::fs::copy(root().join("spec/lists.md"), dir.join("lists.md")).unwrap();
    let (exit, _, err) = run(&["spec", "generate", &text(&dir), "-o", &out]);
    assert_eq!(exit, 1);
    assert!(err.contains("chapter-missing"), "{err}");
    assert!(!dir.join("out").exists());
    assert_eq!(run(&["spec", "generate", "nowhere", "-o", "x"]).0, 2);
}

/// Every page and every chapter is read with the pages around it, or with those in the program.
#[test]
fn pages_lint_clean_by_themselves() {
    let spec = root().join("spec");
    let dir = scratch("lint-alone");
    let mut pages = Vec::new();
    for folder in [spec.clone(), spec.join("instructions")] {
        let all = std::fs::read_dir(folder).unwrap().map(|entry| text(&entry.unwrap().path()));
        pages.extend(all.filter(|path| path.ends_with(".md")));
    }
    pages.sort();
    // All pages are linted by one process and only some individually; a process per page would take
    // minutes.
    let all: Vec<&str> = ["spec", "lint"].into_iter().chain(pages.iter().map(String::as_str)).collect();
    assert_eq!(run(&all), (0, "167 instructions: 0 errors, 0 warnings\n".to_owned(), String::new()));
    for page in pages.iter().step_by(16) {
        let (exit, out, err) = run(&["spec", "lint", page, "--deny", "warnings"]);
        assert_eq!((exit, err.as_str()), (0, ""), "{page}: {out}");
    }
    // A page in another folder, with a byte order mark and a mistake after it.
    let add = std::fs::read_to_string(spec.join("instructions/ADD.md")).unwrap();
    let page = dir.join("another-name.md");
    let wrong = format!("\u{feff}{}", add.replace("Predication control", "Predicate control"));
    std::fs::write(&page, wrong).unwrap();
    let (exit, out, err) = run(&["spec", "lint", &text(&page)]);
    assert_eq!((exit, out.as_str()), (0, "1 instruction: 0 errors, 1 warning\n"), "{err}");
    assert!(err.contains("warning[phrase-unknown]") && err.contains("another-name.md:24:17"), "{err}");
    // Findings in other pages are only counted.
    let lists = std::fs::read_to_string(spec.join("lists.md")).unwrap();
    let page = dir.join("lists.md");
    std::fs::write(&page, lists.replace("## Exec_size(ub)", "## Exec_siz(ub)")).unwrap();
    let (exit, _, err) = run(&["spec", "lint", &text(&page)]);
    assert!(exit == 0 && err.contains("findings in other pages"), "{err}");
}

#[test]
fn pages_of_two_instructions_are_no_versions_of_one() {
    let page = |name: &str| text(&root().join("spec/instructions").join(name));
    let (exit, out, err) = run(&["spec", "diff", &page("ADD.md"), &page("MUL.md")]);
    assert_eq!((exit, out.as_str()), (2, ""));
    assert!(err.contains("not two versions of the same page"), "{err}");
    let dir = scratch("diff-empty");
    let empty = text(&dir.join("empty"));
    std::fs::create_dir_all(&empty).unwrap();
    for command in [&["spec", "lint", &empty][..], &["spec", "diff", &empty, "spec"], &["spec", "export", &empty]] {
        let (exit, _, err) = run(command);
        assert!(exit == 2 && err.contains("no specification page"), "{command:?}: {err}");
    }
}
