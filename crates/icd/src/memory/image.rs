//! Images: formats, sizes, and positions of rows.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use visakit_emulator::limits::{IMAGE_LINE, IMAGE_SIDE};
use visakit_emulator::machine::format::Format;
use visakit_emulator::machine::image::ImageDesc;
use visakit_runtime::programs::layout::Layout;

use crate::base::answer::Answer;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle};
use crate::base::storage::{Storage, copy};
use crate::devices::context::Context;
use crate::devices::description;
use crate::devices::device::PITCH_ALIGNMENT;
use crate::memory::mem::{self, Mem};
use crate::memory::texels::Texels;

/// Returns the supported image formats for flags and an image type.
pub(crate) fn formats(flags: cl_mem_flags, kind: cl_mem_object_type) -> Vec<cl_image_format> {
    let norms = [CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16];
    let whole =
        [CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32];
    let all: Vec<_> = norms.into_iter().chain(whole).chain([CL_HALF_FLOAT, CL_FLOAT]).collect();
    let mut formats = Vec::new();
    let mut add = |order, types: &[cl_channel_type]| {
        formats.extend(
            types.iter().map(|&ty| cl_image_format { image_channel_order: order, image_channel_data_type: ty }),
        );
    };
    for order in [CL_RGBA, CL_RG, CL_R] {
        add(order, &all);
    }
    add(CL_BGRA, &[CL_UNORM_INT8, CL_SNORM_INT8, CL_UNSIGNED_INT8, CL_SIGNED_INT8]);
    if flags & CL_MEM_KERNEL_READ_AND_WRITE == 0 {
        for order in [CL_A, CL_LUMINANCE, CL_INTENSITY] {
            add(order, &[CL_UNORM_INT8, CL_UNORM_INT16, CL_HALF_FLOAT, CL_FLOAT]);
        }
    }
    if flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE | CL_MEM_KERNEL_READ_AND_WRITE) == 0 {
        add(CL_sRGBA, &[CL_UNORM_INT8]);
        add(CL_sBGRA, &[CL_UNORM_INT8]);
    }
    if [CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY].contains(&kind) {
        add(CL_DEPTH, &[CL_FLOAT, CL_UNORM_INT16]);
    }
    formats
}

/// Returns the emulator's format.
fn format(of: cl_image_format) -> Option<Format> {
    Format::all().find(|format| {
        format.order_number() == of.image_channel_order && format.component_number() == of.image_channel_data_type
    })
}

/// Checks an image description and converts it to the emulator's.
fn describe(given: &cl_image_desc) -> Result<ImageDesc> {
    let side = |given: usize, most: u32| {
        let fits = u32::try_from(given).ok().filter(|side| (1..=most).contains(side));
        fits.ok_or(Code(CL_INVALID_IMAGE_SIZE))
    };
    let layers = || side(given.image_array_size, 2048);
    let width = |most| side(given.image_width, most);
    let height = || side(given.image_height, IMAGE_SIDE);
    let mut desc = ImageDesc::default();
    (desc.dimensions, desc.size) = match given.image_type {
        CL_MEM_OBJECT_IMAGE1D => (1, [width(IMAGE_SIDE)?, 1, 1]),
        CL_MEM_OBJECT_IMAGE1D_BUFFER => (1, [width(IMAGE_LINE)?, 1, 1]),
        CL_MEM_OBJECT_IMAGE1D_ARRAY => (1, [width(IMAGE_SIDE)?, 1, 1]),
        CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY => (2, [width(IMAGE_SIDE)?, height()?, 1]),
        CL_MEM_OBJECT_IMAGE3D => (3, [width(IMAGE_SIDE)?, height()?, side(given.image_depth, 2048)?]),
        _ => return fail(CL_INVALID_IMAGE_DESCRIPTOR),
    };
    if [CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY].contains(&given.image_type) {
        (desc.is_array, desc.layers) = (true, layers()?);
    }
    ensure(given.num_mip_levels == 0 && given.num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR)?;
    Ok(desc)
}

