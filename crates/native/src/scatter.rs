//! Channels of a transfer one by one, and marks of what they access.

use iced_x86::{Code, MemoryOperand, Register};

use crate::asm::{Label, at, indexed};
use crate::buffer::{FIRST, WORDS, extent, reach};
use crate::cache::Bytes;
use crate::emit::{ENABLED, Emitter, FILE, FRAME};
use crate::frame::{CALLER, PAGE_BITS, PAGES, offset};
use crate::ir::{Access, Change, Mask, Space, Transfer, Unit};
use crate::op;
use crate::transfer::Channels;

/// Where the bits are that say what was accessed; null when nobody wants to know.
const MARKS: Register = Register::RCX;
/// While channels are done one by one: the number of one, and the bits of those that are left.
const CHANNEL: Register = Register::R9;
const REST: Register = Register::R10D;

/// What is marked for each channel when there are [`MARKS`].
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    /// The bits, from that of the channel's address on; none for memory of which nobody wants to
    /// know.
    pub(crate) bits: u32,
    /// The channels, if all of the transfer's are enabled.
    pub(crate) lanes: Option<u32>,
}

/// What is done for channels one by one.
pub(crate) enum OneByOne<'t> {
    /// Marks alone.
    Mark,
    /// Moves elements: their distances and places.
    Move { access: Access, unit: Unit, elements: &'t [(u32, u32)] },
    /// Changes dwords, by those at a place.
    Update { change: Change, operand: u32, is_shared: bool },
}

/// What is to be marked. Nothing when that is too far apart.
pub(crate) fn mark(mask: &Mask, transfer: &Transfer, is_some: bool) -> Option<Mark> {
    let lanes = (!is_some).then_some(mask.lanes);
    if transfer.space == Space::Local {
        return Some(Mark { bits: 0, lanes });
    }
    // Marks of up to 25 bytes fit into a dword wherever they begin.
    let own = u64::MAX >> (64 - transfer.unit.bytes());
    let bits = transfer.elements.iter().fold(0_u64, |bits, (distance, _)| bits | own << (*distance).min(56));
    let bits = u32::try_from(bits).ok().filter(|bits| *bits < 1 << 25)?;
    Some(Mark { bits, lanes })
}

