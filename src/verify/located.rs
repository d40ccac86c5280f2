//! Violations as findings with their places in the text.

use std::collections::HashMap;
use std::ops::Range;

use visakit_diag::{Diagnostic, Lines};

use super::{Location, Violation, doubts, routine};
use crate::directive::directive_of;
use crate::isa::{Platform, TextDirective};
use crate::object::Routine;

/// Text with the positions of its declarations.
pub struct Source<'a> {
    text: &'a str,
    lines: Lines,
    declarations: HashMap<(bool, &'a str), Vec<Range<usize>>>,
}

impl<'a> Source<'a> {
    /// Indexes a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, lines: Lines::new(text), declarations: declarations(text) }
    }

    /// Returns the byte range of a violation. `numbers` are the lines of the routine's
    /// instructions.
    fn range(&self, place: &Location, numbers: &[u32]) -> Option<Range<usize>> {
        // Several routines may use the same variable name; the routine's own declaration is the
        // last one before its code.
        let end = numbers.first().and_then(|line| self.lines.start(*line)).unwrap_or(self.text.len());
        let declared = |input: bool, name: &str| {
            let all = self.declarations.get(&(input, name))?;
            all.get(all.partition_point(|range| range.start < end).saturating_sub(1)).cloned()
        };
        match place {
            Location::Instruction(number) => statement(self.text, &self.lines, *numbers.get(*number)?),
            Location::Declaration(name) => declared(false, name),
            Location::Input(name) => declared(true, name),
            Location::Routine => None,
        }
    }
}

/// Returns the violations and the doubts of a routine as findings. `source` is the text of the
/// routine with the lines of its instructions; without it, messages name the instructions.
pub fn findings(
    file: &str,
    checked: &Routine,
    platform: Option<Platform>,
    source: Option<(&Source<'_>, &[u32])>,
) -> Vec<Diagnostic> {
    let place = |violation: Violation| {
        let message = match (&violation.place, source) {
            (Location::Instruction(number), None) => format!("instruction {number}: {}", violation.message),
            _ => violation.message,
        };
        let found = Diagnostic::new(violation.code, violation.severity, file, message)
            .help(format!("see spec/{} for the rule", violation.page));
        let Some((source, numbers)) = source else { return found };
        match source.range(&violation.place, numbers) {
            Some(range) => found.at_place(source.text, &source.lines, range.start, range.end),
            None => found,
        }
    };
    routine(checked, platform).into_iter().chain(doubts(checked, platform)).map(place).collect()
}

/// Returns the byte range of the statement in a line, without indentation and comment. Lines are
/// counted from 1.
fn statement(text: &str, lines: &Lines, line: u32) -> Option<Range<usize>> {
    let start = lines.start(line)?;
    let quoted = text.get(start..)?.lines().next()?;
    let lead = quoted.len() - quoted.trim_start().len();
    let body = quoted.split("///").next().unwrap_or("").trim_end().len().max(lead);
    Some(start + lead..start + body)
}

/// Returns the ranges of variable directives in the order of the text. Keys are the name and
/// whether the variable is an input.
fn declarations(text: &str) -> HashMap<(bool, &str), Vec<Range<usize>>> {
    let mut out: HashMap<_, Vec<_>> = HashMap::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut words = line.split_whitespace();
        let input = words.next().and_then(|word| {
            let directive = directive_of(word)?;
            let is_input = matches!(
                directive,
                TextDirective::InputLine | TextDirective::ParameterLine | TextDirective::ImplicitLine
            );
            (is_input || directive == TextDirective::DeclLine).then_some(is_input)
        });
        if let (Some(input), Some(name)) = (input, words.next()) {
            let lead = line.len() - line.trim_start().len();
            out.entry((input, name)).or_default().push(start + lead..start + line.trim_end().len());
        }
        start += line.len();
    }
    out
}
