//! Golden facts of the pages: a change of a page is reviewed as a change of
//! `tests/golden/model.txt`.

use visakit::isa::{Instruction, PAGES};
use visakit_diag::Severity;

#[test]
fn golden_model() {
    let (model, _) = visakit_codegen::read_dir(&visakit_testing::root().join("spec")).unwrap();
    visakit_testing::golden(&visakit_testing::root().join("tests/golden/model.txt"), &visakit_codegen::facts(&model));
}

#[test]
fn our_pages_have_no_findings() {
    let (_, findings) = visakit_codegen::read_dir(&visakit_testing::root().join("spec")).unwrap();
    let text: Vec<_> = findings.iter().map(|d| d.one_line()).collect();
    assert!(text.is_empty(), "{}", text.join("\n"));
}

/// Equal pages emit equal text.
#[test]
fn emission_is_deterministic() {
    let emit = || -> Vec<String> {
        let (model, _) = visakit_codegen::read_dir(&visakit_testing::root().join("spec")).unwrap();
        visakit_codegen::emit(&model).iter().map(|f| f.tokens.to_string()).collect()
    };
    assert_eq!(emit(), emit());
}

/// Every ordinary page has an instruction, and every instruction has a page.
#[test]
fn every_page_has_an_instruction() {
    use visakit::rt::reflect::PageKind;
    let samples = Instruction::samples();
    for page in PAGES {
        let found = samples.iter().any(|i| i.page().name == page.name);
        let encodes = matches!(page.kind, PageKind::Ordinary | PageKind::Undefined);
        assert_eq!(found, encodes, "{}", page.name);
    }
}

/// The vendor's documents are read completely, despite their mistakes.
#[test]
fn vendor_documents_are_read() {
    let Some(dir) = visakit_testing::upstream("vendor_documents_are_read") else { return };
    for (revision, pages) in [("2022-12", 125), ("2025-02", 127)] {
        let (model, findings) = visakit_codegen::read_dir(&dir.join(revision)).unwrap();
        assert_eq!(model.instructions.len(), pages, "{revision}");
        assert_eq!(model.types.len(), 16, "{revision}");
        assert!(findings.iter().all(|d| d.line > 0 && !d.quote.is_empty() || d.file.ends_with("SVM.md")));
    }
}

/// The five original documents of the project are read unchanged.
#[test]
fn seeds_are_read() {
    let Some(dir) = visakit_testing::shared("seeds_are_read", "VISAKIT_SEEDS") else { return };
    let expected = [
        ("SCATTER", 0x3a, None, 6),
        ("SVM_SCATTER4_SCALED", 0x4e, Some(0x07), 7),
        ("SCATTER", 0x3a, None, 6),
        ("GATHER", 0x39, None, 7),
        ("OWORD_ST", 0x36, None, 4),
    ];
    let files = visakit_testing::files(&dir, "txt");
    assert_eq!(files.len(), expected.len());
    for (path, (name, opcode, sub_opcode, fields)) in files.iter().zip(expected) {
        let text = std::fs::read_to_string(path).unwrap();
        let (model, findings) = visakit_codegen::read_files(vec![(path.display().to_string(), text)]);
        let [i] = model.instructions.as_slice() else { panic!("{}: one instruction", path.display()) };
        assert_eq!((i.name.as_str(), i.opcode, i.sub_opcode), (name, opcode, sub_opcode));
        assert_eq!(i.forms[0].fields.len(), fields, "{name}: all columns of the table, also those beyond its head");
        assert_eq!(i.text.len(), 1, "{name}");
        assert!(findings.iter().all(|d| d.severity == Severity::Warning), "{name}: {findings:?}");
        assert!(!findings.is_empty(), "{name}: what is not used is reported");
    }
}
