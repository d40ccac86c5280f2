//! Single edits of pages, and the cause that the comparison names for what follows from each.

use std::collections::BTreeSet;

use rayon::prelude::*;
use visakit_codegen::model::{Model, Page};
use visakit_conform::{own_model, own_pages, run_on};
use visakit_spec_tools::diff;

use super::explain::{Cause, Known, causes};
use crate::spec::platforms;

/// Edit of one line of a page.
struct Plant {
    /// Kind of the edit.
    kind: &'static str,
    /// Page, by its path.
    page: String,
    /// Line, from 1.
    line: usize,
    from: String,
    to: String,
}

/// Number of edits of each kind.
const OF_A_KIND: usize = 9;

/// Instructions that are probed beside those that use an edited list.
const ALWAYS: [&str; 2] = ["ADD", "GATHER"];

/// Number of other instructions that use an edited list and are probed.
const TOUCHED: usize = 3;

/// Collector of edits.
struct Plants {
    pages: Vec<Page>,
    out: Vec<Plant>,
}

impl Plants {
    /// Adds the first lines of which `edited` returns another text, at most `per_page` of a page.
    /// `edited` receives the heading above the line, and the line.
    fn add(
        &mut self,
        kind: &'static str,
        files: &str,
        per_page: usize,
        edited: impl Fn(&str, &str) -> Option<String>,
    ) {
        let mut found = 0;
        for page in self.pages.iter().filter(|page| page.path.starts_with(files)) {
            let mut heading = "";
            let mut of_page = 0;
            for (n, line) in page.text.lines().enumerate() {
                if line.starts_with('#') {
                    heading = line.trim_start_matches(['#', ' ']);
                }
                let Some(to) = edited(heading, line).filter(|to| to != line) else { continue };
                if found == OF_A_KIND || of_page == per_page {
                    break;
                }
                (found, of_page) = (found + 1, of_page + 1);
                self.out.push(Plant { kind, page: page.path.clone(), line: n + 1, from: line.to_owned(), to });
            }
        }
        assert!(found > 0, "{kind}");
    }
}

/// Returns the edits of all kinds.
fn plants() -> Vec<Plant> {
    let mut plants = Plants { pages: own_pages().collect(), out: Vec::new() };
    of_instructions(&mut plants);
    of_chapters(&mut plants);
    of_texts(&mut plants);
    plants.out
}

fn of_instructions(plants: &mut Plants) {
    let instructions = "instructions/";
    plants.add("opcode", instructions, 1, |heading, line| {
        let (name, code) = line.trim().split_once(" = 0x")?;
        (heading == "Opcode")
            .then(|| format!("  {name} = 0x{:02x}", u8::from_str_radix(code, 16).unwrap_or(0) ^ 0xc0))
    });
    plants.add("enumerator-removed", instructions, 1, |_, line| {
        let (code, _) = line.trim().strip_prefix("| 0b")?.split_once(" | ")?;
        let columns = line.matches('|').count();
        let empty = "| ".repeat(columns.saturating_sub(3));
        (code.ends_with("01") && columns > 2)
            .then(|| format!("{}| 0b{code} | reserved {empty}|", &line[..line.len() - line.trim_start().len()]))
    });
    plants.add("bits", instructions, 1, |_, line| {
        let range = line.trim_start().strip_prefix("- Bit[")?.split(']').next()?;
        let (high, low) = range.split_once("..")?;
        let (high, low): (u32, u32) = (high.parse().ok()?, low.parse().ok()?);
        (low > 0 && line.contains("See [")).then(|| line.replacen(range, &format!("{}..{}", high - 1, low - 1), 1))
    });
    plants.add("order", instructions, 1, |heading, line| {
        (heading == "Format" && line.contains("Src0 | Src1 |"))
            .then(|| line.replace("Src0 | Src1 |", "Src1 | Src0 |"))
    });
    plants.add("removed", instructions, 1, |heading, line| {
        (heading == "Format" && line.contains("| Src1 | Src2 |")).then(|| line.replace("| Src1 | Src2 |", "| Src1 |"))
    });
    plants.add("width", instructions, 1, |_, line| {
        (line.starts_with("- **") && line.contains("(ub):** ") && !line.contains("Exec_size"))
            .then(|| line.replacen("(ub)", "(uw)", 1))
    });
    plants.add("type", instructions, 1, |_, line| {
        (line.starts_with("- **Supported Types:** ") && line.contains(", ")).then(|| {
            let (front, _) = line.rsplit_once(", ").unwrap_or((line, ""));
            front.to_owned()
        })
    });
    plants.add("class", instructions, 1, |_, line| {
        line.contains(", immediate").then(|| line.replace(", immediate", ""))
    });
    plants.add("template", instructions, 1, |heading, line| {
        let words = line.strip_prefix("[(<P>)] ")?;
        (heading == "Text").then(|| format!("[(<P>)] Q{words}"))
    });
    plants.add("version", instructions, OF_A_KIND, |_, line| {
        line.starts_with("- {3.").then(|| line.replacen("3.4", "3.5", 1))
    });
    plants.add("saturation", instructions, 1, |_, line| {
        (line == "- **Saturation:** Yes").then(|| "- **Saturation:** No".to_owned())
    });
}

