//! Connection over two streams. A message that is no JSON is skipped and ends nothing.

use std::io::{self, BufRead, Read as _, Write};
use std::thread::{JoinHandle, spawn};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, Message};

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
    messages.iter().try_for_each(|message| message.write(&mut output))
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

    #[test]
    fn long_lengths_are_not_allocated() {
        let (out, received) = unbounded();
        read("Content-Length: 99999999999999\r\n\r\n{}".as_bytes(), &out);
        drop(out);
        assert_eq!(received.iter().count(), 0);
    }
}
