//! Main loop: the dispatch of messages.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self as said, Notification as _};
use lsp_types::request::{self as lsp, Request as _};
use lsp_types::{CodeActionOrCommand, InitializeParams, TextDocumentIdentifier};
use serde_json::Value;

use crate::document::Document;
use crate::host::Host;
use crate::position::Encoding;
use crate::state::{Failure, State};
use crate::worker::{Versions, Worker, nothing, start};
use crate::{actions, page_requests, requests};

/// Serves a client until it sends `exit` or its stream ends. Returns true after an orderly
/// shutdown.
pub fn serve(connection: Connection, host: Host) -> bool {
    let Ok((id, params)) = connection.initialize_start() else { return false };
    let params: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let offered = params.capabilities.general.as_ref().and_then(|general| general.position_encodings.clone());
    let encoding = Encoding::negotiate(&offered.unwrap_or_default());
    let answer = serde_json::json!({
        "capabilities": crate::host::capabilities(encoding),
        "serverInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
    });
    if connection.initialize_finish(id, answer).is_err() {
        return false;
    }
    let versions = Versions::default();
    let worker = start(host, connection.sender.clone(), versions.clone());
    let mut state = State {
        encoding,
        platform: None,
        documents: HashMap::new(),
        colours: HashMap::new(),
        next_colours: 0,
        versions,
        worker,
        out: connection.sender.clone(),
    };
    state.configure(params.initialization_options.as_ref());
    let orderly = state.run(&connection);
    let Worker { jobs, thread } = state.worker;
    drop(jobs);
    // A panic of the thread has no further effect: its findings were published or are lost.
    let _ = thread.join();
    orderly
}

impl State {
    fn run(&mut self, connection: &Connection) -> bool {
        let mut queue: VecDeque<Message> = VecDeque::new();
        let mut is_shut_down = false;
        loop {
            let Some(message) = queue.pop_front().or_else(|| connection.receiver.recv().ok()) else {
                return is_shut_down;
            };
            queue.extend(connection.receiver.try_iter());
            match message {
                Message::Request(request) => {
                    let response = match request.method.as_str() {
                        _ if is_shut_down => error(request.id, ErrorCode::InvalidRequest, "the server is shut down"),
                        _ if is_cancelled(&request.id, &queue) => {
                            error(request.id, ErrorCode::RequestCanceled, "cancelled by the client")
                        }
                        lsp::Shutdown::METHOD => {
                            is_shut_down = true;
                            Response::new_ok(request.id, Value::Null)
                        }
                        _ => self.answer(request),
                    };
                    if connection.sender.send(Message::Response(response)).is_err() {
                        return is_shut_down;
                    }
                }
                Message::Notification(notification) if notification.method == said::Exit::METHOD => {
                    return is_shut_down;
                }
                // A defect costs one notification, but not the server.
                Message::Notification(notification) => {
                    let _ = catch_unwind(AssertUnwindSafe(|| self.note(notification)));
                }
                Message::Response(_) => {}
            }
        }
    }

    /// Answers a request. A panic becomes an error of this request.
    fn answer(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        let answered = catch_unwind(AssertUnwindSafe(|| self.dispatch(request)));
        answered.unwrap_or_else(|_| error(id, ErrorCode::InternalError, "a defect of the server; please report it"))
    }

    fn dispatch(&mut self, request: Request) -> Response {
        match request.method.as_str() {
            lsp::HoverRequest::METHOD => self.reply::<lsp::HoverRequest>(request, |state, params| {
                let at = params.text_document_position_params.clone();
                match state.page(&at.text_document.uri) {
                    Some((document, path)) => Ok(page_requests::hover(state, &document, &path, at.position)),
                    None => requests::hover(state, &at.text_document.uri, &params),
                }
            }),
            lsp::GotoDefinition::METHOD => self.reply::<lsp::GotoDefinition>(request, |state, params| {
                let at = params.text_document_position_params.clone();
                match state.page(&at.text_document.uri) {
                    Some((document, path)) => Ok(page_requests::definition(state, &document, &path, at.position)),
                    None => requests::definition(state, &at.text_document.uri, &params),
                }
            }),
            lsp::DocumentLinkRequest::METHOD => self.reply::<lsp::DocumentLinkRequest>(request, |state, params| {
                let page = state.page(&params.text_document.uri);
                Ok(page.map(|(document, path)| page_requests::links(&document, &path)))
            }),
            lsp::CodeActionRequest::METHOD => self.reply::<lsp::CodeActionRequest>(request, |state, params| {
                let document = state.document(&params.text_document.uri)?;
                let actions = actions::actions(&document, &params.context.diagnostics);
                Ok(Some(actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()))
            }),
            _ => self.dispatch_text(request),
        }
    }

