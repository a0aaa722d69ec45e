//! Contacts beside joints: a double pendulum at a wall, a rod that breaks, a latch that shuts and opens.
//! Extrapolation in 40 digits, quadrature, closed form.

use super::ContactProblem;
use std::f64::consts::SQRT_2;

pub(super) fn joints() -> Vec<ContactProblem> {
    let mut all = vec![rod_breaks(), latch()];
    let names = [
        ["pendulum-wall", "pendulum-wall-lossy", "pendulum-wall-soft"],
        ["pendulum-rods", "pendulum-rods-lossy", "pendulum-rods-soft"],
    ];
    let hits: [&[WallHit]; 3] = [&ELASTIC, &LOSSY, &SOFT];
    for (k, restitution) in [1.0, 0.6, 0.0].into_iter().enumerate() {
        all.push(in_angles(names[0][k], restitution, hits[k]));
        all.push(with_rods(names[1][k], restitution, hits[k]));
    }
    all
}

fn rod_breaks() -> ContactProblem {
    let (vx, vy) = (-3.0761515036990614, -5.017312589440288);
    let breaks =
        [("x", 1.0066039331819752), ("y", -1.112091957394971), ("x'", vx), ("y'", -2.7843616547146564)];
    let falls = [("x", 0.30641072466592234), ("y", -2.0), ("x'", vx), ("y'", vy)];
    ContactProblem::read("rod-breaks", include_str!("models/rod-breaks.toml"), &[])
        .then(&["breaks"], 0.46612733987135196, [&breaks, &breaks])
        .then(&["contact.floor.hit"], 0.6937472108933328, [&falls, &[("x'", vx), ("y'", -0.6 * vy)]])
}

fn latch() -> ContactProblem {
    let (v, after) = (1.131370849898476, 0.8706319543871567);
    let capture = [("x1", 0.1), ("x2", 0.1), ("x1'", SQRT_2), ("x2'", 0.0)];
    let release = [("x1", 0.19), ("x2", 0.19), ("x1'", after), ("x2'", after)];
    ContactProblem::read("latch", include_str!("models/latch.toml"), &[])
        .then(&["capture"], 0.3821266472498037, [&capture, &[("x1'", v), ("x2'", v)]])
        .then(&["release"], 0.47085380881724737, [&release, &release])
        .ends(&[
            ("x1", -0.0842686688509054),
            ("x2", 0.6506915825859599),
            ("x1'", -1.2177724689992016),
            ("x2'", after),
        ])
}

/// A hit of the wall: angles, rates before and after it, velocities of both points before and after it.
struct WallHit {
    t: f64,
    angles: [f64; 2],
    rates: [[f64; 2]; 2],
    velocities: [[f64; 4]; 2],
}

const FIRST: WallHit = WallHit {
    t: 0.8184149727279917,
    angles: [0.12285266333362485, 0.5209725446577526],
    rates: [[1.4921523998652002, 1.069935946059052], [-1.211103649870933, -1.6018383001544154]],
    velocities: [
        [1.4809061936253904, 0.18285412247317312, 2.1305016171278366, 0.5556270034779802],
        [-1.2019756804855906, -0.14841332235314078, -2.174507571580514, -0.7065045616014461],
    ],
};

const ELASTIC: [WallHit; 2] = [
    FIRST,
    WallHit {
        t: 2.4554991435695857,
        angles: [0.13530893037287733, 0.4977405400873161],
        rates: [[1.7784698528398424, 0.5136016312257274], [-0.7077122996366317, -2.482047609693697]],
        velocities: [
            [1.7622141135325313, 0.2399092235136564, 2.0781122412471396, 0.41155952019062675],
            [-0.7012436003617463, -0.09546785851094118, -2.2278629588897516, -0.9249905521081546],
        ],
    },
];

const LOSSY: [WallHit; 2] = [
    WallHit {
        rates: [FIRST.rates[0], [-0.6704524399237065, -1.067483450911722]],
        velocities: [
            FIRST.velocities[0],
            [-0.6653993056633944, -0.082159833387878, -1.313505733838844, -0.4540782485855609],
        ],
        ..FIRST
    },
    WallHit {
        t: 2.643222563973559,
        angles: [0.2743247564998592, 0.27381037112020673],
        rates: [[1.7962979855028054, -1.1557867333114162], [1.7973107973573588, -3.4124807286036876]],
        velocities: [
            [1.729131419289709, 0.4866117420969141, 0.9502198218689465, 0.26784295976317507],
            [1.7301063604262414, 0.486886109793665, -0.5696438779839494, -0.1590325811010416],
        ],
    },
];

const SOFT: [WallHit; 1] = [WallHit {
    rates: [FIRST.rates[0], [0.14052437499713355, -0.2659511770476817]],
    velocities: [
        FIRST.velocities[0],
        [0.13946525656989991, 0.01722040006001617, -0.022002977226338784, -0.07543877906173298],
    ],
    ..FIRST
}];

fn in_angles(name: &'static str, restitution: f64, hits: &[WallHit]) -> ContactProblem {
    let text = include_str!("models/double-pendulum-wall.toml");
    let mut problem = ContactProblem::read(name, text, &[("e", restitution)]);
    for hit in hits {
        let [a, b] = hit.angles;
        let [before, after] = hit.rates.map(|[a, b]| [("a'", a), ("b'", b)]);
        let before = [&[("a", a), ("b", b)][..], &before].concat();
        problem = problem.then(&["contact.wall.hit"], hit.t, [&before, &after]);
    }
    problem
}

fn with_rods(name: &'static str, restitution: f64, hits: &[WallHit]) -> ContactProblem {
    let text = include_str!("models/double-pendulum-rods.toml");
    let mut problem = ContactProblem::read(name, text, &[("e", restitution)]);
    for hit in hits {
        let named = |[x1, y1, x2, y2]: [f64; 4]| [("x1'", x1), ("y1'", y1), ("x2'", x2), ("y2'", y2)];
        let [before, after] = hit.velocities.map(named);
        problem = problem.then(&["contact.wall.hit"], hit.t, [&before, &after]);
    }
    problem
}
