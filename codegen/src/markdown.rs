//! Markdown reader, the only module that depends on markdown: splits a page into sections of plain
//! blocks with spans.
//!
//! Every piece keeps its place in the source, because each fact is reported with its place.

use std::ops::Range;

use crate::limits::{CELLS, HEADINGS, ITEMS, MARKDOWN_DEPTH};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

/// Byte range in the page's text.
pub type Span = Range<usize>;

/// Returns the possible anchors of a heading: its words joined by dashes, or the name of a list
/// without its type.
pub fn anchors(title: &str) -> impl Iterator<Item = String> {
    let slug = |text: &str| {
        text.trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect::<String>()
    };
    let name = title.split_once('(').map(|(name, _)| slug(name));
    [Some(slug(title)), name].into_iter().flatten().filter(|a| !a.is_empty())
}

/// Page split at its headings. The first section holds the text before any heading.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Sections in order.
    pub sections: Vec<Section>,
    /// All links and images of the page.
    pub links: Vec<Link>,
    /// Content that was left out because it exceeds a limit of [`limits`](crate::limits).
    pub excess: Vec<Excess>,
}

/// Violation of a limit.
#[derive(Clone, Debug)]
pub struct Excess {
    /// Description of the limit.
    pub what: String,
    /// Span of the omitted content, or of its beginning.
    pub span: Span,
}

/// Heading and the content up to the next heading of any level.
#[derive(Clone, Debug)]
pub struct Section {
    /// Level of the heading, 1 to 6; 0 for the text before the first heading.
    pub level: u8,
    /// Text of the heading.
    pub title: String,
    /// Span of the heading.
    pub span: Span,
    /// Blocks of the section.
    pub blocks: Vec<Block>,
}

/// Block of a section or of a list item.
#[derive(Clone, Debug)]
pub enum Block {
    /// Running text.
    Paragraph(Inline),
    /// A fenced or indented code block.
    Code(Code),
    /// A table; the first row is its head.
    Table(Vec<Row>),
    /// A list.
    List(Vec<Item>),
}

/// Code block, by lines.
#[derive(Clone, Debug)]
pub struct Code {
    /// Lines without line ends, each with its span.
    pub lines: Vec<(String, Span)>,
    /// Span of the whole block.
    pub span: Span,
    /// True for a fenced block, false for an indented one.
    pub fenced: bool,
}

