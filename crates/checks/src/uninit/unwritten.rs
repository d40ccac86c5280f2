//! Loads of unwritten memory, which justify runs with other initial contents.

use visakit_machine::lane::{LANES, enabled_lanes};
use visakit_machine::observer::{Access, AccessKind, LaunchMap, Space};
use visakit_machine::told::{Accesses, Places};

/// Written bytes of memory without initial contents.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    /// True if an unwritten byte was loaded.
    pub(crate) loaded: bool,
    /// Bit set of written bytes, and the size in bytes: of shared local memory, private memory, and
    /// the buffers in [`LaunchMap::undefined`].
    written: Vec<(Vec<u64>, u64)>,
    undefined: Vec<usize>,
}

impl Unwritten {
    pub(crate) fn launch(&mut self, map: &LaunchMap) {
        self.undefined.clone_from(&map.undefined);
        let private = map.private.iter().max().map_or(0, |bytes| *bytes as u64);
        let undefined = map.undefined.iter().map(|n| map.buffers.get(*n).map_or(0, |buffer| buffer.bytes));
        let sizes = [map.local_bytes.into(), private].into_iter().chain(undefined);
        self.written = sizes.map(|bytes| (Vec::new(), bytes)).collect();
    }

    /// Starts a group, which has its own memory.
    pub(crate) fn next_group(&mut self) {
        self.written.iter_mut().take(2).for_each(|(bits, _)| bits.fill(0));
    }

    fn memory(&self, access: &Access) -> Option<usize> {
        match (access.space, access.buffer) {
            (Space::Local, _) => Some(0),
            (Space::Scratch, _) => Some(1),
            (_, Some(buffer)) => self.undefined.iter().position(|other| *other == buffer).map(|n| 2 + n),
            _ => None,
        }
    }

    pub(crate) fn access(&mut self, access: &Access) {
        if let Some(memory) = self.memory(access).filter(|_| !self.loaded) {
            self.touch(memory, access, access.offset, access.size.into());
        }
    }

    /// Processes the accesses of a message's channels.
    pub(crate) fn accesses(&mut self, accesses: &Accesses<'_>) {
        let first = &accesses.first;
        let Some(memory) = self.memory(first).filter(|_| !self.loaded) else { return };
        let channels = accesses.enabled >> accesses.enabled.trailing_zeros();
        match accesses.places {
            // Contiguous accesses count as one.
            Places::Row(step) if (channels & (channels + 1) == 0 && step == first.size) || step == 0 => {
                let bytes = accesses.last_offset() + u64::from(first.size) - first.offset;
                self.touch(memory, first, first.offset, bytes);
            }
            _ => {
                for lane in enabled_lanes::<LANES>(accesses.enabled) {
                    self.touch(memory, first, accesses.place(lane).1, first.size.into());
                }
            }
        }
    }

    /// Processes an access to a range of bytes.
    #[inline(always)]
    fn touch(&mut self, memory: usize, access: &Access, mut offset: u64, bytes: u64) {
        let (bits, size) = &mut self.written[memory];
        let end = offset.saturating_add(bytes).min(*size);
        // An atomic operation also loads.
        let is_load = access.kind != AccessKind::Store && !(access.kind == AccessKind::Load && access.unread);
        while offset < end {
            let (word, bit) = (offset as usize / 64, offset % 64);
            let count = (end - offset).min(64 - bit);
            let mask = u64::MAX >> (64 - count) << bit;
            if bits.len() <= word {
                bits.resize((word + 1).next_multiple_of(512), 0);
            }
            self.loaded |= is_load && bits[word] & mask != mask;
            if access.kind != AccessKind::Load {
                bits[word] |= mask;
            }
            offset += count;
        }
    }
}
