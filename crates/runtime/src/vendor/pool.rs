//! Compiler processes: one is started for a request and stays for the next ones.
//!
//! To start a process and to load the compiler takes as long as a small build. A process that
//! stays is no longer a child of the host program, which may wait for all its children, and ends
//! with it or when it has had nothing to do for some seconds. Only a new process is trusted to
//! fail: if one that stayed ends without a response, a new one gets the request.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Mutex;

use crate::vendor::process::Process;
use crate::vendor::request::{Request, Response};

/// Argument of the compiler's program: the process stays after its first response.
pub const STAY: &str = "--stay";

/// Variable of the GNU C library that tunes its allocator.
const TUNABLES: &str = "GLIBC_TUNABLES";

/// Processes that wait for a request.
static IDLE: Mutex<Vec<(Kind, Process)>> = Mutex::new(Vec::new());

/// What must agree so that a process started for one request can serve another.
#[derive(PartialEq, Eq)]
struct Kind {
    /// Process of the host program: a process that a fork has copied belongs to the parent.
    owner: u32,
    /// Effective user and group, which decide what files may be read.
    user: (libc::uid_t, libc::gid_t),
    /// Compiler; see `Compiler::identity`.
    identity: String,
    library: String,
    /// The compiler reads settings from the environment.
    environment: Vec<(OsString, OsString)>,
}

/// Result of a request.
pub struct Answer {
    /// Response; `None` if the process ended without one.
    pub response: Option<Response>,
    /// What the process printed.
    pub log: Vec<u8>,
    /// Exit status; `None` if the process stays, or the host program has collected the status or
    /// ignores its children.
    pub status: Option<ExitStatus>,
}

/// Runs the compiler for a request. `program` runs it, and `identity` is the compiler's. The
/// compiler works in `folder`.
///
/// # Errors
/// Fails if no process can be started.
pub fn run(program: &Path, identity: &str, folder: &Path, request: &Request) -> io::Result<Answer> {
    use std::os::unix::ffi::OsStrExt;
    let messages = [folder.as_os_str().as_bytes(), &request.to_bytes()];
    let kind = Kind::new(identity, &request.library);
    while let Some(mut process) = take(&kind) {
        if let Some(response) = exchange(&mut process, &messages) {
            let log = process.log();
            put(kind, process);
            return Ok(Answer { response: Some(response), log, status: None });
        }
    }
    let mut command = Command::new(program);
    command.arg(STAY).env(TUNABLES, tunables());
    let (mut process, mut child) = Process::start(command)?;
    let response = exchange(&mut process, &messages);
    // A process that stays is a copy of this one, which ends.
    let status = child.wait().ok();
    let log = process.log();
    if response.is_some() {
        put(kind, process);
    }
    Ok(Answer { response, log, status })
}

fn exchange(process: &mut Process, messages: &[&[u8]]) -> Option<Response> {
    let bytes = process.exchange(messages).ok()?;
    Response::read(&mut bytes.as_slice()).ok()
}

/// Takes an idle process of a kind. Drops those that have ended, and those of another owner.
fn take(kind: &Kind) -> Option<Process> {
    // After a fork, the lock may belong to a thread that does not exist.
    let mut idle = IDLE.try_lock().ok()?;
    idle.retain(|(own, process)| own.owner == kind.owner && process.is_open());
    let at = idle.iter().position(|(own, _)| own == kind)?;
    Some(idle.swap_remove(at).1)
}

/// Keeps a process for later requests.
fn put(kind: Kind, process: Process) {
    if let Ok(mut idle) = IDLE.try_lock() {
        idle.push((kind, process));
    }
}

impl Kind {
    fn new(identity: &str, library: &str) -> Self {
        Self {
            owner: std::process::id(),
            // SAFETY: the calls take no arguments and cannot fail.
            user: unsafe { (libc::geteuid(), libc::getegid()) },
            identity: identity.to_owned(),
            library: library.to_owned(),
            environment: std::env::vars_os().collect(),
        }
    }
}

/// Returns the environment's tunables and the one for huge pages, without which small builds spend
/// a seventh of their time in page faults. C libraries that do not know it ignore it.
fn tunables() -> OsString {
    let mut list = std::env::var_os(TUNABLES).unwrap_or_default();
    list.push(if list.is_empty() { "" } else { ":" });
    list.push("glibc.malloc.hugetlb=1");
    list
}
