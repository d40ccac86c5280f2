//! All names of a specification with their addresses.

use std::collections::BTreeMap;

use visakit_codegen::model::Model;
use visakit_spec_tools::export::{ListKind, Specification, export};

use crate::{Code, address};

/// Name of a specification.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) name: String,
    /// Kind in words, such as `data type`.
    pub(crate) kind: &'static str,
    pub(crate) address: String,
    /// Description in one line; may be empty.
    pub(crate) summary: String,
    /// Other words by which the name is found.
    pub(crate) words: Vec<String>,
}

/// Specification in the forms that pages need.
pub(crate) struct Names<'m> {
    pub(crate) model: &'m Model,
    pub(crate) all: Specification,
    /// Words that begin statements, by instruction.
    pub(crate) mnemonics: BTreeMap<&'m str, Vec<String>>,
    codes: &'m [Code],
}

impl<'m> Names<'m> {
    pub(crate) fn new(model: &'m Model, codes: &'m [Code]) -> Self {
        let mut mnemonics: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (word, names) in visakit_codegen::mnemonics(model) {
            for name in names {
                mnemonics.entry(name).or_default().push(word.clone());
            }
        }
        Self { model, all: export(model), mnemonics, codes }
    }

    /// Returns the address of a code of findings, if it is known.
    pub(crate) fn code(&self, code: &str) -> Option<String> {
        self.codes.iter().any(|known| known.code == code).then(|| address::code(code))
    }

    /// Returns the short description of an instruction: its words in the index of instructions, or
    /// the first sentence of its page.
    pub(crate) fn summary(&self, instruction: &str) -> String {
        let line = self.model.index.iter().find(|line| line.page == instruction);
        let words = line.and_then(|line| {
            let page = self.model.pages.get(line.at.page as usize)?;
            let text = page.text.get(line.at.start as usize..)?.lines().next()?;
            let (_, rest) = text.split_once(" - ")?;
            Some(rest.split(['{', ']']).next()?.trim().to_owned())
        });
        words.filter(|words| !words.is_empty()).unwrap_or_else(|| {
            let found = self.all.instructions.iter().find(|one| one.name == instruction);
            found.map_or_else(String::new, |one| first_sentence(&one.doc))
        })
    }

    /// Returns the heading of the index of instructions above an instruction.
    pub(crate) fn group(&self, instruction: &str) -> Option<&'m str> {
        let line = self.model.index.iter().find(|line| line.page == instruction)?;
        let text = self.model.pages.get(line.at.page as usize)?.text.get(..line.at.start as usize)?;
        text.lines().rev().find_map(|line| line.strip_prefix("## ")).map(str::trim)
    }

    /// Returns all names in a fixed order.
    pub(crate) fn list(&self) -> Vec<Name> {
        let mut out = Vec::new();
        let mut add = |name: &str, kind, address: String, doc: &str, words: Vec<String>| {
            out.push(Name { name: name.to_owned(), kind, address, summary: first_sentence(doc), words });
        };
        for one in &self.all.instructions {
            let words = self.mnemonics.get(one.name.as_str()).cloned().unwrap_or_default();
            let words = words.into_iter().chain([format!("0x{:02x}", one.opcode)]).collect();
            add(&one.name, "instruction", address::instruction(&one.name), &self.summary(&one.name), words);
        }
        for one in &self.all.types {
            add(&one.name, "data type", address::data_type(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.platforms {
            add(&one.name, "platform", address::platform(&one.name), "", one.aliases.clone());
        }
        for list in &self.all.lists {
            let (kind, values) = match &list.kind {
                ListKind::Enumeration { values, .. } => ("enumeration", values.as_slice()),
                ListKind::Parts { .. } => ("bit field", &[][..]),
            };
            add(&list.name, kind, address::list(&list.name), &list.doc, Vec::new());
            for one in values.iter().filter(|one| !one.reserved) {
                let doc = format!("{} of {}. {}", one.value, list.name, one.doc);
                let text = Some(one.text.clone()).filter(|text| !text.is_empty() && *text != one.name);
                let at = address::enumerator(&list.name, &one.name);
                add(&one.name, "enumerator", at, &doc, text.into_iter().collect());
            }
        }
        for one in &self.all.structures {
            add(&one.name, "structure", address::structure(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.variables {
            add(&one.name, "predefined variable", address::variable(&one.name), &one.doc, vec![one.old_name.clone()]);
        }
        for (kind, table) in [("predefined surface", &self.all.surfaces), ("predefined sampler", &self.all.samplers)]
        {
            for one in table {
                add(&one.name, kind, address::variable(&one.name), &one.doc, vec![one.old_name.clone()]);
            }
        }
        self.rest(&mut add);
        out
    }

    /// Adds the names that share pages.
    fn rest(&self, add: &mut impl FnMut(&str, &'static str, String, &str, Vec<String>)) {
        for one in &self.all.attributes {
            add(&one.name, "attribute", address::attribute(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.limits {
            add(&one.name, "limit", address::limit(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.builtins {
            add(&one.name, "built-in of the semantics", address::builtin(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.rule_builtins {
            add(&one.name, "built-in of the rules", address::rule_builtin(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.definitions {
            add(&one.name, "definition of the rules", address::definition(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.groups {
            add(&one.name, "group of instructions", address::group(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.checks {
            add(&one.name, "check", address::check(&one.name), &one.doc, vec![one.finding.clone()]);
        }
        for one in &self.all.constraints {
            add(&one.name, "rule", address::rule(&one.name), &one.doc, vec![one.finding.clone()]);
        }
        for one in &self.all.accepted {
            add(&one.name, "accepted violation", address::accepted(&one.name), &one.doc, Vec::new());
        }
        for one in &self.all.sources {
            add(&one.name, "source", address::source(&one.name), &one.doc, Vec::new());
        }
        for page in self.model.pages.iter().filter(|page| is_chapter(&page.path)) {
            let title = title(&page.text).unwrap_or(page.stem()).to_owned();
            add(&title, "chapter", address::chapter(&page.path), "", vec![page.stem().to_owned()]);
        }
        for one in self.codes {
            add(&one.code, "code of a finding", address::code(&one.code), &one.text, Vec::new());
        }
    }
}

/// Returns true for a page that is shown as a chapter: neither an instruction nor an overlay.
pub(crate) fn is_chapter(path: &str) -> bool {
    !path.contains('/') && !path.contains("overlay")
}

/// Returns the first heading of a page.
pub(crate) fn title(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim)
}

/// Returns the first sentence of a description in one line.
pub(crate) fn first_sentence(doc: &str) -> String {
    let text = doc.split("\n\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    match text.find(". ") {
        Some(end) => text[..=end].to_owned(),
        None => text,
    }
}
