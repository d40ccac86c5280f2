//! Files and folders that are not finished: a process that is stopped takes them away first.
//!
//! What is killed without notice, or loses its power, may leave a file `.visa-…`; the file that it
//! was to become is as before.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Something that is taken away when the process is stopped; nothing else happens to it here.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes something that has a path.
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

    /// Finishes it: a signal comes before or behind that, not in between.
    pub(crate) fn finish<T>(self, finish: impl FnOnce() -> T) -> T {
        let mut all = all();
        let finished = finish();
        all.retain(|path| *path != self.0);
        finished
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It may have been finished, and be in the list no more. What has a guard is not dropped
        // while the list is locked.
        all().retain(|path| *path != self.0);
    }
}

fn all() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for signals, in a thread of its own, that end the process and that it does not ignore.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static WATCHED: std::sync::Once = std::sync::Once::new();
    WATCHED.call_once(|| {
        // Under `nohup`, or behind `&` in a script, a signal is ignored, and stays so.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        let taken = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let Ok(mut signals) = signal_hook::iterator::Signals::new(taken) else { return };
        let wait = move || {
            for signal in signals.forever() {
                // The list stays locked, so that nothing more begins.
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
