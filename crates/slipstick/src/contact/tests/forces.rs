//! Which contacts hold, and how they share forces: cases that were solved exactly, in rational numbers.

use super::{Bodies, assert_near};
use crate::contact::choices::{ContactChoice, all_solutions};
use crate::contact::{LawNumbers, Status, Wish, resolve_accelerations};

/// A box of unit mass at rest on two corners, pushed at a height: what its rear and its front corner do.
struct Pushed {
    about: &'static str,
    half: [f64; 2],
    friction: f64,
    push: f64,
    height: f64,
    statuses: [Status; 2],
}

const PUSHED: &[Pushed] = &[
    Pushed {
        about: "stays",
        half: [1.0, 1.0],
        friction: 1.0 / 2.0,
        push: 2.0,
        height: 1.0,
        statuses: [Status::Sticks, Status::Sticks],
    },
    Pushed {
        about: "slides",
        half: [1.0, 1.0],
        friction: 1.0 / 5.0,
        push: 4.0,
        height: 1.0,
        statuses: [Status::Slides(1.0), Status::Slides(1.0)],
    },
    Pushed {
        about: "tips about the front corner, sticks",
        half: [1.0 / 2.0, 2.0],
        friction: 4.0 / 5.0,
        push: 5.0,
        height: 3.0,
        statuses: [Status::Open, Status::Sticks],
    },
    Pushed {
        about: "tips about the front corner, friction reversed, sticks",
        half: [1.0 / 2.0, 2.0],
        friction: 2.0 / 5.0,
        push: 12.0,
        height: 7.0 / 2.0,
        statuses: [Status::Open, Status::Sticks],
    },
    Pushed {
        about: "tips about the front corner and slides",
        half: [1.0 / 2.0, 2.0],
        friction: 2.0 / 5.0,
        push: 12.0,
        height: 2.0,
        statuses: [Status::Open, Status::Slides(1.0)],
    },
    Pushed {
        about: "at the friction limit",
        half: [1.0, 1.0],
        friction: 1.0 / 2.0,
        push: 5.0,
        height: 1.0,
        statuses: [Status::Sticks, Status::Sticks],
    },
    Pushed {
        about: "at the tipping limit",
        half: [1.0, 1.0],
        friction: 2.0,
        push: 5.0,
        height: 2.0,
        statuses: [Status::Sticks, Status::Sticks],
    },
    Pushed {
        about: "push at the floor, slides",
        half: [1.0, 1.0 / 2.0],
        friction: 3.0 / 10.0,
        push: 6.0,
        height: 0.0,
        statuses: [Status::Slides(1.0), Status::Slides(1.0)],
    },
    Pushed {
        about: "pull to the left, tips about the rear corner",
        half: [1.0 / 2.0, 2.0],
        friction: 4.0 / 5.0,
        push: -5.0,
        height: 3.0,
        statuses: [Status::Sticks, Status::Open],
    },
    Pushed {
        about: "slides, front corner lifts",
        half: [1.0, 4.0],
        friction: 3.0 / 2.0,
        push: 40.0,
        height: 1.0,
        statuses: [Status::Slides(1.0), Status::Open],
    },
];

const RESTING: Wish = Wish {
    status: Status::Sticks,
    stays: true,
    hits: false,
    lifts: false,
    slips: false,
    sticks: false,
    direction: 0.0,
};

/// The box with its mass, and the forces on x, y and the angle.
fn pushed(case: &Pushed) -> (Bodies, [f64; 3]) {
    let [b, h] = case.half;
    let law = LawNumbers { friction: Some((case.friction, case.friction)), ..LawNumbers::default() };
    let corner = |side: f64| [vec![0.0, 1.0, side * b], vec![1.0, 0.0, h]];
    let bodies = Bodies {
        masses: vec![1.0, 1.0, (b * b + h * h) / 3.0],
        rows: vec![corner(-1.0), corner(1.0)],
        laws: vec![law; 2],
    };
    (bodies, [case.push, -10.0, -case.push * (case.height - h)])
}

#[test]
fn a_box_that_is_pushed_stays_slides_or_tips() {
    for case in PUSHED {
        let (bodies, forces) = pushed(case);
        let resolved = resolve_accelerations(&bodies.relations(&[0.0; 3], &forces), &[RESTING; 2]);
        let resolved = resolved.expect("forces");
        assert_eq!(resolved.statuses, case.statuses, "{}", case.about);
        assert!(!resolved.is_ambiguous, "{}", case.about);
    }
}

