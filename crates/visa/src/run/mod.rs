//! Command `visa run`: runs a kernel on this machine's CPU.

mod checks;
mod fault;
mod found;
mod pages;
mod program;
mod report;
mod steps;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::check::{Checked, Checks, check};
use visakit_emulator::kernels::code::Interpreter;
use visakit_emulator::launch::forms::forms_help;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::launch::spec::{self, ArgKey, ArgSpec};
use visakit_emulator::launch::{TextError, argument};
use visakit_emulator::machine::memory::Regions;
use visakit_emulator::run::{
    DEFAULT_MAX_INSTRUCTIONS, Engine, GroupOrder, Observers, Options, Outside, Policy, Program, RunError,
    Surroundings, Tracing, launch_from,
};
use visakit_oracle::{ByPages, Which};

use crate::launch::request::{self, Request};
use crate::launch::results::Wanted;
use crate::launch::{dump, expect, inputs, memory, print};
use crate::outcome::{Outcome, OutputFormat};
use crate::progress::Bar;
use crate::report::{Findings, finish};
use found::Found;
use pages::PagesArgs;
use report::{fail, succeed};
use steps::Steps;

/// Run a kernel on this machine's CPU
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa run add.cl --global 8 --arg a=range:f32:8 --arg b=zeros:32 --print b
  visa run k.zebin --global 64 --arg 0=random:f32:64:7 --dump 0=out.bin
  visa run k.zebin --global 64 --arg 0=file:in.bin --expect 0=out.bin,ulp=1
  visa run --launch examples/mandelbrot/mandelbrot.toml --stats
  visa run sum.cl --global 64 --local 16 --arg in=range:f32:64 --arg out=zeros:16 --check all

