//! The state of a run, above all the discrete one: what a form is made from, and what formulas read.
//!
//! A [`Mode`] changes only between steps. Its [`Structure`] shapes a form, so that forms can be kept by it;
//! its [`Values`] are only read, so that a counter that goes up makes no form new. Both are compared bit by
//! bit. The values of the parameters stand beside it: they belong to a run.

mod stamped;

use crate::contact::Status;
use crate::equations::{ContactShape, Guard, Locked, System};
use crate::model::ContactChange;
use std::hash::{Hash, Hasher};

pub use stamped::Stamped;

/// What shapes a form: which equations there are. Two equal structures give equal forms.
#[derive(Debug, Default)]
pub struct Structure {
    /// The guards of the switches on whose surfaces the motion slides, ascending.
    pub sliding: Vec<usize>,
    /// While a mechanism does not meet its constraints yet: for each, the side from which its surface is
    /// approached, or zero once that is met. Empty when all constraints are met.
    pub reaching: Vec<f64>,
    /// Whether contacts are captured: time stepping closes and opens them, and their guards are not watched.
    pub captured: bool,
}

/// What formulas read, fixed during a step.
#[derive(Debug, Default)]
pub struct Values {
    /// The index of the automaton's mode.
    pub place: usize,
    /// The locked sign of each switch, +1 or -1.
    pub signs: Vec<f64>,
    /// The counts: whole numbers.
    pub counts: Vec<f64>,
    /// The discrete variables, set by resets alone.
    pub discrete: Vec<f64>,
}

/// The discrete state. It is fixed during a step and changed only by an event.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode {
    /// What shapes the form.
    pub structure: Structure,
    /// What formulas read.
    pub values: Stamped<Values>,
}

/// What changes during a run, at one time: the continuous state and the discrete one.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The time.
    pub t: f64,
    /// The continuous state, flat.
    pub y: Vec<f64>,
    /// The discrete state.
    pub mode: Mode,
}

impl Mode {
    /// This mode with undecided switches (+1 until decided), counts of zero and no discrete variables.
    pub fn new(place: usize, switches: usize, counts: usize) -> Self {
        let (signs, counts) = (vec![1.0; switches], vec![0.0; counts]);
        let values = Values { place, signs, counts, discrete: Vec::new() };
        Self { structure: Structure::default(), values: Stamped::from(values) }
    }

    /// The mode at the start of a run: switches undecided, counts zero, discrete variables at their start.
    pub fn start(system: &dyn System, place: usize) -> Self {
        let mut mode = Self::new(place, system.switch_names().len(), system.shape().count_number);
        mode.values.discrete.clone_from(&system.shape().discrete_start);
        mode
    }

    /// What a contact does.
    pub fn status(&self, contact: &ContactShape) -> Status {
        let discrete = &self.values.discrete;
        Status::of(discrete[contact.state], discrete[contact.state + 1])
    }

    /// A contact does something else.
    pub fn set_status(&mut self, contact: &ContactShape, status: Status) {
        self.values.discrete[contact.state..contact.state + 2].copy_from_slice(&status.values());
    }

    /// A contact was hit: its impulses, and the sums of all so far, stand after its status.
    pub fn add_impulse(&mut self, contact: &ContactShape, impulse: (f64, f64)) {
        let parts = [Some(impulse.0), contact.tangent.map(|_| impulse.1)];
        let variables = self.values.discrete[contact.state + 2..].chunks_exact_mut(2);
        for (variables, part) in variables.zip(parts.into_iter().flatten()) {
            variables[0] = part;
            variables[1] += part;
        }
    }

    /// A contact had impulses that no hit was logged for: they count in the sums alone.
    pub fn add_to_totals(&mut self, contact: &ContactShape, impulse: (f64, f64)) {
        let parts = [Some(impulse.0), contact.tangent.map(|_| impulse.1)];
        let variables = self.values.discrete[contact.state + 2..].chunks_exact_mut(2);
        variables.zip(parts.into_iter().flatten()).for_each(|(variables, part)| variables[1] += part);
    }

