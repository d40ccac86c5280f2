//! Semantic tokens: the kinds of the library's token stream, in the protocol's encoding.

use std::ops::Range;

use lsp_types::{SemanticToken, SemanticTokenType, SemanticTokens, SemanticTokensEdit, SemanticTokensLegend};
use visakit::text::TokenKind;

use crate::document::Document;
use crate::outline::Space;

/// Types of tokens in the order of their numbers.
const TYPES: [SemanticTokenType; 10] = [
    SemanticTokenType::COMMENT,
    SemanticTokenType::STRING,
    SemanticTokenType::MACRO,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::NUMBER,
    SemanticTokenType::TYPE,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::OPERATOR,
];

/// Returns the legend of the numbers.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: Vec::new() }
}

/// Returns the number of a kind; `None` for a kind that an editor does not colour.
fn number(kind: TokenKind) -> Option<u32> {
    Some(match kind {
        TokenKind::Comment => 0,
        TokenKind::String => 1,
        TokenKind::Directive => 2,
        TokenKind::Mnemonic => 3,
        TokenKind::Modifier => 4,
        TokenKind::Variable => 5,
        TokenKind::Number => 6,
        TokenKind::Type => 7,
        TokenKind::Label => 8,
        TokenKind::Region => 9,
        TokenKind::Blank | TokenKind::Punctuation | TokenKind::Unknown => return None,
    })
}

/// Returns the tokens in a range of lines.
pub fn tokens(document: &Document, lines: Range<usize>) -> SemanticTokens {
    let mut data = Vec::new();
    let (mut last_line, mut last_column) = (0, 0);
    let outline = document.outline();
    let first = document.chunk_of_line(lines.start);
    for (at, chunk) in document.chunks().iter().enumerate().skip(first) {
        let line = document.first_line(at);
        if line >= lines.end {
            break;
        }
        for token in &chunk.tokens {
            let declared = || {
                let one = &outline.declarations[outline.at_token(chunk, at, token)?];
                Some(if one.space == Space::Variable { TokenKind::Variable } else { TokenKind::Label })
            };
            // A chunk alone does not show which words are declared.
            let kind = match token.kind {
                TokenKind::Label | TokenKind::Variable | TokenKind::Modifier => declared().unwrap_or(token.kind),
                kind => kind,
            };
            let Some(token_type) = number(kind) else { continue };
            // A token of several lines is a token for each line.
            for (inner, start) in chunk.lines.iter().copied().enumerate() {
                let end = chunk.lines.get(inner + 1).copied().unwrap_or(chunk.text.len());
                let (from, to) = (token.range().start.max(start), token.range().end.min(end));
                if from >= to || !lines.contains(&(line + inner)) {
                    continue;
                }
                let text = chunk.text[from..to].trim_end_matches(['\n', '\r']);
                let (row, column) = (line + inner, document.width(&chunk.text[start..from]));
                let delta_line = row - last_line;
                let delta_start = if delta_line == 0 { column - last_column } else { column };
                let length = document.width(text);
                if length > 0 {
                    let delta_line = u32::try_from(delta_line).unwrap_or(u32::MAX);
                    data.push(SemanticToken {
                        delta_line,
                        delta_start,
                        length,
                        token_type,
                        token_modifiers_bitset: 0,
                    });
                    (last_line, last_column) = (row, column);
                }
            }
        }
    }
    SemanticTokens { result_id: None, data }
}

/// Returns the edit that turns old tokens into new ones: one replacement between the equal
/// beginning and the equal end.
pub fn delta(old: &[SemanticToken], new: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (gone, put) = (old.len() - head - tail, &new[head..new.len() - tail]);
    if gone == 0 && put.is_empty() {
        return Vec::new();
    }
    // The protocol counts integers, five for each token.
    let count = |tokens: usize| u32::try_from(tokens * 5).unwrap_or(u32::MAX);
    vec![SemanticTokensEdit { start: count(head), delete_count: count(gone), data: Some(put.to_vec()) }]
}
