//! Messages to images: loads, typed reads, writes and atomics, and size queries.
//!
//! Sampler messages are in [`crate::sampler`], rectangles in [`crate::block`].

use crate::address::AddressSpace;
use crate::atomic::Atomic;
use crate::block;
use crate::lowering::{LowerResult, Lowering, channels, illegal};
use crate::message::for_chunks;
use crate::step::{Lowered, Run};
use crate::surface;
use crate::transfer::Transfer;
use crate::update;
use visakit::isa::{
    Channels, DataType, DataTypeClass, ExecSize, Gather4Typed, Info, InfoOp, Load3d, LoadCurrentOpOp3d, LscAddrType,
    LscDataSize, LscOp, LscTyped, LscTypedAccess, LscTypedQuad, Predicate, RawOperand, SamplerParameter,
    Scatter4Typed, TypedAtomic, VecOperand, pages,
};
use visakit::rt::Stub;
use visakit_machine::World;
use visakit_machine::access::Request;
use visakit_machine::image::{Image, Texel};
use visakit_machine::lane::{LANES, MAX_LANES, enabled_lanes};
use visakit_machine::operand::Source;
use visakit_machine::texels::Texels;
use visakit_machine::thread::{ExecMask, Thread};

/// Location and size of a raw operand's elements; `at` is `None` for the null operand.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    at: Option<u32>,
    bytes: u32,
    /// True for signed integers.
    signed: bool,
}

impl Elements {
    /// Elements of a missing operand: zeros.
    pub(super) const NONE: Self = Self { at: None, bytes: 4, signed: false };

    pub(super) fn new(l: &mut Lowering<'_>, operand: &RawOperand, lanes: usize) -> LowerResult<Self> {
        let bytes = element_bytes(l, operand)?;
        let signed = l.variable(operand.id)?.data_type.class() == DataTypeClass::Signed;
        Ok(Self { at: l.raw(operand, lanes as u64 * u64::from(bytes))?, bytes, signed })
    }

    /// Lowers elements of `bytes` bytes, regardless of the variable's type.
    fn sized(l: &mut Lowering<'_>, operand: &RawOperand, lanes: usize, bytes: u32) -> LowerResult<Self> {
        Ok(Self { at: l.raw(operand, lanes as u64 * u64::from(bytes))?, bytes, signed: false })
    }

    #[inline(always)]
    fn bits(&self, thread: &Thread, lane: usize) -> u64 {
        let Some(at) = self.at else { return 0 };
        let place = at + lane as u32 * self.bytes;
        match self.bytes {
            2 => thread.registers.get::<u16>(place).into(),
            8 => thread.registers.get(place),
            _ => thread.registers.get::<u32>(place).into(),
        }
    }

    #[inline(always)]
    pub(super) fn integer(&self, thread: &Thread, lane: usize) -> i64 {
        let bits = self.bits(thread, lane);
        match (self.bytes, self.signed) {
            (2, true) => (bits as i16).into(),
            (4, true) => (bits as i32).into(),
            // A value out of range is outside every image.
            _ => i64::try_from(bits).unwrap_or(i64::MAX),
        }
    }

    /// Returns a mip level or sample number; a value out of range becomes the maximum, which never
    /// exists.
    fn number(&self, thread: &Thread, lane: usize) -> u32 {
        u32::try_from(self.integer(thread, lane)).unwrap_or(u32::MAX)
    }

    #[inline(always)]
    pub(super) fn float(&self, thread: &Thread, lane: usize) -> f32 {
        let bits = self.bits(thread, lane);
        if self.bytes == 2 { half::f16::from_bits(bits as u16).to_f32() } else { f32::from_bits(bits as u32) }
    }
}

/// Returns the element size of a raw operand in bytes: 2 if its variable has 16-bit elements,
/// otherwise 4.
fn element_bytes(l: &Lowering<'_>, operand: &RawOperand) -> LowerResult<u32> {
    Ok(if l.variable(operand.id)?.data_type.bits() == 16 { 2 } else { 4 })
}

/// Returns the components that a message transfers.
pub(super) fn moved(flags: Channels) -> Vec<usize> {
    [flags.r, flags.g, flags.b, flags.a].into_iter().enumerate().filter(|(_, moved)| *moved).map(|(c, _)| c).collect()
}

/// Data payload of a message: a row of elements per transferred component, each starting at a
/// register boundary.
pub(super) struct Components {
    moved: Vec<usize>,
    at: Option<u32>,
    bytes: u32,
    /// True if 16-bit elements are HF.
    half: bool,
    pitch: u32,
    /// Number of channels of the mask after the data; `None` without a mask.
    mask: Option<usize>,
}

