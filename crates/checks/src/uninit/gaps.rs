//! Padding between buffer elements.

use visakit_launch::argument::Parameter;
use visakit_machine::observer::{Access, LaunchMap};
use visakit_machine::scalar::Scalar;

/// For each buffer of three-component vectors, the component size in bytes. Such a vector occupies
/// four components, of which the fourth is padding.
#[derive(Debug)]
pub(super) struct Gaps(Vec<Option<u64>>);

impl Gaps {
    pub(super) fn new(map: &LaunchMap, parameters: &[Parameter]) -> Self {
        let bytes = |index: u32| {
            let parameter = parameters.iter().find(|parameter| parameter.index == index)?;
            let name = parameter.type_name.trim_end_matches('*');
            let (scalar, width) = Scalar::of_source(name)?;
            (width == 4 && name.ends_with('3')).then_some(scalar.size() as u64)
        };
        Self(map.buffers.iter().map(|buffer| buffer.argument.and_then(bytes)).collect())
    }

    /// Returns the bits of an access's value that are padding.
    pub(super) fn mask(&self, access: &Access) -> u64 {
        let Some(bytes) = access.buffer.and_then(|number| *self.0.get(number)?) else { return 0 };
        let is_gap = |n: &u64| (access.offset + n) % (4 * bytes) >= 3 * bytes;
        (0..8).filter(is_gap).fold(0, |mask, n| mask | 0xff << (8 * n))
    }
}
