//! What messages to memory have in common: where they go, the addresses of the channels, and the way of data between
//! memory and registers.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, u32x16, u64x8};

use crate::kernels::atomic::Update;
use crate::kernels::lowering::{LowerResult, Lowering, illegal};
use crate::kernels::reach::Form;
use crate::kernels::step::{Lowered, Run};
use crate::machine::access::{Lanes, Miss, View};
use crate::machine::fault::Trap;
use crate::machine::lane::{Element, LANES, MAX_LANES, enabled_lanes, from_lanes};
use crate::machine::operand::{Source, blend};
use crate::machine::thread::{ExecMask, Thread, ones};
use crate::machine::{World, entry_of_state};
use visakit::isa::{DataType, RawOperand, SurfaceId, VecOperand, predefined_surface};

/// Which memory a message goes to.
#[derive(Clone)]
pub(super) enum Place {
    /// Flat memory.
    Flat,
    /// Shared local memory.
    Local,
    /// Scratch memory, from its beginning.
    Scratch,
    /// The surface whose binding-table index a surface element holds.
    Surface(usize),
    /// The surface whose binding-table index is the first element of an operand.
    Index(Source<u32>),
    /// The surface whose state is at the offset that a surface element holds.
    State(usize),
    /// The surface whose state is at the offset that is the first element of an operand.
    StateIndex(Source<u32>),
}

impl Place {
    #[inline(always)]
    pub(super) fn view<'w>(&self, thread: &Thread, world: &World<'w>) -> View<'w> {
        match self {
            Self::Local => world.local(),
            Self::Scratch => world.scratch(),
            place => place.entry(thread).map_or_else(|| world.flat(), |entry| world.surface(entry)),
        }
    }

    /// Whether other groups reach it as well.
    fn is_shared(&self) -> bool {
        !matches!(self, Self::Local | Self::Scratch)
    }

    /// The binding-table index that it stands for, or the one beyond the table, where it has one.
    #[inline(always)]
    pub(super) fn entry(&self, thread: &Thread) -> Option<u32> {
        match self {
            Self::Surface(element) => Some(thread.surfaces[*element]),
            Self::Index(source) => Some(source.first(thread)),
            Self::State(element) => Some(entry_of_state(thread.surfaces[*element])),
            Self::StateIndex(source) => Some(entry_of_state(source.first(thread))),
            Self::Flat | Self::Local | Self::Scratch => None,
        }
    }
}

/// How the addresses of the channels come about: `base + unit * (global + element) + offset`, of which `mask` counts.
#[derive(Clone)]
pub(super) struct Addresses {
    /// Where the elements stand; none for messages with one address.
    pub elements: Option<Elements>,
    /// A number for all channels.
    pub global: Option<Source<u64>>,
    /// Factor.
    pub unit: u64,
    /// Bytes added to each.
    pub offset: i64,
    /// Bits that count.
    pub mask: u64,
    /// Added once for each channel before the n-th; then the first element counts for all.
    pub pitch: Option<Pitch>,
    /// Where the part of scratch memory begins that the addresses count in.
    pub scratch: Option<ScratchBase>,
}

/// Scratch states are named by the base of the memory, without its low bits.
pub(super) const SCRATCH_UNIT: u64 = 16;

/// Where a part of scratch memory begins.
#[derive(Clone)]
pub(super) struct ScratchBase {
    /// Its offset.
    pub number: Source<u32>,
    /// In so many bytes.
    pub unit: u64,
}

impl ScratchBase {
    #[inline(always)]
    fn bytes(&self, thread: &Thread) -> u64 {
        u64::from(self.number.first(thread)) * self.unit
    }
}

/// The distance from one channel to the next.
#[derive(Clone)]
pub(super) enum Pitch {
    /// A dword.
    Row,
    /// As many bytes as an operand says.
    Operand(Source<u64>),
}

/// Address elements in registers.
#[derive(Clone, Copy)]
pub(super) enum Elements {
    /// Of 16 bits.
    Words(u32),
    /// Of 32 bits.
    Dwords(u32),
    /// Of 64 bits.
    Qwords(u32),
}

