//! Reading assembly text: a cursor over a statement, and why it is not what was expected.

use std::borrow::Cow;

use super::super::isa::{Instruction, Predicate};
use super::near::{meant, nearest};
use super::reflect::Page;
use super::text::{Format, Symbols};
use super::visit::Table;

/// Why a text is not what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Byte of the text.
    pub at: usize,
    /// What was expected there.
    pub expected: String,
}

impl core::fmt::Display for TextError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for TextError {}

/// A parser of one template.
pub struct Candidate {
    /// The page.
    pub page: &'static Page,
    /// The template as written.
    pub template: &'static str,
    /// Whether the statement may have a predicate.
    pub takes_predicate: bool,
    /// Reads the statement behind its predicate.
    pub parse: fn(&mut Cursor<'_>, Predicate) -> Result<Instruction, TextError>,
}

/// A cursor over the text of one statement.
pub struct Cursor<'a> {
    pub(super) text: &'a str,
    at: usize,
    /// Whether a failure is going to be forgotten: then nobody reads what its error says.
    quiet: bool,
    /// The newest text revision that something read so far needs, as year times 100 plus month;
    /// zero for any.
    since: u32,
    /// The oldest text revision that no longer has something read so far; `u32::MAX` for none.
    before: u32,
    /// Names of the routine's variables.
    pub symbols: &'a mut dyn Symbols,
}

impl<'a> Cursor<'a> {
    /// A cursor at byte `at` of a text.
    pub fn new(text: &'a str, at: usize, symbols: &'a mut dyn Symbols) -> Self {
        Self { text, at: at.min(text.len()), quiet: false, since: 0, before: u32::MAX, symbols }
    }

    /// Notes that what was read has this form from a text revision on.
    pub fn note_since(&mut self, revision: u32) {
        self.since = self.since.max(revision);
    }

    /// Notes that what was read has this form before a text revision only.
    pub fn note_before(&mut self, revision: u32) {
        self.before = self.before.min(revision);
    }

    /// Returns the text revisions whose forms were read: from the first on, before the second.
    pub fn revisions(&self) -> (u32, u32) {
        (self.since, self.before)
    }

    /// The byte at which the cursor stands.
    pub fn save(&self) -> usize {
        self.at
    }

    /// Goes back.
    pub fn restore(&mut self, at: usize) {
        self.at = at;
    }

    /// What is left.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// An error at this place.
    #[cold]
    pub fn error(&self, expected: impl Into<String>) -> TextError {
        self.failed(|| expected.into())
    }

    /// An error at this place, whose words are only made when somebody reads them.
    #[cold]
    pub fn failed(&self, expected: impl FnOnce() -> String) -> TextError {
        TextError { at: self.at, expected: if self.quiet { String::new() } else { expected() } }
    }

    /// Reads something that need not be there, and goes back when it is not. The words of its error
    /// are not made.
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

    /// Passes over blanks.
    pub fn skip_blanks(&mut self) {
        self.at = self.behind_blanks();
    }

    pub(super) fn behind_blanks(&self) -> usize {
        behind_blanks(self.text, self.at)
    }

    /// Whether only blanks are left.
    pub fn at_end(&self) -> bool {
        self.behind_blanks() >= self.text.len()
    }

