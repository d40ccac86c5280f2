//! Functions of the fuzz targets. `cargo test` runs the same functions on the corpus, on damaged
//! inputs and on seeds ([crates/smith/tests/robust.rs](../../crates/smith/tests/robust.rs)).

mod files;
mod launches;
mod made;
mod pages;

pub(crate) use files::{container, object, text};
pub(crate) use launches::{launch, run};
pub(crate) use made::routine;
pub(crate) use pages::{folder, overlay, page};

/// Name and function of a target, and the number of bytes of its seed; `None` for a target that
/// reads files.
#[allow(dead_code, reason = "a fuzz target uses one function")]
type Target = (&'static str, fn(&[u8]), Option<usize>);

#[allow(dead_code, reason = "a fuzz target uses one function")]
pub(crate) const TARGETS: [Target; 9] = [
    ("object", object, None),
    ("text", text, None),
    ("page", page, None),
    ("overlay", overlay, None),
    ("container", container, None),
    ("launch", launch, None),
    ("folder", folder, Some(64)),
    ("routine", routine, Some(4000)),
    ("run", run, Some(3000)),
];
