//! Indirect moves: elements of the register file at offsets that the registers hold.
//!
//! Pending stores are written first, because the moves use the file itself. All channels are
//! checked before any element is moved; if an element is outside, the caller executes the step.

use iced_x86::{Code, MemoryOperand, Register};

use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::arithmetic::assign::write_unit;
use crate::backend::lower::arithmetic::convert::emit_convert;
use crate::backend::lower::arithmetic::evaluation::Units;
use crate::backend::lower::cache::CachedValue;
use crate::backend::lower::emitter::Emitter;
use crate::backend::lower::host_registers::{ELEMENT, FILE, FIRST};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{jump_if_none, select_enabled};
use crate::backend::lower::select::{blend_selected, gather_selected, jump_if_different, release_select};
use crate::ir::{Indirect, Kind, Mask, Own};

/// Writes an indirect move. `step` is its number, for the caller.
pub(crate) fn emit_indirect(e: &mut Emitter<'_>, mask: &Mask, indirect: &Indirect, step: u32) -> Option<()> {
    let lanes = mask.lanes.count_ones();
    let is_row = lanes.is_power_of_two() && mask.lanes.trailing_ones() == lanes;
    is_row.then_some(())?;
    e.masm.write_all();
    e.masm.is_branching = true;
    let slow = e.masm.asm.label();
    match (lanes, indirect.own) {
        (1, _) => move_single(&mut e.masm, mask, indirect, slow)?,
        (_, Own::Loads(to)) => load_channels(e, mask, indirect, to, slow)?,
        _ => store_channels(&mut e.masm, mask, indirect, slow)?,
    }
    if !matches!(indirect.own, Own::Loads(_)) {
        e.masm.cache.forget(0, indirect.limit);
    }
    e.push_outside(slow, step, Vec::new());
    Some(())
}

/// Loads the first channel's offset to [`FIRST`], and checks that `span` bytes from there on are
/// before the limit.
fn load_offset(masm: &mut MacroAssembler, indirect: &Indirect, span: u32, slow: Label) -> Option<()> {
    let last = indirect.limit.checked_sub(span)?;
    masm.asm.rm(Code::Mov_r32_rm32, Register::EDI, at(FILE, indirect.address));
    if indirect.displacement != 0 {
        masm.asm.ri(Code::Add_rm32_imm32, Register::EDI, indirect.displacement);
    }
    masm.asm.ri(Code::Cmp_rm32_imm32, Register::EDI, last as i32);
    masm.asm.jump(Code::Ja_rel32_64, slow);
    Some(())
}

/// Returns the bytes at a distance from the offset in [`FIRST`].
fn selected(distance: u32) -> MemoryOperand {
    indexed(FILE, FIRST, 1, distance.into())
}

/// Moves the element of a single channel.
fn move_single(masm: &mut MacroAssembler, mask: &Mask, indirect: &Indirect, slow: Label) -> Option<()> {
    let (bytes, done) = (indirect.bytes, masm.asm.label());
    jump_if_none(masm, mask, done);
    load_offset(masm, indirect, bytes, slow)?;
    match indirect.own {
        Own::Loads(to) => {
            masm.load_element(bytes, selected(0));
            masm.store_element(bytes, at(FILE, to));
            masm.cache.forget(to, bytes);
        }
        Own::Stores { at: from, .. } => {
            masm.load_element(bytes, at(FILE, from));
            masm.store_element(bytes, selected(0));
        }
        Own::Number(number) => {
            masm.asm.rq(ELEMENT, number);
            masm.store_element(bytes, selected(0));
        }
    }
    masm.asm.bind(done);
    Some(())
}

/// Loads the elements of several channels.
fn load_channels(e: &mut Emitter<'_>, mask: &Mask, indirect: &Indirect, to: u32, slow: Label) -> Option<()> {
    let (masm, bytes, lanes) = (&mut e.masm, indirect.bytes, mask.lanes.count_ones());
    let is_gathered = indirect.address_step != 0;
    let most = masm.widest().bytes() / if is_gathered { 4.max(bytes) } else { bytes };
    let units = Units { lanes: lanes.min(most), count: lanes.div_ceil(most), single: None };
    let size = units.lanes * bytes;
    let values: Vec<Vector> = if is_gathered {
        gather(masm, mask, indirect, units, slow)?
    } else {
        (indirect.pitch == bytes || indirect.pitch == 0).then_some(())?;
        load_offset(masm, indirect, indirect.pitch * (lanes - 1) + bytes, slow)?;
        let load = |unit: u32| {
            let d = masm.cache.take()?;
            match indirect.pitch {
                0 => masm.load_splat(d, (bytes, Width::of(size)), selected(0)),
                _ => masm.load_bytes(d, size, selected(unit * size)),
            }
            Some(d)
        };
        (0..units.count).map(load).collect::<Option<_>>()?
    };
    let kind = kind(bytes);
    for (unit, value) in (0..).zip(values) {
        write_unit(&mut e.masm, &e.facts, mask, (units, unit), kind, to, value)?;
        e.masm.cache.drop(value);
    }
    Some(())
}

