//! The server on pages of a specification.

mod common;

use common::{Client, LINTED, at};
use serde_json::json;

#[test]
fn pages_have_findings_links_and_definitions() {
    let root = visakit_testing::root().join("spec");
    let page = root.join("instructions/ADD.md");
    let uri = format!("file://{}", page.display());
    let text = std::fs::read_to_string(&page).unwrap();
    let mut client = Client::start(&["utf-8"], json!({}));
    client.open(&uri, &text.replace("Adds the", "Adds wrong the"));
    let found = client.findings(&uri, 1);
    assert_eq!(found.len(), 1);
    let context = json!({ "diagnostics": found });
    let params = json!({ "textDocument": { "uri": uri }, "range": found[0]["range"], "context": context });
    let actions = client.ask("textDocument/codeAction", params).unwrap();
    let edit = &actions[0]["edit"]["changes"][&uri][0];
    assert_eq!((edit["newText"].as_str(), &edit["range"]), (Some("right"), &found[0]["range"]));
    // A link leads to its section in another page, a name to its item in this page.
    let line = |words: &str| text.lines().position(|line| line.contains(words)).unwrap();
    let lists = std::fs::read_to_string(root.join("lists.md")).unwrap();
    let heading = lists.lines().position(|line| line.starts_with("## Exec_size(")).unwrap();
    let found = client.ask("textDocument/definition", at(&uri, line("lists.md#exec_size"), 30)).unwrap();
    assert!(found["uri"].as_str().unwrap().ends_with("/spec/lists.md"), "{found}");
    assert_eq!(found["range"]["start"]["line"].as_u64().unwrap() as usize, heading);
    let column = text.lines().nth(line("<src0>")).unwrap().find("src0").unwrap();
    let found = client.ask("textDocument/definition", at(&uri, line("<src0>"), column)).unwrap();
    assert_eq!(found["range"]["start"]["line"].as_u64().unwrap() as usize, line("- **Src0("));
    let links = client.ask("textDocument/documentLink", json!({ "textDocument": { "uri": uri } })).unwrap();
    assert_eq!(links.as_array().unwrap().len(), text.matches("](").count());
    // Platforms of marks.
    let column = text.lines().nth(line("{XEHP+}")).unwrap().find("XEHP").unwrap();
    let found = client.ask("textDocument/hover", at(&uri, line("{XEHP+}"), column)).unwrap();
    assert!(found["contents"]["value"].as_str().unwrap().contains("platform"), "{found}");
    // Requests of texts have no answer here.
    assert!(client.ask("textDocument/completion", at(&uri, 3, 0)).unwrap().is_null());
    assert!(client.end());
}

/// Pages of other revisions, and other documents, are no specification.
#[test]
fn other_documents_are_left_alone() {
    let mut client = Client::start(&[], json!({}));
    let uri = "file:///nowhere/notes.md";
    client.open(uri, "# wrong\n\n[a](b.md#c) `d`");
    for (line, column) in [(0, 3), (2, 4), (2, 12), (9, 9)] {
        for method in ["hover", "definition"] {
            assert!(client.ask(&format!("textDocument/{method}"), at(uri, line, column)).is_ok());
        }
    }
    assert!(client.published.is_empty());
    assert!(client.end());
}

/// Pages that are opened while another page is linted are linted together.
#[test]
fn many_pages_are_linted_at_once() {
    let root = visakit_testing::root().join("spec/instructions");
    let pages = ["ADD", "MUL", "MAD", "MOV", "SEL", "CMP", "AND", "SHL"];
    let uri = |page: &str| format!("file://{}", root.join(format!("{page}.md")).display());
    let mut client = Client::start(&[], json!({}));
    client.open(&uri("OR"), "slow");
    for (nth, page) in pages.iter().enumerate() {
        client.open(&uri(page), &format!("{}wrong", "\n".repeat(nth)));
    }
    for (nth, page) in pages.iter().enumerate() {
        let found = client.findings(&uri(page), 1);
        assert_eq!(found.len(), 1, "{page}: {found:?}");
        assert_eq!(found[0]["range"]["start"]["line"], nth, "each page has its own finding");
    }
    assert!(client.findings(&uri("OR"), 1).is_empty());
    let linted = LINTED.lock().unwrap().clone();
    assert!(linted.iter().any(|count| *count > pages.len() / 2), "{linted:?}");
    assert!(client.end());
}
