//! Installed compilers of the vendor, and the selection of one for a device.
//!
//! Each compiler is a library that runs in a separate process of `visakit-oclc`. The program is the
//! one next to this library, or one of those that `VISAKIT_COMPILER` lists.

use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use visakit::isa::Platform;
use visakit_zebin::ocloc;

use crate::base::environment::ENVIRONMENT;
use crate::vendor::dependency;
use crate::vendor::process;
use crate::vendor::request::Installed;

/// Name of the program that runs a compiler; it is installed next to the library.
const PROGRAM: &str = "visakit-oclc";

/// Installed compiler.
pub struct Compiler {
    /// Path of the program that runs the compiler.
    pub program: PathBuf,
    /// Library, versions and devices.
    pub installed: Installed,
    /// Devices that the compiler builds for.
    devices: Vec<String>,
}

/// Installed compilers in order of preference.
static COMPILERS: LazyLock<Vec<Compiler>> = LazyLock::new(|| {
    let listed = ENVIRONMENT.compiler.as_ref().map(|list| std::env::split_paths(list).collect::<Vec<_>>());
    let programs = listed.unwrap_or_else(|| beside().into_iter().collect());
    programs.into_iter().flat_map(|program| ask(&program)).collect()
});

/// Returns the compilers that a program can run.
fn ask(program: &Path) -> Vec<Compiler> {
    let mut command = Command::new(program);
    command.arg("--check");
    let answer = process::output(command).ok();
    let installed = answer.and_then(|answer| Installed::read(&answer).ok()).unwrap_or_default();
    let compiler = |installed: Installed| {
        let devices = ocloc::devices(&installed.help);
        Compiler { program: program.to_owned(), installed, devices }
    };
    installed.into_iter().map(compiler).collect()
}

/// Returns the compiler for a platform, and its name of a device of that platform.
pub fn of(target: Platform) -> Option<(&'static Compiler, &'static str)> {
    let own = |compiler: &'static Compiler| {
        compiler.devices.iter().find(|device| Some(device.as_str()) == target.device().map(|device| device.name()))
    };
    COMPILERS.iter().find_map(|compiler| {
        let device = own(compiler).map(String::as_str);
        Some((compiler, device.or_else(|| ocloc::product_of(target, &compiler.devices))?))
    })
}

impl Compiler {
    /// Returns the identity of this compiler's builds: its files, and the vendor's settings in the
    /// environment.
    pub fn identity(&self) -> String {
        let mut text = format!("{}\n{:?}\n", self.program.display(), dependency::stamp(&self.program));
        text += &format!("{:?}\n", self.installed);
        let mut settings: Vec<_> = std::env::vars_os().collect();
        settings.retain(|(name, _)| {
            name.to_str().is_some_and(|name| ["IGC_", "NEO"].iter().any(|first| name.starts_with(first)))
        });
        settings.sort_unstable();
        text + &format!("{settings:?}\n")
    }

    /// Returns true for releases of 2025 and later, the compilers for new devices. The version of
    /// `ocloc` begins with its year.
    pub fn is_newer(&self) -> bool {
        let year = self.installed.version.split('.').next().and_then(|year| year.parse().ok());
        year.is_some_and(|year: u32| year >= 25)
    }

    /// Returns the versions of the compiler that are known without a build.
    pub fn version(&self) -> String {
        let Installed { version, back_end, .. } = &self.installed;
        if back_end.is_empty() { format!("ocloc {version}") } else { format!("ocloc {version}, IGC {back_end}") }
    }
}

/// Returns the program next to this library, or in the parent folder.
fn beside() -> Option<PathBuf> {
    let library = own_file()?;
    let folders = library.parent().into_iter().chain(library.parent().and_then(Path::parent));
    folders.map(|folder| folder.join(PROGRAM)).find(|path| path.is_file())
}

/// Returns the file that contains this code.
fn own_file() -> Option<PathBuf> {
    // SAFETY: all fields may be zero.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the function fills in the structure for any address; the name lives as long as this
    // library.
    let name = unsafe {
        match libc::dladdr(own_file as *const c_void, &mut found) {
            0 => return None,
            _ => CStr::from_ptr(found.dli_fname),
        }
    };
    PathBuf::from(name.to_str().ok()?).canonicalize().ok()
}
