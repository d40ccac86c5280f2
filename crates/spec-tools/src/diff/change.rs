//! Changes and their classes.

use serde::Serialize;

/// Effect of a change on objects and texts of the old specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Bytes have another layout or another meaning.
    WireBreaking,
    /// Something legal became illegal.
    Narrowed,
    /// Something illegal became legal; everything legal keeps its meaning.
    Widened,
    /// Bytes and legality are unchanged.
    TextOnly,
    /// An overlay corrects the fact on one side only: the documents did not change it.
    Overlay,
}

impl Class {
    /// All classes, most severe first.
    pub const ALL: [Self; 5] = [Self::WireBreaking, Self::Narrowed, Self::Widened, Self::TextOnly, Self::Overlay];

    /// Returns the name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::WireBreaking => "wire-breaking",
            Self::Narrowed => "narrowed",
            Self::Widened => "widened",
            Self::TextOnly => "text-only",
            Self::Overlay => "overlay",
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

/// Side of a change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Side {
    /// Text of the page.
    pub value: String,
    /// Path of the page, as in diagnostics.
    pub file: String,
    /// Line number, from 1.
    pub line: u32,
}

/// Difference between two specifications.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// Effect of the change.
    pub class: Class,
    /// Kind of the change, from [`KINDS`]: `opcode`, `enumerator-added` and so on.
    pub kind: &'static str,
    /// Path of the changed fact, outermost name first: `ADD.Exec_size.0b101`.
    pub path: String,
    /// Text of the old specification; `None` if the fact is new.
    pub old: Option<Side>,
    /// Text of the new specification; `None` if the fact was removed.
    pub new: Option<Side>,
    /// Instructions that use the changed shared list or definition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
}
