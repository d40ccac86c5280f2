//! Accesses to the texels of an image, channel by channel.

use crate::image::payload::{Components, Elements, Offsets};
use crate::lowering::step::{Lowered, Run};
use crate::lowering::{LowerResult, Lowering, illegal};
use crate::memory::address::AddressSpace;
use crate::memory::atomic::Atomic;
use crate::memory::message::for_chunks;
use visakit::isa::{LscAddrType, VecOperand};
use visakit_machine::World;
use visakit_machine::access::Request;
use visakit_machine::image::{Image, Texel};
use visakit_machine::lane::{LANES, MAX_LANES, enabled_lanes};
use visakit_machine::texel_chunk::{Places, Reader, Rows};
use visakit_machine::texels::Texels;
use visakit_machine::thread::{ExecMask, Thread, ones};
use visakit_native::host::{Vectors, in_vectors};

/// Returns the image bound to a surface, and its texels.
pub(super) fn image<'w>(
    space: &AddressSpace,
    thread: &Thread,
    world: &'w World<'_>,
) -> Option<(&'w Image, Texels<'w>)> {
    world.image(space.entry(thread, world)?, thread.index)
}

/// Lowers the surface of an LSC message.
pub(super) fn lsc_space(l: &mut Lowering<'_>, kind: LscAddrType, surface: &VecOperand) -> LowerResult<AddressSpace> {
    match kind {
        LscAddrType::Bti => Ok(AddressSpace::SurfaceIndex(l.source(surface, 1)?)),
        LscAddrType::Bss => Ok(AddressSpace::StateOffset(l.source(surface, 1)?)),
        LscAddrType::Surf => Ok(AddressSpace::StateAddress(l.scalar(surface)?, 0)),
        kind => illegal(format!("typed addresses of the type {} are not supported yet", kind.name())),
    }
}

/// A chunk of channels: its number, and its enabled channels.
#[derive(Clone, Copy)]
pub(super) struct Chunk {
    pub(super) n: usize,
    pub(super) enabled: u32,
}

/// Iterates over the chunks with enabled channels.
fn chunks_of(enabled: u32) -> impl Iterator<Item = Chunk> {
    let chunks = (0..MAX_LANES / LANES).map(move |n| Chunk { n, enabled: enabled >> (n * LANES) & ones(LANES) });
    chunks.filter(|chunk| chunk.enabled != 0)
}

/// Reads no chunk, for messages whose channels are always read one by one.
pub(super) fn one_by_one(_: &Thread, _: &World<'_>, _: [i64; 3], _: &Reader<'_>, _: &mut Rows) -> Option<()> {
    None
}

/// Lowers a message that reads an image for each channel, with offsets common to all channels.
/// `chunk` reads a chunk of channels together if it can, otherwise `texel` reads each.
pub(super) fn read(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    space: AddressSpace,
    components: Components,
    shift: Offsets,
    texel: impl Fn(&Thread, &World<'_>, [i64; 3], usize, &Image, Texels<'_>) -> [u32; 4] + Send + Sync + 'static,
    chunk: impl Fn(&Thread, &World<'_>, [i64; 3], &Reader<'_>, &mut Rows) -> Option<()> + Send + Sync + 'static,
) -> LowerResult {
    let vectors = Vectors::of_host();
    let run = Run::new(move |thread, world| {
        let enabled = thread.enabled(&enable);
        // Reads all channels before the first write, because the destination may overlap the
        // parameters.
        let mut rows = [[0; MAX_LANES]; 4];
        if let Some((image, texels)) = image(&space, thread, world) {
            let shift = shift.get(thread);
            for Chunk { n, enabled } in chunks_of(enabled) {
                let together = in_vectors(
                    vectors,
                    #[inline(always)]
                    || {
                        let wanted = components.moved();
                        chunk(thread, world, shift, &Reader { image, texels, n, enabled, wanted, vectors }, &mut rows)
                    },
                );
                if together.is_some() {
                    continue;
                }
                for lane in enabled_lanes::<LANES>(enabled).map(|lane| n * LANES + lane) {
                    let components = texel(thread, world, shift, lane, image, texels.of_lane(lane));
                    for (row, component) in rows.iter_mut().zip(components) {
                        row[lane] = component;
                    }
                }
            }
        }
        components.put(thread, enabled, &rows);
        Ok(())
    });
    Ok(l.step(enable, run))
}

