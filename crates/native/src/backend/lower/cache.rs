//! Which values the vector registers hold, and the registers for bits. What is computed is written
//! to the register file when somebody else may read it there, when its vector register is needed,
//! and at the end of a block if anything may read it behind; until then it is unwritten, and nobody
//! may forget it. Other values can be forgotten at any time, and be loaded again.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use iced_x86::Register;

use crate::backend::asm::operand::{NEAR, Vector, Width};
use crate::ir::{Combine, Mask};

/// What a vector register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// ByteRange of the register file.
    Contiguous { at: u32, bytes: u32 },
    /// An element of the register file in all places.
    Splat { at: u32, bytes: u32, width: Width },
    /// A number in all places.
    Number { bits: u64, bytes: u32, width: Width },
    /// All ones in the elements of `bytes` bytes whose channels, from `first` on, are enabled.
    Enabled { mask: Mask, first: u32, bytes: u32, width: Width },
    /// The bits of channels, from `first` on, that are enabled; what is behind the last of them is
    /// anything.
    Bits { mask: Mask, first: u32 },
}

/// A register for bits, by its number behind the vector registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaskRegister(pub(crate) Vector);

impl MaskRegister {
    pub(crate) fn register(self) -> Register {
        // The first one means all bits where elements are chosen; the second is for answers.
        Register::K2 + u32::from(self.0.0) - VECTORS as u32
    }
}

/// The most vector registers that there are.
const VECTORS: usize = 32;
/// Number of registers for bits.
const BITS: usize = 6;

impl Tag {
    /// Whether a register with `other` can be read as this: it may hold more of the same.
    fn is_in(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Contiguous { at, bytes }, Self::Contiguous { at: from, bytes: all }) => at == from && bytes <= all,
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

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    tag: Option<Tag>,
    /// How many need it now.
    users: u32,
    /// When it was last used.
    age: u32,
    /// The number of what it holds, of all that registers have held.
    number: usize,
    /// Where it has to be written, if it has not been.
    unwritten: Option<ByteRange>,
}

/// ByteRange of the register file, from a place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteRange {
    pub(crate) at: u32,
    pub(crate) bytes: u32,
}

impl ByteRange {
    /// Whether it has any of some others.
    pub(crate) fn touches(self, other: Self) -> bool {
        self.at < other.at + other.bytes && other.at < self.at + self.bytes
    }

    /// Whether it is all among some others.
    pub(crate) fn is_inside(self, other: Self) -> bool {
        other.at <= self.at && self.at + self.bytes <= other.at + other.bytes
    }
}

/// What registers hold at some place of the code, and when that was. What nobody asks for later
/// need not be there again.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    values: Vec<(Vector, Tag, usize)>,
    clock: u32,
}

/// The vector registers.
#[derive(Clone, Debug)]
pub(crate) struct RegisterCache {
    slots: [Slot; VECTORS + BITS],
    /// How many vector registers there are.
    vectors: usize,
    clock: u32,
    /// When anybody last asked for each of the things that registers have held; all copies of a
    /// cache know it.
    asked: Rc<RefCell<Vec<u32>>>,
}

impl Slot {
    /// Whether something else can take its place.
    fn is_free(&self) -> bool {
        self.users == 0 && self.unwritten.is_none()
    }
}

impl RegisterCache {
    /// Registers that hold nothing, all of those that AVX-512 has or those of AVX2.
    pub(crate) fn new(has_bits: bool) -> Self {
        let vectors = if has_bits { VECTORS } else { NEAR };
        Self { slots: [Slot::default(); VECTORS + BITS], vectors, clock: 0, asked: Rc::default() }
    }

    /// A register that holds something, which one more user needs.
    pub(crate) fn find(&mut self, tag: &Tag) -> Option<Vector> {
        let n = self.position(tag)?;
        self.ask(n);
        self.slots[n].users += 1;
        self.slots[n].age = self.clock;
        Some(Vector(n as u8))
    }

