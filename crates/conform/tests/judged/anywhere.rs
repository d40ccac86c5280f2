//! Mistakes that any block can have: a number increased by one, an omitted statement, or a negated
//! condition.

/// Returns the mistakes of a block: first byte, end byte, and replacement.
pub(crate) fn slips(block: &str) -> Vec<(usize, usize, String)> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in block.split_inclusive('\n') {
        let code = line.trim();
        if !code.starts_with("//") && !code.starts_with("##") && !code.starts_with("```") && !code.is_empty() {
            let start = at + line.find(code).unwrap_or(0);
            of_line(code, start, &mut out);
        }
        at += line.len();
    }
    out
}

fn of_line(code: &str, start: usize, out: &mut Vec<(usize, usize, String)>) {
    let mut add = |from: usize, to: usize, text: String| out.push((start + from, start + to, text));
    // Omit a statement, unless it defines a name.
    if !code.ends_with('{') && !code.starts_with(['}', 'l']) && code != "undefined" {
        add(0, code.len(), String::new());
    }
    if let Some(condition) = code.find("if ").filter(|_| code.ends_with(" {")) {
        let (from, to) = (condition + 3, code.len() - 2);
        add(from, to, format!("!({})", &code[from..to]));
    }
    for (at, _) in code.match_indices("[i]") {
        add(at, at + 3, "[0]".to_owned());
    }
    for (one, other) in [(" && ", " || "), (" || ", " && "), ("low(", "high("), ("is_signed(", "!is_signed(")] {
        for (at, _) in code.match_indices(one) {
            add(at, at + one.len(), other.to_owned());
        }
    }
    // Exchange the two values of a choice that is a whole expression.
    if let (Some(then), Some(otherwise)) = (code.find(" ? "), code.find(" : "))
        && code.matches(" ? ").count() == 1
        && !code.ends_with([')', '{'])
    {
        add(then, code.len(), format!(" ? {} : {}", &code[otherwise + 3..], &code[then + 3..otherwise]));
    }
    let digits = |from: usize| code[from..].find(|c: char| !c.is_ascii_digit()).map_or(code.len(), |n| from + n);
    let mut from = 0;
    while let Some(found) = code[from..].find(|c: char| c.is_ascii_digit()) {
        let (first, end) = (from + found, digits(from + found));
        from = end;
        // Skip digits in names, in numbers of other bases, and at the ends of ranges.
        let before = code[..first].chars().next_back();
        let is_own = !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
            && !code[end..].starts_with(|c: char| c.is_alphanumeric() || c == '.' && !code[end..].starts_with(".."));
        let upper = code[..first].ends_with("..");
        if (is_own || upper)
            && let Ok(number) = code[first..end].parse::<u64>()
        {
            add(first, end, (number + 1).to_string());
        }
    }
}
