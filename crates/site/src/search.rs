//! Index for the search: a script that defines all names.

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