/// Loads elements by an address for each channel. Narrow ones are loaded as parts of dwords.
fn gather(
    masm: &mut MacroAssembler,
    mask: &Mask,
    indirect: &Indirect,
    units: Units,
    slow: Label,
) -> Option<Vec<Vector>> {
    let (row, is_wide) = (units.lanes * 4, indirect.bytes == 8);
    let (w, size) = (Width::of(row), indirect.bytes.max(4));
    let last = masm.number(indirect.limit.checked_sub(size)?.into(), 4, w)?;
    let mut values = Vec::new();
    for unit in 0..units.count {
        let mut offsets = masm.value(CachedValue::Contiguous { at: indirect.address + unit * row, bytes: row })?;
        if indirect.displacement != 0 {
            let (d, by) = (masm.cache.take()?, masm.number((indirect.displacement as u32).into(), 4, w)?);
            masm.asm.v3(op::PADDD, w, d, offsets, by);
            [offsets, by].into_iter().for_each(|vector| masm.cache.drop(vector));
            offsets = d;
        }
        let all = Width::of(units.lanes * size);
        let selects = [(4, w), (size, all)].map(|(size, w)| select_enabled(masm, mask, unit * units.lanes, size, w));
        let [inside, wanted] = [selects[0]?, selects[1]?];
        let (d, scratch) = (masm.cache.take()?, masm.cache.take()?);
        masm.asm.v3(op::PMINUD, w, scratch, offsets, last);
        jump_if_different(masm, w, [offsets, scratch], scratch, inside, slow);
        gather_selected(masm, all, (d, is_wide), indexed(FILE, offsets.register(w), 1, 0), wanted, scratch);
        [inside, wanted].into_iter().flatten().for_each(|select| release_select(masm, select));
        [offsets, scratch].into_iter().for_each(|vector| masm.cache.drop(vector));
        let narrow = kind(indirect.bytes);
        if narrow.bytes() >= 4 {
            values.push(d);
        } else {
            values.push(emit_convert(masm, Kind::U32, narrow, false, units.lanes, d)?);
            masm.cache.drop(d);
        }
    }
    masm.cache.drop(last);
    Some(values)
}

/// Stores elements of several channels, which are consecutive from one address on.
fn store_channels(masm: &mut MacroAssembler, mask: &Mask, indirect: &Indirect, slow: Label) -> Option<()> {
    let (bytes, lanes) = (indirect.bytes, mask.lanes.count_ones());
    (indirect.address_step == 0 && indirect.pitch == bytes).then_some(())?;
    let count = lanes.min(masm.widest().bytes() / bytes);
    let (size, width) = (count * bytes, Width::of(count * bytes));
    // What later code may use is loaded before the first jump.
    let mut parts = Vec::new();
    for first in (0..lanes).step_by(count as usize) {
        let value = masm.value(match indirect.own {
            Own::Stores { at, step: 0 } => CachedValue::Splat { at, bytes, width },
            Own::Stores { at, step } if step == bytes => {
                CachedValue::Contiguous { at: at + first * bytes, bytes: size }
            }
            Own::Number(bits) => CachedValue::Number { bits, bytes, width },
            Own::Stores { .. } | Own::Loads(_) => return None,
        })?;
        parts.push((first, value, select_enabled(masm, mask, first, bytes, width)?));
    }
    let done = masm.asm.label();
    jump_if_none(masm, mask, done);
    load_offset(masm, indirect, lanes * bytes, slow)?;
    for (first, value, select) in parts {
        let memory = selected(first * bytes);
        if let Some(select) = select {
            let (old, blended) = (masm.cache.take()?, masm.cache.take()?);
            masm.load_bytes(old, size, memory);
            blend_selected(masm, bytes, width, blended, [old, value], select);
            masm.store_bytes(memory, size, blended);
            release_select(masm, select);
            [old, blended].into_iter().for_each(|vector| masm.cache.drop(vector));
        } else {
            masm.store_bytes(memory, size, value);
        }
        masm.cache.drop(value);
    }
    masm.asm.bind(done);
    Some(())
}

/// Returns the unsigned kind of elements of a size.
fn kind(bytes: u32) -> Kind {
    match bytes {
        1 => Kind::U8,
        2 => Kind::U16,
        4 => Kind::U32,
        _ => Kind::U64,
    }
}
