//! Process that runs the vendor's compiler. Standard input is a socket: requests arrive there, and
//! responses go there. A crash of the compiler ends only this process.
//!
//! `visakit-oclc` ends after one request, and `visakit-oclc --stay` stays for later ones.
//! `visakit-oclc --check` lists the installed compilers on standard output.

mod limits;

mod stay;

mod opened;

mod invoke;

mod libraries;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use invoke::run;
use limits::Limits;
use visakit_runtime::vendor::pool::STAY;
use visakit_runtime::vendor::request::{Installed, Request, put_bytes, take_bytes};

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    match if argument == "--check" { check() } else { serve(argument == STAY) } {
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

/// Serves the first request, and later ones if the process stays.
fn serve(stays: bool) -> io::Result<()> {
    stay::close_others();
    // SAFETY: standard input is a socket that nothing else uses.
    let mut host = unsafe { UnixStream::from_raw_fd(0) };
    limits::end_with_parent();
    let mut limits = Limits::new();
    let mut request = next(&mut host)?;
    let loaded = libraries::load_all(&request.library);
    let (invoke, _) = loaded.ok_or_else(|| io::Error::other("the compiler cannot be loaded"))?;
    let mut is_copy = false;
    loop {
        limits.set(&request);
        let mut response = run(invoke, &request)?;
        // SAFETY: the call writes what the compiler has printed.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        response.loaded = libraries::loaded();
        response.back_end = libraries::back_end_version().unwrap_or_default();
        stay::end_with(&host, false);
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, &response.to_bytes());
        host.write_all(&bytes)?;
        if !stays || !stay::may_stay(&request, &response) {
            return Ok(());
        }
        if !std::mem::replace(&mut is_copy, true) {
            stay::detach()?;
            limits.was_copied();
        }
        if !stay::wait(&host) {
            return Ok(());
        }
        request = next(&mut host)?;
        if !stay::is_current(&response) {
            return Ok(());
        }
        stay::end_with(&host, true);
    }
}

/// Receives a request and enters its folder.
fn next(host: &mut UnixStream) -> io::Result<Request> {
    let folder = take_bytes(host)?;
    std::env::set_current_dir(OsStr::from_bytes(&folder))?;
    Request::read(&mut take_bytes(host)?.as_slice())
}
