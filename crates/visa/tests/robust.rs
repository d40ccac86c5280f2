//! No input makes the readers panic, loop, or take memory out of proportion.

#[path = "../../../fuzz/targets.rs"]
mod targets;

use std::alloc::System;
use std::path::PathBuf;
use std::sync::Mutex;

use cap::Cap;
use visakit::object::Object;

use visakit_testing::Random;

/// Counts what is allocated, for [`decoding_takes_little_memory`].
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Tests of this file run one after another: they share the counters.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|e| e.into_inner())
}

type Target = fn(&[u8]);

const TARGETS: [(&str, Target); 4] = [
    ("object", targets::object),
    ("text", targets::text),
    ("page", targets::page),
    ("container", targets::container),
];

/// Whole inputs of a kind, to be damaged.
fn seeds(kind: &str) -> Vec<Vec<u8>> {
    let root = visakit_testing::root();
    let single = root.join("tests/vectors/single");
    let mut files = match kind {
        "object" => visakit_testing::files(&single, "isa"),
        "text" => visakit_testing::files(&single, "visaasm"),
        "page" => visakit_testing::files(&root.join("spec/instructions"), "md"),
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
    if kind == "container" {
        out.push(archive(&out));
    }
    out
}

/// An archive as ocloc writes it, of these containers.
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
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|f| (f.clone(), std::fs::read(f).unwrap())).collect()
}

/// Damages an input: bytes, numbers of all widths, cuts, pieces of itself or of another input in other places.
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

fn mutations(kind: &str, target: Target, count: usize) {
    let seeds = seeds(kind);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let last = visakit_testing::scratch(&format!("robust-{kind}")).join("last");
    for n in 0..count {
        let seed = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        let input = mutate(&mut random, seed, other);
        let ok = std::panic::catch_unwind(|| target(&input));
        if ok.is_err() {
            std::fs::write(&last, &input).unwrap();
            panic!("{kind}, mutation {n}: see {}", last.display());
        }
    }
}

/// How many mutations of each kind; more where somebody wants to wait.
fn wanted(usual: usize) -> usize {
    std::env::var("VISAKIT_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn mutations_of_objects() {
    let _alone = alone();
    mutations("object", targets::object, wanted(6000));
}

#[test]
fn mutations_of_texts() {
    let _alone = alone();
    mutations("text", targets::text, wanted(2000));
}

#[test]
fn mutations_of_pages() {
    let _alone = alone();
    mutations("page", targets::page, wanted(2000));
}

#[test]
fn mutations_of_containers() {
    let _alone = alone();
    mutations("container", targets::container, wanted(500));
}

/// The inputs that once failed.
#[test]
fn corpus_is_read() {
    let _alone = alone();
    for (kind, target) in TARGETS {
        for (path, input) in corpus(kind) {
            eprintln!("{}", path.display());
            target(&input);
        }
    }
}

/// Every whole input passes its target, so that the mutations begin at something that is read.
#[test]
fn whole_inputs_are_read() {
    let _alone = alone();
    for (kind, target) in TARGETS {
        seeds(kind).iter().for_each(|s| target(s));
    }
}

/// The peak of what is allocated above what was there before, in bytes.
fn peak(run: impl FnOnce()) -> usize {
    let before = MEMORY.allocated();
    // The counter keeps the highest value ever: what is held meanwhile lifts the level above it.
    let ballast = MEMORY.max_allocated().saturating_sub(before);
    let held: Vec<u8> = Vec::with_capacity(ballast);
    let level = MEMORY.allocated();
    run();
    drop(held);
    MEMORY.max_allocated().saturating_sub(level)
}

/// Decoding takes at most 8 times the object's size, also where the file is made to be small and to mean much.
#[test]
fn decoding_takes_little_memory() {
    let _alone = alone();
    let mut worst = (0.0, 0);
    // Much code of short instructions, and few tables.
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
