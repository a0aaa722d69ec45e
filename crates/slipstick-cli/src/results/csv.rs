//! Result files as comma-separated values. Numbers are written with as many digits as it takes to read the
//! same double back.

use super::RunResult;
use super::table::Table;
use csv::Writer;
use slipstick::equations::System;
use std::io::{self, Write};

/// `trajectory.csv`: time, states, discrete variables, outputs, switch signs, mode; two rows with the same
/// time at an event.
pub(crate) fn trajectory(table: &Table, file: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer::from_writer(file);
    let with_modes = !table.modes.is_empty();
    writer.write_field(&table.time_header)?;
    for column in &table.columns {
        writer.write_field(column.header())?;
    }
    end_row(&mut writer, with_modes.then_some("mode"))?;
    for piece in &table.pieces {
        for (k, t) in piece.t.iter().enumerate() {
            writer.write_field(full(*t))?;
            for column in &piece.values {
                writer.write_field(full(column[k]))?;
            }
            end_row(&mut writer, with_modes.then(|| table.modes[piece.mode].as_str()))?;
        }
    }
    writer.flush()
}

/// Writes the last field, if there is one, and ends the row.
fn end_row(writer: &mut Writer<&mut dyn Write>, last: Option<&str>) -> io::Result<()> {
    if let Some(last) = last {
        writer.write_field(last)?;
    }
    Ok(writer.write_record(None::<&[u8]>)?)
}

/// `events.csv`: number, time, bracket, names, kinds, modes, every state and discrete variable before and after,
/// and with contacts the energy that impacts have lost.
pub(crate) fn events(result: &RunResult<'_>, file: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer::from_writer(file);
    let trajectory = &result.trajectory;
    for name in ["number", "t", "t_lo", "t_hi", "names", "kinds", "mode_before", "mode_after"] {
        writer.write_field(name)?;
    }
    for name in trajectory.state_names.iter().chain(&result.plan.system.shape().discrete_names) {
        writer.write_field(format!("{name} before"))?;
        writer.write_field(format!("{name} after"))?;
    }
    let with_impacts = result.has_impacts();
    end_row(&mut writer, with_impacts.then_some("energy_lost"))?;
    for (i, event) in trajectory.events.iter().enumerate() {
        let kinds: Vec<&str> = event.kinds.iter().map(|k| k.name()).collect();
        let times = [event.t, event.bracket.lo, event.bracket.hi].map(full);
        let modes = [event.mode_before, event.mode_after].map(|mode| result.mode_name(mode).to_owned());
        writer.write_field((i + 1).to_string())?;
        for field in times.into_iter().chain([result.event_names(event), kinds.join(" + ")]).chain(modes) {
            writer.write_field(field)?;
        }
        let (before, after) = result.modes_at(i);
        let before = result.named_values(&event.before, Some(before));
        for ((_, before), (_, after)) in before.zip(result.named_values(&event.after, Some(after))) {
            writer.write_field(full(before))?;
            writer.write_field(full(after))?;
        }
        let lost = with_impacts.then(|| full(event.energy_lost()));
        end_row(&mut writer, lost.as_deref())?;
    }
    writer.flush()
}

/// All digits, and an exponent where it is shorter.
pub(crate) fn full(x: f64) -> String {
    // Adding zero turns -0 into 0.
    let (x, magnitude) = (x + 0.0, x.abs());
    if x == 0.0 || (1e-5..1e16).contains(&magnitude) { format!("{x}") } else { format!("{x:e}") }
}
