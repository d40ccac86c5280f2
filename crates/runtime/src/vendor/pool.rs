//! Compiler processes: one is started for a request and stays for later ones.
//!
//! To start a process and to load the compiler takes about a fifth of the time of a small build. A
//! process that stays is no child of the host program, which may wait for all its children. It ends
//! with the host program, or when it has had nothing to do for some seconds.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Mutex;

use crate::vendor::process::Process;
use crate::vendor::request::Response;

/// Variable of the GNU C library that tunes its allocator.
const TUNABLES: &str = "GLIBC_TUNABLES";

/// Processes that wait for a request.
static IDLE: Mutex<Vec<(Kind, Process)>> = Mutex::new(Vec::new());

/// Properties that a request and an idle process must share.
#[derive(PartialEq, Eq)]
struct Kind {
    /// Process of the host program: a process that a fork has copied belongs to the parent.
    owner: u32,
    /// Effective user and group, which decide what files may be read.
    user: (libc::uid_t, libc::gid_t),
    /// Compiler; see `Compiler::identity`.
    identity: String,
    /// The compiler reads settings from the environment.
    environment: Vec<(OsString, OsString)>,
}

/// Result of a request.
pub struct Answer {
    /// Response; `None` if the build ended without one.
    pub response: Option<Response>,
    /// Text that the process printed.
    pub log: Vec<u8>,
    /// Exit status of the build; `None` if it is unknown.
    pub status: Option<ExitStatus>,
}

/// Runs the compiler for a serialised request. `program` runs it, and `identity` is the compiler's.
/// The compiler works in `folder`.
///
/// # Errors
/// Fails if no process can be started.
pub fn run(program: &Path, identity: &str, folder: &Path, request: &[u8]) -> io::Result<Answer> {
    let messages = [folder.as_os_str().as_bytes(), request];
    let kind = Kind::new(identity);
    // A process may have given up waiting in the meantime.
    while let Some(mut process) = take(&kind) {
        if let Ok(answer) = exchange(&mut process, &messages) {
            put(kind, process);
            return Ok(answer);
        }
    }
    let mut command = Command::new(program);
    command.env(TUNABLES, tunables());
    let (mut process, mut child) = Process::start(command)?;
    let answer = exchange(&mut process, &messages);
    // The process that stays is a copy of the child, which has ended.
    let status = child.wait().ok();
    match answer {
        Ok(answer) => {
            put(kind, process);
            Ok(answer)
        }
        Err(_) => Ok(Answer { response: None, log: process.take_log(), status }),
    }
}

/// Sends a request to a process and receives the answer: the exit status and the response.
fn exchange(process: &mut Process, messages: &[&[u8]]) -> io::Result<Answer> {
    let [status, response] = process.exchange(messages)?;
    let status = status.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
    let status = Some(ExitStatus::from_raw(i32::from_le_bytes(status)));
    Ok(Answer { response: Response::read(&mut response.as_slice()).ok(), log: process.take_log(), status })
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
    fn new(identity: &str) -> Self {
        Self {
            owner: std::process::id(),
            // SAFETY: the calls take no arguments and cannot fail.
            user: unsafe { (libc::geteuid(), libc::getegid()) },
            identity: identity.to_owned(),
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
