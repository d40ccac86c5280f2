//! Message targets: the address space of a message, and the computation of the channels' addresses.

use std::ops::Range;

use crate::lowering::{LowerResult, Lowering, illegal, is_float};
use visakit::isa::{DataType, RawOperand, SurfaceId, VecOperand, predefined_surface};
use visakit_machine::access::View;
use visakit_machine::convert::Compute;
use visakit_machine::lane::{Change, Element, LANES, from_lanes};
use visakit_machine::operand::{Source, SourcePlace};
use visakit_machine::thread::{Thread, ones};
use visakit_machine::{World, entry_of_state};
use visakit_native::host::high_bits;

/// Address space of a message.
#[derive(Clone)]
pub(crate) enum AddressSpace {
    /// Flat memory.
    Flat,
    /// Shared local memory.
    Local,
    /// Scratch memory, addressed from its start.
    Scratch,
    /// Surface whose binding-table index is in a surface element.
    Surface(usize),
    /// Surface whose binding-table index is the first element of an operand.
    SurfaceIndex(Source<u32>),
    /// Surface whose state offset is in a surface element.
    State(usize),
    /// Surface whose state offset is the first element of an operand.
    StateOffset(Source<u32>),
    /// Surface by the location of its state: an address in the first element of an operand, plus a
    /// number of states. If there is no surface state, accesses are out of bounds.
    StateAddress(Source<u64>, u32),
}

impl AddressSpace {
    /// Returns the view of the address space for a thread.
    #[inline(always)]
    pub(crate) fn view<'w>(&self, thread: &Thread, world: &'w World<'_>) -> View<'w> {
        let target = match self {
            Self::Local => world.local(),
            Self::Scratch => world.scratch(),
            space => space.entry(thread, world).map_or_else(|| world.flat(), |entry| world.surface(entry)),
        };
        world.view(target, thread.index)
    }

    /// Returns true if other groups can access the memory.
    pub(crate) fn is_shared(&self) -> bool {
        !matches!(self, Self::Local | Self::Scratch)
    }

    /// Returns the register range of the operand that selects the surface.
    pub(crate) fn place(&self) -> Option<Range<u32>> {
        match self {
            Self::SurfaceIndex(source) | Self::StateOffset(source) => bytes_of(source),
            Self::StateAddress(source, _) => bytes_of(source),
            _ => None,
        }
    }

    /// Returns the surface's binding-table index, or its index after the table; `None` for an
    /// address space without one.
    #[inline(always)]
    pub(crate) fn entry(&self, thread: &Thread, world: &World<'_>) -> Option<u32> {
        match self {
            Self::Surface(element) => Some(thread.surfaces[*element]),
            Self::SurfaceIndex(source) => Some(source.first(thread)),
            Self::State(element) => Some(entry_of_state(thread.surfaces[*element])),
            Self::StateOffset(source) => Some(entry_of_state(source.first(thread))),
            Self::StateAddress(source, number) => world.entry_of_address(source.first(thread), *number),
            Self::Flat | Self::Local | Self::Scratch => None,
        }
    }
}

/// Computation of the channels' addresses: `base + scale * (global + element) + offset`, masked
/// with `mask`.
#[derive(Clone)]
pub(crate) struct Addressing {
    /// Location of the address elements; `None` for messages with a single address.
    pub elements: Option<Elements>,
    /// Addend for all channels.
    pub global: Option<Source<u64>>,
    /// Location of `global` for native code.
    pub global_place: GlobalPlace,
    /// Scale factor.
    pub scale: u64,
    /// Constant offset in bytes.
    pub offset: i64,
    /// Mask of significant address bits.
    pub mask: u64,
    /// Distance in bytes between channels. If present, all channels use the first address element.
    pub pitch: Option<Source<u64>>,
    /// Start of the addressed part of scratch memory.
    pub scratch: Option<ScratchBase>,
    /// Base address of the channels' offsets in flat or shared local memory.
    pub base: Option<Source<u64>>,
    /// Location of `base` for native code.
    pub base_place: GlobalPlace,
}

/// Location of an addend for all channels, for native code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GlobalPlace {
    /// The addend is zero or missing.
    Zero,
    /// Register offset and size in bytes of an unsigned addend.
    At(u32, u32),
    /// Any other addend.
    Unknown,
}

