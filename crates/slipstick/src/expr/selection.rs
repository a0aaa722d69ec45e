//! Of a tape, the part that some of its outputs need.
//!
//! Registers stay where they are, so that the working memory of the whole tape serves all its parts. What each step
//! needs is found once; a part then takes as long as it is itself, however long the tape is.

use super::tape::Tape;

/// Stands for an input or a constant: no step makes it.
const LEAF: u32 = u32::MAX;

/// What the steps of tapes that go on from each other need of each other.
#[derive(Clone, Debug)]
pub struct Dependencies {
    /// For each step of all tapes, one after the other, the steps that make its operands.
    makers: Vec<[u32; 3]>,
    /// For each tape where its steps end, and for each of its outputs the step that makes it.
    ends: Vec<usize>,
    outputs: Vec<Vec<u32>>,
}

impl Dependencies {
    /// Those of some tapes.
    pub fn of(tapes: &[&Tape]) -> Self {
        let count = tapes.iter().map(|tape| tape.register_count).max().unwrap_or(0);
        let mut made_by = vec![LEAF; count];
        let (mut makers, mut ends, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for tape in tapes {
            for &step in &tape.steps {
                let (to, operands) = step.registers();
                let number = u32::try_from(makers.len()).unwrap_or(LEAF);
                makers.push(operands.map(|operand| operand.map_or(LEAF, |k| made_by[k as usize])));
                made_by[to as usize] = number;
            }
            ends.push(makers.len());
            outputs.push(tape.outputs.iter().map(|&register| made_by[register as usize]).collect());
        }
        Self { makers, ends, outputs }
    }

    /// The steps that some outputs of each tape need, in their order.
    fn needed(&self, outputs: &[&[usize]]) -> Vec<u32> {
        let (mut seen, mut needed) = (vec![false; self.makers.len()], Vec::new());
        let wanted = self.outputs.iter().zip(outputs).flat_map(|(of, wanted)| wanted.iter().map(|&k| of[k]));
        let mut open: Vec<u32> = wanted.collect();
        while let Some(step) = open.pop() {
            if step != LEAF && !std::mem::replace(&mut seen[step as usize], true) {
                needed.push(step);
                open.extend(self.makers[step as usize]);
            }
        }
        needed.sort_unstable();
        needed
    }
}

impl Tape {
    /// Of tapes that go on from each other, those parts that give the named outputs alone, in the given
    /// order. Their dependencies are given.
    pub fn select<const N: usize>(
        tapes: [&Self; N],
        dependencies: &Dependencies,
        outputs: [&[usize]; N],
    ) -> [Self; N] {
        let needed = dependencies.needed(&outputs);
        let (mut parts, mut leaves, mut begin) = (Vec::with_capacity(N), Vec::new(), 0);
        for ((tape, wanted), &end) in tapes.iter().zip(outputs).zip(&dependencies.ends) {
            let from = |step: usize| needed.partition_point(|&number| (number as usize) < step);
            let numbers = &needed[from(begin)..from(end)];
            let steps: Vec<_> = numbers.iter().map(|&step| tape.steps[step as usize - begin]).collect();
            let outputs: Vec<u32> = wanted.iter().map(|&k| tape.outputs[k]).collect();
            leaves.extend(steps.iter().flat_map(|step| step.registers().1).flatten());
            leaves.extend(&outputs);
            let (constants, reads) = (tape.constants.clone(), Vec::new());
            let (input_count, register_count) = (tape.input_count, tape.register_count);
            parts.push(Self { steps, outputs, constants, reads, input_count, register_count });
            begin = end;
        }
        leaves.sort_unstable();
        leaves.dedup();
        // What is made in a register of an input would be another value: inputs keep their registers.
        let mut parts = parts.into_iter();
        tapes.map(|tape| {
            let mut part = parts.next().unwrap_or_else(|| tape.clone());
            part.reads =
                tape.reads.iter().copied().filter(|input| leaves.binary_search(input).is_ok()).collect();
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
        let both = Dependencies::of(&[&first, &second]);
        let [one, two] = Tape::select([&first, &second], &both, [&[], &[0]]);
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
        let [alone] = Tape::select([&first], &Dependencies::of(&[&first]), [&[1, 0, 1]]);
        let mut out = [0.0; 3];
        alone.run(&mut registers, &mut out);
        assert_eq!(out[..], arena.evaluate(&[other, early, other], &[0.3, 0.7, 0.2]));
    }
}
