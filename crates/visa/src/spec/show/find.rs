//! Lookup of words of the specification or of an assembly text.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use visakit_spec_tools::export::{
    Acceptance, Attribute, Builtin, Check, Constraint, DataType, Enumerator, Group, Instruction, Limit, List,
    ListKind, Location, Platform, Predefined, Specification, Structure, Variable,
};

/// Item that a word stands for. Its parts are those of `visa spec export`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::spec) enum Hit<'a> {
    Instruction(&'a Instruction),
    Type(&'a DataType),
    Platform(&'a Platform),
    List(&'a List),
    Structure(&'a Structure),
    Predefined { table: &'static str, entry: &'a Predefined },
    Variable(&'a Variable),
    Attribute(&'a Attribute),
    Limit(&'a Limit),
    Rule(RuleRow<'a>),
    Builtin(&'a Builtin),
    Enumerator { list: &'a List, enumerator: &'a Enumerator },
}

/// Row of verification.md.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::spec) enum RuleRow<'a> {
    Group(&'a Group),
    Check(&'a Check),
    Accepted(&'a Acceptance),
    Condition(&'a Constraint),
}

impl<'a> RuleRow<'a> {
    /// Returns the kind of the row.
    fn kind(self) -> &'static str {
        match self {
            Self::Group(_) => "group of instructions",
            Self::Check(_) => "check of the verifier",
            Self::Accepted(_) => "violation that the vendor's assembler accepts",
            Self::Condition(_) => "condition of the vendor's assembler",
        }
    }

    /// Returns the name, the location and the description of the row.
    fn parts(self) -> (&'a str, &'a Location, &'a str) {
        match self {
            Self::Group(row) => (&row.name, &row.at, &row.doc),
            Self::Check(row) => (&row.name, &row.at, &row.doc),
            Self::Accepted(row) => (&row.name, &row.at, &row.doc),
            Self::Condition(row) => (&row.name, &row.at, &row.doc),
        }
    }
}

impl<'a> Hit<'a> {
    /// Returns the kind of the item.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Instruction(_) => "instruction",
            Self::Type(_) => "data type",
            Self::Platform(_) => "platform",
            Self::List(list) => match list.kind {
                ListKind::Enumeration { .. } => "enumeration",
                ListKind::Parts { .. } => "bit field",
            },
            Self::Structure(_) => "structure",
            Self::Predefined { table, .. } => table,
            Self::Variable(_) => "predefined variable",
            Self::Attribute(_) => "attribute",
            Self::Limit(_) => "limit",
            Self::Rule(row) => row.kind(),
            Self::Builtin(_) => "built-in of the semantics",
            Self::Enumerator { .. } => "enumerator",
        }
    }

    /// Returns the name of the item.
    pub(in crate::spec) fn name(self) -> &'a str {
        match self {
            Self::Instruction(one) => &one.name,
            Self::Type(one) => &one.name,
            Self::Platform(one) => &one.name,
            Self::List(one) => &one.name,
            Self::Structure(one) => &one.name,
            Self::Predefined { entry, .. } => &entry.name,
            Self::Variable(one) => &one.name,
            Self::Attribute(one) => &one.name,
            Self::Limit(one) => &one.name,
            Self::Rule(row) => row.parts().0,
            Self::Builtin(one) => &one.name,
            Self::Enumerator { enumerator, .. } => &enumerator.name,
        }
    }

    /// Returns the location of the item in the pages.
    pub(in crate::spec) fn place(self) -> &'a Location {
        match self {
            Self::Instruction(one) => &one.at,
            Self::Type(one) => &one.at,
            Self::Platform(one) => &one.at,
            Self::List(one) => &one.at,
            Self::Structure(one) => &one.at,
            Self::Predefined { entry, .. } => &entry.at,
            Self::Variable(one) => &one.at,
            Self::Attribute(one) => &one.at,
            Self::Limit(one) => &one.at,
            Self::Rule(row) => row.parts().1,
            Self::Builtin(one) => &one.at,
            Self::Enumerator { enumerator, .. } => &enumerator.at,
        }
    }

    /// Returns the item's description in the pages.
    pub(super) fn doc(self) -> &'a str {
        match self {
            Self::Instruction(one) => &one.doc,
            Self::Type(one) => &one.doc,
            Self::Platform(_) => "",
            Self::List(one) => &one.doc,
            Self::Structure(one) => &one.doc,
            Self::Predefined { entry, .. } => &entry.doc,
            Self::Variable(one) => &one.doc,
            Self::Attribute(one) => &one.doc,
            Self::Limit(one) => &one.doc,
            Self::Rule(row) => row.parts().2,
            Self::Builtin(one) => &one.doc,
            Self::Enumerator { enumerator, .. } => &enumerator.doc,
        }
    }
}

/// Words that begin statements, each with the instructions that it may belong to.
pub(in crate::spec) type Mnemonics<'m> = BTreeMap<String, BTreeSet<&'m str>>;

/// Returns the items that a word stands for, in groups from most to least likely. No group is
/// empty.
pub(in crate::spec) fn find<'a>(all: &'a Specification, mnemonics: &Mnemonics<'_>, word: &str) -> Vec<Vec<Hit<'a>>> {
    let instructions = |is: &dyn Fn(&Instruction) -> bool| -> Vec<Hit<'a>> {
        all.instructions.iter().filter(|one| is(one)).map(Hit::Instruction).collect()
    };
    if let Some(opcode) = number(word) {
        let found = instructions(&|one| u64::from(one.opcode) == opcode);
        return [found].into_iter().filter(|group| !group.is_empty()).collect();
    }
    let is = |name: &str| name.eq_ignore_ascii_case(word);
    // A statement has modifiers after its word: `lsc_load.ugm`.
    let head = word.split(['.', ' ', '(']).next().unwrap_or(word).to_ascii_lowercase();
    let by_text = mnemonics.get(&head).or_else(|| mnemonics.get(word));
    let groups = [
        instructions(&|one| is(&one.name)),
        instructions(&|one| !is(&one.name) && by_text.is_some_and(|names| names.contains(one.name.as_str()))),
        chapters(all, word),
        meanings(all, word),
    ];
    groups.into_iter().filter(|group| !group.is_empty()).collect()
}

/// Returns every word that can be found, for suggestions.
pub(in crate::spec) fn words<'a>(all: &'a Specification, mnemonics: &'a Mnemonics<'_>) -> Vec<&'a str> {
    let mut words: Vec<&str> = mnemonics.keys().map(String::as_str).collect();
    words.extend(all.instructions.iter().map(|one| one.name.as_str()));
    words.extend(all.types.iter().map(|one| one.name.as_str()));
    words.extend(all.platforms.iter().flat_map(|one| one.aliases.iter().chain([&one.name])).map(String::as_str));
    words.extend(all.lists.iter().filter(|one| one.shared).map(|one| one.name.as_str()));
    words.extend(all.structures.iter().map(|one| one.name.as_str()));
    words.extend(all.variables.iter().map(|one| one.name.as_str()));
    words.extend(predefined(all).map(|(_, one)| one.name.as_str()));
    words.extend(all.attributes.iter().map(|one| one.name.as_str()));
    words.extend(all.builtins.iter().map(|one| one.name.as_str()));
    words
}

/// Parses an opcode: decimal, or hexadecimal after `0x`.
fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

fn predefined(all: &Specification) -> impl Iterator<Item = (&'static str, &Predefined)> {
    let surfaces = all.surfaces.iter().map(|one| ("predefined surface", one));
    surfaces.chain(all.samplers.iter().map(|one| ("predefined sampler", one)))
}

fn chapters<'a>(all: &'a Specification, word: &str) -> Vec<Hit<'a>> {
    let is = |name: &str| name.eq_ignore_ascii_case(word);
    let is_platform = |one: &&Platform| is(&one.name) || one.aliases.iter().any(|alias| is(alias));
    let is_predefined = |name: &str, old: &str| is(name) || is(old) || is(name.trim_start_matches('%'));
    let mut hits: Vec<Hit<'a>> = all.types.iter().filter(|one| is(&one.name)).map(Hit::Type).collect();
    hits.extend(all.platforms.iter().filter(is_platform).map(Hit::Platform));
    hits.extend(all.lists.iter().filter(|one| is(&one.name)).map(Hit::List));
    hits.extend(all.structures.iter().filter(|one| is(&one.name)).map(Hit::Structure));
    let variables = all.variables.iter().filter(|one| is_predefined(&one.name, &one.old_name));
    hits.extend(variables.map(Hit::Variable));
    let entries = predefined(all).filter(|(_, one)| is_predefined(&one.name, &one.old_name));
    hits.extend(entries.map(|(table, entry)| Hit::Predefined { table, entry }));
    hits.extend(all.attributes.iter().filter(|one| is(&one.name)).map(Hit::Attribute));
    hits.extend(all.limits.iter().filter(|one| is(&one.name)).map(Hit::Limit));
    let rows = all.groups.iter().map(RuleRow::Group).chain(all.checks.iter().map(RuleRow::Check));
    let rows = rows.chain(all.accepted.iter().map(RuleRow::Accepted));
    let rows = rows.chain(all.constraints.iter().map(RuleRow::Condition));
    hits.extend(rows.filter(|row| is(row.parts().0)).map(Hit::Rule));
    hits
}

/// Returns the meanings of a word in lists and Semantics sections.
fn meanings<'a>(all: &'a Specification, word: &str) -> Vec<Hit<'a>> {
    let is = |name: &str| name.eq_ignore_ascii_case(word) || name.trim_start_matches('.').eq_ignore_ascii_case(word);
    let of_list = |list: &'a List| {
        let values = match &list.kind {
            ListKind::Enumeration { values, .. } => values.as_slice(),
            ListKind::Parts { .. } => &[],
        };
        let found = values.iter().filter(move |one| !one.reserved && (is(&one.name) || is(&one.text)));
        found.map(move |enumerator| Hit::Enumerator { list, enumerator })
    };
    let builtins = all.builtins.iter().filter(|one| one.name.eq_ignore_ascii_case(word)).map(Hit::Builtin);
    all.lists.iter().flat_map(of_list).chain(builtins).collect()
}
