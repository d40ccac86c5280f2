//! Control flow: the target of each channel. [`visakit_machine::flow`] applies it to a thread.

use crate::lowering::step::{Callee, Lowered, Run};
use crate::lowering::{LowerResult, Lowering, channels, illegal};
use visakit::isa::{
    Barrier, Call, Fcall, Fence, Fret, Goto, Ifcall, Jmp, Label, LabelKind, Loc, LscFence, LscSfid, Nbarrier, Ret,
    Sbarrier, SbarrierMode, Subroutine, Switchjmp,
};
use visakit_machine::World;
use visakit_machine::thread::{ExecMask, Thread};
use visakit_native::ir::Action;

/// Lowers an instruction that has no effect but counts as executed.
pub(crate) fn done<T>(l: &mut Lowering<'_>, _: &T) -> LowerResult {
    l.note_action(|_| Some(Action::Nothing));
    Ok(l.step(ExecMask::all(1), Run::new(|_, _| Ok(()))))
}

pub(crate) fn fence(l: &mut Lowering<'_>, inst: &Fence) -> LowerResult {
    if inst.mask.sw { done(l, inst) } else { Ok(fence_of(l, inst.mask.local)) }
}

pub(crate) fn lsc_fence(l: &mut Lowering<'_>, inst: &LscFence) -> LowerResult {
    Ok(fence_of(l, inst.lsc_sfid == LscSfid::Slm))
}

/// Lowers a fence. Memory is coherent and every access completes before the next instruction, so
/// the fence only notifies observers.
fn fence_of(l: &mut Lowering<'_>, is_local: bool) -> Lowered {
    l.note_action(|_| Some(Action::Nothing));
    let told = move |thread: &mut Thread, world: &World<'_>| {
        world.watch.iter().for_each(|watch| watch.observer.fence(thread.index, is_local));
        Ok(())
    };
    l.step(ExecMask::all(1), Run::new(told))
}

/// Lowers a mark that executes nothing.
pub(crate) fn mark<T>(_: &mut Lowering<'_>, _: &T) -> LowerResult {
    Ok(Lowered::Nothing)
}

pub(crate) fn line(_: &mut Lowering<'_>, inst: &Loc) -> LowerResult {
    Ok(Lowered::Line(inst.line_number))
}

pub(crate) fn label(_: &mut Lowering<'_>, inst: &Label) -> LowerResult {
    Ok(Lowered::Label(inst.label))
}

pub(crate) fn subroutine(_: &mut Lowering<'_>, inst: &Subroutine) -> LowerResult {
    Ok(Lowered::Subroutine(inst.label))
}

pub(crate) fn barrier(_: &mut Lowering<'_>, _: &Barrier) -> LowerResult {
    Ok(Lowered::Barrier)
}

pub(crate) fn goto(l: &mut Lowering<'_>, inst: &Goto) -> LowerResult {
    Ok(Lowered::Branch { enable: l.enable(inst.exec_size, inst.pred)?, label: inst.label })
}

pub(crate) fn jmp(l: &mut Lowering<'_>, inst: &Jmp) -> LowerResult {
    Ok(Lowered::Jump { enable: l.enable(inst.exec_size, inst.pred)?, label: inst.label })
}

pub(crate) fn switchjmp(l: &mut Lowering<'_>, inst: &Switchjmp) -> LowerResult {
    let index = l.source::<u32>(&inst.index, 1)?;
    Ok(Lowered::Switch { index, labels: inst.labels.clone() })
}

pub(crate) fn sbarrier(_: &mut Lowering<'_>, inst: &Sbarrier) -> LowerResult {
    Ok(match inst.mode {
        SbarrierMode::Signal => Lowered::Signal { barrier: None, threads: None },
        SbarrierMode::Wait => Lowered::Wait { barrier: None },
    })
}

pub(crate) fn nbarrier(l: &mut Lowering<'_>, inst: &Nbarrier) -> LowerResult {
    Ok(match inst {
        Nbarrier::Signal(inst) => Lowered::Signal {
            barrier: Some(l.source::<u32>(&inst.id, 1)?),
            threads: Some(l.source::<u32>(&inst.num_threads, 1)?),
        },
        Nbarrier::Wait(inst) => Lowered::Wait { barrier: Some(l.source::<u32>(&inst.id, 1)?) },
    })
}

pub(crate) fn fcall(l: &mut Lowering<'_>, inst: &Fcall) -> LowerResult {
    let name = l.routine.string(inst.func_id).unwrap_or_default();
    Ok(Lowered::Function { enable: l.enable(inst.exec_size, inst.pred)?, callee: Callee::Named(name) })
}

pub(crate) fn ifcall(l: &mut Lowering<'_>, inst: &Ifcall) -> LowerResult {
    let address = l.source::<u64>(&inst.func_addr, channels(inst.exec_size))?;
    Ok(Lowered::Function { enable: l.enable(inst.exec_size, inst.pred)?, callee: Callee::At(address) })
}

pub(crate) fn fret(l: &mut Lowering<'_>, inst: &Fret) -> LowerResult {
    Ok(Lowered::Return { enable: l.enable(inst.exec_size, inst.pred)? })
}

pub(crate) fn call(l: &mut Lowering<'_>, inst: &Call) -> LowerResult {
    let label = l.routine.labels.get(inst.label.0 as usize);
    match label.map(|label| label.kind) {
        Some(LabelKind::Subroutine) => {
            Ok(Lowered::Call { enable: l.enable(inst.exec_size, inst.pred)?, label: inst.label })
        }
        _ => illegal("the called label is not a subroutine of this routine"),
    }
}

pub(crate) fn ret(l: &mut Lowering<'_>, inst: &Ret) -> LowerResult {
    Ok(Lowered::Return { enable: l.enable(inst.exec_size, inst.pred)? })
}
