//! Texts of objects, routines and instructions, and bytes of objects.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::{Mutex, PoisonError};

use visakit::isa::Platform;
use visakit::text::{self, RoutineNames, Style};

use crate::object::{self, Loaded, Object};
use crate::raw::Out;
use crate::status::{Status, guarded};

/// Output of the vendor's printer. The text may lose information.
pub const VISAKIT_STYLE_VENDOR: u32 = 0;
/// Names of the object, so that the text parses to the same routine.
pub const VISAKIT_STYLE_FULL: u32 = 1;
/// As `VISAKIT_STYLE_FULL`, with directives for unusual tables.
pub const VISAKIT_STYLE_EXPLICIT: u32 = 2;

/// Buffers that the caller has not freed yet, by their addresses.
static BUFFERS: Mutex<BTreeMap<usize, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// Registers a buffer with a zero byte at its end, and returns its address.
fn register(mut bytes: Vec<u8>) -> *const u8 {
    bytes.push(0);
    let at = bytes.as_ptr();
    BUFFERS.lock().unwrap_or_else(PoisonError::into_inner).insert(at.addr(), bytes);
    at
}

/// Frees a text, a name or the bytes of an object. A null pointer is allowed; a pointer that is
/// none of these is an error.
#[unsafe(no_mangle)]
pub extern "C" fn visakit_free(buffer: *const c_void) -> Status {
    guarded(|| {
        let removed = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner).remove(&buffer.addr());
        if buffer.is_null() || removed.is_some() { Ok(()) } else { Err(Status::Handle) }
    })
}

fn style(number: u32) -> Result<Style, Status> {
    match number {
        VISAKIT_STYLE_VENDOR => Ok(Style::Vendor),
        VISAKIT_STYLE_FULL => Ok(Style::Full),
        VISAKIT_STYLE_EXPLICIT => Ok(Style::Explicit),
        _ => Err(Status::Style),
    }
}

/// Writes the bytes that `make` returns to `buffer`, and their number to `size`, which does not
/// count the zero byte at the end and may be null. The pointers are checked before `make` runs.
///
/// # Safety
/// The pointers are null or valid for writes until the calling function returns.
unsafe fn answer<T>(
    buffer: *mut *const T,
    size: *mut usize,
    make: impl FnOnce() -> Result<Vec<u8>, Status>,
) -> Status {
    guarded(|| {
        // SAFETY: this function has the same contract.
        let (buffer, size) = unsafe { (Out::new(buffer)?, Out::optional(size)) };
        let bytes = make()?;
        if let Some(size) = size {
            size.set(bytes.len());
        }
        buffer.set(register(bytes).cast());
        Ok(())
    })
}

/// Writes the text of all routines to `text` and its length to `size`, which may be null. The
/// caller frees the text by `visakit_free`.
///
/// # Safety
/// `text` and `size` are null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_print(
    object: *const Object,
    style: u32,
    text: *mut *const c_char,
    size: *mut usize,
) -> Status {
    let make = || {
        let (loaded, style) = (object::get(object)?, self::style(style)?);
        let texts = (0..loaded.object.routines().count()).map(|routine| print(&loaded, routine, style));
        Ok(texts.collect::<Result<Vec<_>, _>>()?.concat().into_bytes())
    };
    // SAFETY: the pointers are null or valid, by the contract of this function.
    unsafe { answer(text, size, make) }
}

fn print(loaded: &Loaded, routine: usize, style: Style) -> Result<String, Status> {
    Ok(text::print(&loaded.object, loaded.routine(routine)?, loaded.platform(), style))
}

/// Writes the text of a routine to `text` and its length to `size`, which may be null. Routines are
/// counted from 0, kernels first. The caller frees the text by `visakit_free`.
///
/// # Safety
/// `text` and `size` are null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_print_routine(
    object: *const Object,
    routine: usize,
    style: u32,
    text: *mut *const c_char,
    size: *mut usize,
) -> Status {
    let make = || {
        let loaded = object::get(object)?;
        Ok(print(&loaded, routine, self::style(style)?)?.into_bytes())
    };
    // SAFETY: the pointers are null or valid, by the contract of this function.
    unsafe { answer(text, size, make) }
}

/// Writes the text of an instruction to `text` and its length to `size`, which may be null.
/// Instructions are counted from 0. The caller frees the text by `visakit_free`.
///
/// # Safety
/// `text` and `size` are null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_print_instruction(
    object: *const Object,
    routine: usize,
    instruction: usize,
    text: *mut *const c_char,
    size: *mut usize,
) -> Status {
    let make = || {
        let loaded = object::get(object)?;
        let routine = loaded.routine(routine)?;
        let instruction = routine.instructions.get(instruction).ok_or(Status::Index)?;
        let register_bytes = Platform::register_bytes_of(loaded.platform());
        let names = RoutineNames::new(routine, loaded.object.version, register_bytes, Style::Full);
        Ok(instruction.display(&names).to_string().into_bytes())
    };
    // SAFETY: the pointers are null or valid, by the contract of this function.
    unsafe { answer(text, size, make) }
}

/// Writes the name of a routine to `name` and its length to `size`, which may be null. The caller
/// frees the name by `visakit_free`.
///
/// # Safety
/// `name` and `size` are null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_name(
    object: *const Object,
    routine: usize,
    name: *mut *const c_char,
    size: *mut usize,
) -> Status {
    let make = || Ok(object::get(object)?.routine(routine)?.name().into_bytes());
    // SAFETY: the pointers are null or valid, by the contract of this function.
    unsafe { answer(name, size, make) }
}

/// Encodes an object, writes its bytes to `bytes` and their number to `size`. The caller frees the
/// bytes by `visakit_free`.
///
/// # Safety
/// `bytes` and `size` are null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visakit_encode(object: *const Object, bytes: *mut *const u8, size: *mut usize) -> Status {
    // Bytes without their number are of no use.
    if size.is_null() {
        return Status::Null;
    }
    let make = || object::get(object)?.object.encode().map_err(|_| Status::Encode);
    // SAFETY: the pointers are null or valid, by the contract of this function.
    unsafe { answer(bytes, size, make) }
}