impl Addresses {
    /// Offsets of 32 bits in registers.
    pub(super) fn dwords(at: u32) -> Self {
        let mask = u32::MAX.into();
        Self {
            elements: Some(Elements::Dwords(at)),
            global: None,
            unit: 1,
            offset: 0,
            mask,
            pitch: None,
            scratch: None,
        }
    }

    /// The first address and the dwords behind it.
    pub(super) fn in_row(self) -> Self {
        Self { pitch: Some(Pitch::Row), ..self }
    }

    /// The first address and others at equal distances.
    pub(super) fn at_pitch(self, pitch: Source<u64>) -> Self {
        Self { pitch: Some(Pitch::Operand(pitch)), ..self }
    }

    /// How the addresses of the enabled channels of the n-th chunk, at least one, follow each other.
    #[inline(always)]
    fn order(&self, thread: &Thread, n: usize, enabled: u32) -> Order {
        if self.pitch.is_some() {
            return self.order_at_pitch(thread, n, enabled);
        }
        let chunk = |size: usize| (n * LANES * size) as u32;
        let found = if let Some(Elements::Dwords(at)) = self.elements {
            step_of_dwords(thread, at + chunk(4), enabled).map(|(element, step)| (u64::from(element), step))
        } else if let Some(Elements::Qwords(at)) = self.elements {
            step_of_qwords(thread, at + chunk(8), enabled)
        } else if self.elements.is_none() {
            Some((0, 0))
        } else {
            None
        };
        let Some((element, step)) = found else { return Order::Any };
        let global = self.global.as_ref().map_or(0, |global| global.first(thread));
        let address =
            element.wrapping_add(global).wrapping_mul(self.unit).wrapping_add_signed(self.offset) & self.mask;
        let scratch = self.scratch.as_ref().map_or(0, |scratch| scratch.bytes(thread));
        let address = address.wrapping_add(scratch);
        if step == 0 {
            Order::Same(address)
        } else if self.unit == 1 {
            // Where addresses run over the end of what counts there is no buffer, so such a row is refused later.
            row_of(address, enabled)
        } else {
            Order::Any
        }
    }

    #[inline(never)]
    fn order_at_pitch(&self, thread: &Thread, n: usize, enabled: u32) -> Order {
        if let Some(Pitch::Row) = self.pitch {
            let [address, ..] = self.resolve(thread, n);
            return row_of(address.wrapping_add(u64::from(enabled.trailing_zeros()) * 4), enabled);
        }
        Order::Any
    }

    /// Addresses of the n-th chunk of channels.
    #[inline(always)]
    pub(super) fn resolve(&self, thread: &Thread, n: usize) -> [u64; LANES] {
        // With a pitch there is one element for all channels.
        let first = if self.pitch.is_some() { 0 } else { (n * LANES) as u32 };
        let mut addresses: [u64; LANES] = match self.elements {
            None => [0; LANES],
            Some(Elements::Words(at)) => {
                let elements: [u16; LANES] = thread.registers.load(at + first * 2);
                from_lanes(|i| elements[i].into())
            }
            Some(Elements::Dwords(at)) => {
                let elements: [u32; LANES] = thread.registers.load(at + first * 4);
                from_lanes(|i| elements[i].into())
            }
            Some(Elements::Qwords(at)) => thread.registers.load(at + first * 8),
        };
        if let Some(global) = &self.global {
            let global = global.first(thread);
            if global != 0 {
                addresses = from_lanes(|i| addresses[i].wrapping_add(global));
            }
        }
        if self.unit != 1 {
            addresses = from_lanes(|i| addresses[i].wrapping_mul(self.unit));
        }
        if self.offset != 0 {
            addresses = from_lanes(|i| addresses[i].wrapping_add_signed(self.offset));
        }
        if let Some(pitch) = &self.pitch {
            let [first, ..] = addresses;
            let pitch = match pitch {
                Pitch::Row => 4,
                Pitch::Operand(source) => source.first(thread),
            };
            addresses = from_lanes(|i| first.wrapping_add(((n * LANES + i) as u64).wrapping_mul(pitch)));
        }
        if self.mask != u64::MAX {
            addresses = from_lanes(|i| addresses[i] & self.mask);
        }
        if let Some(scratch) = &self.scratch {
            let base = scratch.bytes(thread);
            addresses = from_lanes(|i| addresses[i].wrapping_add(base));
        }
        addresses
    }
}

