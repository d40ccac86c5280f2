//! Mutable command lists: changes of arguments, sizes, events and kernels between executions.

mod common;

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use common::{MODULE, Raw, Setup, call, launch, set, setup};
use visakit_level_zero::base::extensions::*;
use visakit_level_zero::base::result::*;
use visakit_level_zero::base::types::*;

/// List with a launch of `scale` whose parts can change, and a queue.
struct Recorded {
    setup: Setup,
    list: Raw,
    queue: Raw,
    module: Raw,
    /// Memory from which the kernel reads, and to which it writes.
    data: [*mut f32; 3],
}

const COUNT: u32 = 256;

impl Recorded {
    fn new(spirv: &[u8]) -> Self {
        let setup = setup();
        let (result, module, log) = setup.module(0, spirv, c"");
        assert_eq!(result, 0, "{log}");
        let mut mutable = MutableCommandListExpDesc { stype: 0x2_0016, ..Default::default() };
        let desc = CommandListDesc { stype: 0xf, p_next: (&raw mut mutable).cast(), ..Default::default() };
        let queue_desc = CommandQueueDesc { stype: 0xe, mode: 1, ..Default::default() };
        let (mut list, mut queue, mut answer) = (null_mut(), null_mut(), 9);
        let results = [
            call!(zeCommandListCreate, setup.context => Raw, setup.device => Raw,
                &desc => *const CommandListDesc, &mut list => *mut Raw),
            call!(zeCommandQueueCreate, setup.context => Raw, setup.device => Raw,
                &queue_desc => *const CommandQueueDesc, &mut queue => *mut Raw),
            call!(zeCommandListIsMutableExp, list => Raw, &mut answer => *mut u8),
        ];
        assert_eq!((results, answer), ([0; 3], 1));
        let data = std::array::from_fn(|_| setup.shared::<f32>(COUNT as usize));
        // SAFETY: no command uses the memory.
        (0..COUNT as usize).for_each(|n| unsafe { data[0].add(n).write(n as f32) });
        Self { setup, list, queue, module, data }
    }

    /// Creates a kernel with arguments.
    fn kernel(&self, name: &CStr) -> Raw {
        let kernel = self.setup.kernel(self.module, name);
        assert_eq!(call!(zeKernelSetGroupSize, kernel => Raw, 32 => u32, 1 => u32, 1 => u32), 0);
        let given = [
            set(kernel, 0, &self.data[0]),
            set(kernel, 1, &self.data[1]),
            set(kernel, 2, &2.0_f32),
            set(kernel, 3, &COUNT),
        ];
        assert_eq!(given, [0; 4]);
        kernel
    }

    fn announce(&self, flags: u32) -> (u32, u64) {
        let desc = MutableCommandIdExpDesc { stype: 0x2_0017, flags, ..Default::default() };
        let mut id = 0;
        let result = call!(zeCommandListGetNextCommandIdExp, self.list => Raw,
            &desc => *const MutableCommandIdExpDesc, &mut id => *mut u64);
        (result, id)
    }

    fn close(&self) {
        assert_eq!(call!(zeCommandListClose, self.list => Raw), 0);
    }

    fn execute(&self) -> u32 {
        call!(zeCommandQueueExecuteCommandLists, self.queue => Raw, 1 => u32, &self.list => *const Raw,
            null_mut() => Raw)
    }

    fn update(&self, next: *mut c_void) -> u32 {
        let desc = MutableCommandsExpDesc { stype: 0x2_0018, p_next: next, ..Default::default() };
        call!(zeCommandListUpdateMutableCommandsExp, self.list => Raw, &desc => *const MutableCommandsExpDesc)
    }

    /// Changes an argument.
    fn argument<T>(&self, id: u64, index: u32, value: &T, next: *mut c_void) -> u32 {
        let mut change = MutableKernelArgumentExpDesc {
            stype: 0x2_0019,
            p_next: next,
            command_id: id,
            arg_index: index,
            arg_size: size_of::<T>(),
            p_arg_value: std::ptr::from_ref(value).cast(),
        };
        self.update((&raw mut change).cast())
    }

