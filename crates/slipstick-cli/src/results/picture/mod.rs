//! The moving picture of a run: what the model draws, sampled along the trajectory, for the page and files.
//!
//! A [`Scene`] evaluates the picture at any time. [`keys`] thins its motion to what can be seen, [`data`]
//! writes that for the page; [`paint`] turns one frame into filled and stroked paths, which [`svg`] and
//! [`pixels`] draw.

mod apng;
mod base64;
mod bounds;
mod changes;
mod data;
mod gif;
mod ink;
mod keys;
mod outline;
mod page;
mod paint;
mod pixels;
mod scene;
mod svg;
#[cfg(test)]
mod tests;

pub(crate) use apng::apng;
pub(crate) use bounds::Frame;
pub(crate) use data::data;
pub(crate) use gif::gif;
pub(crate) use page::{PARTS, picture_page};
pub(crate) use paint::paint;
pub(crate) use pixels::{Pixels, png};
pub(crate) use scene::Scene;
pub(crate) use svg::svg;
