//! Execution of a hardware thread, block by block.

use crate::limits::CALL_DEPTH;
use crate::native::{Begun, Native};
use crate::plan::Plan;
use crate::start::clear;
use crate::stats::Counts;
use visakit_kernels::code::{DebugLoc, Terminator};
use visakit_machine::World;
use visakit_machine::activation;
use visakit_machine::fault::Trap;
use visakit_machine::flow::{Callee, Next, PAUSE};
use visakit_machine::lane::LANES;
use visakit_machine::memory::function_at;
use visakit_machine::thread::Thread;
use visakit_native::{Exit, ir::Action};

/// Runs a thread until it waits, ends, or has executed `turn` instructions. Native code may already
/// have started it.
#[inline]
pub(super) fn run_thread<'w>(
    plan: &Plan<'_>,
    thread: &mut Thread,
    world: &World<'w>,
    counts: &mut Counts,
    turn: u64,
    native: Option<(&mut Native<'w>, Option<Begun>)>,
) -> Result<(Next, DebugLoc), (Box<Trap>, DebugLoc)> {
    thread.until = plan.limit.min(thread.executed.saturating_add(turn));
    let Some((native, begun)) = native else {
        return if plan.count {
            run_blocks::<true>(plan, thread, world, counts)
        } else {
            run_blocks::<false>(plan, thread, world, counts)
        };
    };
    let begun = begun.unwrap_or_else(|| Begun { before: thread.executed, exit: native.run(thread, counts) });
    let Begun { before, exit } = begun;
    let out = if plan.count {
        run_natively::<true>(plan, thread, world, counts, native, exit)
    } else {
        run_natively::<false>(plan, thread, world, counts, native, exit)
    };
    counts.with_native += thread.executed - before;
    out
}

/// Runs a thread with native code and the interpreter, starting at a native exit.
fn run_natively<'w, const COUNT: bool>(
    plan: &Plan<'_>,
    thread: &mut Thread,
    world: &World<'w>,
    counts: &mut Counts,
    native: &mut Native<'w>,
    mut exit: Option<Exit>,
) -> Result<(Next, DebugLoc), (Box<Trap>, DebugLoc)> {
    let code = plan.code;
    loop {
        let behind = match exit {
            // Native code leaves a block on a limit or a trap, or has no code for it.
            Some(Exit::Block(block)) => {
                thread.flow.block = block;
                if let Some(out) = begin(plan, thread)? {
                    return Ok(out);
                }
                counts.left += u64::from(code.blocks[block as usize].instructions);
                code.blocks[block as usize].first as usize
            }
            Some(Exit::Step { step, .. }) => {
                let at = step as usize;
                counts.interpreted += 1;
                if let Err(trap) = code.steps[at].call(thread, world) {
                    return Err((trap, code.marks[at]));
                }
                if let Action::Transfer(_) = code.actions[at] {
                    native.refresh(world);
                }
                at + 1
            }
            Some(Exit::End { block, .. }) => {
                thread.flow.block = block;
                code.blocks[block as usize].end as usize
            }
            None => {
                if let Some(out) = begin(plan, thread)? {
                    return Ok(out);
                }
                code.blocks[thread.flow.block as usize].first as usize
            }
        };
        if let Some(Exit::Step { resume, .. }) = exit
            && thread.is_plain()
        {
            exit = native.resume(resume, thread, counts);
            continue;
        }
        let block = match exit {
            // The exit does not contain the block.
            Some(Exit::Step { step, .. }) => code.blocks.partition_point(|block| block.end <= step) as u32,
            _ => thread.flow.block,
        };
        exit = None;
        thread.flow.block = block;
        let end = code.blocks[block as usize].end as usize;
        for at in behind..end {
            if COUNT {
                counts.steps[at][0] += 1;
                counts.steps[at][1] += u64::from(thread.enabled(&code.marks[at].enable).count_ones());
            }
            counts.interpreted += 1;
            if let Err(trap) = code.steps[at].call(thread, world) {
                return Err((trap, code.marks[at]));
            }
            if let Some(resume) = native.behind(at, thread) {
                exit = native.resume(resume, thread, counts);
                break;
            }
        }
        if exit.is_some() {
            continue;
        }
        counts.interpreted += u64::from(code.blocks[block as usize].next.is_instruction());
        if let Some(out) = finish::<COUNT>(plan, thread, counts, false)? {
            return Ok(out);
        }
        exit = native.run(thread, counts);
    }
}

