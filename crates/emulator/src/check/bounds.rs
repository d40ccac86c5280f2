//! Accesses that are not inside of what the kernel was given.

use crate::check::watcher::{Bug, Seen, What, actor, argument, deed, found, place, place_in_program};
use crate::launch::argument::Parameter;
use crate::machine::fault::Trap;
use crate::machine::observer::{Access, LaunchMap, Space};
use crate::machine::told::Accesses;

/// Looks at an access by itself.
pub(super) fn access(access: &Access, map: &LaunchMap, seen: &mut Seen) {
    if is_inside(access, map) {
        return;
    }
    // One index that is too large is one bug in all that a line does with it.
    let key = ("check-bounds", place_in_program(&access.spot), 0, 0);
    seen.see(Bug { key, actor: actor(access), what: What::Outside(*access) });
}

/// Whether accesses are surely all inside.
pub(super) fn are_inside(accesses: &Accesses<'_>, map: &LaunchMap) -> bool {
    is_inside(&Access { offset: accesses.last_offset(), ..accesses.first }, map)
}

fn is_inside(access: &Access, map: &LaunchMap) -> bool {
    let end = access.offset.saturating_add(access.size.into());
    match (access.space, access.buffer) {
        (Space::Local, _) => end <= map.local_bytes.into(),
        // Faults where it is outside: several threads have one buffer.
        (Space::Scratch, _) => true,
        (_, Some(number)) => map.buffers.get(number).is_some_and(|region| end <= region.bytes),
        (_, None) => false,
    }
}

/// An access outside of everything, in words.
pub(super) fn message(access: &Access, map: &LaunchMap, parameters: &[Parameter]) -> Trap {
    let deed = deed(access.kind, access.size);
    let place = place(access, map, parameters);
    let past = |bytes: u64| access.offset.saturating_add(access.size.into()).saturating_sub(bytes);
    let inside = match (access.space, access.buffer.and_then(|number| map.buffers.get(number))) {
        (Space::Local, _) => {
            let bytes = map.local_bytes;
            format!("which has {bytes} bytes in all: it ends {} bytes past its end", past(bytes.into()))
        }
        (_, Some(region)) => {
            format!("which has {0} bytes: it ends {1} bytes past its end", region.bytes, past(region.bytes))
        }
        (Space::Flat, None) => format!("outside of every buffer: {}", nearest(access.address, map, parameters)),
        _ => "which holds no buffer".to_owned(),
    };
    let help = "check the index against the size of the argument";
    found("check-bounds", format!("{deed} at {place}, {inside}"), help)
}

/// The argument that ends or begins nearest to an address.
pub(crate) fn nearest(address: u64, map: &LaunchMap, parameters: &[Parameter]) -> String {
    let arguments = map.buffers.iter().filter_map(|region| Some((region, region.argument?)));
    let distance = |region: &crate::machine::observer::Allocation| {
        let end = region.address + region.bytes;
        if address >= end { address - end } else { region.address.saturating_sub(address) }
    };
    match arguments.min_by_key(|(region, _)| distance(region)) {
        Some((region, index)) => {
            let side = if address >= region.address { "past the end" } else { "before the beginning" };
            let (name, bytes) = (argument(index, parameters), region.bytes);
            format!("{} bytes {side} of {name}, which has {bytes} bytes", distance(region))
        }
        None => "where the kernel has no buffer".to_owned(),
    }
}
