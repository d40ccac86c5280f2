//! Specifications in a revision of a git repository: the operand `git:REV:PATH`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::report::problem;
use visakit_codegen::limits::{FILES, PAGE_BYTES};
use visakit_codegen::model::Page;
use visakit_diag::Diagnostic;

/// Beginning of an operand that names a revision.
const PREFIX: &str = "git:";

/// Pages and files at a path of a revision.
pub(super) enum Tree {
    /// Pages of a folder, and the paths of all its files.
    Folder(Vec<Page>, BTreeSet<String>),
    /// Text of a single page.
    Page(String),
}

/// Returns true for an operand that names a revision.
pub(super) fn is_revision(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with(PREFIX))
}

/// Reads the pages at a path of a revision from the repository around the working folder. As in
/// git, the path is relative to the root of the repository, or to the working folder if it begins
/// with `./`.
///
/// # Errors
/// git is missing, or the revision or the path does not exist in the repository.
pub(super) fn read(operand: &Path) -> Result<Tree, Box<Diagnostic>> {
    let named = Named::parse(operand)?;
    match named.kind()?.as_str() {
        "blob" => named.page().map(Tree::Page),
        _ => named.folder().map(|(pages, files)| Tree::Folder(pages, files)),
    }
}

/// Revision that changed a file.
pub(super) struct Revision {
    pub(super) revision: String,
    /// Date of the commit, `YYYY-MM-DD`.
    pub(super) date: String,
    /// First line of the commit's message.
    pub(super) title: String,
}

/// Returns the last revisions that changed a file, newest first.
///
/// # Errors
/// git is missing, or the revision does not exist.
pub(super) fn log(from: &str, file: &Path, limit: u32) -> Result<Vec<Revision>, Box<Diagnostic>> {
    let operand = format!("{PREFIX}{from}:{}", file.display());
    let named = Named::parse(Path::new(&operand))?;
    named.kind()?;
    let file = format!(":(top){}", file.display());
    let limit = format!("--max-count={limit}");
    let form = "--format=%H%x09%cs%x09%s";
    let listed = named.git(["log", "--no-merges", limit.as_str(), form, from, "--", file.as_str()])?;
    let listed = listed.map_err(|why| named.unread(&why))?;
    let revision = |line: &str| {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        Some(Revision { revision: parts.next()?, date: parts.next()?, title: parts.next()? })
    };
    Ok(String::from_utf8_lossy(&listed).lines().filter_map(revision).collect())
}

/// Returns the revision before the oldest one of a log, if the log was cut at its limit.
///
/// # Errors
/// git is missing.
pub(super) fn before(log: &[Revision], limit: u32, file: &Path) -> Result<Option<String>, Box<Diagnostic>> {
    let Some(oldest) = log.last().filter(|_| log.len() >= limit as usize) else { return Ok(None) };
    let operand = format!("{PREFIX}{}:{}", oldest.revision, file.display());
    let named = Named::parse(Path::new(&operand))?;
    let parent = format!("{}^", oldest.revision);
    let found = named.git(["rev-parse", "--verify", "--quiet", parent.as_str()])?;
    Ok(found.ok().map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()))
}

/// Operand in its parts.
struct Named<'a> {
    operand: &'a Path,
    revision: &'a str,
    /// Revision and path, as git names an object.
    object: &'a str,
}

impl<'a> Named<'a> {
    fn parse(operand: &'a Path) -> Result<Self, Box<Diagnostic>> {
        let object = operand.to_str().and_then(|text| text.strip_prefix(PREFIX)).unwrap_or_default();
        let revision = object.split_once(':').map_or("", |(revision, _)| revision);
        if revision.is_empty() || revision.starts_with('-') {
            let found = problem("git-revision", operand, "this does not name a revision and a path");
            let help = "write `git:REV:PATH`, for example `git:main:spec`";
            return Err(found.at_text(&operand.to_string_lossy(), PREFIX.len(), PREFIX.len()).help(help).into());
        }
        Ok(Self { operand, revision, object })
    }

    /// Returns the type of the object.
    fn kind(&self) -> Result<String, Box<Diagnostic>> {
        if let Ok(kind) = self.git(["cat-file", "-t", self.object])? {
            return Ok(String::from_utf8_lossy(&kind).trim().to_owned());
        }
        let (start, end) = (PREFIX.len(), PREFIX.len() + self.revision.len());
        let text = self.operand.to_string_lossy();
        let commit = format!("{}^{{commit}}", self.revision);
        if let Err(why) = self.git(["rev-parse", "--verify", commit.as_str()])? {
            let message = format!("`{}` is no revision: {why}", self.revision);
            let found = problem("git-revision", self.operand, message).at_text(&text, start, end);
            let help = "name a branch, a tag or a commit of the repository around the working folder; \
                        a shallow clone lacks older commits: run `git fetch` first";
            return Err(found.help(help).into());
        }
        let message = format!("`{}` has no such path", self.revision);
        let found = problem("git-path", self.operand, message).at_text(&text, end + 1, text.len());
        let help = "the path is relative to the root of the repository; begin it with `./` for the working folder";
        Err(found.help(help).into())
    }

