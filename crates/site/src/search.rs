//! Indexes of all names: a script for the search, and a list for language models.

use serde_json::json;

use crate::names::Names;

/// Returns the script. It works without a server, because a page loads it as a script.
pub(crate) fn index(names: &Names<'_>) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for name in names.list() {
        let kind = kinds.iter().position(|kind| *kind == name.kind).unwrap_or_else(|| {
            kinds.push(name.kind);
            kinds.len() - 1
        });
        let mut words: Vec<String> = name.words.into_iter().filter(|word| *word != name.name).collect();
        words.retain(|word| !word.is_empty());
        let summary: String = name.summary.chars().take(90).collect();
        rows.push(json!([name.name, kind, name.address, summary, words.join(" ")]));
    }
    let data = json!({ "kinds": kinds, "names": rows }).to_string();
    format!("window.VISA_NAMES = {data};\n")
}

/// Returns the list for language models, in the form of llmstxt.org: all names that have a page of
/// their own, by kind.
pub(crate) fn list(names: &Names<'_>) -> String {
    let mut sections: Vec<(&str, String)> = Vec::new();
    for name in names.list().into_iter().filter(|name| !name.address.contains('#')) {
        let line = match name.summary.as_str() {
            "" => format!("- [{}]({})\n", name.name, name.address),
            summary => format!("- [{}]({}): {summary}\n", name.name, name.address),
        };
        match sections.iter_mut().find(|(kind, _)| *kind == name.kind) {
            Some((_, lines)) => lines.push_str(&line),
            None => sections.push((name.kind, line)),
        }
    }
    let mut out =
        "# vISA reference\n\n> Instructions, lists, predefined variables and rules of Intel's Virtual ISA.\n"
            .to_owned();
    for (kind, lines) in sections {
        let (first, rest) = kind.split_at(1);
        out += &format!("\n## {}{rest}\n\n{lines}", first.to_uppercase());
    }
    out
}
