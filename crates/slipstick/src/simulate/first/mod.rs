//! The first loop. It goes when the loop of forms and transitions carries everything.

mod assemble;
mod beginnings;
mod change;
mod contradiction;
mod corrections;
mod landed;
mod meet;
mod pursue;
mod reach;
mod respond;
mod run;
mod settle;
mod shutting;

pub use run::{simulate, simulate_watched};

use super::{Error, Failure, Keep, Monitor, Options, Progress, Start, Unwatched, error, initialise};
