//! Accepted differences: a file that names them, each with the reason.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use visakit_diag::{Diagnostic, Severity};

use crate::io::read_text;
use crate::report::Findings;

/// Accepted differences of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Accepted {
    file: String,
    text: String,
    entries: Vec<Entry>,
}

/// Entry of the file.
#[derive(Debug)]
struct Entry {
    said: Said,
    /// Byte range of the entry's path.
    span: std::ops::Range<usize>,
    times: Cell<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accept: Vec<Said>,
}

/// Words of an entry.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    /// Path of the fact; `*` stands for any text.
    path: Spanned<String>,
    /// Kind of the change, or code of the finding; any if absent.
    kind: Option<Spanned<String>>,
    /// Platforms of the comparison; any if empty.
    #[serde(default)]
    platforms: Vec<String>,
    /// Tools of the comparison, by the beginning of their versions; any if empty.
    #[serde(default)]
    tools: Vec<String>,
    /// Pattern of the statement; any if absent.
    statement: Option<String>,
    /// Pattern of what the pages have; any if absent.
    expected: Option<String>,
    /// Pattern of the answer; any if absent.
    got: Option<String>,
    /// Reason why the difference is accepted.
    reason: Spanned<String>,
}

impl Said {
    /// Returns true if the entry is for a tool on a platform.
    fn concerns(&self, (tool, platform): (&str, &str)) -> bool {
        (self.tools.is_empty() || self.tools.iter().any(|named| tool.starts_with(named.as_str())))
            && (self.platforms.is_empty() || self.platforms.iter().any(|named| named == platform))
    }

    /// Returns true if the entry's patterns fit a difference. Differences without texts fit only
    /// an entry without patterns.
    fn fits(&self, said: Option<&Texts<'_>>) -> bool {
        let patterns = [&self.statement, &self.expected, &self.got];
        let texts = said.map(|said| [said.statement, said.expected, said.got]);
        let fits = |(at, pattern): (usize, &&Option<String>)| match pattern {
            None => true,
            Some(pattern) => texts.is_some_and(|texts| matches(pattern, texts[at])),
        };
        patterns.iter().enumerate().all(fits)
    }
}

/// Texts of a difference with an assembler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texts<'a> {
    pub(crate) statement: &'a str,
    pub(crate) expected: &'a str,
    pub(crate) got: &'a str,
}

/// Origin and texts of a difference with an assembler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared<'a> {
    pub(crate) tool: &'a str,
    pub(crate) platform: &'a str,
    pub(crate) texts: Texts<'a>,
}

/// Use of an entry, for reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct AcceptedUse {
    pub(crate) path: String,
    pub(crate) reason: String,
    /// Number of accepted differences.
    pub(crate) times: usize,
}

