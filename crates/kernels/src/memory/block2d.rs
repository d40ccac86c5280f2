//! Two-dimensional block messages (LSC).

use crate::lowering::step::Run;
use crate::lowering::{LowerResult, Lowering, illegal};
use visakit::isa::{LscBlockOrder, LscOp, LscUntypedBlock2d, RawOperand};
use visakit_machine::access::Request;
use visakit_machine::fault::Trap;
use visakit_machine::lane::LANES;
use visakit_machine::operand::Source;

/// Size in bytes of the payload of a block message: address, width, height, pitch, column, row and
/// block size.
const PAYLOAD_BYTES: u64 = 32;

/// Lowers a two-dimensional block message. Reads outside the surface return zero; writes outside
/// are dropped.
pub(super) fn block2d(l: &mut Lowering<'_>, inst: &LscUntypedBlock2d) -> LowerResult {
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
