//! Properties of the generator: its output is legal, covers the pages, and is accepted by the
//! vendor's assembler.
//!
//! `VISAKIT_MADE` sets the number of routines for the vendor's assembler, `VISAKIT_SEED` the first
//! seed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use visakit::isa::{DataType, Operand, PAGES, Platform};
use visakit::object::{Object, Routine};
use visakit::rt::reflect::{Page, PageKind};
use visakit::rt::{FieldRef, Version, Visitor};
use visakit::text::{Options, Style, parse, print};
use visakit::verify;
use visakit_smith::{Config, Unstructured, bytes, routine};

/// Reads a number from the environment.
fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Returns the pages that encode something on any platform.
fn encoding() -> impl Iterator<Item = &'static Page> {
    let encodes =
        |page: &&Page| matches!(page.kind, PageKind::Ordinary | PageKind::Undefined) && !page.forms.is_empty();
    PAGES.iter().copied().filter(encodes)
}

/// Coverage of the pages by generated routines.
#[derive(Default)]
struct Reached {
    pages: BTreeSet<&'static str>,
    forms: BTreeSet<(&'static str, &'static str)>,
    types: BTreeSet<&'static str>,
    /// Names of values, by page and field.
    values: BTreeSet<(&'static str, &'static str, &'static str)>,
    instructions: usize,
}

struct Look<'a>(&'a mut Reached, &'static Page, &'a Routine, &'static [visakit::rt::reflect::Field]);

impl<'a> Visitor<'a> for Look<'_> {
    fn field(&mut self, position: usize, value: FieldRef<'a>) {
        let Self(reached, page, routine, fields) = self;
        let field = &fields[position];
        match value {
            FieldRef::Vector(v) => {
                let ty = match &v.operand {
                    Operand::General(g) => routine.data_type(g.id),
                    Operand::Indirect(i) => Some(i.bit_properties.type_),
                    Operand::Immediate(c) => Some(c.type_),
                    Operand::Predicate(_) => Some(DataType::Bool),
                    Operand::Address(_) | Operand::State(_) => None,
                };
                reached.types.extend(ty.map(DataType::name));
                reached.values.insert((page.name, field.name, v.operand.class().name()));
            }
            FieldRef::Bits(bits) => {
                let parts = field.list.map_or(&[][..], |list| list.parts);
                for part in parts {
                    let own = bits >> part.lo & ((1 << part.width) - 1);
                    let named = part.values.iter().find(|v| v.value == own);
                    reached.values.extend(named.map(|v| (page.name, field.name, v.name)));
                }
            }
            _ => {}
        }
    }
}

impl Reached {
    fn add(&mut self, routine: &Routine) {
        for one in &routine.instructions {
            self.instructions += 1;
            self.pages.insert(one.page().name);
            self.forms.insert((one.page().name, one.form().name));
            one.visit(&mut Look(self, one.page(), routine, one.form().fields));
        }
    }
}

/// Draws routines for each page on each of its platforms: all must be legal and at least one
/// instruction must be drawn.
#[test]
fn every_page_is_made() {
    let mut reached = Reached::default();
    let mut missing = Vec::new();
    for page in encoding() {
        let mut made = 0;
        for (n, platform) in Platform::ALL.iter().enumerate() {
            if !page.platforms.is_empty() && !page.platforms.iter().any(|range| range.contains(*platform)) {
                continue;
            }
            // Pages of the plan are never drawn alone.
            let config =
                Config { platform: Some(*platform), instructions: Some(3), page: Some(page), straight: true };
            let (_, routine) = routine(&mut Unstructured::new(&bytes(n as u64, 600)), &config).unwrap();
            assert_eq!(verify::routine(&routine, Some(*platform)), [], "{}", text_of(&routine, *platform));
            made += routine.instructions.len() - 1;
            reached.add(&routine);
        }
        if made == 0 && !frame(page) {
            missing.push(page.name);
        }
    }
    assert!(missing.is_empty(), "nothing is made of {missing:?}");
}

