//! Messages to flat memory (SVM).

use crate::lowering::{LowerResult, Lowering, channels};
use crate::memory::address::AddressSpace;
use crate::memory::message::Message;
use crate::memory::surface::{self, block, components};
use crate::memory::transfer::Transfer;
use visakit::isa::{
    ExecSize, Predicate, RawOperand, SvmAtomic, SvmBlockLd, SvmBlockSt, SvmGather, SvmGather4Scaled, SvmScatter,
    SvmScatter4Scaled,
};

pub(crate) fn block_ld(l: &mut Lowering<'_>, inst: &SvmBlockLd) -> LowerResult {
    let addressing = l.flat_addresses(None, Some(&inst.address), 1)?;
    block(inst.properties.size.count(), AddressSpace::Flat, addressing).load(l, &inst.dst)
}

pub(crate) fn block_st(l: &mut Lowering<'_>, inst: &SvmBlockSt) -> LowerResult {
    let addressing = l.flat_addresses(None, Some(&inst.address), 1)?;
    block(inst.properties.size.count(), AddressSpace::Flat, addressing).store(l, &inst.src)
}

pub(crate) fn gather(l: &mut Lowering<'_>, inst: &SvmGather) -> LowerResult {
    let (size, count) = (inst.block_size.bytes(), inst.num_blocks.count());
    blocks(l, inst.exec_size, inst.pred, size, count, &inst.addresses)?.load(l, &inst.dst)
}

pub(crate) fn scatter(l: &mut Lowering<'_>, inst: &SvmScatter) -> LowerResult {
    let (size, count) = (inst.block_size.bytes(), inst.num_blocks.count());
    blocks(l, inst.exec_size, inst.pred, size, count, &inst.addresses)?.store(l, &inst.src)
}

/// Lowers blocks of 4 or 8 bytes, the first block of all channels, then the second; or bytes, with
/// all bytes of a channel together in at least four.
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
    let addressing = l.flat_addresses(Some(addresses), None, lanes)?;
    let transfer = if size == 1 {
        Transfer { size, slot: 1, high: false, lane_step: count.max(4), element_step: 1 }
    } else {
        Transfer::packed(size, lanes as u32 * size)
    };
    let elements = (0..count).map(|n| n * size).collect();
    Ok(Message { enable, space: AddressSpace::Flat, addressing, transfer, elements, unaligned: false, unread: 0 })
}

pub(crate) fn gather4_scaled(l: &mut Lowering<'_>, inst: &SvmGather4Scaled) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let addressing = l.flat_addresses(Some(&inst.element_offset), Some(&inst.address), lanes)?;
    components(l, inst.exec_size, inst.pred, inst.channels, AddressSpace::Flat, addressing)?.load(l, &inst.dst)
}

pub(crate) fn scatter4_scaled(l: &mut Lowering<'_>, inst: &SvmScatter4Scaled) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let addressing = l.flat_addresses(Some(&inst.element_offset), Some(&inst.address), lanes)?;
    components(l, inst.exec_size, inst.pred, inst.channels, AddressSpace::Flat, addressing)?.store(l, &inst.src)
}

pub(crate) fn atomic(l: &mut Lowering<'_>, inst: &SvmAtomic) -> LowerResult {
    let atomic = surface::atomic(l, inst.op, inst.exec_size, [&inst.src0, &inst.src1], &inst.dst)?;
    let addressing = l.flat_addresses(Some(&inst.addresses), None, channels(inst.exec_size))?;
    surface::single(l, inst.exec_size, inst.pred, AddressSpace::Flat, addressing, atomic)
}
