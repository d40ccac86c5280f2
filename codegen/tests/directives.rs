//! An edit of the chapter of assembly text changes the generated spellings and keys, from which
//! parser and printer work, or is an error at its place.

use visakit_codegen::model::Page;
use visakit_diag::has_errors;

const CHAPTER: &str = "8_assembly_text.md";

/// Returns the pages with edits of the chapter.
fn edited(edits: &[(&str, &str)]) -> Vec<Page> {
    let (mut pages, _) = visakit_codegen::load(&visakit_testing::root().join("spec")).unwrap();
    let chapter = pages.iter_mut().find(|page| page.path == CHAPTER).unwrap();
    for (old, new) in edits {
        assert!(chapter.text.contains(old), "{old}");
        chapter.text = chapter.text.replacen(old, new, 1);
    }
    pages
}

/// Returns the generated lists after edits, without blanks.
fn lists(edits: &[(&str, &str)]) -> String {
    let (model, findings) = visakit_codegen::read_texts(edited(edits));
    assert!(!has_errors(&findings), "{findings:#?}");
    let files = visakit_codegen::emit(&model);
    let lists = files.iter().find(|file| file.name == "lists.rs").unwrap();
    lists.tokens.to_string().replace(char::is_whitespace, "")
}

#[test]
fn spellings_follow_the_chapter() {
    assert!(lists(&[]).contains("Self::KeyElements=>\"num_elts\""));
    assert!(lists(&[("\"num_elts\"", "\"count\"")]).contains("Self::KeyElements=>\"count\""));
    assert!(lists(&[("\".decl\"", "\".declare\"")]).contains("Self::DeclLine=>\".declare\""));
    assert!(lists(&[("\"G\"", "\"R\"")]).contains("Self::GeneralClass=>\"R\""));
}

#[test]
fn keys_and_their_order_follow_the_chapter() {
    let after = lists(&[("| key_alignment, key_alias,", "| key_alias, key_alignment,")]);
    assert!(after.contains("&[TextKey::KeyAlias,TextKey::KeyAlignment,TextKey::KeyString,TextKey::KeyAttributes]"));
    let after = lists(&[("| key_type, key_elements | key_alignment,", "| key_type, key_elements, key_alignment |")]);
    assert!(after.contains("&[TextKey::KeyType,TextKey::KeyElements,TextKey::KeyAlignment]"));
    // A key without code that reads and prints it: the matches on the keys are exhaustive.
    let after = lists(&[(
        "| 11 | key_linkage |",
        "| 12 | key_lifetime | \"lifetime\" | no | number_content | word_value | - | a new key |\n| 11 | key_linkage |",
    )]);
    assert!(after.contains("Self::KeyLifetime=>\"lifetime\""));
}

#[test]
fn forms_defaults_and_revisions_follow_the_chapter() {
    let edits = [
        // The form of a value, and of an argument.
        (
            "\"size\" | no | number_content | word_value",
            "\"size\" | no | number_content | decimal_value",
            "Self::KeyString|Self::KeySize=>TextValue::DecimalValue",
        ),
        (
            "\".string\" | yes | name_content | quoted_argument",
            "\".string\" | yes | name_content | name_argument",
            "Self::FunctionLine|Self::StringLine=>TextArgument::NameArgument",
        ),
        // Another form of two numbers; the bounds of a form.
        (
            "pair_content | numbers_argument",
            "pair_content | version_argument",
            "Self::VersionLine|Self::UseVariableLine=>TextArgument::VersionArgument",
        ),
        ("| 0 | 65535 |", "| 0 | 255 |", "Self::WordValue=>Some(255)"),
        // Keys before the required ones, the instruction of a directive, and braces.
        (
            "| key_offset | key_size | key_attributes |",
            "| - | key_size | key_attributes |",
            "fnleading(self)->&'static[TextKey]{matchself{Self::VersionLine|Self::KernelLine|Self::GlobalFunctionLine|Self::FuncdeclLine|Self::DeclLine|Self::InputLine|Self::ParameterLine",
        ),
        ("| LOC | an older", "| LIFETIME | an older", "Self::LocLine=>Some(TextDirectiveOperandsOf::Lifetime)"),
        ("| block_end | \"}\"", "| block_end | \"]\"", "Self::BlockEnd=>\"]\""),
        ("\"vme\"", "\"vmx\"", "Self::WithdrawnVme=>\"vmx\""),
        ("| \"NoMask\" | M1_NM |", "| \"NoMask\" | M2_NM |", "Self::OlderNoMask=>ExecMask::M2Nm"),
        // A default value, which becomes another one or none.
        ("alignment_value | 0", "alignment_value | 2", "Self::KeyAlignment=>Some(2)"),
        (
            "signed_word_value | 0",
            "signed_word_value | -",
            "Self::KeyString|Self::KeyOffset|Self::KeySize|Self::KeyKind",
        ),
        // An older spelling, and its alignment.
        ("\"2GRF\"", "\"TwoGRF\"", "Self::OlderRegisterPair=>\"TwoGRF\""),
        ("| GRFx2 |", "| GRF |", "Self::OlderRegisterPair=>Alignment::Grf,"),
        // Texts of a revision, comments and names by number.
        ("| 2 | - | igc, compiler", "| 3 | - | igc, compiler", "Self::Revision202604=>Some(3)"),
        ("| 0 | revision_2022 | - | 21 |", "| 0 | revision_2022 | - | 20 |", "Self::Revision2022=>Some(20)"),
        ("\"/// $\" | 80", "\"/// #\" | 60", "Self::NumberComment=>Some(60)"),
        ("\"A\" | A |", "\"A\" | D |", "Self::AddressClass=>DeclaredClassLetter::D"),
    ];
    let (plain, changed) = (lists(&[]), lists(&edits.map(|(old, new, _)| (old, new))));
    for (_, new, after) in edits {
        assert!(changed.contains(after) && !plain.contains(after), "{new}: {after}");
    }
}

