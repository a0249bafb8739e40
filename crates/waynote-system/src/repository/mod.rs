//! Which repository a directory is in, and what it is called, read from git's files. No process runs.
//!
//! A repository is called what its `origin` says. All worktrees of it have that name.

mod config;
mod glob;
mod lineage;
mod remote;
mod seen;
mod trust;

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

pub use glob::matches;
pub use lineage::Naming;
pub use seen::{Alike, Telling};

use config::{Config, Reading, Unknown, is_absent, unread};
use remote::Remote;

/// How many local clones are followed to the one that has a name: programs that run agents clone what is here.
const HOPS: usize = 2;

/// The folder of git that is a checkout's own, and the one that it shares with other worktrees; links followed.
type GitFolders = (PathBuf, PathBuf);

/// The files of the person's own configuration of git, in the order in which git reads them.
struct PersonalFiles {
    /// The home directory.
    home: Option<PathBuf>,
    /// The files of the machine and of the person.
    files: Vec<PathBuf>,
}

/// What a repository's files say.
struct Repository {
    /// The name; none where no remote gives one.
    name: Option<String>,
    /// The names of the remotes where there are several and none is `origin`: no one of them gives the name.
    several: Vec<String>,
    /// The repository that `gh` works with here (`gh-resolved`).
    base: Option<String>,
}

impl Repository {
    /// The repository of a checkout.
    ///
    /// The name is that of `origin`; without it, of the one remote. It is the address as it is configured, without
    /// protocol, user, port of ssh and `.git`, in lower case. A rule of `insteadOf` counts where the address is an
    /// alias. An `origin` that is a path of this machine has the name of the repository there.
    ///
    /// # Errors
    /// [`Unknown`] when a file cannot be read. It is not known then that there is no name.
    fn read(
        root: &Path,
        (own, git_folder): GitFolders,
        personal: &PersonalFiles,
        hops: usize,
    ) -> Result<Self, Unknown> {
        let mut config = Config::default();
        let reading = Reading {
            home: personal.home.as_deref(),
            git_folder: &own,
        };
        for file in &personal.files {
            config.read(file, &reading)?;
        }
        config.read(&git_folder.join("config"), &reading)?;
        let has_own = config.last("extensions.worktreeconfig");
        if has_own.is_some_and(|of| matches!(&*of.to_lowercase(), "true" | "yes" | "on" | "1")) {
            config.read(&own.join("config.worktree"), &reading)?;
        }
        let mut remotes: Vec<(&str, &str)> = Vec::new();
        for (remote, address) in config.subsections("remote", "url") {
            // The first address is the one to fetch from; an empty one takes back those before it.
            match remotes.iter().position(|(known, _)| *known == remote) {
                Some(at) if address.is_empty() => _ = remotes.remove(at),
                None if !address.is_empty() => remotes.push((remote, address)),
                _ => {}
            }
        }
        let origin = remotes.iter().find(|(remote, _)| *remote == "origin");
        let named = match (origin, remotes.as_slice()) {
            (Some(origin), _) => Some(origin),
            (None, [only]) => Some(only),
            _ => None,
        };
        let read_remote = |address: &str| remote::read(&configured(&config, address));
        let read_name = |address: &str| match read_remote(address) {
            Some(Remote::Named(name)) => Some(name),
            _ => None,
        };
        let resolved = config.subsections("remote", "gh-resolved").pop();
        let base = resolved.and_then(|(remote, base)| {
            let (_, address) = remotes.iter().find(|(known, _)| *known == remote)?;
            let name = read_name(address)?;
            match base {
                "base" => Some(name),
                base => Some(format!("{}/{base}", name.split('/').next()?)),
            }
        });
        let several = match named {
            Some(_) => Vec::new(),
            None => remotes
                .iter()
                .filter_map(|(_, address)| read_name(address))
                .collect(),
        };
        let name = match named.and_then(|(_, address)| read_remote(address)) {
            Some(Remote::Named(name)) => Some(name),
            Some(Remote::Path(path)) => {
                // Seen from all worktrees it is the same.
                let start = match git_folder.file_name() {
                    _ if own == git_folder => root,
                    Some(name) if name == ".git" => git_folder.parent().unwrap_or(root),
                    _ => &git_folder,
                };
                elsewhere(&path, start, personal, hops)?
            }
            None => None,
        };
        Ok(Self {
            name,
            several,
            base,
        })
    }
}

