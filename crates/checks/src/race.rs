//! Accesses of several work items to the same bytes that nothing keeps apart.
//!
//! For each word of memory there is who wrote it last and who read it since, as numbers of stamps.
//! Two accesses of a group are kept apart by a barrier between them. That the channels of one
//! hardware thread go through its instructions together does not count, unless the program relies
//! on it ([`LaunchMap::together`]). Groups are kept apart by nothing but atomic operations on the
//! same place, one before and one after, and these keep work items of a group apart as well. A
//! store of what is there already harms nobody.
//!
//! A barrier waits for threads, a fence in front of it for what they stored: without one, a store
//! behind which there is a barrier is not done yet for other threads.
//!
//! The order in which groups and threads happen to run does not matter: an access is compared with
//! the last ones that no barrier came behind, whoever made them.

mod equal;
mod group;
mod message;
mod order;
mod pages;
mod shadow;
mod stamps;
mod turns;
mod words;

use std::collections::{BTreeSet, HashMap};

use crate::Checks;
use crate::watcher::{Bug, Key, Seen, What, actor, place_in_program};
pub(super) use equal::is_hidden;
use group::copy_of;
use order::Order;
use pages::{Pages, page_of, words_of};
use shadow::{ANOTHER, Cell};
use stamps::{Deed, Stamp, Stamps, Touch, WHOLE, channel_of, is_harmless};
use turns::Turns;
use visakit_machine::lane::{LANES, MAX_LANES, enabled_lanes};
use visakit_machine::observer::{Access, AccessKind, LaunchMap, Space};
use visakit_machine::told::{Accesses, Places};
use visakit_run::program::Actor;
pub(super) use words::messages;

/// Words of races that are remembered.
const MOST_RACY: usize = 1 << 16;

/// A load of a work item, or of all of a thread, and the bug that it is.
struct Look {
    thread: u32,
    channel: u8,
    at: (usize, u64),
    bug: Bug,
}

/// Loads of a group that may be of such loops.
const MOST_LOOKS: usize = 1 << 10;

/// What was touched in a launch so far.
#[derive(Default)]
pub(super) struct Races {
    /// What is looked for.
    checks: Checks,
    /// Whether channels of a thread are kept apart by its instructions.
    together_is_apart: bool,
    /// Whether a thread stores for its channels what each of them has for itself.
    blocks: bool,
    /// Bytes of shared local memory and of buffers. What is outside is lost.
    sizes: Vec<u64>,
    /// The groups in their order.
    groups: Vec<[u32; 3]>,
    stamps: Stamps,
    /// The enabled channels of each thread.
    channels: Vec<u32>,
    /// Cells of words.
    words: Pages,
    order: Order,
    turns: Turns,
    /// Loads that collide with atomic operations of others, unless their work items do one there
    /// themselves that tells them more: so begin loops that compare and exchange.
    looks: Vec<Look>,
    /// The accesses of the present instruction of one thread: place, channel, and whether it stores
    /// something else than what is there.
    together: Vec<(usize, u64, u32)>,
    message: Option<(u32, u32, u32)>,
    /// The work items that began copies, by group and number; and the copies of the present group
    /// that races are about.
    copiers: HashMap<(u32, usize), Actor>,
    told: BTreeSet<usize>,
    /// Pairs of places where a store of an equal value would race otherwise.
    pub(super) equal: Vec<Key>,
    /// The words that races are about, by buffer.
    pub(super) racy: BTreeSet<(usize, u64)>,
}

/// The number of the memory that others have as well, if it is such: 0 for shared local memory.
/// What nothing looks at is nowhere.
fn shared(access: &Access) -> Option<usize> {
    match (access.space, access.buffer) {
        _ if access.unread && access.kind == AccessKind::Load => None,
        (Space::Local, _) => Some(0),
        (Space::Flat | Space::Surface, Some(number)) => Some(number + 1),
        _ => None,
    }
}

impl Races {
    /// On platforms that tell shared local memory apart, it has fences of its own.
    pub(super) fn new(checks: Checks, needs_local_fences: bool) -> Self {
        let mut races = Self { checks, ..Self::default() };
        races.stamps.needs_local_fences = needs_local_fences;
        races
    }

    pub(super) fn launch(&mut self, map: &LaunchMap) {
        self.together_is_apart = map.together;
        self.blocks = map.blocks;
        self.sizes.push(map.local_bytes.into());
        self.sizes.extend(map.buffers.iter().map(|buffer| buffer.bytes));
    }

    pub(super) fn next_group(&mut self, group: [u32; 3], seen: &mut Seen) {
        self.see_looks(|_| true, seen);
        self.stamps.index = self.groups.len() as u32;
        self.groups.push(group);
        self.told.clear();
        self.order.next_group();
        self.stamps.next_group();
        self.turns.begin();
        self.step();
    }

    /// Some loads are what they seem to be.
    pub(super) fn see_looks(&mut self, are: impl Fn(&Bug) -> bool, seen: &mut Seen) {
        let (bugs, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.looks).into_iter().partition(|look: &Look| are(&look.bug));
        self.looks = others;
        for Look { at, bug, .. } in bugs {
            see(bug, at, &mut self.racy, seen);
        }
    }

    pub(super) fn barrier(&mut self, seen: &mut Seen) {
        self.see_looks(|_| true, seen);
        self.stamps.next_epoch();
        self.turns.begin();
        self.step();
    }

