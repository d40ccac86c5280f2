//! Parser of statements; `expression.rs` parses expressions.

use super::lex::{self, Token};
use crate::limits::{SEMANTICS_DEPTH, SEMANTICS_TOKENS};
use crate::markdown::Span;
use crate::model::SourceSpan;
use crate::model::semantics::{Block, Expression, ExpressionKind, Name, Statement, StatementKind};

/// Parsed block with its syntax errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// Statements that are valid.
    pub block: Block,
    /// Syntax errors, in the order of the text.
    pub problems: Vec<Problem>,
    /// Local names of invalid statements, whose scope is unknown.
    pub doubtful: Vec<String>,
}

/// Problem of a block, without the page's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable code of the kind of problem, such as `semantics-syntax`.
    pub code: &'static str,
    /// Place of the problem.
    pub at: SourceSpan,
    /// Description of the problem.
    pub message: String,
    /// Advice for the author.
    pub help: String,
}

/// Reserved words, which cannot be names.
const KEYWORDS: [&str; 7] = ["for", "if", "else", "let", "true", "false", "undefined"];

/// First words of statements, for suggestions.
pub(super) const STATEMENTS: [&str; 5] = ["channels", "for", "if", "let", "undefined"];

/// Parses the lines of a block of page number `page`, each with its place in that page. Parsing
/// never fails; invalid input becomes problems.
pub fn parse(lines: &[(String, Span)], page: u32) -> Parsed {
    let mut parser = Parser::new(lines, page);
    let statements = parser.statements(false);
    let start = lines.first().map_or(0, |(_, span)| span.start);
    let end = lines.last().map_or(start, |(_, span)| span.end);
    let at = parser.place(&(start..end));
    parser.problems.sort_by_key(|p| p.at);
    Parsed { block: Block { statements, at }, problems: parser.problems, doubtful: parser.doubtful }
}

/// Parses a text that is one expression and begins at byte `start` of page number `page`.
///
/// # Errors
///
/// The first problem.
pub fn parse_expression(text: &str, start: usize, page: u32) -> Result<Expression, Problem> {
    let lines = [(text.to_owned(), start..start + text.len())];
    let mut parser = Parser::new(&lines, page);
    if let Some(problem) = parser.problems.pop() {
        return Err(problem);
    }
    let value = parser.expression()?;
    match parser.peek_behind() {
        None if parser.peek() == Some(Token::End) => Ok(value),
        _ => Err(parser.unexpected("the end of the expression", "put an operator before it, or remove it")),
    }
}

/// Parses a text that is a whole block; places count from its beginning.
pub fn parse_text(text: &str) -> Parsed {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        lines.push((bare.to_owned(), at..at + bare.len()));
        at += line.len();
    }
    parse(&lines, 0)
}

pub(super) struct Parser<'a> {
    tokens: Vec<(Token<'a>, Span)>,
    at: usize,
    page: u32,
    pub(super) depth: u32,
    lines: &'a [(String, Span)],
    problems: Vec<Problem>,
    /// Every local name so far, so that those of an invalid statement are known.
    declared: Vec<String>,
    doubtful: Vec<String>,
    /// First block whose closing brace is not indented like the line of its opening brace. If
    /// braces do not match, one of these two lacks its partner.
    crooked: Option<(Span, Span)>,
}

impl<'a> Parser<'a> {
    fn new(lines: &'a [(String, Span)], page: u32) -> Self {
        let mut parser = Self {
            tokens: lex::tokens(lines),
            at: 0,
            page,
            depth: 0,
            lines,
            problems: Vec::new(),
            declared: Vec::new(),
            doubtful: Vec::new(),
            crooked: None,
        };
        parser.cut_long_lines();
        parser
    }

    /// Replaces the tokens of an overlong line by one problem.
    fn cut_long_lines(&mut self) {
        let mut kept = Vec::new();
        for (text, span) in self.lines {
            let from = self.tokens.partition_point(|(_, s)| s.start < span.start);
            let to = self.tokens.partition_point(|(_, s)| s.start <= span.start + text.len());
            if to - from > SEMANTICS_TOKENS {
                let place = self.tokens[from].1.clone();
                self.problem(
                    "semantics-depth",
                    &place,
                    format!("this line has more than {SEMANTICS_TOKENS} words and signs"),
                    "name parts of it with `let`",
                );
            } else {
                kept.extend_from_slice(&self.tokens[from..to]);
            }
        }
        self.tokens = kept;
    }

    /// Parses statements up to a closing brace, or up to the end of the block.
    fn statements(&mut self, nested: bool) -> Vec<Statement> {
        let mut out = Vec::new();
        loop {
            match self.peek() {
                None => return out,
                Some(Token::End) => self.at += 1,
                Some(Token::Sign("}")) if nested => return out,
                Some(Token::Sign("}")) => {
                    let stray = self.crooked.take().map_or_else(|| self.span(), |(_, close)| close);
                    self.problem("semantics-braces", &stray, "`}` without `{`", "remove it, or open its block");
                    self.at += 1;
                }
                Some(_) => {
                    let declared = self.declared.len();
                    match self.statement().and_then(|statement| self.end_of_statement().map(|()| statement)) {
                        Ok(statement) => out.push(statement),
                        Err(problem) => {
                            self.problems.push(problem);
                            self.recover();
                            self.doubtful.extend_from_slice(&self.declared[declared..]);
                        }
                    }
                }
            }
        }
    }

