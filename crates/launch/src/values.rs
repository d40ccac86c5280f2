//! Contents of arguments as numbers.

use std::fmt::Write as _;

use serde::Serialize;

use super::argument::Parameter;
use super::scalar::{Number, Scalar};

/// Numbers held by an argument.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Values {
    /// Index of the argument.
    pub argument: u32,
    /// Name of the argument in the source; empty if the file does not record it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Type of the numbers.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Values of the numbers.
    pub values: Vec<Number>,
    /// Numbers per line.
    #[serde(skip)]
    pub in_line: usize,
}

impl Values {
    /// Returns the first `count` numbers of an argument's contents.
    pub fn new(parameter: &Parameter, scalar: Scalar, bytes: &[u8], count: usize) -> Self {
        let in_line = match Scalar::of_source(&parameter.type_name) {
            // Prints one vector per line.
            Some((of_source, width)) if of_source == scalar && width > 1 => width,
            _ => 32 / scalar.size().max(4),
        };
        let values = scalar.numbers(bytes).take(count).collect();
        Self { argument: parameter.index, name: parameter.name.clone(), kind: scalar.name(), values, in_line }
    }

    /// Formats the numbers as a table: a title, then lines that begin with the index of their first
    /// number.
    pub fn table(&self) -> String {
        let title = if self.name.is_empty() { format!("argument {}", self.argument) } else { self.name.clone() };
        let mut out = format!("{title}: {} x {}\n", self.values.len(), self.kind);
        let texts: Vec<String> = self.values.iter().map(Number::to_string).collect();
        let width = texts.iter().map(String::len).max().unwrap_or(0);
        let digits = texts.len().saturating_sub(1).to_string().len();
        for (n, line) in texts.chunks(self.in_line.max(1)).enumerate() {
            let _ = write!(out, "  [{:>digits$}]", n * self.in_line.max(1));
            line.iter().for_each(|text| {
                let _ = write!(out, " {text:>width$}");
            });
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_in_columns() {
        let values = [0.5, -10.0, 2.0].map(Number::Single).to_vec();
        let values = Values { argument: 2, name: "c".to_owned(), kind: "f32", values, in_line: 2 };
        assert_eq!(values.table(), "c: 3 x f32\n  [0]   0.5 -10.0\n  [2]   2.0\n");
    }
}
