//! Functions of the API by name.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

/// Function of the API.
pub struct Function {
    /// Name.
    pub name: &'static str,
    /// Address of the entry point.
    pub address: *const c_void,
    /// True if the function does more than to report that it is missing.
    pub is_done: bool,
    /// Minor version of the API that has the function.
    pub version: u32,
}

// SAFETY: the address is that of a function.
unsafe impl Sync for Function {}

/// Tables of an API.
type Tables = &'static [&'static [Function]];

static TABLES: Mutex<Vec<Tables>> = Mutex::new(Vec::new());

/// Registers the tables of an API. The functions by which the loader obtains the tables call it.
pub(crate) fn register(tables: Tables) {
    let mut all = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if !all.iter().any(|known| std::ptr::eq(*known, tables)) {
        all.push(tables);
    }
}

/// Returns the function with a name.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    let all = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().copied().flatten().copied().flatten().find(|function| function.name == name)
}
