//! Examples of pages that run: fenced blocks of the section Examples.
//!
//! The words after the language `visaasm` say what the block is. `run` marks a kernel, or a part
//! that stands in a frame of the chapter of frames; `eval` marks statements. Words with `=` are
//! settings (`platform`, `frame`, `global`) or else arguments: those of `visa run --arg` for
//! kernels, and those of `visa eval --set` for statements.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use visakit_codegen::model::Model;

use crate::prose::section;

/// Chapter of the frames.
const FRAMES: &str = "examples.md";

/// Section of a page with its examples.
const SECTION: &str = "Examples";

/// Language of the blocks.
const LANGUAGE: &str = "visaasm";

/// Lines of a frame where an example's declarations and statements stand.
const PLACES: [&str; 2] = ["@decl", "@body"];

/// Kind of an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Text that only is read.
    #[default]
    Text,
    /// Kernel.
    Run,
    /// Statements.
    Eval,
}

/// Example that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// Text before the block, as Markdown.
    pub(crate) note: String,
    pub(crate) platform: String,
    /// Global size; empty for the default.
    pub(crate) global: String,
    /// Arguments or variables.
    pub(crate) arguments: Vec<String>,
    frame: Option<String>,
    pub(crate) text: String,
}

/// Returns the first example of a page that runs, in its frame. `None` without one, or if its frame
/// does not exist.
pub(crate) fn of(model: &Model, page: usize) -> Option<Block> {
    let text = section(&model.pages.get(page)?.text, SECTION)?;
    let mut own = blocks(text).into_iter().find(|block| block.kind != BlockKind::Text)?;
    if let Some(name) = own.frame.take() {
        let chapter = model.pages.iter().find(|page| page.path == FRAMES)?;
        let frame = blocks(section(&chapter.text, &name)?).into_iter().next()?;
        own.stand_in(&frame);
    }
    Some(own)
}

impl Block {
    /// Puts the text of the block into a frame, and adds the frame's arguments before its own.
    fn stand_in(&mut self, frame: &Self) {
        let (declarations, statements): (Vec<&str>, Vec<&str>) =
            self.text.lines().partition(|line| line.starts_with('.'));
        let mut lines = Vec::new();
        for line in frame.text.lines() {
            match PLACES.iter().position(|place| *place == line) {
                Some(0) => lines.extend(&declarations),
                Some(_) => lines.extend(&statements),
                None => lines.push(line),
            }
        }
        let key = |argument: &str| argument.split('=').next().unwrap_or_default().to_owned();
        let is_own = |one: &&String| self.arguments.iter().any(|own| key(own) == key(one));
        let mut arguments: Vec<String> = frame.arguments.iter().filter(|one| !is_own(one)).cloned().collect();
        arguments.append(&mut self.arguments);
        self.arguments = arguments;
        self.text = lines.join("\n");
    }
}

/// Returns the blocks of a text in the examples' language.
pub(crate) fn blocks(markdown: &str) -> Vec<Block> {
    let mut out = Vec::new();
    let mut note = String::new();
    let mut inside: Option<Block> = None;
    for (event, range) in Parser::new(markdown).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => inside = header(&info),
            Event::Text(text) => {
                if let Some(block) = &mut inside {
                    block.text += &text;
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let note = std::mem::take(&mut note);
                out.extend(inside.take().map(|block| Block {
                    note,
                    text: block.text.trim_end().to_owned(),
                    ..block
                }));
            }
            Event::End(TagEnd::Paragraph) => note = markdown[range].trim().to_owned(),
            _ => {}
        }
    }
    out
}

/// Returns an empty block with the settings of its header; `None` for another language.
fn header(info: &str) -> Option<Block> {
    let mut words = info.split_whitespace();
    if words.next() != Some(LANGUAGE) {
        return None;
    }
    let mut block = Block::default();
    for word in words {
        match word.split_once('=') {
            None if word == "run" => block.kind = BlockKind::Run,
            None if word == "eval" => block.kind = BlockKind::Eval,
            Some(("platform", value)) => value.clone_into(&mut block.platform),
            Some(("global", value)) => value.clone_into(&mut block.global),
            Some(("frame", value)) => block.frame = Some(value.to_owned()),
            _ => block.arguments.push(word.to_owned()),
        }
    }
    Some(block)
}

#[cfg(test)]
mod tests {
    use super::{BlockKind, blocks};

    #[test]
    fn an_example_stands_in_its_frame() {
        let frame =
            blocks("```visaasm IN=zeros:4 OUT=zeros:8\n.kernel \"k\"\n@decl\nmain:\n@body\n    ret (M1, 1)\n```\n");
        let own = "Adds.\n\n```visaasm run platform=skl frame=f global=8 IN=zeros:64\n.decl A\n    add\n```\n";
        let mut block = blocks(own).remove(0);
        block.stand_in(&frame[0]);
        assert_eq!(block.kind, BlockKind::Run);
        assert_eq!([&*block.note, &block.platform, &block.global], ["Adds.", "skl", "8"]);
        assert_eq!(block.arguments, ["OUT=zeros:8", "IN=zeros:64"]);
        assert_eq!(block.text, ".kernel \"k\"\n.decl A\nmain:\n    add\n    ret (M1, 1)");
        assert!(blocks("```\nadd\n```\n").is_empty());
    }
}
