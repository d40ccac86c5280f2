//! The emulator's speed on kernels of many kinds and, where they are installed, that of Oclgrind and of pocl on the same
//! kernels, sizes and inputs, as ratios in one run; what a launch of next to nothing takes; and how long native code is made.
//!
//! `cargo bench --bench run` runs everything; names behind `--` choose kernels. The programs are those of the conformance
//! suite (`tests/conformance/programs*`). All figures are times of whole launches, ours in place and in any order of groups as by
//! the OpenCL driver. Oclgrind compiles its kernel each time, so its figure is the time of a whole process
//! less that of the same process with one work group and sizes of zero, which does next to nothing. pocl is driven by `benches/pocl.c`, which this bench compiles.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::memory::Lent;
use visakit_emulator::run::{Cache, Engine, Options, Outcome, Program, Surroundings, launch};
use visakit_zebin::Zebin;

/// Each figure is the best of so many rounds, in each of which all have their turn: of at least this many runs, and of as many
/// as there is time for.
const REPEATS: usize = 5;
const ROUNDS: usize = 3;
/// The time for each figure in a round.
const TIME: Duration = Duration::from_millis(100);

/// A kernel, its sizes and its arguments, for all.
struct Case {
    /// The program of the conformance suite that has it.
    program: &'static str,
    kernel: &'static str,
    global: [u64; 2],
    local: [u64; 2],
    arguments: Vec<Value>,
}

#[derive(Clone)]
enum Value {
    /// So many zero bytes.
    Zeros(usize),
    Uints(Vec<u32>),
    Floats(Vec<f32>),
    Doubles(Vec<f64>),
    Uint(u32),
    Float(f32),
}

impl Case {
    /// A file of its program.
    fn file(&self, extension: &str) -> PathBuf {
        visakit_testing::root().join(format!("crates/emulator/tests/conformance/{}.{extension}", self.program))
    }
}

/// Numbers without a pattern, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    fn uints(&mut self, count: usize, below: u32) -> Value {
        Value::Uints((0..count).map(|_| self.next() % below).collect())
    }

    fn floats(&mut self, count: usize) -> Value {
        Value::Floats((0..count).map(|_| (self.next() % 4096) as f32 / 4096.0 + 0.125).collect())
    }
}

fn cases() -> Vec<Case> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let n: usize = 1 << 16;
    let (side, width, height) = (128_u64, 256_u64, 192_u64);
    let square = (side * side) as usize;
    let mut rows = vec![0];
    for _ in 0..n / 4 {
        let last = rows[rows.len() - 1];
        rows.push(last + numbers.next() % 16);
    }
    let entries = rows[rows.len() - 1] as usize;
    let line = |count: usize| ([count as u64, 1], [256, 1]);
    let mut out = Vec::new();
    let mut add = |kernel, (global, local): ([u64; 2], [u64; 2]), arguments| {
        out.push(Case { program: "programs", kernel, global, local, arguments });
    };
    let mut floats = |count| numbers.floats(count);
    let size = Value::Uint(n as u32);
    add("saxpy", line(n), vec![floats(n), floats(n), Value::Float(0.5), size.clone()]);
    let matrices = |floats: &mut dyn FnMut(usize) -> Value| {
        vec![Value::Zeros(square * 4), floats(square), floats(square), Value::Uint(side as u32)]
    };
    add("matmul", ([side; 2], [16; 2]), matrices(&mut floats));
    add("matmul_tiled", ([side; 2], [16; 2]), matrices(&mut floats));
    let bodies = vec![Value::Zeros(1024 * 16), floats(4096), Value::Uint(1024), Value::Float(0.01)];
    add("nbody", ([1024, 1], [64, 1]), bodies);
    let picture = vec![Value::Zeros(n * 4), floats(n), Value::Uint(256), Value::Uint(256)];
    add("stencil", ([256, 256], [64, 4]), picture);
    add("fft", line(n / 2), vec![Value::Zeros(n * 4), floats(n)]);
    let entry_values = floats(entries);
    let vector = floats(n / 4);
    let mut uints = |count, below| numbers.uints(count, below);
    add("histogram", line(4096), vec![Value::Zeros(1024), uints(n, u32::MAX), size.clone()]);
    add("reduce", line(4096), vec![Value::Zeros(64), uints(n, u32::MAX), size]);
    add("scan", line(n), vec![Value::Zeros(n * 4), uints(n, u32::MAX)]);
    add("sort", line(n / 4), vec![Value::Zeros(n), uints(n / 4, u32::MAX)]);
    add("sha256", ([4096, 1], [64, 1]), vec![Value::Zeros(4096 * 32), uints(4096 * 16, u32::MAX)]);
    let places = vec![
        Value::Zeros((width * height * 4) as usize),
        Value::Uint(width as u32),
        Value::Uint(height as u32),
        Value::Uint(100),
    ];
    add("mandelbrot", ([width, height], [16; 2]), places);
    let columns = uints(entries, (n / 4) as u32);
    let count = Value::Uint((n / 4) as u32);
    add("spmv", line(n / 4), vec![Value::Zeros(n), Value::Uints(rows), columns, entry_values, vector, count]);
    out
}