Exit codes: 0 done and as expected, 1 the program is wrong or faulted, a check found a bug, or the result differs from the expected one, \
2 usage, or a file could not be read or written")]
pub(super) struct Args {
    /// A zebin with vISA texts, or an archive of such zebins; an OpenCL C source (.cl), which is
    /// compiled first with -g; or, with --zebin, a vISA text or a complete vISA object; `-` for
    /// standard input
    program: Option<PathBuf>,
    /// A TOML file with these options as keys. Its paths are relative to it; options on the command
    /// line override it
    #[arg(help_heading = "Launch", long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// A zebin that describes the arguments, if the program does not
    #[arg(help_heading = "Launch", long, value_name = "FILE")]
    zebin: Option<PathBuf>,
    /// The kernel to run, if there are several
    #[arg(help_heading = "Launch", long, value_name = "NAME")]
    kernel: Option<String>,
    /// The platform, if it differs from the one in the file
    #[arg(help_heading = "Launch", long, value_name = "NAME", visible_alias = "device")]
    platform: Option<String>,
    /// Options for the compiler of a source, such as "-cl-std=CL2.0"
    #[arg(help_heading = "Launch", long, value_name = "TEXT", allow_hyphen_values = true)]
    options: Option<String>,
    /// Work items in each dimension
    #[arg(help_heading = "Launch", long, value_name = "X[,Y[,Z]]", value_delimiter = ',', value_parser = request::size)]
    global: Vec<u64>,
    /// Work items of a group [default: the size that the kernel requires, or one that fits]
    #[arg(help_heading = "Launch", long, value_name = "X[,Y[,Z]]", value_delimiter = ',', value_parser = request::size)]
    local: Option<Vec<u64>>,
    /// Offset of the global ids
    #[arg(help_heading = "Launch", long, value_name = "X[,Y[,Z]]", value_delimiter = ',', value_parser = request::size)]
    offset: Option<Vec<u64>>,
    #[arg(
        help_heading = "Arguments",
        long = "arg",
        value_name = "KEY=SPEC",
        help = "The value of an argument, by index or name; --help has the forms",
        long_help = format!("An argument: its index in the kernel, from 0, or its name in the source, and what it is\n\n{}", forms_help("  "))
    )]
    arguments: Vec<String>,
    /// Memory at a fixed address with the contents of a file, as recorded launches use
    #[arg(help_heading = "Arguments", long = "memory", value_name = "ADDRESS:FILE")]
    memory: Vec<String>,
    #[arg(
        help_heading = "Results",
        long = "dump",
        value_name = "KEY=FILE",
        help = "A buffer or image to write to a file after the run; --help has the forms",
        long_help = format!("A buffer or image to write to a file after the run, or to standard output for `-`\n\n  \
            KEY=FILE\n      the bytes of the argument\n  \
            KEY=FILE.png:WxH:FORMAT\n      a picture; formats are {}; those of numbers are grey from the smallest to the \
            largest", dump::format_names())
    )]
    dumps: Vec<String>,
    /// A buffer or image to print after the run, as COUNT numbers of a TYPE as in --arg [default:
    /// all numbers, of the type in the source]
    #[arg(help_heading = "Results", long = "print", value_name = "KEY[=TYPE[:COUNT]]")]
    prints: Vec<String>,
    /// The expected contents of an argument after the run: a file, or a form of --arg. The suffixes
    /// ,abs=A ,rel=R and ,ulp=N allow differences: a number must satisfy one of them. ,type=TYPE
    /// gives the number type if the source does not contain it
    #[arg(help_heading = "Results", long = "expect", value_name = "KEY=FILE|SPEC[,TOLERANCE]")]
    expectations: Vec<String>,
    /// Bugs to look for, separated by commas: bounds (accesses outside buffers, surfaces and shared
    /// local memory), uninit (uses of unwritten registers and memory), race (unsynchronised
    /// accesses), sync (barriers without the needed fence, and work items that wait at different
    /// barriers), all. Barriers that not all work items reach, and endless loops, are always
    /// reported. The groups after a faulty group also run. A source is also compiled and checked
    /// without optimisations, which can hide bugs
    #[arg(help_heading = "Checks", long, value_name = "LIST")]
    check: Option<String>,
    /// Write and print the contents of the arguments also after a fault
    #[arg(help_heading = "Results", long)]
    dump_on_fault: bool,
    /// Continue with the groups after a faulty group, and report each kind of fault once for each
    /// instruction
    #[arg(help_heading = "Debugging", long)]
    keep_going: bool,
    /// Show the variables of the faulting thread, by name and type
    #[arg(help_heading = "Debugging", long)]
    state: bool,
    /// Print each instruction that a work item executes, with the values of its operands. The work
    /// item is given by its global id without the offset. Can be repeated. Makes groups run one
    /// after the other
    #[arg(help_heading = "Debugging", long = "trace", value_name = "X[,Y[,Z]]")]
    traces: Vec<String>,
    /// Count instructions by mnemonic
    #[arg(help_heading = "Debugging", long)]
    stats: bool,
    /// Fail if accesses leave the buffers, which otherwise is a note, as on a device
    #[arg(help_heading = "Checks", long)]
    deny_outside: bool,
    /// Host threads to use; the result is the same for any number
    #[arg(help_heading = "Execution", long, value_name = "N")]
    threads: Option<usize>,
    /// Run groups concurrently even if the result depends on their order: if the kernel uses
    /// results of atomic operations, uses them to add floats, or prints
    #[arg(help_heading = "Execution", long)]
    any_order: bool,
    /// Count accesses outside all buffers instead of ending the run: reads return zero, writes are
    /// dropped, as for accesses past the end of a surface
    #[arg(help_heading = "Checks", long)]
    outside_is_zero: bool,
    #[arg(
        help_heading = "Execution",
        long,
        value_name = "N",
        help = format!("Instructions that one hardware thread may execute [default: {DEFAULT_MAX_INSTRUCTIONS}]")
    )]
    max_instructions: Option<u64>,
    #[arg(
        help_heading = "Execution",
        long,
        value_parser = engines(),
        help = format!("Engine that executes the instructions; all engines give the same result [default: {}]", Engine::default())
    )]
    engine: Option<Engine>,
    #[command(flatten)]
    pages: PagesArgs,
    /// How results and errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Returns the parser of engine names, with their help texts.
