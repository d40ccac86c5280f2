//! Commands that take objects and containers apart: `dump`, `disasm --salvage`, `extract`.

mod common;

use std::path::Path;

use common::run;
use serde_json::Value;
use visakit::dump;
use visakit::object::Object;
use visakit::text::{Options, parse};
use visakit_testing::schema::violations;
use visakit_testing::{root, scratch};

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn schema() -> Value {
    serde_json::from_str(dump::SCHEMA).unwrap()
}

fn dumped(file: &Path) -> Value {
    let object = Object::decode(&std::fs::read(file).unwrap()).unwrap();
    serde_json::to_value(dump::dump(&object, None)).unwrap()
}

/// Every dump matches its schema: all vectors, and the vendor's shipped objects if available.
#[test]
fn dumps_are_valid() {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.set_default_draft(boon::Draft::V2020_12);
    compiler.add_resource("schema.json", schema()).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    let mut files = visakit_testing::files(&root().join("tests/vectors/single"), "isa");
    if let Some(shared) = visakit_testing::shared("dumps_are_valid, in part", "VISAKIT_VECTORS") {
        for name in ["SKYLAKE_DONOTHING_ISA_0", "genx_fcopy_gen9_0", "pGPUCopy_kernel_isa_gen8_0", "genx_me_gen9_0"] {
            files.push(shared.join("public").join(name).join("object.isa"));
        }
    }
    for file in files {
        let value = dumped(&file);
        assert_eq!(value["schema"], dump::VERSION);
        if let Err(error) = schemas.validate(&value, index) {
            panic!("{}: {}", file.display(), format!("{error:#}").chars().take(2000).collect::<String>());
        }
    }
}

/// The schema is strict and has no unused parts.
#[test]
fn the_schema_is_strict() {
    let schema = schema();
    for name in schema["$defs"].as_object().unwrap().keys() {
        assert!(dump::SCHEMA.contains(&format!("\"#/$defs/{name}\"")), "{name}");
    }
    let good = dumped(&root().join("tests/vectors/single/arith-00.isa"));
    assert_eq!(violations(&schema, &good), None);
    type Damage = fn(&mut Value);
    let damages: [(&str, Damage); 7] = [
        ("a version of another form", |v| v["schema"] = "2.0".into()),
        ("no version", |v| drop(v.as_object_mut().unwrap().remove("schema"))),
        ("a new member", |v| v["kernels"][0]["extra"] = 1.into()),
        ("half a byte", |v| v["padding"] = "0".into()),
        ("an unknown kind of field", |v| {
            v["kernels"][0]["routine"]["instructions"][0]["fields"][0]["kind"] = "x".into()
        }),
        ("a kernel with the size of a function's result", |v| v["kernels"][0]["routine"]["input_size"] = 1.into()),
        ("an opcode of two bytes", |v| v["kernels"][0]["routine"]["instructions"][0]["opcode"] = 256.into()),
    ];
    for (what, damage) in damages {
        let mut bad = good.clone();
        damage(&mut bad);
        assert_ne!(bad, good, "{what}");
        assert!(violations(&schema, &bad).is_some(), "{what}");
    }
}

/// Compares some facts of an object with values found by hand.
#[test]
fn a_dump_says_what_is_there() {
    let file = root().join("tests/vectors/single/arith-00.isa");
    let (exit, out, _) = run(&["dump", &text(&file)]);
    assert_eq!(exit, 0);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(value["version"], "4.1");
    let routine = &value["kernels"][0]["routine"];
    assert_eq!(routine["variables"][0]["id"], 32);
    let add = &routine["instructions"][0];
    assert_eq!((&add["name"], &add["opcode"]), (&"ADD".into(), &1.into()));
    assert_eq!(add["text"], "add.sat (M1, 16) V33(0,0)<1> (-)V33(1,0)<8;8,1> 0x3f800000:f");
    assert_eq!(add["fields"][0]["parts"][0], serde_json::json!({ "part": "size", "value": 4, "name": "16" }));
    assert_eq!((&add["fields"][2]["modifier"], &add["fields"][2]["variable"]), (&"sat".into(), &"V33".into()));
    assert_eq!((&add["fields"][3]["modifier"], &add["fields"][3]["row"]), (&"negate".into(), &1.into()));
    assert_eq!(add["fields"][4]["bits"], "0x3f800000");
    assert_eq!(run(&["dump", "--schema"]).1, dump::SCHEMA);
}

