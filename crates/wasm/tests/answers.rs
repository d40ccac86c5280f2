//! Answers to the requests of pages.

use serde_json::{Value, json};

fn answer(request: Value) -> Value {
    serde_json::from_str(&visakit_wasm::answer(request.to_string().as_bytes())).unwrap()
}

#[test]
fn statements_are_executed_by_page_and_kernel() {
    let set = ["C=d", "A=d:1,2,3,4", "B=w:-1"];
    let all = answer(json!({ "command": "eval", "text": "add (M1, 4) C A B", "set": set, "platform": "xe2" }));
    assert_eq!(all["findings"], json!([]));
    let channels = all["instructions"][0]["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 4);
    let written = channels[3]["operands"].as_array().unwrap().iter().find(|one| one.get("page").is_some()).unwrap();
    assert_eq!((&written["page"], &written["kernel"]), (&json!("3"), &json!("3")));
}

#[test]
fn wrong_requests_have_an_error() {
    for request in [json!({}), json!({ "command": "none" }), json!({ "command": "inspect", "hex": "4" })] {
        assert!(answer(request.clone())["error"].is_string(), "{request}");
    }
}

#[test]
fn wrong_texts_have_findings_with_places() {
    let all = answer(json!({ "command": "inspect", "text": ".version 4.1\n.kernel \"k\"\nnonsense\n" }));
    assert_eq!(all["findings"][0]["line"], json!(3));
}