fn of_chapters(plants: &mut Plants) {
    plants.add("enumerator", "lists.md", OF_A_KIND, |_, line| {
        let rest = line.strip_prefix("| 0b")?;
        let cells: Vec<&str> = rest.split(" | ").collect();
        let number = cells[0].chars().filter(|c| *c == '1').count();
        let is_word = cells[1] != "reserved" && cells[1].chars().all(char::is_alphabetic);
        (cells.len() > 2 && number == 2 && is_word).then(|| line.replacen(cells[1], "other", 1))
    });
    plants.add("platform", "platforms.md", OF_A_KIND, |heading, line| {
        (heading == "Platforms" && line.ends_with("| 32 |")).then(|| line.replace("| 32 |", "| 64 |"))
    });
    plants.add("alias", "platforms.md", OF_A_KIND, |heading, line| {
        let (name, rest) = line.strip_prefix("| ")?.split_once(" | ")?;
        let first = rest.split([',', ' ']).next()?;
        (heading == "Platforms" && rest.contains("0x") && first.len() > 2)
            .then(|| format!("| {name} | {}", rest.replacen(first, "planted", 1)))
    });
    plants.add("severity", "verification.md", OF_A_KIND, |heading, line| {
        (heading == "What the assembler accepts" && line.contains(" | warning | "))
            .then(|| line.replace(" | warning | ", " | nothing | "))
    });
    plants.add("rule", "verification.md", OF_A_KIND, |_, line| {
        (line.starts_with("| `") && line.contains(" <= ")).then(|| line.replacen(" <= ", " < ", 1))
    });
    plants.add("variable", "4_object_format.md", OF_A_KIND, |heading, line| {
        (heading == "Predefined variables" && line.starts_with("| ") && line.contains(" | R | "))
            .then(|| line.replace(" | R | ", " | RW | "))
    });
    plants.add("data-type", "2_datatypes.md", OF_A_KIND, |heading, line| {
        (heading == "Data_type" && line.contains("float | 16 |")).then(|| line.replace("| 16 |", "| 32 |"))
    });
}

