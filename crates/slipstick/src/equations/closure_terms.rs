//! The terms of a mechanism written in closures. They come from jets, and have no slopes to tell.

use super::closure_energy::ClosureEnergy;
use super::closure_jets::MechanismJets;
use super::closure_mechanism::Mechanism;
use super::{
    ActiveRows, At, BadContact, BadPlace, LawsWanted, Locked, MechanismStructure, MechanismTerms, Observer,
    ResidualsWanted, SlopePlaces, Terms, TermsWanted, WrongGradient,
};

impl MechanismTerms for MechanismJets<'_> {
    fn terms(&mut self, (locked, t, y): At<'_>, want: TermsWanted, terms: &mut Terms) {
        match want {
            TermsWanted::All | TermsWanted::Driving => self.all_terms(locked, t, y, terms),
            TermsWanted::Gradients => self.gradients(locked.rows, t, y, terms),
        }
    }

    fn residuals(&mut self, at: At<'_>, _: ResidualsWanted<'_>, residuals: (&mut [f64], &mut [f64])) {
        let (locked, t, y) = at;
        self.all_residuals((locked, t, y), residuals.0, residuals.1);
    }

    fn rates(&mut self, at: At<'_>, residuals: (&mut [f64], &mut [f64]), _: &mut Terms) -> bool {
        self.residuals(at, ResidualsWanted::All, residuals);
        false
    }

    fn turn(&mut self, _: Locked<'_>, _: &[f64], _: &mut [f64]) -> bool {
        false
    }

    fn rate_slopes(&mut self, _: At<'_>, _: SlopePlaces, _: &mut [f64]) -> bool {
        false
    }

    fn tangent(&mut self, _: At<'_>, _: &[f64], _: &mut [f64]) -> bool {
        false
    }

    /// Takes `T` times a change off the positions.
    fn shift_positions(&mut self, t: f64, q: &mut [f64], change: &[f64]) {
        self.shift(t, q, change);
    }

    fn joints(&mut self, locked: Locked<'_>, shut: &mut [bool]) {
        self.find_shut(locked, shut);
    }

    fn laws(&mut self, at: At<'_>, wanted: LawsWanted, laws: &mut [f64]) {
        match wanted {
            LawsWanted::Contacts => self.fill_laws(at, laws),
            LawsWanted::Impulses => laws.fill(0.0),
        }
    }

    fn set_motion(&mut self, motion: &[f64]) {
        self.motion.copy_from_slice(motion);
    }
}

impl MechanismStructure for Mechanism {
    fn energies(&self, _mode: usize) -> Option<Observer<'_>> {
        Some(Observer::of_energy(ClosureEnergy::new(self)))
    }
    fn room_for_terms(&self, rows: &ActiveRows) -> Terms {
        self.terms_with(rows)
    }
    fn tangent_places(&self, _rows: &ActiveRows) -> Option<Vec<(usize, usize)>> {
        None
    }
    fn rate_slope_places(&self, _rows: &ActiveRows) -> Vec<(usize, usize)> {
        Vec::new()
    }
    fn bad_place(&self) -> Option<BadPlace> {
        self.outside_place()
    }
    fn wrong_gradient(&self, t: f64, y: &[f64]) -> Option<WrongGradient> {
        MechanismJets::new(self).wrong_gradient(t, y)
    }
    fn bad_contact(&self, t: f64, y: &[f64]) -> Option<(usize, BadContact)> {
        MechanismJets::new(self).bad_contact(t, y)
    }
    fn uneven_mass(&self, t: f64, y: &[f64]) -> Option<(usize, usize, (f64, f64))> {
        self.uneven_entry(t, y)
    }
}
