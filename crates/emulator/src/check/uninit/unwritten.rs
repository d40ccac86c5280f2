//! Whether a launch loads memory that nobody has written: then it is worth to try what else might stand there.

use crate::machine::observer::{Access, AccessKind, LaunchMap, Space};

/// The bytes that are written of memory that begins without contents.
#[derive(Debug, Default)]
pub(in crate::check) struct Unwritten {
    /// Whether something else was loaded.
    pub(in crate::check) loaded: bool,
    /// A bit for each byte: of shared local memory, of private memory, and of the buffers in [`LaunchMap::undefined`]; and how many
    /// bytes each has.
    written: Vec<(Vec<u64>, u64)>,
    undefined: Vec<usize>,
}

impl Unwritten {
    pub(in crate::check) fn launch(&mut self, map: &LaunchMap) {
        self.undefined.clone_from(&map.undefined);
        let private = map.private.iter().max().map_or(0, |bytes| *bytes as u64);
        let undefined = map.undefined.iter().map(|n| map.buffers.get(*n).map_or(0, |buffer| buffer.bytes));
        let sizes = [map.local_bytes.into(), private].into_iter().chain(undefined);
        self.written = sizes.map(|bytes| (Vec::new(), bytes)).collect();
    }

    /// The next group has memory of its own.
    pub(in crate::check) fn next_group(&mut self) {
        self.written.iter_mut().take(2).for_each(|(bits, _)| bits.fill(0));
    }

    /// Whether accesses to this memory, of which one is given, have to be told.
    pub(in crate::check) fn needs(&self, access: &Access) -> bool {
        !self.loaded && self.memory(access).is_some()
    }

    fn memory(&self, access: &Access) -> Option<usize> {
        match (access.space, access.buffer) {
            (Space::Local, _) => Some(0),
            (Space::Scratch, _) => Some(1),
            (_, Some(buffer)) => self.undefined.iter().position(|other| *other == buffer).map(|n| 2 + n),
            _ => None,
        }
    }

    pub(in crate::check) fn access(&mut self, access: &Access) {
        let Some(memory) = self.memory(access).filter(|_| !self.loaded) else { return };
        let (bits, bytes) = &mut self.written[memory];
        // What an atomic operation finds is loaded as well.
        let is_load = access.kind != AccessKind::Store && !(access.kind == AccessKind::Load && access.unread);
        let end = access.offset.saturating_add(access.size.into());
        for at in access.offset..end.min(*bytes) {
            let (word, bit) = (at as usize / 64, at % 64);
            if bits.len() <= word {
                bits.resize((word + 1).next_multiple_of(512), 0);
            }
            self.loaded |= is_load && bits[word] >> bit & 1 == 0;
            if access.kind != AccessKind::Load {
                bits[word] |= 1 << bit;
            }
        }
    }
}