/// Edits of the chapter that are errors: old and new words, the code of the finding, and a word of
/// its line.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    (
        "| key_offset, key_size | - | an argument",
        "| key_ofset, key_size | - | an argument",
        "column-cell",
        "key_ofset",
    ),
    (
        "\"size\" | no | number_content | word_value",
        "\"size\" | no | number_content | byte_value",
        "column-cell",
        "byte_value",
    ),
    ("| bytes_content | bytes_argument |", "| bytes_content | octets_argument |", "column-cell", "octets_argument"),
    (
        "| A | key_elements | key_string,",
        "| A | key_elements | key_elements, key_string,",
        "text-key",
        "address_class",
    ),
    ("\".use_function\"", "\".use_variable\"", "text-spelling", "use_function_line"),
    ("\"offset\"", "\"size\"", "text-spelling", "| 9 | key_size"),
    ("\"T\" | T", "\"S\" | T", "text-spelling", "surface_class"),
    ("\"2GRF\"", "\"GRFx2\"", "text-spelling", "older_register_pair"),
    // Defaults that their forms do not have: a code, a number, a count, a name.
    ("alignment_value | 0", "alignment_value | 12", "text-default", "alignment_value | 12"),
    (
        "\"size\" | no | number_content | word_value | -",
        "\"size\" | no | number_content | word_value | 65536",
        "text-default",
        "65536 | size",
    ),
    ("signed_word_value | 0", "signed_word_value | -32769", "text-default", "-32769"),
    ("attributes_value | 0", "attributes_value | 1", "text-default", "attributes_value | 1"),
    ("alias_value | 0", "alias_value | 1", "text-default", "alias_value | 1"),
    ("type_value | -", "type_value | 99", "text-default", "type_value | 99"),
    ("linkage_value | -", "linkage_value | 99", "text-default", "linkage_value | 99"),
    ("name_value | -", "name_value | 0", "text-default", "name_value | 0"),
    ("| 0 | 65535 | - |", "| 0 | 65535 | Data_tipe |", "text-default", "| 2 | word_value"),
    // Forms that cannot be read into the place of a directive or a key, from both sides.
    ("pair_content | version_argument", "pair_content | name_argument", "text-form", "version_line"),
    ("bytes_content | bytes_argument", "bytes_content | quoted_argument", "text-form", "code_line"),
    ("name_content | variable_argument", "pair_content | variable_argument", "text-form", "| decl_line"),
    ("number_content | signed_word_value", "number_content | type_value", "text-form", "| 8 | key_offset"),
    ("label_kind_content | label_kind_value |", "linkage_content | label_kind_value |", "text-form", "| key_kind |"),
    ("| linkage_value | linkage_content |", "| linkage_value | name_content |", "text-form", "| key_linkage |"),
    ("| FILE | an older", "| FILES | an older", "text-instruction", "file_line"),
    ("| block_begin | \"{\"", "| block_begin | \"begin\"", "text-spelling", "block_begin"),
    ("\"endif\"", "\"else\"", "text-spelling", "withdrawn_endif"),
    ("\"NoMask\"", "\"M2\"", "text-spelling", "older_no_mask"),
    (
        "| key_offset | key_size | key_attributes |",
        "| key_size | key_size | key_attributes |",
        "text-key",
        "parameter_line",
    ),
];

#[test]
fn mistakes_are_errors_at_their_places() {
    for &(old, new, code, line) in MISTAKES {
        let (model, findings) = visakit_codegen::read_texts(edited(&[(old, new)]));
        let found: Vec<_> = findings.iter().filter(|one| one.code == code).collect();
        let [found] = found.as_slice() else { panic!("{new}: {findings:#?}") };
        let page = model.pages.iter().find(|page| page.path == CHAPTER).unwrap();
        let line = page.text.lines().position(|one| one.contains(line)).unwrap() + 1;
        assert!(found.line as usize == line && found.file.ends_with(CHAPTER), "{line}: {found:?}");
    }
    // Templates and columns of other pages name the month that the chapter lacks.
    let (_, findings) = visakit_codegen::read_texts(edited(&[("| 202505 |", "| 202506 |")]));
    assert!(
        findings.iter().any(|one| one.code == "text-revision" && one.file.ends_with("lists.md")),
        "{findings:#?}"
    );
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
