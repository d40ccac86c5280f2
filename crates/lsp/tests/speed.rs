//! Times of edits, answers and findings on a long text. They are printed, never checked.

mod common;

use std::time::Instant;

use common::{Client, at};
use serde_json::json;

/// Lines of instructions.
const LINES: usize = 10_000;

fn long() -> String {
    let mut text = String::from(".version 4.1\n.kernel \"k\"\n");
    for i in 0..300 {
        text += &format!(".decl v{i} v_type=G type=f num_elts=16 align=GRF\n");
    }
    text += ".decl p1 v_type=P num_elts=16\n";
    for i in 0..LINES {
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

#[test]
fn answers_on_a_long_text() {
    let uri = "file:///long.visaasm";
    let mut client = Client::start(&[], json!({ "platform": "xe2" }));
    let text = long();
    let start = Instant::now();
    client.open(uri, &text);
    client.ask("textDocument/hover", at(uri, 0, 0)).unwrap();
    println!("open: {:?}", start.elapsed());
    let start = Instant::now();
    client.findings(uri, 1);
    println!("findings: {:?}", start.elapsed());
    let whole = json!({ "textDocument": { "uri": uri } });
    let window = json!({ "start": { "line": 5000, "character": 0 }, "end": { "line": 5060, "character": 0 } });
    let mut of = |method: &str, extra: serde_json::Value| {
        let mut params = at(uri, 5001, 22);
        params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let mut worst = std::time::Duration::ZERO;
        for round in 0..5_i64 {
            let line = 4000 + round * 100;
            let place = json!({ "start": { "line": line, "character": 4 }, "end": { "line": line, "character": 4 } });
            client.change(uri, round + 2, json!([{ "range": place, "text": " " }]));
            let start = Instant::now();
            client.ask(&format!("textDocument/{method}"), params.clone()).unwrap();
            worst = worst.max(start.elapsed());
        }
        println!("{method}, after an edit: {worst:?}");
        assert!(worst > std::time::Duration::ZERO);
    };
    of("hover", json!({}));
    of("completion", json!({}));
    of("definition", json!({}));
    of("references", json!({ "context": { "includeDeclaration": true } }));
    of("inlayHint", json!({ "range": window }));
    of("semanticTokens/range", json!({ "range": window }));
    of("semanticTokens/full", whole.clone());
    of("documentSymbol", whole.clone());
    of("foldingRange", whole.clone());
    of("rename", json!({ "newName": "fresh" }));
    of("formatting", json!({ "options": { "tabSize": 4, "insertSpaces": true } }));
    let edit = json!([{ "range": window, "text": "" }]);
    let start = Instant::now();
    client.change(uri, 99, edit);
    client.findings(uri, 99);
    println!("findings after an edit: {:?}", start.elapsed());
    assert!(client.end());
}