/// Start of a part of scratch memory.
#[derive(Clone)]
pub(crate) struct ScratchBase {
    /// Start of the part, in units of `unit`.
    pub number: Source<u32>,
    /// Unit in bytes.
    pub unit: u64,
}

impl ScratchBase {
    #[inline(always)]
    fn bytes(&self, thread: &Thread) -> u64 {
        u64::from(self.number.first(thread)) * self.unit
    }
}

/// Returns the register range of a scalar; `None` for a constant.
fn bytes_of<T: Compute>(source: &Source<T>) -> Option<Range<u32>> {
    source.place().map(|place| place.at..place.at + 8)
}

/// Location and type of address elements in registers.
#[derive(Clone, Copy)]
pub(crate) enum Elements {
    /// 16-bit unsigned elements.
    Words(u32),
    /// 32-bit unsigned elements.
    Dwords(u32),
    /// 32-bit signed elements.
    Integers(u32),
    /// 64-bit elements.
    Qwords(u32),
}

/// Access pattern of the enabled channels of a chunk.
pub(crate) enum Pattern {
    /// Consecutive channels access consecutive dwords.
    Row {
        /// Address of the first enabled channel.
        address: u64,
        /// First enabled channel.
        first: u32,
        /// Number of enabled channels.
        count: usize,
    },
    /// All channels access this address.
    Same(u64),
    /// Another or unknown pattern.
    Any,
}

impl Addressing {
    /// Returns an addressing whose elements are the addresses.
    pub(crate) fn new(elements: Option<Elements>, global: Option<Source<u64>>) -> Self {
        let global_place = if global.is_none() { GlobalPlace::Zero } else { GlobalPlace::Unknown };
        Self {
            elements,
            global,
            global_place,
            scale: 1,
            offset: 0,
            mask: u64::MAX,
            pitch: None,
            scratch: None,
            base: None,
            base_place: GlobalPlace::Zero,
        }
    }

    /// Returns an addressing with 32-bit offsets in registers.
    pub(crate) fn dwords(at: u32) -> Self {
        Self { mask: u32::MAX.into(), ..Self::new(Some(Elements::Dwords(at)), None) }
    }

    /// Returns the access pattern of the n-th chunk, which has at least one enabled channel.
    #[inline(always)]
    pub(crate) fn pattern(&self, thread: &Thread, n: usize, enabled: u32) -> Pattern {
        let chunk = |size: usize| (n * LANES * size) as u32;
        let found = match self.elements {
            _ if self.pitch.is_some() => None,
            Some(Elements::Dwords(at)) => {
                // With addresses wider than 32 bits, elements that wrap around are not contiguous.
                let is_extended = self.mask == u64::MAX || self.base.is_some();
                let most = if is_extended { u32::MAX - 4 * LANES as u32 } else { u32::MAX };
                step_of_dwords(thread, at + chunk(4), enabled)
                    .filter(|(element, step)| *step == 0 || *element <= most)
                    .map(|(element, step)| (u64::from(element), step))
            }
            Some(Elements::Qwords(at)) => step_of_qwords(thread, at + chunk(8), enabled),
            Some(Elements::Words(_) | Elements::Integers(_)) => None,
            None => Some((0, 0)),
        };
        let Some((element, step)) = found else { return Pattern::Any };
        let global = self.global.as_ref().map_or(0, |global| global.first(thread));
        let address =
            element.wrapping_add(global).wrapping_mul(self.scale).wrapping_add_signed(self.offset) & self.mask;
        let scratch = self.scratch.as_ref().map_or(0, |scratch| scratch.bytes(thread));
        let base = self.base.as_ref().map_or(0, |base| base.first(thread));
        let address = address.wrapping_add(scratch).wrapping_add(base);
        if step == 0 {
            Pattern::Same(address)
        } else if self.scale == 1 {
            // No buffer reaches the wrap-around point, so the bounds check later rejects such a
            // row.
            row_of(address, enabled)
        } else {
            Pattern::Any
        }
    }

    /// Returns the register ranges that determine the addresses of `lanes` channels.
    pub(crate) fn places(&self, lanes: u32) -> impl Iterator<Item = Range<u32>> {
        let count = if self.pitch.is_some() { 1 } else { lanes };
        let elements = self.elements.map(|elements| match elements {
            Elements::Words(at) => at..at + count * 2,
            Elements::Dwords(at) | Elements::Integers(at) => at..at + count * 4,
            Elements::Qwords(at) => at..at + count * 8,
        });
        let common = [&self.global, &self.pitch, &self.base].map(|source| source.as_ref().and_then(bytes_of));
        let scratch = self.scratch.as_ref().and_then(|base| bytes_of(&base.number));
        [elements, scratch].into_iter().chain(common).flatten()
    }

