//! Words of older texts that no supported version has; errors name them and their replacements.

/// Withdrawn mnemonics in lower case, with their replacements.
const MNEMONICS: &[(&str, &str)] = &[
    ("if", "`goto` with the inverted predicate, and labels"),
    ("else", "`goto` and labels"),
    ("endif", "a label"),
    ("do", "a label"),
    ("while", "`goto` back to a label"),
    ("break", "`goto` to the statement after the loop"),
    ("cont", "`goto` to the end of the loop"),
    ("asin", "the arithmetic instructions that compute it"),
    ("acos", "the arithmetic instructions that compute it"),
    ("atan", "the arithmetic instructions that compute it"),
    ("vme", "`vme_ime`, `vme_sic` or `vme_fbr`"),
    ("bf_cvt", "`mov` between types f and bf"),
    ("plane", "`pln`"),
    ("va", "another instruction: its layout is not published"),
];

/// Withdrawn execution masks, with their replacements.
const MASKS: &[(&str, &str)] =
    &[("M0", "`M1` to `M8`, counted from 1 since version 3.1"), ("NM", "`M1_NM` to `M8_NM`")];

/// Returns the replacement of a withdrawn mnemonic.
pub(super) fn mnemonic(word: &str) -> Option<&'static str> {
    MNEMONICS.iter().find(|(old, _)| old.eq_ignore_ascii_case(word)).map(|(_, now)| *now)
}

/// Returns the withdrawn execution mask at the start of a text, and its replacement.
pub(super) fn mask(text: &str) -> Option<(&'static str, &'static str)> {
    let ends = |old: &str| !text[old.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    MASKS.iter().copied().find(|(old, _)| text.starts_with(old) && ends(old))
}
