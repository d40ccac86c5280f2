//! Operands with resolved locations: lowered `vec_operand`s, through which kernels read and write.
//!
//! Contiguous values and scalars are accessed in place. All other operands (strides,
//! two-dimensional regions, indirect addresses, types other than the computation type) use a
//! function chosen during lowering.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::chunk::{HALF, HALF_ON, blend, blend_some};
use crate::convert::{Compute, Fetch, Put};
use crate::lane::{Change, Element, LANES, from_lanes};
use crate::region::{Region, Start};
use crate::thread::{Thread, ones};

/// Access path of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Contiguous values of the computation type.
    Contiguous,
    /// A single value of the computation type.
    Scalar,
    /// Any other region.
    Region,
    /// The null register: writes are dropped.
    Nowhere,
}

/// A source operand of a kernel that computes in `T`. It is small, so that an instruction's data
/// fit into one or two host cache lines.
#[derive(Clone, Debug)]
pub struct Source<T: Compute> {
    shape: Shape,
    /// Register offset of the first value, for contiguous and scalar shapes.
    at: u32,
    region: Option<Arc<SourceRegion<T>>>,
}

/// Data of a source that is not simple.
#[derive(Debug)]
struct SourceRegion<T: Compute> {
    /// Region of each chunk of channels.
    regions: [Region; 2],
    /// Shape of the values before the modifier, if they are contiguous or scalar.
    simple: Option<Shape>,
    fetch: Fetch<T>,
    change: Change,
}

impl<T: Compute> Source<T> {
    /// Returns a source for the values in `region`, read by `fetch`. `native` is true if the values
    /// have type `T` in the registers.
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

    /// Returns a source for one value of type `T` at a register offset.
    #[inline]
    pub fn scalar(at: u32) -> Self {
        Self { shape: Shape::Scalar, at, region: None }
    }

    /// Loads the first `N` values of the n-th chunk. Values past the instruction's channels are
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

    /// Loads the n-th chunk, out of line.
    #[inline(never)]
    pub fn chunk(&self, thread: &Thread, n: usize) -> [T; LANES] {
        self.load(thread, n)
    }

    /// Slow path of [`Source::load`]. Out of line, so that values of simple operands stay in host
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

    /// Returns the location of the values, if their distance is constant.
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

    /// Returns the operand without its slow path, if its values are contiguous or scalar.
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

    /// Loads the value of the first channel.
    #[inline(always)]
    pub fn first(&self, thread: &Thread) -> T {
        let [value] = self.load(thread, 0);
        value
    }
}

/// Location of a source's values.
#[derive(Clone, Copy, Debug)]
pub struct SourcePlace {
    /// Register offset of the first value.
    pub at: u32,
    /// Distance between values in bytes.
    pub step: u32,
    /// True if the values have the computation type.
    pub is_native: bool,
    /// Modifier of the values.
    pub change: Change,
}

/// Location of a destination's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// No location: the values are dropped.
    Nowhere,
    /// Elements at a constant distance.
    At {
        /// Register offset of the first element.
        at: u32,
        /// Distance between elements in bytes; 0 for a single element.
        step: u32,
    },
}

/// Returns the offset of the first element and the distance between elements, if the distance is
/// constant over both chunks.
fn row_of([first, second]: &[Region; 2]) -> Option<(u32, u32)> {
    let (Start::At(at), Some(step)) = (first.start, first.stride()) else { return None };
    let step = if first.lanes == 1 { 0 } else { step };
    let goes_on = second.lanes == 0
        || second.stride() == Some(step) && second.start == Start::At(at.saturating_add(step * LANES as u32));
    goes_on.then_some((at, step))
}

/// Returns all sources of an operation without their slow path, if all are contiguous or scalar.
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

/// Loaded values of a chunk of channels.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<T>(pub [T; LANES]);

impl<T: Element> Values<T> for Chunk<T> {
    #[inline(always)]
    fn load<const N: usize>(&self, _: &Thread, _: usize) -> [T; N] {
        from_lanes(|i| self.0[i])
    }
}

/// A provider of a value for each channel.
pub trait Values<T> {
    /// Loads values as [`Source::load`] does.
    fn load<const N: usize>(&self, thread: &Thread, n: usize) -> [T; N];
}

/// A contiguous or scalar source. Access takes no call, so an operation with only such operands
/// keeps all data in host registers. A spill around a call that is never taken would cost more than
/// the operation.
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
    /// Loads values as [`Source::load`] does.
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

/// A consumer of a value for each channel.
pub trait Places<T> {
    /// Stores values as [`Destination::store`] does.
    fn store<const N: usize>(&self, thread: &mut Thread, n: usize, lanes: &[T; N], enabled: u32);
}

/// A contiguous destination.
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
            // The copy lets the values themselves stay in host registers.
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

/// A destination operand of a kernel that computes in `T`.
#[derive(Clone, Debug)]
pub struct Destination<T: Compute> {
    shape: Shape,
    /// Register offset of the first value, unless the shape is a region.
    at: u32,
    put: Put<T>,
    region: Option<Arc<[Region; 2]>>,
}

impl<T: Compute> Destination<T> {
    /// Returns a destination in `region`, written by `put`. `native` is true if the values have
    /// type `T` in the registers and do not saturate.
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

    /// Returns this destination at another region.
    #[inline]
    pub fn moved_to(&self, region: Region) -> Self {
        if self.shape == Shape::Nowhere { self.clone() } else { self.clone().in_region(region) }
    }

    /// Returns a destination for the same values in computation type, contiguous from `offset`.
    #[inline]
    pub fn waiting_at(&self, offset: u32) -> Self {
        Self { shape: Shape::Contiguous, at: offset, ..self.clone() }
    }

    /// Returns the null destination.
    #[inline]
    pub fn nowhere(put: Put<T>) -> Self {
        Self { shape: Shape::Nowhere, at: 0, put, region: None }
    }

    /// Returns true if the values are written without conversion.
    #[inline]
    pub fn is_native(&self) -> bool {
        self.shape == Shape::Contiguous
    }

    /// Returns the location of the values, if their distance is constant. Different channels never
    /// share an element.
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

    /// Returns the operand without its slow path, if its values are contiguous.
    #[inline]
    pub fn simple(&self) -> Option<SimpleDestination<T>> {
        (self.shape == Shape::Contiguous).then_some(SimpleDestination { at: self.at, values: PhantomData })
    }

    /// Stores the enabled values of the n-th chunk. Bit 0 of `enabled` is the chunk's first
    /// channel.
    #[inline(always)]
    pub fn store<const N: usize>(&self, thread: &mut Thread, n: usize, lanes: &[T; N], enabled: u32) {
        if self.shape == Shape::Contiguous && enabled & ones(N) == ones(N) {
            thread.registers.store(self.at + (n * LANES * T::SIZE) as u32, lanes);
        } else {
            // The copy lets the values themselves stay in host registers.
            let copy = *lanes;
            self.store_otherwise(thread, n, &copy, enabled);
        }
    }

    /// Stores the n-th chunk as [`Destination::store`] does, out of line.
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
