//! Stick and slip: a ramp that tilts, a ramp with two zones, a block on a belt, a block on a block. Closed
//! forms, or extrapolation in 40 digits.

use super::ContactProblem;

pub(super) fn friction() -> Vec<ContactProblem> {
    vec![tilting_ramp(), disc_on_ramp(), belt_block(), stacked_blocks()]
}

/// The normal force depends on the velocity; static friction is more than sliding friction.
fn tilting_ramp() -> ContactProblem {
    let (s, stick, slip, end) =
        (1.2172292234681132, 0.28706700414193465, 1.8404343037412427, 3.0065040938026932);
    let angle = |t: f64| 0.1 + 0.2 * t;
    let place = |t: f64| [("x", s * angle(t).cos()), ("y", s * angle(t).sin())];
    let force = |n, t| [("contact.ramp.force.n", n), ("contact.ramp.force.t", t)];
    let speed = -2.6469761106452734;
    let passes = [("x", 0.0), ("y", 0.0), ("x'", speed * angle(end).cos()), ("y'", speed * angle(end).sin())];
    ContactProblem::read("tilting-ramp", include_str!("models/tilting-ramp.toml"), &[])
        .starts(&force(10.360990861377433, -4.144396344550973))
        .then(&["contact.ramp.stick"], stick, [&place(stick), &force(9.688709873574156, 1.4891668014650865)])
        .then(
            &["contact.ramp.slip"],
            slip,
            [&force(8.754768618600384, 4.377384309300192), &force(8.754768618600384, 3.501907447440153)],
        )
        .then(&["pivot"], end, [&passes, &[]])
}

/// Slips, rolls, slides without friction, comes back slipping, rolls.
fn disc_on_ramp() -> ContactProblem {
    let zone = "x < 22 in contacts.ramp.friction";
    let state = |x, th, vx, spin| [("x", x), ("th", th), ("x'", vx), ("th'", spin)];
    let there = state(22.0, -7.452292917924705, 3.092282826426497, -3.092282826426497);
    let back = state(22.0, -14.992201953933414, -3.092282826426497, -3.092282826426497);
    let first = state(16.26067365277418, -1.7129665706988855, 5.382569406670918, -5.382569406670918);
    let last = state(14.670582367967944, -13.74713193121589, -4.35786096106618, 4.35786096106618);
    ContactProblem::read("disc-on-ramp", include_str!("models/disc-on-ramp.toml"), &[])
        .then(&["contact.ramp.stick"], 0.365138054716863, [&first, &[]])
        .then(&[zone, "contact.ramp.slip"], 1.7195749674483063, [&there, &[("contact.ramp.force.t", 0.0)]])
        .then(&[zone], 4.157873615803824, [&back, &[]])
        .then(&["contact.ramp.stick"], 6.1254645351459995, [&last, &[]])
}

/// The spring lifts the block, so that what it slips at depends on where it is.
fn belt_block() -> ContactProblem {
    const PERIOD: f64 = 1.5381855766253143;
    let force = |n, t| [("contact.belt.force.n", n), ("contact.belt.force.t", t)];
    let mut problem = ContactProblem::read("belt-block", include_str!("models/belt-block.toml"), &[]);
    for period in 0..5 {
        let later = f64::from(period) * PERIOD;
        problem = problem.then(
            &["contact.belt.slip"],
            0.7804278986830668 + later,
            [&force(4.300088586425665, 2.580053151855399), &force(4.300088586425665, 1.720035434570266)],
        );
        if period < 4 {
            let place = [("x", 0.14218689539342694), ("y", 0.0), ("x'", 0.3)];
            let forces = force(5.199820767045552, 1.3110141446820867);
            problem = problem.then(&["contact.belt.stick"], 2.0121418946034044 + later, [&place, &forces]);
        }
    }
    problem
}

/// Both contacts stick, slip and turn, in all combinations.
fn stacked_blocks() -> ContactProblem {
    let text = include_str!("models/stacked-blocks.toml");
    let mut problem = ContactProblem::read("stacked-blocks", text, &[]);
    let state = |[x1, x2, v1, v2]: [f64; 4]| [("x1", x1), ("x2", x2), ("x1'", v1), ("x2'", v2)];
    let force = |[t1, t2]: [f64; 2]| [("contact.lower.force.t", t1), ("contact.upper.force.t", t2)];
    for (name, t, at, before, after) in STACKED {
        let before = [&state(at)[..], &force(before)].concat();
        problem = problem.then(&[name], t, [&before, &force(after)]);
    }
    problem.ends(&state(STACKED_END)).ends(&force([-2.5355421583419138, -0.8451807194473046]))
}

/// The name of what happens, when, places and velocities, and the frictions before and after.
type Row = (&'static str, f64, [f64; 4], [f64; 2], [f64; 2]);

const STACKED: [Row; 10] = [
    (
        "contact.upper.slip",
        0.1189673634028591,
        [0.006078459808864681, 0.006078459808864681, 0.15098920394683213, 0.15098920394683213],
        [7.3575, 2.4525],
        [6.867, 1.962],
    ),
    (
        "contact.lower.slip",
        0.23895210488657012,
        [0.04654167110146519, 0.03831766817458027, 0.5579268096137038, 0.38639926673787317],
        [10.3005, 1.962],
        [8.829, 1.962],
    ),
    (
        "contact.lower.stick",
        0.7491207589170578,
        [0.7780004919841383, 0.4907733485043374, 2.309590883227383, 1.3873501659456897],
        [8.829, 1.962],
        [2.1501372772260887, 1.962],
    ),
    (
        "contact.upper.reverse",
        0.9864381049591533,
        [1.2895830440913825, 0.8752650597181763, 1.8529667988802814, 1.8529667988802814],
        [-5.268232731826879, 1.962],
        [-9.19223273182688, -1.962],
    ),
    (
        "contact.lower.slip",
        1.0522057942764316,
        [1.4031817230281247, 0.992887197894237, 1.5954974374510833, 1.7239305924397812],
        [-10.3005, -1.962],
        [-8.829, -1.962],
    ),
    (
        "contact.lower.stick",
        1.5081589176995116,
        [1.7737530248065025, 1.5749754570869194, 0.029982388177937868, 0.829350564283698],
        [-8.829, -1.962],
        [-3.8816279658980006, -1.962],
    ),
    (
        "contact.upper.reverse",
        1.7799530446131246,
        [1.7957974944669524, 1.7279195910880563, 0.2960904872791895, 0.2960904872791895],
        [3.2183041862644424, -1.962],
        [7.142304186264442, 1.962],
    ),
    (
        "contact.upper.stick",
        2.4042307253861495,
        [2.495640969305994, 2.2950801666654947, 1.5209232969558644, 1.5209232969558644],
        [0.028977715690427817, 1.962],
        [-2.8995334264643584, -0.9665111421547861],
    ),
    (
        "contact.upper.slip",
        2.558865571316738,
        [2.7126428567050445, 2.512082054064545, 1.247191265251625, 1.247191265251625],
        [-7.3575, -2.4525],
        [-6.867, -1.962],
    ),
    (
        "contact.upper.stick",
        3.188819230914946,
        [2.997822065062375, 2.9084531332391332, 0.011222185119940825, 0.011222185119940825],
        [-1.0199419316827374, -1.962],
        [1.413087102475894, 0.47102903415863134],
    ),
];

const STACKED_END: [f64; 4] = [3.5100873877072547, 3.420718455884013, 1.0082557458754802, 1.0082557458754802];
