//! Process that runs the vendor's compiler. A request arrives on standard input, and the response
//! goes to standard output. A crash of the compiler ends only this process.
//!
//! `visakit-oclc --check` lists the installed compilers.

mod limits;

mod opened;

mod invoke;

mod libraries;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::process::ExitCode;

use invoke::run;
use visakit_runtime::vendor::request::{Installed, Request};

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

/// Returns standard output for the response. Everything that the compiler prints goes to standard
/// error instead.
fn answer() -> io::Result<File> {
    // SAFETY: the calls take and return file descriptors; nothing else uses the new one.
    unsafe {
        let answer = libc::dup(1);
        libc::dup2(2, 1);
        if answer < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from_raw_fd(answer))
    }
}

fn check() -> io::Result<()> {
    let mut answer = answer()?;
    answer.write_all(&Installed::to_bytes(&libraries::installed()))
}

fn serve() -> io::Result<()> {
    let mut answer = answer()?;
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let request = Request::read(&mut bytes.as_slice())?;
    limits::set(&request);
    let loaded = libraries::load_all(&request.library);
    let (invoke, _) = loaded.ok_or_else(|| io::Error::other("the compiler cannot be loaded"))?;
    let mut response = run(invoke, &request)?;
    response.loaded = libraries::loaded();
    response.back_end = libraries::back_end_version().unwrap_or_default();
    answer.write_all(&response.to_bytes())
}