    fn page(&self) -> Result<String, Box<Diagnostic>> {
        let bytes = self.git(["cat-file", "blob", self.object])?.map_err(|why| self.unread(&why))?;
        String::from_utf8(bytes).map_err(|_| problem("file-text", self.operand, "is no text").into())
    }

    /// Returns the pages of a folder, and the paths of its files. Links are not followed.
    fn folder(&self) -> Result<(Vec<Page>, BTreeSet<String>), Box<Diagnostic>> {
        let listed =
            self.git(["ls-tree", "--full-tree", "-r", "-l", "-z", self.object])?.map_err(|why| self.unread(&why))?;
        let listed = String::from_utf8_lossy(&listed);
        let (mut files, mut pages) = (BTreeSet::new(), Vec::new());
        // MODE TYPE OBJECT SIZE, a tab and the path.
        for (facts, path) in listed.split('\0').filter_map(|entry| entry.split_once('\t')) {
            let facts: Vec<&str> = facts.split_whitespace().collect();
            let &[mode, "blob", object, size] = facts.as_slice() else { continue };
            files.insert(path.to_owned());
            if files.len() > FILES {
                return Err(self.unread(&format!("the folder has more than {FILES} files")));
            }
            if mode.starts_with("100") && path.ends_with(".md") {
                if size.parse::<u64>().is_ok_and(|size| size > PAGE_BYTES) {
                    return Err(self.unread(&format!("{path} has more than {PAGE_BYTES} bytes")));
                }
                pages.push((path, object));
            }
        }
        let objects: String = pages.iter().map(|(_, object)| format!("{object}\n")).collect();
        let texts = self.blobs(objects, pages.len()).map_err(|error| self.unread(&error.to_string()))?;
        let page = |((path, _), text): (&(&str, &str), Vec<u8>)| {
            let shown = format!("{}/{path}", self.operand.display());
            let text = String::from_utf8(text).map_err(|_| problem("file-text", Path::new(&shown), "is no text"))?;
            Ok(Page { path: (*path).to_owned(), shown, text, ..Page::default() })
        };
        let pages = pages.iter().zip(texts).map(page).collect::<Result<Vec<_>, Box<Diagnostic>>>()?;
        if pages.is_empty() {
            return Err(self.unread("the folder has no specification page"));
        }
        Ok((pages, files))
    }

    /// Returns the contents of objects, whose names are given one on each line.
    fn blobs(&self, objects: String, count: usize) -> io::Result<Vec<Vec<u8>>> {
        let mut child = Command::new("git")
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let broken = || io::Error::new(io::ErrorKind::InvalidData, "`git cat-file` gave an unexpected answer");
        let (mut input, output) = (child.stdin.take().ok_or_else(broken)?, child.stdout.take().ok_or_else(broken)?);
        // git answers while it reads, so both pipes must move.
        let writer = std::thread::spawn(move || input.write_all(objects.as_bytes()));
        let mut output = BufReader::new(output);
        let mut read = || -> io::Result<Vec<u8>> {
            let mut head = String::new();
            output.by_ref().take(4096).read_line(&mut head)?;
            let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
            let size = size.filter(|size| *size <= PAGE_BYTES).ok_or_else(broken)?;
            let mut bytes = Vec::new();
            output.by_ref().take(size + 1).read_to_end(&mut bytes)?;
            // A line end follows the contents.
            bytes.pop().filter(|_| bytes.len() as u64 == size).map(|_| ()).ok_or_else(broken)?;
            Ok(bytes)
        };
        let texts = (0..count).map(|_| read()).collect();
        drop(output);
        let _ = writer.join();
        let _ = child.wait();
        texts
    }

    /// Runs git. The inner error is the first line of what git reports.
    fn git<const N: usize>(
        &self,
        arguments: [impl AsRef<OsStr>; N],
    ) -> Result<Result<Vec<u8>, String>, Box<Diagnostic>> {
        let output = Command::new("git").args(arguments).stdin(Stdio::null()).output().map_err(|error| {
            let message = format!("git cannot be run: {error}");
            let help = "install git, or extract the folder of the revision and name it instead";
            Box::new(problem("git-missing", self.operand, message).help(help))
        })?;
        if output.status.success() {
            return Ok(Ok(output.stdout));
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text.lines().next().unwrap_or("git failed");
        Ok(Err(line.strip_prefix("fatal: ").unwrap_or(line).to_owned()))
    }

    fn unread(&self, why: &str) -> Box<Diagnostic> {
        let found = problem("file-read", self.operand, format!("cannot be read: {why}"));
        found.help("name the folder of a specification in a revision, such as `git:main:spec`").into()
    }
}
