//! The configuration file: TOML with a line for each setting. A wrong value costs that setting; a file that cannot be
//! read may say anything, so then commands refuse.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::Serialize;
use toml::{Spanned, Value};
use waynote::secrets::masked;
use waynote::text::line_of;
use waynote_system::variables;

use super::row::{Kind, Names};
use crate::error::{Failure, Outcome};
use crate::home;

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
    /// The setting that is meant, where that is known.
    pub(super) setting: Option<&'static str>,
    /// True if nothing of the file can be read.
    #[serde(skip)]
    pub(super) is_of_file: bool,
}

impl Problem {
    /// Origin, line and message, in one line.
    pub(crate) fn told(&self) -> String {
        let line = self
            .line
            .map_or(String::new(), |line| format!(" line {line}:"));
        waynote::visible::visible(&format!("{}:{line} {}", self.origin, self.what))
    }
}

/// The values of the configuration file.
#[derive(Default)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// Each value as its variable would have it, or the reason that it cannot be used; and its line.
    pub(super) values: BTreeMap<&'static str, (Outcome<String>, usize)>,
    pub(super) problems: Vec<Problem>,
}

impl File {
    /// The file that `WAYNOTE_CONFIG` names, else the one in the configuration folder, which need not exist.
    pub(super) fn read(names: Names) -> Outcome<Self> {
        let named = home::variable(variables::CONFIG)?;
        let path = match &named {
            Some(path) => home::expanded(path)?,
            None => match home::configuration()? {
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
                let hint = match named {
                    Some(_) => "make the file readable, or correct WAYNOTE_CONFIG",
                    None => "make the file readable, or move it away",
                };
                let what = format!("the configuration file cannot be read: {error}");
                file.problem(None, None, what, hint);
                file.problems[0].is_of_file = true;
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
                self.problem(None, line, what, "correct that line");
                self.problems[0].is_of_file = true;
                return;
            }
        };
        for (name, value) in table {
            let line = line_of(text, value.span().start);
            match names.find(&name) {
                Some((known, kind)) => {
                    let value = text_of(value.get_ref(), kind).ok_or_else(|| {
                        let what = format!("`{name}` must be {}", kind.expected());
                        Failure::usage(what, "correct that line")
                    });
                    self.values.insert(known.name, (value, line));
                }
                None => self.unknown(&name, value.get_ref(), line, names),
            }
        }
    }

    /// A name that is no setting may be a misspelt one, or a table with settings in it.
    fn unknown(&mut self, name: &str, value: &Value, line: usize, names: Names) {
        let below = value
            .as_table()
            .and_then(|table| table.keys().find_map(|key| names.find(key)));
        let (meant, hint) = match below {
            Some((known, _)) => (
                Some(known),
                format!("move `{}` above the first `[table]`", known.name),
            ),
            None => (names.nearest(name), names.instead_of(name)),
        };
        // A key that is no setting may be anything.
        let what = masked(&format!("there is no setting `{name}`")).into_owned();
        self.problem(meant.map(|known| known.name), Some(line), what, hint);
    }

    fn problem(
        &mut self,
        setting: Option<&'static str>,
        line: Option<usize>,
        what: String,
        hint: impl Into<String>,
    ) {
        self.problems.push(Problem {
            origin: self.path.display().to_string(),
            line,
            what,
            hint: hint.into(),
            setting,
            is_of_file: false,
        });
    }
}

/// A value as its variable would have it; none if it is of another kind.
fn text_of(value: &Value, kind: Kind) -> Option<String> {
    match (kind, value) {
        (Kind::Text | Kind::Path, Value::String(text)) => Some(text.clone()),
        (Kind::Whole | Kind::Number, Value::Integer(number)) => Some(number.to_string()),
        (Kind::Number, Value::Float(number)) => Some(number.to_string()),
        (Kind::Names, Value::Array(names)) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            Some(names?.join(","))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The usable values, and the settings that the problems are about; `file` for the whole of it.
    fn parsed(text: &str) -> (Vec<(&'static str, String)>, Vec<&'static str>) {
        let mut file = File::default();
        file.parse(text, crate::settings::KNOWN);
        let about = file
            .problems
            .iter()
            .map(|problem| match problem.is_of_file {
                true => "file",
                false => problem.setting.unwrap_or("none"),
            });
        let mut about: Vec<_> = about.collect();
        let mut values = Vec::new();
        for (name, (value, _)) in file.values {
            match value {
                Ok(value) => values.push((name, value)),
                Err(_) => about.push(name),
            }
        }
        (values, about)
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let (values, about) = parsed(
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
        assert!(about.is_empty(), "{about:?}");
    }

    #[test]
    fn a_mistake_costs_its_setting_or_the_file() {
        for (text, left, about) in [
            ("agent = 5\nbudget = 7\n", vec!["budget"], "agent"),
            ("sotre = 'x'\nbudget = 7\n", vec!["budget"], "store"),
            ("max_note = 7\nbudget = 7\n", vec!["budget"], "max_notes"),
            ("colour = 7\nbudget = 7\n", vec!["budget"], "none"),
            ("[waynote]\nstore = 'x'\n", vec![], "store"),
            ("allow_secrets = [1]\n", vec![], "allow_secrets"),
            ("agent = \nbudget = 7\n", vec![], "file"),
            ("store = /x/n.db\nbudget = 7\n", vec![], "file"),
            ("store = 'a'\nstore = 'b'\n", vec![], "file"),
            ("author = \"\"\"\nstore = 'x'\n", vec![], "file"),
        ] {
            let (values, found) = parsed(text);
            let values: Vec<_> = values.into_iter().map(|(name, _)| name).collect();
            assert_eq!((values, found), (left, vec![about]), "{text}");
        }
    }
}
