//! Whether a note is still true: what it cites of a repository's code, and whether that is still there.
//!
//! A citation keeps what its lines said, without white space, as a hash. They are looked for by content: where they
//! stood, elsewhere in their file, in the file that git knows it was renamed to, in other files of the repository. So
//! code that moved or was indented anew is not taken for changed. In doubt nothing is said.
//!
//! Files and git are a [`Checkouts`], which the program hands in. [`CheckedStore`] is a store that looks up what is
//! cited when a note is written, and marks what has changed when it is read.

mod checked;
mod confirm;
mod print;

pub use checked::CheckedStore;
pub(crate) use confirm::every_note;
pub use confirm::{confirm, renewed, stale};

use crate::error::{Error, Result};
use crate::model::citation::Citation;
pub use crate::model::citation::is_inside;
use crate::place::Place;
use jiff::Timestamp;
use print::CompactText;

/// A file of a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeFile {
    /// Its bytes.
    Text(Vec<u8>),
    /// There is none.
    Gone,
    /// It is not to be read: not tracked, no regular file, too large, outside; or it cannot be read.
    Refused,
}

/// The files in which a text may be that is no longer in its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CandidateFiles {
    /// The file that the cited one was renamed to.
    pub renamed: Option<String>,
    /// Other tracked files, those that changed since the commit first.
    pub others: Vec<String>,
    /// True if every file that changed since the commit is among them.
    pub is_whole: bool,
}

/// The repositories of this machine, as far as they may be read.
pub trait Checkouts: Send + Sync {
    /// The repository that a directory is in, by its name or its directory, and the path of the directory in it; none:
    /// that of the process.
    fn repository(&self, directory: Option<&Place>) -> Option<(Place, String)>;
    /// The commit that is checked out.
    fn commit(&self, repository: &Place) -> Option<String>;
    /// A tracked file, which is opened without following links.
    fn file(&self, repository: &Place, path: &str) -> CodeFile;
    /// True if any tracked file has the identifier; none if that cannot be told.
    fn has_word(&self, repository: &Place, word: &str) -> Option<bool>;
    /// Where to look for a text that is no longer in its file; none if git cannot tell.
    fn elsewhere(
        &self,
        repository: &Place,
        commit: Option<&str>,
        path: &str,
    ) -> Option<CandidateFiles>;
    /// A file as it was at a commit.
    fn at_commit(&self, repository: &Place, commit: &str, path: &str) -> Option<Vec<u8>>;
    /// What was found the last time, if nothing has changed since.
    fn known(&self, citation: &Citation) -> Option<Standing>;
    /// Keeps what was found.
    fn keep(&self, citation: &Citation, standing: &Standing);
    /// Begins a reading, whose checks have a time limit together.
    fn begin(&self);
    /// True if there is time for one more check.
    fn has_time(&self) -> bool;
}

/// What has become of cited code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is there.
    AsCited,
    /// It is there, under this citation.
    Moved(String),
    /// It is not there any more.
    Changed,
    /// That cannot be told.
    Unknown,
}

/// A span has to have so many bytes to be known again in another file: a lone bracket is everywhere.
const TELLING: usize = 16;

/// What has become of cited code. A known answer is not looked up again.
pub fn standing(checkouts: &dyn Checkouts, cited: &Citation) -> Standing {
    if let Some(known) = checkouts.known(cited) {
        return known;
    }
    if !checkouts.has_time() {
        return Standing::Unknown;
    }
    let standing = looked_up(checkouts, cited).unwrap_or(Standing::Unknown);
    if standing != Standing::Unknown {
        checkouts.keep(cited, &standing);
    }
    standing
}

fn looked_up(checkouts: &dyn Checkouts, cited: &Citation) -> Option<Standing> {
    let repository = cited.repository.as_ref()?;
    let Some(path) = cited.path() else {
        return checkouts
            .has_word(repository, &cited.code)
            .map(|is_there| match is_there {
                true => Standing::AsCited,
                false => Standing::Changed,
            });
    };
    if !is_inside(path) {
        return None;
    }
    let file = checkouts.file(repository, path);
    let elsewhere = || checkouts.elsewhere(repository, cited.commit.as_deref(), path);
    let Some((_, first, last)) = cited.lines() else {
        return match file {
            CodeFile::Text(_) => Some(Standing::AsCited),
            CodeFile::Refused => None,
            CodeFile::Gone => Some(match elsewhere()?.renamed {
                Some(renamed) => Standing::Moved(renamed),
                None => Standing::Changed,
            }),
        };
    };
    let said = cited.said.as_deref()?;
    let find = |bytes: &[u8]| CompactText::of(bytes).find(said, first);
    match &file {
        CodeFile::Refused => return None,
        CodeFile::Text(text) => {
            let text = CompactText::of(text);
            if text.print(first, last).as_deref() == Some(said) {
                return Some(Standing::AsCited);
            }
            if let Some(lines) = text.find(said, first) {
                return Some(Standing::Moved(named(path, lines)));
            }
        }
        CodeFile::Gone => {}
    }
    let elsewhere = elsewhere()?;
    let is_telling = print::length(said)? >= TELLING;
    let others = elsewhere.others.iter().filter(|_| is_telling);
    for other in elsewhere.renamed.iter().chain(others) {
        if !checkouts.has_time() {
            return None;
        }
        if let CodeFile::Text(text) = checkouts.file(repository, other)
            && let Some(lines) = find(&text)
        {
            return Some(Standing::Moved(named(other, lines)));
        }
    }
    elsewhere.is_whole.then_some(Standing::Changed)
}

