//! Reader of `## Opcode`: name, opcode, sub-opcode and kind of the page.

use super::context::Cx;
use crate::markdown::{Block, Section, Span};
use crate::model::PageKind;
use crate::phrase::number;

/// Content of the section.
pub(crate) struct Opcode {
    pub(crate) family: Option<String>,
    pub(crate) name: String,
    pub(crate) opcode: u8,
    pub(crate) sub_opcode: Option<u8>,
    pub(crate) kind: PageKind,
    pub(crate) span: Span,
    /// Line of the sub-opcode, or of the opcode if there is no sub-opcode.
    pub(crate) sub_span: Span,
}

pub(crate) fn read(cx: &mut Cx<'_>, section: &Section) -> Option<Opcode> {
    let mut pairs: Vec<(String, u8, Span)> = Vec::new();
    let mut kind = PageKind::Ordinary;
    let before = cx.diagnostics.len();
    for (line, span) in lines(section) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if let Some(text) = line.strip_prefix("Kind:") {
            kind = read_kind(cx, text.trim(), &span);
        } else if let Some((name, value)) = line.split_once('=') {
            match number(value).map(u8::try_from) {
                Some(Ok(value)) if is_name(name.trim()) => pairs.push((name.trim().to_owned(), value, span)),
                Some(Err(_)) => cx.error(
                    "opcode-range",
                    &span,
                    format!("opcode `{}` does not fit into a byte", value.trim()),
                    "write a number from 0x00 to 0xff",
                ),
                _ => cx.error(
                    "opcode-syntax",
                    &span,
                    "this is not an opcode",
                    "write `NAME = 0xNN`, and below it `SUB_NAME = 0xNN` for an operation of a family",
                ),
            }
        } else {
            cx.warn(
                "section-leftover",
                &span,
                "this line of the Opcode section is not understood",
                "write `NAME = 0xNN` or `Kind: …`",
            );
        }
    }
    if pairs.len() > 2 {
        cx.error(
            "opcode-syntax",
            &pairs[2].2,
            "more than two lines with opcodes",
            "write one opcode and at most one sub-opcode",
        );
    }
    let mut pairs = pairs.into_iter();
    let (first, opcode, span) = match pairs.next() {
        Some(pair) => pair,
        None => {
            // An invalid line has its own finding.
            if cx.diagnostics.len() == before {
                cx.error(
                    "opcode-missing",
                    &section.span,
                    "the Opcode section names no opcode",
                    "write `NAME = 0xNN` below the heading",
                );
            }
            return None;
        }
    };
    Some(match pairs.next() {
        None => Opcode { family: None, name: first, opcode, sub_opcode: None, kind, sub_span: span.clone(), span },
        Some((name, sub, sub_span)) => {
            let prefix = format!("{first}_");
            let name = if name.starts_with(&prefix) { name } else { prefix + &name };
            Opcode { family: Some(first), name, opcode, sub_opcode: Some(sub), kind, span, sub_span }
        }
    })
}

fn read_kind(cx: &mut Cx<'_>, text: &str, span: &Span) -> PageKind {
    let word = text.split_whitespace().next().unwrap_or("").trim_end_matches(['.', ';', ',']);
    match word.to_ascii_lowercase().as_str() {
        "umbrella" => PageKind::Umbrella,
        "reserved" => PageKind::Reserved,
        "undefined" => PageKind::Undefined,
        "alias" => {
            let mut words = text.split_whitespace().skip(1);
            let link = words.next();
            let of = words.next().unwrap_or("").trim_end_matches(['.', ',']).to_owned();
            let when = words.collect::<Vec<_>>().join(" ");
            if link != Some("of") || !when.starts_with("when ") {
                let message = format!("`Kind: {text}` is not understood");
                cx.error("kind-unknown", span, message, "write `Kind: alias of NAME when …`");
            }
            PageKind::Alias { of: of.into(), when: when.trim_start_matches("when ").to_owned() }
        }
        _ => {
            cx.error(
                "kind-unknown",
                span,
                format!("`{word}` is not a kind of page"),
                "use umbrella, reserved, undefined, or `alias of NAME when …`",
            );
            PageKind::Ordinary
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn lines(section: &Section) -> Vec<(String, Span)> {
    let mut out = Vec::new();
    for block in &section.blocks {
        match block {
            Block::Paragraph(text) => {
                out.extend(text.lines().into_iter().map(|(line, span)| (line.to_owned(), span)));
            }
            Block::Code(code) => out.extend(code.lines.iter().cloned()),
            _ => {}
        }
    }
    out
}
