//! Operands whose places are known: what lowering makes of a `vec_operand`, and what kernels read
//! and write through.
//!
//! Values in a row and single values are read in place. Everything else (strides, two-dimensional
//! regions, indirect addresses, another type than the kernel computes with) goes through a function
//! that was chosen once.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::convert::{Compute, Fetch, Put};
use crate::lane::{Change, Element, LANES, enabled_lanes, from_lanes};
use crate::region::{Region, Start};
use crate::thread::{Registers, SLACK, Thread, ones};

/// How an operand is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Values of the kernel's type, one behind the other.
    Contiguous,
    /// One value of the kernel's type.
    Scalar,
    /// Anything else.
    Region,
    /// The null register: nothing is written.
    Nowhere,
}

/// A source operand of a kernel that computes with `T`. It is small, so that what an instruction
/// needs is in one or two of the host's cache lines.
#[derive(Clone, Debug)]
pub struct Source<T: Compute> {
    shape: Shape,
    /// Where the first value stands, where values are reached simply.
    at: u32,
    region: Option<Arc<SourceRegion<T>>>,
}

/// A source that is not simple.
#[derive(Debug)]
struct SourceRegion<T: Compute> {
    /// The region of each chunk of channels.
    regions: [Region; 2],
    /// How the values are reached that only have to be changed.
    simple: Option<Shape>,
    fetch: Fetch<T>,
    change: Change,
}

impl<T: Compute> Source<T> {
    /// A source whose values stand in `region` and are read by `fetch`; `native` says that they are
    /// of type `T` there.
    #[inline]
    pub fn new(region: Region, fetch: Fetch<T>, native: bool, change: Change) -> Self {
        let (at, simple) = match (region.start, region.stride()) {
            (Start::At(at), Some(0)) if native => (at, Some(Shape::Scalar)),
            (Start::At(at), Some(stride)) if native && stride as usize == T::SIZE => (at, Some(Shape::Contiguous)),
            (Start::At(at), _) if native && region.lanes == 1 => (at, Some(Shape::Scalar)),
            _ => (0, None),
        };
        if let (Some(shape), Change::None) = (simple, change) {
            return Self { shape, at, region: None };
        }
        let regions = [region.chunk(0), region.chunk(1)];
        let region = Some(Arc::new(SourceRegion { regions, simple, fetch, change }));
        Self { shape: Shape::Region, at, region }
    }

    /// One value of type `T` at an offset.
    #[inline]
    pub fn scalar(at: u32) -> Self {
        Self { shape: Shape::Scalar, at, region: None }
    }

    /// The values of the first `N` channels of the n-th chunk. Those beyond the instruction's are
    /// unspecified.
    #[inline(always)]
    pub fn load<const N: usize>(&self, thread: &Thread, n: usize) -> [T; N] {
        match self.shape {
            Shape::Contiguous => thread.registers.load(self.at + (n * LANES * T::SIZE) as u32),
            Shape::Scalar => [thread.registers.get(self.at); N],
            Shape::Region | Shape::Nowhere => {
                let all = self.load_region(thread, n);
                from_lanes(|i| all[i])
            }
        }
    }

    /// The values of the n-th chunk, by a call.
    #[inline(never)]
    pub fn chunk(&self, thread: &Thread, n: usize) -> [T; LANES] {
        self.load(thread, n)
    }

    /// What is not as simple. A call, so that the values of simple operands stay in the host's
    /// registers.
    #[inline(never)]
    fn load_region(&self, thread: &Thread, n: usize) -> [T; LANES] {
        let Some(region) = &self.region else { return [T::default(); LANES] };
        let mut lanes = match region.simple {
            Some(Shape::Contiguous) => thread.registers.load(self.at + (n * LANES * T::SIZE) as u32),
            Some(_) => [thread.registers.get(self.at); LANES],
            None => (region.fetch)(thread, &region.regions[n]),
        };
        match region.change {
            Change::None => {}
            Change::Abs => lanes.iter_mut().for_each(|lane| *lane = lane.absolute()),
            Change::Negate => lanes.iter_mut().for_each(|lane| *lane = lane.negative()),
            Change::NegateAbs => lanes.iter_mut().for_each(|lane| *lane = lane.absolute().negative()),
            Change::Not => lanes.iter_mut().for_each(|lane| *lane = lane.inverted()),
        }
        lanes
    }

