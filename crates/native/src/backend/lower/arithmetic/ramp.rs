//! Ramps: only the first element is computed; the others follow when something needs them.

use iced_x86::{Code, Register};

use crate::backend::analysis::operands::uses;
use crate::backend::analysis::ramps::Check;
use crate::backend::asm::operand::{Vector, Width};
use crate::backend::asm::stream::Label;
use crate::backend::lower::arithmetic::assign::single_value;
use crate::backend::lower::arithmetic::evaluation::{Units, units};
use crate::backend::lower::arithmetic::expression::evaluate_unit;
use crate::backend::lower::cache::{ByteRange, RampElements};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::ir::{Expression, Mask, Value};

/// Computes the first elements of ramps of `lanes` channels that grow by `step`, and assigns all.
pub(crate) fn emit_ramp(
    masm: &mut MacroAssembler,
    mask: &Mask,
    expression: &Expression,
    (result, to): (Value, u32),
    (step, lanes): (u64, u32),
) -> Option<()> {
    let bytes = expression.nodes.get(result)?.0.bytes();
    let all = mask.lanes.count_ones();
    let channels = (0..all).step_by(lanes as usize);
    let firsts: Option<Vec<_>> =
        channels.clone().map(|channel| value_of(masm, mask, expression, (result, channel))).collect();
    let place = ByteRange { at: to, bytes: bytes * all };
    masm.give_way(place)?;
    masm.cache.forget(place.at, place.bytes);
    for (channel, (first, copies)) in channels.zip(firsts?) {
        let own = masm.own(first, Width::X)?;
        let place = ByteRange { at: to + channel * bytes, bytes: bytes * lanes };
        masm.cache.name(own, single_value(place.at, bytes, copies));
        masm.cache.owe_ramp(own, place, RampElements { bytes, step });
        masm.cache.drop(own);
    }
    Some(())
}

/// Jumps if a value wraps between the first channel and the last.
pub(crate) fn emit_check(
    masm: &mut MacroAssembler,
    mask: &Mask,
    expression: &Expression,
    check: Check,
    wraps: Label,
) -> Option<()> {
    let (first, _) = value_of(masm, mask, expression, (check.value, check.channel))?;
    masm.asm.rr(Code::VEX_Vmovd_rm32_xmm, Register::EAX, first.register(Width::X));
    masm.cache.drop(first);
    masm.asm.ri(Code::Add_rm32_imm32, Register::EAX, check.total as i32);
    masm.asm.jump(if check.is_signed { Code::Jo_rel32_64 } else { Code::Jb_rel32_64 }, wraps);
    Some(())
}

/// Computes a value of one channel. Returns it with the number of elements that repeat it.
fn value_of(
    masm: &mut MacroAssembler,
    mask: &Mask,
    expression: &Expression,
    (value, channel): (Value, u32),
) -> Option<(Vector, u32)> {
    let uses = uses(expression, &[value])?;
    let bytes = expression.nodes.get(value)?.0.bytes();
    let first = Mask { lanes: 1, ..*mask };
    let units = Units { single: Some(channel), ..units(expression, &uses, &first, bytes, Width::X)? };
    let values = evaluate_unit(masm, expression, &uses, units, 0, &[value])?;
    Some((*values.first()?, units.lanes))
}