    pub(super) fn fence(&mut self, thread: u32, is_local: bool) {
        self.stamps.fence(thread, is_local);
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
        if self.sizes.get(buffer).is_none_or(|&bytes| access.offset >= bytes) {
            return;
        }
        if let Some(stamp) = self.stamp(access) {
            let touch = Touch::new(stamp, access);
            for word in words_of(access.offset, access.size) {
                self.word(touch, (buffer, word), access, seen);
            }
        }
        // Behind that: an atomic operation does not come after what it finds by finding it.
        if access.kind == AccessKind::Atomic {
            self.meet(access, buffer);
        }
    }

    /// An atomic operation keeps what comes before it apart from what comes behind another one on
    /// the same place.
    fn meet(&mut self, access: &Access, buffer: usize) {
        let (place, learns, channel) = ((buffer, access.offset), !access.unread, channel_of(access));
        if buffer > 0 {
            self.order.meet(place, learns);
        }
        // The compiler has a thread do once what its channels do one after the other.
        for channel in enabled_lanes::<MAX_LANES>(self.channels(access)) {
            self.turns.meet(item(access.thread, channel as u8), place, learns);
        }
        let bytes = access.offset..access.offset + u64::from(access.size);
        let is_own = |look: &Look| look.thread == access.thread && [WHOLE, channel].contains(&look.channel);
        let is_there = |look: &Look| look.at.0 == buffer && bytes.contains(&look.at.1);
        self.looks.retain(|look| !(learns && is_own(look) && is_there(look)));
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
            let touch = touch.of(accesses, lane);
            for word in words_of(access.offset, access.size) {
                self.word(touch, (buffer, word), &access, seen);
            }
        }
    }

    /// Enters the accesses to places that no other work item has touched since the last barrier,
    /// and gives the channels of the others.
    fn enter_alone(&mut self, accesses: &Accesses<'_>, first: Touch, buffer: usize) -> u32 {
        match first.kind {
            _ if !accesses.first.size.is_multiple_of(4) => self.enter_bytes(accesses, first, buffer),
            AccessKind::Load => self.enter_words(accesses, first, buffer, Stamps::read_alone),
            _ => self.enter_words(accesses, first, buffer, Stamps::write_alone),
        }
    }

    /// The same for whole words, with a function that enters one.
    #[inline(always)]
    fn enter_words(
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
                // The first two of those who read the same stand for all.
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

    /// The same for bytes.
    fn enter_bytes(&mut self, accesses: &Accesses<'_>, first: Touch, buffer: usize) -> u32 {
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

    /// A word of which an access has some bytes.
    fn word(&mut self, touch: Touch, (buffer, word): (usize, u64), access: &Access, seen: &mut Seen) {
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

    /// The number of the stamp of an access.
    fn stamp(&mut self, access: &Access) -> Option<u32> {
        let channels = if channel_of(access) == WHOLE { self.channels(access) } else { 0 };
        let is_atomic = access.kind == AccessKind::Atomic;
        // Nobody else has a group's shared local memory.
        let is_local = access.space == Space::Local;
        let clock = if is_local { 0 } else { self.order.clock.number(is_atomic) };
        let times = (clock, self.turns.clock.number(is_atomic));
        self.stamps.number(access, times, channels)
    }

    /// Compares an access with what was done to a place, and takes note of it.
    fn touch(&mut self, cell: &mut Cell, touch: Touch, access: &Access, at: (usize, u64), seen: &mut Seen) {
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
                        // Whoever came first is told first.
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

    /// The bug, if an access races with an earlier one.
    fn compare(&self, before: u32, channel: u8, touch: Touch, access: &Access, at: (usize, u64)) -> Option<Bug> {
        if self.stamps.is_clear(before, channel, touch) {
            return None;
        }
        let Stamp { deed, time } = self.stamps.get(before)?;
        if deed.kind == access.kind && access.kind != AccessKind::Store {
            return None;
        }
        // A barrier came between: if they are not apart then, it is the fence that is missing.
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

    /// Whether the work items that an access is done for come after those of an earlier one by
    /// atomic operations.
    fn is_before(&self, before: &Deed, channel: u8, number: u32, access: &Access) -> bool {
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

    /// Whether two accesses of a thread are those of one work item, or nothing can come between
    /// them.
    fn is_apart_in_thread(&self, before: &Deed, channel: u8, access: &Access, at: (usize, u64)) -> bool {
        let mine = channel_of(access);
        // What is done once for all channels is done for each of them: what one loads collides with
        // what another one stores, but loops around atomic operations look again, and those who
        // store one value find it.
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
            // Those who have stored it themselves load it again.
            (WHOLE, WHOLE) if (before.kind, access.kind) == (AccessKind::Store, AccessKind::Load) => {
                self.channels(access) & !before.channels == 0
            }
            // What one of them changes, another one may have loaded before or behind that.
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

/// The number of a work item in its group.
fn item(thread: u32, channel: u8) -> u32 {
    thread << 8 | u32::from(channel)
}

/// Takes note of a race at a place.
fn see(bug: Bug, at: (usize, u64), racy: &mut BTreeSet<(usize, u64)>, seen: &mut Seen) {
    if racy.len() < MOST_RACY {
        racy.insert((at.0, at.1 / 4));
    }
    seen.see(bug);
}