/// How the addresses of the enabled channels of a chunk follow each other.
enum Order {
    /// Neighbours are dwords one behind the other.
    Row {
        /// Address of the first enabled channel.
        address: u64,
        /// This channel.
        first: u32,
        /// How many are enabled.
        count: usize,
    },
    /// All have this one.
    Same(u64),
    /// In any other way, or it is not known.
    Any,
}

/// The first enabled channel's element, of those that stand at a place in the registers, and the distance from each to the next,
/// 0 or 4, when it is the same for all enabled channels.
macro_rules! step_of {
    ($name:ident, $type:ty, $equal:ident) => {
        #[inline(always)]
        fn $name(thread: &Thread, at: u32, enabled: u32) -> Option<($type, u32)> {
            let first = enabled.trailing_zeros();
            let element = |lane: u32| thread.registers.get::<$type>(at + lane * <$type as Element>::SIZE as u32);
            let start = element(first);
            if enabled & (enabled - 1) == 0 {
                return Some((start, 0));
            }
            // The first two say what to look for.
            let step = element(first + 1).wrapping_sub(start);
            if step != 0 && step != 4 {
                return None;
            }
            static DISTANCES: [[$type; LANES]; 2] =
                [[0; LANES], [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60]];
            let expected = &DISTANCES[usize::from(step == 4)];
            let elements: [$type; LANES] = thread.registers.load(at);
            let origin = start.wrapping_sub(<$type>::from(first).wrapping_mul(step));
            let equal = dispatch!(Level::baseline(), simd => $equal(simd, &elements, origin, expected));
            (equal & enabled == enabled).then_some((start, step as u32))
        }
    };
}

step_of!(step_of_dwords, u32, equal_dwords);
step_of!(step_of_qwords, u64, equal_qwords);

/// One bit for each channel: whether its element is as far from the origin as expected. The vectors are explicit, because the
/// compiler would not use them where all that comes out is a number.
#[inline(always)]
fn equal_dwords<S: Simd>(simd: S, elements: &[u32; LANES], origin: u32, expected: &[u32; LANES]) -> u32 {
    let distances = u32x16::from_slice(simd, elements) - u32x16::splat(simd, origin);
    distances.simd_eq(u32x16::from_slice(simd, expected)).to_bitmask() as u32
}

/// The same for elements of 64 bits.
#[inline(always)]
fn equal_qwords<S: Simd>(simd: S, elements: &[u64; LANES], origin: u64, expected: &[u64; LANES]) -> u32 {
    let half = |n: usize| {
        let distances = u64x8::from_slice(simd, &elements[n * 8..][..8]) - u64x8::splat(simd, origin);
        distances.simd_eq(u64x8::from_slice(simd, &expected[n * 8..][..8])).to_bitmask() as u32
    };
    half(0) | half(1) << 8
}

/// A row, when the enabled channels are neighbours; the address is that of the first of them.
fn row_of(address: u64, enabled: u32) -> Order {
    let first = enabled.trailing_zeros();
    let count = (enabled >> first).trailing_ones() as usize;
    if enabled >> first == ones(count) { Order::Row { address, first, count } } else { Order::Any }
}

/// The shape of the data of a message. Sizes and distances are in bytes.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Size of an element in memory.
    pub size: u32,
    /// Size of an element in registers.
    pub slot: u32,
    /// Whether the element is in the upper half of its slot.
    pub high: bool,
    /// From one channel to the next in registers.
    pub lane_step: u32,
    /// From one element of a channel to the next in registers.
    pub element_step: u32,
}

impl Shape {
    /// Elements of one size in memory and in registers, the channels one behind the other.
    pub(super) fn packed(size: u32, element_step: u32) -> Self {
        Self { size, slot: size, high: false, lane_step: size, element_step }
    }

    /// Bytes of registers that `lanes` channels with `elements` elements each need.
    pub(super) fn extent(&self, lanes: usize, elements: usize) -> u64 {
        let last = |count: usize, step: u32| (count.max(1) as u64 - 1) * u64::from(step);
        last(lanes, self.lane_step) + last(elements, self.element_step) + u64::from(self.slot)
    }

