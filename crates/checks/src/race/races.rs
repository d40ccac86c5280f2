//! State of race detection, and the checks of accesses.

use std::collections::{BTreeSet, HashMap};

use crate::bug::{Bug, Key, Seen, What, actor, place_in_program};
use crate::race::cells::is_harmless;
use crate::race::order::Order;
use crate::race::pages::{Pages, page_of, words_of};
use crate::race::shadow::{ANOTHER, Cell};
use crate::race::stamps::{Deed, Stamp, Stamps, Touch, WHOLE, channel_of, copy_of};
use crate::race::turns::Turns;
use crate::report::Checks;
use visakit_machine::lane::{LANES, MAX_LANES, enabled_lanes};
use visakit_machine::observer::{Access, AccessKind, LaunchMap, Space};
use visakit_machine::told::{Accesses, Places};
use visakit_run::program::Actor;

/// Largest number of racy words that are recorded.
const MOST_RACY: usize = 1 << 16;

/// A load of a work item, or of all work items of a thread, and the bug that it may be.
pub(super) struct Look {
    thread: u32,
    channel: u8,
    at: (usize, u64),
    bug: Bug,
}

/// Largest number of pending loads of a group.
const MOST_LOOKS: usize = 1 << 10;

/// Race-detection state of a launch.
#[derive(Default)]
pub(crate) struct Races {
    /// Enabled checks.
    pub(super) checks: Checks,
    /// True if instructions order the channels of a thread (lockstep).
    pub(super) together_is_apart: bool,
    /// True if a thread stores private data of several channels at once.
    pub(super) blocks: bool,
    /// Sizes in bytes of shared local memory and the buffers; accesses past them are dropped.
    pub(super) sizes: Vec<u64>,
    /// Groups in execution order.
    pub(super) groups: Vec<[u32; 3]>,
    pub(super) stamps: Stamps,
    /// Active channels of each thread.
    pub(super) channels: Vec<u32>,
    /// Shadow memory of words.
    pub(super) words: Pages,
    pub(super) order: Order,
    pub(super) turns: Turns,
    /// Pending loads that conflict with atomic operations of other work items. A load is dropped if
    /// its work item then performs an atomic with a used result at the location: compare-exchange
    /// loops start like this.
    pub(super) looks: Vec<Look>,
    /// Stores of the current instruction of one thread: location and channel.
    pub(super) together: Vec<(usize, u64, u32)>,
    pub(super) message: Option<(u32, u32, u32)>,
    /// Work items that started copies, by group and copy number; and the current group's copies
    /// that are part of a reported race.
    pub(super) copiers: HashMap<(u32, usize), Actor>,
    pub(super) told: BTreeSet<usize>,
    /// Pairs of locations where only the equal value of a store prevents a race.
    pub(crate) equal: Vec<Key>,
    /// Racy words, by buffer.
    pub(crate) racy: BTreeSet<(usize, u64)>,
}

/// Returns the number of the shared memory that an access touches: 0 for shared local memory,
/// buffer number plus 1 for buffers. `None` for private memory and unused loads.
pub(super) fn shared(access: &Access) -> Option<usize> {
    match (access.space, access.buffer) {
        _ if access.unread && access.kind == AccessKind::Load => None,
        (Space::Local, _) => Some(0),
        (Space::Flat | Space::Surface, Some(number)) => Some(number + 1),
        _ => None,
    }
}

impl Races {
    /// Returns the initial state. `needs_local_fences` is true on platforms with separate fences
    /// for shared local memory.
    pub(crate) fn new(checks: Checks, needs_local_fences: bool) -> Self {
        let mut races = Self { checks, ..Self::default() };
        races.stamps.needs_local_fences = needs_local_fences;
        races
    }

    pub(crate) fn launch(&mut self, map: &LaunchMap) {
        self.together_is_apart = map.together;
        self.blocks = map.blocks;
        self.sizes.push(map.local_bytes.into());
        self.sizes.extend(map.buffers.iter().map(|buffer| buffer.bytes));
    }

