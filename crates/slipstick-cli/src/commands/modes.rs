//! `slipstick modes`: run a model and print the modes that it reached, and the events between them.

use super::Finish;
use crate::arguments::SimulationArguments;
use crate::model_file::ModelFile;
use crate::progress::RunMonitor;
use crate::results::{RunResult, mode_graph_json, number};
use crate::talk::{Trouble, column_width, data};
use slipstick::trajectory::{ModeEdge, ModeGraph};

/// Prints a line for each mode, and one for each way between two.
pub(crate) fn modes(arguments: &SimulationArguments, json: bool) -> Result<Finish, Trouble> {
    let watch = RunMonitor::begin(arguments.max_wall);
    let Some((file, plan)) = ModelFile::prepare_with(arguments, &watch)? else { return Ok(Finish::Short) };
    let result = RunResult::simulate(&file, &plan, watch);
    if let Some(trouble) = result.refusal() {
        return Err(trouble);
    }
    let graph = ModeGraph::of(&plan.system, &result.trajectory);
    if json {
        data(mode_graph_json(&graph));
    } else {
        print_graph(&graph);
    }
    result.talk();
    Ok(result.finish(arguments.strict))
}

/// `    1  belt sticks    entered 5×, for 2.1 (30.2 %)`, and below `    1 -> 2  contact.belt.slip  5×`.
fn print_graph(graph: &ModeGraph) {
    let all: f64 = graph.modes.iter().map(|mode| mode.time).sum();
    let width = column_width(graph.modes.iter().map(|mode| mode.name.as_str()));
    for (i, mode) in graph.modes.iter().enumerate() {
        let part = if all > 0.0 { 100.0 * mode.time / all } else { 0.0 };
        let time = number(mode.time);
        data(format!(
            "{:>5}  {:<width$}  entered {}×, for {time} ({part:.1} %)",
            i + 1,
            mode.name,
            mode.entered
        ));
    }
    let width = column_width(graph.edges.iter().map(|edge| edge.event.as_str()));
    for ModeEdge { from, to, event, count } in &graph.edges {
        let way = format!("{} -> {}", from + 1, to + 1);
        data(format!("{way:>10}  {event:<width$}  {count}×"));
    }
}
