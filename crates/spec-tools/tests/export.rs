//! The export is valid under its schema and agrees with the model.

use std::path::Path;

use serde_json::Value;
use visakit_codegen::model::{BitFieldKind, Bound, FieldKind, ListKind, Model, Presence, names};
use visakit_spec_tools::export;
use visakit_testing::schema::violations;

fn read(dir: &Path) -> (Model, Value) {
    let (model, _) = visakit_codegen::read_dir(dir).unwrap();
    let value = serde_json::to_value(export::export(&model)).unwrap();
    (model, value)
}

fn schema() -> Value {
    serde_json::from_str(export::SCHEMA).unwrap()
}

#[test]
fn our_export_is_valid() {
    let (_, value) = read(&visakit_testing::root().join("spec"));
    assert_eq!(violations(&schema(), &value), None);
}

#[test]
fn exports_of_the_vendors_documents_are_valid() {
    let Some(dir) = visakit_testing::upstream("export") else { return };
    for (revision, pages) in [("2022-12", 125), ("2025-02", 127)] {
        let (_, value) = read(&dir.join(revision));
        assert_eq!(violations(&schema(), &value), None, "{revision}");
        assert_eq!(value["instructions"].as_array().unwrap().len(), pages, "{revision}");
    }
}

/// Function that makes an export invalid.
type Damage = fn(&mut Value);

