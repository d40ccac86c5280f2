//! Text revisions: the forms that instructions have in texts of the vendor's printers of different dates.
//!
//! Forms changed without a change of the version, so a text shows its revision by the forms that it has. An object has
//! no place for it: a last string of the pool that nothing refers to keeps it, so that the routine prints as it was
//! read. Spec page: `4_object_format.md`, "Text revisions".

use crate::isa::limits;
use crate::object::Routine;
use crate::rt::Version;

/// The string of the pool that says a text revision begins like this.
const MARK: &str = ".text ";

/// Returns the string that keeps a text revision in a pool.
pub(super) fn mark(revision: u32) -> String {
    format!("{MARK}{:04}-{:02}", revision / 100, revision % 100)
}

/// Returns the text revision that a string of a pool says, as year times 100 plus month.
pub(super) fn of_mark(text: &str) -> Option<u32> {
    let (year, month) = text.strip_prefix(MARK)?.split_once('-')?;
    let digits = |text: &str, len| text.len() == len && text.bytes().all(|b| b.is_ascii_digit());
    let is_date = digits(year, 4) && digits(month, 2);
    is_date.then(|| Some(year.parse::<u32>().ok()? * 100 + month.parse::<u32>().ok()?))?
}

/// Returns the text revision of a routine; zero for the oldest.
pub(super) fn of(routine: &Routine) -> u32 {
    routine.strings.last().and_then(|last| of_mark(&last.to_text())).unwrap_or(0)
}

/// Returns the newest version that objects have.
pub(crate) fn newest_of_objects() -> Version {
    Version::new(limits::OBJECT_MAJOR as u8, limits::OBJECT_MINOR as u8)
}

/// Returns the version that only texts have.
fn of_texts() -> Version {
    Version::new(limits::OBJECT_MAJOR as u8, limits::TEXT_MINOR as u8)
}

/// Returns the version of the object that a text of a version makes, and the text revision that the version shows.
pub(super) fn of_version(version: Version) -> (Version, u32) {
    if version == of_texts() { (newest_of_objects(), limits::TEXT_MINOR_SINCE) } else { (version, 0) }
}

/// Returns the version that a text of a revision begins with.
pub(super) fn version(object: Version, revision: u32) -> Version {
    if object == newest_of_objects() && revision >= limits::TEXT_MINOR_SINCE { of_texts() } else { object }
}