fn more_cases() -> Vec<Case> {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let n: usize = 1 << 16;
    let any = u32::MAX;
    let line = |count: usize| ([count as u64, 1], [256, 1]);
    let square = |side: u64| ([side; 2], [16; 2]);
    let size = |value: usize| Value::Uint(value as u32);
    let mut out = Vec::new();
    let mut add = |kernel, (global, local): ([u64; 2], [u64; 2]), arguments| {
        out.push(Case { program: "programs2", kernel, global, local, arguments });
    };
    add("median", square(256), vec![Value::Zeros(n), numbers.uints(n / 4, any), size(256), size(256)]);
    let points = vec![Value::Zeros(n), numbers.floats(n), numbers.floats(32 * 4), size(n / 4), size(32)];
    add("kmeans", line(n / 4), points);
    let mut options = vec![Value::Zeros(n * 8)];
    options.extend((0..3).map(|_| numbers.floats(n)));
    options.extend([Value::Float(0.02), Value::Float(0.3)]);
    add("black_scholes", line(n), options);
    add("convolve", square(256), vec![Value::Zeros(n * 4), numbers.floats(n), size(256), size(256)]);
    add("align", ([4096, 1], [64, 1]), vec![Value::Zeros(256), numbers.uints(1024, any), numbers.uints(1024, any)]);
    add("gauss", square(128), vec![Value::Zeros(n), numbers.floats(n / 4)]);
    add("mix64", line(n / 4), vec![Value::Zeros(n * 2), numbers.uints(n / 2, any), size(16)]);
    let mut doubles = || Value::Doubles((0..n / 4).map(|_| f64::from(numbers.next()) / 4096.0).collect());
    add("matmul_double", square(128), vec![Value::Zeros(n * 2), doubles(), doubles(), size(128)]);
    out
}

/// Who runs a kernel, in the order of the columns.
const RUNNERS: [&str; 8] = ["interpreter", "native", "1 core", "automatic", "pvc", "pocl", "1 core", "Oclgrind"];
const INTERPRETER: usize = 0;
const NATIVE: usize = 1;
const NATIVE_ALONE: usize = 2;
const AUTOMATIC: usize = 3;
const PVC: usize = 4;
const POCL: usize = 5;
const POCL_ALONE: usize = 6;
const OCLGRIND: usize = 7;

