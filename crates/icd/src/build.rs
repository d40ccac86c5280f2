//! The vendor's compiler, as the driver calls it: in a process of its own, and not again for what was compiled before.

use std::ffi::{CStr, c_void};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use visakit::isa::Platform;
use visakit_emulator::check::prelude;

use crate::cache::Cache;
use crate::device;
use crate::environment::ENVIRONMENT;
use crate::request::{Named, Request, Response};

/// The name of the program that runs the compiler; it stands beside the library.
const PROGRAM: &str = "visakit-oclc";
/// What the compiler calls what it prints.
const LOG: &str = "stdout.log";
/// The name that outputs are asked for under. The compiler of 2022 takes it as it is; since 2023 it appends `.bin`.
const OUT: &str = "out";

/// What comes out of a build.
pub(crate) struct Built {
    /// The output, when there is one.
    pub(crate) output: Option<Vec<u8>>,
    /// What the compiler said.
    pub(crate) log: String,
}

/// What goes into a build.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// OpenCL C.
    Source(&'a [u8]),
    /// SPIR-V.
    Intermediate(&'a [u8]),
    /// Several SPIR-V modules that make one program.
    Modules(&'a [&'a [u8]]),
}

/// Whether there is a compiler.
pub(crate) fn is_available() -> bool {
    IDENTITY.is_some()
}

/// The compiler by the files that it is in, for the names of what it has made.
static IDENTITY: LazyLock<Option<String>> = LazyLock::new(|| {
    let output = Command::new(program()?).arg("--check").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
});

/// Compiles for a device into a zebin with its vISA.
pub(crate) fn compile(target: Platform, input: Input<'_>, options: &str, headers: &[Named]) -> Built {
    let device = ["-device", target.name(), "--format", "zebin"];
    let internal = ["-internal_options", &internal_options(target, options)];
    let (kind, source): (&[&str], _) = match input {
        Input::Source(text) => {
            return call_source(target, &[&device[..], &internal].concat(), text, options, headers, OUT);
        }
        Input::Intermediate(module) => (&["-spirv_input"], ("program.spv".to_owned(), module.to_vec())),
        Input::Modules(modules) => match link(modules) {
            Ok(linked) => (&["-llvm_input"], ("program.bc".to_owned(), linked)),
            Err(log) => return Built { output: None, log },
        },
    };
    call(target, &[&device[..], &internal, kind].concat(), source, options, headers, OUT)
}

/// Compiles OpenCL C into SPIR-V.
pub(crate) fn translate(target: Platform, text: &[u8], options: &str, headers: &[Named]) -> Built {
    let internal = internal_options(target, options);
    let kind = ["-device", target.name(), "-spv_only", "-internal_options", &internal];
    call_source(target, &kind, text, options, headers, "out.spv")
}

/// Compiles OpenCL C. Where races are looked for, group copies are marked, unless the source cannot be compiled so.
fn call_source(
    target: Platform,
    kind: &[&str],
    text: &[u8],
    options: &str,
    headers: &[Named],
    wanted: &str,
) -> Built {
    let is_checked = ENVIRONMENT.checks.is_some_and(|checks| checks.race);
    let prelude = if is_checked { prelude(&String::from_utf8_lossy(text)) } else { None };
    let marked = prelude.map(|prelude| call(target, kind, file_of(target, text, prelude), options, headers, wanted));
    match marked {
        Some(built) if built.output.is_some() => built,
        _ => call(target, kind, file_of(target, text, ""), options, headers, wanted),
    }
}

/// The options of the vendor's own. The compiler has pipes for every device, but tells OpenCL C 3.0 so for older ones only. Its
/// headers for that version cannot be read for a device without images, which is the compiler's mistake: there they are told that
/// it has some.
fn internal_options(target: Platform, options: &str) -> String {
    let mut internal = "-ze-opt-emit-zebin-visa-sections".to_owned();
    if options.contains("-cl-std=CL3.") {
        internal += " -cl-ext=+__opencl_c_pipes";
        if !device::has_images(target) {
            internal += ",+__opencl_c_images,+__opencl_c_read_write_images";
        }
    }
    internal
}

/// A text as a file. The compiler reads on to a zero, which must be in it. The headers, which come first, define macros of what a
/// device has not; without these lines a program that asks for a feature would be given one that does not link. Behind them come
/// the lines of checks.
fn file_of(target: Platform, text: &[u8], prelude: &str) -> Named {
    let undefined = device::untrue_macros(target).iter().map(|name| format!("#undef {name}\n")).collect::<String>();
    let first = format!("{undefined}{prelude}#line 1\n");
    // The mark of UTF-8 is one at the beginning of a file only.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    ("program.cl".to_owned(), [first.as_bytes(), text, &[0]].concat())
}