    /// Where the values stand, if they all are at the same distance from each other.
    #[inline]
    pub fn place(&self) -> Option<SourcePlace> {
        let step = |shape| if shape == Shape::Contiguous { T::SIZE as u32 } else { 0 };
        let Some(region) = &self.region else {
            let step = step(self.shape);
            return Some(SourcePlace { at: self.at, step, is_native: true, change: Change::None });
        };
        let change = region.change;
        if let Some(shape) = region.simple {
            return Some(SourcePlace { at: self.at, step: step(shape), is_native: true, change });
        }
        let (at, step) = row_of(&region.regions)?;
        Some(SourcePlace { at, step, is_native: false, change })
    }

    /// The operand without the ways to reach other values, when its own are simple.
    #[inline]
    pub fn simple(&self) -> Option<SimpleSource<T>> {
        let (shape, is_negative) = match &self.region {
            None => (self.shape, false),
            Some(region) if matches!(region.change, Change::None | Change::Negate) => {
                (region.simple?, region.change == Change::Negate)
            }
            Some(_) => return None,
        };
        Some(SimpleSource { at: self.at, is_row: shape == Shape::Contiguous, is_negative, values: PhantomData })
    }

    /// The value of the first channel.
    #[inline(always)]
    pub fn first(&self, thread: &Thread) -> T {
        let [value] = self.load(thread, 0);
        value
    }
}

/// Where the values of a source stand.
#[derive(Clone, Copy, Debug)]
pub struct SourcePlace {
    /// The first one.
    pub at: u32,
    /// From one to the next.
    pub step: u32,
    /// Whether they are of the type that is computed with.
    pub is_native: bool,
    /// What is done with them.
    pub change: Change,
}

/// Where the values of a destination go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To no place.
    Nowhere,
    /// To elements; the step is 0 when there is one.
    At {
        /// The first one.
        at: u32,
        /// From one to the next.
        step: u32,
    },
}

/// Where the first element of both chunks of a region is, and the distance between elements, when
/// it is the same for all.
fn row_of([first, second]: &[Region; 2]) -> Option<(u32, u32)> {
    let (Start::At(at), Some(step)) = (first.start, first.stride()) else { return None };
    let step = if first.lanes == 1 { 0 } else { step };
    let goes_on = second.lanes == 0
        || second.stride() == Some(step) && second.start == Start::At(at.saturating_add(step * LANES as u32));
    goes_on.then_some((at, step))
}

/// All sources of an operation without the ways to reach other values, when those of all of them
/// are simple.
pub fn simple<T: Compute, const S: usize>(sources: &[Source<T>; S]) -> Option<[SimpleSource<T>; S]> {
    let mut all = [SimpleSource { at: 0, is_row: false, is_negative: false, values: PhantomData }; S];
    for (simple, source) in all.iter_mut().zip(sources) {
        *simple = source.simple()?;
    }
    Some(all)
}

impl<T: Compute> Values<T> for Source<T> {
    #[inline(always)]
    fn load<const N: usize>(&self, thread: &Thread, n: usize) -> [T; N] {
        Source::load(self, thread, n)
    }
}

/// The values of a chunk of channels that have been read.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<T>(pub [T; LANES]);

impl<T: Element> Values<T> for Chunk<T> {
    #[inline(always)]
    fn load<const N: usize>(&self, _: &Thread, _: usize) -> [T; N] {
        from_lanes(|i| self.0[i])
    }
}

/// Something that has a value for each channel.
pub trait Values<T> {
    /// As [`Source::load`].
    fn load<const N: usize>(&self, thread: &Thread, n: usize) -> [T; N];
}

/// A source whose values stand in a row, or of which there is one. To reach them takes no call, so
/// that an operation with nothing but such operands keeps everything in the host's registers: a
/// vector that has to wait in memory for a call that is never made costs more than the operation.
#[derive(Clone, Copy, Debug)]
pub struct SimpleSource<T> {
    at: u32,
    is_row: bool,
    is_negative: bool,
    values: PhantomData<T>,
}

