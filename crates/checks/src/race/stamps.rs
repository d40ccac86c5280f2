//! Epochs: numbers for a thread's instruction between two barriers, and the pairs that need no
//! comparison.

use std::collections::HashMap;

use visakit_machine::observer::{Access, AccessKind, Space, Spot};
use visakit_machine::told::Accesses;

/// Width of a stamp in a byte's access.
pub(super) const STAMP_BITS: u32 = 24;
/// Thread number of a group's first copy.
pub(super) const COPIES: u32 = 1 << 22;

/// Largest number of stamps (64 MiB); later accesses are not recorded.
const MOST_STAMPS: usize = (1 << STAMP_BITS) - 1;
/// Size of the stamp cache.
const RECENT: usize = 1 << 10;
/// Largest number of remembered stores without a fence; the latest are kept.
const MOST_OPEN: usize = 1 << 12;
/// Channel number of an access by a whole thread (NoMask).
pub(super) const WHOLE: u8 = u8::MAX;

/// An instruction of a thread, between two barriers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub deed: Deed,
    pub time: Time,
}

/// An instruction of a thread, independent of group and barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Deed {
    pub thread: u32,
    pub spot: Spot,
    pub kind: AccessKind,
    /// Channels for which the instruction accesses memory.
    pub channels: u32,
    /// True for shared local memory.
    is_local: bool,
}

/// An interval of a group: between two barriers and between atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    /// Number of the group.
    pub index: u32,
    /// Number of barriers that the group has passed.
    pub epoch: u32,
    /// Values of [`Clock`](super::turns::Clock) towards other groups, and within the group.
    pub clock: u32,
    pub turn: u32,
}

/// Properties of an access for comparison with others.
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

    /// Returns the touch for another channel of the same message.
    #[inline(always)]
    pub(super) fn of(self, accesses: &Accesses<'_>, lane: usize) -> Self {
        let channel = accesses.first_lane + accesses.first.spot.first_channel + lane as u32;
        let channel = if self.channel == WHOLE { WHOLE } else { channel as u8 };
        Self { channel, changes: accesses.changes >> lane & 1 == 1, ..self }
    }
}

/// Returns the copy number that a thread number stands for.
pub(super) fn copy_of(thread: u32) -> Option<usize> {
    thread.checked_sub(COPIES).map(|number| number as usize)
}

/// Returns the channel of an access.
pub(super) fn channel_of(access: &Access) -> u8 {
    if access.spot.no_mask { WHOLE } else { (access.lane + access.spot.first_channel) as u8 }
}

/// Stamps of a launch.
#[derive(Default)]
pub(super) struct Stamps {
    /// Deed number of each stamp. There are few deeds, but as many stamps as memory allows.
    all: Vec<u32>,
    deeds: Vec<Deed>,
    numbers: HashMap<Deed, u32>,
    /// Times, each with its first stamp.
    times: Vec<(u32, Time)>,
    /// Number of the current group, and of barriers that it has passed.
    pub index: u32,
    pub epoch: u32,
    /// First stamps of the current group and after its last barrier.
    pub(super) group_first: u32,
    epoch_first: u32,
    /// For each thread of the current group, the number of stamps at its last fence: for global
    /// memory, and for shared local memory.
    fences: Vec<[u32; 2]>,
    /// True if shared local memory needs fences.
    pub needs_local_fences: bool,
    /// Stores of the current group before a barrier without a fence, in order.
    open: Vec<u32>,
    /// Thread numbers of the current group's completed copies.
    done: Vec<u32>,
    /// Cache of recent stamps, indexed by a hash of thread and instruction.
    recent: Vec<u32>,
    /// Stamps displaced from the cache.
    displaced: HashMap<(u32, u32, AccessKind), u32>,
}

impl Stamps {
    /// Starts the epoch after a barrier.
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

    /// Starts a group. Each group has its own shared local memory, where stamps of earlier groups
    /// are void.
    pub(super) fn next_group(&mut self) {
        self.begin_epoch();
        self.epoch = 0;
        self.group_first = self.epoch_first;
        self.fences.clear();
        self.open.clear();
        self.done.clear();
    }

    /// Orders all later accesses after those of a group copy, given by its thread number.
    pub(super) fn end_copy(&mut self, thread: u32) {
        self.done.push(thread);
        let open = std::mem::take(&mut self.open);
        self.open = open.into_iter().filter(|number| !self.is_done(*number)).collect();
    }

