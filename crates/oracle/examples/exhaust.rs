//! Exhaustive comparison of operations on one 32-bit source, for all 2^32 values: the emulator's
//! two engines against the page.
//!
//! ```text
//! cargo run --release -p visakit-oracle --example exhaust -- \
//!     [--slices 0..256] [--every 1] [--threads 1] [--flush] [WORD…]
//! ```
//!
//! A page's evaluator takes a microsecond per value, too long for all values. The comparison
//! therefore has three steps. Each engine runs a program of this one operation over every value.
//! Its results are compared with a short function of the host. That function is compared with the
//! page for one value in 2048, spread over all exponents. The page is also evaluated if an engine's
//! result differs from the function's by more steps than the page allows. `--every 16` runs one of
//! 16 launches of 2^18 values. A word selects the operations whose text contains it.

#[path = "exhaust/operation.rs"]
mod operation;
#[path = "exhaust/page.rs"]
mod page;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use visakit::isa::Platform;
use visakit_codegen::model::Page as Text;
use visakit_emulator::launch::argument::Argument;
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::run::{Engine, GroupOrder, Options, Policy, Program, launch};
use visakit_zebin::info::{self, KernelInfo};

use operation::{Operation, operations};
use page::Page;

/// Values per slice; there are 256 slices.
const SLICE: u64 = 1 << 24;

/// Values per launch: its buffers fit into the processor's caches.
const LAUNCH: u64 = 1 << 18;

/// Values per work-group.
const GROUP: u64 = 64;

/// Number of values per value that is evaluated by the page.
const SAMPLED: u32 = 2048;

/// Counts of the results of an operation.
#[derive(Clone, Copy, Default)]
struct Tally {
    values: u64,
    /// Values evaluated by the page.
    asked: u64,
    /// Results that are not the nearest value, and the largest distance in steps.
    other: u64,
    steps: u64,
    /// Results that the page does not allow.
    wrong: u64,
    /// Results in which the two engines differ.
    apart: u64,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.values += other.values;
        self.asked += other.asked;
        self.other += other.other;
        self.steps = self.steps.max(other.steps);
        self.wrong += other.wrong;
        self.apart += other.apart;
    }
}

