//! The first loop, for what the new one does not carry yet: mechanisms and mass matrices.

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
pub(super) mod run;
mod settle;
mod shutting;

use super::{Error, Failure, Keep, Monitor, Options, Progress, Start, error, initialise};