/// Edits of the chapter of assembly text, from its spellings to the bounds of its forms.
fn of_texts(plants: &mut Plants) {
    let chapter = "8_assembly_text.md";
    // Directives that only objects need have no probe.
    let spelled =
        [".version", ".kernel", ".decl", ".input", ".implicit_", ".kernel_attr", ".function", ".file", ".loc"];
    let renamed = |line: &str| {
        let (front, rest) = line.split_once('"')?;
        let (spelling, rest) = rest.split_once('"')?;
        Some(format!("{front}\"{}q\"{rest}", spelling.trim_end_matches('_')))
    };
    plants.add("directive", chapter, OF_A_KIND, |heading, line| {
        let is_probed = spelled.iter().any(|name| line.contains(&format!("\"{name}\"")));
        (heading.starts_with("Text_directive") && is_probed).then(|| renamed(line))?
    });
    plants.add("key", chapter, OF_A_KIND, |heading, line| {
        (heading.starts_with("Text_key") && line.contains("| no |")).then(|| renamed(line))?
    });
    for (kind, list) in [
        ("class spelling", "Declared_class"),
        ("older alignment", "Older_alignment"),
        ("older mask", "Older_mask"),
        ("withdrawn mnemonic", "Withdrawn_mnemonic"),
        ("withdrawn mask", "Withdrawn_mask"),
        ("brace", "Text_mark"),
    ] {
        plants.add(kind, chapter, 3, |heading, line| heading.starts_with(list).then(|| renamed(line))?);
    }
    for (kind, from, to) in [
        ("argument form", "pair_content | version_argument", "pair_content | numbers_argument"),
        ("argument content", "bytes_content | bytes_argument", "bytes_content | quoted_argument"),
        ("operands", "| LOC | an older", "| FILE | an older"),
        (
            "keys leading",
            "| key_offset | key_size | key_attributes |",
            "| - | key_size, key_offset | key_attributes |",
        ),
        ("keys required", "| - | - | key_offset, key_size |", "| - | key_offset | key_size |"),
        ("keys order", "key_type, key_elements | key_alignment", "key_elements, key_type | key_alignment"),
        ("key content", "number_content | word_value | - | size", "number_content | type_value | - | size"),
        ("key default", "alignment_value | 0", "alignment_value | 2"),
        ("key default kind", "alignment_value | 0", "alignment_value | 200"),
        ("key default bound", "signed_word_value | 0", "signed_word_value | 40000"),
        ("older meaning", "| \"2GRF\" | GRFx2 |", "| \"2GRF\" | GRF |"),
        ("mask meaning", "| \"NoMask\" | M1_NM |", "| \"NoMask\" | M1 |"),
        ("withdrawn meaning", "| \"endif\" | a label |", "| \"endif\" | a word |"),
        ("comment", "\"//\"", "\"///\""),
        ("letter", "\"G\" | V |", "\"G\" | W |"),
        ("listed", "| revision_2022 | - | 21 |", "| revision_2022 | - | 20 |"),
    ] {
        plants.add(kind, chapter, 1, |_, line| line.contains(from).then(|| line.replacen(from, to, 1)));
    }
}

/// Returns the model of the pages with one edit, and the number of findings of `spec lint`.
fn edited(plant: &Plant) -> (Model, usize) {
    let mut pages: Vec<Page> = own_pages().collect();
    let page = pages.iter_mut().find(|page| page.path == plant.page).expect("the page");
    let mut lines: Vec<&str> = page.text.lines().collect();
    assert_eq!(lines[plant.line - 1], plant.from);
    lines[plant.line - 1] = &plant.to;
    page.text = lines.join("\n") + "\n";
    let (model, findings) = visakit_codegen::read_texts(pages);
    (model, findings.len())
}

/// Returns the number of findings of an edit, with those of `spec lint`, and their causes.
fn named(own: &Model, plant: &Plant) -> (usize, Vec<Cause>) {
    let (model, of_lint) = edited(plant);
    // A full probe takes seconds, so only pages that the edit concerns are probed.
    let changes = diff::diff(own, &model, &platforms());
    let touches = changes.iter().flat_map(|c| c.touches.iter().map(String::as_str).take(TOUCHED));
    let touched: BTreeSet<&str> = touches.chain(changes.iter().map(|change| change.subject())).collect();
    let mut found = run_on(&model, &|name| {
        let is_named = || plant.from.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        ALWAYS.contains(&name)
            || touched.contains(name)
            || is_named()
            || plant.page == format!("instructions/{name}.md")
    });
    let (causes, _) = causes(&mut found.findings, own, &model, &Known::new());
    (found.findings.len() + of_lint, causes)
}

