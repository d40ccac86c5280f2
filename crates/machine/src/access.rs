//! Memory access: message targets, and loads, stores and updates of one value per enabled channel.
//!
//! [`crate::in_bounds`] is the fast path for messages whose data lie inside one buffer and
//! cannot fault.

use visakit::isa::limits;

use crate::accesses::Accesses;
use crate::buffer::{Buffer, Sharing};
use crate::lane::{LANES, enabled_lanes};
use crate::memory::Memory;
use crate::observer::{Access, AccessKind, Space, Watch, Witness};
use crate::trace::Trace;

/// Offset bits of a shared-local-memory pointer; the bits above them hold a tag.
pub const LOCAL_OFFSET: u32 = u32::MAX >> (u32::BITS - limits::LOCAL_OFFSET_BITS);

/// A message target as seen by one thread.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    target: Target<'a>,
    witness: Witness<'a>,
    /// Index of the hardware thread in its group.
    thread: u32,
}

/// Memory that a message accesses.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// Virtual addresses: global memory and the group's private buffers. An access outside every
    /// buffer is a fault, unless [`Memory::outside_is_zero`] or [`Memory::whole_pages`] is set.
    Flat(&'a Memory, &'a [Buffer]),
    /// Shared local memory of the group. An out-of-bounds access is a fault.
    Local(&'a Buffer),
    /// Scratch memory of all hardware threads. An out-of-bounds access is a fault.
    Scratch(&'a Buffer),
    /// A surface, addressed by offsets into a buffer. Reads past the end return zero; writes past
    /// the end are dropped. An access that the buffer's guards refuse is a fault.
    Surface(&'a Memory, &'a Buffer),
    /// A null surface: the entry of the binding table is empty.
    Nothing,
}

/// An access that cannot be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Channel number.
    pub lane: u32,
    /// Virtual address, or offset in shared local memory.
    pub address: u64,
    /// Size of the access in bytes.
    pub size: u32,
    /// Reason why the access failed.
    pub kind: MissKind,
}

/// Reason why an access cannot be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissKind {
    /// The access is outside every buffer.
    Outside,
    /// The access is in pages that are not mapped, or only for reading.
    Refused,
    /// The access is outside the group's shared local memory.
    OutsideLocal,
    /// The access is outside scratch memory.
    OutsideScratch,
    /// The address is not a multiple of the access size.
    Misaligned,
}

/// Number of channels whose surface access was out of bounds, or the first channel whose access
/// cannot be carried out.
pub type Outside = Result<u32, Miss>;

/// Accesses of a chunk of channels, one value per channel.
pub struct Request<'a> {
    /// Address or offset of each channel in bytes.
    pub addresses: &'a [u64; LANES],
    /// Enabled channels, as bits.
    pub enabled: u32,
    /// Number of the chunk's first channel in the message.
    pub first_lane: u32,
    /// Size of each value in bytes: 1, 2, 4 or 8.
    pub size: u32,
    /// True if addresses need not be multiples of the size.
    pub unaligned: bool,
    /// True if the loaded values are unused.
    pub unread: bool,
}

impl<'a> View<'a> {
    /// Returns the view of a thread, given by its index in its group.
    #[inline(always)]
    pub fn new(target: Target<'a>, witness: Witness<'a>, thread: u32) -> Self {
        Self { target, witness, thread }
    }

    /// Returns true if an observer is attached, so that every access must be reported.
    #[inline(always)]
    pub fn is_watched(&self) -> bool {
        self.witness.watch.is_some()
    }

    /// Returns the buffer that contains `address`, its base address, and the mask of significant
    /// offset bits. Other addresses may belong to other buffers.
    #[inline(always)]
    pub fn around(&self, address: u64) -> Option<(&'a Buffer, u64, u64)> {
        match self.target {
            Target::Flat(memory, private) => {
                memory.find_with(private, address).map(|(buffer, base)| (buffer, base, u64::MAX))
            }
            Target::Local(buffer) => Some((buffer, 0, LOCAL_OFFSET.into())),
            Target::Scratch(buffer) | Target::Surface(_, buffer) => Some((buffer, 0, u64::MAX)),
            Target::Nothing => None,
        }
    }

