//! Threads of a group: in sequence in the same registers, or together from barrier to barrier.

use iced_x86::{Code, Register};

use crate::backend::abi::exit;
use crate::backend::abi::frame::mode;
use crate::backend::abi::offset;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::control::branch::jump_if_any_word;
use crate::backend::lower::control::context::Labels;
use crate::backend::lower::control::entry::{cold_exit, load_thread, store_thread};
use crate::backend::lower::host_registers::{ACTIVE, EXECUTED, FILE, FRAME, PREDICATES};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::ir::Routine;

/// The next piece, while a thread starts.
const PIECE: Register = Register::RAX;

/// The number of remaining pieces, while a thread starts.
const PIECES: Register = Register::ECX;

/// Starts the next thread, or exits.
pub(crate) fn emit_thread_start(masm: &mut MacroAssembler, routine: &Routine, labels: &Labels) {
    let start = Register::RSI;
    masm.asm.mr(Code::Add_rm64_r64, at(FRAME, offset::BEFORE), EXECUTED);
    masm.asm.rr(Code::Xor_r32_rm32, Register::R13D, Register::R13D);
    masm.asm.mi(Code::Sub_rm64_imm8, at(FRAME, offset::LEFT), 1);
    masm.asm.jump(Code::Jb_rel32_64, labels.leave);
    masm.frame(start, offset::STARTS);
    masm.asm.rm(Code::Mov_r32_rm32, ACTIVE, at(start, offset::START_CHANNELS));
    masm.asm.rm(Code::Mov_r32_rm32, PIECES, at(start, offset::START_PIECES));
    masm.asm.mi(Code::Add_rm64_imm8, at(FRAME, offset::STARTS), offset::START_SIZE as i32);
    let vector = Vector(0);
    copy_pieces(masm, offset::PIECES);
    masm.asm.mr(Code::Mov_rm64_r64, at(FRAME, offset::PIECES), PIECE);
    masm.asm.rm(Code::Mov_r32_rm32, PIECES, at(FRAME, offset::COMMON_COUNT));
    copy_pieces(masm, offset::COMMON);
    masm.asm.v3(op::PXOR, Width::Y, vector, vector, vector);
    masm.asm.rm(Code::Mov_r32_rm32, PIECES, at(FRAME, offset::ZERO_COUNT));
    for_each_piece(masm, offset::ZEROS, |masm| {
        masm.asm.rm(Code::Mov_r32_rm32, Register::EDX, at(PIECE, 0));
        masm.asm.store(op::MOVUPS_STORE, Width::Y, indexed(FILE, Register::RDX, 1, 0), vector);
        masm.asm.ri(Code::Add_rm64_imm8, PIECE, 4);
    });
    clear_dwords(masm, PREDICATES, routine.predicates, vector);
    if routine.states > 0 {
        masm.frame(Register::RCX, offset::STATES);
        clear_dwords(masm, Register::RCX, routine.states, vector);
    }
    masm.asm.jump(Code::Jmp_rel32_64, labels.blocks[0]);
}

/// Ends a thread, unless channels other than `ends` continue; the next thread may start.
pub(crate) fn emit_thread_end(masm: &mut MacroAssembler, routine: &Routine, labels: &Labels, n: u32, ends: u32) {
    let otherwise = cold_exit(masm, labels.leave, n, exit::END);
    if ends != u32::MAX {
        masm.asm.ri(Code::Test_rm32_imm32, ACTIVE, !ends as i32);
        masm.asm.jump(Code::Jne_rel32_64, otherwise);
    }
    jump_if_divergent(masm, routine, otherwise);
    masm.asm.mi(Code::Cmp_rm32_imm8, at(FRAME, offset::MODE), mode::IN_TURN as i32);
    masm.asm.jump(Code::Je_rel32_64, labels.in_turn);
    masm.asm.mi(Code::Mov_rm32_imm32, at(FRAME, offset::HAS_ENDED), 1);
    masm.asm.jump(Code::Jmp_rel32_64, otherwise);
}

/// Ends block `n` at a barrier: the next thread may continue, of those that run together.
pub(crate) fn emit_barrier(masm: &mut MacroAssembler, routine: &Routine, labels: &Labels, n: u32) {
    let otherwise = cold_exit(masm, labels.leave, n, exit::END);
    masm.asm.mi(Code::Cmp_rm32_imm8, at(FRAME, offset::MODE), mode::TOGETHER as i32);
    masm.asm.jump(Code::Jne_rel32_64, otherwise);
    jump_if_divergent(masm, routine, otherwise);
    masm.asm.mi(Code::Mov_rm32_imm32, at(FRAME, offset::THREAD_BLOCK), n as i32 + 1);
    masm.asm.address(Register::RAX, labels.blocks[n as usize + 1]);
    masm.asm.mr(Code::Mov_rm64_r64, at(FRAME, offset::THREAD_PLACE), Register::RAX);
    masm.asm.jump(Code::Jmp_rel32_64, labels.switch);
}

/// Continues with the next thread.
pub(crate) fn emit_switch(masm: &mut MacroAssembler) {
    store_thread(masm);
    masm.frame(FRAME, offset::NEXT);
    load_thread(masm);
    masm.asm.m(Code::Jmp_rm64, at(FRAME, offset::THREAD_PLACE));
}

/// Jumps if channels wait at any block.
fn jump_if_divergent(masm: &mut MacroAssembler, routine: &Routine, label: Label) {
    masm.frame(Register::RCX, offset::OCCUPIED);
    jump_if_any_word(masm, 0..routine.blocks.len() as u32 / 64 + 1, label);
}

/// Copies [`PIECES`] pieces of a list to the register file.
fn copy_pieces(masm: &mut MacroAssembler, list: u32) {
    for_each_piece(masm, list, |masm| {
        masm.asm.rm(Code::Mov_r32_rm32, Register::EDX, at(PIECE, offset::PIECE_AT));
        masm.asm.load(op::MOVUPS, Width::Y, Vector(0), at(PIECE, offset::PIECE_BYTES));
        masm.asm.store(op::MOVUPS_STORE, Width::Y, indexed(FILE, Register::RDX, 1, 0), Vector(0));
        masm.asm.ri(Code::Add_rm64_imm8, PIECE, offset::PIECE_SIZE as i32);
    });
}

/// Writes a loop over [`PIECES`] pieces of a list; `each` moves [`PIECE`] to the next.
fn for_each_piece(masm: &mut MacroAssembler, list: u32, each: impl FnOnce(&mut MacroAssembler)) {
    let done = masm.asm.label();
    masm.frame(PIECE, list);
    masm.asm.rr(Code::Test_rm32_r32, PIECES, PIECES);
    masm.asm.jump(Code::Je_rel32_64, done);
    let again = masm.asm.here();
    each(masm);
    masm.asm.ri(Code::Sub_rm32_imm8, PIECES, 1);
    masm.asm.jump(Code::Jne_rel32_64, again);
    masm.asm.bind(done);
}

/// Clears dwords with a vector of zeros.
fn clear_dwords(masm: &mut MacroAssembler, table: Register, count: u32, zeros: Vector) {
    let mut done = 0;
    while done < count {
        let some = [8, 4, 2, 1].into_iter().find(|some| count - done >= *some).unwrap_or(1);
        masm.store_bytes(at(table, done * 4), some * 4, zeros);
        done += some;
    }
}
