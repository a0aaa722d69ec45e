//! The loop that owns time: start, step, detect, accept or resolve, until the end.
//!
//! In: a [`System`](crate::equations::System), where it [starts](Start), [`Options`]. Out: a
//! [`Trajectory`](crate::trajectory::Trajectory), or a [`Failure`] that carries the trajectory so far. The library has no clock:
//! whoever wants a limit on wall time or an interrupt watches through a [`Monitor`].

mod assemble;
mod beginnings;
mod change;
mod contradiction;
mod error;
mod initialise;
mod landed;
mod meet;
mod monitor;
mod options;
mod plan;
mod pursue;
mod reach;
mod respond;
mod run;
mod run_options;
mod settle;
mod shutting;
mod upkeep;

pub(crate) use initialise::check_options;

pub use error::{Error, Failure};
pub use monitor::{Monitor, Progress, Stop, Unwatched};
pub use options::{Keep, Limits, Options, Start};
pub use plan::{MDOP5, Overrides, Plan, method_hint};
pub use run::{simulate, simulate_watched};
pub use run_options::{OptionValue, RUN_OPTIONS, RunOption};
