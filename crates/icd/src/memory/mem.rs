//! Memory objects: buffers, sub-buffers and pipes. Images are in [`crate::memory::image`].

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::base::raw::UserData;
use crate::base::storage::Storage;
use crate::devices::context::Context;
use crate::devices::description;
use crate::devices::features::PIPES;
use crate::memory::texels::Texels;

/// Memory object.
pub(crate) struct Mem {
    pub(crate) context: Handle<Context>,
    pub(crate) kind: cl_mem_object_type,
    pub(crate) flags: cl_mem_flags,
    /// Size in bytes.
    pub(crate) bytes: usize,
    pub(crate) storage: Arc<Storage>,
    /// Offset of the object's first byte in the storage.
    pub(crate) offset: usize,
    /// Parent buffer of a sub-buffer or of an image.
    pub(crate) parent: Option<Handle<Mem>>,
    /// Image properties, for an image.
    pub(crate) texels: Option<Texels>,
    /// Packet size and capacity of a pipe.
    pub(crate) packets: Option<(cl_uint, cl_uint)>,
    /// Host memory that the object was created from.
    pub(crate) host: Host,
    properties: Vec<cl_mem_properties>,
    state: Mutex<State>,
}

kind!(Mem, CL_INVALID_MEM_OBJECT, dropped: call_destructors);

/// Memory of the program that an object was created from.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    /// Address; 0 if there is no such memory.
    pub(crate) address: usize,
    /// True if kernels use the memory in place. Otherwise it receives the contents of the object
    /// while the object is mapped.
    pub(crate) in_place: bool,
}

/// Mutable state of an object.
#[derive(Default)]
struct State {
    maps: Vec<Mapping>,
    /// Destructor callbacks, called in reverse order.
    destructors: Vec<(Destructor, UserData)>,
}

/// Mapped part of an object.
#[derive(Clone, Copy)]
pub(crate) struct Mapping {
    /// Address returned to the program.
    pub(crate) address: usize,
    pub(crate) flags: cl_map_flags,
}

/// Callback invoked when a memory object is destroyed.
pub(crate) type Destructor = unsafe extern "C" fn(cl_mem, *mut c_void);

/// Flags for the access of kernels.
const KERNEL_ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
/// Flags for the access of the program.
const HOST_ACCESS: cl_mem_flags = CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY;
/// Flags for the source of the memory.
const HOST_POINTER: cl_mem_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// Alignment in bytes of a sub-buffer's origin in Intel's runtime, below what
/// `CL_DEVICE_MEM_BASE_ADDR_ALIGN` reports.
const ORIGIN_ALIGNMENT: usize = 4;
/// Hints of Intel's runtime that the bindings lack: resources outside a cache (18), linear storage
/// (19), host memory (20), compression (21) and none (22), and sizes beyond the limit of one
/// allocation (23). They are accepted and change nothing.
const HINTS: cl_mem_flags = 0b11_1111 << 18;
/// Flags that an immutable object cannot have.
const WRITTEN: cl_mem_flags =
    CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_KERNEL_READ_AND_WRITE;

/// Checks the flags of a new object against each other and against its host pointer. Adds the
/// defaults of missing flags.
pub(crate) fn check_flags(flags: cl_mem_flags, host: *const c_void) -> Result<cl_mem_flags> {
    let at_most_one = |mask: cl_mem_flags| (flags & mask).count_ones() <= 1;
    let known =
        KERNEL_ACCESS | HOST_ACCESS | HOST_POINTER | CL_MEM_KERNEL_READ_AND_WRITE | HINTS | CL_MEM_IMMUTABLE_EXT;
    let kinds = [KERNEL_ACCESS, HOST_ACCESS].into_iter().all(at_most_one);
    let uses_copies = flags & CL_MEM_USE_HOST_PTR != 0 && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure(flags & !known == 0 && kinds && !uses_copies, CL_INVALID_VALUE)?;
    let wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure(flags & CL_MEM_IMMUTABLE_EXT == 0 || wants_host && flags & WRITTEN == 0, CL_INVALID_VALUE)?;
    ensure(wants_host != host.is_null(), CL_INVALID_HOST_PTR)?;
    Ok(if flags & (KERNEL_ACCESS | CL_MEM_IMMUTABLE_EXT) == 0 { flags | CL_MEM_READ_WRITE } else { flags })
}