/// Operands omitted by the packaged compiler are marked, and the mnemonics match the text in order.
#[test]
fn salvage() {
    if !visakit_testing::have("salvage", "vendor", visakit_testing::program("GenX_IR"), "GenX_IR") {
        return;
    }
    for (name, platform, source) in visakit_testing::compiled_texts() {
        let dir = scratch(&format!("salvage-{name}"));
        let file = text(&visakit_testing::vendors_object(&dir, &platform, &source));
        assert_eq!(run(&["disasm", &file]).0, 1);
        let (exit, out, err) = run(&["disasm", &file, "--salvage"]);
        assert_eq!(exit, 1, "{name}");
        assert!(err.contains("object-incomplete") && out.contains("<missing>"), "{name}: {err}");
        let whole = parse(&source, Options::default()).unwrap();
        let expected: Vec<&str> = whole.routine.instructions.iter().map(|i| i.page().name).collect();
        let salvaged = Object::salvage(&std::fs::read(&file).unwrap()).unwrap();
        let found: Vec<&str> = salvaged.code[0].instructions.iter().map(|f| f.page.name).collect();
        assert_eq!(found, expected, "{name}");
        assert!(salvaged.code[0].is_whole, "{name}");
    }
}

/// Salvages the object that ocloc writes next to its texts, with images and samplers.
#[test]
fn salvage_dumps() {
    if !visakit_testing::have("salvage_dumps", "vendor", visakit_testing::program("ocloc"), "ocloc") {
        return;
    }
    let source = "kernel void k(read_only image2d_t im, sampler_t s, global float4 *o) {\n\
                  \x20   int x = get_global_id(0);\n\
                  \x20   if (x < 64) o[x] = read_imagef(im, s, (float2)(x, 1)) + read_imagef(im, (int2)(x, 2));\n}\n";
    let mut count = 0;
    for device in ["skl", "tgllp", "dg2"] {
        let dir = scratch(&format!("salvage-dumps-{device}"));
        std::fs::write(dir.join("k.cl"), source).unwrap();
        let _ = std::process::Command::new("ocloc")
            .args(["compile", "-file", "k.cl", "-device", device, "-q"])
            .envs([("IGC_ShaderDumpEnable", "1"), ("IGC_DumpToCustomDir", dir.to_str().unwrap())])
            .current_dir(&dir)
            .output()
            .unwrap();
        for file in visakit_testing::files(&dir, "isa") {
            let text = std::fs::read_to_string(file.with_extension("visaasm")).unwrap();
            let whole = parse(&text, Options::default()).unwrap_or_else(|e| panic!("{}", e[0].render(false)));
            let expected: Vec<&str> = whole.routine.instructions.iter().map(|i| i.page().name).collect();
            let salvaged = Object::salvage(&std::fs::read(&file).unwrap()).unwrap();
            let found: Vec<&str> = salvaged.code[0].instructions.iter().map(|f| f.page.name).collect();
            assert_eq!(found, expected, "{}", file.display());
            assert!(expected.contains(&"3D_SAMPLE"), "{}", file.display());
            count += 1;
        }
    }
    assert!(count >= 3, "{count}");
}

/// The extracted text of a zebin equals its section, byte for byte.
#[test]
fn extract_a_zebin() {
    let dir = scratch("extract-zebin");
    let zebin = root().join("examples/histogram/histogram.pvc.zebin");
    let (exit, out, err) = run(&["extract", &text(&zebin), "-o", &text(&dir)]);
    assert_eq!((exit, err.as_str()), (0, ""));
    let (_, _, expected) =
        visakit_testing::compiled_texts().into_iter().find(|(n, ..)| n == "histogram.pvc.zebin").unwrap();
    assert_eq!(std::fs::read_to_string(dir.join("pvc/histogram.visaasm")).unwrap(), expected);
    let info = std::fs::read_to_string(dir.join("pvc/ze_info.yaml")).unwrap();
    assert!(info.contains("kernels:") && info.contains("histogram"));
    assert!(std::fs::metadata(dir.join("pvc/histogram.bin")).unwrap().len() > 64);
    assert!(out.contains("histogram.visaasm"));
    let (exit, out, _) = run(&["extract", &text(&zebin), "-o", &text(&dir), "--format", "json"]);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &value["findings"]), (0, &serde_json::json!([])));
    let files = value["files"].as_array().unwrap();
    let visa = files.iter().find(|f| f["kind"] == "visa").unwrap();
    assert_eq!(visa["path"], "pvc/histogram.visaasm");
    assert_eq!((&visa["device"], &visa["routine"]), (&"pvc".into(), &"histogram".into()));
}

