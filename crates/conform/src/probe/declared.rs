//! Probes for the rules of declarations, inputs and labels in verification.md. Each changes one
//! declaration of the probes' routine, up to a limit and past it.

use std::collections::BTreeSet;

use visakit_codegen::model::{SourceSpan, TypeId};

use super::probes::Probes;
use crate::expect::meaning::encodes;
use crate::expect::world::of_variables;
use crate::finding::{Fact, Tally, same};
use visakit::isa::{
    Alignment, AttributeInfo, GeneralId, InputClass, InputInfo, InputOrigin, Instruction, LabelInfo, Platform,
    StringId, VarInfo, attribute, predefined, predefined_surface,
};
use visakit::object::Routine;
use visakit::rt::{Bits, Bytes, Table};
use visakit::verify;
use visakit_diag::Severity;

/// Finding of a rule: its code, and whether it is a warning.
type Expected = Option<(&'static str, bool)>;

/// Error of a rule.
const fn error(code: &'static str, is_broken: bool) -> Expected {
    if is_broken { Some((code, false)) } else { None }
}

/// Probes all rules of declarations.
pub(crate) fn rules(probes: &Probes<'_>, tally: &mut Tally) {
    let mut cases = Cases { probes, tally };
    cases.sizes();
    cases.types();
    cases.attributes();
    cases.aliases();
    cases.inputs();
    cases.labels();
}

struct Cases<'a, 'm> {
    probes: &'a Probes<'m>,
    tally: &'a mut Tally,
}

impl Cases<'_, '_> {
    /// Compares the additional findings of the changed routine with those of the pages.
    fn case(
        &mut self,
        path: String,
        at: SourceSpan,
        platform: Option<Platform>,
        expected: Expected,
        change: impl Fn(&mut Routine),
    ) {
        let found = |routine: &Routine| -> Vec<(&'static str, bool)> {
            let all = verify::routine(routine, platform);
            all.into_iter().map(|v| (v.code, v.severity == Severity::Warning)).collect()
        };
        let mut routine = self.probes.routine.clone();
        let before = found(&routine);
        change(&mut routine);
        let mut got = found(&routine);
        for one in before {
            if let Some(at) = got.iter().position(|other| *other == one) {
                got.remove(at);
            }
        }
        let got: BTreeSet<_> = got.into_iter().collect();
        if let Some((code, _)) = expected {
            self.tally.violated(code);
        }
        let say = |all: &mut dyn Iterator<Item = (&'static str, bool)>| {
            let words = all.map(|(code, warning)| {
                let kind = if warning { "a warning" } else { "an error" };
                format!("{kind} by rule `{code}`")
            });
            let words: Vec<String> = words.collect();
            if words.is_empty() { "no finding".to_owned() } else { words.join(", ") }
        };
        let code = if expected.is_some() { "declaration-accepted" } else { "declaration-refused" };
        let fact = Fact::new("rule-declared", format!("declared.{path}"), at);
        let place = platform.map_or("no platform", Platform::name);
        let result = same(
            code,
            format!("validating the declaration for {place}"),
            say(&mut expected.into_iter()),
            say(&mut got.into_iter()),
        );
        self.tally.probe(fact, result);
    }

    /// Returns no platform, and each platform that the implementation has, with its register size.
    fn platforms(&self) -> Vec<(Option<usize>, Option<Platform>, u64)> {
        let world = &self.probes.world;
        let all = world.model.platforms.iter().zip(&self.probes.platforms).enumerate();
        let known = all.filter_map(|(at, (row, known))| Some((Some(at), Some((*known)?), row.register_bytes.into())));
        [(None, None, world.register_bytes)].into_iter().chain(known).collect()
    }

    fn sizes(&mut self) {
        let ((elements, at), (registers, _)) =
            (self.probes.world.limit("elements"), self.probes.world.limit("registers"));
        for (_, platform, register) in self.platforms() {
            let most = registers * register;
            for count in [0, 1, elements, elements + 1, most, most + 1] {
                let Ok(stored) = u16::try_from(count) else { continue };
                let expected = match count {
                    0 => error("size", true),
                    count if count <= elements => None,
                    count => Some(("size", count <= most)),
                };
                let place = platform.map_or("any", Platform::name);
                self.case(format!("elements={count}.{place}"), at, platform, expected, |routine| {
                    routine.variables[0].num_elements = stored;
                });
            }
        }
        let (most, at) = self.probes.world.limit("predicate-bits");
        for bits in 0..=2 * most {
            let expected = error("size", !bits.is_power_of_two() || bits > most);
            self.case(format!("predicate-bits={bits}"), at, None, expected, |routine| {
                routine.predicates[0].num_elements = bits as u16;
            });
        }
        let (most, at) = self.probes.world.limit("samplers");
        for count in [1, most, most + 1] {
            self.case(format!("samplers={count}"), at, None, error("size", count > most), |routine| {
                routine.samplers[0].num_elements = count as u16;
            });
        }
        for (row, platform, _) in self.platforms() {
            let Some((most, at)) = row.and_then(|row| self.probes.world.address_elements(row)) else { continue };
            for count in [1, most, most + 1] {
                let path = format!("addresses={count}.{}", platform.map_or("any", Platform::name));
                self.case(path, at, platform, error("size", count > most), |routine| {
                    routine.addresses[0].num_elements = count as u16;
                });
            }
        }
    }

    /// Declares a variable of each type.
    fn types(&mut self) {
        let model = self.probes.world.model;
        for ty in model.types.iter().filter(|ty| model.object_type(ty).is_none()) {
            let Some(code) = u8::try_from(ty.code).ok().and_then(visakit::isa::DataType::from_code) else { continue };
            let is_boolean = ty.code == model.ty(self.probes.world.anatomy.types.boolean).code;
            let expected = error("type", !of_variables(model, ty) || is_boolean);
            self.case(format!("type={}", ty.name), ty.at, None, expected, |routine| {
                routine.variables[0].bit_properties.type_ = code;
            });
        }
    }

    fn attributes(&mut self) {
        let model = self.probes.world.model;
        let named = |routine: &mut Routine, name: &str| {
            routine.strings.push(Bytes::from(name));
            AttributeInfo { name: StringId(routine.strings.len() as u32 - 1), value: Bytes::default() }
        };
        let known = model.attributes.iter().filter(|a| a.place == "variable");
        let unknown = [("no such attribute".to_owned(), SourceSpan::default(), true)];
        let cases = known.map(|a| (a.name.clone(), a.at, false)).chain(unknown);
        for (name, at, is_unknown) in cases.collect::<Vec<_>>() {
            self.case(format!("attribute={name}"), at, None, error("attribute", is_unknown), |routine| {
                let one = named(routine, &name);
                routine.variables[0].attribute_info.push(one);
            });
        }
        for name in [attribute::SLM_SIZE, attribute::N_BARRIER_CNT] {
            let at = model.attributes.iter().find(|a| a.name == name).map_or(SourceSpan::default(), |a| a.at);
            for times in [1, 2] {
                let path = format!("attribute={name}*{times}");
                self.case(path, at, None, error("attribute", times > 1), |routine| {
                    for _ in 0..times {
                        let one = named(routine, name);
                        routine.attributes.push(one);
                    }
                });
            }
        }
    }

    /// Declares parts of a variable of 16 dwords or 16 bytes.
    fn aliases(&mut self) {
        let world = &self.probes.world;
        let dword = world.variable(world.anatomy.types.dword);
        let byte = (0..world.model.types.len()).map(TypeId).find(|ty| world.ty(*ty).bits == 8);
        let (Some(dword), Some(byte)) = (dword, byte.and_then(|ty| world.variable(ty))) else { return };
        let size = world.variable_bytes(dword, world.register_bytes).unwrap_or(0);
        let at = self.probes.world.ty(self.probes.world.anatomy.types.dword).at;
        let part = |routine: &mut Routine, base: u64, of: u64, offset: u64| {
            let first = u64::from(predefined::DECLARED);
            let ty = routine.variables[(of - first) as usize].bit_properties.type_;
            let mut one = VarInfo { num_elements: 1, ..routine.variables[0].clone() };
            one.bit_properties.type_ = ty;
            one.bit_properties.alignment = Alignment::default();
            (one.alias_index, one.alias_offset) = (GeneralId(base as u32), offset as u16);
            routine.variables.push(one);
        };
        let next = u64::from(predefined::DECLARED) + world.types.len() as u64;
        for (name, base, of, offset, is_broken) in [
            ("inside", dword, byte, size - 1, false),
            ("end", dword, byte, size, true),
            ("without", 0, byte, 1, true),
            ("itself", next, byte, 0, true),
            ("undeclared", next + 1, byte, 0, true),
            // A variable of 16 bytes has the alignment of a word, which a dword exceeds.
            ("alignment", byte, dword, 0, true),
        ] {
            self.case(format!("alias.{name}"), at, None, error("alias", is_broken), |routine| {
                part(routine, base, of, offset);
            });
        }
    }

    fn inputs(&mut self) {
        let world = &self.probes.world;
        let (registers, at) = self.probes.world.limit("input-registers");
        let (surface, surface_at) = self.probes.world.limit("surface-bytes");
        let dword = world.variable(world.anatomy.types.dword).unwrap_or(0) as u32;
        let declared = (predefined::DECLARED, predefined_surface::DECLARED);
        let input = |origin: u64, class, id: u32, offset: u64, size: u64| {
            let mut one = InputInfo::default();
            one.kind.class = class;
            one.kind.origin = InputOrigin::from_bits(origin).unwrap_or_default();
            (one.id, one.offset, one.size) = (id, offset as _, size as _);
            one
        };
        let size = world.variable_bytes(dword.into(), world.register_bytes).unwrap_or(0);
        let end = registers * world.register_bytes;
        let general = |offset, size| input(0, InputClass::General, dword, offset, size);
        let implicit = |offset| input(1, InputClass::General, dword, offset, size);
        let past = declared.0 + world.types.len() as u32;
        let cases: Vec<(&str, SourceSpan, bool, Vec<InputInfo>)> = vec![
            ("inside", at, false, vec![general(end - 2 * size, size)]),
            ("end", at, true, vec![general(end - size, size)]),
            ("size", at, true, vec![general(64, size - 4)]),
            ("undeclared", at, true, vec![input(0, InputClass::General, past, 64, size)]),
            ("apart", at, false, vec![general(64, size), general(64 + size, size)]),
            ("overlap", at, true, vec![general(64, size), general(64 + size - 4, size)]),
            ("implicit.last", at, false, vec![general(64, size), implicit(64 + size)]),
            ("implicit.first", at, true, vec![implicit(64), general(64 + size, size)]),
            ("sampler", at, false, vec![input(0, InputClass::Sampler, 0, 64, 4)]),
            ("sampler.undeclared", at, true, vec![input(0, InputClass::Sampler, 99, 64, 4)]),
            ("surface", surface_at, false, vec![input(0, InputClass::Surface, declared.1, 64, surface)]),
            ("surface.size", surface_at, true, vec![input(0, InputClass::Surface, declared.1, 64, surface + 1)]),
            ("surface.undeclared", surface_at, true, vec![input(0, InputClass::Surface, 999, 64, surface)]),
        ];
        for (name, at, is_broken, inputs) in cases {
            self.case(format!("input.{name}"), at, None, error("input", is_broken), |routine| {
                routine.inputs.extend(inputs.iter().cloned());
            });
        }
    }

    /// Refers to a label that is placed once, never, or twice, by each instruction that refers to a
    /// label.
    fn labels(&mut self) {
        let model = self.probes.world.model;
        let samples = Instruction::samples();
        let refers = |one: &Instruction| one.uses().any(|used| used.table == Table::Label && used.id == 0);
        // The page of an instruction that places a label has a text without a keyword.
        let places = |one: &Instruction| {
            let page = model.instructions.iter().find(|page| page.name == one.page().name);
            page.is_some_and(|page| encodes(page) && page.text.iter().any(|t| t.template.source.ends_with("label>:")))
        };
        let Some(label) = samples.iter().find(|one| places(one) && refers(one)) else { return };
        for one in samples.iter().filter(|one| refers(one) && !places(one)) {
            let at = model.instructions.iter().find(|page| page.name == one.page().name);
            let at = at.map_or(SourceSpan::default(), |page| page.at);
            for times in 0..3 {
                let path = format!("label.{}*{times}", one.page().name);
                self.case(path, at, None, error("label", times != 1), |routine| {
                    routine.labels = vec![LabelInfo::default(); 256];
                    routine.instructions = vec![label.clone(); times];
                    routine.instructions.push(one.clone());
                });
            }
        }
    }
}
