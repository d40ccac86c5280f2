//! Files and streams: `-`, closed and full outputs, files written whole or left unchanged, colours
//! and quiet.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use visakit_testing::{have, program, root, scratch};

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn visa(args: &[&str]) -> Command {
    let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
    visa.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    visa
}

/// Runs a command and returns the exit code, standard output and standard error.
fn ended(mut visa: Command, input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut child = visa.stdin(Stdio::piped()).spawn().unwrap();
    // A command that fails early need not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap_or(-1), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn source() -> PathBuf {
    root().join("tests/vectors/single/arith-00.visaasm")
}

/// Returns a text that breaks a rule.
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
    // Standard input can be read once.
    let (exit, _, err) = ended(visa(&["verify", "-", "-"]), &bytes);
    assert!(exit == 2 && err.contains("<stdin>") && err.contains("once"), "{err}");
    // Two outputs cannot both go to standard output.
    let (exit, out, _) = ended(visa(&["asm", "-", "-o", "-", "--format", "json"]), &bytes);
    let found: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!((exit, &found["findings"][0]["code"]), (2, &"file-write".into()));
}

/// A failed write is an error with exit code 2, whatever the verdict.
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
    // A named device that is full is an error too.
    let (exit, _, err) = ended(visa(&["asm", &text(&source()), "-o", "/dev/full"]), b"");
    assert!(exit == 2 && err.contains("/dev/full") && err.contains("cannot be written"), "{err}");
    assert_eq!(ended(visa(&["asm", &text(&source()), "-o", "/dev/null"]), b"").0, 0);
    assert!(!Path::new("/dev/null").is_file());
}

/// A closed pipe is not reported and does not change the verdict.
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

/// Standard error may be closed too.
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
    // A failed command leaves the old file and no other.
    let bad = dir.join("bad.visaasm");
    std::fs::write(&bad, b".version 4.1\n.kernel \"k\"\n    adx (M1, 1)\n").unwrap();
    assert_eq!(ended(visa(&["asm", &text(&bad), "-o", &text(&output)]), b"").0, 1);
    assert_eq!(std::fs::read(&output).unwrap(), b"as before");
    let expected = std::fs::read(source().with_extension("isa")).unwrap();
    assert_eq!(ended(visa(&["asm", &text(&source()), "-o", &text(&output)]), b"").0, 0);
    assert_eq!(std::fs::read(&output).unwrap(), expected);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 2, "no file is left over");
    // A read-only file stays unchanged, and a missing folder is reported before the work.
    let (exit, _, err) = ended(visa(&["asm", "nowhere.visaasm", "-o", &text(&dir.join("no/k.isa"))]), b"");
    assert!(exit == 2 && err.contains("there is no folder"), "{err}");
    let (exit, _, err) = ended(visa(&["asm", &text(&source()), "-o", &text(&dir)]), b"");
    assert!(exit == 2 && err.contains("it is a folder"), "{err}");
}

