//! Messages to flat memory.

use crate::kernels::atomic;
use crate::kernels::lowering::{LowerResult, Lowering, channels, illegal, number};
use crate::kernels::message::{Message, Place, Shape};
use crate::kernels::surface::{block_load, block_store, components, result};
use visakit::isa::{
    ExecSize, Predicate, RawOperand, SvmAtomic, SvmBlockLd, SvmBlockSt, SvmGather, SvmGather4Scaled, SvmScatter,
    SvmScatter4Scaled,
};

pub(super) fn block_ld(l: &mut Lowering<'_>, inst: &SvmBlockLd) -> LowerResult {
    let addresses = l.flat_addresses(None, Some(&inst.address), 1)?;
    block_load(l, number(inst.properties.size.name()), Place::Flat, addresses, &inst.dst)
}

pub(super) fn block_st(l: &mut Lowering<'_>, inst: &SvmBlockSt) -> LowerResult {
    let addresses = l.flat_addresses(None, Some(&inst.address), 1)?;
    block_store(l, number(inst.properties.size.name()), Place::Flat, addresses, &inst.src)
}

pub(super) fn gather(l: &mut Lowering<'_>, inst: &SvmGather) -> LowerResult {
    let (size, count) = (number(inst.block_size.name()), number(inst.num_blocks.name()));
    let message = blocks(l, inst.exec_size, inst.pred, size, count, &inst.addresses)?;
    let dst = l.raw(&inst.dst, message.shape.extent(channels(inst.exec_size), count as usize))?;
    Ok(message.load(l, dst))
}

pub(super) fn scatter(l: &mut Lowering<'_>, inst: &SvmScatter) -> LowerResult {
    let (size, count) = (number(inst.block_size.name()), number(inst.num_blocks.name()));
    let message = blocks(l, inst.exec_size, inst.pred, size, count, &inst.addresses)?;
    let src = l.raw_required(&inst.src, message.shape.extent(channels(inst.exec_size), count as usize))?;
    Ok(message.store(l, src))
}

/// Blocks of 4 or 8 bytes: the first of all channels, then the second. Bytes: all of a channel, in at least four.
fn blocks(
    l: &mut Lowering<'_>,
    exec_size: ExecSize,
    pred: Predicate,
    size: u32,
    count: u32,
    addresses: &RawOperand,
) -> LowerResult<Message> {
    let enable = l.enable(exec_size, pred)?;
    let lanes = channels(exec_size);
    let addresses = l.flat_addresses(Some(addresses), None, lanes)?;
    let shape = if size == 1 {
        Shape { size, slot: 1, high: false, lane_step: count.max(4), element_step: 1 }
    } else {
        Shape::packed(size, lanes as u32 * size)
    };
    let elements = (0..u64::from(count)).map(|n| n * u64::from(size)).collect();
    Ok(Message { enable, place: Place::Flat, addresses, shape, elements, unaligned: false })
}

pub(super) fn gather4_scaled(l: &mut Lowering<'_>, inst: &SvmGather4Scaled) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let addresses = l.flat_addresses(Some(&inst.element_offset), Some(&inst.address), lanes)?;
    let message = components(l, inst.exec_size, inst.pred, inst.channels, Place::Flat, addresses)?;
    let dst = l.raw(&inst.dst, message.shape.extent(lanes, message.elements.len()))?;
    Ok(message.load(l, dst))
}

pub(super) fn scatter4_scaled(l: &mut Lowering<'_>, inst: &SvmScatter4Scaled) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let addresses = l.flat_addresses(Some(&inst.element_offset), Some(&inst.address), lanes)?;
    let message = components(l, inst.exec_size, inst.pred, inst.channels, Place::Flat, addresses)?;
    let src = l.raw_required(&inst.src, message.shape.extent(lanes, message.elements.len()))?;
    Ok(message.store(l, src))
}

pub(super) fn atomic(l: &mut Lowering<'_>, inst: &SvmAtomic) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let size = number(inst.op.width.name()) / 8;
    let Some(update) = atomic::update(inst.op.op, size) else {
        return illegal(format!("an atomic operation of {size} bytes"));
    };
    let lanes = channels(inst.exec_size);
    let slot = size.max(4);
    let shape = Shape { size, slot, high: false, lane_step: slot, element_step: 0 };
    let bytes = shape.extent(lanes, 1);
    let operands = [l.raw(&inst.src0, bytes)?, l.raw(&inst.src1, bytes)?];
    let result = result(inst.op.op, l.raw(&inst.dst, bytes)?);
    let addresses = l.flat_addresses(Some(&inst.addresses), None, lanes)?;
    let message = Message { enable, place: Place::Flat, addresses, shape, elements: Vec::new(), unaligned: false };
    Ok(message.atomic(l, update, operands, result))
}
