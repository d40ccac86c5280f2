//! `visa diff` finds only missing kernels for the pages from which the program was built, and finds
//! each changed fact of a changed page.

use visakit::sources::SPECIFICATION;
use visakit_codegen::model::{Constraint, Model, Page, Presence};
use visakit_conform::{Finding, Report, own_model, run};

/// Change, with the code and the path prefix of the expected finding.
struct Change {
    /// Page, or file of generated Rust code.
    file: &'static str,
    /// Text before the change: the first `from` after this anchor is replaced.
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

/// Returns the text with the first `from` after the anchor replaced.
fn replaced(text: &str, change: &Change) -> String {
    let anchor = text.find(change.anchor).unwrap_or_else(|| panic!("{}: no `{}`", change.file, change.anchor));
    let at = text[anchor..].find(change.from).map(|n| anchor + n);
    let at = at.unwrap_or_else(|| panic!("{}: no `{}` behind `{}`", change.file, change.from, change.anchor));
    format!("{}{}{}", &text[..at], change.to, &text[at + change.from.len()..])
}

/// Pages that differ from those from which the program was built. Each change has its own page, or
/// a part of a chapter that no other change uses.
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
        "| 0b100 | 16 |",
        "| 0b100 | reserved |",
        "reserved-accepted",
        "Address_width.0b100",
    ),
    change(
        "lists.md",
        "## Sampler_parameter",
        "| mcs | 64 |",
        "| mcs | 32 |",
        "column",
        "Sampler_parameter.mcs.Bits",
    ),
    change("lists.md", "## Exec_mask", "| M5_NM | 16 |", "| M5_NM | 12 |", "execution", "Exec_size.M5_NM:4"),
    change("verification.md", "| `samplers` |", "128", "127", "column", "limit.samplers"),
    change("lists.md", "## Owords", "{XEHP+}", "{DG2+}", "only-accepted", "OWORD_LD"),
    change("lists.md", "## Alignment", "| GRFx2 |", "| twice |", "declaration", "Alignment.twice"),
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
        "| 20 | %msg0 | | UD | 3 | 3 | R | message register |\n",
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
    change("verification.md", "| `address-scale` |", "<= 1", "<= 2", "across-refused", "LSC_UNTYPED.address-scale"),
    change(
        "verification.md",
        "| `early-block-rows` |",
        "<= 32",
        "< 32",
        "across-accepted",
        "LSC_UNTYPED.early-block-rows",
    ),
    change(
        "verification.md",
        "| `fence-scope` |",
        "Lsc_scope.group",
        "Lsc_scope.local",
        "across-accepted",
        "LSC_FENCE.fence-scope",
    ),
    change(
        "verification.md",
        "| `pixel-mask` |",
        "3D_LOAD, 3D_SAMPLE4 | {-SKL}",
        "3D_LOAD, 3D_SAMPLE4 | {-ICLLP}",
        "across-accepted",
        "3D_LOAD.pixel-mask",
    ),
    change(
        "verification.md",
        "| `state-operand` |",
        "is_state(src0)",
        "is_null(src0)",
        "across-refused",
        "MOVS.state",
    ),
    change("platforms.md", "| pvcxt", "| 64 |", "| 32 |", "platform-registers", "platform.pvcxt.registers"),
    change("platforms.md", "| arl |", "arl-h", "arrow", "platform-alias", "platform.arl.arrow"),
];

/// Expected findings of the same changes in the other direction.
const EXTRAS: &[(&str, &str)] = &[
    ("opcode-extra", "0x01"),
    ("sub-opcode-extra", "0x4e.0x07"),
    ("mnemonic-extra", "mnemonic.frc"),
    ("instruction-extra", "FRET"),
    ("opcode-extra", "0x68"),
    ("predefined-extra", "predefined.%msg0"),
];

