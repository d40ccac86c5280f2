//! The C library, called from C programs and compared with the Rust interface.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use visakit::diag::{Diagnostic, Severity};
use visakit::isa::Platform;
use visakit::object::{Object, Routine, RoutineKind};
use visakit::text::{self, RoutineNames, Style};
use visakit::verify;
use visakit_testing::{root, scratch};

fn here(path: &str) -> PathBuf {
    root().join("crates/c").join(path)
}

/// Library to link.
#[derive(Clone, Copy)]
enum Link {
    Shared,
    Static,
}

/// Compiles a C program against the header and the shared library; returns its path.
fn compiled(test: &str, source: &Path) -> Option<PathBuf> {
    linked(test, source, Link::Shared)
}

/// Compiles a C program against the header and a library; returns its path.
fn linked(test: &str, source: &Path, link: Link) -> Option<PathBuf> {
    if !visakit_testing::have(test, "vendor", visakit_testing::program("cc"), "C compiler") {
        return None;
    }
    let library = std::env::current_exe().unwrap().with_file_name("libvisakit_c.so");
    assert!(library.is_file(), "{} is not built", library.display());
    let program = scratch(test).join("program");
    let folder = library.parent().unwrap().display();
    let shared = [format!("-L{folder}"), "-lvisakit_c".to_owned(), format!("-Wl,-rpath,{folder}")];
    let archive = library.with_extension("a");
    let out = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", "-I"])
        .arg(here("include"))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .args(match link {
            Link::Shared => shared.each_ref().map(String::as_str).to_vec(),
            Link::Static => vec![archive.to_str().unwrap(), "-lpthread", "-ldl", "-lm"],
        })
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    Some(program)
}

fn succeeds(out: &Output) -> &[u8] {
    let (stdout, stderr) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{}\n{stderr}{}", out.status, &stdout[..stdout.len().min(2000)]);
    &out.stdout
}

/// Returns the objects and texts of the repository and of the shared folder, and damaged copies.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root().join("tests/vectors/single")];
    if let Some(shared) = visakit_testing::shared("the C library's vectors", "VISAKIT_VECTORS") {
        folders.push(shared.join("single"));
        folders.extend(std::fs::read_dir(shared.join("public")).unwrap().map(|entry| entry.unwrap().path()));
    }
    let of = |ending| folders.iter().flat_map(move |folder| visakit_testing::files(folder, ending));
    let mut all: Vec<PathBuf> = of("isa").chain(of("visaasm")).collect();
    assert!(all.len() > 100, "{} files", all.len());
    let mut random = visakit_testing::Random(7);
    for (number, file) in all.clone().iter().step_by(5).enumerate() {
        let mut bytes = std::fs::read(file).unwrap();
        let at = random.below(bytes.len());
        match number % 2 {
            0 => bytes.truncate(at),
            _ => bytes[at] = random.bits() as u8,
        }
        let ending = file.extension().unwrap().to_str().unwrap();
        let path = folder.join(format!("{number}.{ending}"));
        std::fs::write(&path, bytes).unwrap();
        all.push(path);
    }
    all
}

/// Returns the report that `report.c` must print about a file.
fn expected(path: &Path) -> Vec<u8> {
    let file = path.to_str().unwrap();
    let bytes = std::fs::read(path).unwrap();
    let wrong = |found: Vec<Diagnostic>| format!("file {file}: 3\n{}", findings(&found)).into_bytes();
    if file.contains(".isa") {
        return match Object::decode(&bytes) {
            Ok(object) => object_report(file, &object, None),
            Err(e) => {
                let finding = Diagnostic::new(e.code, Severity::Error, file, e.message).help(e.help);
                wrong(vec![finding.at_offset(e.offset as u64)])
            }
        };
    }
    let Ok(text) = std::str::from_utf8(&bytes) else { return format!("file {file}: 6\n").into_bytes() };
    match text::parse(text, text::Options { file: file.to_owned(), platform: None }) {
        Err(found) => wrong(found.into_vec()),
        Ok(parsed) => {
            let object = parsed.clone().into_object();
            let mut routines: Vec<_> = parsed.routines().collect();
            routines.sort_by_key(|(routine, _)| routine.kind != RoutineKind::Kernel);
            let lines = routines.iter().map(|(_, lines)| lines.to_vec()).collect();
            object_report(file, &object, Some((text, lines)))
        }
    }
}

