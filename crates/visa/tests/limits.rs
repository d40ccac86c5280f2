//! Each limit is accepted; a larger value is a located finding that names the limit.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use visakit::limits;
use visakit::verify::{Location, routine};
use visakit_codegen::limits as pages;
use visakit_diag::{Diagnostic, Diagnostics};
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::limits as launches;
use visakit_emulator::run::{Options, Program, RunError, launch};
use visakit_zebin::{Zebin, limits as containers};

mod common;

fn text(body: &str) -> Result<visakit::text::Parsed, Diagnostics> {
    visakit::text::parse(&format!(".version 4.1\n.kernel \"k\"\n{body}"), Default::default())
}

/// Checks that `most` parts are accepted, and that one more is refused with the limit at this line.
fn text_limit(most: usize, line: impl Fn(usize) -> u32, body: impl Fn(usize) -> String) {
    assert!(text(&body(most)).is_ok(), "{most}: {:?}", text(&body(most)).err().map(|e| e[0].clone()));
    let errors = text(&body(most + 1)).unwrap_err();
    let last = errors.last().unwrap();
    assert!(last.message.contains(&most.to_string()), "{last:?}");
    assert_eq!(last.line, line(most + 1), "{last:?}");
}

#[test]
fn texts() {
    let kernels = |n: usize| (1..n).fold(String::new(), |all, i| all + &format!(".kernel \"k{i}\"\n"));
    text_limit(limits::ROUTINES, |n| n as u32 + 1, kernels);
    let labels = |n: usize| (0..n).fold(String::new(), |all, i| all + &format!("L{i}:\n"));
    text_limit(limits::LABELS, |n| n as u32 + 2, labels);
    let blocks = |n: usize| "{\n".repeat(n) + &"}\n".repeat(n);
    text_limit(limits::BLOCK_DEPTH, |n| n as u32 + 2, blocks);
    let expression = |n: usize| {
        let (open, close) = ("(".repeat(n), ")".repeat(n));
        format!(".decl V32 v_type=G type=d num_elts={open}8{close}\n")
    };
    text_limit(limits::EXPRESSION_DEPTH as usize, |_| 3, expression);
    text_limit(65_535, |_| 3, |n| format!(".decl V32 v_type=G type=ub num_elts={n}\n"));
    // All errors before the limit are reported, and nothing after it is read.
    let errors = text(&"x\n".repeat(limits::FINDINGS + 10)).unwrap_err();
    assert_eq!((errors.len(), errors[limits::FINDINGS].code), (limits::FINDINGS + 1, "limit"));
    assert_eq!(text(&"x\n".repeat(limits::FINDINGS)).unwrap_err().len(), limits::FINDINGS);
}

#[test]
fn aliases_and_broken_rules() {
    let chain = |depth: usize| {
        let mut body = ".decl V32 v_type=G type=d num_elts=8 align=GRF\n".to_owned();
        for i in 32..32 + depth {
            let _ = writeln!(body, ".decl V{} v_type=G type=d num_elts=8 align=GRF alias=<V{i}, 0>", i + 1);
        }
        let found = routine(&text(&body).unwrap().routine, None);
        found.iter().map(|v| (v.place.clone(), v.message.clone())).collect::<Vec<_>>()
    };
    assert_eq!(chain(limits::ALIAS_DEPTH), []);
    let found = chain(limits::ALIAS_DEPTH + 1);
    assert_eq!(found[0].0, Location::Declaration(format!("V{}", 33 + limits::ALIAS_DEPTH)));
    assert!(found.len() == 1 && found[0].1.contains("longer than 64"), "{found:?}");

    let wrong = "    add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:df\n";
    let broken = |times: usize| {
        let body = format!(".decl V32 v_type=G type=d num_elts=8 align=GRF\n{}", wrong.repeat(times));
        routine(&text(&body).unwrap().routine, None)
    };
    let each = broken(1).len();
    assert!(each > 0 && broken(limits::FINDINGS / each - 1).iter().all(|v| v.code != "limit"));
    let found = broken(limits::FINDINGS / each + 1);
    assert_eq!((found.len(), found[limits::FINDINGS].code), (limits::FINDINGS + 1, "limit"));
}

/// Checks a page with `most` elements, and one with one more.
fn page_limit(most: usize, page: impl Fn(usize) -> String) {
    let excess = |n: usize| {
        let page = page(n);
        let found = visakit_codegen::read_files(vec![("P.md".to_owned(), page.clone())]).1;
        found.into_iter().find(|finding| finding.code == "page-limit")
    };
    assert_eq!(excess(most), None);
    let found = excess(most + 1).expect("a finding");
    assert!(found.line > 0 && found.message.contains(&most.to_string()), "{found:?}");
    assert!(excess(most * 10).is_some());
}

