//! Installed offline compilers of the vendor: discovery, selection by device, and invocation.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::LazyLock;

use serde::Serialize;
use visakit::isa::Platform;
use visakit_diag::{Diagnostic, Severity};
use visakit_zebin::ocloc::{self, SECONDS_VARIABLE, product_of};

use crate::unfinished::Unfinished;

/// Name of the compiler's program. Debian's packages also install `ocloc-VERSION`.
const PROGRAM: &str = "ocloc";
/// Environment variable that lists programs to use instead of those on the path.
const VARIABLE: &str = "VISAKIT_OCLOC";
/// Prefix of the files in which the dynamic linker lists the libraries of a compiler.
const LINKER_LOG: &str = "linker";

/// An installed compiler.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    /// Path of the program.
    pub(crate) program: PathBuf,
    /// Devices listed in the program's help text.
    pub(crate) devices: Vec<String>,
}

/// Release numbers of a compiler.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Release {
    /// Path of the program, as found.
    pub(crate) program: String,
    /// Version of `ocloc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// Version of IGC, the back end, that a build loaded. `None` if no build ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) back_end: Option<String>,
}

/// Result of one compiler run: written files and output.
#[derive(Debug)]
pub(crate) struct Run {
    /// True if the exit status was 0.
    pub(crate) is_success: bool,
    /// New files in the working folder, with their contents.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Text printed to both streams.
    pub(crate) log: String,
    /// Library of the back end, as the dynamic linker found it.
    pub(crate) back_end: Option<PathBuf>,
}

/// Returns the installed compilers in order of preference: `ocloc` in the order of the path, then
/// `ocloc-VERSION`, newest first.
pub(crate) fn installed() -> &'static [Compiler] {
    static INSTALLED: LazyLock<Vec<Compiler>> = LazyLock::new(|| {
        let mut programs: Vec<PathBuf> = Vec::new();
        let mut seen = Vec::new();
        for program in candidates() {
            let Ok(file) = program.canonicalize() else { continue };
            if file.is_file() && !seen.contains(&file) {
                seen.push(file);
                // The path must be absolute, because the compiler runs in other folders.
                programs.push(std::path::absolute(&program).unwrap_or(program));
            }
        }
        programs.into_iter().filter_map(Compiler::ask).collect()
    });
    &INSTALLED
}

fn candidates() -> Vec<PathBuf> {
    if let Some(list) = std::env::var_os(VARIABLE) {
        return std::env::split_paths(&list).filter(|program| !program.as_os_str().is_empty()).collect();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let mut versioned: Vec<_> = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.filter_map(Result::ok))
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with("ocloc-")))
        .map(|entry| entry.path())
        .collect();
    versioned.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
    folders.iter().map(|folder| folder.join(PROGRAM)).chain(versioned).collect()
}

/// Returns the compilers to try for `device`, each with its own name for the device.
///
/// Compilers that list the device come first. If no compiler lists the name, all compilers are
/// tried in turn. The name may be a device id, or a device that only an older compiler knows.
pub(crate) fn for_device(device: &str) -> Vec<(&'static Compiler, String)> {
    let listed = installed().iter().filter_map(|compiler| Some((compiler, compiler.name_of(device)?)));
    let listed: Vec<_> = listed.collect();
    if listed.is_empty() {
        return installed().iter().map(|compiler| (compiler, device.to_owned())).collect();
    }
    listed
}

/// Returns the default device: the first platform of [`Platform::preferred`] that a compiler
/// supports.
pub(crate) fn default_device(images: bool) -> Option<&'static str> {
    let product =
        |platform| installed().iter().find_map(|compiler: &'static Compiler| product_of(platform, &compiler.devices));
    Platform::preferred(images).find_map(product)
}

/// Returns the error reported when no compiler is installed.
pub(crate) fn missing(file: String) -> Diagnostic {
    let message = match std::env::var_os(VARIABLE) {
        Some(list) => format!("{VARIABLE} lists no `{PROGRAM}` that runs: {}", list.display()),
        None => format!("no compiler is installed: `{PROGRAM}` is not on the path"),
    };
    Diagnostic::new("compiler-missing", Severity::Error, file, message).help(ocloc::INSTALL)
}

impl Compiler {
    /// Reads the help text of a program. Returns `None` if the program is not a compiler.
    fn ask(program: PathBuf) -> Option<Self> {
        let output = Command::new(&program).args(["compile", "--help"]).stdin(Stdio::null()).output().ok()?;
        let devices = ocloc::devices(&String::from_utf8_lossy(&output.stdout));
        (!devices.is_empty()).then_some(Self { program, devices })
    }

    /// Returns the compiler's name for the device that a user named: the same word, or a product of
    /// that platform.
    fn name_of(&self, device: &str) -> Option<String> {
        let has = |name: &str| self.devices.iter().any(|known| known.eq_ignore_ascii_case(name));
        let is_listed = device.split([',', ':']).filter(|part| !part.is_empty()).all(has);
        if is_listed && !device.is_empty() {
            return Some(device.to_ascii_lowercase());
        }
        product_of(Platform::from_name(device)?, &self.devices).map(str::to_owned)
    }

