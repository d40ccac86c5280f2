//! Suggestions for unknown words.

/// Returns the candidate with the smallest edit distance to a word: at most two letters, and at
/// most half of the word's letters.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Overlong words get no suggestion; comparing them would take time in proportion to their
    // length.
    if word.len() > LONGEST {
        return None;
    }
    let close = candidates.into_iter().filter(|c| c.len().abs_diff(word.len()) <= LETTERS);
    // Ties prefer a candidate with the same first letter, then alphabetical order. The order of the
    // candidates has no effect.
    let key = |c: &'a str| (distance(c, word), c.chars().next() != word.chars().next(), c);
    let (letters, _, near) = close.map(key).min()?;
    (letters <= LETTERS && 2 * letters <= word.chars().count()).then_some(near)
}

/// Formats a suggestion ` (is … meant?)`, or nothing.
pub fn meant(near: Option<&str>) -> String {
    near.map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

/// Lists names for a message: `a`, `a or b`, `a, b or c`.
pub fn either(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        names => names.concat(),
    }
}

/// Maximum edit distance of a suggestion.
const LETTERS: usize = 2;

/// Length of the longest word that gets a suggestion, in bytes.
const LONGEST: usize = 64;

/// Returns the edit distance of two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = if x == *y { diagonal } else { 1 + diagonal.min(row[j]).min(row[j + 1]) };
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}