    /// Whether the text goes on like this, blanks apart.
    pub fn looking_at(&self, text: &str) -> bool {
        self.text.as_bytes().get(self.behind_blanks()..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// Whether a digit comes next.
    pub fn at_digit(&self) -> bool {
        self.text.as_bytes().get(self.token_start()).is_some_and(u8::is_ascii_digit)
    }

    /// Where the next token begins. Blanks stand between tokens only: `.sat` and `:ud` are one,
    /// `.4` is two.
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

    /// Takes a literal if it is there. Blanks in front of punctuation do not count.
    pub fn take(&mut self, literal: &str) -> bool {
        let (spelled, text) = (literal.as_bytes(), self.text.as_bytes());
        let mut at = self.at;
        for (place, byte) in spelled.iter().enumerate() {
            // A dot begins a token, but for one inside of a word.
            let inside = place > 0 && *byte == b'.' && spelled.get(place + 1).copied().is_some_and(is_word);
            if LOOSE.contains(byte) && !inside {
                at = behind_blanks(self.text, at);
            }
            if text.get(at) != Some(byte) {
                return false;
            }
            at += 1;
        }
        // A word ends where it ends: `add` is not the beginning of `addc`.
        let goes_on = text.get(at).copied().is_some_and(is_word);
        if goes_on && spelled.len() > 1 && spelled.iter().copied().all(is_word) && self.is_word_start() {
            return false;
        }
        self.at = at;
        true
    }

    /// Takes the spelling of a flag that is not set yet, and sets it.
    pub fn take_flag(&mut self, literal: &str, flag: &mut bool) -> bool {
        if *flag || !self.take(literal) {
            return false;
        }
        *flag = true;
        true
    }

    /// Takes the letter of a flag, small or as it is spelled.
    pub fn take_letter(&mut self, letter: &str) -> bool {
        let found = self.take(letter);
        found || self.take(&letter.to_ascii_lowercase())
    }

    fn is_word_start(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)).copied();
        !before.is_some_and(|b| is_word(b) || b == b'.')
    }

    /// Takes a literal, or says that it was expected.
    pub fn expect(&mut self, literal: &str) -> Result<(), TextError> {
        if self.take(literal) { Ok(()) } else { Err(self.failed(|| format!("`{literal}`"))) }
    }

    /// Takes the longest of the spellings of a list.
    pub fn one_of(&mut self, list: &str, spellings: &[&'static str]) -> Result<usize, TextError> {
        let start = self.token_start();
        let rest = self.text.get(start..).unwrap_or("");
        let fits = spellings.iter().enumerate().filter(|(_, s)| rest.starts_with(**s));
        // A number ends where it ends: `17` is not 1 and something else.
        let best = fits.max_by_key(|(_, s)| s.len()).filter(|(_, s)| {
            let goes_on = rest.as_bytes().get(s.len()).is_some_and(u8::is_ascii_digit);
            !(goes_on && !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit()))
        });
        // A default may be spelled with nothing, and then a word that is not on the list is no
        // error here.
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

    /// Takes an identifier; `%` may begin it.
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

    /// Takes the name of something that is declared: `%` begins the names of predefined variables
    /// only.
    ///
    /// # Errors
    /// There is none here; the error says what it names.
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

    /// Takes `key=`, if it is there.
    pub fn take_key(&mut self, key: &str) -> bool {
        self.skip_blanks();
        let start = self.at;
        // Spaces may stand there, tabs may not.
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

    /// Takes `key=`.
    ///
    /// # Errors
    /// It is not here.
    pub fn key(&mut self, key: &str) -> Result<(), TextError> {
        if self.take_key(key) { Ok(()) } else { Err(self.failed(|| format!("`{key}=`"))) }
    }

    /// Expects nothing but blanks.
    ///
    /// # Errors
    /// Something else is here.
    pub fn end(&mut self) -> Result<(), TextError> {
        self.skip_blanks();
        if self.at_end() { Ok(()) } else { Err(self.error("the end of the line")) }
    }

    /// Takes the name of an entry of a table.
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

    /// An error about a name that no table has, with the name that may have been meant.
    #[cold]
    pub fn unknown(&self, expected: &str, table: Table, name: &str) -> TextError {
        self.failed(|| format!("{expected}, not `{name}`{}", meant(self.symbols.near(table, name).as_deref())))
    }

    /// Takes a string in double quotes.
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

/// Punctuation in front of which blanks do not count.
const LOOSE: &[u8] = b"()[],.:<>;*+\"";

/// The place behind the blanks that stand at a place.
fn behind_blanks(text: &str, mut at: usize) -> usize {
    while matches!(text.as_bytes().get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Whether a byte can stand in a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// One escape behind its backslash: its bytes, and how many bytes of the text it has.
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
