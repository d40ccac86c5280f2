//! A runnable kernel: its code and the layout of its arguments.

use std::sync::Arc;

use visakit_diag::{Diagnostic, Diagnostics, Severity};

use crate::functions::{FunctionText, Functions};
use serde::Serialize;
use visakit::ThreadId;
use visakit::isa::{InstructionGroup, Platform, StringId, TextDirective};
use visakit::object::{Routine, RoutineKind};
use visakit::rt::Table;
use visakit_launch::argument::{self, Parameter};
use visakit_launch::data::ProgramData;
use visakit_launch::implicit;
use visakit_launch::payload;
use visakit_launch::range::NdRange;
use visakit_machine::fault::{Trap, TrapReport};
use visakit_machine::observer::Spot;
use visakit_zebin::Zebin;
use visakit_zebin::info::{KernelInfo, KernelMiscInfo};

/// A kernel that can be launched any number of times.
#[derive(Clone, Debug)]
pub struct Program {
    /// File name, for messages.
    pub file: String,
    /// Text of the kernel, if it came from text.
    pub text: Option<String>,
    /// Code of the kernel.
    pub routine: Routine,
    /// Line of each instruction in the text; empty if the kernel came from an object file.
    pub lines: Vec<u32>,
    /// Functions that the kernel may call.
    pub functions: Vec<Arc<FunctionText>>,
    /// Layout of the arguments.
    pub info: KernelInfo,
    /// Names and types of the arguments.
    pub names: Option<KernelMiscInfo>,
    /// Constants and variables of the program.
    pub data: ProgramData,
    /// Target platform.
    pub platform: Platform,
    /// Version of the implicit-argument structure that its functions use.
    pub implicit: implicit::Version,
}

/// A work item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Thread group.
    pub group: [u32; 3],
    /// Local id; `None` for all work items of a thread.
    pub local_id: Option<[u32; 3]>,
}

/// A work item or thread at an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    /// Location of the instruction.
    pub spot: Spot,
    /// Thread group.
    pub group: [u32; 3],
    /// Index of the hardware thread in its group.
    pub thread: u32,
    /// Channel of the thread; `None` for the whole thread.
    pub channel: Option<u32>,
}

impl Actor {
    /// Returns the actor of a report.
    pub fn of(report: &TrapReport, program: &Program) -> Self {
        let called = report.function.map_or(0, |n| {
            let before = program.functions.iter().take(n).map(|function| &function.routine);
            std::iter::once(&program.routine).chain(before).map(|routine| routine.instructions.len()).sum()
        });
        let instruction = called as u32 + report.instruction;
        let spot = Spot { instruction, source_line: report.source_line, ..Spot::default() };
        Self { spot, group: report.group, thread: report.thread, channel: report.channel }
    }
}

/// Location of an instruction in a program.
pub(super) struct Location {
    /// Index of the program's function; `None` for the kernel itself.
    pub(super) function: Option<usize>,
    /// Index in the routine.
    pub(super) instruction: u32,
    /// Line in the routine's text, from 1; 0 without text.
    pub(super) line: u32,
}

impl Program {
    /// Loads a kernel from a zebin. `kernel` selects one of several; `platform` overrides the
    /// file's platform.
    ///
    /// # Errors
    /// No such kernel, no vISA text for it, or invalid text.
    pub fn from_zebin(zebin: &Zebin, kernel: Option<&str>, platform: Option<Platform>) -> Result<Self, Diagnostics> {
        Self::with_functions(zebin, &Functions::default(), kernel, platform)
    }