impl Components {
    /// Lowers the data payload. If `masked`, a register with a mask follows the data.
    pub(super) fn new(
        l: &mut Lowering<'_>,
        operand: &RawOperand,
        lanes: usize,
        moved: Vec<usize>,
        masked: bool,
    ) -> LowerResult<Self> {
        let bytes = element_bytes(l, operand)?;
        let half = l.variable(operand.id)?.data_type == DataType::Hf;
        Self::sized(l, operand, lanes, moved, masked, (bytes, half))
    }

    /// As [`Components::new`] with 32-bit elements, regardless of the variable's type.
    fn dwords(l: &mut Lowering<'_>, operand: &RawOperand, lanes: usize, moved: Vec<usize>) -> LowerResult<Self> {
        Self::sized(l, operand, lanes, moved, false, (4, false))
    }

    fn sized(
        l: &mut Lowering<'_>,
        operand: &RawOperand,
        lanes: usize,
        moved: Vec<usize>,
        masked: bool,
        (bytes, half): (u32, bool),
    ) -> LowerResult<Self> {
        let pitch = (lanes as u32 * bytes).next_multiple_of(l.layout.grf_bytes);
        let rows = moved.len().max(1) as u64;
        let last = if masked { u64::from(pitch) + 4 } else { lanes as u64 * u64::from(bytes) };
        let at = l.raw(operand, (rows - 1) * u64::from(pitch) + last)?;
        Ok(Self { moved, at, bytes, half, pitch, mask: masked.then_some(lanes) })
    }

    /// Stores the components of the enabled channels.
    fn put(&self, thread: &mut Thread, enabled: u32, rows: &[[u32; MAX_LANES]; 4]) {
        let Some(at) = self.at else { return };
        for (n, &component) in self.moved.iter().enumerate() {
            let (first, row) = (at + n as u32 * self.pitch, &rows[component]);
            for lane in enabled_lanes::<MAX_LANES>(enabled) {
                let (place, value) = (first + lane as u32 * self.bytes, row[lane]);
                match self.bytes {
                    2 if self.half => {
                        thread.registers.set(place, half::f16::from_f32(f32::from_bits(value)).to_bits());
                    }
                    2 => thread.registers.set(place, value as u16),
                    _ => thread.registers.set(place, value),
                }
            }
        }
        if let Some(lanes) = self.mask {
            // All pages are resident.
            let mask = visakit_machine::thread::ones(lanes);
            thread.registers.set(at + self.moved.len() as u32 * self.pitch, mask);
        }
    }

    /// Loads the transferred components; zeros for a null operand.
    fn get(&self, thread: &Thread, lane: usize) -> [Option<u32>; 4] {
        let mut components = [None; 4];
        for (n, &component) in self.moved.iter().enumerate() {
            let place = |at| thread.registers.get(at + n as u32 * self.pitch + lane as u32 * 4);
            components[component] = Some(self.at.map_or(0, place));
        }
        components
    }
}

/// Returns the image bound to a surface, and its texels.
pub(super) fn image<'w>(
    space: &AddressSpace,
    thread: &Thread,
    world: &'w World<'_>,
) -> Option<(&'w Image, Texels<'w>)> {
    world.image(space.entry(thread, world)?, thread.index)
}

/// Texel offsets that a message adds to coordinates.
pub(super) struct Offsets(Option<Source<u32>>);

impl Offsets {
    /// Offsets of a message without the operand.
    const NONE: Self = Self(None);

    pub(super) fn new(l: &mut Lowering<'_>, operand: &VecOperand) -> LowerResult<Self> {
        Ok(Self(Some(l.source(operand, 1)?)))
    }

    /// Returns the offsets, four bits each, signed.
    fn get(&self, thread: &Thread) -> [i64; 3] {
        let bits = self.0.as_ref().map_or(0, |source| source.first(thread));
        [8, 4, 0].map(|shift| i64::from(bits >> shift & 7) - i64::from(bits >> shift & 8))
    }
}

