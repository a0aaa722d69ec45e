//! How long this thread has worked: unlike the time on the wall, it does not pass while other programs have their turn.

use std::time::Duration;

/// The time that something takes.
pub(crate) fn time_of<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = now();
    std::hint::black_box(work());
    now().saturating_sub(begin)
}

#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(not(unix))]
fn now() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed()
}
