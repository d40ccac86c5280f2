//! Control flow: where each channel goes. What that means for a thread is in [`crate::machine::flow`].

use crate::isa::{Call, Goto, Jmp, LabelKind, Ret};
use crate::kernels::lowering::{LowerResult, Lowering, illegal};
use crate::kernels::step::Lowered;

pub(super) fn goto(l: &mut Lowering<'_>, inst: &Goto) -> LowerResult {
    Ok(Lowered::Branch { enable: l.enable(inst.exec_size, inst.pred)?, label: inst.label })
}

pub(super) fn jmp(l: &mut Lowering<'_>, inst: &Jmp) -> LowerResult {
    Ok(Lowered::Jump { enable: l.enable(inst.exec_size, inst.pred)?, label: inst.label })
}

pub(super) fn call(l: &mut Lowering<'_>, inst: &Call) -> LowerResult {
    let label = l.routine.labels.get(inst.label.0 as usize);
    match label.map(|label| label.kind) {
        Some(LabelKind::Subroutine) => {
            Ok(Lowered::Call { enable: l.enable(inst.exec_size, inst.pred)?, label: inst.label })
        }
        _ => illegal("a call of something that is no subroutine of this routine"),
    }
}

pub(super) fn ret(l: &mut Lowering<'_>, inst: &Ret) -> LowerResult {
    Ok(Lowered::Return { enable: l.enable(inst.exec_size, inst.pred)? })
}
