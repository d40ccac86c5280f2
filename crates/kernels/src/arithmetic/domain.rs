//! Computation domains: the type in which an instruction computes, chosen from its operand types
//! and its function.

use crate::arithmetic::compute::{Arity, Map, Op, Types};
use crate::lowering::step::Lowered;
use crate::lowering::{LowerResult, Lowering, illegal, is_float, is_saturated, is_signed, pattern};
use visakit::isa::{DataType, Modifier, Operand, VecOperand};
use visakit::rt::ComponentWise;

/// Computation type of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// 32 bits, for unsigned operands or when only the low bits of the result matter.
    U32,
    /// 64 bits, for unsigned operands or when only the low bits of the result matter.
    U64,
    /// Signed 32 bits.
    I32,
    /// Signed 64 bits.
    I64,
    /// Signed 128 bits: wide enough for every result of 64-bit operands.
    I128,
    /// F, also for HF and BF.
    F32,
    /// DF.
    F64,
}

/// Defines traits for operations on each of several types.
macro_rules! ops_over {
    ($($(#[$doc:meta])* $name:ident: $($type:ty)*;)*) => {$(
        $(#[$doc])*
        pub(crate) trait $name<const S: usize>: $(Op<$type, S, Result = $type> +)* {}
        impl<O: $(Op<$type, S, Result = $type> +)*, const S: usize> $name<S> for O {}
    )*};
}

ops_over! {
    /// Float operations.
    RealOp: f32 f64;
    /// Integer operations whose low result bits depend only on the low source bits.
    RingOp: u8 u16 u32 u64 i64 i128;
    /// Integer operations that depend on the full values.
    ExactOp: u8 i8 u16 i16 u32 i32 u64 i64 i128;
}

impl Lowering<'_> {
    /// Returns F or DF for float sources, `None` for integer sources.
    pub(crate) fn float_domain(&self, sources: &[&VecOperand]) -> LowerResult<Option<Domain>> {
        let mut floats = 0;
        let mut domain = Domain::F32;
        for source in sources {
            let data_type = self.type_of(source)?;
            floats += usize::from(is_float(data_type));
            if data_type == DataType::Df {
                domain = Domain::F64;
            }
        }
        match floats {
            0 => Ok(None),
            n if n == sources.len() => Ok(Some(domain)),
            _ => illegal("the sources mix integers and floats"),
        }
    }

    /// Returns a type that holds every value of the integer sources and results with `growth` more
    /// bits.
    pub(crate) fn exact_domain(&self, sources: &[&VecOperand], growth: u32) -> LowerResult<Domain> {
        let (mut signed, mut magnitude) = (false, 0);
        for source in sources {
            let data_type = self.type_of(source)?;
            let negated = matches!(source.modifier, Modifier::Negate | Modifier::NegateAbs | Modifier::Abs)
                && !matches!(source.operand, Operand::Immediate(_));
            signed |= is_signed(data_type) || negated;
            // Bits except the sign; negating the minimum value needs one more.
            let bits =
                data_type.bits() - u32::from(is_signed(data_type)) + u32::from(negated && is_signed(data_type));
            magnitude = magnitude.max(bits);
        }
        Ok(match (signed, magnitude + growth) {
            (false, ..=32) => Domain::U32,
            (false, ..=64) => Domain::U64,
            (true, ..=31) => Domain::I32,
            (true, ..=63) => Domain::I64,
            _ => Domain::I128,
        })
    }

    /// Returns the type for the low bits of values of an integer type.
    pub(crate) fn whole_domain(&self, data_type: DataType) -> Domain {
        match (is_signed(data_type), data_type.bits()) {
            (true, 64) => Domain::I64,
            (true, _) => Domain::I32,
            (false, 64) => Domain::U64,
            (false, _) => Domain::U32,
        }
    }

    /// Returns the 32-bit domain of an unsaturated operation: a 32-bit destination and sources of
    /// at most 32 bits.
    pub(crate) fn word_domain(&self, dst: &VecOperand, sources: &[&VecOperand]) -> LowerResult<Option<Domain>> {
        if is_saturated(dst) || !matches!(self.type_of(dst)?, DataType::Ud | DataType::D) {
            return Ok(None);
        }
        let domain = self.exact_domain(sources, 0)?;
        Ok(matches!(domain, Domain::U32 | Domain::I32).then_some(domain))
    }

    /// Returns the common unsigned type of all operands, if they are integers of less than 32 bits
    /// of which only the low bits matter. The results then need no conversion. Constants may have
    /// any type.
    fn small_ring_type(&self, dst: &VecOperand, sources: &[&VecOperand]) -> LowerResult<Option<DataType>> {
        let data_type = pattern(self.type_of(dst)?);
        let fits = |operand: &VecOperand| -> LowerResult<bool> {
            let own = self.type_of(operand)?;
            let is_integer = !is_float(own) && own != DataType::Bool;
            let is_constant = matches!(operand.operand, Operand::Immediate(_));
            let is_same = is_constant || pattern(own) == data_type && own.bits() == data_type.bits();
            Ok(is_integer && is_same && matches!(operand.modifier, Modifier::None | Modifier::Negate))
        };
        let mut all = data_type.bits() < 32 && !is_saturated(dst) && fits(dst)?;
        for source in sources {
            all = all && fits(source)?;
        }
        Ok(all.then_some(data_type))
    }

    /// Returns the common integer type of all operands, if it has less than 32 bits and no operand
    /// has a modifier.
    pub(crate) fn small_type(&self, operands: &[&VecOperand]) -> LowerResult<Option<DataType>> {
        let mut types = Vec::with_capacity(operands.len());
        for operand in operands {
            types.push(self.type_of(operand)?);
        }
        let is_plain = operands.iter().all(|operand| operand.modifier == Modifier::None);
        let is_same = types.iter().all(|data_type| *data_type == types[0]);
        let is_small = matches!(types[0], DataType::Ub | DataType::B | DataType::Uw | DataType::W);
        Ok((is_plain && is_same && is_small).then_some(types[0]))
    }

    /// Returns the width in bits of the widest source, which is also the growth of a product.
    pub(crate) fn widest(&self, sources: &[&VecOperand]) -> LowerResult<u32> {
        let mut widest = 0;
        for source in sources {
            widest = widest.max(self.type_of(source)?.bits());
        }
        Ok(widest)
    }

    /// Lowers an operation on floats; `None` if the sources are integers.
    pub(crate) fn reals<const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        op: impl RealOp<S>,
    ) -> LowerResult<Option<Lowered>>
    where
        Arity<S>: Map<S>,
    {
        Ok(match self.float_domain(&inst.src)? {
            Some(Domain::F64) => Some(self.apply::<f64, _, S>(inst, op)?),
            Some(_) => Some(self.apply::<f32, _, S>(inst, op)?),
            None => None,
        })
    }

    /// Lowers an operation that accepts only floats.
    pub(crate) fn reals_only<const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        op: impl RealOp<S>,
        otherwise: &str,
    ) -> LowerResult
    where
        Arity<S>: Map<S>,
    {
        match self.reals(inst, op)? {
            Some(lowered) => Ok(lowered),
            None => illegal(otherwise),
        }
    }

    /// Lowers an integer operation that keeps the low bits of its results. A saturating one is
    /// computed exactly, with `growth` more bits than the sources.
    pub(crate) fn ring<const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        op: impl RingOp<S>,
        growth: u32,
    ) -> LowerResult
    where
        Arity<S>: Map<S>,
    {
        if is_saturated(inst.dst) {
            return self.exact(inst, op, growth);
        }
        if let Some(lowered) = self.small_ring(inst, op)? {
            return Ok(lowered);
        }
        let data_type = self.type_of(inst.dst)?;
        if is_float(data_type) {
            return illegal("the sources are integers and the destination is a float");
        }
        // The low bits of an absolute value depend on the sign bit.
        let has_magnitude = |s: &&VecOperand| matches!(s.modifier, Modifier::Abs | Modifier::NegateAbs);
        let is_wide = data_type.bits() > 32 || inst.src.iter().any(has_magnitude) && self.widest(&inst.src)? > 32;
        if is_wide { self.apply::<u64, _, S>(inst, op) } else { self.apply::<u32, _, S>(inst, op) }
    }

    /// As [`Lowering::ring`] for operands of one type with less than 32 bits; `None` for other
    /// operands.
    pub(crate) fn small_ring<const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        op: impl Op<u8, S> + Op<u16, S>,
    ) -> LowerResult<Option<Lowered>>
    where
        Arity<S>: Map<S>,
    {
        let Some(data_type) = self.small_ring_type(inst.dst, &inst.src)? else { return Ok(None) };
        let types = Types { dst: data_type, src: [data_type; S] };
        Ok(Some(match data_type {
            DataType::Ub => self.apply_as::<u8, _, S>(inst, types, op)?,
            _ => self.apply_as::<u16, _, S>(inst, types, op)?,
        }))
    }

    /// Lowers an exact integer operation: the result saturates, or depends on more bits than the
    /// destination has. Results need `growth` more bits than the sources.
    pub(crate) fn exact<const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        op: impl Op<i64, S, Result = i64> + Op<i128, S, Result = i128>,
        growth: u32,
    ) -> LowerResult {
        let types = self.types(inst)?;
        match self.exact_domain(&inst.src, growth)? {
            Domain::U32 | Domain::I32 | Domain::I64 => self.apply_costly::<i64, _, S>(inst, types, op),
            _ => self.apply_costly::<i128, _, S>(inst, types, op),
        }
    }

    /// Lowers an integer operation whose results are among the source values.
    pub(crate) fn integers<const S: usize>(&mut self, inst: &ComponentWise<'_, S>, op: impl ExactOp<S>) -> LowerResult
    where
        Arity<S>: Map<S>,
    {
        let types = self.types(inst)?;
        let operands: Vec<&VecOperand> = std::iter::once(inst.dst).chain(inst.src).collect();
        match (self.small_type(&operands)?, is_saturated(inst.dst)) {
            (Some(DataType::Ub), false) => return self.apply_as::<u8, _, S>(inst, types, op),
            (Some(DataType::B), false) => return self.apply_as::<i8, _, S>(inst, types, op),
            (Some(DataType::Uw), false) => return self.apply_as::<u16, _, S>(inst, types, op),
            (Some(_), false) => return self.apply_as::<i16, _, S>(inst, types, op),
            _ => {}
        }
        match self.exact_domain(&inst.src, 0)? {
            Domain::U32 => self.apply_as::<u32, _, S>(inst, types, op),
            Domain::U64 => self.apply_as::<u64, _, S>(inst, types, op),
            Domain::I32 => self.apply_as::<i32, _, S>(inst, types, op),
            Domain::I64 => self.apply_as::<i64, _, S>(inst, types, op),
            _ => self.apply_costly::<i128, _, S>(inst, types, op),
        }
    }

    /// Lowers an operation on 32-bit integers, for which the host has vectors; other operands take
    /// the exact path.
    pub(crate) fn words<const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        op: impl Op<u32, S> + Op<i32, S> + Op<i64, S, Result = i64> + Op<i128, S, Result = i128>,
        growth: u32,
    ) -> LowerResult
    where
        Arity<S>: Map<S>,
    {
        match self.word_domain(inst.dst, &inst.src)? {
            Some(Domain::U32) => self.apply::<u32, _, S>(inst, op),
            Some(_) => self.apply::<i32, _, S>(inst, op),
            None => self.exact(inst, op, growth),
        }
    }
}
