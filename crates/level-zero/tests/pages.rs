//! Virtual memory: kernels use mapped pages, and an access to other pages is a fault of the kernel.

mod common;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, launch, set, setup};
use visakit_level_zero::base::extensions::*;
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

const PAGE: usize = 4096;
/// Numbers of accesses.
const NONE: u32 = 0;
const WRITE: u32 = 1;
const READ: u32 = 2;

/// Reserved addresses and physical memory of some pages.
struct Pages {
    setup: Setup,
    first: usize,
    size: usize,
    physical: Raw,
}

impl Pages {
    fn new(size: usize, physical_size: usize) -> Self {
        let setup = setup();
        let (mut first, mut physical, mut page) = (null_mut::<c_void>(), null_mut(), 0);
        let result = call!(zeVirtualMemQueryPageSize, setup.context => Raw, setup.device => Raw, 1 => usize,
            &mut page => *mut usize);
        assert_eq!((result, page), (0, PAGE));
        let reserved = call!(zeVirtualMemReserve, setup.context => Raw, null() => *const c_void, size => usize,
            &mut first => *mut *mut c_void);
        let desc = PhysicalMemDesc { stype: 0x20, size: physical_size, ..Default::default() };
        let created = call!(zePhysicalMemCreate, setup.context => Raw, setup.device => Raw,
            &desc => *const PhysicalMemDesc, &mut physical => *mut Raw);
        assert_eq!((reserved, created), (0, 0));
        Self { setup, first: first as usize, size, physical }
    }

    fn place<T>(&self, page: usize) -> *mut T {
        (self.first + page * PAGE) as *mut T
    }

    fn map(&self, page: usize, count: usize, offset: usize, access: u32) -> u32 {
        call!(zeVirtualMemMap, self.setup.context => Raw, self.place(page) => *mut c_void, count * PAGE => usize,
            self.physical => Raw, offset * PAGE => usize, access => u32)
    }

    fn unmap(&self, page: usize, count: usize) -> u32 {
        call!(zeVirtualMemUnmap, self.setup.context => Raw, self.place(page) => *mut c_void, count * PAGE => usize)
    }

    fn set_access(&self, page: usize, access: u32) -> u32 {
        call!(zeVirtualMemSetAccessAttribute, self.setup.context => Raw, self.place(page) => *mut c_void,
            PAGE => usize, access => u32)
    }

    fn access(&self, page: usize, size: usize) -> (u32, u32, usize) {
        let (mut access, mut same) = (9, 0);
        let result = call!(zeVirtualMemGetAccessAttribute, self.setup.context => Raw,
            self.place(page) => *mut c_void, size => usize, &mut access => *mut u32, &mut same => *mut usize);
        (result, access, same)
    }
}

#[test]
fn pages_have_access() {
    let pages = Pages::new(16 * PAGE, 4 * PAGE);
    assert_eq!(pages.map(0, 2, 0, WRITE), 0);
    assert_eq!([pages.map(1, 2, 0, WRITE), pages.map(4, 2, 3, WRITE)], [ERROR_INVALID_ARGUMENT.0; 2]);
    assert_eq!(pages.map(4, 1, 0, 3), ERROR_INVALID_ENUMERATION.0);
    assert_eq!((pages.map(4, 1, 0, READ), pages.access(4, PAGE)), (0, (0, READ, PAGE)));
    assert_eq!(pages.access(0, 16 * PAGE), (0, WRITE, 2 * PAGE));
    assert_eq!(pages.access(2, 100), (ERROR_UNSUPPORTED_SIZE.0, 9, 0));
    assert_eq!((pages.set_access(1, NONE), pages.access(0, 2 * PAGE)), (0, (0, WRITE, PAGE)));
    assert_eq!(pages.set_access(9, READ), ERROR_INVALID_ARGUMENT.0, "the page is not mapped");
    // Properties of the memory at an address.
    let (mut properties, mut device) = (MemoryAllocationProperties::default(), null_mut());
    let result = call!(zeMemGetAllocProperties, pages.setup.context => Raw, pages.place(4) => *mut c_void,
        &mut properties => *mut MemoryAllocationProperties, &mut device => *mut Raw);
    let mut physical = PhysicalMemProperties::default();
    let asked = call!(zePhysicalMemGetProperties, pages.setup.context => Raw, pages.physical => Raw,
        &mut physical => *mut PhysicalMemProperties);
    assert_eq!((result, properties.kind, device), (0, 2, pages.setup.device));
    assert_eq!((asked, physical.size, physical.id), (0, 4 * PAGE as u64, properties.id));
    // Mapped pages keep the memory of a destroyed object.
    let destroy = || call!(zePhysicalMemDestroy, pages.setup.context => Raw, pages.physical => Raw);
    assert_eq!((destroy(), destroy()), (0, ERROR_INVALID_ARGUMENT.0));
    // SAFETY: the pages are mapped to the same memory, and no command uses them.
    unsafe {
        pages.place::<u32>(0).write(7);
        assert_eq!(pages.place::<u32>(4).read(), 7);
    }
    let free = |size: usize| call!(zeVirtualMemFree, pages.setup.context => Raw, pages.place(0) => *mut c_void, size => usize);
    assert_eq!((free(PAGE), free(0)), (ERROR_INVALID_ARGUMENT.0, ERROR_UNSUPPORTED_SIZE.0));
    assert_eq!((free(pages.size), free(pages.size)), (0, ERROR_INVALID_ARGUMENT.0));
}

