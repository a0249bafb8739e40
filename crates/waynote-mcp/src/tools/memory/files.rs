//! The files as they are in the store.

use waynote::store::Filter;
use waynote::{Address, Change, Expect, Name, Note, Scope, ScopeKind, Store};

use super::path::Path;
use crate::call::{Call, content};
use crate::reply::Refusal;

/// The object at a path.
pub(super) enum PathTarget {
    File(Box<Note>),
    /// Files lie below it; or it is `/memories`.
    Directory,
    Nothing,
}

/// The files of the caller, for one call.
pub(super) struct Files<'s> {
    pub(super) call: &'s Call<'s>,
    pub(super) store: &'s dyn Store,
}

impl Files<'_> {
    fn agent(&self) -> &Name {
        &self.call.here.caller.agent
    }

    /// An argument that the command needs.
    pub(super) fn argument(&self, name: &str) -> Result<&str, Refusal> {
        let text = self.call.arguments.text(name);
        text.ok_or_else(|| self.lacks(name))
    }

    pub(super) fn path(&self, name: &str) -> Result<Path, Refusal> {
        Path::read(self.argument(name)?)
    }

    /// The refusal of a command that lacks an argument.
    pub(super) fn lacks(&self, name: &str) -> Refusal {
        let command = self.call.arguments.required("command");
        Refusal::only(format!("command `{command}` needs the argument `{name}`"))
    }

    pub(super) fn address(&self, path: &Path) -> Result<Address, Refusal> {
        Ok(Address::Place(path.place(self.agent())?))
    }

    /// The change that gives a file this text, if it is at that revision.
    pub(super) fn save(&self, path: &Path, text: &str, revision: u64) -> Result<Change, Refusal> {
        Ok(Change::Save {
            address: self.address(path)?,
            content: content(text)?,
            pin: None,
            limits: self.call.here.caller.limits,
            expect: Expect::Revision(revision),
            origin: None,
        })
    }

    pub(super) fn apply(&self, changes: &[Change]) -> waynote::Result<()> {
        self.store.apply(changes, &self.call.stamp()).map(drop)
    }

    pub(super) fn file(&self, path: &Path) -> Result<Option<Note>, Refusal> {
        if path.is_root() {
            return Ok(None);
        }
        Ok(self.store.get(&self.address(path)?)?)
    }

    pub(super) fn find(&self, path: &Path) -> Result<PathTarget, Refusal> {
        if let Some(note) = self.file(path)? {
            return Ok(PathTarget::File(Box::new(note)));
        }
        Ok(if path.is_root() || !self.below(path)?.is_empty() {
            PathTarget::Directory
        } else {
            PathTarget::Nothing
        })
    }

    /// The paths of the files below a directory, by name.
    pub(super) fn below(&self, directory: &Path) -> Result<Vec<Path>, Refusal> {
        let scopes = self.store.scopes(ScopeKind::Place)?;
        let mut paths: Vec<Path> = scopes
            .iter()
            .filter_map(|summary| Path::of_place(summary.scope.name(), self.agent()))
            .filter(|path| path.below(directory).is_some_and(|rest| !rest.is_empty()))
            .collect();
        paths.sort();
        Ok(paths)
    }

    /// The files at those paths.
    pub(super) fn notes(&self, paths: &[Path]) -> Result<Vec<(Path, Note)>, Refusal> {
        let scopes = paths
            .iter()
            .map(|path| Ok(Scope::Place(path.place(self.agent())?)));
        let scopes = scopes.collect::<Result<Vec<_>, Refusal>>()?;
        let notes = self.store.select(&Filter::Scopes(scopes))?;
        Ok(notes
            .into_iter()
            .filter(|note| note.address.key().is_none())
            .filter_map(|note| {
                let path = Path::of_place(note.address.scope().name(), self.agent())?;
                Some((path, note))
            })
            .collect())
    }

    /// Refuses a new file below a path that is a file itself.
    pub(super) fn check_above(&self, path: &Path) -> Result<(), Refusal> {
        for above in path.above() {
            if self.file(&above)?.is_some() {
                return Err(Refusal::only(format!("{above} is a file, not a directory")));
            }
        }
        Ok(())
    }
}
