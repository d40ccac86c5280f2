//! Entry points that append commands to lists.

use std::ffi::c_void;
use std::sync::Arc;

use visakit_runtime::base::raw::{In, Out, UserData};

use crate::api::entry::{Raw, events, functions, wait_list};
use crate::base::chain::read;
use crate::base::handle::{Handle, get};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::programs::kernel::Kernel;
use crate::queues::event::Event;
use crate::queues::launch::{Dispatch, Groups};
use crate::queues::list::CommandList;
use crate::queues::timeline::{Step, Work};
use crate::queues::transfer::{self, Place, Region};

/// Function of the program.
type HostFunction = unsafe extern "C" fn(*mut c_void);

/// Appends work with the events of a command.
fn append(
    list: &Handle<CommandList>,
    (signal, count, waits): (Raw, u32, Out<Raw>),
    work: impl FnOnce() -> Result<Work>,
) -> Result {
    let events = events(signal, count, waits)?;
    list.append(events.signal.as_ref(), &events.waits, work()?)
}

/// Appends a barrier. Commands of a list run one after the other, so that it has no work.
fn barrier(list: Raw, events: (Raw, u32, Out<Raw>)) -> Result {
    let (list, (signal, count, waits)): (Handle<CommandList>, _) = (get(list)?, events);
    let events = self::events(signal, count, waits)?;
    list.mark(events.signal.as_ref(), &events.waits)
}

fn copy(list: Raw, to: Raw, from: Raw, size: usize, events: (Raw, u32, Out<Raw>)) -> Result {
    let list: Handle<CommandList> = get(list)?;
    append(&list, events, || {
        let place = |address| Place::new(address, size);
        Ok(transfer::copy(place(to)?, place(from)?, size))
    })
}

fn fill(list: Raw, to: Raw, pattern: In<c_void>, unit: usize, size: usize, events: (Raw, u32, Out<Raw>)) -> Result {
    let list: Handle<CommandList> = get(list)?;
    append(&list, events, || {
        ensure(!pattern.is_null(), ERROR_INVALID_NULL_POINTER)?;
        ensure(unit.is_power_of_two(), ERROR_INVALID_SIZE)?;
        // SAFETY: the pattern has as many bytes as its size says.
        let pattern = unsafe { pattern.bytes(unit) }.to_vec();
        Ok(transfer::fill(Place::new(to, size)?, pattern, size))
    })
}

fn launch(list: Raw, kernel: Raw, groups: In<GroupCount>, events: (Raw, u32, Out<Raw>)) -> Result {
    let (list, kernel): (Handle<CommandList>, Handle<Kernel>) = (get(list)?, get(kernel)?);
    let groups = read(groups)?;
    append_launch(&list, &kernel, Groups::Direct(groups), events)
}

/// Appends a launch with the current arguments.
fn append_launch(
    list: &Handle<CommandList>,
    kernel: &Handle<Kernel>,
    groups: Groups,
    (signal, count, waits): (Raw, u32, Out<Raw>),
) -> Result {
    list.check_kernels()?;
    let events = events(signal, count, waits)?;
    list.launch(events.signal.as_ref(), &events.waits, Dispatch::new(kernel, groups))
}

