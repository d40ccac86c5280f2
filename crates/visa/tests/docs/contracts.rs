//! Shapes of the commands' JSON, read off what the commands print.

use std::collections::BTreeMap;

use serde_json::Value;
use visakit_testing::root;

use super::common::run;
use super::reference::{commands_of, help};

/// Example calls of the commands, on files of the repository. A call that finds something shows the
/// findings' shape.
const CALLS: [&str; 12] = [
    "verify tests/vectors/single/arith-00.isa examples/vector_add/vector_add.dg2.zebin",
    "run --launch examples/vector_add/vector_add.toml",
    "run --launch examples/reduction/reduction.toml --check race",
    "eval 'add (M1, 4) C A B' --set C=d --set A=d:1,2,3,4 --set B=w:-1",
    "info examples/vector_add/vector_add.dg2.zebin",
    "disasm examples/vector_add/vector_add.dg2.zebin",
    "roundtrip examples/vector_add/vector_add.dg2.zebin",
    "explain check-race",
    "demo",
    "spec lint spec",
    "spec diff spec spec",
    "spec show GATHER",
];

/// Name of the members that all commands have, and of their shape.
const FINDINGS: &str = "findings";

/// Shape of a JSON value.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Null,
    Boolean,
    Number,
    Text,
    List(Option<Box<Shape>>),
    /// Members; true for those that some objects lack.
    Object(BTreeMap<String, (Shape, bool)>),
    Any,
}

/// Returns the shape of each command's JSON with the exit code of the example.
pub(crate) fn contracts() -> String {
    let mut findings = None;
    let mut out = String::new();
    for call in CALLS {
        let words = words(call);
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--format", "json"]).collect();
        let (exit, printed, err) = run(&arguments);
        let value: Value = serde_json::from_str(&printed).unwrap_or_else(|e| panic!("{call}: {e}: {err}"));
        let Shape::Object(mut members) = shape(&value) else { panic!("{call} prints no object") };
        let (found, _) = members.remove(FINDINGS).unwrap_or_else(|| panic!("{call} prints no findings"));
        findings = Some(findings.map_or(found.clone(), |known| merged(known, found)));
        out += &format!("### visa {call}\n\n```text\n{}\n```\n\nExit code {exit}.\n\n", shown_members(&members, 0));
    }
    let findings = findings.expect("there are calls");
    format!("### Findings\n\n```text\n{FINDINGS}: {}\n```\n\n{out}", shown(&findings, 0))
}

/// Returns the exit codes of each command, from its help.
pub(crate) fn exit_codes() -> String {
    let mut out = String::new();
    let top = help(&[]);
    for name in commands_of(&top) {
        let text = help(&[&name]);
        let inner = commands_of(&text);
        let calls: Vec<Vec<&str>> = match inner.as_slice() {
            [] => vec![vec![name.as_str()]],
            inner => inner.iter().map(|inner| vec![name.as_str(), inner.as_str()]).collect(),
        };
        for call in calls {
            let text = help(&call);
            let Some((_, codes)) = text.split_once("Exit codes: ") else { continue };
            let codes = codes.split("\n\n").next().unwrap_or_default().replace('\n', " ");
            out += &format!("- `visa {}`: {codes}\n", call.join(" "));
        }
    }
    out
}

/// Splits a call at blanks outside quotes.
fn words(call: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in call.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("there is a word").push(c),
        }
    }
    let file = |word: String| if root().join(&word).exists() && word.contains('.') { path(&word) } else { word };
    words.into_iter().map(file).collect()
}

fn path(name: &str) -> String {
    root().join(name).display().to_string()
}

fn shape(value: &Value) -> Shape {
    match value {
        Value::Null => Shape::Null,
        Value::Bool(_) => Shape::Boolean,
        Value::Number(_) => Shape::Number,
        Value::String(_) => Shape::Text,
        Value::Array(list) => Shape::List(list.iter().map(shape).reduce(merged).map(Box::new)),
        Value::Object(members) => {
            Shape::Object(members.iter().map(|(name, value)| (name.clone(), (shape(value), false))).collect())
        }
    }
}

/// Returns the shape of values of two shapes.
fn merged(a: Shape, b: Shape) -> Shape {
    match (a, b) {
        (a, b) if a == b => a,
        (Shape::List(a), Shape::List(b)) => Shape::List(match (a, b) {
            (Some(a), Some(b)) => Some(Box::new(merged(*a, *b))),
            (a, b) => a.or(b),
        }),
        (Shape::Object(a), Shape::Object(mut b)) => {
            let mut all = BTreeMap::new();
            for (name, (shape, optional)) in a {
                let other = b.remove(&name);
                let both = other.clone().map_or(shape.clone(), |(other, _)| merged(shape, other));
                all.insert(name, (both, optional || other.is_none_or(|(_, optional)| optional)));
            }
            all.extend(b.into_iter().map(|(name, (shape, _))| (name, (shape, true))));
            Shape::Object(all)
        }
        _ => Shape::Any,
    }
}

fn shown(shape: &Shape, depth: usize) -> String {
    match shape {
        Shape::Null => "null".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::Any => "any".to_owned(),
        Shape::List(None) => "[]".to_owned(),
        Shape::List(Some(element)) => format!("[{}]", shown(element, depth)),
        Shape::Object(members) if members.is_empty() => "{}".to_owned(),
        Shape::Object(members) => {
            format!("{{\n{}\n{}}}", shown_members(members, depth + 1), "  ".repeat(depth))
        }
    }
}

fn shown_members(members: &BTreeMap<String, (Shape, bool)>, depth: usize) -> String {
    let line = |(name, (shape, optional)): (&String, &(Shape, bool))| {
        let mark = if *optional { "?" } else { "" };
        format!("{}{name}{mark}: {}", "  ".repeat(depth), shown(shape, depth))
    };
    members.iter().map(line).collect::<Vec<_>>().join("\n")
}
