//! A change, and what it means.

use serde::Serialize;

/// What a change means for what was made under the old specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Bytes are laid out or read differently.
    WireBreaking,
    /// Something that was legal no longer is.
    Narrowed,
    /// Something more is legal; all that was keeps its meaning.
    Widened,
    /// Neither the bytes nor what is legal.
    TextOnly,
}

impl Class {
    /// All classes, the gravest first.
    pub const ALL: [Self; 4] = [Self::WireBreaking, Self::Narrowed, Self::Widened, Self::TextOnly];

    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::WireBreaking => "wire-breaking",
            Self::Narrowed => "narrowed",
            Self::Widened => "widened",
            Self::TextOnly => "text-only",
        }
    }
}

/// All kinds of changes. `docs/reference/errors.md` explains them.
pub const KINDS: [&str; 75] = [
    "access",
    "attribute-added",
    "attribute-removed",
    "attribute-renamed",
    "bits",
    "cell",
    "column-added",
    "column-removed",
    "condition",
    "default",
    "description",
    "enumerator",
    "enumerator-added",
    "enumerator-removed",
    "enumerator-renamed",
    "examples",
    "field-added",
    "field-removed",
    "field-renamed",
    "form",
    "form-added",
    "form-removed",
    "index",
    "instruction-added",
    "instruction-removed",
    "instruction-renamed",
    "kind",
    "limit",
    "limit-added",
    "limit-removed",
    "list-added",
    "list-removed",
    "list-renamed",
    "notes",
    "opcode",
    "operand-class",
    "order",
    "page-added",
    "page-removed",
    "part-added",
    "part-removed",
    "part-renamed",
    "platform",
    "platform-added",
    "platform-removed",
    "platform-renamed",
    "presence",
    "property",
    "prose",
    "range",
    "rule",
    "rule-added",
    "rule-removed",
    "rule-renamed",
    "sampler-added",
    "sampler-removed",
    "semantics",
    "source",
    "structure-added",
    "structure-removed",
    "structure-renamed",
    "surface-added",
    "surface-removed",
    "text",
    "type",
    "type-added",
    "type-map",
    "type-removed",
    "type-renamed",
    "values",
    "variable",
    "variable-added",
    "variable-removed",
    "variable-renamed",
    "width",
];

/// A side of a change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Side {
    /// What the page says.
    pub value: String,
    /// The page, as diagnostics show it.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// What it means.
    pub class: Class,
    /// The kind of change, of [`KINDS`]: `opcode`, `enumerator-added` and so on.
    pub kind: &'static str,
    /// The thing that changed, from the outside in: `ADD.Exec_size.0b101`.
    pub path: String,
    /// What the old specification says; nothing where the thing is new.
    pub old: Option<Side>,
    /// What the new specification says; nothing where the thing is gone.
    pub new: Option<Side>,
    /// The instructions that have a shared list that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
}
