//! Requests about assembly texts.

use std::collections::HashMap;

use lsp_types::request as lsp;
use lsp_types::{
    CompletionList, CompletionResponse, DocumentHighlight, DocumentSymbolResponse, GotoDefinitionResponse, Hover,
    HoverContents, Location, MarkupContent, MarkupKind, PrepareRenameResponse, SemanticTokensDelta,
    SemanticTokensFullDeltaResult, SemanticTokensRangeResult, SemanticTokensResult, Uri, WorkspaceEdit,
};

use crate::state::{Failure, State, requested};
use crate::{colour, complete, format, hover, names, shape};

type Answer<R> = Result<<R as lsp::Request>::Result, Failure>;

/// Returns Markdown as the content of a hover.
pub(crate) fn markdown(value: String, range: lsp_types::Range) -> Hover {
    Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range: Some(range) }
}

pub(crate) fn hover(state: &mut State, uri: &Uri, params: &lsp_types::HoverParams) -> Answer<lsp::HoverRequest> {
    let document = state.document(uri)?;
    let position = params.text_document_position_params.position;
    let found = hover::hover(&document, position, state.platform_of(&document));
    Ok(found.map(|(text, range)| markdown(text, range)))
}

pub(crate) fn completion(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::CompletionParams,
) -> Answer<lsp::Completion> {
    let document = state.document(uri)?;
    let position = params.text_document_position.position;
    let items = complete::complete(&document, position, state.platform_of(&document));
    Ok(Some(CompletionResponse::List(CompletionList { is_incomplete: false, items })))
}

pub(crate) fn definition(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::GotoDefinitionParams,
) -> Answer<lsp::GotoDefinition> {
    let document = state.document(uri)?;
    let found = names::definition(&document, params.text_document_position_params.position);
    Ok(found.map(GotoDefinitionResponse::Scalar))
}

pub(crate) fn references(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::ReferenceParams,
) -> Answer<lsp::References> {
    let document = state.document(uri)?;
    let position = params.text_document_position.position;
    let ranges = names::references(&document, position, params.context.include_declaration);
    Ok(ranges.map(|ranges| ranges.into_iter().map(|range| Location::new(uri.clone(), range)).collect()))
}

pub(crate) fn highlight(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::DocumentHighlightParams,
) -> Answer<lsp::DocumentHighlightRequest> {
    let document = state.document(uri)?;
    let ranges = names::references(&document, params.text_document_position_params.position, true);
    Ok(ranges.map(|ranges| ranges.into_iter().map(|range| DocumentHighlight { range, kind: None }).collect()))
}

pub(crate) fn prepare_rename(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::TextDocumentPositionParams,
) -> Answer<lsp::PrepareRenameRequest> {
    let document = state.document(uri)?;
    let range = names::prepare_rename(&document, params.position).map_err(Failure::refused)?;
    Ok(Some(PrepareRenameResponse::Range(range)))
}

#[expect(clippy::mutable_key_type, reason = "the protocol's type of an edit has addresses as keys")]
pub(crate) fn rename(state: &mut State, uri: &Uri, params: &lsp_types::RenameParams) -> Answer<lsp::Rename> {
    let document = state.document(uri)?;
    let position = params.text_document_position.position;
    let edits = names::rename(&document, position, &params.new_name).map_err(Failure::refused)?;
    let changes = HashMap::from([(uri.clone(), edits)]);
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}

pub(crate) fn symbols(
    state: &mut State,
    uri: &Uri,
    _: &lsp_types::DocumentSymbolParams,
) -> Answer<lsp::DocumentSymbolRequest> {
    let document = state.document(uri)?;
    Ok(Some(DocumentSymbolResponse::Nested(shape::symbols(&document))))
}

pub(crate) fn folding(
    state: &mut State,
    uri: &Uri,
    _: &lsp_types::FoldingRangeParams,
) -> Answer<lsp::FoldingRangeRequest> {
    Ok(Some(shape::folding(&*state.document(uri)?)))
}

pub(crate) fn hints(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::InlayHintParams,
) -> Answer<lsp::InlayHintRequest> {
    Ok(Some(shape::hints(&*state.document(uri)?, params.range)))
}

pub(crate) fn formatting(
    state: &mut State,
    uri: &Uri,
    _: &lsp_types::DocumentFormattingParams,
) -> Answer<lsp::Formatting> {
    let document = state.document(uri)?;
    Ok(Some(format::format(&document, 0..document.line_count())))
}

pub(crate) fn range_formatting(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::DocumentRangeFormattingParams,
) -> Answer<lsp::RangeFormatting> {
    Ok(Some(format::format(&*state.document(uri)?, requested(params.range))))
}

pub(crate) fn colours(
    state: &mut State,
    uri: &Uri,
    _: &lsp_types::SemanticTokensParams,
) -> Answer<lsp::SemanticTokensFullRequest> {
    let document = state.document(uri)?;
    let mut tokens = colour::tokens(&document, 0..document.line_count());
    tokens.result_id = Some(state.keep_colours(uri, tokens.data.clone()));
    Ok(Some(SemanticTokensResult::Tokens(tokens)))
}

pub(crate) fn colour_delta(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::SemanticTokensDeltaParams,
) -> Answer<lsp::SemanticTokensFullDeltaRequest> {
    let document = state.document(uri)?;
    let mut tokens = colour::tokens(&document, 0..document.line_count());
    let old = state.kept_colours(uri, &params.previous_result_id);
    let edits = old.map(|old| colour::delta(&old, &tokens.data));
    let result_id = Some(state.keep_colours(uri, tokens.data.clone()));
    Ok(Some(match edits {
        Some(edits) => SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta { result_id, edits }),
        None => {
            tokens.result_id = result_id;
            SemanticTokensFullDeltaResult::Tokens(tokens)
        }
    }))
}

pub(crate) fn colour_range(
    state: &mut State,
    uri: &Uri,
    params: &lsp_types::SemanticTokensRangeParams,
) -> Answer<lsp::SemanticTokensRangeRequest> {
    let document = state.document(uri)?;
    Ok(Some(SemanticTokensRangeResult::Tokens(colour::tokens(&document, requested(params.range)))))
}
