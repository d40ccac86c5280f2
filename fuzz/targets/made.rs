//! Fuzz targets for objects that the generator makes from the input.

use visakit::object::{Object, Routine, RoutineKind};
use visakit::text::{Options, Style, parse, print, print_exact};
use visakit::verify;
use visakit_smith::{Config, Unstructured};

/// A generated object is legal, and survives a round trip through its bytes and through the texts
/// of its routines.
pub(crate) fn routine(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let config = Config { instructions: Some(30), ..Config::default() };
    let Ok((platform, object)) = visakit_smith::object(&mut u, &config) else { return };
    let bytes = object.encode().expect("a made object is written");
    assert_eq!(Object::decode(&bytes).as_ref(), Ok(&object), "a made object is read otherwise");
    super::object(&bytes);
    let platform = Some(platform);
    for routine in object.routines() {
        assert_eq!(verify::routine(routine, platform), [], "{}", print(&object, routine, platform, Style::Full));
        let options = || Options { file: "made".to_owned(), platform };
        let exact = match print_exact(&object, routine, platform) {
            Ok(text) => text,
            // No text holds the numbers of registers that a function reads and writes.
            Err(text) => match routine.kind {
                RoutineKind::Function { .. } => text,
                RoutineKind::Kernel => panic!("no text says all of\n{text}"),
            },
        };
        let parsed = parse(&exact, options()).unwrap_or_else(|errors| panic!("{errors:#?} in\n{exact}"));
        let again = Routine { kind: routine.kind.clone(), ..parsed.routine };
        assert_eq!(&again, routine, "a made routine is read otherwise from\n{exact}");
        // The vendor's printer loses names, but its output is a valid text.
        let vendor = print(&object, routine, platform, Style::Vendor);
        let parsed = parse(&vendor, options()).unwrap_or_else(|errors| panic!("{errors:#?} in\n{vendor}"));
        let again = parsed.into_object();
        let first = again.routines().next().expect("the text had a routine");
        assert_eq!(first.instructions.len(), routine.instructions.len(), "instructions are lost in\n{vendor}");
    }
}