/// Returns true for pages that refer to a label or end a routine: they belong to the plan.
fn frame(page: &Page) -> bool {
    let labels = page.forms.iter().flat_map(|f| f.fields).any(|f| f.table == Some(visakit::rt::Table::Label));
    labels || [&visakit::isa::pages::RET, &visakit::isa::pages::FRET].into_iter().any(|p| std::ptr::eq(p, page))
}

fn text_of(routine: &Routine, platform: Platform) -> String {
    let object = Object::new(Version::new(4, 1), [routine.clone()]);
    print(&object, object.routines().next().unwrap(), Some(platform), Style::Full)
}

/// Returns the vendor's verdict on a text: the routine of its object, which lacks operands, or the
/// error message.
fn vendor(dir: &Path, platform: Platform, text: &str) -> Result<Routine, String> {
    std::fs::write(dir.join("k.visaasm"), text).unwrap();
    for file in ["k.isa", "k.errors.txt"] {
        let _ = std::fs::remove_file(dir.join(file));
    }
    let output = Command::new("GenX_IR")
        .args(["k.visaasm", "-platform", &platform.name().to_uppercase(), "-binary", "-noschedule"])
        .args(["-outputCisaBinaryName", "k.isa"])
        .current_dir(dir)
        .output()
        .unwrap();
    let report = std::fs::read_to_string(dir.join("k.errors.txt")).ok();
    // The assembler may crash later in code generation; an object without findings counts as
    // acceptance.
    let complains = output.status.code() == Some(1) || report.is_some();
    match std::fs::read(dir.join("k.isa")) {
        Ok(bytes) if !complains => {
            let salvaged = Object::salvage(&bytes).map_err(|e| format!("we do not read its object: {e}"))?;
            let kernel = salvaged.object.kernels.into_iter().next();
            kernel.map(|kernel| kernel.routine).ok_or_else(|| "its object has no kernel".to_owned())
        }
        _ => {
            let said = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let report = report.unwrap_or_default();
            let lines = report.lines().chain(said.iter().flat_map(|text| text.lines())).map(str::trim);
            let says = |line: &&str| !line.is_empty() && !line.starts_with("GenX_IR");
            // A report has one line with the error.
            let message = lines.clone().find(|line| line.starts_with("Error Message:"));
            Err(message.or_else(|| lines.clone().find(says)).unwrap_or("no reason").to_owned())
        }
    }
}

/// Returns the disagreement with the vendor about a text. `None` means that it accepts the text,
/// builds the same tables, and prints our object as we do.
fn disagreement(dir: &Path, platform: Platform, text: &str) -> Option<String> {
    let ours = match parse(text, Options { file: "made".to_owned(), platform: Some(platform) }) {
        Ok(parsed) => parsed.into_object(),
        Err(errors) => return Some(format!("our own: {}", errors[0].one_line())),
    };
    let routine = &ours.kernels[0].routine;
    match vendor(dir, platform, text) {
        Err(said) => return Some(said),
        // Instructions in its object lack operands, see `Object::salvage`.
        Ok(theirs) if theirs != (Routine { instructions: Vec::new(), ..routine.clone() }) => {
            return Some("other tables".to_owned());
        }
        Ok(_) => {}
    }
    let shown = print(&ours, routine, Some(platform), Style::Vendor);
    let theirs = visakit_testing::genx_ir_text("made", &ours.encode().unwrap(), platform.name());
    let mut lines = shown.lines().zip(theirs.lines()).filter(|(a, b)| a != b);
    if theirs.is_empty() {
        return Some("it prints nothing of our object".to_owned());
    }
    lines.next().map(|(a, b)| format!("we print and it prints\n{a}\n{b}\n"))
}

/// Removes the digits from a verdict, to group similar verdicts.
fn kind(said: &str) -> String {
    said.lines().next().unwrap_or_default().replace(|c: char| c.is_ascii_digit(), "")
}

