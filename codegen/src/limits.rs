//! How much a page may hold. What is beyond is a finding at its place, which says the limit, and is
//! not read.
//!
//! They are far above what anyone writes, and keep the time, the stack and the memory that a page
//! costs in proportion to its size.

/// Bytes of a page, or of an overlay.
pub const PAGE_BYTES: u64 = 32 << 20;
/// Files of a folder with a specification.
pub const FILES: usize = 1 << 16;
/// Nesting depth of lists, quotes and emphasis.
pub const MARKDOWN_DEPTH: usize = 32;
/// Cells of a row.
pub const CELLS: usize = 256;
/// Headings of a page.
pub const HEADINGS: usize = 5_000;
/// Items of a list.
pub const ITEMS: usize = 5_000;
/// Nesting depth of brackets in a template.
pub const TEMPLATE_DEPTH: usize = 32;
/// Nesting depth of blocks and brackets in semantics, so that a walk of the tree may recurse.
pub const SEMANTICS_DEPTH: u32 = 48;
/// Words and signs of a line of semantics.
pub const SEMANTICS_TOKENS: usize = 256;