impl Code {
    /// Returns the lines joined by line ends.
    pub fn text(&self) -> String {
        self.lines.iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// Table row with all cells in the source, including those beyond the head's columns.
#[derive(Clone, Debug)]
pub struct Row {
    /// Trimmed cells; `\*` and other escapes are kept.
    pub cells: Vec<(String, Span)>,
    /// Span of the row's line.
    pub span: Span,
}

/// Item of a list.
#[derive(Clone, Debug)]
pub struct Item {
    /// Text of the item itself.
    pub text: Inline,
    /// Lists, code and tables in the item, in order.
    pub blocks: Vec<Block>,
    /// Span of the whole item.
    pub span: Span,
}

/// Running text without markup, with the source position of each piece.
#[derive(Clone, Debug, Default)]
pub struct Inline {
    /// Plain text; line ends of the source are kept.
    pub text: String,
    /// Bold run at the start of the text, without the asterisks.
    pub bold: Option<String>,
    /// Links in the text.
    pub links: Vec<Link>,
    /// Pairs of (offset in `text`, offset in the source), in order.
    map: Vec<(usize, usize)>,
    /// Span in the source.
    pub span: Span,
}

/// Link.
#[derive(Clone, Debug)]
pub struct Link {
    /// Destination as written.
    pub target: String,
    /// Text of the link.
    pub text: String,
    /// Span in the source.
    pub span: Span,
}

impl Inline {
    /// Returns the source span of a range of the plain text.
    pub fn source(&self, range: Range<usize>) -> Span {
        let find = |at: usize| {
            let i = self.map.partition_point(|&(text, _)| text <= at);
            match i.checked_sub(1).and_then(|i| self.map.get(i)) {
                Some(&(text, source)) => source + (at - text),
                None => self.span.start,
            }
        };
        let start = find(range.start);
        start..find(range.end).max(start)
    }

    /// Returns the lines of the text with their source spans.
    pub fn lines(&self) -> Vec<(&str, Span)> {
        let mut at = 0;
        let mut out = Vec::new();
        for line in self.text.split('\n') {
            out.push((line, self.source(at..at + line.len())));
            at += line.len() + 1;
        }
        out
    }

    /// Parses a single source line as the text of a list item, for items that markdown reads as
    /// code because of their indentation.
    pub fn from_item_line(line: &str, start: usize) -> Option<Self> {
        let lead = line.len() - line.trim_start().len();
        let rest = line.trim_start().strip_prefix("- ")?;
        let mut out = Self::default();
        let mut at = start + lead + 2;
        for (i, piece) in rest.split("**").enumerate() {
            if i == 1 && out.text.trim().is_empty() {
                out.bold = Some(piece.to_owned());
            }
            out.push(piece, at..at + piece.len());
            at += piece.len() + 2;
        }
        Some(out)
    }

    fn push(&mut self, text: &str, span: Span) {
        if self.map.is_empty() {
            self.span.start = span.start;
        }
        self.map.push((self.text.len(), span.start));
        self.text.push_str(text);
        self.span.end = span.end;
    }
}

/// Parses a page. Parsing never fails: unknown syntax stays as text, and content over a limit is
/// left out.
pub fn parse(source: &str) -> Document {
    let mut excess = Vec::new();
    let events = within_limits(Parser::new_ext(source, Options::ENABLE_TABLES).into_offset_iter(), &mut excess);
    let mut reader = Reader { source, events, at: 0, excess };
    let mut document = Document {
        sections: vec![Section { level: 0, title: String::new(), span: 0..0, blocks: Vec::new() }],
        links: links(&reader.events),
        excess: Vec::new(),
    };
    while let Some((event, span)) = reader.next() {
        if let Event::Start(Tag::Heading { level, .. }) = event {
            let inline = reader.inline(|end| matches!(end, TagEnd::Heading(_)));
            document.sections.push(Section {
                level: level_number(level),
                title: inline.text.trim().to_owned(),
                span: trim_line_end(source, span),
                blocks: Vec::new(),
            });
        } else if let Some(section) = document.sections.last_mut() {
            section.blocks.extend(reader.block(event, span));
        }
    }
    document.excess = reader.excess;
    document
}

/// Returns the events without those nested too deeply, and without the content after too many
/// headings.
fn within_limits<'a>(
    events: impl Iterator<Item = (Event<'a>, Span)>,
    excess: &mut Vec<Excess>,
) -> Vec<(Event<'a>, Span)> {
    let (mut depth, mut headings, mut too_deep) = (0, 0, false);
    let mut out = Vec::new();
    for (event, span) in events {
        if let Event::Start(tag) = &event {
            depth += 1;
            headings += usize::from(matches!(tag, Tag::Heading { .. }));
            if headings > HEADINGS {
                excess.push(Excess { what: format!("a page has more than {HEADINGS} headings"), span });
                break;
            }
            if depth > MARKDOWN_DEPTH && !std::mem::replace(&mut too_deep, true) {
                let what = format!("lists, quotes or marks are nested more than {MARKDOWN_DEPTH} deep");
                excess.push(Excess { what, span: span.clone() });
            }
        }
        let ends = matches!(event, Event::End(_));
        if depth <= MARKDOWN_DEPTH {
            out.push((event, span));
        }
        depth -= usize::from(ends);
    }
    out
}

fn links(events: &[(Event<'_>, Span)]) -> Vec<Link> {
    let mut out: Vec<Link> = Vec::new();
    let mut open = Vec::new();
    for (event, span) in events {
        match event {
            // Text in pointed brackets is usually a placeholder, not an address.
            Event::Start(
                Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }
                | Tag::Image { link_type: LinkType::Autolink | LinkType::Email, .. },
            ) => open.push(None),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                open.push(Some(out.len()));
                out.push(Link { target: dest_url.to_string(), text: String::new(), span: span.clone() });
            }
            Event::End(TagEnd::Link | TagEnd::Image) => drop(open.pop()),
            Event::Text(text) | Event::Code(text) => {
                open.iter().flatten().for_each(|&i: &usize| out[i].text.push_str(text));
            }
            _ => {}
        }
    }
    out
}

struct Reader<'a> {
    source: &'a str,
    events: Vec<(Event<'a>, Span)>,
    at: usize,
    excess: Vec<Excess>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        let next = self.events.get(self.at).cloned();
        self.at += 1;
        next
    }

    fn block(&mut self, event: Event<'a>, span: Span) -> Option<Block> {
        match event {
            Event::Start(Tag::Paragraph) => {
                Some(Block::Paragraph(self.inline(|end| matches!(end, TagEnd::Paragraph))))
            }
            Event::Start(Tag::CodeBlock(kind)) => Some(Block::Code(self.code(&kind, span))),
            Event::Start(Tag::Table(_)) => Some(Block::Table(self.table())),
            Event::Start(Tag::List(_)) => Some(Block::List(self.list())),
            Event::Start(Tag::HtmlBlock) => {
                self.skip(|end| matches!(end, TagEnd::HtmlBlock));
                None
            }
            Event::Start(tag) => {
                // The text of block quotes and other containers counts as a paragraph.
                let end = tag.to_end();
                Some(Block::Paragraph(self.inline(move |e| *e == end)))
            }
            _ => None,
        }
    }

    fn skip(&mut self, is_end: impl Fn(&TagEnd) -> bool) {
        while let Some((event, _)) = self.next() {
            if matches!(&event, Event::End(end) if is_end(end)) {
                break;
            }
        }
    }

    fn inline(&mut self, is_end: impl Fn(&TagEnd) -> bool) -> Inline {
        let mut out = Inline::default();
        while let Some((event, span)) = self.next() {
            match event {
                Event::End(end) if is_end(&end) => break,
                other => self.inline_event(&mut out, other, span),
            }
        }
        out
    }

    fn inline_event(&mut self, out: &mut Inline, event: Event<'a>, span: Span) {
        match event {
            Event::Text(text) => out.push(&text, span),
            Event::Code(text) => {
                // Skip the opening back-ticks so that columns stay correct.
                let ticks = self.source[span.clone()].bytes().take_while(|&b| b == b'`').count();
                out.push(&text, span.start + ticks..span.end);
            }
            Event::InlineHtml(text) | Event::Html(text) => out.push(&text, span),
            Event::SoftBreak | Event::HardBreak => out.push("\n", span),
            Event::Start(Tag::Strong) => {
                let first = out.text.trim().is_empty() || out.text.trim().ends_with('}');
                let start = out.text.len();
                while let Some((event, span)) = self.next() {
                    if matches!(event, Event::End(TagEnd::Strong)) {
                        break;
                    }
                    self.inline_event(out, event, span);
                }
                if first && out.bold.is_none() {
                    out.bold = Some(out.text[start..].to_owned());
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let start = out.text.len();
                while let Some((event, span)) = self.next() {
                    if matches!(event, Event::End(TagEnd::Link)) {
                        break;
                    }
                    self.inline_event(out, event, span);
                }
                let text = out.text[start..].to_owned();
                out.links.push(Link { target: dest_url.to_string(), text, span });
            }
            _ => {}
        }
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>, span: Span) -> Code {
        let mut lines: Vec<(String, Span)> = Vec::new();
        while let Some((event, span)) = self.next() {
            match event {
                Event::End(TagEnd::CodeBlock) => break,
                Event::Text(text) => {
                    let mut at = span.start;
                    for line in text.split_inclusive('\n') {
                        let bare = line.trim_end_matches(['\n', '\r']);
                        lines.push((bare.to_owned(), at..at + bare.len()));
                        at += line.len();
                    }
                }
                _ => {}
            }
        }
        Code { lines, span, fenced: matches!(kind, CodeBlockKind::Fenced(_)) }
    }

    /// Reads a table. Cells are cut from the source, because the markdown parser drops cells beyond
    /// the head's columns, which the vendor's Format tables have.
    fn table(&mut self) -> Vec<Row> {
        let mut rows = Vec::new();
        while let Some((event, span)) = self.next() {
            match event {
                Event::End(TagEnd::Table) => break,
                Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(self.row(span)),
                _ => {}
            }
        }
        rows
    }

    fn row(&mut self, span: Span) -> Row {
        let start = self.source[..span.start].rfind('\n').map_or(0, |i| i + 1);
        let end = self.source[span.start..].find('\n').map_or(self.source.len(), |i| span.start + i);
        let line = &self.source[start..end];
        let mut cells = Vec::new();
        let mut cell_start = 0;
        let mut escaped = false;
        for (i, c) in line.char_indices() {
            if c == '|' && !escaped {
                cells.push(cell_start..i);
                cell_start = i + 1;
            }
            escaped = c == '\\' && !escaped;
        }
        cells.push(cell_start..line.len());
        // The pieces at both ends do not count.
        if let Some(first) = cells.get(CELLS + 1).map(|cell| start + cell.start)
            && cells.len() > CELLS + 2
        {
            self.excess.push(Excess { what: format!("a row has more than {CELLS} cells"), span: first..first + 1 });
            cells.truncate(CELLS + 1);
        }
        // The pieces before the first bar and after the last one are no cells.
        let cells = cells
            .into_iter()
            .enumerate()
            .filter(|(i, r)| !((*i == 0 || r.end == line.len()) && line[r.clone()].trim().is_empty()))
            .map(|(_, r)| {
                let text = line[r.clone()].trim();
                let lead = line[r.clone()].len() - line[r.clone()].trim_start().len();
                let at = start + r.start + lead;
                (text.to_owned(), at..at + text.len())
            })
            .collect();
        Row { cells, span: start..end }
    }

    fn list(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while let Some((event, span)) = self.next() {
            match event {
                Event::End(TagEnd::List(_)) => break,
                Event::Start(Tag::Item) => items.push(self.item(span)),
                _ => {}
            }
        }
        if let Some(first) = items.get(ITEMS) {
            let what = format!("a list has more than {ITEMS} items");
            self.excess.push(Excess { what, span: first.span.clone() });
            items.truncate(ITEMS);
        }
        items
    }

    fn item(&mut self, span: Span) -> Item {
        let mut item = Item { text: Inline::default(), blocks: Vec::new(), span };
        while let Some((event, span)) = self.next() {
            match event {
                Event::End(TagEnd::Item) => break,
                // A loose item wraps its text in a paragraph, a tight one does not.
                Event::Start(Tag::Paragraph) => {
                    if !item.text.text.is_empty() {
                        item.text.push("\n", span.clone());
                    }
                    while let Some((event, span)) = self.next() {
                        if matches!(event, Event::End(TagEnd::Paragraph)) {
                            break;
                        }
                        self.inline_event(&mut item.text, event, span);
                    }
                }
                Event::Start(
                    Tag::CodeBlock(_) | Tag::Table(_) | Tag::List(_) | Tag::HtmlBlock | Tag::BlockQuote(_),
                ) => item.blocks.extend(self.block(event, span)),
                other => self.inline_event(&mut item.text, other, span),
            }
        }
        item
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

fn trim_line_end(source: &str, span: Span) -> Span {
    let trimmed = source[span.clone()].trim_end().len();
    span.start..span.start + trimmed
}
