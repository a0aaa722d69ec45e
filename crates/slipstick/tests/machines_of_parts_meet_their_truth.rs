//! Machines of the literature, written as bodies and joints, reach the states that are known, with every form and
//! however they are drawn.

use slipstick::formulation::Mixture;
use slipstick::formulation::Stabilisation;
use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::step::Method;
use std::collections::BTreeMap;
use std::fmt::Write;

const ANDREWS: &str = include_str!("../../../models/andrews.toml");

/// The angles of the seven bodies at 0.03, from the coordinates of the literature in 48 digits.
fn angles_of_andrews() -> [(&'static str, f64); 7] {
    let [be, th, ga, ph, de, om, ep] = [
        15.810_771_195_153_707,
        -15.756_371_058_411_84,
        0.040_822_240_119_645_8,
        -0.534_730_116_342_079_6,
        0.524_409_965_879_954,
        0.534_730_116_342_079_6,
        1.048_080_741_041_938,
    ];
    [("K1", be), ("K2", be + th), ("K3", ga), ("K4", ph + de), ("K5", de), ("K6", om + ep), ("K7", ep)]
}

/// The states at the end of a run, by name.
fn end_of(text: &str, change: impl FnOnce(&mut Plan)) -> BTreeMap<String, f64> {
    let model = Model::from_toml(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let mut plan = Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors:?}"));
    change(&mut plan);
    let run =
        simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"));
    // With the coordinates of joints, where bodies are is no state.
    let (mut outputs, mode) = (vec![0.0; model.outputs.len()], &run.segments.last().expect("a segment").mode);
    let mut observer = Mixture::new(&plan.system, plan.system.outputs());
    observer.observe(mode, run.end_time(), run.end_state(), &mut outputs);
    let values = run.end_state().iter().copied().chain(outputs);
    model.states.iter().chain(&model.outputs).map(|d| d.name.clone()).zip(values).collect()
}

fn assert_andrews(what: &str, text: &str, bound: f64, change: impl FnOnce(&mut Plan)) {
    let end = end_of(text, change);
    for (body, truth) in angles_of_andrews() {
        let angle = end[&format!("{body}.angle")];
        assert!(
            (angle - truth).abs() < bound * (1.0 + truth.abs()),
            "{what}: {body} is at {angle}, not {truth}"
        );
    }
}

fn with_joints(text: &str) -> String {
    text.replace("[run]", "[run]\ncoordinates = \"joint\"")
}

#[test]
fn andrews_mechanism_reaches_its_angles_with_every_form() {
    assert_every_form(ANDREWS);
}

#[test]
fn andrews_mechanism_reaches_its_angles_with_every_form_in_the_angles_of_its_joints() {
    let text = with_joints(ANDREWS);
    let model = Model::from_toml(&text).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!((model.mechanism.coordinates, model.mechanism.constraints.len()), (7, 6));
    assert_every_form(&text);
}

fn assert_every_form(text: &str) {
    let forms = [
        (Method::Automatic, None, 1e-9),
        (Method::DormandPrince5, None, 1e-9),
        (Method::DormandPrince5, Some(Stabilisation::Project), 1e-9),
        (Method::DormandPrince8, None, 1e-9),
        (Method::HalfExplicit5, None, 1e-9),
        (Method::PartitionedHalfExplicit5, None, 1e-9),
        (Method::Radau5, None, 1e-9),
        (Method::Radau5, Some(Stabilisation::Ggl), 1e-9),
        // Of second order: steps for 1e-8 would take minutes.
        (Method::GeneralizedAlpha, None, 1e-6),
    ];
    for (method, stabilisation, tolerance) in forms {
        let what = format!("{method:?} {stabilisation:?}");
        let bound = if tolerance < 1e-8 { 1e-8 } else { 1e-3 };
        assert_andrews(&what, text, bound, |plan| {
            plan.options.method = method;
            plan.options = plan.options.clone().tolerances(tolerance, tolerance / 10.0);
            if let Some(stabilisation) = stabilisation {
                plan.options.constraints.stabilisation = stabilisation;
            }
        });
    }
}

#[test]
fn a_joint_that_is_doubled_changes_nothing() {
    let doubled = ANDREWS.replace("[forces]", "again = { revolute = [\"K4.E\", \"K3.E\"] }\n\n[forces]");
    assert_andrews("a joint twice", &doubled, 1e-8, |_| {});
}

/// A four-bar that falls, drawn somewhere, turned, mirrored, with its bodies in another order or one of them in two
/// halves.
#[derive(Clone, Copy, Default)]
struct Drawing {
    at: [f64; 2],
    turn: f64,
    mirrored: bool,
    backwards: bool,
    halved: bool,
    /// How many metres one unit of length is.
    unit: f64,
}

impl Drawing {
    fn angle(&self, angle: f64) -> f64 {
        if self.mirrored { self.turn - angle } else { self.turn + angle }
    }

    fn direction(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (y, (sin, cos)) = (if self.mirrored { -y } else { y }, self.turn.sin_cos());
        [x * cos - y * sin, x * sin + y * cos]
    }

    fn place(&self, at: [f64; 2]) -> [f64; 2] {
        let [x, y] = self.direction(at);
        [(self.at[0] + x) / self.unit, (self.at[1] + y) / self.unit]
    }

    fn text(&self) -> String {
        let [gx, gy] = self.direction([0.0, -9.81]).map(|g| g / self.unit);
        let ([ax, ay], [dx, dy]) = (self.place([0.0, 0.0]), self.place([0.4, 0.0]));
        let length = |l: f64| l / self.unit;
        let mass = 0.3;
        // The crank of 0.1 m, whole or as two rods that are fixed to each other.
        let crank = if self.halved {
            let angle = self.angle(1.4);
            format!(
                "crank = {{ link = {{ A = [0, 0], M = [{0:?}, 0] }}, mass = {1:?}, angle = {angle:?} }}\n\
                 outer = {{ link = {{ M = [0, 0], B = [{0:?}, 0] }}, mass = {1:?}, angle = {angle:?} }}\n",
                length(0.05),
                mass / 2.0
            )
        } else {
            let (length, angle) = (length(0.1), self.angle(1.4));
            format!(
                "crank = {{ link = {{ A = [0, 0], B = [{length:?}, 0] }}, mass = {mass}, angle = {angle:?} }}\n"
            )
        };
        let coupler = format!(
            "coupler = {{ link = {{ B = [0, 0], C = [{:?}, 0] }}, mass = 0.8, angle = {:?} }}\n",
            length(0.35),
            self.angle(0.4)
        );
        let rocker = format!(
            "rocker = {{ link = {{ D = [0, 0], C = [{:?}, 0] }}, mass = 0.6, angle = {:?} }}\n",
            length(0.25),
            self.angle(1.8)
        );
        let mut bodies = [crank, coupler, rocker];
        if self.backwards {
            bodies.reverse();
        }
        let mut text = format!(
            "gravity = [{gx:?}, {gy:?}]\n[bodies]\nground = {{ points = {{ A = [{ax:?}, {ay:?}], D = [{dx:?}, {dy:?}] }} }}\n"
        );
        text += &bodies.concat();
        let tip = if self.halved { "outer.B" } else { "crank.B" };
        let _ = write!(
            text,
            "[joints]\nA = {{ revolute = [\"ground.A\", \"crank.A\"] }}\nB = {{ revolute = [\"{tip}\", \"coupler.B\"] }}\n\
             C = {{ revolute = [\"coupler.C\", \"rocker.C\"] }}\nD = {{ revolute = [\"ground.D\", \"rocker.D\"] }}\n"
        );
        if self.halved {
            text += "M = { fixed = [\"crank.M\", \"outer.M\"] }\n";
        }
        text + "[assemble]\npinned = [\"crank.angle\"]\n[run]\nuntil = 1.3\nrtol = 1e-10\natol = 1e-12\n"
    }

    /// The angle of the crank at the end, as it would be drawn upright.
    fn crank(&self) -> f64 {
        self.crank_of(&self.text())
    }

    fn crank_of(&self, text: &str) -> f64 {
        let end = end_of(text, |_| {});
        let angle = end["crank.angle"] - self.turn;
        if self.mirrored { -angle } else { angle }
    }
}

#[test]
fn a_machine_moves_the_same_however_it_is_drawn() {
    let plain = Drawing { unit: 1.0, ..Drawing::default() };
    let truth = plain.crank();
    assert!((truth - 1.4).abs() > 0.1, "it moves");
    for (what, drawing) in [
        ("moved", Drawing { at: [3.0, -2.0], ..plain }),
        ("turned", Drawing { turn: 2.5, ..plain }),
        ("mirrored", Drawing { mirrored: true, turn: 0.3, ..plain }),
        ("in another order", Drawing { backwards: true, ..plain }),
        ("in two halves", Drawing { halved: true, ..plain }),
        ("in millimetres", Drawing { unit: 1e-3, ..plain }),
        ("in kilometres", Drawing { unit: 1e3, ..plain }),
    ] {
        let crank = drawing.crank();
        assert!((crank - truth).abs() < 1e-7, "{what}: {crank}, not {truth}");
        let in_joints = drawing.crank_of(&with_joints(&drawing.text()));
        assert!((in_joints - truth).abs() < 1e-7, "{what}, in angles of joints: {in_joints}, not {truth}");
    }
}
