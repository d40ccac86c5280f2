//! Load-store messages (LSC) of newer platforms.

use crate::lowering::{LowerResult, Lowering, channels, illegal};
use crate::memory::address::{AddressSpace, Addressing, Elements, GlobalPlace, ScratchBase};
use crate::memory::atomic::Atomic;
use crate::memory::block2d::block2d;
use crate::memory::lower::Operation;
use crate::memory::message::Message;
use crate::memory::transfer::Transfer;
use crate::operation::update;
use visakit::isa::{
    DataType, ExecSize, LscAddrSize, LscAddrType, LscDataOrder, LscDataSize, LscOp, LscOpKind, LscOpMoves, LscSfid,
    LscUntyped, LscUntypedAccess, LscUntypedQuad, LscUntypedStrided, Operand, R0Element, RawOperand, VecOperand,
    limits, pages, predefined,
};
use visakit::rt::Stub;
use visakit_machine::lane::Change;
use visakit_machine::operand::Source;
use visakit_machine::thread::ExecMask;

pub(crate) fn untyped(l: &mut Lowering<'_>, inst: &LscUntyped) -> LowerResult {
    match inst {
        LscUntyped::Access(inst) => access(l, inst),
        LscUntyped::Quad(inst) => quad(l, inst),
        LscUntyped::Strided(inst) => strided(l, inst),
        LscUntyped::Block2d(inst) => block2d(l, inst),
        // The location of the counters is not published.
        LscUntyped::Append(_) => Err(Stub::undefined(&pages::LSC_UNTYPED).into()),
    }
}

/// Offset of the dword in r0 that locates the indirect data.
const R0_INDIRECT: u32 = R0Element::IndirectData as u32 * 4;

/// Lowers the addresses of an LSC message.
fn addresses(
    l: &mut Lowering<'_>,
    operand: &RawOperand,
    lanes: usize,
    size: LscAddrSize,
    scale: u16,
    offset: i32,
) -> LowerResult<Addressing> {
    let bytes = u64::from(size.bytes());
    let mask = match size {
        // These addresses are extended to 64 bits before scaling.
        LscAddrSize::A32u | LscAddrSize::A32s => u64::MAX,
        _ => u64::MAX >> (64 - bytes * 8),
    };
    let at = l.raw_required(operand, lanes as u64 * bytes)?;
    let elements = match bytes {
        2 => Elements::Words(at),
        4 if size == LscAddrSize::A32s => Elements::Integers(at),
        4 => Elements::Dwords(at),
        _ => Elements::Qwords(at),
    };
    Ok(Addressing { scale: scale.into(), offset: offset.into(), mask, ..Addressing::new(Some(elements), None) })
}

/// Memory port of an LSC message.
struct Port<'a> {
    sfid: LscSfid,
    kind: LscAddrType,
    surface: &'a VecOperand,
}

impl Port<'_> {
    /// Returns a message to this port. Scratch addresses are relative to the surface operand's
    /// state; argument addresses are relative to the implicit-argument offset in r0.
    fn message(
        &self,
        l: &mut Lowering<'_>,
        enable: ExecMask,
        addressing: Addressing,
        transfer: Transfer,
        elements: Vec<u32>,
    ) -> LowerResult<Message> {
        let space = match (self.sfid, self.kind) {
            (LscSfid::Tgm, _) => return illegal("an untyped message to typed memory"),
            (LscSfid::Slm, LscAddrType::Flat) => AddressSpace::Local,
            (LscSfid::Slm, _) => return illegal("a surface of shared local memory"),
            (_, LscAddrType::Flat) => AddressSpace::Flat,
            (_, LscAddrType::Bti) => AddressSpace::SurfaceIndex(l.source(self.surface, 1)?),
            (_, LscAddrType::Ss | LscAddrType::Arg) => AddressSpace::Scratch,
            (_, LscAddrType::Bss) => AddressSpace::StateOffset(l.source(self.surface, 1)?),
            (_, LscAddrType::Surf) if is_scratch(l, self.surface) => AddressSpace::Scratch,
            (_, LscAddrType::Surf) => AddressSpace::StateAddress(l.scalar(self.surface)?, 0),
        };
        let scratch = match self.kind {
            LscAddrType::Ss => {
                Some(ScratchBase { number: l.source(self.surface, 1)?, unit: limits::SCRATCH_UNIT.into() })
            }
            LscAddrType::Surf if matches!(space, AddressSpace::Scratch) => {
                let place = l.layout.variable(predefined::SCRATCHLOC).map_or(0, |variable| variable.offset);
                Some(ScratchBase { number: Source::scalar(place), unit: 1 })
            }
            LscAddrType::Arg => Some(ScratchBase { number: Source::scalar(R0_INDIRECT), unit: 1 }),
            _ => None,
        };
        let (base, base_place) = if self.has_base() {
            let (base, place) = l.global(self.surface)?;
            // Shared-local-memory offsets have 32 bits, so sign extension makes no difference.
            let is_signed = l.type_of(self.surface)? == DataType::D;
            let plain = base.place().filter(|_| is_signed);
            let low = plain.filter(|plain| plain.change == Change::None && matches!(space, AddressSpace::Local));
            (Some(base), low.map_or(place, |low| GlobalPlace::At(low.at, 4)))
        } else {
            (None, GlobalPlace::Zero)
        };
        let addressing = Addressing { scratch, base, base_place, ..addressing };
        Ok(Message { enable, space, addressing, transfer, elements, unaligned: true, unread: 0 })
    }

    /// Returns true if the surface operand holds a base address for flat or shared-local-memory
    /// addresses.
    fn has_base(&self) -> bool {
        self.kind == LscAddrType::Flat
            && match &self.surface.operand {
                Operand::Immediate(constant) => constant.low != 0,
                Operand::General(general) => general.id != predefined::NULL,
                _ => true,
            }
    }
}

