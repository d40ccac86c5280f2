//! Messages of the driver to the user of a program.

use std::io::Write as _;

/// Prints a message to standard error, ignoring failures.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "visakit: {text}");
}
