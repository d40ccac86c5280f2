//! How far a run is, for a person who waits.

use std::io::IsTerminal;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use visakit_emulator::launch::range::NdRange;

/// A progress bar that appears when a run takes more than a second, on a terminal, and moves on even while no group ends.
pub(super) struct Bar {
    bar: Arc<ProgressBar>,
    /// Closed when the run is done.
    running: Option<mpsc::Sender<()>>,
}

impl Bar {
    pub(super) fn new(range: &NdRange) -> Self {
        let groups = u64::try_from(range.group_count()).unwrap_or(u64::MAX);
        if !std::io::stderr().is_terminal() {
            return Self { bar: Arc::new(ProgressBar::hidden()), running: None };
        }
        let bar = Arc::new(ProgressBar::hidden());
        bar.set_length(groups);
        let (running, done) = mpsc::channel();
        let shown = Arc::clone(&bar);
        // Without a thread of its own there is no bar, and nothing else is lost.
        let _ = std::thread::Builder::new().spawn(move || {
            if done.recv_timeout(Duration::from_secs(1)) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{spinner} {elapsed} {bar:40} {pos}/{len} groups, {eta} left");
            if let Ok(style) = style {
                shown.set_style(style);
            }
            shown.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            shown.enable_steady_tick(Duration::from_millis(250));
        });
        Self { bar, running: Some(running) }
    }

    pub(super) fn show(&self, done: u64) {
        self.bar.set_position(done);
    }

    pub(super) fn clear(&mut self) {
        self.running = None;
        self.bar.finish_and_clear();
    }
}
