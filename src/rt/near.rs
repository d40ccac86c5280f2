//! What may have been meant by a word that is not known.

/// The candidate that differs from a word in the fewest letters: in two at most, and in no more
/// than half of the word's.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Far longer words are not meant: comparing them would cost their length.
    if word.len() > LONGEST {
        return None;
    }
    let close = candidates.into_iter().filter(|c| c.len().abs_diff(word.len()) <= LETTERS);
    // Of equally near ones that which begins like the word, then the first of the alphabet, in
    // whatever order they come.
    let key = |c: &'a str| (distance(c, word), c.chars().next() != word.chars().next(), c);
    let (letters, _, near) = close.map(key).min()?;
    (letters <= LETTERS && 2 * letters <= word.chars().count()).then_some(near)
}

/// ` (is … meant?)`, or nothing.
pub fn meant(near: Option<&str>) -> String {
    near.map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

/// In how many letters a word may differ from what was meant.
const LETTERS: usize = 2;

/// Length of the longest word that is looked up.
const LONGEST: usize = 64;

/// How many letters two words differ in.
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
