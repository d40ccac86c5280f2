//! Moves: values with conversion, predicates, addresses, state variables.

use std::marker::PhantomData;

use crate::arithmetic::compute::{LaneOp, Types, chunks};
use crate::arithmetic::domain::Domain;
use crate::arithmetic::logic::predicate_id;
use crate::lowering::step::{Lowered, Op, Run, wide_or_plain};
use crate::lowering::{LowerResult, Lowering, channels, illegal, is_float, is_modified, is_saturated, pattern};
use crate::moves::address::{self, all};
use crate::moves::indirect;
use crate::moves::narrow::{self, Identity};
use crate::operation::algebra::Scalar;
use crate::operation::record::{Node, Record, Recording};
use visakit::isa::predefined;
use visakit::isa::{DataType, Faddr, Operand, StateClass, StateOpnd, VecOperand};
use visakit::rt::ComponentWise;
use visakit_machine::chunk::blend;
use visakit_machine::fault::Trap;
use visakit_machine::lane::{Change, Element, LANES, MAX_LANES, from_lanes};
use visakit_machine::region::Start;
use visakit_machine::thread::{ExecMask, Thread};
use visakit_native::ir::Action;

/// Conversion of an integer to a wider type.
#[derive(Clone, Copy)]
struct Extend<W>(PhantomData<W>);

impl<T, W: Scalar + From<T>> LaneOp<T, 1> for Extend<W> {
    type Out = W;
    #[inline(always)]
    fn apply(self, [a]: [T; 1]) -> W {
        W::from(a)
    }
}

impl<W: Scalar> Record<1> for Extend<W> {
    fn record<'r>(self, [a]: [Node<'r>; 1]) -> Option<Node<'r>> {
        Some(a.convert(W::KIND?))
    }
}

pub(crate) fn mov(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    let [source] = inst.src;
    if let Operand::Predicate(_) = source.operand {
        return mov_predicate(l, inst.dst, source);
    }
    if let Operand::Address(address) = &inst.dst.operand {
        return address::mov_address(l, inst, address);
    }
    let Types { src: [from], dst: to } = l.types(inst)?;
    let is_same = from == to || pattern(from) == pattern(to) && !is_float(from) && !is_float(to);
    let is_plain = !is_saturated(inst.dst) && !is_modified(source);
    if is_same && is_plain {
        let data_type = pattern(to);
        for whole in [data_type.bits() * 2, data_type.bits() * 4] {
            if let Some(lowered) = mov_low(l, inst, (data_type.bits(), whole))? {
                return Ok(lowered);
            }
        }
        let types = Types { dst: data_type, src: [data_type] };
        let action = indirect::action(l, inst, data_type.bits() / 8);
        let lowered = match data_type.bits() {
            8 => l.apply_as::<u8, _, 1>(inst, types, Identity),
            16 => l.apply_as::<u16, _, 1>(inst, types, Identity),
            64 => l.apply_as::<u64, _, 1>(inst, types, Identity),
            _ => l.apply_as::<u32, _, 1>(inst, types, Identity),
        }?;
        return Ok(match (lowered, action) {
            (Lowered::Op(op), Some(action)) => Lowered::Op(Op { action, ..op }),
            (lowered, _) => lowered,
        });
    }
    if let Some(lowered) = narrow::moved(l, inst, Types { src: [from], dst: to })? {
        return Ok(lowered);
    }
    if is_plain && !matches!(source.operand, Operand::Immediate(_)) {
        if let Some(lowered) = extend(l, inst, from, to)? {
            return Ok(lowered);
        }
        if !is_float(from)
            && !is_float(to)
            && let Some(lowered) = mov_low(l, inst, (to.bits(), from.bits()))?
        {
            return Ok(lowered);
        }
    }
    let domain = match l.float_domain(&[source])? {
        Some(domain) => domain,
        // The low bits do not depend on the computation type.
        None if !is_float(to) && !is_saturated(inst.dst) && to.bits() <= from.bits() => l.whole_domain(from),
        None => l.exact_domain(&[source], 0)?,
    };
    match domain {
        Domain::F64 => l.apply::<f64, _, 1>(inst, Identity),
        Domain::F32 => l.apply::<f32, _, 1>(inst, Identity),
        Domain::I128 => l.apply::<i128, _, 1>(inst, Identity),
        Domain::I64 => l.apply::<i64, _, 1>(inst, Identity),
        Domain::I32 => l.apply::<i32, _, 1>(inst, Identity),
        Domain::U64 => l.apply::<u64, _, 1>(inst, Identity),
        Domain::U32 => l.apply::<u32, _, 1>(inst, Identity),
    }
}

