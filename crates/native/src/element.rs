//! The elements of a transfer: a row, one for all channels, or any. Rows are what the code is laid
//! out for, and everything else is aside.

use iced_x86::{Code, Register};

use crate::alike::Member;
use crate::asm::{Label, Vector, Width, at, indexed};
use crate::buffer::{FIRST, LIMIT, WORDS};
use crate::cache::{Bytes, Tag};
use crate::choice::Choice;
use crate::emit::{Emitter, FILE, FRAME, steps};
use crate::frame::offset;
use crate::ir::{Access, Kind, Unit};
use crate::op;
use crate::scatter::{Mark, OneByOne};
use crate::transfer::{Channels, may_be_row};

/// Whether words may cover each other, each a byte behind the one before.
fn covers(channels: &Channels<'_>) -> bool {
    let is_word = matches!(channels.transfer.unit, Unit::Part { bytes: 2, .. });
    channels.masks.is_empty() && channels.transfer.alignment == 1 && is_word
}

/// Elements on their way from memory to registers.
#[derive(Clone)]
struct Loading<'c> {
    channels: &'c Channels<'c>,
    /// What is loaded, for each vector of offsets: of each element, or of the last one.
    results: Vec<Vector>,
    /// Whether these are what is known behind, and nothing has been written.
    is_cached: bool,
    /// The bytes that are loaded into dwords, and those that these keep.
    low: Option<Vector>,
    rest: Option<Vector>,
    /// Free for any use.
    scratch: [Vector; 2],
}

/// A vector of what is loaded: where its element begins, its place in the registers, of which
/// offsets it is, and in what it is loaded.
type Part = (u32, u32, u32, Vector);

impl Loading<'_> {
    fn parts(&self) -> impl Iterator<Item = Part> {
        let Channels { transfer, halves, pitch, .. } = self.channels;
        let elements = transfer.elements.iter();
        let parts =
            elements.flat_map(move |(element, at)| (0..*halves).map(move |half| (*element, at + half * pitch, half)));
        parts.zip(self.results.iter().cycle()).map(|((element, at, half), result)| (element, at, half, *result))
    }
}

/// Where it goes on when it has to be found out whether channels are a row, when they are, when
/// they are not, when only each for itself will do, and behind.
#[derive(Clone, Copy)]
struct Ways {
    again: Label,
    found: Label,
    no_row: Label,
    other: Label,
    done: Label,
}