    /// Loads a kernel as [`Program::from_zebin`]. Functions of the zebin that another kernel has
    /// needed are not parsed again.
    ///
    /// # Errors
    /// As [`Program::from_zebin`].
    pub fn with_functions(
        zebin: &Zebin,
        functions: &Functions,
        kernel: Option<&str>,
        platform: Option<Platform>,
    ) -> Result<Self, Diagnostics> {
        let found = zebin.kernel(kernel)?;
        let platform = platform.or_else(|| Self::platform_of(zebin)).unwrap_or_default();
        let file = format!("{}({})", zebin.file, found.info.name);
        let mut program = Self::from_text(&file, &found.text.text, found.info.clone(), platform)?;
        program.functions = functions.of(zebin, &program.routine, platform)?;
        program.data = ProgramData::of(zebin);
        program.implicit = Self::implicit_of(zebin)?;
        program.names = zebin.info.kernels_misc_info.iter().find(|misc| misc.name == found.info.name).cloned();
        Ok(program)
    }

    /// Returns the platform of a zebin, if it names a known one.
    pub fn platform_of(zebin: &Zebin) -> Option<Platform> {
        zebin.target.product_family.and_then(Platform::from_family)
    }

    /// Returns the version of the implicit-argument structure used by a zebin's functions.
    ///
    /// # Errors
    /// A version unknown to the emulator.
    pub fn implicit_of(zebin: &Zebin) -> Result<implicit::Version, Diagnostics> {
        let version = zebin.target.implicit_version.unwrap_or(0);
        implicit::Version::of(version).ok_or_else(|| {
            let message = format!("version {version} of the implicit-argument structure is not supported");
            let finding = Diagnostic::new("launch-unsupported", Severity::Error, zebin.file.clone(), message);
            finding.help("the file's note 8 gives the version; versions 0, 1 and 2 are supported").into()
        })
    }

    /// Parses a kernel from text. `info` is the layout of its arguments.
    ///
    /// # Errors
    /// Invalid text.
    pub fn from_text(file: &str, text: &str, info: KernelInfo, platform: Platform) -> Result<Self, Diagnostics> {
        let code = FunctionText::parse(file.to_owned(), text.to_owned(), platform)?;
        let program = Self::of(file, code.routine, info, platform);
        Ok(Self { text: code.text, lines: code.lines, ..program })
    }

    /// Creates a program of a kernel's code, such as code from a builder. `info` is the layout of
    /// its arguments. `file` is the kernel's name in messages.
    ///
    /// # Errors
    /// The routine is a function.
    pub fn from_routine(
        file: &str,
        routine: Routine,
        info: KernelInfo,
        platform: Platform,
    ) -> Result<Self, Diagnostics> {
        kernel_of(file, &routine)?;
        Ok(Self::of(file, routine, info, platform))
    }

    fn of(file: &str, routine: Routine, info: KernelInfo, platform: Platform) -> Self {
        Self {
            file: file.to_owned(),
            text: None,
            routine,
            lines: Vec::new(),
            functions: Vec::new(),
            info,
            names: None,
            data: ProgramData::default(),
            platform,
            implicit: implicit::Version::default(),
        }
    }

    /// Returns the program with other code and the same arguments and data. Messages about the new
    /// code quote no text.
    ///
    /// # Errors
    /// The routine is a function.
    pub fn with_routine(self, routine: Routine) -> Result<Self, Diagnostics> {
        kernel_of(&self.file, &routine)?;
        Ok(Self { routine, text: None, lines: Vec::new(), ..self })
    }

    /// Returns the program after a change of its kernel and of each function that it may call.
    /// Messages about changed code quote no text.
    ///
    /// # Errors
    /// `change` makes the kernel a function.
    pub fn rewritten(self, mut change: impl FnMut(&mut Routine)) -> Result<Self, Diagnostics> {
        let mut routine = self.routine.clone();
        change(&mut routine);
        let mut program = match routine == self.routine {
            true => self,
            false => self.with_routine(routine)?,
        };
        for function in &mut program.functions {
            let mut routine = function.routine.clone();
            change(&mut routine);
            if function.routine != routine {
                let file = function.file.clone();
                *function = Arc::new(FunctionText { file, text: None, routine, lines: Vec::new() });
            }
        }
        Ok(program)
    }

    /// Returns the parameters of the kernel.
    pub fn parameters(&self) -> Vec<Parameter> {
        argument::parameters(&self.info, self.names.as_ref())
    }