/// Lowers a move from integers to wider integers, if a vectorised conversion exists.
fn extend(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 1>,
    from: DataType,
    to: DataType,
) -> LowerResult<Option<Lowered>> {
    let lowered = match (from, to) {
        (DataType::Ub, DataType::Ud | DataType::D) => l.apply::<u8, _, 1>(inst, Extend::<u32>(PhantomData)),
        (DataType::B, DataType::Ud | DataType::D) => l.apply::<i8, _, 1>(inst, Extend::<i32>(PhantomData)),
        (DataType::Uw, DataType::Ud | DataType::D) => l.apply::<u16, _, 1>(inst, Extend::<u32>(PhantomData)),
        (DataType::W, DataType::Ud | DataType::D) => l.apply::<i16, _, 1>(inst, Extend::<i32>(PhantomData)),
        (DataType::Ub, DataType::Uw | DataType::W) => l.apply::<u8, _, 1>(inst, Extend::<u16>(PhantomData)),
        (DataType::B, DataType::W) => l.apply::<i8, _, 1>(inst, Extend::<i16>(PhantomData)),
        (DataType::Ud, DataType::Uq | DataType::Q) => l.apply::<u32, _, 1>(inst, Extend::<u64>(PhantomData)),
        (DataType::D, DataType::Uq | DataType::Q) => l.apply::<i32, _, 1>(inst, Extend::<i64>(PhantomData)),
        (DataType::Uw, DataType::Uq | DataType::Q) => l.apply::<u16, _, 1>(inst, Extend::<u64>(PhantomData)),
        (DataType::W, DataType::Q) => l.apply::<i16, _, 1>(inst, Extend::<i64>(PhantomData)),
        _ => return Ok(None),
    };
    lowered.map(Some)
}

/// Lowers a move of parts with `part` bits from or to values with `whole` bits, as [`mov_parts`].
fn mov_low(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 1>,
    (part, whole): (u32, u32),
) -> LowerResult<Option<Lowered>> {
    match (part, whole) {
        (8, 16) => mov_parts::<u8, u16>(l, inst),
        (8, 32) => mov_parts::<u8, u32>(l, inst),
        (16, 32) => mov_parts::<u16, u32>(l, inst),
        (16, 64) => mov_parts::<u16, u64>(l, inst),
        (32, 64) => mov_parts::<u32, u64>(l, inst),
        _ => Ok(None),
    }
}

/// Lowers a move between contiguous values and the low parts of wider values. Compilers use such
/// moves to split and join elements and to narrow integers. The wider values are read and written
/// whole, because vector loads after narrow stores are slow.
fn mov_parts<T: Scalar, W: Wider<T>>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 1>,
) -> LowerResult<Option<Lowered>> {
    let ([source], lanes) = (inst.src, channels(inst.exec_size));
    let (Operand::General(_), Operand::General(to)) = (&source.operand, &inst.dst.operand) else { return Ok(None) };
    if lanes == 1 || l.variable(to.id)?.root.0 < predefined::DECLARED {
        return Ok(None);
    }
    let from = l.region(source, lanes)?;
    let mut to = l.region(inst.dst, lanes)?;
    (to.vertical, to.width) = (to.horizontal, 1);
    let (Start::At(from_at), Some(from_step)) = (from.start, from.stride()) else { return Ok(None) };
    let (Start::At(to_at), Some(to_step)) = (to.start, to.stride()) else { return Ok(None) };
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let operands = (enable, from_at, to_at, lanes.div_ceil(LANES));
    let (part, whole) = (T::SIZE as u32, W::SIZE as u32);
    l.note_action(|_| {
        let part = T::KIND?;
        Recording::parts((part, from_at, from_step), (part, to_at, to_step))
    });
    // All reads precede the first write. A missing second chunk reads register-file padding, never
    // out of bounds.
    let run = match (from_step, to_step) {
        (from, to) if (from, to) == (whole, part) => wide_or_plain(
            operands,
            #[inline(always)]
            |(enable, from, to, count), thread, _| {
                let all = both_chunks::<W>(thread, *from);
                let enabled = thread.enabled(enable);
                for (n, all) in all.iter().enumerate().take(*count) {
                    let at = to + (n * LANES * T::SIZE) as u32;
                    let values: [T; LANES] = from_lanes(|i| all[i].low());
                    blend(&mut thread.registers, at, &values, enabled >> (n * LANES));
                }
                Ok(())
            },
        ),
        (from, to) if (from, to) == (part, whole) => wide_or_plain(
            operands,
            #[inline(always)]
            |(enable, from, to, count), thread, _| {
                let all = both_chunks::<T>(thread, *from);
                let enabled = thread.enabled(enable);
                for (n, values) in all.iter().enumerate().take(*count) {
                    let at = to + (n * LANES * W::SIZE) as u32;
                    let old: [W; LANES] = thread.registers.load(at);
                    let new: [W; LANES] = from_lanes(|i| old[i].with_low(values[i]));
                    blend(&mut thread.registers, at, &new, enabled >> (n * LANES));
                }
                Ok(())
            },
        ),
        _ => return Ok(None),
    };
    Ok(Some(l.step(enable, run)))
}

