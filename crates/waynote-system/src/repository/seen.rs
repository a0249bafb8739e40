//! How the checkouts of this machine were called when they were last seen: in one small file of the person's state folder,
//! by the inode of the git folder, which stays when a folder is renamed and when a remote changes.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::SystemTime;

use waynote::stands::Known;
use waynote::{Lineage, Place};

use super::{Naming, Repository, found};
use crate::environment::{Environment, Result};
use crate::plain;

/// The most checkouts that are remembered, and the most names of one.
const CHECKOUTS: usize = 400;
const NAMES: usize = 8;

/// The longest file that is read.
const BYTES: u64 = 1 << 20;

/// A checkout that was seen: a line of the file.
#[derive(Clone, Default)]
struct Seen {
    /// Device and inode of the git folder; of the directory, where there is none.
    folder: String,
    /// True once a session was told of it, and once since it has these names.
    was_told: bool,
    is_told: bool,
    /// What its root was called, the present name and the present path last.
    names: Vec<Place>,
}

impl Seen {
    fn read(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let (folder, told) = (parts.next()?.to_owned(), parts.next()?);
        Some(Self {
            folder,
            was_told: told != "no",
            is_told: told == "yes",
            names: parts.filter_map(|name| name.parse().ok()).collect(),
        })
    }

    fn line(&self) -> String {
        let told = match (self.is_told, self.was_told) {
            (true, _) => "yes",
            (false, true) => "once",
            (false, false) => "no",
        };
        let names: Vec<&str> = self.names.iter().map(Place::as_str).collect();
        format!("{}\t{told}\t{}\n", self.folder, names.join("\t"))
    }
}

impl Environment {
    /// What is known of the checkout or the project that a directory is in, from what this machine has seen; and remembers
    /// it as it is now. `tells`: whether a session is told of it.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`](crate::EnvironmentError::NotText),
    /// [`EnvironmentError::Library`](crate::EnvironmentError::Library).
    pub fn known(&self, lineage: &Lineage, naming: &Naming, tells: bool) -> Result<Known> {
        let mut known = Known::default();
        let checkout = lineage.checkouts().first();
        let named = checkout.map(|of| (&of.name, &of.root));
        let Some((name, root)) = named.or(lineage.project().zip(lineage.root())) else {
            return Ok(known);
        };
        let personal = self.git_files()?;
        let directory = self.expanded(root.as_str())?;
        let home = personal.home.as_deref();
        let git_folder = found(&directory, home).ok().flatten();
        let git_folder = git_folder.filter(|_| checkout.is_some());
        if lineage.repository().is_none() && checkout.is_some() && !naming.is_off {
            let found = Repository::of(&directory, &personal).ok().flatten();
            known.several = found.map(|found| found.several).unwrap_or_default();
        }
        let folder = git_folder.map_or(directory.clone(), |(_, (_, shared))| shared);
        let Ok(folder) = fs::metadata(folder) else {
            return Ok(known);
        };
        // An inode is used again.
        let created = folder.created().ok();
        let created = created.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let created = created.unwrap_or_default().as_nanos();
        let folder = format!("{}.{}.{created}", folder.dev(), folder.ino());
        // A worktree comes and goes.
        let main = self.main_checkout(root)?;
        let now = [name, main.as_ref().unwrap_or(root)];
        let mut seen = self.seen()?;
        let before = seen.iter().position(|of| of.folder == folder);
        let mut own = before.map(|at| seen.remove(at)).unwrap_or_default();
        let was = own.line();
        let is_same = now.iter().all(|name| own.names.contains(name));
        own.folder = folder;
        own.is_told &= is_same;
        known.is_first = !own.was_told;
        known.is_new = !own.is_told;
        known.looks_beside = known.is_first;
        own.names.retain(|name| !now.contains(&name));
        let is_elsewhere = |name: &&Place| !lineage.places().contains(name);
        known.former = own.names.iter().filter(is_elsewhere).cloned().collect();
        own.names.extend(now.map(Place::clone));
        own.names.dedup();
        own.names.drain(..own.names.len().saturating_sub(NAMES));
        own.is_told |= tells;
        own.was_told |= tells;
        let is_plain = |name: &Place| !name.as_str().contains(char::is_control);
        if own.line() != was && own.names.iter().all(is_plain) {
            seen.push(own);
            seen.drain(..seen.len().saturating_sub(CHECKOUTS));
            let lines: String = seen.iter().map(Seen::line).collect();
            // Without the file, it is new the next time.
            if let Some(file) = self.seen_file()? {
                let folder = file.parent().map_or(Ok(()), plain::make_private_folder);
                let _ = folder
                    .and_then(|()| waynote_files::replace_private(&file, lines.as_bytes(), None));
            }
        }
        Ok(known)
    }

    /// Checkouts that this machine has seen, and the names that they have now: one for each repository.
    pub fn checkouts_seen(&self, naming: &Naming) -> Vec<(Place, Place)> {
        let mut found: Vec<(Place, Place)> = Vec::new();
        for seen in self.seen().unwrap_or_default().into_iter().rev() {
            let paths = seen
                .names
                .iter()
                .rev()
                .filter(|name| name.in_repository().is_none());
            let lineages = paths.filter_map(|path| self.lineage(path, naming).ok());
            let mut checkouts = lineages.filter_map(|of| of.checkouts().first().cloned());
            if let Some(of) = checkouts.next().filter(|of| seen.names.contains(&of.root)) {
                found.push((of.name, of.root));
            }
        }
        found
    }

