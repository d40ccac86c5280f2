//! Values that C programs hold by handles. A handle is a key, not an address.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::status::Status;

/// Key of the next value. All registries share it, so that a handle of one kind is unknown to the
/// others, and no key is used twice.
static NEXT: AtomicUsize = AtomicUsize::new(1);

/// Values of one kind by their keys.
pub(crate) struct Registry<T>(RwLock<BTreeMap<usize, Arc<T>>>);

impl<T> Registry<T> {
    pub(crate) const fn new() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }

    /// Adds a value and returns its handle.
    pub(crate) fn add<H>(&self, value: T) -> *mut H {
        let key = NEXT.fetch_add(1, Ordering::Relaxed);
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::new(value));
        ptr::without_provenance_mut(key)
    }

    /// Returns the value of a handle. It stays valid if another thread frees the handle.
    ///
    /// # Errors
    /// A null or unknown handle.
    pub(crate) fn get<H>(&self, handle: *const H) -> Result<Arc<T>, Status> {
        if handle.is_null() {
            return Err(Status::Null);
        }
        let values = self.0.read().unwrap_or_else(PoisonError::into_inner);
        values.get(&handle.addr()).cloned().ok_or(Status::Handle)
    }

    /// Removes the value of a handle. A null handle has none.
    ///
    /// # Errors
    /// An unknown handle.
    pub(crate) fn free<H>(&self, handle: *mut H) -> Result<(), Status> {
        if handle.is_null() {
            return Ok(());
        }
        let removed = self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&handle.addr());
        removed.map(drop).ok_or(Status::Handle)
    }
}
