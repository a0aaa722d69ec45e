//! The picture of small models, compared with their trajectory.

use super::super::RunResult;
use super::keys::Keys;
use super::paint::Stroke;
use super::{Frame, Pixels, Scene, data, paint};
use crate::model_file::ModelFile;
use crate::progress::RunMonitor;
use slipstick::simulate::{Overrides, Plan};
use std::path::Path;

const BALL: &str = r#"
states      = { x = 0, y = 1.0, v = 0.0 }
derivatives = { x = 1, y = "v", v = -9.81 }
events.floor = { guard = "y < 0", reset = { v = "-0.8 * v", x = "x + 0.5" } }
run         = { until = 2 }
units       = { y = "m" }

[picture]
ball  = { disc = 0.1, at = ["x", "y + 0.1"], angle = "sin(7 * t)", lights = "floor" }
floor = { half_plane = [0, 1], at = [0, 0] }
post  = { box = [0.1, "2 * 0.5"], at = [-1, 0.5] }
rope  = { spring = [[-1, 1], ["x", "y"]] }
"#;

/// Runs a model and looks at its result.
fn with_result<T>(text: &str, look: impl FnOnce(&RunResult<'_>) -> T) -> T {
    let model = Plan::read_model(text).unwrap();
    let [name, stem, hash] = ["ball.toml", "ball", ""].map(str::to_owned);
    let file = ModelFile { name, stem, sources: slipstick::model::Sources::of(text), hash, model };
    let plan = file.plan(Path::new("ball.toml"), &Overrides::default()).unwrap();
    look(&RunResult::simulate(&file, &plan, RunMonitor::begin(60.0)))
}

#[test]
fn poses_are_those_of_the_trajectory_on_both_sides_of_every_event() {
    with_result(BALL, |result| {
        let mut scene = Scene::new(result).unwrap();
        let keys = Keys::of(&mut scene);
        assert!(result.trajectory.events.len() >= 3);
        for event in &result.trajectory.events {
            let at: Vec<usize> = (0..keys.t.len()).filter(|k| keys.t[*k] == event.t).collect();
            let [before, after] = at[..] else { panic!("{} keys at an event", at.len()) };
            for (key, state) in [(before, &event.before), (after, &event.after)] {
                let [x, y, angle, ..] = keys.q[key][0];
                assert_eq!([x, y, angle], [state[0], state[1] + 0.1, (7.0 * event.t).sin()]);
                // Positions are parabolas, of which differences are right.
                assert!((keys.q[key][0][4] - state[2]).abs() < 1e-6);
            }
        }
    });
}

#[test]
fn between_keys_the_picture_is_a_quarter_of_a_pixel_from_the_trajectory() {
    with_result(BALL, |result| {
        let mut scene = Scene::new(result).unwrap();
        let keys = Keys::of(&mut scene);
        let pixel = scene.bounds.size() / 1000.0;
        let mut worst = 0.0_f64;
        for k in 0..=1000 {
            let t = 2.0 * f64::from(k) / 1000.0;
            let poses = scene.poses(scene.segment_at(t), t);
            let shown = keys.pose(0, t);
            worst = worst.max((shown[0] - poses[0][0]).hypot(shown[1] - poses[0][1]));
            worst = worst.max(0.1 * (shown[2] - poses[0][2]).abs());
        }
        assert!(worst < 0.5 * pixel, "{} pixels", worst / pixel);
        // Few are needed: a swing of the angle takes a handful.
        assert!(keys.t.len() < 60 && keys.cut.is_none(), "{}", keys.t.len());
    });
}

#[test]
fn what_stands_still_has_no_track_in_the_data() {
    let data = with_result(BALL, |result| data(result).unwrap());
    assert_eq!(data["bodies"][0]["pose"], 0);
    assert_eq!(data["bodies"][0]["turns"], true);
    assert_eq!(data["bodies"][2]["pose"], serde_json::json!([-1.0, 0.5, 0.0]));
    assert_eq!(data["bodies"][2]["shapes"][0]["size"], serde_json::json!([0.1, 1.0]));
    // The ball, and the end of the rope that it holds.
    assert_eq!((&data["tracks"], &data["lines"][0]["through"][1]), (&2.into(), &1.into()));
    assert_eq!((&data["unit"], &data["v"], &data["dimension"]), (&"m".into(), &1.into(), &2.into()));
    assert_eq!(data["events"][0]["bodies"], serde_json::json!([0]));
    let bytes = data["t"].as_str().unwrap().len() * 3 / 4;
    assert_eq!(data["q"].as_str().unwrap().len() * 3 / 4 / bytes, 6);
}

/// The colour at a place of the model.
fn colour(pixels: &Pixels, view: &Frame, place: [f64; 2]) -> [u8; 3] {
    // Inside the picture.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let [x, y] = view.pixel(place).map(|x| x.round() as usize);
    let at = 3 * (y * pixels.width as usize + x);
    [pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2]]
}

#[test]
fn pixels_have_the_colours_of_what_is_there() {
    with_result(BALL, |result| {
        let mut scene = Scene::new(result).unwrap();
        let view = Frame::fit(&scene.bounds, [400, 300]);
        let t = 0.2;
        let strokes: Vec<Stroke> = paint(&mut scene, t, &view, 0.0);
        let pixels = Pixels::draw(&view, &strokes).unwrap();
        let y = 1.0 - 9.81 / 2.0 * t * t + 0.1;
        // Beside the line that shows how the disc is turned.
        assert_eq!(colour(&pixels, &view, [t - 0.05, y - 0.06]), [0xbb, 0xd6, 0xea]);
        assert_eq!(colour(&pixels, &view, [1.0, -0.03]), [0xe4, 0xe6, 0xe1]);
        assert_eq!(colour(&pixels, &view, [-1.0, 0.3]), [0xe4, 0xe6, 0xe1]);
        assert_eq!(colour(&pixels, &view, [1.0, 0.9]), [0xff, 0xff, 0xff]);
    });
}

#[test]
fn what_was_hit_is_lit() {
    with_result(BALL, |result| {
        let scene = Scene::new(result).unwrap();
        let event = result.trajectory.events[0].t;
        let lit = |t: f64, glow: f64| scene.lit(&scene.segment_at(t).mode, t, glow)[0];
        assert_eq!([lit(event, 0.0), lit(event + 0.05, 0.1), lit(event + 0.2, 0.1)], [true, true, false]);
        assert!(!lit(event - 0.01, 0.1));
    });
}

#[test]
fn a_model_that_draws_nothing_has_no_picture() {
    with_result("states.x = 1\nderivatives.x = \"-x\"\nrun.until = 1", |result| {
        assert!(Scene::new(result).is_none() && data(result).is_none());
    });
}

#[test]
fn places_without_a_number_are_left_out() {
    let model = "states.x = 1\nderivatives.x = \"-x\"\nrun.until = 1\n\
                 picture.a = { disc = 0.1, at = [\"ln(0.5 - x)\", 0] }\n\
                 picture.b = { disc = 0.1, at = [\"x\", 0] }";
    with_result(model, |result| {
        let mut scene = Scene::new(result).unwrap();
        let view = Frame::fit(&scene.bounds, [400, 300]);
        assert!(view.scale.is_finite());
        let strokes = paint(&mut scene, 0.0, &view, 0.0);
        assert!(strokes.iter().all(|stroke| stroke.name == "b") && !strokes.is_empty());
        assert!(!Keys::of(&mut scene).t.is_empty());
    });
}
