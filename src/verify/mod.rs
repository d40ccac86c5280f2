//! Verifier of routines: applies the rules of the pages to every field of every instruction, and
//! the rules across operands and declarations that no single page has.
//!
//! The facts (sizes, classes, types, type maps, modifiers, saturation, ranges, platforms) come from
//! the reflection tables; this module only compares them. A violation is an error if the vendor's
//! assembler rejects it, and a warning if only the documents forbid it.
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

mod across;
mod aliases;
mod declare;
mod divergence;
mod doubt;
mod flow;
mod graph;
mod located;
mod operand;
mod region;
mod types;

pub use doubt::doubts;
pub use located::{Source, findings};
pub use visakit_diag::Severity;

use crate::isa::{ExecSize, Instruction, Platform, Predicate, RawOperand, Rule, VecOperand, limits};
use crate::limits::FINDINGS;
use crate::object::Routine;
use crate::rt::reflect::{Field, Page};
use crate::rt::{Bits, FieldRef, Visitor};

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
    for (number, one) in routine.instructions.iter().enumerate() {
        if out.len() >= FINDINGS {
            break;
        }
        check(one, number, routine, &variables, platform, &mut out);
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
    check(instruction, number, routine, &region::Variables::new(routine, platform), platform, &mut out);
    out
}

fn check(
    instruction: &Instruction,
    number: usize,
    routine: &Routine,
    variables: &region::Variables,
    platform: Option<Platform>,
    out: &mut Vec<Violation>,
) {
    let fields = instruction.form().fields;
    let mut look = Fields { fields, seen: Vec::new() };
    instruction.visit(&mut look);
    let seen = look.seen;
    let exec_size = seen.iter().find_map(|(field, value)| match value {
        Seen::Bits(bits) if field.is_exec_size() => ExecSize::from_bits(*bits).ok(),
        _ => None,
    });
    let page = instruction.page();
    let family = types::family(page);
    let mut check = Check { page, fields, family, routine, variables, platform, number, exec_size, out };
    check.platform_of_page();
    for (field, value) in &seen {
        check.field(field, value);
    }
    check.types(&seen);
    check.across(instruction.form(), &seen);
}

/// Value of a visited field.
#[derive(Clone)]
enum Seen {
    Number(i64),
    Bits(u64),
    Index(u32),
    Predicate(Predicate),
    Vector(VecOperand),
    Raw(RawOperand),
}

/// Visitor that collects the fields of an instruction.
struct Fields {
    fields: &'static [Field],
    seen: Vec<(&'static Field, Seen)>,
}

impl Visitor<'_> for Fields {
    fn field(&mut self, position: usize, value: FieldRef<'_>) {
        let Some(field) = self.fields.get(position) else { return };
        let value = match value {
            FieldRef::Number(number) => Seen::Number(number),
            FieldRef::Bits(bits) => Seen::Bits(bits),
            FieldRef::Index(_, index) if field.table.is_none() => Seen::Number(i64::from(index)),
            FieldRef::Index(_, index) => Seen::Index(index),
            FieldRef::Predicate(predicate) => Seen::Predicate(predicate),
            FieldRef::Vector(operand) => Seen::Vector(operand.clone()),
            FieldRef::Raw(operand) => Seen::Raw(operand.clone()),
        };
        self.seen.push((field, value));
    }
}

struct Check<'a> {
    page: &'static Page,
    fields: &'static [Field],
    family: types::Family,
    routine: &'a Routine,
    variables: &'a region::Variables,
    platform: Option<Platform>,
    number: usize,
    exec_size: Option<ExecSize>,
    out: &'a mut Vec<Violation>,
}

