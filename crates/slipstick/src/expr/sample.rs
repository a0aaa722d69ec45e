//! The 500-operation set used by tests and the `formulas` benchmark.
//!
//! In: nothing. Out: the formulas of a driven, damped double pendulum beside a
//! wall, written out the way people write them: with the same subexpressions
//! again and again. The same text on every call.

/// The names of the inputs, in the order of [`SAMPLE_POINT`].
pub const SAMPLE_INPUTS: [&str; 12] =
    ["t", "phi1", "phi2", "omega1", "omega2", "m1", "m2", "l1", "l2", "g", "damping", "drive"];

/// Values of the inputs at which every formula is finite and no branch is near.
pub const SAMPLE_POINT: [f64; 12] = [0.7, 0.9, -0.4, 1.3, -2.1, 1.5, 0.8, 1.1, 0.6, 9.81, 0.05, 2.5];

/// The formulas: accelerations, energies, forces, positions and contact.
pub fn sample_formulas() -> Vec<String> {
    let mut formulas = Vec::new();
    formulas.extend(accelerations());
    formulas.extend(energies());
    formulas.extend(tip());
    formulas.extend(joint_forces());
    formulas.extend(contact());
    formulas
}

/// The motor torque and the friction torque of a joint, spelt out where used.
fn torque(joint: u32) -> String {
    format!(
        "(drive * sin(2 * pi * t) * exp(-t / 10) \
         - damping * omega{joint} - 0.02 * tanh(omega{joint} / 0.01))"
    )
}

const DENOMINATOR: &str = "(2 * m1 + m2 - m2 * cos(2 * phi1 - 2 * phi2))";

fn accelerations() -> Vec<String> {
    let (torque1, torque2) = (torque(1), torque(2));
    vec![
        format!(
            "(-g * (2 * m1 + m2) * sin(phi1) - m2 * g * sin(phi1 - 2 * phi2) \
             - 2 * sin(phi1 - phi2) * m2 * (omega2^2 * l2 + omega1^2 * l1 * cos(phi1 - phi2))) \
             / (l1 * {DENOMINATOR}) \
             + 2 * ({torque1} * l2 - {torque2} * l1 * cos(phi1 - phi2)) \
             / (l1^2 * l2 * {DENOMINATOR})"
        ),
        format!(
            "2 * sin(phi1 - phi2) * (omega1^2 * l1 * (m1 + m2) + g * (m1 + m2) * cos(phi1) \
             + omega2^2 * l2 * m2 * cos(phi1 - phi2)) / (l2 * {DENOMINATOR}) \
             + 2 * ({torque2} * l1 * (m1 + m2) - {torque1} * m2 * l2 * cos(phi1 - phi2)) \
             / (m2 * l1 * l2^2 * {DENOMINATOR})"
        ),
    ]
}

const SPEED_SQUARED: &str = "(l1^2 * omega1^2 + l2^2 * omega2^2 \
     + 2 * l1 * l2 * omega1 * omega2 * cos(phi1 - phi2))";

fn energies() -> Vec<String> {
    let height1 = "(-l1 * cos(phi1))";
    let height2 = "(-l1 * cos(phi1) - l2 * cos(phi2))";
    let kinetic = format!("m1 * l1^2 * omega1^2 / 2 + m2 * {SPEED_SQUARED} / 2");
    let potential = format!("m1 * g * {height1} + m2 * g * {height2}");
    vec![
        kinetic.clone(),
        potential.clone(),
        format!("({kinetic}) + ({potential})"),
        "drive * sin(2 * pi * t) * exp(-t / 10) * omega1 - damping * (omega1^2 + omega2^2)".to_string(),
    ]
}

fn tip() -> Vec<String> {
    [
        "l1 * sin(phi1) + l2 * sin(phi2)",
        "-l1 * cos(phi1) - l2 * cos(phi2)",
        "l1 * omega1 * cos(phi1) + l2 * omega2 * cos(phi2)",
        "l1 * omega1 * sin(phi1) + l2 * omega2 * sin(phi2)",
        "hypot(l1 * omega1 * cos(phi1) + l2 * omega2 * cos(phi2), \
         l1 * omega1 * sin(phi1) + l2 * omega2 * sin(phi2))",
        "atan2(l1 * sin(phi1) + l2 * sin(phi2), l1 * cos(phi1) + l2 * cos(phi2))",
    ]
    .map(String::from)
    .to_vec()
}

/// Rod tensions and the reaction of the bearing.
fn joint_forces() -> Vec<String> {
    let second = "(m2 * (l2 * omega2^2 + l1 * omega1^2 * cos(phi1 - phi2) + g * cos(phi2)))";
    let first = format!("(m1 * (l1 * omega1^2 + g * cos(phi1)) + {second} * cos(phi1 - phi2))");
    vec![
        second.to_string(),
        first.clone(),
        format!("{first} * sin(phi1)"),
        format!("{first} * cos(phi1) + m1 * g"),
        format!("sqrt(({first} * sin(phi1))^2 + ({first} * cos(phi1) + m1 * g)^2)"),
    ]
}

/// A wall right of the pendulum that pushes back and rubs.
fn contact() -> Vec<String> {
    let reach = "(l1 * sin(phi1) + l2 * sin(phi2))";
    let speed = "(l1 * omega1 * cos(phi1) + l2 * omega2 * cos(phi2))";
    let slide = "(l1 * omega1 * sin(phi1) + l2 * omega2 * sin(phi2))";
    let push = format!("if({reach} > 1.2, max(0, 1e4 * ({reach} - 1.2)^1.5 * (1 + 0.3 * {speed})), 0)");
    vec![push.clone(), format!("-0.4 * {push} * tanh({slide} / 0.001)"), format!("{reach} - 1.2")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::arena::{Arena, ExprId, InputId};
    use crate::expr::parse::parse;
    use crate::expr::tape::Tape;
    use crate::expr::walk::Walker;

    fn slot(name: &str) -> Option<usize> {
        SAMPLE_INPUTS.iter().position(|known| *known == name)
    }

    #[test]
    fn the_set_has_about_500_operations() {
        let formulas = sample_formulas();
        let count = formulas.iter().map(|text| {
            let syntax = parse(text).unwrap();
            Walker::new(&syntax, slot).unwrap().operation_count()
        });
        let total: usize = count.sum();
        assert!((480..=520).contains(&total), "{total} operations");
        assert_eq!(formulas, sample_formulas());
    }

    #[test]
    fn tape_and_walker_agree_on_the_set() {
        let mut arena = Arena::new();
        let inputs: Vec<ExprId> = (0..12).map(|n| arena.input(InputId(n))).collect();
        let mut ids = Vec::new();
        for text in sample_formulas() {
            let mut resolve = |name: &str| slot(name).map(|place| inputs[place]);
            ids.push(parse(&text).unwrap().lower(&mut arena, &mut resolve).unwrap());
        }
        let tape = Tape::compile(&arena, 12, &ids);
        let mut registers = tape.registers();
        registers.inputs_mut().copy_from_slice(&SAMPLE_POINT);
        let mut out = vec![0.0; ids.len()];
        tape.run(&mut registers, &mut out);
        for (text, value) in sample_formulas().iter().zip(out) {
            let walker = Walker::new(&parse(text).unwrap(), slot).unwrap();
            let expected = walker.evaluate(&SAMPLE_POINT);
            assert!(expected.is_finite(), "{text}");
            assert!((value - expected).abs() <= 1e-12 * expected.abs(), "{text}");
        }
    }
}
