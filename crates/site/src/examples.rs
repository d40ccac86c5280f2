//! Examples of instructions: statements of texts that the tests assemble.

use std::collections::BTreeMap;

use visakit::text::{Options, parse};

/// Examples of the built-in pages: the name of a page, a tab, and a statement in each line.
const BUILT_IN: &str = include_str!("examples.txt");

/// Largest number of examples of a page.
const MOST: usize = 6;

/// Statements by the name of their page.
pub type Examples = BTreeMap<String, Vec<String>>;

/// Returns the examples of the built-in pages.
pub fn built_in() -> Examples {
    let mut out = Examples::new();
    for (page, statement) in BUILT_IN.lines().filter_map(|line| line.split_once('\t')) {
        out.entry(page.to_owned()).or_default().push(statement.to_owned());
    }
    out
}

/// Collects examples from assembly texts: for each page the first statements that begin with
/// different words. A text with errors has none.
pub fn of_texts<'t>(texts: impl Iterator<Item = &'t str>) -> Examples {
    let mut out = Examples::new();
    for text in texts {
        let Ok(parsed) = parse(text, Options { file: "example".to_owned(), platform: None }) else { continue };
        let lines = text.lines().map(str::trim);
        let statements: Vec<&str> =
            lines.filter(|line| !line.is_empty() && !line.starts_with('.') && !line.starts_with("//")).collect();
        // Otherwise lines and instructions do not belong together.
        if statements.len() != parsed.routine.instructions.len() {
            continue;
        }
        for (instruction, statement) in parsed.routine.instructions.iter().zip(statements) {
            let all = out.entry(instruction.page().name.to_owned()).or_default();
            let word = |statement: &str| statement.split([' ', '(']).next().unwrap_or_default().to_owned();
            if all.len() < MOST && !all.iter().any(|known| word(known) == word(statement)) {
                all.push(statement.to_owned());
            }
        }
    }
    out
}

/// Writes examples in the form of the built-in ones.
pub fn write(examples: &Examples) -> String {
    let rows = examples.iter().flat_map(|(page, all)| all.iter().map(move |one| format!("{page}\t{one}\n")));
    rows.collect()
}
