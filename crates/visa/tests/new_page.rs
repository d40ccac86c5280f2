//! Additions to the specification: a page for a new instruction in the vendor's format, and a row
//! for a new platform. The build provides everything for the instruction except a kernel, and runs
//! kernels on the platform. The test rebuilds the package, so it runs only if `VISAKIT_REQUIRE`
//! contains `build`.

#[path = "common/session.rs"]
mod session;

use std::path::Path;
use std::process::Command;

use serde_json::json;
use session::Session;

const FOO: &str = include_str!("../../../tests/pages/FOO.md");

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// Exit code, standard output and standard error of the command.
type Answer = (Option<i32>, String, String);

/// Edits of the chapter of directives: spellings, orders, forms, a default, bounds, braces and
/// older words. Texts of the vendor's compiler remain valid.
const EDITS: [(&str, &str); 14] = [
    ("\".funcdecl\" | no | name_content | quoted_argument", "\".declares\" | no | name_content | name_argument"),
    ("\"attrs\"", "\"properties\""),
    ("key_string, key_attributes | an address", "key_attributes, key_string | an address"),
    ("alignment_value | 0", "alignment_value | 2"),
    ("\"2GRF\"", "\"grf_pair\""),
    ("\"/// VISA Predefined Variables\"", "\"/// Predefined\""),
    ("/// $", "/// #"),
    (
        "pair_content | numbers_argument | - | - | - | - | the numbers of a variable",
        "pair_content | version_argument | - | - | - | - | the numbers of a variable",
    ),
    ("| key_offset | key_size | key_attributes |", "| - | key_size, key_offset | key_attributes |"),
    ("| 0 | 65535 |", "| 0 | 4095 |"),
    ("\".loc\" | no", "\".line\" | no"),
    ("| block_begin | \"{\"", "| block_begin | \"[\""),
    ("| block_end | \"}\"", "| block_end | \"]\""),
    ("\"vme\" |", "\"vmx\" |"),
];

fn edit_directives(spec: &Path) {
    let mut chapter = std::fs::read_to_string(spec.join("8_assembly_text.md")).unwrap();
    for (old, new) in EDITS {
        assert!(chapter.contains(old), "{old}");
        chapter = chapter.replacen(old, new, 1);
    }
    std::fs::write(spec.join("8_assembly_text.md"), chapter).unwrap();
}

