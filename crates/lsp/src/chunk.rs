//! Chunks of a text: the smallest groups of whole lines that are split into tokens on their own.

use std::ops::Range;

use visakit::isa::{InstructionGroup, TextDirective, candidates};
use visakit::text::{self, TokenKind, tokens};

/// Token of a chunk. It is small, as a line has many tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    bytes: Range<u32>,
    /// Kind of the token.
    pub kind: TokenKind,
}

impl Token {
    fn new(token: &text::Token) -> Self {
        let number = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Self { bytes: number(token.range.start)..number(token.range.end), kind: token.kind }
    }

    /// Returns the byte range in the chunk.
    pub fn range(&self) -> Range<usize> {
        self.bytes.start as usize..self.bytes.end as usize
    }
}

/// Statement with its line ends and comments. Lines that a comment or a backslash joins are one
/// chunk; any other line is a chunk of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Text, with its line ends.
    pub text: String,
    /// Byte offsets of the lines. Lines end as in the protocol: at `\n`, `\r\n` or `\r`.
    pub lines: Vec<usize>,
    /// Tokens without blanks.
    pub tokens: Vec<Token>,
    head: Head,
    is_call: bool,
    braces: (usize, usize),
}

/// First content of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// No statement.
    Empty,
    /// A directive; `None` for an unknown one.
    Directive(Option<TextDirective>),
    /// A label on its own line: the index of its token.
    Label(usize),
    /// An instruction: the index of its mnemonic's token.
    Instruction(usize),
    /// Another text.
    Other,
}

impl Chunk {
    fn new(text: String) -> Self {
        let tokens = tokens(&text).filter(|token| token.kind != TokenKind::Blank);
        let tokens = tokens.map(|token| Token::new(&token)).collect();
        let bytes = text.as_bytes();
        let is_end = |at: usize| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let ends = (0..bytes.len()).filter(|at| is_end(*at)).map(|at| at + 1);
        let lines = std::iter::once(0).chain(ends.filter(|end| *end < bytes.len())).collect();
        let mut out = Self { text, lines, tokens, head: Head::Empty, is_call: false, braces: (0, 0) };
        out.head = out.find_head();
        out.is_call = out.find_call();
        out.braces = out.count_braces();
        out
    }

    /// Returns the first content, after braces and the predicate.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns true if the instruction calls a subroutine.
    pub fn is_call(&self) -> bool {
        self.is_call
    }

    /// Returns the numbers of blocks that the chunk opens and closes.
    pub fn braces(&self) -> (usize, usize) {
        self.braces
    }

    /// Returns the number of lines that end in the chunk; the last line of a text has no end.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the text of a token.
    pub fn word(&self, token: &Token) -> &str {
        self.text.get(token.range()).unwrap_or("")
    }

    /// Returns the tokens that are no comments, with their indices.
    pub fn code(&self) -> impl Iterator<Item = (usize, &Token)> {
        self.tokens.iter().enumerate().filter(|(_, token)| token.kind != TokenKind::Comment)
    }

    fn find_head(&self) -> Head {
        let mut in_predicate = false;
        for (at, token) in self.code() {
            match (token.kind, self.word(token)) {
                (TokenKind::Directive | TokenKind::Unknown, word) if word.starts_with('.') => {
                    return Head::Directive(directive(word));
                }
                (TokenKind::Label, _) if !in_predicate => return Head::Label(at),
                (TokenKind::Mnemonic | TokenKind::Unknown, _) if !in_predicate => return Head::Instruction(at),
                (_, "{" | "}") => {}
                (_, "(") => in_predicate = true,
                (_, ")") => in_predicate = false,
                _ if in_predicate => {}
                _ => return Head::Other,
            }
        }
        Head::Empty
    }

    fn find_call(&self) -> bool {
        let Head::Instruction(at) = self.head else { return false };
        let word = self.tokens.get(at).map_or("", |token| self.word(token));
        candidates(word).first().is_some_and(|one| one.page.is_in(InstructionGroup::SubroutineCall))
    }

