//! Shapes of operands: channels and strides.

use visakit::isa::{ExecMask as ExecMaskField, ExecSize, Region as IsaRegion};
use visakit_machine::region::{Region, Start};

/// Returns the number of channels of an instruction.
pub fn channels(exec_size: ExecSize) -> usize {
    exec_size.size.channels() as usize
}

/// Returns the first channel of an execution mask, and all ones if the instruction ignores the mask
/// (NoMask).
pub fn mask(mask: ExecMaskField) -> (u32, u32) {
    (mask.first_channel(), if mask.no_mask() { u32::MAX } else { 0 })
}

/// Converts a region to bytes. Widths and strides are powers of two or zero; a missing width means
/// a single row.
pub(crate) fn strides(region: &IsaRegion, start: Start, size: u32, lanes: usize) -> Region {
    Region {
        start,
        vertical: region.vertical_stride.elements().unwrap_or(0) * size,
        width: region.width.elements().unwrap_or(lanes as u32).max(1),
        horizontal: region.horizontal_stride.elements().unwrap_or(1) * size,
        lanes: lanes as u32,
    }
}
