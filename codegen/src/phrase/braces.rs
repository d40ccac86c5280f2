//! Detection of malformed marks.

use std::ops::Range;

use super::{LONGEST_MARK, one_mark};

/// Returns the ranges of a text that resemble marks but are none: `{SKL +}`, `{+SKL}`, `{3.4}`,
/// `(PVC+)`, or `{DG2+` without its end.
pub fn odd_marks(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(['{', '[', '(', '<']).map(|i| at + i) {
        at = start + 1;
        let brace = text[start..].starts_with('{');
        if brace && let Some((_, len)) = one_mark(&text[start..]) {
            at = start + len;
            continue;
        }
        let inner = &text[start + 1..];
        let inner = inner.char_indices().nth(LONGEST_MARK).map_or(inner, |(end, _)| &inner[..end]);
        let end = inner.find(['}', ']', ')', '>', '{', '\n']).unwrap_or(inner.len());
        let closed = inner[end..].starts_with(['}', ']', ')', '>']);
        let inside = match closed {
            true => &inner[..end],
            // Without a closing bracket the content is one word.
            false => &inner[..inner.find(char::is_whitespace).unwrap_or(inner.len())],
        };
        let range = start..start + 1 + inside.len() + usize::from(closed);
        // One pair of braces may hold several marks with commas between.
        let right = |one: &str| one_mark(&format!("{{{one}}}")).is_some();
        let odd = inside.split(',').any(|one| if closed { !right(one) && is_nearly(one, brace) } else { right(one) });
        let swapped = !brace && inside.split(',').all(signed);
        if odd && brace || swapped {
            at = range.end;
            out.push(range);
        }
    }
    out
}

/// Returns true if braces hold one name or version with a misplaced sign.
fn is_nearly(inside: &str, brace: bool) -> bool {
    let inside = inside.trim();
    let name = inside.trim_matches(|c: char| matches!(c, '+' | '-') || c.is_whitespace());
    let sign = name.len() < inside.len();
    let version = name.split_once(['.', ',']).is_some_and(|(a, b)| digits(a) && digits(b));
    let word = name.len() > 1 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    brace && (version || (sign && (word || digits(name))))
}

/// Returns true for a mark in the wrong brackets.
fn signed(inside: &str) -> bool {
    let name = inside.strip_suffix('+').unwrap_or("");
    let capitals = name.len() > 2 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    capitals || name.split_once('.').is_some_and(|(a, b)| digits(a) && digits(b))
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_with_mistakes_are_told_from_other_braces() {
        for odd in [
            "{SKL +}",
            "{3.4 +}",
            "{+SKL}",
            "{SKL-}",
            "{3.4}",
            "{- 3.4}",
            "(XEHP+)",
            "[3.4+]",
            "{DG2+ x",
            "{SKL, PVC +}",
        ] {
            assert_eq!(odd_marks(&format!("a {odd}b")).len(), 1, "{odd}");
        }
        for fine in
            ["{SKL+}", "{-3.4}", "{PVC}", "{SKL, PVC+}", "{ … }", "{GLOBAL|LOCAL}", "(a, b)", "[0-7]", "<P>", "{x}"]
        {
            assert!(odd_marks(fine).is_empty(), "{fine}");
        }
    }
}
