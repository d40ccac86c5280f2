//! Execution of statements by their pages, by the emulator's kernels, or by both.

use visakit::isa::{Instruction, Platform};
use visakit::verify::routine;
use visakit_codegen::model::Model;
use visakit_diag::{Diagnostic, Severity};
use visakit_machine::thread::Thread;

use crate::stage::{Stage, TestMemory};
use crate::statements::{FILE, Text};
use crate::{Program, Sent, Shown};

pub use crate::statements::{Assignment, number};

/// Executor of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Its page.
    Page,
    /// The emulator's kernel.
    Kernel,
    /// Page and kernel, one after the other, from the same state.
    #[default]
    Both,
}

impl By {
    /// Returns the executor with a name: `page`, `kernel` or `both`.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "page" => Self::Page,
            "kernel" => Self::Kernel,
            "both" => Self::Both,
            _ => return None,
        })
    }
}

/// State of the thread before the first statement.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Platform of the thread.
    pub platform: Platform,
    /// Control register; `None` for its value in compiled programs.
    pub cr0: Option<u32>,
    /// Bit mask of the enabled channels.
    pub active: u32,
}

/// Results of one instruction.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// Text of the instruction, with full operands.
    pub text: String,
    /// Page of the instruction, with its line.
    pub page: String,
    /// Number of channels.
    pub channels: u32,
    /// Operands in the order of the page.
    pub operands: Vec<Shown>,
    /// Values of all operands per channel: before, by the page, by the kernel.
    pub rows: Vec<[Vec<Option<String>>; 3]>,
    /// Next position of the channels by the page and by the kernel; `None` if they simply continue.
    pub sent: [Option<Sent>; 2],
    /// True if page and kernel give different results.
    pub differs: bool,
}

/// Executes statements, which are separated by `;` or line ends, on the given variables.
///
/// # Errors
/// A wrong text, or a statement that cannot be executed.
pub fn evaluate(
    model: &Model,
    text: &str,
    variables: &[Assignment],
    setting: Setting,
    by: By,
) -> Result<Vec<Evaluated>, Box<Diagnostic>> {
    let text = Text::new(text, variables, setting.platform)?;
    let (stage, thread) = begin(&text, variables, setting)?;
    let mut threads = [thread.clone(), thread];
    let memory = TestMemory::default();
    let world = memory.world();
    let mut answers = Vec::new();
    for (instruction, line) in text.instructions() {
        let page = instruction.page();
        let bound = stage.by_page(model, instruction);
        let program = bound.map_err(|why| wrong("eval-page", format!("`{line}`: {why}")))?;
        let before = threads[usize::from(by == By::Kernel)].clone();
        let mut sent = [None, None];
        if by != By::Kernel {
            let effects = program.run(&mut threads[0], &world);
            let effects = effects.map_err(|why| wrong("eval-page", format!("`{line}`: {why}")))?;
            sent[0] = effects.going.into_iter().next().map(|going| going.sent);
        }
        if by != By::Page {
            let kernel =
                stage.by_kernel(instruction).map_err(|why| wrong("eval-kernel", format!("`{line}`: {why}")))?;
            let Some(kernel) = kernel else {
                return Err(wrong("eval-kernel", format!("`{line}` has too many constants")));
            };
            let result = kernel.run(&mut threads[1], &world).and_then(|()| kernel.sends(&threads[1], &stage));
            sent[1] = result.map_err(|why| wrong("eval-kernel", format!("`{line}`: {why}")))?;
        }
        let place = format!("spec/{}:{}", page.path, page.line);
        answers.push(Evaluated::new(line, place, &program, [&before, &threads[0], &threads[1]], sent, by));
    }
    Ok(answers)
}

/// Returns the paths of the pages that [`evaluate`] executes, each once.
///
/// # Errors
/// A wrong text.
pub fn pages(text: &str, variables: &[Assignment], platform: Platform) -> Result<Vec<&'static str>, Box<Diagnostic>> {
    let text = Text::new(text, variables, platform)?;
    let mut all: Vec<_> = text.instructions().map(|(instruction, _)| instruction.page().path).collect();
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Returns true if statements break no rule of the pages, which [`evaluate`] does not check.
///
/// # Errors
/// A wrong text.
pub fn is_legal(text: &str, variables: &[Assignment], platform: Platform) -> Result<bool, Box<Diagnostic>> {
    let text = Text::new(text, variables, platform)?;
    Ok(routine(&text.routine, Some(platform)).is_empty())
}

fn wrong(code: &'static str, why: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(code, Severity::Error, FILE, why))
}

/// Lays out the variables of a text, and creates the thread before its first statement.
fn begin<'t>(
    text: &'t Text,
    variables: &[Assignment],
    setting: Setting,
) -> Result<(Stage<'t>, Thread), Box<Diagnostic>> {
    let stage = Stage::new(&text.routine, setting.platform).map_err(|why| wrong("eval-variables", why))?;
    let mut thread = stage.thread(32);
    thread.active = setting.active;
    if let Some(control) = setting.cr0 {
        thread.set_mode(control);
    }
    text.assign(variables, &stage, &mut thread);
    Ok((stage, thread))
}

/// Receiver of [`prepare`]: the layout of the variables, the thread before the first statement, an
/// instruction, and its text.
pub type Receiver<'r> = dyn FnMut(&Stage<'_>, &Thread, &Instruction, &str) -> Result<(), String> + 'r;

/// Parses statements as [`evaluate`] does and passes each to `receive` without executing it.
/// Variables have the length of the largest operands.
///
/// # Errors
/// A wrong text, or an error of the receiver.
pub fn prepare(
    text: &str,
    variables: &[Assignment],
    setting: Setting,
    receive: &mut Receiver<'_>,
) -> Result<(), Box<Diagnostic>> {
    let long: Vec<Assignment> = variables.iter().map(Assignment::long).collect();
    let text = Text::new(text, &long, setting.platform)?;
    let (stage, thread) = begin(&text, &long, setting)?;
    for (instruction, line) in text.instructions() {
        receive(&stage, &thread, instruction, line).map_err(|why| wrong("eval-page", format!("`{line}`: {why}")))?;
    }
    Ok(())
}

impl Evaluated {
    fn new(
        text: &str,
        page: String,
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
        Self { text: text.to_owned(), page, channels, operands, rows, sent, differs }
    }
}
