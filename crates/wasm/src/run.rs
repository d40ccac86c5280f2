//! Request `run`: runs a kernel with small buffers by the interpreter, with checks and steps.

use serde::Deserialize;
use serde_json::{Value, json};
use visakit::isa::Platform;
use visakit_diag::{Diagnostic, Diagnostics, Severity};
use visakit_emulator::check::{Checked, Checks, check, diagnostics, fault_diagnostics};
use visakit_emulator::launch::argument::{self, Argument, Parameter, ParameterKind};
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::launch::scalar::Scalar;
use visakit_emulator::launch::spec::{self, ArgKey, ArgSpec};
use visakit_emulator::launch::values::Values;
use visakit_emulator::machine::fault::TrapReport;
use visakit_emulator::run::load::{self, Selection};
use visakit_emulator::run::{
    Engine, Observers, Options, Outcome, Policy, Program, RunError, Surroundings, Tracing, launch_from,
};
use visakit_oracle::{ByPages, Which};
use visakit_zebin::Zebin;

use crate::kind::Kind;
use crate::module::{modules, zebins};
use crate::source::{Source, json_of};
use crate::steps::{Recorder, Subgroup};

/// Default instruction budget of a hardware thread. The page must answer.
const BUDGET: u64 = 20_000_000;
/// Largest size of all buffers in bytes.
const BUFFER_BYTES: usize = 64 << 20;
/// Largest number of work items.
const ITEMS: usize = 1 << 20;
/// Largest number of shown elements of a buffer.
const SHOWN: usize = 1024;

/// Launch of a kernel.
#[derive(Deserialize)]
pub struct Request {
    #[serde(flatten)]
    source: Source,
    kernel: Option<String>,
    #[serde(default)]
    global: Vec<u64>,
    local: Option<Vec<u64>>,
    /// Arguments as for `visa run --arg`.
    #[serde(default)]
    args: Vec<String>,
    /// Checks as for `visa run --check`.
    check: Option<String>,
    /// Subgroup whose statements are recorded.
    steps: Option<Subgroup>,
    max_instructions: Option<u64>,
}

/// Runs a kernel. The members `findings`, `printf` and `results` are those of
/// `visa run --format json`.
pub fn answer(request: &Request) -> Value {
    match request.source.read() {
        Err(error) => json!({ "error": error }),
        Ok((kind, bytes, platform)) => {
            run(request, kind, &bytes, platform).unwrap_or_else(|found| json!({ "findings": json_of(&found) }))
        }
    }
}

/// Returns the kernels of a file, and the parameters of the selected one with arguments that fit.
pub fn launch(request: &Request) -> Value {
    let (kind, bytes, platform) = match request.source.read() {
        Ok(read) => read,
        Err(error) => return json!({ "error": error }),
    };
    let kernels = kernels(&request.source.name, kind, &bytes);
    let named = request.kernel.as_deref().filter(|name| kernels.iter().any(|kernel| kernel == name));
    let kernel = named.or(kernels.first().map(String::as_str));
    let loaded = program(&request.source.name, kind, &bytes, kernel, platform, &[]);
    let (program, findings) = match loaded {
        Ok(program) => (Some(program), Vec::new()),
        Err(found) => (None, found.into_vec()),
    };
    let parameters = program.as_ref().map(Program::parameters).unwrap_or_default();
    let args: Vec<String> = parameters.iter().filter(|parameter| parameter.used).map(suggestion).collect();
    let simd = program.as_ref().map_or(1, |program| program.info.execution_env.simd_size);
    let local = program.as_ref().map(Program::required_local_size).filter(|size| *size != [0; 3]);
    let platform = program.map(|program| program.platform.name());
    let local = local.map(|size| size.map(|side| side.max(1)));
    json!({
        "findings": json_of(&findings), "kernels": kernels, "kernel": kernel, "args": args, "simd": simd, "local": local,
        "platform": platform,
    })
}

