//! Contract of the command line: exit codes, destinations of messages, and their form.

mod common;

use common::run;
use visakit_testing::{root, scratch};

fn text(path: &std::path::Path) -> String {
    path.display().to_string()
}

#[test]
fn usage_is_exit_2() {
    assert_eq!(run(&[]).0, 2);
    assert_eq!(run(&["nonsense"]).0, 2);
    let (exit, _, err) = run(&["asm", "x.visaasm", "-o", "x.isa", "--platform", "voodoo"]);
    assert_eq!(exit, 2);
    assert!(err.contains("unknown platform") && err.contains("tgllp"), "{err}");
    assert_eq!(run(&["--help"]).0, 0);
    assert_eq!(run(&["--version"]).0, 0);
    let (exit, help, _) = run(&["run", "--help"]);
    assert!(
        exit == 0 && ["zeros:BYTES", "image:FORMAT", "sampler:none"].iter().all(|form| help.contains(form)),
        "{help}"
    );
}

#[test]
fn missing_files_are_exit_2() {
    for args in [
        &["asm", "nowhere.visaasm", "-o", "x.isa"][..],
        &["disasm", "nowhere.isa"],
        &["verify", "nowhere.isa"],
        &["roundtrip", "nowhere.isa"],
        &["spec", "lint", "nowhere.md"],
    ] {
        let (exit, _, err) = run(args);
        assert_eq!(exit, 2, "{args:?}");
        assert!(err.contains("nowhere") && err.contains("cannot be read"), "{args:?}: {err}");
    }
}

#[test]
fn assemble_and_disassemble() {
    let dir = scratch("cli-asm");
    let source = root().join("tests/vectors/single/arith-00.visaasm");
    let object = dir.join("k.isa");
    let expected = std::fs::read(source.with_extension("isa")).unwrap();
    let said = format!("wrote {} ({} bytes)\n", text(&object), expected.len());
    assert_eq!(run(&["asm", &text(&source), "-o", &text(&object)]), (0, String::new(), said));
    assert_eq!(std::fs::read(&object).unwrap(), expected);
    let (exit, printed, _) = run(&["disasm", &text(&object)]);
    assert_eq!(exit, 0);
    assert!(printed.contains("    add.sat (M1, 16) V33(0,0)<1> (-)V33(1,0)<8;8,1> 0x3f800000:f"), "{printed}");
    assert_eq!(run(&["disasm", &text(&object), "-o", &text(&dir)]).0, 0);
    assert_eq!(std::fs::read_to_string(dir.join("k.visaasm")).unwrap(), printed);
    assert_eq!(run(&["roundtrip", &text(&object), &text(&source.with_extension("isa"))]).0, 0);
}

#[test]
fn errors_are_located() {
    let dir = scratch("cli-errors");
    let bad = dir.join("bad.visaasm");
    std::fs::write(&bad, ".version 4.1\n.kernel \"k\"\n    ret (M1, 1\n    adx (M1, 1)\n").unwrap();
    let out = text(&dir.join("bad.isa"));
    let (exit, stdout, stderr) = run(&["asm", &text(&bad), "-o", &out]);
    assert_eq!((exit, stdout.as_str()), (1, ""));
    assert!(stderr.contains("bad.visaasm:3:15") && stderr.contains("ret (M1, 1"), "{stderr}");
    assert!(stderr.contains("bad.visaasm:4:5"), "the second error as well: {stderr}");
    assert!(!dir.join("bad.isa").exists());

    let (exit, stdout, _) = run(&["asm", &text(&bad), "-o", &out, "--format", "json"]);
    assert_eq!(exit, 1);
    let found: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let found = &found["findings"];
    assert_eq!(found[0]["line"], 3);
    assert_eq!(found[0]["column"], 15);
    assert_eq!(found[0]["severity"], "error");
    assert!(found[0]["code"].is_string() && found[0]["message"].is_string() && found[0]["file"].is_string());

    let cut = dir.join("cut.isa");
    let whole = std::fs::read(root().join("tests/vectors/single/arith-00.isa")).unwrap();
    std::fs::write(&cut, &whole[..600]).unwrap();
    let (exit, _, stderr) = run(&["disasm", &text(&cut)]);
    assert_eq!(exit, 1);
    assert!(stderr.contains("object-truncated") && stderr.contains("cut.isa:0x"), "{stderr}");
    let (exit, stdout, _) = run(&["disasm", &text(&cut), "--format", "json"]);
    assert_eq!(exit, 1);
    let found: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert!(found["findings"][0]["offset"].is_u64(), "{stdout}");
}

