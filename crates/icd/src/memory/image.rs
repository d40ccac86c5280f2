//! Images: formats, sizes, and positions of rows.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use visakit_emulator::launch::argument::ImageArgument;
use visakit_emulator::limits::{IMAGE_LINE, IMAGE_SIDE};
use visakit_emulator::machine;
use visakit_emulator::machine::buffer::Buffer;
use visakit_emulator::machine::format::Format;
use visakit_emulator::machine::image::{Image, ImageDesc};
use visakit_emulator::machine::memory::Memory;
use visakit_emulator::machine::observer::Witness;

use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle};
use crate::base::raw::Answer;
use crate::devices::context::Context;
use crate::devices::device;
use crate::memory::mem::{self, Mem};

/// Image properties of a memory object.
#[derive(Clone, Copy)]
pub(crate) struct Texels {
    pub(crate) format: cl_image_format,
    kind: Format,
    pub(crate) desc: ImageDesc,
    /// Description passed by the program, with the pitches of the object.
    given: cl_image_desc,
}

// SAFETY: the handle in the description is never dereferenced.
unsafe impl Send for Texels {}
// SAFETY: as above.
unsafe impl Sync for Texels {}

impl Texels {
    /// Returns the size of a texel in bytes.
    pub(crate) fn size(&self) -> usize {
        self.kind.bytes()
    }

    /// Returns the sides that regions count: width, height or number of one-dimensional images, and
    /// depth or number of layers.
    pub(crate) fn sides(&self) -> [usize; 3] {
        let [width, height, depth] = self.desc.size.map(|side| side as usize);
        match (self.desc.dimensions, self.desc.is_array) {
            (1, true) => [width, self.desc.layers as usize, 1],
            (2, true) => [width, height, self.desc.layers as usize],
            _ => [width, height, depth],
        }
    }

    /// Returns the row pitch and the slice pitch in bytes.
    pub(crate) fn pitches(&self) -> (usize, usize) {
        let [width, height, _] = self.sides();
        let row = (width * self.size()).max(self.desc.pitch as usize);
        (row, row * height)
    }

