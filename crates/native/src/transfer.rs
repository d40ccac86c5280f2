//! Memory: dwords between buffers and registers, for many channels or for one.
//!
//! All channels are checked before anything is moved. Whatever is not as usual (another buffer, a place outside, an address that
//! is no multiple of four, an access that the caller wants to make) lets the caller do the whole step.

use iced_x86::{Code, Register};

use crate::asm::{Label, Vector, Width, at, indexed, op};
use crate::cache::Tag;
use crate::emit::{ENABLED, Emitter, Enabled, FILE, FRAME, Later, bytes_of, dword_steps};
use crate::frame::{CALLER, offset};
use crate::ir::{Addresses, Mask, Space, Transfer};

/// Channels of a vector of dwords.
const LANES: u32 = 8;
/// The registers that a transfer uses: what is known of the buffer, its first word, the first channel's offset, and the limit of
/// offsets.
const PLACE: Register = Register::RAX;
const WORDS: Register = Register::RSI;
const FIRST: Register = Register::RDI;
const LIMIT: Register = Register::RDX;

/// Channels one by one, behind everything else.
pub(crate) struct Scatter {
    from: Label,
    back: Label,
    offsets: Vec<Vector>,
    /// Whether all channels of the transfer are enabled.
    lanes: Option<u32>,
    what: OneByOne,
}

enum OneByOne {
    /// Stores elements: their distances and places.
    Store(Vec<(u32, u32)>),
    /// Marks the bytes of all elements.
    Mark(u32),
}

/// How far behind a channel's address its data end.
fn extent(transfer: &Transfer) -> u32 {
    transfer.elements.iter().map(|(distance, _)| distance + 4).max().unwrap_or(4)
}

/// What a transfer's numbers need.
pub(crate) fn constants_of(transfer: &Transfer) -> Vec<Vec<u8>> {
    let offset = i64::from(transfer.offset) as u64;
    vec![bytes_of(offset, 4), bytes_of(offset, 8), bytes_of(transfer.scale.into(), 4)]
}

