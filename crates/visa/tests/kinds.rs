//! Detection of files by content in every command, and `visa info`.

mod common;

use std::path::{Path, PathBuf};

use common::{run, run_with};
use serde_json::{Value, json};
use visakit_testing::{root, scratch};

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn zebin() -> String {
    text(&root().join("examples/mandelbrot/mandelbrot.dg2.zebin"))
}

/// Creates an archive of an example's zebins in ocloc's format.
fn archive(dir: &Path) -> PathBuf {
    let mut bytes = b"!<arch>\n".to_vec();
    for platform in ["dg2", "skl"] {
        let data = std::fs::read(root().join(format!("examples/mandelbrot/mandelbrot.{platform}.zebin"))).unwrap();
        bytes.extend(
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{platform}/"), 0, 0, 0, 644, data.len()).bytes(),
        );
        bytes.extend(&data);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    let file = dir.join("devices");
    std::fs::write(&file, bytes).unwrap();
    file
}

/// Every command accepts a zebin and names its vISA after the kernel.
#[test]
fn a_zebin_in_every_command() {
    let dir = scratch("kinds-zebin");
    let (_, _, source) =
        visakit_testing::compiled_texts().into_iter().find(|(n, ..)| n == "mandelbrot.dg2.zebin").unwrap();
    let plain = dir.join("plain.visaasm");
    std::fs::write(&plain, &source).unwrap();
    let (exit, expected, _) = run(&["disasm", &text(&plain), "--platform", "dg2"]);
    assert_eq!(exit, 0);
    let (exit, printed, err) = run(&["disasm", &zebin()]);
    assert_eq!((exit, printed, err.as_str()), (0, expected, ""));
    let texts = format!("{}/", text(&dir.join("texts")));
    assert_eq!(run(&["disasm", &zebin(), "-o", &texts]).0, 0);
    assert!(dir.join("texts/mandelbrot.visaasm").is_file());

    for name in ["zebin", "plain"] {
        let (input, output) = (if name == "zebin" { zebin() } else { text(&plain) }, text(&dir.join(name)));
        assert_eq!(run(&["asm", &input, "-o", &output, "--platform", "dg2"]).0, 0);
    }
    assert_eq!(std::fs::read(dir.join("zebin")).unwrap(), std::fs::read(dir.join("plain")).unwrap());

    let (exit, out, _) = run(&["dump", &zebin(), "--kernel", "mandelbrot"]);
    let dump: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &dump["platform"]), (0, &"dg2".into()));
    let (_, out, _) = run(&["dump", &zebin(), "--format", "json"]);
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&answer["dump"], &answer["findings"]), (&dump, &json!([])));

    assert_eq!(run(&["roundtrip", &zebin()]).0, 0);
    let (exit, out, err) = run(&["verify", &zebin()]);
    assert!(exit == 0 && out.contains("1 file, "), "{out} {err}");
    let (exit, _, err) = run(&["verify", &zebin(), "--kernel", "nobody"]);
    assert!(exit == 1 && err.contains("its kernels are mandelbrot"), "{err}");
    let (exit, _, err) = run(&["disasm", &text(&plain), "--kernel", "mandelbrot"]);
    assert!(exit == 2 && err.contains("a vISA text"), "{err}");
}

#[test]
fn an_archive_in_every_command() {
    let dir = scratch("kinds-archive");
    let file = text(&archive(&dir));
    let (exit, out, err) = run(&["verify", &file]);
    assert_eq!(exit, 0, "{out} {err}");
    // A command for one program requires a selection.
    let (exit, _, err) = run(&["dump", &file]);
    assert!(exit == 1 && err.contains("2 programs") && err.contains("--platform"), "{err}");
    let (exit, out, _) = run(&["dump", &file, "--platform", "skl"]);
    let dump: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &dump["platform"]), (0, &"skl".into()));
    // The SPIR-V could be compiled for another platform, but no compiler is installed.
    let (exit, _, err) = run_with(&["disasm", &file, "--platform", "pvc"], &[("VISAKIT_OCLOC", "/nowhere")]);
    assert!(exit == 1 && err.contains("it has dg2, skl"), "{err}");
    let (exit, out, _) = run(&["info", &file, "--format", "json"]);
    let info: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &info["kind"]), (0, &"archive".into()));
    let platforms: Vec<_> = info["programs"].as_array().unwrap().iter().map(|one| one["platform"].clone()).collect();
    assert_eq!(platforms, ["dg2", "skl"]);
}

