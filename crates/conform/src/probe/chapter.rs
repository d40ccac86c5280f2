//! Probes for the chapters: versions, platforms, structures, types, declarations, predefined names
//! and attributes. They also prepare the inputs of the page probes.

use visakit_codegen::anatomy::Anatomy;
use visakit_codegen::model::{Availability, Bound, FieldKind, Model, TypeId};
use visakit_codegen::template::{Item, Style};

use super::attributes;
use super::declare::{declarations, one_attribute, predefined};
use super::layout;
use super::probes::{Probes, form_name};
use super::words::words;
use crate::expect::meaning::{encodes, holds, is_written};
use crate::expect::sample::Kind;
use crate::expect::world::World;
use crate::finding::{Difference, Fact, Tally, same};
use visakit::isa::{DataType, GeneralId, Platform};
use visakit::object::{Object, Routine};
use visakit::rt::Version;
use visakit::text;

/// Probes the chapters. Returns the inputs of the page probes; `None` if they cannot be built.
pub(crate) fn prepare<'m>(model: &'m Model, tally: &mut Tally) -> Option<Probes<'m>> {
    let versions = versions(model);
    let newest = *versions.last()?;
    let broken = layout::structures(model, &versions, tally);
    let platforms = platforms(model, tally);
    attributes::all(model, tally);
    let Some(world) = World::new(model) else {
        let missing = |fact, expected| {
            let message = "reading the structures that the assembly grammar names".to_owned();
            let got = "the specification does not define it".to_owned();
            (fact, Difference { code: "structure-missing", message, expected, got })
        };
        let lacks = Anatomy::find(model)
            .err()
            .into_iter()
            .flatten()
            .map(|lack| missing(Fact { kind: "structure", path: lack.what.clone(), at: lack.at }, lack.what));
        let mut lacks: Vec<_> = lacks.collect();
        if lacks.is_empty() {
            lacks.push(missing(
                Fact::nowhere("structure", "operands"),
                "a tag with the classes of operands".to_owned(),
            ));
        }
        lacks.into_iter().for_each(|(fact, difference)| tally.fail(fact, difference));
        return None;
    };
    let routine = routine(&world, &versions, tally)?;
    types(&world, &routine, tally);
    declarations(&world, newest, tally);
    predefined(&world, &versions, tally);
    words(&world, newest, tally);
    for attribute in &model.attributes {
        let result = one_attribute(model, attribute, newest);
        tally.probe(Fact::new("attribute", format!("attribute.{}", attribute.name), attribute.at), result);
    }
    let broken_kinds = world
        .operands
        .classes
        .iter()
        .filter(|class| broken.contains(&class.id))
        .map(|class| class.kind)
        .chain(broken.contains(&world.anatomy.raw.structure).then_some(Kind::Raw))
        .collect();
    let carriers = carriers(&world, newest);
    Some(Probes { world, routine, versions, platforms, broken_kinds, carriers })
}

/// Returns the versions that both the pages and the implementation know, oldest first.
fn versions(model: &Model) -> Vec<Version> {
    let mut out: Vec<Version> = (0..=7).map(|minor| Version::new(3, minor)).collect();
    out.extend([Version::new(4, 0), Version::new(4, 1)]);
    let mut add = |marks: &Availability| {
        for mark in &marks.0 {
            if let Bound::FromVersion(major, minor) | Bound::BeforeVersion(major, minor) = *mark {
                out.push(Version::new(major, minor));
            }
        }
    };
    for form in model.instructions.iter().flat_map(|i| &i.forms) {
        add(&form.versions);
        form.fields.iter().flat_map(|f| &f.storage).for_each(|(marks, _)| add(marks));
    }
    let members = model.structures.iter().flat_map(|s| &s.members);
    members.flat_map(|m| &m.storage).for_each(|(marks, _)| add(marks));
    out.retain(|v| (Version::new(3, 0)..=Version::new(4, 1)).contains(v));
    out.sort_unstable();
    out.dedup();
    out
}

