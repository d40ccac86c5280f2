//! Process that runs the vendor's compiler. Standard input is a socket: requests arrive there, and
//! responses go there. A crash of the compiler ends only this process.
//!
//! `visakit-oclc --check` lists the installed compilers on standard output.

mod limits;

mod stay;

mod opened;

mod invoke;

mod libraries;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use invoke::{Invoke, run};
use visakit_runtime::vendor::dependency;
use visakit_runtime::vendor::request::{Installed, Request, joined, take_bytes};

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
    let (mut folder, mut request) = receive(&mut host)?;
    let loaded = libraries::load_all(&request.library);
    let (invoke, _) = loaded.ok_or_else(|| io::Error::other("the compiler cannot be loaded"))?;
    let files = libraries::loaded();
    stay::detach()?;
    loop {
        let (status, response) = stay::in_copy(&host, || build(invoke, &folder, &request))?;
        host.write_all(&joined(&[&status.to_le_bytes(), &response]))?;
        if !stay::wait(&host) {
            return Ok(());
        }
        (folder, request) = receive(&mut host)?;
        // A new release of the compiler needs a new process.
        if !dependency::are_current(&files, dependency::stamp) {
            return Ok(());
        }
    }
}

/// Receives a request and the folder to work in.
fn receive(host: &mut UnixStream) -> io::Result<(OsString, Request)> {
    let folder = OsString::from_vec(take_bytes(host)?);
    Ok((folder, Request::read(&mut take_bytes(host)?.as_slice())?))
}

/// Serves a request. Returns the response in bytes.
fn build(invoke: Invoke, folder: &OsStr, request: &Request) -> io::Result<Vec<u8>> {
    limits::set(request);
    std::env::set_current_dir(folder)?;
    let mut response = run(invoke, request)?;
    // SAFETY: the call writes what the compiler has printed.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    response.loaded = libraries::loaded();
    response.back_end = libraries::back_end_version().unwrap_or_default();
    Ok(response.to_bytes())
}
