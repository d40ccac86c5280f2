//! The register cache: the values that vector and mask registers hold.
//!
//! A computed value is stored to the register file late: when something may read it there, when its
//! register is needed, and at the end of a block where it is live. Until then its store is pending,
//! and the register cannot be reused. Other values can be dropped at any time and loaded again.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use iced_x86::Register;

use crate::backend::asm::operand::{NEAR, Vector, Width};
use crate::ir::{Combine, Mask};

/// The value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CachedValue {
    /// Bytes of the register file.
    Contiguous { at: u32, bytes: u32 },
    /// An element of the register file, repeated in all elements.
    Splat { at: u32, bytes: u32, width: Width },
    /// A number, repeated in all elements.
    Number { bits: u64, bytes: u32, width: Width },
    /// All ones in the elements of `bytes` bytes whose channels, from `first` on, are enabled.
    Enabled { mask: Mask, first: u32, bytes: u32, width: Width },
    /// A bit for each channel from `first` on: set if it is enabled. Bits after the last channel
    /// are undefined.
    Bits { mask: Mask, first: u32 },
}

/// A mask register, by its number after the vector registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaskRegister(pub(crate) Vector);

impl MaskRegister {
    pub(crate) fn register(self) -> Register {
        // K0 means all elements; K1 takes the result of comparisons.
        Register::K2 + u32::from(self.0.0) - VECTORS as u32
    }
}

/// The most vector registers of a host.
const VECTORS: usize = 32;
/// The number of mask registers that hold values.
const BITS: usize = 6;

impl CachedValue {
    /// Returns true if a register with the value `other` can be read as this value: it may contain
    /// more.
    fn is_in(&self, other: &Self) -> bool {
        match (*self, *other) {
            (
                Self::Contiguous { at, bytes },
                Self::Contiguous { at: from, bytes: all } | Self::Splat { at: from, bytes: all, .. },
            ) => at == from && bytes <= all,
            (Self::Splat { at, bytes, width }, Self::Splat { at: from, bytes: size, width: all }) => {
                at == from && bytes == size && width <= all
            }
            (Self::Number { bits, bytes, width }, Self::Number { bits: other, bytes: size, width: all }) => {
                bits == other && bytes == size && width <= all
            }
            (Self::Enabled { width, mask, first, bytes }, Self::Enabled { width: all, .. }) => {
                width <= all && Self::Enabled { width: all, mask, first, bytes } == *other
            }
            (Self::Bits { mask, first }, Self::Bits { mask: all, first: from }) if mask.combine == Combine::Each => {
                let is_same = Mask { shift: mask.shift, lanes: mask.lanes, ..all } == mask;
                let has_all = (mask.lanes >> first) & !(all.lanes >> from) == 0;
                is_same && mask.shift + first == all.shift + from && has_all
            }
            (Self::Bits { .. }, _) => self == other,
            _ => false,
        }
    }
}

/// State of a host register.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    tag: Option<CachedValue>,
    /// The number of current users.
    users: u32,
    /// The clock of the last use.
    age: u32,
    /// The number of the value, counted over all registers.
    number: usize,
    unwritten: Option<PendingStore>,
}

/// The pending store of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingStore {
    pub(crate) place: ByteRange,
    /// Elements to store; without them the register has all bytes.
    pub(crate) ramp: Option<RampElements>,
}

/// Elements that grow by the same number, of which a register has the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RampElements {
    /// Size of an element.
    pub(crate) bytes: u32,
    /// Difference of neighbors.
    pub(crate) step: u64,
}

/// A range of bytes of the register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteRange {
    pub(crate) at: u32,
    pub(crate) bytes: u32,
}

impl ByteRange {
    /// Returns true if the two ranges share a byte.
    pub(crate) fn touches(self, other: Self) -> bool {
        self.at < other.at + other.bytes && other.at < self.at + self.bytes
    }

    /// Returns true if `other` has all bytes of this range.
    pub(crate) fn is_inside(self, other: Self) -> bool {
        other.at <= self.at && self.at + self.bytes <= other.at + other.bytes
    }
}

