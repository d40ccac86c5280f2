//! Tokens of a text with their kinds, for syntax colouring.
//!
//! Mnemonics, keywords, types and predefined names come from the tables of the pages. The splitter
//! accepts every text: an editor colours a text before it is correct.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::declare;
use super::instruction::linked_call;
use crate::isa::{
    DataType, MNEMONICS, Modifier, PAGES, TextArgument, TextDirective, candidates, predefined, predefined_sampler,
    predefined_surface,
};
use crate::rt::reflect::Page;
use crate::rt::{Candidate, Table};

/// Token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Kind of the token.
    pub kind: TokenKind,
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Blanks and line ends.
    Blank,
    /// A comment with its delimiters, without the line end.
    Comment,
    /// A string with its quotes.
    String,
    /// A directive, such as `.decl`.
    Directive,
    /// The first word of an instruction.
    Mnemonic,
    /// A word of the instruction's or directive's syntax: `.sat`, `M1`, `flat`, `num_elts`.
    Modifier,
    /// Name of a variable, predicate, sampler or surface.
    Variable,
    /// A region, such as `<8;8,1>`.
    Region,
    /// A number with its sign.
    Number,
    /// A data type, with the layout of a message's data: `ud`, `d32x2`.
    Type,
    /// Name of a label or a called routine.
    Label,
    /// Other characters of the syntax.
    Punctuation,
    /// Text that no instruction or directive has.
    Unknown,
}

/// Splits a text into tokens. The ranges follow each other without gaps and cover the whole text.
///
/// ```
/// use visakit::text::{TokenKind, tokens};
///
/// let text = "add (M1, 8) V32(0,0)<1> V33(0,0)<8;8,1> 2:ud // sum";
/// let of = |kind| -> Vec<&str> {
///     tokens(text).filter(|t| t.kind == kind).map(|t| &text[t.range]).collect()
/// };
/// assert_eq!(of(TokenKind::Mnemonic), ["add"]);
/// assert_eq!(of(TokenKind::Variable), ["V32", "V33"]);
/// assert_eq!(of(TokenKind::Region), ["<1>", "<8;8,1>"]);
/// assert_eq!(of(TokenKind::Type), ["ud"]);
/// assert_eq!(of(TokenKind::Comment), ["// sum"]);
/// ```
pub fn tokens(text: &str) -> impl Iterator<Item = Token> + '_ {
    let names = HashSet::new();
    let mut splitter = Splitter { text, at: 0, names, part: Part::Start, found: &[], before: None, last_end: 0 };
    std::iter::from_fn(move || splitter.next())
}

/// Predefined names of variables.
static PREDEFINED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let generals = predefined::ALL.iter().chain(predefined_surface::ALL).map(|entry| entry.name);
    generals.chain(predefined_sampler::ALL.iter().map(|entry| entry.name)).collect()
});

/// Keywords of all instructions. Most words of a text are none, and need no further search.
static KEYWORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let candidates = MNEMONICS.iter().flat_map(|mnemonic| candidates(mnemonic));
    let literals = candidates.flat_map(|candidate| literals(candidate.template));
    modifiers().chain(literals).chain(PAGES.iter().flat_map(|page| listed(page))).collect()
});

/// Part of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Before the first word.
    Start,
    /// In the parentheses of the predicate.
    Predicate,
    /// After a mnemonic, before a blank or parenthesis.
    Mnemonic,
    /// In the first parentheses after the mnemonic.
    Size,
    Operands,
    /// After the name of a directive with an argument of this form, before its first word.
    Directive(Option<TextArgument>),
    /// After the first word of a directive.
    Properties,
    /// After the name of a kernel's attribute; an instruction may follow the value.
    Attribute,
}

struct Splitter<'a> {
    text: &'a str,
    at: usize,
    /// Names of the variables that are declared so far.
    names: HashSet<&'a str>,
    part: Part,
    /// Templates of the current instruction.
    found: &'static [&'static Candidate],
    /// Last byte of the statement that is no blank.
    before: Option<u8>,
    /// End of the last token that is no blank.
    last_end: usize,
}

