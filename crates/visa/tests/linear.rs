//! Every command takes time in proportion to its input: four times as much takes less than ten times as long.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use visakit_testing::scratch;

const HEAD: &str = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16 align=GRF\n";

/// An input of a kind with so many of its parts.
type Make = fn(usize) -> String;

fn repeated(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut all, i| {
        let _ = writeln!(all, "{}", one(i));
        all
    })
}

const LEGAL: [(&str, usize, Make); 5] = [
    ("kernels", 1500, |n| {
        let body = HEAD.split_once("\n.decl").unwrap().1;
        let one =
            |i| format!(".kernel \"k{i}\"\n.decl{body}    mov (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>\n    ret (M1, 1)");
        format!(".version 4.1\n{}", repeated(n, one))
    }),
    ("labels", 4000, |n| {
        let (labels, jumps) = (repeated(n, |i| format!("L{i}:")), repeated(n, |i| format!("    goto (M1, 1) L{i}")));
        format!("{HEAD}{labels}{jumps}    ret (M1, 1)\n")
    }),
    ("declarations", 8000, |n| {
        let one = |i| format!(".decl V{} v_type=G type=d num_elts=16 align=GRF", i + 33);
        format!("{HEAD}{}    ret (M1, 1)\n", repeated(n, one))
    }),
    ("strings", 8000, |n| {
        format!("{HEAD}{}    ret (M1, 1)\n", repeated(n, |i| format!(".kernel_attr A{i}=\"s{i}\"")))
    }),
    ("instructions", 8000, |n| {
        format!(
            "{HEAD}{}    ret (M1, 1)\n",
            repeated(n, |_| "    mov (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>".to_owned())
        )
    }),
];

const ILLEGAL: [(&str, usize, Make); 5] = [
    ("broken rules", 8000, |n| {
        format!("{HEAD}{}", repeated(n, |_| "    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:df".to_owned()))
    }),
    ("wrong declarations", 8000, |n| {
        format!("{HEAD}{}", repeated(n, |i| format!(".decl A{i} v_type=A type=uw num_elts=99")))
    }),
    ("aliases", 8000, |n| {
        let one = |i| format!(".decl V{} v_type=G type=d num_elts=16 align=GRF alias=<V{}, 0>", i + 33, i + 32);
        format!("{HEAD}{}", repeated(n, one))
    }),
    ("syntax errors", 3000, |n| format!("{HEAD}{}", repeated(n, |_| "    adx (M1, 16)".to_owned()))),
    ("missing labels", 1500, |n| {
        let one = |i| format!(".kernel \"k{i}\"\n    goto (M1, 1) L{i}");
        format!(".version 4.1\n{}", repeated(n, one))
    }),
];

const PAGES: [(&str, usize, Make); 5] = [
    ("headings", 1200, |n| repeated(n, |i| format!("## H{i}\n\nx\n"))),
    ("items", 1200, |n| page(&repeated(n, |i| format!("- **Op{i}(foo):** text")))),
    ("rows", 4000, |n| page(&format!("| a | b |\n|---|---|\n{}", repeated(n, |i| format!("| {i} | x | y |"))))),
    ("lines", 8000, |n| page(&repeated(n, |i| format!("words {{XX+}} and [a link](nowhere{i}.md)")))),
    ("templates", 4000, |n| {
        format!("{}\n```\n", page(&format!("\n## Text\n\n```\n{}", repeated(n, |i| format!("A{i} [<dst")))))
    }),
];

fn page(description: &str) -> String {
    format!(
        "# A\n\n## Opcode\n\n  A = 0x99\n\n## Format\n\n| 0x99(A) | Op |\n|---|---|\n\n## Description\n\n{description}"
    )
}

/// The shortest time of some runs.
fn time(args: &[&str], runs: usize) -> Duration {
    let one = || {
        let start = Instant::now();
        let mut visa = Command::new(env!("CARGO_BIN_EXE_visa"));
        let status =
            visa.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}");
        start.elapsed()
    };
    (0..runs).map(|_| one()).min().unwrap()
}

/// Compares the times for an input and one that is four times as large. A machine that does other things meanwhile gets
/// several chances: time that grows with the square fails them all.
fn is_linear(what: &str, small: &[&str], large: &[&str]) {
    let ratio = |_| time(large, 2).as_secs_f64() / time(small, 2).as_secs_f64();
    let best = (0..4).map(ratio).find(|ratio| *ratio < 10.0);
    assert!(best.is_some(), "{what}, {small:?}: four times the input takes more than ten times as long");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Two files of a kind, the second with four times as much.
fn files(dir: &Path, ending: &str, (name, n, make): (&str, usize, Make)) -> [std::path::PathBuf; 2] {
    [n, 4 * n].map(|n| {
        let file = dir.join(format!("{}-{n}.{ending}", name.replace(' ', "-")));
        std::fs::write(&file, make(n)).unwrap();
        file
    })
}

#[test]
fn texts_and_objects() {
    let dir = scratch("linear-texts");
    for kind in LEGAL {
        let [small, large] = files(&dir, "visaasm", kind);
        let objects = [&small, &large].map(|file| file.with_extension("isa"));
        let asm = |file: usize| ["asm", text([&small, &large][file]), "-o", text(&objects[file])];
        is_linear(kind.0, &asm(0), &asm(1));
        is_linear(kind.0, &["verify", text(&small)], &["verify", text(&large)]);
        for command in ["verify", "disasm", "dump", "info", "roundtrip"] {
            is_linear(kind.0, &[command, text(&objects[0])], &[command, text(&objects[1])]);
        }
    }
}

#[test]
fn findings() {
    let dir = scratch("linear-findings");
    for kind in ILLEGAL {
        let [small, large] = files(&dir, "visaasm", kind);
        is_linear(kind.0, &["verify", text(&small)], &["verify", text(&large)]);
        is_linear(
            kind.0,
            &["verify", text(&small), "--format", "json"],
            &["verify", text(&large), "--format", "json"],
        );
    }
}

#[test]
fn pages() {
    let dir = scratch("linear-pages");
    for kind in PAGES {
        let [small, large] = files(&dir, "md", kind);
        is_linear(kind.0, &["spec", "lint", text(&small)], &["spec", "lint", text(&large)]);
    }
}

/// Values of `.ze_info`, which no command takes alone.
#[test]
fn yaml() {
    let time = |n: usize| {
        let one = |i| {
            format!("      - {{ arg_type: arg_byvalue, offset: {}, size: 4, arg_index: {} }}", i % 4096, i % 2000)
        };
        let text = format!("kernels:\n  - name: k\n    payload_arguments:\n{}", repeated(n, one));
        let run = || {
            let start = Instant::now();
            visakit_zebin::info::parse("k", &text).unwrap();
            start.elapsed()
        };
        (0..3).map(|_| run()).min().unwrap().as_secs_f64()
    };
    assert!((0..4).any(|_| time(8000) / time(2000) < 10.0));
}
