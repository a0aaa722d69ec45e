//! What must hold of every run, whatever the model says. Where it does not, the solver is wrong, and the run
//! ends with that.
//!
//! The state is continuous where nothing was asked to change it, joints that shut bring in no energy, what is
//! recorded is finite, time does not go back, and the log says what the trajectory has. It costs one
//! comparison per state and event, and one per step.

use super::Error;

/// The part of the kinetic energy by which impulses in joints may raise it: rounding of a projection.
const ROUNDING_OF_ENERGY: f64 = 1e-9;

/// An invariant that does not hold. States are meant by their index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Broken {
    /// A state jumps from one value to another, and may move by this at most.
    Jump { state: usize, values: (f64, f64), most: f64 },
    /// The kinetic energy rises from one value to another.
    Energy { values: (f64, f64) },
    /// A state is not a finite number.
    NotFinite { state: usize, value: f64 },
    /// The log has one value of a state, and the trajectory another.
    Disagreement { state: usize, values: (f64, f64) },
    /// Time goes back to this.
    Backwards { to: f64 },
}

impl Broken {
    /// The error for it at a time, with the names of states.
    pub(super) fn at(self, t: f64, names: &[String]) -> Error {
        let what = match self {
            Self::Jump { state, values: (before, after), most } => format!(
                "`{}` jumps from {before} to {after} where nothing sets it, and may move by {most:.1e}",
                names[state]
            ),
            Self::Energy { values: (before, after) } => {
                format!("joints that shut raise the kinetic energy from {before} to {after}")
            }
            Self::NotFinite { state, value } => format!("`{}` would be {value} after an event", names[state]),
            Self::Disagreement { state, values: (log, run) } => {
                format!("`{}` is {log} in the log of an event and {run} in the motion", names[state])
            }
            Self::Backwards { to } => format!("time goes back to {to}"),
        };
        Error::InvariantBroken { t, what }
    }
}

/// No state has moved by more than it may, and each is finite.
pub(super) fn is_continuous(
    before: &[f64],
    after: &[f64],
    most: impl Fn(usize) -> f64,
) -> Result<(), Broken> {
    is_finite(after)?;
    for (state, values) in pairs(before, after).filter(|(_, (a, b))| a.to_bits() != b.to_bits()) {
        let most = most(state);
        if (values.1 - values.0).abs() > most {
            return Err(Broken::Jump { state, values, most });
        }
    }
    Ok(())
}

/// Every state is a finite number.
pub(super) fn is_finite(y: &[f64]) -> Result<(), Broken> {
    let bad = y.iter().enumerate().find(|(_, value)| !value.is_finite());
    bad.map_or(Ok(()), |(state, &value)| Err(Broken::NotFinite { state, value }))
}

/// The log of an event and the motion have the same state, to the bit.
pub(super) fn agrees(log: &[f64], motion: &[f64]) -> Result<(), Broken> {
    let mut differs = pairs(log, motion).filter(|(_, (a, b))| a.to_bits() != b.to_bits());
    differs.next().map_or(Ok(()), |(state, values)| Err(Broken::Disagreement { state, values }))
}

/// Time does not go back.
pub(super) fn is_monotone(from: f64, to: f64) -> Result<(), Broken> {
    // What is not a number is no later time.
    if to >= from { Ok(()) } else { Err(Broken::Backwards { to }) }
}

/// Impulses in joints at rest take kinetic energy away, or leave it.
pub(super) fn takes_energy(before: f64, after: f64) -> Result<(), Broken> {
    let most = before + ROUNDING_OF_ENERGY * before.abs();
    if after <= most { Ok(()) } else { Err(Broken::Energy { values: (before, after) }) }
}

fn pairs<'y>(a: &'y [f64], b: &'y [f64]) -> impl Iterator<Item = (usize, (f64, f64))> + 'y {
    a.iter().copied().zip(b.iter().copied()).enumerate()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_moves_by_what_it_may() {
        let most = |state| [0.0, 0.5][state];
        assert_eq!(is_continuous(&[1.0, 2.0], &[1.0, 2.5], most), Ok(()));
        let jump = Broken::Jump { state: 1, values: (2.0, 2.75), most: 0.5 };
        assert_eq!(is_continuous(&[1.0, 2.0], &[1.0, 2.75], most), Err(jump));
        let next = 1.0 + f64::EPSILON;
        assert!(is_continuous(&[1.0, 2.0], &[next, 2.0], most).is_err(), "not by a bit");
        assert!(is_continuous(&[1.0, 2.0], &[f64::NAN, 2.0], |_| 1.0).is_err());
    }

    #[test]
    fn what_is_recorded_is_finite_and_agrees_with_the_motion() {
        assert_eq!(is_finite(&[0.0, -1e300]), Ok(()));
        let bad = Broken::NotFinite { state: 1, value: f64::INFINITY };
        assert_eq!(is_finite(&[0.0, f64::INFINITY]), Err(bad));
        assert_eq!(agrees(&[1.0], &[1.0]), Ok(()));
        assert!(agrees(&[1.0], &[1.0 + f64::EPSILON]).is_err());
    }

    #[test]
    fn time_goes_on_and_energy_is_not_made() {
        assert_eq!((is_monotone(1.0, 1.0), is_monotone(1.0, 2.0)), (Ok(()), Ok(())));
        assert!(is_monotone(1.0, 0.5).is_err() && is_monotone(1.0, f64::NAN).is_err());
        assert_eq!((takes_energy(2.0, 1.0), takes_energy(0.0, 0.0)), (Ok(()), Ok(())));
        assert!(takes_energy(2.0, 2.000_001).is_err() && takes_energy(0.0, f64::NAN).is_err());
    }

    #[test]
    fn the_error_has_names_and_numbers() {
        let names = ["x".to_owned(), "v".to_owned()];
        let jump = Broken::Jump { state: 1, values: (2.0, 2.75), most: 0.5 };
        let error = jump.at(3.5, &names);
        let text = "an invariant of every run does not hold at t = 3.5: `v` jumps from 2 to 2.75 where nothing \
                    sets it, and may move by 5.0e-1";
        assert_eq!((error.code(), error.to_string().as_str()), ("invariant-broken", text));
    }
}
