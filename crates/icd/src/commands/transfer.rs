//! Commands that move bytes: reads, writes, copies, fills and maps of buffers and images.

use std::sync::Arc;

use opencl_sys::*;

use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::Handle;
use crate::base::storage::{copy, fill};
use crate::memory::mem::{Mapping, Mem};
use crate::queues::event::Event;
use crate::queues::queue::{self, Queue};
use crate::queues::schedule::Task;

/// Common parameters of an enqueued command.
pub(crate) struct Submission<'a> {
    pub(crate) queue: &'a Handle<Queue>,
    pub(crate) list: &'a [Handle<Event>],
    pub(crate) blocking: bool,
}

impl Submission<'_> {
    /// Enqueues a command.
    pub(crate) fn submit(
        &self,
        kind: cl_command_type,
        work: impl FnOnce() -> Result + Send + 'static,
    ) -> Result<Handle<Event>> {
        queue::submit(self.queue, kind, self.list, self.blocking, Box::new(work))
    }

    /// Enqueues a repeatable task once.
    pub(crate) fn put(&self, task: Task) -> Result<Handle<Event>> {
        self.submit(task.kind, move || task.run())
    }

    /// Checks that an object belongs to the queue's context.
    fn owns(&self, mem: &Handle<Mem>) -> Result {
        owns(self.queue, mem)
    }
}

fn owns(queue: &Queue, mem: &Mem) -> Result {
    ensure(Arc::ptr_eq(&mem.context, &queue.context), CL_INVALID_CONTEXT)
}

/// Checks that an object belongs to the queue's context and may change.
fn changes(queue: &Queue, mem: &Mem) -> Result {
    owns(queue, mem)?;
    ensure(mem.may_change(), CL_INVALID_OPERATION)
}

/// Position of rows of bytes.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    /// Address of the first byte.
    pub(crate) first: usize,
    /// Row pitch and slice pitch in bytes.
    pub(crate) pitches: (usize, usize),
}

/// Creates the task of a copy. It holds the objects; the program keeps its own memory alive until
/// the command is over.
fn moving(kind: cl_command_type, from: Rows, to: Rows, size: [usize; 3], held: Vec<Handle<Mem>>) -> Task {
    Task::new(kind, move || {
        let _held = &held;
        // SAFETY: offsets and sizes were checked against the objects, which are held. The program
        // guarantees memory of the given size.
        unsafe { copy(from.first as *mut u8, from.pitches, to.first as *mut u8, to.pitches, size) };
        Ok(())
    })
}

/// Direction of a transfer between an object and the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Read,
    Write,
}

/// Enqueues a transfer between an object and the program's memory.
fn exchange(
    submission: &Submission<'_>,
    kind: cl_command_type,
    way: Way,
    mem: &Handle<Mem>,
    (own, host, size): (Rows, Rows, [usize; 3]),
) -> Result<Handle<Event>> {
    submission.owns(mem)?;
    let allowed = if way == Way::Read { mem.host_may_read() } else { mem.host_may_write() };
    ensure(allowed, CL_INVALID_OPERATION)?;
    ensure(host.first != 0, CL_INVALID_VALUE)?;
    let (from, to) = if way == Way::Read { (own, host) } else { (host, own) };
    submission.put(moving(kind, from, to, size, vec![Arc::clone(mem)]))
}

/// Reads or writes a part of a buffer.
pub(crate) fn buffer(
    submission: &Submission<'_>,
    way: Way,
    mem: &Handle<Mem>,
    (offset, bytes): (usize, usize),
    host: usize,
) -> Result<Handle<Event>> {
    ensure(mem.is_buffer(), CL_INVALID_MEM_OBJECT)?;
    // As in Intel's runtime, an empty part is not an error.
    ensure(mem.holds(offset, bytes), CL_INVALID_VALUE)?;
    let kind = if way == Way::Read { CL_COMMAND_READ_BUFFER } else { CL_COMMAND_WRITE_BUFFER };
    let rows = |first: usize| Rows { first, pitches: (bytes, bytes) };
    exchange(submission, kind, way, mem, (rows(mem.first() as usize + offset), rows(host), [bytes, 1, 1]))
}

