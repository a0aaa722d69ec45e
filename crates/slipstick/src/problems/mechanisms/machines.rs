//! Presses and pantographs.
//!
//! Presses turn a crank into strokes of rams in guides: by a rod, by a toggle, or by two to four rods in a
//! star. Pantographs lie flat, so that nothing makes them collapse: the parallelogram for drawing, with two
//! degrees of freedom, and lazy tongs of up to twelve stages, both held by springs.

use super::draw::Draw;
use super::linkage::Linkage;
use super::planar::{Family, Made};
use std::f64::consts::{FRAC_PI_2, PI};

pub(super) const FAMILIES: [Family; 2] = [
    Family { kind: "press", count: 7, make: press },
    Family { kind: "pantograph", count: 7, make: pantograph },
];

pub(super) fn press(draw: &mut Draw, number: usize) -> Made {
    let mut linkage = Linkage::new(9.81);
    let crank = match number {
        1 | 2 => star(draw, &mut linkage, &[-FRAC_PI_2]),
        3 | 4 => toggle(draw, &mut linkage),
        _ => {
            let rams = number - 3;
            let directions: Vec<f64> = (0..rams).map(|k| 2.0 * PI * k as f64 / rams as f64).collect();
            star(draw, &mut linkage, &directions)
        }
    };
    linkage.rub(draw.between(0.005, 0.02));
    linkage.torque(crank, draw.between(1.0, 2.0), 1.0, draw.between(2.0, 5.0));
    let rate = draw.between(4.0, 8.0);
    Made::turning(linkage, draw, rate)
}

/// A crank with rods to rams in several directions.
fn star(draw: &mut Draw, linkage: &mut Linkage, directions: &[f64]) -> usize {
    let (arm, tip) = (draw.between(0.12, 0.18), draw.between(0.3, 1.2));
    let pin = [arm * tip.cos(), arm * tip.sin()];
    let crank = linkage.link(&[[0.0, 0.0], pin]);
    linkage.pivot((crank, 0));
    for direction in directions {
        let reach = draw.between(0.5, 0.7);
        let at = [reach * direction.cos(), reach * direction.sin()];
        let (rod, ram) = (linkage.link(&[pin, at]), linkage.block(at, draw.between(1.0, 3.0)));
        linkage.pin((crank, 1), (rod, 0));
        linkage.pin((rod, 1), (ram, 0));
        linkage.guide(ram, *direction);
    }
    crank
}

/// A crank whose rod moves the knee of two links, of which the lower one moves the ram.
fn toggle(draw: &mut Draw, linkage: &mut Linkage) -> usize {
    let (top, ram_at) = ([0.0, 0.0], [0.0, -0.8]);
    let knee = draw.near([0.15, -0.4], 0.02);
    let (centre, pin) = ([0.9, -0.35], draw.near([0.85, -0.25], 0.02));
    let crank = linkage.link(&[centre, pin]);
    let (rod, upper) = (linkage.link(&[pin, knee]), linkage.link(&[top, knee]));
    let (lower, ram) = (linkage.link(&[knee, ram_at]), linkage.block(ram_at, draw.between(2.0, 4.0)));
    linkage.pivot((crank, 0));
    linkage.pin((crank, 1), (rod, 0));
    linkage.pivot((upper, 0));
    linkage.pin((upper, 1), (rod, 1));
    linkage.pin((upper, 1), (lower, 0));
    linkage.pin((lower, 1), (ram, 0));
    linkage.guide(ram, -FRAC_PI_2);
    crank
}

fn pantograph(draw: &mut Draw, number: usize) -> Made {
    match number {
        1..=3 => parallelogram(draw),
        4 => tongs(draw, 2, false),
        5 => tongs(draw, 4, true),
        6 => tongs(draw, 8, false),
        _ => tongs(draw, 12, true),
    }
}

/// Two long bars and two short ones that make a parallelogram.
fn parallelogram(draw: &mut Draw) -> Made {
    let (left, right) = (draw.between(1.0, 1.3), draw.between(-1.3, -1.0));
    let along = |length: f64, angle: f64| [length * angle.cos(), length * angle.sin()];
    let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
    let (near, far) = (draw.between(0.3, 0.5), draw.between(0.3, 0.5));
    let a = along(near, left);
    let b = add(a, along(far, left));
    let c = add(b, along(far, right));
    let (tip, d) = (add(c, along(near, right)), add(a, along(far, right)));
    let mut linkage = Linkage::new(0.0);
    let first = linkage.link(&[[0.0, 0.0], a, b]);
    let second = linkage.link(&[b, c, tip]);
    let (third, fourth) = (linkage.link(&[a, d]), linkage.link(&[c, d]));
    linkage.pivot((first, 0));
    for (one, other) in [
        ((first, 2), (second, 0)),
        ((first, 1), (third, 0)),
        ((second, 1), (fourth, 0)),
        ((third, 1), (fourth, 1)),
    ] {
        linkage.pin(one, other);
    }
    linkage.hold(first, None, draw.between(10.0, 20.0));
    linkage.hold(second, Some(first), draw.between(10.0, 20.0));
    linkage.torque(first, 0.0, draw.between(0.5, 1.0), draw.between(2.0, 4.0));
    Made::turning(linkage, draw, 1.0)
}

/// Crossed bars in stages; the first of them stands on a pivot and a slot. With a plate, one lies on the
/// last.
fn tongs(draw: &mut Draw, stages: usize, plate: bool) -> Made {
    let (width, height) = (draw.between(0.5, 0.6), draw.between(0.3, 0.4));
    let mut linkage = Linkage::new(0.0);
    let mut below: Option<(usize, usize)> = None;
    for stage in 0..stages {
        let (low, high) = (height * stage as f64, height * (stage + 1) as f64);
        let middle = [0.5 * width, 0.5 * (low + high)];
        let rising = linkage.link(&[[0.0, low], [width, high], middle]);
        let falling = linkage.link(&[[width, low], [0.0, high], middle]);
        linkage.pin((rising, 2), (falling, 2));
        match below {
            None => {
                linkage.pivot((rising, 0));
                linkage.slot((falling, 0), 0.0);
            }
            Some((before_rising, before_falling)) => {
                linkage.pin((before_falling, 1), (rising, 0));
                linkage.pin((before_rising, 1), (falling, 0));
            }
        }
        below = Some((rising, falling));
    }
    let (slide, anchor) = (linkage.place((1, 0)), linkage.below((0, 0)));
    linkage.spring(slide, anchor, draw.between(300.0, 600.0) * (stages * stages) as f64, 0.97);
    if let Some((rising, falling)) = below.filter(|_| plate) {
        let top = height * stages as f64;
        let lid = linkage.link(&[[0.0, top], [width, top]]);
        linkage.pin((falling, 1), (lid, 0));
        linkage.slot_in((rising, 1), (lid, 0), 0.0);
    }
    linkage.rub(draw.between(0.01, 0.02));
    // The energy grows with the third power of the number of stages: slow enough not to fold up.
    Made::turning(linkage, draw, 1.0 / stages as f64)
}
