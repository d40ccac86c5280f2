//! `visa lsp` over standard input and output, and in a real editor.

#[path = "common/session.rs"]
mod session;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use session::Session;
use visakit_testing::{files, have, program, root, scratch, shared};

fn start() -> Session {
    Session::start(Path::new(env!("CARGO_BIN_EXE_visa")))
}

#[test]
fn a_session() {
    let mut session = start();
    let refused = session.ask(1, "textDocument/hover", json!({}));
    assert_eq!(refused["error"]["code"], -32002);
    let answer = session.ask(2, "initialize", json!({ "capabilities": {} }));
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16");
    session.note("initialized", json!({}));
    // Noise between messages, and a message that is no JSON.
    write!(session.input, "noise\r\nContent-Length: 3\r\n\r\n{{{{{{").unwrap();
    let uri = "file:///k.visaasm";
    let vector = root().join("tests/vectors/single/flow.visaasm");
    let text = std::fs::read_to_string(vector).unwrap();
    session.open(uri, &text.replace("add (M1, 8) V32(1,0)<1>", "add (M1, 8) V32(1,0)<1"));
    session.findings(uri);
    session.open(uri, ".version 4.1\n.kernel \"k\"\n    ret (M9, 1)\n");
    let found = session.findings(uri);
    assert_eq!(found[0]["code"], "statement");
    assert!(found[0]["codeDescription"]["href"].as_str().unwrap().ends_with("/codes/statement.html"), "{found}");
    assert!(session.ask(3, "shutdown", Value::Null)["result"].is_null());
    session.note("exit", Value::Null);
    assert_eq!(session.end(), Some(0));
}

#[test]
fn pages_are_linted() {
    let page = root().join("spec/instructions/ADD.md");
    let uri = format!("file://{}", page.display());
    let text = std::fs::read_to_string(page).unwrap();
    let mut session = start();
    session.ask(1, "initialize", json!({ "capabilities": {} }));
    session.note("initialized", json!({}));
    session.open(&uri, &text);
    assert_eq!(session.findings(&uri), json!([]));
    session.open(&uri, &text.replace("<exec_size>", "<exce_size>"));
    let found = session.findings(&uri);
    let context = json!({ "diagnostics": found });
    let params = json!({ "textDocument": { "uri": uri }, "range": found[0]["range"], "context": context });
    let actions = session.ask(2, "textDocument/codeAction", params);
    let edit = &actions["result"][0]["edit"]["changes"][&uri][0];
    assert_eq!(edit["newText"], "exec_size", "{found} {actions}");
    // The stream ends without `exit`.
    assert_eq!(session.end(), Some(2));
}

/// Opens some pages of a folder of a specification. Returns the number of findings.
fn open_some(spec: &Path) -> usize {
    let mut session = start();
    session.ask(1, "initialize", json!({ "capabilities": {} }));
    session.note("initialized", json!({}));
    let mut count = 0;
    let all = [files(spec, "md"), files(&spec.join("instructions"), "md")].concat();
    assert!(all.len() > 60, "{}: {} pages", spec.display(), all.len());
    // Each page is linted with all others, which takes seconds without optimisation.
    for (number, page) in all.iter().step_by(41).enumerate() {
        let uri = format!("file://{}", page.display());
        let text = std::fs::read_to_string(page).unwrap();
        session.open(&uri, &text);
        let middle = text.lines().count() / 2;
        let params = json!({ "textDocument": { "uri": uri }, "position": { "line": middle, "character": 3 } });
        for (method, id) in [("hover", 2), ("definition", 3), ("documentLink", 4)] {
            let answer = session.ask(number as i32 * 4 + id, &format!("textDocument/{method}"), params.clone());
            assert!(answer.get("error").is_none(), "{uri}: {method}: {answer}");
        }
        count += session.findings(&uri).as_array().unwrap().len();
    }
    session.ask(9999, "shutdown", Value::Null);
    session.note("exit", Value::Null);
    assert_eq!(session.end(), Some(0));
    count
}

/// Pages of the vendor's revisions, and of earlier commits, are documents like any other.
#[test]
fn pages_of_other_revisions() {
    for revision in shared("pages_of_other_revisions", "VISAKIT_UPSTREAM").map_or_else(Vec::new, folders) {
        let count = open_some(&revision);
        println!("{}: {count} findings", revision.display());
    }
    let git = |args: &[&str]| Command::new("git").arg("-C").arg(root()).args(args).output();
    let Ok(log) = git(&["log", "--format=%H", "--", "spec"]) else { return };
    let log = String::from_utf8(log.stdout).unwrap();
    let commits: Vec<&str> = log.lines().collect();
    // The oldest pages that the repository has, and some between.
    for at in [commits.len() / 2, commits.len() - commits.len().min(1)] {
        let Some(commit) = commits.get(at) else { continue };
        let dir = scratch("lsp-revisions");
        let archive =
            git(&["archive", "--format=tar", "-o", &dir.join("a.tar").display().to_string(), commit, "spec"]);
        assert!(archive.unwrap().status.success(), "{commit}");
        let unpacked = Command::new("tar").args(["-xf", "a.tar"]).current_dir(&dir).status().unwrap();
        assert!(unpacked.success());
        println!("{commit}: {} findings", open_some(&dir.join("spec")));
    }
}

/// Returns the folders in a folder.
fn folders(dir: PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

const NEOVIM: &str = include_str!("lsp/neovim.lua");

/// Neovim starts the server, shows its findings, completes, corrects and renames.
#[test]
fn neovim_uses_the_server() {
    let required = std::env::var("VISAKIT_REQUIRE").unwrap_or_default();
    let ready = required.split(',').any(|group| group == "editors") && program("nvim");
    if !have("neovim_uses_the_server", "editors", ready, "nvim, or no `editors` in VISAKIT_REQUIRE") {
        return;
    }
    let dir = scratch("lsp-neovim");
    let (script, text, out) = (dir.join("test.lua"), dir.join("k.visaasm"), dir.join("out.json"));
    std::fs::write(&script, NEOVIM).unwrap();
    std::fs::write(
        &text,
        ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=8\n    ad (M1, 8) V32(0,0)<1> V32(0,0)<8;8,1> 0x0:f\n    ret (M1, 1)\n",
    )
    .unwrap();
    // The option `-l` would be shorter, but versions before 0.9 do not have it.
    let made = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-c"])
        .arg(format!("luafile {}", script.display()))
        .env("VISA", env!("CARGO_BIN_EXE_visa"))
        .env("VISA_TEXT", &text)
        .env("VISA_OUT", &out)
        .output()
        .unwrap();
    let result = std::fs::read_to_string(&out).unwrap_or_else(|_| panic!("{made:?}"));
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["findings"][0]["code"], "statement", "{result}");
    assert_eq!(result["line"], 3, "{result}");
    assert!(result["hover"].as_str().unwrap().contains("32 bytes"), "{result}");
    assert!(result["completion"].as_array().unwrap().iter().any(|label| label == "add"), "{result}");
    // What remains is that no statement writes the variable.
    assert_eq!(result["corrected"], json!(["unwritten"]), "{result}");
    assert_eq!(result["lines"][2], ".decl sum v_type=G type=f num_elts=8", "{result}");
    assert_eq!(result["lines"][3], "    add (M1, 8) sum(0,0)<1> sum(0,0)<8;8,1> 0x0:f", "{result}");
}
