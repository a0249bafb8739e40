//! The lineage of a directory: its paths, with the names of the repositories that they are in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waynote::{Checkout, Lineage, Place};

use super::{HOPS, PersonalFiles, Repository, Unknown, found, glob};
use crate::environment::{Environment, Result};

/// How a person's repositories are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// True: places are paths alone.
    pub is_off: bool,
    /// Names of one repository: a name, and the one that counts, which no other row has on its left.
    pub same: BTreeMap<String, String>,
    /// Directories that are projects of their own: `github.com/acme/mono//packages/*`.
    pub projects: Vec<String>,
}

impl Naming {
    /// The name that counts.
    pub(super) fn name(&self, found: String) -> String {
        let same = self
            .same
            .iter()
            .find(|(from, _)| from.to_lowercase() == found);
        same.map_or(found, |(_, to)| to.clone())
    }

    /// The other names that are one with that of a repository's root.
    fn others(&self, name: &Place) -> impl Iterator<Item = Place> {
        let rows = self.same.iter().filter_map(|(from, to)| {
            Some((Place::repository(from).ok()?, Place::repository(to).ok()?))
        });
        rows.filter_map(move |(from, to)| (to == *name).then_some(from))
    }

    /// The place by the name that counts.
    pub(crate) fn counting(&self, place: &Place) -> Place {
        let named = place.in_repository().and_then(|(name, _)| {
            let root = Place::repository(&self.name(name.to_owned())).ok()?;
            Some(root.join(place.below(&Place::repository(name).ok()?)?))
        });
        named.unwrap_or_else(|| place.clone())
    }

    /// The root of the checkout that a directory is in, and the name of its repository.
    fn root_and_name<'d>(
        &self,
        directory: &'d Path,
        personal: &PersonalFiles,
    ) -> std::result::Result<Option<(&'d Path, Option<String>)>, Unknown> {
        let Some((root, folders)) = found(directory, personal.home.as_deref())? else {
            return Ok(None);
        };
        if self.is_off {
            return Ok(Some((root, None)));
        }
        let found = Repository::read(root, folders, personal, HOPS)?;
        Ok(Some((root, found.name.map(|name| self.name(name)))))
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

/// A checkout around a directory.
struct Around {
    root: Place,
    /// The name of its root; none where that is its path.
    name: Option<Place>,
    /// Other names of its repository.
    others: Vec<Place>,
}

impl Around {
    /// The names of a path inside, the one that counts last.
    fn names<'a>(&'a self, inside: &'a str) -> impl Iterator<Item = Place> + 'a {
        let names = self.others.iter().chain(&self.name);
        names.map(move |name| name.join(inside))
    }
}

impl Environment {
    /// Every place whose notes apply at a directory, and the project that it belongs to: the root of the repository;
    /// outside of one, the directory itself. Home, the root of the file system and temporary folders are no project.
    ///
    /// In a linked worktree, the notes on paths of the main checkout apply too. A repository without a name is named by
    /// its path: all worktrees by that of the main checkout, or of a bare repository. A repository further out whose
    /// name is not known has no part in this.
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
            let inside = around.iter().filter(|of| path.below(&of.root).is_some());
            let mut inside: Vec<&Around> = inside.collect();
            // A worktree may lie in another checkout of its repository.
            inside.dedup_by(|outer, inner| outer.name == inner.name);
            let names = inside.iter().rev();
            let names = names.flat_map(|of| of.names(path.below(&of.root).unwrap_or_default()));
            let names: Vec<Place> = names.collect();
            places.push(path);
            places.extend(names);
        }
        let mut checkouts: Vec<Checkout> = Vec::new();
        for of in &around {
            let name = of.name.as_ref().unwrap_or(&of.root).clone();
            let main = self.main_checkout(&of.root)?.filter(|main| *main != name);
            checkouts.push(Checkout {
                root: of.root.clone(),
                name,
                also: of.others.iter().cloned().chain(main).collect(),
            });
        }
        let lineage = Lineage::new(place.clone(), places).in_checkouts(checkouts);
        let Some(inner) = lineage.checkouts().first().cloned() else {
            let is_none = !place.is_project() || self.is_temporary(&directory);
            return Ok(match unknown {
                Some(unknown) => lineage.of_unknown(unknown.to_string()),
                None if is_none => lineage,
                None => lineage.in_project(place.clone(), place.clone()),
            });
        };
        let project = match inner.name.in_repository() {
            Some(_) => naming.project(&lineage.named(place.clone())),
            None => inner.name,
        };
        let root = match lineage.path_of(&project) {
            root if root == project => inner.root,
            root => root,
        };
        Ok(lineage.in_project(project, root))
    }

    /// The checkouts that a directory is in, the innermost first. They end at one whose name is not known.
    fn around(&self, directory: &Path, naming: &Naming) -> Result<(Vec<Around>, Option<Unknown>)> {
        let personal = self.git_files()?;
        let base = self.base()?;
        let mut around = Vec::new();
        let mut from = Some(directory);
        while let Some(directory) = from {
            let (root, name) = match naming.root_and_name(directory, &personal) {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(unknown) => return Ok((around, Some(unknown))),
            };
            from = root.parent();
            let Some(root) = root.to_str() else {
                break;
            };
            let root = Place::resolve(root, &base)?;
            let name = match name.and_then(|name| Place::repository(&name).ok()) {
                None => self.main_checkout(&root)?,
                name => name,
            };
            let others = name.iter().flat_map(|name| naming.others(name)).collect();
            around.push(Around { root, name, others });
        }
        Ok((around, None))
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
    pub(super) fn git_files(&self) -> Result<PersonalFiles> {
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
