//! The process that the vendor's compiler runs in: a request comes in on standard input and the answer goes out on standard
//! output. When the compiler crashes, it is this process that ends.
//!
//! `visakit-oclc --check` says which compiler there is.

#[allow(dead_code, unreachable_pub, reason = "the driver uses the other half")]
#[path = "../request.rs"]
mod request;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::ExitCode;

use request::{Named, Request, Response};

/// The compiler's library.
const LIBRARIES: [&CStr; 2] = [c"libocloc.so", c"libocloc.so.1"];
/// The library that it takes its back end from, as the dynamic linker finds it beside.
const BACK_END: &str = "libigc.so.1";

/// Runs the compiler; `ocloc_api.h` of the package libocloc-dev has the parameters.
type Invoke = unsafe extern "C" fn(
    u32,
    *const *const c_char,
    u32,
    *const *const u8,
    *const u64,
    *const *const c_char,
    u32,
    *const *const u8,
    *const u64,
    *const *const c_char,
    *mut u32,
    *mut *mut *mut u8,
    *mut *mut u64,
    *mut *mut *mut c_char,
) -> c_int;

fn main() -> ExitCode {
    let Some(symbol) = find(c"oclocInvoke") else {
        eprintln!("visakit-oclc: there is no libocloc.so; on Debian it is in the package intel-opencl-icd");
        return ExitCode::from(3);
    };
    if std::env::args().nth(1).as_deref() == Some("--check") {
        print!("{}", identity(symbol));
        return ExitCode::SUCCESS;
    }
    match serve(symbol) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("visakit-oclc: {error}");
            ExitCode::from(2)
        }
    }
}

/// The address of a function of the compiler.
fn find(name: &CStr) -> Option<*mut c_void> {
    LIBRARIES.iter().find_map(|library| {
        // SAFETY: both texts end with a zero. What the library does when it is loaded is the vendor's.
        let symbol = unsafe {
            let library = libc::dlopen(library.as_ptr(), libc::RTLD_NOW);
            if library.is_null() { library } else { libc::dlsym(library, name.as_ptr()) }
        };
        (!symbol.is_null()).then_some(symbol)
    })
}

/// The compiler by the files that it is in.
fn identity(symbol: *mut c_void) -> String {
    // SAFETY: all fields may be zero.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the function fills in the structure for any address; the name lives as long as the library.
    let path = unsafe {
        match libc::dladdr(symbol, &mut found) {
            0 => String::new(),
            _ => CStr::from_ptr(found.dli_fname).to_string_lossy().into_owned(),
        }
    };
    let beside = Path::new(&path).with_file_name(BACK_END);
    let files = [Path::new(&path), beside.as_path()].map(|file| {
        let file = file.canonicalize().unwrap_or(file.to_owned());
        let times = file.metadata().map_or((0, 0), |metadata| (metadata.size(), metadata.mtime()));
        format!("{} {} {}\n", file.display(), times.0, times.1)
    });
    files.concat()
}

fn serve(symbol: *mut c_void) -> io::Result<()> {
    // What the compiler prints by itself must not get into the answer.
    // SAFETY: the calls take and give file descriptors; the new one is nobody else's.
    let mut answer = unsafe {
        let answer = libc::dup(1);
        libc::dup2(2, 1);
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        File::from_raw_fd(answer)
    };
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let request = Request::read(&mut bytes.as_slice())?;
    // SAFETY: the function of this name has this type.
    let invoke = unsafe { std::mem::transmute::<*mut c_void, Invoke>(symbol) };
    let response = run(invoke, &request)?;
    answer.write_all(&response.to_bytes())
}

fn run(invoke: Invoke, request: &Request) -> io::Result<Response> {
    let arguments = texts(request.arguments.iter())?;
    let arguments: Vec<_> = arguments.iter().map(|text| text.as_ptr()).collect();
    let sources = Files::new(&request.sources)?;
    let headers = Files::new(&request.headers)?;
    let (mut count, mut data, mut sizes, mut names) =
        (0, std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the lists have as many elements as their counts say and live until the call is over.
    let code = unsafe {
        invoke(
            arguments.len() as u32,
            arguments.as_ptr(),
            request.sources.len() as u32,
            sources.data.as_ptr(),
            sources.sizes.as_ptr(),
            sources.pointers.as_ptr(),
            request.headers.len() as u32,
            headers.data.as_ptr(),
            headers.sizes.as_ptr(),
            headers.pointers.as_ptr(),
            &mut count,
            &mut data,
            &mut sizes,
            &mut names,
        )
    };
    let output = |n: usize| {
        // SAFETY: the compiler gave lists of `count` elements; they are its own until the process ends.
        unsafe {
            let name = CStr::from_ptr(*names.add(n)).to_string_lossy().into_owned();
            let (first, size) = (*data.add(n), *sizes.add(n) as usize);
            let bytes = if first.is_null() { &[] } else { std::slice::from_raw_parts(first, size) };
            (name, bytes.to_vec())
        }
    };
    let outputs =
        if data.is_null() || names.is_null() { Vec::new() } else { (0..count as usize).map(output).collect() };
    Ok(Response { code, outputs })
}

/// Files as the compiler takes them.
struct Files {
    data: Vec<*const u8>,
    sizes: Vec<u64>,
    pointers: Vec<*const c_char>,
    /// What the pointers point to.
    _names: Vec<CString>,
}

impl Files {
    fn new(files: &[Named]) -> io::Result<Self> {
        let names = texts(files.iter().map(|(name, _)| name))?;
        Ok(Self {
            data: files.iter().map(|(_, bytes)| bytes.as_ptr()).collect(),
            sizes: files.iter().map(|(_, bytes)| bytes.len() as u64).collect(),
            pointers: names.iter().map(|name| name.as_ptr()).collect(),
            _names: names,
        })
    }
}

fn texts<'a>(texts: impl Iterator<Item = &'a String>) -> io::Result<Vec<CString>> {
    texts.map(|text| CString::new(text.as_str()).map_err(io::Error::from)).collect()
}