/// Returns true if an operand is the predefined variable that locates the thread's scratch memory.
fn is_scratch(l: &Lowering<'_>, surface: &VecOperand) -> bool {
    let Operand::General(general) = &surface.operand else { return false };
    l.layout.variable(general.id).is_some_and(|variable| variable.root == predefined::SCRATCHLOC)
}

/// Returns the register layout: each element starts at a register, or elements are contiguous for a
/// single channel.
fn transfer(l: &Lowering<'_>, exec_size: ExecSize, size: LscDataSize, transposed: bool) -> Transfer {
    let (size, slot, high) = (size.bytes(), size.register_bytes(), size.upper_half());
    let pitch = (channels(exec_size) as u32 * slot).next_multiple_of(l.layout.grf_bytes);
    Transfer { size, slot, high, lane_step: slot, element_step: if transposed { slot } else { pitch } }
}

fn access(l: &mut Lowering<'_>, inst: &LscUntypedAccess) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let lanes = channels(inst.exec_size);
    let transfer = transfer(l, inst.exec_size, inst.data_size, inst.data_order == LscDataOrder::Transposed);
    let elements = (0..inst.data_elems_per_addr.count()).map(|n| n * transfer.size).collect();
    let addressing = addresses(l, &inst.src0_addrs, lanes, inst.addr_size, inst.addr_scale, inst.addr_imm_offset)?;
    let port = Port { sfid: inst.lsc_sfid, kind: inst.addr_type, surface: &inst.surface };
    let message = port.message(l, enable, addressing, transfer, elements)?;
    let op = inst.lsc_sub_op;
    match (op.kind(), op.moves()) {
        (LscOpKind::Load, Some(LscOpMoves::Status)) => {
            let dst = l.raw(&inst.dst_data, 4)?;
            Ok(message.lower(l, Operation::Status(dst)))
        }
        (LscOpKind::Load | LscOpKind::Store, Some(LscOpMoves::Vector)) => {
            load_or_store(l, message, op, [&inst.dst_data, &inst.src1_data])
        }
        _ => {
            let Some(update) = update::of_lsc(op, transfer.size) else {
                return illegal(format!("the operation {} on {} bytes", op.name(), transfer.size));
            };
            let operands = [&inst.src1_data, &inst.src2_data];
            let atomic = Atomic::new(l, update, transfer, lanes, operands, &inst.dst_data)?;
            Ok(Message { unaligned: false, ..message }.lower(l, Operation::Atomic(atomic)))
        }
    }
}

fn quad(l: &mut Lowering<'_>, inst: &LscUntypedQuad) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let transfer = transfer(l, inst.exec_size, inst.data_size, false);
    let moved = inst.data_elems_per_addr;
    let flags = [moved.x, moved.y, moved.z, moved.w];
    let elements = (0..4).zip(flags).filter(|(_, moved)| *moved).map(|(n, _)| n * transfer.size).collect();
    let lanes = channels(inst.exec_size);
    let addressing = addresses(l, &inst.src0_addrs, lanes, inst.addr_size, inst.addr_scale, inst.addr_imm_offset)?;
    let port = Port { sfid: inst.lsc_sfid, kind: inst.addr_type, surface: &inst.surface };
    let message = port.message(l, enable, addressing, transfer, elements)?;
    load_or_store(l, message, inst.lsc_sub_op, [&inst.dst_data, &inst.src1_data])
}

/// Lowers a strided message: one base address, with a constant distance between channels.
fn strided(l: &mut Lowering<'_>, inst: &LscUntypedStrided) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let count = inst.data_elems_per_addr.count();
    let mut transfer = transfer(l, inst.exec_size, inst.data_size, inst.data_order == LscDataOrder::Transposed);
    if inst.data_order == LscDataOrder::Transposed {
        transfer.lane_step = count * transfer.slot;
    }
    let elements = (0..count).map(|n| n * transfer.size).collect();
    let base = addresses(l, &inst.src0_addr_base, 1, inst.addr_size, inst.addr_scale, inst.addr_imm_offset)?;
    let addressing = Addressing { pitch: Some(l.scalar(&inst.src0_addr_pitch)?), ..base };
    let port = Port { sfid: inst.lsc_sfid, kind: inst.addr_type, surface: &inst.surface };
    let message = port.message(l, enable, addressing, transfer, elements)?;
    load_or_store(l, message, inst.lsc_sub_op, [&inst.dst_data, &inst.src1_data])
}

/// Lowers a message that only transfers data to its destination or from its source.
fn load_or_store(l: &mut Lowering<'_>, message: Message, op: LscOp, [dst, src]: [&RawOperand; 2]) -> LowerResult {
    match op.kind() {
        LscOpKind::Load => message.load(l, dst),
        LscOpKind::Store => message.store(l, src),
        LscOpKind::Atomic => illegal(format!("the operation {} in this form", op.name())),
    }
}
