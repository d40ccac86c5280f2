//! Program of a launch: detects the kind of its file and selects the kernel.

use std::path::Path;

use visakit::isa::Platform;
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::check::prelude;
use visakit_emulator::run::Program;
use visakit_emulator::run::load::{self, Selection};
use visakit_wasm::kind::Kind;
use visakit_zebin::Zebin;

use crate::compile::{compile, compile_behind};
use crate::io::{is_stream, note, read, shown};
use crate::launch::request::Request;
use crate::recompile::{can_recompile, recompile};
use crate::report::{Findings, problem};
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
    let file = shown(path, "stdin");
    if is_without_visa(path, kind, &bytes, request)? {
        let device = request.platform.as_deref();
        let built = recompile(path, &bytes, device, request.options.as_deref())?;
        return of_compiled(path, &built, request);
    }
    let platform = request.platform.as_deref();
    let platform = platform.map(|name| crate::platform::platform_of_option("--platform", name)).transpose()?;
    if kind == Kind::Zebin {
        let zebin = Zebin::parse(&file, &bytes)?;
        let platform = platform.or(Program::platform_of(&zebin)).unwrap_or_else(default_platform);
        return Ok(Program::from_zebin(&zebin, kernel, Some(platform))?);
    }
    if kind == Kind::Archive {
        return Ok(load::from_zebins(&file, &zebins(path, &bytes)?, kernel, platform)?);
    }
    let layout = match &request.zebin {
        Some(path) => Some(Zebin::parse(&shown(path, "stdin"), &read(path)?)?),
        None => None,
    };
    let platform = platform.or(layout.as_ref().and_then(Program::platform_of));
    let given: Vec<_> = request.arguments.iter().chain(&request.defaults).cloned().collect();
    let selection = Selection { layout: layout.as_ref(), given: &given, kernel, platform, assume: default_platform };
    if kind == Kind::Object || is_named("isa") {
        Ok(load::from_object(&file, &bytes, selection)?)
    } else if is_named("visaasm") || begins_as_text(&bytes) {
        Ok(load::from_text(&file, bytes, selection)?)
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
