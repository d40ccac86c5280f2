//! Limits of a build: it ends with the program that requested it, and its processor time is
//! limited.

use visakit_zebin::ocloc;

use visakit_runtime::vendor::request::Request;

/// Suffixes of the names of files that are not OpenCL C.
const MODULES: [&str; 2] = [".spv", ".bc"];

/// Applies the limits of a request to this process.
pub(crate) fn set(request: &Request) {
    // SAFETY: the call requests a signal when the parent process ends.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    let is_module = request.sources.iter().any(|(name, _)| MODULES.iter().any(|end| name.ends_with(end)));
    let bytes = request.sources.iter().map(|(_, bytes)| bytes.len()).sum();
    let Some(seconds) = ocloc::seconds(is_module.then_some(bytes)) else { return };
    // The hard limit ends a process that survives the signal of the soft limit.
    let limit = libc::rlimit { rlim_cur: seconds, rlim_max: seconds.saturating_add(5) };
    // SAFETY: the structure lives during the call. If the call fails, the build continues without a
    // limit.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
}
