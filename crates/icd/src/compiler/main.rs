//! Process that runs the vendor's compiler. Standard input is a socket: requests arrive there, and
//! responses go there. A crash of the compiler ends only this process.
//!
//! `visakit-oclc --check` lists the installed compilers on standard output.

mod limits;

mod stay;

mod opened;

mod invoke;

mod libraries;

mod builds;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use visakit_runtime::vendor::dependency;
use visakit_runtime::vendor::request::{Installed, joined};

fn main() -> ExitCode {
    let is_check = std::env::args().nth(1).as_deref() == Some("--check");
    match if is_check { check() } else { serve() } {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed.
            let _ = writeln!(io::stderr(), "visakit-oclc: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints the installed compilers. Everything that they print goes to standard error.
fn check() -> io::Result<()> {
    // SAFETY: the calls take and return file descriptors; nothing else uses the new one.
    let mut answer = unsafe {
        let answer = libc::dup(1);
        libc::dup2(2, 1);
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        File::from_raw_fd(answer)
    };
    answer.write_all(&Installed::to_bytes(&libraries::installed()))
}

/// Serves requests until the host program ends, or sends none for some time.
fn serve() -> io::Result<()> {
    stay::close_others();
    // SAFETY: standard input is a socket that nothing else uses.
    let mut host = unsafe { UnixStream::from_raw_fd(0) };
    let mut order = builds::receive(&mut host)?;
    let loaded = libraries::load_all(&order.request.library);
    let (invoke, _) = loaded.ok_or_else(|| io::Error::other("the compiler cannot be loaded"))?;
    let files = libraries::loaded();
    stay::detach()?;
    let mut last = None;
    loop {
        let (status, response) = builds::answer(&mut last, &host, invoke, &order)?;
        host.write_all(&joined(&[&status.to_le_bytes(), &response]))?;
        if !stay::wait(&host) {
            return Ok(());
        }
        order = builds::receive(&mut host)?;
        // A new release of the compiler needs a new process.
        if !dependency::are_current(&files, dependency::stamp) {
            return Ok(());
        }
    }
}
