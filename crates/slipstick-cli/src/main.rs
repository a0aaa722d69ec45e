//! The program `slipstick`: a model file in, a report out.
//!
//! stdout is data, stderr is talk. Exit 0: done; 1: a limit was reached or a check failed; 2: could not.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod lines;
mod model_file;
mod progress;
mod results;
mod talk;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    let json = arguments.json;
    match commands::dispatch(arguments) {
        Ok(finish) => finish.into(),
        Err(trouble) => {
            trouble.tell(json);
            ExitCode::from(2)
        }
    }
}
