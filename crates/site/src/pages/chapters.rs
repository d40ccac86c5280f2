//! Chapters: the pages of the specification that are not instructions, as they are written.

use minijinja::Error;

use super::Site;
use super::table::{Content, Table};
use crate::names::{is_chapter, title};
use crate::prose::{self, link};
use crate::{File, address};

/// Returns the chapters and their overview.
pub(super) fn pages(site: &Site<'_>) -> Result<Vec<File>, Error> {
    let mut files = Vec::new();
    let mut table = Table::new("Chapters", &["Chapter", "Page"]);
    for page in site.names.model.pages.iter().filter(|page| is_chapter(&page.path)) {
        let path = address::chapter(&page.path);
        let title = title(&page.text).unwrap_or(page.stem()).to_owned();
        // The template has the title.
        let text = page.text.replacen(&format!("# {title}"), "", 1);
        let body = prose::html(&site.names, &page.path, &text, super::root(&path));
        table.row("", "", vec![link("", &path, &title), format!("<code>{}</code>", prose::escape(&page.path))]);
        let content = Content { crumb: Some(("Chapters", "chapters.html")), body, ..Content::default() };
        files.push(site.tables(path, &title, "", content)?);
    }
    let others = "<p>Further pages: <a href=\"types.html\">data types</a>, <a href=\"variables.html\">predefined \
        variables</a>, <a href=\"attributes.html\">attributes</a>, <a href=\"limits.html\">limits</a>, \
        <a href=\"builtins.html\">built-ins of the semantics</a>, <a href=\"sources.html\">sources</a>.</p>";
    let lead = "The text of the specification";
    let content = Content { tables: vec![table], after: others.to_owned(), ..Content::default() };
    files.push(site.tables("chapters.html".to_owned(), "Chapters", lead, content)?);
    Ok(files)
}
