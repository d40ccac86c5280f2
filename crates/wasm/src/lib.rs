//! Requests of web pages: a request and its answer are JSON texts.
//!
//! In the order of the flow:
//!
//! - [`kind`] detects the kind of a file; [`module`] finds the programs in it. The command uses
//!   both.
//! - [`info`] describes kernels and their arguments, for the command too.
//! - `source` reads the file of a request.
//! - [`eval`] executes statements by their pages and by the emulator's kernels.
//! - [`inspect`] describes, prints and verifies a text, an object, a zebin or an archive.
//! - `steps` records what a subgroup executes; [`run`] runs a kernel.
//! - [`tokens`] splits a text for colours.
//! - [`answer`] chooses the executor of a request.
//! - `exports` has the functions of the WebAssembly module.
//!
//! A request is an object with a `command`. An answer has the members of the JSON output of the
//! command of the same name, or the member `error` if the request itself is wrong.

pub mod kind;
pub mod module;

pub mod info;
mod source;

pub mod eval;
pub mod inspect;
mod steps;

pub mod run;
pub mod tokens;

mod request;

#[cfg(target_family = "wasm")]
mod exports;

pub use request::answer;
