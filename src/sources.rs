//! What the generated module came from, inside of the library: for tools that read, compare or
//! generate wherever they are.

pub use crate::generated::SPECIFICATION;

/// The files of the runtime that a generated module stands on, with their texts; they belong into a
/// folder `rt` beside it. Lines with `#[cfg(feature` in them are for this crate: elsewhere the
/// runtime is whole.
pub static RUNTIME: &[(&str, &str)] = &[
    ("mod.rs", include_str!("rt/mod.rs")),
    ("bytes.rs", include_str!("rt/bytes.rs")),
    ("condition.rs", include_str!("rt/condition.rs")),
    ("constant.rs", include_str!("rt/constant.rs")),
    ("cursor.rs", include_str!("rt/cursor.rs")),
    ("display.rs", include_str!("rt/display.rs")),
    ("error.rs", include_str!("rt/error.rs")),
    ("expression.rs", include_str!("rt/expression.rs")),
    ("kernel.rs", include_str!("rt/kernel.rs")),
    ("near.rs", include_str!("rt/near.rs")),
    ("number.rs", include_str!("rt/number.rs")),
    ("operand.rs", include_str!("rt/operand.rs")),
    ("reflect.rs", include_str!("rt/reflect.rs")),
    ("text.rs", include_str!("rt/text.rs")),
    ("value.rs", include_str!("rt/value.rs")),
    ("visit.rs", include_str!("rt/visit.rs")),
];

/// Corrections of the vendor's documents, as `spec/upstream-overlay.md` has them.
pub static OVERLAY: &str = include_str!("../spec/upstream-overlay.md");
