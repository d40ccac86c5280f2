//! Thread that computes findings and publishes them.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Message, Notification};
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{PublishDiagnosticsParams, Uri};
use visakit::isa::Platform;

use crate::document::Document;
use crate::findings::check;
use crate::host::{Host, OpenPage};
use crate::publish::{Addresses, diagnostics, unused};

/// Document whose findings are wanted.
pub(crate) enum Job {
    /// An assembly text, with the platform of its rules.
    Text(Arc<Document>, Option<Platform>),
    /// A page of a specification.
    Page(Arc<Document>, PathBuf),
}

impl Job {
    fn document(&self) -> &Arc<Document> {
        match self {
            Self::Text(document, _) | Self::Page(document, _) => document,
        }
    }
}

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
    let mut open = Vec::new();
    while let Ok(job) = wanted.recv() {
        open.push(job);
        open.extend(wanted.try_iter());
        // Only the last job of each document counts.
        let mut latest: Vec<Job> = Vec::new();
        for job in open.drain(..).rev() {
            if !latest.iter().any(|one| one.document().uri == job.document().uri) {
                latest.push(job);
            }
        }
        for job in latest.into_iter().rev() {
            let is_current = |job: &Job| {
                let versions = versions.lock().unwrap_or_else(PoisonError::into_inner);
                versions.get(job.document().uri.as_str()) == Some(&job.document().version)
            };
            if !is_current(&job) {
                continue;
            }
            // A defect of a check costs its findings, but not the server.
            let found = catch_unwind(AssertUnwindSafe(|| findings(host, &job, &addresses)));
            if let (Ok(params), true) = (found, is_current(&job))
                && out.send(publication(params)).is_err()
            {
                return;
            }
        }
    }
}

fn findings(host: Host, job: &Job, addresses: &Addresses) -> PublishDiagnosticsParams {
    let document = job.document();
    let text = document.text();
    let diagnostics = match job {
        Job::Text(document, platform) => {
            let checked = check(document.uri.as_str(), &text, *platform);
            let mut out = diagnostics(document, &checked.findings, addresses);
            if checked.parsed.is_some() {
                out.extend(unused(document, addresses));
            }
            out
        }
        Job::Page(document, path) => {
            let found = (host.lint)(&[OpenPage { path: path.clone(), text }]);
            diagnostics(document, &found, addresses)
        }
    };
    PublishDiagnosticsParams { uri: document.uri.clone(), diagnostics, version: Some(document.version) }
}

/// Returns the message that removes the findings of a closed document.
pub(crate) fn nothing(uri: Uri) -> Message {
    publication(PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None })
}

fn publication(params: PublishDiagnosticsParams) -> Message {
    Message::Notification(Notification::new(PublishDiagnostics::METHOD.to_owned(), params))
}
