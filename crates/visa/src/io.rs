//! Access to files and streams: all reading, writing and reporting goes through this module.
//!
//! The path `-` is standard input or output. A file is written whole or not at all. Errors of
//! standard output are kept until the end, see [`end`]: a reader that closed the pipe must not
//! change the verdict of a command.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ColorChoice;
use serde::Serialize;
use visakit_diag::{Diagnostic, Severity};
use visakit_native::may_fail;

use crate::codes;
use crate::groups::Layout;
use crate::limits::{FILE_BYTES, STREAM_BYTES};
use crate::outcome::{Outcome, OutputFormat, count};
use crate::unfinished::Unfinished;

/// Settings for messages to the user.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Settings {
    /// When to use colors; auto uses them on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    color: ColorChoice,
    /// Print only findings on standard error
    #[arg(short, long, global = true, help_heading = "Global options")]
    quiet: bool,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();
/// True once standard input was read; it can be read only once.
static STDIN_READ: AtomicBool = AtomicBool::new(false);
/// First error of standard output, after which nothing more is printed.
static STDOUT_LOST: OnceLock<io::Error> = OnceLock::new();

/// Sets the message settings of this process. Must be called before anything is printed.
pub(crate) fn set(settings: Settings) {
    // `set` is called once, at the start of the process.
    let _ = SETTINGS.set(settings);
}

/// Returns true if output to a stream is coloured.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    match SETTINGS.get().map_or(ColorChoice::Auto, |settings| settings.color) {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        // See https://no-color.org: an empty variable counts as unset.
        ColorChoice::Auto => {
            stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Returns the layout of reports on standard output. The width is that of the variable `COLUMNS`,
/// or else of the terminal.
pub(crate) fn layout() -> Layout {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let width = said.or_else(terminal).unwrap_or(100).clamp(60, 160);
    Layout { width, color: color(&io::stdout()) }
}

/// Returns the exit code of the process: that of its outcome, unless writing to standard output
/// failed. A reader that closed the pipe is not an error.
pub(crate) fn end(outcome: Outcome) -> ExitCode {
    match STDOUT_LOST.get() {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say_findings(&[*write_problem(Path::new("-"), format!("cannot be written: {error}"))]);
            ExitCode::from(Outcome::Failed.code())
        }
        _ => ExitCode::from(outcome.code()),
    }
}

/// Prints to standard output.
pub(crate) fn out(text: &str) {
    out_bytes(text.as_bytes());
}

/// Prints bytes to standard output; they need not be text.
pub(crate) fn out_bytes(bytes: &[u8]) {
    if STDOUT_LOST.get().is_some() {
        return;
    }
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        let _ = STDOUT_LOST.set(error);
    }
}

