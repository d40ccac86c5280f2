//! Bounds check: accesses outside the kernel's resources.

use crate::bug::{Bug, Seen, What, actor, deed, found, place_in_program};
use visakit_launch::argument::Parameter;
use visakit_machine::fault::Trap;
use visakit_machine::lane::{LANES, enabled_lanes};
use visakit_machine::observer::{Access, AccessKind, LaunchMap, Space};
use visakit_machine::told::Accesses;
use visakit_run::place::{Place, nearest};

/// Owner of each byte of private memory that the thread itself writes, for all its channels.
const SHARED: u16 = u16::MAX;

/// Owner of each byte of private memory: the channel of a thread that touches it first. NoMask
/// accesses own nothing, except that a store of one channel fills memory that all channels share:
/// the compiler keeps values that are equal in all work items once per thread.
#[derive(Default)]
pub(super) struct Owners {
    /// Per byte: 0, or a number for thread and channel. Keyed by the upper half of the address.
    owners: Vec<(u64, Vec<u16>)>,
}

impl Owners {
    /// Starts a group, which has its own private memory.
    pub(super) fn next_group(&mut self) {
        self.owners.iter_mut().for_each(|(_, owners)| owners.fill(0));
    }

    /// Checks an access for private memory of another channel. `is_single` is true if no other
    /// channel takes part.
    pub(super) fn access(&mut self, access: &Access, is_single: bool, map: &LaunchMap, seen: &mut Seen) {
        let is_shared = access.spot.no_mask && is_single && access.kind == AccessKind::Store;
        // Functions on a stack reuse each other's private memory.
        if access.spot.no_mask && !is_shared || map.calls {
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
        let own = if is_shared { SHARED } else { (access.thread * 32 + channel + 1) as u16 };
        let mut foreign = None;
        for owner in &mut owners[start..end] {
            match *owner {
                0 => *owner = own,
                _ if is_shared => *owner = own,
                other if other != own && other != SHARED => foreign = Some(u32::from(other) - 1),
                _ => {}
            }
        }
        if let Some(owner) = foreign.filter(|owner| owner / 32 == access.thread) {
            let key = ("check-bounds", [place_in_program(&access.spot); 2], 0);
            seen.see(Bug { key, actor: actor(access), what: What::Foreign(*access, owner % 32) });
        }
    }
}

/// Returns the messages for an access to another work item's private memory: one for the access,
/// one for the owner.
pub(super) fn foreign(access: &Access) -> (Trap, Trap) {
    let deed = deed(access.kind, access.size);
    let message = format!("{deed} at offset {} of private memory that belongs to another work item", access.offset);
    let help = "check the index against the size of the array in private memory";
    let owner = "this work item owns the memory";
    (found("check-bounds", message, help), found("check-bounds", owner.to_owned(), ""))
}

/// Checks the bounds of a single access.
pub(super) fn access(access: &Access, map: &LaunchMap, seen: &mut Seen) {
    if is_inside(access, map) {
        return;
    }
    // A wrong index counts as one bug for all accesses of a source line.
    let key = ("check-bounds", [place_in_program(&access.spot); 2], 0);
    seen.see(Bug { key, actor: actor(access), what: What::Outside(*access) });
}

/// Returns true if all accesses are certainly in bounds.
pub(super) fn are_inside(accesses: &Accesses<'_>, map: &LaunchMap) -> bool {
    let base = accesses.first.address.wrapping_sub(accesses.first.offset);
    let is_inside =
        |offset: u64| is_inside(&Access { offset, address: base.wrapping_add(offset), ..accesses.first }, map);
    // The parts of shared local memory are checked individually.
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
        // Scratch accesses out of bounds are traps; several threads share one buffer.
        (Space::Scratch, _) => true,
        (_, Some(number)) => map.buffers.get(number).is_some_and(|region| end <= region.bytes),
        (Space::Flat, None) => map.regions.iter().any(|(first, bytes)| {
            access.address.checked_sub(*first).is_some_and(|from| from.saturating_add(access.size.into()) <= *bytes)
        }),
        (_, None) => false,
    }
}

/// Returns the message for an out-of-bounds access.
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

#[cfg(test)]
mod tests {
    use super::*;
    use visakit_machine::observer::Spot;

    fn access(lane: u32, kind: AccessKind, no_mask: bool) -> Access {
        let spot = Spot { no_mask, ..Spot::default() };
        let (group, thread, address, offset, size) = ([0; 3], 1, 64, 64, 4);
        let (space, buffer, value, unread, changes) = (Space::Scratch, None, None, false, true);
        Access { kind, space, buffer, group, thread, lane, address, offset, size, value, unread, changes, spot }
    }

    /// Returns true if one of the accesses is to memory of another work item.
    fn is_foreign(accesses: &[(Access, bool)]) -> bool {
        let (mut owners, mut seen) = (Owners::default(), Seen::default());
        for (access, is_single) in accesses {
            owners.access(access, *is_single, &LaunchMap::default(), &mut seen);
        }
        !seen.all.is_empty()
    }

    #[test]
    fn memory_that_a_thread_fills_is_shared_by_its_channels() {
        let fill = |is_single| (access(0, AccessKind::Store, true), is_single);
        let loads = [0, 3].map(|lane| (access(lane, AccessKind::Load, false), false));
        assert!(is_foreign(&loads), "channel 0 owns the memory");
        assert!(!is_foreign(&[fill(true), loads[0], loads[1]]));
        assert!(is_foreign(&[fill(false), loads[0], loads[1]]), "each channel fills its own memory");
        assert!(is_foreign(&[(access(0, AccessKind::Load, true), true), loads[0], loads[1]]), "a load fills nothing");
    }
}
