//! Random edits and requests: the server survives them, and its answers are those of a server that
//! has just opened the same text.

mod common;

use arbtest::arbitrary::Unstructured;
use common::Client;
use common::methods::METHODS;
use common::noise::{byte, position, range, text};
use lsp_types::Range;
use serde_json::{Value, json};
use visakit_lsp::position::Encoding;

const URI: &str = "file:///k.visaasm";

/// Edits between two comparisons with a fresh server.
const STRETCH: usize = 50;

/// Longest text in bytes; a longer one is replaced.
const LONGEST: usize = 6000;

/// Code of a refusal, such as a rename of nothing; a defect of the server has another code.
const REFUSED: i32 = -32803;

#[test]
fn the_server_survives_random_edits() {
    storm(1500, 43);
}

#[test]
#[ignore = "a minute: 50,000 edits"]
fn the_server_survives_50_000_random_edits() {
    storm(50_000, 44);
}

/// Sends a number of random edits to servers of all encodings of positions.
fn storm(edits: usize, seed: u64) {
    let encodings = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];
    for (number, encoding) in encodings.into_iter().enumerate() {
        let mut storm = Storm::new(encoding);
        let mut random = visakit_testing::Random(seed + number as u64);
        let share = edits / encodings.len() + usize::from(number < edits % encodings.len());
        for at in 0..share {
            let bytes: Vec<u8> = (0..512).map(|_| random.below(256) as u8).collect();
            let mut u = Unstructured::new(&bytes);
            storm.edit(&mut u);
            storm.ask(&mut u);
            if at % STRETCH == STRETCH - 1 || at + 1 == share {
                storm.compare(&mut u);
            }
        }
        assert!(storm.client.end());
    }
}

/// Server with the text that its document should have.
struct Storm {
    client: Client,
    encoding: Encoding,
    text: String,
    /// Last version that was sent in order.
    version: i64,
    /// Last semantic tokens with their number.
    tokens: (Value, Vec<Value>),
}

impl Storm {
    fn new(encoding: Encoding) -> Self {
        let client = start(encoding);
        let out = Self { client, encoding, text: String::new(), version: 1, tokens: (Value::Null, Vec::new()) };
        out.client.open(URI, "");
        out
    }