#[test]
fn pages_have_limits() {
    page_limit(pages::HEADINGS, |n| "# H\n\n".repeat(n));
    page_limit(pages::ITEMS, |n| "- x\n".repeat(n));
    page_limit(pages::CELLS, |n| format!("|{}\n|{}\n", "a|".repeat(n), "-|".repeat(n)));
    // The innermost level is the paragraph in the quotes.
    page_limit(pages::MARKDOWN_DEPTH, |n| format!("{}x\n", "> ".repeat(n - 1)));
}

/// Inputs that once overflowed the stack.
#[test]
fn nothing_nests_without_end() {
    let add = std::fs::read_to_string(visakit_testing::root().join("spec/instructions/ADD.md")).unwrap();
    // Known overflows: 9,700 lists, 16,500 brackets and 58,500 asterisks.
    let many = 30_000;
    for page in [
        format!("{}x\n", "- ".repeat(many)),
        "> ".repeat(many) + "x",
        "**".repeat(many) + "a" + &"**".repeat(many),
        "**a ".repeat(many) + &"b**".repeat(many),
        "![".repeat(many) + "x" + &"](a)".repeat(many),
        add.replacen("[(<P>)]", &("[".repeat(many) + "(<P>)]"), 1),
        add.replacen("dst[i] =", &format!("dst[i] = {}1 +", "(".repeat(many)), 1),
        add.replacen("channels i {", &"if 1 {".repeat(many), 1),
        add.replacen("dst[i] =", &format!("dst[i] = {}", "-".repeat(many)), 1),
    ] {
        let (_, found) = visakit_codegen::read_files(vec![("ADD.md".to_owned(), page)]);
        assert!(found.iter().any(|finding| finding.line > 0), "{found:?}");
    }
}

/// Reads the example with numbers of its `.ze_info` replaced by numbers of the same length.
fn example(changes: &[(&str, &str)]) -> Result<Program, Diagnostics> {
    let path = visakit_testing::root().join("examples/vector_add/vector_add.skl.zebin");
    let mut bytes = std::fs::read(path).unwrap();
    for (old, new) in changes {
        assert!(new.len() <= old.len());
        let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
        bytes[at..at + old.len()].fill(b' ');
        bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    }
    Program::from_zebin(&Zebin::parse("k.zebin", &bytes).map_err(|found| vec![*found])?, None, None)
}

#[test]
fn containers_ask_for_no_more_than_there_is() {
    assert!(example(&[]).is_ok());
    for (old, new, said) in [
        ("simd_size:       32", "simd_size: 0", "1, 8, 16 or 32"),
        ("simd_size:       32", "simd_size: 4294967", "1, 8, 16 or 32"),
        ("arg_index:       3", "arg_index: 9999999", "the limit is 2047"),
        ("simd_size:       32", "slm_size: 99999999", "the limit is 1048576"),
    ] {
        let found = example(&[(old, new)]).unwrap_err();
        assert!(found[0].message.contains(said) && found[0].line > 0, "{found:?}");
        assert_eq!(found[0].file, "k.zebin(.ze_info)");
    }
    assert!(example(&[("arg_index:       3", "arg_index: 2047")]).is_ok());
}

/// Launches the example and returns the finding.
fn run(program: &Program, local: u64) -> Option<Diagnostic> {
    let arguments = (0..4).map(|i| match i {
        3 => Some(Argument::Value(8_u32.to_le_bytes().to_vec())),
        _ => Some(Argument::Buffer(vec![0; 32])),
    });
    let range = NdRange::new(&[local], Some(&[local]), None, [0; 3]).unwrap();
    match launch(program, &range, arguments.collect(), &Options::default()) {
        Err(RunError::Launch(found)) => Some(*found),
        Err(RunError::TrapReport(trap)) => panic!("{trap}"),
        Ok(_) => None,
    }
}

#[test]
fn launches_ask_for_no_more_than_there_is() {
    let mut program = example(&[]).unwrap();
    assert_eq!(run(&program, 8), None);
    program.info.execution_env.slm_size = containers::SLM_BYTES;
    assert_eq!(run(&program, 8), None);
    // A program built by hand has no parsed `.ze_info`.
    program.info.execution_env.simd_size = 0;
    assert!(run(&program, 8).unwrap().message.contains("1, 8, 16 or 32"));

    // Registers of all threads of a work-group together.
    let mut program = example(&[]).unwrap();
    let head = ".version 4.1\n.kernel \"k\"\n";
    let mut source = head.to_owned();
    for i in 32..32 + 1100 {
        let _ = writeln!(source, ".decl V{i} v_type=G type=q num_elts=4096 align=GRF");
    }
    for i in 32..32 + 1100 {
        let _ = writeln!(source, "    mov (M1, 1) V{i}(0,0)<1> 0x1:q");
    }
    source += "    ret (M1, 1)\n";
    program.routine = visakit::text::parse(&source, Default::default()).unwrap().routine;
    assert_eq!(run(&program, 32), None);
    let found = run(&program, u64::from(launches::GROUP_ITEMS)).unwrap();
    assert!(found.code == "launch-group" && found.help.contains("1073741824"), "{found:?}");
}