impl<T: Compute> Values<T> for SimpleSource<T> {
    #[inline(always)]
    fn load<const N: usize>(&self, thread: &Thread, n: usize) -> [T; N] {
        SimpleSource::load(self, thread, n)
    }
}

impl<T: Compute> SimpleSource<T> {
    /// As [`Source::load`].
    #[inline(always)]
    pub fn load<const N: usize>(&self, thread: &Thread, n: usize) -> [T; N] {
        let values: [T; N] = if N == 1 || self.is_row {
            thread.registers.load(self.at + (n * LANES * T::SIZE) as u32)
        } else {
            [thread.registers.get(self.at); N]
        };
        if self.is_negative { from_lanes(|i| values[i].negative()) } else { values }
    }
}

/// What has a place for a value of each channel.
pub trait Places<T> {
    /// As [`Destination::store`].
    fn store<const N: usize>(&self, thread: &mut Thread, n: usize, lanes: &[T; N], enabled: u32);
}

/// A destination with values in a row.
#[derive(Clone, Copy, Debug)]
pub struct SimpleDestination<T> {
    at: u32,
    values: PhantomData<T>,
}

impl<T: Compute> Places<T> for SimpleDestination<T> {
    #[inline(always)]
    fn store<const N: usize>(&self, thread: &mut Thread, n: usize, lanes: &[T; N], enabled: u32) {
        let at = self.at + (n * LANES * T::SIZE) as u32;
        if enabled & ones(N) == ones(N) {
            thread.registers.store(at, lanes);
        } else if let (HALF_ON, Some(half)) = (enabled & ones(N), lanes.first_chunk::<HALF>()) {
            thread.registers.store(at, half);
        } else if N > 1 {
            // A copy, so that the values themselves stay in the host's registers.
            let copy = *lanes;
            blend_some(&mut thread.registers, at, &copy, enabled);
        }
    }
}

impl<T: Compute> Places<T> for Destination<T> {
    #[inline(always)]
    fn store<const N: usize>(&self, thread: &mut Thread, n: usize, lanes: &[T; N], enabled: u32) {
        Destination::store(self, thread, n, lanes, enabled);
    }
}

/// A destination operand of a kernel that computes with `T`.
#[derive(Clone, Debug)]
pub struct Destination<T: Compute> {
    shape: Shape,
    /// Where the first value stands, unless the shape is a region.
    at: u32,
    put: Put<T>,
    region: Option<Arc<[Region; 2]>>,
}

impl<T: Compute> Destination<T> {
    /// A destination in `region`, written by `put`; `native` says that the values there are of type
    /// `T` and not saturated.
    #[inline]
    pub fn new(region: Region, put: Put<T>, native: bool) -> Self {
        match (region.start, region.stride()) {
            (Start::At(at), Some(stride)) if native && (stride as usize == T::SIZE || region.lanes == 1) => {
                Self { shape: Shape::Contiguous, at, put, region: None }
            }
            _ => Self::nowhere(put).in_region(region),
        }
    }

    fn in_region(self, region: Region) -> Self {
        let region = Some(Arc::new([region.chunk(0), region.chunk(1)]));
        Self { shape: Shape::Region, region, ..self }
    }

    /// The same destination at another place.
    #[inline]
    pub fn moved_to(&self, region: Region) -> Self {
        if self.shape == Shape::Nowhere { self.clone() } else { self.clone().in_region(region) }
    }

    /// The same values in a row from `offset` on, as they are computed.
    #[inline]
    pub fn waiting_at(&self, offset: u32) -> Self {
        Self { shape: Shape::Contiguous, at: offset, ..self.clone() }
    }

    /// The null register.
    #[inline]
    pub fn nowhere(put: Put<T>) -> Self {
        Self { shape: Shape::Nowhere, at: 0, put, region: None }
    }

    /// Whether the values are written as they are.
    #[inline]
    pub fn is_native(&self) -> bool {
        self.shape == Shape::Contiguous
    }

    /// Where the values go, if they all are at the same distance from each other. Several channels
    /// never have one element.
    #[inline]
    pub fn target(&self) -> Option<Target> {
        match (self.shape, &self.region) {
            (Shape::Nowhere, _) => Some(Target::Nowhere),
            (Shape::Contiguous, _) => Some(Target::At { at: self.at, step: T::SIZE as u32 }),
            (_, Some(regions)) => {
                let (at, step) = row_of(regions)?;
                (step > 0 || regions[0].lanes == 1).then_some(Target::At { at, step })
            }
            _ => None,
        }
    }

