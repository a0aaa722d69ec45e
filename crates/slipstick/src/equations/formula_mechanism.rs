//! The terms of a mechanism whose equations are formulas, from tapes.

use super::mechanism::{MechanismScratch, MechanismTapes};
use super::selected::Selected;
use super::{At, Locked, MechanismTerms, ResidualsWanted, SlopePlaces, Terms, TermsWanted};

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
        let tapes = self.selected.tapes(self.all, at.0.rows);
        match want {
            TermsWanted::All => tapes.terms(&mut self.scratch, at, terms),
            TermsWanted::Driving => tapes.driving_terms(&mut self.scratch, at, terms),
            TermsWanted::Gradients => {
                tapes.rows.gradients(&mut self.scratch.rows, at, &mut terms.jacobian.values);
            }
        }
    }

    fn residuals(&mut self, at: At<'_>, want: ResidualsWanted<'_>, residuals: (&mut [f64], &mut [f64])) {
        let tapes = self.selected.tapes(self.all, at.0.rows);
        match want {
            ResidualsWanted::All => tapes.rows.residuals(&mut self.scratch.rows, at, residuals),
            ResidualsWanted::Positions => {
                tapes.rows.positions(&mut self.scratch.rows, at, residuals.0);
            }
            ResidualsWanted::OfTerms(terms) => {
                tapes.residuals_of_terms(&mut self.scratch, terms, at.2, residuals);
            }
        }
    }

    fn rates(&mut self, at: At<'_>, (_, velocity): (&mut [f64], &mut [f64]), terms: &mut Terms) -> bool {
        let tapes = self.selected.tapes(self.all, at.0.rows);
        tapes.rates(&mut self.scratch, at, velocity, terms);
        true
    }

    fn turn(&mut self, locked: Locked<'_>, change: &[f64], turned: &mut [f64]) -> bool {
        self.selected.tapes(self.all, locked.rows).turn(&mut self.scratch, change, turned)
    }

    fn rate_slopes(&mut self, at: At<'_>, places: SlopePlaces, slopes: &mut [f64]) -> bool {
        let tapes = self.selected.tapes(self.all, at.0.rows);
        match places {
            SlopePlaces::Named => tapes.rows.slopes(&mut self.scratch.rows, at, slopes),
            SlopePlaces::Full => {
                let values = &mut self.slopes[..tapes.places.slopes.len()];
                tapes.rows.slopes(&mut self.scratch.rows, at, values);
                tapes.spread_slopes(values, slopes);
            }
        }
        true
    }

    fn tangent(&mut self, at: At<'_>, change: &[f64], out: &mut [f64]) -> bool {
        let tapes = self.selected.tapes(self.all, at.0.rows);
        tapes.tangent(&mut self.scratch, at, change, out);
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

    fn set_motion(&mut self, motion: &[f64]) {
        self.scratch.motion.copy_from_slice(motion);
    }
}
