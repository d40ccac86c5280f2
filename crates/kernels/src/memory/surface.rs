//! Messages to surfaces: gather and scatter, oword blocks, atomic operations.

use crate::lowering::{LowerResult, Lowering, channels, illegal, mask};
use crate::memory::address::{AddressSpace, Addressing};
use crate::memory::atomic::Atomic;
use crate::memory::lower::Operation;
use crate::memory::message::Message;
use crate::memory::transfer::Transfer;
use crate::operation::update;
use visakit::isa::{
    AtomicOp, Channels, DwordAtomic, ExecSize, Gather, Gather4Scaled, GatherScaled, OwordLd, OwordLdUnaligned,
    OwordSt, Predicate, QwGather, QwScatter, RawOperand, Scatter, Scatter4Scaled, ScatterScaled, SurfaceId,
    VecOperand,
};
use visakit_machine::thread::{Combine, ExecMask, ones};

pub(crate) fn gather(l: &mut Lowering<'_>, inst: &Gather) -> LowerResult {
    let enable = counted(inst.num_elts.elts.channels(), inst.num_elts.mask);
    elements(l, enable, inst.elt_size.bytes(), inst.surface, &inst.global_offset, &inst.element_offset)?
        .load(l, &inst.dst)
}

pub(crate) fn scatter(l: &mut Lowering<'_>, inst: &Scatter) -> LowerResult {
    let enable = counted(inst.num_elts.elts.channels(), inst.num_elts.mask);
    elements(l, enable, inst.elt_size.bytes(), inst.surface, &inst.global_offset, &inst.element_offset)?
        .store(l, &inst.src)
}

/// Returns the mask of a message with its own channel count and no predicate.
fn counted(channels: u32, place: visakit::isa::ExecMask) -> ExecMask {
    let (shift, always) = mask(place);
    ExecMask { shift, lanes: ones(channels as usize), always, predicate: 0, combine: Combine::Each, inverse: 0 }
}

fn lanes(enable: &ExecMask) -> usize {
    enable.lanes.count_ones() as usize
}

/// Lowers a message with an element of 1, 2 or 4 bytes per channel, in a dword; offsets are in
/// elements.
fn elements(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    size: u32,
    surface: SurfaceId,
    global: &VecOperand,
    offsets: &RawOperand,
) -> LowerResult<Message> {
    let space = l.address_space(surface)?;
    let addressing = l.surface_addresses(Some(offsets), global, lanes(&enable), size)?;
    let transfer = Transfer::in_dwords(size);
    Ok(Message { enable, space, addressing, transfer, elements: vec![0], unaligned: false, unread: 0 })
}

pub(crate) fn gather_scaled(l: &mut Lowering<'_>, inst: &GatherScaled) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    bytes(l, enable, inst.num_blocks.count(), inst.surface, &inst.offset, &inst.element_offset)?.load(l, &inst.dst)
}

pub(crate) fn scatter_scaled(l: &mut Lowering<'_>, inst: &ScatterScaled) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    bytes(l, enable, inst.num_blocks.count(), inst.surface, &inst.offset, &inst.element_offset)?.store(l, &inst.src)
}

/// Lowers a message with several bytes per channel, in a dword; offsets are in bytes. The bytes are
/// separate elements, because they need no alignment.
fn bytes(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    count: u32,
    surface: SurfaceId,
    global: &VecOperand,
    offsets: &RawOperand,
) -> LowerResult<Message> {
    let space = l.address_space(surface)?;
    let addressing = l.surface_addresses(Some(offsets), global, lanes(&enable), 1)?;
    let transfer = Transfer { size: 1, slot: 1, high: false, lane_step: 4, element_step: 1 };
    let elements = (0..count).collect();
    Ok(Message { enable, space, addressing, transfer, elements, unaligned: false, unread: 0 })
}

pub(crate) fn gather4_scaled(l: &mut Lowering<'_>, inst: &Gather4Scaled) -> LowerResult {
    let (space, lanes) = (l.address_space(inst.surface)?, channels(inst.exec_size));
    let addressing = l.surface_addresses(Some(&inst.element_offset), &inst.offset, lanes, 1)?;
    components(l, inst.exec_size, inst.pred, inst.channels, space, addressing)?.load(l, &inst.dst)
}

pub(crate) fn scatter4_scaled(l: &mut Lowering<'_>, inst: &Scatter4Scaled) -> LowerResult {
    let (space, lanes) = (l.address_space(inst.surface)?, channels(inst.exec_size));
    let addressing = l.surface_addresses(Some(&inst.element_offset), &inst.offset, lanes, 1)?;
    components(l, inst.exec_size, inst.pred, inst.channels, space, addressing)?.store(l, &inst.src)
}

