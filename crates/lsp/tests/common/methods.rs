//! Requests about a text, for tests and the bench.

/// Requests with a place, a range or neither.
pub(crate) const METHODS: [&str; 15] = [
    "hover",
    "completion",
    "definition",
    "references",
    "documentHighlight",
    "prepareRename",
    "rename",
    "inlayHint",
    "semanticTokens/range",
    "semanticTokens/full",
    "documentSymbol",
    "foldingRange",
    "formatting",
    "rangeFormatting",
    "codeAction",
];
