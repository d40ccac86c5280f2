//! Wrong pages: each mistake is found at its line, and reading continues.

use visakit_codegen::model::{FieldKind, Model};
use visakit_diag::{Diagnostic, Severity};

/// Small correct page.
const PAGE: &str = "\
## Opcode

  FOO = 0xf0

## Format

| | | |
| --- | --- | --- |
| 0xf0(FOO) | Mode | Dst |

## Semantics

```
undefined
```

## Description

Does foo.

- **Mode(ub):** What to do
  - Bit[1..0]: the way
    - 0b00: slow
    - 0b01: fast
  - Bit[7..2]: Must be zero
- **Dst(raw_operand):** Where to

## Text

```
FOO.<mode> <dst>
```
";

fn read(text: &str) -> (Model, Vec<Diagnostic>) {
    visakit_codegen::read_files(vec![("FOO.md".to_owned(), text.to_owned())])
}

/// Asserts that the page with one replacement has this finding, and no other error.
#[track_caller]
fn finds(old: &str, new: &str, severity: Severity, code: &str, line: u32) {
    assert!(PAGE.contains(old), "{old}");
    let (_, findings) = read(&PAGE.replacen(old, new, 1));
    let found: Vec<_> = findings.iter().map(|d| (d.severity, d.code, d.line)).collect();
    let Some(finding) = findings.iter().find(|d| (d.severity, d.code, d.line) == (severity, code, line)) else {
        panic!("{code} at line {line} is not among {found:?}");
    };
    let errors = findings.iter().filter(|d| d.severity == Severity::Error && d.code != code).count();
    assert_eq!(errors, 0, "{findings:#?}");
    assert!(!finding.help.is_empty(), "it says what to do");
    assert!(!finding.quote.is_empty(), "it quotes the line");
}

#[test]
fn a_right_page_has_no_findings() {
    let (model, findings) = read(PAGE);
    assert!(findings.is_empty(), "{findings:#?}");
    let foo = &model.instructions[0];
    assert_eq!((foo.name.as_str(), foo.opcode, foo.forms[0].fields.len()), ("FOO", 0xf0, 2));
    assert!(matches!(foo.forms[0].fields[0].shape, FieldKind::List(_)));
}

#[test]
fn opcode() {
    use Severity::Error;
    finds("  FOO = 0xf0\n", "\n", Error, "opcode-missing", 1);
    finds("## Opcode\n\n  FOO = 0xf0\n\n", "", Error, "opcode-missing", 1);
    finds("FOO = 0xf0", "FOO = 0x1f0", Error, "opcode-range", 3);
    finds("| 0xf0(FOO)", "| 0xf1(FOO)", Error, "format-opcode", 9);
}

#[test]
fn format() {
    use Severity::{Error, Warning};
    finds("| Mode | Dst |", "| Mode | Mode | Dst |", Error, "format-duplicate", 9);
    finds("| Mode | Dst |", "| Mode | Dst | Src |", Error, "field-undescribed", 9);
    finds("| Mode | Dst |", "| Mode |", Warning, "field-unused", 26);
}

#[test]
fn bits() {
    use Severity::{Error, Warning};
    finds("Bit[7..2]", "Bit[7..1]", Error, "bits-overlap", 25);
    finds("Bit[7..2]", "Bit[7..3]", Warning, "bits-unaccounted", 21);
    finds("Bit[7..2]", "Bit[8..2]", Error, "bits-range", 25);
    finds("0b01: fast", "0b00: fast", Error, "enumerator-duplicate", 24);
    finds("0b01: fast", "0b01: slow", Error, "enumerator-duplicate", 24);
    finds("0b01: fast", "0b101: fast", Error, "enumerator-range", 24);
}

#[test]
fn sections() {
    use Severity::{Error, Warning};
    finds("## Text", "## Texts", Warning, "section-unknown", 28);
    finds("undefined", "", Warning, "semantics-missing", 1);
    finds("<dst>\n```\n", "<dst>\n```\n\n## Opcode\n", Error, "section-duplicate", 34);
}

