//! Accesses of several work items to the same bytes that nothing keeps apart.
//!
//! For each word of memory there is who wrote it last and who read it since, as numbers of stamps. Two accesses of a group
//! are kept apart by a barrier between them. That the channels of one hardware thread go through its instructions together
//! does not count, unless the program relies on it ([`LaunchMap::together`]). Groups are kept apart by nothing but atomic
//! operations on the same place, one before and one after. A store of what is there already harms nobody.
//!
//! The order in which groups and threads happen to run does not matter: an access is compared with the last ones that no
//! barrier came behind, whoever made them.

use std::collections::HashMap;

use crate::check::watcher::{Bug, Seen, What, actor, deed, found, place, place_in_program};
use crate::launch::argument::Parameter;
use crate::machine::fault::Trap;
use crate::machine::lane::{LANES, enabled_lanes};
use crate::machine::observer::{Access, AccessKind, LaunchMap, Space, Spot};
use crate::machine::told::Accesses;
use crate::run::program::Actor;

/// Words of a page.
const PAGE: usize = 1024;
/// Stamps beyond which nothing new is noted: a quarter of a gigabyte.
const MOST_STAMPS: usize = 1 << 22;
/// Instructions whose stamps are at hand.
const RECENT: usize = 16;
/// Places of atomic operations that are told apart.
const MOST_PLACES: usize = 1 << 12;

/// An instruction in a thread, between two barriers.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    group: [u32; 3],
    /// Number of the group.
    index: u32,
    /// Barriers that its group had come to.
    epoch: u32,
    /// Atomic operations on memory of all groups that its group had done.
    clock: u32,
    thread: u32,
    spot: Spot,
    kind: AccessKind,
    /// The channels for whom it is done.
    channels: u32,
}

/// Who touched some bytes: stamps, or 0 for nobody, and the channels.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: u32,
    /// Two different readers, so that any writer has one that is not itself; or atomic operations behind a store.
    reads: [u32; 2],
    channels: [u8; 3],
    /// Whether its bytes have cells of their own.
    split: bool,
}

type Page = Box<[Cell; PAGE]>;

/// A thread, an instruction of it and what that does.
type Key = (u32, u32, u8);

/// Pages by buffer; the first is shared local memory.
#[derive(Default)]
struct Pages(Vec<Vec<Option<Page>>>);

impl Pages {
    fn page(&mut self, buffer: usize, page: usize) -> &mut Option<Page> {
        if self.0.len() <= buffer {
            self.0.resize_with(buffer + 1, Vec::new);
        }
        let pages = &mut self.0[buffer];
        if pages.len() <= page {
            pages.resize_with(page + 1, || None);
        }
        &mut pages[page]
    }

    /// A page, which has to be put back.
    fn take(&mut self, buffer: usize, page: usize) -> Page {
        self.page(buffer, page).take().unwrap_or_else(|| Box::new([Cell::default(); PAGE]))
    }

    fn put(&mut self, buffer: usize, page: usize, cells: Page) {
        *self.page(buffer, page) = Some(cells);
    }

    fn cell(&mut self, (buffer, index): (usize, u64)) -> Option<&mut Cell> {
        let (page, at) = page_of(index)?;
        Some(&mut self.page(buffer, page).get_or_insert_with(|| Box::new([Cell::default(); PAGE]))[at])
    }
}

/// The page of a cell and its place there.
fn page_of(index: u64) -> Option<(usize, usize)> {
    Some((usize::try_from(index / PAGE as u64).ok()?, (index % PAGE as u64) as usize))
}

/// What there is to know of an access to compare it with others.
#[derive(Clone, Copy)]
struct Touch {
    stamp: u32,
    thread: u32,
    channel: u8,
    kind: AccessKind,
    changes: bool,
    is_local: bool,
}

impl Touch {
    fn new(stamp: u32, access: &Access) -> Self {
        let Access { thread, kind, changes, space, .. } = *access;
        Self { stamp, thread, channel: channel_of(access), kind, changes, is_local: space == Space::Local }
    }
}

