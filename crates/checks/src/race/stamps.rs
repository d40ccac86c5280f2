//! Numbers for what threads do between two barriers, and which of them nothing has to be compared
//! with.

use std::collections::HashMap;

use crate::race::group::copy_of;
use crate::race::shadow::{Cell, STAMP_BITS};
use visakit_machine::observer::{Access, AccessKind, Space, Spot};
use visakit_machine::told::Accesses;

/// Stamps beyond which nothing new is noted: 64 MiB.
const MOST_STAMPS: usize = (1 << STAMP_BITS) - 1;
/// Stamps that are at hand.
const RECENT: usize = 1 << 10;
/// Stores without a fence that are remembered, the last ones.
const MOST_OPEN: usize = 1 << 12;
/// The channel of an access of a whole thread.
pub(super) const WHOLE: u8 = u8::MAX;

/// An instruction in a thread, between two barriers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub deed: Deed,
    pub time: Time,
}

/// What an instruction in a thread does, whatever the group and the barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Deed {
    pub thread: u32,
    pub spot: Spot,
    pub kind: AccessKind,
    /// The channels for whom it is done.
    pub channels: u32,
    /// Whether it is done to shared local memory.
    is_local: bool,
}

/// What goes on in a group between two barriers, until it does atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    /// Number of the group.
    pub index: u32,
    /// Barriers that its group had come to.
    pub epoch: u32,
    /// The numbers of [`Clock`](super::turns::Clock) for other groups, and inside of the group.
    pub clock: u32,
    pub turn: u32,
}

/// What there is to know of an access to compare it with others.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    pub stamp: u32,
    pub thread: u32,
    pub channel: u8,
    pub kind: AccessKind,
    pub changes: bool,
    pub is_local: bool,
}

impl Touch {
    pub(super) fn new(stamp: u32, access: &Access) -> Self {
        let Access { thread, kind, changes, space, .. } = *access;
        Self { stamp, thread, channel: channel_of(access), kind, changes, is_local: space == Space::Local }
    }

    /// That of another channel of the same message.
    #[inline(always)]
    pub(super) fn of(self, accesses: &Accesses<'_>, lane: usize) -> Self {
        let channel = accesses.first_lane + accesses.first.spot.first_channel + lane as u32;
        let channel = if self.channel == WHOLE { WHOLE } else { channel as u8 };
        Self { channel, changes: accesses.changes >> lane & 1 == 1, ..self }
    }
}

/// The channel of an access.
pub(super) fn channel_of(access: &Access) -> u8 {
    if access.spot.no_mask { WHOLE } else { (access.lane + access.spot.first_channel) as u8 }
}

/// Whether an access stores what is there; the zeros of shared local memory that nobody has written
/// stand for anything.
#[inline(always)]
pub(super) fn is_harmless(cell: &Cell, touch: Touch) -> bool {
    touch.kind == AccessKind::Store && !touch.changes && !(touch.is_local && cell.write == 0)
}

/// The stamps of a launch.
#[derive(Default)]
pub(super) struct Stamps {
    /// Each as the number of its deed: there are few of these, and as many stamps as there is
    /// memory.
    all: Vec<u32>,
    deeds: Vec<Deed>,
    numbers: HashMap<Deed, u32>,
    /// The times, each with its first stamp.
    times: Vec<(u32, Time)>,
    /// The present group and the barriers that it has come to.
    pub index: u32,
    pub epoch: u32,
    /// The first stamps of the present group and behind its last barrier.
    group_first: u32,
    epoch_first: u32,
    /// How many stamps there were at the last fence of each thread of the present group: for memory
    /// of all groups, and for shared local memory.
    fences: Vec<[u32; 2]>,
    /// Whether shared local memory needs fences.
    pub needs_local_fences: bool,
    /// Stores of the present group that a barrier came behind, but no fence in front of that; in
    /// their order.
    open: Vec<u32>,
    /// The threads that stand for group copies of the present group that were waited for.
    done: Vec<u32>,
    /// Those of the stamps that were asked for last, by a number that is made of their thread and
    /// instruction.
    recent: Vec<u32>,
    /// Those that others have displaced there.
    displaced: HashMap<(u32, u32, AccessKind), u32>,
}

impl Stamps {
    /// What comes is behind a barrier.
    pub(super) fn next_epoch(&mut self) {
        let is_open = |number: &u32| {
            let Some(deed) = self.deed(*number) else { return false };
            if copy_of(deed.thread).is_some() {
                return !self.done.contains(&deed.thread);
            }
            deed.kind == AccessKind::Store
                && (self.needs_local_fences || !deed.is_local)
                && *number > self.fenced(deed)
        };
        let numbers = self.open.iter().copied().chain(self.epoch_first..=self.all.len() as u32);
        let mut open: Vec<u32> = numbers.filter(is_open).collect();
        open.drain(..open.len().saturating_sub(MOST_OPEN));
        self.open = open;
        self.epoch += 1;
        self.begin_epoch();
    }