/// Returns the values of both chunks of channels. Not a `map` over an array, which the compiler
/// would not inline.
#[inline(always)]
fn both_chunks<T: Element>(thread: &Thread, from: u32) -> [[T; LANES]; 2] {
    [thread.registers.load(from), thread.registers.load(from + (LANES * T::SIZE) as u32)]
}

/// An integer with a replaceable low part.
trait Wider<T>: Element {
    fn low(self) -> T;
    fn with_low(self, part: T) -> Self;
}

macro_rules! wider {
    ($($whole:ty, $part:ty;)*) => {$(
        impl Wider<$part> for $whole {
            #[inline(always)]
            fn low(self) -> $part {
                self as $part
            }

            #[inline(always)]
            fn with_low(self, part: $part) -> Self {
                self & !Self::from(<$part>::MAX) | Self::from(part)
            }
        }
    )*};
}

wider! {
    u16, u8;
    u32, u8;
    u32, u16;
    u64, u16;
    u64, u32;
}

/// Lowers a move of all predicate bits to a number.
fn mov_predicate(l: &mut Lowering<'_>, dst: &VecOperand, source: &VecOperand) -> LowerResult {
    let id = predicate_id(l, source)?;
    let elements = match &source.operand {
        Operand::Predicate(predicate) => usize::from(predicate.value.id)
            .checked_sub(1)
            .and_then(|index| l.routine.predicates.get(index))
            .map_or(0, |info| info.num_elements),
        _ => 0,
    };
    let mask = visakit_machine::thread::ones(elements.into());
    let dst = l.destination::<u32>(dst, 1)?;
    let enable = ExecMask::all(1);
    let run = Run::new(move |thread, _| {
        let bits = thread.predicates[id as usize] & mask;
        dst.store(thread, 0, &[bits], 1);
        Ok(())
    });
    Ok(l.step(enable, run))
}

