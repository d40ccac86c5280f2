//! `visa run`: a kernel on this machine's CPU.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use visakit_diag::{Diagnostic, Severity};

use super::compile::compile;
use super::{Format, Outcome, object_problem, out, out_bytes, problem, read, report};
use crate::launch::dump::{self, Dump};
use crate::launch::request::{self, Request};
use visakit::isa::Platform;
use visakit::object::{Object, Routine, RoutineKind};
use visakit::text;
use visakit_emulator::launch::argument;
use visakit_emulator::launch::data::ProgramData;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::launch::spec::{self, ArgSpec};
use visakit_emulator::machine::access::{Miss, MissKind};
use visakit_emulator::machine::fault::Trap;
use visakit_emulator::run::stats::Stats;
use visakit_emulator::run::{FunctionText, Options, Program, RunError, launch};
use visakit_zebin::info::{ExecutionEnv, KernelInfo};
use visakit_zebin::{Zebin, archive};

/// The platform of a file that does not say its own.
const DEFAULT_PLATFORM: Platform = Platform::Skl;

/// Run a kernel on this machine's CPU.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A zebin with its vISA texts, or an archive of them for several platforms; a source (.cl), which is compiled first; or
    /// a text (.visaasm) or a complete object (.isa), with --zebin
    program: Option<PathBuf>,
    /// A TOML file with these options as keys; its paths are relative to it, and options given here go before it
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// A zebin that says where the arguments go, when the program does not
    #[arg(long, value_name = "FILE")]
    zebin: Option<PathBuf>,
    /// The kernel, when there are several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The platform, when it is not the one that the file says
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// Options for the compiler of a source, such as "-cl-std=CL2.0"
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    options: Option<String>,
    /// Work items in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]", value_delimiter = ',')]
    global: Vec<u64>,
    /// Work items of a group; without it the size that the kernel requires, or one that fits
    #[arg(long, value_name = "X[,Y[,Z]]", value_delimiter = ',')]
    local: Option<Vec<u64>>,
    /// Offset of the global ids
    #[arg(long, value_name = "X[,Y[,Z]]", value_delimiter = ',')]
    offset: Option<Vec<u64>>,
    /// An argument: its index in the kernel, from 0, and what it is
    ///
    ///   file:PATH, zeros:BYTES, bytes:HEX
    ///       a buffer
    ///   u32:100, f32:0.5, f32:1,2,3,4
    ///       a number or a vector (i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64)
    ///   u64:0
    ///       a pointer to nothing
    ///   local:BYTES
    ///       shared local memory
    ///   same:N
    ///       the buffer or image of another argument
    ///   pipe:PACKETSxBYTES
    ///       a pipe
    ///   image:FORMAT:WxH[xD][,levels=N][,samples=N]:PATH, or zeros in place of PATH
    ///       an image, with formats such as rgba8unorm or r32f; D is also the number of
    ///       images in an array, and each level is half as large as the one before
    ///   sampler:none|clamp|clamp_to_edge|repeat|mirror,nearest|linear
    ///       a sampler; behind that ,normalized where coordinates run from 0 to 1,
    ///       ,mix_levels where neighbouring levels are mixed, ,levels=A..B for the lowest
    ///       and the highest level, and ,compare=HOW with never, less, equal, greater,
    ///       less_or_equal, greater_or_equal, not_equal or always
    #[arg(long = "arg", value_name = "N=SPEC", verbatim_doc_comment)]
    arguments: Vec<String>,
    /// A buffer to write to a file after the run
    ///
    ///   N=FILE
    ///       the bytes of argument N
    ///   N=FILE.png:WxH:FORMAT
    ///       a picture; formats are r8unorm, r16unorm, rgba8unorm, bgra8unorm, rgba32f,
    ///       and, as grey from the smallest value to the largest, r8uint, r16uint,
    ///       r32uint, r32sint, r16f, r32f
    #[arg(long = "dump", value_name = "N=FILE", verbatim_doc_comment)]
    dumps: Vec<String>,
    /// Count instructions by mnemonic
    #[arg(long)]
    stats: bool,
    /// Host threads to use; the result is the same for any number
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Run groups side by side even where the result depends on which comes first: where the kernel uses results of
    /// atomic operations, adds floats by them, or prints
    #[arg(long)]
    any_order: bool,
    /// Let accesses outside of every buffer read zeros and write nowhere, as those beyond the end of a surface do, instead
    /// of ending the run; they are counted
    #[arg(long)]
    outside_is_zero: bool,
    /// Instructions that one hardware thread may execute
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,
    /// How results and errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let format = args.format;
    match execute(args) {
        Ok(()) => Outcome::Done,
        Err(diagnostics) => {
            report(&diagnostics, format);
            if diagnostics.iter().any(|d| is_usage(d.code)) { Outcome::Failed } else { Outcome::Found }
        }
    }
}

