//! `visa diff`: on the pages that the program was built from it finds nothing but missing kernels; when a page says
//! something else, or the generator writes something else, it finds that fact.

mod common;

use std::path::Path;
use std::process::Command;

use visakit::diff::{Finding, Report, own_model, run};
use visakit::isa::SPECIFICATION;
use visakit_codegen::model::Page;

/// A change, and the finding that it must give: code, and how the path begins.
struct Change {
    /// The page, or the file of emitted Rust.
    file: &'static str,
    /// Where the change is: the first `from` behind this text.
    anchor: &'static str,
    from: &'static str,
    to: &'static str,
    code: &'static str,
    path: &'static str,
}

const fn change(
    file: &'static str,
    anchor: &'static str,
    from: &'static str,
    to: &'static str,
    code: &'static str,
    path: &'static str,
) -> Change {
    Change { file, anchor, from, to, code, path }
}

/// The text with the first `from` behind the anchor replaced.
fn replaced(text: &str, change: &Change) -> String {
    let anchor = text.find(change.anchor).unwrap_or_else(|| panic!("{}: no `{}`", change.file, change.anchor));
    let at = text[anchor..].find(change.from).map(|n| anchor + n);
    let at = at.unwrap_or_else(|| panic!("{}: no `{}` behind `{}`", change.file, change.from, change.anchor));
    format!("{}{}{}", &text[..at], change.to, &text[at + change.from.len()..])
}

/// Pages that say something else than those that the program was built from. Each change stands on a page of its own or
/// in a part of a chapter that no other change needs.
const PAGES: &[Change] = &[
    change("instructions/ADD.md", "## Opcode", "0x01", "0xf7", "opcode", "ADD.opcode"),
    change(
        "instructions/SVM_SCATTER4_SCALED.md",
        "## Opcode",
        "0x07",
        "0x77",
        "sub-opcode",
        "SVM_SCATTER4_SCALED.sub-opcode",
    ),
    change("instructions/MAD.md", "## Format", "Src1 | Src2", "Src2 | Src1", "field-order", "MAD.Src"),
    change("instructions/DPAS.md", "## Description", "RC(ub)", "RC(uw)", "field-width", "DPAS.RC"),
    change("instructions/FILE.md", "## Description", "{3.4+}", "{3.5+}", "field-width", "FILE.File_name"),
    change("instructions/INFO.md", "LOD(raw", "if Op=resinfo", "if Op=sampleinfo", "presence", "INFO.LOD"),
    change("instructions/FRC.md", "## Text", "FRC[", "FRAC[", "text-printed", "FRC.Text"),
    change("instructions/POW.md", "Supported Types", "HF, F", "HF", "type-accepted", "POW."),
    change("instructions/MULH.md", "Src1(", ", immediate", "", "class-accepted", "MULH.Src1.immediate"),
    change("instructions/IFCALL.md", "Arg_size(", "[0-32]", "[0-31]", "range-accepted", "IFCALL.Arg_size=32"),
    change("instructions/ROL.md", "Platforms", "{ICLLP+}", "{DG2+}", "platform-accepted", "ROL.platform.icllp"),
    change("instructions/AVG.md", "Saturation", "Yes", "No", "saturation-accepted", "AVG.Dst.sat"),
    change("instructions/SHL.md", "Source Modifier", "arithmetic", "false", "modifier-accepted", "SHL.Src0."),
    change(
        "instructions/DPASW.md",
        "Exec_size(",
        "size: 8.",
        "size: 8, 16.",
        "only-refused",
        "DPASW.Exec_size.size=4",
    ),
    change("instructions/3D_SAMPLE.md", "Channels(", "Must not be zero", "Any", "zero-refused", "3D_SAMPLE."),
    change("instructions/SHR.md", "Type map", "UD, D, UW", "UD, UW", "type-map-accepted", "SHR."),
    change("instructions/SWITCHJMP.md", "Num_labels(", "[1-32]", "[1-31]", "range-accepted", "SWITCHJMP.Labels*32"),
    change(
        "instructions/LIFETIME.md",
        "Properties(",
        "Bit[3..1]: Must be zero",
        "Bit[1] (other): a flag\n  - Bit[3..2]: Must be zero",
        "enumerator-missing",
        "LIFETIME.Properties.other.0b1",
    ),
    change(
        "instructions/RAW_SENDS.md",
        "Kind: undefined",
        "Kind: undefined",
        "",
        "kernel-missing",
        "RAW_SENDS.kernel",
    ),
    change("instructions/LSC_UNTYPED.md", "AddrScale(", "Default 1", "Default 2", "text-printed", "LSC_UNTYPED"),
    change("lists.md", "## Rel_op", "0b010: gt", "0b010: above", "text-printed", "Rel_op.0b010"),
    change(
        "lists.md",
        "## Media_modifier",
        "0b110: reserved",
        "0b110: newest",
        "enumerator-missing",
        "Media_modifier.0b110",
    ),
    change(
        "lists.md",
        "## Address_width",
        "0b100: 16",
        "0b100: reserved",
        "reserved-accepted",
        "Address_width.0b100",
    ),
    change("lists.md", "## Owords", "{XEHP+}", "{DG2+}", "only-accepted", "OWORD_LD"),
    change("lists.md", "## Alignment", "0b0110: GRFx2", "0b0110: twice", "declaration", "Alignment.twice"),
    change("lists.md", "## Input_origin", "\"LOCAL_SIZE\"", "\"LOCALSIZE\"", "declaration", "input.local_size"),
    change(
        "lists.md",
        "## Lsc_fence_op",
        "- 0x06: type6 - unpublished",
        "",
        "enumerator-extra",
        "Lsc_fence_op.0b00000110",
    ),
    change("2_datatypes.md", "bfloat16", "| 16 |", "| 32 |", "data-type", "Data_type.BF"),
    change("4_object_format.md", "## Predefined variables", "%sp", "%stack", "predefined-name", "predefined.%stack"),
    change(
        "4_object_format.md",
        "| 20 | %msg0",
        "| 20 | %msg0 | | UD | 1 | 1 | R | message register |\n",
        "",
        "predefined-extra",
        "predefined.%msg0",
    ),
    change("4_object_format.md", "| NBarrierCnt", "1, 4", "1, 2", "attribute", "attribute.NBarrierCnt"),
    change(
        "4_object_format.md",
        "gen_binary_info {",
        "UB gen_platform",
        "UW gen_platform",
        "member-width",
        "gen_binary_info.gen_platform",
    ),
    change("platforms.md", "| pvcxt", "| 64 |", "| 32 |", "platform-registers", "platform.pvcxt.registers"),
    change("platforms.md", "| mtl |", "arl", "arrow", "platform-alias", "platform.mtl.arrow"),
];

