//! Addresses of channels, as offsets in a buffer.

use iced_x86::{Code, Register};

use crate::asm::{Label, Vector, Width, at, indexed};
use crate::buffer::FIRST;
use crate::cache::Tag;
use crate::emit::{ENABLED, Emitter, FILE, FRAME, dword_places};
use crate::frame::offset;
use crate::ir::{Addresses, Mask, Space, Transfer};
use crate::op;
use crate::transfer::{LOCAL_OFFSETS, factor_bits};

impl Emitter<'_> {
    /// The offsets of as many channels.
    pub(crate) fn dword_offsets(&mut self, transfer: &Transfer, lanes: u32, place: u32) -> Option<Vector> {
        let w = Width::of(lanes * 4);
        let mut offsets = self.value(Tag::Row { at: place, bytes: lanes * 4 })?;
        let mut change = |this: &mut Self, op, with: Vector| {
            let d = this.cache.take()?;
            this.asm.v3(op, w, d, offsets, with);
            [offsets, with].into_iter().for_each(|vector| this.cache.drop(vector));
            offsets = d;
            Some(())
        };
        if let Some((global, _)) = transfer.global {
            let global = self.value(Tag::Splat { at: global, bytes: 4, width: w })?;
            change(self, op::PADDD, global)?;
        }
        if transfer.scale != 1 {
            let scale = self.number(transfer.scale.into(), 4, w)?;
            change(self, op::PMULLD, scale)?;
        }
        if transfer.offset != 0 {
            let offset = self.number((transfer.offset as u32).into(), 4, w)?;
            change(self, op::PADDD, offset)?;
        }
        if transfer.space == Space::Local {
            let low = self.number(LOCAL_OFFSETS.into(), 4, w)?;
            change(self, op::PAND, low)?;
        }
        Some(offsets)
    }

    /// The first channel's address: its offset in [`FIRST`], and the buffer that it names.
    pub(crate) fn first_flat(&mut self, transfer: &Transfer, (place, lanes): (u32, u32), slow: Label) -> Option<()> {
        let x = Width::X;
        match self.cache.find(&Tag::Row { at: place, bytes: lanes * 4 }) {
            Some(row) => {
                self.asm.rr(Code::VEX_Vmovq_rm64_xmm, FIRST, row.register(x));
                self.cache.drop(row);
            }
            None => self.asm.rm(Code::Mov_r64_rm64, FIRST, at(FILE, place)),
        }
        if let Some((global, bytes)) = transfer.global {
            (bytes == 8).then_some(())?;
            match self.cache.find(&Tag::Splat { at: global, bytes, width: Width::of(lanes * 4) }) {
                Some(splat) => {
                    self.asm.rr(Code::VEX_Vmovq_rm64_xmm, Register::RCX, splat.register(x));
                    self.asm.rr(Code::Add_r64_rm64, FIRST, Register::RCX);
                    self.cache.drop(splat);
                }
                None => self.asm.rm(Code::Add_r64_rm64, FIRST, at(FILE, global)),
            }
        }
        if transfer.offset != 0 {
            self.asm.ri(Code::Add_rm64_imm32, FIRST, transfer.offset);
        }
        self.asm.rr(Code::Mov_r64_rm64, Register::RCX, FIRST);
        self.asm.ri(Code::Shr_rm64_imm8, Register::RCX, 32);
        self.find_flat(slow);
        self.asm.rr(Code::Mov_r32_rm32, Register::EDI, Register::EDI);
        Some(())
    }

    /// The addresses of as many channels, in two vectors, without the number for all channels.
    fn address_pair(&mut self, transfer: &Transfer, half: u32, lanes: u32) -> Option<[Vector; 2]> {
        let (w, row) = (Width::of(lanes * 4), lanes * 4);
        match transfer.addresses {
            Addresses::Qwords(place) => {
                (transfer.scale == 1).then_some(())?;
                let at = place + half * row * 2;
                let first = self.value(Tag::Row { at, bytes: row })?;
                Some([first, self.value(Tag::Row { at: at + row, bytes: row })?])
            }
            Addresses::Offsets { at: place, signed } => {
                let (bits, extend) = (factor_bits(transfer)?, if signed { op::MOVSXDQ } else { op::MOVZXDQ });
                let pair = [self.cache.take()?, self.cache.take()?];
                for (n, vector) in (0..).zip(pair) {
                    self.asm.load(extend, w, vector, at(FILE, place + half * row + n * row / 2));
                    if bits > 0 {
                        self.asm.v2i(op::PSLLQ, w, vector, vector, bits);
                    }
                }
                Some(pair)
            }
            Addresses::None | Addresses::Dwords(_) => None,
        }
    }

    /// The offsets of the channels in the buffer that the first enabled one names; the others must
    /// name it too.
    pub(crate) fn flat_offsets(
        &mut self,
        mask: &Mask,
        transfer: &Transfer,
        lanes: u32,
        is_some: bool,
        slow: Label,
    ) -> Option<Vec<Vector>> {
        let (x, w) = (Width::X, Width::of(lanes * 4));
        let (mut offsets, mut uppers) = (Vec::new(), Vec::new());
        for half in 0..mask.lanes.count_ones() / lanes {
            let mut pair = self.address_pair(transfer, half, lanes)?;
            for address in &mut pair {
                let mut change = |this: &mut Self, with: Vector| {
                    let d = this.cache.take()?;
                    this.asm.v3(op::PADDQ, w, d, *address, with);
                    [*address, with].into_iter().for_each(|vector| this.cache.drop(vector));
                    *address = d;
                    Some(())
                };
                match transfer.global {
                    Some((global, 8)) => {
                        let global = self.value(Tag::Splat { at: global, bytes: 8, width: w })?;
                        change(self, global)?;
                    }
                    Some(_) => return None,
                    None => {}
                }
                if transfer.offset != 0 {
                    let offset = self.number(i64::from(transfer.offset) as u64, 8, w)?;
                    change(self, offset)?;
                }
            }
            let (low, high) = (self.cache.take()?, self.cache.take()?);
            for (to, parts) in [(low, 0x88), (high, 0xdd)] {
                if self.has_bits {
                    let places = self.asm.constant(&dword_places(to == high));
                    self.asm.load(op::MOVUPS, w, to, places);
                    self.asm.v3(op::PERMI2D, w, to, pair[0], pair[1]);
                } else {
                    self.asm.v3i(op::SHUFPS, w, to, pair[0], pair[1], parts);
                    // Of four channels the halves are in order.
                    if w != x {
                        self.asm.r2i(Code::VEX_Vpermq_ymm_ymmm256_imm8, to.register(w), to.register(w), 0xd8);
                    }
                }
            }
            pair.into_iter().for_each(|vector| self.cache.drop(vector));
            offsets.push(low);
            uppers.push(high);
        }
        // The upper half of the first enabled channel's address.
        let upper = Register::ECX;
        let same = self.cache.take()?;
        if !is_some {
            self.asm.rr(Code::VEX_Vmovd_rm32_xmm, upper, uppers[0].register(x));
        } else if self.has_bits {
            let bits = self.bits(mask, 0, lanes)?;
            self.first_chosen(w, upper, uppers[0], same, bits);
            self.cache.drop(bits.0);
        } else {
            for (half, high) in (0..).zip(&uppers) {
                self.asm.store(op::MOVUPS_STORE, w, at(FRAME, offset::SCRATCH + half * 32), *high);
            }
            self.asm.rr(Code::Tzcnt_r32_rm32, upper, ENABLED);
            self.asm.rm(Code::Mov_r32_rm32, upper, indexed(FRAME, Register::RCX, 4, offset::SCRATCH.into()));
        }
        self.find_flat(slow);
        self.asm.rr(Code::VEX_Vmovd_xmm_rm32, same.register(x), upper);
        self.asm.v2(op::BROADCASTD, w, same, same, x);
        for (half, high) in (0..).zip(&uppers) {
            let enabled = self.enabled_elements(mask, half * lanes, 4, w)?;
            self.jump_if_other(w, [*high, same], *high, enabled, slow);
            if let Some(choice) = enabled {
                self.drop_choice(choice);
            }
        }
        uppers.into_iter().chain([same]).for_each(|vector| self.cache.drop(vector));
        Some(offsets)
    }
}
