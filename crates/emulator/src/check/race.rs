//! Accesses of several work items to the same bytes that nothing keeps apart.
//!
//! For each word of memory there is who wrote it last and who read it since, as numbers of stamps. Two accesses of a group
//! are kept apart by a barrier between them. That the channels of one hardware thread go through its instructions together
//! does not count, unless the program relies on it ([`LaunchMap::together`]). Groups are kept apart by nothing but atomic
//! operations on the same place, one before and one after. A store of what is there already harms nobody.
//!
//! The order in which groups and threads happen to run does not matter: an access is compared with the last ones that no
//! barrier came behind, whoever made them.

mod order;
mod shadow;
mod stamps;

use crate::check::watcher::{Bug, Seen, What, actor, deed, found, place, place_in_program};
use crate::launch::argument::Parameter;
use crate::machine::fault::Trap;
use crate::machine::lane::{LANES, enabled_lanes};
use crate::machine::observer::{Access, AccessKind, LaunchMap, Space};
use crate::machine::told::Accesses;
use crate::run::program::Actor;
use order::Order;
use shadow::{Cell, PAGE, Pages, words_of};
use stamps::{Stamp, Stamps, Touch, WHOLE, channel_of, is_harmless};

/// What was touched in a launch so far.
#[derive(Default)]
pub(super) struct Races {
    /// Whether channels of a thread are kept apart by its instructions.
    together_is_apart: bool,
    stamps: Stamps,
    /// The enabled channels of each thread.
    channels: Vec<u32>,
    /// Cells of words.
    words: Pages,
    /// Cells of the bytes of words that are split.
    bytes: Pages,
    order: Order,
    /// The accesses of the present instruction of one thread: place, channel, and whether it stores something else than what is
    /// there.
    together: Vec<(usize, u64, u32)>,
    message: Option<(u32, u32, u32)>,
}

/// The number of the memory that others have as well, if it is such: 0 for shared local memory. What nothing looks at is nowhere.
fn shared(access: &Access) -> Option<usize> {
    match (access.space, access.buffer) {
        _ if access.unread => None,
        (Space::Local, _) => Some(0),
        (Space::Flat | Space::Surface, Some(number)) => Some(number + 1),
        _ => None,
    }
}

impl Races {
    pub(super) fn launch(&mut self, map: &LaunchMap) {
        self.together_is_apart = map.together;
    }

    pub(super) fn next_group(&mut self) {
        self.stamps.index += u32::from(self.order.has_begun());
        self.order.next_group();
        self.stamps.next_group();
        self.step();
    }

    pub(super) fn barrier(&mut self) {
        self.stamps.epoch += 1;
        self.stamps.next_epoch();
        self.step();
    }

    /// A thread goes on with these channels.
    pub(super) fn block(&mut self, thread: u32, channels: u32) {
        self.step();
        let thread = thread as usize;
        if self.channels.len() <= thread {
            self.channels.resize(thread + 1, u32::MAX);
        }
        self.channels[thread] = channels;
    }

    /// What comes is not part of the same message.
    fn step(&mut self) {
        self.message = None;
        self.together.clear();
    }

    /// The channels for whom an access is done.
    fn channels(&self, access: &Access) -> u32 {
        match channel_of(access) {
            WHOLE => self.channels.get(access.thread as usize).copied().unwrap_or(u32::MAX),
            channel => 1_u32.checked_shl(channel.into()).unwrap_or(0),
        }
    }

    pub(super) fn access(&mut self, access: &Access, seen: &mut Seen) {
        let Some(buffer) = shared(access) else { return };
        if access.kind == AccessKind::Atomic && buffer > 0 {
            self.order.meet((buffer, access.offset));
        }
        let Some(stamp) = self.stamp(access) else { return };
        let touch = Touch::new(stamp, access);
        for word in words_of(access.offset, access.size) {
            self.word(touch, (buffer, word), access, seen);
        }
    }

