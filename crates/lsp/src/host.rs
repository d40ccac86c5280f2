//! Functions of the program around the server.

use std::path::PathBuf;

use serde_json::json;
use visakit_diag::Diagnostic;

use crate::colour;
use crate::position::Encoding;

/// Explanation of the code of a finding.
pub struct Explanation {
    /// Code.
    pub code: &'static str,
    /// Address of the explanation.
    pub address: String,
}

/// Page that a client has open, with its unsaved text.
#[derive(Clone, Debug)]
pub struct OpenPage {
    /// Path of the page.
    pub path: PathBuf,
    /// Text.
    pub text: String,
}

/// Functions of the program around the server.
#[derive(Clone, Copy)]
pub struct Host {
    /// Returns the explanations of all codes.
    pub explanations: fn() -> Vec<Explanation>,
    /// Returns the findings of open pages, each in the specification around it. Their files are the
    /// paths of the pages.
    pub lint: fn(&[OpenPage]) -> Vec<Diagnostic>,
}

/// Returns what the server can do, for the answer to `initialize`.
pub(crate) fn capabilities(encoding: Encoding) -> serde_json::Value {
    json!({
        "positionEncoding": encoding.kind(),
        "textDocumentSync": { "openClose": true, "change": 2 },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [".", "(", ":", "%", "=", "<", " "] },
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "documentLinkProvider": {},
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "renameProvider": { "prepareProvider": true },
        "inlayHintProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "semanticTokensProvider": {
            "legend": colour::legend(),
            "full": { "delta": true },
            "range": true,
        },
    })
}
