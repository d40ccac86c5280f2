//! Operands of few bits: every value that their sources can have together.
//!
//! A drawn instruction is brought into its simplest form, rows of elements, without predicate and mask, and its operands get
//! each combination of types that the rules take. Where the bits of all sources are few, the registers go through all values.

use std::collections::BTreeSet;

use visakit::builder::{RoutineBuilder, Variable};
use visakit::isa::{
    Alignment, DataType, ExecMask, ExecSize, ExecSizeSize, GenOpnd, GeneralId, Instruction, Modifier, Operand,
    Predicate, Region, Stride, VecOperand,
};
use visakit::object::Routine;
use visakit::rt::FieldMut;
use visakit::rt::reflect;
use visakit::verify;
use visakit_codegen::model::Model;

use super::case::{Compared, Random, Subject};
use super::{Effort, Found, drawn, shrink};

/// Channels that are tried at a time.
const CHANNELS: usize = 16;

/// The most vector operands of an instruction that is brought into this form.
const OPERANDS: usize = 4;

/// Tries the domains of a page's instructions, as far as the effort goes.
pub(super) fn all(model: &Model, page: &'static reflect::Page, effort: &Effort, found: &mut Found) {
    let mut seen = BTreeSet::new();
    let mut random = Random(u64::from(page.opcode));
    for n in 0..effort.routines {
        let Some((platform, routine)) = drawn(page, n, effort.instructions) else { continue };
        for template in routine.instructions.iter().filter(|i| std::ptr::eq(i.page(), page)) {
            let Some((routine, mut forms)) = forms(template, platform) else { continue };
            // Each time another choice of what is legal.
            for at in (1..forms.len()).rev() {
                forms.swap(at, (random.next() % (at as u64 + 1)) as usize);
            }
            let Ok(mut subject) = Subject::new(model, &routine, platform, effort.wrong) else { continue };
            for form in forms {
                if seen.len() >= effort.types {
                    return;
                }
                let bits: u32 = form.sources.iter().map(|(_, t)| t.bits()).sum();
                if bits > 32 || 1_u64 << bits > effort.domain || !seen.insert(form.instruction.to_string()) {
                    continue;
                }
                if !whole(&mut subject, &form, bits, found) {
                    return;
                }
            }
        }
    }
}

/// An instruction with operands of some types in rows.
struct Form {
    instruction: Instruction,
    /// The variables of the sources.
    sources: Vec<(GeneralId, DataType)>,
}

/// The legal forms of an instruction, and the routine with their variables.
fn forms(template: &Instruction, platform: visakit::isa::Platform) -> Option<(Routine, Vec<Form>)> {
    let types: Vec<DataType> =
        DataType::ALL.iter().copied().filter(|t| t.variable() && *t != DataType::Bool).collect();
    let mut builder = RoutineBuilder::kernel("k");
    let variables: Vec<Vec<GeneralId>> = (0..OPERANDS + 1)
        .map(|_| types.iter().map(|t| builder.variable(Variable::new("", *t, 32).align(Alignment::Grf))).collect())
        .collect();
    let predicates = [builder.predicate("", 32), builder.predicate("", 32)];
    let mut plain = template.clone();
    let (mut vectors, mut others) = (0, false);
    shrink::change(&mut plain, &mut |field| match field {
        FieldMut::Predicate(predicate) => *predicate = Predicate::default(),
        FieldMut::Value(value) => {
            if let Some(size) = value.downcast_mut::<ExecSize>() {
                *size = ExecSize { size: ExecSizeSize::N16, mask: ExecMask::M1Nm };
            }
        }
        FieldMut::Vector(operand) => {
            vectors += 1;
            match &mut operand.operand {
                Operand::Address(_) | Operand::State(_) => others = true,
                Operand::Predicate(predicate) => predicate.value = predicates[1].enable(),
                _ => {}
            }
        }
        FieldMut::Raw(_) | FieldMut::Index(..) => others = true,
    });
    if others || vectors > OPERANDS + 1 {
        return None;
    }
    let routine = builder.finish().ok()?;
    let roles: Vec<bool> = template
        .operands()
        .filter(|o| matches!(o.value, visakit::rt::FieldRef::Vector(_)))
        .map(|o| o.role.is_write())
        .collect();
    let mut out = Vec::new();
    // Sources of one type; the second of another one too.
    for (d, dst) in types.iter().enumerate() {
        for (s, src) in types.iter().enumerate() {
            for (o, other) in types.iter().enumerate() {
                if (src.class(), src.bits()) != (other.class(), other.bits()) && (s + o + d) % 3 != 0 {
                    continue;
                }
                for saturated in [false, true] {
                    let mut one = plain.clone();
                    let (mut nth, mut sources) = (0, Vec::new());
                    shrink::change(&mut one, &mut |field| {
                        let FieldMut::Vector(operand) = field else { return };
                        let written = roles.get(nth).copied().unwrap_or(false);
                        let (at, ty) = match (written, sources.len()) {
                            (true, _) => (d, *dst),
                            (false, 1) => (o, *other),
                            (false, _) => (s, *src),
                        };
                        if !matches!(operand.operand, Operand::Predicate(_)) {
                            let id = variables[nth][at];
                            *operand = row(id, written, written && saturated);
                            if !written {
                                sources.push((id, ty));
                            }
                        }
                        nth += 1;
                    });
                    if verify::instruction(&one, 0, &routine, Some(platform)).is_empty() && !sources.is_empty() {
                        out.push(Form { instruction: one, sources });
                    }
                }
            }
        }
    }
    Some((routine, out))
}

/// A row of elements.
fn row(id: GeneralId, written: bool, saturated: bool) -> VecOperand {
    let region = match written {
        true => Region { vertical_stride: Stride::Null, width: Stride::Null, horizontal_stride: Stride::N1 },
        false => Region { vertical_stride: Stride::N1, width: Stride::N1, horizontal_stride: Stride::N0 },
    };
    let modifier = if saturated { Modifier::Sat } else { Modifier::None };
    VecOperand { modifier, operand: Operand::General(GenOpnd { id, row_offset: 0, col_offset: 0, region }) }
}

/// Goes through all values of the sources; whether nothing differed.
fn whole(subject: &mut Subject<'_>, form: &Form, bits: u32, found: &mut Found) -> bool {
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
