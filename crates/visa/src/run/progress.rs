//! How far a run is, for a person who waits.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use visakit_emulator::launch::range::NdRange;

/// A progress bar that appears when a run takes more than a second, on a terminal.
pub(super) struct Bar {
    start: Instant,
    groups: u64,
    bar: OnceLock<ProgressBar>,
}

impl Bar {
    pub(super) fn new(range: &NdRange) -> Self {
        let groups = u64::try_from(range.group_count()).unwrap_or(u64::MAX);
        Self { start: Instant::now(), groups, bar: OnceLock::new() }
    }

    pub(super) fn show(&self, done: u64) {
        if self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} groups, {eta} left");
            let bar = ProgressBar::new(self.groups);
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar
        });
        bar.set_position(done);
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
