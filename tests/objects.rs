//! Objects and texts compared with the vendor's bytes and texts.

use visakit::isa::Platform;
use visakit::object::Object;
use visakit::text::{Options, Style, parse, print};

/// Returns the single-instruction objects whose bytes differ, each with its reason.
fn known_gaps() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(visakit_testing::root().join("tests/vectors/known_gaps.txt")).unwrap();
    text.lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(|l| l.split_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned())).expect("name: reason"))
        .collect()
}

fn assemble(text: &str, platform: &str) -> Object {
    let options = Options { file: "test".into(), platform: Platform::from_name(platform) };
    match parse(text, options) {
        Ok(parsed) => parsed.into_object(),
        Err(errors) => panic!("{}", errors.iter().map(|d| d.render(false)).collect::<String>()),
    }
}

/// Assembling a text gives the bytes of the vendor's assembler, and these bytes survive decoding
/// and encoding.
#[test]
fn single_instruction_objects() {
    let gaps = known_gaps();
    let dir = visakit_testing::root().join("tests/vectors/single");
    let (mut proven, mut missing) = (0, Vec::new());
    for file in visakit_testing::files(&dir, "visaasm") {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let expected = std::fs::read(file.with_extension("isa")).unwrap();
        let assembled = parse(&text, Options::default()).ok().map(|p| p.into_object().encode().unwrap());
        let decoded = Object::decode(&expected).ok().map(|o| o.encode().unwrap());
        let same = assembled.as_deref() == Some(&expected[..]) && decoded.as_deref() == Some(&expected[..]);
        let gap = gaps.iter().find(|(gap, _)| *gap == name);
        match (same, gap) {
            (true, None) => proven += 1,
            (false, Some(_)) => {}
            (true, Some(_)) => missing.push(format!("{name} works now: remove it from known_gaps.txt")),
            (false, None) => missing.push(format!("{name} differs")),
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert_eq!(proven + gaps.len(), 250);
}

/// Compiler output survives the round trip through text, object and full text.
#[test]
fn compiled_texts_come_back() {
    for (name, platform, text) in visakit_testing::compiled_texts() {
        let object = assemble(&text, &platform);
        let bytes = object.encode().unwrap();
        let decoded = Object::decode(&bytes).unwrap();
        assert_eq!(decoded, object, "{name}");
        let printed = print(&decoded, &decoded.kernels[0].routine, Platform::from_name(&platform), Style::Full);
        let differ = printed.lines().zip(text.lines()).find(|(ours, theirs)| ours != theirs);
        assert!(printed == text, "{name}: the full text differs: {differ:?}");
    }
}

/// The compiler's kernels are legal by the rules of the pages.
#[test]
fn compiled_texts_are_legal() {
    for (name, platform, text) in visakit_testing::compiled_texts() {
        let object = assemble(&text, &platform);
        let found = visakit::verify::routine(&object.kernels[0].routine, Platform::from_name(&platform));
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

/// GenX_IR reads our objects and prints the same text, including label suffixes.
#[test]
fn genx_ir_reads_our_objects() {
    if !visakit_testing::have("genx_ir_reads_our_objects", "vendor", visakit_testing::program("GenX_IR"), "GenX_IR") {
        return;
    }
    for (name, platform, text) in visakit_testing::compiled_texts() {
        let object = assemble(&text, &platform);
        let ours = print(&object, &object.kernels[0].routine, Platform::from_name(&platform), Style::Vendor);
        let theirs = visakit_testing::genx_ir_text(&name, &object.encode().unwrap(), &platform);
        assert!(ours == theirs, "{name}: GenX_IR prints another text");
        // The compiler's own text differs only in the suffixes of labels.
        let bare = |t: &str| t.lines().map(without_suffixes).collect::<Vec<_>>();
        assert_eq!(bare(&theirs).len(), text.lines().count(), "{name}");
    }
    let dir = visakit_testing::root().join("tests/vectors/single");
    for file in visakit_testing::files(&dir, "isa") {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        // The packaged tools do not support these objects; their bytes follow the vendor's
        // published tables.
        if name.starts_with("newer-") {
            continue;
        }
        // Some objects have a platform in their name; GenX_IR changes the alignments of kernels for
        // other platforms.
        let platform = name.split('-').next().filter(|p| Platform::from_name(p).is_some()).unwrap_or("skl");
        let bytes = std::fs::read(&file).unwrap();
        let object = Object::decode(&bytes).unwrap();
        let ours = print(&object, &object.kernels[0].routine, Platform::from_name(platform), Style::Vendor);
        assert!(
            ours == visakit_testing::genx_ir_text(&name, &bytes, platform),
            "{name}: GenX_IR prints another text"
        );
    }
}

fn without_suffixes(line: &str) -> String {
    line.split("///").next().unwrap_or("").trim_end().to_owned()
}

/// Objects of the packaged compiler lack operands and are refused with that reason.
#[test]
fn incomplete_objects_are_refused() {
    if !visakit_testing::have(
        "incomplete_objects_are_refused",
        "vendor",
        visakit_testing::program("GenX_IR"),
        "GenX_IR",
    ) {
        return;
    }
    for (name, platform, text) in visakit_testing::compiled_texts() {
        let dir = visakit_testing::scratch(&format!("defect-{name}"));
        let bytes = std::fs::read(visakit_testing::vendors_object(&dir, &platform, &text)).unwrap();
        let error = Object::decode(&bytes).unwrap_err();
        assert_eq!(error.code, "object-incomplete", "{name}: {error}");
    }
}

/// A truncated object is an error at every length, never a panic or another object.
#[test]
fn truncated_objects_are_refused() {
    let path = visakit_testing::root().join("tests/vectors/single/arith-00.isa");
    let bytes = std::fs::read(path).unwrap();
    for end in 0..bytes.len() {
        let error = Object::decode(&bytes[..end]).unwrap_err();
        assert!(error.offset <= bytes.len(), "{end}: {error:?}");
    }
}

/// A damaged byte gives an error or an object that encodes again.
#[test]
fn damaged_objects_do_no_harm() {
    for name in ["arith-00", "arith-44", "dg2-18", "flow", "mem-02"] {
        let path = visakit_testing::root().join(format!("tests/vectors/single/{name}.isa"));
        let bytes = std::fs::read(path).unwrap();
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                if let Ok(object) = Object::decode(&damaged) {
                    let again = object.encode();
                    // Offsets in the header are derived, so an object with other offsets is damaged
                    // but harmless.
                    assert!(again.is_ok(), "{name} at {at}: {again:?}");
                }
            }
        }
    }
}

/// A reserved bit or an unknown opcode is reported with its offset and field.
#[test]
fn illegal_bits_are_located() {
    let path = visakit_testing::root().join("tests/vectors/single/arith-00.isa");
    let bytes = std::fs::read(path).unwrap();
    // `add` begins 32 bytes before the end of the file: opcode, execution size, …; the final `ret`
    // has 4 bytes.
    let code = bytes.len() - 4 - 28;
    assert_eq!(bytes[code], 0x01);
    let mut reserved = bytes.clone();
    reserved[code + 1] |= 0x08;
    let error = Object::decode(&reserved).unwrap_err();
    assert_eq!((error.code, error.offset), ("bits-illegal", code + 1), "{error}");
    assert!(error.message.contains("ADD.Exec_size"), "{error}");
    let mut unknown = bytes;
    unknown[code] = 0xfe;
    let error = Object::decode(&unknown).unwrap_err();
    assert_eq!((error.code, error.offset), ("opcode-unknown", code), "{error}");
}
