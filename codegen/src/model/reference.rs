//! References by name, and their targets.

use std::fmt;

/// Reference by name. The name is looked up once after reading; later stages use only the target.
#[derive(Clone, Debug)]
pub struct Reference<T> {
    /// Name on the page.
    pub name: String,
    /// Target; `None` for an unknown name, which is a finding.
    pub to: Option<T>,
}

impl<T> From<String> for Reference<T> {
    fn from(name: String) -> Self {
        Self { name, to: None }
    }
}

impl<T> From<&str> for Reference<T> {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

/// References are equal if their names are equal, because ids differ between specifications.
impl<T> PartialEq for Reference<T> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<T> Eq for Reference<T> {}

impl<T> fmt::Display for Reference<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Returns the names of references.
pub fn names<T>(references: &[Reference<T>]) -> Vec<&str> {
    references.iter().map(|r| r.name.as_str()).collect()
}

/// Returns the targets of references; skips unknown names.
pub fn targets<T: Copy>(references: &[Reference<T>]) -> impl Iterator<Item = T> + '_ {
    references.iter().filter_map(|r| r.to)
}
