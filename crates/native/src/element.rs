//! The elements of a transfer: a row, one for all channels, or any.

use iced_x86::{Code, Register};

use crate::asm::{Label, Vector, Width, at, indexed};
use crate::cache::{Bytes, Tag};
use crate::choice::Choice;
use crate::emit::{Emitter, FILE, dword_steps};
use crate::frame::offset;
use crate::ir::{Access, Kind, Unit};
use crate::op;
use crate::scatter::{Mark, OneByOne};
use crate::transfer::{Channels, FIRST, LIMIT, PLACE, WORDS};

impl Emitter<'_> {
    /// From memory to registers.
    pub(crate) fn get(&mut self, channels: &Channels<'_>) -> Option<()> {
        let x = Width::X;
        let Channels { transfer, offsets, masks, mark, lanes, .. } = channels;
        let (w, row) = (channels.width(), lanes * 4);
        // Qwords fill as much as there is.
        let (widest, whole) = (self.widest(), self.widest().bytes());
        let (same, other, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let (unit, size) = (transfer.unit, transfer.unit.bytes());
        let is_dword = unit == Unit::Dword;
        let by_bits = self.chosen_by_bits(channels);
        let is_plain = is_dword || masks.is_empty() || by_bits.is_some() && size <= 2;
        let has_row = is_plain && size.is_multiple_of(transfer.alignment) && size != 3;
        let woven = self.woven(channels);
        let has_same = has_row && matches!(unit, Unit::Dword | Unit::Qword);
        let covers = masks.is_empty() && transfer.alignment == 1 && matches!(unit, Unit::Part { bytes: 2, .. });
        let is_cached =
            unit != Unit::Qword && transfer.elements.len() == 1 && (masks.is_empty() || by_bits.is_some());
        let results: Option<Vec<_>> = offsets.iter().map(|_| self.cache.take()).collect();
        let results = results?;
        let (steps, distance) = (self.cache.take()?, self.cache.take()?);
        // What is loaded from here on is not there on every way.
        let far = self.far(channels)?;
        let bits = match unit {
            Unit::Part { bytes: bytes @ 1..=3, keeps } => {
                let low = self.number(u64::from(u32::MAX >> (32 - bytes * 8)), 4, w)?;
                let rest = if keeps { Some(self.number(u64::from(u32::MAX << (bytes * 8)), 4, w)?) } else { None };
                Some((low, rest))
            }
            _ => None,
        };
        let memory = |distance: u32, bytes: u32| indexed(WORDS, FIRST, 1, i64::from(distance + bytes));
        if has_row {
            let no_row = if has_same || covers { same } else { other };
            if let Some(bits) = by_bits {
                self.first_of_row(w, size, offsets[0], distance, bits);
            } else {
                // What the first two channels say decides what is tried; they need not be enabled, and their offsets be anything.
                self.asm.r2i(Code::VEX_Vpextrd_rm32_xmm_imm8, Register::R9D, offsets[0].register(x), 1);
                self.asm.rr(Code::Sub_r32_rm32, Register::R9D, Register::EDI);
                self.asm.v2(op::BROADCASTD, w, distance, offsets[0], x);
                self.asm.ri(Code::Cmp_rm32_imm8, Register::R9D, size as i32);
                self.asm.jump(Code::Jne_rel32_64, no_row);
            }
            self.steps(w, steps, size);
            let otherwise = if by_bits.is_some() { no_row } else { other };
            self.are_apart(channels, (distance, Some((steps, far))), results[0], otherwise)?;
            self.near_inside(channels, offsets.len() as u32 * lanes * size, other);
            self.words();
            for &(element, place) in &transfer.elements {
                for (half, result) in (0..).zip(&results) {
                    let from = half * size * lanes;
                    let mask = masks.get(half as usize).copied();
                    match (unit, mask) {
                        (Unit::Qword, _) => {
                            for part in (0..row * 2).step_by(whole as usize) {
                                self.asm.load(op::MOVUPS, widest, *result, memory(element, from + part));
                                let own = at(FILE, place + half * row * 2 + part);
                                self.asm.store(op::MOVUPS_STORE, widest, own, *result);
                            }
                            continue;
                        }
                        (Unit::Part { bytes: 1, .. }, _) => {
                            self.asm.load(op::MOVZXBD, w, *result, memory(element, from));
                        }
                        (Unit::Part { bytes: 2, .. }, _) => {
                            self.asm.load(op::MOVZXWD, w, *result, memory(element, from));
                        }
                        (_, None) => self.asm.load(op::MOVUPS, w, *result, memory(element, from)),
                        (_, Some(mask)) => self.load_where(w, *result, mask, memory(element, from)),
                    }
                    self.keep(w, place + half * row, *result, bits.and_then(|(_, rest)| rest), steps);
                    if !is_cached {
                        self.got(w, place + half * row, *result, mask, steps);
                    }
                }
            }
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
        if covers {
            self.asm.bind(same);
            // Each channel's word begins a byte behind the last one's: its bytes are rows.
            self.asm.ri(Code::Cmp_rm32_imm8, Register::R9D, 1);
            self.asm.jump(Code::Jne_rel32_64, other);
            self.steps(w, steps, 1);
            let far = if offsets.len() > 1 { Some(self.number((*lanes).into(), 4, w)?) } else { None };
            self.are_apart(channels, (distance, Some((steps, far))), results[0], other)?;
            self.near_inside(channels, offsets.len() as u32 * lanes + 1, other);
            self.words();
            for &(element, place) in &transfer.elements {
                for (half, result) in (0..).zip(&results) {
                    self.asm.load(op::MOVZXBD, w, steps, memory(element, half * lanes + 1));
                    self.asm.v2i(op::PSLLD, w, steps, steps, 8);
                    self.asm.load(op::MOVZXBD, w, *result, memory(element, half * lanes));
                    self.asm.v3(op::POR, w, *result, *result, steps);
                    self.keep(w, place + half * row, *result, bits.and_then(|(_, rest)| rest), steps);
                    if !is_cached {
                        self.got(w, place + half * row, *result, None, steps);
                    }
                }
            }
            far.into_iter().for_each(|vector| self.cache.drop(vector));
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
        if has_same {
            self.asm.bind(same);
            if let Some(count) = woven {
                let same = self.asm.label();
                self.asm.ri(Code::Cmp_rm32_imm8, Register::R9D, (size * count) as i32);
                self.asm.jump(Code::Jne_rel32_64, same);
                self.is_woven(channels, count, [distance, steps, results[0]], other)?;
                self.unweave(count, transfer, [steps, results[0]])?;
                self.asm.jump(Code::Jmp_rel32_64, done);
                self.asm.bind(same);
            }
            if by_bits.is_some() {
                self.first_itself(w, distance);
            } else {
                self.asm.rr(Code::Test_rm32_r32, Register::R9D, Register::R9D);
                self.asm.jump(Code::Jne_rel32_64, other);
            }
            self.are_apart(channels, (distance, None), results[0], other)?;
            self.near_inside(channels, size, other);
            self.words();
            for &(element, place) in &transfer.elements {
                for (half, result) in (0..).zip(&results) {
                    if unit == Unit::Qword {
                        self.asm.load(op::BROADCASTQ, widest, *result, memory(element, 0));
                        for part in (0..row * 2).step_by(whole as usize) {
                            let own = at(FILE, place + half * row * 2 + part);
                            self.asm.store(op::MOVUPS_STORE, widest, own, *result);
                        }
                    } else {
                        self.asm.load(op::BROADCASTSS, w, *result, memory(element, 0));
                        if !is_cached {
                            self.got(w, place + half * row, *result, masks.get(half as usize).copied(), steps);
                        }
                    }
                }
            }
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
        self.asm.bind(other);
        self.all_inside(channels)?;
        self.words();
        self.mark_each(channels);
        match unit {
            Unit::Qword => {
                // Marked already.
                let what = OneByOne::Move { access: Access::Load, unit, elements: transfer.elements.clone() };
                let from = self.asm.label();
                self.asm.jump(Code::Jmp_rel32_64, from);
                self.asm.bind(done);
                self.scatter_later((from, done), channels, Mark { bits: 0, ..*mark }, what);
            }
            _ => {
                if let Unit::Part { .. } = unit {
                    // Where the last dword begins.
                    let last = indexed(LIMIT, Register::None, 1, i64::from(size) - 4);
                    self.asm.rm(Code::Lea_r64_m, Register::R9, last);
                    self.asm.rr(Code::VEX_Vmovd_xmm_rm32, distance.register(x), Register::R9D);
                    self.asm.v2(op::BROADCASTD, w, distance, distance, x);
                }
                for &(element, place) in &transfer.elements {
                    for (half, (result, offset)) in (0..).zip(results.iter().zip(offsets)) {
                        let mask = masks.get(half as usize).copied();
                        if let Unit::Part { .. } = unit {
                            let (place_of, shift) = (self.cache.take()?, self.cache.take()?);
                            self.asm.v3(op::PMINUD, w, place_of, *offset, distance);
                            self.asm.v3(op::PSUBD, w, shift, *offset, place_of);
                            self.asm.v2i(op::PSLLD, w, shift, shift, 3);
                            let memory = indexed(WORDS, place_of.register(w), 1, element.into());
                            self.gather(w, *result, memory, mask, steps);
                            self.asm.v3(op::PSRLVD, w, *result, *result, shift);
                            if let Some((low, _)) = bits {
                                self.asm.v3(op::PAND, w, *result, *result, low);
                            }
                            [place_of, shift].into_iter().for_each(|vector| self.cache.drop(vector));
                        } else {
                            let memory = indexed(WORDS, offset.register(w), 1, element.into());
                            self.gather(w, *result, memory, mask, steps);
                        }
                        self.keep(w, place + half * row, *result, bits.and_then(|(_, rest)| rest), steps);
                        if !is_cached {
                            self.got(w, place + half * row, *result, mask, steps);
                        }
                    }
                }
                self.asm.bind(done);
            }
        }
        if let (true, Some(mask)) = (is_cached, masks.first()) {
            let old = self.value(Tag::Row { at: transfer.elements[0].1, bytes: row })?;
            self.blend(4, w, results[0], [old, results[0]], *mask);
            self.cache.drop(old);
        }
        for &(_, place) in &transfer.elements {
            self.cache.forget(place, offsets.len() as u32 * lanes * unit.register_bytes());
        }
        for (half, result) in (0..).zip(&results) {
            if is_cached {
                let place = Bytes { at: transfer.elements[0].1 + half * row, bytes: row };
                self.cache.name(*result, Tag::Row { at: place.at, bytes: row });
                self.cache.owe(*result, place);
            }
            self.cache.drop(*result);
        }
        let numbers = bits.into_iter().flat_map(|(low, rest)| [Some(low), rest]).flatten();
        [steps, distance].into_iter().chain(far).chain(numbers).for_each(|vector| self.cache.drop(vector));
        Some(())
    }

    /// Goes on when the channels' structures of so many dwords follow each other, all inside; else elsewhere.
    fn is_woven(
        &mut self,
        channels: &Channels<'_>,
        count: u32,
        [first, steps, scratch]: [Vector; 3],
        otherwise: Label,
    ) -> Option<()> {
        self.steps(channels.width(), steps, count * 4);
        self.are_apart(channels, (first, Some((steps, None))), scratch, otherwise)?;
        // Behind the first dword of the last structure.
        self.near_inside(channels, channels.lanes * count * 4 - (count - 1) * 4, otherwise);
        self.words();
        Some(())
    }

    /// How far the channels of one vector are from those of the next, if there is more than one.
    fn far(&mut self, channels: &Channels<'_>) -> Option<Option<Vector>> {
        if channels.offsets.len() == 1 {
            return Some(None);
        }
        let bytes = channels.transfer.unit.bytes() * channels.lanes;
        Some(Some(self.number(bytes.into(), 4, channels.width())?))
    }

    /// The distances of a vector's channels from the first, each so many bytes from the next.
    fn steps(&mut self, w: Width, d: Vector, size: u32) {
        let constant = self.asm.constant(&dword_steps());
        self.asm.load(op::MOVUPS, w, d, constant);
        match size {
            1 => self.asm.v2i(op::PSRLD, w, d, d, 2),
            2 => self.asm.v2i(op::PSRLD, w, d, d, 1),
            8 => self.asm.v2i(op::PSLLD, w, d, d, 1),
            16 => self.asm.v2i(op::PSLLD, w, d, d, 2),
            _ => {}
        }
    }

    /// Adds the bytes that dwords of the registers keep; `scratch` is free.
    fn keep(&mut self, w: Width, place: u32, result: Vector, rest: Option<Vector>, scratch: Vector) {
        let Some(rest) = rest else { return };
        self.asm.v3(op::PAND, w, scratch, rest, at(FILE, place));
        self.asm.v3(op::POR, w, result, result, scratch);
    }

    /// Writes what has been read to the registers; `scratch` is free.
    fn got(&mut self, w: Width, place: u32, result: Vector, mask: Option<Choice>, scratch: Vector) {
        if let Some(mask) = mask {
            self.asm.load(op::MOVUPS, w, scratch, at(FILE, place));
            self.blend(4, w, scratch, [scratch, result], mask);
            self.asm.store(op::MOVUPS_STORE, w, at(FILE, place), scratch);
        } else {
            self.asm.store(op::MOVUPS_STORE, w, at(FILE, place), result);
        }
    }

    /// Goes on when all enabled channels are so far from the first as `steps` says, which is moved on for the second half, or have
    /// its offset; else elsewhere.
    fn are_apart(
        &mut self,
        channels: &Channels<'_>,
        (first, steps): (Vector, Option<(Vector, Option<Vector>)>),
        scratch: Vector,
        otherwise: Label,
    ) -> Option<()> {
        let w = channels.width();
        for (half, offset) in channels.offsets.iter().enumerate() {
            self.asm.v3(op::PSUBD, w, scratch, *offset, first);
            if let Some((steps, far)) = steps {
                if let Some(far) = far.filter(|_| half > 0) {
                    self.asm.v3(op::PADDD, w, steps, steps, far);
                }
                self.asm.v3(op::PXOR, w, scratch, scratch, steps);
            }
            self.jump_if_any(w, scratch, channels.masks.get(half).copied(), otherwise);
        }
        Some(())
    }

    /// Where the words of the buffer are.
    fn words(&mut self) {
        self.asm.rm(Code::Mov_r64_rm64, WORDS, at(PLACE, offset::WORDS));
    }

    /// From registers to memory.
    pub(crate) fn put(&mut self, channels: &Channels<'_>) -> Option<()> {
        let x = Width::X;
        let Channels { transfer, offsets, masks, mark, lanes, .. } = channels;
        let w = channels.width();
        let (widest, whole) = (self.widest(), self.widest().bytes());
        let (other, from, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let (unit, size) = (transfer.unit, transfer.unit.bytes());
        let by_bits = self.chosen_by_bits(channels);
        let is_plain = unit == Unit::Dword || masks.is_empty() || by_bits.is_some() && size <= 2;
        // What is in vector registers is stored from there.
        let held = |this: &mut Self, half: u32| {
            let at = transfer.elements[0].1 + half * lanes * 4;
            let is_single = unit == Unit::Dword && transfer.elements.len() == 1;
            is_single.then(|| this.cache.find(&Tag::Row { at, bytes: lanes * 4 }))?
        };
        let held: Vec<Option<Vector>> = (0..offsets.len() as u32).map(|half| held(self, half)).collect();
        if is_plain && size.is_multiple_of(transfer.alignment) && size != 3 {
            let (steps, distance, scratch) = (self.cache.take()?, self.cache.take()?, self.cache.take()?);
            let far = self.far(channels)?;
            if let Some(bits) = by_bits {
                self.first_of_row(w, size, offsets[0], distance, bits);
            } else {
                self.asm.v2(op::BROADCASTD, w, distance, offsets[0], x);
            }
            let row = self.asm.label();
            if let Some(count) = self.woven(channels) {
                // Rows of which each covers the one before are none.
                self.is_woven(channels, count, [distance, steps, scratch], row)?;
                self.weave(count, transfer, [steps, scratch])?;
                self.asm.jump(Code::Jmp_rel32_64, done);
            }
            self.asm.bind(row);
            self.steps(w, steps, size);
            self.are_apart(channels, (distance, Some((steps, far))), scratch, other)?;
            self.near_inside(channels, offsets.len() as u32 * lanes * size, other);
            self.words();
            for &(element, place) in &transfer.elements {
                for half in 0..offsets.len() as u32 {
                    let memory = |bytes| indexed(WORDS, FIRST, 1, i64::from(element + half * size * lanes + bytes));
                    let own = place + half * lanes * unit.register_bytes();
                    if unit == Unit::Qword {
                        for part in (0..lanes * 8).step_by(whole as usize) {
                            self.asm.load(op::MOVUPS, widest, scratch, at(FILE, own + part));
                            self.asm.store(op::MOVUPS_STORE, widest, memory(part), scratch);
                        }
                        continue;
                    }
                    let scratch = held[half as usize].unwrap_or(scratch);
                    if held[half as usize].is_none() {
                        self.asm.load(op::MOVUPS, w, scratch, at(FILE, own));
                    }
                    match (unit, masks.get(half as usize)) {
                        (Unit::Part { bytes: bytes @ ..=2, .. }, _) => {
                            let to = if bytes == 1 { Kind::U8 } else { Kind::U16 };
                            let low = self.convert(Kind::U32, to, false, *lanes, scratch)?;
                            match by_bits {
                                None => self.store_bytes(memory(0), lanes * bytes, low),
                                Some(bits) => self.store_parts_where(bytes, *lanes, memory(0), low, bits),
                            }
                            self.cache.drop(low);
                        }
                        (_, None) => self.asm.store(op::MOVUPS_STORE, w, memory(0), scratch),
                        (_, Some(mask)) => self.store_where(w, memory(0), *mask, scratch),
                    }
                }
            }
            [steps, distance, scratch].into_iter().chain(far).for_each(|vector| self.cache.drop(vector));
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
        self.asm.bind(other);
        self.all_inside(channels)?;
        self.words();
        self.asm.jump(Code::Jmp_rel32_64, from);
        self.asm.bind(done);
        let what = OneByOne::Move { access: Access::Store, unit, elements: transfer.elements.clone() };
        self.scatter_later((from, done), channels, *mark, what);
        held.into_iter().flatten().for_each(|vector| self.cache.drop(vector));
        Some(())
    }
}
