//! Pairs of steps that are one transfer of 32 channels.

use crate::backend::analysis::contiguity::Pair;
use crate::backend::analysis::ramps::Form;
use crate::backend::lower::emitter::Emitter;
use crate::backend::lower::memory::channels::Fallback;
use crate::backend::lower::memory::operands::flush_operands;
use crate::backend::lower::memory::transfer::{emit_lanes, emit_transfer, tries_simd32};
use crate::ir::{Action, Mask, Step};

/// Returns the pair that begins with `step`, whose number is `number`, if it is worthwhile.
pub(crate) fn pair_at<'a>(e: &Emitter<'a>, number: u32, step: &Step) -> Option<Pair<'a>> {
    let Action::Transfer(transfer) = &step.action else { return None };
    let may_be_row = matches!(e.facts.ramps(number).form, None | Some(Form::Contiguous));
    (may_be_row && tries_simd32(&e.masm, e.facts.classes(number), &step.mask, transfer)).then_some(())?;
    let pair = (*e.facts.annotations.pairs.get((number - e.facts.first_step) as usize)?)?;
    // Setting a state between the two steps must not change it.
    let is_idle = |step: &Step| match step.action {
        Action::SetState { element, number: Some(number), .. } => {
            e.masm.is_all(&step.mask) && e.states.get(&element) == Some(&number)
        }
        _ => false,
    };
    pair.between.iter().all(is_idle).then_some(pair)
}

/// Writes a pair of steps, of which the first is step `number`.
pub(crate) fn emit_pair(e: &mut Emitter<'_>, pair: &Pair<'_>, number: u32) -> Option<()> {
    let [(mask, transfer), _] = pair.halves;
    for (mask, transfer) in pair.halves {
        flush_operands(&mut e.masm, mask, transfer, None)?;
    }
    e.masm.is_branching = true;
    let [.., class] = e.facts.classes(number);
    let mask = Mask { lanes: u32::MAX, ..*mask };
    let numbers = [number, number + pair.len() as u32 - 1];
    let (slow, known) = (e.masm.asm.label(), e.masm.cache.known());
    // The fallback consists of both steps, also if the caller must execute one. Jumps lead to it
    // from before the code that loads other values.
    let fallback: Fallback<'_> = &|e| {
        e.masm.asm.bind(slow);
        e.masm.cache.keep_known(&known);
        for (number, (mask, transfer)) in numbers.into_iter().zip(pair.halves) {
            emit_transfer(e, mask, transfer, number)?;
        }
        Some(())
    };
    emit_lanes(e, &mask, (transfer, Some(pair.pitch)), (false, class, None), (slow, Some(fallback)))
}
