//! The compiler: validates a routine, analyses it, lowers it and makes the code executable.

use crate::backend::abi::exit;
use crate::backend::analysis::known_ramps::KnownRamps;
use crate::backend::analysis::liveness::Liveness;
use crate::backend::analysis::validate::{is_countable, is_sound};
use crate::backend::asm::stream::Label;
use crate::backend::code::{Code, LinkedCode};
use crate::backend::lower::control::block::emit_block;
use crate::backend::lower::control::cold_path::emit_cold_paths;
use crate::backend::lower::control::context::{Labels, RoutineContext};
use crate::backend::lower::control::entry::{emit_entry, emit_exit, emit_leave};
use crate::backend::lower::control::thread_loop::{emit_switch, emit_thread_start};
use crate::backend::lower::emitter::{BlockFacts, Emitter};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::ir::Routine;
use crate::runtime::exit::Refusal;
use crate::runtime::host::Level;

/// Compiles a routine. The time and the memory that this takes grow with the size of the routine
/// and have a budget.
///
/// # Errors
/// A [`Refusal`]: the caller has to interpret the routine.
pub fn compile(routine: &Routine, level: Level) -> Result<Code, Refusal> {
    (Level::of_host() >= Some(level)).then_some(()).ok_or(Refusal::Host)?;
    is_countable(routine).then_some(()).ok_or(Refusal::Budget)?;
    is_sound(routine).then_some(()).ok_or(Refusal::Unsound)?;
    let live = Liveness::of(routine).ok_or(Refusal::Budget)?;
    let mut masm = MacroAssembler::new(level);
    let ramps = KnownRamps::of(routine, &live, masm.has_bits);
    let mut labels = Labels::new(&mut masm.asm);
    let entry = masm.asm.here();
    emit_entry(&mut masm);
    labels.blocks = (0..=routine.blocks.len()).map(|_| masm.asm.label()).collect();
    masm.asm.bind(labels.in_turn);
    emit_thread_start(&mut masm, routine, &labels);
    let facts = BlockFacts::new(routine.register_bytes);
    let mut emitter = Emitter { masm, facts, states: Default::default(), cold: Vec::new() };
    let count = routine.blocks.len() as u32;
    for n in 0..count {
        emit_block(&mut emitter, RoutineContext { routine, live: &live, ramps: &ramps }, &mut labels, n)
            .ok_or(Refusal::Budget)?;
    }
    emitter.masm.asm.bind(labels.blocks[count as usize]);
    emit_exit(&mut emitter.masm, labels.leave, count, exit::BLOCK);
    emit_cold_paths(&mut emitter, &mut labels);
    let mut masm = emitter.masm;
    masm.asm.bind(labels.switch);
    emit_switch(&mut masm);
    masm.asm.bind(labels.leave);
    emit_leave(&mut masm);
    let parts = link(masm, entry, labels, live, routine).ok_or(Refusal::Encoding)?;
    Code::new(parts, routine).ok_or(Refusal::Host)
}

/// Resolves the labels. Returns `None` if an instruction could not be encoded.
fn link(masm: MacroAssembler, entry: Label, labels: Labels, live: Liveness, routine: &Routine) -> Option<LinkedCode> {
    let register_bytes = routine.register_bytes;
    let (bytes, places) = masm.asm.finish()?;
    let place = |label: &Label| places.get(label.index()).copied().unwrap_or(usize::MAX);
    Some(LinkedCode {
        bytes,
        entry: place(&entry),
        in_turn: place(&labels.in_turn),
        blocks: labels.blocks.iter().map(place).collect(),
        steps: labels.steps.iter().map(|step| step.map(|label| label.as_ref().map_or(usize::MAX, place))).collect(),
        full: labels.full,
        functions: masm.functions,
        begin: live.begin.map(|bytes| bytes.dense(register_bytes).without(&routine.private)),
        written: live.written.dense(register_bytes),
    })
}