/// The values of registers at a place of the code, and the clock there. A value that no later code
/// uses need not be restored.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    values: Vec<(Vector, CachedValue, usize)>,
    clock: u32,
}

/// The values of the host's registers.
#[derive(Clone, Debug)]
pub(crate) struct RegisterCache {
    slots: [Slot; VECTORS + BITS],
    /// The number of vector registers.
    vectors: usize,
    clock: u32,
    /// The clock at which each value was last used; copies of a cache share it.
    asked: Rc<RefCell<Vec<u32>>>,
}

impl Slot {
    /// Returns true if another value can take the register.
    fn is_free(&self) -> bool {
        self.users == 0 && self.unwritten.is_none()
    }
}

impl RegisterCache {
    /// Returns empty registers: those of AVX-512, or those of AVX2.
    pub(crate) fn new(has_bits: bool) -> Self {
        let vectors = if has_bits { VECTORS } else { NEAR };
        Self { slots: [Slot::default(); VECTORS + BITS], vectors, clock: 0, asked: Rc::default() }
    }

    /// Finds a register that holds a value, and adds a user.
    pub(crate) fn find(&mut self, tag: &CachedValue) -> Option<Vector> {
        let n = self.position(tag)?;
        Some(self.use_of(n))
    }

    /// Adds a user to a register with a value.
    fn use_of(&mut self, n: usize) -> Vector {
        self.ask(n);
        self.slots[n].users += 1;
        self.slots[n].age = self.clock;
        Vector(n as u8)
    }

    /// Returns the number of a register that holds a value.
    fn position(&self, tag: &CachedValue) -> Option<usize> {
        let range = self.range_of(tag);
        let found = self.slots[range.clone()].iter().position(|slot| slot.tag.is_some_and(|other| tag.is_in(&other)));
        found.map(|n| range.start + n)
    }

    /// Returns the registers that can hold a kind of value.
    fn range_of(&self, tag: &CachedValue) -> Range<usize> {
        if let CachedValue::Bits { .. } = tag { VECTORS..VECTORS + BITS } else { 0..self.vectors }
    }

    /// Records a use of a register's value.
    fn ask(&mut self, n: usize) {
        self.clock += 1;
        if let Some(asked) = self.asked.borrow_mut().get_mut(self.slots[n].number) {
            *asked = self.clock;
        }
    }

    /// Finds the mask register that holds the channels of a mask, perhaps among others.
    pub(crate) fn find_bits(&mut self, mask: &Mask) -> Option<MaskRegister> {
        let found = self.find(&CachedValue::Bits { mask: *mask, first: 0 })?;
        self.drop(found);
        Some(MaskRegister(found))
    }

    /// Allocates a vector register for a new value with one user.
    pub(crate) fn take(&mut self) -> Option<Vector> {
        self.take_of(0..self.vectors)
    }

    /// Allocates a mask register for a new value with one user.
    pub(crate) fn take_bits(&mut self) -> Option<MaskRegister> {
        self.take_of(VECTORS..VECTORS + BITS).map(MaskRegister)
    }

    /// Returns a free register: an empty one, or the least recently used one.
    fn take_of(&mut self, range: Range<usize>) -> Option<Vector> {
        let empty = range.clone().find(|n| self.slots[*n].tag.is_none() && self.slots[*n].is_free());
        let free = range.filter(|n| self.slots[*n].is_free());
        let n = empty.or_else(|| free.min_by_key(|n| self.slots[*n].age))?;
        self.clock += 1;
        self.slots[n] = Slot { users: 1, age: self.clock, ..Slot::default() };
        Some(Vector(n as u8))
    }

    /// Adds a user.
    pub(crate) fn hold(&mut self, vector: Vector) {
        self.slots[usize::from(vector.0)].users += 1;
    }

    /// Removes a user.
    pub(crate) fn drop(&mut self, vector: Vector) {
        let slot = &mut self.slots[usize::from(vector.0)];
        slot.users = slot.users.saturating_sub(1);
    }

    /// Returns true if a register has one user and no known value.
    pub(crate) fn is_temporary(&self, vector: Vector) -> bool {
        let slot = &self.slots[usize::from(vector.0)];
        slot.tag.is_none() && slot.users == 1
    }

