//! Watching a run: progress on a terminal, Ctrl-C, the limit on wall time.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use slipstick::simulate::{Monitor, Progress, Stop};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Looking at the clock costs more than a step of a small model: look every so many steps.
const STEPS_BETWEEN_LOOKS: u32 = 64;

/// Shorter runs show nothing.
const QUIET: Duration = Duration::from_millis(500);

/// Watches a run for a person.
pub(crate) struct Watch {
    start: Instant,
    limit: Duration,
    interrupted: Arc<AtomicBool>,
    bar: Option<ProgressBar>,
    countdown: u32,
    from: Option<f64>,
}

impl Watch {
    /// Begins to watch. The first Ctrl-C ends the run cleanly; a second one ends the program.
    pub(crate) fn begin(max_wall: f64) -> Self {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        // Only the first run of a process can install the handler; a failure leaves Ctrl-C as the system has it.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        let limit = Duration::try_from_secs_f64(max_wall).unwrap_or(Duration::MAX);
        let bar = std::io::stderr().is_terminal().then(progress_bar);
        Self { start: Instant::now(), limit, interrupted, bar, countdown: 0, from: None }
    }

    /// Another run begins under the same watch.
    pub(crate) fn next_run(&mut self) {
        self.from = None;
    }

    /// Ends the watch and takes the progress bar away. Gives the seconds that have passed.
    pub(crate) fn finish(self) -> f64 {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.start.elapsed().as_secs_f64()
    }

    fn show(&self, progress: &Progress, elapsed: Duration) {
        let (Some(bar), Some(from)) = (&self.bar, self.from) else { return };
        if elapsed < QUIET {
            return;
        }
        let done = ((progress.t - from) / (progress.until - from)).clamp(1e-9, 1.0);
        let left = elapsed.as_secs_f64() * (1.0 - done) / done;
        bar.set_position(per_mille(done));
        bar.set_message(format!(
            "t = {:.6} of {}   {} events   h = {:.2e}   about {} left",
            progress.t,
            progress.until,
            progress.events,
            progress.h,
            in_words(left)
        ));
    }
}

impl Monitor for Watch {
    fn watch(&mut self, progress: &Progress) -> Option<Stop> {
        self.from.get_or_insert(progress.t);
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Stop { code: "interrupted", reason: "interrupted by Ctrl-C".to_owned() });
        }
        if self.countdown > 0 {
            self.countdown -= 1;
            return None;
        }
        self.countdown = STEPS_BETWEEN_LOOKS;
        let elapsed = self.start.elapsed();
        self.show(progress, elapsed);
        (elapsed > self.limit).then(|| Stop {
            code: "wall-limit",
            reason: format!("the limit of {} s of real time is reached", self.limit.as_secs_f64()),
        })
    }
}

fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr_with_hz(10));
    let style =
        ProgressStyle::with_template("{bar:30} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style);
    bar
}

/// The largest whole number of thousandths in a share.
fn per_mille(share: f64) -> u64 {
    (0..=1000).rev().find(|&k| k as f64 <= share * 1000.0).unwrap_or(0)
}

fn in_words(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{seconds:.0} s")
    } else if seconds < 5400.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.0} h", seconds / 3600.0)
    }
}
