//! A row of the table of settings.

use std::collections::BTreeMap;

use waynote::visible::visible;

use crate::args::Global;
use crate::error::{Failure, Outcome};

/// The part of a row that does not depend on the type of the value.
#[derive(Clone, Copy)]
pub(crate) struct SettingInfo {
    /// Its name in the configuration file, in the output of `waynote config`, and of its flag, if it has one.
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
    /// True if every entry in a client's files names it already, whatever the value of the variable.
    pub(crate) is_in_entries: bool,
    /// Refuses a text that cannot be its value.
    pub(crate) check: fn(&str) -> Outcome,
}

impl SettingInfo {
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
}

impl Kind {
    /// The expected form of a value, for a message.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text in quotes",
            Self::Path => "a path in quotes",
            Self::Whole => "a whole number",
            Self::Number => "a number",
            Self::Names => "a list of texts, for example [\"jwt\"]",
        }
    }
}

/// All settings, in the order of the table.
#[derive(Clone, Copy)]
pub(crate) struct Names(pub(crate) &'static [&'static SettingInfo]);

impl Names {
    /// Every setting.
    pub(crate) fn all(self) -> impl Iterator<Item = &'static SettingInfo> {
        self.0.iter().copied()
    }

    /// The value that `--set` gives to a setting. The last one counts.
    ///
    /// # Errors
    /// If one of them names no setting, or gives no value.
    pub(super) fn set_by(self, sets: &[String]) -> Outcome<BTreeMap<&'static str, String>> {
        let read = |set: &String| {
            let Some((name, value)) = set.split_once('=') else {
                let what = format!("`--set {}` gives no value", visible(set));
                return Err(Failure::usage(what, "write it as `--set NAME=VALUE`"));
            };
            match self.all().find(|known| known.name == name) {
                Some(known) => Ok((known.name, value.to_owned())),
                None => {
                    let what = format!("`{}` is not a setting", visible(name));
                    Err(Failure::usage(what, self.instead_of(name)))
                }
            }
        };
        sets.iter().map(read).collect()
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
    pub(super) flag: fn(&Global) -> Option<String>,
    pub(super) read: fn(&str) -> Outcome<T>,
    pub(super) default: fn() -> Outcome<T>,
    pub(super) show: fn(&T) -> Option<String>,
}

/// A row with what every setting has: its variable, how a text is read, the value when nobody sets it, and how `waynote
/// config` shows a value.
pub(super) const fn row<T>(
    variable: &'static str,
    read: fn(&str) -> Outcome<T>,
    default: fn() -> Outcome<T>,
    show: fn(&T) -> Option<String>,
) -> Row<T> {
    Row {
        known: SettingInfo {
            name: "",
            variable,
            in_file: None,
            is_identity: false,
            has_flag: false,
            is_handed_on: true,
            is_in_entries: false,
            check: |_| Ok(()),
        },
        flag: |_| None,
        read,
        default,
        show,
    }
}

impl<T> Row<T> {
    /// The configuration file can set it.
    pub(super) const fn in_file(mut self, kind: Kind) -> Self {
        self.known.in_file = Some(kind);
        self
    }

    /// Every command has a flag for it.
    pub(super) const fn flag(mut self, flag: fn(&Global) -> Option<String>) -> Self {
        self.flag = flag;
        self.known.has_flag = true;
        self
    }

    /// The setting decides the store or the owner of notes.
    pub(super) const fn identity(mut self) -> Self {
        self.known.is_identity = true;
        self
    }

    /// A client's file is no place for it, unless a person puts it there.
    pub(super) const fn not_handed_on(mut self) -> Self {
        self.known.is_handed_on = false;
        self
    }

    /// Clients' entries name it themselves.
    pub(super) const fn in_entries(mut self) -> Self {
        self.known.is_in_entries = true;
        self.not_handed_on()
    }

    /// Its name, and the check of a text for its value.
    pub(super) const fn named(mut self, name: &'static str, check: fn(&str) -> Outcome) -> Self {
        self.known.name = name;
        self.known.check = check;
        self
    }
}
