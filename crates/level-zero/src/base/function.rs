//! Functions of the API by name.

use std::ffi::c_void;
use std::sync::OnceLock;

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

static TABLES: OnceLock<&'static [&'static [Function]]> = OnceLock::new();

/// Registers the tables of all functions. The functions by which the loader obtains the tables call
/// it.
pub(crate) fn register(tables: &'static [&'static [Function]]) {
    TABLES.get_or_init(|| tables);
}

/// Returns the function with a name.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    TABLES.get()?.iter().copied().flatten().find(|function| function.name == name)
}
