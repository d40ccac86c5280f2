//! Semantics blocks: each kind of mistake is found at its place, and no text makes the parser fail.

use std::path::{Path, PathBuf};

use arbtest::arbtest;
use visakit_codegen::model::semantics::{Expression, ExpressionKind, Meaning, Statement, StatementKind};
use visakit_codegen::semantics::parse_text;
use visakit_diag::{Diagnostic, Severity};

/// Number of lines of the page before its block.
const BEFORE: u32 = 14;

/// Page up to its block.
const HEAD: &str = "\
## Opcode

  FOO = 0xf0

## Format

| | | | | | | | | | | | |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 0xf0(FOO) | Exec_size | Pred | Mode | Width | Op | Target | Count | Params | Dst | Src0 | Raw |


## Semantics

```
";

const TAIL: &str = "```

## Description

Does foo.

- **Exec_size(ub):** See [Exec_size](lists.md#exec_size)
- **Pred(uw):** Predication control
- **Mode(ub):** How
  - 0: slow
  - 1: fast
- **Width(ub):** How much
  - 0: 8
  - 1: 16
- **Op(ub):** What
  - Bit[0] (turbo): really fast
  - Bit[2..1] (way): which
    - 0b00: here
    - 0b01: there
  - Bit[7..3]: Must be zero
- **Target(uw):** Index of the label variable
- **Count(ub):** How many
- **Params(raw_operand):** More. Repeated Count times
- **Dst(vec_operand):** Where to. Operand class: general, indirect
- **Src0(vec_operand):** What. Operand class: general, immediate
- **Raw(raw_operand):** Bytes. Access: write

## Text

```
FOO.<mode> (<exec_size>) <width> <op> <target> <count> <params> <dst> <src0> <raw>
```
";

fn spec() -> PathBuf {
    visakit_testing::root().join("spec")
}

/// Returns the chapters of our specification that blocks refer to.
fn chapters() -> Vec<(String, String)> {
    let read = |name: &str| (name.to_owned(), std::fs::read_to_string(spec().join(name)).unwrap());
    ["2_datatypes.md", "4_object_format.md", "lists.md", "semantics.md"].map(read).to_vec()
}

fn findings_of_page(chapters: &[(String, String)], page: String) -> Vec<Diagnostic> {
    let mut files = chapters.to_vec();
    files.push(("FOO.md".to_owned(), page));
    visakit_codegen::read_files(files).1
}

fn findings(block: &str) -> Vec<Diagnostic> {
    findings_of_page(&chapters(), format!("{HEAD}{block}{TAIL}"))
}

#[test]
fn right_blocks_have_no_findings() {
    let blocks = [
        "channels i { dst[i] = src0[i] }\n",
        "// nothing\n",
        "let n = count; n = n + 1; dst[0] = n\n",
        "if mode == Mode.slow && op.way != Op.way.there { dst[0] = width * 2 } else if op.turbo { barrier() } else { }\n",
        "for i in 0..count { dst[i] = params[i][0] % width == 0 ? %r0[1] : -1 }\n",
        "bits(dst[0]) = bits(op); raw(raw, 0, 4) = memory(src0, 4)\n",
        "jump(target)\n",
        "let old = atomic(mode, memory(src0, 4), 4, 0, 0)\ndst[0] = old; atomic(mode, memory(0, 4), 4, old, 1)\n",
        "if width == 16 || exec_size == 8 || exec_size.size == 8 { channels i { dst[i] = pred[i] ? 1.5 : 0x10 } }\n",
        "let a = fused(raw, 8)\ndst[0] = element(0, a, 1)\n",
    ];
    for block in blocks {
        let found: Vec<_> = findings(block).iter().map(Diagnostic::one_line).collect();
        assert!(found.is_empty(), "{block}{}", found.join("\n"));
    }
}

/// Planted mistakes: block, code, line in the block, column, and part of the advice.
#[test]
fn planted_mistakes_are_found() {
    let cases = [
        // Syntax of statements and expressions.
        ("dst[0] = = 1\n", "semantics-syntax", 1, 10, "a value is"),
        ("dst[0] = (1 + 2\n", "semantics-syntax", 1, 16, "same line"),
        ("dst[0 = 1\n", "semantics-syntax", 1, 7, "`[` and `]`"),
        ("dst[0] = 1 2\n", "semantics-syntax", 1, 12, "one statement a line"),
        ("dst[0] = 1 $\n", "semantics-syntax", 1, 12, "one statement a line"),
        ("dst[0] = 0x\n", "semantics-syntax", 1, 10, "a value is"),
        ("if mode = Mode.slow { }\n", "semantics-syntax", 1, 9, "=="),
        ("for i 0..4 { dst[i] = 0 }\n", "semantics-syntax", 1, 7, "for i in"),
        ("else { dst[0] = 1 }\n", "semantics-syntax", 1, 1, "`}` of its `if`"),
        ("let for = 1\n", "semantics-syntax", 1, 5, "not a keyword"),
        ("dst[0] = op.\n", "semantics-syntax", 1, 13, "field.part"),
        ("dst[0] = min(1, 2\n", "semantics-syntax", 1, 18, "`(` and `)`"),
        ("dst[0] = mode ? 1\n", "semantics-syntax", 1, 18, "c ? a : b"),
        ("chanels i { dst[i] = 0 }\n", "semantics-statement", 1, 1, "`channels`"),
        ("while count { dst[0] = 1 }\n", "semantics-statement", 1, 1, "first table"),
        ("dst[0] = 1\nsrc0[0] + 1\n", "semantics-statement", 2, 1, "assign it"),
        // Braces.
        ("if op.turbo {\n    dst[0] = 1\n", "semantics-braces", 1, 13, "add its `}`"),
        ("channels i {\n    if op.turbo {\n        dst[i] = 1\n}\n", "semantics-braces", 2, 17, "add its `}`"),
        ("dst[0] = 1\n}\n", "semantics-braces", 2, 1, "remove it"),
        ("channels i {\n    dst[i] = 1\n    }\n}\n", "semantics-braces", 3, 5, "remove it"),
        // Names.
        ("channels i { dst[i] = scr0[i] }\n", "semantics-name", 1, 23, "`src0`"),
        ("channels i { dst[i] = Src0[i] }\n", "semantics-name", 1, 23, "`src0`"),
        ("dst[0] = exce_size\n", "semantics-name", 1, 10, "`exec_size`"),
        ("dst[0] = %sr1[0]\n", "semantics-name", 1, 10, "`%sr0`"),
        ("dst[0] = nothing_like_it\n", "semantics-name", 1, 10, "fields of the Format"),
        ("dst[0] = op.turbi ? 1 : 0\n", "semantics-name", 1, 13, "`turbo`"),
        ("dst[0] = mode.fast\n", "semantics-name", 1, 10, "name of its list"),
        ("dst[0] = floor\n", "semantics-name", 1, 10, "`floor(a)`"),
        ("dst[0] = flor(src0)\n", "semantics-name", 1, 10, "`floor`"),
        ("dst(0) = 1\n", "semantics-name", 1, 1, "`dst[i]`"),
        ("if mode == Mod.slow { barrier() }\n", "semantics-name", 1, 12, "`Mode`"),
        ("if op.way == Op.weg.here { barrier() }\n", "semantics-name", 1, 17, "`Field.part`"),
        // Scopes.
        ("dst[0] = n\nlet n = 1\ndst[1] = n\n", "semantics-scope", 1, 10, "in front of this"),
        ("if op.turbo { let n = 1; dst[0] = n }\ndst[1] = n\n", "semantics-scope", 2, 10, "in front of that"),
        ("channels i { dst[i] = 0 }\ndst[0] = i\n", "semantics-scope", 2, 10, "in front of that"),
        ("let mode = 1\ndst[0] = mode\n", "semantics-duplicate", 1, 5, "another name"),
        ("let exec_size = 1\ndst[0] = exec_size\n", "semantics-duplicate", 1, 5, "another name"),
        ("channels i { for i in 0..2 { dst[i] = 1 } }\n", "semantics-duplicate", 1, 18, "another name"),
        ("let n = 1\ndst[0] = 2\n", "semantics-unused", 1, 5, "remove it"),
        ("let n = 1\nn = 2\n", "semantics-unused", 1, 5, "remove it"),
        // Built-ins.
        ("dst[0] = min(1)\n", "semantics-arguments", 1, 10, "`min(a, b)`"),
        ("signal()\n", "semantics-arguments", 1, 1, "`signal(b)` or `signal(b, n)`"),
        ("dst[0] = is_float(src0[0]) ? 1 : 0\n", "semantics-operand", 1, 19, "without an index"),
        ("let p = memory(0, 4)\ndst[0] = atomic(mode, p, 4, 0, 0)\n", "semantics-operand", 2, 23, "`place`"),
        ("dst[0] = barrier()\n", "semantics-effect", 1, 10, "as a statement"),
        ("floor(src0[0])\n", "semantics-effect", 1, 1, "use its value"),
        // Assignment targets.
        ("exec_size = 1\n", "semantics-assign", 1, 1, "let x"),
        ("mode = 1\n", "semantics-assign", 1, 1, "let x"),
        ("dst = 1\n", "semantics-assign", 1, 1, "`dst[i] = …`"),
        ("src0[0] = 1\n", "semantics-assign", 1, 1, "destination"),
        ("pred[0] = true\n", "semantics-assign", 1, 1, "destination"),
        ("1 = 2\n", "semantics-assign", 1, 1, "local name"),
        ("floor(dst[0]) = 1\n", "semantics-assign", 1, 1, "surface, memory"),
        ("raw(src0, 0, 4) = 1\n", "semantics-assign", 1, 5, "destination"),
        ("bits(src0[0]) = 1\n", "semantics-assign", 1, 6, "destination"),
        ("channels i { i = 1 }\n", "semantics-assign", 1, 14, "a local name"),
        // Elements.
        ("dst[0] = mode[0]\n", "semantics-index", 1, 10, "have elements"),
        ("dst[0] = src0[0][1]\n", "semantics-index", 1, 10, "have elements"),
        ("dst[0] = params\n", "semantics-index", 1, 10, "field[n]"),
        // Values of fields.
        ("if mode == Op.way.here { barrier() }\n", "semantics-enumerator", 1, 12, "`Mode.slow`"),
        ("if mode == Mode.fats { barrier() }\n", "semantics-enumerator", 1, 17, "`fast`"),
        ("if op.way == Rel_op.eq { barrier() }\n", "semantics-enumerator", 1, 14, "`Op.way.here`"),
        ("if width == 32 { barrier() }\n", "semantics-enumerator", 1, 13, "8, 16"),
        ("dst[0] = Mode.slow + 1\n", "semantics-enumerator", 1, 10, "`==`"),
        ("if mode == 1 { barrier() }\n", "semantics-value", 1, 4, "`Mode.slow`"),
        ("dst[0] = op + 1\n", "semantics-value", 1, 10, "turbo, way"),
        ("dst[0] = target + 1\n", "semantics-value", 1, 10, "built-in"),
        // Whole pages.
        ("undefined\n", "semantics-kind", 1, 1, "Kind: undefined"),
    ];
    for (block, code, line, column, help) in cases {
        let found = findings(block);
        let lines: Vec<_> = found.iter().map(Diagnostic::one_line).collect();
        let [finding] = found.as_slice() else { panic!("one finding for\n{block}{}", lines.join("\n")) };
        let place = (finding.code, finding.line - BEFORE, finding.column);
        assert_eq!(place, (code, line, column), "{block}{}", lines[0]);
        assert!(finding.help.contains(help), "{block}{}", lines[0]);
        assert_eq!((finding.severity, finding.file.as_str()), (Severity::Warning, "FOO.md"));
    }
}

#[test]
fn several_mistakes_are_all_found() {
    let found = findings(
        "let a = (1\nchannels j {\n    dst[j] = a + b\n    dst[j] = * 2\n    while x { dst[j] = nix( }\n}\n",
    );
    let places: Vec<_> = found.iter().map(|d| (d.code, d.line - BEFORE, d.column)).collect();
    let expected = [
        ("semantics-syntax", 1, 11),
        // `a` is not reported, because its `let` is invalid.
        ("semantics-name", 3, 18),
        ("semantics-syntax", 4, 14),
        ("semantics-statement", 5, 5),
        ("semantics-syntax", 5, 29),
    ];
    assert_eq!(places, expected);
}

#[test]
fn what_is_beside_the_block_is_found() {
    let page = |old: &str, new: &str| {
        let text = format!("{HEAD}dst[0] = 1\n{TAIL}");
        assert!(text.contains(old));
        findings_of_page(&chapters(), text.replacen(old, new, 1))
    };
    let codes = |found: Vec<Diagnostic>| found.iter().map(|d| (d.code, d.line)).collect::<Vec<_>>();
    assert_eq!(codes(page("## Semantics\n", "## Semantics\n\nSets it.\n")), [("semantics-block", 14)]);
    assert_eq!(codes(page("  FOO = 0xf0\n", "  FOO = 0xf0\n\nKind: undefined\n")), [("semantics-kind", 17)]);
}

/// The table of built-ins is data, whose mistakes are found as well.
#[test]
fn the_table_of_builtins_is_checked() {
    let with = |old: &str, new: &str| {
        let mut files = chapters();
        let (_, table) = files.last_mut().unwrap();
        assert!(table.contains(old), "{old}");
        *table = table.replacen(old, new, 1);
        let found = findings_of_page(&files, format!("{HEAD}dst[0] = fma(1, 2, 3)\n{TAIL}"));
        found.iter().map(|d| (d.code, d.file.clone(), d.quote.clone())).collect::<Vec<_>>()
    };
    assert_eq!(with("| `fma(a, b, c)` |", "| `fma(a, b, c)` |"), []);
    let [(code, file, _)] = with("`fma(a, b, c)`", "`fma(a, b)`").try_into().unwrap();
    assert_eq!((code, file.as_str()), ("semantics-arguments", "FOO.md"));
    let found = with("| `pow2(a)` | value |", "| `pow2(a)` | number |");
    assert_eq!((found[0].0, found[0].1.as_str()), ("semantics-table", "semantics.md"));
    assert!(found[0].2.starts_with("| `pow2(a)` | number |"), "{found:?}");
    assert_eq!(with("| `pow2(a)` |", "| `fma(x, y, z)` |")[0].0, "semantics-table");
}

#[test]
fn a_builtin_that_no_page_uses_is_found() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unused_builtin");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("instructions")).unwrap();
    for (name, text) in chapters() {
        std::fs::write(dir.join(name), text).unwrap();
    }
    std::fs::write(dir.join("instructions/FOO.md"), format!("{HEAD}dst[0] = fma(1, 2, 3)\n{TAIL}")).unwrap();
    let (model, found) = visakit_codegen::read_dir(&dir).unwrap();
    let unused: Vec<_> = found.iter().filter(|d| d.code == "semantics-builtin").collect();
    assert_eq!(unused.len(), model.builtins.len() - 1);
    assert!(unused.iter().any(|d| d.message.contains("`grf_bytes`") && d.quote.starts_with("| `grf_bytes` |")));
}

