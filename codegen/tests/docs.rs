//! Documentation of the emitted instructions.

use std::collections::BTreeMap;

use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta};
use visakit_codegen::Links;
use visakit_testing::root;

/// Documentation of a type: its lines, and its further search words.
#[derive(Default)]
struct Docs {
    lines: Vec<String>,
    aliases: Vec<String>,
}

fn string(expression: &Expr) -> String {
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = expression else { panic!("no string") };
    text.value()
}

fn docs(attributes: &[Attribute]) -> Docs {
    let mut docs = Docs::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        match &attribute.meta {
            Meta::NameValue(line) => docs.lines.push(string(&line.value).trim().to_owned()),
            Meta::List(_) => attribute
                .parse_nested_meta(|meta| {
                    assert!(meta.path.is_ident("alias"));
                    docs.aliases.push(string(&meta.value()?.parse()?));
                    Ok(())
                })
                .unwrap(),
            Meta::Path(_) => {}
        }
    }
    docs
}

/// Returns the documentation of the emitted instructions by type.
fn emitted(links: Option<Links<'_>>) -> (visakit_codegen::model::Model, BTreeMap<String, Docs>) {
    let (model, _) = visakit_codegen::read_dir(&root().join("spec")).unwrap();
    let files = visakit_codegen::emit_linked(&model, links);
    let file = files.into_iter().find(|file| file.name == "instructions.rs").unwrap();
    let mut found = BTreeMap::new();
    for item in syn::parse2::<syn::File>(file.tokens).unwrap().items {
        match item {
            Item::Struct(item) => drop(found.insert(item.ident.to_string(), docs(&item.attrs))),
            Item::Enum(item) => drop(found.insert(item.ident.to_string(), docs(&item.attrs))),
            _ => {}
        }
    }
    (model, found)
}

#[test]
fn instructions_have_their_facts() {
    let (model, docs) = emitted(Some(Links { pages: "PAGES", reference: "SITE" }));
    let mut seen = 0;
    for (name, docs) in docs.iter().filter(|(name, _)| *name != "Instruction") {
        let of = |label: &str| docs.lines.iter().find_map(|line| line.strip_prefix(label)).unwrap_or_default();
        let (opcode, page) = (of("- Opcode: `0x"), of("- Page: [`"));
        assert!(opcode.len() >= 3 && !of("- Platforms: ").is_empty(), "{name}: {:#?}", docs.lines);
        // The link leads to the line of the page that defines the opcode.
        let (path, rest) = page.split_once(':').unwrap_or_else(|| panic!("{name}: {:#?}", docs.lines));
        let line: usize = rest.split('`').next().unwrap().parse().unwrap();
        assert_eq!(rest, format!("{line}`](PAGES/{path}?plain=1#L{line})"));
        let reference = of("- Reference: [`");
        let (address, link) = reference.split_once("`](").unwrap_or_else(|| panic!("{name}: {:#?}", docs.lines));
        assert_eq!(link, format!("SITE/{address})"));
        assert!(address.starts_with("instructions/") && address.ends_with(".html"), "{address}");
        let text = std::fs::read_to_string(root().join("spec").join(path)).unwrap();
        let definition = text.lines().nth(line - 1).unwrap().to_lowercase();
        let code = format!("0x{}", opcode.trim_end_matches('`').split(" 0x").next().unwrap());
        let sub = opcode.trim_end_matches('`').split(" 0x").nth(1);
        // Pages of a family define the sub-opcode below the opcode.
        let is_there = definition.contains(&code) || sub.is_some_and(|sub| definition.contains(sub));
        assert!(is_there, "{name}: {definition}");
        seen += 1;
    }
    assert!(seen >= model.instructions.iter().filter(|i| !i.forms.is_empty()).count(), "{seen}");
}

#[test]
fn instructions_are_found_by_other_words() {
    let (_, docs) = emitted(None);
    let finds = |alias: &str, name: &str| docs[name].aliases.iter().any(|found| found == alias);
    assert!(finds("0x01", "Add") && finds("gather4_scaled", "Gather4Scaled"));
    assert!(!finds("add", "Add"), "the name itself needs no alias");
    let add = &docs["Add"].lines;
    assert!(
        add.iter().any(|line| line == "- Text: `[(<P>)] ADD[.sat] (<exec_size>) <dst> <src0> <src1>`"),
        "{add:#?}"
    );
    assert!(add.iter().any(|line| line == "let instruction = Instruction::from(Add::default());"), "{add:#?}");
    // Without addresses there is no link.
    assert!(!add.iter().any(|line| line.starts_with("- Reference:")), "{add:#?}");
    assert!(add.iter().any(|line| line == "- Page: `instructions/ADD.md:3`"), "{add:#?}");
}
