//! Command `visa compile`: calls the vendor's offline compiler if it is installed.

use std::path::{Path, PathBuf};

use serde_json::json;
use visakit::isa::Platform;
use visakit_diag::Diagnostic;
use visakit_emulator::check::prelude;
use visakit_wasm::kind::Kind;
use visakit_zebin::info::KernelInfo;
use visakit_zebin::ocloc::{self, EMIT_VISA};
use visakit_zebin::spirv::{self, Module};
use visakit_zebin::{archive, inline};

use crate::compiler::{self, Compiler, Release, Run};
use crate::io::{Output, is_stream, note, read, shown, text_of};
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish, problem};
use crate::unfinished::Unfinished;

/// Output name requested from the compiler.
const OUT: &str = "out";
/// Maximum number of log lines quoted in a message.
const LOG_LINES: usize = 20;

/// Compile OpenCL C or SPIR-V with the vendor's `ocloc` into a zebin that holds its vISA
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa compile k.cl --device dg2 -o k.zebin
  visa compile k.cl --options \"-cl-std=CL2.0 -DN=4\" -o k.zebin
  visa compile module.spv --device bmg -o k.zebin
  visa compile archive-without-visa.bin --device bmg -o k.zebin

The first compiler on the path that supports the device is used: `ocloc`, then `ocloc-VERSION`. The \
variable VISAKIT_OCLOC lists other compilers, separated as in PATH. `visa info` without a file shows \
the installed compilers.

