//! A drawn model, before it is written as a model file.

use super::contact_sketch::SketchContact;
use super::pen::{ContactWriting, Pen, Quantity};
use std::fmt::Write;

/// A state or a coordinate with its start, how it changes, and the power of lengths in its dimension.
#[derive(Clone, Debug)]
pub(super) struct SketchState {
    name: &'static str,
    start: String,
    /// The derivative of a state, or the start speed of a coordinate; none if modes say it.
    rate: Option<String>,
    power: i32,
}

/// An event: its name, and its keys with their values.
#[derive(Clone, Debug)]
pub(super) struct SketchEvent {
    name: &'static str,
    keys: Vec<String>,
}

impl SketchEvent {
    /// Happens when a guard becomes true, or goes through zero.
    pub(super) fn when(name: &'static str, guard: impl AsRef<str>) -> Self {
        Self { name, keys: vec![format!("guard = \"{}\"", guard.as_ref())] }
    }

    /// Happens at a moment.
    pub(super) fn at(name: &'static str, moment: &str) -> Self {
        Self { name, keys: vec![format!("at = \"{moment}\"")] }
    }

    /// Happens again and again, one period after the beginning for the first time.
    pub(super) fn every(name: &'static str, period: &Quantity) -> Self {
        Self { name, keys: vec![format!("every = {period}")] }
    }

    pub(super) fn reset(mut self, values: &[(&str, String)]) -> Self {
        self.keys.push(format!("reset = {}", table(values)));
        self
    }

    pub(super) fn goto(mut self, mode: &str) -> Self {
        self.keys.push(format!("goto = \"{mode}\""));
        self
    }

    pub(super) fn stop(mut self) -> Self {
        self.keys.push("stop = true".to_owned());
        self
    }

    pub(super) fn direction(mut self, direction: &str) -> Self {
        self.keys.push(format!("direction = \"{direction}\""));
        self
    }

    /// What happens when it accumulates.
    pub(super) fn at_rest(mut self, mode: Option<&str>, values: &[(&str, String)]) -> Self {
        let goto = mode.map_or(String::new(), |mode| format!("goto = \"{mode}\", "));
        self.keys.push(format!("at_rest = {{ {goto}reset = {} }}", table(values)));
        self
    }

    fn write(&self, prefix: &str, out: &mut String) {
        let _ = writeln!(out, "{prefix}events.{} = {{ {} }}", self.name, self.keys.join(", "));
    }
}

/// A mode: its name, derivatives and events.
#[derive(Clone, Debug)]
pub(super) struct SketchMode {
    name: &'static str,
    derivatives: Vec<(&'static str, String)>,
    events: Vec<SketchEvent>,
}

/// A drawn model.
#[derive(Clone, Debug, Default)]
pub(super) struct Sketch {
    coordinates: Vec<SketchState>,
    states: Vec<SketchState>,
    /// Further keys of the model with their values.
    lines: Vec<String>,
    events: Vec<SketchEvent>,
    modes: Vec<SketchMode>,
    contacts: Vec<SketchContact>,
    until: f64,
    /// The points that can be moved as a whole, as places of both coordinates.
    pub(super) points: Vec<[usize; 2]>,
    /// The coordinates that turn their signs in a mirror.
    pub(super) handed: Vec<usize>,
    /// What is known of the end: places in the state, and their values as drawn.
    pub(super) known_ends: Vec<(usize, f64)>,
    /// How many events of a name there are.
    pub(super) known_counts: Vec<(&'static str, usize)>,
    /// Whether something may stick to what moves at a known time.
    pub(super) sticks_to_time: bool,
    /// Whether closures can say the same: nothing switches but by names in `switches`, and there is no
    /// mechanism.
    pub(super) has_closures: bool,
}

impl Sketch {
    /// A model of no states yet that runs for a time.
    pub(super) fn until(until: f64) -> Self {
        Self { until, ..Self::default() }
    }

    /// Closures can say the same.
    pub(super) fn with_closures(mut self) -> Self {
        self.has_closures = true;
        self
    }

