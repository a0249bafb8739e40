//! opencode's part of the plugin: an npm package.

use serde_json::{Map, Value, json};

use super::{made, pretty};
use crate::clients::opencode;
use crate::error::Result;
use crate::formats::entry::NAME;
use crate::profile::setup::Setup;

/// The package's folder below the plugin's. opencode's configuration names it.
pub(crate) const FOLDER: &str = "opencode/waynote";

const INDEX: &str = include_str!("opencode.js");

/// The files of the package but its skill: paths below the plugin's folder, and texts. `commands` are names, descriptions
/// and prompts.
pub(super) fn package<'c>(
    setup: &Setup<'_>,
    mut manifest: Value,
    commands: impl Iterator<Item = (&'c str, &'c str, String)>,
) -> Result<Vec<(String, String)>> {
    manifest["type"] = "module".into();
    manifest["main"] = "index.js".into();
    let server: Value =
        serde_json::from_str(&made(vec![opencode::server(setup)])?).expect("an edit writes JSON");
    let commands: Map<String, Value> = commands
        .map(|(name, what, prompt)| {
            let command = json!({ "description": what, "template": prompt });
            (format!("{NAME}:{name}"), command)
        })
        .collect();
    let index = INDEX
        .replacen("\"server\"", &format!("{:#}", server["mcp"]), 1)
        .replacen("\"commands\"", &format!("{:#}", Value::from(commands)), 1);
    let notes = opencode::script(setup);
    // Its first line speaks of `install`.
    let notes = notes.split_once('\n').map_or("", |(_, notes)| notes);
    let files = [
        ("package.json", pretty(&manifest)),
        ("index.js", index),
        ("waynote.js", notes.to_owned()),
    ];
    Ok(files
        .map(|(name, text)| (format!("{FOLDER}/{name}"), text))
        .into())
}