impl<'a> Splitter<'a> {
    fn next(&mut self) -> Option<Token> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let (kind, len) = self.lead(rest).unwrap_or_else(|| self.content(rest));
        // Each token has at least one character.
        let len = len.max(rest.chars().next().map_or(1, char::len_utf8));
        self.at = (start + len).min(self.text.len());
        let token = rest.get(..len).unwrap_or(rest);
        match kind {
            TokenKind::Blank | TokenKind::Comment => {
                let continues = kind == TokenKind::Blank && self.before == Some(b'\\');
                if token.contains('\n') && !continues {
                    (self.part, self.before, self.found) = (Part::Start, None, &[]);
                }
            }
            _ => {
                self.before = token.as_bytes().last().copied();
                self.last_end = self.at;
            }
        }
        Some(Token { range: start..self.at, kind })
    }

    /// Returns blanks, a comment or a string, which may stand everywhere.
    fn lead(&self, rest: &str) -> Option<(TokenKind, usize)> {
        let blanks = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
        if blanks > 0 {
            return Some((TokenKind::Blank, blanks));
        }
        if rest.starts_with("//") {
            return Some((TokenKind::Comment, rest.find('\n').unwrap_or(rest.len())));
        }
        if let Some(body) = rest.strip_prefix("/*") {
            return Some((TokenKind::Comment, body.find("*/").map_or(rest.len(), |end| end + 4)));
        }
        rest.starts_with('"').then(|| (TokenKind::String, string(rest)))
    }

    fn content(&mut self, rest: &'a str) -> (TokenKind, usize) {
        let word = word(rest);
        match self.part {
            Part::Start => self.start(rest, word),
            Part::Predicate => self.predicate(rest, word),
            Part::Mnemonic => self.after_mnemonic(rest, word),
            Part::Size => {
                if rest.starts_with(')') {
                    self.part = Part::Operands;
                }
                self.operand(rest, word)
            }
            Part::Operands => self.operand(rest, word),
            Part::Directive(argument) => self.directive(rest, word, argument),
            Part::Properties => self.property(rest, word),
            Part::Attribute => self.attribute(rest, word),
        }
    }

    fn start(&mut self, rest: &'a str, word: &'a str) -> (TokenKind, usize) {
        if rest.starts_with('.') {
            let (directive, len) = crate::directive::word(rest);
            self.part = Part::Directive(directive.map(TextDirective::argument));
            let is_known = declare::is_directive(&rest[..len]);
            return (if is_known { TokenKind::Directive } else { TokenKind::Unknown }, len);
        }
        if word.is_empty() {
            if rest.starts_with('(') {
                self.part = Part::Predicate;
            }
            return punctuation(rest);
        }
        if rest[word.len()..].trim_start_matches([' ', '\t']).starts_with(':') {
            return (TokenKind::Label, word.len());
        }
        // Few mnemonics contain a plus.
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '+')).unwrap_or(rest.len());
        let longest = candidates(&rest[..end]);
        let (mut found, len) = if longest.is_empty() { (candidates(word), word.len()) } else { (longest, end) };
        if found.is_empty()
            && let Some(call) = linked_call().filter(|call| call.spelling.eq_ignore_ascii_case(word))
        {
            found = candidates(&call.usual);
        }
        (self.part, self.found) = (Part::Mnemonic, found);
        (if self.found.is_empty() { TokenKind::Unknown } else { TokenKind::Mnemonic }, len)
    }

    fn predicate(&mut self, rest: &str, word: &str) -> (TokenKind, usize) {
        if rest.starts_with(')') {
            self.part = Part::Start;
        }
        match dotted(rest) {
            0 if word.is_empty() => punctuation(rest),
            0 => (TokenKind::Variable, word.len()),
            len => (TokenKind::Modifier, len),
        }
    }

    fn after_mnemonic(&mut self, rest: &'a str, word: &'a str) -> (TokenKind, usize) {
        if rest.starts_with('(') {
            self.part = Part::Size;
            return punctuation(rest);
        }
        if self.last_end == self.at {
            // A part of the mnemonic may begin with a digit: `.16-full`.
            let dot = usize::from(rest.starts_with('.'));
            let len = dot + rest.bytes().skip(dot).take_while(|byte| is_word(*byte)).count();
            return if len > dot { (TokenKind::Modifier, len) } else { punctuation(rest) };
        }
        self.part = Part::Operands;
        self.operand(rest, word)
    }

    fn operand(&mut self, rest: &str, word: &str) -> (TokenKind, usize) {
        if self.before == Some(b':') && !word.is_empty() {
            return (TokenKind::Type, typed(rest, word.len()));
        }
        if let Some(len) = self.number(rest) {
            return (TokenKind::Number, len);
        }
        if let Some(len) = region(rest) {
            return (TokenKind::Region, len);
        }
        match dotted(rest) {
            0 if word.is_empty() => punctuation(rest),
            0 => (self.name(word, &rest[word.len()..]), word.len()),
            len => (TokenKind::Modifier, len),
        }
    }

    /// Returns the kind of a word among the operands.
    fn name(&self, word: &str, after: &str) -> TokenKind {
        let names = |table| {
            let forms = self.found.iter().flat_map(|candidate| candidate.page.forms);
            forms.flat_map(|form| form.fields).any(|field| field.table == Some(table))
        };
        match word {
            _ if self.is_variable(word) => TokenKind::Variable,
            _ if self.part == Part::Size => TokenKind::Modifier,
            // The form of an address has its own name before the brackets.
            _ if after.starts_with('[') || self.is_keyword(word) => TokenKind::Modifier,
            _ if !after.starts_with(['(', '.', '<']) && (names(Table::Label) || names(Table::String)) => {
                TokenKind::Label
            }
            _ => TokenKind::Variable,
        }
    }

    /// Returns true for a word of the instruction's templates or lists, or of a modifier.
    fn is_keyword(&self, word: &str) -> bool {
        let is_here = |one: &&Candidate| literals(one.template).chain(listed(one.page)).any(|own| own == word);
        KEYWORDS.contains(word) && (modifiers().any(|one| one == word) || self.found.iter().any(is_here))
    }

    fn is_variable(&self, word: &str) -> bool {
        self.names.contains(word) || PREDEFINED.contains(word)
    }

    fn directive(&mut self, rest: &'a str, word: &'a str, argument: Option<TextArgument>) -> (TokenKind, usize) {
        if word.is_empty() {
            return self.property(rest, word);
        }
        self.part = Part::Properties;
        let kind = match argument {
            Some(TextArgument::AttributeArgument) => {
                self.part = Part::Attribute;
                TokenKind::Modifier
            }
            // An input may lack its name.
            _ if is_key(rest, word) => TokenKind::Modifier,
            Some(TextArgument::LabelArgument) => TokenKind::Label,
            _ => {
                self.names.insert(word);
                TokenKind::Variable
            }
        };
        (kind, word.len())
    }

    fn property(&self, rest: &str, word: &str) -> (TokenKind, usize) {
        if let Some(len) = self.number(rest) {
            return (TokenKind::Number, len);
        }
        if word.is_empty() {
            return punctuation(rest);
        }
        let kind = match self.before {
            _ if is_key(rest, word) => TokenKind::Modifier,
            Some(b'<') => TokenKind::Variable,
            Some(b'=') if self.is_variable(word) => TokenKind::Variable,
            Some(b'=') if DataType::ALL.iter().any(|t| t.name().eq_ignore_ascii_case(word)) => TokenKind::Type,
            _ => TokenKind::Modifier,
        };
        (kind, word.len())
    }

    /// Returns a token of a kernel attribute's value, or of the instruction after it.
    fn attribute(&mut self, rest: &'a str, word: &'a str) -> (TokenKind, usize) {
        if self.before == Some(b'=') {
            return match self.number(rest) {
                Some(len) => (TokenKind::Number, len),
                None if word.is_empty() => punctuation(rest),
                None => (TokenKind::Modifier, word.len()),
            };
        }
        if word.is_empty() && !rest.starts_with(['(', '.']) {
            return punctuation(rest);
        }
        self.part = Part::Start;
        self.start(rest, word)
    }

    /// Returns the length of the number at the start of a text. A sign belongs to the number unless
    /// it follows an operand.
    fn number(&self, rest: &str) -> Option<usize> {
        let is_lone = self.last_end < self.at || matches!(self.before, None | Some(b'(' | b',' | b'[' | b'='));
        let sign = usize::from(is_lone && rest.starts_with(['-', '+']));
        let bytes = rest.as_bytes();
        if !bytes.get(sign).is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let mut end = sign;
        while let Some(&byte) = bytes.get(end) {
            let next = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
            let exponent = matches!(bytes[end.saturating_sub(1)], b'e' | b'E') && !rest[sign..].starts_with("0x");
            match byte {
                b'.' if next => {}
                b'-' | b'+' if next && exponent => {}
                _ if is_word(byte) => {}
                _ => break,
            }
            end += 1;
        }
        Some(end)
    }
}

