//! Where a value comes from: a flag, else a variable, else the configuration file, else the default.

use std::collections::BTreeSet;

use serde::Serialize;

use super::file::{File, Problem};
use super::row::{Known, Row};
use crate::args::Global;
use crate::error::Outcome;
use crate::home;

const DEFAULT: &str = "default";

/// A value and where it came from.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: String,
}

impl<T> Setting<T> {
    /// Whether nobody set it.
    pub(crate) fn is_default(&self) -> bool {
        self.origin == DEFAULT
    }
}

/// The flags aside, what values are read from.
pub(super) struct Layers {
    pub(super) file: File,
    /// Settings that a layer names in a way that cannot be used.
    pub(super) unsure: BTreeSet<&'static str>,
}

impl Layers {
    pub(super) fn of(file: File) -> Self {
        Self {
            file,
            unsure: BTreeSet::new(),
        }
    }

    /// The first layer's value that can be used. A flag must be; what another layer says and cannot be used is a
    /// problem.
    pub(super) fn setting<T>(&mut self, row: &Row<T>, flags: &Global) -> Outcome<Setting<T>> {
        let Known { name, variable, .. } = row.known;
        if let Some(text) = (row.flag)(flags) {
            return Ok(Setting {
                value: (row.read)(&text)?,
                origin: format!("--{name}"),
            });
        }
        match home::variable(variable).and_then(|text| text.as_deref().map(row.read).transpose()) {
            Ok(Some(value)) => {
                let origin = variable.to_owned();
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
                origin: self.file.path.display().to_string(),
            },
            None => Setting {
                value: (row.default)()?,
                origin: DEFAULT.into(),
            },
        })
    }
}