    /// Whether the channels' words stand one behind the other.
    fn is_words(&self) -> bool {
        self.size == 4 && self.slot == 4 && self.lane_step == 4
    }

    /// Where the n-th chunk of channels of an element begins, of data that begin at `at`.
    #[inline(always)]
    pub(super) fn place(&self, at: u32, element: usize, n: usize) -> u32 {
        at + element as u32 * self.element_step + (n * LANES) as u32 * self.lane_step
    }

    #[inline(always)]
    fn lane(&self, at: u32, lane: usize) -> u32 {
        at + lane as u32 * self.lane_step
    }
}

/// A message that moves elements between memory and registers.
pub(super) struct Message {
    /// The channels.
    pub enable: ExecMask,
    /// The memory.
    pub place: Place,
    /// The addresses.
    pub addresses: Addresses,
    /// The data.
    pub shape: Shape,
    /// For each element of a channel, its distance from the channel's address.
    pub elements: Vec<u64>,
    /// Whether addresses may be anything, not only multiples of the size.
    pub unaligned: bool,
}

/// What is known of a message's data before it runs.
#[derive(Clone, Copy)]
pub(super) struct Data {
    /// Where they stand in the registers.
    pub(super) at: u32,
    /// Whether each channel has one element, at its address.
    is_single: bool,
    /// See [`Message::is_block`].
    is_block: bool,
    /// How they are moved when all of them lie inside of one buffer.
    pub(super) form: Form,
    /// The distance of the last value of a channel from its address.
    pub(super) reach: u32,
}

impl Data {
    fn new(message: &Message, at: u32) -> Self {
        let form = Form::new(message);
        let reach = match form {
            Form::Bytes(_) => 0,
            _ => message.elements.iter().max().map_or(0, |last| *last as u32),
        };
        Self { at, is_single: message.elements == [0], is_block: message.is_block(), form, reach }
    }
}

impl Message {
    /// Whether a single channel moves words that stand one behind the other, in memory and in registers.
    fn is_block(&self) -> bool {
        let in_row = self.elements.iter().zip(0..).all(|(distance, n)| *distance == n * 4);
        self.enable.lanes == 1 && self.shape.is_words() && self.shape.element_step == 4 && in_row
    }

    /// Reads memory into registers from `dst` on; without it the message only asks for the data to come near.
    pub(super) fn load(self, l: &mut Lowering<'_>, dst: Option<u32>) -> Lowered {
        let Some(dst) = dst else { return l.step(self.enable, Box::new(|_, _| Ok(()))) };
        self.in_chunks(l, dst, Self::load_chunk)
    }

    /// A step that moves the data at a place in the registers, chunk by chunk.
    fn in_chunks(
        self,
        l: &mut Lowering<'_>,
        at: u32,
        chunk: impl Fn(&Self, &mut Thread, &World<'_>, Data, usize, u32) -> Result<(), Miss> + Send + Sync + 'static,
    ) -> Lowered {
        let (enable, data) = (self.enable, Data::new(&self, at));
        let run: Run = Box::new(move |thread: &mut Thread, world: &World<'_>| {
            for_chunks(
                thread.enabled(&enable),
                #[inline(always)]
                |n, enabled| chunk(&self, thread, world, data, n, enabled),
            )
        });
        l.step(enable, run)
    }

    // A call, so that what this needs is computed where it is needed and not in front of all chunks.
    #[inline(never)]
    fn load_chunk(
        &self,
        thread: &mut Thread,
        world: &World<'_>,
        data: Data,
        n: usize,
        enabled: u32,
    ) -> Result<(), Miss> {
        let view = self.place.view(thread, world);
        if data.form == Form::Words {
            match self.addresses.order(thread, n, enabled) {
                Order::Row { address, first, count } if data.is_single => {
                    let at = self.shape.place(data.at, 0, n) + first * 4;
                    let bytes = thread.registers.bytes_mut(at);
                    if view.load_row(address, &mut bytes.as_chunks_mut().0[..count]).is_some() {
                        return Ok(());
                    }
                }
                Order::Row { address, .. } | Order::Same(address) if data.is_block => {
                    let bytes = thread.registers.bytes_mut(data.at);
                    let words = &mut bytes.as_chunks_mut().0[..self.elements.len()];
                    if view.load_row(address, words).is_some() {
                        return Ok(());
                    }
                }
                Order::Same(address) if self.load_same(thread, &view, address, data.at, n, enabled).is_some() => {
                    return Ok(());
                }
                _ => {}
            }
        }
        if data.form != Form::Other && self.load_reached(thread, &view, data, n, enabled).is_some() {
            return Ok(());
        }
        self.load_any(thread, &view, data.at, n, enabled)
    }

