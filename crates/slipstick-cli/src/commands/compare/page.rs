//! `compare.html`: one file that opens offline, with plots drawn here and no script.

use super::Comparison;
use super::plot::{Axis, Plot};
use super::profiles::{Profiles, Titled};
use super::rows::{COLUMNS, Row};
use crate::results::{escape, fill};
use crate::talk::Trouble;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const TEMPLATE: &str = include_str!("../../../assets/compare/compare.html");
const STYLE: &str = include_str!("../../../assets/compare/compare.css");

/// Makes the folder and tries to write to it, so that nothing is computed in vain.
pub(super) fn prepare(folder: &Path) -> Result<PathBuf, Trouble> {
    std::fs::create_dir_all(folder).map_err(|error| Trouble::file("create", folder, &error))?;
    let path = folder.join("compare.html");
    std::fs::write(&path, "").map_err(|error| Trouble::file("write", &path, &error))?;
    Ok(path)
}

/// Writes the page.
pub(super) fn write(path: &Path, comparison: &Comparison, profiles: &Profiles) -> Result<(), Trouble> {
    let parts = [
        ("{{title}}", escape(&comparison.title)),
        ("/*{{css}}*/", STYLE.to_owned()),
        ("{{truth}}", escape(&comparison.truth)),
        ("{{remarks}}", remarks(comparison)),
        ("{{legend}}", legend(profiles)),
        ("{{profiles}}", profiles.all.iter().map(|titled| profile(profiles, titled)).collect()),
        ("{{diagrams}}", diagrams(comparison)),
        ("{{failures}}", failures(comparison)),
        ("{{table}}", table(comparison)),
        ("{{version}}", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let parts: Vec<(&str, &str)> = parts.iter().map(|(marker, text)| (*marker, text.as_str())).collect();
    std::fs::write(path, fill(TEMPLATE, &parts)).map_err(|error| Trouble::file("write", path, &error))
}

fn remarks(comparison: &Comparison) -> String {
    let remarks = comparison.remarks.iter();
    remarks.fold(String::new(), |list, text| list + "<li>" + &escape(text) + "</li>")
}

fn legend(profiles: &Profiles) -> String {
    let one = |(k, name): (usize, &String)| {
        format!(
            "<li><svg viewBox=\"0 0 22 10\"><polyline class=\"{}\" points=\"0,5 22,5\"/></svg>{}</li>",
            super::plot::class(k),
            escape(name)
        )
    };
    profiles.entrants.iter().enumerate().map(one).collect()
}

fn figure(title: &str, svg: &str) -> String {
    format!("<figure><figcaption>{}</figcaption>{svg}</figure>", escape(title))
}

/// The curves of all methods: steps that rise to the right.
fn profile(profiles: &Profiles, titled: &Titled) -> String {
    let widest = titled.profile.widest();
    let mut plot =
        Plot::new(Axis::from_one("times the least work", widest), Axis::share("share of problems"));
    for k in 0..profiles.entrants.len() {
        let (mut points, mut share) = (vec![(1.0, 0.0)], 0.0);
        for (tau, rise) in titled.profile.rises(k) {
            points.extend([(tau, share), (tau, rise)]);
            share = rise;
        }
        points.push((2.0 * widest.max(2.0), share));
        plot.curve(k, &points, false);
    }
    figure(&titled.title(), &plot.svg("performance profile"))
}

/// Error against work, one plot for each problem.
fn diagrams(comparison: &Comparison) -> String {
    let mut page = String::new();
    let mut rest = comparison.rows.as_slice();
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|row| row.problem == first.problem).count();
        let (own, others) = rest.split_at(count);
        page += &diagram(comparison, own);
        rest = others;
    }
    page
}

fn diagram(comparison: &Comparison, rows: &[Row]) -> String {
    let solved = || rows.iter().filter_map(Row::point);
    if solved().next().is_none() {
        return figure(
            &rows[0].problem,
            "<p class=\"quiet\">No run has an error of which something is known.</p>",
        );
    }
    let works = Axis::powers("work, multiplications", solved().map(|(work, _)| work));
    let mut plot = Plot::new(works, Axis::powers("error at the end", solved().map(|(_, error)| error)));
    for (k, entrant) in comparison.entrants.iter().enumerate() {
        let own = rows.iter().filter(|row| row.method == entrant.name);
        let mut points: Vec<(f64, f64)> = own.filter_map(Row::point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        plot.curve(k, &points, true);
    }
    figure(&rows[0].problem, &plot.svg("work-precision diagram"))
}

fn failures(comparison: &Comparison) -> String {
    let failed = comparison.rows.iter().filter_map(|row| Some((row, row.why()?)));
    let mut list = String::new();
    for (row, why) in failed {
        let _ = write!(
            list,
            "<li><b>{}</b> with {} at {:e}: {}</li>",
            escape(&row.problem),
            escape(&row.method),
            row.tolerance,
            escape(&why)
        );
    }
    if list.is_empty() { "<p>Every run came to its end.</p>".to_owned() } else { format!("<ul>{list}</ul>") }
}

fn table(comparison: &Comparison) -> String {
    let head = COLUMNS.map(|name| format!("<th>{name}</th>")).concat();
    let mut body = String::new();
    for row in &comparison.rows {
        let cells = row.cells().map(|cell| format!("<td>{}</td>", escape(&cell))).concat();
        let _ = writeln!(body, "<tr>{cells}<td>{:.3} s</td></tr>", row.wall_s);
    }
    format!("<thead><tr>{head}<th>wall</th></tr></thead><tbody>\n{body}</tbody>")
}
