//! `visa compile`: the vendor's offline compiler, where it is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use visakit_diag::Diagnostic;
use visakit_emulator::check::prelude;

use super::{Findings, Outcome, OutputFormat, answer, finish, problem};
use crate::io::{Output, is_stream};
use crate::unfinished::Unfinished;
use visakit::isa::Platform;

/// The compiler's name.
const COMPILER: &str = "ocloc";

/// Compile OpenCL C with the vendor's `ocloc` into a zebin that holds its vISA
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa compile k.cl --device dg2 -o k.zebin
  visa compile k.cl --options \"-cl-std=CL2.0 -DN=4\" -o k.zebin

Exit codes: 0 compiled, 1 the source is wrong, 2 usage, no compiler, or a file could not be read or written")]
pub(super) struct Args {
    /// The source; `-` for standard input
    source: PathBuf,
    /// The device, by one of its names in spec/platforms.md
    #[arg(long, value_name = "NAME", default_value = "skl")]
    device: String,
    /// Where the zebin goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Options for the compiler, such as "-cl-std=CL2.0 -DN=4"
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    options: Option<String>,
    /// Mark the group's copies (async_work_group_copy), so that `visa run --check` follows them;
    /// such a program runs nowhere else. A source that `run` compiles itself needs no option
    #[arg(long)]
    check: bool,
    /// How errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(build(&args), args.format)
}

fn build(args: &Args) -> Result<Outcome, Findings> {
    let output = Output::new(&args.output, &[&args.source], args.format)?;
    let platform = super::platform_of_option("--device", &args.device)?;
    let prelude = |text: &str| if args.check { prelude(text) } else { None };
    let written = output.write(&compile_behind(&args.source, platform, args.options.as_deref(), prelude)?)?;
    if args.format == OutputFormat::Json {
        answer(&[], json!({ "written": [written] }));
    }
    Ok(Outcome::Done)
}

/// Compiles a source for a platform and gives the zebin, vISA texts included.
///
/// # Errors
/// What the compiler says of the source; or that it is not installed, or that a file cannot be read or written.
pub(super) fn compile(source: &Path, platform: Platform, options: Option<&str>) -> Result<Vec<u8>, Vec<Diagnostic>> {
    compile_behind(source, platform, options, |_| None)
}

/// Compiles a source as [`compile`] does, with lines in front of it that `prelude` chooses by its
/// text.
///
/// # Errors
/// As [`compile`].
pub(super) fn compile_behind(
    source: &Path,
    platform: Platform,
    options: Option<&str>,
    prelude: impl FnOnce(&str) -> Option<&'static str>,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let one = |finding: Diagnostic| vec![finding];
    let text = super::read_text(source).map_err(|finding| vec![*finding])?;
    // The compiler leaves files in its folder, so it gets one of its own.
    let (folder, _unfinished) = Unfinished::make(tempfile::tempdir, |folder| folder.path())
        .map_err(|e| one(problem("file-write", &std::env::temp_dir(), e.to_string())))?;
    let unread = |error: std::io::Error| one(problem("file-read", source, format!("cannot be read: {error}")));
    // Headers are found beside the source, as other compilers have it.
    let (mut file, beside) = if is_stream(source) {
        let file = folder.path().join("stdin.cl");
        std::fs::write(&file, &text).map_err(unread)?;
        (file, std::env::current_dir().map_err(unread)?)
    } else {
        let file = std::path::absolute(source).map_err(unread)?;
        let beside = file.parent().unwrap_or(Path::new("/")).to_owned();
        (file, beside)
    };
    if let Some(prelude) = prelude(&text) {
        let name = file.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
        file = folder.path().join("behind.cl");
        std::fs::write(&file, format!("{prelude}#line 1 \"{name}\"\n{text}")).map_err(unread)?;
    }
    let mut command = Command::new(COMPILER);
    command.current_dir(folder.path()).args(["compile", "-file"]).arg(&file);
    command.args(["-device", platform.name(), "--format", "zebin", "-output", "out", "-output_no_suffix"]);
    command.args(["-internal_options", "-ze-opt-emit-zebin-visa-sections"]);
    let beside = format!("-I {}", beside.display());
    let options = [options.unwrap_or_default(), &beside].join(" ");
    command.args(["-options", options.trim()]);
    let output = command.output().map_err(|error| {
        let finding = problem("compiler-missing", source, format!("`{COMPILER}` cannot be started: {error}"));
        one(finding.help("install it, on Debian with `apt-get install intel-opencl-icd libigc1 libigdfcl1`"))
    })?;
    match std::fs::read(folder.path().join("out")) {
        Ok(bytes) => Ok(bytes),
        Err(_) => {
            let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
            said += &String::from_utf8_lossy(&output.stderr);
            Err(findings(source, &text, &said))
        }
    }
}

/// What the compiler said, as findings: lines such as `1:2:19: error: …`, of which the second and third numbers are line
/// and column.
fn findings(source: &Path, text: &str, said: &str) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for line in said.lines() {
        let Some((place, message)) = line.split_once(": error: ") else { continue };
        let mut numbers = place.rsplit(':').map_while(|part| part.trim().parse::<u32>().ok());
        let (column, row) = (numbers.next(), numbers.next());
        let mut finding = problem("compile", source, message);
        if let (Some(row), Some(column)) = (row, column) {
            finding.line = row;
            finding.column = column;
            finding.quote = text.lines().nth(row as usize - row.min(1) as usize).unwrap_or_default().to_owned();
        }
        findings.push(finding.help("this is what the vendor's compiler says"));
    }
    if findings.is_empty() {
        let message = said.lines().filter(|line| !line.trim().is_empty()).take(5).collect::<Vec<_>>().join("; ");
        let message = if message.is_empty() { "the compiler failed without a word".to_owned() } else { message };
        findings.push(problem("compile", source, message).help("this is what the vendor's compiler says"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_compiler_have_their_place() {
        let said =
            "1:2:5: error: use of undeclared identifier 'x'\n    x=1;\n    ^\n\nBuild failed with error code: -11\n";
        let found = findings(Path::new("k.cl"), "kernel void k()\n{   x=1; }\n", said);
        assert_eq!((found.len(), found[0].line, found[0].column), (1, 2, 5));
        assert!(found[0].quote.contains("x=1"), "{found:?}");
        let found = findings(Path::new("k.cl"), "", "Could not determine device target: xyz.\n");
        assert!(found[0].message.contains("device target"));
    }
}
