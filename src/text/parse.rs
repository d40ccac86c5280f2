//! Reading a text: statement by statement, going on behind errors so that one run shows them all.

use std::cell::OnceCell;

use visakit_diag::{Diagnostic, Lines, Severity};

use super::scope::{Scope, Uses};
use super::source::{Statement, statements};
use super::{declare, instruction, revision};
use crate::isa::{FileScopeVarInfo, Instruction, Label, LabelId, LabelKind, Platform, Subroutine};
use crate::limits;
use crate::object::{Object, Routine, RoutineKind};
use crate::rt::{Cursor, TextError, Version};

/// What a text does not say itself.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the file for diagnostics.
    pub file: String,
    /// The platform; it decides the register size that addresses of variables are counted in.
    pub platform: Option<Platform>,
}

/// What was read from a text, with what the object does not keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Version of the text.
    pub version: Version,
    /// The first routine, in most texts the only one.
    pub routine: Routine,
    /// The line of each of its instructions, from 1.
    pub lines: Vec<u32>,
    /// The routines that follow it in the same text, with their lines.
    pub more: Vec<(Routine, Vec<u32>)>,
    /// Variables of the file.
    pub variables: Vec<FileScopeVarInfo>,
    /// What each of the routines uses of the file, in their order.
    pub uses: Vec<Uses>,
}

impl Parsed {
    /// An object with the routines of the text.
    pub fn into_object(self) -> Object {
        let routines = std::iter::once(self.routine).chain(self.more.into_iter().map(|(routine, _)| routine));
        let mut object = Object::new(revision::of_version(self.version).0, []);
        object.variables = self.variables;
        for (routine, uses) in routines.zip(self.uses) {
            object.push(routine, uses.variables, uses.functions);
        }
        object
    }

    /// All routines with the lines of their instructions, in the order of the text.
    pub fn routines(&self) -> impl Iterator<Item = (&Routine, &[u32])> {
        let more = self.more.iter().map(|(routine, lines)| (routine, lines.as_slice()));
        std::iter::once((&self.routine, self.lines.as_slice())).chain(more)
    }
}

/// Reads a text.
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
/// Everything that is wrong with the text, each with its line and column.
pub fn parse(text: &str, options: Options) -> Result<Parsed, Vec<Diagnostic>> {
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
            return Err(reader.errors);
        }
    }
    reader.finish()
}

