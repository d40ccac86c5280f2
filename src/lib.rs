//! Library for Intel's Virtual ISA (vISA), generated from the specification of the instruction set.
//!
//! The pages in `spec/` define the instruction set; the module [`isa`] is generated from them.
//!
//! All functions work on bytes and text in memory. The library reads no files and has no global
//! state:
//!
//! ```
//! use visakit::object::Object;
//! use visakit::text::{Options, Style, parse, print};
//!
//! fn assemble(text: &str) -> Result<Vec<u8>, String> {
//!     let parsed = parse(text, Options::default()).map_err(|errors| errors[0].one_line())?;
//!     parsed.into_object().encode().map_err(|error| error.to_string())
//! }
//!
//! fn disassemble(bytes: &[u8]) -> Result<Vec<String>, String> {
//!     let object = Object::decode(bytes).map_err(|error| error.to_string())?;
//!     Ok(object.routines().map(|routine| print(&object, routine, None, Style::Full)).collect())
//! }
//!
//! let bytes = assemble(".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n").unwrap();
//! let texts = disassemble(&bytes).unwrap();
//! assert_eq!(assemble(&texts[0]).unwrap(), bytes);
//! // Decoding and encoding lose nothing.
//! assert_eq!(Object::decode(&bytes).unwrap().encode().unwrap(), bytes);
//! // An error has its place.
//! assert!(disassemble(&bytes[..40]).unwrap_err().contains("at byte 0x"));
//! ```
//!
//! Other crates read compiled programs (`visakit-zebin`), run kernels (`visakit-emulator`) and
//! compare specifications (`visakit-spec-tools`); `visakit-cli` is the command `visa`, and
//! `visakit-opencl` an OpenCL driver. The
//! [book](https://github.com/visakit/visakit/blob/main/docs/introduction.md) has guides.
//!
//! Features: `text` and `rules` (on by default), `prose` (words of the pages), `serde` (objects as
//! JSON) and `sources` (pages and runtime as text).
//!
//! Modules in reading order: the runtime [`rt`] and the generated module [`isa`], then objects, the
//! builder, text and verification.

mod generated;
pub mod isa;
pub mod rt;

pub mod limits;
mod platform;

pub use platform::ThreadId;

#[cfg(any(feature = "text", feature = "rules"))]
mod directive;

#[cfg(feature = "text")]
pub mod builder;
pub mod object;
#[cfg(feature = "text")]
pub mod text;
#[cfg(feature = "rules")]
pub mod verify;

#[cfg(feature = "serde")]
pub mod dump;

#[cfg(feature = "sources")]
pub mod sources;

pub use visakit_diag as diag;

/// Runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
