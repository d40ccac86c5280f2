//! Parser of a text. It continues after an error, so that one run reports all errors.

use std::cell::OnceCell;
use std::ops::Range;

use visakit_diag::{Diagnostic, Diagnostics, Lines, Severity};

use super::keys::{argument, pair};
use super::scope::{Scope, Uses};
use super::source::{Statement, statements};
use super::{declare, instruction, revision};
use crate::isa::{
    FileScopeVarInfo, Instruction, Label, LabelId, LabelKind, MNEMONICS, Platform, Subroutine, TextArgument,
    TextDirective, TextMark, candidates,
};
use crate::limits;
use crate::object::{Object, Routine, RoutineKind};
use crate::rt::{Cursor, TextError, Version};

/// Context of a text that the text itself does not contain.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the file, for diagnostics.
    pub file: String,
    /// Platform; it decides the register size for the addresses of variables.
    pub platform: Option<Platform>,
}

/// Result of parsing a text, with facts that the object does not keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Version of the text.
    pub version: Version,
    /// First routine; most texts have only one.
    pub routine: Routine,
    /// Line number of each instruction of the first routine, from 1.
    pub lines: Vec<u32>,
    /// Further routines of the text, with the line numbers of their instructions.
    pub more: Vec<(Routine, Vec<u32>)>,
    /// Variables of file scope.
    pub variables: Vec<FileScopeVarInfo>,
    /// Variables and functions of the file that each routine uses, in the order of the routines.
    pub uses: Vec<Uses>,
}

impl Parsed {
    /// Converts the routines of the text to an object.
    pub fn into_object(self) -> Object {
        let routines = std::iter::once(self.routine).chain(self.more.into_iter().map(|(routine, _)| routine));
        let mut object = Object::new(revision::of_version(self.version).0, []);
        object.variables = self.variables;
        for (routine, uses) in routines.zip(self.uses) {
            object.push(routine, uses.variables, uses.functions);
        }
        object
    }

    /// Returns all routines with the line numbers of their instructions, in the order of the text.
    pub fn routines(&self) -> impl Iterator<Item = (&Routine, &[u32])> {
        let more = self.more.iter().map(|(routine, lines)| (routine, lines.as_slice()));
        std::iter::once((&self.routine, self.lines.as_slice())).chain(more)
    }
}

/// Parses a text.
///
/// ```
/// let text = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";
/// let parsed = visakit::text::parse(text, Default::default()).unwrap();
/// assert_eq!(parsed.routine.name(), "k");
/// let errors = visakit::text::parse("ret (M9, 1)", Default::default()).unwrap_err();
/// assert_eq!((errors[0].line, errors[0].column), (1, 6));
/// ```
///
/// # Errors
/// All errors of the text, each with its line and column.
pub fn parse(text: &str, options: Options) -> Result<Parsed, Diagnostics> {
    let register_bytes = Platform::register_bytes_of(options.platform);
    let mut reader = Reader {
        text,
        file: options.file,
        register_bytes,
        scope: Scope::new(register_bytes),
        version: None,
        named: false,
        next: Next::Version,
        lines: Vec::new(),
        uses: Vec::new(),
        done: Vec::new(),
        used: Vec::new(),
        errors: Vec::new(),
        places: OnceCell::new(),
    };
    for statement in statements(text) {
        reader.statement(&statement);
        if reader.is_full(&statement) {
            return Err(reader.errors.into());
        }
    }
    reader.finish()
}

/// Statement that must come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// `.version`, at the start of the text.
    Version,
    /// `.kernel` or `.global_function`, after the `.version` of a further routine.
    Routine,
    Any,
}

struct Reader<'a> {
    text: &'a str,
    file: String,
    register_bytes: u32,
    scope: Scope,
    version: Option<Version>,
    named: bool,
    /// Constraint on the next statement.
    next: Next,
    lines: Vec<u32>,
    /// Byte offset of the statement that first names each label.
    uses: Vec<usize>,
    /// Completed routines.
    done: Vec<(Routine, Vec<u32>)>,
    /// Variables and functions of the file that the completed routines use.
    used: Vec<Uses>,
    errors: Vec<Diagnostic>,
    /// Line starts of the text, computed on first use.
    places: OnceCell<Lines>,
}

