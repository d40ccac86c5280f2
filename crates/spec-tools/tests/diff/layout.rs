//! Changes of the layout of pages, which change nothing.

use std::path::Path;

use visakit_spec_tools::diff::diff;

use crate::{model, ours, pages, upstream};

/// Function that changes the layout of a page.
type Reformat = fn(&str) -> String;

/// Changes of a page's layout that keep its meaning.
const REFORMATS: &[(&str, Reformat)] = &[
    ("line ends of another system", |t| t.replace('\n', "\r\n")),
    ("more blank lines", |t| outside(t, |l| if l.trim().is_empty() { "\n\n".to_owned() } else { l.to_owned() })),
    ("other list marks", |t| {
        outside(t, |l| match l.trim_start().strip_prefix("- ") {
            Some(rest) => format!("{}* {rest}", &l[..l.len() - l.trim_start().len()]),
            None => l.to_owned(),
        })
    }),
    ("blanks at line ends", |t| t.lines().map(|l| format!("{l} \n")).collect()),
    ("wider tables", |t| outside(t, |l| if l.starts_with('|') { l.replace(" |", "     |") } else { l.to_owned() })),
    ("narrower tables", |t| {
        outside(t, |l| match l.starts_with('|') {
            true => l.split(' ').filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" "),
            false => l.to_owned(),
        })
    }),
    ("colons behind bold", |t| outside(t, |l| l.replace(":** ", "**: "))),
    ("bold with underscores", |t| {
        outside(t, |l| match l.starts_with("- **") {
            true => l.replace("**", "__"),
            false => l.to_owned(),
        })
    }),
    ("other fences", |t| t.replace("```", "~~~~")),
    ("indented fences", |t| {
        let mut inside = false;
        t.lines()
            .map(|l| {
                let fence = l.starts_with("```");
                let shift = fence || inside;
                inside ^= fence;
                if shift { format!(" {l}\n") } else { format!("{l}\n") }
            })
            .collect()
    }),
    ("underlined headings", |t| {
        outside(t, |l| match (l.strip_prefix("## "), l.strip_prefix("# ")) {
            (Some(title), _) => format!("{title}\n-----"),
            (_, Some(title)) => format!("{title}\n====="),
            _ => l.to_owned(),
        })
    }),
    ("closed headings", |t| outside(t, |l| if l.starts_with('#') { format!("{l} ##") } else { l.to_owned() })),
    ("values in another order", |t| {
        let lines: Vec<&str> = t.lines().collect();
        let value = |l: &str| l.trim_start().starts_with("- 0b") || l.trim_start().starts_with("- 0x");
        let lead = |l: &str| l.len() - l.trim_start().len();
        let mut out: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let mut run = vec![lines[at]];
            while value(run[0])
                && at + run.len() < lines.len()
                && value(lines[at + run.len()])
                && lead(lines[at + run.len()]) == lead(run[0])
            {
                run.push(lines[at + run.len()]);
            }
            at += run.len();
            // The line after the last value may continue it.
            let next = lines[at..].iter().find(|l| !l.trim().is_empty());
            let continued = next.is_some_and(|l| lead(l) > lead(run[0]));
            if !continued {
                run.reverse();
            }
            out.extend(run);
        }
        out.join("\n") + "\n"
    }),
    ("paragraphs on one line", |t| joined(t)),
    ("short lines", |t| {
        outside(&joined(t), |l| {
            let plain = l.starts_with(|c: char| c.is_ascii_alphabetic()) && l.contains(' ');
            let item = l.starts_with("- ") && !l.contains("](") && !l.starts_with("- Bit") && !l.contains('=');
            if !(plain || item) || l.contains('`') || l.starts_with("Kind") {
                return l.to_owned();
            }
            let mut out = String::new();
            let mut width = 0;
            for (i, word) in l.split(' ').enumerate() {
                // A word that would start a list at the beginning of a line stays in place.
                let safe = word.starts_with(|c: char| c.is_ascii_alphabetic()) && i > 1;
                if width > 12 && safe {
                    out.push_str(if item { "\n  " } else { "\n" });
                    width = 0;
                } else if i > 0 {
                    out.push(' ');
                }
                out.push_str(word);
                width += word.len() + 1;
            }
            out
        })
    }),
];

/// Changes the lines outside of fences.
fn outside(text: &str, change: impl Fn(&str) -> String) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        let keep = inside || fence;
        inside ^= fence;
        out.push_str(&if keep { line.to_owned() } else { change(line) });
        out.push('\n');
    }
    out
}

/// Joins the lines of each paragraph.
fn joined(text: &str) -> String {
    let mut inside = false;
    let mut last_plain = false;
    let mut out = String::new();
    for line in text.lines() {
        inside ^= line.trim_start().starts_with("```");
        let plain = !inside && line.starts_with(|c: char| c.is_ascii_alphabetic()) && !line.starts_with("Kind");
        if plain && last_plain {
            out.pop();
            out.push(' ');
        }
        out.push_str(line);
        out.push('\n');
        last_plain = plain;
    }
    out
}

fn reformatted(dir: &Path) {
    let clean = pages(dir);
    let old = model(&clean);
    let mut failed = Vec::new();
    for (what, reformat) in REFORMATS {
        let mut changed = clean.clone();
        changed.iter_mut().for_each(|(_, text)| *text = reformat(text));
        assert!(changed != clean, "{what}");
        for change in diff(&old, &model(&changed), &[]).iter().take(4) {
            failed.push(format!("{what}: {change:?}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn layout_of_our_pages_is_no_change() {
    reformatted(&ours());
}

#[test]
fn layout_of_the_vendors_pages_is_no_change() {
    for revision in ["2022-12", "2025-02"] {
        if let Some(dir) = upstream("layout_of_the_vendors_pages_is_no_change", revision) {
            reformatted(&dir);
        }
    }
}
