//! State variables: a table whose elements steps set, and the known values of its elements.

use std::collections::HashMap;

use iced_x86::{Code, Register};

use crate::backend::abi::offset;
use crate::backend::asm::operand::at;
use crate::backend::lower::cache::ByteRange;
use crate::backend::lower::host_registers::FILE;
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{Enabled, materialize_mask};
use crate::ir::Mask;

/// Replaces an element of the table of state variables, unless it already has the value.
pub(crate) fn emit_set_state(
    masm: &mut MacroAssembler,
    states: &mut HashMap<u32, u32>,
    mask: &Mask,
    element: u32,
    from: u32,
    number: Option<u32>,
) -> Option<()> {
    if materialize_mask(masm, mask) == Enabled::Some {
        return None;
    }
    let state = at(Register::RCX, element * 4);
    match number {
        Some(number) if states.insert(element, number) == Some(number) => {}
        Some(number) => {
            masm.frame(Register::RCX, offset::STATES);
            masm.asm.mi(Code::Mov_rm32_imm32, state, number as i32);
        }
        None => {
            masm.write_what(|place| place.touches(ByteRange { at: from, bytes: 4 }))?;
            states.remove(&element);
            masm.asm.rm(Code::Mov_r32_rm32, Register::EDX, at(FILE, from));
            masm.frame(Register::RCX, offset::STATES);
            masm.asm.mr(Code::Mov_rm32_r32, state, Register::EDX);
        }
    }
    Some(())
}
