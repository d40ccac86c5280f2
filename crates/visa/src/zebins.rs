//! Zebins in a file: the file itself, or the members of an archive.

use std::path::Path;

use visakit_zebin::{Zebin, spirv};

use crate::io::shown;
use crate::report::{Findings, problem};

/// Returns the zebins of a file with their names: the file itself, or the members of an archive.
/// Members for every device are left out, so that a file that holds SPIR-V alone has no zebin.
///
/// # Errors
/// Fails if a zebin is damaged.
pub(crate) fn zebins(path: &Path, bytes: &[u8]) -> Result<Vec<Zebin>, Findings> {
    if spirv::is_module(bytes) || spirv::is_generic(bytes) {
        return Ok(Vec::new());
    }
    let all = zebins_of(path, bytes)?;
    if all.is_empty() && spirv::find(bytes, None).is_none() {
        return Err(problem("archive", path, "the archive contains no zebin").into());
    }
    Ok(all)
}

/// Returns the zebins of a file that was compiled for devices.
///
/// # Errors
/// Fails if a zebin is damaged.
pub(crate) fn zebins_of(path: &Path, bytes: &[u8]) -> Result<Vec<Zebin>, Findings> {
    Ok(visakit_wasm::module::zebins(&shown(path, "stdin"), bytes)?)
}
