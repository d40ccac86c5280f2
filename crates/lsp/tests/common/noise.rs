//! Random texts, positions and ranges.

use arbtest::arbitrary::{Result as Drawn, Unstructured};
use lsp_types::{Position, Range};
use visakit_lsp::position::Encoding;

/// Pieces of texts: words of the syntax, fragments and noise.
const PIECES: [&str; 40] = [
    "add",
    " (M1, 8) ",
    "V32(0,0)<1>",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "/*",
    "*/",
    "//",
    " \\\n",
    "\"",
    "{",
    "}",
    ".decl x ",
    "v_type=G type=f num_elts=8",
    ".kernel \"k\"\n",
    ".version 4.1\n",
    ".function \"s\"\n",
    "L1:\n",
    "(P1) ",
    "jmp (M1, 1) L1\n",
    "    ret (M1, 1)\n",
    "é",
    "😀",
    "\u{0}",
    "<8;8,1>",
    ":ud",
    "-1",
    "0xffffffffffffffffff",
    "%null",
    "..",
    "(",
    ")",
    ".",
    "lsc_load.ugm (M1, 1) x:d32 flat[y]:a64\n",
    "\t",
    "alias=<x, 4>",
    ".implicit_",
    "call (M1, 1) s\n",
];

/// Returns a random text of at most `most` pieces.
pub(crate) fn text(u: &mut Unstructured<'_>, most: usize) -> Drawn<String> {
    let mut out = String::new();
    for _ in 0..u.int_in_range(0..=most)? {
        out.push_str(u.choose(&PIECES)?);
    }
    Ok(out)
}

/// Returns a position, often outside of the text.
pub(crate) fn position(u: &mut Unstructured<'_>) -> Drawn<Position> {
    Ok(Position::new(u.int_in_range(0..=25)?, u.int_in_range(0..=40)?))
}

/// Returns a range, often with swapped ends.
pub(crate) fn range(u: &mut Unstructured<'_>) -> Drawn<Range> {
    Ok(Range::new(position(u)?, position(u)?))
}

/// Returns the byte of a position by the definition of the protocol, without the document's index.
pub(crate) fn byte(text: &str, encoding: Encoding, position: Position) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        let rest = &text[start..];
        let Some(end) = rest.find(['\n', '\r']) else { return text.len() };
        start += end + if rest[end..].starts_with("\r\n") { 2 } else { 1 };
    }
    let line = text[start..].split(['\n', '\r']).next().unwrap();
    let mut left = position.character as usize;
    for (at, c) in line.char_indices() {
        let units = match encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        };
        if left < units {
            return start + at;
        }
        left -= units;
    }
    start + line.len()
}
