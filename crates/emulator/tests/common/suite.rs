//! Conformance suites: OpenCL kernels with cases, run on the emulator and compared with results of
//! other devices or the host.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde::Deserialize;

use visakit_emulator::check::{Checks, check};
use visakit_emulator::kernels::code::Interpreter;
use visakit_emulator::launch::argument::{Argument, ImageArgument};
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::machine::format::Format;
use visakit_emulator::machine::image::ImageDesc;
use visakit_emulator::machine::sampler::{Addressing, Sampler};
use visakit_emulator::run::{Engine, Options, Outcome, Outside, Policy, Program, Surroundings, launch};
use visakit_zebin::Zebin;

/// Function that runs a case with an interpreter of instructions.
pub(crate) type Run<'a> = dyn FnMut(Option<&dyn Interpreter>) + 'a;

/// Configuration of a suite.
pub(crate) struct Suite<'a> {
    /// Folder of the suite's files.
    pub folder: &'a Path,
    /// Folder of the programs, and their targets. A program may be missing if the line `// targets`
    /// of the source omits the target, or if `refused.txt` has a line `FAMILY TARGET`.
    pub programs: &'a Path,
    pub targets: &'a [&'a str],
    /// True for a suite of another project, for which only the pass rate is printed.
    pub is_other: bool,
    /// Sampling interval of cases per family that also run with all checks, which must find
    /// nothing.
    pub checked: Option<usize>,
    /// Sampling interval of cases that also run natively, with the same result.
    pub native: Option<usize>,
    /// Sampling interval of cases to run at all; the phase differs by family and target.
    pub taken: usize,
    /// Instruction budget of a thread; real programs may need a large one.
    pub limit: u64,
    /// Calls its argument with an interpreter; `None` for the kernels.
    pub with: &'a (dyn Fn(&mut Run<'_>) + Sync),
}

/// Targets of programs: of the 2022 compiler, with a program per family, and of the 2026 compiler.
pub(crate) const TARGETS: [&str; 9] = ["skl", "tgllp", "dg2", "pvc", "mtl", "bmg", "ptl", "cri", "nvl-p"];
const OLD: &[&str] = TARGETS.split_at(4).0;

/// Cases of a family.
#[derive(Deserialize)]
struct Family {
    /// Buffer contents in hexadecimal, by name.
    data: BTreeMap<String, String>,
    cases: Vec<Case>,
}

/// A launch of a kernel.
#[derive(Deserialize)]
struct Case {
    /// Name of the case, if several cases share a kernel.
    #[serde(default)]
    name: String,
    kernel: String,
    glob: Vec<u64>,
    /// Local size; `None` for the required size or any.
    loc: Option<Vec<u64>>,
    #[serde(default)]
    off: Option<Vec<u64>>,
    args: Vec<Given>,
    check: Vec<Check>,
    /// True if the expectation is deliberately wrong.
    #[serde(default)]
    fails: bool,
}

/// Value of an argument.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Given {
    /// A read-only buffer: a name in the data.
    In(String),
    /// A read-write buffer.
    Inout(String),
    /// A buffer of this many zero bytes.
    Out(usize),
    /// The buffer or image of another argument.
    Same(u32),
    /// A null pointer.
    Null,
    /// Bytes of a value.
    Val(String),
    /// Size of shared local memory in bytes.
    Local(u32),
    /// An image.
    Image(Pixels),
    /// Normalised coordinates, addressing mode, filter and mip filter as OpenCL numbers; the last
    /// may be missing.
    Sampler(Vec<u32>),
}

/// An image argument.
#[derive(Deserialize)]
struct Pixels {
    format: String,
    size: [u32; 3],
    layers: u32,
    /// OpenCL number of the image kind.
    kind: u32,
    #[serde(default = "one")]
    levels: u32,
    #[serde(default = "one")]
    samples: u32,
    data: String,
}

fn one() -> u32 {
    1
}

