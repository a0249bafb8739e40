//! The configuration file, read as far as it can be: a mistake in one line costs that setting, not all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use toml::de::{DeTable, DeValue};
use waynote::secrets::masked;
use waynote::text::line_of;
use waynote_system::variables;

use super::row::{Kind, Names};
use crate::error::{Failure, Outcome};
use crate::home;

/// A setting that could not be used, and why.
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
}

impl Problem {
    /// The line and the message, in one line.
    pub(crate) fn told(&self) -> String {
        let line = self
            .line
            .map_or(String::new(), |line| format!(" line {line}:"));
        waynote::visible::visible(&format!("{}:{line} {}", self.origin, self.what))
    }
}

/// The parsed configuration file.
#[derive(Default)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// The usable values as text, each with its line.
    pub(super) values: BTreeMap<&'static str, (String, usize)>,
    pub(super) problems: Vec<Problem>,
    /// Settings that the file seems to set, in a way that cannot be used.
    pub(super) unsure: BTreeSet<&'static str>,
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
        let read = waynote_files::contents(&path, LONGEST).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is not UTF-8"))
        });
        match read {
            Ok(text) => Ok(Self::parse(&path, &text, names)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => {
                Ok(Self {
                    path,
                    ..Self::default()
                })
            }
            Err(error) => Ok(Self {
                problems: vec![Problem {
                    origin: path.display().to_string(),
                    line: None,
                    what: format!("the configuration file cannot be read: {error}"),
                    hint: match named {
                        Some(_) => "make the file readable, or correct WAYNOTE_CONFIG".into(),
                        None => "make the file readable, or move it away".into(),
                    },
                    setting: None,
                }],
                // It may say any of these.
                unsure: names.identity().collect(),
                path,
                ..Self::default()
            }),
        }
    }

    fn parse(path: &Path, text: &str, names: Names) -> Self {
        let mut file = Self {
            path: path.to_owned(),
            ..Self::default()
        };
        let (table, errors) = DeTable::parse_recoverable(text);
        for (key, value) in table.get_ref() {
            let line = line_of(text, key.span().start);
            let name: &str = key.get_ref();
            let its_own = key.span().start..=value.span().end;
            let is_cut = |error: &toml::de::Error| {
                error
                    .span()
                    .is_some_and(|span| its_own.contains(&span.start))
            };
            match names.find(name) {
                // The parser's value for a setting with a syntax error is a guess, so it is not used.
                Some((known, _)) if errors.iter().any(is_cut) => {
                    file.unsure.insert(known.name);
                }
                Some((known, kind)) => match text_of(value.get_ref(), kind) {
                    Some(value) => {
                        file.values.insert(known.name, (value, line));
                    }
                    None => {
                        file.unsure.insert(known.name);
                        let what = format!("`{name}` must be {}", kind.expected());
                        file.fault(Some(known.name), Some(line), what, "correct that line");
                    }
                },
                None => file.unknown(name, line, names),
            }
        }
        for error in errors {
            let line = error.span().map(|span| line_of(text, span.start));
            let name = line
                .and_then(|line| text.lines().nth(line - 1))
                .and_then(|line| key_of(line, names));
            if let Some(name) = name {
                file.values.remove(name);
                file.unsure.insert(name);
            }
            let what = error.message().trim().replace('\n', ", ");
            // One mistake can bring several messages; the first is the clearest.
            if file.problems.iter().all(|problem| problem.line != line) {
                file.fault(name, line, what, "correct that line");
            }
        }
        // A line that a mistake above it has hidden, or that is in a table.
        for (number, name) in text.lines().map(|line| key_of(line, names)).enumerate() {
            if let Some(name) = name
                && !file.values.contains_key(name)
                && file.unsure.insert(name)
            {
                let is_table = |line: &str| line.trim_start().starts_with('[');
                let (why, hint) = match text.lines().take(number).any(is_table) {
                    true => (
                        "it is below a `[table]` heading",
                        "move it above the first `[table]`",
                    ),
                    false => ("of a mistake above it", "correct the lines above it"),
                };
                let what = format!("`{name}` is ignored because {why}");
                file.fault(Some(name), Some(number + 1), what, hint);
            }
        }
        file.problems.sort_by_key(|problem| problem.line);
        file
    }

    fn unknown(&mut self, name: &str, line: usize, names: Names) {
        let meant = names.nearest(name);
        if let Some(meant) = meant.filter(|meant| meant.is_identity) {
            self.unsure.insert(meant.name);
        }
        let hint = names.instead_of(name);
        let meant = meant.map(|meant| meant.name);
        self.fault(
            meant,
            Some(line),
            format!("there is no setting `{name}`"),
            hint,
        );
    }

    /// Notes that the value of a setting cannot be used.
    pub(super) fn unfit(&mut self, name: &'static str, line: usize, failure: &Failure) {
        self.unsure.insert(name);
        self.fault(Some(name), Some(line), failure.what(), failure.hint());
    }

    fn fault(
        &mut self,
        setting: Option<&'static str>,
        line: Option<usize>,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.problems.push(Problem {
            origin: self.path.display().to_string(),
            line,
            // A key that is no setting may be anything.
            what: masked(&what.into()).into_owned(),
            hint: hint.into(),
            setting,
        });
    }
}

