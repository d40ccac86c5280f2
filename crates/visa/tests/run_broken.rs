//! Messages of `visa run` about impossible launches: located, exit code 1 or 2, and never a panic.

use std::path::PathBuf;
use std::process::{Command, Output};

use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Options, Policy, Program, launch};
use visakit_zebin::Zebin;

fn example(name: &str) -> String {
    visakit_testing::root().join(format!("examples/{name}/{name}.skl.zebin")).display().to_string()
}

/// Creates a temporary folder for a test.
fn scratch(test: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("visakit-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn visa(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_visa")).arg("run").args(arguments).output().unwrap()
}

/// Checks that a call ends with `code`, prints all of `texts` on standard error, and prints nothing
/// else.
fn refuses(arguments: &[&str], code: i32, texts: &[&str]) {
    let output = visa(arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{message}");
    for text in texts {
        assert!(message.contains(text), "{arguments:?} should say `{text}`:\n{message}");
    }
    assert!(!message.contains("panicked"), "{message}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

const RIGHT: [&str; 8] = ["--arg", "0=zeros:40", "--arg", "1=zeros:40", "--arg", "2=zeros:40", "--arg", "3=u32:10"];

fn with<'a>(program: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec![program, "--global", "10"];
    all.extend(more);
    all
}

#[test]
fn wrong_arguments() {
    let zebin = example("vector_add");
    let ok = with(&zebin, &RIGHT);
    assert!(visa(&ok).status.success());
    let mut untyped = RIGHT;
    untyped[7] = "n=10";
    assert!(visa(&with(&zebin, &untyped)).status.success());
    refuses(&with(&zebin, &RIGHT[..6]), 2, &["argument-missing", "--arg 3", "`uint n`", "3=u32:VALUE"]);
    for (place, text, expected) in [
        (7, "3=u64:10", &["argument-kind", "has 4 bytes, but 8 are given"][..]),
        (7, "3=f32:10", &["argument-kind", "is given f32"]),
        (7, "3=zeros:4", &["argument-kind", "is given a buffer"]),
        (7, "3=u32:ten", &["argument-syntax", "`ten` is not a valid u32", "--arg:1:7"]),
        (7, "3=u32", &["argument-syntax", "does not give a value"]),
        (7, "3=-1", &["argument-kind", "`uint n`", "is given `-1`", "3=u32:VALUE"]),
        (7, "3=1,2", &["argument-kind", "has 4 bytes, but 8 are given"]),
        (1, "0=8", &["argument-kind", "is given a value"]),
        (7, "9=u32:1", &["argument-unknown", "no argument 9", "`float* a`"]),
        (7, "2=zeros:4", &["argument-twice"]),
        (1, "0=u32:1", &["argument-kind", "is given a value"]),
        (1, "0=local:64", &["argument-kind", "shared local memory"]),
        (1, "0=file:/nowhere/at/all", &["/nowhere/at/all"]),
        (1, "0=zeros:999999999999999", &["argument-size", "too large"]),
        (1, "0=image:r32f:4x4:zeros", &["argument-kind", "is given an image"]),
    ] {
        let mut right = RIGHT;
        right[place] = text;
        refuses(&with(&zebin, &right), 2, expected);
    }
}

#[test]
fn wrong_sizes() {
    let zebin = example("vector_add");
    for (options, expected) in [
        (&["--global", "0"][..], "0 is out of range"),
        (&["--global", "4294967296"], "out of range"),
        (&["--global", "10", "--local", "10,1"], "2 sizes are given here, but 1 in `global`"),
        (&["--global", "10", "--local", "4096"], "too large"),
        (&["--global", "1,1,1,1"], "one to three dimensions"),
        (&[], "the launch size is missing"),
    ] {
        let mut all = vec![zebin.as_str()];
        all.extend(options);
        all.extend(RIGHT);
        refuses(&all, 2, &["launch-size", expected]);
    }
    refuses(&[&zebin, "--global", "ten"], 2, &["--global"]);
    refuses(&[&zebin, "--global", "8x8"], 2, &["--global", "separate sizes by commas: 8,8"]);
    refuses(&with(&zebin, &["--platform", "gen99"]), 2, &["unknown platform", "skl"]);
}

#[test]
fn wrong_dumps() {
    let zebin = example("vector_add");
    let folder = scratch("dumps");
    let picture = folder.join("p.png").display().to_string();
    for (dump, expected) in [
        ("3=x.bin".to_owned(), &["dump-index", "argument 3 is not a buffer"][..]),
        ("2".to_owned(), &["dump-syntax", "does not name a file"]),
        (format!("2={picture}"), &["dump-syntax", "size and format"]),
        (format!("2={picture}:4x4:purple"), &["dump-syntax", "no format `purple`", "r32f"]),
        (format!("2={picture}:400x400:r32f"), &["dump-size", "too few"]),
        ("2=/nowhere/at/all".to_owned(), &["/nowhere/at/all"]),
    ] {
        let mut right = RIGHT.to_vec();
        right.extend(["--dump", &dump]);
        refuses(&with(&zebin, &right), 2, expected);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn wrong_programs() {
    let folder = scratch("programs");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let bytes = std::fs::read(example("vector_add")).unwrap();

    refuses(&["/nowhere/at/all", "--global", "1"], 2, &["/nowhere/at/all"]);
    refuses(&["--global", "1"], 2, &["no program is given"]);
    refuses(&with(&file("short.zebin", &bytes[..100]), &[]), 1, &["zebin-damaged", "short.zebin"]);
    refuses(&with(&file("some.bin", b"hello"), &[]), 1, &["program-kind", "not a zebin"]);
    let source = file("k.cl", b"kernel void k() { x; }");
    let source = with(&source, &[]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join("ocloc").is_file()) {
        refuses(&source, 1, &["compile", "undeclared identifier 'x'", ":1:"]);
    } else {
        refuses(&source, 2, &["compiler-missing", "intel-opencl-icd"]);
    }
    refuses(
        &with(&example("vector_add"), &["--kernel", "other"]),
        1,
        &["kernel-unknown", "no kernel `other`", "vector_add"],
    );

    // Compiled without vISA and SPIR-V: the sections get another type.
    let mut without = bytes.clone();
    for at in 0..without.len() - 4 {
        if [0xff00_0013_u32, 0xff00_0009].iter().any(|kind| without[at..at + 4] == kind.to_le_bytes()) {
            without[at] = 0x55;
        }
    }
    let text = ["zebin-no-visa", "compile the source", "-ze-opt-emit-zebin-visa-sections", "-exclude_ir"];
    refuses(&with(&file("without.zebin", &without), &RIGHT), 1, &text);

    // An error in the text has its line, column and caret.
    let text = visa_text(&bytes).replace("add (M1, 16)", "add (M1, 17)");
    let path = file("wrong.visaasm", text.as_bytes());
    refuses(&with(&path, &["--zebin", &example("vector_add")]), 1, &["wrong.visaasm:", "add (M1, 17)", "^"]);
    // A text alone does not describe the layout of the arguments.
    let path = file("alone.visaasm", visa_text(&bytes).as_bytes());
    refuses(&with(&path, &["--platform", "skl"]), 1, &["where the kernel's arguments are placed", "--zebin"]);
    std::fs::remove_dir_all(folder).unwrap();
}

fn visa_text(zebin: &[u8]) -> String {
    Zebin::parse("k", zebin).unwrap().texts[0].text.clone()
}

#[test]
fn a_text_runs_with_the_layout_of_its_zebin() {
    let folder = scratch("text");
    let (text, sums) = (folder.join("k.visaasm"), folder.join("sums.bin"));
    std::fs::write(&text, visa_text(&std::fs::read(example("vector_add")).unwrap())).unwrap();
    let (text, dump, zebin) = (text.display().to_string(), format!("2={}", sums.display()), example("vector_add"));
    let mut all = with(&text, &["--zebin", &zebin, "--dump", &dump, "--stats", "--format", "json"]);
    let mut right = RIGHT;
    right[1] = "0=bytes:0000803f";
    right[3] = "1=bytes:00000040";
    right[7] = "3=u32:1";
    all.extend(right);
    let output = visa(&all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read(sums).unwrap()[..4], 3.0_f32.to_le_bytes());
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(stats["by_opcode"]["ret"]["instructions"], 1);
    assert!(stats["wall_s"].as_f64().unwrap() > 0.0 && stats["instructions_per_s"].as_f64().unwrap() > 0.0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn launch_files() {
    let folder = scratch("launch");
    let write = |text: &str| {
        let path = folder.join("l.toml");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let zebin = example("vector_add");
    let right = format!(
        "program = {zebin:?}\nglobal = [10]\narg = [\n  \"0=zeros:40\", \"1=zeros:40\",\n  \"2=zeros:40\", \"3=u32:10\"\n]\ndump = [\"2=c.bin\"]\n"
    );
    assert!(visa(&["--launch", &write(&right)]).status.success());
    assert_eq!(std::fs::read(folder.join("c.bin")).unwrap().len(), 40, "paths are relative to the launch file");
    refuses(&["--launch", &write(&right.replace("global", "globl"))], 1, &["launch-file", "l.toml:2:1", "globl"]);
    refuses(&["--launch", &write(&right.replace("u32:10", "u32:x"))], 2, &["l.toml:5:24", "`x` is not a valid u32"]);
    refuses(&["--launch", &write("program = ")], 1, &["launch-file", "l.toml:1"]);
    refuses(&["--launch", "/nowhere.toml"], 2, &["/nowhere.toml"]);
    // The command line takes precedence.
    let path = write(&right);
    refuses(&["--launch", &path, "--arg", "3=u32:x"], 2, &["--arg:1:7"]);
    assert!(visa(&["--launch", &path, "--global", "20", "--arg", "3=u32:5"]).status.success());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn faults_name_group_channel_instruction_and_line() {
    let zebin = example("vector_add");
    let mut right = RIGHT;
    right[7] = "3=u32:1000";
    // Accesses beyond the end of a surface are dropped, counted and reported.
    let output = visa(&with(&zebin, &right));
    assert!(output.status.success());
    let mut all = with(&zebin, &right);
    all[2] = "1000";
    let output = visa(&all);
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("1980 elements were read as zero and 990 writes were dropped")
    );
    // Accesses beyond flat memory are faults.
    let pvc = zebin.replace(".skl.", ".pvc.");
    let mut all = with(&pvc, &right);
    all[2] = "1000";
    all.extend(["--local", "100"]);
    let texts = [
        "fault-memory",
        "group (0, 0, 0)",
        "local id (10, 0, 0)",
        "channel 10",
        "instruction 11",
        "lsc_load.ugm",
        "^",
    ];
    refuses(&all, 1, &texts);
    refuses(&[&all[..], &["--max-instructions", "3"]].concat(), 1, &["fault-budget", "more than 3 instructions"]);
    let output = visa(&[&all[..], &["--format", "json"]].concat());
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["findings"][0]["code"], "fault-memory");
    assert!(answer["findings"][0]["line"].as_u64().unwrap() > 0);
}

/// Damaged files yield errors or results, never panics.
#[test]
fn damaged_zebins() {
    let bytes = std::fs::read(example("histogram")).unwrap();
    let attempt = |bytes: &[u8]| {
        let Ok(zebin) = Zebin::parse("damaged", bytes) else { return };
        let Ok(program) = Program::from_zebin(&zebin, None, None) else { return };
        let arguments = vec![
            Some(Argument::Buffer(vec![7; 64])),
            Some(Argument::Value(64_u32.to_le_bytes().to_vec())),
            Some(Argument::Buffer(vec![0; 1024])),
        ];
        let Ok(range) = NdRange::new(&[40], Some(&[16]), None, program.required_local_size()) else { return };
        let options = Options::from(Policy { threads: Some(1), max_instructions: Some(2000), ..Policy::default() });
        let _ = launch(&program, &range, arguments, &options);
    };
    for length in (0..bytes.len()).step_by(97) {
        attempt(&bytes[..length]);
    }
    // Replaces letters and digits in the text and in the layout by others.
    let start = bytes.windows(8).position(|window| window == b".version").unwrap();
    let mut state = 0x1234_5678_9abc_def1_u64;
    for _ in 0..1500 {
        let mut damaged = bytes.clone();
        for _ in 0..3 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let at = start + (state >> 8) as usize % (bytes.len() - start);
            damaged[at] = b"0123456789abcMV(),<>.: P-_x"[(state % 27) as usize];
        }
        attempt(&damaged);
    }
}
