//! Command `visa explain`: prints the explanation of an error code.

use crate::codes::{Entry, entries};
use crate::io::out;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish};
use serde_json::json;
use visakit_diag::{Diagnostic, Severity};

/// Explain the code of an error, warning or note
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa explain type-map          the code in `error[type-map]`
  visa explain                   all codes
  visa explain --format json     the same for programs

Exit codes: 0 explained, 2 the code is not known")]
pub(crate) struct Args {
    /// The code; without it, all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// How it is shown
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(explain(&args), args.format)
}

fn explain(args: &Args) -> Result<Outcome, Findings> {
    let all = entries();
    let Some(wanted) = &args.code else {
        match args.format {
            OutputFormat::Json => answer(&[], json!({ "codes": all })),
            OutputFormat::Human => out(&listed(all)),
            OutputFormat::Github | OutputFormat::Sarif => {}
        }
        return Ok(Outcome::Done);
    };
    // The user may paste a code with its brackets and severity.
    let inner = wanted.split('[').next_back().unwrap_or(wanted);
    let code = inner.trim().trim_end_matches(']').to_ascii_lowercase();
    let Some(entry) = all.iter().find(|entry| entry.code == code) else {
        return Err(unknown(wanted, &code, all).into());
    };
    match args.format {
        OutputFormat::Json => answer(&[], json!({ "codes": [entry] })),
        OutputFormat::Human => {
            out(&format!("{}  ({})\n\n{}\n\n{}\n", entry.code, entry.phase, entry.text, entry.address))
        }
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
    Ok(Outcome::Done)
}

/// Returns one line per code, below the heading of its phase.
fn listed(all: &[Entry]) -> String {
    let mut out = String::new();
    let mut phase = "";
    for entry in all {
        if entry.phase != phase {
            phase = entry.phase;
            out += &format!("{}{phase}\n", if out.is_empty() { "" } else { "\n" });
        }
        let first = entry.text.lines().next().unwrap_or_default();
        // A table row explains several codes; the meaning follows the codes.
        let first = first.rsplit_once("`: ").map_or(first, |(_, meaning)| meaning);
        let own = first.split_once(": ").filter(|(codes, _)| codes.split(", ").any(|code| code == entry.code));
        out += &format!("  {:<22} {}\n", entry.code, own.map_or(first, |(_, meaning)| meaning));
    }
    out
}

fn unknown(wanted: &str, code: &str, all: &[Entry]) -> Diagnostic {
    let message = format!("`{wanted}` is not the code of a finding");
    let found = Diagnostic::new("usage-code", Severity::Error, "visa explain", message);
    let mut near: Vec<_> =
        all.iter().map(|entry| entry.code).filter(|known| code.len() > 2 && known.contains(code)).take(12).collect();
    if near.is_empty() {
        near.extend(visakit::rt::nearest(code, all.iter().map(|entry| entry.code)));
    }
    match near.as_slice() {
        [] => found.help("`visa explain` lists all codes"),
        near => found.help(format!("similar codes: {}", near.join(", "))),
    }
}
