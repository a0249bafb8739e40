//! Clients' files looked into.

use std::path::Path;

use serde_json::Value;
use waynote_system::text_file;

use super::{json, toml};

/// The value of a file of TOML, or of JSON with comments; none where it is missing or cannot be read, which is reported
/// elsewhere when it matters.
pub(crate) fn read(path: &Path) -> Option<Value> {
    let text = text_file::read(path).ok()??;
    match path.extension().is_some_and(|end| end == "toml") {
        true => toml::read(&text),
        false => json::read(&text),
    }
}