/// Returns the row pitch in bytes of an image that is created from a buffer.
fn buffer_pitch(texels: &Texels) -> Result<u32> {
    let (given, dense) = (&texels.given, texels.layout.pitches().0);
    let pitch = if given.image_row_pitch == 0 { dense } else { given.image_row_pitch };
    let aligned = pitch.is_multiple_of(PITCH_ALIGNMENT as usize * texels.layout.texel());
    ensure(pitch >= dense && aligned && given.image_slice_pitch == 0, CL_INVALID_IMAGE_DESCRIPTOR)?;
    u32::try_from(pitch).map_err(|_| Code(CL_INVALID_IMAGE_SIZE))
}

/// Checks that a format is supported for flags and an image type.
fn check_format(format: cl_image_format, flags: cl_mem_flags, kind: cl_mem_object_type) -> Result {
    let is_known = |other: &cl_image_format| {
        other.image_channel_order == format.image_channel_order
            && other.image_channel_data_type == format.image_channel_data_type
    };
    ensure(formats(flags, kind).iter().any(is_known), CL_IMAGE_FORMAT_NOT_SUPPORTED)
}

/// Returns the size in bytes of an image with the pitch `row` and texels of `size` bytes.
fn bytes_of(desc: &ImageDesc, row: usize, size: usize) -> Result<usize> {
    // No padding follows the last row.
    let gap = (row as u64).saturating_sub(u64::from(desc.size[0]) * size as u64);
    let rows_with_gaps = desc.texels() / u64::from(desc.size[0]) - 1;
    let bytes = desc.texels().saturating_mul(size as u64).saturating_add(gap.saturating_mul(rows_with_gaps));
    ensure(bytes <= description::max_allocation(), CL_INVALID_IMAGE_SIZE)?;
    Ok(bytes as usize)
}

/// Returns new memory of `bytes` bytes with a copy of the program's texels.
///
/// # Safety
/// `host` points to all rows and slices of the image with the pitches of its description.
unsafe fn copied(texels: &Texels, flags: cl_mem_flags, bytes: usize, host: *mut c_void) -> Result<Arc<Storage>> {
    // SAFETY: no memory of the program is used here.
    let (storage, _) = unsafe { mem::provide(flags & !(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR), bytes, host)? };
    let (rows, slices) = (texels.given.image_row_pitch, texels.given.image_slice_pitch);
    let from = if texels.layout.desc.dimensions == 1 { (slices, slices) } else { (rows, slices) };
    let (to, [_, height, depth]) = (texels.layout.pitches(), texels.layout.sides());
    // SAFETY: the caller guarantees the rows, and the storage is new.
    unsafe { copy((host as *const u8).cast_mut(), from, storage.first(), to, [to.0, height, depth]) };
    Ok(storage)
}

