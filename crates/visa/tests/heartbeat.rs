//! Long commands show progress on a terminal, and print nothing otherwise.
#![cfg(target_os = "linux")]

use std::io::{BufReader, Read};
use std::process::{Child, Command, Stdio};

use visakit_testing::{have, program, root};

/// Arguments of a run that takes minutes: points that never leave the set.
const RUN: &str = "run mandelbrot.skl.zebin --engine interpreter --global 64 --local 16 --arg 0=zeros:256 --arg 1=u32:64 \
                   --arg 2=u32:1 --arg 3=f32:0 --arg 4=f32:0 --arg 5=f32:0 --arg 6=u32:4000000000 \
                   --max-instructions 100000000000";

/// Child process that is killed when its test ends.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn long_runs_move_on_a_terminal() {
    // `script` provides a terminal for the command.
    if !have("heartbeat", "vendor", program("script"), "script") {
        return;
    }
    // The command outlives `script` if the caller ignores hang-ups, as under `nohup`.
    let command = format!("exec timeout --foreground 60 {} {RUN}", env!("CARGO_BIN_EXE_visa"));
    let mut script = Command::new("script");
    script.args(["-q", "-f", "-e", "-c", &command, "/dev/null"]).env("TERM", "xterm");
    script.current_dir(root().join("examples/mandelbrot")).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut process = Ends(script.spawn().unwrap());
    let (mut shown, mut bytes) = (String::new(), BufReader::new(process.0.stdout.take().unwrap()).bytes());
    // The bar is redrawn although no group ends.
    while shown.matches("0/4 groups").count() < 3 {
        let byte = bytes.next().unwrap_or_else(|| panic!("the run has ended: {shown}")).unwrap();
        shown.push(char::from(byte));
        assert!(shown.len() < 100_000, "{shown}");
    }
}

#[test]
fn nothing_is_shown_where_nobody_looks() {
    let arguments: Vec<&str> = RUN.split_whitespace().map(|word| word.trim_end_matches('\\')).collect();
    let arguments = arguments.iter().map(|word| if *word == "100000000000" { "4000000" } else { word });
    let output = Command::new(env!("CARGO_BIN_EXE_visa"))
        .args(arguments)
        .current_dir(root().join("examples/mandelbrot"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("fault-budget") && !said.contains("groups,"), "{said}");
}
