//! Limits of a build: it ends with the program that wants it, and takes no more processor time than
//! it may.

use visakit_zebin::ocloc;

use crate::request::Request;

/// Ends of the names of files that are not OpenCL C.
const MODULES: [&str; 2] = [".spv", ".bc"];

/// Sets the limits of this process for a request.
pub(crate) fn set(request: &Request) {
    // SAFETY: the call asks for a signal when the parent ends.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    let is_module = request.sources.iter().any(|(name, _)| MODULES.iter().any(|end| name.ends_with(end)));
    let bytes = request.sources.iter().map(|(_, bytes)| bytes.len()).sum();
    let Some(seconds) = ocloc::seconds(is_module.then_some(bytes)) else { return };
    // The second limit ends a process that the signal of the first does not end.
    let limit = libc::rlimit { rlim_cur: seconds, rlim_max: seconds.saturating_add(5) };
    // SAFETY: the structure is there for the call. Without the limit the build goes on.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
}
