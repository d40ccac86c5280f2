//! Random calls with valid, stale and invalid handles, also from several threads and after `fork`.

mod common;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, launch, set, setup};
use visakit_level_zero::base::types::*;
use visakit_testing::Random;

/// Handles that the calls choose from; some of them are stale.
struct Handles {
    lists: Vec<Raw>,
    queues: Vec<Raw>,
    pools: Vec<Raw>,
    events: Vec<Raw>,
    /// Counter-based events, for which no command waits: a list that signals one may never run.
    counters: Vec<Raw>,
    fences: Vec<Raw>,
    graphs: Vec<Raw>,
    executables: Vec<Raw>,
    kernels: Vec<Raw>,
    memory: Vec<*mut u8>,
}

/// Size of each allocation in bytes.
const BYTES: usize = 4096;

/// Chooses a handle, or something that is none.
fn pick(random: &mut Random, from: &[Raw]) -> Raw {
    match random.below(12) {
        0 => null_mut(),
        1 => 0x1230 as Raw,
        _ if from.is_empty() => null_mut(),
        _ => from[random.below(from.len())],
    }
}

/// Destroys a random object.
fn destroy(random: &mut Random, all: &Handles) {
    match random.below(8) {
        0 => drop(call!(zeCommandListDestroy, pick(random, &all.lists) => Raw)),
        1 if random.below(8) == 0 => drop(call!(zeCommandQueueDestroy, pick(random, &all.queues) => Raw)),
        2 => drop(call!(zeEventDestroy, pick(random, &all.events) => Raw)),
        3 => drop(call!(zeEventPoolDestroy, pick(random, &all.pools) => Raw)),
        4 => drop(call!(zeFenceDestroy, pick(random, &all.fences) => Raw)),
        5 => drop(call!(zeGraphDestroyExt, pick(random, &all.graphs) => Raw)),
        6 => drop(call!(zeExecutableGraphDestroyExt, pick(random, &all.executables) => Raw)),
        _ => drop(call!(zeKernelDestroy, pick(random, &all.kernels) => Raw)),
    }
}

/// Records, instantiates or executes graphs.
fn graph(random: &mut Random, all: &mut Handles, (list, signal): (Raw, Raw)) {
    let (graph, executable) = (pick(random, &all.graphs), pick(random, &all.executables));
    let mut made = null_mut();
    match random.below(6) {
        0 => drop(call!(zeCommandListBeginGraphCaptureExt, list => Raw, null() => *const c_void)),
        1 => {
            let into = [list, graph];
            call!(zeCommandListBeginCaptureIntoGraphExt, into[0] => Raw, into[1] => Raw, null() => *const c_void);
        }
        2 | 3 => {
            call!(zeCommandListEndGraphCaptureExt, list => Raw, null() => *const c_void, &mut made => *mut Raw);
            all.graphs.push(made);
        }
        4 => {
            call!(zeGraphInstantiateExt, graph => Raw, null() => *const c_void, &mut made => *mut Raw);
            all.executables.push(made);
        }
        _ => {
            call!(zeCommandListAppendGraphExt, list => Raw, executable => Raw, null() => *const c_void,
                signal => Raw, 0 => u32, null() => *const Raw);
        }
    }
}

