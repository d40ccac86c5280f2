//! Calls of the driver's functions as a program makes them, and a compiled module.

#![allow(dead_code, reason = "each test uses some")]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::{LazyLock, Mutex};

use visakit_level_zero::base::types::*;
use visakit_level_zero::{SYSMAN, function};
use visakit_testing::{have, program, root, scratch};

/// Handle.
pub(crate) type Raw = *mut c_void;

/// Calls a function of the driver with arguments of the API's types, and returns its result.
macro_rules! call {
    ($name:ident $(, $arg:expr => $ty:ty)* $(,)?) => {{
        let address = $crate::common::address(stringify!($name));
        // SAFETY: the test passes the arguments that the specification requires.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe {
            let function: unsafe extern "C" fn($($ty),*) -> u32 = std::mem::transmute(address);
            function($($arg),*)
        }
    }};
}
#[allow(unused_imports, reason = "each test uses some")]
pub(crate) use call;

/// Returns the address of a function.
pub(crate) fn address(name: &str) -> *const c_void {
    let of_sysman = || SYSMAN.iter().copied().flatten().find(|function| function.name == name);
    function(name).or_else(of_sysman).unwrap().address
}

/// Folder of the test's programs.
pub(crate) fn programs() -> PathBuf {
    root().join("crates/level-zero/tests/programs")
}

/// Returns the process that runs the compiler, which is built next to the driver.
pub(crate) fn compiler() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("visakit-oclc")
}

/// SPIR-V of `kernels.cl`; `None` without a compiler.
pub(crate) static MODULE: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| spirv_of("kernels.cl"));

/// Compiles a file of the test's programs to SPIR-V, once; `None` without a compiler.
pub(crate) fn spirv_of(name: &str) -> Option<Vec<u8>> {
    static MADE: Mutex<BTreeMap<String, Option<Vec<u8>>>> = Mutex::new(BTreeMap::new());
    // Tests of a file run at the same time, and compile in the same folder.
    let mut made = MADE.lock().unwrap();
    made.entry(name.to_owned()).or_insert_with(|| compile(name)).clone()
}

fn compile(name: &str) -> Option<Vec<u8>> {
    let found = program("ocloc") && compiler().is_file();
    if !have("level-zero", "vendor", found, "ocloc and visakit-oclc") {
        return None;
    }
    let folder = scratch(&format!("level-zero-{}", name.replace('/', "-")));
    let mut command = Command::new("ocloc");
    command.args(["compile", "-device", "dg2", "-spv_only", "-output", "k", "-output_no_suffix"]);
    command.args(["-options", "-cl-std=CL3.0", "-file"]);
    let output = command.arg(programs().join(name)).current_dir(&folder).output().unwrap();
    let file = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let bytes = file.map(|path| std::fs::read(path).unwrap()).find(|bytes| bytes.starts_with(&[3, 2, 0x23, 7]));
    assert!(bytes.is_some(), "{}", String::from_utf8_lossy(&output.stdout));
    bytes
}

/// Returns the text of a log, which it destroys.
pub(crate) fn log_text(log: Raw) -> String {
    if log.is_null() {
        return String::new();
    }
    let mut size = 0;
    call!(zeModuleBuildLogGetString, log => Raw, &mut size => *mut usize, null_mut() => *mut u8);
    let mut text = vec![0; size];
    call!(zeModuleBuildLogGetString, log => Raw, &mut size => *mut usize, text.as_mut_ptr() => *mut u8);
    assert_eq!(call!(zeModuleBuildLogDestroy, log => Raw), 0);
    text.pop();
    String::from_utf8_lossy(&text).into_owned()
}

/// Driver, device and context.
pub(crate) struct Setup {
    pub(crate) driver: Raw,
    pub(crate) device: Raw,
    pub(crate) context: Raw,
}

/// Initialises the driver for one device.
pub(crate) fn setup() -> Setup {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: the tests of this program read and write the environment only through this call.
        unsafe {
            std::env::set_var("VISAKIT_DEVICES", "dg2,skl");
            std::env::set_var("VISAKIT_COMPILER", compiler());
            std::env::set_var("VISAKIT_CACHE", scratch("level-zero-cache"));
        }
    });
    assert_eq!(call!(zeInit, 0 => u32), 0);
    let (mut driver, mut devices, mut context) = (null_mut(), [null_mut(); 2], null_mut());
    let mut count = 1;
    assert_eq!(call!(zeDriverGet, &mut count => *mut u32, &mut driver => *mut Raw), 0);
    count = 2;
    assert_eq!(call!(zeDeviceGet, driver => Raw, &mut count => *mut u32, devices.as_mut_ptr() => *mut Raw), 0);
    assert_eq!(count, 2);
    let desc = ContextDesc { stype: 0xd, ..Default::default() };
    assert_eq!(call!(zeContextCreate, driver => Raw, &desc => *const ContextDesc, &mut context => *mut Raw), 0);
    Setup { driver, device: devices[0], context }
}

