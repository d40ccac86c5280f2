//! Versions without sample files: objects of the vendor's assembler, converted to the layouts of
//! other versions.
//!
//! The vendor's reader, which supports every version, is the independent reference.

use visakit::isa::Platform;
use visakit::object::Object;
use visakit::rt::Version;
use visakit::text::{Style, print};

const VERSIONS: [(u8, u8); 10] = [(3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (3, 6), (3, 7), (4, 0), (4, 1)];

/// Returns the single-instruction objects: name, platform, object.
fn objects() -> Vec<(String, &'static str, Object)> {
    let files = visakit_testing::files(&visakit_testing::root().join("tests/vectors/single"), "isa");
    let platforms = ["dg2", "dp4a", "pvc", "skl"];
    files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let platform = platforms.iter().find(|p| name.starts_with(**p) && Platform::from_name(p).is_some());
            (name, *platform.unwrap_or(&"skl"), Object::decode(&std::fs::read(&file).unwrap()).unwrap())
        })
        .collect()
}

/// Returns the object in the layout of another version, if its instructions exist in it.
fn moved(object: &Object, version: (u8, u8)) -> Option<(Object, Vec<u8>)> {
    let mut object = object.clone();
    object.version = Version::new(version.0, version.1);
    let bytes = object.encode().ok()?;
    Some((object, bytes))
}

/// Each layout decodes what it encodes, and widths differ as the pages specify.
#[test]
fn layouts_read_what_they_write() {
    let mut counts = [0; VERSIONS.len()];
    for (name, _, object) in objects() {
        let mut sizes = Vec::new();
        for (count, version) in counts.iter_mut().zip(VERSIONS) {
            let Some((moved, bytes)) = moved(&object, version) else { continue };
            let again = Object::decode(&bytes).unwrap_or_else(|e| panic!("{name} as {version:?}: {e}"));
            assert_eq!(again, moved, "{name} as {version:?}");
            *count += 1;
            sizes.push(bytes.len());
        }
        assert!(sizes.is_sorted(), "{name}: {sizes:?}");
    }
    // Samplers have another operation word before 4.0, and typed messages another order before 3.2.
    assert!(counts.iter().all(|c| *c > 150), "{counts:?}");
}

/// The vendor's reader accepts our objects of every version and prints the same text.
#[test]
fn the_vendors_reader_agrees() {
    if !visakit_testing::have("the_vendors_reader_agrees", "vendor", visakit_testing::program("GenX_IR"), "GenX_IR") {
        return;
    }
    let step = if std::env::var_os("VISAKIT_ALL_VERSIONS").is_some() { 1 } else { 9 };
    let mut wrong = Vec::new();
    let known = objects().into_iter().filter(|(name, ..)| !name.starts_with("newer-"));
    for (name, platform, object) in known.step_by(step) {
        for version in VERSIONS {
            let Some((moved, bytes)) = moved(&object, version) else { continue };
            let ours = print(&moved, &moved.kernels[0].routine, Platform::from_name(platform), Style::Vendor);
            if version == (3, 0) && ours.replace("(M1_NM", "").contains("_NM, ") {
                // Before 3.1 a mask was NoMask or a first channel, see Exec_mask in spec/lists.md.
                continue;
            }
            let theirs =
                visakit_testing::genx_ir_text(&format!("{name}-{}.{}", version.0, version.1), &bytes, platform);
            if ours != theirs {
                let line = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
                wrong.push(format!("{name} {version:?}: {line:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
