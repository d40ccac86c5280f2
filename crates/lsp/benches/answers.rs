//! Times of all requests on texts of 10,000 lines, and of the findings after an edit.
//!
//! `cargo bench -p visakit-lsp` prints one line for each request: the median and the longest time
//! over several places, each after an edit nearby, and the ratio of the longest time to 50 ms.
//! Messages pass through pipes as JSON, as they do between an editor and `visa lsp`. An argument
//! such as `hover` selects requests.

#[path = "../tests/common/methods.rs"]
mod methods;

use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::time::{Duration, Instant};

use methods::METHODS;
use serde_json::{Value, json};
use visakit_lsp::transport::connect;
use visakit_lsp::{Host, serve};

/// Lines of each text.
const LINES: usize = 10_000;

/// Time within which an editor expects an answer.
const WANTED: Duration = Duration::from_millis(50);

fn main() {
    // Other arguments are those of the test harness.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    measure("one kernel of generated statements", &generated());
    measure("committed kernels of a compiler", &compiled());
}

/// Returns a text with one long kernel.
fn generated() -> String {
    let mut text = String::from(".version 4.1\n.kernel \"k\"\n");
    for i in 0..300 {
        text += &format!(".decl v{i} v_type=G type=f num_elts=16 align=GRF\n");
    }
    text += ".decl p1 v_type=P num_elts=16\n";
    for i in 0..LINES - 304 {
        let (a, b, c) = (i % 300, (i * 7) % 300, (i * 13) % 300);
        text += &match i % 4 {
            0 => format!("    add (M1, 16) v{a}(0,0)<1> v{b}(0,0)<1;1,0> v{c}(0,0)<1;1,0>\n"),
            1 => format!("    mad (M1, 16) v{a}(0,0)<1> v{b}(0,0)<1;1,0> v{c}(0,0)<1;1,0> 0x40000000:f // c\n"),
            2 => format!("    cmp.gt (M1, 16) p1 v{a}(0,0)<1;1,0> v{b}(0,0)<1;1,0>\n"),
            _ => format!("    (p1) mov (M1, 16) v{a}(0,0)<1> v{b}(0,0)<1;1,0>\n"),
        };
    }
    text + "    ret (M1, 1)\n"
}

/// Returns a text with the compiled kernels of the examples, one after another.
fn compiled() -> String {
    let texts = visakit_testing::compiled_texts();
    let mut out = String::new();
    let mut lines = 0;
    for (_, platform, text) in texts.iter().cycle() {
        if lines + text.lines().count() > LINES {
            break;
        }
        if platform == &texts[0].1 {
            out += text;
            lines += text.lines().count();
        }
    }
    out
}

/// Prints the times of one text.
fn measure(title: &str, text: &str) {
    println!("{title}: {} lines, {} bytes", text.lines().count(), text.len());
    let mut session = Session::start();
    let start = Instant::now();
    let document = json!({ "uri": URI, "languageId": "visaasm", "version": 1, "text": text });
    session.note("textDocument/didOpen", json!({ "textDocument": document }));
    session.ask("hover", at(0, 0));
    report("didOpen and first answer", vec![start.elapsed()]);
    session.findings(1);
    report("first findings", vec![start.elapsed()]);
    session.edits(text);
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for method in METHODS {
        if wanted.is_empty() || wanted.iter().any(|one| method.contains(one)) {
            session.request(text, method);
        }
    }
    if !wanted.is_empty() {
        return println!();
    }
    session.delta(text);
    println!();
}

/// Prints the median and the longest of some times.
fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let (Some(median), Some(longest)) = (times.get(times.len() / 2), times.last()) else { return };
    let milliseconds = |time: &Duration| time.as_secs_f64() * 1e3;
    let ratio = longest.as_secs_f64() / WANTED.as_secs_f64();
    println!("  {what:28} {:8.2} ms {:8.2} ms  {ratio:5.2}", milliseconds(median), milliseconds(longest));
}

/// Address of the document.
const URI: &str = "file:///long.visaasm";

/// Returns the parameters of a request about a position.
fn at(line: usize, character: usize) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
}

/// Returns the places of the measurement: lines all over the text with a word in them.
fn places(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let word = |line: &usize| {
        let start = lines[*line].rfind(") ")? + 2;
        let rest = &lines[*line][start..];
        rest.starts_with(|c: char| c.is_ascii_alphabetic()).then_some((*line, start + 1))
    };
    (1..12).filter_map(|part| (part * lines.len() / 12..lines.len()).find_map(|line| word(&line))).collect()
}

/// Client with the document under test.
struct Session {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    version: i64,
    /// Published findings, which are read when they are needed.
    published: Vec<Vec<u8>>,
}

