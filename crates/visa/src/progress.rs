//! How far a command is, for a person who waits.

use std::io::IsTerminal;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

/// A progress bar that appears when something takes more than a second, on a terminal, and moves on
/// even while nothing is done.
pub(crate) struct Bar {
    bar: Arc<ProgressBar>,
    /// Closed when the run is done.
    running: Option<mpsc::Sender<()>>,
}

impl Bar {
    /// A bar that counts so many things of a name.
    pub(crate) fn new(things: &'static str, of: u64) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { bar: Arc::new(ProgressBar::hidden()), running: None };
        }
        let bar = Arc::new(ProgressBar::hidden());
        bar.set_length(of);
        let (running, done) = mpsc::channel();
        let shown = Arc::clone(&bar);
        // Without a thread of its own there is no bar, and nothing else is lost.
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

    /// So many are done of so many.
    pub(crate) fn show(&self, done: u64, of: u64) {
        self.bar.set_length(of);
        self.bar.set_position(done);
    }

    /// Takes the bar away.
    pub(crate) fn clear(&mut self) {
        self.running = None;
        self.bar.finish_and_clear();
    }
}

/// How long it will take, as soon as anything is done.
fn left(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    if state.pos() > 0 {
        // A bar has nobody to tell that it cannot be written.
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}