functions! {
    fn zeCommandListAppendBarrier(list: Raw, signal: Raw, count: u32, waits: Out<Raw>) {
        barrier(list, (signal, count, waits))
    }

    fn zeCommandListAppendMemoryRangesBarrier(
        list: Raw,
        range_count: u32,
        sizes: In<usize>,
        ranges: In<*mut c_void>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        get::<CommandList>(list)?;
        ensure(range_count == 0 || !sizes.is_null() && !ranges.is_null(), ERROR_INVALID_NULL_POINTER)?;
        barrier(list, (signal, count, waits))
    }

    fn zeCommandListAppendMemoryCopy(
        list: Raw,
        to: *mut c_void,
        from: *mut c_void,
        size: usize,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        copy(list, to, from, size, (signal, count, waits))
    }

    fn zeCommandListAppendMemoryCopyWithParameters(
        list: Raw,
        to: *mut c_void,
        from: *mut c_void,
        size: usize,
        _next: In<c_void>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        copy(list, to, from, size, (signal, count, waits))
    }

    fn zeCommandListAppendMemoryCopyFromContext(
        list: Raw,
        to: *mut c_void,
        context: Raw,
        from: *mut c_void,
        size: usize,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let list: Handle<CommandList> = get(list)?;
        // Memory of the host belongs to no context.
        crate::base::handle::get_optional::<Context>(context)?;
        append(&list, (signal, count, waits), || {
            let source = Place::new(from, size)?;
            Ok(transfer::copy(Place::new(to, size)?, source, size))
        })
    }

    fn zeCommandListAppendMemoryFill(
        list: Raw,
        to: *mut c_void,
        pattern: In<c_void>,
        unit: usize,
        size: usize,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        fill(list, to, pattern, unit, size, (signal, count, waits))
    }

    fn zeCommandListAppendMemoryFillWithParameters(
        list: Raw,
        to: *mut c_void,
        pattern: In<c_void>,
        unit: usize,
        size: usize,
        _next: In<c_void>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        fill(list, to, pattern, unit, size, (signal, count, waits))
    }

    fn zeCommandListAppendMemoryCopyRegion(
        list: Raw,
        to: *mut c_void,
        to_region: In<CopyRegion>,
        to_pitch: u32,
        to_slice: u32,
        from: *mut c_void,
        from_region: In<CopyRegion>,
        from_pitch: u32,
        from_slice: u32,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let list: Handle<CommandList> = get(list)?;
        let target = Region { region: read(to_region)?, pitch: to_pitch, slice_pitch: to_slice };
        let source = Region { region: read(from_region)?, pitch: from_pitch, slice_pitch: from_slice };
        append(&list, (signal, count, waits), || {
            transfer::copy_region((to, target), (from, source))
        })
    }

    fn zeCommandListAppendMemoryPrefetch(list: Raw, first: *mut c_void, size: usize) {
        get::<CommandList>(list)?;
        Place::new(first, size).map(drop)
    }

    fn zeCommandListAppendMemAdvise(list: Raw, device: Raw, first: *mut c_void, size: usize, advice: u32) {
        get::<CommandList>(list)?;
        get::<Device>(device)?;
        ensure(advice <= 9, ERROR_INVALID_ENUMERATION)?;
        Place::new(first, size).map(drop)
    }

    fn zeCommandListAppendSignalEvent(list: Raw, event: Raw) {
        let (list, event): (Handle<CommandList>, Handle<Event>) = (get(list)?, get(event)?);
        list.mark(Some(&event), &[])
    }

    fn zeCommandListAppendWaitOnEvents(list: Raw, count: u32, waits: Out<Raw>) {
        let list: Handle<CommandList> = get(list)?;
        ensure(!waits.is_null(), ERROR_INVALID_NULL_POINTER)?;
        list.mark(None, &wait_list(count, waits)?)
    }

    fn zeCommandListAppendEventReset(list: Raw, event: Raw) {
        let (list, event): (Handle<CommandList>, Handle<Event>) = (get(list)?, get(event)?);
        event.check_regular()?;
        list.extend(vec![Step::Reset(event.completion())])
    }

    fn zeCommandListAppendWriteGlobalTimestamp(
        list: Raw,
        to: Out<u64>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let list: Handle<CommandList> = get(list)?;
        append(&list, (signal, count, waits), || {
            Ok(transfer::write_time(Place::new(to.address().cast(), size_of::<u64>())?))
        })
    }

    fn zeCommandListAppendQueryKernelTimestamps(
        list: Raw,
        event_count: u32,
        queried: Out<Raw>,
        to: *mut c_void,
        offsets: In<usize>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let list: Handle<CommandList> = get(list)?;
        ensure(!queried.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let queried = wait_list(event_count, queried)?;
        let size = size_of::<KernelTimestampResult>();
        // SAFETY: the list has one offset per event.
        let given = unsafe { offsets.list(event_count as usize)? };
        let offsets: Vec<usize> = match given {
            [] => (0..queried.len()).map(|n| n * size).collect(),
            some => some.to_vec(),
        };
        append(&list, (signal, count, waits), || {
            let end = offsets.iter().max().map_or(0, |most| most.saturating_add(size));
            Ok(transfer::write_timestamps(Place::new(to, end)?, queried, offsets))
        })
    }

    fn zeCommandListAppendLaunchKernel(
        list: Raw,
        kernel: Raw,
        groups: In<GroupCount>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        launch(list, kernel, groups, (signal, count, waits))
    }

    fn zeCommandListAppendLaunchKernelWithParameters(
        list: Raw,
        kernel: Raw,
        groups: In<GroupCount>,
        _next: In<c_void>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        launch(list, kernel, groups, (signal, count, waits))
    }

    fn zeCommandListAppendLaunchKernelWithArguments(
        list: Raw,
        kernel: Raw,
        groups: GroupCount,
        sizes: GroupSize,
        arguments: Out<*mut c_void>,
        _next: In<c_void>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let (list, kernel): (Handle<CommandList>, Handle<Kernel>) = (get(list)?, get(kernel)?);
        kernel.set_group([sizes.group_size_x, sizes.group_size_y, sizes.group_size_z])?;
        let total = kernel.count();
        ensure(total == 0 || !arguments.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the program passes one pointer per argument, each to its value.
        let places = unsafe { arguments.input().list(total)? };
        for (index, place) in places.iter().enumerate() {
            let size = kernel.argument_size(index);
            // SAFETY: as above.
            let bytes = (!place.is_null()).then(|| unsafe { std::slice::from_raw_parts(place.cast::<u8>(), size) });
            kernel.set(index as u32, size, bytes)?;
        }
        append_launch(&list, &kernel, Groups::Direct(groups), (signal, count, waits))
    }

    fn zeCommandListAppendLaunchKernelIndirect(
        list: Raw,
        kernel: Raw,
        groups: Out<GroupCount>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let (list, kernel): (Handle<CommandList>, Handle<Kernel>) = (get(list)?, get(kernel)?);
        ensure(!groups.is_null(), ERROR_INVALID_NULL_POINTER)?;
        append_launch(&list, &kernel, Groups::Indirect(groups.address() as usize), (signal, count, waits))
    }

    /// The number of launches is read from memory, at most the number of kernels.
    fn zeCommandListAppendLaunchMultipleKernelsIndirect(
        list: Raw,
        kernel_count: u32,
        kernels: Out<Raw>,
        used: Out<u32>,
        groups: Out<GroupCount>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let list: Handle<CommandList> = get(list)?;
        ensure(!kernels.is_null() && !used.is_null() && !groups.is_null(), ERROR_INVALID_NULL_POINTER)?;
        // SAFETY: the list has as many handles as its count says.
        let kernels = unsafe { kernels.input().list(kernel_count as usize)? };
        let group = |n: usize| Groups::Indirect(groups.address().wrapping_add(n) as usize);
        let works = kernels.iter().enumerate().map(|(n, &kernel)| Dispatch::new(&get(kernel)?, group(n)).work());
        let works = works.collect::<Result<Vec<Work>>>()?;
        let place = Place::new(used.address().cast(), size_of::<u32>())?;
        list.check_kernels()?;
        append(&list, (signal, count, waits), || Ok(transfer::some_of(place, works)))
    }

    /// The function runs in a thread of the driver.
    fn zeCommandListAppendHostFunction(
        list: Raw,
        function: Option<HostFunction>,
        data: *mut c_void,
        _next: In<c_void>,
        signal: Raw,
        count: u32,
        waits: Out<Raw>,
    ) {
        let list: Handle<CommandList> = get(list)?;
        let function = function.ok_or(ERROR_INVALID_NULL_POINTER)?;
        let data = UserData(data);
        append(&list, (signal, count, waits), || {
            Ok(Arc::new(move || {
                let data = &data;
                // SAFETY: the program passed the function and the data for this call.
                unsafe { function(data.0) };
                Ok(())
            }))
        })
    }
}
