//! The judge is judged: pages and kernels that are wrong on purpose, one at a time, are found by comparing their behaviour.
//!
//! The test command takes a few wrong kernels; wrong pages take minutes and are run by hand:
//! `cargo test -p visakit-conform --test judged -- --include-ignored --nocapture`. That takes a sample; `VISAKIT_JUDGE=whole` takes all of
//! them. Both print the share that is found.

use visakit_codegen::model::{Model, Page};
use visakit_conform::behaviour::{Effort, Wrong, compare_only};
use visakit_conform::own_pages;

/// Of so many wrong things a plain run takes one.
const SAMPLE: usize = 16;

/// Of so many wrong kernels the test command takes one.
const QUICK_SAMPLE: usize = 90;

/// What is written wrongly: a text and what stands in its place.
const SLIPS: &[(&str, &str)] = &[
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " + "),
    (" / ", " * "),
    (" % ", " / "),
    (" & ", " | "),
    (" | ", " & "),
    (" ^ ", " & "),
    (" << ", " >> "),
    (" >> ", " << "),
    (" >>> ", " << "),
    (" == ", " != "),
    (" != ", " == "),
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    ("src0[i]", "src0[i + 1]"),
    ("src1[i]", "src1[i + 1]"),
    ("src1[i]", "src0[i]"),
    ("dst[i] =", "dst[i + 1] ="),
    ("min(", "max("),
    ("max(", "min("),
    ("floor(", "trunc("),
    ("ceil(", "floor("),
    ("rint(", "trunc("),
    ("trunc(", "rint("),
    ("sin(", "cos("),
    ("cos(", "sin("),
    ("exp2(", "log2("),
    ("log2(", "exp2("),
    ("sqrt(", "inv("),
    ("inv(", "sqrt("),
    ("tanh(", "sigmoid("),
    ("31", "30"),
    ("32", "31"),
    ("63", "31"),
    ("? 1 : 0", "? 0 : 1"),
    ("? -1 : 0", "? 1 : 0"),
    ("1.0", "2.0"),
    ("pred[i] ?", "!pred[i] ?"),
    ("0..4", "0..3"),
    ("127", "128"),
    ("255", "127"),
    ("0xffffffff", "0xffff"),
    ("1)", "2)"),
    ("fma(src0[i], src1[i], src2[i])", "src0[i] * src1[i] + src1[i]"),
    (", src2[i])", ", src1[i])"),
    ("!src0[i]", "src0[i]"),
    ("~src0[i]", "src0[i]"),
    ("~mask", "mask"),
    ("to_bf8", "to_hf8"),
    ("abs(src0[i] - src1[i])", "(src0[i] - src1[i])"),
];

/// Slips after which the page still means the same for every legal instruction, with the reason.
const SAME: &[(&str, &str, &str)] = &[];

fn whole() -> bool {
    std::env::var_os("VISAKIT_JUDGE").is_some_and(|value| value == "whole")
}

/// Every slip of every block, as (page, what, text of the page).
fn slips() -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for page in own_pages().filter(|page| page.path.starts_with("instructions/")) {
        let Some(start) = page.text.find("## Semantics").filter(|_| !page.text.contains("\nundefined\n")) else {
            continue;
        };
        let end = start + page.text[start..].find("## Description").unwrap_or(0);
        for (from, to) in SLIPS {
            for (at, _) in page.text[start..end].match_indices(from).take(2) {
                let at = start + at;
                // What stands there is not defined anyway.
                let line = page.text[..at].rfind('\n').map_or(0, |n| n + 1);
                if page.text[line..].lines().next().is_some_and(|line| line.contains("loose(0, 0)")) {
                    continue;
                }
                let text = format!("{}{to}{}", &page.text[..at], &page.text[at + from.len()..]);
                let line = page.text[..at].matches('\n').count() + 1;
                let is_same = SAME.iter().any(|(name, f, t)| (page.stem(), *from, *to) == (*name, *f, *t));
                if !is_same {
                    out.push((page.stem().to_owned(), format!("{}:{line} `{from}` for `{to}`", page.path), text));
                }
            }
        }
    }
    out
}

fn model_with(stem: &str, text: &str) -> Model {
    let file = format!("instructions/{stem}.md");
    let pages = own_pages().map(|page| match page.path == file {
        true => Page { text: text.to_owned(), ..page },
        false => page,
    });
    visakit_codegen::read_texts(pages.collect()).0
}

/// The name of an instruction on its page.
fn name_of(text: &str) -> Option<String> {
    let line = text.lines().skip_while(|line| !line.contains("## Opcode")).find(|line| line.contains('='))?;
    Some(line.split('=').next()?.trim().to_owned())
}

#[test]
#[ignore = "takes minutes"]
fn wrong_pages_are_found() {
    let (own, _) = visakit_conform::own_model();
    let mut lost = Vec::new();
    let mut tried = 0;
    for (n, (stem, what, text)) in slips().into_iter().enumerate() {
        if !whole() && n % SAMPLE != 0 {
            continue;
        }
        let Some(name) = name_of(&text).and_then(|name| visakit::isa::PAGES.iter().find(|p| p.name == name)) else {
            continue;
        };
        // What cannot be compared at all is no slip of the judge.
        if compare_only(&own, name, &Effort { routines: 1, ..Effort::QUICK }).is_err() {
            continue;
        }
        tried += 1;
        match compare_only(&model_with(&stem, &text), name, &Effort::QUICK) {
            Ok(Some(_)) => {}
            Ok(None) => lost.push(what),
            Err(why) => lost.push(format!("{what}: {why}")),
        }
    }
    println!("{} of {tried} wrong pages found", tried - lost.len());
    assert!(tried > if whole() { 100 } else { 5 }, "{tried}");
    assert!(lost.is_empty(), "not found:\n{}", lost.join("\n"));
}

/// What a wrong kernel does to a result.
type Change = fn(old: u64, new: u64, bytes: u32, nth: u32) -> u64;

const CHANGES: &[(&str, Change)] = &[
    ("the highest bit of one channel", |_, new, bytes, nth| if nth == 1 { new ^ 1 << (bytes * 8 - 1) } else { new }),
    ("one channel is not written", |old, new, _, nth| if nth == 0 { old } else { new }),
    ("four more", |_, new, _, _| new.wrapping_add(4)),
    ("zero where the lowest bit is set", |_, new, _, _| if new & 1 == 1 { 0 } else { new }),
];

#[test]
fn wrong_kernels_are_found() {
    let (model, _) = visakit_conform::own_model();
    let (mut lost, mut tried) = (Vec::new(), 0);
    let pages = visakit::isa::PAGES.iter().flat_map(|page| CHANGES.iter().map(move |change| (page, change)));
    for (n, (page, (what, change))) in pages.enumerate() {
        if !whole() && n % QUICK_SAMPLE != 0 {
            continue;
        }
        let wrong = Wrong { page: page.name, change: *change };
        match compare_only(&model, page, &Effort { wrong: Some(wrong), ..Effort::QUICK }) {
            Ok(Some(_)) => tried += 1,
            Ok(None) => {
                tried += 1;
                lost.push(format!("{}: {what}", page.name));
            }
            Err(_) => {}
        }
    }
    println!("{} of {tried} wrong kernels found", tried - lost.len());
    assert!(tried > if whole() { 100 } else { 1 }, "{tried}");
    assert!(lost.is_empty(), "not found:\n{}", lost.join("\n"));
}
