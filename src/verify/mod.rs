//! Verifier of routines: applies the rules of the pages to every field of every instruction, and
//! the rules across operands and declarations that no single page has.
//!
//! The facts (sizes, classes, types, type maps, modifiers, saturation, ranges, platforms) come from
//! the reflection tables; this module only compares them. A violation of a check is an error,
//! unless a row of verification.md states that the vendor's assembler accepts it.
//!
//! ```
//! use visakit::{text, verify};
//! let source = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=8 align=GRF\n\
//!               \u{20}   add (M1, 8) V32(0,0)<1> V32(0,0)<8;8,1> 0x1:ud\n    ret (M1, 1)\n";
//! let parsed = text::parse(source, Default::default()).unwrap();
//! let found = verify::routine(&parsed.routine, None);
//! assert_eq!(found[0].code, "type-map");
//! assert_eq!(found[0].place, verify::Location::Instruction(0));
//! ```

mod aliases;
mod conditions;
mod declare;
mod divergence;
mod doubt;
mod flow;
mod graph;
mod located;
mod operand;
mod region;
mod slots;
mod types;
mod unwritten;

pub use doubt::doubts;
pub use located::{Source, findings};
pub use visakit_diag::Severity;

use crate::isa::{ExecSize, Instruction, PageCheck, Platform, Predicate, RawOperand, VecOperand, limits};
use crate::limits::FINDINGS;
use crate::object::Routine;
use crate::rt::reflect::{Field, FieldKind, Form, Page, Verdict};
use crate::rt::{Bits, FieldRef, Role, Visitor};

/// Violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Stable code of the rule.
    pub code: &'static str,
    /// Error if the vendor's assembler rejects it too, warning if only the documents do.
    pub severity: Severity,
    /// Place of the violation.
    pub place: Location,
    /// Description of the violation.
    pub message: String,
    /// Page of the rule, with a line or a heading.
    pub page: String,
}

impl Violation {
    /// Returns a warning about legal but suspicious code.
    fn doubt(code: &'static str, number: usize, message: String, page: &str) -> Self {
        let place = Location::Instruction(number);
        Self { code, severity: Severity::Warning, place, message, page: page.to_owned() }
    }
}

/// Place of a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// The instruction with this number, from 0; labels count.
    Instruction(usize),
    /// The declaration of the variable with this name.
    Declaration(String),
    /// The input whose variable has this name.
    Input(String),
    /// The routine as a whole.
    Routine,
}

/// Returns all violations in a routine, at most about [`FINDINGS`]. Without a platform, rules that
/// depend on the platform do not apply.
pub fn routine(routine: &Routine, platform: Option<Platform>) -> Vec<Violation> {
    let mut out = declare::check(routine, platform);
    out.extend(flow::check(routine));
    let variables = region::Variables::new(routine, platform);
    let mut seen = Vec::new();
    for (number, one) in routine.instructions.iter().enumerate() {
        if out.len() >= FINDINGS {
            break;
        }
        check(one, number, routine, &variables, platform, &mut seen, &mut out);
    }
    if out.len() >= FINDINGS {
        out.truncate(FINDINGS);
        out.push(Violation {
            code: "limit",
            severity: Severity::Error,
            place: Location::Routine,
            message: format!("the routine has {FINDINGS} or more findings; the rest is not checked"),
            page: "verification.md".to_owned(),
        });
    }
    out
}

/// Returns the violations in one instruction.
pub fn instruction(
    instruction: &Instruction,
    number: usize,
    routine: &Routine,
    platform: Option<Platform>,
) -> Vec<Violation> {
    let mut out = Vec::new();
    let variables = region::Variables::new(routine, platform);
    check(instruction, number, routine, &variables, platform, &mut Vec::new(), &mut out);
    out
}

