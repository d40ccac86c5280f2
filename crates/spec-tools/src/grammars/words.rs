//! Words of assembly text, from the templates and lists of a model.

use std::collections::BTreeSet;

use visakit_codegen::model::{Enumerator, List, ListKind, Model};

/// Column of the lists whose values are directives and their keys.
const EXTENSION: &str = "Extension";

/// Words by their kind. All are sorted; longer words come before their beginnings.
pub(super) struct Words {
    /// First words of instructions.
    pub(super) mnemonics: Vec<String>,
    /// Directives with their dot, without those that continue.
    pub(super) directives: Vec<String>,
    /// Beginnings of directives that a word continues, with their dot.
    pub(super) openings: Vec<String>,
    /// Keys of directives.
    pub(super) keys: Vec<String>,
    /// Names of data types.
    pub(super) types: Vec<String>,
    /// Words that instructions may have after a dot.
    pub(super) dotted: Vec<String>,
    /// Other words of instructions: masks, modifiers, forms of addresses.
    pub(super) plain: Vec<String>,
}

impl Words {
    /// Collects the words of a model.
    pub(super) fn of(model: &Model) -> Self {
        let (mut directives, mut openings, mut keys) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut dotted, mut plain) = (BTreeSet::new(), BTreeSet::new());
        let is_syntax = |list: &List| list.columns.iter().any(|column| column.name == EXTENSION);
        // Other lists of that chapter describe the syntax and have no words of texts.
        let chapters: BTreeSet<u32> =
            model.lists.iter().filter(|list| is_syntax(list)).map(|list| list.at.page).collect();
        for list in model.lists.iter().filter(|list| is_syntax(list) || !chapters.contains(&list.at.page)) {
            let is_syntax = is_syntax(list);
            for text in values(list).iter().map(|value| value.text.trim()) {
                match (is_syntax, text.strip_prefix('.')) {
                    (true, Some(_)) if text.ends_with('_') => openings.insert(text.to_owned()),
                    (true, Some(_)) => directives.insert(text.to_owned()),
                    (true, None) => is_word(text) && keys.insert(text.to_owned()),
                    (false, Some(word)) => is_word(word) && dotted.insert(word.to_owned()),
                    (false, None) => {
                        let bare = text.trim_matches(['(', ')', '-', '~']);
                        is_word(bare) && plain.insert(bare.to_owned())
                    }
                };
            }
        }
        let mnemonics: BTreeSet<String> = visakit_codegen::mnemonics(model).into_keys().collect();
        let types = model.types.iter().map(|ty| ty.name.to_ascii_lowercase()).collect();
        // A word that is a mnemonic only is no word of operands.
        plain.retain(|word| !mnemonics.contains(word));
        let [mnemonics, directives, openings, keys, types, dotted, plain] =
            [mnemonics, directives, openings, keys, types, dotted, plain].map(longest_first);
        Self { mnemonics, directives, openings, keys, types, dotted, plain }
    }
}

fn values(list: &List) -> &[Enumerator] {
    match &list.kind {
        ListKind::Enumeration { values, .. } => values,
        ListKind::Parts(_) => &[],
    }
}

/// Returns true for a text of letters, digits and `_` that does not begin with a digit and has more
/// than one character.
fn is_word(text: &str) -> bool {
    text.len() > 1
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn longest_first(words: BTreeSet<String>) -> Vec<String> {
    let mut words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    words
}
