//! Recompilation of programs without vISA, which compilers produce by default: the installed
//! compiler compiles their SPIR-V again.

use std::path::Path;

use visakit::isa::Platform;
use visakit_diag::Diagnostic;
use visakit_emulator::run::Program;
use visakit_zebin::{VISA_OPTION, Zebin, spirv};

use crate::compile::compile_module;
use crate::compiler;
use crate::io::note;
use crate::report::{Findings, problem};
use crate::zebins::{zebins, zebins_of};

/// Compiles the SPIR-V of a file for a device and prints a note on standard error.
///
/// Without a device, the platform of the file is used; if there are several, the newest one that
/// the emulator runs.
///
/// # Errors
/// Fails if the file holds no SPIR-V, or the compiler fails or is missing.
pub(crate) fn recompile(
    path: &Path,
    bytes: &[u8],
    device: Option<&str>,
    options: Option<&str>,
) -> Result<Vec<Zebin>, Findings> {
    let own = own_platform(path, bytes);
    let named = device.and_then(Platform::from_name);
    let Some(mut module) = spirv::find(bytes, named.or(own)) else { return Err(neither(path).into()) };
    let device = device.or(own.map(Platform::name));
    if let Some(options) = options {
        module.options = format!("{} {options}", module.options);
    }
    let built = compile_module(path, &module, device)?;
    let device = &built.device;
    let message = format!("{}: the file contains no vISA; its SPIR-V was compiled for {device}", path.display());
    note(&format!("note: {message} by {}", built.release()));
    zebins_of(path, &built.bytes)
}

/// Returns true if a file holds SPIR-V and a compiler is installed.
pub(crate) fn can_recompile(bytes: &[u8]) -> bool {
    spirv::find(bytes, None).is_some() && !compiler::installed().is_empty()
}

/// Returns the newest emulated platform that a file was compiled for.
fn own_platform(path: &Path, bytes: &[u8]) -> Option<Platform> {
    let zebins = zebins(path, bytes).ok()?;
    let platforms = || zebins.iter().filter_map(Program::platform_of);
    Platform::ALL
        .iter()
        .rev()
        .copied()
        .find(|platform| platform.emulated() && platforms().any(|own| own == *platform))
        .or_else(|| platforms().next())
}

fn neither(path: &Path) -> Diagnostic {
    let help = format!(
        "compile the source with `visa compile`, or with `ocloc compile … --format zebin \
         {VISA_OPTION}`; without `-exclude_ir`, the compiler also keeps the SPIR-V"
    );
    problem("zebin-no-visa", path, "the file contains neither vISA nor SPIR-V, because the compiler kept neither")
        .help(help)
}
