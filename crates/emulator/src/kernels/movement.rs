//! Moves: values with conversion, predicates, addresses, state variables.

use crate::kernels::compare::is_modified;
use crate::kernels::compute::{Domain, Target, chunks, is_float, is_signed, pattern, specialize};
use crate::kernels::logic::predicate_id;
use crate::kernels::lowering::{LowerResult, Lowering, channels, illegal, is_saturated, number};
use crate::kernels::step::{Lowered, wide};
use crate::machine::World;
use crate::machine::convert::Compute;
use crate::machine::lane::{Element, LANES, MAX_LANES, from_lanes};
use crate::machine::operand::{Source, Start, blend};
use crate::machine::thread::{ExecMask, Thread};
use visakit::isa::predefined;
use visakit::isa::{AddrAdd, AddrOpnd, DataType, Faddr, Movs, Operand};
use visakit::isa::{Predicate, Setp, StateClass, StateOpnd, VecOperand};
use visakit::rt::ComponentWise;

pub(super) fn mov(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    let target = Target::from(inst);
    let [source] = inst.src;
    if let Operand::Predicate(_) = source.operand {
        return mov_predicate(l, target, source);
    }
    let (from, to) = (l.type_of(source)?, l.type_of(inst.dst)?);
    let same = from == to || pattern(from) == pattern(to) && !is_float(from) && !is_float(to);
    if same && !is_saturated(inst.dst) && !is_modified(source) {
        let data_type = pattern(to);
        for whole in [data_type.bits() * 2, data_type.bits() * 4] {
            if let Some(lowered) = mov_low(l, &target, source, (data_type.bits(), whole))? {
                return Ok(lowered);
            }
        }
        return match data_type.bits() {
            8 => mov_pattern::<u8>(l, target, source, data_type),
            16 => mov_pattern::<u16>(l, target, source, data_type),
            64 => mov_pattern::<u64>(l, target, source, data_type),
            _ => mov_pattern::<u32>(l, target, source, data_type),
        };
    }
    if !is_saturated(inst.dst) && !is_modified(source) && !matches!(source.operand, Operand::Immediate(_)) {
        match (from, to) {
            (DataType::Ub, DataType::Ud | DataType::D) => return extend::<u8, u32>(l, target, source),
            (DataType::B, DataType::Ud | DataType::D) => return extend::<i8, i32>(l, target, source),
            (DataType::Uw, DataType::Ud | DataType::D) => return extend::<u16, u32>(l, target, source),
            (DataType::W, DataType::Ud | DataType::D) => return extend::<i16, i32>(l, target, source),
            (DataType::Ub, DataType::Uw | DataType::W) => return extend::<u8, u16>(l, target, source),
            (DataType::B, DataType::W) => return extend::<i8, i16>(l, target, source),
            (DataType::Ud, DataType::Uq | DataType::Q) => return extend::<u32, u64>(l, target, source),
            (DataType::D, DataType::Uq | DataType::Q) => return extend::<i32, i64>(l, target, source),
            (DataType::Uw, DataType::Uq | DataType::Q) => return extend::<u16, u64>(l, target, source),
            (DataType::W, DataType::Q) => return extend::<i16, i64>(l, target, source),
            _ => {}
        }
        if !is_float(from)
            && !is_float(to)
            && let Some(lowered) = mov_low(l, &target, source, (to.bits(), from.bits()))?
        {
            return Ok(lowered);
        }
    }
    match (l.float_domain(&[source])?, is_signed(from), from.bits()) {
        (Some(Domain::F64), ..) => l.unary::<f64>(target, source, |a| a),
        (Some(_), ..) => l.unary::<f32>(target, source, |a| a),
        (None, true, 64) => l.unary::<i64>(target, source, |a| a),
        (None, true, _) => l.unary::<i32>(target, source, |a| a),
        (None, false, 64) => l.unary::<u64>(target, source, |a| a),
        (None, false, _) => l.unary::<u32>(target, source, |a| a),
    }
}

