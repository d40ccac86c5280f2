//! Addresses of names in the site.
//!
//! An address is a path relative to the site's root, with an anchor if several names share a page.
//! Addresses depend on the kind and the name only, so they are stable: a name keeps its address as
//! long as the specification has the name.

pub use visakit_codegen::address::{instruction, slug};

/// Root of the published site.
pub const SITE: &str = concat!(env!("CARGO_PKG_HOMEPAGE"), "/reference");

/// Environment variable with the root of another copy of the site, such as `file:///tmp/site`.
pub const SITE_VARIABLE: &str = "VISAKIT_SITE";

/// Returns the complete address of a page of the site.
pub fn url(address: &str) -> String {
    let root = std::env::var(SITE_VARIABLE).ok().filter(|root| !root.is_empty());
    format!("{}/{address}", root.as_deref().unwrap_or(SITE).trim_end_matches('/'))
}

macro_rules! pages {
    ($($(#[$doc:meta])* $name:ident $folder:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name(name: &str) -> String {
            format!(concat!($folder, "/{}.html"), slug(name))
        }
    )*};
}

pages! {
    /// Returns the address of a bit field or an enumeration.
    list "lists";
    /// Returns the address of a structure.
    structure "structures";
    /// Returns the address of a platform, by its first name.
    platform "platforms";
    /// Returns the address of a predefined variable, surface or sampler.
    variable "variables";
    /// Returns the address of the code of a finding.
    code "codes";
}

macro_rules! anchors {
    ($($(#[$doc:meta])* $name:ident $page:literal;)*) => {$(
        $(#[$doc])*
        pub fn $name(name: &str) -> String {
            format!(concat!($page, "#{}"), slug(name))
        }
    )*};
}

anchors! {
    /// Returns the address of a data type.
    data_type "types.html";
    /// Returns the address of an attribute.
    attribute "attributes.html";
    /// Returns the address of a limit.
    limit "limits.html";
    /// Returns the address of a built-in of the Semantics sections.
    builtin "builtins.html";
    /// Returns the address of a built-in of the rules.
    rule_builtin "rule-builtins.html";
    /// Returns the address of a definition that rules use.
    definition "definitions.html";
    /// Returns the address of a group of instructions.
    group "groups.html";
    /// Returns the address of a check of the verifier.
    check "checks.html";
    /// Returns the address of a condition of the vendor's assembler.
    rule "rules.html";
    /// Returns the address of a violation that the vendor's assembler accepts.
    accepted "accepted.html";
    /// Returns the address of a source of facts.
    source "sources.html";
}

/// Returns the address of an enumerator of a list.
pub fn enumerator(list: &str, name: &str) -> String {
    format!("{}#{}", self::list(list), slug(name))
}

/// Returns the address of a field of an instruction.
pub fn field(instruction: &str, field: &str) -> String {
    format!("{}#field-{}", self::instruction(instruction), slug(field))
}

/// Returns the address of a member of a structure.
pub fn member(structure: &str, member: &str) -> String {
    format!("{}#{}", self::structure(structure), slug(member))
}

/// Returns the address of a page of the specification that is not an instruction, by its path
/// `lists.md`.
pub fn chapter(path: &str) -> String {
    format!("chapters/{}.html", slug(path.trim_end_matches(".md")))
}

#[cfg(test)]
mod tests {
    use super::{enumerator, field, instruction, slug, variable};

    #[test]
    fn addresses_of_names() {
        assert_eq!(instruction("ADD"), "instructions/ADD.html");
        assert_eq!(enumerator("Exec_mask", "M1"), "lists/Exec_mask.html#M1");
        assert_eq!(field("ADD", "Src 0"), "instructions/ADD.html#field-Src-0");
        assert_eq!(variable("%r0"), "variables/r0.html");
        assert_eq!((slug("../x"), slug("%"), slug("a/b")), ("_-x".to_owned(), "_".to_owned(), "a-b".to_owned()));
    }
}