/// Returns the flags of an image in the memory of another object.
pub(crate) fn inherited_flags(flags: cl_mem_flags, parent: &Mem) -> Result<cl_mem_flags> {
    ensure(flags & HOST_POINTER == 0, CL_INVALID_VALUE)?;
    ensure(parent.may_change() || flags & CL_MEM_IMMUTABLE_EXT != 0, CL_INVALID_VALUE)?;
    ensure(flags & CL_MEM_IMMUTABLE_EXT == 0 || flags & WRITTEN == 0, CL_INVALID_VALUE)?;
    Ok(if flags == 0 { parent.flags } else { flags } & !HOST_POINTER)
}

/// Returns the memory for an object, and the program's memory that it uses.
///
/// # Safety
/// If the flags use the program's memory, `host` points to `bytes` bytes. With
/// `CL_MEM_USE_HOST_PTR`, that memory lives as long as the object.
pub(crate) unsafe fn provide(flags: cl_mem_flags, bytes: usize, host: *mut c_void) -> Result<(Arc<Storage>, Host)> {
    let uses = flags & CL_MEM_USE_HOST_PTR != 0;
    if uses {
        // SAFETY: guaranteed by the caller.
        if let Some(storage) = unsafe { Storage::of_program(host.cast(), bytes) } {
            return Ok((storage, Host { address: host as usize, in_place: true }));
        }
    }
    let storage = Storage::new(bytes).ok_or(Code(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
    if uses || flags & CL_MEM_COPY_HOST_PTR != 0 {
        // SAFETY: the caller guarantees `bytes` bytes there, and the storage is new.
        unsafe { std::ptr::copy_nonoverlapping(host.cast::<u8>(), storage.first(), bytes) }
    }
    Ok((storage, Host { address: if uses { host as usize } else { 0 }, in_place: false }))
}

impl Mem {
    /// Creates an object with its memory.
    pub(crate) fn new(
        context: &Handle<Context>,
        (kind, flags, bytes): (cl_mem_object_type, cl_mem_flags, usize),
        (storage, host): (Arc<Storage>, Host),
        properties: &[cl_mem_properties],
    ) -> Self {
        let properties = properties.to_vec();
        let (parent, texels, packets, state) = (None, None, None, Mutex::default());
        let context = Arc::clone(context);
        Self { context, kind, flags, bytes, storage, offset: 0, parent, texels, packets, host, properties, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the address of the first byte.
    pub(crate) fn first(&self) -> *mut u8 {
        // The offset of a sub-buffer lies within its buffer.
        self.storage.first().wrapping_add(self.offset)
    }

    /// Returns true if a range of bytes lies inside the object.
    pub(crate) fn holds(&self, offset: usize, bytes: usize) -> bool {
        offset.checked_add(bytes).is_some_and(|end| end <= self.bytes)
    }

    /// Returns true for a buffer.
    pub(crate) fn is_buffer(&self) -> bool {
        self.kind == CL_MEM_OBJECT_BUFFER
    }

    /// Returns true if the program may read the object.
    pub(crate) fn host_may_read(&self) -> bool {
        self.flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY) == 0
    }

    /// Returns true if the program may write the object.
    pub(crate) fn host_may_write(&self) -> bool {
        self.flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY | CL_MEM_IMMUTABLE_EXT) == 0
    }

    /// Returns true if commands and kernels may change the contents.
    pub(crate) fn may_change(&self) -> bool {
        self.flags & CL_MEM_IMMUTABLE_EXT == 0
    }

    /// Returns the program's memory if it is separate from the object's and receives the contents
    /// while the object is mapped.
    pub(crate) fn shadow(&self) -> Option<usize> {
        (self.host.address != 0 && !self.host.in_place).then_some(self.host.address)
    }

    /// Records a mapped part.
    pub(crate) fn map(&self, mapping: Mapping) {
        self.state().maps.push(mapping);
    }

    /// Removes a mapped part.
    pub(crate) fn unmap(&self, address: usize) -> Option<Mapping> {
        let mut state = self.state();
        let found = state.maps.iter().rposition(|mapping| mapping.address == address)?;
        Some(state.maps.remove(found))
    }

    /// Registers a destructor callback.
    pub(crate) fn on_destruction(&self, function: Destructor, data: *mut c_void) {
        self.state().destructors.push((function, UserData(data)));
    }
}

fn call_destructors(mem: &mut Mem, handle: *mut c_void) {
    let own = std::mem::take(&mut mem.state.get_mut().unwrap_or_else(PoisonError::into_inner).destructors);
    for (function, data) in own.into_iter().rev() {
        // SAFETY: the program passed the function for this call.
        unsafe { function(handle, data.0) }
    }
}

/// Returns the flags in a list of properties. Flags of Intel's runtime are hints.
///
/// # Errors
/// A property other than flags.
pub(crate) fn flags_of(properties: &[cl_mem_properties]) -> Result<cl_mem_flags> {
    let mut flags = 0;
    for pair in properties.chunks_exact(2) {
        match pair[0] {
            FLAGS => flags |= pair[1],
            FLAGS_INTEL | CL_MEM_ALLOC_FLAGS_INTEL => {}
            name if name == cl_mem_properties::from(CL_MEM_CHANNEL_INTEL) => {}
            _ => return fail(CL_INVALID_PROPERTY),
        }
    }
    Ok(flags)
}

/// Names of properties with flags: those of OpenCL, and those of Intel's runtime.
const FLAGS: cl_mem_properties = CL_MEM_FLAGS as cl_mem_properties;
const FLAGS_INTEL: cl_mem_properties = 0x1_0001;

/// Creates a buffer.
///
/// # Safety
/// As [`provide`].
pub(crate) unsafe fn buffer(
    context: &Handle<Context>,
    properties: &[cl_mem_properties],
    flags: cl_mem_flags,
    bytes: usize,
    host: *mut c_void,
) -> Result<Handle<Mem>> {
    let flags = check_flags(flags | flags_of(properties)?, host)?;
    ensure(flags & CL_MEM_KERNEL_READ_AND_WRITE == 0, CL_INVALID_VALUE)?;
    ensure(bytes > 0 && bytes as u64 <= description::max_allocation(), CL_INVALID_BUFFER_SIZE)?;
    let shared = context.allocations.find(host as usize).filter(|_| flags & CL_MEM_USE_HOST_PTR != 0);
    if let Some(allocation) = &shared {
        let rest = allocation.bytes().saturating_sub(host as usize - allocation.first() as usize);
        ensure(bytes <= rest, CL_INVALID_BUFFER_SIZE)?;
    }
    let memory = match shared {
        // Shared memory is used in place.
        Some(allocation) if std::ptr::eq(host, allocation.first().cast()) => {
            (allocation, Host { address: host as usize, in_place: true })
        }
        // SAFETY: guaranteed by the caller.
        _ => unsafe { provide(flags, bytes, host)? },
    };
    Ok(handle::create(Mem::new(context, (CL_MEM_OBJECT_BUFFER, flags, bytes), memory, properties)))
}

/// Creates a sub-buffer.
pub(crate) fn part(of: &Handle<Mem>, flags: cl_mem_flags, region: cl_buffer_region) -> Result<Handle<Mem>> {
    ensure(of.is_buffer() && of.parent.is_none(), CL_INVALID_MEM_OBJECT)?;
    ensure(flags & HOST_POINTER == 0, CL_INVALID_VALUE)?;
    let own = of.flags & CL_MEM_IMMUTABLE_EXT;
    ensure(
        flags & !(KERNEL_ACCESS | HOST_ACCESS | own) == 0 && (own == 0 || flags & WRITTEN == 0),
        CL_INVALID_VALUE,
    )?;
    // A sub-buffer cannot have more access rights than its buffer.
    let narrows = |mask: cl_mem_flags, all: cl_mem_flags| {
        flags & mask == 0 || of.flags & mask & !all == 0 || flags & mask == of.flags & mask
    };
    let no_host = |flag: cl_mem_flags| flags & flag != 0;
    let kernel = narrows(KERNEL_ACCESS, CL_MEM_READ_WRITE);
    let host = match of.flags & HOST_ACCESS {
        CL_MEM_HOST_WRITE_ONLY => !no_host(CL_MEM_HOST_READ_ONLY),
        CL_MEM_HOST_READ_ONLY => !no_host(CL_MEM_HOST_WRITE_ONLY),
        CL_MEM_HOST_NO_ACCESS => !no_host(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY),
        _ => true,
    };
    ensure(kernel && host && (flags & KERNEL_ACCESS).count_ones() <= 1, CL_INVALID_VALUE)?;
    ensure((flags & HOST_ACCESS).count_ones() <= 1, CL_INVALID_VALUE)?;
    ensure(region.size > 0, CL_INVALID_BUFFER_SIZE)?;
    ensure(of.holds(region.origin, region.size), CL_INVALID_VALUE)?;
    ensure(region.origin.is_multiple_of(ORIGIN_ALIGNMENT), CL_MISALIGNED_SUB_BUFFER_OFFSET)?;
    let inherited = |mask: cl_mem_flags| if flags & mask == 0 { of.flags & mask } else { flags & mask };
    let flags = inherited(KERNEL_ACCESS) | inherited(HOST_ACCESS) | of.flags & HOST_POINTER | own;
    let address = if of.host.address == 0 { 0 } else { of.host.address + region.origin };
    let memory = (Arc::clone(&of.storage), Host { address, ..of.host });
    let mut mem = Mem::new(&of.context, (CL_MEM_OBJECT_BUFFER, flags, region.size), memory, &[]);
    (mem.offset, mem.parent) = (region.origin, Some(Arc::clone(of)));
    Ok(handle::create(mem))
}

/// Creates a pipe: the header that the compiler's functions expect, and room for one packet more
/// than its capacity.
pub(crate) fn pipe(
    context: &Handle<Context>,
    flags: cl_mem_flags,
    size: cl_uint,
    count: cl_uint,
) -> Result<Handle<Mem>> {
    ensure(context.devices.iter().any(|device| device.has(PIPES)), CL_INVALID_OPERATION)?;
    ensure(flags & !(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) == 0, CL_INVALID_VALUE)?;
    ensure((1..=1024).contains(&size) && count > 0, CL_INVALID_PIPE_SIZE)?;
    let contents = visakit_emulator::launch::contents::pipe("clCreatePipe", count, size);
    let contents = contents.map_err(|_| Code(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
    let storage = Storage::new(contents.len()).ok_or(Code(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
    // SAFETY: the storage is new and has this size.
    unsafe { std::ptr::copy_nonoverlapping(contents.as_ptr(), storage.first(), contents.len()) }
    let flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    let memory = (storage, Host { address: 0, in_place: false });
    let mut mem = Mem::new(context, (CL_MEM_OBJECT_PIPE, flags, contents.len()), memory, &[]);
    mem.packets = Some((size, count));
    Ok(handle::create(mem))
}

/// Answers `clGetMemObjectInfo`.
pub(crate) fn info(mem: &Handle<Mem>, answer: Answer) -> Result {
    match answer.name {
        CL_MEM_TYPE => answer.value(mem.kind),
        CL_MEM_FLAGS => answer.value(mem.flags),
        CL_MEM_SIZE => answer.value(mem.bytes),
        CL_MEM_HOST_PTR => answer.value(mem.host.address as *mut c_void),
        CL_MEM_MAP_COUNT => answer.value(mem.state().maps.len() as cl_uint),
        CL_MEM_REFERENCE_COUNT => answer.value(handle::count(mem)),
        CL_MEM_CONTEXT => answer.value(handle::address(&mem.context)),
        CL_MEM_ASSOCIATED_MEMOBJECT => answer.value(handle::address_of(mem.parent.as_ref())),
        CL_MEM_OFFSET => answer.value(if mem.is_buffer() { mem.offset } else { 0 }),
        CL_MEM_USES_SVM_POINTER => answer.flag(mem.context.allocations.find(mem.host.address).is_some()),
        CL_MEM_PROPERTIES => answer.list(&mem.properties),
        _ => answer.unknown(),
    }
}

/// Answers `clGetPipeInfo`.
pub(crate) fn pipe_info(mem: &Handle<Mem>, answer: Answer) -> Result {
    let Some((size, count)) = mem.packets else { return fail(CL_INVALID_MEM_OBJECT) };
    match answer.name {
        CL_PIPE_PACKET_SIZE => answer.value(size),
        CL_PIPE_MAX_PACKETS => answer.value(count),
        CL_PIPE_PROPERTIES => answer.list::<isize>(&[]),
        _ => answer.unknown(),
    }
}
