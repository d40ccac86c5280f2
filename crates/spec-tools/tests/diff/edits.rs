//! Edits of whole specifications: the changes and causes that each of them has.

use std::collections::BTreeSet;
use std::path::Path;

use visakit_spec_tools::diff::Class::{Narrowed as N, TextOnly as T, WireBreaking as W};
use visakit_spec_tools::diff::{Cause, causes, diff};

use crate::{model, ours, pages, platforms, upstream};

#[test]
fn a_page_comes_or_goes() {
    let all = pages(&ours());
    let less: Vec<_> = all.iter().filter(|(name, _)| name != "instructions/ADD.md").cloned().collect();
    let found = diff(&model(&all), &model(&less), &[]);
    let seen: Vec<_> = found.iter().map(|c| (c.class, c.kind, c.path.as_str())).collect();
    assert_eq!(seen, [(N, "instruction-removed", "ADD")]);
    // Another instruction now has the opcode of the removed one.
    let reused: Vec<_> = all
        .iter()
        .map(|(name, text)| match name.as_str() {
            "instructions/ADD.md" => {
                let text = text.replace("ADD", "PLUS").replace("| Exec_size | Pred |", "| Pred |");
                (name.clone(), text.replace("Src0", "First").replace("Src1", "Second").replace("Dst(", "Place("))
            }
            _ => (name.clone(), text.clone()),
        })
        .collect();
    let found = diff(&model(&all), &model(&reused), &[]);
    let seen: Vec<_> = found.iter().map(|c| (c.class, c.kind, c.path.as_str())).collect();
    assert!(seen.contains(&(W, "instruction-removed", "ADD")), "{seen:?}");
    assert!(seen.contains(&(W, "instruction-added", "PLUS")), "{seen:?}");
}

/// A field that is renamed on its whole page is one change, apart from the words that name it.
#[test]
fn a_renamed_field() {
    let all = pages(&ours());
    let mut renamed = all.clone();
    let page = renamed.iter_mut().find(|(name, _)| name == "instructions/GATHER.md").unwrap();
    page.1 = page.1.replace("Global_offset", "Base").replace("global_offset", "base");
    let found = diff(&model(&all), &model(&renamed), &[]);
    let seen: Vec<_> = found.iter().map(|c| (c.class, c.kind, c.path.as_str())).collect();
    assert_eq!(seen, [(T, "field-renamed", "GATHER.Base"), (T, "semantics", "GATHER.Semantics")]);
}

/// A changed shared list is one entry that names the affected instructions.
#[test]
fn a_shared_list_changes_once() {
    let all = pages(&ours());
    let mut changed = all.clone();
    let page = changed.iter_mut().find(|(name, _)| name == "lists.md").unwrap();
    page.1 = page.1.replacen("| 0b101 | 32 |", "| 0b101 | reserved |", 1);
    let found = diff(&model(&all), &model(&changed), &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].class, found[0].path.as_str()), (N, "Exec_size.size.0b101"));
    assert!(found[0].touches.len() > 90 && found[0].touches.contains(&"ADD".to_owned()));
}

/// A change of a definition names the instructions of the rows that use it.
#[test]
fn a_definition_touches_the_instructions_of_its_rows() {
    let all = pages(&ours());
    let touched = |from: &str, to: &str| {
        let mut changed = all.clone();
        let page = changed.iter_mut().find(|(name, _)| name == "verification.md").unwrap();
        assert!(page.1.contains(from), "{from}");
        page.1 = page.1.replacen(from, to, 1);
        let found = diff(&model(&all), &model(&changed), &[]);
        assert!(!found.is_empty());
        found.into_iter().flat_map(|change| change.touches).collect::<BTreeSet<_>>()
    };
    let media = ["MEDIA_LD", "MEDIA_ST"].map(str::to_owned).into();
    assert_eq!(touched("`block_width <= 4 ? 64", "`block_width < 4 ? 64"), media);
    let counts = touched(": dataelemsperaddr.count`", ": dataelemsperaddr.count + 1`");
    assert!(counts.contains("LSC_TYPED") && counts.contains("LSC_UNTYPED"), "{counts:?}");
}

/// Returns the causes of edits. Each edit replaces all matches in the pages whose path begins with
/// its file.
fn causes_of(dir: &Path, edits: &[(&str, &str, &str)]) -> Vec<Cause> {
    let mut old = pages(dir);
    // A subset of the pages is sufficient and is read much faster.
    old.retain(|(path, _)| {
        !path.starts_with("instructions/") || ["A", "G"].iter().any(|n| path[13..].starts_with(n))
    });
    let mut new = old.clone();
    for (file, from, to) in edits {
        let mut found = false;
        for (_, text) in new.iter_mut().filter(|(path, text)| path.starts_with(file) && text.contains(from)) {
            *text = text.replacen(from, to, 1);
            found = true;
        }
        assert!(found, "{file}: no `{from}`");
    }
    causes(&diff(&model(&old), &model(&new), &platforms()))
}

