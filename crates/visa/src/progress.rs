//! Progress bar of long commands.

use std::io::IsTerminal;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

/// Progress bar on a terminal. It appears after one second and its clock advances even if no item
/// is finished.
pub(crate) struct Bar {
    bar: Arc<ProgressBar>,
    /// Sender that is dropped when the run is done.
    running: Option<mpsc::Sender<()>>,
}

impl Bar {
    /// Creates a bar that counts `of` items called `things`.
    pub(crate) fn new(things: &'static str, of: u64) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { bar: Arc::new(ProgressBar::hidden()), running: None };
        }
        let bar = Arc::new(ProgressBar::hidden());
        bar.set_length(of);
        let (running, done) = mpsc::channel();
        let shown = Arc::clone(&bar);
        // If the thread cannot be created, there is no bar; the command works without it.
        let _ = std::thread::Builder::new().spawn(move || {
            if done.recv_timeout(Duration::from_secs(1)) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            let template = format!("{{spinner}} {{elapsed}} {{bar:40}} {{pos}}/{{len}} {things}{{left}}");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                shown.set_style(style.with_key("left", left));
            }
            shown.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            shown.enable_steady_tick(Duration::from_millis(250));
        });
        Self { bar, running: Some(running) }
    }

    /// Shows that `done` of `of` items are finished.
    pub(crate) fn show(&self, done: u64, of: u64) {
        self.bar.set_length(of);
        self.bar.set_position(done);
    }

    /// Removes the bar from the terminal.
    pub(crate) fn clear(&mut self) {
        self.running = None;
        self.bar.finish_and_clear();
    }
}

/// Formats the estimated remaining time, once an item is finished.
fn left(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    if state.pos() > 0 {
        // A formatting error of the bar cannot be reported and is ignored.
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}
