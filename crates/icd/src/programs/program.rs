//! Programs: their sources, and the builds for each device.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;
use visakit::isa::Platform;
use visakit_runtime::programs::binary::Imports;
use visakit_runtime::programs::executable::{Native, from_build, native};
use visakit_runtime::vendor::request::Named;
use visakit_zebin::archive;

use crate::base::error::{Code, ROOM, Result, check_room, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::programs::binary::Binary;
use crate::programs::build::{self, Built, Input};
use crate::programs::spirv;

/// OpenCL program.
pub(crate) struct Program {
    pub(crate) context: Handle<Context>,
    pub(crate) devices: Vec<Handle<Device>>,
    pub(super) source: Source,
    /// Build of each device.
    builds: Mutex<Vec<Build>>,
    /// Values of specialization constants, by id.
    constants: Mutex<BTreeMap<u32, Vec<u8>>>,
    /// Number of existing kernels; a program with kernels cannot be rebuilt.
    kernels: AtomicUsize,
}

kind!(Program, CL_INVALID_PROGRAM);

/// Source of a program.
pub(super) enum Source {
    Text(Vec<u8>),
    /// SPIR-V.
    Intermediate(Vec<u8>),
    /// Binaries per device, or the result of linking.
    Binary,
}

/// Build for a device.
#[derive(Clone)]
pub(crate) struct Build {
    pub(super) status: cl_build_status,
    pub(super) options: String,
    pub(super) log: String,
    pub(super) kind: cl_program_binary_type,
    /// Executable program.
    pub(super) binary: Option<Arc<Binary>>,
    /// SPIR-V modules of a compiled program or a library.
    pub(super) modules: Vec<Arc<Vec<u8>>>,
}

impl Default for Build {
    fn default() -> Self {
        let (options, log, modules) = (String::new(), String::new(), Vec::new());
        let (status, kind) = (CL_BUILD_NONE, CL_PROGRAM_BINARY_TYPE_NONE);
        Self { status, options, log, kind, binary: None, modules }
    }
}

impl Build {
    /// Returns the file of the build: a zebin, a module of SPIR-V, or for a library an archive of
    /// its modules.
    pub(super) fn stored(&self) -> Vec<u8> {
        let names: Vec<_> = (0..self.modules.len()).map(|number| format!("{number}.spv")).collect();
        let members = names.iter().map(String::as_str).zip(self.modules.iter().map(|module| module.as_slice()));
        match (&self.binary, self.modules.first()) {
            (Some(binary), _) => binary.bytes.clone(),
            (None, Some(_)) if self.kind == CL_PROGRAM_BINARY_TYPE_LIBRARY => archive::write(members),
            (None, module) => module.map(|module| module.to_vec()).unwrap_or_default(),
        }
    }

    /// Returns true if something was built, or the program was created with a binary.
    fn is_there(&self) -> bool {
        self.status != CL_BUILD_NONE || self.binary.is_some() || !self.modules.is_empty()
    }
}

/// Creates a program from a text.
pub(crate) fn of_text(context: &Handle<Context>, text: Vec<u8>) -> Handle<Program> {
    make(context, context.devices.clone(), Source::Text(text), Vec::new())
}

/// Creates a program from SPIR-V.
pub(crate) fn of_intermediate(context: &Handle<Context>, module: &[u8]) -> Result<Handle<Program>> {
    ensure(spirv::is_module(module), CL_INVALID_VALUE)?;
    Ok(make(context, context.devices.clone(), Source::Intermediate(module.to_vec()), Vec::new()))
}

fn make(
    context: &Handle<Context>,
    devices: Vec<Handle<Device>>,
    source: Source,
    mut builds: Vec<Build>,
) -> Handle<Program> {
    builds.resize(devices.len(), Build::default());
    let context = Arc::clone(context);
    let (builds, constants, kernels) = (Mutex::new(builds), Mutex::default(), AtomicUsize::new(0));
    handle::create(Program { context, devices, source, builds, constants, kernels })
}

/// Creates a program from binaries, one per device; `say` receives the status of each.
pub(crate) fn of_binaries(
    context: &Handle<Context>,
    devices: Vec<Handle<Device>>,
    files: &[&[u8]],
    mut say: impl FnMut(usize, cl_int),
) -> Result<Handle<Program>> {
    let mut builds = Vec::new();
    for (n, (device, file)) in devices.iter().zip(files).enumerate() {
        ensure(context.has(device), CL_INVALID_DEVICE)?;
        // Two binaries for one device are ambiguous.
        ensure(!devices[..n].iter().any(|other| Arc::ptr_eq(other, device)), CL_INVALID_DEVICE)?;
        let build = if file.is_empty() { fail(CL_INVALID_VALUE) } else { read_binary(device, file) };
        say(n, build.as_ref().map_or_else(|code| code.0, |_| CL_SUCCESS));
        builds.push(build);
    }
    let builds = builds.into_iter().collect::<Result<_>>()?;
    Ok(make(context, devices, Source::Binary, builds))
}

/// Reads a file as a program for a device: a zebin, an archive that holds one, or a SPIR-V module.
/// A file without vISA for the device is compiled from its SPIR-V.
fn read_binary(device: &Device, file: &[u8]) -> Result<Build> {
    if spirv::is_module(file) {
        let (kind, modules) = (CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, vec![Arc::new(file.to_vec())]);
        return Ok(Build { kind, modules, status: CL_BUILD_NONE, ..Build::default() });
    }
    if let Some(modules) = library(file) {
        let kind = CL_PROGRAM_BINARY_TYPE_LIBRARY;
        return Ok(Build { kind, modules, status: CL_BUILD_NONE, ..Build::default() });
    }
    let module = match native(device.target, file, Imports::Refused).ok_or(Code(CL_INVALID_BINARY))? {
        Native::Ready(binary) => {
            let kind = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
            return Ok(Build { kind, binary: Some(binary), status: CL_BUILD_NONE, ..Build::default() });
        }
        Native::Module(module) => module,
    };
    let built = build::compile(device.target, Input::Intermediate(&module.bytes), &module.options);
    let mut build = executable(device.target, built, &module.options);
    ensure(build.binary.is_some(), CL_INVALID_BINARY)?;
    build.status = CL_BUILD_NONE;
    build.log.insert_str(0, "note: the binary has no vISA for this device; its SPIR-V was compiled\n");
    Ok(build)
}

/// Returns the modules of a stored library.
fn library(file: &[u8]) -> Option<Vec<Arc<Vec<u8>>>> {
    let members = archive::is_archive(file).then(|| archive::members(file))?;
    let module = |(_, bytes): (String, &[u8])| spirv::is_module(bytes).then(|| Arc::new(bytes.to_vec()));
    let modules: Vec<_> = members.map(|member| member.ok().and_then(module)).collect::<Option<_>>()?;
    (!modules.is_empty()).then_some(modules)
}

impl Program {
    fn builds(&self) -> MutexGuard<'_, Vec<Build>> {
        self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the build for a device.
    pub(crate) fn build_of(&self, device: &Handle<Device>) -> Result<Build> {
        let index = self.place(device).ok_or(Code(CL_INVALID_DEVICE))?;
        Ok(self.valid(&self.builds(), index).clone())
    }

    /// Returns the build that is valid for a device. A sub-device without a build has that of the
    /// nearest device that it is a part of.
    fn valid<'b>(&self, builds: &'b [Build], index: usize) -> &'b Build {
        let devices = std::iter::successors(Some(&self.devices[index]), |device| device.whole());
        let mut all = devices.filter_map(|device| builds.get(self.place(device)?));
        all.find(|build| build.is_there()).unwrap_or(&builds[index])
    }

    /// Returns the build that is valid for each device.
    pub(super) fn valid_builds(&self) -> Vec<Build> {
        let builds = self.builds();
        (0..builds.len()).map(|index| self.valid(&builds, index).clone()).collect()
    }

    /// Returns the executable program of each device, if it was built successfully.
    pub(crate) fn binaries(&self) -> Vec<Option<Arc<Binary>>> {
        let builds = self.builds();
        let built = |build: &Build| build.binary.clone().filter(|_| build.status == CL_BUILD_SUCCESS);
        (0..builds.len()).map(|index| built(self.valid(&builds, index))).collect()
    }

    /// Sets the value of a specialization constant for later builds.
    pub(crate) fn specialize(&self, constant: u32, value: &[u8]) -> Result {
        let Source::Intermediate(module) = &self.source else { return fail(CL_INVALID_PROGRAM) };
        let size = spirv::constants(module).get(&constant).copied();
        ensure(size.ok_or(Code(CL_INVALID_SPEC_ID))? == value.len(), CL_INVALID_VALUE)?;
        self.constants.lock().unwrap_or_else(PoisonError::into_inner).insert(constant, value.to_vec());
        Ok(())
    }

    fn specialized(&self, module: &[u8]) -> Vec<u8> {
        spirv::specialize(module, &self.constants.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts a new kernel of the program.
    pub(crate) fn hold(&self) {
        self.kernels.fetch_add(1, Ordering::Relaxed);
    }

    /// Uncounts a destroyed kernel of the program.
    pub(crate) fn let_go(&self) {
        self.kernels.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns the indices of the devices in a call, or of all devices if the call names none.
    fn places(&self, devices: &[Handle<Device>]) -> Result<Vec<usize>> {
        if devices.is_empty() {
            return Ok((0..self.devices.len()).collect());
        }
        devices.iter().map(|device| self.place(device).ok_or(Code(CL_INVALID_DEVICE))).collect()
    }

    /// Returns the index of a device of the program.
    fn place(&self, device: &Handle<Device>) -> Option<usize> {
        self.devices.iter().position(|own| Arc::ptr_eq(own, device))
    }

    /// Returns an error if a device has no compiler; the device's build log says what to install.
    fn ensure_compiler(&self, places: &[usize]) -> Result {
        let mut result = Ok(());
        for &place in places {
            let device = &self.devices[place];
            if !device.has_compiler() {
                let log = build::missing(device.target);
                self.builds()[place] = Build { status: CL_BUILD_ERROR, log, ..Build::default() };
                result = fail(CL_COMPILER_NOT_AVAILABLE);
            }
        }
        result
    }

    /// Builds for several devices in parallel.
    fn build_all(&self, places: &[usize], one: impl Fn(usize, Build) -> Build + Sync) -> Vec<Build> {
        let before = self.builds().clone();
        for &place in places {
            self.builds()[place].status = CL_BUILD_IN_PROGRESS;
        }
        let one = &one;
        let built: Vec<Build> = std::thread::scope(|scope| {
            let threads: Vec<_> = places
                .iter()
                .map(|&place| {
                    let state = before[place].clone();
                    let thread = std::thread::Builder::new();
                    // If no further thread can be created, this thread builds.
                    let inline = || one(place, before[place].clone());
                    thread.spawn_scoped(scope, move || one(place, state)).map_err(|_| inline())
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| match thread {
                    Ok(thread) => thread.join().unwrap_or_else(|_| failed()),
                    Err(build) => build,
                })
                .collect()
        });
        for (&place, build) in places.iter().zip(&built) {
            self.builds()[place] = build.clone();
        }
        built
    }
}

/// Returns the build of a thread that panicked, which is a defect of the driver.
fn failed() -> Build {
    Build {
        status: CL_BUILD_ERROR,
        log: "error: the driver failed during the build\n".to_owned(),
        ..Build::default()
    }
}

/// Builds an executable program for some devices, or for all.
pub(crate) fn build(program: &Handle<Program>, devices: &[Handle<Device>], options: &str) -> Result {
    check_room(ROOM)?;
    let places = program.places(devices)?;
    ensure(program.kernels.load(Ordering::Relaxed) == 0, CL_INVALID_OPERATION)?;
    ensure(look_like_options(options), CL_INVALID_BUILD_OPTIONS)?;
    let is_binary = matches!(program.source, Source::Binary);
    if !is_binary {
        program.ensure_compiler(&places)?;
    }
    let built = program.build_all(&places, |place, before| {
        let target = program.devices[place].target;
        match &program.source {
            // The compiler would report an error for an empty source.
            Source::Text(text) if text.trim_ascii().is_empty() => {
                executable(target, Built { output: Some(Vec::new()), log: String::new() }, options)
            }
            Source::Text(text) => executable(target, build::compile(target, Input::Source(text), options), options),
            Source::Intermediate(module) => {
                let module = program.specialized(module);
                executable(target, build::compile(target, Input::Intermediate(&module), options), options)
            }
            Source::Binary if before.binary.is_some() => {
                let checked = before.binary.as_ref().map_or(Ok(()), |binary| binary.check(target, Imports::Refused));
                let status = if checked.is_ok() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR };
                let log = checked.err().unwrap_or_else(|| before.log.clone());
                Build { status, options: options.to_owned(), log, ..before }
            }
            Source::Binary => link_modules(target, &before.modules, options),
        }
    });
    outcome(&built, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS)
}

/// Returns true if all words are options, or arguments of options. Options with quotes are left to
/// the compiler.
fn look_like_options(options: &str) -> bool {
    let mut takes_word = false;
    options.contains(['"', '\''])
        || options.split_whitespace().all(|word| {
            let fits = std::mem::take(&mut takes_word) || word.starts_with('-') && !word.starts_with("--");
            takes_word = ["-D", "-I", "-U", "-x", "-include"].contains(&word);
            fits
        })
}

/// Returns the status of a call for its builds. An unknown option is recognised by the compiler's
/// message.
fn outcome(built: &[Build], failure: cl_int, options: cl_int) -> Result {
    let Some(failed) = built.iter().find(|build| build.status != CL_BUILD_SUCCESS) else { return Ok(()) };
    let unknown = ["unknown argument", "Invalid build options", "Unrecognized build options", "invalid value"]
        .map(|words| failed.log.contains(words));
    fail(if unknown.contains(&true) { options } else { failure })
}

/// Creates a build from the compiler's output.
fn executable(target: Platform, built: Built, options: &str) -> Build {
    let newer = ["2.", "3."].iter().any(|version| options.contains(&format!("-cl-std=CL{version}")));
    let is_uniform = !newer || options.contains("-cl-uniform-work-group-size");
    let (binary, log) = from_build(target, built, is_uniform, Imports::Refused);
    let (status, kind) = match binary {
        Some(_) => (CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE_EXECUTABLE),
        None => (CL_BUILD_ERROR, CL_PROGRAM_BINARY_TYPE_NONE),
    };
    Build { status, options: options.to_owned(), log, kind, binary, modules: Vec::new() }
}

fn link_modules(target: Platform, modules: &[Arc<Vec<u8>>], options: &str) -> Build {
    let parts: Vec<&[u8]> = modules.iter().map(|module| module.as_slice()).collect();
    let input = match parts.as_slice() {
        [only] => Input::Intermediate(only),
        parts => Input::Modules(parts),
    };
    executable(target, build::compile(target, input, options), options)
}

/// Compiles a text without linking it; `headers` are programs under their names in `#include`.
pub(crate) fn compile(
    program: &Handle<Program>,
    devices: &[Handle<Device>],
    options: &str,
    headers: &[(String, Handle<Program>)],
) -> Result {
    check_room(ROOM)?;
    let places = program.places(devices)?;
    ensure(program.kernels.load(Ordering::Relaxed) == 0, CL_INVALID_OPERATION)?;
    ensure(!matches!(program.source, Source::Binary), CL_INVALID_OPERATION)?;
    ensure(look_like_options(options), CL_INVALID_COMPILER_OPTIONS)?;
    program.ensure_compiler(&places)?;
    let header = |(name, header): &(String, Handle<Program>)| match &header.source {
        Source::Text(text) => Ok((name.clone(), text.clone())),
        _ => fail(CL_INVALID_PROGRAM),
    };
    let headers: Vec<Named> = headers.iter().map(header).collect::<Result<_>>()?;
    let built = program.build_all(&places, |place, _| {
        let target = program.devices[place].target;
        let Built { output, log } = match &program.source {
            Source::Text(text) => build::translate(target, text, options, &headers),
            Source::Intermediate(module) => Built { output: Some(program.specialized(module)), log: String::new() },
            Source::Binary => Built { output: None, log: String::new() },
        };
        let (status, kind) = match output {
            Some(_) => (CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT),
            None => (CL_BUILD_ERROR, CL_PROGRAM_BINARY_TYPE_NONE),
        };
        let modules = output.into_iter().map(Arc::new).collect();
        Build { status, options: options.to_owned(), log, kind, binary: None, modules }
    });
    outcome(&built, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS)
}

/// Links compiled programs and libraries into an executable program or a library. Returns a program
/// with the log even if linking fails.
pub(crate) fn link(
    context: &Handle<Context>,
    devices: Vec<Handle<Device>>,
    options: &str,
    inputs: &[Handle<Program>],
) -> Result<(Handle<Program>, Result)> {
    ensure(!inputs.is_empty(), CL_INVALID_VALUE)?;
    ensure(devices.iter().all(|device| context.has(device)), CL_INVALID_DEVICE)?;
    let devices = if devices.is_empty() { context.devices.clone() } else { devices };
    ensure(devices.iter().all(|device| device.has_compiler()), CL_LINKER_NOT_AVAILABLE)?;
    let link_options = ["-create-library", "-enable-link-options"];
    let rest: Vec<&str> = options.split_whitespace().filter(|word| !link_options.contains(word)).collect();
    let known = |word: &&str| ["-cl-", "-ze-", "-vc-"].iter().any(|first| word.starts_with(first)) || *word == "-g";
    ensure(rest.iter().all(known), CL_INVALID_LINKER_OPTIONS)?;
    let is_library = options.split_whitespace().any(|option| option == "-create-library");
    let mut modules = Vec::new();
    for device in &devices {
        let builds = inputs.iter().map(|input| input.build_of(device)).collect::<Result<Vec<_>>>();
        let builds = builds.map_err(|_| Code(CL_INVALID_OPERATION))?;
        ensure(builds.iter().all(|build| !build.modules.is_empty()), CL_INVALID_OPERATION)?;
        modules.push(builds.into_iter().flat_map(|build| build.modules).collect::<Vec<_>>());
    }
    let program = make(context, devices, Source::Binary, Vec::new());
    let places: Vec<usize> = (0..program.devices.len()).collect();
    let built = program.build_all(&places, |place, _| {
        let modules = &modules[place];
        if is_library {
            let (status, kind) = (CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE_LIBRARY);
            let options = options.to_owned();
            return Build { status, options, kind, modules: modules.clone(), ..Build::default() };
        }
        Build { options: options.to_owned(), ..link_modules(program.devices[place].target, modules, &rest.join(" ")) }
    });
    let result = outcome(&built, CL_LINK_PROGRAM_FAILURE, CL_INVALID_LINKER_OPTIONS);
    Ok((program, result))
}

/// Returns the distinct kernel names of all devices.
fn names(binaries: &[Option<Arc<Binary>>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in binaries.iter().flatten().flat_map(|binary| binary.names()) {
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns the names of the kernels.
///
/// # Errors
/// Fails if the program was not built.
pub(crate) fn kernel_names(program: &Handle<Program>) -> Result<Vec<String>> {
    let binaries = program.binaries();
    ensure(binaries.iter().any(Option::is_some), CL_INVALID_PROGRAM_EXECUTABLE)?;
    Ok(names(&binaries))
}

/// Invokes the program's callback after a build.
pub(crate) fn notify(program: &Handle<Program>, function: Option<Notify>, data: *mut c_void) {
    if let Some(function) = function {
        // SAFETY: the program passed the function and the data for this call.
        unsafe { function(handle::address(program), data) }
    }
}

/// Callback invoked after a build.
pub(crate) type Notify = unsafe extern "C" fn(cl_program, *mut c_void);
