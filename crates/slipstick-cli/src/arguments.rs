//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Simulates machines that hit, stick, slip and latch, and gets every event right.
#[derive(Debug, Parser)]
#[command(
    name = "slipstick",
    version,
    after_help = "Example:\n  slipstick examples bouncing-ball\n  slipstick run bouncing-ball.toml\n\n\
                  Data goes to stdout, talk to stderr. Exit codes: 0 done, 1 stopped early or a check failed, 2 could not."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print data as JSON (one object per line where there are many)
    // Its place in the help of a command is not to depend on how many commands there are.
    #[arg(long, global = true, display_order = 8)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a model and write its results and report
    #[command(after_help = "Examples:\n  slipstick run models/bouncing-ball.toml\n  \
                            slipstick run ball.toml --set e=0.5 --until 10 --out runs/soft")]
    Run(RunArguments),
    /// Check models without running them
    #[command(after_help = "Example:\n  slipstick check models/*.toml")]
    Check {
        /// The model files
        #[arg(required = true)]
        models: Vec<PathBuf>,
    },
    /// Run a model and print its events
    #[command(after_help = "Examples:\n  slipstick events models/bouncing-ball.toml\n  \
                            slipstick events ball.toml --json | head -3")]
    Events(SimulationArguments),
    /// Run a model and print the modes that it reached, and the events between them
    #[command(after_help = "Examples:\n  slipstick modes models/thermostat.toml\n  \
                            slipstick modes block.toml --set mu=0.3 --json")]
    Modes(SimulationArguments),
    /// Run a model and write a page with its moving picture
    #[command(after_help = "Examples:\n  slipstick view models/bouncing-ball.toml\n  \
                            slipstick view ball.toml --set e=0.5 --out ball.html")]
    View(ViewArguments),
    /// Run a model and draw it: at a moment, or as a film
    #[command(after_help = "Examples:\n  slipstick render models/bouncing-ball.toml --at \"0.3 s\"\n  \
                            slipstick render ball.toml --at 0.3 --format png --size 1920x1080\n  \
                            slipstick render ball.toml --format gif --fps 20 --speed 0.5 --out ball.gif")]
    Render(RenderArguments),
    /// List ready models, or write one out
    #[command(after_help = "Examples:\n  slipstick examples\n  slipstick examples thermostat\n  \
                            slipstick examples --all --to my-models")]
    Examples {
        /// The model to write out
        name: Option<String>,
        /// Write all of them
        #[arg(long, conflicts_with = "name")]
        all: bool,
        /// The folder to write to
        #[arg(long, default_value = ".")]
        to: PathBuf,
        /// Overwrite files that exist
        #[arg(long)]
        force: bool,
    },
    /// Explain the code of a message
    #[command(after_help = "Examples:\n  slipstick explain unknown-name\n  slipstick explain accumulation")]
    Explain {
        /// The code, as it stands in brackets in the message; without one, all codes are listed
        code: Option<String>,
    },
    /// Run a model in ways that must not matter, and say what of its run can be trusted
    #[command(after_help = "Examples:\n  slipstick verify models/bouncing-ball.toml\n  \
                            slipstick verify ball.toml --set e=0.5 --json")]
    Verify(VerifyArguments),
    /// Compare methods on a model or a suite: work, precision, performance profiles
    #[command(after_help = "Examples:\n  slipstick compare pendulum.toml --methods dopri5,dop853,radau5\n  \
                            slipstick compare mechanisms --only planar --methods hem5,phem56,mdop5 --tolerances 1e-4,1e-6")]
    Compare(CompareArguments),
    /// Run a benchmark suite against known truths
    #[command(after_help = "Examples:\n  slipstick bench --list\n  slipstick bench smooth --json\n  \
                            slipstick bench fingerprint --against crates/slipstick-cli/fingerprint.jsonl\n  \
                            slipstick bench metamorphic --seed 1 --count 20000 --json")]
    Bench(BenchArguments),
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The model file
    pub(crate) model: PathBuf,
    /// Give a parameter another value (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) settings: Vec<(String, f64)>,
    /// Run until this time instead of the model's
    #[arg(long, value_name = "TIME", value_parser = parse_finite, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// Use this relative tolerance instead of the model's; the absolute one follows at a hundredth of it
    #[arg(long, value_name = "TOLERANCE", value_parser = parse_positive, allow_negative_numbers = true)]
    pub(crate) rtol: Option<f64>,
    /// Use this method instead of the model's as the one that others are compared with
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// The suite
    pub(crate) suite: Option<String>,
    /// List the suites
    #[arg(long)]
    pub(crate) list: bool,
    /// Of the suite `metamorphic`: the seed of the first model
    #[arg(long, value_name = "SEED", default_value = "1")]
    pub(crate) seed: u64,
    /// Of the suite `metamorphic`: how many models are drawn
    #[arg(long, value_name = "COUNT", default_value = "500", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: u64,
    /// Of the suite `metamorphic`: only models of this kind
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    #[command(flatten)]
    pub(crate) fingerprint: FingerprintArguments,
}

