//! `slipstick view` writes a page, `slipstick render` pictures and films, and both refuse what they cannot draw.

mod common;

use common::{slipstick, transcript};
use std::path::{Path, PathBuf};

/// A folder with the example of that name.
fn with_example(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    assert!(slipstick(folder.path(), &["examples", name]).status.success());
    folder
}

fn render(folder: &Path, arguments: &[&str]) -> PathBuf {
    let output = slipstick(folder, &[&["render"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join(String::from_utf8(output.stdout).unwrap().trim())
}

#[test]
fn a_moment_is_drawn_as_svg() {
    let folder = with_example("bouncing-ball");
    let file = render(folder.path(), &["bouncing-ball.toml", "--at", "0.3 s"]);
    assert!(file.ends_with("runs/bouncing-ball/picture.svg"));
    insta::assert_snapshot!("ball-svg", std::fs::read_to_string(file).unwrap());
    let folder = with_example("slider-crank");
    let file = render(folder.path(), &["slider-crank.toml", "--size", "640x320", "--out", "crank.svg"]);
    insta::assert_snapshot!("crank-svg", std::fs::read_to_string(file).unwrap());
}

#[test]
fn units_of_time_are_read() {
    let folder = with_example("bouncing-ball");
    let at = |moment: &str, out: &str| {
        let file = render(folder.path(), &["bouncing-ball.toml", "--at", moment, "--out", out]);
        std::fs::read_to_string(file).unwrap()
    };
    assert_eq!(at("300 ms", "a.svg"), at("0.3", "b.svg"));
    assert_ne!(at("300 ms", "a.svg"), at("0.4 s", "b.svg"));
}

/// Width, height and the bytes of an image without transparency.
fn decode(file: &Path) -> (u32, u32, Vec<u8>) {
    let bytes = std::io::BufReader::new(std::fs::File::open(file).unwrap());
    let mut reader = png::Decoder::new(bytes).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

#[test]
fn a_png_has_known_colours_at_known_places() {
    let folder = with_example("bouncing-ball");
    let file = render(folder.path(), &["bouncing-ball.toml", "--at", "0.3", "--format", "png"]);
    let (width, height, pixels) = decode(&file);
    assert_eq!((width, height), (960, 540));
    let at = |x: usize, y: usize| &pixels[3 * (960 * y + x)..][..3];
    // As in the svg of this moment: the ball about (480, 245), the floor below 502, paper between.
    assert_eq!(at(480, 250), [0xbb, 0xd6, 0xea]);
    assert_eq!(at(480, 520), [0xe4, 0xe6, 0xe1]);
    assert_eq!(at(480, 400), [0xff, 0xff, 0xff]);
    assert_eq!(at(480, 502), [0x6b, 0x75, 0x7b]);
}

#[test]
fn films_have_their_frames() {
    let folder = with_example("bouncing-ball");
    let of = |out: &str| {
        let common = ["bouncing-ball.toml", "--size", "96x64", "--fps", "10", "--from", "1", "--until", "2"];
        render(folder.path(), &[&common[..], &["--out", out]].concat())
    };
    let apng = of("ball.apng");
    let reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&apng).unwrap()));
    let info = reader.read_info().unwrap().info().clone();
    assert_eq!(info.animation_control().map(|control| control.num_frames), Some(11));
    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = decoder.read_info(std::fs::File::open(of("ball.gif")).unwrap()).unwrap();
    let (mut frames, mut delay, mut small) = (0, 0, 0);
    let first = decode(&apng).2;
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        if frames == 0 {
            // Both films begin alike, but for edges.
            let same = frame.buffer.chunks(4).zip(first.chunks(3)).filter(|(a, b)| a[..3] == **b).count();
            assert!(same > 96 * 64 * 9 / 10, "{same}");
        }
        small += usize::from(u32::from(frame.width) * u32::from(frame.height) < 96 * 64 / 3);
        frames += 1;
        delay += frame.delay;
    }
    assert_eq!((frames, delay), (11, 110));
    // Only what has changed is written: all of the floor where it lights up.
    assert!((6..11).contains(&small), "{small}");
}

#[test]
fn a_page_is_written_where_it_is_wanted() {
    let folder = with_example("rocking-block");
    let output = slipstick(folder.path(), &["view", "rocking-block.toml", "--out", "pages/block.html"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "pages/block.html\n");
    let page = std::fs::read_to_string(folder.path().join("pages/block.html")).unwrap();
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let picture = &data["picture"];
    assert_eq!(picture["bodies"][0]["name"], "block");
    assert!(picture["closed"].as_array().unwrap().iter().any(|span| span[0] == "contact.left"));
    let hit = &picture["events"][0];
    assert!(hit["impulse"].as_f64().unwrap() > 0.0 && hit["bodies"] == serde_json::json!([1]), "{hit}");
    assert!(!page.contains("http://") && !page.contains("https://"), "no address from outside");
    let json = slipstick(folder.path(), &["view", "rocking-block.toml", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["file"], "runs/rocking-block/picture.html");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = with_example("thermostat");
    slipstick(folder.path(), &["examples", "bouncing-ball"]);
    let say = |arguments: &[&str]| transcript(folder.path(), arguments);
    let ball = "bouncing-ball.toml";
    insta::assert_snapshot!("render-no-picture", say(&["render", "thermostat.toml"]));
    insta::assert_snapshot!("render-outside", say(&["render", ball, "--at", "7"]));
    insta::assert_snapshot!("render-still-with-fps", say(&["render", ball, "--fps", "3"]));
    insta::assert_snapshot!("render-film-at", say(&["render", ball, "--at", "1", "--out", "ball.gif"]));
    insta::assert_snapshot!("render-too-many", say(&["render", ball, "--format", "gif", "--speed", "1e-3"]));
    insta::assert_snapshot!("render-bad-size", say(&["render", ball, "--size", "12"]));
}
