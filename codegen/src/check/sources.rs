//! Checks the sources of rows: each source exists, and so does the fact that a row names.

use crate::model::{Model, Provenance};
use crate::suggest;
use visakit_diag::{Diagnostic, Severity};

pub(super) fn check(model: &Model, out: &mut Vec<Diagnostic>) {
    let known: Vec<&str> = model.sources.iter().map(|source| source.name.as_str()).collect();
    for row in &model.provenance {
        // A page that is read alone has no table of sources.
        let unknown = row.sources.iter().filter(|name| !known.is_empty() && !known.contains(&name.as_str()));
        for name in unknown {
            let help = suggest::help(name, known.iter().copied(), || format!("the sources are {}", known.join(", ")));
            model.report(Severity::Error, "source-unknown", row.at, format!("`{name}` is not a source"), help, out);
        }
        if row.is_named && !names_a_fact(model, row) {
            let message = format!("`{}` is not a fact of this page", row.label);
            let help = "begin with a heading, field, property or list of this page";
            model.report(Severity::Warning, "source-fact", row.at, message, help, out);
        }
    }
}

/// Returns true if the first word of a row's label is a name on its page.
fn names_a_fact(model: &Model, row: &Provenance) -> bool {
    let first = row.label.split(['.', '=', ':', '(']).next().unwrap_or_default().trim();
    let slug = first.to_lowercase().replace(' ', "-");
    let here = |page: u32| page == row.at.page;
    let is_heading = model.anchors.iter().any(|(page, anchor)| here(*page) && *anchor == slug);
    let fields = model.instructions.iter().filter(|i| here(i.at.page)).flat_map(|i| &i.forms).flat_map(|f| &f.fields);
    let variables = model.predefined.iter().chain(&model.surfaces).chain(&model.samplers);
    let properties = ["supported types", "saturation", "source modifier", "out-of-bound access", "platforms"];
    is_heading
        || fields.into_iter().any(|field| field.name.eq_ignore_ascii_case(first))
        || variables.into_iter().any(|v| here(v.at.page) && v.name.eq_ignore_ascii_case(first))
        || model.lists.iter().any(|list| here(list.at.page) && list.name.eq_ignore_ascii_case(first))
        || properties.contains(&first.to_lowercase().as_str())
}
