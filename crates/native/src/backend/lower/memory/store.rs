//! Stores: elements from registers to memory.

use iced_x86::Code;

use crate::backend::analysis::contiguity::{ROW, are_rows};
use crate::backend::analysis::ramps::Form;
use crate::backend::analysis::structures::Structures;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, at, indexed};
use crate::backend::lower::arithmetic::convert::emit_convert;
use crate::backend::lower::cache::CachedValue;
use crate::backend::lower::emitter::Emitter;
use crate::backend::lower::host_registers::{FILE, FIRST, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::Select;
use crate::backend::lower::memory::bounds::{all_inside, apart_inside, contiguous_inside};
use crate::backend::lower::memory::channels::{AccessMark, Channels};
use crate::backend::lower::memory::contiguous::{Paths, enter_contiguous, recheck_contiguous, tries_contiguous};
use crate::backend::lower::memory::interleave::{
    check_structures, interleave, possible_structures, structures_inside,
};
use crate::backend::lower::memory::marks::mark_each;
use crate::backend::lower::memory::per_lane::{move_channels, store_apart};
use crate::backend::lower::memory::rows::{
    jump_if_overlapping, move_qwords, store_dwords, store_row_offsets, take_rows,
};
use crate::backend::lower::select::{store_narrow_selected, store_selected};
use crate::ir::{Kind, Unit};

/// Writes a store.
pub(crate) fn emit_store(e: &mut Emitter<'_>, channels: &Channels<'_>) -> Option<()> {
    let masm = &mut e.masm;
    let Channels { transfer, lanes, halves, pitch, .. } = channels;
    if let Some(Form::Structures(all)) = channels.form {
        structures_inside(masm, channels, all, channels.slow);
        return store_structures(masm, channels, all);
    }
    if let Some(Form::Apart(step)) = channels.form {
        apart_inside(masm, channels, step, channels.slow);
        let rows = if are_rows(transfer) && step >= ROW { take_rows(masm) } else { None };
        match rows {
            Some(vectors) => store_rows(masm, channels, vectors),
            None => store_apart(masm, channels, step),
        }
        return Some(());
    }
    if !tries_contiguous(channels) {
        return store_per_lane(masm, channels);
    }
    // Values in vector registers are stored directly.
    let held = |half: u32| match transfer.elements[..] {
        [(_, at)] if transfer.unit == Unit::Dword => {
            masm.cache.find(&CachedValue::Contiguous { at: at + half * pitch, bytes: lanes * 4 })
        }
        _ => None,
    };
    let held: Vec<Option<Vector>> = (0..*halves).map(held).collect();
    let scratch = [masm.cache.take()?, masm.cache.take()?];
    let size = transfer.unit.bytes();
    if channels.form.is_some() {
        contiguous_inside(masm, channels, size, channels.slow);
        store_contiguous(masm, channels, &held, scratch[0])?;
    } else {
        let paths = Paths::new(&mut masm.asm);
        enter_contiguous(masm, channels, size, scratch, paths);
        let hot = masm.enter_cold();
        emit_cold_store(e, channels, scratch, paths)?;
        e.masm.leave_cold(hot);
        store_contiguous(&mut e.masm, channels, &held, scratch[0])?;
        e.masm.asm.bind(paths.done);
    }
    let masm = &mut e.masm;
    scratch.into_iter().chain(held.into_iter().flatten()).for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Writes the paths of channels that are not known to be contiguous.
fn emit_cold_store(e: &mut Emitter<'_>, channels: &Channels<'_>, scratch: [Vector; 2], paths: Paths) -> Option<()> {
    if let Some(fallback) = channels.fallback {
        paths.bind_others(&mut e.masm.asm);
        fallback(e)?;
    } else {
        let (masm, transfer) = (&mut e.masm, channels.transfer);
        let channels = recheck_contiguous(masm, channels, transfer.unit.bytes(), scratch, paths)?;
        masm.asm.bind(paths.apart);
        for all in possible_structures(masm.has_bits, &channels) {
            let next = masm.asm.label();
            check_structures(masm, &channels, *all, scratch, next);
            store_structures(masm, &channels, *all)?;
            masm.asm.jump(Code::Jmp_rel32_64, paths.done);
            masm.asm.bind(next);
        }
        masm.asm.bind(paths.other);
        store_per_lane(masm, &channels)?;
    }
    e.masm.asm.jump(Code::Jmp_rel32_64, paths.done);
    Some(())
}

/// Stores the structures of 16 channels, which are inside.
fn store_structures(masm: &mut MacroAssembler, channels: &Channels<'_>, all: Structures) -> Option<()> {
    let (w, scratch) = (channels.width(), [masm.cache.take()?, masm.cache.take()?]);
    let mut member = |place: u32| match masm.cache.find(&CachedValue::Contiguous { at: place, bytes: w.bytes() }) {
        Some(held) => Some(held),
        None => masm.cache.take().inspect(|vector| masm.asm.load(op::MOVUPS, w, *vector, at(FILE, place))),
    };
    let members: Option<Vec<_>> = channels.transfer.elements.iter().map(|(_, place)| member(*place)).collect();
    let members = members?;
    interleave(masm, all, &members, scratch)?;
    members.into_iter().chain(scratch).for_each(|vector| masm.cache.drop(vector));
    Some(())
}

/// Stores contiguous elements, of which `held` are in vector registers.
fn store_contiguous(
    masm: &mut MacroAssembler,
    channels: &Channels<'_>,
    held: &[Option<Vector>],
    scratch: Vector,
) -> Option<()> {
    let Channels { transfer, masks, lanes, pitch, .. } = channels;
    let (w, unit, size) = (channels.width(), transfer.unit, transfer.unit.bytes());
    let (widest, whole) = (masm.widest(), masm.widest().bytes());
    for &(element, place) in &transfer.elements {
        for (half, held) in (0..).zip(held) {
            let memory = |bytes| indexed(WORDS, FIRST, 1, i64::from(element + half * size * lanes + bytes));
            let own = place + half * pitch;
            if unit == Unit::Qword {
                for part in (0..lanes * 8).step_by(whole as usize) {
                    masm.asm.load(op::MOVUPS, widest, scratch, at(FILE, own + part));
                    masm.asm.store(op::MOVUPS_STORE, widest, memory(part), scratch);
                }
                continue;
            }
            let value = held.unwrap_or(scratch);
            if held.is_none() {
                masm.asm.load(op::MOVUPS, w, value, at(FILE, own));
            }
            match (unit, masks.get(half as usize)) {
                (Unit::Part { bytes: bytes @ ..=2, .. }, mask) => {
                    let to = if bytes == 1 { Kind::U8 } else { Kind::U16 };
                    let low = emit_convert(masm, Kind::U32, to, false, *lanes, value)?;
                    match mask {
                        Some(Select::Bits(bits)) => store_narrow_selected(masm, bytes, *lanes, memory(0), low, *bits),
                        _ => masm.store_bytes(memory(0), lanes * bytes, low),
                    }
                    masm.cache.drop(low);
                }
                (_, None) => masm.asm.store(op::MOVUPS_STORE, w, memory(0), value),
                (_, Some(mask)) => store_selected(masm, w, memory(0), *mask, value),
            }
        }
    }
    Some(())
}

/// Stores the row of each channel by one access, through `vectors`, which are released.
fn store_rows(masm: &mut MacroAssembler, channels: &Channels<'_>, vectors: [Vector; 6]) {
    for half in 0..channels.halves {
        match channels.transfer.unit {
            Unit::Qword => move_qwords(masm, channels, half, vectors),
            _ => store_dwords(masm, channels, half, vectors),
        }
    }
    vectors.into_iter().for_each(|vector| masm.cache.drop(vector));
}

/// Stores the elements of each channel separately.
fn store_per_lane(masm: &mut MacroAssembler, channels: &Channels<'_>) -> Option<()> {
    let Channels { transfer, masks, mark, .. } = channels;
    all_inside(masm, channels)?;
    if are_rows(transfer)
        && masks.is_empty()
        && let Some(vectors) = take_rows(masm)
    {
        let [done, otherwise] = [(); 2].map(|()| masm.asm.label());
        let [first, second, ..] = vectors;
        mark_each(masm, channels);
        store_row_offsets(masm, channels, [first, second]);
        jump_if_overlapping(masm, channels, [first, second], otherwise);
        store_rows(masm, channels, vectors);
        masm.cold(|masm| {
            masm.asm.bind(otherwise);
            move_channels(masm, channels, AccessMark { bits: 0, ..*mark });
            masm.asm.jump(Code::Jmp_rel32_64, done);
        });
        masm.asm.bind(done);
        return Some(());
    }
    move_channels(masm, channels, *mark);
    Some(())
}
