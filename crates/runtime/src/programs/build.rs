//! Builds by the vendor's compiler in a separate process, with a cache of previous builds.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use visakit::isa::Platform;
use visakit_emulator::check::prelude;
use visakit_zebin::ocloc::{self, Completion, EMIT_VISA, INSTALL, SECONDS_VARIABLE};
use visakit_zebin::{inline, spirv};

use crate::base::environment::ENVIRONMENT;
use crate::devices::description::{self, Description};
use crate::devices::features::{CLOCK, IMAGES, PIPES, PRECOMPILED};
use crate::programs::cache::Cache;
use crate::vendor::compilers::{self, Compiler};
use crate::vendor::log::{LOG, messages};
use crate::vendor::request::{Named, Request, Response};
use crate::vendor::{dependency, pool};

/// Requested name of outputs. The compiler of 2022 uses the name unchanged; releases since 2023
/// append `.bin`.
const OUT: &str = "out";

/// Result of a build.
pub struct Built {
    /// Output, if the build succeeded.
    pub output: Option<Vec<u8>>,
    /// Log of the compiler.
    pub log: String,
}

/// Input of a build.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// OpenCL C.
    Source(&'a [u8]),
    /// SPIR-V.
    Intermediate(&'a [u8]),
    /// Several SPIR-V modules that form one program.
    Modules(&'a [&'a [u8]]),
}

/// Compiles for a device into a zebin with its vISA.
///
/// Blocks of inline vISA get unique names, because the compiler drops their scopes. Modules are
/// changed before they are compiled. A text is compiled again from its SPIR-V if its zebin declares
/// a name twice.
pub fn compile(target: Platform, input: Input<'_>, options: &str) -> Built {
    match input {
        Input::Source(text) => {
            let built = completed(ocloc::completion_of_calls, |completion| {
                call_source(target, &["--format", "zebin"], text, (options, completion), &[], OUT)
            });
            let again = built.output.as_deref().and_then(inline::module_with_unique_names);
            let Some(module) = again else { return built };
            let again = whole(target, module_of(module.bytes), &["-spirv_input"], &back_end_options(options));
            // The log of the first build has the warnings of the text.
            if again.output.is_some() { Built { log: built.log, ..again } } else { built }
        }
        Input::Intermediate(module) => match checked(module) {
            Ok(module) => whole(target, module_of(module), &["-spirv_input"], options),
            Err(log) => Built { output: None, log },
        },
        Input::Modules(modules) => {
            let modules: Result<Vec<_>, _> = modules.iter().map(|module| checked(module)).collect();
            match modules.and_then(|modules| link(target, &modules)) {
                Ok(linked) => whole(target, ("program.bc".to_owned(), linked), &["-llvm_input"], options),
                Err(log) => Built { output: None, log },
            }
        }
    }
}

/// Returns a module for the compiler, or the build log if the module is damaged. The compiler
/// itself handles a module with the other byte order.
fn checked(module: &[u8]) -> Result<Vec<u8>, String> {
    match spirv::check(module) {
        Err(damage) if spirv::is_module(module) => {
            Err(format!("error: {}, at byte {}; create the module again\n", damage.what, damage.offset))
        }
        _ => Ok(inline::unique(module).into_owned()),
    }
}

fn module_of(module: Vec<u8>) -> Named {
    ("program.spv".to_owned(), module)
}

/// Returns the options that apply to the back end too.
fn back_end_options(options: &str) -> String {
    let is_one = |word: &&str| ["-cl-", "-ze-", "-igc", "-g"].iter().any(|first| word.starts_with(first));
    options.split_whitespace().filter(is_one).collect::<Vec<_>>().join(" ")
}

/// Compiles a file into a zebin.
fn whole(target: Platform, file: Named, kind: &[&str], options: &str) -> Built {
    let device = Description::new(target);
    completed(ocloc::completion, |completion| {
        let internal = internal_options(&device, options, &[], completion);
        let kind = [&["--format", "zebin", "-internal_options", &internal][..], kind].concat();
        call(&device, &kind, file.clone(), &with(options, completion.build), &[], OUT)
    })
}

/// Builds a program, and builds it again if `judge` finds that the compiler omitted something.
/// `build` receives the options for that, none at first.
fn completed(judge: fn(&[u8]) -> Option<Completion>, build: impl Fn(Completion) -> Built) -> Built {
    let built = build(Completion::default());
    let Some(completion) = built.output.as_deref().and_then(judge) else { return built };
    let again = build(completion);
    if again.output.is_some() { again } else { built }
}

