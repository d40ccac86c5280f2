//! Images: copies of texels, and kernels that read and write them. Also a wait for a whole device,
//! which reports the failures of all its lists.

mod common;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, set, setup};
use visakit_level_zero::base::extensions::*;
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

const SIDES: (usize, usize) = (19, 7);

/// Creates an image of four bytes per texel, as unsigned integers.
fn image(setup: &Setup, width: usize) -> (u32, Raw) {
    swizzled(setup, width, [0, 1, 2, 3])
}

/// Creates an image whose colours have these sources.
fn swizzled(setup: &Setup, width: usize, [x, y, z, w]: [u32; 4]) -> (u32, Raw) {
    let format = ImageFormat { layout: 4, kind: 0, x, y, z, w };
    let desc =
        ImageDesc { stype: 0x13, kind: 2, format, width: width as u64, height: SIDES.1 as u32, ..Default::default() };
    let mut image = null_mut();
    let result = call!(zeImageCreate, setup.context => Raw, setup.device => Raw, &desc => *const ImageDesc,
        &mut image => *mut Raw);
    (result, image)
}

/// Returns the kernel that writes 255 minus each colour of one image to another, and its sampler.
fn inverter(setup: &Setup, spirv: &[u8], from: Raw, to: Raw) -> (Raw, Raw) {
    let (result, module, log) = setup.module(0, spirv, c"");
    assert_eq!(result, 0, "{log}");
    let kernel = setup.kernel(module, c"invert");
    let desc = SamplerDesc { stype: 0x1f, address_mode: 2, ..Default::default() };
    let mut sampler = null_mut();
    let result = call!(zeSamplerCreate, setup.context => Raw, setup.device => Raw, &desc => *const SamplerDesc,
        &mut sampler => *mut Raw);
    assert_eq!(result, 0);
    assert_eq!([set(kernel, 0, &from), set(kernel, 1, &to), set(kernel, 2, &sampler)], [0; 3]);
    (kernel, sampler)
}

/// Appends a launch for every texel.
fn launch(list: Raw, kernel: Raw) -> u32 {
    let groups = GroupCount { group_count_x: SIDES.0 as u32, group_count_y: SIDES.1 as u32, group_count_z: 1 };
    call!(zeCommandListAppendLaunchKernel, list => Raw, kernel => Raw, &groups => *const GroupCount,
        null_mut() => Raw, 0 => u32, null() => *const Raw)
}

/// Formats say which component of a texel is each colour: also zero, one, any, or the depth.
#[test]
fn colours_have_sources() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    assert_eq!(swizzled(&setup, SIDES.0, [0, 1, 2, 8]).0, ERROR_INVALID_ENUMERATION.0);
    for (from, to, expected) in [
        ([0, 1, 2, 3], [3, 2, 1, 0], [252, 253, 254, 255]),
        ([2, 1, 0, 3], [6, 6, 6, 6], [253, 254, 255, 252]),
        ([3, 0, 1, 2], [0, 1, 2, 3], [252, 255, 254, 253]),
        ([1, 4, 5, 6], [3, 2, 1, 0], [252, 254, 255, 254]),
        ([0, 1, 2, 3], [1, 2, 3, 0], [252, 255, 254, 253]),
        ([7, 4, 4, 5], [0, 1, 2, 3], [255, 255, 255, 254]),
        ([0, 1, 2, 3], [7, 1, 2, 3], [255, 254, 253, 252]),
    ] {
        let ((_, source), (_, target)) = (swizzled(&setup, SIDES.0, from), swizzled(&setup, SIDES.0, to));
        let (kernel, _) = inverter(&setup, spirv, source, target);
        let mut texels = [0_u8, 1, 2, 3].repeat(SIDES.0 * SIDES.1);
        assert_eq!((copy(&setup, source, &mut texels, true), launch(setup.immediate(2, 1), kernel)), (0, 0));
        assert_eq!(copy(&setup, target, &mut texels, false), 0);
        assert_eq!(texels, expected.repeat(SIDES.0 * SIDES.1), "{from:?} {to:?}");
    }
}

