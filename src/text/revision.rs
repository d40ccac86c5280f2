//! Text revisions: the forms of instructions in texts of vendor printers of different dates.
//!
//! Forms changed without a change of the version, so the forms in a text determine its revision.
//! Objects have no field for the revision; a string of the pool records it. Spec page:
//! `8_assembly_text.md`, "Text_revision".

use crate::isa::{TextRevision, limits};
use crate::object::{Routine, marks};
use crate::rt::Version;

/// Returns the newest version of objects.
pub(crate) fn newest_of_objects() -> Version {
    Version::new(limits::OBJECT_MAJOR as u8, limits::OBJECT_MINOR as u8)
}

/// Returns the version of the texts of a revision, if it differs from that of the objects.
fn of_texts(revision: TextRevision) -> Option<Version> {
    Some(Version::new(limits::OBJECT_MAJOR as u8, u8::try_from(revision.minor()?).ok()?))
}

/// Returns the revision of the chapter for a month: the last one that is not later.
pub(super) fn at(month: u32) -> TextRevision {
    let until = TextRevision::ALL.iter().copied().filter(|one| *one as u32 <= month);
    until.max_by_key(|one| *one as u32).unwrap_or_default()
}

/// Returns the object version for a text version, and the text revision that the text version
/// implies.
pub(super) fn of_version(version: Version) -> (Version, u32) {
    let found = TextRevision::ALL.iter().find(|one| of_texts(**one) == Some(version));
    found.map_or((version, 0), |one| (newest_of_objects(), *one as u32))
}

/// Returns the version of texts of a revision, whose objects have the newest version. `revision` is
/// year times 100 plus month, or 0 for the oldest. Spec page: `8_assembly_text.md`.
///
/// ```
/// use visakit::text::version_of;
/// assert_eq!(version_of(202604).to_string(), "4.2");
/// assert_eq!(version_of(0).to_string(), "4.1");
/// ```
pub fn version_of(revision: u32) -> Version {
    version(newest_of_objects(), revision)
}

/// Returns a copy of a routine that is printed as a text of a revision, see [`version_of`].
pub fn in_revision(routine: &Routine, revision: u32) -> Routine {
    let mut out = routine.clone();
    out.strings.push(marks::of_revision(revision).as_str().into());
    out
}

/// Returns the version directive's value for a text of a revision.
pub(super) fn version(object: Version, revision: u32) -> Version {
    of_texts(at(revision)).filter(|_| object == newest_of_objects()).unwrap_or(object)
}
