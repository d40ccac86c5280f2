//! Lexer of semantics blocks. It accepts all input: an invalid character becomes a token, which the
//! parser reports.

use crate::markdown::Span;

/// Token of a semantics block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name or a keyword.
    Word(&'a str),
    /// An integer; `None` if it has no digits or more than 64 bits, or is malformed.
    Integer(Option<u64>),
    /// A number with a fraction.
    Float(f64),
    /// A sign of one to three characters.
    Sign(&'static str),
    /// The end of a line, or a semicolon.
    End,
    /// A character that the notation does not use.
    Other(char),
}

/// All signs; a longer sign precedes its prefixes.
const SIGNS: [&str; 33] = [
    ">>>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "..", "{", "}", "(", ")", "[", "]", ",", "?", ":", ".",
    "=", "<", ">", "|", "^", "&", "+", "-", "*", "/", "%", "!", "~",
];

/// Returns the tokens of a block's lines, each with its place in the page. An [`Token::End`]
/// follows every line.
pub(super) fn tokens(lines: &[(String, Span)]) -> Vec<(Token<'_>, Span)> {
    let mut out = Vec::new();
    for (line, span) in lines {
        let mut at = 0;
        while let Some(c) = line.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = &line[at..];
            if c.is_whitespace() {
                at += c.len_utf8();
                continue;
            }
            if rest.starts_with("//") {
                break;
            }
            let (token, len) = token(rest, c);
            out.push((token, span.start + at..span.start + at + len));
            at += len;
        }
        out.push((Token::End, span.start + at..span.start + at));
    }
    out
}

fn token(rest: &str, first: char) -> (Token<'_>, usize) {
    let end = |keep: fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
    if first.is_ascii_alphabetic() || first == '_' {
        let len = end(|c| c.is_ascii_alphanumeric() || c == '_');
        return (Token::Word(&rest[..len]), len);
    }
    if first.is_ascii_digit() {
        return number(rest);
    }
    if first == ';' {
        return (Token::End, 1);
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => (Token::Sign(sign), sign.len()),
        None => (Token::Other(first), first.len_utf8()),
    }
}

/// Reads a number such as `12`, `0x1f`, `0b11` or `1.5`. A dot belongs to a number only before a
/// digit, since `0..4` is a range.
fn number(rest: &str) -> (Token<'_>, usize) {
    let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let whole = &rest[..len];
    let fraction = rest[len..].strip_prefix('.').unwrap_or("");
    let digits = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
    if whole.bytes().all(|b| b.is_ascii_digit()) && digits > 0 {
        let len = len + 1 + digits;
        let value = rest[..len].parse().ok().filter(|value: &f64| value.is_finite());
        return (value.map_or(Token::Integer(None), Token::Float), len);
    }
    (Token::Integer(crate::phrase::number(whole)), len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<Token<'_>> {
        // The tokens borrow from the lines, so the lines are leaked.
        let lines = Box::leak(Box::new(vec![(text.to_owned(), 0..text.len())]));
        tokens(lines).into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn numbers_and_ranges() {
        assert_eq!(lex("0..4")[..3], [Token::Integer(Some(0)), Token::Sign(".."), Token::Integer(Some(4))]);
        assert_eq!(lex("1.5")[0], Token::Float(1.5));
        assert_eq!(lex("0xff 0b11")[..2], [Token::Integer(Some(255)), Token::Integer(Some(3))]);
        assert_eq!(lex("12ab 0x 99999999999999999999")[..3], [Token::Integer(None); 3]);
    }

    #[test]
    fn the_longest_sign_wins() {
        let signs = |text| lex(text).into_iter().filter(|t| matches!(t, Token::Sign(_))).count();
        assert_eq!(lex("a>>>b")[1], Token::Sign(">>>"));
        assert_eq!(lex("a>>b")[1], Token::Sign(">>"));
        assert_eq!(signs("<= == = < <<"), 5);
    }

    #[test]
    fn comments_and_ends() {
        assert_eq!(lex("a; b // c ; d"), [Token::Word("a"), Token::End, Token::Word("b"), Token::End]);
        assert_eq!(lex("ä"), [Token::Other('ä'), Token::End]);
    }
}