/// The schema is strict: missing, misspelt, mistyped and additional members are invalid.
#[test]
fn the_schema_is_strict() {
    let (_, good) = read(&visakit_testing::root().join("spec"));
    let add = good["instructions"].as_array().unwrap().iter().position(|i| i["name"] == "ADD").unwrap();
    let damages: [(&str, Damage); 9] = [
        ("a version of another form", |v| v["schema"] = "9.0".into()),
        ("no version", |v| drop(v.as_object_mut().unwrap().remove("schema"))),
        ("a new member", |v| v["extra"] = 1.into()),
        ("an opcode of two bytes", |v| v["instructions"][0]["opcode"] = 256.into()),
        ("an unknown kind", |v| v["instructions"][0]["kind"] = "odd".into()),
        ("a line 0", |v| v["lists"][0]["at"]["line"] = 0.into()),
        ("a field without a shape", |v| {
            let form = &mut v["instructions"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .find(|i| i["name"] == "ADD")
                .unwrap()["forms"][0];
            form["fields"][0].as_object_mut().unwrap().remove("shape");
        }),
        ("an unknown operator", |v| {
            let add = v["instructions"].as_array_mut().unwrap().iter_mut().find(|i| i["name"] == "ADD").unwrap();
            add["semantics"]["statements"][0]["body"][0]["value"]["operator"] = "**".into();
        }),
        ("a mark of no kind", |v| v["lists"][0]["values"][0]["when"] = serde_json::json!([{ "from": "skl" }])),
    ];
    assert_eq!(good["instructions"][add]["semantics"]["statements"][0]["body"][0]["value"]["operator"], "+");
    for (what, damage) in damages {
        let mut bad = good.clone();
        damage(&mut bad);
        assert_ne!(bad, good, "{what}");
        assert!(violations(&schema(), &bad).is_some(), "{what}");
    }
}

/// Every definition of the schema is used.
#[test]
fn the_schema_has_no_unused_definitions() {
    let schema = schema();
    for name in schema["$defs"].as_object().unwrap().keys() {
        assert!(export::SCHEMA.contains(&format!("\"#/$defs/{name}\"")), "{name}");
    }
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let pattern = schema["$defs"]["FormVersion"]["pattern"].as_str().unwrap();
    let (major, _) = export::VERSION.split_once('.').unwrap();
    assert!(pattern.starts_with(&format!("^{major}")), "the schema is that of version {}", export::VERSION);
}

/// Compares all values with the model, which other tests compare with the pages.
fn agrees(model: &Model, value: &Value) {
    assert_eq!(value["schema"], export::VERSION);
    let of = |name: &str| value[name].as_array().unwrap();
    assert_eq!(of("types").len(), model.types.len());
    for (t, v) in model.types.iter().zip(of("types")) {
        assert_eq!((&v["name"], &v["code"], &v["bits"]), (&t.name.as_str().into(), &t.code.into(), &t.bits.into()));
    }
    assert_eq!(of("lists").len(), model.lists.len());
    for (list, v) in model.lists.iter().zip(of("lists")) {
        assert_eq!((v["name"].as_str().unwrap(), v["bits"].as_u64().unwrap()), (&*list.name, list.bits.into()));
        match &list.kind {
            ListKind::Enumeration { values, .. } => {
                assert_eq!(v["values"].as_array().unwrap().len(), values.len());
                for (e, v) in values.iter().zip(v["values"].as_array().unwrap()) {
                    assert_eq!((v["value"].as_u64().unwrap(), v["name"].as_str().unwrap()), (e.value, &*e.name));
                    assert_eq!(v["when"].as_array().unwrap().len(), e.marks.0.len());
                    let (path, line) = model.origin(e.at);
                    assert_eq!(
                        (v["at"]["file"].as_str().unwrap(), v["at"]["line"].as_u64().unwrap()),
                        (path, line.into())
                    );
                }
            }
            ListKind::Parts(parts) => {
                assert_eq!(v["parts"].as_array().unwrap().len(), parts.len());
                for (p, v) in parts.iter().zip(v["parts"].as_array().unwrap()) {
                    assert_eq!((v["hi"].as_u64(), v["lo"].as_u64()), (Some(p.hi.into()), Some(p.lo.into())));
                    if let BitFieldKind::Enumeration(id) = p.kind {
                        assert_eq!(v["list"]["index"].as_u64().unwrap() as usize, id.0);
                        assert_eq!(v["list"]["name"], of("lists")[id.0]["name"]);
                    }
                }
            }
        }
    }
    assert_eq!(of("instructions").len(), model.instructions.len());
    for (i, v) in model.instructions.iter().zip(of("instructions")) {
        assert_eq!((v["name"].as_str().unwrap(), v["opcode"].as_u64().unwrap()), (&*i.name, i.opcode.into()));
        assert_eq!(v["sub_opcode"].as_u64(), i.sub_opcode.map(u64::from));
        let (path, line) = model.origin(i.at);
        assert_eq!((v["at"]["file"].as_str().unwrap(), v["at"]["line"].as_u64().unwrap()), (path, line.into()));
        assert_eq!(v["semantics"]["source"].as_str().unwrap_or(""), i.semantics);
        let templates: Vec<_> =
            v["text"].as_array().unwrap().iter().map(|t| t["template"].as_str().unwrap()).collect();
        assert_eq!(templates, i.text.iter().map(|t| &*t.template.source).collect::<Vec<_>>());
        assert_eq!(v["forms"].as_array().unwrap().len(), i.forms.len());
        for (form, v) in i.forms.iter().zip(v["forms"].as_array().unwrap()) {
            assert_eq!(v["fields"].as_array().unwrap().len(), form.fields.len());
            for (f, v) in form.fields.iter().zip(v["fields"].as_array().unwrap()) {
                assert_eq!(v["name"], *f.name);
                match f.shape {
                    FieldKind::List(id) => assert_eq!(v["shape"]["list"]["index"].as_u64().unwrap() as usize, id.0),
                    FieldKind::Copy(of) => assert_eq!(v["shape"]["field"], *form.fields[of].name),
                    FieldKind::Index(kind) => assert_eq!(v["shape"]["table"], kind.name()),
                    _ => {}
                }
                if let Presence::If(condition) = &f.presence {
                    assert_eq!(v["presence"]["values"], serde_json::json!(names(&condition.values)));
                }
                let storage: Vec<_> =
                    v["storage"].as_array().unwrap().iter().map(|s| s["type"].as_str().unwrap()).collect();
                assert_eq!(storage, f.storage.iter().map(|(_, s)| s.name()).collect::<Vec<_>>());
                assert_eq!(v["types"], serde_json::json!(names(&f.types)));
                assert_eq!(v["classes"], serde_json::json!(names(&f.classes)));
                let range = f.range.map(|(low, high)| serde_json::json!({ "low": low, "high": high }));
                assert_eq!(v.get("range"), range.as_ref());
            }
        }
        for (mark, v) in i
            .platforms
            .iter()
            .flat_map(|m| &m.0)
            .zip(v["platforms"].as_array().unwrap().iter().flat_map(|g| g.as_array().unwrap()))
        {
            let key = match mark {
                Bound::From(name) => ("from_platform", name.name.clone()),
                Bound::Before(name) => ("before_platform", name.name.clone()),
                Bound::Only(name) => ("only_platform", name.name.clone()),
                Bound::FromVersion(a, b) => ("from_version", format!("{a}.{b}")),
                Bound::BeforeVersion(a, b) => ("before_version", format!("{a}.{b}")),
            };
            assert_eq!(v[key.0], key.1);
        }
    }
}

#[test]
fn the_export_says_what_the_model_says() {
    let (model, value) = read(&visakit_testing::root().join("spec"));
    agrees(&model, &value);
    if let Some(dir) = visakit_testing::upstream("export") {
        for revision in ["2022-12", "2025-02"] {
            let (model, value) = read(&dir.join(revision));
            agrees(&model, &value);
        }
    }
}

/// Some facts of the pages, written by hand.
#[test]
fn some_facts() {
    let (_, value) = read(&visakit_testing::root().join("spec"));
    let add = value["instructions"].as_array().unwrap().iter().find(|i| i["name"] == "ADD").unwrap();
    assert_eq!((&add["opcode"], &add["kind"]), (&1.into(), &"ordinary".into()));
    assert_eq!(add["at"], serde_json::json!({ "file": "instructions/ADD.md", "line": 3, "column": 3 }));
    let assign = &add["semantics"]["statements"][0]["body"][0];
    assert_eq!(assign["target"]["of"], serde_json::json!({ "kind": "field", "name": "dst" }));
    assert_eq!(assign["at"]["line"], 15);
    let list = value["lists"].as_array().unwrap().iter().find(|l| l["name"] == "Combine").unwrap();
    assert_eq!(
        (&list["kind"], &list["values"][2]["name"], &list["values"][2]["value"]),
        (&"enumeration".into(), &"all".into(), &2.into())
    );
    assert!(value["builtins"].as_array().unwrap().iter().any(|b| b["name"] == "fma" && b["parameters"][2] == "c"));
}

#[test]
fn the_export_is_deterministic() {
    let text = || {
        serde_json::to_string(&export::export(
            &visakit_codegen::read_dir(&visakit_testing::root().join("spec")).unwrap().0,
        ))
        .unwrap()
    };
    assert_eq!(text(), text());
}
