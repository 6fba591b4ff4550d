//! Progress of long work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar, or a spinner where the number of steps is unknown. It disappears when dropped.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(what: &'static str, steps: Option<u64>, visible: bool) -> Self {
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(steps, target);
        let template = if steps.is_some() {
            "{prefix} {bar:30} {human_pos}/{human_len} {per_sec} {eta}"
        } else {
            "{prefix} {spinner} {human_pos} {per_sec} {elapsed}"
        };
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(what);
        Self(bar)
    }

    /// One more step is done.
    pub fn step(&self) {
        self.0.inc(1);
    }

    /// So many steps are done in all.
    pub fn set(&self, steps: u64) {
        self.0.set_position(steps);
    }
}

/// A line that is written anew again and again, for work whose progress takes more than a bar to tell. It
/// shows only on a terminal, and disappears when dropped.
#[derive(Debug)]
pub struct LiveLine(ProgressBar);

impl LiveLine {
    pub(crate) fn new(visible: bool) -> Self {
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    /// Shows another text.
    pub fn set(&self, text: String) {
        self.0.set_message(text);
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
