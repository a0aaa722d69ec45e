//! Slipstick simulates machines that hit, stick, slip and latch, and gets every event right.
//!
//! ```
//! use slipstick::equations::{ClosureGuard, ClosureSystem};
//! use slipstick::simulate::{Options, Start, simulate};
//!
//! let ball = ClosureSystem::new(["y", "v"], |_t, y, dy| {
//!     dy[0] = y[1];
//!     dy[1] = -9.81;
//! })
//! .guard(ClosureGuard::falling("floor", |_t, y| y[0]).reset(|_t, before, after| after[1] = -0.9 * before[1]));
//!
//! let run = simulate(&ball, &Start::at([1.0, 0.0]), &Options::until(3.0))?;
//! let first = run.event_times("floor").next().unwrap();
//! assert!((first - (2.0_f64 / 9.81).sqrt()).abs() < 1e-12);
//! # Ok::<(), Box<slipstick::simulate::Failure>>(())
//! ```
//!
//! The rooms, each of which only uses those before it: [`math`], [`expr`], [`model`], [`equations`],
//! [`contact`], [`mode`], [`formulation`], [`step`], [`watch`], [`transition`], [`trajectory`], [`simulate`],
//! [`builder`], [`problems`].
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod builder;
pub mod contact;
pub mod equations;
pub mod expr;
pub mod formulation;
pub mod math;
pub mod mode;
pub mod model;
pub mod problems;
pub mod simulate;
pub mod step;
pub mod trajectory;
pub mod transition;
pub mod watch;

/// The snippets of the README and the book run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../book/src/concepts/rust.md")]
    struct RustPage;
}