fn mov_pattern<T: Compute>(
    l: &mut Lowering<'_>,
    target: Target<'_>,
    source: &VecOperand,
    data_type: DataType,
) -> LowerResult {
    let lanes = channels(target.exec_size);
    let a = l.source_as::<T>(source, data_type, lanes)?;
    let dst = l.destination_as::<T>(target.dst, data_type, lanes)?;
    let enable = l.enable(target.exec_size, target.pred)?;
    let run = specialize!(false, false, lanes, enable, dst, [a], |thread, n| [T; N] => a.load(thread, n));
    Ok(l.step(enable, run))
}

/// A move of parts with so many bits from or to values with so many, where [`mov_parts`] has it.
fn mov_low(
    l: &mut Lowering<'_>,
    target: &Target<'_>,
    source: &VecOperand,
    (part, whole): (u32, u32),
) -> LowerResult<Option<Lowered>> {
    let lanes = channels(target.exec_size);
    match (part, whole) {
        (8, 16) => mov_parts::<u8, u16>(l, target, source, lanes),
        (8, 32) => mov_parts::<u8, u32>(l, target, source, lanes),
        (16, 32) => mov_parts::<u16, u32>(l, target, source, lanes),
        (16, 64) => mov_parts::<u16, u64>(l, target, source, lanes),
        (32, 64) => mov_parts::<u32, u64>(l, target, source, lanes),
        _ => Ok(None),
    }
}

/// A move between values in a row and the low parts of wider ones: how the compiler takes elements apart and puts
/// them together, and how integers become narrower ones. It is made with all of the wider ones, because vectors are not soon there again when their parts have been
/// written one by one.
fn mov_parts<T: Compute, W: Wider<T>>(
    l: &mut Lowering<'_>,
    target: &Target<'_>,
    source: &VecOperand,
    lanes: usize,
) -> LowerResult<Option<Lowered>> {
    let (Operand::General(_), Operand::General(to)) = (&source.operand, &target.dst.operand) else { return Ok(None) };
    if lanes == 1 || l.variable(to.id)?.root.0 < predefined::DECLARED {
        return Ok(None);
    }
    let from = l.region(source, lanes)?;
    let mut to = l.region(target.dst, lanes)?;
    (to.vertical, to.width) = (to.horizontal, 1);
    let (Start::At(from_at), Some(from_step)) = (from.start, from.stride()) else { return Ok(None) };
    let (Start::At(to_at), Some(to_step)) = (to.start, to.stride()) else { return Ok(None) };
    let enable = l.enable(target.exec_size, target.pred)?;
    let operands = (enable, from_at, to_at, lanes.div_ceil(LANES));
    let (part, whole) = (T::SIZE as u32, W::SIZE as u32);
    // All is read before anything is written. What is read of a second chunk that there is not is slack at the worst.
    let run = match (from_step, to_step) {
        (from, to) if (from, to) == (whole, part) => wide(
            operands,
            #[inline(always)]
            |(enable, from, to, count), thread| {
                let all = both_chunks::<W>(thread, *from);
                let enabled = thread.enabled(enable);
                for (n, all) in all.iter().enumerate().take(*count) {
                    let at = to + (n * LANES * T::SIZE) as u32;
                    let values: [T; LANES] = from_lanes(|i| all[i].low());
                    blend(&mut thread.registers, at, &values, enabled >> (n * LANES));
                }
            },
        ),
        (from, to) if (from, to) == (part, whole) => wide(
            operands,
            #[inline(always)]
            |(enable, from, to, count), thread| {
                let all = both_chunks::<T>(thread, *from);
                let enabled = thread.enabled(enable);
                for (n, values) in all.iter().enumerate().take(*count) {
                    let at = to + (n * LANES * W::SIZE) as u32;
                    let old: [W; LANES] = thread.registers.load(at);
                    let new: [W; LANES] = from_lanes(|i| old[i].with_low(values[i]));
                    blend(&mut thread.registers, at, &new, enabled >> (n * LANES));
                }
            },
        ),
        _ => return Ok(None),
    };
    Ok(Some(l.step(enable, run)))
}

