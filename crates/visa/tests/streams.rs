//! The door for files and streams: `-`, closed and full outputs, files that are whole or as before, colors and quiet.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use visakit_testing::{root, scratch};

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn visa(args: &[&str]) -> Command {
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    visa.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    visa
}

/// Exit code, standard output and standard error.
fn ended(mut visa: Command, input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut child = visa.stdin(Stdio::piped()).spawn().unwrap();
    // A command that fails early need not read what it is given.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap_or(-1), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn source() -> PathBuf {
    root().join("tests/vectors/single/arith-00.visaasm")
}

/// A text with a broken rule.
fn illegal() -> Vec<u8> {
    let legal = std::fs::read_to_string(source()).unwrap();
    let broken = legal.replace("0x3f800000:f", "0x1:ud");
    assert_ne!(broken, legal);
    broken.into_bytes()
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let bytes = std::fs::read(source()).unwrap();
    let object = std::fs::read(source().with_extension("isa")).unwrap();
    let (exit, out, err) = ended(visa(&["asm", "-", "-o", "-"]), &bytes);
    assert_eq!((exit, out == object, err.as_str()), (0, true, ""));
    let (exit, printed, _) = ended(visa(&["disasm", "-"]), &object);
    assert!(exit == 0 && printed.starts_with(b".version 4.1"));
    assert_eq!(ended(visa(&["disasm", "-", "-o", "-"]), &object).1, printed);
    assert_eq!(ended(visa(&["dump", "-"]), &object).1.first(), Some(&b'{'));
    assert_eq!(ended(visa(&["roundtrip", "-"]), &object).0, 0);
    let (exit, _, err) = ended(visa(&["verify", "-"]), &illegal());
    assert!(exit == 1 && err.contains("<stdin>:") && err.contains("type-map"), "{err}");
    // It can be read once.
    let (exit, _, err) = ended(visa(&["verify", "-", "-"]), &bytes);
    assert!(exit == 2 && err.contains("<stdin>") && err.contains("once"), "{err}");
    // Two things cannot go to standard output.
    let (exit, out, _) = ended(visa(&["asm", "-", "-o", "-", "--format", "json"]), &bytes);
    let found: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!((exit, &found["findings"][0]["code"]), (2, &"file-write".into()));
}

/// What cannot be written is an error, whatever the verdict was.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_exit_2() {
    let dir = scratch("streams-full");
    let bad = dir.join("bad.visaasm");
    std::fs::write(&bad, illegal()).unwrap();
    let full = || Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for args in [
        &["spec", "export"][..],
        &["spec", "show", "add"],
        &["disasm", &text(&source().with_extension("isa"))],
        &["dump", &text(&source().with_extension("isa"))],
        &["verify", &text(&bad), "--format", "json"],
        &["verify", &text(&bad)],
        &["completions", "bash"],
        &["--help"],
        &["--version"],
    ] {
        let mut visa = visa(args);
        let output = visa.stdout(full()).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {err}");
        assert!(err.contains("<stdout>") && err.contains("cannot be written"), "{args:?}: {err}");
    }
    // The same for a device that is named.
    let (exit, _, err) = ended(visa(&["asm", &text(&source()), "-o", "/dev/full"]), b"");
    assert!(exit == 2 && err.contains("/dev/full") && err.contains("cannot be written"), "{err}");
    assert_eq!(ended(visa(&["asm", &text(&source()), "-o", "/dev/null"]), b"").0, 0);
    assert!(!Path::new("/dev/null").is_file());
}

/// A reader that goes away changes nothing: no word of it, and the verdict is that of the command.
#[test]
fn a_closed_pipe_keeps_the_verdict() {
    let dir = scratch("streams-closed");
    let bad = dir.join("bad.visaasm");
    std::fs::write(&bad, illegal()).unwrap();
    let bad = text(&bad);
    for (args, exit) in [
        (&["verify", &bad, "--format", "json"][..], 1),
        (&["verify", &bad], 1),
        (&["spec", "export"], 0),
        (&["asm", &bad, "-o", "-"], 0),
    ] {
        let mut child = visa(args).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{args:?}: {err}");
        assert!(!err.contains("stdout") && !err.contains("panicked"), "{args:?}: {err}");
    }
}

