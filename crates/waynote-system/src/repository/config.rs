//! Git's configuration files, as git reads them: sections, values, and the files that they include. No process runs.
//!
//! Anyone may have written a repository's file. So only regular files of at most 1 MiB are read, includes are followed
//! five deep, and an error says the file and the line, and nothing that stands in it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

use super::glob;

/// A longer file is refused.
const FILE_BYTES: u64 = 1 << 20;

/// How deep includes are followed.
const DEPTH: usize = 5;

/// How many files are read for one repository, and how many bytes.
const FILES: usize = 64;
const BYTES: usize = 4 << 20;

/// The most values that are kept.
const MOST: usize = 20_000;

/// Why a repository's files do not say its name. What cannot be read is unknown, which is not the same as absent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unknown {
    /// A file cannot be opened or read.
    #[error("{} cannot be read: {reason}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A line is none that git reads.
    #[error("{} line {line} is not understood", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Files include each other too deep, or hold too many values.
    #[error("{} includes more files than are followed", file.display())]
    Depth {
        /// The file.
        file: PathBuf,
    },
}

/// A value of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// In lower case.
    section: String,
    subsection: Option<String>,
    /// In lower case.
    key: String,
    pub(super) text: String,
}

/// The values of several files, in the order in which git reads them: a later one wins.
#[derive(Debug, Default)]
pub(super) struct Config {
    values: Vec<Value>,
    files: usize,
    bytes: usize,
}

/// Where includes are resolved.
pub(super) struct Reading<'r> {
    /// The home directory, for `~/`.
    pub(super) home: Option<&'r Path>,
    /// The repository's git folder, for `includeIf "gitdir:…"`; links followed.
    pub(super) git_folder: &'r Path,
}

impl Config {
    /// The values of a key, in order.
    pub(super) fn all(
        &self,
        section: &str,
        subsection: Option<&str>,
        key: &str,
    ) -> impl DoubleEndedIterator<Item = &str> {
        self.values.iter().filter_map(move |of| {
            let is_it =
                of.section == section && of.subsection.as_deref() == subsection && of.key == key;
            is_it.then_some(of.text.as_str())
        })
    }

    /// The subsections of a section with a value for a key, in order, with the value.
    pub(super) fn subsections(&self, section: &str, key: &str) -> Vec<(&str, &str)> {
        let values = self
            .values
            .iter()
            .filter(|of| of.section == section && of.key == key);
        let named = values.filter_map(|of| Some((of.subsection.as_deref()?, of.text.as_str())));
        named.collect()
    }

    /// Adds what a file says, with the files that it includes. A file that is missing says nothing.
    ///
    /// # Errors
    /// [`Unknown`].
    pub(super) fn read(&mut self, file: &Path, reading: &Reading<'_>) -> Result<(), Unknown> {
        self.read_at(file, reading, DEPTH)
    }

    fn read_at(&mut self, file: &Path, reading: &Reading<'_>, left: usize) -> Result<(), Unknown> {
        let Some(text) = contents(file)? else {
            return Ok(());
        };
        let too_much = || Unknown::Depth {
            file: file.to_owned(),
        };
        self.files += 1;
        self.bytes += text.len();
        if self.files > FILES || self.bytes > BYTES {
            return Err(too_much());
        }
        let values = parse(&text).map_err(|line| Unknown::Line {
            file: file.to_owned(),
            line,
        })?;
        for value in values {
            let included = reading.included(&value, file);
            self.values.push(value);
            if self.values.len() > MOST {
                return Err(too_much());
            }
            if let Some(included) = included {
                let left = left.checked_sub(1).ok_or_else(too_much)?;
                self.read_at(&included, reading, left)?;
            }
        }
        Ok(())
    }
}