    /// Dispatches the requests that only texts have. Pages get empty answers.
    fn dispatch_text(&mut self, request: Request) -> Response {
        macro_rules! dispatch {
            ($($kind:ident: $uri:expr => $answer:path;)*) => {
                match request.method.as_str() {
                    $(lsp::$kind::METHOD => self.reply::<lsp::$kind>(request, |state, params| {
                        let uri: fn(&<lsp::$kind as lsp::Request>::Params) -> &TextDocumentIdentifier = $uri;
                        let uri = uri(&params).uri.clone();
                        if state.page(&uri).is_some() { Ok(None) } else { $answer(state, &uri, &params) }
                    }),)*
                    method => {
                        let message = format!("`{method}` is not supported");
                        error(request.id, ErrorCode::MethodNotFound, &message)
                    }
                }
            };
        }
        dispatch! {
            Completion: |params| &params.text_document_position.text_document => requests::completion;
            References: |params| &params.text_document_position.text_document => requests::references;
            DocumentHighlightRequest: |params| &params.text_document_position_params.text_document => requests::highlight;
            PrepareRenameRequest: |params| &params.text_document => requests::prepare_rename;
            Rename: |params| &params.text_document_position.text_document => requests::rename;
            DocumentSymbolRequest: |params| &params.text_document => requests::symbols;
            FoldingRangeRequest: |params| &params.text_document => requests::folding;
            InlayHintRequest: |params| &params.text_document => requests::hints;
            Formatting: |params| &params.text_document => requests::formatting;
            RangeFormatting: |params| &params.text_document => requests::range_formatting;
            SemanticTokensFullRequest: |params| &params.text_document => requests::colours;
            SemanticTokensFullDeltaRequest: |params| &params.text_document => requests::colour_delta;
            SemanticTokensRangeRequest: |params| &params.text_document => requests::colour_range;
        }
    }

    fn reply<R: lsp::Request>(
        &mut self,
        request: Request,
        answer: impl FnOnce(&mut Self, R::Params) -> Result<R::Result, Failure>,
    ) -> Response {
        let params = match serde_json::from_value::<R::Params>(request.params) {
            Ok(params) => params,
            Err(wrong) => return error(request.id, ErrorCode::InvalidParams, &wrong.to_string()),
        };
        match answer(self, params) {
            Ok(result) => Response::new_ok(request.id, result),
            Err(failure) => error(request.id, failure.code, &failure.message),
        }
    }

    fn note(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            said::DidOpenTextDocument::METHOD => {
                let Ok(params) = serde_json::from_value::<lsp_types::DidOpenTextDocumentParams>(params) else {
                    return;
                };
                let one = params.text_document;
                self.announce(&one.uri, &one.text);
                self.put(Document::new(one.uri, one.version, &one.text, self.encoding));
            }
            said::DidChangeTextDocument::METHOD => {
                let Ok(params) = serde_json::from_value::<lsp_types::DidChangeTextDocumentParams>(params) else {
                    return;
                };
                let one = params.text_document;
                let Some(known) = self.documents.remove(one.uri.as_str()) else { return };
                let mut document = Arc::unwrap_or_clone(known);
                document.apply(one.version, params.content_changes);
                self.put(document);
            }
            said::DidCloseTextDocument::METHOD => {
                let Ok(params) = serde_json::from_value::<lsp_types::DidCloseTextDocumentParams>(params) else {
                    return;
                };
                let uri = params.text_document.uri;
                self.documents.remove(uri.as_str());
                self.colours.remove(uri.as_str());
                self.versions.lock().unwrap_or_else(PoisonError::into_inner).remove(uri.as_str());
                // The client is gone if sending fails; the main loop notices.
                let _ = self.out.send(nothing(uri));
            }
            said::DidChangeConfiguration::METHOD => {
                self.configure(params.get("settings"));
                let all: Vec<_> = self.documents.values().cloned().collect();
                all.into_iter().for_each(|document| self.check(document));
            }
            _ => {}
        }
    }
}

/// Returns true if a notification in the queue cancels a request.
fn is_cancelled(id: &RequestId, queue: &VecDeque<Message>) -> bool {
    let id = serde_json::to_value(id).unwrap_or_default();
    queue.iter().any(|message| match message {
        Message::Notification(one) => one.method == said::Cancel::METHOD && one.params.pointer("/id") == Some(&id),
        _ => false,
    })
}

fn error(id: RequestId, code: ErrorCode, message: &str) -> Response {
    Response::new_err(id, code as i32, message.to_owned())
}
