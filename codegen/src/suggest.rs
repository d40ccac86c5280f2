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

/// Returns the edit distance of two words if it is at most `most`, ignoring case. The swap of two
/// adjacent letters counts as one edit. Most pairs are rejected by their lengths or first letters.
pub(crate) fn distance_within(a: &str, b: &str, most: usize) -> Option<usize> {
    if a.chars().count().abs_diff(b.chars().count()) > most {
        return None;
    }
    let letters = |word: &str| word.chars().map(|c| c.to_ascii_lowercase()).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let (mut before, mut row) = (last.clone(), last.clone());
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row[j] = best;
        }
        // Each later row depends on the last two.
        if row.iter().chain(&last).all(|distance| *distance > most) {
            return None;
        }
        (before, last, row) = (last, row, before);
    }
    last.last().copied().filter(|distance| *distance <= most)
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

    #[test]
    fn a_bound_changes_no_smaller_distance() {
        let words = ["type", "tpye", "times", "reserved", "reverse", "Text", "", "mask"];
        assert_eq!(distance_within("type", "tpye", 9), Some(1));
        for (a, b) in words.iter().flat_map(|a| words.map(|b| (*a, b))) {
            for most in 0..9 {
                let expected = distance_within(a, b, 9).filter(|distance| *distance <= most);
                assert_eq!(distance_within(a, b, most), expected, "{a} {b} {most}");
            }
        }
    }
}