/// Whether a finding is about how the command was called, or about a file that cannot be read or written.
fn is_usage(code: &str) -> bool {
    let prefixes = ["argument-", "compiler-", "dump-", "file-", "io", "launch-size", "threads", "platform", "usage"];
    prefixes.iter().any(|prefix| code.starts_with(prefix))
}

fn execute(args: Args) -> Result<(), Vec<Diagnostic>> {
    let format = args.format;
    let request = request(args).map_err(|e| vec![*e])?;
    let program = program(&request)?;
    let outcome = run_request(&program, &request).map_err(|e| vec![*e])?;
    for dump in &request.dumps {
        let bytes = outcome.buffers.get(dump.index as usize).and_then(Option::as_ref);
        dump.write(bytes.map(Vec::as_slice).unwrap_or_default()).map_err(|e| vec![*e])?;
    }
    if outcome.outside_reads + outcome.outside_writes > 0 {
        let (reads, writes) = (outcome.outside_reads, outcome.outside_writes);
        eprintln!(
            "note: beyond the ends of buffers, {reads} elements were read as zero and {writes} writes were dropped"
        );
    }
    if request.stats && outcome.ordered {
        eprintln!(
            "note: groups ran one after the other, because the result depends on their order; --any-order lets them run \
             side by side"
        );
    }
    print_results(&outcome, format);
    Ok(())
}

/// What a run leaves beside its buffers, as JSON.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    stats: Option<&'a Stats>,
    outside_reads: u64,
    outside_writes: u64,
    printf: &'a str,
}

fn print_results(outcome: &visakit_emulator::run::Outcome, format: Format) {
    let printed = String::from_utf8_lossy(&outcome.printed);
    match format {
        Format::Human => {
            out_bytes(&outcome.printed);
            if let Some(stats) = &outcome.stats {
                out(&stats.table());
            }
        }
        Format::Json => {
            let (outside_reads, outside_writes) = (outcome.outside_reads, outcome.outside_writes);
            let report = Report { stats: outcome.stats.as_ref(), outside_reads, outside_writes, printf: &printed };
            let text = serde_json::to_string_pretty(&report).unwrap_or_default();
            out(&format!("{text}\n"));
        }
    }
}

/// What the options ask for, with the launch file behind them.
fn request(args: Args) -> Result<Request, Box<Diagnostic>> {
    let mut arguments: Vec<(u32, ArgSpec)> = Vec::new();
    for text in &args.arguments {
        arguments.push(spec::parse_argument(text).map_err(|e| e.in_option("--arg", text))?);
    }
    let mut dumps: Vec<Dump> = Vec::new();
    for text in &args.dumps {
        dumps.push(dump::parse(text).map_err(|e| e.in_option("--dump", text))?);
    }
    let request = Request {
        program: args.program,
        zebin: args.zebin,
        kernel: args.kernel,
        platform: args.platform,
        options: args.options,
        global: args.global,
        local: args.local,
        offset: args.offset,
        arguments,
        dumps,
        stats: args.stats,
        threads: args.threads,
        any_order: args.any_order,
        outside_is_zero: args.outside_is_zero,
        max_instructions: args.max_instructions,
    };
    Ok(match &args.launch {
        Some(path) => request.or(request::read_file(path)?),
        None => request,
    })
}

/// Reads the program, and the layout of its arguments.
fn program(request: &Request) -> Result<Program, Vec<Diagnostic>> {
    let one = |e: Box<Diagnostic>| vec![*e];
    let Some(path) = &request.program else {
        let finding = Diagnostic::new("usage", Severity::Error, "visa run", "no program is given");
        return Err(vec![finding.help("name a zebin, or a launch file with --launch; see visa run --help")]);
    };
    let platform = match &request.platform {
        Some(name) => Some(
            super::platform(name).map_err(|e| vec![Diagnostic::new("platform", Severity::Error, "--platform", e)])?,
        ),
        None => None,
    };
    let kernel = request.kernel.as_deref();
    let is_source = path.extension().is_some_and(|extension| extension == "cl");
    let bytes = if is_source {
        compile(path, platform.unwrap_or_else(default_platform), request.options.as_deref())?
    } else {
        read(path).map_err(one)?
    };
    if Zebin::is_elf(&bytes) {
        let zebin = Zebin::parse(&path.display().to_string(), &bytes).map_err(one)?;
        let platform = platform.or(Program::platform_of(&zebin)).unwrap_or_else(default_platform);
        return Program::from_zebin(&zebin, kernel, Some(platform));
    }
    if archive::is_archive(&bytes) {
        return from_archive(path, &bytes, kernel, platform);
    }
    let layout = match &request.zebin {
        Some(path) => {
            let bytes = read(path).map_err(one)?;
            Some(Zebin::parse(&path.display().to_string(), &bytes).map_err(one)?)
        }
        None => None,
    };
    let platform = platform.or(layout.as_ref().and_then(Program::platform_of));
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("visaasm") => from_text(path, bytes, layout.as_ref(), kernel, platform),
        Some("isa") => from_object(path, &bytes, layout.as_ref(), kernel, platform),
        _ => Err(vec![
            problem("program-kind", path, "this is neither a zebin, nor a text (.visaasm), nor an object (.isa)")
                .help("the file is recognised by its first bytes or its extension; OpenCL C is .cl"),
        ]),
    }
}

