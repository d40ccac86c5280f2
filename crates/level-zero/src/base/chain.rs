//! Structures that the caller passes: single ones, lists with their count, and chains of extension
//! structures.

use std::ffi::c_void;

use visakit_runtime::base::raw::{In, Out};

use crate::base::result::{ERROR_INVALID_NULL_POINTER, Result, ensure};

/// Maximum length of a chain of structures. One call may update many arguments of many commands.
const MOST_LINKS: usize = 1 << 16;

/// First fields of each structure with a type.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    stype: u32,
    next: *mut c_void,
}

/// Reads a required structure.
pub(crate) fn read<T: Copy>(input: In<T>) -> Result<T> {
    input.get().ok_or(ERROR_INVALID_NULL_POINTER)
}

/// Writes a required result.
pub(crate) fn write<T>(out: Out<T>, value: T) -> Result {
    ensure(!out.is_null(), ERROR_INVALID_NULL_POINTER)?;
    out.put(value);
    Ok(())
}

/// Changes a required structure in place, which keeps its type and its chain.
pub(crate) fn update<T: Copy>(out: Out<T>, change: impl FnOnce(&mut T)) -> Result {
    let mut value = read(out.input())?;
    change(&mut value);
    write(out, value)
}

/// Answers a query for a list: the number of elements, or as many elements as the caller has room
/// for. `change` fills in the element with an index.
pub(crate) fn list<T: Copy>(count: Out<u32>, out: Out<T>, total: usize, change: impl Fn(usize, &mut T)) -> Result {
    let room = read(count.input())?;
    if room == 0 || out.is_null() {
        count.put(total as u32);
        return Ok(());
    }
    let filled = total.min(room as usize);
    for n in 0..filled {
        // SAFETY: the caller has room for as many elements as its count says.
        update(unsafe { out.at(n) }, |element| change(n, element))?;
    }
    count.put(filled as u32);
    Ok(())
}

/// Answers a query for a text or bytes: the size, or the contents if the caller has room.
pub(crate) fn bytes(size: Out<usize>, out: Out<u8>, contents: &[u8]) -> Result {
    let room = read(size.input())?;
    if !out.is_null() && room > 0 {
        // SAFETY: the caller has room for as many bytes as its size says.
        unsafe { out.put_list(room, contents.iter().copied())? };
    }
    size.put(contents.len());
    Ok(())
}

/// Calls a function for each structure of a chain, with its type and address.
///
/// # Safety
/// `next` is null or points to a structure with a type, whose chain is valid.
pub(crate) unsafe fn each(mut next: *mut c_void, mut visit: impl FnMut(u32, *mut c_void)) {
    for _ in 0..MOST_LINKS {
        if next.is_null() {
            return;
        }
        // SAFETY: the caller guarantees the structure.
        let header = unsafe { next.cast::<Header>().read_unaligned() };
        visit(header.stype, next);
        next = header.next;
    }
}

/// Returns the last structure of a chain with one of these types.
///
/// # Safety
/// As [`each`]; structures of these types have the fields of `T`.
pub(crate) unsafe fn find<T: Copy>(next: *mut c_void, types: &[u32]) -> Option<T> {
    let mut found = None;
    // SAFETY: guaranteed by the caller.
    unsafe {
        each(next, |stype, place| {
            if types.contains(&stype) {
                found = Some(place.cast::<T>().read_unaligned());
            }
        });
    }
    found
}

/// Changes a structure of a chain in place.
///
/// # Safety
/// `place` points to a structure of this type.
pub(crate) unsafe fn fill<T: Copy>(place: *mut c_void, change: impl FnOnce(&mut T)) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut value = place.cast::<T>().read_unaligned();
        change(&mut value);
        place.cast::<T>().write_unaligned(value);
    }
}

/// Copies a text into a field, which ends with a zero.
pub(crate) fn text<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.iter_mut().zip(text.bytes()).take(N - 1).for_each(|(to, from)| *to = from);
    bytes
}
