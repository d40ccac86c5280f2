//! Images: copies of texels, and kernels that read and write them. Also a wait for a whole device,
//! which reports the failures of all its lists.

mod common;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, set, setup};
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

const SIDES: (usize, usize) = (19, 7);

/// Creates an image of four bytes per texel, as unsigned integers.
fn image(setup: &Setup, width: usize) -> (u32, Raw) {
    let format = ImageFormat { layout: 4, kind: 0, x: 0, y: 1, z: 2, w: 3 };
    let desc =
        ImageDesc { stype: 0x13, kind: 2, format, width: width as u64, height: SIDES.1 as u32, ..Default::default() };
    let mut image = null_mut();
    let result = call!(zeImageCreate, setup.context => Raw, setup.device => Raw, &desc => *const ImageDesc,
        &mut image => *mut Raw);
    (result, image)
}

#[test]
fn kernels_read_and_write_images() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    assert_eq!(image(&setup, 0).0, ERROR_UNSUPPORTED_SIZE.0);
    let ((_, from), (_, to)) = (image(&setup, SIDES.0), image(&setup, SIDES.0));
    let (result, module, log) = setup.module(0, spirv, c"");
    assert_eq!(result, 0, "{log}");
    let kernel = setup.kernel(module, c"invert");
    let desc = SamplerDesc { stype: 0x1f, address_mode: 2, ..Default::default() };
    let mut sampler = null_mut();
    let result = call!(zeSamplerCreate, setup.context => Raw, setup.device => Raw, &desc => *const SamplerDesc,
        &mut sampler => *mut Raw);
    assert_eq!(result, 0);
    assert_eq!([set(kernel, 0, &from), set(kernel, 1, &to), set(kernel, 2, &sampler)], [0; 3]);
    assert_eq!(set(kernel, 0, &sampler), ERROR_INVALID_ARGUMENT.0, "a sampler is no image");
    let texels: Vec<u8> = (0..SIDES.0 * SIDES.1 * 4).map(|n| (n * 7) as u8).collect();
    let list = setup.immediate(2, 1);
    let upload = call!(zeCommandListAppendImageCopyFromMemory, list => Raw, from => Raw,
        texels.as_ptr().cast() => *const c_void, null() => *const ImageRegion, null_mut() => Raw, 0 => u32,
        null() => *const Raw);
    assert_eq!(upload, 0);
    let groups = GroupCount { group_count_x: SIDES.0 as u32, group_count_y: SIDES.1 as u32, group_count_z: 1 };
    let launched = call!(zeCommandListAppendLaunchKernel, list => Raw, kernel => Raw,
        &groups => *const GroupCount, null_mut() => Raw, 0 => u32, null() => *const Raw);
    assert_eq!(launched, 0);
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
