//! Option `--expect KEY=SPEC[,abs=A][,rel=R][,ulp=U][,type=TYPE]`: compares an argument with its
//! expected contents after the run.

use std::path::PathBuf;

use serde::Serialize;
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::launch::TextError;
use visakit_emulator::launch::forms::FORMS;
use visakit_emulator::launch::scalar::{Number, Scalar};
use visakit_emulator::launch::spec::{self, ArgKey, ArgSpec};

use super::key_behind;

/// Expected contents of an argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expect {
    /// Argument to compare.
    pub key: ArgKey,
    /// Expected contents.
    pub spec: ArgSpec,
    /// Type of the numbers, if given.
    pub scalar: Option<Scalar>,
    /// Allowed difference of each number.
    pub tolerance: Tolerance,
}

/// Allowed difference between numbers. A number is accepted if any of the limits holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tolerance {
    /// Limit of the absolute difference.
    pub absolute: f64,
    /// Limit of the difference relative to the expected number.
    pub relative: f64,
    /// Limit in units in the last place: the distance in representable numbers.
    pub ulp: u64,
}

const HELP: &str = "write --expect KEY=FILE or KEY=SPEC, with a SPEC as for --arg; abs=A, rel=R, \
 ulp=N and type=TYPE may follow, separated by commas";

/// Parses `KEY=FILE` or `KEY=SPEC`, optionally followed by a tolerance.
///
/// # Errors
/// Fails if the text has neither form; the error has the byte range.
pub(crate) fn parse(text: &str) -> Result<Expect, TextError> {
    let error =
        |at, message: String, help: &str| TextError { code: "expect-syntax", at, message, help: help.to_owned() };
    let Some((key, rest)) = text.split_once('=').filter(|(_, rest)| !rest.is_empty()) else {
        return Err(error(0..text.len(), format!("`{text}` is not an expected value"), HELP));
    };
    let start = key.len() + 1;
    let key = key_behind("expect-syntax", key)?;
    let (mut rest, mut scalar, mut tolerance) = (rest, None, Tolerance::default());
    while let Some((before, word)) = rest.rsplit_once(',') {
        let Some((name, value)) = word.trim().split_once('=') else { break };
        let size = || value.parse::<f64>().ok().filter(|size| *size >= 0.0);
        let read = match name {
            "abs" => size().map(|size| tolerance.absolute = size),
            "rel" => size().map(|size| tolerance.relative = size),
            "ulp" => value.parse().ok().map(|ulp| tolerance.ulp = ulp),
            "type" => Scalar::from_name(value).map(|kind| scalar = Some(kind)),
            _ => break,
        };
        let at = start + before.len() + 1..start + rest.len();
        read.ok_or_else(|| error(at, format!("`{word}` is neither a tolerance nor a type"), HELP))?;
        rest = before;
    }
    let is_form = rest
        .split_once(':')
        .is_some_and(|(kind, _)| FORMS.iter().any(|form| form.kind == kind) || Scalar::from_name(kind).is_some());
    let spec = if is_form {
        spec::parse(rest).map_err(|e| TextError { at: e.at.start + start..e.at.end + start, ..e })?
    } else {
        ArgSpec::File(PathBuf::from(rest))
    };
    Ok(Expect { key, spec, scalar, tolerance })
}

impl Tolerance {
    /// Returns true if no difference is allowed.
    pub(crate) fn is_exact(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if a number is close enough to the expected one. NaN matches only NaN.
    fn takes(&self, got: Number, expected: Number) -> bool {
        if got == expected {
            return true;
        }
        let (a, b) = (got.to_f64(), expected.to_f64());
        if a.is_nan() || b.is_nan() {
            return a.is_nan() && b.is_nan();
        }
        let difference = match (got, expected) {
            (Number::Integer(got), Number::Integer(expected)) => (got - expected).unsigned_abs() as f64,
            _ => (a - b).abs(),
        };
        // The difference between a finite number and infinity is not finite.
        difference.is_finite() && (difference <= self.absolute || difference <= self.relative * b.abs())
            || got.rank().abs_diff(expected.rank()) <= u128::from(self.ulp) && a.is_finite() == b.is_finite()
    }
}

/// Elements of an argument that differ from the expected ones.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Mismatch {
    /// Index of the argument.
    pub argument: u32,
    /// Type of the numbers.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Number of elements compared.
    pub elements: usize,
    /// Number of elements that differ.
    pub differ: usize,
    /// First elements that differ.
    pub first: Vec<Element>,
}

/// Element that differs from the expected one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Element {
    /// Index of the element.
    pub index: usize,
    /// Actual value.
    pub got: Number,
    /// Expected value.
    pub expected: Number,
}

