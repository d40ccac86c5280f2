//! Command `visa asm`: assembles a text into an object.

use std::path::PathBuf;

use serde_json::json;

use crate::input::{self, Content, Selection};
use crate::io::Output;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish};

/// Assemble a text into an object
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa asm k.visaasm -o k.isa
  visa asm - -o - < k.visaasm | visa disasm -
  visa asm program.zebin --kernel add -o add.isa

Exit codes: 0 assembled, 1 the text is wrong, 2 usage, or a file could not be read or written")]
pub(super) struct Args {
    /// The text, a zebin that contains one, or `-` for standard input
    input: PathBuf,
    /// The object to write; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    selection: Selection,
    /// How errors are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(assemble(&args), args.format)
}

fn assemble(args: &Args) -> Result<Outcome, Findings> {
    let output = Output::new(&args.output, &[&args.input], args.format)?;
    let module = input::module(&args.input, &args.selection)?;
    if matches!(module.content, Content::Object(_)) {
        let found = module.problem("file-kind", "this is already a vISA object");
        return Err(found.help("`visa disasm` prints it as text").into());
    }
    let object = module.object(args.selection.platform())?;
    let bytes = object.encode().map_err(|error| module.problem("encode", error.to_string()))?;
    let written = output.write(&bytes)?;
    if args.format == OutputFormat::Json {
        answer(&[], json!({ "written": [written] }));
    }
    Ok(Outcome::Done)
}