/// Tests that directives and keys of texts follow the edited chapter, in parser and printer.
fn directives_follow_their_chapter(dir: &Path, visa: &dyn Fn(&[&str]) -> Answer) {
    let directives = ".version 4.1\n.kernel \"k\"\n.declares f\n\
                      .decl V32 v_type=G type=f num_elts=8 properties={Output}\n\
                      .decl V33 v_type=G type=f num_elts=8 align=grf_pair\n\
                      .decl V34 v_type=G type=f num_elts=8 align=byte\n\
                      .input V32 offset=64 size=32\n.use_variable 33.0\n    .line 5\n\
                      [\n    mov (M1, 8) V33(0,0)<1> 0x1:f ]\n    ret (M1, 1)\n";
    std::fs::write(dir.join("d.visaasm"), directives).unwrap();
    let (exit, _, errors) = visa(&["asm", "d.visaasm", "-o", "d.isa"]);
    assert_eq!(exit, Some(0), "{errors}");
    let (exit, printed, _) = visa(&["disasm", "--full", "d.isa"]);
    assert_eq!(exit, Some(0));
    for line in [
        ".decl V32 v_type=G type=f num_elts=8 properties={Output}\n",
        "/// Predefined\n",
        " align=GRFx2\n",
        ".decl V34 v_type=G type=f num_elts=8 align=byte\n",
        ".input V32 offset=64 size=32\n",
        ".use_variable 33.0\n",
        "    LOC 5\n",
        "/// #1\n",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    let refused = |old: &str, new: &str, line: u32, expected: &str| {
        std::fs::write(dir.join("d.visaasm"), directives.replace(old, new)).unwrap();
        let (exit, _, errors) = visa(&["asm", "d.visaasm", "-o", "d.isa"]);
        assert_eq!(exit, Some(1));
        assert!(errors.contains(&format!("d.visaasm:{line}:")) && errors.contains(expected), "{errors}");
    };
    refused("properties", "attrs", 4, "properties=");
    refused("num_elts=8 align=byte", "num_elts=4096", 6, "a number from 0 to 4095");
    refused(".input V32 offset=64 size=32", ".parameter V32 size=32", 7, "`offset=`");
    refused("    mov", "    vmx (M1, 8)\n    mov", 11, "was withdrawn");
}

/// Tests that the site, the grammars and the language server know the instruction.
fn readers_and_editors_know_it(dir: &Path, program: &Path, visa: &dyn Fn(&[&str]) -> Answer) {
    let written =
        |path: &str| std::fs::read_to_string(dir.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    for (arguments, files) in [
        (
            &["spec", "html", "-o", "site"][..],
            &[
                ("site/instructions/FOO.html", "<h1"),
                ("site/index.html", "instructions/FOO.html"),
                ("site/opcodes.html", "FOO"),
                ("site/words.html", ">foo</a>"),
                ("site/assets/names.js", "FOO"),
                ("site/llms.txt", "\n- [FOO](instructions/FOO.html)"),
            ][..],
        ),
        (
            &["spec", "generate", "spec", "--lang", "textmate", "-o", "textmate"],
            &[("textmate/visaasm.tmLanguage.json", "foo")],
        ),
        (
            &["spec", "generate", "spec", "--lang", "tree-sitter", "-o", "tree-sitter"],
            &[("tree-sitter/grammar.js", "foo"), ("tree-sitter/queries/highlights.scm", "mnemonic")],
        ),
    ] {
        let (exit, _, errors) = visa(arguments);
        assert_eq!(exit, Some(0), "{arguments:?}: {errors}");
        for (file, words) in files {
            assert!(written(file).contains(words), "{file} has no `{words}`");
        }
    }
    let mut session = Session::start(program);
    session.ask(1, "initialize", json!({ "capabilities": {} }));
    session.note("initialized", json!({}));
    let uri = "file:///k.visaasm";
    session.open(uri, ".version 4.1\n.kernel \"k\"\n    fo\n    foo (M1, 1)\n");
    let found = session.findings(uri);
    assert!(found.as_array().unwrap().iter().any(|one| one["range"]["start"]["line"] == 3), "{found}");
    let at = |line, character| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
    let proposed = session.ask(2, "textDocument/completion", at(2, 6));
    let all = proposed["result"]["items"].as_array().unwrap();
    assert!(all.iter().any(|item| item["label"] == "foo"), "{proposed}");
    let hover = session.ask(3, "textDocument/hover", at(3, 5));
    let shown = hover["result"]["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("**FOO**") && shown.contains("0xf0"), "{shown}");
}

#[test]
fn a_new_page_is_an_instruction() {
    if !visakit_testing::may_build("a_new_page_is_an_instruction") {
        return;
    }
    let dir = visakit_testing::scratch("new_page");
    let spec = dir.join("spec");
    copy(&visakit_testing::root().join("spec"), &spec);
    std::fs::write(spec.join("instructions/FOO.md"), FOO).unwrap();
    let platforms = std::fs::read_to_string(spec.join("platforms.md")).unwrap();
    let platforms = platforms.replacen("\n| dg1 |", "\n| new-one | newest | 99 | 0x7777 | 32 |\n| dg1 |", 1);
    std::fs::write(spec.join("platforms.md"), platforms).unwrap();
    edit_directives(&spec);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new_page_target");
    // Another test builds with another generator in the same folder. Cargo compares only names and
    // times and would reuse it.
    let cleaned = visakit_testing::cargo("clean", &target)
        .args(["--quiet", "-p", "visakit"])
        .current_dir(visakit_testing::root())
        .status()
        .unwrap();
    assert!(cleaned.success());
    let status = visakit_testing::cargo("build", &target)
        .args(["--quiet", "--bin", "visa"])
        .current_dir(visakit_testing::root())
        .env("VISAKIT_SPEC", &spec)
        .status()
        .unwrap();
    assert!(status.success());
    let visa = |args: &[&str]| {
        let output = Command::new(target.join("debug/visa")).args(args).current_dir(&dir).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let text = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=8 align=GRF\n\
                .decl P1 v_type=P num_elts=8\n    (!P1) foo.sat (M1, 8) V32(0,0)<1> (-)V32(0,0)<8;8,1>\n    ret (M1, 1)\n";
    std::fs::write(dir.join("k.visaasm"), text).unwrap();
    assert_eq!(
        visa(&["asm", "k.visaasm", "-o", "k.isa"]),
        (Some(0), String::new(), "wrote k.isa (326 bytes)\n".to_owned())
    );
    let bytes = std::fs::read(dir.join("k.isa")).unwrap();
    let code = [0xf0, 0x03, 0x01, 0x80, 0x20, 32, 0, 0, 0, 0, 0, 0, 0x02, 0x10];
    assert!(bytes.windows(14).any(|w| w == code), "opcode, size, predicate, saturated destination");
    let (_, printed, _) = visa(&["disasm", "k.isa"]);
    assert!(printed.contains("    (!P1) foo.sat (M1, 8) V32(0,0)<1> (-)V32(0,0)<8;8,1>  "), "{printed}");
    directives_follow_their_chapter(&dir, &visa);
    readers_and_editors_know_it(&dir, &target.join("debug/visa"), &visa);
    let (exit, shown, _) = visa(&["spec", "show", "FOO", "--spec", "spec"]);
    assert_eq!(exit, Some(0));
    assert!(shown.starts_with("FOO  0xf0"), "{shown}");
    let (exit, missing, _) = visa(&["diff", "--no-behaviour"]);
    assert_eq!(exit, Some(1));
    assert!(
        missing.contains("instructions/FOO.md:3") && missing.contains("instructions without a kernel"),
        "{missing}"
    );

    // A zebin of the platform above the new row, changed to the new platform's family.
    let example = dir.join("vector_add");
    copy(&visakit_testing::root().join("examples/vector_add"), &example);
    let neighbour = example.join("vector_add.tgllp.zebin");
    let mut zebin = std::fs::read(&neighbour).unwrap();
    let note = *b"\x08\0\0\0\x04\0\0\0\x01\0\0\0IntelGT\0";
    let at = zebin.windows(note.len()).position(|w| w == note).expect("a note of the product family") + note.len();
    zebin[at..at + 4].copy_from_slice(&0x7777_u32.to_le_bytes());
    std::fs::write(example.join("new.zebin"), zebin).unwrap();
    let (exit, shown, _) = visa(&["info", "vector_add/new.zebin"]);
    assert_eq!(exit, Some(0));
    assert!(shown.contains("new-one"), "{shown}");
    let run = |options: &[&str]| {
        let sums = example.join("c.f32");
        let _ = std::fs::remove_file(&sums);
        let (exit, _, errors) = visa(&[&["run", "--launch", "vector_add/vector_add.toml"], options].concat());
        assert_eq!(exit, Some(0), "{errors}");
        std::fs::read(sums).unwrap()
    };
    let expected = run(&["vector_add/vector_add.tgllp.zebin"]);
    assert!(expected.iter().any(|&byte| byte != 0));
    assert_eq!(run(&["vector_add/new.zebin"]), expected);
    assert_eq!(run(&["vector_add/vector_add.tgllp.zebin", "--platform", "NEWEST"]), expected);
}