/// Maximum number of differing elements shown to a person.
const SHOWN: usize = 5;

/// Compares the contents of an argument with the same number of expected bytes.
pub(crate) fn compare(
    argument: u32,
    scalar: Scalar,
    got: &[u8],
    expected: &[u8],
    tolerance: &Tolerance,
) -> Option<Mismatch> {
    if got == expected {
        return None;
    }
    let (mut elements, mut differ, mut first) = (0, 0, Vec::new());
    for (index, (got, expected)) in scalar.numbers(got).zip(scalar.numbers(expected)).enumerate() {
        elements += 1;
        if !tolerance.takes(got, expected) {
            differ += 1;
            if first.len() < SHOWN {
                first.push(Element { index, got, expected });
            }
        }
    }
    (differ > 0).then(|| Mismatch { argument, kind: scalar.name(), elements, differ, first })
}

impl Mismatch {
    /// Returns the mismatch as a finding; `what` names the argument.
    pub(crate) fn finding(&self, what: &str) -> Diagnostic {
        let Self { argument, kind, elements, differ, first } = self;
        let element = |element: &Element| format!("[{}] is {}, not {}", element.index, element.got, element.expected);
        let shown = first.iter().map(element).collect::<Vec<_>>().join("; ");
        let message = format!(
            "{what} differs from the expected values in {differ} of {elements} \
         elements ({kind}): {shown}"
        );
        let finding = Diagnostic::new("result-differs", Severity::Error, format!("--expect {argument}"), message);
        finding.help("to allow a difference, add abs=A, rel=R or ulp=N after the expected value")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let expect = parse("c=a,b.bin,abs=0.5,type=f16,ulp=2").unwrap();
        assert_eq!((expect.key, expect.spec), (ArgKey::Name("c".into()), ArgSpec::File("a,b.bin".into())));
        let tolerance = Tolerance { absolute: 0.5, relative: 0.0, ulp: 2 };
        assert_eq!((expect.scalar, expect.tolerance), (Some(Scalar::F16), tolerance));
        let expect = parse("0=fill:f32:4:1,2,rel=1e-6").unwrap();
        assert_eq!(expect.spec, spec::parse("fill:f32:4:1,2").unwrap());
        assert_eq!(expect.tolerance.relative, 1e-6);
        for (text, at) in [
            ("c", 0..1),
            ("0x=a.bin", 0..2),
            ("0=a.bin,abs=x", 8..13),
            ("0=a.bin,abs=-1,ulp=1", 8..14),
            ("0=a.bin,type=f33", 8..16),
            ("0=fill:f32:4:x", 13..14),
        ] {
            assert_eq!(parse(text).unwrap_err().at, at, "{text}");
        }
    }

    #[test]
    fn tolerances() {
        let exact = Tolerance::default();
        let single = Number::Single;
        assert!(exact.takes(single(f32::NAN), single(-f32::NAN)));
        assert!(exact.takes(single(0.0), single(-0.0)));
        assert!(!exact.takes(single(1.0), single(f32::NAN)));
        let ulp = Tolerance { ulp: 1, ..exact };
        assert!(ulp.takes(single(1.0_f32.next_up()), single(1.0)));
        assert!(!ulp.takes(single(1.0_f32.next_up().next_up()), single(1.0)));
        assert!(!ulp.takes(single(f32::INFINITY), single(f32::MAX)));
        let relative = Tolerance { relative: 0.1, ..exact };
        assert!(relative.takes(single(9.0), single(10.0)) && !relative.takes(single(8.9), single(10.0)));
        assert!(!relative.takes(single(f32::MAX), single(f32::INFINITY)));
        let absolute = Tolerance { absolute: 2.0, ..exact };
        assert!(absolute.takes(Number::Integer(-1), Number::Integer(1)));
        assert!(!absolute.takes(Number::Integer(-2), Number::Integer(1)));
    }

    #[test]
    fn the_first_elements_are_named() {
        let got: Vec<u8> = (0..10).collect();
        let mismatch = compare(3, Scalar::U8, &got, &[0; 10], &Tolerance::default()).unwrap();
        assert_eq!((mismatch.elements, mismatch.differ, mismatch.first.len()), (10, 9, SHOWN));
        let finding = mismatch.finding("argument 3");
        assert!(finding.message.contains("9 of 10 elements (u8): [1] is 1, not 0; [2] is 2, not 0"), "{finding}");
        assert!(
            compare(3, Scalar::U8, &got, &[0; 10], &Tolerance { absolute: 9.0, ..Tolerance::default() }).is_none()
        );
    }
}
