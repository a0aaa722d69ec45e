//! The table of run options: what may be asked of a run, in the section `run` of a model file, in Rust, and
//! in `run.json`.
//!
//! Reading and checking a model file, planning a run, result files and the book all take it from here. A new
//! option is a row here, and the field of [`Options`] that it sets.

mod kind;
mod own;
mod value;

pub(crate) use kind::apply;
pub use value::OptionValue;

use super::{DenseEvents, Options, Plan};
use crate::formulation::Metric;
use crate::math::Norm;
use crate::model::{Detection, Location};
use crate::step::{Control, PerComponent, Tolerances, USUAL_RHO};
use kind::{OptionKind, PerState};

/// A row of the table.
pub struct RunOption {
    /// The key in the section `run` of a model file, and in `run.json`.
    pub key: &'static str,
    /// The unit; empty for a plain number or a word.
    pub unit: &'static str,
    /// What holds where nothing is said, as the book says it.
    pub default: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The place in the book with more about it.
    pub more: Option<&'static str>,
    /// Whether it says how steps are chosen, and so means nothing beside `fixed_step`.
    pub chooses_steps: bool,
    kind: OptionKind,
    show: Show,
}

/// What an option is, once a run is planned.
enum Show {
    /// It is one of the [`Options`].
    Options(fn(&Options) -> OptionValue),
    /// It depends on more than those.
    Plan(fn(&Plan) -> OptionValue),
}

impl RunOption {
    /// What may stand in the file.
    pub fn type_in_words(&self) -> String {
        self.kind.in_words()
    }

    /// What it is in a run.
    pub fn value(&self, plan: &Plan) -> OptionValue {
        match self.show {
            Show::Options(show) => show(&plan.options),
            Show::Plan(show) => show(plan),
        }
    }

    /// Whether some options differ in it.
    pub(super) fn differs(&self, options: &Options, others: &Options) -> bool {
        matches!(self.show, Show::Options(show) if show(options) != show(others))
    }

    /// The row of a key.
    pub fn of(key: &str) -> Option<&'static Self> {
        RUN_OPTIONS.iter().find(|option| option.key == key)
    }
}

/// What most rows have in common.
const ROW: RunOption = RunOption {
    key: "",
    unit: "",
    default: "none",
    about: "",
    more: None,
    chooses_steps: false,
    kind: OptionKind::OfModel(""),
    show: Show::Options(|_| OptionValue::Nothing),
};

/// The unit of time is that of the model.
const TIME: &str = "time";

/// The smallest relative tolerance: a few roundings of a double.
const LEAST_RELATIVE: f64 = 10.0 * f64::EPSILON;

/// What the absolute tolerance is of the relative one where nothing is said.
const ABSOLUTE_OF_RELATIVE: f64 = 1e-2;

fn usual_relative(_: &Options) -> PerComponent {
    Tolerances::default().relative
}

fn usual_absolute(options: &Options) -> PerComponent {
    options.tolerances.relative.times(ABSOLUTE_OF_RELATIVE)
}

