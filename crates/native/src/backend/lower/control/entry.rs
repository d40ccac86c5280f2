//! The function that the caller calls, and its exits.

use iced_x86::{Code, Register};

use crate::backend::abi::exit;
use crate::backend::abi::offset;
use crate::backend::asm::operand::at;
use crate::backend::asm::stream::Label;
use crate::backend::lower::host_registers::{ACTIVE, EXECUTED, FILE, FRAME, PREDICATES, WAITING};
use crate::backend::lower::macro_assembler::MacroAssembler;

/// Writes the function that the caller calls: it loads the registers, and jumps to its second
/// argument.
pub(crate) fn emit_entry(masm: &mut MacroAssembler) {
    let saved = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
    saved.into_iter().for_each(|register| masm.asm.r(Code::Push_r64, register));
    // The calling convention requires a stack pointer that is a multiple of 16.
    masm.asm.ri(Code::Sub_rm64_imm8, Register::RSP, 8);
    masm.asm.rr(Code::Mov_r64_rm64, FRAME, Register::RDI);
    load_thread(masm);
    masm.asm.r(Code::Jmp_rm64, Register::RSI);
}

/// Loads the registers of the thread at [`FRAME`].
pub(crate) fn load_thread(masm: &mut MacroAssembler) {
    masm.frame(FILE, offset::REGISTERS);
    masm.frame(PREDICATES, offset::PREDICATES);
    masm.frame(WAITING, offset::WAITING);
    masm.asm.rm(Code::Mov_r32_rm32, ACTIVE, at(FRAME, offset::ACTIVE));
    masm.frame(EXECUTED, offset::EXECUTED);
}

/// Stores the registers of a thread that change.
pub(crate) fn store_thread(masm: &mut MacroAssembler) {
    masm.asm.mr(Code::Mov_rm32_r32, at(FRAME, offset::ACTIVE), ACTIVE);
    masm.asm.mr(Code::Mov_rm64_r64, at(FRAME, offset::EXECUTED), EXECUTED);
}

/// Writes the end of the function; EAX has the number of the exit. It returns the number of the
/// thread in the upper half.
pub(crate) fn emit_leave(masm: &mut MacroAssembler) {
    store_thread(masm);
    masm.asm.rm(Code::Mov_r32_rm32, Register::ECX, at(FRAME, offset::INDEX));
    masm.asm.ri(Code::Shl_rm64_imm8, Register::RCX, 32);
    masm.asm.rr(Code::Or_r64_rm64, Register::RAX, Register::RCX);
    masm.asm.plain(Code::VEX_Vzeroupper);
    masm.asm.ri(Code::Add_rm64_imm8, Register::RSP, 8);
    let saved = [Register::R15, Register::R14, Register::R13, Register::R12, Register::RBP, Register::RBX];
    saved.into_iter().for_each(|register| masm.asm.r(Code::Pop_r64, register));
    masm.asm.plain(Code::Retnq);
}

/// Exits with a number.
pub(crate) fn emit_exit(masm: &mut MacroAssembler, leave: Label, n: u32, kind: u32) {
    masm.asm.ri(Code::Mov_r32_imm32, Register::EAX, (n << exit::BITS | kind) as i32);
    masm.asm.jump(Code::Jmp_rel32_64, leave);
}

/// Returns the label of a cold exit.
pub(crate) fn cold_exit(masm: &mut MacroAssembler, leave: Label, n: u32, kind: u32) -> Label {
    let from = masm.asm.label();
    masm.cold(|masm| {
        masm.asm.bind(from);
        emit_exit(masm, leave, n, kind);
    });
    from
}