impl Reading<'_> {
    /// The file that a value includes, if its condition holds.
    fn included(&self, value: &Value, by: &Path) -> Option<PathBuf> {
        if value.key != "path" {
            return None;
        }
        let holds = match (value.section.as_str(), value.subsection.as_deref()) {
            ("include", None) => true,
            ("includeif", Some(condition)) => self.holds(condition, by),
            _ => false,
        };
        holds.then(|| self.expanded(&value.text, by)).flatten()
    }

    /// `gitdir:PATTERN`, and the same without regard to case. The other conditions are about branches and addresses, which
    /// do not change the name of a repository.
    fn holds(&self, condition: &str, by: &Path) -> bool {
        let Some((kind @ ("gitdir" | "gitdir/i"), pattern)) = condition.split_once(':') else {
            return false;
        };
        let Some(folder) = self.git_folder.to_str() else {
            return false;
        };
        // Of the folders that a pattern starts from, the real path counts.
        let start = match pattern.split_once('/') {
            Some((".", rest)) => Some((fs::canonicalize(by).ok(), rest, 1)),
            Some(("~", rest)) => Some((
                self.home.and_then(|home| fs::canonicalize(home).ok()),
                rest,
                0,
            )),
            _ => None,
        };
        let mut pattern = match start {
            Some((path, rest, up)) => {
                let folder = path.as_deref().and_then(|path| path.ancestors().nth(up));
                match folder.and_then(Path::to_str) {
                    Some(folder) => format!("{folder}/{rest}"),
                    None => return false,
                }
            }
            None if pattern.starts_with('/') => pattern.to_owned(),
            None => format!("**/{pattern}"),
        };
        if pattern.ends_with('/') {
            pattern.push_str("**");
        }
        match kind {
            "gitdir" => glob::matches(&pattern, folder),
            _ => glob::matches(&pattern.to_lowercase(), &folder.to_lowercase()),
        }
    }

    fn expanded(&self, path: &str, by: &Path) -> Option<PathBuf> {
        match path.strip_prefix("~/") {
            Some(rest) => Some(self.home?.join(rest)),
            None => Some(by.parent()?.join(path)),
        }
    }
}

/// The text of a regular file; none if there is no file. `/dev/null` is how a person says that there is none.
///
/// # Errors
/// [`Unknown::File`].
pub(super) fn contents(file: &Path) -> Result<Option<String>, Unknown> {
    match waynote_files::contents(file, FILE_BYTES) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if is_absent(&error) || file == Path::new("/dev/null") => Ok(None),
        Err(error) => Err(unread(file, &error)),
    }
}

/// True if there is nothing at a path. Every other error says that it is not known.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
        || error.raw_os_error() == Some(Errno::NAMETOOLONG.raw_os_error())
}

pub(super) fn unread(file: &Path, error: &io::Error) -> Unknown {
    Unknown::File {
        file: file.to_owned(),
        reason: error.to_string(),
    }
}

/// The values in a text.
///
/// # Errors
/// The line that is not understood, from 1.
fn parse(text: &str) -> Result<Vec<Value>, usize> {
    let mut values = Vec::new();
    let mut section: Option<(String, Option<String>)> = None;
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.split('\n').enumerate();
    while let Some((index, line)) = lines.next() {
        let bad = index + 1;
        let mut line = line.trim();
        if let Some(head) = line.strip_prefix('[') {
            let (named, rest) = header(head).ok_or(bad)?;
            section = Some(named);
            line = rest.trim_start();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (section, subsection) = section.clone().ok_or(bad)?;
        let end = line.find(|char: char| !(char.is_ascii_alphanumeric() || char == '-'));
        let (key, rest) = line.split_at(end.unwrap_or(line.len()));
        if !key.starts_with(|char: char| char.is_ascii_alphabetic()) {
            return Err(bad);
        }
        let mut said = String::new();
        let rest = rest.trim_start();
        match rest.strip_prefix('=') {
            Some(rest) => {
                let mut piece = Some(rest);
                let mut quoted = false;
                while let Some(rest) = piece {
                    let goes_on = value(rest, &mut said, &mut quoted).ok_or(bad)?;
                    piece = match goes_on {
                        true => Some(lines.next().ok_or(bad)?.1),
                        false => None,
                    };
                }
                if quoted {
                    return Err(bad);
                }
            }
            // A key alone is a yes.
            None if rest.is_empty() || rest.starts_with(['#', ';']) => said.push_str("true"),
            None => return Err(bad),
        }
        values.push(Value {
            section,
            subsection,
            key: key.to_ascii_lowercase(),
            text: said,
        });
    }
    Ok(values)
}

/// The section that a header names, and what follows it in its line. `head` begins behind the bracket.
fn header(head: &str) -> Option<((String, Option<String>), &str)> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '.');
    let end = head.find(|char| !is_name(char))?;
    let (name, rest) = head.split_at(end);
    let name = name.to_ascii_lowercase();
    if let Some(rest) = rest.strip_prefix(']') {
        let named = match name.split_once('.') {
            Some((section, subsection)) => (section.to_owned(), Some(subsection.to_owned())),
            None => (name, None),
        };
        return Some((named, rest));
    }
    let mut chars = rest.trim_start().strip_prefix('"')?.chars();
    let mut subsection = String::new();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => subsection.push(chars.next()?),
            char => subsection.push(char),
        }
    }
    let rest = chars.as_str().strip_prefix(']')?;
    Some(((name, Some(subsection)), rest))
}

