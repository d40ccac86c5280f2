//! Two-dimensional block messages (LSC).

use crate::lowering::step::Run;
use crate::lowering::{LowerResult, Lowering, illegal};
use visakit::isa::{LscBlockOrder, LscOpKind, LscUntypedBlock2d, RawOperand};
use visakit_machine::World;
use visakit_machine::access::{Request, View};
use visakit_machine::fault::Trap;
use visakit_machine::lane::LANES;
use visakit_machine::operand::Source;
use visakit_machine::thread::{ExecMask, Thread};

/// Size in bytes of the payload of a block message: address, width, height, pitch, column, row and
/// block size.
const PAYLOAD_BYTES: u64 = 32;

/// A two-dimensional block message. Sizes and offsets are in elements unless stated otherwise.
struct Block2d {
    enable: ExecMask,
    /// True for a load.
    load: bool,
    /// Register offset of the data; `None` for a load to the null operand.
    data: Option<u32>,
    /// Size of an element in bytes.
    size: u32,
    /// Number of blocks side by side in memory.
    blocks: u32,
    width: u32,
    height: u32,
    /// Distance between blocks in registers, in bytes.
    pitch: u32,
    /// Elements per line in registers, and lines that are interleaved.
    row: u32,
    group: u32,
    /// True if lines in registers are columns in memory.
    flip: bool,
    surface: Surface2d,
    /// Offsets of the first element from the corner.
    moved: [i32; 2],
}

/// Surface of a block message, known at run time.
struct Surface2d {
    base: Source<u64>,
    /// Width in bytes and height in rows, minus one.
    limits: [Source<u32>; 2],
    /// Distance between rows in bytes, minus one.
    pitch: Source<u32>,
    /// Column and row of the block's corner.
    corner: [Source<i32>; 2],
}

impl Surface2d {
    fn new(l: &mut Lowering<'_>, inst: &LscUntypedBlock2d) -> LowerResult<Self> {
        if inst.payload == RawOperand::default() {
            return Ok(Self {
                base: l.scalar(&inst.surface_base_addr)?,
                limits: [l.source(&inst.surface_width, 1)?, l.source(&inst.surface_height, 1)?],
                pitch: l.source(&inst.surface_pitch, 1)?,
                corner: [l.source(&inst.src0_addr_x, 1)?, l.source(&inst.src0_addr_y, 1)?],
            });
        }
        let at = l.raw_required(&inst.payload, PAYLOAD_BYTES)?;
        Ok(Self {
            base: Source::scalar(at),
            limits: [8, 12].map(|place| Source::scalar(at + place)),
            pitch: Source::scalar(at + 16),
            corner: [20, 24].map(|place| Source::scalar(at + place)),
        })
    }
}

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
    let load = inst.lsc_sub_op.kind() == LscOpKind::Load;
    let data = if load { l.raw(&inst.dst_data, bytes)? } else { Some(l.raw_required(&inst.src1_data, bytes)?) };
    let surface = Surface2d::new(l, inst)?;
    // Only one of the two forms has offsets; the others are zero.
    let moved = [inst.payload_x | inst.src0_offset_x, inst.payload_y | inst.src0_offset_y];
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let pitch = pitch as u32;
    let block = Block2d { enable, load, data, size, blocks, width, height, pitch, row, group, flip, surface, moved };
    Ok(l.step(enable, Run::new(move |thread, world| block.execute(thread, world))))
}

impl Block2d {
    fn execute(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>> {
        let Some(data) = self.data else { return Ok(()) };
        if thread.enabled(&self.enable) & 1 == 0 {
            return Ok(());
        }
        let base = self.surface.base.first(thread);
        let [last_byte, last_row] = self.surface.limits.each_ref().map(|limit| limit.first(thread));
        // All sizes, including the pitch, are encoded minus one.
        let surface_pitch = u64::from(self.surface.pitch.first(thread)) + 1;
        let [left, top] = self.surface.corner.each_ref().map(|place| place.first(thread));
        let (left, top) = (left.wrapping_add(self.moved[0]), top.wrapping_add(self.moved[1]));
        let view = world.view(world.flat(), thread.index);
        for block in 0..self.blocks {
            let start = data + block * self.pitch;
            if self.load {
                thread.registers.bytes_mut(start)[..self.pitch as usize].fill(0);
            }
            for (y, x) in (0..self.height).flat_map(|y| (0..self.width).map(move |x| (y, x))) {
                let column = i64::from(left) + i64::from(block * self.width + x);
                let line = i64::from(top) + i64::from(y);
                let inside = column >= 0
                    && line >= 0
                    && column * i64::from(self.size) <= i64::from(last_byte)
                    && line <= i64::from(last_row);
                if inside {
                    let offset = line as u64 * surface_pitch + column as u64 * u64::from(self.size);
                    self.element(thread, &view, start + self.place(y, x), base.wrapping_add(offset))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the register offset of an element in its block.
    fn place(&self, y: u32, x: u32) -> u32 {
        let (line, column) = if self.flip { (x, y) } else { (y, x) };
        let group = self.group;
        (line / group * group * self.row + column * group + line % group) * self.size
    }

    /// Transfers an element between the registers at `at` and memory.
    fn element(&self, thread: &mut Thread, view: &View<'_>, at: u32, address: u64) -> Result<(), Box<Trap>> {
        let size = self.size as usize;
        let addresses = [address; LANES];
        let request = Request {
            addresses: &addresses,
            enabled: 1,
            first_lane: 0,
            size: self.size,
            unread: false,
            unaligned: true,
        };
        let mut values = [0; LANES];
        if self.load {
            view.load(&request, &mut values).map_err(Box::<Trap>::from)?;
            thread.registers.bytes_mut(at)[..size].copy_from_slice(&values[0].to_le_bytes()[..size]);
        } else {
            let mut bytes = [0; 8];
            bytes[..size].copy_from_slice(&thread.registers.bytes_mut(at)[..size]);
            values[0] = u64::from_le_bytes(bytes);
            view.store(&request, &values).map_err(Box::<Trap>::from)?;
        }
        Ok(())
    }
}