/// Origin and pitches of a box of bytes. A pitch of zero stands for contiguous rows or slices.
#[derive(Clone, Copy)]
pub(crate) struct Corner {
    pub(crate) origin: [usize; 3],
    pub(crate) row_pitch: usize,
    pub(crate) slice_pitch: usize,
}

impl Corner {
    /// Returns the offset of the first byte, the offset after the last byte, and the pitches.
    fn resolve(&self, region: [usize; 3]) -> Result<(usize, usize, (usize, usize))> {
        ensure(region.iter().all(|&side| side > 0), CL_INVALID_VALUE)?;
        let row = if self.row_pitch == 0 { region[0] } else { self.row_pitch };
        let least = region[1].checked_mul(row).ok_or(Code(CL_INVALID_VALUE))?;
        let slice = if self.slice_pitch == 0 { least } else { self.slice_pitch };
        ensure(row >= region[0] && slice >= least && slice.is_multiple_of(row), CL_INVALID_VALUE)?;
        let place = |at: [usize; 3]| {
            let rows = at[1].checked_mul(row)?.checked_add(at[0])?;
            at[2].checked_mul(slice)?.checked_add(rows)
        };
        let last = std::array::from_fn::<_, 3, _>(|d| self.origin[d].checked_add(region[d]).map(|end| end - 1));
        let [Some(x), Some(y), Some(z)] = last else { return fail(CL_INVALID_VALUE) };
        match (place(self.origin), place([x, y, z])) {
            (Some(first), Some(last)) if last < usize::MAX => Ok((first, last + 1, (row, slice))),
            _ => fail(CL_INVALID_VALUE),
        }
    }
}

/// Reads or writes a box of a buffer.
pub(crate) fn buffer_box(
    submission: &Submission<'_>,
    way: Way,
    mem: &Handle<Mem>,
    (own, host): (Corner, Corner),
    region: [usize; 3],
    address: usize,
) -> Result<Handle<Event>> {
    ensure(mem.is_buffer(), CL_INVALID_MEM_OBJECT)?;
    ensure(address != 0, CL_INVALID_VALUE)?;
    let (first, end, pitches) = own.resolve(region)?;
    ensure(end <= mem.bytes, CL_INVALID_VALUE)?;
    let (host_first, _, host_pitches) = host.resolve(region)?;
    let kind = if way == Way::Read { CL_COMMAND_READ_BUFFER_RECT } else { CL_COMMAND_WRITE_BUFFER_RECT };
    let own = Rows { first: mem.first() as usize + first, pitches };
    let host = Rows { first: address.wrapping_add(host_first), pitches: host_pitches };
    exchange(submission, kind, way, mem, (own, host, region))
}

/// Copies a part of a buffer to another buffer.
pub(crate) fn copy_buffer(
    queue: &Queue,
    (from, to): (&Handle<Mem>, &Handle<Mem>),
    (from_offset, to_offset, bytes): (usize, usize, usize),
) -> Result<Task> {
    ensure(from.is_buffer() && to.is_buffer(), CL_INVALID_MEM_OBJECT)?;
    owns(queue, from)?;
    changes(queue, to)?;
    ensure(from.holds(from_offset, bytes) && to.holds(to_offset, bytes), CL_INVALID_VALUE)?;
    let (source, target) = (from.first() as usize + from_offset, to.first() as usize + to_offset);
    ensure(source.abs_diff(target) >= bytes, CL_MEM_COPY_OVERLAP)?;
    let rows = |first: usize| Rows { first, pitches: (bytes, bytes) };
    let held = vec![Arc::clone(from), Arc::clone(to)];
    Ok(moving(CL_COMMAND_COPY_BUFFER, rows(source), rows(target), [bytes, 1, 1], held))
}

