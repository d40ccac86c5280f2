//! Every command takes time proportional to its input: an input sixteen times as large takes less
//! than forty times as long.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use visakit_testing::scratch;

/// Ratio of the input sizes, and maximum ratio of the times.
const LARGER: usize = 16;
const MOST: f64 = 40.0;

const HEAD: &str = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16 align=GRF\n";

/// Function that builds an input with the given number of parts.
type Make = fn(usize) -> String;

fn repeated(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut all, i| {
        let _ = writeln!(all, "{}", one(i));
        all
    })
}

const LEGAL: [(&str, usize, Make); 5] = [
    ("kernels", 180, |n| {
        let body = HEAD.split_once("\n.decl").unwrap().1;
        let one =
            |i| format!(".kernel \"k{i}\"\n.decl{body}    mov (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>\n    ret (M1, 1)");
        format!(".version 4.1\n{}", repeated(n, one))
    }),
    ("labels", 600, |n| {
        let (labels, jumps) = (repeated(n, |i| format!("L{i}:")), repeated(n, |i| format!("    goto (M1, 1) L{i}")));
        format!("{HEAD}{labels}{jumps}    ret (M1, 1)\n")
    }),
    ("declarations", 1000, |n| {
        let one = |i| format!(".decl V{} v_type=G type=d num_elts=16 align=GRF", i + 33);
        format!("{HEAD}{}    ret (M1, 1)\n", repeated(n, one))
    }),
    ("strings", 1000, |n| {
        format!("{HEAD}{}    ret (M1, 1)\n", repeated(n, |i| format!(".kernel_attr A{i}=\"s{i}\"")))
    }),
    ("instructions", 1000, |n| {
        format!(
            "{HEAD}{}    ret (M1, 1)\n",
            repeated(n, |_| "    mov (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>".to_owned())
        )
    }),
];

const ILLEGAL: [(&str, usize, Make); 5] = [
    ("broken rules", 1000, |n| {
        format!("{HEAD}{}", repeated(n, |_| "    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:df".to_owned()))
    }),
    ("wrong declarations", 1000, |n| {
        format!("{HEAD}{}", repeated(n, |i| format!(".decl A{i} v_type=A type=uw num_elts=99")))
    }),
    ("aliases", 1000, |n| {
        let one = |i| format!(".decl V{} v_type=G type=d num_elts=16 align=GRF alias=<V{}, 0>", i + 33, i + 32);
        format!("{HEAD}{}", repeated(n, one))
    }),
    ("syntax errors", 400, |n| format!("{HEAD}{}", repeated(n, |_| "    adx (M1, 16)".to_owned()))),
    ("missing labels", 200, |n| {
        let one = |i| format!(".kernel \"k{i}\"\n    goto (M1, 1) L{i}");
        format!(".version 4.1\n{}", repeated(n, one))
    }),
];

const PAGES: [(&str, usize, Make); 11] = [
    ("nested blocks", 1000, |n| semantics(&("if (x) {\n".repeat(n) + &"}\n".repeat(n)))),
    ("nested loops", 1000, |n| semantics(&("for (i = 0; i < 3; i++) {\n".repeat(n) + &"}\n".repeat(n)))),
    ("chains of blocks", 500, |n| semantics(&("if (x) {\n}\nelse {\n".repeat(n) + &"}\n".repeat(n)))),
    ("statements", 1000, |n| semantics(&"a = (1 + 2);\n".repeat(n))),
    ("brackets", 3000, |n| page(&format!("- x{}", "[".repeat(n)))),
    ("braces", 3000, |n| page(&format!("- x{}", "{X".repeat(n)))),
    ("headings", 150, |n| repeated(n, |i| format!("## H{i}\n\nx\n"))),
    ("items", 150, |n| page(&repeated(n, |i| format!("- **Op{i}(foo):** text")))),
    ("rows", 500, |n| page(&format!("| a | b |\n|---|---|\n{}", repeated(n, |i| format!("| {i} | x | y |"))))),
    ("lines", 1000, |n| page(&repeated(n, |i| format!("words {{XX+}} and [a link](nowhere{i}.md)")))),
    ("templates", 500, |n| {
        format!("{}\n```\n", page(&format!("\n## Text\n\n```\n{}", repeated(n, |i| format!("A{i} [<dst")))))
    }),
];

fn semantics(text: &str) -> String {
    page(&format!("text\n\n## Semantics\n\n```\n{text}```\n"))
}

fn page(description: &str) -> String {
    format!(
        "# A\n\n## Opcode\n\n  A = 0x99\n\n## Format\n\n| 0x99(A) | Op |\n|---|---|\n\n## Description\n\n{description}"
    )
}

/// Returns the processor time of a command in seconds, which does not depend on other load of the
/// machine.
fn time(args: &[&str]) -> f64 {
    let script = "TIMEFORMAT='%3U %3S'; time \"$0\" \"$@\" > /dev/null 2>&1";
    let output = Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_visa")]).args(args).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {}", output.status);
    let said = String::from_utf8_lossy(&output.stderr);
    said.split_whitespace().map(|part| part.parse::<f64>().unwrap()).sum()
}

/// Compares the times for an input and one that is [`LARGER`] times as large. Quadratic time would
/// grow by the square of that ratio.
fn is_linear(what: &str, small: &[&str], large: &[&str]) {
    let (small_s, large_s) = (time(small), time(large));
    let most = MOST * small_s.max(0.01);
    assert!(large_s < most, "{what}, {large:?}: {LARGER} times the input takes {large_s} s instead of {small_s}");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Writes two files of a kind, the second [`LARGER`] times as large.
fn files(dir: &Path, ending: &str, (name, n, make): (&str, usize, Make)) -> [std::path::PathBuf; 2] {
    [n, LARGER * n].map(|n| {
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

/// `.ze_info` alone, which no command reads by itself.
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
    assert!((0..4).any(|_| time(8000) / time(500) < MOST));
}
