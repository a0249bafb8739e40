//! How the checkouts of this machine were called when a session was last in them: in one small file of the person's
//! state folder, by the inode of the git folder, which stays when a folder is renamed and when a remote changes.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use waynote::stands::Known;
use waynote::{Checkout, Lineage, Place};

use super::Naming;
use super::trust::identity;
use crate::environment::{Environment, Result};
use crate::git::Git;
use crate::plain;

/// The most checkouts that are remembered, and the most names of one.
const CHECKOUTS: usize = 400;
const NAMES: usize = 8;

/// The longest file that is read.
const BYTES: u64 = 1 << 20;

/// How long git may take for the first commits of a checkout, and how many checkouts are compared.
const LIMIT: Duration = Duration::from_secs(2);
const COMPARED: usize = 8;

/// A checkout that was seen: a line of the file.
struct Seen {
    /// The git folder; the directory, where there is none.
    folder: String,
    /// The names of its root, the last name and the last path at the end.
    names: Vec<Place>,
    /// Whether a session was told of it since it has these.
    is_told: bool,
}

/// Whether a session is told what is known of a checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// No: nothing is remembered.
    No,
    /// A later one: it is remembered as it is now.
    Later,
    /// This one: the same.
    Now,
}

/// Two names that may be one repository's: a name, the one that would count, and why. No evidence makes them one by
/// itself.
pub type Alike = (Place, Place, String);

impl Environment {
    /// The checkout or the project that a directory is in, as this machine has seen it.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`](crate::EnvironmentError::NotText),
    /// [`EnvironmentError::Library`](crate::EnvironmentError::Library).
    pub fn known(&self, lineage: &Lineage, naming: &Naming, telling: Telling) -> Result<Known> {
        let mut known = Known::default();
        let Some((name, root)) = lineage.called() else {
            return Ok(known);
        };
        let folder = match lineage.git_folder() {
            Some(git) => {
                known.several.clone_from(&git.several);
                git.path.clone()
            }
            None => self.expanded(root.as_str())?,
        };
        let Ok(of) = fs::metadata(folder) else {
            return Ok(known);
        };
        let folder = identity(&of);
        // A worktree comes and goes.
        let also = lineage.checkouts().first().map_or(&[][..], |of| &of.also);
        let mut paths = also.iter().chain([name]);
        let path = paths.find(|of| of.in_repository().is_none());
        let mut now = vec![name.clone(), path.unwrap_or(root).clone()];
        now.dedup();
        let mut seen = self.seen()?;
        let before = seen.iter().position(|of| of.folder == folder);
        let before = before.map(|at| seen.remove(at));
        let was_told = before.as_ref().is_some_and(|of| of.is_told);
        let mut names = before.map_or(Vec::new(), |of| of.names);
        let is_same = names.ends_with(&now);
        known.is_new = !is_same || !was_told;
        names.retain(|name| !now.contains(name));
        known.is_first = telling == Telling::Now && names.is_empty() && !was_told;
        for name in names.iter().filter(|name| !lineage.places().contains(name)) {
            let stays = self.stays(name, &now, naming);
            known.former.push((name.clone(), stays));
        }
        names.extend(now);
        names.drain(..names.len().saturating_sub(NAMES));
        let is_plain = |name: &Place| !name.as_str().contains(char::is_control);
        let file = self.seen_file()?;
        let is_kept = match telling {
            Telling::No => false,
            Telling::Later => !is_same,
            Telling::Now => known.is_new,
        };
        if let Some(file) = file.filter(|_| is_kept && names.iter().all(is_plain)) {
            let is_told = telling == Telling::Now;
            seen.push(Seen {
                folder,
                names,
                is_told,
            });
            let lines = seen.iter().rev().take(CHECKOUTS).rev().map(|seen| {
                let names = seen.names.iter().map(|name| format!("\t{name}"));
                let end = if seen.is_told { "\n" } else { "\t\n" };
                seen.folder.clone() + &names.collect::<String>() + end
            });
            let lines: String = lines.collect();
            // Without the file, it is new the next time.
            let made = file.parent().map_or(Ok(()), plain::make_private_folder);
            let _ =
                made.and_then(|()| waynote_files::replace_private(&file, lines.as_bytes(), None));
        }
        Ok(known)
    }

