//! Is a routine legal? The rules of the pages, applied to every field of every instruction.
//!
//! The facts (sizes, classes, types, type maps, modifiers, saturation, ranges, platforms) come from the reflection
//! tables; only how they are compared stands here.
//!
//! ```
//! use visakit::{text, verify};
//! let source = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=8 align=GRF\n\
//!               \u{20}   add (M1, 8) V32(0,0)<1> V32(0,0)<8;8,1> 0x1:ud\n    ret (M1, 1)\n";
//! let parsed = text::parse(source, Default::default()).unwrap();
//! let found = verify::routine(&parsed.routine, None);
//! assert_eq!(found[0].code, "type-map");
//! assert_eq!(found[0].instruction, 0);
//! ```

mod operand;

use crate::isa::{DataType, ExecMask, ExecSize, Instruction, Operand, Platform};
use crate::object::Routine;
use crate::rt::reflect::{Field, Page, SourceModifier};
use crate::rt::{Bits, FieldRef, Visitor};

/// A rule that an instruction breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Stable name of the rule.
    pub code: &'static str,
    /// Number of the instruction in its routine, from 0; labels count.
    pub instruction: usize,
    /// What is wrong.
    pub message: String,
    /// `page:line` of the rule.
    pub page: String,
}

/// All rules that a routine breaks. Without a platform the rules of platforms are left out.
pub fn routine(routine: &Routine, platform: Option<Platform>) -> Vec<Violation> {
    let mut out = Vec::new();
    for (number, one) in routine.instructions.iter().enumerate() {
        out.extend(instruction(one, number, routine, platform));
    }
    out
}

/// The rules that one instruction breaks.
pub fn instruction(
    instruction: &Instruction,
    number: usize,
    routine: &Routine,
    platform: Option<Platform>,
) -> Vec<Violation> {
    let page = instruction.page();
    let mut check = Check {
        page,
        fields: instruction.form().fields,
        routine,
        platform,
        number,
        types: Types::default(),
        out: Vec::new(),
    };
    check.platform_of_page();
    instruction.visit(&mut check);
    check.type_maps();
    check.out
}

/// Types of the operands, collected for the rules across them.
#[derive(Default)]
struct Types {
    dst: Option<DataType>,
    src: Vec<DataType>,
}

struct Check<'a> {
    page: &'static Page,
    fields: &'static [Field],
    routine: &'a Routine,
    platform: Option<Platform>,
    number: usize,
    types: Types,
    out: Vec<Violation>,
}

impl Check<'_> {
    fn say(&mut self, code: &'static str, line: u32, message: String) {
        self.out.push(Violation {
            code,
            instruction: self.number,
            message: format!("{}: {message}", self.page.name),
            page: format!("{}:{line}", self.page.path),
        });
    }

    fn platform_of_page(&mut self) {
        if let Some(platform) = self.platform {
            let ranges = self.page.platforms;
            if !ranges.is_empty() && !ranges.iter().any(|r| r.contains(platform)) {
                self.say("platform", self.page.line, format!("{} does not have this instruction", platform.name()));
            }
        }
    }

    fn applies(&self, range: crate::rt::reflect::Platforms) -> bool {
        self.platform.is_none_or(|p| range.contains(p))
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
                self.say(
                    "value",
                    field.line,
                    format!("{} is {}, which {platform} does not have", field.name, named.name),
                );
            }
        }
        for (part_name, allowed) in field.only {
            let Some(part) = list.parts.iter().find(|p| p.name.eq_ignore_ascii_case(part_name)) else { continue };
            let value = bits >> part.lo & ((1u64 << part.width.min(63)) - 1);
            let Some(named) = part.values.iter().find(|v| v.value == value) else { continue };
            let legal = allowed.iter().any(|(n, range)| n.eq_ignore_ascii_case(named.name) && self.applies(*range));
            if !legal {
                let names: Vec<_> = allowed.iter().map(|(n, _)| *n).collect();
                let dot = if part_name.is_empty() { "" } else { "." };
                let message =
                    format!("{}{dot}{part_name} is {}, legal are {}", field.name, named.name, names.join(", "));
                self.say("value", field.line, message);
            }
        }
        if list.name == "Exec_size" {
            self.exec_size(field, bits);
        }
    }

    /// The first channel is a multiple of their number, and the last one is no further than 32.
    fn exec_size(&mut self, field: &'static Field, bits: u64) {
        let Ok(size) = ExecSize::from_bits(bits) else { return };
        let channels = size.size.name().parse::<usize>().unwrap_or(1);
        let first = ExecMask::ALL.iter().position(|m| *m == size.mask).unwrap_or(0) % 8 * 4;
        if first % channels != 0 || first + channels > 32 {
            let message = format!("{channels} channels cannot begin at channel {first} ({})", size.mask.name());
            self.say("mask", field.line, message);
        }
    }

    fn type_maps(&mut self) {
        let (Some(dst), false) = (self.types.dst, self.page.type_maps.is_empty()) else { return };
        let src = std::mem::take(&mut self.types.src);
        let legal = self.page.type_maps.iter().any(|map| {
            self.applies(map.platforms)
                && map.dst.contains(&dst)
                && src.iter().all(|s| map.src.contains(&unpacked(*s)) || map.src.contains(s))
        });
        if !legal {
            let names: Vec<_> = src.iter().map(|t| t.name()).collect();
            let message = format!("no type map has destination {} with sources {}", dst.name(), names.join(", "));
            self.say("type-map", self.page.line, message);
        }
    }
}

/// What a packed immediate counts as.
fn unpacked(ty: DataType) -> DataType {
    match ty {
        DataType::V => DataType::W,
        DataType::Uv => DataType::Uw,
        DataType::Vf => DataType::F,
        other => other,
    }
}

impl Visitor for Check<'_> {
    fn field(&mut self, position: usize, value: FieldRef<'_>) {
        let Some(field) = self.fields.get(position) else { return };
        match value {
            FieldRef::Number(number) => {
                if let Some((low, high)) = field.range
                    && !(low..=high).contains(&number)
                {
                    let message = format!("{} is {number}, legal are {low} to {high}", field.name);
                    self.say("range", field.line, message);
                }
                if field.nonzero && number == 0 {
                    self.say("zero", field.line, format!("{} must not be zero", field.name));
                }
            }
            FieldRef::Bits(bits) => self.bits(field, bits),
            FieldRef::Vector(operand) => {
                let is_dst = field.name.eq_ignore_ascii_case("dst");
                self.vector(field, operand, is_dst);
                let ty = operand::data_type(&operand.operand, self.routine);
                match (is_dst, ty) {
                    (true, Some(ty)) => self.types.dst = Some(ty),
                    (false, Some(ty)) if field.types.is_empty() => self.types.src.push(ty),
                    _ => {}
                }
            }
            FieldRef::Raw(operand) => self.raw(field, operand),
            FieldRef::Index(_) | FieldRef::Predicate(_) => {}
        }
    }
}

/// Which modifiers a page allows for a source.
fn allows(modifier: SourceModifier, spelled: &str) -> bool {
    match modifier {
        SourceModifier::None => spelled == "none",
        SourceModifier::Arithmetic => matches!(spelled, "none" | "abs" | "negate" | "negate_abs"),
        SourceModifier::Logic => matches!(spelled, "none" | "not"),
    }
}

/// The class of an operand as the pages call it.
fn class(operand: &Operand) -> &'static str {
    operand.class().name()
}
