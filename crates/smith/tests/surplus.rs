//! Statements with a surplus word at every position of every form. The parser must refuse each at a
//! position inside the statement, or print the surplus again. Nothing may be dropped silently.

use std::collections::{BTreeMap, BTreeSet};

use visakit::isa::{PAGES, Platform};
use visakit::object::Object;
use visakit::rt::Version;
use visakit::text::{Options, Style, parse, print};
use visakit_smith::{Config, Unstructured, bytes, routine};

/// Insertions before each word and at the end: operands of every kind, a predicate, an execution
/// size.
const OPERANDS: [&str; 8] =
    ["V900(0,0)<1>", "V900(0,0)<1;1,0>", "V900.0", "0x7b:ud", "0x7b", "P900", "(M1, 8)", "(P900)"];

/// Insertions directly after each word.
const MODIFIERS: [&str; 6] = [".sat", ".zzz", ":d32", "<1>", "(0,0)", ","];

/// Declarations for the surplus operands.
const DECLARED: &str = ".decl V900 v_type=G type=ud num_elts=64 align=GRF\n.decl P900 v_type=P num_elts=32\n";

/// Returns the shape of a statement: its opcode and its number of words.
fn shape(statement: &str) -> String {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let opcode = words.iter().find(|word| !word.starts_with('(')).copied().unwrap_or_default();
    format!("{} {}", opcode.split('.').next().unwrap_or_default(), words.len())
}

/// Returns the insertion positions in a statement: before the first word, between words, and at the
/// end.
fn places(statement: &str) -> Vec<usize> {
    let start = statement.len() - statement.trim_start().len();
    let gaps = statement.char_indices().filter(|(at, c)| *at > start && *c == ' ').map(|(at, _)| at);
    std::iter::once(start).chain(gaps).chain([statement.len()]).collect()
}

/// Removes all blanks from a text.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Number of routines drawn per page.
const SEEDS: u64 = 3;

fn text_of(object: &Object, platform: Platform) -> String {
    let routine = object.kernels.first().map(|kernel| &kernel.routine);
    let routine = routine.or(object.functions.first().map(|function| &function.routine));
    print(object, routine.expect("a routine"), Some(platform), Style::Full)
}

/// Returns one statement of each shape, with the lines that it needs around it.
fn statements(platform: Platform) -> BTreeMap<String, (String, String)> {
    let mut all = BTreeMap::new();
    for (n, page) in PAGES.iter().enumerate() {
        for seed in 0..SEEDS {
            let config = Config { platform: Some(platform), page: Some(page), straight: true, instructions: Some(8) };
            let input = bytes(seed * 1000 + n as u64, 3000);
            let Ok((platform, routine)) = routine(&mut Unstructured::new(&input), &config) else { continue };
            let object = Object::new(Version::new(4, 1), [routine]);
            let text = text_of(&object, platform);
            let is_context = |line: &&str| line.starts_with(['.', '/']) || line.ends_with(':') || line.is_empty();
            let around: String = text.lines().filter(is_context).map(|line| format!("{line}\n")).collect();
            // Removes the comment with the number of the instruction.
            let statements = text
                .lines()
                .filter(|line| !is_context(line))
                .map(|line| line.split_once("///").map_or(line, |(statement, _)| statement).trim_end());
            for statement in statements {
                all.entry(shape(statement)).or_insert_with(|| (around.clone(), statement.to_owned()));
            }
        }
    }
    all
}

/// Returns the text around a statement with the declarations for surplus operands.
fn with_declarations(around: &str) -> String {
    let at = around.find(".kernel_attr").or_else(|| around.find(".input")).unwrap_or(around.len());
    let at = around[..at].rfind(".decl").map_or(at, |last| last + around[last..].find('\n').map_or(0, |end| end + 1));
    format!("{}{DECLARED}{}", &around[..at], &around[at..])
}

/// Counts the occurrences of a surplus in a text; blanks are ignored.
fn count(text: &str, surplus: &str) -> usize {
    bare(text).matches(&bare(surplus)).count()
}

#[test]
fn nothing_surplus_is_dropped() {
    let mut wrong = BTreeSet::new();
    let (mut tried, mut refused) = (0, 0);
    let mut shapes = BTreeSet::new();
    let newest = *Platform::ALL.last().expect("the pages have platforms");
    for platform in [Platform::Pvc, Platform::Skl, newest] {
        for (shape, (around, statement)) in statements(platform) {
            if !shapes.insert(shape) {
                continue;
            }
            let around = with_declarations(&around);
            let line = around.lines().count() as u32 + 1;
            let mut check = |mutated: String, surplus: &str| {
                tried += 1;
                let options = Options { file: String::new(), platform: Some(platform) };
                match parse(&format!("{around}{mutated}\n"), options) {
                    Err(errors) => {
                        refused += 1;
                        let most = mutated.len() + 1;
                        if !errors.iter().any(|e| e.line == line && (1..=most).contains(&(e.column as usize))) {
                            wrong.insert(format!(
                                "{}: not at a place of `{mutated}`: {:?}",
                                platform.name(),
                                errors[0].message
                            ));
                        }
                    }
                    Ok(parsed) => {
                        let printed = text_of(&parsed.into_object(), platform);
                        let printed = printed.lines().last().unwrap_or_default();
                        let printed =
                            printed.split_once("///").map_or(printed, |(statement, _)| statement).trim_end();
                        if count(printed, surplus) < count(&mutated, surplus) {
                            wrong.insert(format!("{}: `{mutated}` is read as `{printed}`", platform.name()));
                        }
                    }
                }
            };
            let plain =
                parse(&format!("{around}{statement}\n"), Options { file: String::new(), platform: Some(platform) });
            if plain.is_err() {
                continue;
            }
            for at in places(&statement) {
                let (before, behind) = statement.split_at(at);
                for surplus in OPERANDS {
                    check(format!("{before} {surplus} {}", behind.trim_start()), surplus);
                }
                for surplus in MODIFIERS {
                    check(format!("{before}{surplus}{behind}"), surplus);
                }
            }
        }
    }
    println!("{tried} statements, {refused} refused");
    let all: Vec<_> = wrong.iter().map(String::as_str).collect();
    assert!(all.is_empty(), "{} of {tried}:\n{}", all.len(), all.join("\n"));
}
