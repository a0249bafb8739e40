//! Names that may be one repository's, with the evidence: for `doctor`, which proposes rows of the setting `repos`. No
//! evidence makes two names one by itself.

use std::fs;
use std::time::Duration;

use waynote::{Lineage, Place};

use super::{Naming, Repository};
use crate::environment::{Environment, Result};
use crate::git::Git;

/// How long git may take for the first commits of a checkout, and how many checkouts are compared.
const LIMIT: Duration = Duration::from_secs(2);
const CHECKOUTS: usize = 8;

/// Two names that may be one repository's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// A name.
    pub name: String,
    /// The one that counts.
    pub meant: String,
    /// Why.
    pub evidence: String,
}

impl Environment {
    /// Which names may be one with that of the checkout that a directory is in.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`](crate::EnvironmentError::NotText),
    /// [`EnvironmentError::Library`](crate::EnvironmentError::Library).
    pub fn alike(&self, lineage: &Lineage, naming: &Naming) -> Result<Vec<Alike>> {
        let mut alike: Vec<Alike> = Vec::new();
        let (Some(name), Some(root)) = (lineage.repository(), lineage.root()) else {
            return Ok(alike);
        };
        let mut add = |from: &Place, to: &Place, evidence: String| {
            let named = |place: &Place| Some(place.in_repository()?.0.to_owned());
            let (Some(name), Some(meant)) = (named(from), named(to)) else {
                return;
            };
            let is_known = |of: &Alike| of.name == name || of.meant == name;
            if name != meant && !alike.iter().any(is_known) {
                alike.push(Alike {
                    name,
                    meant,
                    evidence,
                });
            }
        };
        let directory = self.expanded(root.as_str())?;
        let found = Repository::of(&directory, &self.git_files()?)
            .ok()
            .flatten();
        let base = found
            .and_then(|found| found.base)
            .map(|base| naming.name(base));
        if let Some(base) = base.and_then(|base| Place::repository(&base).ok()) {
            add(name, &base, "`gh` works with that one (gh-resolved)".into());
        }
        let known = self.known(lineage, naming, false)?;
        for former in &known.former {
            add(
                former,
                name,
                "this git folder was called so (its inode)".into(),
            );
        }
        let Some(first) = self.first_commits(root) else {
            return Ok(alike);
        };
        let others = self.checkouts_seen(naming).into_iter();
        for (other, path) in others.filter(|(other, _)| other != name).take(CHECKOUTS) {
            if self.first_commits(&path).as_ref() == Some(&first) {
                add(name, &other, format!("{path} has the same first commit"));
            }
        }
        Ok(alike)
    }

    /// The commits without a parent; none in a shallow clone, which does not have them.
    fn first_commits(&self, root: &Place) -> Option<Vec<String>> {
        let directory = fs::canonicalize(self.expanded(root.as_str()).ok()?).ok()?;
        let git = Git::new(&directory, LIMIT, 1 << 16);
        let shallow = git.ask(&["rev-parse", "--is-shallow-repository"]).ok()?;
        let said = git.ask(&["rev-list", "--max-parents=0", "HEAD"]).ok()?;
        let said = String::from_utf8(said).ok()?;
        let mut commits: Vec<String> = said.lines().map(str::to_owned).collect();
        commits.sort();
        (shallow.starts_with(b"false") && !commits.is_empty()).then_some(commits)
    }
}