fn object_report(file: &str, object: &Object, source: Option<(&str, Vec<Vec<u32>>)>) -> Vec<u8> {
    let mut out = format!("file {file}: 0\n");
    let mut buffer = |what: &str, text: &str| {
        let _ = writeln!(out, "{what} {} {text}", text.len());
    };
    let platform = object.platform();
    for routine in object.routines() {
        buffer("name", &routine.name());
        buffer("routine", &text::print(object, routine, platform, Style::Full));
        let bytes = Platform::register_bytes_of(platform);
        let names = RoutineNames::new(routine, object.version, bytes, Style::Full);
        routine.instructions.iter().for_each(|one| buffer("instruction", &one.display(&names).to_string()));
    }
    for (what, style) in [("vendor", Style::Vendor), ("explicit", Style::Explicit)] {
        let all: String = object.routines().map(|routine| text::print(object, routine, platform, style)).collect();
        buffer(what, &all);
    }
    let bytes = object.encode().unwrap();
    let sum = bytes.iter().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()));
    let _ = writeln!(out, "bytes {} {sum}", bytes.len());
    for platform in [platform, Platform::from_name("dg2")] {
        let place = source.as_ref().map(|(text, lines)| (verify::Source::new(text), lines));
        let of = |(n, routine): (usize, &Routine)| {
            let place = place.as_ref().map(|(source, lines)| (source, lines[n].as_slice()));
            verify::findings(file, routine, platform, place)
        };
        let found: Vec<Diagnostic> = object.routines().enumerate().flat_map(of).collect();
        out += &findings(&found);
    }
    out.into_bytes()
}

fn findings(found: &[Diagnostic]) -> String {
    let line = |f: &Diagnostic| {
        let severity = match f.severity {
            Severity::Note => 0,
            Severity::Warning => 1,
            Severity::Error => 2,
        };
        let (has, offset) = (u8::from(f.offset.is_some()), f.offset.unwrap_or(0));
        let place = format!("{}:{}:{}+{} {has} 0x{offset:x}", f.file, f.line, f.column, f.width);
        let texts = [&f.message, &f.help, &f.quote].map(|text| text.replace('\0', "\u{fffd}")).join(" | ");
        format!("{} {severity} {place} {texts}\n", f.code)
    };
    found.iter().map(line).collect()
}

/// All functions return what the Rust interface returns, for all vectors and for damaged files.
#[test]
fn reports_equal_the_rust_interface() {
    let Some(program) = compiled("c-report", &here("tests/report.c")) else { return };
    let files = files(&scratch("c-damaged"));
    let (mut wrong, mut right) = (0, 0);
    for some in files.chunks(50) {
        let out = Command::new(&program).args(some).output().unwrap();
        let mut rest = succeeds(&out);
        for file in some {
            let expected = expected(file);
            let got = &rest[..expected.len().min(rest.len())];
            assert!(got == expected, "{}", first_difference(file, got, &expected));
            rest = &rest[expected.len()..];
            let is_right = expected.starts_with(format!("file {}: 0\n", file.display()).as_bytes());
            (right, wrong) = (right + u32::from(is_right), wrong + u32::from(!is_right));
        }
        assert!(rest.is_empty(), "the report has more than expected");
    }
    assert!(right > 100 && wrong > 10, "{right} right and {wrong} wrong files");
}

fn first_difference(file: &Path, got: &[u8], expected: &[u8]) -> String {
    let (got, expected) = (String::from_utf8_lossy(got), String::from_utf8_lossy(expected));
    let pair = got.lines().zip(expected.lines()).find(|(got, expected)| got != expected);
    format!("{}: C and Rust differ: {pair:?}", file.display())
}

