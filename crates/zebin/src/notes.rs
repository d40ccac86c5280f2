//! Compatibility notes (zebin-spec/elf.md, "ELF note type for INTELGT").

use super::Target;

const OWNER: &[u8] = b"IntelGT";
const NT_PRODUCT_FAMILY: u32 = 1;
const NT_CORE_FAMILY: u32 = 2;
const NT_ZEBIN_VERSION: u32 = 4;
const NT_INDIRECT_ACCESS_BUFFER_MAJOR_VERSION: u32 = 8;

/// Reads the intact notes. Notes after a broken one are skipped, because they are optional.
pub(super) fn read(mut section: &[u8]) -> Target {
    let mut target = Target::default();
    while let Some((kind, owner, description)) = next_note(&mut section) {
        if !owner.eq_ignore_ascii_case(OWNER) {
            continue;
        }
        let word = description.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        match kind {
            NT_PRODUCT_FAMILY => target.product_family = word,
            NT_CORE_FAMILY => target.core_family = word,
            NT_INDIRECT_ACCESS_BUFFER_MAJOR_VERSION => target.implicit_version = word,
            NT_ZEBIN_VERSION => {
                let text = String::from_utf8_lossy(description);
                target.zebin_version = Some(text.trim_end_matches('\0').to_owned());
            }
            _ => {}
        }
    }
    target
}

/// Takes the next note from the section: its type, its owner without the final zero, and its
/// description.
fn next_note<'a>(section: &mut &'a [u8]) -> Option<(u32, &'a [u8], &'a [u8])> {
    let name_size = take_u32(section)?;
    let description_size = take_u32(section)?;
    let kind = take_u32(section)?;
    let owner = take_padded(section, name_size)?;
    let description = take_padded(section, description_size)?;
    Some((kind, owner.strip_suffix(b"\0").unwrap_or(owner), description))
}

fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (head, tail) = bytes.split_first_chunk()?;
    *bytes = tail;
    Some(u32::from_le_bytes(*head))
}

/// Takes `size` bytes and the padding to the next multiple of four. The last note of a section may
/// lack the padding.
fn take_padded<'a>(bytes: &mut &'a [u8], size: u32) -> Option<&'a [u8]> {
    let size = usize::try_from(size).ok()?;
    let taken = bytes.get(..size)?;
    let padded = size.checked_next_multiple_of(4)?;
    *bytes = bytes.get(padded..).unwrap_or_default();
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: u32, owner: &[u8], description: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend((owner.len() as u32).to_le_bytes());
        out.extend((description.len() as u32).to_le_bytes());
        out.extend(kind.to_le_bytes());
        for part in [owner, description] {
            out.extend(part);
            out.resize(out.len().next_multiple_of(4), 0);
        }
        out
    }

    #[test]
    fn reads_the_vendors_notes() {
        let mut section = note(1, b"IntelGT\0", &[0x12, 0, 0, 0]);
        section.extend(note(9, b"IntelGT\0", &[1]));
        section.extend(note(1, b"GNU\0", &[0x99, 0, 0, 0]));
        section.extend(note(4, b"IntelGT\0", b"1.20\0"));
        section.extend(note(8, b"IntelGT\0", &[2, 0, 0, 0]));
        let target = read(&section);
        assert_eq!(target.product_family, Some(0x12));
        assert_eq!(target.zebin_version.as_deref(), Some("1.20"));
        assert_eq!((target.core_family, target.implicit_version), (None, Some(2)));
    }

    #[test]
    fn stops_at_a_broken_note() {
        let mut section = note(1, b"IntelGT\0", &[0x12, 0, 0, 0]);
        section.extend([0xff; 12]);
        assert_eq!(read(&section).product_family, Some(0x12));
        assert_eq!(read(&[1, 2, 3]), Target::default());
        assert_eq!(read(&note(1, b"IntelGT\0", &[0x12])).product_family, None);
    }
}
