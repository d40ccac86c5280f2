//! Results of two builds for the same inputs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::names::unchanged;

/// Results by a description of the input and the operation.
pub(crate) type Results = BTreeMap<String, Vec<u8>>;

/// Operation to run, with its results.
type Job<'a> = Box<dyn Fn() -> Vec<(String, Vec<u8>)> + Sync + 'a>;

/// Replacement of names in texts and objects, each by another name of the same length.
#[derive(Default)]
pub(crate) struct Mapping(pub(crate) Vec<(String, String)>);

impl Mapping {
    fn there(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.iter().fold(bytes.to_vec(), |bytes, (old, new)| replaced(bytes, old, new))
    }

    pub(crate) fn back(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.iter().fold(bytes.to_vec(), |bytes, (old, new)| replaced(bytes, new, old))
    }
}

/// Replaces whole words only.
fn replaced(mut bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    let word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(from.len()).position(|w| w == from.as_bytes()) {
        let start = at + found;
        at = start + from.len();
        let before = start.checked_sub(1).and_then(|i| bytes.get(i));
        if !word(bytes.get(at)) && !word(before) && before != Some(&b'%') {
            bytes[start..at].copy_from_slice(to.as_bytes());
        }
    }
    bytes
}

/// Text with its platform.
pub(crate) struct Source {
    name: String,
    platform: String,
    text: String,
}

/// Returns every `step`-th text of the repository, and the example programs.
pub(crate) fn sources(step: usize) -> Vec<Source> {
    let mut out = Vec::new();
    for path in visakit_testing::files(&visakit_testing::root().join("tests/vectors/single"), "visaasm") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let platform = name.split('-').next().filter(|p| ["dg2", "pvc"].contains(p)).unwrap_or("skl").to_owned();
        out.push(Source { name, platform, text: std::fs::read_to_string(&path).unwrap() });
    }
    let single = out.len();
    for (name, platform, text) in visakit_testing::compiled_texts() {
        out.push(Source { name, platform, text });
    }
    let mut n = 0;
    out.retain(|_| {
        n += 1;
        n > single || n % step == 0
    });
    out
}

/// Returns texts in which a word of an instruction is replaced by another word from the same
/// position. Most of them break a rule.
fn mutants(sources: &[Source], count: usize) -> Vec<Source> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let body = |text: &str| text.find("\n    ").map_or(text.len(), |i| i + 1);
    let mut words: BTreeMap<(char, bool), Vec<String>> = BTreeMap::new();
    let found = |text: &str| {
        let mut out = Vec::new();
        let (mut before, mut start) = (' ', None);
        for (i, c) in text.char_indices() {
            match start {
                None if is_word(c) => start = Some((i, before)),
                Some((from, lead)) if !is_word(c) => {
                    out.push((from..i, lead));
                    start = None;
                }
                _ => {}
            }
            before = c;
        }
        out
    };
    let sort = |word: &str, lead: char| (lead, word.starts_with(|c: char| c.is_ascii_digit()));
    for source in sources {
        let code = &source.text[body(&source.text)..];
        for (range, lead) in found(code) {
            let list = words.entry(sort(&code[range.clone()], lead)).or_default();
            if !list.iter().any(|w| *w == code[range.clone()]) {
                list.push(code[range].to_owned());
            }
        }
    }
    let mut random = visakit_testing::Random(0x5eed);
    let mut out = Vec::new();
    for n in 0..count {
        let source = &sources[n % sources.len()];
        let at = body(&source.text);
        let all = found(&source.text[at..]);
        if all.is_empty() {
            continue;
        }
        let (range, lead) = all[random.below(all.len())].clone();
        let range = range.start + at..range.end + at;
        let others = &words[&sort(&source.text[range.clone()], lead)];
        let mut text = source.text.clone();
        text.replace_range(range, &others[random.below(others.len())]);
        out.push(Source { name: format!("{}.{n}", source.name), platform: source.platform.clone(), text });
    }
    out
}

