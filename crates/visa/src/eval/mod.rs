//! Command `visa eval`: shows the results of an instruction by its page, by the emulator's kernel,
//! or by both.

mod input;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use visakit::isa::Platform;
use visakit_emulator::machine::thread::Thread;
use visakit_oracle::stage::{Nowhere, Stage};
use visakit_oracle::{Program, Sent, Shown};

use crate::io::out;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish, problem};
use crate::spec::source::{self, OverlayArg};
use input::{Assignment, Text};

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

A value of --set is a type and numbers, which are repeated until the variable is full. Numbers are \
decimal, 0x… or 0b…; floats also have a fraction, inf or nan, and 0x… gives their bits. `p` is a \
predicate and has one number, its bits.

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
    #[arg(long, value_name = "BITS", value_parser = input::number::<u32>)]
    cr0: Option<u32>,
    /// Bit mask of the enabled channels; bit 0 is channel 0
    #[arg(long, value_name = "BITS", value_parser = input::number::<u32>, default_value = "0xffffffff")]
    active: u32,
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

pub(super) fn run(args: Args) -> Outcome {
    finish(evaluate(&args), args.format)
}

/// Results of one instruction.
struct Answer {
    text: String,
    page: String,
    channels: u32,
    operands: Vec<Shown>,
    /// Values of all operands per channel: before, by the page, by the kernel.
    rows: Vec<[Vec<Option<String>>; 3]>,
    /// Next position of the channels by the page and by the kernel; `None` if they simply continue.
    sent: [Option<Sent>; 2],
    differs: bool,
}

fn evaluate(args: &Args) -> Result<Outcome, Findings> {
    let (model, _) = source::read(args.spec.as_deref(), &args.overlay)?;
    let text = Text::new(&args.text, &args.set, args.platform)?;
    let wrong = |code, why: String| problem(code, Path::new("TEXT"), why);
    let stage = Stage::new(&text.routine, args.platform).map_err(|why| wrong("eval-variables", why))?;
    let mut thread = stage.thread(32);
    thread.active = args.active;
    if let Some(control) = args.cr0 {
        thread.set_mode(control);
    }
    text.assign(&args.set, &stage, &mut thread);
    let mut threads = [thread.clone(), thread];
    let nowhere = Nowhere::default();
    let world = nowhere.world();
    let mut answers = Vec::new();
    for (instruction, line) in text.instructions() {
        let page = instruction.page();
        let bound = stage.by_page(&model, instruction);
        let program = bound.map_err(|why| wrong("eval-page", format!("`{line}`: {why}")))?;
        let before = threads[usize::from(args.by == By::Kernel)].clone();
        let mut sent = [None, None];
        if args.by != By::Kernel {
            let effects = program.run(&mut threads[0], &world);
            let effects = effects.map_err(|why| wrong("eval-page", format!("`{line}`: {why}")))?;
            sent[0] = effects.going.into_iter().next().map(|going| going.sent);
        }
        if args.by != By::Page {
            let kernel =
                stage.by_kernel(instruction).map_err(|why| wrong("eval-kernel", format!("`{line}`: {why}")))?;
            let Some(kernel) = kernel else {
                return Err(wrong("eval-kernel", format!("`{line}` has too many constants")).into());
            };
            let result = kernel.run(&mut threads[1], &world).and_then(|()| kernel.sends(&threads[1], &stage));
            sent[1] = result.map_err(|why| wrong("eval-kernel", format!("`{line}`: {why}")))?;
        }
        let answer = Answer::new(
            line,
            &format!("spec/{}:{}", page.path, page.line),
            &program,
            [&before, &threads[0], &threads[1]],
            sent,
            args.by,
        );
        answers.push(answer);
    }
    let differs = answers.iter().any(|a| a.differs);
    match args.format {
        OutputFormat::Json => {
            let all: Vec<Value> = answers.iter().map(|a| a.json(args.by)).collect();
            self::answer(&[], json!({ "instructions": all }));
        }
        OutputFormat::Human => answers.iter().for_each(|a| out(&a.table(args.by))),
        OutputFormat::Github | OutputFormat::Sarif => {}
    }
    Ok(if differs { Outcome::Found } else { Outcome::Done })
}

