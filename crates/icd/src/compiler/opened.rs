//! The files that the compiler looks for: functions of libc that come before libc's own.
//!
//! The dynamic linker resolves `open`, `stat` and `fopen` of the compiler's libraries to the
//! functions of this program. They do what libc's do, and note the path.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::dependency;
use crate::request::Named;

/// Paths with their states, while they are noted.
static NOTED: Mutex<Option<Noted>> = Mutex::new(None);

struct Noted {
    /// The compiler's working folder, whose files are its own.
    own: PathBuf,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// Begins to note the files that are looked for.
pub(crate) fn begin() {
    let own = std::env::current_dir().unwrap_or_default();
    *NOTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Noted { own, files: BTreeMap::new() });
}

/// Returns the files that were looked for since `begin`, with the states that they had.
pub(crate) fn end() -> Vec<Named> {
    let noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner).take();
    let files = noted.map(|noted| noted.files).unwrap_or_default();
    let named = |(path, state): (PathBuf, Vec<u8>)| match path.into_os_string().into_string() {
        Ok(path) => (path, state),
        // A name that is no text cannot be looked up again.
        Err(path) => (path.to_string_lossy().into_owned(), dependency::UNKNOWN.to_vec()),
    };
    files.into_iter().map(named).collect()
}

/// Returns `true` if the compiler's libraries call the functions of this file.
pub(crate) fn is_effective() -> bool {
    let own: [(&CStr, *const c_void); 4] = [
        (c"open", open as *const c_void),
        (c"open64", open64 as *const c_void),
        (c"stat", stat as *const c_void),
        (c"fopen", fopen as *const c_void),
    ];
    // SAFETY: the names end with a zero.
    own.iter().all(|(name, own)| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.cast_const() == *own)
}

/// Notes a path before it is opened for reading.
///
/// # Safety
/// `path` is null or a text that ends with a zero.
unsafe fn note(path: *const c_char) {
    if path.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    let place = {
        let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(noted) = &mut *noted else { return };
        // A path that goes up from the folder leaves it, and is then absolute all the same.
        let place = noted.own.join(path);
        let is_own =
            place.strip_prefix(&noted.own).is_ok_and(|rest| !rest.components().any(|part| part.as_os_str() == ".."));
        let system = ["/proc", "/sys", "/dev"];
        // Nobody includes those by name, and the compiler asks them about the machine.
        if is_own || system.iter().any(|folder| place.starts_with(folder)) || noted.files.contains_key(&place) {
            return;
        }
        noted.files.insert(place.clone(), dependency::UNKNOWN.to_vec());
        place
    };
    // Reading the state opens the file by these functions, so nothing is locked meanwhile, and the
    // path is there already.
    let state = dependency::state(&place);
    if let Some(noted) = &mut *NOTED.lock().unwrap_or_else(PoisonError::into_inner) {
        noted.files.insert(place, state);
    }
}

/// Opens a file by the system call.
///
/// # Safety
/// As for `openat` of libc.
unsafe fn open_at(folder: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    if flags & libc::O_ACCMODE == libc::O_RDONLY && folder == libc::AT_FDCWD {
        // SAFETY: the caller's promise.
        unsafe { note(path) };
    }
    // SAFETY: the caller's promise; the call sets `errno` as libc's function does.
    unsafe { libc::syscall(libc::SYS_openat, folder, path, flags, mode) as c_int }
}

/// As `open` of libc. The mode is passed as a fixed argument is, on all systems that this is built
/// for.
///
/// # Safety
/// As for libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(libc::AT_FDCWD, path, flags, mode) }
}

/// As `open64` of libc.
///
/// # Safety
/// As for libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(libc::AT_FDCWD, path, flags, mode) }
}

/// As `openat` of libc.
///
/// # Safety
/// As for libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn openat(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(folder, path, flags, mode) }
}

/// As `openat64` of libc.
///
/// # Safety
/// As for libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn openat64(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(folder, path, flags, mode) }
}

/// As `stat` of libc.
///
/// # Safety
/// As for libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn stat(path: *const c_char, found: *mut libc::stat) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        note(path);
        libc::syscall(libc::SYS_newfstatat, libc::AT_FDCWD, path, found, 0) as c_int
    }
}

/// As `stat64` of libc, which is the same with 64 bits.
///
/// # Safety
/// As for libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn stat64(path: *const c_char, found: *mut libc::stat) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { stat(path, found) }
}

/// The type of `fopen`.
type Fopen = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void;

/// Opens a file by libc's function of a name.
///
/// # Safety
/// As for `fopen` of libc.
unsafe fn open_stream(name: &CStr, path: *const c_char, mode: *const c_char) -> *mut c_void {
    // SAFETY: the caller's promise; the function that comes after this one has the same type.
    unsafe {
        if !mode.is_null() && *mode == b'r' as c_char {
            note(path);
        }
        let next = libc::dlsym(libc::RTLD_NEXT, name.as_ptr());
        if next.is_null() {
            return next;
        }
        std::mem::transmute::<*mut c_void, Fopen>(next)(path, mode)
    }
}

/// As `fopen` of libc.
///
/// # Safety
/// As for libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { open_stream(c"fopen", path, mode) }
}

/// As `fopen64` of libc.
///
/// # Safety
/// As for libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { open_stream(c"fopen64", path, mode) }
}
