//! Processing of arguments after a run: dumps, prints and comparisons. All requests are checked
//! before the run.

use std::path::Path;

use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::launch::argument::{self, Argument, Parameter};
use visakit_emulator::launch::scalar::Scalar;
use visakit_emulator::launch::spec::{ArgKey, ArgSpec};
use visakit_emulator::run::{Outcome, RunError};

use super::dump::Dump;
use super::expect::{self, Expect, Mismatch, Tolerance};
use super::inputs;
use super::print::{Print, Values};
use super::request::Request;
use crate::io::{Output, Written, out_bytes};
use crate::outcome::OutputFormat;

/// Checked requests for results.
pub(crate) struct Wanted<'a> {
    dumps: Vec<(u32, &'a Dump, Output)>,
    prints: Vec<Numbers>,
    expected: Vec<Expected>,
}

/// Request to print an argument as numbers.
struct Numbers {
    parameter: Parameter,
    scalar: Scalar,
    count: usize,
}

/// Expected contents of an argument.
struct Expected {
    index: u32,
    what: String,
    scalar: Scalar,
    bytes: Vec<u8>,
    tolerance: Tolerance,
}

/// Outcome of the requests for results.
#[derive(Default)]
pub(crate) struct Made {
    /// Written files.
    pub written: Vec<Written>,
    /// Numbers to print.
    pub values: Vec<Values>,
    /// Differences from the expected contents.
    pub mismatches: Vec<Mismatch>,
    /// Findings for a person: mismatches and failed writes.
    pub findings: Vec<Diagnostic>,
}

impl<'a> Wanted<'a> {
    /// Checks the requests against the arguments.
    ///
    /// # Errors
    /// Fails if an argument is unknown or has no contents, if a file cannot be written or read, or
    /// if numbers have no type.
    pub(crate) fn new(
        request: &'a Request,
        parameters: &[Parameter],
        arguments: &[Option<Argument>],
        format: OutputFormat,
    ) -> Result<Self, Box<Diagnostic>> {
        let sources = request.sources();
        let sources: Vec<&Path> = sources.iter().map(|path| path.as_path()).collect();
        let planned = |dump: &'a Dump| -> Result<_, Box<Diagnostic>> {
            let (parameter, size) = contents(parameters, arguments, &dump.key, "dump", "dump-index")?;
            dump.picture.map_or(Ok(()), |picture| picture.check(&dump.key, size))?;
            Ok((parameter.index, dump, Output::new(&dump.path, &sources, format)?))
        };
        let numbers = |print: &Print| {
            let (parameter, size) = contents(parameters, arguments, &print.key, "print", "print-index")?;
            numbers(print, parameter, size)
        };
        let expected = |expect: &Expect| {
            let (parameter, _) = contents(parameters, arguments, &expect.key, "expect", "expect-index")?;
            expected(expect, parameter)
        };
        let dumps: Vec<_> = request.dumps.iter().map(planned).collect::<Result<_, _>>()?;
        Output::all_differ(dumps.iter().map(|(.., output)| output))?;
        Ok(Self {
            dumps,
            prints: request.prints.iter().map(numbers).collect::<Result<_, _>>()?,
            expected: request.expectations.iter().map(expected).collect::<Result<_, _>>()?,
        })
    }

    /// Processes the results of a run; the kernel's output is printed first if `prints` is set.
    /// Takes the buffers out of `result` to free their memory: the program may run again without
    /// optimisations.
    pub(crate) fn take(&self, result: &mut Result<Outcome, RunError>, prints: bool, dump_on_fault: bool) -> Made {
        let (printed, buffers) = match result {
            Ok(outcome) => (&outcome.printed, std::mem::take(&mut outcome.buffers)),
            Err(RunError::TrapReport(report)) => (&report.printed, std::mem::take(&mut report.buffers)),
            Err(RunError::Launch(_)) => return Made::default(),
        };
        if prints {
            out_bytes(printed);
        }
        match result {
            Ok(_) => self.show_and_compare(&buffers),
            Err(_) if dump_on_fault => self.show(&buffers),
            Err(_) => Made::default(),
        }
    }

    /// Writes the dumps and collects the numbers to print.
    fn show(&self, buffers: &[Option<Vec<u8>>]) -> Made {
        let mut made = Made::default();
        for (index, dump, output) in &self.dumps {
            match dump.write(output, bytes_of(buffers, *index)) {
                Ok(written) => made.written.push(written),
                Err(finding) => made.findings.push(*finding),
            }
        }
        let values = |numbers: &Numbers| {
            let bytes = bytes_of(buffers, numbers.parameter.index);
            Values::new(&numbers.parameter, numbers.scalar, bytes, numbers.count)
        };
        made.values = self.prints.iter().map(values).collect();
        made
    }

    /// Writes the dumps, collects the numbers to print, and compares the expected contents.
    fn show_and_compare(&self, buffers: &[Option<Vec<u8>>]) -> Made {
        let mut made = self.show(buffers);
        for Expected { index, what, scalar, bytes, tolerance } in &self.expected {
            let got = bytes_of(buffers, *index);
            if got.len() != bytes.len() {
                let message = format!("{what} has {} bytes; {} were expected", got.len(), bytes.len());
                made.findings.push(
                    Diagnostic::new("result-size", Severity::Error, format!("--expect {index}"), message)
                        .help("the expected value must be as long as the argument"),
                );
            } else if let Some(mismatch) = expect::compare(*index, *scalar, got, bytes, tolerance) {
                made.findings.push(mismatch.finding(what));
                made.mismatches.push(mismatch);
            }
        }
        made
    }
}

