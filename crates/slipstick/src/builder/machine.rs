//! A model as it grows: sections of parts by name, in the order in which they were added.

use super::body::{Body, Shape};
use super::drive::Drive;
use super::errors::{BuildError, BuildErrors};
use super::events::{Contact, Event};
use super::forces::{Force, Sensor};
use super::handles::{
    BodyHandle, ContactHandle, DriveHandle, GroundHandle, Happening, JointHandle, PlaceHandle, ShapeHandle,
};
use super::joints::Joint;
use super::print::PrintedModel;
use super::value::{Amount, FileTable, FileValue, pair};
use crate::equations::FormulaSystem;
use crate::model::{Diagnostic, Model};
use crate::simulate::{Failure, Options, Overrides, Plan, Start, simulate};
use crate::trajectory::Trajectory;
use std::borrow::Borrow;

/// A run that is only planned, to check a model that says nothing of one.
const SOME_RUN: &str = "\n[run]\nuntil = 1.0\n";

/// A model of planar parts that grows. [`Model::planar`] makes one.
#[derive(Clone, Debug, Default)]
pub struct PlanarModel {
    /// What stands on top of a file.
    top: FileTable,
    /// The sections in the order of their first use.
    sections: Vec<(&'static str, FileTable)>,
    /// Names that were given twice.
    errors: Vec<BuildError>,
}

/// A model that was checked and compiled.
#[derive(Clone, Debug)]
pub struct Machine {
    model: Model,
    plan: Plan,
}

impl Model {
    /// An empty model of planar parts.
    pub fn planar() -> PlanarModel {
        PlanarModel::default()
    }
}

/// What the whole is.
impl PlanarModel {
    /// The acceleration of weights; there is none if it is not given.
    #[must_use]
    pub fn gravity<A: Into<Amount>>(mut self, gravity: [A; 2]) -> Self {
        self.top.set("gravity", pair(gravity));
        self
    }

    /// What it is called.
    #[must_use]
    pub fn title(mut self, title: &str) -> Self {
        self.top.set("title", title);
        self
    }

    /// What it is about.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        self.top.set("description", description);
        self
    }

    /// Until when a file of this model runs. [`Machine::simulate`] has options of its own.
    #[must_use]
    pub fn until(mut self, time: impl Into<Amount>) -> Self {
        self.section("run").set("until", time.into());
        self
    }
}

/// Parts, each with its name. What comes back names them to others.
impl PlanarModel {
    /// A parameter, which formulas use by its name.
    pub fn parameter(&mut self, name: &str, value: impl Into<Amount>) -> Amount {
        self.add("parameters", name, value.into());
        Amount::formula(name)
    }

    /// A variable that only events change.
    pub fn discrete(&mut self, name: &str, start: impl Into<Amount>) -> Amount {
        self.add("discrete", name, start.into());
        Amount::formula(name)
    }

    /// A point of the ground.
    pub fn ground_point<A: Into<Amount>>(&mut self, name: &str, at: [A; 2]) -> PlaceHandle {
        let mut ground = match self.section("bodies").get("ground") {
            Some(FileValue::Table(known)) => known.clone(),
            _ => FileTable::default(),
        };
        if matches!(ground.get("points"), Some(FileValue::Table(points)) if points.has(name)) {
            self.errors.push(BuildError::twice("bodies.ground", name));
        } else {
            ground.set_in("points", name, pair(at));
            self.section("bodies").set("ground", ground);
        }
        GroundHandle.point(name)
    }

    /// A material, whose density stands for bodies of it.
    pub fn material(&mut self, name: &str, density: impl Into<Amount>) {
        self.add("materials", name, FileTable::default().with("density", density.into()));
    }

    /// What happens where two materials touch.
    pub fn pair(
        &mut self,
        [first, second]: [&str; 2],
        restitution: impl Into<Amount>,
        friction: impl Into<Amount>,
    ) {
        let pair =
            FileTable::default().with("restitution", restitution.into()).with("friction", friction.into());
        self.add("pairs", &format!("{first} {second}"), pair);
    }

    /// A body.
    pub fn body(&mut self, name: &str, body: Body) -> BodyHandle {
        self.add("bodies", name, body.0);
        BodyHandle::new(name)
    }

