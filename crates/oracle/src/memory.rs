//! Memory as blocks see it: surfaces, flat memory, atomic operations. The machine's door says what lies outside and what is
//! misaligned.

use visakit_emulator::machine::access::{Request, View};
use visakit_emulator::machine::fault::Trap;
use visakit_emulator::machine::lane::LANES;
use visakit_emulator::machine::thread::Thread;
use visakit_emulator::machine::{World, entry_of_state};

use crate::builtins::Builtin;
use crate::evaluate::{Halt, Result, Run, senseless};
use crate::functions;
use crate::program::Node;
use crate::value::Value;

/// A surface that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Shared local memory.
    Local,
    /// Scratch memory.
    Scratch,
    /// The entry of the binding table that an element of the state variables has.
    Surface(u32),
    /// The surface whose state is at the offset that an element of the state variables has.
    State(u32),
}

/// Reads the bytes of a place.
pub(crate) fn load(run: &mut Run<'_>, place: Builtin, arguments: &[Node]) -> Result<Value> {
    let (space, address, count) = resolve(run, place, arguments)?;
    let (thread, world) = state(run)?;
    let view = view(space, thread, world);
    let mut bytes = Vec::with_capacity(count);
    for (at, size) in parts(address, count) {
        let mut values = [0; LANES];
        view.load(&request(&[at; LANES], size), &mut values)
            .map_err(|miss| Halt::Trap(Box::new(Trap::Access(miss))))?;
        bytes.extend_from_slice(&values[0].to_le_bytes()[..size as usize]);
    }
    Ok(functions::of_bytes(&bytes))
}

/// Writes the bytes of a place.
pub(crate) fn store(run: &mut Run<'_>, place: Builtin, arguments: &[Node], value: &Value) -> Result<()> {
    let (space, address, count) = resolve(run, place, arguments)?;
    let (thread, world) = state(run)?;
    let view = view(space, thread, world);
    let bytes = functions::bytes(value, count)?;
    let mut from = 0;
    for (at, size) in parts(address, count) {
        let mut whole = [0; 8];
        whole[..size as usize].copy_from_slice(&bytes[from..from + size as usize]);
        from += size as usize;
        let values = [u64::from_le_bytes(whole); LANES];
        view.store(&request(&[at; LANES], size), &values).map_err(|miss| Halt::Trap(Box::new(Trap::Access(miss))))?;
    }
    Ok(())
}

/// The space, the address and the number of bytes that a place names.
fn resolve(run: &mut Run<'_>, place: Builtin, arguments: &[Node]) -> Result<(Option<Space>, u64, usize)> {
    let (space, address, count) = match (place, arguments) {
        (Builtin::Surface, [Node::Space(space), offset, count]) => (Some(*space), offset, count),
        (Builtin::Memory, [address, count]) => (None, address, count),
        _ => return senseless(format!("the place {place:?}")),
    };
    let (address, count) = (run.wide(address)?, run.number(count)?);
    // Offsets into surfaces have 32 bits and wrap.
    let address = if space.is_some() { address & u64::from(u32::MAX) } else { address };
    let count = usize::try_from(count).ok().filter(|n| *n <= 4096);
    count.map_or_else(|| senseless("so many bytes"), |count| Ok((space, address, count)))
}

fn state<'r>(run: &Run<'r>) -> Result<(&'r Thread, &'r World<'r>)> {
    match (run.thread, run.world) {
        (Some(thread), Some(world)) => Ok((thread, world)),
        _ => senseless("memory is needed"),
    }
}

fn view<'w>(space: Option<Space>, thread: &Thread, world: &'w World<'w>) -> View<'w> {
    let element = |at: u32| thread.surfaces.get(at as usize).copied().unwrap_or(u32::MAX);
    let target = match space {
        None => world.flat(),
        Some(Space::Local) => world.local(),
        Some(Space::Scratch) => world.scratch(),
        Some(Space::Surface(at)) => world.surface(element(at)),
        Some(Space::State(at)) => world.surface(entry_of_state(element(at))),
    };
    world.view(target, thread.index)
}

fn request(addresses: &[u64; LANES], size: u32) -> Request<'_> {
    Request { addresses, enabled: 1, first_lane: 0, size, unaligned: false, wide: false }
}

/// The accesses that so many bytes are: one where a number has them, dwords of what is longer.
fn parts(address: u64, count: usize) -> impl Iterator<Item = (u64, u32)> {
    let size = if matches!(count, 1 | 2 | 4 | 8) {
        count
    } else if count.is_multiple_of(4) {
        4
    } else {
        1
    };
    (0..count / size).map(move |n| (address.wrapping_add((n * size) as u64), size as u32))
}
