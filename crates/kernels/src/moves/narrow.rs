//! Conversions of floats without a data type, and stochastic rounding.

use crate::arithmetic::compute::{LaneOp, PerLane, Types};
use crate::arithmetic::logic::Function;
use crate::lowering::step::Lowered;
use crate::lowering::{LowerResult, Lowering, channels, illegal, is_modified, is_saturated, pattern};
use crate::operation::record::{Node, Record};
use crate::operation::small_floats::{bf8_by, from_hf8, half_by, to_bf8, to_hf8, to_tf32};
use visakit::isa::DataType;
use visakit::rt::ComponentWise;
use visakit_machine::thread::ExecMask;

/// Identity: conversions happen in operand access.
#[derive(Clone, Copy)]
pub(crate) struct Identity;

impl<L: Copy> LaneOp<L, 1> for Identity {
    type Out = L;
    #[inline(always)]
    fn apply(self, [a]: [L; 1]) -> L {
        a
    }
}

impl Record<1> for Identity {
    fn record<'r>(self, [a]: [Node<'r>; 1]) -> Option<Node<'r>> {
        Some(a)
    }
}

pub(crate) fn fcvt(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    let types = l.types(inst)?;
    let convert: fn([u32; 1]) -> u32 = match (types.dst, types.src[0]) {
        (DataType::Ub, DataType::Hf) => |[bits]| to_bf8(bits),
        (DataType::Hf, DataType::Ub) => |[bits]| bits << 8,
        (DataType::B, DataType::Hf) => |[bits]| to_hf8(bits),
        (DataType::Hf, DataType::B) => |[bits]| from_hf8(bits),
        (DataType::Ud, DataType::F) => |[bits]| to_tf32(bits),
        (DataType::F, DataType::Ud) => |[bits]| bits,
        (dst, src) => return illegal(format!("a conversion from {} to {}", src.name(), dst.name())),
    };
    let types = patterns(inst, types)?;
    l.apply_as::<u32, _, 1>(inst, types, Function(convert))
}

/// Lowers a move that converts from or to a float type that exists only in text form; `None` for
/// other moves.
pub(crate) fn moved(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 1>,
    types: Types<1>,
) -> LowerResult<Option<Lowered>> {
    let convert: fn([u32; 1]) -> u32 = match (types.dst, types.src[0]) {
        (DataType::Bf8, DataType::Hf) => |[bits]| to_bf8(bits),
        (DataType::Hf, DataType::Bf8) => |[bits]| bits << 8,
        (DataType::Hf8, DataType::Hf) => |[bits]| to_hf8(bits),
        (DataType::Hf, DataType::Hf8) => |[bits]| from_hf8(bits),
        (DataType::Tf32, DataType::F) => |[bits]| to_tf32(bits),
        (DataType::F, DataType::Tf32) => {
            let types = Types { dst: DataType::F, src: [DataType::F] };
            return l.apply_as::<f32, _, 1>(inst, types, Identity).map(Some);
        }
        _ => return Ok(None),
    };
    if is_modified(inst.src[0]) {
        return illegal("the effect of a modifier on this conversion is not published");
    }
    let types = patterns(inst, types)?;
    l.apply_as::<u32, _, 1>(inst, types, Function(convert)).map(Some)
}

/// Lowers a stochastic rounding: adds a random number to the excess bits, then truncates.
pub(crate) fn srnd(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let types = l.types(inst)?;
    let convert: fn([u32; 2]) -> u32 = match (types.dst, types.src[0]) {
        (DataType::Hf, DataType::F) => |[bits, random]| half_by(bits, random & 0x1fff),
        (DataType::Ub, DataType::Hf) => |[bits, random]| bf8_by(bits, random & 0xff),
        (dst, src) => return illegal(format!("a conversion from {} to {}", src.name(), dst.name())),
    };
    let types = patterns(inst, types)?;
    let mut operands = l.operands::<u32, u32, 2>(inst, inst.pred, types)?;
    // All channels are enabled, regardless of the masks.
    operands.enable = ExecMask::all(channels(inst.exec_size));
    Ok(l.operation(operands, PerLane(Function(convert))))
}

/// Returns the types as bit patterns. A random number of a float type is used as its bits.
fn patterns<const S: usize>(inst: &ComponentWise<'_, S>, mut types: Types<S>) -> LowerResult<Types<S>> {
    if is_saturated(inst.dst) {
        return illegal("the effect of saturation on this conversion is not published");
    }
    types.dst = pattern(types.dst);
    types.src = types.src.map(pattern);
    Ok(types)
}
