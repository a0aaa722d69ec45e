//! Result files as comma-separated values. Numbers are written with as many digits as it takes to read the same double back.

use super::RunResult;
use super::table::Table;
use csv::Writer;
use slipstick::equations::System;

/// `trajectory.csv`: time, states, outputs, switch signs, mode; two rows with the same time at an event.
pub(crate) fn trajectory(table: &Table) -> Vec<u8> {
    let with_modes = !table.modes.is_empty();
    let mut header = vec![table.time_header.clone()];
    header.extend(table.columns.iter().map(super::table::Column::header));
    header.extend(with_modes.then(|| "mode".to_owned()));
    let mut rows = vec![header];
    for piece in &table.pieces {
        for (k, t) in piece.t.iter().enumerate() {
            let mut row = vec![number(*t)];
            row.extend(piece.values.iter().map(|column| number(column[k])));
            row.extend(with_modes.then(|| table.modes[piece.mode].clone()));
            rows.push(row);
        }
    }
    write(&rows)
}

/// `events.csv`: number, time, bracket, names, kinds, modes, and every state before and after.
pub(crate) fn events(result: &RunResult<'_>) -> Vec<u8> {
    let trajectory = &result.trajectory;
    let fixed = ["number", "t", "t_lo", "t_hi", "names", "kinds", "mode_before", "mode_after"];
    let mut header: Vec<String> = fixed.iter().map(|&s| s.to_owned()).collect();
    for name in &trajectory.state_names {
        header.extend([format!("{name} before"), format!("{name} after")]);
    }
    let mut rows = vec![header];
    let modes = result.plan.system.mode_names();
    for (i, event) in trajectory.events.iter().enumerate() {
        let names: Vec<&str> = event.guards.iter().map(|&g| trajectory.guard_names[g].as_str()).collect();
        let kinds: Vec<&str> = event.kinds.iter().map(|k| k.name()).collect();
        let mut row =
            vec![(i + 1).to_string(), number(event.t), number(event.bracket.lo), number(event.bracket.hi)];
        row.extend([names.join(" + "), kinds.join(" + ")]);
        row.extend([modes[event.mode_before].clone(), modes[event.mode_after].clone()]);
        for (before, after) in event.before.iter().zip(&event.after) {
            row.extend([number(*before), number(*after)]);
        }
        rows.push(row);
    }
    write(&rows)
}

fn write(rows: &[Vec<String>]) -> Vec<u8> {
    let mut writer = Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory cannot fail, and all rows have the length of the header.
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

fn number(x: f64) -> String {
    // Adding zero turns -0 into 0.
    let (x, magnitude) = (x + 0.0, x.abs());
    if x == 0.0 || (1e-5..1e16).contains(&magnitude) { format!("{x}") } else { format!("{x:e}") }
}
