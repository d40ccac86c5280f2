//! Cost of `visa run --check`: the time of checked launches relative to plain ones on one thread,
//! and Oclgrind's corresponding ratios for the same kernels in the same run.
//!
//! `cargo bench -p visakit-emulator --bench checks` runs everything; names after `--` select
//! kernels.

mod cases;

use std::time::{Duration, Instant};

use visakit_emulator::check::{Checks, check};
use visakit_emulator::run::{Engine, Options, Policy, launch};

use cases::{Case, find, on_oclgrind};

/// Number of rounds; each figure is the best of them.
const ROUNDS: usize = 3;
/// Time per figure in a round.
const TIME: Duration = Duration::from_millis(100);
/// Checks, in column order.
const CHECKS: [&str; 4] = ["bounds", "race", "uninit", "all"];
/// Corresponding options of Oclgrind, which always checks bounds.
const OCLGRIND: [&[&str]; 3] = [&["--data-races"], &["--uninitialized"], &["--data-races", "--uninitialized"]];

fn main() {
    // `cargo test --benches` runs benchmarks with `--test`, which has no work here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let folder = std::env::temp_dir().join(format!("visakit-checks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let oclgrind = find("oclgrind-kernel");
    print!("{:<16}{:>10}", "times of plain", "plain, ms");
    CHECKS.iter().for_each(|name| print!("{name:>8}"));
    println!("{:>16}{:>8}{:>8}{:>8}", "Oclgrind, ms", "race", "uninit", "both");
    let mut ratios: Vec<Vec<f64>> = Vec::new();
    for case in cases::all().iter().filter(|case| chosen.is_empty() || chosen.iter().any(|name| name == case.kernel))
    {
        let own = own(case);
        print!("{:<16}", case.kernel);
        let mut row = told(&own, 10);
        if let Some(program) = &oclgrind {
            // A kernel that Oclgrind cannot run has no time and does not count in the mean.
            let time = |options: &[&str]| {
                on_oclgrind(program, options, &folder, case).map_or(f64::NAN, |time| time.as_secs_f64())
            };
            let times: Vec<_> = std::iter::once(&[][..]).chain(OCLGRIND).map(time).collect();
            row.extend(told(&times, 16));
        }
        println!();
        ratios.push(row);
    }
    print!("{:<26}", "geometric mean");
    for n in 0..ratios.first().map_or(0, Vec::len) {
        let known: Vec<_> = ratios.iter().map(|row| row[n].ln()).filter(|ratio| ratio.is_finite()).collect();
        let mean = (known.iter().sum::<f64>() / known.len() as f64).exp();
        let width = if n == CHECKS.len() { 24 } else { 8 };
        print!("{mean:>width$.2}");
    }
    println!();
    std::fs::remove_dir_all(&folder).expect("the scratch folder");
}

/// Prints the first time, and returns the ratios of the other times to it.
fn told(times: &[f64], width: usize) -> Vec<f64> {
    print!("{:>width$.3}", times[0] * 1e3);
    let ratios = times[1..].iter().map(|time| time / times[0]);
    ratios.inspect(|ratio| print!("{ratio:>8.2}")).collect()
}

/// Returns the times in seconds of a plain launch and of launches with each list of checks: the
/// best of several interleaved rounds.
fn own(case: &Case) -> Vec<f64> {
    let (program, range, arguments) = case.load("skl");
    let options = Options::from(Policy { engine: Engine::Interpreter, threads: Some(1), ..Policy::default() });
    let plain = || drop(launch(&program, &range, arguments.clone(), &options).expect("a run"));
    let checked = |list: &str| {
        let checks = Checks::parse(list).expect("a list of checks");
        let checked = check(&program, &range, || Ok(arguments.clone()), &options, checks).expect("a checked run");
        assert!(checked.findings.is_empty(), "{}: {}", case.kernel, checked.findings[0].report);
    };
    let mut best = vec![f64::INFINITY; 1 + CHECKS.len()];
    for _ in 0..ROUNDS {
        best[0] = best[0].min(seconds(&plain));
        for (best, list) in best[1..].iter_mut().zip(CHECKS) {
            *best = best.min(seconds(&|| checked(list)));
        }
    }
    best
}

/// Returns the time in seconds of the best of several runs.
fn seconds(run: &dyn Fn()) -> f64 {
    let begin = Instant::now();
    let times = (0..).take_while(|n| *n < 2 || begin.elapsed() < TIME).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    times.reduce(f64::min).expect("at least one run")
}
