//! Grammars of assembly text for editors: a TextMate grammar and a tree-sitter grammar.
//!
//! `words` collects the words of the templates and lists of a model; `textmate` and
//! `tree_sitter` write them in the form of their tool. The shape of a statement is that of
//! `visakit::text::tokens`. The command is `visa spec generate --lang`.

mod words;

mod textmate;
mod tree_sitter;

use visakit_codegen::model::Model;

/// Tool that reads a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// TextMate: VS Code, Sublime Text, and many web sites.
    TextMate,
    /// tree-sitter: Neovim, Helix, Emacs, Zed.
    TreeSitter,
}

/// Writes the grammar of assembly text: names of files, each with its text.
pub fn generate(model: &Model, grammar: Grammar) -> Vec<(&'static str, String)> {
    let words = words::Words::of(model);
    match grammar {
        Grammar::TextMate => textmate::write(&words),
        Grammar::TreeSitter => tree_sitter::write(&words),
    }
}
