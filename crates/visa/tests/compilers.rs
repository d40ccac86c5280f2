//! Command `visa compile` with scripts that simulate compilers of several releases, and with the
//! installed compilers.

#[path = "common/scripts.rs"]
mod scripts;

use std::path::PathBuf;

use scripts::{command, compiler, stderr, visa};
use serde_json::Value;
use visakit_testing::{root, scratch};

const COMPILE: [&str; 6] = ["compile", "k.cl", "-o", "k.zebin", "--device", "bmg"];

fn folder(name: &str) -> PathBuf {
    let folder = scratch(&format!("compilers-{name}"));
    std::fs::write(folder.join("k.cl"), "kernel void k() {}\n").unwrap();
    folder
}

/// The output is called `out` or `out.bin`, depending on the release.
#[test]
fn outputs_of_both_names_are_read() {
    let folder = folder("names");
    for (name, file) in [("old", "out"), ("new", "out.bin")] {
        let build = format!("printf {name} >{file}; printf x >out.spv");
        let output = visa(&COMPILE, &folder, &[compiler(&folder, name, "tgllp, bmg", &build)]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(std::fs::read_to_string(folder.join("k.zebin")).unwrap(), name);
        let err = stderr(&output);
        assert!(err.contains(&format!("compiled for bmg by ocloc {name}.1")), "{err}");
    }
}

/// Success without an output is reported as a failure, with a list of the files.
#[test]
fn an_output_that_is_missing_is_said() {
    let folder = folder("missing");
    let compilers = [compiler(&folder, "odd", "bmg", "echo 'Build succeeded.'; printf x >k_bmg.bin")];
    let output = visa(&COMPILE, &folder, &compilers);
    let err = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("did not write the file `out`; it wrote: k_bmg.bin") && err.contains("odd.1"), "{err}");
    assert!(!err.contains("Build succeeded") && !folder.join("k.zebin").exists(), "{err}");
}

/// A compiler that does not end is stopped at the limit of processor time.
#[test]
fn a_compiler_that_does_not_end_is_stopped() {
    let folder = folder("endless");
    let compilers = [compiler(&folder, "endless", "bmg", "while :; do :; done")];
    let output = command(&COMPILE, &folder, &compilers).env("VISAKIT_COMPILE_SECONDS", "1").output().unwrap();
    let err = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("the limit of processor time (VISAKIT_COMPILE_SECONDS)"), "{err}");
    assert!(!folder.join("k.zebin").exists());
}

/// A failure shows the log; an existing output is ignored.
#[test]
fn a_failure_shows_the_log() {
    let folder = folder("log");
    let build = "echo 'Loading of FCL library has failed!'; printf x >out; exit 3";
    let output = visa(&COMPILE, &folder, &[compiler(&folder, "broken", "bmg", build)]);
    let err = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("Loading of FCL library has failed") && err.contains("libigdfcl1"), "{err}");
    let build = "echo '1:13:6: error: no such thing'; exit 1";
    let output = visa(&COMPILE, &folder, &[compiler(&folder, "wrong", "bmg", build)]);
    assert!(stderr(&output).contains("no such thing\n--> k.cl:13:6"), "{}", stderr(&output));
}

/// The first compiler that lists the device builds. An unlisted name is passed to each compiler in
/// turn.
#[test]
fn the_device_chooses_the_compiler() {
    let folder = folder("devices");
    let compilers = [
        compiler(&folder, "new", "tgllp, bmg, xe2", "[ $device != skl ] || exit 1; printf \"new $device\" >out.bin"),
        compiler(&folder, "old", "skl, kbl", "[ $device != 0x1234 ] || exit 1; printf \"old $device\" >out"),
    ];
    let built = |device: &str| {
        let output = visa(&["compile", "k.cl", "-o", "k.zebin", "--device", device], &folder, &compilers);
        assert!(output.status.success(), "{device}: {}", stderr(&output));
        std::fs::read_to_string(folder.join("k.zebin")).unwrap()
    };
    for (device, expected) in [
        ("bmg", "new bmg"),
        ("kbl", "old kbl"),
        ("tgl", "new tgllp"),
        ("tgllp,bmg", "new tgllp,bmg"),
        ("0x1234", "new 0x1234"),
        ("bdw", "new bdw"),
        ("SKL", "old skl"),
    ] {
        assert_eq!(built(device), expected, "{device}");
    }
    let output = visa(&["info", "--format", "json"], &folder, &compilers);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["compilers"][0]["version"], "new.1");
    assert_eq!(answer["compilers"][0]["devices"], serde_json::json!(["tgllp", "bmg"]));
    assert_eq!(answer["compilers"][1]["works"], true);
    let default = answer["default_device"].as_str().unwrap();
    let output = visa(&COMPILE[..4], &folder, &compilers);
    assert!(stderr(&output).contains(&format!("compiled for {default}")), "{}", stderr(&output));
}