fn bytes_of(buffers: &[Option<Vec<u8>>], index: u32) -> &[u8] {
    buffers.get(index as usize).and_then(Option::as_deref).unwrap_or_default()
}

/// Returns the parameter that an option names, and the size of its argument in bytes.
fn contents<'p>(
    parameters: &'p [Parameter],
    arguments: &[Option<Argument>],
    key: &ArgKey,
    option: &str,
    code: &'static str,
) -> Result<(&'p Parameter, usize), Box<Diagnostic>> {
    let parameter = argument::find(parameters, key, &format!("--{option}"))?;
    let index = parameter.index;
    let help = match arguments.get(index as usize).and_then(Option::as_ref) {
        Some(Argument::Buffer(bytes) | Argument::Undefined(bytes)) => return Ok((parameter, bytes.len())),
        Some(Argument::Image(image)) => return Ok((parameter, image.texels.len())),
        Some(Argument::Same(other)) => format!("{option} argument {other}, whose memory it shares"),
        _ => "only buffers and images can be read after a run".to_owned(),
    };
    let message = format!("argument {index} is not a buffer or image with its own contents");
    Err(Diagnostic::new(code, Severity::Error, format!("--{option} {key}"), message).help(help).into())
}

fn numbers(print: &Print, parameter: &Parameter, size: usize) -> Result<Numbers, Box<Diagnostic>> {
    let option = format!("--print {}", print.key);
    let source = Scalar::of_source(&parameter.type_name);
    let Some(scalar) = print.scalar.or(source.map(|(scalar, _)| scalar)) else {
        let message = format!("the number type of {} is not known", parameter.describe());
        let help = format!("write {option}=TYPE with one of {}", Scalar::names());
        return Err(Diagnostic::new("print-type", Severity::Error, option, message).help(help).into());
    };
    let all = size / scalar.size();
    if let Some(count) = print.count.filter(|&count| count > all) {
        let message = format!("{} has {size} bytes, fewer than {count} x {}", parameter.describe(), scalar.name());
        let help = format!("it holds {all} values");
        return Err(Diagnostic::new("print-count", Severity::Error, option, message).help(help).into());
    }
    Ok(Numbers { parameter: parameter.clone(), scalar, count: print.count.unwrap_or(all) })
}

fn expected(expect: &Expect, parameter: &Parameter) -> Result<Expected, Box<Diagnostic>> {
    let option = format!("--expect {}", expect.key);
    let refuse = |code, message: String, help: &str| {
        Err(Box::new(Diagnostic::new(code, Severity::Error, &option, message).help(help)))
    };
    let mut spec = expect.spec.clone();
    inputs::fetch(&mut spec, &option)?;
    let scalar = expect.scalar.or(match &spec {
        ArgSpec::Pattern(pattern) => Some(pattern.scalar),
        _ => Scalar::of_source(&parameter.type_name).map(|(scalar, _)| scalar),
    });
    let scalar = match scalar {
        Some(scalar) => scalar,
        None if expect.tolerance.is_exact() => Scalar::U8,
        None => {
            let message = format!("the number type of {} is not known", parameter.describe());
            return refuse("expect-type", message, "add type=TYPE after the tolerance, such as type=f32");
        }
    };
    let bytes = match parameter.resolve(&spec) {
        Ok(Argument::Buffer(bytes) | Argument::Undefined(bytes)) => bytes,
        Ok(Argument::Image(image)) => image.texels,
        Ok(_) => {
            return refuse(
                "expect-index",
                "an expected value must have its own contents".to_owned(),
                "give a file, or a buffer in a form of --arg",
            );
        }
        Err(finding) => return Err(Box::new(Diagnostic { file: option, ..*finding })),
    };
    let (index, what) = (parameter.index, parameter.describe());
    Ok(Expected { index, what, scalar, bytes, tolerance: expect.tolerance })
}