/// Appends an option, unless it is empty.
fn with(options: &str, more: &str) -> String {
    [options, more].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Compiles OpenCL C into SPIR-V.
pub fn translate(target: Platform, text: &[u8], options: &str, headers: &[Named]) -> Built {
    call_source(target, &["-spv_only"], text, (options, Completion::default()), headers, "out.spv")
}

/// Compiles OpenCL C. The precompiled headers of newer compilers take a third of the time. What
/// does not compile with them is compiled with the device's own extensions, for its log. If races
/// are checked, group copies are marked, unless the marked source does not compile.
fn call_source(
    target: Platform,
    kind: &[&str],
    text: &[u8],
    (options, completion): (&str, Completion),
    headers: &[Named],
    wanted: &str,
) -> Built {
    let device = Description::new(target);
    let options = &with(options, completion.build);
    let is_checked = ENVIRONMENT.checks.is_some_and(|checks| checks.race);
    let prelude = if is_checked { prelude(&String::from_utf8_lossy(text)) } else { None };
    // The precompiled headers declare functions that versions 1.0 and 1.1 of the language lack.
    let is_old = ["-cl-std=CL1.0", "-cl-std=CL1.1"].iter().any(|version| options.contains(version));
    let has_precompiled = device.has_newer && !is_old;
    let lists: &[&[&str]] = if has_precompiled { &[&PRECOMPILED, &[]] } else { &[&[]] };
    let mut built = Built { output: None, log: String::new() };
    for prelude in prelude.into_iter().chain([""]) {
        for extensions in lists {
            let internal = internal_options(&device, options, extensions, completion);
            let kind = [kind, &["-internal_options", &internal]].concat();
            built = call(&device, &kind, file_of(&device, text, options, headers, prelude), options, headers, wanted);
            // A build that exceeded its time, as the log says, would exceed it again.
            if built.output.is_some() || built.log.contains(SECONDS_VARIABLE) {
                return built;
            }
        }
    }
    built
}

/// Returns the internal options of the vendor's compiler. A compiler with pipes supports them on
/// every device but declares them for OpenCL C 3.0 only on older ones. For devices without images
/// its headers of that version do not compile, a defect of the compiler. The option declares images
/// there. `extensions` are on too.
fn internal_options(
    device: &Description,
    options: &str,
    extensions: &[&'static str],
    completion: Completion,
) -> String {
    let mut added = extensions.to_vec();
    added.extend(CLOCK.into_iter().filter(|name| device.has(name)));
    if options.contains("-cl-std=CL3.") {
        added.extend(device.has(PIPES).then_some(PIPES));
        added.extend(IMAGES.into_iter().filter(|_| !device.has_images));
    }
    let list = added.iter().map(|name| format!("+{name}")).collect::<Vec<_>>().join(",");
    let extensions = if list.is_empty() { String::new() } else { format!("-cl-ext={list}") };
    with(&with(EMIT_VISA, &extensions), completion.internal)
}

/// Functions in OpenCL C for compilers that declare them without linking them.
const MISSING: &str = include_str!("missing.cl");

/// Macro that today's compiler does not define for older devices, although it links the functions.
const SUB_GROUPS: &str = "#ifndef cl_khr_subgroups\n#define cl_khr_subgroups 1\n#endif\n";

/// Option for OpenCL C 3.1, and the one that the compiler receives instead. On devices of OpenCL
/// 3.1 the languages differ only in their numbers, and ocloc allows versions up to 3.0.
const NEWEST: [&str; 2] = ["-cl-std=CL3.1", "-cl-std=CL3.0"];

/// Returns a text as a file for the compiler, which reads up to a zero byte. The compiler's headers
/// define macros of features that a device lacks. `#undef` lines remove them, so that a program
/// does not use a feature that cannot be linked. Numbers of newer versions, missing functions and
/// the prelude of the checks follow these lines.
fn file_of(device: &Description, text: &[u8], options: &str, headers: &[Named], prelude: &str) -> Named {
    let undefined: String = device.untrue_macros().map(|name| format!("#undef {name}\n")).collect();
    let has = |word: &str| {
        let is = |text: &[u8]| text.windows(word.len()).any(|window| window == word.as_bytes());
        is(text) || is(options.as_bytes()) || headers.iter().any(|(_, header)| is(header))
    };
    // Older compilers declare products of bytes without linking them.
    let has_dots = !device.has_newer && has("dot") && (has("char") || has("4x8packed"));
    let missing = if has_dots { MISSING } else { "" };
    let has_newest = device.is_newest && options.contains(NEWEST[0]);
    let macros = [("__OPENCL_VERSION__", device.is_newest), ("__OPENCL_C_VERSION__", has_newest)];
    let newer = macros.iter().filter(|(_, is_newer)| *is_newer);
    let versions: String = newer.map(|(name, _)| format!("#undef {name}\n#define {name} 310\n")).collect();
    let first = format!("{undefined}{SUB_GROUPS}{versions}{missing}{prelude}#line 1\n");
    // A byte order mark is valid only at the beginning of a file.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    ("program.cl".to_owned(), [first.as_bytes(), text, &[0]].concat())
}

/// Returns the options in a form that the compiler accepts. For older devices its headers do not
/// compile in OpenCL C 1.1, which is a subset of 1.2. `-cl-denorms-are-zero` is dropped: it is only
/// a hint, and native code supports only the mode that keeps subnormal numbers. With the option,
/// kernels would be far slower.
fn understood(device: &Description, options: &str) -> String {
    let options = options.split(' ').filter(|word| *word != "-cl-denorms-are-zero").collect::<Vec<_>>().join(" ");
    let options =
        if device.target.old_headers() { options.replace("-cl-std=CL1.1", "-cl-std=CL1.2") } else { options };
    if device.is_newest { options.replace(NEWEST[0], NEWEST[1]) } else { options }
}

fn call(device: &Description, kind: &[&str], source: Named, options: &str, headers: &[Named], wanted: &str) -> Built {
    let Some((compiler, product)) = compilers::of(device.target) else {
        return Built { output: None, log: missing(device.target) };
    };
    let mut arguments: Vec<String> =
        ["ocloc", "compile", "-device", product, "-file", &source.0].map(str::to_owned).to_vec();
    arguments.extend(kind.iter().map(|&argument| argument.to_owned()));
    arguments.extend(["-output", OUT, "-output_no_suffix"].map(str::to_owned));
    // Included files are relative to the program's working folder, not the compiler's.
    let folder = std::env::current_dir().unwrap_or_default();
    let is_text = source.0.ends_with(".cl");
    let options = format!("{} -I {}", absolute_folders(&understood(device, options), &folder), folder.display());
    arguments.extend(["-options".to_owned(), options.trim().to_owned()]);
    // Headers end with a zero byte like the source; otherwise the compiler reads beyond them.
    let headers = headers.iter().map(|(name, text)| (name.clone(), [text.as_slice(), &[0]].concat())).collect();
    let request = Request { library: compiler.installed.library.clone(), arguments, sources: vec![source], headers };
    match kept(compiler, &request, is_text.then_some(&folder)) {
        Ok(response) => {
            let mut built = built(&response, wanted);
            // Programs print a log as a warning; that of a build without messages stays empty.
            if !built.log.is_empty() {
                built.log += &format!("visakit: for {product} by {}\n", versions(compiler, &response));
            }
            built
        }
        Err(log) => Built { output: None, log },
    }
}

/// Returns the log of a build for a device that no compiler supports.
pub fn missing(target: Platform) -> String {
    format!("error: no installed compiler supports {}; {INSTALL}\n", description::product(target))
}

/// Returns the versions of the compiler that performed a build.
fn versions(compiler: &Compiler, response: &Response) -> String {
    let back_end = if response.back_end.is_empty() { "of unknown version" } else { &response.back_end };
    format!("ocloc {}, IGC {back_end}", compiler.installed.version)
}

/// Extracts an output from the compiler's response. If the compiler reports success without the
/// output, the log says so.
fn built(response: &Response, wanted: &str) -> Built {
    let mut log = messages(response);
    if response.code != 0 {
        return Built { output: None, log };
    }
    let output = output_of(response, wanted).map(<[u8]>::to_vec);
    if output.is_none() {
        let names: Vec<_> = response.outputs.iter().map(|(name, _)| name.as_str()).collect();
        log += &format!("error: the compiler did not write the file `{wanted}`; it wrote: {}\n", names.join(", "));
    }
    Built { output, log }
}

/// Returns an output by its requested name, with or without `.bin`.
fn output_of<'a>(response: &'a Response, wanted: &str) -> Option<&'a [u8]> {
    response.output(wanted).or_else(|| response.output(&format!("{wanted}.bin")))
}

