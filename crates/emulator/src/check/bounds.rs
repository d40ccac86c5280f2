//! Accesses that are not inside of what the kernel was given.

use crate::check::place::{Place, argument, name_of};
use crate::check::watcher::{Bug, Seen, What, actor, deed, found, place_in_program};
use crate::launch::argument::Parameter;
use crate::machine::fault::Trap;
use crate::machine::lane::{LANES, enabled_lanes};
use crate::machine::observer::{Access, LaunchMap, Space};
use crate::machine::told::Accesses;

/// Which channel of a thread has which bytes of private memory: whoever touches them first. What is
/// done for all channels at once is nobody's.
#[derive(Default)]
pub(super) struct Owners {
    /// By the upper half of the address: a number for thread and channel, or 0, for each byte.
    owners: Vec<(u64, Vec<u16>)>,
}

impl Owners {
    /// The next group has memory of its own.
    pub(super) fn next_group(&mut self) {
        self.owners.iter_mut().for_each(|(_, owners)| owners.fill(0));
    }

    /// Looks whether an access is to private memory of another channel.
    pub(super) fn access(&mut self, access: &Access, map: &LaunchMap, seen: &mut Seen) {
        // Where functions are called through a stack, what one of them had is another one's later.
        if access.spot.no_mask || map.calls {
            return;
        }
        let slot = access.address >> 32;
        let known = self.owners.iter().position(|(other, _)| *other == slot);
        let known = known.unwrap_or_else(|| {
            self.owners.push((slot, Vec::new()));
            self.owners.len() - 1
        });
        let owners = &mut self.owners[known].1;
        let (start, end) = (access.offset as usize, access.offset as usize + access.size as usize);
        if owners.len() < end {
            owners.resize(end.next_multiple_of(4096), 0);
        }
        let channel = access.lane + access.spot.first_channel;
        let own = (access.thread * 32 + channel + 1) as u16;
        let mut foreign = None;
        for owner in &mut owners[start..end] {
            match *owner {
                0 => *owner = own,
                other if other != own => foreign = Some(u32::from(other) - 1),
                _ => {}
            }
        }
        if let Some(owner) = foreign.filter(|owner| owner / 32 == access.thread) {
            let key = ("check-bounds", [place_in_program(&access.spot); 2], 0);
            seen.see(Bug { key, actor: actor(access), what: What::Foreign(*access, owner % 32) });
        }
    }
}

/// An access to private memory of another work item, in words, and who has that.
pub(super) fn foreign(access: &Access) -> (Trap, Trap) {
    let deed = deed(access.kind, access.size);
    let message = format!("{deed} at offset {} of private memory that belongs to another work item", access.offset);
    let help = "check the index against the size of the array in private memory";
    let owner = "this work item owns the memory";
    (found("check-bounds", message, help), found("check-bounds", owner.to_owned(), ""))
}

/// Looks at an access by itself.
pub(super) fn access(access: &Access, map: &LaunchMap, seen: &mut Seen) {
    if is_inside(access, map) {
        return;
    }
    // One index that is too large is one bug in all that a line does with it.
    let key = ("check-bounds", [place_in_program(&access.spot); 2], 0);
    seen.see(Bug { key, actor: actor(access), what: What::Outside(*access) });
}

/// Whether accesses are surely all inside.
pub(super) fn are_inside(accesses: &Accesses<'_>, map: &LaunchMap) -> bool {
    let base = accesses.first.address.wrapping_sub(accesses.first.offset);
    let is_inside =
        |offset: u64| is_inside(&Access { offset, address: base.wrapping_add(offset), ..accesses.first }, map);
    // One part of shared local memory may lie behind another one.
    if accesses.first.space == Space::Local && map.local.len() > 1 {
        return enabled_lanes::<LANES>(accesses.enabled).all(|lane| is_inside(accesses.place(lane).1));
    }
    is_inside(accesses.last_offset())
}

fn is_inside(access: &Access, map: &LaunchMap) -> bool {
    let end = access.offset.saturating_add(access.size.into());
    match (access.space, access.buffer) {
        (Space::Local, _) => map.local_part(access.offset).is_some_and(|part| {
            access.offset >= part.start.into() && end <= u64::from(part.start) + u64::from(part.bytes)
        }),
        // Faults where it is outside: several threads have one buffer.
        (Space::Scratch, _) => true,
        (_, Some(number)) => map.buffers.get(number).is_some_and(|region| end <= region.bytes),
        (Space::Flat, None) => map.regions.iter().any(|(first, bytes)| {
            access.address.checked_sub(*first).is_some_and(|from| from.saturating_add(access.size.into()) <= *bytes)
        }),
        (_, None) => false,
    }
}

/// An access outside of everything, in words.
pub(super) fn message(access: &Access, map: &LaunchMap, parameters: &[Parameter]) -> Trap {
    let deed = deed(access.kind, access.size);
    let place = Place::of(access, map, parameters).words();
    let past = |bytes: u64| access.offset.saturating_add(access.size.into()).saturating_sub(bytes);
    let inside = match (access.space, access.buffer.and_then(|number| map.buffers.get(number))) {
        (Space::Local, _) => match map.local_part(access.offset) {
            Some(part) if access.offset < part.start.into() => {
                let before = u64::from(part.start) - access.offset;
                format!("which has {} bytes: it begins {before} bytes before the allocation", part.bytes)
            }
            part => {
                let (bytes, end) =
                    part.map_or((0, 0), |part| (part.bytes, u64::from(part.start) + u64::from(part.bytes)));
                format!("which has {bytes} bytes in all: it ends {} bytes past the end", past(end))
            }
        },
        (_, Some(region)) => {
            format!("which has {0} bytes: it ends {1} bytes past the end", region.bytes, past(region.bytes))
        }
        (Space::Flat, None) => format!("outside every buffer: {}", nearest(access.address, map, parameters)),
        _ => "where there is no buffer".to_owned(),
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
            let (name, bytes) = (argument(index, name_of(Some(index), parameters).as_deref()), region.bytes);
            format!("{} bytes {side} of {name}, which has {bytes} bytes", distance(region))
        }
        None => "where the kernel has no buffer".to_owned(),
    }
}
