//! Messages that transfer a rectangle of bytes of an image.

use crate::image::access::{image, lsc_space};
use crate::lowering::step::{Lowered, Run};
use crate::lowering::{LowerResult, Lowering, illegal};
use crate::memory::address::AddressSpace;
use visakit::isa::{LscOpKind, LscTypedBlock2d, MediaLd, MediaModifier, MediaSt, RawOperand, SurfaceId, VecOperand};
use visakit_machine::World;
use visakit_machine::operand::Source;
use visakit_machine::thread::{ExecMask, Thread};

pub(crate) fn media_ld(l: &mut Lowering<'_>, inst: &MediaLd) -> LowerResult {
    let place = (inst.surface, inst.modifiers, inst.plane);
    media(l, place, [inst.block_width, inst.block_height], [&inst.x_offset, &inst.y_offset])?.load(l, &inst.dst)
}

pub(crate) fn media_st(l: &mut Lowering<'_>, inst: &MediaSt) -> LowerResult {
    let place = (inst.surface, inst.modifiers, inst.plane);
    media(l, place, [inst.block_width, inst.block_height], [&inst.x_offset, &inst.y_offset])?.store(l, &inst.src)
}

pub(crate) fn typed(l: &mut Lowering<'_>, inst: &LscTypedBlock2d) -> LowerResult {
    let space = lsc_space(l, inst.addr_type, &inst.surface)?;
    let size = [inst.block_width, inst.block_height].map(u32::from);
    let block = Block::new(l, space, size, [&inst.src0_addr_x, &inst.src0_addr_y])?;
    // The whole rectangle belongs to the first channel.
    let enable = ExecMask { lanes: 1, ..l.enable(inst.exec_size, inst.pred)? };
    let block = Block { enable, ..block };
    match inst.lsc_sub_op.kind() {
        LscOpKind::Load => block.load(l, &inst.dst_data),
        LscOpKind::Store => block.store(l, &inst.src1_data),
        LscOpKind::Atomic => illegal("an atomic operation on a rectangle"),
    }
}

/// Lowers the position of a rectangle in a plane of a surface, or in one of its interlaced fields.
fn media(
    l: &mut Lowering<'_>,
    (surface, modifier, plane): (SurfaceId, MediaModifier, u8),
    size: [u8; 2],
    corner: [&VecOperand; 2],
) -> LowerResult<Block> {
    if plane != 0 {
        return illegal("images have only plane 0");
    }
    let rows = match modifier {
        MediaModifier::Top | MediaModifier::TopMod => (2, 0),
        MediaModifier::Bottom | MediaModifier::BottomMod => (2, 1),
        _ => (1, 0),
    };
    let space = l.address_space(surface)?;
    Ok(Block { rows, ..Block::new(l, space, size.map(u32::from), corner)? })
}

/// A rectangle of bytes of a surface, transferred if any channel is enabled.
struct Block {
    enable: ExecMask,
    surface: AddressSpace,
    width: u32,
    height: u32,
    /// Distance between rows in registers, in bytes.
    pitch: u32,
    /// Distance between rows in the surface, and the first row: an interlaced field has every other
    /// row.
    rows: (u32, u32),
    /// Run-time coordinates of the rectangle's corner in the surface.
    corner: [Source<u32>; 2],
}

impl Block {
    fn new(
        l: &mut Lowering<'_>,
        surface: AddressSpace,
        [width, height]: [u32; 2],
        [x, y]: [&VecOperand; 2],
    ) -> LowerResult<Self> {
        let corner = [l.source(x, 1)?, l.source(y, 1)?];
        let pitch = width.next_power_of_two().max(4);
        Ok(Self { enable: ExecMask::all(1), surface, width, height, pitch, rows: (1, 0), corner })
    }

    fn load(self, l: &mut Lowering<'_>, operand: &RawOperand) -> LowerResult {
        let Some(dst) = l.raw(operand, self.bytes())? else {
            return illegal("the destination of a block load is null");
        };
        Ok(self.step(l, move |block, thread, world| {
            let bound = image(&block.surface, thread, world);
            for (at, x, y) in block.places(thread) {
                let byte = bound.and_then(|(image, texels)| texels.load(image.byte(x, y)?, 1)).unwrap_or(0);
                thread.registers.set(dst + at, byte as u8);
            }
        }))
    }

    fn store(self, l: &mut Lowering<'_>, operand: &RawOperand) -> LowerResult {
        let src = l.raw_required(operand, self.bytes())?;
        Ok(self.step(l, move |block, thread, world| {
            let Some((image, texels)) = image(&block.surface, thread, world) else { return };
            let mut outside = 0;
            for (at, x, y) in block.places(thread) {
                let byte = thread.registers.get::<u8>(src + at);
                let stored = image.byte(x, y).and_then(|offset| texels.store(offset, 1, byte.into()));
                outside += u64::from(stored.is_none());
            }
            thread.outside_writes += outside;
        }))
    }

    /// Returns a step that transfers the block.
    fn step(
        self,
        l: &mut Lowering<'_>,
        moves: impl Fn(&Self, &mut Thread, &World<'_>) + Send + Sync + 'static,
    ) -> Lowered {
        let enable = self.enable;
        let run = Run::new(move |thread, world| {
            if thread.enabled(&enable) != 0 {
                moves(&self, thread, world);
            }
            Ok(())
        });
        l.step(enable, run)
    }

    fn bytes(&self) -> u64 {
        u64::from(self.pitch) * u64::from(self.height)
    }

    /// Returns the register offset, column and row of each byte.
    fn places(&self, thread: &Thread) -> impl Iterator<Item = (u32, u32, u32)> + use<> {
        // The sums wrap, so a rectangle with negative coordinates can overlap the image.
        let Self { width, height, pitch, rows: (distance, first), .. } = *self;
        let [left, top] = self.corner.each_ref().map(|source| source.first(thread));
        (0..height).flat_map(move |y| {
            let row = top.wrapping_add(y).checked_mul(distance).map_or(u32::MAX, |row| row + first);
            (0..width).map(move |x| (y * pitch + x, left.wrapping_add(x), row))
        })
    }
}
