//! The VS Code extension: its manifest, and the contents of its package.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use visakit_testing::{have, program, root, scratch};

fn folder() -> PathBuf {
    root().join("editors/vscode")
}

fn json(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder().join(name)).unwrap()).unwrap()
}

#[test]
fn the_manifest_names_existing_files() {
    let about = json("package.json");
    assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
    let contributed = &about["contributes"];
    let language = &contributed["languages"][0];
    let files = [&about["main"], &language["configuration"], &contributed["grammars"][0]["path"]];
    for file in files {
        assert!(folder().join(file.as_str().unwrap()).is_file(), "{file}");
    }
    let grammar = json("syntaxes/visaasm.tmLanguage.json");
    assert_eq!(grammar["scopeName"], contributed["grammars"][0]["scopeName"]);
    json("language-configuration.json");
    // The client passes the settings under the names that the server reads.
    let client = std::fs::read_to_string(folder().join("extension.js")).unwrap();
    for setting in contributed["configuration"]["properties"].as_object().unwrap().keys() {
        let (section, name) = setting.split_once('.').unwrap();
        assert_eq!(section, visakit_lsp::publish::SOURCE);
        assert!(client.contains(&format!("get(\"{name}\")")), "{setting}");
    }
    let command = contributed["commands"][0]["command"].as_str().unwrap();
    assert!(client.contains(&format!("registerCommand(\"{command}\"")));
}

/// Every file that the grammar's `include` names is a part of the grammar.
#[test]
fn rules_of_the_grammar_exist() {
    fn includes(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(all) => {
                out.extend(all.get("include").and_then(Value::as_str).map(str::to_owned));
                all.values().for_each(|value| includes(value, out));
            }
            Value::Array(all) => all.iter().for_each(|value| includes(value, out)),
            _ => {}
        }
    }
    let grammar = json("syntaxes/visaasm.tmLanguage.json");
    let mut all = Vec::new();
    includes(&grammar, &mut all);
    assert!(all.len() > 6);
    for include in all {
        assert!(grammar["repository"].get(include.trim_start_matches('#')).is_some(), "{include}");
    }
}

/// Needs the program of the npm package `vscode-tmgrammar-test`.
#[test]
fn words_have_their_scopes() {
    let ready = program("vscode-tmgrammar-test");
    if !have("words_have_their_scopes", "editors", ready, "vscode-tmgrammar-test") {
        return;
    }
    let mut tool = Command::new("vscode-tmgrammar-test");
    let tested = tool.arg("tests/*.visaasm").current_dir(folder()).output().unwrap();
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stdout));
}

/// Needs node, zip, and `npm install` in `editors/vscode`.
#[test]
fn the_package_has_its_parts() {
    let ready = folder().join("node_modules/vscode-languageclient").is_dir();
    if !have("the_package_has_its_parts", "editors", ready, "node_modules of editors/vscode") {
        return;
    }
    let file = scratch("extension").join("visakit.vsix");
    let made = Command::new(folder().join("package.sh")).arg(&file).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let listed = Command::new("python3").args(["-m", "zipfile", "-l"]).arg(&file).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    for part in [
        "[Content_Types].xml",
        "extension.vsixmanifest",
        "extension/package.json",
        "extension/extension.js",
        "extension/LICENSE.txt",
        "extension/syntaxes/visaasm.tmLanguage.json",
        "extension/node_modules/vscode-languageclient/node.js",
    ] {
        assert!(listed.contains(part), "{part}\n{listed}");
    }
}