/// Makes the include folders in the options absolute.
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
    // A quoted definition may contain blanks; such options stay unchanged.
    if options.contains('"') { options.to_owned() } else { words.collect::<Vec<_>>().join(" ") }
}

/// Links modules into one by the compiler that builds for the device, because other compilers
/// cannot read its output.
fn link(target: Platform, modules: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let (compiler, _) = compilers::of(target).ok_or_else(|| missing(target))?;
    let name = |n: usize| format!("module{n}.spv");
    let mut arguments: Vec<String> = ["ocloc", "link"].map(str::to_owned).to_vec();
    arguments.extend((0..modules.len()).flat_map(|n| ["-file".to_owned(), name(n)]));
    arguments.extend(["-out", OUT, "-out_format", "LLVM_BC"].map(str::to_owned));
    let sources = modules.iter().enumerate().map(|(n, module)| (name(n), module.clone())).collect();
    let library = compiler.installed.library.clone();
    let response = kept(compiler, &Request { library, arguments, sources, headers: Vec::new() }, None)?;
    let Built { output, log } = built(&response, OUT);
    output.ok_or(log)
}

/// Returns the response to a request, from the cache if no file that the compiler read has changed.
///
/// The compiler always looks for the include folder `folder`. If its response does not list that
/// folder, file accesses were not tracked, and the response is not cached.
fn kept(compiler: &Compiler, request: &Request, folder: Option<&PathBuf>) -> Result<Response, String> {
    let cache = ENVIRONMENT.cache.as_deref().and_then(Cache::open);
    let (identity, request) = (compiler.identity(), request.to_bytes());
    let key = [identity.as_bytes(), &request].concat();
    let found = cache.as_ref().and_then(|cache| Response::read(&mut cache.get(&key)?.as_slice()).ok());
    if let Some(found) = found.filter(is_current) {
        return Ok(found);
    }
    let response = ask(compiler, &identity, &request)?;
    // A failure may be temporary, for example lack of memory, so it is not cached.
    let is_listed = |folder: &PathBuf| response.read.iter().any(|(path, _)| Path::new(path) == folder);
    let is_known = folder.is_none_or(is_listed) && is_current(&response);
    if let Some(cache) = cache.filter(|_| response.code == 0 && is_known) {
        cache.put(&key, &response.to_bytes());
    }
    Ok(response)
}