/// The vendor's pseudo-code is not checked: without the notation's page there are no findings about
/// it.
#[test]
fn a_folder_without_notation_is_not_checked() {
    let (model, found) =
        visakit_codegen::read_files(vec![("FOO.md".to_owned(), format!("{HEAD}for (i = 0; i < n; ++i)\n{TAIL}"))]);
    assert!(found.iter().all(|d| !d.code.starts_with("semantics")), "{found:?}");
    assert_eq!(model.instructions[0].semantics, "for (i = 0; i < n; ++i)");
    assert_eq!(model.instructions[0].behaviour, None);
}

#[test]
fn our_pages_are_resolved() {
    let (model, _) = visakit_codegen::read_dir(&spec()).unwrap();
    let mut blocks = 0;
    for i in &model.instructions {
        let Some(block) = &i.behaviour else { continue };
        blocks += 1;
        for name in names(&block.statements) {
            assert_ne!(name.1, Meaning::Unresolved, "{}: {}", i.name, name.0);
        }
    }
    assert_eq!(blocks, model.instructions.iter().filter(|i| !i.semantics.is_empty()).count());
    assert!(blocks > 125, "{blocks}");
    let select = model.instructions.iter().find(|i| i.name == "SEL").unwrap().behaviour.as_ref().unwrap();
    let meanings = names(&select.statements);
    let of = |name: &str| meanings.iter().find(|(n, _)| n == name).unwrap().1;
    assert_eq!(of("exec_size"), Meaning::Builtin);
    assert_eq!(of("i"), Meaning::Local);
    assert_eq!(of("pred"), Meaning::Field);
}

