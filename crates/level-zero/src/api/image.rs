//! Entry points of images and copies of their texels.

use std::ffi::c_void;

use visakit_runtime::base::raw::{In, Out};

use crate::api::entry::{Raw, check_images, events, functions};
use crate::base::chain::{find, read, update, write};
use crate::base::extensions::*;
use crate::base::handle::{self, Handle, destroy, get};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::context::{Context, next};
use crate::devices::device::Device;
use crate::programs::image::{Image, check_format};
use crate::queues::list::CommandList;
use crate::queues::transfer::{self, Place, Rows};

/// Types of the structure that names the plane of a view.
const PLANES: [u32; 2] = [0x1_0010, 0x2_0005];
/// Sampler filters of all formats: point and linear.
const FILTERS: u32 = 0b11;

/// Rows of an image's region.
fn texels(image: &Image, region: Option<ImageRegion>) -> Result<Rows> {
    let (offset, size) = image.region(region)?;
    Ok(Rows { place: Place::of_storage(&image.storage), offset, pitches: image.layout.pitches(), size })
}

/// Rows of memory with the size of others; a pitch of 0 is dense. As in Intel's driver, rows may
/// overlap.
fn rows(address: Raw, size: [usize; 3], pitch: u32, slice_pitch: u32) -> Result<Rows> {
    let row = if pitch == 0 { size[0] } else { pitch as usize };
    let slice = if slice_pitch == 0 { row.saturating_mul(size[1]) } else { slice_pitch as usize };
    let end =
        slice.saturating_mul(size[2] - 1).saturating_add(row.saturating_mul(size[1] - 1)).saturating_add(size[0]);
    Ok(Rows { place: Place::new(address, end)?, offset: 0, pitches: (row, slice), size })
}

/// Appends the copy of rows.
fn append(list: &Handle<CommandList>, to: Rows, from: Rows, (signal, count, waits): (Raw, u32, Out<Raw>)) -> Result {
    let events = events(signal, count, waits)?;
    list.append(events.signal.as_ref(), &events.waits, transfer::copy_rows(to, from)?)
}

fn copy_images(
    list: Raw,
    to: (Raw, Option<ImageRegion>),
    from: (Raw, Option<ImageRegion>),
    events: (Raw, u32, Out<Raw>),
) -> Result {
    let list: Handle<CommandList> = get(list)?;
    let (target, source): (Handle<Image>, Handle<Image>) = (get(to.0)?, get(from.0)?);
    append(&list, texels(&target, to.1)?, texels(&source, from.1)?, events)
}

fn to_memory(
    list: Raw,
    to: Raw,
    image: (Raw, In<ImageRegion>),
    pitches: (u32, u32),
    events: (Raw, u32, Out<Raw>),
) -> Result {
    let list: Handle<CommandList> = get(list)?;
    let source = texels(&*get::<Image>(image.0)?, image.1.get())?;
    let target = rows(to, source.size, pitches.0, pitches.1)?;
    append(&list, target, source, events)
}

fn from_memory(
    list: Raw,
    image: (Raw, In<ImageRegion>),
    from: Raw,
    pitches: (u32, u32),
    events: (Raw, u32, Out<Raw>),
) -> Result {
    let list: Handle<CommandList> = get(list)?;
    let target = texels(&*get::<Image>(image.0)?, image.1.get())?;
    let source = rows(from, target.size, pitches.0, pitches.1)?;
    append(&list, target, source, events)
}

functions! {
    fn zeImageGetProperties(device: Raw, desc: In<ImageDesc>, properties: Out<ImageProperties>) {
        let device = get::<Device>(device)?;
        ensure(device.description.has_images, ERROR_UNSUPPORTED_FEATURE)?;
        check_format(&read(desc)?.format)?;
        update(properties, |out| out.sampler_filter_flags = FILTERS)
    }

    fn zeImageCreate(context: Raw, device: Raw, desc: In<ImageDesc>, image: Out<Raw>) {
        check_images(context, device)?;
        let desc = read(desc)?;
        ensure(!image.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(image, handle::give(handle::create(Image::new(&desc, next())?)))
    }

    fn zeImageViewCreateExt(context: Raw, device: Raw, desc: In<ImageDesc>, image: Raw, view: Out<Raw>) {
        check_images(context, device)?;
        let image: Handle<Image> = get(image)?;
        let desc = read(desc)?;
        ensure(!view.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program passes a valid chain; the structures have this type.
        let planar = unsafe { find::<ImageViewPlanarExtDesc>(desc.p_next, &PLANES) };
        let plane = planar.map(|planar| planar.plane_index);
        write(view, handle::give(handle::create(image.view(&desc, plane)?)))
    }

    fn zeImageDestroy(image: Raw) {
        destroy::<Image>(image)
    }

    fn zeImageGetMemoryPropertiesExp(image: Raw, properties: Out<ImageMemoryPropertiesExp>) {
        let image = get::<Image>(image)?;
        let (row, slice) = image.layout.pitches();
        update(properties, |out| {
            (out.size, out.row_pitch, out.slice_pitch) = (image.storage.bytes() as u64, row as u64, slice as u64);
        })
    }

    fn zeImageGetAllocPropertiesExt(context: Raw, image: Raw, properties: Out<ImageAllocationExtProperties>) {
        get::<Context>(context)?;
        let image = get::<Image>(image)?;
        update(properties, |out| out.id = image.id)
    }

    fn zeContextMakeImageResident(context: Raw, device: Raw, image: Raw) {
        get::<Context>(context)?;
        get::<Device>(device)?;
        get::<Image>(image).map(drop)
    }

    fn zeCommandListAppendImageCopy(list: Raw, to: Raw, from: Raw, signal: Raw, count: u32, waits: Out<Raw>) {
        copy_images(list, (to, None), (from, None), (signal, count, waits))
    }

    fn zeCommandListAppendImageCopyRegion(
        list: Raw,
        to: Raw,
        from: Raw,
        to_region: In<ImageRegion>,
        from_region: In<ImageRegion>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        copy_images(list, (to, to_region.get()), (from, from_region.get()), (signal, count, waits))
    }

    fn zeCommandListAppendImageCopyToMemory(
        list: Raw,
        to: *mut c_void,
        image: Raw,
        region: In<ImageRegion>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        to_memory(list, to, (image, region), (0, 0), (signal, count, waits))
    }

    fn zeCommandListAppendImageCopyToMemoryExt(
        list: Raw,
        to: *mut c_void,
        image: Raw,
        region: In<ImageRegion>,
        pitch: u32,
        slice_pitch: u32,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        to_memory(list, to, (image, region), (pitch, slice_pitch), (signal, count, waits))
    }

    fn zeCommandListAppendImageCopyFromMemory(
        list: Raw,
        image: Raw,
        from: *mut c_void,
        region: In<ImageRegion>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        from_memory(list, (image, region), from, (0, 0), (signal, count, waits))
    }

    fn zeCommandListAppendImageCopyFromMemoryExt(
        list: Raw,
        image: Raw,
        from: *mut c_void,
        region: In<ImageRegion>,
        pitch: u32,
        slice_pitch: u32,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        from_memory(list, (image, region), from, (pitch, slice_pitch), (signal, count, waits))
    }
}
