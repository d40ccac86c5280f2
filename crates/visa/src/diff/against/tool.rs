//! Other assemblers: the vendor's GenX_IR, and any command that follows the protocol of
//! docs/guide/diff.md.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use visakit::isa::Platform;
use visakit_conform::against::Asked;
use visakit_diag::{Diagnostic, Severity};

/// File name of the vendor's assembler.
const GENX_IR: &str = "GenX_IR";
/// Words of the vendor's assembler for an error without a reason.
const NO_REASON: &str = "unknown error";
/// Maximum time of one run.
const MOST_TIME: Duration = Duration::from_secs(20);

/// Assembler to compare with.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    /// Name in reports and in the file of answers.
    pub(super) name: String,
    words: Vec<String>,
}

/// Options of the vendor's assembler: it prints the text, and stops before it translates the
/// statements to native code.
const OPTIONS: [&str; 4] = ["-dumpcommonisa", "-noschedule", "-stopafter", "cleanMessageHeader"];

/// Answer of an assembler to one statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) accepted: bool,
    /// Statement as the assembler prints it; empty if it prints none.
    #[serde(default)]
    pub(super) printed: String,
    /// Bytes of the instruction in hexadecimal; empty if the assembler writes no complete objects.
    #[serde(default)]
    pub(super) bytes: String,
    /// Reason of a refusal.
    #[serde(default)]
    pub(super) message: String,
}

impl Answer {
    fn refused(message: impl Into<String>) -> Self {
        Self { accepted: false, printed: String::new(), bytes: String::new(), message: message.into() }
    }
}

impl Tool {
    /// Parses `NAME=COMMAND` or `COMMAND`.
    pub(super) fn parse(said: &str) -> Result<Self, Box<Diagnostic>> {
        let named = said.split_once('=').filter(|(name, _)| !name.contains(['/', ' ']));
        let (name, command) = named.map_or((said, said), |(name, command)| (name, command));
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() || name.is_empty() {
            let finding =
                Diagnostic::new("against-tool", Severity::Error, "--against", format!("`{said}` names no command"));
            let help = "write `--against GenX_IR`, or `--against NAME=COMMAND` with a name for reports";
            return Err(Box::new(finding.help(help)));
        }
        Ok(Self { name: name.to_owned(), words })
    }

    /// Returns true for the vendor's assembler, which needs no protocol.
    fn is_vendor(&self) -> bool {
        Path::new(&self.words[0]).file_name().is_some_and(|name| name == GENX_IR)
    }

    /// Returns the number of statements to give to one run.
    pub(super) fn batch(&self) -> usize {
        if self.is_vendor() { 48 } else { 256 }
    }