#[test]
fn kernels_read_and_write_images() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    assert_eq!(image(&setup, 0).0, ERROR_UNSUPPORTED_SIZE.0);
    let ((_, from), (_, to)) = (image(&setup, SIDES.0), image(&setup, SIDES.0));
    let (kernel, sampler) = inverter(&setup, spirv, from, to);
    assert_eq!(set(kernel, 0, &sampler), ERROR_INVALID_ARGUMENT.0, "a sampler is no image");
    let texels: Vec<u8> = (0..SIDES.0 * SIDES.1 * 4).map(|n| (n * 7) as u8).collect();
    let list = setup.immediate(2, 1);
    let upload = call!(zeCommandListAppendImageCopyFromMemory, list => Raw, from => Raw,
        texels.as_ptr().cast() => *const c_void, null() => *const ImageRegion, null_mut() => Raw, 0 => u32,
        null() => *const Raw);
    assert_eq!((upload, launch(list, kernel)), (0, 0));
    let mut found = vec![0_u8; texels.len()];
    let mut download = |region: *const ImageRegion| {
        let result = call!(zeCommandListAppendImageCopyToMemory, list => Raw,
            found.as_mut_ptr().cast() => *mut c_void, to => Raw, region => *const ImageRegion, null_mut() => Raw,
            0 => u32, null() => *const Raw);
        (result, found.clone())
    };
    let wanted: Vec<u8> = texels.iter().map(|texel| 255 - texel).collect();
    assert_eq!(download(null()), (0, wanted.clone()));
    // A part, with dense rows.
    let region = ImageRegion { origin_x: 3, origin_y: 2, origin_z: 0, width: 5, height: 2, depth: 1 };
    let (result, part) = download(&region);
    let row = |y: usize| &wanted[(y * SIDES.0 + 3) * 4..][..20];
    assert_eq!((result, &part[..40]), (0, &[row(2), row(3)].concat()[..]));
    // The third origin and side of an image with two dimensions are ignored.
    let region = ImageRegion { origin_z: 1, depth: 9, ..region };
    let (result, part) = download(&region);
    assert_eq!((result, &part[..40]), (0, &[row(2), row(3)].concat()[..]));
    // An empty region is no error.
    assert_eq!(download(&ImageRegion::default()).0, 0);
    let region = ImageRegion { width: 17, ..region };
    assert_eq!(download(&region).0, ERROR_INVALID_SIZE.0);
}

/// Copies texels into an image, or out of it.
fn copy(setup: &Setup, image: Raw, texels: &mut [u8], is_upload: bool) -> u32 {
    let list = setup.immediate(2, 1);
    let (place, whole) = (texels.as_mut_ptr().cast::<c_void>(), null::<ImageRegion>());
    if is_upload {
        call!(zeCommandListAppendImageCopyFromMemory, list => Raw, image => Raw, place => *mut c_void,
            whole => *const ImageRegion, null_mut() => Raw, 0 => u32, null() => *const Raw)
    } else {
        call!(zeCommandListAppendImageCopyToMemory, list => Raw, place => *mut c_void, image => Raw,
            whole => *const ImageRegion, null_mut() => Raw, 0 => u32, null() => *const Raw)
    }
}

