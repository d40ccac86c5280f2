//! Search for phrases in the sentences of a text.

use std::ops::Range;

use super::near;
use super::table::{Fact, PHRASES, Phrase, Problem, begins};

/// Phrase in a text, or a sentence that resembles a phrase.
#[derive(Debug)]
pub struct Said {
    /// Row of the phrase.
    pub phrase: &'static Phrase,
    /// Fact of the phrase.
    pub fact: Option<Fact>,
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Reason why the phrase was not fully understood.
    pub problem: Option<Problem>,
}

/// Returns the phrases in the sentences of a text, in order. Line ends count as blanks.
pub fn said(text: &str) -> Vec<Said> {
    let mut out = Vec::new();
    for sentence in sentences(text) {
        let before = out.len();
        exact(text, sentence.clone(), &mut out);
        if out.len() == before
            && let Some((phrase, problem)) = near::nearest(&text[sentence.clone()])
        {
            out.push(Said { phrase, fact: None, range: sentence, problem: Some(problem) });
        }
    }
    out
}

/// Splits a text into sentences, which end at a full stop before a blank. Marks before a sentence
/// do not belong to it.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut add = |mut range: Range<usize>| {
        while let Some(c) = text[range.clone()].chars().next().filter(|c| !c.is_alphanumeric()) {
            let (marks, rest) = super::leading_marks(&text[range.clone()]);
            match marks.0.is_empty() {
                true if c == '[' => break,
                true => range.start += c.len_utf8(),
                false => range.start = range.end - rest.len(),
            }
        }
        range.end = range.start + text[range.clone()].trim_end().len();
        if !range.is_empty() {
            out.push(range);
        }
    };
    for (i, c) in text.char_indices() {
        if c == '.' && text[i + 1..].chars().next().is_none_or(char::is_whitespace) {
            add(start..i);
            start = i + 1;
        }
    }
    add(start..text.len());
    out
}

/// Collects the exact phrases of a sentence.
fn exact(text: &str, sentence: Range<usize>, out: &mut Vec<Said>) {
    let mut at = sentence.start;
    let mut word = true;
    while at < sentence.end {
        let rest = &text[at..sentence.end];
        let c = rest.chars().next().unwrap_or(' ');
        let first = at == sentence.start || c.is_uppercase();
        let found = PHRASES
            .iter()
            .filter(|p| word && (p.anywhere || first))
            .filter_map(|p| Some((p, begins(rest, p.lead)?)))
            // In the middle of a sentence the same words may be prose. A condition is always
            // reported, because a lost condition is worse than a false alarm.
            .filter(|(p, len)| first || p.code == "presence-syntax" || (p.take)(rest[*len..].trim()).0.is_some())
            .max_by_key(|(_, len)| *len);
        if let Some((phrase, len)) = found {
            let (fact, whole) = (phrase.take)(rest[len..].trim());
            let end = if phrase.is_open() { sentence.end } else { at + len };
            let problem = (fact.is_none() || !whole).then_some(Problem::Rest);
            out.push(Said { phrase, fact, range: at..end, problem });
            at = end;
            word = false;
        } else {
            word = !c.is_alphanumeric() && c != '_';
            at += c.len_utf8();
        }
    }
}