/// Null pointers, stale handles and wrong indices are errors.
#[test]
fn misuse_is_an_error() {
    let Some(program) = compiled("c-misuse", &here("tests/misuse.c")) else { return };
    let out = Command::new(program).output().unwrap();
    assert_eq!(String::from_utf8_lossy(succeeds(&out)).trim(), env!("CARGO_PKG_VERSION"));
}

/// Neither correct nor wrong calls read outside of a buffer or leak memory.
#[test]
fn valgrind_finds_nothing() {
    let test = "valgrind_finds_nothing";
    if !visakit_testing::have(test, "vendor", visakit_testing::program("valgrind"), "valgrind") {
        return;
    }
    let folder = scratch("c-valgrind-files");
    let (isa, texts): (Vec<_>, Vec<_>) =
        files(&folder).into_iter().partition(|f| f.to_string_lossy().contains(".isa"));
    let some: Vec<_> = isa.iter().step_by(25).chain(texts.iter().step_by(25)).collect();
    for (name, source, files) in
        [("c-valgrind-report", "tests/report.c", some), ("c-valgrind-misuse", "tests/misuse.c", Vec::new())]
    {
        let Some(program) = compiled(name, &here(source)) else { return };
        let out = Command::new("valgrind")
            .args([
                "--quiet",
                "--error-exitcode=99",
                "--leak-check=full",
                "--errors-for-leak-kinds=definite,indirect",
            ])
            .arg(program)
            .args(files)
            .output()
            .unwrap();
        succeeds(&out);
    }
}

/// The example of the guide compiles and prints what the guide says.
#[test]
fn the_guide_has_a_program() {
    let guide = std::fs::read_to_string(root().join("docs/guide/library.md")).unwrap();
    let block = guide.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a C program");
    let source = scratch("c-guide-source").join("guide.c");
    std::fs::write(&source, block).unwrap();
    let Some(program) = compiled("c-guide", &source) else { return };
    let object = root().join("tests/vectors/single/arith-00.isa");
    let out = Command::new(&program).arg(&object).output().unwrap();
    let decoded = Object::decode(&std::fs::read(&object).unwrap()).unwrap();
    let routine = decoded.routines().next().unwrap();
    let text = text::print(&decoded, routine, decoded.platform(), Style::Full);
    assert!(String::from_utf8_lossy(succeeds(&out)).contains(&text));
    let Some(with_archive) = linked("c-guide-static", &source, Link::Static) else { return };
    assert_eq!(Command::new(with_archive).arg(&object).output().unwrap().stdout, out.stdout);
    let text = root().join("README.md");
    let out = Command::new(&program).arg(&text).output().unwrap();
    assert!(!out.status.success() && String::from_utf8_lossy(&out.stderr).contains("object"), "{out:?}");
}

/// The header equals the output of cbindgen; `BLESS=1` writes it.
#[test]
fn header_is_current() {
    let config = cbindgen::Config::from_file(here("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_config(config).with_crate(here("")).generate().unwrap();
    let mut header = Vec::new();
    bindings.write(&mut header);
    visakit_testing::golden(&here("include/visakit.h"), &String::from_utf8(header).unwrap());
}

/// Every function of the header has a comment, and C++ accepts the header.
#[test]
fn the_header_is_documented_and_valid() {
    let path = here("include/visakit.h");
    let header = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = header.lines().collect();
    let functions: Vec<usize> =
        (0..lines.len()).filter(|&n| lines[n].contains(" visakit_") && lines[n].contains('(')).collect();
    assert!(functions.len() >= 15, "{} functions", functions.len());
    for number in functions {
        assert!(lines[number - 1].starts_with("//"), "no comment before `{}`", lines[number]);
    }
    let test = "the_header_is_documented_and_valid";
    if visakit_testing::have(test, "vendor", visakit_testing::program("c++"), "C++ compiler") {
        let out = Command::new("c++").args(["-x", "c++", "-Wall", "-Werror", "-fsyntax-only"]).arg(&path).output();
        succeeds(&out.unwrap());
    }
}
