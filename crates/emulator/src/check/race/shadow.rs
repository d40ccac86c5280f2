//! Who touched which bytes.

/// Words of a page.
const PAGE: usize = 1024;

/// Who touched some bytes: stamps, or 0 for nobody, and the channels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub write: u32,
    /// Two different readers, so that any writer has one that is not itself; or atomic operations behind a store; or, as the
    /// second, a store behind which there are atomic operations.
    pub reads: [u32; 2],
    pub channels: [u8; 3],
    /// Whether its bytes have cells of their own.
    pub split: bool,
}

/// Cells one behind the other.
pub(super) type Page = Box<[Cell; PAGE]>;

/// Pages by buffer; the first is shared local memory.
#[derive(Default)]
pub(super) struct Pages(Vec<Vec<Option<Page>>>);

impl Pages {
    pub(super) fn page(&mut self, buffer: usize, page: usize) -> &mut Page {
        if self.0.len() <= buffer {
            self.0.resize_with(buffer + 1, Vec::new);
        }
        let pages = &mut self.0[buffer];
        if pages.len() <= page {
            pages.resize_with(page + 1, || None);
        }
        pages[page].get_or_insert_with(|| Box::new([Cell::default(); PAGE]))
    }

    pub(super) fn cell(&mut self, (buffer, index): (usize, u64)) -> &mut Cell {
        let (page, at) = page_of(index);
        &mut self.page(buffer, page)[at]
    }

    /// Those of four bytes, from a multiple of four on.
    pub(super) fn four(&mut self, (buffer, index): (usize, u64)) -> &mut [Cell] {
        let (page, at) = page_of(index);
        &mut self.page(buffer, page)[at..at + 4]
    }
}

/// The page of a cell and its place there. Offsets in buffers are far below what does not fit.
#[inline(always)]
pub(super) fn page_of(index: u64) -> (usize, usize) {
    (index as usize / PAGE, index as usize % PAGE)
}

/// The words that an access has bytes of.
#[inline(always)]
pub(super) fn words_of(offset: u64, size: u32) -> std::ops::RangeInclusive<u64> {
    offset / 4..=(offset + u64::from(size).max(1) - 1) / 4
}