    /// Returns the slice pitch in bytes as the API defines it: in an array of one-dimensional
    /// images, each image is a slice.
    pub(crate) fn slice_pitch(&self) -> usize {
        let (row, slice) = self.pitches();
        match self.given.image_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => row,
            CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D => slice,
            _ => 0,
        }
    }

    /// Returns the byte offset of a texel.
    pub(crate) fn offset(&self, origin: [usize; 3]) -> usize {
        let (row, slice) = self.pitches();
        origin[0] * self.size() + origin[1] * row + origin[2] * slice
    }

    /// Checks that a region is not empty and lies inside the image.
    pub(crate) fn check(&self, origin: [usize; 3], region: [usize; 3]) -> Result {
        let sides = self.sides();
        let inside =
            (0..3).all(|d| region[d] > 0 && origin[d].checked_add(region[d]).is_some_and(|end| end <= sides[d]));
        ensure(inside, CL_INVALID_VALUE)
    }

    /// Returns the image argument for a launch.
    pub(crate) fn argument(&self) -> ImageArgument {
        ImageArgument { format: self.kind, desc: self.desc, texels: Vec::new() }
    }

    /// Converts a colour, four floats or integers, to the bytes of a texel.
    pub(crate) fn colour(&self, colour: [u32; 4]) -> Vec<u8> {
        let desc = ImageDesc { size: [1; 3], ..ImageDesc::default() };
        let image = Image { buffer: 0, format: self.kind, desc };
        let (memory, texel) = (Memory::default(), Buffer::zeros(self.size().max(4)));
        let texels = machine::texels::Texels::new(&memory, &texel, Witness::default(), 0);
        image.store(texels, [0; 3], colour);
        let mut bytes = texel.to_bytes();
        bytes.truncate(self.size());
        bytes
    }
}

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
    let reads_only = flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE | CL_MEM_KERNEL_READ_AND_WRITE) == 0;
    if reads_only {
        let light = [CL_UNORM_INT8, CL_UNORM_INT16, CL_HALF_FLOAT, CL_FLOAT];
        for order in [CL_A, CL_LUMINANCE] {
            add(order, &light);
        }
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

/// Alignment of the row pitch of images created from buffers, in texels.
pub(crate) const PITCH_ALIGNMENT: u32 = 1;

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
    let (given, dense) = (&texels.given, texels.pitches().0);
    let pitch = if given.image_row_pitch == 0 { dense } else { given.image_row_pitch };
    let aligned = pitch.is_multiple_of(PITCH_ALIGNMENT as usize * texels.size());
    ensure(pitch >= dense && aligned && given.image_slice_pitch == 0, CL_INVALID_IMAGE_DESCRIPTOR)?;
    u32::try_from(pitch).map_err(|_| Code(CL_INVALID_IMAGE_SIZE))
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
        Some(parent) => {
            ensure(
                flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) == 0,
                CL_INVALID_VALUE,
            )?;
            let inherited = if flags == 0 { parent.flags } else { flags };
            inherited & !(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
        }
        None => mem::check_flags(flags, host)?,
    };
    let supported = formats(flags, given.image_type);
    let is_known = |other: &cl_image_format| {
        other.image_channel_order == format_given.image_channel_order
            && other.image_channel_data_type == format_given.image_channel_data_type
    };
    ensure(supported.iter().any(is_known), CL_IMAGE_FORMAT_NOT_SUPPORTED)?;
    let mut texels = Texels { format: format_given, kind, desc, given };
    let size = texels.size();
    if parent.is_some() && given.image_type == CL_MEM_OBJECT_IMAGE2D {
        texels.desc.pitch = buffer_pitch(&texels)?;
    }
    let (row, slice) = texels.pitches();
    // No padding follows the last row.
    let gap = (row as u64).saturating_sub(u64::from(desc.size[0]) * size as u64);
    let rows_with_gaps = desc.texels() / u64::from(desc.size[0]) - 1;
    let bytes = desc.texels().saturating_mul(size as u64).saturating_add(gap.saturating_mul(rows_with_gaps));
    ensure(bytes <= device::max_allocation(), CL_INVALID_IMAGE_SIZE)?;
    let bytes = bytes as usize;
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
            // SAFETY: no memory of the program is used here.
            let (storage, _) =
                unsafe { mem::provide(flags & !(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR), bytes, host)? };
            let (to, from) =
                ((row, slice), if desc.dimensions == 1 { (host_slice, host_slice) } else { (host_row, host_slice) });
            // SAFETY: the caller guarantees rows and slices with these pitches, and the storage is
            // new.
            unsafe {
                crate::commands::transfer::copy(
                    (host as *const u8).cast_mut(),
                    from,
                    storage.first(),
                    to,
                    [row, texels.sides()[1], texels.sides()[2]],
                )
            };
            let address = if flags & CL_MEM_USE_HOST_PTR != 0 { host as usize } else { 0 };
            let host = mem::Host { address, in_place: false };
            Mem::new(context, (image_type, flags, bytes), (storage, host), properties)
        }
    };
    mem.texels = Some(texels);
    Ok(handle::create(mem))
}

impl Texels {
    /// Returns the pitches of the program's memory, in the form of [`Texels::pitches`].
    pub(crate) fn host_pitches(&self) -> (usize, usize) {
        match self.given.image_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => (self.given.image_slice_pitch, self.given.image_slice_pitch),
            _ => (self.given.image_row_pitch, self.given.image_slice_pitch),
        }
    }
}

/// Answers `clGetImageInfo`.
pub(crate) fn info(mem: &Handle<Mem>, answer: Answer) -> Result {
    let Some(texels) = mem.texels else { return fail(CL_INVALID_MEM_OBJECT) };
    let given = &texels.given;
    let is_2d = texels.desc.dimensions >= 2;
    match answer.name {
        CL_IMAGE_FORMAT => answer.value(texels.format),
        CL_IMAGE_ELEMENT_SIZE => answer.value(texels.size()),
        CL_IMAGE_ROW_PITCH => answer.value(texels.pitches().0),
        CL_IMAGE_SLICE_PITCH => answer.value(texels.slice_pitch()),
        CL_IMAGE_WIDTH => answer.value(given.image_width),
        CL_IMAGE_HEIGHT => answer.value(if is_2d { given.image_height } else { 0 }),
        CL_IMAGE_DEPTH => answer.value(if texels.desc.dimensions == 3 { given.image_depth } else { 0 }),
        CL_IMAGE_ARRAY_SIZE => answer.value(if texels.desc.is_array { given.image_array_size } else { 0 }),
        CL_IMAGE_BUFFER => answer.value(handle::address_of(mem.parent.as_ref())),
        CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => answer.value(0_u32),
        _ => answer.unknown(),
    }
}
