//! Bodies with several contacts: a rod down a wall, boxes on a table that speeds up, a rod that slides on its
//! tip. Energy and quadrature, or extrapolation in 40 digits.

use super::ContactProblem;

pub(super) fn bodies() -> Vec<ContactProblem> {
    vec![
        rod_down_wall("rod-down-wall", 0.0),
        rod_down_wall("rod-rebounds", 0.5),
        box_slips(),
        box_tips(),
        rod_on_tip("rod-on-tip-sticks", &TIP_STICKS),
        rod_on_tip("rod-on-tip-lifts", &TIP_LIFTS),
        rod_on_tip("rod-on-tip-jams-nearly", &TIP_JAMS_NEARLY),
    ]
}

/// The wall opens; then the rod falls flat, and its other end is hit while the first rests.
fn rod_down_wall(name: &'static str, restitution: f64) -> ContactProblem {
    let lift = [
        ("a", 0.6704764784266558),
        ("a'", -3.0237895815248934),
        ("x", 0.39176284524489463),
        ("x'", 0.9394300259072279),
        ("contact.wall.force.n", 0.0),
        ("contact.lower.force.n", 7.3575),
    ];
    let spin = -4.978184807667079;
    let flat = [("a", 0.0), ("a'", spin), ("x", 0.5507250599588968), ("x'", 0.9394300259072279)];
    let after = [("a'", -restitution * spin), ("y'", -0.5 * restitution * spin)];
    ContactProblem::read(name, include_str!("models/rod-down-wall.toml"), &[("e", restitution)])
        .starts(&[("contact.wall.force.n", 7.454580526357639), ("contact.lower.force.n", 26.53181139314207)])
        .then(&["contact.wall.lift"], 0.4077073358556978, [&lift, &[("contact.lower.force.n", 7.3575)]])
        .then(&["contact.upper.hit"], 0.576918677126687, [&flat, &after])
}

/// The table overtakes the box; when it goes on at its speed, the box catches up.
fn box_slips() -> ContactProblem {
    let force = |rear, front| [("contact.rear.force.n", rear), ("contact.front.force.n", front)];
    let stops = [("x'", 6.043573125)];
    ContactProblem::read("box-slips", include_str!("models/box-slips.toml"), &[])
        .then(
            &["contact.rear.slip", "contact.front.slip"],
            1.22625,
            [&force(13.08, 6.54), &force(12.426, 7.194)],
        )
        .then(&["t < T in contacts.rear.slip"], 2.0, [&stops, &stops])
        .then(
            &["contact.rear.stick", "contact.front.stick"],
            2.498579733690112,
            [&[("x'", 8.0)], &force(9.81, 9.81)],
        )
        .ends(&[("x'", 8.0), ("y'", 0.0), ("a", 0.0), ("a'", 0.0)])
}

fn box_tips() -> ContactProblem {
    let lift = [("contact.rear.force.n", 19.62), ("contact.rear.force.t", 6.54), ("a", 0.0)];
    ContactProblem::read("box-tips", include_str!("models/box-tips.toml"), &[])
        .then(&["contact.front.lift"], 3.27, [&[("contact.rear.force.n", 19.62)], &lift])
        .ends(&[
            ("a", 0.01131046657572186),
            ("a'", 0.12145323724582192),
            ("contact.rear.force.n", 19.795601453016843),
            ("contact.rear.force.t", 6.562095823235548),
        ])
}

/// A rod that slides on its tip towards where friction jams it (Painlevé): how it begins, and what ends it.
struct OnTip {
    friction: f64,
    /// Angle, rate and slip at the start.
    start: [f64; 3],
    event: &'static str,
    t: f64,
    /// The way of its centre, angle and rate at the event.
    way: f64,
    at: [f64; 2],
    force: f64,
}

const TIP_STICKS: OnTip = OnTip {
    friction: 1.2,
    start: [1.1, 0.0, -2.0],
    event: "contact.tip.stick",
    t: 0.012121699290487436,
    way: -0.01903484451736287,
    at: [1.1080437487270265, 1.2983390930495753],
    force: 51.95355711790344,
};

const TIP_LIFTS: OnTip = OnTip {
    friction: 1.4,
    start: [0.8, 3.6, -20.0],
    event: "contact.tip.lift",
    t: 0.014205869589184834,
    way: -0.3206567134725223,
    at: [0.8512452320616658, 3.6115716198162002],
    force: 0.0,
};

/// Friction is just below what would jam it.
const TIP_JAMS_NEARLY: OnTip = OnTip {
    friction: 1.4,
    start: [0.8, 1.0, -20.0],
    event: "contact.tip.lift",
    t: 0.07496121338446783,
    way: -1.4418921810143748,
    at: [0.9638286795196039, 3.4559072324993667],
    force: 0.0,
};

fn rod_on_tip(name: &'static str, on_tip: &OnTip) -> ContactProblem {
    let OnTip { friction, start: [angle, rate, slip], event, t, way, at, force } = *on_tip;
    let parameters = [("mu", friction), ("th0", angle), ("w0", rate), ("u0", slip), ("until", 1.05 * t)];
    let before = [("x", angle.cos() + way), ("th", at[0]), ("th'", at[1]), ("contact.tip.force.n", force)];
    ContactProblem::read(name, include_str!("models/painleve-rod.toml"), &parameters).then(
        &[event],
        t,
        [&before, &[]],
    )
}