/// What the same changes give in the other direction.
const EXTRAS: &[(&str, &str)] = &[
    ("opcode-extra", "0x01"),
    ("sub-opcode-extra", "0x4e.0x07"),
    ("mnemonic-extra", "mnemonic.frc"),
    ("instruction-extra", "FRET"),
    ("opcode-extra", "0x68"),
    ("predefined-extra", "predefined.%msg0"),
];

fn found(report: &[Finding], code: &str, path: &str) -> bool {
    report.iter().any(|f| {
        f.diagnostic.code == code && (f.path.starts_with(path) || f.facts.iter().any(|fact| fact.starts_with(path)))
    })
}

fn listed(report: &Report) -> String {
    report.findings.iter().map(|f| format!("{} {}\n", f.diagnostic.code, f.diagnostic.message)).collect()
}

#[test]
fn only_kernels_are_missing() {
    let (model, _) = own_model();
    let report = run(&model);
    let others: Vec<_> = report.findings.iter().filter(|f| f.diagnostic.code != "kernel-missing").collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!(report.missing.len(), report.findings.len());
    // Of everything that the pages say something was probed.
    for kind in [
        "alias",
        "attribute",
        "class",
        "copy",
        "data-type",
        "declaration",
        "enumerator",
        "field",
        "form",
        "index",
        "instruction",
        "kernel",
        "layout",
        "mnemonic",
        "modifier",
        "number",
        "object",
        "opcode",
        "platform",
        "predefined",
        "raw",
        "region",
        "repeat",
        "reserved",
        "rule",
        "structure",
        "sub-opcode",
        "text-parsed",
        "text-printed",
        "type",
        "type-map",
    ] {
        assert!(report.facts.get(kind).is_some_and(|n| n.probed > 0), "{kind}");
    }
    assert!(report.facts.values().map(|n| n.probed).sum::<usize>() > 40_000);
    let encoding = model.instructions.iter().filter(|i| !i.forms.is_empty()).count();
    assert_eq!(report.filled + report.missing.len() + report.undefined.len(), encoding);
}

