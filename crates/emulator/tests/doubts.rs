//! `verify::doubts`: each legal but suspicious construct is reported in a text that contains it,
//! and none in the vendor compiler's output for correct programs: the kernels of the conformance
//! suite for four targets, and the vendor's objects.
//!
//! Each run takes one in 8 kernels; all if `VISAKIT_DOUBTS` is set.

use std::path::Path;

use visakit::isa::Platform;
use visakit::object::{Object, Routine};
use visakit::text;
use visakit::verify::{Location, doubts};
use visakit_emulator::run::Program;
use visakit_zebin::Zebin;

const HEAD: &str = ".version 4.1
.kernel \"k\"
.decl V32 v_type=G type=d num_elts=16 align=GRF
.decl V33 v_type=G type=d num_elts=16 align=GRF
.decl V34 v_type=G type=d num_elts=1 align=dword
.decl V35 v_type=G type=w num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.input V35 offset=32 size=32
.input V34 offset=64 size=4
";

/// Returns the codes found in instructions, with the instruction numbers.
fn found(code: &str) -> Vec<(&'static str, usize)> {
    let source = format!("{HEAD}{code}    ret (M1, 1)\n");
    let parsed = text::parse(&source, text::Options::default()).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    let place = |place: &Location| match place {
        Location::Instruction(number) => *number,
        other => panic!("{other:?}"),
    };
    doubts(&parsed.routine, Some(Platform::Skl)).iter().map(|doubt| (doubt.code, place(&doubt.place))).collect()
}

#[test]
fn values_that_nothing_has_written() {
    let not = "    not (M1, 16) V32(0,0)<1> V33(0,0)<8;8,1>\n";
    assert_eq!(found(not), [("unwritten", 0)]);
    assert_eq!(found(&format!("    mov (M1, 16) V33(0,0)<1> V34(0,0)<0;1,0>\n{not}")), []);
    // Written after the read, except in a loop.
    let behind = format!("{not}    mov (M1, 16) V33(0,0)<1> V34(0,0)<0;1,0>\n");
    assert_eq!(found(&behind), [("unwritten", 0)]);
    assert_eq!(
        found(&format!(
            "    cmp.gt (M1, 16) P1 V35(0,0)<8;8,1> 0x1:w\nround:\n{behind}    (P1) goto (M1, 16) round\n"
        )),
        []
    );
    // A copy is no use; a computation with the copy is.
    let copy = "    mov (M1, 16) V33(0,0)<1> V32(0,0)<8;8,1>\n";
    assert_eq!(found(copy), []);
    assert_eq!(found(&format!("{copy}    add (M1, 16) V32(0,0)<1> V33(0,0)<8;8,1> 0x1:d\n")), [("unwritten", 0)]);
    assert_eq!(found(&format!("{copy}    add (M1, 1) V34(0,0)<1> V33(0,0)<0;1,0> 0x1:d\n")), [("unwritten", 1)]);
    // A comparison of a variable with itself does not depend on its value.
    let twin = "    cmp.eq (M1, 16) P1 V33(0,0)<0;1,0> V33(0,0)<0;1,0>\n    (P1) mov (M1, 16) V32(0,0)<1> 0x1:d\n";
    assert_eq!(found(twin), []);
    assert_eq!(found("    (P1) mov (M1, 16) V32(0,0)<1> 0x1:d\n"), [("unwritten", 0)]);
}

#[test]
fn operands_beyond_their_variables() {
    assert_eq!(found("    mov (M1, 16) V32(1,0)<1> 0x1:d\n"), [("outside", 0)]);
    assert_eq!(found("    mov (M1, 16) V32(0,0)<2> 0x1:d\n"), [("outside", 0)]);
    assert_eq!(found("    mov (M1, 8) V32(1,0)<1> 0x1:d\n    mov (M1, 8) V32(0,0)<2> 0x1:d\n"), []);
    assert_eq!(found("    add (M1, 16) V32(0,0)<1> V34(0,0)<8;8,1> 0x1:d\n"), [("outside", 0)]);
}

