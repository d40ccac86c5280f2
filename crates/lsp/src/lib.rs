//! Language server for assembly texts and for pages of the specification.
//!
//! The protocol is LSP 3.17 over any [`lsp_server::Connection`]; `visa lsp` serves standard input
//! and output. An edit splits only the edited lines into tokens again. Findings are computed on
//! another thread, so that a request never waits for them. Facts come from the generated tables of
//! `visakit`; what only the command can do, such as the lint of pages, comes in a [`Host`].
//!
//! Modules in reading order: positions, chunks of a text, its outline, documents; then facts and
//! findings; then one module for each group of requests; then the server.

pub mod position;

pub mod chunk;

pub mod outline;

pub mod document;

pub mod facts;

pub mod findings;

pub mod names;

pub mod hover;

pub mod complete;

pub mod colour;

pub mod shape;

pub mod format;

pub mod publish;

pub mod actions;

pub mod pages;

mod host;

mod worker;

mod state;

mod requests;

mod page_requests;

mod server;

pub mod transport;

pub use host::{Explanation, Host, OpenPage};
pub use server::serve;