    /// Sets the value of a register.
    pub(crate) fn name(&mut self, vector: Vector, tag: CachedValue) {
        let range = self.range_of(&tag);
        for slot in &mut self.slots[range] {
            if slot.tag == Some(tag) {
                (slot.tag, slot.unwritten) = (None, None);
            }
        }
        let mut asked = self.asked.borrow_mut();
        let slot = &mut self.slots[usize::from(vector.0)];
        (slot.tag, slot.number) = (Some(tag), asked.len());
        asked.push(self.clock);
    }

    /// Drops the values of some bytes of the register file.
    pub(crate) fn forget(&mut self, at: u32, bytes: u32) {
        self.keep(|tag| match *tag {
            CachedValue::Contiguous { at: other, bytes: size }
            | CachedValue::Splat { at: other, bytes: size, .. } => other + size <= at || at + bytes <= other,
            _ => true,
        });
    }

    /// Adds a pending store.
    pub(crate) fn owe(&mut self, vector: Vector, place: ByteRange) {
        self.slots[usize::from(vector.0)].unwritten = Some(PendingStore { place, ramp: None });
    }

    /// Adds a pending store of a ramp, whose first element the register has.
    pub(crate) fn owe_ramp(&mut self, vector: Vector, place: ByteRange, ramp: RampElements) {
        self.slots[usize::from(vector.0)].unwritten = Some(PendingStore { place, ramp: Some(ramp) });
    }

    /// Finds the register whose pending ramp has the elements at a place, and adds a user.
    pub(crate) fn find_ramp(&mut self, place: ByteRange) -> Option<(Vector, ByteRange, RampElements)> {
        let ramp_of = |slot: &Slot| {
            let pending = slot.unwritten.filter(|pending| place.is_inside(pending.place))?;
            let ramp = pending.ramp?;
            let parts = [place.at - pending.place.at, place.bytes];
            let is_whole = parts.iter().all(|bytes| bytes.is_multiple_of(ramp.bytes));
            is_whole.then_some((pending.place, ramp))
        };
        let (n, (all, ramp)) = self.slots.iter().enumerate().find_map(|(n, slot)| Some((n, ramp_of(slot)?)))?;
        Some((self.use_of(n), all, ramp))
    }

    /// Returns true if a register has users.
    pub(crate) fn is_used(&self, vector: Vector) -> bool {
        self.slots[usize::from(vector.0)].users > 0
    }

    /// Drops the value of a register.
    pub(crate) fn spoil(&mut self, vector: Vector) {
        let slot = &mut self.slots[usize::from(vector.0)];
        (slot.tag, slot.unwritten) = (None, None);
    }

    /// Returns the pending stores, and records a use of their values.
    pub(crate) fn unwritten(&mut self) -> Vec<(Vector, PendingStore)> {
        self.clock += 1;
        let mut asked = self.asked.borrow_mut();
        let slots = self.slots.iter().enumerate();
        let unwritten = slots.filter_map(|(n, slot)| {
            let pending = slot.unwritten?;
            if let Some(asked) = asked.get_mut(slot.number) {
                *asked = self.clock;
            }
            Some((Vector(n as u8), pending))
        });
        unwritten.collect()
    }

    /// Returns a register's pending store, and records a use of the value.
    pub(crate) fn owed(&mut self, vector: Vector) -> Option<PendingStore> {
        self.ask(usize::from(vector.0));
        self.slots[usize::from(vector.0)].unwritten
    }

    /// Returns a pending store to a place that `which` accepts, and records a use of the value.
    pub(crate) fn unwritten_of(&mut self, which: impl Fn(ByteRange) -> bool) -> Option<(Vector, PendingStore)> {
        let n = self.slots.iter().position(|slot| slot.unwritten.is_some_and(|pending| which(pending.place)))?;
        Some((Vector(n as u8), self.owed(Vector(n as u8))?))
    }

    /// Removes the pending store of a register.
    pub(crate) fn settle(&mut self, vector: Vector) {
        self.slots[usize::from(vector.0)].unwritten = None;
    }