impl Pixels {
    fn argument(&self, texels: Vec<u8>) -> Argument {
        let (dimensions, is_array) = match self.kind {
            0x10f2 => (3, false),
            0x10f3 => (2, true),
            0x10f4 | 0x10f6 => (1, false),
            0x10f5 => (1, true),
            _ => (2, false),
        };
        let layers = self.layers.max(1);
        let format = Format::from_name(&self.format).expect("a format");
        Argument::Image(ImageArgument {
            format,
            desc: ImageDesc {
                size: self.size,
                dimensions,
                is_array,
                layers,
                levels: self.levels,
                samples: self.samples,
                pitch: 0,
            },
            texels,
        })
    }
}

fn sampler(numbers: &[u32]) -> Sampler {
    let number = |n: usize| numbers.get(n).copied().unwrap_or(0);
    let addressing = match number(1) {
        0x1131 => Addressing::ClampToEdge,
        0x1132 => Addressing::Clamp,
        0x1133 => Addressing::Repeat,
        0x1134 => Addressing::Mirror,
        _ => Addressing::None,
    };
    let (linear, normalized) = (number(2) == 0x1141, number(0) != 0);
    Sampler { addressing, linear, normalized, mix_levels: number(3) == 0x1141, ..Sampler::default() }
}

/// Expected contents of an argument.
#[derive(Deserialize)]
struct Check {
    arg: usize,
    /// OpenCL type of the elements.
    #[serde(rename = "type")]
    kind: String,
    /// Tolerance of floats in units in the last place; `None` for equal bits.
    ulp: Option<f64>,
    /// Alternative absolute tolerance; NaNs then equal each other, as do zeros.
    #[serde(default)]
    within: Option<f64>,
    /// Number of significant elements of every four: 3 for three-component vectors.
    #[serde(default)]
    of_four: Option<usize>,
    expect: String,
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).expect("hexadecimal digits") as u8;
    text.as_bytes().as_chunks().0.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect()
}

/// Reads a file or its compressed form.
fn read(path: &Path) -> Option<Vec<u8>> {
    let compressed = || visakit_testing::unpacked(Path::new(&format!("{}.gz", path.display())));
    std::fs::read(path).ok().or_else(compressed)
}

/// Returns the distance of two floats in units in the last place of the expected one, as OpenCL
/// defines them.
fn distance(found: f64, want: f64, digits: i32, least: i32) -> f64 {
    if found == want || found.is_nan() && want.is_nan() {
        return 0.0;
    }
    if !found.is_finite() || !want.is_finite() {
        return f64::INFINITY;
    }
    let exponent = if want == 0.0 { least } else { (want.abs().log2().floor() as i32).max(least) };
    // In two steps, because the unit may underflow a double.
    (found - want).abs() * 2.0_f64.powi(-exponent) * 2.0_f64.powi(digits)
}

/// Returns a description of the first differing element, if any.
fn compare(check: &Check, found: &[u8]) -> Option<String> {
    let want = unhex(&check.expect);
    if found.len() != want.len() {
        return Some(format!("{} bytes instead of {}", found.len(), want.len()));
    }
    let (size, digits, least) = match check.kind.as_str() {
        "double" => (8, 52, -1022),
        "float" => (4, 23, -126),
        "half" => (2, 10, -14),
        "long" | "ulong" => (8, 0, 0),
        "int" | "uint" => (4, 0, 0),
        "short" | "ushort" => (2, 0, 0),
        _ => (1, 0, 0),
    };
    let exact = check.ulp.is_none() && check.within.is_none();
    for (n, (a, b)) in found.chunks(size).zip(want.chunks(size)).enumerate() {
        if a == b || check.of_four.is_some_and(|used| n % 4 >= used) {
            continue;
        }
        if exact {
            return Some(format!("element {n} of argument {}: {a:02x?}, not {b:02x?}", check.arg));
        }
        let (a, b) = (value(&check.kind, a), value(&check.kind, b));
        if check.within.is_some_and(|most| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= most) {
            continue;
        }
        let off = distance(a, b, digits, least);
        if check.ulp.is_none_or(|most| off > most) {
            return Some(format!("element {n} of argument {}: {a:e}, not {b:e}: {off} ulp", check.arg));
        }
    }
    None
}