/// A printed block parses to the same block.
#[test]
fn printing_and_parsing_agree() {
    let (model, _) = visakit_codegen::read_dir(&spec()).unwrap();
    for i in &model.instructions {
        let Some(block) = &i.behaviour else { continue };
        let again = parse_text(&block.to_string());
        assert_eq!(again.problems, [], "{}", i.name);
        assert_eq!(again.block.to_string(), block.to_string(), "{}", i.name);
        assert_eq!(parse_text(&i.semantics).block.to_string(), block.to_string(), "{}", i.name);
    }
}

/// Returns every name in statements with its meaning.
fn names(statements: &[Statement]) -> Vec<(String, Meaning)> {
    fn walk(e: &Expression, out: &mut Vec<(String, Meaning)>) {
        if let ExpressionKind::Name { name, meaning } = &e.kind {
            out.push((name.clone(), *meaning));
        }
        e.parts().into_iter().for_each(|part| walk(part, out));
    }
    let mut out = Vec::new();
    for statement in statements {
        match &statement.kind {
            StatementKind::Channels { body, .. } => out.extend(names(&body.statements)),
            StatementKind::For { from, to, body, .. } => {
                walk(from, &mut out);
                walk(to, &mut out);
                out.extend(names(&body.statements));
            }
            StatementKind::If { condition, then, otherwise } => {
                walk(condition, &mut out);
                out.extend(names(&then.statements));
                otherwise.iter().for_each(|b| out.extend(names(&b.statements)));
            }
            StatementKind::Let { value, .. } => walk(value, &mut out),
            StatementKind::Assign { target, value } => [target, value].iter().for_each(|e| walk(e, &mut out)),
            StatementKind::Call(call) => call.arguments.iter().for_each(|e| walk(e, &mut out)),
            StatementKind::Undefined => {}
        }
    }
    out
}

