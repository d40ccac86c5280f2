//! What the fuzz targets do with an input. `cargo test` runs the same functions on the corpus, on
//! damaged inputs and on seeds
//! ([crates/smith/tests/robust.rs](../../crates/smith/tests/robust.rs)).

mod files;
mod launches;
mod made;
mod pages;

pub(crate) use files::{container, object, text};
pub(crate) use launches::{launch, run};
pub(crate) use made::routine;
pub(crate) use pages::{folder, overlay, page};

/// A target by its name, and the bytes of a seed that it takes: none for one that reads files.
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
