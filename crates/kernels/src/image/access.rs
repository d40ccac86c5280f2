//! Accesses to the texels of an image, channel by channel.

use crate::image::payload::{Components, Elements, Offsets};
use crate::lowering::step::{Lowered, Run};
use crate::lowering::{LowerResult, Lowering, illegal};
use crate::memory::address::AddressSpace;
use crate::memory::atomic::Atomic;
use crate::memory::message::for_chunks;
use visakit::isa::{ExecSize, LscAddrType, Predicate, VecOperand};
use visakit_machine::World;
use visakit_machine::access::Request;
use visakit_machine::image::{Image, Texel};
use visakit_machine::lane::{LANES, MAX_LANES, enabled_lanes};
use visakit_machine::texels::Texels;
use visakit_machine::thread::{ExecMask, Thread};

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
pub(super) fn read_at(
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

pub(super) fn place_of(coordinates: &[Elements; 4], thread: &Thread, lane: usize) -> Texel {
    let [u, v, r, level] = coordinates;
    Texel { place: [u, v, r].map(|at| at.integer(thread, lane)), level: level.number(thread, lane), sample: 0 }
}

/// Lowers a message that writes a texel for each channel.
pub(super) fn write(
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
