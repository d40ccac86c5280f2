//! References: what pages call by its name, and what that is.

use std::fmt;

/// A name that stands for something else on the pages. It is looked up once, behind the reading,
/// and nobody compares it from then on.
#[derive(Clone, Debug)]
pub struct Reference<T> {
    /// The name as the page writes it.
    pub name: String,
    /// What it stands for; nothing where there is nothing of that name, which is a finding.
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

/// References are equal where the pages write the same: what that is may have other ids in other
/// specifications.
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

/// The names of references as pages write them.
pub fn names<T>(references: &[Reference<T>]) -> Vec<&str> {
    references.iter().map(|r| r.name.as_str()).collect()
}

/// What references stand for, without those that stand for nothing.
pub fn targets<T: Copy>(references: &[Reference<T>]) -> impl Iterator<Item = T> + '_ {
    references.iter().filter_map(|r| r.to)
}
