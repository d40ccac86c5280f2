//! Reading a text: statement by statement, going on behind errors so that one run shows them all.

use visakit_codegen::diag::{Diagnostic, Severity};

use super::declare::{self, Scope};
use super::source::{Statement, statements};
use crate::isa::{ExecMask, Instruction, Label, LabelId, LabelKind, Operand, Platform, Subroutine, candidates};
use crate::object::{Function, Kernel, Object, Routine, RoutineKind};
use crate::rt::{Candidate, Cursor, Names, Table, TextError, Version};

/// What a text does not say itself.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the file for diagnostics.
    pub file: String,
    /// The platform; it decides the register size that addresses of variables are counted in.
    pub platform: Option<Platform>,
}

/// A routine that was read, with what the object does not keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Version of the text.
    pub version: Version,
    /// The routine.
    pub routine: Routine,
    /// The line of each instruction, from 1.
    pub lines: Vec<u32>,
}

impl Parsed {
    /// An object with this routine alone.
    pub fn into_object(self) -> Object {
        let name = self.routine.strings.get(self.routine.name.0 as usize).cloned().unwrap_or_default();
        let mut object = Object {
            version: self.version,
            kernels: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            order: Vec::new(),
            padding: Vec::new(),
        };
        match self.routine.kind {
            RoutineKind::Kernel => object.kernels.push(Kernel {
                name,
                routine: self.routine,
                variable_relocations: Vec::new(),
                function_relocations: Vec::new(),
                binaries: Vec::new(),
            }),
            RoutineKind::Function { .. } => object.functions.push(Function {
                name,
                linkage: Default::default(),
                routine: self.routine,
                variable_relocations: Vec::new(),
                function_relocations: Vec::new(),
            }),
        }
        object
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
    let register_bytes = options.platform.map_or(32, Platform::register_bytes);
    let mut reader = Reader {
        text,
        file: options.file,
        scope: Scope::new(register_bytes),
        version: None,
        named: false,
        subroutine: None,
        lines: Vec::new(),
        errors: Vec::new(),
    };
    for statement in statements(text) {
        reader.statement(&statement);
    }
    reader.finish()
}

struct Reader<'a> {
    text: &'a str,
    file: String,
    scope: Scope,
    version: Option<Version>,
    named: bool,
    /// The name behind the last `.function`, until its label comes.
    subroutine: Option<String>,
    lines: Vec<u32>,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn statement(&mut self, statement: &Statement) {
        self.statement_from(statement, 0);
    }

    fn statement_from(&mut self, statement: &Statement, from: usize) {
        let text = statement.text.as_str();
        let lead = text.len() - text[from..].trim_start().len();
        let rest = &text[lead..];
        if rest.is_empty() {
            return;
        }
        if let Some(behind) = rest.strip_prefix(".kernel_attr").filter(|r| r.starts_with([' ', '\t'])) {
            match declare::kernel_attribute(&mut self.scope, text, text.len() - behind.len()) {
                Ok(end) => self.statement_from(statement, end),
                Err(error) => self.report(statement, "directive", &error),
            }
            return;
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
        } else if rest.starts_with('.') {
            self.directive(text, lead)
        } else if let Some(name) = label(rest) {
            self.label(name, statement.line);
            Ok(())
        } else {
            self.instruction(text, lead, statement.line)
        };
        if let Err(error) = result {
            let code = if rest.starts_with('.') { "directive" } else { "statement" };
            self.report(statement, code, &error);
        }
    }

    fn report(&mut self, statement: &Statement, code: &'static str, error: &TextError) {
        let at = statement.start + error.at.min(statement.text.len());
        let width = statement.text[error.at.min(statement.text.len())..]
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(1)
            .max(1);
        let diagnostic =
            Diagnostic::new(code, Severity::Error, self.file.as_str(), format!("expected {}", error.expected))
                .at_text(self.text, at, at + width);
        self.errors.push(diagnostic);
    }

