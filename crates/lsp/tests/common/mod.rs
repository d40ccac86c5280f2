//! Client of the server for tests.

#![allow(dead_code, reason = "not every test uses all of the client")]

pub(crate) mod methods;
pub(crate) mod noise;

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use visakit_lsp::{Explanation, Host, OpenPage, serve};

/// Functions of a program without pages.
pub(crate) const HOST: Host = Host { explanations, lint };

fn explanations() -> Vec<Explanation> {
    vec![Explanation { code: "type-map", address: "https://example.org/errors.md#type-map".to_owned() }]
}

/// Numbers of pages in the calls of [`lint`].
pub(crate) static LINTED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn lint(pages: &[OpenPage]) -> Vec<visakit_diag::Diagnostic> {
    LINTED.lock().unwrap().push(pages.len());
    // The first call lasts until the other pages of a test are open.
    if pages.iter().any(|page| page.text.contains("slow")) {
        std::thread::sleep(Duration::from_millis(500));
    }
    let wrong = |page: &OpenPage| {
        let at = page.text.find("wrong")?;
        let found = visakit_diag::Diagnostic::new("page", visakit_diag::Severity::Warning, "page", "unknown `wrong`");
        let found = found.help("did you mean `right`?").at_text(&page.text, at, at + 5);
        Some(visakit_diag::Diagnostic { file: page.path.display().to_string(), ..found })
    };
    pages.iter().filter_map(wrong).collect()
}

/// Client with a server on another thread.
pub(crate) struct Client {
    connection: Connection,
    server: JoinHandle<bool>,
    next: i32,
    /// Published findings by address.
    pub(crate) published: HashMap<String, (Option<i64>, Vec<Value>)>,
}

impl Client {
    /// Starts a server and initialises it.
    pub(crate) fn start(encodings: &[&str], options: Value) -> Self {
        let (server, connection) = Connection::memory();
        let server = std::thread::spawn(move || serve(server, HOST));
        let mut client = Self { connection, server, next: 0, published: HashMap::new() };
        let general = json!({ "positionEncodings": encodings });
        let params = json!({ "capabilities": { "general": general }, "initializationOptions": options });
        client.ask("initialize", params).unwrap();
        client.note("initialized", json!({}));
        client
    }

    /// Sends a notification.
    pub(crate) fn note(&self, method: &str, params: Value) {
        self.connection.sender.send(Message::Notification(Notification::new(method.to_owned(), params))).unwrap();
    }

    /// Sends a request without waiting for its answer.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        let request = Request::new(id.clone(), method.to_owned(), params);
        self.connection.sender.send(Message::Request(request)).unwrap();
        id
    }

    /// Waits for the answer of a request.
    pub(crate) fn wait(&mut self, id: &RequestId) -> Result<Value, (i32, String)> {
        loop {
            match self.receive() {
                Message::Response(Response { id: of, response_result }) if of == *id => {
                    return response_result.map_err(|error| (error.code, error.message));
                }
                Message::Response(other) => panic!("unexpected answer {other:?}"),
                _ => {}
            }
        }
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        let id = self.send(method, params);
        self.wait(&id)
    }

    fn receive(&mut self) -> Message {
        let message = self.connection.receiver.recv_timeout(Duration::from_secs(120)).expect("the server answers");
        if let Message::Notification(one) = &message
            && one.method == "textDocument/publishDiagnostics"
        {
            let uri = one.params["uri"].as_str().unwrap().to_owned();
            let found = one.params["diagnostics"].as_array().unwrap().clone();
            self.published.insert(uri, (one.params["version"].as_i64(), found));
        }
        message
    }

    /// Waits for the findings of a version of a document.
    pub(crate) fn findings(&mut self, uri: &str, version: i64) -> Vec<Value> {
        loop {
            if let Some((Some(published), found)) = self.published.get(uri)
                && *published >= version
            {
                return found.clone();
            }
            self.receive();
        }
    }

    /// Opens a document.
    pub(crate) fn open(&self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "visaasm", "version": 1, "text": text });
        self.note("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Changes a document.
    pub(crate) fn change(&self, uri: &str, version: i64, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.note("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Ends the server; returns true if the end was orderly.
    pub(crate) fn end(mut self) -> bool {
        self.ask("shutdown", Value::Null).unwrap();
        self.note("exit", Value::Null);
        drop(self.connection);
        self.server.join().unwrap()
    }
}

/// Returns the parameters of a request about a position.
pub(crate) fn at(uri: &str, line: usize, character: usize) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}
