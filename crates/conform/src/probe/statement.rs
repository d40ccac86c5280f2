//! Probes for the parser: statements in the text of the probes' routine.

use super::probes::Probes;
use crate::codec::{self, hex};
use crate::finding::{Difference, Fact, Tally};
use visakit::isa;
use visakit::object::Routine;
use visakit::rt::Version;

/// Statement that must be parsed to given bytes.
pub(crate) struct Statement {
    pub(crate) fact: Fact,
    pub(crate) version: Version,
    pub(crate) text: String,
    /// First text revision with this spelling.
    pub(crate) since: Option<u32>,
    /// Template of the statement.
    pub(crate) template: String,
    /// True for the statement of a base instruction.
    pub(crate) is_base: bool,
    pub(crate) bytes: Vec<u8>,
}

impl Probes<'_> {
    /// Parses all statements of a version at once, and records failures by line.
    pub(crate) fn parse(&self, statements: &[Statement], tally: &mut Tally) {
        // Statements of different text revisions need separate texts.
        let mut versions: Vec<(Version, Option<u32>)> = statements.iter().map(|s| (s.version, s.since)).collect();
        versions.sort_unstable();
        versions.dedup();
        let mut lost: Vec<&str> = Vec::new();
        let rounds = versions.into_iter().rev().flat_map(|version| [(version, true), (version, false)]);
        for ((version, since), is_base) in rounds {
            // If the base instruction of a template fails, skip the template's other statements.
            let mut left: Vec<&Statement> = statements
                .iter()
                .filter(|s| {
                    s.version == version
                        && s.since == since
                        && s.is_base == is_base
                        && !lost.contains(&s.template.as_str())
                })
                .collect();
            // The second round contains only the statements that parsed.
            for _ in 0..2 {
                let head = self.world.head(version);
                let lines: String = left.iter().map(|s| format!("    {}\n", s.text)).collect();
                let text = format!("{head}{lines}{}", self.world.tail());
                match visakit::text::parse(&text, Default::default()) {
                    Ok(parsed) => {
                        for (statement, got) in left.iter().zip(&parsed.routine.instructions) {
                            if !tally.probe(statement.fact.clone(), self.same(statement, got, &parsed.routine))
                                && is_base
                            {
                                lost.push(&statement.template);
                            }
                        }
                        break;
                    }
                    Err(errors) => {
                        let first = head.lines().count() as u32 + 1;
                        let failed: Vec<(usize, String)> = errors
                            .iter()
                            .filter_map(|e| Some((e.line.checked_sub(first)? as usize, e.message.clone())))
                            .filter(|(n, _)| *n < left.len())
                            .collect();
                        if failed.is_empty() {
                            break;
                        }
                        for (n, message) in &failed {
                            if is_base {
                                lost.push(&left[*n].template);
                            }
                            tally.fail(
                                left[*n].fact.clone(),
                                Difference {
                                    code: "text-parsed",
                                    message: format!("reading `{}` in version {version}", left[*n].text),
                                    expected: hex(&left[*n].bytes),
                                    got: message.clone(),
                                },
                            );
                        }
                        let mut n = 0;
                        left.retain(|_| {
                            n += 1;
                            !failed.iter().any(|(at, _)| *at == n - 1)
                        });
                    }
                }
            }
        }
    }

    fn same(&self, statement: &Statement, got: &isa::Instruction, routine: &Routine) -> Result<(), Difference> {
        let bytes = codec::encode(got, statement.version);
        // If two values have the same spelling, the text does not distinguish them.
        let is_spelled_so = || codec::print(got, routine, statement.version) == statement.text;
        match bytes {
            Ok(bytes) if bytes == statement.bytes => Ok(()),
            Ok(bytes) if bytes.len() == statement.bytes.len() && is_spelled_so() => Ok(()),
            other => Err(Difference {
                code: "text-parsed",
                message: format!("reading `{}` in version {}", statement.text, statement.version),
                expected: hex(&statement.bytes),
                got: other.map_or_else(|e| e, |b| hex(&b)),
            }),
        }
    }
}