#[test]
fn changed_pages_are_found() {
    let mut pages: Vec<Page> = SPECIFICATION
        .iter()
        .map(|(path, text)| Page {
            path: (*path).to_owned(),
            shown: (*path).to_owned(),
            text: (*text).to_owned(),
            ..Page::default()
        })
        .filter(|page| page.path != "instructions/FRET.md")
        .collect();
    let foo = include_str!("pages/FOO.md").to_owned();
    pages.push(Page {
        path: "instructions/FOO.md".to_owned(),
        shown: "instructions/FOO.md".to_owned(),
        text: foo,
        ..Page::default()
    });
    for change in PAGES {
        let page = pages.iter_mut().find(|p| p.path == change.file).unwrap();
        page.text = replaced(&page.text, change);
    }
    let (model, _) = visakit_codegen::read_texts(pages);
    let report = run(&model);
    let mut lost = Vec::new();
    for change in PAGES {
        if !found(&report.findings, change.code, change.path) {
            lost.push(format!("{} {}", change.code, change.path));
        }
    }
    lost.extend(
        EXTRAS.iter().filter(|(code, path)| !found(&report.findings, code, path)).map(|(c, p)| format!("{c} {p}")),
    );
    assert!(found(&report.findings, "opcode", "FOO.opcode"), "a page that the implementation does not know");
    assert!(lost.is_empty(), "not found:\n{}\nfound:\n{}", lost.join("\n"), listed(&report));
    // Pages that were not changed have no part in it: at most the lists and variables that they share do.
    let changed: Vec<&str> = PAGES.iter().map(|c| c.file).chain(["instructions/FOO.md", ""]).collect();
    let others: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.diagnostic.code != "kernel-missing" && !changed.contains(&f.diagnostic.file.as_str()))
        .map(|f| f.diagnostic.message.as_str())
        .collect();
    assert!(others.iter().all(|m| m.starts_with("OWORD_") || m.contains("BF")), "{others:#?}");
}

#[test]
fn the_command_probes_another_specification() {
    let dir = common::scratch("impl_diff_spec");
    for (path, text) in SPECIFICATION {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let page = dir.join("instructions/ADD.md");
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, text.replace("Exec_size | Pred", "Pred | Exec_size")).unwrap();
    let (exit, json, _) = common::run(&["diff", "--spec", dir.to_str().unwrap(), "--format", "json"]);
    assert_eq!(exit, 1);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let finding = report["findings"].as_array().unwrap().iter().find(|f| f["code"] == "field-order").unwrap();
    assert_eq!(finding["path"], "ADD.Pred");
    assert_eq!(finding["severity"], "error");
    assert!(finding["file"].as_str().unwrap().ends_with("instructions/ADD.md"));
    assert_eq!(finding["line"], 24);
    for key in ["message", "help", "expected", "got"] {
        assert!(!finding[key].as_str().unwrap().is_empty(), "{key}");
    }
    assert!(report["facts"]["opcode"]["probed"].as_u64().unwrap() > 250);
    assert!(report["undefined"].as_array().unwrap().iter().any(|e| e["instruction"] == "RAW_SENDS"));
    let (exit, summary, findings) = common::run(&["diff", "--spec", dir.to_str().unwrap()]);
    assert_eq!(exit, 1);
    assert!(summary.contains("facts hold") && summary.contains("what RAW_SENDS does (no finding)"), "{summary}");
    assert!(findings.contains("error[field-order]") && findings.contains("instructions/ADD.md:24"), "{findings}");
    let (exit, _, message) = common::run(&["diff", "--spec", "/no/such/folder"]);
    assert_eq!(exit, 2);
    assert!(message.contains("cannot be read"), "{message}");
}

/// The vendor's documents have chapters that do not say enough: findings, and no panic.
#[test]
fn vendor_documents_are_probed() {
    let Some(dir) = common::shared("VISAKIT_UPSTREAM", "../shared/upstream-spec") else {
        common::have("vendor_documents_are_probed", "shared", false, "folder of the vendor's documents");
        return;
    };
    for revision in ["2022-12", "2025-02"] {
        let (model, _) = visakit_codegen::read_dir(&dir.join(revision)).unwrap();
        let model = visakit::diff::with_own_chapters(&model).unwrap_or(model);
        let report = run(&model);
        assert!(report.facts["opcode"].passed > 200, "{revision}");
        assert!(!report.findings.is_empty(), "{revision}");
    }
}

