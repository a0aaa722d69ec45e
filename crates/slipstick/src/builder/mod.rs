//! Machines of parts, written in Rust with the words of model files.
//!
//! In: bodies, joints, drives, forces, shapes, contacts, events, each with its name. Out: the [`Machine`] that a file
//! of the same words would be, or all [`BuildErrors`] at once. [`PlanarModel::to_toml`] prints that file: what is
//! built is read by the one reader that files have, so that words, checks and codes of errors are the same.
//!
//! ```
//! use slipstick::builder::*;
//! use slipstick::simulate::Options;
//!
//! let mut m = Model::planar().gravity([0.0, -9.81]);
//! let crank = m.body("crank", Body::link([("pin", [0.0, 0.0]), ("tip", [mm(50.0), 0.0])]).mass(0.8).angle(deg(30.0)));
//! let rod = m.body("rod", Body::link([("big", [0.0, 0.0]), ("small", [mm(150.0), 0.0])]).mass(0.5));
//! let piston = m.body("piston", Body::shape(Shape::rect(mm(60.0), mm(40.0))).mass(0.75));
//!
//! let main = m.joint("main", Revolute::new(GROUND.origin(), crank.point("pin")));
//! m.joint("tip", Revolute::new(crank.point("tip"), rod.point("big")));
//! m.joint("wrist", Revolute::new(rod.point("small"), piston.centre()));
//! m.joint("guide", Prismatic::new(GROUND.origin(), piston.centre()).axis([1.0, 0.0]));
//!
//! let speed = m.drive("speed", main.velocity(rpm(1200.0)));
//! m.output("torque", speed.torque());
//!
//! let run = m.check()?.simulate(Options::until(0.1))?;
//! assert_eq!(run.end_time(), 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An amount is a number in SI or a formula as text, `"50 mm"` or `"2 * r"`. A handle can only be had from the model that
//! has the part, so that a misspelt one does not compile; the points of a body have names, which the check looks up.
//! What the file has and no method here says, `set` says: `Body::rigid(1, 1).set("repeat", 20)`.

mod body;
mod drive;
mod errors;
mod events;
mod forces;
mod handles;
mod joints;
mod machine;
mod print;
mod units;
mod value;

pub use crate::model::Model;
pub use body::{Body, Shape};
pub use drive::Drive;
pub use errors::{BuildError, BuildErrors};
pub use events::{Contact, Event};
pub use forces::{Force, Sensor};
pub use handles::{
    BodyHandle, ContactHandle, DriveHandle, GROUND, GroundHandle, Happening, JointHandle, PlaceHandle,
    ShapeHandle,
};
pub use joints::{Angle, Belt, Distance, Fixed, Gear, Joint, Prismatic, Rack, Revolute, Slot};
pub use machine::{Machine, PlanarModel};
pub use units::{deg, grams, mm, ms, rpm};
pub use value::Amount;
