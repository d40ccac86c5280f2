//! Transfers of several channels.
//!
//! All channels are checked before any data are moved, 16 of 32 channels at a time. Channels that
//! are contiguous or all at one place are checked by their ends, others one by one. In every
//! unusual case (another buffer, an address out of bounds, a misaligned address, an access that the
//! caller wants to make) the caller executes the whole step.

use crate::backend::analysis::address_classes::{AddressClass, StepClasses};
use crate::backend::analysis::contiguity::may_be_simd32;
use crate::backend::analysis::liveness::Cursor;
use crate::backend::analysis::ramps::{Form, StepRamps};
use crate::backend::asm::operand::Width;
use crate::backend::asm::stream::Label;
use crate::backend::lower::emitter::{ColdPath, Emitter};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{Enabled, jump_if_none, select_enabled};
use crate::backend::lower::memory::address::{
    all_dword_offsets, first_dword, first_flat, flat_offsets, load_first_offset,
};
use crate::backend::lower::memory::buffer::{FIRST_ENTRY, find_buffer};
use crate::backend::lower::memory::channels::{Channels, Fallback, mark};
use crate::backend::lower::memory::load::emit_load;
use crate::backend::lower::memory::operands::flush_operands;
use crate::backend::lower::memory::single::emit_single;
use crate::backend::lower::memory::split::{TransferPart, split};
use crate::backend::lower::memory::store::emit_store;
use crate::backend::lower::memory::update::emit_update;
use crate::backend::lower::select::release_select;
use crate::ir::{Access, Addresses, Mask, Space, Transfer, Unit};

/// Writes a transfer. `step` is its number, for the caller.
pub(crate) fn emit_transfer(e: &mut Emitter<'_>, mask: &Mask, transfer: &Transfer, step: u32) -> Option<()> {
    let slow = e.masm.asm.label();
    let classes = e.facts.classes(step);
    let StepRamps { form, lanes, .. } = *e.facts.ramps(step);
    let transfer = &without_dead_bytes(&e.facts.live, mask, transfer);
    let parts = split(mask, transfer, classes)?;
    for part in &parts {
        flush_operands(&mut e.masm, &part.mask, &part.transfer, form)?;
    }
    // From here on, not every path stores the value of a register.
    let unwritten = e.masm.cache.unwritten();
    e.masm.is_branching = true;
    let is_row = matches!(form, Some(Form::Contiguous | Form::Uniform));
    if lanes == u32::BITS && is_row && e.masm.has_bits && may_be_simd32(transfer) {
        emit_lanes(e, mask, (transfer, None), (false, None, form), (slow, None))?;
    } else if mask.lanes == u32::MAX && form.is_none() && tries_simd32(&e.masm, classes, mask, transfer) {
        let [.., class] = classes;
        let fallback: Fallback<'_> = &|e| emit_parts(e, &parts, None, slow);
        emit_lanes(e, mask, (transfer, None), (false, class, None), (slow, Some(fallback)))?;
    } else {
        emit_parts(e, &parts, form, slow)?;
    }
    e.push_outside(slow, step, unwritten);
    Some(())
}

/// Returns true if a test for 32 contiguous channels is worthwhile: a later step must use the
/// result.
pub(crate) fn tries_simd32(
    masm: &MacroAssembler,
    [.., class]: StepClasses,
    mask: &Mask,
    transfer: &Transfer,
) -> bool {
    masm.has_bits && masm.is_all(mask) && class.is_some() && may_be_simd32(transfer)
}

