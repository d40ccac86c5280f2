//! Robustness of the readers: no input may cause a panic, an endless loop or excessive memory use.
//! Runs the fuzz targets on the corpus, on damaged inputs and on seeds, each with a budget of time,
//! memory and stack.
//!
//! `VISAKIT_MUTATIONS` sets the number of inputs per target, `VISAKIT_SEED` the first seed.

#[path = "../../../fuzz/targets/mod.rs"]
mod targets;

use std::alloc::System;
use std::path::PathBuf;
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use cap::Cap;
use visakit::object::Object;
use visakit_smith::{Config, Unstructured, bytes};
use visakit_testing::Random;

use targets::TARGETS;

/// Allocator that counts allocated bytes.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Time limit per input, generous for a debug build on a busy machine.
const TIME: Duration = Duration::from_secs(60);
/// Memory limit per input in bytes; the limit is at least thirty times the input's size.
const BYTES: usize = 300 << 20;
/// Stack size in bytes: the default of a thread, a quarter of the main thread's.
const STACK: usize = 2 << 20;

/// Lock that serialises the tests of this file, because they share the counters.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|e| e.into_inner())
}

/// Returns complete inputs of a kind, to be damaged.
fn seeds(kind: &str) -> Vec<Vec<u8>> {
    let root = visakit_testing::root();
    let single = root.join("tests/vectors/single");
    let mut files = match kind {
        "object" => visakit_testing::files(&single, "isa"),
        "text" => visakit_testing::files(&single, "visaasm"),
        "page" => visakit_testing::files(&root.join("spec/instructions"), "md"),
        "overlay" => vec![root.join("spec/upstream-overlay.md")],
        "launch" => Vec::new(),
        _ => ["vector_add", "histogram"]
            .iter()
            .flat_map(|e| visakit_testing::files(&root.join("examples").join(e), "zebin"))
            .collect(),
    };
    if kind == "object"
        && let Some(shared) = visakit_testing::shared("mutations, in part", "VISAKIT_VECTORS")
    {
        let folders = std::fs::read_dir(shared.join("public")).into_iter().flatten().flatten();
        files.extend(folders.map(|f| f.path().join("object.isa")));
    }
    files.sort();
    let mut out: Vec<Vec<u8>> = files.iter().map(|f| std::fs::read(f).unwrap()).collect();
    out.extend(corpus(kind).into_iter().map(|(_, bytes)| bytes));
    out.extend((0..40).filter_map(|seed| made(kind, seed)));
    if kind == "container" {
        out.push(archive(&out));
    }
    out
}

/// Generates an input of a kind.
fn made(kind: &str, seed: u64) -> Option<Vec<u8>> {
    let input = bytes(seed, 1500);
    let mut u = Unstructured::new(&input);
    let config = Config::default();
    let launch = |u: &mut Unstructured<'_>| visakit_smith::launch(u, &config).expect("bytes make a launch");
    match kind {
        "object" => visakit_smith::object(&mut u, &config).ok()?.1.encode().ok(),
        "text" => Some(launch(&mut u).text.into_bytes()),
        "launch" => {
            let made = launch(&mut u);
            let sizes = |all: &[u64]| all.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
            let (global, local) = (sizes(&made.global), sizes(&made.local));
            Some(format!("{}\n---\n{global}\n{local}\n{}\n", made.layout, made.arguments.join("\n")).into_bytes())
        }
        _ => None,
    }
}

/// Builds an archive in ocloc's format from containers.
fn archive(members: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (i, bytes) in members.iter().take(3).enumerate() {
        for (name, bytes) in [(format!("pad_{i}"), &b"        "[..]), (format!("64.12.{i}.0"), bytes)] {
            out.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, bytes.len()).bytes());
            out.extend(bytes);
            out.resize(out.len().next_multiple_of(2), b'\n');
        }
    }
    out
}

fn corpus(kind: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let dir = visakit_testing::root().join("fuzz/corpus").join(kind);
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|f| (f.clone(), std::fs::read(f).unwrap())).collect()
}

/// Damages an input: changes bytes and numbers of all widths, truncates it, and inserts pieces of
/// itself or of another input.
fn mutate(random: &mut Random, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..=random.below(3) {
        if out.is_empty() {
            out.push(0);
        }
        let at = random.below(out.len());
        match random.below(8) {
            0 => out[at] ^= 1 << random.below(8),
            1 => out[at] = random.bits() as u8,
            2 => out.truncate(at),
            3 => {
                let numbers = [0, 1, 0x7f, 0xff, 0x100, 0x7fff, 0xffff, 0x1_0000, 0x7fff_ffff, 0xffff_ffff];
                let number: u32 = numbers[random.below(numbers.len())];
                let width = [1, 2, 4][random.below(3)];
                for (place, byte) in out[at..].iter_mut().zip(number.to_le_bytes()).take(width) {
                    *place = byte;
                }
            }
            4 => {
                let end = (at + 1 + random.below(16)).min(out.len());
                out.drain(at..end);
            }
            5 => {
                let (from, count) = (random.below(out.len()), random.below(24));
                let piece = out[from..(from + count).min(out.len())].to_vec();
                out.splice(at..at, piece);
            }
            6 => {
                let (from, count) = (random.below(other.len()), random.below(40));
                let piece = other.get(from..(from + count).min(other.len())).unwrap_or_default();
                let end = (at + piece.len()).min(out.len());
                out.splice(at..end, piece.iter().copied());
            }
            _ => out[at] = out[at].wrapping_add(1),
        }
    }
    out
}