impl Reader<'_> {
    fn statement(&mut self, statement: &Statement) {
        self.statement_from(statement, 0);
    }

    fn statement_from(&mut self, statement: &Statement, from: usize) {
        let text = &*statement.text;
        let lead = text.len() - text[from..].trim_start().len();
        let rest = &text[lead..];
        if rest.is_empty() {
            return;
        }
        let word = rest.starts_with('.').then(|| crate::directive::word(rest));
        let directive = word.and_then(|(directive, _)| directive);
        match rest.as_bytes()[0] {
            BEGIN => {
                self.scope.names.open();
                return self.statement_from(statement, lead + 1);
            }
            END => return self.close(statement, lead),
            _ if directive.is_some_and(|one| one.argument() == TextArgument::AttributeArgument) => {
                return self.kernel_attribute(statement, lead + word.map_or(0, |(_, len)| len));
            }
            _ => {}
        }
        // Open blocks may end after a statement.
        let ends = if rest.as_bytes().contains(&END) { ends(rest).min(self.scope.names.depth()) } else { 0 };
        let text = (0..ends).fold(text, |text, _| text.trim_end().strip_suffix(char::from(END)).unwrap_or(text));
        if let Err(error) = self.in_order(directive, lead) {
            self.report(statement, "statement", &error);
        }
        let result = match word {
            Some((directive, len)) => self.directive(statement, text, lead..(lead + len).min(text.len()), directive),
            None => self.content(statement, text, lead),
        };
        for _ in 0..ends {
            self.scope.names.close();
        }
        self.uses.resize(self.scope.tables.routine.labels.len(), statement.start + lead);
        if let Err(error) = result {
            self.report(statement, if word.is_some() { "directive" } else { "statement" }, &error);
        }
    }

    /// Reads a kernel attribute, whose value begins at `from`, and the rest of its line.
    #[cold]
    fn kernel_attribute(&mut self, statement: &Statement, from: usize) {
        let text = &*statement.text;
        match declare::kernel_attribute(&mut self.scope, text, from) {
            // The vendor's printer puts the first instruction on the line of the last attribute.
            Ok(end) if text[end..].trim_start().starts_with('.') => {
                let at = text.len() - text[end..].trim_start().len();
                let expected = "the end of the line".to_owned();
                self.report(statement, "directive", &TextError { at, expected });
            }
            Ok(end) => self.statement_from(statement, end),
            Err(error) => self.report(statement, "directive", &error),
        }
    }

    /// Closes the block whose brace stands at `lead`.
    #[cold]
    fn close(&mut self, statement: &Statement, lead: usize) {
        let text = &*statement.text;
        let behind = &text[lead + 1..];
        if !self.scope.names.close() {
            let expected = format!("a statement: `{}` closes no open block", char::from(END));
            self.report(statement, "statement", &TextError { at: lead, expected });
        }
        if behind.trim_start().starts_with(char::from(END)) {
            self.statement_from(statement, lead + 1);
        } else if !behind.trim().is_empty() {
            let at = text.len() - behind.trim_start().len();
            self.report(statement, "statement", &TextError { at, expected: "the end of the line".to_owned() });
        }
    }

    /// Reads a label or an instruction.
    #[inline]
    fn content(&mut self, statement: &Statement, text: &str, lead: usize) -> Result<(), TextError> {
        match label(text) {
            Some(name) => {
                self.label(name, statement.line);
                Ok(())
            }
            None => self.instruction(text, lead, statement.line),
        }
    }

    /// Checks the order of statements. A text begins with its version; each further routine may
    /// repeat it.
    fn in_order(&mut self, directive: Option<TextDirective>, at: usize) -> Result<(), TextError> {
        let (before, is_version) = (self.next, directive == Some(TextDirective::VersionLine));
        self.next = if is_version && self.named { Next::Routine } else { Next::Any };
        let is_routine = matches!(directive, Some(TextDirective::KernelLine | TextDirective::GlobalFunctionLine));
        let version = TextDirective::VersionLine.text();
        let expected = match before {
            Next::Routine if !is_routine => format!("`{}` after `{version}`", TextDirective::KernelLine.text()),
            Next::Any if is_version && !(self.named && self.version.is_some()) => {
                format!("one `{version}`, before everything else")
            }
            _ => return Ok(()),
        };
        Err(TextError { at, expected })
    }

    /// Returns true if a count exceeds [`limits`]. The excess is reported, and reading stops.
    fn is_full(&mut self, statement: &Statement) -> bool {
        let counts = [
            (self.done.len() + usize::from(self.named), limits::ROUTINES, "kernels and functions in a text"),
            (self.scope.tables.routine.labels.len(), limits::LABELS, "labels in a routine"),
            (self.scope.names.depth(), limits::BLOCK_DEPTH, "nested blocks"),
            (self.errors.len(), limits::FINDINGS, "findings in a text"),
        ];
        let Some((_, most, what)) = counts.into_iter().find(|(count, most, _)| count > most) else { return false };
        self.errors.truncate(limits::FINDINGS);
        self.report(statement, "limit", &TextError { at: 0, expected: format!("at most {most} {what}") });
        true
    }

    fn report(&mut self, statement: &Statement, code: &'static str, error: &TextError) {
        let at = error.at.min(statement.text.len());
        let line = self.text.get(statement.start..).and_then(|rest| rest.lines().next()).unwrap_or("");
        let width = statement.text[error.at.min(statement.text.len())..]
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(1)
            .max(1);
        let diagnostic =
            Diagnostic::new(code, Severity::Error, self.file.as_str(), format!("expected {}", error.expected))
                .at_line(statement.line, line, at, at + width);
        self.errors.push(diagnostic);
    }

    /// Reads a directive, whose spelling stands at `word`.
    fn directive(
        &mut self,
        statement: &Statement,
        text: &str,
        word: Range<usize>,
        directive: Option<TextDirective>,
    ) -> Result<(), TextError> {
        let (line, lead, at) = (statement.line, word.start, word.end);
        match directive {
            Some(directive @ TextDirective::VersionLine) => {
                let mut c = Cursor::new(text, at, &mut self.scope);
                let (major, minor) = pair(&mut c, directive, ["major version", "minor version"])?;
                let end = c.save();
                let version = Version::new(major, minor);
                let (of_object, since) = revision::of_version(version);
                self.scope.version = of_object;
                self.scope.revisions.0 = self.scope.revisions.0.max(since);
                self.version = Some(version);
                // Unlike other directives, `.version` may be followed by a statement on its line.
                self.statement_from(statement, end);
                Ok(())
            }
            Some(TextDirective::CodeLine) => {
                let instruction =
                    super::explicit::read_code(text[at..].trim(), self.scope.version).map_err(|expected| {
                        TextError { at: at + text[at..].len() - text[at..].trim_start().len(), expected }
                    })?;
                self.defines(&instruction);
                self.push(instruction, line);
                Ok(())
            }
            Some(directive @ (TextDirective::KernelLine | TextDirective::GlobalFunctionLine)) => {
                let name = self.name(directive, text, at)?;
                if self.named {
                    self.complete();
                }
                self.named = true;
                let kind = match directive {
                    TextDirective::KernelLine => RoutineKind::Kernel,
                    _ => RoutineKind::Function { input_size: 0, return_value_size: 0 },
                };
                self.scope.begin(&name, kind);
                Ok(())
            }
            // Names the functions of the object; each function has a separate text.
            Some(directive @ TextDirective::FuncdeclLine) => {
                let name = self.name(directive, text, at)?;
                self.scope.functions.push(name);
                Ok(())
            }
            Some(directive @ TextDirective::FunctionLine) => {
                let name = self.name(directive, text, at)?;
                // The directive places the subroutine's label; a label of the same name may follow,
                // without effect.
                let id = self.scope.label(&name, LabelKind::Subroutine);
                self.scope.set_kind(id, LabelKind::Subroutine);
                self.place(LabelId(id), line);
                Ok(())
            }
            Some(directive) if let Some(instruction) = directive.operands_of() => {
                // The current spelling ends where the older one does, so columns do not change.
                let width = at - lead;
                let spelled = format!("{}{:>width$}{}", &text[..lead], mnemonic(instruction.name()), &text[at..]);
                let lead = spelled.len() - spelled[lead..].trim_start().len();
                self.instruction(&spelled, lead, line)
            }
            _ => declare::directive(&mut self.scope, directive, &text[word], text, at).map_err(|mut error| {
                error.at = error.at.max(lead);
                error
            }),
        }
    }

    /// Parses the name of a directive without keys.
    fn name(&mut self, directive: TextDirective, text: &str, at: usize) -> Result<String, TextError> {
        let mut c = Cursor::new(text, at, &mut self.scope);
        let (name, _) = argument(&mut c, directive)?;
        c.end()?;
        Ok(name)
    }

    fn label(&mut self, name: &str, line: u32) {
        if self.scope.names.label(name, LabelKind::Subroutine).is_none() {
            let id = self.scope.label(name, LabelKind::Block);
            self.place(LabelId(id), line);
        }
    }

    /// Places a label here.
    fn place(&mut self, label: LabelId, line: u32) {
        if let Some(defined) = self.scope.defined.get_mut(label.0 as usize) {
            *defined = true;
        }
        let info = self.scope.tables.routine.labels.get(label.0 as usize);
        let instruction = match info.map(|l| l.kind) {
            Some(LabelKind::Block) | None => Label { label }.into(),
            Some(_) => Subroutine { label }.into(),
        };
        self.push(instruction, line);
    }

    /// Marks a label as defined if an instruction in bytes places it.
    fn defines(&mut self, instruction: &Instruction) {
        if let Some(label) = instruction.placed_label()
            && let Some(defined) = self.scope.defined.get_mut(label.0 as usize)
        {
            *defined = true;
        }
    }

    fn push(&mut self, instruction: Instruction, line: u32) {
        self.scope.tables.routine.instructions.push(instruction);
        self.lines.push(line);
    }

    fn instruction(&mut self, text: &str, lead: usize, line: u32) -> Result<(), TextError> {
        let before = self.scope.revisions;
        let (instruction, link) = instruction::read(&mut self.scope, text, lead)?;
        if self.scope.revisions.0 >= self.scope.revisions.1 {
            self.scope.revisions = before;
            let expected =
                "an instruction as in the lines above: this form belongs to texts of another date".to_owned();
            return Err(TextError { at: lead, expected });
        }
        if link {
            self.linked(&instruction);
        }
        self.push(instruction, line);
        Ok(())
    }

    /// Sets the kind of a label that an `fccall` names. If the label was not placed before, it
    /// belongs to another kernel.
    fn linked(&mut self, instruction: &Instruction) {
        for LabelId(label) in instruction.labels() {
            if self.scope.defined.get(label as usize) == Some(&false) {
                self.scope.set_kind(label, LabelKind::Fccall);
            }
        }
    }

    /// Completes a routine; reports labels that were never placed.
    fn complete(&mut self) {
        let undefined = (0..self.scope.tables.routine.labels.len())
            .filter(|&i| !self.scope.defined[i] && self.scope.tables.routine.labels[i].kind != LabelKind::Fccall);
        for i in undefined {
            let Some(name) = self.scope.tables.routine.string(self.scope.tables.routine.labels[i].name_index) else {
                continue;
            };
            let from = self.uses.get(i).copied().unwrap_or(0);
            let line = self.text.get(from..).and_then(|rest| rest.lines().next()).unwrap_or("");
            let at = from + line.find(&name).unwrap_or(0);
            let places = self.places.get_or_init(|| Lines::new(self.text));
            self.errors.push(
                Diagnostic::new(
                    "label-missing",
                    Severity::Error,
                    self.file.as_str(),
                    format!("label `{name}` is not defined"),
                )
                .at_place(self.text, places, at, at + name.len())
                .help(self.elsewhere(&name)),
            );
        }
        if self.scope.names.depth() > 0 {
            self.errors.push(self.whole(
                "block-open",
                "a block is not closed",
                &format!("add a line `{}` at the end of the block", char::from(END)),
            ));
        }
        let mut scope = std::mem::replace(&mut self.scope, Scope::new(self.register_bytes));
        if let Err(error) = scope.keep_marks() {
            let help = "use a value that fits into the field";
            self.errors.push(self.whole("operand-value", &error.to_string(), help));
        }
        self.scope.revisions.0 = self.version.map_or(0, |version| revision::of_version(version).1);
        self.scope.version = scope.version;
        self.scope.file_variables = scope.file_variables;
        self.used.push(scope.uses);
        self.done.push((scope.tables.routine, std::mem::take(&mut self.lines)));
        self.uses.clear();
    }

    /// Returns the advice for a label that was never placed. Blocks and subroutines do not share
    /// labels.
    fn elsewhere(&self, name: &str) -> String {
        let stands = |kind| {
            let id = self.scope.names.label(name, kind)?;
            self.scope.defined.get(id as usize).copied()
        };
        match (stands(LabelKind::Block), stands(LabelKind::Subroutine)) {
            (Some(true), _) => format!(
                "`{name}` is a block: write `{} \"{name}\"` before a routine that is called",
                TextDirective::FunctionLine.text()
            ),
            (_, Some(true)) => format!("`{name}` is a subroutine: only calls can name it"),
            _ => format!("add a line `{name}:` at the branch target"),
        }
    }

    /// Returns an error about the text as a whole.
    fn whole(&self, code: &'static str, message: &str, help: &str) -> Diagnostic {
        Diagnostic::new(code, Severity::Error, self.file.as_str(), message).at_text(self.text, 0, 0).help(help)
    }

    fn finish(mut self) -> Result<Parsed, Diagnostics> {
        if !self.named {
            let help = format!("begin the text with `{} \"name\"`", TextDirective::KernelLine.text());
            self.errors.push(self.whole("kernel-missing", "the text names no kernel", &help));
        }
        if self.version.is_none() {
            let help = format!("begin the text with `{} 4.1`", TextDirective::VersionLine.text());
            self.errors.push(self.whole("version-missing", "the text has no version", &help));
        }
        if self.next == Next::Routine {
            let message = format!("`{}` without a routine after it", TextDirective::VersionLine.text());
            self.errors.push(self.whole("statement", &message, "end the text before this line"));
        }
        self.complete();
        let mut done = self.done.into_iter();
        match (self.errors.is_empty(), self.version, done.next()) {
            (true, Some(version), Some((routine, lines))) => {
                let (variables, uses) = (self.scope.file_variables, self.used);
                Ok(Parsed { version, routine, lines, more: done.collect(), variables, uses })
            }
            _ => Err(self.errors.into()),
        }
    }
}

/// Returns the mnemonic of the instruction of a page.
fn mnemonic(page: &str) -> &'static str {
    let is_of_page = |word: &&&str| candidates(word).iter().any(|candidate| candidate.page.name == page);
    MNEMONICS.iter().find(is_of_page).copied().unwrap_or_default()
}

/// Braces around a block.
const BEGIN: u8 = brace(TextMark::BlockBegin);
const END: u8 = brace(TextMark::BlockEnd);

/// Returns the number of braces that end blocks outside of a statement.
#[cold]
fn ends(statement: &str) -> usize {
    let count = |brace: u8| statement.bytes().filter(|byte| *byte == brace).count();
    count(END).saturating_sub(count(BEGIN))
}

const fn brace(mark: TextMark) -> u8 {
    let [byte] = mark.text().as_bytes() else { panic!("a brace is one character") };
    *byte
}

/// Returns the name of a label `name:` that is alone on its line.
fn label(text: &str) -> Option<&str> {
    let name = text.trim_end().strip_suffix(':')?;
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || "_$@?".contains(c));
    let ok = begins && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-$@?".contains(c));
    ok.then_some(name)
}