/// Returns the word at the start of a text, which may begin with `%`; empty without one.
fn word(rest: &str) -> &str {
    let bytes = rest.as_bytes();
    let lead = usize::from(bytes.first() == Some(&b'%'));
    let len = bytes[lead..].iter().take_while(|byte| is_word(**byte)).count();
    let is_number = lead == 0 && bytes.first().is_some_and(u8::is_ascii_digit);
    if len == 0 || is_number { "" } else { &rest[..lead + len] }
}

/// Returns true if the word at the start of a text is the key of a property.
fn is_key(rest: &str, word: &str) -> bool {
    rest[word.len()..].trim_start_matches(' ').starts_with('=')
}

/// Returns the length of a dot with the word after it, or zero.
fn dotted(rest: &str) -> usize {
    match rest.strip_prefix('.').map(word) {
        Some(word) if !word.is_empty() => 1 + word.len(),
        _ => 0,
    }
}

/// Returns the length of a type with the layout after it, such as `d32.2x16nn`.
fn typed(rest: &str, mut len: usize) -> usize {
    while let Some(part) = rest[len..].strip_prefix('.') {
        let more = part.bytes().take_while(|byte| is_word(*byte)).count();
        if more == 0 {
            break;
        }
        len += 1 + more;
    }
    len
}