    /// Whether a contact has had impulses: their sum along the normal is never taken back.
    pub fn has_impulses(&self, contact: &ContactShape) -> bool {
        contact.gap.is_some() && self.values.discrete[contact.state + 3] != 0.0
    }

    /// Whether a guard can happen to its contact as that is.
    #[inline]
    fn can_happen(&self, guard: &Guard) -> bool {
        let Some(of) = guard.contact else { return true };
        if self.structure.captured {
            return false;
        }
        let discrete = &self.values.discrete;
        let status = Status::of(discrete[of.state], discrete[of.state + 1]);
        match of.change {
            ContactChange::Hit => !status.is_closed(),
            ContactChange::Lift => status.is_closed(),
            ContactChange::Slip => status == Status::Sticks,
            ContactChange::Stick => matches!(status, Status::Slides(_)),
            ContactChange::Reverse | ContactChange::Rest => true,
        }
    }

    /// Whether a guard is watched: the automaton's mode that it belongs to is the present one, or the motion slides
    /// between it and the present one, and its contact is as it must be.
    #[inline]
    pub fn holds(&self, guards: &[Guard], guard: usize) -> bool {
        if !self.can_happen(&guards[guard]) {
            return false;
        }
        let Some(own) = guards[guard].mode.filter(|&own| own != self.values.place) else { return true };
        let between = |g: &usize| {
            let ends = (guards[*g].mode, guards[*g].response.mode);
            ends == (Some(own), Some(self.values.place)) || ends == (Some(self.values.place), Some(own))
        };
        self.structure.sliding.iter().any(between)
    }

    /// The view that equations are evaluated with, for a run with these parameters.
    pub fn locked<'a>(&'a self, parameters: &'a [f64]) -> Locked<'a> {
        let Values { place, signs, counts, discrete } = &*self.values;
        Locked { mode: *place, parameters, signs, counts, discrete, stamp: self.values.stamp(), rows: None }
    }
}

/// A mode is copied at every event: `clone_from` uses the room that there is.
impl Clone for Mode {
    fn clone(&self) -> Self {
        Self { structure: self.structure.clone(), values: self.values.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.structure.clone_from(&other.structure);
        self.values.clone_from(&other.values);
    }
}

impl Clone for Structure {
    fn clone(&self) -> Self {
        let Self { sliding, reaching, captured } = self;
        Self { sliding: sliding.clone(), reaching: reaching.clone(), captured: *captured }
    }

    fn clone_from(&mut self, other: &Self) {
        self.sliding.clone_from(&other.sliding);
        self.reaching.clone_from(&other.reaching);
        self.captured = other.captured;
    }
}

impl Clone for Values {
    fn clone(&self) -> Self {
        let Self { place, signs, counts, discrete } = self;
        Self { place: *place, signs: signs.clone(), counts: counts.clone(), discrete: discrete.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.place = other.place;
        self.signs.clone_from(&other.signs);
        self.counts.clone_from(&other.counts);
        self.discrete.clone_from(&other.discrete);
    }
}

fn bits(values: &[f64]) -> impl Iterator<Item = u64> + '_ {
    values.iter().map(|value| value.to_bits())
}

impl PartialEq for Structure {
    fn eq(&self, other: &Self) -> bool {
        let same = self.sliding == other.sliding && self.captured == other.captured;
        same && bits(&self.reaching).eq(bits(&other.reaching))
    }
}

impl Eq for Structure {}

impl Hash for Structure {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sliding.hash(state);
        self.captured.hash(state);
        bits(&self.reaching).for_each(|value| value.hash(state));
    }
}

impl Values {
    fn lists(&self) -> [&[f64]; 3] {
        [&self.signs, &self.counts, &self.discrete]
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&[f64], &[f64])| bits(a).eq(bits(b));
        self.place == other.place && self.lists().into_iter().zip(other.lists()).all(same)
    }
}