/// A rewritten file keeps its links and permissions.
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
    // The same file under another name.
    let other = dir.join(".").join("k.visaasm");
    for output in [&file, &other] {
        let (exit, _, err) = ended(visa(&["asm", &text(&file), "-o", &text(output)]), b"");
        assert!(exit == 2 && err.contains("would be overwritten"), "{err}");
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

/// No stream of the test is a terminal, so output is coloured only on request.
/// Colours add escape sequences to a printed object and change nothing else.
#[test]
fn printed_objects_have_colors() {
    let object = text(&root().join("tests/vectors/single/arith-00.isa"));
    let (_, plain, _) = ended(visa(&["disasm", &object, "--color", "never"]), b"");
    let (_, colored, _) = ended(visa(&["disasm", &object, "--color", "always"]), b"");
    let colored = String::from_utf8(colored).unwrap();
    assert!(colored.contains("\x1b[1madd\x1b[0m"), "{colored}");
    let mut parts = colored.split('\x1b');
    let stripped: String =
        std::iter::once(parts.next().unwrap()).chain(parts.map(|part| part.split_once('m').unwrap().1)).collect();
    assert_eq!(stripped.as_bytes(), plain);
    let folder = scratch("colored-file");
    let file = text(&folder.join("k.visaasm"));
    ended(visa(&["disasm", &object, "--color", "always", "-o", &file]), b"");
    assert_eq!(std::fs::read(file).unwrap(), plain, "files have no colours");
}

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

/// If standard output fails, findings are printed on standard error.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_hides_no_finding() {
    let dir = scratch("streams-findings");
    let bad = dir.join("bad.visaasm");
    std::fs::write(&bad, illegal()).unwrap();
    let mut visa = visa(&["verify", &text(&bad), "--format", "json"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = visa.stdout(Stdio::from(full)).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && err.contains("type-map"), "{err}");
}

/// A disk that fills up during a write leaves the old file and no other.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_grows_too_large_stays_as_it_was() {
    let dir = scratch("streams-large");
    let output = dir.join("k.json");
    std::fs::write(&output, b"as before").unwrap();
    let object = source().with_extension("isa");
    let script = format!(
        "trap '' XFSZ; ulimit -f 0; exec {} dump {} -o {}",
        env!("CARGO_BIN_EXE_visa"),
        text(&object),
        text(&output)
    );
    let ended = Command::new("sh").args(["-c", &script]).output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(2) && err.contains("cannot be written"), "{err}");
    assert_eq!(std::fs::read(&output).unwrap(), b"as before");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1, "no file is left over");
}

