//! Pictures.

use crate::drawing::Svg;
use visakit_codegen::model::Model;

/// Picture of a statement.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Statement that was executed.
    pub statement: String,
    /// Explanation in one sentence.
    pub caption: String,
    /// Drawing.
    pub svg: Svg,
}

/// Returns the pictures of an instruction.
pub fn of(_model: &Model, _instruction: &str) -> Vec<Picture> {
    Vec::new()
}
