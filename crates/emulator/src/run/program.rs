//! A kernel that can be run: its code, and the layout of its arguments.

use visakit_diag::{Diagnostic, Severity};

use crate::check::Item;
use crate::launch::argument::{self, Parameter};
use crate::launch::data::ProgramData;
use crate::launch::implicit;
use crate::launch::payload;
use crate::launch::range::NdRange;
use crate::machine::fault::{Trap, TrapReport};
use crate::machine::observer::Spot;
use visakit::ThreadId;
use visakit::isa::{Instruction, Platform};
use visakit::object::Routine;
use visakit::rt::Table;
use visakit::text;
use visakit_zebin::Zebin;
use visakit_zebin::info::{KernelInfo, KernelMiscInfo};

/// A kernel, ready to be launched any number of times.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name of the file, for messages.
    pub file: String,
    /// The kernel's text, when it came from one.
    pub text: Option<String>,
    /// The code.
    pub routine: Routine,
    /// Line of each instruction in the text; empty when it came from an object.
    pub lines: Vec<u32>,
    /// The functions that it may call.
    pub functions: Vec<FunctionText>,
    /// The layout of the arguments.
    pub info: KernelInfo,
    /// Names and types of the arguments.
    pub names: Option<KernelMiscInfo>,
    /// The program's constants and variables.
    pub data: ProgramData,
    /// The platform it was compiled for.
    pub platform: Platform,
    /// The version of the structure of implicit arguments that its functions know.
    pub implicit: implicit::Version,
}

/// Who did something, and in which instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    /// The instruction.
    pub(crate) spot: Spot,
    /// The thread group.
    pub(crate) group: [u32; 3],
    /// The hardware thread in its group.
    pub(crate) thread: u32,
    /// The channel of the thread, if it is one.
    pub(crate) channel: Option<u32>,
}

impl Actor {
    /// Who a report is about.
    pub(crate) fn of(report: &TrapReport, program: &Program) -> Self {
        let called = report.function.map_or(0, |n| {
            let before = program.functions.iter().take(n).map(|function| &function.routine);
            std::iter::once(&program.routine).chain(before).map(|routine| routine.instructions.len()).sum()
        });
        let instruction = called as u32 + report.instruction;
        let spot = Spot { instruction, source_line: report.source_line, ..Spot::default() };
        Self { spot, group: report.group, thread: report.thread, channel: report.channel }
    }
}

/// A function that kernels of the file call.
#[derive(Clone, Debug)]
pub struct FunctionText {
    /// Name of the file, for messages.
    pub file: String,
    /// The function's text, when it came from one.
    pub text: Option<String>,
    /// The code.
    pub routine: Routine,
    /// Line of each instruction in the text; empty when it came from an object.
    pub lines: Vec<u32>,
}

/// Where an instruction of a program is.
pub(super) struct Location {
    /// Which of the program's functions; none for the kernel itself.
    pub(super) function: Option<usize>,
    /// Index in the routine.
    pub(super) instruction: u32,
    /// Line in the routine's text, from 1; 0 when there is none.
    pub(super) line: u32,
}

impl Program {
    /// Takes a kernel out of a zebin. `kernel` names it when there are several; `platform`
    /// overrides the file's own.
    ///
    /// # Errors
    /// When there is no such kernel, the file holds no vISA text for it, or the text is wrong.
    pub fn from_zebin(
        zebin: &Zebin,
        kernel: Option<&str>,
        platform: Option<Platform>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let found = zebin.kernel(kernel).map_err(|e| vec![*e])?;
        let platform = platform.or_else(|| Self::platform_of(zebin)).unwrap_or_default();
        let file = format!("{}({})", zebin.file, found.info.name);
        let mut program = Self::from_text(&file, &found.text.text, found.info.clone(), platform)?;
        for text in zebin.texts.iter().filter(|text| !text.is_kernel()) {
            let file = format!("{}(section {})", zebin.file, text.section);
            let options = text::Options { file: file.clone(), platform: Some(platform) };
            let parsed = text::parse(&text.text, options)?;
            let (routine, lines) = (parsed.routine, parsed.lines);
            program.functions.push(FunctionText { file, text: Some(text.text.clone()), routine, lines });
        }
        program.data = ProgramData::of(zebin);
        program.implicit = Self::implicit_of(zebin)?;
        program.names = zebin.info.kernels_misc_info.iter().find(|misc| misc.name == found.info.name).cloned();
        Ok(program)
    }

    /// The platform that a zebin was compiled for, if it says one that is known.
    pub fn platform_of(zebin: &Zebin) -> Option<Platform> {
        zebin.target.product_family.and_then(Platform::from_family)
    }

    /// The version of the structure of implicit arguments that the functions of a zebin know.
    ///
    /// # Errors
    /// When it is one that the emulator does not know.
    pub fn implicit_of(zebin: &Zebin) -> Result<implicit::Version, Vec<Diagnostic>> {
        let version = zebin.target.implicit_version.unwrap_or(0);
        implicit::Version::of(version).ok_or_else(|| {
            let message = format!("version {version} of the implicit-argument structure is not supported");
            let finding = Diagnostic::new("launch-unsupported", Severity::Error, zebin.file.clone(), message);
            vec![finding.help("the file's note 8 gives the version; versions 0, 1 and 2 are supported")]
        })
    }