#[test]
fn wrong_pages_are_located() {
    let dir = scratch("cli-lint");
    let page = std::fs::read_to_string(root().join("spec/instructions/GATHER.md")).unwrap();
    let file = dir.join("GATHER.md");
    std::fs::write(&file, page.replace("Bit[7..2]", "Bit[7..1]")).unwrap();
    let (exit, _, err) = run(&["spec", "lint", &text(&file)]);
    assert_eq!(exit, 1);
    assert!(err.contains("bits-overlap") && err.contains("Bit[7..1]"), "{err}");
    std::fs::write(&file, page.replace("## Opcode", "## Code")).unwrap();
    let (exit, _, err) = run(&["spec", "lint", &text(&file)]);
    assert_eq!(exit, 1);
    assert!(err.contains("opcode-missing"), "{err}");
    // Warnings are errors only with `--deny`.
    std::fs::write(&file, page.replace("Bit[7..2]", "Bit[7..3]").replace("(../lists.md#exec_mask)", "")).unwrap();
    assert_eq!(run(&["spec", "lint", &text(&file)]).0, 0);
    assert_eq!(run(&["spec", "lint", &text(&file), "--deny", "warnings"]).0, 1);
    assert_eq!(run(&["spec", "lint", "spec", "--deny", "warnings"]).0, 0);
}

/// Illegal kernels are found by the rules of the pages, at their line.
#[test]
fn verify() {
    let dir = scratch("cli-verify");
    let legal = "    add (M1, 16) V33(0,0)<1> V33(1,0)<8;8,1> 0x3f800000:f";
    let head: String = std::fs::read_to_string(root().join("tests/vectors/single/arith-00.visaasm")).unwrap();
    let with = |line: &str| head.replace("    add.sat (M1, 16) V33(0,0)<1> (-)V33(1,0)<8;8,1> 0x3f800000:f", line);
    let file = dir.join("k.visaasm");
    let check = |line: &str, code: &str, platform: &str| {
        std::fs::write(&file, with(line)).unwrap();
        let (exit, _, err) = run(&["verify", &text(&file), "--platform", platform]);
        if code.is_empty() {
            assert_eq!(exit, 0, "{line}: {err}");
            // The registers of these texts are never written, which causes other warnings.
            assert!(err.matches("warning[").count() == err.matches("warning[unwritten]").count(), "{line}: {err}");
        } else {
            assert_eq!(exit, 1, "{line}");
            assert!(err.contains(&format!("[{code}]")) && err.contains("k.visaasm:27:5"), "{line}: {err}");
        }
    };
    check(legal, "", "skl");
    check("    add (M1, 16) V33(0,0)<1> V33(1,0)<8;8,1> 0x1:ud", "type-map", "skl");
    check("    add (M1, 16) V33(0,0)<0> V33(1,0)<8;8,1> 0x3f800000:f", "region", "skl");
    check("    add (M1, 16) V33(0,0)<1> (~)V33(1,0)<8;8,1> 0x3f800000:f", "modifier", "skl");
    check("    mulh.sat (M1, 8) V34(0,0)<1> V34(1,0)<8;8,1> 0x1:ud", "saturation", "skl");
    check("    add (M7, 16) V33(0,0)<1> V33(1,0)<8;8,1> 0x3f800000:f", "mask", "skl");
    check("    rol (M1, 8) V32(0,0)<1> V32(1,0)<8;8,1> V32(2,0)<8;8,1>", "platform", "skl");
    check("    rol (M1, 8) V32(0,0)<1> V32(1,0)<8;8,1> V32(2,0)<8;8,1>", "", "dg2");
    check("    lsc_load.ugm (M1, 8)  V34:d32  flat[V38]:a64", "platform", "tgllp");
    // A violation of a rule that only the documents state is a warning.
    std::fs::write(&file, with("    add (M3, 16) V33(0,0)<1> V33(1,0)<8;8,1> 0x3f800000:f")).unwrap();
    let (exit, _, err) = run(&["verify", &text(&file), "--platform", "skl"]);
    assert!(exit == 0 && err.contains("warning[mask]") && err.contains("k.visaasm:27:5"), "{exit} {err}");
}
