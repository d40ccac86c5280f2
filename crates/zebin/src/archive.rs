//! Archives of several containers, in the format that ocloc writes for several devices.

use object::read::archive::ArchiveFile;

use crate::Zebin;

/// Name prefix of padding members. The vendor's archives align members with members of blanks.
const PADDING: &[u8] = b"pad_";

/// Damage in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Short description.
    pub what: String,
    /// Offset in bytes.
    pub offset: u64,
}

/// Returns true for the bytes of an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!<arch>\n")
}

/// Returns true if `is_one` holds for a zebin, or for a zebin in an archive. What cannot be read is
/// skipped.
pub fn any_zebin(program: &[u8], is_one: impl Fn(&Zebin) -> bool) -> bool {
    let holds = |bytes: &[u8]| Zebin::parse("program", bytes).is_ok_and(|zebin| is_one(&zebin));
    match is_archive(program) {
        true => members(program).flatten().any(|(_, member)| holds(member)),
        false => holds(program),
    }
}

/// Writes an archive of members without timestamps or owners. Names have at most 15 bytes.
pub fn write<'a>(members: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let header = format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{name}/"), 0, 0, 0, 644, bytes.len());
        archive.extend(header.bytes());
        archive.extend(bytes);
        // Each header has an even offset.
        archive.resize(archive.len().next_multiple_of(2), b'\n');
    }
    archive
}

/// Returns the names and contents of the archive's members in order, without padding members. A
/// damaged member is an error.
pub fn members(bytes: &[u8]) -> impl Iterator<Item = Result<(String, &[u8]), Damage>> {
    let (archive, broken) = match ArchiveFile::parse(bytes) {
        Ok(archive) => (Some(archive), None),
        Err(error) => (None, Some(Err(Damage { what: format!("the archive cannot be read: {error}"), offset: 0 }))),
    };
    let (mut ended, mut behind) = (false, 0);
    let members = archive.into_iter().flat_map(|archive| archive.members());
    // The first broken header ends the list, because the position of the next member is unknown.
    let members = members.take_while(move |member| !std::mem::replace(&mut ended, member.is_err()));
    let members = members.filter_map(move |member| {
        let damage = |what: String, offset| Some(Err(Damage { what, offset }));
        let member = match member {
            Ok(member) => member,
            Err(error) => return damage(format!("a member of the archive cannot be read: {error}"), behind),
        };
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let (offset, size) = member.file_range();
        behind = offset.saturating_add(size).next_multiple_of(2);
        let data = match member.data(bytes) {
            Ok(data) => data,
            Err(error) => return damage(format!("the archive member {name} cannot be read: {error}"), offset),
        };
        if !member.name().starts_with(PADDING) {
            return Some(Ok((name, data)));
        }
        // A padding member with a wrong size would swallow the members after it.
        let lost = data.iter().position(|byte| !matches!(byte, b' ' | b'\n' | 0))?;
        damage(format!("the archive member {name} is padding, but holds more than blanks"), offset + lost as u64)
    });
    broken.into_iter().chain(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_members_are_read() {
        let written = write([("odd.spv", &b"abc"[..]), ("a-long-name.spv", b""), ("even", b"1234")]);
        let read: Vec<_> = members(&written).map(Result::unwrap).collect();
        let name = |name: &str| name.to_owned();
        assert_eq!(read, [(name("odd.spv"), &b"abc"[..]), (name("a-long-name.spv"), b""), (name("even"), b"1234")]);
    }
}