impl Check<'_> {
    fn push(&mut self, code: &'static str, severity: Severity, line: u32, message: String) {
        self.push_at(code, severity, format!("{}:{line}", self.page.path), message);
    }

    fn push_at(&mut self, code: &'static str, severity: Severity, page: String, message: String) {
        self.out.push(Violation {
            code,
            severity,
            place: Location::Instruction(self.number),
            message: format!("{}: {message}", self.page.name),
            page,
        });
    }

    /// Reports an error, for a rule that the vendor's assembler enforces.
    fn say(&mut self, code: &'static str, line: u32, message: String) {
        self.push(code, Severity::Error, line, message);
    }

    /// Reports a warning, for a rule of the documents alone.
    fn warn(&mut self, code: &'static str, line: u32, message: String) {
        self.push(code, Severity::Warning, line, message);
    }

    /// Returns true if a row of verification.md applies to the instruction on this platform.
    fn has(&self, rule: Rule) -> bool {
        let on = |p: Platform| rule.platforms().iter().any(|range| range.contains(p));
        self.page.rules.contains(&rule) && (rule.platforms().is_empty() || self.platform.is_some_and(on))
    }

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

    fn platform_of_page(&mut self) {
        if let Some(platform) = self.platform {
            let ranges = self.page.platforms;
            if !ranges.is_empty() && !ranges.iter().any(|r| r.contains(platform)) {
                let message = format!("{} does not have this instruction", platform.name());
                match self.is_refused(platform) {
                    true => self.say("platform", self.page.line, message),
                    false => self.warn("platform", self.page.line, message),
                }
            }
        }
    }

    /// Returns true if the vendor's assembler rejects an instruction that the platform lacks. It
    /// checks the first platform of the instruction; it checks the last one only under
    /// `LatePlatform`.
    fn is_refused(&self, platform: Platform) -> bool {
        let since = self.page.platforms.iter().map(|r| r.from.map(Platform::age)).min().flatten();
        let until = self.page.platforms.iter().filter_map(|r| r.before.map(Platform::age)).max();
        if self.has(Rule::AnyPlatform) {
            return false;
        }
        if self.has(Rule::LatePlatform) {
            return until.is_some_and(|end| platform.age() > end);
        }
        self.has(Rule::LastPlatform) || since.is_some_and(|first| platform.age() < first)
    }

    fn field(&mut self, field: &'static Field, value: &Seen) {
        match value {
            Seen::Number(number) => {
                if let Some((low, high)) = field.range
                    && !(low..=high).contains(number)
                {
                    let message = format!("{} is {number}, but must be {low} to {high}", field.name);
                    self.say("range", field.line, message);
                }
                if field.nonzero && *number == 0 {
                    self.say("zero", field.line, format!("{} must not be zero", field.name));
                }
            }
            Seen::Bits(bits) => self.bits(field, *bits),
            Seen::Index(_) => {}
            Seen::Predicate(predicate) => {
                if usize::from(predicate.id) > self.routine.predicates.len() {
                    let message = format!("predicate {} is not declared", predicate.id);
                    self.say("predicate", field.line, message);
                }
            }
            Seen::Vector(operand) => self.vector(field, operand),
            Seen::Raw(operand) => self.raw(field, operand),
        }
    }

    fn bits(&mut self, field: &'static Field, bits: u64) {
        if field.nonzero && bits == 0 {
            self.say("zero", field.line, format!("{} must not be zero", field.name));
        }
        let Some(list) = field.list else { return };
        for part in list.parts {
            let value = bits >> part.lo & ((1u64 << part.width.min(63)) - 1);
            if let Some(named) = part.values.iter().find(|v| v.value == value && !self.applies(v.platforms)) {
                let platform = self.platform.map_or("the platform", Platform::name);
                let severity = if self.has(Rule::AnyValue) { Severity::Warning } else { Severity::Error };
                let message = format!("{} is {}, which {platform} does not have", field.name, named.name);
                self.push("value", severity, field.line, message);
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
                let message = format!(
                    "{}{dot}{part_name} is {}; legal values are {}",
                    field.name,
                    named.name,
                    names.join(", ")
                );
                let severity = if self.has(Rule::StrictValue) { Severity::Error } else { Severity::Warning };
                self.push("value", severity, field.line, message);
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
            // For messages to flat memory the vendor's assembler checks other bits.
            match too_far && !self.has(Rule::FreeMask) {
                true => self.say("mask", field.line, message),
                false => self.warn("mask", field.line, message),
            }
        }
    }
}