    /// Returns the addresses of the n-th chunk of channels.
    #[inline(always)]
    pub(crate) fn resolve(&self, thread: &Thread, n: usize) -> [u64; LANES] {
        // With a pitch, one element serves all channels.
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
            Some(Elements::Integers(at)) => {
                let elements: [i32; LANES] = thread.registers.load(at + first * 4);
                from_lanes(|i| i64::from(elements[i]) as u64)
            }
            Some(Elements::Qwords(at)) => thread.registers.load(at + first * 8),
        };
        if let Some(global) = &self.global {
            let global = global.first(thread);
            if global != 0 {
                addresses = from_lanes(|i| addresses[i].wrapping_add(global));
            }
        }
        if self.scale != 1 {
            addresses = from_lanes(|i| addresses[i].wrapping_mul(self.scale));
        }
        if self.offset != 0 {
            addresses = from_lanes(|i| addresses[i].wrapping_add_signed(self.offset));
        }
        if let Some(pitch) = &self.pitch {
            let ([first, ..], pitch) = (addresses, pitch.first(thread));
            addresses = from_lanes(|i| first.wrapping_add(((n * LANES + i) as u64).wrapping_mul(pitch)));
        }
        if self.mask != u64::MAX {
            addresses = from_lanes(|i| addresses[i] & self.mask);
        }
        if let Some(scratch) = &self.scratch {
            let base = scratch.bytes(thread);
            addresses = from_lanes(|i| addresses[i].wrapping_add(base));
        }
        if let Some(base) = &self.base {
            let base = base.first(thread);
            addresses = from_lanes(|i| addresses[i].wrapping_add(base));
        }
        addresses
    }

    /// Returns the addresses of the n-th chunk, if they are dwords plus an addend, in 32 bits.
    #[inline(always)]
    pub(crate) fn resolve_dwords(&self, thread: &Thread, n: usize) -> Option<[u32; LANES]> {
        let Some(Elements::Dwords(at)) = self.elements else { return None };
        if self.scale != 1
            || self.mask != u64::from(u32::MAX)
            || self.pitch.is_some()
            || self.scratch.is_some()
            || self.base.is_some()
        {
            return None;
        }
        let global = self.global.as_ref().map_or(0, |global| global.first(thread) as u32);
        let addend = global.wrapping_add(self.offset as u32);
        let elements: [u32; LANES] = thread.registers.load(at + (n * LANES * 4) as u32);
        Some(from_lanes(|i| elements[i].wrapping_add(addend)))
    }
}

/// Defines a function that returns the first enabled channel's element of the elements at `at`, and
/// the distance between elements (0 or 4) if it is the same for all enabled channels.
macro_rules! step_of {
    ($name:ident, $type:ty) => {
        #[inline(always)]
        fn $name(thread: &Thread, at: u32, enabled: u32) -> Option<($type, u32)> {
            let first = enabled.trailing_zeros();
            let element = |lane: u32| thread.registers.get::<$type>(at + lane * <$type as Element>::SIZE as u32);
            let start = element(first);
            if enabled & (enabled - 1) == 0 {
                return Some((start, 0));
            }
            // The first two elements determine the expected distance.
            let step = element(first + 1).wrapping_sub(start);
            if step != 0 && step != 4 {
                return None;
            }
            static DISTANCES: [[$type; LANES]; 2] =
                [[0; LANES], [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60]];
            let expected = &DISTANCES[usize::from(step == 4)];
            let elements: [$type; LANES] = thread.registers.load(at);
            let origin = start.wrapping_sub(<$type>::from(first).wrapping_mul(step));
            // A byte mask first, then one host operation for its bits: in this form the compiler
            // vectorises.
            let is_equal = |i: usize| elements[i].wrapping_sub(origin) == expected[i];
            let equal = high_bits(&from_lanes(|i| if is_equal(i) { u8::MAX } else { 0 }));
            (equal & enabled == enabled).then_some((start, step as u32))
        }
    };
}

step_of!(step_of_dwords, u32);
step_of!(step_of_qwords, u64);

