//! Access to the caller's memory: values and lists to read, places for results, strings.
//!
//! An entry point wraps each of its pointers once, in one of the types of this module. The type has
//! the pointer's contract as its invariant, so that its use is safe. Lists whose length is another
//! parameter remain unsafe to read, because no type can know that length. A misaligned list is an
//! error; single values may be misaligned.

use std::ffi::{CStr, c_char, c_void};

use crate::base::failure::Failure;

/// Result of an access.
type Result<T = ()> = std::result::Result<T, Failure>;

/// Type of a parameter of an entry point.
pub trait Caller {
    /// Type of the parameter in the API.
    type Raw;

    /// Wraps the parameter.
    ///
    /// # Safety
    /// A pointer is null, or valid by the invariant of the type until the call returns.
    unsafe fn of(raw: Self::Raw) -> Self;
}

/// Implements [`Caller`] for numbers, handles and addresses, which are not dereferenced.
macro_rules! plain_callers {
    ($([$($generic:ident)?] $type:ty,)*) => {$(
        impl$(<$generic>)? Caller for $type {
            type Raw = Self;

            unsafe fn of(raw: Self) -> Self {
                raw
            }
        }
    )*};
}

plain_callers! {
    [] i32,
    [] u32,
    [] i64,
    [] u64,
    [] usize,
    [T] *const T,
    [T] *mut T,
    [T] Option<T>,
}

/// Pointer that the call reads through: null, or to a value or a list.
pub struct In<T>(*const T);

/// Pointer that the call writes through: null, or with room for a value or a list.
pub struct Out<T>(*mut T);

/// Pointer that an API declares without a type, although its use determines the type: null, or to a
/// value.
pub struct Untyped<T>(*const T);

/// Pointer to three sizes, or null.
#[derive(Clone, Copy)]
pub struct Three(*const usize);

/// Pointer to a zero-terminated list, or null.
pub struct ZeroEnded<T>(*const T);

/// Pointer to a zero-terminated string, or null.
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T> Clone for ZeroEnded<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ZeroEnded<T> {}

impl<T> Caller for In<T> {
    type Raw = *const T;

    unsafe fn of(raw: *const T) -> Self {
        Self(raw)
    }
}

impl<T> Caller for Out<T> {
    type Raw = *mut T;

    unsafe fn of(raw: *mut T) -> Self {
        Self(raw)
    }
}

impl<T> Caller for Untyped<T> {
    type Raw = *const c_void;

    unsafe fn of(raw: *const c_void) -> Self {
        Self(raw.cast())
    }
}

impl<T: Copy> Untyped<T> {
    /// Reads the value; `None` for a null pointer.
    pub fn get(&self) -> Option<T> {
        In(self.0).get()
    }
}

impl Caller for Three {
    type Raw = *const usize;

    unsafe fn of(raw: *const usize) -> Self {
        Self(raw)
    }
}

impl<T> Caller for ZeroEnded<T> {
    type Raw = *const T;

    unsafe fn of(raw: *const T) -> Self {
        Self(raw)
    }
}

impl Caller for Text {
    type Raw = *const c_char;

    unsafe fn of(raw: *const c_char) -> Self {
        Self(raw)
    }
}

impl<T> In<T> {
    /// Returns true for a null pointer.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Returns the elements of a list; empty for a null pointer.
    ///
    /// # Errors
    /// `InvalidValue` for a misaligned list.
    ///
    /// # Safety
    /// A non-null pointer points to `count` elements that do not change while the list is used.
    pub unsafe fn list<'a>(self, count: usize) -> Result<&'a [T]> {
        if self.is_null() || count == 0 {
            return Ok(&[]);
        }
        ensure(self.0.is_aligned())?;
        // SAFETY: the caller guarantees the elements; alignment was checked.
        Ok(unsafe { std::slice::from_raw_parts(self.0, count) })
    }

    /// Returns the elements of a list whose pointer and count agree on its presence.
    ///
    /// # Errors
    /// `code` if they disagree, or the list is misaligned.
    ///
    /// # Safety
    /// As [`In::list`].
    pub unsafe fn agreed<'a, E>(self, count: usize, code: E) -> std::result::Result<&'a [T], E> {
        if (count == 0) != self.is_null() {
            return Err(code);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { self.list(count) }.map_err(|_| code)
    }
}

impl<T: Copy> In<T> {
    /// Reads the value; `None` for a null pointer.
    pub fn get(self) -> Option<T> {
        // SAFETY: a pointer that is not null points to a value.
        (!self.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }
}

impl In<c_void> {
    /// Casts the pointer to another element type.
    ///
    /// # Safety
    /// A non-null pointer points to such values.
    pub unsafe fn cast<T>(self) -> In<T> {
        In(self.0.cast())
    }