/// Options as the compiler is to take them. For older devices its headers cannot be read in OpenCL C 1.1, which is a part of 1.2.
/// That subnormal numbers may be taken for zeros is left out: it is a hint for more speed, and here kernels would be slower by far, as
/// native code knows no other mode than the one in which these numbers stay.
fn understood(target: Platform, options: &str) -> String {
    let options = options.split(' ').filter(|word| *word != "-cl-denorms-are-zero").collect::<Vec<_>>().join(" ");
    if target < Platform::Icllp { options.replace("-cl-std=CL1.1", "-cl-std=CL1.2") } else { options }
}

fn call(target: Platform, kind: &[&str], source: Named, options: &str, headers: &[Named], wanted: &str) -> Built {
    let mut arguments: Vec<String> = ["ocloc", "compile", "-file", &source.0].map(str::to_owned).to_vec();
    arguments.extend(kind.iter().map(|&argument| argument.to_owned()));
    arguments.extend(["-output", OUT, "-output_no_suffix"].map(str::to_owned));
    // Files that are included are found from the program's folder on, which is not the compiler's.
    let folder = std::env::current_dir().unwrap_or_default();
    let options = format!("{} -I {}", absolute_folders(&understood(target, options), &folder), folder.display());
    arguments.extend(["-options".to_owned(), options.trim().to_owned()]);
    // Headers end with a zero as the source does: without it the compiler reads on in what lies behind them.
    let headers = headers.iter().map(|(name, text)| (name.clone(), [text.as_slice(), &[0]].concat())).collect();
    let request = Request { arguments, sources: vec![source], headers };
    match kept(&request) {
        Ok(response) => built(&response, wanted),
        Err(log) => Built { output: None, log },
    }
}

/// Takes an output from the compiler's answer. Where the compiler reports success and the output is missing, the log says so.
fn built(response: &Response, wanted: &str) -> Built {
    let mut log = response.output(LOG).map(|log| String::from_utf8_lossy(log).into_owned()).unwrap_or_default();
    if response.code != 0 {
        return Built { output: None, log };
    }
    let output = output_of(response, wanted).map(<[u8]>::to_vec);
    if output.is_none() {
        let names: Vec<_> = response.outputs.iter().map(|(name, _)| name.as_str()).collect();
        log += &format!("error: the compiler made no file `{wanted}`; its files are: {}\n", names.join(", "));
    }
    Built { output, log }
}

/// Finds an output by the name that it was asked for under, with or without `.bin`.
fn output_of<'a>(response: &'a Response, wanted: &str) -> Option<&'a [u8]> {
    response.output(wanted).or_else(|| response.output(&format!("{wanted}.bin")))
}

/// Options in which folders of headers do not depend on where the process is.
fn absolute_folders(options: &str, from: &Path) -> String {
    let mut is_folder = false;
    let words = options.split_whitespace().map(|word| {
        let folder = if std::mem::take(&mut is_folder) { Some(word) } else { word.strip_prefix("-I") };
        is_folder = word == "-I";
        match folder.filter(|folder| !folder.is_empty() && !folder.contains('"')) {
            Some(folder) if word.starts_with("-I") => format!("-I {}", from.join(folder).display()),
            Some(folder) => from.join(folder).display().to_string(),
            None => word.to_owned(),
        }
    });
    // A definition may hold blanks between quotes; such options are left as they are.
    if options.contains('"') { options.to_owned() } else { words.collect::<Vec<_>>().join(" ") }
}

/// Links modules into one.
fn link(modules: &[&[u8]]) -> Result<Vec<u8>, String> {
    let name = |n: usize| format!("module{n}.spv");
    let mut arguments: Vec<String> = ["ocloc", "link"].map(str::to_owned).to_vec();
    arguments.extend((0..modules.len()).flat_map(|n| ["-file".to_owned(), name(n)]));
    arguments.extend(["-out", OUT, "-out_format", "LLVM_BC"].map(str::to_owned));
    let sources = modules.iter().enumerate().map(|(n, module)| (name(n), module.to_vec())).collect();
    let response = kept(&Request { arguments, sources, headers: Vec::new() })?;
    let Built { output, log } = built(&response, OUT);
    output.ok_or(log)
}

