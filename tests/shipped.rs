//! Objects of older versions that the vendor shipped, with the texts of its printer.

use std::path::PathBuf;

use visakit::object::{Object, ObjectPart};
use visakit::text::{Options, Style, parse, print, print_exact};

/// Returns the folders of the objects; none if they are not installed.
fn folders(test: &str) -> Vec<PathBuf> {
    let Some(dir) = visakit_testing::shared(test, "VISAKIT_VECTORS") else { return Vec::new() };
    let mut out: Vec<_> = std::fs::read_dir(dir.join("public")).unwrap().map(|e| e.unwrap().path()).collect();
    out.sort();
    assert!(out.len() >= 17);
    out
}

fn name(folder: &std::path::Path) -> String {
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

/// Typed values alone reproduce the bytes.
#[test]
fn bytes_come_back() {
    for folder in folders("bytes_come_back") {
        let bytes = std::fs::read(folder.join("object.isa")).unwrap();
        let object = Object::decode(&bytes).unwrap_or_else(|e| panic!("{}: {e}", name(&folder)));
        assert!(object.encode().unwrap() == bytes, "{}", name(&folder));
    }
}

/// Our text of each routine equals that of the vendor's printer, byte for byte.
#[test]
fn texts_are_the_vendors() {
    for folder in folders("texts_are_the_vendors") {
        let object = Object::decode(&std::fs::read(folder.join("object.isa")).unwrap()).unwrap();
        let texts: Vec<String> = object.routines().map(|r| print(&object, r, None, Style::Vendor)).collect();
        let theirs = visakit_testing::files(&folder, "visaasm");
        // The vendor's printer skips routines whose code was removed.
        let whole = object.routines().filter(|r| r.stripped.is_none()).count();
        assert_eq!(theirs.len(), whole, "{}", name(&folder));
        for file in theirs {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(texts.contains(&text), "{}", file.display());
        }
    }
}

/// Unusual files: removed code, native programs after all kernels, padding.
#[test]
fn unusual_files() {
    let (mut removed, mut ordered, mut padded) = (0, 0, 0);
    let folders = folders("unusual_files");
    for folder in &folders {
        let object = Object::decode(&std::fs::read(folder.join("object.isa")).unwrap()).unwrap();
        removed += usize::from(object.routines().any(|r| r.stripped.is_some()));
        ordered += usize::from(!object.order.is_empty());
        padded += usize::from(!object.padding.is_empty());
        assert!(object.padding.len() <= 3 && object.padding.iter().all(|b| *b == 0), "{}", name(folder));
        assert!(!object.order.iter().any(|p| matches!(p, ObjectPart::Gap(_))), "{}", name(folder));
    }
    if !folders.is_empty() {
        assert!(removed >= 1 && ordered >= 1 && padded >= 1, "{removed} {ordered} {padded}");
    }
}

/// The full text of each routine reproduces its object, byte for byte.
#[test]
fn full_texts_are_exact() {
    let mut files = visakit_testing::files(&visakit_testing::root().join("tests/vectors/single"), "isa");
    files.extend(folders("full_texts_are_exact").into_iter().map(|f| f.join("object.isa")));
    let mut wrong = Vec::new();
    for file in files {
        let object = Object::decode(&std::fs::read(&file).unwrap()).unwrap();
        for routine in object.routines().filter(|r| r.stripped.is_none()) {
            let Err(text) = print_exact(&object, routine, None) else { continue };
            let place = format!("{} {}", file.display(), routine.name());
            wrong.push(match parse(&text, Options::default()) {
                Err(errors) => format!("{place}: {}", errors[0].render(false)),
                Ok(parsed) => {
                    let (a, b) = (&parsed.routine, routine);
                    let same = [
                        ("strings", a.strings == b.strings),
                        ("labels", a.labels == b.labels),
                        ("variables", a.variables == b.variables),
                        ("addresses", a.addresses == b.addresses),
                        ("predicates", a.predicates == b.predicates),
                        ("surfaces", a.surfaces == b.surfaces),
                        ("inputs", a.inputs == b.inputs),
                        ("attributes", a.attributes == b.attributes),
                        ("instructions", a.instructions == b.instructions),
                    ];
                    let odd = a.variables.iter().zip(&b.variables).find(|(x, y)| x != y);
                    format!("{place}: {odd:?} {:?}", same.iter().filter(|s| !s.1).map(|s| s.0).collect::<Vec<_>>())
                }
            });
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The concatenated full texts of all routines reproduce the whole object, except for its native
/// code.
#[test]
fn joined_texts_are_exact() {
    let (mut several, mut wrong) = (0, Vec::new());
    let folders = folders("joined_texts_are_exact");
    if folders.is_empty() {
        return;
    }
    for folder in folders {
        let mut object = Object::decode(&std::fs::read(folder.join("object.isa")).unwrap()).unwrap();
        if object.routines().any(|r| r.stripped.is_some()) {
            continue;
        }
        several += usize::from(object.routines().count() > 1);
        let texts: Vec<String> = object.routines().filter_map(|r| print_exact(&object, r, None).ok()).collect();
        let joined = parse(&texts.concat(), Options::default()).unwrap_or_else(|e| panic!("{}", e[0].render(false)));
        object.kernels.iter_mut().for_each(|k| k.binaries.clear());
        object.order.clear();
        object.padding.clear();
        if joined.into_object().encode() != object.encode() {
            wrong.push(name(&folder));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(several >= 3, "{several}");
}