pub(super) fn load(l: &mut Lowering<'_>, inst: &Load3d) -> LowerResult {
    let Load3d::Current(inst) = inst else { return Err(Stub::undefined(&pages::LOAD_3D).into()) };
    let lanes = channels(inst.exec_size);
    let mut params = Vec::with_capacity(inst.params.len());
    for operand in &inst.params {
        params.push(Elements::new(l, operand, lanes)?);
    }
    let roles = inst.op.op.parameters();
    if roles.is_empty() {
        return Err(Stub::undefined(&pages::LOAD_3D).into());
    }
    // A parameter with more bits than an operand takes several operands.
    let operand_bits = params.first().map_or(32, |elements| elements.bytes * 8);
    let operands = |role: &SamplerParameter| role.bits().map_or(1, |bits| bits.div_ceil(operand_bits)) as usize;
    let at = |role: SamplerParameter| {
        let place = roles.iter().position(|r| *r == role)?;
        params.get(roles[..place].iter().map(operands).sum::<usize>()).copied()
    };
    let at = |role| at(role).unwrap_or(Elements::NONE);
    let place = [SamplerParameter::U, SamplerParameter::V, SamplerParameter::R].map(at);
    let (level, sample) = (at(SamplerParameter::Lod), at(SamplerParameter::Si));
    let tells_places = inst.op.op == LoadCurrentOpOp3d::LdMcs;
    let shift = Offsets::new(l, &inst.aoffimmi)?;
    let space = l.surface_space(inst.surface, &inst.surface_state, inst.surface_number)?;
    let components = Components::new(l, &inst.dst, lanes, moved(inst.channels), inst.op.pixel_null_mask)?;
    read(l, inst.exec_size, inst.pred, space, components, shift, move |thread, _, shift, lane, image, texels| {
        if tells_places {
            // Each sample has its own slot, so the result is not used.
            return [0; 4];
        }
        let place = std::array::from_fn(|d| place[d].integer(thread, lane).saturating_add(shift[d]));
        let level = level.number(thread, lane);
        // Compilers use such loads to read the border colour of a sampler.
        image.load(texels, Texel { place, level, sample: sample.number(thread, lane) })
    })
}

/// Lowers a message that reads an image for each channel, with offsets common to all channels.
pub(super) fn read(
    l: &mut Lowering<'_>,
    exec_size: ExecSize,
    pred: Predicate,
    space: AddressSpace,
    components: Components,
    shift: Offsets,
    texel: impl Fn(&Thread, &World<'_>, [i64; 3], usize, &Image, Texels<'_>) -> [u32; 4] + Send + Sync + 'static,
) -> LowerResult {
    let enable = l.enable(exec_size, pred)?;
    read_at(l, enable, space, components, shift, texel)
}

