//! Operands that exist only in text form and cannot be stored in objects, and the ones with a
//! meaning here.

use crate::lowering::error::{LowerResult, illegal};
use visakit::isa::{Instruction, LscTyped, LscUntyped, Nbarrier, Operand, VecOperand};

/// Rejects an instruction with operands that have no published meaning or that its kernel does not
/// support.
pub(crate) fn check(instruction: &Instruction) -> LowerResult<()> {
    if !instruction.says_text_only() {
        return Ok(());
    }
    match instruction {
        // Cache levels, prefetches and assertions change no result.
        Instruction::Ifcall(_) => Ok(()),
        // Surfaces and samplers by the addresses of their states.
        Instruction::Load3d(_) | Instruction::Sample3d(_) | Instruction::Sample43d(_) | Instruction::Info(_) => {
            Ok(())
        }
        Instruction::LscUntyped(inst) => no_index(match inst {
            LscUntyped::Access(inst) => inst.surface_index,
            LscUntyped::Quad(inst) => inst.surface_index,
            LscUntyped::Strided(inst) => inst.surface_index,
            LscUntyped::Append(inst) => inst.surface_index,
            LscUntyped::Block2d(_) => 0,
        }),
        Instruction::LscTyped(inst) if is_displaced(inst) => illegal("a coordinate offset or a sample index"),
        Instruction::LscTyped(inst) => no_index(match inst {
            LscTyped::Access(inst) => inst.surface_index,
            LscTyped::Quad(inst) => inst.surface_index,
            LscTyped::Info(inst) => inst.surface_index,
            LscTyped::Block2d(inst) => inst.surface_index,
        }),
        Instruction::Nbarrier(Nbarrier::Signal(inst)) => {
            let threads = constant(&inst.num_threads);
            let same = threads.is_some() && threads == constant(&inst.consumers);
            match constant(&inst.role) {
                Some(0) if same => Ok(()),
                _ => illegal("a named barrier whose producers differ from its consumers"),
            }
        }
        _ => illegal("an operand or predicate that exists only in texts has no meaning in this instruction"),
    }
}

fn is_displaced(inst: &LscTyped) -> bool {
    match inst {
        LscTyped::Access(inst) => inst.switches.msaa || [inst.offset_u, inst.offset_v, inst.offset_r] != [0; 3],
        LscTyped::Quad(inst) => [inst.offset_u, inst.offset_v, inst.offset_r] != [0; 3],
        LscTyped::Info(_) | LscTyped::Block2d(_) => false,
    }
}

fn no_index(index: u32) -> LowerResult<()> {
    match index {
        0 => Ok(()),
        _ => illegal("a surface selected by a number relative to another surface"),
    }
}

fn constant(operand: &VecOperand) -> Option<u32> {
    match &operand.operand {
        Operand::Immediate(constant) => Some(constant.low),
        _ => None,
    }
}
