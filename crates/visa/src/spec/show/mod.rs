//! Command `visa spec show`: prints what the pages say about a word.

mod chapters;
pub(super) mod find;
mod instruction;
pub(crate) mod linked;

use std::path::PathBuf;

use serde_json::json;
use visakit_codegen::model::Model;
use visakit_diag::{Diagnostic, Severity};
use visakit_spec_tools::export::export;

use super::source::{self, OverlayArg};
use crate::io::out;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish};
use find::{Hit, Mnemonics};

/// Look up a word: for example an instruction's layout, fields, types, platforms and syntax
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa spec show ADD             an instruction
  visa spec show lsc_load        the word of a statement
  visa spec show 0x39            an opcode
  visa spec show exec_size       a bit field or an enumeration
  visa spec show %r0             a predefined variable
  visa spec show tgllp           a platform, by any of its names
  visa spec show gather --format json | jq '.hits[0].instruction.forms'
  visa spec show GATHER --url    the addresses of its pages in the reference site
  visa spec show DPAS --svg dir  layouts and pictures, as files of a folder

With `--format json`, `hits` lists all meanings of the word, each with its kind as the key and its value as in `visa spec \
export`; positions in lists are those of the export.

Exit codes: 0 shown, 1 the word is not known, 2 usage, or a page could not be read")]
pub(crate) struct Args {
    /// Any word of a page or of an assembly text, or an opcode
    #[arg(value_name = "WORD")]
    name: String,
    /// The specification [default: the built-in pages]
    #[arg(long, value_name = "DIR")]
    spec: Option<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// Show the addresses of the word in the reference site instead
    #[arg(long)]
    url: bool,
    /// Write the drawings of instructions and lists to this folder instead, as SVG
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    svg: Option<PathBuf>,
    /// How it is shown
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(show(&args), args.format)
}

fn show(args: &Args) -> Result<Outcome, Findings> {
    let (model, _) = source::read(args.spec.as_deref(), &args.overlay)?;
    let all = export(&model);
    let mnemonics = visakit_codegen::mnemonics(&model);
    let groups = find::find(&all, &mnemonics, args.name.trim());
    if groups.is_empty() {
        return Err(unknown(args.name.trim(), &find::words(&all, &mnemonics)).into());
    }
    if args.url {
        let urls: Vec<String> = groups.concat().into_iter().map(linked::url).collect();
        match args.format {
            OutputFormat::Json => answer(&[], json!({ "urls": urls })),
            OutputFormat::Human => urls.iter().for_each(|url| out(&format!("{url}\n"))),
            OutputFormat::Github | OutputFormat::Sarif => {}
        }
        return Ok(Outcome::Done);
    }
    if let Some(folder) = &args.svg {
        let drawings = linked::drawings(&model, &all, &groups[0]);
        return linked::write(folder, &drawings, &args.name, args.format);
    }
    match args.format {
        OutputFormat::Json => answer(&[], json!({ "hits": groups.concat() })),
        OutputFormat::Human => out(&human(&model, &mnemonics, &groups)),
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
    Ok(Outcome::Done)
}

/// Describes the most likely item in full if it is unique, and all others in one line each.
fn human(model: &Model, mnemonics: &Mnemonics<'_>, groups: &[Vec<Hit<'_>>]) -> String {
    let (mut s, rest) = match groups {
        [first, rest @ ..] if first.len() == 1 => (whole(model, mnemonics, first[0]), rest),
        all => (String::new(), all),
    };
    let rest = rest.concat();
    if !rest.is_empty() && !s.is_empty() {
        s.push_str("\nOther meanings of the word\n");
    }
    rest.iter().for_each(|hit| s.push_str(&chapters::line(*hit)));
    s
}

fn whole(model: &Model, mnemonics: &Mnemonics<'_>, hit: Hit<'_>) -> String {
    let Hit::Instruction(found) = hit else { return chapters::text(hit) };
    let Some(instruction) = model.instructions.iter().find(|one| one.name == found.name) else {
        return String::new();
    };
    let words = mnemonics.iter().filter(|(_, names)| names.contains(instruction.name.as_str()));
    let words: Vec<_> = words.map(|(word, _)| word.as_str()).collect();
    instruction::text(model, instruction, &words)
}

pub(super) fn unknown(word: &str, words: &[&str]) -> Diagnostic {
    let found = Diagnostic::new("word-unknown", Severity::Error, word, format!("no page contains the word `{word}`"));
    let wanted = word.to_ascii_lowercase();
    let mut near: Vec<_> = words
        .iter()
        .filter(|known| !wanted.is_empty() && known.to_ascii_lowercase().contains(&wanted))
        .copied()
        .collect();
    if near.is_empty() {
        let lower: Vec<String> = words.iter().map(|known| known.to_ascii_lowercase()).collect();
        let nearest = visakit::rt::nearest(&wanted, lower.iter().map(String::as_str));
        near.extend(
            words.iter().zip(&lower).filter(|(_, lower)| nearest == Some(lower.as_str())).map(|(known, _)| *known),
        );
    }
    near.sort_unstable();
    near.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
    const MOST: usize = 12;
    match near.len() {
        0 => found.help("name a page, a mnemonic, a list, a type or a platform, such as `visa spec show ADD`"),
        n if n <= MOST => found.help(format!("similar words are {}", near.join(", "))),
        n => found.help(format!("similar words are {}, and {} more", near[..MOST].join(", "), n - MOST)),
    }
}
