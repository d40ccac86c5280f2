//! Libraries of the compiler: installed releases, their parts, and the files that they were loaded
//! from.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_int, c_void};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use visakit_runtime::vendor::dependency;
use visakit_runtime::vendor::log::LOG;
use visakit_runtime::vendor::request::{Installed, Named, Request};

use crate::invoke::{Invoke, run};

/// Names of the compiler's library, in order of preference. The last one is the compiler for old
/// devices, which Debian ships next to the new one.
const NAMES: [&str; 3] = ["libocloc.so", "libocloc.so.1", "libocloc_legacy1.so"];
/// Environment variable with paths of other libraries, separated as in PATH, which take precedence.
const VARIABLE: &str = "VISAKIT_OCLOC_LIBRARIES";
/// Name prefixes of the front end and the back end. Each release loads its own version when it
/// compiles.
const PARTS: [&str; 2] = ["libigdfcl.so", "libigc.so"];
/// Name prefixes of the libraries that make up a compiler.
const FAMILY: [&str; 7] = ["libigc", "libigdfcl", "libocloc", "libopencl-clang", "libLLVM", "libclang", "libiga"];

/// Returns the compilers whose front end and back end can be loaded.
pub(crate) fn installed() -> Vec<Installed> {
    let listed = std::env::var_os(VARIABLE).unwrap_or_default();
    let listed = std::env::split_paths(&listed).filter_map(|path| path.into_os_string().into_string().ok());
    let names = listed.filter(|path| !path.is_empty()).chain(NAMES.map(str::to_owned));
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for name in names {
        let Some(path) = load(&name).and_then(path_of) else { continue };
        let file = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.insert(file) {
            found.extend(ask(&path));
        }
    }
    found
}

/// Loads a compiler's library, its front end and its back end. Returns the entry point and the
/// files of the parts.
///
/// The compiler would load the parts itself, but in a way that bypasses the functions of `opened`.
pub(crate) fn load_all(library: &str) -> Option<(Invoke, Vec<PathBuf>)> {
    let invoke = load(library)?;
    let parts = with_contents(&path_of(invoke)?, parts)?;
    let opened = parts.iter().map(|name| open(name).and_then(|_| file_of(name))).collect::<Option<Vec<_>>>()?;
    Some((invoke, opened))
}

/// Queries a compiler about itself; returns `None` if a part of it is missing.
fn ask(path: &Path) -> Option<Installed> {
    let library = path.to_str()?.to_owned();
    let (invoke, opened) = load_all(&library)?;
    let call = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        run(invoke, &Request { library: library.clone(), arguments, ..Request::default() }).ok()
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_matches(['\0', '\n', ' ']).to_owned();
    let help = call(&["ocloc", "compile", "--help"])?;
    let help = help.output(LOG).map(text)?;
    const QUERY: &str = "OCL_DRIVER_VERSION";
    let version =
        call(&["ocloc", "query", QUERY]).and_then(|answer| answer.output(QUERY).map(text)).unwrap_or_default();
    let back_end = opened.iter().find(|part| part.to_str().is_some_and(|name| name.contains(PARTS[1])));
    let back_end = back_end.and_then(|part| named_version(part)).unwrap_or_default();
    Some(Installed { library, version, back_end, help, loaded: loaded() })
}

/// Returns the file names of the front end and the back end contained in a compiler's library.
fn parts(library: &[u8]) -> Vec<String> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+".contains(byte);
    let text = |at: usize| {
        let name: Vec<u8> = library[at..].iter().take(64).take_while(|byte| is_name(byte)).copied().collect();
        String::from_utf8(name).ok()
    };
    let mut found = BTreeSet::new();
    for part in PARTS {
        found.extend(places(library, part.as_bytes()).filter_map(text));
    }
    found.into_iter().collect()
}

/// Returns the positions of a word.
pub(crate) fn places<'a>(bytes: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(from..)?;
        // SAFETY: both are read within their lengths.
        let found =
            unsafe { libc::memmem(rest.as_ptr().cast(), rest.len(), word.as_ptr().cast(), word.len()) } as usize;
        let at = found.checked_sub(rest.as_ptr() as usize)? + from;
        from = at + word.len();
        Some(at)
    })
}

