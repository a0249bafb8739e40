//! The settings that there are: one row for each, with all that is known of it.

use std::path::PathBuf;
use std::time::Duration;

use waynote::author::PERSON;
use waynote::context::{Budget, Style, TokenFactor};
use waynote::{Limits, Name, Options, Place};
use waynote_system::variables;

use super::file::{File, Problem};
use super::layers::{Layers, Origin, Setting};
use super::row::{Kind, Names, Row, SettingInfo, row};
use super::values;
use crate::args::Global;
use crate::error::Outcome;
use crate::home;

/// Makes the type of all values from the table, and the functions that read, check and show them.
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $row:expr;)*) => {
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

            $(pub(super) static $name: Row<$type> =
                $row.named(stringify!($name), |text| ($name.read)(text).map(drop));)*
        }

        /// All settings, in the order of the table.
        pub(crate) static KNOWN: Names = Names(&[$(&rows::$name.known),*]);

        impl Settings {
            /// Reads each setting from its flag, its variable or the file.
            pub(super) fn of(mut layers: Layers, flags: &Global) -> Outcome<Self> {
                $(let $name = layers.setting(&rows::$name, flags)?;)*
                let File { path, mut problems, .. } = layers.file;
                problems.sort_by_key(|problem| problem.line);
                Ok(Self {
                    $($name,)*
                    attach: flags.attach,
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
    store: PathBuf =
        row(variables::STORE, values::store, default_store, |file| Some(file.display().to_string()))
            .in_file(Kind::Path)
            .flag(|flags| flags.store.clone())
            .identity();
    /// The agent that owns the notebook.
    agent: Name =
        row(variables::AGENT, values::name, || values::name("default"), text)
            .in_file(Kind::Text)
            .flag(|flags| flags.agent.clone())
            .identity();
    /// The session of the log.
    session: Option<Name> =
        row(variables::SESSION, |text| values::name(text).map(Some), || Ok(None), text_if_any)
            .in_file(Kind::Text)
            .flag(|flags| flags.session.clone())
            .identity();
    /// The current iteration of the session.
    iteration: Option<i64> =
        row(variables::ITERATION, |text| values::whole(text).map(Some), || Ok(None), text_if_any)
            .flag(|flags| flags.iteration.map(|number| number.to_string()));
    /// The author of writes.
    author: Name =
        row(variables::AUTHOR, values::name, || values::name(PERSON), text)
            .in_file(Kind::Text)
            .flag(|flags| flags.author.clone())
            .identity()
            .in_entries();
    /// The most bytes of a keyed note; zero or less: no limit.
    max_bytes: i64 =
        row("WAYNOTE_MAX_BYTES", values::whole, || Ok(Limits::default().max_bytes), text)
            .in_file(Kind::Whole);
    /// The most notes of a notebook; zero or less: no limit.
    max_notes: i64 =
        row("WAYNOTE_MAX_NOTES", values::whole, || Ok(Limits::default().max_notes), text)
            .in_file(Kind::Whole);
    /// The most bytes of a directory's own note; zero or less: no limit.
    max_place_bytes: i64 =
        row("WAYNOTE_MAX_PLACE_BYTES", values::whole, || Ok(Limits::default().max_place_bytes), text)
            .in_file(Kind::Whole);
    /// The notes.json that places are kept in sync with.
    notes_file: Option<PathBuf> =
        row(variables::NOTES_FILE, |text| values::file(text, "the notes file has no name"), || Ok(None), path)
            .in_file(Kind::Path)
            .identity();
    /// How a block is written.
    style: Style =
        row("WAYNOTE_STYLE", values::style, || Ok(Style::Stable), text)
            .in_file(Kind::Text);
    /// The most tokens of a block; 0: no limit.
    budget: usize =
        row("WAYNOTE_BUDGET", values::budget, || Ok(Budget::default().tokens), text)
            .in_file(Kind::Whole);
    /// How many tokens of the model that reads blocks one token of o200k comes to.
    token_factor: TokenFactor =
        row("WAYNOTE_TOKEN_FACTOR", values::token_factor, || Ok(Budget::default().factor), text)
            .in_file(Kind::Number);
    /// How long a writer waits for the writers before it.
    lock_wait: Duration =
        row("WAYNOTE_LOCK_WAIT", values::wait, || Ok(Options::default().wait), |wait| {
            Some(wait.as_secs_f64().to_string())
        })
        .in_file(Kind::Number);
    /// The file that holds the token of a store on a server.
    token_file: Option<PathBuf> =
        row(variables::TOKEN_FILE, |text| values::file(text, "the token's file has no name"), || Ok(None), path)
            .in_file(Kind::Path)
            .flag(|flags| flags.token_file.clone())
            .not_handed_on();
    /// The command that prints the token of a store on a server.
    token_command: Option<String> =
        row("WAYNOTE_TOKEN_COMMAND", values::token_command, || Ok(None), Clone::clone)
            .in_file(Kind::Text)
            .not_handed_on();
    /// The command that prints the password of a store in PostgreSQL.
    postgres_password_command: Option<String> =
        row("WAYNOTE_POSTGRES_PASSWORD_COMMAND", values::password_command, || Ok(None), Clone::clone)
            .in_file(Kind::Text)
            .not_handed_on();
    /// The file with certificates of authorities that may have signed a server's, beside those of the system.
    ca_file: Option<PathBuf> =
        row(variables::CA_FILE, |text| values::file(text, "the file of certificates has no name"), || Ok(None), path)
            .in_file(Kind::Path);
    /// The command that is told how a loop ended.
    notify: Option<String> =
        row("WAYNOTE_NOTIFY", values::notify, || Ok(None), Clone::clone)
            .in_file(Kind::Text)
            .not_handed_on();
    /// Directories outside a session's repository whose notes its actions may get.
    action_roots: Vec<Place> =
        row("WAYNOTE_ACTION_ROOTS", values::places, || Ok(Vec::new()), |places| {
            let places: Vec<&str> = places.iter().map(Place::as_str).collect();
            (!places.is_empty()).then(|| places.join(","))
        })
        .in_file(Kind::Names);
    /// Rules whose credentials may be written.
    allow_secrets: Vec<&'static str> =
        row("WAYNOTE_ALLOW_SECRETS", values::secret_rules, || Ok(Vec::new()), |rules| {
            (!rules.is_empty()).then(|| rules.join(","))
        })
        .in_file(Kind::Names);
}

fn default_store() -> Outcome<PathBuf> {
    Ok(home::data()?.join("waynote/notes.db"))
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
            sets: std::collections::BTreeMap::new(),
        };
        let settings = Settings::of(layers, &Global::default()).unwrap();
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
