//! Transfers of a single channel.

use std::collections::HashMap;

use iced_x86::{Code, Register};

use crate::backend::asm::op;
use crate::backend::asm::operand::{Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::{FILE, FIRST, LIMIT, WORDS};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::address::factor_bits;
use crate::backend::lower::memory::buffer::{FIRST_ENTRY, find_buffer, find_flat, load_limit, load_words};
use crate::backend::lower::memory::marks::mark_single;
use crate::backend::lower::memory::update::update_single;
use crate::ir::{Access, Addresses, Space, Transfer, Unit};

/// Writes the transfer of a single channel.
pub(crate) fn emit_single(
    masm: &mut MacroAssembler,
    states: &HashMap<u32, u32>,
    transfer: &Transfer,
    slow: Label,
) -> Option<()> {
    let first = Register::EDI;
    let is_flat = transfer.space == Space::Flat;
    load_address(masm, transfer)?;
    let mut entry = FIRST_ENTRY;
    if is_flat {
        masm.asm.rr(Code::Mov_r64_rm64, Register::RCX, FIRST);
        masm.asm.ri(Code::Shr_rm64_imm8, Register::RCX, 32);
        find_flat(masm, slow);
        masm.asm.rr(Code::Mov_r32_rm32, first, first);
    } else {
        entry = find_buffer(masm, states, transfer, slow)?;
    }
    if let Space::Local { mask } = transfer.space {
        masm.asm.ri(Code::And_rm32_imm32, first, mask as i32);
    }
    load_limit(masm, entry, transfer, slow);
    masm.asm.rr(Code::Cmp_r64_rm64, FIRST, LIMIT);
    masm.asm.jump(Code::Ja_rel32_64, slow);
    if transfer.alignment > 1 {
        masm.asm.ri(Code::Test_rm32_imm32, first, transfer.alignment as i32 - 1);
        masm.asm.jump(Code::Jne_rel32_64, slow);
    }
    if !matches!(transfer.space, Space::Local { .. }) {
        mark_single(masm, entry, transfer, slow);
    }
    load_words(masm, entry);
    if let Access::Update(update) = transfer.access {
        return update_single(masm, transfer, update);
    }
    match transfer.unit {
        Unit::Part { bytes, keeps } => move_narrow(masm, transfer, bytes, keeps),
        Unit::Dword => move_dwords(masm, transfer.access, &transfer.elements),
        Unit::Qword => {
            let halves = transfer.elements.iter().flat_map(|(d, at)| [(*d, *at), (d + 4, at + 4)]);
            move_dwords(masm, transfer.access, &halves.collect::<Vec<_>>())
        }
    }
}

/// Loads the channel's address to [`FIRST`].
fn load_address(masm: &mut MacroAssembler, transfer: &Transfer) -> Option<()> {
    let first = Register::EDI;
    let is_flat = transfer.space == Space::Flat;
    match transfer.addresses {
        Addresses::None => masm.asm.rr(Code::Xor_r32_rm32, first, first),
        Addresses::Dwords(place) => masm.asm.rm(Code::Mov_r32_rm32, first, at(FILE, place)),
        Addresses::Qwords(place) => masm.asm.rm(Code::Mov_r64_rm64, FIRST, at(FILE, place)),
        Addresses::Offsets { at: place, signed } => {
            if signed {
                masm.asm.rm(Code::Movsxd_r64_rm32, FIRST, at(FILE, place));
            } else {
                masm.asm.rm(Code::Mov_r32_rm32, first, at(FILE, place));
            }
            let bits = factor_bits(transfer)?;
            if bits > 0 {
                masm.asm.ri(Code::Shl_rm64_imm8, FIRST, bits);
            }
        }
    }
    match (transfer.global, is_flat) {
        (None, _) => {}
        (Some((place, 8)), true) => masm.asm.rm(Code::Add_r64_rm64, FIRST, at(FILE, place)),
        (Some((place, _)), true) => {
            masm.asm.rm(Code::Mov_r32_rm32, Register::ECX, at(FILE, place));
            masm.asm.rr(Code::Add_r64_rm64, FIRST, Register::RCX);
        }
        (Some((place, _)), false) => masm.asm.rm(Code::Add_r32_rm32, first, at(FILE, place)),
    }
    if transfer.scale != 1 && !matches!(transfer.addresses, Addresses::Offsets { .. }) {
        (!is_flat).then_some(())?;
        masm.asm.r2i(Code::Imul_r32_rm32_imm32, first, first, transfer.scale as i32);
    }
    if transfer.offset != 0 {
        let code = if is_flat { Code::Add_rm64_imm32 } else { Code::Add_rm32_imm32 };
        masm.asm.ri(code, if is_flat { FIRST } else { first }, transfer.offset);
    }
    Some(())
}

/// Moves dwords in groups that are contiguous in memory and in the registers.
fn move_dwords(masm: &mut MacroAssembler, access: Access, elements: &[(u32, u32)]) -> Option<()> {
    let is_store = access == Access::Store;
    let mut rest = elements;
    while let Some(&(distance, place)) = rest.first() {
        // Number of dwords that are contiguous on both sides.
        let together = (0..).zip(rest).take_while(|(n, element)| **element == (distance + n * 4, place + n * 4));
        let count = match together.count() {
            16.. if masm.has_bits => 16,
            8.. => 8,
            4.. => 4,
            _ => 1,
        };
        let memory = indexed(WORDS, FIRST, 1, distance.into());
        let (width, moved) = (Width::of(count * 4), masm.cache.take()?);
        match (count, is_store) {
            (1, false) => {
                masm.asm.rm(Code::Mov_r32_rm32, Register::ECX, memory);
                masm.asm.mr(Code::Mov_rm32_r32, at(FILE, place), Register::ECX);
            }
            (1, true) => {
                masm.asm.rm(Code::Mov_r32_rm32, Register::ECX, at(FILE, place));
                masm.asm.mr(Code::Mov_rm32_r32, memory, Register::ECX);
            }
            (_, false) => {
                masm.asm.load(op::MOVUPS, width, moved, memory);
                masm.asm.store(op::MOVUPS_STORE, width, at(FILE, place), moved);
            }
            (_, true) => {
                masm.asm.load(op::MOVUPS, width, moved, at(FILE, place));
                masm.asm.store(op::MOVUPS_STORE, width, memory, moved);
            }
        }
        masm.cache.drop(moved);
        if !is_store {
            masm.cache.forget(place, count * 4);
        }
        rest = &rest[count as usize..];
    }
    Some(())
}

/// Moves the bytes of a single channel.
fn move_narrow(masm: &mut MacroAssembler, transfer: &Transfer, bytes: u32, keeps: bool) -> Option<()> {
    let [(distance, place)] = transfer.elements[..] else { return None };
    let (memory, own) = (indexed(WORDS, FIRST, 1, distance.into()), at(FILE, place));
    let (value, is_store) = (Register::ECX, transfer.access == Access::Store);
    let (from, to) = if is_store { (own, memory) } else { (memory, own) };
    let load = match bytes {
        1 => Code::Movzx_r32_rm8,
        2 => Code::Movzx_r32_rm16,
        4 => Code::Mov_r32_rm32,
        _ => return None,
    };
    masm.asm.rm(load, value, from);
    match bytes {
        1 if is_store || keeps => masm.asm.mr(Code::Mov_rm8_r8, to, Register::CL),
        2 if is_store || keeps => masm.asm.mr(Code::Mov_rm16_r16, to, Register::CX),
        _ => masm.asm.mr(Code::Mov_rm32_r32, to, value),
    }
    if !is_store {
        masm.cache.forget(place, 4);
    }
    Some(())
}
