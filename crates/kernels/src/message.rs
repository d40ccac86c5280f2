//! Messages to untyped memory, and the transfer of their data between memory and registers.
//!
//! A message is processed in chunks. If all data of a chunk lie inside one buffer, as usual, one
//! bounds check covers the chunk. Otherwise, or with an observer, each channel goes through
//! [`visakit_machine::access`].

mod fast;

use crate::address::{AddressSpace, Addressing, Elements, GlobalPlace};
use crate::atomic::Atomic;
use crate::lowering::{LowerResult, Lowering};
use crate::step::{Lowered, Run};
use crate::transfer::Transfer;
use fast::{FastPath, Unit};
use visakit::isa::RawOperand;
use visakit_machine::World;
use visakit_machine::access::{Miss, Request, View};
use visakit_machine::fault::Trap;
use visakit_machine::lane::{Change, LANES, MAX_LANES, enabled_lanes, from_lanes};
use visakit_machine::operand::Source;
use visakit_machine::thread::{ExecMask, Thread, ones};
use visakit_native::ir::{self, Access, Action, Addresses, Space};

/// A message that transfers elements between memory and registers.
#[derive(Clone)]
pub(super) struct Message {
    /// Enable mask.
    pub enable: ExecMask,
    /// Address space.
    pub space: AddressSpace,
    /// Computation of the addresses.
    pub addressing: Addressing,
    /// Element size in memory and layout in registers.
    pub transfer: Transfer,
    /// Distance of each element from the channel's address, in bytes.
    pub elements: Vec<u32>,
    /// True if addresses need not be multiples of the element size.
    pub unaligned: bool,
    /// Loaded elements that are unused, as bits.
    pub unread: u32,
}

/// Operation of a message.
pub(super) enum Operation {
    /// Loads the elements into registers, starting at this offset.
    Load(u32),
    /// Prefetches the elements.
    Prefetch,
    /// Stores the elements from registers, starting at this offset.
    Store(u32),
    /// Atomically updates the single element of each channel.
    Atomic(Atomic),
    /// Returns a mask of the enabled channels whose elements are all readable.
    Status(Option<u32>),
}

/// A chunk of the channels of an executing message.
#[derive(Clone, Copy)]
struct Chunk {
    /// Register offset of the data of all channels.
    at: u32,
    /// Number of the chunk.
    n: u32,
    /// Enabled channels of the chunk; at least one.
    enabled: u32,
}

impl Chunk {
    /// Returns the number of the first channel, and the enabled channels.
    fn who(self) -> (u32, u32) {
        (self.n * LANES as u32, self.enabled)
    }
}

impl Message {
    /// Returns true for a single channel with the same element layout in registers and memory.
    fn is_vector(&self) -> bool {
        self.enable.lanes == 1
            && self.transfer.element_step == self.transfer.size
            && self.transfer.slot == self.transfer.size
    }