fn default_platform() -> Platform {
    eprintln!(
        "note: the file does not say its platform; {} is assumed, --platform names another",
        DEFAULT_PLATFORM.name()
    );
    DEFAULT_PLATFORM
}

/// The program for a platform, or for the only one, of an archive of zebins.
fn from_archive(
    path: &Path,
    bytes: &[u8],
    kernel: Option<&str>,
    platform: Option<Platform>,
) -> Result<Program, Vec<Diagnostic>> {
    let mut zebins = Vec::new();
    for member in archive::members(bytes) {
        let (name, data) =
            member.map_err(|damage| vec![problem("archive", path, &damage.what).at_offset(damage.offset)])?;
        if Zebin::is_elf(data) {
            zebins.push(Zebin::parse(&format!("{}({name})", path.display()), data).map_err(|e| vec![*e])?);
        }
    }
    let mut names: Vec<_> = zebins.iter().filter_map(Program::platform_of).map(Platform::name).collect();
    names.dedup();
    // Several devices of one platform have the same vISA.
    let mut wanted = zebins.iter().filter(|zebin| platform.is_none() || Program::platform_of(zebin) == platform);
    match wanted.next() {
        Some(zebin) if platform.is_some() || names.len() < 2 => Program::from_zebin(zebin, kernel, platform),
        _ => {
            let message = match platform {
                Some(platform) => format!("the archive has no program for {}", platform.name()),
                None => "the archive has programs for several platforms".to_owned(),
            };
            let help = format!("name one with --platform: {}", names.join(", "));
            Err(vec![problem("archive-platform", path, &message).help(help)])
        }
    }
}

fn from_text(
    path: &Path,
    bytes: Vec<u8>,
    layout: Option<&Zebin>,
    kernel: Option<&str>,
    platform: Option<Platform>,
) -> Result<Program, Vec<Diagnostic>> {
    let file = path.display().to_string();
    let text = String::from_utf8(bytes).map_err(|e| {
        vec![problem("program-text", path, "is no text").at_offset(e.utf8_error().valid_up_to() as u64)]
    })?;
    let platform = platform.unwrap_or_else(default_platform);
    let options = text::Options { file: file.clone(), platform: Some(platform) };
    let parsed = text::parse(&text, options)?;
    let info = layout_of(path, &parsed.routine, layout, kernel)?;
    let names = names_of(layout, &info);
    let (routine, lines) = (parsed.routine, parsed.lines);
    let data = data_of(layout);
    let functions = Vec::new();
    Ok(Program { file, text: Some(text), routine, lines, functions, info, names, data, platform })
}

fn from_object(
    path: &Path,
    bytes: &[u8],
    layout: Option<&Zebin>,
    kernel: Option<&str>,
    platform: Option<Platform>,
) -> Result<Program, Vec<Diagnostic>> {
    let object = Object::decode(bytes).map_err(|e| vec![object_problem(path, e)])?;
    let platform = platform.or_else(|| object.platform()).unwrap_or_else(default_platform);
    let named = |name: &str| object.kernels.iter().find(|kernel| kernel.routine.name() == name);
    // The compiler calls every kernel of an object `kernel`; then the name is that of the layout.
    let chosen = match (object.kernels.as_slice(), kernel.and_then(named)) {
        (_, Some(kernel)) => kernel,
        ([only], None) if kernel.is_none() || layout.is_some() => only,
        (kernels, None) => {
            let names: Vec<_> = kernels.iter().map(|kernel| kernel.routine.name()).collect();
            let finding = problem("kernel-unknown", path, "the kernel is not in this file, or there are several");
            return Err(vec![finding.help(format!("name one with --kernel: {}", names.join(", ")))]);
        }
    };
    let info = layout_of(path, &chosen.routine, layout, kernel)?;
    let names = names_of(layout, &info);
    let file = path.display().to_string();
    let (routine, data) = (chosen.routine.clone(), data_of(layout));
    let functions = object.functions.iter().map(|function| FunctionText {
        file: file.clone(),
        text: None,
        routine: function.routine.clone(),
        lines: Vec::new(),
    });
    let functions = functions.collect();
    Ok(Program { file, text: None, routine, lines: Vec::new(), functions, info, names, data, platform })
}