    fn begin_epoch(&mut self) {
        self.displaced.clear();
        self.epoch_first = self.all.len() as u32 + 1;
    }

    /// What comes is of the next group, and the first one of it: each group has shared local memory
    /// of its own, where stamps of earlier ones are nobody's.
    pub(super) fn next_group(&mut self) {
        self.begin_epoch();
        self.epoch = 0;
        self.group_first = self.epoch_first;
        self.fences.clear();
        self.open.clear();
        self.done.clear();
    }

    /// Has whatever comes from now on come behind the accesses of a group copy, by its thread.
    pub(super) fn end_copy(&mut self, thread: u32) {
        self.done.push(thread);
        let open = std::mem::take(&mut self.open);
        self.open = open.into_iter().filter(|number| !self.is_done(*number)).collect();
    }

    /// Returns `true` for a stamp of a group copy of the present group that was waited for.
    #[inline(always)]
    fn is_done(&self, stamp: u32) -> bool {
        !self.done.is_empty()
            && stamp >= self.group_first
            && self.deed(stamp).is_some_and(|deed| self.done.contains(&deed.thread))
    }

    /// A thread comes to a fence.
    pub(super) fn fence(&mut self, thread: u32, is_local: bool) {
        let thread = thread as usize;
        if self.fences.len() <= thread {
            self.fences.resize(thread + 1, [0; 2]);
        }
        self.fences[thread][usize::from(is_local)] = self.all.len() as u32;
    }

    /// The last stamp that a fence of the thread came behind, of memory of the same kind.
    fn fenced(&self, deed: &Deed) -> u32 {
        self.fences.get(deed.thread as usize).map_or(0, |fences| fences[usize::from(deed.is_local)])
    }

    /// Whether a stamp is that of a store of the present group behind which there was a barrier,
    /// but no fence in between.
    #[inline(always)]
    pub(super) fn is_open(&self, stamp: u32) -> bool {
        !self.open.is_empty() && self.open.binary_search(&stamp).is_ok()
    }

    /// The stamp of a number.
    pub(super) fn get(&self, number: u32) -> Option<Stamp> {
        Some(Stamp { deed: *self.deed(number)?, time: self.time(number)? })
    }

    /// When it is.
    fn time(&self, number: u32) -> Option<Time> {
        let last = self.times.last().filter(|(first, _)| *first <= number);
        let of_earlier = || self.times.get(self.times.partition_point(|(first, _)| *first <= number).checked_sub(1)?);
        last.or_else(of_earlier).map(|(_, time)| *time)
    }

    /// What it is done by.
    #[inline(always)]
    fn deed(&self, number: u32) -> Option<&Deed> {
        let &deed = self.all.get(number.checked_sub(1)? as usize)?;
        self.deeds.get(deed as usize)
    }

    /// Whether it is one of such accesses.
    #[inline(always)]
    pub(super) fn is(&self, number: u32, kind: AccessKind) -> bool {
        self.deed(number).is_some_and(|deed| deed.kind == kind)
    }

    /// The number of the stamp of an access that is done for these channels at a time of the
    /// present group.
    pub(super) fn number(&mut self, access: &Access, (clock, turn): (u32, u32), channels: u32) -> Option<u32> {
        let Access { thread, spot, kind, .. } = *access;
        let deed = Deed { thread, spot, kind, channels, is_local: access.space == Space::Local };
        let time = Time { index: self.index, epoch: self.epoch, clock, turn };
        let first = self.epoch_first.max(self.fenced(&deed) + 1);
        self.recent.resize(RECENT, 0);
        let place = (thread * 67 + spot.instruction * 3 + kind as u32) as usize % RECENT;
        let last = self.recent[place];
        let is_now = |number: u32| number >= first && self.time(number) == Some(time);
        let known = self.deed(last).copied();
        if known == Some(deed) && is_now(last) {
            return Some(last);
        }
        let key = |deed: &Deed| (deed.thread, deed.spot.instruction, deed.kind);
        let is_same = |number: &u32| self.deed(*number) == Some(&deed) && is_now(*number);
        let displaced = self.displaced.get(&key(&deed)).copied().filter(is_same);
        if last >= self.epoch_first
            && let Some(known) = known
        {
            self.displaced.insert(key(&known), last);
        }
        if let Some(number) = displaced {
            self.recent[place] = number;
            return Some(number);
        }
        if self.all.len() >= MOST_STAMPS {
            return None;
        }
        let deed = if known == Some(deed) { self.all[last as usize - 1] } else { self.intern(deed) };
        self.all.push(deed);
        let number = self.all.len() as u32;
        if self.times.last().is_none_or(|(_, last)| *last != time) {
            self.times.push((number, time));
        }
        self.recent[place] = number;
        Some(number)
    }

    /// The number of a deed.
    fn intern(&mut self, deed: Deed) -> u32 {
        let next = self.deeds.len() as u32;
        let number = *self.numbers.entry(deed).or_insert(next);
        if number == next {
            self.deeds.push(deed);
        }
        number
    }

