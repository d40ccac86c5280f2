//! Place of a finding for code review services: a path relative to the current folder.

use std::path::{Path, PathBuf};

use visakit_diag::Diagnostic;

/// Place of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Path of the file, relative to the current folder if the file is inside it; empty for options
    /// and streams.
    pub(super) file: String,
    /// Line, from 1; 0 if the finding has no line in this file.
    pub(super) line: u32,
    /// True if the finding is about a part of the file, such as the text of a kernel in a zebin.
    pub(super) is_inside: bool,
    /// Part of the place that is not a path, to be printed before the message.
    pub(super) before: String,
}

impl Place {
    /// Returns the place of a finding.
    pub(super) fn of(finding: &Diagnostic) -> Self {
        let Diagnostic { file, line, .. } = finding;
        if let Some((container, part)) = part(file) {
            let at = if *line > 0 { format!(", line {line}") } else { String::new() };
            let before = format!("in `{part}`{at}: ");
            return Self { file: relative(container), line: 0, is_inside: true, before };
        }
        if !is_path(file) {
            return Self { before: format!("{file}: "), ..Self::default() };
        }
        Self { file: relative(file), line: *line, ..Self::default() }
    }
}

/// Splits `program.zebin(kernel)` into the file and its part.
fn part(file: &str) -> Option<(&str, &str)> {
    let (container, part) = file.strip_suffix(')')?.split_once('(')?;
    (!Path::new(file).exists() && Path::new(container).exists()).then_some((container, part))
}

/// Returns true for names of files. Findings about options and streams have other names.
fn is_path(file: &str) -> bool {
    let path = Path::new(file);
    let is_option = file.starts_with(['-', '<']);
    !is_option && (path.exists() || path.extension().is_some() || file.contains('/'))
}

/// Returns a path relative to the current folder if it is inside that folder.
fn relative(file: &str) -> String {
    let path = Path::new(file);
    let inner = std::env::current_dir().ok().and_then(|folder| path.strip_prefix(folder).map(Path::to_owned).ok());
    let path: PathBuf = inner.unwrap_or_else(|| path.to_owned()).components().collect();
    path.strip_prefix(".").unwrap_or(&path).display().to_string()
}

#[cfg(test)]
mod tests {
    use visakit_diag::Severity;

    use super::*;

    fn of(file: &str) -> Place {
        Place::of(&Diagnostic::new("file-read", Severity::Error, file, "cannot be read").at_line(3, "text", 0, 1))
    }

    #[test]
    fn paths_are_relative() {
        let here = std::env::current_dir().unwrap().join("src/main.rs");
        for file in ["src/main.rs", "./src/main.rs", &here.display().to_string()] {
            assert_eq!((of(file).file.as_str(), of(file).line), ("src/main.rs", 3));
        }
        assert_eq!(of("/no/such.cl").file, "/no/such.cl");
        assert_eq!(of("no_such.cl").file, "no_such.cl");
    }

    #[test]
    fn options_and_parts_have_no_line() {
        for file in ["--global", "<stdin>", "visa explain"] {
            assert_eq!(of(file), Place { before: format!("{file}: "), ..Place::default() });
        }
        let place = of("src/main.rs(add)");
        assert_eq!((place.file.as_str(), place.line, place.is_inside), ("src/main.rs", 0, true));
        assert_eq!(place.before, "in `add`, line 3: ");
    }
}
