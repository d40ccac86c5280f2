//! Random edits and requests: incremental and full synchronisation agree, and the server survives.

mod common;

use arbtest::arbitrary::{Result as Drawn, Unstructured};
use arbtest::arbtest;
use common::Client;
use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use serde_json::{Value, json};
use visakit_lsp::document::Document;
use visakit_lsp::position::Encoding;

/// Pieces of texts: words of the syntax, fragments and noise.
const PIECES: [&str; 40] = [
    "add",
    " (M1, 8) ",
    "V32(0,0)<1>",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "/*",
    "*/",
    "//",
    " \\\n",
    "\"",
    "{",
    "}",
    ".decl x ",
    "v_type=G type=f num_elts=8",
    ".kernel \"k\"\n",
    ".version 4.1\n",
    ".function \"s\"\n",
    "L1:\n",
    "(P1) ",
    "jmp (M1, 1) L1\n",
    "    ret (M1, 1)\n",
    "é",
    "😀",
    "\u{0}",
    "<8;8,1>",
    ":ud",
    "-1",
    "0xffffffffffffffffff",
    "%null",
    "..",
    "(",
    ")",
    ".",
    "lsc_load.ugm (M1, 1) x:d32 flat[y]:a64\n",
    "\t",
    "alias=<x, 4>",
    ".implicit_",
    "call (M1, 1) s\n",
];

/// Requests with only a document and a position or a range.
const METHODS: [&str; 14] = [
    "hover",
    "completion",
    "definition",
    "references",
    "documentHighlight",
    "prepareRename",
    "rename",
    "documentSymbol",
    "foldingRange",
    "inlayHint",
    "formatting",
    "rangeFormatting",
    "semanticTokens/full",
    "semanticTokens/range",
];

fn text(u: &mut Unstructured<'_>, most: usize) -> Drawn<String> {
    let mut out = String::new();
    for _ in 0..u.int_in_range(0..=most)? {
        out.push_str(u.choose(&PIECES)?);
    }
    Ok(out)
}

fn position(u: &mut Unstructured<'_>) -> Drawn<Position> {
    Ok(Position::new(u.int_in_range(0..=25)?, u.int_in_range(0..=40)?))
}

fn range(u: &mut Unstructured<'_>) -> Drawn<Range> {
    Ok(Range::new(position(u)?, position(u)?))
}

/// Returns the byte of a position by the definition of the protocol, without the document's index.
fn byte(text: &str, encoding: Encoding, position: Position) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        let rest = &text[start..];
        let Some(end) = rest.find(['\n', '\r']) else { return text.len() };
        start += end + if rest[end..].starts_with("\r\n") { 2 } else { 1 };
    }
    let line = text[start..].split(['\n', '\r']).next().unwrap();
    let mut left = position.character as usize;
    for (at, c) in line.char_indices() {
        let units = match encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        };
        if left < units {
            return start + at;
        }
        left -= units;
    }
    start + line.len()
}

#[test]
fn incremental_and_full_synchronisation_agree() {
    let uri: lsp_types::Uri = "file:///k.visaasm".parse().unwrap();
    let mut edits = 0;
    arbtest(|u| {
        let encoding = *u.choose(&[Encoding::Utf8, Encoding::Utf16, Encoding::Utf32])?;
        let mut expected = text(u, 30)?;
        let mut document = Document::new(uri.clone(), 0, &expected, encoding);
        for version in 1..=u.int_in_range(1..=6)? {
            let (range, with) = (range(u)?, text(u, 4)?);
            let (a, b) = (byte(&expected, encoding, range.start), byte(&expected, encoding, range.end));
            expected.replace_range(a.min(b)..a.max(b), &with);
            let change = TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: with };
            document.apply(version, vec![change]);
            edits += 1;
            let whole = Document::new(uri.clone(), version, &expected, encoding);
            assert_eq!(document.text(), expected);
            assert_eq!(document.chunks(), whole.chunks(), "{expected:?}");
            assert_eq!((document.line_count(), document.whole()), (whole.line_count(), whole.whole()));
            let shapes = |one: &Document| format!("{:?} {:?}", one.outline().declarations, one.outline().blocks);
            assert_eq!(shapes(&document), shapes(&whole));
            // A position of a place names the same place again.
            let place = document.place(position(u)?);
            let again = document.place(document.position(place));
            assert_eq!(document.position(again), document.position(place), "{expected:?} {place:?}");
        }
        Ok(())
    })
    .budget_ms(4000);
    assert!(edits > 300, "{edits} edits");
}

/// Parameters of a random request.
fn params(u: &mut Unstructured<'_>, uri: &str) -> Drawn<Value> {
    let (at, over) = (position(u)?, range(u)?);
    Ok(json!({
        "textDocument": { "uri": uri },
        "position": at,
        "range": over,
        "newName": "fresh",
        "options": { "tabSize": 4, "insertSpaces": true },
        "context": { "includeDeclaration": true, "diagnostics": [], "triggerKind": 1 },
    }))
}

#[test]
fn the_server_survives_random_edits_and_requests() {
    let uri = "file:///k.visaasm";
    let mut client = Client::start(&["utf-16"], json!({ "platform": "dg2" }));
    let mut expected =
        String::from(".version 4.1\n.kernel \"k\"\n.decl x v_type=G type=f num_elts=8\n    ret (M1, 1)\n");
    client.open(uri, &expected);
    let mut seed = visakit_testing::Random(43);
    let mut bytes = vec![0; 1 << 20];
    bytes.iter_mut().for_each(|byte| *byte = seed.below(256) as u8);
    let mut u = Unstructured::new(&bytes);
    let rounds = 3000;
    for version in 2..rounds + 2 {
        let (range, with) = (range(&mut u).unwrap(), text(&mut u, 3).unwrap());
        let (a, b) = (byte(&expected, Encoding::Utf16, range.start), byte(&expected, Encoding::Utf16, range.end));
        expected.replace_range(a.min(b)..a.max(b), &with);
        if expected.len() > 3000 {
            expected.truncate(0);
            client.change(uri, version, json!([{ "text": "" }]));
        } else {
            client.change(uri, version, json!([{ "range": range, "text": with }]));
        }
        let method = u.choose(&METHODS).unwrap();
        let answer = client.ask(&format!("textDocument/{method}"), params(&mut u, uri).unwrap());
        // Refusals have their own code; a defect of the server has another one.
        assert!(
            answer.as_ref().map_or_else(|(code, _)| *code == -32803, |_| true),
            "{method}: {answer:?}\n{expected:?}"
        );
    }
    let last = rounds + 2;
    client.change(uri, last, json!([{ "text": expected }]));
    let incremental = client.findings(uri, last);
    let fresh = "file:///other.visaasm";
    client.open(fresh, &expected);
    assert_eq!(client.findings(fresh, 1), incremental);
    assert!(client.end());
}
