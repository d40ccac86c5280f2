//! Load-store messages (LSC) of newer platforms.

use crate::address::{AddressSpace, Addressing, Elements, GlobalPlace, ScratchBase};
use crate::atomic::Atomic;
use crate::lowering::{LowerResult, Lowering, channels, illegal};
use crate::message::{Message, Operation};
use crate::step::Run;
use crate::transfer::Transfer;
use crate::update;
use visakit::isa::{
    DataType, ExecSize, LscAddrSize, LscAddrType, LscBlockOrder, LscDataOrder, LscDataSize, LscOp, LscSfid,
    LscUntyped, LscUntypedAccess, LscUntypedBlock2d, LscUntypedQuad, LscUntypedStrided, Operand, R0Element,
    RawOperand, VecOperand, pages, predefined,
};
use visakit::rt::Stub;
use visakit_machine::SCRATCH_UNIT;
use visakit_machine::access::Request;
use visakit_machine::fault::Trap;
use visakit_machine::lane::{Change, LANES};
use visakit_machine::operand::Source;
use visakit_machine::thread::ExecMask;

pub(super) fn untyped(l: &mut Lowering<'_>, inst: &LscUntyped) -> LowerResult {
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
            LscAddrType::Ss => Some(ScratchBase { number: l.source(self.surface, 1)?, unit: SCRATCH_UNIT }),
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
    match inst.lsc_sub_op {
        op @ (LscOp::LscLoad | LscOp::LscStore | LscOp::LscStoreUncompressed) => {
            load_or_store(l, message, op, [&inst.dst_data, &inst.src1_data])
        }
        LscOp::LscLoadStatus => {
            let dst = l.raw(&inst.dst_data, 4)?;
            Ok(message.lower(l, Operation::Status(dst)))
        }
        op => {
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
    match op {
        LscOp::LscLoad | LscOp::LscLoadQuad | LscOp::LscLoadStrided => message.load(l, dst),
        _ => message.store(l, src),
    }
}

/// Size in bytes of the payload of a block message: address, width, height, pitch, column, row and
/// block size.
const PAYLOAD_BYTES: u64 = 32;

/// Lowers a two-dimensional block message. Reads outside the surface return zero; writes outside
/// are dropped.
fn block2d(l: &mut Lowering<'_>, inst: &LscUntypedBlock2d) -> LowerResult {
    let size = inst.data_size.bytes();
    if size != inst.data_size.register_bytes() {
        return illegal(format!("a two-dimensional block of {} elements", inst.data_size.name()));
    }
    let flip = inst.data_order == LscBlockOrder::Transposed;
    let (width, height) = (u32::from(inst.block_width), u32::from(inst.block_height));
    let group = if inst.vnni == visakit::isa::LscUntypedBlock2dVnni::Vnni { (4 / size).max(1) } else { 1 };
    let row = if flip { height } else { width }.next_power_of_two();
    let lines = if flip { width } else { height }.next_multiple_of(group);
    let pitch = (u64::from(row) * u64::from(lines) * u64::from(size)).next_multiple_of(l.layout.grf_bytes.into());
    let blocks = u32::from(inst.blocks).max(1);
    let bytes = pitch * u64::from(blocks);
    let load = inst.lsc_sub_op == LscOp::LscLoadBlock2d;
    let data = if load { l.raw(&inst.dst_data, bytes)? } else { Some(l.raw_required(&inst.src1_data, bytes)?) };
    let (base, limits, surface_pitch, corner) = if inst.payload == RawOperand::default() {
        (
            l.scalar(&inst.surface_base_addr)?,
            [l.source::<u32>(&inst.surface_width, 1)?, l.source::<u32>(&inst.surface_height, 1)?],
            l.source::<u32>(&inst.surface_pitch, 1)?,
            [l.source::<i32>(&inst.src0_addr_x, 1)?, l.source::<i32>(&inst.src0_addr_y, 1)?],
        )
    } else {
        let at = l.raw_required(&inst.payload, PAYLOAD_BYTES)?;
        let (limits, corner) = ([8, 12], [20, 24]);
        (
            Source::scalar(at),
            limits.map(|place| Source::scalar(at + place)),
            Source::scalar(at + 16),
            corner.map(|place| Source::scalar(at + place)),
        )
    };
    // Only one of the two forms has offsets; the others are zero.
    let moved = [inst.payload_x | inst.src0_offset_x, inst.payload_y | inst.src0_offset_y];
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let run = Run::new(move |thread, world| {
        let Some(data) = data else { return Ok(()) };
        if thread.enabled(&enable) & 1 == 0 {
            return Ok(());
        }
        let base = base.first(thread);
        let [last_byte, last_row] = limits.each_ref().map(|limit| limit.first(thread));
        // All sizes, including the pitch, are encoded minus one.
        let surface_pitch = u64::from(surface_pitch.first(thread)) + 1;
        let [left, top] = corner.each_ref().map(|place| place.first(thread));
        let (left, top) = (left.wrapping_add(moved[0]), top.wrapping_add(moved[1]));
        let view = world.view(world.flat(), thread.index);
        for block in 0..blocks {
            let start = data + block * pitch as u32;
            if load {
                thread.registers.bytes_mut(start)[..pitch as usize].fill(0);
            }
            for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                let (line, column) = if flip { (x, y) } else { (y, x) };
                let at = start + (line / group * group * row + column * group + line % group) * size;
                let column = i64::from(left) + i64::from(block * width + x);
                let line = i64::from(top) + i64::from(y);
                let inside = column >= 0
                    && line >= 0
                    && column * i64::from(size) <= i64::from(last_byte)
                    && line <= i64::from(last_row);
                if !inside {
                    continue;
                }
                let offset = line as u64 * surface_pitch + column as u64 * u64::from(size);
                let addresses = [base.wrapping_add(offset); LANES];
                let request = Request {
                    addresses: &addresses,
                    enabled: 1,
                    first_lane: 0,
                    size,
                    unread: false,
                    unaligned: true,
                };
                let mut values = [0; LANES];
                if load {
                    view.load(&request, &mut values).map_err(Box::<Trap>::from)?;
                    let bytes = values[0].to_le_bytes();
                    thread.registers.bytes_mut(at)[..size as usize].copy_from_slice(&bytes[..size as usize]);
                } else {
                    let mut bytes = [0; 8];
                    bytes[..size as usize].copy_from_slice(&thread.registers.bytes_mut(at)[..size as usize]);
                    values[0] = u64::from_le_bytes(bytes);
                    view.store(&request, &values).map_err(Box::<Trap>::from)?;
                }
            }
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}