/// As [`read`], for a lowered surface.
fn read_at(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    space: AddressSpace,
    components: Components,
    shift: Offsets,
    texel: impl Fn(&Thread, &World<'_>, [i64; 3], usize, &Image, Texels<'_>) -> [u32; 4] + Send + Sync + 'static,
) -> LowerResult {
    let run = Run::new(move |thread, world| {
        let enabled = thread.enabled(&enable);
        // Reads all channels before the first write, because the destination may overlap the
        // parameters.
        let mut rows = [[0; MAX_LANES]; 4];
        if let Some((image, texels)) = image(&space, thread, world) {
            let shift = shift.get(thread);
            for lane in enabled_lanes::<MAX_LANES>(enabled) {
                let components = texel(thread, world, shift, lane, image, texels.of_lane(lane));
                for (row, component) in rows.iter_mut().zip(components) {
                    row[lane] = component;
                }
            }
        }
        components.put(thread, enabled, &rows);
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Lowers coordinates and mip level of a typed message.
fn coordinates(l: &mut Lowering<'_>, operands: [&RawOperand; 4], lanes: usize) -> LowerResult<[Elements; 4]> {
    let mut coordinates = [Elements::NONE; 4];
    for (place, operand) in coordinates.iter_mut().zip(operands) {
        *place = Elements::new(l, operand, lanes)?;
    }
    Ok(coordinates)
}

/// Lowers coordinates and mip level of an LSC message, whose address size is their element size.
macro_rules! lsc_coordinates {
    ($l:ident, $inst:ident, $lanes:ident) => {{
        let operands = [&$inst.src0_addrs_u, &$inst.src0_addrs_v, &$inst.src0_addrs_r, &$inst.src0_addrs_lod];
        let mut coordinates = [Elements::NONE; 4];
        for (place, operand) in coordinates.iter_mut().zip(operands) {
            *place = Elements::sized($l, operand, $lanes, $inst.addr_size.bytes())?;
        }
        coordinates
    }};
}

fn place_of(coordinates: &[Elements; 4], thread: &Thread, lane: usize) -> Texel {
    let [u, v, r, level] = coordinates;
    Texel { place: [u, v, r].map(|at| at.integer(thread, lane)), level: level.number(thread, lane), sample: 0 }
}

pub(super) fn gather4_typed(l: &mut Lowering<'_>, inst: &Gather4Typed) -> LowerResult {
    let Gather4Typed::Current(inst) = inst else { return Err(Stub::missing(&pages::GATHER4_TYPED).into()) };
    let lanes = channels(inst.exec_size);
    let place = coordinates(l, [&inst.u, &inst.v, &inst.r, &inst.lod], lanes)?;
    let components = Components::new(l, &inst.dst, lanes, moved(inst.channels), false)?;
    let space = l.address_space(inst.surface)?;
    read(l, inst.exec_size, inst.pred, space, components, Offsets::NONE, move |thread, _, _, lane, image, texels| {
        image.load_inside(texels, place_of(&place, thread, lane))
    })
}

pub(super) fn scatter4_typed(l: &mut Lowering<'_>, inst: &Scatter4Typed) -> LowerResult {
    let Scatter4Typed::Current(inst) = inst else { return Err(Stub::missing(&pages::SCATTER4_TYPED).into()) };
    let lanes = channels(inst.exec_size);
    let place = coordinates(l, [&inst.u, &inst.v, &inst.r, &inst.lod], lanes)?;
    let components = Components::new(l, &inst.src, lanes, moved(inst.channels), false)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let space = l.address_space(inst.surface)?;
    write(l, enable, space, place, components)
}

/// Lowers a message that writes a texel for each channel.
fn write(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    space: AddressSpace,
    place: [Elements; 4],
    components: Components,
) -> LowerResult {
    let run = Run::new(move |thread, world| {
        let bound = image(&space, thread, world);
        let mut outside = 0;
        for lane in enabled_lanes::<MAX_LANES>(thread.enabled(&enable)) {
            let written = bound.is_some_and(|(image, texels)| {
                image.store_some(texels.of_lane(lane), place_of(&place, thread, lane), components.get(thread, lane))
            });
            outside += u64::from(!written);
        }
        thread.outside_writes += outside;
        Ok(())
    });
    Ok(l.step(enable, run))
}

pub(super) fn typed_atomic(l: &mut Lowering<'_>, inst: &TypedAtomic) -> LowerResult {
    let place = coordinates(l, [&inst.u, &inst.v, &inst.r, &inst.lod], channels(inst.exec_size))?;
    let atomic = surface::atomic(l, inst.op, inst.exec_size, [&inst.src0, &inst.src1], &inst.dst)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let space = l.address_space(inst.surface)?;
    Ok(update(l, enable, space, place, atomic))
}

/// Lowers a message that atomically updates a texel for each channel.
fn update(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    space: AddressSpace,
    place: [Elements; 4],
    atomic: Atomic,
) -> Lowered {
    atomic.note(l);
    let size = atomic.update.size;
    let run = Run::new(move |thread, world| {
        let (view, bound) = (space.view(thread, world), image(&space, thread, world));
        for_chunks(thread.enabled(&enable), |n, enabled| {
            let (mut addresses, mut inside) = ([0; LANES], 0);
            for lane in enabled_lanes::<LANES>(enabled) {
                let texel = place_of(&place, thread, n * LANES + lane);
                let offset = bound.and_then(|(image, _)| image.offset(texel));
                if let Some(offset) = offset.filter(|offset| offset.is_multiple_of(size.into())) {
                    (addresses[lane], inside) = (offset, inside | 1 << lane);
                }
            }
            thread.outside_writes += u64::from((enabled & !inside).count_ones());
            let first_lane = (n * LANES) as u32;
            let request =
                Request { addresses: &addresses, enabled: inside, first_lane, size, unread: false, unaligned: false };
            atomic.perform(thread, &view, n, enabled, &request)
        })
    });
    l.step(enable, run)
}

pub(super) fn info(l: &mut Lowering<'_>, inst: &Info) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let lod = match (&inst.lod, inst.op) {
        (Some(operand), InfoOp::Resinfo) => Elements::new(l, operand, lanes)?,
        _ => Elements::NONE,
    };
    let samples = inst.op == InfoOp::Sampleinfo;
    let components = Components::new(l, &inst.dst, lanes, moved(inst.channels), false)?;
    let space = l.surface_space(inst.surface, &inst.surface_state, inst.surface_number)?;
    read(
        l,
        inst.exec_size,
        Predicate::default(),
        space,
        components,
        Offsets::NONE,
        move |thread, _, _, lane, image, _| {
            let desc = &image.desc;
            if samples {
                return [desc.samples, 0, 0, 0];
            }
            let level = lod.number(thread, lane);
            let mut sizes = [0; 4];
            if level < desc.levels {
                let size = desc.size_of(level);
                sizes[..desc.dimensions].copy_from_slice(&size[..desc.dimensions]);
            }
            if desc.is_array {
                sizes[desc.dimensions] = desc.layers;
            }
            sizes[3] = desc.levels;
            sizes
        },
    )
}

pub(super) fn lsc_typed(l: &mut Lowering<'_>, inst: &LscTyped) -> LowerResult {
    match inst {
        LscTyped::Access(inst) => lsc_access(l, inst),
        LscTyped::Quad(inst) => lsc_quad(l, inst),
        LscTyped::Block2d(inst) => block::typed(l, inst),
        // The layout of the returned surface properties is not published.
        LscTyped::Info(_) => Err(Stub::undefined(&pages::LSC_TYPED).into()),
    }
}

pub(super) fn lsc_space(l: &mut Lowering<'_>, kind: LscAddrType, surface: &VecOperand) -> LowerResult<AddressSpace> {
    match kind {
        LscAddrType::Bti => Ok(AddressSpace::SurfaceIndex(l.source(surface, 1)?)),
        LscAddrType::Bss => Ok(AddressSpace::StateOffset(l.source(surface, 1)?)),
        LscAddrType::Surf => Ok(AddressSpace::StateAddress(l.scalar(surface)?, 0)),
        kind => illegal(format!("typed addresses of the type {} are not supported yet", kind.name())),
    }
}

fn lsc_quad(l: &mut Lowering<'_>, inst: &LscTypedQuad) -> LowerResult {
    if inst.data_size != LscDataSize::D32 {
        return illegal(format!("texels of {} elements", inst.data_size.name()));
    }
    let lanes = channels(inst.exec_size);
    let place = lsc_coordinates!(l, inst, lanes);
    let flags = inst.data_elems_per_addr;
    let flags = [flags.x, flags.y, flags.z, flags.w];
    let moved = (0..4).filter(|&c| flags[c]).collect();
    let space = lsc_space(l, inst.addr_type, &inst.surface)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    if matches!(inst.lsc_sub_op, LscOp::LscLoadQuadMsrt | LscOp::LscStoreQuadMsrt) {
        // The layout of a texel's samples is not published.
        return Err(Stub::undefined(&pages::LSC_TYPED).into());
    }
    if inst.lsc_sub_op != LscOp::LscLoadQuad {
        let components = Components::dwords(l, &inst.src1_data, lanes, moved)?;
        return write(l, enable, space, place, components);
    }
    let components = Components::dwords(l, &inst.dst_data, lanes, moved)?;
    read_at(l, enable, space, components, Offsets::NONE, move |thread, _, _, lane, image, texels| {
        image.load_inside(texels, place_of(&place, thread, lane))
    })
}

fn lsc_access(l: &mut Lowering<'_>, inst: &LscTypedAccess) -> LowerResult {
    let lanes = channels(inst.exec_size);
    if !inst.data_size.atomic() {
        return illegal(format!("an atomic operation of {} elements", inst.data_size.name()));
    }
    let size = inst.data_size.bytes();
    if inst.lsc_sub_op == LscOp::LscStoreUncompressed {
        return store_uncompressed(l, inst, lanes);
    }
    let Some(op) = update::of_lsc(inst.lsc_sub_op, size) else {
        return Err(Stub::undefined(&pages::LSC_TYPED).into());
    };
    let place = lsc_coordinates!(l, inst, lanes);
    let operands = [&inst.src1_data, &inst.src2_data];
    let atomic = Atomic::new(l, op, Transfer::in_dwords(size), lanes, operands, &inst.dst_data)?;
    let space = lsc_space(l, inst.addr_type, &inst.surface)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    Ok(update(l, enable, space, place, atomic))
}

/// Lowers a store of the first components of a texel for each channel.
fn store_uncompressed(l: &mut Lowering<'_>, inst: &LscTypedAccess, lanes: usize) -> LowerResult {
    if inst.data_size != LscDataSize::D32 {
        return illegal(format!("texels of {} elements", inst.data_size.name()));
    }
    let count = inst.data_elems_per_addr.count() as usize;
    let place = lsc_coordinates!(l, inst, lanes);
    let components = Components::dwords(l, &inst.src1_data, lanes, (0..count.min(4)).collect())?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let space = lsc_space(l, inst.addr_type, &inst.surface)?;
    write(l, enable, space, place, components)
}