    /// Asks about statements, in a scratch folder of the worker.
    ///
    /// # Errors
    /// The assembler cannot be run, or breaks the protocol.
    pub(super) fn ask(
        &self,
        scratch: &Path,
        platform: Platform,
        all: &[&Asked],
    ) -> Result<Vec<Answer>, Box<Diagnostic>> {
        if !self.is_vendor() {
            return self.converse(platform, all);
        }
        // Labels and the control flow between statements would be an error of the whole text.
        let (alone, together): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|&n| !all[n].labels.is_empty());
        let mut out: Vec<Option<Answer>> = vec![None; all.len()];
        let mut rest: Vec<Vec<usize>> = alone.into_iter().map(|n| vec![n]).collect();
        rest.push(together);
        while let Some(mut group) = rest.pop() {
            while !group.is_empty() {
                let asked: Vec<&Asked> = group.iter().map(|&n| all[n]).collect();
                let found = self.assemble(scratch, platform, &asked)?;
                let refused: Vec<(usize, String)> = match found {
                    Run::Accepted(printed) => {
                        for (at, n) in group.iter().enumerate() {
                            let printed = printed.get(&at).cloned().unwrap_or_default();
                            let (bytes, message) = (String::new(), String::new());
                            out[*n] = Some(Answer { accepted: true, printed, bytes, message });
                        }
                        break;
                    }
                    Run::Refused(all) => all.into_iter().filter(|(at, _)| *at < group.len()).collect(),
                    Run::Failed(message) if group.len() == 1 => vec![(0, message)],
                    Run::Failed(_) => Vec::new(),
                };
                if refused.is_empty() && group.len() == 1 {
                    out[group[0]] = Some(Answer::refused("the text is refused"));
                    break;
                }
                if refused.is_empty() {
                    // The error has no statement, so halve the text.
                    rest.push(group.split_off(group.len() / 2));
                    continue;
                }
                for (at, message) in &refused {
                    out[group[*at]] = Some(Answer::refused(message));
                }
                let mut at = 0..group.len();
                group.retain(|_| at.next().is_none_or(|at| refused.iter().all(|(other, _)| *other != at)));
            }
        }
        Ok(out.into_iter().map(|answer| answer.unwrap_or_else(|| Answer::refused("no answer"))).collect())
    }

    /// Runs the vendor's assembler on one text.
    fn assemble(&self, scratch: &Path, platform: Platform, all: &[&Asked]) -> Result<Run, Box<Diagnostic>> {
        clear(scratch);
        let input = scratch.join("in").join("probe.visaasm");
        let text = Asked::text(all) + if all[0].labels.is_empty() { "    ret (M1, 1)\n" } else { "" };
        let written = std::fs::create_dir_all(scratch.join("in")).and_then(|()| std::fs::write(&input, text));
        written.map_err(|error| self.failed(&format!("its input cannot be written: {error}")))?;
        let platform = platform.name().to_ascii_uppercase().replace('-', "_");
        let (output, is_complete) = self.run(scratch, &[&input.display().to_string(), "-platform", &platform])?;
        if output.contains("USAGE:") {
            let message = format!("`{}` does not know the platform {platform}", self.name);
            let finding = Diagnostic::new("against-platform", Severity::Error, "--platform", message);
            return Err(Box::new(finding.help("choose a platform that the assembler lists in its usage text")));
        }
        if let Some((line, message)) = syntax_error(&output) {
            // Another statement may be the cause of an error without a reason.
            let at = (line as usize).checked_sub(Asked::head(all) + 1);
            let at = at.filter(|_| all.len() == 1 || !message.contains(NO_REASON));
            return Ok(at.map_or(Run::Failed(message.clone()), |at| Run::Refused(vec![(at, message)])));
        }
        let mut errors = String::new();
        let mut printed = None;
        for file in files(scratch) {
            let text = || std::fs::read(&file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            match file.extension().and_then(|extension| extension.to_str()) {
                Some("txt") => errors = text().unwrap_or_default(),
                Some("visaasm") => printed = text().ok(),
                _ => {}
            }
        }
        let mut refused = violations(&errors);
        let printed = printed.map(|text| statements(&text));
        // Debug information and breakpoints are not counted, so numbers after them are wrong. The
        // assembler checks no statement after the one at which it fails.
        let is_counted = printed.as_ref().is_none_or(|all| all.iter().enumerate().all(|(at, (n, _))| at == *n));
        if all.len() == 1 {
            refused.truncate(1);
            refused.iter_mut().for_each(|(at, _)| *at = 0);
        } else if !is_complete || !is_counted {
            return Ok(Run::Failed(String::new()));
        }
        Ok(match printed {
            _ if !refused.is_empty() => Run::Refused(refused),
            Some(printed) if errors.trim().is_empty() => {
                // The first of several statements with one number is the counted one.
                Run::Accepted(printed.into_iter().rev().collect())
            }
            _ => Run::Failed(reason(&errors, &output).to_owned()),
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    /// Runs the vendor's assembler. Returns what it prints, and true if it ends by itself.
    fn run(&self, scratch: &Path, arguments: &[&str]) -> Result<(String, bool), Box<Diagnostic>> {
        let output = std::fs::File::create(scratch.join("output")).and_then(|file| Ok((file.try_clone()?, file)));
        let (out, err) = output.map_err(|error| self.failed(&error.to_string()))?;
        let mut command = self.command();
        command.args(arguments).args(OPTIONS).current_dir(scratch);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()
            .map_err(|error| self.failed(&format!("cannot be run: {error}")))?;
        let is_complete = wait(&mut child);
        let bytes = std::fs::read(scratch.join("output")).unwrap_or_default();
        Ok((String::from_utf8_lossy(&bytes).into_owned(), is_complete))
    }

    /// Sends requests, one JSON object on each line, and reads as many answers.
    fn converse(&self, platform: Platform, all: &[&Asked]) -> Result<Vec<Answer>, Box<Diagnostic>> {
        #[derive(Serialize)]
        struct Request<'a> {
            id: usize,
            platform: &'a str,
            text: String,
        }
        #[derive(Deserialize)]
        struct Response {
            id: usize,
            #[serde(flatten)]
            answer: Answer,
        }
        let mut child = self
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| self.failed(&format!("cannot be run: {error}")))?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(self.failed("has no standard streams"));
        };
        let requests: Vec<String> = all
            .iter()
            .enumerate()
            .map(|(id, one)| Request { id, platform: platform.name(), text: Asked::text(&[one]) })
            .map(|request| serde_json::to_string(&request).unwrap_or_default() + "\n")
            .collect();
        let writer =
            std::thread::spawn(move || requests.iter().try_for_each(|line| input.write_all(line.as_bytes())));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut out: Vec<Option<Answer>> = vec![None; all.len()];
        for _ in 0..all.len() {
            let Ok(line) = lines.recv_timeout(MOST_TIME) else { break };
            let response: Response = serde_json::from_str(&line)
                .map_err(|error| self.failed(&format!("its answer `{line}` is not understood: {error}")))?;
            let Some(slot) = out.get_mut(response.id) else {
                return Err(self.failed(&format!("it answers a request {} that does not exist", response.id)));
            };
            *slot = Some(response.answer);
        }
        // The command ends when its input ends; one that does not is stopped.
        let _ = child.kill();
        let _ = child.wait();
        drop(writer);
        let missing = out.iter().position(Option::is_none);
        if let Some(at) = missing {
            return Err(self.failed(&format!("it gives no answer about `{}`", all[at].statement)));
        }
        Ok(out.into_iter().flatten().collect())
    }

    fn failed(&self, why: &str) -> Box<Diagnostic> {
        let finding =
            Diagnostic::new("against-answer", Severity::Error, "--against", format!("`{}`: {why}", self.name));
        Box::new(finding.help("`visa explain against-answer` describes the protocol"))
    }
}

