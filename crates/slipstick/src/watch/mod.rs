//! Guards: when does one fire, and which side is it on?
//!
//! In: [`Signals`], which gives values, series and polynomials of comparisons, each with its band. Out:
//! guards that fire, the local time at which they fire, and the sides of all comparisons. Nothing here knows
//! of a system, a form or a method. The rules are those of EVENTS.md.
//!
//! One segment of a run, as the loop sees it:
//!
//! ```text
//! transition    jump(values)            guards that fire by value; again until none does
//! form entered  begin(signals)          guards that fire by motion; each starts a transition
//! step          begin(signals)          decides what is still undecided
//!               due(signals, path)      none: the step needs no scan
//!               may_fire(signals, h)    false: the step needs no scan on a finer dense output
//!               scan(signals, h, limit) the first firing, or none
//!               accept(s)               sides move on to s
//! ```
//!
//! Where the rules leave a choice, or turned out to need more:
//! - A comparison that has just fired (`f`) is neither true nor false in other conditions. So a ball that
//!   bounces fires `y < 0` and not `not (y < 0)`, and `a and b` waits until the motion has decided `a`.
//! - A guard remembers the last truth that was known, and fires when it goes from there.
//! - A touch needs a motion that has come into the band. One that starts inside it only leaves.
//! - A root is located until both ends are inside the band, which takes about three values, or to
//!   neighbouring floats. Inside the band the sign is rounding.
//! - What fires together is put at the last of the roots, but not after that of a guard with
//!   [`Placement::Before`]. A guard whose window has not begun there is left for later: it would fire twice.
//! - What has fired counts as inside its band, also where floats of time are too coarse to put it there.

mod accumulation;
mod bernstein;
mod chebyshev;
mod condition;
mod cover;
mod decide;
mod decisions;
mod flip;
mod guards;
mod horizon;
mod locate;
mod polyline;
mod scan;
mod search;
mod side;
mod sides;
mod signals;
mod state;
mod step_scan;

pub use accumulation::{Between, NOTHING_LEFT, ZenoLimit, ZenoRecord};
pub use condition::{Condition, Fires, GuardSpec, OnEntry, Placement, Touches};
pub use decide::{Verdict, decide_by_motion};
pub use guards::Snapshot;
pub use scan::{Found, Touch};
pub use side::{Effect, Input, SideState, turn};
pub use signals::{
    Banded, Described, Extent, MOST_ORDERS, NotFinite, STEP_DEGREE, Signals, SpeedBound, StepPolynomial,
};
pub use state::{Begun, Decided, Watch};
