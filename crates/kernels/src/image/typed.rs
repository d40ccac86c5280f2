//! Messages to images: loads, typed reads, writes and atomics, and size queries.

use crate::image::access::{
    Chunk, is_first, one_by_one, places_of, read, read_texels, update as update_texels, write,
};
use crate::image::payload::{Components, Elements, Offsets, moved};
use crate::lowering::{LowerResult, Lowering, channels};
use crate::memory::surface;
use visakit::isa::{
    Gather4Typed, Info, InfoOp, Load3d, LoadCurrentOpOp3d, Predicate, RawOperand, SamplerParameter, Scatter4Typed,
    TypedAtomic, pages,
};
use visakit::rt::Stub;
use visakit_machine::World;
use visakit_machine::image::{Image, Texel};
use visakit_machine::texels::Texels;
use visakit_machine::thread::Thread;

pub(crate) fn load(l: &mut Lowering<'_>, inst: &Load3d) -> LowerResult {
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
    let texel = move |thread: &Thread, _: &World<'_>, shift: [i64; 3], lane, image: &Image, texels: Texels<'_>| {
        if tells_places {
            // Each sample has its own slot, so the result is not used.
            return [0; 4];
        }
        let place = std::array::from_fn(|d| place[d].integer(thread, lane).saturating_add(shift[d]));
        let level = level.number(thread, lane);
        // Compilers use such loads to read the border colour of a sampler.
        image.load(texels, Texel { place, level, sample: sample.number(thread, lane) })
    };
    let [u, v, r] = place;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    read(
        l,
        enable,
        space,
        components,
        shift,
        texel,
        #[inline(always)]
        move |thread, _, shift, reader, rows| {
            let chunk = Chunk { n: reader.n, enabled: reader.enabled };
            (!tells_places && shift == [0; 3] && is_first(&sample, thread, chunk)).then_some(())?;
            reader.load(&places_of(reader.image, &[u, v, r, level], thread, chunk)?, rows)
        },
    )
}

pub(crate) fn gather4_typed(l: &mut Lowering<'_>, inst: &Gather4Typed) -> LowerResult {
    let Gather4Typed::Current(inst) = inst else { return Err(Stub::missing(&pages::GATHER4_TYPED).into()) };
    let lanes = channels(inst.exec_size);
    let place = coordinates(l, [&inst.u, &inst.v, &inst.r, &inst.lod], lanes)?;
    let components = Components::new(l, &inst.dst, lanes, moved(inst.channels), false)?;
    let space = l.address_space(inst.surface)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    read_texels(l, enable, space, place, components)
}

pub(crate) fn scatter4_typed(l: &mut Lowering<'_>, inst: &Scatter4Typed) -> LowerResult {
    let Scatter4Typed::Current(inst) = inst else { return Err(Stub::missing(&pages::SCATTER4_TYPED).into()) };
    let lanes = channels(inst.exec_size);
    let place = coordinates(l, [&inst.u, &inst.v, &inst.r, &inst.lod], lanes)?;
    let components = Components::new(l, &inst.src, lanes, moved(inst.channels), false)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let space = l.address_space(inst.surface)?;
    write(l, enable, space, place, components)
}

pub(crate) fn typed_atomic(l: &mut Lowering<'_>, inst: &TypedAtomic) -> LowerResult {
    let place = coordinates(l, [&inst.u, &inst.v, &inst.r, &inst.lod], channels(inst.exec_size))?;
    let atomic = surface::atomic(l, inst.op, inst.exec_size, [&inst.src0, &inst.src1], &inst.dst)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let space = l.address_space(inst.surface)?;
    Ok(update_texels(l, enable, space, place, atomic))
}

pub(crate) fn info(l: &mut Lowering<'_>, inst: &Info) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let lod = match (&inst.lod, inst.op) {
        (Some(operand), InfoOp::Resinfo) => Elements::new(l, operand, lanes)?,
        _ => Elements::NONE,
    };
    let samples = inst.op == InfoOp::Sampleinfo;
    let components = Components::new(l, &inst.dst, lanes, moved(inst.channels), false)?;
    let space = l.surface_space(inst.surface, &inst.surface_state, inst.surface_number)?;
    let enable = l.enable(inst.exec_size, Predicate::default())?;
    read(
        l,
        enable,
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
        one_by_one,
    )
}

/// Lowers coordinates and mip level of a typed message.
fn coordinates(l: &mut Lowering<'_>, operands: [&RawOperand; 4], lanes: usize) -> LowerResult<[Elements; 4]> {
    let mut coordinates = [Elements::NONE; 4];
    for (place, operand) in coordinates.iter_mut().zip(operands) {
        *place = Elements::new(l, operand, lanes)?;
    }
    Ok(coordinates)
}
