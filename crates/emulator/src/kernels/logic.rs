//! Bits: logic, shifts, counting, fields.

use crate::kernels::compute::{Target, chunks, is_float, is_signed, pattern, specialize};
use crate::kernels::integer::{Integer, ring_of};
use crate::kernels::lowering::{LowerResult, Lowering, channels, illegal};
use crate::machine::World;
use crate::machine::convert::Compute;
use crate::machine::lane::{LANES, from_lanes};
use crate::machine::thread::Thread;
use visakit::isa::{Bfn, DataType, Operand, VecOperand};
use visakit::rt::ComponentWise;

/// `dst[i] = src0[i] op src1[i]`, for the bits of numbers and of predicates.
macro_rules! bitwise {
    ($name:ident, $op:tt) => {
        pub(super) fn $name(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
            if is_predicate(inst.dst) {
                return predicates(l, inst.into(), inst.src, |a, b| a $op b);
            }
            match (l.small_ring(inst.dst, &inst.src)?, l.type_of(inst.dst)?.bits()) {
                (Some(DataType::Ub), _) => l.binary_of::<u8>(inst.into(), inst.src, DataType::Ub, |a, b| a $op b),
                (Some(_), _) => l.binary_of::<u16>(inst.into(), inst.src, DataType::Uw, |a, b| a $op b),
                (None, 64) => binary::<u64>(l, inst.into(), inst.src, |a, b| a $op b),
                _ => binary::<u32>(l, inst.into(), inst.src, |a, b| a $op b),
            }
        }
    };
}

bitwise!(and, &);
bitwise!(or, |);
bitwise!(xor, ^);

pub(super) fn not(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    let [source] = inst.src;
    if is_predicate(inst.dst) {
        return predicates(l, inst.into(), [source, source], |a, _| !a);
    }
    match l.type_of(inst.dst)?.bits() {
        64 => binary::<u64>(l, inst.into(), [source, source], |a, _| !a),
        _ => binary::<u32>(l, inst.into(), [source, source], |a, _| !a),
    }
}

/// `dst[i] = f(src0[i], src1[i])` for bits: floats are taken as they stand in the registers.
fn binary<T: Compute>(
    l: &mut Lowering<'_>,
    target: Target<'_>,
    sources: [&VecOperand; 2],
    f: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
) -> LowerResult {
    let lanes = channels(target.exec_size);
    let bits = |l: &Lowering<'_>, operand: &VecOperand| -> LowerResult<DataType> {
        let data_type = l.type_of(operand)?;
        Ok(if is_float(data_type) { pattern(data_type) } else { data_type })
    };
    let types = [bits(l, sources[0])?, bits(l, sources[1])?];
    let a = l.source_as::<T>(sources[0], types[0], lanes)?;
    let b = l.source_as::<T>(sources[1], types[1], lanes)?;
    let dst_type = bits(l, target.dst)?;
    let dst = l.destination_as::<T>(target.dst, dst_type, lanes)?;
    let enable = l.enable(target.exec_size, target.pred)?;
    let run = specialize!(false, false, lanes, enable, dst, [a, b], |thread, n| [T; N] => {
        let (a, b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
        from_lanes(|i| f(a[i], b[i]))
    });
    Ok(l.step(enable, run))
}

fn is_predicate(operand: &VecOperand) -> bool {
    matches!(operand.operand, Operand::Predicate(_))
}

/// Number of a predicate operand among those of all routines.
pub(super) fn predicate_id(l: &Lowering<'_>, operand: &VecOperand) -> LowerResult<u32> {
    match &operand.operand {
        Operand::Predicate(predicate) => l.predicate(predicate.value.id.into()),
        _ => illegal("the operands mix predicates and others"),
    }
}

