//! An edit of the chapter of assembly text changes the generated spellings and keys, from which
//! parser and printer work, or is an error at its place.

use visakit_codegen::model::Page;
use visakit_diag::has_errors;

const CHAPTER: &str = "8_assembly_text.md";

/// Returns the pages with one edit of the chapter.
fn edited(old: &str, new: &str) -> Vec<Page> {
    let (mut pages, _) = visakit_codegen::load(&visakit_testing::root().join("spec")).unwrap();
    let chapter = pages.iter_mut().find(|page| page.path == CHAPTER).unwrap();
    assert!(chapter.text.contains(old), "{old}");
    chapter.text = chapter.text.replacen(old, new, 1);
    pages
}

/// Returns the generated lists after an edit, without blanks.
fn lists(old: &str, new: &str) -> String {
    let (model, findings) = visakit_codegen::read_texts(edited(old, new));
    assert!(!has_errors(&findings), "{findings:#?}");
    let files = visakit_codegen::emit(&model);
    let lists = files.iter().find(|file| file.name == "lists.rs").unwrap();
    lists.tokens.to_string().replace(char::is_whitespace, "")
}

#[test]
fn spellings_follow_the_chapter() {
    assert!(lists("", "").contains("Self::KeyElements=>\"num_elts\""));
    assert!(lists("\"num_elts\"", "\"count\"").contains("Self::KeyElements=>\"count\""));
    assert!(lists("\".decl\"", "\".declare\"").contains("Self::DeclLine=>\".declare\""));
    assert!(lists("\"G\"", "\"R\"").contains("Self::GeneralClass=>\"R\""));
}

#[test]
fn keys_and_their_order_follow_the_chapter() {
    let after = lists("| key_alignment, key_alias,", "| key_alias, key_alignment,");
    assert!(after.contains("&[TextKey::KeyAlias,TextKey::KeyAlignment,TextKey::KeyString,TextKey::KeyAttributes]"));
    let after = lists("| key_type, key_elements | key_alignment,", "| key_type, key_elements, key_alignment |");
    assert!(after.contains("&[TextKey::KeyType,TextKey::KeyElements,TextKey::KeyAlignment]"));
    // A key without code that reads and prints it: the matches on the keys are exhaustive.
    let after =
        lists("| 11 | key_linkage |", "| 12 | key_lifetime | \"lifetime\" | a new key |\n| 11 | key_linkage |");
    assert!(after.contains("Self::KeyLifetime=>\"lifetime\""));
}

#[test]
fn an_unknown_key_is_an_error_at_its_place() {
    let (model, findings) = visakit_codegen::read_texts(edited(
        "| key_offset, key_size | an argument",
        "| key_ofset, key_size | an argument",
    ));
    let found: Vec<_> = findings.iter().filter(|one| one.code == "column-cell").collect();
    let [found] = found.as_slice() else { panic!("{findings:#?}") };
    let line = model.pages.iter().find(|page| page.path == CHAPTER).unwrap();
    let line = line.text.lines().position(|line| line.contains("key_ofset")).unwrap() + 1;
    assert_eq!(found.line as usize, line, "{found:?}");
    assert!(found.message.contains("`key_ofset`"), "{found:?}");
}

#[test]
fn an_instruction_with_a_label_has_one_group_of_control_flow() {
    let (pages, files) = visakit_codegen::load(&visakit_testing::root().join("spec")).unwrap();
    for (old, new, name) in
        [("| JMP, SWITCHJMP |", "| JMP |", "SWITCHJMP"), ("| CALL | enters", "| CALL, GOTO | enters", "GOTO")]
    {
        let mut pages = pages.clone();
        let roles = pages.iter_mut().find(|page| page.path == "roles.md").unwrap();
        assert!(roles.text.contains(old), "{old}");
        roles.text = roles.text.replacen(old, new, 1);
        let (_, findings) = visakit_codegen::read_placed(pages, Some(files.clone()));
        let found: Vec<_> = findings.iter().filter(|one| one.code == "group-missing").collect();
        let [found] = found.as_slice() else { panic!("{findings:#?}") };
        assert!(found.file.ends_with(&format!("{name}.md")) && found.message.starts_with(name), "{found:?}");
    }
}
