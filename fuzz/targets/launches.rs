//! Layouts and arguments of any bytes, and made kernels that run.

use visakit::isa::Platform;
use visakit_emulator::launch::argument::{Argument, resolve};
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::launch::spec::{ArgKey, ArgSpec, parse_argument};
use visakit_emulator::run::{self, Options, Outcome, Program, RunError};
use visakit_smith::{Config, Unstructured};
use visakit_zebin::info;

/// Bytes that the buffers of an input may ask for together: what a launch is given it takes.
const BUFFERS: u64 = 16 << 20;

/// Kernel that ends at once.
const EMPTY: &str = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";

/// What stands in front of a line of dashes is a layout, and the lines behind it are sizes and arguments: all are refused
/// with places inside of them, or are those of a launch that can be made.
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
    // Files are the user's.
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
        let options = Options { threads: Some(1), max_instructions: Some(4), ..Options::default() };
        let _ = run::launch(&program, &range, arguments, &options);
    }
}

/// Bytes that an argument asks for.
fn asked(spec: &ArgSpec) -> u64 {
    match spec {
        ArgSpec::Zeros(bytes) => *bytes,
        ArgSpec::Pipe { packets, bytes } => u64::from(*packets).saturating_mul(u64::from(*bytes)),
        ArgSpec::Local(bytes) => u64::from(*bytes),
        ArgSpec::Bytes(_) | ArgSpec::Value { .. } | ArgSpec::Same(_) | ArgSpec::Sampler(_) => 0,
        // Their sizes are told where they are made.
        ArgSpec::File(_) | ArgSpec::Pattern(_) | ArgSpec::Image(_) => BUFFERS + 1,
    }
}

/// A made kernel ends, or stops with a finding, and does the same on any number of host threads.
pub(crate) fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(made) = visakit_smith::launch(&mut u, &Config::default()) else { return };
    let mut layout =
        info::parse("made", &made.layout).unwrap_or_else(|e| panic!("{}\n{}", e.one_line(), made.layout));
    let kernel = layout.kernels.remove(0);
    let program = Program::from_text("made", &made.text, kernel, made.platform);
    let program = program.unwrap_or_else(|errors| panic!("{errors:#?} in\n{}", made.text));
    let specs: Vec<_> =
        made.arguments.iter().map(|one| parse_argument(one).expect("a made argument is read")).collect();
    let arguments = resolve(&program.parameters(), &specs);
    let arguments = arguments.unwrap_or_else(|e| panic!("{}\n{}", e.one_line(), made.layout));
    let range = NdRange::new(&made.global, Some(&made.local), None, program.required_local_size());
    let range = range.unwrap_or_else(|e| panic!("{}", e.one_line()));
    let (one, three) = (once(&program, &range, &arguments, 1), once(&program, &range, &arguments, 3));
    match (&one, &three) {
        (Ok(one), Ok(three)) => {
            assert_eq!(one.buffers, three.buffers, "three threads give other buffers for\n{}", made.text);
            assert_eq!(one.printed, three.printed, "three threads print otherwise for\n{}", made.text);
            assert_eq!(one.instructions, three.instructions, "three threads count otherwise for\n{}", made.text);
        }
        (Err(one), Err(three)) => {
            assert_eq!(one.to_string(), three.to_string(), "three threads stop otherwise for\n{}", made.text);
        }
        _ => panic!("three threads end otherwise: {one:?} and {three:?} for\n{}", made.text),
    }
}

fn once(
    program: &Program,
    range: &NdRange,
    arguments: &[Option<Argument>],
    threads: usize,
) -> Result<Outcome, RunError> {
    // What is outside of the buffers is nowhere, so that most kernels go on to their end.
    let options =
        Options { threads: Some(threads), max_instructions: Some(2000), outside_is_zero: true, ..Options::default() };
    run::launch(program, range, arguments.to_vec(), &options)
}
