//! Addresses of channels, as offsets in a buffer.

use iced_x86::{Code, Register};

use crate::backend::abi::offset;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::CachedValue;
use crate::backend::lower::host_registers::{ENABLED, FILE, FIRST, FRAME};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{mask_bits, select_enabled};
use crate::backend::lower::memory::buffer::find_flat;
use crate::backend::lower::memory::channels::Channels;
use crate::backend::lower::patterns::dword_places;
use crate::backend::lower::select::{extract_first_selected, jump_if_different, release_select};
use crate::ir::{Addresses, Mask, Space, Transfer};

/// Returns the offsets of `lanes` channels whose addresses have 32 bits.
fn dword_offsets(masm: &mut MacroAssembler, transfer: &Transfer, lanes: u32, place: u32) -> Option<Vector> {
    let w = Width::of(lanes * 4);
    let mut offsets = masm.value(CachedValue::Contiguous { at: place, bytes: lanes * 4 })?;
    let mut change = |masm: &mut MacroAssembler, op, with: Vector| {
        let d = masm.cache.take()?;
        masm.asm.v3(op, w, d, offsets, with);
        [offsets, with].into_iter().for_each(|vector| masm.cache.drop(vector));
        offsets = d;
        Some(())
    };
    if let Some((global, _)) = transfer.global {
        let global = masm.value(CachedValue::Splat { at: global, bytes: 4, width: w })?;
        change(masm, op::PADDD, global)?;
    }
    if transfer.scale != 1 {
        let scale = masm.number(transfer.scale.into(), 4, w)?;
        change(masm, op::PMULLD, scale)?;
    }
    if transfer.offset != 0 {
        let offset = masm.number((transfer.offset as u32).into(), 4, w)?;
        change(masm, op::PADDD, offset)?;
    }
    if let Space::Local { mask } = transfer.space {
        let low = masm.number(mask.into(), 4, w)?;
        change(masm, op::PAND, low)?;
    }
    Some(offsets)
}

/// Returns the offsets of `halves` vectors of channels, whose addresses have 32 bits.
pub(crate) fn all_dword_offsets(
    masm: &mut MacroAssembler,
    transfer: &Transfer,
    (place, lanes): (u32, u32),
    halves: u32,
) -> Option<Vec<Vector>> {
    (0..halves).map(|half| dword_offsets(masm, transfer, lanes, place + half * lanes * 4)).collect()
}

/// Loads the first channel's offset to [`FIRST`], where addresses have 32 bits.
pub(crate) fn first_dword(masm: &mut MacroAssembler, transfer: &Transfer, place: u32) -> Option<()> {
    let first = dword_offsets(masm, transfer, 1, place)?;
    masm.asm.rr(Code::VEX_Vmovd_rm32_xmm, Register::EDI, first.register(Width::X));
    masm.cache.drop(first);
    Some(())
}

/// Loads the first channel's offset to [`FIRST`], and finds the buffer of its address.
pub(crate) fn first_flat(
    masm: &mut MacroAssembler,
    transfer: &Transfer,
    (place, lanes): (u32, u32),
    slow: Label,
) -> Option<()> {
    let x = Width::X;
    match masm.held(CachedValue::Contiguous { at: place, bytes: 8 }) {
        Some(row) => {
            masm.asm.rr(Code::VEX_Vmovq_rm64_xmm, FIRST, row.register(x));
            masm.cache.drop(row);
        }
        None => masm.asm.rm(Code::Mov_r64_rm64, FIRST, at(FILE, place)),
    }
    if let Some((global, bytes)) = transfer.global {
        (bytes == 8).then_some(())?;
        match masm.cache.find(&CachedValue::Splat { at: global, bytes, width: Width::of(lanes * 4) }) {
            Some(splat) => {
                masm.asm.rr(Code::VEX_Vmovq_rm64_xmm, Register::RCX, splat.register(x));
                masm.asm.rr(Code::Add_r64_rm64, FIRST, Register::RCX);
                masm.cache.drop(splat);
            }
            None => masm.asm.rm(Code::Add_r64_rm64, FIRST, at(FILE, global)),
        }
    }
    if transfer.offset != 0 {
        masm.asm.ri(Code::Add_rm64_imm32, FIRST, transfer.offset);
    }
    masm.asm.rr(Code::Mov_r64_rm64, Register::RCX, FIRST);
    masm.asm.ri(Code::Shr_rm64_imm8, Register::RCX, 32);
    find_flat(masm, slow);
    masm.asm.rr(Code::Mov_r32_rm32, Register::EDI, Register::EDI);
    Some(())
}