/// The values of both chunks of channels. It is no `map` over an array, which the compiler makes a call of.
#[inline(always)]
fn both_chunks<T: Element>(thread: &Thread, from: u32) -> [[T; LANES]; 2] {
    [thread.registers.load(from), thread.registers.load(from + (LANES * T::SIZE) as u32)]
}

/// A number of which the low part can be replaced.
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

/// An integer that becomes a wider one.
fn extend<T: Compute, W: Compute + From<T>>(
    l: &mut Lowering<'_>,
    target: Target<'_>,
    source: &VecOperand,
) -> LowerResult {
    let lanes = channels(target.exec_size);
    let a = l.source::<T>(source, lanes)?;
    let dst = l.destination::<W>(target.dst, lanes)?;
    let enable = l.enable(target.exec_size, target.pred)?;
    let run = specialize!(false, false, lanes, enable, dst, [a], |thread, n| [W; N] => {
        let a: [T; N] = a.load(thread, n);
        from_lanes(|i| W::from(a[i]))
    });
    Ok(l.step(enable, run))
}

/// All bits of a predicate as one number.
fn mov_predicate(l: &mut Lowering<'_>, target: Target<'_>, source: &VecOperand) -> LowerResult {
    let id = predicate_id(l, source)?;
    let elements = match &source.operand {
        Operand::Predicate(predicate) => usize::from(predicate.value.id)
            .checked_sub(1)
            .and_then(|index| l.routine.predicates.get(index))
            .map_or(0, |info| info.num_elements),
        _ => 0,
    };
    let mask = crate::machine::thread::ones(elements.into());
    let dst = l.destination::<u32>(target.dst, 1)?;
    let enable = ExecMask::all(1);
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        let bits = thread.predicates[id as usize] & mask;
        dst.store(thread, 0, &[bits], 1);
        Ok(())
    });
    Ok(l.step(enable, run))
}