/// A block on a block that slides on a table. Where the lower one turns round, its slip is zero for an instant: with the
/// friction that it would have at rest it would slide away below the upper one. It is not at rest, and they go on together.
#[test]
fn what_lies_on_a_block_that_turns_round_stays() {
    let friction =
        |sticking, sliding| LawNumbers { friction: Some((sticking, sliding)), ..LawNumbers::default() };
    let bodies = Bodies {
        masses: vec![1.0; 4],
        rows: vec![
            [vec![0.0, 1.0, 0.0, 0.0], vec![1.0, 0.0, 0.0, 0.0]],
            [vec![0.0, -1.0, 0.0, 1.0], vec![-1.0, 0.0, 1.0, 0.0]],
        ],
        laws: vec![friction(0.3, 0.1), friction(0.25, 0.05)],
    };
    for way in [1.0, -1.0] {
        let relations = bodies.relations(&[0.0; 4], &[9.0 * way, -10.0, 9.0 * way, -10.0]);
        let turns = Wish { status: Status::Slides(-way), sticks: true, ..RESTING };
        let resolved = resolve_accelerations(&relations, &[turns, RESTING]).expect("forces");
        assert_eq!(resolved.statuses, [Status::Slides(way), Status::Sticks]);
    }
}

/// Normal forces of contacts that all stay closed.
fn shared(masses: &[f64], normals: &[Vec<f64>], load: &[f64]) -> Vec<f64> {
    let bodies = Bodies {
        masses: masses.to_vec(),
        rows: normals.iter().map(|row| [row.clone(), vec![0.0; masses.len()]]).collect(),
        laws: vec![LawNumbers::default(); normals.len()],
    };
    let relations = bodies.relations(&vec![0.0; masses.len()], load);
    let choices = vec![vec![ContactChoice::Closed, ContactChoice::Free]; normals.len()];
    let found = all_solutions(&relations, &relations.free, &choices).expect("few enough");
    let size = |p: &[f64]| p.iter().map(|p| p * p).sum::<f64>();
    let least = found.iter().min_by(|a, b| size(&a.p).total_cmp(&size(&b.p))).expect("a solution");
    least.p.iter().step_by(2).copied().collect()
}

/// A load of one on a beam with four supports: of all forces that hold it and push, those of least squares.
#[test]
fn supports_of_a_beam_share_its_load() {
    let supports = [0.0, 1.0, 2.0, 4.0].map(|x| vec![1.0, x]);
    let cases = [
        (7.0 / 4.0, [0.25, 0.25, 0.25, 0.25]),
        (1.0, [2.0 / 5.0, 11.0 / 35.0, 8.0 / 35.0, 2.0 / 35.0]),
        (0.5, [7.0 / 12.0, 1.0 / 3.0, 1.0 / 12.0, 0.0]),
        (0.25, [0.75, 0.25, 0.0, 0.0]),
        (3.5, [0.0, 0.0, 0.25, 0.75]),
        (4.0, [0.0, 0.0, 0.0, 1.0]),
    ];
    for (at, expected) in cases {
        let forces = shared(&[1.0, 1.0], &supports, &[-1.0, -at]);
        assert_near(&forces, &expected, &format!("a load at {at}"));
    }
}

#[test]
fn legs_of_a_table_share_its_load() {
    let legs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| vec![1.0, x, y]);
    let cases = [
        ([0.0, 0.0], [0.25, 0.25, 0.25, 0.25]),
        ([0.5, 0.25], [1.0 / 16.0, 5.0 / 16.0, 7.0 / 16.0, 3.0 / 16.0]),
        ([0.75, 0.5], [0.0, 0.25, 0.625, 0.125]),
        ([1.0, 0.5], [0.0, 0.25, 0.75, 0.0]),
        ([1.0, 0.0], [0.0, 0.5, 0.5, 0.0]),
    ];
    for ([x, y], expected) in cases {
        let forces = shared(&[1.0; 3], &legs, &[-1.0, -x, -y]);
        assert_near(&forces, &expected, &format!("a load at {x}, {y}"));
    }
}

/// Loads at 5 on a beam from 0 to 4, and which of its supports stay closed.
const TIPS: [(f64, [bool; 4]); 4] =
    [(0.0, [true; 4]), (0.5, [true; 4]), (2.0, [true; 4]), (3.0, [false, false, false, true])];

/// A beam with a load beyond its last support: it tips when that is over what its own weight holds.
#[test]
fn a_beam_tips_over_its_last_support() {
    let law = vec![LawNumbers::default(); 4];
    let rows = [0.0, 1.0, 2.0, 4.0].map(|x| [vec![1.0, x - 2.0], vec![0.0; 2]]).to_vec();
    let bodies = Bodies { masses: vec![1.0, 4.0 / 3.0], rows, laws: law };
    let rests = Wish { status: Status::Frictionless, ..RESTING };
    for (load, is_closed) in &TIPS {
        let relations = bodies.relations(&[0.0; 2], &[-1.0 - load, -3.0 * load]);
        let resolved = resolve_accelerations(&relations, &[rests; 4]).expect("forces");
        let closed: Vec<bool> = resolved.statuses.iter().map(|status| status.is_closed()).collect();
        assert_eq!(closed, *is_closed, "a load of {load}");
    }
}