#[test]
fn nesting_has_an_end() {
    let n = 2_000;
    let texts = [
        "(".repeat(n),
        "x = ".to_owned() + &"-".repeat(n),
        "x = a".to_owned() + &" + a".repeat(n),
        "x = a".to_owned() + &"[0".repeat(n),
        "x = a".to_owned() + &".b".repeat(n),
        "x = a".to_owned() + &" ? a".repeat(n),
        "x = ".to_owned() + &"f(".repeat(n),
        "if a {\n".repeat(n),
        "channels i {\n".repeat(n) + &"}\n".repeat(n),
        "if a { } else ".repeat(n),
        "if a {\n} else ".repeat(n),
        "{\n".repeat(n),
        "}\n".repeat(n),
        "x = (\n{\n".repeat(n),
    ];
    for text in texts {
        let parsed = parse_text(&text);
        assert!(!parsed.problems.is_empty(), "{}", &text[..20]);
        drop(parsed.clone());
        // Also in a page, which resolves the names.
        findings(&format!("{text}\n"));
    }
}

/// Blocks of our pages with parts deleted, duplicated, moved or replaced never make the parser
/// panic, and every finding has a place.
#[test]
fn odd_blocks_do_not_panic() {
    let (model, _) = visakit_codegen::read_dir(&spec()).unwrap();
    let blocks: Vec<&str> =
        model.instructions.iter().map(|i| i.semantics.as_str()).filter(|s| s.len() > 20).collect();
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ".",
        "..",
        "=",
        "==",
        "?",
        ":",
        "%",
        "-",
        ">>>",
        "if",
        "else",
        "let",
        "for",
        "in",
        "channels",
        "undefined",
        "\n",
        ";",
        "0x",
        "1.",
        "99999999999999999999",
        "dst",
        "Op",
        "op",
        "Op.way",
        "src0[",
        "ä",
        "//",
        "\t",
        "`",
        "|",
        "raw(",
        "\u{0}",
    ];
    let chapters = chapters();
    arbtest(|u| {
        let block = *u.choose(&blocks)?;
        let mut text: Vec<char> = block.chars().collect();
        for _ in 0..u.int_in_range(1..=6)? {
            let at = u.choose_index(text.len().max(1))?.min(text.len());
            let len = u.int_in_range(0..=12)?.min(text.len() - at);
            match u.int_in_range(0..=3)? {
                0 => drop(text.drain(at..at + len)),
                1 => {
                    let copy: Vec<char> = text[at..at + len].to_vec();
                    let to = u.choose_index(text.len() + 1)?;
                    text.splice(to..to, copy);
                }
                _ => {
                    let piece: Vec<char> = u.choose(&pieces)?.chars().collect();
                    text.splice(at..at + len, piece);
                }
            }
        }
        let text: String = text.into_iter().collect();
        let parsed = parse_text(&text);
        for problem in &parsed.problems {
            assert!(
                problem.at.start <= problem.at.end && problem.at.end as usize <= text.len(),
                "{problem:?}\n{text}"
            );
        }
        let printed = parsed.block.to_string();
        assert_eq!(parse_text(&printed).block.to_string(), printed, "{text}");
        for finding in findings_of_page(&chapters, format!("{HEAD}{text}\n{TAIL}")) {
            assert!(finding.line > 0 && !finding.help.is_empty(), "{finding:?}\n{text}");
        }
        Ok(())
    })
    .budget_ms(3000);
}