/// Copies a box of a buffer to another buffer.
pub(crate) fn copy_buffer_box(
    queue: &Queue,
    (from, to): (&Handle<Mem>, &Handle<Mem>),
    (source, target): (Corner, Corner),
    region: [usize; 3],
) -> Result<Task> {
    ensure(from.is_buffer() && to.is_buffer(), CL_INVALID_MEM_OBJECT)?;
    owns(queue, from)?;
    changes(queue, to)?;
    let (from_first, from_end, from_pitches) = source.resolve(region)?;
    let (to_first, to_end, to_pitches) = target.resolve(region)?;
    ensure(from_end <= from.bytes && to_end <= to.bytes, CL_INVALID_VALUE)?;
    let a = Rows { first: from.first() as usize + from_first, pitches: from_pitches };
    let b = Rows { first: to.first() as usize + to_first, pitches: to_pitches };
    if Arc::ptr_eq(from, to) {
        ensure(from_pitches == to_pitches, CL_INVALID_VALUE)?;
        // Boxes with equal pitches overlap if they overlap in each dimension.
        let meets = (0..3).all(|d| source.origin[d].abs_diff(target.origin[d]) < region[d]);
        ensure(!meets, CL_MEM_COPY_OVERLAP)?;
    }
    let held = vec![Arc::clone(from), Arc::clone(to)];
    Ok(moving(CL_COMMAND_COPY_BUFFER_RECT, a, b, region, held))
}

/// Returns the rows of an image region and the size to copy.
fn region_of(mem: &Handle<Mem>, origin: [usize; 3], region: [usize; 3]) -> Result<(Rows, [usize; 3])> {
    let texels = mem.texels.ok_or(Code(CL_INVALID_MEM_OBJECT))?;
    texels.check(origin, region)?;
    let rows = Rows { first: mem.first() as usize + texels.layout.offset(origin), pitches: texels.layout.pitches() };
    Ok((rows, [region[0] * texels.layout.texel(), region[1], region[2]]))
}

/// Reads or writes a region of an image.
pub(crate) fn image(
    submission: &Submission<'_>,
    way: Way,
    mem: &Handle<Mem>,
    (origin, region): ([usize; 3], [usize; 3]),
    (row_pitch, slice_pitch): (usize, usize),
    host: usize,
) -> Result<Handle<Event>> {
    let (own, size) = region_of(mem, origin, region)?;
    let is_line = mem.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    // An image of a one-dimensional array is a slice for the program, and a row in the object.
    let row = if row_pitch == 0 { size[0] } else { row_pitch };
    let row = if is_line && slice_pitch != 0 { slice_pitch } else { row };
    let slice = if slice_pitch == 0 || is_line { row * size[1] } else { slice_pitch };
    ensure(row >= size[0] && slice >= row * size[1], CL_INVALID_VALUE)?;
    let kind = if way == Way::Read { CL_COMMAND_READ_IMAGE } else { CL_COMMAND_WRITE_IMAGE };
    exchange(submission, kind, way, mem, (own, Rows { first: host, pitches: (row, slice) }, size))
}

