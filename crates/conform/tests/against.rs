//! Statements for other assemblers: their verdicts, paths and forms in text revisions.

use std::sync::OnceLock;

use visakit::isa::Platform;
use visakit_codegen::model::Model;
use visakit_conform::against::{Asked, asked};
use visakit_conform::own_model;

fn statements(page: &str) -> Vec<Asked> {
    static MODEL: OnceLock<Model> = OnceLock::new();
    let model = MODEL.get_or_init(|| own_model().0);
    asked(model, Platform::Skl, &|name| name == page).unwrap()
}

#[test]
fn bases_keep_the_conditions() {
    for page in ["ADD", "SAMPLE", "LOAD", "SAMPLE_UNORM", "MEDIA_LD", "TYPED_ATOMIC"] {
        let all = statements(page);
        let base = all.iter().find(|one| one.path == format!("{page}.base")).unwrap();
        assert_eq!(base.refused, None, "{}", base.statement);
        assert!(all.iter().any(|one| one.refused.is_some()), "{page}");
    }
}

#[test]
fn declarations_decide_too() {
    let all = statements("MOV");
    let boolean = |one: &&Asked| one.declarations.iter().any(|line| line.contains("type=bool"));
    assert!(all.iter().filter(boolean).count() > 2);
    assert!(all.iter().filter(boolean).all(|one| one.refused.is_some()));
}

#[test]
fn paths_begin_with_the_page() {
    let all = statements("RT_READ");
    assert!(all.iter().all(|one| one.path.starts_with("RT_READ.")));
    assert!(all.iter().any(|one| one.path == "RT_READ.Exec_mask.0b0001" && one.file.ends_with("lists.md")));
}

#[test]
fn statements_have_forms_of_text_revisions() {
    let all = statements("3D_LOAD");
    let base = all.iter().find(|one| one.path == "3D_LOAD.base").unwrap();
    let newer: Vec<u32> = base.revisions().collect();
    let newest = base.in_revision(*newer.first().unwrap());
    assert_ne!(newest.statement, base.statement);
    assert!(newest.statement.contains(" %null.0 ") && !base.statement.contains("%null"), "{}", newest.statement);
    assert_eq!(base.in_revision(0), *base);
    // The vendor's printer loses the guard of a typed message.
    let typed = statements("GATHER4_TYPED").into_iter().find(|one| one.path == "GATHER4_TYPED.base").unwrap();
    assert_eq!(typed.statement, format!("(P1) {}", typed.printed));
}
