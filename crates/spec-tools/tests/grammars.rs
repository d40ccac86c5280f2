//! The grammars of `editors/` are those that the pages define, and follow a changed page.

use visakit_codegen::model::{Model, Page};
use visakit_spec_tools::grammars::{Grammar, generate};
use visakit_testing::root;

/// Folder of each grammar.
const FOLDERS: [(Grammar, &str); 2] =
    [(Grammar::TextMate, "editors/vscode/syntaxes"), (Grammar::TreeSitter, "editors/tree-sitter-visaasm")];

fn pages() -> Vec<Page> {
    visakit_codegen::load(&root().join("spec")).unwrap().0
}

fn model(pages: Vec<Page>) -> Model {
    let (model, findings) = visakit_codegen::read_texts(pages);
    assert!(!visakit_diag::has_errors(&findings), "{findings:#?}");
    model
}

/// Accept a change with `cargo bless`.
#[test]
fn committed_grammars_are_current() {
    let model = model(pages());
    for (grammar, folder) in FOLDERS {
        for (name, text) in generate(&model, grammar) {
            let file = root().join(folder).join(name);
            if std::env::var_os("BLESS").is_some() {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(&file, &text).unwrap();
            }
            let committed = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(committed == text, "{} is not current; run `cargo bless`", file.display());
        }
    }
}

#[test]
fn every_mnemonic_and_type_is_in_each_grammar() {
    let model = model(pages());
    for (grammar, _) in FOLDERS {
        let text: String = generate(&model, grammar).into_iter().map(|(_, text)| text).collect();
        // In JSON, a backslash before a special character is written twice.
        let plain = text.replace('\\', "");
        for word in visakit_codegen::mnemonics(&model).keys() {
            assert!(plain.contains(word.as_str()), "{grammar:?}: {word}");
        }
        for ty in &model.types {
            assert!(plain.contains(&ty.name.to_ascii_lowercase()), "{grammar:?}: {}", ty.name);
        }
    }
}

#[test]
fn a_changed_page_changes_the_grammars() {
    let before = model(pages());
    let mut edited = pages();
    let page = edited.iter_mut().find(|page| page.path == "instructions/ADD.md").unwrap();
    assert!(page.text.contains("ADD[.sat]"));
    page.text = page.text.replace("ADD[.sat]", "FROBNICATE[.sat]");
    let chapter = edited.iter_mut().find(|page| page.text.contains("\".decl\"")).unwrap();
    chapter.text = chapter.text.replace("\".decl\"", "\".declare\"");
    let after = model(edited);
    for (grammar, _) in FOLDERS {
        let text = |model| generate(model, grammar).into_iter().map(|(_, text)| text).collect::<String>();
        assert!(!text(&before).contains("frobnicate") && text(&after).contains("frobnicate"));
        assert!(!text(&before).contains(".declare") && text(&after).contains(".declare"));
    }
}