    /// Reads a kernel from a text. `info` is the layout of its arguments.
    ///
    /// # Errors
    /// When the text is wrong.
    pub fn from_text(file: &str, text: &str, info: KernelInfo, platform: Platform) -> Result<Self, Vec<Diagnostic>> {
        let options = text::Options { file: file.to_owned(), platform: Some(platform) };
        let parsed = text::parse(text, options)?;
        let text = Some(text.to_owned());
        let (routine, lines) = (parsed.routine, parsed.lines);
        let (functions, data) = (Vec::new(), ProgramData::default());
        Ok(Self {
            file: file.to_owned(),
            text,
            routine,
            lines,
            functions,
            info,
            names: None,
            data,
            platform,
            implicit: implicit::Version::default(),
        })
    }

    /// The arguments that the kernel takes.
    pub fn parameters(&self) -> Vec<Parameter> {
        argument::parameters(&self.info, self.names.as_ref())
    }

    /// The local size that the kernel requires; zeros when it takes any.
    pub fn required_local_size(&self) -> [u32; 3] {
        self.info.execution_env.required_work_group_size
    }

    /// What of the platform matters to the payload.
    ///
    /// # Errors
    /// When the kernel has an input that the layout of its arguments does not explain.
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
            let is_input = |line: &&str| line.starts_with(".input ") || line.starts_with(".implicit_");
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

    /// What two registers say of a hardware thread: its number, with bits in between that name
    /// other units.
    pub(super) fn thread_id(&self, hardware: u32) -> ThreadId {
        self.platform.thread_id(hardware)
    }

    /// Where an instruction is; they are counted from the kernel's first to the last of the last
    /// function.
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

    /// What happened, with all that is known of its place.
    pub(crate) fn report(&self, range: &NdRange, trap: Trap, actor: &Actor) -> TrapReport {
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
            // Line 0 stands for what the compiler made on its own.
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

    /// Who did something.
    pub(crate) fn item(&self, range: &NdRange, actor: &Actor) -> Item {
        let environment = &self.info.execution_env;
        let item = |channel| actor.thread * environment.simd_size + channel;
        let (size, order) = (range.size_of(actor.group), environment.work_group_walk_order_dimensions);
        let local_id = actor.channel.map(|channel| payload::local_id_of(item(channel), size, order));
        Item { group: actor.group, local_id }
    }

    /// The name of a variable of the kernel as its text has it.
    pub(crate) fn variable_name(&self, id: u32) -> String {
        self.routine.name_of(Table::General, id)
    }

    /// The source of an instruction, where the program names it.
    pub(super) fn source_file(&self, at: &Location) -> Option<String> {
        let routine = self.routine(at.function).2;
        let before = routine.instructions.get(..=at.instruction as usize)?;
        before.iter().rev().find_map(|instruction| match instruction {
            Instruction::File(file) => routine.string(file.file_name),
            _ => None,
        })
    }

    /// The name of the file, the text and the code of the kernel or of a function.
    pub(super) fn routine(&self, function: Option<usize>) -> (&str, Option<&str>, &Routine) {
        match function.and_then(|n| self.functions.get(n)) {
            Some(function) => (&function.file, function.text.as_deref(), &function.routine),
            None => (&self.file, self.text.as_deref(), &self.routine),
        }
    }

    /// The lines of the kernel's text and of those of the functions.
    pub(super) fn text_lines(&self) -> Vec<Vec<&str>> {
        let texts = std::iter::once(&self.text).chain(self.functions.iter().map(|function| &function.text));
        texts.map(|text| text.as_deref().unwrap_or_default().lines().collect()).collect()
    }

    /// An instruction as its text has it, without blanks around it and the number behind it.
    pub(super) fn statement<'t>(&self, at: &Location, lines: &[Vec<&'t str>]) -> Option<&'t str> {
        let lines = lines.get(at.function.map_or(0, |function| function + 1))?;
        let line: &'t str = lines.get((at.line as usize).checked_sub(1)?)?;
        Some(line.split("///").next().unwrap_or(line).trim()).filter(|statement| !statement.is_empty())
    }

    /// The mnemonic of an instruction: the word that its text begins with, without what follows the
    /// first point. `lines` are [those](Self::text_lines) of all texts.
    pub(super) fn mnemonic(&self, at: &Location, lines: &[Vec<&str>]) -> String {
        let (_, _, routine) = self.routine(at.function);
        if let Some(statement) = self.statement(at, lines) {
            // A predicate in parentheses may stand in front.
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

    /// A fault as a diagnostic at the line of its instruction.
    pub fn locate(&self, fault: &TrapReport) -> Diagnostic {
        let (file, text, _) = self.routine(fault.function);
        let finding = Diagnostic::new(fault.trap.code(), Severity::Error, file, fault.to_string())
            .help(fault.trap.help().unwrap_or_default());
        let line = text.and_then(|text| {
            let number = fault.line.checked_sub(1)? as usize;
            let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
            let line = text[start..].lines().next()?;
            let indent = line.len() - line.trim_start().len();
            // The text behind the instruction is its number, for readers.
            let end = line.find("///").unwrap_or(line.len());
            Some((text, start + indent, start + line[..end].trim_end().len()))
        });
        match line {
            Some((text, start, end)) => finding.at_text(text, start, end.max(start)),
            None => finding,
        }
    }
}
