//! List of the documents for language models, `docs/llms.txt`, in the form of llmstxt.org.

use visakit_testing::{golden, root};

/// Address of the documents.
const DOCUMENTS: &str = "https://github.com/visakit/visakit/blob/main/docs/";

/// Returns the list: the sections and pages of the table of contents, each page with its first
/// sentence.
fn list() -> String {
    let read = |name: &str| std::fs::read_to_string(root().join("docs").join(name)).unwrap();
    let first = paragraph(&read("introduction.md"));
    let mut out = format!("# visakit\n\n> {first}\n\n");
    out += "A fact of the instruction set stands once, in the Markdown pages of `spec/`. With `--format json` each\n";
    out += "command prints one object; the page of contracts lists their shapes and the exit codes.\n";
    for line in read("SUMMARY.md").lines() {
        if let Some(section) = line.strip_prefix("# ").filter(|section| *section != "Summary") {
            out += &format!("\n## {section}\n\n");
        }
        let Some((name, target)) = line.strip_prefix("- [").and_then(|link| link.strip_suffix(')')?.split_once("]("))
        else {
            continue;
        };
        let about = sentence(&without_links(&paragraph(&read(target))));
        let about = if about.len() < SHORT { String::new() } else { format!(": {about}") };
        out += &format!("- [{name}]({DOCUMENTS}{target}){about}\n");
    }
    out
}

/// Number of bytes below which a first sentence says nothing about its page.
const SHORT: usize = 20;

/// Returns the first paragraph of prose of a page, in one line.
fn paragraph(page: &str) -> String {
    let is_prose = |block: &&str| !block.starts_with(['#', '<', '|', '-', '!']) && !block.starts_with("```");
    let block = page.split("\n\n").map(str::trim).find(|block| !block.is_empty() && is_prose(block));
    block.unwrap_or_default().lines().collect::<Vec<_>>().join(" ")
}

/// Returns a text with the names of its links only.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((name, after)) = link.split_once("](") else { break };
        out += before;
        out += name;
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    out + rest
}

/// Returns the first sentence of a text.
fn sentence(text: &str) -> String {
    let end = [". ", ": "].iter().filter_map(|mark| text.find(mark)).min();
    format!("{}.", text[..end.unwrap_or(text.len())].trim_end_matches(['.', ':']))
}

#[test]
fn the_list_for_language_models_is_up_to_date() {
    let list = list();
    assert!(list.matches("\n- [").count() > 20, "{list}");
    golden(&root().join("docs/llms.txt"), &list);
}