    fn position(&self, tag: &Tag) -> Option<usize> {
        let range = self.range_of(tag);
        let found = self.slots[range.clone()].iter().position(|slot| slot.tag.is_some_and(|other| tag.is_in(&other)));
        found.map(|n| range.start + n)
    }

    /// The registers in which such a thing may be.
    fn range_of(&self, tag: &Tag) -> Range<usize> {
        if let Tag::Bits { .. } = tag { VECTORS..VECTORS + BITS } else { 0..self.vectors }
    }

    /// Takes note that somebody needs what a register holds.
    fn ask(&mut self, n: usize) {
        self.clock += 1;
        if let Some(asked) = self.asked.borrow_mut().get_mut(self.slots[n].number) {
            *asked = self.clock;
        }
    }

    /// The bits of a mask's channels, where those of these and perhaps of others are known.
    pub(crate) fn find_bits(&mut self, mask: &Mask) -> Option<MaskRegister> {
        let found = self.find(&Tag::Bits { mask: *mask, first: 0 })?;
        self.drop(found);
        Some(MaskRegister(found))
    }

    /// A register for something new, with one user.
    pub(crate) fn take(&mut self) -> Option<Vector> {
        self.take_of(0..self.vectors)
    }

    /// The same for bits.
    pub(crate) fn take_bits(&mut self) -> Option<MaskRegister> {
        self.take_of(VECTORS..VECTORS + BITS).map(MaskRegister)
    }

    fn take_of(&mut self, range: Range<usize>) -> Option<Vector> {
        let empty = range.clone().find(|n| self.slots[*n].tag.is_none() && self.slots[*n].is_free());
        let free = range.filter(|n| self.slots[*n].is_free());
        let n = empty.or_else(|| free.min_by_key(|n| self.slots[*n].age))?;
        self.clock += 1;
        self.slots[n] = Slot { users: 1, age: self.clock, ..Slot::default() };
        Some(Vector(n as u8))
    }

    /// One more user.
    pub(crate) fn hold(&mut self, vector: Vector) {
        self.slots[usize::from(vector.0)].users += 1;
    }

    /// One user less.
    pub(crate) fn drop(&mut self, vector: Vector) {
        let slot = &mut self.slots[usize::from(vector.0)];
        slot.users = slot.users.saturating_sub(1);
    }

    /// Whether nothing but one user would miss what a register holds.
    pub(crate) fn is_temporary(&self, vector: Vector) -> bool {
        let slot = &self.slots[usize::from(vector.0)];
        slot.tag.is_none() && slot.users == 1
    }

