//! tree-sitter grammar, as JavaScript, with its queries.

use super::words::Words;

/// Frame of the grammar. The generated lists of words come before it.
const GRAMMAR: &str = include_str!("tree_sitter/grammar.js");

/// Queries for syntax colours, folding and names. They contain no word of the pages.
const HIGHLIGHTS: &str = include_str!("tree_sitter/highlights.scm");
const FOLDS: &str = include_str!("tree_sitter/folds.scm");
const LOCALS: &str = include_str!("tree_sitter/locals.scm");

/// Writes the grammar.
pub(super) fn write(words: &Words) -> Vec<(&'static str, String)> {
    let mut grammar = format!("// {}\n\n", crate::HEADER);
    for (name, list) in [
        ("MNEMONICS", &words.mnemonics),
        ("DIRECTIVES", &words.directives),
        ("OPENINGS", &words.openings),
        ("KEYS", &words.keys),
        ("TYPES", &words.types),
        ("WORDS", &words.plain),
    ] {
        let quoted: Vec<String> = list.iter().map(|word| format!("  \"{word}\",\n")).collect();
        grammar.push_str(&format!("const {name} = [\n{}];\n\n", quoted.concat()));
    }
    grammar.push_str(GRAMMAR);
    let query = |text: &str| format!("; {}\n\n{text}", crate::HEADER);
    vec![
        ("grammar.js", grammar),
        ("queries/highlights.scm", query(HIGHLIGHTS)),
        ("queries/folds.scm", query(FOLDS)),
        ("queries/locals.scm", query(LOCALS)),
    ]
}