/// Checks that all that follows from each edit has one cause, the edited line.
fn check(plants: &[&Plant]) {
    let (own, _) = own_model();
    let (mut wrong, mut silent) = (Vec::new(), Vec::new());
    let of_plants: Vec<_> = plants.par_iter().map(|plant| named(&own, plant)).collect();
    for (plant, (findings, causes)) in plants.iter().zip(of_plants) {
        let label = format!("{} {}:{} `{}`", plant.kind, plant.page, plant.line, plant.to.trim());
        if findings == 0 {
            silent.push(label);
            continue;
        }
        let shown: Vec<String> = causes.iter().map(Cause::summary).collect();
        let file = format!("spec/{}", plant.page);
        let is_edit =
            |cause: &Cause| cause.class() != "implementation" && cause.place() == (file.as_str(), plant.line as u32);
        if causes.len() > 1 || !causes.iter().all(is_edit) {
            wrong.push(format!("{label}\n    {}", shown.join("\n    ")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), plants.len(), wrong.join("\n"));
    assert!(silent.is_empty(), "{} edits without a finding:\n{}", silent.len(), silent.join("\n"));
}

/// The first edit of each kind.
#[test]
fn an_edit_is_the_cause_of_all_that_follows() {
    let plants = plants();
    let mut kinds: BTreeSet<&str> = BTreeSet::new();
    let first: Vec<&Plant> = plants.iter().filter(|plant| kinds.insert(plant.kind)).collect();
    assert!(first.len() > 15, "{kinds:?}");
    check(&first);
}

/// A hundred single edits, in some minutes: `cargo test -p visakit-cli --bin visa planted --
/// --include-ignored`.
#[test]
#[ignore = "takes minutes"]
fn each_of_a_hundred_edits_is_the_cause_of_all_that_follows() {
    let plants = plants();
    assert!(plants.len() >= 100, "{} edits", plants.len());
    check(&plants.iter().collect::<Vec<_>>());
}

/// Several edits at once: each finding that follows from an edit has it as its cause.
#[test]
fn edits_of_several_pages_are_distinguished() {
    let (own, _) = own_model();
    let mut pages: Vec<Page> = own_pages().collect();
    let mut edited: BTreeSet<String> = BTreeSet::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut kinds: BTreeSet<&str> = BTreeSet::new();
    for plant in plants().iter().filter(|plant| plant.page.starts_with("instructions/")) {
        // Equal edits of several pages are one cause.
        if edited.contains(&plant.page) || !kinds.insert(plant.kind) {
            continue;
        }
        edited.insert(plant.page.clone());
        names.extend(plant.page.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).map(str::to_owned));
        let page = pages.iter_mut().find(|page| page.path == plant.page).expect("the page");
        page.text = page.text.replacen(&plant.from, &plant.to, 1);
    }
    assert!(edited.len() > 8, "{edited:?}");
    let model = visakit_codegen::read_texts(pages).0;
    let mut found = run_on(&model, &|name| names.contains(name));
    let pages: Vec<_> = found.findings.iter().map(|finding| finding.pages.clone()).collect();
    let (causes, of) = causes(&mut found.findings, &own, &model, &Known::new());
    for ((finding, shown), cause) in found.findings.iter().zip(pages).zip(of) {
        let cause = &causes[cause - 1];
        let file = cause.place().0.trim_start_matches("spec/instructions/").trim_end_matches(".md");
        assert!(cause.class() != "implementation", "{}: {}", finding.diagnostic.message, cause.summary());
        let is_own = shown.is_empty() || shown.contains(file);
        assert!(is_own, "{}: {}, shown by {shown:?}", finding.diagnostic.message, cause.summary());
    }
}