#[test]
fn fields() {
    use Severity::{Error, Warning};
    finds("Mode(ub)", "Mode(ux)", Error, "type-unknown", 21);
    finds("FOO.<mode>", "FOO.<node>", Warning, "text-unknown-field", 31);
    finds("FOO.<mode>", "FOO.<mode", Warning, "text-template", 31);
    finds("What to do", "Copy of Dst", Error, "field-unknown", 21);
}

#[test]
fn accidental_nesting_is_undone() {
    let text = PAGE.replace("- **Dst(raw", "    - **Dst(raw");
    let (model, findings) = read(&text);
    assert_eq!(findings.iter().map(|d| d.code).collect::<Vec<_>>(), ["nesting-accidental"]);
    assert_eq!(model.instructions[0].forms[0].fields.len(), 2);
}

#[test]
fn duplicates_across_pages() {
    let two = vec![("A.md".to_owned(), PAGE.to_owned()), ("B.md".to_owned(), PAGE.replace("FOO", "BAR"))];
    let (_, findings) = visakit_codegen::read_files(two);
    let found: Vec<_> = findings.iter().map(|d| (d.code, d.file.as_str(), d.line)).collect();
    assert_eq!(found, [("opcode-duplicate", "A.md", 3), ("opcode-duplicate", "B.md", 3)]);
}

/// No page makes the reader panic.
#[test]
fn no_page_panics() {
    for end in 0..PAGE.len() {
        let _ = read(&PAGE[..end]);
        let _ = read(&PAGE[end..]);
    }
    for piece in ["|", "\n", "`", "```", "- ", "**", "[", "]", "<", "{", "0b", "Bit[", "(", "ü", "\0", "## Text\n"] {
        for at in 0..PAGE.len() {
            let mut text = PAGE.to_owned();
            text.insert_str(at, piece);
            let (model, _) = read(&text);
            let _ = visakit_codegen::facts(&model);
        }
    }
}

/// A page that was read without an error emits valid Rust, whatever its names are.
#[test]
fn emission_of_odd_names() {
    for (old, new) in
        [("FOO", "TYPE"), ("FOO", "3D_FOO"), ("Mode", "Self"), ("slow", "8x8"), ("fast", "a+b"), ("fast", "fn")]
    {
        let mut files = specification();
        files.push(("FOO.md".to_owned(), PAGE.replace(old, new)));
        let (model, findings) = visakit_codegen::read_files(files);
        assert!(!findings.iter().any(|d| d.severity == Severity::Error), "{new}: {findings:#?}");
        for file in visakit_codegen::emit(&model) {
            syn::parse2::<syn::File>(file.tokens).unwrap_or_else(|e| panic!("{new}: {e}"));
        }
    }
}

/// Returns the project's own pages by file name.
fn specification() -> Vec<(String, String)> {
    let root = visakit_testing::root().join("spec");
    let mut out = Vec::new();
    for dir in [root.clone(), root.join("instructions")] {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                out.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    out.sort();
    out
}

#[test]
fn a_folder_without_chapters_cannot_be_built() {
    let (model, _) = read(PAGE);
    let missing = visakit_codegen::complete(&model);
    assert!(missing.iter().any(|d| d.code == "chapter-missing" && d.message.contains("data types")));
    let (model, _) = visakit_codegen::read_files(specification());
    assert!(visakit_codegen::complete(&model).is_empty());
}

#[test]
fn a_finding_shows_its_line() {
    let (_, findings) = read(&PAGE.replace("Bit[7..2]", "Bit[7..1]"));
    let shown = findings[0].render(false);
    assert!(shown.contains("error[bits-overlap]") && shown.contains("FOO.md:25:5"), "{shown}");
    assert!(shown.contains("- Bit[7..1]: Must be zero") && shown.contains("^^^"), "{shown}");
}
