//! Child processes that exchange messages: byte strings with a length, over a socket that is the
//! child's standard input. A child may end early, or not read its input.
//!
//! The host program keeps control of its signals and children. This module never raises `SIGPIPE`,
//! and an exit status that was already collected is not an error.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use crate::base::storage::anonymous_file;
use crate::vendor::request::{joined, take_bytes};

/// Running process.
pub struct Process {
    socket: UnixStream,
    /// File in memory that receives standard output and standard error. A pipe would have to be
    /// read while the process works.
    log: File,
}

/// Returns what a command prints to standard output. Standard error is discarded.
///
/// # Errors
/// Fails if the command cannot be started, or its output does not fit into memory.
pub fn output(mut command: Command) -> io::Result<Vec<u8>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut bytes = Vec::new();
    let read = child.stdout.take().map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut bytes));
    // The pipe is closed, which ends a child that still prints.
    let _ = child.wait();
    read.map(|_| bytes)
}

impl Process {
    /// Starts a command.
    ///
    /// # Errors
    /// Fails if the command cannot be started.
    pub fn start(mut command: Command) -> io::Result<(Self, Child)> {
        let (socket, theirs) = UnixStream::pair()?;
        let log = log_file()?;
        command.stdin(OwnedFd::from(theirs)).stdout(log.try_clone()?).stderr(log.try_clone()?);
        let child = command.spawn()?;
        // The child's end of the socket is dropped with the command.
        Ok((Self { socket, log }, child))
    }

    /// Sends messages and receives others.
    ///
    /// # Errors
    /// Fails if the process ends without an answer, or the answer does not fit into memory.
    pub fn exchange<const N: usize>(&mut self, messages: &[&[u8]]) -> io::Result<[Vec<u8>; N]> {
        self.send(&joined(messages));
        let mut answer = [const { Vec::new() }; N];
        for message in &mut answer {
            *message = take_bytes(&mut self.socket)?;
        }
        Ok(answer)
    }

    /// Returns what the process has printed since the last call.
    pub fn take_log(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let read = self.log.seek(SeekFrom::Start(0)).and_then(|_| self.log.read_to_end(&mut bytes));
        let emptied = read.and_then(|_| self.log.set_len(0));
        emptied.map(|()| bytes).unwrap_or_default()
    }

    /// Returns true if the process has not closed its end.
    pub fn is_open(&self) -> bool {
        let mut byte = 0_u8;
        let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
        // SAFETY: the byte lives during the call.
        let found = unsafe { libc::recv(self.socket.as_raw_fd(), (&raw mut byte).cast(), 1, flags) };
        found < 0 && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock
    }

    /// Sends bytes as far as the process reads them: it may answer, or print why it cannot, without
    /// reading everything. Raises no signal if the process has ended.
    fn send(&self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: the bytes live during the call.
            let sent = unsafe {
                libc::send(self.socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL)
            };
            match usize::try_from(sent) {
                Ok(sent) => bytes = &bytes[sent.min(bytes.len())..],
                Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}

/// Creates a file in memory. Every write appends to it.
fn log_file() -> io::Result<File> {
    let file = anonymous_file(0).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the call takes an open file and numbers.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a script with a message. Returns its answer, its log, and its exit status.
    fn shell(script: &str, message: &[u8]) -> (io::Result<Vec<u8>>, Vec<u8>, std::process::ExitStatus) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let (mut process, mut child) = Process::start(command).unwrap();
        let answer = process.exchange(&[message]).map(|[answer]| answer);
        let status = child.wait().unwrap();
        (answer, process.take_log(), status)
    }

    /// Children that end before they read, print before they read, print without reading, print
    /// only a part of an answer, and answer.
    #[test]
    fn processes_may_do_what_they_like() {
        // As in a C program; Rust programs ignore the signal by default. SAFETY: the default action
        // is valid for this signal.
        let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        let much = vec![b'x'; 3 << 20];
        let (answer, log, status) = shell("echo no >&2; exit 7", &much);
        assert_eq!((log.as_slice(), status.code()), (&b"no\n"[..], Some(7)));
        assert!(answer.is_err());
        let (answer, log, _) = shell("exec <&-; echo yes", &much);
        assert!(answer.is_err() && log == b"yes\n");
        let print = "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; head -c 3145736 | wc -c";
        let (answer, log, _) = shell(print, &much);
        assert!(answer.is_err() && log.len() == 600_000 + 8 && log.ends_with(b"3145736\n"));
        assert!(shell("printf '\\2\\0\\0\\0\\0\\0\\0\\0a' >&0", &[]).0.is_err());
        let (answer, log, _) = shell("echo z; printf '\\2\\0\\0\\0\\0\\0\\0\\0ab' >&0", &much);
        assert_eq!((answer.unwrap(), log), (b"ab".to_vec(), b"z\n".to_vec()));
        let killed = shell("kill -9 $$", &much).2;
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&killed), Some(9));
        assert!(Process::start(Command::new("/nonexistent")).is_err());
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGPIPE, before) };
    }

    /// A process that stays answers several messages, each with a separate log.
    #[test]
    fn processes_may_stay() {
        let mut command = Command::new("sh");
        let answer = "head -c 9 >/dev/null; echo log; printf '\\1\\0\\0\\0\\0\\0\\0\\0a' >&0; ";
        command.args(["-c", &answer.repeat(2)]);
        let (mut process, mut child) = Process::start(command).unwrap();
        for _ in 0..2 {
            assert!(process.is_open());
            assert_eq!(process.exchange(&[b"x"]).unwrap(), [b"a"]);
            assert_eq!(process.take_log(), b"log\n");
        }
        child.wait().unwrap();
        // A process that another test starts has a copy of the other end for a moment.
        assert!(process.exchange::<1>(&[b"x"]).is_err() && !process.is_open());
    }

    #[test]
    fn standard_output_is_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo error >&2; exit 3"]);
        assert_eq!(output(command).unwrap(), b"out\n");
        assert!(output(Command::new("/nonexistent")).is_err());
    }
}
