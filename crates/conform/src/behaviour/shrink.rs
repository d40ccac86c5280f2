//! Reduction of a case that differs to the simplest case that still differs.

use visakit::isa::{
    ExecMask, ExecSize, ExecSizeSize, Instruction, Modifier, Operand, Predicate, Region, Stride, VecOperand,
};
use visakit::rt::{FieldMut, VisitorMut};
use visakit::verify;
use visakit_emulator::machine::thread::Thread;
use visakit_oracle::Target;

use super::Difference;
use super::case::{Compared, Place, Subject};

/// Returns the smallest instruction that still differs from the state of a seed.
pub(super) fn smallest(subject: &mut Subject<'_>, at: usize, seed: u64, mut place: Place) -> Difference {
    subject.fill(seed);
    let mut instruction = subject.routine.instructions[at].clone();
    if let Ok(Some(bound)) = subject.bind_one(&instruction) {
        subject.aim(&bound, seed);
    }
    let mut state = subject.threads[0].clone();
    for edit in EDITS {
        let mut smaller = instruction.clone();
        let mut changed = state.clone();
        edit(&mut smaller, &mut changed);
        // Skip illegal candidates.
        let legal = smaller != instruction || changed.mode != state.mode || changed.active != state.active;
        if !legal || !verify::instruction(&smaller, 0, subject.routine, Some(subject.platform)).is_empty() {
            continue;
        }
        subject.threads[0] = changed.clone();
        if let Ok(Some(bound)) = subject.bind_one(&smaller)
            && let Compared::Differs(other) = subject.run(&bound)
        {
            (instruction, state, place) = (smaller, changed, other);
        }
    }
    shown(subject, &instruction, state, &place)
}

type Edit = fn(&mut Instruction, &mut Thread);

/// Edits that simplify a case.
const EDITS: &[Edit] = &[
    |_, thread| {
        let plain = visakit_emulator::machine::float::FloatMode::PLAIN;
        (thread.mode, thread.plain) = (plain, true);
    },
    |_, thread| thread.active = u32::MAX,
    |instruction, _| {
        change(instruction, &mut |field| {
            if let FieldMut::Predicate(predicate) = field {
                *predicate = Predicate::default();
            }
        })
    },
    |instruction, _| sized(instruction, |size| size.mask = ExecMask::M1Nm),
    |instruction, _| sized(instruction, |size| size.size = ExecSizeSize::N1),
    |instruction, _| sized(instruction, |size| size.size = ExecSizeSize::N4),
    |instruction, _| operands(instruction, |operand| operand.modifier = Modifier::None),
    |instruction, _| {
        operands(instruction, |operand| {
            if operand.modifier != Modifier::Sat {
                operand.modifier = Modifier::None
            }
        })
    },
    |instruction, _| {
        operands(instruction, |operand| {
            if let Operand::General(general) = &mut operand.operand
                && general.region.vertical_stride != Stride::Null
            {
                general.region =
                    Region { vertical_stride: Stride::N1, width: Stride::N1, horizontal_stride: Stride::N0 };
            }
        })
    },
];

fn sized(instruction: &mut Instruction, edit: fn(&mut ExecSize)) {
    change(instruction, &mut |field| {
        if let FieldMut::Value(value) = field
            && let Some(size) = value.downcast_mut::<ExecSize>()
        {
            edit(size);
        }
    });
}

fn operands(instruction: &mut Instruction, edit: fn(&mut VecOperand)) {
    change(instruction, &mut |field| {
        if let FieldMut::Vector(operand) = field {
            edit(operand);
        }
    });
}

pub(super) fn change(instruction: &mut Instruction, edit: &mut dyn FnMut(FieldMut<'_>)) {
    struct Each<'a>(&'a mut dyn FnMut(FieldMut<'_>));
    impl VisitorMut for Each<'_> {
        fn field(&mut self, _: usize, value: FieldMut<'_>) {
            (self.0)(value);
        }
    }
    instruction.visit_mut(&mut Each(edit));
}

/// Formats the case for a report.
pub(super) fn shown(
    subject: &mut Subject<'_>,
    instruction: &Instruction,
    state: Thread,
    place: &Place,
) -> Difference {
    let page = instruction.page();
    let (mut channel, mut inputs) = (0, Vec::new());
    if let Ok(Some(bound)) = subject.bind_one(instruction) {
        let operands = bound.program.operands();
        let written = |c: u32| {
            (0..operands.len()).any(|o| operands[o].written && bound.program.stands_at(o, c, &state) == place.target)
        };
        channel = (0..bound.channels()).find(|c| place.target.is_some() && written(*c)).unwrap_or(0);
        for (o, operand) in operands.iter().enumerate().filter(|(_, o)| !o.written) {
            let value = bound.program.element(o, channel, &state).unwrap_or_else(|| "-".to_owned());
            // Show only operands that the page names.
            if !operand.name.is_empty() {
                inputs.push((format!("{}:{}", operand.name, operand.data_type), value));
            }
        }
        // Bind the images of this state.
        subject.threads[0] = state.clone();
        subject.run(&bound);
        let entries = bound.program.image_entries(&state);
        inputs.extend(entries.into_iter().map(|entry| ("image".to_owned(), subject.yards[0].image(entry))));
        let samplers = bound.program.sampler_indices(&state);
        inputs.extend(samplers.into_iter().map(|index| ("sampler".to_owned(), subject.yards[0].sampler(index))));
    }
    let (file, line) = place.at.map_or((page.path.to_owned(), page.line), |at| {
        let (file, line) = subject.model.origin(at);
        (file.to_owned(), line)
    });
    let is_plain = state.is_plain();
    let mode = state.mode;
    let [by_page, kernel] = place.sides.clone();
    let target = match place.target {
        Some(Target::Predicate(..)) => " in the predicate",
        Some(Target::Address(_)) => " in the address",
        _ => "",
    };
    Difference {
        name: page.name.to_owned(),
        text: instruction.to_string(),
        platform: subject.platform.name(),
        mode: if is_plain { String::new() } else { format!("{mode:?}") },
        channel,
        inputs,
        page: format!("{by_page}{target}"),
        kernel: format!("{kernel}{target}"),
        file,
        line,
    }
}
