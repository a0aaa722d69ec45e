//! Balls: on a floor, on a table that shakes, in a wedge, and a disc with backspin. Closed forms, 40 digits.

use super::ContactProblem;

pub(super) fn balls() -> Vec<ContactProblem> {
    let mut all = vec![ball(), shaking_table(), soft_table()];
    let wedges = [("wedge-30", 1.1327612281500459), ("wedge-45", 1.3873435046880063), ("wedge-60", 1.962)];
    all.extend(wedges.into_iter().zip([6.0, 4.0, 3.0]).map(|((name, force), part)| wedge(name, part, force)));
    all.extend([backspin(), dropped_with_little_friction(), dropped_with_much_friction()]);
    all
}

fn ball() -> ContactProblem {
    let mut problem = ContactProblem::read("ball", include_str!("models/ball.toml"), &[]);
    for (t, v) in BALL_HITS {
        problem = problem.then(&["contact.floor.hit"], t, [&[("y'", v)], &[("y'", -0.8 * v)]]);
    }
    problem.rests(&["contact.floor.hit", "contact.floor.rest"], 4.063712768871578, &[]).ends(&[
        ("y", 0.0),
        ("y'", 0.0),
        ("contact.floor.force.n", 9.81),
    ])
}

/// The first hits: times, and velocities before them.
const BALL_HITS: [(f64, f64); 8] = [
    (0.4515236409857309, -4.42944691807002),
    (1.1739614665629003, -3.543557534456016),
    (1.7519117270246358, -2.834846027564813),
    (2.2142719353940246, -2.2678768220518504),
    (2.5841601020895353, -1.8143014576414802),
    (2.8800706354459438, -1.451441166113184),
    (3.1167990621310704, -1.1611529328905474),
    (3.306181803479172, -0.9289223463124379),
];

/// The first lift from the table, the period of what follows, and how it leaves the table.
const LIFT: f64 = 0.02087544885680686;
const PERIOD: f64 = 0.179519580205131;
const LEAVES: [(&str, f64); 2] = [("y", 0.008008163265306121), ("y'", 0.3127937313427923)];
/// Hits after a lift, and their limit.
const TABLE_HITS: [f64; 12] = [
    0.12264058541436859,
    0.1397746041083991,
    0.14673441351791955,
    0.14959524191188556,
    0.15075669750547446,
    0.15122437712339903,
    0.1514119690642883,
    0.15148709067107768,
    0.15151715299129875,
    0.15152918011451724,
    0.15153399131545695,
    0.15153591585212486,
];
const TABLE_LIMIT: f64 = 0.15153719889444434;

fn shaking_table() -> ContactProblem {
    let text = include_str!("models/shaking-table.toml");
    let mut problem = ContactProblem::read("shaking-table", text, &[])
        .starts(&[("contact.table.force.n", 9.81)])
        .then(&["contact.table.lift"], LIFT, [&LEAVES, &[]]);
    for period in 0..3 {
        let later = f64::from(period) * PERIOD;
        problem = problem
            .times(&["contact.table.hit"], &TABLE_HITS.map(|t| t + later))
            .rests(&["contact.table.hit", "contact.table.rest"], TABLE_LIMIT + later, &[])
            .then(&["contact.table.lift"], LIFT + PERIOD + later, [&LEAVES, &[]]);
    }
    problem
}

/// Without restitution each hit ends in rest.
fn soft_table() -> ContactProblem {
    let text = include_str!("models/shaking-table.toml");
    let mut problem = ContactProblem::read("soft-table", text, &[("e", 0.0)]).then(
        &["contact.table.lift"],
        LIFT,
        [&LEAVES, &[]],
    );
    for period in 0..3 {
        let later = f64::from(period) * PERIOD;
        problem = problem.times(&["contact.table.hit"], &[TABLE_HITS[0] + later]).then(
            &["contact.table.lift"],
            LIFT + PERIOD + later,
            [&LEAVES, &[]],
        );
    }
    problem
}

const WEDGE_HITS: [f64; 8] = [
    0.2855686245854129,
    0.685364699004991,
    0.9652219510986956,
    1.1611220275642888,
    1.298252081090204,
    1.3942431185583448,
    1.4614368447860433,
    1.508472453145432,
];