    /// Returns the local size that the kernel requires; zeros if any size is allowed.
    pub fn required_local_size(&self) -> [u32; 3] {
        self.info.execution_env.required_work_group_size
    }

    /// Returns the platform properties that determine the payload layout.
    ///
    /// # Errors
    /// An input of the kernel that the argument layout does not explain.
    pub(super) fn payload_layout(&self) -> Result<payload::Layout, Box<Diagnostic>> {
        let (grf_bytes, pads) = (self.platform.register_bytes(), self.platform.padding());
        let layout = payload::Layout { grf_bytes, pads, gap: 0 };
        layout.explained(&self.info, &self.routine.inputs).map_err(|index| {
            let (name, offset) = match self.routine.inputs.get(index) {
                Some(input) => (self.variable_name(input.id), input.offset),
                None => (String::new(), 0),
            };
            let message = format!("input {name} at offset {offset} does not match any argument in `.ze_info`");
            let finding = Diagnostic::new("launch-unsupported", Severity::Error, self.file.clone(), message).help(
                "the text and its `.ze_info` do not belong together, or their layout is \
                 not supported by this version",
            );
            let is_input = |line: &&str| {
                let word = line.split(' ').next().unwrap_or_default();
                word == TextDirective::InputLine.text() || word.starts_with(TextDirective::ImplicitLine.text())
            };
            let line = self.text.as_deref().and_then(|text| {
                let line = text.lines().map(str::trim).filter(is_input).nth(index)?;
                let start = line.as_ptr() as usize - text.as_ptr() as usize;
                Some((text, start, start + line.len()))
            });
            Box::new(match line {
                Some((text, start, end)) => finding.at_text(text, start, end),
                None => finding,
            })
        })
    }

    /// Returns the thread number as it appears in two registers, where bits in between name other
    /// units.
    pub(super) fn thread_id(&self, hardware: u32) -> ThreadId {
        self.platform.thread_id(hardware)
    }

    /// Returns the location of an instruction, counted from the kernel's first to the last
    /// function's last.
    pub(super) fn location(&self, instruction: u32) -> Location {
        let mut rest = instruction as usize;
        let mut routine = (&self.routine, &self.lines);
        let mut function = None;
        for (n, next) in self.functions.iter().enumerate() {
            if rest < routine.0.instructions.len() {
                break;
            }
            rest -= routine.0.instructions.len();
            routine = (&next.routine, &next.lines);
            function = Some(n);
        }
        let line = routine.1.get(rest).copied().unwrap_or(0);
        Location { function, instruction: rest as u32, line }
    }

    /// Returns a trap's report with everything known about its location.
    pub fn report(&self, range: &NdRange, trap: Trap, actor: &Actor) -> TrapReport {
        let Actor { spot, group, thread, channel } = *actor;
        let at = self.location(spot.instruction);
        TrapReport {
            trap,
            kernel: self.info.name.clone(),
            mnemonic: self.mnemonic(&at, &self.text_lines()),
            source_file: self.source_file(&at),
            function: at.function,
            instruction: at.instruction,
            line: at.line,
            // Line 0 marks compiler-generated code.
            source_line: spot.source_line.filter(|&line| line > 0),
            group,
            thread,
            channel,
            local_id: self.item(range, actor).local_id,
            printed: Vec::new(),
            buffers: Vec::new(),
            nearest: None,
            state: None,
            waiting: Vec::new(),
            groups: 1,
            others: Vec::new(),
        }
    }

    /// Returns the work item of an actor.
    pub fn item(&self, range: &NdRange, actor: &Actor) -> Item {
        let environment = &self.info.execution_env;
        let item = |channel| environment.item(actor.thread, channel);
        let (size, order) = (range.size_of(actor.group), environment.work_group_walk_order_dimensions);
        let local_id = actor.channel.map(|channel| payload::local_id_of(item(channel), size, order));
        Item { group: actor.group, local_id }
    }