    /// Takes away what earlier groups did to shared local memory of theirs.
    #[inline(always)]
    pub(super) fn forget(&self, cell: &mut Cell, touch: Touch) {
        if touch.is_local && cell.write.max(cell.reads[0]).max(cell.reads[1]) < self.group_first {
            (cell.write, cell.reads) = (0, [0; 2]);
        }
    }

    /// Enters a load where nobody has stored since the last barrier; else nothing is done.
    #[inline(always)]
    pub(super) fn read_alone(&self, cell: &mut Cell, touch: Touch) -> bool {
        self.forget(cell, touch);
        let is_alone = cell.write == 0 || self.is_past(cell.write);
        if is_alone && (cell.reads[0], cell.channels[1]) != (touch.stamp, touch.channel) {
            self.enter_read(cell, touch);
        }
        is_alone
    }

    /// Enters another access where no other work item has touched the place since the last barrier;
    /// else nothing is done.
    #[inline(always)]
    pub(super) fn write_alone(&self, cell: &mut Cell, touch: Touch) -> bool {
        self.forget(cell, touch);
        let is_alone = self.is_clear(cell.write, cell.channels[0], touch)
            && (0..2).all(|n| self.is_clear(cell.reads[n], cell.channels[1 + n], touch));
        if is_alone {
            self.enter(cell, touch);
        }
        is_alone
    }

    /// Enters an access.
    #[inline(always)]
    pub(super) fn enter(&self, cell: &mut Cell, touch: Touch) {
        let writes = match touch.kind {
            AccessKind::Load => false,
            AccessKind::Store => true,
            // A store is not forgotten for it: the atomic operations of others collide with that.
            AccessKind::Atomic => !self.is_recent_store(cell.write),
        };
        if writes {
            if !is_harmless(cell, touch) || cell.write == 0 {
                let kept = self.kept(cell, touch);
                (cell.write, cell.channels[0]) = (touch.stamp, touch.channel);
                (cell.reads, cell.channels[2]) = ([0, kept.0], kept.1);
            }
        } else {
            self.enter_read(cell, touch);
        }
    }

    /// The store of the present group that an atomic operation comes behind: others have that
    /// operation in front of theirs, but not the store.
    #[inline(always)]
    fn kept(&self, cell: &Cell, touch: Touch) -> (u32, u8) {
        let is_store = |stamp: u32| stamp >= self.group_first && self.is(stamp, AccessKind::Store);
        match touch.kind {
            AccessKind::Atomic if is_store(cell.write) => (cell.write, cell.channels[0]),
            AccessKind::Atomic if is_store(cell.reads[1]) => (cell.reads[1], cell.channels[2]),
            _ => (0, 0),
        }
    }

    /// Enters a reader.
    #[inline(always)]
    fn enter_read(&self, cell: &mut Cell, touch: Touch) {
        // The place of somebody who has none yet, of oneself, or of one that a barrier came behind.
        let free = (0..2).find(|&n| self.is_own(cell.reads[n], cell.channels[1 + n], touch));
        if let Some(n) = free {
            (cell.reads[n], cell.channels[1 + n]) = (touch.stamp, touch.channel);
        }
    }

    /// Whether a stamp is nobody's, that of the same work item since the last barrier, or one that
    /// a barrier came behind.
    #[inline(always)]
    fn is_own(&self, stamp: u32, channel: u8, touch: Touch) -> bool {
        if stamp == 0 || self.is_past(stamp) {
            return true;
        }
        stamp >= self.epoch_first
            && channel == touch.channel
            && (stamp == touch.stamp || self.deed(stamp).is_some_and(|deed| deed.thread == touch.thread))
    }

    /// The same, where an access for a whole thread is not compared with another one by its
    /// channels.
    #[inline(always)]
    pub(super) fn is_clear(&self, stamp: u32, channel: u8, touch: Touch) -> bool {
        self.is_own(stamp, channel, touch)
            && (touch.channel != WHOLE || stamp < self.epoch_first || stamp == touch.stamp || self.is_done(stamp))
    }

    /// Whether a barrier came behind a stamp of the present group, with what it needs in front of
    /// it.
    #[inline(always)]
    pub(super) fn is_past(&self, stamp: u32) -> bool {
        (self.group_first..self.epoch_first).contains(&stamp) && !self.is_open(stamp) || self.is_done(stamp)
    }

    /// Whether a stamp is one of the present group that no barrier came behind, or not with what it
    /// needs.
    #[inline(always)]
    pub(super) fn is_recent(&self, stamp: u32) -> bool {
        (stamp >= self.epoch_first || self.is_open(stamp)) && !self.is_done(stamp)
    }

    /// Whether a stamp is that of a store of the present group that no barrier came behind.
    fn is_recent_store(&self, stamp: u32) -> bool {
        self.is_recent(stamp) && self.is(stamp, AccessKind::Store)
    }
}