/// Reduces a text while the verdict stays the same, by removing lines.
fn smallest(dir: &Path, platform: Platform, text: &str, said: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut step = lines.len() / 2;
    while step > 0 {
        let mut at = 0;
        while at < lines.len() {
            let end = (at + step).min(lines.len());
            let frame = |line: &&&str| [".version", ".kernel"].iter().any(|word| line.starts_with(word));
            let kept = lines[at..end].iter().filter(frame);
            let other: Vec<&str> = lines[..at].iter().chain(kept).chain(&lines[end..]).copied().collect();
            if other.len() == lines.len() {
                at = end;
                continue;
            }
            let text = other.join("\n") + "\n";
            let read = parse(&text, Options { file: String::new(), platform: Some(platform) });
            let legal = read.is_ok_and(|p| verify::routine(&p.routine, Some(platform)).is_empty());
            if legal && disagreement(dir, platform, &text).is_some_and(|now| kind(&now) == kind(said)) {
                at += other.len() + (end - at) - lines.len();
                lines = other;
            } else {
                at = end;
            }
        }
        step /= 2;
    }
    lines.join("\n")
}

/// Known disagreements with the vendor's assembler, with reasons: `PAGE | reason`.
const KNOWN: &str = include_str!("known.txt");

/// The vendor's assembler accepts what the rules accept, page by page: a sample, or all with
/// `VISAKIT_MADE`.
#[test]
fn genx_ir_takes_it() {
    if !visakit_testing::have("genx_ir_takes_it", "vendor", visakit_testing::program("GenX_IR"), "GenX_IR") {
        return;
    }
    let dir = visakit_testing::scratch("made-genx");
    let (begin, rounds) = (number("VISAKIT_SEED", 1), number("VISAKIT_MADE", 0));
    let platforms =
        ["skl", "icllp", "tgllp", "dg2", "pvc"].map(|name| Platform::from_name(name).expect("a platform"));
    let known: BTreeMap<&str, &str> = KNOWN.lines().filter_map(|line| line.split_once(" | ")).collect();
    let (mut reached, mut different, mut surprises) = (Reached::default(), BTreeMap::new(), Vec::new());
    let (mut made, mut taken, mut failed) = (0, 0, 0);
    for (round, (at, page)) in (0..rounds.max(1)).flat_map(|n| encoding().enumerate().map(move |one| (n, one))) {
        if rounds == 0 && at % 8 != begin as usize % 8 {
            continue;
        }
        let here =
            |p: &&Platform| page.platforms.is_empty() || page.platforms.iter().any(|range| range.contains(**p));
        let here: Vec<_> = platforms.iter().filter(here).collect();
        let seed = (begin + round) * 1000 + at as u64;
        let Some(platform) = here.get(seed as usize % here.len().max(1)).map(|p| **p) else { continue };
        let page = (!frame(page)).then_some(page);
        let config = Config { platform: Some(platform), instructions: Some(4), page, straight: page.is_some() };
        let (_, routine) = routine(&mut Unstructured::new(&bytes(seed, 700)), &config).unwrap();
        // The plan of a routine belongs to no single page.
        let name = page.map_or("routines", |page| page.name);
        reached.add(&routine);
        let text = text_of(&routine, platform);
        made += 1;
        let Some(said) = disagreement(&dir, platform, &text) else {
            taken += 1;
            continue;
        };
        // A failure in its code generation is not a verdict on the text.
        if ["./visa/", "[vISA Finalizer", "no reason"].iter().any(|word| said.starts_with(word)) {
            failed += 1;
            continue;
        }
        if page.is_some() && (different.contains_key(name) || known.contains_key(name) && rounds == 0) {
            continue;
        }
        let least = smallest(&dir, platform, &text, &said);
        let parsed = parse(&(least.clone() + "\n"), Options { file: String::new(), platform: Some(platform) });
        let mut pages = parsed.iter().flat_map(|p| &p.routine.instructions).map(|one| one.page().name);
        let example = format!("{name} | {said} | seed {seed}, {}\n{least}", platform.name());
        if !known.contains_key(name) && !pages.any(|page| known.contains_key(page)) {
            surprises.push(example.clone());
        }
        different.insert(name, example);
    }
    eprintln!(
        "{taken} of {made} routines alike, {failed} where it fails behind the text; {} instructions of {} pages, {} forms, {} types, {} values; other: {:?}",
        reached.instructions,
        reached.pages.len(),
        reached.forms.len(),
        reached.types.len(),
        reached.values.len(),
        different.keys().collect::<Vec<_>>()
    );
    assert!(surprises.is_empty(), "{}", surprises.join("\n=====\n"));
}