#[test]
fn views_share_texels() {
    let setup = setup();
    let desc = |layout: u32, kind: u32, (width, height): (u64, u32)| ImageDesc {
        stype: 0x13,
        kind: 2,
        format: ImageFormat { layout, kind, x: 0, y: 1, z: 2, w: 3 },
        width,
        height,
        ..Default::default()
    };
    let create = |desc: &ImageDesc| {
        let mut image = null_mut();
        let result = call!(zeImageCreate, setup.context => Raw, setup.device => Raw,
            std::ptr::from_ref(desc) => *const ImageDesc, &mut image => *mut Raw);
        (result, image)
    };
    let view = |desc: &ImageDesc, image: Raw, plane: Option<u32>| {
        let mut planar =
            ImageViewPlanarExtDesc { stype: 0x1_0010, plane_index: plane.unwrap_or(0), ..Default::default() };
        let next = if plane.is_some() { (&raw mut planar).cast() } else { null_mut() };
        let (desc, mut view) = (ImageDesc { p_next: next, ..*desc }, null_mut());
        let result = call!(zeImageViewCreateExt, setup.context => Raw, setup.device => Raw,
            &desc => *const ImageDesc, image => Raw, &mut view => *mut Raw);
        (result, view)
    };
    // Four bytes as one word, and formats and sizes that do not fit.
    let (result, image) = create(&desc(4, 0, (8, 4)));
    let (seen, words) = view(&desc(2, 0, (8, 4)), image, None);
    assert_eq!((result, seen), (0, 0));
    assert_eq!(view(&desc(1, 0, (8, 4)), image, None).0, ERROR_UNSUPPORTED_IMAGE_FORMAT.0);
    assert_eq!(view(&desc(2, 0, (4, 8)), image, None).0, ERROR_INVALID_ARGUMENT.0);
    assert_eq!(view(&desc(2, 0, (8, 4)), image, Some(1)).0, ERROR_INVALID_ARGUMENT.0);
    let mut texels: Vec<u8> = (0..128).collect();
    let mut found = vec![0_u8; 128];
    assert_eq!((copy(&setup, image, &mut texels, true), copy(&setup, words, &mut found, false)), (0, 0));
    assert_eq!(found, texels);
    let id = |image: Raw| {
        let mut properties = ImageAllocationExtProperties { stype: 0x1_000c, ..Default::default() };
        let result = call!(zeImageGetAllocPropertiesExt, setup.context => Raw, image => Raw,
            &mut properties => *mut ImageAllocationExtProperties);
        (result, properties.id)
    };
    assert_eq!(id(image), id(words));
    // The view keeps the texels of a destroyed image.
    assert_eq!((call!(zeImageDestroy, image => Raw), copy(&setup, words, &mut found, false)), (0, 0));
    // Planes of brightness and colors.
    let (result, planes) = create(&desc(15, 2, (8, 4)));
    let (first, second) = (view(&desc(0, 2, (8, 4)), planes, Some(0)), view(&desc(3, 2, (4, 2)), planes, Some(1)));
    assert_eq!((result, first.0, second.0), (0, 0, 0));
    assert_eq!(view(&desc(3, 2, (8, 4)), planes, Some(1)).0, ERROR_INVALID_ARGUMENT.0);
    assert_eq!(view(&desc(0, 2, (8, 4)), planes, None).0, ERROR_INVALID_ARGUMENT.0);
    assert_eq!(view(&desc(0, 2, (8, 4)), planes, Some(2)).0, ERROR_INVALID_ARGUMENT.0);
    let (mut brightness, mut colors) = (vec![9_u8; 32], vec![200_u8; 16]);
    assert_eq!((copy(&setup, first.1, &mut brightness, true), copy(&setup, second.1, &mut colors, true)), (0, 0));
    found[..48].fill(0);
    assert_eq!((copy(&setup, first.1, &mut found, false), &found[..33]), (0, &[&[9; 32][..], &[0]].concat()[..]));
    assert_eq!((copy(&setup, second.1, &mut found, false), &found[..17]), (0, &[&[200; 16][..], &[9]].concat()[..]));
    assert_eq!(copy(&setup, planes, &mut found, false), ERROR_UNSUPPORTED_IMAGE_FORMAT.0);
    // In layers, and with odd sides, which are rounded up for colors.
    let layers = |layout: u32, sides: (u64, u32)| ImageDesc { kind: 3, arraylevels: 2, ..desc(layout, 2, sides) };
    let (result, planes) = create(&layers(15, (3, 1)));
    let (first, second) = (view(&layers(0, (3, 1)), planes, Some(0)), view(&layers(3, (2, 1)), planes, Some(1)));
    assert_eq!((result, first.0, second.0), (0, 0, 0));
    assert_eq!((copy(&setup, first.1, &mut brightness, true), copy(&setup, second.1, &mut colors, true)), (0, 0));
    found.fill(0);
    assert_eq!((copy(&setup, first.1, &mut found, false), &found[..7]), (0, &[9, 9, 9, 9, 9, 9, 0][..]));
    assert_eq!(
        (copy(&setup, second.1, &mut found, false), &found[..9]),
        (0, &[[200; 8].as_slice(), &[0]].concat()[..])
    );
}

#[test]
fn a_device_waits_for_its_lists() {
    let setup = setup();
    let data: *mut u32 = setup.shared(1 << 20);
    let lists = [setup.immediate(0, 2), setup.immediate(0, 2)];
    for (list, value) in lists.into_iter().zip([3_u32, 5]) {
        let place = data.wrapping_add(if value == 3 { 0 } else { 1 << 19 });
        let result = call!(zeCommandListAppendMemoryFill, list => Raw, place.cast() => *mut c_void,
            (&raw const value).cast() => *const c_void, 4 => usize, 1 << 21 => usize, null_mut() => Raw, 0 => u32,
            null() => *const Raw);
        assert_eq!(result, 0);
    }
    assert_eq!(call!(zeDeviceSynchronize, setup.device => Raw), 0);
    // SAFETY: the commands are over.
    let data = unsafe { std::slice::from_raw_parts(data, 1 << 20) };
    assert!(data[..1 << 19].iter().all(|&word| word == 3) && data[1 << 19..].iter().all(|&word| word == 5));
}