pub(super) fn setp(l: &mut Lowering<'_>, inst: &Setp) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let dst = predicate_id(l, &inst.dst)?;
    let enable = l.enable(inst.exec_size, Predicate::default())?;
    let is_scalar = match &inst.src0.operand {
        Operand::Immediate(_) => true,
        _ => l.region(&inst.src0, lanes)?.stride() == Some(0),
    };
    if is_scalar {
        let a = l.source::<u32>(&inst.src0, 1)?;
        let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
            let bits = a.first(thread);
            thread.set_predicate(dst, enable.shift, enable.lanes, bits);
            Ok(())
        });
        return Ok(l.step(enable, run));
    }
    let a = l.source::<u32>(&inst.src0, lanes)?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        let a = all(&a, thread);
        let bits = a.iter().enumerate().fold(0, |bits, (i, a)| bits | (a & 1) << i);
        let enabled = thread.enabled(&enable);
        thread.set_predicate(dst, enable.shift, enabled, bits);
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Addresses are offsets into the register file. A number added to one may be negative, as 16 bits have it.
pub(super) fn addr_add(l: &mut Lowering<'_>, inst: &AddrAdd) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let Operand::Address(dst) = &inst.dst.operand else {
        return illegal("the destination of an address is an address variable");
    };
    let first = address_elements(l, dst, lanes)?;
    let base = match &inst.src0.operand {
        Operand::Address(address) => {
            let width = number(address.width.name());
            let first = address_elements(l, address, lanes.min(width as usize))?;
            Base::Elements { first, width }
        }
        Operand::General(general) => {
            let root = l.variable(general.id)?.root;
            if root.0 < predefined::DECLARED && ![predefined::ARG, predefined::RETVAL, predefined::R0].contains(&root)
            {
                return illegal("the address of a predefined variable");
            }
            match l.region(&inst.src0, 1)?.start {
                Start::At(offset) => Base::Place(offset),
                _ => return illegal("the address of a computed place"),
            }
        }
        _ => return illegal("an address of something that is no variable"),
    };
    let offsets = l.source::<u32>(&inst.src1, lanes)?;
    let enable = l.enable(inst.exec_size, Predicate::default())?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        let offsets = all(&offsets, thread);
        let enabled = thread.enabled(&enable);
        let bases: [u32; MAX_LANES] = std::array::from_fn(|i| match base {
            Base::Place(place) => place,
            Base::Elements { first, width } if i < lanes => thread.addresses[(first + i as u32 % width) as usize],
            Base::Elements { .. } => 0,
        });
        for i in (0..lanes).filter(|i| enabled >> i & 1 == 1) {
            let offset = i32::from(offsets[i] as i16);
            thread.addresses[first as usize + i] = bases[i].wrapping_add_signed(offset);
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// The values of all channels.
fn all(source: &Source<u32>, thread: &Thread) -> [u32; MAX_LANES] {
    let [low, high]: [[u32; LANES]; 2] = [source.load(thread, 0), source.load(thread, 1)];
    from_lanes(|i| if i < LANES { low[i] } else { high[i - LANES] })
}

#[derive(Clone, Copy)]
enum Base {
    Place(u32),
    Elements { first: u32, width: u32 },
}

fn address_elements(l: &Lowering<'_>, operand: &AddrOpnd, count: usize) -> LowerResult<u32> {
    let first = l.address_element(operand.id.0, operand.offset.into())?;
    if first as usize + count > l.layout.address_count() {
        return illegal("an address operand has more elements than its variable");
    }
    Ok(first)
}

/// The address of a symbol of the program's data.
pub(super) fn faddr(l: &mut Lowering<'_>, inst: &Faddr) -> LowerResult {
    let name = l.routine.string(inst.func_id).unwrap_or_default();
    let Some(address) = l.symbol(&name) else {
        return illegal(format!(
            "the program has neither data nor a function called `{name}`: it would have to be linked"
        ));
    };
    let dst = l.destination::<u64>(&inst.dst, 1)?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        dst.store(thread, 0, &[address], 1);
        Ok(())
    });
    Ok(l.step(ExecMask::all(1), run))
}

/// Moves between state variables and numbers, which are binding-table indices.
pub(super) fn movs(l: &mut Lowering<'_>, inst: &Movs) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let enable = l.enable(inst.exec_size, Predicate::default())?;
    let from = match &inst.src0.operand {
        Operand::State(state) => Some(state_elements(l, state, lanes)?),
        _ => None,
    };
    match (&inst.dst.operand, from) {
        (Operand::State(state), None) => {
            let to = state_elements(l, state, lanes)?;
            let values = l.source::<u32>(&inst.src0, lanes)?;
            let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
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
            Ok(l.step(enable, run))
        }
        (Operand::State(state), Some(from)) => {
            let to = state_elements(l, state, lanes)?;
            let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
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
            let dst = l.destination::<u32>(&inst.dst, lanes)?;
            let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
                chunks::<u32, LANES>(thread, lanes.div_ceil(LANES), &enable, &dst, |thread, n| {
                    let at = |i: usize| n * LANES + i;
                    from_lanes(|i| if at(i) < lanes { thread.surfaces[from + at(i)] } else { 0 })
                });
                Ok(())
            });
            Ok(l.step(enable, run))
        }
        (_, None) => illegal("neither operand is a state variable"),
    }
}

fn state_elements(l: &Lowering<'_>, state: &StateOpnd, count: usize) -> LowerResult<usize> {
    let (first, letter) = match state.class {
        StateClass::Surface => (l.layout.surface(state.id.into()), 'T'),
        StateClass::Sampler => (l.layout.sampler(state.id.into()), 'S'),
    };
    match first.and_then(|first| first.checked_add(state.offset.into())).map(|first| first as usize) {
        Some(first) if first + count <= l.layout.state_count() => Ok(first),
        _ => illegal(format!("there is no element {} of the state variable {letter}{}", state.offset, state.id)),
    }
}