impl Emitter<'_> {
    /// From memory to registers.
    pub(crate) fn get(&mut self, channels: &Channels<'_>) -> Option<()> {
        let Channels { transfer, masks, lanes, halves, pitch, .. } = channels;
        let (w, row) = (channels.width(), lanes * 4);
        let (unit, size) = (transfer.unit, transfer.unit.bytes());
        let by_bits = self.chosen_by_bits(channels);
        let (all, most) = (transfer.elements.len() as u32 * halves, if self.has_bits { 4 } else { 2 });
        let is_cached = unit != Unit::Qword && all <= most && (masks.is_empty() || by_bits.is_some());
        let results: Option<Vec<_>> = (0..if is_cached { all } else { *halves }).map(|_| self.cache.take()).collect();
        let results = results?;
        let scratch = [self.cache.take()?, self.cache.take()?];
        let (mut low, mut rest) = (None, None);
        if let Unit::Part { bytes: bytes @ 1..=3, keeps } = unit {
            low = Some(self.number(u64::from(u32::MAX >> (32 - bytes * 8)), 4, w)?);
            rest = if keeps { Some(self.number(u64::from(u32::MAX << (bytes * 8)), 4, w)?) } else { None };
        }
        // What is loaded from here on is not there on every way.
        let loading = Loading { channels, results, is_cached, low, rest, scratch };
        let ways = self.ways();
        if self.is_tried_as_row(channels) {
            // Bytes with gaps are where bytes without are.
            let is_covering =
                covers(channels) && channels.member.is_some_and(|member| member.has_bytes && !member.is_first);
            let size = if is_covering { 1 } else { size };
            self.find_row(channels, size, scratch, ways);
            self.aside(|this| {
                if this.is_by_parts(channels, [ways.again, ways.no_row, ways.other])? {
                    // These may have other registers for what they load, or any at all.
                    for (_, at, _, result) in loading.parts().filter(|_| unit != Unit::Qword) {
                        let tag = Tag::Row { at, bytes: row };
                        if is_cached {
                            let loaded = this.value(tag)?;
                            this.asm.v2(op::MOVUPS, w, result, loaded, w);
                            this.cache.drop(loaded);
                        } else if let Some(loaded) = this.cache.find(&tag) {
                            this.store_row(at, row, loaded);
                            this.cache.drop(loaded);
                        }
                    }
                    this.asm.jump(Code::Jmp_rel32_64, ways.done);
                    return Some(());
                }
                let channels = this.find_again(channels, size, scratch, ways)?;
                let loading = Loading { channels: &channels, ..loading.clone() };
                this.asm.bind(ways.no_row);
                this.get_no_row(&loading, is_covering, ways)?;
                this.asm.bind(ways.other);
                this.get_each(&loading)?;
                this.asm.jump(Code::Jmp_rel32_64, ways.done);
                Some(())
            })?;
            if is_covering {
                self.get_covering(&loading)
            } else {
                self.get_row(&loading)
            };
        } else {
            self.get_each(&loading)?;
        }
        self.asm.bind(ways.done);
        for (_, at, half, result) in loading.parts().filter(|_| is_cached) {
            if let Some(mask) = masks.get(half as usize)
                && !self.may_spoil(channels.mask, Bytes { at, bytes: row })
            {
                let old = self.value(Tag::Row { at, bytes: row })?;
                self.blend(4, w, result, [old, result], *mask);
                self.cache.drop(old);
            }
        }
        for half in 0..*halves {
            for &(_, place) in &transfer.elements {
                self.cache.forget(place + half * pitch, lanes * unit.register_bytes());
            }
        }
        for (_, at, _, result) in loading.parts().filter(|_| is_cached) {
            self.cache.name(result, Tag::Row { at, bytes: row });
            self.cache.owe(result, Bytes { at, bytes: row });
        }
        loading.results.iter().for_each(|result| self.cache.drop(*result));
        scratch.into_iter().chain(low).chain(rest).for_each(|vector| self.cache.drop(vector));
        Some(())
    }

    /// Whether it is worth while to find out whether channels are a row.
    fn is_tried_as_row(&self, channels: &Channels<'_>) -> bool {
        let Channels { transfer, masks, .. } = channels;
        let is_small = self.chosen_by_bits(channels).is_some() && transfer.unit.bytes() <= 2;
        (transfer.unit == Unit::Dword || masks.is_empty() || is_small) && may_be_row(transfer)
    }

    fn ways(&mut self) -> Ways {
        let [again, found, no_row, other, done] = [(); 5].map(|()| self.asm.label());
        Ways { again, found, no_row, other, done }
    }

    /// Goes on when each channel's elements are so many bytes behind those of the channel before,
    /// all inside; else elsewhere.
    fn find_row(&mut self, channels: &Channels<'_>, size: u32, free: [Vector; 2], ways: Ways) {
        match channels.member {
            Some(Member { flag, is_first: false, .. }) => {
                self.asm.mi(Code::Cmp_rm8_imm8, at(FRAME, offset::ALIKE + flag), size as i32);
                self.asm.jump(Code::Jne_rel32_64, ways.again);
                self.row_inside(channels, size, ways.again);
            }
            _ => self.check_row(channels, size, free, ways),
        }
        self.asm.bind(ways.found);
    }

    /// Finds that out by the offsets of all channels, where it has not been before; gives the
    /// channels with these.
    fn find_again<'c>(
        &mut self,
        channels: &Channels<'c>,
        size: u32,
        free: [Vector; 2],
        ways: Ways,
    ) -> Option<Channels<'c>> {
        self.asm.bind(ways.again);
        let channels = self.with_offsets(channels)?;
        if let Some(Member { is_first: false, .. }) = channels.member {
            self.check_row(&channels, size, free, ways);
            self.asm.jump(Code::Jmp_rel32_64, ways.found);
        }
        Some(channels)
    }

    fn check_row(&mut self, channels: &Channels<'_>, size: u32, [first, scratch]: [Vector; 2], ways: Ways) {
        let w = channels.width();
        if let Some(bits) = self.chosen_by_bits(channels) {
            // Where the row would begin in which each has its place.
            let steps = self.asm.constant(&steps(size));
            self.asm.v3(op::PSUBD, w, scratch, channels.offsets[0], steps);
            self.first_everywhere(w, scratch, first, bits);
            self.jump_if_other(w, [scratch, first], scratch, Some(Choice::Bits(bits)), ways.no_row);
        } else {
            self.asm.v2(op::BROADCASTD, w, first, channels.offsets[0], Width::X);
            self.are_apart(channels, size, [first, scratch], ways.no_row);
        }
        self.row_inside(channels, size, ways.other);
        if let Some(Member { flag, .. }) = channels.member {
            self.asm.mi(Code::Mov_rm8_imm8, at(FRAME, offset::ALIKE + flag), size as i32);
        }
    }

    /// Goes on when elements that far apart are inside; else elsewhere.
    fn row_inside(&mut self, channels: &Channels<'_>, size: u32, otherwise: Label) {
        let unit = channels.transfer.unit.bytes();
        self.near_inside(channels, (channels.halves * channels.lanes - 1) * size + unit, otherwise);
    }

    /// Loads rows.
    fn get_row(&mut self, loading: &Loading<'_>) {
        let Channels { transfer, masks, lanes, .. } = loading.channels;
        let (w, size) = (loading.channels.width(), transfer.unit.bytes());
        // Qwords fill as much as there is.
        let (widest, whole) = (self.widest(), self.widest().bytes());
        for part @ (element, own, half, result) in loading.parts() {
            let from = element + half * size * lanes;
            let memory = |bytes: u32| indexed(WORDS, FIRST, 1, i64::from(from + bytes));
            match (transfer.unit, masks.get(half as usize).copied()) {
                (Unit::Qword, _) => {
                    for bytes in (0..lanes * 8).step_by(whole as usize) {
                        self.asm.load(op::MOVUPS, widest, result, memory(bytes));
                        self.asm.store(op::MOVUPS_STORE, widest, at(FILE, own + bytes), result);
                    }
                    continue;
                }
                (Unit::Part { bytes: 1, .. }, _) => self.asm.load(op::MOVZXBD, w, result, memory(0)),
                (Unit::Part { bytes: 2, .. }, _) => self.asm.load(op::MOVZXWD, w, result, memory(0)),
                (_, None) => self.asm.load(op::MOVUPS, w, result, memory(0)),
                (_, Some(mask)) => self.load_where(w, result, mask, memory(0)),
            }
            self.got(loading, part);
        }
    }

    /// What is no row: structures one behind the other, one element for all, words that cover each
    /// other, or else.
    fn get_no_row(&mut self, loading: &Loading<'_>, is_covering: bool, ways: Ways) -> Option<()> {
        let channels = loading.channels;
        let Channels { transfer, offsets, .. } = channels;
        let by_bits = self.chosen_by_bits(channels);
        if by_bits.is_none() {
            // What the first two channels say decides what is tried; they need not be enabled, and
            // their offsets be anything.
            let second = offsets[0].register(Width::X);
            self.asm.r2i(Code::VEX_Vpextrd_rm32_xmm_imm8, Register::R9D, second, 1);
            self.asm.rr(Code::Sub_r32_rm32, Register::R9D, Register::EDI);
        }
        let unless = |this: &mut Self, distance: u32, to: Label| {
            this.asm.ri(Code::Cmp_rm32_imm8, Register::R9D, distance as i32);
            this.asm.jump(Code::Jne_rel32_64, to);
        };
        if covers(channels) {
            // As a row if it was not tried as one, or else not as one.
            let next = if is_covering { 2 } else { 1 };
            unless(self, next, ways.other);
            self.are_apart(channels, next, loading.scratch, ways.other);
            self.row_inside(channels, next, ways.other);
            if is_covering {
                self.get_row(loading)
            } else {
                self.get_covering(loading)
            };
            self.asm.jump(Code::Jmp_rel32_64, ways.done);
            return Some(());
        }
        if let Unit::Part { .. } = transfer.unit {
            return Some(());
        }
        if let Some(count) = self.woven(channels) {
            let next = self.asm.label();
            unless(self, 4 * count, next);
            self.is_woven(channels, count, loading.scratch, ways.other);
            self.unweave(count, transfer, [loading.scratch[0], loading.results[0]])?;
            for (_, own, _, result) in loading.parts().filter(|_| loading.is_cached) {
                self.asm.load(op::MOVUPS, channels.width(), result, at(FILE, own));
            }
            self.asm.jump(Code::Jmp_rel32_64, ways.done);
            self.asm.bind(next);
        }
        match by_bits {
            Some(bits) => self.first_everywhere(channels.width(), offsets[0], loading.scratch[0], bits),
            None => unless(self, 0, ways.other),
        }
        self.get_same(loading, ways);
        Some(())
    }

    /// One element for all channels.
    fn get_same(&mut self, loading: &Loading<'_>, ways: Ways) {
        let channels = loading.channels;
        let Channels { transfer, lanes, .. } = channels;
        let (widest, whole) = (self.widest(), self.widest().bytes());
        self.are_apart(channels, 0, loading.scratch, ways.other);
        self.near_inside(channels, transfer.unit.bytes(), ways.other);
        for part @ (element, own, _, result) in loading.parts() {
            let memory = indexed(WORDS, FIRST, 1, element.into());
            if transfer.unit == Unit::Qword {
                self.asm.load(op::BROADCASTQ, widest, result, memory);
                for bytes in (0..lanes * 8).step_by(whole as usize) {
                    self.asm.store(op::MOVUPS_STORE, widest, at(FILE, own + bytes), result);
                }
            } else {
                self.asm.load(op::BROADCASTSS, channels.width(), result, memory);
                self.got(loading, part);
            }
        }
        self.asm.jump(Code::Jmp_rel32_64, ways.done);
    }

    /// Loads words each of which begins a byte behind the last one: their bytes are rows.
    fn get_covering(&mut self, loading: &Loading<'_>) {
        let (w, [upper, _]) = (loading.channels.width(), loading.scratch);
        for part @ (element, _, half, result) in loading.parts() {
            let from = element + half * loading.channels.lanes;
            let memory = |bytes: u32| indexed(WORDS, FIRST, 1, i64::from(from + bytes));
            self.asm.load(op::MOVZXBD, w, upper, memory(1));
            self.asm.v2i(op::PSLLD, w, upper, upper, 8);
            self.asm.load(op::MOVZXBD, w, result, memory(0));
            self.asm.v3(op::POR, w, result, result, upper);
            self.got(loading, part);
        }
    }

    /// Each channel's elements for themselves.
    fn get_each(&mut self, loading: &Loading<'_>) -> Option<()> {
        let channels = loading.channels;
        let Channels { transfer, offsets, masks, mark, .. } = channels;
        let (w, [scratch, last_place]) = (channels.width(), loading.scratch);
        self.all_inside(channels)?;
        self.mark_each(channels);
        if transfer.unit == Unit::Qword {
            let what = OneByOne::Move { access: Access::Load, unit: transfer.unit, elements: &transfer.elements };
            // Marked already.
            self.scatter(channels, Mark { bits: 0, ..*mark }, what);
            return Some(());
        }
        let is_part = matches!(transfer.unit, Unit::Part { .. });
        if is_part {
            // Where the last dword begins.
            let last = indexed(LIMIT, Register::None, 1, i64::from(transfer.unit.bytes()) - 4);
            self.asm.rm(Code::Lea_r64_m, Register::R9, last);
            self.asm.rr(Code::VEX_Vmovd_xmm_rm32, last_place.register(Width::X), Register::R9D);
            self.asm.v2(op::BROADCASTD, w, last_place, last_place, Width::X);
        }
        for part @ (element, _, half, result) in loading.parts() {
            let (offset, mask) = (offsets[half as usize], masks.get(half as usize).copied());
            if is_part {
                let (place_of, shift) = (self.cache.take()?, self.cache.take()?);
                self.asm.v3(op::PMINUD, w, place_of, offset, last_place);
                self.asm.v3(op::PSUBD, w, shift, offset, place_of);
                self.asm.v2i(op::PSLLD, w, shift, shift, 3);
                let memory = indexed(WORDS, place_of.register(w), 1, element.into());
                self.gather(w, result, memory, mask, scratch);
                self.asm.v3(op::PSRLVD, w, result, result, shift);
                if let Some(low) = loading.low {
                    self.asm.v3(op::PAND, w, result, result, low);
                }
                [place_of, shift].into_iter().for_each(|vector| self.cache.drop(vector));
            } else {
                let memory = indexed(WORDS, offset.register(w), 1, element.into());
                self.gather(w, result, memory, mask, scratch);
            }
            self.got(loading, part);
        }
        Some(())
    }

    /// Adds the bytes that dwords of the registers keep to what has been read, and writes it there
    /// unless it is known behind.
    fn got(&mut self, loading: &Loading<'_>, (_, own, half, result): Part) {
        let place = Bytes { at: own, bytes: loading.channels.lanes * 4 };
        let (w, scratch) = (loading.channels.width(), loading.scratch[0]);
        if let Some(rest) = loading.rest {
            self.asm.v3(op::PAND, w, scratch, rest, at(FILE, place.at));
            self.asm.v3(op::POR, w, result, result, scratch);
        }
        if loading.is_cached {
            return;
        }
        let mut written = result;
        let mask = loading.channels.masks.get(half as usize);
        if let Some(mask) = mask.filter(|_| !self.may_spoil(loading.channels.mask, place)) {
            self.asm.load(op::MOVUPS, w, scratch, at(FILE, place.at));
            self.blend(4, w, scratch, [scratch, result], *mask);
            written = scratch;
        }
        self.asm.store(op::MOVUPS_STORE, w, at(FILE, place.at), written);
    }

    /// Goes on when the channels' structures of so many dwords follow each other, all inside; else
    /// elsewhere.
    fn is_woven(&mut self, channels: &Channels<'_>, count: u32, free: [Vector; 2], otherwise: Label) {
        self.are_apart(channels, count * 4, free, otherwise);
        // Behind the first dword of the last structure.
        self.near_inside(channels, channels.lanes * count * 4 - (count - 1) * 4, otherwise);
    }

    /// Goes on when the offset of each enabled channel is so many bytes behind that of the channel
    /// before; else elsewhere. That of the first one is in all places of `first`.
    fn are_apart(&mut self, channels: &Channels<'_>, size: u32, [first, scratch]: [Vector; 2], otherwise: Label) {
        let w = channels.width();
        for (half, offset) in (0..).zip(&channels.offsets) {
            let mut expected = first;
            if size > 0 {
                let steps = self.asm.constant_from(&steps(size), half * w.bytes());
                self.asm.v3(op::PADDD, w, scratch, first, steps);
                expected = scratch;
            }
            let choice = channels.masks.get(half as usize).copied();
            self.jump_if_other(w, [*offset, expected], scratch, choice, otherwise);
        }
    }

    /// From registers to memory.
    pub(crate) fn put(&mut self, channels: &Channels<'_>) -> Option<()> {
        let Channels { transfer, lanes, halves, pitch, .. } = channels;
        let (unit, size) = (transfer.unit, transfer.unit.bytes());
        if !self.is_tried_as_row(channels) {
            return self.put_each(channels);
        }
        let ways = self.ways();
        // What is in vector registers is stored from there.
        let held = |this: &mut Self, half: u32| match transfer.elements[..] {
            [(_, at)] if unit == Unit::Dword => {
                this.cache.find(&Tag::Row { at: at + half * pitch, bytes: lanes * 4 })
            }
            _ => None,
        };
        let held: Vec<Option<Vector>> = (0..*halves).map(|half| held(self, half)).collect();
        let scratch = [self.cache.take()?, self.cache.take()?];
        self.find_row(channels, size, scratch, ways);
        self.aside(|this| {
            if this.is_by_parts(channels, [ways.again, ways.no_row, ways.other])? {
                this.asm.jump(Code::Jmp_rel32_64, ways.done);
                return Some(());
            }
            let channels = this.find_again(channels, size, scratch, ways)?;
            this.asm.bind(ways.no_row);
            if let Some(count) = this.woven(&channels) {
                this.is_woven(&channels, count, scratch, ways.other);
                this.weave(count, transfer, scratch)?;
                this.asm.jump(Code::Jmp_rel32_64, ways.done);
            }
            this.asm.bind(ways.other);
            this.put_each(&channels)?;
            this.asm.jump(Code::Jmp_rel32_64, ways.done);
            Some(())
        })?;
        self.put_row(channels, &held, scratch[0])?;
        self.asm.bind(ways.done);
        scratch.into_iter().chain(held.into_iter().flatten()).for_each(|vector| self.cache.drop(vector));
        Some(())
    }

    /// Stores rows, of which some are in vector registers.
    fn put_row(&mut self, channels: &Channels<'_>, held: &[Option<Vector>], scratch: Vector) -> Option<()> {
        let Channels { transfer, masks, lanes, pitch, .. } = channels;
        let (w, unit, size) = (channels.width(), transfer.unit, transfer.unit.bytes());
        let (widest, whole) = (self.widest(), self.widest().bytes());
        for &(element, place) in &transfer.elements {
            for (half, held) in (0..).zip(held) {
                let memory = |bytes| indexed(WORDS, FIRST, 1, i64::from(element + half * size * lanes + bytes));
                let own = place + half * pitch;
                if unit == Unit::Qword {
                    for part in (0..lanes * 8).step_by(whole as usize) {
                        self.asm.load(op::MOVUPS, widest, scratch, at(FILE, own + part));
                        self.asm.store(op::MOVUPS_STORE, widest, memory(part), scratch);
                    }
                    continue;
                }
                let value = held.unwrap_or(scratch);
                if held.is_none() {
                    self.asm.load(op::MOVUPS, w, value, at(FILE, own));
                }
                match (unit, masks.get(half as usize)) {
                    (Unit::Part { bytes: bytes @ ..=2, .. }, mask) => {
                        let to = if bytes == 1 { Kind::U8 } else { Kind::U16 };
                        let low = self.convert(Kind::U32, to, false, *lanes, value)?;
                        match mask {
                            Some(Choice::Bits(bits)) => self.store_parts_where(bytes, *lanes, memory(0), low, *bits),
                            _ => self.store_bytes(memory(0), lanes * bytes, low),
                        }
                        self.cache.drop(low);
                    }
                    (_, None) => self.asm.store(op::MOVUPS_STORE, w, memory(0), value),
                    (_, Some(mask)) => self.store_where(w, memory(0), *mask, value),
                }
            }
        }
        Some(())
    }

    /// Each channel's elements for themselves.
    fn put_each(&mut self, channels: &Channels<'_>) -> Option<()> {
        let transfer = channels.transfer;
        self.all_inside(channels)?;
        let what = OneByOne::Move { access: Access::Store, unit: transfer.unit, elements: &transfer.elements };
        self.scatter(channels, channels.mark, what);
        Some(())
    }
}
