//! Probes for declarations: variables, inputs, predefined names and attributes, in text and object.

use visakit_codegen::model::{Attribute, IndexKind, Model, Predefined};

use crate::codec::hex;
use crate::expect::directive;
use crate::expect::meaning::{BitsKind, bits_of};
use crate::expect::structure::{numbers, write};
use crate::expect::world::{ROUTINE, World, of_variables};
use crate::finding::{Difference, Fact, Tally, same};
use visakit::isa::{DataType, DeclaredClass, GeneralId, TextDirective, TextKey};
use visakit::object::{Object, Routine};
use visakit::rt::{Context, Version, Wire, Writer};
use visakit::text::{self, Style};

/// Probes the object bytes of declarations in a text.
pub(crate) fn declarations(world: &World<'_>, version: Version, tally: &mut Tally) {
    let model = world.model;
    let (a, info) = (world.anatomy, world.anatomy.var_info);
    let Some(structure) = model.structure(info.structure) else { return };
    let written = |name: usize, properties: u64| {
        let value = numbers([(info.name, name as u64), (info.properties, properties), (info.elements, 16)]);
        write(model, structure, &value, version).bytes
    };
    for ty in &model.types {
        let (name, size) = (ty.name.to_ascii_lowercase(), u64::from(ty.bits));
        if !of_variables(model, ty) {
            continue;
        }
        // The size of an input must match its variable.
        let bytes = (size * 16).div_ceil(8);
        let source = format!(
            "{}\n{}\n",
            directive::general(model, "X", &name, 16, &[]),
            input(model, "X", &bytes.to_string())
        );
        let result = first_variable(model, version, &source).and_then(|(bytes, _, index)| {
            let expected = written(index, ty.code);
            same("data-type", format!("reading `{source}`"), hex(&expected), hex(&bytes))
        });
        tally.probe(Fact::new("data-type", format!("Data_type.{}", ty.name), ty.at), result);
    }
    let dword = world.ty(a.types.dword);
    if let Some(b) = bits_of(model, a.properties.alignment)
        && let BitsKind::Values(values) = b.what
    {
        for value in values.iter().filter(|v| !v.reserved) {
            let declared = |more: &[(TextKey, &str)]| format!("{}\n", directive::general(model, "X", "ud", 16, more));
            let source = declared(&[(TextKey::KeyAlignment, &value.text)]);
            let result = first_variable(model, version, &source).and_then(|(bytes, shown, index)| {
                let expected = written(index, b.set(dword.code, value.value));
                same("enumerator-value", format!("reading `{source}`"), hex(&expected), hex(&bytes))?;
                // The text omits the default alignment.
                let is_default = directive::is_default(model, TextKey::KeyAlignment, value);
                let wanted = if is_default { declared(&[]) } else { source.clone() };
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

/// Parses a text with one declaration. Returns its bytes, the printed text, and its name.
fn first_variable(model: &Model, version: Version, source: &str) -> Result<(Vec<u8>, String, usize), Difference> {
    let routine = parsed(model, version, source)?;
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

/// Returns the line of an input at a fixed offset.
fn input(model: &Model, name: &str, size: &str) -> String {
    directive::input(model, TextDirective::InputLine, "", name, &placed(size))
}

/// Returns the keys of an input at a fixed offset.
pub(super) fn placed(size: &str) -> [(TextKey, &str); 2] {
    [(TextKey::KeyOffset, "64"), (TextKey::KeySize, size)]
}

/// Parses a text with a kernel of the given lines.
pub(super) fn parsed(model: &Model, version: Version, source: &str) -> Result<Routine, Difference> {
    let text = format!("{}{source}", directive::kernel(model, version, ROUTINE));
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
    let object = Object {
        version,
        kernels: Vec::new(),
        variables: Vec::new(),
        functions: Vec::new(),
        order: Vec::new(),
        padding: Vec::new(),
    };
    text::print(&object, routine, None, Style::Full)
}

/// Probes inputs by class and origin.
fn inputs(world: &World<'_>, version: Version, tally: &mut Tally) {
    let model = world.model;
    let (a, info) = (world.anatomy, world.anatomy.input_info);
    let Some(structure) = model.structure(info.structure) else { return };
    let values = |part| {
        bits_of(model, part).and_then(|b| match b.what {
            BitsKind::Values(values) => Some((b, values)),
            _ => None,
        })
    };
    let (class, origin) = (values(a.properties.input_class), values(a.properties.input_origin));
    let (Some((class, classes)), Some((origin, origins))) = (class, origin) else { return };
    for one in origins.iter().filter(|v| !v.reserved) {
        // If two origins have the same spelling, the parser chooses the first.
        let first = origins.iter().find(|v| v.text == one.text).map_or(0, |v| v.value);
        for table in classes.iter().filter(|v| !v.reserved) {
            let kind = IndexKind::from_name(&table.name).unwrap_or(IndexKind::Surface);
            let (name, id) = (world.name(kind, world.first(kind)), world.first(kind));
            let line = match one.value {
                0 => input(model, &name, "4"),
                _ => directive::input(model, TextDirective::ImplicitLine, &one.text, &name, &placed("4")),
            };
            let others =
                [(DeclaredClass::SamplerClass, "S0"), (DeclaredClass::SurfaceClass, "T6")].map(|(class, name)| {
                    let values = [(TextKey::KeyElements, "1"), (TextKey::KeyShownName, name)];
                    directive::declaration(model, class, name, &values)
                });
            let source =
                format!("{}\n{}\n{line}\n", directive::general(model, "V32", "ud", 1, &[]), others.join("\n"));
            let kind = class.set(origin.set(0, first), table.value);
            let expected = numbers([(info.kind, kind), (info.id, id), (info.offset, 64), (info.size, 4)]);
            let expected = write(model, structure, &expected, version).bytes;
            let result = parsed(model, version, &source).and_then(|routine| {
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

/// Probes predefined variables, surfaces and samplers: number, names, type and size.
pub(crate) fn predefined(world: &World<'_>, versions: &[Version], tally: &mut Tally) {
    let model = world.model;
    let old = versions.iter().rev().find(|v| v.major < 4).copied();
    for version in versions.last().copied().into_iter().chain(old) {
        let shown = printed(version, &Routine::default());
        let classes = [
            (&model.predefined[..], IndexKind::General, DeclaredClass::GeneralClass),
            (&model.surfaces[..], IndexKind::Surface, DeclaredClass::SurfaceClass),
        ];
        let is_listed =
            |l: &&str| classes.iter().any(|(.., class)| l.starts_with(&directive::comment(model, *class)));
        let lines: Vec<&str> = shown.lines().filter(is_listed).collect();
        let mut expected = Vec::new();
        for (table, kind, class) in classes {
            let listed = if kind == IndexKind::General { directive::listed(model) } else { table.len() };
            expected.extend(
                table
                    .iter()
                    .take(listed)
                    .map(|p| (p, directive::predefined(model, class, p.id, &world.name(kind, p.id)))),
            );
        }
        for (entry, line) in &expected {
            let got = lines.iter().find(|l| number(l) == number(line)).map_or("no line", |l| l);
            let result = same(
                "predefined-name",
                format!("printing an empty routine of version {version}"),
                line.clone(),
                got.to_owned(),
            );
            tally.probe(fact_of(entry), result);
        }
        for line in &lines {
            if !expected.iter().any(|(_, l)| number(l) == number(line)) {
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
        let got = Routine::default().data_type(GeneralId(id)).map_or("no type", DataType::name);
        let result = same(
            "predefined-type",
            format!("the type of variable {id}"),
            entry.ty.name.to_ascii_lowercase(),
            got.to_owned(),
        );
        tally.probe(fact_of(entry), result);
        // Texts and objects do not contain the size; the machine allocates by this value.
        let known = visakit::isa::predefined::ALL.iter().find(|p| p.id == id).map(|p| p.elements);
        let result = same(
            "predefined-size",
            format!("the elements of variable {id}"),
            format!("{:?}", Some(entry.elements)),
            format!("{known:?}"),
        );
        tally.probe(fact_of(entry), result);
    }
}

/// Returns the part of a comment before its keys.
fn number(line: &str) -> &str {
    line.split_once('=').and_then(|(front, _)| front.rsplit_once(' ')).map_or(line, |(front, _)| front)
}

fn fact_of(entry: &Predefined) -> Fact {
    Fact::new("predefined", format!("predefined.{}", entry.name), entry.at)
}

/// Checks that a text that names an entry is parsed as that entry.
fn read_as(entry: &Predefined, source: &str, got: Option<u64>) -> Result<(), Difference> {
    same(
        "predefined-name",
        format!("reading `{}`", source.trim_end()),
        format!("{:?}", Some(entry.id)),
        format!("{got:?}"),
    )
}

/// Probes the names in texts, and the predefined names at the start of the string pool.
fn names_read(world: &World<'_>, version: Version, tally: &mut Tally) {
    let model = world.model;
    for entry in model.predefined.iter().filter(|p| p.id != 0) {
        let base = format!("<{}, 0>", entry.name);
        let source = format!("{}\n", directive::general(model, "X", "ub", 1, &[(TextKey::KeyAlias, &base)]));
        let result = parsed(model, version, &source).and_then(|routine| {
            let got = routine.variables.first().map(|v| u64::from(v.alias_index.0));
            read_as(entry, &source, got)
        });
        tally.probe(fact_of(entry), result);
    }
    // The vendor's grammar does not allow inputs whose names begin with a percent sign; messages
    // can name them.
    for entry in model.surfaces.iter().filter(|s| !s.name.starts_with('%')) {
        let source = format!("{}\n", input(model, &entry.name, "4"));
        let result = parsed(model, version, &source).and_then(|routine| {
            let got = routine.inputs.first().map(|i| u64::from(i.id));
            read_as(entry, &source, got)
        });
        tally.probe(fact_of(entry), result);
    }
    if let Ok(routine) = parsed(model, version, "") {
        let mut names = vec![ROUTINE];
        for entry in world.pool_variables().iter().chain(&model.surfaces).chain(&model.samplers) {
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

/// Probes an attribute in text and object.
pub(crate) fn one_attribute(model: &Model, attribute: &Attribute, version: Version) -> Result<(), Difference> {
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
            true => {
                let attributes = format!("{{{shown}}}");
                directive::general(model, "X", "ud", 1, &[(TextKey::KeyAttributes, &attributes)])
            }
            false => format!("{} {shown}", directive::spelling(model, TextDirective::KernelAttrLine)),
        };
        let routine = parsed(model, version, &format!("{line}\n"))?;
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
    Ok(())
}
