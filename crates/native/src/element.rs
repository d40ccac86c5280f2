//! The elements of a transfer: a row, one for all channels, or any.

use iced_x86::{Code, Register};

use crate::asm::{Label, Vector, Width, at, indexed, op};
use crate::cache::Tag;
use crate::emit::{Emitter, FILE, dword_steps};
use crate::frame::offset;
use crate::ir::{Access, Kind, Unit};
use crate::scatter::{Mark, OneByOne};
use crate::transfer::{Channels, FIRST, LANES, LIMIT, PLACE, WORDS};

impl Emitter<'_> {
    /// From memory to registers.
    pub(crate) fn get(&mut self, channels: &Channels<'_>) -> Option<()> {
        let (x, y) = (Width::X, Width::Y);
        let Channels { transfer, offsets, masks, mark, .. } = channels;
        let (same, other, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let (unit, size) = (transfer.unit, transfer.unit.bytes());
        let is_dword = unit == Unit::Dword;
        let has_row = (is_dword || masks.is_empty()) && size.is_multiple_of(transfer.alignment) && size != 3;
        let has_same = has_row && matches!(unit, Unit::Dword | Unit::Qword);
        let is_cached = is_dword && transfer.elements.len() == 1 && masks.is_empty();
        let results: Option<Vec<_>> = offsets.iter().map(|_| self.cache.take()).collect();
        let results = results?;
        let (steps, distance) = (self.cache.take()?, self.cache.take()?);
        // What is loaded from here on is not there on every way.
        let far = self.number((size * LANES).into(), 4, y)?;
        let bits = match unit {
            Unit::Part { bytes: bytes @ 1..=3, keeps } => {
                let low = self.number(u64::from(u32::MAX >> (32 - bytes * 8)), 4, y)?;
                let rest = if keeps { Some(self.number(u64::from(u32::MAX << (bytes * 8)), 4, y)?) } else { None };
                Some((low, rest))
            }
            _ => None,
        };
        let memory = |distance: u32, bytes: u32| indexed(WORDS, FIRST, 1, i64::from(distance + bytes));
        if has_row {
            // What the first two channels say decides what is tried; they need not be enabled, and their offsets be anything.
            self.asm.r2i(Code::VEX_Vpextrd_rm32_xmm_imm8, Register::R9D, offsets[0].register(x), 1);
            self.asm.rr(Code::Sub_r32_rm32, Register::R9D, Register::EDI);
            self.asm.v2(op::BROADCASTD, y, distance, offsets[0], x);
            self.asm.ri(Code::Cmp_rm32_imm8, Register::R9D, size as i32);
            self.asm.jump(Code::Jne_rel32_64, if has_same { same } else { other });
            self.steps(steps, size);
            self.are_apart(offsets, masks, (distance, Some([steps, far])), results[0], other)?;
            self.near_inside(channels, offsets.len() as u32 * LANES * size, other);
            self.words();
            for &(element, place) in &transfer.elements {
                for (half, result) in (0..).zip(&results) {
                    let from = half * size * LANES;
                    match (unit, masks.get(half as usize)) {
                        (Unit::Qword, _) => {
                            for part in [0, 32] {
                                self.asm.load(op::MOVUPS, y, *result, memory(element, from + part));
                                self.asm.store(op::MOVUPS_STORE, y, at(FILE, place + half * 64 + part), *result);
                            }
                            continue;
                        }
                        (Unit::Part { bytes: 1, .. }, _) => {
                            self.asm.load(op::MOVZXBD, y, *result, memory(element, from));
                        }
                        (Unit::Part { bytes: 2, .. }, _) => {
                            self.asm.load(op::MOVZXWD, y, *result, memory(element, from));
                        }
                        (_, None) => self.asm.load(op::MOVUPS, y, *result, memory(element, from)),
                        (_, Some(mask)) => {
                            self.asm.load_where(op::MASKMOVD, y, *result, *mask, memory(element, from))
                        }
                    }
                    self.keep(place + half * 32, *result, bits.and_then(|(_, rest)| rest), steps);
                    self.got(place + half * 32, *result, masks.get(half as usize), steps);
                }
            }
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
        if has_same {
            self.asm.bind(same);
            self.asm.rr(Code::Test_rm32_r32, Register::R9D, Register::R9D);
            self.asm.jump(Code::Jne_rel32_64, other);
            self.are_apart(offsets, masks, (distance, None), results[0], other)?;
            self.near_inside(channels, size, other);
            self.words();
            for &(element, place) in &transfer.elements {
                for (half, result) in (0..).zip(&results) {
                    if unit == Unit::Qword {
                        self.asm.load(op::BROADCASTQ, y, *result, memory(element, 0));
                        for part in [0, 32] {
                            self.asm.store(op::MOVUPS_STORE, y, at(FILE, place + half * 64 + part), *result);
                        }
                    } else {
                        self.asm.load(op::BROADCASTSS, y, *result, memory(element, 0));
                        self.got(place + half * 32, *result, masks.get(half as usize), steps);
                    }
                }
            }
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
        self.asm.bind(other);
        self.all_inside(channels)?;
        self.words();
        self.mark_each(offsets, *mark);
        match unit {
            Unit::Qword => {
                // Marked already.
                let what = OneByOne::Move { access: Access::Load, unit, elements: transfer.elements.clone() };
                let from = self.asm.label();
                self.asm.jump(Code::Jmp_rel32_64, from);
                self.asm.bind(done);
                self.scatter_later((from, done), offsets, Mark { bits: 0, ..*mark }, what);
            }
            _ => {
                if let Unit::Part { .. } = unit {
                    // Where the last dword begins.
                    let last = indexed(LIMIT, Register::None, 1, i64::from(size) - 4);
                    self.asm.rm(Code::Lea_r64_m, Register::R9, last);
                    self.asm.rr(Code::VEX_Vmovd_xmm_rm32, distance.register(x), Register::R9D);
                    self.asm.v2(op::BROADCASTD, y, distance, distance, x);
                }
                for &(element, place) in &transfer.elements {
                    for (half, (result, offset)) in (0..).zip(results.iter().zip(offsets)) {
                        let mask = masks.get(half as usize);
                        match mask {
                            None => self.asm.v3(op::PCMPEQD, y, steps, steps, steps),
                            Some(mask) => self.asm.v2(op::MOVUPS, y, steps, *mask, y),
                        }
                        self.asm.v3(op::PXOR, y, *result, *result, *result);
                        if let Unit::Part { .. } = unit {
                            let (place_of, shift) = (self.cache.take()?, self.cache.take()?);
                            self.asm.v3(op::PMINUD, y, place_of, *offset, distance);
                            self.asm.v3(op::PSUBD, y, shift, *offset, place_of);
                            self.asm.v2i(op::PSLLD, y, shift, shift, 3);
                            let memory = indexed(WORDS, place_of.register(y), 1, element.into());
                            self.asm.gather(op::PGATHERDD, y, *result, memory, steps);
                            self.asm.v3(op::PSRLVD, y, *result, *result, shift);
                            if let Some((low, _)) = bits {
                                self.asm.v3(op::PAND, y, *result, *result, low);
                            }
                            [place_of, shift].into_iter().for_each(|vector| self.cache.drop(vector));
                        } else {
                            let memory = indexed(WORDS, offset.register(y), 1, element.into());
                            self.asm.gather(op::PGATHERDD, y, *result, memory, steps);
                        }
                        self.keep(place + half * 32, *result, bits.and_then(|(_, rest)| rest), steps);
                        self.got(place + half * 32, *result, mask, steps);
                    }
                }
                self.asm.bind(done);
            }
        }
        for &(_, place) in &transfer.elements {
            self.cache.forget(place, offsets.len() as u32 * LANES * unit.register_bytes());
        }
        for (half, result) in (0..).zip(&results) {
            if is_cached {
                self.cache.name(*result, Tag::Row { at: transfer.elements[0].1 + half * 32, bytes: 32 });
            }
            self.cache.drop(*result);
        }
        let numbers = bits.into_iter().flat_map(|(low, rest)| [Some(low), rest]).flatten();
        [steps, distance, far].into_iter().chain(numbers).for_each(|vector| self.cache.drop(vector));
        Some(())
    }

    /// The distances of 8 channels from the first, each so many bytes from the next.
    fn steps(&mut self, d: Vector, size: u32) {
        let constant = self.asm.constant(&dword_steps());
        self.asm.load(op::MOVUPS, Width::Y, d, constant);
        match size {
            1 => self.asm.v2i(op::PSRLD, Width::Y, d, d, 2),
            2 => self.asm.v2i(op::PSRLD, Width::Y, d, d, 1),
            8 => self.asm.v2i(op::PSLLD, Width::Y, d, d, 1),
            _ => {}
        }
    }

    /// Adds the bytes that dwords of the registers keep; `scratch` is free.
    fn keep(&mut self, place: u32, result: Vector, rest: Option<Vector>, scratch: Vector) {
        let Some(rest) = rest else { return };
        self.asm.v3(op::PAND, Width::Y, scratch, rest, at(FILE, place));
        self.asm.v3(op::POR, Width::Y, result, result, scratch);
    }

    /// Writes what has been read to the registers; `scratch` is free.
    fn got(&mut self, place: u32, result: Vector, mask: Option<&Vector>, scratch: Vector) {
        let y = Width::Y;
        if let Some(mask) = mask {
            self.asm.load(op::MOVUPS, y, scratch, at(FILE, place));
            self.asm.v4(op::PBLENDVB, y, scratch, scratch, result, *mask);
            self.asm.store(op::MOVUPS_STORE, y, at(FILE, place), scratch);
        } else {
            self.asm.store(op::MOVUPS_STORE, y, at(FILE, place), result);
        }
    }

    /// Goes on when all enabled channels are so far from the first as `steps` says, which is moved on for the second half, or have
    /// its offset; else elsewhere.
    fn are_apart(
        &mut self,
        offsets: &[Vector],
        masks: &[Vector],
        (first, steps): (Vector, Option<[Vector; 2]>),
        scratch: Vector,
        otherwise: Label,
    ) -> Option<()> {
        let y = Width::Y;
        for (half, offset) in offsets.iter().enumerate() {
            self.asm.v3(op::PSUBD, y, scratch, *offset, first);
            if let Some([steps, far]) = steps {
                if half > 0 {
                    self.asm.v3(op::PADDD, y, steps, steps, far);
                }
                self.asm.v3(op::PXOR, y, scratch, scratch, steps);
            }
            if let Some(mask) = masks.get(half) {
                self.asm.v3(op::PAND, y, scratch, scratch, *mask);
            }
            self.asm.v2(op::PTEST, y, scratch, scratch, y);
            self.asm.jump(Code::Jne_rel32_64, otherwise);
        }
        Some(())
    }

    /// Where the words of the buffer are.
    fn words(&mut self) {
        self.asm.rm(Code::Mov_r64_rm64, WORDS, at(PLACE, offset::WORDS));
    }

    /// From registers to memory.
    pub(crate) fn put(&mut self, channels: &Channels<'_>) -> Option<()> {
        let (x, y) = (Width::X, Width::Y);
        let Channels { transfer, offsets, masks, mark, .. } = channels;
        let (other, from, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let (unit, size) = (transfer.unit, transfer.unit.bytes());
        let is_plain = unit == Unit::Dword || masks.is_empty();
        if is_plain && size.is_multiple_of(transfer.alignment) && size != 3 {
            let (steps, distance, scratch) = (self.cache.take()?, self.cache.take()?, self.cache.take()?);
            let far = self.number((size * LANES).into(), 4, y)?;
            self.asm.v2(op::BROADCASTD, y, distance, offsets[0], x);
            self.steps(steps, size);
            self.are_apart(offsets, masks, (distance, Some([steps, far])), scratch, other)?;
            self.near_inside(channels, offsets.len() as u32 * LANES * size, other);
            self.words();
            for &(element, place) in &transfer.elements {
                for half in 0..offsets.len() as u32 {
                    let memory = |bytes| indexed(WORDS, FIRST, 1, i64::from(element + half * size * LANES + bytes));
                    let row = at(FILE, place + half * LANES * unit.register_bytes());
                    self.asm.load(op::MOVUPS, y, scratch, row);
                    match (unit, masks.get(half as usize)) {
                        (Unit::Part { bytes: 1, .. }, _) => {
                            let low = self.convert(Kind::U32, Kind::U8, false, LANES, scratch)?;
                            self.asm.mr(Code::VEX_Vmovq_xmmm64_xmm, memory(0), low.register(x));
                            self.cache.drop(low);
                        }
                        (Unit::Part { bytes: 2, .. }, _) => {
                            let low = self.convert(Kind::U32, Kind::U16, false, LANES, scratch)?;
                            self.asm.store(op::MOVUPS_STORE, x, memory(0), low);
                            self.cache.drop(low);
                        }
                        (Unit::Qword, _) => {
                            self.asm.store(op::MOVUPS_STORE, y, memory(0), scratch);
                            self.asm.load(op::MOVUPS, y, scratch, at(FILE, place + half * 64 + 32));
                            self.asm.store(op::MOVUPS_STORE, y, memory(32), scratch);
                        }
                        (_, None) => self.asm.store(op::MOVUPS_STORE, y, memory(0), scratch),
                        (_, Some(mask)) => self.asm.store_where(op::MASKMOVD_STORE, y, memory(0), *mask, scratch),
                    }
                }
            }
            [steps, distance, scratch, far].into_iter().for_each(|vector| self.cache.drop(vector));
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
        self.asm.bind(other);
        self.all_inside(channels)?;
        self.words();
        self.asm.jump(Code::Jmp_rel32_64, from);
        self.asm.bind(done);
        let what = OneByOne::Move { access: Access::Store, unit, elements: transfer.elements.clone() };
        self.scatter_later((from, done), offsets, *mark, what);
        Some(())
    }
}