/// Runs all operations with one build. `renamed` maps its names in texts.
pub(crate) fn results(visa: &Path, dir: &Path, sources: &[Source], broken: usize, renamed: &Mapping) -> Results {
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir).unwrap();
    // The broken texts are verified by a single process.
    let broken = &mutants(sources, broken);
    let visa = |args: &[&str]| {
        let output = Command::new(visa).args(args).args(["--color", "never"]).current_dir(dir).output().unwrap();
        let mut out = format!("exit {:?}\n", output.status.code()).into_bytes();
        out.extend(unchanged(&String::from_utf8_lossy(&renamed.back(&output.stdout))).into_bytes());
        out.extend(unchanged(&String::from_utf8_lossy(&renamed.back(&output.stderr))).into_bytes());
        out
    };
    let visa = &visa;
    let look = move |file: &str, platform: &str| {
        vec![
            (format!("{file}: disasm"), visa(&["disasm", file, "--platform", platform])),
            (format!("{file}: disasm --full"), visa(&["disasm", "--full", file, "--platform", platform])),
            (format!("{file}: verify"), visa(&["verify", file, "--platform", platform, "--format", "json"])),
        ]
    };
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for source in sources {
        jobs.push(Box::new(move || {
            let Source { name, platform, text } = source;
            let (file, object) = (format!("{name}.visaasm"), format!("{name}.isa"));
            std::fs::write(dir.join(&file), renamed.there(text.as_bytes())).unwrap();
            let mut out = vec![(
                format!("{file}: asm"),
                visa(&["asm", &file, "-o", &object, "--platform", platform, "--format", "json"]),
            )];
            out.push((object.clone(), renamed.back(&std::fs::read(dir.join(&object)).unwrap_or_default())));
            out.extend(look(&object, platform));
            let vendors = visakit_testing::root().join("tests/vectors/single").join(&object);
            if let Ok(bytes) = std::fs::read(vendors) {
                let object = format!("{name}.vendor.isa");
                std::fs::write(dir.join(&object), renamed.there(&bytes)).unwrap();
                out.push((format!("{object}: dump"), visa(&["dump", &object])));
                out.extend(look(&object, platform));
            }
            out
        }));
    }
    for platform in ["skl", "tgllp", "dg2", "pvc"] {
        let files: Vec<&Source> = broken.iter().filter(|s| s.platform == platform).collect();
        for some in files.chunks(50) {
            let some: Vec<&Source> = some.to_vec();
            jobs.push(Box::new(move || {
                let names: Vec<String> = some.iter().map(|s| format!("{}.visaasm", s.name)).collect();
                for (name, source) in names.iter().zip(&some) {
                    std::fs::write(dir.join(name), renamed.there(source.text.as_bytes())).unwrap();
                }
                let mut args = vec!["verify", "--platform", platform, "--format", "json"];
                args.extend(names.iter().map(String::as_str));
                vec![(format!("verify of {} and others", names[0]), visa(&args))]
            }));
        }
    }
    for example in ["vector_add", "histogram"] {
        let folder = visakit_testing::root().join("examples").join(example);
        let launch = folder.join(format!("{example}.toml")).display().to_string();
        for zebin in visakit_testing::files(&folder, "zebin") {
            let launch = launch.clone();
            jobs.push(Box::new(move || {
                let name = zebin.file_name().unwrap().to_string_lossy().into_owned();
                let (program, dump) = (dir.join(&name), dir.join(format!("{name}.out")));
                std::fs::write(&program, renamed.there(&std::fs::read(&zebin).unwrap())).unwrap();
                let (program, to) = (program.display().to_string(), format!("2={}", dump.display()));
                let said = visa(&["run", "--launch", &launch, &program, "--dump", &to]);
                vec![
                    (format!("run {name}"), said),
                    (format!("what {name} computes"), std::fs::read(&dump).unwrap_or_default()),
                ]
            }));
        }
    }
    let (next, out) = (AtomicUsize::new(0), Mutex::new(Results::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
                    let found = job();
                    out.lock().unwrap().extend(found);
                }
            });
        }
    });
    out.into_inner().unwrap()
}

/// Runs the conformance suite, or the families with the given prefixes, and returns the failure.
pub(crate) fn conformance(program: &Path, only: &str, dir: &Path, renamed: &Mapping) -> Option<String> {
    let mut command = Command::new(program);
    command.env("VISAKIT_ONLY", only).current_dir(visakit_testing::root());
    if !renamed.0.is_empty() {
        command.env("VISAKIT_CONFORMANCE", suite(only, dir, renamed));
    }
    let output = command.arg("--nocapture").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let counts: Vec<&str> = said.lines().filter(|line| line.ends_with(" pass")).collect();
    let all = |line: &&str| {
        let numbers: Vec<&str> = line.split(' ').collect();
        matches!(numbers.as_slice(), [_, passed, "of", all, "pass"] if passed == all)
    };
    (!output.status.success() || counts.is_empty() || !counts.iter().all(all)).then(|| {
        let told = |line: &&str| counts.is_empty() || line.ends_with(" pass") || line.contains(" times ");
        let told = said.lines().filter(told);
        format!("conformance:\n{}", told.collect::<Vec<_>>().join("\n"))
    })
}

/// Copies the suite with the names in its texts replaced.
fn suite(only: &str, dir: &Path, renamed: &Mapping) -> PathBuf {
    let out = dir.join("suite");
    std::fs::create_dir_all(&out).unwrap();
    let folder = visakit_testing::root().join("crates/emulator/tests/conformance");
    // Sources list the targets with programs.
    for path in visakit_testing::files(&folder, "cl") {
        std::fs::copy(&path, out.join(path.file_name().unwrap())).unwrap();
    }
    for path in visakit_testing::files(&folder, "gz") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !only.is_empty() && !only.split(',').any(|start| name.starts_with(start)) {
            continue;
        }
        let bytes = visakit_testing::unpacked(&path).expect("a file of the suite");
        let bytes = if name.ends_with(".zebin") { renamed.there(&bytes) } else { bytes };
        std::fs::write(out.join(name), bytes).unwrap();
    }
    out
}
