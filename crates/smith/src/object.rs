//! Legal objects: kernels and functions for one platform.

use arbitrary::{Result, Unstructured};
use visakit::isa::Platform;
use visakit::object::{Object, RoutineKind};
use visakit::rt::Version;

use crate::routine::{Config, named, platform};
use crate::scope::NAMES;

/// Draws a legal object with one to three kernels and up to two functions. Returns its platform and
/// the object.
///
/// # Errors
/// As [`crate::routine`].
pub fn object(u: &mut Unstructured<'_>, config: &Config) -> Result<(Platform, Object)> {
    let platform = platform(u, config)?;
    let (kernels, functions) = (u.int_in_range(1..=3)?, u.int_in_range(0..=2)?);
    let mut routines = Vec::new();
    for n in 0..kernels {
        routines.push(named(u, config, platform, &format!("k{n}"), RoutineKind::Kernel, (0, &[]))?);
    }
    // Instructions call functions by these names.
    for name in NAMES.iter().take(functions) {
        let kind =
            RoutineKind::Function { input_size: u.int_in_range(0..=8)?, return_value_size: u.int_in_range(0..=4)? };
        routines.push(named(u, config, platform, name, kind, (0, &[]))?);
    }
    Ok((platform, Object::new(Version::new(4, 1), routines)))
}