/// Returns a number of an OpenCL type.
fn value(kind: &str, bytes: &[u8]) -> f64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    let unused = 64 - 8 * bytes.len() as u32;
    match kind {
        "double" => f64::from_bits(unsigned),
        "float" => f64::from(f32::from_bits(unsigned as u32)),
        "half" => half::f16::from_bits(unsigned as u16).to_f64(),
        _ if kind.starts_with('u') => unsigned as f64,
        _ => ((unsigned << unused).cast_signed() >> unused) as f64,
    }
}

fn run(
    zebin: &Zebin,
    family: &Family,
    case: &Case,
    limit: u64,
    (checks, engines): (bool, bool),
    interpreter: Option<&dyn Interpreter>,
) -> Result<(), String> {
    let program =
        Program::from_zebin(zebin, Some(&case.kernel), None).map_err(|e| format!("program: {}", e[0].message))?;
    let data = |name: &String| unhex(&family.data[name]);
    let mut given = case.args.iter().map(|given| {
        Some(match given {
            Given::In(name) | Given::Inout(name) => Argument::Buffer(data(name)),
            Given::Out(size) => Argument::Buffer(vec![0; *size]),
            Given::Same(other) => Argument::Same(*other),
            Given::Null => Argument::Pointer(0),
            Given::Val(bytes) => Argument::Value(unhex(bytes)),
            Given::Local(size) => Argument::Local(*size),
            Given::Image(image) => image.argument(data(&image.data)),
            Given::Sampler(numbers) => Argument::Sampler(sampler(numbers)),
        })
    });
    let arguments: Vec<_> = given.by_ref().collect();
    let range = NdRange::new(&case.glob, case.loc.as_deref(), case.off.as_deref(), program.required_local_size())
        .map_err(|e| format!("range: {}", e.message))?;
    let outside = Outside::zero_if(std::env::var_os("VISAKIT_OUTSIDE_IS_ZERO").is_some());
    let policy = |engine| Policy {
        threads: Some(1),
        max_instructions: Some(limit),
        outside,
        stats: true,
        engine,
        ..Policy::default()
    };
    let surroundings = Surroundings { interpreter, ..Surroundings::default() };
    let options = |engine| Options { policy: policy(engine), surroundings, ..Options::default() };
    if checks {
        let make = || Ok(arguments.clone());
        let policy = Policy { stats: false, ..policy(Engine::Interpreter) };
        let options = Options { policy, ..options(Engine::Interpreter) };
        let checked = check(&program, &range, make, &options, Checks::parse("all").expect("a list of checks"));
        let checked = checked.map_err(|e| format!("checked launch: {e}"))?;
        if let Some(finding) = checked.findings.first() {
            return Err(format!("{}: {}", finding.report.trap.code(), finding.report));
        }
    }
    let run = |arguments, engine, stats| {
        let policy = Policy { stats, ..policy(engine) };
        let options = Options { policy, ..options(engine) };
        launch(&program, &range, arguments, &options).map_err(|e| format!("launch: {e}"))
    };
    // Counts exclude some paths of native code.
    let natives =
        if engines { &[(Engine::Native, true), (Engine::Avx2, true), (Engine::Native, false)][..] } else { &[] };
    let natives: Vec<_> =
        natives.iter().map(|(engine, stats)| (engine, run(arguments.clone(), *engine, *stats))).collect();
    let outcome = run(arguments, Engine::Interpreter, true);
    for (engine, native) in &natives {
        if let Some(difference) = between(&outcome, native) {
            return Err(format!("interpreter and {engine}: {difference}"));
        }
    }
    let outcome = outcome?;
    for check in &case.check {
        let found = outcome.buffers.get(check.arg).and_then(Option::as_deref).unwrap_or_default();
        if let Some(difference) = compare(check, found) {
            return Err(format!("result: {difference}"));
        }
    }
    Ok(())
}