    /// Returns the target's only buffer and the mask of significant offset bits; `None` if the
    /// target has several buffers or none.
    #[inline(always)]
    pub fn whole(&self) -> Option<(&'a Buffer, u32)> {
        match self.target {
            Target::Flat(..) | Target::Nothing => None,
            Target::Local(buffer) => Some((buffer, LOCAL_OFFSET)),
            Target::Scratch(buffer) | Target::Surface(_, buffer) => Some((buffer, u32::MAX)),
        }
    }

    /// Returns a canonical address, equal for all aliases of a byte.
    #[inline]
    pub fn canonical(&self, address: u64) -> u64 {
        if let Target::Local(_) = self.target { address & u64::from(LOCAL_OFFSET) } else { address }
    }

    /// Returns the trace that records accesses of this kind to `buffer`, if they are recorded.
    #[inline(always)]
    pub fn trace(&self, buffer: &Buffer, kind: AccessKind) -> Option<&'a Trace> {
        if buffer.is_noted(kind) { self.witness.trace } else { None }
    }

    /// Reports if other host threads may access the memory at the same time.
    #[inline]
    pub fn sharing(&self) -> Sharing {
        match self.target {
            // Each thread owns whole words of scratch memory.
            Target::Local(_) | Target::Scratch(_) => Sharing::Exclusive,
            _ => Sharing::Shared,
        }
    }

    /// Loads a value for each channel, zero-extended.
    ///
    /// # Errors
    /// The first channel whose access cannot be carried out.
    #[inline]
    pub fn load(&self, request: &Request<'_>, values: &mut [u64; LANES]) -> Outside {
        self.each(
            request,
            AccessKind::Load,
            |_| None,
            |lane, place| {
                values[lane] = match place {
                    None => 0,
                    Some((buffer, offset)) if is_aligned(offset, request.size) => {
                        buffer.load(offset, request.size).unwrap_or(0)
                    }
                    Some((buffer, offset)) => buffer.load_unaligned(offset, request.size).unwrap_or(0),
                };
            },
        )
    }

    /// Stores a value for each channel. If channels write the same location, the last channel wins.
    ///
    /// # Errors
    /// The first channel whose access cannot be carried out; the stores of lower channels are done.
    #[inline]
    pub fn store(&self, request: &Request<'_>, values: &[u64; LANES]) -> Outside {
        let sharing = self.sharing();
        self.each(
            request,
            AccessKind::Store,
            |lane| Some(values[lane]),
            |lane, place| {
                match place {
                    None => None,
                    Some((buffer, offset)) if is_aligned(offset, request.size) => {
                        buffer.store(offset, request.size, values[lane], sharing)
                    }
                    Some((buffer, offset)) => buffer.store_unaligned(offset, request.size, values[lane], sharing),
                };
            },
        )
    }

    /// Atomically replaces a value of 2, 4 or 8 bytes for each channel by the result of `change`;
    /// `old` receives the previous values.
    ///
    /// # Errors
    /// As [`View::store`].
    #[inline]
    pub fn update(
        &self,
        request: &Request<'_>,
        old: &mut [u64; LANES],
        change: impl Fn(usize, u64) -> u64,
    ) -> Outside {
        // The new value, for observers.
        let left = |lane: usize| {
            let (buffer, offset) = self.locate(request, lane, AccessKind::Atomic).ok()??;
            let bits = u64::MAX >> (64 - 8 * request.size.clamp(1, 8));
            Some(change(lane, buffer.load_unaligned(offset, request.size)?) & bits)
        };
        let sharing = self.sharing();
        self.each(request, AccessKind::Atomic, left, |lane, place| {
            let Some((buffer, offset)) = place else { return old[lane] = 0 };
            old[lane] = match self.target {
                Target::Flat(memory, _) | Target::Surface(memory, _) if request.size == 8 => {
                    memory.update_u64(buffer, offset, sharing, |value| change(lane, value)).unwrap_or(0)
                }
                _ if request.size == 8 => {
                    let value = buffer.load(offset, 8).unwrap_or(0);
                    buffer.store(offset, 8, change(lane, value), sharing);
                    value
                }
                _ => {
                    let step = |value: u32| change(lane, u64::from(value)) as u32;
                    buffer.update(offset, request.size, sharing, step).map_or(0, u64::from)
                }
            };
        })
    }

    /// Calls `access` for each enabled channel with the buffer that contains its address and the
    /// offset in it, or with `None` if the access is dropped. Every access not proven in bounds
    /// takes this path.
    #[inline(always)]
    fn each(
        &self,
        request: &Request<'_>,
        kind: AccessKind,
        value: impl Fn(usize) -> Option<u64>,
        mut access: impl FnMut(usize, Option<(&'a Buffer, u64)>),
    ) -> Outside {
        let mut outside = 0;
        for lane in enabled_lanes::<LANES>(request.enabled) {
            if let Some(watch) = self.witness.watch {
                let channel = request.first_lane + lane as u32;
                self.tell(watch, kind, channel, (request.addresses[lane], request.size, request.unread), value(lane));
            }
            let place = self.locate(request, lane, kind)?;
            outside += u32::from(place.is_none());
            if let Some((buffer, offset)) = place
                && let Some(trace) = self.trace(buffer, kind)
            {
                trace.note(buffer, kind, offset, request.size.into());
            }
            access(lane, place);
        }
        Ok(outside)
    }

    /// Returns the buffer that contains a channel's address, and the offset in it. `None` means
    /// that the access is dropped, as on surfaces.
    #[inline]
    fn locate(
        &self,
        request: &Request<'_>,
        lane: usize,
        access: AccessKind,
    ) -> Result<Option<(&'a Buffer, u64)>, Miss> {
        let (address, size) = (request.addresses[lane], request.size);
        let miss = |kind| Err(Miss { lane: request.first_lane + lane as u32, address, size, kind });
        if !request.unaligned && !is_aligned(address, size) {
            return miss(MissKind::Misaligned);
        }
        match self.target {
            Target::Flat(memory, private) => match memory.find_with(private, address) {
                Some((buffer, base)) if buffer.allows(address - base, size, access) => {
                    Ok(Some((buffer, address - base)))
                }
                Some((buffer, base)) if buffer.refuses(address - base, size) => miss(MissKind::Refused),
                _ if memory.loses(private, address, size) => Ok(None),
                _ => miss(MissKind::Outside),
            },
            Target::Local(buffer) => {
                let offset = address & u64::from(LOCAL_OFFSET);
                if buffer.allows(offset, size, access) {
                    Ok(Some((buffer, offset)))
                } else {
                    miss(MissKind::OutsideLocal)
                }
            }
            Target::Scratch(buffer) if buffer.allows(address, size, access) => Ok(Some((buffer, address))),
            Target::Scratch(_) => miss(MissKind::OutsideScratch),
            Target::Surface(_, buffer) if buffer.allows(address, size, access) => Ok(Some((buffer, address))),
            Target::Surface(_, buffer) if buffer.refuses(address, size) => miss(MissKind::Refused),
            Target::Surface(..) => Ok(None),
            Target::Nothing => Ok(None),
        }
    }

    /// Reports and records a channel's access to bytes of a buffer, which may be out of bounds.
    #[inline]
    pub fn access(
        &self,
        buffer: &Buffer,
        kind: AccessKind,
        lane: u32,
        (offset, size): (u64, u32),
        value: Option<u64>,
    ) {
        if let Some(watch) = self.witness.watch {
            self.tell(watch, kind, lane, (offset, size, false), value);
        }
        if let Some(trace) = self.trace(buffer, kind)
            && fits(buffer, offset, size)
        {
            trace.note(buffer, kind, offset, size.into());
        }
    }

    /// Reports an access to the observer.
    #[cold]
    fn tell(
        &self,
        watch: &Watch<'_>,
        kind: AccessKind,
        lane: u32,
        (address, size, unread): (u64, u32, bool),
        value: Option<u64>,
    ) {
        let is_there = |value| {
            let request = Request {
                addresses: &[address; LANES],
                enabled: 1,
                first_lane: 0,
                size,
                unread: false,
                unaligned: true,
            };
            let place = self.locate(&request, 0, AccessKind::Load).ok().flatten();
            place.and_then(|(buffer, offset)| buffer.load_unaligned(offset, size)) == Some(value)
        };
        let changes = !value.is_some_and(is_there);
        watch.observer.access(&self.describe(watch, kind, lane, (address, size, unread), (value, changes)));
    }

    /// Reports several accesses derived from the first one, if an observer is attached.
    pub fn tell_all<'b>(
        &self,
        kind: AccessKind,
        lane: u32,
        what: (u64, u32, bool),
        value: (Option<u64>, bool),
        all: impl FnOnce(Access) -> Accesses<'b>,
    ) {
        if let Some(watch) = self.witness.watch {
            watch.observer.accesses(&all(self.describe(watch, kind, lane, what, value)));
        }
    }

    /// Returns the full description of an access.
    fn describe(
        &self,
        watch: &Watch<'_>,
        kind: AccessKind,
        lane: u32,
        (address, size, unread): (u64, u32, bool),
        (value, changes): (Option<u64>, bool),
    ) -> Access {
        let number = |memory: &Memory, wanted| memory.buffers().iter().position(|other| std::ptr::eq(other, wanted));
        let (space, buffer, offset) = match self.target {
            Target::Flat(memory, private) => match memory.find(address) {
                Some((buffer, base)) => (Space::Flat, number(memory, buffer), address - base),
                None => match memory.find_with(private, address) {
                    Some((_, base)) => (Space::Scratch, None, address - base),
                    None => (Space::Flat, None, address),
                },
            },
            Target::Local(_) => (Space::Local, None, address & u64::from(LOCAL_OFFSET)),
            Target::Scratch(_) => (Space::Scratch, None, address),
            Target::Surface(memory, buffer) => (Space::Surface, number(memory, buffer), address),
            Target::Nothing => (Space::Surface, None, address),
        };
        Access {
            kind,
            space,
            buffer,
            offset,
            group: watch.group,
            thread: self.thread,
            lane,
            address,
            size,
            value,
            unread,
            changes,
            spot: watch.spot.get(),
        }
    }
}