fn data_of(layout: Option<&Zebin>) -> ProgramData {
    layout.map(ProgramData::of).unwrap_or_default()
}

fn names_of(layout: Option<&Zebin>, info: &KernelInfo) -> Option<visakit_zebin::info::KernelMiscInfo> {
    layout?.info.kernels_misc_info.iter().find(|misc| misc.name == info.name).cloned()
}

/// The layout of a kernel's arguments. One without inputs needs only its width, which it says itself.
fn layout_of(
    path: &Path,
    routine: &Routine,
    layout: Option<&Zebin>,
    kernel: Option<&str>,
) -> Result<KernelInfo, Vec<Diagnostic>> {
    if routine.kind != RoutineKind::Kernel {
        return Err(vec![
            problem("program-kind", path, "this is a function, not a kernel").help("name a file with a kernel"),
        ]);
    }
    if let Some(zebin) = layout {
        return zebin.kernel_info(kernel).cloned().map_err(|e| vec![*e]);
    }
    if !routine.inputs.is_empty() {
        let finding = problem("launch-layout", path, "nothing says where the kernel's arguments go");
        return Err(vec![finding.help("give the zebin of the same kernel with --zebin")]);
    }
    let simd_size = routine.attribute("SimdSize").unwrap_or(1);
    let execution_env = ExecutionEnv { simd_size, ..ExecutionEnv::default() };
    Ok(KernelInfo { name: routine.name(), execution_env, ..KernelInfo::default() })
}

fn run_request(program: &Program, request: &Request) -> Result<visakit_emulator::run::Outcome, Box<Diagnostic>> {
    let required = program.required_local_size();
    let range = NdRange::new(&request.global, request.local.as_deref(), request.offset.as_deref(), required)?;
    let arguments = argument::resolve(&program.parameters(), &request.arguments)?;
    for dump in &request.dumps {
        if !matches!(
            arguments.get(dump.index as usize),
            Some(Some(argument::Argument::Buffer(_) | argument::Argument::Image(_)))
        ) {
            let help = match arguments.get(dump.index as usize) {
                Some(Some(argument::Argument::Same(other))) => {
                    format!("dump argument {other}, which it is the same as")
                }
                _ => "only buffers and images can be written to files".to_owned(),
            };
            let finding = Diagnostic::new(
                "dump-index",
                Severity::Error,
                format!("--dump {}", dump.index),
                format!("argument {} is no buffer or image of its own", dump.index),
            );
            return Err(finding.help(help).into());
        }
    }
    let bar = Bar::new(&range);
    let progress = |done| bar.show(done);
    let options = Options {
        threads: request.threads,
        any_order: request.any_order,
        outside_is_zero: request.outside_is_zero,
        max_instructions: request.max_instructions,
        stats: request.stats,
        progress: Some(&progress),
        observer: None,
    };
    let result = launch(program, &range, arguments, &options);
    bar.clear();
    result.map_err(|error: RunError| Box::new(advised(error.diagnostic(program), &error)))
}

/// A finding of the emulator with what the commands and options of this program can do about it.
fn advised(finding: Diagnostic, error: &RunError) -> Diagnostic {
    let advice = match error {
        RunError::TrapReport(report) => match &report.trap {
            Trap::Access(Miss { kind: MissKind::Outside, .. }) => "--outside-is-zero lets it go on",
            Trap::Budget(_) => {
                "a higher --max-instructions lets it go on, and a group that waits for a later one needs --any-order"
            }
            Trap::Stub(_) => "`visa diff` lists the instructions without a kernel",
            Trap::Illegal(_) => "`visa verify` says what is wrong with the kernel",
            _ => return finding,
        },
        RunError::Launch(_) if finding.code == "lowering" => "`visa verify` says what is wrong with the kernel",
        RunError::Launch(_) if finding.code == "launch-unsupported" => {
            "see --help for the arguments that can be given"
        }
        RunError::Launch(_) => return finding,
    };
    let help = if finding.help.is_empty() { advice.to_owned() } else { format!("{}; {advice}", finding.help) };
    finding.help(help)
}

/// A progress bar that appears when a run takes more than a second, on a terminal.
struct Bar {
    start: Instant,
    groups: u64,
    bar: OnceLock<ProgressBar>,
}

impl Bar {
    fn new(range: &NdRange) -> Self {
        let groups = u64::try_from(range.group_count()).unwrap_or(u64::MAX);
        Self { start: Instant::now(), groups, bar: OnceLock::new() }
    }

    fn show(&self, done: u64) {
        if self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} groups, {eta} left");
            let bar = ProgressBar::new(self.groups);
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar
        });
        bar.set_position(done);
    }

    fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
