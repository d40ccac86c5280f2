//! Messages to untyped memory: what lowering knows of one, and the one path of its data between
//! memory and registers.
//!
//! A message goes chunk by chunk: at once where all data of a chunk lie inside of one buffer, as
//! they nearly always do, otherwise, or when somebody watches, channel by channel through the door
//! of [`crate::machine::access`].

mod fast;

use crate::kernels::address::{AddressSpace, Addressing, Elements, GlobalPlace};
use crate::kernels::atomic::Atomic;
use crate::kernels::lowering::{LowerResult, Lowering};
use crate::kernels::step::{Lowered, Run};
use crate::kernels::transfer::Transfer;
use crate::machine::World;
use crate::machine::access::{Miss, Request, View};
use crate::machine::fault::Trap;
use crate::machine::lane::{Change, LANES, MAX_LANES, enabled_lanes, from_lanes};
use crate::machine::operand::Source;
use crate::machine::thread::{ExecMask, Thread, ones};
use fast::{FastPath, Unit};
use visakit::isa::RawOperand;
use visakit_native::ir::{self, Access, Action, Addresses, Space};

/// A message that reaches elements in memory.
#[derive(Clone)]
pub(super) struct Message {
    /// The channels.
    pub enable: ExecMask,
    /// The memory.
    pub space: AddressSpace,
    /// The addresses.
    pub addressing: Addressing,
    /// An element in memory and in registers.
    pub transfer: Transfer,
    /// For each element of a channel, its distance from the channel's address.
    pub elements: Vec<u32>,
    /// Whether addresses may be anything, not only multiples of the size.
    pub unaligned: bool,
    /// The elements that are loaded and that nothing looks at, as bits.
    pub unread: u32,
}

/// What a message does with its elements.
pub(super) enum Operation {
    /// Reads them into registers from there on.
    Load(u32),
    /// Only asks for the data to come near.
    Prefetch,
    /// Writes registers from there on.
    Store(u32),
    /// Reads, changes and writes the only element of each channel in one step.
    Atomic(Atomic),
    /// Tells the enabled channels that could read all of their elements, one bit for each.
    Status(Option<u32>),
}

/// Some of the channels of a message that runs.
#[derive(Clone, Copy)]
struct Chunk {
    /// Where the data of all channels begin in registers.
    at: u32,
    /// Which chunk of channels.
    n: u32,
    /// Those of them that are enabled, at least one.
    enabled: u32,
}

impl Chunk {
    /// Its first channel, and those that are enabled.
    fn who(self) -> (u32, u32) {
        (self.n * LANES as u32, self.enabled)
    }
}

impl Message {
    /// Whether there is one channel, whose elements stand in registers as in memory.
    fn is_vector(&self) -> bool {
        self.enable.lanes == 1
            && self.transfer.element_step == self.transfer.size
            && self.transfer.slot == self.transfer.size
    }

    /// Bytes of registers that the data of all channels need.
    pub(super) fn bytes(&self) -> u64 {
        self.transfer.extent(self.enable.lanes.count_ones() as usize, self.elements.len())
    }

    /// Lowers a message that reads memory into an operand; into the null operand it only asks for
    /// the data to come near.
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

    /// Lowers a message that writes an operand to memory.
    pub(super) fn store(self, l: &mut Lowering<'_>, src: &RawOperand) -> LowerResult {
        let at = l.raw_required(src, self.bytes())?;
        Ok(self.lower(l, Operation::Store(at)))
    }

    /// The addresses of all chunks of channels, before any has a result: it may stand where others
    /// have their addresses.
    #[inline(always)]
    fn all_addresses(&self, thread: &Thread) -> [[u64; LANES]; MAX_LANES / LANES] {
        let lanes = self.enable.lanes.count_ones() as usize;
        let mut all = [[0; LANES]; MAX_LANES / LANES];
        for (n, chunk) in all.iter_mut().enumerate().take(lanes.div_ceil(LANES)) {
            *chunk = self.addressing.resolve(thread, n);
        }
        all
    }

    /// Whether what the first channels load stands where the others have yet to find their
    /// addresses.
    fn replaces_addresses(&self, at: u32) -> bool {
        let lanes = self.enable.lanes.count_ones();
        let loaded = at..at + self.bytes() as u32;
        let mut places = self.addressing.places(lanes).chain(self.space.place());
        lanes > LANES as u32 && places.any(|place| place.start < loaded.end && loaded.start < place.end)
    }

    /// Lowers the message: from here on nothing else is known of it.
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

    /// What native code moves, from registers at `at` on to memory or the other way, if it can.
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
        // Sums of as many bits as the code has.
        let bits = if space == Space::Flat { u64::MAX } else { u32::MAX.into() };
        // A sum of one number of 32 bits has no more.
        let is_short = addressing.scale == 1
            && addressing.offset == 0
            && addressing.global.is_none()
            && matches!(addressing.elements, None | Some(Elements::Dwords(_)));
        let is_wide = addressing.mask == u64::MAX && space != Space::Flat && is_short;
        (addressing.mask == bits || is_wide).then_some(())?;
        // A base is added behind the factor, the other number before it.
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

    /// Accesses of the n-th chunk of channels to one element each.
    fn request<'a>(&self, addresses: &'a [u64; LANES], n: usize, enabled: u32) -> Request<'a> {
        let (first_lane, size) = ((n * LANES) as u32, self.transfer.size);
        Request { addresses, enabled, first_lane, size, unread: false, unaligned: self.unaligned }
    }

    /// Where a chunk of an element's channels stands in registers.
    #[inline(always)]
    fn place(&self, chunk: Chunk, element: usize) -> u32 {
        self.transfer.place(chunk.at, element, chunk.n as usize)
    }

    /// Moves the data of a chunk: from registers to memory with `STORE`, else the other way. A
    /// call, so that what this needs is computed where it is needed and not in front of all chunks.
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

    /// The data of a chunk wherever they are, channel by channel.
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

    /// One bit for each enabled channel all of whose elements are in memory.
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

/// Does something for each chunk of channels of which any is enabled.
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

/// Where a number that all channels have in common stands, if it is taken as it is.
fn plain_place(source: &Source<u32>) -> Option<u32> {
    source.place().filter(|place| place.is_native && place.change == Change::None).map(|place| place.at)
}
