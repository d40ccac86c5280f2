//! Operands of transfers: values that must be in the register file before a transfer begins.

use crate::backend::analysis::ramps::Form;
use crate::backend::asm::operand::Width;
use crate::backend::lower::cache::{ByteRange, CachedValue};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::ir::{Access, Addresses, Mask, Transfer, Unit};

/// Writes the pending stores to registers that a transfer reads, and to registers that it may write
/// in part. `form` is its form, if it is known.
pub(crate) fn flush_operands(
    masm: &mut MacroAssembler,
    mask: &Mask,
    transfer: &Transfer,
    form: Option<Form>,
) -> Option<()> {
    let lanes = mask.lanes.count_ones();
    let row = lanes.min(masm.widest().bytes() / 4) * 4;
    let addresses = transfer.addresses.place().map(|at| ByteRange { at, bytes: lanes * transfer.addresses.bytes() });
    let is_extended = matches!(transfer.addresses, Addresses::Offsets { .. });
    let global = transfer.global.map(|(at, bytes)| ByteRange { at, bytes });
    let named = transfer.space.number().map(|at| ByteRange { at, bytes: 4 });
    for place in addresses.into_iter().filter(|_| lanes > 1 && !is_extended) {
        for at in (place.at..place.at + place.bytes).step_by(row as usize) {
            flush_unless_held(masm, CachedValue::Contiguous { at, bytes: row }, ByteRange { at, bytes: row })?;
        }
    }
    for place in global.into_iter().filter(|_| lanes > 1) {
        let tag = CachedValue::Splat { at: place.at, bytes: place.bytes, width: Width::of(row) };
        flush_unless_held(masm, tag, place)?;
    }
    let single = [addresses, global].into_iter().flatten().filter(|_| lanes == 1);
    // Offsets are extended as they are loaded.
    let extended = addresses.filter(|_| lanes > 1 && is_extended);
    for place in single.chain(named).chain(extended) {
        masm.write_what(|other| other.touches(place))?;
    }
    let replaces = masm.is_all(mask)
        && transfer.access == Access::Load
        && !matches!(transfer.unit, Unit::Part { keeps: true, .. });
    if let Access::Update(update) = transfer.access {
        let others = update.second.into_iter().chain(update.result);
        let mut places = others.map(|at| ByteRange { at, bytes: lanes * update.kind.bytes() });
        places.try_for_each(|place| masm.write_what(|other| other.touches(place)))?;
    }
    let is_direct = match form {
        Some(Form::Structures(_)) => true,
        Some(Form::Apart(_)) => false,
        Some(Form::Contiguous | Form::Uniform) | None => transfer.elements.len() == 1,
    };
    for (_, at) in &transfer.elements {
        let place = ByteRange { at: *at, bytes: lanes * transfer.unit.register_bytes() };
        if transfer.access == Access::Store && is_direct && transfer.unit == Unit::Dword && lanes > 1 {
            for at in (place.at..place.at + place.bytes).step_by(row as usize) {
                flush_unless_held(masm, CachedValue::Contiguous { at, bytes: row }, ByteRange { at, bytes: row })?;
            }
            continue;
        }
        masm.write_what(|other| other.touches(place) && !(replaces && other.is_inside(place)))?;
    }
    Some(())
}

/// Writes the pending stores to a place unless the registers determine the value that is loaded
/// from there.
fn flush_unless_held(masm: &mut MacroAssembler, tag: CachedValue, place: ByteRange) -> Option<()> {
    if masm.cache.has(&tag) {
        return Some(());
    }
    if let Some((first, ..)) = masm.cache.find_ramp(place) {
        masm.cache.drop(first);
        return Some(());
    }
    masm.write_what(|other| other.touches(place))
}