/// Returns the length of a region.
fn region(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('<')?;
    let len = body.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ';' | ',' | ' ' | '_' | '*')))?;
    body[len..].starts_with('>').then_some(len + 2)
}

/// Returns the length of a string, at most up to the end of its line.
fn string(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return at + 1,
            '\n' => return at,
            '\\' if rest[at + 1..].starts_with('\n') => return at + 1,
            '\\' => {
                chars.next();
            }
            _ => {}
        }
    }
    rest.len()
}

/// Returns one character, as punctuation if the syntax has it.
fn punctuation(rest: &str) -> (TokenKind, usize) {
    let c = rest.chars().next().unwrap_or(' ');
    (if c.is_ascii_punctuation() { TokenKind::Punctuation } else { TokenKind::Unknown }, c.len_utf8())
}

/// Returns the words of the modifiers.
fn modifiers() -> impl Iterator<Item = &'static str> {
    Modifier::ALL.iter().map(|one| one.text().trim_matches(['(', ')', '-', '~']))
}

/// Returns the words of a template outside of its fields.
fn literals(template: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let words = template.split(move |c: char| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0 || !(c.is_ascii_alphanumeric() || c == '_')
    });
    words.filter(|word| !word.is_empty())
}

/// Returns the texts of the values of an instruction's fields.
fn listed(page: &Page) -> impl Iterator<Item = &'static str> + use<> {
    let fields = page.forms.iter().flat_map(|form| form.fields);
    let parts = fields.filter_map(|field| field.list).flat_map(|list| list.parts);
    parts.flat_map(|part| part.values).map(|value| value.text)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