/// The setting that a line sets, as far as its beginning tells.
fn key_of(line: &str, names: Names) -> Option<&'static str> {
    let (name, _) = line.split_once('=')?;
    let (known, _) = names.find(name.trim().trim_matches(['"', '\'']))?;
    Some(known.name)
}

/// A value as its variable would have it; none where it is of another kind.
fn text_of(value: &DeValue<'_>, kind: Kind) -> Option<String> {
    let whole = |value: &DeValue<'_>| {
        let number = value.as_integer()?;
        let digits = number.as_str().replace('_', "");
        i64::from_str_radix(&digits, number.radix()).ok()
    };
    match kind {
        Kind::Text | Kind::Path => value.as_str().map(str::to_owned),
        Kind::Whole => whole(value).map(|number| number.to_string()),
        Kind::Number => match value.as_float() {
            Some(number) => Some(number.as_str().replace('_', "")),
            None => whole(value).map(|number| number.to_string()),
        },
        Kind::Names => {
            let names = value.as_array()?.iter();
            let names: Option<Vec<&str>> = names.map(|name| name.get_ref().as_str()).collect();
            Some(names?.join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Vec<(&'static str, String)>, Vec<String>, Vec<&'static str>) {
        let file = File::parse(Path::new("c.toml"), text, crate::settings::KNOWN);
        let values = file.values.into_iter();
        (
            values.map(|(name, (value, _))| (name, value)).collect(),
            file.problems.iter().map(Problem::told).collect(),
            file.unsure.into_iter().collect(),
        )
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let (values, problems, unsure) = parsed(
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
        assert_eq!((problems.len(), unsure.len()), (0, 0));
    }

    #[test]
    fn a_mistake_costs_its_own_setting_alone() {
        for (text, left, unsure) in [
            ("agent = 5\nbudget = 7\n", vec!["budget"], vec!["agent"]),
            ("agent = \nbudget = 7\n", vec!["budget"], vec!["agent"]),
            ("sotre = 'x'\nbudget = 7\n", vec!["budget"], vec!["store"]),
            ("max_note = 7\nbudget = 7\n", vec!["budget"], vec![]),
            ("[waynote]\nstore = 'x'\n", vec![], vec!["store"]),
            (
                "store = /x/n.db\nbudget = 7\n",
                vec!["budget"],
                vec!["store"],
            ),
            ("store = 'a'\nstore = 'b'\n", vec![], vec!["store"]),
        ] {
            let (values, problems, names) = parsed(text);
            let values: Vec<_> = values.into_iter().map(|(name, _)| name).collect();
            assert_eq!((values, names), (left, unsure), "{text}: {problems:?}");
            assert!(!problems.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_a_mistake_swallows_is_not_taken_for_unset() {
        let (_, problems, unsure) = parsed("author = \"\"\"\nstore = 'x'\n");
        assert!(unsure.contains(&"store"), "{problems:?}");
        assert!(unsure.contains(&"author"), "{problems:?}");
    }
}