impl Eq for Values {}

impl Hash for Values {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place.hash(state);
        for list in self.lists() {
            list.len().hash(state);
            bits(list).for_each(|value| value.hash(state));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn mode(discrete: &[f64], sliding: &[usize]) -> Mode {
        let mut mode = Mode::new(1, 2, 1);
        mode.values.discrete = discrete.to_vec();
        mode.structure.sliding = sliding.to_vec();
        mode
    }

    #[test]
    fn discrete_variables_are_values_and_do_not_change_the_structure() {
        let (first, third) = (mode(&[1.0], &[]), mode(&[3.0], &[]));
        assert_ne!(first, third);
        let forms: HashSet<Structure> = [first.structure, third.structure].into();
        assert_eq!(forms.len(), 1);
    }

    #[test]
    fn impulses_are_kept_and_summed_and_leave_the_structure() {
        let contact = |tangent| ContactShape {
            name: "floor".to_owned(),
            gap: Some(crate::equations::ContactGap { normal: 0, hit: 0 }),
            pressed_by: None,
            tangent,
            state: 1,
            law: crate::model::ImpactLaw::Moreau,
        };
        let mut hit = mode(&[9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0], &[]);
        let structure = hit.structure.clone();
        for impulse in [(2.0, -1.0), (3.0, 0.5)] {
            hit.add_impulse(&contact(Some(1)), impulse);
        }
        assert_eq!(hit.values.discrete, [9.0, 0.0, 0.0, 3.0, 5.0, 0.5, -0.5, 9.0]);
        assert_eq!(hit.structure, structure);
        let mut smooth = mode(&[9.0, 3.0, 0.0, 0.0, 0.0, 9.0, 9.0], &[]);
        smooth.add_impulse(&contact(None), (2.0, 0.0));
        assert_eq!(
            smooth.values.discrete,
            [9.0, 3.0, 0.0, 2.0, 2.0, 9.0, 9.0],
            "what is next is not its own"
        );
    }

    #[test]
    fn a_mode_that_is_copied_into_another_is_the_same() {
        let (from, mut to) = (mode(&[1.0, -0.0], &[4]), Mode::new(0, 0, 5));
        to.clone_from(&from);
        assert_eq!((&to, &from.clone()), (&from, &from));
    }

    #[test]
    fn modes_are_compared_bit_by_bit() {
        assert_eq!(mode(&[f64::NAN], &[4]), mode(&[f64::NAN], &[4]));
        assert_ne!(mode(&[0.0], &[]), mode(&[-0.0], &[]));
        assert_ne!(mode(&[1.0], &[]), mode(&[1.0 + f64::EPSILON], &[]));
        let seen: HashSet<Mode> = [mode(&[f64::NAN], &[4])].into();
        assert!(seen.contains(&mode(&[f64::NAN], &[4])) && !seen.contains(&mode(&[f64::NAN], &[])));
    }

    #[test]
    fn a_mode_is_taken_over_as_a_whole() {
        let (mut taken, mut other) = (mode(&[], &[]), mode(&[2.0, 3.0], &[1, 4]));
        (other.structure.reaching, other.values.place) = (vec![1.0], 7);
        other.structure.captured = true;
        (other.values.signs[1], other.values.counts[0]) = (-1.0, 5.0);
        taken.clone_from(&other);
        assert_eq!((&taken, &other.clone()), (&other, &other));
    }

    #[test]
    fn equations_see_the_parameters_of_the_run() {
        let (mode, parameters) = (mode(&[2.0], &[]), [9.81, 0.5]);
        let locked = mode.locked(&parameters);
        assert_eq!((locked.mode, locked.parameters, locked.discrete), (1, &parameters[..], &[2.0][..]));
        assert_eq!((locked.signs, locked.counts), (&[1.0, 1.0][..], &[0.0][..]));
    }
}
