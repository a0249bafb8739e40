//! The lineage of a directory: its paths, with the names of the repositories that they are in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waynote::{Checkout, GitFolder, Lineage, Place};

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

    /// The root of the checkout that a directory is in, the name of its repository, and its git folder.
    fn checkout<'d>(
        &self,
        directory: &'d Path,
        personal: &PersonalFiles,
    ) -> std::result::Result<Option<Found<'d>>, Unknown> {
        let Some((root, folders)) = found(directory, personal.home.as_deref())? else {
            return Ok(None);
        };
        let mut git = GitFolder::new(folders.1.clone());
        if self.is_off {
            return Ok(Some((root, None, git)));
        }
        let found = Repository::read(root, folders, personal, HOPS)?;
        let place = |name: String| Place::repository(&self.name(name)).ok();
        git.several = found.several.into_iter().filter_map(place).collect();
        git.base = found.base.and_then(place);
        Ok(Some((root, found.name.and_then(place), git)))
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

/// The root of a checkout, the name of its repository, and its git folder.
type Found<'d> = (&'d Path, Option<Place>, GitFolder);

/// The checkouts around a directory, the git folder of the innermost, and why no more are known.
type Around = (Vec<Checkout>, Option<GitFolder>, Option<Unknown>);

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
        let (around, git, unknown) = self.around(&directory, naming)?;
        let main = self.main_checkout(place)?;
        let mut places = main.as_ref().map(Place::chain).unwrap_or_default();
        for path in place.chain() {
            let inside = around.iter().filter(|of| path.below(&of.root).is_some());
            let mut inside: Vec<&Checkout> = inside.collect();
            // A worktree may lie in another checkout of its repository.
            inside.dedup_by(|outer, inner| outer.name == inner.name);
            let names = |of: &&Checkout| {
                let also = of.also.iter().chain([&of.name]);
                let inside = path.below(&of.root).unwrap_or_default();
                let names = also.filter(|name| name.in_repository().is_some());
                names.map(|name| name.join(inside)).collect::<Vec<_>>()
            };
            let names: Vec<Place> = inside.iter().rev().flat_map(names).collect();
            places.push(path);
            places.extend(names);
        }
        let lineage = Lineage::new(place.clone(), places)
            .in_checkouts(around)
            .in_git_folder(git);
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

    /// The checkouts that a directory is in, the innermost first, and its git folder. They end at one whose name is not
    /// known.
    fn around(&self, directory: &Path, naming: &Naming) -> Result<Around> {
        let personal = self.git_files()?;
        let base = self.base()?;
        let (mut around, mut git) = (Vec::new(), None);
        let mut from = Some(directory);
        while let Some(directory) = from {
            let (root, name, folder) = match naming.checkout(directory, &personal) {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(unknown) => return Ok((around, git, Some(unknown))),
            };
            from = root.parent();
            let Some(root) = root.to_str() else {
                break;
            };
            let root = Place::resolve(root, &base)?;
            let main = self.main_checkout(&root)?;
            let name = name
                .or_else(|| main.clone())
                .unwrap_or_else(|| root.clone());
            let main = main.filter(|main| *main != name);
            let also = naming.others(&name).chain(main).collect();
            around.push(Checkout { root, name, also });
            git.get_or_insert(folder);
        }
        Ok((around, git, None))
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