/// A file of the wrong kind is reported with its kind.
#[test]
fn a_wrong_kind_is_named() {
    let dir = scratch("kinds-wrong");
    let toml = text(&root().join("examples/mandelbrot/mandelbrot.toml"));
    let source = text(&root().join("examples/mandelbrot/mandelbrot.cl"));
    let png = text(&dir.join("k.isa"));
    std::fs::write(&png, b"\x89PNG\r\n\x1a\n....").unwrap();
    let empty = text(&dir.join("empty"));
    std::fs::write(&empty, b"").unwrap();
    let noise = text(&dir.join("noise.visaasm"));
    std::fs::write(&noise, b"\xff\xfe\xfd").unwrap();
    let host = text(&dir.join("host"));
    let header = [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[2, 0, 62, 0], &[0; 44]].concat();
    std::fs::write(&host, header).unwrap();
    let (exit, _, err) = run(&["extract", &host, "-o", &text(&dir)]);
    assert!(exit == 1 && err.contains("a program for x86-64"), "{err}");
    for (file, what) in [
        (&toml, "a launch file"),
        (&source, "OpenCL C"),
        (&png, "a picture"),
        (&empty, "an empty file"),
        (&noise, "a file of an unknown kind"),
        (&host, "a program for x86-64"),
    ] {
        for command in ["disasm", "dump", "verify", "roundtrip", "info"] {
            let (exit, _, err) = run(&[command, file]);
            assert!(exit == 1 && err.contains("file-kind") && err.contains(what), "{command}: {err}");
        }
    }
    let object = text(&root().join("tests/vectors/single/arith-00.isa"));
    let (exit, _, err) = run(&["asm", &object, "-o", &text(&dir.join("x.isa"))]);
    assert!(exit == 1 && err.contains("this is already a vISA object"), "{err}");
    // The name of a file does not matter.
    let renamed = dir.join("object.visaasm");
    std::fs::copy(&object, &renamed).unwrap();
    assert_eq!(run(&["disasm", &text(&renamed)]), run(&["disasm", &object]));
}

#[test]
fn info_of_a_zebin() {
    let (exit, out, err) = run(&["info", &zebin(), "--format", "json"]);
    assert_eq!((exit, err.as_str()), (0, ""));
    let info: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&info["findings"], &info["kind"]), (&json!([]), &"zebin".into()));
    let program = &info["programs"][0];
    assert_eq!(program["platform"], "dg2");
    let kernel = &program["kernels"][0];
    assert_eq!((&kernel["name"], &kernel["launch"]["simd_size"]), (&"mandelbrot".into(), &16.into()));
    assert_eq!((&kernel["launch"]["registers"], &kernel["launch"]["slm_bytes"]), (&128.into(), &0.into()));
    let arguments = kernel["arguments"].as_array().unwrap();
    assert_eq!(arguments.len(), 7);
    let first = json!({ "index": 0, "name": "steps", "type": "uint*", "kind": "buffer", "address_space": "global",
        "address_mode": "stateful", "access": "readwrite", "used": true });
    assert_eq!(arguments[0], first);
    assert_eq!((&arguments[1]["kind"], &arguments[1]["bytes"]), (&"value".into(), &4.into()));
    assert!(kernel["visa"]["instructions"].as_u64().unwrap() > 20);
    assert!(kernel["native"][0]["bytes"].as_u64().unwrap() > 64);

    let (exit, out, _) = run(&["info", &zebin()]);
    assert_eq!(exit, 0);
    for part in
        ["a zebin", "platform dg2", "kernel mandelbrot", "SIMD 16", "any local size", "uint*", "buffer, global"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn info_of_an_object_and_a_text() {
    let source = root().join("tests/vectors/single/arith-00.visaasm");
    for (file, kind) in [(source.with_extension("isa"), "object"), (source, "text")] {
        let (exit, out, _) = run(&["info", &text(&file), "--format", "json"]);
        let info: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((exit, &info["kind"]), (0, &kind.into()));
        let program = &info["programs"][0];
        assert_eq!(program["version"], "4.1");
        let kernel = &program["kernels"][0];
        assert!(kernel["visa"]["instructions"].as_u64().unwrap() >= 2, "{out}");
        assert!(
            kernel["visa"]["attributes"].as_array().unwrap().contains(&json!({ "name": "SimdSize", "value": "16" })),
            "{out}"
        );
        assert!(kernel.get("arguments").is_none() && kernel["native"] == json!([]));
    }
}

/// A text in another style yields another text of the same object.
#[test]
fn roundtrip_of_another_style() {
    let dir = scratch("kinds-roundtrip");
    let file = dir.join("k.visaasm");
    let source = ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=f num_elts=16 align=GRF\n\
                  \x20   add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x3f800000:f\n    ret (M1, 1)\n";
    std::fs::write(&file, source).unwrap();
    let (exit, out, err) = run(&["roundtrip", &text(&file)]);
    assert_eq!((exit, err.as_str()), (0, ""));
    assert!(out.contains("1 with another text of the same object"), "{out}");
    let (_, out, _) = run(&["roundtrip", &text(&file), "--format", "json"]);
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer, json!({ "findings": [], "files": [{ "file": text(&file), "verdict": "same-object" }] }));
    let (_, out, _) = run(&["disasm", &text(&file), "--full", "-o", &text(&dir.join("full.visaasm"))]);
    assert_eq!(out, "");
    let (_, out, _) = run(&["roundtrip", &text(&dir.join("full.visaasm"))]);
    assert!(out.starts_with("1 of 1 file unchanged\n"), "{out}");
}

/// A message about a wrong size lists the valid sizes.
#[test]
fn a_wrong_size_has_the_right_ones() {
    let dir = scratch("kinds-size");
    let file = dir.join("k.visaasm");
    std::fs::write(&file, ".version 4.1\n.kernel \"k\"\n    ret (M1, 17)\n").unwrap();
    let (exit, _, err) = run(&["verify", &text(&file)]);
    assert!(exit == 1 && err.contains("one of 1, 2, 4, 8, 16, 32"), "{err}");
}
