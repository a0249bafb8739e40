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

/// Why a repository's files do not say its name, in words. What cannot be read is unknown, which is not the same as absent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub(super) struct Unknown(String);

impl Unknown {
    fn new(file: &Path, what: &str) -> Self {
        Self(format!("{} {what}", file.display()))
    }
}

/// The values of several files, in the order in which git reads them: a later one wins. Each has its whole name,
/// `remote.origin.url`: the section and the key in lower case.
#[derive(Debug, Default)]
pub(super) struct Config {
    values: Vec<(String, String)>,
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
    /// The last value of a name.
    pub(super) fn last(&self, name: &str) -> Option<&str> {
        let last = self.values.iter().rfind(|(of, _)| of == name);
        last.map(|(_, text)| text.as_str())
    }

    /// The subsections of a section with a value for a key, in order, with the value.
    pub(super) fn subsections(&self, section: &str, key: &str) -> Vec<(&str, &str)> {
        let values = self.values.iter();
        let named =
            values.filter_map(|(name, text)| Some((subsection(name, section, key)?, &**text)));
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
        let text = contents(file)?.unwrap_or_default();
        let too_much = || Unknown::new(file, "includes more files than are followed");
        self.files += 1;
        self.bytes += text.len();
        if self.files > FILES || self.bytes > BYTES {
            return Err(too_much());
        }
        let values = parse(&text)
            .map_err(|line| Unknown::new(file, &format!("line {line} is not understood")))?;
        for (name, text) in values {
            let included = reading.included(&name, &text, file);
            self.values.push((name, text));
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

/// The subsection in a value's name, of a section and a key.
fn subsection<'n>(name: &'n str, section: &str, key: &str) -> Option<&'n str> {
    let inside = name.strip_prefix(section)?.strip_suffix(key)?;
    inside.strip_prefix('.')?.strip_suffix('.')
}

impl Reading<'_> {
    /// The file that a value includes, if its condition holds.
    fn included(&self, name: &str, path: &str, by: &Path) -> Option<PathBuf> {
        let holds =
            name == "include.path" || self.holds(subsection(name, "includeif", "path")?, by)?;
        let file = match path.strip_prefix("~/") {
            Some(rest) => self.home?.join(rest),
            None => by.parent()?.join(path),
        };
        holds.then_some(file)
    }

    /// `gitdir:PATTERN`, and the same without regard to case. The other conditions are about branches and addresses, which
    /// do not change the name of a repository. None where a folder is missing.
    fn holds(&self, condition: &str, by: &Path) -> Option<bool> {
        let (kind, pattern) = condition.split_once(':')?;
        let within = |folder: &Path, rest: &str| Some(format!("{}/{rest}", folder.to_str()?));
        // Of the folders that a pattern starts from, the real path counts.
        let mut pattern = match pattern.split_once('/') {
            Some((".", rest)) => within(fs::canonicalize(by).ok()?.parent()?, rest)?,
            Some(("~", rest)) => within(&fs::canonicalize(self.home?).ok()?, rest)?,
            Some(("", _)) => pattern.to_owned(),
            _ => format!("**/{pattern}"),
        };
        if pattern.ends_with('/') {
            pattern.push_str("**");
        }
        let folder = self.git_folder.to_str()?;
        Some(match kind {
            "gitdir" => glob::matches(&pattern, folder),
            "gitdir/i" => glob::matches(&pattern.to_lowercase(), &folder.to_lowercase()),
            _ => false,
        })
    }
}

/// The text of a regular file; none if there is no file. `/dev/null` is how a person says that there is none.
///
/// # Errors
/// [`Unknown`].
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
    Unknown::new(file, &format!("cannot be read: {error}"))
}

