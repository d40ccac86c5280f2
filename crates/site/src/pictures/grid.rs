//! Grids of registers: one line for each register, one cell for each group of bytes.

use crate::drawing::{Anchor, COLOURS, Drawing, Size};

/// Height of a cell with two lines of text.
const TALL: f64 = 34.0;

/// Height of a cell with one line of text.
const FLAT: f64 = 22.0;

/// Width of the numbers of the registers.
const MARGIN: f64 = 52.0;

/// Content of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) upper: String,
    /// Second line; may be empty.
    pub(super) lower: String,
    /// Number that selects the colour; `None` for an unused cell.
    pub(super) colour: Option<usize>,
}

/// Lines of cells with a heading.
pub(super) struct Grid<'a> {
    pub(super) title: &'a str,
    /// Names of the lines.
    pub(super) lines: Vec<String>,
    pub(super) cells: Vec<Vec<Cell>>,
}

impl Grid<'_> {
    /// Adds the grid below the earlier content of the drawing.
    pub(super) fn draw(&self, drawing: &mut Drawing) {
        let all = || self.cells.iter().flatten();
        let height = if all().any(|cell| !cell.lower.is_empty()) { TALL } else { FLAT };
        let longest = all().map(|cell| cell.upper.chars().count().max(cell.lower.chars().count())).max();
        let width = longest.unwrap_or(0) as f64 * 6.1 + 8.0;
        let top = if drawing.height() > 0.0 { drawing.height() + 18.0 } else { 0.0 };
        drawing.text(0.0, top + 14.0, Anchor::Start, Size::Heading, self.title);
        let mut y = top + 24.0;
        for (name, cells) in self.lines.iter().zip(&self.cells) {
            drawing.text(MARGIN - 6.0, y + height / 2.0 + 4.0, Anchor::End, Size::Small, name);
            for (n, cell) in cells.iter().enumerate() {
                let x = MARGIN + n as f64 * width;
                let class = cell.colour.map_or("none".to_owned(), |colour| format!("c{}", colour % COLOURS));
                drawing.rect(x, y, width, height, &class);
                let middle = x + width / 2.0;
                match cell.lower.is_empty() {
                    true => drawing.text(middle, y + height / 2.0 + 4.0, Anchor::Middle, Size::Small, &cell.upper),
                    false => {
                        drawing.text(middle, y + 14.0, Anchor::Middle, Size::Small, &cell.upper);
                        drawing.text(middle, y + 27.0, Anchor::Middle, Size::Small, &cell.lower);
                    }
                }
            }
            y += height;
        }
    }
}

/// Joins numbers to ranges: `0–3, 8`.
pub(super) fn ranges(numbers: &[usize]) -> String {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match out.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => out.push((number, number)),
        }
    }
    let one = |&(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}–{last}"),
    };
    out.iter().map(one).collect::<Vec<_>>().join(",")
}

/// Returns the cell for elements of a matrix, as pairs of row and column, in storage order. `names`
/// are the letters for rows and columns.
pub(super) fn elements(all: &[Option<(usize, usize)>], names: [&str; 2]) -> Cell {
    let known: Vec<(usize, usize)> = all.iter().flatten().copied().collect();
    if known.is_empty() {
        return Cell::default();
    }
    let distinct = |mut numbers: Vec<usize>| {
        numbers.dedup();
        numbers
    };
    let rows = distinct(known.iter().map(|one| one.0).collect());
    let columns = distinct(known.iter().map(|one| one.1).collect());
    Cell {
        upper: format!("{}{}", names[0], ranges(&rows)),
        lower: format!("{}{}", names[1], ranges(&columns)),
        colour: Some(rows[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::{elements, ranges};

    #[test]
    fn numbers_are_joined() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0–2,5,7–8");
        let cell = elements(&[Some((2, 4)), Some((3, 4)), None], ["r", "c"]);
        assert_eq!((cell.upper.as_str(), cell.lower.as_str(), cell.colour), ("r2–3", "c4", Some(2)));
        assert_eq!(elements(&[None], ["r", "c"]).colour, None);
    }
}
