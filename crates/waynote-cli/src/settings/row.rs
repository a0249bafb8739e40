//! A row of the table of settings.

use std::collections::BTreeMap;

use waynote::visible::visible;

use crate::args::Global;
use crate::error::{Failure, Outcome};

/// The part of a row that does not depend on the type of the value.
#[derive(Clone, Copy)]
pub(crate) struct SettingInfo {
    /// Its name in the configuration file, in the output of `waynote config`, and of its flag, if it has one. Before a dot
    /// stands the table of the file that it is in.
    pub(crate) name: &'static str,
    /// The environment variable that sets it.
    pub(crate) variable: &'static str,
    /// How the configuration file has it; none: the file cannot set it.
    pub(crate) in_file: Option<Kind>,
    /// True if it decides the store or the owner of notes. No default replaces an unusable value: notes would go into
    /// another store, or under another name. Commands refuse.
    pub(crate) is_identity: bool,
    /// True if every command has a flag for it. Without one it is set by `--set NAME=VALUE`.
    pub(crate) has_flag: bool,
    /// True if a client passes its variable on to our server.
    pub(crate) is_handed_on: bool,
    /// True if installed client entries set it already.
    pub(crate) is_in_entries: bool,
    /// Refuses a text that cannot be its value.
    pub(crate) check: fn(&str) -> Outcome,
}

impl SettingInfo {
    /// A setting of the configuration file that has no flag, and that clients hand on.
    pub(super) const fn new(variable: &'static str, kind: Kind) -> Self {
        Self {
            name: "",
            variable,
            in_file: Some(kind),
            is_identity: false,
            has_flag: false,
            is_handed_on: true,
            is_in_entries: false,
            check: |_| Ok(()),
        }
    }

    /// Its own name, else that of its field.
    pub(super) const fn name_or(&self, field: &'static str) -> &'static str {
        match self.name.is_empty() {
            true => field,
            false => self.name,
        }
    }

    /// One that decides the store or the owner of notes.
    pub(super) const fn identity(variable: &'static str, kind: Kind) -> Self {
        Self {
            is_identity: true,
            has_flag: true,
            ..Self::new(variable, kind)
        }
    }

    /// One for which a client's file is no place.
    pub(super) const fn private(variable: &'static str, kind: Kind) -> Self {
        Self {
            is_handed_on: false,
            ..Self::new(variable, kind)
        }
    }

    /// The words that set it for one command.
    pub(crate) fn option(&self, value: &str) -> (String, String) {
        match self.has_flag {
            true => (self.flag(), value.to_owned()),
            false => ("--set".into(), format!("{}={value}", self.name)),
        }
    }

    /// The flag of every command, by which it is set.
    pub(super) fn flag(&self) -> String {
        match self.has_flag {
            true => format!("--{}", self.name.replace('_', "-")),
            false => format!("--set {}", self.name),
        }
    }
}

/// How a setting is written in the configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a word.
    Text,
    /// A file.
    Path,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// A list of names.
    Names,
    /// `true` or `false`.
    Flag,
    /// A table of names.
    Table,
}

/// All settings, in the order of the table.
#[derive(Clone, Copy)]
pub(crate) struct Names(pub(crate) &'static [&'static SettingInfo]);

impl Names {
    /// Every setting.
    pub(crate) fn all(self) -> impl Iterator<Item = &'static SettingInfo> {
        self.0.iter().copied()
    }

    /// The values of flags, by the names of their settings: those of `--set`, of which the last one counts, and those of
    /// their own.
    ///
    /// # Errors
    /// If one of them names no setting, or gives no value.
    pub(super) fn given_by(self, flags: &Global) -> Outcome<BTreeMap<&'static str, String>> {
        let mut given = BTreeMap::new();
        for set in &flags.set {
            let (name, value) = set.split_once('=').ok_or_else(|| {
                let what = format!("`--set {}` gives no value", visible(set));
                Failure::usage(what, "write it as `--set NAME=VALUE`")
            })?;
            let known = self.all().find(|known| known.name == name);
            let known = known.ok_or_else(|| {
                let what = format!("`{}` is not a setting", visible(name));
                Failure::usage(what, self.instead_of(name))
            })?;
            given.insert(known.name, value.to_owned());
        }
        let own = [
            ("store", flags.store.clone()),
            ("agent", flags.agent.clone()),
            ("session", flags.session.clone()),
            ("iteration", flags.iteration.map(|of| of.to_string())),
            ("author", flags.author.clone()),
            ("token_file", flags.token_file.clone()),
        ];
        let own = own.into_iter();
        given.extend(own.filter_map(|(name, value)| Some((name, value?))));
        Ok(given)
    }

    /// The settings of the configuration file, each with how it is written there.
    fn in_file(self) -> impl Iterator<Item = (&'static SettingInfo, Kind)> {
        self.all().filter_map(|known| Some((known, known.in_file?)))
    }

    /// The setting of that name in the configuration file, and how it is written there.
    pub(crate) fn find(self, name: &str) -> Option<(&'static SettingInfo, Kind)> {
        self.in_file().find(|(known, _)| known.name == name)
    }

    /// The setting that a mistyped name seems to mean.
    pub(super) fn nearest(self, name: &str) -> Option<&'static SettingInfo> {
        let names = self.in_file().map(|(known, _)| known.name);
        let name = waynote::text::nearest(&name.replace('-', "_"), names)?;
        self.find(name).map(|(known, _)| known)
    }

    /// The hint for a name that is no setting of the configuration file.
    pub(crate) fn instead_of(self, name: &str) -> String {
        match self.nearest(name) {
            Some(meant) => format!("did you mean `{}`?", meant.name),
            None => {
                let names: Vec<&str> = self.in_file().map(|(known, _)| known.name).collect();
                format!("the settings are {}", names.join(", "))
            }
        }
    }
}

/// A row of the table: the part without a type, and how its values are read and shown.
pub(super) struct Row<T> {
    pub(super) known: SettingInfo,
    pub(super) read: fn(&str) -> Outcome<T>,
    pub(super) default: fn() -> Outcome<T>,
    pub(super) show: fn(&T) -> Option<String>,
}
