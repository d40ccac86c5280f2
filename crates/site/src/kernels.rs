//! Kernels that the editors of pages begin with, where a statement alone cannot show an
//! instruction.

use serde_json::{Value, json};

/// Kernels by the name of their page: a title line `== PAGE PLATFORM [FRAME]`, lines `arg` with
/// arguments, `global` with the size (16) and `note` with a sentence, and the text. A text with a
/// frame has declarations and statements only, which take the places of `@decl` and `@body` in the
/// section of the frame.
const KERNELS: &str = include_str!("kernels.txt");

/// Name of the kernel that the playground begins with.
pub const FIRST: &str = "playground";

/// Returns the pages with a kernel.
pub fn pages() -> impl Iterator<Item = &'static str> {
    sections().map(|(title, _)| title[0]).filter(|name| !name.starts_with(FRAME))
}

/// Returns the kernel of a page as an object with text, arguments, global size and platform; `null`
/// for a page without one.
pub fn of(page: &str) -> Value {
    let Some((title, lines)) = section(page) else { return Value::Null };
    let arguments =
        |lines: &[&'static str]| -> Vec<&str> { lines.iter().filter_map(|line| line.strip_prefix("arg ")).collect() };
    let code = |lines: &[&'static str]| -> Vec<&str> {
        lines
            .iter()
            .copied()
            .filter(|line| ["arg ", "note ", "global "].iter().all(|word| !line.starts_with(word)))
            .collect()
    };
    let note: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("note ")).collect();
    let own = code(&lines);
    let (mut args, text) = match title.get(2).and_then(|frame| section(frame)) {
        None => (Vec::new(), own.join("\n")),
        Some((_, frame)) => {
            let is_declaration = |line: &&&str| line.starts_with('.');
            let (decl, body): (Vec<&str>, Vec<&str>) = own.iter().partition(|line| is_declaration(line));
            let put = |line: &'static str| match line {
                "@decl" => decl.clone(),
                "@body" => body.clone(),
                line => vec![line],
            };
            (arguments(&frame), code(&frame).into_iter().flat_map(put).collect::<Vec<_>>().join("\n"))
        }
    };
    let key = |arg: &str| arg.split('=').next().unwrap_or_default().to_owned();
    let own = arguments(&lines);
    args.retain(|arg| own.iter().all(|other| key(other) != key(arg)));
    args.extend(own);
    let platform = title.get(1).copied().unwrap_or_default();
    let global = lines.iter().find_map(|line| line.strip_prefix("global ")).unwrap_or("16");
    json!({ "text": text, "args": args.join("\n"), "global": global, "platform": platform, "note": note.join(" ") })
}

/// Beginning of the names of frames.
const FRAME: char = '@';

fn section(name: &str) -> Option<(Vec<&'static str>, Vec<&'static str>)> {
    sections().find(|(title, _)| title.first() == Some(&name))
}

/// Returns the words of each title, and the lines below it.
fn sections() -> impl Iterator<Item = (Vec<&'static str>, Vec<&'static str>)> {
    KERNELS.split("\n== ").skip(1).map(|section| {
        let mut lines = section.lines();
        let title = lines.next().unwrap_or_default().split_whitespace().collect();
        (title, lines.filter(|line| !line.is_empty()).collect())
    })
}
