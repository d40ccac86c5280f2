//! Call of the compiler.

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;

use visakit_runtime::vendor::dependency;
use visakit_runtime::vendor::request::{Named, Request, Response};

use crate::opened;

/// Entry point of the compiler; `ocloc_api.h` of the package libocloc-dev documents the parameters.
pub(crate) type Invoke = unsafe extern "C" fn(
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

/// Compiles the sources of a request.
pub(crate) fn run(invoke: Invoke, request: &Request) -> io::Result<Response> {
    let arguments = texts(request.arguments.iter())?;
    let arguments: Vec<_> = arguments.iter().map(|text| text.as_ptr()).collect();
    let sources = Files::new(&request.sources)?;
    let headers = Files::new(&request.headers)?;
    let (mut count, mut data, mut sizes, mut names) =
        (0, std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    opened::begin();
    // SAFETY: the lists have as many elements as their counts say and live until the call returns.
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
    let mut read = opened::end();
    if !opened::is_effective() {
        // The files that the compiler read are unknown, so the build must not be cached.
        read.push((String::new(), dependency::UNKNOWN.to_vec()));
    }
    let output = |n: usize| {
        // SAFETY: the compiler returned lists of `count` elements; they live until the process
        // ends.
        unsafe {
            let name = CStr::from_ptr(*names.add(n)).to_string_lossy().into_owned();
            let (first, size) = (*data.add(n), *sizes.add(n) as usize);
            let bytes = if first.is_null() { &[] } else { std::slice::from_raw_parts(first, size) };
            (name, bytes.to_vec())
        }
    };
    let outputs =
        if data.is_null() || names.is_null() { Vec::new() } else { (0..count as usize).map(output).collect() };
    Ok(Response { code, outputs, read, ..Response::default() })
}

/// Files in the form of the compiler's parameters.
struct Files {
    data: Vec<*const u8>,
    sizes: Vec<u64>,
    pointers: Vec<*const c_char>,
    /// Owner of the memory behind `pointers`.
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
