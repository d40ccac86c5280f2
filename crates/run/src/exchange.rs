//! Two-thread operations of neighbouring threads.

use crate::barriers::State;
use crate::plan::Plan;
use crate::stopped::fault;
use visakit_kernels::step::Exchange;
use visakit_machine::World;
use visakit_machine::fault::{Trap, TrapReport};
use visakit_machine::thread::Thread;

/// Runs neighbouring threads that have reached the same two-thread operation. Returns true if any
/// did.
pub(super) fn exchanges(
    plan: &Plan<'_>,
    threads: &mut [Thread],
    states: &mut [State],
    world: &World<'_>,
    group: [u32; 3],
) -> Result<bool, Box<TrapReport>> {
    let mut progress = false;
    for (threads, states) in threads.chunks_mut(2).zip(states.chunks_mut(2)) {
        let [State::AtExchange { number, mark }, State::AtExchange { number: other, .. }] = *states else {
            continue;
        };
        let [first, second] = threads else { continue };
        if number == other {
            exchange(&plan.code.exchanges[number as usize], first, second, world)
                .map_err(|(thread, trap)| fault(plan, thread, group, *trap, mark))?;
            states.fill(State::Running);
            progress = true;
        }
    }
    Ok(progress)
}

/// Copies the data of two neighbouring threads to both, and runs their common operation.
fn exchange<'t>(
    exchange: &Exchange,
    first: &'t mut Thread,
    second: &'t mut Thread,
    world: &World<'_>,
) -> Result<(), (&'t Thread, Box<Trap>)> {
    let [first_size, second_size] = exchange.parts.map(|bytes| bytes as usize);
    let mut shared = first.registers.bytes(exchange.own)[..first_size].to_vec();
    shared.extend_from_slice(&second.registers.bytes(exchange.own)[..second_size]);
    for thread in [first, second] {
        thread.registers.bytes_mut(exchange.shared)[..shared.len()].copy_from_slice(&shared);
        if let Err(trap) = exchange.run.call(thread, world) {
            return Err((thread, trap));
        }
    }
    Ok(())
}