    /// A joint.
    pub fn joint(&mut self, name: &str, joint: impl Into<Joint>) -> JointHandle {
        self.add("joints", name, joint.into().0);
        JointHandle::new(name)
    }

    /// A drive.
    pub fn drive(&mut self, name: &str, drive: Drive) -> DriveHandle {
        self.add("drives", name, drive.0);
        DriveHandle::new(name)
    }

    /// A named force.
    pub fn force(&mut self, name: &str, force: Force) {
        self.add("forces", name, force.0);
    }

    /// A further shape, on a body or at a place of one.
    pub fn shape(&mut self, name: &str, place: impl Into<PlaceHandle>, shape: Shape) -> ShapeHandle {
        self.add("shapes", name, shape.say("body", place.into()).0);
        ShapeHandle::new(name)
    }

    /// A contact between shapes.
    pub fn contact(&mut self, name: &str, contact: Contact) -> ContactHandle {
        self.add("contacts", name, contact.0);
        ContactHandle::new(name)
    }

    /// An event.
    pub fn event(&mut self, name: &str, event: Event) -> Happening {
        self.add("events", name, event.0);
        Happening::event(name)
    }

    /// A sensor.
    pub fn sensor(&mut self, name: &str, sensor: Sensor) {
        self.add("sensors", name, sensor.0);
    }

    /// A named formula of what moves, which the results have.
    pub fn output(&mut self, name: &str, formula: impl Into<Amount>) -> Amount {
        self.add("outputs", name, formula.into());
        Amount::formula(name)
    }

    /// Coordinates that stay as they are drawn, such as [`BodyHandle::angle`].
    pub fn pin(&mut self, coordinates: impl IntoIterator<Item = Amount>) {
        let list: Vec<FileValue> = coordinates.into_iter().map(FileValue::from).collect();
        self.section("assemble").set("pinned", list);
    }

    /// The way in which a loop closes: the sign of the angle of a joint.
    pub fn branch(&mut self, joint: &JointHandle, is_positive: bool) {
        let word = if is_positive { "positive" } else { "negative" };
        let angle = joint.coordinate("angle").to_string();
        self.section("assemble").set_in("branch", &angle, word);
    }

    fn section(&mut self, name: &'static str) -> &mut FileTable {
        let place = self.sections.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.sections.push((name, FileTable::default()));
            self.sections.len() - 1
        });
        &mut self.sections[place].1
    }

    /// Adds a part. A name that is taken is an error, which the check reports.
    fn add(&mut self, section: &'static str, name: &str, part: impl Into<FileValue>) {
        if self.section(section).has(name) {
            self.errors.push(BuildError::twice(section, name));
        } else {
            self.section(section).set(name, part);
        }
    }
}

/// What comes of it.
impl PlanarModel {
    /// The model file that says the same. It runs if [`until`](Self::until) was given.
    pub fn to_toml(&self) -> String {
        PrintedModel::new(&self.top, &self.sections).text
    }

    /// Reads the model as a file of it would be read, and compiles it. All errors that can be seen together are
    /// reported at once.
    pub fn check(&self) -> Result<Machine, BuildErrors> {
        let mut printed = PrintedModel::new(&self.top, &self.sections);
        let is_timed = self.sections.iter().any(|(name, _)| *name == "run");
        if !is_timed {
            printed.text.push_str(SOME_RUN);
        }
        let place = |errors: Vec<Diagnostic>| {
            let found = errors.into_iter().map(|error| BuildError::placed(error, &printed));
            BuildErrors(self.errors.iter().cloned().chain(found).collect())
        };
        let model = Plan::read_model(&printed.text).map_err(place)?;
        let plan = Plan::new(&model, &Overrides::default()).map_err(place)?;
        if self.errors.is_empty() { Ok(Machine { model, plan }) } else { Err(place(Vec::new())) }
    }
}

impl Machine {
    /// Runs it. The parts are put together first, as in a file that asks for the same.
    pub fn simulate(&self, options: impl Borrow<Options>) -> Result<Trajectory, Box<Failure>> {
        simulate(&self.plan.system, &self.plan.start, options.borrow())
    }

    /// The model, as a file of it would be read.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The compiled system, for a simulator that is used many times, and for what is drawn of it.
    pub fn system(&self) -> &FormulaSystem {
        &self.plan.system
    }

    /// Where its runs begin.
    pub fn start(&self) -> &Start {
        &self.plan.start
    }
}
