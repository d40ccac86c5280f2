//! The server under a scripted client: each request on a small text.

mod common;

use common::{Client, at};
use serde_json::{Value, json};

const URI: &str = "file:///tmp/k.visaasm";

const TEXT: &str = "\
.version 4.1
.kernel \"k\"
.decl sum v_type=G type=f num_elts=8 align=GRF
.decl src v_type=G type=f num_elts=32 align=GRF // é😀
.decl p v_type=P num_elts=8
.decl idle v_type=G type=ud num_elts=8
.input src offset=64 size=128
begin:
    add (M1, 8) sum(0,0)<1> src(0,0)<8;8,1> src(1,0)<8;8,1>
    cmp.gt (M1, 8) p sum(0,0)<8;8,1> 0x3f800000:f
    (p) jmp (M1, 1) begin
    mov  (M1,8)   sum(0,0)<1>   src(0,0)<8;8,1>   // keep
    ret (M1, 1)
";

fn line(text: &str) -> usize {
    TEXT.lines().position(|line| line.contains(text)).unwrap()
}

fn started() -> Client {
    let mut client = Client::start(&["utf-16"], json!({ "platform": "xe2" }));
    client.open(URI, TEXT);
    let found = client.findings(URI, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    client
}

fn hover(client: &mut Client, line: usize, column: usize) -> String {
    let found = client.ask("textDocument/hover", at(URI, line, column)).unwrap();
    found["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn findings_while_typing() {
    let mut client = started();
    // The only finding of the correct text is a hint.
    let found = client.findings(URI, 1);
    assert_eq!((found[0]["code"].as_str(), found[0]["severity"].as_i64()), (Some("declaration-unused"), Some(4)));
    let range = json!({ "start": { "line": 8, "character": 4 }, "end": { "line": 8, "character": 7 } });
    client.change(URI, 2, json!([{ "range": range, "text": "ad" }]));
    let found = client.findings(URI, 2);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 8, "character": 4 }));
    assert_eq!(found[0]["code"], "statement");
    // The suggestion is a code action, which corrects the text.
    let context = json!({ "diagnostics": found });
    let params = json!({ "textDocument": { "uri": URI }, "range": found[0]["range"], "context": context });
    let actions = client.ask("textDocument/codeAction", params).unwrap();
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(edit["newText"], "add", "{actions}");
    client.change(URI, 3, json!([{ "range": edit["range"], "text": edit["newText"] }]));
    assert_eq!(client.findings(URI, 3).len(), 1);
    // Broken rules have links to their explanations.
    let range = json!({ "start": { "line": 9, "character": 48 }, "end": { "line": 9, "character": 49 } });
    client.change(URI, 4, json!([{ "range": range, "text": "ud" }]));
    let found = client.findings(URI, 4);
    let wrong = found.iter().find(|one| one["code"] == "type-map").unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(wrong["codeDescription"]["href"], "https://example.org/errors.md#type-map");
    client.note("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert!(client.end());
}

#[test]
fn hover_shows_the_pages() {
    let mut client = started();
    let add = hover(&mut client, line("add"), 5);
    assert!(
        add.contains("**ADD**") && add.contains("Adds the sources") && add.contains("spec/instructions/ADD.md"),
        "{add}"
    );
    let sum = hover(&mut client, line("add"), 17);
    assert!(sum.contains(".decl sum") && sum.contains("32 bytes") && sum.contains("line 3"), "{sum}");
    assert!(hover(&mut client, line("cmp"), 8).contains("Rel_op"), "relation");
    assert!(
        hover(&mut client, line("add"), 10).contains("Exec_mask")
            || hover(&mut client, line("add"), 10).contains("Exec_size")
    );
    assert!(hover(&mut client, line(".decl sum"), 2).contains("a variable"));
    assert!(hover(&mut client, line(".decl sum"), 12).contains("v_type="));
    assert!(hover(&mut client, line("cmp"), 42).contains("as f: 1.0"));
    assert!(hover(&mut client, line("jmp"), 21).contains("A label"));
    assert_eq!(hover(&mut client, line("ret"), 0), "");
    assert!(client.end());
}

