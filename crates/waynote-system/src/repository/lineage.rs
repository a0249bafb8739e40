//! The lineage of a directory: its paths, with the names of the repositories that they are in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waynote::{Checkout, Lineage, Place};
use waynote_files::worktree::main_checkout;

use super::{PersonalFiles, Repository, Unknown, glob};
use crate::environment::{Environment, Result};

/// How a person's repositories are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// True: places are paths alone.
    pub is_off: bool,
    /// Names of one repository: a name, and the one that counts.
    pub same: BTreeMap<String, String>,
    /// Directories that are projects of their own: `github.com/acme/mono//packages/*`.
    pub projects: Vec<String>,
}

impl Naming {
    /// The name that counts.
    fn name(&self, found: String) -> String {
        let same = self
            .same
            .iter()
            .find(|(from, _)| from.to_lowercase() == found);
        same.map_or(found, |(_, to)| to.clone())
    }

    /// The project that a directory of a repository belongs to: the innermost that is named, else the root.
    fn project(&self, directory: &Place) -> Place {
        let is_own = |place: &Place| {
            let projects = self.projects.iter();
            let mut projects = projects.filter_map(|of| Place::repository(of).ok());
            projects.any(|project| {
                let (Some((own, pattern)), Some((name, path))) =
                    (project.in_repository(), place.in_repository())
                else {
                    return false;
                };
                own == name && !path.is_empty() && glob::matches(pattern, path)
            })
        };
        let chain = directory.chain();
        let own = chain.iter().rev().find(|place| is_own(place));
        own.or(chain.first()).unwrap_or(directory).clone()
    }
}

/// A checkout around a directory, the place of its root, and what its root is called.
struct Around {
    root: Place,
    repository: Option<Place>,
    found: Repository,
}

impl Environment {
    /// Every place whose notes apply at a directory, and the project that it belongs to: the root of the repository;
    /// outside of one, the directory itself. Home, the root of the file system and temporary folders are no project.
    ///
    /// In a linked worktree, the notes on paths of the main checkout apply too. A repository without a name is named by its
    /// path: all worktrees by that of the main checkout, or of a bare repository.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`](crate::EnvironmentError::NotText),
    /// [`EnvironmentError::Library`](crate::EnvironmentError::Library).
    pub fn lineage(&self, place: &Place, naming: &Naming) -> Result<Lineage> {
        let has_path = place.as_str().starts_with('/')
            || (place.in_repository().is_none() && self.home_if_any()?.is_some());
        if !has_path {
            return Ok(place.clone().into());
        }
        let directory = self.expanded(place.as_str())?;
        let (around, unknown) = self.around(&directory, naming)?;
        let main = self.main_checkout(place)?;
        let mut places = main.as_ref().map(Place::chain).unwrap_or_default();
        for path in place.chain() {
            let innermost = around.iter().find(|of| path.below(&of.root).is_some());
            let named =
                innermost.and_then(|of| Some((of.repository.as_ref()?, path.below(&of.root)?)));
            let named = named.map(|(repository, below)| repository.join(below));
            places.push(path);
            places.extend(named);
        }
        let checkouts = around.iter().filter_map(|of| {
            Some(Checkout {
                root: of.root.clone(),
                name: of.repository.clone()?,
            })
        });
        let lineage = Lineage::new(place.clone(), places).in_checkouts(checkouts.collect());
        if let Some(unknown) = unknown.filter(|_| !naming.is_off) {
            return Ok(lineage.of_unknown(unknown.to_string()));
        }
        let Some(inner) = around.first() else {
            let is_none = !place.is_project() || self.is_temporary(&directory);
            return Ok(match is_none {
                true => lineage,
                false => lineage.in_project(place.clone(), place.clone()),
            });
        };
        let below = place.below(&inner.root).unwrap_or_default();
        Ok(match &inner.repository {
            Some(repository) => {
                let project = naming.project(&repository.join(below));
                let root = lineage.path_of(&project);
                lineage.in_project(project, root)
            }
            None => lineage.in_project(self.unnamed(inner)?, inner.root.clone()),
        })
    }

    /// The checkouts that a directory is in, the innermost first. They end at one whose name is not known.
    fn around(&self, directory: &Path, naming: &Naming) -> Result<(Vec<Around>, Option<Unknown>)> {
        let personal = self.git_files()?;
        let base = self.base()?;
        let mut around = Vec::new();
        let mut from = Some(directory);
        let mut above: PathBuf;
        while let Some(directory) = from.take() {
            let found = match Repository::of(directory, &personal) {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(unknown) => return Ok((around, Some(unknown))),
            };
            let Some(root) = found.root.to_str() else {
                break;
            };
            let name = found.name.clone().filter(|_| !naming.is_off);
            let name = name.map(|name| naming.name(name));
            let repository = name.and_then(|name| Place::repository(&name).ok());
            if let Some(outer) = found.root.parent() {
                above = outer.to_owned();
                from = Some(&above);
            }
            around.push(Around {
                root: Place::resolve(root, &base)?,
                repository,
                found,
            });
        }
        Ok((around, None))
    }

    /// The name of a repository that has no remote: the path of its main checkout, or of its bare git folder.
    fn unnamed(&self, of: &Around) -> Result<Place> {
        let git_folder = &of.found.git_folder;
        let main = main_checkout(&of.found.root);
        let path = match (&main, git_folder.file_name()) {
            (Some(main), _) => main,
            (None, Some(name)) if name == ".git" || git_folder.starts_with(&of.found.root) => {
                return Ok(of.root.clone());
            }
            // A submodule lies in its parent's git folder; a worktree of a bare repository has its folder for a name.
            _ if git_folder
                .ancestors()
                .any(|above| above.ends_with(".git/modules")) =>
            {
                return Ok(of.root.clone());
            }
            _ => git_folder,
        };
        match path.to_str() {
            Some(path) => Ok(Place::resolve(path, &self.base()?)?),
            None => Ok(of.root.clone()),
        }
    }

    fn is_temporary(&self, directory: &Path) -> bool {
        let own = self.variable("TMPDIR").ok().flatten();
        let known = [
            "/tmp",
            "/var/tmp",
            "/private/tmp",
            "/private/var/folders",
            "/var/folders",
        ];
        let mut folders = own.as_deref().into_iter().chain(known);
        folders.any(|folder| directory.starts_with(folder))
    }

    /// The files of the machine's and the person's configuration of git.
    fn git_files(&self) -> Result<PersonalFiles> {
        let home = self.home_if_any()?.map(PathBuf::from);
        let mut files = Vec::new();
        if self.variable("GIT_CONFIG_NOSYSTEM")?.is_none() {
            let system = self.variable("GIT_CONFIG_SYSTEM")?;
            files.push(system.map_or_else(|| "/etc/gitconfig".into(), PathBuf::from));
        }
        match (self.variable("GIT_CONFIG_GLOBAL")?, &home) {
            (Some(file), _) => files.push(file.into()),
            (None, Some(home)) => {
                files.push(self.dot_config()?.join("git/config"));
                files.push(home.join(".gitconfig"));
            }
            (None, None) => {}
        }
        Ok(PersonalFiles { home, files })
    }
}