    /// Returns the size of all channels' data in registers, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.transfer.extent(self.enable.lanes.count_ones() as usize, self.elements.len())
    }

    /// Lowers a load to an operand; to the null operand it becomes a prefetch.
    pub(super) fn load(mut self, l: &mut Lowering<'_>, dst: &RawOperand) -> LowerResult {
        let Some(at) = l.raw(dst, self.bytes())? else { return Ok(self.lower(l, Operation::Prefetch)) };
        if self.is_vector() {
            self.elements.truncate(l.used_of(dst, self.transfer.slot, self.elements.len())?);
        }
        if self.elements.len() > 1 {
            let bytes = self.transfer.extent(self.enable.lanes.count_ones() as usize, 1) as u32;
            for (n, _) in self.elements.iter().enumerate().take(32) {
                let place = self.transfer.place(0, n, 0);
                self.unread |= u32::from(!l.is_read(dst, place..place + bytes)?) << n;
            }
        }
        Ok(self.lower(l, Operation::Load(at)))
    }

    /// Lowers a store from an operand.
    pub(super) fn store(self, l: &mut Lowering<'_>, src: &RawOperand) -> LowerResult {
        let at = l.raw_required(src, self.bytes())?;
        Ok(self.lower(l, Operation::Store(at)))
    }

    /// Returns the addresses of all chunks. They are computed before the first result is written,
    /// because results may overwrite address registers.
    #[inline(always)]
    fn all_addresses(&self, thread: &Thread) -> [[u64; LANES]; MAX_LANES / LANES] {
        let lanes = self.enable.lanes.count_ones() as usize;
        let mut all = [[0; LANES]; MAX_LANES / LANES];
        for (n, chunk) in all.iter_mut().enumerate().take(lanes.div_ceil(LANES)) {
            *chunk = self.addressing.resolve(thread, n);
        }
        all
    }

    /// Returns true if the result of the first chunk overlaps the address registers of later
    /// chunks.
    fn replaces_addresses(&self, at: u32) -> bool {
        let lanes = self.enable.lanes.count_ones();
        let loaded = at..at + self.bytes() as u32;
        let mut places = self.addressing.places(lanes).chain(self.space.place());
        lanes > LANES as u32 && places.any(|place| place.start < loaded.end && loaded.start < place.end)
    }

    /// Lowers the message to a step.
    pub(super) fn lower(self, l: &mut Lowering<'_>, operation: Operation) -> Lowered {
        let (enable, fast) = (self.enable, FastPath::of(&self));
        let is_late = matches!(operation, Operation::Load(at) if self.replaces_addresses(at));
        l.note_action(|_| match operation {
            Operation::Load(_) if is_late => None,
            Operation::Load(at) => self.native(fast?, Access::Load, at),
            Operation::Store(at) => self.native(fast?, Access::Store, at),
            Operation::Prefetch => Some(Action::Nothing),
            Operation::Atomic(atomic) => {
                let (change, operand) = atomic.native()?;
                self.native(fast?, Access::Update(change), operand)
            }
            Operation::Status(_) => None,
        });
        let run: Run = match operation {
            Operation::Load(at) if is_late => Run::new(move |thread, world| {
                let view = self.space.view(thread, world);
                let addresses = self.all_addresses(thread);
                for_chunks(thread.enabled(&enable), |n, enabled| {
                    self.by_channel::<false>(thread, &view, Chunk { at, n: n as u32, enabled }, &addresses[n])
                })
            }),
            Operation::Load(at) => Run::new(move |thread, world| {
                for_chunks(thread.enabled(&enable), |n, enabled| {
                    self.transfer::<false>(thread, world, fast, Chunk { at, n: n as u32, enabled })
                })
            }),
            Operation::Store(at) => Run::new(move |thread, world| {
                for_chunks(thread.enabled(&enable), |n, enabled| {
                    self.transfer::<true>(thread, world, fast, Chunk { at, n: n as u32, enabled })
                })
            }),
            Operation::Prefetch => Run::new(|_, _| Ok(())),
            Operation::Atomic(atomic) => {
                if self.space.is_shared() {
                    atomic.note(l);
                }
                Run::new(move |thread, world| {
                    let view = self.space.view(thread, world);
                    let addresses = self.all_addresses(thread);
                    for_chunks(thread.enabled(&enable), |n, enabled| {
                        atomic.perform(thread, &view, n, enabled, &self.request(&addresses[n], n, enabled))
                    })
                })
            }
            Operation::Status(dst) => Run::new(move |thread, world| {
                let bits = self.status(thread, world);
                if let Some(dst) = dst {
                    thread.registers.set(dst, bits);
                }
                Ok(())
            }),
        };
        l.step(enable, run)
    }

    /// Returns the native transfer between memory and the registers at `at`, if native code
    /// supports it.
    fn native(&self, fast: FastPath, access: Access, at: u32) -> Option<Action> {
        let addressing = &self.addressing;
        addressing.pitch.is_none().then_some(())?;
        let (unit, count) = match fast.unit {
            Unit::Dword => (ir::Unit::Dword, self.elements.len()),
            Unit::Qword => (ir::Unit::Qword, self.elements.len()),
            Unit::Bytes(bytes) => (ir::Unit::Part { bytes, keeps: bytes < 4 }, 1),
            Unit::Extended(bytes) => (ir::Unit::Part { bytes, keeps: false }, 1),
        };
        let space = match &self.space {
            AddressSpace::Flat => Space::Flat,
            AddressSpace::Local => Space::Local,
            AddressSpace::Surface(element) => Space::Surface(*element as u32),
            AddressSpace::SurfaceIndex(source) => Space::Named(plain_place(source)?),
            AddressSpace::Scratch => {
                let base = addressing.scratch.as_ref()?;
                Space::Private { number: plain_place(&base.number)?, unit: base.unit as u32 }
            }
            AddressSpace::State(_) | AddressSpace::StateOffset(_) | AddressSpace::StateAddress(..) => return None,
        };
        let addresses = match addressing.elements {
            None => Addresses::None,
            Some(Elements::Dwords(at)) if space == Space::Flat => Addresses::Offsets { at, signed: false },
            Some(Elements::Integers(at)) if space == Space::Flat => Addresses::Offsets { at, signed: true },
            Some(Elements::Dwords(at)) => Addresses::Dwords(at),
            Some(Elements::Qwords(at)) => Addresses::Qwords(at),
            Some(Elements::Words(_) | Elements::Integers(_)) => return None,
        };
        // Native code computes sums of this width.
        let bits = if space == Space::Flat { u64::MAX } else { u32::MAX.into() };
        // A single 32-bit addend cannot overflow.
        let is_short = addressing.scale == 1
            && addressing.offset == 0
            && addressing.global.is_none()
            && matches!(addressing.elements, None | Some(Elements::Dwords(_)));
        let is_wide = addressing.mask == u64::MAX && space != Space::Flat && is_short;
        (addressing.mask == bits || is_wide).then_some(())?;
        // The base is added after scaling, the other addend before it.
        let is_extended = matches!(addresses, Addresses::Offsets { .. });
        let global = match (addressing.global_place, addressing.base_place) {
            (GlobalPlace::Zero, GlobalPlace::Zero) => None,
            (GlobalPlace::At(at, bytes), GlobalPlace::Zero) if !is_extended => Some((at, bytes)),
            (GlobalPlace::Zero, GlobalPlace::At(at, bytes)) if is_extended || addressing.scale == 1 => {
                Some((at, bytes))
            }
            _ => return None,
        };
        let elements = (0..).zip(&self.elements).take(count);
        let elements = elements.map(|(n, distance)| (*distance, self.transfer.place(at, n, 0)));
        Some(Action::Transfer(ir::Transfer {
            access,
            space,
            addresses,
            global,
            scale: addressing.scale.try_into().ok()?,
            offset: addressing.offset.try_into().ok()?,
            unit,
            alignment: if self.unaligned && !matches!(access, Access::Update(_)) { 1 } else { fast.extent.alignment },
            elements: elements.collect(),
        }))
    }

    /// Returns the request for one element of each channel in the n-th chunk.
    fn request<'a>(&self, addresses: &'a [u64; LANES], n: usize, enabled: u32) -> Request<'a> {
        let (first_lane, size) = ((n * LANES) as u32, self.transfer.size);
        Request { addresses, enabled, first_lane, size, unread: false, unaligned: self.unaligned }
    }

    /// Returns the register offset of a chunk of an element's channels.
    #[inline(always)]
    fn place(&self, chunk: Chunk, element: usize) -> u32 {
        self.transfer.place(chunk.at, element, chunk.n as usize)
    }

    /// Transfers the data of a chunk: a store if `STORE`, otherwise a load. Out of line, so that
    /// its values are not hoisted out of the loop over chunks.
    #[inline(never)]
    fn transfer<const STORE: bool>(
        &self,
        thread: &mut Thread,
        world: &World<'_>,
        fast: Option<FastPath>,
        chunk: Chunk,
    ) -> Result<(), Miss> {
        let view = self.space.view(thread, world);
        if let Some(fast) = fast
            && (!view.is_watched() || self.tell::<STORE>(thread, &view, fast, chunk).is_some())
            && (self.row::<STORE>(thread, &view, fast, chunk).is_some()
                || self.in_bounds::<STORE>(thread, &view, fast, chunk).is_some())
        {
            return Ok(());
        }
        let addresses = self.addressing.resolve(thread, chunk.n as usize);
        self.by_channel::<STORE>(thread, &view, chunk, &addresses)
    }

    /// Slow path: transfers the data of a chunk channel by channel.
    #[inline(never)]
    fn by_channel<const STORE: bool>(
        &self,
        thread: &mut Thread,
        view: &View<'_>,
        chunk: Chunk,
        base: &[u64; LANES],
    ) -> Result<(), Miss> {
        let (n, enabled) = (chunk.n as usize, chunk.enabled);
        for (element, distance) in self.elements.iter().enumerate() {
            let addresses = from_lanes(|i| base[i].wrapping_add(u64::from(*distance)));
            let unread = !STORE && self.unread.checked_shr(element as u32).is_some_and(|bits| bits & 1 == 1);
            let request = Request { unread, ..self.request(&addresses, n, enabled) };
            let at = self.place(chunk, element);
            if STORE {
                let values = self.transfer.get(thread, at, enabled);
                thread.outside_writes += u64::from(view.store(&request, &values)?);
            } else {
                let mut values = [0; LANES];
                thread.outside_reads += u64::from(view.load(&request, &mut values)?);
                self.transfer.put(thread, at, &values, enabled);
            }
        }
        Ok(())
    }

    /// Returns a mask of the enabled channels whose elements are all in bounds.
    fn status(&self, thread: &Thread, world: &World<'_>) -> u32 {
        let view = self.space.view(thread, world);
        let mut bits = thread.enabled(&self.enable);
        for n in 0..MAX_LANES / LANES {
            let enabled = bits >> (n * LANES) & ones(LANES);
            if enabled == 0 {
                continue;
            }
            let base = self.addressing.resolve(thread, n);
            for lane in enabled_lanes::<LANES>(enabled) {
                let is_outside = |distance: &u32| {
                    let addresses = [base[lane].wrapping_add(u64::from(*distance)); LANES];
                    let request = self.request(&addresses, n, 1 << lane);
                    view.load(&request, &mut [0; LANES]) != Ok(0)
                };
                if self.elements.iter().any(is_outside) {
                    bits &= !(1 << (n * LANES + lane));
                }
            }
        }
        bits
    }
}

/// Calls `access` for each chunk with an enabled channel.
#[inline(always)]
pub(super) fn for_chunks(
    enabled: u32,
    mut access: impl FnMut(usize, u32) -> Result<(), Miss>,
) -> Result<(), Box<Trap>> {
    for n in 0..MAX_LANES / LANES {
        let enabled = enabled >> (n * LANES) & ones(LANES);
        if enabled != 0
            && let Err(miss) = access(n, enabled)
        {
            return Err(miss.into());
        }
    }
    Ok(())
}

/// Returns the register offset of a scalar that needs no conversion or modifier.
fn plain_place(source: &Source<u32>) -> Option<u32> {
    source.place().filter(|place| place.is_native && place.change == Change::None).map(|place| place.at)
}
