//! Connection over two streams. A message that is no JSON is skipped and ends nothing.

use std::io::{self, BufRead, Read as _, Write};
use std::thread::{JoinHandle, spawn};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, Message, RequestId};
use serde::Serialize;
use serde_json::Value;

/// Threads of a connection.
pub struct Threads {
    reader: JoinHandle<()>,
    writer: JoinHandle<io::Result<()>>,
}

/// Connects two streams. Returns the connection, and its threads.
pub fn connect(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> (Connection, Threads) {
    let (to_client, sent) = unbounded();
    let (received, from_client) = unbounded();
    let reader = spawn(move || read(input, &received));
    let writer = spawn(move || write(output, &sent));
    (Connection { sender: to_client, receiver: from_client }, Threads { reader, writer })
}

impl Threads {
    /// Waits until all messages are written; the connection must have been dropped.
    ///
    /// # Errors
    /// Writing failed.
    pub fn join(self) -> io::Result<()> {
        // A client that does not close its stream keeps the reader waiting; the process may end.
        drop(self.reader);
        self.writer.join().unwrap_or(Ok(()))
    }
}

/// Maximum length of a message in bytes.
const LONGEST: usize = 1 << 28;

/// Maximum length of a header line in bytes.
const HEADER: u64 = 4096;

fn read(mut input: impl BufRead, out: &Sender<Message>) {
    while let Ok(Some(body)) = body(&mut input) {
        // A body that is no message is skipped; the next message follows it.
        if let Ok(message) = serde_json::from_slice(&body)
            && out.send(message).is_err()
        {
            return;
        }
    }
}

/// Reads the body of a message; `None` at the end of the stream. Header lines that are no headers
/// are skipped.
fn body(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let header = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        match header {
            Some((_, value)) => length = value.trim().parse::<usize>().ok().filter(|length| *length <= LONGEST),
            None if line.trim().is_empty() && length.is_some() => break,
            None => {}
        }
    }
    let mut body = vec![0; length.unwrap_or(0)];
    input.read_exact(&mut body)?;
    Ok(Some(body))
}

fn write(mut output: impl Write, messages: &Receiver<Message>) -> io::Result<()> {
    let mut bytes = Vec::new();
    for message in messages {
        let body = serde_json::to_vec(&Body::of(&message))?;
        bytes.clear();
        write!(bytes, "Content-Length: {}\r\n\r\n", body.len())?;
        bytes.extend_from_slice(&body);
        output.write_all(&bytes)?;
        output.flush()?;
    }
    Ok(())
}

/// Message in the protocol's form. Writing it here rather than in `lsp-server` keeps the long loop
/// over semantic tokens in this crate, which release builds optimise.
#[derive(Serialize)]
struct Body<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RequestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a lsp_server::ResponseError>,
}

impl<'a> Body<'a> {
    fn of(message: &'a Message) -> Self {
        let empty = Self { jsonrpc: "2.0", id: None, method: None, params: None, result: None, error: None };
        // Absent parameters are `Null`, which the protocol does not allow as a value.
        let given = |params: &'a Value| Some(params).filter(|params| !params.is_null());
        match message {
            Message::Request(one) => {
                Self { id: Some(&one.id), method: Some(&one.method), params: given(&one.params), ..empty }
            }
            Message::Notification(one) => Self { method: Some(&one.method), params: given(&one.params), ..empty },
            Message::Response(one) => match &one.response_result {
                Ok(result) => Self { id: Some(&one.id), result: Some(result), ..empty },
                Err(error) => Self { id: Some(&one.id), error: Some(error), ..empty },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_messages_are_skipped() {
        let message = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
        let good = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let all = [message("{"), "noise\r\n".to_owned(), message("[1]"), message(good)].concat();
        let (out, received) = unbounded();
        read(all.as_bytes(), &out);
        drop(out);
        let methods: Vec<_> = received.iter().map(|message| matches!(message, Message::Notification(_))).collect();
        assert_eq!(methods, [true]);
    }

    /// The messages are those of `lsp-server`, which reads them back.
    #[test]
    fn written_messages_are_read_back() {
        use lsp_server::{Notification, Request, Response};
        let all = [
            Message::Request(Request::new(1.into(), "a".to_owned(), serde_json::json!({ "b": [1, -2.5, "é\"\n"] }))),
            Message::Request(Request::new("x".to_owned().into(), "a".to_owned(), Value::Null)),
            Message::Notification(Notification::new("n".to_owned(), serde_json::json!({ "c": null }))),
            Message::Response(Response::new_ok(2.into(), Value::Null)),
            Message::Response(Response::new_ok(3.into(), serde_json::json!([true]))),
            Message::Response(Response::new_err(4.into(), -32600, "wrong".to_owned())),
        ];
        let (out, messages) = unbounded();
        all.iter().for_each(|message| out.send(message.clone()).unwrap());
        drop(out);
        let mut bytes = Vec::new();
        write(&mut bytes, &messages).unwrap();
        let mut expected = Vec::new();
        all.iter().for_each(|message| message.write(&mut expected).unwrap());
        let (out, received) = unbounded();
        read(bytes.as_slice(), &out);
        drop(out);
        let shown = |messages: &[Message]| messages.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>();
        assert_eq!(shown(&received.iter().collect::<Vec<_>>()), shown(&all));
        assert_eq!(bytes.len(), expected.len());
    }

    #[test]
    fn long_lengths_are_not_allocated() {
        let (out, received) = unbounded();
        read("Content-Length: 99999999999999\r\n\r\n{}".as_bytes(), &out);
        drop(out);
        assert_eq!(received.iter().count(), 0);
    }
}