    fn end_of_statement(&mut self) -> Result<(), Problem> {
        match self.peek() {
            None | Some(Token::End | Token::Sign("}")) => Ok(()),
            Some(_) => Err(self.unexpected(
                "the end of the statement",
                "write one statement a \
             line, or separate statements by `;`",
            )),
        }
    }

    /// Skips to the end of an invalid statement. A block that the statement opens is still parsed
    /// for problems.
    fn recover(&mut self) {
        loop {
            match self.peek() {
                None | Some(Token::End | Token::Sign("}")) => return,
                Some(Token::Sign("{")) if self.depth < SEMANTICS_DEPTH => {
                    if let Err(problem) = self.block() {
                        self.problems.push(problem);
                    }
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn statement(&mut self) -> Result<Statement, Problem> {
        let start = self.span();
        let kind = match (self.peek(), self.peek_behind()) {
            // `channels` is also the name of a field.
            (Some(Token::Word("channels")), Some(Token::Word(_))) => {
                self.at += 1;
                let channel = self.declare("write a loop over channels as `channels i { … }`")?;
                StatementKind::Channels { channel, body: self.block()? }
            }
            (Some(Token::Word("for")), _) => self.count()?,
            (Some(Token::Word("if")), _) => self.choice()?,
            (Some(Token::Word("let")), _) => {
                self.at += 1;
                let name = self.declare("a name has letters, digits and `_`, and is not a keyword")?;
                self.expect("=", "give a new name a value: `let name = value`")?;
                StatementKind::Let { name, value: self.expression()? }
            }
            (Some(Token::Word("undefined")), _) => {
                self.at += 1;
                StatementKind::Undefined
            }
            (Some(Token::Word("else")), _) => {
                let help = "write `else` after the `}` of its `if`, on the same line";
                return Err(self.fault("semantics-syntax", &start, "`else` without `if`", help));
            }
            (Some(Token::Word(word)), Some(Token::Word(_))) => {
                return Err(self.fault(
                    "semantics-statement",
                    &start,
                    format!("`{word} …` is not a statement"),
                    crate::suggest::help(word, STATEMENTS.into_iter(), || {
                        "the first table of semantics.md lists the statements".to_owned()
                    }),
                ));
            }
            _ => self.effect()?,
        };
        Ok(Statement { kind, at: self.since(&start) })
    }

    /// Parses `for i in a..b { … }`.
    fn count(&mut self) -> Result<StatementKind, Problem> {
        const HELP: &str = "write a loop as `for i in a..b { … }`";
        self.at += 1;
        let variable = self.declare(HELP)?;
        match self.peek() {
            Some(Token::Word("in")) => self.at += 1,
            _ => return Err(self.unexpected("`in`", HELP)),
        }
        let from = self.expression()?;
        self.expect("..", HELP)?;
        let to = self.expression()?;
        Ok(StatementKind::For { variable, from, to, body: self.block()? })
    }

    /// Parses `if c { … } else { … }`.
    fn choice(&mut self) -> Result<StatementKind, Problem> {
        self.at += 1;
        let condition = self.expression()?;
        if self.peek() == Some(Token::Sign("=")) {
            return Err(self.unexpected("`{`", "compare with `==`"));
        }
        let then = self.block()?;
        if self.peek() != Some(Token::Word("else")) {
            return Ok(StatementKind::If { condition, then, otherwise: None });
        }
        self.at += 1;
        let otherwise = match self.peek() {
            Some(Token::Word("if")) => {
                let start = self.span();
                let kind = self.deeper(Self::choice)?;
                let at = self.since(&start);
                Block { statements: vec![Statement { kind, at }], at }
            }
            _ => self.block()?,
        };
        Ok(StatementKind::If { condition, then, otherwise: Some(otherwise) })
    }

    /// Parses an assignment or a call.
    fn effect(&mut self) -> Result<StatementKind, Problem> {
        let start = self.span();
        let target = self.expression()?;
        if self.peek() == Some(Token::Sign("=")) {
            self.at += 1;
            return Ok(StatementKind::Assign { target, value: self.expression()? });
        }
        self.end_of_statement()?;
        match target.kind {
            ExpressionKind::Call(call) => Ok(StatementKind::Call(call)),
            _ => Err(self.fault(
                "semantics-statement",
                &(start.start..target.at.end as usize),
                "this value is not used",
                "assign it, or remove it",
            )),
        }
    }

    fn block(&mut self) -> Result<Block, Problem> {
        let open = self.span();
        self.expect("{", "write the statements of a block between `{` and `}`")?;
        let statements = self.deeper(|parser| Ok(parser.statements(true)))?;
        let close = self.span();
        if self.peek() != Some(Token::Sign("}")) {
            let open = self.crooked.take().map_or(open, |(open, _)| open);
            return Err(self.fault("semantics-braces", &open, "this `{` is never closed", "add its `}`"));
        }
        self.at += 1;
        if self.crooked.is_none() && self.indentation(&close, true).is_some_and(|n| n != self.line_start(&open)) {
            self.crooked = Some((open.clone(), close));
        }
        Ok(Block { statements, at: self.since(&open) })
    }

    /// Parses a new local name.
    fn declare(&mut self, help: &str) -> Result<Name, Problem> {
        match self.peek() {
            Some(Token::Word(word)) if !KEYWORDS.contains(&word) => {
                let at = self.place(&self.span());
                self.at += 1;
                self.declared.push(word.to_owned());
                Ok(Name { text: word.to_owned(), at })
            }
            _ => Err(self.unexpected("a new name", help)),
        }
    }

    /// Runs a rule one level deeper; nesting beyond the limit is a problem.
    pub(super) fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth >= SEMANTICS_DEPTH {
            let span = self.span();
            let message = format!("blocks or brackets are nested more than {SEMANTICS_DEPTH} deep");
            return Err(self.fault("semantics-depth", &span, message, "name parts of it with `let`"));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|(token, _)| *token)
    }

    fn peek_behind(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at + 1).map(|(token, _)| *token)
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Returns the span of the next token, or the end of the text.
    pub(super) fn span(&self) -> Span {
        match self.tokens.get(self.at) {
            Some((_, span)) => span.clone(),
            None => self.tokens.last().map_or(0..0, |(_, span)| span.end..span.end),
        }
    }

    /// Returns the place from a first token to the one before the next.
    pub(super) fn since(&self, start: &Span) -> SourceSpan {
        let last = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(start.end, |(_, span)| span.end);
        self.place(&(start.start..last.max(start.start)))
    }

    pub(super) fn place(&self, span: &Span) -> SourceSpan {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        SourceSpan { page: self.page, start: small(span.start), end: small(span.end) }
    }

    pub(super) fn expect(&mut self, sign: &'static str, help: &str) -> Result<(), Problem> {
        if self.peek() == Some(Token::Sign(sign)) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`"), help))
    }

    /// Returns the problem of an unexpected token.
    pub(super) fn unexpected(&self, expected: &str, help: &str) -> Problem {
        let found = match self.peek() {
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Integer(None)) => "something other than a number of 64 bits".to_owned(),
            Some(Token::Integer(_) | Token::Float(_)) => "a number".to_owned(),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
            Some(Token::Other(c)) => format!("`{c}`"),
            Some(Token::End) => "the end of the line".to_owned(),
            None => "the end of the block".to_owned(),
        };
        self.fault("semantics-syntax", &self.span(), format!("expected {expected}, found {found}"), help)
    }

    pub(super) fn fault(
        &self,
        code: &'static str,
        span: &Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        Problem { code, at: self.place(span), message: message.into(), help: help.into() }
    }

    fn problem(&mut self, code: &'static str, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        let problem = self.fault(code, span, message, help);
        self.problems.push(problem);
    }

    /// Returns the indentation of a token's line.
    fn line_start(&self, span: &Span) -> usize {
        self.indentation(span, false).unwrap_or(0)
    }

    /// Returns the indentation of a token's line; with `first`, only if the token is the first of
    /// its line.
    fn indentation(&self, span: &Span, first: bool) -> Option<usize> {
        let line = self.lines.partition_point(|(_, s)| s.start <= span.start).checked_sub(1)?;
        let (text, place) = self.lines.get(line)?;
        let indent = text.len() - text.trim_start().len();
        (!first || place.start + indent == span.start).then_some(indent)
    }
}

/// Returns the place from the start of an expression to the end of another place.
pub(super) fn joined(from: &Expression, to: SourceSpan) -> SourceSpan {
    SourceSpan { page: from.at.page, start: from.at.start, end: to.end.max(from.at.end) }
}

#[cfg(test)]
mod tests {
    use super::parse_text;

    #[test]
    fn layout_comments_and_needless_parentheses_do_not_count() {
        let text = "channels i { // each\n  dst[i]=((a)+(b*c))  ;  if x{}else{ if y { undefined } } }\n";
        let expected =
            "channels i {\n    dst[i] = a + b * c\n    if x {\n    } else if y {\n        undefined\n    }\n}\n";
        assert_eq!(parse_text(text).block.to_string(), expected);
        for kept in [
            "(a + b) * c",
            "a - (b - c)",
            "(a ? b : c) ? d : e",
            "-(a + b)",
            "(a + b)[1].c",
            "1.0 - 2.5",
            "300000000000000000000000.0",
        ] {
            assert_eq!(parse_text(&format!("x = {kept}")).block.to_string(), format!("x = {kept}\n"));
        }
    }
}
