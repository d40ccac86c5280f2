//! Pages of a specification: links, definitions of names, and hover.

use std::path::{Path, PathBuf};

use visakit::isa::Platform;
use visakit_codegen::is_specification;
use visakit_codegen::markdown::anchors;

use crate::facts;
use crate::hover::data_type;

/// Section of a page: the place of its heading, and its first paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Line of the heading, from 0.
    pub line: usize,
    /// Heading.
    pub heading: String,
    /// First paragraph after the heading.
    pub text: String,
}

/// Reference in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A link to a page, with the anchor of a section if any.
    Link {
        /// Path of the page.
        path: PathBuf,
        /// Anchor without `#`; empty for the page itself.
        anchor: String,
    },
    /// A word.
    Word(String),
}

/// Returns the folder of the specification that contains a page; `None` for other documents.
pub fn root(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find(|dir| is_specification(dir)).map(Path::to_owned)
}

/// Returns the reference at a byte of a line, and its byte range.
pub fn reference(path: &Path, line: &str, at: usize) -> Option<(Reference, std::ops::Range<usize>)> {
    for (start, _) in line.match_indices("](") {
        let from = line[..start].rfind('[')?;
        let end = start + 2 + line[start + 2..].find(')')?;
        if (from..=end).contains(&at) {
            let target = &line[start + 2..end];
            if target.contains("://") {
                return None;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = path.parent().unwrap_or(Path::new(""));
            let path = if file.is_empty() { path.to_owned() } else { plain(&folder.join(file)) };
            return Some((Reference::Link { path, anchor: anchor.to_owned() }, from..end + 1));
        }
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = line.get(..at)?;
    let start = at - (before.len() - before.trim_end_matches(is_word).len());
    let end = at + line[at..].find(|c| !is_word(c)).unwrap_or(line.len() - at);
    (end > start).then(|| (Reference::Word(line[start..end].to_owned()), start..end))
}

/// Resolves `..` in a path without a look at the disk.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Returns the sections of a page.
pub fn sections(text: &str) -> Vec<Section> {
    let lines: Vec<&str> = text.lines().collect();
    let heading = |(line, text): (usize, &&str)| {
        let title = text.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?.trim();
        let body = lines[line + 1..].iter().skip_while(|text| text.trim().is_empty());
        let body: Vec<&str> = body.take_while(|text| !text.trim().is_empty()).copied().collect();
        Some(Section { line, heading: title.to_owned(), text: body.join("\n") })
    };
    lines.iter().enumerate().filter_map(heading).collect()
}

/// Returns the section with an anchor.
pub fn section(text: &str, wanted: &str) -> Option<Section> {
    sections(text).into_iter().find(|one| anchors(&one.heading).any(|anchor| anchor == wanted))
}

/// Returns the line, from 0, and the byte range at which a page defines a word: the item of a
/// field, a heading, or a row of a table.
pub fn defined(text: &str, word: &str) -> Option<(usize, std::ops::Range<usize>)> {
    let same = |name: &str| name.trim_matches(['*', '`', ' ', '\\']).eq_ignore_ascii_case(word);
    let place = |line: &str| {
        if let Some(item) = line.trim_start().strip_prefix("- **") {
            return same(item.split(['(', ':']).next()?).then(|| line.len() - item.len());
        }
        if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim_start();
            return same(heading.split('(').next()?).then(|| line.len() - heading.len());
        }
        // The second cell of a row of a list has its name; a first cell of words has one too.
        let cells = line.strip_prefix("| ")?;
        let mut at = 2;
        for cell in cells.split('|').take(2) {
            if same(cell) {
                return Some(at + cell.len() - cell.trim_start().len());
            }
            at += cell.len() + 1;
        }
        None
    };
    text.lines().enumerate().find_map(|(number, line)| {
        let start = place(line)?;
        Some((number, start..(start + word.len()).min(line.len())))
    })
}

/// Describes a word that has a meaning in every page: a platform, a data type or an instruction.
pub fn word(word: &str) -> Option<String> {
    if let Some(platform) = Platform::from_name(word) {
        let others = platform.aliases().join(", ");
        let names = if others.is_empty() { String::new() } else { format!(" · also {others}") };
        return Some(format!(
            "**{}** · platform{names}\n\nRegisters of {} bytes\n",
            platform.name(),
            platform.register_bytes()
        ));
    }
    let page = visakit::isa::PAGES.iter().find(|page| page.name == word);
    page.map(|page| facts::page(page, None)).or_else(|| data_type(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Lists\n\n## Exec_size(ub)\n\nThe size.\n\n| Code | Name |\n| --- | --- |\n| 0 | one |\n\n- **Dst(raw):** It.\n";

    #[test]
    fn links_and_words() {
        let line = "- **Exec_size(ub):** See [Exec_size](../lists.md#exec_size).";
        let (found, _) = reference(Path::new("/s/instructions/ADD.md"), line, line.find("lists").unwrap()).unwrap();
        assert_eq!(found, Reference::Link { path: "/s/lists.md".into(), anchor: "exec_size".into() });
        let (found, bytes) = reference(Path::new("/s/ADD.md"), line, 5).unwrap();
        assert_eq!((found, bytes), (Reference::Word("Exec_size".into()), 4..13));
    }

    #[test]
    fn sections_and_names() {
        let found = section(PAGE, "exec_size").unwrap();
        assert_eq!((found.line, found.text.as_str()), (2, "The size."));
        assert_eq!(defined(PAGE, "one").unwrap().0, 8);
        assert_eq!(defined(PAGE, "dst"), Some((10, 4..7)));
        assert_eq!(defined(PAGE, "none"), None);
    }
}
