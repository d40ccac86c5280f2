//! Cursor over the assembly text of a statement, with its errors.

use std::borrow::Cow;

use super::super::isa::{Instruction, Predicate};
use super::format::{Format, Symbols};
use super::near::{meant, nearest};
use super::reflect::Page;
use super::visit::Table;

/// Error of a text that does not match the expected syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Byte offset in the text.
    pub at: usize,
    /// Description of the expected input.
    pub expected: String,
}

impl core::fmt::Display for TextError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for TextError {}

/// Parser of one template.
pub struct Candidate {
    /// Page of the instruction.
    pub page: &'static Page,
    /// Template as written on the page.
    pub template: &'static str,
    /// True if the statement may have a predicate.
    pub takes_predicate: bool,
    /// Parses the statement after its predicate.
    pub parse: fn(&mut Cursor<'_>, Predicate) -> Result<Instruction, TextError>,
}

/// Cursor over the text of one statement.
pub struct Cursor<'a> {
    pub(super) text: &'a str,
    at: usize,
    /// True while failures are discarded. Errors then have no message, which saves its
    /// construction.
    quiet: bool,
    /// Newest text revision that the input so far requires, as year times 100 plus month; zero for
    /// any.
    since: u32,
    /// Oldest text revision that no longer accepts the input so far; `u32::MAX` for none.
    before: u32,
    /// Names of the routine's variables.
    pub symbols: &'a mut dyn Symbols,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at byte `at` of a text.
    pub fn new(text: &'a str, at: usize, symbols: &'a mut dyn Symbols) -> Self {
        Self { text, at: at.min(text.len()), quiet: false, since: 0, before: u32::MAX, symbols }
    }

    /// Records that the input has a form that exists from a text revision on.
    pub fn note_since(&mut self, revision: u32) {
        self.since = self.since.max(revision);
    }

    /// Records that the input has a form that exists only before a text revision.
    pub fn note_before(&mut self, revision: u32) {
        self.before = self.before.min(revision);
    }

    /// Returns the range of text revisions of the input: the first revision, and the exclusive end.
    pub fn revisions(&self) -> (u32, u32) {
        (self.since, self.before)
    }

    /// Returns the byte offset of the cursor.
    pub fn save(&self) -> usize {
        self.at
    }

    /// Moves the cursor back to a saved offset.
    pub fn restore(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns the remaining text.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Returns an error at the cursor.
    #[cold]
    pub fn error(&self, expected: impl Into<String>) -> TextError {
        self.failed(|| expected.into())
    }

    /// Returns an error at the cursor. The message is built only if the error will be reported.
    #[cold]
    pub fn failed(&self, expected: impl FnOnce() -> String) -> TextError {
        TextError { at: self.at, expected: if self.quiet { String::new() } else { expected() } }
    }

    /// Tries to parse optional input; restores the cursor on failure. Errors inside `read` have no
    /// message.
    pub fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, TextError>) -> Result<T, TextError> {
        let (before, quiet, revisions) = (self.at, self.quiet, self.revisions());
        self.quiet = true;
        let result = read(self);
        self.quiet = quiet;
        if result.is_err() {
            self.at = before;
            (self.since, self.before) = revisions;
        }
        result
    }

    /// Skips blanks.
    pub fn skip_blanks(&mut self) {
        self.at = self.behind_blanks();
    }

    pub(super) fn behind_blanks(&self) -> usize {
        behind_blanks(self.text, self.at)
    }

    /// Returns true if only blanks are left.
    pub fn at_end(&self) -> bool {
        self.behind_blanks() >= self.text.len()
    }

