//! Exposed reads: reads of a step that the same channels have not written earlier in the block.

use std::ops::Range;

use crate::backend::analysis::effects::{Elements, is_dense, reaches_all, reads, writes};
use crate::ir::{Block, Step};

/// A block and a channel of it.
type Owner = (u32, u32);

/// Channel that last wrote each byte of the registers, with its block.
pub(crate) struct Owners {
    /// Pages of [`OWNED`] bytes, in order; `None` where no byte is written.
    pages: Vec<Option<Box<[Owner; OWNED]>>>,
    block: u32,
}

/// The number of bytes of a page.
const OWNED: usize = 64;

impl Owners {
    pub(crate) fn new(bytes: u32) -> Self {
        Self { pages: vec![None; (bytes as usize).div_ceil(OWNED)], block: 0 }
    }

    /// Returns true if a channel has written these bytes.
    fn own(&self, channel: u32, at: u32, bytes: u32) -> bool {
        let own = (self.block, channel);
        parts(at, bytes).all(|(page, part)| {
            let page = self.pages.get(page).and_then(Option::as_deref);
            page.is_some_and(|page| page[part].iter().all(|other| *other == own))
        })
    }

    fn set(&mut self, owner: Owner, at: u32, bytes: u32) {
        for (page, part) in parts(at, bytes) {
            if let Some(page) = self.pages.get_mut(page) {
                page.get_or_insert_with(|| Box::new([(0, 0); OWNED]))[part].fill(owner);
            }
        }
    }

    /// Returns the exposed reads of the next block's steps.
    pub(crate) fn exposed(&mut self, block: &Block) -> Vec<Vec<Elements>> {
        self.block += 1;
        block.steps.iter().map(|step| self.exposed_by(step)).collect()
    }

    fn exposed_by(&mut self, step: &Step) -> Vec<Elements> {
        let mask = &step.mask;
        let is_own = is_dense(mask) && !mask.always;
        let mut all: Vec<Elements> = Vec::new();
        for (read, each) in reads(step) {
            if is_own && each {
                self.add_open(read, mask.shift, &mut all);
            } else {
                all.push(read);
            }
        }
        for write in writes(step) {
            for n in 0..write.count {
                let (channel, place) = (mask.shift + n, write.element(n));
                // Where the predicate is false, the channel's earlier value remains.
                if is_own && mask.predicate == 0 {
                    self.set((self.block, channel), place, write.bytes);
                } else if !is_own || !self.own(channel, place, write.bytes) {
                    self.set((0, 0), place, write.bytes);
                }
            }
        }
        if reaches_all(step) {
            self.block += 1;
        }
        all.shrink_to_fit();
        all
    }

    /// Adds the elements that their channels, from `shift` on, have not written themselves.
    fn add_open(&self, read: Elements, shift: u32, all: &mut Vec<Elements>) {
        let mut open: Option<Elements> = None;
        for n in 0..read.count {
            if self.own(shift + n, read.element(n), read.bytes) {
                all.extend(open.take());
            } else {
                let row = open.get_or_insert(Elements { at: read.element(n), count: 0, ..read });
                row.count += 1;
            }
        }
        all.extend(open);
    }
}

/// Returns the pages of some bytes, and the range in each.
fn parts(at: u32, bytes: u32) -> impl Iterator<Item = (usize, Range<usize>)> {
    let (at, end) = (at as usize, (at + bytes) as usize);
    (at / OWNED..end.div_ceil(OWNED)).map(move |page| {
        let first = page * OWNED;
        (page, at.max(first) - first..end.min(first + OWNED) - first)
    })
}