fn found(report: &[Finding], code: &str, path: &str) -> bool {
    report.iter().any(|f| f.diagnostic.code == code && f.path.starts_with(path))
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
    // Facts of every kind on the pages were probed.
    for kind in [
        "alias",
        "attribute",
        "class",
        "column",
        "copy",
        "data-type",
        "declaration",
        "end",
        "enumerator",
        "execution",
        "field",
        "form",
        "index",
        "instruction",
        "kernel",
        "layout",
        "limit",
        "mnemonic",
        "modifier",
        "number",
        "object",
        "opcode",
        "platform",
        "predefined",
        "raw",
        "read-only",
        "region",
        "repeat",
        "reserved",
        "rule",
        "rule-across",
        "rule-declared",
        "rule-row",
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
    // Each row is kept by one instruction of each page that it covers, and broken by another. Rows
    // about fields that only texts have are exempt, because objects do not contain these fields.
    // A row about operands may hold on a page by its types.
    let words = only_in_texts(&model);
    let says = |c: &&Constraint| {
        let row = format!("{:?} {:?}", c.when, c.must);
        words.iter().any(|word| row.contains(&format!("{word:?}")))
    };
    let covered = |c: &Constraint| {
        let pages = model.instructions.iter().filter(|page| !page.forms.is_empty());
        pages.filter(|page| model.covers(&c.instructions, page)).count()
    };
    let probes = |rows: &[&Constraint]| rows.iter().map(|c| 2 * covered(c)).sum::<usize>();
    let (operands, rest): (Vec<_>, Vec<_>) = model.constraints.iter().partition(|c| !c.each.is_empty());
    let (textual, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(says);
    let (least, most) = (2 * operands.len(), probes(&operands));
    let (textual, others, probed) = (probes(&textual), probes(&others), report.facts["rule-across"].probed);
    assert!(
        others + least <= probed && probed < others + textual + most,
        "{probed} of {others}, {textual} and {least} to {most}"
    );
    let encoding = model.instructions.iter().filter(|i| !i.forms.is_empty()).count();
    assert_eq!(report.filled + report.missing.len() + report.undefined.len(), encoding);
}

/// Codes about the flow of values and control, which are no facts of the pages.
const FLOW: [&str; 5] = ["limit", "unreachable", "unread-predicate", "unwritten", "divergent-barrier"];

/// Probes violate each check of verification.md, and each rule with a separate code.
#[test]
fn every_finding_is_probed() {
    let (model, _) = own_model();
    let report = run(&model);
    let reference = include_str!("../../../docs/reference/errors.md");
    let (_, verification) = reference.split_once("\n## Verification\n").expect("the verifier's codes");
    let (verification, _) = verification.split_once("\n## ").expect("another section");
    let codes: Vec<&str> =
        verification.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`')).collect();
    assert!(codes.len() > 25, "{codes:?}");
    let of_checks = |code: &str| {
        let checks = model.checks.iter().filter(|check| check.finding == code);
        checks.map(|check| check.name.as_str()).collect::<Vec<_>>()
    };
    let words = only_in_texts(&model);
    let of_texts = |c: &&Constraint| {
        let row = format!("{:?} {:?}", c.when, c.must);
        words.iter().any(|word| row.contains(&format!("{word:?}")))
    };
    let mut missing: Vec<String> = Vec::new();
    for code in codes.into_iter().filter(|code| !FLOW.contains(code)) {
        let checks = of_checks(code);
        let has_rows = model.constraints.iter().any(|row| row.finding == code && !of_texts(&row));
        let is_probed = |rule: &str| report.violated.get(rule).is_some_and(|times| *times > 0);
        missing.extend(checks.iter().filter(|check| !is_probed(check)).map(|check| format!("{code}: {check}")));
        if (checks.is_empty() || has_rows) && !is_probed(code) {
            missing.push(code.to_owned());
        }
    }
    let known = |check: &&visakit_codegen::model::Check| reference.contains(&format!("### `{}`", check.finding));
    missing.extend(model.checks.iter().filter(|c| !known(c)).map(|c| format!("{} is not in errors.md", c.finding)));
    assert!(missing.is_empty(), "no probe violates: {missing:#?}");
}

/// Returns the names of fields that only texts have, and of definitions that use such a field.
fn only_in_texts(model: &Model) -> Vec<String> {
    let fields = model.instructions.iter().flat_map(|i| &i.forms).flat_map(|form| &form.fields);
    let fields = fields.filter(|field| field.presence == Presence::Text);
    let mut words: Vec<String> = fields.map(|field| field.name.to_ascii_lowercase()).collect();
    for definition in &model.definitions {
        let value = format!("{:?}", definition.value);
        if words.iter().any(|word| value.contains(&format!("{word:?}"))) {
            words.push(definition.name.clone());
        }
    }
    words
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
    let foo = include_str!("../../../tests/pages/FOO.md").to_owned();
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
    // Findings on unchanged pages concern only shared lists and variables.
    let changed: Vec<&str> = PAGES.iter().map(|c| c.file).chain(["instructions/FOO.md", ""]).collect();
    let others: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.diagnostic.code != "kernel-missing" && !changed.contains(&f.diagnostic.file.as_str()))
        .map(|f| f.diagnostic.message.as_str())
        .collect();
    let is_shared = |m: &&str| m.starts_with("OWORD_") || m.contains("BF") || m.contains("for pvcxt:");
    assert!(others.iter().all(is_shared), "{others:#?}");
}

/// A grammar member with another name is a finding. It must not make the probes use the chapters of
/// another specification.
#[test]
fn a_name_of_the_grammar_is_missed_at_its_place() {
    let mut pages: Vec<Page> = visakit_conform::own_pages().collect();
    let operands = pages.iter_mut().find(|p| p.path == "5_operands.md").unwrap();
    operands.text = operands.text.replace("row_offset", "row_offest");
    let (model, _) = visakit_codegen::read_texts(pages);
    let lacks = visakit_codegen::complete(&model);
    let [lack] = lacks.as_slice() else { panic!("{lacks:#?}") };
    assert!(lack.code == "name-missing" && lack.help.contains("`row_offest`") && lack.line > 0, "{lack:#?}");
    assert!(visakit_conform::with_own_chapters(&model).is_none());
    let report = run(&model);
    assert!(found(&report.findings, "structure-missing", "member row_offset of gen_opnd"), "{}", listed(&report));
}

/// The vendor's chapters are incomplete: they cause findings and no panic.
#[test]
fn vendor_documents_are_probed() {
    let Some(dir) = visakit_testing::upstream("vendor_documents_are_probed") else { return };
    for revision in ["2022-12", "2025-02"] {
        let (model, _) = visakit_codegen::read_dir(&dir.join(revision)).unwrap();
        let model = visakit_conform::with_own_chapters(&model).unwrap_or(model);
        let report = run(&model);
        assert!(report.facts["opcode"].passed > 200, "{revision}");
        assert!(!report.findings.is_empty(), "{revision}");
    }
}