/// Returns a message with up to four dwords per channel; each transferred component starts at a
/// register.
pub(crate) fn components(
    l: &Lowering<'_>,
    exec_size: ExecSize,
    pred: Predicate,
    moved: Channels,
    space: AddressSpace,
    addressing: Addressing,
) -> LowerResult<Message> {
    let enable = l.enable(exec_size, pred)?;
    let pitch = (lanes(&enable) as u32).max(l.layout.grf_bytes / 4) * 4;
    let flags = [moved.r, moved.g, moved.b, moved.a];
    let elements = (0..4).zip(flags).filter(|(_, moved)| *moved).map(|(n, _)| n * 4).collect();
    Ok(Message {
        enable,
        space,
        addressing,
        transfer: Transfer::packed(4, pitch),
        elements,
        unaligned: false,
        unread: 0,
    })
}

pub(crate) fn qw_gather(l: &mut Lowering<'_>, inst: &QwGather) -> LowerResult {
    let count = inst.num_blocks.count();
    quads(l, inst.exec_size, inst.pred, count, inst.surface, &inst.offset)?.load(l, &inst.dst)
}

pub(crate) fn qw_scatter(l: &mut Lowering<'_>, inst: &QwScatter) -> LowerResult {
    let count = inst.num_blocks.count();
    quads(l, inst.exec_size, inst.pred, count, inst.surface, &inst.offset)?.store(l, &inst.src)
}

/// Lowers blocks of 8 bytes: the first block of all channels, then the second.
fn quads(
    l: &mut Lowering<'_>,
    exec_size: ExecSize,
    pred: Predicate,
    count: u32,
    surface: SurfaceId,
    offsets: &RawOperand,
) -> LowerResult<Message> {
    let lanes = channels(exec_size);
    let addressing = Addressing::dwords(l.raw_required(offsets, lanes as u64 * 4)?);
    Ok(Message {
        enable: l.enable(exec_size, pred)?,
        space: l.address_space(surface)?,
        addressing,
        transfer: Transfer::packed(8, lanes as u32 * 8),
        elements: (0..count).map(|n| n * 8).collect(),
        unaligned: false,
        unread: 0,
    })
}

pub(crate) fn oword_ld(l: &mut Lowering<'_>, inst: &OwordLd) -> LowerResult {
    let space = l.address_space(inst.surface)?;
    let addressing = l.surface_addresses(None, &inst.offset, 1, 16)?;
    block(inst.size.count(), space, addressing).load(l, &inst.dst)
}

pub(crate) fn oword_ld_unaligned(l: &mut Lowering<'_>, inst: &OwordLdUnaligned) -> LowerResult {
    let space = l.address_space(inst.surface)?;
    let addressing = l.surface_addresses(None, &inst.offset, 1, 1)?;
    block(inst.size.count(), space, addressing).load(l, &inst.dst)
}

pub(crate) fn oword_st(l: &mut Lowering<'_>, inst: &OwordSt) -> LowerResult {
    let space = l.address_space(inst.surface)?;
    let addressing = l.surface_addresses(None, &inst.offset, 1, 16)?;
    block(inst.size.count(), space, addressing).store(l, &inst.src)
}

/// Returns a message for consecutive owords, regardless of the masks: the dwords of a single
/// channel.
pub(crate) fn block(owords: u32, space: AddressSpace, addressing: Addressing) -> Message {
    let elements = (0..owords * 4).map(|n| n * 4).collect();
    let enable = ExecMask::all(1);
    Message { enable, space, addressing, transfer: Transfer::packed(4, 4), elements, unaligned: false, unread: 0 }
}

pub(crate) fn dword_atomic(l: &mut Lowering<'_>, inst: &DwordAtomic) -> LowerResult {
    let atomic = atomic(l, inst.op, inst.exec_size, [&inst.src0, &inst.src1], &inst.dst)?;
    let elements = l.raw_required(&inst.element_offset, channels(inst.exec_size) as u64 * 4)?;
    let space = l.address_space(inst.surface)?;
    single(l, inst.exec_size, inst.pred, space, Addressing::dwords(elements), atomic)
}

/// Lowers the atomic operation of a surface or SVM message.
pub(crate) fn atomic(
    l: &mut Lowering<'_>,
    op: AtomicOp,
    exec_size: ExecSize,
    operands: [&RawOperand; 2],
    dst: &RawOperand,
) -> LowerResult<Atomic> {
    let size = op.width.bytes();
    let Some(update) = update::of_surface(op.op, size) else {
        return illegal(format!("an atomic operation of {size} bytes"));
    };
    Atomic::new(l, update, Transfer::in_dwords(size), channels(exec_size), operands, dst)
}

/// Lowers an atomic operation on one element per channel.
pub(crate) fn single(
    l: &mut Lowering<'_>,
    exec_size: ExecSize,
    pred: Predicate,
    space: AddressSpace,
    addressing: Addressing,
    atomic: Atomic,
) -> LowerResult {
    let enable = l.enable(exec_size, pred)?;
    let message = Message {
        enable,
        space,
        addressing,
        transfer: atomic.transfer,
        elements: vec![0],
        unaligned: false,
        unread: 0,
    };
    Ok(message.lower(l, Operation::Atomic(atomic)))
}
