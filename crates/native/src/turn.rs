//! Where the caller comes in and goes out, and where threads begin and end.

use iced_x86::{Code as Opcode, Register};

use crate::asm::{Label, Vector, Width, at, indexed};
use crate::code::exit;
use crate::emit::{ACTIVE, EXECUTED, Emitter, FILE, FRAME, PREDICATES, WAITING};
use crate::frame::offset;
use crate::{op, threads};

/// While threads begin: the next piece, and how many are left.
const PIECE: Register = Register::RAX;
const PIECES: Register = Register::ECX;

impl Emitter<'_> {
    /// The function that the caller calls.
    pub(crate) fn enter(&mut self) {
        let saved = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
        saved.into_iter().for_each(|register| self.asm.r(Opcode::Push_r64, register));
        // Functions that are called expect a multiple of 16.
        self.asm.ri(Opcode::Sub_rm64_imm8, Register::RSP, 8);
        self.asm.rr(Opcode::Mov_r64_rm64, FRAME, Register::RDI);
        self.frame(FILE, offset::REGISTERS);
        self.frame(PREDICATES, offset::PREDICATES);
        self.frame(WAITING, offset::WAITING);
        self.asm.rm(Opcode::Mov_r32_rm32, ACTIVE, at(FRAME, offset::ACTIVE));
        self.frame(EXECUTED, offset::EXECUTED);
        self.asm.r(Opcode::Jmp_rm64, Register::RSI);
    }

    /// Its end, with a number in EAX.
    pub(crate) fn leave(&mut self) {
        self.asm.mr(Opcode::Mov_rm32_r32, at(FRAME, offset::ACTIVE), ACTIVE);
        self.asm.mr(Opcode::Mov_rm64_r64, at(FRAME, offset::EXECUTED), EXECUTED);
        self.asm.plain(Opcode::VEX_Vzeroupper);
        self.asm.ri(Opcode::Add_rm64_imm8, Register::RSP, 8);
        let saved = [Register::R15, Register::R14, Register::R13, Register::R12, Register::RBP, Register::RBX];
        saved.into_iter().for_each(|register| self.asm.r(Opcode::Pop_r64, register));
        self.asm.plain(Opcode::Retnq);
    }

    /// Lets the next thread begin, or leaves.
    pub(crate) fn begin(&mut self, first: Label) {
        let start = Register::RSI;
        self.asm.mr(Opcode::Add_rm64_r64, at(FRAME, offset::BEFORE), EXECUTED);
        self.asm.rr(Opcode::Xor_r32_rm32, Register::R13D, Register::R13D);
        self.asm.mi(Opcode::Sub_rm64_imm8, at(FRAME, offset::LEFT), 1);
        let leave = self.leave;
        self.asm.jump(Opcode::Jb_rel32_64, leave);
        self.frame(start, offset::STARTS);
        self.asm.rm(Opcode::Mov_r32_rm32, ACTIVE, at(start, threads::CHANNELS));
        self.asm.rm(Opcode::Mov_r32_rm32, PIECES, at(start, threads::PIECES));
        self.asm.mi(Opcode::Add_rm64_imm8, at(FRAME, offset::STARTS), threads::START_BYTES as i32);
        let vector = Vector(0);
        self.copy_pieces(offset::PIECES);
        self.asm.mr(Opcode::Mov_rm64_r64, at(FRAME, offset::PIECES), PIECE);
        self.asm.rm(Opcode::Mov_r32_rm32, PIECES, at(FRAME, offset::COMMON_COUNT));
        self.copy_pieces(offset::COMMON);
        self.asm.v3(op::PXOR, Width::Y, vector, vector, vector);
        self.asm.rm(Opcode::Mov_r32_rm32, PIECES, at(FRAME, offset::ZERO_COUNT));
        self.pieces(offset::ZEROS, |this| {
            this.asm.rm(Opcode::Mov_r32_rm32, Register::EDX, at(PIECE, 0));
            this.asm.store(op::MOVUPS_STORE, Width::Y, indexed(FILE, Register::RDX, 1, 0), vector);
            this.asm.ri(Opcode::Add_rm64_imm8, PIECE, 4);
        });
        self.clear(PREDICATES, self.routine.predicates, vector);
        if self.routine.states > 0 {
            self.frame(Register::RCX, offset::STATES);
            self.clear(Register::RCX, self.routine.states, vector);
        }
        self.asm.jump(Opcode::Jmp_rel32_64, first);
    }

    /// Copies as many pieces as [`PIECES`] says.
    fn copy_pieces(&mut self, list: u32) {
        self.pieces(list, |this| {
            this.asm.rm(Opcode::Mov_r32_rm32, Register::EDX, at(PIECE, threads::AT));
            this.asm.load(op::MOVUPS, Width::Y, Vector(0), at(PIECE, threads::BYTES));
            this.asm.store(op::MOVUPS_STORE, Width::Y, indexed(FILE, Register::RDX, 1, 0), Vector(0));
            this.asm.ri(Opcode::Add_rm64_imm8, PIECE, threads::PIECE_BYTES as i32);
        });
    }

    /// Does something as often as [`PIECES`] says, from the first piece of a list on, at [`PIECE`],
    /// which goes on to the next.
    fn pieces(&mut self, list: u32, each: impl FnOnce(&mut Self)) {
        let done = self.asm.label();
        self.frame(PIECE, list);
        self.asm.rr(Opcode::Test_rm32_r32, PIECES, PIECES);
        self.asm.jump(Opcode::Je_rel32_64, done);
        let again = self.asm.here();
        each(self);
        self.asm.ri(Opcode::Sub_rm32_imm8, PIECES, 1);
        self.asm.jump(Opcode::Jne_rel32_64, again);
        self.asm.bind(done);
    }

    /// Makes dwords zero by a vector that is.
    fn clear(&mut self, table: Register, count: u32, zeros: Vector) {
        let mut done = 0;
        while done < count {
            let some = [8, 4, 2, 1].into_iter().find(|some| count - done >= *some).unwrap_or(1);
            self.store_bytes(at(table, done * 4), some * 4, zeros);
            done += some;
        }
    }

    /// Behind the end of a thread, as far as these channels are concerned: others may begin in
    /// turn.
    pub(crate) fn end_thread(&mut self, n: u32, ends: u32) {
        let otherwise = self.exit_at(n, exit::END);
        self.asm.mi(Opcode::Cmp_rm64_imm8, at(FRAME, offset::IN_TURN), 0);
        self.asm.jump(Opcode::Je_rel32_64, otherwise);
        if ends != u32::MAX {
            self.asm.ri(Opcode::Test_rm32_imm32, ACTIVE, !ends as i32);
            self.asm.jump(Opcode::Jne_rel32_64, otherwise);
        }
        self.frame(Register::RCX, offset::OCCUPIED);
        self.go_if_any_word(0..self.routine.blocks.len() as u32 / 64 + 1, otherwise);
        let in_turn = self.in_turn;
        self.asm.jump(Opcode::Jmp_rel32_64, in_turn);
    }

    /// Leaves.
    pub(crate) fn exit(&mut self, n: u32, kind: u32) {
        self.asm.ri(Opcode::Mov_r32_imm32, Register::EAX, (n << exit::BITS | kind) as i32);
        self.asm.jump(Opcode::Jmp_rel32_64, self.leave);
    }

    /// A label at which it leaves.
    pub(crate) fn exit_at(&mut self, n: u32, kind: u32) -> Label {
        let from = self.asm.label();
        self.aside(|this| {
            this.asm.bind(from);
            this.exit(n, kind);
        });
        from
    }
}
