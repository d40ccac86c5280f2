//! Platforms that options name.

use visakit::isa::Platform;
use visakit_diag::{Diagnostic, Severity};

/// Parses the value of `--platform`.
pub(crate) fn platform(name: &str) -> Result<Platform, String> {
    Platform::from_name(name).ok_or_else(|| {
        let known: Vec<_> = Platform::ALL.iter().map(|p| p.name()).collect();
        format!("unknown platform; the platforms are {} and their aliases in spec/platforms.md", known.join(", "))
    })
}

/// Parses a platform name from an option that clap does not parse itself.
pub(crate) fn platform_of_option(option: &str, name: &str) -> Result<Platform, Box<Diagnostic>> {
    platform(name).map_err(|message| Diagnostic::new("usage-platform", Severity::Error, option, message).into())
}
