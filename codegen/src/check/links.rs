//! Checks that links have existing targets.

use crate::model::Model;
use visakit_diag::{Diagnostic, Severity};

pub(super) fn check(model: &Model, out: &mut Vec<Diagnostic>) {
    for link in &model.links {
        // The links of a page that an overlay adds refer to its own specification.
        let Some(page) = model.pages.get(link.at.page as usize).filter(|p| !p.supplied) else { continue };
        let target = link.target.as_str();
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = target.split_once('#').map_or((target, None), |(f, a)| (f, Some(a)));
        let path = match file {
            "" => Some(page.path.clone()),
            file => resolve(&page.path, file),
        };
        // A single file has no folder to search, and targets outside the folder are not checked.
        let (Some(files), Some(path)) = (&model.files, path) else { continue };
        let message = if !files.contains(&path) {
            format!("there is no file `{path}`")
        } else {
            let wanted = anchor.filter(|a| !a.is_empty()).map(str::to_ascii_lowercase);
            let of_page = |p: &u32| model.pages.get(*p as usize).is_some_and(|p| p.path == path);
            let known = |a: &String| model.anchors.iter().any(|(p, known)| known == a && of_page(p));
            match wanted {
                Some(anchor) if path.ends_with(".md") && !known(&anchor) => {
                    format!("`{path}` has no heading `{anchor}`")
                }
                _ => continue,
            }
        };
        model.report(Severity::Warning, "link-dead", link.at, message, "correct the link, or add its target", out);
    }
}

/// Resolves a link to a path relative to the folder of the specification; `None` if it leads
/// outside.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut path: Vec<&str> = from.split('/').collect();
    path.pop();
    for piece in link.split('/') {
        match piece {
            "" | "." => {}
            ".." => {
                path.pop()?;
            }
            piece => path.push(piece),
        }
    }
    Some(path.join("/").replace("%20", " "))
}
