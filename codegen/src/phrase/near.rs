//! Detection of sentences that are nearly a phrase: by misspelt words, or by structure.

use std::sync::LazyLock;

use super::table::{PHRASES, Phrase, Problem};
use crate::suggest::distance_within;

/// Returns the phrase that a sentence resembles, and the kind of deviation.
pub(super) fn nearest(sentence: &str) -> Option<(&'static Phrase, Problem)> {
    let heads = heads(sentence);
    let by_words = LEADS.iter().filter_map(|lead| Some((words(sentence, &heads, lead)?, lead.phrase)));
    match by_words.min_by_key(|(wrong, _)| *wrong) {
        Some((_, phrase)) => Some((phrase, Problem::Words)),
        None => shape(sentence).map(|phrase| (phrase, Problem::Shape)),
    }
}

/// First words of a phrase, by letters.
struct Lead {
    phrase: &'static Phrase,
    words: Vec<String>,
    whole: String,
    /// For each word its length, and the letters of the other words, for a phrase with a missing
    /// word.
    missing: Vec<(usize, String)>,
}

static LEADS: LazyLock<Vec<Lead>> = LazyLock::new(|| PHRASES.iter().map(lead).collect());

fn lead(phrase: &'static Phrase) -> Lead {
    let words: Vec<String> = phrase.lead.split(' ').map(letters).collect();
    let without = |at: usize| (words[at].len(), [&words[..at], &words[at + 1..]].concat().concat());
    Lead { phrase, whole: words.concat(), missing: (0..words.len()).map(without).collect(), words }
}

/// Returns the number of wrong letters of a phrase in a sentence, if it is small: a quarter of the
/// letters, a third if a valid continuation follows, or one letter of a single word. Signs and
/// blanks do not count. A missing word does not count if the rest is unambiguous.
fn words(sentence: &str, heads: &[(usize, String)], lead: &Lead) -> Option<usize> {
    let Lead { phrase, words, whole, missing } = lead;
    // A short phrase has too many similar words, unless it is the whole sentence.
    if whole.len() < 4 {
        return if phrase.is_open() { None } else { distance_within(&letters(sentence), whole, 1) };
    }
    let mut best: Option<usize> = None;
    for (end, found) in heads.iter().take(words.len() + 2) {
        let fits = || phrase.is_open() && phrase.fits(behind(sentence, *end));
        let few = if words.len() == 1 { 1 } else { whole.len() / 4 };
        if let Some(wrong) = distance_within(found, whole, few.max(whole.len() / 3))
            && (wrong <= few || fits())
        {
            best = Some(best.map_or(wrong, |b| b.min(wrong)));
        }
    }
    for (long, rest) in missing {
        let Some((end, found)) = words.len().checked_sub(2).and_then(|n| heads.get(n)) else { continue };
        let Some(wrong) = distance_within(found, rest, rest.len() / 4) else { continue };
        let colon = !phrase.lead.ends_with(':') || sentence[..*end].ends_with(':') || sentence[*end..].contains(',');
        let certain = match phrase.is_open() {
            true => colon && phrase.fits(behind(sentence, *end)),
            false => *end == sentence.len(),
        };
        if certain {
            best = Some(best.map_or(wrong + long, |b| b.min(wrong + long)));
        }
    }
    best
}

/// Returns the phrase whose structure a sentence has: a list of words after one or two words and a
/// colon, a value after an equals sign, a range in brackets, types after the word `type`, or a name
/// and `times`.
fn shape(sentence: &str) -> Option<&'static Phrase> {
    let of = |lead: &str| PHRASES.iter().find(|p| p.lead == lead);
    let all: Vec<&str> = sentence.split_whitespace().collect();
    let is_name = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    if let Some((label, list)) = sentence.split_once(": ")
        && label.split(' ').count() <= 2
        && label.split(' ').all(is_name)
        && list.split(',').all(|w| is_name(w.trim()))
    {
        return of("Only");
    }
    let equation = |w: &&str| w.trim_end_matches(',').split_once('=').is_some_and(|(a, b)| is_name(a) && is_name(b));
    if all.iter().any(equation) {
        return of("Present only");
    }
    let range = |w: &&str| {
        let inner = w.trim_end_matches(',').strip_prefix('[').and_then(|w| w.strip_suffix(']')).unwrap_or("");
        inner.len() > 2 && inner[1..].contains('-') && inner.chars().all(|c| c.is_ascii_digit() || c == '-')
    };
    if all.iter().any(range) {
        return of("Valid values are");
    }
    let is_type = |w: &str| w.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) && w.len() <= 4;
    let of_types = all.iter().position(|w| distance_within(&letters(w), "type", 1).is_some()).is_some_and(|at| {
        let list: Vec<&str> = all[at + 1..].iter().flat_map(|w| w.split(',')).filter(|w| !w.is_empty()).collect();
        at < 4 && !list.is_empty() && list.iter().all(|w| is_type(w))
    });
    if of_types {
        return of("Must have type");
    }
    (all.len() <= 3 && all.len() > 1 && all.last().is_some_and(|w| distance_within(w, "times", 1).is_some()))
        .then(|| of("Repeated"))?
}

/// Returns the prefixes of a sentence, word by word, with their end and their letters. The number
/// of prefixes is limited by the longest phrase.
fn heads(sentence: &str) -> Vec<(usize, String)> {
    let most = LEADS.iter().map(|lead| lead.words.len()).max().unwrap_or(0) + 2;
    let mut out = Vec::new();
    let mut inside = false;
    for (i, c) in sentence.char_indices() {
        if c.is_whitespace() && inside {
            out.push(i);
        }
        inside = !c.is_whitespace() && (inside || c.is_alphanumeric());
    }
    out.push(sentence.len());
    out.into_iter().take(most).map(|end| (end, letters(&sentence[..end]))).collect()
}

fn behind(sentence: &str, end: usize) -> &str {
    sentence[end..].trim_start_matches([' ', ':']).trim()
}

/// Returns the letters and digits of words in lower case; `0` becomes `zero`.
fn letters(text: &str) -> String {
    let word = |w: &str| w.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase();
    text.split_whitespace().map(word).map(|w| if w == "0" { "zero".to_owned() } else { w }).collect()
}
