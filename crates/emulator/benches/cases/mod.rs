//! Benchmark kernels, and Oclgrind's times for them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::Program;
use visakit_zebin::Zebin;

/// A kernel with its sizes and arguments, for all runners.
pub(crate) struct Case {
    /// Program of the conformance suite that contains the kernel.
    pub(crate) program: &'static str,
    pub(crate) kernel: &'static str,
    pub(crate) global: [u64; 2],
    pub(crate) local: [u64; 2],
    pub(crate) arguments: Vec<Value>,
}

#[derive(Clone)]
pub(crate) enum Value {
    /// A buffer of this many zero bytes.
    Zeros(usize),
    Uints(Vec<u32>),
    Floats(Vec<f32>),
    Doubles(Vec<f64>),
    Uint(u32),
    Float(f32),
}

impl Case {
    /// Returns the path of a file of the case's program.
    pub(crate) fn file(&self, extension: &str) -> PathBuf {
        visakit_testing::root().join(format!("crates/emulator/tests/conformance/{}.{extension}", self.program))
    }

    /// Loads the case for the emulator: the program for a target, the sizes and the arguments.
    /// `TARGET today` is the program of today's compiler.
    pub(crate) fn load(&self, target: &str) -> (Program, NdRange, Vec<Option<Argument>>) {
        let file = match target.strip_suffix(" today") {
            Some(target) => self.file("cl").with_file_name(format!("today/{}.{target}.zebin.gz", self.program)),
            None => self.file(&format!("{target}.zebin.gz")),
        };
        let bytes = visakit_testing::unpacked(&file).expect("the programs are committed");
        let zebin = Zebin::parse("programs", &bytes).expect("a zebin");
        let program = Program::from_zebin(&zebin, Some(self.kernel), None).expect("a kernel");
        let range = NdRange::new(&self.global, Some(&self.local), None, [0; 3]).expect("sizes");
        let argument = |value: &Value| match value {
            Value::Uint(value) => Argument::Value(value.to_le_bytes().to_vec()),
            Value::Float(value) => Argument::Value(value.to_le_bytes().to_vec()),
            other => Argument::Buffer(bytes_of(other)),
        };
        (program, range, self.arguments.iter().map(|value| Some(argument(value))).collect())
    }
}

/// Generator of pseudo-random numbers, the same in every run.
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

/// Returns the kernels of the first program.
fn first() -> Vec<Case> {
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

/// Returns the kernels of the second program.
fn second() -> Vec<Case> {
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

/// Returns kernels with private arrays.
fn third() -> Vec<Case> {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    let n: usize = 1 << 15;
    let case = |(kernel, bytes): (&'static str, usize)| {
        let arguments = vec![Value::Zeros(n * bytes), numbers.uints(64, u32::MAX)];
        Case { program: "arrays", kernel, global: [n as u64, 1], local: [64, 1], arguments }
    };
    [("sort_few", 4), ("mix_uint", 4), ("mix_uchar", 1)].map(case).into()
}

/// Returns kernels of frequent idioms.
fn fourth() -> Vec<Case> {
    let mut numbers = Numbers(0x0fed_cba9_8765_4321);
    let n: usize = 1 << 15;
    let mut case = |kernel, bytes: usize| {
        let arguments = vec![Value::Zeros(n * bytes), numbers.uints(64, u32::MAX)];
        Case { program: "idioms", kernel, global: [n as u64, 1], local: [64, 1], arguments }
    };
    let mut out = vec![case("counts", 4), case("eights", 32), case("bytes", 4), case("functions", 4)];
    let slots = case("slots", 4);
    let [result, numbers] = [slots.arguments[0].clone(), slots.arguments[1].clone()];
    out.push(Case { arguments: vec![result, Value::Zeros(n * 16), numbers], ..slots });
    out
}

/// Returns kernels whose groups meet at barriers after little work.
fn fifth() -> Vec<Case> {
    let mut numbers = Numbers(0x7654_3210_fedc_ba98);
    let n: usize = 1 << 16;
    let mut case = |kernel, (local, results): (u64, usize)| {
        let arguments = vec![Value::Zeros(results * 4), numbers.uints(n, u32::MAX)];
        Case { program: "barriers", kernel, global: [n as u64, 1], local: [local, 1], arguments }
    };
    vec![case("sums", (64, n / 64)), case("prefixes", (128, n))]
}

/// Returns all kernels.
pub(crate) fn all() -> Vec<Case> {
    first().into_iter().chain(second()).chain(third()).chain(fourth()).chain(fifth()).collect()
}

/// Returns the contents of a buffer; empty for other arguments.
pub(crate) fn bytes_of(value: &Value) -> Vec<u8> {
    match value {
        Value::Zeros(size) => vec![0; *size],
        Value::Uints(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Value::Floats(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Value::Doubles(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        Value::Uint(_) | Value::Float(_) => Vec::new(),
    }
}

/// Finds a program in the search path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Returns Oclgrind's time for the work, without startup and compilation; `None` on failure.
pub(crate) fn on_oclgrind(oclgrind: &Path, options: &[&str], folder: &Path, case: &Case) -> Option<Duration> {
    let time = |case: &Case| {
        std::fs::write(folder.join("k.sim"), simulation(&case.file("cl"), case)).expect("a scratch file");
        let start = Instant::now();
        let status = Command::new(oclgrind)
            .args(options)
            .arg("k.sim")
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.expect("oclgrind-kernel starts").success().then(|| start.elapsed())
    };
    let arguments = case.arguments.iter().map(|value| match value {
        Value::Uint(_) => Value::Uint(0),
        other => other.clone(),
    });
    let nothing = Case { global: case.local, arguments: arguments.collect(), ..*case };
    Some(time(case)?.saturating_sub(time(&nothing)?))
}

/// Returns the input of oclgrind-kernel for a case.
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