/// Returns the difference between the outcomes of two engines, if any.
fn between(one: &Result<Outcome, String>, other: &Result<Outcome, String>) -> Option<String> {
    let (one, other) = match (one, other) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(one), Err(other)) => return (one != other).then(|| format!("{other}, not {one}")),
        _ => return Some("one fails, the other does not".to_owned()),
    };
    for (n, (a, b)) in one.buffers.iter().zip(&other.buffers).enumerate() {
        if a != b {
            let (a, b) = (a.as_deref().unwrap_or_default(), b.as_deref().unwrap_or_default());
            let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(0) / 4 * 4;
            let word = |bytes: &[u8]| bytes.get(at..at + 4).map(<[u8]>::to_vec);
            return Some(format!("byte {at} of argument {n}: {:02x?}, not {:02x?}", word(b), word(a)));
        }
    }
    let have_stats = one.stats.is_some() && other.stats.is_some();
    let counts = |outcome: &Outcome| {
        let opcodes = outcome.stats.as_ref().filter(|_| have_stats).map(|stats| stats.by_opcode.clone());
        (outcome.instructions, outcome.outside_reads, outcome.outside_writes, outcome.printed.clone(), opcodes)
    };
    (counts(one) != counts(other)).then(|| format!("counts: {:?}, not {:?}", counts(other), counts(one)))
}

/// Family and kernel, target, and result.
type Ran<'a> = (String, &'a str, Result<(), String>);

/// Returns an error without names, numbers and addresses, for grouping.
fn reason(error: &str) -> String {
    let error = error.split("; group").next().unwrap_or(error);
    if error.starts_with("result: ") {
        return "result".to_owned();
    }
    error.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
}

/// Returns the lines of a file in the program folder, keyed by the text before the colon.
fn lines_of(suite: &Suite<'_>, file: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(suite.programs.join(file)).unwrap_or_default();
    let line = |line: &str| (line.split(": ").next().unwrap_or_default().to_owned(), line.to_owned());
    text.lines().map(line).collect()
}

/// Removes known failures from the results.
fn forgive(suite: &Suite<'_>, results: &mut [Ran<'_>]) {
    const FILE: &str = "known.txt";
    let known = lines_of(suite, FILE);
    let writes = std::env::var_os("BLESS").is_some() && suite.programs != suite.folder;
    // Keeps lines about targets that are not run.
    let is_run = |key: &str| suite.targets.iter().any(|target| key.starts_with(&format!("{target} ")));
    let mut left: BTreeMap<_, _> = known.clone().into_iter().filter(|(key, _)| !is_run(key)).collect();
    for (label, target, result) in results.iter_mut() {
        let Err(error) = result else { continue };
        let key = format!("{target} {}", label.trim());
        let line = known.get(&key).cloned().unwrap_or_else(|| format!("{key}: {}", reason(error)));
        left.insert(key.clone(), line);
        if writes || known.contains_key(&key) {
            *result = Ok(());
        }
    }
    let passed = known.keys().filter(|key| !left.contains_key(*key)).count();
    if passed > 0 {
        eprintln!("{passed} cases of {FILE} pass; BLESS=1 takes them out");
    }
    if writes {
        let text: String = left.values().map(|line| format!("{line}\n")).collect();
        std::fs::write(suite.programs.join(FILE), text).expect("the file can be written");
    }
}

/// Family of which each case runs in all engines.
const ENGINES: &str = "barriers";

