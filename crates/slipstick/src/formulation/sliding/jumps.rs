//! The jumps of the field across the surfaces that a motion slides on: a state is put back along them, so
//! that what no switch acts on stays as it is.

use super::local::LocalSurfaces;
use super::{SideFields, SurfaceSides};
use crate::math::dot;

/// A jump of the field leads across a surface if at least this part of its terms does.
const JUMPS_ACROSS: f64 = 1e-6;

/// The jumps of the field along which states are put back to surfaces.
#[derive(Clone, Debug)]
pub(super) struct FieldJumps {
    sides: SurfaceSides,
    /// Whether they are used, and not the gradients of the surfaces.
    are_kept: bool,
    /// The jumps by surfaces.
    kept: Vec<f64>,
    /// The jump that was found last, or what stands in for it.
    way: Vec<f64>,
}

impl FieldJumps {
    /// None are kept yet across surfaces of `n` states.
    pub(super) fn new(sides: SurfaceSides, n: usize) -> Self {
        let kept = vec![0.0; sides.surfaces() * n];
        Self { sides, are_kept: false, kept, way: vec![0.0; n] }
    }

    /// None are kept any more.
    pub(super) fn renew(&mut self) {
        self.are_kept = false;
    }

    /// Keeps the jumps of fields, to put states back along them.
    pub(super) fn keep(&mut self, fields: &SideFields) {
        self.are_kept = true;
        let n = self.way.len();
        for i in 0..self.sides.surfaces() {
            self.find(fields, i);
            self.kept[i * n..(i + 1) * n].copy_from_slice(&self.way);
        }
    }

    /// The jump that is kept for a surface. None if it does not lead across, or none are kept.
    pub(super) fn across(&self, surface: usize, gradient: &[f64]) -> Option<&[f64]> {
        let n = self.way.len();
        let jump = &self.kept[surface * n..(surface + 1) * n];
        (self.are_kept && leads_across(gradient, jump)).then_some(jump)
    }

    /// Large fields that cancel leave their rounding across the surface, which a step would take for motion
    /// and be small for. It is taken off along the jump of the field, or along the gradient.
    pub(super) fn remove_rounding(
        &mut self,
        local: &LocalSurfaces,
        fields: &SideFields,
        rounding: &[f64],
        dy: &mut [f64],
    ) {
        for (i, rounding) in rounding.iter().enumerate() {
            let (rate, gradient) = (local.rate_along(i, dy), local.gradient(i));
            if rate == 0.0 || rate.abs() > *rounding {
                continue;
            }
            self.find(fields, i);
            if !self.are_kept || !leads_across(gradient, &self.way) {
                self.way.copy_from_slice(gradient);
            }
            let part = rate / dot(gradient, &self.way);
            for (dy, way) in dy.iter_mut().zip(&self.way) {
                *dy -= part * way;
            }
        }
    }

    /// Finds the jump of fields across a surface.
    fn find(&mut self, fields: &SideFields, surface: usize) {
        self.way.fill(0.0);
        for side in 0..self.sides.count() {
            let part = self.sides.part_in_jump(side, surface);
            self.way.iter_mut().zip(fields.field(side)).for_each(|(jump, f)| *jump += part * f);
        }
    }
}

/// Whether a jump leads across the surface with this gradient.
fn leads_across(gradient: &[f64], jump: &[f64]) -> bool {
    let across = dot(gradient, jump);
    let size: f64 = gradient.iter().zip(jump).map(|(g, jump)| (g * jump).abs()).sum();
    across.is_finite() && across.abs() > JUMPS_ACROSS * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_kept_where_it_leads_across() {
        let sides = SurfaceSides::of(1);
        let fields = SideFields::given(sides, &[&[1.0, 2.0, 5.0], &[-1.0, 2.0, 3.0]]);
        let mut jumps = FieldJumps::new(sides, 3);
        assert_eq!(jumps.across(0, &[1.0, 0.0, 0.0]), None, "none is kept");
        jumps.keep(&fields);
        assert_eq!(jumps.across(0, &[1.0, 0.0, 0.0]), Some(&[-2.0, 0.0, -2.0][..]));
        assert_eq!(jumps.across(0, &[0.0, 1.0, 0.0]), None, "what no switch acts on");
        assert_eq!(jumps.across(0, &[1.0, 0.0, -1.0]), None, "terms that cancel");
    }
}