/// Writes the parts of a transfer in sequence.
fn emit_parts(e: &mut Emitter<'_>, parts: &[TransferPart], form: Option<Form>, slow: Label) -> Option<()> {
    for TransferPart { mask, transfer, class } in parts {
        let [nobody, done] = [(); 2].map(|()| e.masm.asm.label());
        let before = (!e.masm.is_all(mask)).then(|| e.masm.cache.known());
        let is_some = jump_if_none(&mut e.masm, mask, nobody) == Enabled::Some;
        match (mask.lanes.count_ones(), transfer.access) {
            (1, _) => emit_single(&mut e.masm, &e.states, transfer, slow)?,
            (4, _) if transfer.unit == Unit::Qword => return None,
            (4 | 8 | 16 | 32, _) => emit_lanes(e, mask, (transfer, None), (is_some, *class, form), (slow, None))?,
            _ => return None,
        }
        e.masm.asm.bind(done);
        if let Some(before) = before {
            let (known, is_full) = (e.masm.cache.known(), e.masm.is_full);
            e.cold.push(ColdPath::Restore { from: nobody, back: done, known, before, is_full });
        }
        e.masm.enabled = None;
    }
    Some(())
}

/// Writes a transfer of 4, 8, 16 or 32 channels. `pitch` is the distance in the registers from the
/// elements of one vector of channels to those of the next; without it the elements are contiguous.
pub(crate) fn emit_lanes(
    e: &mut Emitter<'_>,
    mask: &Mask,
    (transfer, pitch): (&Transfer, Option<u32>),
    (is_some, class, form): (bool, Option<AddressClass>, Option<Form>),
    (slow, fallback): (Label, Option<Fallback<'_>>),
) -> Option<()> {
    let masm = &mut e.masm;
    let lanes = mask.lanes.count_ones().min(masm.widest().bytes() / 4);
    let halves = mask.lanes.count_ones() / lanes;
    let pitch = pitch.unwrap_or(lanes * transfer.unit.register_bytes());
    let (mut entry, mut offsets) = (FIRST_ENTRY, Vec::new());
    let first_suffices = form.is_some() || class.is_some_and(|class| !class.is_first);
    match transfer.addresses {
        Addresses::Dwords(place) if transfer.space != Space::Flat && first_suffices => {
            entry = find_buffer(masm, &e.states, transfer, slow)?;
            first_dword(masm, transfer, place)?;
        }
        Addresses::Dwords(place) if transfer.space != Space::Flat => {
            entry = find_buffer(masm, &e.states, transfer, slow)?;
            offsets = all_dword_offsets(masm, transfer, (place, lanes), halves)?;
        }
        Addresses::Qwords(place) if transfer.space == Space::Flat && first_suffices => {
            first_flat(masm, transfer, (place, lanes), slow)?;
        }
        Addresses::Qwords(_) if transfer.space == Space::Flat => {
            offsets = flat_offsets(masm, mask, transfer, lanes, is_some, slow)?;
        }
        Addresses::Offsets { .. } => offsets = flat_offsets(masm, mask, transfer, lanes, is_some, slow)?,
        _ => return None,
    }
    let mut masks = Vec::new();
    for half in (0..halves).filter(|_| is_some) {
        masks.push(select_enabled(masm, mask, half * lanes, 4, Width::of(lanes * 4))??);
    }
    let mark = mark(mask, transfer, is_some)?;
    let channels =
        Channels { mask, transfer, lanes, halves, pitch, entry, offsets, masks, mark, slow, form, class, fallback };
    load_first_offset(masm, &channels);
    match transfer.access {
        Access::Load => emit_load(e, &channels)?,
        Access::Store => emit_store(e, &channels)?,
        Access::Update(update) => emit_update(masm, &channels, update)?,
    }
    channels.offsets.iter().for_each(|vector| e.masm.cache.drop(*vector));
    channels.masks.iter().for_each(|select| release_select(&mut e.masm, *select));
    Some(())
}

/// Returns a transfer that need not preserve bytes that are dead after it.
fn without_dead_bytes(live: &Cursor, mask: &Mask, transfer: &Transfer) -> Transfer {
    let mut transfer = transfer.clone();
    if let Unit::Part { bytes: bytes @ 1..=3, keeps: true } = transfer.unit {
        let lanes = 0..32 - mask.lanes.leading_zeros();
        let mut all = transfer.elements.iter().flat_map(|(_, at)| lanes.clone().map(move |lane| at + lane * 4));
        let keeps = all.any(|at| live.touch(at + bytes, 4 - bytes));
        transfer.unit = Unit::Part { bytes, keeps };
    }
    transfer
}
