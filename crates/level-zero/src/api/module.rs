//! Entry points of modules and samplers.

use std::ffi::{c_char, c_void};

use visakit_runtime::base::raw::{Caller, In, Out, Text};

use crate::api::entry::{Raw, check_images, functions};
use crate::base::chain::{bytes, find, list, read, update, write};
use crate::base::handle::{self, Handle, destroy, get};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::programs::link::{inspect, link};
use crate::programs::module::{BuildLog, Module, Part, of_modules, of_native};
use crate::programs::sampler::Sampler;

/// Formats of modules.
const SPIRV: u32 = 0;
const NATIVE: u32 = 1;
/// Type of the structure with several modules.
const PROGRAM: u32 = 0x2_0002;

/// Returns a module with its options and constants.
///
/// # Safety
/// The pointers are null or as the specification requires.
unsafe fn part<'a>(
    first: *const u8,
    size: usize,
    flags: *const c_char,
    constants: *const ModuleConstants,
) -> Result<Part<'a>> {
    ensure(!first.is_null(), ERROR_INVALID_NULL_POINTER)?;
    ensure(size > 0, ERROR_INVALID_SIZE)?;
    // SAFETY: guaranteed by the caller; counts belong to their lists.
    unsafe {
        let bytes = In::<u8>::of(first).list(size)?;
        let options = Text::of(flags).get();
        let mut values = Vec::new();
        if let Some(given) = In::<ModuleConstants>::of(constants).get() {
            let count = given.num_constants as usize;
            let ids = In::<u32>::of(given.p_constant_ids).agreed(count, ERROR_INVALID_NULL_POINTER)?;
            let places = In::<*mut c_void>::of(given.p_constant_values).agreed(count, ERROR_INVALID_NULL_POINTER)?;
            values.extend(ids.iter().zip(places).map(|(&id, &place)| (id, place.cast::<u8>().cast_const())));
        }
        Ok(Part { bytes, options, constants: values })
    }
}

/// Returns the modules of a description: its own, or those of the structure in its chain.
///
/// # Safety
/// As [`part`].
unsafe fn parts<'a>(desc: &ModuleDesc) -> Result<Vec<Part<'a>>> {
    // SAFETY: guaranteed by the caller; the structure has this type.
    unsafe {
        let Some(program) = find::<ModuleProgramExpDesc>(desc.p_next, &[PROGRAM]) else {
            return Ok(vec![part(desc.p_input_module, desc.input_size, desc.p_build_flags, desc.p_constants)?]);
        };
        let count = program.count as usize;
        ensure(count > 0, ERROR_INVALID_SIZE)?;
        let sizes = In::of(program.input_sizes).agreed(count, ERROR_INVALID_NULL_POINTER)?;
        let inputs = In::of(program.p_input_modules).agreed(count, ERROR_INVALID_NULL_POINTER)?;
        let flags = In::of(program.p_build_flags).list(count)?;
        let constants = In::of(program.p_constants).list(count)?;
        (0..count)
            .map(|n| {
                let flags = flags.get(n).copied().unwrap_or(std::ptr::null());
                part(inputs[n], sizes[n], flags, constants.get(n).copied().unwrap_or(std::ptr::null()))
            })
            .collect()
    }
}

/// Returns the reason of a failure before the compiler ran.
fn reason(code: Code) -> &'static str {
    match code {
        ERROR_MODULE_BUILD_FAILURE => "the module is not SPIR-V; pass native files with their own format",
        ERROR_INVALID_NATIVE_BINARY => "the file has neither a program nor SPIR-V for the device",
        ERROR_INVALID_ARGUMENT => "the module has no specialization constant with the given number",
        ERROR_INVALID_NULL_POINTER => "a specialization constant has no value",
        _ => "out of memory",
    }
}

/// Looks up the modules of a list.
fn linked(count: u32, modules: Out<Raw>) -> Result<Vec<Handle<Module>>> {
    ensure(!modules.is_null(), ERROR_INVALID_NULL_POINTER)?;
    // SAFETY: the list has as many handles as its count says.
    unsafe { modules.input().list(count as usize)? }.iter().map(|&module| get(module)).collect()
}

