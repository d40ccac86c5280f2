//! Answers of assemblers in a file, so that an interrupted comparison continues, and a later one
//! can show what changed.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use visakit_diag::{Diagnostic, Severity};

use super::tool::Answer;
use crate::report::problem;

/// Known answers, and the file to which new ones are added.
#[derive(Debug, Default)]
pub(super) struct State {
    known: HashMap<Key, Answer>,
    file: Option<Mutex<File>>,
}

/// Question: the assembler, the platform and a number that stands for the text.
type Key = (String, String, u64);

/// Line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    tool: String,
    platform: String,
    text: u64,
    #[serde(flatten)]
    answer: Answer,
}

impl State {
    /// Reads the answers of a file, and opens it to add others. Without a path, nothing is kept.
    ///
    /// # Errors
    /// The file cannot be read or written, or is not a file of answers.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Box<Diagnostic>> {
        let Some(path) = path else { return Ok(Self::default()) };
        let known = match File::open(path) {
            Ok(file) => lines(path, file)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => HashMap::new(),
            Err(error) => return Err(Box::new(problem("file-read", path, format!("cannot be read: {error}")))),
        };
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| problem("file-write", path, format!("cannot be written: {error}")))?;
        let mut file = file;
        // The first new line must not continue an incomplete one.
        if !known.is_empty() {
            let _ = file.write_all(b"\n");
        }
        Ok(Self { known, file: Some(Mutex::new(file)) })
    }

    /// Returns a known answer.
    pub(super) fn get(&self, tool: &str, platform: &str, text: &str) -> Option<Answer> {
        self.known.get(&(tool.to_owned(), platform.to_owned(), hashed(text))).cloned()
    }

    /// Adds answers to the file. An error of the file only costs the answers.
    pub(super) fn keep(&self, tool: &str, platform: &str, all: &[(String, Answer)]) {
        let Some(file) = &self.file else { return };
        let mut text = String::new();
        for (asked, answer) in all {
            let (tool, platform) = (tool.to_owned(), platform.to_owned());
            let line = Line { tool, platform, text: hashed(asked), answer: answer.clone() };
            text += &(serde_json::to_string(&line).unwrap_or_default() + "\n");
        }
        if let Ok(mut file) = file.lock() {
            let _ = file.write_all(text.as_bytes());
        }
    }
}

fn lines(path: &Path, file: File) -> Result<HashMap<Key, Answer>, Box<Diagnostic>> {
    let mut known = HashMap::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(|error| problem("file-read", path, format!("cannot be read: {error}")))?;
        match serde_json::from_str::<Line>(&line) {
            Ok(line) => drop(known.insert((line.tool, line.platform, line.text), line.answer)),
            // An interrupted run leaves an incomplete line.
            Err(error) if error.is_eof() => {}
            Err(error) => {
                let message = format!("this is not an answer: {error}");
                let finding = Diagnostic::new("against-state", Severity::Error, path.display().to_string(), message);
                let help = "name a file that `visa diff --against --state` wrote, or a new file";
                return Err(Box::new(finding.at_line(number, &line, 0, line.len()).help(help)));
            }
        }
    }
    Ok(known)
}

/// Returns a number that stands for a text: its FNV-1a hash of 64 bits. It is the same in each
/// build of the program.
fn hashed(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_texts_stay() {
        // Published values of FNV-1a.
        assert_eq!(hashed(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hashed("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hashed("foobar"), 0x8594_4171_f739_67e8);
    }
}
