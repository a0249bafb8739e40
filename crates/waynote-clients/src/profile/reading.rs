//! How a client reads its files: what it refuses, and the settings that switch our hooks or our server off.

use std::path::Path;

use serde_json::Value;

use super::setup::ClientFile;
use crate::formats::edit::{BYTE_ORDER_MARK, Edit};
use crate::formats::json::read_strictly;
use crate::formats::source;

/// How a client reads a JSON file of that name.
pub(crate) struct Reading {
    /// The file's name.
    pub(crate) file: &'static str,
    /// True if it may have comments.
    pub(crate) comments: bool,
    /// Members with the kind that the client wants: another kind, and it takes nothing of the file.
    pub(crate) kinds: &'static [(&'static [&'static str], Kind)],
    /// The only members that it takes; empty for any.
    pub(crate) only: &'static [&'static str],
}

/// A kind of JSON value.
#[derive(Clone, Copy, strum::Display)]
pub(crate) enum Kind {
    #[strum(to_string = "a text")]
    Text,
    #[strum(to_string = "an object")]
    Object,
    #[strum(to_string = "a list")]
    List,
    #[strum(to_string = "true or false")]
    Bool,
    #[strum(to_string = "a number")]
    Number,
}

impl Kind {
    fn is_of(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
            Self::Bool => value.is_boolean(),
            Self::Number => value.is_number(),
        }
    }
}

impl Reading {
    /// JSON alone, without comments and without a comma after the last element.
    pub(crate) const fn strict(file: &'static str) -> Self {
        Self {
            file,
            comments: false,
            kinds: &[],
            only: &[],
        }
    }

    /// JSON that may have comments.
    pub(crate) const fn commented(file: &'static str) -> Self {
        Self {
            comments: true,
            ..Self::strict(file)
        }
    }

    /// Why the client does not load a file of this text: a line, if it is known, and the fault.
    fn refusal(&self, text: &str) -> Option<String> {
        let value = match read_strictly(text, self.comments) {
            Ok(value) => value,
            Err(refusal) => {
                let reason = refusal.to_string();
                return Some(reason.replacen("is damaged: ", "", 1));
            }
        };
        for (member, kind) in self.kinds {
            let found = member
                .iter()
                .try_fold(&value, |value, name| value.get(*name));
            if found.is_some_and(|found| !kind.is_of(found)) {
                return Some(format!("`{}` is not {kind}", member.join(".")));
            }
        }
        let mut members = value.as_object()?.keys().map(String::as_str);
        let other = members.find(|name| !self.only.is_empty() && !self.only.contains(name))?;
        Some(format!("`{other}` is no member of it"))
    }
}

impl ClientFile {
    /// Why the client does not load the file with this text.
    pub(crate) fn unread(&self, readings: &[Reading], text: &str) -> Option<String> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let is_json = matches!(self.edit, Edit::Json(_)) && !text.trim().is_empty();
        let name = self.path.file_name()?;
        let reading = readings.iter().find(|reading| name == reading.file)?;
        is_json.then(|| reading.refusal(text))?
    }
}

/// A setting that switches hooks or the server off.
pub(crate) struct Switch {
    /// The file, by its name beside one of ours.
    pub(crate) file: &'static str,
    /// The setting.
    pub(crate) path: &'static [&'static str],
    /// Its value then.
    pub(crate) off: Off,
}

/// The value with which a setting switches something off.
#[derive(Clone, Copy)]
pub(crate) enum Off {
    /// This one.
    Is(bool),
    /// This text.
    Text(&'static str),
    /// A list that names our server.
    Lists,
}

impl Switch {
    pub(crate) const fn new(file: &'static str, path: &'static [&'static str], off: Off) -> Self {
        Self { file, path, off }
    }

    /// The place of the setting beside a file of ours, if it switches something off there.
    pub(crate) fn place(&self, file: &Path) -> Option<String> {
        let file = file.with_file_name(self.file);
        let settings = source::read(&file)?;
        let value = (self.path.iter()).fold(&settings, |value, name| &value[*name]);
        let is_off = match self.off {
            Off::Is(off) => value.as_bool() == Some(off),
            Off::Text(off) => value == off,
            Off::Lists => value
                .as_array()
                .is_some_and(|list| list.iter().any(|name| name == "waynote")),
        };
        is_off.then(|| format!("`{}` in {}", self.path.join("."), file.display()))
    }
}