impl Emitter<'_> {
    /// A transfer. `step` is its number, for the caller.
    pub(crate) fn transfer(&mut self, mask: &Mask, transfer: &Transfer, step: u32) -> Option<()> {
        let lanes = mask.lanes.count_ones();
        let [slow, nobody, done] = [(); 3].map(|()| self.asm.label());
        let is_some = self.enabled(mask) == Enabled::Some;
        if is_some {
            self.asm.rr(Code::Test_rm32_r32, ENABLED, ENABLED);
            self.asm.jump(Code::Je_rel32_64, nobody);
        }
        match lanes {
            1 => self.single(transfer, slow)?,
            8 | 16 => self.many(mask, transfer, is_some, slow)?,
            _ => return None,
        }
        self.asm.bind(done);
        let known = self.cache.known();
        let is_full = self.is_full;
        if is_some {
            self.later.push(Later::Restore { from: nobody, back: done, known: known.clone(), is_full });
        }
        self.later.push(Later::Outside { from: slow, step, back: done, known, is_full });
        self.enabled = None;
        Some(())
    }

    /// Finds the buffer of a surface or of the group: [`PLACE`].
    fn find(&mut self, space: Space, slow: Label) -> Option<()> {
        match space {
            Space::Local => {
                self.frame(PLACE, offset::LOCAL);
                return Some(());
            }
            Space::Surface(element) => {
                self.frame(PLACE, offset::STATES);
                self.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(PLACE, element * 4));
            }
            Space::Named(place) => self.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(FILE, place)),
            Space::Flat => return None,
        }
        self.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::SURFACE_COUNT));
        self.asm.jump(Code::Jae_rel32_64, slow);
        self.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
        self.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::SURFACES));
        Some(())
    }

    /// Finds the buffer that the upper half of an address, in ECX, names.
    fn find_flat(&mut self, slow: Label) {
        self.asm.rr(Code::Mov_r32_rm32, Register::EAX, Register::ECX);
        self.asm.ri(Code::Sub_rm32_imm8, Register::EAX, 1);
        self.asm.rm(Code::Cmp_r64_rm64, PLACE, at(FRAME, offset::BUFFER_COUNT));
        self.asm.jump(Code::Jae_rel32_64, slow);
        self.asm.ri(Code::Shl_rm64_imm8, PLACE, PLACE_SHIFT);
        self.asm.rm(Code::Add_r64_rm64, PLACE, at(FRAME, offset::BUFFERS));
    }

    /// The largest offset with which all of a channel's data are inside.
    fn limit(&mut self, transfer: &Transfer, slow: Label) {
        self.asm.rm(Code::Mov_r64_rm64, LIMIT, at(PLACE, offset::REACH));
        self.asm.ri(Code::Sub_rm64_imm32, LIMIT, extent(transfer) as i32);
        self.asm.jump(Code::Jb_rel32_64, slow);
    }

    /// The dwords of a single channel.
    fn single(&mut self, transfer: &Transfer, slow: Label) -> Option<()> {
        let first = Register::EDI;
        let is_flat = transfer.space == Space::Flat;
        match transfer.addresses {
            Addresses::None => self.asm.rr(Code::Xor_r32_rm32, first, first),
            Addresses::Dwords(place) => self.asm.rm(Code::Mov_r32_rm32, first, at(FILE, place)),
            Addresses::Qwords(place) => self.asm.rm(Code::Mov_r64_rm64, FIRST, at(FILE, place)),
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
        if transfer.scale != 1 {
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
            self.find(transfer.space, slow)?;
        }
        if transfer.space == Space::Local {
            self.asm.ri(Code::And_rm32_imm32, first, LOCAL_OFFSETS as i32);
        }
        self.limit(transfer, slow);
        self.asm.rr(Code::Cmp_r64_rm64, FIRST, LIMIT);
        self.asm.jump(Code::Ja_rel32_64, slow);
        self.asm.ri(Code::Test_rm32_imm32, first, 3);
        self.asm.jump(Code::Jne_rel32_64, slow);
        let marks = if transfer.store { offset::STORES } else { offset::LOADS };
        self.asm.mi(Code::Cmp_rm64_imm8, at(PLACE, marks), 0);
        self.asm.jump(Code::Jne_rel32_64, slow);
        self.asm.rm(Code::Mov_r64_rm64, WORDS, at(PLACE, offset::WORDS));
        let mut rest = &transfer.elements[..];
        while let Some(&(distance, place)) = rest.first() {
            // As many as stand together on both sides.
            let together = (0..).zip(rest).take_while(|(n, element)| **element == (distance + n * 4, place + n * 4));
            let count = match together.count() {
                8.. => 8,
                4.. => 4,
                _ => 1,
            };
            let memory = indexed(WORDS, FIRST, 1, distance.into());
            let (width, moved) = (Width::of(count * 4), self.cache.take()?);
            match (count, transfer.store) {
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
            if !transfer.store {
                self.cache.forget(place, count * 4);
            }
            rest = &rest[count as usize..];
        }
        Some(())
    }

    /// The dwords of 8 or 16 channels.
    fn many(&mut self, mask: &Mask, transfer: &Transfer, is_some: bool, slow: Label) -> Option<()> {
        let (x, y) = (Width::X, Width::Y);
        let halves = mask.lanes.count_ones() / LANES;
        let offsets = match transfer.addresses {
            Addresses::Dwords(place) if transfer.space != Space::Flat => {
                self.find(transfer.space, slow)?;
                let offsets: Option<Vec<_>> =
                    (0..halves).map(|half| self.dword_offsets(transfer, place + half * 32)).collect();
                offsets?
            }
            Addresses::Qwords(place) if transfer.space == Space::Flat => {
                self.flat_offsets(mask, transfer, place, is_some, slow)?
            }
            _ => return None,
        };
        self.limit(transfer, slow);
        // Inside and aligned.
        let limit = self.cache.take()?;
        self.asm.rr(Code::VEX_Vmovd_xmm_rm32, limit.register(x), Register::EDX);
        self.asm.v2(op::BROADCASTD, y, limit, limit, x);
        let (low, zero) = (self.number(3, 4, y)?, self.number(0, 4, y)?);
        let (good, rest) = (self.cache.take()?, self.cache.take()?);
        let mut masks = Vec::new();
        for (half, offset) in (0..).zip(&offsets) {
            let to = if half == 0 || is_some { good } else { rest };
            self.asm.v3(op::PMINUD, y, to, *offset, limit);
            self.asm.v3(op::PCMPEQD, y, to, to, *offset);
            let aligned = self.cache.take()?;
            self.asm.v3(op::PAND, y, aligned, *offset, low);
            self.asm.v3(op::PCMPEQD, y, aligned, aligned, zero);
            self.asm.v3(op::PAND, y, to, to, aligned);
            self.cache.drop(aligned);
            if is_some {
                let enabled = self.enabled_elements(mask, half * LANES, 4, y)??;
                // The enabled ones that are not good.
                self.asm.v3(op::PANDN, y, to, to, enabled);
                self.asm.v2(op::PTEST, y, to, to, y);
                self.asm.jump(Code::Jne_rel32_64, slow);
                masks.push(enabled);
            } else if half > 0 {
                self.asm.v3(op::PAND, y, good, good, rest);
            }
        }
        if !is_some {
            self.asm.rr(op::MOVMSKPS.code(y), Register::ECX, good.register(y));
            self.asm.ri(Code::Cmp_rm32_imm32, Register::ECX, 0xff);
            self.asm.jump(Code::Jne_rel32_64, slow);
        }
        [limit, low, zero, good, rest].into_iter().for_each(|vector| self.cache.drop(vector));
        self.mark(mask, transfer, is_some, &offsets, slow)?;
        self.asm.rm(Code::Mov_r64_rm64, WORDS, at(PLACE, offset::WORDS));
        self.asm.rr(Code::VEX_Vmovd_rm32_xmm, Register::EDI, offsets[0].register(x));
        if transfer.store {
            self.put(transfer, &offsets, &masks)?;
        } else {
            self.get(transfer, &offsets, &masks)?;
        }
        offsets.iter().chain(&masks).for_each(|vector| self.cache.drop(*vector));
        Some(())
    }

    /// The offsets of 8 channels.
    fn dword_offsets(&mut self, transfer: &Transfer, place: u32) -> Option<Vector> {
        let y = Width::Y;
        let mut offsets = self.value(Tag::Row { at: place, bytes: 32 })?;
        let mut change = |this: &mut Self, op, with: Vector| {
            let d = this.cache.take()?;
            this.asm.v3(op, y, d, offsets, with);
            [offsets, with].into_iter().for_each(|vector| this.cache.drop(vector));
            offsets = d;
            Some(())
        };
        if let Some((global, _)) = transfer.global {
            let global = self.value(Tag::Splat { at: global, bytes: 4, width: y })?;
            change(self, op::PADDD, global)?;
        }
        if transfer.scale != 1 {
            let scale = self.number(transfer.scale.into(), 4, y)?;
            change(self, op::PMULLD, scale)?;
        }
        if transfer.offset != 0 {
            let offset = self.number((transfer.offset as u32).into(), 4, y)?;
            change(self, op::PADDD, offset)?;
        }
        if transfer.space == Space::Local {
            let low = self.number(LOCAL_OFFSETS.into(), 4, y)?;
            change(self, op::PAND, low)?;
        }
        Some(offsets)
    }

    /// The offsets of the channels in the buffer that the first enabled one names; the others must name it too.
    fn flat_offsets(
        &mut self,
        mask: &Mask,
        transfer: &Transfer,
        place: u32,
        is_some: bool,
        slow: Label,
    ) -> Option<Vec<Vector>> {
        let (x, y) = (Width::X, Width::Y);
        (transfer.scale == 1).then_some(())?;
        let (mut offsets, mut uppers) = (Vec::new(), Vec::new());
        for half in 0..mask.lanes.count_ones() / LANES {
            let mut pair = [self.value(Tag::Row { at: place + half * 64, bytes: 32 })?; 2];
            pair[1] = self.value(Tag::Row { at: place + half * 64 + 32, bytes: 32 })?;
            for address in &mut pair {
                let mut change = |this: &mut Self, with: Vector| {
                    let d = this.cache.take()?;
                    this.asm.v3(op::PADDQ, y, d, *address, with);
                    [*address, with].into_iter().for_each(|vector| this.cache.drop(vector));
                    *address = d;
                    Some(())
                };
                match transfer.global {
                    Some((global, 8)) => {
                        let global = self.value(Tag::Splat { at: global, bytes: 8, width: y })?;
                        change(self, global)?;
                    }
                    Some(_) => return None,
                    None => {}
                }
                if transfer.offset != 0 {
                    let offset = self.number(i64::from(transfer.offset) as u64, 8, y)?;
                    change(self, offset)?;
                }
            }
            let (low, high) = (self.cache.take()?, self.cache.take()?);
            for (to, parts) in [(low, 0x88), (high, 0xdd)] {
                self.asm.v3i(op::SHUFPS, y, to, pair[0], pair[1], parts);
                self.asm.r2i(Code::VEX_Vpermq_ymm_ymmm256_imm8, to.register(y), to.register(y), 0xd8);
            }
            pair.into_iter().for_each(|vector| self.cache.drop(vector));
            offsets.push(low);
            uppers.push(high);
        }
        // The upper half of the first enabled channel's address.
        let upper = Register::ECX;
        if is_some {
            for (half, high) in (0..).zip(&uppers) {
                self.asm.store(op::MOVUPS_STORE, y, at(FRAME, offset::SCRATCH + half * 32), *high);
            }
            self.asm.rr(Code::Tzcnt_r32_rm32, upper, ENABLED);
            self.asm.rm(Code::Mov_r32_rm32, upper, indexed(FRAME, Register::RCX, 4, offset::SCRATCH.into()));
        } else {
            self.asm.rr(Code::VEX_Vmovd_rm32_xmm, upper, uppers[0].register(x));
        }
        self.find_flat(slow);
        let same = self.cache.take()?;
        self.asm.rr(Code::VEX_Vmovd_xmm_rm32, same.register(x), upper);
        self.asm.v2(op::BROADCASTD, y, same, same, x);
        for (half, high) in (0..).zip(&uppers) {
            self.asm.v3(op::PXOR, y, *high, *high, same);
            if is_some {
                let enabled = self.enabled_elements(mask, half * LANES, 4, y)??;
                self.asm.v3(op::PAND, y, *high, *high, enabled);
                self.cache.drop(enabled);
            }
            self.asm.v2(op::PTEST, y, *high, *high, y);
            self.asm.jump(Code::Jne_rel32_64, slow);
        }
        uppers.into_iter().chain([same]).for_each(|vector| self.cache.drop(vector));
        Some(offsets)
    }

    /// Marks what is accessed, where somebody wants to know.
    fn mark(
        &mut self,
        mask: &Mask,
        transfer: &Transfer,
        is_some: bool,
        offsets: &[Vector],
        slow: Label,
    ) -> Option<()> {
        // Marks of up to 25 bytes fit into a dword wherever they begin.
        let bits = transfer.elements.iter().fold(0_u64, |bits, (distance, _)| bits | 0xf << (*distance).min(60));
        let bits = u32::try_from(bits).ok().filter(|bits| *bits < 1 << 25)?;
        let (from, back) = (self.asm.label(), self.asm.label());
        let marks = if transfer.store { offset::STORES } else { offset::LOADS };
        self.asm.rm(Code::Mov_r64_rm64, Register::RCX, at(PLACE, marks));
        self.asm.rr(Code::Test_rm64_r64, Register::RCX, Register::RCX);
        self.asm.jump(Code::Jne_rel32_64, from);
        self.asm.bind(back);
        let first = self.asm.label();
        let lanes = (!is_some).then_some(mask.lanes);
        self.later.push(Later::Caller { from, is: first, slow });
        self.later.push(Later::Scatter(Box::new(Scatter {
            from: first,
            back,
            offsets: offsets.to_vec(),
            lanes,
            what: OneByOne::Mark(bits),
        })));
        Some(())
    }

    /// From memory to registers.
    fn get(&mut self, transfer: &Transfer, offsets: &[Vector], masks: &[Vector]) -> Option<()> {
        let (x, y) = (Width::X, Width::Y);
        let (same, other, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        let is_cached = transfer.elements.len() == 1 && masks.is_empty();
        let results: Option<Vec<_>> = offsets.iter().map(|_| self.cache.take()).collect();
        let results = results?;
        let (steps, distance) = (self.cache.take()?, self.cache.take()?);
        // What is loaded from here on is not there on every way.
        let far = self.number(32, 4, y)?;
        let memory = |distance: u32, half: u32| indexed(WORDS, FIRST, 1, i64::from(distance + half * 32));
        // What the first two channels say decides what is tried.
        self.asm.r2i(Code::VEX_Vpextrd_rm32_xmm_imm8, Register::R9D, offsets[0].register(x), 1);
        self.asm.rr(Code::Sub_r32_rm32, Register::R9D, Register::EDI);
        self.asm.v2(op::BROADCASTD, y, distance, offsets[0], x);
        self.asm.ri(Code::Cmp_rm32_imm8, Register::R9D, 4);
        self.asm.jump(Code::Jne_rel32_64, same);
        if !masks.is_empty() {
            // The first channel need not be enabled, and its offset be anything.
            self.asm.rr(Code::Cmp_r64_rm64, FIRST, LIMIT);
            self.asm.jump(Code::Ja_rel32_64, other);
        }
        let constant = self.asm.constant(&dword_steps());
        self.asm.load(op::MOVUPS, y, steps, constant);
        self.are_apart(offsets, masks, (distance, Some([steps, far])), results[0], other)?;
        for &(element, place) in &transfer.elements {
            for (half, result) in (0..).zip(&results) {
                match masks.get(half as usize) {
                    None => self.asm.load(op::MOVUPS, y, *result, memory(element, half)),
                    Some(mask) => self.asm.load_where(op::MASKMOVD, y, *result, *mask, memory(element, half)),
                }
                self.got(place + half * 32, *result, masks.get(half as usize), steps);
            }
        }
        self.asm.jump(Code::Jmp_rel32_64, done);
        self.asm.bind(same);
        self.asm.rr(Code::Test_rm32_r32, Register::R9D, Register::R9D);
        self.asm.jump(Code::Jne_rel32_64, other);
        if !masks.is_empty() {
            self.asm.rr(Code::Cmp_r64_rm64, FIRST, LIMIT);
            self.asm.jump(Code::Ja_rel32_64, other);
            self.asm.ri(Code::Test_rm32_imm32, Register::EDI, 3);
            self.asm.jump(Code::Jne_rel32_64, other);
        }
        self.are_apart(offsets, masks, (distance, None), results[0], other)?;
        for &(element, place) in &transfer.elements {
            for (half, result) in (0..).zip(&results) {
                self.asm.load(op::BROADCASTSS, y, *result, memory(element, 0));
                self.got(place + half * 32, *result, masks.get(half as usize), steps);
            }
        }
        self.asm.jump(Code::Jmp_rel32_64, done);
        self.asm.bind(other);
        for &(element, place) in &transfer.elements {
            for (half, (result, offset)) in (0..).zip(results.iter().zip(offsets)) {
                let mask = masks.get(half as usize);
                match mask {
                    None => self.asm.v3(op::PCMPEQD, y, steps, steps, steps),
                    Some(mask) => self.asm.v2(op::MOVUPS, y, steps, *mask, y),
                }
                self.asm.v3(op::PXOR, y, *result, *result, *result);
                let memory = indexed(WORDS, offset.register(y), 1, element.into());
                self.asm.gather(op::PGATHERDD, y, *result, memory, steps);
                self.got(place + half * 32, *result, mask, steps);
            }
        }
        self.asm.bind(done);
        for &(_, place) in &transfer.elements {
            self.cache.forget(place, offsets.len() as u32 * 32);
        }
        for (half, result) in (0..).zip(&results) {
            if is_cached {
                self.cache.name(*result, Tag::Row { at: transfer.elements[0].1 + half * 32, bytes: 32 });
            }
            self.cache.drop(*result);
        }
        [steps, distance, far].into_iter().for_each(|vector| self.cache.drop(vector));
        Some(())
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

    /// From registers to memory.
    fn put(&mut self, transfer: &Transfer, offsets: &[Vector], masks: &[Vector]) -> Option<()> {
        let (x, y) = (Width::X, Width::Y);
        let (other, done) = (self.asm.label(), self.asm.label());
        let (steps, distance, scratch) = (self.cache.take()?, self.cache.take()?, self.cache.take()?);
        let far = self.number(32, 4, y)?;
        if !masks.is_empty() {
            self.asm.rr(Code::Cmp_r64_rm64, FIRST, LIMIT);
            self.asm.jump(Code::Ja_rel32_64, other);
        }
        self.asm.v2(op::BROADCASTD, y, distance, offsets[0], x);
        let constant = self.asm.constant(&dword_steps());
        self.asm.load(op::MOVUPS, y, steps, constant);
        self.are_apart(offsets, masks, (distance, Some([steps, far])), scratch, other)?;
        for &(element, place) in &transfer.elements {
            for half in 0..offsets.len() as u32 {
                let memory = indexed(WORDS, FIRST, 1, i64::from(element + half * 32));
                self.asm.load(op::MOVUPS, y, scratch, at(FILE, place + half * 32));
                match masks.get(half as usize) {
                    None => self.asm.store(op::MOVUPS_STORE, y, memory, scratch),
                    Some(mask) => self.asm.store_where(op::MASKMOVD_STORE, y, memory, *mask, scratch),
                }
            }
        }
        self.asm.bind(done);
        self.later.push(Later::Scatter(Box::new(Scatter {
            from: other,
            back: done,
            offsets: offsets.to_vec(),
            lanes: masks.is_empty().then_some(u32::MAX >> (32 - offsets.len() as u32 * LANES)),
            what: OneByOne::Store(transfer.elements.clone()),
        })));
        [steps, distance, scratch, far].into_iter().for_each(|vector| self.cache.drop(vector));
        Some(())
    }

    /// A buffer whose accesses the caller makes, or else notes.
    pub(crate) fn caller_or(&mut self, from: Label, is: Label, slow: Label) {
        self.asm.bind(from);
        self.asm.ri(Code::Cmp_rm64_imm8, Register::RCX, CALLER as i32);
        self.asm.jump(Code::Je_rel32_64, slow);
        self.asm.jump(Code::Jmp_rel32_64, is);
    }

    /// Channels one by one, the first one first.
    pub(crate) fn scatter(&mut self, scatter: &Scatter) {
        let (channel, rest, value) = (Register::R9, Register::R10D, Register::R11D);
        self.asm.bind(scatter.from);
        for (half, offsets) in (0..).zip(&scatter.offsets) {
            self.asm.store(op::MOVUPS_STORE, Width::Y, at(FRAME, offset::SCRATCH + half * 32), *offsets);
        }
        let begin = |this: &mut Self| {
            match scatter.lanes {
                Some(lanes) => this.asm.ri(Code::Mov_r32_imm32, rest, lanes as i32),
                None => this.asm.rr(Code::Mov_r32_rm32, rest, ENABLED),
            }
            let again = this.asm.here();
            this.asm.rr(Code::Tzcnt_r32_rm32, Register::R9D, rest);
            again
        };
        let next = |this: &mut Self, again| {
            this.asm.rr(Code::VEX_Blsr_r32_rm32, rest, rest);
            this.asm.jump(Code::Jne_rel32_64, again);
        };
        let own = indexed(FRAME, channel, 4, offset::SCRATCH.into());
        match &scatter.what {
            OneByOne::Store(elements) => {
                for &(distance, place) in elements {
                    let again = begin(self);
                    self.asm.rm(Code::Mov_r32_rm32, value, indexed(FILE, channel, 4, place.into()));
                    self.asm.rm(Code::Mov_r32_rm32, Register::EDI, own);
                    self.asm.mr(Code::Mov_rm32_r32, indexed(WORDS, FIRST, 1, distance.into()), value);
                    next(self, again);
                }
            }
            OneByOne::Mark(bits) => {
                let again = begin(self);
                self.asm.rm(Code::Mov_r32_rm32, Register::EDI, own);
                self.asm.ri(Code::Mov_r32_imm32, value, *bits as i32);
                self.asm.rr(Code::Mov_r32_rm32, Register::R9D, Register::EDI);
                self.asm.ri(Code::And_rm32_imm8, Register::R9D, 7);
                self.asm.rrr(Code::VEX_Shlx_r32_rm32_r32, value, value, Register::R9D);
                self.asm.ri(Code::Shr_rm32_imm8, Register::EDI, 3);
                self.asm.mr(Code::Or_rm32_r32, indexed(Register::RCX, FIRST, 1, 0), value);
                next(self, again);
            }
        }
        self.asm.jump(Code::Jmp_rel32_64, scatter.back);
    }
}

/// The size of a buffer's entry in its table, as a power of two.
const PLACE_SHIFT: i32 = 5;
const _: () = assert!(size_of::<crate::frame::Place>() == 1 << PLACE_SHIFT);

/// The bits of an address in the memory of a group that count.
const LOCAL_OFFSETS: u32 = 0x0fff_ffff;