/// Returns the version of IGC in the name of its file. Releases before 2 have an interface number
/// there, which is ignored.
fn named_version(library: &Path) -> Option<String> {
    let file = library.canonicalize().ok()?;
    let (_, version) = file.file_name()?.to_str()?.split_once(".so.")?;
    let version = version.split('+').next().unwrap_or(version);
    let is_release = version.contains('.') && version != "1.0.1";
    is_release.then(|| version.to_owned())
}

/// Returns the version of the loaded back end: from its file name, or from the name of its source
/// folder, which Debian's builds contain.
pub(crate) fn back_end_version() -> Option<String> {
    // If two back ends are loaded, the compiler for old devices was called, which loads the older
    // one.
    let is_it = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PARTS[1]));
    let all = objects();
    let library = all.iter().filter(is_it).min_by_key(|path| path.file_name().map(ToOwned::to_owned))?;
    named_version(library).or_else(|| {
        const SOURCES: &[u8] = b"intel-graphics-compiler-";
        with_contents(library, |bytes| {
            let version = |at: usize| {
                let text = bytes.get(at + SOURCES.len()..)?.iter().take(40);
                let text: Vec<u8> =
                    text.take_while(|byte| byte.is_ascii_digit() || **byte == b'.').copied().collect();
                String::from_utf8(text).ok().filter(|text| text.contains('.'))
            };
            places(bytes, SOURCES).find_map(version)
        })?
    })
}

/// Calls a function with the contents of a library's file, which is mapped: a copy of it would take
/// longer than the search for a word.
fn with_contents<T>(path: &Path, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let file = File::open(path).ok()?;
    let size = usize::try_from(file.metadata().ok()?.len()).ok().filter(|&size| size > 0)?;
    // SAFETY: the call takes numbers and an open file.
    let first =
        unsafe { libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
    if first == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the mapping has `size` bytes. The file is a library that this process has loaded, so
    // that a change of it would break the process anyway.
    let found = read(unsafe { std::slice::from_raw_parts(first.cast(), size) });
    // SAFETY: the mapping is no longer used.
    unsafe { libc::munmap(first, size) };
    Some(found)
}

/// Loads a library and never unloads it.
fn open(name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: the text ends with a zero. The library's initialisation is the vendor's code.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) };
    (!library.is_null()).then_some(library)
}

/// Loads a compiler's library and returns its entry point.
fn load(name: &str) -> Option<Invoke> {
    let library = open(name)?;
    // SAFETY: the library is loaded and the name ends with a zero.
    let symbol = unsafe { libc::dlsym(library, c"oclocInvoke".as_ptr()) };
    // SAFETY: the function of this name has this type.
    (!symbol.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Invoke>(symbol) })
}

/// Returns the file that contains a function.
fn path_of(function: Invoke) -> Option<PathBuf> {
    // SAFETY: all fields may be zero.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the function fills in the structure for any address; the name lives as long as the
    // library.
    let name = unsafe {
        match libc::dladdr(function as *const c_void, &mut found) {
            0 => return None,
            _ => CStr::from_ptr(found.dli_fname),
        }
    };
    Some(PathBuf::from(name.to_str().ok()?))
}

/// Returns the file that a library was loaded from.
fn file_of(name: &str) -> Option<PathBuf> {
    let all = objects();
    let is_it = |path: &&PathBuf| path.file_name().is_some_and(|file| file == name);
    all.iter().find(is_it).cloned()
}

/// Returns the loaded libraries of the compiler, with the files' stamps.
pub(crate) fn loaded() -> Vec<Named> {
    let is_part = |path: &&PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        FAMILY.iter().any(|part| name.starts_with(part))
    };
    let all = objects();
    all.iter().filter(is_part).map(|path| stamped(path)).collect()
}

fn stamped(path: &Path) -> Named {
    (path.to_string_lossy().into_owned(), dependency::stamp(path))
}

/// Returns the files of all loaded objects, sorted by name.
fn objects() -> Vec<PathBuf> {
    unsafe extern "C" fn note(object: *mut libc::dl_phdr_info, _: usize, list: *mut c_void) -> c_int {
        // SAFETY: the linker passes an object whose name ends with a zero, and `list` is the list
        // below.
        unsafe {
            if let Ok(name) = CStr::from_ptr((*object).dlpi_name).to_str() {
                (*list.cast::<BTreeSet<PathBuf>>()).insert(PathBuf::from(name));
            }
        }
        0
    }
    let mut list = BTreeSet::<PathBuf>::new();
    // SAFETY: the function takes these arguments.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut list).cast()) };
    list.into_iter().collect()
}
