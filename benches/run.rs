//! The emulator's speed: instructions in a second on the example kernels and, where Oclgrind is installed, the same
//! kernels at the same sizes there, as ratios in one run.
//!
//! `cargo bench --bench run` runs everything. Oclgrind compiles its kernel each time, so its figure is the time of a whole
//! process less that of the same process with one work item and numbers of zero, which does nothing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use visakit::launch::argument::Argument;
use visakit::launch::range::NdRange;
use visakit::run::{Options, Outcome, Program, launch};
use visakit::zebin::Zebin;

/// Each figure is the best of this many.
const REPEATS: usize = 5;

/// A kernel, its sizes and its arguments, for both.
struct Case {
    kernel: &'static str,
    global: [u64; 2],
    local: [u64; 2],
    arguments: Vec<Value>,
}

#[derive(Clone)]
enum Value {
    Buffer(usize),
    Uint(u32),
    Float(f32),
}

fn cases() -> Vec<Case> {
    let n = 1 << 18;
    let (width, height) = (512, 384);
    let mandelbrot = vec![
        Value::Buffer(width * height * 4),
        Value::Uint(width as u32),
        Value::Uint(height as u32),
        Value::Float(-2.2),
        Value::Float(-1.15),
        Value::Float(3.0 / width as f32),
        Value::Uint(100),
    ];
    vec![
        Case {
            kernel: "vector_add",
            global: [n as u64, 1],
            local: [256, 1],
            arguments: vec![Value::Buffer(n * 4), Value::Buffer(n * 4), Value::Buffer(n * 4), Value::Uint(n as u32)],
        },
        Case {
            kernel: "histogram",
            global: [8192, 1],
            local: [256, 1],
            arguments: vec![Value::Buffer(n * 8), Value::Uint(n as u32 * 8), Value::Buffer(1024)],
        },
        Case { kernel: "mandelbrot", global: [width as u64, height as u64], local: [16, 16], arguments: mandelbrot },
    ]
}

fn main() {
    // `cargo test --benches` runs benches with --test: there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let oclgrind = find_oclgrind();
    if oclgrind.is_none() {
        println!("oclgrind-kernel is not installed: no comparison");
    }
    let mut ratios = Vec::new();
    for case in cases() {
        for target in ["skl", "tgllp", "dg2", "pvc"] {
            let outcome = ours(&case, target);
            let rate = outcome.instructions as f64 / outcome.wall.as_secs_f64() / 1e6;
            println!(
                "{:<12}{target:<7}{:>10.3} ms {rate:>8.1} million instructions/s",
                case.kernel,
                outcome.wall.as_secs_f64() * 1e3
            );
            if target == "skl"
                && let Some(oclgrind) = &oclgrind
            {
                let theirs = theirs(oclgrind, &case);
                let ratio = theirs.as_secs_f64() / outcome.wall.as_secs_f64();
                println!(
                    "{:<12}{:<7}{:>10.3} ms: {ratio:.0} times as long",
                    "",
                    "oclgrind",
                    theirs.as_secs_f64() * 1e3
                );
                ratios.push(ratio);
            }
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("geometric mean: oclgrind takes {mean:.0} times as long");
    }
}

fn folder(kernel: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(kernel)
}

fn ours(case: &Case, target: &str) -> Outcome {
    let path = folder(case.kernel).join(format!("{}.{target}.zebin", case.kernel));
    let bytes = std::fs::read(&path).expect("the examples are committed");
    let zebin = Zebin::parse(case.kernel, &bytes).expect("a zebin");
    let program = Program::from_zebin(&zebin, None, None).expect("a kernel");
    let range = NdRange::new(&case.global, Some(&case.local), None, [0; 3]).expect("sizes");
    let arguments: Vec<_> = case
        .arguments
        .iter()
        .map(|value| {
            Some(match value {
                Value::Buffer(size) => Argument::Buffer(vec![0; *size]),
                Value::Uint(value) => Argument::Value(value.to_le_bytes().to_vec()),
                Value::Float(value) => Argument::Value(value.to_le_bytes().to_vec()),
            })
        })
        .collect();
    (0..REPEATS)
        .map(|_| launch(&program, &range, arguments.clone(), &Options::default()).expect("a run"))
        .min_by_key(|outcome| outcome.wall)
        .expect("at least one run")
}

fn find_oclgrind() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("oclgrind-kernel")).find(|file| file.is_file())
}

/// The time that Oclgrind takes for the work, without that for starting and compiling.
fn theirs(oclgrind: &Path, case: &Case) -> Duration {
    let best = |case: &Case| (0..REPEATS.min(3)).map(|_| time(oclgrind, case)).min().expect("at least one run");
    let arguments = case.arguments.iter().map(|value| match value {
        Value::Uint(_) => Value::Uint(0),
        other => other.clone(),
    });
    let nothing = Case { global: [1, 1], local: [1, 1], arguments: arguments.collect(), ..*case };
    best(case).saturating_sub(best(&nothing))
}

fn time(oclgrind: &Path, case: &Case) -> Duration {
    let (global, local) = (case.global, case.local);
    let mut text =
        format!("{0}.cl\n{0}\n{1} {2} 1\n{3} {4} 1\n\n", case.kernel, global[0], global[1], local[0], local[1]);
    for argument in &case.arguments {
        let _ = match argument {
            Value::Buffer(size) => writeln!(text, "<size={size} fill=0>"),
            Value::Uint(value) => writeln!(text, "<size=4 uint>\n{value}"),
            Value::Float(value) => writeln!(text, "<size=4 float>\n{value}"),
        };
    }
    let folder_of_sim = std::env::temp_dir().join(format!("visakit-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder_of_sim).expect("a scratch folder");
    let source = format!("{}.cl", case.kernel);
    std::fs::copy(folder(case.kernel).join(&source), folder_of_sim.join(&source)).expect("the kernel's source");
    std::fs::write(folder_of_sim.join("k.sim"), text).expect("a scratch file");
    let start = Instant::now();
    let status = Command::new(oclgrind)
        .arg("k.sim")
        .current_dir(&folder_of_sim)
        .stdout(Stdio::null())
        .status()
        .expect("oclgrind-kernel starts");
    let time = start.elapsed();
    assert!(status.success(), "oclgrind-kernel failed");
    std::fs::remove_dir_all(&folder_of_sim).expect("the scratch folder");
    time
}
