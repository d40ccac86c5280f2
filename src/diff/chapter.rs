//! Probing what stands in the chapters: versions, platforms, structures, types, declarations, predefined names and
//! attributes. It also makes what the pages are probed with.

use serde_json::{Value as Json, json};
use visakit_codegen::model::{Attribute, IndexKind, Mark, Marks, Model, Predefined, Shape};
use visakit_codegen::template::{Format, Item};

use super::codec::hex;
use super::finding::{Difference, Fact, Tally};
use super::layout;
use super::meaning::{What, bits, encodes, holds};
use super::page::{Probes, form_name};
use super::structure::{find, write};
use super::world::{ROUTINE, World};
use crate::isa::{DataType, GeneralId, Platform};
use crate::object::{Object, Routine};
use crate::rt::{Context, Version, Wire, Writer};
use crate::text::{self, Style};

/// Probes the chapters and gives what pages are probed with; `None` where that is impossible.
pub(super) fn prepare<'m>(model: &'m Model, tally: &mut Tally) -> Option<Probes<'m>> {
    let versions = versions(model);
    let newest = *versions.last()?;
    let broken = layout::structures(model, &versions, tally);
    let platforms = platforms(model, tally);
    let Some(world) = World::new(model) else {
        tally.fail(
            Fact::nowhere("structure", "vec_operand"),
            Difference {
                code: "structure-missing",
                message: "looking for the structures of operands".to_owned(),
                expected: "vec_operand, its classes and raw_operand".to_owned(),
                got: "no such structures in the specification".to_owned(),
            },
        );
        return None;
    };
    let routine = routine(&world, &versions, tally)?;
    types(&world, &routine, tally);
    declarations(&world, newest, tally);
    predefined(&world, &versions, tally);
    for attribute in &model.attributes {
        let result = one_attribute(&world, attribute, newest);
        tally.probe(Fact::new("attribute", format!("attribute.{}", attribute.name), attribute.at), result);
    }
    let broken_classes = world
        .operands
        .classes
        .iter()
        .filter(|(.., s)| broken.contains(&s.name))
        .map(|(_, name, _)| name.clone())
        .chain(broken.contains(&world.operands.raw.name).then(String::new))
        .collect();
    let carriers = carriers(&world, newest);
    Some(Probes { world, routine, versions, platforms, broken_classes, carriers })
}

