//! Smith's impact law for one contact with friction: it never gains energy (Smith, Nonlinear Dynamics 1991).
//!
//! With `a`, `b` the slip before and after, `p_t = -μ p_n φ`, `φ = (|a| a + |b| b) / (a² + b²)`, and Newton's
//! restitution along the normal. The energy of friction is `-½ μ p_n φ (a + b) ≤ 0`.

use super::choices::{Combination, ContactChoice, solution};
use super::{Relations, Unsolved};

/// Halvings of an interval until neighbouring numbers are left, with room.
const HALVINGS: usize = 200;

/// Doublings of an interval until it has the slip in it, with room.
const DOUBLINGS: usize = 100;

/// The impact of the one contact that takes part.
pub(super) fn smith(state: &Relations, restitution: &[f64]) -> Result<Combination, Unsolved> {
    let mut taking_part = (0..state.count()).filter(|&i| !state.separates(i));
    let (Some(i), None) = (taking_part.next(), taking_part.next()) else {
        return Err(Unsolved::SeveralAtOnce);
    };
    let one = OneContact::new(state, i, restitution[i]);
    let (p_n, p_t) = one.impulses(state).ok_or(Unsolved::Impact)?;
    let mut p = vec![0.0; 2 * state.count()];
    (p[2 * i], p[2 * i + 1]) = (p_n, p_t);
    let mut rows = state.after(&state.velocity, &p);
    rows[2 * i].value = -restitution[i] * one.u;
    let slip = rows[2 * i + 1];
    let mut choices = vec![ContactChoice::Free; state.count()];
    choices[i] = match slip.value {
        value if value.abs() <= slip.bound => ContactChoice::Sticks,
        value => ContactChoice::Slides(value.signum()),
    };
    if choices[i] == ContactChoice::Sticks {
        rows[2 * i + 1].value = 0.0;
    }
    Ok(Combination { choices, p, rows })
}

/// The numbers of the contact, in the letters of the header.
struct OneContact {
    contact: usize,
    /// Approach velocity, slip before, restitution.
    u: f64,
    a: f64,
    e: f64,
    /// Friction while it slides.
    mu: f64,
    /// `W` of normal and tangent.
    nn: f64,
    nt: f64,
    tt: f64,
}

impl OneContact {
    fn new(state: &Relations, i: usize, e: f64) -> Self {
        let (n, t) = (2 * i, 2 * i + 1);
        let mu = state.laws[i].friction.map_or(0.0, |(_, sliding)| sliding);
        let slip = state.velocity[t];
        let a = if slip.value.abs() <= slip.bound { 0.0 } else { slip.value };
        Self {
            contact: i,
            u: state.velocity[n].value,
            a,
            e,
            mu,
            nn: state.w(n, n),
            nt: state.w(n, t),
            tt: state.w(t, t),
        }
    }

    /// The normal and tangential impulse.
    fn impulses(&self, state: &Relations) -> Option<(f64, f64)> {
        if self.mu == 0.0 {
            return Some((self.normal(0.0)?, 0.0));
        }
        if self.a == 0.0
            && let Some(found) = self.sticking(state)
        {
            return Some(found);
        }
        let b = self.slip_after()?;
        let phi = self.phi(b);
        let p_n = self.normal(phi)?;
        Some((p_n, -self.mu * p_n * phi))
    }

    /// Without slip before, none after is possible while friction is within its cone.
    fn sticking(&self, state: &Relations) -> Option<(f64, f64)> {
        let mut free = state.velocity.clone();
        let (n, t) = (2 * self.contact, 2 * self.contact + 1);
        free[n].value = (1.0 + self.e) * self.u;
        free[t].value = 0.0;
        let mut choices = vec![ContactChoice::Free; state.count()];
        choices[self.contact] = ContactChoice::Sticks;
        // Others separate, whatever comes of them.
        (0..state.count()).filter(|&i| i != self.contact).for_each(|i| free[2 * i].bound = f64::INFINITY);
        solution(state, &free, choices).map(|found| (found.p[n], found.p[t]))
    }

    fn phi(&self, b: f64) -> f64 {
        let (a, scale) = (self.a, self.a * self.a + b * b);
        if scale == 0.0 { 0.0 } else { (a.abs() * a + b.abs() * b) / scale }
    }

    fn normal(&self, phi: f64) -> Option<f64> {
        let own = self.nn - self.mu * phi * self.nt;
        (own > 0.0).then(|| -(1.0 + self.e) * self.u / own)
    }

    /// What the slip would be after, less what it was taken to be. Where friction would pull the gap shut, `p_n` has
    /// gone through a pole: the residual there is that of the pole, which has the sign of `W_nt`.
    fn residual(&self, b: f64) -> f64 {
        let phi = self.phi(b);
        match self.normal(phi) {
            Some(p_n) => b - self.a - (self.nt - self.mu * phi * self.tt) * p_n,
            None => f64::INFINITY.copysign(self.nt),
        }
    }

    /// The slip after, by halving an interval at whose ends the residual has the signs of the ends.
    fn slip_after(&self) -> Option<f64> {
        let mut reach = self.a.abs() + self.tt.sqrt() * self.u.abs() / self.nn.sqrt();
        for _ in 0..DOUBLINGS {
            if self.residual(-reach) < 0.0 && self.residual(reach) > 0.0 {
                break;
            }
            reach *= 2.0;
        }
        let (mut lo, mut hi) = (-reach, reach);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (lo + hi);
            if self.residual(middle) < 0.0 {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        let b = 0.5 * (lo + hi);
        b.is_finite().then_some(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::LawNumbers;
    use crate::expr::Inexact;
    use crate::model::ImpactLaw;

    /// Friction of the other direction would pull the gap shut, and the impact has one solution all the same.
    #[test]
    fn an_impact_whose_friction_could_jam_is_solved() {
        let exact = |value| Inexact { value, bound: 0.0 };
        let state = Relations {
            response: vec![0.2, -0.6, -0.6, 2.0],
            velocity: vec![exact(-0.36), exact(1.6)],
            free: vec![exact(0.0); 2],
            laws: vec![LawNumbers {
                restitution: 0.3,
                friction: Some((0.5, 0.5)),
                law: ImpactLaw::Smith,
                given: None,
            }],
        };
        let found = smith(&state, &[0.3]).expect("an impact");
        assert!((found.p[0] - 0.936).abs() < 1e-14 && (found.p[1] + 0.468).abs() < 1e-14, "{:?}", found.p);
        assert!((found.rows[1].value - 0.1024).abs() < 1e-14);
    }
}
