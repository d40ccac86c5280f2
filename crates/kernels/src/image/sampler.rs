//! Messages to samplers: image reads with filtering, mip levels and comparison.
//! [`visakit_machine::sampler`] does the computation.

use crate::image::access;
use crate::image::payload::{Components, Elements, Offsets, moved};
use crate::lowering::{LowerResult, Lowering, channels, illegal};
use visakit::isa::{
    RawOperand, Sample3d, Sample4SrcChannel3d, Sample43d, SampleCurrentOpOp3d, SamplerId, SamplerParameter,
    VecOperand, pages, predefined_sampler,
};
use visakit::rt::Stub;
use visakit_machine::World;
use visakit_machine::image::Image;
use visakit_machine::operand::Source;
use visakit_machine::sampler::{SamplePoint, Sampler};
use visakit_machine::sampler_of_state;
use visakit_machine::texels::Texels;
use visakit_machine::thread::Thread;

/// Source of a message's level of detail.
#[derive(Clone, Copy)]
enum Level {
    /// A parameter; without it, level 0.
    Given(Elements),
    /// Coordinates of neighbouring pixels, plus a bias.
    Pixels(Elements),
    /// Gradients of each coordinate along two directions.
    Gradients([[Elements; 3]; 2]),
}

/// Properties of a message's operation from its page.
struct Operation {
    /// Parameters in order; empty if they are not published.
    parameters: &'static [SamplerParameter],
    /// True if the level of detail derives from neighbouring pixels.
    pixel_level: bool,
    /// True if the message returns the level of detail.
    wants_level: bool,
}

/// Width in bits of a coordinate-offset parameter.
const SHIFT_BITS: u32 = match SamplerParameter::Du.bits() {
    Some(bits) => bits,
    None => panic!("Du has bits"),
};

/// Locations of a message's parameters.
struct Params {
    coordinates: [Elements; 3],
    reference: Option<Elements>,
    /// Texel offsets of the first two coordinates, in addition to the message's offsets for all
    /// channels.
    shift: [Elements; 2],
    level: Level,
    /// True if the message returns the level of detail.
    wants_level: bool,
}

impl Params {
    /// Assigns operands to an operation's parameters as its page lists them.
    fn new(l: &mut Lowering<'_>, operation: &Operation, operands: &[RawOperand], lanes: usize) -> LowerResult<Self> {
        let mut all = Vec::with_capacity(operands.len());
        for operand in operands {
            all.push(Elements::new(l, operand, lanes)?);
        }
        let at = |role: SamplerParameter| {
            let place = operation.parameters.iter().position(|r| *r == role)?;
            Some(all.get(place).copied().unwrap_or(Elements::NONE))
        };
        let or_none = |role| at(role).unwrap_or(Elements::NONE);
        let row = |roles: [SamplerParameter; 3]| roles.map(or_none);
        let level = if at(SamplerParameter::Dudx).is_some() {
            Level::Gradients([
                row([SamplerParameter::Dudx, SamplerParameter::Dvdx, SamplerParameter::Drdx]),
                row([SamplerParameter::Dudy, SamplerParameter::Dvdy, SamplerParameter::Drdy]),
            ])
        } else if operation.pixel_level {
            Level::Pixels(or_none(SamplerParameter::Bias))
        } else {
            Level::Given(or_none(SamplerParameter::Lod))
        };
        Ok(Self {
            coordinates: row([SamplerParameter::U, SamplerParameter::V, SamplerParameter::R]),
            reference: at(SamplerParameter::Ref),
            shift: [SamplerParameter::Du, SamplerParameter::Dv].map(or_none),
            level,
            wants_level: operation.wants_level,
        })
    }

    /// Returns the sample position of a channel.
    fn place(&self, thread: &Thread, lane: usize, sampler: &Sampler, image: &Image, shift: [i64; 3]) -> SamplePoint {
        let at = |lane: usize| self.coordinates.map(|elements| elements.float(thread, lane));
        let coordinates = at(lane);
        let lod = match &self.level {
            // Most images have a single level.
            _ if image.desc.levels <= 1 && !self.wants_level => 0.0,
            Level::Given(elements) => elements.float(thread, lane),
            Level::Gradients(gradients) => {
                sampler.lod_of(image, gradients.map(|row| row.map(|elements| elements.float(thread, lane).into())))
            }
            Level::Pixels(bias) => pixels_lod(&at, lane, sampler, image) + bias.float(thread, lane),
        };
        let mut shift = shift;
        for (shift, elements) in shift.iter_mut().zip(self.shift) {
            let sign = 1 << (SHIFT_BITS - 1);
            let bits = elements.integer(thread, lane);
            *shift += (bits & (sign - 1)) - (bits & sign);
        }
        SamplePoint {
            coordinates,
            shift,
            lod,
            reference: self.reference.map(|elements| elements.float(thread, lane)),
        }
    }
}

/// Returns the level of detail from the coordinates of a two-by-two block of channels.
fn pixels_lod(at: &impl Fn(usize) -> [f32; 3], lane: usize, sampler: &Sampler, image: &Image) -> f32 {
    let [first, right, below] = [0, 1, 2].map(|n| at((lane & !3) + n));
    let gradient = |next: [f32; 3]| std::array::from_fn(|d| f64::from(next[d]) - f64::from(first[d]));
    sampler.lod_of(image, [gradient(right), gradient(below)])
}

/// Operand or state element that identifies a sampler.
#[derive(Clone)]
enum Named {
    /// State element that holds the sampler's index.
    Index(usize),
    /// State element that holds the offset of the sampler's state.
    State(usize),
    /// Operand with the address of a sampler state, and a number of states to add.
    Address(Source<u64>, u32),
}

