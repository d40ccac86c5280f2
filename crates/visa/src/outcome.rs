//! Outcomes and output formats of commands.

use clap::ValueEnum;
use visakit_diag::{Diagnostic, Severity};
pub(crate) use visakit_wasm::info::count;

/// Report format of a command. `Github` and `Sarif` print findings and nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Text for a person
    #[default]
    Human,
    /// A JSON object on standard output: `findings`, and the command's results
    Json,
    /// Findings only, as annotations of a GitHub workflow, on standard output
    Github,
    /// Findings only, as SARIF 2.1.0, on standard output
    Sarif,
}

impl OutputFormat {
    /// Returns true if only the findings are printed.
    pub(crate) fn is_findings_only(self) -> bool {
        matches!(self, Self::Github | Self::Sarif)
    }

    /// Returns the format's name in the option `--format`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Github => "github",
            Self::Sarif => "sarif",
        }
    }
}

/// Outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, nothing found.
    Done,
    /// The input is wrong, or a comparison found something.
    Found,
    /// Wrong usage, or a file could not be read or written.
    Failed,
}

impl Outcome {
    /// Returns the exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Found => 1,
            Self::Failed => 2,
        }
    }

    /// Returns the outcome for findings: only errors count, and errors of usage and files outweigh
    /// others.
    pub(crate) fn of(findings: &[Diagnostic]) -> Self {
        let errors = || findings.iter().filter(|finding| finding.severity == Severity::Error);
        if errors().any(|finding| is_usage(finding.code)) {
            Self::Failed
        } else if errors().next().is_some() {
            Self::Found
        } else {
            Self::Done
        }
    }
}

/// Returns true if a finding is about the command line, or about a file that cannot be read or
/// written.
fn is_usage(code: &str) -> bool {
    const PREFIXES: [&str; 15] = [
        "accept-",
        "argument-",
        "compiler-",
        "dump-",
        "expect-",
        "file-read",
        "file-write",
        "git-",
        "launch-size",
        "memory-place",
        "out-of-memory",
        "print-",
        "threads",
        "trace-",
        "usage",
    ];
    code == "io" || PREFIXES.iter().any(|prefix| code.starts_with(prefix))
}
