//! Command `visa info`: shows the kernels of a file with their arguments.

use std::path::{Path, PathBuf};

use serde_json::json;
use visakit_wasm::info::{Program, human, of_object, of_zebin};
use visakit_wasm::kind::Kind;

use crate::input::{modules_of, wrong_kind};
use crate::installed;
use crate::io::{out, read, shown};
use crate::outcome::{Outcome, OutputFormat};
use crate::recompile::{can_recompile, recompile};
use crate::report::{Findings, answer, finish, report};
use crate::zebins::zebins;

/// Show the kernels of a file: arguments, sizes, platforms, versions; without a file, the compilers
/// that are installed
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa info program.zebin
  visa info program.zebin --format json | jq '.programs[].kernels[].arguments'
  visa info

With `--format json`: `kind`, and `programs` (one, or one for each zebin of an archive) with `file`, `platform`, `version` (of \
the zebin's or the object's format), `functions` and `kernels`. A kernel has `name`; `launch` (of a zebin: `simd_size`, \
`required_local_size`, `registers`, `barriers`, `slm_bytes`, `memory`); `arguments` (of a zebin: `index`, `name`, `type`, `kind`, \
`address_space`, `address_mode`, `access`, `bytes`, `used`); `visa` (`version`, `instructions`, `attributes`, `inputs`) if the file contains its vISA; and `native` (`platform`, `bytes`), one for each native program. Values that a file does not contain are left out. Without \
a file: `compilers` (`program`, `version`, `back_end`, `works`, `devices`), `default_device` and `emulated`.

Exit codes: 0 shown, 1 part of the file is wrong, 2 usage, or the file could not be read")]
pub(super) struct Args {
    /// A zebin, an archive of zebins, an object or a text; `-` for standard input
    input: Option<PathBuf>,
    /// How it is shown
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    match &args.input {
        Some(input) => finish(show(input, args.format), args.format),
        None => installed::show(args.format),
    }
}

fn show(input: &Path, format: OutputFormat) -> Result<Outcome, Findings> {
    let bytes = read(input)?;
    let kind = Kind::of(input, &bytes);
    let mut findings = Vec::new();
    let programs: Vec<Program> = match kind {
        Kind::Zebin | Kind::Archive | Kind::Spirv => {
            let mut zebins = zebins(input, &bytes)?;
            let mut compiled = Vec::new();
            if zebins.is_empty() {
                zebins = recompile(input, &bytes, None, None)?;
            } else if zebins.iter().all(|zebin| zebin.texts.is_empty()) && can_recompile(&bytes) {
                // If the compiler fails, the facts of the file itself are still shown.
                compiled = recompile(input, &bytes, None, None).unwrap_or_default();
            }
            zebins.iter().map(|zebin| of_zebin(zebin, &compiled, &mut findings)).collect()
        }
        Kind::Text | Kind::Object => {
            let modules = modules_of(input, kind, bytes, None)?;
            let programs = modules.iter().map(|module| Ok(of_object(&module.file, &module.object(None)?)));
            programs.collect::<Result<_, Findings>>()?
        }
        Kind::Other(_) => {
            let help = "give a zebin, an archive of zebins, an object (.isa) or a text (.visaasm)";
            return Err(wrong_kind(input, kind, help).into());
        }
    };
    match format {
        OutputFormat::Json => answer(&findings, json!({ "kind": kind.word(), "programs": programs })),
        OutputFormat::Human => {
            report(&findings, format);
            out(&human(&shown(input, "stdin"), kind, &programs));
        }
        OutputFormat::Github | OutputFormat::Sarif => report(&findings, format),
    }
    Ok(Outcome::of(&findings))
}