    /// A component of the state is known to end at a value.
    pub(super) fn ends(mut self, place: usize, value: f64) -> Self {
        self.known_ends.push((place, value));
        self
    }

    /// It is known how often an event happens.
    pub(super) fn happens(mut self, name: &'static str, times: usize) -> Self {
        self.known_counts.push((name, times));
        self
    }

    /// Adds a state with the power of lengths in its dimension.
    pub(super) fn state(
        mut self,
        name: &'static str,
        power: i32,
        start: &Quantity,
        rate: impl Into<String>,
    ) -> Self {
        self.states.push(SketchState { name, start: start.to_string(), rate: Some(rate.into()), power });
        self
    }

    /// Adds a state whose derivative each mode says.
    pub(super) fn moded(mut self, name: &'static str, power: i32, start: &Quantity) -> Self {
        self.states.push(SketchState { name, start: start.to_string(), rate: None, power });
        self
    }

    /// Adds a state without a dimension that changes at events alone.
    pub(super) fn held(mut self, name: &'static str, start: i32) -> Self {
        self.states.push(SketchState {
            name,
            start: start.to_string(),
            rate: Some("0".to_owned()),
            power: 0,
        });
        self
    }

    /// Adds a coordinate, which is a length, with its start and the start of its speed.
    pub(super) fn coordinate(mut self, name: &'static str, start: &Quantity, speed: &Quantity) -> Self {
        let (start, rate) = (start.to_string(), Some(speed.to_string()));
        self.coordinates.push(SketchState { name, start, rate, power: 1 });
        self
    }

    /// Adds an angle of a mechanism, which turns its sign in a mirror, with its start and the start of its speed.
    pub(super) fn angle(mut self, pen: &Pen, name: &'static str, start: f64, speed: f64) -> Self {
        self.handed.push(self.coordinates.len());
        let [start, speed] = [start, speed].map(|value| pen.handed_number(value, 0).to_string());
        self.coordinates.push(SketchState { name, start, rate: Some(speed), power: 0 });
        self
    }

    /// Whether coordinates are angles beside lengths.
    pub(super) fn has_angles(&self) -> bool {
        let is_angle = |coordinate: &SketchState| coordinate.power == 0;
        self.coordinates.iter().any(is_angle) && !self.coordinates.iter().all(is_angle)
    }

    /// Something may stick to what moves at a known time.
    pub(super) fn sticking_to_time(mut self) -> Self {
        self.sticks_to_time = true;
        self
    }

    /// Adds a contact.
    pub(super) fn contact(mut self, contact: SketchContact) -> Self {
        self.contacts.push(contact);
        self
    }

    /// The contacts that there are.
    pub(super) fn contacts(&self) -> &[SketchContact] {
        &self.contacts
    }

