//! Shadow memory in pages. Pages not touched recently are compressed as differences between
//! consecutive cells, which are nearly constant if threads repeat the same operations.

use std::collections::VecDeque;

use crate::race::shadow::Cell;

/// Cells per page.
const PAGE: usize = 1024;
/// Number of open pages (8 MiB). The limit grows with reopened pages, to at most half of all pages.
const FEW_PAGES: usize = 512;
/// Largest number of distinct differences of a compressed page.
const MOST_STEPS: usize = 32;

/// Cells of an open page.
pub(super) type Page = Box<[Cell; PAGE]>;

/// State of a page.
#[derive(Default)]
enum Slot {
    #[default]
    Nothing,
    Open(Page),
    Closed(Box<Closed>),
}

/// Pages by buffer; buffer 0 is shared local memory.
#[derive(Default)]
pub(super) struct Pages {
    slots: Vec<Vec<Slot>>,
    /// Open pages that can be closed, oldest first.
    open: VecDeque<(usize, usize)>,
    /// Number of all pages, and of reopenings.
    count: usize,
    reopened: usize,
}

impl Pages {
    #[inline(always)]
    pub(super) fn page(&mut self, buffer: usize, page: usize) -> &mut Page {
        if !matches!(self.slots.get(buffer).and_then(|slots| slots.get(page)), Some(Slot::Open(_))) {
            self.open(buffer, page);
        }
        match &mut self.slots[buffer][page] {
            Slot::Open(page) => page,
            Slot::Nothing | Slot::Closed(_) => unreachable!("it has been opened"),
        }
    }

    pub(super) fn cell(&mut self, (buffer, index): (usize, u64)) -> &mut Cell {
        let (page, at) = page_of(index);
        &mut self.page(buffer, page)[at]
    }

    #[cold]
    fn open(&mut self, buffer: usize, page: usize) {
        if self.slots.len() <= buffer {
            self.slots.resize_with(buffer + 1, Vec::new);
        }
        let slots = &mut self.slots[buffer];
        if slots.len() <= page {
            slots.resize_with(page + 1, Slot::default);
        }
        let before = std::mem::take(&mut slots[page]);
        let mut cells = match self.close_one() {
            Some(mut cells) => {
                cells.fill(Cell::default());
                cells
            }
            None => Box::new([Cell::default(); PAGE]),
        };
        if let Slot::Closed(closed) = before {
            self.reopened += 1;
            closed.open(&mut cells);
        } else {
            self.count += 1;
        }
        self.slots[buffer][page] = Slot::Open(cells);
        self.open.push_back((buffer, page));
    }

    /// Closes a page if too many are open. Returns its cells for reuse, with unspecified contents.
    fn close_one(&mut self) -> Option<Page> {
        while self.open.len() >= FEW_PAGES + self.reopened.min(self.count / 2) {
            let (buffer, page) = self.open.pop_front()?;
            let slot = &mut self.slots[buffer][page];
            let Slot::Open(cells) = slot else { continue };
            if let Some(closed) = Closed::new(cells)
                && let Slot::Open(cells) = std::mem::replace(slot, Slot::Closed(Box::new(closed)))
            {
                return Some(cells);
            }
        }
        None
    }
}

/// A compressed page: each cell as its difference from the previous one.
struct Closed {
    steps: Box<[[u32; 4]]>,
    /// Index of a difference, and its number of repetitions.
    runs: Box<[(u8, u8)]>,
}

impl Closed {
    /// Compresses a page; `None` if it has too many distinct differences.
    fn new(page: &Page) -> Option<Self> {
        let (mut steps, mut runs): (Vec<[u32; 4]>, Vec<(u8, u8)>) = (Vec::new(), Vec::new());
        let mut before = [0; 4];
        // Difference of the last run, its index, and the run's length.
        let (mut last, mut number, mut length) = ([0; 4], 0, 0);
        for cell in page.iter() {
            let words = cell.words();
            let step = std::array::from_fn(|n| words[n].wrapping_sub(before[n]));
            before = words;
            if length > 0 && step == last && length < u8::MAX {
                length += 1;
                continue;
            }
            if length > 0 {
                runs.push((number, length));
            }
            let known = steps.iter().position(|other| *other == step).unwrap_or(steps.len());
            if known == MOST_STEPS {
                return None;
            }
            if known == steps.len() {
                steps.push(step);
            }
            (last, number, length) = (step, known as u8, 1);
        }
        runs.push((number, length));
        Some(Self { steps: steps.into(), runs: runs.into() })
    }

    fn open(&self, page: &mut Page) {
        let mut words = [0_u32; 4];
        let mut cells = page.iter_mut();
        for &(number, length) in &*self.runs {
            let step = self.steps[usize::from(number)];
            for cell in cells.by_ref().take(length.into()) {
                words = std::array::from_fn(|n| words[n].wrapping_add(step[n]));
                *cell = Cell::from_words(words);
            }
        }
    }
}

/// Returns the page of a cell and the index within it. Buffer sizes keep the index within `usize`.
#[inline(always)]
pub(super) fn page_of(index: u64) -> (usize, usize) {
    (index as usize / PAGE, index as usize % PAGE)
}

/// Returns the words that an access touches.
#[inline(always)]
pub(super) fn words_of(offset: u64, size: u32) -> std::ops::RangeInclusive<u64> {
    offset / 4..=(offset + u64::from(size).max(1) - 1) / 4
}