    /// The same for the channels of a message.
    pub(super) fn accesses(&mut self, accesses: &Accesses<'_>, seen: &mut Seen) {
        let Some(buffer) = shared(&accesses.first) else { return };
        let Some(stamp) = self.stamp(&accesses.first) else { return };
        let touch = Touch::new(stamp, &accesses.first);
        // What has to be noted goes one by one.
        let left = if self.together_is_apart && touch.kind == AccessKind::Store {
            accesses.enabled
        } else {
            self.enter_alone(accesses, touch, buffer)
        };
        for lane in enabled_lanes::<LANES>(left) {
            let access = accesses.of(lane);
            let touch = Touch { channel: channel_of(&access), changes: access.changes, ..touch };
            for word in words_of(access.offset, access.size) {
                self.word(touch, (buffer, word), &access, seen);
            }
        }
    }

    /// Enters the accesses to places that no other work item has touched since the last barrier, and gives the channels of the
    /// others.
    fn enter_alone(&mut self, accesses: &Accesses<'_>, first: Touch, buffer: usize) -> u32 {
        let Accesses { enabled, changes, .. } = *accesses;
        let size = accesses.first.size;
        if size % 4 != 0 {
            return enabled;
        }
        let channel = accesses.first_lane + accesses.first.spot.first_channel;
        let (mut left, mut rest) = (enabled, enabled);
        while rest != 0 {
            let number = accesses.offsets[rest.trailing_zeros() as usize % LANES] as usize / (PAGE * 4);
            let page = self.words.page(buffer, number);
            for lane in enabled_lanes::<LANES>(rest) {
                let offset = accesses.offsets[lane] as usize;
                if offset / (PAGE * 4) != number {
                    break;
                }
                rest &= !(1 << lane);
                let first_word = offset / 4 % PAGE;
                let Some(cells) = page.get_mut(first_word..first_word + size as usize / 4) else { continue };
                let channel = if first.channel == WHOLE { WHOLE } else { (channel + lane as u32) as u8 };
                let touch = Touch { channel, changes: changes >> lane & 1 == 1, ..first };
                let is_alone = |cell: &mut Cell| !cell.split && self.stamps.enter_alone(cell, touch);
                if offset % 4 == 0 && cells.iter_mut().all(is_alone) {
                    left &= !(1 << lane);
                }
            }
        }
        left
    }

    /// A word of which an access has some bytes.
    fn word(&mut self, touch: Touch, (buffer, word): (usize, u64), access: &Access, seen: &mut Seen) {
        let Some(cell) = self.words.cell((buffer, word)) else { return };
        let bytes = access.offset..access.offset + u64::from(access.size);
        if !cell.split && bytes.start <= word * 4 && (word + 1) * 4 <= bytes.end {
            let mut changed = *cell;
            self.touch(&mut changed, touch, access, (buffer, word * 4), seen);
            self.words.cell((buffer, word)).into_iter().for_each(|cell| *cell = changed);
            return;
        }
        let parts = Cell { split: false, ..*cell };
        let was_split = std::mem::replace(&mut cell.split, true);
        for byte in word * 4..word * 4 + 4 {
            let own = bytes.contains(&byte);
            if !own && was_split {
                continue;
            }
            let mut changed = match self.bytes.cell((buffer, byte)) {
                Some(cell) if was_split => *cell,
                _ => parts,
            };
            if own {
                self.touch(&mut changed, touch, access, (buffer, byte), seen);
            }
            if let Some(cell) = self.bytes.cell((buffer, byte)) {
                *cell = changed;
            }
        }
    }

    /// The number of the stamp of an access.
    fn stamp(&mut self, access: &Access) -> Option<u32> {
        let channels = if channel_of(access) == WHOLE { self.channels(access) } else { 0 };
        self.stamps.number(access, self.order.clock(), channels)
    }

    /// Compares an access with what was done to a place, and takes note of it.
    fn touch(&mut self, cell: &mut Cell, touch: Touch, access: &Access, at: (usize, u64), seen: &mut Seen) {
        self.stamps.forget(cell, touch);
        if !is_harmless(cell, touch) {
            self.compare(cell.write, cell.channels[0], touch, access, at, seen);
            for n in 0..2 {
                self.compare(cell.reads[n], cell.channels[1 + n], touch, access, at, seen);
            }
        }
        self.stamps.enter(cell, touch);
        if touch.kind == AccessKind::Store {
            self.note(access, at);
        }
    }

    /// Notes a store of the present instruction.
    fn note(&mut self, access: &Access, at: (usize, u64)) {
        let message = (access.thread, access.spot.instruction, access.lane);
        let goes_on = self.message.is_some_and(|(thread, instruction, lane)| {
            (thread, instruction) == (message.0, message.1) && lane <= access.lane
        });
        if !goes_on {
            self.together.clear();
        }
        self.message = Some(message);
        self.together.push((at.0, at.1, access.lane));
    }

