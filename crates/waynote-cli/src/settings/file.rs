//! The configuration file: TOML with a line for each setting. A wrong value costs that setting; a file that cannot be
//! read may say anything, so then commands refuse.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::Serialize;
use toml::{Spanned, Value};
use waynote::secrets::masked;
use waynote::text::line_of;
use waynote::visible::visible;
use waynote_system::variables;

use super::row::{Kind, Names};
use crate::error::Outcome;
use crate::home;

/// The row of `[repos]` that lists directories which are projects; every other row is a name.
pub(crate) const SUBPROJECTS: &str = "subprojects";

/// A mistake in the settings.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Problem {
    /// The variable or the file that has it.
    pub(crate) origin: String,
    /// The line in the file, from 1.
    pub(crate) line: Option<usize>,
    /// The message.
    pub(crate) what: String,
    /// The hint.
    pub(crate) hint: String,
    /// True if a default could put notes in the wrong place, or under another name: then commands refuse.
    #[serde(skip)]
    pub(super) is_fatal: bool,
}

impl Problem {
    /// Origin, line and message, in one line.
    pub(crate) fn told(&self) -> String {
        let line = self
            .line
            .map_or(String::new(), |line| format!(" line {line}:"));
        visible(&masked(&format!("{}:{line} {}", self.origin, self.what)))
    }
}

/// The values of the configuration file.
#[derive(Default)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// Each value as its variable would have it, and its line.
    pub(super) values: BTreeMap<&'static str, (String, usize)>,
    pub(super) problems: Vec<Problem>,
}

impl File {
    /// The file that `WAYNOTE_CONFIG` names, else the one in the configuration folder, which need not exist.
    pub(super) fn read(names: Names) -> Outcome<Self> {
        let named = home::variable(variables::CONFIG)?;
        let path = match &named {
            Some(path) => home::expanded(path)?,
            None => match home::environment().configuration()? {
                Some(folder) => folder.join("waynote/config.toml"),
                // Without a home there is no file; commands that need a home report that themselves.
                None => return Ok(Self::default()),
            },
        };
        const LONGEST: u64 = 4 << 20;
        let text = waynote_files::contents(&path, LONGEST).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
        });
        let mut file = Self {
            path,
            ..Self::default()
        };
        match text {
            Ok(text) => file.parse(&text, names),
            Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => {}
            Err(error) => {
                let what = format!("the configuration file cannot be read: {error}");
                let hint = "make the file readable, or move it away, or correct WAYNOTE_CONFIG";
                file.problem(None, what, hint.into(), true);
            }
        }
        Ok(file)
    }

    fn parse(&mut self, text: &str, names: Names) {
        let table: BTreeMap<String, Spanned<Value>> = match toml::from_str(text) {
            Ok(table) => table,
            Err(error) => {
                let line = error.span().map(|span| line_of(text, span.start));
                let what = error.message().trim().replace('\n', ", ");
                return self.problem(line, what, "correct that line".into(), true);
            }
        };
        for (name, value) in table {
            let line = line_of(text, value.span().start);
            let inside = format!("{name}.");
            match value.get_ref() {
                Value::Table(rows) if names.all().any(|of| of.name.starts_with(&inside)) => {
                    for (row, value) in rows {
                        self.value(&format!("{inside}{row}"), value, line, names);
                    }
                }
                value => self.value(&name, value, line, names),
            }
        }
    }

    fn value(&mut self, name: &str, value: &Value, line: usize, names: Names) {
        let found = names.find(name);
        let text = text_of(value, found.map(|(_, kind)| kind));
        match (found, text) {
            (Some((known, _)), Some(text)) => {
                self.values.insert(known.name, (text, line));
            }
            (Some((known, kind)), None) => {
                let (what, hint) = match kind {
                    Kind::Table => ("has a row that is no name", "write \"host/a\" = \"host/b\""),
                    _ => (
                        "is neither a text nor a number nor a list",
                        "correct that line",
                    ),
                };
                let (what, hint) = (format!("`{name}` {what}"), hint.into());
                self.problem(Some(line), what, hint, known.is_identity);
            }
            (None, _) => {
                // A key that is no setting may be anything.
                let what = masked(&format!("there is no setting `{name}`")).into_owned();
                // A table may have settings in it.
                let is_identity = names.nearest(name).is_some_and(|of| of.is_identity);
                let is_fatal = is_identity || value.is_table();
                self.problem(Some(line), what, names.instead_of(name), is_fatal);
            }
        }
    }

    fn problem(&mut self, line: Option<usize>, what: String, hint: String, is_fatal: bool) {
        self.problems.push(Problem {
            origin: self.path.display().to_string(),
            line,
            what,
            hint,
            is_fatal,
        });
    }
}

