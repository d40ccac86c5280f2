//! Sums over several elements of a source: byte dot products, differences of neighbours, planes.

use crate::arithmetic::compute::{chunks, lane_ops};
use crate::lowering::step::Run;
use crate::lowering::{LowerResult, Lowering, channels, illegal, is_saturated, is_signed};
use crate::operation::algebra::{Lane, Scalar};
use visakit::isa::{DataType, VecOperand};
use visakit::rt::ComponentWise;
use visakit_machine::lane::{LANES, from_lanes};
use visakit_machine::operand::Source;
use visakit_machine::region::{Region, Start};
use visakit_machine::thread::ExecMask;

lane_ops! {
    /// Sum of four byte products and an addend; the bytes of each source are signed or unsigned.
    Dp4a { signed: [bool; 2] }<L: Integer>(sum, a, b) => {
        let byte = |value: L, n: u32, signed: bool| {
            let mask = value.bits() - 1;
            let top = value.shl(value.constant(value.bits() - 8 - n * 8), mask);
            let down = value.constant(value.bits() - 8);
            if signed { top.shr(down, mask) } else { top.shr(down, mask).and(value.constant(0xff)) }
        };
        let product = |n| byte(a, n, signed[0]).mul(byte(b, n, signed[1]));
        sum.add(product(0)).add(product(1)).add(product(2)).add(product(3))
    };
}

pub(crate) fn dp4a(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    let op = Dp4a { signed: [is_signed(l.type_of(inst.src[1])?), is_signed(l.type_of(inst.src[2])?)] };
    if is_saturated(inst.dst) {
        let types = l.types(inst)?;
        return l.apply_costly::<i64, _, 3>(inst, types, op);
    }
    l.apply::<i32, _, 3>(inst, op)
}

/// Sums the absolute differences of each pair of channels; the first channel of the pair receives
/// the result.
pub(crate) fn sad2(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    differences(l, enable, inst.dst, inst.src, None)
}

pub(crate) fn sad2add(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    let [a, b, c] = inst.src;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    differences(l, enable, inst.dst, [a, b], Some(c))
}

fn differences(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    dst: &VecOperand,
    sources: [&VecOperand; 2],
    addend: Option<&VecOperand>,
) -> LowerResult {
    let lanes = enable.lanes.count_ones() as usize;
    let a = l.source::<i32>(sources[0], lanes)?;
    let b = l.source::<i32>(sources[1], lanes)?;
    let c = match addend {
        Some(addend) => Some(l.source::<i32>(addend, lanes)?),
        None => None,
    };
    let dst = l.destination::<i32>(dst, lanes)?;
    let run = Run::new(move |thread, _| {
        // The result of the second channel of a pair is undefined: this channel keeps its value.
        let enabled = thread.enabled(&enable) & 0x5555_5555;
        for n in 0..lanes.div_ceil(LANES) {
            let (a, b): ([i32; LANES], [i32; LANES]) = (a.load(thread, n), b.load(thread, n));
            let c = c.as_ref().map_or([0; LANES], |c| c.load(thread, n));
            let difference = |i: usize| (a[i] - b[i]).abs();
            let sums = from_lanes::<i32, LANES>(|i| difference(i & !1) + difference(i | 1) + c[i]);
            dst.store(thread, n, &sums, enabled >> (n * LANES));
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Computes the height of a plane at the position of each channel. Regions are ignored: the plane
/// is four floats, and the positions are eight values of u, eight of v, and so on.
pub(crate) fn plane(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let floats = [inst.dst, inst.src[0], inst.src[1]].map(|operand| l.type_of(operand));
    if floats.into_iter().any(|data_type| !matches!(data_type, Ok(DataType::F))) || lanes > LANES {
        return illegal("a plane instruction needs float operands and at most 16 channels");
    }
    let part = |l: &mut Lowering<'_>, operand: &VecOperand, distance: u32, vertical, horizontal| {
        let Start::At(start) = l.region(operand, 1)?.start else {
            return illegal("the operands of a plane instruction must be general variables");
        };
        let start = Start::At(start + distance);
        let region = Region { start, vertical, width: 8, horizontal, lanes: lanes as u32 };
        l.source_in::<f32>(operand, DataType::F, region)
    };
    let plane: [Source<f32>; 3] =
        [part(l, inst.src[0], 0, 0, 0)?, part(l, inst.src[0], 4, 0, 0)?, part(l, inst.src[0], 12, 0, 0)?];
    let places = [part(l, inst.src[1], 0, 64, 4)?, part(l, inst.src[1], 32, 64, 4)?];
    let dst = l.destination::<f32>(inst.dst, lanes)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let run = Run::new(move |thread, _| {
        chunks(thread, 1, &enable, &dst, |thread, n| {
            let [p, q, r] = plane.each_ref().map(|source| source.first(thread));
            let [u, v]: [[f32; LANES]; 2] = [places[0].load(thread, n), places[1].load(thread, n)];
            if thread.is_plain() {
                return from_lanes(|i| p * u[i] + q * v[i] + r);
            }
            let strict = |value: f32| value.in_mode(thread.mode);
            let height = |u, v| strict(p).mul(strict(u)).add(strict(q).mul(strict(v))).add(strict(r));
            from_lanes(|i| f32::of_mode(height(u[i], v[i])))
        });
        Ok(())
    });
    Ok(l.step(enable, run))
}
