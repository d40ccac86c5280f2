//! Limits on the size of a page. Input over a limit is reported at its position, with the limit,
//! and is not read.
//!
//! The limits are far above any real page. They bound time, stack and memory in proportion to the
//! size of a page.

/// Maximum size of a page or an overlay, in bytes.
pub const PAGE_BYTES: u64 = 32 << 20;
/// Maximum number of files in a folder with a specification.
pub const FILES: usize = 1 << 16;
/// Maximum nesting depth of lists, quotes and emphasis.
pub const MARKDOWN_DEPTH: usize = 32;
/// Maximum number of cells in a row.
pub const CELLS: usize = 256;
/// Maximum number of headings on a page.
pub const HEADINGS: usize = 5_000;
/// Maximum number of items in a list.
pub const ITEMS: usize = 5_000;
/// Maximum nesting depth of brackets in a template.
pub const TEMPLATE_DEPTH: usize = 32;
/// Maximum nesting depth of blocks and brackets in semantics, which bounds the recursion over the
/// tree.
pub const SEMANTICS_DEPTH: u32 = 48;
/// Maximum number of tokens in a line of semantics.
pub const SEMANTICS_TOKENS: usize = 256;
