//! Modules: builds of SPIR-V and native files, and their logs.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::{Arc, OnceLock};

use visakit_runtime::base::failure::{ROOM, check_room};
use visakit_runtime::programs::binary::{Binary, Imports};
use visakit_runtime::programs::build::{self, Built, Input};
use visakit_runtime::programs::executable::{Native, from_build, native};
use visakit_runtime::programs::spirv;

use crate::base::handle::{Handle, kind};
use crate::base::result::*;
use crate::devices::context::Context;
use crate::devices::device::Device;

/// Module of the API.
pub(crate) struct Module {
    /// Keeps the context.
    _context: Handle<Context>,
    pub(crate) device: Handle<Device>,
    /// Program as it was built.
    pub(crate) binary: Arc<Binary>,
    /// Program with its imports, once the module is linked.
    linked: OnceLock<Arc<Binary>>,
    /// Names of the kernels, whose addresses the program receives.
    pub(crate) names: Vec<CString>,
}

kind!(Module);

/// Log of a build or of linking.
pub(crate) struct BuildLog {
    pub(crate) text: String,
}

kind!(BuildLog);

/// SPIR-V module, its options and the values of its constants.
pub(crate) struct Part<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) options: String,
    pub(crate) constants: Vec<(u32, *const u8)>,
}

/// Executable program, if the build succeeded, and the log.
pub(crate) type Outcome = (Option<Arc<Binary>>, String);

/// Builds SPIR-V modules into one program.
///
/// # Errors
/// Fails for bytes that are not SPIR-V, and unknown constants.
///
/// # Safety
/// Each constant points to as many bytes as its type has.
pub(crate) unsafe fn of_modules(device: &Device, parts: &[Part<'_>]) -> Result<Outcome> {
    check_room(ROOM)?;
    let mut modules = Vec::new();
    for part in parts {
        // Programs expect this result for bytes that are not SPIR-V.
        ensure(spirv::is_module(part.bytes), ERROR_MODULE_BUILD_FAILURE)?;
        let known = spirv::constants(part.bytes);
        let mut values = BTreeMap::new();
        for &(number, first) in &part.constants {
            let size = *known.get(&number).ok_or(ERROR_INVALID_ARGUMENT)?;
            ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
            // SAFETY: the caller guarantees the bytes.
            values.insert(number, unsafe { std::slice::from_raw_parts(first, size) }.to_vec());
        }
        modules.push(spirv::specialize(part.bytes, &values));
    }
    let options = parts.iter().map(|part| options_of(&part.options)).collect::<Vec<_>>().join(" ");
    let modules: Vec<&[u8]> = modules.iter().map(Vec::as_slice).collect();
    let input = match modules.as_slice() {
        [only] => Input::Intermediate(only),
        all => Input::Modules(all),
    };
    let target = device.description.target;
    Ok(from_build(target, build::compile(target, input, &options), true, Imports::Allowed))
}

/// Reads a native file, or compiles the SPIR-V in it.
///
/// # Errors
/// Fails for a file without a program for the device.
pub(crate) fn of_native(device: &Device, file: &[u8]) -> Result<Outcome> {
    check_room(ROOM)?;
    let target = device.description.target;
    match native(target, file, Imports::Allowed).ok_or(ERROR_INVALID_NATIVE_BINARY)? {
        Native::Ready(binary) => Ok(match binary.check(target, Imports::Allowed) {
            Ok(()) => (Some(binary), String::new()),
            Err(log) => (None, log),
        }),
        Native::Module(module) => {
            let input = Input::Intermediate(&module.bytes);
            let Built { output, log } = build::compile(target, input, &module.options);
            let note = "note: the binary has no vISA for this device; its SPIR-V was compiled\n";
            Ok(from_build(target, Built { output, log: format!("{note}{log}") }, true, Imports::Allowed))
        }
    }
}

/// Returns options in the compiler's spelling: some have another name in this API.
fn options_of(options: &str) -> String {
    let word = |word: &str| match word {
        "-ze-opt-disable" => "-cl-opt-disable".to_owned(),
        "-ze-opt-greater-than-4GB-buffer-required" => "-cl-intel-greater-than-4GB-buffer-required".to_owned(),
        "-ze-opt-large-register-file" => "-cl-intel-256-GRF-per-thread".to_owned(),
        _ => match word.strip_prefix("-ze-opt-level=") {
            Some(level) => format!("-ze-opt-level=O{}", level.trim_start_matches('O')),
            None => word.to_owned(),
        },
    };
    options.split_whitespace().map(word).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Module {
    pub(crate) fn new(context: &Handle<Context>, device: &Handle<Device>, binary: Arc<Binary>) -> Self {
        let names = binary.names().into_iter().filter_map(|name| CString::new(name).ok()).collect();
        Self { _context: Arc::clone(context), device: Arc::clone(device), binary, linked: OnceLock::new(), names }
    }

    /// Returns true while imports are not linked.
    pub(crate) fn is_open(&self) -> bool {
        self.linked.get().is_none() && !self.binary.imports().is_empty()
    }

    /// Returns the program with its imports.
    ///
    /// # Errors
    /// Fails while imports are not linked.
    pub(crate) fn program(&self) -> Result<&Arc<Binary>> {
        ensure(!self.is_open(), ERROR_INVALID_MODULE_UNLINKED)?;
        Ok(self.linked.get().unwrap_or(&self.binary))
    }

    /// Sets the program with its imports. The first one stays.
    pub(crate) fn set_program(&self, linked: Arc<Binary>) {
        let _ = self.linked.set(linked);
    }

    /// Returns the address of a function for calls in kernels of the module.
    pub(crate) fn function(&self, name: &str) -> Result<u64> {
        self.program()?.function(name).ok_or(ERROR_INVALID_FUNCTION_NAME)
    }

    /// Returns address and size of a variable.
    pub(crate) fn global(&self, name: &str) -> Result<(u64, u64)> {
        let globals = self.binary.globals().ok_or(ERROR_OUT_OF_DEVICE_MEMORY)?;
        let address = *globals.places.symbols.get(name).ok_or(ERROR_INVALID_GLOBAL_NAME)?;
        let symbol = self.binary.zebin.symbols.iter().find(|symbol| symbol.name == name);
        Ok((address, symbol.map_or(0, |symbol| symbol.size)))
    }
}