/// What a wrong generator would write, each change in another instruction or list.
const EMITTED: &[Change] = &[
    change(
        "instructions.rs",
        "fn decode(r: &mut rt::Reader",
        "0x01 => Add::",
        "0xf7 => Add::",
        "opcode",
        "ADD.opcode",
    ),
    change("instructions.rs", "impl Mad {", "src1: v_src1,", "src1: v_src2.clone(),", "field-", "MAD.Src1"),
    change("instructions.rs", "impl Mad {", "src2: v_src2,", "src2: v_src1,", "field-", "MAD.Src1"),
    change(
        "instructions.rs",
        "impl Dpas {",
        "\"RC\", r, |r| Ok(<u8 as rt::Wire>::decode(r, cx)?)",
        "\"RC\", r, |r| Ok(<u16 as rt::Wire>::decode(r, cx)? as u8)",
        "field-width",
        "DPAS.RC",
    ),
    change(
        "instructions.rs",
        "let v_file_name",
        "rt::Version::new(3u8, 4u8)",
        "rt::Version::new(3u8, 5u8)",
        "field-width",
        "FILE.File_name",
    ),
    change(
        "instructions.rs",
        "impl Info {",
        "matches!(v_op, InfoOp::Resinfo)",
        "matches!(v_op, InfoOp::Sampleinfo)",
        "presence",
        "INFO.LOD",
    ),
    change(
        "instructions.rs",
        "impl LscUntypedQuad {",
        "if value as u64\n",
        "if false && value as u64\n",
        "copy-accepted",
        "LSC_UNTYPED.quad.ChMask",
    ),
    change(
        "instructions.rs",
        "impl Switchjmp {",
        "for _ in 0..v_num_labels",
        "for _ in 1..v_num_labels",
        "field-",
        "SWITCHJMP",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for RelOp",
        "0x02 => Self::Gt,",
        "0x02 => Self::Ge,",
        "field-value",
        "Rel_op.0b010",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for MediaModifier",
        "0x05 => Self::BottomMod,",
        "",
        "enumerator-missing",
        "Media_modifier.0b101",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for AddressWidth",
        "0x04 =>",
        "0x04 | 0x05 =>",
        "reserved-accepted",
        "Address_width.0b101",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for LifetimeProperties {",
        "!0x31 != 0",
        "!0x33 != 0",
        "reserved-accepted",
        "LIFETIME.Properties[1]",
    ),
    change(
        "lists.rs",
        "impl rt::Bits for LscFenceOp",
        "0x06 =>",
        "0x06 | 0x07 =>",
        "enumerator-extra",
        "Lsc_fence_op.0b00000111",
    ),
    change("text.rs", "impl Frc {", "p.text(\"frc\")", "p.text(\"frac\")", "text-printed", "FRC.Text"),
    change("text.rs", "c.expect(\"lrp\")?", "c.expect(\"lrp\")?", "c.expect(\"lerp\")?", "text-parsed", "LRP.Text"),
    change("text.rs", "pub const MNEMONICS", "\"yield\",", "\"yield\", \"zap\",", "mnemonic-extra", "mnemonic.zap"),
    change(
        "text.rs",
        "fn lsc_untyped_access",
        "let mut f_addr_scale: u16 = 1;",
        "let mut f_addr_scale: u16 = 2;",
        "text-parsed",
        "LSC_UNTYPED.access.AddrScale=1",
    ),
    change("reflection.rs", "static POW:", "DataType::Hf", "DataType::Df", "type-refused", "POW."),
    change(
        "reflection.rs",
        "static MULH:",
        "\"general\", \"indirect\", \"immediate\"",
        "\"general\", \"indirect\"",
        "class-refused",
        "MULH.Src0.immediate",
    ),
    change(
        "reflection.rs",
        "static IFCALL:",
        "Some((0i64, 32i64))",
        "Some((0i64, 33i64))",
        "range-accepted",
        "IFCALL.Arg_size=33",
    ),
    change(
        "reflection.rs",
        "static ROL:",
        "platforms: &[",
        "platforms: &[rt::reflect::Platforms { from: Some(Platform::Skl), before: Some(Platform::Bxt) },",
        "platform-accepted",
        "ROL.platform.skl",
    ),
    change(
        "reflection.rs",
        "static AVG:",
        "saturation: rt::reflect::Saturation::Yes",
        "saturation: rt::reflect::Saturation::No",
        "saturation-refused",
        "AVG.Dst.sat",
    ),
    change(
        "reflection.rs",
        "static SHL:",
        "SourceModifier::Arithmetic",
        "SourceModifier::None",
        "modifier-refused",
        "SHL.Src0.",
    ),
    change("reflection.rs", "static DPASW:", "\"8\",", "\"4\",", "only-", "DPASW"),
    change("reflection.rs", "static SHR:", "dst: &[", "dst: &[DataType::F, ", "type-map-accepted", "SHR.map.F"),
    change(
        "structures.rs",
        "impl rt::Wire for GenBinaryInfo",
        "Ok(<u8 as rt::Wire>::decode(r, cx)?)",
        "Ok(<u16 as rt::Wire>::decode(r, cx)? as u8)",
        "member-width",
        "gen_binary_info.gen_platform",
    ),
    change("tables.rs", "name: \"%sp\"", "%sp", "%stack", "predefined-name", "predefined.%sp"),
    change("tables.rs", "Self::Bf => 16u32", "16u32", "32u32", "data-type", "Data_type.BF"),
    change("tables.rs", "name: \"NBarrierCnt\"", "\"1, 4\"", "\"1, 2\"", "attribute", "attribute.NBarrierCnt"),
    change("tables.rs", "Self::Pvcxt => 64u32", "64u32", "32u32", "platform-registers", "platform.pvcxt.registers"),
];

/// A copy of the package whose build corrupts what the generator emits, in every kind of fact at once.
#[test]
fn a_wrong_generator_is_found() {
    let required = std::env::var("VISAKIT_REQUIRE").unwrap_or_default();
    if !required.split(',').any(|r| r == "build") {
        eprintln!("skipped: a_wrong_generator_is_found: it builds the package again; set VISAKIT_REQUIRE=build");
        return;
    }
    let dir = common::scratch("impl_diff_build");
    for part in ["Cargo.toml", "Cargo.lock", "build.rs", "README.md", "src", "codegen", "spec", "benches"] {
        copy(&common::root().join(part), &dir.join(part));
    }
    let build = std::fs::read_to_string(dir.join("build.rs")).unwrap();
    let wrong = build
        .replace("fs::write(out.join(file.name), text)", "fs::write(out.join(file.name), corrupt(file.name, text))");
    assert_ne!(wrong, build);
    let rows: String =
        EMITTED.iter().map(|c| format!("({:?}, {:?}, {:?}, {:?}),\n", c.file, c.anchor, c.from, c.to)).collect();
    let corrupt = format!(
        "\nfn corrupt(name: &str, mut text: String) -> String {{\n\
         let rows: &[(&str, &str, &str, &str)] = &[{rows}];\n\
         for (file, anchor, from, to) in rows.iter().filter(|r| r.0 == name) {{\n\
         let start = text.find(anchor).unwrap_or_else(|| panic!(\"{{file}}: no {{anchor}}\"));\n\
         let at = text[start..].find(from).unwrap_or_else(|| panic!(\"{{file}}: no {{from}} behind {{anchor}}\"));\n\
         text.replace_range(start + at..start + at + from.len(), to);\n}}\ntext\n}}\n"
    );
    std::fs::write(dir.join("build.rs"), wrong + &corrupt).unwrap();
    // The dependencies are those of the other test that builds the package again.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new_page_target");
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--bin",
            "visa",
            "--config",
            "profile.dev.package.visakit.opt-level=0",
            "--target-dir",
        ])
        .arg(&target)
        .current_dir(&dir)
        .status()
        .unwrap();
    assert!(status.success());
    let output = Command::new(target.join("debug/visa")).args(["diff", "--format", "json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let all: Vec<(String, Vec<String>)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            let text = |v: &serde_json::Value| v.as_str().unwrap_or("").to_owned();
            let mut paths = vec![text(&f["path"])];
            paths.extend(f["facts"].as_array().into_iter().flatten().map(text));
            (text(&f["code"]), paths)
        })
        .collect();
    let lost: Vec<_> = EMITTED
        .iter()
        .filter(|c| {
            !all.iter().any(|(code, paths)| code.starts_with(c.code) && paths.iter().any(|p| p.starts_with(c.path)))
        })
        .map(|c| format!("{} {}", c.code, c.path))
        .collect();
    assert!(lost.is_empty(), "not found:\n{}\nfound:\n{all:#?}", lost.join("\n"));
    // Nothing but what was corrupted is reported: what follows from it stands on the same instruction or list.
    let named = ["kernel-missing", "opcode-extra", "predefined-name"];
    let head = |path: &str| path.split(['.', '=', '[', '*', ':', '@']).next().unwrap_or("").to_owned();
    let known: Vec<String> = EMITTED.iter().map(|c| head(c.path)).collect();
    let others: Vec<_> = all
        .iter()
        .filter(|(code, paths)| !named.contains(&code.as_str()) && !known.contains(&head(&paths[0])))
        // A type of another size is another type wherever an operand has it.
        .filter(|(_, paths)| !paths.iter().all(|p| p.ends_with(".BF")))
        .collect();
    assert!(others.is_empty(), "{others:#?}");
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        copy(&path, &to.join(path.file_name().unwrap()));
    }
}