impl Named {
    fn of(l: &mut Lowering<'_>, id: SamplerId, state: &VecOperand, number: u32) -> LowerResult<Self> {
        if *state != VecOperand::default() {
            return Ok(Self::Address(l.scalar(state)?, number));
        }
        match l.layout.sampler(id.0) {
            Some(element) if id == predefined_sampler::S31 => Ok(Self::State(element as usize)),
            Some(element) => Ok(Self::Index(element as usize)),
            None => illegal(format!("sampler S{} is not declared", id.0)),
        }
    }

    /// Returns the index of the sampler; `None` if no sampler state can be at the address.
    fn index(&self, thread: &Thread) -> Option<u32> {
        match self {
            Self::Index(element) => Some(thread.surfaces[*element]),
            Self::State(element) => Some(sampler_of_state(thread.surfaces[*element])),
            Self::Address(source, number) => {
                sampler_of_state(u32::try_from(source.first(thread)).ok()?).checked_add(*number)
            }
        }
    }
}

/// Common operands of messages to samplers.
struct Message<'a> {
    operation: Operation,
    exec_size: visakit::isa::ExecSize,
    pred: visakit::isa::Predicate,
    sampler: (SamplerId, &'a VecOperand, u32),
    surface: (visakit::isa::SurfaceId, &'a VecOperand, u32),
    aoffimmi: &'a VecOperand,
    params: &'a [RawOperand],
}

impl Message<'_> {
    /// Lowers the message: calls `read` for each enabled channel and stores the results to
    /// `components`.
    fn lower(
        &self,
        l: &mut Lowering<'_>,
        undefined: Stub,
        components: Components,
        read: impl Fn(&Sampler, &Image, Texels<'_>, &SamplePoint) -> [u32; 4] + Send + Sync + 'static,
        is_sample: bool,
    ) -> LowerResult {
        let lanes = channels(self.exec_size);
        if self.operation.parameters.is_empty() {
            return Err(undefined.into());
        }
        let params = Params::new(l, &self.operation, self.params, lanes)?;
        let shift = Offsets::new(l, self.aoffimmi)?;
        let (sampler, state, number) = self.sampler;
        let named = Named::of(l, sampler, state, number)?;
        let (surface, state, number) = self.surface;
        let space = l.surface_space(surface, state, number)?;
        let sampler = move |thread: &Thread, world: &World<'_>| world.sampler(named.index(thread)?).copied();
        let (find, coordinates) = (sampler.clone(), params.coordinates);
        let is_plain = is_sample && params.reference.is_none() && params.shift.iter().all(Elements::is_none);
        let enable = l.enable(self.exec_size, self.pred)?;
        access::read(
            l,
            enable,
            space,
            components,
            shift,
            move |thread, world, shift, lane, image, texels| {
                let Some(sampler) = sampler(thread, world) else { return [0; 4] };
                read(&sampler, image, texels, &params.place(thread, lane, &sampler, image, shift))
            },
            #[inline(always)]
            move |thread, world, shift, reader, rows| {
                let sampler = find(thread, world).filter(|_| is_plain)?;
                sampler.sample_chunk(
                    reader,
                    #[inline(always)]
                    |d| coordinates[d].singles(thread, reader.n),
                    shift,
                    rows,
                )
            },
        )
    }
}

/// Builds a message from the fields that both instructions have.
macro_rules! message {
    ($inst:ident) => {
        Message {
            operation: Operation {
                parameters: $inst.op.op.parameters(),
                pixel_level: $inst.op.op.pixel_level().unwrap_or(false),
                wants_level: false,
            },
            exec_size: $inst.exec_size,
            pred: $inst.pred,
            sampler: ($inst.sampler, &$inst.sampler_state, $inst.sampler_number),
            surface: ($inst.surface, &$inst.surface_state, $inst.surface_number),
            aoffimmi: &$inst.aoffimmi,
            params: &$inst.params,
        }
    };
}

pub(crate) fn sample(l: &mut Lowering<'_>, inst: &Sample3d) -> LowerResult {
    let undefined = Stub::undefined(&pages::SAMPLE_3D);
    let Sample3d::Current(inst) = inst else { return Err(undefined.into()) };
    let lanes = channels(inst.exec_size);
    let components = Components::new(l, &inst.dst, lanes, moved(inst.channels), inst.op.pixel_null_mask)?;
    let mut message = message!(inst);
    if inst.op.op == SampleCurrentOpOp3d::Lod {
        message.operation.wants_level = true;
        return message.lower(
            l,
            undefined,
            components,
            |sampler, image, _, place| [sampler.clamped(image, place.lod).to_bits(), place.lod.to_bits(), 0, 0],
            false,
        );
    }
    message.lower(
        l,
        undefined,
        components,
        |sampler, image, texels, place| sampler.sample(image, texels, place),
        true,
    )
}

pub(crate) fn sample4(l: &mut Lowering<'_>, inst: &Sample43d) -> LowerResult {
    let undefined = Stub::undefined(&pages::SAMPLE4_3D);
    let Sample43d::Current(inst) = inst else { return Err(undefined.into()) };
    let lanes = channels(inst.exec_size);
    let components = Components::new(l, &inst.dst, lanes, vec![0, 1, 2, 3], inst.op.pixel_null_mask)?;
    let colour = match inst.src_channel {
        Sample4SrcChannel3d::R => 0,
        Sample4SrcChannel3d::G => 1,
        Sample4SrcChannel3d::B => 2,
        Sample4SrcChannel3d::A => 3,
    };
    let message = message!(inst);
    message.lower(
        l,
        undefined,
        components,
        move |sampler, image, texels, place| sampler.gather(image, texels, place, colour),
        false,
    )
}
