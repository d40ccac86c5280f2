//! Handles: addresses of reference-counted objects.
//!
//! An object lives as long as the program or another object holds it. Live objects are registered
//! by address, so that a handle from outside is looked up and never dereferenced. The loader does
//! dereference it to find the driver. Therefore the memory of recently freed objects is kept, and
//! the use of a stale handle yields an error instead of a crash.

use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::{cl_int, cl_uint};

use crate::base::error::{Code, Result, fail};

/// Number of freed objects per kind whose memory is kept.
const LEFTOVERS: usize = 1024;

/// Table of the entry points.
static TABLE: OnceLock<&'static _cl_icd_dispatch> = OnceLock::new();

/// Registers the table of the entry points. The functions by which a program finds the others call
/// it, before any object exists.
pub(crate) fn register(table: &'static _cl_icd_dispatch) {
    TABLE.get_or_init(|| table);
}

/// Object of the API. The first word is the dispatch table, which the loader reads.
#[repr(C)]
pub(crate) struct Object<T: Kind> {
    /// Table of the entry points, which the first call registers; null before.
    dispatch: Option<&'static _cl_icd_dispatch>,
    value: T,
}

/// Reference to an object.
pub(crate) type Handle<T> = Arc<Object<T>>;

impl<T: Kind> Deref for Object<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Kind> Drop for Object<T> {
    fn drop(&mut self) {
        let address = std::ptr::from_ref(self) as usize;
        let mut live = T::live().write();
        if let Some(entry) = live.objects.remove(&address) {
            // A weak reference keeps the object's memory, including the word that the loader reads.
            live.leftovers.push_back(entry.object);
            if live.leftovers.len() > LEFTOVERS {
                live.leftovers.pop_front();
            }
        }
        drop(live);
        self.value.dropped(address as *mut c_void);
    }
}

/// Kind of object.
pub(crate) trait Kind: Send + Sync + Sized + 'static {
    /// Error code for a handle that is not of this kind.
    const INVALID: cl_int;

    /// Returns the registry of live objects.
    fn live() -> &'static Live<Self>;

    /// Called on drop with the former handle.
    fn dropped(&mut self, _handle: *mut c_void) {}
}

/// Registry of the live objects of a kind, by address.
pub(crate) struct Live<T: Kind>(RwLock<List<T>>);

struct List<T: Kind> {
    objects: HashMap<usize, Entry<T>>,
    leftovers: VecDeque<Weak<Object<T>>>,
}

struct Entry<T: Kind> {
    object: Weak<Object<T>>,
    /// Reference held on behalf of the program, while its count is positive.
    held: Option<Handle<T>>,
    count: cl_uint,
}

impl<T: Kind> Default for Live<T> {
    fn default() -> Self {
        Self(RwLock::new(List { objects: HashMap::new(), leftovers: VecDeque::new() }))
    }
}

impl<T: Kind> Live<T> {
    fn read(&self) -> RwLockReadGuard<'_, List<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, List<T>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Defines the registry and the error code of a kind of object.
macro_rules! kind {
    ($kind:ty, $invalid:expr $(, dropped: $dropped:path)?) => {
        impl $crate::base::handle::Kind for $kind {
            const INVALID: opencl_sys::cl_int = $invalid;

            fn live() -> &'static $crate::base::handle::Live<Self> {
                static LIVE: std::sync::LazyLock<$crate::base::handle::Live<$kind>> =
                    std::sync::LazyLock::new(Default::default);
                &LIVE
            }

            $(fn dropped(&mut self, handle: *mut std::ffi::c_void) {
                $dropped(self, handle)
            })?
        }
    };
}
pub(crate) use kind;

/// Returns the number of live objects of a kind.
pub(crate) fn living<T: Kind>() -> usize {
    T::live().read().objects.len()
}

/// Creates an object that the program does not hold yet.
pub(crate) fn create<T: Kind>(value: T) -> Handle<T> {
    let handle = Arc::new(Object { dispatch: TABLE.get().copied(), value });
    let entry = Entry { object: Arc::downgrade(&handle), held: None, count: 0 };
    T::live().write().objects.insert(address(&handle) as usize, entry);
    handle
}

/// Returns the handle of an object as the program sees it.
pub(crate) fn address<T: Kind>(handle: &Handle<T>) -> *mut c_void {
    Arc::as_ptr(handle).cast_mut().cast()
}

/// Returns the handle of an optional object; null for `None`.
pub(crate) fn address_of<T: Kind>(handle: Option<&Handle<T>>) -> *mut c_void {
    handle.map_or(std::ptr::null_mut(), address)
}

/// Passes an object to the program, which holds it from now on.
pub(crate) fn give<T: Kind>(handle: Handle<T>) -> *mut c_void {
    let address = address(&handle);
    if let Some(entry) = T::live().write().objects.get_mut(&(address as usize)) {
        entry.count += 1;
        entry.held.get_or_insert(handle);
    }
    address
}

/// Returns the object of a handle.
pub(crate) fn get<T: Kind>(handle: *mut c_void) -> Result<Handle<T>> {
    let live = T::live().read();
    live.objects.get(&(handle as usize)).and_then(|entry| entry.object.upgrade()).ok_or(Code(T::INVALID))
}

/// Returns the objects of several handles.
pub(crate) fn get_all<T: Kind>(handles: &[*mut c_void]) -> Result<Vec<Handle<T>>> {
    handles.iter().map(|handle| get(*handle)).collect()
}

/// Increments the program's reference count of an object.
pub(crate) fn retain<T: Kind>(handle: *mut c_void) -> Result {
    get::<T>(handle).map(give).map(drop)
}

/// Decrements the program's reference count of an object.
pub(crate) fn release<T: Kind>(handle: *mut c_void) -> Result {
    let mut live = T::live().write();
    let Some(entry) = live.objects.get_mut(&(handle as usize)).filter(|entry| entry.count > 0) else {
        return fail(T::INVALID);
    };
    entry.count -= 1;
    // Drops the object after the registry is unlocked, because the drop may release further
    // objects.
    let last = if entry.count == 0 { entry.held.take() } else { None };
    drop(live);
    drop(last);
    Ok(())
}

/// Returns the program's reference count of an object.
pub(crate) fn count<T: Kind>(handle: &Handle<T>) -> cl_uint {
    let live = T::live().read();
    live.objects.get(&(address(handle) as usize)).map_or(0, |entry| entry.count)
}
