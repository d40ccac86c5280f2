//! Probes for the chapter of assembly text beyond declarations: keys of inputs, blocks, older and
//! withdrawn words.

use visakit_codegen::model::{CellValue, ColumnKind, Enumerator, Model, NamesOf, SourceSpan};

use super::declare::{parsed, placed};
use crate::expect::directive;
use crate::expect::world::World;
use crate::finding::{Difference, Fact, Tally, same};
use visakit::isa::{DeclaredClass, InputOrigin, OlderAlignment, OlderMask, TextDirective, TextKey, TextMark};
use visakit::isa::{WithdrawnMask, WithdrawnMnemonic};
use visakit::rt::{ListField, Version};

/// Probes the words of the chapter.
pub(crate) fn words(world: &World<'_>, version: Version, tally: &mut Tally) {
    let probe = Words { model: world.model, version };
    probe.inputs(tally);
    probe.older(tally);
    probe.withdrawn(tally);
    probe.operands(tally);
    probe.blocks(tally);
}

struct Words<'m> {
    model: &'m Model,
    version: Version,
}

fn fact(list: &str, value: &str, at: SourceSpan) -> Fact {
    Fact::new("declaration", format!("{list}.{value}"), at)
}

impl<'m> Words<'m> {
    /// Returns the values of a list, each with the first name in one of its columns: the spelling
    /// of the value that it names, or the name itself.
    fn named(&self, list: &'m str, column: &'m str) -> impl Iterator<Item = (&'m Enumerator, &'m str)> {
        let model = self.model;
        model.shared_values(list).filter_map(move |(list, one)| {
            let at = list.columns.iter().position(|c| c.name == column)?;
            let CellValue::Names(names) = &one.cells.get(at)?.value else { return None };
            let name = names.first()?.as_str();
            let ColumnKind::Names { of: NamesOf::List(id), .. } = list.columns[at].kind else {
                return Some((one, name));
            };
            Some((one, model.values(id).iter().find(|value| value.name == name)?.text.as_str()))
        })
    }

    /// Compares the instructions and variables of two texts.
    fn equal(&self, source: &str, current: &str) -> Result<(), Difference> {
        let [got, wanted] = [source, current].map(|source| parsed(self.model, self.version, source));
        let shown =
            |routine: &visakit::object::Routine| format!("{:?} {:?}", routine.instructions, routine.variables);
        same("declaration", format!("reading `{}`", source.trim()), shown(&wanted?), shown(&got?))
    }

    /// Checks that a text is refused, and returns the message.
    fn refused(&self, source: &str) -> Result<String, Difference> {
        let message = format!("reading `{}`", source.trim());
        match parsed(self.model, self.version, source) {
            Err(difference) => Ok(difference.got),
            Ok(_) => {
                let (expected, got) = ("an error".to_owned(), "no error".to_owned());
                Err(Difference { code: "declaration", message, expected, got })
            }
        }
    }

    /// Inputs with all keys, without the optional ones, and without each required one.
    fn inputs(&self, tally: &mut Tally) {
        let values = placed("4");
        let declared = directive::general(self.model, "V32", "ud", 1, &[]);
        for used in [TextDirective::InputLine, TextDirective::ParameterLine, TextDirective::ImplicitLine] {
            let Some((_, one)) =
                self.model.shared_values(TextDirective::LIST).find(|(_, one)| one.name == used.name())
            else {
                continue;
            };
            let origin = InputOrigin::ALL.get(1).filter(|_| used == TextDirective::ImplicitLine);
            let origin = origin.map_or("", |origin| origin.text());
            let read = |values: &[(TextKey, &str)]| {
                format!("{declared}\n{}\n", directive::input(self.model, used, origin, "V32", values))
            };
            let is_required = |key: TextKey| directive::is_required(self.model, used, key);
            for absent in values.map(|(key, _)| key) {
                let others = values.iter().copied().filter(|(key, _)| *key != absent).collect::<Vec<_>>();
                let source = read(&others);
                let result = match is_required(absent) {
                    true => self.refused(&source).map(drop),
                    false => parsed(self.model, self.version, &source).map(drop),
                };
                tally.probe(fact(TextDirective::LIST, &one.name, one.at), result);
            }
            let result = parsed(self.model, self.version, &read(&values)).map(drop);
            tally.probe(fact(TextDirective::LIST, &one.name, one.at), result);
        }
    }

    /// Older spellings mean the current ones.
    fn older(&self, tally: &mut Tally) {
        for (old, current) in self.named(OlderAlignment::LIST, "Alignment") {
            let aligned =
                |text: &str| directive::general(self.model, "X", "ud", 16, &[(TextKey::KeyAlignment, text)]);
            let result = self.equal(&aligned(&old.text), &aligned(current));
            tally.probe(fact(OlderAlignment::LIST, &old.name, old.at), result);
        }
        for (old, current) in self.named(OlderMask::LIST, "Mask") {
            let masked = |mask: &str| format!("    ret ({mask}, 1)\n");
            let result = self.equal(&masked(&old.text), &masked(current));
            tally.probe(fact(OlderMask::LIST, &old.name, old.at), result);
        }
    }

    /// Errors name withdrawn words with their replacements.
    fn withdrawn(&self, tally: &mut Tally) {
        let lists = [(WithdrawnMnemonic::LIST, false), (WithdrawnMask::LIST, true)];
        for (list, is_mask) in lists {
            for (_, one) in self.model.shared_values(list) {
                let source =
                    if is_mask { format!("    ret ({}, 1)\n", one.text) } else { format!("    {}\n", one.text) };
                let wanted = format!("expected {}: `{}` was withdrawn", one.doc, one.text);
                let result = self
                    .refused(&source)
                    .and_then(|got| same("declaration", format!("the error for `{}`", source.trim()), wanted, got));
                tally.probe(fact(list, &one.name, one.at), result);
            }
        }
    }

    /// Directives with the operands of an instruction.
    fn operands(&self, tally: &mut Tally) {
        for (one, page) in self.named(TextDirective::LIST, "Operands of") {
            let sources = ["5", "\"x\""].map(|operand| format!("    {} {operand}\n", one.text));
            let mut found = sources.iter().filter_map(|source| parsed(self.model, self.version, source).ok());
            let got = found.find_map(|routine| Some(routine.instructions.first()?.page().name)).unwrap_or("none");
            let result = same("declaration", format!("reading `{}`", one.text), page.to_owned(), got.to_owned());
            tally.probe(fact(TextDirective::LIST, &one.name, one.at), result);
        }
    }

    /// Names of a block hide those outside.
    fn blocks(&self, tally: &mut Tally) {
        let [begin, end] = [TextMark::BlockBegin, TextMark::BlockEnd].map(|mark| directive::mark(self.model, mark));
        let declared =
            directive::declaration(self.model, DeclaredClass::PredicateClass, "X", &[(TextKey::KeyElements, "1")]);
        for (_, one) in self.model.shared_values(TextMark::LIST) {
            let source = format!("{declared}\n{begin}\n{declared}\n{end}\n");
            let result = parsed(self.model, self.version, &source).map(drop);
            tally.probe(fact(TextMark::LIST, &one.name, one.at), result);
        }
    }
}
