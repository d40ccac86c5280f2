//! Fuzz targets for layouts and arguments from arbitrary bytes, and for generated kernels that run.

use visakit::isa::Platform;
use visakit_emulator::launch::argument::{Argument, resolve};
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::launch::spec::{ArgKey, ArgSpec, parse_argument};
use visakit_emulator::run::{self, Engine, Outcome, Outside, Policy, Program, RunError};
use visakit_smith::{Config, Unstructured};
use visakit_zebin::info;

/// Maximum total size of the buffers of an input, in bytes, because a launch allocates what its
/// arguments request.
const BUFFERS: u64 = 16 << 20;

/// Kernel that ends immediately.
const EMPTY: &str = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";

/// The text before a line of dashes is a layout; the lines after it are sizes and arguments. Each
/// is refused with a place inside it, or belongs to a possible launch.
pub(crate) fn launch(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let (layout, rest) = source.split_once("\n---\n").unwrap_or((&source, ""));
    let mut lines = rest.lines();
    let sizes = |line: &str| -> Vec<u64> { line.split(',').filter_map(|n| n.trim().parse().ok()).collect() };
    let (global, local) = (lines.next().map_or(vec![1], sizes), lines.next().map_or(vec![1], sizes));
    let mut specs: Vec<(ArgKey, ArgSpec)> = Vec::new();
    for line in lines {
        match parse_argument(line) {
            Ok(one) => specs.push(one),
            Err(error) => assert!(error.at.end <= line.len(), "{error:?} in `{line}`"),
        }
    }
    let Ok(info) = info::parse("fuzz", layout) else { return };
    // Arguments that name files are dropped, because the files are the user's.
    specs.retain_mut(|(_, spec)| spec.path_mut().is_none());
    let asked: u64 = specs.iter().map(|(_, spec)| asked(spec)).fold(0, u64::saturating_add);
    for kernel in info.kernels.into_iter().take(4) {
        let Ok(program) = Program::from_text("fuzz", EMPTY, kernel, Platform::ALL[0]) else { continue };
        let Ok(range) = NdRange::new(&global, Some(&local), None, program.required_local_size()) else { continue };
        let items: u64 = range.global.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
        if asked > BUFFERS || items > 1 << 14 {
            continue;
        }
        let Ok(arguments) = resolve(&program.parameters(), &specs) else { continue };
        let policy = Policy { threads: Some(1), max_instructions: Some(4), ..Policy::default() };
        let _ = run::launch(&program, &range, arguments, &policy.into());
    }
}

/// Returns the number of bytes that an argument requests.
fn asked(spec: &ArgSpec) -> u64 {
    match spec {
        ArgSpec::Zeros(bytes) | ArgSpec::Undefined(bytes) => *bytes,
        ArgSpec::Pipe { packets, bytes } => u64::from(*packets).saturating_mul(u64::from(*bytes)),
        ArgSpec::Local(bytes) => u64::from(*bytes),
        ArgSpec::Bytes(_) | ArgSpec::Value { .. } | ArgSpec::Untyped(_) | ArgSpec::Same(_) | ArgSpec::Sampler(_) => 0,
        // The size of these arguments is known only at creation.
        ArgSpec::File(_) | ArgSpec::Pattern(_) | ArgSpec::Image(_) => BUFFERS + 1,
    }
}

/// Code that sets the floating-point mode to the host's.
const PLAIN: &str = ".version 4.1\n.kernel \"k\"\n    mov (M1_NM, 1) %cr0(0,0)<1> 0x4c0:ud\n    ret (M1, 1)\n";

/// A generated kernel ends, or stops with a finding, with equal results for any number of host
/// threads and for both engines.
pub(crate) fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(made) = visakit_smith::launch(&mut u, &Config::default()) else { return };
    let mut layout =
        info::parse("made", &made.layout).unwrap_or_else(|e| panic!("{}\n{}", e.one_line(), made.layout));
    let kernel = layout.kernels.remove(0);
    let program = Program::from_text("made", &made.text, kernel, made.platform);
    let mut program = program.unwrap_or_else(|errors| panic!("{errors:#?} in\n{}", made.text));
    // Native code requires the host's floating-point mode, which few generated kernels set.
    if data.first().is_some_and(|first| first & 3 != 0) {
        let plain = Program::from_text("plain", PLAIN, program.info.clone(), made.platform).expect("a kernel");
        program.routine.instructions.splice(0..0, plain.routine.instructions.into_iter().take(1));
        program.lines.insert(0, 0);
    }
    let specs: Vec<_> =
        made.arguments.iter().map(|one| parse_argument(one).expect("a made argument is read")).collect();
    let arguments = resolve(&program.parameters(), &specs);
    let arguments = arguments.unwrap_or_else(|e| panic!("{}\n{}", e.one_line(), made.layout));
    let range = NdRange::new(&made.global, Some(&made.local), None, program.required_local_size());
    let range = range.unwrap_or_else(|e| panic!("{}", e.one_line()));
    let run = |threads, engine| once(&program, &range, &arguments, threads, engine);
    let one = run(1, Engine::Interpreter);
    compare(&one, &run(3, Engine::Interpreter), "three threads", &made.text);
    compare(&one, &run(1, Engine::Native), "native code", &made.text);
    compare(&one, &run(3, Engine::Native), "three threads with native code", &made.text);
}

/// Asserts that two runs of a kernel have equal results.
fn compare(one: &Result<Outcome, RunError>, other: &Result<Outcome, RunError>, who: &str, text: &str) {
    match (one, other) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one.buffers, other.buffers, "other buffers by {who} for\n{text}");
            assert_eq!(one.printed, other.printed, "another print by {who} for\n{text}");
            let counts = |outcome: &Outcome| (outcome.instructions, outcome.outside_reads, outcome.outside_writes);
            assert_eq!(counts(one), counts(other), "other counts by {who} for\n{text}");
        }
        (Err(one), Err(other)) => {
            assert_eq!(one.to_string(), other.to_string(), "another stop by {who} for\n{text}");
        }
        _ => panic!("another end by {who}: {one:?} and {other:?} for\n{text}"),
    }
}

fn once(
    program: &Program,
    range: &NdRange,
    arguments: &[Option<Argument>],
    threads: usize,
    engine: Engine,
) -> Result<Outcome, RunError> {
    // Reads outside the buffers return zero and writes are dropped, so that most kernels run to
    // their end.
    let policy = Policy {
        threads: Some(threads),
        max_instructions: Some(2000),
        outside: Outside::Zero,
        engine,
        ..Policy::default()
    };
    run::launch(program, range, arguments.to_vec(), &policy.into())
}
