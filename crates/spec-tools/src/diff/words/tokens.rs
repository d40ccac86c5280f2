//! Prose as words: what is left of a text when its layout is taken away.

use std::ops::Range;

use visakit_codegen::markdown::{Block, Code, Inline, Item, Row, Span};

/// A word, or a sign.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// Its first byte in the page.
    pub(crate) at: usize,
    /// Whether white space stands in front of it.
    pub(crate) spaced: bool,
    /// Whether it is the last of its sentence, row or line.
    pub(crate) ends: bool,
}

/// What of a text is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Code: every sign counts, and every line stands for itself.
    Code,
    /// Prose, which the vendor often keeps in code blocks: list marks and lines of tables are
    /// layout.
    Prose,
    /// The words beside a fact: full stops depend on where the fact stands.
    Beside,
}

/// Adds the words of a text but for those that begin in `skip`. `place` gives the place of a byte
/// of the text.
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
        // Tables drawn with signs, and escapes of what is markup elsewhere.
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

/// A sign of which rules are drawn.
fn is_rule(c: char) -> bool {
    matches!(c, '+' | '-' | '=')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Ends the sentence, row or line.
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

/// A line of a code block. As prose it loses list marks, the lines of drawn tables and marks of
/// emphasis.
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
    // Columns: each line stands for itself.
    let row = row || bare.trim_end().contains("   ");
    if row {
        finish(out);
    }
    push(out, line, style, &skip, |at| span.start + at);
    if row {
        finish(out);
    }
}

/// The cells of a row. They are kept as written, so each is read as a text of its own.
pub(crate) fn push_row(out: &mut Vec<Token>, row: &Row) {
    for (cell, span) in &row.cells {
        // Most cells have no markup.
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

/// Tokens as a text again, with the white space reduced to single blanks.
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