    /// The operand without the ways to reach other places, when its own are in a row.
    #[inline]
    pub fn simple(&self) -> Option<SimpleDestination<T>> {
        (self.shape == Shape::Contiguous).then_some(SimpleDestination { at: self.at, values: PhantomData })
    }

    /// Writes the values of the n-th chunk of channels, those that are enabled; bit 0 is the
    /// chunk's first channel.
    #[inline(always)]
    pub fn store<const N: usize>(&self, thread: &mut Thread, n: usize, lanes: &[T; N], enabled: u32) {
        if self.shape == Shape::Contiguous && enabled & ones(N) == ones(N) {
            thread.registers.store(self.at + (n * LANES * T::SIZE) as u32, lanes);
        } else {
            // A copy, so that the values themselves stay in the host's registers.
            let copy = *lanes;
            self.store_otherwise(thread, n, &copy, enabled);
        }
    }

    /// The same by a call.
    #[inline(never)]
    pub fn store_chunk(&self, thread: &mut Thread, n: usize, lanes: &[T; LANES], enabled: u32) {
        self.store(thread, n, lanes, enabled);
    }

    #[inline(never)]
    fn store_otherwise<const N: usize>(&self, thread: &mut Thread, n: usize, lanes: &[T; N], enabled: u32) {
        if self.shape == Shape::Contiguous {
            blend(&mut thread.registers, self.at + (n * LANES * T::SIZE) as u32, lanes, enabled);
        } else if let Some(regions) = &self.region {
            let mut all = [T::default(); LANES];
            all[..N].copy_from_slice(lanes);
            (self.put)(thread, &regions[n], &all, enabled);
        }
    }
}

/// Channels of an instruction that has half as many as a chunk, and all of them enabled.
const HALF: usize = LANES / 2;
const HALF_ON: u32 = ones(HALF);

/// Writes the enabled ones of `lanes` to the registers from `offset` on.
#[inline(always)]
pub fn blend<T: Element, const N: usize>(registers: &mut Registers, offset: u32, lanes: &[T; N], enabled: u32) {
    if enabled & ones(N) == ones(N) {
        registers.store(offset, lanes);
    } else if let (HALF_ON, Some(half)) = (enabled & ones(N), lanes.first_chunk::<HALF>()) {
        registers.store(offset, half);
    } else if N > 1 {
        blend_some(registers, offset, lanes, enabled);
    }
}

/// A call: with newer vector instructions the compiler makes masked stores of this, of which what
/// they have written is slow to load again.
#[inline(never)]
fn blend_some<T: Element, const N: usize>(registers: &mut Registers, offset: u32, lanes: &[T; N], enabled: u32) {
    let old: [T; N] = registers.load(offset);
    registers.store(offset, &from_lanes::<T, N>(|i| if enabled & 1 << i != 0 { lanes[i] } else { old[i] }));
}

/// The longest distance between channels with which a whole chunk of them is surely within the
/// slack behind the registers.
pub const LONGEST_STRIDE: u32 = (SLACK / LANES / 2) as u32;

/// A chunk of values that are `step` bytes apart, of which the first is at `offset`.
///
/// # Panics
/// When the last one is behind the slack of the registers.
#[inline(always)]
pub fn take<T: Element>(registers: &Registers, offset: u32, step: u32) -> [T; LANES] {
    if step as usize == T::SIZE {
        return registers.load(offset);
    }
    from_lanes(|i| registers.get(offset + i as u32 * step))
}

/// Writes the enabled ones of `lanes`, the first of them to `offset`, each `step` bytes behind the
/// one before.
#[inline(always)]
pub fn spread<T: Element>(registers: &mut Registers, offset: u32, step: u32, lanes: &[T; LANES], enabled: u32) {
    if step as usize == T::SIZE {
        return blend(registers, offset, lanes, enabled);
    }
    for lane in enabled_lanes::<LANES>(enabled & ones(LANES)) {
        registers.set(offset + lane as u32 * step, lanes[lane]);
    }
}