/// A wedge whose sides have a part of half a turn to the horizontal, and the force in each at rest.
fn wedge(name: &'static str, part: f64, force: f64) -> ContactProblem {
    let angle = std::f64::consts::PI / part;
    let mut problem = ContactProblem::read(name, include_str!("models/wedge.toml"), &[("b", angle)]);
    let mut speed = 1.9609997450280303;
    for t in WEDGE_HITS {
        let after = [("x'", 0.0), ("y'", speed)];
        problem = problem.then(&["contact.left.hit", "contact.right.hit"], t, [&[], &after]);
        speed *= 0.7;
    }
    let rest = ["contact.left.hit", "contact.right.hit", "contact.left.rest", "contact.right.rest"];
    problem.rests(&rest, 1.6182222059840063, &[]).ends(&[
        ("x", 0.0),
        ("y", 0.0),
        ("contact.left.force.n", force),
        ("contact.right.force.n", force),
    ])
}

fn backspin() -> ContactProblem {
    ContactProblem::read("disc-backspin", include_str!("models/disc.toml"), &[]).then(
        &["contact.floor.stick"],
        1.472420432665081,
        [
            &[
                ("x", 1.227017027220901),
                ("a", 83.43715785102125),
                ("x'", -4.0 / 3.0),
                ("contact.floor.force.n", 19.62),
                ("contact.floor.force.t", -5.886),
            ],
            &[("a'", 40.0 / 3.0), ("contact.floor.force.n", 19.62), ("contact.floor.force.t", 0.0)],
        ],
    )
}

fn dropped(name: &'static str, mu: f64) -> ContactProblem {
    let parameters = [("mu", mu), ("h", 0.5), ("vx", 1.5), ("spin", 60.0)];
    ContactProblem::read(name, include_str!("models/disc.toml"), &parameters)
}

/// Each hit takes off a part of the slip; the slip goes on through the limit of the hits.
fn dropped_with_little_friction() -> ContactProblem {
    let mut problem = dropped("disc-bounces-slipping", 0.15);
    for (t, x, v, spin) in SLIPPING_HITS {
        let (before, after) = ([("x", x)], [("x'", v), ("a'", spin)]);
        problem = problem.then(&["contact.floor.hit"], t, [&before, &after]);
    }
    let rolls = [("x", 0.49973666326877336), ("a", 60.96313285762827), ("contact.floor.force.t", -2.943)];
    problem
        .rests(
            &["contact.floor.hit", "contact.floor.rest"],
            1.277101713628202,
            &[("contact.floor.state", 1.0)],
        )
        .then(&["contact.floor.stick"], 1.6989466530750934, [&rolls, &[("x'", -1.0), ("a'", 10.0)]])
}

/// Hits while it slips: times, places, velocities and spins after them.
const SLIPPING_HITS: [(f64, f64, f64, f64); 8] = [
    (0.3192754284070505, 0.4789131426105757, 0.7482979313584404, 44.96595862716881),
    (0.702405942495511, 0.7656089137432666, 0.2972766901735046, 35.94553380347009),
    (0.9322842509485874, 0.833946376422881, 0.026663945462543158, 30.533278909250864),
    (1.0702112360204332, 0.8376240540306498, -0.13570370136403373, 27.285925972719326),
    (1.1529674270635406, 0.8263937325953109, -0.23312428945997984, 25.337514210800403),
    (1.202621141689405, 0.8148182456541077, -0.29157664231754754, 24.16846715364905),
    (1.2324133704649238, 0.8061315276205857, -0.32664805403208813, 23.467038919358238),
    (1.250288707730235, 0.8002925834877046, -0.34769090106081246, 23.04618197878375),
];

/// The first hit ends the slip.
fn dropped_with_much_friction() -> ContactProblem {
    let mut problem = dropped("disc-bounces-rolling", 0.6);
    for (t, ..) in SLIPPING_HITS {
        problem = problem.then(&["contact.floor.hit"], t, [&[], &[("x'", -1.0), ("a'", 10.0)]]);
    }
    problem
        .rests(
            &["contact.floor.hit", "contact.floor.rest"],
            1.277101713628202,
            &[("contact.floor.state", 2.0)],
        )
        .ends(&[("x'", -1.0), ("a'", 10.0), ("contact.floor.force.t", 0.0)])
}
