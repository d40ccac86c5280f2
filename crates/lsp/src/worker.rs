//! Thread that computes findings and publishes them.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Message, Notification};
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{Diagnostic, PublishDiagnosticsParams, Uri};
use visakit::isa::Platform;

use crate::document::Document;
use crate::findings::{Checked, check};
use crate::host::{Host, OpenPage};
use crate::publish::{Addresses, diagnostics, unused};

/// Work of the other thread.
pub(crate) enum Job {
    /// An assembly text that is being opened. Its findings are computed while the main loop divides
    /// it into chunks, and published with the text.
    Opened(Opened),
    /// A document whose findings are wanted.
    Check(Arc<Document>, Kind),
}

/// Kind of a document.
pub(crate) enum Kind {
    /// An assembly text, with the platform of its rules.
    Text(Option<Platform>),
    /// A page of a specification.
    Page(PathBuf),
}

/// Text that is being opened.
pub(crate) struct Opened {
    pub(crate) uri: Uri,
    pub(crate) text: String,
    pub(crate) platform: Option<Platform>,
}

/// Findings of opened texts that have no document yet, by address.
type Ahead = HashMap<String, (Opened, Checked)>;

/// Versions of the open documents, by address. Findings of other versions are dropped.
pub(crate) type Versions = Arc<Mutex<HashMap<String, i32>>>;

/// Handle of the thread. The thread ends when the sender of jobs is dropped.
pub(crate) struct Worker {
    pub(crate) jobs: Sender<Job>,
    pub(crate) thread: JoinHandle<()>,
}

/// Starts the thread.
pub(crate) fn start(host: Host, out: Sender<Message>, versions: Versions) -> Worker {
    let (jobs, wanted) = unbounded();
    let thread = std::thread::spawn(move || run(host, &wanted, &out, &versions));
    Worker { jobs, thread }
}

fn run(host: Host, wanted: &Receiver<Job>, out: &Sender<Message>, versions: &Versions) {
    let addresses: Addresses = (host.explanations)().into_iter().map(|one| (one.code, one.address)).collect();
    let mut ahead = Ahead::new();
    while let Ok(job) = wanted.recv() {
        // Only the last job of each document counts.
        let mut latest: Vec<(Arc<Document>, Kind)> = Vec::new();
        for job in std::iter::once(job).chain(wanted.try_iter()) {
            match job {
                Job::Opened(one) => {
                    let check = AssertUnwindSafe(|| check(one.uri.as_str(), &one.text, one.platform));
                    let checked = catch_unwind(check);
                    ahead.extend(checked.ok().map(|checked| (one.uri.as_str().to_owned(), (one, checked))));
                }
                Job::Check(document, kind) => {
                    latest.retain(|(other, _)| other.uri != document.uri);
                    latest.push((document, kind));
                }
            }
        }
        let is_current = |document: &Document| {
            let versions = versions.lock().unwrap_or_else(PoisonError::into_inner);
            versions.get(document.uri.as_str()) == Some(&document.version)
        };
        let mut pages = Vec::new();
        for (document, kind) in latest {
            let known = ahead.remove(document.uri.as_str());
            if !is_current(&document) {
                continue;
            }
            match kind {
                Kind::Text(platform) => {
                    // A defect of a check costs its findings, but not the server.
                    let found = catch_unwind(AssertUnwindSafe(|| of_text(&document, platform, known, &addresses)));
                    if let (Ok(found), true) = (found, is_current(&document))
                        && out.send(published(&document, found)).is_err()
                    {
                        return;
                    }
                }
                Kind::Page(path) => pages.push((document, path)),
            }
        }
        let found = catch_unwind(AssertUnwindSafe(|| of_pages(host, &pages, &addresses))).unwrap_or_default();
        for ((document, _), found) in pages.iter().zip(found).filter(|((document, _), _)| is_current(document)) {
            if out.send(published(document, found)).is_err() {
                return;
            }
        }
    }
}

/// Returns the findings of a text. `known` are those of an equal text, if it was just opened.
fn of_text(
    document: &Document,
    platform: Option<Platform>,
    known: Option<(Opened, Checked)>,
    addresses: &Addresses,
) -> Vec<Diagnostic> {
    let text = document.text();
    let known = known.filter(|(opened, _)| opened.text == text && opened.platform == platform);
    let checked = known.map_or_else(|| check(document.uri.as_str(), &text, platform), |(_, checked)| checked);
    let mut out = diagnostics(document, &checked.findings, addresses);
    if checked.parsed.is_some() {
        out.extend(unused(document, addresses));
    }
    out
}

/// Returns the findings of each page. All pages of a specification are read once for the whole
/// batch, not for each page. A finding of another file belongs to all pages.
fn of_pages(host: Host, pages: &[(Arc<Document>, PathBuf)], addresses: &Addresses) -> Vec<Vec<Diagnostic>> {
    let open = |(document, path): &(Arc<Document>, PathBuf)| OpenPage { path: path.clone(), text: document.text() };
    let open: Vec<OpenPage> = pages.iter().map(open).collect();
    if open.is_empty() {
        return Vec::new();
    }
    let found = (host.lint)(&open);
    let files: Vec<String> = open.iter().map(|page| page.path.display().to_string()).collect();
    let own = |file: &String| -> Vec<_> {
        found.iter().filter(|one| one.file == *file || !files.contains(&one.file)).cloned().collect()
    };
    pages.iter().zip(&files).map(|((document, _), file)| diagnostics(document, &own(file), addresses)).collect()
}

fn published(document: &Document, diagnostics: Vec<Diagnostic>) -> Message {
    publication(PublishDiagnosticsParams { uri: document.uri.clone(), diagnostics, version: Some(document.version) })
}

/// Returns the message that removes the findings of a closed document.
pub(crate) fn nothing(uri: Uri) -> Message {
    publication(PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None })
}

fn publication(params: PublishDiagnosticsParams) -> Message {
    Message::Notification(Notification::new(PublishDiagnostics::METHOD.to_owned(), params))
}
