//! What a note cites: lines of a file, a file, or an identifier, and what was there when the note was written.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::note::Note;
use crate::place::Place;
use crate::secrets::masked;
use crate::text::day;
use crate::visible::visible;

/// Code that a note cites (see [`crate::cites`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Citation {
    /// `src/pay.rs:40-60`, `src/pay.rs:40`, `src/pay.rs`, relative to the repository; or an identifier: `fn charge`.
    pub code: String,
    /// The repository, by its name; by its directory, where it has none. None if it was never looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<Place>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What the lines said without white space: length, sum and SHA-256. `word` for an identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// When it was looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cited_at: Option<Timestamp>,
    /// True if it is not there any more. A reader with the repository finds out; no store keeps it.
    #[serde(skip_deserializing, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub changed: bool,
}

impl Citation {
    /// Most citations of a note.
    pub const MOST: usize = 16;

    /// Most bytes of a citation.
    pub const BYTES: usize = 512;

    /// A citation that is not looked up.
    pub fn new(code: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            repository: None,
            commit: None,
            said: None,
            cited_at: None,
            changed: false,
        }
    }

    /// Citations as an engine stores them; none if there are none.
    pub fn to_column(cites: &[Self]) -> Option<String> {
        // Every citation has a JSON form.
        (!cites.is_empty()).then(|| serde_json::to_string(cites).unwrap_or_default())
    }

    /// The citations that an engine has stored; none if they cannot be read.
    pub fn of_column(column: Option<&str>) -> Option<Vec<Self>> {
        column.map_or(Some(Vec::new()), |json| serde_json::from_str(json).ok())
    }

    /// Checks the citations of a note.
    ///
    /// # Errors
    /// [`Error::InvalidCitation`] for one that is too long, is no line of text, or leads out of the repository, and when
    /// there are too many.
    pub fn check(cites: &[Self]) -> Result<()> {
        let invalid = |code: &str, reason| Err(Error::invalid_citation(code, reason));
        match cites {
            [.., last] if cites.len() > Self::MOST => {
                invalid(&last.code, "a note cites at most 16 places")
            }
            _ => cites.iter().try_for_each(|cited| {
                let fields = [
                    Some(&cited.code),
                    cited.commit.as_ref(),
                    cited.said.as_ref(),
                ];
                let is_long = fields
                    .into_iter()
                    .flatten()
                    .any(|of| of.len() > Self::BYTES);
                let path = cited.path();
                match () {
                    () if is_long => invalid(&cited.code, "it is longer than 512 bytes"),
                    () if cited.code.trim().is_empty() || cited.code.contains(char::is_control) => {
                        invalid(&cited.code, "it is no line of text")
                    }
                    () if path.is_some_and(|path| !is_inside(path)) => invalid(
                        &cited.code,
                        "a path is relative to the repository, without `..`",
                    ),
                    () => Ok(()),
                }
            }),
        }
    }

    /// The path and the lines, from 1; none for an identifier.
    pub fn lines(&self) -> Option<(&str, usize, usize)> {
        let (path, lines) = self.code.rsplit_once(':')?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |digits: &str| {
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse().ok()).flatten()
        };
        let (first, last) = (number(first)?, number(last)?);
        let is_lines = !self.is_word() && !path.is_empty() && 0 < first && first <= last;
        is_lines.then_some((path, first, last))
    }

    /// The path; none for an identifier.
    pub fn path(&self) -> Option<&str> {
        match self.lines() {
            Some((path, ..)) => Some(path),
            None => (!self.is_word()).then_some(self.code.as_str()),
        }
    }

    /// `; no longer cites fn charge`: the end of a reply. Empty if there are none.
    pub fn dropped(cites: &[Self]) -> String {
        told("no longer cites", cites)
    }

    /// True for an identifier.
    pub fn is_word(&self) -> bool {
        self.said.as_deref() == Some("word")
    }
}

/// True for a relative path that does not leave its directory. Git's own files are not code.
pub fn is_inside(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
}

fn told(how: &str, cites: &[Citation]) -> String {
    let codes: Vec<&str> = cites.iter().map(|cited| cited.code.as_str()).collect();
    match codes.is_empty() {
        true => String::new(),
        false => format!("; {how} {}", visible(&masked(&codes.join(", ")))),
    }
}

impl Note {
    /// `; cites src/pay.rs:40-60, fn charge`: the end of a reply. Empty if it cites nothing.
    pub fn cited(&self) -> String {
        told("cites", &self.cites)
    }

    /// True if code that it cites has changed.
    pub fn is_stale(&self) -> bool {
        self.cites.iter().any(|cited| cited.changed)
    }

    /// `cites src/pay.rs:40-60, changed since 2026-11-02`: the label of a note that cites what has changed, with the
    /// code as `shown` writes it.
    pub fn stale(&self, shown: impl Fn(&str) -> String) -> Option<String> {
        let changed: Vec<&Citation> = self.cites.iter().filter(|cited| cited.changed).collect();
        let first = changed.first()?;
        let since = changed.iter().filter_map(|cited| cited.cited_at).min();
        let since = since.or(self.source.is_dated().then_some(self.updated_at));
        let since = since.map_or_else(String::new, |since| format!(" since {}", day(since)));
        let code = shown(&first.code);
        let more = match changed.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        Some(format!("cites {code}{more}, changed{since}"))
    }
}
