//! Requests of web pages: a request and its answer are JSON texts.
//!
//! In the order of the flow:
//!
//! - [`eval`] executes statements by their pages and by the emulator's kernels.
//! - [`inspect`] prints and verifies a text, an object, a zebin or an archive.
//! - [`answer`] chooses the executor of a request.
//! - `exports` has the functions of the WebAssembly module.
//!
//! A request is an object with a `command`. An answer has the members of the JSON output of the
//! command of the same name, or the member `error` if the request itself is wrong.

pub mod eval;
pub mod inspect;
mod request;

#[cfg(target_family = "wasm")]
mod exports;

pub use request::answer;
