//! Fuzz targets for objects, texts and containers from arbitrary bytes.

use visakit::dump;
use visakit::isa::Platform;
use visakit::object::Object;
use visakit::text::{Options, Style, parse, print, print_salvaged};

/// An object is refused with an offset inside it, or encodes to the same bytes. All operations on
/// it terminate.
pub(crate) fn object(data: &[u8]) {
    match Object::decode(data) {
        Err(error) => {
            assert!(error.offset <= data.len(), "{error:?} in {} bytes", data.len());
            if error.code == "object-incomplete"
                && let Ok(salvaged) = Object::salvage(data)
            {
                let _ = print_salvaged(&salvaged, None);
            }
        }
        Ok(object) => {
            assert!(object.encode().as_deref() == Ok(data), "an object that was read is written with other bytes");
            for routine in object.routines() {
                for style in [Style::Vendor, Style::Full] {
                    let _ = print(&object, routine, None, style);
                }
                let _ = visakit::verify::routine(routine, Platform::from_name("dg2"));
            }
            let _ = dump::dump(&object, Platform::from_name("pvc"));
        }
    }
}

/// A text is refused with lines inside it, or its object can be encoded, or the encoder reports
/// what does not fit.
pub(crate) fn text(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let lines = source.lines().count() as u32 + 1;
    match parse(&source, Options { file: "fuzz".to_owned(), platform: None }) {
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|e| (1..=lines).contains(&e.line)), "{errors:?}");
        }
        Ok(parsed) => {
            let object = parsed.into_object();
            if let Ok(bytes) = object.encode() {
                self::object(&bytes);
            }
        }
    }
}

/// A container yields files with plain names, and findings.
pub(crate) fn container(data: &[u8]) {
    if let Ok(found) = visakit_zebin::extract("fuzz", data) {
        let total: usize = found.items.iter().map(|i| i.bytes.len()).sum();
        // Lossy text may be three times as long as its source bytes.
        assert!(total <= 3 * data.len() * (1 + found.items.len()), "{total} bytes of {}", data.len());
        let mut paths: Vec<_> = found.items.iter().map(|i| &i.path).collect();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), found.items.len(), "two files with one path");
        let plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':']);
        assert!(paths.iter().all(|p| p.split('/').count() == 2 && p.split('/').all(plain)), "{paths:?}");
    }
    let _ = visakit_zebin::Zebin::parse("fuzz", data);
}