/// Returns true if output was lost for another reason than a closed pipe.
pub(crate) fn is_lost() -> bool {
    STDOUT_LOST.get().is_some_and(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

/// Prints findings for a person on standard error. On a terminal their codes are links.
pub(crate) fn say_findings(findings: &[Diagnostic]) {
    let color = color(&io::stderr());
    let is_linked = color && io::stderr().is_terminal();
    let address = |finding: &Diagnostic| is_linked.then(|| codes::address(finding.code)).flatten();
    let text: String = findings.iter().map(|finding| finding.render_linked(color, address(finding))).collect();
    say(&text);
}

/// Prints a note on standard error, such as `note: …`, unless the user asked for quiet.
pub(crate) fn note(text: &str) {
    if !SETTINGS.get().is_some_and(|settings| settings.quiet) {
        say(&format!("{text}\n"));
    }
}

fn say(text: &str) {
    // Standard error failed: there is no stream left for a report.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Returns the name of a file for messages.
pub(crate) fn shown(path: &Path, stream: &str) -> String {
    if is_stream(path) { format!("<{stream}>") } else { path.display().to_string() }
}

/// Returns true if a path is `-`.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// Fails if it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let read = if !is_stream(path) {
        std::fs::File::open(path).and_then(|file| {
            let about = file.metadata()?;
            // Files in `/proc` and the like report no length; they are read like pipes.
            read_within(file, if about.is_file() && about.len() > 0 { FILE_BYTES } else { STREAM_BYTES })
        })
    } else if STDIN_READ.swap(true, Ordering::Relaxed) {
        Err(io::Error::other("standard input was already read; give `-` only once"))
    } else {
        read_within(io::stdin().lock(), STREAM_BYTES)
    };
    read.map_err(|error| {
        let file = shown(path, "stdin");
        Diagnostic::new("file-read", Severity::Error, file, format!("cannot be read: {error}")).into()
    })
}

/// Reads all bytes of a source and fails if there are more than `most`.
fn read_within(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    may_fail(|| from.take(most + 1).read_to_end(&mut bytes))?;
    let refused = || io::Error::other(format!("it has more than {most} bytes, which is the limit"));
    (bytes.len() as u64 <= most).then_some(bytes).ok_or_else(refused)
}

/// Reads a text file, or standard input for `-`.
///
/// # Errors
/// Fails if it cannot be read or is not text.
pub(crate) fn read_text(path: &Path) -> Result<String, Box<Diagnostic>> {
    text_of(path, read(path)?)
}

/// Converts the bytes of a file to text.
pub(crate) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Box<Diagnostic>> {
    String::from_utf8(bytes).map_err(|error| {
        let finding = Diagnostic::new("file-text", Severity::Error, shown(path, "stdin"), "is no text");
        finding.at_offset(error.utf8_error().valid_up_to() as u64).into()
    })
}

/// Destination of output: a file or standard output. It is created before the work, so that an
/// unusable destination is reported first.
#[derive(Debug)]
pub(crate) struct Output {
    /// Path as the user named it; `-` is standard output.
    path: PathBuf,
    /// File after resolving symbolic links; `None` for standard output.
    target: Option<PathBuf>,
    format: OutputFormat,
}

/// Written file, as reported by `--format json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Written {
    /// Path of the file, as the user named it.
    file: String,
    /// Size of the file in bytes.
    bytes: usize,
}

impl Output {
    /// Creates a destination for output made from `sources`.
    ///
    /// # Errors
    /// Fails if the folder is missing, the path is a folder, or the path is one of the sources.
    /// Also fails for standard output if `--format json` prints its object there.
    pub(crate) fn new(path: &Path, sources: &[&Path], format: OutputFormat) -> Result<Self, Box<Diagnostic>> {
        let refuse = |message: &str, help: &str| Err(Box::new(write_problem(path, message).help(help)));
        if is_stream(path) {
            if format != OutputFormat::Human {
                let message = format!("standard output is used by both the output and `--format {}`", format.name());
                return refuse(&message, "name a file for the output");
            }
            return Ok(Self::stdout(format));
        }
        if path.is_dir() {
            return refuse("cannot be written: it is a folder", "name a file");
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let message = format!("cannot be written: there is no folder {}", folder.display());
            return refuse(&message, "make the folder first");
        }
        // A file that does not exist yet needs a canonical name too.
        let new = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
        let target = path.canonicalize().ok().or_else(new).unwrap_or_else(|| path.to_owned());
        // Devices and pipes may be read and written at the same time.
        let is_target =
            |source: &&Path| target.is_file() && source.canonicalize().is_ok_and(|source| source == target);
        if sources.iter().any(is_target) {
            return refuse(
                "the output file is also an input, and would be overwritten",
                "name another file for the output",
            );
        }
        Ok(Self { path: path.to_owned(), target: Some(target), format })
    }

    /// Returns the destination for standard output.
    pub(crate) fn stdout(format: OutputFormat) -> Self {
        Self { path: PathBuf::from("-"), target: None, format }
    }

    /// Creates a destination as [`Output::new`] does, or standard output if `path` is `None`.
    ///
    /// # Errors
    /// As [`Output::new`].
    pub(crate) fn or_stdout(
        path: Option<&Path>,
        sources: &[&Path],
        format: OutputFormat,
    ) -> Result<Self, Box<Diagnostic>> {
        path.map_or_else(|| Ok(Self::stdout(format)), |path| Self::new(path, sources, format))
    }