fn run(request: &Request, kind: Kind, bytes: &[u8], platform: Option<Platform>) -> Result<Value, Diagnostics> {
    let given = request.args.iter().map(|text| {
        let (key, spec) = spec::parse_argument(text).map_err(|error| error.in_option("argument", text))?;
        refuse_file(text, spec.clone()).map(|()| (key, spec))
    });
    let given: Vec<(ArgKey, ArgSpec)> = given.collect::<Result<_, Box<Diagnostic>>>()?;
    let checks = match request.check.as_deref().filter(|list| !list.is_empty()) {
        None => None,
        Some(list) => Some(Checks::parse(list).map_err(|error| error.in_option("check", list))?),
    };
    let program = program(&request.source.name, kind, bytes, request.kernel.as_deref(), platform, &given)?;
    let required = program.required_local_size();
    let range = NdRange::new(&request.global, request.local.as_deref(), None, required)?;
    let parameters = program.parameters();
    let arguments = argument::resolve(&parameters, &given)?;
    limit(&range, &arguments)?;
    let scalars: Vec<_> = parameters.iter().map(|parameter| scalar(parameter, &given)).collect();
    let items = request.steps.map(|subgroup| subgroup.items(&program, &range)).unwrap_or_default();
    let recorder = Recorder::default();
    let each = |step| recorder.take(step);
    let trace = request.steps.map(|_| Tracing { items: &items, each: &each });
    let read = || crate::eval::model().clone();
    let pages = ByPages::new(Which::Missing, &read);
    let policy = Policy {
        engine: Engine::Interpreter,
        threads: Some(1),
        max_instructions: Some(request.max_instructions.unwrap_or(BUDGET).min(BUDGET)),
        ..Policy::default()
    };
    let options = Options {
        policy,
        observers: Observers { trace, ..Observers::default() },
        surroundings: Surroundings { interpreter: Some(&pages), ..Surroundings::default() },
    };
    let made = match checks {
        Some(checks) => check(&program, &range, || Ok(arguments.clone()), &options, checks),
        None => {
            let result = launch_from(&program, &range, |_| Ok(arguments.clone()), &options);
            Ok(Checked { result, findings: Vec::new() })
        }
    };
    let Checked { result, findings } = made.map_err(|error| error.diagnostic(&program))?;
    let (steps, left) = recorder.finish();
    let by_page = pages.used();
    let mut answer = report(&program, &parameters, &scalars, result, &findings)?;
    answer["kernel"] = json!(program.info.name);
    answer["platform"] = json!(program.platform.name());
    answer["local"] = json!(range.local);
    answer["simd"] = json!(program.info.execution_env.simd_size);
    answer["by_page"] = json!(by_page);
    if request.steps.is_some() {
        answer["steps"] = steps;
        answer["steps_left"] = json!(left);
    }
    Ok(answer)
}

/// Returns the results of a run, and everything that was found.
fn report(
    program: &Program,
    parameters: &[Parameter],
    scalars: &[Scalar],
    result: Result<Outcome, RunError>,
    bugs: &[visakit_emulator::check::Finding],
) -> Result<Value, Diagnostics> {
    let locate = |report: &TrapReport| program.locate(report);
    let place = |report: &TrapReport| (report.function, report.instruction);
    let is_explained = |report: &TrapReport| bugs.iter().any(|bug| place(&bug.report) == place(report));
    let mut findings = Vec::new();
    let (printed, buffers, instructions) = match result {
        Ok(outcome) => (outcome.printed, outcome.buffers, Some(outcome.instructions)),
        Err(RunError::Launch(found)) => return Err((*found).into()),
        Err(RunError::TrapReport(mut report)) => {
            findings.extend(fault_diagnostics(&report, &locate, &is_explained));
            (std::mem::take(&mut report.printed), std::mem::take(&mut report.buffers), None)
        }
    };
    findings.extend(bugs.iter().flat_map(|bug| diagnostics(bug, &locate)));
    let results = parameters.iter().zip(scalars).filter_map(|(parameter, &scalar)| {
        let bytes = buffers.get(parameter.index as usize)?.as_deref()?;
        Some(Values::new(parameter, scalar, bytes, SHOWN))
    });
    let results: Vec<Values> = results.collect();
    // The text of a number is shorter than the number that a single float stands for.
    let results: Value =
        serde_json::to_string(&results).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    Ok(json!({
        "findings": json_of(&findings),
        "printf": String::from_utf8_lossy(&printed),
        "results": results,
        "instructions": instructions,
    }))
}

/// Loads the kernel of a file.
fn program(
    file: &str,
    kind: Kind,
    bytes: &[u8],
    kernel: Option<&str>,
    platform: Option<Platform>,
    given: &[(ArgKey, ArgSpec)],
) -> Result<Program, Diagnostics> {
    let selection =
        Selection { given, kernel: kernel.filter(|name| !name.is_empty()), platform, ..Selection::default() };
    match kind {
        Kind::Zebin => Program::from_zebin(&Zebin::parse(file, bytes)?, selection.kernel, platform),
        Kind::Archive => load::from_zebins(file, &zebins(file, bytes)?, selection.kernel, platform),
        Kind::Object => load::from_object(file, bytes, selection),
        // A text has one kernel, whose name the request need not know.
        Kind::Text => load::from_text(file, bytes.to_vec(), selection),
        Kind::Spirv | Kind::Other(_) => match modules(file, kind, bytes.to_vec()) {
            Err(found) => Err(found),
            Ok(_) => Err(wrong("program-kind", "the file has no kernel", "give a text, an object or a zebin").into()),
        },
    }
}

