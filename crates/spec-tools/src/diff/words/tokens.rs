//! Tokens of prose: the words of a text without its layout.

use std::ops::Range;

use visakit_codegen::markdown::{Block, Code, Inline, Item, Row, Span};

/// Word or punctuation mark.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// Offset of the token's first byte in the page.
    pub(crate) at: usize,
    /// True if white space precedes the token.
    pub(crate) spaced: bool,
    /// True if the token is the last of its sentence, row or line.
    pub(crate) ends: bool,
}

/// Level of detail to keep of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Code: punctuation counts, and every line is separate.
    Code,
    /// Prose, which the vendor often puts into code blocks. List marks and table rules are layout.
    Prose,
    /// Words next to a fact: full stops depend on the position of the fact.
    Beside,
}

/// Adds the tokens of a text, except those that begin in `skip`. `place` maps a byte of the text to
/// its offset in the page.
pub(crate) fn push(
    out: &mut Vec<Token>,
    text: &str,
    style: Style,
    skip: &[Range<usize>],
    place: impl Fn(usize) -> usize,
) {
    let mut spaced = true;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            spaced = true;
            continue;
        }
        let mut end = at + c.len_utf8();
        // Skip the rules of drawn tables, and escapes of markup.
        if style != Style::Code && matches!(c, '|' | '\\') {
            spaced = true;
            continue;
        }
        if style != Style::Code && is_rule(c) {
            let run = text[at..].chars().take_while(|c| is_rule(*c)).count();
            if run > 2 {
                (1..run).for_each(|_| {
                    chars.next();
                });
                spaced = true;
                continue;
            }
        }
        if is_word(c) {
            while let Some(&(next, c)) = chars.peek().filter(|(_, c)| is_word(*c)) {
                end = next + c.len_utf8();
                chars.next();
            }
        }
        if skip.iter().any(|r| r.contains(&at)) {
            spaced = true;
            continue;
        }
        let stop = matches!(c, '.' | '!' | '?' | ';') && text[end..].chars().next().is_none_or(char::is_whitespace);
        if stop && style == Style::Beside {
            if let Some(last) = out.last_mut() {
                last.ends = true;
            }
            continue;
        }
        let ends = stop && style != Style::Code;
        out.push(Token { text: text[at..end].to_owned(), at: place(at), spaced, ends });
        spaced = false;
    }
}

/// Returns true for a character from which table rules are drawn.
fn is_rule(c: char) -> bool {
    matches!(c, '+' | '-' | '=')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Marks the end of a sentence, row or line.
pub(crate) fn finish(out: &mut [Token]) {
    if let Some(last) = out.last_mut() {
        last.ends = true;
    }
}

pub(crate) fn push_inline(out: &mut Vec<Token>, text: &Inline, style: Style, skip: &[Range<usize>]) {
    push(out, &text.text, style, skip, |at| text.source(at..at).start);
    finish(out);
}

pub(crate) fn push_code(out: &mut Vec<Token>, code: &Code, style: Style) {
    for (line, span) in &code.lines {
        push_line(out, line, span, style);
    }
    finish(out);
}

/// Adds a line of a code block. In prose style, list marks, table rules and emphasis are removed.
pub(crate) fn push_line(out: &mut Vec<Token>, line: &str, span: &Span, style: Style) {
    if style == Style::Code {
        push(out, line, style, &[], |at| span.start + at);
        return finish(out);
    }
    if line.trim().is_empty() {
        return finish(out);
    }
    let mut skip: Vec<Range<usize>> = Vec::new();
    let bare = line.trim_start();
    let lead = line.len() - bare.len();
    if ["- ", "* ", "+ "].iter().any(|mark| bare.starts_with(mark)) {
        finish(out);
        skip.push(lead..lead + 1);
    }
    let row = bare.starts_with('|');
    for (at, c) in line.char_indices() {
        let double = line[at..].starts_with("**") || line[..at].ends_with('*') && c == '*';
        if c == '`' || double {
            skip.push(at..at + 1);
        }
    }
    // Columns: each line is separate.
    let row = row || bare.trim_end().contains("   ");
    if row {
        finish(out);
    }
    push(out, line, style, &skip, |at| span.start + at);
    if row {
        finish(out);
    }
}

/// Adds the cells of a row. Cells contain raw text, so each is parsed separately.
pub(crate) fn push_row(out: &mut Vec<Token>, row: &Row) {
    for (cell, span) in &row.cells {
        // Most cells contain no markup.
        if cell.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | ',' | '.')) {
            push(out, cell, Style::Prose, &[], |at| span.start + at);
            continue;
        }
        for section in visakit_codegen::markdown::parse(cell).sections {
            push(out, &section.title, Style::Prose, &[], |at| span.start + at);
            for block in &section.blocks {
                let from = out.len();
                push_block(out, block, Style::Prose);
                out[from..].iter_mut().for_each(|t| t.at += span.start);
            }
        }
    }
    finish(out);
}

pub(crate) fn push_block(out: &mut Vec<Token>, block: &Block, style: Style) {
    match block {
        Block::Paragraph(text) => push_inline(out, text, style, &[]),
        Block::Code(code) => push_code(out, code, style),
        Block::Table(rows) => rows.iter().for_each(|row| push_row(out, row)),
        Block::List(items) => items.iter().for_each(|item| push_item(out, item, style)),
    }
}

pub(crate) fn push_item(out: &mut Vec<Token>, item: &Item, style: Style) {
    push_inline(out, &item.text, style, &[]);
    item.blocks.iter().for_each(|block| push_block(out, block, style));
}

/// Joins tokens to a text with single blanks.
pub(crate) fn join(tokens: &[Token]) -> String {
    let mut out = String::new();
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 && token.spaced {
            out.push(' ');
        }
        out.push_str(&token.text);
    }
    out
}
