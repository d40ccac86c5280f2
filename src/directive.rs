//! Directives at the start of a line of assembly text.

use crate::isa::TextDirective;

/// Returns the directive at the start of a text, and the length of its spelling. The next token may
/// follow without a blank: `.inputV32`.
#[inline]
pub(crate) fn word(text: &str) -> (Option<TextDirective>, usize) {
    let known = TextDirective::ALL.iter().copied().filter(|one| text.starts_with(one.text()));
    let found = known.max_by_key(|one| one.text().len());
    match found {
        Some(directive) if directive != TextDirective::ImplicitLine => (found, directive.text().len()),
        _ => {
            let end = text[1..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            (found, end.map_or(text.len(), |len| len + 1))
        }
    }
}

/// Returns the directive that a line begins with.
#[cfg(feature = "rules")]
pub(crate) fn directive_of(line: &str) -> Option<TextDirective> {
    line.starts_with('.').then(|| word(line).0)?
}