/// Runs a thread with the interpreter. If `COUNT`, reports locations to the observer and counts
/// steps and channels.
fn run_blocks<const COUNT: bool>(
    plan: &Plan<'_>,
    thread: &mut Thread,
    world: &World<'_>,
    counts: &mut Counts,
) -> Result<(Next, DebugLoc), (Box<Trap>, DebugLoc)> {
    let code = plan.code;
    loop {
        if let Some(out) = begin(plan, thread)? {
            return Ok(out);
        }
        let block = &code.blocks[thread.flow.block as usize];
        let range = block.first as usize..block.end as usize;
        if COUNT && let Some(watch) = &world.watch {
            watch.observer.block(thread.index, thread.flow.block, thread.active, watch.spot.get());
        }
        for (n, step) in code.steps[range.clone()].iter().enumerate() {
            if COUNT {
                let at = range.start + n;
                if let Some(watch) = &world.watch {
                    watch.spot.set(code.marks[at].spot());
                }
                if plan.has_stats {
                    counts.steps[at][0] += 1;
                    counts.steps[at][1] += u64::from(thread.enabled(&code.marks[at].enable).count_ones());
                }
            }
            if COUNT && let Some(tracer) = &plan.tracer {
                let mark = &code.marks[range.start + n];
                let begun = tracer.before(thread, mark);
                if let Err(trap) = step.call(thread, world) {
                    tracer.ended(begun);
                    return Err((trap, *mark));
                }
                tracer.after(begun, thread, mark);
                continue;
            }
            if let Err(trap) = step.call(thread, world) {
                return Err((trap, code.marks[range.start + n]));
            }
        }
        if COUNT && let Some(watch) = &world.watch {
            watch.spot.set(block.mark.spot());
        }
        if COUNT
            && let Some(tracer) = &plan.tracer
            && block.next.is_instruction()
        {
            tracer.ended(tracer.before(thread, &block.mark));
        }
        if let Some(out) = finish::<COUNT>(plan, thread, counts, !plan.has_stats)? {
            return Ok(out);
        }
    }
}

/// Reason why a thread stops, if it does.
type Out = Result<Option<(Next, DebugLoc)>, (Box<Trap>, DebugLoc)>;

/// Enters the current block.
#[inline(always)]
fn begin(plan: &Plan<'_>, thread: &mut Thread) -> Out {
    let code = plan.code;
    let Some(block) = code.blocks.get(thread.flow.block as usize) else {
        let last = code.blocks.last().map_or(DebugLoc::nowhere(), |block| block.mark);
        return Err((Box::new(Trap::RanOff), last));
    };
    thread.active |= thread.flow.join();
    if thread.executed >= thread.until {
        if thread.executed >= plan.limit {
            return Err((Box::new(Trap::Budget(plan.limit)), block.mark));
        }
        return Ok(Some((Next::Pause, block.mark)));
    }
    thread.executed += u64::from(block.instructions);
    Ok(None)
}

