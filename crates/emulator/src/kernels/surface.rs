//! Messages to surfaces: gather and scatter, blocks of owords, atomic operations.

use crate::kernels::atomic;
use crate::kernels::lowering::{LowerResult, Lowering, channels, illegal, mask, number};
use crate::kernels::message::{Addresses, AtomicResult, Message, Place, Shape};
use crate::machine::lane::MAX_LANES;
use crate::machine::thread::{Combine, ExecMask, ones};
use visakit::isa::{
    AtomicOpOp, Channels, DwordAtomic, ExecSize, Gather, Gather4Scaled, GatherScaled, OwordLd, OwordLdUnaligned,
    OwordSt, Predicate, QwGather, QwScatter, RawOperand, Scatter, Scatter4Scaled, ScatterScaled, SurfaceId,
    VecOperand,
};

pub(super) fn gather(l: &mut Lowering<'_>, inst: &Gather) -> LowerResult {
    let enable = counted(number(inst.num_elts.elts.name()), inst.num_elts.mask.name());
    let message = elements(l, enable, inst.elt_size.name(), inst.surface, &inst.global_offset, &inst.element_offset)?;
    let dst = l.raw(&inst.dst, message.shape.extent(lanes(&enable), 1))?;
    Ok(message.load(l, dst))
}

pub(super) fn scatter(l: &mut Lowering<'_>, inst: &Scatter) -> LowerResult {
    let enable = counted(number(inst.num_elts.elts.name()), inst.num_elts.mask.name());
    let message = elements(l, enable, inst.elt_size.name(), inst.surface, &inst.global_offset, &inst.element_offset)?;
    let src = l.raw_required(&inst.src, message.shape.extent(lanes(&enable), 1))?;
    Ok(message.store(l, src))
}

/// The mask of a message that counts its channels itself and has no predicate.
fn counted(channels: u32, mask_name: &str) -> ExecMask {
    let (shift, always) = mask(mask_name);
    ExecMask { shift, lanes: ones(channels as usize), always, predicate: 0, combine: Combine::Each, inverse: 0 }
}

fn lanes(enable: &ExecMask) -> usize {
    enable.lanes.count_ones() as usize
}

/// One element of 1, 2 or 4 bytes for each channel, in a dword; offsets count elements.
fn elements(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    size: &str,
    surface: SurfaceId,
    global: &VecOperand,
    offsets: &RawOperand,
) -> LowerResult<Message> {
    let size = number(size);
    let place = l.place(surface)?;
    let addresses = l.surface_addresses(Some(offsets), global, lanes(&enable), size)?;
    let shape = Shape { size, slot: 4, high: false, lane_step: 4, element_step: 0 };
    Ok(Message { enable, place, addresses, shape, elements: vec![0], unaligned: false })
}

pub(super) fn gather_scaled(l: &mut Lowering<'_>, inst: &GatherScaled) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let message = bytes(l, enable, inst.num_blocks.name(), inst.surface, &inst.offset, &inst.element_offset)?;
    let dst = l.raw(&inst.dst, message.shape.extent(lanes(&enable), 1))?;
    Ok(message.load(l, dst))
}

pub(super) fn scatter_scaled(l: &mut Lowering<'_>, inst: &ScatterScaled) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let message = bytes(l, enable, inst.num_blocks.name(), inst.surface, &inst.offset, &inst.element_offset)?;
    let src = l.raw_required(&inst.src, message.shape.extent(lanes(&enable), 1))?;
    Ok(message.store(l, src))
}

/// Some bytes for each channel, in a dword; offsets count bytes. They need no alignment, so they go one by one.
fn bytes(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    count: &str,
    surface: SurfaceId,
    global: &VecOperand,
    offsets: &RawOperand,
) -> LowerResult<Message> {
    let place = l.place(surface)?;
    let addresses = l.surface_addresses(Some(offsets), global, lanes(&enable), 1)?;
    let shape = Shape { size: 1, slot: 1, high: false, lane_step: 4, element_step: 1 };
    let elements = (0..u64::from(number(count))).collect();
    Ok(Message { enable, place, addresses, shape, elements, unaligned: false })
}

pub(super) fn gather4_scaled(l: &mut Lowering<'_>, inst: &Gather4Scaled) -> LowerResult {
    let place = l.place(inst.surface)?;
    let lanes = channels(inst.exec_size);
    let addresses = l.surface_addresses(Some(&inst.element_offset), &inst.offset, lanes, 1)?;
    let message = components(l, inst.exec_size, inst.pred, inst.channels, place, addresses)?;
    let dst = l.raw(&inst.dst, message.shape.extent(lanes, message.elements.len()))?;
    Ok(message.load(l, dst))
}

pub(super) fn scatter4_scaled(l: &mut Lowering<'_>, inst: &Scatter4Scaled) -> LowerResult {
    let place = l.place(inst.surface)?;
    let lanes = channels(inst.exec_size);
    let addresses = l.surface_addresses(Some(&inst.element_offset), &inst.offset, lanes, 1)?;
    let message = components(l, inst.exec_size, inst.pred, inst.channels, place, addresses)?;
    let src = l.raw_required(&inst.src, message.shape.extent(lanes, message.elements.len()))?;
    Ok(message.store(l, src))
}

