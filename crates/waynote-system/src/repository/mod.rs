//! Which repository a directory is in, and what it is called, read from git's files. No process runs.
//!
//! A repository is called what its `origin` says (see [`Repository::name`]). All worktrees of it have that name.

mod config;
mod glob;
mod lineage;
mod remote;

use std::fs;
use std::path::{Path, PathBuf};

use waynote_files::worktree::path_named_in;

pub use config::Unknown;
pub use lineage::Naming;

use config::{Config, Reading};
use remote::Remote;

/// How many local clones are followed to the one that has a name: programs that run agents clone what is here.
const HOPS: usize = 2;

/// The files of the person's own configuration of git, in the order in which git reads them.
#[derive(Clone, Debug, Default)]
pub struct PersonalFiles {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The files of the machine and of the person.
    pub files: Vec<PathBuf>,
}

/// A checkout of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The top directory of the checkout, as it was named.
    pub root: PathBuf,
    /// The git folder that all worktrees share; links followed.
    pub git_folder: PathBuf,
    /// The name; none where no remote gives one.
    pub name: Option<String>,
    /// The remotes, if there are several and none is `origin`: no one of them gives the name.
    pub several: Vec<String>,
}

impl Repository {
    /// The repository of the checkout that a directory is in; none outside of one, and in one whose root is home, above it
    /// or `/`: files of a home are no project.
    ///
    /// The name is that of `origin`; without it, of the one remote. It is the address as it is configured, without
    /// protocol, user, port of ssh and `.git`, in lower case. A rule of `insteadOf` counts where the address is an
    /// alias. An `origin` that is a path of this machine has the name of the checkout there.
    ///
    /// # Errors
    /// [`Unknown`] when a file cannot be read. It is not known then that there is no name.
    pub fn of(directory: &Path, personal: &PersonalFiles) -> Result<Option<Self>, Unknown> {
        let roots = directory.ancestors();
        let root = roots
            .into_iter()
            .find(|root| fs::symlink_metadata(root.join(".git")).is_ok());
        let is_project = |root: &&Path| {
            let home = personal.home.as_deref();
            root.parent().is_some() && !home.is_some_and(|home| home.starts_with(root))
        };
        match root.filter(is_project) {
            Some(root) => Self::at(root, personal, HOPS),
            None => Ok(None),
        }
    }

    fn at(root: &Path, personal: &PersonalFiles, hops: usize) -> Result<Option<Self>, Unknown> {
        let Some((own, git_folder)) = git_folders(root)? else {
            return Ok(None);
        };
        let mut config = Config::default();
        let reading = Reading {
            home: personal.home.as_deref(),
            git_folder: &own,
        };
        for file in &personal.files {
            config.read(file, &reading)?;
        }
        config.read(&git_folder.join("config"), &reading)?;
        if config.all("extensions", None, "worktreeconfig").next_back() == Some("true") {
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
        let several = match named {
            None => remotes
                .iter()
                .map(|(remote, _)| (*remote).to_owned())
                .collect(),
            Some(_) => Vec::new(),
        };
        let name = match named.and_then(|(_, address)| remote::read(&configured(&config, address)))
        {
            Some(Remote::Named(name)) => Some(name),
            Some(Remote::Path(path)) => elsewhere(&path, root, personal, hops)?,
            None => None,
        };
        Ok(Some(Self {
            root: root.to_owned(),
            git_folder,
            name,
            several,
        }))
    }
}

/// The git folder of a checkout, and the one that it shares with other worktrees; links followed. None where `.git` is
/// something else.
///
/// # Errors
/// [`Unknown::File`] when a folder that is named cannot be read.
fn git_folders(root: &Path) -> Result<Option<(PathBuf, PathBuf)>, Unknown> {
    let dot = root.join(".git");
    let unread = |file: &Path, error: std::io::Error| Unknown::File {
        file: file.to_owned(),
        reason: error.to_string(),
    };
    let what = fs::metadata(&dot).map_err(|error| unread(&dot, error))?;
    let own = match what.is_dir() {
        true => dot.clone(),
        false => match path_named_in(&dot, "gitdir:") {
            Some(folder) => folder,
            None => return Ok(None),
        },
    };
    let own = fs::canonicalize(&own).map_err(|error| unread(&own, error))?;
    // An empty `.git`, as a sandbox leaves it.
    if config::contents(&own.join("HEAD"))?.is_none() {
        return Ok(None);
    }
    let shared = match config::contents(&own.join("commondir"))? {
        Some(path) => own.join(path.trim()),
        None => own.clone(),
    };
    let shared = fs::canonicalize(&shared).map_err(|error| unread(&shared, error))?;
    Ok(Some((own, shared)))
}

/// The address that a rule of `insteadOf` gives. A rule counts only for an alias, such as `gh:acme/shop`: one for a whole
/// address says how to reach it, which does not change what it is called.
fn configured(config: &Config, address: &str) -> String {
    let is_whole = address.contains("://")
        || address.starts_with(['/', '.', '~'])
        || matches!(address.split_once(':'), Some((host, _)) if host.contains('.') || host.contains('@'));
    let rules = config.subsections("url", "insteadof");
    let rules = rules
        .iter()
        .filter(|(_, alias)| !alias.is_empty() && address.starts_with(alias));
    match rules.max_by_key(|(_, alias)| alias.len()) {
        Some((base, alias)) if !is_whole => format!("{base}{}", &address[alias.len()..]),
        _ => address.to_owned(),
    }
}

/// The name of the repository at a path that an `origin` names.
fn elsewhere(
    path: &str,
    root: &Path,
    personal: &PersonalFiles,
    hops: usize,
) -> Result<Option<String>, Unknown> {
    let Some(left) = hops.checked_sub(1) else {
        return Ok(None);
    };
    let path = match (path.strip_prefix("~/"), &personal.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => root.join(path),
    };
    let Ok(there) = fs::canonicalize(&path) else {
        return Ok(None);
    };
    let there = match there.file_name() {
        Some(name) if name == ".git" => there.parent().unwrap_or(&there),
        _ => &there,
    };
    if fs::symlink_metadata(there.join(".git")).is_err() {
        return Ok(None);
    }
    let found = Repository::at(there, personal, left)?;
    Ok(found.and_then(|found| found.name))
}

#[cfg(test)]
mod tests;
