//! The methods and stabilisations that problems with contacts are run with.

use super::ContactProblem;
use crate::formulation::Stabilisation;
use crate::simulate::Options;
use crate::step::{MechanismForm, Method};

/// A method, with a stabilisation if that is not the usual one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMethod {
    /// The name in tables.
    pub name: &'static str,
    /// The method.
    pub method: Method,
    /// What keeps closed gaps closed; the usual one if nothing is said.
    pub stabilisation: Option<Stabilisation>,
}

/// All of them.
pub fn contact_methods() -> Vec<ContactMethod> {
    let usual = |name, method| ContactMethod { name, method, stabilisation: None };
    let other = |name, method, with| ContactMethod { stabilisation: Some(with), ..usual(name, method) };
    vec![
        usual("auto", Method::Automatic),
        usual("dopri5", Method::DormandPrince5),
        usual("dop853", Method::DormandPrince8),
        usual("tsit5", Method::Tsitouras5),
        usual("radau5", Method::Radau5),
        other("project", Method::DormandPrince8, Stabilisation::Project),
        usual("hem5", Method::HalfExplicit5),
        usual("phem56", Method::PartitionedHalfExplicit5),
        usual("alpha", Method::GeneralizedAlpha),
        usual("alpha3", Method::GeneralizedAlpha3),
        other("ggl", Method::Radau5, Stabilisation::Ggl),
    ]
}

impl ContactMethod {
    /// Whether it may refuse a problem: friction depends on multipliers, which not every form solves for.
    pub fn may_refuse(&self, problem: &ContactProblem) -> bool {
        let is_index_1 = self.method.facts().form == MechanismForm::Index1;
        problem.has_friction && !(is_index_1 && self.stabilisation != Some(Stabilisation::Ggl))
    }

    /// The options of a problem with it at a tolerance.
    pub fn options(&self, problem: &ContactProblem, tolerance: f64) -> Options {
        let mut options = problem.plan.options.clone().tolerances(tolerance, 1e-2 * tolerance);
        options.method = self.method;
        if let Some(stabilisation) = &self.stabilisation {
            options.constraints.stabilisation = *stabilisation;
        }
        options
    }
}
