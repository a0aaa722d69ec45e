//! Events: detect, locate, gather, resolve, and notice when they pile up.
//!
//! In: a good [`Trial`](crate::step::Trial) with dense output, and the guards of a [`Flow`](crate::formulation::Flow). Out: the
//! first bracket `(t_lo, t_hi]` in which guards fire, all of them together, and the state and mode after them. The
//! vocabulary is that of paper 000, chapter 5.

mod accumulate;
mod begin;
mod calendar;
mod detect;
mod exits;
mod kink;
mod levels;
mod locate;
mod plateau;
mod pole;
mod proof;
mod resolve;
mod search;
mod settle;
mod sleep;
mod surroundings;
mod touch;

pub use accumulate::{Accumulation, Limit};
pub use detect::{BadGuard, Detector, Surprises, Touch};
pub use levels::Level;
pub use locate::{Concurrency, Crossing, Placing};
pub use resolve::{Conflict, Resolution, resolve};
pub use search::{Found, Sample, Search};
pub use settle::{Settlement, Way, fixed, settle, spirals_out};