    /// Says what a register holds.
    pub(crate) fn name(&mut self, vector: Vector, tag: Tag) {
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

    /// Forgets what stands in some bytes of the register file.
    pub(crate) fn forget(&mut self, at: u32, bytes: u32) {
        self.keep(|tag| match *tag {
            Tag::Contiguous { at: other, bytes: size } | Tag::Splat { at: other, bytes: size, .. } => {
                other + size <= at || at + bytes <= other
            }
            _ => true,
        });
    }

    /// Says that what a register holds has to be written.
    pub(crate) fn owe(&mut self, vector: Vector, place: ByteRange) {
        self.slots[usize::from(vector.0)].unwritten = Some(place);
    }

    /// What has to be written, and of which something is about to be done: it is asked for.
    pub(crate) fn unwritten(&mut self) -> Vec<(Vector, ByteRange)> {
        self.clock += 1;
        let mut asked = self.asked.borrow_mut();
        let slots = self.slots.iter().enumerate();
        let unwritten = slots.filter_map(|(n, slot)| {
            let place = slot.unwritten?;
            if let Some(asked) = asked.get_mut(slot.number) {
                *asked = self.clock;
            }
            Some((Vector(n as u8), place))
        });
        unwritten.collect()
    }

    /// Where what a register holds has to be written, if it has to be; it is asked for.
    pub(crate) fn owed(&mut self, vector: Vector) -> Option<ByteRange> {
        self.ask(usize::from(vector.0));
        self.slots[usize::from(vector.0)].unwritten
    }

    /// One of those whose places are meant; it is asked for.
    pub(crate) fn unwritten_of(&mut self, which: impl Fn(ByteRange) -> bool) -> Option<(Vector, ByteRange)> {
        let n = self.slots.iter().position(|slot| slot.unwritten.is_some_and(&which))?;
        Some((Vector(n as u8), self.owed(Vector(n as u8))?))
    }

    /// Says that what a register holds has been written, or need not be.
    pub(crate) fn settle(&mut self, vector: Vector) {
        self.slots[usize::from(vector.0)].unwritten = None;
    }

    /// What has to be written first, so that `count` registers are free.
    pub(crate) fn in_the_way(&self, count: usize) -> Option<Vector> {
        if self.slots[..self.vectors].iter().filter(|slot| slot.is_free()).count() >= count {
            return None;
        }
        let owing = self.slots[..self.vectors].iter().enumerate();
        let owing = owing.filter(|(_, slot)| slot.unwritten.is_some() && slot.users == 0);
        owing.min_by_key(|(_, slot)| slot.age).map(|(n, _)| Vector(n as u8))
    }

    /// Whether a register holds this.
    pub(crate) fn has(&self, tag: &Tag) -> bool {
        self.position(tag).is_some()
    }

    /// Forgets what depends on some bits of a predicate.
    pub(crate) fn forget_predicate(&mut self, predicate: u32, bits: u32) {
        self.keep(|tag| match tag {
            Tag::Enabled { mask, .. } | Tag::Bits { mask, .. } => {
                let is_apart = mask.combine == Combine::Each && mask.lanes << mask.shift & bits == 0;
                mask.predicate != predicate || is_apart
            }
            _ => true,
        });
    }

    /// Forgets what a condition does not hold for.
    pub(crate) fn keep(&mut self, condition: impl Fn(&Tag) -> bool) {
        for slot in &mut self.slots {
            slot.tag = slot.tag.filter(&condition);
            slot.unwritten = slot.unwritten.filter(|_| slot.tag.is_some());
        }
    }

    /// Forgets what nobody needs now, and gives what somebody does; nothing when these are bits.
    pub(crate) fn keep_used(&mut self) -> Option<Vec<Vector>> {
        self.slots.iter_mut().filter(|slot| slot.users == 0).for_each(|slot| slot.tag = None);
        let used = self.slots.iter().enumerate().filter(|(_, slot)| slot.users > 0);
        used.map(|(n, _)| (n < VECTORS).then_some(Vector(n as u8))).collect()
    }

    /// Forgets what registers no longer hold behind code that is aside. It is later than that.
    pub(crate) fn lose(&mut self, aside: &Self) {
        self.clock = aside.clock;
        for (slot, there) in self.slots.iter_mut().zip(&aside.slots) {
            slot.tag = slot.tag.filter(|tag| there.tag == Some(*tag));
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.slots = [Slot::default(); VECTORS + BITS];
    }

    /// What is known here.
    pub(crate) fn known(&self) -> Snapshot {
        let slots = self.slots.iter().enumerate();
        let values = slots.filter_map(|(n, slot)| Some((Vector(n as u8), slot.tag?, slot.number))).collect();
        Snapshot { values, clock: self.clock }
    }

    /// Whether a register holds something that is known.
    pub(crate) fn is_known(&self, vector: Vector) -> bool {
        self.slots[usize::from(vector.0)].tag.is_some()
    }

    /// What was known at some place and was asked for behind it, and was not known at an earlier
    /// place.
    pub(crate) fn asked_since(&self, known: Snapshot, before: Option<&Snapshot>) -> Vec<(Vector, Tag)> {
        let asked = self.asked.borrow();
        let is_asked = |number: usize| asked.get(number).is_none_or(|clock| *clock > known.clock);
        let is_new = |value: &(Vector, Tag, usize)| before.is_none_or(|before| !before.values.contains(value));
        let values = known.values.into_iter().filter(|value| is_asked(value.2) && is_new(value));
        values.map(|(vector, tag, _)| (vector, tag)).collect()
    }
}
