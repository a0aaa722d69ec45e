//! Times that rounding has brought apart: strikes of clocks that are meant for one instant, or for the end of the run.

use super::Detector;
use crate::formulation::Flow;

/// How many units of rounding apart two times can be that are meant to be one.
const HAIR: f64 = 4.0;

impl Detector {
    /// Reads when the scheduled guards fire next. What is a hair behind another time, or behind the end of the run, is at that time; what has
    /// just fired has not its own time before it. Closures are promised their times to the last bit, so that only the end of the run draws them.
    pub(super) fn read_schedule(&mut self, flow: &mut Flow<'_>, t: f64) {
        flow.schedule(&mut self.schedule);
        for i in 0..self.scheduled.len() {
            let g = self.scheduled[i];
            if self.just_fired[g] && is_hair_behind(self.schedule[g], t) {
                (self.schedule[g], self.last.values[g]) = (t, 0.0);
            }
        }
        let joins = flow.system().has_formulas();
        for i in 0..self.scheduled.len() {
            let g = self.scheduled[i];
            self.schedule[g] = self.meant_time(self.schedule[g], t, joins);
        }
    }

    /// The first of the times after `t` that a time can stand for.
    fn meant_time(&self, time: f64, t: f64, joins: bool) -> f64 {
        let strikes = self.scheduled.iter().filter(|_| joins).map(|&g| self.schedule[g]);
        let others = strikes.chain([self.until]);
        others.filter(|&other| other > t && is_hair_behind(time, other)).fold(time, f64::min)
    }
}

fn is_hair_behind(time: f64, other: f64) -> bool {
    time > other && time - other <= HAIR * f64::EPSILON * other.abs()
}