/// Executes the terminator of the current block after its last step.
#[inline(always)]
fn finish<const COUNT: bool>(plan: &Plan<'_>, thread: &mut Thread, counts: &mut Counts, is_counted: bool) -> Out {
    let code = plan.code;
    let index = thread.flow.block;
    let block = &code.blocks[index as usize];
    if COUNT && !is_counted {
        let lanes = if block.next.is_instruction() { thread.active.count_ones() } else { 0 };
        counts.branches[index as usize][0] += 1;
        counts.branches[index as usize][1] += u64::from(lanes);
    }
    let next = index + 1;
    match &block.next {
        Terminator::Fall => thread.flow.block = next,
        Terminator::Pause => {
            thread.flow.block = next;
            if thread.executed.saturating_add(PAUSE) >= thread.until {
                return Ok(Some((Next::Pause, block.mark)));
            }
        }
        Terminator::Branch { uniform, target } => {
            let taken = thread.taken(&block.mark.enable, *uniform);
            thread.active = thread.flow.branch(thread.active, taken, *target, next);
        }
        Terminator::Jump { target } => {
            let taken = thread.taken(&block.mark.enable, true);
            thread.flow.jump(if taken != 0 { *target } else { next });
        }
        Terminator::CallAddress { uniform, .. }
        | Terminator::Enter { uniform, .. }
        | Terminator::Call { uniform, .. } => {
            let taken = thread.taken(&block.mark.enable, *uniform);
            if taken == 0 {
                thread.flow.block = next;
                return Ok(None);
            }
            call(plan, thread, &block.next, &block.mark, taken).map_err(|trap| (trap, block.mark))?;
        }
        Terminator::Return { uniform } => {
            let leaving = thread.taken(&block.mark.enable, *uniform);
            if leaving == thread.active && thread.flow.is_last() {
                thread.active = 0;
                return Ok(Some((Next::End, block.mark)));
            }
            let next = activation::leave(thread, &code.functions, leaving, next);
            if next == Next::End {
                return Ok(Some((Next::End, block.mark)));
            }
        }
        Terminator::Switch(n) => {
            let switch = &code.switches[*n as usize];
            let index = switch.index.first(thread);
            let Some(target) = switch.targets.get(index as usize) else {
                let why = format!("a jump to entry {index} of a list of {} labels", switch.targets.len());
                return Err((Box::new(Trap::Illegal(why)), block.mark));
            };
            thread.flow.jump(*target);
        }
        Terminator::Exchange(number) => {
            thread.flow.block = next;
            return Ok(Some((Next::Exchange(*number), block.mark)));
        }
        Terminator::Signal(named) => {
            let named = named.as_ref().map(|[id, threads]| (id.first(thread), threads.first(thread)));
            thread.signals.push(named);
            thread.flow.block = next;
        }
        Terminator::Wait(barrier) => {
            let barrier = barrier.as_ref().map(|id| id.first(thread));
            thread.flow.block = next;
            return Ok(Some((Next::Wait(barrier), block.mark)));
        }
        Terminator::Barrier => {
            if thread.flow.is_divergent() {
                return Err((Box::new(Trap::DivergentBarrier(thread.active)), block.mark));
            }
            thread.flow.block = next;
            return Ok(Some((Next::Barrier, block.mark)));
        }
    }
    Ok(None)
}

/// Executes a call of the channels `taken`, which are not empty.
fn call(
    plan: &Plan<'_>,
    thread: &mut Thread,
    terminator: &Terminator,
    mark: &DebugLoc,
    taken: u32,
) -> Result<(), Box<Trap>> {
    let code = plan.code;
    let back = thread.flow.block + 1;
    match terminator {
        Terminator::Enter { function, .. } => enter(plan, thread, *function as usize, taken, back),
        Terminator::CallAddress { callee, .. } => {
            let lane = taken.trailing_zeros() - mark.enable.shift.min(taken.trailing_zeros());
            let callee = &code.callees[*callee as usize];
            let addresses: [u64; LANES] = callee.load(thread, lane as usize / LANES);
            let address = addresses[lane as usize % LANES];
            let Some(function) = function_at(address).filter(|&n| n < code.functions.len()) else {
                let why = format!("a call to 0x{address:x}, which is not the address of a function");
                return Err(Box::new(Trap::Illegal(why)));
            };
            enter(plan, thread, function, taken, back)
        }
        Terminator::Call { .. } if thread.flow.depth() >= CALL_DEPTH => {
            Err(Box::new(Trap::Illegal("subroutine calls are nested without end".to_owned())))
        }
        Terminator::Call { routine, .. } => {
            let callee = Callee { routine: *routine, function: None };
            thread.active = thread.flow.call(thread.active, taken, callee, back);
            Ok(())
        }
        // The other terminators call nothing.
        _ => Ok(()),
    }
}

/// Enters a function.
fn enter(plan: &Plan<'_>, thread: &mut Thread, function: usize, taken: u32, back: u32) -> Result<(), Box<Trap>> {
    if thread.flow.depth() >= CALL_DEPTH {
        return Err(Box::new(Trap::Illegal("function calls are nested without end".to_owned())));
    }
    plan.check_stack(thread)?;
    let functions = &plan.code.functions;
    if activation::enter(thread, functions, function, taken, back) {
        clear(plan, thread, &functions[function], 0);
        plan.lowered.note_entered(function);
    }
    Ok(())
}
