//! Exhaustive comparison for operands of few bits.
//!
//! A random instruction is simplified: contiguous operands, no predicate, no mask. Its operands
//! then get each combination of types that the rules accept. If the sources have few bits together,
//! all their values are tried.

use std::collections::BTreeSet;

use visakit::builder::{RoutineBuilder, Variable};
use visakit::isa::{
    Alignment, DataType, ExecMask, ExecSize, ExecSizeSize, GenOpnd, GeneralId, Instruction, Modifier, Operand,
    Platform, Predicate, PredicateId, Region, Stride, VecOperand,
};
use visakit::object::Routine;
use visakit::rt::FieldMut;
use visakit::rt::reflect;
use visakit::verify;
use visakit_codegen::model::Model;

use super::case::{Compared, Subject};
use super::pool::{Pool, Random};
use super::{Effort, Found, drawn, shrink};

/// Number of channels per run.
const CHANNELS: usize = 16;

/// Maximum number of vector operands of a simplified instruction.
const OPERANDS: usize = 4;

/// Number of routines whose instructions are simplified.
const TEMPLATES: u32 = 24;

/// Compares the domains of a page's instructions, within the limits of `effort`.
pub(super) fn all(model: &Model, page: &'static reflect::Page, effort: &Effort, pool: &Pool, found: &mut Found) {
    let Some(rows) = Rows::new() else { return };
    let (mut kinds, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut random = Random(u64::from(page.opcode));
    // Simplification removes most differences between random routines, so a few are enough.
    for n in effort.first..effort.first + effort.routines.min(TEMPLATES) {
        let Some((platform, routine)) = drawn(page, n, effort.instructions) else { continue };
        let Ok(mut subject) = Subject::new(model, &rows.routine, platform, effort.wrong, pool) else { continue };
        for template in routine.instructions.iter().filter(|i| std::ptr::eq(i.page(), page)) {
            let Some((plain, written)) = rows.plain(template) else { return };
            if !kinds.insert((platform.name(), plain.to_string())) {
                continue;
            }
            let mut forms = rows.forms(&plain, &written, effort.domain, platform);
            // Shuffle, so that each template tries other legal forms.
            for at in (1..forms.len()).rev() {
                forms.swap(at, random.below(at + 1));
            }
            for form in forms {
                if seen.len() >= effort.types {
                    return;
                }
                if seen.insert(form.instruction.to_string()) && !whole(&mut subject, &form, found) {
                    return;
                }
            }
        }
    }
}

/// Instruction whose operands are contiguous and have fixed types.
struct Form {
    instruction: Instruction,
    /// Variables of the sources.
    sources: Vec<(GeneralId, DataType)>,
}

/// Variables of all types, for contiguous operands.
struct Rows {
    routine: Routine,
    types: Vec<DataType>,
    /// Variables by operand and type.
    variables: Vec<Vec<GeneralId>>,
    predicates: [PredicateId; 2],
}

impl Rows {
    fn new() -> Option<Self> {
        let types: Vec<DataType> =
            DataType::ALL.iter().copied().filter(|t| t.variable() && *t != DataType::Bool).collect();
        let mut builder = RoutineBuilder::kernel("k");
        let mut row = |ty| builder.variable(Variable::new("", ty, 32).align(Alignment::Grf));
        let variables = (0..=OPERANDS).map(|_| types.iter().map(|t| row(*t)).collect()).collect();
        let predicates = [builder.predicate("", 32), builder.predicate("", 32)];
        Some(Self { routine: builder.finish().ok()?, types, variables, predicates })
    }

    /// Returns the instruction without predicate and mask, with a contiguous operand of the first
    /// type for each vector operand, and the flags of written operands. Returns `None` if it has
    /// other kinds of operands.
    fn plain(&self, template: &Instruction) -> Option<(Instruction, Vec<bool>)> {
        let mut plain = template.clone();
        let (mut vectors, mut others) = (0, false);
        let written: Vec<bool> = template
            .operands()
            .filter(|o| matches!(o.value, visakit::rt::FieldRef::Vector(_)))
            .map(|o| o.role.is_write())
            .collect();
        shrink::change(&mut plain, &mut |field| match field {
            FieldMut::Predicate(predicate) => *predicate = Predicate::default(),
            FieldMut::Value(value) => {
                if let Some(size) = value.downcast_mut::<ExecSize>() {
                    *size = ExecSize { size: ExecSizeSize::N16, mask: ExecMask::M1Nm };
                }
            }
            FieldMut::Vector(operand) => {
                match &mut operand.operand {
                    Operand::Address(_) | Operand::State(_) => others = true,
                    Operand::Predicate(predicate) => predicate.value = self.predicates[1].enable(),
                    _ if vectors <= OPERANDS => *operand = row(self.variables[vectors][0], false, false),
                    _ => others = true,
                }
                vectors += 1;
            }
            FieldMut::Raw(_) | FieldMut::Index(..) => others = true,
        });
        (!others && written.len() == vectors).then_some((plain, written))
    }

    /// Returns the legal forms of an instruction whose sources have at most `domain` values
    /// together.
    fn forms(&self, plain: &Instruction, written: &[bool], domain: u64, platform: Platform) -> Vec<Form> {
        let mut out = Vec::new();
        for (dst, src, other) in self.combinations() {
            for saturated in [false, true] {
                let mut one = plain.clone();
                let (mut nth, mut sources) = (0, Vec::new());
                shrink::change(&mut one, &mut |field| {
                    let FieldMut::Vector(operand) = field else { return };
                    let written = written[nth];
                    let at = match (written, sources.len()) {
                        (true, _) => dst,
                        (false, 1) => other,
                        (false, _) => src,
                    };
                    if !matches!(operand.operand, Operand::Predicate(_)) {
                        let id = self.variables[nth][at];
                        *operand = row(id, written, written && saturated);
                        if !written {
                            sources.push((id, self.types[at]));
                        }
                    }
                    nth += 1;
                });
                let bits: u32 = sources.iter().map(|(_, t)| t.bits()).sum();
                let fits = (1..=32).contains(&bits) && 1_u64 << bits <= domain;
                if fits && verify::instruction(&one, 0, &self.routine, Some(platform)).is_empty() {
                    out.push(Form { instruction: one, sources });
                }
            }
        }
        out
    }

    /// Returns the combinations of types: destination, sources, and second source. The second
    /// source rarely has its own type.
    fn combinations(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let all = 0..self.types.len();
        let pairs = all.clone().flat_map(move |d| all.clone().map(move |s| (d, s)));
        let all = 0..self.types.len();
        pairs.flat_map(move |(d, s)| all.clone().map(move |o| (d, s, o))).filter(|(d, s, o)| {
            let (src, other) = (self.types[*s], self.types[*o]);
            (src.class(), src.bits()) == (other.class(), other.bits()) || (s + o + d) % 3 == 0
        })
    }
}

/// Returns a contiguous operand.
fn row(id: GeneralId, written: bool, saturated: bool) -> VecOperand {
    let region = match written {
        true => Region { vertical_stride: Stride::Null, width: Stride::Null, horizontal_stride: Stride::N1 },
        false => Region { vertical_stride: Stride::N1, width: Stride::N1, horizontal_stride: Stride::N0 },
    };
    let modifier = if saturated { Modifier::Sat } else { Modifier::None };
    VecOperand { modifier, operand: Operand::General(GenOpnd { id, row_offset: 0, col_offset: 0, region }) }
}

/// Runs a form for all values of its sources. Returns true if no value differs.
fn whole(subject: &mut Subject<'_>, form: &Form, found: &mut Found) -> bool {
    let bits: u32 = form.sources.iter().map(|(_, t)| t.bits()).sum();
    let Ok(Some(bound)) = subject.bind_one(&form.instruction) else { return true };
    subject.fill(u64::from(bits));
    subject.threads[0].active = u32::MAX;
    let places: Vec<(u32, u32)> =
        form.sources.iter().filter_map(|(id, ty)| Some((subject.stage.offset(*id)?, ty.bits()))).collect();
    for first in (0..1_u64 << bits).step_by(CHANNELS) {
        for channel in 0..CHANNELS as u64 {
            let mut rest = first + channel;
            for (offset, width) in &places {
                let size = *width as usize / 8;
                let at = offset + channel as u32 * width / 8;
                let element = &mut subject.threads[0].registers.bytes_mut(at)[..size];
                element.copy_from_slice(&rest.to_le_bytes()[..size]);
                rest >>= width;
            }
        }
        found.channels += CHANNELS as u64;
        if let Compared::Differs(place) = subject.run(&bound) {
            let state = subject.threads[0].clone();
            found.difference = Some(shrink::shown(subject, &form.instruction, state, &place));
            return false;
        }
    }
    true
}