    /// Reads words that are the same for all channels. `None` when one of them does not lie inside.
    #[inline(never)]
    fn load_same(
        &self,
        thread: &mut Thread,
        view: &View<'_>,
        address: u64,
        dst: u32,
        n: usize,
        enabled: u32,
    ) -> Option<()> {
        for (element, distance) in self.elements.iter().enumerate() {
            let word = view.load_word(address.wrapping_add(*distance))?;
            blend(&mut thread.registers, self.shape.place(dst, element, n), &[word; LANES], enabled);
        }
        Some(())
    }

    #[inline(never)]
    fn load_any(&self, thread: &mut Thread, view: &View<'_>, dst: u32, n: usize, enabled: u32) -> Result<(), Miss> {
        let base = self.addresses.resolve(thread, n);
        for (element, distance) in self.elements.iter().enumerate() {
            let addresses = moved(&base, *distance);
            let lanes = Lanes { addresses: &addresses, enabled, unaligned: self.unaligned };
            let at = self.shape.place(dst, element, n);
            let outside = if self.shape.is_words() {
                let mut values = [0; LANES];
                let outside = view.load_words(&lanes, &mut values)?;
                blend(&mut thread.registers, at, &values, enabled);
                outside
            } else {
                let mut values = [0; LANES];
                let outside = view.load(&lanes, self.shape.size, &mut values)?;
                to_registers(thread, &self.shape, at, &values, enabled);
                outside
            };
            thread.outside_reads += u64::from(outside);
        }
        Ok(())
    }

    /// Writes registers from `src` on to memory.
    pub(super) fn store(self, l: &mut Lowering<'_>, src: u32) -> Lowered {
        self.in_chunks(l, src, Self::store_chunk)
    }

