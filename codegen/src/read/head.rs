//! Recognition of the chapters' tables by their headings. A misspelt heading is a finding, because
//! the table would not be read.

use super::context::Cx;
use super::sources;
use crate::markdown::Row;
use crate::suggest::distance_within;

/// Kind of a table: required and optional columns.
struct Head {
    what: &'static str,
    columns: &'static [&'static str],
    more: &'static [&'static str],
}

/// Columns of the table that names the platforms.
pub(super) const PLATFORMS: [&str; 5] = ["Platform", "Aliases", "GEN code", "Product family", "Register bytes"];

/// Kinds of tables with facts.
const HEADS: &[Head] = &[
    Head {
        what: "data types",
        columns: &["Data Type", "Size(bits)", "Binary Format", "Text Format"],
        more: &["Range"],
    },
    Head { what: "platforms", columns: &PLATFORMS, more: &[] },
    Head {
        what: "predefined variables",
        columns: &["Id", "Name", "Old name", "Type", "Elements", "Access"],
        more: &["Elements on 64-byte registers", "Meaning"],
    },
    Head { what: "predefined surfaces", columns: &["Id", "Name", "Old name"], more: &["Meaning"] },
    Head { what: "samplers", columns: &["Sampler id", "Name"], more: &["Meaning"] },
    Head { what: "groups of instructions", columns: &["Group", "Instructions", "Meaning"], more: &[] },
    Head { what: "checks", columns: &["Check", "Finding", "Concerns", "Meaning"], more: &[] },
    Head {
        what: "accepted violations",
        columns: &["Accepted", "Check", "Instructions", "As", "Meaning"],
        more: &["Platforms", "Each", "When"],
    },
    Head {
        what: "conditions",
        columns: &["Rule", "Instructions", "When", "Must", "Meaning"],
        more: &["Platforms", "Each", "Finding"],
    },
    Head { what: "definitions", columns: &["Definition", "Value", "Meaning"], more: &[] },
    Head { what: "limits", columns: &["Limit", "Value", "Meaning"], more: &[] },
    Head { what: "sources", columns: &sources::SOURCES, more: &[] },
    Head { what: "facts and their sources", columns: &sources::FACTS, more: &["Since", "Remark"] },
    Head { what: "attributes", columns: &["Name", "Where", "Bytes", "Value"], more: &["Meaning"] },
];

/// Reports misspelt or missing headings of a table that resembles a known kind.
pub(crate) fn check(cx: &mut Cx<'_>, head: &Row) {
    let cells: Vec<&str> = head.cells.iter().map(|(c, _)| c.as_str()).collect();
    let has = |name: &str| cells.iter().any(|c| c.eq_ignore_ascii_case(name));
    let near = |name: &str| {
        let known = |c: &str| HEADS.iter().any(|h| h.columns.iter().chain(h.more).any(|n| n.eq_ignore_ascii_case(c)));
        let close = |c: &&str| distance_within(c, name, (name.len() / 4).max(1)).is_some() && !known(c);
        if has(name) { None } else { cells.iter().position(close) }
    };
    // Select the kind with the most matching columns; among several, the one with the most required
    // columns.
    let found = |h: &Head| h.columns.iter().filter(|n| has(n) || near(n).is_some()).count();
    let likely = |h: &&Head| found(h) >= 2 && found(h) + 1 >= h.columns.len();
    let Some(kind) = HEADS.iter().filter(likely).max_by_key(|h| (found(h), found(h) == h.columns.len())) else {
        return;
    };
    for &name in kind.columns.iter().chain(kind.more) {
        if has(name) {
            continue;
        }
        if let Some((cell, span)) = near(name).map(|i| &head.cells[i]) {
            let message = format!("the table of {} has no column `{cell}`", kind.what);
            cx.warn("table-column", span, message, format!("did you mean `{name}`?"));
        } else if kind.columns.contains(&name) {
            let message = format!("this looks like the table of {}, but has no column `{name}`", kind.what);
            cx.warn("table-column", &head.span, message, format!("its columns are {}", kind.columns.join(", ")));
        }
    }
}