/// An edit is one cause, even if it changes many facts; equal edits of many pages are one cause.
#[test]
fn one_edit_is_one_cause() {
    let one = |edits: &[(&str, &str, &str)], class, what: &str, subjects: usize, changes: usize| {
        let found = causes_of(&ours(), edits);
        let [cause] = found.as_slice() else { panic!("{edits:?}: {found:#?}") };
        assert_eq!((cause.class, cause.what.as_str()), (class, what), "{edits:?}");
        assert_eq!((cause.subjects.len(), cause.changes.len()), (subjects, changes), "{edits:?}: {cause:#?}");
        cause.clone()
    };
    let renamed = one(&[("lists.md", "| M8 |", "| M9 |")], T, "Exec_mask.0b0111: enumerator renamed M8 -> M9", 1, 1);
    assert!(renamed.touches.len() > 8 && renamed.help.contains("Rust name"), "{renamed:?}");
    assert_eq!(renamed.new.unwrap().line, 42);
    // A line of a page loses and gains elements.
    let types = [("instructions/GATHER.md", "Must have type UD, D, F", "Must have type UD, HF")];
    one(&types, N, "GATHER.Dst: type -D -F +HF", 1, 3);
    // The fields of a page, in its table and in the list below it.
    let field = [
        ("instructions/AVG.md", "| Exec_size | Pred |", "| Mode | Exec_size | Pred |"),
        ("instructions/AVG.md", "- **Exec_size(ub)", "- **Mode(ub):** A number\n- **Exec_size(ub)"),
    ];
    one(&field, W, "AVG.Mode: field added Mode(ub)", 1, 1);
    one(
        &[("instructions/ADD.md", "| Src0 | Src1 |", "| Src1 | Src0 |")],
        W,
        "ADD.Src1: order field 5, after Src0 -> field 4, after Dst",
        1,
        1,
    );
    // Equal edits of many pages, on lines with different remaining text.
    let all = causes_of(&ours(), &[("instructions/", "**Saturation:** Yes", "**Saturation:** No")]);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].what == "Saturation: property Yes -> No" && all[0].subjects.len() > 3, "{all:#?}");
    let bytes = ("instructions/", "**Supported Types:** B, UB,", "**Supported Types:** UB,");
    let found = causes_of(&ours(), &[bytes, ("instructions/ADD.md", ", HF, F", ", F")]);
    let [all, add] = found.as_slice() else { panic!("{found:#?}") };
    assert!(all.what == "Supported_Types: type -B" && all.subjects.len() > 1, "{all:#?}");
    assert!(add.what == "ADD.Supported_Types: type -B -HF" && add.subjects == ["ADD"], "{add:#?}");
    // A renamed column, and a changed word in a sentence that two pages share.
    one(
        &[("lists.md", "| Elements | Destination |", "| Elements | Written |")],
        T,
        "Stride.Written: column added Written; Stride.Destination: column removed Destination",
        1,
        2,
    );
    let words = one(
        &[
            ("instructions/ADD.md", "channel by channel", "all at once"),
            ("instructions/ADD.md", "infinite addend", "infinite operand"),
        ],
        T,
        "ADD: description, notes",
        1,
        2,
    );
    assert!(words.is_prose);
    // Edits at different places stay separate; the more severe one comes first.
    let two =
        causes_of(&ours(), &[("lists.md", "| M8 |", "| M9 |"), ("instructions/ADD.md", "ADD = 0x01", "ADD = 0xf1")]);
    assert_eq!(
        two.iter().map(|c| c.what.as_str()).collect::<Vec<_>>(),
        ["ADD: opcode 0x01 -> 0xf1", "Exec_mask.0b0111: enumerator renamed M8 -> M9"]
    );
}

/// The vendor spells out a list on each page that has it.
#[test]
fn one_edit_of_all_the_vendors_pages() {
    let Some(dir) = upstream("one_edit_of_all_the_vendors_pages", "2025-02") else { return };
    let found = causes_of(&dir, &[("instructions/", "    - 0b101:  32 elements\n", "")]);
    assert!(found[0].what.ends_with("0b101: enumerator removed 32"), "{found:#?}");
    assert!(
        found[0].subjects.len() > 8 && found.len() < 5,
        "{:#?}",
        found.iter().map(|c| &c.what).collect::<Vec<_>>()
    );
}

/// A page that spells out a shared list is equivalent to a page that refers to it.
#[test]
fn a_spelled_out_list_is_the_list() {
    let all = pages(&ours());
    let mut changed = all.clone();
    let list = all.iter().find(|(name, _)| name == "lists.md").unwrap();
    let values: String = list
        .1
        .split("## Exec_mask(bits)")
        .nth(1)
        .unwrap()
        .split("## ")
        .next()
        .unwrap()
        .lines()
        .filter_map(|l| l.strip_prefix("| 0b")?.split_once(" | "))
        .map(|(code, rest)| format!("    - 0b{code}: {}\n", rest.split(' ').next().unwrap()))
        .collect();
    let page = changed.iter_mut().find(|(name, _)| name == "instructions/GATHER.md").unwrap();
    page.1 = page.1.replacen("See [Exec_mask](../lists.md#exec_mask)", &format!("\n{values}"), 1);
    assert!(page.1.contains("- 0b0111: M8"));
    let found = diff(&model(&all), &model(&changed), &[]);
    assert!(found.is_empty(), "{found:#?}");
}
