//! Pictures of a terminal, drawn as SVG from the command's coloured output.

use std::fmt::Write as _;

use visakit_testing::root;

use super::common::run;

/// Width of the drawn terminal in columns.
const COLUMNS: usize = 100;
// Size of a character cell and of the margin, in pixels.
const CELL: f32 = 7.83;
const LINE: f32 = 19.0;
const MARGIN: f32 = 18.0;

/// Text with one colour and weight.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    text: String,
    colour: &'static str,
    bold: bool,
}

/// Draws all pictures: (file name in `docs/img`, SVG).
pub(crate) fn all() -> [(&'static str, String); 1] {
    [("race.svg", race())]
}

/// Draws the picture of the README: a kernel and the race found in it.
fn race() -> String {
    let command = ["run", "--launch", "examples/reduction/reduction.toml", "--check", "race", "--color", "always"];
    let (exit, out, err) = run(&command);
    assert_eq!(exit, 1, "{out}{err}");
    let source = std::fs::read_to_string(root().join("examples/reduction/reduction.cl")).unwrap();
    let plain = |text: &str, colour| Run { text: text.to_owned(), colour, bold: false };
    let mut rows = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let colour = if line.trim_start().starts_with("//") { "#8b949e" } else { "#e6edf3" };
        rows.push(vec![plain(&format!("{:>3}  ", index + 1), "#6e7681"), plain(line, colour)]);
    }
    rows.push(Vec::new());
    rows.push(vec![
        plain("$ ", "#6e7681"),
        plain("visa run --launch examples/reduction/reduction.toml --check race", "#fff"),
    ]);
    for line in out.lines().chain(err.lines()) {
        rows.extend(wrapped(&runs(line), COLUMNS));
    }
    let bug = source.lines().position(|line| line.contains("+=")).expect("the kernel sums");
    svg("A kernel that sums numbers, and the race that visa finds in it", &rows, &[bug])
}

/// Splits a line at its escape sequences.
fn runs(line: &str) -> Vec<Run> {
    let (mut colour, mut bold) = ("#e6edf3", false);
    let mut found = Vec::new();
    for (index, part) in line.split("\u{1b}[").enumerate() {
        let mut text = part;
        if index > 0 {
            let (codes, rest) = part.split_once('m').expect("an escape sequence sets a colour");
            for code in codes.split(';') {
                match code.parse().expect("a number") {
                    0u32 => (colour, bold) = ("#e6edf3", false),
                    1 => bold = true,
                    91 | 31 => colour = "#ff7b72",
                    92 | 32 => colour = "#7ee787",
                    93 | 33 => colour = "#e3b341",
                    94 | 34 => colour = "#79c0ff",
                    96 | 36 => colour = "#76e3ea",
                    other => panic!("no colour for the code {other}"),
                }
            }
            text = rest;
        }
        if !text.is_empty() {
            found.push(Run { text: text.to_owned(), colour, bold });
        }
    }
    found
}

/// Wraps a line between words at the width of the terminal.
fn wrapped(line: &[Run], columns: usize) -> Vec<Vec<Run>> {
    let mut rows = vec![Vec::new()];
    let mut used = 0;
    for run in line {
        for word in run.text.split_inclusive(' ') {
            let width = word.trim_end().chars().count();
            if used > 0 && used + width > columns {
                rows.push(Vec::new());
                used = 0;
            }
            used += word.chars().count();
            let row: &mut Vec<Run> = rows.last_mut().expect("there is a row");
            match row.last_mut().filter(|last| (last.colour, last.bold) == (run.colour, run.bold)) {
                Some(last) => last.text += word,
                None => row.push(Run { text: word.to_owned(), ..*run }),
            }
        }
    }
    rows
}

/// Draws rows of text; rows in `marked` have a lighter background.
fn svg(title: &str, rows: &[Vec<Run>], marked: &[usize]) -> String {
    let width = COLUMNS as f32 * CELL + 2.0 * MARGIN;
    let height = rows.len() as f32 * LINE + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for row in marked {
        let top = MARGIN + *row as f32 * LINE;
        let _ = writeln!(out, "<rect x=\"0\" y=\"{top}\" width=\"100%\" height=\"{LINE}\" fill=\"#3d1d20\"/>");
    }
    out += "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"13\">\n";
    for (index, row) in rows.iter().enumerate() {
        let baseline = MARGIN + index as f32 * LINE + 14.0;
        let mut column = 0;
        for run in row {
            // Browsers drop blanks at the ends of a text.
            let text = run.text.trim_start();
            let indent = run.text.chars().count() - text.chars().count();
            let left = MARGIN + (column + indent) as f32 * CELL;
            column += run.text.chars().count();
            let text = text.trim_end();
            if text.is_empty() {
                continue;
            }
            let bold = if run.bold { " font-weight=\"bold\"" } else { "" };
            let _ = writeln!(
                out,
                "<text x=\"{left:.1}\" y=\"{baseline}\" fill=\"{}\"{bold} textLength=\"{:.1}\">{}</text>",
                run.colour,
                text.chars().count() as f32 * CELL,
                escaped(text)
            );
        }
    }
    out + "</g>\n</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn escape_sequences_become_runs() {
    let found = runs("a\u{1b}[1m\u{1b}[91mb\u{1b}[0m c");
    let run = |text: &str, colour, bold| Run { text: text.to_owned(), colour, bold };
    assert_eq!(found, [run("a", "#e6edf3", false), run("b", "#ff7b72", true), run(" c", "#e6edf3", false)]);
    assert_eq!(wrapped(&found, 2).len(), 2);
}