/// A file that is not a container, and a damaged container, are reported.
#[test]
fn extract_what_is_none() {
    let dir = scratch("extract-none");
    let page = root().join("spec/README.md");
    let (exit, _, err) = run(&["extract", &text(&page), "-o", &text(&dir)]);
    assert_eq!(exit, 1);
    assert!(err.contains("container-unknown"), "{err}");
    let cut = dir.join("cut.zebin");
    let whole = std::fs::read(root().join("examples/histogram/histogram.pvc.zebin")).unwrap();
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let (exit, _, err) = run(&["extract", &text(&cut), "-o", &text(&dir.join("out"))]);
    assert_eq!(exit, 1);
    assert!(err.contains("container-damaged"), "{err}");
    assert_eq!(run(&["extract", "nowhere", "-o", &text(&dir)]).0, 2);
}

/// Archive of several devices in ocloc's format: one folder per device, and a readable text per
/// kernel. One of them is run.
#[test]
fn extract_an_archive() {
    if !visakit_testing::have("extract_an_archive", "vendor", visakit_testing::program("ocloc"), "ocloc") {
        return;
    }
    let dir = scratch("extract-archive");
    let source = "kernel void first(global int *a) { a[get_global_id(0)]++; }\n\
                  kernel void second(global int *a) { a[get_global_id(0)] *= 3; }\n";
    std::fs::write(dir.join("k.cl"), source).unwrap();
    let output = std::process::Command::new("ocloc")
        .args(["compile", "-file", "k.cl", "-device", "skl,kbl,tgllp,acm-g10,pvc", "--format", "zebin"])
        .args(["-internal_options", "-ze-opt-emit-zebin-visa-sections", "-output", "k", "-q"])
        .current_dir(&dir)
        .output()
        .unwrap();
    assert!(dir.join("k").is_file(), "{}", String::from_utf8_lossy(&output.stdout));
    let (exit, out, err) = run(&["extract", &text(&dir.join("k")), "-o", &text(&dir.join("out"))]);
    assert_eq!((exit, err.as_str()), (0, ""), "{out}");
    let mut folders: Vec<String> = std::fs::read_dir(dir.join("out"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    assert_eq!(folders.len(), 5, "{folders:?}");
    for device in ["skl", "tgllp", "dg2", "pvc"] {
        for kernel in ["first", "second"] {
            let source = std::fs::read_to_string(dir.join(format!("out/{device}/{kernel}.visaasm"))).unwrap();
            assert!(parse(&source, Options::default()).is_ok(), "{device} {kernel}");
        }
    }
    let file = text(&dir.join("k"));
    let launch = ["--kernel", "second", "--global", "2", "--arg", "0=bytes:0500000007000000", "--dump"];
    let dump = format!("0={}", text(&dir.join("a.bin")));
    let (exit, _, err) = run(&[&["run", &file][..], &launch, &[&dump]].concat());
    assert!(exit == 1 && err.contains("archive-platform") && err.contains("skl, tgllp, dg2, pvc"), "{err}");
    let (exit, _, err) = run(&[&["run", &file, "--platform", "tgllp"][..], &launch, &[&dump]].concat());
    assert_eq!((exit, err), (0, format!("wrote {} (8 bytes)\n", text(&dir.join("a.bin")))));
    assert_eq!(std::fs::read(dir.join("a.bin")).unwrap(), [15, 0, 0, 0, 21, 0, 0, 0]);
}

/// Each routine of an object gets its own file, even if names collide.
#[test]
fn disassemble_into_a_folder() {
    let file = root().join("tests/vectors/single/arith-00.isa");
    let mut object = Object::decode(&std::fs::read(file).unwrap()).unwrap();
    let twin = object.kernels[0].clone();
    object.kernels.push(twin);
    let dir = scratch("disasm-folder");
    std::fs::write(dir.join("two.isa"), object.encode().unwrap()).unwrap();
    let out = format!("{}/texts/", text(&dir));
    assert_eq!(run(&["disasm", &text(&dir.join("two.isa")), "-o", &out]).0, 0);
    let texts = visakit_testing::files(&dir.join("texts"), "visaasm");
    assert_eq!(texts.len(), 2);
    assert_eq!(std::fs::read(&texts[0]).unwrap(), std::fs::read(&texts[1]).unwrap());
}