fn engines() -> impl TypedValueParser<Value = Engine> {
    let values = Engine::ALL.map(|engine| {
        PossibleValue::new(engine.name()).help(match engine {
            Engine::Interpreter => "Chosen for each instruction",
            Engine::Native => "Native code of this machine's processor, where it is supported",
            Engine::Avx2 => "Native code without AVX-512, even if the processor has it",
            Engine::Automatic => "The interpreter first, then native code for kernels that run long",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}

pub(super) fn run(args: Args) -> Outcome {
    let format = args.format;
    finish(execute(args), format)
}

fn execute(args: Args) -> Result<Outcome, Findings> {
    let (format, which, model) = (args.format, args.pages.which(), args.pages.read()?);
    let mut request = request(args)?;
    if which == Some(Which::All) {
        // Semantics of pages have no native code.
        request.engine = Some(Engine::Interpreter);
    }
    let program = program::load(&request)?;
    let required = program.required_local_size();
    let range = NdRange::new(&request.global, request.local.as_deref(), request.offset.as_deref(), required);
    let range = range.map_err(of_option)?;
    let parameters = program.parameters();
    let given = arguments(&request, &parameters)?;
    let arguments = argument::resolve(&parameters, &given).map_err(of_option)?;
    let wanted = Wanted::new(&request, &parameters, &arguments, format)?;
    let mut first = Some(arguments);
    let loaded = memory::load(&request.memory)?;
    // A repeated run reads its files again, so that each buffer is in memory only once.
    let again = || {
        memory::restore(&request.memory, &loaded)?;
        argument::resolve(&parameters, &given).map_err(of_option)
    };
    let make = || first.take().map_or_else(again, Ok);
    let read = || model.clone().unwrap_or_else(|| visakit_conform::own_model().0);
    let interpreter = which.map(|which| (ByPages::new(which, &read), which));
    outside_items(&request, &range)?;
    let steps = Steps::new(format);
    let pages = interpreter.as_ref().map(|(pages, _)| pages as _);
    let regions = [Arc::new(Regions::new(loaded.iter().cloned()))];
    let surroundings = Surroundings { regions: &regions, ..Surroundings::default() };
    let checked = dispatch(&program, &range, make, &request, surroundings, Some(&steps), pages);
    if let Some((pages, which)) = &interpreter {
        pages::say(pages, *which);
    }
    let (mut result, mut findings) =
        checked.map_or_else(|error| (Err(error), Vec::new()), |all| (all.result, all.findings));
    let steps = steps.finish();
    let made = wanted.take(&mut result, format == OutputFormat::Human, request.dump_on_fault);
    let plain = if checks::may_hide(&result, &findings) { program::unoptimised(&request) } else { None };
    let hidden = plain.as_ref().map(|plain| {
        let request = checks::bounded(&request, &result);
        let checked = dispatch(plain, &range, again, &request, surroundings, None, pages);
        let checked = checked.ok().filter(|checked| checks::explains(&checked.result, &result));
        let hidden = checked.map(|checked| checked.findings).unwrap_or_default();
        checks::drop_explained(&mut findings, &hidden);
        checks::new_kinds(hidden, &findings)
    });
    let mut bugs = Found::all(&program, &findings, false);
    if let (Some(plain), Some(hidden)) = (&plain, &hidden) {
        bugs.extend(Found::all(plain, hidden, true));
    }
    match result {
        Ok(outcome) => Ok(succeed(&outcome, &range, made, &bugs, steps, &request, format)),
        Err(error) => fail(error, made, &bugs, steps, &program, &request, format),
    }
}

/// Checks that the traced work items are part of the launch.
fn outside_items(request: &Request, range: &NdRange) -> Result<(), Box<Diagnostic>> {
    let outside = request.trace.iter().find(|item| (0..3).any(|d| item[d] >= range.global[d]));
    let Some([x, y, z]) = outside else { return Ok(()) };
    let message = format!("there is no work item ({x}, {y}, {z})");
    let [x, y, z] = range.global;
    let finding = Diagnostic::new("trace-item", Severity::Error, "--trace", message);
    Err(Box::new(finding.help(format!("the launch has {x} x {y} x {z} work items, counted from 0"))))
}

/// Converts a finding about a launch key to a finding about the option of the same name.
fn of_option(mut finding: Box<Diagnostic>) -> Box<Diagnostic> {
    finding.file.insert_str(0, "--");
    finding
}

/// Builds the request from the options and the launch file; options take precedence.
fn request(args: Args) -> Result<Request, Box<Diagnostic>> {
    let is_launch = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
    let (program, launch) = match (args.program, args.launch) {
        (Some(path), None) if is_launch(&path) => (None, Some(path)),
        both => both,
    };
    let check = args.check.as_ref().map(|list| Checks::parse(list).map_err(|e| e.in_option("--check", list)));
    let request = Request {
        arguments: read_all("--arg", &args.arguments, spec::parse_argument)?,
        defaults: Vec::new(),
        memory: read_all("--memory", &args.memory, memory::parse)?,
        dumps: read_all("--dump", &args.dumps, dump::parse)?,
        prints: read_all("--print", &args.prints, print::parse)?,
        expectations: read_all("--expect", &args.expectations, expect::parse)?,
        program,
        zebin: args.zebin,
        kernel: args.kernel,
        platform: args.platform,
        options: args.options,
        global: args.global,
        local: args.local,
        offset: args.offset,
        check: check.transpose()?,
        dump_on_fault: args.dump_on_fault,
        keep_going: args.keep_going,
        state: args.state,
        trace: read_all("--trace", &args.traces, request::work_item)?,
        stats: args.stats,
        threads: args.threads,
        any_order: args.any_order,
        outside_is_zero: args.outside_is_zero,
        deny_outside: args.deny_outside,
        max_instructions: args.max_instructions,
        engine: args.engine,
        launch: launch.clone(),
    };
    Ok(match &launch {
        Some(path) => request.or(request::read_file(path)?),
        None => request,
    })
}

fn read_all<T>(
    option: &str,
    texts: &[String],
    parse: impl Fn(&str) -> Result<T, TextError>,
) -> Result<Vec<T>, Box<Diagnostic>> {
    texts.iter().map(|text| parse(text).map_err(|e| e.in_option(option, text))).collect()
}

/// Returns the arguments with their file contents. Arguments of the launch file apply if the
/// command line gives none.
fn arguments(
    request: &Request,
    parameters: &[argument::Parameter],
) -> Result<Vec<(ArgKey, ArgSpec)>, Box<Diagnostic>> {
    let index = |key: &ArgKey| argument::find(parameters, key, "--arg").map(|parameter| parameter.index);
    let mut all = request.arguments.clone();
    let given = all.iter().map(|(key, _)| index(key)).collect::<Result<Vec<_>, _>>()?;
    for (key, spec) in &request.defaults {
        if !given.contains(&index(key)?) {
            all.push((key.clone(), spec.clone()));
        }
    }
    for (key, spec) in &mut all {
        inputs::fetch(spec, &format!("--arg {key}"))?;
    }
    Ok(all)
}

fn dispatch(
    program: &Program,
    range: &NdRange,
    mut make: impl FnMut() -> Result<Vec<Option<argument::Argument>>, Box<Diagnostic>>,
    request: &Request,
    surroundings: Surroundings<'_>,
    steps: Option<&Steps>,
    interpreter: Option<&dyn Interpreter>,
) -> Result<Checked, RunError> {
    let groups = u64::try_from(range.group_count()).unwrap_or(u64::MAX);
    let mut bar = Bar::new("groups", groups);
    let progress = |done| bar.show(done, groups);
    let each = steps.map(|steps| |step| steps.take(step));
    let each = each.as_ref().filter(|_| !request.trace.is_empty());
    let trace = each.map(|each| Tracing { items: &request.trace, each });
    let policy = Policy {
        engine: request.engine.unwrap_or_default(),
        threads: request.threads,
        order: GroupOrder::any_if(request.any_order),
        outside: Outside::zero_if(request.outside_is_zero),
        max_instructions: request.max_instructions,
        keep_going: request.keep_going,
        stats: request.stats,
        state: request.state,
        ..Policy::default()
    };
    let observers = Observers { progress: Some(&progress), trace, ..Observers::default() };
    let options = Options { policy, observers, surroundings: Surroundings { interpreter, ..surroundings } };
    let result = match request.check {
        Some(checks) => check(program, range, make, &options, checks),
        None => Ok(Checked { result: launch_from(program, range, |_| make(), &options), findings: Vec::new() }),
    };
    bar.clear();
    result
}
