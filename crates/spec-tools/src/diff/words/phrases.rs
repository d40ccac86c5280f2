//! Phrases of spec/README.md that carry facts. A change of such a phrase is a change of its fact,
//! not of the surrounding prose.

use std::ops::Range;

use visakit_codegen::markdown::Inline;
use visakit_codegen::phrase::{Fact, leading_marks, said};

/// Returns the ranges of a text that state facts of the model: marks, links to lists, and the
/// phrases of a field. `from` is the first byte after the head of the item.
pub(crate) fn facts(text: &Inline, from: usize, is_field: bool) -> Vec<Range<usize>> {
    // An item may wrap anywhere; byte positions stay the same.
    let all = text.text.replace('\n', " ");
    let all = all.as_str();
    let mut out = Vec::new();
    marks(all, from, &mut out);
    for link in &text.links {
        let file = link.target.split('#').next().unwrap_or("");
        if (file.is_empty() || file.ends_with("lists.md") || file.ends_with("2_datatypes.md"))
            && let Some(at) = all.get(from..).and_then(|rest| rest.find(&link.text)).map(|at| from + at)
        {
            let see = all[..at].trim_end();
            let start = if see.ends_with("See") || see.ends_with("see") { see.len() - 3 } else { at };
            out.push(start..at + link.text.len());
        }
    }
    for said in said(&all[from..]) {
        let known = match said.fact {
            // The link is the fact; the model does not store these two phrases.
            None | Some(Fact::See | Fact::Ignored | Fact::ValuesFollow) => false,
            Some(Fact::Zero | Fact::NotZero) => true,
            Some(_) => is_field,
        };
        if known && said.problem.is_none() {
            out.push(from + said.range.start..from + said.range.end);
        }
    }
    out
}

/// Adds the marks in braces.
pub(crate) fn marks(all: &str, from: usize, out: &mut Vec<Range<usize>>) {
    for (at, _) in all.match_indices('{').filter(|(at, _)| *at >= from) {
        let (found, rest) = leading_marks(&all[at..]);
        if !found.0.is_empty() {
            out.push(at..all.len() - rest.len());
        }
    }
}