/// Probes names, aliases, order, register sizes and codes of platforms. Returns the
/// implementation's platform for each.
fn platforms(model: &Model, tally: &mut Tally) -> Vec<Option<Platform>> {
    let found: Vec<Option<Platform>> = model.platforms.iter().map(|p| Platform::from_name(&p.name)).collect();
    for (n, (platform, known)) in model.platforms.iter().zip(&found).enumerate() {
        let path = format!("platform.{}", platform.name);
        let mut check = |what: &str, code, expected: String, got: String| {
            let result = same(code, format!("reading the platform's {what}"), expected, got);
            tally.probe(Fact::new("platform", format!("{path}.{what}"), platform.at), result);
        };
        let Some(known) = known else {
            check("name", "platform-name", platform.name.clone(), "no platform".to_owned());
            continue;
        };
        check("name", "platform-name", platform.name.clone(), known.name().to_owned());
        for alias in &platform.aliases {
            let got = Platform::from_name(&alias.to_ascii_uppercase()).map_or("no platform", Platform::name);
            check(alias, "platform-alias", platform.name.clone(), got.to_owned());
        }
        check(
            "registers",
            "platform-registers",
            platform.register_bytes.to_string(),
            known.register_bytes().to_string(),
        );
        let first = |codes: fn(&visakit_codegen::model::Platform) -> &[u64], code: u64| {
            model.platforms.iter().find(|p| codes(p).contains(&code)).map_or("", |p| p.name.as_str()).to_owned()
        };
        for code in &platform.gen_codes {
            let got =
                u8::try_from(*code).ok().and_then(Platform::from_gen_code).map_or("no platform", Platform::name);
            check(&format!("code {code}"), "platform-code", first(|p| &p.gen_codes, *code), got.to_owned());
        }
        for family in &platform.families {
            let got =
                u32::try_from(*family).ok().and_then(Platform::from_family).map_or("no platform", Platform::name);
            check(&format!("family {family:#x}"), "platform-code", first(|p| &p.families, *family), got.to_owned());
        }
        let older = found[..n].iter().flatten().all(|p| p.age() < known.age());
        check(
            "order",
            "platform-order",
            "newer than the rows above".to_owned(),
            if older { "newer than the rows above" } else { "older than one of them" }.to_owned(),
        );
    }
    for platform in Platform::ALL {
        let result = match found.contains(&Some(*platform)) {
            true => Ok(()),
            false => Err(Difference {
                code: "platform-extra",
                message: "comparing the implementation's platforms".to_owned(),
                expected: "no platform with that name".to_owned(),
                got: platform.name().to_owned(),
            }),
        };
        tally.probe(Fact::nowhere("platform", format!("platform.{}", platform.name())), result);
    }
    found
}

/// Returns the routine of the world, decoded from an object of each version and parsed from a text.
fn routine(world: &World<'_>, versions: &[Version], tally: &mut Tally) -> Option<Routine> {
    let mut newest = None;
    for version in versions {
        let Some(bytes) = world.object(*version, &[]) else { continue };
        let failed = |got: String| Difference {
            code: "object",
            message: format!("decoding an object of version {version}"),
            expected: "the same routine and the same bytes again".to_owned(),
            got,
        };
        let result = match Object::decode(&bytes) {
            Ok(object) => {
                let again = object.encode().map_err(|e| e.to_string());
                newest = object.kernels.into_iter().next().map(|k| k.routine).or(newest);
                match again {
                    Ok(again) if again == bytes => Ok(()),
                    Ok(again) => {
                        let at = again.iter().zip(&bytes).take_while(|(a, b)| a == b).count();
                        Err(failed(format!("different bytes from offset 0x{at:x}")))
                    }
                    Err(error) => Err(failed(error)),
                }
            }
            Err(error) => Err(failed(error.to_string())),
        };
        tally.probe(Fact::nowhere("object", format!("object@{version}")), result);
    }
    let version = *versions.last()?;
    let source = world.head(version);
    let fact = Fact::nowhere("object", "declarations");
    match text::parse(&source, Default::default()) {
        Ok(parsed) => {
            // The statements that use labels declare them.
            let from_object = newest.as_ref().map(|r| Routine { labels: Vec::new(), ..r.clone() });
            let tables = |r: &Routine| {
                (
                    r.variables.clone(),
                    r.addresses.clone(),
                    r.predicates.clone(),
                    r.samplers.clone(),
                    r.surfaces.clone(),
                )
            };
            let equal = from_object.as_ref().is_none_or(|r| tables(r) == tables(&parsed.routine));
            tally.probe(
                fact,
                match equal {
                    true => Ok(()),
                    false => Err(Difference {
                        code: "declaration",
                        message: "reading the declarations as text and as object".to_owned(),
                        expected: format!("{:?}", from_object.map(|r| tables(&r))),
                        got: format!("{:?}", tables(&parsed.routine)),
                    }),
                },
            );
            newest.or(Some(parsed.routine))
        }
        Err(errors) => {
            let lines: Vec<_> = errors.iter().map(|e| format!("{} ({})", e.message, e.quote)).collect();
            tally.fail(
                fact,
                Difference {
                    code: "declaration",
                    message: "reading the declarations of a text".to_owned(),
                    expected: "a routine".to_owned(),
                    got: lines.join("; "),
                },
            );
            newest
        }
    }
}

