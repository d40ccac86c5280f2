//! Texts with many labels, branches, calls, variables and instructions. Every engine stays within
//! the limits of SECURITY.md: the larger of 300 MB and 30 times the input, and 10 s of processor
//! time.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use visakit_testing::scratch;

const MB: u64 = 1_000_000;

const HEAD: &str = ".version 4.1\n.kernel \"k\"
.decl V32 v_type=G type=d num_elts=16 align=GRF
.decl V33 v_type=G type=d num_elts=16 align=GRF
.decl F34 v_type=G type=f num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16\n.decl T6 v_type=T num_elts=1\n";
const ADD: &str = "    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V33(0,0)<1;1,0>\n";

type Part = fn(usize) -> String;

/// Shape of a text: name, number of parts, and functions for the declaration, first and second
/// section of a part.
type Shape = (&'static str, usize, [Part; 3]);

const NOTHING: Part = |_| String::new();

fn goto(i: usize) -> String {
    format!("    (P1) goto (M1, 16) L{i}\n")
}

fn label(i: usize) -> String {
    format!("L{i}:\n{ADD}")
}

fn variable(i: usize) -> String {
    format!(".decl A{i} v_type=G type=d num_elts=16 align=GRF\n")
}

/// Returns a subroutine that calls the previous one.
fn nested(i: usize) -> String {
    let call = if i == 0 { String::new() } else { call(i - 1) };
    format!(".function \"SUB{i}\"\nSUB{i}:\n{ADD}{call}    ret (M1, 16)\n")
}

fn call(i: usize) -> String {
    format!("    call (M1, 16) SUB{i}\n")
}

/// Depth of nested calls, slightly below the limit.
const CALLS: usize = 16_000;

const SHAPES: [Shape; 16] = [
    (
        "nested calls",
        CALLS,
        [|i| if i == 0 { call(CALLS - 1) + "    ret (M1, 1)\n" } else { String::new() }, nested, NOTHING],
    ),
    (
        "many calls",
        12_000,
        [
            call,
            |i| if i == 0 { "    ret (M1, 1)\n".to_owned() } else { String::new() },
            |i| format!(".function \"SUB{i}\"\nSUB{i}:\n{ADD}    ret (M1, 16)\n"),
        ],
    ),
    ("labels", 65_535, [NOTHING, label, NOTHING]),
    ("crossing gotos", 2_000, [NOTHING, goto, label]),
    ("many crossing gotos", 16_000, [NOTHING, goto, label]),
    ("uniform gotos", 12_000, [NOTHING, |i| format!("    goto (M1, 1) L{i}\n"), label]),
    ("jumps", 12_000, [NOTHING, |i| format!("    jmp (M1, 1) L{i}\n"), label]),
    ("loops", 12_000, [NOTHING, |i| label(i) + &goto(i), NOTHING]),
    ("crossing loops", 12_000, [NOTHING, label, goto]),
    ("returns", 12_000, [NOTHING, |i| format!("{}{ADD}    (P1) ret (M1, 16)\nL{i}:\n", goto(i)), NOTHING]),
    ("one block", 58_000, [NOTHING, |_| ADD.to_owned(), NOTHING]),
    ("loads", 200_000, [NOTHING, |_| "    gather4_scaled.R (M1, 16) T6 0x0:ud V32.0 V33.0\n".to_owned(), NOTHING]),
    ("mathematics", 12_000, [NOTHING, |_| "    cos (M1, 16) F34(0,0)<1> F34(0,0)<1;1,0>\n".to_owned(), NOTHING]),
    (
        "variables",
        15_000,
        [variable, |i| format!("L{i}:\n    add (M1, 16) A{i}(0,0)<1> V32(0,0)<1;1,0> V33(0,0)<1;1,0>\n"), NOTHING],
    ),
    (
        "long lives",
        6_000,
        [
            variable,
            |i| format!("L{i}:\n    add (M1, 16) A{i}(0,0)<1> V32(0,0)<1;1,0> V33(0,0)<1;1,0>\n"),
            |i| format!("    add (M1, 16) V32(0,0)<1> A{i}(0,0)<1;1,0> V33(0,0)<1;1,0>\n"),
        ],
    ),
    (
        "wide variables",
        500,
        [
            |i| format!(".decl A{i} v_type=G type=d num_elts=8000 align=GRF\n"),
            |i| format!("L{i}:\n    add (M1, 16) A{i}(0,0)<1> V32(0,0)<1;1,0> V33(0,0)<1;1,0>\n"),
            NOTHING,
        ],
    ),
];

fn text((_, n, parts): Shape) -> String {
    let mut text = HEAD.to_owned();
    for part in parts {
        (0..n).for_each(|i| text += &part(i));
    }
    let _ = writeln!(text, "    ret (M1, 1)");
    text
}

/// Runs a text. Returns the process's peak memory in bytes and its processor time in seconds, as
/// last sampled.
fn run(arguments: &[&str]) -> (u64, f64) {
    // Limits the memory of a runaway process to protect the machine.
    let script = "ulimit -v 6000000; exec \"$0\" \"$@\"";
    let mut command = Command::new("bash");
    command.args(["-c", script, env!("CARGO_BIN_EXE_visa"), "run"]).args(arguments);
    let mut process = command.stdout(Stdio::null()).spawn().unwrap();
    let (mut peak, mut time) = (0, 0.0);
    let status = loop {
        if let Some(status) = process.try_wait().unwrap() {
            break status;
        }
        let read = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", process.id())).unwrap_or_default();
        let (status, stat) = (read("status"), read("stat"));
        if let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
            peak = peak.max(line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024);
        }
        if let Some((_, fields)) = stat.rsplit_once(") ") {
            let ticks = |n: usize| fields.split(' ').nth(n).and_then(|field| field.parse().ok()).unwrap_or(0.0);
            time = f64::max(time, (ticks(11) + ticks(12)) / 100.0);
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(matches!(status.code(), Some(0 | 1)), "{arguments:?}: {status}");
    (peak, time)
}

#[test]
fn memory_and_time_of_every_engine_are_linear() {
    let dir = scratch("growth");
    for shape in SHAPES {
        let (name, file) = (shape.0, dir.join("k.visaasm"));
        let text = text(shape);
        fs::write(&file, &text).unwrap();
        for engine in ["automatic", "native", "interpreter"] {
            let file = file.to_str().unwrap();
            let (peak, time) = run(&[file, "--platform", "skl", "--global", "16", "--engine", engine]);
            let most = (300 * MB).max(30 * text.len() as u64);
            let figures = format!("{name}, {engine}: {} MB, {time} s of {} bytes", peak / MB, text.len());
            println!("{figures}");
            assert!(peak <= most && time <= 10.0, "{figures}");
            // A lower value means that the process was never sampled.
            assert!(peak > MB, "{figures}");
        }
    }
}