    fn count_braces(&self) -> (usize, usize) {
        if matches!(self.head, Head::Directive(_)) || !self.text.contains(['{', '}']) {
            return (0, 0);
        }
        let count = |brace| self.code().filter(|(_, token)| self.word(token) == brace).count();
        (count("{"), count("}"))
    }

    /// Returns the token that contains a byte offset or ends there, which the first choice is.
    pub fn token_at(&self, byte: usize) -> Option<usize> {
        let inside = self.tokens.iter().position(|token| token.range().contains(&byte));
        let is_word = |at: &usize| self.tokens[*at].kind != TokenKind::Punctuation;
        let touching = || self.tokens.iter().position(|token| token.range().end == byte);
        inside.filter(is_word).or_else(|| touching().filter(is_word)).or(inside)
    }
}

/// Returns the directive that a text spells.
pub fn directive(word: &str) -> Option<TextDirective> {
    let known = TextDirective::ALL.iter().copied();
    let implicit = TextDirective::ImplicitLine;
    known.clone().find(|one| one.text() == word).or_else(|| word.starts_with(implicit.text()).then_some(implicit))
}

/// Splits a text into chunks. The last chunk has no end: text that follows may continue it.
pub fn chunks(text: &str) -> Vec<Chunk> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut in_comment = false;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let joined = is_joined(line, &mut in_comment);
        if line.ends_with('\n') && !joined {
            out.push(Chunk::new(text[start..at].to_owned()));
            start = at;
        }
    }
    // A text ends with a chunk that may be empty, as it ends with a line that may be empty.
    out.push(Chunk::new(text[start..].to_owned()));
    out
}

/// Returns true if a line continues on the next line: by an open comment, or by a backslash after a
/// blank.
fn is_joined(line: &str, in_comment: &mut bool) -> bool {
    let body = line.trim_end_matches(['\n', '\r']);
    if !*in_comment && !body.contains("/*") {
        return continues(body.split("//").next().filter(|_| !body.contains('"')).unwrap_or(body));
    }
    let (mut in_string, mut at) = (false, 0);
    let bytes = body.as_bytes();
    while at < bytes.len() {
        let rest = &bytes[at..];
        if *in_comment {
            *in_comment = !rest.starts_with(b"*/");
            at += 1 + usize::from(!*in_comment);
        } else if in_string {
            in_string = bytes[at] != b'"';
            at += 1 + usize::from(bytes[at] == b'\\');
        } else if rest.starts_with(b"//") {
            return false;
        } else {
            *in_comment = rest.starts_with(b"/*");
            in_string = bytes[at] == b'"';
            at += 1 + usize::from(*in_comment);
        }
    }
    *in_comment || continues(body)
}

fn continues(body: &str) -> bool {
    body.strip_suffix('\\').is_some_and(|body| body.is_empty() || body.ends_with([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_backslashes_join_lines() {
        let text = "a\nb /* c\n d */ e\nf \\\ng\n\"/*\" h\n// /*\ni";
        let texts: Vec<_> = chunks(text).into_iter().map(|chunk| chunk.text).collect();
        assert_eq!(texts, ["a\n", "b /* c\n d */ e\n", "f \\\ng\n", "\"/*\" h\n", "// /*\n", "i"]);
    }

    #[test]
    fn heads_of_statements() {
        let head = |text: &str| chunks(text)[0].head().clone();
        assert_eq!(head("  // only\n"), Head::Empty);
        assert_eq!(head(".decl x"), Head::Directive(Some(TextDirective::DeclLine)));
        assert_eq!(head(".implicit_x y"), Head::Directive(Some(TextDirective::ImplicitLine)));
        assert_eq!(head("{ next:"), Head::Label(1));
        assert_eq!(head("(!P1) add (M1, 1)"), Head::Instruction(4));
        assert_eq!(head(".nothing"), Head::Directive(None));
    }
}
