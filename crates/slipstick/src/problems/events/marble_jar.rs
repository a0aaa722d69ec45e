//! The marble jar of paper 000, section 5.3.4: marbles that bounce in a jar without friction, in space.
//!
//! N marbles of 5 g and 8 mm radius are let go with small sideways speeds above a plane, inside an upright
//! cylinder of 40 mm radius, one every 20 mm from 100 mm upwards, on a spiral. Contacts between all of them,
//! with the plane and with the cylinder are springs of 4e10 N/m, which is all but rigid: a contact lasts 1.1
//! µs, a flight 0.1 s. Damped contacts have dampers of 283 N s/m besides, a hundredth of the critical damping
//! of one marble, on each contact. One second is simulated, in which no marble comes to rest.
//!
//! Guards are the gaps: N to the plane, N to the cylinder, N(N-1)/2 between marbles, which is (5.9). There is
//! no truth for so chaotic a motion; the check is the energy (5.10), to which the work of the dampers is
//! added: it is a state of its own, the last.
//!
//! The tolerance of the paper is one of the largest component, eps max(‖x‖∞, 1), and so is ours for explicit
//! methods: an absolute tolerance of eps is the same for states below 1.

use super::{Against, EventProblem, Solver};
use crate::equations::ClosureSystem;
use crate::simulate::Options;
use crate::step::Method;

const G: f64 = 9.81;
const MASS: f64 = 0.005;
const RADIUS: f64 = 0.008;
const JAR: f64 = 0.04;
const STIFFNESS: f64 = 4e10;
const DAMPING: f64 = 283.0;
const UNTIL: f64 = 1.0;

/// A jar of marbles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarbleJar {
    /// How many marbles.
    pub marbles: usize,
    /// Whether the contacts have dampers.
    pub damped: bool,
}

/// Two marbles, or a marble and a wall.
#[derive(Clone, Copy)]
enum Contact {
    Plane(usize),
    Cylinder(usize),
    Pair(usize, usize),
}

impl MarbleJar {
    fn contacts(self) -> Vec<Contact> {
        let walls = (0..self.marbles).map(Contact::Plane).chain((0..self.marbles).map(Contact::Cylinder));
        let pairs = (0..self.marbles).flat_map(|i| (0..i).map(move |j| Contact::Pair(i, j)));
        walls.chain(pairs).collect()
    }

    /// The number of guards, by equation (5.9) with two walls.
    pub fn guard_count(self) -> usize {
        let n = self.marbles;
        n * n + 2 * n - n * (n + 1) / 2
    }

    /// Whether table 5.6 is about this jar.
    fn is_printed(self) -> bool {
        self.marbles == 10 && !self.damped
    }

    fn damping(self) -> f64 {
        if self.damped { DAMPING } else { 0.0 }
    }

    fn names(self) -> Vec<String> {
        let axes = |letter: &'static str| {
            (0..self.marbles).flat_map(move |i| ["x", "y", "z"].map(|axis| format!("{letter}{axis}{i}")))
        };
        axes("").chain(axes("v")).chain(["damped".to_owned()]).collect()
    }

    fn start(self) -> Vec<f64> {
        let turn = |i: usize| 2.4 * i as f64;
        let place = |i: usize| {
            let (sin, cos) = turn(i).sin_cos();
            let far = 0.6 * (JAR - RADIUS);
            [far * cos, far * sin, 0.1 + 0.02 * i as f64]
        };
        let speed = |i: usize| {
            let (sin, cos) = (1.7 * turn(i)).sin_cos();
            [0.1 * cos, 0.1 * sin, 0.0]
        };
        let all = 0..self.marbles;
        all.clone().flat_map(place).chain(all.flat_map(speed)).chain([0.0]).collect()
    }

    /// The rates of all states; `closed` tells by number and gap which contacts hold.
    fn rates(self, contacts: &[Contact], s: &[f64], ds: &mut [f64], closed: impl Fn(usize, f64) -> bool) {
        let n = 3 * self.marbles;
        ds[..n].copy_from_slice(&s[n..2 * n]);
        ds[n..].fill(0.0);
        for i in 0..self.marbles {
            ds[n + 3 * i + 2] = -G;
        }
        for (k, contact) in contacts.iter().enumerate() {
            let gap = contact.gap(s);
            if closed(k, gap) {
                self.push(*contact, gap, s, ds);
            }
        }
    }

    /// Adds the force of a contact to the rates of the speeds, and its loss to that of the work of dampers.
    fn push(self, contact: Contact, gap: f64, s: &[f64], ds: &mut [f64]) {
        let n = 3 * self.marbles;
        let (i, other, normal) = contact.normal(gap, s);
        let speed = |marble: usize| (0..3).map(|c| normal[c] * s[n + 3 * marble + c]).sum::<f64>();
        let rate = speed(i) - other.map_or(0.0, speed);
        let acceleration = (-STIFFNESS * gap - self.damping() * rate) / MASS;
        for c in 0..3 {
            ds[n + 3 * i + c] += normal[c] * acceleration;
            if let Some(j) = other {
                ds[n + 3 * j + c] -= normal[c] * acceleration;
            }
        }
        ds[2 * n] += self.damping() * rate * rate;
    }

    /// The energy (5.10) and what the dampers have taken. A contact holds as long as its gap is negative.
    fn energy(self, contacts: &[Contact], s: &[f64]) -> f64 {
        let n = 3 * self.marbles;
        let heights: f64 = (0..self.marbles).map(|i| s[3 * i + 2]).sum();
        let speeds: f64 = s[n..2 * n].iter().map(|v| v * v).sum();
        let springs: f64 = contacts.iter().map(|contact| contact.gap(s).min(0.0).powi(2)).sum();
        MASS * (G * heights + 0.5 * speeds) + 0.5 * STIFFNESS * springs + s[2 * n]
    }
}

