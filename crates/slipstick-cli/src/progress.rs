//! Watching a run: progress on a terminal, Ctrl-C and other signals to end, the limit on wall time.

use crate::results::number;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use slipstick::simulate::{Monitor, Progress, Stop};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The clock costs as much as a part of a small step. While looks come fast, the stride doubles up to this.
const MOST_STEPS_BETWEEN_LOOKS: u32 = 64;

/// What takes longer than this takes long: the clock is looked at before every step.
const LONG: Duration = Duration::from_millis(1);

/// Why a run ends that the user has had enough of.
const INTERRUPTED: &str = "interrupted by Ctrl-C or a signal to end";

/// How long a signal to end may wait for an answer.
const PATIENCE: Duration = Duration::from_millis(50);

/// The stack of a thread that reads models, in bytes: that of a main thread.
const STACK: usize = 8 << 20;

/// Shorter runs show nothing.
const QUIET: Duration = Duration::from_millis(500);

/// Watches a run for a person.
pub(crate) struct RunMonitor {
    start: Instant,
    limit: Duration,
    interrupted: Arc<AtomicBool>,
    bar: Option<ProgressBar>,
    countdown: u32,
    stride: u32,
    last_look: Duration,
    from: f64,
    stopped: Option<&'static str>,
}

impl RunMonitor {
    /// Begins to watch. The first Ctrl-C, or another signal to end (SIGTERM, SIGHUP), ends the run cleanly; a
    /// second one ends the program.
    pub(crate) fn begin(max_wall: f64) -> Self {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        // Only the first run of a process can install the handler; on failure Ctrl-C keeps its usual effect.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        let limit = Duration::try_from_secs_f64(max_wall).unwrap_or(Duration::MAX);
        let bar = std::io::stderr().is_terminal().then(progress_bar);
        Self {
            start: Instant::now(),
            limit,
            interrupted,
            bar,
            countdown: 0,
            stride: 0,
            last_look: Duration::ZERO,
            from: 0.0,
            stopped: None,
        }
    }

    /// Why no other run is to begin under this watch: the code of what stops it.
    pub(crate) fn is_over(&self) -> Option<&'static str> {
        self.stopped.or_else(|| (self.start.elapsed() > self.limit).then_some("wall-limit"))
    }

    /// Ends the watch and takes the progress bar away. Gives the seconds that have passed.
    pub(crate) fn finish(self) -> f64 {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.start.elapsed().as_secs_f64()
    }

    fn look(&mut self, progress: &Progress) -> Option<Stop> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Stop { code: "interrupted", reason: INTERRUPTED.to_owned() });
        }
        if self.countdown > 0 {
            self.countdown -= 1;
            return None;
        }
        let elapsed = self.start.elapsed();
        let is_long = elapsed.saturating_sub(self.last_look) > LONG;
        self.stride = if is_long { 0 } else { (2 * self.stride + 1).min(MOST_STEPS_BETWEEN_LOOKS) };
        (self.countdown, self.last_look) = (self.stride, elapsed);
        self.show(progress, elapsed);
        (elapsed > self.limit).then(|| self.too_long())
    }

    fn too_long(&self) -> Stop {
        let reason = format!("the limit of {} s of real time is reached", self.limit.as_secs_f64());
        Stop { code: "wall-limit", reason }
    }

    /// Runs work that does not look at the clock, such as compiling a model, in a thread of its own. It is
    /// abandoned when the limit is reached or the program is to end.
    pub(crate) fn wait_for<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stop> {
        let (sender, receiver) = mpsc::channel();
        let worker = std::thread::Builder::new().stack_size(STACK);
        let worker = worker.spawn(move || {
            // Nobody waits any more if it is given up.
            let _ = sender.send(work());
        });
        loop {
            let left = self.limit.saturating_sub(self.start.elapsed());
            match receiver.recv_timeout(left.min(PATIENCE)) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Timeout) if self.interrupted.load(Ordering::Relaxed) => {
                    return Err(Stop { code: "interrupted", reason: INTERRUPTED.to_owned() });
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(self.too_long()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => match worker.map(JoinHandle::join) {
                    Ok(Err(panic)) => std::panic::resume_unwind(panic),
                    _ => {
                        return Err(Stop {
                            code: "interrupted",
                            reason: "no thread could be made".to_owned(),
                        });
                    }
                },
            }
        }
    }

    fn show(&self, progress: &Progress, elapsed: Duration) {
        let Some(bar) = self.bar.as_ref().filter(|_| elapsed >= QUIET) else { return };
        let done = ((progress.t - self.from) / (progress.until - self.from)).clamp(1e-9, 1.0);
        let left = elapsed.as_secs_f64() * (1.0 - done) / done;
        bar.set_position(per_mille(done));
        bar.set_message(format!(
            "t = {} of {}   {} events   h = {:.2e}   about {} left",
            number(progress.t),
            progress.until,
            progress.events,
            progress.h,
            in_words(left)
        ));
    }
}

impl Monitor for RunMonitor {
    fn watch(&mut self, progress: &Progress) -> Option<Stop> {
        if progress.steps == 0 {
            // Another run begins: its steps may be slow.
            (self.from, self.countdown, self.stride) = (progress.t, 0, 0);
        }
        let stop = self.look(progress);
        self.stopped = self.stopped.or(stop.as_ref().map(|stop| stop.code));
        stop
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

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(steps: u64) -> Progress {
        Progress { t: 0.0, until: 1.0, h: 0.1, steps, events: 0 }
    }

    /// Fast runs look at the clock only now and then, so a slow run after them ends a step or two late.
    #[test]
    fn the_limit_holds_where_steps_are_slow() {
        let mut watch = RunMonitor::begin(0.05);
        (0..1000).for_each(|steps| {
            watch.watch(&progress(steps));
        });
        let slow_steps = (0..100).take_while(|&steps| {
            std::thread::sleep(Duration::from_millis(10));
            watch.watch(&progress(steps)).is_none()
        });
        assert!(slow_steps.count() <= 6);
        assert_eq!(watch.is_over(), Some("wall-limit"));
    }

    #[test]
    fn what_does_not_look_at_the_clock_is_given_up() {
        let watch = RunMonitor::begin(0.05);
        assert_eq!(watch.wait_for(|| 7), Ok(7));
        let stop = watch.wait_for(|| std::thread::sleep(Duration::from_secs(5))).expect_err("too long");
        assert_eq!(stop.code, "wall-limit");
        let patient = RunMonitor::begin(60.0);
        patient.interrupted.store(true, Ordering::Relaxed);
        let stop = patient.wait_for(|| std::thread::sleep(Duration::from_secs(5))).expect_err("ended");
        assert_eq!(stop.code, "interrupted");
    }
}
