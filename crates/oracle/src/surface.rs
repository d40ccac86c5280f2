//! Binding table entries of address spaces.

use visakit_machine::entry_of_state;

use crate::execution::{Result, Run, senseless};
use crate::program::Node;
use crate::space::Space;

/// Returns the binding table entry of a space, if it has one.
pub(crate) fn entry(run: &mut Run<'_>, space: Space) -> Result<Option<u32>> {
    let Some(thread) = run.thread else { return senseless("memory outside a launch") };
    let element = |at: u32| thread.surfaces.get(at as usize).copied().unwrap_or(u32::MAX);
    Ok(Some(match space {
        Space::Surface(at) => element(at),
        Space::State(at) => entry_of_state(element(at)),
        Space::Entry(operand) => named(run, operand)?,
        Space::Offset(operand) => entry_of_state(named(run, operand)?),
        Space::StateAddress(operand) => {
            let address = run.wide(&Node::Operand(operand))?;
            return Ok(run.world.and_then(|world| world.entry_of_address(address, 0)));
        }
        _ => return Ok(None),
    }))
}

/// Returns the number in an operand that is the same for all channels.
pub(crate) fn named(run: &mut Run<'_>, operand: usize) -> Result<u32> {
    Ok(run.wide(&Node::Operand(operand))? as u32)
}