/// What is done with the fingerprint; other suites do not read it.
#[derive(Debug, Args)]
pub(crate) struct FingerprintArguments {
    /// For `fingerprint`: write the results to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// For `fingerprint`: compare with the results in this file, and print what differs
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub(crate) against: Option<PathBuf>,
    /// For `fingerprint`: only runs whose suite, problem or method begins with this
    #[arg(long, value_name = "WORD", conflicts_with = "record")]
    pub(crate) only: Option<String>,
}

/// What every run can be asked.
#[derive(Clone, Debug, Args)]
pub(crate) struct SimulationArguments {
    /// The model file
    pub(crate) model: PathBuf,
    /// Give a parameter another value (may be repeated)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) settings: Vec<(String, f64)>,
    /// Run until this time instead of the model's
    #[arg(long, value_name = "TIME", value_parser = parse_finite, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// Use this relative tolerance instead of the model's; the absolute one follows at a hundredth of it
    #[arg(long, value_name = "TOLERANCE", value_parser = parse_positive, allow_negative_numbers = true)]
    pub(crate) rtol: Option<f64>,
    /// Use this method instead of the model's
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Stop after so many seconds of real time
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_positive, allow_negative_numbers = true)]
    pub(crate) max_wall: f64,
    /// Stop after so many events [default: the model's, or 100000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_events: Option<u64>,
    /// Stop after so many steps, taken or not [default: the model's, or 1000000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
    /// End with exit code 1 if there are warnings
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) simulation: SimulationArguments,
    /// The folder for the results [default: runs/MODEL]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Write trajectory.parquet too
    #[arg(long)]
    pub(crate) parquet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ViewArguments {
    #[command(flatten)]
    pub(crate) simulation: SimulationArguments,
    /// The file for the page [default: runs/MODEL/picture.html]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArguments {
    #[command(flatten)]
    pub(crate) simulation: SimulationArguments,
    /// The moment to draw, a number or such as "0.3 s" [default: the start of the run]
    #[arg(long, value_name = "TIME", value_parser = parse_moment, allow_negative_numbers = true)]
    pub(crate) at: Option<f64>,
    /// What to write: a picture as svg or png, a film as apng or gif [default: as the file ends, or svg]
    #[arg(long, value_enum)]
    pub(crate) format: Option<PictureFormat>,
    /// Width and height in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "960x540", value_parser = parse_size)]
    pub(crate) size: [u32; 2],
    /// Of a film: frames in a second [default: 30]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) fps: Option<u16>,
    /// Of a film: the moment that it begins with [default: the start of the run]; it ends with the run
    #[arg(long, value_name = "TIME", value_parser = parse_moment, allow_negative_numbers = true)]
    pub(crate) from: Option<f64>,
    /// Of a film: how many seconds of the run pass in a second [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = parse_positive, allow_negative_numbers = true)]
    pub(crate) speed: Option<f64>,
    /// The file [default: runs/MODEL/picture.FORMAT]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// What a picture or a film is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureFormat {
    Svg,
    Png,
    Apng,
    Gif,
}

