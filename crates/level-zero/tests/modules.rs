//! Modules: linking, inspection, several inputs, specialization constants, global variables,
//! functions, native files, and properties of their kernels.

mod common;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, launch, log_text, set, setup, spirv_of};
use visakit_level_zero::base::extensions::*;
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

/// Runs a kernel with one group of one item on a word, and returns the word.
fn run(setup: &Setup, kernel: Raw, before: i32) -> i32 {
    let data: *mut i32 = setup.shared(1);
    // SAFETY: the memory has one word, and no command uses it.
    unsafe { data.write(before) };
    let list = setup.immediate(2, 1);
    assert_eq!(call!(zeKernelSetGroupSize, kernel => Raw, 1 => u32, 1 => u32, 1 => u32), 0);
    assert_eq!((set(kernel, 0, &data), launch(list, kernel, 1, null_mut(), &[])), (0, 0));
    // SAFETY: the command is over.
    unsafe { data.read() }
}

/// Creates a kernel and returns the result.
fn kernel(module: Raw, name: &CStr) -> (u32, Raw) {
    let desc = KernelDesc { stype: 0x1d, p_kernel_name: name.as_ptr().cast::<c_char>(), ..Default::default() };
    let mut kernel = null_mut();
    (call!(zeKernelCreate, module => Raw, &desc => *const KernelDesc, &mut kernel => *mut Raw), kernel)
}

/// Links modules, and returns the result and the log.
fn link(modules: &[Raw]) -> (u32, String) {
    let mut log = null_mut();
    let result = call!(zeModuleDynamicLink, modules.len() as u32 => u32, modules.as_ptr() => *const Raw,
        &mut log => *mut Raw);
    (result, log_text(log))
}

/// Returns the address and size of a variable.
fn global(module: Raw, name: &CStr) -> (u32, *mut i32, usize) {
    let (mut size, mut place) = (0, null_mut());
    let result = call!(zeModuleGetGlobalPointer, module => Raw, name.as_ptr() => *const c_char,
        &mut size => *mut usize, &mut place => *mut *mut c_void);
    (result, place.cast(), size)
}

#[test]
fn modules_are_linked() {
    let (Some(imports), Some(exports)) = (spirv_of("imports.cl"), spirv_of("exports.cl")) else { return };
    let setup = setup();
    let module = |spirv: &[u8]| {
        let (result, module, log) = setup.module(0, spirv, c"-library-compilation");
        assert_eq!(result, 0, "{log}");
        module
    };
    let (user, provider, other) = (module(&imports), module(&exports), module(&exports));
    let flags = |module: Raw| {
        let mut properties = ModuleProperties { stype: 0x1c, ..Default::default() };
        assert_eq!(call!(zeModuleGetProperties, module => Raw, &mut properties => *mut ModuleProperties), 0);
        properties.flags
    };
    assert_eq!((flags(user), flags(provider)), (1, 0));
    assert_eq!(kernel(user, c"apply").0, ERROR_INVALID_MODULE_UNLINKED.0);
    let inspect = |flags: u32, modules: &[Raw]| {
        let desc = LinkageInspectionExtDesc { stype: 0x1_0007, flags, ..Default::default() };
        let mut log = null_mut();
        let result = call!(zeModuleInspectLinkageExt, &desc => *const LinkageInspectionExtDesc,
            modules.len() as u32 => u32, modules.as_ptr() => *const Raw, &mut log => *mut Raw);
        (result, log_text(log))
    };
    assert_eq!(inspect(1, &[user]), (0, "imports: thrice, twice\n".to_owned()));
    assert_eq!(inspect(2, &[user]), (0, "unresolvable imports: thrice, twice\n".to_owned()));
    assert_eq!(inspect(2, &[user, provider]), (0, "unresolvable imports: \n".to_owned()));
    let (result, text) = inspect(4, &[provider]);
    assert!(result == 0 && ["calls", "thrice", "twice"].iter().all(|name| text.contains(name)), "{text}");
    assert_eq!(inspect(8, &[user]).0, ERROR_INVALID_ENUMERATION.0);
    // An undefined name, and one that two modules define.
    let (result, log) = link(&[user]);
    assert!(result == ERROR_MODULE_LINK_FAILURE.0 && log.contains("undefined reference to `twice`"), "{log}");
    let (result, log) = link(&[user, provider, other]);
    assert!(result == ERROR_MODULE_LINK_FAILURE.0 && log.contains("2 modules export `thrice`"), "{log}");
    assert_eq!(link(&[user, null_mut()]).0, ERROR_INVALID_NULL_HANDLE.0);
    assert_eq!(link(&[user, provider]), (0, String::new()));
    // `twice` counts its calls in a variable of the other module.
    let apply = setup.kernel(user, c"apply");
    assert_eq!((run(&setup, apply, 10), run(&setup, apply, 10)), (20 + 6 + 300, 20 + 7 + 300));
    assert_eq!(run(&setup, setup.kernel(provider, c"count"), 0), 7);
    let (result, place, size) = global(provider, c"calls");
    // SAFETY: no command uses the variable.
    assert_eq!((result, size, unsafe { place.read() }), (0, 4, 7));
    // SAFETY: as above.
    unsafe { place.write(100) };
    assert_eq!(run(&setup, apply, 0), 101 + 300);
    assert_eq!(global(provider, c"absent").0, ERROR_INVALID_GLOBAL_NAME.0);
    // Linking again changes nothing, and the kernel outlives both modules.
    assert_eq!(link(&[user, provider]), (0, String::new()));
    let destroy = |module: Raw| call!(zeModuleDestroy, module => Raw);
    assert_eq!((destroy(user), destroy(provider), run(&setup, apply, 0)), (0, 0, 102 + 300));
}