#[test]
fn images_have_sides_of_the_devices() {
    use visakit_emulator::launch::argument::{Parameter, ParameterKind};
    use visakit_emulator::launch::spec;
    let image = |dimensions, is_array, size: &str| {
        let kind = ParameterKind::Image { dimensions, is_array };
        let (name, type_name) = (String::new(), String::new());
        let parameter = Parameter { index: 0, name, type_name, kind, used: true };
        let (_, spec) = spec::parse_argument(&format!("0=image:r8unorm:{size}:zeros")).unwrap();
        parameter.resolve(&spec).map(drop)
    };
    let (side, line) = (launches::IMAGE_SIDE, launches::IMAGE_LINE);
    for (dimensions, is_array, size, most) in [
        (2, false, "Nx1", side),
        (2, false, "1xN", side),
        (3, false, "1x1xN", side),
        (2, true, "1x1xN", side),
        (1, true, "1xN", side),
        (1, false, "Nx1", line),
    ] {
        assert_eq!(image(dimensions, is_array, &size.replace('N', &most.to_string())), Ok(()), "{size}");
        let found = image(dimensions, is_array, &size.replace('N', &(most + 1).to_string())).unwrap_err();
        assert!(found.code == "argument-image" && found.help.contains(&most.to_string()), "{found:?}");
    }
}

/// Endless devices and pipes are not read to the end.
#[cfg(target_os = "linux")]
#[test]
fn what_is_read_ends() {
    let zebin = visakit_testing::root().join("examples/vector_add/vector_add.skl.zebin");
    let zebin = zebin.to_str().unwrap();
    let argument = ["run", zebin, "--global", "1", "--arg", "0=file:/dev/zero", "--arg", "1=zeros:4"];
    for args in [
        &["verify", "/dev/zero"][..],
        &["asm", "/dev/zero", "-o", "-"],
        &["info", "/dev/zero"],
        &["extract", "/dev/zero", "-o", "target/never"],
        &["spec", "lint", "/dev/zero"],
        &["run", "--launch", "/dev/zero"],
        &[&argument[..], &["--arg", "2=zeros:4", "--arg", "3=u32:1"]].concat(),
    ] {
        let (exit, _, err) = common::run(args);
        assert!(exit == 2 && err.contains("bytes, which is the limit"), "{args:?}: {exit} {err}");
    }
    let (exit, _, err) = common::run(&["spec", "lint", "--overlay", "/dev/zero"]);
    assert!(exit == 2 && err.contains("it is a device or a pipe, not a file"), "{exit} {err}");
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    let mut child = visa
        .args(["verify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let piece = vec![b'x'; 1 << 20];
    let given = (0..1000).take_while(|_| stdin.write_all(&piece).is_ok()).count();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let most = launches::STREAM_BYTES >> 20;
    assert!((most..most + 2).contains(&(given as u64)), "{given} MiB were taken");
}

/// With very many findings, the first errors are printed and the others counted. The verdict does
/// not change.
#[test]
fn findings_are_counted() {
    let dir = visakit_testing::scratch("limits-findings");
    let file = dir.join("k.visaasm");
    let head = ".version 4.1\n.kernel \"k\"\n";
    for (number, more) in [(1000, None), (1001, Some(1)), (20_000, Some(19_000))] {
        std::fs::write(&file, format!("{head}{}", "    adx (M1, 16) and so on, and so on and on\n".repeat(number)))
            .unwrap();
        let (exit, out, err) = common::run(&["verify", file.to_str().unwrap()]);
        assert_eq!((exit, err.matches("error[statement]").count()), (1, number.min(1000)));
        assert!(out.contains(&format!("{number} findings")), "{out}");
        let said = more.map(|more| format!("{more} more findings are not printed"));
        assert_eq!(said.as_ref().is_some_and(|said| err.contains(said)), more.is_some(), "{number}");
        assert_eq!(err.contains("findings-more"), more.is_some());
        let (exit, out, _) = common::run(&["verify", file.to_str().unwrap(), "--format", "json"]);
        let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
        let findings = answer["findings"].as_array().unwrap();
        assert_eq!((exit, findings.len()), (1, number.min(1000) + usize::from(more.is_some())));
    }
}

/// A long line is not quoted: each of its findings would store a copy.
#[test]
fn long_lines_are_not_quoted() {
    for (blanks, quoted) in [(visakit_diag::QUOTED - 10, true), (visakit_diag::QUOTED, false)] {
        let errors = text(&format!("adx{}\n", " ".repeat(blanks))).unwrap_err();
        assert_eq!(!errors[0].quote.is_empty(), quoted);
        assert!(errors[0].place().ends_with(":3:1"), "{}", errors[0].place());
        assert!(errors[0].render(false).contains(":3:1"), "{}", errors[0].render(false));
    }
}