/// Returns the addresses of `lanes` channels in two vectors, without the uniform number.
fn address_pair(masm: &mut MacroAssembler, transfer: &Transfer, half: u32, lanes: u32) -> Option<[Vector; 2]> {
    let (w, row) = (Width::of(lanes * 4), lanes * 4);
    match transfer.addresses {
        Addresses::Qwords(place) => {
            (transfer.scale == 1).then_some(())?;
            let at = place + half * row * 2;
            let first = masm.value(CachedValue::Contiguous { at, bytes: row })?;
            Some([first, masm.value(CachedValue::Contiguous { at: at + row, bytes: row })?])
        }
        Addresses::Offsets { at: place, signed } => {
            let (bits, extend) = (factor_bits(transfer)?, if signed { op::MOVSXDQ } else { op::MOVZXDQ });
            let pair = [masm.cache.take()?, masm.cache.take()?];
            for (n, vector) in (0..).zip(pair) {
                masm.asm.load(extend, w, vector, at(FILE, place + half * row + n * row / 2));
                if bits > 0 {
                    masm.asm.v2i(op::PSLLQ, w, vector, vector, bits);
                }
            }
            Some(pair)
        }
        Addresses::None | Addresses::Dwords(_) => None,
    }
}

/// Returns the offsets of the channels in the buffer of the first enabled one; the others must be
/// in the same buffer.
pub(crate) fn flat_offsets(
    masm: &mut MacroAssembler,
    mask: &Mask,
    transfer: &Transfer,
    lanes: u32,
    is_some: bool,
    slow: Label,
) -> Option<Vec<Vector>> {
    let (x, w) = (Width::X, Width::of(lanes * 4));
    let (mut offsets, mut uppers) = (Vec::new(), Vec::new());
    for half in 0..mask.lanes.count_ones() / lanes {
        let [low, high] = split_addresses(masm, transfer, half, lanes)?;
        offsets.push(low);
        uppers.push(high);
    }
    let same = masm.cache.take()?;
    load_upper(masm, mask, (lanes, is_some), &uppers, same)?;
    find_flat(masm, slow);
    masm.asm.rr(Code::VEX_Vmovd_xmm_rm32, same.register(x), UPPER);
    masm.asm.v2(op::BROADCASTD, w, same, same, x);
    for (half, high) in (0..).zip(&uppers) {
        let enabled = select_enabled(masm, mask, half * lanes, 4, w)?;
        jump_if_different(masm, w, [*high, same], *high, enabled, slow);
        if let Some(select) = enabled {
            release_select(masm, select);
        }
    }
    uppers.into_iter().chain([same]).for_each(|vector| masm.cache.drop(vector));
    Some(offsets)
}