    /// Why the notes under an earlier name of a checkout are not to be moved; none if they may be.
    fn stays(&self, former: &Place, now: &[Place], naming: &Naming) -> Option<String> {
        former.in_repository()?;
        if naming.is_off {
            return Some("names are switched off (`repo_names`)".into());
        }
        let others = self.checkouts_seen(naming, Some(former)).into_iter();
        let mut others = others.filter(|of| !now.contains(&of.root));
        let root = others.next()?.root;
        Some(format!(
            "{root} still has it; a row of `[repos]` makes the two names one"
        ))
    }

    /// Checkouts that this machine has seen, the last one first, as they are called now: all, or those of a repository.
    pub fn checkouts_seen(&self, naming: &Naming, of: Option<&Place>) -> Vec<Checkout> {
        let seen = self.seen().unwrap_or_default().into_iter().rev();
        let seen = seen.filter(|seen| of.is_none_or(|of| seen.names.contains(of)));
        let found = seen.filter_map(|seen| {
            let lineage = self.lineage(seen.names.last()?, naming).ok()?;
            lineage.checkouts().first().cloned()
        });
        found
            .filter(|found| of.is_none_or(|of| found.name == *of))
            .collect()
    }

    /// Which names may be one with that of the checkout that a directory is in.
    ///
    /// # Errors
    /// As [`known`](Self::known).
    pub fn alike(&self, lineage: &Lineage, naming: &Naming) -> Result<Vec<Alike>> {
        let (Some(name), Some(root)) = (lineage.repository(), lineage.root()) else {
            return Ok(Vec::new());
        };
        let mut alike: Vec<Alike> = Vec::new();
        if let Some(base) = lineage.git_folder().and_then(|git| git.base.clone()) {
            let why = "`gh` works with that one (gh-resolved)";
            alike.push((name.clone(), base, why.into()));
        }
        let is_named = |place: &Place| place.in_repository().is_some();
        let former = self.known(lineage, naming, Telling::No)?.former.into_iter();
        for (former, _) in former.filter(|(former, _)| is_named(former)) {
            let why = "this git folder was called so (its inode)";
            alike.push((former, name.clone(), why.into()));
        }
        // An alias of a host in ssh's configuration has no dot. Of two other names, neither says which one counts.
        let host = |name: &Place| Some(name.in_repository()?.0.split('/').next()?.to_owned());
        let has_host = |name: &Place| host(name).is_some_and(|host| host.contains('.'));
        if !has_host(name)
            && let Some(first) = self.first_commits(root)
        {
            let others = self.checkouts_seen(naming, None).into_iter();
            for other in others.filter(|of| has_host(&of.name)).take(COMPARED) {
                if self.first_commits(&other.root).as_ref() == Some(&first) {
                    let why = format!("{} has the same first commit", other.root);
                    alike.push((name.clone(), other.name, why));
                }
            }
        }
        alike.retain(|(from, to, _)| from != to);
        alike.dedup_by(|next, kept| (&next.0, &next.1) == (&kept.0, &kept.1));
        Ok(alike)
    }

    /// The commits without a parent; none in a shallow clone, which does not have them.
    fn first_commits(&self, root: &Place) -> Option<Vec<u8>> {
        let directory = fs::canonicalize(self.expanded(root.as_str()).ok()?).ok()?;
        let git = Git::new(&directory, LIMIT, 1 << 16);
        let shallow = git.ask(&["rev-parse", "--is-shallow-repository"]).ok()?;
        let commits = git.ask(&["rev-list", "--max-parents=0", "HEAD"]).ok()?;
        shallow.starts_with(b"false").then_some(commits)
    }

