//! The example kernels on the emulator, and the Mandelbrot set beside Oclgrind where that is installed: the same kernel,
//! the same size, in one run of the program.
//!
//! `cargo bench --bench run`

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use visakit::launch::argument::Argument;
use visakit::launch::range::NdRange;
use visakit::run::{Options, Program, launch};
use visakit::zebin::Zebin;

const WIDTH: u32 = 256;
const HEIGHT: u32 = 192;
const LIMIT: u32 = 400;

fn main() {
    // `cargo test --benches` runs benches with --test: there is nothing to test here.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    println!("{:<24}{:>12}{:>22}{:>20}", "kernel", "dispatch", "instructions/s", "channels/s");
    for target in ["skl", "tgllp", "dg2", "pvc"] {
        row(&format!("vector_add {target}"), || vector_add(target));
        row(&format!("histogram {target}"), || histogram(target));
        row(&format!("mandelbrot {target}"), || mandelbrot(target, None));
    }
    let Some(oclgrind) = oclgrind() else {
        println!("Oclgrind is not installed: no comparison");
        return;
    };
    let ours = (0..5).map(|_| mandelbrot("dg2", None).0).min().unwrap_or_default();
    let one = (0..5).map(|_| mandelbrot("dg2", Some(1)).0).min().unwrap_or_default();
    let ratio = |time: Duration| oclgrind.as_secs_f64() / time.as_secs_f64();
    println!("Mandelbrot set of {WIDTH}x{HEIGHT}, {LIMIT} steps: Oclgrind takes {oclgrind:.2?}, start-up apart;");
    println!(
        "visakit takes {ours:.2?} on all cores ({:.0} times as fast), {one:.2?} on one ({:.0} times)",
        ratio(ours),
        ratio(one)
    );
}

fn row(name: &str, mut run: impl FnMut() -> (Duration, u64, u64)) {
    let best = (0..5).map(|_| run()).min().unwrap_or_default();
    let seconds = best.0.as_secs_f64();
    let rate = |n: u64| n as f64 / seconds / 1e6;
    println!("{name:<24}{:>12.2?}{:>16.1} M/s{:>14.1} M/s", best.0, rate(best.1), rate(best.2));
}

/// Wall time of the dispatch, instructions and channels of them.
fn run(
    name: &str,
    target: &str,
    global: &[u64],
    threads: Option<usize>,
    arguments: Vec<Argument>,
) -> (Duration, u64, u64) {
    let path = root().join(format!("{name}/{name}.{target}.zebin"));
    let bytes = std::fs::read(&path).expect("a committed zebin");
    let zebin = Zebin::parse(&path.display().to_string(), &bytes).expect("a zebin");
    let program = Program::from_zebin(&zebin, None, None).expect("a kernel");
    let range = NdRange::new(global, None, None, program.required_local_size()).expect("a range");
    let arguments: Vec<_> = arguments.into_iter().map(Some).collect();
    let counted = Options { threads, stats: true, ..Options::default() };
    let stats = launch(&program, &range, arguments.clone(), &counted).expect("it runs").stats.expect("counts");
    let plain = Options { threads, ..Options::default() };
    let outcome = launch(&program, &range, arguments, &plain).expect("it runs");
    (outcome.wall, stats.instructions, stats.lane_operations)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

fn value(bytes: [u8; 4]) -> Argument {
    Argument::Value(bytes.to_vec())
}

fn vector_add(target: &str) -> (Duration, u64, u64) {
    const N: u32 = 1_000_003;
    let floats = || Argument::Buffer((0..N).flat_map(|i| (i as f32).to_le_bytes()).collect());
    let arguments = vec![floats(), floats(), Argument::Buffer(vec![0; N as usize * 4]), value(N.to_le_bytes())];
    run("vector_add", target, &[u64::from(N).next_multiple_of(64)], None, arguments)
}

fn histogram(target: &str) -> (Duration, u64, u64) {
    const N: u32 = 1_000_003;
    let data = (0..N).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let arguments = vec![Argument::Buffer(data), value(N.to_le_bytes()), Argument::Buffer(vec![0; 1024])];
    run("histogram", target, &[8192], None, arguments)
}

fn mandelbrot(target: &str, threads: Option<usize>) -> (Duration, u64, u64) {
    let arguments = vec![
        Argument::Buffer(vec![0; (WIDTH * HEIGHT * 4) as usize]),
        value(WIDTH.to_le_bytes()),
        value(HEIGHT.to_le_bytes()),
        value((-2.2_f32).to_le_bytes()),
        value((-1.15_f32).to_le_bytes()),
        value((3.0 / WIDTH as f32).to_le_bytes()),
        value(LIMIT.to_le_bytes()),
    ];
    run("mandelbrot", target, &[u64::from(WIDTH), u64::from(HEIGHT)], threads, arguments)
}

/// Time of the Mandelbrot kernel under Oclgrind, less that of the same launch with a single step.
fn oclgrind() -> Option<Duration> {
    let whole = oclgrind_run(LIMIT)?;
    let start_up = oclgrind_run(1)?;
    Some(whole.saturating_sub(start_up))
}

fn oclgrind_run(limit: u32) -> Option<Duration> {
    let dir = std::env::temp_dir().join(format!("visakit-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir).ok()?;
    let kernel = root().join("mandelbrot/mandelbrot.cl");
    let pitch = 3.0 / WIDTH as f32;
    let bytes = WIDTH * HEIGHT * 4;
    let text = format!(
        "{}\nmandelbrot\n{WIDTH} {HEIGHT} 1\n16 16 1\n\n<size={bytes} fill=0>\n<size=4 uint>\n{WIDTH}\n\
         <size=4 uint>\n{HEIGHT}\n<size=4 float>\n-2.2\n<size=4 float>\n-1.15\n<size=4 float>\n{pitch}\n\
         <size=4 uint>\n{limit}\n",
        kernel.display()
    );
    let sim = dir.join("mandelbrot.sim");
    std::fs::write(&sim, text).ok()?;
    let start = Instant::now();
    let status = Command::new("oclgrind-kernel").arg(&sim).output().ok()?.status;
    let time = start.elapsed();
    let _ = std::fs::remove_dir_all(&dir);
    status.success().then_some(time)
}