/// Executes one random call. Events are signaled by the host, so that no command waits forever.
fn step(setup: &Setup, random: &mut Random, all: &mut Handles, module: Raw) {
    let memory = all.memory[random.below(all.memory.len())];
    let (list, event) = (pick(random, &all.lists), pick(random, &all.events));
    let signal = if random.below(4) == 0 { pick(random, &all.counters) } else { event };
    let (fence, queue, pool) = (pick(random, &all.fences), pick(random, &all.queues), pick(random, &all.pools));
    let kernel = pick(random, &all.kernels);
    let mut made = null_mut();
    match random.below(28) {
        0 => all.lists.push(setup.immediate(random.below(8) as u32, random.below(3) as u32)),
        1 => {
            let desc = CommandListDesc { flags: random.below(70) as u32, ..Default::default() };
            call!(zeCommandListCreate, setup.context => Raw, setup.device => Raw, &desc => *const CommandListDesc,
                &mut made => *mut Raw);
            all.lists.push(made);
        }
        2 => {
            let desc = CommandQueueDesc { mode: random.below(4) as u32, ..Default::default() };
            call!(zeCommandQueueCreate, setup.context => Raw, setup.device => Raw,
                &desc => *const CommandQueueDesc, &mut made => *mut Raw);
            all.queues.push(made);
        }
        3 => {
            let desc = EventPoolDesc { count: random.below(3) as u32, ..Default::default() };
            call!(zeEventPoolCreate, setup.context => Raw, &desc => *const EventPoolDesc, 0 => u32,
                null() => *const Raw, &mut made => *mut Raw);
            all.pools.push(made);
        }
        4 | 5 => {
            let desc = EventDesc { index: random.below(3) as u32, ..Default::default() };
            call!(zeEventCreate, pool => Raw, &desc => *const EventDesc, &mut made => *mut Raw);
            // Commands may wait for it.
            call!(zeEventHostSignal, made => Raw);
            all.events.push(made);
        }
        6 => {
            let desc = EventCounterBasedDesc { flags: 1, ..Default::default() };
            call!(zeEventCounterBasedCreate, setup.context => Raw, setup.device => Raw,
                &desc => *const EventCounterBasedDesc, &mut made => *mut Raw);
            all.counters.push(made);
        }
        7 => {
            let desc = FenceDesc::default();
            call!(zeFenceCreate, queue => Raw, &desc => *const FenceDesc, &mut made => *mut Raw);
            all.fences.push(made);
        }
        8 if !module.is_null() => {
            let kernel = setup.kernel(module, c"scale");
            set(kernel, 0, &memory);
            set(kernel, 1, &memory);
            set(kernel, 2, &2.0_f32);
            set(kernel, 3, &(random.below(1024) as u32));
            all.kernels.push(kernel);
        }
        9..=14 => destroy(random, all),
        15 => drop(call!(zeCommandListClose, list => Raw)),
        16 => drop(call!(zeCommandListReset, list => Raw)),
        17 => {
            call!(zeCommandQueueExecuteCommandLists, queue => Raw, 1 => u32, &list => *const Raw, fence => Raw);
        }
        18 => {
            let size = random.below(BYTES + 2);
            let to = all.memory[random.below(all.memory.len())];
            let other = pick(random, &all.events);
            call!(zeCommandListAppendMemoryCopy, list => Raw, to.cast() => *mut c_void,
                memory.cast() => *const c_void, size => usize, signal => Raw, 1 => u32, &other => *const Raw);
        }
        19 => {
            let pattern = random.bits();
            call!(zeCommandListAppendMemoryFill, list => Raw, memory.cast() => *mut c_void,
                (&raw const pattern).cast() => *const c_void, 1 << random.below(4) => usize,
                random.below(BYTES) => usize, signal => Raw, 0 => u32, null() => *const Raw);
        }
        20 => drop(launch(list, kernel, random.below(4) as u32, signal, &[])),
        21 => drop(call!(zeCommandListAppendWaitOnEvents, list => Raw, 1 => u32, &event => *const Raw)),
        22 => drop(call!(zeKernelSetGroupSize, kernel => Raw, random.below(300) as u32 => u32, 1 => u32, 1 => u32)),
        23..=26 => graph(random, all, (list, signal)),
        _ => drop(call!(zeEventQueryStatus, event => Raw)),
    }
}

/// Makes random calls, and waits for all work.
fn run(seed: u64, steps: usize) {
    let setup = setup();
    let module = MODULE.as_ref().map_or(null_mut(), |spirv| setup.module(0, spirv, c"").1);
    let mut random = Random(seed);
    let memory = (0..4).map(|_| setup.shared::<u8>(BYTES)).collect();
    let (lists, queues, pools) = (Vec::new(), Vec::new(), Vec::new());
    let (events, counters, fences, kernels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (graphs, executables) = (Vec::new(), Vec::new());
    let mut all = Handles { lists, queues, pools, events, counters, fences, graphs, executables, kernels, memory };
    for _ in 0..steps {
        step(&setup, &mut random, &mut all, module);
    }
    // Ten seconds are enough for all commands, of which none waits for an unsignaled event.
    for &list in &all.lists {
        let result = call!(zeCommandListHostSynchronize, list => Raw, 10_000_000_000 => u64);
        assert_ne!(result, 1, "seed {seed}: a command waits forever");
    }
    for &queue in &all.queues {
        assert_ne!(call!(zeCommandQueueSynchronize, queue => Raw, 10_000_000_000 => u64), 1, "seed {seed}");
    }
    for &memory in &all.memory {
        assert_eq!(call!(zeMemFree, setup.context => Raw, memory.cast() => *mut c_void), 0);
    }
}

#[test]
fn random_calls_are_survived() {
    for seed in 1..20 {
        run(seed, 400);
    }
}

#[test]
fn threads_share_the_driver() {
    let threads: Vec<_> = (100..108).map(|seed| std::thread::spawn(move || run(seed, 200))).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