    fn compare(&self, before: u32, channel: u8, touch: Touch, access: &Access, at: (usize, u64), seen: &mut Seen) {
        if self.stamps.is_clear(before, channel, touch) {
            return;
        }
        let Some(stamp) = self.stamps.get(before) else { return };
        if stamp.kind == access.kind && access.kind != AccessKind::Store {
            return;
        }
        let apart = match (stamp.index == self.stamps.index, stamp.thread == access.thread) {
            (true, true) => stamp.epoch < self.stamps.epoch || self.is_apart_in_thread(stamp, channel, access, at),
            (true, false) => stamp.epoch < self.stamps.epoch,
            (false, _) => self.order.is_before(stamp.index, stamp.clock),
        };
        if apart {
            return;
        }
        let other =
            Actor { spot: stamp.spot, group: stamp.group, thread: stamp.thread, channel: Some(channel.into()) };
        let mut both = [place_in_program(&stamp.spot), place_in_program(&access.spot)];
        both.sort_unstable();
        let [low, high] = both;
        let key = ("check-race", low, high, u32::from(at.0 == 0));
        seen.see(Bug { key, actor: actor(access), what: What::Race { now: *access, before: stamp.kind, other } });
    }

    /// Whether two accesses of a thread are those of one work item, or nothing can come between them.
    fn is_apart_in_thread(&self, stamp: &Stamp, channel: u8, access: &Access, at: (usize, u64)) -> bool {
        let mine = channel_of(access);
        // What is loaded once for all channels is loaded for each of them; but loops around atomic operations look again.
        let is_own = |load: AccessKind, other: AccessKind, channels: u32, channel: u8| {
            let only_one = channels & !1_u32.checked_shl(channel.into()).unwrap_or(0) == 0;
            load != AccessKind::Load || other == AccessKind::Atomic || only_one
        };
        let is_one = match (channel, mine) {
            // Those who have stored it themselves load it again.
            (WHOLE, WHOLE) if (stamp.kind, access.kind) == (AccessKind::Store, AccessKind::Load) => {
                self.channels(access) & !stamp.channels == 0
            }
            (WHOLE, WHOLE) if ![stamp.kind, access.kind].contains(&AccessKind::Atomic) => {
                self.channels(access) == stamp.channels
            }
            _ if channel == mine => true,
            (WHOLE, _) => is_own(stamp.kind, access.kind, stamp.channels, mine),
            (_, WHOLE) => is_own(access.kind, stamp.kind, self.channels(access), channel),
            _ => false,
        };
        if is_one {
            return true;
        }
        self.together_is_apart && !self.is_same_message(stamp, access, at)
    }

    /// Whether an earlier channel of the same message stores to the same place.
    fn is_same_message(&self, stamp: &Stamp, access: &Access, at: (usize, u64)) -> bool {
        let message = (access.thread, access.spot.instruction);
        stamp.spot.instruction == access.spot.instruction
            && stamp.kind == AccessKind::Store
            && access.kind == AccessKind::Store
            && self
                .message
                .is_some_and(|(thread, instruction, lane)| (thread, instruction) == message && lane <= access.lane)
            && self.together.iter().any(|&(buffer, place, lane)| (buffer, place) == at && lane < access.lane)
    }
}

/// Two accesses that collide, in words: the later one and the earlier one.
pub(super) fn messages(now: &Access, before: AccessKind, map: &LaunchMap, parameters: &[Parameter]) -> (Trap, Trap) {
    let (what, at) = (deed(now.kind, now.size), place(now, map, parameters));
    let earlier = match before {
        AccessKind::Load => "a load",
        AccessKind::Store => "a store",
        AccessKind::Atomic => "an atomic operation",
    };
    let help = match now.space {
        Space::Local => "a barrier between the two accesses keeps them apart",
        _ => {
            "nothing but atomic operations keeps work items of different groups apart; inside of a group a barrier does"
        }
    };
    let message = format!("{what} at {at} races with {earlier} by another work item");
    let same = format!("the other access, {earlier}, is here");
    (found("check-race", message, help), found("check-race", same, ""))
}
