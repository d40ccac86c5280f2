//! Builds in copies of this process.
//!
//! A crash, the settings of a build, and the number by which the compiler names a source must not
//! reach the next build. A copy continues with another build only if their arguments are equal and
//! neither shows that number. What fails or prints a message in a used copy is repeated in a new
//! one. A new copy costs a quarter of a small build, for page faults.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use visakit_runtime::vendor::log::messages;
use visakit_runtime::vendor::request::{Request, Response, joined, take_bytes};

use crate::invoke::{Invoke, run};
use crate::libraries::{self, places};
use crate::limits;
use crate::stay::{self, Copy};

/// Processor time after which a copy ends. The compiler does not free all memory of a build, and
/// the limit of a build's time includes the builds before it.
const USED: Duration = Duration::from_secs(1);

/// Words of texts by which a program can show the number of its source.
const NUMBERED: [&str; 2] = ["__FILE__", "include"];
/// Option for debug information, which has the number.
const DEBUG: &str = "-g";

/// Build that the host program orders.
pub(crate) struct Order {
    /// Folder to work in.
    folder: OsString,
    pub(crate) request: Request,
}

/// Receives an order.
pub(crate) fn receive(from: &mut UnixStream) -> io::Result<Order> {
    let folder = OsString::from_vec(take_bytes(from)?);
    Ok(Order { folder, request: Request::read(&mut take_bytes(from)?.as_slice())? })
}

/// Executes an order in the last copy or in a new one, which becomes the last. Returns the status
/// of `waitpid` and the response in bytes, empty if the build has failed.
pub(crate) fn answer(
    last: &mut Option<Copy>,
    host: &UnixStream,
    invoke: Invoke,
    order: &Order,
) -> io::Result<(libc::c_int, Vec<u8>)> {
    let message = joined(&[order.folder.as_bytes(), &order.request.to_bytes()]);
    if let Some(copy) = last {
        if let Some(response) = stay::ask(copy, host, &message) {
            return Ok((0, response));
        }
        last.take().map(stay::end).transpose()?;
        // What that copy has printed will be printed again. SAFETY: the call takes numbers.
        unsafe { libc::ftruncate(libc::STDOUT_FILENO, 0) };
    }
    let mut copy = stay::start(|host| serve(host, invoke))?;
    match stay::ask(&mut copy, host, &message) {
        Some(response) => {
            *last = Some(copy);
            Ok((0, response))
        }
        None => Ok((stay::end(copy)?, Vec::new())),
    }
}

/// Executes orders in a copy, which ends before one that it must not execute.
fn serve(mut host: UnixStream, invoke: Invoke) -> io::Result<()> {
    let mut order = receive(&mut host)?;
    let is_alone = is_numbered(&order.request);
    let mut is_first = true;
    loop {
        let response = build(invoke, &order)?;
        let is_silent = response.code == 0 && messages(&response).is_empty();
        let goes_on = is_silent && !is_alone && used() < USED;
        if is_first || is_silent {
            host.write_all(&joined(&[&response.to_bytes()]))?;
        }
        // An error is the end of this process's work.
        let Some(next) = goes_on.then(|| receive(&mut host).ok()).flatten() else { return Ok(()) };
        if next.request.arguments != order.request.arguments || is_numbered(&next.request) {
            return Ok(());
        }
        (order, is_first) = (next, false);
    }
}

/// Executes an order.
fn build(invoke: Invoke, order: &Order) -> io::Result<Response> {
    limits::set(&order.request);
    std::env::set_current_dir(&order.folder)?;
    let mut response = run(invoke, &order.request)?;
    // SAFETY: the call writes what the compiler has printed.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    response.loaded = libraries::loaded();
    response.back_end = libraries::back_end_version().unwrap_or_default();
    Ok(response)
}

/// Returns true if a build may show the number of its source.
fn is_numbered(request: &Request) -> bool {
    let is_shown = |bytes: &[u8]| NUMBERED.iter().any(|word| places(bytes, word.as_bytes()).next().is_some());
    let mut files = request.sources.iter().chain(&request.headers).map(|(_, bytes)| bytes.as_slice());
    request.arguments.iter().any(|argument| argument.contains(DEBUG)) || files.any(is_shown)
}

/// Returns the processor time that this process has used.
fn used() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives during the call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
