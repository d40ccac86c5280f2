//! Random calls, valid and invalid, of virtual memory, interprocess handles, views and mutable
//! lists, with launches that use the memory. None crashes or hangs, and every object can be freed.

mod common;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, launch, set, setup};
use visakit_level_zero::base::extensions::*;
use visakit_level_zero::base::types::*;
use visakit_testing::Random;

const PAGE: usize = 4096;
/// Pages per reservation and per physical memory.
const PAGES: usize = 8;

/// Objects that the calls choose from; some of them are stale.
#[derive(Default)]
struct Objects {
    reserved: Vec<usize>,
    physical: Vec<Raw>,
    memory: Vec<Raw>,
    handles: Vec<IpcMemHandle>,
    opened: Vec<Raw>,
    images: Vec<Raw>,
    lists: Vec<Raw>,
    commands: Vec<u64>,
}

/// Chooses an object, or something that is none.
fn pick<T: Copy>(random: &mut Random, from: &[T], other: T) -> T {
    if from.is_empty() || random.below(12) == 0 { other } else { from[random.below(from.len())] }
}

/// Changes pages.
fn change_pages(setup: &Setup, random: &mut Random, all: &mut Objects) {
    let context = setup.context;
    let first = pick(random, &all.reserved, 0x1000) + random.below(PAGES) * PAGE;
    let first = (first + usize::from(random.below(20) == 0)) as *mut c_void;
    let (size, access) = (random.below(PAGES) * PAGE, random.below(4) as u32);
    let physical = pick(random, &all.physical, null_mut());
    let (mut made, mut number, mut bytes) = (null_mut(), 0, 0);
    match random.below(9) {
        0 => {
            call!(zeVirtualMemReserve, context => Raw, null() => *const c_void, PAGES * PAGE => usize,
                &mut made => *mut Raw);
            all.reserved.push(made as usize);
        }
        1 => drop(call!(zeVirtualMemFree, context => Raw, first => Raw, PAGES * PAGE => usize)),
        2 => {
            let desc = PhysicalMemDesc { size: random.below(PAGES) * PAGE, ..Default::default() };
            call!(zePhysicalMemCreate, context => Raw, setup.device => Raw, &desc => *const PhysicalMemDesc,
                &mut made => *mut Raw);
            all.physical.push(made);
        }
        3 if random.below(4) == 0 => drop(call!(zePhysicalMemDestroy, context => Raw, physical => Raw)),
        4 => drop(call!(zeVirtualMemUnmap, context => Raw, first => Raw, size => usize)),
        5 => drop(call!(zeVirtualMemSetAccessAttribute, context => Raw, first => Raw, size => usize, access => u32)),
        6 => {
            call!(zeVirtualMemGetAccessAttribute, context => Raw, first => Raw, size => usize,
                &mut number => *mut u32, &mut bytes => *mut usize);
        }
        _ => {
            call!(zeVirtualMemMap, context => Raw, first => Raw, size => usize, physical => Raw,
                random.below(PAGES) * PAGE => usize, access => u32);
        }
    }
}

/// Creates, opens and returns handles of memory.
fn change_handles(setup: &Setup, random: &mut Random, all: &mut Objects) {
    let context = setup.context;
    let memory = pick(random, &all.memory, 0x1000 as Raw);
    let mut handle = pick(random, &all.handles, IpcMemHandle::default());
    let mut made = null_mut();
    if random.below(8) == 0 {
        handle.data[random.below(64)] = random.bits() as u8;
    }
    match random.below(8) {
        0 => {
            let desc = DeviceMemAllocDesc::default();
            call!(zeMemAllocDevice, context => Raw, &desc => *const DeviceMemAllocDesc,
                random.below(3 * PAGE) => usize, 0 => usize, setup.device => Raw, &mut made => *mut Raw);
            all.memory.push(made);
        }
        1 => drop(call!(zeMemFree, context => Raw, memory => Raw)),
        2 | 3 => {
            let first = if random.below(4) == 0 { pick(random, &all.physical, null_mut()) } else { memory };
            call!(zeMemGetIpcHandle, context => Raw, first => Raw, &mut handle => *mut IpcMemHandle);
            all.handles.push(handle);
        }
        4 => drop(call!(zeMemPutIpcHandle, context => Raw, handle => IpcMemHandle)),
        5 => {
            let opened = pick(random, &all.opened, null_mut());
            call!(zeMemCloseIpcHandle, context => Raw, opened => Raw);
        }
        _ => {
            call!(zeMemOpenIpcHandle, context => Raw, setup.device => Raw, handle => IpcMemHandle, 0 => u32,
                &mut made => *mut Raw);
            all.opened.push(made);
        }
    }
}

/// Creates and destroys images and views.
fn change_images(setup: &Setup, random: &mut Random, all: &mut Objects) {
    let layout = [0, 1, 2, 3, 4, 15, 40][random.below(7)];
    let format = ImageFormat { layout, kind: random.below(3) as u32, y: 1, z: 2, w: 3, ..Default::default() };
    let (width, height) = (random.below(6) as u64, random.below(4) as u32);
    let mut planar =
        ImageViewPlanarExtDesc { stype: 0x1_0010, plane_index: random.below(3) as u32, ..Default::default() };
    let p_next = if random.below(2) == 0 { (&raw mut planar).cast() } else { null_mut() };
    let desc = ImageDesc { p_next, kind: random.below(6) as u32, format, width, height, ..Default::default() };
    let image = pick(random, &all.images, 0x1230 as Raw);
    let mut made = null_mut();
    match random.below(3) {
        0 => drop(call!(zeImageDestroy, image => Raw)),
        1 => {
            call!(zeImageCreate, setup.context => Raw, setup.device => Raw, &desc => *const ImageDesc,
                &mut made => *mut Raw);
            all.images.push(made);
        }
        _ => {
            call!(zeImageViewCreateExp, setup.context => Raw, setup.device => Raw, &desc => *const ImageDesc,
                image => Raw, &mut made => *mut Raw);
            all.images.push(made);
        }
    }
}

