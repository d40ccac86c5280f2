//! Text templates: the printed form of an instruction, from which the parser follows.

use super::Place;
use crate::limits::TEMPLATE_DEPTH;

/// Template as a list of items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// Items in order.
    pub items: Vec<Item>,
    /// Template as written.
    pub source: String,
    /// True if only the full text uses the template.
    pub full: bool,
    /// First text revision in which the vendor's printer uses the template, as year times 100 plus
    /// month.
    pub since: Option<u32>,
    /// First text revision in which the vendor's printer no longer uses the template and its parser
    /// rejects it.
    pub before: Option<u32>,
}

/// Prefix of a template that keeps information that the vendor's text loses.
const FULL: &str = "full:";

/// Item of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Literal text.
    Text(String),
    /// Blanks: this many are printed, any number is accepted.
    Space(usize),
    /// `[(<P>)] `: the predicate in parentheses and a blank, or nothing.
    Predicate,
    /// `[.sat]`: saturation of the destination.
    Saturation,
    /// A field or a part of a field.
    Field {
        /// Name of the field, as written.
        field: String,
        /// Name of the part, as written.
        part: Option<String>,
        /// Place in the form of [`crate::model::Form::texts`]; in the template of a list, the part
        /// takes the place of the field.
        place: Option<Place>,
        /// Text format of the field.
        format: Style,
    },
    /// An optional group, printed only if one of its fields differs from its default.
    Optional(Vec<Item>),
    /// `[!…]`: a group that is always printed; the parser takes it as absent if a digit comes
    /// instead.
    Shown(Vec<Item>),
}

/// Text format of a field. The runtime's counterpart `rt::Format` has the same names; it is copied
/// out with the generated code and does not depend on templates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Default format of the type.
    #[default]
    Plain,
    /// Hexadecimal with prefix: `0x1f`.
    Hex,
    /// Upper-case hexadecimal with prefix: `0x1F`.
    UpperHex,
    /// Hexadecimal without prefix: `1f`.
    Bare16,
    /// Hexadecimal without prefix, at least two digits: `1f`.
    Bare16Padded,
    /// Operand without a zero offset and without a region.
    Bare,
    /// Signed hexadecimal: `+0x1f` or `-0x1f`.
    Signed,
    /// Signed decimal: `+31` or `-31`.
    Plus,
    /// String in double quotes.
    Quoted,
    /// Address of an operand: `&V32[64]`.
    Address,
    /// String, in double quotes unless it is an identifier.
    Word,
    /// Raw operand without its offset.
    Name,
    /// General operand with its offset but without its region.
    Packed,
}

impl Style {
    /// All formats except the plain one, with their names in templates.
    pub const NAMES: [(Self, &'static str); 12] = [
        (Self::Hex, "hex"),
        (Self::UpperHex, "HEX"),
        (Self::Bare16, "x"),
        (Self::Bare16Padded, "x2"),
        (Self::Bare, "bare"),
        (Self::Signed, "signed"),
        (Self::Plus, "plus"),
        (Self::Quoted, "quoted"),
        (Self::Address, "address"),
        (Self::Word, "word"),
        (Self::Name, "name"),
        (Self::Packed, "packed"),
    ];

    fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, n)| *n == name).map(|(format, _)| *format)
    }

    /// Returns the name in templates; `None` for the plain format.
    pub fn name(self) -> Option<&'static str> {
        Self::NAMES.iter().find(|(format, _)| *format == self).map(|(_, name)| *name)
    }
}

/// Parses a template line.
///
/// # Errors
///
/// A description of the problem, and its byte offset.
pub fn parse(line: &str) -> Result<Template, (String, usize)> {
    let lead = line.len() - line.trim_start().len();
    let (since, before, marks) = revisions(&line[lead..]);
    let lead = lead + marks;
    let full = line[lead..].starts_with(FULL);
    let start = if full { lead + FULL.len() } else { lead };
    let mut reader = Reader { text: line.as_bytes(), line, at: start };
    let mut items = reader.items(0)?;
    fold_specials(&mut items);
    lower_mnemonic(&mut items);
    while matches!(items.last(), Some(Item::Space(_))) {
        items.pop();
    }
    Ok(Template { items, source: line.trim().to_owned(), full, since, before })
}

