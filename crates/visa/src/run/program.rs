//! Program of a launch: detects the kind of its file and selects the kernel.

use std::path::Path;

use visakit::isa::Platform;
use visakit::object::{Object, Routine, RoutineKind};
use visakit::text;
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::check::prelude;
use visakit_emulator::launch::data::ProgramData;
use visakit_emulator::run::{FunctionText, Program};
use visakit_zebin::Zebin;
use visakit_zebin::info::{ExecutionEnv, KernelInfo};

use crate::compile::{compile, compile_behind};
use crate::io::{is_stream, note, read, shown};
use crate::kind::Kind;
use crate::launch::request::Request;
use crate::recompile::{can_recompile, recompile};
use crate::report::{Findings, object_problem, problem};
use crate::zebins::{zebins, zebins_of};

/// Reads the program and the layout of its arguments.
pub(super) fn load(request: &Request) -> Result<Program, Findings> {
    let Some(path) = &request.program else {
        let finding = Diagnostic::new("usage", Severity::Error, "visa run", "no program is given");
        return Err(finding.help("name a zebin, or a launch file with --launch; see visa run --help").into());
    };
    let kernel = request.kernel.as_deref();
    let is_named = |name: &str| path.extension().is_some_and(|extension| extension == name);
    if is_named("cl") {
        let options = with_lines(request.options.as_deref().unwrap_or_default());
        let device = request.platform.as_deref();
        let checks_race = request.check.is_some_and(|checks| checks.race);
        // If a source does not compile with the prelude of the checks, it is compiled without the
        // prelude.
        let followed = || compile_behind(path, device, Some(&options), prelude).ok();
        let built = match if checks_race && !is_stream(path) { followed() } else { None } {
            Some(built) => built,
            None => compile(path, device, Some(&options))?,
        };
        if device.is_none() {
            note(&format!("note: compiled for {}; --device selects another device", built.device));
        }
        return of_compiled(path, &zebins_of(path, &built.bytes)?, request);
    }
    let bytes = read(path)?;
    let kind = Kind::of(path, &bytes);
    if is_without_visa(path, kind, &bytes, request)? {
        let device = request.platform.as_deref();
        let built = recompile(path, &bytes, device, request.options.as_deref())?;
        return of_compiled(path, &built, request);
    }
    let platform = request.platform.as_deref();
    let platform = platform.map(|name| crate::platform::platform_of_option("--platform", name)).transpose()?;
    if kind == Kind::Zebin {
        let zebin = Zebin::parse(&shown(path, "stdin"), &bytes)?;
        let platform = platform.or(Program::platform_of(&zebin)).unwrap_or_else(default_platform);
        return Ok(Program::from_zebin(&zebin, kernel, Some(platform))?);
    }
    if kind == Kind::Archive {
        return from_archive(path, &bytes, kernel, platform);
    }
    let layout = match &request.zebin {
        Some(path) => Some(Zebin::parse(&shown(path, "stdin"), &read(path)?)?),
        None => None,
    };
    let platform = platform.or(layout.as_ref().and_then(Program::platform_of));
    if kind == Kind::Object || is_named("isa") {
        from_object(path, &bytes, layout.as_ref(), kernel, platform)
    } else if is_named("visaasm") || begins_as_text(&bytes) {
        from_text(path, bytes, layout.as_ref(), kernel, platform)
    } else {
        let what = if let Kind::Other(name) = kind { name } else { "a text of an unknown kind" };
        let message = format!("this is {what}, not a zebin, a vISA text or a vISA object");
        let finding = problem("program-kind", path, message);
        Err(finding
            .help("give a zebin, a vISA text or object, or OpenCL C in a file whose name ends in `.cl`")
            .into())
    }
}