/// Logic of predicates: the bits of the instruction's channels, where they are enabled.
fn predicates(
    l: &mut Lowering<'_>,
    target: Target<'_>,
    sources: [&VecOperand; 2],
    f: fn(u32, u32) -> u32,
) -> LowerResult {
    let [a, b] = [predicate_id(l, sources[0])?, predicate_id(l, sources[1])?];
    let dst = predicate_id(l, target.dst)?;
    let enable = l.enable(target.exec_size, target.pred)?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        let bits = f(thread.predicates[a as usize], thread.predicates[b as usize]) >> enable.shift;
        let enabled = thread.enabled(&enable);
        thread.set_predicate(dst, enable.shift, enabled, bits);
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Which bits of a shift's count matter: as many as the destination has places.
fn count_mask(l: &Lowering<'_>, dst: &VecOperand) -> LowerResult<u32> {
    Ok(if l.type_of(dst)?.bits() == 64 { 63 } else { 31 })
}

pub(super) fn shl(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let mask = count_mask(l, inst.dst)?;
    let target = Target::from(inst);
    if l.saturates(&target) {
        return l.per_lane::<i128, 2>(target, inst.src, move |[a, b], _| a.shl(b, mask));
    }
    let domain = l.ring_domain(inst.dst)?;
    ring_of!(domain, T => l.wide_binary::<T>(target, inst.src, move |a, b| a.shl(b, mask)))
}

/// The value is taken as unsigned, whatever its type says.
pub(super) fn shr(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let mask = count_mask(l, inst.dst)?;
    let lanes = channels(inst.exec_size);
    let value_type = l.type_of(inst.src[0])?;
    let wide = mask == 63 || value_type.bits() == 64;
    macro_rules! lower {
        ($t:ty) => {{
            let a = l.source_as::<$t>(inst.src[0], pattern(value_type), lanes)?;
            let b = l.source::<$t>(inst.src[1], lanes)?;
            let dst = l.destination::<$t>(inst.dst, lanes)?;
            let enable = l.enable(inst.exec_size, inst.pred)?;
            let run = specialize!(true, false, lanes, enable, dst, [a, b], |thread, n| [$t; N] => {
                let (a, b): ([$t; N], [$t; N]) = (a.load(thread, n), b.load(thread, n));
                from_lanes(|i| a[i].shr(b[i], mask))
            });
            Ok(l.step(enable, run))
        }};
    }
    if wide { lower!(u64) } else { lower!(u32) }
}

pub(super) fn asr(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let mask = count_mask(l, inst.dst)?;
    let value_type = l.type_of(inst.src[0])?;
    let signed = is_signed(value_type) || inst.src[0].modifier != visakit::isa::Modifier::None;
    let wide = mask == 63 || value_type.bits() == 64;
    match (signed, wide) {
        (true, false) => l.wide_binary::<i32>(inst.into(), inst.src, move |a, b| a.shr(b, mask)),
        (true, true) => l.wide_binary::<i64>(inst.into(), inst.src, move |a, b| a.shr(b, mask)),
        (false, false) => l.wide_binary::<u32>(inst.into(), inst.src, move |a, b| a.shr(b, mask)),
        (false, true) => l.wide_binary::<u64>(inst.into(), inst.src, move |a, b| a.shr(b, mask)),
    }
}

pub(super) fn rol(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    if is_rotation_of_words(l, inst)? {
        return l.wide_binary::<u32>(inst.into(), inst.src, |a, b| a.rotate_left(b & 31));
    }
    rotate(l, inst, |count, bits| count % bits)
}

pub(super) fn ror(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    if is_rotation_of_words(l, inst)? {
        return l.wide_binary::<u32>(inst.into(), inst.src, |a, b| a.rotate_right(b & 31));
    }
    rotate(l, inst, |count, bits| (bits - count % bits) % bits)
}

/// Whether only values of 32 bits are there, none of them modified: the usual case.
fn is_rotation_of_words(l: &Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult<bool> {
    let types = [l.type_of(inst.dst)?, l.type_of(inst.src[0])?];
    let words = types.iter().all(|data_type| data_type.bits() == 32 && !is_float(*data_type));
    Ok(words && !l.saturates(&inst.into()))
}

/// Rotates up, within as many bits as the value's type has, by what `places` makes of the count and of these bits.
fn rotate(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>, places: fn(u64, u64) -> u64) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let value_type = l.type_of(inst.src[0])?;
    let bits = u64::from(value_type.bits());
    let a = l.source_as::<u64>(inst.src[0], pattern(value_type), lanes)?;
    let b = l.source::<u64>(inst.src[1], lanes)?;
    let dst = l.destination::<u64>(inst.dst, lanes)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let run = specialize!(false, false, lanes, enable, dst, [a, b], |thread, n| [u64; N] => {
        let (a, b): ([u64; N], [u64; N]) = (a.load(thread, n), b.load(thread, n));
        from_lanes(|i| {
            let up = places(b[i], bits);
            // What leaves at the top comes in at the bottom; what is above the type's bits is not stored.
            a[i] << up | a[i].checked_shr((bits - up) as u32).unwrap_or(0)
        })
    });
    Ok(l.step(enable, run))
}

pub(super) fn cbit(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bits_of(l, inst, u32::count_ones)
}

/// Place of the lowest bit that is set, all ones when there is none.
pub(super) fn fbl(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bits_of(l, inst, |a| if a == 0 { u32::MAX } else { a.trailing_zeros() })
}

/// Place, from the top, of the highest bit that differs from the sign; all ones when there is none.
pub(super) fn fbh(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    let place = |a: u32| if a == 0 { u32::MAX } else { a.leading_zeros() };
    if is_signed(l.type_of(inst.src[0])?) {
        return l.unary::<i32>(inst.into(), inst.src[0], move |a| place((a ^ a >> 31) as u32) as i32);
    }
    l.unary::<u32>(inst.into(), inst.src[0], place)
}

pub(super) fn lzd(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bits_of(l, inst, u32::leading_zeros)
}

pub(super) fn bfrev(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bits_of(l, inst, u32::reverse_bits)
}

/// A function of the bits of a value of at most 32 bits, zero-extended.
fn bits_of(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>, f: fn(u32) -> u32) -> LowerResult {
    let data_type = l.type_of(inst.src[0])?;
    if data_type.bits() > 32 {
        return illegal(format!("a value of type {} is too wide here", data_type.name()));
    }
    let lanes = channels(inst.exec_size);
    let a = l.source_as::<u32>(inst.src[0], pattern(data_type), lanes)?;
    let dst = l.destination::<u32>(inst.dst, lanes)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let run = specialize!(false, false, lanes, enable, dst, [a], |thread, n| [u32; N] => {
        let a: [u32; N] = a.load(thread, n);
        from_lanes(|i| f(a[i]))
    });
    Ok(l.step(enable, run))
}

pub(super) fn bfe(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    let signed = l.type_of(inst.dst)? == DataType::D;
    l.ternary::<u32>(inst.into(), inst.src, move |width, first, value| {
        let (width, first) = (width & 31, first & 31);
        let field = value >> first & ((1 << width) - 1);
        // With a width of zero there is no sign and nothing to extend.
        let sign = if signed && width > 0 { field >> (width - 1) & 1 } else { 0 };
        field.wrapping_sub(sign << width)
    })
}

pub(super) fn bfi(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 4>) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let mut sources = Vec::with_capacity(4);
    for source in inst.src {
        sources.push(l.source::<u32>(source, lanes)?);
    }
    let dst = l.destination::<u32>(inst.dst, lanes)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        chunks::<u32, LANES>(thread, lanes.div_ceil(LANES), &enable, &dst, |thread, n| {
            let [width, first, field, rest]: [[u32; LANES]; 4] = std::array::from_fn(|s| sources[s].load(thread, n));
            from_lanes(|i| {
                let mask = ((1_u32 << (width[i] & 31)) - 1) << (first[i] & 31);
                field[i] << (first[i] & 31) & mask | rest[i] & !mask
            })
        });
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Each bit of the result is the bit of the control that the sources' bits name.
pub(super) fn bfn(l: &mut Lowering<'_>, inst: &Bfn) -> LowerResult {
    let target = Target { exec_size: inst.exec_size, pred: inst.pred, dst: &inst.dst };
    let control = inst.control;
    let row = move |n: u32| if control >> n & 1 == 1 { u32::MAX } else { 0 };
    let rows: [u32; 8] = std::array::from_fn(|n| row(n as u32));
    let sources = [&inst.src0, &inst.src1, &inst.src2];
    macro_rules! chosen {
        ($t:ty) => {
            move |a: $t, b: $t, c: $t| {
                let rows = rows.map(|row| row as $t);
                let choose = |bit: $t, set: $t, clear: $t| bit & set | !bit & clear;
                let low = |base: usize| {
                    choose(b, choose(a, rows[base + 3], rows[base + 2]), choose(a, rows[base + 1], rows[base]))
                };
                choose(c, low(4), low(0))
            }
        };
    }
    match l.small_ring(&inst.dst, &sources)? {
        Some(DataType::Ub) => l.ternary_of::<u8>(target, sources, DataType::Ub, chosen!(u8)),
        Some(_) => l.ternary_of::<u16>(target, sources, DataType::Uw, chosen!(u16)),
        None => l.ternary::<u32>(target, sources, chosen!(u32)),
    }
}