/// What was touched in a launch so far.
#[derive(Default)]
pub(super) struct Races {
    /// Whether channels of a thread are kept apart by its instructions.
    together_is_apart: bool,
    index: u32,
    epoch: u32,
    stamps: Vec<Stamp>,
    /// The enabled channels of each thread.
    channels: Vec<u32>,
    /// Stamps of the present group since its last barrier: by thread, instruction and kind.
    known: HashMap<Key, u32>,
    /// The last ones of these.
    last: [Option<(Key, u32)>; RECENT],
    /// The first stamps of the present group and behind its last barrier.
    group_first: u32,
    epoch_first: u32,
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

/// How atomic operations keep groups apart.
#[derive(Default)]
struct Order {
    /// Atomic operations of each group.
    clocks: Vec<u32>,
    /// The groups whose operations on a place came before, as bits.
    places: HashMap<(usize, u64), Vec<u64>>,
    /// Those that the present group comes after.
    before: Vec<u64>,
}

impl Order {
    fn next_group(&mut self) {
        self.before.clear();
        self.clocks.push(0);
    }

    /// The present group does an atomic operation on a place.
    fn meet(&mut self, place: (usize, u64)) {
        let place = if self.places.len() < MOST_PLACES || self.places.contains_key(&place) { place } else { (0, 0) };
        let others = self.places.entry(place).or_default();
        let words = self.clocks.len().div_ceil(64);
        others.resize(words, 0);
        self.before.resize(words, 0);
        for (other, own) in others.iter_mut().zip(&mut self.before) {
            *own |= *other;
            *other = *own;
        }
        let own = self.clocks.len() - 1;
        others[own / 64] |= 1 << (own % 64);
        self.clocks[own] += 1;
    }

    /// Whether what another group had done by then comes before what the present one does now.
    fn is_before(&self, index: u32, clock: u32) -> bool {
        let (word, bit) = (index as usize / 64, index % 64);
        self.before.get(word).is_some_and(|before| before >> bit & 1 == 1)
            && self.clocks.get(index as usize).is_some_and(|&last| clock < last)
    }
}

/// The channel of an access of a whole thread.
const WHOLE: u8 = u8::MAX;

/// The number of the memory that others have as well, if it is such: 0 for shared local memory. What nothing looks at is nowhere.
fn shared(access: &Access) -> Option<usize> {
    match (access.space, access.buffer) {
        _ if access.unread => None,
        (Space::Local, _) => Some(0),
        (Space::Flat | Space::Surface, Some(number)) => Some(number + 1),
        _ => None,
    }
}

/// The words that an access has bytes of.
#[inline(always)]
fn words_of(offset: u64, size: u32) -> std::ops::RangeInclusive<u64> {
    offset / 4..=(offset + u64::from(size).max(1) - 1) / 4
}

/// Whether an access stores what is there; the zeros of shared local memory that nobody has written stand for anything.
#[inline(always)]
fn is_harmless(cell: &Cell, touch: Touch) -> bool {
    touch.kind == AccessKind::Store && !touch.changes && !(touch.is_local && cell.write == 0)
}

fn channel_of(access: &Access) -> u8 {
    if access.spot.no_mask { WHOLE } else { (access.lane + access.spot.first_channel) as u8 }
}

impl Races {
    pub(super) fn launch(&mut self, map: &LaunchMap) {
        self.together_is_apart = map.together;
    }

    pub(super) fn next_group(&mut self) {
        self.index += u32::from(!self.order.clocks.is_empty());
        self.order.next_group();
        self.next_epoch();
        self.epoch = 0;
        // Each group has shared local memory of its own: stamps of earlier ones are nobody's there.
        self.group_first = self.epoch_first;
    }

    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
        self.next_epoch();
    }

    fn next_epoch(&mut self) {
        self.known.clear();
        self.last = [None; RECENT];
        self.epoch_first = self.stamps.len() as u32 + 1;
        self.step();
    }