    /// Returns true for a stamp of a completed copy of the current group.
    #[inline(always)]
    fn is_done(&self, stamp: u32) -> bool {
        !self.done.is_empty()
            && stamp >= self.group_first
            && self.deed(stamp).is_some_and(|deed| self.done.contains(&deed.thread))
    }

    /// Processes a fence of a thread.
    pub(super) fn fence(&mut self, thread: u32, is_local: bool) {
        let thread = thread as usize;
        if self.fences.len() <= thread {
            self.fences.resize(thread + 1, [0; 2]);
        }
        self.fences[thread][usize::from(is_local)] = self.all.len() as u32;
    }

    /// Returns the last stamp covered by a fence of the deed's thread, for its kind of memory.
    fn fenced(&self, deed: &Deed) -> u32 {
        self.fences.get(deed.thread as usize).map_or(0, |fences| fences[usize::from(deed.is_local)])
    }

    /// Returns true for a store of the current group that was followed by a barrier, but without a
    /// fence.
    #[inline(always)]
    pub(super) fn is_open(&self, stamp: u32) -> bool {
        !self.open.is_empty() && self.open.binary_search(&stamp).is_ok()
    }

    /// Returns the stamp with a number.
    pub(super) fn get(&self, number: u32) -> Option<Stamp> {
        Some(Stamp { deed: *self.deed(number)?, time: self.time(number)? })
    }

    /// Returns the time of a stamp.
    fn time(&self, number: u32) -> Option<Time> {
        let last = self.times.last().filter(|(first, _)| *first <= number);
        let of_earlier = || self.times.get(self.times.partition_point(|(first, _)| *first <= number).checked_sub(1)?);
        last.or_else(of_earlier).map(|(_, time)| *time)
    }

    /// Returns the deed of a stamp.
    #[inline(always)]
    fn deed(&self, number: u32) -> Option<&Deed> {
        let &deed = self.all.get(number.checked_sub(1)? as usize)?;
        self.deeds.get(deed as usize)
    }

    /// Returns true if a stamp's access is of this kind.
    #[inline(always)]
    pub(super) fn is(&self, number: u32, kind: AccessKind) -> bool {
        self.deed(number).is_some_and(|deed| deed.kind == kind)
    }

    /// Returns the stamp number of an access on behalf of `channels`, at a time of the current
    /// group. `None` if the stamps are exhausted.
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

    /// Returns the number of a deed.
    fn intern(&mut self, deed: Deed) -> u32 {
        let next = self.deeds.len() as u32;
        let number = *self.numbers.entry(deed).or_insert(next);
        if number == next {
            self.deeds.push(deed);
        }
        number
    }

    /// Returns true for no stamp, a stamp of the same work item since the last barrier, or one that
    /// a barrier orders before.
    #[inline(always)]
    pub(super) fn is_own(&self, stamp: u32, channel: u8, touch: Touch) -> bool {
        if stamp == 0 || self.is_past(stamp) {
            return true;
        }
        stamp >= self.epoch_first
            && channel == touch.channel
            && (stamp == touch.stamp || self.deed(stamp).is_some_and(|deed| deed.thread == touch.thread))
    }

    /// As [`Stamps::is_own`], but false for whole-thread accesses that must be compared by
    /// channels.
    #[inline(always)]
    pub(super) fn is_clear(&self, stamp: u32, channel: u8, touch: Touch) -> bool {
        self.is_own(stamp, channel, touch)
            && (touch.channel != WHOLE || stamp < self.epoch_first || stamp == touch.stamp || self.is_done(stamp))
    }

    /// Returns true if a barrier, with the required fence, follows a stamp of the current group.
    #[inline(always)]
    pub(super) fn is_past(&self, stamp: u32) -> bool {
        (self.group_first..self.epoch_first).contains(&stamp) && !self.is_open(stamp) || self.is_done(stamp)
    }

    /// Returns true for a stamp of the current group without a following barrier and fence.
    #[inline(always)]
    pub(super) fn is_recent(&self, stamp: u32) -> bool {
        (stamp >= self.epoch_first || self.is_open(stamp)) && !self.is_done(stamp)
    }

    /// Returns true for a store of the current group without a following barrier.
    pub(super) fn is_recent_store(&self, stamp: u32) -> bool {
        self.is_recent(stamp) && self.is(stamp, AccessKind::Store)
    }
}