#[test]
fn functions_have_addresses() {
    let Some(exports) = spirv_of("exports.cl") else { return };
    let setup = setup();
    let address = |module: Raw, name: &CStr| {
        let mut place = null_mut();
        let result = call!(zeModuleGetFunctionPointer, module => Raw, name.as_ptr() => *const c_char,
            &mut place => *mut *mut c_void);
        (result, place as usize)
    };
    let (_, library, _) = setup.module(0, &exports, c"-library-compilation");
    let (first, second) = (address(library, c"twice"), address(library, c"thrice"));
    assert!(first.0 == 0 && second.0 == 0 && first.1 != 0 && first.1 != second.1, "{first:?} {second:?}");
    assert_eq!(address(library, c"absent").0, ERROR_INVALID_FUNCTION_NAME.0);
    // Without the option, functions are parts of their callers.
    let (_, whole, _) = setup.module(0, &exports, c"");
    assert_eq!(address(whole, c"twice").0, ERROR_INVALID_FUNCTION_NAME.0);
}

/// Several modules form one program, each with its own options, as PyTorch and oneDNN pass them.
#[test]
fn a_program_has_several_modules() {
    let (Some(imports), Some(exports)) = (spirv_of("imports.cl"), spirv_of("exports.cl")) else { return };
    let setup = setup();
    let (sizes, inputs) = ([imports.len(), exports.len()], [imports.as_ptr(), exports.as_ptr()]);
    let flags = [c"".as_ptr(), c"-ze-opt-level=2".as_ptr()];
    let mut program = ModuleProgramExpDesc {
        stype: 0x2_0002,
        count: 2,
        input_sizes: sizes.as_ptr(),
        p_input_modules: inputs.as_ptr(),
        p_build_flags: flags.as_ptr(),
        ..Default::default()
    };
    let create = |program: &mut ModuleProgramExpDesc| {
        let desc = ModuleDesc { stype: 0x1b, p_next: (&raw mut *program).cast(), ..Default::default() };
        let (mut module, mut log) = (null_mut(), null_mut());
        let result = call!(zeModuleCreate, setup.context => Raw, setup.device => Raw, &desc => *const ModuleDesc,
            &mut module => *mut Raw, &mut log => *mut Raw);
        (result, module, log_text(log))
    };
    let (result, module, log) = create(&mut program);
    assert_eq!(result, 0, "{log}");
    assert_eq!(run(&setup, setup.kernel(module, c"apply"), 1), 2 + 6 + 300);
    let (mut count, mut names) = (8, [null::<c_char>(); 8]);
    let result = call!(zeModuleGetKernelNames, module => Raw, &mut count => *mut u32,
        names.as_mut_ptr() => *mut *const c_char);
    assert_eq!((result, count), (0, 3));
    // SAFETY: the names live until the module is destroyed.
    let mut names: Vec<_> = names[..3].iter().map(|&name| unsafe { CStr::from_ptr(name) }).collect();
    names.sort_unstable();
    assert_eq!(names, [c"apply", c"count", c"number"]);
    program.input_sizes = null();
    assert_eq!(create(&mut program).0, ERROR_INVALID_NULL_POINTER.0);
    program.count = 0;
    assert_eq!(create(&mut program).0, ERROR_INVALID_SIZE.0);
}