    pub(crate) fn next_group(&mut self, group: [u32; 3], seen: &mut Seen) {
        self.see_looks(|_| true, seen);
        self.stamps.index = self.groups.len() as u32;
        self.groups.push(group);
        self.told.clear();
        self.order.next_group();
        self.stamps.next_group();
        self.turns.begin();
        self.step();
    }

    /// Reports the pending loads that satisfy `are`.
    pub(crate) fn see_looks(&mut self, are: impl Fn(&Bug) -> bool, seen: &mut Seen) {
        let (bugs, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.looks).into_iter().partition(|look: &Look| are(&look.bug));
        self.looks = others;
        for Look { at, bug, .. } in bugs {
            see(bug, at, &mut self.racy, seen);
        }
    }

    pub(crate) fn barrier(&mut self, seen: &mut Seen) {
        self.see_looks(|_| true, seen);
        self.stamps.next_epoch();
        self.turns.begin();
        self.step();
    }

    pub(crate) fn fence(&mut self, thread: u32, is_local: bool) {
        self.stamps.fence(thread, is_local);
    }

    /// Sets the active channels of a thread at a block.
    pub(crate) fn block(&mut self, thread: u32, channels: u32) {
        self.step();
        let thread = thread as usize;
        if self.channels.len() <= thread {
            self.channels.resize(thread + 1, u32::MAX);
        }
        self.channels[thread] = channels;
    }

    /// Ends the current message.
    pub(super) fn step(&mut self) {
        self.message = None;
        self.together.clear();
    }

    /// Returns the channels on whose behalf an access is made.
    pub(super) fn channels(&self, access: &Access) -> u32 {
        match channel_of(access) {
            WHOLE => self.channels.get(access.thread as usize).copied().unwrap_or(u32::MAX),
            channel => 1_u32.checked_shl(channel.into()).unwrap_or(0),
        }
    }

    pub(crate) fn access(&mut self, access: &Access, seen: &mut Seen) {
        let Some(buffer) = shared(access) else { return };
        if self.sizes.get(buffer).is_none_or(|&bytes| access.offset >= bytes) {
            return;
        }
        if let Some(stamp) = self.stamp(access) {
            let touch = Touch::new(stamp, access);
            for word in words_of(access.offset, access.size) {
                self.word(touch, (buffer, word), access, seen);
            }
        }
        // After the comparison: observing a value does not order the atomic operation after its
        // writer.
        if access.kind == AccessKind::Atomic {
            self.meet(access, buffer);
        }
    }

    /// Processes an atomic operation, which orders later accesses after those before an earlier
    /// atomic on the same location.
    pub(super) fn meet(&mut self, access: &Access, buffer: usize) {
        let (place, learns, channel) = ((buffer, access.offset), !access.unread, channel_of(access));
        if buffer > 0 {
            self.order.meet(place, learns);
        }
        // The compiler may merge the channels' atomic operations into one per thread.
        for channel in enabled_lanes::<MAX_LANES>(self.channels(access)) {
            self.turns.meet(item(access.thread, channel as u8), place, learns);
        }
        let bytes = access.offset..access.offset + u64::from(access.size);
        let is_own = |look: &Look| look.thread == access.thread && [WHOLE, channel].contains(&look.channel);
        let is_there = |look: &Look| look.at.0 == buffer && bytes.contains(&look.at.1);
        self.looks.retain(|look| !(learns && is_own(look) && is_there(look)));
    }

    /// Processes the accesses of a message's channels.
    pub(crate) fn accesses(&mut self, accesses: &Accesses<'_>, seen: &mut Seen) {
        let Some(buffer) = shared(&accesses.first) else { return };
        let Some(stamp) = self.stamp(&accesses.first) else { return };
        let touch = Touch::new(stamp, &accesses.first);
        // Stores in lockstep programs are noted one by one.
        let left = if self.together_is_apart && touch.kind == AccessKind::Store {
            accesses.enabled
        } else {
            self.enter_alone(accesses, touch, buffer)
        };
        for lane in enabled_lanes::<LANES>(left) {
            let access = accesses.of(lane);
            let touch = touch.of(accesses, lane);
            for word in words_of(access.offset, access.size) {
                self.word(touch, (buffer, word), &access, seen);
            }
        }
    }