pub(crate) fn setp(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let dst = predicate_id(l, inst.dst)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let is_scalar = match &inst.src[0].operand {
        Operand::Immediate(_) => true,
        // A single channel has a single element.
        _ if lanes == 1 => true,
        Operand::General(general) => is_one_element(&general.region),
        Operand::Indirect(indirect) => is_one_element(&indirect.region),
        _ => false,
    };
    if is_scalar {
        let a = l.source::<u32>(inst.src[0], 1)?;
        let (place, number) = (a.place(), l.number(inst.src[0], &a).map(|number| number as u32));
        l.note_action(|_| {
            let from = place.filter(|place| place.is_native && place.change == Change::None)?;
            Some(Action::SetPredicate { from: from.at, number, to: dst })
        });
        let run = Run::new(move |thread, _| {
            let bits = a.first(thread);
            thread.set_predicate(dst, enable.shift, enable.lanes, bits);
            Ok(())
        });
        return Ok(l.step(enable, run));
    }
    let a = l.source::<u32>(inst.src[0], lanes)?;
    let run = Run::new(move |thread, _| {
        let a = all(&a, thread);
        let bits = a.iter().enumerate().fold(0, |bits, (i, a)| bits | (a & 1) << i);
        let enabled = thread.enabled(&enable);
        thread.set_predicate(dst, enable.shift, enabled, bits);
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Returns true if a region selects a single element.
fn is_one_element(region: &visakit::isa::Region) -> bool {
    let (vertical, horizontal) = (region.vertical_stride.elements(), region.horizontal_stride.elements());
    vertical == Some(0) && (region.width.elements() == Some(1) || horizontal == Some(0))
}

/// Lowers a load of the address of a symbol in the program's data.
pub(crate) fn faddr(l: &mut Lowering<'_>, inst: &Faddr) -> LowerResult {
    let name = l.routine.string(inst.func_id).unwrap_or_default();
    let Some(address) = l.symbol(&name) else {
        let run = Run::new(move |_, _| Err(Box::new(Trap::Undefined(name.clone()))));
        return Ok(l.step(ExecMask::all(1), run));
    };
    let dst = l.destination::<u64>(&inst.dst, 1)?;
    let run = Run::new(move |thread, _| {
        dst.store(thread, 0, &[address], 1);
        Ok(())
    });
    Ok(l.step(ExecMask::all(1), run))
}

/// Lowers moves between state variables and numbers, which are binding-table indices.
pub(crate) fn movs(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let from = match &inst.src[0].operand {
        Operand::State(state) => Some(state_elements(l, state, lanes)?),
        _ => None,
    };
    match (&inst.dst.operand, from) {
        (Operand::State(state), None) => {
            let to = state_elements(l, state, lanes)?;
            let values = l.source::<u32>(inst.src[0], lanes)?;
            let place = values.place();
            let number = l.number(inst.src[0], &values).map(|number| number as u32);
            let run = Run::new(move |thread, _| {
                let enabled = thread.enabled(&enable);
                if lanes == 1 {
                    if enabled != 0 {
                        thread.surfaces[to] = values.first(thread);
                    }
                    return Ok(());
                }
                let values = all(&values, thread);
                for i in (0..lanes).filter(|i| enabled >> i & 1 == 1) {
                    thread.surfaces[to + i] = values[i];
                }
                Ok(())
            });
            l.note_action(|_| {
                let from = place.filter(|place| lanes == 1 && place.is_native && place.change == Change::None)?;
                Some(Action::SetState { element: to as u32, from: from.at, number })
            });
            Ok(l.step(enable, run))
        }
        (Operand::State(state), Some(from)) => {
            let to = state_elements(l, state, lanes)?;
            let run = Run::new(move |thread, _| {
                let enabled = thread.enabled(&enable);
                let values: [u32; MAX_LANES] =
                    std::array::from_fn(|i| if i < lanes { thread.surfaces[from + i] } else { 0 });
                for i in (0..lanes).filter(|i| enabled >> i & 1 == 1) {
                    thread.surfaces[to + i] = values[i];
                }
                Ok(())
            });
            Ok(l.step(enable, run))
        }
        (_, Some(from)) => {
            let dst = l.destination::<u32>(inst.dst, lanes)?;
            let run = Run::new(move |thread, _| {
                chunks(thread, lanes.div_ceil(LANES), &enable, &dst, |thread, n| {
                    let at = |i: usize| n * LANES + i;
                    from_lanes(|i| if at(i) < lanes { thread.surfaces[from + at(i)] } else { 0 })
                });
                Ok(())
            });
            Ok(l.step(enable, run))
        }
        (_, None) => illegal("at least one operand must be a state variable"),
    }
}

fn state_elements(l: &Lowering<'_>, state: &StateOpnd, count: usize) -> LowerResult<usize> {
    let (first, letter) = match state.class {
        StateClass::Surface => (l.layout.surface(state.id.into()), 'T'),
        StateClass::Sampler => (l.layout.sampler(state.id.into()), 'S'),
    };
    match first.and_then(|first| first.checked_add(state.offset.into())).map(|first| first as usize) {
        Some(first) if first + count <= l.layout.state_count() => Ok(first),
        _ => illegal(format!("state variable {letter}{} has no element {}", state.id, state.offset)),
    }
}