/// Copies a region between two objects, at least one of which is an image. The origin of a buffer
/// is its offset.
pub(crate) fn copy_image(
    queue: &Queue,
    kind: cl_command_type,
    (from, to): (&Handle<Mem>, &Handle<Mem>),
    (from_origin, to_origin): ([usize; 3], [usize; 3]),
    region: [usize; 3],
) -> Result<Task> {
    owns(queue, from)?;
    changes(queue, to)?;
    let line = |mem: &Handle<Mem>, offset: usize, size: [usize; 3]| -> Result<Rows> {
        ensure(mem.is_buffer(), CL_INVALID_MEM_OBJECT)?;
        let bytes = size.iter().try_fold(1_usize, |bytes, &side| bytes.checked_mul(side));
        ensure(bytes.is_some_and(|bytes| mem.holds(offset, bytes)), CL_INVALID_VALUE)?;
        Ok(Rows { first: mem.first() as usize + offset, pitches: (size[0], size[0] * size[1]) })
    };
    let (source, target, size) = match kind {
        CL_COMMAND_COPY_IMAGE_TO_BUFFER => {
            let (rows, size) = region_of(from, from_origin, region)?;
            (rows, line(to, to_origin[0], size)?, size)
        }
        CL_COMMAND_COPY_BUFFER_TO_IMAGE => {
            let (rows, size) = region_of(to, to_origin, region)?;
            (line(from, from_origin[0], size)?, rows, size)
        }
        _ => {
            let (source, size) = region_of(from, from_origin, region)?;
            let (target, _) = region_of(to, to_origin, region)?;
            let formats = [from, to].map(|mem| mem.texels.map(|texels| texels.format));
            let [Some(a), Some(b)] = formats else { return fail(CL_INVALID_MEM_OBJECT) };
            let same = a.image_channel_order == b.image_channel_order
                && a.image_channel_data_type == b.image_channel_data_type;
            ensure(same, CL_IMAGE_FORMAT_MISMATCH)?;
            let meets = (0..3).all(|d| from_origin[d].abs_diff(to_origin[d]) < region[d]);
            ensure(!(Arc::ptr_eq(from, to) && meets), CL_MEM_COPY_OVERLAP)?;
            (source, target, size)
        }
    };
    Ok(moving(kind, source, target, size, vec![Arc::clone(from), Arc::clone(to)]))
}

/// Fills a part of a buffer with a pattern.
pub(crate) fn fill_buffer(
    queue: &Queue,
    mem: &Handle<Mem>,
    pattern: &[u8],
    (offset, bytes): (usize, usize),
) -> Result<Task> {
    ensure(mem.is_buffer(), CL_INVALID_MEM_OBJECT)?;
    changes(queue, mem)?;
    let size = pattern.len();
    ensure(size.is_power_of_two() && size <= 128, CL_INVALID_VALUE)?;
    ensure(offset.is_multiple_of(size) && bytes.is_multiple_of(size), CL_INVALID_VALUE)?;
    ensure(mem.holds(offset, bytes), CL_INVALID_VALUE)?;
    let (first, pattern, mem) = (mem.first() as usize + offset, pattern.to_vec(), Arc::clone(mem));
    Ok(Task::new(CL_COMMAND_FILL_BUFFER, move || {
        let _held = &mem;
        // SAFETY: the part belongs to the object, which is held.
        unsafe { fill(first as *mut u8, bytes, &pattern) };
        Ok(())
    }))
}

/// Fills a region of an image with a colour.
pub(crate) fn fill_image(
    queue: &Queue,
    mem: &Handle<Mem>,
    colour: [u32; 4],
    (origin, region): ([usize; 3], [usize; 3]),
) -> Result<Task> {
    changes(queue, mem)?;
    let (rows, [bytes, count, slices]) = region_of(mem, origin, region)?;
    let texel = mem.texels.map(|texels| texels.colour(colour)).unwrap_or_default();
    let mem = Arc::clone(mem);
    Ok(Task::new(CL_COMMAND_FILL_IMAGE, move || {
        let _held = &mem;
        for (slice, row) in (0..slices).flat_map(|slice| (0..count).map(move |row| (slice, row))) {
            let first = rows.first + slice * rows.pitches.1 + row * rows.pitches.0;
            // SAFETY: the region belongs to the object, which is held.
            unsafe { fill(first as *mut u8, bytes, &texel) };
        }
        Ok(())
    }))
}

/// Copies the contents of an object to the program's memory that it was created from, or back. Does
/// nothing if the object uses that memory in place.
fn sync(mem: &Handle<Mem>, way: Way) {
    let Some(host) = mem.shadow() else { return };
    let (size, own, theirs) = match mem.texels {
        Some(texels) => {
            let [width, rows, slices] = texels.layout.sides();
            ([width * texels.layout.texel(), rows, slices], texels.layout.pitches(), texels.host_pitches())
        }
        None => ([mem.bytes, 1, 1], (mem.bytes, mem.bytes), (mem.bytes, mem.bytes)),
    };
    let (own, theirs) = (Rows { first: mem.first() as usize, pitches: own }, Rows { first: host, pitches: theirs });
    let (from, to) = if way == Way::Read { (own, theirs) } else { (theirs, own) };
    // SAFETY: the object is held, and the program keeps its memory alive as long as the object.
    unsafe { copy(from.first as *mut u8, from.pitches, to.first as *mut u8, to.pitches, size) }
}

