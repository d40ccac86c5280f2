//! Handles: addresses of reference-counted objects.
//!
//! An object lives while the program or another object holds it. Live objects are registered
//! by address, so that a handle from outside is looked up and never dereferenced. The loader does
//! dereference it to find the driver. Therefore the memory of recently freed objects is kept, and
//! the use of a stale handle yields an error instead of a crash.

use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

/// Number of freed objects per kind whose memory is kept.
const LEFTOVERS: usize = 1024;

/// Object of the API. A loader may read its first word.
#[repr(C)]
pub struct Object<T: Kind> {
    /// Address of the table of entry points; 0 if the API has none in its objects.
    dispatch: usize,
    value: T,
}

/// Reference to an object.
pub type Handle<T> = Arc<Object<T>>;

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
pub trait Kind: Send + Sync + Sized + 'static {
    /// Error of the API.
    type Error;

    /// Error for a handle that is not of this kind.
    const INVALID: Self::Error;

    /// Returns the first word of the objects: the address of the table of entry points, or 0.
    fn dispatch() -> usize {
        0
    }

    /// Returns the registry of live objects.
    fn live() -> &'static Live<Self>;

    /// Called on drop with the former handle.
    fn dropped(&mut self, _handle: *mut c_void) {}
}

/// Registry of the live objects of a kind, by address.
pub struct Live<T: Kind>(RwLock<List<T>>);

struct List<T: Kind> {
    objects: HashMap<usize, Entry<T>>,
    leftovers: VecDeque<Weak<Object<T>>>,
}

struct Entry<T: Kind> {
    object: Weak<Object<T>>,
    /// Reference held on behalf of the program, while its count is positive.
    held: Option<Handle<T>>,
    count: u32,
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

/// Returns the number of live objects of a kind.
pub fn living<T: Kind>() -> usize {
    T::live().read().objects.len()
}

/// Creates an object that the program does not hold yet.
pub fn create<T: Kind>(value: T) -> Handle<T> {
    let handle = Arc::new(Object { dispatch: T::dispatch(), value });
    let entry = Entry { object: Arc::downgrade(&handle), held: None, count: 0 };
    T::live().write().objects.insert(address(&handle) as usize, entry);
    handle
}

/// Returns the handle of an object as the program sees it.
pub fn address<T: Kind>(handle: &Handle<T>) -> *mut c_void {
    Arc::as_ptr(handle).cast_mut().cast()
}

/// Returns the handle of an optional object; null for `None`.
pub fn address_of<T: Kind>(handle: Option<&Handle<T>>) -> *mut c_void {
    handle.map_or(std::ptr::null_mut(), address)
}

/// Passes an object to the program, which holds it from now on.
pub fn give<T: Kind>(handle: Handle<T>) -> *mut c_void {
    let address = address(&handle);
    if let Some(entry) = T::live().write().objects.get_mut(&(address as usize)) {
        entry.count += 1;
        entry.held.get_or_insert(handle);
    }
    address
}

/// Returns the object of a handle.
///
/// # Errors
/// The kind's error for any other address.
pub fn get<T: Kind>(handle: *mut c_void) -> Result<Handle<T>, T::Error> {
    let live = T::live().read();
    live.objects.get(&(handle as usize)).and_then(|entry| entry.object.upgrade()).ok_or(T::INVALID)
}

/// Returns the objects of several handles.
///
/// # Errors
/// As [`get`].
pub fn get_all<T: Kind>(handles: &[*mut c_void]) -> Result<Vec<Handle<T>>, T::Error> {
    handles.iter().map(|handle| get(*handle)).collect()
}

/// Increments the program's reference count of an object.
///
/// # Errors
/// As [`get`].
pub fn retain<T: Kind>(handle: *mut c_void) -> Result<(), T::Error> {
    get::<T>(handle).map(give).map(drop)
}

/// Decrements the program's reference count of an object.
///
/// # Errors
/// As [`get`], also for an object that the program does not hold.
pub fn release<T: Kind>(handle: *mut c_void) -> Result<(), T::Error> {
    let mut live = T::live().write();
    let Some(entry) = live.objects.get_mut(&(handle as usize)).filter(|entry| entry.count > 0) else {
        return Err(T::INVALID);
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
pub fn count<T: Kind>(handle: &Handle<T>) -> u32 {
    let live = T::live().read();
    live.objects.get(&(address(handle) as usize)).map_or(0, |entry| entry.count)
}