    /// Returns `count` bytes; empty for a null pointer.
    ///
    /// # Safety
    /// A non-null pointer points to `count` bytes that do not change while the list is used.
    pub unsafe fn bytes<'a>(self, count: usize) -> &'a [u8] {
        // SAFETY: guaranteed by the caller, and bytes need no alignment.
        unsafe { self.cast::<u8>().list(count) }.unwrap_or_default()
    }
}

impl<T> Out<T> {
    /// Returns true for a null pointer.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes the value, unless the pointer is null.
    pub fn put(self, value: T) {
        if !self.is_null() {
            // SAFETY: a pointer that is not null points to room for a value.
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// Writes as many values as fit into a list, unless the pointer is null.
    ///
    /// # Errors
    /// `InvalidValue` for a misaligned list.
    ///
    /// # Safety
    /// A non-null pointer has room for `room` values.
    pub unsafe fn put_list(self, room: usize, values: impl IntoIterator<Item = T>) -> Result {
        if self.is_null() {
            return Ok(());
        }
        ensure(self.0.is_aligned())?;
        for (n, value) in values.into_iter().take(room).enumerate() {
            // SAFETY: there is room for `room` values; alignment was checked.
            unsafe { self.0.add(n).write(value) };
        }
        Ok(())
    }

    /// Writes the value at an index of a list, unless the pointer is null.
    ///
    /// # Safety
    /// A non-null pointer has room for more than `index` values.
    pub unsafe fn put_at(self, index: usize, value: T) {
        if !self.is_null() {
            // SAFETY: the caller guarantees the room.
            unsafe { self.0.add(index).write_unaligned(value) };
        }
    }

    /// Returns the address.
    pub fn address(self) -> *mut T {
        self.0
    }

    /// Returns the pointer to an element of a list; null for a null pointer.
    ///
    /// # Safety
    /// A non-null pointer has room for more than `index` values.
    pub unsafe fn at(self, index: usize) -> Self {
        // SAFETY: the caller guarantees the room.
        if self.is_null() { self } else { Self(unsafe { self.0.add(index) }) }
    }

    /// Converts to a pointer for reading, because OpenCL declares some input lists without `const`.
    pub fn input(self) -> In<T> {
        In(self.0)
    }
}

impl Three {
    /// Reads the sizes.
    ///
    /// # Errors
    /// `InvalidValue` for a null pointer.
    pub fn get(self) -> Result<[usize; 3]> {
        ensure(!self.0.is_null())?;
        // SAFETY: a pointer that is not null points to three sizes.
        Ok(unsafe { self.0.cast::<[usize; 3]>().read_unaligned() })
    }
}

impl<T: Copy + PartialEq + Default> ZeroEnded<T> {
    /// Returns true for a null pointer.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Reads the list without its zero; empty for a null pointer. Only every `pitch`-th element is
    /// compared with zero.
    ///
    /// # Errors
    /// `InvalidValue` for a misaligned list.
    pub fn until_zero(self, pitch: usize) -> Result<Vec<T>> {
        let mut list = self.with_zero(pitch)?;
        list.pop();
        Ok(list)
    }

    /// Reads the list with its zero; empty for a null pointer.
    ///
    /// # Errors
    /// As [`ZeroEnded::until_zero`].
    pub fn with_zero(self, pitch: usize) -> Result<Vec<T>> {
        self.to_end(|list| list.len().is_multiple_of(pitch))
    }

    /// Reads a property list in which the value of one property is a list that ends with a zero.
    ///
    /// # Errors
    /// As [`ZeroEnded::until_zero`].
    pub fn properties_with_list(self, name: T) -> Result<Vec<T>> {
        #[derive(PartialEq)]
        enum Next {
            Name,
            Value,
            Listed,
        }
        let mut next = Next::Name;
        self.to_end(|list| {
            if let Some(last) = list.last() {
                next = match next {
                    Next::Name if *last == name => Next::Listed,
                    Next::Name => Next::Value,
                    Next::Listed if *last != T::default() => Next::Listed,
                    Next::Value | Next::Listed => Next::Name,
                };
            }
            next == Next::Name
        })
    }

    /// Reads the list up to a zero at a place where it may end; `may_end` receives the elements
    /// before the place.
    fn to_end(self, mut may_end: impl FnMut(&[T]) -> bool) -> Result<Vec<T>> {
        let mut list = Vec::new();
        if self.is_null() {
            return Ok(list);
        }
        ensure(self.0.is_aligned())?;
        loop {
            // SAFETY: all elements up to the zero are there; alignment was checked.
            let element = unsafe { self.0.add(list.len()).read() };
            let ends = may_end(&list) && element == T::default();
            list.push(element);
            if ends {
                return Ok(list);
            }
        }
    }

    /// Reads a property list: pairs and the final zero; empty for a null pointer.
    ///
    /// # Errors
    /// As [`ZeroEnded::until_zero`].
    pub fn properties(self) -> Result<Vec<T>> {
        self.with_zero(2)
    }
}

impl Text {
    /// Returns true for a null pointer.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Reads the string; empty for a null pointer.
    pub fn get(self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// Reads the bytes of the string without its zero; empty for a null pointer.
    pub fn bytes(self) -> Vec<u8> {
        if self.is_null() {
            return Vec::new();
        }
        // SAFETY: the string ends with a zero.
        unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec()
    }
}

/// Pointer that is passed back to the program.
#[derive(Clone, Copy)]
pub struct UserData(pub *mut c_void);

// SAFETY: the driver never dereferences the pointer; the program knows in which threads its
// callbacks run.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

/// Fails unless a condition holds.
fn ensure(condition: bool) -> Result {
    if condition { Ok(()) } else { Err(Failure::InvalidValue) }
}