/// Every version that pages speak of and the implementation has, oldest first.
fn versions(model: &Model) -> Vec<Version> {
    let mut out: Vec<Version> = (0..=7).map(|minor| Version::new(3, minor)).collect();
    out.extend([Version::new(4, 0), Version::new(4, 1)]);
    let mut add = |marks: &Marks| {
        for mark in &marks.0 {
            if let Mark::FromVersion(major, minor) | Mark::BeforeVersion(major, minor) = *mark {
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

/// Names, aliases, order, register sizes and codes of platforms; gives the implementation's platform for each.
fn platforms(model: &Model, tally: &mut Tally) -> Vec<Option<Platform>> {
    let found: Vec<Option<Platform>> = model.platforms.iter().map(|p| Platform::from_name(&p.name)).collect();
    for (n, (platform, known)) in model.platforms.iter().zip(&found).enumerate() {
        let path = format!("platform.{}", platform.name);
        let mut check = |what: &str, code, expected: String, got: String| {
            let result = same(code, format!("asking for {what}"), expected, got);
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
        let older = found[..n].iter().flatten().all(|p| p < known);
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
                message: "looking at the implementation's platforms".to_owned(),
                expected: "none of that name".to_owned(),
                got: platform.name().to_owned(),
            }),
        };
        tally.probe(Fact::nowhere("platform", format!("platform.{}", platform.name())), result);
    }
    found
}

fn same(code: &'static str, message: String, expected: String, got: String) -> Result<(), Difference> {
    if expected == got { Ok(()) } else { Err(Difference { code, message, expected, got }) }
}

/// The routine of the world, by way of an object of each version and of a text.
fn routine(world: &World<'_>, versions: &[Version], tally: &mut Tally) -> Option<Routine> {
    let mut newest = None;
    for version in versions {
        let Some(bytes) = world.object(*version, &[]) else { continue };
        let failed = |got: String| Difference {
            code: "object",
            message: format!("an object of version {version}"),
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
                        Err(failed(format!("other bytes from 0x{at:x} on")))
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
            // Labels are entered by the statements that use them.
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

/// The types of variables: code in the object, name, and size in bits.
fn types(world: &World<'_>, routine: &Routine, tally: &mut Tally) {
    for ty in &world.model.types {
        let fact = || Fact::new("data-type", format!("Data_type.{}", ty.name), ty.at);
        let known = u8::try_from(ty.code).ok().and_then(DataType::from_code);
        let show =
            |t: Option<DataType>| t.map_or("no type".to_owned(), |t| format!("{} of {} bits", t.name(), t.bits()));
        let expected = format!("{} of {} bits", ty.name.to_ascii_lowercase(), ty.bits);
        tally.probe(
            fact(),
            same("data-type", format!("the type with code {}", ty.code), expected.clone(), show(known)),
        );
        if let Some(id) = world.variable(&ty.name) {
            let of_variable = text::data_type(routine, GeneralId(id as u32));
            tally.probe(
                fact(),
                same("data-type", format!("a variable of type code {}", ty.code), expected, show(of_variable)),
            );
        }
    }
    for code in 0..=u8::MAX {
        if let (Some(known), false) =
            (DataType::from_code(code), world.model.types.iter().any(|t| t.code == u64::from(code)))
        {
            tally.fail(
                Fact::nowhere("data-type", format!("Data_type.0x{code:02x}")),
                Difference {
                    code: "data-type-extra",
                    message: format!("the type with code {code}"),
                    expected: "none".to_owned(),
                    got: known.name().to_owned(),
                },
            );
        }
    }
}

/// What a declaration of a text becomes in the object.
fn declarations(world: &World<'_>, version: Version, tally: &mut Tally) {
    let model = world.model;
    let Some(structure) = find(model, "var_info") else { return };
    let written = |value: &Json| write(model, structure, value, version).bytes;
    let code = |name: &str| model.types.iter().find(|t| t.name == name).map_or(0, |t| t.code);
    let properties = structure.members.iter().find(|m| m.name == "bit_properties").map(|m| m.shape);
    let Some(Shape::List(properties)) = properties else { return };
    let parts = bits(model, properties);
    for ty in &model.types {
        let (name, size) = (ty.name.to_ascii_lowercase(), u64::from(ty.bits));
        if super::world::is_packed(&ty.name) {
            continue;
        }
        // An input says its size, which must be that of the variable.
        let bytes = (size * 16).div_ceil(8);
        let source = format!(".decl X v_type=G type={name} num_elts=16\n.input X offset=64 size={bytes}\n");
        let result = first_variable(version, &source).and_then(|(bytes, _, index)| {
            let expected = written(&json!({"name_index": index, "bit_properties": ty.code, "num_elements": 16}));
            same("data-type", format!("reading `{source}`"), hex(&expected), hex(&bytes))
        });
        tally.probe(Fact::new("data-type", format!("Data_type.{}", ty.name), ty.at), result);
    }
    for b in parts.iter().filter(|b| b.name == "alignment") {
        let What::Values(values) = b.what else { continue };
        for value in values.iter().filter(|v| !v.reserved) {
            let source = format!(".decl X v_type=G type=ud num_elts=16 align={}\n", value.text);
            let result = first_variable(version, &source).and_then(|(bytes, shown, index)| {
                let expected = written(&json!({
                    "name_index": index, "bit_properties": b.set(code("UD"), value.value), "num_elements": 16,
                }));
                same("enumerator-value", format!("reading `{source}`"), hex(&expected), hex(&bytes))?;
                // The usual alignment is left out.
                let wanted = if value.value == 0 {
                    ".decl X v_type=G type=ud num_elts=16\n".to_owned()
                } else {
                    source.clone()
                };
                match shown.contains(&wanted) {
                    true => Ok(()),
                    false => Err(Difference {
                        code: "text-printed",
                        message: "printing a declaration".into(),
                        expected: wanted,
                        got: shown,
                    }),
                }
            });
            tally.probe(Fact::new("declaration", format!("Alignment.{}", value.name), value.at), result);
        }
    }
    inputs(world, version, tally);
}

/// Reads a text with one declaration; gives its bytes, the text printed again, and the string that names it.
fn first_variable(version: Version, source: &str) -> Result<(Vec<u8>, String, usize), Difference> {
    let routine = parsed(version, source)?;
    let Some(variable) = routine.variables.first() else {
        return Err(Difference {
            code: "declaration",
            message: format!("reading `{source}`"),
            expected: "a variable".into(),
            got: "none".into(),
        });
    };
    Ok((bytes_of(variable, version), printed(version, &routine), variable.name_index.0 as usize))
}

fn parsed(version: Version, source: &str) -> Result<Routine, Difference> {
    let text = format!(".version {version}\n.kernel \"{ROUTINE}\"\n{source}");
    text::parse(&text, Default::default()).map(|p| p.routine).map_err(|errors| Difference {
        code: "declaration",
        message: format!("reading `{}`", source.trim_end()),
        expected: "a declaration".to_owned(),
        got: errors.first().map_or(String::new(), |e| e.message.clone()),
    })
}

fn bytes_of(value: &impl Wire, version: Version) -> Vec<u8> {
    let mut writer = Writer::new();
    let written = value.encode(&mut writer, Context { version });
    written.map_or(Vec::new(), |()| writer.into_bytes())
}

fn printed(version: Version, routine: &Routine) -> String {
    let object =
        Object { version, kernels: Vec::new(), variables: Vec::new(), functions: Vec::new(), padding: Vec::new() };
    text::print(&object, routine, None, Style::Full)
}

/// Inputs by class and origin.
fn inputs(world: &World<'_>, version: Version, tally: &mut Tally) {
    let model = world.model;
    let Some(structure) = find(model, "input_info") else { return };
    let Some(Shape::List(kind)) = structure.members.iter().find(|m| m.name == "kind").map(|m| m.shape) else {
        return;
    };
    let parts = bits(model, kind);
    let values = |name: &str| {
        parts.iter().find(|b| b.name == name).and_then(|b| match b.what {
            What::Values(values) => Some((b, values)),
            _ => None,
        })
    };
    let (Some((class, classes)), Some((origin, origins))) = (values("class"), values("origin")) else { return };
    for one in origins.iter().filter(|v| !v.reserved) {
        // Of two origins with one spelling the first is read.
        let first = origins.iter().find(|v| v.text == one.text).map_or(0, |v| v.value);
        for table in classes.iter().filter(|v| !v.reserved) {
            let (name, id) = match table.name.as_str() {
                "general" => ("V32", world.first(IndexKind::General)),
                "sampler" => ("S0", world.first(IndexKind::Sampler)),
                _ => ("T6", world.first(IndexKind::Surface)),
            };
            let directive = if one.value == 0 { ".input".to_owned() } else { format!(".implicit_{}", one.text) };
            let line = format!("{directive} {name} offset=64 size=4");
            let head = ".decl V32 v_type=G type=ud num_elts=1\n.decl S0 v_type=S num_elts=1 v_name=S0\n";
            let source = format!("{head}.decl T6 v_type=T num_elts=1 v_name=T6\n{line}\n");
            let expected = class.set(origin.set(0, first), table.value);
            let expected =
                write(model, structure, &json!({"kind": expected, "id": id, "offset": 64, "size": 4}), version).bytes;
            let result = parsed(version, &source).and_then(|routine| {
                let got = routine.inputs.first().map_or(Vec::new(), |i| bytes_of(i, version));
                same("enumerator-value", format!("reading `{line}`"), hex(&expected), hex(&got))?;
                let shown = printed(version, &routine);
                match shown.contains(&line) {
                    true => Ok(()),
                    false => Err(Difference {
                        code: "text-printed",
                        message: "printing an input".into(),
                        expected: line.clone(),
                        got: shown,
                    }),
                }
            });
            tally.probe(Fact::new("declaration", format!("input.{}.{}", one.name, table.name), one.at), result);
        }
    }
}

/// Predefined variables, surfaces and samplers: number, names, type and size.
fn predefined(world: &World<'_>, versions: &[Version], tally: &mut Tally) {
    let model = world.model;
    let old = versions.iter().rev().find(|v| v.major < 4).copied();
    for version in versions.last().copied().into_iter().chain(old) {
        let shown = printed(version, &Routine::default());
        let lines: Vec<&str> = shown.lines().filter(|l| l.starts_with("// .decl ")).collect();
        let mut expected = Vec::new();
        for (table, kind, letter) in
            [(&model.predefined, IndexKind::General, 'V'), (&model.surfaces, IndexKind::Surface, 'T')]
        {
            let letter_of_kind = if letter == 'V' { 'G' } else { 'T' };
            expected.extend(table.iter().map(|p| {
                let name = world.name(kind, p.id, version);
                (p, format!("// .decl {letter}{} v_type={letter_of_kind} v_name={name}", p.id))
            }));
        }
        for (entry, line) in &expected {
            let number = line.split(" v_type").next().unwrap_or("");
            let got = lines.iter().find(|l| l.split(" v_type").next() == Some(number)).map_or("no line", |l| l);
            let result = same(
                "predefined-name",
                format!("printing an empty routine of version {version}"),
                line.clone(),
                got.to_owned(),
            );
            tally.probe(fact_of(entry), result);
        }
        for line in &lines {
            let number = line.split(" v_type").next();
            if !expected.iter().any(|(_, l)| l.split(" v_type").next() == number) {
                let path = format!("predefined.{}", line.rsplit('=').next().unwrap_or(""));
                tally.fail(
                    Fact::nowhere("predefined", path),
                    Difference {
                        code: "predefined-extra",
                        message: format!("printing an empty routine of version {version}"),
                        expected: "no such entry".to_owned(),
                        got: (*line).to_owned(),
                    },
                );
            }
        }
    }
    let Some(version) = versions.last().copied() else { return };
    names_read(world, version, tally);
    for entry in &model.predefined {
        let Ok(id) = u32::try_from(entry.id) else { continue };
        let got = text::data_type(&Routine::default(), GeneralId(id)).map_or("no type", DataType::name);
        let result = same(
            "predefined-type",
            format!("the type of variable {id}"),
            entry.ty.to_ascii_lowercase(),
            got.to_owned(),
        );
        tally.probe(fact_of(entry), result);
        // How large they are no text or object says: this is what the machine allocates by.
        let known = crate::isa::predefined::ALL.iter().find(|p| p.id == id).map(|p| p.elements);
        let result = same(
            "predefined-size",
            format!("the elements of variable {id}"),
            format!("{:?}", Some(entry.elements)),
            format!("{known:?}"),
        );
        tally.probe(fact_of(entry), result);
    }
}

fn fact_of(entry: &Predefined) -> Fact {
    Fact::new("predefined", format!("predefined.{}", entry.name), entry.at)
}

/// Names as a text refers to them, and the string pool, which begins with them.
fn names_read(world: &World<'_>, version: Version, tally: &mut Tally) {
    let model = world.model;
    for entry in model.predefined.iter().filter(|p| p.id != 0) {
        let source = format!(".decl X v_type=G type=ub num_elts=1 alias=<{}, 0>\n", entry.name);
        let result = parsed(version, &source).and_then(|routine| {
            let got = routine.variables.first().map(|v| u64::from(v.alias_index.0));
            same(
                "predefined-name",
                format!("reading `{}`", source.trim_end()),
                format!("{:?}", Some(entry.id)),
                format!("{got:?}"),
            )
        });
        tally.probe(fact_of(entry), result);
    }
    for entry in &model.surfaces {
        let source = format!(".input {} offset=64 size=4\n", entry.name);
        let result = parsed(version, &source).and_then(|routine| {
            let got = routine.inputs.first().map(|i| u64::from(i.id));
            same(
                "predefined-name",
                format!("reading `{}`", source.trim_end()),
                format!("{:?}", Some(entry.id)),
                format!("{got:?}"),
            )
        });
        tally.probe(fact_of(entry), result);
    }
    if let Ok(routine) = parsed(version, "") {
        let mut names = vec![ROUTINE];
        for entry in model.predefined.iter().chain(&model.surfaces).chain(&model.samplers) {
            if !names.contains(&entry.name.as_str()) {
                names.push(&entry.name);
            }
        }
        let got: Vec<String> = routine.strings.iter().map(|s| s.to_text()).collect();
        let result =
            same("predefined-name", "the strings of an empty routine".into(), names.join(" "), got.join(" "));
        tally.probe(Fact::nowhere("predefined", "string_pool"), result);
    }
}

/// An attribute as text and in the object.
fn one_attribute(world: &World<'_>, attribute: &Attribute, version: Version) -> Result<(), Difference> {
    let name = &attribute.name;
    let last = attribute.bytes.rsplit(',').next().and_then(|n| n.trim().parse::<usize>().ok());
    let mut cases: Vec<(String, Vec<u8>)> = Vec::new();
    match attribute.value.as_str() {
        "flag" => cases.push((name.clone(), Vec::new())),
        "text" => cases.push((format!("{name}=\"a b\""), b"a b".to_vec())),
        "number" => {
            let bytes = last.unwrap_or(1).clamp(1, 4);
            cases.push((format!("{name}=9"), 9u32.to_le_bytes()[..bytes].to_vec()));
        }
        coded => cases.extend(coded.split(',').filter_map(|entry| {
            let (code, text) = entry.trim().split_once(' ')?;
            Some((format!("{name}={}", text.trim()), vec![code.parse().ok()?]))
        })),
    }
    for (shown, bytes) in cases {
        let variable = attribute.place == "variable";
        let line = match variable {
            true => format!(".decl X v_type=G type=ud num_elts=1 attrs={{{shown}}}"),
            false => format!(".kernel_attr {shown}"),
        };
        let routine = parsed(version, &format!("{line}\n"))?;
        let found = if variable {
            routine.variables.first().and_then(|v| v.attribute_info.first())
        } else {
            routine.attributes.first()
        };
        let value = found.map_or("none".to_owned(), |a| hex(a.value.as_slice()));
        let named = found.and_then(|a| routine.string(a.name)).unwrap_or_default();
        same(
            "attribute",
            format!("reading `{line}`"),
            format!("{name} {}", hex(&bytes)),
            format!("{named} {value}"),
        )?;
        let again = printed(version, &routine);
        if !again.contains(&line) {
            return Err(Difference {
                code: "attribute",
                message: "printing an attribute".into(),
                expected: line,
                got: again,
            });
        }
    }
    let _ = world;
    Ok(())
}

/// For each class of operands a page, form and field whose text shows it in full.
fn carriers(world: &World<'_>, version: Version) -> Vec<(String, String, usize)> {
    let model = world.model;
    let mut out = Vec::new();
    for (_, class, _) in &world.operands.classes {
        let found = model.instructions.iter().filter(|i| encodes(i)).find_map(|page| {
            let form = page.forms.first().filter(|f| page.forms.len() == 1 && holds(&f.versions, version))?;
            let position = form.fields.iter().position(|f| {
                let plain = page.text.first().is_some_and(|t| {
                    t.template.items.iter().any(|item| {
                        matches!(item, Item::Field { field, format: Format::Plain, .. } if field.eq_ignore_ascii_case(&f.name))
                    })
                });
                f.shape == Shape::Vector && plain && f.classes.contains(class) && !f.name.eq_ignore_ascii_case("dst")
            });
            Some((class.clone(), form_name(page, form), position?))
        });
        // An address stands in the destination of one instruction only.
        let other = || {
            model.instructions.iter().filter(|i| encodes(i) && i.forms.len() == 1).find_map(|page| {
                let position = page.forms[0]
                    .fields
                    .iter()
                    .position(|f| f.shape == Shape::Vector && f.classes.contains(class))?;
                Some((class.clone(), form_name(page, &page.forms[0]), position))
            })
        };
        out.extend(found.or_else(other));
    }
    out
}