/// Returns an address of any kind.
fn address(random: &mut Random, all: &Objects) -> usize {
    match random.below(4) {
        0 => pick(random, &all.opened, null_mut()) as usize,
        1 => pick(random, &all.memory, null_mut()) as usize,
        _ => pick(random, &all.reserved, 0) + random.below(PAGES) * PAGE,
    }
}

/// Records, changes and executes launches that use the memory.
fn change_lists(setup: &Setup, random: &mut Random, all: &mut Objects, (queue, kernel): (Raw, Raw)) {
    let list = pick(random, &all.lists, 0x1230 as Raw);
    let id = pick(random, &all.commands, 999);
    let value = address(random, all);
    let mut made = null_mut();
    match random.below(8) {
        0 => {
            let mut mutable = MutableCommandListExpDesc { stype: 0x2_0016, ..Default::default() };
            let desc = CommandListDesc { p_next: (&raw mut mutable).cast(), ..Default::default() };
            call!(zeCommandListCreate, setup.context => Raw, setup.device => Raw, &desc => *const CommandListDesc,
                &mut made => *mut Raw);
            all.lists.push(made);
        }
        1 | 2 => {
            let desc = MutableCommandIdExpDesc { flags: random.below(260) as u32, ..Default::default() };
            let mut id = 0;
            call!(zeCommandListGetNextCommandIdExp, list => Raw, &desc => *const MutableCommandIdExpDesc,
                &mut id => *mut u64);
            all.commands.push(id);
            set(kernel, random.below(2) as u32, &value);
            launch(list, kernel, random.below(3) as u32, null_mut(), &[]);
        }
        3 => drop(call!(zeCommandListClose, list => Raw)),
        4 if random.below(4) == 0 => drop(call!(zeCommandListReset, list => Raw)),
        5 => {
            let mut change = MutableKernelArgumentExpDesc {
                stype: 0x2_0019,
                command_id: id,
                arg_index: random.below(6) as u32,
                arg_size: 8,
                p_arg_value: (&raw const value).cast(),
                ..Default::default()
            };
            let desc = MutableCommandsExpDesc { p_next: (&raw mut change).cast(), ..Default::default() };
            call!(zeCommandListUpdateMutableCommandsExp, list => Raw, &desc => *const MutableCommandsExpDesc);
        }
        6 => {
            let mut change = MutableSizeExpDesc {
                stype: 0x2_001b,
                command_id: id,
                x: random.below(70) as u32,
                y: 1,
                z: 1,
                ..Default::default()
            };
            let desc = MutableCommandsExpDesc { p_next: (&raw mut change).cast(), ..Default::default() };
            call!(zeCommandListUpdateMutableCommandsExp, list => Raw, &desc => *const MutableCommandsExpDesc);
        }
        _ => {
            call!(zeCommandQueueExecuteCommandLists, queue => Raw, 1 => u32, &list => *const Raw,
                null_mut() => Raw);
        }
    }
}

/// Makes random calls, waits for all work, and frees the memory.
fn run(seed: u64, steps: usize) {
    let Some(spirv) = MODULE.as_ref() else { return };
    let setup = setup();
    let module = setup.module(0, spirv, c"").1;
    let kernel = setup.kernel(module, c"scale");
    set(kernel, 2, &2.0_f32);
    set(kernel, 3, &64_u32);
    call!(zeKernelSetGroupSize, kernel => Raw, 32 => u32, 1 => u32, 1 => u32);
    let (desc, mut queue) = (CommandQueueDesc::default(), null_mut());
    let created = call!(zeCommandQueueCreate, setup.context => Raw, setup.device => Raw,
        &desc => *const CommandQueueDesc, &mut queue => *mut Raw);
    assert_eq!(created, 0);
    let (mut random, mut all) = (Random(seed), Objects::default());
    for _ in 0..steps {
        match random.below(4) {
            0 => change_pages(&setup, &mut random, &mut all),
            1 => change_handles(&setup, &mut random, &mut all),
            2 if random.below(3) == 0 => change_images(&setup, &mut random, &mut all),
            _ => change_lists(&setup, &mut random, &mut all, (queue, kernel)),
        }
    }
    let result = call!(zeCommandQueueSynchronize, queue => Raw, 20_000_000_000 => u64);
    assert_ne!(result, 1, "seed {seed}: a command waits forever");
    for handle in all.handles {
        call!(zeMemPutIpcHandle, setup.context => Raw, handle => IpcMemHandle);
    }
    assert_eq!(call!(zeContextDestroy, setup.context => Raw), 0);
}

#[test]
fn random_calls_are_survived() {
    for seed in 1..10 {
        run(seed, 400);
    }
}

#[test]
fn threads_share_the_memory() {
    let threads: Vec<_> = (100..104).map(|seed| std::thread::spawn(move || run(seed, 300))).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