/// The values in a text, each with its whole name.
///
/// # Errors
/// The line that is not understood, from 1.
fn parse(text: &str) -> Result<Vec<(String, String)>, usize> {
    let mut values = Vec::new();
    let mut section = None;
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
        let section = section.as_ref().ok_or(bad)?;
        let end = line.find(|char: char| !(char.is_ascii_alphanumeric() || char == '-'));
        let (key, rest) = line.split_at(end.unwrap_or(line.len()));
        if !key.starts_with(|char: char| char.is_ascii_alphabetic()) {
            return Err(bad);
        }
        let rest = rest.trim_start();
        let said = match rest.strip_prefix('=') {
            Some(rest) => value(rest, &mut lines.by_ref().map(|(_, line)| line)).ok_or(bad)?,
            // A key alone is a yes.
            None if rest.is_empty() || rest.starts_with(['#', ';']) => "true".into(),
            None => return Err(bad),
        };
        values.push((format!("{section}.{}", key.to_ascii_lowercase()), said));
    }
    Ok(values)
}

/// The section that a header names, and what follows it in its line. `head` begins behind the bracket.
fn header(head: &str) -> Option<(String, &str)> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '.');
    let (name, rest) = head.split_at(head.find(|char| !is_name(char))?);
    let mut name = name.to_ascii_lowercase();
    if let Some(rest) = rest.strip_prefix(']') {
        return Some((name, rest));
    }
    let mut chars = rest.trim_start().strip_prefix('"')?.chars();
    name.push('.');
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => name.push(chars.next()?),
            char => name.push(char),
        }
    }
    Some((name, chars.as_str().strip_prefix(']')?))
}

/// The value in a line, which may continue on the next ones. None for an open quote, and for an escape that git does not
/// know.
fn value<'t>(line: &'t str, lines: &mut impl Iterator<Item = &'t str>) -> Option<String> {
    let mut said = String::new();
    // Blanks at the end do not count.
    let (mut counts, mut quoted) = (0, false);
    let mut chars = line.trim_end_matches('\r').chars();
    loop {
        match chars.next() {
            None if quoted => return None,
            None => break,
            Some('#' | ';') if !quoted => break,
            Some('"') => quoted = !quoted,
            Some('\\') => match chars.next() {
                None => chars = lines.next()?.trim_end_matches('\r').chars(),
                Some('n') => said.push('\n'),
                Some('t') => said.push('\t'),
                Some('b') => said.push('\u{8}'),
                Some(escaped @ ('"' | '\\')) => said.push(escaped),
                Some(_) => return None,
            },
            Some(blank) if blank.is_whitespace() && !quoted => {
                if !said.is_empty() {
                    said.push(blank);
                }
                continue;
            }
            Some(char) => said.push(char),
        }
        counts = said.len();
    }
    said.truncate(counts);
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        match parse(text) {
            Ok(values) => {
                let lines = values.iter().map(|(name, text)| format!("{name}={text:?}"));
                lines.collect::<Vec<_>>().join("\n")
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
        remote.or"ig\in.url="a # b"
        remote.up.url="https://x/y.git"
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
                let values = config.values.iter().filter(|(name, _)| name == "a.x");
                values.map(|(_, text)| text.as_str()).collect::<String>()
            })
        };
        assert_eq!(read(&main).unwrap(), "124");
        let ring = at("ring");
        fs::write(&ring, "[include]\npath = ring\n").unwrap();
        // Many files, not deep.
        let many = at("many");
        fs::write(&many, "[include]\npath = home/work.inc\n".repeat(FILES)).unwrap();
        for file in [&ring, &many] {
            let error = read(file).unwrap_err().to_string();
            assert!(
                error.ends_with(" includes more files than are followed"),
                "{error}"
            );
        }
        let secret = at("secret");
        fs::write(&secret, "root:x:0:0\n").unwrap();
        let error = read(&secret).unwrap_err().to_string();
        assert!(
            error.ends_with("secret line 1 is not understood"),
            "{error}"
        );
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(" cannot be read: "), "{error}");
    }
}