/// A signal during a write leaves the old file and no other.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_no_part_of_a_file() {
    use std::os::unix::process::ExitStatusExt;
    let dir = scratch("streams-signal");
    let output = dir.join("c.png");
    let zebin = text(&root().join("examples/vector_add/vector_add.skl.zebin"));
    let dump = format!("2={}:4000x4000:r32f", output.display());
    let args =
        ["run", &zebin, "--global", "1", "--arg", "0=zeros:4", "--arg", "1=zeros:4", "--arg", "2=zeros:64000000"];
    let args = [&args[..], &["--arg", "3=u32:1", "--dump", &dump]].concat();
    for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        std::fs::write(&output, b"as before").unwrap();
        // A shell that started the tests in the background left SIGINT ignored for all children.
        let mut child = Command::new("env");
        child.args(["--default-signal", env!("CARGO_BIN_EXE_visa")]).args(&args);
        let mut child = child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // The partial file is next to the old one.
        while std::fs::read_dir(&dir).unwrap().count() < 2 {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{status}: it ends as by the signal");
        assert_eq!(std::fs::read(&output).unwrap(), b"as before");
        let left: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

/// No command overwrites any of its input files.
#[test]
fn sources_are_not_overwritten() {
    let dir = scratch("streams-sources");
    let copy = |from: PathBuf, name: &str| {
        let to = dir.join(name);
        std::fs::copy(from, &to).unwrap();
        text(&to)
    };
    let zebin = copy(root().join("examples/vector_add/vector_add.skl.zebin"), "k.zebin");
    let (asm, isa) = (copy(source(), "k.visaasm"), copy(source().with_extension("isa"), "k.isa"));
    let other = dir.join("a.bin");
    std::fs::write(&other, [0; 40]).unwrap();
    let (other, source) = (text(&other), dir.join("k.cl"));
    std::fs::write(&source, "kernel void k() {}").unwrap();
    let launch = dir.join("l.toml");
    std::fs::write(&launch, format!("program = {zebin:?}\nglobal = [10]\n")).unwrap();
    let launch = text(&launch);
    let run = |dump: &str, launch: &[&str]| {
        let mut args = [&["run"], launch].concat().into_iter().map(str::to_owned).collect::<Vec<_>>();
        let given =
            [format!("0=file:{other}"), "1=zeros:40".to_owned(), "2=zeros:40".to_owned(), "3=u32:10".to_owned()];
        args.extend(given.into_iter().flat_map(|argument| ["--arg".to_owned(), argument]));
        args.extend(["--dump".to_owned(), format!("2={dump}")]);
        args
    };
    let strings = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>();
    for (args, file) in [
        (strings(&["asm", &asm, "-o", &asm]), &asm),
        (strings(&["disasm", &isa, "-o", &isa]), &isa),
        (strings(&["dump", &isa, "-o", &isa]), &isa),
        (strings(&["compile", &text(&source), "-o", &text(&source)]), &text(&source)),
        (run(&zebin, &[&zebin, "--global", "10"]), &zebin),
        (run(&other, &[&zebin, "--global", "10"]), &other),
        (run(&launch, &["--launch", &launch]), &launch),
    ] {
        let before = std::fs::read(file).unwrap();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (exit, _, err) = ended(visa(&args), b"");
        assert!(exit == 2 && err.contains("would be overwritten"), "{args:?}: {exit} {err}");
        assert_eq!(std::fs::read(file).unwrap(), before);
    }
    // A container may have the path of one of its extracted parts.
    let folder = dir.join("skl");
    std::fs::create_dir(&folder).unwrap();
    let inside = copy(PathBuf::from(&zebin), "skl/ze_info.yaml");
    let (exit, _, err) = ended(visa(&["extract", &inside, "-o", &text(&dir)]), b"");
    assert!(exit == 2 && err.contains("would be overwritten"), "{err}");
    assert_eq!(std::fs::read(&inside).unwrap(), std::fs::read(&zebin).unwrap());
}

/// Two outputs to the same file are refused, because only the last would remain.
#[test]
fn a_file_is_written_once() {
    let dir = scratch("streams-twice");
    let zebin = text(&root().join("examples/vector_add/vector_add.skl.zebin"));
    let run = |dumps: [&str; 2]| {
        let buffers = (0..3).flat_map(|i| ["--arg".to_owned(), format!("{i}=range:u8:32:{i}")]);
        let dumps = dumps.iter().enumerate().flat_map(|(i, file)| ["--dump".to_owned(), format!("{i}={file}")]);
        let mut visa = visa(&["run", &zebin, "--global", "8", "--arg", "3=u32:0"]);
        visa.args(buffers).args(dumps).current_dir(&dir);
        ended(visa, b"")
    };
    for dumps in [["o", "o"], ["o", "./o"], ["o", "../streams-twice/o"]] {
        let (exit, _, err) = run(dumps);
        assert!(exit == 2 && err.contains("would overwrite") && !dir.join("o").exists(), "{dumps:?}: {exit} {err}");
    }
    assert_eq!(run(["a", "b"]).0, 0);
    assert_eq!([0, 1].map(|i| std::fs::read(dir.join(["a", "b"][i])).unwrap()[0]), [0, 1]);
    std::os::unix::fs::symlink("a", dir.join("l")).unwrap();
    let (exit, _, err) = run(["a", "l"]);
    assert!(exit == 2 && err.contains("would overwrite"), "{exit} {err}");
    assert_eq!(run(["/dev/null", "/dev/null"]).0, 0);
}

/// Invalid UTF-8 has the same exit code in every command that reads a text.
#[test]
fn what_is_no_text_is_exit_1() {
    let dir = scratch("streams-utf8");
    let file = |name: &str| {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, b".version 4.1\n.kernel \"k\"\n\xff\xfe\n").unwrap();
        text(&path)
    };
    let asm = file("k.visaasm");
    let out = text(&dir.join("out"));
    let (page, launch, cl) = (file("p.md"), file("l.toml"), file("k.cl"));
    file("folder/instructions/X.md");
    let folder = text(&dir.join("folder"));
    for args in [
        &["asm", &asm, "-o", &out][..],
        &["disasm", &asm],
        &["verify", &asm],
        &["dump", &asm],
        &["info", &asm],
        &["roundtrip", &asm],
        &["extract", &asm, "-o", &out],
        &["run", &asm, "--global", "1"],
        &["run", "--launch", &launch],
        &["compile", &cl, "-o", &out],
        &["spec", "lint", &page],
        &["spec", "lint", "--overlay", &page],
        &["spec", "lint", &folder],
        &["spec", "export", &folder],
        &["spec", "diff", &folder, &folder],
    ] {
        let (exit, _, err) = ended(visa(args), b"");
        assert!(exit == 1 && err.contains("error["), "{args:?}: {exit} {err}");
    }
}

