//! Text revisions: the forms of instructions in texts of vendor printers of different dates.
//!
//! Forms changed without a change of the version, so the forms in a text determine its revision.
//! Objects have no field for the revision; a string of the pool records it. Spec page:
//! `4_object_format.md`, "Text revisions".

use crate::isa::limits;
use crate::rt::Version;

/// Returns the newest version of objects.
pub(crate) fn newest_of_objects() -> Version {
    Version::new(limits::OBJECT_MAJOR as u8, limits::OBJECT_MINOR as u8)
}

/// Returns the version that only texts have.
fn of_texts() -> Version {
    Version::new(limits::OBJECT_MAJOR as u8, limits::TEXT_MINOR as u8)
}

/// Returns the object version for a text version, and the text revision that the text version
/// implies.
pub(super) fn of_version(version: Version) -> (Version, u32) {
    if version == of_texts() { (newest_of_objects(), limits::TEXT_MINOR_SINCE) } else { (version, 0) }
}

/// Returns the version directive's value for a text of a revision.
pub(super) fn version(object: Version, revision: u32) -> Version {
    if object == newest_of_objects() && revision >= limits::TEXT_MINOR_SINCE { of_texts() } else { object }
}
