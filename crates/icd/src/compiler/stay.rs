//! Process that has loaded the compiler and stays to serve the requests of its host program.
//!
//! It builds in copies of itself. It is not a child of the host program, which may wait for all its
//! children, holds no file of the host program, and ends with it.

use std::io::{self, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

use visakit_runtime::vendor::request::take_bytes;

/// Milliseconds for which a process waits for a request before it ends.
const IDLE: libc::c_int = 5000;

/// Closes the files that the host program had open and did not mean for this process: the other
/// end of a pipe would never see its end.
pub(crate) fn close_others() {
    // SAFETY: the program has opened no file yet. Older kernels lack the call, and the process then
    // keeps the files until it ends.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
}

/// Continues in a copy of this process, which ends.
pub(crate) fn detach() -> io::Result<()> {
    match fork()? {
        0 => Ok(()),
        _ => exit(0),
    }
}

/// Waits for a request. Returns false if none came in time, or if the host program has ended.
pub(crate) fn wait(host: &UnixStream) -> bool {
    let [host] = poll([(host.as_raw_fd(), libc::POLLIN)], IDLE);
    host & libc::POLLIN != 0
}

/// Copy of this process.
pub(crate) struct Copy {
    process: libc::pid_t,
    socket: UnixStream,
}

/// Starts a copy, which runs `serve` with its end of a socket, and ends.
pub(crate) fn start(serve: impl FnOnce(UnixStream) -> io::Result<()>) -> io::Result<Copy> {
    let (socket, theirs) = UnixStream::pair()?;
    let process = fork()?;
    if process == 0 {
        drop(socket);
        match serve(theirs) {
            Ok(()) => exit(0),
            Err(error) => {
                let _ = writeln!(io::stderr(), "visakit-oclc: {error}");
                exit(2)
            }
        }
    }
    Ok(Copy { process, socket })
}

/// Sends a request to a copy. Returns the answer; `None` if the copy ends without one. If the host
/// program ends, all its processes do.
pub(crate) fn ask(copy: &mut Copy, host: &UnixStream, request: &[u8]) -> Option<Vec<u8>> {
    copy.socket.write_all(request).ok()?;
    let files = [(host.as_raw_fd(), 0), (copy.socket.as_raw_fd(), libc::POLLIN)];
    let (mut ended, mut output) = (0, 0);
    while (ended, output) == (0, 0) {
        [ended, output] = poll(files, -1);
    }
    if ended != 0 {
        // The copy ends with this process.
        exit(0);
    }
    take_bytes(&mut copy.socket).ok()
}

/// Waits for the end of a copy, which receives no further request. Returns the status of `waitpid`.
pub(crate) fn end(copy: Copy) -> io::Result<libc::c_int> {
    drop(copy.socket);
    let mut status = 0;
    // SAFETY: the number lives during the call.
    while unsafe { libc::waitpid(copy.process, &raw mut status, 0) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(status)
}

/// Ends this process. Destructors are skipped: copies may need what they would remove.
fn exit(code: libc::c_int) -> ! {
    // SAFETY: the call ends the process.
    unsafe { libc::_exit(code) }
}

/// Copies this process, which has one thread. Returns 0 in the copy.
fn fork() -> io::Result<libc::pid_t> {
    // SAFETY: no other thread holds a lock.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        process => Ok(process),
    }
}

/// Waits for events of files. Returns them; none after some milliseconds.
fn poll<const N: usize>(files: [(RawFd, libc::c_short); N], milliseconds: libc::c_int) -> [libc::c_short; N] {
    let mut entries = files.map(|(fd, events)| libc::pollfd { fd, events, revents: 0 });
    // SAFETY: the list has that many entries.
    unsafe { libc::poll(entries.as_mut_ptr(), N as libc::nfds_t, milliseconds) };
    entries.map(|entry| entry.revents)
}
