//! `slipstick examples`: ready models, listed or written out.

use super::Finish;
use crate::model_file::suggestion;
use crate::talk::{Trouble, data};
use serde_json::json;
use std::path::Path;

/// Every model that comes with the program: name and text.
pub(crate) const EXAMPLES: &[(&str, &str)] = &[
    ("andrews", include_str!("../../../../models/andrews.toml")),
    ("block-on-a-belt", include_str!("../../../../models/block-on-a-belt.toml")),
    ("bouncing-ball", include_str!("../../../../models/bouncing-ball.toml")),
    ("cam-follower", include_str!("../../../../models/cam-follower.toml")),
    ("chain-on-floor", include_str!("../../../../models/chain-on-floor.toml")),
    ("clutch", include_str!("../../../../models/clutch.toml")),
    ("cradle", include_str!("../../../../models/cradle.toml")),
    ("crank-with-clearance", include_str!("../../../../models/crank-with-clearance.toml")),
    ("dominoes", include_str!("../../../../models/dominoes.toml")),
    ("dry-friction", include_str!("../../../../models/dry-friction.toml")),
    ("engine", include_str!("../../../../models/engine.toml")),
    ("four-bar", include_str!("../../../../models/four-bar.toml")),
    ("geneva", include_str!("../../../../models/geneva.toml")),
    ("latch", include_str!("../../../../models/latch.toml")),
    ("mass-capture", include_str!("../../../../models/mass-capture.toml")),
    ("n-four-bar", include_str!("../../../../models/n-four-bar.toml")),
    ("pantograph", include_str!("../../../../models/pantograph.toml")),
    ("pendulum", include_str!("../../../../models/pendulum.toml")),
    ("pinball", include_str!("../../../../models/pinball.toml")),
    ("planetary-gear", include_str!("../../../../models/planetary-gear.toml")),
    ("projectile", include_str!("../../../../models/projectile.toml")),
    ("quick-return", include_str!("../../../../models/quick-return.toml")),
    ("ratchet", include_str!("../../../../models/ratchet.toml")),
    ("rocking-block", include_str!("../../../../models/rocking-block.toml")),
    ("scotch-yoke", include_str!("../../../../models/scotch-yoke.toml")),
    ("slider-crank", include_str!("../../../../models/slider-crank.toml")),
    ("stick-slip", include_str!("../../../../models/stick-slip.toml")),
    ("straight-line", include_str!("../../../../models/straight-line.toml")),
    ("thermostat", include_str!("../../../../models/thermostat.toml")),
    ("toggle-press", include_str!("../../../../models/toggle-press.toml")),
    ("van-der-pol", include_str!("../../../../models/van-der-pol.toml")),
    ("verge", include_str!("../../../../models/verge.toml")),
    ("woodpecker", include_str!("../../../../models/woodpecker.toml")),
];

/// Lists the examples, or writes one or all of them to a folder.
pub(crate) fn examples(
    name: Option<&str>,
    all: bool,
    to: &Path,
    force: bool,
    json: bool,
) -> Result<Finish, Trouble> {
    if all {
        for example in EXAMPLES {
            write(*example, to, force, json)?;
        }
        return Ok(Finish::Done);
    }
    let Some(name) = name else {
        list(json);
        return Ok(Finish::Done);
    };
    let wanted = name.trim_end_matches(".toml");
    let Some(example) = EXAMPLES.iter().find(|(n, _)| *n == wanted) else {
        let hint = suggestion(wanted, EXAMPLES.iter().map(|(n, _)| *n));
        return Err(Trouble::new("unknown-name", format!("there is no example `{wanted}`"), hint));
    };
    write(*example, to, force, json)?;
    Ok(Finish::Done)
}

fn list(json: bool) {
    for (name, text) in EXAMPLES {
        let title = title_of(text);
        if json {
            data(json!({ "name": name, "title": title }));
        } else {
            data(format!("{name:<20} {title}"));
        }
    }
    if !json {
        crate::talk::line("\n`slipstick examples NAME` writes one to NAME.toml");
    }
}

/// The title, as the model states it.
fn title_of(text: &str) -> String {
    slipstick::model::Model::from_toml(text).ok().and_then(|m| m.about.title).unwrap_or_default()
}

fn write((name, text): (&str, &str), to: &Path, force: bool, json: bool) -> Result<(), Trouble> {
    let path = to.join(format!("{name}.toml"));
    if path.exists() && !force {
        let message = format!("`{}` exists already", path.display());
        return Err(Trouble::new(
            "file",
            message,
            "overwrite it with `--force`, or choose a folder with `--to`",
        ));
    }
    std::fs::create_dir_all(to).map_err(|error| Trouble::file("create", to, &error))?;
    std::fs::write(&path, text).map_err(|error| Trouble::file("write", &path, &error))?;
    if json {
        data(json!({ "name": name, "file": path.display().to_string() }));
    } else {
        data(path.display());
    }
    Ok(())
}
