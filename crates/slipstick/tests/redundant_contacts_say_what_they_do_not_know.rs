//! Redundant contacts share what presses on them. Where that changes nothing, a contact more or less is the same motion;
//! where it decides the motion, the run ends and says so.

use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::trajectory::Trajectory;

const BLOCK: &str = r#"
    coordinates = { x = 0, y = 0 }
    speeds.x = 3
    kinetic = "(x'^2 + y'^2)/2"
    potential = "10*y"
    contacts.a = { gap = "y", slip = "x'", friction = 0.2 }
    run.until = 2"#;

/// The end of a run, or the code and the text of its error.
fn run(text: &str) -> Result<Trajectory, (String, String)> {
    let model = Plan::read_model(text).expect("a model");
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    simulate(&plan.system, &plan.start, &plan.options)
        .map_err(|failure| (failure.error.code().to_owned(), failure.error.to_string()))
}

fn with_another(contact: &str) -> String {
    BLOCK.replace("    run.until", &format!("    contacts.b = {contact}\n    run.until"))
}

#[test]
fn a_contact_written_twice_is_the_same_motion() {
    let one = run(BLOCK).expect("a run");
    let two = run(&with_another(r#"{ gap = "y", slip = "x'", friction = 0.2 }"#)).expect("a run");
    let ends = [one, two].map(|run| run.state_before(2.0).expect("the end").y);
    // It stops after 1.5 s, 2.25 further on.
    assert!((ends[0][0] - 2.25).abs() < 1e-9, "{ends:?}");
    assert!(ends[0].iter().zip(&ends[1]).all(|(a, b)| (a - b).abs() < 1e-12), "{ends:?}");
}

/// The motion depended on the order of the contacts, and forces were shown that did not belong to it.
#[test]
fn contacts_that_share_a_normal_with_different_friction_are_refused() {
    let text = with_another(r#"{ gap = "y", slip = "x'", friction = 0.4 }"#);
    let (code, message) = run(&text).expect_err("nothing says how they share their load");
    assert_eq!(code, "contact-unsolved");
    assert!(message.contains("`a`") && message.contains("`b`"), "{message}");
}

/// Three feet in a line with the same friction slow down by the weight, however they share it.
#[test]
fn feet_in_a_line_slide_to_where_they_should() {
    let text = r#"
        coordinates = { x = 0, y = 0, a = 0 }
        speeds.x = 2
        kinetic = "(x'^2 + y'^2)/2 + a'^2/6"
        potential = "10*y"
        contacts.l = { gap = "y - sin(a)", slip = "x'", friction = 0.2 }
        contacts.m = { gap = "y", slip = "x'", friction = 0.2 }
        contacts.r = { gap = "y + sin(a)", slip = "x'", friction = 0.2 }
        run.until = 3"#;
    let run = run(text).expect("a run");
    assert!((run.state_before(3.0).expect("the end").y[0] - 1.0).abs() < 1e-9);
}

/// Three feet in a line with the same friction: however they share their load, friction is `μ m g`. It used to end with the
/// message that they slide with different friction.
#[test]
fn a_box_on_three_feet_slides_as_on_two() {
    let text = "parameters = { b = 0.2, h = 0.3 }\ncoordinates = { x = 0, y = \"h\", a = 0 }\n\
        kinetic = \"(x'^2 + y'^2)/2 + (b^2 + h^2)/6*a'^2\"\npotential = \"9.81*y\"\nforces.x = \"t\"\n[contacts]\n\
        left = { gap = \"y - b*sin(a) - h*cos(a)\", slip = \"x' + (h*cos(a) + b*sin(a))*a'\", friction = 0.3 }\n\
        right = { gap = \"y + b*sin(a) - h*cos(a)\", slip = \"x' + (h*cos(a) - b*sin(a))*a'\", friction = 0.3 }\n\
        mid = { gap = \"y - h*cos(a)\", slip = \"x' + h*cos(a)*a'\", friction = 0.3 }\n";
    for method in ["auto", "dopri5", "hem5", "radau5"] {
        let run =
            run(&format!("{text}[run]\nuntil = 5\nrtol = 1e-10\nmethod = \"{method}\"")).expect("a run");
        let end = run.state_before(run.end_time()).expect("an end");
        let slides: f64 = 5.0 - 0.3 * 9.81;
        let error = (end.y[0] - slides.powi(3) / 6.0).abs();
        assert!(error < 1e-8, "{method}: off by {error}");
    }
}

/// A wall with a friction of zero takes up no friction that could be shared.
#[test]
fn a_smooth_wall_shares_nothing() {
    let text = "coordinates = { x = \"cos(0.906)\", y = \"sin(0.906)\", a = 0.906 }\n\
        kinetic = \"(x'^2 + y'^2)/2 + 1/6*a'^2\"\npotential = \"9.81*y\"\n[contacts]\n\
        floor = { gap = \"y - sin(a)\", slip = \"x' - sin(a)*a'\", friction = 0.4 }\n\
        wall = { gap = \"x - cos(a)\", slip = \"y' + cos(a)*a'\", friction = 0 }\n[run]\nuntil = 1";
    let run = run(text).expect("a run");
    assert!(run.notes.iter().all(|note| note.code != "forces-not-unique"), "{:?}", run.notes);
}
