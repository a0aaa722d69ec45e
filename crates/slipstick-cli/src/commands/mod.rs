//! The commands, one file each.

mod bench;
mod check;
mod compare;
mod events;
mod examples;
mod explain;
mod modes;
mod render;
mod run;
mod verify;
mod view;

use crate::arguments::{Arguments, Command};
use crate::talk::Trouble;
use std::process::ExitCode;

/// How a command that could do its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Exit code 0.
    Done,
    /// Exit code 1: stopped early by a limit, or a check failed.
    Short,
    /// Exit code 2: the run failed, has said so, and what was computed is kept.
    Failed,
}

impl Finish {
    fn done_if(done: bool) -> Self {
        if done { Self::Done } else { Self::Short }
    }
}

impl From<Finish> for ExitCode {
    fn from(finish: Finish) -> Self {
        match finish {
            Finish::Done => Self::SUCCESS,
            Finish::Short => Self::from(1),
            Finish::Failed => Self::from(2),
        }
    }
}

/// Runs the command that the arguments ask for.
pub(crate) fn dispatch(arguments: Arguments) -> Result<Finish, Trouble> {
    let json = arguments.json;
    match arguments.command {
        Command::Run(arguments) => run::run(&arguments, json),
        Command::Check { models } => check::check(&models, json),
        Command::Events(arguments) => events::events(&arguments, json),
        Command::Modes(arguments) => modes::modes(&arguments, json),
        Command::View(arguments) => view::view(&arguments, json),
        Command::Render(arguments) => render::render(&arguments, json),
        Command::Examples { name, all, to, force } => {
            examples::examples(name.as_deref(), all, &to, force, json)
        }
        Command::Explain { code } => explain::explain(code.as_deref(), json),
        Command::Verify(arguments) => verify::verify(&arguments, json),
        Command::Compare(arguments) => compare::compare(&arguments, json),
        Command::Bench(arguments) => bench::bench(&arguments, json),
    }
}
