//! Options of `visa run`, from the command line or from a launch file.
//!
//! A launch file is TOML with the options' names as keys and the same syntax in their values:
//!
//! ```toml
//! program = "mandelbrot.skl.zebin"
//! global = [1024, 768]
//! arg = ["0=zeros:3145728", "1=u32:1024", "2=u32:768"]
//! dump = ["0=mandelbrot.png:1024x768:r32uint"]
//! ```
//!
//! Paths in the file are relative to the file.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use toml::Spanned;
use visakit_diag::{Diagnostic, Severity};
use visakit_emulator::check::Checks;
use visakit_emulator::launch::TextError;
use visakit_emulator::launch::spec::{self, ArgKey, ArgSpec};
use visakit_emulator::run::Engine;

use super::dump::{self, Dump};
use super::expect::{self, Expect};
use super::memory::{self, Memory};
use super::print::{self, Print};
use crate::io::{is_stream, read_text};

/// Description of a run. Paths are relative to the working folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Request {
    /// A zebin, a vISA text or a vISA object.
    pub program: Option<PathBuf>,
    /// A zebin with the layout of the arguments, if the program has none.
    pub zebin: Option<PathBuf>,
    /// Name of the kernel; needed only if there are several.
    pub kernel: Option<String>,
    /// Platform, if it differs from the one that the program was compiled for.
    pub platform: Option<String>,
    /// Compiler options, if the program is a source.
    pub options: Option<String>,
    /// Work items in each dimension.
    pub global: Vec<u64>,
    /// Work items per group in each dimension.
    pub local: Option<Vec<u64>>,
    /// Offset of the global ids in each dimension.
    pub offset: Option<Vec<u64>>,
    /// Arguments of the kernel.
    pub arguments: Vec<(ArgKey, ArgSpec)>,
    /// Arguments of the launch file, used where `arguments` has no value.
    pub defaults: Vec<(ArgKey, ArgSpec)>,
    /// Memory regions reached by address.
    pub memory: Vec<Memory>,
    /// Buffers to write to files after the run.
    pub dumps: Vec<Dump>,
    /// Arguments to print after the run.
    pub prints: Vec<Print>,
    /// Expected results.
    pub expectations: Vec<Expect>,
    /// Classes of bugs to look for.
    pub check: Option<Checks>,
    /// True if dumps and prints are also made after a fault.
    pub dump_on_fault: bool,
    /// True if the remaining groups run after a fault.
    pub keep_going: bool,
    /// True if a fault report includes the state of its thread.
    pub state: bool,
    /// Global ids of the work items whose instructions are traced.
    pub trace: Vec<[u32; 3]>,
    /// True if instructions are counted.
    pub stats: bool,
    /// Number of host threads; all of the machine's if `None`.
    pub threads: Option<usize>,
    /// True if groups may run in parallel even if the result depends on their order.
    pub any_order: bool,
    /// True if accesses outside of every buffer read zeros and write nothing.
    pub outside_is_zero: bool,
    /// Accesses outside of every buffer are an error of the run.
    pub deny_outside: bool,
    /// Maximum number of instructions per hardware thread.
    pub max_instructions: Option<u64>,
    /// Execution engine.
    pub engine: Option<Engine>,
    /// Path of the launch file.
    pub launch: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    program: Option<PathBuf>,
    zebin: Option<PathBuf>,
    kernel: Option<String>,
    platform: Option<String>,
    options: Option<String>,
    #[serde(default)]
    global: Sizes,
    local: Option<Sizes>,
    offset: Option<Sizes>,
    #[serde(default)]
    arg: Vec<Spanned<String>>,
    #[serde(default)]
    memory: Vec<Spanned<String>>,
    #[serde(default)]
    dump: Vec<Spanned<String>>,
    #[serde(default)]
    print: Vec<Spanned<String>>,
    #[serde(default)]
    expect: Vec<Spanned<String>>,
    check: Option<Spanned<String>>,
    #[serde(default)]
    dump_on_fault: bool,
    #[serde(default)]
    keep_going: bool,
    #[serde(default)]
    state: bool,
    #[serde(default)]
    trace: Vec<Spanned<String>>,
    #[serde(default)]
    stats: bool,
    threads: Option<usize>,
    #[serde(default)]
    any_order: bool,
    #[serde(default)]
    outside_is_zero: bool,
    #[serde(default)]
    deny_outside: bool,
    max_instructions: Option<u64>,
    engine: Option<Spanned<String>>,
}