    /// Reads an element of the n-th memory, and clears the memory.
    fn take(&self, memory: usize, n: usize) -> f32 {
        // SAFETY: no command uses the memory.
        unsafe {
            let found = self.data[memory].add(n).read();
            self.data[memory].write_bytes(0, COUNT as usize);
            found
        }
    }
}

#[test]
fn arguments_and_sizes_change() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let recorded = Recorded::new(spirv);
    let kernel = recorded.kernel(c"scale");
    let (result, id) = recorded.announce(0);
    assert_eq!(result, 0);
    assert_eq!(launch(recorded.list, kernel, COUNT / 32, null_mut(), &[]), 0);
    let (_, fixed) = recorded.announce(1 << 1);
    assert_eq!((launch(recorded.list, kernel, 0, null_mut(), &[]), fixed), (0, id + 1));
    recorded.close();
    assert_eq!(recorded.announce(0).0, ERROR_INVALID_ARGUMENT.0, "the list is closed");
    assert_eq!((recorded.execute(), recorded.take(1, 10)), (0, 30.0));
    // Later changes of the kernel have no effect.
    assert_eq!(set(kernel, 2, &9.0_f32), 0);
    assert_eq!((recorded.execute(), recorded.take(1, 10)), (0, 30.0));
    // A value and a pointer in one call.
    let factor = 5.0_f32;
    let mut other = MutableKernelArgumentExpDesc {
        stype: 0x2_0019,
        command_id: id,
        arg_index: 2,
        arg_size: 4,
        p_arg_value: (&raw const factor).cast(),
        ..Default::default()
    };
    assert_eq!(recorded.argument(id, 1, &recorded.data[2], (&raw mut other).cast()), 0);
    recorded.close();
    assert_eq!((recorded.execute(), recorded.take(2, 10), recorded.take(1, 10)), (0, 60.0, 0.0));
    // Fewer groups from an offset.
    let count = GroupCount { group_count_x: 1, group_count_y: 1, group_count_z: 1 };
    let mut offset = MutableSizeExpDesc { stype: 0x2_001c, command_id: id, x: 64, ..Default::default() };
    let mut size =
        MutableSizeExpDesc { stype: 0x2_001b, p_next: (&raw mut offset).cast(), command_id: id, x: 16, y: 1, z: 1 };
    let mut groups = MutableGroupCountExpDesc {
        stype: 0x2_001a,
        p_next: (&raw mut size).cast(),
        command_id: id,
        p_group_count: &raw const count,
    };
    assert_eq!((recorded.update((&raw mut groups).cast()), recorded.execute()), (0, 0));
    // SAFETY: no command uses the memory.
    let found = unsafe { std::slice::from_raw_parts(recorded.data[2], COUNT as usize) };
    let changed: Vec<_> = (0..COUNT as usize).filter(|&n| found[n] != 0.0).collect();
    assert_eq!(changed, (64..80).collect::<Vec<_>>());
    // Errors change nothing: a part that cannot change, wrong values, other numbers.
    let invalid = [
        recorded.argument(fixed, 2, &1.0_f32, null_mut()),
        recorded.argument(id + 9, 2, &1.0_f32, null_mut()),
        recorded.argument(id, 9, &1.0_f32, null_mut()),
        recorded.argument(id, 2, &1.0_f32, {
            size.x = 0;
            (&raw mut size).cast()
        }),
    ];
    let wanted = [
        ERROR_INVALID_ARGUMENT,
        ERROR_INVALID_ARGUMENT,
        ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
        ERROR_INVALID_GROUP_SIZE_DIMENSION,
    ];
    assert_eq!(invalid, wanted.map(|code| code.0));
    assert_eq!((recorded.execute(), recorded.take(2, 70)), (0, 6.0 * 70.0));
    // Other lists have no mutable commands.
    let desc = MutableCommandIdExpDesc::default();
    let mut id = 0;
    let list = recorded.setup.immediate(0, 0);
    let result = call!(zeCommandListGetNextCommandIdExp, list => Raw, &desc => *const MutableCommandIdExpDesc,
        &mut id => *mut u64);
    assert_eq!(result, ERROR_INVALID_ARGUMENT.0);
}

