//! The compiler's process, with a compiler of a few lines that shows how many sources its process
//! has compiled.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use visakit_runtime::vendor::pool;
use visakit_runtime::vendor::request::Request;
use visakit_testing::{have, program, root, scratch};

/// Builds a library of `compilers/`.
fn library(name: &str, folder: &Path) -> PathBuf {
    let built = folder.join(format!("{name}.so"));
    let source = root().join(format!("crates/icd/tests/compilers/{name}.c"));
    let compiler = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&built).arg(source).output().unwrap();
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    built
}

/// Builds a text. Returns the output, or what has been said of a failure, and what was printed.
fn build(library: &Path, folder: &Path, argument: &str, text: &str) -> (String, String) {
    let request = Request {
        library: library.to_str().unwrap().to_owned(),
        arguments: vec![argument.to_owned()],
        sources: vec![("k.cl".to_owned(), format!("{text}\0").into_bytes())],
        headers: Vec::new(),
    };
    let oclc = Path::new(env!("CARGO_BIN_EXE_visakit-oclc"));
    let answer = pool::run(oclc, &request.library, folder, &request.to_bytes()).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let built = match answer.response {
        Some(response) => {
            let is_plain = response.code == 0 && response.output("stdout.log") == Some(b"Build succeeded.\n");
            text(response.output(if is_plain { "out" } else { "stdout.log" }).unwrap())
        }
        None => format!("signal {:?}", answer.status.unwrap().signal()),
    };
    (built, text(&answer.log))
}

/// Builds with equal arguments share a copy of the process only while it does not show: a message,
/// an error, a crash and the number of a source are those of a new process.
#[test]
fn builds_share_a_process_unless_it_shows() {
    if !have("compiler", "vendor", program("cc"), "C compiler") {
        return;
    }
    let folder = scratch("oclc-shared");
    let library = library("counting", &folder);
    let steps = [
        ("-a", "", "1"),
        ("-a", "", "2"),
        ("-a", "", "3"),
        ("-b", "", "1"),
        ("-b", "", "2"),
        ("-b", "warn", "1: warning\n"),
        ("-b", "warn", "1: warning\n"),
        ("-b", "", "1"),
        ("-b", "", "2"),
        ("-b", "fail", "1: error\n"),
        ("-b", "", "1"),
        ("-b", "__FILE__", "1"),
        ("-b", "", "1"),
        ("-b", "#include \"a.h\"", "1"),
        ("-b", "", "1"),
        ("-b", "crash later", "1"),
        ("-b", "crash later", "1"),
        ("-b", "crash", "signal Some(6)"),
        ("-b", "", "1"),
        ("-b", "", "2"),
        ("-g", "", "1"),
        ("-g", "", "1"),
        // A long build leaves nothing to gain.
        ("-b", "slow", "1"),
        ("-b", "", "1"),
        ("-b", "", "2"),
    ];
    for (n, (argument, text, wanted)) in steps.into_iter().enumerate() {
        assert_eq!(build(&library, &folder, argument, text).0, wanted, "step {n}: {argument} `{text}`");
    }
    // What a copy prints in vain is dropped.
    assert_eq!(build(&library, &folder, "-b", "print").1, "source 3\n");
    assert_eq!(
        build(&library, &folder, "-b", "print, then fail"),
        ("1: error\n".to_owned(), "source 1\n".to_owned())
    );
}