/// Runs a target on an input within its budgets. The input is written to a file first: an
/// allocation beyond the budget aborts the process without a message.
fn guarded(kind: &str, target: fn(&[u8]), input: Vec<u8>, name: &str) {
    let last = visakit_testing::scratch(&format!("robust-{kind}")).join("last");
    std::fs::write(&last, &input).unwrap();
    let budget = BYTES.max(30 * input.len());
    let (done, ended) = mpsc::channel();
    let run = move || {
        target(&input);
        let _ = done.send(());
    };
    MEMORY.set_limit(MEMORY.allocated() + budget).expect("more than there is");
    let thread = std::thread::Builder::new().name(format!("{kind} {name}")).stack_size(STACK).spawn(run).unwrap();
    // A thread that panics does not send.
    let ok = ended.recv_timeout(TIME) == Ok(()) && thread.join().is_ok();
    MEMORY.set_limit(usize::MAX).expect("more than there is");
    assert!(ok, "{kind}, {name} panics, or takes more than {TIME:?}: see {}", last.display());
}

/// Reads a number from the environment.
fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Runs a target on damaged inputs or on seeds.
fn inputs(kind: &str, usual: usize) {
    let _alone = alone();
    let (_, target, length) = TARGETS.into_iter().find(|(name, ..)| *name == kind).expect("a target of that name");
    let (count, begin) = (number("VISAKIT_MUTATIONS", usual), number("VISAKIT_SEED", 1) as u64);
    if let Some(length) = length {
        return (begin..begin + count as u64)
            .for_each(|n| guarded(kind, target, bytes(n, length), &format!("seed {n}")));
    }
    let seeds = seeds(kind);
    seeds.iter().for_each(|seed| guarded(kind, target, seed.clone(), "as it is"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ begin << 20);
    for n in 0..count {
        let seed = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        guarded(kind, target, mutate(&mut random, seed, other), &format!("mutation {n}"));
    }
}

#[test]
fn objects() {
    inputs("object", 5000);
}

#[test]
fn texts() {
    inputs("text", 2000);
}

#[test]
fn pages() {
    inputs("page", 2000);
}

#[test]
fn overlays() {
    inputs("overlay", 10);
}

#[test]
fn containers() {
    inputs("container", 500);
}

#[test]
fn launches() {
    inputs("launch", 1000);
}

#[test]
fn folders() {
    inputs("folder", 4);
}

#[test]
fn routines() {
    inputs("routine", 30);
}

#[test]
fn runs() {
    inputs("run", 40);
}

/// Reads the inputs that once failed.
#[test]
fn corpus_is_read() {
    let _alone = alone();
    for (kind, target, _) in TARGETS {
        corpus(kind).into_iter().for_each(|(path, input)| guarded(kind, target, input, &path.display().to_string()));
    }
}

/// Returns the peak of allocated bytes above the initial level.
fn peak(run: impl FnOnce()) -> usize {
    let before = MEMORY.allocated();
    // The counter keeps the all-time maximum. The ballast raises the level to that maximum.
    let ballast = MEMORY.max_allocated().saturating_sub(before);
    let held: Vec<u8> = Vec::with_capacity(ballast);
    let level = MEMORY.allocated();
    run();
    drop(held);
    MEMORY.max_allocated().saturating_sub(level)
}

/// Decoding uses at most 8 times the object's size, even for a small file that expands to many
/// values.
#[test]
fn decoding_takes_little_memory() {
    let _alone = alone();
    let mut worst = (0.0, 0);
    // Much code of short instructions and small tables.
    let head = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=16 align=GRF\n";
    let code =
        "    mov (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>\n    ret (M1, 1)\n    add (M1, 1) V32(0,0)<1> 0x0:f 0x1:f\n";
    let text = format!("{head}{}", code.repeat(20_000));
    let code = visakit::text::parse(&text, Default::default()).unwrap().into_object().encode().unwrap();
    for (i, bytes) in std::iter::once(&code).chain(&seeds("object")).enumerate() {
        let used = peak(|| drop(Object::decode(bytes)));
        let ratio = used as f64 / bytes.len() as f64;
        if i == 0 || bytes.len() > 100_000 {
            eprintln!("{ratio:.2} for {} bytes", bytes.len());
        }
        if ratio > worst.0 {
            worst = (ratio, i);
        }
    }
    eprintln!("worst: {:.2} of object {}", worst.0, worst.1);
    assert!(worst.0 <= 8.0, "{worst:?}");
}