    /// Enters the accesses to locations that no other work item has touched since the last barrier.
    /// Returns the remaining channels.
    pub(super) fn enter_alone(&mut self, accesses: &Accesses<'_>, first: Touch, buffer: usize) -> u32 {
        match first.kind {
            _ if !accesses.first.size.is_multiple_of(4) => self.enter_bytes(accesses, first, buffer),
            AccessKind::Load => self.enter_words(accesses, first, buffer, Stamps::read_alone),
            _ => self.enter_words(accesses, first, buffer, Stamps::write_alone),
        }
    }

    /// As [`Races::enter_alone`] for whole words; `enter` processes one word.
    #[inline(always)]
    pub(super) fn enter_words(
        &mut self,
        accesses: &Accesses<'_>,
        first: Touch,
        buffer: usize,
        enter: impl Fn(&Stamps, &mut Cell, Touch) -> bool,
    ) -> u32 {
        let (stamps, enabled) = (&self.stamps, accesses.enabled);
        let enter = |cell: &mut Cell, lane: usize| !cell.is_split() && enter(stamps, cell, first.of(accesses, lane));
        let (mut left, mut rest) = (enabled, enabled);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let (number, start) = page_of(accesses.place(lane).1 / 4);
            let page = self.words.page(buffer, number);
            match accesses.places {
                // For a uniform load, the first two readers represent all.
                Places::Row(0) => {
                    let is_alone = enabled_lanes::<LANES>(enabled).take(2).all(|lane| enter(&mut page[start], lane));
                    return if is_alone { 0 } else { enabled };
                }
                Places::Row(4) => {
                    let cells = page[start..].iter_mut().zip(lane..LANES);
                    for (cell, lane) in cells.take(rest.count_ones() as usize) {
                        rest &= !(1 << lane);
                        left &= !(u32::from(enter(cell, lane)) << lane);
                    }
                }
                _ => {
                    for lane in enabled_lanes::<LANES>(rest) {
                        let offset = accesses.place(lane).1;
                        let (other, start) = page_of(offset / 4);
                        if other != number {
                            break;
                        }
                        rest &= !(1 << lane);
                        let cells = page.get_mut(start..start + accesses.first.size as usize / 4);
                        let is_alone = |cells: &mut [Cell]| cells.iter_mut().all(|cell| enter(cell, lane));
                        if offset.is_multiple_of(4) && cells.is_some_and(is_alone) {
                            left &= !(1 << lane);
                        }
                    }
                }
            }
        }
        left
    }

    /// As [`Races::enter_alone`] for bytes.
    pub(super) fn enter_bytes(&mut self, accesses: &Accesses<'_>, first: Touch, buffer: usize) -> u32 {
        let mut left = accesses.enabled;
        for lane in enabled_lanes::<LANES>(left) {
            let offset = accesses.place(lane).1;
            let bytes = offset as usize % 4..offset as usize % 4 + accesses.first.size as usize;
            let cell = self.words.cell((buffer, offset / 4));
            if bytes.end <= 4 {
                cell.split(&self.stamps);
                let touch = first.of(accesses, lane);
                let mut enter = |byte: usize| {
                    let mut changed = cell.byte(byte, &self.stamps);
                    let is_alone = match first.kind {
                        AccessKind::Load => self.stamps.read_alone(&mut changed, touch),
                        _ => self.stamps.write_alone(&mut changed, touch),
                    };
                    cell.set_byte(byte, &changed, &self.stamps);
                    is_alone
                };
                let is_alone = bytes.clone().all(&mut enter);
                left &= !(u32::from(is_alone) << lane);
            }
        }
        left
    }

    /// Processes a word of which an access touches some bytes.
    pub(super) fn word(&mut self, touch: Touch, (buffer, word): (usize, u64), access: &Access, seen: &mut Seen) {
        let cell = self.words.cell((buffer, word));
        let bytes = access.offset..access.offset + u64::from(access.size);
        if !cell.is_split() && bytes.start <= word * 4 && (word + 1) * 4 <= bytes.end {
            let mut changed = *cell;
            self.touch(&mut changed, touch, access, (buffer, word * 4), seen);
            *self.words.cell((buffer, word)) = changed;
            return;
        }
        cell.split(&self.stamps);
        for n in 0..4 {
            let byte = word * 4 + n as u64;
            if bytes.contains(&byte) {
                let mut changed = self.words.cell((buffer, word)).byte(n, &self.stamps);
                self.touch(&mut changed, touch, access, (buffer, byte), seen);
                self.words.cell((buffer, word)).set_byte(n, &changed, &self.stamps);
            }
        }
    }

    /// Returns the stamp number of an access.
    pub(super) fn stamp(&mut self, access: &Access) -> Option<u32> {
        let channels = if channel_of(access) == WHOLE { self.channels(access) } else { 0 };
        let is_atomic = access.kind == AccessKind::Atomic;
        // Other groups cannot access a group's shared local memory.
        let is_local = access.space == Space::Local;
        let clock = if is_local { 0 } else { self.order.clock.number(is_atomic) };
        let times = (clock, self.turns.clock.number(is_atomic));
        self.stamps.number(access, times, channels)
    }

    /// Compares an access with earlier accesses to a location, and enters it.
    pub(super) fn touch(
        &mut self,
        cell: &mut Cell,
        touch: Touch,
        access: &Access,
        at: (usize, u64),
        seen: &mut Seen,
    ) {
        self.stamps.forget(cell, touch);
        if is_harmless(cell, touch) {
            let known = *cell;
            self.remember(&known, touch, access, at);
        } else {
            let before = [(cell.write, 0), (cell.reads[0], 1), (cell.reads[1], 2)];
            for (stamp, n) in before {
                let Some(bug) = self.compare(stamp, cell.channels[n], touch, access, at) else { continue };
                match bug.what {
                    What::Race { before: AccessKind::Atomic, is_fence: false, .. }
                        if access.kind == AccessKind::Load && self.looks.len() < MOST_LOOKS =>
                    {
                        let (thread, channel) = (access.thread, channel_of(access));
                        self.looks.push(Look { thread, channel, at, bug });
                    }
                    _ => {
                        // Reports pending loads of the same bug first, in order of occurrence.
                        self.see_looks(|look| look.is_same(&bug), seen);
                        self.tell(&bug);
                        see(bug, at, &mut self.racy, seen);
                    }
                }
            }
        }
        self.stamps.enter(cell, touch);
        if touch.kind == AccessKind::Store {
            self.note(access, at);
        }
    }

    /// Returns the bug if an access races with an earlier one.
    pub(super) fn compare(
        &self,
        before: u32,
        channel: u8,
        touch: Touch,
        access: &Access,
        at: (usize, u64),
    ) -> Option<Bug> {
        if self.stamps.is_clear(before, channel, touch) {
            return None;
        }
        let Stamp { deed, time } = self.stamps.get(before)?;
        if deed.kind == access.kind && access.kind != AccessKind::Store {
            return None;
        }
        // A barrier lies between the accesses; if they are still unordered, the fence is missing.
        let copies = [copy_of(deed.thread), copy_of(access.thread)];
        let is_later = time.index == self.stamps.index && time.epoch < self.stamps.epoch;
        let is_fence = is_later && copies == [None; 2];
        let apart = if time.index == self.stamps.index {
            is_later && !self.stamps.is_open(before)
                || deed.thread == access.thread && self.is_apart_in_thread(&deed, channel, access, at)
                || time.epoch == self.stamps.epoch && self.is_before(&deed, channel, time.turn, access)
        } else {
            self.order.is_before(time.index, time.clock)
        };
        if apart || !(if is_fence { self.checks.sync } else { self.checks.race }) {
            return None;
        }
        let channel = match channel {
            WHOLE => Some(deed.channels.trailing_zeros()).filter(|&first| first < u32::BITS),
            ANOTHER => None,
            channel => Some(channel.into()),
        };
        let group = self.groups[time.index as usize];
        let other = Actor { spot: deed.spot, group, thread: deed.thread, channel };
        let other = self.who(other, time.index);
        let both = [place_in_program(&deed.spot), place_in_program(&access.spot)];
        let code = if is_fence { "check-fence" } else { "check-race" };
        let key = (code, both, at.0);
        let what = What::Race { now: *access, before: deed.kind, other, is_fence, copies };
        Some(Bug { key, actor: self.who(actor(access), self.stamps.index), what })
    }

    /// Returns true if atomic operations order all work items of an access after those of an
    /// earlier one.
    pub(super) fn is_before(&self, before: &Deed, channel: u8, number: u32, access: &Access) -> bool {
        let all = |channel: u8, channels: u32| match channel {
            WHOLE => channels,
            ANOTHER => u32::MAX,
            channel => 1_u32.checked_shl(channel.into()).unwrap_or(0),
        };
        let items = |thread: u32, channels: u32| {
            enabled_lanes::<MAX_LANES>(channels).map(move |channel| item(thread, channel as u8))
        };
        items(before.thread, all(channel, before.channels)).all(|earlier| {
            let mut now = items(access.thread, self.channels(access));
            now.all(|now| self.turns.is_before(earlier, number, now))
        })
    }

    /// Returns true if two accesses of a thread belong to one work item, or if lockstep execution
    /// orders them.
    pub(super) fn is_apart_in_thread(&self, before: &Deed, channel: u8, access: &Access, at: (usize, u64)) -> bool {
        let mine = channel_of(access);
        // A NoMask access counts for each channel. Its loads conflict with other channels' stores.
        // Exceptions: loops around atomics read again, and a channel that stored the value itself
        // loads it.
        let is_own = |for_all: AccessKind, other: AccessKind, channels: u32, channel: u8| {
            let own = 1_u32.checked_shl(channel.into()).unwrap_or(0);
            let takes_part = match for_all {
                AccessKind::Load => other == AccessKind::Atomic,
                AccessKind::Store => other != AccessKind::Atomic && channels & own != 0,
                AccessKind::Atomic => false,
            };
            takes_part || channels & !own == 0
        };
        let is_one = match (channel, mine) {
            // Work items that all stored the value themselves load it.
            (WHOLE, WHOLE) if (before.kind, access.kind) == (AccessKind::Store, AccessKind::Load) => {
                self.channels(access) & !before.channels == 0
            }
            // Another work item may have loaded the value before or after a change.
            (WHOLE, WHOLE) if (before.kind, access.kind) == (AccessKind::Load, AccessKind::Store) && !self.blocks => {
                (self.channels(access) | before.channels).count_ones() <= 1
            }
            (WHOLE, WHOLE) if ![before.kind, access.kind].contains(&AccessKind::Atomic) => {
                self.channels(access) == before.channels
            }
            (WHOLE, WHOLE) => {
                before.kind == AccessKind::Load || (self.channels(access) | before.channels).count_ones() <= 1
            }
            _ if channel == mine => true,
            (WHOLE, _) => is_own(before.kind, access.kind, before.channels, mine),
            (_, WHOLE) => is_own(access.kind, before.kind, self.channels(access), channel),
            _ => false,
        };
        if is_one {
            return true;
        }
        self.together_is_apart && !self.is_same_message(before, access, at)
    }
}

/// Returns the number of a work item in its group.
pub(super) fn item(thread: u32, channel: u8) -> u32 {
    thread << 8 | u32::from(channel)
}

/// Reports a race at a location.
pub(super) fn see(bug: Bug, at: (usize, u64), racy: &mut BTreeSet<(usize, u64)>, seen: &mut Seen) {
    if racy.len() < MOST_RACY {
        racy.insert((at.0, at.1 / 4));
    }
    seen.see(bug);
}