impl Contact {
    fn gap(self, s: &[f64]) -> f64 {
        match self {
            Self::Plane(i) => s[3 * i + 2] - RADIUS,
            Self::Cylinder(i) => JAR - RADIUS - s[3 * i].hypot(s[3 * i + 1]),
            Self::Pair(i, j) => {
                let d = apart(s, i, j);
                (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt() - 2.0 * RADIUS
            }
        }
    }

    /// The marble that is pushed, the one that is pushed back if there is one, and the direction.
    fn normal(self, gap: f64, s: &[f64]) -> (usize, Option<usize>, [f64; 3]) {
        match self {
            Self::Plane(i) => (i, None, [0.0, 0.0, 1.0]),
            Self::Cylinder(i) => {
                let far = JAR - RADIUS - gap;
                (i, None, [-s[3 * i] / far, -s[3 * i + 1] / far, 0.0])
            }
            Self::Pair(i, j) => (i, Some(j), apart(s, i, j).map(|d| d / (gap + 2.0 * RADIUS))),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Plane(i) => format!("plane{i}"),
            Self::Cylinder(i) => format!("cylinder{i}"),
            Self::Pair(i, j) => format!("pair{i}-{j}"),
        }
    }
}

fn apart(s: &[f64], i: usize, j: usize) -> [f64; 3] {
    [0, 1, 2].map(|c| s[3 * i + c] - s[3 * j + c])
}

/// How a jar is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By the solver of the paper, without events.
    Plain,
    /// By our own pair, without events.
    NoEvents,
    /// With events.
    Events,
}

/// A jar with events at a tolerance, and before it the same without event handling. The jar of the paper's
/// table 5.6 is run by the paper's own solver too, which hunts for every contact.
///
/// Promises are those of table 5.6 and figure 5.12, against the same pair with the same step control.
pub fn marble_jar(jar: MarbleJar, eps: f64) -> Vec<EventProblem> {
    let plain = jar.is_printed().then_some(Way::Plain);
    let ways = plain.into_iter().chain([Way::NoEvents, Way::Events]);
    ways.map(|way| one_way(jar, eps, way)).collect()
}

fn one_way(jar: MarbleJar, eps: f64, way: Way) -> EventProblem {
    let base = format!("jar-{}{}", jar.marbles, ["", "-damped"][usize::from(jar.damped)]);
    let name = match way {
        Way::Plain => format!("{base}-plain"),
        Way::NoEvents => format!("{base}-no-events"),
        Way::Events => base.clone(),
    };
    let source = "paper 000, section 5.3.4 and table 5.6; energy (5.10)";
    let contacts = jar.contacts();
    let system = system(jar, contacts.clone(), way == Way::Events);
    let start = jar.start();
    let mut problem = EventProblem::new(&name, source, system, start, UNTIL);
    problem.tolerance = eps;
    problem.options = Options { method: Method::Tsitouras5, ..problem.options }.longest_step(0.1);
    problem.options = match way {
        Way::Plain => problem.options.tolerances(eps, eps),
        _ => problem.options.tolerances(0.0, eps),
    };
    problem.invariant = Some(Box::new(move |s| jar.energy(&contacts, s)));
    match way {
        Way::Plain => problem.solver = Solver::Plain,
        Way::NoEvents => {}
        Way::Events => {
            problem.against = promises(jar, eps, &base);
            problem.bounds.invariant = 100.0 * eps * jar.energy(&jar.contacts(), &problem.start.y);
        }
    }
    problem
}

fn system(jar: MarbleJar, contacts: Vec<Contact>, events: bool) -> ClosureSystem {
    let list = contacts.clone();
    if !events {
        return ClosureSystem::new(jar.names(), move |_, s, ds| {
            jar.rates(&list, s, ds, |_, gap| gap < 0.0);
        });
    }
    let locked = ClosureSystem::switched(jar.names(), move |_, s, signs, ds| {
        jar.rates(&list, s, ds, |k, _| signs[k] < 0.0);
    });
    let add =
        |system: ClosureSystem, contact: Contact| system.switch(&contact.name(), move |_, s| contact.gap(s));
    contacts.into_iter().fold(locked, add)
}

/// The numbers of the paper for ten marbles, and what holds for every jar.
fn promises(jar: MarbleJar, eps: f64, base: &str) -> Vec<Against> {
    let printed = if eps >= 1e-3 { 4.2 } else { 3.3 };
    let (fewer, steadier) = if jar.is_printed() { (printed, 8.0) } else { (3.0, 0.0) };
    let against = |way: &str| Against { name: format!("{base}-{way}"), fewer, steadier };
    let plain = jar.is_printed().then(|| Against { steadier: 0.0, ..against("plain") });
    plain.into_iter().chain([against("no-events")]).collect()
}

/// All jars of the suite.
pub(super) fn all_jars() -> Vec<EventProblem> {
    let jars = [false, true]
        .into_iter()
        .flat_map(|damped| [2, 4, 8, 10, 16].into_iter().map(move |marbles| MarbleJar { marbles, damped }));
    jars.flat_map(|jar| [1e-3, 1e-6].into_iter().flat_map(move |eps| marble_jar(jar, eps))).collect()
}