/// Parses the marks of text revisions before a template, `{2024-02+}` and `{-2024-02}`. Also
/// returns their length.
fn revisions(line: &str) -> (Option<u32>, Option<u32>, usize) {
    let (mut since, mut before, mut at) = (None, None, 0);
    while let Some((mark, _)) = line[at..].strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        if let Some(found) = mark.strip_suffix('+').and_then(revision) {
            since = Some(found);
        } else if let Some(found) = mark.strip_prefix('-').and_then(revision) {
            before = Some(found);
        } else {
            break;
        }
        at += mark.len() + 2;
        at += line[at..].len() - line[at..].trim_start().len();
    }
    (since, before, at)
}

/// Parses a text revision such as `2024-02`, as year times 100 plus month.
pub fn revision(text: &str) -> Option<u32> {
    let (year, month) = text.split_once('-')?;
    let digits = |text: &str, len| text.len() == len && text.bytes().all(|b| b.is_ascii_digit());
    let (year, month): (u32, u32) =
        (digits(year, 4) && digits(month, 2)).then(|| year.parse().ok().zip(month.parse().ok()))??;
    (1..=12).contains(&month).then_some(year * 100 + month)
}

impl Template {
    /// Returns the first word of a statement of this template, or `None` if a field spells it.
    pub fn mnemonic(&self) -> Option<&str> {
        let head = self.items.iter().find(|i| !matches!(i, Item::Predicate | Item::Space(_)))?;
        match head {
            Item::Text(text) => {
                let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
                (end > 0).then(|| &text[..end])
            }
            _ => None,
        }
    }

    /// Returns every field of the template with its part, optional groups included.
    pub fn fields(&self) -> Vec<(&str, Option<&str>)> {
        let mut out = Vec::new();
        each_field(&self.items, &mut |item| {
            if let Item::Field { field, part, .. } = item {
                out.push((field.as_str(), part.as_deref()));
            }
        });
        out
    }
}

/// Returns the places of the fields of items, optional groups included.
pub fn places(items: &[Item]) -> Vec<Place> {
    let mut out = Vec::new();
    each_field(items, &mut |item| {
        if let Item::Field { place, .. } = item {
            out.extend(*place);
        }
    });
    out
}

