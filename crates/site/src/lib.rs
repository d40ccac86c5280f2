//! The vISA reference as a static site, generated from the model of a specification.
//!
//! In the order of the flow:
//!
//! - [`address`] gives the address of each name. Addresses are stable; other tools link to them.
//! - `names`, `marks`, `prose`, `notation` turn names, conditions, texts and semantics into HTML.
//! - `drawing` draws SVG; `layout` draws the bits of instructions and bit fields.
//! - [`examples`] has a few statements for each page.
//! - [`pictures`] draws which element lands where, from executed semantics.
//! - `blocks` reads the examples of pages, and [`runner`] finds what the editors begin with.
//! - `pages` fills the templates, one module for each kind of page; `search` writes the index.
//! - [`files`] returns all files of the site.
//!
//! Equal specifications give equal files. The site needs no server and no script, and loads nothing
//! from elsewhere.

pub mod address;
mod blocks;
mod drawing;
pub mod examples;
mod layout;
mod marks;
mod names;
mod notation;
mod pages;
pub mod pictures;
mod prose;
pub mod runner;
mod search;

use visakit_codegen::model::Model;
use visakit_spec_tools::export::{Instruction, List};

pub use drawing::Svg;
use examples::Examples;

/// File of the site: its path in the output folder, with forward slashes, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path in the output folder.
    pub path: String,
    /// Text of the file.
    pub text: String,
}

/// Code of a finding with its explanation.
#[derive(Clone, Debug)]
pub struct Code {
    /// Code, such as `type-map`.
    pub code: String,
    /// Phase of the program that reports the code.
    pub phase: String,
    /// Explanation in Markdown.
    pub text: String,
}

/// Revision of the pages and its changes.
#[derive(Clone, Debug)]
pub struct Revision {
    /// Date of the revision.
    pub date: String,
    /// First line of its message.
    pub title: String,
    /// Abbreviated name of the revision.
    pub name: String,
    /// Changed facts: the path of the fact, and the change in words.
    pub changes: Vec<(String, String)>,
}

/// Path of the WebAssembly module in the output folder, compressed with gzip.
pub const MACHINE: &str = "assets/visakit.wasm.gz";

/// Presence of the WebAssembly module on the site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Machine {
    /// Pages have no editors.
    #[default]
    Absent,
    /// Pages of instructions have editors, and the site has a playground. The number is that of the
    /// module's contents, so that browsers load a changed module.
    Present(u32),
}

/// Contents of the site that the specification does not have.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Codes of findings.
    pub codes: Vec<Code>,
    /// Revisions of the pages, newest first; empty without a repository.
    pub revisions: Vec<Revision>,
    /// Example statements by instruction.
    pub examples: Examples,
    /// Presence of the WebAssembly module, which the caller writes to [`MACHINE`].
    pub machine: Machine,
}

/// Returns all files of the site in the order of their paths.
///
/// # Errors
/// A template that cannot be filled, which is a defect of this crate.
pub fn files(model: &Model, extras: &Extras) -> Result<Vec<File>, String> {
    let mut files = pages::all(model, extras).map_err(|error| format!("{error:#}"))?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Returns the drawings of an instruction: the layout of each form, and the pictures of its page.
pub fn drawings(model: &Model, instruction: &Instruction, lists: &[List]) -> Vec<Svg> {
    let layouts = instruction.forms.iter().map(|form| layout::form(instruction, form, lists));
    let pictures = pictures::of(model, &instruction.name).into_iter().map(|picture| picture.svg);
    layouts.chain(pictures).collect()
}

/// Returns the drawing of the bits of a list.
pub fn drawing_of_list(list: &List) -> Svg {
    layout::list(list)
}