Exit codes: 0 compiled, 1 the source is wrong, 2 usage, no compiler, or a file could not be read or written")]
pub(super) struct Args {
    /// OpenCL C, a SPIR-V module, or a zebin or archive that contains SPIR-V; `-` for standard
    /// input
    source: PathBuf,
    /// The device, by the compiler's name or a name in spec/platforms.md [default: the newest
    /// graphics card that the compiler and the emulator support, with images if the source uses
    /// any]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// The zebin to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Options for the compiler, such as "-cl-std=CL2.0 -DN=4"
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    options: Option<String>,
    /// Mark group copies (async_work_group_copy) so that `visa run --check` can track them. The
    /// program then runs in `visa run` only. Not needed for sources that `visa run` compiles
    #[arg(long)]
    check: bool,
    /// How errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Result of a successful build.
pub(super) struct Built {
    /// The zebin, or an archive if the device name stands for several products.
    pub(super) bytes: Vec<u8>,
    /// Device, under the compiler's name for it.
    pub(super) device: String,
    compiler: &'static Compiler,
    run: Run,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(build(&args), args.format)
}

fn build(args: &Args) -> Result<Outcome, Findings> {
    let output = Output::new(&args.output, &[&args.source], args.format)?;
    let prelude = |text: &str| if args.check { prelude(text) } else { None };
    let built = compile_behind(&args.source, args.device.as_deref(), args.options.as_deref(), prelude)?;
    let release = built.release();
    let written = output.write(&built.bytes)?;
    note(&format!("compiled for {} by {release}", built.device));
    if built.run.log.contains("warning: ") {
        note(built.run.log.trim_end());
    }
    if args.format == OutputFormat::Json {
        answer(&[], json!({ "written": [written], "device": built.device, "compiler": release }));
    }
    Ok(Outcome::Done)
}

impl Built {
    /// Returns the release numbers of the compiler.
    pub(super) fn release(&self) -> Release {
        self.compiler.release(self.run.back_end.as_deref())
    }
}

/// Compiles a source, including vISA texts, for a device. Without a device, the default device is
/// used. The source may also be a SPIR-V module or a container that holds a SPIR-V module.
///
/// # Errors
/// Compiler errors, a missing compiler, a device that no compiler supports, or a file that cannot
/// be read or written.
pub(super) fn compile(source: &Path, device: Option<&str>, options: Option<&str>) -> Result<Built, Findings> {
    compile_behind(source, device, options, |_| None)
}

/// Compiles a source as [`compile`] does, prefixed with the lines that `prelude` returns for its
/// text.
///
/// # Errors
/// As [`compile`].
pub(super) fn compile_behind(
    source: &Path,
    device: Option<&str>,
    options: Option<&str>,
    prelude: impl FnOnce(&str) -> Option<&'static str>,
) -> Result<Built, Findings> {
    let bytes = read(source)?;
    let kind = Kind::of(source, &bytes);
    if matches!(kind, Kind::Zebin | Kind::Archive | Kind::Spirv) {
        let named = device.and_then(Platform::from_name);
        let Some(mut module) = spirv::find(&bytes, named) else {
            let finding = problem("compile-source", source, format!("this is {} without SPIR-V", kind.name()));
            return Err(finding
                .help(
                    "compile its source; the file lacks SPIR-V because ocloc was \
             run with `-exclude_ir`",
                )
                .into());
        };
        module.options = [module.options.as_str(), options.unwrap_or_default()].join(" ");
        return compile_module(source, &module, device);
    }
    let text = text_of(source, bytes)?;
    // The compiler leaves files in its working folder, so each call gets a temporary folder.
    let (folder, _unfinished) = workspace()?;
    let unread = |error: std::io::Error| problem("file-read", source, format!("cannot be read: {error}"));
    // Headers are searched in the folder of the source, as other compilers do.
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
    let beside = format!("-I {}", beside.display());
    let options = [options.unwrap_or_default(), &beside].join(" ");
    let file = file.display().to_string();
    let built = completed(device, |device, internal, more| {
        let options = format!("{options} {more}");
        let arguments = ["-internal_options", internal, "-file", &file, "-options", options.trim()];
        call(source, &text, folder.path(), device, &arguments.map(str::to_owned), ocloc::seconds(None))
    })?;
    let Some(module) = inline::module_with_unique_names(&built.bytes) else { return Ok(built) };
    match compile_module(source, &module, Some(&built.device)) {
        // The first build's log has the warnings of the source text.
        Ok(again) => Ok(Built { run: built.run, ..again }),
        Err(_) => Ok(built),
    }
}

/// Compiles a SPIR-V module, including vISA texts, and makes the names in its inline vISA unique.
/// `source` is the file that holds the module; messages name it.
///
/// # Errors
/// As [`compile`].
pub(super) fn compile_module(source: &Path, module: &Module, device: Option<&str>) -> Result<Built, Findings> {
    completed(device, |device, internal, more| compile_module_with(source, module, device, (internal, more)))
}

/// Builds a program, and builds it again if the compiler omitted something. `build` receives the
/// device, the internal options and more build options.
fn completed(
    device: Option<&str>,
    build: impl Fn(Option<&str>, &str, &str) -> Result<Built, Findings>,
) -> Result<Built, Findings> {
    let built = build(device, EMIT_VISA, "")?;
    let Some(completion) = ocloc::completion(&built.bytes) else { return Ok(built) };
    let internal = format!("{EMIT_VISA} {}", completion.internal);
    Ok(build(Some(&built.device), &internal, completion.build).unwrap_or(built))
}

/// Compiles a SPIR-V module with the given internal options and more build options.
fn compile_module_with(
    source: &Path,
    module: &Module,
    device: Option<&str>,
    (internal, more): (&str, &str),
) -> Result<Built, Findings> {
    let (folder, _unfinished) = workspace()?;
    let file = folder.path().join("module.spv");
    let written = std::fs::write(&file, inline::unique(&module.bytes));
    written.map_err(|error| problem("file-write", &file, format!("cannot be written: {error}")))?;
    let mut arguments =
        ["-internal_options", internal, "-file", "module.spv", "-spirv_input"].map(str::to_owned).to_vec();
    let options = format!("{} {more}", module.options);
    if !options.trim().is_empty() {
        arguments.extend(["-options".to_owned(), options.trim().to_owned()]);
    }
    let seconds = ocloc::seconds(Some(module.bytes.len()));
    call(source, "", folder.path(), device, &arguments, seconds)
}

/// Creates a temporary working folder for the compiler.
fn workspace() -> Result<(tempfile::TempDir, Unfinished), Box<Diagnostic>> {
    Unfinished::make(tempfile::tempdir, |folder| folder.path())
        .map_err(|error| problem("file-write", &std::env::temp_dir(), error.to_string()).into())
}

/// Calls the compilers for a device in order until one produces an output. Without a device it
/// takes the default one, or for a program with images the default device among those with images.
fn call(
    source: &Path,
    text: &str,
    folder: &Path,
    device: Option<&str>,
    arguments: &[String],
    seconds: Option<u64>,
) -> Result<Built, Findings> {
    if compiler::installed().is_empty() {
        return Err(compiler::missing(shown(source, "stdin")).into());
    }
    if let Some(device) = device {
        return call_for(source, text, folder, device, arguments, seconds);
    }
    let Some(default) = compiler::default_device(false) else {
        let finding = problem("compiler-device", source, "no installed compiler supports a device of the emulator");
        return Err(finding.help("name a device with --device; `visa info` shows the compilers").into());
    };
    let built = call_for(source, text, folder, default, arguments, seconds)?;
    match compiler::default_device(true) {
        Some(other) if other != default && has_images(&built.bytes) => {
            call_for(source, text, folder, other, arguments, seconds)
        }
        _ => Ok(built),
    }
}

/// Returns true for a zebin with a kernel that has images or samplers.
fn has_images(bytes: &[u8]) -> bool {
    archive::any_zebin(bytes, |zebin| zebin.kernel_infos().any(KernelInfo::has_images))
}

/// Calls the compilers for a device that was named.
fn call_for(
    source: &Path,
    text: &str,
    folder: &Path,
    device: &str,
    arguments: &[String],
    seconds: Option<u64>,
) -> Result<Built, Findings> {
    let mut findings = Vec::new();
    for (compiler, device) in compiler::for_device(device) {
        let mut all = ["compile", "-device", &device, "--format", "zebin", "-output", OUT, "-output_no_suffix"]
            .map(str::to_owned)
            .to_vec();
        all.extend_from_slice(arguments);
        // The output of an earlier call would hide that of this one.
        for name in ocloc::output_names(OUT) {
            let _ = std::fs::remove_file(folder.join(name));
        }
        let mut run = compiler.run(folder, &all, seconds).map_err(|error| {
            let message = format!("`{}` cannot be run: {error}", compiler.program.display());
            problem("compiler-missing", source, message).help(ocloc::INSTALL)
        })?;
        if run.is_success && ocloc::output(&run.files, OUT).is_some() {
            let position = |name: &String| run.files.iter().position(|(file, _)| file == name);
            let at = ocloc::output_names(OUT).iter().find_map(position).unwrap_or_default();
            let (_, bytes) = run.files.swap_remove(at);
            return Ok(Built { bytes, device, compiler, run });
        }
        if findings.is_empty() {
            findings = failure(source, text, &device, compiler, &run);
        }
    }
    Err(findings.into())
}

/// Returns the findings of a run that produced no output.
fn failure(source: &Path, text: &str, device: &str, compiler: &Compiler, run: &Run) -> Vec<Diagnostic> {
    let version = || compiler.version().unwrap_or_else(|| "of unknown version".to_owned());
    if run.is_success {
        let mut names: Vec<_> = run.files.iter().map(|(name, _)| name.as_str()).collect();
        if names.is_empty() {
            names.push("nothing");
        }
        let message = format!("the compiler did not write the file `{OUT}`; it wrote: {}", names.join(", "));
        let help =
            format!("please report this with the compiler's version: {} {}", compiler.program.display(), version());
        return vec![problem("compiler-output", source, message).help(help)];
    }
    const UNKNOWN: [&str; 3] = ["HW Info for device", "determine device target", "parse target"];
    if UNKNOWN.iter().any(|words| run.log.contains(words)) {
        let known = |compiler: &Compiler| {
            let products = compiler.devices.iter().map(String::as_str).filter(|device| !ocloc::is_family(device));
            format!("{} builds for {}", compiler.program.display(), products.collect::<Vec<_>>().join(", "))
        };
        let known = compiler::installed().iter().map(known).collect::<Vec<_>>().join("; ");
        let help = format!("{known}. For others {}", ocloc::INSTALL);
        let message = format!("no installed compiler supports `{device}`");
        return vec![problem("compiler-device", source, message).help(help)];
    }
    let mut findings = errors(source, text, &run.log);
    if findings.is_empty() {
        let help = if run.log.contains("FCL") || run.log.contains("libigdfcl") || run.log.contains("libigc.so") {
            format!("the compiler for {device} is incomplete: {}", ocloc::INSTALL)
        } else {
            format!("this is the log of {} {}", compiler.program.display(), version())
        };
        findings.push(problem("compile", source, joined(&run.log)).help(help));
    }
    findings
}

/// Joins the lines of a log into one sentence.
fn joined(log: &str) -> String {
    let lines = log.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Command was:"));
    let lines: Vec<_> = lines.collect();
    match lines.as_slice() {
        [] => "the compiler failed without a message".to_owned(),
        lines if lines.len() <= LOG_LINES => lines.join("; "),
        lines => format!("{}; and {} more lines", lines[..LOG_LINES].join("; "), lines.len() - LOG_LINES),
    }
}

/// Parses the errors in a compiler's log: lines such as `1:2:19: error: …`, whose second and third
/// numbers are line and column.
fn errors(source: &Path, text: &str, log: &str) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for line in log.lines() {
        let Some((place, message)) = line.split_once(": error: ") else { continue };
        let mut numbers = place.rsplit(':').map_while(|part| part.trim().parse::<u32>().ok());
        let (column, row) = (numbers.next(), numbers.next());
        let mut finding = problem("compile", source, message);
        if let (Some(row), Some(column)) = (row, column) {
            finding.line = row;
            finding.column = column;
            finding.quote = text.lines().nth(row as usize - row.min(1) as usize).unwrap_or_default().to_owned();
        }
        findings.push(finding.help("this message comes from the vendor's compiler"));
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
        let found = errors(Path::new("k.cl"), "kernel void k()\n{   x=1; }\n", said);
        assert_eq!((found.len(), found[0].line, found[0].column), (1, 2, 5));
        assert!(found[0].quote.contains("x=1"), "{found:?}");
        assert!(errors(Path::new("k.cl"), "", "Could not determine device target: xyz.\n").is_empty());
        assert!(joined("Could not determine device target: xyz.\n\n").contains("device target"));
        assert!(joined("").contains("failed without a message"));
        assert!(joined(&"a line\n".repeat(30)).ends_with("and 10 more lines"));
    }
}