#[test]
fn names_are_found_and_renamed() {
    let mut client = started();
    let found = client.ask("textDocument/definition", at(URI, line("add"), 17)).unwrap();
    assert_eq!(found["range"]["start"], json!({ "line": 2, "character": 6 }));
    let found = client.ask("textDocument/definition", at(URI, line("jmp"), 22)).unwrap();
    assert_eq!(found["range"]["start"], json!({ "line": 7, "character": 0 }));
    let mut params = at(URI, line("add"), 30);
    params["context"] = json!({ "includeDeclaration": true });
    let all = client.ask("textDocument/references", params).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 5, "{all}");
    let mut params = at(URI, line("add"), 30);
    params["newName"] = json!("input");
    let edits = client.ask("textDocument/rename", params.clone()).unwrap();
    assert_eq!(edits["changes"][URI].as_array().unwrap().len(), 5);
    for (name, reason) in [("sum", "already declared"), ("1a", "not a name"), ("M1", "would be wrong")] {
        params["newName"] = json!(name);
        let refused = client.ask("textDocument/rename", params.clone());
        match refused {
            Err((_, message)) => assert!(message.contains(reason), "{name}: {message}"),
            // A keyword that the parser accepts as a name is a name.
            Ok(_) => assert_eq!(name, "M1"),
        }
    }
    let refused = client.ask("textDocument/prepareRename", at(URI, line("add"), 5)).unwrap_err();
    assert!(refused.1.contains("not declared"), "{refused:?}");
    let marks = client.ask("textDocument/documentHighlight", at(URI, line("jmp"), 5)).unwrap();
    assert_eq!(marks.as_array().unwrap().len(), 3, "{marks}");
    assert!(client.end());
}

/// Returns the labels that completion proposes after the text of a new line.
fn proposals(client: &mut Client, version: i64, typed: &str) -> Vec<String> {
    let text = TEXT.replace("    ret (M1, 1)\n", &format!("{typed}\n"));
    client.change(URI, version, json!([{ "text": text }]));
    let found = client.ask("textDocument/completion", at(URI, line("ret"), typed.len())).unwrap();
    let items = found["items"].as_array().unwrap();
    items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn completion_follows_the_context() {
    let mut client = started();
    let has = |all: &[String], word: &str| all.iter().any(|one| one == word);
    let mut version = 1;
    let mut of = |typed: &str| {
        version += 1;
        proposals(&mut client, version, typed)
    };
    let all = of("    ");
    assert!(has(&all, "add") && has(&all, "lsc_load") && has(&all, ".decl"), "{all:?}");
    // Instructions that the platform does not have are left out.
    let xe2 = visakit::isa::Platform::from_name("xe2").unwrap();
    let has_page = |page: &visakit::rt::reflect::Page| {
        page.platforms.is_empty() || page.platforms.iter().any(|range| range.contains(xe2))
    };
    let is_missing = |word: &&&str| !visakit::isa::candidates(word).iter().any(|one| has_page(one.page));
    let missing: Vec<&str> = visakit::isa::MNEMONICS.iter().filter(is_missing).copied().collect();
    assert!(missing.len() > 3, "{missing:?}");
    for word in missing {
        assert!(!has(&all, word), "{word}: {all:?}");
    }
    let all = of("    add (");
    assert!(has(&all, "M1") && has(&all, "M5_NM"), "{all:?}");
    let all = of("    add (M1, 8) ");
    assert!(has(&all, "sum") && has(&all, "%sr0") && !has(&all, "p") && !has(&all, "begin"), "{all:?}");
    let all = of("    add (M1, 8) sum(0,0)<1> src(0,0)<8;8,1> 1:");
    assert!(has(&all, "ud") && has(&all, "hf") && !has(&all, "bool"), "{all:?}");
    let all = of("    add.");
    assert!(has(&all, ".sat"), "{all:?}");
    let all = of("    lsc_load.");
    assert!(has(&all, ".ugm") && has(&all, ".slm"), "{all:?}");
    let all = of("    (");
    assert_eq!(all, ["p"]);
    let all = of("    jmp (M1, 1) ");
    assert!(has(&all, "begin"), "{all:?}");
    let all = of(".decl x ");
    assert_eq!(all, ["v_type="]);
    let all = of(".decl x v_type=");
    assert!(has(&all, "G") && has(&all, "P"), "{all:?}");
    let all = of(".decl x v_type=G type=ud ");
    assert_eq!(all.first().map(String::as_str), Some("num_elts="));
    let all = of(".input ");
    assert!(has(&all, "src") && !has(&all, "p"), "{all:?}");
    let all = of("    mov (M1, 8) // ");
    assert_eq!(all, [""; 0]);
    assert!(client.end());
}

#[test]
fn shapes_of_a_text() {
    let mut client = started();
    let folds = client.ask("textDocument/foldingRange", json!({ "textDocument": { "uri": URI } })).unwrap();
    let folds: Vec<_> =
        folds.as_array().unwrap().iter().map(|f| (f["startLine"].as_u64(), f["endLine"].as_u64())).collect();
    assert!(folds.contains(&(Some(1), Some(12))) && folds.contains(&(Some(0), Some(6))), "{folds:?}");
    let symbols = client.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } })).unwrap();
    assert_eq!(symbols[0]["name"], "k");
    assert_eq!(symbols[0]["children"].as_array().unwrap().len(), 5);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints =
        client.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range })).unwrap();
    let labels: Vec<_> =
        hints.as_array().unwrap().iter().map(|hint| hint["label"].as_str().unwrap().trim()).collect();
    assert_eq!(labels[..3], ["32 bytes", "128 bytes", "32 bytes"]);
    assert_eq!(labels[3..6], [":f", ":f", ":f"]);
    let full = client.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } })).unwrap();
    assert!(full["data"].as_array().unwrap().len() > 200);
    let previous = json!({ "textDocument": { "uri": URI }, "previousResultId": full["resultId"] });
    let delta = client.ask("textDocument/semanticTokens/full/delta", previous).unwrap();
    assert_eq!(delta["edits"], json!([]));
    assert!(client.end());
}