/// The root of the checkout that a directory is in, with its git folders; none outside of one, and in one whose root is
/// home, above it or `/`: files of a home are no project. An empty `.git`, as a sandbox leaves it, is none.
fn found<'d>(
    directory: &'d Path,
    home: Option<&Path>,
) -> Result<Option<(&'d Path, GitFolders)>, Unknown> {
    let real = home.and_then(|home| fs::canonicalize(home).ok());
    for root in directory.ancestors() {
        let mut homes = home.into_iter().chain(real.as_deref());
        if root.parent().is_none() || homes.any(|home| home.starts_with(root)) {
            break;
        }
        if let Some(folders) = git_folders(root)? {
            return Ok(Some((root, folders)));
        }
    }
    Ok(None)
}

/// The git folders of a checkout. None where `.git` is missing, or is something else.
///
/// # Errors
/// [`Unknown`] when a folder that is named cannot be read.
fn git_folders(root: &Path) -> Result<Option<GitFolders>, Unknown> {
    let dot = root.join(".git");
    if let Err(error) = fs::symlink_metadata(&dot) {
        return match is_absent(&error) {
            true => Ok(None),
            false => Err(unread(&dot, &error)),
        };
    }
    let kind = fs::metadata(&dot).map_err(|error| unread(&dot, &error))?;
    // A sandbox masks a file by a device.
    if kind.file_type().is_char_device() {
        return Ok(None);
    }
    let is_folder = kind.is_dir();
    let own = match is_folder {
        true => real(&dot)?,
        false => {
            let link = config::contents(&dot)?.unwrap_or_default();
            let Some(folder) = link.strip_prefix("gitdir:") else {
                return Ok(None);
            };
            real(&root.join(folder.trim()))?
        }
    };
    match fs::symlink_metadata(own.join("HEAD")) {
        Ok(_) => {}
        Err(error) if is_folder && is_absent(&error) => return Ok(None),
        Err(error) => return Err(unread(&own.join("HEAD"), &error)),
    }
    let shared = match config::contents(&own.join("commondir"))? {
        Some(path) => real(&own.join(path.trim()))?,
        None => own.clone(),
    };
    Ok(Some((own, shared)))
}

fn real(path: &Path) -> Result<PathBuf, Unknown> {
    fs::canonicalize(path).map_err(|error| unread(path, &error))
}

/// The address that a rule of `insteadOf` gives. A rule counts only for an alias, such as `gh:acme/shop`: one for a whole
/// address says how to reach it, which does not change what it is called.
fn configured(config: &Config, address: &str) -> String {
    let is_whole = match address.split_once(':') {
        Some((_, rest)) if rest.starts_with("//") => remote::read(address).is_some(),
        Some((host, _)) => host.contains(['.', '@', '/']),
        None => address.starts_with(['/', '.', '~']),
    };
    let rules = config.subsections("url", "insteadof");
    let rules = rules
        .iter()
        .filter(|(_, alias)| !alias.is_empty() && address.starts_with(alias));
    match rules.max_by_key(|(_, alias)| alias.len()) {
        Some((base, alias)) if !is_whole => format!("{base}{}", &address[alias.len()..]),
        _ => address.to_owned(),
    }
}

/// The name of the repository at a path that an `origin` names: a checkout, or a bare repository.
fn elsewhere(
    path: &str,
    start: &Path,
    personal: &PersonalFiles,
    hops: usize,
) -> Result<Option<String>, Unknown> {
    let Some(left) = hops.checked_sub(1) else {
        return Ok(None);
    };
    let path = match (path.strip_prefix("~/"), &personal.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => start.join(path),
    };
    // Git finds `x.git` by the name `x`, too.
    let mut bare = path.clone().into_os_string();
    bare.push(".git");
    for path in [path, bare.into()] {
        let there = match fs::canonicalize(&path) {
            Ok(there) => there,
            Err(error) if is_absent(&error) => continue,
            Err(error) => return Err(unread(&path, &error)),
        };
        let root = match there.file_name() {
            Some(name) if name == ".git" => there.parent().unwrap_or(&there),
            _ => &there,
        };
        let is_bare = || root.join("HEAD").is_file() && root.join("objects").is_dir();
        let folders = match git_folders(root)? {
            None if is_bare() => Some((root.to_owned(), root.to_owned())),
            folders => folders,
        };
        if let Some(folders) = folders {
            return Ok(Repository::read(root, folders, personal, left)?.name);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod odd_layout_tests;
