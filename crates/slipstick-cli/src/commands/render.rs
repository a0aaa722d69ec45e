//! `slipstick render`: run a model and draw it, at a moment or as a film.

use super::Finish;
use super::view::{check_picture, folder_and_name, no_picture, output_path, say_where};
use crate::arguments::{PictureFormat, RenderArguments};
use crate::model_file::ModelFile;
use crate::progress::RunMonitor;
use crate::results::picture::{Frame, Pixels, Scene, apng, gif, paint, png, svg};
use crate::results::{RunResult, number};
use crate::talk::Trouble;

/// The frames in a second of a film, if nothing is said.
const FPS: u16 = 30;
/// The most frames of a film.
const MOST_FRAMES: f64 = 6000.0;
/// What has happened is lit for so many seconds of a film.
const GLOW: f64 = 0.18;

/// Writes the picture or the film and says where it is.
pub(crate) fn render(arguments: &RenderArguments, json: bool) -> Result<Finish, Trouble> {
    let format = format(arguments)?;
    let watch = RunMonitor::begin(arguments.simulation.max_wall);
    let Some((file, plan)) = ModelFile::prepare_with(&arguments.simulation, &watch)? else {
        return Ok(Finish::Short);
    };
    check_picture(&file)?;
    let path = output_path(&file, arguments.out.as_deref(), format.ending());
    let (folder, name) = folder_and_name(&path)?;
    let result = RunResult::simulate(&file, &plan, watch);
    if let Some(trouble) = result.refusal() {
        return Err(trouble);
    }
    let mut scene = Scene::new(&result).ok_or_else(|| no_picture(&file))?;
    let view = Frame::fit(&scene.bounds, arguments.size);
    let bytes = if format.is_film() {
        film(&mut scene, &view, arguments, format)?
    } else {
        still(&mut scene, &view, arguments.at, format)?
    };
    folder.write(&name, |file| std::io::Write::write_all(file, &bytes))?;
    say_where(&path, json);
    result.talk();
    Ok(result.finish(arguments.simulation.strict))
}

/// What to write; options of films do not go with pictures, nor those of pictures with films.
fn format(arguments: &RenderArguments) -> Result<PictureFormat, Trouble> {
    let all = [PictureFormat::Svg, PictureFormat::Png, PictureFormat::Apng, PictureFormat::Gif];
    let ending = arguments.out.as_ref().and_then(|path| path.extension());
    let by_ending = all.into_iter().find(|format| ending.is_some_and(|ending| ending == format.ending()));
    let format = arguments.format.or(by_ending).unwrap_or(PictureFormat::Svg);
    let of_films = [
        ("--fps", arguments.fps.is_some()),
        ("--from", arguments.from.is_some()),
        ("--speed", arguments.speed.is_some()),
    ];
    let wrong = |option: &str, hint: &str| {
        let message = format!("`{option}` says nothing of a {}", format.ending());
        Err(Trouble::new("wrong-type", message, hint))
    };
    match of_films.iter().find(|(_, given)| *given && !format.is_film()) {
        Some((option, _)) => wrong(option, "a film is made with `--format gif` or `--format apng`"),
        None if arguments.at.is_some() && format.is_film() => {
            wrong("--at", "say `--from` and `--until`, or make a picture with `--format png`")
        }
        None => Ok(format),
    }
}

/// A time of the run, or what is wrong with it.
fn moment(scene: &Scene<'_>, option: &str, given: Option<f64>) -> Result<f64, Trouble> {
    let trajectory = &scene.result.trajectory;
    let (start, end) = (trajectory.start_time(), trajectory.end_time());
    let t = given.unwrap_or(start);
    if (start..=end).contains(&t) {
        return Ok(t);
    }
    let message = format!("`{option} {}`: the run has nothing there", number(t));
    Err(Trouble::new("bad-time", message, format!("it goes from {} to {}", number(start), number(end))))
}

/// A picture of one moment.
fn still(
    scene: &mut Scene<'_>,
    view: &Frame,
    at: Option<f64>,
    format: PictureFormat,
) -> Result<Vec<u8>, Trouble> {
    let t = moment(scene, "--at", at)?;
    let strokes = paint(scene, t, view, 0.0);
    if format == PictureFormat::Svg {
        let title = format!("{}, t = {}", scene.result.file.title(), number(t));
        return Ok(svg(&title, view, &strokes).into_bytes());
    }
    png(&Pixels::draw(view, &strokes).ok_or_else(too_large)?)
}

/// A film from a moment on.
fn film(
    scene: &mut Scene<'_>,
    view: &Frame,
    arguments: &RenderArguments,
    format: PictureFormat,
) -> Result<Vec<u8>, Trouble> {
    let from = moment(scene, "--from", arguments.from)?;
    let (fps, speed) = (arguments.fps.unwrap_or(FPS), arguments.speed.unwrap_or(1.0));
    let end = scene.result.trajectory.end_time();
    let frames = ((end - from) / speed * f64::from(fps)).floor() + 1.0;
    if frames > MOST_FRAMES {
        let message = format!("the film has {} frames, more than {MOST_FRAMES}", number(frames));
        let hint =
            "make it shorter with `--from` and `--until`, faster with `--speed`, or give fewer `--fps`";
        return Err(Trouble::new("too-many-frames", message, hint));
    }
    // Between 1 and the most frames.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let count = frames as u32;
    let draw = |frame: u32| {
        let t = (from + f64::from(frame) * speed / f64::from(fps)).min(end);
        let strokes = paint(scene, t, view, GLOW * speed);
        Pixels::draw(view, &strokes).ok_or_else(too_large)
    };
    if format == PictureFormat::Gif { gif(fps, count, draw) } else { apng(fps, count, draw) }
}

fn too_large() -> Trouble {
    Trouble::new("file", "there is no room for so many pixels", "ask for a smaller `--size`")
}