/// Returns the module with the constant 54321 as a specialization constant of a number. The
/// compiler emits none.
fn specialized(spirv: &[u8], number: u32) -> Vec<u8> {
    let mut words: Vec<u32> = spirv.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let (mut at, mut types, mut constant) = (5, None, 0);
    while at < words.len() {
        let (count, op) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        if (19..=39).contains(&op) && types.is_none() {
            types = Some(at);
        }
        if op == 43 && words[at + 3] == 54321 {
            (words[at], constant) = (words[at] & 0xffff_0000 | 50, words[at + 2]);
        }
        at += count;
    }
    words.splice(types.unwrap()..types.unwrap(), [4 << 16 | 71, constant, 1, number]);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn constants_are_specialized() {
    let Some(imports) = MODULE.as_ref().and(spirv_of("imports.cl")) else { return };
    let setup = setup();
    let spirv = specialized(&imports, 42);
    let value = -3_i32;
    let create = |ids: &[u32], values: &[*mut c_void]| {
        let constants = ModuleConstants {
            num_constants: ids.len() as u32,
            p_constant_ids: ids.as_ptr(),
            p_constant_values: values.as_ptr(),
        };
        let desc = ModuleDesc {
            stype: 0x1b,
            input_size: spirv.len(),
            p_input_module: spirv.as_ptr(),
            p_constants: &raw const constants,
            ..Default::default()
        };
        let mut module = null_mut();
        let result = call!(zeModuleCreate, setup.context => Raw, setup.device => Raw, &desc => *const ModuleDesc,
            &mut module => *mut Raw, null_mut() => *mut Raw);
        (result, module)
    };
    let place = (&raw const value).cast_mut().cast();
    let exports = spirv_of("exports.cl").unwrap();
    let provider = setup.module(0, &exports, c"-library-compilation").1;
    let (result, module) = create(&[42], &[place]);
    assert_eq!((result, link(&[module, provider]).0), (0, 0));
    assert_eq!(run(&setup, setup.kernel(module, c"number"), 0), -3);
    let (_, plain, _) = setup.module(0, &spirv, c"");
    assert_eq!(link(&[plain, provider]).0, 0);
    assert_eq!(run(&setup, setup.kernel(plain, c"number"), 0), 54321);
    assert_eq!(create(&[41], &[place]).0, ERROR_INVALID_ARGUMENT.0);
    assert_eq!(create(&[42], &[null_mut()]).0, ERROR_INVALID_NULL_POINTER.0);
}

#[test]
fn kernels_describe_themselves() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    let (_, module, _) = setup.module(0, spirv, c"");
    let kernel = setup.kernel(module, c"scale");
    let (first, second): (*mut f32, *mut f32) = (setup.shared(100), setup.shared(7));
    assert_eq!((set(kernel, 0, &first.wrapping_add(3)), set(kernel, 1, &second)), (0, 0));
    let (mut count, mut found) = (4, [KernelAllocationExpProperties::default(); 4]);
    let result = call!(zeKernelGetAllocationPropertiesExp, kernel => Raw, &mut count => *mut u32,
        found.as_mut_ptr() => *mut KernelAllocationExpProperties);
    assert_eq!((result, count), (0, 2));
    assert_eq!((found[0].base, found[0].size, found[0].kind, found[0].arg_index), (first as u64, 400, 3, 0));
    assert_eq!((found[1].base, found[1].size, found[1].arg_index), (second as u64, 28, 1));
    // The text of attributes, whose place the program provides.
    let (mut size, mut text) = (0_u32, [1 as c_char; 64]);
    assert_eq!(
        call!(zeKernelGetSourceAttributes, kernel => Raw, &mut size => *mut u32, null_mut() => *mut *mut c_char),
        0
    );
    assert!(size >= 1);
    let mut place = text.as_mut_ptr();
    assert_eq!(
        call!(zeKernelGetSourceAttributes, kernel => Raw, &mut size => *mut u32, &mut place => *mut *mut c_char),
        0
    );
    assert_eq!(text[size as usize - 1], 0);
    // The binary of a kernel is a native file that has it.
    let mut size = 0;
    assert_eq!(call!(zeKernelGetBinaryExp, kernel => Raw, &mut size => *mut usize, null_mut() => *mut u8), 0);
    let mut bytes = vec![0; size];
    let result = call!(zeKernelGetBinaryExp, kernel => Raw, &mut size => *mut usize, bytes.as_mut_ptr() => *mut u8);
    let (built, native, log) = setup.module(1, &bytes, c"");
    assert_eq!((result, built, log.as_str()), (0, 0, ""));
    setup.kernel(native, c"scale");
}
