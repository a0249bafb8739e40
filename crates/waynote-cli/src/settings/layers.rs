//! The layers of a setting: a flag, else a variable, else the configuration file, else the default.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use super::file::{File, Problem};
use super::row::{Row, SettingInfo};
use crate::args::Global;
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
}

/// The sources of values, apart from the flags.
pub(super) struct Layers {
    pub(super) file: File,
    /// The values of `--set`.
    pub(super) sets: BTreeMap<&'static str, String>,
    /// The settings that have a value that cannot be used.
    pub(super) unsure: BTreeSet<&'static str>,
}

impl Layers {
    pub(super) fn of(file: File) -> Self {
        Self {
            file,
            sets: BTreeMap::new(),
            unsure: BTreeSet::new(),
        }
    }

    /// The value of the first layer that has one that can be used. A flag's value that cannot be used is an error; in
    /// any other layer, it is recorded as a problem.
    pub(super) fn setting<T>(&mut self, row: &Row<T>, flags: &Global) -> Outcome<Setting<T>> {
        let SettingInfo { name, variable, .. } = row.known;
        if let Some(text) = (row.flag)(flags).or_else(|| self.sets.get(name).cloned()) {
            return Ok(Setting {
                value: (row.read)(&text)?,
                origin: Origin::Flag(row.known.flag()),
            });
        }
        match home::variable(variable).and_then(|text| text.as_deref().map(row.read).transpose()) {
            Ok(Some(value)) => {
                let origin = Origin::Variable(variable);
                return Ok(Setting { value, origin });
            }
            Ok(None) => {}
            Err(failure) => {
                self.unsure.insert(name);
                self.file.problems.push(Problem {
                    origin: variable.to_owned(),
                    line: None,
                    what: failure.what(),
                    hint: format!("{}, or unset {variable}", failure.hint()),
                    setting: Some(name),
                });
            }
        }
        let in_file = self.file.values.get(name).cloned();
        let value = in_file.and_then(|(text, line)| {
            (row.read)(&text)
                .map_err(|failure| self.file.unfit(name, line, &failure))
                .ok()
        });
        if self.file.unsure.contains(name) {
            self.unsure.insert(name);
        }
        Ok(match value {
            Some(value) => Setting {
                value,
                origin: Origin::File(self.file.path.clone()),
            },
            None => Setting {
                value: (row.default)()?,
                origin: Origin::Default,
            },
        })
    }
}
