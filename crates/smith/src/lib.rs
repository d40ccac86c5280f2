//! Generator of legal vISA from arbitrary bytes, in the manner of wasm-smith. It covers every
//! instruction, type and region of the pages. Tests and fuzzers thereby get past the first error
//! check.
//!
//! No name, value or range is hard-coded: they come from the reflection tables of [`visakit::isa`].
//! Legality is checked by [`visakit::verify`]. A fuzzer's bytes decide all choices; without a
//! fuzzer, a seed provides the bytes.
//!
//! ```
//! use visakit_smith::{Config, Unstructured, bytes, routine};
//! let (platform, routine) =
//!     routine(&mut Unstructured::new(&bytes(1, 2000)), &Config::default()).unwrap();
//! assert_eq!(visakit::verify::routine(&routine, Some(platform)), []);
//! assert!(routine.instructions.len() > 5);
//! ```

mod pages;

mod random;

mod scope;

mod operand;

mod instruction;

mod routine;

mod object;

mod launch;

pub use arbitrary::Unstructured;
pub use launch::{Launch, launch};
pub use object::object;
pub use pages::folder;
pub use random::bytes;
pub use routine::{Config, PLACES, routine};
