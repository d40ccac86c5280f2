//! Suggestions ("did you mean"): the known name nearest to a wrong one.

/// Returns the advice for an unknown name: the nearest known name, or the text of `otherwise`.
pub(crate) fn help<'a>(
    wrong: &str,
    known: impl Iterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(wrong, known).map_or_else(otherwise, |name| format!("did you mean `{name}`?"))
}

/// Returns the nearest known name, if one is close.
pub(crate) fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Up to a third of the letters may be wrong; a more distant name is another word.
    let limit = wrong.chars().count().div_ceil(3);
    known.filter_map(|name| Some((distance_within(wrong, name, limit)?, name))).min().map(|(_, name)| name)
}

/// Returns the edit distance of two words, ignoring case. The swap of two adjacent letters counts
/// as one edit.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_ascii_lowercase().chars().collect();
    let b: Vec<char> = b.to_ascii_lowercase().chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

/// Returns the edit distance if it is at most `most`. Words with too different lengths are rejected
/// early.
pub(crate) fn distance_within(a: &str, b: &str, most: usize) -> Option<usize> {
    if a.chars().count().abs_diff(b.chars().count()) > most {
        return None;
    }
    Some(distance(a, b)).filter(|d| *d <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_suggested() {
        let known = ["exec_size", "src0", "src1", "dst"];
        let of = |wrong| help(wrong, known.into_iter(), || "none".to_owned());
        assert_eq!(of("exce_size"), "did you mean `exec_size`?");
        assert_eq!(of("scr1"), "did you mean `src1`?");
        assert_eq!(of("surface"), "none");
    }
}
