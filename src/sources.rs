//! Sources of the generated module, embedded in the library so that tools work outside the
//! repository.

pub use crate::generated::SPECIFICATION;

/// Files of the runtime that a generated module depends on, as pairs of name and text. They belong
/// in a folder `rt` next to the module. Lines with `#[cfg(feature` apply to this crate only;
/// elsewhere the runtime has all features.
pub static RUNTIME: &[(&str, &str)] = &[
    ("mod.rs", include_str!("rt/mod.rs")),
    ("bytes.rs", include_str!("rt/bytes.rs")),
    ("condition.rs", include_str!("rt/condition.rs")),
    ("constant.rs", include_str!("rt/constant.rs")),
    ("cursor.rs", include_str!("rt/cursor.rs")),
    ("display.rs", include_str!("rt/display.rs")),
    ("error.rs", include_str!("rt/error.rs")),
    ("expression.rs", include_str!("rt/expression.rs")),
    ("format.rs", include_str!("rt/format.rs")),
    ("kernel.rs", include_str!("rt/kernel.rs")),
    ("near.rs", include_str!("rt/near.rs")),
    ("number.rs", include_str!("rt/number.rs")),
    ("operand.rs", include_str!("rt/operand.rs")),
    ("reflect.rs", include_str!("rt/reflect.rs")),
    ("text.rs", include_str!("rt/text.rs")),
    ("value.rs", include_str!("rt/value.rs")),
    ("visit.rs", include_str!("rt/visit.rs")),
];

/// Corrections of the vendor's documents: the text of `spec/upstream-overlay.md`.
pub static OVERLAY: &str = include_str!("../spec/upstream-overlay.md");
