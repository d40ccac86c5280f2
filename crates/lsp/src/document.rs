//! Open document: its chunks, its edits, and positions in it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use lsp_types::{Position, Range as LspRange, TextDocumentContentChangeEvent, Uri};

use crate::chunk::{Chunk, chunks};
use crate::outline::Outline;
use crate::position::Encoding;

/// Place in a document: the chunk and the byte offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the chunk.
    pub chunk: usize,
    /// Byte offset in the chunk.
    pub byte: usize,
}

/// Text with an index of its lines. An edit splits only the edited lines into tokens again.
#[derive(Clone, Debug)]
pub struct Document {
    /// Address of the document.
    pub uri: Uri,
    /// Version that the client counts.
    pub version: i32,
    encoding: Encoding,
    chunks: Vec<Arc<Chunk>>,
    /// First line of each chunk.
    lines: Vec<usize>,
    /// Declarations, computed on first use.
    outline: OnceLock<Arc<Outline>>,
}

impl Document {
    /// Opens a document.
    pub fn new(uri: Uri, version: i32, text: &str, encoding: Encoding) -> Self {
        let chunks = chunks(text).into_iter().map(Arc::new).collect();
        let mut out = Self { uri, version, encoding, chunks, lines: Vec::new(), outline: OnceLock::new() };
        out.index();
        out
    }

    fn index(&mut self) {
        let mut line = 0;
        let mut lines = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            lines.push(line);
            line += chunk.line_count();
        }
        self.lines = lines;
        self.outline = OnceLock::new();
    }

    /// Returns the chunks.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// Returns the declarations of the text.
    pub fn outline(&self) -> &Arc<Outline> {
        self.outline.get_or_init(|| Arc::new(Outline::new(&self.chunks)))
    }

    /// Returns the whole text.
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(self.chunks.iter().map(|chunk| chunk.text.len()).sum());
        self.chunks.iter().for_each(|chunk| out.push_str(&chunk.text));
        out
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> usize {
        self.lines.last().copied().unwrap_or(0) + self.chunks.last().map_or(0, |chunk| chunk.line_count())
    }

    /// Returns the chunk that contains a line.
    pub fn chunk_of_line(&self, line: usize) -> usize {
        self.lines.partition_point(|first| *first <= line).saturating_sub(1)
    }

    /// Returns the first line of a chunk.
    pub fn first_line(&self, chunk: usize) -> usize {
        self.lines.get(chunk).copied().unwrap_or(0)
    }

    /// Returns the place of a position. A position past the end of a line or of the text counts as
    /// that end.
    pub fn place(&self, position: Position) -> Place {
        let line = position.line as usize;
        let at = self.chunk_of_line(line);
        let Some(chunk) = self.chunks.get(at) else { return Place { chunk: 0, byte: 0 } };
        let inner = line - self.lines[at].min(line);
        let Some(start) = chunk.lines.get(inner).copied() else {
            return Place { chunk: at, byte: chunk.text.len() };
        };
        let end = chunk.lines.get(inner + 1).copied().unwrap_or(chunk.text.len());
        let body = chunk.text[start..end].trim_end_matches(['\n', '\r']);
        Place { chunk: at, byte: start + self.encoding.byte(body, position.character) }
    }

    /// Returns the position of a place.
    pub fn position(&self, place: Place) -> Position {
        let Some(chunk) = self.chunks.get(place.chunk) else { return self.end() };
        let byte = floor(&chunk.text, place.byte);
        let inner = chunk.lines.partition_point(|start| *start <= byte).saturating_sub(1);
        let before = &chunk.text[chunk.lines[inner]..byte];
        let line = self.lines[place.chunk] + inner;
        // The place after the end of the chunk's last line is the start of the next chunk.
        if before.ends_with('\n') && byte == chunk.text.len() {
            return Position::new(number(line + 1), 0);
        }
        Position::new(number(line), self.encoding.width(before.trim_end_matches(['\n', '\r'])))
    }

    fn end(&self) -> Position {
        match self.chunks.len().checked_sub(1) {
            Some(chunk) => self.position(Place { chunk, byte: self.chunks[chunk].text.len() }),
            None => Position::default(),
        }
    }

    /// Returns the range of a byte range of a chunk.
    pub fn range(&self, chunk: usize, bytes: &Range<usize>) -> LspRange {
        let place = |byte| self.position(Place { chunk, byte });
        LspRange::new(place(bytes.start), place(bytes.end))
    }

    /// Returns the range of the whole text.
    pub fn whole(&self) -> LspRange {
        LspRange::new(Position::default(), self.end())
    }

    /// Returns the number of units of a text in the encoding of positions.
    pub fn width(&self, text: &str) -> u32 {
        self.encoding.width(text)
    }

    /// Applies the changes of a notification in their order.
    pub fn apply(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        self.version = version;
        for change in changes {
            match change.range {
                Some(range) => self.replace(range, &change.text),
                None => {
                    self.chunks = chunks(&change.text).into_iter().map(Arc::new).collect();
                    self.index();
                }
            }
        }
    }

    fn replace(&mut self, range: LspRange, with: &str) {
        let (a, b) = (self.place(range.start), self.place(range.end));
        // A client that swaps the ends of a range means the same text.
        let (from, to) = if a <= b { (a, b) } else { (b, a) };
        let (Some(first), Some(last)) = (self.chunks.get(from.chunk), self.chunks.get(to.chunk)) else { return };
        let mut text = first.text[..from.byte].to_owned();
        text.push_str(with);
        text.push_str(&last.text[to.byte..]);
        let mut end = to.chunk + 1;
        // The last chunk of the new text may continue on the lines that follow.
        let new = loop {
            let mut new = chunks(&text);
            let is_end = end >= self.chunks.len();
            match new.last() {
                Some(open) if !is_end && open.text.is_empty() => {
                    new.pop();
                    break new;
                }
                _ if is_end => break new,
                _ => {}
            }
            // Twice as many chunks in each round keep the work proportional to the text.
            let more = (end + (end - from.chunk)).min(self.chunks.len());
            self.chunks[end..more].iter().for_each(|chunk| text.push_str(&chunk.text));
            end = more;
        };
        self.chunks.splice(from.chunk..end, new.into_iter().map(Arc::new));
        self.index();
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
