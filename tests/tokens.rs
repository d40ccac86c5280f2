//! Tokens for syntax colouring: they cover every text, and their kinds agree with the parser.

use std::collections::BTreeSet;
use std::path::PathBuf;

use arbtest::arbtest;
use visakit::isa::Instruction;
use visakit::object::{Object, Routine};
use visakit::rt::{Names, Table};
use visakit::text::{Options, RoutineNames, Style, TokenKind, parse, print, tokens};

/// Checks that the ranges cover the text, and returns the texts of each kind.
fn covered(text: &str) -> Vec<(TokenKind, &str)> {
    let (mut at, mut out) = (0, Vec::new());
    for token in tokens(text) {
        assert_eq!(token.range.start, at, "a gap in {text:?}");
        assert!(token.range.end > at, "an empty token at {at} in {text:?}");
        at = token.range.end;
        out.push((token.kind, &text[token.range]));
    }
    assert_eq!(at, text.len(), "{text:?}");
    out
}

fn of<'t>(all: &[(TokenKind, &'t str)], kind: TokenKind) -> Vec<&'t str> {
    all.iter().filter(|(k, _)| *k == kind).map(|(_, text)| *text).collect()
}

/// Returns all texts of the repository, and those of the shared folder if present.
fn texts() -> Vec<(String, String)> {
    let mut folders = vec![visakit_testing::root().join("tests/vectors/single")];
    if let Some(shared) = visakit_testing::shared("tokens", "VISAKIT_VECTORS") {
        folders.push(shared.join("single"));
        folders.extend(std::fs::read_dir(shared.join("public")).unwrap().map(|entry| entry.unwrap().path()));
    }
    let files = folders.iter().flat_map(|folder| visakit_testing::files(folder, "visaasm"));
    let read = |file: PathBuf| (file.display().to_string(), std::fs::read_to_string(&file).unwrap());
    let mut all: Vec<_> = files.map(read).collect();
    all.extend(visakit_testing::compiled_texts().into_iter().map(|(name, _, text)| (name, text)));
    assert!(all.len() > 100, "{} texts", all.len());
    all
}

/// Returns the names of a routine's tables.
fn names(routine: &Routine, style: Style, tables: &[(Table, usize)]) -> BTreeSet<String> {
    let names = RoutineNames::new(routine, visakit::rt::Version::new(4, 1), 32, style);
    let all = tables.iter().flat_map(|(table, count)| (0..*count + 64).map(|id| (*table, id as u32)));
    all.filter_map(|(table, id)| names.name(table, id).map(Into::into)).collect()
}

/// Compares the kinds with the routine that the text was printed from.
fn agrees(name: &str, routine: &Routine, style: Style, text: &str) {
    let all = covered(text);
    assert_eq!(of(&all, TokenKind::Unknown), [""; 0], "{name}");
    let code = routine.instructions.iter().filter(|i| !is_marker(i));
    assert_eq!(of(&all, TokenKind::Mnemonic).len(), code.count(), "{name}: mnemonics");
    let tables = [
        (Table::General, routine.variables.len()),
        (Table::Address, routine.addresses.len()),
        (Table::Predicate, routine.predicates.len()),
        (Table::Sampler, routine.samplers.len()),
        (Table::Surface, routine.surfaces.len()),
    ];
    let variables = names(routine, style, &tables);
    for variable in of(&all, TokenKind::Variable) {
        assert!(variables.contains(variable), "{name}: `{variable}` is no variable");
    }
    // Labels, and routines that are called by name.
    let called = routine.strings.iter().map(|s| s.to_text());
    let labels: BTreeSet<_> =
        names(routine, style, &[(Table::Label, routine.labels.len())]).into_iter().chain(called).collect();
    for label in of(&all, TokenKind::Label) {
        assert!(labels.contains(label), "{name}: `{label}` is no label");
    }
    for modifier in of(&all, TokenKind::Modifier) {
        assert!(
            !variables.contains(modifier) || routine.strings.iter().any(|s| s.to_text() == modifier),
            "{name}: `{modifier}` is a variable"
        );
    }
}

/// Returns true for instructions that are no statement with a mnemonic.
fn is_marker(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Label(_) | Instruction::Subroutine(_))
}

