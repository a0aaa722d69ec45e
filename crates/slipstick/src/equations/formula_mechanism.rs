//! The terms of a mechanism whose equations are formulas, from tapes.

use super::inputs::load;
use super::mechanism::{MechanismScratch, MechanismTapes};
use super::selected::Selected;
use super::{At, LawsWanted, Locked, MechanismTerms, ResidualsWanted, SlopePlaces, Terms, TermsWanted};

/// The tapes of a mechanism with the scratch to run them.
pub(super) struct FormulaMechanism<'a> {
    all: &'a MechanismTapes,
    /// The tapes of the constraints that hold.
    selected: Selected,
    pub(super) scratch: MechanismScratch,
    /// The slopes of the rates of constraints that are not always zero.
    slopes: Vec<f64>,
    /// A state for formulas that do not depend on it.
    nowhere: Vec<f64>,
}

impl<'a> FormulaMechanism<'a> {
    /// With this many states.
    pub(super) fn new(all: &'a MechanismTapes, states: usize) -> Self {
        Self {
            all,
            selected: Selected::default(),
            scratch: all.scratch(),
            slopes: vec![0.0; all.places.slopes.len()],
            nowhere: vec![0.0; states],
        }
    }

    /// The tapes with the rows that are locked.
    pub(super) fn tapes(&mut self, locked: Locked<'_>) -> &MechanismTapes {
        self.selected.tapes(self.all, locked.rows)
    }
}

impl MechanismTerms for FormulaMechanism<'_> {
    fn terms(&mut self, at: At<'_>, want: TermsWanted, terms: &mut Terms) {
        let (locked, t, y) = at;
        let (tapes, scratch) = (self.selected.tapes(self.all, locked.rows), &mut self.scratch);
        match want {
            TermsWanted::All => {
                load(&mut scratch.terms, t, y, locked);
                let out = &mut scratch.out[..tapes.terms.output_count()];
                tapes.terms.run(&mut scratch.terms, out);
                let (driving, levels) = out.split_at(out.len() - tapes.places.levels.len());
                tapes.take_driving(driving, terms);
                for (&place, value) in tapes.places.levels.iter().zip(levels) {
                    terms.level[place] = *value;
                }
            }
            TermsWanted::Driving => {
                load(&mut scratch.driving, t, y, locked);
                let out = &mut scratch.out[..tapes.driving.output_count()];
                tapes.driving.run(&mut scratch.driving, out);
                tapes.take_driving(out, terms);
            }
            TermsWanted::Gradients => {
                return tapes.rows.gradients(&mut scratch.rows, at, &mut terms.jacobian.values);
            }
        }
        if !tapes.places.feedback.is_empty() {
            load(&mut scratch.feedback, t, y, locked);
            tapes.feedback.run(&mut scratch.feedback, &mut terms.feedback.values);
        }
    }

    fn residuals(&mut self, at: At<'_>, want: ResidualsWanted<'_>, residuals: (&mut [f64], &mut [f64])) {
        let (tapes, scratch) = (self.selected.tapes(self.all, at.0.rows), &mut self.scratch);
        match want {
            ResidualsWanted::All => tapes.rows.residuals(&mut scratch.rows, at, residuals),
            ResidualsWanted::Positions => tapes.rows.positions(&mut scratch.rows, at, residuals.0),
            ResidualsWanted::OfTerms(terms) => {
                let (position, velocity) = residuals;
                let out = &mut scratch.out[..position.len() + tapes.places.offsets.len()];
                tapes.residuals_of_terms.run(&mut scratch.terms, out);
                position.copy_from_slice(&out[..position.len()]);
                tapes.find_rates(terms, at.2, &out[position.len()..], velocity);
            }
        }
    }

    fn rates(&mut self, at: At<'_>, (_, velocity): (&mut [f64], &mut [f64]), terms: &mut Terms) -> bool {
        let tapes = self.selected.tapes(self.all, at.0.rows);
        let offsets = tapes.rows.rates(&mut self.scratch.rows, at, &mut terms.jacobian.values);
        tapes.find_rates(terms, at.2, offsets, velocity);
        true
    }

    fn turn(&mut self, locked: Locked<'_>, change: &[f64], turned: &mut [f64]) -> bool {
        let (tapes, scratch) = (self.selected.tapes(self.all, locked.rows), &mut self.scratch);
        // There is more than constraints `g(q) = 0`: rates then are more than `G v`.
        if tapes.turns.output_count() < turned.len() || !tapes.places.offsets.is_empty() {
            return false;
        }
        let inputs = scratch.terms.inputs_mut();
        let last = inputs.len() - change.len();
        inputs[last..].copy_from_slice(change);
        tapes.turns.run(&mut scratch.terms, turned);
        true
    }

    fn rate_slopes(&mut self, at: At<'_>, places: SlopePlaces, slopes: &mut [f64]) -> bool {
        let tapes = self.selected.tapes(self.all, at.0.rows);
        match places {
            SlopePlaces::Named => tapes.rows.slopes(&mut self.scratch.rows, at, slopes),
            SlopePlaces::Full => {
                let values = &mut self.slopes[..tapes.places.slopes.len()];
                tapes.rows.slopes(&mut self.scratch.rows, at, values);
                slopes.fill(0.0);
                for (&(row, column), value) in tapes.places.slopes.iter().zip(values) {
                    slopes[row * tapes.coordinates + column] = *value;
                }
            }
        }
        true
    }

    fn tangent(&mut self, at: At<'_>, change: &[f64], out: &mut [f64]) -> bool {
        let (locked, t, y) = at;
        let (tapes, scratch) = (self.selected.tapes(self.all, locked.rows), &mut self.scratch);
        load(&mut scratch.tangent, t, y, locked);
        let inputs = scratch.tangent.inputs_mut();
        let last = inputs.len() - change.len();
        inputs[last..].copy_from_slice(change);
        inputs[last - scratch.motion.len()..last].copy_from_slice(&scratch.motion);
        let values = &mut scratch.out[..tapes.tangent.output_count()];
        tapes.tangent.run(&mut scratch.tangent, values);
        let (of_motion, turns) = values.split_at(out.len());
        out.copy_from_slice(of_motion);
        for (turning, turn) in tapes.places.turning.iter().zip(turns) {
            let (row, column) = tapes.places.gradients[turning.number];
            let constraint = locked.rows.map_or(row, |rows| rows.constraint(row));
            out[column] += scratch.motion[tapes.coordinates + constraint] * turn;
        }
        true
    }

    fn shift_positions(&mut self, _t: f64, q: &mut [f64], change: &[f64]) {
        for (q, change) in q.iter_mut().zip(change) {
            *q -= change;
        }
    }

    fn joints(&mut self, locked: Locked<'_>, shut: &mut [bool]) {
        self.all.rows.joints(&mut self.scratch.rows, (locked, &self.nowhere), shut);
    }

    fn laws(&mut self, at: At<'_>, want: LawsWanted, laws: &mut [f64]) {
        self.all.laws.run(&mut self.scratch.laws, at, want, laws);
    }

    fn set_motion(&mut self, motion: &[f64]) {
        self.scratch.motion.copy_from_slice(motion);
    }
}