impl Accepted {
    /// Reads a file. `is_kind` decides which kinds exist.
    ///
    /// # Errors
    /// The file cannot be read, is not in the format, or has an entry with an unknown kind or
    /// without a reason.
    pub(crate) fn read(path: Option<&Path>, is_kind: &dyn Fn(&str) -> bool) -> Result<Self, Findings> {
        match path {
            None => Ok(Self::default()),
            Some(path) => Self::parse(&path.display().to_string(), read_text(path)?, is_kind),
        }
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    /// As [`Accepted::read`].
    pub(crate) fn parse(name: &str, text: String, is_kind: &dyn Fn(&str) -> bool) -> Result<Self, Findings> {
        let problem = |code, message: String, span: Option<std::ops::Range<usize>>| {
            let finding = Diagnostic::new(code, Severity::Error, name, message);
            match span {
                Some(span) => finding.at_text(&text, span.start, span.end),
                None => finding,
            }
        };
        let file: File = toml::from_str(&text).map_err(|error| {
            let help = "write entries `[[accept]]` with `path` and `reason`, and optionally `kind`, `platforms`, \
                        `tools`, `statement`, `expected` and `got`";
            problem("accept-file", error.message().to_owned(), error.span()).help(help)
        })?;
        let mut findings = Vec::new();
        for said in &file.accept {
            if let Some(kind) = said.kind.as_ref().filter(|kind| !is_kind(kind.get_ref())) {
                let message = format!("no difference has the kind `{}`", kind.get_ref());
                let help = "`--format json` shows the `kind` or `code` of each difference";
                findings.push(problem("accept-kind", message, Some(kind.span())).help(help));
            }
            if said.reason.get_ref().trim().is_empty() {
                let message = "an accepted difference needs a reason".to_owned();
                let help = "write in a few words why the difference is right";
                findings.push(problem("accept-reason", message, Some(said.reason.span())).help(help));
            }
        }
        if !findings.is_empty() {
            return Err(findings.into());
        }
        let entry = |said: Said| Entry { span: said.path.span(), said, times: Cell::new(0) };
        Ok(Self { file: name.to_owned(), entries: file.accept.into_iter().map(entry).collect(), text })
    }

    /// Returns the reason for which a difference is accepted.
    pub(crate) fn reason(&self, kind: &str, path: &str) -> Option<&str> {
        self.reason_on(kind, path, None)
    }

    /// Returns the reason for which a difference, perhaps with an assembler, is accepted.
    pub(crate) fn reason_on(&self, kind: &str, path: &str, of: Option<&Compared<'_>>) -> Option<&str> {
        let fits = |entry: &&Entry| {
            let Said { path: named, kind: of_kind, .. } = &entry.said;
            matches(named.get_ref(), path)
                && of.is_none_or(|of| entry.said.concerns((of.tool, of.platform)))
                && entry.said.fits(of.map(|of| &of.texts))
                && of_kind.as_ref().is_none_or(|named| named.get_ref() == kind)
        };
        let entry = self.entries.iter().find(fits)?;
        entry.times.set(entry.times.get() + 1);
        Some(entry.said.reason.get_ref())
    }

    /// Returns how often each used entry was used.
    pub(crate) fn uses(&self) -> Vec<AcceptedUse> {
        let used = self.entries.iter().filter(|entry| entry.times.get() > 0);
        let show = |entry: &Entry| AcceptedUse {
            path: entry.said.path.get_ref().clone(),
            reason: entry.said.reason.get_ref().clone(),
            times: entry.times.get(),
        };
        used.map(show).collect()
    }

    /// Returns warnings about entries that accepted nothing.
    pub(crate) fn unused(&self) -> Vec<Diagnostic> {
        self.unused_of(|_| true)
    }

    /// Returns warnings about entries that accepted nothing, although they are for a tool on a
    /// platform and one of the facts that it was asked about.
    pub(crate) fn unused_on<'a>(&self, here: (&str, &str), asked: impl Iterator<Item = &'a str>) -> Vec<Diagnostic> {
        let asked: BTreeSet<&str> = asked.collect();
        let is_asked = |said: &Said| asked.iter().any(|path| matches(said.path.get_ref(), path));
        self.unused_of(|said| said.concerns(here) && is_asked(said))
    }

    fn unused_of(&self, is_due: impl Fn(&Said) -> bool) -> Vec<Diagnostic> {
        let unused = self.entries.iter().filter(|entry| entry.times.get() == 0 && is_due(&entry.said));
        let warn = |entry: &Entry| {
            let message = format!("no difference has the path `{}`", entry.said.path.get_ref());
            let finding = Diagnostic::new("accept-unused", Severity::Warning, self.file.as_str(), message);
            let help = "remove the entry, or correct its path: `--format json` shows the `path` of each difference";
            finding.at_text(&self.text, entry.span.start, entry.span.end).help(help)
        };
        unused.map(warn).collect()
    }
}

