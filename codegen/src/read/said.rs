//! Reader of the facts in an item's sentences. Sentences that resemble facts are reported.

use super::context::Cx;
use crate::markdown::{Inline, Span};
use crate::model::IndexKind;
use crate::phrase::{Fact, Problem, Said, said};
use visakit_diag::Severity;

/// Fact with its place.
#[derive(Clone)]
pub(crate) struct Stated {
    /// First words of the fact's phrase.
    pub(crate) phrase: &'static str,
    pub(crate) fact: Fact,
    pub(crate) span: Span,
}

/// Subject of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Field,
    Bits,
    Member,
}

/// Reads the facts of an item after its bold head.
pub(crate) fn read(cx: &mut Cx<'_>, text: &Inline, of: Of) -> Vec<Stated> {
    let bold = text.bold.as_deref().unwrap_or("");
    let from = text.text.find(bold).map_or(0, |at| at + bold.len());
    read_from(cx, text, from, of)
}

/// Reads the facts of a text from a byte on.
pub(crate) fn read_from(cx: &mut Cx<'_>, text: &Inline, from: usize, of: Of) -> Vec<Stated> {
    // Line ends in an item have no meaning.
    let flat = text.text[from..].replace('\n', " ");
    let mut out = Vec::new();
    for found in said(&flat) {
        let span = text.source(found.range.start + from..found.range.end + from);
        if let Some(problem) = found.problem {
            report(cx, &flat[found.range.clone()], &found, problem, &span, of);
        } else if found.fact == Some(Fact::See) && !leads(text, &flat[found.range.clone()], &span) {
            let help = "write `See [Name](../lists.md#name)`, or begin the sentence with another word";
            cx.warn("phrase-syntax", &span, "`See` needs a link", help);
        }
        if let Some(fact) = &found.fact
            && !of.has(fact)
        {
            let message = format!("`{}` is read only in the text of a field", found.phrase.lead);
            cx.warn("phrase-idle", &span, message, "move the sentence to the text of a field, or rephrase it");
        }
        if let Some(fact) = found.fact {
            out.push(Stated { phrase: found.phrase.lead, fact, span });
        }
    }
    out
}

impl Of {
    /// Returns true if a fact is possible for the subject.
    fn has(self, fact: &Fact) -> bool {
        match fact {
            Fact::See | Fact::Ignored | Fact::Zero | Fact::ValuesFollow => true,
            Fact::Index(_) | Fact::IndexBy(_) | Fact::Range(..) => self != Self::Bits,
            _ => self == Self::Field,
        }
    }
}

/// Returns true if a sentence has a link. Items that are indented too far are code, where a link
/// appears in markdown notation.
fn leads(text: &Inline, sentence: &str, span: &Span) -> bool {
    text.links.iter().any(|l| span.contains(&l.span.start)) || sentence.contains("](")
}

fn report(cx: &mut Cx<'_>, sentence: &str, found: &Said, problem: Problem, span: &Span, of: Of) {
    let example = found.phrase.example;
    let (code, message, help) = match problem {
        Problem::Rest => (
            found.phrase.code,
            format!("`{sentence}` is not understood"),
            format!("write it like `{example}`; spec/README.md lists the phrases"),
        ),
        Problem::Words => (
            // A lost condition changes the layout of the bytes.
            if found.phrase.code == "presence-syntax" { found.phrase.code } else { "phrase-unknown" },
            format!("`{sentence}` is similar to a phrase, but is not one"),
            format!("did you mean `{example}`? If the sentence is prose, begin it with other words"),
        ),
        Problem::Shape => (
            "phrase-unknown",
            format!("`{sentence}` looks like a fact, but is not a known phrase"),
            format!("did you mean something like `{example}`? If the sentence is prose, rephrase it"),
        ),
    };
    let severity = if code == "presence-syntax" && of == Of::Field { Severity::Error } else { Severity::Warning };
    cx.report(severity, code, span, message, help);
}

/// Returns the table that an item is an index into.
pub(crate) fn index(stated: &[Stated]) -> Option<IndexKind> {
    stated.iter().find_map(|s| if let Fact::Index(kind) = s.fact { kind } else { None })
}