impl PictureFormat {
    /// The ending of its files.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Apng => "apng",
            Self::Gif => "gif",
        }
    }

    pub(crate) fn is_film(self) -> bool {
        matches!(self, Self::Apng | Self::Gif)
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// A model file, or the name of a suite: smooth, stiff or mechanisms
    #[arg(value_name = "MODEL|SUITE")]
    pub(crate) target: String,
    /// The methods, each a name or NAME+STABILISATION; `mdop5` is `dopri5+project` [default: those that suit]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// The relative tolerances to run at
    #[arg(long, value_name = "TOLERANCES", value_delimiter = ',', default_value = "1e-4,1e-6,1e-8", value_parser = parse_tolerance, allow_negative_numbers = true)]
    pub(crate) tolerances: Vec<f64>,
    /// The error at which the work of methods is compared [default: the middle one of the tolerances]
    #[arg(long, value_name = "ERROR", value_parser = parse_positive, allow_negative_numbers = true)]
    pub(crate) error: Option<f64>,
    /// Only the problems whose name begins with this, or that are in this part of the suite
    #[arg(long, value_name = "WORD")]
    pub(crate) only: Option<String>,
    /// Correct steps of mechanisms only when a joint is open by more than this, 0 for always [default: the
    /// model's]
    #[arg(long, value_name = "DRIFT", value_parser = parse_not_negative, allow_negative_numbers = true)]
    pub(crate) drift: Option<f64>,
    /// Stop a run after so many steps, taken or not [default: the model's, or 100000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
    /// Stop after so many seconds of real time for all runs together
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = parse_positive, allow_negative_numbers = true)]
    pub(crate) max_wall: f64,
    /// The folder for the page [default: runs/compare-NAME]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if (1e-13..1.0).contains(&x) => Ok(x),
        _ => Err("expected a number from 1e-13 to below 1, for example `--tolerances 1e-4,1e-6`".to_owned()),
    }
}

fn parse_finite(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| "expected a finite number".to_owned())
}

/// A number, or one with a unit of time.
fn parse_moment(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 5] = [("us", 1e-6), ("ms", 1e-3), ("min", 60.0), ("h", 3600.0), ("s", 1.0)];
    let unit = UNITS.iter().find_map(|(unit, size)| Some((text.trim().strip_suffix(unit)?, size)));
    let (number, size) = unit.unwrap_or((text, &1.0));
    let moment = number.trim().parse::<f64>().ok().map(|number| number * size);
    let wrong = || "expected a time, for example `0.3` or `\"300 ms\"`".to_owned();
    moment.filter(|moment| moment.is_finite()).ok_or_else(wrong)
}

/// The least and the most pixels of a side.
const SIDES: std::ops::RangeInclusive<u32> = 16..=8192;

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').map(|(width, height)| [width, height].map(|side| side.trim().parse()));
    match sides {
        Some([Ok(width), Ok(height)]) if SIDES.contains(&width) && SIDES.contains(&height) => {
            Ok([width, height])
        }
        _ => Err("expected two whole numbers from 16 to 8192, for example `1280x720`".to_owned()),
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("expected a number greater than zero".to_owned()),
    }
}

fn parse_not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x >= 0.0 && x.is_finite() => Ok(x),
        _ => Err("expected zero or a number greater than zero".to_owned()),
    }
}

fn parse_setting(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, for example `--set g=1.62`")?;
    let value: f64 = value.trim().parse().map_err(|_| format!("`{value}` is not a number"))?;
    if value.is_finite() {
        Ok((name.trim().to_owned(), value))
    } else {
        Err(format!("`{value}` is not finite"))
    }
}