    fn directive(&mut self, text: &str, lead: usize) -> Result<(), TextError> {
        let rest = &text[lead..];
        let len = rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len());
        let (word, at) = (&rest[..len], lead + len);
        match word {
            ".version" => {
                let mut c = Cursor::new(text, at, &mut self.scope);
                let major = c.number("major version", crate::rt::Format::Plain)?;
                c.expect(".")?;
                let minor = c.number("minor version", crate::rt::Format::Plain)?;
                self.scope.version = Version::new(major, minor);
                self.version = Some(self.scope.version);
                Ok(())
            }
            ".kernel" | ".global_function" => {
                let name = self.name(text, at)?;
                if self.named {
                    return Err(TextError { at: lead, expected: "one kernel or function in a text".to_owned() });
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
            ".funcdecl" => self.name(text, at).map(drop),
            ".function" => {
                let name = self.name(text, at)?;
                self.scope.label(&name, LabelKind::Subroutine);
                self.subroutine = Some(name);
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
        if c.rest().starts_with('"') {
            return c.quoted();
        }
        let name = c.rest().trim();
        if name.is_empty() { Err(c.error("a name")) } else { Ok(name.to_owned()) }
    }

    fn label(&mut self, name: &str, line: u32) {
        let declared = self.subroutine.take().is_some_and(|s| s == name);
        let kind = if declared { LabelKind::Subroutine } else { LabelKind::Block };
        let id = self.scope.label(name, kind);
        let label = LabelId(id);
        if let Some(defined) = self.scope.defined.get_mut(id as usize) {
            *defined = true;
        }
        let info = self.scope.routine.labels.get(id as usize);
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
        self.scope.routine.instructions.push(instruction);
        self.lines.push(line);
    }

    fn instruction(&mut self, text: &str, lead: usize, line: u32) -> Result<(), TextError> {
        let mut c = Cursor::new(text, lead, &mut self.scope);
        let predicate = c.predicate()?;
        let start = c.save();
        let Some(word) = c.word() else { return Err(c.error("an instruction, a label or a directive")) };
        let mut found = candidates(word);
        let link = word == "fccall";
        if link {
            // The same instruction as a call, with a label of another kind.
            found = candidates("call");
        }
        if found.is_empty() {
            return Err(unknown(word, start));
        }
        let mut best: Option<TextError> = None;
        for candidate in found {
            c.restore(start);
            match one(&mut c, candidate, predicate, link) {
                Ok(mut instruction) => {
                    self.label_kind(&instruction, link);
                    predicate_source(&mut instruction);
                    self.push(instruction, line);
                    return Ok(());
                }
                Err(error) => {
                    if best.as_ref().is_none_or(|b| error.at > b.at) {
                        best = Some(error);
                    }
                }
            }
        }
        Err(best.unwrap_or_else(|| unknown(word, start)))
    }

    /// A label that is called before it stands in the text is a subroutine.
    fn label_kind(&mut self, instruction: &Instruction, link: bool) {
        let Instruction::Call(call) = instruction else { return };
        let defined = self.scope.defined.get(call.label.0 as usize).copied().unwrap_or(true);
        if let (Some(info), false) = (self.scope.routine.labels.get_mut(call.label.0 as usize), defined) {
            info.kind = if link { LabelKind::Fccall } else { LabelKind::Subroutine };
        }
    }

    fn finish(mut self) -> Result<Parsed, Vec<Diagnostic>> {
        let whole = |code, message: &str, help: &str| {
            Diagnostic::new(code, Severity::Error, self.file.as_str(), message).at_text(self.text, 0, 0).help(help)
        };
        let mut missing = Vec::new();
        if !self.named {
            missing.push(whole("kernel-missing", "the text names no kernel", "begin it with `.kernel \"name\"`"));
        }
        if self.version.is_none() {
            missing.push(whole("version-missing", "the text has no version", "begin it with `.version 4.1`"));
        }
        let undefined = (0..self.scope.routine.labels.len())
            .filter(|&i| !self.scope.defined[i] && self.scope.routine.labels[i].kind != LabelKind::Fccall)
            .filter_map(|i| self.scope.name(Table::Label, u32::try_from(i).ok()?));
        for name in undefined {
            let at = self.text.find(&name).unwrap_or(0);
            missing.push(
                Diagnostic::new(
                    "label-missing",
                    Severity::Error,
                    self.file.as_str(),
                    format!("label `{name}` stands nowhere"),
                )
                .at_text(self.text, at, at + name.len())
                .help(format!("add a line `{name}:` where the branch should go")),
            );
        }
        self.errors.extend(missing);
        match (self.errors.is_empty(), self.version) {
            (true, Some(version)) => Ok(Parsed { version, routine: self.scope.routine, lines: self.lines }),
            _ => Err(self.errors),
        }
    }
}

/// A move from a predicate obeys no execution mask, whatever the text says: the vendor's assembler writes it so, see
/// instructions/MOV.md.
fn predicate_source(instruction: &mut Instruction) {
    let Instruction::Mov(mov) = instruction else { return };
    if matches!(mov.src0.operand, Operand::Predicate(_)) {
        let mask = format!("{}_NM", mov.exec_size.mask.name());
        if let Some(no_mask) = ExecMask::ALL.iter().find(|m| m.name() == mask) {
            mov.exec_size.mask = *no_mask;
        }
    }
}

/// Reads a statement by one template, to its end.
fn one(
    c: &mut Cursor<'_>,
    candidate: &Candidate,
    predicate: crate::isa::Predicate,
    link: bool,
) -> Result<Instruction, TextError> {
    if !candidate.takes_predicate && predicate != crate::isa::Predicate::default() {
        return Err(c.error(format!("no predicate: {} takes none", candidate.page.name)));
    }
    if link {
        // The template spells `call`; the text has two letters more.
        c.restore(c.save() + "fc".len());
    }
    let instruction = (candidate.parse)(c, predicate)?;
    c.skip_blanks();
    if !c.at_end() {
        return Err(c.error("the end of the statement"));
    }
    Ok(instruction)
}

fn unknown(word: &str, at: usize) -> TextError {
    let near = crate::isa::MNEMONICS.iter().min_by_key(|m| distance(m, word)).filter(|m| distance(m, word) <= 2);
    let hint = near.map_or(String::new(), |m| format!(" (is `{m}` meant?)"));
    TextError { at, expected: format!("an instruction: no page has the mnemonic `{word}`{hint}") }
}

/// How many letters two words differ in.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = if x == *y { diagonal } else { 1 + diagonal.min(row[j]).min(row[j + 1]) };
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

/// `name:` alone on its line.
fn label(text: &str) -> Option<&str> {
    let name = text.trim_end().strip_suffix(':')?.trim_end();
    let ok = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "()<>[],\"".contains(c));
    ok.then_some(name)
}
