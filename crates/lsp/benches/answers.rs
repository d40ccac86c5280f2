//! Times of all requests on texts of 10,000 lines, and of the findings after an edit.
//!
//! `cargo bench -p visakit-lsp` prints one line for each request: the longest time over several
//! places, each after an edit nearby, and its ratio to 50 ms.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use common::{Client, at};
use serde_json::{Value, json};

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
    let uri = "file:///long.visaasm";
    let mut session = Session { client: Client::start(&[], json!({ "platform": "xe2" })), uri, version: 1 };
    let start = Instant::now();
    session.client.open(uri, text);
    session.client.ask("textDocument/hover", at(uri, 0, 0)).unwrap();
    report("didOpen and first answer", start.elapsed());
    let start = Instant::now();
    session.client.findings(uri, 1);
    report("first findings", start.elapsed());
    session.findings(text);
    for method in [
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
    ] {
        session.request(text, method);
    }
    session.delta(text);
    assert!(session.client.end());
    println!();
}

fn report(what: &str, time: Duration) {
    let ratio = time.as_secs_f64() / WANTED.as_secs_f64();
    println!("  {what:28} {:8.2} ms  {ratio:5.2}", time.as_secs_f64() * 1e3);
}

/// Client with the document under test.
struct Session {
    client: Client,
    uri: &'static str,
    version: i64,
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

impl Session {
    /// Inserts a blank at the start of a line.
    fn edit(&mut self, line: usize) {
        self.version += 1;
        let place = json!({ "line": line, "character": 0 });
        let edit = json!([{ "range": { "start": place, "end": place }, "text": " " }]);
        self.client.change(self.uri, self.version, edit);
    }

    /// Prints the longest time of one request, each after an edit.
    fn request(&mut self, text: &str, method: &str) {
        let mut longest = Duration::ZERO;
        for (line, column) in places(text) {
            self.edit(line - 1);
            let mut params = at(self.uri, line, column);
            let window = json!({
                "range": { "start": { "line": line, "character": 0 }, "end": { "line": line + 60, "character": 0 } },
                "newName": "fresh",
                "options": { "tabSize": 4, "insertSpaces": true },
                "context": { "includeDeclaration": true, "triggerKind": 1, "diagnostics": self.diagnostics(line) },
            });
            params.as_object_mut().unwrap().extend(window.as_object().unwrap().clone());
            let start = Instant::now();
            // A refusal, such as a name that is not declared, is an answer.
            let _ = self.client.ask(&format!("textDocument/{method}"), params);
            longest = longest.max(start.elapsed());
        }
        report(method, longest);
    }

    /// Returns a finding whose correction is a declaration.
    fn diagnostics(&self, line: usize) -> Value {
        let range = json!({ "start": { "line": line, "character": 4 }, "end": { "line": line, "character": 60 } });
        let message = "expected a general variable, not `unknown`; did you mean `v1`?";
        json!([{ "range": range, "severity": 1, "code": "statement", "source": "visa", "message": message }])
    }

    /// Prints the longest time of a difference of semantic tokens after an edit.
    fn delta(&mut self, text: &str) {
        let mut longest = Duration::ZERO;
        let whole = json!({ "textDocument": { "uri": self.uri } });
        let mut last = self.client.ask("textDocument/semanticTokens/full", whole.clone()).unwrap();
        for (line, _) in places(text) {
            self.edit(line);
            let mut params = whole.clone();
            params["previousResultId"] = last["resultId"].clone();
            let start = Instant::now();
            last = self.client.ask("textDocument/semanticTokens/full/delta", params).unwrap();
            longest = longest.max(start.elapsed());
        }
        report("semanticTokens/full/delta", longest);
    }

    /// Prints the longest times from an edit to its findings: of a correct text, of a text with an
    /// error, and of the corrected text.
    fn findings(&mut self, text: &str) {
        let mut longest = [Duration::ZERO; 3];
        for (line, _) in places(text) {
            let old = text.lines().nth(line).unwrap();
            for (kind, new) in [format!("{old} "), format!("    unknown {old}"), old.to_owned()].iter().enumerate() {
                self.version += 1;
                let range = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 999 } });
                let start = Instant::now();
                self.client.change(self.uri, self.version, json!([{ "range": range, "text": new }]));
                self.client.findings(self.uri, self.version);
                longest[kind] = longest[kind].max(start.elapsed());
            }
        }
        for (what, time) in ["findings, correct edit", "findings, wrong edit", "findings, corrected"].iter().zip(longest) {
            report(what, time);
        }
    }
}