/// The default device is the newest graphics card that a compiler supports; without a card, the
/// newest platform that the emulator runs.
#[test]
fn the_default_device_is_a_card_on_sale() {
    let folder = folder("default");
    for (n, (devices, default)) in [
        ("tgllp, dg2, pvc, mtl, bmg, ptl, nvl-p, cri", "bmg"),
        ("skl, tgllp, dg2, pvc, xe_hp_sdv", "pvc"),
        ("skl, tgllp, mtl, ptl", "ptl"),
        ("bdw, skl, icllp", "icllp"),
    ]
    .into_iter()
    .enumerate()
    {
        let program = compiler(&folder, &format!("release-{n}"), devices, "printf \"$device\" >out.bin");
        let output = visa(&COMPILE[..4], &folder, std::slice::from_ref(&program));
        assert!(stderr(&output).contains(&format!("compiled for {default} ")), "{devices}: {}", stderr(&output));
        let output = visa(&["info"], &folder, &[program]);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(out.contains(&format!("default device: {default}\n")), "{devices}: {out}");
    }
}

/// An unknown device is reported together with the known devices.
#[test]
fn a_device_that_none_knows() {
    let folder = folder("unknown");
    let build = "echo 'Error: Cannot get HW Info for device x.'; exit 1";
    let output = visa(&COMPILE, &folder, &[compiler(&folder, "old", "skl, kbl", build)]);
    let err = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("no installed compiler supports `bmg`") && err.contains("builds for skl, kbl"), "{err}");
    let output = visa(&COMPILE, &folder, &[folder.join("nothing")]);
    let err = stderr(&output);
    assert!(err.contains("compiler-missing") && err.contains("intel-ocloc") && err.contains("Debian 12"), "{err}");
}

/// A kernel with an image is built for a device with images, whatever the newest device is.
#[test]
fn a_kernel_with_images_gets_a_device_with_images() {
    let compilers = visakit_testing::compilers();
    if !visakit_testing::have("images_by_default", "vendor", !compilers.is_empty(), "ocloc") {
        return;
    }
    let folder = folder("images");
    std::fs::write(
        folder.join("size.cl"),
        "kernel void size(read_only image2d_t i, global int *o) { *o = get_image_width(i); }",
    )
    .unwrap();
    for program in compilers {
        let run = ["run", "size.cl", "--global", "1", "--arg", "i=image:rgba8unorm:5x3:zeros", "--arg", "o=zeros:4"];
        let output = visa(&[&run[..], &["--print", "o"]].concat(), &folder, std::slice::from_ref(&program));
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && out.contains("[0] 5"), "{}: {out}{}", program.display(), stderr(&output));
    }
}

/// Every installed compiler builds an example that runs correctly.
#[test]
fn installed_compilers_build_what_runs() {
    let compilers = visakit_testing::compilers();
    if !visakit_testing::have("installed_compilers", "vendor", !compilers.is_empty(), "ocloc") {
        return;
    }
    let source = root().join("examples/vector_add/vector_add.cl");
    let source = source.to_str().unwrap();
    for program in compilers {
        let program = std::slice::from_ref(&program);
        let output = visa(&["info", "--format", "json"], &root(), program);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let compiler = &answer["compilers"][0];
        assert_eq!(compiler["works"], true, "{answer}");
        let is_version = |key: &str| compiler[key].as_str().is_some_and(|version| version.contains('.'));
        assert!(is_version("version") && is_version("back_end"), "{answer}");
        let devices: Vec<_> = compiler["devices"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let default = answer["default_device"].as_str().unwrap();
        for device in ["skl", "tgllp", "dg2", "pvc", default].into_iter().filter(|device| devices.contains(device)) {
            let arguments =
                ["--arg", "0=range:f32:8", "--arg", "1=range:f32:8", "--arg", "2=zeros:32", "--arg", "3=u32:8"];
            let run = ["run", source, "--device", device, "--global", "8", "--print", "2"];
            let output = visa(&[&run[..], &arguments].concat(), &root(), program);
            let out = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(
                output.status.success() && out.contains("12.0 14.0"),
                "{device} {compiler}: {out}{}",
                stderr(&output)
            );
        }
    }
}