/// Creates an image.
///
/// # Safety
/// If the flags use the program's memory, `host` points to all rows and slices of the description
/// with its pitches. With `CL_MEM_USE_HOST_PTR`, that memory lives as long as the object.
pub(crate) unsafe fn create(
    context: &Handle<Context>,
    properties: &[cl_mem_properties],
    flags: cl_mem_flags,
    format_given: Option<cl_image_format>,
    given: Option<cl_image_desc>,
    host: *mut c_void,
) -> Result<Handle<Mem>> {
    ensure(context.devices.iter().any(|device| device.has_images), CL_INVALID_OPERATION)?;
    let flags = flags | mem::flags_of(properties)?;
    let format_given = format_given.ok_or(Code(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
    let mut given = given.ok_or(Code(CL_INVALID_IMAGE_DESCRIPTOR))?;
    let kind = format(format_given).ok_or(Code(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
    let desc = describe(&given)?;
    let parent = (!given.buffer.is_null()).then(|| handle::get::<Mem>(given.buffer));
    let parent = parent.transpose().map_err(|_| Code(CL_INVALID_IMAGE_DESCRIPTOR))?;
    let fits = match given.image_type {
        CL_MEM_OBJECT_IMAGE1D_BUFFER => parent.is_some(),
        CL_MEM_OBJECT_IMAGE2D => true,
        _ => parent.is_none(),
    };
    ensure(fits, CL_INVALID_IMAGE_DESCRIPTOR)?;
    let flags = match &parent {
        Some(parent) => mem::inherited_flags(flags, parent)?,
        None => mem::check_flags(flags, host)?,
    };
    check_format(format_given, flags, given.image_type)?;
    let mut texels = Texels { format: format_given, layout: Layout { format: kind, desc }, given };
    let size = texels.layout.texel();
    if parent.is_some() && given.image_type == CL_MEM_OBJECT_IMAGE2D {
        texels.layout.desc.pitch = buffer_pitch(&texels)?;
    }
    let (row, slice) = texels.layout.pitches();
    let bytes = bytes_of(&desc, row, size)?;
    // The program's row pitch may be larger than the object's.
    let host_row = if given.image_row_pitch == 0 { row } else { given.image_row_pitch };
    let height = if desc.dimensions > 1 { desc.size[1] as usize } else { 1 };
    let host_slice = if given.image_slice_pitch == 0 { host_row * height } else { given.image_slice_pitch };
    let without_host = host.is_null() && (given.image_row_pitch != 0 || given.image_slice_pitch != 0);
    let pitches = host_row >= row && host_row.is_multiple_of(size) && host_slice >= host_row * height;
    ensure(parent.is_some() || !without_host && pitches, CL_INVALID_IMAGE_DESCRIPTOR)?;
    (given.image_row_pitch, given.image_slice_pitch) = (host_row, host_slice);
    texels.given = given;
    let image_type = given.image_type;
    let mut mem = match parent {
        Some(parent) => {
            ensure(parent.is_buffer() && Arc::ptr_eq(&parent.context, context), CL_INVALID_IMAGE_DESCRIPTOR)?;
            ensure(bytes <= parent.bytes, CL_INVALID_IMAGE_SIZE)?;
            let memory = (Arc::clone(&parent.storage), parent.host);
            let mut mem = Mem::new(context, (image_type, flags, bytes), memory, properties);
            (mem.offset, mem.parent) = (parent.offset, Some(parent));
            mem
        }
        None if host.is_null()
            || (host_row, host_slice) == (row, slice)
            || desc.dimensions == 1 && !desc.is_array =>
        {
            // SAFETY: without padding, the program's memory has the size of the object.
            let memory = unsafe { mem::provide(flags, bytes, host)? };
            Mem::new(context, (image_type, flags, bytes), memory, properties)
        }
        None => {
            // SAFETY: the caller guarantees rows and slices with these pitches.
            let storage = unsafe { copied(&texels, flags, bytes, host)? };
            let address = if flags & CL_MEM_USE_HOST_PTR != 0 { host as usize } else { 0 };
            let host = mem::Host { address, in_place: false };
            Mem::new(context, (image_type, flags, bytes), (storage, host), properties)
        }
    };
    mem.texels = Some(texels);
    Ok(handle::create(mem))
}

/// Answers `clGetImageInfo`.
pub(crate) fn info(mem: &Handle<Mem>, answer: Answer) -> Result {
    let Some(texels) = mem.texels else { return fail(CL_INVALID_MEM_OBJECT) };
    let given = &texels.given;
    let is_2d = texels.layout.desc.dimensions >= 2;
    match answer.name {
        CL_IMAGE_FORMAT => answer.value(texels.format),
        CL_IMAGE_ELEMENT_SIZE => answer.value(texels.layout.texel()),
        CL_IMAGE_ROW_PITCH => answer.value(texels.layout.pitches().0),
        CL_IMAGE_SLICE_PITCH => answer.value(texels.slice_pitch()),
        CL_IMAGE_WIDTH => answer.value(given.image_width),
        CL_IMAGE_HEIGHT => answer.value(if is_2d { given.image_height } else { 0 }),
        CL_IMAGE_DEPTH => answer.value(if texels.layout.desc.dimensions == 3 { given.image_depth } else { 0 }),
        CL_IMAGE_ARRAY_SIZE => answer.value(if texels.layout.desc.is_array { given.image_array_size } else { 0 }),
        CL_IMAGE_BUFFER => answer.value(handle::address_of(mem.parent.as_ref())),
        CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => answer.value(0_u32),
        _ => answer.unknown(),
    }
}
