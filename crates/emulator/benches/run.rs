//! Benchmark of the emulator on kernels of many kinds, compared with Oclgrind and pocl (if
//! installed) on the same kernels, sizes and inputs in one run; also the cost of a tiny launch and
//! of compiling native code.
//!
//! `cargo bench -p visakit-emulator --bench run` runs everything; names after `--` select kernels.
//! The programs are those of the conformance suite (`tests/conformance/programs*`), made by the
//! compiler of 2022; `today` marks those of today's. All figures are times of whole launches; ours
//! run in place and in any order of groups, as in the OpenCL driver. Oclgrind compiles its kernel
//! each time, so its figure is the time of a process minus that of the same process with one
//! work-group and sizes of zero. `benches/pocl.c`, compiled by this benchmark, drives pocl.

mod cases;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::buffer::Lent;
use visakit_emulator::run::{Cache, Engine, GroupOrder, Options, Outcome, Policy, Program, Surroundings, launch};

use cases::{Case, Value, bytes_of, find, on_oclgrind};

/// Smallest number of runs per round, and number of rounds. The runners take turns in each round;
/// each figure is the best over all rounds.
const REPEATS: usize = 5;
const ROUNDS: usize = 3;
/// Time per figure in a round.
const TIME: Duration = Duration::from_millis(100);

/// Runners of a kernel, in column order.
const RUNNERS: [&str; 10] =
    ["interpreter", "native", "1 core", "automatic", "pvc", "dg2 today", "bmg today", "pocl", "1 core", "Oclgrind"];
const INTERPRETER: usize = 0;
const NATIVE: usize = 1;
const NATIVE_ALONE: usize = 2;
const AUTOMATIC: usize = 3;
const PVC: usize = 4;
const DG2: usize = 5;
const BMG: usize = 6;
const POCL: usize = 7;
const POCL_ALONE: usize = 8;
const OCLGRIND: usize = 9;