/// Probes the types of variables: code in the object, name, and size in bits.
fn types(world: &World<'_>, routine: &Routine, tally: &mut Tally) {
    for (at, ty) in world.model.types.iter().enumerate() {
        let fact = || Fact::new("data-type", format!("Data_type.{}", ty.name), ty.at);
        let known = u8::try_from(ty.code).ok().and_then(DataType::from_code);
        let show =
            |t: Option<DataType>| t.map_or("no type".to_owned(), |t| format!("{} of {} bits", t.name(), t.bits()));
        let is_stored = world.model.object_type(ty).is_none();
        let expected = format!("{} of {} bits", ty.name.to_ascii_lowercase(), ty.bits);
        let expected = if is_stored { expected } else { show(None) };
        tally.probe(
            fact(),
            same("data-type", format!("reading the type with code {}", ty.code), expected.clone(), show(known)),
        );
        if let Some(id) = world.variable(TypeId(at)) {
            let of_variable = routine.data_type(GeneralId(id as u32));
            tally.probe(
                fact(),
                same(
                    "data-type",
                    format!("reading a variable with type code {}", ty.code),
                    expected,
                    show(of_variable),
                ),
            );
        }
    }
    for code in 0..=u8::MAX {
        let has_code = |t: &&visakit_codegen::model::DataType| t.code == u64::from(code);
        let is_said = world.model.types.iter().find(has_code).is_some_and(|t| world.model.object_type(t).is_none());
        if let (Some(known), false) = (DataType::from_code(code), is_said) {
            tally.fail(
                Fact::nowhere("data-type", format!("Data_type.0x{code:02x}")),
                Difference {
                    code: "data-type-extra",
                    message: format!("reading the type with code {code}"),
                    expected: "none".to_owned(),
                    got: known.name().to_owned(),
                },
            );
        }
    }
}

/// Returns for each operand class a page, form and field whose text shows the operand in full.
fn carriers(world: &World<'_>, version: Version) -> Vec<(Kind, String, usize)> {
    let model = world.model;
    let mut out = Vec::new();
    for class in &world.operands.classes {
        let found = model.instructions.iter().filter(|i| encodes(i)).find_map(|page| {
            let form = page.forms.first().filter(|f| page.forms.len() == 1 && holds(&f.versions, version))?;
            let position = form.fields.iter().enumerate().position(|(at, f)| {
                let plain = form.texts.first().is_some_and(|t| {
                    t.template.items.iter().any(|item| {
                        matches!(item, Item::Field { place: Some(p), format: Style::Plain, .. } if p.field == at)
                    })
                });
                f.shape == FieldKind::Vector && plain && class.is_named(f) && !is_written(f)
            });
            Some((class.kind, form_name(page, form), position?))
        });
        // Only one instruction has an address in its destination.
        let other = || {
            model.instructions.iter().filter(|i| encodes(i) && i.forms.len() == 1).find_map(|page| {
                let position =
                    page.forms[0].fields.iter().position(|f| f.shape == FieldKind::Vector && class.is_named(f))?;
                Some((class.kind, form_name(page, &page.forms[0]), position))
            })
        };
        out.extend(found.or_else(other));
    }
    out
}
