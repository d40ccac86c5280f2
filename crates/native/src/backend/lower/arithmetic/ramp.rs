//! Ramps: only the first element is computed; the others follow when something needs them.

use iced_x86::{Code, Register};

use crate::backend::analysis::operands::uses;
use crate::backend::analysis::ramps::Check;
use crate::backend::asm::operand::{Vector, Width};
use crate::backend::asm::stream::Label;
use crate::backend::lower::arithmetic::assign::single_value;
use crate::backend::lower::arithmetic::evaluation::units;
use crate::backend::lower::arithmetic::expression::evaluate_unit;
use crate::backend::lower::cache::{ByteRange, RampElements};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::ir::{Expression, Mask, Value};

/// Computes the first element of a ramp that grows by `step`, and assigns all.
pub(crate) fn emit_ramp(
    masm: &mut MacroAssembler,
    mask: &Mask,
    expression: &Expression,
    (result, to): (Value, u32),
    step: u64,
) -> Option<()> {
    let bytes = expression.nodes.get(result)?.0.bytes();
    let (first, lanes) = first_channel(masm, mask, expression, result)?;
    let place = ByteRange { at: to, bytes: bytes * mask.lanes.count_ones() };
    masm.give_way(place)?;
    masm.cache.forget(place.at, place.bytes);
    let own = masm.own(first, Width::X)?;
    masm.cache.name(own, single_value(to, bytes, lanes));
    masm.cache.owe_ramp(own, place, RampElements { bytes, step });
    masm.cache.drop(own);
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
    let (first, _) = first_channel(masm, mask, expression, check.value)?;
    masm.asm.rr(Code::VEX_Vmovd_rm32_xmm, Register::EAX, first.register(Width::X));
    masm.cache.drop(first);
    masm.asm.ri(Code::Add_rm32_imm32, Register::EAX, check.total as i32);
    masm.asm.jump(if check.is_signed { Code::Jo_rel32_64 } else { Code::Jb_rel32_64 }, wraps);
    Some(())
}

/// Computes a value of the first channel. Returns it with the number of elements that repeat it.
fn first_channel(
    masm: &mut MacroAssembler,
    mask: &Mask,
    expression: &Expression,
    value: Value,
) -> Option<(Vector, u32)> {
    let uses = uses(expression, &[value])?;
    let bytes = expression.nodes.get(value)?.0.bytes();
    let first = Mask { lanes: 1, ..*mask };
    let units = units(expression, &uses, &first, bytes, Width::X)?;
    let values = evaluate_unit(masm, expression, &uses, units, 0, &[value])?;
    Some((*values.first()?, units.lanes))
}