    fn seen_file(&self) -> Result<Option<PathBuf>> {
        let state = self.state()?;
        Ok(state.map(|state| state.join("waynote/checkouts")))
    }

    fn seen(&self) -> Result<Vec<Seen>> {
        let file = self.seen_file()?;
        let bytes = file.and_then(|file| plain::read_own(&file, BYTES));
        let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
        let seen = text.lines().map(|line| {
            let (folder, names) = line.split_once('\t').unwrap_or_default();
            let names = names.split('\t').filter_map(|name| name.parse().ok());
            Seen {
                folder: folder.to_owned(),
                names: names.collect(),
                is_told: !line.ends_with('\t'),
            }
        });
        Ok(seen.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;
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
            let telling = if tells { Telling::Now } else { Telling::No };
            let known = environment.known(&lineage, &naming, telling).unwrap();
            let former = known.former.iter().map(|(former, _)| former.to_string());
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
        // A person's look is not remembered.
        assert_eq!(known("api/src", false), (changed, String::new()));
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
        let checkout = |name: &str| {
            let of = environment.checkouts_seen(&naming, Some(&place(name)));
            of.first().map(|of| of.root.clone())
        };
        assert_eq!(
            checkout("repo:github.com/acme/shop"),
            Some(place("~/other"))
        );
        assert_eq!(checkout("repo:github.com/other/shop"), Some(place("~/new")));
        assert_eq!(checkout("repo:github.com/none/shop"), None);
        assert_eq!(environment.checkouts_seen(&naming, None).len(), 2);
    }

    #[test]
    fn a_checkout_in_which_a_note_was_saved_is_remembered_and_told_later() {
        let machine = Machine(tempfile::tempdir().unwrap());
        let (environment, naming) = (machine.environment(), Naming::default());
        let known = |path: &str, telling: Telling| {
            let place = format!("~/{path}").parse().unwrap();
            let lineage = environment.lineage(&place, &naming).unwrap();
            let known = environment.known(&lineage, &naming, telling).unwrap();
            let former = known.former.iter();
            let former =
                former.map(|(of, stays)| format!("{of}{}", stays.as_deref().unwrap_or("")));
            let former: Vec<String> = former.collect();
            (known.is_first, known.is_new, former.join(" "))
        };
        machine.checkout("api", "");
        known("api", Telling::Later);
        fs::rename(machine.path("api"), machine.path("new")).unwrap();
        assert_eq!(known("new", Telling::Later), (false, true, "~/api".into()));
        assert_eq!(known("new", Telling::Now), (false, true, "~/api".into()));
        known("new", Telling::Later);
        assert_eq!(known("new", Telling::Now), (false, false, "~/api".into()));
        machine.checkout("shop", SHOP);
        known("shop", Telling::Later);
        assert_eq!(known("shop", Telling::Now), (true, true, String::new()));
        // Another checkout that still has the earlier name keeps its notes.
        machine.checkout("second", SHOP);
        known("second", Telling::Now);
        machine.checkout("second", &SHOP.replace("acme", "me"));
        assert_eq!(
            known("second", Telling::No).2,
            "repo:github.com/acme/shop~/shop still has it; a row of `[repos]` makes the two names one"
        );
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
            (1, 1 + NAMES)
        );
        let many = "1.1.1\t~/x\n".repeat(CHECKOUTS + 50);
        fs::write(&file, many).unwrap();
        machine.known("shop", true);
        assert_eq!(
            fs::read_to_string(&file).unwrap().lines().count(),
            CHECKOUTS
        );
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        // A file that another user can write is not read.
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o622)).unwrap();
        assert!(machine.known("shop", true).0);
        // Neither without a state folder nor at a directory that is gone is anything remembered.
        assert!(machine.known("none/at/all", false).2.is_empty());
        assert!(!Path::new("/none/at/all").exists());
    }
}