/// Returns the names of a file's kernels.
fn kernels(file: &str, kind: Kind, bytes: &[u8]) -> Vec<String> {
    let mut names: Vec<String> = match kind {
        Kind::Zebin | Kind::Archive => {
            let all = zebins(file, bytes).unwrap_or_default();
            all.iter().flat_map(Zebin::kernel_infos).map(|info| info.name.clone()).collect()
        }
        Kind::Object => {
            let all = modules(file, kind, bytes.to_vec()).unwrap_or_default();
            let objects = all.iter().filter_map(|module| module.object(None).ok());
            objects
                .flat_map(|object| object.kernels.iter().map(|kernel| kernel.routine.name()).collect::<Vec<_>>())
                .collect()
        }
        _ => Vec::new(),
    };
    names.sort();
    names.dedup();
    names
}

/// Returns an argument that fits a parameter, as text.
fn suggestion(parameter: &Parameter) -> String {
    let key = if parameter.name.is_empty() { parameter.index.to_string() } else { parameter.name.clone() };
    let source = Scalar::of_source(&parameter.type_name);
    let name = source.map_or(Scalar::U32, |(scalar, _)| scalar).name();
    let width = source.map_or(1, |(_, width)| width);
    let value = match parameter.kind {
        ParameterKind::Buffer => format!("range:{name}:64"),
        ParameterKind::Local => "local:1024".to_owned(),
        ParameterKind::Value(_) if source.is_some() => format!("{name}:{}", vec!["1"; width].join(",")),
        ParameterKind::Value(size) => format!("bytes:{}", "00".repeat(size as usize)),
        ParameterKind::Image { dimensions: 1, .. } => "image:rgba8unorm:16:zeros".to_owned(),
        ParameterKind::Image { .. } => "image:rgba8unorm:8x8:zeros".to_owned(),
        ParameterKind::Sampler => "sampler:clamp_to_edge,nearest,normalized".to_owned(),
        ParameterKind::Unknown => "i32:0".to_owned(),
    };
    format!("{key}={value}")
}

/// Returns the number type of a buffer: that of the source, or that of the given contents.
fn scalar(parameter: &Parameter, given: &[(ArgKey, ArgSpec)]) -> Scalar {
    let of_spec =
        given.iter().find(|(key, _)| key.is(parameter.index, &parameter.name)).and_then(|(_, spec)| match spec {
            ArgSpec::Pattern(pattern) => Some(pattern.scalar),
            ArgSpec::Image(image) => {
                TEXELS.iter().find(|(end, _)| image.format.ends_with(end)).map(|(_, scalar)| *scalar)
            }
            _ => None,
        });
    Scalar::of_source(&parameter.type_name).map(|(scalar, _)| scalar).or(of_spec).unwrap_or(Scalar::U32)
}

/// Number types of an image's components, by the end of the format's name.
const TEXELS: [(&str, Scalar); 4] =
    [("32f", Scalar::F32), ("16f", Scalar::F16), ("8unorm", Scalar::U8), ("8uint", Scalar::U8)];

/// Refuses arguments that come from files, which a page does not have.
fn refuse_file(text: &str, mut spec: ArgSpec) -> Result<(), Box<Diagnostic>> {
    match spec.path_mut() {
        None => Ok(()),
        Some(_) => {
            let help = "give the contents, such as bytes:HEX or range:f32:64";
            Err(Box::new(wrong("argument-kind", &format!("`{text}` names a file, which a page cannot read"), help)))
        }
    }
}

/// Refuses launches that are too large for a page.
fn limit(range: &NdRange, arguments: &[Option<Argument>]) -> Result<(), Box<Diagnostic>> {
    if range.items() > ITEMS {
        let message = format!("the launch has {} work items; the page runs at most {ITEMS}", range.items());
        return Err(wrong("launch-size", &message, "use a smaller global size, or the command `visa run`").into());
    }
    let bytes = arguments.iter().flatten().map(|argument| match argument {
        Argument::Buffer(bytes) | Argument::Undefined(bytes) => bytes.len(),
        Argument::Image(image) => image.texels.len(),
        _ => 0,
    });
    let bytes: usize = bytes.sum();
    if bytes > BUFFER_BYTES {
        let message = format!("the buffers have {bytes} bytes; the page takes at most {BUFFER_BYTES}");
        return Err(wrong("launch-size", &message, "use smaller buffers, or the command `visa run`").into());
    }
    Ok(())
}

fn wrong(code: &'static str, message: &str, help: &str) -> Diagnostic {
    Diagnostic::new(code, Severity::Error, "launch", message).help(help)
}
