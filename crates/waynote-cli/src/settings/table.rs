//! The settings that there are: one row for each, with all that is known of it.

use std::path::PathBuf;
use std::time::Duration;

use waynote::context::{Budget, Style, TokenFactor};
use waynote::{Author, Limits, Name, Options, Place};
use waynote_clients::Client;
use waynote_system::repository::Naming;
use waynote_system::variables;

use super::file::{File, Problem};
use super::layers::{Layers, Origin, Setting};
use super::row::{Kind, Names, Row, SettingInfo};
use super::values;
use crate::error::Outcome;
use crate::home;

/// Makes the type of all values from the table, and the functions that read, check and show them.
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $info:expr, $read:expr, $default:expr, $show:expr;)*) => {
        /// Every setting.
        #[derive(Clone)]
        pub(crate) struct Settings {
            $($(#[$doc])* pub(crate) $name: Setting<$type>,)*
            /// The configuration file. It need not exist.
            pub(crate) file: PathBuf,
            /// True if the store's tables are in another program's database.
            pub(crate) attach: bool,
            /// Values that cannot be used.
            pub(crate) problems: Vec<Problem>,
        }

        /// The rows, by the names of the settings.
        #[expect(non_upper_case_globals, reason = "the names are those of the settings")]
        mod rows {
            use super::*;

            $(pub(super) static $name: Row<$type> = Row {
                known: SettingInfo {
                    name: $info.name_or(stringify!($name)),
                    check: |text| ($name.read)(text).map(drop),
                    ..$info
                },
                read: $read,
                default: $default,
                show: $show,
            };)*
        }

        /// All settings, in the order of the table.
        pub(crate) static KNOWN: Names = Names(&[$(&rows::$name.known),*]);

        impl Settings {
            /// Reads each setting from its flag, its variable or the file.
            pub(super) fn of(mut layers: Layers, attach: bool) -> Outcome<Self> {
                $(let $name = layers.setting(&rows::$name)?;)*
                let File { path, mut problems, .. } = layers.file;
                problems.sort_by_key(|problem| problem.line);
                Ok(Self {
                    $($name,)*
                    attach,
                    file: path,
                    problems,
                })
            }

            /// Each setting with its value, as text where there is one, and where that comes from.
            pub(crate) fn shown(&self) -> Vec<(&'static SettingInfo, Option<String>, &Origin)> {
                vec![$((
                    &rows::$name.known,
                    (rows::$name.show)(&self.$name.value),
                    &self.$name.origin,
                )),*]
            }
        }
    };
}

settings! {
    /// The store: its file, or its address on a server.
    store: PathBuf = SettingInfo::identity(variables::STORE, Kind::Path),
        values::store, default_store, |file| Some(file.display().to_string());
    /// The agent that owns the notebook.
    agent: Name = SettingInfo::identity(variables::AGENT, Kind::Text),
        values::name, || values::name("default"), text;
    /// The session of the log.
    session: Option<Name> = SettingInfo::identity(variables::SESSION, Kind::Text),
        |text| values::name(text).map(Some), none, text_if_any;
    /// The current iteration of the session.
    iteration: Option<i64> = SettingInfo {
            in_file: None,
            has_flag: true,
            ..SettingInfo::new(variables::ITERATION, Kind::Whole)
        },
        |text| values::whole(text).map(Some), none, text_if_any;
    /// The author of writes.
    author: Name = SettingInfo {
            is_handed_on: false,
            is_in_entries: true,
            ..SettingInfo::identity(variables::AUTHOR, Kind::Text)
        },
        values::name, default_author, text;
    /// The most bytes of a keyed note; zero or less: no limit.
    max_bytes: i64 = SettingInfo::new("WAYNOTE_MAX_BYTES", Kind::Whole),
        values::whole, || Ok(Limits::default().max_bytes), text;
    /// The most notes of a notebook; zero or less: no limit.
    max_notes: i64 = SettingInfo::new("WAYNOTE_MAX_NOTES", Kind::Whole),
        values::whole, || Ok(Limits::default().max_notes), text;
    /// The most bytes of a directory's own note; zero or less: no limit.
    max_place_bytes: i64 = SettingInfo::new("WAYNOTE_MAX_PLACE_BYTES", Kind::Whole),
        values::whole, || Ok(Limits::default().max_place_bytes), text;
    /// The notes.json that places are kept in sync with.
    notes_file: Option<PathBuf> = SettingInfo {
            has_flag: false,
            ..SettingInfo::identity(variables::NOTES_FILE, Kind::Path)
        },
        values::file, none, path;
    /// How a block is written.
    style: Style = SettingInfo::new("WAYNOTE_STYLE", Kind::Text),
        values::style, || Ok(Style::Stable), text;
    /// The most tokens of a block; 0: no limit.
    budget: usize = SettingInfo::new("WAYNOTE_BUDGET", Kind::Whole),
        values::budget, || Ok(Budget::default().tokens), text;
    /// How many tokens of the model that reads blocks one token of o200k comes to.
    token_factor: TokenFactor = SettingInfo::new("WAYNOTE_TOKEN_FACTOR", Kind::Number),
        values::token_factor, || Ok(Budget::default().factor), text;
    /// How long a writer waits for the writers before it.
    lock_wait: Duration = SettingInfo::new("WAYNOTE_LOCK_WAIT", Kind::Number),
        values::wait, || Ok(Options::default().wait), |wait| Some(wait.as_secs_f64().to_string());
    /// The file that holds the token of a store on a server.
    token_file: Option<PathBuf> = SettingInfo {
            has_flag: true,
            ..SettingInfo::private(variables::TOKEN_FILE, Kind::Path)
        },
        values::file, none, path;
    /// The command that prints the token of a store on a server.
    token_command: Option<String> =
        SettingInfo::private("WAYNOTE_TOKEN_COMMAND", Kind::Text),
        values::command, none, Clone::clone;
    /// The command that prints the password of a store in PostgreSQL.
    postgres_password_command: Option<String> =
        SettingInfo::private("WAYNOTE_POSTGRES_PASSWORD_COMMAND", Kind::Text),
        values::command, none, Clone::clone;
    /// The file with certificates of authorities that may have signed a server's, beside those of the system.
    ca_file: Option<PathBuf> = SettingInfo::new(variables::CA_FILE, Kind::Path),
        values::file, none, path;
    /// The command that is told how a loop ended.
    notify: Option<String> = SettingInfo::private("WAYNOTE_NOTIFY", Kind::Text),
        values::command, none, Clone::clone;
    /// Directories outside a session's repository whose notes its actions may get.
    action_roots: Vec<Place> = SettingInfo::new("WAYNOTE_ACTION_ROOTS", Kind::Names),
        values::places, || Ok(Vec::new()), |all| names(all);
    /// True if a repository's directories have its name.
    repo_names: bool = SettingInfo {
            has_flag: false,
            ..SettingInfo::identity("WAYNOTE_REPO_NAMES", Kind::Flag)
        },
        values::flag, || Ok(true), text;
    /// Which names of repositories are one, and which of their directories are projects.
    repos: Naming = SettingInfo {
            has_flag: false,
            ..SettingInfo::identity("WAYNOTE_REPOS", Kind::Table)
        },
        values::repos, || Ok(Naming::default()), values::repos_as_text;
    /// Checkouts whose shared notes are read without `waynote trust`, by patterns of their real paths.
    trust: Vec<String> = SettingInfo::private("WAYNOTE_TRUST", Kind::Names),
        values::patterns, || Ok(Vec::new()), |all| names(all);
    /// The store of a team, whose notes are read beside the own ones.
    team_store: Option<String> = SettingInfo {
            name: "team.store",
            ..SettingInfo::new("WAYNOTE_TEAM_STORE", Kind::Text)
        },
        values::team_store, none, Clone::clone;
    /// The repositories whose notes are read from there, by patterns of their names.
    team_repositories: Vec<String> = SettingInfo {
            name: "team.repositories",
            ..SettingInfo::new("WAYNOTE_TEAM_REPOSITORIES", Kind::Names)
        },
        values::repositories, || Ok(Vec::new()), |all| names(all);
    /// Rules whose credentials may be written.
    allow_secrets: Vec<&'static str> = SettingInfo::new("WAYNOTE_ALLOW_SECRETS", Kind::Names),
        values::secret_rules, || Ok(Vec::new()), |all| names(all);
}

/// A person, but in the shell of an agent's client: that agent.
fn default_author() -> Outcome<Name> {
    Ok(match Client::of_shell(home::environment()) {
        Some(client) => Author::Agent(client.word()).name()?,
        None => Author::Person.name()?,
    })
}

fn default_store() -> Outcome<PathBuf> {
    Ok(home::environment().data()?.join("waynote/notes.db"))
}

fn none<T>() -> Outcome<Option<T>> {
    Ok(None)
}

fn path(file: &Option<PathBuf>) -> Option<String> {
    file.as_ref().map(|file| file.display().to_string())
}

fn text<T: ToString>(value: &T) -> Option<String> {
    Some(value.to_string())
}

fn text_if_any<T: ToString>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(T::to_string)
}