/// Every run option, in the order of the book.
pub static RUN_OPTIONS: &[RunOption] = &[
    RunOption {
        key: "from",
        unit: TIME,
        default: "`0`",
        about: "the start time",
        kind: OptionKind::OfModel("formula"),
        show: Show::Plan(|plan| plan.start.t.into()),
        ..ROW
    },
    RunOption {
        key: "until",
        unit: TIME,
        default: "required",
        about: "the end time, later than `from`",
        kind: OptionKind::OfModel("formula"),
        show: Show::Options(|options| options.until.into()),
        ..ROW
    },
    RunOption {
        key: "rtol",
        default: "`1e-8`",
        about: "the relative tolerance",
        more: Some("concepts/steps-and-tolerances.md#the-tolerances"),
        kind: OptionKind::PerState(PerState {
            usual: usual_relative,
            least: LEAST_RELATIVE,
            set: |options, value| options.tolerances.relative = value,
        }),
        show: Show::Options(|options| (&options.tolerances.relative).into()),
        ..ROW
    },
    RunOption {
        key: "atol",
        unit: "of the state",
        default: "`rtol / 100`",
        about: "the absolute tolerance",
        more: Some("concepts/steps-and-tolerances.md#the-tolerances"),
        kind: OptionKind::PerState(PerState {
            usual: usual_absolute,
            least: 0.0,
            set: |options, value| options.tolerances.absolute = value,
        }),
        show: Show::Options(|options| (&options.tolerances.absolute).into()),
        ..ROW
    },
    RunOption {
        key: "norm",
        default: "`\"auto\"`",
        about: "whether the worst state or the mean of all decides about a step",
        more: Some("concepts/steps-and-tolerances.md#the-tolerances"),
        kind: OptionKind::Word(&[
            ("auto", |options| options.tolerances.norm = None),
            ("worst", |options| options.tolerances.norm = Some(Norm::Worst)),
            ("mean", |options| options.tolerances.norm = Some(Norm::Mean)),
        ]),
        show: Show::Options(|options| options.tolerances.norm.map(Norm::name).into()),
        ..ROW
    },
    RunOption {
        key: "method",
        default: "`\"auto\"`",
        about: "the method",
        more: Some("concepts/steps-and-tolerances.md#the-method"),
        kind: OptionKind::Own("string", own::method),
        show: Show::Options(|options| options.method.name().into()),
        ..ROW
    },
    RunOption {
        key: "rho_infinity",
        default: "`0.8`",
        about: "for `alpha`, `alpha2` and `alpha3` alone: the part of an infinitely fast oscillation that is left after a step; less than 1 for `alpha3`",
        more: Some("concepts/mechanisms.md#stiff-mechanisms"),
        kind: OptionKind::Own("number from 0 to 1", own::rho),
        show: Show::Options(|options| {
            let used = options.method.has_rho().then(|| options.rho_infinity.unwrap_or(USUAL_RHO));
            used.into()
        }),
        ..ROW
    },
    RunOption {
        key: "control",
        default: "`\"standard\"`",
        about: "how step sizes are chosen; `\"pid\"` changes them more smoothly",
        chooses_steps: true,
        kind: OptionKind::Word(&[
            ("standard", |options| options.steps.control = Control::Standard),
            ("pid", |options| options.steps.control = Control::Pid),
        ]),
        show: Show::Options(|options| {
            if options.steps.control == Control::Pid { "pid" } else { "standard" }.into()
        }),
        ..ROW
    },
    RunOption {
        key: "safety",
        default: "`0.9`",
        about: "the part that is tried of the step that would just be good enough; with less, fewer steps are rejected, but more are made",
        chooses_steps: true,
        kind: OptionKind::Own("number between 0 and 1", own::safety),
        show: Show::Options(|options| options.steps.safety.into()),
        ..ROW
    },
    RunOption {
        key: "output_step",
        unit: TIME,
        default: "every accepted step",
        about: "the interval of the rows in `trajectory.csv`; at most ten million intervals",
        kind: OptionKind::OfModel("formula"),
        show: Show::Plan(|plan| plan.output_step.into()),
        ..ROW
    },
    RunOption {
        key: "first_step",
        unit: TIME,
        default: "chosen automatically",
        about: "the first step that is tried",
        chooses_steps: true,
        kind: OptionKind::Time(|options, value| options.steps.first = Some(value)),
        show: Show::Options(|options| options.steps.first.into()),
        ..ROW
    },
    RunOption {
        key: "longest_step",
        unit: TIME,
        default: "the whole interval",
        about: "no step is longer",
        chooses_steps: true,
        kind: OptionKind::Time(|options, value| options.steps.longest = Some(value)),
        show: Show::Options(|options| options.steps.longest.into()),
        ..ROW
    },
    RunOption {
        key: "fixed_step",
        unit: TIME,
        about: "every step has this size, without error control; `first_step`, `longest_step`, `control` and `safety` are refused beside it. `rtol` and `atol` say how far the iterations of implicit methods go",
        kind: OptionKind::Time(|options, value| options.steps.fixed = Some(value)),
        show: Show::Options(|options| options.steps.fixed.into()),
        ..ROW
    },
    RunOption {
        key: "mode",
        default: "the first mode of the file",
        about: "the mode to begin in",
        kind: OptionKind::OfModel("string"),
        show: Show::Plan(|plan| plan.start_mode().into()),
        ..ROW
    },
    RunOption {
        key: "max_events",
        default: "`100000`",
        about: "the most events",
        kind: OptionKind::Count(|options, count| options.limits.events = count),
        show: Show::Options(|options| options.limits.events.into()),
        ..ROW
    },
    RunOption {
        key: "max_steps",
        default: "`1000000`",
        about: "the most steps, taken or not",
        kind: OptionKind::Count(|options, count| options.limits.steps = count),
        show: Show::Options(|options| options.limits.steps.into()),
        ..ROW
    },
    RunOption {
        key: "detection",
        default: "`\"whole-step\"`",
        about: "where in a step guards are looked at: everywhere, at its ends, also at the times of the stages, or at so many points; all but the default can miss events",
        more: Some("concepts/guards-and-events.md#where-a-step-is-looked-at"),
        kind: OptionKind::WordOrCount(
            &[
                ("whole-step", |options| options.events.detection = Detection::WholeStep),
                ("ends", |options| options.events.detection = Detection::Ends),
                ("stages", |options| options.events.detection = Detection::Stages),
            ],
            |options, count| {
                options.events.detection = Detection::Samples(u32::try_from(count).unwrap_or(u32::MAX));
            },
        ),
        show: Show::Options(|options| match options.events.detection {
            Detection::WholeStep => OptionValue::from("whole-step"),
            Detection::Ends => OptionValue::from("ends"),
            Detection::Stages => OptionValue::from("stages"),
            Detection::Samples(count) => u64::from(count).into(),
        }),
        ..ROW
    },
    RunOption {
        key: "location",
        default: "`\"auto\"`",
        about: "how the state at an event is computed: on the dense output, by a step that ends right after it, or without using the equations after it",
        kind: OptionKind::Word(&[
            ("auto", |options| options.events.location = None),
            ("dense", |options| options.events.location = Some(Location::Dense)),
            ("integrate", |options| options.events.location = Some(Location::Integrate)),
            ("one-sided", |options| options.events.location = Some(Location::OneSided)),
        ]),
        show: Show::Options(|options| options.events.location.map(Location::name).into()),
        ..ROW
    },
    RunOption {
        key: "concurrency",
        unit: "time, and of the guard",
        about: "events this close in time, with guards this small, are one event",
        kind: OptionKind::Own(
            "table of `time`, a number greater than zero or a quantity, and `amplitude`, a number greater than zero",
            own::concurrency,
        ),
        show: Show::Options(|options| match options.events.concurrency {
            Some(c) => OptionValue::Table(vec![("time", c.time.into()), ("amplitude", c.amplitude.into())]),
            None => OptionValue::Nothing,
        }),
        ..ROW
    },
    RunOption {
        key: "painleve",
        default: "`\"continue\"`",
        about: "what happens where a contact slides with more friction than its motion can have: an impulse stops its slip, with a warning, or the run ends",
        more: Some("concepts/contacts.md#much-friction"),
        kind: OptionKind::Word(&[
            ("continue", |options| options.events.stops_at_painleve = false),
            ("stop", |options| options.events.stops_at_painleve = true),
        ]),
        show: Show::Plan(own::show_painleve),
        ..ROW
    },
    RunOption {
        key: "dense_events",
        default: "`\"capture\"`",
        about: "what becomes of hits that are too dense to be located one by one: steps of first order go over them, they are located all the same, or the run ends",
        more: Some("concepts/contacts.md#dense-events"),
        kind: OptionKind::Word(&[
            ("capture", |options| options.contacts.dense_events = DenseEvents::Capture),
            ("locate", |options| options.contacts.dense_events = DenseEvents::Locate),
            ("stop", |options| options.contacts.dense_events = DenseEvents::Stop),
        ]),
        show: Show::Plan(own::show_dense_events),
        ..ROW
    },
    RunOption {
        key: "stabilisation",
        default: "`\"pstab\"`; with `auto` `\"ggl\"` where a mechanism is stiff, unless something is said here; with `alpha` and `alpha3` `\"none\"`, and nothing else",
        about: "what keeps the constraints of a mechanism met; tables are terms in the equations: `{ rate = 20, position = 100, along = \"forces\" }` (Baumgarte; also `\"normal\"` and `\"gradient\"`), `{ decay = 10, rate = 1 }`, and `{ reach = 0.1, speed = 10 }` for starts that do not meet their constraints, where both can be tables by constraint; what a table does not name is as here, but `reach` must be given",
        more: Some("concepts/mechanisms.md#joints-that-stay-shut"),
        kind: OptionKind::Own(
            "`\"pstab\"`, `\"s-both\"`, `\"s-full\"`, `\"s-speed\"`, `\"project\"`, `\"ggl\"`, `\"none\"`, or a table",
            own::stabilisation,
        ),
        show: Show::Plan(own::show_stabilisation),
        ..ROW
    },
    RunOption {
        key: "metric",
        default: "`\"mass\"`",
        about: "the metric in which corrections of a mechanism are the least change",
        kind: OptionKind::Word(&[
            ("mass", |options| options.constraints.metric = Metric::Mass),
            ("identity", |options| options.constraints.metric = Metric::Identity),
        ]),
        show: Show::Plan(|plan| {
            own::if_corrected(plan, |options| match options.constraints.metric {
                Metric::Mass => "mass".into(),
                Metric::Identity => "identity".into(),
            })
        }),
        ..ROW
    },
    RunOption {
        key: "datol",
        unit: "of the constraint",
        default: "`0`",
        about: "steps of a mechanism that end with no residual of a constraint above this are not corrected",
        kind: OptionKind::NotNegative(|options, value| options.constraints.drift_tolerance = value),
        show: Show::Plan(|plan| {
            own::if_corrected(plan, |options| options.constraints.drift_tolerance.into())
        }),
        ..ROW
    },
    RunOption {
        key: "pinned",
        about: "coordinates that stay as they are when the start of a mechanism is made consistent",
        kind: OptionKind::Own("list of coordinates", own::pinned),
        show: Show::Plan(Plan::pinned),
        ..ROW
    },
    RunOption {
        key: "coordinates",
        default: "`\"absolute\"`",
        about: "for machines of parts: three coordinates for each body, or those of the joints that carry bodies",
        more: Some("concepts/bodies.md#coordinates-of-joints"),
        kind: OptionKind::OfModel("`\"absolute\"` or `\"joint\"`"),
        show: Show::Plan(Plan::coordinates),
        ..ROW
    },
    RunOption {
        key: "regularise",
        unit: "of the surface",
        default: "none: switching is exact",
        about: "the width of the layer about each switching surface in which signs and comparisons are a straight line instead of a jump",
        more: Some("concepts/modes-and-switches.md#regularised-switching"),
        kind: OptionKind::OfModel("number greater than zero"),
        show: Show::Plan(|plan| plan.regularise.into()),
        ..ROW
    },
];