/// Appends the violations in one instruction. `seen` gets its fields.
fn check<'a>(
    instruction: &'a Instruction,
    number: usize,
    routine: &Routine,
    variables: &region::Variables,
    platform: Option<Platform>,
    seen: &mut Vec<(&'static Field, Seen<'a>)>,
    out: &mut Vec<Violation>,
) {
    let form = instruction.form();
    seen.clear();
    instruction.visit(&mut Fields { fields: form.fields, seen });
    let exec_size = seen.iter().find_map(|(field, value)| match value {
        Seen::Bits(bits) if field.is_exec_size() => ExecSize::from_bits(*bits).ok(),
        _ => None,
    });
    let page = instruction.page();
    let destination = destination(seen);
    let verifier = Verifier { page, form, seen, destination, routine, variables, platform, exec_size };
    let mut report = Report { verifier: &verifier, it: None, number, out };
    report.platform_of_page();
    for (at, (field, value)) in seen.iter().enumerate() {
        report.it = Some(at);
        report.field(field, *value);
    }
    report.it = None;
    report.type_maps();
    report.conditions();
}

/// Returns the position of the destination: the first operand with a region that the instruction
/// writes.
fn destination(seen: &[(&'static Field, Seen<'_>)]) -> Option<usize> {
    let has_region = |f: &Field| matches!(f.shape, FieldKind::Vector | FieldKind::Scalar);
    seen.iter().position(|(f, _)| has_region(f) && f.role.is_some_and(Role::is_write))
}

/// Value of a visited field.
#[derive(Clone, Copy)]
enum Seen<'a> {
    Number(i64),
    Bits(u64),
    Index(u32),
    Predicate(Predicate),
    Vector(&'a VecOperand),
    Raw(&'a RawOperand),
}

/// Visitor that collects the fields of an instruction.
struct Fields<'v, 'a> {
    fields: &'static [Field],
    seen: &'v mut Vec<(&'static Field, Seen<'a>)>,
}

impl<'a> Visitor<'a> for Fields<'_, 'a> {
    fn field(&mut self, position: usize, value: FieldRef<'a>) {
        let Some(field) = self.fields.get(position) else { return };
        let value = match value {
            FieldRef::Number(number) => Seen::Number(number),
            FieldRef::Bits(bits) => Seen::Bits(bits),
            FieldRef::Index(_, index) if field.table.is_none() => Seen::Number(i64::from(index)),
            FieldRef::Index(_, index) => Seen::Index(index),
            FieldRef::Predicate(predicate) => Seen::Predicate(predicate),
            FieldRef::Vector(operand) => Seen::Vector(operand),
            FieldRef::Raw(operand) => Seen::Raw(operand),
        };
        self.seen.push((field, value));
    }
}

/// Facts of an instruction in its routine.
struct Verifier<'a> {
    page: &'static Page,
    form: &'static Form,
    /// Fields of the instruction, in storage order.
    seen: &'a [(&'static Field, Seen<'a>)],
    /// Position of the destination among them.
    destination: Option<usize>,
    routine: &'a Routine,
    variables: &'a region::Variables,
    platform: Option<Platform>,
    exec_size: Option<ExecSize>,
}

impl Verifier<'_> {
    fn applies(&self, range: crate::rt::reflect::Platforms) -> bool {
        self.platform.is_none_or(|p| range.contains(p))
    }

    /// Returns the number of channels, 1 for an instruction without an execution size.
    fn channels(&self) -> usize {
        self.exec_size.map_or(1, |e| e.size.channels() as usize)
    }

    fn no_mask(&self) -> bool {
        self.exec_size.is_some_and(|e| e.mask.no_mask())
    }

    /// Returns true if the instruction has a predicate.
    fn is_guarded(&self) -> bool {
        self.seen.iter().any(|(_, value)| matches!(value, Seen::Predicate(p) if p.id != 0))
    }
}

/// Checks of an instruction, with their findings.
struct Report<'a> {
    verifier: &'a Verifier<'a>,
    /// Position of the checked field among those of the instruction.
    it: Option<usize>,
    number: usize,
    out: &'a mut Vec<Violation>,
}

impl<'a> std::ops::Deref for Report<'a> {
    type Target = Verifier<'a>;

    fn deref(&self) -> &Verifier<'a> {
        self.verifier
    }
}