#[test]
fn kinds_agree_with_the_parser() {
    let mut count = 0;
    for (name, text) in texts() {
        covered(&text);
        let Ok(parsed) = parse(&text, Options { file: name.clone(), platform: None }) else { continue };
        let object = parsed.into_object();
        for routine in object.routines() {
            let full = print(&object, routine, None, Style::Full);
            agrees(&name, routine, Style::Full, &full);
            agrees(&name, routine, Style::Vendor, &print(&object, routine, None, Style::Vendor));
            count += 1;
        }
    }
    assert!(count > 100, "{count} routines");
}

#[test]
fn objects_agree_with_their_texts() {
    let Some(shared) = visakit_testing::shared("objects_agree_with_their_texts", "VISAKIT_VECTORS") else { return };
    for entry in std::fs::read_dir(shared.join("public")).unwrap() {
        let file = entry.unwrap().path().join("object.isa");
        let object = Object::decode(&std::fs::read(&file).unwrap()).unwrap();
        for routine in object.routines() {
            let text = print(&object, routine, None, Style::Vendor);
            agrees(&file.display().to_string(), routine, Style::Vendor, &text);
        }
    }
}

#[test]
fn every_text_is_covered() {
    arbtest(|u| {
        let pieces = [
            "add", ".decl", "\"", "/*", "*/", "//", "\n", " ", "<", ">", "(", ")", ":ud", ".", "0x1f", "%", "-",
            "\\", "é", "V32", "1e",
        ];
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=40)? {
            text.push_str(u.choose(&pieces)?);
        }
        covered(&text);
        Ok(())
    });
    arbtest(|u| {
        covered(&String::from_utf8_lossy(u.peek_bytes(u.len()).unwrap_or_default()));
        Ok(())
    });
}

/// Formats each token but blanks: punctuation as it stands, other tokens with their kinds.
fn shown(text: &str) -> String {
    let shown = |(kind, text): (TokenKind, &str)| match kind {
        TokenKind::Blank => String::new(),
        TokenKind::Punctuation => format!(" {text}"),
        _ => format!(" {kind:?}:{text}"),
    };
    covered(text).into_iter().map(shown).collect::<String>().trim_start().to_owned()
}

/// Each kind of token, as its documentation describes it.
#[test]
fn kinds() {
    for (text, expected) in [
        (
            "(!P1.any) mul.sat (M1_NM, 16) V32(0,0)<1> (-abs)%a0.32 -1.5e-3:f // end",
            "( ! Variable:P1 Modifier:.any ) Mnemonic:mul Modifier:.sat ( Modifier:M1_NM , Number:16 ) \
             Variable:V32 ( Number:0 , Number:0 ) Region:<1> ( - Modifier:abs ) Variable:%a0 . Number:32 \
             Number:-1.5e-3 : Type:f Comment:// end",
        ),
        (
            ".decl x v_type=G type=ud alias=<y, 4>",
            "Directive:.decl Variable:x Modifier:v_type = Modifier:G Modifier:type = Type:ud Modifier:alias = \
             < Variable:y , Number:4 >",
        ),
        (
            "next: /* a\n b */ goto (M1, 1) next",
            "Label:next : Comment:/* a\n b */ Mnemonic:goto ( Modifier:M1 , Number:1 ) Label:next",
        ),
        (
            ".kernel_attr SimdSize=16    ret (M1, 1)",
            "Directive:.kernel_attr Modifier:SimdSize = Number:16 Mnemonic:ret ( Modifier:M1 , Number:1 )",
        ),
        (
            "lsc_load.ugm.ca (M1, 8) V34:d32x2t flat[V38+0x10]:a64",
            "Mnemonic:lsc_load Modifier:.ugm Modifier:.ca ( Modifier:M1 , Number:8 ) Variable:V34 : Type:d32x2t \
             Modifier:flat [ Variable:V38 + Number:0x10 ] : Type:a64",
        ),
        (".unknown frobnicate\nfrobnicate x", "Unknown:.unknown Variable:frobnicate Unknown:frobnicate Variable:x"),
        (".kernel \"a\\\"b\" \"open", "Directive:.kernel String:\"a\\\"b\" String:\"open"),
    ] {
        assert_eq!(shown(text), expected);
    }
}
