//! Settings from environment variables, read once.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use visakit_emulator::check::Checks;
use visakit_emulator::launch::TextError;
use visakit_emulator::run::Engine;

use crate::base::say::say;

/// Settings of the process.
pub struct Environment {
    /// `VISAKIT_DEVICES`: names of the devices to list, separated by commas.
    pub devices: Option<String>,
    /// `VISAKIT_THREADS`: number of host threads per kernel.
    pub threads: Option<usize>,
    /// `VISAKIT_ENGINE`: execution engine.
    pub engine: Engine,
    /// `VISAKIT_STATS`: true to print the executed instructions of each launch.
    pub stats: bool,
    /// `VISAKIT_CHECK`: classes of bugs to check in each launch.
    pub checks: Option<Checks>,
    /// `VISAKIT_REPORT`: file to which bugs and faults are appended.
    pub report: Option<PathBuf>,
    /// `VISAKIT_RECORD`: folder in which each launch is recorded as a file.
    pub record: Option<PathBuf>,
    /// `VISAKIT_ORDERED`: true to run groups one after the other.
    pub ordered: bool,
    /// `VISAKIT_DPAS`: true to report matrix units as a device feature.
    pub dpas: bool,
    /// `VISAKIT_OPENCL`: true to report OpenCL 3.1 instead of 3.0, where devices have all of it.
    pub newest: bool,
    /// `VISAKIT_SYSTEM_MEMORY`: true if kernels may use all memory of the process.
    pub system_memory: bool,
    /// `VISAKIT_CACHE`: parent folder of the build cache; empty for no cache.
    pub cache: Option<PathBuf>,
    /// `VISAKIT_COMPILER`: programs that run the vendor's compilers, separated as in PATH.
    pub compiler: Option<OsString>,
}

/// Settings of this process.
pub static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let flag = |name: &str| text(name).is_some_and(|value| value != "0");
    let of_user = path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache")));
    let cache = match std::env::var_os("VISAKIT_CACHE") {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => of_user.map(|folder| folder.join("visakit")),
    };
    let checks = text("VISAKIT_CHECK").and_then(|list| read("VISAKIT_CHECK", &list, Checks::parse));
    let record = path("VISAKIT_RECORD");
    // Checks run on copies of all memory, and recordings contain it.
    let is_copied = checks.is_some() || record.is_some();
    let wants_system = flag("VISAKIT_SYSTEM_MEMORY");
    if wants_system && is_copied {
        say("VISAKIT_SYSTEM_MEMORY: no effect together with VISAKIT_CHECK or VISAKIT_RECORD");
    }
    Environment {
        devices: text("VISAKIT_DEVICES"),
        threads: text("VISAKIT_THREADS").and_then(|value| {
            let threads = value.parse().ok().filter(|&threads| threads > 0);
            if threads.is_none() {
                say(&format!("VISAKIT_THREADS={value}: must be a number of threads, at least 1"));
            }
            threads
        }),
        engine: text("VISAKIT_ENGINE")
            .and_then(|name| read("VISAKIT_ENGINE", &name, str::parse::<Engine>))
            .unwrap_or_default(),
        stats: flag("VISAKIT_STATS"),
        checks,
        report: path("VISAKIT_REPORT"),
        record,
        ordered: flag("VISAKIT_ORDERED"),
        dpas: flag("VISAKIT_DPAS"),
        newest: text("VISAKIT_OPENCL").is_some_and(|version| {
            if !["3.0", "3.1"].contains(&version.as_str()) {
                say(&format!("VISAKIT_OPENCL={version}: must be 3.0 or 3.1"));
            }
            version == "3.1"
        }),
        system_memory: wants_system && !is_copied,
        cache,
        compiler: std::env::var_os("VISAKIT_COMPILER").filter(|list| !list.is_empty()),
    }
});

/// Parses the value of a variable. An invalid value is reported and ignored.
fn read<T>(variable: &str, text: &str, parse: impl FnOnce(&str) -> Result<T, TextError>) -> Option<T> {
    parse(text).map_err(|error| say(&format!("{variable}={text}: {error}; {}", error.help))).ok()
}