impl Emitter<'_> {
    /// Goes aside when a condition holds, and comes back behind that, or before to the label that
    /// it is given.
    fn detour(&mut self, condition: Code, write: impl FnOnce(&mut Self, Label)) {
        let [from, back] = [(); 2].map(|()| self.asm.label());
        self.asm.jump(condition, from);
        self.asm.bind(back);
        self.aside(|this| {
            this.asm.bind(from);
            write(this, back);
            this.asm.jump(Code::Jmp_rel32_64, back);
        });
    }

    /// Finds out who wants to know of an access, [`MARKS`], and lets the caller make it if that is
    /// what it wants; of channels that are together in so many bytes from the first one on, if they
    /// are. The flags say whether anything is left to be marked.
    pub(crate) fn ask(&mut self, channels: &Channels<'_>, together: Option<u32>) {
        if channels.mark.bits == 0 {
            return;
        }
        let Channels { transfer, slow, .. } = channels;
        self.asm.rm(Code::Mov_r64_rm64, MARKS, self.of_place(marks_of(transfer.access)));
        self.asm.ri(Code::Test_rm32_imm32, Register::ECX, PAGES as i32);
        self.detour(Code::Jne_rel32_64, |this, _| {
            match together {
                Some(bytes) => this.mark_pages(transfer, reach(transfer, bytes)),
                None => this.mark_pages_of_each(channels),
            }
            this.asm.rr(Code::Xor_r32_rm32, Register::ECX, Register::ECX);
        });
        self.asm.ri(Code::Cmp_rm64_imm8, MARKS, CALLER as i32);
        self.asm.jump(Code::Je_rel32_64, *slow);
    }

    /// Marks what a single channel accesses, where somebody wants to know; lets the caller make the
    /// access unless the bits are for pages.
    pub(crate) fn mark_single(&mut self, transfer: &Transfer, slow: Label) {
        self.asm.mi(Code::Cmp_rm64_imm8, self.of_place(marks_of(transfer.access)), 0);
        self.detour(Code::Jne_rel32_64, |this, _| {
            this.asm.rm(Code::Mov_r64_rm64, MARKS, this.of_place(marks_of(transfer.access)));
            this.asm.ri(Code::Test_rm32_imm32, Register::ECX, PAGES as i32);
            this.asm.jump(Code::Je_rel32_64, slow);
            this.mark_pages(transfer, extent(transfer));
        });
    }

    /// Marks the pages of so many bytes from the first channel's offset on: [`MARKS`] are for
    /// pages.
    fn mark_pages(&mut self, transfer: &Transfer, bytes: u32) {
        let page = Register::R11;
        for distance in [0, bytes.max(1) - 1] {
            let byte = indexed(FIRST, Register::None, 1, distance.into());
            self.asm.rm(Code::Lea_r64_m, page, byte);
            if let Space::Private { .. } = transfer.space {
                self.asm.rm(Code::Add_r64_rm64, page, at(FRAME, offset::BEGIN));
            }
            self.asm.ri(Code::Shr_rm64_imm8, page, PAGE_BITS as i32);
            let bits = indexed(MARKS, Register::None, 1, -(PAGES as i64));
            self.asm.mr(Code::Bts_rm64_r64, bits, page);
        }
    }

    /// The same for what each channel accesses.
    fn mark_pages_of_each(&mut self, channels: &Channels<'_>) {
        self.store_offsets(channels);
        self.keep_first();
        let again = self.begin_channels(channels.mark);
        self.mark_pages(channels.transfer, extent(channels.transfer));
        self.next_channel(again);
        self.first_again();
    }

    /// Keeps the first channel's offset while there are others in its place; no function runs then.
    fn keep_first(&mut self) {
        self.asm.mr(Code::Mov_rm32_r32, at(FRAME, offset::OPERANDS), Register::EDI);
    }

    fn first_again(&mut self) {
        self.asm.rm(Code::Mov_r32_rm32, Register::EDI, at(FRAME, offset::OPERANDS));
    }

    /// Begins with the first of the channels whose offsets have been written: its number in
    /// [`CHANNEL`], its offset in place of the first one's. Gives where the next one goes on.
    fn begin_channels(&mut self, mark: Mark) -> Label {
        match mark.lanes {
            Some(lanes) => self.asm.ri(Code::Mov_r32_imm32, REST, lanes as i32),
            None => self.asm.rr(Code::Mov_r32_rm32, REST, ENABLED),
        }
        let again = self.asm.here();
        self.asm.rr(Code::Tzcnt_r32_rm32, Register::R9D, REST);
        self.asm.rm(Code::Mov_r32_rm32, Register::EDI, indexed(FRAME, CHANNEL, 4, offset::SCRATCH.into()));
        again
    }

    /// Goes on with the next channel, until there is none.
    fn next_channel(&mut self, again: Label) {
        self.asm.rr(Code::VEX_Blsr_r32_rm32, REST, REST);
        self.asm.jump(Code::Jne_rel32_64, again);
    }

    /// Writes the offsets of channels where they are read one by one.
    fn store_offsets(&mut self, channels: &Channels<'_>) {
        for (half, offsets) in (0..).zip(&channels.offsets) {
            let (width, place) = (channels.width(), offset::SCRATCH + half * channels.lanes * 4);
            self.asm.store(op::MOVUPS_STORE, width, at(FRAME, place), *offsets);
        }
    }

    /// Marks each channel's elements, where somebody wants to know: [`CALLER`] was compared with
    /// that.
    pub(crate) fn mark_each(&mut self, channels: &Channels<'_>) {
        if channels.mark.bits == 0 {
            return;
        }
        self.detour(Code::Ja_rel32_64, |this, _| this.scatter(channels, channels.mark, OneByOne::Mark));
    }

    /// Marks the elements of channels that are a row, or all at one place, where somebody wants to
    /// know: so many bytes for each. The caller makes the access if that is what it wants.
    pub(crate) fn mark_row(&mut self, channels: &Channels<'_>, bytes: u32) {
        if channels.mark.bits == 0 {
            return;
        }
        self.asm.mi(Code::Cmp_rm64_imm8, self.of_place(marks_of(channels.transfer.access)), 0);
        self.detour(Code::Jne_rel32_64, |this, back| {
            this.ask(channels, channels.masks.is_empty().then_some(bytes));
            this.asm.jump(Code::Jb_rel32_64, back);
            if channels.masks.is_empty() {
                let distances = channels.transfer.elements.iter().map(|(distance, _)| *distance);
                distances.for_each(|distance| this.mark_bytes(distance, bytes));
            } else {
                this.scatter(channels, channels.mark, OneByOne::Mark);
            }
        });
    }

    /// Changes the dwords of the channels one after the other.
    pub(crate) fn update(&mut self, channels: &Channels<'_>, change: Change) -> Option<()> {
        let Channels { transfer, mark, .. } = channels;
        let [(0, operand)] = transfer.elements[..] else { return None };
        (transfer.unit == Unit::Dword).then_some(())?;
        self.all_inside(channels)?;
        // Nobody else reaches the memory of a group.
        let is_shared = transfer.space != Space::Local;
        self.scatter(channels, *mark, OneByOne::Update { change, operand, is_shared });
        Some(())
    }

    /// Marks so many bytes at a distance from the first channel.
    fn mark_bytes(&mut self, distance: u32, bytes: u32) {
        let (byte, bit, ones) = (Register::R9, Register::R10, Register::R11);
        for start in (0..bytes).step_by(32) {
            let count = (bytes - start).min(32);
            let first = indexed(FIRST, Register::None, 1, i64::from(distance + start));
            self.asm.rm(Code::Lea_r64_m, byte, first);
            self.asm.rr(Code::Mov_r32_rm32, Register::R10D, Register::R9D);
            self.asm.ri(Code::And_rm32_imm8, Register::R10D, 7);
            self.asm.ri(Code::Shr_rm64_imm8, byte, 3);
            self.asm.ri(Code::Mov_r32_imm32, Register::R11D, (u32::MAX >> (32 - count)) as i32);
            self.asm.rrr(Code::VEX_Shlx_r64_rm64_r64, ones, ones, bit);
            self.asm.mr(Code::Or_rm64_r64, indexed(MARKS, byte, 1, 0), ones);
        }
    }

    /// Channels one by one, the first one first.
    pub(crate) fn scatter(&mut self, channels: &Channels<'_>, mark: Mark, what: OneByOne<'_>) {
        let value = Register::R11D;
        let (offsets, lanes) = (&channels.offsets, channels.lanes);
        if let OneByOne::Move { access: Access::Store, elements, .. } = &what {
            // What is stored has to be where it is taken from.
            let bytes = lanes * 4 * offsets.len() as u32;
            let is_stored = |place: Bytes| elements.iter().any(|(_, at)| place.touches(Bytes { at: *at, bytes }));
            let unwritten = self.cache.unwritten().into_iter().filter(|(_, place)| is_stored(*place));
            unwritten.for_each(|(vector, place)| self.store_row(place.at, place.bytes, vector));
        }
        self.store_offsets(channels);
        if let OneByOne::Mark = what {
            self.keep_first();
        }
        if mark.bits != 0 {
            let nobody = self.asm.label();
            self.asm.rr(Code::Test_rm64_r64, MARKS, MARKS);
            self.asm.jump(Code::Je_rel32_64, nobody);
            let again = self.begin_channels(mark);
            self.asm.ri(Code::Mov_r32_imm32, value, mark.bits as i32);
            self.asm.rr(Code::Mov_r32_rm32, Register::R9D, Register::EDI);
            self.asm.ri(Code::And_rm32_imm8, Register::R9D, 7);
            self.asm.rrr(Code::VEX_Shlx_r32_rm32_r32, value, value, Register::R9D);
            self.asm.ri(Code::Shr_rm32_imm8, Register::EDI, 3);
            self.asm.mr(Code::Or_rm32_r32, indexed(MARKS, FIRST, 1, 0), value);
            self.next_channel(again);
            self.asm.bind(nobody);
        }
        match what {
            OneByOne::Mark => self.first_again(),
            OneByOne::Move { access, unit, elements } => {
                for &(distance, place) in elements {
                    let again = self.begin_channels(mark);
                    let memory = indexed(WORDS, FIRST, 1, distance.into());
                    let own = indexed(FILE, CHANNEL, unit.register_bytes(), place.into());
                    self.move_one(access, unit, [own, memory]);
                    self.next_channel(again);
                }
            }
            OneByOne::Update { change, operand, is_shared } => {
                let again = self.begin_channels(mark);
                let code = match change {
                    Change::Add | Change::Increment => Code::Add_rm32_r32,
                    Change::Sub | Change::Decrement => Code::Sub_rm32_r32,
                    Change::And => Code::And_rm32_r32,
                    Change::Or => Code::Or_rm32_r32,
                    Change::Xor => Code::Xor_rm32_r32,
                };
                if let Change::Increment | Change::Decrement = change {
                    self.asm.ri(Code::Mov_r32_imm32, value, 1);
                } else {
                    self.asm.rm(Code::Mov_r32_rm32, value, indexed(FILE, CHANNEL, 4, operand.into()));
                }
                let memory = indexed(WORDS, FIRST, 1, 0);
                if is_shared {
                    self.asm.locked(code, memory, value);
                } else {
                    self.asm.mr(code, memory, value);
                }
                self.next_channel(again);
            }
        }
    }

    /// An element of a channel, between a place in the registers and memory.
    fn move_one(&mut self, access: Access, unit: Unit, [own, memory]: [MemoryOperand; 2]) {
        let (value, long) = (Register::R11D, Register::R11);
        match (access, unit) {
            (Access::Store, Unit::Qword) => {
                self.asm.rm(Code::Mov_r64_rm64, long, own);
                self.asm.mr(Code::Mov_rm64_r64, memory, long);
            }
            (Access::Store, _) => {
                self.asm.rm(Code::Mov_r32_rm32, value, own);
                match unit.bytes() {
                    1 => self.asm.mr(Code::Mov_rm8_r8, memory, Register::R11L),
                    2 => self.asm.mr(Code::Mov_rm16_r16, memory, Register::R11W),
                    3 => {
                        self.asm.mr(Code::Mov_rm16_r16, memory, Register::R11W);
                        self.asm.ri(Code::Shr_rm32_imm8, value, 16);
                        let last = MemoryOperand { displacement: memory.displacement + 2, ..memory };
                        self.asm.mr(Code::Mov_rm8_r8, last, Register::R11L);
                    }
                    _ => self.asm.mr(Code::Mov_rm32_r32, memory, value),
                }
            }
            // Others are gathered.
            _ => {
                self.asm.rm(Code::Mov_r64_rm64, long, memory);
                self.asm.mr(Code::Mov_rm64_r64, own, long);
            }
        }
    }
}

/// Where the entry of a buffer says who wants to know of such an access.
pub(crate) fn marks_of(access: Access) -> u32 {
    match access {
        Access::Load => offset::LOADS,
        Access::Store => offset::STORES,
        Access::Update(_) => offset::UPDATES,
    }
}
