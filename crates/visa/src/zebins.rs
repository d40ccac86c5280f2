//! Zebins in a file: the file itself, or the members of an archive.

use std::path::Path;

use visakit_zebin::{Zebin, archive, spirv};

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
    let file = shown(path, "stdin");
    if Zebin::is_elf(bytes) {
        return Ok(vec![Zebin::parse(&file, bytes)?]);
    }
    let mut all = Vec::new();
    for member in archive::members(bytes) {
        let (name, data) = member.map_err(|damage| problem("archive", path, damage.what).at_offset(damage.offset))?;
        if Zebin::is_elf(data) && !spirv::is_generic(data) {
            all.push(Zebin::parse(&format!("{file}({name})"), data)?);
        }
    }
    Ok(all)
}