    /// Adds a point of a mechanism as drawn at a place and with a speed.
    pub(super) fn point(
        mut self,
        pen: &Pen,
        names: [&'static str; 2],
        place: [f64; 2],
        speed: [f64; 2],
    ) -> Self {
        let first = self.coordinates.len();
        self.points.push([first, first + 1]);
        self.handed.push(first);
        let ([x, y], [vx, vy]) = (pen.placed(place), pen.turned(speed));
        self.coordinate(names[0], &x, &vx).coordinate(names[1], &y, &vy)
    }

    /// Adds a formula under a key of the model.
    pub(super) fn formula(mut self, key: &str, formula: impl AsRef<str>) -> Self {
        self.lines.push(format!("{key} = \"{}\"", formula.as_ref()));
        self
    }

    pub(super) fn event(mut self, event: SketchEvent) -> Self {
        self.events.push(event);
        self
    }

    /// Adds a mode; the first is the one that a run begins in.
    pub(super) fn mode(
        mut self,
        name: &'static str,
        derivatives: &[(&'static str, String)],
        events: Vec<SketchEvent>,
    ) -> Self {
        self.modes.push(SketchMode { name, derivatives: derivatives.to_vec(), events });
        self
    }

    /// How long it runs.
    pub(super) fn span(&self) -> f64 {
        self.until
    }

    /// How many coordinates there are.
    pub(super) fn coordinate_count(&self) -> usize {
        self.coordinates.len()
    }

    /// The power of lengths in the dimension of each component of the state.
    pub(super) fn powers(&self) -> Vec<i32> {
        let coordinates = self.coordinates.iter().chain(&self.coordinates);
        coordinates.chain(&self.states).map(|state| state.power).collect()
    }

    /// The model file, with a relative tolerance and absolute ones in the units of the states.
    pub(super) fn text(&self, pen: &Pen, rtol: f64) -> String {
        let mut out = String::new();
        self.write_states(&mut out);
        for line in &self.lines {
            out += line;
            out.push('\n');
        }
        self.write_contacts(pen, &mut out);
        self.events.iter().for_each(|event| event.write("", &mut out));
        for mode in &self.modes {
            let _ = writeln!(out, "[modes.{}]", mode.name);
            if !mode.derivatives.is_empty() {
                let _ = writeln!(out, "derivatives = {}", table(&mode.derivatives));
            }
            mode.events.iter().for_each(|event| event.write("", &mut out));
        }
        let from = pen.rendering.shift;
        let _ = writeln!(out, "[run]\nfrom = {from}\nuntil = {}\nrtol = {rtol:e}", from + self.until);
        out + &self.absolute_tolerances(pen, rtol)
    }

    fn write_states(&self, out: &mut String) {
        let section = |states: &[SketchState], of: fn(&SketchState) -> Option<&String>| {
            let entry = |state: &SketchState| Some((state.name, of(state)?.clone()));
            states.iter().filter_map(entry).collect::<Vec<_>>()
        };
        for (states, keys) in
            [(&self.coordinates, ["coordinates", "speeds"]), (&self.states, ["states", "derivatives"])]
        {
            let starts = section(states, |state| Some(&state.start));
            let rates = section(states, |state| state.rate.as_ref());
            for (key, values) in
                keys.into_iter().zip([starts, rates]).filter(|(_, values)| !values.is_empty())
            {
                let _ = writeln!(out, "{key} = {}", table(&values));
            }
        }
    }

    fn write_contacts(&self, pen: &Pen, out: &mut String) {
        let mut lines: Vec<String> = self.contacts.iter().map(|contact| contact.text(pen)).collect();
        let first = self.contacts.iter().find(|contact| !contact.has_friction());
        match pen.rendering.contacts {
            ContactWriting::Plain => {}
            ContactWriting::Reversed => lines.reverse(),
            ContactWriting::Doubled => lines.extend(first.map(|contact| contact.copy().text(pen))),
            ContactWriting::Rewritten => lines.extend(first.map(|contact| contact.rewritten().text(pen))),
        }
        *out += &lines.concat();
    }

    /// A hundredth of the relative tolerance where lengths are about one.
    fn absolute_tolerances(&self, pen: &Pen, rtol: f64) -> String {
        let speeds = self.coordinates.iter().map(|c| (format!("\"{}'\"", c.name), c.power));
        let others = self.coordinates.iter().chain(&self.states).map(|s| (s.name.to_owned(), s.power));
        let tolerance = |(name, power): (String, i32)| {
            let value = 0.01 * rtol * 10_f64.powi(power * pen.rendering.length);
            format!("{name} = {value:e}")
        };
        format!("atol = {{ {} }}\n", others.chain(speeds).map(tolerance).collect::<Vec<_>>().join(", "))
    }
}

/// An inline table of formulas; numbers are written as such.
fn table(values: &[(&str, String)]) -> String {
    let entry = |(name, formula): &(&str, String)| {
        let name = if name.contains('\'') { format!("\"{name}\"") } else { (*name).to_owned() };
        let is_number = formula.parse::<f64>().is_ok();
        if is_number { format!("{name} = {formula}") } else { format!("{name} = \"{formula}\"") }
    };
    format!("{{ {} }}", values.iter().map(entry).collect::<Vec<_>>().join(", "))
}
