//! Verdicts on a sample of mutated kernels, compared with the vendor's assembler. `tests/corpus.py`
//! tests many more, from third-party kernels.

use std::path::Path;
use std::process::Command;

use visakit::isa::Platform;
use visakit::text::{Options, parse};
use visakit::verify::routine;
use visakit_diag::Severity;

/// Number of mutated kernels.
const MUTANTS: usize = 60;

#[test]
fn genx_ir_agrees_on_mutants() {
    if !visakit_testing::have("genx_ir_agrees_on_mutants", "vendor", visakit_testing::program("GenX_IR"), "GenX_IR") {
        return;
    }
    let texts = visakit_testing::compiled_texts();
    let dir = visakit_testing::scratch("mutants");
    let (mut asked, mut refused, mut differ) = (0, 0, Vec::new());
    for number in 0..MUTANTS {
        let mut random = Random((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let (name, platform, text) = random.of(&texts);
        let mutant = changed(text, &mut random);
        let Some(theirs) = vendor(&dir, platform, &mutant) else { continue };
        let ours = problem(&mutant, platform);
        asked += 1;
        refused += usize::from(!theirs);
        if theirs != ours.is_none() && !ours.as_deref().is_some_and(is_explained) {
            let lines = mutant.lines().filter(|line| !text.lines().any(|l| l == *line));
            differ.push(format!("{name} {number}: {ours:?}\n{}", lines.collect::<Vec<_>>().join("\n")));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(asked * 10 > MUTANTS * 9 && refused * 4 > asked && refused < asked, "{asked} asked, {refused} refused");
}

/// Returns true for a known mistake of the vendor's assembler, which truncates large numbers; see
/// `EXPLAINED` in `corpus_mutants.py`.
fn is_explained(problem: &str) -> bool {
    ["a number from", "fits into type"].iter().any(|words| problem.contains(words))
}

/// Returns our first error.
fn problem(text: &str, platform: &str) -> Option<String> {
    let platform = Platform::from_name(platform);
    let parsed = match parse(text, Options { file: String::new(), platform }) {
        Ok(parsed) => parsed,
        Err(errors) => return Some(errors[0].message.clone()),
    };
    let mut broken = parsed.routines().flat_map(|(r, _)| routine(r, platform));
    broken.find(|v| v.severity == Severity::Error).map(|v| v.message)
}

/// Returns the vendor's verdict; `None` if its assembler crashes or reports an internal error.
fn vendor(dir: &Path, platform: &str, text: &str) -> Option<bool> {
    for file in ["m.isa", "m.errors.txt"] {
        let _ = std::fs::remove_file(dir.join(file));
    }
    std::fs::write(dir.join("m.visaasm"), text).unwrap();
    let output = Command::new("GenX_IR")
        .args(["m.visaasm", "-platform", &platform.to_ascii_uppercase(), "-binary", "-noschedule"])
        .args(["-outputCisaBinaryName", "m.isa"])
        .current_dir(dir)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if std::fs::metadata(dir.join("m.errors.txt")).is_ok_and(|m| m.len() > 0) {
        return Some(false);
    }
    match output.status.code() {
        Some(1) if !said.contains("Spill memory") => Some(false),
        _ if said.contains("Common_ISA") => None,
        _ if dir.join("m.isa").exists() => Some(true),
        None => None,
        Some(_) => Some(false),
    }
}

/// Returns a text with one blind mutation.
fn changed(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let code = |line: &str| line.split("//").next().unwrap_or("").trim_end().len();
    let written: Vec<usize> = (0..lines.len()).filter(|i| code(&lines[*i]) > 0).collect();
    let at = *random.of(&written);
    let line = lines[at].clone();
    let tokens = tokens(&line[..code(&line)]);
    let token = random.of(&tokens).clone();
    let with = |new: &str| format!("{}{new}{}", &line[..token.start], &line[token.end..]);
    let word = &line[token.clone()];
    match random.below(8) {
        0 => lines[at] = with(""),
        1 => lines[at] = with(&format!("{word} {word}")),
        2 => lines[at] = with(&word.to_ascii_uppercase()),
        3 => lines[at] = with(&format!(" {word} ")),
        4 => lines[at] = with(&line[random.of(&tokens).clone()]),
        5 => lines.insert(at, line.clone()),
        6 if at + 1 < lines.len() => lines.swap(at, at + 1),
        _ => lines[at] = with(random.of::<&str>(&["0", "1", "3", "8", "0x10", "32", "4096", "(", ";", "ud", "P1"])),
    }
    lines.join("\n") + "\n"
}

/// Returns the ranges of words and signs.
fn tokens(line: &str) -> Vec<std::ops::Range<usize>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '%';
    let mut out: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, c) in line.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let end = at + c.len_utf8();
        let begins =
            |range: &std::ops::Range<usize>| range.end == at && is_word(c) && line[range.clone()].ends_with(is_word);
        match out.last_mut() {
            Some(last) if begins(last) => last.end = end,
            _ => out.push(at..end),
        }
    }
    out
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
