//! Conversion of the specification's names to Rust names, with one function for each kind of name.

use heck::{ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Span};

/// Words that cannot be a name in Rust; they get the suffix `_`.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match",
    "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "union",
];

/// Returns a type's name: `GATHER4_SCALED` becomes `Gather4Scaled`, `3D_SAMPLE` becomes `Sample3d`.
pub(crate) fn type_name(name: &str) -> Ident {
    ident(&digits_last(&name.to_upper_camel_case()), "T")
}

/// Returns a member's or a method's name: `Exec_size` becomes `exec_size`, `type` becomes `type_`.
pub(crate) fn member_name(name: &str) -> Ident {
    ident(&digits_last(&name.to_snake_case()), "n")
}

/// Returns a variant's name: `M1_NM` becomes `M1Nm`, `16` becomes `N16`.
pub(crate) fn variant_name(name: &str) -> Ident {
    ident(&name.replace('+', "_plus_").to_upper_camel_case(), "N")
}

/// Returns a constant's name: `GATHER4_SCALED` does not change, `3D_SAMPLE` becomes `SAMPLE_3D`.
pub(crate) fn constant_name(name: &str) -> Ident {
    ident(&digits_last(&name.to_snake_case()).to_ascii_uppercase(), "N")
}

/// Moves a leading group with digits to the end, since names cannot begin with a digit.
fn digits_last(name: &str) -> String {
    if !name.starts_with(|c: char| c.is_ascii_digit()) {
        return name.to_owned();
    }
    if let Some((first, rest)) = name.split_once('_') {
        return format!("{rest}_{first}");
    }
    // Camel case: the group ends before the first capital that follows a digit or `D`.
    let end =
        name.char_indices().skip(1).find(|&(i, c)| c.is_ascii_uppercase() && i > 1).map_or(name.len(), |(i, _)| i);
    let (first, rest) = name.split_at(end);
    format!("{rest}{}", first.to_ascii_lowercase())
}

fn ident(name: &str, prefix: &str) -> Ident {
    let mut name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if name.is_empty() || name == "_" {
        name = prefix.to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name = format!("{prefix}{name}");
    }
    if KEYWORDS.contains(&name.as_str()) || name == "Self" {
        name.push('_');
    }
    Ident::new(&name, Span::call_site())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(type_name("GATHER4_SCALED").to_string(), "Gather4Scaled");
        assert_eq!(type_name("3D_SAMPLE").to_string(), "Sample3d");
        assert_eq!(member_name("LscSFID").to_string(), "lsc_sfid");
        assert_eq!(member_name("type").to_string(), "type_");
        assert_eq!(member_name("3D_SAMPLE").to_string(), "sample_3d");
        assert_eq!(variant_name("M1_NM").to_string(), "M1Nm");
        assert_eq!(variant_name("16").to_string(), "N16");
        assert_eq!(constant_name("3D_SAMPLE").to_string(), "SAMPLE_3D");
    }
}
