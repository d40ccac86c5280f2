//! Reader of `## Text`: the templates, by condition.

use super::context::Cx;
use super::format;
use crate::markdown::{Block, Section, Span};
use crate::model::{Reference, TextForm};
use crate::suggest::distance_within;
use crate::template;

pub(crate) fn read(cx: &mut Cx<'_>, sections: &[&Section]) -> Vec<TextForm> {
    let mut out = Vec::new();
    for section in sections {
        let conditions = format::conditions(cx, section);
        let conditions_at = cx.at(&format::conditions_span(section));
        let form =
            (section.level > 2).then(|| section.title.split_whitespace().nth(1).map(Reference::from)).flatten();
        for block in &section.blocks {
            let lines: Vec<(String, Span)> = match block {
                Block::Code(code) => code.lines.clone(),
                Block::Paragraph(text) => text.lines().into_iter().map(|(l, s)| (l.to_owned(), s)).collect(),
                _ => continue,
            };
            for (line, span) in lines {
                if line.trim().is_empty() || line.trim_start().starts_with("//") {
                    continue;
                }
                let at = cx.at(&span);
                let label = line.split_once(": ").map_or("", |(label, _)| label.trim());
                if label.len() < 8 && label != "full" && distance_within(label, "full", 2).is_some() {
                    let help = "did you mean `full:`? A mnemonic has no colon";
                    cx.warn("text-template", &span, format!("no template begins with `{label}:`"), help);
                    continue;
                }
                match template::parse(&line) {
                    Ok(template) => {
                        if starts_like_a_template(&template) {
                            out.push(TextForm {
                                form: form.clone(),
                                conditions: conditions.clone(),
                                conditions_at,
                                template,
                                at,
                            });
                        } else {
                            cx.warn(
                                "text-template",
                                &span,
                                "this line of the Text section is not a template",
                                "begin with the mnemonic, or with `[(<P>)]` and the mnemonic",
                            );
                        }
                    }
                    Err((message, at)) => {
                        let start = span.start + at;
                        cx.warn(
                            "text-template",
                            &(start..start + 1),
                            format!("{message} in this template"),
                            "see the table of the Text section in spec/README.md",
                        );
                    }
                }
            }
        }
    }
    out
}

fn starts_like_a_template(template: &template::Template) -> bool {
    template.mnemonic().is_some()
        || template
            .items
            .iter()
            .find(|i| !matches!(i, template::Item::Predicate))
            .is_some_and(|i| matches!(i, template::Item::Field { .. }))
}
