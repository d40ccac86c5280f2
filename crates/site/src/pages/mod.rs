//! Pages of the site, one module for each kind.

mod chapters;
mod codes;
mod fields;
mod index;
mod instruction;
mod lists;
mod names;
mod rules;
mod table;

use minijinja::{Environment, Error, UndefinedBehavior};
use serde_json::{Value, json};

use visakit_codegen::model::Model;

use crate::marks::Platforms;
use crate::names::Names;
use crate::pictures::{self, Picture};
use crate::{Extras, File, MACHINE, Machine, runner, search};

/// Templates of the pages.
const TEMPLATES: [(&str, &str); 7] = [
    ("macros.html", include_str!("../../templates/macros.html")),
    ("base.html", include_str!("../../templates/base.html")),
    ("index.html", include_str!("../../templates/index.html")),
    ("instruction.html", include_str!("../../templates/instruction.html")),
    ("playground.html", include_str!("../../templates/playground.html")),
    ("table.html", include_str!("../../templates/table.html")),
    ("words.html", include_str!("../../templates/words.html")),
];

/// Scripts of the machine.
const SCRIPTS: [(&str, &str); 2] =
    [("machine.js", include_str!("../../assets/machine.js")), ("worker.js", include_str!("../../assets/worker.js"))];

/// Site under construction.
pub(crate) struct Site<'m> {
    pub(crate) names: Names<'m>,
    pub(crate) extras: &'m Extras,
    pub(crate) pictures: Vec<Picture>,
    templates: Environment<'static>,
}

impl<'m> Site<'m> {
    /// Returns the platforms of the specification.
    pub(crate) fn platforms(&self) -> Platforms<'_> {
        Platforms(&self.names.all.platforms)
    }

    /// Fills a template. `values` are the values of the page besides those of every page.
    fn page(&self, path: String, template: &str, title: &str, lead: &str, values: Value) -> Result<File, Error> {
        let mut all = json!({
            "title": title,
            "summary": if lead.is_empty() { title } else { lead },
            "lead": lead,
            "root": root(&path),
            "source": "spec",
            "machine": match self.extras.machine {
                Machine::Absent => Value::Null,
                Machine::Present(version) => json!(format!("{MACHINE}?v={version:08x}")),
            },
            "platforms": self.names.all.platforms.iter().map(|one| &one.name).collect::<Vec<_>>(),
        });
        if let (Value::Object(all), Value::Object(values)) = (&mut all, values) {
            all.extend(values);
        }
        let text = self.templates.get_template(template)?.render(minijinja::value::Serde(all))?;
        // The library also escapes slashes, which needs no escape and makes addresses unreadable.
        Ok(File { path, text: text.replace("&#x2f;", "/") })
    }
}

/// Returns the way from a page to the root of the site.
pub(crate) fn root(path: &str) -> &'static str {
    if path.contains('/') { "../" } else { "" }
}

/// Returns all pages, the index for the search, and the files that pages load.
pub(crate) fn all(model: &Model, extras: &Extras) -> Result<Vec<File>, Error> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    for (name, text) in TEMPLATES {
        templates.add_template(name, text)?;
    }
    let (names, pictures) = (Names::new(model, &extras.codes), pictures::all(model));
    let site = Site { names, extras, pictures, templates };
    let mut files = vec![
        File { path: "assets/style.css".to_owned(), text: style() },
        File { path: "assets/site.js".to_owned(), text: include_str!("../../assets/site.js").to_owned() },
        File { path: "assets/names.js".to_owned(), text: search::index(&site.names) },
        File { path: "llms.txt".to_owned(), text: search::list(&site.names) },
    ];
    if extras.machine != Machine::Absent {
        for (name, text) in SCRIPTS {
            files.push(File { path: format!("assets/{name}"), text: text.to_owned() });
        }
        let lead =
            "Inspect, verify and run a text, an object, a zebin or an archive, step by step, and execute statements";
        let values = json!({ "example": runner::playground() });
        files.push(site.page("playground.html".to_owned(), "playground.html", "Playground", lead, values)?);
    }
    files.extend(index::pages(&site)?);
    for place in 0..site.names.all.instructions.len() {
        files.push(instruction::page(&site, place)?);
    }
    files.extend(lists::pages(&site)?);
    files.extend(chapters::pages(&site)?);
    files.extend(names::pages(&site)?);
    files.extend(rules::pages(&site)?);
    files.extend(codes::pages(&site)?);
    Ok(files)
}

/// Returns the style sheet, with the classes of drawings.
fn style() -> String {
    format!("{}{}\n", include_str!("../../assets/style.css"), crate::drawing::classes())
}