    /// A thread goes on with these channels.
    pub(super) fn block(&mut self, thread: u32, channels: u32) {
        self.step();
        let thread = thread as usize;
        if self.channels.len() <= thread {
            self.channels.resize(thread + 1, u32::MAX);
        }
        if std::mem::replace(&mut self.channels[thread], channels) != channels {
            self.last = [None; RECENT];
        }
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
            let Some(cell) = self.words.cell((buffer, word)) else { return };
            let mut changed = *cell;
            self.word(&mut changed, touch, (buffer, word), access, seen);
            if let Some(cell) = self.words.cell((buffer, word)) {
                *cell = changed;
            }
        }
    }

    /// The same for the channels of a message.
    pub(super) fn accesses(&mut self, accesses: &Accesses<'_>, seen: &mut Seen) {
        let Some(buffer) = shared(&accesses.first) else { return };
        let Some(stamp) = self.stamp(&accesses.first) else { return };
        let first = Touch::new(stamp, &accesses.first);
        let size = accesses.first.size;
        let mut held: Option<(usize, Page)> = None;
        for lane in enabled_lanes::<LANES>(accesses.enabled) {
            let changes = accesses.changes >> lane & 1 == 1;
            let channel = if first.channel == WHOLE {
                WHOLE
            } else {
                (accesses.first_lane + lane as u32 + accesses.first.spot.first_channel) as u8
            };
            let touch = Touch { channel, changes, ..first };
            let offset = u64::from(accesses.offsets[lane]);
            for word in words_of(offset, size) {
                let Some((number, at)) = page_of(word) else { continue };
                let mut page = match held.take() {
                    Some((other, page)) if other == number => page,
                    other => {
                        other.into_iter().for_each(|(other, page)| self.words.put(buffer, other, page));
                        self.words.take(buffer, number)
                    }
                };
                let cell = &mut page[at];
                let is_whole = offset <= word * 4 && (word + 1) * 4 <= offset + u64::from(size);
                if !(is_whole && !cell.split && self.touch_alone(cell, touch)) {
                    self.word(cell, touch, (buffer, word), &accesses.of(lane), seen);
                } else if self.together_is_apart && touch.kind == AccessKind::Store {
                    self.note(&accesses.of(lane), (buffer, word * 4));
                }
                held = Some((number, page));
            }
        }
        held.into_iter().for_each(|(number, page)| self.words.put(buffer, number, page));
    }

    /// A word of which an access has some bytes.
    fn word(&mut self, cell: &mut Cell, touch: Touch, at: (usize, u64), access: &Access, seen: &mut Seen) {
        let (buffer, word) = at;
        let bytes = access.offset..access.offset + u64::from(access.size);
        if !cell.split && bytes.start <= word * 4 && (word + 1) * 4 <= bytes.end {
            self.touch(cell, touch, access, (buffer, word * 4), seen);
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
        let key = (access.thread, access.spot.instruction, access.kind as u8);
        let recent = access.spot.instruction as usize % RECENT;
        if let Some((last, stamp)) = self.last[recent]
            && last == key
            && access.kind != AccessKind::Atomic
        {
            return Some(stamp);
        }
        let clock = self.order.clocks.last().copied().unwrap_or(0);
        let whole = channel_of(access) == WHOLE;
        let channels = if whole { self.channels(access) } else { 0 };
        if let Some(&stamp) = self.known.get(&key)
            && (self.stamps[stamp as usize - 1].clock, self.stamps[stamp as usize - 1].channels) == (clock, channels)
        {
            self.last[recent] = Some((key, stamp));
            return Some(stamp);
        }
        if self.stamps.len() >= MOST_STAMPS {
            return None;
        }
        let (index, epoch) = (self.index, self.epoch);
        let Access { group, thread, spot, kind, .. } = *access;
        self.stamps.push(Stamp { group, index, epoch, clock, thread, spot, kind, channels });
        let stamp = self.stamps.len() as u32;
        self.known.insert(key, stamp);
        self.last[recent] = Some((key, stamp));
        Some(stamp)
    }

    /// Compares an access with what was done to a place, and takes note of it.
    fn touch(&mut self, cell: &mut Cell, touch: Touch, access: &Access, at: (usize, u64), seen: &mut Seen) {
        self.forget(cell, touch);
        if !is_harmless(cell, touch) {
            self.compare(cell.write, cell.channels[0], touch, access, at, seen);
            for n in 0..2 {
                self.compare(cell.reads[n], cell.channels[1 + n], touch, access, at, seen);
            }
        }
        self.enter(cell, touch);
        if touch.kind == AccessKind::Store {
            self.note(access, at);
        }
    }

    /// The same where no other work item has touched the place since the last barrier; else nothing is done.
    #[inline(always)]
    fn touch_alone(&self, cell: &mut Cell, touch: Touch) -> bool {
        self.forget(cell, touch);
        let is_alone = is_harmless(cell, touch)
            || self.is_clear(cell.write, cell.channels[0], touch)
                && (touch.kind == AccessKind::Load
                    || (0..2).all(|n| self.is_clear(cell.reads[n], cell.channels[1 + n], touch)));
        // Behind a store there may be atomic operations among the readers.
        if is_alone && (touch.kind != AccessKind::Load || cell.write < self.epoch_first) {
            self.enter(cell, touch);
            return true;
        }
        false
    }

    /// Takes away what earlier groups did to shared local memory of theirs.
    #[inline(always)]
    fn forget(&self, cell: &mut Cell, touch: Touch) {
        if touch.is_local && cell.write.max(cell.reads[0]).max(cell.reads[1]) < self.group_first {
            (cell.write, cell.reads) = (0, [0; 2]);
        }
    }

    /// Enters an access.
    #[inline(always)]
    fn enter(&self, cell: &mut Cell, touch: Touch) {
        let writes = match touch.kind {
            AccessKind::Load => false,
            AccessKind::Store => true,
            // A store is not forgotten for it: the atomic operations of others collide with that.
            AccessKind::Atomic => !self.is_recent_store(cell.write),
        };
        if writes {
            if !is_harmless(cell, touch) || cell.write == 0 {
                (cell.write, cell.channels[0]) = (touch.stamp, touch.channel);
                cell.reads = [0; 2];
            }
            return;
        }
        // The place of somebody who has none yet, of oneself, or of one that a barrier came behind.
        let free = (0..2).find(|&n| self.is_own(cell.reads[n], cell.channels[1 + n], touch));
        if let Some(n) = free {
            (cell.reads[n], cell.channels[1 + n]) = (touch.stamp, touch.channel);
        }
    }

    /// Whether a stamp is nobody's, that of the same work item since the last barrier, or one that a barrier came behind.
    #[inline(always)]
    fn is_own(&self, stamp: u32, channel: u8, touch: Touch) -> bool {
        if stamp == 0 || self.is_past(stamp) {
            return true;
        }
        stamp >= self.epoch_first
            && channel == touch.channel
            && (stamp == touch.stamp || self.stamps[stamp as usize - 1].thread == touch.thread)
    }

    /// The same, where an access for a whole thread is not compared with another one by its channels.
    #[inline(always)]
    fn is_clear(&self, stamp: u32, channel: u8, touch: Touch) -> bool {
        self.is_own(stamp, channel, touch)
            && (touch.channel != WHOLE || stamp < self.epoch_first || stamp == touch.stamp)
    }

    /// Whether a barrier came behind a stamp of the present group.
    #[inline(always)]
    fn is_past(&self, stamp: u32) -> bool {
        (self.group_first..self.epoch_first).contains(&stamp)
    }

    /// Whether a stamp is that of a store of the present group that no barrier came behind.
    fn is_recent_store(&self, stamp: u32) -> bool {
        stamp >= self.epoch_first && self.stamps[stamp as usize - 1].kind == AccessKind::Store
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
        if self.is_clear(before, channel, touch) {
            return;
        }
        let Some(stamp) = before.checked_sub(1).and_then(|n| self.stamps.get(n as usize)) else { return };
        if stamp.kind == access.kind && access.kind != AccessKind::Store {
            return;
        }
        let apart = match (stamp.index == self.index, stamp.thread == access.thread) {
            (true, true) => stamp.epoch < self.epoch || self.is_apart_in_thread(stamp, channel, access, at),
            (true, false) => stamp.epoch < self.epoch,
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