/// Sizes of a launch: a number for one dimension, or an array.
#[derive(Default)]
struct Sizes(Vec<u64>);

impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Sizes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number or an array of numbers")
            }

            fn visit_i64<E: serde::de::Error>(self, size: i64) -> Result<Sizes, E> {
                let unexpected = serde::de::Unexpected::Signed(size);
                u64::try_from(size).map(|size| Sizes(vec![size])).map_err(|_| E::invalid_value(unexpected, &self))
            }

            fn visit_u64<E: serde::de::Error>(self, size: u64) -> Result<Sizes, E> {
                Ok(Sizes(vec![size]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Sizes, A::Error> {
                let mut sizes = Vec::new();
                while let Some(size) = all.next_element()? {
                    sizes.push(size);
                }
                Ok(Sizes(sizes))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

impl Request {
    /// Returns the files that are read.
    pub(crate) fn sources(&self) -> Vec<PathBuf> {
        let named = [&self.program, &self.zebin, &self.launch].into_iter().flatten().cloned();
        let arguments = self.arguments.iter().chain(&self.defaults).map(|(_, spec)| spec);
        let specs = arguments.chain(self.expectations.iter().map(|expect| &expect.spec));
        let memory = self.memory.iter().map(|memory| memory.path.clone());
        named.chain(memory).chain(specs.filter_map(|spec| spec.clone().path_mut().cloned())).collect()
    }

    /// Fills unset options from another request.
    #[must_use]
    pub(crate) fn or(mut self, other: Self) -> Self {
        self.defaults = other.arguments;
        if self.memory.is_empty() {
            self.memory = other.memory;
        }
        if self.dumps.is_empty() {
            self.dumps = other.dumps;
        }
        if self.prints.is_empty() {
            self.prints = other.prints;
        }
        if self.expectations.is_empty() {
            self.expectations = other.expectations;
        }
        if self.trace.is_empty() {
            self.trace = other.trace;
        }
        if self.global.is_empty() {
            self.global = other.global;
        }
        Self {
            program: self.program.or(other.program),
            zebin: self.zebin.or(other.zebin),
            kernel: self.kernel.or(other.kernel),
            platform: self.platform.or(other.platform),
            options: self.options.or(other.options),
            local: self.local.or(other.local),
            offset: self.offset.or(other.offset),
            check: self.check.or(other.check),
            dump_on_fault: self.dump_on_fault || other.dump_on_fault,
            keep_going: self.keep_going || other.keep_going,
            state: self.state || other.state,
            stats: self.stats || other.stats,
            threads: self.threads.or(other.threads),
            any_order: self.any_order || other.any_order,
            outside_is_zero: self.outside_is_zero || other.outside_is_zero,
            deny_outside: self.deny_outside || other.deny_outside,
            max_instructions: self.max_instructions.or(other.max_instructions),
            engine: self.engine.or(other.engine),
            ..self
        }
    }
}

/// Parses the global id of a work item: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// Fails if the text has none of these forms; the error has the byte range.
pub(crate) fn work_item(text: &str) -> Result<[u32; 3], TextError> {
    let mut item = [0; 3];
    let mut at = 0;
    for (n, word) in text.split(',').enumerate() {
        let number = word.trim().parse().ok();
        let (Some(place), Some(number)) = (item.get_mut(n), number) else {
            return Err(TextError {
                code: "trace-item",
                at: at..at + word.len(),
                message: format!("`{word}` is not the number of a work item"),
                help: "write its global id without the offset, one number for each dimension, such as 5 or 3,7"
                    .to_owned(),
            });
        };
        *place = number;
        at += word.len() + 1;
    }
    Ok(item)
}

/// Parses one size of a launch.
///
/// # Errors
/// Fails if the text is not a whole number.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| {
        let parts: Vec<_> = text.split(['x', 'X', '*']).map(str::trim).collect();
        match parts.iter().all(|part| part.parse::<u64>().is_ok()) {
            true => format!("separate sizes by commas: {}", parts.join(",")),
            false => "a size is a whole number, such as 64".to_owned(),
        }
    })
}

/// Reads a launch file.
///
/// # Errors
/// Fails if it cannot be read, or a key or value is wrong; the error has the line and column.
pub(crate) fn read_file(path: &Path) -> Result<Request, Box<Diagnostic>> {
    let name = path.display().to_string();
    let text = read_text(path).map_err(|finding| Box::new(finding.help("--launch expects a TOML file")))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    parse(&name, &text, &folder)
}

/// Parses the text of a launch file. `name` is its name for messages. Paths in the text are
/// relative to `folder`.
///
/// # Errors
/// As [`read_file`].
pub(crate) fn parse(name: &str, text: &str, folder: &Path) -> Result<Request, Box<Diagnostic>> {
    let file = file(name, text)?;
    let located = |value: &Spanned<String>, error: TextError| {
        // The contents of a string begin after its quotation mark. With escapes in the string, the
        // place is approximate.
        let start = value.span().start + 1;
        let finding = Diagnostic::new(error.code, Severity::Error, name, error.message);
        Box::new(finding.at_text(text, start + error.at.start, start + error.at.end).help(error.help))
    };
    let rebase = |path: &mut PathBuf| {
        if !is_stream(path) {
            *path = folder.join(&*path);
        }
    };
    let mut arguments = Vec::new();
    for value in &file.arg {
        let (key, mut spec) = spec::parse_argument(value.get_ref()).map_err(|e| located(value, e))?;
        spec.path_mut().map(rebase);
        arguments.push((key, spec));
    }
    let mut memory = Vec::new();
    for value in &file.memory {
        let mut one = memory::parse(value.get_ref()).map_err(|e| located(value, e))?;
        rebase(&mut one.path);
        memory.push(one);
    }
    let mut dumps = Vec::new();
    for value in &file.dump {
        let mut dump = dump::parse(value.get_ref()).map_err(|e| located(value, e))?;
        rebase(&mut dump.path);
        dumps.push(dump);
    }
    let mut expectations = Vec::new();
    for value in &file.expect {
        let mut expect = expect::parse(value.get_ref()).map_err(|e| located(value, e))?;
        expect.spec.path_mut().map(rebase);
        expectations.push(expect);
    }
    let print = |value: &Spanned<String>| print::parse(value.get_ref()).map_err(|e| located(value, e));
    let prints = file.print.iter().map(print).collect::<Result<_, _>>()?;
    let item = |value: &Spanned<String>| work_item(value.get_ref()).map_err(|e| located(value, e));
    let trace = file.trace.iter().map(item).collect::<Result<_, _>>()?;
    let check = file.check.as_ref().map(|list| Checks::parse(list.get_ref()).map_err(|e| located(list, e)));
    let engine = file.engine.as_ref().map(|name| name.get_ref().parse().map_err(|e| located(name, e)));
    Ok(Request {
        check: check.transpose()?,
        program: file.program.map(|path| folder.join(path)),
        zebin: file.zebin.map(|path| folder.join(path)),
        kernel: file.kernel,
        platform: file.platform,
        options: file.options,
        global: file.global.0,
        local: file.local.map(|sizes| sizes.0),
        offset: file.offset.map(|sizes| sizes.0),
        arguments,
        defaults: Vec::new(),
        memory,
        dumps,
        prints,
        expectations,
        dump_on_fault: file.dump_on_fault,
        keep_going: file.keep_going,
        state: file.state,
        trace,
        stats: file.stats,
        threads: file.threads,
        any_order: file.any_order,
        outside_is_zero: file.outside_is_zero,
        deny_outside: file.deny_outside,
        max_instructions: file.max_instructions,
        engine: engine.transpose()?,
        launch: None,
    })
}

/// Parses the keys and values of a launch file.
fn file(name: &str, text: &str) -> Result<File, Box<Diagnostic>> {
    toml::from_str(text).map_err(|e| {
        let help = "the keys are the option names of `visa run --help` without the leading dashes";
        let finding = Diagnostic::new("launch-file", Severity::Error, name, e.message()).help(help);
        Box::new(match e.span() {
            Some(span) => finding.at_text(text, span.start, span.end),
            None => finding,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"program = "k.zebin"
global = [64, 2]
arg = ["0=zeros:8", "1=f32:0.5"]
dump = [
    "0=out.bin",
]
max-instructions = 1000
"#;

    #[test]
    fn keys_are_options() {
        let request = parse("k.toml", FILE, Path::new("there")).unwrap();
        assert_eq!(request.program, Some("there/k.zebin".into()));
        assert_eq!((request.global, request.local), (vec![64, 2], None));
        assert_eq!(request.arguments[0], (ArgKey::Index(0), ArgSpec::Zeros(8)));
        assert_eq!(request.dumps[0].path, PathBuf::from("there/out.bin"));
        assert_eq!(request.max_instructions, Some(1000));
        for engine in Engine::ALL {
            let request = parse("k.toml", &format!("{FILE}engine = '{engine}'"), Path::new("")).unwrap();
            assert_eq!(request.engine, Some(engine));
        }
        let more =
            FILE.replace("[64, 2]", "64\nlocal = 8") + "print = [\"1\"]\nexpect = [\"1=out.bin\", \"0=zeros:8\"]\n";
        let request = parse("k.toml", &more, Path::new("there")).unwrap();
        assert_eq!((request.global, request.local), (vec![64], Some(vec![8])));
        assert_eq!((request.prints.len(), request.expectations.len()), (1, 2));
        let more = FILE.to_owned() + "memory = ['0x1000:m.bin']\n";
        let memory = parse("k.toml", &more, Path::new("there")).unwrap().memory;
        assert_eq!(memory, [Memory { address: 0x1000, path: "there/m.bin".into() }]);
        let more = FILE.to_owned() + "keep-going = true\nstate = true\ntrace = ['5', '1,2']\n";
        let request_of_trace = parse("k.toml", &more, Path::new("there")).unwrap();
        assert!(request_of_trace.keep_going && request_of_trace.state);
        assert_eq!(request_of_trace.trace, [[5, 0, 0], [1, 2, 0]]);
        assert_eq!(request.expectations[0].spec, ArgSpec::File("there/out.bin".into()));
    }

    #[test]
    fn errors_have_their_place() {
        for (from, to, line, column) in [
            ("global = [64, 2]", "globl = 1", 2, 1),
            ("global = [64, 2]", "global = [64, -2]", 2, 15),
            ("global = [64, 2]", "global = -2", 2, 10),
            ("global = [64, 2]", "global = 'two'", 2, 10),
            ("max-instructions = 1000", "print = ['1=f33']", 7, 13),
            ("max-instructions = 1000", "expect = ['1']", 7, 12),
            ("1=f32:0.5", "1=f32:half", 3, 28),
            ("0=out.bin", "0=out.png", 5, 8),
            ("max-instructions = 1000", "trace = ['1', '1,x']", 7, 18),
            ("max-instructions = 1000", "engine = 'natural'", 7, 11),
            ("max-instructions = 1000", "memory = ['0x10:a', '16']", 7, 22),
            ("program = ", "program ", 1, 9),
        ] {
            let error = parse("k.toml", &FILE.replace(from, to), Path::new("")).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{to}: {error:?}");
        }
        assert_eq!(read_file(Path::new("/nowhere.toml")).unwrap_err().code, "file-read");
    }
}
