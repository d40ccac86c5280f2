//! A text cut into statements: comments go, places stay.

/// A statement: a line of the text without its comments.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// The text, comments replaced by blanks so that columns stay.
    pub(super) text: String,
    /// Byte of the source at which it begins.
    pub(super) start: usize,
    /// Line, from 1.
    pub(super) line: u32,
}

/// Cuts a source at its line ends. Comments run from `//` to the end of the line or from `/*` to `*/`.
pub(super) fn statements(source: &str) -> Vec<Statement> {
    let mut out = Vec::new();
    let mut in_comment = false;
    let mut start = 0;
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let text = without_comments(line.trim_end_matches(['\n', '\r']), &mut in_comment);
        if !text.trim().is_empty() {
            let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
            out.push(Statement { text, start, line });
        }
        start += line.len();
    }
    out
}

fn without_comments(line: &str, in_comment: &mut bool) -> String {
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

    #[test]
    fn comments_go_and_columns_stay() {
        let all = statements("a /* b\n c */ d // e\n\n\"//\" f");
        let texts: Vec<_> = all.iter().map(|s| (s.text.trim_end(), s.line)).collect();
        assert_eq!(texts, [("a", 1), ("      d", 2), ("\"//\" f", 4)]);
    }
}