/// Runs a suite and prints what passes.
///
/// Failures listed in `known.txt` in the program folder, as `TARGET FAMILY/KERNEL: reason`, are
/// expected. `BLESS=1` rewrites the file and keeps existing reasons.
///
/// # Panics
/// If a case of the project's own suite fails.
pub(crate) fn run_suite(suite: &Suite<'_>) {
    let (folder, limit) = (suite.folder, suite.limit);
    let only = std::env::var("VISAKIT_ONLY").unwrap_or_default();
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the suite")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".json.gz").or(name.strip_suffix(".json")).map(str::to_owned))
        .filter(|name| only.is_empty() || only.split(',').any(|start| name.starts_with(start)))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no families in {}", folder.display());
    let jobs: Vec<(&String, &str)> =
        names.iter().flat_map(|name| suite.targets.iter().map(move |target| (name, *target))).collect();
    let refused: BTreeSet<String> = lines_of(suite, "refused.txt").into_keys().collect();
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Ran<'_>>> = Mutex::default();
    let work = || {
        loop {
            let job = next.fetch_add(1, Relaxed);
            let Some((name, target)) = jobs.get(job) else { return };
            let Some(program) = read(&suite.programs.join(format!("{name}.{target}.zebin"))) else {
                let source = std::fs::read_to_string(folder.join(format!("{name}.cl"))).expect("the source");
                let made = source.lines().find_map(|line| line.strip_prefix("// targets "));
                let without = made.is_some_and(|made| !made.split(' ').any(|other| other == *target));
                let without = without || refused.contains(&format!("{name} {target}"));
                let without = without || suite.programs == suite.folder && !OLD.contains(target);
                assert!(suite.is_other || without, "no program of {name} for {target}");
                continue;
            };
            let cases = read(&folder.join(format!("{name}.json"))).expect("cases");
            let family: Family = serde_json::from_slice(&cases).expect("cases as JSON");
            let zebin = Zebin::parse(&format!("{name}.{target}"), &program).expect("a zebin");
            for (number, case) in family.cases.iter().enumerate() {
                if !(job + number).is_multiple_of(suite.taken) {
                    continue;
                }
                let extra = |every: Option<usize>| every.is_some_and(|every| number.is_multiple_of(every));
                let extra = (extra(suite.checked), extra(suite.native) || *name == ENGINES);
                if zebin.kernel_infos().all(|kernel| kernel.name != case.kernel) {
                    // Two targets lack doubles and three lack block messages, so their programs
                    // omit these kernels.
                    let allowed = suite.is_other || ["tgllp", "dg2", "mtl"].contains(target);
                    assert!(allowed, "{name}.{target} has no kernel {}", case.kernel);
                    continue;
                }
                let mut result = Ok(());
                (suite.with)(&mut |interpreter| {
                    result = run(&zebin, &family, case, limit, extra, interpreter);
                });
                let result = match result {
                    Ok(()) if case.fails => Err("result: as expected, which is wrong".to_owned()),
                    Err(error) if case.fails && error.starts_with("result: ") => Ok(()),
                    result => result,
                };
                let label = format!("{name}/{} {}", case.kernel, case.name);
                results.lock().expect("no panic").push((label, target, result));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    forgive(suite, &mut results);
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (label, target, result) in &results {
        if let Err(error) = result {
            reasons.entry(reason(error)).or_default().push(format!("{target} {label}: {error}"));
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    for (reason, cases) in &reasons {
        let shown = if suite.is_other && std::env::var_os("VISAKIT_ALL").is_some() { cases.len() } else { 6 };
        eprintln!("{} times {reason}", cases.len());
        let step = cases.len().div_ceil(shown).max(1);
        cases.iter().step_by(step).for_each(|case| eprintln!("    {case}"));
    }
    for target in suite.targets {
        let of_target = results.iter().filter(|(_, other, _)| other == target);
        let (all, passed) =
            of_target.fold((0, 0), |(all, passed), (_, _, result)| (all + 1, passed + usize::from(result.is_ok())));
        if all > 0 {
            eprintln!("{target}: {passed} of {all} pass");
        }
    }
    assert!(suite.is_other || reasons.is_empty(), "some cases fail");
}