/// Returns the program for the device that the user named: the first zebin that can be run.
fn of_compiled(path: &Path, zebins: &[Zebin], request: &Request) -> Result<Program, Findings> {
    let named = request.platform.as_deref().and_then(Platform::from_name);
    let platform = |zebin: &Zebin| Program::platform_of(zebin).or(named);
    let runs = zebins.iter().find(|zebin| platform(zebin).is_some_and(Platform::emulated));
    let Some(zebin) = runs.or(zebins.first()) else {
        return Err(problem("compile", path, "the compiler wrote no program").into());
    };
    Ok(Program::from_zebin(zebin, request.kernel.as_deref(), platform(zebin))?)
}

/// Returns true if a file must be compiled first: it holds SPIR-V but no vISA, or an archive
/// without vISA for the platform.
fn is_without_visa(path: &Path, kind: Kind, bytes: &[u8], request: &Request) -> Result<bool, Findings> {
    if !matches!(kind, Kind::Zebin | Kind::Archive | Kind::Spirv) {
        return Ok(false);
    }
    let zebins = zebins(path, bytes)?;
    let named = request.platform.as_deref().filter(|_| kind == Kind::Archive).and_then(Platform::from_name);
    let is_wanted = |zebin: &&Zebin| named.is_none() || Program::platform_of(zebin) == named;
    let wanted: Vec<_> = zebins.iter().filter(is_wanted).collect();
    if wanted.is_empty() && !zebins.is_empty() {
        return Ok(can_recompile(bytes));
    }
    Ok(wanted.iter().all(|zebin| zebin.texts.is_empty()))
}

/// Compiles the source without optimisations if checks are requested. Bugs that the optimiser
/// exploits, such as reads of unwritten values, are still visible in this program. Returns `None`
/// if it cannot be compiled.
pub(super) fn unoptimised(request: &Request) -> Option<Program> {
    const PLAIN: &str = "-cl-opt-disable";
    let is_source = request.program.as_ref()?.extension().is_some_and(|extension| extension == "cl");
    let options = request.options.as_deref().unwrap_or_default();
    let wanted = request.check.is_some() && is_source && !options.contains(PLAIN);
    wanted.then_some(())?;
    load(&Request { options: Some(format!("{PLAIN} {options}")), ..request.clone() }).ok()
}

/// Returns true if the first line that is not a comment is the directive `.version` of vISA texts.
fn begins_as_text(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty() && !line.starts_with(b"//")).is_some_and(|line| line.starts_with(b".version"))
}

/// Adds the compiler option that records source lines.
fn with_lines(options: &str) -> String {
    let says = options.split_whitespace().any(|word| word.starts_with("-g"));
    if says { options.to_owned() } else { format!("-g {options}") }
}

fn default_platform() -> Platform {
    note(&format!(
        "note: the file does not name its platform; {} is assumed, --platform selects another",
        Platform::default().name()
    ));
    Platform::default()
}

/// Returns the program for a platform from an archive of zebins. Without a platform, the archive
/// must have programs for one platform only.
fn from_archive(
    path: &Path,
    bytes: &[u8],
    kernel: Option<&str>,
    platform: Option<Platform>,
) -> Result<Program, Findings> {
    let zebins: Vec<_> = zebins(path, bytes)?.into_iter().filter(|zebin| !zebin.texts.is_empty()).collect();
    let mut names: Vec<_> = zebins.iter().filter_map(Program::platform_of).map(Platform::name).collect();
    names.dedup();
    // Devices of one platform have the same vISA, so the first match is used.
    let mut wanted = zebins.iter().filter(|zebin| platform.is_none() || Program::platform_of(zebin) == platform);
    match wanted.next() {
        Some(zebin) if platform.is_some() || names.len() < 2 => Ok(Program::from_zebin(zebin, kernel, platform)?),
        _ => {
            let message = match platform {
                Some(platform) => format!("the archive has no program for {}", platform.name()),
                None => "the archive has programs for several platforms".to_owned(),
            };
            let help = format!("select one with --platform: {}", names.join(", "));
            Err(problem("archive-platform", path, &message).help(help).into())
        }
    }
}