/// Returns true if `place` is a multiple of `size`. Sizes are powers of two; the compiler cannot
/// know that and would emit a division.
#[inline]
fn is_aligned(place: u64, size: u32) -> bool {
    place & (u64::from(size) - 1) == 0
}

#[inline]
fn fits(buffer: &Buffer, offset: u64, size: u32) -> bool {
    offset.checked_add(u64::from(size)).is_some_and(|end| end <= buffer.reach())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::observer::{Observer, Spot};

    fn words(addresses: &[u64; LANES], enabled: u32) -> Request<'_> {
        Request { addresses, enabled, first_lane: 0, size: 4, unread: false, unaligned: false }
    }

    #[test]
    fn flat_accesses_outside_are_faults() {
        let mut memory = Memory::default();
        let base = memory.map(Buffer::zeros(16)).unwrap();
        let view = View::new(Target::Flat(&memory, &[]), Witness::default(), 0);
        let addresses: [u64; LANES] = std::array::from_fn(|i| base + 4 * i as u64);
        let mut values = [0; LANES];
        assert_eq!(view.load(&words(&addresses, 0xf), &mut values), Ok(0));
        let miss = view.load(&words(&addresses, 0x1f), &mut values).unwrap_err();
        assert_eq!((miss.lane, miss.address, miss.kind), (4, base + 16, MissKind::Outside));
        let odd = [base + 2; LANES];
        let miss = view.store(&words(&odd, 0b1000), &values).unwrap_err();
        assert_eq!((miss.lane, miss.kind), (3, MissKind::Misaligned));
        let anywhere = Request { unaligned: true, first_lane: 16, ..words(&odd, 1) };
        assert_eq!(view.store(&anywhere, &[0x0403_0201; LANES]), Ok(0));
        assert_eq!(view.load(&anywhere, &mut values), Ok(0));
        assert_eq!(
            (values[0], memory.buffers()[0].to_bytes()[..7].to_vec()),
            (0x0403_0201, vec![0, 0, 1, 2, 3, 4, 0])
        );
    }

    #[test]
    fn surfaces_lose_what_is_beyond_their_end() {
        let memory = Memory::default();
        let buffer = Buffer::from_bytes(&[1, 0, 0, 0, 2, 0, 0, 0]);
        let view = View::new(Target::Surface(&memory, &buffer), Witness::default(), 0);
        let addresses: [u64; LANES] = std::array::from_fn(|i| 4 * i as u64);
        let mut values = [9; LANES];
        assert_eq!(view.load(&words(&addresses, 0xf), &mut values), Ok(2));
        assert_eq!(values[..5], [1, 2, 0, 0, 9]);
        assert_eq!(view.store(&words(&addresses, 0xc), &[5; LANES]), Ok(2));
        let mut old = [0; LANES];
        assert_eq!(view.update(&words(&addresses, 0x6), &mut old, |_, x| x + 40), Ok(1));
        assert_eq!((old[1], old[2], buffer.load_u32(4)), (2, 0, Some(42)));
        assert_eq!(View::new(Target::Nothing, Witness::default(), 0).load(&words(&addresses, 1), &mut old), Ok(1));
    }

    #[test]
    fn local_addresses_carry_a_tag() {
        let buffer = Buffer::zeros(16);
        let view = View::new(Target::Local(&buffer), Witness::default(), 0);
        let addresses = [0x1000_0004; LANES];
        let mut old = [0; LANES];
        assert_eq!(view.update(&words(&addresses, 0xffff), &mut old, |_, x| x + 1), Ok(0));
        assert_eq!((old[15], buffer.load_u32(4)), (15, Some(16)));
        let miss = view.load(&words(&[0x1000_0010; LANES], 1), &mut old).unwrap_err();
        assert_eq!(miss.kind, MissKind::OutsideLocal);
    }

    #[derive(Debug, Default)]
    struct Log(std::sync::Mutex<Vec<Access>>);

    impl Observer for Log {
        fn access(&self, access: &Access) {
            self.0.lock().unwrap().push(*access);
        }
    }

    #[test]
    fn observers_learn_of_every_access() {
        let mut memory = Memory::default();
        memory.map(Buffer::zeros(4)).unwrap();
        let base = memory.map(Buffer::zeros(16)).unwrap();
        let log = Log::default();
        let spot = Cell::default();
        let watch = Watch { observer: &log, group: [1, 2, 3], spot: &spot };
        let witness = Witness { watch: Some(&watch), trace: None };
        let flat = View::new(Target::Flat(&memory, &[]), witness, 5);
        let addresses: [u64; LANES] = std::array::from_fn(|i| base + 8 * i as u64);
        let request = Request { first_lane: 16, size: 8, ..words(&addresses, 0b110) };
        let miss = flat.store(&request, &[0; LANES]).unwrap_err();
        assert_eq!(miss.lane, 18);
        let surface = View::new(Target::Surface(&memory, &memory.buffers()[1]), witness, 5);
        assert_eq!(surface.update(&words(&[40; LANES], 1), &mut [0; LANES], |_, x| x), Ok(1));
        let access = |kind, space, lane, address, size| Access {
            kind,
            space,
            buffer: Some(1),
            group: [1, 2, 3],
            thread: 5,
            lane,
            address,
            offset: address & 0xffff_ffff,
            size,
            value: (kind == AccessKind::Store).then_some(0),
            unread: false,
            changes: space == Space::Surface || lane == 18,
            spot: Spot::default(),
        };
        let all = [
            access(AccessKind::Store, Space::Flat, 17, base + 8, 8),
            access(AccessKind::Store, Space::Flat, 18, base + 16, 8),
            access(AccessKind::Atomic, Space::Surface, 0, 40, 4),
        ];
        assert_eq!(*log.0.lock().unwrap(), all, "those that miss as well");
    }
}
