//! Legal vISA of any bytes, in the manner of wasm-smith: what the rules take, of every instruction,
//! type and region that the pages have, so that tests and fuzzers begin behind the first error.
//!
//! Nothing here says a name, a value or a range: they come from the reflection tables of
//! [`visakit::isa`], and what makes an instruction legal is [`visakit::verify`]. A fuzzer's bytes
//! are its choices; without one they follow from a seed.
//!
//! ```
//! use visakit_smith::{Config, Unstructured, bytes, routine};
//! let (platform, routine) = routine(&mut Unstructured::new(&bytes(1, 2000)), &Config::default()).unwrap();
//! assert_eq!(visakit::verify::routine(&routine, Some(platform)), []);
//! assert!(routine.instructions.len() > 5);
//! ```

mod instruction;
mod launch;
mod object;
mod operand;
mod pages;
mod random;
mod routine;
mod scope;

pub use arbitrary::Unstructured;
pub use launch::{Launch, launch};
pub use object::object;
pub use pages::folder;
pub use random::bytes;
pub use routine::{Config, PLACES, routine};

/// Names of functions, of strings and before the numbers of variables.
const NAMES: &[&str] = &["alpha", "beta", "gamma"];