#[test]
fn events_change() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let recorded = Recorded::new(spirv);
    let kernel = recorded.kernel(c"scale");
    let (_, [first, second, start, other]) = recorded.setup.events::<4>(1);
    let (_, id) = recorded.announce(1 << 4 | 1 << 5);
    assert_eq!(launch(recorded.list, kernel, 8, first, &[start]), 0);
    recorded.close();
    let signal = |event: Raw| call!(zeCommandListUpdateMutableCommandSignalEventExp, recorded.list => Raw, id => u64, event => Raw);
    let waits = |events: &[Raw]| {
        call!(zeCommandListUpdateMutableCommandWaitEventsExp, recorded.list => Raw, id => u64,
            events.len() as u32 => u32, events.as_ptr() => *const Raw)
    };
    let query = |event: Raw| call!(zeEventQueryStatus, event => Raw);
    assert_eq!((waits(&[start, other]), waits(&[other]), signal(second)), (ERROR_INVALID_SIZE.0, 0, 0));
    assert_eq!(call!(zeEventHostSignal, other => Raw), 0);
    assert_eq!((recorded.execute(), query(second), query(first), query(start)), (0, 0, NOT_READY.0, NOT_READY.0));
    // No event at all.
    assert_eq!((waits(&[null_mut()]), signal(null_mut())), (0, 0));
    assert_eq!((call!(zeEventHostReset, second => Raw), call!(zeEventHostReset, other => Raw)), (0, 0));
    assert_eq!((recorded.execute(), query(second), recorded.take(1, 3)), (0, NOT_READY.0, 9.0));
    assert_eq!((waits(&[]), recorded.execute(), recorded.take(1, 3)), (0, 0, 9.0));
    assert_eq!(recorded.argument(id, 2, &1.0_f32, null_mut()), ERROR_INVALID_ARGUMENT.0);
}

#[test]
fn kernels_change() {
    let Some(spirv) = MODULE.as_ref() else { return };
    let recorded = Recorded::new(spirv);
    let (kernel, other) = (recorded.kernel(c"scale"), recorded.setup.kernel(recorded.module, c"sum_list"));
    let stranger = recorded.kernel(c"scale");
    let desc = MutableCommandIdExpDesc { stype: 0x2_0017, flags: 0x7f, ..Default::default() };
    let (kernels, mut id) = ([kernel, other], 0);
    let result = call!(zeCommandListGetNextCommandIdWithKernelsExp, recorded.list => Raw,
        &desc => *const MutableCommandIdExpDesc, 2 => u32, kernels.as_ptr() => *const Raw, &mut id => *mut u64);
    assert_eq!((result, launch(recorded.list, kernel, 8, null_mut(), &[])), (0, 0));
    recorded.close();
    let switch = |kernel: Raw| {
        call!(zeCommandListUpdateMutableCommandKernelsExp, recorded.list => Raw, 1 => u32, &id => *const u64,
            &kernel => *const Raw)
    };
    assert_eq!(switch(stranger), ERROR_INVALID_KERNEL_HANDLE.0);
    assert_eq!((recorded.execute(), recorded.take(1, 3)), (0, 9.0));
    // The other kernel has no arguments yet.
    assert_eq!((switch(other), recorded.execute()), (0, ERROR_DEVICE_LOST.0));
    let sum: *mut i32 = recorded.setup.shared(1);
    // SAFETY: no command uses the memory.
    unsafe { sum.write(5) };
    assert_eq!(recorded.argument(id, 0, &null::<c_void>(), null_mut()), 0);
    assert_eq!(recorded.argument(id, 1, &sum, null_mut()), 0);
    let count = GroupCount { group_count_x: 1, group_count_y: 1, group_count_z: 1 };
    let mut groups = MutableGroupCountExpDesc {
        stype: 0x2_001a,
        command_id: id,
        p_group_count: &raw const count,
        ..Default::default()
    };
    assert_eq!((recorded.update((&raw mut groups).cast()), recorded.execute()), (0, 0));
    // SAFETY: the command is over.
    assert_eq!(unsafe { sum.read() }, 0);
    assert_eq!((switch(kernel), recorded.execute(), recorded.take(1, 3)), (0, 0, 9.0));
}