#[test]
fn code_that_nothing_reaches() {
    let rest = "    mov (M1, 16) V32(0,0)<1> 0x1:d\nend:\n";
    assert_eq!(found(&format!("    jmp (M1, 1) end\n{rest}")), [("unreachable", 1)]);
    let compare = "    cmp.gt (M1, 16) P1 V35(0,0)<8;8,1> 0x1:w\n";
    assert_eq!(found(&format!("{compare}    (P1) goto (M1, 16) end\n{rest}")), []);
}

#[test]
fn predicates_that_nothing_reads() {
    let compare = "    cmp.gt (M1, 16) P2 V35(0,0)<8;8,1> 0x1:w\n";
    assert_eq!(found(compare), [("unread-predicate", 0)]);
    assert_eq!(found(&format!("{compare}    (P2) mov (M1, 16) V32(0,0)<1> 0x1:d\n")), []);
}

#[test]
fn barriers_that_some_channels_leave_out() {
    let branch = |compare: &str, size: u32| {
        format!("    cmp.gt (M1, 16) P1 {compare} 0x1:w\n    (P1) goto (M1, {size}) end\n    barrier\nend:\n")
    };
    assert_eq!(found(&branch("V35(0,0)<8;8,1>", 16)), [("divergent-barrier", 2)]);
    assert_eq!(found(&branch("V35(0,0)<0;1,0>", 16)), [], "all channels do the same");
    assert_eq!(found(&branch("V35(0,0)<8;8,1>", 1)), [], "the first channel decides for all");
    // Channels that leave a loop do not reach its barrier again.
    let round = "round:\n    barrier\n    cmp.gt (M1, 16) P1 V35(0,0)<8;8,1> 0x1:w\n    (P1) goto (M1, 16) round\n";
    assert_eq!(found(round), [("divergent-barrier", 1)]);
}

#[test]
fn nothing_in_what_the_compiler_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let step = if std::env::var_os("VISAKIT_DOUBTS").is_some() { 1 } else { 8 };
    let (mut wrong, mut count) = (Vec::new(), 0);
    let mut check = |name: &str, routine: &Routine, platform: Option<Platform>| {
        count += 1;
        let found = doubts(routine, platform);
        wrong
            .extend(found.iter().map(|doubt| format!("{name}: {} {:?}: {}", doubt.code, doubt.place, doubt.message)));
    };
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the suite").filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut number = 0;
    for file in files.iter().filter(|file| file.to_string_lossy().ends_with(".zebin.gz")) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = visakit_testing::unpacked(file).expect("a compressed file");
        let zebin = Zebin::parse(&name, &bytes).expect("a zebin");
        for info in zebin.kernel_infos() {
            number += 1;
            if number % step != 0 {
                continue;
            }
            let program = Program::from_zebin(&zebin, Some(&info.name), None).expect("a program");
            let functions = program.functions.iter().map(|function| &function.routine);
            std::iter::once(&program.routine).chain(functions).for_each(|routine| {
                check(&format!("{name}/{}", info.name), routine, Some(program.platform));
            });
        }
    }
    assert!(number / step > 100, "{number}");
    let shared = visakit_testing::shared("doubts, in part", "VISAKIT_VECTORS").map(|dir| dir.join("public"));
    let folders = shared.iter().flat_map(|dir| std::fs::read_dir(dir).expect("the vendor's objects"));
    for file in folders.map(|folder| folder.expect("a folder").path().join("object.isa")) {
        let object = Object::decode(&std::fs::read(&file).expect("an object")).expect("an object");
        object.routines().for_each(|routine| check(&file.display().to_string(), routine, object.platform()));
    }
    assert!(wrong.is_empty(), "{} in {count} routines:\n{}", wrong.len(), wrong.join("\n"));
}
