//! The layers of a setting: a flag, else a variable, else the configuration file, else the default.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::file::{File, Problem};
use super::row::Row;
use crate::error::Outcome;
use crate::home;

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This flag: that of the setting, or `--set` with its name.
    Flag(String),
    /// The environment variable with that name.
    Variable(&'static str),
    /// The configuration file with that path.
    File(PathBuf),
    /// Nobody set it.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::Variable(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T> Setting<T> {
    /// True if nobody set it.
    pub(crate) fn is_default(&self) -> bool {
        self.origin == Origin::Default
    }

    fn default(row: &Row<T>) -> Outcome<Self> {
        Ok(Self {
            value: (row.default)()?,
            origin: Origin::Default,
        })
    }
}

/// The sources of values, apart from the variables.
pub(super) struct Layers {
    pub(super) file: File,
    /// The values of flags and of `--set`.
    pub(super) flags: BTreeMap<&'static str, String>,
}

impl Layers {
    /// The value of the first layer that names the setting. A mistake in a flag is an error; in any other layer, it is
    /// recorded, and the value is the default.
    pub(super) fn setting<T>(&mut self, row: &Row<T>) -> Outcome<Setting<T>> {
        let known = &row.known;
        if let Some(text) = self.flags.remove(known.name) {
            return Ok(Setting {
                value: (row.read)(&text)?,
                origin: Origin::Flag(known.flag()),
            });
        }
        let variable = home::variable(known.variable).transpose();
        let in_file = self.file.values.remove(known.name);
        let (text, origin, line) = match (variable, in_file) {
            (Some(text), _) => (text, Origin::Variable(known.variable), None),
            (None, Some((text, line))) => {
                let origin = Origin::File(self.file.path.clone());
                (Ok(text), origin, Some(line))
            }
            (None, None) => return Setting::default(row),
        };
        let failure = match text.and_then(|text| (row.read)(&text)) {
            Ok(value) => return Ok(Setting { value, origin }),
            Err(failure) => failure,
        };
        self.file.problems.push(Problem {
            origin: origin.to_string(),
            line,
            what: failure.what(),
            hint: failure.hint(),
            is_fatal: known.is_identity,
        });
        Setting::default(row)
    }
}