/// What a text goes on with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// `.version`, which begins it.
    Version,
    /// `.kernel` or `.global_function`, behind a `.version` of a further routine.
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
    /// What the next statement has to be.
    next: Next,
    lines: Vec<u32>,
    /// Byte of the text at which the statement begins that names each label first.
    uses: Vec<usize>,
    /// Routines that are complete.
    done: Vec<(Routine, Vec<u32>)>,
    /// What they use of the file.
    used: Vec<Uses>,
    errors: Vec<Diagnostic>,
    /// Where the lines of the text begin, once something has asked.
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
        if let Some(behind) = rest.strip_prefix(".kernel_attr") {
            match declare::kernel_attribute(&mut self.scope, text, text.len() - behind.len()) {
                // The vendor's printer puts the first instruction on the line of the last
                // attribute.
                Ok(end) if text[end..].trim_start().starts_with('.') => {
                    let at = text.len() - text[end..].trim_start().len();
                    self.report(
                        statement,
                        "directive",
                        &TextError { at, expected: "the end of the line".to_owned() },
                    );
                }
                Ok(end) => self.statement_from(statement, end),
                Err(error) => self.report(statement, "directive", &error),
            }
            return;
        }
        if rest.starts_with('{') {
            self.scope.names.open();
            self.statement_from(statement, lead + 1);
            return;
        }
        if let Some(behind) = rest.strip_prefix('}') {
            if !self.scope.names.close() {
                let expected = "a statement: `}` closes no open block".to_owned();
                self.report(statement, "statement", &TextError { at: lead, expected });
            }
            if behind.trim_start().starts_with('}') {
                self.statement_from(statement, lead + 1);
            } else if !behind.trim().is_empty() {
                let at = text.len() - behind.trim_start().len();
                self.report(statement, "statement", &TextError { at, expected: "the end of the line".to_owned() });
            }
            return;
        }
        // Open blocks may end behind a statement.
        let ends = rest.matches('}').count().saturating_sub(rest.matches('{').count()).min(self.scope.names.depth());
        let text = (0..ends).fold(text, |text, _| text.trim_end().strip_suffix('}').unwrap_or(text));
        let rest = &text[lead..];
        if let Err(error) = self.in_order(rest, lead) {
            self.report(statement, "statement", &error);
        }
        let result = if let Some(digits) = rest.strip_prefix(".code ") {
            // An instruction by its bytes.
            let at = text.len() - digits.len();
            match super::explicit::read_code(digits.trim(), self.scope.version) {
                Ok(instruction) => {
                    self.defines(&instruction);
                    self.push(instruction, statement.line);
                    Ok(())
                }
                Err(expected) => Err(TextError { at, expected }),
            }
        } else if let Some(spelled) = old_spelling(rest) {
            self.instruction(
                &format!("{}{spelled}{}", &text[..lead], &rest[spelled.len()..]),
                lead + 1,
                statement.line,
            )
        } else if rest.starts_with('.') {
            self.directive(statement, text, lead)
        } else if let Some(name) = label(text) {
            self.label(name, statement.line);
            Ok(())
        } else {
            self.instruction(text, lead, statement.line)
        };
        for _ in 0..ends {
            self.scope.names.close();
        }
        self.uses.resize(self.scope.tables.routine.labels.len(), statement.start + lead);
        if let Err(error) = result {
            let code = if rest.starts_with('.') { "directive" } else { "statement" };
            self.report(statement, code, &error);
        }
    }

    /// A text begins with its version. Where a text has several routines each may say it again.
    fn in_order(&mut self, rest: &str, at: usize) -> Result<(), TextError> {
        let begins = |directives: &[&str]| directives.iter().any(|d| rest.split_whitespace().next() == Some(d));
        let (before, version) = (self.next, begins(&[".version"]));
        self.next = if version && self.named { Next::Routine } else { Next::Any };
        let expected = match before {
            Next::Routine if !begins(&[".kernel", ".global_function"]) => "`.kernel` after `.version`",
            Next::Any if version && !(self.named && self.version.is_some()) => {
                "one `.version`, before everything else"
            }
            _ => return Ok(()),
        };
        Err(TextError { at, expected: expected.to_owned() })
    }

    /// Whether there is more of something than [`limits`] allow. It is reported here, and nothing
    /// behind it is read.
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

    fn directive(&mut self, statement: &Statement, text: &str, lead: usize) -> Result<(), TextError> {
        let line = statement.line;
        let rest = &text[lead..];
        let len = declare::word_len(rest);
        let (word, at) = (&rest[..len], lead + len);
        match word {
            ".version" => {
                let mut c = Cursor::new(text, at, &mut self.scope);
                let major = c.number("major version", crate::rt::Format::Plain)?;
                c.expect(".")?;
                let minor = c.number("minor version", crate::rt::Format::Plain)?;
                let end = c.save();
                let version = Version::new(major, minor);
                let (of_object, since) = revision::of_version(version);
                self.scope.version = of_object;
                self.scope.revisions.0 = self.scope.revisions.0.max(since);
                self.version = Some(version);
                // Alone among directives it does not end its line.
                self.statement_from(statement, end);
                Ok(())
            }
            ".kernel" | ".global_function" => {
                let name = self.name(text, at)?;
                if self.named {
                    self.complete();
                }
                self.named = true;
                let kind = match word {
                    ".kernel" => RoutineKind::Kernel,
                    _ => RoutineKind::Function { input_size: 0, return_value_size: 0 },
                };
                self.scope.begin(&name, kind);
                Ok(())
            }
            // Names the functions of the object; each has a text of its own.
            ".funcdecl" => {
                let mut c = Cursor::new(text, at, &mut self.scope);
                c.skip_blanks();
                let name = c.quoted()?;
                c.end()?;
                self.scope.functions.push(name);
                Ok(())
            }
            ".function" => {
                let name = self.name(text, at)?;
                // The directive is where the subroutine begins; a label of its name may follow, and
                // adds nothing.
                let id = self.scope.label(&name, LabelKind::Subroutine);
                self.scope.set_kind(id, LabelKind::Subroutine);
                self.place(LabelId(id), line);
                Ok(())
            }
            _ => declare::directive(&mut self.scope, word, text, at).map_err(|mut error| {
                error.at = error.at.max(lead);
                error
            }),
        }
    }

    /// A name, with or without quotes.
    fn name(&mut self, text: &str, at: usize) -> Result<String, TextError> {
        let mut c = Cursor::new(text, at, &mut self.scope);
        c.skip_blanks();
        let name = match c.looking_at("\"") {
            true => c.quoted()?,
            false => c.identifier("a name")?.to_owned(),
        };
        c.end()?;
        Ok(name)
    }

    fn label(&mut self, name: &str, line: u32) {
        if self.scope.names.label(name, LabelKind::Subroutine).is_none() {
            let id = self.scope.label(name, LabelKind::Block);
            self.place(LabelId(id), line);
        }
    }

    /// Puts a label here.
    fn place(&mut self, label: LabelId, line: u32) {
        if let Some(defined) = self.scope.defined.get_mut(label.0 as usize) {
            *defined = true;
        }
        let info = self.scope.tables.routine.labels.get(label.0 as usize);
        let instruction = match info.map(|l| l.kind) {
            Some(LabelKind::Block) | None => Instruction::Label(Label { label }),
            Some(_) => Instruction::Subroutine(Subroutine { label }),
        };
        self.push(instruction, line);
    }

    /// A label that is given as bytes stands in the text all the same.
    fn defines(&mut self, instruction: &Instruction) {
        let label = match instruction {
            Instruction::Label(l) => l.label,
            Instruction::Subroutine(s) => s.label,
            _ => return,
        };
        if let Some(defined) = self.scope.defined.get_mut(label.0 as usize) {
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
        self.label_kind(&instruction, link);
        self.push(instruction, line);
        Ok(())
    }

    /// A label that a linking call names, and that does not stand in front of it, is another
    /// kernel's.
    fn label_kind(&mut self, instruction: &Instruction, link: bool) {
        let Instruction::Call(call) = instruction else { return };
        let defined = self.scope.defined.get(call.label.0 as usize).copied().unwrap_or(true);
        if link && !defined {
            self.scope.set_kind(call.label.0, LabelKind::Fccall);
        }
    }

    /// Ends a routine: labels that stand nowhere are reported.
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
                "add a line `}` \
             at the end of the block",
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

    /// What to do about a label that stands nowhere. Blocks and subroutines do not know each
    /// other's labels.
    fn elsewhere(&self, name: &str) -> String {
        let stands = |kind| {
            let id = self.scope.names.label(name, kind)?;
            self.scope.defined.get(id as usize).copied()
        };
        match (stands(LabelKind::Block), stands(LabelKind::Subroutine)) {
            (Some(true), _) => format!(
                "`{name}` is a block: write `.function \"{name}\"` before \
             a routine that is called"
            ),
            (_, Some(true)) => format!("`{name}` is a subroutine: only calls can name it"),
            _ => format!("add a line `{name}:` at the branch target"),
        }
    }

    /// An error about the text as a whole.
    fn whole(&self, code: &'static str, message: &str, help: &str) -> Diagnostic {
        Diagnostic::new(code, Severity::Error, self.file.as_str(), message).at_text(self.text, 0, 0).help(help)
    }

    fn finish(mut self) -> Result<Parsed, Vec<Diagnostic>> {
        if !self.named {
            let missing =
                self.whole("kernel-missing", "the text names no kernel", "begin the text with `.kernel \"name\"`");
            self.errors.push(missing);
        }
        if self.version.is_none() {
            let missing = self.whole(
                "version-missing",
                "the text has no version",
                "begin the \
             text with `.version 4.1`",
            );
            self.errors.push(missing);
        }
        if self.next == Next::Routine {
            let alone =
                self.whole("statement", "`.version` without a routine after it", "end the text before this line");
            self.errors.push(alone);
        }
        self.complete();
        let mut done = self.done.into_iter();
        match (self.errors.is_empty(), self.version, done.next()) {
            (true, Some(version), Some((routine, lines))) => {
                let (variables, uses) = (self.scope.file_variables, self.used);
                Ok(Parsed { version, routine, lines, more: done.collect(), variables, uses })
            }
            _ => Err(self.errors),
        }
    }
}

/// `.file` and `.loc` are other spellings of instructions. What is returned is as long as what it
/// stands for.
fn old_spelling(text: &str) -> Option<&'static str> {
    let word = if text.starts_with('.') { &text[..declare::word_len(text)] } else { "" };
    match word {
        ".file" => Some(" FILE"),
        ".loc" => Some(" LOC"),
        _ => None,
    }
}

/// `name:` at the beginning of its line, and alone on it.
fn label(text: &str) -> Option<&str> {
    let name = text.trim_end().strip_suffix(':')?;
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || "_$@?".contains(c));
    let ok = begins && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-$@?".contains(c));
    ok.then_some(name)
}