impl Answer {
    fn new(
        text: &str,
        page: &str,
        program: &Program,
        threads: [&Thread; 3],
        sent: [Option<Sent>; 2],
        by: By,
    ) -> Self {
        let operands = program.operands();
        let channels = program.channels();
        let row = |channel| threads.map(|t| (0..operands.len()).map(|o| program.element(o, channel, t)).collect());
        let rows: Vec<[Vec<Option<String>>; 3]> = (0..channels).map(row).collect();
        let differs = by == By::Both
            && (sent[0] != sent[1]
                || rows.iter().any(|[_, page, kernel]| {
                    operands.iter().enumerate().any(|(o, shown)| shown.written && page[o] != kernel[o])
                }));
        Self { text: text.to_owned(), page: page.to_owned(), channels, operands, rows, sent, differs }
    }

    /// Returns the columns after the channel number: title and values.
    fn columns(&self, by: By) -> Vec<(String, Vec<String>)> {
        let column = |which: usize, o: usize| {
            self.rows.iter().map(|row| row[which][o].clone().unwrap_or_else(|| "-".to_owned())).collect()
        };
        let mut out = Vec::new();
        for (o, shown) in self.operands.iter().enumerate().filter(|(_, s)| !s.written) {
            out.push((format!("{}:{}", shown.name, shown.data_type), column(0, o)));
        }
        for (o, shown) in self.operands.iter().enumerate().filter(|(_, s)| s.written) {
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

    fn table(&self, by: By) -> String {
        let mut columns = vec![("channel".to_owned(), (0..self.channels).map(|c| c.to_string()).collect::<Vec<_>>())];
        columns.extend(self.columns(by));
        let widths: Vec<usize> = columns
            .iter()
            .map(|(head, values)| values.iter().map(String::len).chain([head.len()]).max().unwrap_or(0))
            .collect();
        let line = |cells: Vec<&str>| {
            let padded: Vec<String> =
                cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            format!("{}\n", padded.join("  ").trim_end())
        };
        let mut text = format!("{}  ({})\n", self.text, self.page);
        // An instruction without operands has no rows of channels.
        let channels = if columns.len() > 1 { self.channels as usize } else { 0 };
        if channels > 0 {
            text += &line(columns.iter().map(|(head, _)| head.as_str()).collect());
        }
        for channel in 0..channels {
            text += &line(columns.iter().map(|(_, values)| values[channel].as_str()).collect());
        }
        for (by, sent) in ["page", "kernel"].iter().zip(&self.sent) {
            if let Some(sent) = sent {
                text += &format!("{by}: {sent}\n");
            }
        }
        if self.differs {
            text += "the page and the kernel give different results\n";
        }
        text
    }

    fn json(&self, by: By) -> Value {
        let rows = self.rows.iter().enumerate().map(|(channel, [before, page, kernel])| {
            let operands: Vec<Value> = self
                .operands
                .iter()
                .enumerate()
                .map(|(o, shown)| {
                    let mut one = json!({ "name": shown.name, "type": shown.data_type, "before": before[o] });
                    if shown.written && by != By::Kernel {
                        one["page"] = json!(page[o]);
                    }
                    if shown.written && by != By::Page {
                        one["kernel"] = json!(kernel[o]);
                    }
                    one
                })
                .collect();
            json!({ "channel": channel, "operands": operands })
        });
        let channels: Vec<Value> = rows.collect();
        let [page, kernel] = self.sent.each_ref().map(|sent| sent.as_ref().map(ToString::to_string));
        let sent = json!({ "page": page, "kernel": kernel });
        json!({ "text": self.text, "page": self.page, "differs": self.differs, "channels": channels, "sent": sent })
    }
}
