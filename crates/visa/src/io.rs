//! The one door for files and streams: what is read, what is written, and what is said of it.
//!
//! `-` is standard input or output. A file is written whole or not at all. What goes wrong with
//! standard output is kept until the end, see [`end`], so that a reader who went away does not
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

use crate::groups::Layout;
use crate::limits::{FILE_BYTES, STREAM_BYTES};
use crate::report::{Outcome, OutputFormat, count};
use crate::unfinished::Unfinished;

/// How the process talks to its user.
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
/// Standard input can be read once.
static STDIN_READ: AtomicBool = AtomicBool::new(false);
/// Why nothing more goes to standard output.
static STDOUT_LOST: OnceLock<io::Error> = OnceLock::new();

/// Sets how this process talks; before the first word.
pub(crate) fn set(settings: Settings) {
    // There is one call, at the start of the process.
    let _ = SETTINGS.set(settings);
}

/// Whether a stream gets colors.
pub(crate) fn color(stream: &impl IsTerminal) -> bool {
    match SETTINGS.get().map_or(ColorChoice::Auto, |settings| settings.color) {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        // See https://no-color.org: an empty variable is none.
        ColorChoice::Auto => {
            stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// How reports on standard output are laid out: as wide as the terminal, or as the variable
/// `COLUMNS` says.
pub(crate) fn layout() -> Layout {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let width = said.or_else(terminal).unwrap_or(100).clamp(60, 160);
    Layout { width, color: color(&io::stdout()) }
}

/// The exit code of the process: that of its outcome, unless standard output could not be written.
/// A reader that went away is no error: it has what it wanted.
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

/// The same for bytes that need not be text.
pub(crate) fn out_bytes(bytes: &[u8]) {
    if STDOUT_LOST.get().is_some() {
        return;
    }
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        let _ = STDOUT_LOST.set(error);
    }
}

/// Whether what was printed is lost, by other than a reader that went away.
pub(crate) fn is_lost() -> bool {
    STDOUT_LOST.get().is_some_and(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

/// Prints findings for a person on standard error.
pub(crate) fn say_findings(findings: &[Diagnostic]) {
    let color = color(&io::stderr());
    let text: String = findings.iter().map(|finding| finding.render(color)).collect();
    say(&text);
}

/// Says something worth knowing on standard error, such as `note: …`, unless the user wants quiet.
pub(crate) fn note(text: &str) {
    if !SETTINGS.get().is_some_and(|settings| settings.quiet) {
        say(&format!("{text}\n"));
    }
}

fn say(text: &str) {
    // There is nowhere left to complain.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// How a file is called in messages.
pub(crate) fn shown(path: &Path, stream: &str) -> String {
    if is_stream(path) { format!("<{stream}>") } else { path.display().to_string() }
}

/// Whether a path is `-`.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let read = if !is_stream(path) {
        std::fs::File::open(path).and_then(|file| {
            let about = file.metadata()?;
            // Files of the system have no length, and are read like pipes.
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

/// Reads all of something that has no more bytes than a limit.
fn read_within(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    may_fail(|| from.take(most + 1).read_to_end(&mut bytes))?;
    let refused = || io::Error::other(format!("it has more than {most} bytes, which is the limit"));
    (bytes.len() as u64 <= most).then_some(bytes).ok_or_else(refused)
}

/// Reads a text file, or standard input for `-`.
///
/// # Errors
/// When it cannot be read, or is no text.
pub(crate) fn read_text(path: &Path) -> Result<String, Box<Diagnostic>> {
    text_of(path, read(path)?)
}

/// The text of a file that was read.
pub(crate) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Box<Diagnostic>> {
    String::from_utf8(bytes).map_err(|error| {
        let finding = Diagnostic::new("file-text", Severity::Error, shown(path, "stdin"), "is no text");
        finding.at_offset(error.utf8_error().valid_up_to() as u64).into()
    })
}

/// A place to write to: a file, or standard output. It is made before the work, so that a place
/// that cannot be is said first.
#[derive(Debug)]
pub(crate) struct Output {
    /// As the user named it; `-` is standard output.
    path: PathBuf,
    /// The file itself, behind symbolic links; none for standard output.
    target: Option<PathBuf>,
    format: OutputFormat,
}

/// What was written, as `--format json` tells it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Written {
    /// The file, as the user named it.
    file: String,
    /// How many bytes it has.
    bytes: usize,
}

impl Output {
    /// A place for what is made from `sources`.
    ///
    /// # Errors
    /// When there is no such folder, a folder stands there, or it is one of the sources; and when
    /// it is standard output, where `--format json` writes its object.
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
        // A file that is not there yet has one name as well.
        let new = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
        let target = path.canonicalize().ok().or_else(new).unwrap_or_else(|| path.to_owned());
        // Devices and pipes can be both.
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

    /// Standard output.
    pub(crate) fn stdout(format: OutputFormat) -> Self {
        Self { path: PathBuf::from("-"), target: None, format }
    }

    /// As [`Output::new`], and standard output where no path is given.
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

    /// Checks that no two of several places are the same file, of which only the last would be
    /// left.
    ///
    /// # Errors
    /// At the second of two that are.
    pub(crate) fn all_differ<'a>(outputs: impl Iterator<Item = &'a Self>) -> Result<(), Box<Diagnostic>> {
        let mut seen = HashSet::new();
        for output in outputs {
            let Some(target) = &output.target else { continue };
            // Devices and pipes take everything.
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

    /// Whether it is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        self.target.is_none()
    }

    /// Writes the whole, and says so to a person.
    ///
    /// # Errors
    /// When it cannot be written. Then the file is as before.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<Written, Box<Diagnostic>> {
        self.write_with(|to| to.write_all(bytes))
    }

    /// As [`Output::write`], with a function that writes piece by piece.
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

/// Writes a file that is made from `sources`, whose name is the command's result, and so says
/// nothing about it; folders on the way are made.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write_named(path: &Path, sources: &[&Path], bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    make_folder(path.parent().unwrap_or(Path::new(".")))?;
    Output::new(path, sources, OutputFormat::Json)?.write(bytes).map(|_| ())
}

/// Makes a folder for output, and those around it.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Box<Diagnostic>> {
    std::fs::create_dir_all(folder).map_err(|error| write_problem(folder, format!("cannot be made: {error}")))
}

fn write_problem(path: &Path, message: impl Into<String>) -> Box<Diagnostic> {
    Diagnostic::new("file-write", Severity::Error, shown(path, "stdout"), message).into()
}

fn write_file(target: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<usize> {
    let old = match target.metadata() {
        // A device or a pipe takes bytes; it must not be replaced by a file.
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
    // Not those of a secret, which are the default of temporary files.
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

/// Counts what goes through.
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

/// Standard output by [`out_bytes`], which keeps its errors for the end.
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