/// A value as its variable would have it.
fn text_of(value: &Value, kind: Option<Kind>) -> Option<String> {
    match value {
        Value::Boolean(is_on) if kind == Some(Kind::Flag) => Some(is_on.to_string()),
        Value::Table(rows) if kind == Some(Kind::Table) => {
            let rows = rows.iter().map(|(name, value)| match value {
                Value::String(other) if name.contains('/') => Some(format!("{name}={other}")),
                Value::Array(_) if name == SUBPROJECTS => text_of(value, None),
                _ => None,
            });
            Some(rows.collect::<Option<Vec<_>>>()?.join(","))
        }
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Array(names) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            Some(names?.join(","))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The usable values, and for each problem whether commands refuse.
    fn parsed(text: &str) -> (Vec<(&'static str, String)>, Vec<bool>) {
        let mut file = File::default();
        file.parse(text, crate::settings::KNOWN);
        let refused = file.problems.iter().map(|problem| problem.is_fatal);
        let values = file.values.into_iter();
        let values = values.map(|(name, (value, _))| (name, value)).collect();
        (values, refused.collect())
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let (values, refused) = parsed(
            "store = '~/n.db'\nmax_bytes = 4_096\nmax_notes = 0x10\ntoken_factor = 1.2\nlock_wait = 3\nallow_secrets = ['jwt', 'npm-token']\n",
        );
        assert_eq!(
            values,
            [
                ("allow_secrets", "jwt,npm-token".to_owned()),
                ("lock_wait", "3".into()),
                ("max_bytes", "4096".into()),
                ("max_notes", "16".into()),
                ("store", "~/n.db".into()),
                ("token_factor", "1.2".into()),
            ]
        );
        assert!(refused.is_empty(), "{refused:?}");
    }

    #[test]
    fn rows_of_repositories_are_read() {
        let rows = "'a/old' = 'a/new'\nsubprojects = ['a/mono//packages/*', 'a/mono//apps/*']\n";
        let (values, refused) = parsed(&format!("repo_names = false\n[repos]\n{rows}"));
        let read = "a/old=a/new,a/mono//packages/*,a/mono//apps/*";
        assert_eq!(
            values,
            [("repo_names", "false".into()), ("repos", read.into())]
        );
        assert!(refused.is_empty());
        let naming = crate::settings::values::repos(read).unwrap();
        let row = ("a/old".to_owned(), "a/new".to_owned());
        assert_eq!(naming.same.into_iter().collect::<Vec<_>>(), [row]);
        assert_eq!(naming.projects, ["a/mono//packages/*", "a/mono//apps/*"]);
        // They decide where notes go: commands refuse what they cannot read.
        for rows in [
            "old = 'a/new'",
            "'a/old' = 1",
            "subprojects = 'a/b//c'",
            "subprojects = [1]",
        ] {
            let (values, refused) = parsed(&format!("[repos]\n{rows}\n"));
            assert_eq!((values.len(), refused), (0, vec![true]), "{rows}");
        }
        for text in [
            "old=a/new",
            "a/old=",
            "a/../b=a/c",
            "mono//packages",
            // A chain, a ring, a name that is itself.
            "a/b=a/c,a/c=a/d",
            "a/b=a/c,a/C=a/b",
            "a/b=a/B",
        ] {
            assert!(crate::settings::values::repos(text).is_err(), "{text}");
        }
    }

    #[test]
    fn settings_in_a_table_have_its_name_before_a_dot() {
        let rows = "store = 'https://h/s/a'\nrepositories = ['GitHub.com/acme/*', 'h/x/**']\n";
        let (values, refused) = parsed(&format!("[team]\n{rows}"));
        let read = [
            ("team.repositories", "GitHub.com/acme/*,h/x/**".to_owned()),
            ("team.store", "https://h/s/a".into()),
        ];
        assert_eq!((values.as_slice(), refused), (&read[..], vec![]));
        let patterns = crate::settings::values::repositories(&read[0].1).unwrap();
        assert_eq!(patterns, ["github.com/acme/*", "h/x/**"]);
        for text in ["acme", "https://h/x", "repo:h/x"] {
            assert!(
                crate::settings::values::repositories(text).is_err(),
                "{text}"
            );
        }
        for text in ["~/notes.db", "notes.db", "http://h/s/a"] {
            assert!(crate::settings::values::team_store(text).is_err(), "{text}");
        }
        // Where notes go does not depend on them.
        let (values, refused) = parsed("[team]\nsotre = 'https://h/s/a'\n");
        assert_eq!((values.len(), refused), (0, vec![false]));
    }

    #[test]
    fn a_mistake_costs_its_setting_or_the_file() {
        for (text, left, is_fatal) in [
            ("sotre = 'x'\nbudget = 7\n", vec!["budget"], true),
            ("max_note = 7\nbudget = 7\n", vec!["budget"], false),
            ("colour = 7\nbudget = 7\n", vec!["budget"], false),
            ("[waynote]\nstore = 'x'\n", vec![], true),
            ("budget = [1]\n", vec![], false),
            ("store = true\n", vec![], true),
            ("agent = \nbudget = 7\n", vec![], true),
            ("store = /x/n.db\nbudget = 7\n", vec![], true),
            ("store = 'a'\nstore = 'b'\n", vec![], true),
            ("author = \"\"\"\nstore = 'x'\n", vec![], true),
        ] {
            let (values, refused) = parsed(text);
            let values: Vec<_> = values.into_iter().map(|(name, _)| name).collect();
            assert_eq!((values, refused), (left, vec![is_fatal]), "{text}");
        }
    }
}