    /// Returns the name of a kernel's variable, as in its text.
    pub fn variable_name(&self, id: u32) -> String {
        self.routine.name_of(Table::General, id)
    }

    /// Returns the source file of an instruction, if the program names it.
    pub(super) fn source_file(&self, at: &Location) -> Option<String> {
        let routine = self.routine(at.function).2;
        let before = routine.instructions.get(..=at.instruction as usize)?;
        let file = before.iter().rev().find(|instruction| instruction.is_in(InstructionGroup::SourceFile))?;
        let name = file.uses().find(|used| used.table == Table::String)?;
        routine.string(StringId(name.id))
    }

    /// Returns file name, text and code of the kernel or of a function.
    pub(super) fn routine(&self, function: Option<usize>) -> (&str, Option<&str>, &Routine) {
        match function.and_then(|n| self.functions.get(n)) {
            Some(function) => (&function.file, function.text.as_deref(), &function.routine),
            None => (&self.file, self.text.as_deref(), &self.routine),
        }
    }

    /// Returns the lines of the kernel's text and of the functions' texts.
    pub(super) fn text_lines(&self) -> Vec<Vec<&str>> {
        let texts = std::iter::once(&self.text).chain(self.functions.iter().map(|function| &function.text));
        texts.map(|text| text.as_deref().unwrap_or_default().lines().collect()).collect()
    }

    /// Returns an instruction as in its text, without surrounding blanks and trailing number.
    pub(super) fn statement<'t>(&self, at: &Location, lines: &[Vec<&'t str>]) -> Option<&'t str> {
        let lines = lines.get(at.function.map_or(0, |function| function + 1))?;
        let line: &'t str = lines.get((at.line as usize).checked_sub(1)?)?;
        Some(line.split("///").next().unwrap_or(line).trim()).filter(|statement| !statement.is_empty())
    }

    /// Returns the mnemonic of an instruction: the first word of its text, up to the first dot.
    /// `lines` are the [lines](Self::text_lines) of all texts.
    pub(super) fn mnemonic(&self, at: &Location, lines: &[Vec<&str>]) -> String {
        let (_, _, routine) = self.routine(at.function);
        if let Some(statement) = self.statement(at, lines) {
            // The instruction may start with a predicate in parentheses.
            let statement = match statement.strip_prefix('(') {
                Some(rest) => rest.split_once(')').map_or(statement, |(_, rest)| rest.trim_start()),
                None => statement,
            };
            let word = statement.split(|c: char| c == '.' || c.is_whitespace()).next().unwrap_or_default();
            if !word.is_empty() {
                return word.to_owned();
            }
        }
        let page = routine.instructions.get(at.instruction as usize).map(|instruction| instruction.page().name);
        page.unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns a fault as a diagnostic at the line of its instruction.
    pub fn locate(&self, fault: &TrapReport) -> Diagnostic {
        let (file, text, _) = self.routine(fault.function);
        let finding = Diagnostic::new(fault.trap.code(), Severity::Error, file, fault.to_string())
            .help(fault.trap.help().unwrap_or_default());
        let line = text.and_then(|text| {
            let number = fault.line.checked_sub(1)? as usize;
            let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
            let line = text[start..].lines().next()?;
            let indent = line.len() - line.trim_start().len();
            // The text after the instruction is its number.
            let end = line.find("///").unwrap_or(line.len());
            Some((text, start + indent, start + line[..end].trim_end().len()))
        });
        match line {
            Some((text, start, end)) => finding.at_text(text, start, end.max(start)),
            None => finding,
        }
    }
}

/// Checks that a routine is a kernel.
pub(super) fn kernel_of(file: &str, routine: &Routine) -> Result<(), Diagnostics> {
    if routine.kind == RoutineKind::Kernel {
        return Ok(());
    }
    let finding = Diagnostic::new("program-kind", Severity::Error, file, "this is a function, not a kernel");
    Err(finding.help("give a file that has a kernel").into())
}