    /// Returns the register whose pending store must be written first to free `count` registers.
    pub(crate) fn in_the_way(&self, count: usize) -> Option<Vector> {
        if self.slots[..self.vectors].iter().filter(|slot| slot.is_free()).count() >= count {
            return None;
        }
        let owing = self.slots[..self.vectors].iter().enumerate();
        let owing = owing.filter(|(_, slot)| slot.unwritten.is_some() && slot.users == 0);
        owing.min_by_key(|(_, slot)| slot.age).map(|(n, _)| Vector(n as u8))
    }

    /// Returns true if a register holds a value.
    pub(crate) fn has(&self, tag: &CachedValue) -> bool {
        self.position(tag).is_some()
    }

    /// Drops the values that depend on some bits of a predicate.
    pub(crate) fn forget_predicate(&mut self, predicate: u32, bits: u32) {
        self.keep(|tag| match tag {
            CachedValue::Enabled { mask, .. } | CachedValue::Bits { mask, .. } => {
                let is_apart = mask.combine == Combine::Each && mask.lanes << mask.shift & bits == 0;
                mask.predicate != predicate || is_apart
            }
            _ => true,
        });
    }

    /// Drops the values that `condition` refuses.
    pub(crate) fn keep(&mut self, condition: impl Fn(&CachedValue) -> bool) {
        for slot in &mut self.slots {
            slot.tag = slot.tag.filter(&condition);
            slot.unwritten = slot.unwritten.filter(|_| slot.tag.is_some());
        }
    }

    /// Drops the values of registers without users, and returns the others. Returns `None` if a
    /// mask register has a user.
    pub(crate) fn keep_used(&mut self) -> Option<Vec<Vector>> {
        self.slots.iter_mut().filter(|slot| slot.users == 0).for_each(|slot| slot.tag = None);
        let used = self.slots.iter().enumerate().filter(|(_, slot)| slot.users > 0);
        used.map(|(n, _)| (n < VECTORS).then_some(Vector(n as u8))).collect()
    }

    /// Drops the values that registers no longer hold after cold code, and advances the clock past
    /// it.
    pub(crate) fn lose(&mut self, cold: &Self) {
        self.clock = cold.clock;
        for (slot, there) in self.slots.iter_mut().zip(&cold.slots) {
            // A value that the cold code has loaded again has another number, so that its later
            // uses do not count for the paths of the cold code.
            let is_same = there.number == slot.number;
            slot.tag = slot.tag.filter(|tag| is_same && there.tag == Some(*tag));
        }
    }

    /// Drops the values that registers did not hold at a snapshot.
    pub(crate) fn keep_known(&mut self, known: &Snapshot) {
        for (n, slot) in self.slots.iter_mut().enumerate() {
            let is_known = |tag: &CachedValue| known.values.contains(&(Vector(n as u8), *tag, slot.number));
            slot.tag = slot.tag.filter(is_known);
        }
    }

    /// Drops everything.
    pub(crate) fn clear(&mut self) {
        self.slots = [Slot::default(); VECTORS + BITS];
    }

    /// Returns the values of registers here.
    pub(crate) fn known(&self) -> Snapshot {
        let slots = self.slots.iter().enumerate();
        let values = slots.filter_map(|(n, slot)| Some((Vector(n as u8), slot.tag?, slot.number))).collect();
        Snapshot { values, clock: self.clock }
    }

    /// Returns true if a register holds a known value.
    pub(crate) fn is_known(&self, vector: Vector) -> bool {
        self.slots[usize::from(vector.0)].tag.is_some()
    }

    /// Returns the values of a snapshot that were used after it and that `before` lacks.
    pub(crate) fn asked_since(&self, known: Snapshot, before: Option<&Snapshot>) -> Vec<(Vector, CachedValue)> {
        let asked = self.asked.borrow();
        let is_asked = |number: usize| asked.get(number).is_none_or(|clock| *clock > known.clock);
        let is_new =
            |value: &(Vector, CachedValue, usize)| before.is_none_or(|before| !before.values.contains(value));
        let values = known.values.into_iter().filter(|value| is_asked(value.2) && is_new(value));
        values.map(|(vector, tag, _)| (vector, tag)).collect()
    }
}