/// Standard error may be closed as well.
#[test]
fn a_closed_standard_error_is_no_panic() {
    for args in [&["asm", "nowhere.visaasm", "-o", "x.isa"][..], &["spec", "lint", "nowhere.md"]] {
        let mut child = visa(args).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let dir = scratch("streams-whole");
    let output = dir.join("k.isa");
    std::fs::write(&output, b"as before").unwrap();
    // What is wrong leaves the old file, and nothing beside it.
    let bad = dir.join("bad.visaasm");
    std::fs::write(&bad, b".version 4.1\n.kernel \"k\"\n    adx (M1, 1)\n").unwrap();
    assert_eq!(ended(visa(&["asm", &text(&bad), "-o", &text(&output)]), b"").0, 1);
    assert_eq!(std::fs::read(&output).unwrap(), b"as before");
    let expected = std::fs::read(source().with_extension("isa")).unwrap();
    assert_eq!(ended(visa(&["asm", &text(&source()), "-o", &text(&output)]), b"").0, 0);
    assert_eq!(std::fs::read(&output).unwrap(), expected);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 2, "no file is left over");
    // A file that nobody may write stays, and a missing folder is said before the work.
    let (exit, _, err) = ended(visa(&["asm", "nowhere.visaasm", "-o", &text(&dir.join("no/k.isa"))]), b"");
    assert!(exit == 2 && err.contains("there is no folder"), "{err}");
    let (exit, _, err) = ended(visa(&["asm", &text(&source()), "-o", &text(&dir)]), b"");
    assert!(exit == 2 && err.contains("it is a folder"), "{err}");
}

/// Links and permissions of a file that is written anew are as before.
#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    use std::os::unix::fs::PermissionsExt;
    let dir = scratch("streams-links");
    let (file, link) = (dir.join("k.isa"), dir.join("link.isa"));
    std::fs::write(&file, b"old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(ended(visa(&["asm", &text(&source()), "-o", &text(&link)]), b"").0, 0);
    assert!(link.is_symlink() && std::fs::read(&file).unwrap().starts_with(b"CISA"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_source_is_not_overwritten() {
    let dir = scratch("streams-same");
    let file = dir.join("k.visaasm");
    std::fs::copy(source(), &file).unwrap();
    let before = std::fs::read(&file).unwrap();
    // The same file by another name.
    let other = dir.join(".").join("k.visaasm");
    for output in [&file, &other] {
        let (exit, _, err) = ended(visa(&["asm", &text(&file), "-o", &text(output)]), b"");
        assert!(exit == 2 && err.contains("it would be overwritten"), "{err}");
    }
    for command in ["disasm", "dump"] {
        assert_eq!(ended(visa(&[command, &text(&file), "-o", &text(&file)]), b"").0, 2, "{command}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn what_was_written_is_said() {
    let dir = scratch("streams-said");
    let output = text(&dir.join("k.isa"));
    let size = std::fs::metadata(source().with_extension("isa")).unwrap().len();
    let asm = ["asm", &text(&source()), "-o", &output];
    let said = format!("wrote {output} ({size} bytes)\n");
    assert_eq!(ended(visa(&asm), b""), (0, Vec::new(), said));
    assert_eq!(ended(visa(&[&asm[..], &["--quiet"]].concat()), b""), (0, Vec::new(), String::new()));
    let (exit, out, err) = ended(visa(&[&asm[..], &["--format", "json"]].concat()), b"");
    let answer: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let expected = serde_json::json!({ "findings": [], "written": [{ "file": output, "bytes": size }] });
    assert_eq!((exit, answer, err.as_str()), (0, expected, ""));
}

/// Nobody here is a terminal, so colors are there only when they are asked for.
#[test]
fn colors_are_chosen() {
    let bad = illegal();
    let colored = |args: &[&str], variable: Option<&str>| {
        let mut visa = visa(&[&["verify", "-"], args].concat());
        visa.env_remove("NO_COLOR");
        variable.map(|value| visa.env("NO_COLOR", value));
        ended(visa, &bad).2.contains('\x1b')
    };
    assert!(!colored(&[], None) && !colored(&["--color", "never"], None) && !colored(&["--color", "auto"], None));
    assert!(colored(&["--color", "always"], None));
    assert!(colored(&["--color", "always"], Some("1")), "what is asked for goes before the environment");
    let (_, out, _) = ended(visa(&["--color", "always", "spec", "diff", "spec", "spec"]), b"");
    assert!(!out.contains(&0x1b), "nothing to color");
    assert_eq!(ended(visa(&["verify", "-", "--color", "sometimes"]), b"").0, 2);
}
