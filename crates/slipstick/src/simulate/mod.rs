//! The loop that owns time: start, step, detect, accept or resolve, until the end.
//!
//! In: a [`System`](crate::equations::System), where it [starts](Start), [`Options`]. Out: a
//! [`Trajectory`](crate::trajectory::Trajectory), or a [`Failure`] that carries the trajectory so far. The
//! library has no clock: whoever wants a limit on wall time or an interrupt watches through a [`Monitor`].

mod accumulating;
mod assembly;
mod automatic;
mod calendar;
mod capturing;
mod concurrency;
mod consistency;
mod contacts;
mod contest;
mod contradiction;
mod density;
mod drawing;
mod error;
mod exits;
mod failure;
mod guards;
mod headings;
mod hints;
mod impossible;
mod instant;
mod integrator;
mod invariants;
mod last_known;
mod locks;
mod monitor;
mod near_contacts;
mod one_sided;
mod options;
mod pace;
mod passing;
mod plan;
mod projecting;
mod reaching;
mod recorder;
mod run_loop;
mod run_options;
mod search;
mod selector;
mod signals;
mod simulator;
mod singular_passage;
mod sizes;
mod spectral;
mod start_faults;
mod stepper;
mod stiffness;
mod surface_notes;
mod surfaces;
mod takeover;
mod time_stepping;
mod trials;
mod uncertainty;
mod validate;

pub(crate) use validate::check_options;

pub use assembly::{Assembly, assemble};
pub use concurrency::Concurrency;
pub use error::Error;
pub use failure::Failure;
pub use monitor::{Monitor, Progress, Stop, Unwatched};
pub use options::{
    ConstraintOptions, ContactOptions, DenseEvents, EventOptions, Keep, Limits, Options, Start, StepOptions,
};
pub use plan::{MDOP5, Overrides, Plan, method_hint};
pub use run_options::{OptionValue, RUN_OPTIONS, RunOption};
pub use simulator::{Simulator, simulate, simulate_watched};
pub use start_faults::explain_start;
