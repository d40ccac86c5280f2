//! Shape of a text: folding, symbols and inlay hints.

use lsp_types::{
    DocumentSymbol, FoldingRange, FoldingRangeKind, InlayHint, InlayHintKind, InlayHintLabel, Position, Range,
    SymbolKind,
};
use visakit::isa::TextKey;
use visakit::text::TokenKind;

use crate::chunk::Head;
use crate::document::{Document, Place};
use crate::hover::size;
use crate::outline::{Declaration, Space, value};

/// Returns the foldable ranges: routines, subroutines, blocks, declarations and comments.
pub fn folding(document: &Document) -> Vec<FoldingRange> {
    let outline = document.outline();
    let chunks = document.chunks();
    let mut out = Vec::new();
    let mut fold = |from: usize, to: usize, kind: Option<FoldingRangeKind>| {
        if to > from {
            let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
            out.push(FoldingRange { start_line: line(from), end_line: line(to), kind, ..FoldingRange::default() });
        }
    };
    let last_line = |end: usize| {
        let filled = (0..end).rev().find(|at| !chunks[*at].text.trim().is_empty())?;
        Some(document.first_line(filled) + chunks[filled].line_count() - 1)
    };
    for routine in &outline.routines {
        let begin = document.first_line(routine.chunk);
        fold(begin, last_line(routine.chunks.end).unwrap_or(begin), Some(FoldingRangeKind::Region));
        let inner = outline.declarations.iter().filter(|one| routine.chunks.contains(&one.chunk));
        let starts: Vec<usize> = inner.filter(|one| one.space == Space::Subroutine).map(|one| one.chunk).collect();
        for (at, start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).copied().unwrap_or(routine.chunks.end);
            let begin = document.first_line(*start);
            fold(begin, last_line(end).unwrap_or(begin), Some(FoldingRangeKind::Region));
        }
    }
    for block in &outline.blocks {
        fold(document.first_line(block.start), document.first_line(block.end - 1), Some(FoldingRangeKind::Region));
    }
    // Runs of directives, and of lines that are only comments.
    let mut run: Option<(bool, usize)> = None;
    for at in 0..=chunks.len() {
        let kind = chunks.get(at).and_then(|chunk| match chunk.head() {
            Head::Directive(_) => Some(true),
            Head::Empty if !chunk.tokens.is_empty() => Some(false),
            _ => None,
        });
        if let Some((is_code, start)) = run
            && kind != Some(is_code)
        {
            let end = document.first_line(at - 1) + chunks[at - 1].line_count() - 1;
            fold(
                document.first_line(start),
                end,
                Some(if is_code { FoldingRangeKind::Imports } else { FoldingRangeKind::Comment }),
            );
            run = None;
        }
        if let (Some(kind), None) = (kind, run) {
            run = Some((kind, at));
        }
    }
    out
}

/// Returns the routines of a text with their labels and variables.
#[expect(deprecated, reason = "a field of the protocol's type is deprecated but must be given")]
pub fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let outline = document.outline();
    let symbol =
        |name: &str, detail: Option<String>, kind, range: Range, selection_range: Range, children| DocumentSymbol {
            name: if name.is_empty() { "?".to_owned() } else { name.to_owned() },
            detail,
            kind,
            tags: None,
            deprecated: None,
            range,
            selection_range,
            children,
        };
    let of = |one: &Declaration| {
        let range = document.range(one.chunk, &one.bytes);
        let chunk = &document.chunks()[one.chunk];
        let kind = match one.space {
            Space::Variable => SymbolKind::VARIABLE,
            Space::Label => SymbolKind::KEY,
            Space::Subroutine => SymbolKind::FUNCTION,
        };
        symbol(&one.name, size(chunk, one), kind, range, range, None)
    };
    let routine = |routine: &crate::outline::Routine| {
        let inner = outline.declarations.iter().filter(|one| routine.chunks.contains(&one.chunk)).map(of).collect();
        let start = document.range(routine.chunks.start, &(0..0)).start;
        let end = document.position(Place { chunk: routine.chunks.end, byte: 0 });
        let name = document.range(routine.chunk, &routine.bytes);
        symbol(&routine.name, None, SymbolKind::MODULE, Range::new(start, end), name, Some(inner))
    };
    match outline.routines.as_slice() {
        [] => outline.declarations.iter().map(of).collect(),
        routines => routines.iter().map(routine).collect(),
    }
}

/// Returns the hints in a range: the type of each general variable at its use, and the size of each
/// variable at its declaration.
pub fn hints(document: &Document, range: Range) -> Vec<InlayHint> {
    let outline = document.outline();
    let (from, to) = (document.place(range.start).chunk, document.place(range.end).chunk);
    let mut out = Vec::new();
    let mut hint = |position: Position, label: String| {
        out.push(InlayHint {
            position,
            label: InlayHintLabel::String(label),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: None,
            padding_left: None,
            padding_right: None,
            data: None,
        });
    };
    for (at, chunk) in document.chunks().iter().enumerate().take(to + 1).skip(from) {
        match chunk.head() {
            Head::Instruction(_) => {
                for token in chunk.tokens.iter().filter(|token| token.kind == TokenKind::Variable) {
                    let Some(one) = outline.at_token(chunk, at, token).map(|at| &outline.declarations[at]) else {
                        continue;
                    };
                    let of_type = document.chunks().get(one.chunk).and_then(|chunk| value(chunk, TextKey::KeyType));
                    if let Some(ty) = of_type.filter(|_| one.space == Space::Variable) {
                        hint(document.position(Place { chunk: at, byte: token.range().end }), format!(":{ty}"));
                    }
                }
            }
            Head::Directive(_) => {
                let declared = outline.declarations.partition_point(|one| one.chunk < at);
                let Some(one) = outline.declarations.get(declared).filter(|one| one.chunk == at) else { continue };
                let end = chunk.code().last().map_or(0, |(_, token)| token.range().end);
                if let (Some(size), Some(_)) = (size(chunk, one), value(chunk, TextKey::KeyType)) {
                    let bytes = size.split(':').next().unwrap_or_default().to_owned();
                    hint(document.position(Place { chunk: at, byte: end }), format!("  {bytes}"));
                }
            }
            _ => {}
        }
    }
    out
}
