//! Archives of several containers, as ocloc writes them for several devices.

use object::read::archive::ArchiveFile;

/// The vendor's archives keep their members aligned with members of blanks.
const PADDING: &[u8] = b"pad_";

/// What is wrong with an archive, and at which offset in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// A few words.
    pub what: String,
    /// Where it is.
    pub offset: u64,
}

/// Whether these are the bytes of an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!<arch>\n")
}

/// The members of an archive that are no padding, in order: names and contents, or what is wrong with one of them.
pub fn members(bytes: &[u8]) -> impl Iterator<Item = Result<(String, &[u8]), Damage>> {
    let (archive, broken) = match ArchiveFile::parse(bytes) {
        Ok(archive) => (Some(archive), None),
        Err(error) => (None, Some(Err(Damage { what: format!("the archive: {error}"), offset: 0 }))),
    };
    let mut ended = false;
    let members = archive.into_iter().flat_map(|archive| archive.members());
    // The first broken header ends the list: nothing says where the next one stands.
    let members = members.take_while(move |member| !std::mem::replace(&mut ended, member.is_err()));
    let members = members.filter_map(move |member| {
        let member = match member {
            Ok(member) => member,
            Err(error) => return Some(Err(Damage { what: format!("a member of the archive: {error}"), offset: 0 })),
        };
        if member.name().starts_with(PADDING) {
            return None;
        }
        let name = String::from_utf8_lossy(member.name()).into_owned();
        Some(match member.data(bytes) {
            Ok(data) => Ok((name, data)),
            Err(error) => Err(Damage { what: format!("member {name}: {error}"), offset: member.file_range().0 }),
        })
    });
    broken.into_iter().chain(members)
}
