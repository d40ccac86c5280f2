//! Memory: elements between buffers and registers, for many channels or for one.
//!
//! All channels are checked before anything is moved, of 32 channels 16 at a time: those that are a
//! row or all at one place by its ends, others one by one. Whatever is not as usual (another
//! buffer, a place outside, an address that is no multiple of four, an access that the caller wants
//! to make) lets the caller do the whole step.

use iced_x86::{Code, Register};

use crate::alike::{Member, Members};
use crate::asm::{Label, Vector, Width, at, indexed};
use crate::buffer::{FIRST, LIMIT, WORDS, reach};
use crate::cache::{Bytes, Tag};
use crate::choice::Choice;
use crate::emit::{ENABLED, Emitter, Enabled, FILE, Later, bytes_of};
use crate::frame::offset;
use crate::ir::{Access, Addresses, Mask, Space, Transfer, Unit};
use crate::op;
use crate::scatter::{Mark, mark};
use crate::whole::{Otherwise, Part, parts};

/// A transfer of 4, 8 or 16 channels, or of 32 if all are enabled: their offsets in the buffer at
/// [`PLACE`], of which the first is in [`FIRST`].
#[derive(Clone)]
pub(crate) struct Channels<'a> {
    pub(crate) mask: &'a Mask,
    pub(crate) transfer: &'a Transfer,
    /// As many channels at a time, and how often.
    pub(crate) lanes: u32,
    pub(crate) halves: u32,
    /// From a place in the registers to that for the next ones.
    pub(crate) pitch: u32,
    /// Nothing where it is enough to know the first channel's.
    pub(crate) offsets: Vec<Vector>,
    /// The enabled ones, unless all are.
    pub(crate) masks: Vec<Choice>,
    pub(crate) mark: Mark,
    /// Where the caller does the whole step.
    pub(crate) slow: Label,
    /// What it is alike with.
    pub(crate) member: Option<Member>,
    /// What is done if they are no row.
    pub(crate) otherwise: Otherwise<'a>,
}

impl Channels<'_> {
    /// How wide a vector of dwords is.
    pub(crate) fn width(&self) -> Width {
        Width::of(self.lanes * 4)
    }
}

/// Whether elements one behind the other can be moved as what they are, a row.
pub(crate) fn may_be_row(transfer: &Transfer) -> bool {
    let size = transfer.unit.bytes();
    size.is_multiple_of(transfer.alignment) && size != 3
}

/// What a transfer's numbers need.
pub(crate) fn constants_of(transfer: &Transfer) -> Vec<Vec<u8>> {
    let offset = i64::from(transfer.offset) as u64;
    let low = u64::from(transfer.alignment) - 1;
    let numbers = [u64::from(transfer.scale), low, 8, 16];
    numbers.map(|value| bytes_of(value, 4)).into_iter().chain([4, 8].map(|bytes| bytes_of(offset, bytes))).collect()
}

