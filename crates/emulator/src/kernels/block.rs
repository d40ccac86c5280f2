//! Messages that move a rectangle of bytes of an image.

use crate::kernels::address::AddressSpace;
use crate::kernels::image::{image, lsc_space};
use crate::kernels::lowering::{LowerResult, Lowering, illegal};
use crate::kernels::step::Lowered;
use crate::machine::World;
use crate::machine::operand::Source;
use crate::machine::thread::{ExecMask, Thread};
use visakit::isa::{LscOp, LscTypedBlock2d, MediaLd, MediaModifier, MediaSt, RawOperand, SurfaceId, VecOperand};

pub(super) fn media_ld(l: &mut Lowering<'_>, inst: &MediaLd) -> LowerResult {
    let block = Block::new(l, inst.surface, inst.modifiers, inst.plane, [inst.block_width, inst.block_height])?;
    let corner = corner(l, [&inst.x_offset, &inst.y_offset])?;
    load(l, ExecMask::all(1), block, corner, &inst.dst)
}

pub(super) fn media_st(l: &mut Lowering<'_>, inst: &MediaSt) -> LowerResult {
    let block = Block::new(l, inst.surface, inst.modifiers, inst.plane, [inst.block_width, inst.block_height])?;
    let corner = corner(l, [&inst.x_offset, &inst.y_offset])?;
    store(l, ExecMask::all(1), block, corner, &inst.src)
}

pub(super) fn typed(l: &mut Lowering<'_>, inst: &LscTypedBlock2d) -> LowerResult {
    let surface = lsc_space(l, inst.addr_type, &inst.surface)?;
    let block = Block::of_bytes(surface, u32::from(inst.block_width), u32::from(inst.block_height), (1, 0));
    let corner = corner(l, [&inst.src0_addr_x, &inst.src0_addr_y])?;
    // The whole rectangle belongs to the first channel.
    let enable = ExecMask { lanes: 1, ..l.enable(inst.exec_size, inst.pred)? };
    if inst.lsc_sub_op == LscOp::LscLoadBlock2d {
        load(l, enable, block, corner, &inst.dst_data)
    } else {
        store(l, enable, block, corner, &inst.src1_data)
    }
}

fn corner(l: &mut Lowering<'_>, operands: [&VecOperand; 2]) -> LowerResult<[Source<u32>; 2]> {
    let [x, y] = operands;
    Ok([l.source(x, 1)?, l.source(y, 1)?])
}

fn load(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    block: Block,
    corner: [Source<u32>; 2],
    operand: &RawOperand,
) -> LowerResult {
    let Some(dst) = l.raw(operand, block.bytes())? else { return illegal("the destination of a block is null") };
    Ok(step(l, enable, corner, move |thread, world, corner| {
        let bound = image(&block.surface, thread, world);
        for (at, x, y) in block.places(corner) {
            let byte = bound.and_then(|(image, texels)| texels.load(image.byte(x, y)?, 1)).unwrap_or(0);
            thread.registers.set(dst + at, byte as u8);
        }
    }))
}

fn store(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    block: Block,
    corner: [Source<u32>; 2],
    operand: &RawOperand,
) -> LowerResult {
    let src = l.raw_required(operand, block.bytes())?;
    Ok(step(l, enable, corner, move |thread, world, corner| {
        let Some((image, texels)) = image(&block.surface, thread, world) else { return };
        let mut outside = 0;
        for (at, x, y) in block.places(corner) {
            let byte = thread.registers.get::<u8>(src + at);
            let stored = image.byte(x, y).and_then(|offset| texels.store(offset, 1, byte.into()));
            outside += u64::from(stored.is_none());
        }
        thread.outside_writes += outside;
    }))
}

/// A step that moves a block whose corner is known when it runs.
fn step(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    corner: [Source<u32>; 2],
    moves: impl Fn(&mut Thread, &World<'_>, [u32; 2]) + Send + Sync + 'static,
) -> Lowered {
    let run = Box::new(move |thread: &mut Thread, world: &World<'_>| {
        if thread.enabled(&enable) != 0 {
            let corner = corner.each_ref().map(|source| source.first(thread));
            moves(thread, world, corner);
        }
        Ok(())
    });
    l.step(enable, run)
}

/// A rectangle of bytes of a surface.
struct Block {
    surface: AddressSpace,
    width: u32,
    height: u32,
    /// Bytes from one row to the next in registers.
    pitch: u32,
    /// Rows of the surface from one row to the next, and the first one: fields have every other row.
    rows: (u32, u32),
}

impl Block {
    fn new(
        l: &mut Lowering<'_>,
        surface: SurfaceId,
        modifier: MediaModifier,
        plane: u8,
        [width, height]: [u8; 2],
    ) -> LowerResult<Self> {
        if plane != 0 {
            return illegal("images have one plane");
        }
        let rows = match modifier {
            MediaModifier::Top | MediaModifier::TopMod => (2, 0),
            MediaModifier::Bottom | MediaModifier::BottomMod => (2, 1),
            _ => (1, 0),
        };
        Ok(Self::of_bytes(l.address_space(surface)?, u32::from(width), u32::from(height), rows))
    }

    fn of_bytes(surface: AddressSpace, width: u32, height: u32, rows: (u32, u32)) -> Self {
        Self { surface, width, height, pitch: width.next_power_of_two().max(4), rows }
    }

    fn bytes(&self) -> u64 {
        u64::from(self.pitch) * u64::from(self.height)
    }

    /// For each byte its offset in registers, its column and its row.
    fn places(&self, [left, top]: [u32; 2]) -> impl Iterator<Item = (u32, u32, u32)> + use<'_> {
        (0..self.height).flat_map(move |y| {
            let row = top.wrapping_add(y).wrapping_mul(self.rows.0).wrapping_add(self.rows.1);
            (0..self.width).map(move |x| (y * self.pitch + x, left.wrapping_add(x), row))
        })
    }
}