/// Adds a line of a value to what it `said` so far; true if the value continues on the next line. None for an escape that
/// git does not know.
fn value(line: &str, said: &mut String, quoted: &mut bool) -> Option<bool> {
    let mut chars = line.trim_end_matches('\r').chars();
    let mut blanks = String::new();
    while let Some(char) = chars.next() {
        let plain = match char {
            '"' => {
                *quoted = !*quoted;
                said.push_str(&std::mem::take(&mut blanks));
                continue;
            }
            '#' | ';' if !*quoted => return Some(false),
            '\\' => match chars.next() {
                None => {
                    said.push_str(&blanks);
                    return Some(true);
                }
                Some('n') => '\n',
                Some('t') => '\t',
                Some('b') => '\u{8}',
                Some(escaped @ ('"' | '\\')) => escaped,
                Some(_) => return None,
            },
            blank if blank.is_whitespace() && !*quoted => {
                if !said.is_empty() {
                    blanks.push(blank);
                }
                continue;
            }
            char => char,
        };
        said.push_str(&std::mem::take(&mut blanks));
        said.push(plain);
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        match parse(text) {
            Ok(values) => {
                let line = |of: &Value| {
                    let subsection = of
                        .subsection
                        .as_deref()
                        .map_or(String::new(), |of| format!("[{of}]"));
                    format!("{}{subsection}.{}={:?}", of.section, of.key, of.text)
                };
                values.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            Err(line) => format!("line {line}"),
        }
    }

    #[test]
    fn values_are_those_that_git_reads() {
        insta::assert_snapshot!(said(
            "\u{feff}[core]\r\n\tbare = false ; no\r\n\tIgnoreCase\n\
             [remote \"or\\\"ig\\\\in\"] url = \"a # b\" # c\n\
             [Remote.UP]\nURL=https://x/y.git   \n\
             [a]\nb = one \\\n  two\\t\\\"three\\\" \"  four \"\nc =\n"
        ), @r#"
        core.bare="false"
        core.ignorecase="true"
        remote[or"ig\in].url="a # b"
        remote[up].url="https://x/y.git"
        a.b="one   two\t\"three\"   four "
        a.c=""
        "#);
        for (text, line) in [
            ("x = 1", "line 1"),
            ("[a]\n\n1x = 1", "line 3"),
            ("[a\nb = 1", "line 1"),
            ("[a \"b]\n", "line 1"),
            ("[a]\nb = \\q", "line 2"),
            ("[a]\nb = \"open\n", "line 2"),
            ("[a]\nb = c\\", "line 2"),
            ("[a]\nb c", "line 2"),
        ] {
            assert_eq!(said(text), line, "{text:?}");
        }
    }

    #[test]
    fn includes_are_followed_where_their_condition_holds() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("home/work/shop/.git")).unwrap();
        let main = at("home/.gitconfig");
        fs::write(
            &main,
            "[a]\nx = 1\n[includeIf \"gitdir:~/work/\"]\npath = work.inc\n\
             [includeIf \"gitdir:~/play/\"]\npath = play.inc\n[includeIf \"gitdir/i:WORK/**\"]\npath = ~/any.inc\n\
             [include]\npath = missing.inc\n",
        )
        .unwrap();
        fs::write(at("home/work.inc"), "[a]\nx = 2\n").unwrap();
        fs::write(at("home/play.inc"), "[a]\nx = 3\n").unwrap();
        fs::write(at("home/any.inc"), "[a]\nx = 4\n").unwrap();
        let (home, git_folder) = (at("home"), at("home/work/shop/.git"));
        let reading = Reading {
            home: Some(&home),
            git_folder: &git_folder,
        };
        let read = |file: &Path| {
            let mut config = Config::default();
            config.read(file, &reading).map(|()| {
                let values: Vec<String> = config.all("a", None, "x").map(Into::into).collect();
                values.join(" ")
            })
        };
        assert_eq!(read(&main).unwrap(), "1 2 4");
        let ring = at("ring");
        fs::write(&ring, "[include]\npath = ring\n").unwrap();
        assert!(matches!(read(&ring), Err(Unknown::Depth { .. })));
        // Many files, not deep.
        let many = at("many");
        fs::write(&many, "[include]\npath = home/work.inc\n".repeat(FILES)).unwrap();
        assert!(matches!(read(&many), Err(Unknown::Depth { .. })));
        let secret = at("secret");
        fs::write(&secret, "root:x:0:0\n").unwrap();
        let error = read(&secret).unwrap_err().to_string();
        assert!(
            error.ends_with("secret line 1 is not understood"),
            "{error}"
        );
        assert!(matches!(read(folder.path()), Err(Unknown::File { .. })));
    }
}
