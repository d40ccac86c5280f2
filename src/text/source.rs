//! Splitting of a text into statements: removes comments and keeps positions.

use std::borrow::Cow;

/// Statement: a line of the text without comments.
#[derive(Clone, Debug)]
pub(super) struct Statement<'a> {
    /// Text with inner comments replaced by blanks, which keeps the columns.
    pub(super) text: Cow<'a, str>,
    /// Byte offset in the source.
    pub(super) start: usize,
    /// Line number, from 1.
    pub(super) line: u32,
}

/// Splits a source at line ends. Comments run from `//` to the end of the line, or from `/*` to
/// `*/`. A backslash after a blank at the end of a line continues the statement on the next line.
pub(super) fn statements(source: &str) -> impl Iterator<Item = Statement<'_>> {
    let mut lines = source.split_inclusive('\n');
    let mut in_comment = false;
    let (mut start, mut line) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            let first = lines.next()?;
            let (from, number) = (start, line + 1);
            let mut text = uncommented(first, &mut in_comment);
            start += first.len();
            line += 1;
            while is_continued(&text) {
                let Some(next) = lines.next() else { break };
                let mut joined = text.into_owned();
                joined.pop();
                joined.extend(std::iter::repeat_n(' ', start - from - joined.len()));
                joined.push_str(&uncommented(next, &mut in_comment));
                text = Cow::Owned(joined);
                start += next.len();
                line += 1;
            }
            let statement = Statement { text, start: from, line: number };
            if !statement.text.trim().is_empty() {
                return Some(statement);
            }
        }
    })
}

/// Returns true if a text ends with a backslash after a blank.
fn is_continued(text: &str) -> bool {
    text.strip_suffix('\\').is_some_and(|body| body.is_empty() || body.ends_with([' ', '\t']))
}

/// Returns a line without its end and its comments. The line is copied only if text follows a
/// comment.
fn uncommented<'a>(line: &'a str, in_comment: &mut bool) -> Cow<'a, str> {
    let line = line.trim_end_matches(['\n', '\r']);
    let Some(slash) = line.find('/').filter(|_| !*in_comment) else {
        return if *in_comment { Cow::Owned(blanked(line, in_comment)) } else { Cow::Borrowed(line) };
    };
    let plain = !line[..slash].contains('"');
    if plain && line[slash..].starts_with("//") {
        return Cow::Borrowed(&line[..slash]);
    }
    Cow::Owned(blanked(line, in_comment))
}

fn blanked(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::with_capacity(line.len());
    let mut in_string = false;
    let mut chars = line.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let rest = &line[i..];
        if *in_comment {
            if rest.starts_with("*/") {
                *in_comment = false;
                chars.next();
                out.push_str("  ");
            } else {
                out.extend(std::iter::repeat_n(' ', c.len_utf8()));
            }
        } else if in_string {
            out.push(c);
            if c == '\\' {
                if let Some((_, next)) = chars.next() {
                    out.push(next);
                }
            } else if c == '"' {
                in_string = false;
            }
        } else if rest.starts_with("//") {
            break;
        } else if rest.starts_with("/*") {
            *in_comment = true;
            chars.next();
            out.push_str("  ");
        } else {
            in_string = c == '"';
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<(String, u32)> {
        statements(source).map(|s| (s.text.trim_end().to_owned(), s.line)).collect()
    }

    #[test]
    fn comments_go_and_columns_stay() {
        let all = texts("a /* b\n c */ d // e\n\n\"//\" f\n1 / 2 // \"g\"");
        let expected = [("a", 1), ("      d", 2), ("\"//\" f", 4), ("1 / 2", 5)];
        assert_eq!(all, expected.map(|(text, line)| (text.to_owned(), line)));
    }

    #[test]
    fn a_backslash_joins_lines() {
        assert_eq!(texts("a \\\n b\nc"), [("a    b".to_owned(), 1), ("c".to_owned(), 3)]);
        assert_eq!(texts("a\\\nb \\"), [("a\\".to_owned(), 1), ("b \\".to_owned(), 2)]);
    }
}
