//! Of a tape, the part that some of its outputs need.
//!
//! Registers stay where they are, so that the working memory of the whole tape serves all its parts.

use super::tape::Tape;

impl Tape {
    /// Of tapes that go on from each other, those parts that give the named outputs alone, in the given
    /// order.
    pub fn select<const N: usize>(tapes: [&Self; N], outputs: [&[usize]; N]) -> [Self; N] {
        let count = tapes.iter().map(|tape| tape.register_count).max().unwrap_or(0);
        // Backwards: a register is live from where its value is made to where it is last read.
        let mut live = vec![false; count];
        let mut parts: Vec<Self> = Vec::with_capacity(N);
        for (tape, wanted) in tapes.into_iter().zip(outputs).rev() {
            let outputs: Vec<u32> = wanted.iter().map(|&k| tape.outputs[k]).collect();
            for &register in &outputs {
                live[register as usize] = true;
            }
            let mut steps = Vec::new();
            for &step in tape.steps.iter().rev() {
                let (to, operands) = step.registers();
                if std::mem::replace(&mut live[to as usize], false) {
                    operands.into_iter().flatten().for_each(|operand| live[operand as usize] = true);
                    steps.push(step);
                }
            }
            steps.reverse();
            let (constants, reads) = (tape.constants.clone(), Vec::new());
            let (input_count, register_count) = (tape.input_count, tape.register_count);
            parts.push(Self { steps, outputs, constants, reads, input_count, register_count });
        }
        let mut parts = parts.into_iter().rev();
        tapes.map(|tape| {
            let mut part = parts.next().unwrap_or_else(|| tape.clone());
            part.reads = tape.reads.iter().copied().filter(|&input| live[input as usize]).collect();
            part
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::arena::{Arena, InputId};
    use crate::expr::operation::UnaryOp;

    /// Outputs that share a sine, in two tapes of which the second goes on from the first.
    #[test]
    fn a_part_makes_what_its_outputs_need_and_nothing_else() {
        let mut arena = Arena::new();
        let [x, y, z] = [0, 1, 2].map(|n| arena.input(InputId(n)));
        let sine = arena.unary(UnaryOp::Sin, x);
        let (early, other) = (arena.mul(sine, y), arena.mul(y, z));
        let (late, further) = (arena.mul(sine, sine), arena.mul(other, z));
        let [first, second] = Tape::compile_continued(&arena, 3, [&[early, other], &[late, further]]);
        let [one, two] = Tape::select([&first, &second], [&[], &[0]]);
        // The sine alone in the first tape, its square in the second.
        assert_eq!([one.operation_count(), two.operation_count()], [1, 1]);
        assert_eq!(two.reads().collect::<Vec<_>>(), [0]);
        let mut registers = first.registers();
        registers.inputs_mut().copy_from_slice(&[0.3, 0.7, 0.2]);
        let mut out = [0.0];
        one.run(&mut registers, &mut []);
        for _ in 0..2 {
            two.run(&mut registers, &mut out);
            assert_eq!(out[..], arena.evaluate(&[late], &[0.3, 0.7, 0.2]));
        }
        let [alone] = Tape::select([&first], [&[1, 0, 1]]);
        let mut out = [0.0; 3];
        alone.run(&mut registers, &mut out);
        assert_eq!(out[..], arena.evaluate(&[other, early, other], &[0.3, 0.7, 0.2]));
    }
}
