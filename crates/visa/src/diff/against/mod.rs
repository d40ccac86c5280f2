//! Comparison of the specification with other assemblers: their answers to the text of each probe.

mod report;
mod state;
mod tool;

use std::cmp::Ordering::{Equal, Greater, Less};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use visakit::isa::Platform;
use visakit_codegen::model::Model;
use visakit_conform::against::{Asked, asked};
use visakit_diag::{Diagnostic, Severity};

use super::Args;
use crate::accept::{Accepted, Compared, Texts};
use crate::outcome::{Outcome, OutputFormat};
use crate::progress::Bar;
use crate::report::{Findings, problem};
use crate::{io, summary};
use report::{Difference, Group};
use state::State;
use tool::{Answer, Tool};

/// Kinds of differences, which an entry of `--accept` may name.
pub(super) const KINDS: [&str; 5] =
    ["against-accepted", "against-refused", "against-printed", "against-bytes", "against-changed"];

/// Asks the assemblers of the call, and reports the differences.
pub(super) fn run(args: &Args, model: &Model) -> Result<Outcome, Findings> {
    let accepted = Accepted::read(args.accept.as_deref(), &|kind| KINDS.contains(&kind))?;
    let tools: Vec<Tool> = args.against.iter().map(|said| Tool::parse(said)).collect::<Result<_, _>>()?;
    let Some(platform) = args.platform else {
        let finding = Diagnostic::new("against-platform", Severity::Error, "--against", "the platform is missing");
        return Err(finding.help("name it with `--platform`, such as `--platform dg2`").into());
    };
    if tools.len() > 2 {
        let finding = Diagnostic::new("against-tool", Severity::Error, "--against", "more than two assemblers");
        return Err(finding.help("name one assembler, or two of which the second is newer").into());
    }
    let names = |name: &str| args.only.is_empty() || args.only.iter().any(|one| one == name);
    let Some(asked) = asked(model, platform, &names) else {
        let message = format!("the pages do not define {}, or no operands", platform.name());
        let finding = Diagnostic::new("against-platform", Severity::Error, "--platform", message);
        return Err(finding.help("name a platform of the pages' table of platforms").into());
    };
    let state = State::open(args.state.as_deref())?;
    let mut answers = Vec::new();
    let mut own = Vec::new();
    for tool in &tools {
        let revision = revision(tool, platform, &asked, &state)?;
        own = asked.iter().map(|one| one.in_revision(revision)).collect::<Vec<_>>();
        answers.push(answer(tool, platform, &own, &state)?);
    }
    let found: Vec<Difference<'_>> = match answers.as_slice() {
        [old, new] => {
            let both = own.iter().zip(old.iter().zip(new));
            both.filter_map(|(asked, (old, new))| report::changed(asked, old, new)).collect()
        }
        answers => {
            let all = own.iter().zip(answers.iter().flatten());
            all.flat_map(|(asked, answer)| report::differences(asked, answer)).collect()
        }
    };
    let newest = tools.last().map_or("", |tool| tool.name.as_str());
    let here = (newest, platform.name());
    let of = |difference: &Difference<'_>| {
        let Difference { asked, expected, got, .. } = difference;
        let texts = Texts { statement: &asked.statement, expected, got };
        let compared = Compared { tool: newest, platform: platform.name(), texts };
        accepted.reason_on(difference.kind, &asked.path, Some(&compared)).map(str::to_owned)
    };
    let (settled, open): (Vec<_>, Vec<_>) =
        found.into_iter().map(|difference| (of(&difference), difference)).partition(|(reason, _)| reason.is_some());
    let groups = Group::all(open.into_iter().map(|(_, difference)| difference).collect());
    let settled = report::Settled::all(&settled);
    let unused = accepted.unused_on(here, asked.iter().map(|one| one.path.as_str()));
    let title = report::title(&tools, platform, asked.len());
    if let Some(file) = &args.summary {
        summary::append(file, &report::markdown(&title, &groups, &settled))?;
    }
    match args.format {
        OutputFormat::Json => crate::report::answer(&unused, report::Json::new(asked.len(), &groups, &settled)),
        OutputFormat::Human => {
            io::out(&report::human(&title, &groups, &settled, args.details));
            crate::report::report(&unused, args.format);
        }
        OutputFormat::Github | OutputFormat::Sarif => {
            let findings: Vec<Diagnostic> = groups.iter().map(|group| group.finding(model)).chain(unused).collect();
            crate::report::report(&findings, args.format);
        }
    }
    Ok(if groups.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// Number of statements that decide about a text revision.
const SAMPLES: usize = 12;

/// Returns the text revision of an assembler: the newest of which it accepts and prints more
/// statements than of the one before. Revisions between which its answers do not decide are
/// skipped.
fn revision(tool: &Tool, platform: Platform, asked: &[Asked], state: &State) -> Result<u32, Findings> {
    let all: BTreeSet<u32> = asked.iter().flat_map(Asked::revisions).collect();
    let mut last = 0;
    for revision in all {
        let differs = |one: &&Asked| one.refused.is_none() && one.revisions().any(|other| other == revision);
        let samples: Vec<&Asked> = asked.iter().filter(differs).take(SAMPLES).collect();
        let fitting = |revision| -> Result<usize, Findings> {
            let own: Vec<Asked> = samples.iter().map(|one| one.in_revision(revision)).collect();
            let answers = answer(tool, platform, &own, state)?;
            let fits = |(one, answer): (&Asked, &Answer)| {
                usize::from(answer.accepted) + usize::from(report::is_printed(one, answer))
            };
            Ok(own.iter().zip(&answers).map(fits).sum())
        };
        match fitting(revision)?.cmp(&fitting(last)?) {
            Less => break,
            Equal => {}
            Greater => last = revision,
        }
    }
    Ok(last)
}

/// Returns the answers of an assembler, known ones from the file of answers.
fn answer(tool: &Tool, platform: Platform, asked: &[Asked], state: &State) -> Result<Vec<Answer>, Findings> {
    let texts: Vec<String> = asked.iter().map(|one| Asked::text(&[one])).collect();
    let mut out: Vec<Option<Answer>> =
        texts.iter().map(|text| state.get(&tool.name, platform.name(), text)).collect();
    let left: Vec<usize> = (0..asked.len()).filter(|&n| out[n].is_none()).collect();
    let scratch = tempfile::tempdir().map_err(|error| {
        problem("file-write", Path::new("--against"), format!("a scratch folder cannot be made: {error}"))
    })?;
    let mut bar = Bar::new("statements", left.len() as u64);
    let done = AtomicU64::new(0);
    let batches: Vec<(usize, &[usize])> = left.chunks(tool.batch()).enumerate().collect();
    let ask = |(number, batch): &(usize, &[usize])| -> Result<Vec<(usize, Answer)>, Box<Diagnostic>> {
        let folder = scratch.path().join(number.to_string());
        std::fs::create_dir_all(&folder)
            .map_err(|error| problem("file-write", &folder, format!("cannot be made: {error}")))?;
        let all: Vec<&Asked> = batch.iter().map(|&n| &asked[n]).collect();
        let found = tool.ask(&folder, platform, &all)?;
        let _ = std::fs::remove_dir_all(&folder);
        let kept: Vec<(String, Answer)> = batch.iter().map(|&n| texts[n].clone()).zip(found.clone()).collect();
        state.keep(&tool.name, platform.name(), &kept);
        let sum = done.fetch_add(batch.len() as u64, Ordering::Relaxed) + batch.len() as u64;
        bar.show(sum, left.len() as u64);
        Ok(batch.iter().copied().zip(found).collect())
    };
    let found: Vec<Vec<(usize, Answer)>> = batches.par_iter().map(ask).collect::<Result<_, _>>()?;
    bar.clear();
    for (n, answer) in found.into_iter().flatten() {
        out[n] = Some(answer);
    }
    Ok(out.into_iter().flatten().collect())
}
