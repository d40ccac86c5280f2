//! Entry points of kernels.

use std::ffi::{c_char, c_void};

use visakit_runtime::base::raw::{Caller, In, Out, Text};

use crate::api::entry::{Raw, functions};
use crate::base::chain::{bytes, each, fill, list, read, update, write};
use crate::base::extensions::*;
use crate::base::handle::{self, Handle, destroy, get};
use crate::base::result::*;
use crate::base::types::*;
use crate::devices::context::lookup;
use crate::devices::device::HINTS;
use crate::programs::kernel::Kernel;
use crate::programs::module::Module;

/// Extension structures of the properties.
const PREFERRED: u32 = 0x21;
const MAX_GROUP: u32 = 0x1_0013;

functions! {
    fn zeKernelCreate(module: Raw, desc: In<KernelDesc>, kernel: Out<Raw>) {
        let module: Handle<Module> = get(module)?;
        let desc = read(desc)?;
        ensure(!kernel.is_null() && !desc.p_kernel_name.is_null(), ERROR_INVALID_NULL_POINTER)?;
        ensure(desc.flags <= 0b11, ERROR_INVALID_ENUMERATION)?;
        // SAFETY: the program passes a string.
        let name = unsafe { Text::of(desc.p_kernel_name) }.get();
        write(kernel, handle::give(handle::create(Kernel::new(&module, &name)?)))
    }

    fn zeKernelDestroy(kernel: Raw) {
        destroy::<Kernel>(kernel)
    }

    /// There are no caches to divide.
    fn zeKernelSetCacheConfig(kernel: Raw, flags: u32) {
        get::<Kernel>(kernel)?;
        ensure(flags <= 0b11, ERROR_INVALID_ENUMERATION)
    }

    fn zeKernelSetGroupSize(kernel: Raw, x: u32, y: u32, z: u32) {
        get::<Kernel>(kernel)?.set_group([x, y, z])
    }

    fn zeKernelSuggestGroupSize(
        kernel: Raw,
        x: u32,
        y: u32,
        z: u32,
        group_x: Out<u32>,
        group_y: Out<u32>,
        group_z: Out<u32>,
    ) {
        let [found_x, found_y, found_z] = get::<Kernel>(kernel)?.suggest([x, y, z]);
        write(group_x, found_x)?;
        write(group_y, found_y)?;
        write(group_z, found_z)
    }

    /// Groups of a launch run in turns, so that any number of them can wait for each other.
    fn zeKernelSuggestMaxCooperativeGroupCount(kernel: Raw, count: Out<u32>) {
        let kernel = get::<Kernel>(kernel)?;
        write(count, kernel.module.device.description.units as u32)
    }

    fn zeKernelSetArgumentValue(kernel: Raw, index: u32, size: usize, value: In<c_void>) {
        let kernel = get::<Kernel>(kernel)?;
        // SAFETY: the value has as many bytes as its size says.
        let bytes = (!value.is_null()).then(|| unsafe { value.bytes(size) });
        kernel.set(index, size, bytes)
    }

    fn zeKernelSetIndirectAccess(kernel: Raw, flags: u32) {
        let kernel = get::<Kernel>(kernel)?;
        ensure(flags <= 0b111, ERROR_INVALID_ENUMERATION)?;
        kernel.state().indirect |= flags;
        Ok(())
    }

    fn zeKernelGetIndirectAccess(kernel: Raw, flags: Out<u32>) {
        let kernel = get::<Kernel>(kernel)?;
        let indirect = kernel.state().indirect;
        write(flags, indirect)
    }

    fn zeKernelGetProperties(kernel: Raw, properties: Out<KernelProperties>) {
        let kernel = get::<Kernel>(kernel)?;
        update(properties, |out| kernel.properties(out))?;
        let width = kernel.entry.info.execution_env.simd_size.max(1);
        let most = kernel.module.device.description.max_group as u32;
        let chain = read(properties.input())?.p_next;
        // SAFETY: the program passes a valid chain; the structures have these types.
        unsafe {
            each(chain, |stype, place| match stype {
                PREFERRED => {
                    fill(place, |out: &mut KernelPreferredGroupSizeProperties| out.preferred_multiple = width);
                }
                MAX_GROUP => fill(place, |out: &mut KernelMaxGroupSizePropertiesExt| out.max_group_size = most),
                _ => {}
            });
        }
        Ok(())
    }

    fn zeKernelGetName(kernel: Raw, size: Out<usize>, name: Out<u8>) {
        let kernel = get::<Kernel>(kernel)?;
        bytes(size, name, &[kernel.name.as_bytes(), &[0]].concat())
    }

    fn zeKernelSetGlobalOffsetExp(kernel: Raw, x: u32, y: u32, z: u32) {
        let kernel = get::<Kernel>(kernel)?;
        kernel.state().offset = [x, y, z];
        Ok(())
    }

    /// The order of groups is undefined anyway.
    fn zeKernelSchedulingHintExp(kernel: Raw, hint: In<SchedulingHintExpDesc>) {
        get::<Kernel>(kernel)?;
        ensure(read(hint)?.flags <= HINTS, ERROR_INVALID_ENUMERATION)
    }

    /// Attributes are words of the source, such as the required sub-group size.
    fn zeKernelGetSourceAttributes(kernel: Raw, size: Out<u32>, place: Out<*mut c_char>) {
        let kernel = get::<Kernel>(kernel)?;
        ensure(!size.is_null(), ERROR_INVALID_NULL_POINTER)?;
        let text = kernel.attributes.as_bytes_with_nul();
        let room = read(size.input())? as usize;
        size.put(text.len() as u32);
        let to = place.input().get().unwrap_or(std::ptr::null_mut());
        if !to.is_null() {
            // SAFETY: the program passes the address of as many bytes as its size says.
            unsafe { Out::<u8>::of(to.cast()).put_list(room, text.iter().copied())? };
        }
        Ok(())
    }

    /// The allocations of the arguments. The driver adds no others.
    fn zeKernelGetAllocationPropertiesExp(
        kernel: Raw,
        count: Out<u32>,
        properties: Out<KernelAllocationExpProperties>,
    ) {
        let kernel = get::<Kernel>(kernel)?;
        let found = |(index, address): (u32, u64)| Some((index, lookup(address)?));
        let all: Vec<_> = kernel.state().addresses().filter_map(found).collect();
        list(count, properties, all.len(), |n, out| {
            let (index, allocation) = &all[n];
            (out.base, out.size) = (allocation.first, allocation.bytes);
            (out.kind, out.arg_index) = (allocation.about.kind, *index);
        })
    }

    /// The file of the module holds the kernel.
    fn zeKernelGetBinaryExp(kernel: Raw, size: Out<usize>, place: Out<u8>) {
        let kernel = get::<Kernel>(kernel)?;
        bytes(size, place, &kernel.module.binary.bytes)
    }
}