/// Returns true if a path has the form of a pattern, in which `*` stands for any text.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((front, rest)) = pattern.split_once('*') else { return pattern == path };
    let Some(mut left) = path.strip_prefix(front) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or("");
    for part in parts {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Accepted, Findings> {
        Accepted::parse("a.toml", text.to_owned(), &|kind| kind == "opcode")
    }

    #[test]
    fn entries_accept_what_they_name() {
        let text = "[[accept]]\npath = 'ADD.*'\nkind = 'opcode'\nreason = 'r1'\n\
                    [[accept]]\npath = 'MOV'\nplatforms = ['dg2']\ntools = ['1.0.']\nreason = 'r2'\n\
                    [[accept]]\npath = 'SUB'\nstatement = '*V1'\nexpected = 'accepted'\ngot = 'a*c'\nreason = 'r3'\n";
        let accepted = read(text).unwrap();
        assert_eq!(accepted.reason("opcode", "ADD.opcode"), Some("r1"));
        assert_eq!(accepted.reason("width", "ADD.opcode"), None);
        assert_eq!(accepted.reason("opcode", "ADDC.opcode"), None);
        let on = |path, tool, platform, (statement, got)| {
            let texts = Texts { statement, expected: "accepted", got };
            accepted.reason_on("x", path, Some(&Compared { tool, platform, texts })).map(str::to_owned)
        };
        let text = ("sub V1", "abc");
        assert_eq!(on("MOV", "1.0.12504", "dg2", text).as_deref(), Some("r2"));
        assert_eq!(on("MOV", "2.1", "dg2", text), None);
        assert_eq!(on("MOV", "1.0.12504", "pvc", text), None);
        assert_eq!(on("SUB", "2.1", "dg2", text).as_deref(), Some("r3"));
        assert_eq!(on("SUB", "2.1", "dg2", ("sub V2", "abc")), None);
        assert_eq!(on("SUB", "2.1", "dg2", ("sub V1", "abd")), None);
        assert_eq!(accepted.reason("x", "SUB"), None);
        assert_eq!(accepted.uses().iter().map(|used| used.times).collect::<Vec<_>>(), [1, 1, 1]);
        assert!(accepted.unused().is_empty());
    }

    #[test]
    fn patterns_stand_for_paths() {
        for (pattern, path, fits) in [
            ("ADD", "ADD", true),
            ("ADD", "ADDC", false),
            ("ADD.*", "ADD.x", true),
            ("*.%sr0(0,*)", "AVG.Dst.%sr0(0,1)", true),
            ("*.%sr0(0,*)", "AVG.Dst.%sr0(1,1)", false),
            ("*a*b", "xaxb", true),
            ("*a*b", "xbxa", false),
        ] {
            assert_eq!(matches(pattern, path), fits, "{pattern} {path}");
        }
    }

    #[test]
    fn errors_have_their_place() {
        for (text, code, line, column) in [
            ("[[accept]]\npath = 'A'\n", "accept-file", 1, 1),
            ("[[accept]]\npath = 'A'\nreason = ''\n", "accept-reason", 3, 10),
            ("[[accept]]\npath = 'A'\nreason = 'b'\nkind = 'none'\n", "accept-kind", 4, 8),
            ("[[accept]]\npath = 'A'\nreason = 'b'\nplace = 'none'\n", "accept-file", 4, 1),
            ("accept = 3\n", "accept-file", 1, 10),
        ] {
            let Findings(found) = read(text).unwrap_err();
            assert_eq!((found[0].code, found[0].line, found[0].column), (code, line, column), "{text}: {found:?}");
        }
        let accepted = read("\n[[accept]]\nreason = 'b'\npath = 'A.*'\ntools = ['2022']\n").unwrap();
        let unused = accepted.unused();
        assert_eq!((unused[0].code, unused[0].line, unused[0].column), ("accept-unused", 4, 8));
        for (tool, asked, count) in [("2022", "A.x", 1), ("2022", "B.x", 0), ("today", "A.x", 0)] {
            assert_eq!(accepted.unused_on((tool, "skl"), [asked].into_iter()).len(), count, "{tool} {asked}");
        }
    }
}