/// Returns true if the compiler and all files that it read are unchanged.
fn is_current(response: &Response) -> bool {
    dependency::are_current(&response.read, dependency::state)
        && dependency::are_current(&response.loaded, dependency::stamp)
}

/// Runs the compiler, whose identity is `identity`, for a serialised request.
fn ask(compiler: &Compiler, identity: &str, request: &[u8]) -> Result<Response, String> {
    let program = &compiler.program;
    // The compiler leaves files in its working folder.
    let folder = Folder::new().map_err(|error| format!("the folder for the compiler cannot be created: {error}"))?;
    let answer = pool::run(program, identity, &folder.0, request);
    let answer = answer.map_err(|error| format!("{}: {error}", program.display()))?;
    let said = String::from_utf8_lossy(&answer.log);
    let mut response = answer.response.ok_or_else(|| match answer.status.and_then(|status| status.signal()) {
        Some(libc::SIGXCPU) => {
            format!("the compiler was stopped: it exceeded the limit of processor time ({SECONDS_VARIABLE})\n")
        }
        Some(signal) => format!("the compiler crashed (signal {signal})\n{said}"),
        None => format!("the compiler failed\n{said}"),
    })?;
    // Some errors are printed to standard error and not to the log.
    if response.code != 0 && !said.trim().is_empty() {
        let log = response.output(LOG).unwrap_or_default();
        let whole = [log, said.as_bytes()].concat();
        response.outputs.retain(|(name, _)| name != LOG);
        response.outputs.push((LOG.to_owned(), whole));
    }
    Ok(response)
}

/// Temporary folder, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("visakit-{}-{number}", std::process::id()));
            // The folder must be new, so that it contains no files of others. A killed process may
            // have left a folder behind.
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

    /// `ocloc` of 2022 returns `out`, today's `out.bin`. Success without an output is not reported
    /// as success.
    #[test]
    fn outputs_have_either_name() {
        let answer = |code, files: &[&str]| {
            let file = |name: &&str| ((*name).to_owned(), b"Build succeeded.\n".to_vec());
            let outputs = files.iter().map(file).collect();
            built(&Response { code, outputs, ..Response::default() }, OUT)
        };
        assert!(answer(0, &["out", LOG]).output.is_some());
        assert!(answer(0, &["out.spv", "out.bin", LOG]).output.is_some());
        assert!(answer(-11, &["out", LOG]).output.is_none());
        let missing = answer(0, &["out.spv", LOG]);
        assert!(missing.output.is_none() && missing.log.contains("error") && missing.log.contains("out.spv"));
        assert!(!missing.log.contains("succeeded"), "{}", missing.log);
    }

    #[test]
    fn subnormal_numbers_stay() {
        assert_eq!(
            understood(&Description::new(Platform::Dg2), "-w  -cl-denorms-are-zero -DT=\"a  b\""),
            "-w  -DT=\"a  b\""
        );
    }
}
