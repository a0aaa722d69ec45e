//! Guards: when does one fire, and which side is it on?
//!
//! In: [`Signals`], which gives values, series and polynomials of comparisons, each with its band. Out:
//! guards that fire, the local time at which they fire, and the sides of all comparisons. Nothing here knows
//! of a system, a form or a method. The rules are those of EVENTS.md.
//!
//! One segment of a run, as the loop sees it:
//!
//! ```text
//! transition:  jump(values) -> guards that fire by value; again until none fires
//! form entered: begin(signals) -> guards that fire by motion; each starts a transition
//! step:        begin(signals)      while comparisons are undecided
//!              due(signals, h)     none: the step is taken without dense output
//!              scan(signals, h, limit) -> nothing, or the first firing at s
//!              accept(s)           sides move on to s
//! ```

mod accumulation;
mod advance;
mod bernstein;
mod chebyshev;
mod condition;
mod decide;
mod flip;
mod guards;
mod horizon;
mod locate;
mod scan;
mod search;
mod side;
mod signals;
mod state;

pub use accumulation::{Between, ZenoLimit, ZenoRecord};
pub use condition::{Condition, Fires, GuardSpec, OnEntry, Placement};
pub use decide::{Verdict, decide_by_motion};
pub use guards::Snapshot;
pub use scan::{Found, Touch};
pub use side::{Effect, Input, SideState, turn};
pub use signals::{Banded, MOST_ORDERS, NotFinite, STEP_DEGREE, Signals, SpeedBound, StepPolynomial};
pub use state::{Begun, Decided, Watch};