fn named(path: &str, (first, last): (usize, usize)) -> String {
    match first == last {
        true => format!("{path}:{first}"),
        false => format!("{path}:{first}-{last}"),
    }
}

/// Looks up what is cited for a note of a directory (none: of the directory of the process).
///
/// # Errors
/// [`Error::InvalidCitation`] when it is not in the repository, or there is none.
pub fn cite(
    checkouts: &dyn Checkouts,
    directory: Option<&Place>,
    code: &str,
    now: Timestamp,
) -> Result<Citation> {
    let code = code.trim();
    let invalid = |reason: &str| Error::invalid_citation(code, reason);
    let cited = Citation::new(code);
    Citation::check(std::slice::from_ref(&cited))?;
    let Some((repository, below)) = checkouts.repository(directory) else {
        return Err(invalid("its directory is in no git repository"));
    };
    let cited = Citation {
        commit: checkouts.commit(&repository),
        cited_at: Some(now),
        repository: Some(repository.clone()),
        ..cited
    };
    let path = cited.path().unwrap_or(code);
    // Seen from the repository first, then from the directory of the note.
    let below = (directory.is_some() && !below.is_empty()).then(|| format!("{below}/{path}"));
    let mut paths = std::iter::once(path.to_owned()).chain(below);
    let found = paths.find_map(|path| match checkouts.file(&repository, &path) {
        CodeFile::Text(text) => Some((path, text)),
        CodeFile::Gone | CodeFile::Refused => None,
    });
    let Some((path, text)) = found else {
        let is_word = cited.lines().is_none() && code.chars().count() >= 3;
        return match is_word && checkouts.has_word(&repository, code) == Some(true) {
            true => Ok(Citation {
                said: Some("word".into()),
                ..cited
            }),
            false => Err(invalid(
                "it is no tracked file of the repository and not found in its code",
            )),
        };
    };
    let (code, said) = match cited.lines() {
        None => (path, None),
        Some((_, first, last)) => {
            let said = CompactText::of(&text).print(first, last);
            let said = said.ok_or_else(|| invalid("these lines are empty, or not in the file"))?;
            (named(&path, (first, last)), Some(said))
        }
    };
    Ok(Citation {
        code,
        said,
        ..cited
    })
}

/// `path:line` and `path:line-line` between backquotes in a text.
pub fn named_in(text: &str) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for code in text.split('`').skip(1).step_by(2) {
        let cited = Citation::new(code);
        let is_path = |path: &str| is_inside(path) && !path.contains(char::is_whitespace);
        let is_lines = cited.lines().is_some_and(|(path, ..)| is_path(path));
        if is_lines && code.len() <= Citation::BYTES && !named.iter().any(|of| of == code) {
            named.push(code.to_owned());
        }
    }
    named.truncate(Citation::MOST);
    named
}

/// What changed in cited lines: what they said, if the commit still has it, and what stands there now.
pub fn spans(checkouts: &dyn Checkouts, cited: &Citation) -> (Option<String>, Option<String>) {
    let of = |text: &[u8]| {
        let (_, first, last) = cited.lines()?;
        let text = String::from_utf8_lossy(text);
        let lines: Vec<&str> = text
            .lines()
            .skip(first - 1)
            .take(last + 1 - first)
            .collect();
        Some(lines.join("\n"))
    };
    let (Some(repository), Some(path)) = (&cited.repository, cited.path()) else {
        return (None, None);
    };
    checkouts.begin();
    let old = cited.commit.as_ref().and_then(|commit| {
        let text = checkouts.at_commit(repository, commit, path)?;
        let (_, first, last) = cited.lines()?;
        // The file may not have been committed as it was cited.
        (CompactText::of(&text).print(first, last) == cited.said).then(|| of(&text))?
    });
    let now = match checkouts.file(repository, path) {
        CodeFile::Text(text) => of(&text),
        CodeFile::Gone | CodeFile::Refused => None,
    };
    (old, now)
}

#[cfg(test)]
mod tests;