/// The answer to a request, from the cache where it is there.
fn kept(request: &Request) -> Result<Response, String> {
    let cache = ENVIRONMENT.cache.as_deref().map(Cache::new);
    let mut key = IDENTITY.clone().unwrap_or_default().into_bytes();
    key.extend(request.to_bytes());
    // Files that are included from folders may have changed: only what names none is the same again.
    let includes = request.sources.iter().any(|(_, text)| includes_files(text, &request.headers));
    let cache = cache.filter(|_| !includes);
    let found = cache.as_ref().and_then(|cache| Response::read(&mut cache.get(&key)?.as_slice()).ok());
    if let Some(found) = found {
        return Ok(found);
    }
    let response = ask(request)?;
    if let Some(cache) = cache
        && response.code == 0
    {
        cache.put(&key, &response.to_bytes());
    }
    Ok(response)
}

/// Whether a text may include files that are not in memory.
fn includes_files(text: &[u8], headers: &[Named]) -> bool {
    let has = |text: &[u8]| {
        text.windows(8).any(|word| word == b"include ") || text.windows(8).any(|word| word == b"include\"")
    };
    headers.is_empty() && has(text)
}

/// Has the compiler answer a request.
fn ask(request: &Request) -> Result<Response, String> {
    let program =
        program().ok_or_else(|| format!("{PROGRAM} is not beside the driver; VISAKIT_COMPILER names it"))?;
    // The compiler leaves files in its folder.
    let folder = Folder::new().map_err(|error| format!("no folder for the compiler: {error}"))?;
    let mut command = Command::new(&program);
    command.current_dir(&folder.0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A process that has ended early says why in what it printed.
        let _ = input.write_all(&request.to_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    Response::read(&mut output.stdout.as_slice()).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.signal() {
            Some(signal) => format!("the compiler crashed (signal {signal})\n{said}"),
            None => format!("the compiler failed\n{said}"),
        }
    })
}

/// A folder that goes away with everything in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("visakit-{}-{number}", std::process::id()));
            // It must be new, so that nobody else has put anything there; a process that was killed may have left one.
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program that runs the compiler: what the environment names, or the one beside the library or above its folder.
fn program() -> Option<PathBuf> {
    let beside = || {
        let library = own_file()?;
        let folders = library.parent().into_iter().chain(library.parent().and_then(Path::parent));
        folders.map(|folder| folder.join(PROGRAM)).find(|path| path.is_file())
    };
    ENVIRONMENT.compiler.clone().or_else(beside)
}

/// The file that this code is in.
fn own_file() -> Option<PathBuf> {
    // SAFETY: all fields may be zero.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the function fills in the structure for any address; the name lives as long as this library.
    let name = unsafe {
        match libc::dladdr(own_file as *const c_void, &mut found) {
            0 => return None,
            _ => CStr::from_ptr(found.dli_fname),
        }
    };
    PathBuf::from(name.to_str().ok()?).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_headers_are_absolute() {
        let from = Path::new("/work");
        let options = absolute_folders("-DN=1 -I inc -Isub/x -I /abs -cl-std=CL2.0", from);
        assert_eq!(options, "-DN=1 -I /work/inc -I /work/sub/x -I /abs -cl-std=CL2.0");
        assert_eq!(absolute_folders("-DT=\"a b\" -I x", from), "-DT=\"a b\" -I x");
    }

    /// `ocloc` of 2022 answers `out`, that of today `out.bin`; success without an output is not reported as success.
    #[test]
    fn outputs_have_either_name() {
        let answer = |code, files: &[&str]| {
            let file = |name: &&str| ((*name).to_owned(), b"Build succeeded.\n".to_vec());
            built(&Response { code, outputs: files.iter().map(file).collect() }, OUT)
        };
        assert!(answer(0, &["out", LOG]).output.is_some());
        assert!(answer(0, &["out.spv", "out.bin", LOG]).output.is_some());
        assert!(answer(-11, &["out", LOG]).output.is_none());
        let missing = answer(0, &["out.spv", LOG]);
        assert!(missing.output.is_none() && missing.log.contains("error") && missing.log.contains("out.spv"));
    }

    #[test]
    fn subnormal_numbers_stay() {
        assert_eq!(understood(Platform::Dg2, "-w  -cl-denorms-are-zero -DT=\"a  b\""), "-w  -DT=\"a  b\"");
    }
}
