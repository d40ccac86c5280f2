//! Columns of the protocol, in the encoding that client and server agree on.

use lsp_types::PositionEncodingKind;

/// Unit in which positions count the columns of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16, the protocol's default.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Chooses the first encoding of a client's list that this server knows.
    pub fn negotiate(offered: &[PositionEncodingKind]) -> Self {
        let known = [Self::Utf8, Self::Utf16, Self::Utf32];
        offered.iter().find_map(|kind| known.into_iter().find(|one| one.kind() == *kind)).unwrap_or_default()
    }

    /// Returns the protocol's name of the encoding.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the number of units of a text.
    pub fn width(self, text: &str) -> u32 {
        let units = match self {
            _ if text.is_ascii() => text.len(),
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf32 => text.chars().count(),
        };
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    /// Returns the byte offset of a column in a line. A column inside a character counts as its
    /// start, and a column past the end as the end.
    pub fn byte(self, line: &str, column: u32) -> usize {
        let mut left = column as usize;
        for (at, c) in line.char_indices() {
            let units = match self {
                Self::Utf8 => c.len_utf8(),
                Self::Utf16 => c.len_utf16(),
                Self::Utf32 => 1,
            };
            if left < units {
                return at;
            }
            left -= units;
        }
        line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_bytes_agree() {
        let line = "aé😀b";
        for (encoding, width) in [(Encoding::Utf8, 8), (Encoding::Utf16, 5), (Encoding::Utf32, 4)] {
            assert_eq!(encoding.width(line), width);
            for (at, _) in line.char_indices() {
                assert_eq!(encoding.byte(line, encoding.width(&line[..at])), at, "{encoding:?}");
            }
            assert_eq!(encoding.byte(line, 99), line.len());
        }
        // The second unit of a surrogate pair, and the second byte of a character.
        assert_eq!((Encoding::Utf16.byte(line, 3), Encoding::Utf8.byte(line, 2)), (3, 1));
    }

    #[test]
    fn the_clients_order_decides() {
        let offered = [PositionEncodingKind::from("utf-7"), PositionEncodingKind::UTF32, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::negotiate(&offered), Encoding::Utf32);
        assert_eq!(Encoding::negotiate(&[]), Encoding::Utf16);
    }
}
