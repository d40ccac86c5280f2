//! Tracking of the files that the compiler looks for, by functions that override libc's.
//!
//! The dynamic linker resolves `open`, `stat` and `fopen` in the compiler's libraries to the
//! functions of this program. They behave like libc's and record the path.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use visakit_runtime::vendor::dependency;
use visakit_runtime::vendor::request::Named;

/// Recorded paths with their states; `None` while recording is off.
static NOTED: Mutex<Option<Noted>> = Mutex::new(None);

struct Noted {
    /// Working folder of the compiler, whose files are not recorded.
    own: PathBuf,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// Starts recording.
pub(crate) fn begin() {
    let own = std::env::current_dir().unwrap_or_default();
    *NOTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Noted { own, files: BTreeMap::new() });
}

/// Stops recording and returns the files that were looked for, with their states at that time.
pub(crate) fn end() -> Vec<Named> {
    let noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner).take();
    let files = noted.map(|noted| noted.files).unwrap_or_default();
    let named = |(path, state): (PathBuf, Vec<u8>)| match path.into_os_string().into_string() {
        Ok(path) => (path, state),
        // A path that is not valid UTF-8 cannot be looked up again.
        Err(path) => (path.to_string_lossy().into_owned(), dependency::UNKNOWN.to_vec()),
    };
    files.into_iter().map(named).collect()
}

/// Returns true if the compiler's libraries call the functions of this file.
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

/// Records a path before it is opened for reading.
///
/// # Safety
/// `path` is null or a string that ends with a zero.
unsafe fn note(path: *const c_char) {
    if path.is_null() {
        return;
    }
    // SAFETY: guaranteed by the caller.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    let place = {
        let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(noted) = &mut *noted else { return };
        // A path with `..` components leaves the folder and is resolved all the same.
        let place = noted.own.join(path);
        let is_own =
            place.strip_prefix(&noted.own).is_ok_and(|rest| !rest.components().any(|part| part.as_os_str() == ".."));
        let system = ["/proc", "/sys", "/dev"];
        // These folders hold no headers; the compiler queries them about the machine.
        if is_own || system.iter().any(|folder| place.starts_with(folder)) || noted.files.contains_key(&place) {
            return;
        }
        noted.files.insert(place.clone(), dependency::UNKNOWN.to_vec());
        place
    };
    // `state` opens the file by the functions of this module. The lock is released to avoid a
    // deadlock, and the path is already recorded.
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
        // SAFETY: guaranteed by the caller.
        unsafe { note(path) };
    }
    // SAFETY: guaranteed by the caller; the call sets `errno` as libc's function does.
    unsafe { libc::syscall(libc::SYS_openat, folder, path, flags, mode) as c_int }
}

/// Overrides `open` of libc. On all supported systems a variadic `mode` is passed like a fixed
/// parameter.
///
/// # Safety
/// As for libc's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { open_at(libc::AT_FDCWD, path, flags, mode) }
}

/// Overrides `open64` of libc.
///
/// # Safety
/// As for libc's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { open_at(libc::AT_FDCWD, path, flags, mode) }
}

/// Overrides `openat` of libc.
///
/// # Safety
/// As for libc's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn openat(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { open_at(folder, path, flags, mode) }
}

/// Overrides `openat64` of libc.
///
/// # Safety
/// As for libc's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn openat64(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: libc::mode_t,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { open_at(folder, path, flags, mode) }
}

/// Overrides `stat` of libc.
///
/// # Safety
/// As for libc's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn stat(path: *const c_char, found: *mut libc::stat) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        note(path);
        libc::syscall(libc::SYS_newfstatat, libc::AT_FDCWD, path, found, 0) as c_int
    }
}

/// Overrides `stat64` of libc, which equals `stat` on 64-bit systems.
///
/// # Safety
/// As for libc's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn stat64(path: *const c_char, found: *mut libc::stat) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { stat(path, found) }
}

/// Type of `fopen`.
type Fopen = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void;

/// Opens a stream by libc's function of the given name.
///
/// # Safety
/// As for `fopen` of libc.
unsafe fn open_stream(name: &CStr, path: *const c_char, mode: *const c_char) -> *mut c_void {
    // SAFETY: guaranteed by the caller; the next function of this name has the same type.
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

/// Overrides `fopen` of libc.
///
/// # Safety
/// As for libc's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    unsafe { open_stream(c"fopen", path, mode) }
}

/// Overrides `fopen64` of libc.
///
/// # Safety
/// As for libc's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    unsafe { open_stream(c"fopen64", path, mode) }
}