    /// Checks that all destinations are different files. Otherwise only the last output would
    /// remain.
    ///
    /// # Errors
    /// Fails at the second of two destinations that are the same file.
    pub(crate) fn all_differ<'a>(outputs: impl Iterator<Item = &'a Self>) -> Result<(), Box<Diagnostic>> {
        let mut seen = HashSet::new();
        for output in outputs {
            let Some(target) = &output.target else { continue };
            // Devices and pipes accept several outputs.
            if (target.is_file() || !target.exists()) && !seen.insert(target) {
                let found = write_problem(
                    &output.path,
                    "two outputs have the same file; the \
                 second would overwrite the first",
                );
                return Err(Box::new(found.help("name another file for each output")));
            }
        }
        Ok(())
    }

    /// Returns true if the destination is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        self.target.is_none()
    }

    /// Writes all bytes and reports the written file to a person.
    ///
    /// # Errors
    /// Fails if it cannot be written; an existing file is then unchanged.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<Written, Box<Diagnostic>> {
        self.write_with(|to| to.write_all(bytes))
    }

    /// Writes as [`Output::write`] does, with a function that writes piece by piece.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub(crate) fn write_with(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Written, Box<Diagnostic>> {
        let written = match &self.target {
            // Only findings are printed.
            None if self.format.is_findings_only() => Ok(0),
            None => fill_counted(Stdout, fill).map(|(_, bytes)| bytes),
            Some(target) => write_file(target, fill),
        };
        let bytes = written.map_err(|error| write_problem(&self.path, format!("cannot be written: {error}")))?;
        let file = shown(&self.path, "stdout");
        if self.format != OutputFormat::Json && !self.is_stdout() {
            note(&format!("wrote {file} ({})", count(bytes, "byte")));
        }
        Ok(Written { file, bytes })
    }
}

/// Writes a file that is made from `sources`, creating missing folders. No note is printed, because
/// the command prints the file's name as its result.
///
/// # Errors
/// Fails if it cannot be written.
pub(crate) fn write_named(path: &Path, sources: &[&Path], bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    make_folder(path.parent().unwrap_or(Path::new(".")))?;
    Output::new(path, sources, OutputFormat::Json)?.write(bytes).map(|_| ())
}

/// Creates an output folder and its parents.
///
/// # Errors
/// Fails if it cannot be created.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Box<Diagnostic>> {
    std::fs::create_dir_all(folder).map_err(|error| write_problem(folder, format!("cannot be made: {error}")))
}

fn write_problem(path: &Path, message: impl Into<String>) -> Box<Diagnostic> {
    Diagnostic::new("file-write", Severity::Error, shown(path, "stdout"), message).into()
}

fn write_file(target: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<usize> {
    let old = match target.metadata() {
        // Bytes are written into a device or pipe; a file must not replace it.
        Ok(old) if !old.is_file() => {
            return fill_counted(std::fs::OpenOptions::new().write(true).open(target)?, fill).map(|(_, size)| size);
        }
        Ok(old) if old.permissions().readonly() => return Err(io::ErrorKind::PermissionDenied.into()),
        Ok(old) => Some(old.permissions()),
        Err(_) => None,
    };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".visa-");
    // Temporary files default to private permissions; the output is an ordinary file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let (file, unfinished) = Unfinished::make(|| builder.tempfile_in(folder), |file| file.path())?;
    let (file, size) = fill_counted(file, fill)?;
    if let Some(permissions) = old {
        file.as_file().set_permissions(permissions)?;
    }
    unfinished.finish(|| file.persist(target)).map_err(|error| error.error)?;
    Ok(size)
}

fn fill_counted<W: Write>(to: W, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<(W, usize)> {
    let mut counted = Counted { to: io::BufWriter::new(to), size: 0 };
    fill(&mut counted)?;
    let size = counted.size;
    Ok((counted.to.into_inner().map_err(io::IntoInnerError::into_error)?, size))
}

/// Writer that counts the bytes passed to `to`.
struct Counted<W: Write> {
    to: io::BufWriter<W>,
    size: usize,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.to.write(bytes)?;
        self.size += taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Writer to standard output by [`out_bytes`], which keeps errors for the end.
struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        out_bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