impl Session {
    /// Starts a server on a thread and initialises it.
    fn start() -> Self {
        let (from_client, input) = pipe().expect("a pipe");
        let (output, to_client) = pipe().expect("a pipe");
        std::thread::spawn(move || {
            let (connection, threads) = connect(BufReader::new(from_client), to_client);
            serve(connection, Host { explanations: Vec::new, lint: |_| Vec::new() });
            threads.join()
        });
        let mut out = Self { input, output: BufReader::new(output), version: 1, published: Vec::new() };
        let params = json!({ "capabilities": {}, "initializationOptions": { "platform": "xe2" } });
        out.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
        while !out.receive() {}
        out.note("initialized", json!({}));
        out
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the server reads");
    }

    fn note(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Reads one message; returns true for an answer.
    fn receive(&mut self) -> bool {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("the server writes") > 0, "the server has ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a length"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the whole message");
        let is_findings = |body: &[u8]| body.windows(18).take(80).any(|part| part == b"publishDiagnostics");
        if !is_findings(&body) {
            return true;
        }
        self.published.push(body);
        false
    }

    /// Sends a request and waits for its answer, which may be a refusal.
    fn ask(&mut self, method: &str, params: Value) {
        self.send(
            &json!({ "jsonrpc": "2.0", "id": 2, "method": format!("textDocument/{method}"), "params": params }),
        );
        while !self.receive() {}
    }

    /// Waits for the findings of a version.
    fn findings(&mut self, version: i64) -> Vec<Value> {
        loop {
            for body in self.published.drain(..) {
                let found: Value = serde_json::from_slice(&body).expect("JSON");
                if found["params"]["version"] == version {
                    return found["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
                }
            }
            self.receive();
        }
    }

    /// Replaces a part of a line.
    fn edit(&mut self, line: usize, columns: [usize; 2], with: &str) {
        self.version += 1;
        let [start, end] = columns.map(|character| json!({ "line": line, "character": character }));
        let edit = json!([{ "range": { "start": start, "end": end }, "text": with }]);
        let document = json!({ "uri": URI, "version": self.version });
        self.note("textDocument/didChange", json!({ "textDocument": document, "contentChanges": edit }));
    }

    /// Prints the times of one request. The time includes the edit before it.
    fn request(&mut self, text: &str, method: &str) {
        let mut times = Vec::new();
        for (line, column) in places(text) {
            let mut params = at(line, column);
            let window = json!({
                "range": { "start": { "line": line, "character": 0 }, "end": { "line": line + 60, "character": 0 } },
                "newName": "fresh",
                "options": { "tabSize": 4, "insertSpaces": true },
                "context": { "includeDeclaration": true, "triggerKind": 1, "diagnostics": wrong(line) },
            });
            params.as_object_mut().unwrap().extend(window.as_object().unwrap().clone());
            let start = Instant::now();
            self.edit(line - 1, [0, 0], " ");
            self.ask(method, params);
            times.push(start.elapsed());
        }
        report(method, times);
    }

    /// Prints the times of a difference of semantic tokens after an edit.
    fn delta(&mut self, text: &str) {
        let mut times = Vec::new();
        self.ask("semanticTokens/full", at(0, 0));
        // The server numbers its answers; the requests above have had some.
        let places = places(text);
        let first = 1 + places.len();
        for (number, (line, _)) in (first..).zip(places) {
            let mut params = at(line, 0);
            params["previousResultId"] = json!(number.to_string());
            let start = Instant::now();
            self.edit(line, [0, 0], " ");
            self.ask("semanticTokens/full/delta", params);
            times.push(start.elapsed());
        }
        report("semanticTokens/full/delta", times);
    }

    /// Prints the times from an edit to its findings: of a correct text, of a text with an
    /// error, and of the corrected text.
    fn edits(&mut self, text: &str) {
        let mut times = [const { Vec::new() }; 3];
        for (line, _) in places(text) {
            let old = text.lines().nth(line).unwrap();
            for (kind, new) in [format!("{old} "), format!("    unknown {old}"), old.to_owned()].iter().enumerate() {
                let start = Instant::now();
                self.edit(line, [0, 999], new);
                let found = self.findings(self.version);
                times[kind].push(start.elapsed());
                let is_wrong = |one: &Value| one["code"] == "statement";
                assert_eq!(found.iter().any(is_wrong), kind == 1, "{found:?}");
            }
        }
        for (what, time) in
            ["findings, correct edit", "findings, wrong edit", "findings, corrected"].iter().zip(times)
        {
            report(what, time);
        }
    }
}

/// Returns a finding whose correction is a declaration.
fn wrong(line: usize) -> Value {
    let range = json!({ "start": { "line": line, "character": 4 }, "end": { "line": line, "character": 60 } });
    let message = "expected a general variable, not `unknown`; did you mean `v1`?";
    json!([{ "range": range, "severity": 1, "code": "statement", "source": "visa", "message": message }])
}