    /// Runs the compiler in `folder` for at most `seconds` of processor time. Nothing else may
    /// change the folder during the run.
    ///
    /// # Errors
    /// Fails if the program cannot be started or its files cannot be read.
    pub(crate) fn run<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        arguments: &[S],
        seconds: Option<u64>,
    ) -> std::io::Result<Run> {
        let names = |folder: &Path| -> std::io::Result<Vec<String>> {
            let entries = std::fs::read_dir(folder)?.filter_map(Result::ok);
            let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort();
            Ok(names)
        };
        let before = names(folder)?;
        // The dynamic linker of glibc lists the back end that it loads. On other systems the
        // variables have no effect.
        let mut command = limited(&self.program, seconds);
        command.env("LD_DEBUG", "files").env("LD_DEBUG_OUTPUT", folder.join(LINKER_LOG));
        let output = command.current_dir(folder).args(arguments).stdin(Stdio::null()).output()?;
        let mut log = String::from_utf8_lossy(&output.stdout).into_owned();
        log += &String::from_utf8_lossy(&output.stderr);
        if seconds.is_some() && is_out_of_time(output.status) {
            let _ = write!(
                log,
                "\nthe compiler was stopped: it exceeded the limit of processor \
             time ({SECONDS_VARIABLE})"
            );
        }
        let (mut files, mut back_end) = (Vec::new(), None);
        for name in names(folder)?.into_iter().filter(|name| !before.contains(name)) {
            let path = folder.join(&name);
            if name.starts_with(LINKER_LOG) {
                let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
                back_end = back_end.or_else(|| last_back_end(&text));
            } else if path.is_file() {
                files.push((name, std::fs::read(path)?));
            }
        }
        Ok(Run { is_success: output.status.success(), files, log, back_end })
    }

    /// Queries the version of `ocloc`.
    pub(crate) fn version(&self) -> Option<String> {
        const QUERY: &str = "OCL_DRIVER_VERSION";
        let (folder, _unfinished) = Unfinished::make(tempfile::tempdir, |folder| folder.path()).ok()?;
        let run = self.run(folder.path(), &["query", QUERY], None).ok()?;
        let (_, bytes) = run.files.into_iter().find(|(name, _)| name == QUERY)?;
        let text = String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Returns the release numbers of `ocloc` and of the back end that a run loaded.
    pub(crate) fn release(&self, back_end: Option<&Path>) -> Release {
        Release {
            program: self.program.display().to_string(),
            version: self.version(),
            back_end: back_end.and_then(ocloc::back_end_version),
        }
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let unknown = "of unknown version";
        write!(
            f,
            "ocloc {}, IGC {}",
            self.version.as_deref().unwrap_or(unknown),
            self.back_end.as_deref().unwrap_or(unknown)
        )?;
        write!(f, " ({})", self.program)
    }
}

/// Returns a command for a program, with a limit on processor time if the system supports such
/// limits.
fn limited(program: &Path, seconds: Option<u64>) -> Command {
    let Some(seconds) = seconds.filter(|_| cfg!(unix)) else { return Command::new(program) };
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t \"$0\"; exec \"$@\""]).arg(seconds.to_string()).arg(program);
    command
}

/// Returns true if the process was ended by its limit on processor time.
#[cfg(unix)]
fn is_out_of_time(status: ExitStatus) -> bool {
    use signal_hook::consts::{SIGKILL, SIGXCPU};
    use std::os::unix::process::ExitStatusExt as _;
    // A shell reports a program ended by a signal as exit code 128 plus the signal's number.
    let signal = status.signal().or(status.code().map(|code| code - 128));
    matches!(signal, Some(SIGXCPU | SIGKILL))
}

#[cfg(not(unix))]
fn is_out_of_time(_: ExitStatus) -> bool {
    false
}

/// Returns the back end's library that the dynamic linker initialised last.
fn last_back_end(linker: &str) -> Option<PathBuf> {
    let loaded = linker.lines().filter_map(|line| line.split_once("calling init: ")).map(|(_, path)| path.trim());
    loaded.rev().find(|path| path.contains("/libigc.so")).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_as_the_compiler_knows_them() {
        let devices = ["tgllp", "bmg", "mtl-u", "xe2"].map(str::to_owned).to_vec();
        let compiler = Compiler { program: PathBuf::new(), devices };
        let name = |device| compiler.name_of(device);
        assert_eq!(name("mtl-u").as_deref(), Some("mtl-u"));
        assert_eq!(name("BMG").as_deref(), Some("bmg"));
        assert_eq!(name("tgllp,bmg").as_deref(), Some("tgllp,bmg"));
        assert_eq!(name("tgl").as_deref(), Some("tgllp"));
        assert_eq!((name("skl"), name("0x56a0"), name("")), (None, None, None));
    }

    #[test]
    fn the_back_end_is_the_one_loaded_last() {
        let text = "  12:\tcalling init: /lib/libocloc.so\n  12:\tcalling init: /lib/libigc.so.2\n 12:\tcalling init: \
                    /old/libigc.so.1\n";
        assert_eq!(last_back_end(text), Some(PathBuf::from("/old/libigc.so.1")));
        assert_eq!(last_back_end("calling init: /lib/libigdfcl.so.1"), None);
    }
}
