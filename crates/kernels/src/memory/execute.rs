//! Execution of a message.
//!
//! A message is processed in chunks. If all data of a chunk lie inside one buffer, as usual, one
//! bounds check covers the chunk. Otherwise, or with an observer, each channel goes through
//! [`visakit_machine::access`].

use crate::memory::fast::FastPath;
use crate::memory::message::{Chunk, Message};
use visakit_machine::World;
use visakit_machine::access::{Miss, Request, View};
use visakit_machine::lane::{LANES, MAX_LANES, enabled_lanes, from_lanes};
use visakit_machine::thread::{Thread, ones};

impl Message {
    /// Transfers the data of a chunk: a store if `STORE`, otherwise a load. Out of line, so that
    /// its values are not hoisted out of the loop over chunks.
    #[inline(never)]
    pub(super) fn transfer<const STORE: bool>(
        &self,
        thread: &mut Thread,
        world: &World<'_>,
        fast: Option<FastPath>,
        chunk: Chunk,
    ) -> Result<(), Miss> {
        let view = self.space.view(thread, world);
        if let Some(fast) = fast
            && (!view.is_watched() || self.tell::<STORE>(thread, &view, fast, chunk).is_some())
            && (self.row::<STORE>(thread, &view, fast, chunk).is_some()
                || self.in_bounds::<STORE>(thread, &view, fast, chunk).is_some())
        {
            return Ok(());
        }
        let addresses = self.addressing.resolve(thread, chunk.n as usize);
        self.by_channel::<STORE>(thread, &view, chunk, &addresses)
    }

    /// Slow path: transfers the data of a chunk channel by channel.
    #[inline(never)]
    pub(super) fn by_channel<const STORE: bool>(
        &self,
        thread: &mut Thread,
        view: &View<'_>,
        chunk: Chunk,
        base: &[u64; LANES],
    ) -> Result<(), Miss> {
        let (n, enabled) = (chunk.n as usize, chunk.enabled);
        for (element, distance) in self.elements.iter().enumerate() {
            let addresses = from_lanes(|i| base[i].wrapping_add(u64::from(*distance)));
            let unread = !STORE && self.unread.checked_shr(element as u32).is_some_and(|bits| bits & 1 == 1);
            let request = Request { unread, ..self.request(&addresses, n, enabled) };
            let at = self.place(chunk, element);
            if STORE {
                let values = self.transfer.get(thread, at, enabled);
                thread.outside_writes += u64::from(view.store(&request, &values)?);
            } else {
                let mut values = [0; LANES];
                thread.outside_reads += u64::from(view.load(&request, &mut values)?);
                self.transfer.put(thread, at, &values, enabled);
            }
        }
        Ok(())
    }

    /// Returns a mask of the enabled channels whose elements are all in bounds.
    pub(super) fn status(&self, thread: &Thread, world: &World<'_>) -> u32 {
        let view = self.space.view(thread, world);
        let mut bits = thread.enabled(&self.enable);
        for n in 0..MAX_LANES / LANES {
            let enabled = bits >> (n * LANES) & ones(LANES);
            if enabled == 0 {
                continue;
            }
            let base = self.addressing.resolve(thread, n);
            for lane in enabled_lanes::<LANES>(enabled) {
                let is_outside = |distance: &u32| {
                    let addresses = [base[lane].wrapping_add(u64::from(*distance)); LANES];
                    let request = self.request(&addresses, n, 1 << lane);
                    view.load(&request, &mut [0; LANES]) != Ok(0)
                };
                if self.elements.iter().any(is_outside) {
                    bits &= !(1 << (n * LANES + lane));
                }
            }
        }
        bits
    }
}
