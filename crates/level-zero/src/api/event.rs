//! Entry points of events and their pools.

use std::sync::Arc;

use visakit_runtime::base::raw::{In, Out};

use crate::api::entry::{Raw, functions};
use crate::base::chain::{find, list, read, write};
use crate::base::handle::{self, Handle, address, destroy, get};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::context::Context;
use crate::devices::device::Device;
use crate::queues::completion::Times;
use crate::queues::event::{Event, EventPool};
use crate::queues::graph;

/// Type of the structure that makes the events of a pool counter-based, and its flags by default.
const COUNTER_POOL: u32 = 0x2_0014;
const COUNTER_FLAGS: u32 = 1;

functions! {
    fn zeEventPoolCreate(
        context: Raw,
        desc: In<EventPoolDesc>,
        device_count: u32,
        devices: Out<Raw>,
        pool: Out<Raw>,
    ) {
        let context: Handle<Context> = get(context)?;
        let desc = read(desc)?;
        ensure(!pool.is_null(), ERROR_INVALID_NULL_POINTER)?;
        ensure(device_count == 0 || !devices.is_null(), ERROR_INVALID_SIZE)?;
        ensure(desc.count > 0, ERROR_INVALID_SIZE)?;
        ensure(desc.flags <= 0b1111, ERROR_INVALID_ENUMERATION)?;
        // SAFETY: the list has as many handles as its count says.
        for &device in unsafe { devices.input().list(device_count as usize)? } {
            get::<Device>(device)?;
        }
        // SAFETY: the program passes a valid chain. The structure has this type.
        let counter = unsafe { find::<EventPoolCounterBasedExpDesc>(desc.p_next, &[COUNTER_POOL]) };
        let counter_flags = counter.map(|desc| if desc.flags == 0 { COUNTER_FLAGS } else { desc.flags });
        let created = EventPool::new(context, (desc.flags, desc.count), counter_flags)?;
        write(pool, handle::give(handle::create(created)))
    }

    fn zeEventPoolDestroy(pool: Raw) {
        destroy::<EventPool>(pool)
    }

    fn zeEventPoolGetContextHandle(pool: Raw, context: Out<Raw>) {
        write(context, address(&get::<EventPool>(pool)?.context))
    }

    fn zeEventPoolGetFlags(pool: Raw, flags: Out<u32>) {
        write(flags, get::<EventPool>(pool)?.flags)
    }

    fn zeEventCreate(pool: Raw, desc: In<EventDesc>, event: Out<Raw>) {
        let pool: Handle<EventPool> = get(pool)?;
        let desc = read(desc)?;
        ensure(!event.is_null(), ERROR_INVALID_NULL_POINTER)?;
        ensure(desc.index < pool.count, ERROR_INVALID_ARGUMENT)?;
        ensure(desc.signal <= 0b111 && desc.wait <= 0b111, ERROR_INVALID_ENUMERATION)?;
        let (flags, place) = (pool.counter_flags, (pool, desc.index));
        write(event, handle::give(handle::create(Event::new(Some(place), flags, (desc.signal, desc.wait)))))
    }

    fn zeEventCounterBasedCreate(context: Raw, device: Raw, desc: In<EventCounterBasedDesc>, event: Out<Raw>) {
        let (context, device): (Handle<Context>, Handle<Device>) = (get(context)?, get(device)?);
        ensure(context.has(&device), ERROR_INVALID_ARGUMENT)?;
        let desc = read(desc)?;
        ensure(!event.is_null(), ERROR_INVALID_NULL_POINTER)?;
        ensure(desc.flags < 1 << 7 && desc.signal <= 0b111 && desc.wait <= 0b111, ERROR_INVALID_ENUMERATION)?;
        let scopes = (desc.signal, desc.wait);
        write(event, handle::give(handle::create(Event::new(None, Some(desc.flags), scopes))))
    }

    fn zeEventDestroy(event: Raw) {
        destroy::<Event>(event)
    }

    fn zeEventHostSignal(event: Raw) {
        let event = get::<Event>(event)?;
        event.check_regular()?;
        event.completion().signal(Times::default(), false);
        Ok(())
    }

    fn zeEventHostSynchronize(event: Raw, timeout: u64) {
        let event = get::<Event>(event)?;
        graph::check_wait(&event)?;
        let completion = event.completion();
        completion.wait(timeout)
    }

    fn zeEventQueryStatus(event: Raw) {
        get::<Event>(event)?.completion().query()
    }

    fn zeEventHostReset(event: Raw) {
        let event = get::<Event>(event)?;
        event.check_regular()?;
        event.completion().reset();
        Ok(())
    }

    fn zeEventQueryKernelTimestamp(event: Raw, result: Out<KernelTimestampResult>) {
        let event = get::<Event>(event)?;
        ensure(!result.is_null(), ERROR_INVALID_NULL_POINTER)?;
        write(result, event.timestamps()?)
    }

    fn zeEventQueryTimestampsExp(
        event: Raw,
        device: Raw,
        count: Out<u32>,
        results: Out<KernelTimestampResult>,
    ) {
        let event = get::<Event>(event)?;
        get::<Device>(device)?;
        let times = event.timestamps()?;
        list(count, results, 1, |_, place| *place = times)
    }

    fn zeEventQueryKernelTimestampsExt(
        event: Raw,
        device: Raw,
        count: Out<u32>,
        results: Out<EventQueryKernelTimestampsResultsExtProperties>,
    ) {
        let event = get::<Event>(event)?;
        get::<Device>(device)?;
        let times = event.timestamps()?;
        let room = read(count.input())?;
        count.put(1);
        if room == 0 || results.is_null() {
            return Ok(());
        }
        let given = read(results.input())?;
        if !given.p_kernel_timestamps_buffer.is_null() {
            // SAFETY: the program passes room for as many results as its count says.
            unsafe { given.p_kernel_timestamps_buffer.cast_mut().write_unaligned(times) };
        }
        if !given.p_synchronized_timestamps_buffer.is_null() {
            // SAFETY: as above. Host and device have the same clock and the same structures.
            unsafe {
                let place = given.p_synchronized_timestamps_buffer.cast_mut();
                place.cast::<KernelTimestampResult>().write_unaligned(times);
            }
        }
        Ok(())
    }

    fn zeEventGetEventPool(event: Raw, pool: Out<Raw>) {
        let event = get::<Event>(event)?;
        write(pool, address(event.pool.as_ref().ok_or(ERROR_INVALID_ARGUMENT)?))
    }

    fn zeEventGetSignalScope(event: Raw, scope: Out<u32>) {
        write(scope, get::<Event>(event)?.signal_scope)
    }

    fn zeEventGetWaitScope(event: Raw, scope: Out<u32>) {
        write(scope, get::<Event>(event)?.wait_scope)
    }

    fn zeEventGetCounterBasedFlags(event: Raw, flags: Out<u32>) {
        let event = Arc::clone(&get::<Event>(event)?);
        write(flags, event.counter_flags.unwrap_or(0))
    }
}
