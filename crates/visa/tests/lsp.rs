//! `visa lsp` over standard input and output, and in a real editor.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use visakit_testing::{have, program, root, scratch};

struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_visa"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn note(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its answer.
    fn ask(&mut self, id: i32, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.until(|message| message["id"] == id)
    }

    /// Returns the next message that fits.
    fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
                if let Some(value) = line.strip_prefix("Content-Length: ") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            self.output.read_exact(&mut body).unwrap();
            let message: Value = serde_json::from_slice(&body).unwrap();
            if fits(&message) {
                return message;
            }
        }
    }

    fn findings(&mut self, uri: &str) -> Value {
        let fits = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
        };
        self.until(fits)["params"]["diagnostics"].clone()
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "visaasm", "version": 1, "text": text });
        self.note("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn end(mut self) -> Option<i32> {
        drop(self.input);
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_session() {
    let mut session = Session::start();
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
    assert!(found[0]["codeDescription"]["href"].as_str().unwrap().contains("errors.md"), "{found}");
    assert!(session.ask(3, "shutdown", Value::Null)["result"].is_null());
    session.note("exit", Value::Null);
    assert_eq!(session.end(), Some(0));
}

#[test]
fn pages_are_linted() {
    let page = root().join("spec/instructions/ADD.md");
    let uri = format!("file://{}", page.display());
    let text = std::fs::read_to_string(page).unwrap();
    let mut session = Session::start();
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

const NEOVIM: &str = include_str!("lsp/neovim.lua");

/// Neovim starts the server, shows its findings and follows a definition.
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
    let made = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-l"])
        .args([&script, &text, &out])
        .env("VISA", env!("CARGO_BIN_EXE_visa"))
        .output()
        .unwrap();
    // Versions before 0.9 have no option to run a script.
    let made = if out.is_file() {
        made
    } else {
        Command::new("nvim")
            .args(["--headless", "-u", "NONE", "-c"])
            .arg(format!("luafile {}", script.display()))
            .env("VISA", env!("CARGO_BIN_EXE_visa"))
            .env("VISA_TEXT", &text)
            .env("VISA_OUT", &out)
            .output()
            .unwrap()
    };
    let result = std::fs::read_to_string(&out).unwrap_or_else(|_| panic!("{made:?}"));
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["findings"][0]["code"], "statement", "{result}");
    assert_eq!(result["line"], 3, "{result}");
    assert!(result["hover"].as_str().unwrap().contains("32 bytes"), "{result}");
}
