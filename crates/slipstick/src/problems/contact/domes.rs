//! What slides down domes and leaves them. Energy in closed form, times by quadrature in 40 digits.

use super::ContactProblem;

pub(super) fn domes() -> Vec<ContactProblem> {
    vec![bead_from_rest(), bead_from_the_top(), bead_with_friction(), bead_that_sticks(), cylinder()]
}

/// How a bead leaves the dome and hits the ground.
struct Leaves {
    lift: f64,
    place: [f64; 2],
    velocity: [f64; 2],
    hit: f64,
    x: f64,
    vy: f64,
}

fn bead(problem: ContactProblem, leaves: &Leaves) -> ContactProblem {
    let Leaves { lift, place: [x, y], velocity: [vx, vy], hit, .. } = *leaves;
    let before = [("x", x), ("y", y), ("x'", vx), ("y'", vy), ("contact.dome.force.n", 0.0)];
    let falls = [("x", leaves.x), ("y", 0.0), ("x'", vx), ("y'", leaves.vy)];
    problem.then(&["contact.dome.lift"], lift, [&before, &[("contact.dome.force.n", 0.0)]]).then(
        &["contact.ground.hit"],
        hit,
        [&falls, &[("x'", vx), ("y'", -0.5 * leaves.vy)]],
    )
}

fn bead_from_rest() -> ContactProblem {
    let leaves = Leaves {
        lift: 0.6886772445851274,
        place: [0.7570320712415345, 0.6533777185608278],
        velocity: [1.6541732133793021, -1.9165976101467188],
        hit: 0.9072820086256074,
        x: 1.1186422162343996,
        vy: -4.061110345383828,
    };
    bead(ContactProblem::read("dome-from-rest", include_str!("models/dome.toml"), &[]), &leaves)
}

fn bead_from_the_top() -> ContactProblem {
    let leaves = Leaves {
        lift: 0.754238838002552,
        place: [0.7376700373756583, 0.6751613999320422],
        velocity: [1.7375844094690127, -1.8984556232115501],
        hit: 0.9791641205966278,
        x: 1.1284967017065364,
        vy: -4.104972645459434,
    };
    let parameters = [("a0", 0.0), ("w0", 0.5)];
    bead(ContactProblem::read("dome-from-top", include_str!("models/dome.toml"), &parameters), &leaves)
}

fn bead_with_friction() -> ContactProblem {
    let leaves = Leaves {
        lift: 0.3530411208647316,
        place: [0.7446459676150124, 0.6674596489037384],
        velocity: [1.7079377086661889, -1.9054469132100642],
        hit: 0.5757048671458831,
        x: 1.1249417762414722,
        vy: -4.089778264228161,
    };
    bead(ContactProblem::read("dome-rough", include_str!("models/rough-dome.toml"), &[]), &leaves)
}

/// The friction that holds it is within its limit for ever.
fn bead_that_sticks() -> ContactProblem {
    let parameters = [("a0", 0.05), ("w0", 0.6), ("mus", 0.4), ("mud", 0.3)];
    let angle = 0.1431418602997699_f64;
    let forces = [("contact.dome.force.n", 9.709670036055806), ("contact.dome.force.t", -1.3994312383679366)];
    ContactProblem::read("dome-sticks", include_str!("models/rough-dome.toml"), &parameters)
        .then(
            &["contact.dome.stick"],
            0.33624227691981384,
            [&[("x", angle.sin()), ("y", angle.cos())], &forces],
        )
        .ends(&[("x", angle.sin()), ("x'", 0.0), ("y'", 0.0)])
        .ends(&forces)
}

/// Rolls, slips and leaves.
fn cylinder() -> ContactProblem {
    let (angle, rate, spin) = (0.6627321656817619_f64, 1.470647591529302, 7.35323795764651);
    let slips = [
        ("x", 1.25 * angle.sin()),
        ("x'", 1.25 * rate * angle.cos()),
        ("th'", spin),
        ("contact.side.force.n", 5.029856370972259),
        ("contact.side.force.t", -2.0119425483889035),
    ];
    let leaves = [
        ("x", 1.0022739834205596),
        ("y", 0.746958407247876),
        ("x'", 1.6175924838528737),
        ("y'", -2.170496839731483),
        ("th'", 8.74326015244414),
        ("contact.side.slip", 0.521150416988395),
        ("contact.side.force.n", 0.0),
    ];
    ContactProblem::read("cylinder", include_str!("models/cylinder.toml"), &[])
        .then(&["contact.side.slip"], 1.1320200963414615, [&slips, &[]])
        .then(&["contact.side.lift"], 1.2823701944107178, [&leaves, &[]])
}