/// A kernel and the time of each runner in seconds.
type Row = (&'static str, [Option<f64>; RUNNERS.len()]);

fn main() {
    // `cargo test --benches` runs benchmarks with `--test`, which has no work here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let folder = std::env::temp_dir().join(format!("visakit-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let (oclgrind, pocl) = (find("oclgrind-kernel"), pocl_host(&folder));
    if oclgrind.is_none() || pocl.is_none() {
        println!("oclgrind-kernel, or a C compiler with pocl's headers, is missing: no comparison with it");
    }
    print!("{:<14}", "ms");
    RUNNERS.iter().for_each(|name| print!("{name:>12}"));
    println!("{:>10}{:>12}", "/ pocl", "million/s");
    let all = cases::all();
    let is_chosen = |case: &&Case| chosen.is_empty() || chosen.iter().any(|name| name == case.kernel);
    let mut rows: Vec<Row> = Vec::new();
    for case in all.iter().filter(is_chosen) {
        let source = case.file("cl");
        let runners: [(&str, Engine, Option<usize>); 7] = [
            ("skl", Engine::Interpreter, None),
            ("skl", Engine::Native, None),
            ("skl", Engine::Native, Some(1)),
            ("skl", Engine::Automatic, None),
            ("pvc", Engine::Native, None),
            ("dg2 today", Engine::Native, None),
            ("bmg today", Engine::Native, None),
        ];
        // dg2 has no doubles.
        let has_doubles = case.arguments.iter().any(|value| matches!(value, Value::Doubles(_)));
        let has = |target: &str| !target.starts_with("dg2") || !has_doubles;
        let runners =
            runners.map(|(target, engine, threads)| has(target).then(|| Ours::new(case, target, engine, threads)));
        let mut times = [None; RUNNERS.len()];
        // Interleaved, so that other load on the machine affects all runners.
        for round in 0..ROUNDS {
            let ours = runners.iter().map(|ours| ours.as_ref().map(Ours::time));
            let pocl =
                [None, Some(1)].map(|cores| pocl.as_ref().and_then(|p| on_pocl(p, &source, &folder, case, cores)));
            let oclgrind = oclgrind.as_ref().filter(|_| round == 0);
            let oclgrind =
                oclgrind.and_then(|program| on_oclgrind(program, &[], &folder, case)).map(|time| time.as_secs_f64());
            let round = ours.chain(pocl).chain([oclgrind]);
            for (least, time) in times.iter_mut().zip(round) {
                *least = [*least, time].into_iter().flatten().reduce(f64::min);
            }
        }
        let [Some(outcome), Some(compiled)] = [INTERPRETER, NATIVE].map(|n| runners[n].as_ref().map(Ours::run))
        else {
            continue;
        };
        assert!(outcome.buffers == compiled.buffers, "{}: the engines differ", case.kernel);
        print!("{:<14}", case.kernel);
        for time in times {
            print!("{:>12}", time.map_or("-".to_owned(), |time| format!("{:.3}", time * 1e3)));
        }
        let ratio = times[NATIVE].zip(times[POCL]).map_or("-".to_owned(), |(own, pocl)| format!("{:.2}", own / pocl));
        println!("{ratio:>10}{:>12.1}", outcome.instructions as f64 / times[NATIVE].unwrap_or(f64::NAN) / 1e6);
        rows.push((case.kernel, times));
    }
    compare("native is to pocl", &rows, NATIVE, POCL);
    let small = |kernel: &str| matches!(kernel, "saxpy" | "stencil");
    let (launches, others): (Vec<Row>, Vec<Row>) = rows.iter().partition(|(kernel, _)| small(kernel));
    compare("that is, saxpy and stencil", &launches, NATIVE, POCL);
    compare("and all others", &others, NATIVE, POCL);
    compare("on one core", &rows, NATIVE_ALONE, POCL_ALONE);
    compare("automatic is to pocl", &rows, AUTOMATIC, POCL);
    compare("the interpreter is to pocl", &rows, INTERPRETER, POCL);
    compare("pvc programs are to pocl", &rows, PVC, POCL);
    compare("today's dg2 programs are to pocl", &rows, DG2, POCL);
    compare("today's bmg programs are to pocl", &rows, BMG, POCL);
    compare("native is to the interpreter", &rows, NATIVE, INTERPRETER);
    compare("Oclgrind is to native", &rows, OCLGRIND, NATIVE);
    overheads(&all, pocl.as_deref(), &folder);
    std::fs::remove_dir_all(&folder).expect("the scratch folder");
}

/// Prints the ratios of one runner's times to another's: geometric mean, smallest and largest.
fn compare(what: &str, rows: &[Row], one: usize, other: usize) {
    let ratio = |(kernel, times): &Row| Some((times[one]? / times[other]?, *kernel));
    let mut ratios: Vec<_> = rows.iter().filter_map(ratio).collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let [first, .., last] = ratios[..] {
        let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let (least, most) = (format!("{:.2} {}", first.0, first.1), format!("{:.2} {}", last.0, last.1));
        println!("{what:<42}{mean:>9.2}   from {least} to {most}");
    }
}

/// Measures the overhead of a tiny launch, and of compiling native code.
fn overheads(all: &[Case], pocl: Option<&Path>, folder: &Path) {
    let Some(case) = all.first() else { return };
    let tiny = Case { global: case.local, arguments: case.arguments.clone(), ..*case };
    let least = |f: &dyn Fn()| {
        let start = Instant::now();
        let times = (0..).take_while(|n| *n < 3 || start.elapsed() < TIME).map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        });
        times.reduce(f64::min).unwrap_or(f64::NAN) * 1e6
    };
    let [interpreted, native] = [Engine::Interpreter, Engine::Native].map(|engine| {
        let ours = Ours::new(&tiny, "skl", engine, None);
        least(&|| drop(ours.run_in_place()))
    });
    print!("one group of {}: interpreter {interpreted:.1} us, native {native:.1} us", case.kernel);
    let pocl = pocl.and_then(|program| on_pocl(program, &case.file("cl"), folder, &tiny, None));
    println!("{}", pocl.map_or(String::new(), |time| format!(", pocl {:.1} us", time * 1e6)));
    let mut first: Vec<Row> = Vec::new();
    for case in all {
        let mut times = [None; RUNNERS.len()];
        let both = [Engine::Interpreter, Engine::Automatic].map(|engine| Ours::new(case, "skl", engine, None));
        let begin = Instant::now();
        // Interleave the runners, so that other load on the machine affects all of them.
        for _ in (0..).take_while(|n| *n < ROUNDS * REPEATS || begin.elapsed() < TIME) {
            for (n, ours) in [INTERPRETER, AUTOMATIC].into_iter().zip(&both) {
                let start = Instant::now();
                drop(ours.run_anew());
                times[n] = [times[n], Some(start.elapsed().as_secs_f64())].into_iter().flatten().reduce(f64::min);
            }
        }
        first.push((case.kernel, times));
    }
    compare("first launches, automatic to interpreter", &first, AUTOMATIC, INTERPRETER);
    let (mut instructions, mut made, mut lowered) = (0, 0.0, 0.0);
    for case in all {
        let first = Case { global: case.local, arguments: case.arguments.clone(), ..*case };
        let [interpreted, native] = [Engine::Interpreter, Engine::Native].map(|engine| {
            let ours = Ours::new(&first, "skl", engine, None);
            least(&|| drop(ours.run_anew()))
        });
        let ours = Ours::new(&first, "skl", Engine::Native, None);
        let run = least(&|| drop(ours.run_in_place()));
        instructions += ours.instructions();
        made += native - interpreted.min(native);
        lowered += interpreted - run.min(interpreted);
    }
    let each = 1e-3 / instructions as f64 * 1e3;
    println!(
        "{instructions} instructions of all kernels: {:.2} ms a thousand to lower, {:.2} more for native code",
        lowered * each,
        made * each
    );
}