fn each_field<'a>(items: &'a [Item], out: &mut dyn FnMut(&'a Item)) {
    for item in items {
        match item {
            Item::Field { .. } => out(item),
            Item::Optional(items) | Item::Shown(items) => each_field(items, out),
            _ => {}
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    line: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn items(&mut self, depth: usize) -> Result<Vec<Item>, (String, usize)> {
        let (mut items, mut literal) = (Vec::new(), String::new());
        let (nested, start) = (depth > 0, self.at);
        loop {
            let Some(&byte) = self.text.get(self.at) else {
                if nested {
                    return Err(("`[` without `]`".to_owned(), start.saturating_sub(1)));
                }
                break;
            };
            match byte {
                b'[' if depth >= TEMPLATE_DEPTH => {
                    return Err((format!("brackets are nested more than {TEMPLATE_DEPTH} deep"), self.at));
                }
                b'[' => {
                    flush(&mut literal, &mut items);
                    self.at += 1;
                    let shown = self.text.get(self.at) == Some(&b'!');
                    self.at += usize::from(shown);
                    let inner = self.items(depth + 1)?;
                    items.push(if shown { Item::Shown(inner) } else { Item::Optional(inner) });
                    continue;
                }
                b']' if nested => {
                    self.at += 1;
                    break;
                }
                b']' => return Err(("`]` without `[`".to_owned(), self.at)),
                b'>' => return Err(("`>` without `<`".to_owned(), self.at)),
                b'<' => {
                    flush(&mut literal, &mut items);
                    items.push(self.field()?);
                    continue;
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'/') => {
                    // A comment ends the template, as in assembly.
                    self.at = self.text.len();
                    continue;
                }
                b' ' | b'\t' => {
                    flush(&mut literal, &mut items);
                    let from = self.at;
                    while matches!(self.text.get(self.at), Some(b' ' | b'\t')) {
                        self.at += 1;
                    }
                    // Indentation is not part of the template.
                    if from > 0 && (nested || !items.is_empty()) {
                        items.push(Item::Space(self.at - from));
                    }
                    continue;
                }
                b'\\' => self.at += 1,
                _ => {}
            }
            let Some(c) = self.line[self.at..].chars().next() else {
                return Err(("a backslash at the end".to_owned(), self.at.saturating_sub(1)));
            };
            if byte == b'\\' {
                // Escaped characters stay separate items, so that escaped capitals stay capitals.
                flush(&mut literal, &mut items);
                items.push(Item::Text(format!("\\{c}")));
            } else {
                literal.push(c);
            }
            self.at += c.len_utf8();
        }
        flush(&mut literal, &mut items);
        Ok(items)
    }

    fn field(&mut self) -> Result<Item, (String, usize)> {
        let start = self.at + 1;
        let Some(len) = self.line[start..].find('>') else {
            return Err(("`<` without `>`".to_owned(), self.at));
        };
        let inner = &self.line[start..start + len];
        self.at = start + len + 1;
        let (name, format) = match inner.split_once(':') {
            None => (inner, Style::Plain),
            Some((name, format)) => match Style::from_name(format) {
                Some(format) => (name, format),
                None => {
                    let message = format!("unknown format `{format}`");
                    return Err((message, start + name.len() + 1));
                }
            },
        };
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
            return Err((format!("`{name}` is not the name of a field"), start));
        }
        let (field, part) = match name.split_once('.') {
            None => (name, None),
            Some((field, part)) => (field, Some(part.trim().to_owned())),
        };
        Ok(Item::Field { field: field.trim().to_owned(), part, place: None, format })
    }
}

fn flush(literal: &mut String, items: &mut Vec<Item>) {
    if !literal.is_empty() {
        items.push(Item::Text(std::mem::take(literal)));
    }
}

/// Folds the predicate and the saturation into their own items.
fn fold_specials(items: &mut Vec<Item>) {
    let is_predicate = |items: &[Item]| {
        let mut seen = items.iter().filter(|i| !matches!(i, Item::Space(_)));
        matches!(seen.next(), Some(Item::Text(t)) if t == "(")
            && matches!(seen.next(), Some(Item::Field { field, part: None, .. })
                if field.eq_ignore_ascii_case("p") || field.eq_ignore_ascii_case("pred"))
            && matches!(seen.next(), Some(Item::Text(t)) if t == ")")
            && seen.next().is_none()
    };
    for item in items.iter_mut() {
        if let Item::Optional(inner) = item {
            if is_predicate(inner) {
                *item = Item::Predicate;
            } else if matches!(inner.as_slice(), [Item::Text(t)] if t.eq_ignore_ascii_case(".sat")) {
                *item = Item::Saturation;
            } else {
                fold_specials(inner);
            }
        }
    }
    // The blank after the predicate belongs to it.
    let mut i = 0;
    while i + 1 < items.len() {
        if items[i] == Item::Predicate && matches!(items[i + 1], Item::Space(_)) {
            items.remove(i + 1);
        }
        i += 1;
    }
}

/// Converts the mnemonic to lower case, except for escaped letters, and joins literals again.
fn lower_mnemonic(items: &mut Vec<Item>) {
    let mut in_head = true;
    lower(items, &mut in_head);
    fn lower(items: &mut Vec<Item>, in_head: &mut bool) {
        let mut out: Vec<Item> = Vec::new();
        for item in items.drain(..) {
            let text = match item {
                Item::Text(text) => text,
                Item::Space(n) => {
                    if !out.is_empty() {
                        *in_head = false;
                    }
                    out.push(Item::Space(n));
                    continue;
                }
                Item::Optional(mut inner) => {
                    lower(&mut inner, in_head);
                    out.push(Item::Optional(inner));
                    continue;
                }
                other => {
                    out.push(other);
                    continue;
                }
            };
            let text = match text.strip_prefix('\\') {
                Some(escaped) => escaped.to_owned(),
                None if *in_head => text.to_ascii_lowercase(),
                None => text,
            };
            match out.last_mut() {
                Some(Item::Text(last)) => last.push_str(&text),
                _ => out.push(Item::Text(text)),
            }
        }
        *items = out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_usual_template() {
        let t = parse("  [(<P>)] ADD[.sat] (<exec_size>) <dst> <src0>").unwrap();
        assert_eq!(t.mnemonic(), Some("add"));
        assert_eq!(t.items[0], Item::Predicate);
        assert_eq!(t.items[1], Item::Text("add".into()));
        assert_eq!(t.items[2], Item::Saturation);
        assert_eq!(t.items[3], Item::Space(1));
        assert_eq!(t.fields(), [("exec_size", None), ("dst", None), ("src0", None)]);
    }

    #[test]
    fn keeps_escapes_and_formats() {
        let t = parse(r"\F\I\L\E <a.b:x2>  \[[<s:HEX>*]<o:bare>\] // comment").unwrap();
        assert_eq!(t.mnemonic(), Some("FILE"));
        assert!(t.items.contains(&Item::Space(2)));
        assert!(t.items.contains(&Item::Text("[".into())));
        assert_eq!(t.items.last(), Some(&Item::Text("]".into())));
    }

    #[test]
    fn marks_what_is_printed_in_full_texts_only() {
        let t = parse("full: [(<P>)] ADD <dst>").unwrap();
        assert!(t.full && !parse("[(<P>)] ADD <dst>").unwrap().full);
        assert_eq!(t.items, parse("[(<P>)] ADD <dst>").unwrap().items);
    }

    #[test]
    fn reads_the_marks_of_text_revisions() {
        let t = parse("{2024-02+} [(<P>)] ADD <dst>").unwrap();
        assert_eq!((t.since, t.before, t.mnemonic()), (Some(202_402), None, Some("add")));
        let t = parse("{2024-02+} {-2025-05} full: ADD <dst>").unwrap();
        assert_eq!((t.since, t.before, t.full), (Some(202_402), Some(202_505), true));
        assert_eq!(revision("2024-13"), None);
        assert_eq!(revision("24-1"), None);
    }

    #[test]
    fn says_where_it_is_wrong() {
        assert_eq!(parse("ADD <dst").unwrap_err().1, 4);
        assert_eq!(parse("ADD.<mode <dst>").unwrap_err().1, 5);
        assert_eq!(parse("ADD <dst:foo>").unwrap_err().1, 9);
        assert_eq!(parse("ADD ]").unwrap_err().1, 4);
        assert!(parse("ADD [.sat").is_err());
    }

    #[test]
    fn brackets_have_a_depth() {
        let nested = |depth: usize| parse(&format!("ADD {}<dst>{}", "[".repeat(depth), "]".repeat(depth)));
        assert!(nested(TEMPLATE_DEPTH).is_ok());
        for depth in [TEMPLATE_DEPTH + 1, 100_000] {
            let (message, at) = nested(depth).unwrap_err();
            assert!(message.contains("more than 32") && at == 4 + TEMPLATE_DEPTH, "{message} at {at}");
        }
    }
}
