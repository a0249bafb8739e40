//! Reading git's own files for the state of a repository: HEAD, the references, the index.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use waynote_files::worktree::path_named_in;
use waynote_system::plain;

/// The commit of HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The hash, shortened.
    Commit(String),
    /// The branch has no commit.
    Unborn,
    /// The references are in a form that is not read here (`reftable`): only a change of them is seen.
    Elsewhere,
}

/// The folders of git for a tree.
pub(super) struct GitFolder {
    /// The tree's own: HEAD, the index.
    own: PathBuf,
    /// The part that linked worktrees share: the references.
    common: PathBuf,
}

/// References that lead to references: more than these are a mistake.
const LEVELS: usize = 5;

/// Longer than any of git's small files, and than any line of its packed references.
const SMALL_BYTES: u64 = 8 * 1024;

/// A longer file of packed references is not looked through.
const PACKED_BYTES: u64 = 256 * 1024 * 1024;

impl GitFolder {
    /// Of the tree at `root`, or the reason why it is none.
    pub(super) fn of(root: &Path) -> Result<Self, String> {
        let link = root.join(".git");
        let own = match link.is_dir() {
            true => link,
            false => path_named_in(&link, "gitdir:")
                .ok_or("`.git` is neither a folder nor a link of git's")?,
        };
        if !own.is_dir() {
            return Err(format!(
                "`.git` leads to {}, which is no folder",
                own.display()
            ));
        }
        if !own.join("HEAD").is_file() {
            return Err(format!(
                "{} is no repository: it has no HEAD",
                own.display()
            ));
        }
        let common = path_named_in(&own.join("commondir"), "").unwrap_or_else(|| own.clone());
        Ok(Self { own, common })
    }

    /// The ignore file of this repository alone.
    pub(super) fn ignored(&self) -> PathBuf {
        self.common.join("info/exclude")
    }

    /// The commit, and all of it that tells one state from another.
    pub(super) fn head(&self) -> (Head, String) {
        let mut name = "HEAD".to_owned();
        for _ in 0..LEVELS {
            let Some(said) = self.reference(&name) else {
                break;
            };
            match said.strip_prefix("ref:").map(str::trim) {
                Some(next) if is_reference(next) => name = next.to_owned(),
                None if is_commit(&said) => {
                    let short = said.chars().take(7).collect();
                    return (Head::Commit(short), said);
                }
                _ => return (Head::Unborn, said),
            }
        }
        let tables = small(&self.common.join("reftable/tables.list"));
        match tables {
            Some(tables) => (Head::Elsewhere, tables),
            None => (Head::Unborn, name),
        }
    }

    /// The value of a reference: a commit, or `ref:` and another one.
    fn reference(&self, name: &str) -> Option<String> {
        let loose = small(&self.own.join(name)).or_else(|| small(&self.common.join(name)));
        loose.or_else(|| self.packed(name))
    }

    fn packed(&self, name: &str) -> Option<String> {
        let file = plain::open(&self.common.join("packed-refs")).ok()?;
        let mut packed = BufReader::new(file.take(PACKED_BYTES));
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut next = (&mut packed).take(SMALL_BYTES);
            next.read_until(b'\n', &mut line).ok()?;
            let is_cut = next.limit() == 0;
            let line = match line.strip_suffix(b"\n") {
                Some(line) => line,
                // No line of git's is so long.
                None if line.is_empty() || is_cut => return None,
                None => &line,
            };
            let said = std::str::from_utf8(line).ok();
            if let Some((commit, of)) = said.and_then(|line| line.split_once(' '))
                && of == name
            {
                return Some(commit.to_owned());
            }
        }
    }

    /// A fingerprint of the index: its length, and the hash at its end.
    pub(super) fn index(&self) -> Vec<u8> {
        const HASH_BYTES: u64 = 32;
        let Ok(mut file) = plain::open(&self.own.join("index")) else {
            return Vec::new();
        };
        let length = file.metadata().map_or(0, |what| what.len());
        let mut told = length.to_le_bytes().to_vec();
        let end = file.seek(SeekFrom::Start(length.saturating_sub(HASH_BYTES)));
        if end.is_ok() {
            let _ = file.take(HASH_BYTES).read_to_end(&mut told);
        }
        told
    }
}

/// The text of a small file, trimmed.
fn small(path: &Path) -> Option<String> {
    let (bytes, length) = plain::read(plain::open(path).ok()?, SMALL_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (length <= SMALL_BYTES).then(|| text.trim().to_owned())
}

/// True if it names a reference, and no other file.
fn is_reference(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    name.starts_with("refs/") && parts.all(|part| matches!(part, Component::Normal(_)))
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