/// Builds the program that maps 64 values per work-group from one buffer to another, 16 channels at
/// a time.
fn program(operation: &Operation, control: u32) -> Program {
    let (from, to, size) = (operation.from, operation.to, operation.size());
    let mut text = format!(
        ".version 4.1\n.kernel \"k\"\n.decl IN v_type=G type=uq num_elts=1 align=qword\n\
         .decl OUT v_type=G type=uq num_elts=1 align=qword\n.decl W v_type=G type=ud num_elts=1\n\
         .decl G v_type=G type=ud num_elts=1 align=dword alias=<%group_id_x, 0>\n\
         .decl A v_type=G type=ud num_elts=64 align=GRF\n.decl C v_type=G type={to} num_elts=64 align=GRF\n"
    );
    for part in 0..4 {
        text += &format!(".decl A{part} v_type=G type={from} num_elts=16 alias=<A, {}>\n", part * 64);
        text += &format!(".decl C{part} v_type=G type={to} num_elts=16 alias=<C, {}>\n", part * 16 * size);
    }
    text += ".input IN offset=64 size=8\n.input OUT offset=72 size=8\n.kernel_attr SimdSize=16\n.function \"main\"\nmain:\n";
    text += &format!("    or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> {control:#x}:ud\n");
    let moved = |name: &str, factor: usize| {
        format!(
            "    mul (M1_NM, 1) W(0,0)<1> G(0,0)<0;1,0> {factor:#x}:ud\n    \
             add (M1_NM, 1) {name}(0,0)<1> {name}(0,0)<0;1,0> W(0,0)<0;1,0>\n"
        )
    };
    text += &(moved("IN", 256) + &moved("OUT", 64 * size));
    let step = "    add (M1_NM, 1) NAME(0,0)<1> NAME(0,0)<0;1,0> 0x80:ud\n";
    for part in 0..2 {
        text += &format!("    svm_block_ld (8) IN(0,0)<0;1,0> A.{}\n", part * 128);
        text += &step.replace("NAME", "IN");
    }
    for part in 0..4 {
        text += &format!("    {}\n", operation.text(&format!("C{part}"), &format!("A{part}")));
    }
    for part in 0..(64 * size).div_ceil(128) {
        text += &format!("    svm_block_st ({}) OUT(0,0)<0;1,0> C.{}\n", (4 * size).min(8), part * 128);
        text += &step.replace("NAME", "OUT");
    }
    text += "    ret (M1, 1)\n";
    Program::from_text("k.visaasm", &text, layout(), Platform::Pvc)
        .unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

fn layout() -> KernelInfo {
    let text = "
kernels:
  - name: k
    execution_env: { simd_size: 16 }
    payload_arguments:
      - { arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }
      - { arg_type: arg_bypointer, offset: 8, size: 8, arg_index: 1, addrmode: stateless, addrspace: global }
";
    info::parse("k", text).unwrap_or_else(|e| panic!("{e:?}")).kernels.remove(0)
}

/// Returns the results of an engine for the values of a launch.
fn results(program: &Program, operation: &Operation, input: &[u8], engine: Engine) -> Vec<u8> {
    let output = vec![0; LAUNCH as usize * operation.size()];
    let items = LAUNCH / GROUP * 16;
    let range = NdRange::new(&[items], Some(&[16]), None, [0; 3]).unwrap_or_else(|e| panic!("{e}"));
    let options = Options::from(Policy { threads: Some(1), engine, order: GroupOrder::Any, ..Policy::default() });
    let arguments = vec![Some(Argument::Buffer(input.to_vec())), Some(Argument::Buffer(output))];
    let mut outcome = launch(program, &range, arguments, &options).unwrap_or_else(|e| panic!("{e}"));
    outcome.buffers[1].take().unwrap_or_default()
}

/// Compares the results of both engines for the values of a launch with the host's function and
/// with the page.
fn launched(operation: &Operation, flush: bool, page: &Page<'_>, program: &Program, first: u32) -> Tally {
    let values = first..=first + (LAUNCH as u32 - 1);
    let input: Vec<u8> = values.clone().flat_map(u32::to_le_bytes).collect();
    let [interpreted, native] =
        [Engine::Interpreter, Engine::Native].map(|engine| results(program, operation, &input, engine));
    let mut tally = Tally { values: LAUNCH, ..Tally::default() };
    if interpreted != native {
        let pairs = interpreted.chunks(operation.size()).zip(native.chunks(operation.size()));
        tally.apart = pairs.filter(|(a, b)| a != b).count() as u64;
    }
    // Each question has the value, the host's result if it must be the page's own, and the engine's
    // result.
    let mut questions = Vec::new();
    let mut sample = 0;
    for (value, found) in values.zip(interpreted.chunks_exact(operation.size())) {
        let mut bits = [0; 8];
        bits[..found.len()].copy_from_slice(found);
        let (wanted, found) = (operation.reference(value, flush), u64::from_le_bytes(bits));
        if value % SAMPLED == 0 {
            // The sampled position varies from part to part, so that low bits vary too.
            sample = value + (value / SAMPLED).wrapping_mul(0x9e37_79b9) % SAMPLED;
        }
        if value == sample {
            questions.push((value, Some(wanted), found));
        } else if found != wanted && !operation.is_near(wanted, found) {
            questions.push((value, None, found));
        }
        if found != wanted && !operation.both_nan(wanted, found) {
            tally.other += 1;
            tally.steps = tally.steps.max(operation.steps(wanted, found));
        }
    }
    tally.asked += questions.len() as u64;
    tally.wrong += page.ask(&questions);
    tally
}

/// Tests a slice, one launch at a time.
fn slice(operation: &Operation, wishes: &Wishes, page: &Page<'_>, program: &Program, number: u64) -> Tally {
    let mut sum = Tally::default();
    for first in (number * SLICE..(number + 1) * SLICE).step_by(LAUNCH as usize * wishes.every) {
        sum.add(launched(operation, wishes.flush, page, program, first as u32));
    }
    sum
}

struct Wishes {
    slices: Range<u64>,
    every: usize,
    threads: usize,
    flush: bool,
    words: Vec<String>,
}

fn wishes() -> Option<Wishes> {
    let mut wishes = Wishes { slices: 0..256, every: 1, threads: 1, flush: false, words: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--slices" => {
                let text = arguments.next()?;
                let (from, to) = text.split_once("..")?;
                wishes.slices = from.parse().ok()?..to.parse().ok().filter(|to| *to <= 256)?;
            }
            "--every" => wishes.every = arguments.next()?.parse().ok().filter(|n| *n > 0)?,
            "--threads" => wishes.threads = arguments.next()?.parse().ok()?,
            "--flush" => wishes.flush = true,
            word if word.starts_with('-') => return None,
            _ => wishes.words.push(argument),
        }
    }
    Some(wishes)
}

fn main() {
    let Some(wishes) = wishes() else {
        eprintln!("exhaust [--slices FROM..TO (of 256)] [--every N] [--threads N] [--flush] [WORD…]");
        std::process::exit(2);
    };
    let model = visakit_codegen::read_texts(visakit::sources::SPECIFICATION.iter().map(Text::built_in).collect()).0;
    let control = if wishes.flush { 0 } else { 0x4c0 };
    let mut all_well = true;
    for operation in operations() {
        let text = operation.shown();
        if !wishes.words.is_empty() && !wishes.words.iter().any(|word| text.contains(word.as_str())) {
            continue;
        }
        if wishes.flush && !operation.has_floats() {
            continue;
        }
        let began = Instant::now();
        let program = program(&operation, control);
        let next = AtomicU64::new(wishes.slices.start);
        let sum = Mutex::new(Tally::default());
        std::thread::scope(|scope| {
            for _ in 0..wishes.threads {
                scope.spawn(|| {
                    let page = Page::new(&model, &operation, control);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if !wishes.slices.contains(&number) {
                            return;
                        }
                        let tally = slice(&operation, &wishes, &page, &program, number);
                        let mut sum = sum.lock().unwrap_or_else(|e| e.into_inner());
                        sum.add(tally);
                        if number % 16 == 15 {
                            eprintln!("{text}: slice {number}, {} s", began.elapsed().as_secs());
                        }
                    }
                });
            }
        });
        let Tally { values, asked, other, steps, wrong, apart } = sum.into_inner().unwrap_or_else(|e| e.into_inner());
        all_well &= wrong + apart == 0;
        println!(
            "{text}: {values} values, {asked} by the page; {wrong} wrong, {apart} otherwise by native code; \
             {other} not the nearest, by {steps} at most; {} s",
            began.elapsed().as_secs()
        );
    }
    std::process::exit(i32::from(!all_well));
}