    #[inline(never)]
    fn store_chunk(
        &self,
        thread: &mut Thread,
        world: &World<'_>,
        data: Data,
        n: usize,
        enabled: u32,
    ) -> Result<(), Miss> {
        let view = self.place.view(thread, world);
        if data.form == Form::Words {
            match self.addresses.order(thread, n, enabled) {
                Order::Row { address, first, count } if data.is_single => {
                    let bytes = thread.registers.bytes(self.shape.place(data.at, 0, n) + first * 4);
                    if view.store_row(address, &bytes.as_chunks().0[..count]).is_some() {
                        return Ok(());
                    }
                }
                Order::Row { address, .. } | Order::Same(address) if data.is_block => {
                    let words = &thread.registers.bytes(data.at).as_chunks().0[..self.elements.len()];
                    if view.store_row(address, words).is_some() {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        if data.form != Form::Other && self.store_reached(thread, &view, data, n, enabled).is_some() {
            return Ok(());
        }
        self.store_any(thread, &view, data.at, n, enabled)
    }

    #[inline(never)]
    fn store_any(&self, thread: &mut Thread, view: &View<'_>, src: u32, n: usize, enabled: u32) -> Result<(), Miss> {
        let base = self.addresses.resolve(thread, n);
        for (element, distance) in self.elements.iter().enumerate() {
            let addresses = moved(&base, *distance);
            let lanes = Lanes { addresses: &addresses, enabled, unaligned: self.unaligned };
            let at = self.shape.place(src, element, n);
            let outside = if self.shape.is_words() {
                view.store_words(&lanes, &thread.registers.load(at))?
            } else {
                let values = from_registers(thread, &self.shape, at, enabled);
                view.store(&lanes, self.shape.size, &values)?
            };
            thread.outside_writes += u64::from(outside);
        }
        Ok(())
    }

    /// Replaces memory by what `update` makes of it and of two operands; `result` gets the old values, or the new ones.
    pub(super) fn atomic(
        self,
        l: &mut Lowering<'_>,
        update: Update,
        operands: [Option<u32>; 2],
        result: AtomicResult,
    ) -> Lowered {
        let Self { enable, place, addresses, shape, .. } = self;
        if place.is_shared() {
            l.note_atomic(&update, result);
        }
        let update = update.of;
        let run: Run = Box::new(move |thread: &mut Thread, world: &World<'_>| {
            let mut outside = 0;
            for_chunks(thread.enabled(&enable), |n, enabled| {
                let view = place.view(thread, world);
                let addresses = addresses.resolve(thread, n);
                let lanes = Lanes { addresses: &addresses, enabled, unaligned: false };
                let value = |at: Option<u32>| match at {
                    Some(at) => from_registers(thread, &shape, shape.place(at, 0, n), enabled),
                    None => [0; LANES],
                };
                let (a, b) = (value(operands[0]), value(operands[1]));
                let mut old = [0; LANES];
                let change = |lane: usize, old: u64| update(old, a[lane], b[lane]);
                outside += view.update(&lanes, shape.size, &mut old, change)?;
                match result {
                    AtomicResult::None => {}
                    AtomicResult::Old(at) => to_registers(thread, &shape, shape.place(at, 0, n), &old, enabled),
                    AtomicResult::New(at) => {
                        let new = from_lanes(|i| update(old[i], a[i], b[i]));
                        to_registers(thread, &shape, shape.place(at, 0, n), &new, enabled);
                    }
                }
                Ok(())
            })?;
            thread.outside_writes += u64::from(outside);
            Ok(())
        });
        l.step(enable, run)
    }
}

/// Does something for each chunk of channels of which any is enabled. In a fault, the channel counts from the first chunk.
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
            return Err(trouble(Miss { lane: miss.lane + (n * LANES) as u32, ..miss }));
        }
    }
    Ok(())
}

/// What an atomic operation gives back, and where.
#[derive(Clone, Copy)]
pub(super) enum AtomicResult {
    /// Nothing.
    None,
    /// What was in memory.
    Old(u32),
    /// What is there now.
    New(u32),
}

#[cold]
pub(super) fn trouble(miss: Miss) -> Box<Trap> {
    miss.into()
}

#[inline(always)]
fn moved(addresses: &[u64; LANES], distance: u64) -> [u64; LANES] {
    if distance == 0 { *addresses } else { from_lanes(|i| addresses[i].wrapping_add(distance)) }
}

fn to_registers(thread: &mut Thread, shape: &Shape, at: u32, values: &[u64; LANES], enabled: u32) {
    if shape.slot == 4 && shape.lane_step == 4 && !shape.high {
        blend(&mut thread.registers, at, &from_lanes::<u32, LANES>(|i| values[i] as u32), enabled);
        return;
    }
    if shape.slot == 8 && shape.lane_step == 8 {
        blend(&mut thread.registers, at, values, enabled);
        return;
    }
    for lane in enabled_lanes::<LANES>(enabled) {
        let (at, value) = (shape.lane(at, lane), values[lane]);
        match shape.slot {
            1 => thread.registers.set(at, value as u8),
            2 => thread.registers.set(at, value as u16),
            8 => thread.registers.set(at, value),
            _ => thread.registers.set(at, if shape.high { (value as u32) << 16 } else { value as u32 }),
        }
    }
}

fn from_registers(thread: &Thread, shape: &Shape, at: u32, enabled: u32) -> [u64; LANES] {
    if shape.slot == 4 && shape.lane_step == 4 && !shape.high {
        let words: [u32; LANES] = thread.registers.load(at);
        return from_lanes(|i| words[i].into());
    }
    let mut values = [0; LANES];
    for lane in enabled_lanes::<LANES>(enabled) {
        let at = shape.lane(at, lane);
        values[lane] = match shape.slot {
            1 => thread.registers.get::<u8>(at).into(),
            2 => thread.registers.get::<u16>(at).into(),
            8 => thread.registers.get(at),
            _ if shape.high => u64::from(thread.registers.get::<u32>(at) >> 16),
            _ => thread.registers.get::<u32>(at).into(),
        };
    }
    values
}

