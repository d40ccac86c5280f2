//! Random edits of a document: incremental and full synchronisation agree.

mod common;

use arbtest::arbtest;
use common::noise::{byte, position, range, text};
use lsp_types::TextDocumentContentChangeEvent;
use visakit_lsp::document::Document;
use visakit_lsp::position::Encoding;

#[test]
fn incremental_and_full_synchronisation_agree() {
    let uri: lsp_types::Uri = "file:///k.visaasm".parse().unwrap();
    let mut edits = 0;
    arbtest(|u| {
        let encoding = *u.choose(&[Encoding::Utf8, Encoding::Utf16, Encoding::Utf32])?;
        let mut expected = text(u, 30)?;
        let mut document = Document::new(uri.clone(), 0, &expected, encoding);
        for version in 1..=u.int_in_range(1..=6)? {
            let (range, with) = (range(u)?, text(u, 4)?);
            let (a, b) = (byte(&expected, encoding, range.start), byte(&expected, encoding, range.end));
            expected.replace_range(a.min(b)..a.max(b), &with);
            let change = TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: with };
            document.apply(version, vec![change]);
            edits += 1;
            let whole = Document::new(uri.clone(), version, &expected, encoding);
            assert_eq!(document.text(), expected);
            assert_eq!(document.chunks(), whole.chunks(), "{expected:?}");
            assert_eq!((document.line_count(), document.whole()), (whole.line_count(), whole.whole()));
            let shapes = |one: &Document| format!("{:?} {:?}", one.outline().declarations, one.outline().blocks);
            assert_eq!(shapes(&document), shapes(&whole));
            // A position of a place names the same place again.
            let place = document.place(position(u)?);
            let again = document.place(document.position(place));
            assert_eq!(document.position(again), document.position(place), "{expected:?} {place:?}");
        }
        Ok(())
    })
    .budget_ms(4000);
    assert!(edits > 300, "{edits} edits");
}
