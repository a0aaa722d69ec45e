//! `slipstick events`: run a model and print what happened, without writing files.

use super::Finish;
use crate::arguments::SimulationArguments;
use crate::model_file::ModelFile;
use crate::progress::RunMonitor;
use crate::results::{RunResult, event_json, full};
use crate::talk::{Trouble, data};

/// Prints one line for each event.
pub(crate) fn events(arguments: &SimulationArguments, json: bool) -> Result<Finish, Trouble> {
    let watch = RunMonitor::begin(arguments.max_wall);
    let Some((file, plan)) = ModelFile::prepare_with(arguments, &watch)? else { return Ok(Finish::Short) };
    let result = RunResult::simulate(&file, &plan, watch);
    if let Some(trouble) = result.refusal() {
        return Err(trouble);
    }
    for number in 0..result.trajectory.events.len() {
        if json {
            data(event_json(&result, number));
        } else if !result.trajectory.events[number].is_hidden() {
            data(event_line(&result, number));
        }
    }
    result.talk();
    Ok(result.finish(arguments.strict))
}

/// `   1  t = 0.451523640985731  floor  reset  v: -4.43 -> 3.99`
fn event_line(result: &RunResult<'_>, number: usize) -> String {
    let event = &result.trajectory.events[number];
    let kinds: Vec<&str> = event.kinds.iter().map(|k| k.name()).collect();
    let mut changes = Vec::new();
    if event.mode_before != event.mode_after {
        changes.push(format!(
            "{} -> {}",
            result.mode_name(event.mode_before),
            result.mode_name(event.mode_after)
        ));
    }
    let (before, after) = result.modes_at(number);
    let before = result.named_values(&event.before, Some(before));
    for ((name, before), (_, after)) in before.zip(result.named_values(&event.after, Some(after))) {
        // What contacts do is said in words.
        if before != after && !name.starts_with("contact.") {
            changes.push(format!("{name}: {} -> {}", short(before), short(after)));
        }
    }
    changes.extend(result.status_changes(number));
    changes.extend(result.impacts_in_words(event));
    let (names, kinds, changes) = (result.event_names(event), kinds.join(" + "), changes.join(", "));
    format!("{:>5}  t = {:<20}  {names:<16}  {kinds:<8}  {changes}", number + 1, full(event.t))
        .trim_end()
        .to_owned()
}

/// Six decimals, or an exponent where they would show nothing of a number.
fn short(x: f64) -> String {
    let shows = x == 0.0 || (1e-4..1e10).contains(&x.abs()) || !x.is_finite();
    if shows { format!("{x:.6}") } else { format!("{x:.6e}") }
}

#[cfg(test)]
mod tests {
    use super::{full, short};

    #[test]
    fn what_is_not_zero_never_looks_like_it() {
        assert_eq!((full(1.8e-14), full(0.0)), ("1.8e-14".to_owned(), "0".to_owned()));
        assert_ne!(full(1.0), full(1.0 + f64::EPSILON));
        assert_eq!(
            [0.0, 1e-4, -4.43, 1.8e-14].map(short),
            ["0.000000", "0.000100", "-4.430000", "1.800000e-14"]
        );
    }
}