/// Result of a run of the vendor's assembler.
enum Run {
    /// All statements are accepted; their printed texts by their positions.
    Accepted(BTreeMap<usize, String>),
    /// Positions of refused statements, with the reasons.
    Refused(Vec<(usize, String)>),
    /// The text is refused, and no statement is named.
    Failed(String),
}

/// Waits for the end of a process. Returns true if it ends by itself and in time.
fn wait(child: &mut Child) -> bool {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            // A shell around the assembler reports a signal by a large code.
            Ok(Some(status)) => return status.code().is_some_and(|code| code < 128),
            Ok(None) => {}
            Err(_) => return false,
        }
        if start.elapsed() > MOST_TIME {
            let _ = child.kill();
            let _ = child.wait();
            return false;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

/// Removes the files of the previous run.
fn clear(folder: &Path) {
    files(folder).iter().for_each(|file| drop(std::fs::remove_file(file)));
}

/// Returns the line and the text of a syntax error: `near line 7: …`.
fn syntax_error(output: &str) -> Option<(u32, String)> {
    let line = output.lines().find(|line| line.contains("near line "))?;
    let (number, message) = line.split_once("near line ")?.1.split_once(':')?;
    let number: u32 = number.trim().parse().ok()?;
    // The end of a line counts as a part of the next one.
    let number = if message.contains("unexpected NEWLINE") { number.checked_sub(1)? } else { number };
    Some((number, message.trim().to_owned()))
}

/// Returns the statements that the report of the verifier names, with its messages.
fn violations(report: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut message = String::new();
    for line in report.lines() {
        if let Some((_, text)) = line.split_once("Error Message:") {
            message = text.trim().to_owned();
        }
        if let Some((_, number)) = line.split_once("/// $")
            && let Ok(at) = number.trim().parse()
            && !out.iter().any(|(known, _)| *known == at)
        {
            out.push((at, message.clone()));
        }
    }
    out
}

/// Returns the numbered statements of a printed text, in their order.
fn statements(printed: &str) -> Vec<(usize, String)> {
    let numbered = printed.lines().filter_map(|line| {
        let (front, number) = line.rsplit_once("/// $")?;
        let front = front.rsplit_once("Target=\"3d\"").map_or(front, |(_, statement)| statement);
        let number = number.trim().parse::<u32>().ok()?;
        // An uncounted statement has the number of the one before it, the first one -1.
        let number = if number == u32::MAX { 0 } else { number };
        Some((usize::try_from(number).ok()?, front.trim().to_owned()))
    });
    numbered.collect()
}

/// Returns the reason why a text without a named statement is refused: the message of the report,
/// or an error in the output, in which the first line repeats the command.
fn reason<'a>(report: &'a str, output: &'a str) -> &'a str {
    let message = report.lines().find_map(|line| Some(line.split_once("Error Message:")?.1.trim()));
    let lines = || output.lines().skip(1).map(str::trim).filter(|line| !line.is_empty());
    let is_failure = |line: &str| line.contains("internal error") || line.contains("internal compiler error");
    let words = ["error", "invalid"];
    let is_error = |line: &str| words.iter().any(|word| line.to_ascii_lowercase().contains(word));
    let error = || lines().find(|line| is_error(line) && !is_failure(line));
    message.or_else(error).unwrap_or("it stops without an answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_the_vendor_are_read() {
        let report = "Error Message: mulh does not support saturation\n Diagnostics:\n\
                      Violating Instruction:     mulh.sat (M1, 8) V32(0,0)<1>    /// $1\n";
        assert_eq!(violations(report), [(1, "mulh does not support saturation".to_owned())]);
        assert_eq!(syntax_error("near line 7: syntax error, unexpected IDENT"), {
            Some((7, "syntax error, unexpected IDENT".to_owned()))
        });
        assert_eq!(syntax_error("near line 7: syntax error, unexpected NEWLINE").unwrap().0, 6);
        let printed = ".kernel_attr Target=\"3d\"    add (M1, 8) V32   /// $0\n    ret (M1, 1)    /// $1\n";
        let statement = |number, text: &str| (number, text.to_owned());
        assert_eq!(statements(printed), [statement(0, "add (M1, 8) V32"), statement(1, "ret (M1, 1)")]);
        let printed = "    breakpoint    /// $4294967295\n    ret (M1, 1)    /// $0\n";
        assert_eq!(statements(printed), [statement(0, "breakpoint"), statement(0, "ret (M1, 1)")]);
        // Debug information counts, but has no number.
        assert_eq!(statements("    FILE \"a\"\n    ret (M1, 1)    /// $1\n"), [statement(1, "ret (M1, 1)")]);
        let report = "HEADER ERRORS\nError in routine: p\n      Error Message: V12's type(bool) is not legal\n";
        assert_eq!(reason(report, ""), "V12's type(bool) is not legal");
        assert_eq!(reason("", "GenX_IR p.visaasm\nInvalid AVS Exec Mode\n"), "Invalid AVS Exec Mode");
        let failure = "GenX_IR p.visaasm\nG4_IR.hpp:2601 ERROR: Unknown fatal internal error\n";
        assert_eq!(reason("", failure), "it stops without an answer");
        assert_eq!(reason("", "GenX_IR error.visaasm\n"), "it stops without an answer");
    }

    #[test]
    fn tools_have_names() {
        let named = Tool::parse("2022=GenX_IR").unwrap();
        assert_eq!((named.name.as_str(), named.is_vendor()), ("2022", true));
        assert!(!Tool::parse("./mine --flag=3").unwrap().is_vendor());
        assert_eq!(Tool::parse("a= ").unwrap_err().code, "against-tool");
    }
}
