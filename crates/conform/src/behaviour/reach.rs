//! Adjustment of random instructions towards valid memory and rare cases.
//!
//! Messages with random fields almost never access valid memory, so a few fields of most messages
//! are replaced. Random addresses reach invalid memory often enough.

use visakit::isa::{
    ConstOpnd, DataType, ExecMask, ExecSizeSize, Instruction, LabelId, Load3d, LoadCurrentOpOp3d, LscAddrSize,
    LscAddrType, LscBlockOrder, LscDataOrder, LscDataSize, LscElems, LscOp, LscTyped, LscUntyped, LscUntypedAccess,
    LscUntypedBlock2dVnni, Modifier, Operand, RawOperand, Region, Sample3d, Sample4CurrentOpOp3d, Sample43d,
    SampleCurrentOpOp3d, Stride, VecOperand, predefined,
};

use super::pictures;
use super::pool::Random;

/// Changes the fields of an instruction so that it accesses valid memory or reaches a rare case.
pub(super) fn bring_near(instruction: &mut Instruction, random: &mut Random) {
    if random.next().is_multiple_of(5) {
        return;
    }
    let message = match instruction {
        Instruction::LscUntyped(message) => message,
        // Random generation rarely yields sources of two types, or an accumulator that continues.
        Instruction::Dp4a(i) => {
            let sources = [&mut i.src1, &mut i.src2];
            let type_ = [DataType::D, DataType::Ud][random.below(2)];
            let constant = ConstOpnd { type_, low: random.next() as u32, high: None };
            let operand = VecOperand { modifier: Modifier::None, operand: Operand::Immediate(constant) };
            sources.into_iter().nth(random.below(2)).into_iter().for_each(|source| *source = operand.clone());
            return;
        }
        Instruction::Mov(i) => return take_apart(&mut i.dst, &mut i.src0, random),
        // Random generation rarely divides the smallest integer by minus one.
        Instruction::Div(i) => return divide_by(&mut i.src1, random),
        Instruction::Mod(i) => return divide_by(&mut i.src1, random),
        Instruction::Dpas(i) => {
            i.src0 = i.dst.clone();
            if random.next().is_multiple_of(2) {
                i.w = i.a;
            }
            return;
        }
        // Choose any existing label.
        Instruction::Goto(i) => return i.label = place(random),
        Instruction::Jmp(i) => return i.label = place(random),
        Instruction::Switchjmp(i) => return i.labels = (0..32).map(|_| place(random)).collect(),
        Instruction::Dpasw(i) => return i.src0 = i.dst.clone(),
        instruction => return bring_near_images(instruction, random),
    };
    let mut any_offset = random.below(16) as i32 * 4;
    let (scale, offset, kind, surface) = match message {
        LscUntyped::Access(i) => {
            // Status loads are one of many operations, so request them often.
            if random.next().is_multiple_of(4) {
                any_offset = ask_for_status(i, random);
            }
            (&mut i.addr_scale, &mut i.addr_imm_offset, i.addr_type, &mut i.surface)
        }
        LscUntyped::Quad(i) => (&mut i.addr_scale, &mut i.addr_imm_offset, i.addr_type, &mut i.surface),
        LscUntyped::Strided(i) => {
            i.src0_addr_pitch = number([0, 4, 12, 16][random.below(4)]);
            (&mut i.addr_scale, &mut i.addr_imm_offset, i.addr_type, &mut i.surface)
        }
        LscUntyped::Block2d(i) => {
            // Interleaved rows, with so few rows that the last ones lack a partner.
            if random.next().is_multiple_of(4) {
                i.lsc_sub_op = LscOp::LscLoadBlock2d;
                (i.vnni, i.data_order) = (LscUntypedBlock2dVnni::Vnni, LscBlockOrder::Nontransposed);
                (i.data_size, i.src1_data) = (LscDataSize::D8, Default::default());
                (i.blocks, i.block_width) = ([1, 2][random.below(2)], 32);
                i.block_height = 1 + random.below(6) as u16;
            }
            let mut any = |end: u32| random.next() as u32 % end;
            // Usually a rectangle that begins at or before an edge and overlaps the surface in
            // part.
            i.surface_width = number(any(48) + 8 * any(3));
            i.surface_height = number(any(8));
            i.surface_pitch = number(any(48) + 16 * any(2));
            i.src0_addr_x = number(any(12).wrapping_sub(6));
            i.src0_addr_y = number(any(8).wrapping_sub(4));
            return;
        }
        LscUntyped::Append(_) => return,
    };
    *scale = [1, 1, 1, 2][random.below(4)];
    *offset = any_offset;
    *surface = match kind {
        LscAddrType::Bti => number(random.below(4) as u32),
        LscAddrType::Bss => number(random.below(4) as u32 * 64),
        LscAddrType::Ss => number(random.below(20) as u32),
        _ => return,
    };
}