    /// Returns true if the remaining text starts with `text`, after blanks.
    pub fn looking_at(&self, text: &str) -> bool {
        self.text.as_bytes().get(self.behind_blanks()..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// Returns true if the next token begins with a digit.
    pub fn at_digit(&self) -> bool {
        self.text.as_bytes().get(self.token_start()).is_some_and(u8::is_ascii_digit)
    }

    /// Returns the offset of the next token. A blank separates tokens but may not split one: `.sat`
    /// and `:ud` are one token each, `.4` is two.
    pub(super) fn token_start(&self) -> usize {
        let bytes = self.text.as_bytes();
        let start = self.behind_blanks();
        let before = self.at.checked_sub(1).and_then(|at| bytes.get(at)).copied();
        let inside = match before {
            Some(b'.') => !bytes.get(start).is_some_and(u8::is_ascii_digit),
            Some(b':') => true,
            Some(byte) => is_word(byte),
            None => false,
        };
        if inside { self.at } else { start }
    }

    /// Consumes a literal if it comes next. Blanks before punctuation are ignored.
    pub fn take(&mut self, literal: &str) -> bool {
        let (spelled, text) = (literal.as_bytes(), self.text.as_bytes());
        let mut at = self.at;
        for (place, byte) in spelled.iter().enumerate() {
            // A dot begins a token, except inside a word.
            let inside = place > 0 && *byte == b'.' && spelled.get(place + 1).copied().is_some_and(is_word);
            if LOOSE.contains(byte) && !inside {
                at = behind_blanks(self.text, at);
            }
            if text.get(at) != Some(byte) {
                return false;
            }
            at += 1;
        }
        // A word must match completely: `add` does not match the beginning of `addc`.
        let goes_on = text.get(at).copied().is_some_and(is_word);
        if goes_on && spelled.len() > 1 && spelled.iter().copied().all(is_word) && self.is_word_start() {
            return false;
        }
        self.at = at;
        true
    }

    /// Consumes the spelling of a flag that is not set yet, and sets the flag.
    pub fn take_flag(&mut self, literal: &str, flag: &mut bool) -> bool {
        if *flag || !self.take(literal) {
            return false;
        }
        *flag = true;
        true
    }

    /// Consumes the letter of a flag, in lower case or as spelled.
    pub fn take_letter(&mut self, letter: &str) -> bool {
        let found = self.take(letter);
        found || self.take(&letter.to_ascii_lowercase())
    }

    fn is_word_start(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)).copied();
        !before.is_some_and(|b| is_word(b) || b == b'.')
    }

    /// Consumes a literal, or fails with the literal as the expected input.
    pub fn expect(&mut self, literal: &str) -> Result<(), TextError> {
        if self.take(literal) { Ok(()) } else { Err(self.failed(|| format!("`{literal}`"))) }
    }

    /// Consumes the longest matching spelling of a list. Returns its position.
    pub fn one_of(&mut self, list: &str, spellings: &[&'static str]) -> Result<usize, TextError> {
        let start = self.token_start();
        let rest = self.text.get(start..).unwrap_or("");
        let fits = spellings.iter().enumerate().filter(|(_, s)| rest.starts_with(**s));
        // A number must match completely: `17` does not match `1`.
        let best = fits.max_by_key(|(_, s)| s.len()).filter(|(_, s)| {
            let goes_on = rest.as_bytes().get(s.len()).is_some_and(u8::is_ascii_digit);
            !(goes_on && !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit()))
        });
        // An empty spelling is the default; a word that is not on the list is then no error here.
        match best {
            Some((position, &"")) => Ok(position),
            Some((position, spelling)) => {
                self.at = start + spelling.len();
                Ok(position)
            }
            None => Err(self.failed(|| {
                let known = || spellings.iter().copied().filter(|s| !s.is_empty());
                let shown: Vec<_> = known().take(12).collect();
                let more = if spellings.len() > 12 { ", …" } else { "" };
                let word: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let hint = meant(nearest(&word, known()));
                format!("{}: one of {}{more}{hint}", list.to_ascii_lowercase(), shown.join(", "))
            })),
        }
    }

    /// Consumes an identifier, which may begin with `%`.
    pub fn word(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let bytes = rest.as_bytes();
        let lead = usize::from(bytes.first() == Some(&b'%'));
        let len = bytes[lead..].iter().take_while(|b| is_word(**b)).count();
        if len == 0 || (lead == 0 && bytes[0].is_ascii_digit()) {
            return None;
        }
        self.at += lead + len;
        Some(&rest[..lead + len])
    }

