//! The buffer of a transfer: its entry, where its words are, and how far they go.

use iced_x86::{Code, MemoryOperand, Register};

use crate::asm::{Label, at};
use crate::emit::{Emitter, FILE, FRAME};
use crate::frame::{SURFACES, offset};
use crate::ir::{Space, Transfer};
use crate::scatter::marks_of;

/// The registers that a transfer uses: what is known of the buffer, its first word, the first
/// channel's offset, and the limit of offsets.
pub(crate) const PLACE: Register = Register::RAX;
pub(crate) const WORDS: Register = Register::RSI;
pub(crate) const FIRST: Register = Register::RDI;
pub(crate) const LIMIT: Register = Register::RDX;

/// How far behind a channel's address its data end.
pub(crate) fn extent(transfer: &Transfer) -> u32 {
    reach(transfer, transfer.unit.bytes())
}

/// The same if there are so many bytes from the last element on.
pub(crate) fn reach(transfer: &Transfer, bytes: u32) -> u32 {
    transfer.elements.iter().map(|(distance, _)| *distance).max().unwrap_or(0) + bytes
}

impl Emitter<'_> {
    /// Finds the buffer of a surface or of the group: its entry, from [`PLACE`] on.
    pub(crate) fn find(&mut self, transfer: &Transfer, slow: Label) -> Option<()> {
        self.place = 0;
        match transfer.space {
            Space::Local => {
                self.frame(PLACE, offset::LOCAL);
                return Some(());
            }
            Space::Surface(element) if self.states.get(&element).is_some_and(|n| *n < SURFACES) => {
                self.frame(PLACE, offset::SURFACES);
                self.place = self.states[&element] << PLACE_SHIFT;
                return Some(());
            }
            Space::Surface(element) => {
                self.frame(PLACE, offset::STATES);
                self.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(PLACE, element * 4));
            }
            Space::Named(place) => self.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(FILE, place)),
            Space::Private { number, unit } => {
                self.find_part((number, unit), marks_of(transfer.access), slow);
                return Some(());
            }
            Space::Flat => return None,
        }
        self.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::SURFACE_COUNT));
        self.asm.jump(Code::Jae_rel32_64, slow);
        self.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
        self.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::SURFACES));
        Some(())
    }

    /// Makes an entry of the part of the memory of threads that begins at so many units, as if that
    /// were a buffer.
    fn find_part(&mut self, (number, unit): (u32, u32), marks: u32, slow: Label) {
        let (begin, value) = (Register::RCX, Register::RDX);
        let part = |distance: u32| at(FRAME, offset::PART + distance);
        self.asm.rm(Code::Mov_r32_rm32, Register::ECX, at(FILE, number));
        if unit == 16 {
            self.asm.ri(Code::Shl_rm64_imm8, begin, 4);
        }
        self.asm.mr(Code::Mov_rm64_r64, at(FRAME, offset::BEGIN), begin);
        self.frame(PLACE, offset::PRIVATE);
        self.asm.rm(Code::Mov_r64_rm64, value, at(PLACE, offset::REACH));
        self.asm.rr(Code::Sub_r64_rm64, value, begin);
        self.asm.jump(Code::Jb_rel32_64, slow);
        self.asm.mr(Code::Mov_rm64_r64, part(offset::REACH), value);
        self.asm.rm(Code::Add_r64_rm64, begin, at(PLACE, offset::WORDS));
        self.asm.mr(Code::Mov_rm64_r64, part(offset::WORDS), begin);
        self.asm.rm(Code::Mov_r64_rm64, value, at(PLACE, marks));
        self.asm.mr(Code::Mov_rm64_r64, part(marks), value);
        self.asm.rm(Code::Lea_r64_m, PLACE, part(0));
    }

    /// Finds the buffer that the upper half of an address, in ECX, names.
    pub(crate) fn find_flat(&mut self, slow: Label) {
        self.place = 0;
        self.asm.rr(Code::Mov_r32_rm32, Register::EAX, Register::ECX);
        self.asm.ri(Code::Sub_rm32_imm8, Register::EAX, 1);
        self.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::BUFFER_COUNT));
        self.asm.jump(Code::Jae_rel32_64, slow);
        self.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
        self.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::BUFFERS));
    }

    /// Something in the entry of the buffer.
    pub(crate) fn of_place(&self, distance: u32) -> MemoryOperand {
        at(PLACE, self.place + distance)
    }

    /// Where the words of the buffer are; the flags stay as they are.
    pub(crate) fn words(&mut self) {
        self.asm.rm(Code::Mov_r64_rm64, WORDS, self.of_place(offset::WORDS));
    }

    /// The largest offset with which all of a channel's data are inside.
    pub(crate) fn limit(&mut self, transfer: &Transfer, slow: Label) {
        self.asm.rm(Code::Mov_r64_rm64, LIMIT, self.of_place(offset::REACH));
        self.asm.ri(Code::Sub_rm64_imm32, LIMIT, extent(transfer) as i32);
        self.asm.jump(Code::Jb_rel32_64, slow);
    }
}

/// The size of a buffer's entry in its table, as a power of two.
const PLACE_SHIFT: i32 = 6;
const _: () = assert!(size_of::<crate::frame::Place>() == 1 << PLACE_SHIFT);
