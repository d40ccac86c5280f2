//! Process that stays after its first response, to serve later requests of its host program.
//!
//! It is a copy of the process that the host program started. So it is not a child of the host
//! program, which may wait for all its children. It holds no file of the host program, and ends
//! with it.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

use visakit_runtime::vendor::dependency;
use visakit_runtime::vendor::request::{Request, Response};

/// Milliseconds for which a process waits for a request before it ends.
const IDLE: libc::c_int = 5000;
/// Maximum memory in KiB of a process that stays.
const MOST_KIB: libc::c_long = 512 << 10;

/// Words in the options of builds whose settings the compiler keeps for later builds.
const SETTINGS: [&str; 5] = ["igc_opts", "llvm", "vc-codegen", "cmc", "finalizer"];

/// Returns true if the process may serve other requests: the build has succeeded, its options leave
/// nothing behind, and the process is not large.
pub(crate) fn may_stay(request: &Request, response: &Response) -> bool {
    let is_set = |argument: &String| SETTINGS.iter().any(|word| argument.contains(word));
    // SAFETY: all fields may be zero, and the structure lives during the call.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut used);
        used
    };
    response.code == 0 && !request.arguments.iter().any(is_set) && used.ru_maxrss < MOST_KIB
}

/// Returns true if the compiler's files are the ones that this process has loaded.
pub(crate) fn is_current(last: &Response) -> bool {
    dependency::are_current(&last.loaded, dependency::stamp)
}

/// Closes the files that the host program had open and did not mean for this process: the other
/// end of a pipe would never see its end.
pub(crate) fn close_others() {
    // SAFETY: the program has opened no file yet. Older kernels lack the call, and the process then
    // keeps the files until it ends.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
}

/// Continues in a copy of this process, which ends.
pub(crate) fn detach() -> io::Result<()> {
    // SAFETY: the process has one thread.
    match unsafe { libc::fork() } {
        0 => Ok(()),
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: the call ends the process. Destructors are skipped: the copy may need what they
        // would remove.
        _ => unsafe { libc::_exit(0) },
    }
}

/// Waits for a request or for the end of the host program. Returns false if none came in time.
pub(crate) fn wait(host: &UnixStream) -> bool {
    poll(host.as_raw_fd(), libc::POLLIN, IDLE) & libc::POLLIN != 0
}

/// Ends this process during a build if the host program ends: a signal tells that the socket was
/// closed.
pub(crate) fn end_with(host: &UnixStream, is_building: bool) {
    let file = host.as_raw_fd();
    // SAFETY: the calls take numbers. The default action of the signal ends the process.
    unsafe {
        libc::signal(libc::SIGIO, libc::SIG_DFL);
        libc::fcntl(file, libc::F_SETOWN, libc::getpid());
        let flags = libc::fcntl(file, libc::F_GETFL) & !libc::O_ASYNC;
        libc::fcntl(file, libc::F_SETFL, if is_building { flags | libc::O_ASYNC } else { flags });
    }
    // The socket may have been closed before.
    if is_building && poll(file, 0, 0) & libc::POLLHUP != 0 {
        // SAFETY: the call ends the process.
        unsafe { libc::_exit(0) };
    }
}

/// Returns the events of a file; none after some milliseconds.
fn poll(file: RawFd, events: libc::c_short, milliseconds: libc::c_int) -> libc::c_short {
    let mut entry = libc::pollfd { fd: file, events, revents: 0 };
    // SAFETY: the list has one entry.
    unsafe { libc::poll(&raw mut entry, 1, milliseconds) };
    entry.revents
}
