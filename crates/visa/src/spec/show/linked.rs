//! Addresses of words in the reference site, and drawings as files.

use std::path::Path;

use serde_json::json;
use visakit_codegen::model::Model;
use visakit_diag::{Diagnostic, Severity};
use visakit_site::{Svg, address};
use visakit_spec_tools::export::Specification;

use super::find::{Hit, RuleRow};
use crate::io::{make_folder, out, write_named};
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer};

/// Returns the address of an item in the reference site.
pub(super) fn url(hit: Hit<'_>) -> String {
    let name = hit.name();
    address::url(&match hit {
        Hit::Instruction(_) => address::instruction(name),
        Hit::Type(_) => address::data_type(name),
        Hit::Platform(_) => address::platform(name),
        Hit::List(_) => address::list(name),
        Hit::Structure(_) => address::structure(name),
        Hit::Predefined { .. } | Hit::Variable(_) => address::variable(name),
        Hit::Attribute(_) => address::attribute(name),
        Hit::Limit(_) => address::limit(name),
        Hit::Rule(RuleRow::Group(_)) => address::group(name),
        Hit::Rule(RuleRow::Check(_)) => address::check(name),
        Hit::Rule(RuleRow::Accepted(_)) => address::accepted(name),
        Hit::Rule(RuleRow::Condition(_)) => address::rule(name),
        Hit::Builtin(_) => address::builtin(name),
        Hit::Enumerator { list, .. } => address::enumerator(&list.name, name),
    })
}

/// Returns the drawings of instructions and lists, each with its name.
pub(super) fn drawings(model: &Model, all: &Specification, hits: &[Hit<'_>]) -> Vec<(String, Svg)> {
    let mut found = Vec::new();
    for hit in hits {
        let drawings = match hit {
            Hit::Instruction(one) => visakit_site::drawings(model, one, &all.lists),
            Hit::List(list) => vec![visakit_site::drawing_of_list(list)],
            _ => Vec::new(),
        };
        let name = address::slug(hit.name());
        found.extend(drawings.into_iter().enumerate().map(|(n, svg)| (format!("{name}-{}.svg", n + 1), svg)));
    }
    found
}

/// Writes drawings to a folder and lists the files.
pub(crate) fn write(
    folder: &Path,
    drawings: &[(String, Svg)],
    of: &str,
    format: OutputFormat,
) -> Result<Outcome, Findings> {
    if drawings.is_empty() {
        let found = Diagnostic::new("svg-none", Severity::Error, of, "there is nothing to draw");
        return Err(found
            .help("name an instruction or a list, or give a statement with operands in registers")
            .into());
    }
    make_folder(folder)?;
    let mut written = Vec::new();
    for (name, svg) in drawings {
        let path = folder.join(name);
        write_named(&path, &[], svg.file().as_bytes())?;
        written.push(json!({ "file": path.display().to_string(), "title": svg.title() }));
        if format == OutputFormat::Human {
            out(&format!("{}: {}\n", path.display(), svg.title()));
        }
    }
    if format == OutputFormat::Json {
        answer(&[], json!({ "written": written }));
    }
    Ok(Outcome::Done)
}
