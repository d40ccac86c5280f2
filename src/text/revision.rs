//! Text revisions: the forms that instructions have in texts of the vendor's printers of different
//! dates.
//!
//! Forms changed without a change of the version, so a text shows its revision by the forms that it
//! has. An object has no place for it; a string of its pool keeps it. Spec page:
//! `4_object_format.md`, "Text revisions".

use crate::isa::limits;
use crate::rt::Version;

/// Returns the newest version that objects have.
pub(crate) fn newest_of_objects() -> Version {
    Version::new(limits::OBJECT_MAJOR as u8, limits::OBJECT_MINOR as u8)
}

/// Returns the version that only texts have.
fn of_texts() -> Version {
    Version::new(limits::OBJECT_MAJOR as u8, limits::TEXT_MINOR as u8)
}

/// Returns the version of the object that a text of a version makes, and the text revision that the
/// version shows.
pub(super) fn of_version(version: Version) -> (Version, u32) {
    if version == of_texts() { (newest_of_objects(), limits::TEXT_MINOR_SINCE) } else { (version, 0) }
}

/// Returns the version that a text of a revision begins with.
pub(super) fn version(object: Version, revision: u32) -> Version {
    if object == newest_of_objects() && revision >= limits::TEXT_MINOR_SINCE { of_texts() } else { object }
}