impl Setup {
    /// Allocates shared memory.
    pub(crate) fn shared<T>(&self, count: usize) -> *mut T {
        let (device, host) = (DeviceMemAllocDesc::default(), HostMemAllocDesc::default());
        let (mut place, size) = (null_mut(), count * size_of::<T>());
        let result = call!(zeMemAllocShared, self.context => Raw, &device => *const DeviceMemAllocDesc,
            &host => *const HostMemAllocDesc, size => usize, 64 => usize, self.device => Raw,
            &mut place => *mut *mut c_void);
        assert_eq!(result, 0);
        place.cast()
    }

    /// Creates a module of SPIR-V (0) or native code (1); returns the result and the log.
    pub(crate) fn module(&self, format: u32, bytes: &[u8], flags: &std::ffi::CStr) -> (u32, Raw, String) {
        let desc = ModuleDesc {
            stype: 0x1b,
            format,
            input_size: bytes.len(),
            p_input_module: bytes.as_ptr(),
            p_build_flags: flags.as_ptr(),
            ..Default::default()
        };
        let (mut module, mut log) = (null_mut(), null_mut());
        let result = call!(zeModuleCreate, self.context => Raw, self.device => Raw, &desc => *const ModuleDesc,
            &mut module => *mut Raw, &mut log => *mut Raw);
        (result, module, log_text(log))
    }

    /// Creates a kernel.
    pub(crate) fn kernel(&self, module: Raw, name: &std::ffi::CStr) -> Raw {
        let desc = KernelDesc { stype: 0x1d, p_kernel_name: name.as_ptr().cast::<c_char>(), ..Default::default() };
        let mut kernel = null_mut();
        assert_eq!(call!(zeKernelCreate, module => Raw, &desc => *const KernelDesc, &mut kernel => *mut Raw), 0);
        kernel
    }

    /// Creates an immediate list with flags.
    pub(crate) fn immediate(&self, flags: u32, mode: u32) -> Raw {
        let desc = CommandQueueDesc { stype: 0xe, flags, mode, ..Default::default() };
        let mut list = null_mut();
        let result = call!(zeCommandListCreateImmediate, self.context => Raw, self.device => Raw,
            &desc => *const CommandQueueDesc, &mut list => *mut Raw);
        assert_eq!(result, 0);
        list
    }

    /// Creates a pool and its events.
    pub(crate) fn events<const N: usize>(&self, flags: u32) -> (Raw, [Raw; N]) {
        let desc = EventPoolDesc { stype: 0x10, flags, count: N as u32, ..Default::default() };
        let mut pool = null_mut();
        let result = call!(zeEventPoolCreate, self.context => Raw, &desc => *const EventPoolDesc, 0 => u32,
            null() => *const Raw, &mut pool => *mut Raw);
        assert_eq!(result, 0);
        let event = |index: usize| {
            let desc = EventDesc { stype: 0x11, index: index as u32, ..Default::default() };
            let mut event = null_mut();
            assert_eq!(call!(zeEventCreate, pool => Raw, &desc => *const EventDesc, &mut event => *mut Raw), 0);
            event
        };
        (pool, std::array::from_fn(event))
    }
}

/// Sets an argument of a kernel.
pub(crate) fn set<T>(kernel: Raw, index: u32, value: &T) -> u32 {
    let place = std::ptr::from_ref(value).cast::<c_void>();
    call!(zeKernelSetArgumentValue, kernel => Raw, index => u32, size_of::<T>() => usize, place => *const c_void)
}

/// Appends a launch.
pub(crate) fn launch(list: Raw, kernel: Raw, groups: u32, signal: Raw, waits: &[Raw]) -> u32 {
    let groups = GroupCount { group_count_x: groups, group_count_y: 1, group_count_z: 1 };
    call!(zeCommandListAppendLaunchKernel, list => Raw, kernel => Raw, &groups => *const GroupCount,
        signal => Raw, waits.len() as u32 => u32, waits.as_ptr() => *const Raw)
}