/// Damaged containers are never extracted without a finding.
#[test]
fn extract_says_what_it_could_not_read() {
    let dir = scratch("streams-extract");
    let zebin = |platform: &str| {
        std::fs::read(root().join(format!("examples/vector_add/vector_add.{platform}.zebin"))).unwrap()
    };
    let member = |name: &str, bytes: &[u8], size: &str| {
        let mut out = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).into_bytes();
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(2), b'\n');
        out
    };
    let sized = |name: &str, bytes: &[u8], size: usize| member(name, bytes, &size.to_string());
    let archive = |members: &[Vec<u8>]| [b"!<arch>\n".to_vec(), members.concat()].concat();
    let (skl, dg2, pad) = (zebin("skl"), zebin("dg2"), [b' '; 8]);
    let (first, second) = (sized("64.9.0.0", &skl, skl.len()), sized("64.12.0.0", &dg2, dg2.len()));
    let mut no_sections = skl.clone();
    no_sections[0x3c..0x3e].fill(0);
    let input = dir.join("input");
    for (bytes, exit, files, said) in [
        (archive(&[sized("pad_0", &pad, 8), first.clone(), sized("pad_1", &pad, 8), second.clone()]), 0, 8, ""),
        (no_sections, 1, 0, "no sections"),
        (archive(&[member("64.9.0.0", &skl, "12x4")]), 1, 0, "size"),
        (archive(&[first.clone(), sized("64.12.0.0", &dg2, 99_999_999)]), 1, 4, "64.12.0.0"),
        (archive(&[first.clone(), sized("pad_1", &pad, 8 + second.len()), second.clone()]), 1, 4, "pad_1 is padding"),
        (archive(&[first.clone(), sized("pad_1", &pad, 99_999_999), second.clone()]), 1, 4, "pad_1"),
        (archive(&[first.clone(), b"garbage".to_vec()]), 1, 4, "member of the archive"),
        (archive(&[sized("pad_0", &pad, 8)]), 1, 0, "no members"),
        (archive(&[]), 1, 0, "no members"),
    ] {
        std::fs::write(&input, bytes).unwrap();
        let parts = dir.join("parts");
        let _ = std::fs::remove_dir_all(&parts);
        let (code, out, err) = ended(visa(&["extract", &text(&input), "-o", &text(&parts)]), b"");
        let listed = out.iter().filter(|byte| **byte == b'\n').count();
        assert!((code, listed) == (exit, files) && err.contains(said), "{said}: {code}, {listed} files, {err}");
        let there = std::fs::read_dir(&parts).into_iter().flatten().flatten();
        let there: usize = there.map(|folder| std::fs::read_dir(folder.path()).unwrap().count()).sum();
        assert_eq!(there, files);
    }
    // A part that cannot be written is not listed.
    std::fs::write(&input, archive(&[first, second])).unwrap();
    let parts = dir.join("file");
    std::fs::write(&parts, b"").unwrap();
    let (code, out, err) = ended(visa(&["extract", &text(&input), "-o", &text(&parts)]), b"");
    assert!(code == 2 && out.is_empty() && err.contains("cannot be made"), "{err}");
}

/// On a terminal the code of a finding is a link to its page; elsewhere it is plain.
#[test]
fn codes_are_links_on_a_terminal() {
    let (_, _, plain) = ended(visa(&["explain", "nothing"]), b"");
    assert!(!plain.contains('\x1b'), "{plain}");
    if !have("codes are links", "tools", program("script"), "command `script`") {
        return;
    }
    let command = format!("{} --color always explain nothing", env!("CARGO_BIN_EXE_visa"));
    let output = Command::new("script").args(["-qec", &command, "/dev/null"]).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("\x1b]8;;https://") && shown.contains("/codes/usage-code.html\x1b\\"), "{shown:?}");
}
