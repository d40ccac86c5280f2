//! Kernels of the conformance suite, mutated line by line, run or stop with a finding; no panic, no
//! endless run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use visakit_emulator::launch::argument::{Argument, Parameter, ParameterKind, resolve};
use visakit_emulator::launch::range::NdRange;
use visakit_emulator::launch::spec;
use visakit_emulator::run::{Options, Policy, Program, RunError, launch};
use visakit_zebin::Zebin;

use visakit_testing::Random;

/// Returns the number of mutated kernels to run; an environment variable raises it.
fn wanted() -> usize {
    std::env::var("VISAKIT_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500)
}

/// Returns the programs of the suite, by file.
fn programs() -> Vec<Zebin> {
    let files = visakit_testing::files(&visakit_testing::root().join("crates/emulator/tests/conformance"), "gz");
    let zebins = files.iter().filter(|f| f.to_string_lossy().ends_with(".zebin.gz"));
    zebins
        .map(|file| Zebin::parse(&file.display().to_string(), &visakit_testing::unpacked(file).unwrap()).unwrap())
        .collect()
}

#[test]
fn damaged_kernels_run_or_are_refused() {
    let programs = programs();
    let mut random = Random(0x51ed_270b_9f0c_3a11);
    let last = visakit_testing::scratch("run-mutated").join("last.visaasm");
    let (mut refused, mut faults, mut done) = (0, 0, 0);
    for n in 0..wanted() {
        let mut zebin = programs[random.below(programs.len())].clone();
        let kernels: Vec<usize> = (0..zebin.texts.len()).filter(|i| zebin.texts[*i].is_kernel()).collect();
        // The n-th kernel text belongs to the n-th kernel layout.
        let number = random.below(kernels.len());
        let (chosen, name) = (kernels[number], zebin.info.kernels[number].name.clone());
        let text = damaged(&zebin.texts[chosen].text, &mut random);
        zebin.texts[chosen].text.clone_from(&text);
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&zebin, &name)));
        match outcome {
            Ok(None) => refused += 1,
            Ok(Some(Err(_))) => faults += 1,
            Ok(Some(Ok(()))) => done += 1,
            Err(_) => {
                std::fs::write(&last, &text).unwrap();
                panic!("mutation {n} of {}: see {}", zebin.file, last.display());
            }
        }
    }
    eprintln!("{refused} refused, {faults} stopped, {done} ran");
    assert!(refused > 0 && faults > 0 && done > 0, "{refused} {faults} {done}");
}

/// Runs a kernel over some work items with arbitrary arguments; `None` if its text is rejected.
fn run(zebin: &Zebin, kernel: &str) -> Option<Result<(), RunError>> {
    let program = Program::from_zebin(zebin, Some(kernel), None).ok()?;
    let specs: Vec<_> = program
        .parameters()
        .iter()
        .filter_map(|p| Some((p.index.into(), spec::parse(&argument(p)?).ok()?)))
        .collect();
    let arguments: Vec<Option<Argument>> = resolve(&program.parameters(), &specs).ok()?;
    let required = program.required_local_size();
    let local = if required == [0; 3] { [16, 1, 1] } else { required };
    let sizes = local.map(u64::from);
    let range = NdRange::new(&sizes, Some(&sizes), None, required).ok()?;
    let options = Options::from(Policy { threads: Some(1), max_instructions: Some(20_000), ..Policy::default() });
    Some(launch(&program, &range, arguments, &options).map(|_| ()))
}

fn argument(parameter: &Parameter) -> Option<String> {
    Some(match parameter.kind {
        ParameterKind::Buffer => "zeros:2048".to_owned(),
        ParameterKind::Local => "local:512".to_owned(),
        ParameterKind::Value(size) => format!("bytes:{}", "03".repeat(size as usize)),
        ParameterKind::Image { dimensions, is_array } => {
            let size = ["4", "4x4", "4x4x4"].get(dimensions.max(1) - 1 + usize::from(is_array))?;
            format!("image:rgba8unorm:{size}:zeros")
        }
        ParameterKind::Sampler => "sampler:clamp,linear".to_owned(),
        ParameterKind::Unknown => return None,
    })
}

/// Returns the text with up to three lines mutated: a word replaced by one of the same form from
/// another line, a changed number, or a line removed, duplicated or moved.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len());
        let other = lines[random.below(lines.len())].clone();
        match random.below(8) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, other),
            2 => {
                let to = random.below(lines.len());
                lines.swap(at, to);
            }
            _ => lines[at] = with_other_word(&lines[at], &other, random),
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n") + "\n"
}

/// Returns the line with a word, number or punctuation mark replaced.
fn with_other_word(line: &str, other: &str, random: &mut Random) -> String {
    let words = pieces(line);
    let at = random.below(words.len().max(1));
    let Some(old) = words.get(at) else { return line.to_owned() };
    let numbers =
        ["0", "1", "2", "3", "7", "8", "15", "16", "31", "32", "63", "255", "4095", "65535", "0x80000000", "-1"];
    let types = ["ud", "d", "uw", "w", "ub", "b", "df", "f", "uq", "q", "hf", "v", "uv", "vf", "bf"];
    let new = if old.starts_with(|c: char| c.is_ascii_digit()) {
        numbers[random.below(numbers.len())].to_owned()
    } else if types.contains(old) {
        types[random.below(types.len())].to_owned()
    } else {
        let others = pieces(other);
        let same: Vec<_> = others.iter().filter(|w| kind(w) == kind(old)).collect();
        same.get(random.below(same.len())).map_or(String::new(), |w| (**w).to_owned())
    };
    words.iter().enumerate().map(|(i, word)| if i == at { new.as_str() } else { word }).collect()
}

/// Splits a line into words and punctuation marks.
fn pieces(line: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '%';
    let mut rest = line;
    let mut out = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (piece, after) = rest.split_at(length);
        out.push(piece);
        rest = after;
    }
    out
}

fn kind(word: &str) -> u8 {
    match word.chars().next() {
        Some(c) if c.is_alphabetic() => c.to_ascii_uppercase() as u8,
        _ => 0,
    }
}