/// Up to four dwords for each channel; each that is moved begins at a register of its own.
pub(super) fn components(
    l: &Lowering<'_>,
    exec_size: ExecSize,
    pred: Predicate,
    moved: Channels,
    place: Place,
    addresses: Addresses,
) -> LowerResult<Message> {
    let enable = l.enable(exec_size, pred)?;
    let pitch = (lanes(&enable) as u32).max(l.layout.grf_bytes / 4) * 4;
    let flags = [moved.r, moved.g, moved.b, moved.a];
    let elements = (0..4).zip(flags).filter(|(_, moved)| *moved).map(|(n, _)| n * 4).collect();
    Ok(Message { enable, place, addresses, shape: Shape::packed(4, pitch), elements, unaligned: false })
}

pub(super) fn qw_gather(l: &mut Lowering<'_>, inst: &QwGather) -> LowerResult {
    let (lanes, count) = (channels(inst.exec_size), number(inst.num_blocks.name()));
    let message = quads(l, inst.exec_size, inst.pred, count, inst.surface, &inst.offset)?;
    let dst = l.raw(&inst.dst, message.shape.extent(lanes, count as usize))?;
    Ok(message.load(l, dst))
}

pub(super) fn qw_scatter(l: &mut Lowering<'_>, inst: &QwScatter) -> LowerResult {
    let (lanes, count) = (channels(inst.exec_size), number(inst.num_blocks.name()));
    let message = quads(l, inst.exec_size, inst.pred, count, inst.surface, &inst.offset)?;
    let src = l.raw_required(&inst.src, message.shape.extent(lanes, count as usize))?;
    Ok(message.store(l, src))
}

/// Blocks of 8 bytes: the first of all channels, then the second.
fn quads(
    l: &mut Lowering<'_>,
    exec_size: ExecSize,
    pred: Predicate,
    count: u32,
    surface: SurfaceId,
    offsets: &RawOperand,
) -> LowerResult<Message> {
    let lanes = channels(exec_size);
    let addresses = Addresses::dwords(l.raw_required(offsets, lanes as u64 * 4)?);
    Ok(Message {
        enable: l.enable(exec_size, pred)?,
        place: l.place(surface)?,
        addresses,
        shape: Shape::packed(8, lanes as u32 * 8),
        elements: (0..u64::from(count)).map(|n| n * 8).collect(),
        unaligned: false,
    })
}

pub(super) fn oword_ld(l: &mut Lowering<'_>, inst: &OwordLd) -> LowerResult {
    let place = l.place(inst.surface)?;
    let addresses = l.surface_addresses(None, &inst.offset, 1, 16)?;
    block_load(l, number(inst.size.name()), place, addresses, &inst.dst)
}

pub(super) fn oword_ld_unaligned(l: &mut Lowering<'_>, inst: &OwordLdUnaligned) -> LowerResult {
    let place = l.place(inst.surface)?;
    let addresses = l.surface_addresses(None, &inst.offset, 1, 1)?;
    block_load(l, number(inst.size.name()), place, addresses, &inst.dst)
}

pub(super) fn oword_st(l: &mut Lowering<'_>, inst: &OwordSt) -> LowerResult {
    let place = l.place(inst.surface)?;
    let addresses = l.surface_addresses(None, &inst.offset, 1, 16)?;
    block_store(l, number(inst.size.name()), place, addresses, &inst.src)
}

/// Consecutive owords, whatever the masks say.
pub(super) fn block_load(
    l: &mut Lowering<'_>,
    owords: u32,
    place: Place,
    addresses: Addresses,
    dst: &RawOperand,
) -> LowerResult {
    let dwords = l.used_of(dst, 4, owords as usize * 4)?;
    let dst = l.raw(dst, u64::from(owords) * 16)?;
    Ok(block(dwords, place, addresses).load(l, dst))
}

/// As [`block_load`], the other way.
pub(super) fn block_store(
    l: &mut Lowering<'_>,
    owords: u32,
    place: Place,
    addresses: Addresses,
    src: &RawOperand,
) -> LowerResult {
    let src = l.raw_required(src, u64::from(owords) * 16)?;
    Ok(block(owords as usize * 4, place, addresses).store(l, src))
}

/// A block as a message of dwords, as many channels at a time as there can be.
fn block(dwords: usize, place: Place, addresses: Addresses) -> Message {
    let lanes = dwords.min(MAX_LANES);
    let shape = Shape::packed(4, MAX_LANES as u32 * 4);
    let elements = (0..dwords.div_ceil(MAX_LANES) as u64).map(|n| n * MAX_LANES as u64 * 4).collect();
    Message { enable: ExecMask::all(lanes), place, addresses: addresses.in_row(), shape, elements, unaligned: false }
}

pub(super) fn dword_atomic(l: &mut Lowering<'_>, inst: &DwordAtomic) -> LowerResult {
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
    let elements = l.raw_required(&inst.element_offset, lanes as u64 * 4)?;
    let addresses = Addresses::dwords(elements);
    let place = l.place(inst.surface)?;
    let message = Message { enable, place, addresses, shape, elements: Vec::new(), unaligned: false };
    Ok(message.atomic(l, update, operands, result))
}

/// Which value an operation gives back, if it is wanted.
pub(super) fn result(op: AtomicOpOp, dst: Option<u32>) -> AtomicResult {
    match (op, dst) {
        (_, None) => AtomicResult::None,
        (AtomicOpOp::Predec, Some(at)) => AtomicResult::New(at),
        (_, Some(at)) => AtomicResult::Old(at),
    }
}
