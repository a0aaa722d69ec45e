//! What the rest of the program sees of a flow: small views with one purpose each, which borrow the flow for
//! a call.

use super::constrained_form::ConstrainedForm;
use super::constraints::ConstraintsView;
use super::contacts::ContactsView;
use super::engine::Engine;
use super::env::{Env, MotionCounts};
use super::ggl::StabilisedIndex2View;
use super::half_explicit::HalfExplicitView;
use super::projection::{ProjectedView, ProjectionView};
use super::rank::Rank;
use super::second_order::SecondOrderView;
use super::singular::SingularView;
use super::{Flow, Multibody};
use crate::equations::Locked;

/// The mechanism of a flow in the mode that holds, if the flow is of a mechanism.
pub(super) struct InMode<'f, 'a> {
    pub(super) mechanism: Option<&'f mut Multibody<'a>>,
    pub(super) locked: Locked<'f>,
}

impl InMode<'_, '_> {
    /// Does something with the form at a point; none where there is no mechanism.
    #[inline]
    pub(super) fn on_form<Y: std::ops::Deref<Target = [f64]>, R>(
        &mut self,
        t: f64,
        y: Y,
        act: impl FnOnce(&mut ConstrainedForm, &mut Env<'_>, Y) -> R,
    ) -> Option<R> {
        let (form, mut env) = self.mechanism.as_mut()?.at(self.locked, t, &y);
        Some(act(form, &mut env, y))
    }

    /// The same with all constraints that hold, including redundant ones.
    pub(super) fn on_rank<R>(
        &mut self,
        t: f64,
        y: &[f64],
        act: impl FnOnce(&mut Rank, &mut Env<'_>, &[f64]) -> R,
    ) -> Option<R> {
        let (rank, mut env) = self.mechanism.as_mut()?.rank_at(self.locked, t, y);
        Some(act(rank, &mut env, y))
    }

    /// The form that was used last.
    #[inline]
    pub(super) fn form(&self) -> Option<&ConstrainedForm> {
        self.mechanism.as_ref().map(|mechanism| mechanism.form())
    }

    #[inline]
    pub(super) fn form_mut(&mut self) -> Option<&mut ConstrainedForm> {
        self.mechanism.as_mut().map(|mechanism| mechanism.form_mut())
    }

    /// From now on accelerations are found with the factors of this point, for places next to it, until
    /// [`let_factors_go`](Self::let_factors_go).
    pub(super) fn hold_factors(mut self, t: f64, y: &[f64]) {
        self.on_form(t, y, |form, env, y| form.index1.hold_factors(env, y));
        let singular = SingularView { in_mode: self };
        // There slopes grow without bound, and the factors of one point say nothing of others.
        if singular.is_near(true) {
            singular.in_mode.let_factors_go();
        }
    }

    /// Accelerations have factors of their own again.
    pub(super) fn let_factors_go(mut self) {
        if let Some(form) = self.form_mut() {
            form.index1.let_factors_go();
        }
    }
}

/// The views.
impl<'a> Flow<'a> {
    /// What the constraints of a mechanism say.
    #[inline]
    pub fn constraints(&mut self) -> ConstraintsView<'_, 'a> {
        ConstraintsView { system: self.system, in_mode: self.in_mode() }
    }

    /// The contacts of a mechanism as numbers.
    pub fn contacts(&mut self) -> ContactsView<'_, 'a> {
        ContactsView { system: self.system, in_mode: self.in_mode() }
    }

    /// The way back to the constraints of a mechanism.
    #[inline]
    pub fn projection(&mut self) -> ProjectionView<'_, 'a> {
        ProjectionView { flow: self }
    }

    /// What the last projection has done.
    pub fn projected(&self) -> ProjectedView<'_> {
        let form = match &self.evaluator {
            Engine::Mechanism(mechanism) => Some(mechanism.form()),
            Engine::Plain(_) => None,
        };
        ProjectedView { form }
    }

    /// Stages of half-explicit methods.
    #[inline]
    pub fn half_explicit(&mut self) -> HalfExplicitView<'_, 'a> {
        HalfExplicitView { flow: self }
    }

    /// The equations of motion as they stand, for methods that solve them with their constraints.
    #[inline]
    pub fn second_order(&mut self) -> SecondOrderView<'_, 'a> {
        SecondOrderView { flow: self }
    }

    /// The stabilised index-2 form of a mechanism.
    #[inline]
    pub fn stabilised_index2(&mut self) -> StabilisedIndex2View<'_, 'a> {
        StabilisedIndex2View { flow: self }
    }

    /// How near the motion of a mechanism is to singular configurations.
    #[inline]
    pub fn singular(&mut self) -> SingularView<'_, 'a> {
        SingularView { in_mode: self.in_mode() }
    }

    #[inline]
    pub(super) fn in_mode(&mut self) -> InMode<'_, 'a> {
        let locked = self.mode.locked(&self.parameters);
        let mechanism = match &mut self.evaluator {
            Engine::Mechanism(mechanism) => Some(&mut **mechanism),
            Engine::Plain(_) => None,
        };
        InMode { mechanism, locked }
    }
}

/// What decides which view can be used.
impl Flow<'_> {
    /// Whether there are constraints that the end of a step must be put back to.
    #[inline]
    pub fn has_constraints(&self) -> bool {
        self.has_constraints
    }

    /// Whether constraints hold now: those of a mechanism may all be open.
    pub fn has_active_constraints(&self) -> bool {
        matches!(&self.evaluator, Engine::Mechanism(mechanism) if !mechanism.form().rows().is_empty())
    }

    /// For each velocity whether constraints hold it; none if there are no constraints.
    #[inline]
    pub(super) fn held_velocities(&self) -> &[bool] {
        match &self.evaluator {
            Engine::Mechanism(mechanism) if !mechanism.form().rows().is_empty() => {
                &mechanism.form().index1.linear.is_held
            }
            _ => &[],
        }
    }

    /// Whether a mechanism does not meet its constraints yet, on purpose.
    #[inline]
    pub fn is_reaching(&self) -> bool {
        !self.mode.structure.reaching.is_empty()
    }

    /// Whether the motion follows from the terms of one mode and the constraints.
    pub fn has_terms(&self) -> bool {
        matches!(self.evaluator, Engine::Mechanism(_)) && !self.is_mixed()
    }

    /// Whether the motion slides on a surface or must stay on one side of it: the field is more than the
    /// terms of one mode then.
    pub(super) fn is_mixed(&self) -> bool {
        self.motions.now.is_some() || self.one_sided.is_on()
    }

    /// The side on which the surface of each constraint is approached from, zero for those met; none at all
    /// once the constraints are met.
    pub fn reach(&mut self, sides: &[f64]) {
        self.mode.structure.reaching = sides.to_vec();
        if let Engine::Mechanism(mechanism) = &mut self.evaluator {
            mechanism.reach(sides);
        }
    }

    /// Work on the linear systems of a mechanism so far.
    pub fn motion_counts(&self) -> MotionCounts {
        match &self.evaluator {
            Engine::Mechanism(mechanism) => mechanism.counts,
            Engine::Plain(_) => MotionCounts::default(),
        }
    }
}
