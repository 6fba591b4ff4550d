//! Progress of long work.

use std::fmt;

use indicatif::{ProgressDrawTarget, ProgressStyle};

use crate::printer::harmless;

/// A progress bar, or a spinner where the number of steps is unknown. It disappears when dropped.
#[derive(Debug)]
pub struct ProgressBar(indicatif::ProgressBar);

impl ProgressBar {
    pub(crate) fn new(what: &str, steps: Option<u64>, visible: bool) -> Self {
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = indicatif::ProgressBar::with_draw_target(steps, target);
        let template = if steps.is_some() {
            "{prefix} {bar:30} {human_pos}/{human_len} {per_sec} {eta}"
        } else {
            "{prefix} {spinner} {human_pos} {per_sec} {elapsed}"
        };
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(what.to_owned());
        Self(bar)
    }

    /// Advances by one step.
    pub fn step(&self) {
        self.0.inc(1);
    }

    /// Sets the number of steps done.
    pub fn set(&self, steps: u64) {
        self.0.set_position(steps);
    }
}

/// A line of text that is rewritten in place, for progress that a bar cannot show. It is visible
/// only on a terminal and disappears when dropped.
#[derive(Debug)]
pub struct LiveLine(indicatif::ProgressBar);

impl LiveLine {
    pub(crate) fn new(visible: bool) -> Self {
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = indicatif::ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    /// Replaces the text.
    pub fn set(&self, text: impl fmt::Display) {
        self.0.set_message(harmless(&text));
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