    /// Changes the text in a random form.
    fn edit(&mut self, u: &mut Unstructured<'_>) {
        // A version that is out of order changes nothing else.
        let version = if u.ratio(1, 20).unwrap() { u.int_in_range(-3..=self.version).unwrap() } else { self.next() };
        if self.text.len() > LONGEST || u.ratio(1, 100).unwrap() {
            self.text = start_text(u);
            return self.client.change(URI, version, json!([{ "text": self.text }]));
        }
        match u.int_in_range(0..=40).unwrap() {
            // A server that is wrongly opened again has the new text.
            0 => {
                self.text = text(u, 30).unwrap();
                if u.ratio(1, 2).unwrap() {
                    self.client.note("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
                }
                self.client.open(URI, &self.text);
            }
            // Damaged messages, and those about other documents, change nothing.
            1 => self.client.note("textDocument/didChange", json!({ "textDocument": { "uri": URI } })),
            2 => self.client.change("file:///other", version, json!([{ "text": "add" }])),
            3 => {
                let ends = json!({ "start": { "line": 0, "character": -1 }, "end": { "line": 1, "character": 0 } });
                self.client.change(URI, version, json!([{ "range": ends, "text": "x" }]));
            }
            // The whole text is deleted by one range.
            4 => {
                let ends = json!({ "line": u32::MAX, "character": u32::MAX });
                let range = json!({ "start": { "line": 0, "character": 0 }, "end": ends });
                self.text.clear();
                self.client.change(URI, version, json!([{ "range": range, "text": "" }]));
            }
            5..8 => {
                let changes: Vec<Value> = (0..3).map(|_| self.change(u)).collect();
                self.client.change(URI, version, Value::Array(changes));
            }
            _ => {
                let change = self.change(u);
                self.client.change(URI, version, json!([change]));
            }
        }
    }

    fn next(&mut self) -> i64 {
        self.version += 1;
        self.version
    }

    /// Replaces a random range of the text. Returns the change in the protocol's form.
    fn change(&mut self, u: &mut Unstructured<'_>) -> Value {
        let (range, with) = (self.range(u), text(u, 3).unwrap());
        let (a, b) = (byte(&self.text, self.encoding, range.start), byte(&self.text, self.encoding, range.end));
        self.text.replace_range(a.min(b)..a.max(b), &with);
        json!({ "range": range, "text": with })
    }

    /// Returns a range: most are short, so that texts grow.
    fn range(&self, u: &mut Unstructured<'_>) -> Range {
        let mut range = range(u).unwrap();
        if u.ratio(4, 5).unwrap() {
            range.end = range.start;
            range.end.character += u.int_in_range(0..=6).unwrap();
        }
        range
    }

    /// Sends a random request.
    fn ask(&mut self, u: &mut Unstructured<'_>) {
        let method = *u.choose(&METHODS).unwrap();
        let params = params(u);
        let answer = self.client.ask(&format!("textDocument/{method}"), params);
        assert!(is_answer(&answer), "{method}: {answer:?}\n{:?}", self.text);
        self.follow_tokens();
    }

    /// Applies the difference of semantic tokens to those that the client has.
    fn follow_tokens(&mut self) {
        let params = json!({ "textDocument": { "uri": URI }, "previousResultId": self.tokens.0 });
        let params = if self.tokens.0.is_null() { json!({ "textDocument": { "uri": URI } }) } else { params };
        let suffix = if self.tokens.0.is_null() { "" } else { "/delta" };
        let found = self.client.ask(&format!("textDocument/semanticTokens/full{suffix}"), params).unwrap();
        if let Some(data) = found["data"].as_array() {
            self.tokens.1.clone_from(data);
        }
        for edit in found["edits"].as_array().into_iter().flatten() {
            let start = edit["start"].as_u64().unwrap() as usize;
            let end = start + edit["deleteCount"].as_u64().unwrap() as usize;
            self.tokens.1.splice(start..end, edit["data"].as_array().cloned().unwrap_or_default());
        }
        self.tokens.0 = found["resultId"].clone();
    }

    /// Compares all answers and findings with those of a server that opens the text.
    fn compare(&mut self, u: &mut Unstructured<'_>) {
        let mut fresh = start(self.encoding);
        fresh.open(URI, &self.text);
        let version = self.next();
        self.client.change(URI, version, json!([]));
        let expected = found(&mut fresh, 1);
        assert_eq!(found(&mut self.client, version), expected, "{:?}", self.text);
        for method in METHODS {
            let mut params = params(u);
            params["context"]["diagnostics"] = json!(expected);
            let name = format!("textDocument/{method}");
            let [mut ours, mut theirs] = [&mut self.client, &mut fresh].map(|one| one.ask(&name, params.clone()));
            assert!(is_answer(&ours), "{method}: {ours:?}\n{:?}", self.text);
            // Results are numbered by each server.
            if let (Ok(Value::Object(ours)), Ok(Value::Object(theirs))) = (&mut ours, &mut theirs) {
                assert_eq!(ours.remove("resultId").is_some(), theirs.remove("resultId").is_some());
                if method == "semanticTokens/full" {
                    self.tokens.0 = Value::Null;
                    assert_eq!(Some(&self.tokens.1), theirs["data"].as_array(), "{:?}", self.text);
                }
            }
            assert_eq!(ours, theirs, "{method} {params}\n{:?}", self.text);
        }
        assert!(fresh.end());
    }
}

fn start(encoding: Encoding) -> Client {
    Client::start(&[encoding.kind().as_str()], json!({ "platform": "dg2" }))
}

fn is_answer(answer: &Result<Value, (i32, String)>) -> bool {
    answer.as_ref().map_or_else(|(code, _)| *code == REFUSED, |_| true)
}

/// Waits for the findings of exactly one version.
fn found(client: &mut Client, version: i64) -> Vec<Value> {
    loop {
        let all = client.findings(URI, i64::MIN);
        if client.published[URI].0 == Some(version) {
            return all;
        }
        client.published.remove(URI);
    }
}

/// Returns the beginning of a text: nothing, pieces or a correct kernel, with some form of line
/// ends.
fn start_text(u: &mut Unstructured<'_>) -> String {
    let correct = ".version 4.1\n.kernel \"k\"\n.decl x v_type=G type=f num_elts=8 // é😀\n\
                   .decl p v_type=P num_elts=8\nL1:\n    add (M1, 8) x(0,0)<1> x(0,0)<8;8,1> x(0,0)<8;8,1>\n\
                   \x20   cmp.gt (M1, 8) p x(0,0)<8;8,1> 0x3f800000:f\n    (p) jmp (M1, 1) L1\n    ret (M1, 1)\n";
    match u.int_in_range(0..=3).unwrap() {
        0 => text(u, 40).unwrap(),
        1 => correct.replace('\n', "\r\n"),
        2 => String::new(),
        _ => correct.to_owned(),
    }
}

/// Returns the parameters of any request.
fn params(u: &mut Unstructured<'_>) -> Value {
    let (at, over) = (position(u).unwrap(), range(u).unwrap());
    json!({
        "textDocument": { "uri": URI },
        "position": at,
        "range": over,
        "newName": "fresh",
        "options": { "tabSize": 4, "insertSpaces": true },
        "context": { "includeDeclaration": true, "diagnostics": [], "triggerKind": 1 },
    })
}
