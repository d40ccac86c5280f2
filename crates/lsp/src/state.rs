//! Documents and settings of a session.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use lsp_server::{ErrorCode, Message, Notification};
use lsp_types::notification::{self as said, Notification as _};
use lsp_types::{Range, SemanticToken, Uri};
use serde_json::Value;
use visakit::isa::Platform;
use visakit::text::TokenKind;

use crate::document::Document;
use crate::pages;
use crate::position::Encoding;
use crate::worker::{Job, Kind, Opened, Versions, Worker};

/// Reason for which a request has no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Failure {
    /// Refuses a request with an explanation for the user.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::RequestFailed, message: message.into() }
    }

    fn invalid(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::InvalidParams, message: message.into() }
    }
}

/// Documents and settings.
pub(crate) struct State {
    pub(crate) encoding: Encoding,
    pub(crate) platform: Option<Platform>,
    pub(crate) documents: HashMap<String, Arc<Document>>,
    /// Last semantic tokens of each document with their numbers.
    pub(crate) colours: HashMap<String, (u64, Vec<SemanticToken>)>,
    pub(crate) next_colours: u64,
    pub(crate) versions: Versions,
    pub(crate) worker: Worker,
    pub(crate) out: crossbeam_channel::Sender<Message>,
}

impl State {
    pub(crate) fn put(&mut self, document: Document) {
        let uri = document.uri.as_str().to_owned();
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).insert(uri.clone(), document.version);
        let document = Arc::new(document);
        self.documents.insert(uri, document.clone());
        self.check(document);
    }

    /// Lets the other thread check a text while its document is built.
    pub(crate) fn announce(&self, uri: &Uri, text: &str) {
        if path_of(uri).is_some_and(|path| is_markdown(&path)) {
            return;
        }
        let end = text.match_indices('\n').nth(HEAD).map_or(text.len(), |(at, _)| at + 1);
        let head = Document::new(uri.clone(), 0, &text[..end], self.encoding);
        let opened = Opened { uri: uri.clone(), text: text.to_owned(), platform: self.platform_of(&head) };
        // Without the thread the server still answers requests.
        let _ = self.worker.jobs.send(Job::Opened(opened));
    }

    /// Orders the findings of a document.
    pub(crate) fn check(&self, document: Arc<Document>) {
        let kind = match path_of(&document.uri) {
            Some(path) if is_markdown(&path) => match pages::root(&path) {
                Some(_) => Kind::Page(path),
                None => return,
            },
            _ => Kind::Text(self.platform_of(&document)),
        };
        // Without the thread the server still answers requests.
        let _ = self.worker.jobs.send(Job::Check(document, kind));
    }

    /// Reads the settings: `platform`, on its own or in the section of this server.
    pub(crate) fn configure(&mut self, settings: Option<&Value>) {
        let Some(settings) = settings else { return };
        let settings = settings.get(crate::publish::SOURCE).unwrap_or(settings);
        let Some(name) = settings.get("platform").and_then(Value::as_str) else { return };
        self.platform = Platform::from_name(name);
        if self.platform.is_none() && !name.is_empty() {
            let known: Vec<_> = Platform::ALL.iter().map(|one| one.name()).collect();
            let message = format!("unknown platform `{name}`; the platforms are {}", known.join(", "));
            let params = lsp_types::ShowMessageParams { typ: lsp_types::MessageType::WARNING, message };
            let shown = Notification::new(said::ShowMessage::METHOD.to_owned(), params);
            // The client is gone if sending fails; the main loop notices.
            let _ = self.out.send(Message::Notification(shown));
        }
    }

    /// Returns an open document.
    pub(crate) fn document(&self, uri: &Uri) -> Result<Arc<Document>, Failure> {
        let found = self.documents.get(uri.as_str()).cloned();
        found.ok_or_else(|| Failure::invalid(format!("`{}` is not open", uri.as_str())))
    }

    /// Returns an open page of a specification with its path.
    pub(crate) fn page(&self, uri: &Uri) -> Option<(Arc<Document>, PathBuf)> {
        let path = path_of(uri).filter(|path| is_markdown(path))?;
        Some((self.documents.get(uri.as_str())?.clone(), path))
    }

    /// Returns the text of a file: the client's if it is open, or else that on the disk.
    pub(crate) fn text_of(&self, path: &Path) -> Option<String> {
        let open = self.documents.values().find(|one| path_of(&one.uri).as_deref() == Some(path));
        open.map(|document| document.text()).or_else(|| std::fs::read_to_string(path).ok())
    }

    /// Returns the platform of a text: that of a comment `platform: NAME` before its code, or else
    /// that of the settings.
    pub(crate) fn platform_of(&self, document: &Document) -> Option<Platform> {
        let comments = document.chunks().iter().take(HEAD).flat_map(|chunk| {
            let all = chunk.tokens.iter().filter(|token| token.kind == TokenKind::Comment);
            all.map(|token| chunk.word(token))
        });
        let named = |comment: &str| {
            let (_, name) = comment.split_once("platform:")?;
            Platform::from_name(name.split_whitespace().next()?)
        };
        comments.filter_map(named).next().or(self.platform)
    }

    /// Keeps semantic tokens for a later difference. Returns their number.
    pub(crate) fn keep_colours(&mut self, uri: &Uri, tokens: Vec<SemanticToken>) -> String {
        self.next_colours += 1;
        self.colours.insert(uri.as_str().to_owned(), (self.next_colours, tokens));
        self.next_colours.to_string()
    }

    /// Returns the kept tokens with a number.
    pub(crate) fn kept_colours(&self, uri: &Uri, number: &str) -> Option<Vec<SemanticToken>> {
        let (kept, tokens) = self.colours.get(uri.as_str())?;
        (kept.to_string() == number).then(|| tokens.clone())
    }
}

/// Number of chunks at the start of a text in which a comment may name the platform.
const HEAD: usize = 20;

/// Returns the lines of a range; a range that ends at the start of a line excludes this line.
pub(crate) fn requested(range: Range) -> std::ops::Range<usize> {
    let end = range.end.line as usize + usize::from(range.end.character > 0 || range.end.line == range.start.line);
    range.start.line as usize..end
}

pub(crate) fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

/// Returns the path of a `file` address.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let encoded = uri.as_str().strip_prefix("file://")?;
    // A client may name the local machine.
    let encoded = encoded.strip_prefix("localhost").unwrap_or(encoded);
    let (bytes, mut at) = (encoded.as_bytes(), 0);
    let mut out = Vec::with_capacity(bytes.len());
    while let Some(byte) = bytes.get(at) {
        let code = encoded.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (byte, code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    Some(PathBuf::from(String::from_utf8(out).ok()?))
}

/// Returns the `file` address of a path.
pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    let mut out = String::from("file://");
    for byte in path.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out.parse().ok()
}