impl Emitter<'_> {
    /// A transfer. `step` is its number, for the caller.
    pub(crate) fn transfer(&mut self, mask: &Mask, transfer: &Transfer, step: u32) -> Option<()> {
        let slow = self.asm.label();
        let members = self.members_of(step);
        let transfer = &self.without_rest(mask, transfer);
        let parts = parts(mask, transfer, members)?;
        for part in &parts {
            self.prepare(&part.mask, &part.transfer)?;
        }
        // From here on what a register holds is not written on every way.
        let unwritten = self.cache.unwritten();
        self.is_branching = true;
        if mask.lanes == u32::MAX && self.may_be_whole(step, mask, transfer) {
            let [.., whole] = members;
            self.many(mask, (transfer, None), (false, whole), (slow, Otherwise::Parts(&parts)))?;
        } else {
            self.parts(&parts, slow)?;
        }
        let (back, known) = (self.asm.here(), self.cache.known());
        let (is_full, flags) = (self.is_full, self.flags);
        self.later.push(Later::Outside { from: slow, step, back, known, unwritten, is_full, flags });
        Some(())
    }

    /// What is known of a step.
    pub(crate) fn members_of(&self, step: u32) -> Members {
        self.members.get((step - self.first_step) as usize).copied().unwrap_or_default()
    }

    /// Parts of a transfer, one after the other.
    pub(crate) fn parts(&mut self, parts: &[Part], slow: Label) -> Option<()> {
        for Part { mask, transfer, member } in parts {
            let [nobody, done] = [(); 2].map(|()| self.asm.label());
            let before = (!self.is_all(mask)).then(|| self.cache.known());
            let is_some = self.enabled(mask) == Enabled::Some;
            if is_some {
                self.asm.rr(Code::Test_rm32_r32, ENABLED, ENABLED);
                self.asm.jump(Code::Je_rel32_64, nobody);
            }
            match (mask.lanes.count_ones(), transfer.access) {
                (1, Access::Load | Access::Store) => self.single(transfer, slow)?,
                (4, _) if transfer.unit == Unit::Qword => return None,
                (4 | 8 | 16, _) => {
                    self.many(mask, (transfer, None), (is_some, *member), (slow, Otherwise::Other))?;
                }
                _ => return None,
            }
            self.asm.bind(done);
            if let Some(before) = before {
                let (known, is_full) = (self.cache.known(), self.is_full);
                self.later.push(Later::Restore { from: nobody, back: done, known, before, is_full });
            }
            self.enabled = None;
        }
        Some(())
    }

    /// The same transfer, which need not keep what does not matter behind it.
    fn without_rest(&self, mask: &Mask, transfer: &Transfer) -> Transfer {
        let mut transfer = transfer.clone();
        if let Unit::Part { bytes: bytes @ 1..=3, keeps: true } = transfer.unit {
            let lanes = 0..32 - mask.lanes.leading_zeros();
            let mut all = transfer.elements.iter().flat_map(|(_, at)| lanes.clone().map(move |lane| at + lane * 4));
            let keeps = all.any(|at| self.behind.touch(at + bytes, 4 - bytes));
            transfer.unit = Unit::Part { bytes, keeps };
        }
        transfer
    }

    /// Writes what a transfer reads from the register file, and what it may write a part of.
    pub(crate) fn prepare(&mut self, mask: &Mask, transfer: &Transfer) -> Option<()> {
        let lanes = mask.lanes.count_ones();
        let row = lanes.min(self.widest().bytes() / 4) * 4;
        let addresses = transfer.addresses.place().map(|at| Bytes { at, bytes: lanes * transfer.addresses.bytes() });
        let is_extended = matches!(transfer.addresses, Addresses::Offsets { .. });
        let global = transfer.global.map(|(at, bytes)| Bytes { at, bytes });
        let named = transfer.space.number().map(|at| Bytes { at, bytes: 4 });
        for place in addresses.into_iter().filter(|_| lanes > 1 && !is_extended) {
            for at in (place.at..place.at + place.bytes).step_by(row as usize) {
                self.prepare_value(Tag::Row { at, bytes: row }, Bytes { at, bytes: row })?;
            }
        }
        for place in global.into_iter().filter(|_| lanes > 1) {
            let tag = Tag::Splat { at: place.at, bytes: place.bytes, width: Width::of(row) };
            self.prepare_value(tag, place)?;
        }
        let single = [addresses, global].into_iter().flatten().filter(|_| lanes == 1);
        // They are extended as they are loaded.
        let extended = addresses.filter(|_| lanes > 1 && is_extended);
        for place in single.chain(named).chain(extended) {
            self.write_what(|other| other.touches(place))?;
        }
        let replaces = self.is_all(mask)
            && transfer.access == Access::Load
            && !matches!(transfer.unit, Unit::Part { keeps: true, .. });
        for (_, at) in &transfer.elements {
            let place = Bytes { at: *at, bytes: lanes * transfer.unit.register_bytes() };
            if transfer.access == Access::Store
                && transfer.elements.len() == 1
                && transfer.unit == Unit::Dword
                && lanes > 1
            {
                for at in (place.at..place.at + place.bytes).step_by(row as usize) {
                    self.prepare_value(Tag::Row { at, bytes: row }, Bytes { at, bytes: row })?;
                }
                continue;
            }
            self.write_what(|other| other.touches(place) && !(replaces && other.is_inside(place)))?;
        }
        Some(())
    }

    /// Writes what has to be loaded as another thing than what registers hold.
    fn prepare_value(&mut self, tag: Tag, place: Bytes) -> Option<()> {
        if self.cache.has(&tag) {
            return Some(());
        }
        self.write_what(|other| other.touches(place))
    }

    /// The elements of a single channel.
    fn single(&mut self, transfer: &Transfer, slow: Label) -> Option<()> {
        let first = Register::EDI;
        let is_flat = transfer.space == Space::Flat;
        match transfer.addresses {
            Addresses::None => self.asm.rr(Code::Xor_r32_rm32, first, first),
            Addresses::Dwords(place) => self.asm.rm(Code::Mov_r32_rm32, first, at(FILE, place)),
            Addresses::Qwords(place) => self.asm.rm(Code::Mov_r64_rm64, FIRST, at(FILE, place)),
            Addresses::Offsets { at: place, signed } => {
                if signed {
                    self.asm.rm(Code::Movsxd_r64_rm32, FIRST, at(FILE, place));
                } else {
                    self.asm.rm(Code::Mov_r32_rm32, first, at(FILE, place));
                }
                let bits = factor_bits(transfer)?;
                if bits > 0 {
                    self.asm.ri(Code::Shl_rm64_imm8, FIRST, bits);
                }
            }
        }
        match (transfer.global, is_flat) {
            (None, _) => {}
            (Some((place, 8)), true) => self.asm.rm(Code::Add_r64_rm64, FIRST, at(FILE, place)),
            (Some((place, _)), true) => {
                self.asm.rm(Code::Mov_r32_rm32, Register::ECX, at(FILE, place));
                self.asm.rr(Code::Add_r64_rm64, FIRST, Register::RCX);
            }
            (Some((place, _)), false) => self.asm.rm(Code::Add_r32_rm32, first, at(FILE, place)),
        }
        if transfer.scale != 1 && !matches!(transfer.addresses, Addresses::Offsets { .. }) {
            (!is_flat).then_some(())?;
            self.asm.r2i(Code::Imul_r32_rm32_imm32, first, first, transfer.scale as i32);
        }
        if transfer.offset != 0 {
            let code = if is_flat { Code::Add_rm64_imm32 } else { Code::Add_rm32_imm32 };
            self.asm.ri(code, if is_flat { FIRST } else { first }, transfer.offset);
        }
        if is_flat {
            self.asm.rr(Code::Mov_r64_rm64, Register::RCX, FIRST);
            self.asm.ri(Code::Shr_rm64_imm8, Register::RCX, 32);
            self.find_flat(slow);
            self.asm.rr(Code::Mov_r32_rm32, first, first);
        } else {
            self.find(transfer, slow)?;
        }
        if transfer.space == Space::Local {
            self.asm.ri(Code::And_rm32_imm32, first, LOCAL_OFFSETS as i32);
        }
        self.limit(transfer, slow);
        self.asm.rr(Code::Cmp_r64_rm64, FIRST, LIMIT);
        self.asm.jump(Code::Ja_rel32_64, slow);
        if transfer.alignment > 1 {
            self.asm.ri(Code::Test_rm32_imm32, first, transfer.alignment as i32 - 1);
            self.asm.jump(Code::Jne_rel32_64, slow);
        }
        let is_store = transfer.access == Access::Store;
        if transfer.space != Space::Local {
            self.mark_single(transfer, slow);
        }
        self.words();
        let elements = match transfer.unit {
            Unit::Part { bytes, keeps } => return self.single_part(transfer, bytes, keeps),
            Unit::Dword => transfer.elements.clone(),
            Unit::Qword => transfer.elements.iter().flat_map(|(d, at)| [(*d, *at), (d + 4, at + 4)]).collect(),
        };
        let mut rest = &elements[..];
        while let Some(&(distance, place)) = rest.first() {
            // As many as stand together on both sides.
            let together = (0..).zip(rest).take_while(|(n, element)| **element == (distance + n * 4, place + n * 4));
            let count = match together.count() {
                16.. if self.has_bits => 16,
                8.. => 8,
                4.. => 4,
                _ => 1,
            };
            let memory = indexed(WORDS, FIRST, 1, distance.into());
            let (width, moved) = (Width::of(count * 4), self.cache.take()?);
            match (count, is_store) {
                (1, false) => {
                    self.asm.rm(Code::Mov_r32_rm32, Register::ECX, memory);
                    self.asm.mr(Code::Mov_rm32_r32, at(FILE, place), Register::ECX);
                }
                (1, true) => {
                    self.asm.rm(Code::Mov_r32_rm32, Register::ECX, at(FILE, place));
                    self.asm.mr(Code::Mov_rm32_r32, memory, Register::ECX);
                }
                (_, false) => {
                    self.asm.load(op::MOVUPS, width, moved, memory);
                    self.asm.store(op::MOVUPS_STORE, width, at(FILE, place), moved);
                }
                (_, true) => {
                    self.asm.load(op::MOVUPS, width, moved, at(FILE, place));
                    self.asm.store(op::MOVUPS_STORE, width, memory, moved);
                }
            }
            self.cache.drop(moved);
            if !is_store {
                self.cache.forget(place, count * 4);
            }
            rest = &rest[count as usize..];
        }
        Some(())
    }

    /// The bytes of a single channel.
    fn single_part(&mut self, transfer: &Transfer, bytes: u32, keeps: bool) -> Option<()> {
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
        self.asm.rm(load, value, from);
        match bytes {
            1 if is_store || keeps => self.asm.mr(Code::Mov_rm8_r8, to, Register::CL),
            2 if is_store || keeps => self.asm.mr(Code::Mov_rm16_r16, to, Register::CX),
            _ => self.asm.mr(Code::Mov_rm32_r32, to, value),
        }
        if !is_store {
            self.cache.forget(place, 4);
        }
        Some(())
    }

    /// The elements of 4, 8, 16 or 32 channels. Those in the registers follow each other, unless it
    /// is said how far it is from those of as many channels as there are at a time to the next.
    pub(crate) fn many(
        &mut self,
        mask: &Mask,
        (transfer, pitch): (&Transfer, Option<u32>),
        (is_some, member): (bool, Option<Member>),
        (slow, otherwise): (Label, Otherwise<'_>),
    ) -> Option<()> {
        let lanes = mask.lanes.count_ones().min(self.widest().bytes() / 4);
        let halves = mask.lanes.count_ones() / lanes;
        let pitch = pitch.unwrap_or(lanes * transfer.unit.register_bytes());
        let offsets = match transfer.addresses {
            Addresses::Dwords(place) if transfer.space != Space::Flat => {
                self.find(transfer, slow)?;
                let offsets: Option<Vec<_>> =
                    (0..halves).map(|half| self.dword_offsets(transfer, lanes, place + half * lanes * 4)).collect();
                offsets?
            }
            Addresses::Qwords(place) if transfer.space == Space::Flat => match member {
                Some(Member { is_first: false, .. }) => {
                    self.first_flat(transfer, (place, lanes), slow)?;
                    Vec::new()
                }
                _ => self.flat_offsets(mask, transfer, lanes, is_some, slow)?,
            },
            Addresses::Offsets { .. } => self.flat_offsets(mask, transfer, lanes, is_some, slow)?,
            _ => return None,
        };
        let mut masks = Vec::new();
        for half in (0..halves).filter(|_| is_some) {
            masks.push(self.enabled_elements(mask, half * lanes, 4, Width::of(lanes * 4))??);
        }
        let mark = mark(mask, transfer, is_some)?;
        let channels =
            Channels { mask, transfer, lanes, halves, pitch, offsets, masks, mark, slow, member, otherwise };
        self.first_offset(&channels);
        match transfer.access {
            Access::Load => self.get(&channels)?,
            Access::Store => self.put(&channels)?,
            Access::Update(change) => self.update(&channels, change)?,
        }
        channels.offsets.iter().for_each(|vector| self.cache.drop(*vector));
        channels.masks.iter().for_each(|choice| self.drop_choice(*choice));
        Some(())
    }

    /// The first channel's offset, in [`FIRST`].
    fn first_offset(&mut self, channels: &Channels<'_>) {
        if let Some(offsets) = channels.offsets.first() {
            self.asm.rr(Code::VEX_Vmovd_rm32_xmm, Register::EDI, offsets.register(Width::X));
        }
    }

    /// The same channels with all of their offsets, which only the first one's has been found of
    /// before.
    pub(crate) fn with_offsets<'c>(&mut self, channels: &Channels<'c>) -> Option<Channels<'c>> {
        let mut channels = channels.clone();
        if channels.offsets.is_empty() && channels.transfer.space == Space::Flat {
            let Channels { mask, transfer, lanes, slow, .. } = channels;
            channels.offsets = self.flat_offsets(mask, transfer, lanes, false, slow)?;
            self.first_offset(&channels);
        }
        Some(channels)
    }

    /// Goes on when the data of all enabled channels are inside and aligned, wherever they are, and
    /// the caller does not want to make the access; [`LIMIT`], [`WORDS`] and who wants to know of
    /// it are known then. The flags say whether somebody does.
    ///
    /// Nothing that is loaded here is known behind it, since it is not on every way.
    pub(crate) fn all_inside(&mut self, channels: &Channels<'_>) -> Option<()> {
        let (x, w) = (Width::X, channels.width());
        let Channels { transfer, offsets, masks, slow, .. } = channels;
        self.limit(transfer, *slow);
        let [limit, low] = [self.cache.take()?, self.cache.take()?];
        let [bad, rest] = [self.cache.take()?, self.cache.take()?];
        self.asm.rr(Code::VEX_Vmovd_xmm_rm32, limit.register(x), Register::EDX);
        self.asm.v2(op::BROADCASTD, w, limit, limit, x);
        if transfer.alignment > 1 {
            self.load(low, &Tag::Number { bits: u64::from(transfer.alignment) - 1, bytes: 4, width: w });
        }
        for (half, offset) in offsets.iter().enumerate() {
            let to = if half == 0 { bad } else { rest };
            self.asm.v3(op::PMINUD, w, to, *offset, limit);
            self.asm.v3(op::PXOR, w, to, to, *offset);
            if transfer.alignment > 1 {
                let part = self.cache.take()?;
                self.asm.v3(op::PAND, w, part, *offset, low);
                self.asm.v3(op::POR, w, to, to, part);
                self.cache.drop(part);
            }
            if let Some(Choice::Ones(mask)) = masks.get(half) {
                self.asm.v3(op::PAND, w, to, to, *mask);
            }
            if half > 0 {
                self.asm.v3(op::POR, w, bad, bad, rest);
            }
        }
        let bits = masks.first().copied().filter(|choice| matches!(choice, Choice::Bits(_)));
        self.jump_if_any(w, bad, bits, *slow);
        [limit, low, bad, rest].into_iter().for_each(|vector| self.cache.drop(vector));
        self.ask(channels, None);
        self.words();
        Some(())
    }

    /// Goes on when so many bytes from the first channel's offset on are inside and aligned, with
    /// [`WORDS`]; else elsewhere. Who wants to know of them is told of `bytes` bytes for each
    /// element.
    pub(crate) fn near_inside(&mut self, channels: &Channels<'_>, bytes: u32, otherwise: Label) {
        let transfer = channels.transfer;
        let end = indexed(FIRST, Register::None, 1, reach(transfer, bytes).into());
        self.asm.rm(Code::Lea_r64_m, Register::R9, end);
        self.asm.rm(Code::Cmp_r64_rm64, Register::R9, self.of_place(offset::REACH));
        self.asm.jump(Code::Ja_rel32_64, otherwise);
        if transfer.alignment > 1 {
            self.asm.ri(Code::Test_rm32_imm32, Register::EDI, transfer.alignment as i32 - 1);
            self.asm.jump(Code::Jne_rel32_64, otherwise);
        }
        self.mark_row(channels, bytes);
        self.words();
    }
}

/// The binary logarithm of the factor of extended offsets; nothing where there is none.
pub(crate) fn factor_bits(transfer: &Transfer) -> Option<i32> {
    transfer.scale.is_power_of_two().then(|| transfer.scale.trailing_zeros() as i32)
}

/// The bits of an address in the memory of a group that count.
pub(crate) const LOCAL_OFFSETS: u32 = 0x0fff_ffff;
