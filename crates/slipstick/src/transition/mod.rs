//! What happens at one instant: the guards that fired make a new state and mode.
//!
//! Rules 9 to 21 of the page of rules, in this order: resets, switches, modes, active sets, sliding, consistency; repeated until nothing
//! fires any more. Each rule is a piece of its own here; `simulate` puts them in order.

mod cascade;
mod classify;
mod resets;
mod settle;

pub use cascade::{Cascade, MOST_ROUNDS, Repeat};
pub use classify::{Classified, Heading, Incoming, Motions, classify};
pub use resets::{Conflict, Resets, Target};
pub use settle::{Way, fixed, spirals_out};
