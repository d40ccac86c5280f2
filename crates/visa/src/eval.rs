//! Command `visa eval`: shows the results of an instruction by its page, by the emulator's kernel,
//! or by both.

use std::path::PathBuf;

use serde_json::{Value, json};
use visakit::isa::Platform;
use visakit_oracle::eval::{self, Assignment, Evaluated, Setting};

use crate::io::out;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish};
use crate::spec::show::linked;
use crate::spec::source::{self, OverlayArg};

/// Execute instructions on given values, by their pages and by the emulator
///
/// The instructions are assembly text, one on each line or separated by `;`. An operand may be just
/// the name of a variable; it then selects all elements from the first on.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa eval 'add (M1, 4) C A B' --set C=d --set A=d:1,2,3,4 --set B=w:-1
  visa eval 'mov.sat (M1, 2) C A' --set C=ub --set A=f:1.5,-2 --by page
  visa eval '(P1) mul (M1, 8) C(0,0)<1> A(0,0)<0;1,0> 0x3:d' --set C=d --set A=d:7 --set P1=p:0b1011 --format json
  visa eval 'mov (M1, 16) D(0,0)<1> S(0,0)<8;4,2>' --set D=ud --set S=ud --svg pictures

A value of --set is a type and numbers, which are repeated until the variable is full. Numbers are \
decimal, 0x… or 0b…; floats also have a fraction, inf or nan, and 0x… gives their bits. `p` is a \
predicate and has one number, its bits. `s` is a sampler and `t` a surface, for pictures.

Exit codes: 0 the results are the same, 1 they differ, or the text is wrong or cannot be executed, 2 usage")]
pub(super) struct Args {
    /// The instructions
    #[arg(value_name = "TEXT")]
    text: String,
    /// A variable with its type and the values of its elements
    #[arg(long = "set", value_name = "NAME=TYPE[:VALUES]")]
    set: Vec<Assignment>,
    /// The executor of the instructions
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// The specification [default: the built-in pages]
    #[arg(long, value_name = "DIR")]
    spec: Option<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// The platform
    #[arg(long, value_name = "PLATFORM", value_parser = crate::platform::platform, default_value = "pvc")]
    platform: Platform,
    /// The control register: rounding and subnormal numbers [default: as compiled programs set it]
    #[arg(long, value_name = "BITS", value_parser = eval::number::<u32>)]
    cr0: Option<u32>,
    /// Bit mask of the enabled channels; bit 0 is channel 0
    #[arg(long, value_name = "BITS", value_parser = eval::number::<u32>, default_value = "0xffffffff")]
    active: u32,
    /// Write a picture of each instruction to this folder instead, as SVG: which element each
    /// channel uses, where each element of memory lands, or which parameter of a message each
    /// element is. Variables have 2048 bytes, and memory begins at the address 0x100000000
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// How the results are printed
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Executor of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// The semantics on its page
    Page,
    /// The emulator's kernel
    Kernel,
    /// Page and kernel, one after the other, from the same state
    #[default]
    Both,
}

impl From<By> for eval::By {
    fn from(by: By) -> Self {
        match by {
            By::Page => Self::Page,
            By::Kernel => Self::Kernel,
            By::Both => Self::Both,
        }
    }
}

pub(super) fn run(args: Args) -> Outcome {
    finish(evaluate(&args), args.format)
}

fn evaluate(args: &Args) -> Result<Outcome, Findings> {
    let (model, _) = source::read(args.spec.as_deref(), &args.overlay)?;
    let setting = Setting { platform: args.platform, cr0: args.cr0, active: args.active };
    if let Some(folder) = &args.svg {
        let pictures = visakit_site::pictures::of_text(&model, &args.text, &args.set, setting)?;
        let drawings =
            pictures.into_iter().enumerate().map(|(n, one)| (format!("{}-{}.svg", one.page, n + 1), one.svg));
        return linked::write(folder, &drawings.collect::<Vec<_>>(), "TEXT", args.format);
    }
    let answers = eval::evaluate(&model, &args.text, &args.set, setting, args.by.into())?;
    let differs = answers.iter().any(|a| a.differs);
    match args.format {
        OutputFormat::Json => {
            let all: Vec<Value> = answers.iter().map(|a| visakit_wasm::eval::json_of(a, args.by.into())).collect();
            answer(&[], json!({ "instructions": all }));
        }
        OutputFormat::Human => answers.iter().for_each(|a| out(&table(a, args.by))),
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
    Ok(if differs { Outcome::Found } else { Outcome::Done })
}

/// Returns the columns after the channel number: title and values.
fn columns(of: &Evaluated, by: By) -> Vec<(String, Vec<String>)> {
    let column = |which: usize, o: usize| {
        of.rows.iter().map(|row| row[which][o].clone().unwrap_or_else(|| "-".to_owned())).collect()
    };
    let mut out = Vec::new();
    for (o, shown) in of.operands.iter().enumerate().filter(|(_, s)| !s.written) {
        out.push((format!("{}:{}", shown.name, shown.data_type), column(0, o)));
    }
    for (o, shown) in of.operands.iter().enumerate().filter(|(_, s)| s.written) {
        out.push((format!("{}:{} was", shown.name, shown.data_type), column(0, o)));
        if by != By::Kernel {
            out.push(("page".to_owned(), column(1, o)));
        }
        if by != By::Page {
            out.push(("kernel".to_owned(), column(2, o)));
        }
    }
    out
}

fn table(of: &Evaluated, by: By) -> String {
    let mut columns = vec![("channel".to_owned(), (0..of.channels).map(|c| c.to_string()).collect::<Vec<_>>())];
    columns.extend(self::columns(of, by));
    let widths: Vec<usize> = columns
        .iter()
        .map(|(head, values)| values.iter().map(String::len).chain([head.len()]).max().unwrap_or(0))
        .collect();
    let line = |cells: Vec<&str>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    let mut text = format!("{}  ({})\n", of.text, of.page);
    // An instruction without operands has no rows of channels.
    let channels = if columns.len() > 1 { of.channels as usize } else { 0 };
    if channels > 0 {
        text += &line(columns.iter().map(|(head, _)| head.as_str()).collect());
    }
    for channel in 0..channels {
        text += &line(columns.iter().map(|(_, values)| values[channel].as_str()).collect());
    }
    for (by, sent) in ["page", "kernel"].iter().zip(&of.sent) {
        if let Some(sent) = sent {
            text += &format!("{by}: {sent}\n");
        }
    }
    if of.differs {
        text += "the page and the kernel give different results\n";
    }
    text
}