fn from_text(
    path: &Path,
    bytes: Vec<u8>,
    layout: Option<&Zebin>,
    kernel: Option<&str>,
    platform: Option<Platform>,
) -> Result<Program, Findings> {
    let file = shown(path, "stdin");
    let text = String::from_utf8(bytes)
        .map_err(|e| problem("program-text", path, "is no text").at_offset(e.utf8_error().valid_up_to() as u64))?;
    let platform = platform.unwrap_or_else(default_platform);
    let options = text::Options { file: file.clone(), platform: Some(platform) };
    let parsed = text::parse(&text, options)?;
    let info = layout_of(path, &parsed.routine, layout, kernel)?;
    let names = names_of(layout, &info);
    let (routine, lines) = (parsed.routine, parsed.lines);
    let data = data_of(layout);
    let functions = Vec::new();
    let implicit = layout.map(Program::implicit_of).transpose()?.unwrap_or_default();
    Ok(Program { file, text: Some(text), routine, lines, functions, info, names, data, platform, implicit })
}

fn from_object(
    path: &Path,
    bytes: &[u8],
    layout: Option<&Zebin>,
    kernel: Option<&str>,
    platform: Option<Platform>,
) -> Result<Program, Findings> {
    let object = Object::decode(bytes).map_err(|e| object_problem(path, e))?;
    let platform = platform.or_else(|| object.platform()).unwrap_or_else(default_platform);
    let named = |name: &str| object.kernels.iter().find(|kernel| kernel.routine.name() == name);
    // The compiler may name the only kernel of an object `kernel`; the layout has its real name.
    let chosen = match (object.kernels.as_slice(), kernel.and_then(named)) {
        (_, Some(kernel)) => kernel,
        ([only], None) if kernel.is_none() || layout.is_some() => only,
        (kernels, None) => {
            let names: Vec<_> = kernels.iter().map(|kernel| kernel.routine.name()).collect();
            let finding = problem("kernel-unknown", path, "the file has no such kernel, or it has several kernels");
            return Err(finding.help(format!("select one with --kernel: {}", names.join(", "))).into());
        }
    };
    let info = layout_of(path, &chosen.routine, layout, kernel)?;
    let names = names_of(layout, &info);
    let file = shown(path, "stdin");
    let (routine, data) = (chosen.routine.clone(), data_of(layout));
    let functions = object.functions.iter().map(|function| FunctionText {
        file: file.clone(),
        text: None,
        routine: function.routine.clone(),
        lines: Vec::new(),
    });
    let functions = functions.collect();
    let implicit = layout.map(Program::implicit_of).transpose()?.unwrap_or_default();
    let lines = Vec::new();
    Ok(Program { file, text: None, routine, lines, functions, info, names, data, platform, implicit })
}

fn data_of(layout: Option<&Zebin>) -> ProgramData {
    layout.map(ProgramData::of).unwrap_or_default()
}

fn names_of(layout: Option<&Zebin>, info: &KernelInfo) -> Option<visakit_zebin::info::KernelMiscInfo> {
    layout?.info.kernels_misc_info.iter().find(|misc| misc.name == info.name).cloned()
}

/// Returns the layout of a kernel's arguments. A kernel without inputs needs only its SIMD width,
/// which its own attributes hold.
fn layout_of(
    path: &Path,
    routine: &Routine,
    layout: Option<&Zebin>,
    kernel: Option<&str>,
) -> Result<KernelInfo, Findings> {
    if routine.kind != RoutineKind::Kernel {
        let finding = problem("program-kind", path, "this is a function, not a kernel");
        return Err(finding.help("give a file that has a kernel").into());
    }
    if let Some(zebin) = layout {
        return Ok(zebin.kernel_info(kernel).cloned()?);
    }
    if !routine.inputs.is_empty() {
        let finding = problem(
            "launch-layout",
            path,
            "the file does not describe where the \
         kernel's arguments are placed",
        );
        return Err(finding.help("give the zebin of the same kernel with --zebin").into());
    }
    let simd_size = routine.attribute(visakit::isa::attribute::SIMD_SIZE).unwrap_or(1);
    let execution_env = ExecutionEnv { simd_size, ..ExecutionEnv::default() };
    Ok(KernelInfo { name: routine.name(), execution_env, ..KernelInfo::default() })
}
