//! Limits of a build: it ends with the program that requested it, and its processor time is
//! limited.

use visakit_zebin::ocloc;

use visakit_runtime::vendor::request::Request;

/// Suffixes of the names of files that are not OpenCL C.
const MODULES: [&str; 2] = [".spv", ".bc"];
/// Seconds after which a process ends that survives the signal of the limit.
const GRACE: u64 = 5;

/// Ends this process with the thread that started it.
pub(crate) fn end_with_parent() {
    // SAFETY: the call requests a signal when the parent ends.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Limits of this process's processor time.
pub(crate) struct Limits {
    /// Limits that the process was started with.
    start: libc::rlimit,
    /// Timer of the processor time that kills the process.
    timer: Option<libc::timer_t>,
}

impl Limits {
    /// Returns the limits of this process, which has no others yet.
    pub(crate) fn new() -> Self {
        let mut start = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the structure lives during the call.
        unsafe { libc::getrlimit(libc::RLIMIT_CPU, &raw mut start) };
        Self { start, timer: None }
    }

    /// Applies the limits of a request, from now on. If a call fails, the build continues without a
    /// limit.
    pub(crate) fn set(&mut self, request: &Request) {
        let is_module = request.sources.iter().any(|(name, _)| MODULES.iter().any(|end| name.ends_with(end)));
        let bytes = request.sources.iter().map(|(_, bytes)| bytes.len()).sum();
        let seconds = ocloc::seconds(is_module.then_some(bytes));
        let end = seconds.map(|seconds| seconds.saturating_add(used()));
        let limit = libc::rlimit { rlim_cur: end.unwrap_or(u64::MAX).min(self.start.rlim_cur), ..self.start };
        // SAFETY: the structure lives during the call.
        unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
        self.kill_after(seconds.map_or(0, |seconds| seconds.saturating_add(GRACE)));
    }

    /// Kills this process after some seconds of processor time from now on; 0 is never.
    fn kill_after(&mut self, seconds: u64) {
        // SAFETY: all fields may be zero, and the structures live during the calls.
        unsafe {
            if self.timer.is_none() {
                let mut event: libc::sigevent = std::mem::zeroed();
                (event.sigev_notify, event.sigev_signo) = (libc::SIGEV_SIGNAL, libc::SIGKILL);
                let mut timer = std::ptr::null_mut();
                let made = libc::timer_create(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut event, &raw mut timer);
                self.timer = (made == 0).then_some(timer);
            }
            let Some(timer) = self.timer else { return };
            let mut time: libc::itimerspec = std::mem::zeroed();
            time.it_value.tv_sec = seconds.try_into().unwrap_or(libc::time_t::MAX);
            libc::timer_settime(timer, 0, &raw const time, std::ptr::null_mut());
        }
    }

    /// Notes that this process is a copy of the one that called `new`: timers are not copied.
    pub(crate) fn was_copied(&mut self) {
        self.timer = None;
    }
}

/// Returns the processor time of this process in seconds, rounded.
fn used() -> u64 {
    // SAFETY: all fields may be zero, and the structure lives during the call.
    unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time);
        u64::try_from(time.tv_sec).unwrap_or(0) + u64::from(time.tv_nsec >= 500_000_000)
    }
}