/// A kernel ready for repeated launches.
struct Ours {
    program: Program,
    range: NdRange,
    arguments: Vec<Option<Argument>>,
    /// Arguments in memory used in place, as in the OpenCL driver.
    lent: Vec<Option<Argument>>,
    engine: Engine,
    threads: Option<usize>,
    /// Cache, so that native code is compiled once, as in other runtimes.
    cache: Cache,
}

impl Ours {
    fn new(case: &Case, target: &str, engine: Engine, threads: Option<usize>) -> Self {
        let (program, range, arguments) = case.load(target);
        let lend = |argument: &Option<Argument>| match argument {
            Some(Argument::Buffer(bytes)) => {
                let words = bytes
                    .chunks(4)
                    .map(|word| AtomicU32::new(word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))));
                // Leaking is acceptable in a benchmark.
                let words = words.collect::<Vec<_>>().leak();
                Some(Argument::Lent(Lent { words, bytes: bytes.len(), owner: Arc::new(()), guards: None }, None))
            }
            other => other.clone(),
        };
        let lent = arguments.iter().map(lend).collect();
        Self { program, range, arguments, lent, engine, threads, cache: Cache::default() }
    }

    fn run(&self) -> Outcome {
        self.launch(&self.cache, &self.arguments, false)
    }

    /// Runs in place, as the OpenCL driver does.
    fn run_in_place(&self) -> Outcome {
        self.launch(&self.cache, &self.lent, true)
    }

    /// Runs in place with an empty cache.
    fn run_anew(&self) -> Outcome {
        self.launch(&Cache::default(), &self.lent, true)
    }

    fn launch(&self, cache: &Cache, arguments: &[Option<Argument>], any_order: bool) -> Outcome {
        let surroundings = Surroundings { cache: Some(cache), ..Surroundings::default() };
        let (engine, threads) = (self.engine, self.threads);
        let policy = Policy { engine, threads, order: GroupOrder::any_if(any_order), ..Policy::default() };
        let options = Options { policy, surroundings, ..Options::default() };
        launch(&self.program, &self.range, arguments.to_vec(), &options).expect("a run")
    }

    /// Returns the time in seconds of the best of several launches.
    fn time(&self) -> f64 {
        let begin = Instant::now();
        let runs = (0..).take_while(|n| *n < REPEATS || begin.elapsed() < TIME);
        let times = runs.map(|_| {
            let start = Instant::now();
            drop(self.run_in_place());
            start.elapsed().as_secs_f64()
        });
        times.reduce(f64::min).expect("at least one run")
    }

    fn instructions(&self) -> usize {
        self.program.routine.instructions.len()
    }
}

/// Compiles the host program for pocl.
fn pocl_host(folder: &Path) -> Option<PathBuf> {
    let program = folder.join("pocl");
    let mut compiler = Command::new("cc");
    compiler
        .arg("-O1")
        .arg(visakit_testing::root().join("crates/emulator/benches/pocl.c"))
        .arg("-o")
        .arg(&program)
        .arg("-lOpenCL");
    let status = compiler.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    status.success().then_some(program)
}

/// Returns pocl's time in seconds; `None` without pocl.
fn on_pocl(program: &Path, source: &Path, folder: &Path, case: &Case, cores: Option<usize>) -> Option<f64> {
    let mut command = Command::new(program);
    command.envs(cores.map(|cores| ("POCL_MAX_PTHREAD_COUNT", cores.to_string())));
    command.arg(source).arg(case.kernel).args([case.global, case.local].as_flattened().iter().map(u64::to_string));
    for (n, argument) in case.arguments.iter().enumerate() {
        command.arg(match argument {
            Value::Zeros(size) => format!("zeros:{size}"),
            Value::Uint(value) => format!("u32:{value}"),
            Value::Float(value) => format!("f32:{value}"),
            other => {
                let path = folder.join(format!("{n}.bin"));
                std::fs::write(&path, bytes_of(other)).expect("a scratch file");
                format!("file:{}", path.display())
            }
        });
    }
    let output =
        command.env("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd").stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