pub(super) fn place_of(coordinates: &[Elements; 4], thread: &Thread, lane: usize) -> Texel {
    let [u, v, r, level] = coordinates;
    Texel { place: [u, v, r].map(|at| at.integer(thread, lane)), level: level.number(thread, lane), sample: 0 }
}

/// Returns the texels of a chunk; `None` if one is not in the first level.
#[inline(always)]
pub(super) fn places_of(image: &Image, coordinates: &[Elements; 4], thread: &Thread, chunk: Chunk) -> Option<Places> {
    let [rows @ .., level] = coordinates;
    is_first(level, thread, chunk).then_some(())?;
    let mut places = [[0; LANES]; 3];
    for (place, row) in places.iter_mut().zip(rows).take(image.coordinates()) {
        *place = row.integers(thread, chunk.n)?;
    }
    Some(places)
}

/// Lowers a message that reads a texel at integer coordinates for each channel. Texels outside the
/// image are reported.
pub(super) fn read_texels(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    space: AddressSpace,
    place: [Elements; 4],
    components: Components,
) -> LowerResult {
    read(
        l,
        enable,
        space,
        components,
        Offsets::NONE,
        move |thread, _, _, lane, image, texels| image.load_inside(texels, place_of(&place, thread, lane)),
        #[inline(always)]
        move |thread, _, _, reader, rows| read_inside(&place, thread, reader, rows),
    )
}

/// Reads the texels of a chunk, which must all be inside the image.
#[inline(always)]
fn read_inside(coordinates: &[Elements; 4], thread: &Thread, reader: &Reader<'_>, rows: &mut Rows) -> Option<()> {
    let places = places_of(reader.image, coordinates, thread, Chunk { n: reader.n, enabled: reader.enabled })?;
    let sides = reader.image.sides()?;
    let is_inside = |lane: usize| (0..3).all(|d| (places[d][lane] as u32) < sides[d]);
    enabled_lanes::<LANES>(reader.enabled).all(is_inside).then(|| reader.load(&places, rows))?
}

/// Returns true if the numbers of a chunk are zero.
#[inline(always)]
pub(super) fn is_first(numbers: &Elements, thread: &Thread, Chunk { n, enabled }: Chunk) -> bool {
    let is_zero = |numbers: [i32; LANES]| enabled_lanes::<LANES>(enabled).all(|lane| numbers[lane] == 0);
    numbers.is_none() || numbers.integers(thread, n).is_some_and(is_zero)
}

/// Lowers a message that writes a texel for each channel.
pub(super) fn write(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    space: AddressSpace,
    place: [Elements; 4],
    components: Components,
) -> LowerResult {
    let vectors = Vectors::of_host();
    let run = Run::new(move |thread, world| {
        let bound = image(&space, thread, world);
        let mut outside = 0;
        for chunk @ Chunk { n, enabled } in chunks_of(thread.enabled(&enable)) {
            let together = in_vectors(
                vectors,
                #[inline(always)]
                || {
                    let (image, texels) = bound?;
                    let places = places_of(image, &place, thread, chunk)?;
                    let (colours, given) = components.chunk(thread, n);
                    image.store_chunk(texels, &places, enabled, (&colours, given))
                },
            );
            if together.is_some() {
                continue;
            }
            for lane in enabled_lanes::<LANES>(enabled).map(|lane| n * LANES + lane) {
                let written = bound.is_some_and(|(image, texels)| {
                    image.store_some(
                        texels.of_lane(lane),
                        place_of(&place, thread, lane),
                        components.get(thread, lane),
                    )
                });
                outside += u64::from(!written);
            }
        }
        thread.outside_writes += outside;
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Lowers a message that atomically updates a texel for each channel.
pub(super) fn update(
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
