//! Answers to the requests of pages.

use serde_json::{Value, json};
use visakit_testing::root;

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

/// Doubles the numbers above 4 of a buffer.
const KERNEL: &str = r#".version 4.1
.kernel "k"
.decl IN v_type=G type=uq num_elts=1 align=qword
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl A v_type=G type=f num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.input IN offset=64 size=8
.input OUT offset=72 size=8
.kernel_attr SimdSize=16
.function "main"
main:
    svm_block_ld (4) IN(0,0)<0;1,0> A.0
    cmp.gt (M1, 16) P1 A(0,0)<1;1,0> 0x40800000:f
    (P1) add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
    svm_block_st (4) OUT(0,0)<0;1,0> A.0
    ret (M1, 1)
"#;

fn run(args: &[&str], more: Value) -> Value {
    let mut request = json!({ "command": "run", "text": KERNEL, "platform": "skl", "global": [16], "args": args });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    answer(request)
}

#[test]
fn kernels_run_with_their_inputs_as_arguments() {
    let all = run(&["IN=range:f32:16:0.1", "OUT=zeros:64"], json!({ "check": "all" }));
    assert_eq!(all["findings"], json!([]), "{all:#}");
    let [input, output] = [0, 1].map(|n| all["results"][n].clone());
    assert_eq!((&input["name"], &output["name"], &input["type"]), (&json!("IN"), &json!("OUT"), &json!("f32")));
    assert_eq!(input["values"].as_array().unwrap()[..2], [json!(0.1), json!(1.1)]);
    assert_eq!(output["values"][5], json!(10.2_f32.to_bits()));
    assert_eq!(all["instructions"], json!(5));
}

#[test]
fn checks_find_bugs_at_their_lines() {
    let all = run(&["IN=range:f32:16", "OUT=zeros:32"], json!({ "check": "all" }));
    let found = &all["findings"][0];
    assert_eq!((&found["code"], &found["line"], &found["column"]), (&json!("check-bounds"), &json!(15), &json!(5)));
    assert_eq!(found["width"], json!("svm_block_st (4) OUT(0,0)<0;1,0> A.0".len()));
    let all = run(&["IN=range:f32:16"], json!({}));
    assert_eq!(all["findings"][0]["code"], json!("argument-missing"), "{all:#}");
    for (args, more, code) in [
        (["IN=file:/etc/passwd", "OUT=zeros:64"], json!({}), "argument-kind"),
        (["IN=zeros:64", "OUT=zeros:99000000"], json!({}), "launch-size"),
        (["IN=zeros:64", "OUT=zeros:64"], json!({ "global": [4_000_000] }), "launch-size"),
        (["IN=zeros:64", "OUT=zeros:64"], json!({ "check": "everything" }), "check-unknown"),
    ] {
        assert_eq!(run(&args, more)["findings"][0]["code"], json!(code));
    }
}

#[test]
fn steps_have_the_channels_and_their_values() {
    let all = run(&["IN=range:f32:16", "OUT=zeros:64"], json!({ "steps": {} }));
    let steps = all["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &all["steps_left"]), (5, &json!(0)));
    let add = &steps[2];
    assert_eq!((&add["line"], add["channels"].as_array().unwrap().len()), (&json!(14), 11));
    let write = &add["writes"][0];
    let at = |of: &str| write[of][1].as_str().unwrap().parse::<f64>().unwrap();
    assert_eq!((&write["name"], at("before"), at("values")), (&json!("A"), 6.0, 12.0), "{add:#}");
    // The second subgroup does not exist.
    let all = run(&["IN=range:f32:16", "OUT=zeros:64"], json!({ "steps": { "thread": 1 } }));
    assert_eq!(all["steps"], json!([]));
}

#[test]
fn files_are_described_and_run() {
    let bytes = std::fs::read(root().join("examples/vector_add/vector_add.skl.zebin")).unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let file = |command: &str| json!({ "command": command, "name": "k.zebin", "hex": hex });
    let all = answer(file("inspect"));
    assert_eq!((&all["kind"], &all["findings"]), (&json!("zebin"), &json!([])));
    assert!(all["info"]["text"].as_str().unwrap().contains("kernel vector_add"), "{all:#}");
    let fits = answer(file("launch"));
    assert_eq!(fits["kernels"], json!(["vector_add"]));
    let mut request = file("run");
    request["args"] = fits["args"].clone();
    request["global"] = json!([64]);
    let all = answer(request);
    assert_eq!(all["findings"], json!([]), "{all:#}");
    // Damaged files never end the module.
    for end in (0..bytes.len()).step_by(997) {
        for command in ["inspect", "launch", "run"] {
            let mut request = file(command);
            request["hex"] = json!(hex[..end * 2]);
            request["global"] = json!([1]);
            answer(request);
        }
    }
}

#[test]
fn tokens_cover_the_text() {
    let text = "// Köln 𝄞\n    add (M1, 8) V32(0,0)<1> V33(0,0)<8;8,1> 2:ud\n";
    let all = answer(json!({ "command": "tokens", "text": text }));
    let tokens = all["tokens"].as_array().unwrap();
    let length: u64 = tokens.iter().step_by(2).map(|length| length.as_u64().unwrap()).sum();
    assert_eq!(length as usize, text.encode_utf16().count());
    assert!(tokens.contains(&json!("comment")) && tokens.contains(&json!("mnemonic")), "{tokens:?}");
}
