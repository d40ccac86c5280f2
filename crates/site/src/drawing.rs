//! SVG drawings from rectangles, lines and texts.

use std::fmt::Write as _;

use crate::prose::escape;

/// Colours of a drawing that stands alone, in light and dark mode. On pages, the site's style sheet
/// defines them.
const STYLE: &str = "\
svg{--ink:#1d2430;--soft:#525b69;--line:#8a94a3;--paper:#fff;--box:#f2f4f8;--a:#d8e6ff;--b:#d6f0df;--c:#fde6c8;--d:#f3d9ee;--e:#d5eef2;--f:#ece3c9}\
@media (prefers-color-scheme:dark){svg{--ink:#e6e9ef;--soft:#aab3c0;--line:#77818f;--paper:#14181f;--box:#1f252f;--a:#1f3a66;--b:#1d4630;--c:#5a3d13;--d:#532a4c;--e:#1b464e;--f:#4b421f}}";

/// Rules for the classes of a drawing. Boxes are paths, and most texts are small and centred, so
/// that large drawings stay short.
const CLASSES: &str = "\
svg.draw path{fill:var(--box);stroke:var(--line)}svg.draw .c0{fill:var(--a)}svg.draw .c1{fill:var(--b)}svg.draw .c2{fill:var(--c)}\
svg.draw .c3{fill:var(--d)}svg.draw .c4{fill:var(--e)}svg.draw .c5{fill:var(--f)}svg.draw .none{fill:var(--paper)}\
svg.draw text{fill:var(--soft);text-anchor:middle;font:10px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\
svg.draw .start{text-anchor:start}svg.draw .end{text-anchor:end}svg.draw .n{fill:var(--ink);font-size:12px}\
svg.draw .h{fill:var(--ink);font-size:12px;font-weight:600}svg.draw .t{font-size:9px}svg.draw [class^=c]+text{fill:var(--ink)}\
svg.draw line{stroke:var(--line)}";

/// Colours of cells, by number.
pub(crate) const COLOURS: usize = 6;

/// Position of a text relative to its point.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Size of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Small,
    Normal,
    Heading,
    Tiny,
}

/// Drawing under construction.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    body: String,
    width: f64,
    height: f64,
}

/// Finished drawing.
#[derive(Clone, Debug)]
pub struct Svg {
    title: String,
    body: String,
    width: f64,
    height: f64,
}

impl Drawing {
    fn reach(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    /// Adds a box.
    pub(crate) fn rect(&mut self, x: f64, y: f64, w: f64, h: f64, class: &str) {
        let (left, top, wide) = (short(x), short(y), short(w));
        let _ = write!(self.body, "<path class=\"{class}\" d=\"M{left} {top}h{wide}v{}h-{wide}z\"/>", short(h));
        self.reach(x + w + 1.0, y + h + 1.0);
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: Anchor, size: Size, text: &str) {
        let (place, after) = match anchor {
            Anchor::Start => ("start", 1.0),
            Anchor::Middle => ("", 0.5),
            Anchor::End => ("end", 0.0),
        };
        let size = match size {
            Size::Small => "",
            Size::Normal => "n",
            Size::Heading => "h",
            Size::Tiny => "t",
        };
        let class = [place, size].join(" ");
        let class = match class.trim() {
            "" => String::new(),
            class => format!(" class=\"{class}\""),
        };
        let (left, top) = (short(x), short(y));
        let _ = write!(self.body, "<text x=\"{left}\" y=\"{top}\"{class}>{}</text>", escape(text));
        self.reach(x + after * length(text), y + 4.0);
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(short);
        let _ = write!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
        self.reach(x1.max(x2), y1.max(y2));
    }

    /// Returns the height that is used so far.
    pub(crate) fn height(&self) -> f64 {
        self.height
    }

    /// Finishes the drawing. `title` describes it in words.
    pub(crate) fn finish(self, title: &str) -> Svg {
        Svg {
            title: title.to_owned(),
            body: self.body,
            width: self.width.ceil() + 1.0,
            height: self.height.ceil() + 1.0,
        }
    }
}

/// Returns a number with at most one digit after the point.
fn short(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Returns the width of a text in the usual font.
pub(crate) fn length(text: &str) -> f64 {
    text.chars().count() as f64 * 7.3
}

impl Svg {
    /// Returns the description of the drawing.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the drawing as an element of a page of the site.
    pub(crate) fn inline(&self) -> String {
        let Self { title, body, width, height } = self;
        format!(
            "<svg class=\"draw\" role=\"img\" aria-label=\"{}\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">{body}</svg>",
            escape(title)
        )
    }

    /// Returns the drawing as a file.
    pub fn file(&self) -> String {
        let Self { title, body, width, height } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"draw\" role=\"img\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\"><title>{}</title><style>{STYLE}{CLASSES}</style>\
             <rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>{body}</svg>\n",
            escape(title)
        )
    }
}

/// Returns the rules for the classes of drawings, for the site's style sheet.
pub(crate) fn classes() -> &'static str {
    CLASSES
}
