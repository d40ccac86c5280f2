//! Handles: addresses of objects that count how often the program holds them.
//!
//! An object lives as long as the program or another object holds it. Those that live are listed by
//! their addresses, so that a handle from outside is looked up and never followed. The loader does
//! follow it, to find the driver; so the memory of those that were freed last stays, and a program
//! that asks one of them hears that there is none instead of its end.

use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::{cl_int, cl_uint};

use crate::api::dispatch;
use crate::base::error::{Code, Result, fail};

/// How many freed objects of a kind keep their memory.
const LEFTOVERS: usize = 1024;

/// An object of the API. The loader reads the first word, as of every driver's objects.
#[repr(C)]
pub(crate) struct Object<T: Kind> {
    dispatch: &'static _cl_icd_dispatch,
    value: T,
}

/// An object that is held.
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
            // What is weakly held keeps its memory, and the word in it that the loader reads.
            live.leftovers.push_back(entry.object);
            if live.leftovers.len() > LEFTOVERS {
                live.leftovers.pop_front();
            }
        }
        drop(live);
        self.value.dropped(address as *mut c_void);
    }
}

/// A kind of object.
pub(crate) trait Kind: Send + Sync + Sized + 'static {
    /// The error for a handle that is none of this kind.
    const INVALID: cl_int;

    /// All that live.
    fn live() -> &'static Live<Self>;

    /// It goes away; this was its handle.
    fn dropped(&mut self, _handle: *mut c_void) {}
}

/// The objects of a kind that live, by address.
pub(crate) struct Live<T: Kind>(RwLock<List<T>>);

struct List<T: Kind> {
    objects: HashMap<usize, Entry<T>>,
    leftovers: VecDeque<Weak<Object<T>>>,
}

struct Entry<T: Kind> {
    object: Weak<Object<T>>,
    /// Held as long as the program holds it.
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

/// Gives a kind of object its list and its error.
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

/// How many objects of a kind live.
pub(crate) fn living<T: Kind>() -> usize {
    T::live().read().objects.len()
}

/// Makes an object, which the program does not hold yet.
pub(crate) fn create<T: Kind>(value: T) -> Handle<T> {
    let handle = Arc::new(Object { dispatch: dispatch::table(), value });
    let entry = Entry { object: Arc::downgrade(&handle), held: None, count: 0 };
    T::live().write().objects.insert(address(&handle) as usize, entry);
    handle
}

/// The handle as the program has it.
pub(crate) fn address<T: Kind>(handle: &Handle<T>) -> *mut c_void {
    Arc::as_ptr(handle).cast_mut().cast()
}

/// The handle of what may not be there: null.
pub(crate) fn address_of<T: Kind>(handle: Option<&Handle<T>>) -> *mut c_void {
    handle.map_or(std::ptr::null_mut(), address)
}

/// Gives an object to the program, which holds it from now on.
pub(crate) fn give<T: Kind>(handle: Handle<T>) -> *mut c_void {
    let address = address(&handle);
    if let Some(entry) = T::live().write().objects.get_mut(&(address as usize)) {
        entry.count += 1;
        entry.held.get_or_insert(handle);
    }
    address
}

/// The object of a handle.
pub(crate) fn get<T: Kind>(handle: *mut c_void) -> Result<Handle<T>> {
    let live = T::live().read();
    live.objects.get(&(handle as usize)).and_then(|entry| entry.object.upgrade()).ok_or(Code(T::INVALID))
}

/// The objects of several handles.
pub(crate) fn get_all<T: Kind>(handles: &[*mut c_void]) -> Result<Vec<Handle<T>>> {
    handles.iter().map(|handle| get(*handle)).collect()
}

/// The program holds an object once more.
pub(crate) fn retain<T: Kind>(handle: *mut c_void) -> Result {
    get::<T>(handle).map(give).map(drop)
}

/// The program lets go of an object.
pub(crate) fn release<T: Kind>(handle: *mut c_void) -> Result {
    let mut live = T::live().write();
    let Some(entry) = live.objects.get_mut(&(handle as usize)).filter(|entry| entry.count > 0) else {
        return fail(T::INVALID);
    };
    entry.count -= 1;
    // It may go away now, and what it held: when the list is no longer locked.
    let last = if entry.count == 0 { entry.held.take() } else { None };
    drop(live);
    drop(last);
    Ok(())
}

/// How often the program holds an object.
pub(crate) fn count<T: Kind>(handle: &Handle<T>) -> cl_uint {
    let live = T::live().read();
    live.objects.get(&(address(handle) as usize)).map_or(0, |entry| entry.count)
}