impl Lowering<'_> {
    /// The memory of a surface operand. Of the predefined ones, three can be used: shared local memory, scratch memory and
    /// the bindless surface.
    pub(super) fn place(&self, surface: SurfaceId) -> LowerResult<Place> {
        match surface {
            predefined_surface::SLM => Ok(Place::Local),
            predefined_surface::SCRATCH => Ok(Place::Scratch),
            _ if surface.0 < predefined_surface::DECLARED && surface != predefined_surface::BSS => {
                illegal(format!("the predefined surface {} is not supported yet", surface.0))
            }
            _ => match self.layout.surface(surface.0) {
                Some(element) if surface == predefined_surface::BSS => Ok(Place::State(element as usize)),
                Some(element) => Ok(Place::Surface(element as usize)),
                None => illegal(format!("there is no surface T{}", surface.0)),
            },
        }
    }

    /// Offsets into a surface: 32-bit numbers that wrap, of elements and of one for all channels, in units of bytes.
    pub(super) fn surface_addresses(
        &mut self,
        elements: Option<&RawOperand>,
        global: &VecOperand,
        lanes: usize,
        unit: u32,
    ) -> LowerResult<Addresses> {
        let elements = match elements {
            Some(operand) => Some(Elements::Dwords(self.raw_required(operand, lanes as u64 * 4)?)),
            None => None,
        };
        let global = Some(self.scalar(global)?);
        Ok(Addresses {
            elements,
            global,
            unit: unit.into(),
            offset: 0,
            mask: u32::MAX.into(),
            pitch: None,
            scratch: None,
        })
    }

    /// Virtual addresses of 64 bits, of elements and of one for all channels.
    pub(super) fn flat_addresses(
        &mut self,
        elements: Option<&RawOperand>,
        global: Option<&VecOperand>,
        lanes: usize,
    ) -> LowerResult<Addresses> {
        let elements = match elements {
            Some(operand) => Some(Elements::Qwords(self.raw_required(operand, lanes as u64 * 8)?)),
            None => None,
        };
        let global = match global {
            Some(operand) => Some(self.scalar(operand)?),
            None => None,
        };
        Ok(Addresses { elements, global, unit: 1, offset: 0, mask: u64::MAX, pitch: None, scratch: None })
    }

    /// The first element of an operand as a number without sign.
    pub(super) fn scalar(&mut self, operand: &VecOperand) -> LowerResult<Source<u64>> {
        let data_type = self.type_of(operand)?;
        if super::compute::is_float(data_type) || data_type == DataType::Bool {
            return illegal(format!("an address of type {}", data_type.name()));
        }
        self.source(operand, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_between_the_elements_of_enabled_channels() {
        let mut thread = Thread::scratch(256);
        let mut steps = |elements: [u32; LANES], enabled: u32| {
            thread.registers.store(0, &elements);
            thread.registers.store(64, &elements.map(u64::from));
            let dwords = step_of_dwords(&thread, 0, enabled);
            let qwords = step_of_qwords(&thread, 64, enabled);
            assert_eq!(dwords.map(|(element, step)| (u64::from(element), step)), qwords, "{enabled:x}");
            dwords
        };
        let row: [u32; LANES] = from_lanes(|i| 40 + 4 * i as u32);
        assert_eq!(steps(row, 0xffff), Some((40, 4)));
        assert_eq!(steps(row, 0x0ff0), Some((56, 4)));
        assert_eq!(steps([8; LANES], 0xffff), Some((8, 0)));
        let mut broken = row;
        broken[9] = 0;
        assert_eq!(steps(broken, 0xffff), None);
        assert_eq!(steps(broken, 0x01ff), Some((40, 4)), "what is not enabled does not count");
        assert_eq!(steps(broken, 1 << 9), Some((0, 0)), "one channel is like itself");
        assert_eq!(steps(from_lanes(|i| 8 * i as u32), 0xffff), None);
        assert!(matches!(row_of(56, 0x0ff0), Order::Row { address: 56, first: 4, count: 8 }));
        assert!(matches!(row_of(56, 0x0f0f), Order::Any));
    }
}