#[test]
fn formatting_changes_blanks_only() {
    let mut client = started();
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": URI }, "options": options });
    let edits = client.ask("textDocument/formatting", params).unwrap();
    let edits = edits.as_array().unwrap();
    assert_eq!(edits.len(), 1, "{edits:?}");
    assert_eq!(edits[0]["newText"], "    mov (M1, 8) sum(0,0)<1> src(0,0)<8;8,1>       // keep");
    assert!(client.end());
}

#[test]
fn unknown_and_cancelled_requests() {
    let mut client = started();
    assert_eq!(client.ask("textDocument/unheard", json!({})).unwrap_err().0, -32601);
    assert_eq!(client.ask("textDocument/hover", json!({ "no": 1 })).unwrap_err().0, -32602);
    assert_eq!(client.ask("textDocument/hover", at("file:///none", 0, 0)).unwrap_err().0, -32602);
    client.note("textDocument/unheard", json!({ "a": [1, 2] }));
    client.note("$/cancelRequest", json!({ "id": 4711 }));
    client.note("textDocument/didChange", json!(7));
    // A long request first, so that the others wait in the queue.
    let long: String = TEXT
        .lines()
        .chain(std::iter::repeat_n("    mov (M1, 8) sum(0,0)<1> src(0,0)<8;8,1>", 5000))
        .fold(String::new(), |text, line| text + line + "\n");
    client.change(URI, 2, json!([{ "text": long }]));
    let first = client.send("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }));
    let second = client.send("textDocument/hover", at(URI, 8, 5));
    client.note("$/cancelRequest", json!({ "id": 3 + 3 }));
    assert!(client.wait(&first).is_ok());
    let answer = client.wait(&second);
    assert!(answer.is_ok() || answer.clone().unwrap_err().0 == -32800, "{answer:?}");
    assert!(client.end());
}

#[test]
fn positions_have_the_negotiated_encoding() {
    for (encoding, column) in [("utf-8", 61), ("utf-16", 58), ("utf-32", 57)] {
        let mut client = Client::start(&[encoding], Value::Null);
        let text = TEXT.replace("// é😀", "/* é😀 */ x");
        client.open(URI, &text);
        let found = client.findings(URI, 1);
        let wrong = found.iter().find(|one| one["code"] == "directive").unwrap();
        let start = &wrong["range"]["start"];
        assert_eq!((start["line"].as_u64(), start["character"].as_u64()), (Some(3), Some(column)), "{encoding}");
        assert!(client.end());
    }
}

/// The findings belong to the platform and the text that were opened last, also if the same address
/// is opened again with another text at once.
#[test]
fn opened_texts_have_their_own_findings() {
    let mut client = Client::start(&[], json!({ "platform": "skl" }));
    let text = |platform: &str, word: &str| {
        format!("// platform: {platform}\n.version 4.1\n.kernel \"k\"\n    {word} (M1, 1)\n")
    };
    for round in 0..20 {
        let uri = format!("file:///k{round}.visaasm");
        client.open(&uri, &text("xe2", "ret"));
        client.note("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
        client.open(&uri, &text("pvc", "rett"));
        client.ask("textDocument/hover", at(&uri, 0, 0)).unwrap();
        loop {
            let found = client.findings(&uri, 1);
            if !found.is_empty() {
                assert_eq!((found.len(), &found[0]["code"]), (1, &json!("statement")), "{found:?}");
                break;
            }
            client.published.remove(&uri);
        }
    }
    assert!(client.end());
}