    /// Consumes the name of a declared entity. Only predefined variables have names that begin with
    /// `%`.
    ///
    /// # Errors
    /// No such name follows; the error says what the name denotes.
    pub fn identifier(&mut self, what: &str) -> Result<&'a str, TextError> {
        self.skip_blanks();
        let start = self.at;
        match self.word() {
            Some(word) if !word.starts_with('%') => Ok(word),
            _ => {
                self.at = start;
                Err(self.failed(|| what.to_owned()))
            }
        }
    }

    /// Consumes `key=` if it comes next.
    pub fn take_key(&mut self, key: &str) -> bool {
        self.skip_blanks();
        let start = self.at;
        // Spaces may precede the `=`, tabs may not.
        let found = self.word() == Some(key) && {
            self.at += self.rest().len() - self.rest().trim_start_matches(' ').len();
            self.rest().starts_with('=') && self.take("=")
        };
        if found {
            self.skip_blanks();
        } else {
            self.at = start;
        }
        found
    }

    /// Consumes `key=`.
    ///
    /// # Errors
    /// No `key=` follows.
    pub fn key(&mut self, key: &str) -> Result<(), TextError> {
        if self.take_key(key) { Ok(()) } else { Err(self.failed(|| format!("`{key}=`"))) }
    }

    /// Checks that only blanks are left.
    ///
    /// # Errors
    /// Other input follows.
    pub fn end(&mut self) -> Result<(), TextError> {
        self.skip_blanks();
        if self.at_end() { Ok(()) } else { Err(self.error("the end of the line")) }
    }

    /// Consumes the name of a table's entry. Returns its id.
    pub fn index(&mut self, table: Table, format: Format) -> Result<u32, TextError> {
        let start = self.at;
        let name = if self.rest().starts_with('"') || format == Format::Quoted {
            Cow::Owned(self.quoted()?)
        } else {
            match self.word() {
                Some(word) => Cow::Borrowed(word),
                None => return Err(self.error(expected_entry(table))),
            }
        };
        match self.symbols.find(table, &name) {
            Some(id) => Ok(id),
            None => {
                self.at = start;
                Err(self.unknown(expected_entry(table), table, &name))
            }
        }
    }

    /// Returns an error about an undeclared name, with the nearest declared name as a suggestion.
    #[cold]
    pub fn unknown(&self, expected: &str, table: Table, name: &str) -> TextError {
        self.failed(|| format!("{expected}, not `{name}`{}", meant(self.symbols.near(table, name).as_deref())))
    }

    /// Consumes a string in double quotes.
    pub fn quoted(&mut self) -> Result<String, TextError> {
        let body = match self.rest().strip_prefix('"') {
            Some(body) => body,
            None => return Err(self.error("a string in double quotes")),
        };
        let mut out = Vec::new();
        let bytes = body.as_bytes();
        let mut i = 0;
        while let Some(&byte) = bytes.get(i) {
            match byte {
                b'"' => {
                    self.at += i + 2;
                    return String::from_utf8(out).map_err(|_| self.error("a string of text"));
                }
                b'\\' => {
                    let (value, len) = unescape(&bytes[i + 1..]);
                    out.extend(value);
                    i += 1 + len;
                }
                b'\n' => break,
                _ => {
                    out.push(byte);
                    i += 1;
                }
            }
        }
        Err(self.error("a string that ends with a double quote"))
    }
}

fn expected_entry(table: Table) -> &'static str {
    match table {
        Table::General => "a general variable",
        Table::Address => "an address variable",
        Table::Predicate => "a predicate",
        Table::Sampler => "a sampler",
        Table::Surface => "a surface",
        Table::Label => "a label",
        Table::String => "a name or a string",
    }
}

/// Punctuation that blanks may precede.
const LOOSE: &[u8] = b"()[],.:<>;*+\"";

/// Returns the offset after the blanks at `at`.
fn behind_blanks(text: &str, mut at: usize) -> usize {
    while matches!(text.as_bytes().get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Returns true if a byte can be part of a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Decodes one escape sequence after its backslash. Returns its bytes and its length in the text.
fn unescape(rest: &[u8]) -> (Vec<u8>, usize) {
    let simple = |b: u8| (vec![b], 1);
    match rest.first() {
        Some(b'n') => simple(b'\n'),
        Some(b't') => simple(b'\t'),
        Some(b'r') => simple(b'\r'),
        Some(b'a') => simple(7),
        Some(b'b') => simple(8),
        Some(b'v') => simple(11),
        Some(b'f') => simple(12),
        Some(b'x') => {
            let len = rest[1..].iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
            let text = std::str::from_utf8(&rest[1..1 + len]).unwrap_or("0");
            (vec![u8::from_str_radix(text, 16).unwrap_or(0)], 1 + len)
        }
        Some(b'0'..=b'7') => {
            let len = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let text = std::str::from_utf8(&rest[..len]).unwrap_or("0");
            (vec![u16::from_str_radix(text, 8).unwrap_or(0) as u8], len)
        }
        Some(&other) => simple(other),
        None => (Vec::new(), 0),
    }
}