/// Returns the low and the high dwords of the addresses of `lanes` channels.
fn split_addresses(masm: &mut MacroAssembler, transfer: &Transfer, half: u32, lanes: u32) -> Option<[Vector; 2]> {
    let (x, w) = (Width::X, Width::of(lanes * 4));
    let mut pair = address_pair(masm, transfer, half, lanes)?;
    for address in &mut pair {
        let mut change = |masm: &mut MacroAssembler, with: Vector| {
            let d = masm.cache.take()?;
            masm.asm.v3(op::PADDQ, w, d, *address, with);
            [*address, with].into_iter().for_each(|vector| masm.cache.drop(vector));
            *address = d;
            Some(())
        };
        match transfer.global {
            Some((global, 8)) => {
                let global = masm.value(CachedValue::Splat { at: global, bytes: 8, width: w })?;
                change(masm, global)?;
            }
            Some(_) => return None,
            None => {}
        }
        if transfer.offset != 0 {
            let offset = masm.number(i64::from(transfer.offset) as u64, 8, w)?;
            change(masm, offset)?;
        }
    }
    let (low, high) = (masm.cache.take()?, masm.cache.take()?);
    for (to, parts) in [(low, 0x88), (high, 0xdd)] {
        if masm.has_bits {
            let places = masm.asm.constant(dword_places(to == high));
            masm.asm.load(op::MOVUPS, w, to, places);
            masm.asm.v3(op::PERMI2D, w, to, pair[0], pair[1]);
        } else {
            masm.asm.v3i(op::SHUFPS, w, to, pair[0], pair[1], parts);
            // Four channels are in order already.
            if w != x {
                masm.asm.r2i(Code::VEX_Vpermq_ymm_ymmm256_imm8, to.register(w), to.register(w), 0xd8);
            }
        }
    }
    pair.into_iter().for_each(|vector| masm.cache.drop(vector));
    Some([low, high])
}

/// The upper half of the first enabled channel's address: the number of its buffer.
const UPPER: Register = Register::ECX;

/// Loads the upper half of the first enabled channel's address to [`UPPER`]; `scratch` is free.
fn load_upper(
    masm: &mut MacroAssembler,
    mask: &Mask,
    (lanes, is_some): (u32, bool),
    uppers: &[Vector],
    scratch: Vector,
) -> Option<()> {
    let (x, w) = (Width::X, Width::of(lanes * 4));
    if !is_some {
        masm.asm.rr(Code::VEX_Vmovd_rm32_xmm, UPPER, uppers[0].register(x));
    } else if masm.has_bits && uppers.len() == 1 {
        let bits = mask_bits(masm, mask, 0, lanes)?;
        extract_first_selected(masm, w, UPPER, uppers[0], scratch, bits);
        masm.cache.drop(bits.0);
    } else {
        for (half, high) in (0..).zip(uppers) {
            masm.asm.store(op::MOVUPS_STORE, w, at(FRAME, offset::SCRATCH + half * lanes * 4), *high);
        }
        masm.asm.rr(Code::Tzcnt_r32_rm32, UPPER, ENABLED);
        masm.asm.rm(Code::Mov_r32_rm32, UPPER, indexed(FRAME, Register::RCX, 4, offset::SCRATCH.into()));
    }
    Some(())
}

/// Loads the first channel's offset to [`FIRST`].
pub(crate) fn load_first_offset(masm: &mut MacroAssembler, channels: &Channels<'_>) {
    if let Some(offsets) = channels.offsets.first() {
        masm.asm.rr(Code::VEX_Vmovd_rm32_xmm, Register::EDI, offsets.register(Width::X));
    }
}

/// Returns the channels with all of their offsets, if the hot code has computed only the first
/// one's.
pub(crate) fn with_offsets<'c>(masm: &mut MacroAssembler, channels: &Channels<'c>) -> Option<Channels<'c>> {
    let mut channels = channels.clone();
    if channels.offsets.is_empty() {
        let Channels { mask, transfer, lanes, halves, slow, .. } = channels;
        channels.offsets = match transfer.addresses {
            Addresses::Dwords(place) => all_dword_offsets(masm, transfer, (place, lanes), halves)?,
            _ => flat_offsets(masm, mask, transfer, lanes, false, slow)?,
        };
        load_first_offset(masm, &channels);
    }
    Some(channels)
}

/// Returns the binary logarithm of the factor of extended offsets, if it is a power of two.
pub(crate) fn factor_bits(transfer: &Transfer) -> Option<i32> {
    transfer.scale.is_power_of_two().then(|| transfer.scale.trailing_zeros() as i32)
}