functions! {
    fn zeModuleCreate(context: Raw, device: Raw, desc: In<ModuleDesc>, module: Out<Raw>, log: Out<Raw>) {
        let (context, device): (Handle<Context>, Handle<Device>) = (get(context)?, get(device)?);
        ensure(context.has(&device), ERROR_INVALID_ARGUMENT)?;
        let desc = read(desc)?;
        ensure(!module.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program passes the description as the specification requires.
        let parts = unsafe { parts(&desc)? };
        let outcome = match desc.format {
            // SAFETY: the constants have the sizes of their types.
            SPIRV => unsafe { of_modules(&device, &parts) },
            NATIVE => of_native(&device, parts.first().map(|part| part.bytes).unwrap_or_default()),
            _ => return Err(ERROR_INVALID_ENUMERATION),
        };
        // Programs read the log after every failed build.
        let (binary, text) = match outcome {
            Ok((binary, text)) => (binary.ok_or(ERROR_MODULE_BUILD_FAILURE), text),
            Err(code) => (Err(code), format!("error: {}\n", reason(code))),
        };
        if !log.is_null() {
            log.put(handle::give(handle::create(BuildLog { text })));
        }
        let binary = binary?;
        write(module, handle::give(handle::create(Module::new(&context, &device, binary))))
    }

    fn zeModuleDestroy(module: Raw) {
        destroy::<Module>(module)
    }

    fn zeModuleDynamicLink(count: u32, modules: Out<Raw>, log: Out<Raw>) {
        let (result, text) = link(&linked(count, modules)?);
        if !log.is_null() {
            log.put(handle::give(handle::create(BuildLog { text })));
        }
        result
    }

    fn zeModuleBuildLogDestroy(log: Raw) {
        destroy::<BuildLog>(log)
    }

    fn zeModuleBuildLogGetString(log: Raw, size: Out<usize>, place: Out<u8>) {
        let log = get::<BuildLog>(log)?;
        bytes(size, place, &[log.text.as_bytes(), &[0]].concat())
    }

    fn zeModuleGetNativeBinary(module: Raw, size: Out<usize>, place: Out<u8>) {
        let module = get::<Module>(module)?;
        bytes(size, place, &module.binary.bytes)
    }

    fn zeModuleGetGlobalPointer(module: Raw, name: Text, size: Out<usize>, place: Out<*mut c_void>) {
        let module = get::<Module>(module)?;
        ensure(!name.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let (address, bytes) = module.global(&name.get())?;
        size.put(bytes as usize);
        place.put(address as *mut c_void);
        Ok(())
    }

    fn zeModuleGetKernelNames(module: Raw, count: Out<u32>, names: Out<*const c_char>) {
        let module = get::<Module>(module)?;
        list(count, names, module.names.len(), |n, place| *place = module.names[n].as_ptr())
    }

    fn zeModuleGetProperties(module: Raw, properties: Out<ModuleProperties>) {
        let has_imports = !get::<Module>(module)?.binary.imports().is_empty();
        update(properties, |out| out.flags = u32::from(has_imports))
    }

    /// Kernels of the same module can call the address.
    fn zeModuleGetFunctionPointer(module: Raw, name: Text, place: Out<*mut c_void>) {
        let module = get::<Module>(module)?;
        ensure(!name.is_null() && !place.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(place, module.function(&name.get())? as *mut c_void)
    }

    fn zeSamplerCreate(context: Raw, device: Raw, desc: In<SamplerDesc>, sampler: Out<Raw>) {
        check_images(context, device)?;
        let desc = read(desc)?;
        ensure(!sampler.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(sampler, handle::give(handle::create(Sampler::new(&desc)?)))
    }

    fn zeSamplerDestroy(sampler: Raw) {
        destroy::<Sampler>(sampler)
    }

    fn zeModuleInspectLinkageExt(
        desc: In<LinkageInspectionExtDesc>,
        count: u32,
        modules: Out<Raw>,
        log: Out<Raw>,
    ) {
        let flags = read(desc)?.flags;
        ensure(flags <= 0b111, ERROR_INVALID_ENUMERATION)?;
        ensure(!modules.is_null() && !log.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let text = inspect(flags, &linked(count, modules)?);
        write(log, handle::give(handle::create(BuildLog { text })))
    }
}
