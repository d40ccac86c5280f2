//! Child processes that exchange bytes. A child may end early, or not read its input.
//!
//! The host program keeps control of its signals and children. This module never raises `SIGPIPE`,
//! and an exit status that was already collected is not an error.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitStatus, Stdio};

/// Size of a read in bytes.
const CHUNK: usize = 1 << 16;

/// Output of a process.
#[derive(Debug, Default)]
pub struct Output {
    /// Bytes of standard output.
    pub stdout: Vec<u8>,
    /// Bytes of standard error.
    pub stderr: Vec<u8>,
    /// Exit status; `None` if the host program has collected it or ignores its children.
    pub status: Option<ExitStatus>,
}

/// Runs a command with `input` as its standard input.
///
/// # Errors
/// Fails if it cannot be started, or its output does not fit into memory.
pub fn run(mut command: Command, input: &[u8]) -> io::Result<Output> {
    // Input is sent through a socket, because writing to a pipe without a reader raises a signal.
    let (own, theirs) = UnixStream::pair()?;
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // From now on only the child has the other end of the socket.
    drop(command);
    let mut output = Output::default();
    let mut input = (!input.is_empty()).then_some((own, input));
    let mut stdout = child.stdout.take();
    let mut stderr = child.stderr.take();
    let mut result = Ok(());
    while result.is_ok() && (stdout.is_some() || stderr.is_some()) {
        let wanted = [
            entry(input.as_ref().map(|(own, _)| own.as_raw_fd()), libc::POLLOUT),
            entry(stdout.as_ref().map(AsRawFd::as_raw_fd), libc::POLLIN),
            entry(stderr.as_ref().map(AsRawFd::as_raw_fd), libc::POLLIN),
        ];
        result = wait(wanted).and_then(|[may_write, has_output, has_errors]| {
            if may_write {
                send(&mut input);
            }
            if has_output {
                receive(&mut stdout, &mut output.stdout)?;
            }
            if has_errors {
                receive(&mut stderr, &mut output.stderr)?;
            }
            Ok(())
        });
    }
    drop((input, stdout, stderr));
    // Closing the pipes ends a child that still prints.
    output.status = child.wait().ok();
    result.map(|()| output)
}

/// Returns the `poll` entry of a file; negative descriptors are skipped.
fn entry(file: Option<RawFd>, events: libc::c_short) -> libc::pollfd {
    libc::pollfd { fd: file.unwrap_or(-1), events, revents: 0 }
}

/// Waits until one of the files is ready.
fn wait<const N: usize>(mut files: [libc::pollfd; N]) -> io::Result<[bool; N]> {
    // SAFETY: the list has that many entries.
    while unsafe { libc::poll(files.as_mut_ptr(), N as libc::nfds_t, -1) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(files.map(|file| file.revents != 0))
}

/// Sends as much input as the child accepts. Closes the socket at the end of the input, or when the
/// child stops reading.
fn send(input: &mut Option<(UnixStream, &[u8])>) {
    let Some((own, rest)) = input else { return };
    let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
    // SAFETY: the bytes live during the call.
    let sent = unsafe { libc::send(own.as_raw_fd(), rest.as_ptr().cast(), rest.len(), flags) };
    match usize::try_from(sent) {
        Ok(sent) => *rest = &rest[sent.min(rest.len())..],
        Err(_) => match io::Error::last_os_error().kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => return,
            _ => *rest = &[],
        },
    }
    if rest.is_empty() {
        *input = None;
    }
}

/// Reads the available output; closes the file at its end.
fn receive(from: &mut Option<impl Read>, to: &mut Vec<u8>) -> io::Result<()> {
    let Some(file) = from else { return Ok(()) };
    let mut chunk = [0; CHUNK];
    match file.read(&mut chunk) {
        Ok(0) => *from = None,
        Ok(count) => {
            to.try_reserve(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
            to.extend_from_slice(&chunk[..count]);
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// A child that ends before it reads, one that prints before it reads, and one that only
    /// prints.
    #[test]
    fn processes_may_do_what_they_like() {
        // As in a C program; Rust programs ignore the signal by default. SAFETY: the default action
        // is valid for this signal.
        let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        let much = vec![b'x'; 3 << 20];
        let early = run(shell("echo no >&2; exit 7"), &much).unwrap();
        assert_eq!((early.stderr.as_slice(), early.status.unwrap().code()), (&b"no\n"[..], Some(7)));
        let closed = run(shell("exec <&-; echo yes"), &much).unwrap();
        assert_eq!(closed.stdout, b"yes\n");
        let first = run(shell("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; cat | wc -c"), &much).unwrap();
        assert_eq!((first.stdout.len(), first.stderr.len()), (300_000 + 8, 300_000));
        assert!(first.stdout.ends_with(b"3145728\n"));
        assert_eq!(run(shell("cat"), &[]).unwrap().stdout, b"");
        let killed = run(shell("kill -9 $$"), &much).unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&killed.status.unwrap()), Some(9));
        assert!(run(Command::new("/nonexistent"), &much).is_err());
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGPIPE, before) };
    }
}
