//! All findings of one run as a value and as an error.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::Diagnostic;

/// Findings of one run. Readers that report all problems return it as their error.
///
/// ```
/// use visakit_diag::{Diagnostic, Diagnostics, Severity};
///
/// fn read() -> Result<(), Box<dyn std::error::Error>> {
///     let message = "the page has no opcode";
///     let finding = Diagnostic::new("opcode-missing", Severity::Error, "ADD.md", message);
///     Err(Diagnostics::from(finding))?
/// }
/// assert_eq!(read().unwrap_err().to_string(), "ADD.md: the page has no opcode [opcode-missing]");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Returns the findings as a vector.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.0
    }
}

/// Prints each finding in one line, as [`Diagnostic::one_line`] formats it.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, finding) in self.0.iter().enumerate() {
            let end = if number == 0 { "" } else { "\n" };
            write!(f, "{end}{finding}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl Deref for Diagnostics {
    type Target = Vec<Diagnostic>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Diagnostics {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(findings: Vec<Diagnostic>) -> Self {
        Self(findings)
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(finding: Diagnostic) -> Self {
        Self(vec![finding])
    }
}

impl From<Box<Diagnostic>> for Diagnostics {
    fn from(finding: Box<Diagnostic>) -> Self {
        Self(vec![*finding])
    }
}

impl From<Diagnostics> for Vec<Diagnostic> {
    fn from(findings: Diagnostics) -> Self {
        findings.0
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(findings: I) -> Self {
        Self(findings.into_iter().collect())
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    #[test]
    fn each_finding_is_a_line_of_the_error() {
        let finding = |line: u32, message: &str| {
            Diagnostic::new("c", Severity::Error, "f", message).at_line(line, "text", 0, 4).help("do it")
        };
        let all: Diagnostics = [finding(3, "first"), finding(9, "second")].into_iter().collect();
        let error: Box<dyn std::error::Error> = all.clone().into();
        assert_eq!(error.to_string(), "f:3:1: first [c]; do it\nf:9:1: second [c]; do it");
        assert_eq!(Diagnostics::default().to_string(), "");
        assert_eq!(Diagnostics::from(Vec::from(all.clone())), all);
        assert_eq!((&all).into_iter().count() + all.into_iter().count(), 4);
    }
}
