//! Addresses of names in the reference site, as far as generated documentation links to them.

/// Returns a name as a part of an address: letters, digits, `_`, `-` and `.` stay, a leading `%` is
/// dropped, and other characters become dashes.
pub fn slug(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' };
    let slug: String = name.trim_start_matches('%').chars().map(keep).collect();
    // A file name must not be hidden or empty.
    if slug.is_empty() || slug.starts_with('.') { format!("_{}", slug.trim_start_matches('.')) } else { slug }
}

/// Returns the address of an instruction, relative to the site's root.
pub fn instruction(name: &str) -> String {
    format!("instructions/{}.html", slug(name))
}