/// Turns a message into a status query about loads at the end of a buffer. Returns the byte offset
/// to use. Elements that end inside the buffer are loaded, truncated ones are not; the result has a
/// bit per channel.
fn ask_for_status(i: &mut LscUntypedAccess, random: &mut Random) -> i32 {
    use LscElems as E;
    i.lsc_sub_op = LscOp::LscLoadStatus;
    (i.caching_l1, i.caching_l3) = Default::default();
    i.exec_size.size = [ExecSizeSize::N16, ExecSizeSize::N32, ExecSizeSize::N32][random.below(3)];
    i.exec_size.mask = [ExecMask::M1, ExecMask::M1Nm][random.below(2)];
    let (size, bytes) = [(LscDataSize::D32, 4), (LscDataSize::D64, 8)][random.below(2)];
    let (elements, count) = [(E::N1, 1), (E::N2, 2), (E::N3, 3), (E::N4, 4)][random.below(4)];
    (i.data_size, i.data_elems_per_addr) = (size, elements);
    i.data_order = LscDataOrder::Nontransposed;
    (i.src1_data, i.src2_data) = Default::default();
    if i.dst_data.id == predefined::NULL {
        i.dst_data = i.src0_addrs.clone();
    }
    i.addr_type = [LscAddrType::Bti, LscAddrType::Bss, i.addr_type][random.below(3)];
    if i.addr_type != LscAddrType::Flat {
        i.addr_size = LscAddrSize::A32;
    }
    // Address registers hold multiples of 8 that end about 128 bytes before the end of the buffer.
    136 + 8 * random.below(8) as i32 - random.below(bytes * count + 2) as i32
}

/// Moves the coordinates of an image message near the image's edges.
fn bring_near_images(instruction: &mut Instruction, random: &mut Random) {
    let entry = |kind: LscAddrType, random: &mut Random| {
        let entry = random.below(pictures::ENTRIES) as u32;
        number(if kind == LscAddrType::Bss { entry * 64 } else { entry })
    };
    let corner = |random: &mut Random, unit: i32| {
        let (x, y) = (random.below(40) as i32 - 8, random.below(9) as i32 - 3);
        // Far coordinates are outside any image.
        let far = random.below(8);
        [(x & -unit, far < 2), (y, (2..4).contains(&far))]
            .map(|(n, far)| number(n as u32 ^ if far { 1 << 31 } else { 0 }))
    };
    let kind = |random: &mut Random| [LscAddrType::Bti, LscAddrType::Bss][random.below(2)];
    // Sizes that typed messages support.
    macro_rules! near {
        ($inst:ident) => {{
            $inst.addr_type = kind(random);
            $inst.surface = entry($inst.addr_type, random);
            ($inst.addr_size, $inst.data_size) = (LscAddrSize::A32, LscDataSize::D32);
            // Use whole registers.
            if random.next().is_multiple_of(2) {
                $inst.exec_size.size = [ExecSizeSize::N8, ExecSizeSize::N16][random.below(2)];
            }
        }};
    }
    match instruction {
        Instruction::LscTyped(LscTyped::Access(i)) => {
            near!(i);
            let ops = [LscOp::LscStoreUncompressed, i.lsc_sub_op, i.lsc_sub_op, i.lsc_sub_op];
            i.lsc_sub_op = ops[random.below(ops.len())];
        }
        Instruction::LscTyped(LscTyped::Quad(i)) => {
            near!(i);
            i.lsc_sub_op = [LscOp::LscLoadQuad, LscOp::LscStoreQuad][random.below(2)];
        }
        Instruction::LscTyped(LscTyped::Block2d(i)) => {
            i.addr_type = kind(random);
            let entry = pictures::plane(random);
            i.surface = number(if i.addr_type == LscAddrType::Bss { entry * 64 } else { entry });
            [i.src0_addr_x, i.src0_addr_y] = corner(random, 1);
        }
        Instruction::Sample3d(Sample3d::Current(i)) => {
            i.aoffimmi = texels(random);
            use SampleCurrentOpOp3d as Op;
            if random.next().is_multiple_of(3) {
                i.op.op = [Op::SampleD, Op::SampleDC][random.below(2)];
                give_all(&mut i.params, i.op.op.parameters().len(), random);
            }
        }
        Instruction::Sample43d(Sample43d::Current(i)) => {
            i.aoffimmi = texels(random);
            use Sample4CurrentOpOp3d as Op;
            if random.next().is_multiple_of(3) {
                i.op.op = [Op::Gather4Po, Op::Gather4PoC, Op::Gather4IC][random.below(3)];
                give_all(&mut i.params, i.op.op.parameters().len(), random);
            }
        }
        Instruction::Load3d(Load3d::Current(i)) => {
            i.aoffimmi = texels(random);
            if random.next().is_multiple_of(4) {
                i.op.op = LoadCurrentOpOp3d::Ld;
                give_all(&mut i.params, i.op.op.parameters().len(), random);
            }
        }
        Instruction::MediaLd(i) => {
            i.plane = 0;
            [i.x_offset, i.y_offset] = corner(random, 1);
        }
        Instruction::MediaSt(i) => {
            i.plane = 0;
            [i.x_offset, i.y_offset] = corner(random, 4);
        }
        _ => {}
    }
}