/// Launches that use pages with different accesses, in ranges of one slot of addresses and more.
#[test]
fn kernels_use_mapped_pages() {
    let Some(spirv) = MODULE.as_ref() else { return };
    for size in [8 * PAGE, 5 << 30] {
        let pages = Pages::new(size, 4 * PAGE);
        let (result, module, log) = pages.setup.module(0, spirv, c"");
        assert_eq!(result, 0, "{log}");
        let (kernel, list) = (pages.setup.kernel(module, c"scale"), pages.setup.immediate(2, 1));
        let count = (PAGE / 4) as u32;
        assert_eq!(call!(zeKernelSetGroupSize, kernel => Raw, 64 => u32, 1 => u32, 1 => u32), 0);
        let run = |from: usize, to: usize| {
            let given = [
                set(kernel, 0, &pages.place::<f32>(from)),
                set(kernel, 1, &pages.place::<f32>(to)),
                set(kernel, 2, &2.0_f32),
                set(kernel, 3, &count),
            ];
            assert_eq!(given, [0; 4]);
            launch(list, kernel, count / 64, null_mut(), &[])
        };
        // The last page of a large range lies in another slot of the addresses.
        let last = size / PAGE - 1;
        assert_eq!((pages.map(0, 2, 0, WRITE), pages.map(last, 1, 2, WRITE)), (0, 0));
        // SAFETY: the page is mapped, and no command uses it.
        let read = |page: usize, n: usize| unsafe { pages.place::<f32>(page).add(n).read() };
        // SAFETY: as above.
        (0..count as usize).for_each(|n| unsafe { pages.place::<f32>(0).add(n).write(n as f32) });
        assert_eq!((run(0, 1), run(1, last)), (0, 0));
        assert_eq!((read(1, 5), read(last, 5), read(last, 1023)), (15.0, 35.0, 7.0 * 1023.0));
        // Unmapped pages, and stores to pages that are only for reading.
        assert_eq!((run(0, 3), run(3, 0)), (ERROR_DEVICE_LOST.0, ERROR_DEVICE_LOST.0));
        assert_eq!((pages.set_access(1, READ), run(1, last), run(0, 1)), (0, 0, ERROR_DEVICE_LOST.0));
        assert_eq!((pages.set_access(1, NONE), run(1, last)), (0, ERROR_DEVICE_LOST.0));
        assert_eq!((pages.set_access(1, WRITE), run(0, 1)), (0, 0));
        assert_eq!((pages.unmap(1, 1), run(0, 1)), (0, ERROR_DEVICE_LOST.0));
        assert_eq!((pages.map(1, 1, 3, WRITE), run(0, 1), read(1, 9)), (0, 0, 27.0));
        // Copies check their ranges too.
        let copy = |from: usize, bytes: usize| {
            call!(zeCommandListAppendMemoryCopy, list => Raw, pages.place(last) => *mut c_void,
                pages.place(from) => *mut c_void, bytes => usize, null_mut() => Raw, 0 => u32, null() => *const Raw)
        };
        assert_eq!((copy(1, PAGE), read(last, 9)), (0, 27.0));
        assert_eq!((copy(1, 2 * PAGE), copy(3, 4)), (ERROR_INVALID_ARGUMENT.0, ERROR_INVALID_ARGUMENT.0));
        assert_eq!(call!(zePhysicalMemDestroy, pages.setup.context => Raw, pages.physical => Raw), 0);
        assert_eq!(call!(zeContextDestroy, pages.setup.context => Raw), 0);
    }
}
