//! Command `visa diff`: probes edited pages and attributes failing facts to the edits.

mod common;

use std::path::Path;

use common::run;
use visakit::sources::SPECIFICATION;

/// Edit of our pages: file, text before the edit, old text, new text, and class and beginning of
/// the cause.
struct Edit(&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

/// Edits of all kinds that facts depend on. No two edits affect the same text.
const EDITS: &[Edit] = &[
    Edit(
        "lists.md",
        "## Exec_mask",
        "| M8 |",
        "| M9 |",
        "text-only",
        "Exec_mask.0b0111: enumerator renamed M8 -> M9",
    ),
    Edit("lists.md", "## Rel_op", "0b010: gt", "0b010: above", "text-only", "Rel_op.0b010: enumerator renamed gt"),
    Edit("lists.md", "## Owords", "{XEHP+}", "{DG2+}", "narrowed", "Owords.0b100: platform"),
    Edit("lists.md", "## Address_width", "| 0b100 | 16 |", "| 0b100 | reserved |", "narrowed", "Address_width.0b100"),
    Edit("instructions/MUL.md", "## Opcode", "0x10", "0xf7", "wire-breaking", "MUL: opcode 0x10 -> 0xf7"),
    Edit(
        "instructions/ADD.md",
        "## Format",
        "Exec_size | Pred",
        "Pred | Exec_size",
        "wire-breaking",
        "ADD.Pred: order",
    ),
    Edit("instructions/DPAS.md", "## Description", "RC(ub)", "RC(uw)", "wire-breaking", "DPAS.RC: width ub -> uw"),
    Edit(
        "instructions/INFO.md",
        "LOD(raw",
        "if Op=resinfo",
        "if Op=sampleinfo",
        "wire-breaking",
        "INFO.LOD: presence",
    ),
    Edit("instructions/IFCALL.md", "Arg_size(", "[0-32]", "[0-31]", "narrowed", "IFCALL.Arg_size: range [0-32]"),
    Edit("instructions/MULH.md", "Src1(", ", immediate", "", "narrowed", "MULH.Src1: operand class -immediate"),
    Edit("instructions/POW.md", "Supported Types", "HF, F", "HF", "narrowed", "POW.Supported_Types: type -F"),
    Edit("instructions/AVG.md", "Saturation", "Yes", "No", "narrowed", "AVG.Saturation: property Yes -> No"),
    Edit("instructions/SHR.md", "Type map", "UD, D, UW", "UD, UW", "narrowed", "SHR.Type_map.Dst: type map -D"),
    Edit("instructions/ROL.md", "Platforms", "{ICLLP+}", "{DG2+}", "narrowed", "ROL: platform"),
    Edit("instructions/FRC.md", "## Text", "FRC[", "FRAC[", "text-only", "FRC.Text: text"),
    Edit("instructions/DPASW.md", "Exec_size(", "size: 8.", "size: 8, 16.", "widened", "DPASW.Exec_size.size.0b100"),
    Edit("verification.md", "| `early-block-rows` |", "<= 32", "< 32", "", "early-block-rows.Must: rule"),
    Edit("4_object_format.md", "## Predefined variables", "%sp", "%stack", "text-only", ""),
    Edit("platforms.md", "| pvcxt", "| 64 |", "| 32 |", "wire-breaking", "pvcxt: width"),
    // Edits that no fact depends on cause no finding.
    Edit("instructions/ADD.md", "## Description", "channel by channel", "all at once", "-", ""),
    Edit("instructions/ADD.md", "## Semantics", "src0[i] + src1[i]", "src1[i] + src0[i]", "-", ""),
];

/// Returns the text with the first `from` after the anchor replaced, and the line of the edit.
fn edited(text: &str, Edit(file, anchor, from, to, ..): &Edit) -> (String, u64) {
    let anchor = text.find(anchor).unwrap_or_else(|| panic!("{file}: no `{anchor}`"));
    let at = anchor + text[anchor..].find(from).unwrap_or_else(|| panic!("{file}: no `{from}`"));
    let line = text[..at].matches('\n').count() as u64 + 1;
    (format!("{}{to}{}", &text[..at], &text[at + from.len()..]), line)
}

fn write(dir: &Path, file: &str, text: &str) {
    let path = dir.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn findings_are_led_back_to_edits() {
    let dir = visakit_testing::scratch("impl_diff_spec");
    let mut pages: Vec<(&str, String)> =
        SPECIFICATION.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
    let mut lines = Vec::new();
    for edit in EDITS {
        let page = pages.iter_mut().find(|(path, _)| *path == edit.0).unwrap();
        let (text, line) = edited(&page.1, edit);
        page.1 = text;
        lines.push((page.0, line));
    }
    // A removed page is found because the implementation has an extra instruction.
    pages.retain(|(path, _)| *path != "instructions/FRET.md");
    pages.iter().for_each(|(path, text)| write(&dir, path, text));
    let spec = dir.to_str().unwrap();
    let (exit, json, _) = run(&["diff", "--spec", spec, "--no-behaviour", "--format", "json"]);
    assert_eq!(exit, 1);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let (causes, findings) = (report["causes"].as_array().unwrap(), report["findings"].as_array().unwrap());
    let shown: String = causes
        .iter()
        .map(|c| format!("{} {} {}:{} {}\n", c["facts"], c["class"], c["file"], c["line"], c["what"]))
        .collect();
    let places = EDITS.iter().zip(&lines).filter(|(edit, _)| edit.4 != "-");
    for (Edit(_, _, from, _, class, what), (file, line)) in places.clone() {
        let cause = causes.iter().find(|c| c["file"].as_str().unwrap().ends_with(file) && c["line"] == *line);
        let cause = cause.unwrap_or_else(|| panic!("{file}:{line} {from}: no cause\n{shown}"));
        assert!(cause["class"].as_str().unwrap().starts_with(class), "{from}: {cause}\n{shown}");
        assert!(cause["what"].as_str().unwrap().starts_with(what), "{from}: {cause}\n{shown}");
        assert!(!cause["help"].as_str().unwrap().is_empty());
    }
    let gone = causes.iter().find(|c| c["what"].as_str().unwrap().starts_with("FRET: instruction removed")).unwrap();
    assert_eq!(gone["file"], "spec/instructions/FRET.md");
    assert_eq!(causes.len(), places.clone().count() + 1, "{shown}");
    // Every finding has a cause with a correct count of facts, and is at an edited line of its
    // page.
    for cause in causes {
        let own = findings.iter().filter(|f| f["cause"] == cause["id"]).count() as u64;
        assert_eq!(cause["facts"], own, "{cause}");
    }
    let lost = findings.iter().find(|f| {
        let at = |(file, line): &(&str, u64)| f["file"].as_str().unwrap().ends_with(file) && f["line"] == *line;
        !lines.iter().any(at) && f["cause"] != gone["id"]
    });
    assert!(lost.is_none(), "{lost:#?}\n{shown}");
    // An edited list has one cause, even if many pages use the list.
    assert!(causes[0]["instructions"].as_array().unwrap().len() < 200 && findings.len() > 40, "{shown}");
    assert!(report["facts"]["opcode"]["probed"].as_u64().unwrap() > 250);

    // The human-readable report begins with the totals, then the causes; with details, each finding
    // has its line.
    let (exit, summary, findings) = run(&["diff", "--spec", spec, "--no-behaviour", "--details"]);
    assert_eq!(exit, 1);
    let first = summary.lines().next().unwrap();
    let totals = ["facts hold; ", " do not: ", " wire-breaking, ", " narrowed, "];
    assert!(totals.iter().all(|words| first.contains(words)), "{first}");
    let listed = &summary[summary.find("\nwire-breaking: ").unwrap()..];
    assert!(listed.lines().all(|line| line.chars().count() <= 100) && !listed.contains('\x1b'), "{listed}");
    assert!(listed.contains("  ADD.Pred: order field 2") && listed.contains("instructions/ADD.md:9\n"), "{listed}");
    assert!(
        summary.contains("RAW_SENDS.md:3: no public text defines its behaviour (no finding)")
            && summary.contains("facts that hold, of"),
        "{summary}"
    );
    assert!(
        findings.contains("error[field-order]: ADD.Pred") && findings.contains("instructions/ADD.md:9"),
        "{findings}"
    );
    assert!(findings.contains("| 0x01(ADD) | Pred | Exec_size |"), "{findings}");
}

#[test]
fn the_pages_in_the_program_hold() {
    let (exit, summary, rest) = run(&["diff"]);
    assert_eq!((exit, rest.as_str()), (0, ""), "{summary}");
    assert!(summary.contains(" facts hold\n") && !summary.contains("do not"), "{summary}");
    assert!(summary.contains("no public text defines what ") && summary.contains(" instructions do: "), "{summary}");
    assert!(summary.contains("\nthe behaviour of ") && summary.contains(" channels\n"), "{summary}");
    let (_, summary, _) = run(&["diff", "--no-behaviour"]);
    assert!(!summary.contains("the behaviour of"), "{summary}");
    let (exit, _, message) = run(&["diff", "--spec", "/no/such/folder"]);
    assert_eq!(exit, 2);
    assert!(message.contains("cannot be read"), "{message}");
}