/// Fills all parameters of a message with existing ones, in any order. Random messages rarely have
/// that many.
fn give_all(params: &mut Vec<RawOperand>, count: usize, random: &mut Random) {
    let there: Vec<RawOperand> = params.iter().filter(|param| param.id != predefined::NULL).cloned().collect();
    if !there.is_empty() {
        *params = (0..count).map(|_| there[random.below(there.len())].clone()).collect();
    }
}

/// Sometimes turns a move into one between contiguous elements and parts of wider elements. The
/// compiler splits numbers with such moves.
fn take_apart(to: &mut VecOperand, from: &mut VecOperand, random: &mut Random) {
    let (Operand::General(dst), Operand::General(src)) = (&mut to.operand, &mut from.operand) else { return };
    if !random.next().is_multiple_of(4) {
        return;
    }
    let step = [Stride::N2, Stride::N4][random.below(2)];
    let (dst_step, src_step) = if random.next().is_multiple_of(2) { (step, Stride::N1) } else { (Stride::N1, step) };
    dst.region.horizontal_stride = dst_step;
    // Usually both operands have one type and overlap.
    if !random.next().is_multiple_of(4) {
        (src.id, src.row_offset, src.col_offset) = (dst.id, dst.row_offset, dst.col_offset);
    }
    src.region = Region { vertical_stride: src_step, width: Stride::N1, horizontal_stride: Stride::N0 };
    (to.modifier, from.modifier) = (Modifier::None, Modifier::None);
}

/// Sometimes replaces a divisor by minus one.
fn divide_by(divisor: &mut VecOperand, random: &mut Random) {
    if random.next().is_multiple_of(4) {
        let constant = ConstOpnd { type_: DataType::D, low: u32::MAX, high: None };
        *divisor = VecOperand { modifier: Modifier::None, operand: Operand::Immediate(constant) };
    }
}

fn place(random: &mut Random) -> LabelId {
    LabelId(random.below(visakit_smith::PLACES as usize) as u32)
}

/// Returns small texel offsets for the coordinates.
fn texels(random: &mut Random) -> VecOperand {
    let mut low = 0;
    for _ in 0..3 {
        low = low << 4 | [0, 1, 2, 15, 14, random.next() as u32 & 15][random.below(6)];
    }
    let constant = ConstOpnd { type_: DataType::Uw, low, high: None };
    VecOperand { modifier: Modifier::None, operand: Operand::Immediate(constant) }
}

/// Returns an immediate operand: the same number for all channels.
fn number(low: u32) -> VecOperand {
    let constant = ConstOpnd { type_: DataType::Ud, low, high: None };
    VecOperand { modifier: Modifier::None, operand: Operand::Immediate(constant) }
}
