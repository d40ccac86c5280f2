//! Removal of unfinished files and folders when a signal ends the process.
//!
//! A process that is killed, or loses power, may leave a file `.visa-…`; the destination file is
//! then unchanged.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Path that is removed if a signal ends the process. Dropping the value removes nothing.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    /// Creates a file or folder and registers its path.
    pub(crate) fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        watch();
        let mut all = all();
        let made = make()?;
        let path = path(&made).to_owned();
        all.push(path.clone());
        Ok((made, Self(path)))
    }

    /// Runs `finish` and unregisters the path. A signal is handled before or after this step, never
    /// in between.
    pub(crate) fn finish<T>(self, finish: impl FnOnce() -> T) -> T {
        let mut all = all();
        let finished = finish();
        all.retain(|path| *path != self.0);
        finished
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // `finish` has already unregistered the path, or the file was abandoned. No value is
        // dropped while the list is locked, so this cannot deadlock.
        all().retain(|path| *path != self.0);
    }
}

fn all() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread that waits for the signals that end the process, except ignored ones.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static WATCHED: std::sync::Once = std::sync::Once::new();
    WATCHED.call_once(|| {
        // `nohup`, and `&` in a script, start a process with ignored signals; these stay ignored.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        let taken = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let Ok(mut signals) = signal_hook::iterator::Signals::new(taken) else { return };
        let wait = move || {
            for signal in signals.forever() {
                // The list stays locked, so that no new file is registered.
                let all = all();
                for path in all.iter() {
                    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
                }
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        };
        let _ = std::thread::Builder::new().spawn(wait);
    });
}

#[cfg(not(unix))]
fn watch() {}