/// A kernel and the seconds that each runner takes.
type Row = (&'static str, [Option<f64>; RUNNERS.len()]);

fn main() {
    // `cargo test --benches` runs benches with --test: there is nothing to test here.
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
    let all: Vec<_> = cases().into_iter().chain(more_cases()).collect();
    let is_chosen = |case: &&Case| chosen.is_empty() || chosen.iter().any(|name| name == case.kernel);
    let mut rows: Vec<Row> = Vec::new();
    for case in all.iter().filter(is_chosen) {
        let source = case.file("cl");
        let runners: [(&str, Engine, Option<usize>); 5] = [
            ("skl", Engine::Interpreter, None),
            ("skl", Engine::Native, None),
            ("skl", Engine::Native, Some(1)),
            ("skl", Engine::Automatic, None),
            ("pvc", Engine::Native, None),
        ];
        let runners = runners.map(|(target, engine, threads)| Ours::new(case, target, engine, threads));
        let mut times = [None; RUNNERS.len()];
        // In turns, so that what else the machine does is not for one of them alone.
        for round in 0..ROUNDS {
            let ours = runners.iter().map(|ours| Some(ours.time()));
            let pocl =
                [None, Some(1)].map(|cores| pocl.as_ref().and_then(|p| on_pocl(p, &source, &folder, case, cores)));
            let oclgrind = oclgrind.as_ref().filter(|_| round == 0);
            let oclgrind = oclgrind.map(|program| on_oclgrind(program, &source, &folder, case).as_secs_f64());
            let round = ours.chain(pocl).chain([oclgrind]);
            for (least, time) in times.iter_mut().zip(round) {
                *least = [*least, time].into_iter().flatten().reduce(f64::min);
            }
        }
        let [outcome, compiled] = [INTERPRETER, NATIVE].map(|n| runners[n].run());
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
    compare("native is to the interpreter", &rows, NATIVE, INTERPRETER);
    compare("Oclgrind is to native", &rows, OCLGRIND, NATIVE);
    overheads(&all, pocl.as_deref(), &folder);
    std::fs::remove_dir_all(&folder).expect("the scratch folder");
}

/// Says how the times of one runner are to those of another: the geometric mean and both ends.
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

/// What it takes to launch next to nothing, and to make native code.
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
        least(&|| drop(ours.run()))
    });
    print!(
        "one group of {}, with copies of its arguments: interpreter {interpreted:.1} us, native {native:.1} us",
        case.kernel
    );
    let pocl = pocl.and_then(|program| on_pocl(program, &case.file("cl"), folder, &tiny, None));
    println!("{}", pocl.map_or(String::new(), |time| format!(", pocl {:.1} us", time * 1e6)));
    let mut first: Vec<Row> = Vec::new();
    for case in all {
        let mut times = [None; RUNNERS.len()];
        for (n, engine) in [(INTERPRETER, Engine::Interpreter), (AUTOMATIC, Engine::Automatic)] {
            let ours = Ours::new(case, "skl", engine, None);
            times[n] = Some(least(&|| drop(ours.run_anew())));
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

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A kernel that is ready to be launched again and again.
struct Ours {
    program: Program,
    range: NdRange,
    arguments: Vec<Option<Argument>>,
    /// The same with memory that is used in place, as the OpenCL driver has it.
    lent: Vec<Option<Argument>>,
    engine: Engine,
    threads: Option<usize>,
    /// Native code is made once, as by other runtimes.
    cache: Cache,
}

impl Ours {
    fn new(case: &Case, target: &str, engine: Engine, threads: Option<usize>) -> Self {
        let file = case.file(&format!("{target}.zebin.gz"));
        let bytes = visakit_testing::unpacked(&file).expect("the programs are committed");
        let zebin = Zebin::parse("programs", &bytes).expect("a zebin");
        let program = Program::from_zebin(&zebin, Some(case.kernel), None).expect("a kernel");
        let range = NdRange::new(&case.global, Some(&case.local), None, [0; 3]).expect("sizes");
        let argument = |value: &Value| match value {
            Value::Uint(value) => Argument::Value(value.to_le_bytes().to_vec()),
            Value::Float(value) => Argument::Value(value.to_le_bytes().to_vec()),
            other => Argument::Buffer(bytes_of(other)),
        };
        let arguments: Vec<_> = case.arguments.iter().map(|value| Some(argument(value))).collect();
        let lend = |argument: &Option<Argument>| match argument {
            Some(Argument::Buffer(bytes)) => {
                let words = bytes
                    .chunks(4)
                    .map(|word| AtomicU32::new(word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))));
                // A bench ends soon.
                let words = words.collect::<Vec<_>>().leak();
                Some(Argument::Lent(Lent { words, bytes: bytes.len(), owner: Arc::new(()) }, None))
            }
            other => other.clone(),
        };
        let lent = arguments.iter().map(lend).collect();
        Self { program, range, arguments, lent, engine, threads, cache: Cache::default() }
    }

    fn run(&self) -> Outcome {
        self.launch(&self.cache, &self.arguments, false)
    }

    /// The same in place, as by the driver.
    fn run_in_place(&self) -> Outcome {
        self.launch(&self.cache, &self.lent, true)
    }

    /// The same with nothing made before.
    fn run_anew(&self) -> Outcome {
        self.launch(&Cache::default(), &self.lent, true)
    }

    fn launch(&self, cache: &Cache, arguments: &[Option<Argument>], any_order: bool) -> Outcome {
        let surroundings = Surroundings { cache: Some(cache), ..Surroundings::default() };
        let (engine, threads) = (self.engine, self.threads);
        let options = Options { engine, threads, surroundings, any_order, ..Options::default() };
        launch(&self.program, &self.range, arguments.to_vec(), &options).expect("a run")
    }

    /// The seconds of the best of several launches.
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

fn bytes_of(value: &Value) -> Vec<u8> {
    match value {
        Value::Zeros(size) => vec![0; *size],
        Value::Uints(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Value::Floats(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Value::Doubles(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Value::Uint(_) | Value::Float(_) => Vec::new(),
    }
}

/// The time that Oclgrind takes for the work, without that for starting and compiling.
fn on_oclgrind(oclgrind: &Path, source: &Path, folder: &Path, case: &Case) -> Duration {
    let time = |case: &Case| {
        std::fs::write(folder.join("k.sim"), simulation(source, case)).expect("a scratch file");
        let start = Instant::now();
        let status = Command::new(oclgrind).arg("k.sim").current_dir(folder).stdout(Stdio::null()).status();
        assert!(status.expect("oclgrind-kernel starts").success(), "oclgrind-kernel failed");
        start.elapsed()
    };
    let arguments = case.arguments.iter().map(|value| match value {
        Value::Uint(_) => Value::Uint(0),
        other => other.clone(),
    });
    let nothing = Case { global: case.local, arguments: arguments.collect(), ..*case };
    time(case).saturating_sub(time(&nothing))
}

/// What oclgrind-kernel reads.
fn simulation(source: &Path, case: &Case) -> String {
    let (global, local, kernel) = (case.global, case.local, case.kernel);
    let mut text =
        format!("{}\n{kernel}\n{} {} 1\n{} {} 1\n\n", source.display(), global[0], global[1], local[0], local[1]);
    for argument in &case.arguments {
        let size = bytes_of(argument).len();
        let _ = match argument {
            Value::Zeros(size) => writeln!(text, "<size={size} fill=0>"),
            Value::Uint(value) => writeln!(text, "<size=4 uint>\n{value}"),
            Value::Float(value) => writeln!(text, "<size=4 float>\n{value}"),
            Value::Uints(values) => {
                let values: Vec<_> = values.iter().map(u32::to_string).collect();
                writeln!(text, "<size={size} uint>\n{}", values.join(" "))
            }
            Value::Doubles(values) => {
                let values: Vec<_> = values.iter().map(f64::to_string).collect();
                writeln!(text, "<size={size} double>\n{}", values.join(" "))
            }
            Value::Floats(values) => {
                let values: Vec<_> = values.iter().map(f32::to_string).collect();
                writeln!(text, "<size={size} float>\n{}", values.join(" "))
            }
        };
    }
    text
}

/// Compiles the program that drives pocl.
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

/// The seconds that pocl takes; none when there is no pocl.
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