/// Returns a contiguous pattern if the enabled channels are consecutive; `address` is that of the
/// first enabled channel.
fn row_of(address: u64, enabled: u32) -> Pattern {
    let first = enabled.trailing_zeros();
    let count = (enabled >> first).trailing_ones() as usize;
    if enabled >> first == ones(count) { Pattern::Row { address, first, count } } else { Pattern::Any }
}

impl Lowering<'_> {
    /// Returns the address space of a surface operand. Of the predefined surfaces, shared local
    /// memory, scratch memory and the bindless surface are supported.
    pub(crate) fn address_space(&self, surface: SurfaceId) -> LowerResult<AddressSpace> {
        match surface {
            predefined_surface::SLM => Ok(AddressSpace::Local),
            predefined_surface::SCRATCH => Ok(AddressSpace::Scratch),
            _ if surface.0 < predefined_surface::DECLARED && surface != predefined_surface::BSS => {
                illegal(format!("the predefined surface {} is not supported yet", surface.0))
            }
            _ => match self.layout.surface(surface.0) {
                Some(element) if surface == predefined_surface::BSS => Ok(AddressSpace::State(element as usize)),
                Some(element) => Ok(AddressSpace::Surface(element as usize)),
                None => illegal(format!("surface T{} is not declared", surface.0)),
            },
        }
    }

    /// Lowers a surface operand, or the operand used instead: the address of a surface state and a
    /// number of states to add.
    pub(crate) fn surface_space(
        &mut self,
        surface: SurfaceId,
        state: &VecOperand,
        number: u32,
    ) -> LowerResult<AddressSpace> {
        if *state == VecOperand::default() {
            return self.address_space(surface);
        }
        Ok(AddressSpace::StateAddress(self.scalar(state)?, number))
    }

    /// Lowers offsets into a surface: wrapping 32-bit sums of an element and an addend for all
    /// channels, scaled by `unit` bytes.
    pub(crate) fn surface_addresses(
        &mut self,
        elements: Option<&RawOperand>,
        global: &VecOperand,
        lanes: usize,
        unit: u32,
    ) -> LowerResult<Addressing> {
        let elements = match elements {
            Some(operand) => Some(Elements::Dwords(self.raw_required(operand, lanes as u64 * 4)?)),
            None => None,
        };
        let (global, global_place) = self.global(global)?;
        let addressing = Addressing::new(elements, Some(global));
        Ok(Addressing { scale: unit.into(), mask: u32::MAX.into(), global_place, ..addressing })
    }

    /// Lowers 64-bit virtual addresses: sums of an element and an addend for all channels.
    pub(crate) fn flat_addresses(
        &mut self,
        elements: Option<&RawOperand>,
        global: Option<&VecOperand>,
        lanes: usize,
    ) -> LowerResult<Addressing> {
        let elements = match elements {
            Some(operand) => Some(Elements::Qwords(self.raw_required(operand, lanes as u64 * 8)?)),
            None => None,
        };
        let Some(operand) = global else { return Ok(Addressing::new(elements, None)) };
        let (global, global_place) = self.global(operand)?;
        Ok(Addressing { global_place, ..Addressing::new(elements, Some(global)) })
    }

    /// Lowers an addend for all channels, and returns its location for native code.
    pub(crate) fn global(&mut self, operand: &VecOperand) -> LowerResult<(Source<u64>, GlobalPlace)> {
        let source = self.scalar(operand)?;
        let place = match (self.number(operand, &source), source.place(), self.type_of(operand)?) {
            (Some(0), ..) => GlobalPlace::Zero,
            (_, Some(SourcePlace { at, change: Change::None, is_native, .. }), data_type) => match data_type {
                _ if is_native => GlobalPlace::At(at, 8),
                DataType::Ud => GlobalPlace::At(at, 4),
                _ => GlobalPlace::Unknown,
            },
            _ => GlobalPlace::Unknown,
        };
        Ok((source, place))
    }

    /// Lowers the first element of an operand as an unsigned number.
    pub(crate) fn scalar(&mut self, operand: &VecOperand) -> LowerResult<Source<u64>> {
        let data_type = self.type_of(operand)?;
        if is_float(data_type) || data_type == DataType::Bool {
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
        assert!(matches!(row_of(56, 0x0ff0), Pattern::Row { address: 56, first: 4, count: 8 }));
        assert!(matches!(row_of(56, 0x0f0f), Pattern::Any));
    }
}
