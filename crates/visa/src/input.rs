//! Input files: detection by content, and the vISA programs in them.

use std::path::Path;

use visakit::isa::Platform;
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::run::Program;
use visakit_wasm::kind::Kind;
use visakit_wasm::module::of_zebin;
pub(crate) use visakit_wasm::module::{Content, Module};
use visakit_zebin::Zebin;

use crate::io::{read, shown};
use crate::recompile::{can_recompile, recompile};
use crate::report::{Findings, problem};
use crate::zebins::zebins;

/// Selection of programs in a file.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Selection {
    /// Use only this kernel or function of a zebin or an archive
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The platform, if the file does not name it; it determines the register size. Selects the
    /// programs of an archive. A file without vISA is compiled for this platform from its SPIR-V
    #[arg(long, value_name = "NAME", value_parser = Device::from_name, visible_alias = "device")]
    pub(crate) platform: Option<Device>,
}

/// Platform as the user named it; the name may stand for one of several products.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    name: String,
    platform: Platform,
}

impl Device {
    fn from_name(name: &str) -> Result<Self, String> {
        Ok(Self { name: name.to_owned(), platform: crate::platform::platform(name)? })
    }
}

impl Selection {
    /// Returns the platform that the user named.
    pub(crate) fn platform(&self) -> Option<Platform> {
        self.platform.as_ref().map(|device| device.platform)
    }
}

/// Returns the vISA programs of a file or of standard input: at least one.
///
/// # Errors
/// Fails if the file cannot be read, has no program, or lacks the selected one.
pub(crate) fn modules(path: &Path, selection: &Selection) -> Result<Vec<Module>, Findings> {
    let bytes = read(path)?;
    let kind = Kind::of(path, &bytes);
    let all = modules_of(path, kind, bytes, selection.platform.as_ref())?;
    let Some(wanted) = selection.kernel.as_deref() else { return Ok(all) };
    if !matches!(kind, Kind::Zebin | Kind::Archive | Kind::Spirv) {
        let message = format!("the file is {}", kind.name());
        let found = Diagnostic::new("usage-kernel", Severity::Error, "--kernel", message);
        return Err(found.help("`--kernel` selects a kernel of a zebin or archive; leave it out").into());
    }
    let names = names(&all);
    let chosen: Vec<_> = all.into_iter().filter(|module| module.name.as_deref() == Some(wanted)).collect();
    if chosen.is_empty() {
        let found = problem("kernel-unknown", path, format!("the file has no kernel `{wanted}`"));
        return Err(found.help(format!("its kernels are {names}")).into());
    }
    Ok(chosen)
}

/// Returns the vISA programs of a file that was already read. An archive is filtered by device. A
/// container without vISA is compiled from its SPIR-V.
///
/// # Errors
/// Fails if the file has no program.
pub(crate) fn modules_of(
    path: &Path,
    kind: Kind,
    bytes: Vec<u8>,
    device: Option<&Device>,
) -> Result<Vec<Module>, Findings> {
    match kind {
        Kind::Object | Kind::Text => Ok(visakit_wasm::module::modules(&shown(path, "stdin"), kind, bytes)?),
        Kind::Zebin | Kind::Archive | Kind::Spirv => {
            let given = zebins(path, &bytes)?;
            let mut all: Vec<_> = given.iter().flat_map(of_zebin).collect();
            let platform = device.filter(|_| kind == Kind::Archive).map(|device| device.platform);
            all.retain(|module| platform.is_none() || module.platform == platform);
            if !all.is_empty() {
                return Ok(all);
            }
            let has_texts = given.iter().any(|zebin| !zebin.texts.is_empty());
            if let Some(platform) = platform.filter(|_| has_texts && !can_recompile(&bytes)) {
                return Err(no_program_for(path, platform, &given).into());
            }
            let compiled = recompile(path, &bytes, device.map(|device| device.name.as_str()), None)?;
            Ok(compiled.iter().flat_map(of_zebin).collect())
        }
        Kind::Other(_) => {
            let help = "give a text (.visaasm), an object (.isa), a zebin or an archive of zebins";
            Err(wrong_kind(path, kind, help).into())
        }
    }
}

/// Returns the only vISA program of a file.
///
/// # Errors
/// As [`modules`], and fails if there are several programs.
pub(crate) fn module(path: &Path, selection: &Selection) -> Result<Module, Findings> {
    let mut all = modules(path, selection)?;
    match all.pop() {
        Some(only) if all.is_empty() => Ok(only),
        last => {
            all.extend(last);
            let found = problem("kernel-ambiguous", path, format!("the file has {} programs", all.len()));
            Err(found
                .help(format!("name one with `--kernel`, or a platform with `--platform`: {}", names(&all)))
                .into())
        }
    }
}

/// Creates the error for a file of the wrong kind.
pub(crate) fn wrong_kind(path: &Path, kind: Kind, help: &str) -> Diagnostic {
    problem("file-kind", path, format!("this is {}", kind.name())).help(help)
}

/// Creates the error for an archive that has no program for a platform.
pub(crate) fn no_program_for(path: &Path, platform: Platform, zebins: &[Zebin]) -> Diagnostic {
    let mut names: Vec<_> = zebins.iter().filter_map(Program::platform_of).map(Platform::name).collect();
    names.dedup();
    let message = format!("the archive has no program for {}", platform.name());
    problem("archive-platform", path, message).help(format!("it has {}", names.join(", ")))
}

fn names(all: &[Module]) -> String {
    let name = |module: &Module| module.name.clone().unwrap_or_else(|| module.file.clone());
    all.iter().map(name).collect::<Vec<_>>().join(", ")
}