/// Maps a part of a buffer or a region of an image, once the flags are checked. Returns the
/// command's event, the address, and the pitches of an image.
pub(crate) fn map(
    submission: &Submission<'_>,
    mem: &Handle<Mem>,
    flags: cl_map_flags,
    part: impl FnOnce() -> Result<Part>,
) -> Result<(Handle<Event>, usize, (usize, usize))> {
    submission.owns(mem)?;
    let known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    ensure(flags & !known == 0 && !(invalidates && flags & (CL_MAP_READ | CL_MAP_WRITE) != 0), CL_INVALID_VALUE)?;
    let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    ensure(flags & CL_MAP_READ == 0 || mem.host_may_read(), CL_INVALID_OPERATION)?;
    ensure(!writes || mem.host_may_write(), CL_INVALID_OPERATION)?;
    let (kind, offset) = match part()? {
        Part::Bytes(offset, bytes) => {
            ensure(mem.is_buffer(), CL_INVALID_MEM_OBJECT)?;
            ensure(bytes > 0 && mem.holds(offset, bytes), CL_INVALID_VALUE)?;
            (CL_COMMAND_MAP_BUFFER, offset)
        }
        Part::Region(origin, region) => {
            let texels = mem.texels.ok_or(Code(CL_INVALID_MEM_OBJECT))?;
            texels.check(origin, region)?;
            let pitches = if mem.shadow().is_some() { texels.host_pitches() } else { texels.layout.pitches() };
            let offset = origin[0] * texels.layout.texel() + origin[1] * pitches.0 + origin[2] * pitches.1;
            (CL_COMMAND_MAP_IMAGE, offset)
        }
    };
    let address = mem.shadow().unwrap_or(mem.first() as usize) + offset;
    let pitches = mem.texels.map_or((0, 0), |texels| {
        let (row, slice) = if mem.shadow().is_some() { texels.host_pitches() } else { texels.layout.pitches() };
        let slices = [CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D];
        let slice = if mem.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { row } else { slice };
        (row, if slices.contains(&mem.kind) { slice } else { 0 })
    });
    mem.map(Mapping { address, flags });
    let held = Arc::clone(mem);
    let event = submission.submit(kind, move || {
        sync(&held, Way::Read);
        Ok(())
    });
    if event.is_err() {
        mem.unmap(address);
    }
    Ok((event?, address, pitches))
}

/// Part of an object to map.
pub(crate) enum Part {
    /// Offset and size in bytes.
    Bytes(usize, usize),
    /// Origin and region.
    Region([usize; 3], [usize; 3]),
}

/// Unmaps a mapped part.
pub(crate) fn unmap(submission: &Submission<'_>, mem: &Handle<Mem>, address: usize) -> Result<Handle<Event>> {
    submission.owns(mem)?;
    let mapping = mem.unmap(address).ok_or(Code(CL_INVALID_VALUE))?;
    let mem = Arc::clone(mem);
    submission.submit(CL_COMMAND_UNMAP_MEM_OBJECT, move || {
        if mapping.flags & CL_MAP_READ != mapping.flags {
            sync(&mem, Way::Write);
        }
        Ok(())
    })
}

/// Enqueues a migration of objects, which does nothing.
pub(crate) fn migrate(
    submission: &Submission<'_>,
    mems: &[Handle<Mem>],
    flags: cl_bitfield,
) -> Result<Handle<Event>> {
    let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    ensure(!mems.is_empty() && flags & !known == 0, CL_INVALID_VALUE)?;
    mems.iter().try_for_each(|mem| submission.owns(mem))?;
    submission.submit(CL_COMMAND_MIGRATE_MEM_OBJECTS, || Ok(()))
}