fn names<T: ToString>(names: &[T]) -> Option<String> {
    let names: Vec<String> = names.iter().map(T::to_string).collect();
    (!names.is_empty()).then(|| names.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_is_recognized() {
        for (typed, meant) in [
            ("max_note", Some("max_notes")),
            ("sotre", Some("store")),
            ("Agent", Some("agent")),
            ("notes-file", Some("notes_file")),
            ("colour", None),
            // It is no setting of the file.
            ("iteration", None),
        ] {
            assert_eq!(
                KNOWN.nearest(typed).map(|known| known.name),
                meant,
                "{typed}"
            );
        }
    }

    #[test]
    fn names_and_variables_are_each_of_one_setting() {
        for (index, known) in KNOWN.all().enumerate() {
            for other in KNOWN.all().take(index) {
                assert_ne!(known.name, other.name);
                assert_ne!(known.variable, other.variable);
            }
        }
    }

    #[test]
    fn a_default_can_be_written_as_it_is_shown() {
        let layers = Layers {
            file: File::default(),
            flags: std::collections::BTreeMap::new(),
        };
        let settings = Settings::of(layers, false).unwrap();
        for (known, value, _) in settings.shown() {
            let checked = value.map_or(Ok(()), |value| (known.check)(&value));
            assert!(checked.is_ok(), "{}", known.name);
        }
    }

    #[test]
    fn the_page_about_settings_and_the_help_name_every_one() {
        use clap::CommandFactory;
        let page = include_str!("../../../../docs/settings.md");
        let help = crate::args::Cli::command().render_long_help().to_string();
        for known in KNOWN.all() {
            let (name, variable) = (format!("`{}`", known.name), format!("`{}`", known.variable));
            let names_it = |row: &str| row.contains(&name) && row.contains(&variable);
            let mut rows = page.lines().filter(|line| line.starts_with('|'));
            assert!(rows.any(names_it), "{name}");
            // Those that have a flag of every command.
            if known.has_flag {
                let shown = format!("[env: {}]", known.variable);
                assert!(help.contains(&shown), "{shown}");
            }
        }
    }
}