impl Report<'_> {
    /// Reports a violation of a check, unless the vendor's assembler accepts it.
    fn violated(&mut self, check: PageCheck, line: u32, message: String) {
        let severity = match self.verifier.accepted(check, self.it) {
            Some(Verdict::Nothing) => return,
            Some(Verdict::Warning) => Severity::Warning,
            None => Severity::Error,
        };
        self.push(check.finding(), severity, format!("{}:{line}", self.page.path), &message);
    }

    fn push(&mut self, code: &'static str, severity: Severity, page: String, message: &str) {
        let message = format!("{}: {message}", self.page.name);
        self.out.push(Violation { code, severity, place: Location::Instruction(self.number), message, page });
    }

    fn platform_of_page(&mut self) {
        if let Some(platform) = self.platform {
            let ranges = self.page.platforms;
            if !ranges.is_empty() && !ranges.iter().any(|r| r.contains(platform)) {
                let message = format!("{} does not have this instruction", platform.name());
                self.violated(PageCheck::Platform, self.page.line, message);
            }
        }
    }

    fn field(&mut self, field: &'static Field, value: Seen<'_>) {
        match value {
            Seen::Number(number) => {
                if let Some((low, high)) = field.range
                    && !(low..=high).contains(&number)
                {
                    let message = format!("{} is {number}, but must be {low} to {high}", field.name);
                    self.violated(PageCheck::Range, field.line, message);
                }
                self.nonzero(field, number == 0);
            }
            Seen::Bits(bits) => self.bits(field, bits),
            Seen::Index(_) => {}
            Seen::Predicate(predicate) => {
                if usize::from(predicate.id) > self.routine.predicates.len() {
                    let message = format!("predicate {} is not declared", predicate.id);
                    self.violated(PageCheck::DeclaredPredicate, field.line, message);
                }
            }
            Seen::Vector(operand) => self.vector(field, operand),
            Seen::Raw(operand) => self.raw(field, operand),
        }
    }

    fn nonzero(&mut self, field: &'static Field, is_zero: bool) {
        if field.nonzero && is_zero {
            self.violated(PageCheck::Nonzero, field.line, format!("{} must not be zero", field.name));
        }
    }

    fn bits(&mut self, field: &'static Field, bits: u64) {
        self.nonzero(field, bits == 0);
        let Some(list) = field.list else { return };
        for part in list.parts {
            let value = bits >> part.lo & ((1u64 << part.width.min(63)) - 1);
            if let Some(named) = part.values.iter().find(|v| v.value == value && !self.applies(v.platforms)) {
                let platform = self.platform.map_or("the platform", Platform::name);
                let message = format!("{} is {}, which {platform} does not have", field.name, named.name);
                self.violated(PageCheck::ListedValue, field.line, message);
            }
        }
        for (part_name, allowed) in field.only {
            let Some(part) = list.parts.iter().find(|p| p.name.eq_ignore_ascii_case(part_name)) else { continue };
            let value = bits >> part.lo & ((1u64 << part.width.min(63)) - 1);
            let Some(named) = part.values.iter().find(|v| v.value == value) else { continue };
            let legal = allowed.iter().any(|(n, range)| n.eq_ignore_ascii_case(named.name) && self.applies(*range));
            if !legal {
                let here = allowed.iter().filter(|(_, range)| self.applies(*range));
                let names: Vec<_> = here.map(|(n, _)| *n).collect();
                let dot = if part_name.is_empty() { "" } else { "." };
                let (name, legal) = (named.name, names.join(", "));
                let message = format!("{}{dot}{part_name} is {name}; legal values are {legal}", field.name);
                self.violated(PageCheck::PageValue, field.line, message);
            }
        }
        if field.is_exec_size() {
            self.exec_size(field, bits);
        }
    }

    /// Checks that the first channel is a multiple of the number of channels, and that the last
    /// channel exists.
    fn exec_size(&mut self, field: &'static Field, bits: u64) {
        let Ok(size) = ExecSize::from_bits(bits) else { return };
        let channels = self.channels();
        let first = size.mask.first_channel() as usize;
        let too_far = first + channels > limits::CHANNELS as usize;
        if !first.is_multiple_of(channels) || too_far {
            let message = format!("{channels} channels cannot begin at channel {first} ({})", size.mask.name());
            let check = if too_far { PageCheck::LastChannel } else { PageCheck::FirstChannel };
            self.violated(check, field.line, message);
        }
    }
}