    /// A checkout of a repository that this machine has seen.
    pub(crate) fn checkout_of(&self, repository: &Place, naming: &Naming) -> Option<Place> {
        let seen = self.seen().ok()?;
        let mut named = seen
            .iter()
            .rev()
            .filter(|seen| seen.names.contains(repository));
        named.find_map(|seen| {
            let paths = seen
                .names
                .iter()
                .rev()
                .filter(|name| name.in_repository().is_none());
            let lineages = paths.filter_map(|path| self.lineage(path, naming).ok());
            let mut checkouts = lineages.filter_map(|of| of.checkouts().first().cloned());
            Some(checkouts.find(|of| of.name == *repository)?.root)
        })
    }

    fn seen_file(&self) -> Result<Option<PathBuf>> {
        let state = self.state()?;
        Ok(state.map(|state| state.join("waynote/checkouts")))
    }

    fn seen(&self) -> Result<Vec<Seen>> {
        let file = self.seen_file()?;
        let bytes = file.and_then(|file| plain::read_own(&file, BYTES));
        let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
        Ok(text.lines().filter_map(Seen::read).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A home with a state folder, and what is known of a directory in it.
    struct Machine(tempfile::TempDir);

    impl Machine {
        fn environment(&self) -> Environment {
            let home = self.0.path().canonicalize().unwrap();
            Environment::new([
                ("HOME".into(), home.into()),
                ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
            ])
        }

        fn path(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }

        fn checkout(&self, path: &str, remote: &str) {
            let git = self.path(path).join(".git");
            fs::create_dir_all(&git).unwrap();
            fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            fs::write(git.join("config"), remote).unwrap();
        }

        fn known(&self, path: &str, tells: bool) -> (bool, bool, Vec<String>) {
            let (environment, naming) = (self.environment(), Naming::default());
            let place = format!("~/{path}").parse().unwrap();
            let lineage = environment.lineage(&place, &naming).unwrap();
            let known = environment.known(&lineage, &naming, tells).unwrap();
            let former = known.former.iter().map(Place::to_string);
            (known.is_first, known.is_new, former.collect())
        }
    }

    const SHOP: &str = "[remote \"origin\"]\nurl = https://github.com/acme/shop\n";

    #[test]
    fn a_checkout_is_known_by_its_git_folder() {
        let machine = Machine(tempfile::tempdir().unwrap());
        let (seen, told, changed) = ((true, true), (false, false), (false, true));
        let known = |path: &str, tells: bool| {
            let (is_first, is_new, former) = machine.known(path, tells);
            ((is_first, is_new), former.join(" "))
        };
        machine.checkout("api", "");
        assert_eq!(known("api/src", false), (seen, String::new()));
        assert_eq!(known("api", true), (seen, String::new()));
        assert_eq!(known("api", true), (told, String::new()));
        fs::rename(machine.path("api"), machine.path("new")).unwrap();
        assert_eq!(known("new/x", false), (changed, "~/api".into()));
        assert_eq!(known("new", true), (changed, "~/api".into()));
        assert_eq!(known("new", true), (told, "~/api".into()));
        // A remote comes, and changes.
        machine.checkout("new", SHOP);
        assert_eq!(known("new", true), (changed, "~/api".into()));
        machine.checkout("new", &SHOP.replace("acme", "other"));
        let former = "~/api repo:github.com/acme/shop".to_owned();
        assert_eq!(known("new", true), (changed, former.clone()));
        assert_eq!(known("new", true), (told, former));
        // Another folder is another checkout.
        machine.checkout("other", SHOP);
        assert_eq!(known("other", true), (seen, String::new()));
        let naming = Naming::default();
        let place = |text: &str| text.parse::<Place>().unwrap();
        let environment = machine.environment();
        let checkout = |name: &str| environment.checkout_of(&place(name), &naming);
        assert_eq!(
            checkout("repo:github.com/acme/shop"),
            Some(place("~/other"))
        );
        assert_eq!(checkout("repo:github.com/other/shop"), Some(place("~/new")));
        assert_eq!(checkout("repo:github.com/none/shop"), None);
        assert_eq!(environment.checkouts_seen(&naming).len(), 2);
    }

    #[test]
    fn the_file_is_the_persons_alone_and_does_not_grow() {
        let machine = Machine(tempfile::tempdir().unwrap());
        let file = machine.path(".local/state/waynote/checkouts");
        for round in 0..12 {
            machine.checkout("shop", &SHOP.replace("shop", &format!("shop{round}")));
            machine.known("shop", true);
        }
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(
            (text.lines().count(), text.split('\t').count()),
            (1, 2 + NAMES)
        );
        let many = "1.1\tyes\t~/x\n".repeat(CHECKOUTS + 50);
        fs::write(&file, many).unwrap();
        machine.known("shop", true);
        assert_eq!(
            fs::read_to_string(&file).unwrap().lines().count(),
            CHECKOUTS
        );
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        // What another could have written is not read.
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o622)).unwrap();
        assert!(machine.known("shop", false).0);
        // Neither without a state folder nor at a directory that is gone is anything remembered.
        assert!(machine.known("none/at/all", false).2.is_empty());
        assert!(!Path::new("/none/at/all").exists());
    }
}
